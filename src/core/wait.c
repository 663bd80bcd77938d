/* Waiting, always bounded, and reporting what went wrong on the way. */
#include "core/queue.h"

#include "core/device.h"
#include "core/handle.h"
#include "core/support.h"

#include <inttypes.h>
#include <string.h>

/* How long one call into the driver may block: another thread may find the device lost. */
static const uint64_t longest_slice_ns = UINT64_C(100000000);
static const uint64_t shortest_slice_ns = UINT64_C(1000000);

/* The sum of all timelines of the device: it grows with every submission that ends. */
static uint64_t measure_progress(isg_device *device)
{
    isg_device_core *core = device->core;
    uint64_t sum = 0;

    pthread_mutex_lock(&core->lock);
    for (isg_queue_core *queue = core->queues; queue != NULL; queue = queue->next) {
        uint64_t value = 0;

        if (device->ops->event_value(queue->queue->event, &value) == ISG_OK) {
            sum += value;
        }
    }
    pthread_mutex_unlock(&core->lock);
    return sum;
}

/* What has been in flight longest on any queue. */
static const char *describe_in_flight(isg_device *device, char *out, size_t size)
{
    isg_device_core *core = device->core;
    bool found = false;

    pthread_mutex_lock(&core->lock);
    for (isg_queue_core *queue = core->queues; queue != NULL && !found; queue = queue->next) {
        found = isg_queue_describe_oldest(queue->queue, out, size);
    }
    pthread_mutex_unlock(&core->lock);
    return found ? out : "nothing known";
}

static isg_status fail_stuck(isg_device *device)
{
    char in_flight[256];

    return isg_device_result(
        device, isg_fail(ISG_ERROR_DEVICE_STUCK,
                         "no submission on device '%s' has ended within %" PRIu64
                         " ms, its hang timeout; in flight: %s. A kernel loops for ever or needs "
                         "longer (ISG_KERNEL_BOUNDED, isg_device_desc.hang_timeout_ns)",
                         device->core->label, device->desc.hang_timeout_ns / 1000000,
                         describe_in_flight(device, in_flight, sizeof in_flight)));
}

/* Adds what was running when the device was lost. */
static isg_status fail_lost(isg_device *device)
{
    char in_flight[256];

    return isg_device_result(device,
                             isg_fail(ISG_ERROR_DEVICE_LOST, "%s; in flight: %s", isg_last_error(),
                                      describe_in_flight(device, in_flight, sizeof in_flight)));
}

/* When the wait must have got somewhere. */
typedef struct progress_watch {
    uint64_t progress;
    uint64_t since_ns;
} progress_watch;

/* False: nothing has moved for the hang timeout. */
static bool watch_moves(progress_watch *watch, isg_device *device, uint64_t now)
{
    uint64_t progress = measure_progress(device);

    if (progress != watch->progress) {
        *watch = (progress_watch){progress, now};
    }
    return now - watch->since_ns < device->desc.hang_timeout_ns;
}

static uint64_t slice_of(const isg_device *device)
{
    uint64_t slice = device->desc.hang_timeout_ns / 8;

    if (slice > longest_slice_ns) {
        return longest_slice_ns;
    }
    return slice < shortest_slice_ns ? shortest_slice_ns : slice;
}

isg_status isg_event_wait_sliced(isg_event *event, uint64_t value, uint64_t timeout_ns)
{
    isg_device *device = event->object.device;
    const uint64_t start = isg_now_ns();
    const uint64_t slice = slice_of(device);
    progress_watch watch = {0, start};
    isg_status status = isg_device_check(device);
    bool watching = false;

    while (status == ISG_OK) {
        uint64_t spent = isg_now_ns() - start;
        uint64_t left = timeout_ns == ISG_WAIT_FOREVER ? slice
                        : spent < timeout_ns           ? timeout_ns - spent
                                                       : 0;

        status = device->ops->event_wait(event, value, left < slice ? left : slice);
        if (status == ISG_ERROR_DEVICE_LOST) {
            return fail_lost(device);
        }
        if (status != ISG_TIMEOUT) {
            return status;
        }
        if (timeout_ns != ISG_WAIT_FOREVER && isg_now_ns() - start >= timeout_ns) {
            return ISG_TIMEOUT;
        }
        if (timeout_ns == ISG_WAIT_FOREVER && !watching) {
            watch.progress = measure_progress(device);
            watching = true;
        } else if (timeout_ns == ISG_WAIT_FOREVER && !watch_moves(&watch, device, isg_now_ns())) {
            return fail_stuck(device);
        }
        status = isg_device_check(device);
    }
    return status;
}

