/* Medians and spread of repeated measurements. */
#include "stats.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double quantile(const double *sorted, uint32_t count, double part)
{
    const double place = part * (double)(count - 1);
    const uint32_t low = (uint32_t)place;
    const uint32_t high = low + 1 < count ? low + 1 : low;

    return sorted[low] + (sorted[high] - sorted[low]) * (place - (double)low);
}

isg_stats isg_stats_of(double *values, uint32_t count)
{
    if (count == 0) {
        return (isg_stats){0};
    }
    qsort(values, count, sizeof *values, compare);
    return (isg_stats){
        .median = quantile(values, count, 0.5),
        .p10 = quantile(values, count, 0.1),
        .p90 = quantile(values, count, 0.9),
        .min = values[0],
    };
}
