/* Owns markers: how the host sees that a submission has run without any semaphore.
 *
 * On GPU drivers a semaphore or fence signalled by a submission costs far more than the work of a
 * small dispatch (docs/results: a timeline signal makes the next submit take about 50 us). So the
 * last command of each submission sets a VkEvent, which the host polls, and the queue's timeline is
 * signalled only now and then, or when somebody has to block on it. The event is the last
 * recording's own, or, while that may still be set by an earlier run, one of the queue's, set by a
 * small command buffer recorded beforehand.
 *
 * An event seen by the host orders nothing between two VkQueues. So markers are used only while the
 * device's own queue is its only one; with more, every submission signals its timeline, and the
 * first submission of a further queue waits for what the device's own has been given by then.
 */
#include "vulkan/vk_fail.h"
#include "vulkan/vk_objects.h"

static isg_status make_marker(isg_vk_device *device, isg_vk_markers *markers, uint32_t at)
{
    VkEventCreateInfo event = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkResult result = device->vk.vkCreateEvent(device->handle, &event, NULL, &markers->events[at]);
    if (result != VK_SUCCESS) {
        markers->events[at] = VK_NULL_HANDLE;
        return isg_vk_fail(result, "vkCreateEvent", "device", device->base.info.name);
    }
    VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
    };
    VkCommandBuffer commands = markers->commands[at];
    result = device->vk.vkBeginCommandBuffer(commands, &begin);
    if (result == VK_SUCCESS) {
        device->vk.vkCmdSetEvent(commands, markers->events[at], VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
        result = device->vk.vkEndCommandBuffer(commands);
    }
    return result == VK_SUCCESS
               ? ISG_OK
               : isg_vk_fail(result, "recording a marker", "device", device->base.info.name);
}

isg_status isg_vk_markers_open(isg_vk_device *device, isg_vk_queue *queue)
{
    isg_vk_markers *markers = &queue->markers;
    pthread_mutex_init(&markers->mutex, NULL);
    if (!device->wait.markers) {
        return ISG_OK;
    }
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = queue->hardware->family,
    };
    VkResult result = device->vk.vkCreateCommandPool(device->handle, &pool, NULL, &markers->pool);
    if (result != VK_SUCCESS) {
        markers->pool = VK_NULL_HANDLE;
        return isg_vk_fail(result, "vkCreateCommandPool", "device", device->base.info.name);
    }
    VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = markers->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = ISG_VK_MARKERS,
    };
    result = device->vk.vkAllocateCommandBuffers(device->handle, &commands, markers->commands);
    if (result != VK_SUCCESS) {
        return isg_vk_fail(result, "vkAllocateCommandBuffers", "device", device->base.info.name);
    }
    for (uint32_t i = 0; i < ISG_VK_MARKERS; i++) {
        isg_status status = make_marker(device, markers, i);
        if (status != ISG_OK) {
            return status;
        }
    }
    markers->enabled = true;
    return ISG_OK;
}

void isg_vk_markers_close(isg_vk_device *device, isg_vk_queue *queue)
{
    isg_vk_markers *markers = &queue->markers;
    device->vk.vkDestroyCommandPool(device->handle, markers->pool, NULL);
    for (uint32_t i = 0; i < ISG_VK_MARKERS; i++) {
        device->vk.vkDestroyEvent(device->handle, markers->events[i], NULL);
    }
    pthread_mutex_destroy(&markers->mutex);
}

/* Looks from the newest submission back: the queue is in order, so a set marker speaks for all
 * before it. Under the mutex. */
static isg_status look(isg_vk_device *device, isg_vk_queue *queue)
{
    isg_vk_markers *markers = &queue->markers;
    for (uint64_t value = markers->submitted; value > markers->reached; value--) {
        uint32_t at = (uint32_t)(value % ISG_VK_MARKERS);
        if (markers->submitted - value >= ISG_VK_MARKERS) {
            break;
        }
        if (markers->values[at] != value) {
            continue;
        }
        VkResult result = device->vk.vkGetEventStatus(device->handle, markers->polled[at]);
        if (result == VK_EVENT_SET) {
            markers->reached = value;
        } else if (isg_vk_device_note(device, result) != VK_EVENT_RESET) {
            return isg_vk_fail(result, "vkGetEventStatus", "device", device->base.info.name);
        }
    }
    return ISG_OK;
}

