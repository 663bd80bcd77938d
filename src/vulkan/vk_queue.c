/* Owns queues and the one place where work is handed to a VkQueue. */
#include "vulkan/vk_fail.h"
#include "vulkan/vk_objects.h"

#include <inttypes.h>

isg_status isg_vk_queue_create(isg_device *base, const char *label, isg_queue **out)
{
    isg_vk_device *device = (isg_vk_device *)base;
    isg_vk_queue *queue = isg_alloc(device->allocator, sizeof *queue);
    if (!queue) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no host memory for queue '%s'; free some", label);
    }
    queue->hardware =
        &device->queues[atomic_fetch_add(&device->next_queue, 1) % device->queue_count];
    isg_status status = isg_vk_markers_open(device, queue);
    if (status == ISG_OK) {
        status = isg_vk_event_create(base, &queue->base.event);
    }
    if (status != ISG_OK) {
        isg_vk_queue_destroy(device, queue);
        return status;
    }
    isg_vk_name(device, VK_OBJECT_TYPE_SEMAPHORE,
                ISG_VK_HANDLE(((isg_vk_event *)queue->base.event)->handle), label);
    atomic_fetch_add(&device->live, 1);
    if (atomic_fetch_add(&device->queue_count_live, 1) == 0 && !device->own_queue) {
        device->own_queue = &queue->base;
        queue->ordered = true;
    }
    queue->counted = true;
    *out = &queue->base;
    return ISG_OK;
}

void isg_vk_queue_destroy(isg_vk_device *device, isg_vk_queue *queue)
{
    const isg_host_allocator *allocator = device->allocator;
    if (queue->counted) {
        atomic_fetch_sub(&device->queue_count_live, 1);
    }
    isg_vk_markers_close(device, queue);
    isg_free(allocator, queue->semaphores, queue->semaphore_capacity * sizeof *queue->semaphores);
    isg_free(allocator, queue->values, queue->value_capacity * sizeof *queue->values);
    isg_free(allocator, queue->stages, queue->stage_capacity * sizeof *queue->stages);
    isg_free(allocator, queue->commands, queue->command_capacity * sizeof *queue->commands);
    isg_free(allocator, queue, sizeof *queue);
}

/* ---- submission ------------------------------------------------------------------------------- */

/* Images into their layout where some need it, then the submission itself, then, where that waits
 * for or signals events of others, the queue's own signal: signals of one batch come in any order,
 * and who sees the queue's may destroy those events at once. */
typedef struct batches {
    VkSubmitInfo infos[3];
    VkTimelineSemaphoreSubmitInfo timelines[3];
    uint32_t count;
    VkCommandBuffer setup_commands;
    uint64_t setup_wait, setup_signal;
    uint64_t own_wait; /* value of the device's own queue to wait for; 0: none */
    isg_vk_marker marker;
    bool signal; /* the queue's timeline is signalled */
} batches;

static isg_status reserve(isg_vk_device *device, isg_vk_queue *queue,
                          const isg_submission *submission)
{
    const isg_host_allocator *allocator = device->allocator;
    uint32_t needed = submission->wait_count + submission->signal_count + 3;
    VkSemaphore *semaphores = isg_vk_reserve(
        allocator, queue->semaphores, &queue->semaphore_capacity, needed, sizeof *semaphores);
    queue->semaphores = semaphores ? semaphores : queue->semaphores;
    uint64_t *values =
        isg_vk_reserve(allocator, queue->values, &queue->value_capacity, needed, sizeof *values);
    queue->values = values ? values : queue->values;
    VkPipelineStageFlags *stages =
        isg_vk_reserve(allocator, queue->stages, &queue->stage_capacity, needed, sizeof *stages);
    queue->stages = stages ? stages : queue->stages;
    VkCommandBuffer *commands = isg_vk_reserve(allocator, queue->commands, &queue->command_capacity,
                                               submission->recording_count + 1, sizeof *commands);
    queue->commands = commands ? commands : queue->commands;
    if (!semaphores || !values || !stages || !commands) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY,
                        "no host memory for a submission of %u recordings; free some",
                        submission->recording_count);
    }
    return ISG_OK;
}

/* Timelines may be ahead of their value by a limited step only. */
static isg_status check_signals(isg_vk_device *device, const isg_submission *submission)
{
    uint64_t step = device->caps.max_timeline_step;
    for (uint32_t i = 0; i < submission->signal_count; i++) {
        const isg_event_value_pair *signal = &submission->signals[i];
        if (signal->value <= step) {
            continue;
        }
        uint64_t reached = 0;
        isg_status status = isg_vk_event_value(signal->event, &reached);
        if (status != ISG_OK) {
            return status;
        }
        if (signal->value - reached > step) {
            return isg_fail(ISG_ERROR_LIMIT_EXCEEDED,
                            "signal %u takes an event from %" PRIu64 " to %" PRIu64
                            "; '%s' allows steps of %" PRIu64 "; use smaller values",
                            i, reached, signal->value, device->base.info.name, step);
        }
    }
    return ISG_OK;
}

