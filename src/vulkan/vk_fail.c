/* Owns the translation of VkResult to isg_status and its message. */
#include "vulkan/vk_fail.h"

typedef struct result_row {
    VkResult result;
    const char *name;
    isg_status status;
    const char *advice;
} result_row;

static const char ask_validation[] =
    "run with VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation to learn what the driver disliked";
static const char use_less_memory[] = "release buffers, images or recordings, or make them smaller";

static const result_row rows[] = {
    {VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY", ISG_ERROR_OUT_OF_MEMORY,
     "free host memory"},
    {VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY", ISG_ERROR_OUT_OF_MEMORY,
     use_less_memory},
    {VK_ERROR_OUT_OF_POOL_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY", ISG_ERROR_OUT_OF_MEMORY,
     use_less_memory},
    {VK_ERROR_FRAGMENTED_POOL, "VK_ERROR_FRAGMENTED_POOL", ISG_ERROR_OUT_OF_MEMORY,
     use_less_memory},
    {VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS", ISG_ERROR_OUT_OF_MEMORY,
     "release objects; the driver allows only so many allocations"},
    {VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED", ISG_ERROR_OUT_OF_MEMORY,
     use_less_memory},
    {VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST", ISG_ERROR_DEVICE_LOST,
     "release the device and open it again; a kernel that runs too long or touches memory it does "
     "not have is the usual cause"},
    {VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED", ISG_ERROR_DRIVER,
     "check that the driver fits the kernel module and that this user may open the device"},
    {VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER", ISG_ERROR_UNAVAILABLE,
     "install a driver, e.g. mesa-vulkan-drivers, or name its manifest in VK_DRIVER_FILES"},
    {VK_ERROR_LAYER_NOT_PRESENT, "VK_ERROR_LAYER_NOT_PRESENT", ISG_ERROR_UNAVAILABLE,
     "correct VK_INSTANCE_LAYERS or name the layer's folder in VK_LAYER_PATH"},
    {VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT", ISG_ERROR_UNSUPPORTED,
     "update the driver"},
    {VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT", ISG_ERROR_UNSUPPORTED,
     "update the driver"},
    {VK_ERROR_FORMAT_NOT_SUPPORTED, "VK_ERROR_FORMAT_NOT_SUPPORTED", ISG_ERROR_UNSUPPORTED,
     "use another format or usage"},
    {VK_ERROR_INVALID_SHADER_NV, "VK_ERROR_INVALID_SHADER_NV", ISG_ERROR_COMPILE_FAILED,
     "validate the module with spirv-val"},
    {VK_ERROR_UNKNOWN, "VK_ERROR_UNKNOWN", ISG_ERROR_DRIVER, ask_validation},
};

static const result_row *find_row(VkResult result)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].result == result) {
            return &rows[i];
        }
    }
    return NULL;
}

const char *isg_vk_result_name(VkResult result)
{
    const result_row *row = find_row(result);
    return row ? row->name : "a VkResult isogrid does not know";
}

isg_status isg_vk_fail(VkResult result, const char *call, const char *noun, const char *label)
{
    const result_row *row = find_row(result);
    if (!row) {
        return isg_fail(ISG_ERROR_DRIVER, "%s for %s '%s' failed with VkResult %d; %s", call, noun,
                        label, (int)result, ask_validation);
    }
    return isg_fail(row->status, "%s for %s '%s' failed with %s; %s", call, noun, label, row->name,
                    row->advice);
}
