/* The plan of a dispatch: one pure function for isg_plan_dispatch() and for dispatching. */
#ifndef ISOGRID_CORE_PLAN_H
#define ISOGRID_CORE_PLAN_H

#include "core/backend.h"
#include "spirv/spirv.h"

/* Physical workgroups of a dispatch that loops over its logical grid, at most. */
#define ISG_MAX_LOOPED_WORKGROUPS 65535u
/* Bytes of a recording's state buffer, where the headers of phased dispatches are. */
#define ISG_STATE_SIZE 65536u
/* Dispatches one split dispatch may become, at most. */
#define ISG_MAX_SPLIT_DISPATCHES 1048576u

/* Everything the plan depends on. */
typedef struct isg_plan_request {
    const isg_device_info *device;
    const isg_kernel_info *kernel;
    uint32_t grid[3]; /* at least 1 each, or x is 0: nothing to do; unused with `indirect` */
    bool indirect;
    uint32_t rounds;       /* at least 1 */
    isg_plan_kind demand;  /* AUTO, SINGLE, COOPERATIVE, VIRTUALIZED or SPLIT */
    const char *grid_sync; /* value of ISOGRID_GRID_SYNC; "": auto */
} isg_plan_request;

/* Chooses the plan. *out_form is the form the kernel runs in; PLAIN when it is refused. */
void isg_plan_choose(const isg_plan_request *request, isg_plan *out, isg_spirv_form *out_form);

/* The status a dispatch with a refused plan ends in, its message set. */
isg_status isg_plan_fail(const isg_plan *plan, const char *label);

/* Bytes from one header to the next, and how many are written at a time at most. */
uint32_t isg_plan_header_stride(const isg_device_limits *limits);
uint32_t isg_plan_header_batch(const isg_device_limits *limits);

/* Physical workgroups for a looped dispatch over `total` logical ones. */
uint32_t isg_plan_looped_workgroups(const isg_device_limits *limits, uint64_t total);

#endif