static void fill_setup_batch(isg_vk_device *device, batches *out)
{
    out->setup_signal = device->setup.submitted + 1;
    out->timelines[0] = (VkTimelineSemaphoreSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &out->setup_signal,
    };
    out->infos[0] = (VkSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &out->timelines[0],
        .commandBufferCount = 1,
        .pCommandBuffers = &out->setup_commands,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores = &device->setup.timeline,
    };
    out->count = 1;
}

static void put(isg_vk_queue *queue, uint32_t at, VkSemaphore semaphore, uint64_t value)
{
    queue->semaphores[at] = semaphore;
    queue->values[at] = value;
    queue->stages[at] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
}

/* The pair at `at`, in a batch after the one being filled. */
static void fill_signal_batch(isg_vk_queue *queue, uint32_t at, batches *out)
{
    VkTimelineSemaphoreSubmitInfo *timeline = &out->timelines[out->count];
    VkSubmitInfo *info = &out->infos[out->count++];
    *timeline = (VkTimelineSemaphoreSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &queue->values[at],
    };
    *info = (VkSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = timeline,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores = &queue->semaphores[at],
    };
}

static void fill_batch(isg_vk_device *device, isg_vk_queue *queue, const isg_submission *submission,
                       batches *out)
{
    VkTimelineSemaphoreSubmitInfo *timeline = &out->timelines[out->count];
    VkSubmitInfo *info = &out->infos[out->count++];
    uint32_t waits = 0, all, commands = 0;

    for (uint32_t i = 0; i < submission->recording_count; i++) {
        queue->commands[commands++] = ((isg_vk_recording *)submission->recordings[i])->commands;
    }
    if (out->marker.commands) {
        queue->commands[commands++] = out->marker.commands;
    }
    for (uint32_t i = 0; i < submission->wait_count; i++) {
        const isg_event_value_pair *wait = &submission->waits[i];
        put(queue, waits++, ((isg_vk_event *)wait->event)->handle, wait->value);
    }
    if (out->setup_wait > 0) {
        put(queue, waits++, device->setup.timeline, out->setup_wait);
    }
    if (out->own_wait > 0) {
        put(queue, waits++, ((isg_vk_event *)device->own_queue->event)->handle, out->own_wait);
    }
    all = waits;
    for (uint32_t i = 0; i < submission->signal_count; i++) {
        const isg_event_value_pair *signal = &submission->signals[i];
        put(queue, all++, ((isg_vk_event *)signal->event)->handle, signal->value);
    }
    if (out->signal) {
        put(queue, all, ((isg_vk_event *)queue->base.event)->handle, submission->value);
        if (all > 0) {
            fill_signal_batch(queue, all, out);
        } else {
            all++;
        }
    }
    *timeline = (VkTimelineSemaphoreSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = waits,
        .pWaitSemaphoreValues = queue->values,
        .signalSemaphoreValueCount = all - waits,
        .pSignalSemaphoreValues = queue->values + waits,
    };
    *info = (VkSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = timeline,
        .waitSemaphoreCount = waits,
        .pWaitSemaphores = queue->semaphores,
        .pWaitDstStageMask = queue->stages,
        .commandBufferCount = commands,
        .pCommandBuffers = queue->commands,
        .signalSemaphoreCount = all - waits,
        .pSignalSemaphores = queue->semaphores + waits,
    };
}

static VkResult submit_batches(isg_vk_device *device, isg_vk_queue *queue, uint32_t count,
                               const VkSubmitInfo *infos)
{
    isg_vk_hardware_queue_lock(device, queue->hardware);
    VkResult result =
        device->vk.vkQueueSubmit(queue->hardware->handle, count, infos, VK_NULL_HANDLE);
    isg_vk_hardware_queue_unlock(device, queue->hardware);
    isg_vk_device_note(device, result);
    return result;
}

/* Other queues wait for timelines: those of the waits that are a queue's own must get there. */
static isg_status signal_waits(const isg_submission *submission)
{
    isg_status status = ISG_OK;
    for (uint32_t i = 0; i < submission->wait_count && status == ISG_OK; i++) {
        const isg_event_value_pair *wait = &submission->waits[i];
        if (wait->event->queue) {
            status = isg_vk_queue_signal((isg_vk_queue *)wait->event->queue, wait->value);
        }
    }
    return status;
}

