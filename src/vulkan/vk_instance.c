/* Owns the VkInstance: no window-system extension, layers only as the environment asks. */
#include "vulkan/vk_instance.h"

#include "vulkan/vk_fail.h"

#include <string.h>

static const char validation_layer[] = "VK_LAYER_KHRONOS_validation";

typedef struct instance_plan {
    bool debug_utils;
    bool shader_printf;
} instance_plan;

static bool has_debug_utils(const isg_vk_loader *loader)
{
    PFN_vkEnumerateInstanceExtensionProperties enumerate =
        (PFN_vkEnumerateInstanceExtensionProperties)loader->get_proc_addr(
            NULL, "vkEnumerateInstanceExtensionProperties");
    VkExtensionProperties extensions[128];
    uint32_t count = sizeof extensions / sizeof extensions[0];
    if (!enumerate || enumerate(NULL, &count, extensions) < 0) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(extensions[i].extensionName, VK_EXT_DEBUG_UTILS_EXTENSION_NAME) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_validation_layer(const isg_vk_loader *loader)
{
    PFN_vkEnumerateInstanceLayerProperties enumerate =
        (PFN_vkEnumerateInstanceLayerProperties)loader->get_proc_addr(
            NULL, "vkEnumerateInstanceLayerProperties");
    VkLayerProperties layers[64];
    uint32_t count = sizeof layers / sizeof layers[0];
    if (!enumerate || enumerate(&count, layers) < 0) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(layers[i].layerName, validation_layer) == 0) {
            return true;
        }
    }
    return false;
}

static VkResult create(isg_vk_driver *driver, instance_plan plan)
{
    static const char *const extension_names[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                                  VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
    static const VkValidationFeatureEnableEXT printf_feature =
        VK_VALIDATION_FEATURE_ENABLE_DEBUG_PRINTF_EXT;
    const char *layer_name = validation_layer;
    PFN_vkCreateInstance create_instance =
        (PFN_vkCreateInstance)driver->loader.get_proc_addr(NULL, "vkCreateInstance");
    if (!create_instance) {
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pEngineName = "isogrid",
        .engineVersion =
            VK_MAKE_API_VERSION(0, ISG_VERSION_MAJOR, ISG_VERSION_MINOR, ISG_VERSION_PATCH),
        .apiVersion = driver->loader.api,
    };
    VkDebugUtilsMessengerCreateInfoEXT messenger = isg_vk_messages_info(&driver->messages);
    VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .enabledValidationFeatureCount = 1,
        .pEnabledValidationFeatures = &printf_feature,
        .pNext = &messenger,
    };
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &application,
        .ppEnabledExtensionNames = extension_names,
    };
    if (plan.debug_utils) {
        info.pNext = &messenger; /* hears what happens inside vkCreateInstance */
        info.enabledExtensionCount = 1;
    }
    if (plan.shader_printf) {
        info.pNext = &features;
        info.enabledExtensionCount = 2;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &layer_name;
    }
    return create_instance(&info, NULL, &driver->instance);
}

static isg_status creation_failed(isg_vk_driver *driver, VkResult result, instance_plan plan)
{
    if (!plan.debug_utils) {
        /* Once more, listening: only the loader knows which manifest it could not read. Asked
         * whether it has the extension for that, it may fail for the same reason. */
        plan.debug_utils = true;
        VkResult again = create(driver, plan);
        if (again == VK_SUCCESS) {
            return ISG_OK;
        }
    }
    const char *said = driver->messages.loader_error;
    const char *call = *said ? "; the loader says: " : "";
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
        return isg_fail(ISG_ERROR_UNAVAILABLE,
                        "the Vulkan loader '%s' found no usable driver (vkCreateInstance: %s%s%s); "
                        "install one, e.g. mesa-vulkan-drivers, or name its manifest in "
                        "VK_DRIVER_FILES",
                        driver->loader.file, isg_vk_result_name(result), call, said);
    }
    return isg_fail(ISG_ERROR_UNAVAILABLE,
                    "the Vulkan loader '%s' made no instance (vkCreateInstance: %s%s%s); check "
                    "VK_INSTANCE_LAYERS, VK_LAYER_PATH and VK_DRIVER_FILES, or install a driver, "
                    "e.g. mesa-vulkan-drivers",
                    driver->loader.file, isg_vk_result_name(result), call, said);
}

static isg_status load_entries(isg_vk_driver *driver)
{
    PFN_vkGetInstanceProcAddr get = driver->loader.get_proc_addr;
    const char *missing = NULL;
#define ISG_VK_LOAD(entry)                                                                         \
    driver->vk.entry = (PFN_vk##entry)get(driver->instance, "vk" #entry);                          \
    missing = driver->vk.entry ? missing : "vk" #entry;
    ISG_VK_INSTANCE_ENTRIES(ISG_VK_LOAD)
    if (driver->debug_utils) {
        ISG_VK_DEBUG_ENTRIES(ISG_VK_LOAD)
    }
#undef ISG_VK_LOAD
    if (missing) {
        return isg_fail(ISG_ERROR_UNAVAILABLE,
                        "the Vulkan loader '%s' has no %s; install a newer libvulkan1",
                        driver->loader.file, missing);
    }
    return ISG_OK;
}

isg_status isg_vk_instance_create(isg_vk_driver *driver)
{
    instance_plan plan = {0};
    bool wants_printf = isg_instance_wants_printf(driver->base.instance);
    plan.debug_utils =
        isg_vk_messages_wanted(&driver->messages) && has_debug_utils(&driver->loader);
    plan.shader_printf = wants_printf && plan.debug_utils && has_validation_layer(&driver->loader);
    if (wants_printf && !plan.shader_printf) {
        isg_instance_log(driver->base.instance, ISG_LOG_WARNING,
                         "shader printf needs VK_LAYER_KHRONOS_validation, which was not found; "
                         "install vulkan-validationlayers or set VK_LAYER_PATH");
    }
    VkResult result = create(driver, plan);
    if (result != VK_SUCCESS) {
        isg_status status = creation_failed(driver, result, plan);
        if (status != ISG_OK) {
            return status;
        }
        plan.debug_utils = true;
    }
    driver->api = driver->loader.api;
    driver->debug_utils = plan.debug_utils;
    isg_status status = load_entries(driver);
    if (status == ISG_OK && driver->debug_utils) {
        VkDebugUtilsMessengerCreateInfoEXT info = isg_vk_messages_info(&driver->messages);
        result = driver->vk.CreateDebugUtilsMessengerEXT(driver->instance, &info, NULL,
                                                         &driver->messenger);
        if (result != VK_SUCCESS) {
            status = isg_vk_fail(result, "vkCreateDebugUtilsMessengerEXT", "backend", "vulkan");
        }
    }
    return status;
}

void isg_vk_instance_destroy(isg_vk_driver *driver)
{
    if (driver->messenger) {
        driver->vk.DestroyDebugUtilsMessengerEXT(driver->instance, driver->messenger, NULL);
    }
    if (driver->instance && driver->vk.DestroyInstance) {
        driver->vk.DestroyInstance(driver->instance, NULL);
    }
    driver->instance = VK_NULL_HANDLE;
}