/* Submissions without a marker signal the timeline; only a driver's call tells about them. */
static isg_status look_at_timeline(isg_vk_device *device, isg_vk_queue *queue)
{
    isg_vk_markers *markers = &queue->markers;
    isg_vk_event *event = (isg_vk_event *)queue->base.event;
    uint64_t value = 0;
    if (markers->signalled <= markers->reached) {
        return ISG_OK;
    }
    isg_status status = isg_vk_timeline_value(
        device, (isg_vk_timeline){event->handle, markers->signalled, NULL}, &value);
    if (status == ISG_OK && value > markers->reached) {
        markers->reached = value;
    }
    return status;
}

isg_status isg_vk_markers_reached(isg_vk_device *device, isg_vk_queue *queue, uint64_t *out)
{
    isg_vk_markers *markers = &queue->markers;
    pthread_mutex_lock(&markers->mutex);
    isg_status status = look(device, queue);
    if (status == ISG_OK && markers->reached < markers->submitted) {
        status = look_at_timeline(device, queue);
    }
    *out = markers->reached;
    pthread_mutex_unlock(&markers->mutex);
    return status;
}

/* Whether the submission's last recording can tell of its end by its own event: no run of it may
 * still be about to set it. */
static bool own_event_is_free(const isg_vk_queue *queue, const isg_submission *submission)
{
    uint32_t last = submission->recording_count - 1;
    const isg_vk_recording *recording = (const isg_vk_recording *)submission->recordings[last];
    for (uint32_t i = 0; i < last; i++) {
        if (submission->recordings[i] == submission->recordings[last]) {
            return false;
        }
    }
    return recording->event &&
           (recording->run_value == 0 || (recording->run_queue == &queue->base &&
                                          recording->run_value <= queue->markers.reached));
}

isg_status isg_vk_markers_take(isg_vk_device *device, isg_vk_queue *queue,
                               const isg_submission *submission, isg_vk_marker *out)
{
    isg_vk_markers *markers = &queue->markers;
    uint32_t at = (uint32_t)(submission->value % ISG_VK_MARKERS);
    isg_status status = ISG_OK;
    bool reset = false;

    *out = (isg_vk_marker){0};
    if (!markers->enabled) {
        return ISG_OK;
    }
    if (markers->reached < markers->submitted) {
        status = look(device, queue);
    }
    if (status != ISG_OK || markers->values[at] > markers->reached) {
        return status;
    }
    if (submission->recording_count > 0 && own_event_is_free(queue, submission)) {
        const isg_vk_recording *recording =
            (const isg_vk_recording *)submission->recordings[submission->recording_count - 1];
        out->event = recording->event;
        reset = recording->run_value != 0;
    } else {
        out->event = markers->events[at];
        out->commands = markers->commands[at];
        reset = markers->used[at];
    }
    if (reset) {
        VkResult result = device->vk.vkResetEvent(device->handle, out->event);
        if (result != VK_SUCCESS) {
            return isg_vk_fail(result, "vkResetEvent", "device", device->base.info.name);
        }
    }
    return ISG_OK;
}

void isg_vk_markers_note(isg_vk_queue *queue, const isg_submission *submission,
                         const isg_vk_marker *marker, bool signalled)
{
    isg_vk_markers *markers = &queue->markers;
    uint32_t at = (uint32_t)(submission->value % ISG_VK_MARKERS);

    markers->submitted = submission->value;
    markers->signalled = signalled ? submission->value : markers->signalled;
    if (marker->event) {
        markers->values[at] = submission->value;
        markers->polled[at] = marker->event;
        markers->used[at] |= marker->commands != NULL;
    }
    for (uint32_t i = 0; i < submission->recording_count; i++) {
        isg_vk_recording *recording = (isg_vk_recording *)submission->recordings[i];
        recording->run_queue = &queue->base;
        recording->run_value = submission->value;
    }
}
