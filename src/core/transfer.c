/* Host bytes to and from buffers and images, through mapped memory or pooled staging. */
#include "core/transfer.h"
#include "core/buffer.h"
#include "core/device.h"
#include "core/handle.h"
#include "core/image.h"
#include "core/object.h"
#include "core/queue.h"
#include "core/support.h"

#include <inttypes.h>
#include <string.h>

/* Larger transfers go in tiles of this size, two in turn. */
#define TILE_SIZE (UINT64_C(16) << 20)
/* Reading device memory over a bus word by word is only worth it for a few words. */
#define SMALL_READ 64u

bool isg_buffer_reads_fast(const isg_buffer *buffer)
{
    const isg_device_type type = buffer->object.device->info.type;

    return buffer->mapped != NULL &&
           (buffer->desc.memory == ISG_MEMORY_DOWNLOAD || type == ISG_DEVICE_TYPE_CPU);
}

/* All work of the device's own queue so far has run. */
static isg_status drain(isg_device *device, uint64_t *out_value)
{
    isg_queue *queue = device->core->queue;

    *out_value = isg_event_submitted(queue->event);
    return isg_queue_wait_value(queue, *out_value, ISG_WAIT_FOREVER);
}

static void *bytes_at(void *base, uint64_t offset)
{
    return (unsigned char *)base + offset;
}

static const void *const_bytes_at(const void *base, uint64_t offset)
{
    return (const unsigned char *)base + offset;
}

/* ---- staging --------------------------------------------------------------------------------- */

/* Two staging buffers in turn: the host works on one while the device works on the other. */
typedef struct staging_pair {
    isg_device *device;
    isg_buffer *buffers[2];
    uint64_t values[2]; /* of the submission that uses it; 0: none */
} staging_pair;

static isg_status staging_open(staging_pair *out, isg_device *device, isg_memory memory,
                               uint64_t size)
{
    const uint64_t tile = size < TILE_SIZE ? size : TILE_SIZE;
    isg_status status = isg_pool_take(device, memory, tile, &out->buffers[0]);

    out->device = device;
    if (status == ISG_OK && size > tile) {
        status = isg_pool_take(device, memory, tile, &out->buffers[1]);
    }
    return status;
}

/* A buffer that may still be in use is let go of, not used again. */
static void staging_close(staging_pair *staging)
{
    const uint64_t retired = atomic_load(&staging->device->core->queue->core->retired);

    for (uint32_t i = 0; i < 2; i++) {
        if (staging->values[i] <= retired) {
            isg_pool_give(staging->device, staging->buffers[i]);
        } else {
            isg_object_drop(&staging->buffers[i]->object);
        }
    }
}

static isg_status staging_wait(const staging_pair *staging, uint32_t slot)
{
    return isg_queue_wait_value(staging->device->core->queue, staging->values[slot],
                                ISG_WAIT_FOREVER);
}

static isg_status submit_command(isg_device *device, const isg_command *command, isg_object *a,
                                 isg_object *b, uint64_t *out_value)
{
    isg_queue *queue = device->core->queue;
    isg_recording *recording = NULL;
    isg_status status = isg_queue_take_recording(queue, false, false, &recording);

    if (status != ISG_OK) {
        return status;
    }
    status = isg_record_hold(recording->core, a);
    if (status == ISG_OK) {
        status = isg_record_hold(recording->core, b);
    }
    if (status == ISG_OK) {
        status = isg_record_command(recording->core, command);
    }
    return isg_queue_submit_recording(queue, recording, status, out_value);
}

static isg_status submit_copy(isg_buffer *destination, uint64_t destination_offset,
                              isg_buffer *source, uint64_t source_offset, uint64_t size,
                              uint64_t *out_value)
{
    return submit_command(
        destination->object.device,
        &(isg_command){.kind = ISG_COMMAND_COPY,
                       .as.copy = {destination, source, destination_offset, source_offset, size}},
        &destination->object, &source->object, out_value);
}

/* ---- uploads --------------------------------------------------------------------------------- */

