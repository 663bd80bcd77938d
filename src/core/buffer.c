/* Owns buffers: creating, mapping and ending them. */
#include "core/buffer.h"

#include "core/device.h"
#include "core/handle.h"
#include "core/object.h"
#include "core/queue.h"
#include "core/support.h"

#include <inttypes.h>

static isg_status check_desc(const isg_device *device, const isg_buffer_desc *desc)
{
    const char *label = desc->label != NULL ? desc->label : "buffer";

    if (desc->size == 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "buffer '%s' would have 0 bytes; a buffer has at least 1", label);
    }
    if (desc->memory != ISG_MEMORY_DEVICE && desc->memory != ISG_MEMORY_UPLOAD &&
        desc->memory != ISG_MEMORY_DOWNLOAD) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "buffer '%s' asks for memory %d; use ISG_MEMORY_DEVICE, _UPLOAD or "
                        "_DOWNLOAD",
                        label, (int)desc->memory);
    }
    if (desc->size > device->info.limits.max_buffer_size) {
        return isg_fail(ISG_ERROR_LIMIT_EXCEEDED,
                        "buffer '%s' would have %" PRIu64 " bytes; max_buffer_size of device '%s' "
                        "is %" PRIu64 "; use several buffers",
                        label, desc->size, device->core->label,
                        device->info.limits.max_buffer_size);
    }
    return ISG_OK;
}

isg_status isg_buffer_make(isg_device *device, const isg_buffer_desc *desc, isg_buffer **out)
{
    const isg_host_allocator *allocator = isg_device_allocator(device);
    isg_buffer_desc normalised = *desc;
    isg_status status = check_desc(device, desc);
    char *label = NULL;

    *out = NULL;
    if (status != ISG_OK) {
        return status;
    }
    label = isg_string_copy(allocator, desc->label != NULL ? desc->label : "buffer");
    if (label == NULL) {
        return isg_fail_host_memory("a buffer");
    }
    normalised.label = label;
    status = isg_device_result(device, device->ops->buffer_create(device, &normalised, out));
    if (status != ISG_OK) {
        *out = NULL;
        isg_string_free(allocator, label);
        return status;
    }
    isg_object_init(&(*out)->object, ISG_OBJECT_BUFFER, device);
    (*out)->desc = normalised;
    atomic_fetch_add_explicit(&device->core->allocated, desc->size, memory_order_relaxed);
    return ISG_OK;
}

void isg_buffer_destroy(isg_buffer *buffer)
{
    isg_device *device = buffer->object.device;
    const char *label = buffer->desc.label;

    atomic_fetch_sub_explicit(&device->core->allocated, buffer->desc.size, memory_order_relaxed);
    device->ops->object_destroy(&buffer->object);
    isg_string_free(isg_device_allocator(device), label);
}

isg_status isg_buffer_create(isg_device *device, const isg_buffer_desc *desc, isg_buffer **out)
{
    isg_status status = ISG_OK;

    if (out == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_buffer_create: out is NULL; pass where to put the buffer");
    }
    *out = NULL;
    status = isg_handle_check(device, ISG_OBJECT_DEVICE, "isg_buffer_create: device");
    if (status == ISG_OK && desc == NULL) {
        status = isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                          "isg_buffer_create: desc is NULL; a buffer needs at least a size");
    }
    if (status == ISG_OK) {
        status = isg_device_check(device);
    }
    if (status == ISG_OK) {
        status = isg_buffer_make(device, desc, out);
    }
    /* Buffers that were released may still be held for submissions that have finished. */
    if (status == ISG_ERROR_OUT_OF_MEMORY && isg_queue_reclaim(device->core->queue)) {
        status = isg_buffer_make(device, desc, out);
    }
    if (status != ISG_OK) {
        return status;
    }
    status = isg_object_publish_or_drop(&(*out)->object);
    *out = status == ISG_OK ? *out : NULL;
    return status;
}

uint64_t isg_buffer_size(const isg_buffer *buffer)
{
    return isg_handle_is_live(buffer, ISG_OBJECT_BUFFER) ? buffer->desc.size : 0;
}

isg_status isg_buffer_map(isg_buffer *buffer, void **out)
{
    isg_status status = ISG_OK;

    if (out == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_buffer_map: out is NULL; pass where to put the address");
    }
    *out = NULL;
    status = isg_handle_check(buffer, ISG_OBJECT_BUFFER, "isg_buffer_map: buffer");
    if (status != ISG_OK) {
        return status;
    }
    if (buffer->mapped == NULL) {
        return isg_fail(ISG_ERROR_UNSUPPORTED,
                        "buffer '%s' is in device memory that the host cannot see; create it with "
                        "ISG_MEMORY_UPLOAD or ISG_MEMORY_DOWNLOAD, or use isg_buffer_upload() and "
                        "_download()",
                        buffer->desc.label);
    }
    *out = buffer->mapped;
    return ISG_OK;
}