isg_status isg_queue_wait_value(isg_queue *queue, uint64_t value, uint64_t timeout_ns)
{
    isg_queue_core *core = queue->core;
    isg_status status = isg_device_check(queue->object.device);

    if (status != ISG_OK || value <= atomic_load_explicit(&core->retired, memory_order_acquire)) {
        return status;
    }
    status = isg_event_wait_sliced(queue->event, value, timeout_ns);
    if (status == ISG_OK) {
        pthread_mutex_lock(&core->lock);
        isg_queue_retire(core, value, false);
        status = isg_queue_release_held(core, 0);
        pthread_mutex_unlock(&core->lock);
    }
    return status;
}

isg_status isg_queue_report(isg_queue *queue, uint64_t value)
{
    isg_queue_core *core = queue->core;
    isg_status status = ISG_OK;
    uint32_t count = 0;

    pthread_mutex_lock(&core->lock);
    while (count < core->fault_count && core->faults[count].value <= value) {
        count++;
    }
    if (count != 0) {
        const isg_pending_fault *first = &core->faults[0];
        uint64_t more = count - 1;

        /* What there was no room for came last. */
        if (count == core->fault_count) {
            more += core->faults_dropped;
            core->faults_dropped = 0;
        }
        status = more == 0 ? isg_fail(first->status, "%s", first->message)
                           : isg_fail(first->status, "%s (and %" PRIu64 " more like it)",
                                      first->message, more);
        core->fault_count -= count;
        memmove(core->faults, core->faults + count, core->fault_count * sizeof *core->faults);
    }
    pthread_mutex_unlock(&core->lock);
    return status;
}

/* ---- the public functions -------------------------------------------------------------------- */

isg_status isg_queue_wait(isg_queue *queue, uint64_t value, uint64_t timeout_ns)
{
    isg_status status = isg_handle_check(queue, ISG_OBJECT_QUEUE, "isg_queue_wait: queue");
    uint64_t submitted = 0;

    if (status != ISG_OK) {
        return status;
    }
    submitted = isg_event_submitted(queue->event);
    if (value > submitted) {
        return isg_fail(ISG_ERROR_INVALID_STATE,
                        "isg_queue_wait: value %" PRIu64 " of queue '%s' has not been submitted; "
                        "the last one is %" PRIu64,
                        value, queue->core->label, submitted);
    }
    value = value != 0 ? value : submitted;
    status = isg_queue_wait_value(queue, value, timeout_ns);
    return status == ISG_OK ? isg_queue_report(queue, value) : status;
}

isg_status isg_event_wait(isg_event *event, uint64_t value, uint64_t timeout_ns)
{
    isg_status status = isg_handle_check(event, ISG_OBJECT_EVENT, "isg_event_wait: event");
    uint64_t submitted = 0;

    if (status != ISG_OK) {
        return status;
    }
    submitted = isg_event_submitted(event);
    if (value > submitted) {
        return isg_fail(ISG_ERROR_INVALID_STATE,
                        "isg_event_wait: nothing submitted so far will ever signal %" PRIu64
                        "; the highest value is %" PRIu64,
                        value, submitted);
    }
    if (event->queue == NULL) {
        return value == 0 ? isg_device_check(event->object.device)
                          : isg_event_wait_sliced(event, value, timeout_ns);
    }
    status = isg_queue_wait_value(event->queue, value, timeout_ns);
    return status == ISG_OK ? isg_queue_report(event->queue, value) : status;
}
