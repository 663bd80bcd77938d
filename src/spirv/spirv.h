/* SPIR-V for both backends: parse, reflect, rewrite. No GPU API in here.
 *
 * A module is read once, bounds-checked, into an index over its words (isg_spirv_module); passes
 * are plain functions from one module to a new one. isg_spirv_lower() runs those a kernel needs in
 * the right order and is what the core calls.
 */
#ifndef ISOGRID_SPIRV_SPIRV_H
#define ISOGRID_SPIRV_SPIRV_H

#include "isogrid/isogrid.h"

/* Reserved specialisation constants: users' ids end below the first. */
#define ISG_SPEC_ID_RESERVED 2040u   /* first reserved, to 2047 */
#define ISG_SPEC_ID_SYNC_CLASS 2040u /* default value: class << 8 | phase count (isg_sync_class) */
#define ISG_SPEC_ID_PHASE 2041u      /* made by the lowering of phased kernels: the phase to run */

/* The dispatch header at the start of the buffer at set 3, binding 0: std430, 32-bit words.
 * shaders/isogrid/state.glsl has the same. */
enum isg_state_word {
    ISG_STATE_PHASE = 0, /* read by kernels as isg_phase(); never read after lowering */
    ISG_STATE_ROUND = 1, /* isg_round() */
    ISG_STATE_PHASE_COUNT = 2,
    ISG_STATE_ROUND_COUNT = 3, /* isg_round_count() */
    ISG_STATE_GRID_X = 4,      /* logical grid, for the looped form */
    ISG_STATE_GRID_Y = 5,
    ISG_STATE_GRID_Z = 6,
    ISG_STATE_FLAGS = 7,
    /* Written by the first invocation that finds an error in a bounded or checked kernel; zero before
     * the dispatch. */
    ISG_STATE_ERROR = 8,          /* isg_state_error */
    ISG_STATE_ERROR_SET = 9,      /* of a bad index: the variable's set, UINT32_MAX: no binding */
    ISG_STATE_ERROR_BINDING = 10, /* and its binding */
    ISG_STATE_ERROR_INDEX = 11,   /* and the index */
    ISG_STATE_LOOP_LIMIT = 12,    /* iterations of a bounded kernel's invocation; 0: the default */
    ISG_STATE_HEADER_WORDS = 16,  /* size of the header; barrier words come after it */
};

/* What ISG_STATE_ERROR says. */
enum isg_state_error {
    ISG_STATE_ERROR_NONE = 0,
    ISG_STATE_ERROR_LOOP = 1,      /* the loops ran into the limit (ISG_KERNEL_BOUNDED) */
    ISG_STATE_ERROR_BAD_INDEX = 2, /* an index was outside its array (ISG_KERNEL_CHECKED) */
};

#define ISG_STATE_LOOP_LIMIT_DEFAULT 16777216u /* iterations of all loops of one invocation */

typedef struct isg_spirv_module isg_spirv_module;

/* Reads `size` bytes (any alignment). On error INVALID_SPIRV with word offset and rule, or
 * OUT_OF_MEMORY. The module owns a copy. Allocator NULL: malloc and free. */
isg_status isg_spirv_parse(const isg_host_allocator *allocator, const void *bytes, size_t size,
                           isg_spirv_module **out);
void isg_spirv_free(isg_spirv_module *module);
const uint32_t *isg_spirv_words(const isg_spirv_module *module, size_t *out_count);

/* Reflection of one compute entry point (NULL: the only one), as one allocation tree that
 * isg_kernel_info_release() frees. It fills everything but what needs a device. */
isg_status isg_spirv_reflect(const isg_spirv_module *module, const char *entry,
                             isg_kernel_info **out);

/* The two forms of a phased kernel in the split plan. In both, loads of the header's phase become
 * the specialisation constant ISG_SPEC_ID_PHASE, so that the driver compiles one phase at a time. */
typedef enum isg_spirv_form {
    ISG_SPIRV_FORM_PLAIN = 0,  /* plain kernels: ids untouched */
    ISG_SPIRV_FORM_NATIVE = 1, /* phased, grid within the device's limits: ids untouched */
    ISG_SPIRV_FORM_LOOPED =
        2, /* phased, any grid: the physical workgroups (1D, any number) loop over
                                  the logical grid in the header; WorkgroupId, NumWorkgroups and
                                  GlobalInvocationId become the logical ones */
} isg_spirv_form;

/* How the device treats 32-bit floats, for the exactness pass. */
typedef struct isg_spirv_target {
    isg_float_behaviour floats;
    uint32_t features; /* isg_feature bits */
} isg_spirv_target;

typedef struct isg_spirv_lower_desc {
    const char *entry;
    const isg_kernel_info *info; /* of this module and entry */
    isg_spirv_form form;
    /* Workgroups wait for each other inside one dispatch, so its accesses must be ordered. Between
     * dispatches, as in the split plan, barriers order them, and ordering each access costs time
     * (lavapipe 25: 2.6 times the reference kernel's light twin). */
    bool waits;
    uint32_t flags; /* isg_kernel_flag bits */
    isg_spirv_target target;
} isg_spirv_lower_desc;

typedef struct isg_spirv_lowered {
    isg_spirv_module *module; /* owned: free with isg_spirv_free() */
    bool uses_state;          /* it still has the buffer at set 3, binding 0 */
    bool has_phase_constant;  /* it declares ISG_SPEC_ID_PHASE */
} isg_spirv_lowered;

/* Runs the passes. Errors: UNSUPPORTED by instruction and place; OUT_OF_MEMORY. */
isg_status isg_spirv_lower(const isg_spirv_module *module, const isg_spirv_lower_desc *desc,
                           isg_spirv_lowered *out);

#endif
