/* libFuzzer: any bytes go through parsing, reflection and every form and pass of the lowering. */
#include "spirv/spirv.h"

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
        .flags = flags,
        .target = {.floats = {.denormals32 = kept ? ISG_DENORMALS_KEPT : ISG_DENORMALS_FLUSHED,
                              .rounding32_nearest_control = kept},
                   .features = UINT32_MAX},
    };

    if (isg_spirv_lower(module, &desc, &lowered) == ISG_OK) {
        isg_spirv_free(lowered.module);
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
    }
    isg_spirv_free(module);
    return 0;
}
