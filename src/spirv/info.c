/* isg_kernel_info_create(): reflection of a module without a device. */
#include "spirv/module.h"

isg_status isg_kernel_info_create(const void *spirv, size_t size, const char *entry,
                                  isg_kernel_info **out)
{
    isg_spirv_module *module = NULL;

    if (out == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_kernel_info_create: `out` is NULL; pass the address of a pointer");
    }
    *out = NULL;
    if (spirv == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_kernel_info_create: `spirv` is NULL; pass the words of a module");
    }
    if (size % 4 != 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_kernel_info_create: %zu bytes of SPIR-V are no multiple of 4; is the "
                        "file complete?",
                        size);
    }
    isg_status status = isg_spirv_parse(NULL, spirv, size, &module);
    if (status == ISG_OK) {
        status = isg_spirv_reflect(module, entry, out);
    }
    isg_spirv_free(module);
    return status;
}
