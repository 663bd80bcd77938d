/* libFuzzer: any bytes go through parsing, reflection and every form and pass of the lowering. */
#include "spirv/module.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void lower(const isg_spirv_module *module, const isg_kernel_info *info, isg_spirv_form form,
                  uint32_t flags)
{
    bool kept = (flags & ISG_KERNEL_BOUNDED) != 0;
    isg_spirv_lowered lowered;
    isg_spirv_lower_desc desc = {
        .info = info,
        .form = form,
        .waits = form != ISG_SPIRV_FORM_PLAIN,
        .flags = flags,
        .target = {.floats = {.denormals32 = kept ? ISG_DENORMALS_KEPT : ISG_DENORMALS_FLUSHED,
                              .rounding32_nearest_control = kept},
                   .features = UINT32_MAX},
    };

    if (isg_spirv_lower(module, &desc, &lowered) == ISG_OK) {
        isg_spirv_free(lowered.module);
    }
}

static void freeze_and_inline(const isg_spirv_module *module)
{
    static const isg_spirv_frozen values[] = {{1, 8}, {3, 5}};
    isg_spirv_module *made = NULL;

    if (isg_spirv_pass_freeze(module, values, 2, &made) == ISG_OK) {
        isg_spirv_free(made);
    }
    if (isg_spirv_pass_inline(module, &made) == ISG_OK) {
        isg_spirv_free(made);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    isg_spirv_module *module = NULL;
    isg_kernel_info *info = NULL;

    if (isg_spirv_parse(NULL, data, size, &module) != ISG_OK) {
        return 0;
    }
    if (isg_spirv_reflect(module, NULL, &info) == ISG_OK) {
        lower(module, info, ISG_SPIRV_FORM_PLAIN, ISG_KERNEL_FAST_MATH);
        lower(module, info, ISG_SPIRV_FORM_LOOPED, 0);
        lower(module, info, ISG_SPIRV_FORM_NATIVE, ISG_KERNEL_BOUNDED | ISG_KERNEL_CHECKED);
        isg_kernel_info_release(info);
        freeze_and_inline(module);
    }
    isg_spirv_free(module);
    return 0;
}