static isg_status upload_staged(isg_buffer *buffer, uint64_t offset, const void *data,
                                uint64_t size)
{
    staging_pair staging = {0};
    isg_status status = staging_open(&staging, buffer->object.device, ISG_MEMORY_UPLOAD, size);
    uint32_t slot = 0;

    for (uint64_t done = 0; done < size && status == ISG_OK; slot ^= 1) {
        uint64_t part = size - done < TILE_SIZE ? size - done : TILE_SIZE;

        status = staging_wait(&staging, slot);
        if (status == ISG_OK) {
            memcpy(staging.buffers[slot]->mapped, const_bytes_at(data, done), part);
            status = submit_copy(buffer, offset + done, staging.buffers[slot], 0, part,
                                 &staging.values[slot]);
        }
        done += part;
    }
    for (uint32_t i = 0; i < 2 && status == ISG_OK; i++) {
        status = staging_wait(&staging, i);
    }
    staging_close(&staging);
    return status;
}

static isg_status check_transfer(isg_buffer *buffer, uint64_t offset, const void *data,
                                 uint64_t size, const char *what)
{
    char argument[64] = "";
    isg_status status = ISG_OK;

    memcpy(argument, what, strlen(what) + 1);
    memcpy(argument + strlen(what), ": buffer", 9);
    status = isg_handle_check(buffer, ISG_OBJECT_BUFFER, argument);
    if (status != ISG_OK) {
        return status;
    }
    if (!isg_range_inside(offset, size, buffer->desc.size)) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: %" PRIu64 " bytes at %" PRIu64 " run past buffer '%s' of %" PRIu64
                        " bytes; shrink the range or create a larger buffer",
                        what, size, offset, buffer->desc.label, buffer->desc.size);
    }
    if (data == NULL && size != 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: data is NULL but size is %" PRIu64 "; pass the host's bytes", what,
                        size);
    }
    return isg_device_check(buffer->object.device);
}

isg_status isg_buffer_upload(isg_buffer *buffer, uint64_t offset, const void *data, uint64_t size)
{
    isg_status status = check_transfer(buffer, offset, data, size, "isg_buffer_upload");
    uint64_t value = 0;

    if (status != ISG_OK || size == 0) {
        return status;
    }
    if (buffer->mapped == NULL) {
        return upload_staged(buffer, offset, data, size);
    }
    status = drain(buffer->object.device, &value);
    if (status == ISG_OK) {
        memcpy(bytes_at(buffer->mapped, offset), data, size);
    }
    return status;
}

/* ---- downloads ------------------------------------------------------------------------------- */

/* One tile on its way to the host. */
typedef struct transfer_tile {
    uint64_t at;
    uint64_t size;
} transfer_tile;

static isg_status fetch(const staging_pair *staging, uint32_t slot, const transfer_tile *tile,
                        void *data)
{
    isg_status status = staging_wait(staging, slot);

    if (status == ISG_OK && tile->size != 0) {
        memcpy(bytes_at(data, tile->at), staging->buffers[slot]->mapped, tile->size);
    }
    return status;
}

static isg_status download_staged(isg_buffer *buffer, uint64_t offset, void *data, uint64_t size)
{
    staging_pair staging = {0};
    transfer_tile tiles[2] = {{0}};
    isg_status status = staging_open(&staging, buffer->object.device, ISG_MEMORY_DOWNLOAD, size);
    uint32_t slot = 0;

    for (uint64_t done = 0; done < size && status == ISG_OK; slot ^= 1) {
        uint64_t part = size - done < TILE_SIZE ? size - done : TILE_SIZE;

        status = fetch(&staging, slot, &tiles[slot], data);
        if (status == ISG_OK) {
            tiles[slot] = (transfer_tile){done, part};
            status = submit_copy(staging.buffers[slot], 0, buffer, offset + done, part,
                                 &staging.values[slot]);
        }
        done += part;
    }
    for (uint32_t i = 0; i < 2 && status == ISG_OK; i++) {
        status = fetch(&staging, slot, &tiles[slot], data);
        slot ^= 1;
    }
    staging_close(&staging);
    return status;
}

