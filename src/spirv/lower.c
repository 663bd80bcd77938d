/* isg_spirv_lower(): runs the passes that a kernel needs, in their order. */
#include "spirv/module.h"

/* Replaces *module by what a pass made of it. */
static void take(isg_spirv_module **module, isg_spirv_module *made)
{
    isg_spirv_free(*module);
    *module = made;
}

isg_status isg_spirv_lower(const isg_spirv_module *module, const isg_spirv_lower_desc *desc,
                           isg_spirv_lowered *out)
{
    isg_spirv_module *current = NULL;
    isg_spirv_module *made = NULL;
    isg_status status;

    *out = (isg_spirv_lowered){0};
    status = isg_spirv_pass_phase(module, desc->entry, &out->has_phase_constant, &current);
    if (status == ISG_OK && desc->form == ISG_SPIRV_FORM_LOOPED) {
        status = isg_spirv_pass_loop(current, desc->entry, &made);
        if (status == ISG_OK) {
            take(&current, made);
        }
    }
    if (status == ISG_OK && desc->info->sync_class != ISG_SYNC_PLAIN &&
        (desc->target.features & ISG_FEATURE_MEMORY_MODEL) != 0) {
        status = isg_spirv_pass_ordering(current, &made);
        if (status == ISG_OK) {
            take(&current, made);
        }
    }
    if (status == ISG_OK && (desc->flags & ISG_KERNEL_FAST_MATH) == 0) {
        status = isg_spirv_pass_exact(current, desc->entry, &desc->target.floats, &made);
        if (status == ISG_OK) {
            take(&current, made);
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
