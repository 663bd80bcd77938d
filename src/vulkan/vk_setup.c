/* Owns the first layout of images: each is brought into GENERAL by a batch of its own, right before
 * the first submission that uses it; later ones on any queue wait for that batch.
 *
 * Lock order: the setup mutex, then a hardware queue's lock. */
#include "vulkan/vk_fail.h"
#include "vulkan/vk_objects.h"

isg_status isg_vk_setup_open(isg_vk_device *device)
{
    return isg_vk_timeline_create(device, &device->setup.timeline);
}

void isg_vk_setup_close(isg_vk_device *device)
{
    isg_vk_setup *setup = &device->setup;
    for (uint32_t i = 0; i < setup->slot_count; i++) {
        device->vk.vkDestroyCommandPool(device->handle, setup->slots[i].pool, NULL);
    }
    device->vk.vkDestroySemaphore(device->handle, setup->timeline, NULL);
    isg_free(device->allocator, setup->slots, setup->slot_capacity * sizeof *setup->slots);
}

isg_status isg_vk_setup_note(isg_vk_device *device, isg_vk_recording *recording,
                             isg_vk_image *image)
{
    uint64_t ready = atomic_load(&image->ready);
    if (ready != 0) {
        if (ready > atomic_load(&recording->setup_value)) {
            atomic_store(&recording->setup_value, ready);
        }
        return ISG_OK;
    }
    uint32_t count = atomic_load(&recording->fresh_count);
    for (uint32_t i = 0; i < count; i++) {
        if (recording->fresh_images[i] == image) {
            return ISG_OK;
        }
    }
    isg_vk_image **images = isg_vk_reserve(device->allocator, recording->fresh_images,
                                           &recording->fresh_capacity, count + 1, sizeof *images);
    if (!images) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no host memory for recording '%s'; free some",
                        recording->base.label);
    }
    recording->fresh_images = images;
    recording->fresh_images[count] = image;
    atomic_store(&recording->fresh_count, count + 1);
    return ISG_OK;
}

/* ---- under the setup mutex -------------------------------------------------------------------- */

static isg_status slot_create(isg_vk_device *device, isg_vk_setup_slot *slot)
{
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
        .queueFamilyIndex = device->queues[0].family,
    };
    VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VkResult result = device->vk.vkCreateCommandPool(device->handle, &pool, NULL, &slot->pool);
    if (result == VK_SUCCESS) {
        commands.commandPool = slot->pool;
        result = device->vk.vkAllocateCommandBuffers(device->handle, &commands, &slot->commands);
        if (result != VK_SUCCESS) {
            device->vk.vkDestroyCommandPool(device->handle, slot->pool, NULL);
        }
    }
    return result == VK_SUCCESS
               ? ISG_OK
               : isg_vk_fail(result, "vkCreateCommandPool", "device", device->base.info.name);
}

/* A slot whose last batch has run, made the current one. */
static isg_status slot_take(isg_vk_device *device, isg_vk_setup_slot **out)
{
    isg_vk_setup *setup = &device->setup;
    uint64_t reached = 0;
    isg_vk_timeline timeline = {setup->timeline, setup->submitted, NULL};
    isg_status status = isg_vk_timeline_value(device, timeline, &reached);
    if (status != ISG_OK) {
        return status;
    }
    for (uint32_t i = 0; i < setup->slot_count; i++) {
        if (setup->slots[i].value <= reached) {
            *out = &setup->slots[i];
            return ISG_OK;
        }
    }
    isg_vk_setup_slot *slots =
        isg_vk_reserve(device->allocator, setup->slots, &setup->slot_capacity,
                       setup->slot_count + 1, sizeof *slots);
    if (!slots) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no host memory to set images up; free some");
    }
    setup->slots = slots;
    status = slot_create(device, &setup->slots[setup->slot_count]);
    if (status == ISG_OK) {
        *out = &setup->slots[setup->slot_count++];
    }
    return status;
}

static void record_transition(isg_vk_device *device, VkCommandBuffer commands,
                              const isg_vk_image *image)
{
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image->handle,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    VkPipelineStageFlags users =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    /* Source: the objects that had the image's memory before it. */
    device->vk.vkCmdPipelineBarrier(commands, users, users, 0, 0, NULL, 0, NULL, 1, &barrier);
}

/* Records the transitions that the submission's images still need. *out_count: how many. */
static isg_status record_transitions(isg_vk_device *device, const isg_submission *submission,
                                     VkCommandBuffer commands, uint32_t *out_count)
{
    VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    uint64_t next = device->setup.submitted + 1;
    VkResult result = device->vk.vkBeginCommandBuffer(commands, &begin);
    *out_count = 0;
    if (result != VK_SUCCESS) {
        return isg_vk_fail(result, "vkBeginCommandBuffer", "device", device->base.info.name);
    }
    for (uint32_t i = 0; i < submission->recording_count; i++) {
        isg_vk_recording *recording = (isg_vk_recording *)submission->recordings[i];
        uint32_t count = atomic_load(&recording->fresh_count);
        for (uint32_t k = 0; k < count; k++) {
            isg_vk_image *image = recording->fresh_images[k];
            if (atomic_load(&image->ready) == 0 && image->preparing != next) {
                record_transition(device, commands, image);
                image->preparing = next;
                ++*out_count;
            }
        }
    }
    result = device->vk.vkEndCommandBuffer(commands);
    if (result != VK_SUCCESS) {
        return isg_vk_fail(result, "vkEndCommandBuffer", "device", device->base.info.name);
    }
    return ISG_OK;
}