isg_status isg_buffer_download(isg_buffer *buffer, uint64_t offset, void *data, uint64_t size)
{
    isg_status status = check_transfer(buffer, offset, data, size, "isg_buffer_download");
    isg_device *device = NULL;
    uint64_t value = 0;

    if (status != ISG_OK) {
        return status;
    }
    device = buffer->object.device;
    if (isg_buffer_reads_fast(buffer) || (buffer->mapped != NULL && size <= SMALL_READ)) {
        status = drain(device, &value);
        if (status == ISG_OK) {
            status = isg_queue_report(device->core->queue, value);
        }
        if (status == ISG_OK && size != 0) {
            memcpy(data, const_bytes_at(buffer->mapped, offset), size);
        }
        return status;
    }
    value = isg_event_submitted(device->core->queue->event);
    status = download_staged(buffer, offset, data, size);
    return status == ISG_OK ? isg_queue_report(device->core->queue, value) : status;
}

/* ---- images ---------------------------------------------------------------------------------- */

static isg_status check_image_transfer(isg_image *image, const void *data, uint64_t size,
                                       const char *what)
{
    char argument[64] = "";
    isg_status status = ISG_OK;

    memcpy(argument, what, strlen(what) + 1);
    memcpy(argument + strlen(what), ": image", 8);
    status = isg_handle_check(image, ISG_OBJECT_IMAGE, argument);
    if (status != ISG_OK) {
        return status;
    }
    if (data == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT, "%s: data is NULL; pass the host's bytes",
                        what);
    }
    if (size != isg_image_bytes(image)) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: size is %" PRIu64 ", but image '%s' has %" PRIu64
                        " bytes; whole images are transferred, rows tightly packed",
                        what, size, image->desc.label, isg_image_bytes(image));
    }
    return isg_device_check(image->object.device);
}

/* Runs one whole-image command between the image and `staged`. */
static isg_status transfer_image(isg_image *image, isg_command_kind kind, isg_buffer *staged)
{
    isg_device *device = image->object.device;
    uint64_t value = 0;
    isg_status status = submit_command(
        device, &(isg_command){.kind = kind, .as.image = {.image = image, .buffer = staged}},
        &image->object, &staged->object, &value);

    return status == ISG_OK ? isg_queue_wait_value(device->core->queue, value, ISG_WAIT_FOREVER)
                            : status;
}

isg_status isg_image_upload(isg_image *image, const void *data, uint64_t size)
{
    isg_status status = check_image_transfer(image, data, size, "isg_image_upload");
    isg_buffer *staged = NULL;

    if (status == ISG_OK) {
        status = isg_pool_take(image->object.device, ISG_MEMORY_UPLOAD, size, &staged);
    }
    if (status != ISG_OK) {
        return status;
    }
    memcpy(staged->mapped, data, size);
    status = transfer_image(image, ISG_COMMAND_IMAGE_UPLOAD, staged);
    if (status != ISG_OK) {
        isg_object_drop(&staged->object);
        return status;
    }
    isg_pool_give(image->object.device, staged);
    return ISG_OK;
}

isg_status isg_image_download(isg_image *image, void *data, uint64_t size)
{
    isg_status status = check_image_transfer(image, data, size, "isg_image_download");
    isg_queue *queue = NULL;
    isg_buffer *staged = NULL;
    uint64_t value = 0;

    if (status == ISG_OK) {
        status = isg_pool_take(image->object.device, ISG_MEMORY_DOWNLOAD, size, &staged);
    }
    if (status != ISG_OK) {
        return status;
    }
    queue = image->object.device->core->queue;
    value = isg_event_submitted(queue->event);
    status = transfer_image(image, ISG_COMMAND_IMAGE_DOWNLOAD, staged);
    if (status != ISG_OK) {
        isg_object_drop(&staged->object);
        return status;
    }
    status = isg_queue_report(queue, value);
    if (status == ISG_OK) {
        memcpy(data, staged->mapped, size);
    }
    isg_pool_give(image->object.device, staged);
    return status;
}
