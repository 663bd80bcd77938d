/* Owns what is asked of the driver about a physical device: properties, features, extensions. */
#include "vulkan/vk_instance.h"

#include "vulkan/vk_fail.h"

#include <string.h>

/* Drivers print about structs they do not know, so only known ones are ever chained. */
static void link_struct(void **tail, void *object)
{
    VkBaseOutStructure *last = *tail;
    last->pNext = object;
    *tail = object;
}

void isg_vk_features_link(isg_vk_features *features, const isg_vk_physical *physical)
{
    void *tail = &features->core;
    features->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    features->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    features->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    features->maintenance4.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES;
    features->shader_clock.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR;
    features->atomic_float.sType =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT;
    if (physical->api >= VK_API_VERSION_1_2) {
        link_struct(&tail, &features->v11);
        link_struct(&tail, &features->v12);
    }
    if (physical->api >= VK_API_VERSION_1_3) {
        link_struct(&tail, &features->v13);
    } else if (physical->extensions.maintenance4) {
        link_struct(&tail, &features->maintenance4);
    }
    if (physical->extensions.shader_clock) {
        link_struct(&tail, &features->shader_clock);
    }
    if (physical->extensions.atomic_float) {
        link_struct(&tail, &features->atomic_float);
    }
    ((VkBaseOutStructure *)tail)->pNext = NULL;
}

static void choose_core(VkPhysicalDeviceFeatures *out, const VkPhysicalDeviceFeatures *has,
                        bool robust)
{
    /* A kernel that reads past its buffers takes a CPU driver's host process with it. */
    out->robustBufferAccess = robust && has->robustBufferAccess;
    out->shaderInt16 = has->shaderInt16;
    out->shaderInt64 = has->shaderInt64;
    out->shaderFloat64 = has->shaderFloat64;
    out->shaderStorageImageExtendedFormats = has->shaderStorageImageExtendedFormats;
    out->shaderStorageImageReadWithoutFormat = has->shaderStorageImageReadWithoutFormat;
    out->shaderStorageImageWriteWithoutFormat = has->shaderStorageImageWriteWithoutFormat;
    out->shaderUniformBufferArrayDynamicIndexing = has->shaderUniformBufferArrayDynamicIndexing;
    out->shaderSampledImageArrayDynamicIndexing = has->shaderSampledImageArrayDynamicIndexing;
    out->shaderStorageBufferArrayDynamicIndexing = has->shaderStorageBufferArrayDynamicIndexing;
    out->shaderStorageImageArrayDynamicIndexing = has->shaderStorageImageArrayDynamicIndexing;
}

static void choose_v12(VkPhysicalDeviceVulkan12Features *out,
                       const VkPhysicalDeviceVulkan12Features *has)
{
    out->timelineSemaphore = has->timelineSemaphore;
    out->hostQueryReset = has->hostQueryReset;
    out->storageBuffer8BitAccess = has->storageBuffer8BitAccess;
    out->uniformAndStorageBuffer8BitAccess = has->uniformAndStorageBuffer8BitAccess;
    out->storagePushConstant8 = has->storagePushConstant8;
    out->shaderBufferInt64Atomics = has->shaderBufferInt64Atomics;
    out->shaderSharedInt64Atomics = has->shaderSharedInt64Atomics;
    out->shaderFloat16 = has->shaderFloat16;
    out->shaderInt8 = has->shaderInt8;
    out->shaderUniformBufferArrayNonUniformIndexing =
        has->shaderUniformBufferArrayNonUniformIndexing;
    out->shaderSampledImageArrayNonUniformIndexing = has->shaderSampledImageArrayNonUniformIndexing;
    out->shaderStorageBufferArrayNonUniformIndexing =
        has->shaderStorageBufferArrayNonUniformIndexing;
    out->shaderStorageImageArrayNonUniformIndexing = has->shaderStorageImageArrayNonUniformIndexing;
    out->scalarBlockLayout = has->scalarBlockLayout;
    out->uniformBufferStandardLayout = has->uniformBufferStandardLayout;
    out->shaderSubgroupExtendedTypes = has->shaderSubgroupExtendedTypes;
    out->subgroupBroadcastDynamicId = has->subgroupBroadcastDynamicId;
    out->bufferDeviceAddress = has->bufferDeviceAddress;
    out->vulkanMemoryModel = has->vulkanMemoryModel;
    out->vulkanMemoryModelDeviceScope = has->vulkanMemoryModelDeviceScope;
    out->vulkanMemoryModelAvailabilityVisibilityChains =
        has->vulkanMemoryModelAvailabilityVisibilityChains;
}

