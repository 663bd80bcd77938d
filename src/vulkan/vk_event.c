/* Owns events: timeline semaphores. */
#include "vulkan/vk_fail.h"
#include "vulkan/vk_objects.h"

isg_status isg_vk_timeline_create(isg_vk_device *device, VkSemaphore *out)
{
    VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    VkSemaphoreCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
        .pNext = &type,
    };
    VkResult result = device->vk.vkCreateSemaphore(device->handle, &info, NULL, out);
    if (result != VK_SUCCESS) {
        *out = VK_NULL_HANDLE;
        return isg_vk_fail(result, "vkCreateSemaphore", "device", device->base.info.name);
    }
    return ISG_OK;
}

isg_status isg_vk_event_create(isg_device *base, isg_event **out)
{
    isg_vk_device *device = (isg_vk_device *)base;
    isg_vk_event *event = isg_alloc(device->allocator, sizeof *event);
    if (!event) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no host memory for an event; free some");
    }
    isg_status status = isg_vk_timeline_create(device, &event->handle);
    if (status != ISG_OK) {
        isg_vk_event_destroy(device, event);
        return status;
    }
    atomic_fetch_add(&device->live, 1);
    *out = &event->base;
    return ISG_OK;
}

void isg_vk_event_destroy(isg_vk_device *device, isg_vk_event *event)
{
    isg_vk_graveyard_bury(device, event->handle);
    isg_free(device->allocator, event, sizeof *event);
}

static isg_vk_timeline timeline_of(isg_event *base)
{
    isg_vk_queue *queue = (isg_vk_queue *)base->queue;
    return (isg_vk_timeline){((isg_vk_event *)base)->handle, atomic_load(&base->submitted),
                             queue && queue->markers.enabled ? queue : NULL};
}

isg_status isg_vk_event_value(isg_event *base, uint64_t *out)
{
    return isg_vk_timeline_value((isg_vk_device *)base->object.device, timeline_of(base), out);
}

isg_status isg_vk_event_wait(isg_event *base, uint64_t value, uint64_t timeout_ns)
{
    return isg_vk_timeline_wait((isg_vk_device *)base->object.device, timeline_of(base), value,
                                timeout_ns);
}