/* Puts the batch together that the submission's images need, if they still do. */
static isg_status prepare_locked(isg_vk_device *device, const isg_submission *submission,
                                 VkCommandBuffer *out_commands)
{
    isg_vk_setup_slot *slot = NULL;
    uint32_t count = 0;
    isg_status status = slot_take(device, &slot);
    if (status != ISG_OK) {
        return status;
    }
    VkResult result = device->vk.vkResetCommandPool(device->handle, slot->pool, 0);
    if (result != VK_SUCCESS) {
        return isg_vk_fail(result, "vkResetCommandPool", "device", device->base.info.name);
    }
    status = record_transitions(device, submission, slot->commands, &count);
    if (status == ISG_OK && count > 0) {
        slot->value = device->setup.submitted + 1;
        *out_commands = slot->commands;
    }
    return status;
}

static uint32_t fresh_total(const isg_submission *submission)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < submission->recording_count; i++) {
        const isg_vk_recording *recording = (const isg_vk_recording *)submission->recordings[i];
        total += atomic_load(&recording->fresh_count);
    }
    return total;
}

/* Leaves the wait out once it is known to be over. */
static isg_status skip_reached(isg_vk_device *device, uint64_t *value)
{
    if (*value > atomic_load(&device->setup.reached)) {
        uint64_t reached = 0;
        isg_vk_timeline timeline = {device->setup.timeline, *value, NULL};
        isg_status status = isg_vk_timeline_value(device, timeline, &reached);
        if (status != ISG_OK) {
            return status;
        }
        atomic_store(&device->setup.reached, reached);
    }
    if (*value <= atomic_load(&device->setup.reached)) {
        *value = 0;
    }
    return ISG_OK;
}

isg_status isg_vk_setup_prepare(isg_vk_device *device, const isg_submission *submission,
                                VkCommandBuffer *out_commands, uint64_t *out_value)
{
    isg_status status = ISG_OK;
    *out_commands = VK_NULL_HANDLE;
    *out_value = 0;
    bool fresh = fresh_total(submission) > 0;
    if (fresh) {
        pthread_mutex_lock(&device->setup.mutex);
        status = prepare_locked(device, submission, out_commands);
        if (status != ISG_OK || *out_commands == VK_NULL_HANDLE) {
            isg_vk_setup_done(device, submission, status == ISG_OK);
        }
    }
    if (*out_commands) {
        *out_value = device->setup.submitted + 1;
        return ISG_OK;
    }
    for (uint32_t i = 0; status == ISG_OK && i < submission->recording_count; i++) {
        isg_vk_recording *recording = (isg_vk_recording *)submission->recordings[i];
        uint64_t value = atomic_load(&recording->setup_value);
        *out_value = value > *out_value ? value : *out_value;
    }
    if (status == ISG_OK && *out_value > 0) {
        status = skip_reached(device, out_value);
    }
    return status;
}

/* All the recording's images are in their layout once the returned value has been reached. */
static uint64_t settle_images(isg_vk_recording *recording, uint64_t next)
{
    uint64_t highest = atomic_load(&recording->setup_value);
    uint32_t count = atomic_load(&recording->fresh_count);
    for (uint32_t i = 0; i < count; i++) {
        isg_vk_image *image = recording->fresh_images[i];
        if (image->preparing == next) {
            atomic_store(&image->ready, next);
        }
        uint64_t ready = atomic_load(&image->ready);
        highest = ready > highest ? ready : highest;
    }
    return highest;
}

static void forget_images(const isg_vk_recording *recording)
{
    uint32_t count = atomic_load(&recording->fresh_count);
    for (uint32_t i = 0; i < count; i++) {
        recording->fresh_images[i]->preparing = 0;
    }
}

void isg_vk_setup_done(isg_vk_device *device, const isg_submission *submission, bool submitted)
{
    isg_vk_setup *setup = &device->setup;
    uint64_t next = setup->submitted + 1;
    bool used = false;
    for (uint32_t i = 0; i < submission->recording_count; i++) {
        isg_vk_recording *recording = (isg_vk_recording *)submission->recordings[i];
        if (submitted) {
            uint64_t value = settle_images(recording, next);
            used |= value == next;
            atomic_store(&recording->setup_value, value);
            atomic_store(&recording->fresh_count, 0);
        } else {
            forget_images(recording);
        }
    }
    setup->submitted += used;
    pthread_mutex_unlock(&setup->mutex);
}
