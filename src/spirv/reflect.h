/* What the files that make reflection share: one kernel's findings before they are packed. */
#ifndef ISOGRID_SPIRV_REFLECT_H
#define ISOGRID_SPIRV_REFLECT_H

#include "spirv/module.h"

/* Bindings, and constants, that one kernel may have: far above every device's limit. */
#define ISG_SPIRV_MAX_LISTED 4096u

/* Why a kernel has no portable bits; reflect_code.c has the sentences. */
typedef enum isg_spirv_reason {
    ISG_SPIRV_REASON_SUBGROUPS,
    ISG_SPIRV_REASON_ATOMIC_ORDER,
    ISG_SPIRV_REASON_FLOAT_ATOMICS,
    ISG_SPIRV_REASON_DIVISION,
    ISG_SPIRV_REASON_SQUARE_ROOT,
    ISG_SPIRV_REASON_TRANSCENDENTAL,
    ISG_SPIRV_REASON_HALF,
    ISG_SPIRV_REASON_DOUBLE,
    ISG_SPIRV_REASON_CLOCK,
    ISG_SPIRV_REASON_SAMPLING,
    ISG_SPIRV_REASON_ADDRESS,
    ISG_SPIRV_REASON_ROUNDING,
    ISG_SPIRV_REASON_COUNT,
} isg_spirv_reason;

const char *isg_spirv_reason_text(isg_spirv_reason reason);

typedef struct isg_spirv_reflection {
    const isg_spirv_module *module;
    const uint32_t *entry;      /* OpEntryPoint */
    bool only_entry;            /* the module has no other */
    uint8_t *marks;             /* owned, id_count: reached by the entry's call graph */
    uint32_t *parents;          /* owned, id_count: pointers that may be the same memory */
    uint8_t *accesses;          /* owned, id_count: isg_access bits of a set's root */
    uint32_t *uses;             /* owned, id_count: times a function body uses the id */
    isg_binding_info *bindings; /* owned */
    uint32_t binding_capacity;
    isg_constant_info *constants; /* owned */
    uint32_t constant_capacity;
    uint32_t reasons;     /* bit per isg_spirv_reason */
    isg_kernel_info info; /* its arrays point above */
} isg_spirv_reflection;

/* Root of the set of pointers that `id` is in. */
uint32_t isg_spirv_reflect_root(isg_spirv_reflection *reflection, uint32_t id);

/* Reads the bodies the entry reaches: accesses, atomics, subgroups, reasons (reflect_code.c). */
void isg_spirv_reflect_code(isg_spirv_reflection *reflection);
/* Reads variables: bindings, push constants, shared memory (reflect_memory.c). */
isg_status isg_spirv_reflect_memory(isg_spirv_reflection *reflection);
/* Features from capabilities (reflect_features.c). */
isg_status isg_spirv_reflect_features(isg_spirv_reflection *reflection);

#endif
