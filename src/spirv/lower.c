/* isg_spirv_lower(): runs the passes that a kernel needs, in their order. */
#include "spirv/module.h"

/* Replaces *module by what a pass made of it. */
static void take(isg_spirv_module **module, isg_spirv_module *made)
{
    isg_spirv_free(*module);
    *module = made;
}

/* In the order they run. The loops and indices that are guarded are the user's, so guards come before
 * the loop over workgroups; ordering sees all accesses, exactness all arithmetic. */
typedef enum pass { BOUNDED, CHECKED, LOOP, ORDERING, EXACT, PASS_COUNT } pass;

static bool wants(const isg_spirv_lower_desc *desc, pass which)
{
    switch (which) {
    case BOUNDED:
        return (desc->flags & ISG_KERNEL_BOUNDED) != 0;
    case CHECKED:
        return (desc->flags & ISG_KERNEL_CHECKED) != 0;
    case LOOP:
        return desc->form == ISG_SPIRV_FORM_LOOPED;
    case ORDERING:
        return desc->waits && (desc->target.features & ISG_FEATURE_MEMORY_MODEL) != 0;
    case EXACT:
        return (desc->flags & ISG_KERNEL_FAST_MATH) == 0;
    default:
        return false;
    }
}

static isg_status run(const isg_spirv_lower_desc *desc, pass which, const isg_spirv_module *module,
                      isg_spirv_module **out)
{
    switch (which) {
    case BOUNDED:
        return isg_spirv_pass_bounded(module, desc->entry, out);
    case CHECKED:
        return isg_spirv_pass_checked(module, desc->entry, out);
    case LOOP:
        return isg_spirv_pass_loop(module, desc->entry, out);
    case ORDERING:
        return isg_spirv_pass_ordering(module, out);
    default:
        return isg_spirv_pass_exact(module, desc->entry, &desc->target.floats, out);
    }
}

isg_status isg_spirv_lower(const isg_spirv_module *module, const isg_spirv_lower_desc *desc,
                           isg_spirv_lowered *out)
{
    isg_spirv_module *current = NULL;
    isg_spirv_module *made = NULL;
    isg_status status;

    *out = (isg_spirv_lowered){0};
    status = isg_spirv_pass_phase(module, desc->entry, &out->has_phase_constant, &current);
    for (uint32_t i = 0; status == ISG_OK && i < PASS_COUNT; i++) {
        if (wants(desc, (pass)i)) {
            status = run(desc, (pass)i, current, &made);
            if (status == ISG_OK) {
                take(&current, made);
            }
        }
    }
    if (status != ISG_OK) {
        isg_spirv_free(current);
        *out = (isg_spirv_lowered){0};
        return status;
    }
    out->module = current;
    out->uses_state = isg_spirv_uses_state(current);
    return ISG_OK;
}
