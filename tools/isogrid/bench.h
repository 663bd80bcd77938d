/* What the benchmarks share: the device, its hand-written peer, and tables of interleaved
 * measurements.
 *
 * A benchmark is a function with a row in bench.c. It fills a table with series, of isogrid and of
 * peers, and runs it: every series takes a few measurements in turn, so that what changes on the
 * machine meanwhile meets all of them alike.
 */
#ifndef ISOGRID_TOOLS_BENCH_H
#define ISOGRID_TOOLS_BENCH_H

#include "isogrid/isogrid.h"
#include "peer_vulkan.h"
#include "peer_wait.h"

#include <jansson.h>

typedef struct isg_bench {
    isg_device *device;
    const isg_device_info *info; /* of the device */
    isg_peer peer;               /* on the same physical device */
    uint32_t iterations;         /* asked for; 0: the benchmark's own choice */
    json_t *tables;              /* owned */
} isg_bench;

/* Each returns false when a failure has been reported. */
bool isg_bench_submit(isg_bench *bench);
bool isg_bench_rounds(isg_bench *bench);
bool isg_bench_copy(isg_bench *bench);
bool isg_bench_compile(isg_bench *bench);

typedef enum isg_bench_who {
    ISG_BENCH_ISOGRID,
    ISG_BENCH_PEER,  /* what isogrid is compared with */
    ISG_BENCH_FLOOR, /* shown, but no fair comparison */
} isg_bench_who;

/* Measures once, in microseconds. False when a failure has been reported. */
typedef bool (*isg_bench_once)(void *user, double *out_us);

typedef struct isg_bench_series {
    isg_bench_who who;
    char label[160];
    isg_bench_once once;
    void *user; /* borrowed */
    double *values;
    double median;
} isg_bench_series;

enum { ISG_BENCH_MAX_SERIES = 80 };

typedef struct isg_bench_table {
    char title[160];
    uint64_t bytes; /* moved by one measurement; 0: no bandwidth is shown */
    isg_bench_series series[ISG_BENCH_MAX_SERIES];
    uint32_t count;
} isg_bench_table;

void isg_bench_add(isg_bench_table *table, isg_bench_who who, isg_bench_once once, void *user,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Warms up, measures `iterations` times (or as often as was asked for) in turns of `turn`, prints
 * the table and the ratio of each of isogrid's series to the fastest peer's, keeps it for JSON. */
bool isg_bench_run(isg_bench *bench, isg_bench_table *table, uint32_t warm_ups, uint32_t iterations,
                   uint32_t turn);

/* ISG_OK is true; else the failure is reported. */
bool isg_bench_check(isg_status status, const char *what);
/* Reports isg_peer_error(); false. */
bool isg_bench_peer_failed(void);
double isg_bench_now_us(void);

#endif
