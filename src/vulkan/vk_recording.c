/* Owns recordings: a command buffer, and every command but dispatches. */
#include "vulkan/vk_fail.h"
#include "vulkan/vk_objects.h"

void *isg_vk_reserve(const isg_host_allocator *allocator, void *array, uint32_t *capacity,
                     uint32_t needed, size_t size)
{
    if (array && needed <= *capacity) {
        return array;
    }
    uint32_t grown = *capacity < 8 ? 8 : *capacity * 2;
    grown = grown > needed ? grown : needed;
    void *moved = isg_grow(allocator, array, *capacity * size, grown * size);
    if (moved) {
        *capacity = grown;
    }
    return moved;
}

/* ---- life ------------------------------------------------------------------------------------- */

static isg_status create_commands(isg_vk_device *device, isg_vk_recording *recording,
                                  const char *label)
{
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = device->queues[0].family,
    };
    VkResult result = device->vk.vkCreateCommandPool(device->handle, &pool, NULL, &recording->pool);
    if (result != VK_SUCCESS) {
        recording->pool = VK_NULL_HANDLE;
        return isg_vk_fail(result, "vkCreateCommandPool", "recording", label);
    }
    VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = recording->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    result = device->vk.vkAllocateCommandBuffers(device->handle, &commands, &recording->commands);
    if (result != VK_SUCCESS) {
        return isg_vk_fail(result, "vkAllocateCommandBuffers", "recording", label);
    }
    isg_vk_name(device, VK_OBJECT_TYPE_COMMAND_BUFFER, ISG_VK_HANDLE(recording->commands), label);
    if (!device->wait.markers) {
        return ISG_OK;
    }
    VkEventCreateInfo event = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    result = device->vk.vkCreateEvent(device->handle, &event, NULL, &recording->event);
    if (result != VK_SUCCESS) {
        recording->event = VK_NULL_HANDLE;
        return isg_vk_fail(result, "vkCreateEvent", "recording", label);
    }
    return ISG_OK;
}

isg_status isg_vk_recording_create(isg_device *base, bool timed, const char *label,
                                   isg_recording **out)
{
    isg_vk_device *device = (isg_vk_device *)base;
    if (timed && device->physical->timestamp_bits == 0) {
        return isg_fail(ISG_ERROR_UNSUPPORTED,
                        "recording '%s' cannot be timed: the compute queue of '%s' has no "
                        "timestamps (timestampValidBits is 0); record it untimed",
                        label, base->info.name);
    }
    isg_vk_recording *recording = isg_alloc(device->allocator, sizeof *recording);
    if (!recording) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no host memory for recording '%s'; free some",
                        label);
    }
    isg_status status = create_commands(device, recording, label);
    if (status != ISG_OK) {
        isg_vk_recording_destroy(device, recording);
        return status;
    }
    atomic_fetch_add(&device->live, 1);
    *out = &recording->base;
    return ISG_OK;
}

void isg_vk_recording_destroy(isg_vk_device *device, isg_vk_recording *recording)
{
    device->vk.vkDestroyCommandPool(device->handle, recording->pool, NULL);
    device->vk.vkDestroyEvent(device->handle, recording->event, NULL);
    isg_vk_descriptors_destroy(device, recording);
    isg_vk_time_destroy(device, recording);
    isg_free(device->allocator, recording->descriptors,
             recording->descriptor_capacity * sizeof *recording->descriptors);
    isg_free(device->allocator, recording->writes,
             recording->write_capacity * sizeof *recording->writes);
    isg_free(device->allocator, recording->fresh_images,
             recording->fresh_capacity * sizeof *recording->fresh_images);
    isg_free(device->allocator, recording, sizeof *recording);
}

isg_status isg_vk_recording_begin(isg_recording *base)
{
    isg_vk_recording *recording = (isg_vk_recording *)base;
    isg_vk_device *device = (isg_vk_device *)base->object.device;
    /* The core orders two runs of one recording on the device, which Vulkan still counts as both
     * being pending. Where that can't be, drivers like to know: it saves NVIDIA's 3 us of 20. */
    VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = base->once ? VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT
                            : VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
    };
    recording->barrier = (isg_vk_barrier){0};
    recording->bound_variant = NULL;
    recording->bound_kernel = NULL;
    recording->bound_state = VK_NULL_HANDLE;
    recording->time_pools_reset = 0;
    atomic_store(&recording->fresh_count, 0);
    atomic_store(&recording->setup_value, 0);
    isg_vk_descriptors_reset(device, recording);
    VkResult result = device->vk.vkResetCommandPool(device->handle, recording->pool, 0);
    if (result != VK_SUCCESS) {
        return isg_vk_fail(result, "vkResetCommandPool", "recording", base->label);
    }
    result = device->vk.vkBeginCommandBuffer(recording->commands, &info);
    if (result != VK_SUCCESS) {
        return isg_vk_fail(result, "vkBeginCommandBuffer", "recording", base->label);
    }
    return ISG_OK;
}

