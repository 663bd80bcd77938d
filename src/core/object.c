/* Counting objects, as object.h tells, and the retain and release functions of all handles. */
#include "core/object.h"

#include "core/buffer.h"
#include "core/device.h"
#include "core/handle.h"
#include "core/image.h"
#include "core/instance.h"
#include "core/kernel.h"
#include "core/queue.h"
#include "core/recording.h"

#include <assert.h>
#include <stdlib.h>

/* The process is leaving, and drivers may have taken themselves down already. */
static atomic_bool exiting;

static void note_exit(void)
{
    atomic_store(&exiting, true);
}

void isg_object_watch_exit(void)
{
    /* Without room for a handler, late releases are as they would be without us. */
    (void)atexit(note_exit);
}

void isg_object_init(isg_object *object, isg_object_kind kind, isg_device *device)
{
    atomic_init(&object->references, 1);
    object->kind = kind;
    object->device = device;
}

/* The device whose users the object's handle counts among; NULL for an instance. */
static isg_device *object_owner(isg_object *object)
{
    return object->kind == ISG_OBJECT_DEVICE ? (isg_device *)object : object->device;
}

isg_status isg_object_publish(isg_object *object)
{
    isg_device *owner = object_owner(object);
    isg_status status = isg_handle_add(object);

    if (status == ISG_OK && owner != NULL) {
        isg_device_add_user(owner);
    }
    return status;
}

/* A queue's own event has no life of its own. */
static isg_object *object_counted(isg_object *object)
{
    isg_event *event = (isg_event *)object;

    return object->kind == ISG_OBJECT_EVENT && event->queue != NULL ? &event->queue->object
                                                                    : object;
}

void isg_object_hold(isg_object *object)
{
    atomic_fetch_add_explicit(&object_counted(object)->references, 1, memory_order_relaxed);
}

static void object_destroy(isg_object *object)
{
    switch (object->kind) {
    case ISG_OBJECT_INSTANCE:
        isg_instance_destroy((isg_instance *)object);
        break;
    case ISG_OBJECT_BUFFER:
        isg_buffer_destroy((isg_buffer *)object);
        break;
    case ISG_OBJECT_IMAGE:
        isg_image_destroy((isg_image *)object);
        break;
    case ISG_OBJECT_KERNEL:
        isg_kernel_destroy((isg_kernel *)object);
        break;
    case ISG_OBJECT_RECORDING:
        isg_recording_destroy((isg_recording *)object);
        break;
    case ISG_OBJECT_SAMPLER:
    case ISG_OBJECT_EVENT:
        object->device->ops->object_destroy(object);
        break;
    case ISG_OBJECT_DEVICE:
    case ISG_OBJECT_QUEUE:
    case ISG_OBJECT_VARIANT:
        assert(0 && "a device ends with its users, a queue in a sweep, a variant with its kernel");
        break;
    }
}

