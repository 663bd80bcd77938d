/* Owns the making of a VkDevice of isogrid's own. */
#include "vulkan/vk_device.h"

#include "vulkan/vk_fail.h"

static uint32_t list_extensions(const isg_vk_physical *physical, const char *names[8])
{
    uint32_t count = 0;
    if (physical->extensions.push_descriptor) {
        names[count++] = VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME;
    }
    if (physical->extensions.memory_budget) {
        names[count++] = VK_EXT_MEMORY_BUDGET_EXTENSION_NAME;
    }
    if (physical->extensions.maintenance4 && physical->api < VK_API_VERSION_1_3) {
        names[count++] = VK_KHR_MAINTENANCE_4_EXTENSION_NAME;
    }
    if (physical->extensions.shader_clock) {
        names[count++] = VK_KHR_SHADER_CLOCK_EXTENSION_NAME;
    }
    if (physical->extensions.atomic_float) {
        names[count++] = VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME;
    }
    if (physical->extensions.non_semantic_info) {
        names[count++] = VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME;
    }
    return count;
}

static VkResult create_handle(isg_vk_device *device, uint32_t queue_count)
{
    static const float priorities[ISG_VK_MAX_HARDWARE_QUEUES] = {1.0f, 1.0f, 1.0f, 1.0f};
    const isg_vk_physical *physical = device->physical;
    const char *names[8];
    isg_vk_features features;
    isg_vk_features_choose(&features, physical);
    VkDeviceQueueCreateInfo queue_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = physical->queue_family,
        .queueCount = queue_count,
        .pQueuePriorities = priorities,
    };
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features.core,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue_info,
        .enabledExtensionCount = list_extensions(physical, names),
        .ppEnabledExtensionNames = names,
    };
    return device->driver->vk.CreateDevice(physical->handle, &info, NULL, &device->handle);
}

static void fill_queues(isg_vk_device *device, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        isg_vk_hardware_queue *queue = &device->queues[i];
        queue->family = device->physical->queue_family;
        queue->index = i;
        device->vk.vkGetDeviceQueue(device->handle, queue->family, i, &queue->handle);
    }
    device->queue_count = count;
}

static isg_status create_device(isg_vk_device *device, const char *label)
{
    const isg_vk_physical *physical = device->physical;
    uint32_t queue_count = physical->queue_count < ISG_VK_MAX_HARDWARE_QUEUES
                               ? physical->queue_count
                               : ISG_VK_MAX_HARDWARE_QUEUES;
    VkResult result = create_handle(device, queue_count);
    if (result != VK_SUCCESS) {
        device->handle = VK_NULL_HANDLE;
        return isg_vk_fail(result, "vkCreateDevice", "device", label);
    }
    isg_vk_load_device_table(&device->vk, device->handle, device->driver->vk.GetDeviceProcAddr);
    fill_queues(device, queue_count);
    device->caps.push_descriptors =
        physical->max_push_descriptors > 0 && device->vk.vkCmdPushDescriptorSetKHR != NULL;
    device->caps.device_address = physical->features.v12.bufferDeviceAddress != VK_FALSE;
    device->caps.memory_budget = physical->extensions.memory_budget;
    return isg_vk_device_start(device);
}

isg_status isg_vk_device_create(isg_backend *base, uint32_t driver_index,
                                const isg_device_desc *desc, isg_device **out)
{
    isg_vk_driver *driver = (isg_vk_driver *)base;
    const isg_vk_physical *physical = &driver->physicals[driver_index];
    if (*physical->unusable) {
        return isg_fail(ISG_ERROR_UNSUPPORTED,
                        "device '%s' cannot be used: %s (isogrid needs Vulkan 1.2 with timeline "
                        "semaphores and a compute queue); update its driver or open another device",
                        physical->properties.deviceName, physical->unusable);
    }
    isg_vk_device *device = isg_alloc(driver->allocator, sizeof *device);
    if (!device) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY,
                        "no host memory for device '%s' (%zu bytes); free some",
                        physical->properties.deviceName, sizeof *device);
    }
    device->driver = driver;
    device->physical = physical;
    device->allocator = driver->allocator;
    device->owns_handle = true;
    isg_vk_info_fill(physical, &device->base.info);

    isg_status status = create_device(device, desc->label);
    if (status != ISG_OK) {
        isg_vk_device_destroy(&device->base, false);
        return status;
    }
    *out = &device->base;
    return ISG_OK;
}
