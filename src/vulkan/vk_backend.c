/* Owns the life of the Vulkan backend and its table of slots. */
#include "vulkan/vk_instance.h"
#include "vulkan/vk_objects.h"

static void destroy(isg_vk_driver *driver)
{
    const isg_host_allocator *allocator = driver->allocator;
    if (atomic_load(&driver->abandoned)) {
        /* A kernel of an abandoned device may still run, and the messenger points into this
         * struct: everything stays. */
        isg_vk_messages_mute(&driver->messages);
        return;
    }
    isg_vk_instance_destroy(driver);
    isg_vk_messages_close(&driver->messages);
    isg_vk_loader_close(&driver->loader);
    isg_free(allocator, driver->physicals, driver->physical_count * sizeof *driver->physicals);
    isg_free(allocator, driver, sizeof *driver);
}

isg_status isg_vk_backend_create(isg_instance *instance, isg_backend **out)
{
    const isg_host_allocator *allocator = isg_instance_allocator(instance);
    isg_vk_driver *driver = isg_alloc(allocator, sizeof *driver);
    if (!driver) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY,
                        "no host memory for the Vulkan backend (%zu bytes); free some",
                        sizeof *driver);
    }
    driver->base.ops = &isg_vk_backend;
    driver->base.instance = instance;
    driver->allocator = allocator;
    isg_vk_messages_open(&driver->messages, instance);

    isg_status status = isg_vk_loader_open(&driver->loader);
    if (status == ISG_OK) {
        status = isg_vk_instance_create(driver);
    }
    if (status == ISG_OK) {
        status = isg_vk_physicals_query(driver);
    }
    if (status != ISG_OK) {
        destroy(driver);
        return status;
    }
    *out = &driver->base;
    return ISG_OK;
}

void isg_vk_backend_destroy(isg_backend *base)
{
    destroy((isg_vk_driver *)base);
}

const isg_backend_ops isg_vk_backend = {
    .name = "vulkan",
    .backend_create = isg_vk_backend_create,
    .backend_destroy = isg_vk_backend_destroy,
    .enumerate = isg_vk_enumerate,
    .device_create = isg_vk_device_create,
    .device_destroy = isg_vk_device_destroy,
    .device_memory = isg_vk_device_memory,
    .buffer_create = isg_vk_buffer_create,
    .image_create = isg_vk_image_create,
    .sampler_create = isg_vk_sampler_create,
    .kernel_create = isg_vk_kernel_create,
    .variant_create = isg_vk_variant_create,
    .event_create = isg_vk_event_create,
    .event_value = isg_vk_event_value,
    .event_wait = isg_vk_event_wait,
    .queue_create = isg_vk_queue_create,
    .queue_submit = isg_vk_queue_submit,
    .queue_released = isg_vk_queue_released,
    .recording_create = isg_vk_recording_create,
    .recording_begin = isg_vk_recording_begin,
    .record = isg_vk_record,
    .recording_end = isg_vk_recording_end,
    .recording_times = isg_vk_recording_times,
    .object_destroy = isg_vk_object_destroy,
};