void isg_object_drop(isg_object *object)
{
    isg_object *counted = NULL;
    isg_device *device = NULL;
    bool is_queue = false;

    if (object == NULL) {
        return;
    }
    counted = object_counted(object);
    device = counted->device;
    is_queue = counted->kind == ISG_OBJECT_QUEUE;
    if (atomic_fetch_sub_explicit(&counted->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    if (is_queue) {
        /* Its own work may still be in flight: the device sweeps it up. Another thread may be
         * doing so already, so the queue is not looked at any more. */
        atomic_store_explicit(&device->core->sweep_wanted, true, memory_order_release);
    } else {
        object_destroy(counted);
    }
}

/* Callers let go of a queue or a device: what they borrowed from it dies too, unless retained. */
static void object_end_borrowing(isg_object *object)
{
    isg_object *child = NULL;

    if (object->kind == ISG_OBJECT_DEVICE) {
        child = &((isg_device *)object)->core->queue->object;
    } else if (object->kind == ISG_OBJECT_QUEUE) {
        child = &((isg_queue *)object)->event->object;
    }
    if (child != NULL && isg_handle_end_borrowing(child)) {
        object_end_borrowing(child);
    }
}

void isg_object_retain_handle(void *handle, isg_object_kind kind)
{
    isg_object *object = handle;

    /* Only a borrowed handle, whose parent is live, can have no owner yet. */
    if (isg_handle_retain(handle, kind) == ISG_HANDLE_FIRST) {
        isg_object_hold(object);
        isg_device_add_user(object->device);
    }
}

void isg_object_release_handle(void *handle, isg_object_kind kind)
{
    isg_object *object = handle;
    isg_device *owner = NULL;
    isg_handle_change change = isg_handle_release(handle, kind);

    if ((change != ISG_HANDLE_LAST && change != ISG_HANDLE_RETURNED) || atomic_load(&exiting)) {
        return;
    }
    owner = object_owner(object);
    if (change == ISG_HANDLE_LAST) {
        object_end_borrowing(object);
    }
    if (kind != ISG_OBJECT_DEVICE) {
        isg_object_drop(object);
    }
    if (owner != NULL) {
        isg_device_sweep(owner);
        isg_device_remove_user(owner);
    }
}

void isg_instance_retain(isg_instance *instance)
{
    isg_object_retain_handle(instance, ISG_OBJECT_INSTANCE);
}

void isg_instance_release(isg_instance *instance)
{
    isg_object_release_handle(instance, ISG_OBJECT_INSTANCE);
}

void isg_device_retain(isg_device *device)
{
    isg_object_retain_handle(device, ISG_OBJECT_DEVICE);
}

void isg_device_release(isg_device *device)
{
    isg_object_release_handle(device, ISG_OBJECT_DEVICE);
}

void isg_buffer_retain(isg_buffer *buffer)
{
    isg_object_retain_handle(buffer, ISG_OBJECT_BUFFER);
}

void isg_buffer_release(isg_buffer *buffer)
{
    isg_object_release_handle(buffer, ISG_OBJECT_BUFFER);
}

void isg_image_retain(isg_image *image)
{
    isg_object_retain_handle(image, ISG_OBJECT_IMAGE);
}

void isg_image_release(isg_image *image)
{
    isg_object_release_handle(image, ISG_OBJECT_IMAGE);
}

void isg_sampler_retain(isg_sampler *sampler)
{
    isg_object_retain_handle(sampler, ISG_OBJECT_SAMPLER);
}

void isg_sampler_release(isg_sampler *sampler)
{
    isg_object_release_handle(sampler, ISG_OBJECT_SAMPLER);
}

void isg_kernel_retain(isg_kernel *kernel)
{
    isg_object_retain_handle(kernel, ISG_OBJECT_KERNEL);
}

void isg_kernel_release(isg_kernel *kernel)
{
    isg_object_release_handle(kernel, ISG_OBJECT_KERNEL);
}

void isg_queue_retain(isg_queue *queue)
{
    isg_object_retain_handle(queue, ISG_OBJECT_QUEUE);
}

void isg_queue_release(isg_queue *queue)
{
    isg_object_release_handle(queue, ISG_OBJECT_QUEUE);
}

void isg_event_retain(isg_event *event)
{
    isg_object_retain_handle(event, ISG_OBJECT_EVENT);
}

void isg_event_release(isg_event *event)
{
    isg_object_release_handle(event, ISG_OBJECT_EVENT);
}

void isg_recording_retain(isg_recording *recording)
{
    isg_object_retain_handle(recording, ISG_OBJECT_RECORDING);
}

void isg_recording_release(isg_recording *recording)
{
    isg_object_release_handle(recording, ISG_OBJECT_RECORDING);
}

isg_status isg_object_publish_or_drop(isg_object *object)
{
    isg_status status = isg_object_publish(object);

    if (status != ISG_OK) {
        isg_object_drop(object);
    }
    return status;
}
