/* Owns what an opened device holds besides its objects, until it is closed. */
#include "vulkan/vk_device.h"

#include "vulkan/vk_fail.h"
#include "vulkan/vk_objects.h"

#include <assert.h>
#include <string.h>

#define PATTERN_REPEAT 4
#define PATTERN_SIZE (256 * PATTERN_REPEAT)

void isg_vk_name(isg_vk_device *device, VkObjectType type, uint64_t handle, const char *label)
{
    if (device->driver->debug_utils && handle != 0) {
        VkDebugUtilsObjectNameInfoEXT info = {
            .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
            .objectType = type,
            .objectHandle = handle,
            .pObjectName = label,
        };
        (void)device->driver->vk.SetDebugUtilsObjectNameEXT(device->handle, &info);
    }
}

VkResult isg_vk_device_note(isg_vk_device *device, VkResult result)
{
    if (result == VK_ERROR_DEVICE_LOST) {
        atomic_store(&device->lost, true);
    }
    return result;
}

void isg_vk_hardware_queue_lock(isg_vk_device *device, isg_vk_hardware_queue *queue)
{
    const isg_queue_lock *application = &device->base.desc.queue_lock;
    if (application->lock) {
        application->lock(application->user, queue->family, queue->index);
    } else {
        pthread_mutex_lock(&queue->mutex);
    }
}

void isg_vk_hardware_queue_unlock(isg_vk_device *device, isg_vk_hardware_queue *queue)
{
    const isg_queue_lock *application = &device->base.desc.queue_lock;
    if (application->lock) {
        application->unlock(application->user, queue->family, queue->index);
    } else {
        pthread_mutex_unlock(&queue->mutex);
    }
}

static isg_status create_layouts(isg_vk_device *device)
{
    VkDescriptorSetLayoutBinding binding = {
        .binding = ISG_STATE_BINDING,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
        .descriptorCount = 1,
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
    };
    VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    VkResult result =
        device->vk.vkCreateDescriptorSetLayout(device->handle, &info, NULL, &device->empty_layout);
    if (result == VK_SUCCESS) {
        info.bindingCount = 1;
        info.pBindings = &binding;
        result = device->vk.vkCreateDescriptorSetLayout(device->handle, &info, NULL,
                                                        &device->state_layout);
    }
    return result == VK_SUCCESS ? ISG_OK
                                : isg_vk_fail(result, "vkCreateDescriptorSetLayout", "device",
                                              device->physical->properties.deviceName);
}

static isg_status create_pattern(isg_vk_device *device)
{
    const char *label = "fill pattern";
    isg_vk_buffer_request request = {
        .size = PATTERN_SIZE, .memory = ISG_MEMORY_UPLOAD, .label = label};
    isg_status status =
        isg_vk_buffer_make(device, &request, &device->pattern, &device->pattern_memory);
    if (status == ISG_OK) {
        unsigned char *bytes = device->pattern_memory.mapped;
        for (int value = 0; value < 256; value++) {
            memset(bytes + value * PATTERN_REPEAT, value, PATTERN_REPEAT);
        }
    }
    return status;
}

isg_status isg_vk_device_start(isg_vk_device *device)
{
    device->caps.max_timeline_step = device->physical->v12.maxTimelineSemaphoreValueDifference;
    isg_vk_memory_init(&device->memory);
    isg_vk_wait_choose(device);
    for (uint32_t i = 0; i < device->queue_count; i++) {
        pthread_mutex_init(&device->queues[i].mutex, NULL);
    }
    pthread_mutex_init(&device->setup.mutex, NULL);
    isg_vk_graveyard_open(device);
    isg_vk_cache_open(device);
    isg_status status = isg_vk_setup_open(device);
    if (status == ISG_OK) {
        status = create_layouts(device);
    }
    if (status == ISG_OK) {
        status = create_pattern(device);
    }
    return status;
}

void isg_vk_device_stop(isg_vk_device *device)
{
    if (device->owns_handle) {
        /* Nothing is in flight, but the driver's threads may still be cleaning up behind it. */
        device->vk.vkDeviceWaitIdle(device->handle);
    }
    isg_vk_graveyard_close(device);
    device->vk.vkDestroyBuffer(device->handle, device->pattern, NULL);
    isg_vk_memory_free(device, &device->pattern_memory);
    device->vk.vkDestroyDescriptorSetLayout(device->handle, device->state_layout, NULL);
    device->vk.vkDestroyDescriptorSetLayout(device->handle, device->empty_layout, NULL);
    isg_vk_setup_close(device);
    isg_vk_cache_close(device);
    pthread_mutex_destroy(&device->setup.mutex);
    for (uint32_t i = 0; i < device->queue_count; i++) {
        pthread_mutex_destroy(&device->queues[i].mutex);
    }
    isg_vk_memory_finish(device);
}

void isg_vk_device_destroy(isg_device *base, bool abandon)
{
    isg_vk_device *device = (isg_vk_device *)base;
    uint32_t live = atomic_load(&device->live);
    if (abandon && (live > 0 || !atomic_load(&device->lost))) {
        /* Closing would wait for the kernel that never ends, or free memory under it. A lost device
         * runs nothing any more. */
        atomic_store(&device->driver->abandoned, true);
        return;
    }
    assert(live == 0);
    if (device->handle) {
        isg_vk_device_stop(device);
        if (device->owns_handle) {
            device->vk.vkDestroyDevice(device->handle, NULL);
        }
    }
    isg_free(device->allocator, device, sizeof *device);
}

isg_status isg_vk_device_memory(isg_device *base, isg_memory_info *out)
{
    isg_vk_device *device = (isg_vk_device *)base;
    const isg_vk_physical *physical = device->physical;
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 memory = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &budget};
    out->size = device->base.info.memory_size;
    out->budget = 0;
    out->usage = 0;
    if (device->caps.memory_budget) {
        device->driver->vk.GetPhysicalDeviceMemoryProperties2(physical->handle, &memory);
        for (uint32_t i = 0; i < physical->memory.memoryHeapCount; i++) {
            if (physical->memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) {
                out->budget += budget.heapBudget[i];
                out->usage += budget.heapUsage[i];
            }
        }
    }
    return ISG_OK;
}