static void choose_v13(VkPhysicalDeviceVulkan13Features *out,
                       const VkPhysicalDeviceVulkan13Features *has)
{
    out->maintenance4 = has->maintenance4;
    out->synchronization2 = has->synchronization2;
    out->shaderZeroInitializeWorkgroupMemory = has->shaderZeroInitializeWorkgroupMemory;
    out->shaderIntegerDotProduct = has->shaderIntegerDotProduct;
}

void isg_vk_features_choose(isg_vk_features *out, const isg_vk_physical *physical)
{
    const isg_vk_features *has = &physical->features;
    bool robust = physical->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    *out = (isg_vk_features){0};
    choose_core(&out->core.features, &has->core.features, robust);
    out->v11.storageBuffer16BitAccess = has->v11.storageBuffer16BitAccess;
    out->v11.uniformAndStorageBuffer16BitAccess = has->v11.uniformAndStorageBuffer16BitAccess;
    out->v11.storagePushConstant16 = has->v11.storagePushConstant16;
    out->v11.variablePointersStorageBuffer = has->v11.variablePointersStorageBuffer;
    out->v11.variablePointers = has->v11.variablePointers;
    choose_v12(&out->v12, &has->v12);
    choose_v13(&out->v13, &has->v13);
    out->maintenance4.maintenance4 = has->maintenance4.maintenance4;
    out->shader_clock.shaderDeviceClock = has->shader_clock.shaderDeviceClock;
    out->shader_clock.shaderSubgroupClock = has->shader_clock.shaderSubgroupClock;
    out->atomic_float.shaderBufferFloat32Atomics = has->atomic_float.shaderBufferFloat32Atomics;
    out->atomic_float.shaderBufferFloat32AtomicAdd = has->atomic_float.shaderBufferFloat32AtomicAdd;
    out->atomic_float.shaderSharedFloat32Atomics = has->atomic_float.shaderSharedFloat32Atomics;
    out->atomic_float.shaderSharedFloat32AtomicAdd = has->atomic_float.shaderSharedFloat32AtomicAdd;
    isg_vk_features_link(out, physical);
}

static isg_status query_extensions(isg_vk_driver *driver, isg_vk_physical *physical)
{
    struct known {
        const char *name;
        bool *found;
    } known[] = {
        {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME, &physical->extensions.push_descriptor},
        {VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, &physical->extensions.memory_budget},
        {VK_KHR_MAINTENANCE_4_EXTENSION_NAME, &physical->extensions.maintenance4},
        {VK_KHR_SHADER_CLOCK_EXTENSION_NAME, &physical->extensions.shader_clock},
        {VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, &physical->extensions.atomic_float},
        {VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME, &physical->extensions.non_semantic_info},
    };
    uint32_t count = 0;
    VkResult result =
        driver->vk.EnumerateDeviceExtensionProperties(physical->handle, NULL, &count, NULL);
    if (result != VK_SUCCESS || count == 0) {
        return ISG_OK;
    }
    size_t size = count * sizeof(VkExtensionProperties);
    VkExtensionProperties *extensions = isg_alloc(driver->allocator, size);
    if (!extensions) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY,
                        "no host memory for the extension list of '%s' (%zu bytes); free some",
                        physical->properties.deviceName, size);
    }
    result =
        driver->vk.EnumerateDeviceExtensionProperties(physical->handle, NULL, &count, extensions);
    for (uint32_t i = 0; result >= 0 && i < count; i++) {
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
            if (strcmp(extensions[i].extensionName, known[k].name) == 0) {
                *known[k].found = true;
            }
        }
    }
    isg_free(driver->allocator, extensions, size);
    return ISG_OK;
}