/* What the host has seen finished on the device's own queue, by a marker, comes first. */
static isg_status order_first(isg_vk_device *device, const isg_vk_queue *queue, batches *work)
{
    if (queue->ordered || !queue->markers.enabled) {
        return ISG_OK;
    }
    work->own_wait = atomic_load(&device->own_queue->event->submitted);
    return work->own_wait > 0
               ? isg_vk_queue_signal((isg_vk_queue *)device->own_queue, work->own_wait)
               : ISG_OK;
}

/* The markers' mutex is held. With a marker, the timeline's turn comes only now and then. */
static isg_status hand_over(isg_vk_device *device, isg_vk_queue *queue,
                            const isg_submission *submission, batches *work)
{
    isg_vk_markers *markers = &queue->markers;
    isg_status status = ISG_OK;
    if (atomic_load(&device->queue_count_live) == 1) {
        status = isg_vk_markers_take(device, queue, submission, &work->marker);
    }
    if (status != ISG_OK) {
        return status;
    }
    work->signal =
        !work->marker.event || submission->value - markers->signalled >= ISG_VK_UNSIGNALLED_MAX;
    fill_batch(device, queue, submission, work);
    VkResult result = submit_batches(device, queue, work->count, work->infos);
    if (result != VK_SUCCESS) {
        return isg_vk_fail(result, "vkQueueSubmit", "device", device->base.info.name);
    }
    isg_vk_markers_note(queue, submission, &work->marker, work->signal);
    queue->ordered = true;
    return ISG_OK;
}

isg_status isg_vk_queue_submit(isg_queue *base, const isg_submission *submission)
{
    isg_vk_queue *queue = (isg_vk_queue *)base;
    isg_vk_device *device = (isg_vk_device *)base->object.device;
    batches work = {0};
    isg_status status = reserve(device, queue, submission);
    if (status == ISG_OK) {
        status = signal_waits(submission);
    }
    if (status == ISG_OK) {
        status = order_first(device, queue, &work);
    }
    if (status == ISG_OK) {
        status = check_signals(device, submission);
    }
    if (status == ISG_OK) {
        status = isg_vk_setup_prepare(device, submission, &work.setup_commands, &work.setup_wait);
    }
    if (status != ISG_OK) {
        return status;
    }
    if (work.setup_commands) {
        fill_setup_batch(device, &work);
    }
    pthread_mutex_lock(&queue->markers.mutex);
    status = hand_over(device, queue, submission, &work);
    pthread_mutex_unlock(&queue->markers.mutex);
    if (work.setup_commands) {
        isg_vk_setup_done(device, submission, status == ISG_OK);
    }
    return status;
}

/* ---- the timeline of a queue with markers ----------------------------------------------------- */

isg_status isg_vk_queue_signal(isg_vk_queue *queue, uint64_t value)
{
    isg_vk_device *device = (isg_vk_device *)queue->base.object.device;
    isg_vk_markers *markers = &queue->markers;
    isg_status status = ISG_OK;

    pthread_mutex_lock(&markers->mutex);
    if (markers->signalled < value) {
        /* An empty batch: its signal comes after all that was submitted before. */
        VkTimelineSemaphoreSubmitInfo timeline = {
            .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
            .signalSemaphoreValueCount = 1,
            .pSignalSemaphoreValues = &markers->submitted,
        };
        VkSubmitInfo info = {
            .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
            .pNext = &timeline,
            .signalSemaphoreCount = 1,
            .pSignalSemaphores = &((isg_vk_event *)queue->base.event)->handle,
        };
        VkResult result = submit_batches(device, queue, 1, &info);
        if (result == VK_SUCCESS) {
            markers->signalled = markers->submitted;
        } else {
            status = isg_vk_fail(result, "vkQueueSubmit", "device", device->base.info.name);
        }
    }
    pthread_mutex_unlock(&markers->mutex);
    return status;
}

isg_status isg_vk_queue_released(isg_queue *base, uint64_t wanted, uint64_t timeout_ns,
                                 uint64_t *out)
{
    isg_vk_queue *queue = (isg_vk_queue *)base;
    isg_vk_device *device = (isg_vk_device *)base->object.device;
    isg_vk_markers *markers = &queue->markers;
    isg_vk_timeline timeline = {((isg_vk_event *)base->event)->handle,
                                atomic_load(&base->event->submitted), NULL};
    isg_status status = isg_vk_queue_signal(queue, wanted);
    if (status == ISG_OK && wanted > 0) {
        status = isg_vk_timeline_wait(device, timeline, wanted, timeout_ns);
    }
    pthread_mutex_lock(&markers->mutex);
    if (status == ISG_OK && markers->released < markers->signalled) {
        status = isg_vk_timeline_value(device, timeline, &markers->released);
    }
    /* What is released may be destroyed, events included: they are never looked at again. */
    if (markers->reached < markers->released) {
        markers->reached = markers->released;
    }
    *out = markers->released;
    pthread_mutex_unlock(&markers->mutex);
    return status;
}
