/* The core's part of a kernel: its module, its reflection and its compiled variants. */
#ifndef ISOGRID_CORE_KERNEL_H
#define ISOGRID_CORE_KERNEL_H

#include "core/backend.h"
#include "spirv/spirv.h"

#include <pthread.h>

#define ISG_MAX_PHASES 32u
#define ISG_SPIRV_FORM_COUNT 3u

typedef enum isg_variant_state {
    ISG_VARIANT_NEW,       /* nobody has begun */
    ISG_VARIANT_QUEUED,    /* the worker will compile it, or whoever needs it first */
    ISG_VARIANT_COMPILING, /* by one thread; others wait for kernel_core.changed */
    ISG_VARIANT_READY,
    ISG_VARIANT_FAILED,
} isg_variant_state;

/* One variant of a kernel: a form, a phase, and the values of all its constants. */
typedef struct isg_variant_entry {
    struct isg_variant_entry *next;
    isg_spirv_form form;
    uint32_t phase;
    isg_variant_state state;
    bool prepared;        /* isg_kernel_wait() waits for it */
    isg_status status;    /* FAILED: why */
    char *message;        /* FAILED: owned; NULL if memory for it ran out */
    isg_variant *variant; /* READY: owned */
    uint64_t values[];    /* of info->constants, in their order */
} isg_variant_entry;

struct isg_kernel_core {
    isg_kernel *kernel;
    isg_spirv_module *module;  /* owned */
    isg_kernel_info *info;     /* owned */
    char *label;               /* owned */
    uint32_t flags;            /* isg_kernel_flag bits */
    uint32_t descriptor_count; /* elements of all bindings */

    pthread_mutex_t lower_lock; /* guards lowered and is_lowered; never taken inside `lock` */
    isg_spirv_lowered lowered[ISG_SPIRV_FORM_COUNT]; /* fixed once is_lowered */
    bool is_lowered[ISG_SPIRV_FORM_COUNT];

    pthread_mutex_t lock;   /* guards all below */
    pthread_cond_t changed; /* an entry left QUEUED or COMPILING */
    isg_variant_entry *entries;
};

/* Creates a kernel that is no live handle yet; the caller owns its one reference. */
isg_status isg_kernel_make(isg_device *device, const isg_kernel_desc *desc, isg_kernel **out);
void isg_kernel_destroy(isg_kernel *kernel);

/* ---- constants (core/specialise.c) ----------------------------------------------------------- */

/* Checks the constants and writes the value of each constant of the kernel, given or default, to
 * `values` in info->constants' order. `what` begins messages: "dispatch 'x'". */
isg_status isg_constants_resolve(const isg_kernel_info *info, const isg_constant *constants,
                                 uint32_t count, const char *what, uint64_t *values);
/* The workgroup size these values give, checked against the device. */
isg_status isg_workgroup_size_resolve(const isg_device *device, const isg_kernel_info *info,
                                      const uint64_t *values, const char *what,
                                      uint32_t out_size[3]);

/* ---- variants (core/variant.c) --------------------------------------------------------------- */

/* The compiled variant, compiled now if need be. Borrowed from the kernel. */
isg_status isg_variant_get(isg_kernel *kernel, isg_spirv_form form, uint32_t phase,
                           const uint64_t *values, isg_variant **out);
/* Makes sure that there is an entry for it and marks it prepared. *out_entry is the entry if it is
 * now QUEUED for the worker, else NULL. */
isg_status isg_variant_enqueue(isg_kernel *kernel, isg_spirv_form form, uint32_t phase,
                               const uint64_t *values, isg_variant_entry **out_entry);
/* Compiles an entry that is still QUEUED; for the worker. */
void isg_variant_compile_queued(isg_kernel *kernel, isg_variant_entry *entry);
/* Takes an entry that is still QUEUED back to NEW. */
void isg_variant_cancel(isg_kernel *kernel, isg_variant_entry *entry);
void isg_variants_destroy(isg_kernel_core *core);

#endif