isg_status isg_vk_recording_end(isg_recording *base)
{
    isg_vk_recording *recording = (isg_vk_recording *)base;
    isg_vk_device *device = (isg_vk_device *)base->object.device;
    isg_vk_barrier_host(&recording->barrier, &device->vk, recording->commands);
    if (recording->event) {
        device->vk.vkCmdSetEvent(recording->commands, recording->event,
                                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    }
    /* After the event: the host need not wait for what only later submissions need (2.5 us of 16
     * for an empty dispatch on an H200). */
    isg_vk_barrier_end(&recording->barrier, &device->vk, recording->commands);
    VkResult result = device->vk.vkEndCommandBuffer(recording->commands);
    if (result != VK_SUCCESS) {
        return isg_vk_fail(result, "vkEndCommandBuffer", "recording", base->label);
    }
    return ISG_OK;
}

/* ---- commands --------------------------------------------------------------------------------- */

static void before_transfer(isg_vk_device *device, isg_vk_recording *recording,
                            const isg_buffer *written, bool unordered)
{
    recording->barrier.host_visible |= written && written->mapped;
    isg_vk_barrier_before(&recording->barrier, &device->vk, recording->commands,
                          ISG_VK_USE_TRANSFER, unordered);
}

static void record_copy(isg_vk_device *device, isg_vk_recording *recording,
                        const isg_command *command)
{
    const isg_vk_buffer *source = (const isg_vk_buffer *)command->as.copy.source;
    const isg_vk_buffer *destination = (const isg_vk_buffer *)command->as.copy.destination;
    VkBufferCopy region = {command->as.copy.source_offset, command->as.copy.destination_offset,
                           command->as.copy.size};
    before_transfer(device, recording, &destination->base, command->unordered);
    device->vk.vkCmdCopyBuffer(recording->commands, source->handle, destination->handle, 1,
                               &region);
}

/* vkCmdFillBuffer takes whole words; the bytes around them are copied from the pattern buffer. */
static void record_fill(isg_vk_device *device, isg_vk_recording *recording,
                        const isg_command *command)
{
    const isg_vk_buffer *buffer = (const isg_vk_buffer *)command->as.fill.buffer;
    uint64_t start = command->as.fill.offset;
    uint64_t end = start + command->as.fill.size;
    uint64_t first_word = (start + 3) & ~UINT64_C(3);
    uint64_t last_word = end & ~UINT64_C(3);
    uint32_t value = command->as.fill.value;
    VkBufferCopy ends[2];
    uint32_t end_count = 0;

    before_transfer(device, recording, &buffer->base, command->unordered);
    if (first_word < last_word) {
        device->vk.vkCmdFillBuffer(recording->commands, buffer->handle, first_word,
                                   last_word - first_word, value * 0x01010101u);
    } else {
        last_word = first_word < end ? first_word : end;
        first_word = last_word;
    }
    if (start < first_word) {
        ends[end_count++] = (VkBufferCopy){4 * value, start, first_word - start};
    }
    if (last_word < end) {
        ends[end_count++] = (VkBufferCopy){4 * value, last_word, end - last_word};
    }
    if (end_count > 0) {
        device->vk.vkCmdCopyBuffer(recording->commands, device->pattern, buffer->handle, end_count,
                                   ends);
    }
}

static void record_update(isg_vk_device *device, isg_vk_recording *recording,
                          const isg_command *command)
{
    const isg_vk_buffer *buffer = (const isg_vk_buffer *)command->as.update.buffer;
    before_transfer(device, recording, &buffer->base, command->unordered);
    device->vk.vkCmdUpdateBuffer(recording->commands, buffer->handle, command->as.update.offset,
                                 command->as.update.size, command->as.update.data);
}

static isg_status record_image(isg_vk_device *device, isg_vk_recording *recording,
                               const isg_command *command)
{
    bool upload = command->kind == ISG_COMMAND_IMAGE_UPLOAD;
    isg_vk_image *image = (isg_vk_image *)command->as.image.image;
    const isg_vk_buffer *buffer = (const isg_vk_buffer *)command->as.image.buffer;
    const isg_image_desc *desc = &image->base.desc;
    VkBufferImageCopy region = {
        .bufferOffset = command->as.image.offset,
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageExtent = {desc->width, desc->height, desc->depth},
    };
    isg_status status = isg_vk_setup_note(device, recording, image);
    if (status != ISG_OK) {
        return status;
    }
    before_transfer(device, recording, upload ? NULL : &buffer->base, command->unordered);
    if (upload) {
        device->vk.vkCmdCopyBufferToImage(recording->commands, buffer->handle, image->handle,
                                          VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    } else {
        device->vk.vkCmdCopyImageToBuffer(recording->commands, image->handle,
                                          VK_IMAGE_LAYOUT_GENERAL, buffer->handle, 1, &region);
    }
    return ISG_OK;
}

isg_status isg_vk_record(isg_recording *base, const isg_command *command)
{
    isg_vk_recording *recording = (isg_vk_recording *)base;
    isg_vk_device *device = (isg_vk_device *)base->object.device;
    switch (command->kind) {
    case ISG_COMMAND_DISPATCH:
        return isg_vk_dispatch_record(device, recording, command);
    case ISG_COMMAND_COPY:
        record_copy(device, recording, command);
        return ISG_OK;
    case ISG_COMMAND_FILL:
        record_fill(device, recording, command);
        return ISG_OK;
    case ISG_COMMAND_UPDATE:
        record_update(device, recording, command);
        return ISG_OK;
    case ISG_COMMAND_IMAGE_UPLOAD:
    case ISG_COMMAND_IMAGE_DOWNLOAD:
        return record_image(device, recording, command);
    case ISG_COMMAND_TIME_BEGIN:
    case ISG_COMMAND_TIME_END:
        return isg_vk_time_record(device, recording, command->as.time_slot,
                                  command->kind == ISG_COMMAND_TIME_END);
    }
    return isg_fail(ISG_ERROR_UNSUPPORTED, "the Vulkan backend knows no command of kind %d",
                    (int)command->kind);
}
