/* Medians and spread of repeated measurements. */
#ifndef ISOGRID_TOOLS_STATS_H
#define ISOGRID_TOOLS_STATS_H

#include <stdint.h>

typedef struct isg_stats {
    double median, p10, p90, min;
} isg_stats;

/* Sorts `values`; all zero for a count of 0. */
isg_stats isg_stats_of(double *values, uint32_t count);

#endif