static void query_properties(isg_vk_driver *driver, isg_vk_physical *physical)
{
    VkPhysicalDeviceProperties2 properties = {.sType =
                                                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    VkPhysicalDeviceMaintenance4Properties maintenance4 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES};
    VkPhysicalDeviceMaintenance3Properties maintenance3 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
    VkPhysicalDevicePushDescriptorPropertiesKHR push = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR};
    bool has_maintenance4 =
        physical->api >= VK_API_VERSION_1_3 || physical->extensions.maintenance4;
    void *tail = &properties;

    physical->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    physical->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
    link_struct(&tail, &physical->v11);
    link_struct(&tail, &physical->v12);
    link_struct(&tail, &maintenance3);
    if (has_maintenance4) {
        link_struct(&tail, &maintenance4);
    }
    if (physical->extensions.push_descriptor) {
        link_struct(&tail, &push);
    }
    driver->vk.GetPhysicalDeviceProperties2(physical->handle, &properties);
    physical->max_push_descriptors = push.maxPushDescriptors;
    physical->max_buffer_size = maintenance3.maxMemoryAllocationSize;
    if (has_maintenance4 && maintenance4.maxBufferSize < physical->max_buffer_size) {
        physical->max_buffer_size = maintenance4.maxBufferSize;
    }

    isg_vk_features_link(&physical->features, physical);
    driver->vk.GetPhysicalDeviceFeatures2(physical->handle, &physical->features.core);
}

static void query_queues(isg_vk_driver *driver, isg_vk_physical *physical)
{
    VkQueueFamilyProperties families[32];
    uint32_t count = 0;
    /* The count first: a driver was seen to fill as many as it is given room for. */
    driver->vk.GetPhysicalDeviceQueueFamilyProperties(physical->handle, &count, NULL);
    count = count < 32 ? count : 32;
    driver->vk.GetPhysicalDeviceQueueFamilyProperties(physical->handle, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        bool compute = families[i].queueFlags & VK_QUEUE_COMPUTE_BIT;
        bool graphics = families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT;
        /* A family without graphics runs beside a renderer's, and starts work sooner (docs/results,
         * peer_wait on an H200: an empty dispatch takes 11.9 us there, 12.5 on the other). */
        if (compute && families[i].queueCount > 0 && (physical->queue_count == 0 || !graphics)) {
            physical->queue_family = i;
            physical->queue_count = families[i].queueCount;
            physical->timestamp_bits = families[i].timestampValidBits;
            if (!graphics) {
                return;
            }
        }
    }
}

static const char *find_obstacle(const isg_vk_physical *physical)
{
    if (physical->api < VK_API_VERSION_1_2) {
        return "it speaks a Vulkan older than 1.2";
    }
    if (!physical->features.v12.timelineSemaphore) {
        return "it lacks the feature timelineSemaphore";
    }
    if (physical->queue_count == 0) {
        return "it has no queue family with compute";
    }
    if (physical->properties.limits.maxBoundDescriptorSets < 4) {
        return "its limit maxBoundDescriptorSets is below 4";
    }
    return "";
}

static isg_status query(isg_vk_driver *driver, isg_vk_physical *physical)
{
    driver->vk.GetPhysicalDeviceProperties(physical->handle, &physical->properties);
    driver->vk.GetPhysicalDeviceMemoryProperties(physical->handle, &physical->memory);
    physical->api = physical->properties.apiVersion < driver->api ? physical->properties.apiVersion
                                                                  : driver->api;
    physical->max_buffer_size = physical->properties.limits.maxStorageBufferRange;
    if (physical->api >= VK_API_VERSION_1_2) {
        isg_status status = query_extensions(driver, physical);
        if (status != ISG_OK) {
            return status;
        }
        query_properties(driver, physical);
    }
    query_queues(driver, physical);
    physical->unusable = find_obstacle(physical);
    return ISG_OK;
}

isg_status isg_vk_physicals_query(isg_vk_driver *driver)
{
    VkPhysicalDevice handles[64];
    uint32_t count = sizeof handles / sizeof handles[0];
    VkResult result = driver->vk.EnumeratePhysicalDevices(driver->instance, &count, handles);
    if (result < 0 || count == 0) {
        return isg_fail(ISG_ERROR_UNAVAILABLE,
                        "the Vulkan drivers have no device (vkEnumeratePhysicalDevices: %s, %u "
                        "devices); check that this user may open the GPU, or install a CPU driver, "
                        "e.g. mesa-vulkan-drivers",
                        result < 0 ? isg_vk_result_name(result) : "VK_SUCCESS",
                        result < 0 ? 0 : count);
    }
    driver->physicals = isg_alloc(driver->allocator, count * sizeof *driver->physicals);
    if (!driver->physicals) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY,
                        "no host memory for the list of %u Vulkan devices; free some", count);
    }
    driver->physical_count = count;
    for (uint32_t i = 0; i < count; i++) {
        driver->physicals[i].handle = handles[i];
        isg_status status = query(driver, &driver->physicals[i]);
        if (status != ISG_OK) {
            return status;
        }
    }
    return ISG_OK;
}
