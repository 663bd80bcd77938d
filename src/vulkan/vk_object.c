/* Owns the one slot that ends objects of every kind. */
#include "vulkan/vk_objects.h"

#include <assert.h>

static void destroy(isg_vk_device *device, isg_object *object)
{
    switch (object->kind) {
    case ISG_OBJECT_BUFFER:
        isg_vk_buffer_destroy(device, (isg_vk_buffer *)object);
        return;
    case ISG_OBJECT_IMAGE:
        isg_vk_image_destroy(device, (isg_vk_image *)object);
        return;
    case ISG_OBJECT_SAMPLER:
        isg_vk_sampler_destroy(device, (isg_vk_sampler *)object);
        return;
    case ISG_OBJECT_KERNEL:
        isg_vk_kernel_destroy(device, (isg_vk_kernel *)object);
        return;
    case ISG_OBJECT_VARIANT:
        isg_vk_variant_destroy(device, (isg_vk_variant *)object);
        return;
    case ISG_OBJECT_QUEUE:
        isg_vk_queue_destroy(device, (isg_vk_queue *)object);
        return;
    case ISG_OBJECT_EVENT:
        isg_vk_event_destroy(device, (isg_vk_event *)object);
        return;
    case ISG_OBJECT_RECORDING:
        isg_vk_recording_destroy(device, (isg_vk_recording *)object);
        return;
    case ISG_OBJECT_INSTANCE:
    case ISG_OBJECT_DEVICE:
        break;
    }
    assert(false); /* the Vulkan backend makes no such object */
}

void isg_vk_object_destroy(isg_object *object)
{
    isg_vk_device *device = (isg_vk_device *)object->device;
    destroy(device, object);
    atomic_fetch_sub(&device->live, 1);
}
