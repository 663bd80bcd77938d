/* A dispatch after checking: everything resolved, nothing left to be refused but its plan. */
#ifndef ISOGRID_CORE_DISPATCH_H
#define ISOGRID_CORE_DISPATCH_H

#include "core/backend.h"
#include "core/plan.h"

#define ISG_MAX_PUSH_SIZE 128u
#define ISG_MAX_BINDING_NUMBER 65535u

/* What a binding covers, for finding overlaps. */
typedef struct isg_bound_range {
    const void *object; /* buffer or image */
    uint64_t offset;
    uint64_t size;
    uint32_t slot; /* in the list of bindings */
    bool written;
} isg_bound_range;

/* Memory for the lists of a checked dispatch, used again for the next one. */
typedef struct isg_dispatch_scratch {
    const isg_host_allocator *allocator;
    isg_command_binding *bindings; /* owned */
    uint32_t binding_capacity;
    uint64_t *values; /* owned */
    uint32_t value_capacity;
    isg_bound_range *ranges; /* owned */
    uint32_t range_capacity;
} isg_dispatch_scratch;

void isg_dispatch_scratch_free(isg_dispatch_scratch *scratch);

typedef struct isg_checked_dispatch {
    isg_kernel *kernel;
    const char *label;
    uint32_t grid[3]; /* at least 1 each, unless `nothing` or `indirect` */
    bool nothing;     /* the grid is empty */
    isg_buffer *indirect;
    uint64_t indirect_offset;
    const isg_command_binding *bindings; /* by set, binding, element; complete; in the scratch */
    uint32_t binding_count;
    uint32_t push[ISG_MAX_PUSH_SIZE / 4];
    uint32_t push_size;     /* a multiple of 4 */
    const uint64_t *values; /* of info->constants; in the scratch */
    uint32_t rounds;        /* at least 1 */
    isg_spirv_form form;
    isg_plan plan; /* may be REFUSED */
} isg_checked_dispatch;

/* Checks a dispatch for `device` (NULL: the kernel's) and chooses its plan. The last `own_count`
 * bindings are buffers of the library's own, which are no live handles. */
isg_status isg_dispatch_check(const isg_dispatch *dispatch, uint32_t own_count,
                              const isg_device *device, isg_dispatch_scratch *scratch,
                              isg_checked_dispatch *out);

/* ---- bindings (core/binding.c) --------------------------------------------------------------- */

/* Checks the bindings against reflection and fills the scratch's list of them. `what` begins
 * messages. */
isg_status isg_bindings_check(const isg_dispatch *dispatch, uint32_t own_count, const char *what,
                              isg_dispatch_scratch *scratch, uint32_t *out_count);

#endif
