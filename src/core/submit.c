/* Submitting recordings: the checks, the order among queues, and what a submission holds. */
#include "core/queue.h"

#include "core/device.h"
#include "core/handle.h"
#include "core/object.h"
#include "core/support.h"

#include <inttypes.h>
#include <string.h>

/* ---- checks ---------------------------------------------------------------------------------- */

static isg_status check_owner(const isg_queue *queue, const isg_object *object, const char *what)
{
    if (object->device != queue->object.device) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "submit: %s belongs to device '%s', queue '%s' to '%s'; use objects of one "
                        "device",
                        what, object->device->core->label, queue->core->label,
                        queue->object.device->core->label);
    }
    return ISG_OK;
}

static isg_status check_recordings(const isg_queue *queue, const isg_submit_desc *desc)
{
    if (desc->recordings == NULL && desc->recording_count != 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "submit: recordings is NULL but recording_count is %u; give both or "
                        "neither",
                        desc->recording_count);
    }
    for (uint32_t i = 0; i < desc->recording_count; i++) {
        const isg_recording *recording = desc->recordings[i];
        isg_status status =
            isg_handle_check(recording, ISG_OBJECT_RECORDING, "submit: a recording");

        if (status == ISG_OK) {
            status = check_owner(queue, &recording->object, "a recording");
        }
        if (status == ISG_OK && !recording->core->ended) {
            status = isg_fail(ISG_ERROR_INVALID_STATE,
                              "submit: recording '%s' has not ended; call isg_recording_end() "
                              "first",
                              recording->label);
        }
        if (status != ISG_OK) {
            return status;
        }
    }
    return ISG_OK;
}

static isg_status check_pairs(const isg_queue *queue, const isg_event_value_pair *pairs,
                              uint32_t count, const char *what)
{
    if (pairs == NULL && count != 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "submit: the list of %ss is NULL but their count is %u; give both or "
                        "neither",
                        what, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        isg_status status = isg_handle_check(pairs[i].event, ISG_OBJECT_EVENT, "submit: an event");

        if (status == ISG_OK) {
            status = check_owner(queue, &pairs[i].event->object, "an event");
        }
        if (status != ISG_OK) {
            return status;
        }
    }
    return ISG_OK;
}

/* The submit lock is held: what has been submitted stays so, and nothing else is added. */
static isg_status check_waits(const isg_submit_desc *desc)
{
    for (uint32_t i = 0; i < desc->wait_count; i++) {
        uint64_t submitted = isg_event_submitted(desc->waits[i].event);

        if (desc->waits[i].value > submitted) {
            return isg_fail(ISG_ERROR_INVALID_STATE,
                            "submit: wait %u is for value %" PRIu64 ", but nothing submitted so "
                            "far will signal more than %" PRIu64 "; submit the signal first",
                            i, desc->waits[i].value, submitted);
        }
    }
    return ISG_OK;
}

static isg_status check_signals(const isg_submit_desc *desc)
{
    for (uint32_t i = 0; i < desc->signal_count; i++) {
        const isg_event_value_pair *signal = &desc->signals[i];

        if (signal->event->queue != NULL) {
            return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                            "submit: signal %u names a queue's own event; create one with "
                            "isg_event_create()",
                            i);
        }
        if (signal->value <= isg_event_submitted(signal->event)) {
            return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                            "submit: signal %u to %" PRIu64 " does not grow its event, which has "
                            "been or will be signalled to %" PRIu64 "; use a higher value",
                            i, signal->value, isg_event_submitted(signal->event));
        }
        for (uint32_t earlier = 0; earlier < i; earlier++) {
            if (desc->signals[earlier].event == signal->event) {
                return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                                "submit: signals %u and %u name one event; give the higher value "
                                "alone",
                                earlier, i);
            }
        }
    }
    return ISG_OK;
}

/* ---- what a submission holds ----------------------------------------------------------------- */

static isg_status grow_ring(isg_queue_core *core, const isg_host_allocator *allocator)
{
    uint32_t capacity = core->flight_capacity != 0 ? core->flight_capacity * 2 : 4;
    isg_in_flight *grown = isg_alloc(allocator, capacity * sizeof *grown);

    if (grown == NULL) {
        return isg_fail_host_memory("a submission");
    }
    /* The ring is full: unrolled from its first entry, all of it is in order. */
    for (uint32_t i = 0; i < core->flight_capacity; i++) {
        grown[i] = core->flights[(core->flight_first + i) & (core->flight_capacity - 1)];
    }
    isg_free(allocator, core->flights, core->flight_capacity * sizeof *core->flights);
    core->flights = grown;
    core->flight_capacity = capacity;
    core->flight_first = 0;
    /* Room in all entries now, or each would allocate when its turn first comes, long after. */
    for (uint32_t i = core->flight_count; i < capacity; i++) {
        isg_status status = isg_reserve(allocator, (void **)&grown[i].held, &grown[i].capacity,
                                        core->held_most, sizeof(isg_object *));

        if (status != ISG_OK) {
            return status;
        }
    }
    return ISG_OK;
}

/* The next entry, with room for `held` objects. It is not in flight yet. */
static isg_status next_flight(isg_queue_core *core, uint32_t held, isg_in_flight **out)
{
    const isg_host_allocator *allocator = isg_device_allocator(core->queue->object.device);
    isg_status status = ISG_OK;

    core->held_most = held > core->held_most ? held : core->held_most;
    if (core->flight_count == core->flight_capacity) {
        status = grow_ring(core, allocator);
    }
    if (status != ISG_OK) {
        return status;
    }
    *out = &core->flights[(core->flight_first + core->flight_count) & (core->flight_capacity - 1)];
    (*out)->count = 0;
    return isg_reserve(allocator, (void **)&(*out)->held, &(*out)->capacity, core->held_most,
                       sizeof(isg_object *));
}

static void flight_hold(isg_in_flight *flight, isg_object *object)
{
    isg_object_hold(object);
    flight->held[flight->count++] = object;
}

static void flight_undo(isg_in_flight *flight)
{
    while (flight->count > 0) {
        isg_object *object = flight->held[--flight->count];

        if (object->kind != ISG_OBJECT_RECORDING || !((isg_recording *)object)->core->internal) {
            isg_object_drop(object);
        }
    }
}

/* Adds a wait where another queue still runs the recording, so that its two runs never overlap. */
static void wait_for_other_run(isg_queue_core *core, isg_recording_core *recording,
                               isg_in_flight *flight, uint32_t *wait_count)
{
    pthread_mutex_lock(&recording->lock);
    if (recording->last_queue != NULL && recording->last_queue != core->queue) {
        isg_event *event = recording->last_queue->event;

        core->waits[(*wait_count)++] = (isg_event_value_pair){event, recording->last_value};
        flight_hold(flight, &event->object);
    }
    pthread_mutex_unlock(&recording->lock);
}

/* Fills the entry and the queue's list of waits. */
static isg_status gather(isg_queue_core *core, const isg_submit_desc *desc, isg_in_flight **out,
                         uint32_t *out_wait_count)
{
    const uint64_t most =
        (uint64_t)desc->recording_count * 2 + desc->wait_count + desc->signal_count;
    isg_status status = most <= UINT32_MAX ? next_flight(core, (uint32_t)most, out)
                                           : isg_fail_host_memory("a submission");

    *out_wait_count = 0;
    if (status == ISG_OK) {
        status = isg_reserve(isg_device_allocator(core->queue->object.device),
                             (void **)&core->waits, &core->wait_capacity,
                             desc->wait_count + desc->recording_count, sizeof *core->waits);
    }
    if (status != ISG_OK) {
        return status;
    }
    for (uint32_t i = 0; i < desc->wait_count; i++) {
        /* A queue is in order: it never waits for itself. */
        if (desc->waits[i].value != 0 && desc->waits[i].event->queue != core->queue) {
            core->waits[(*out_wait_count)++] = desc->waits[i];
            flight_hold(*out, &desc->waits[i].event->object);
        }
    }
    for (uint32_t i = 0; i < desc->recording_count; i++) {
        isg_recording *recording = desc->recordings[i];

        if (recording->core->internal) {
            (*out)->held[(*out)->count++] = &recording->object;
        } else {
            flight_hold(*out, &recording->object);
            wait_for_other_run(core, recording->core, *out, out_wait_count);
        }
    }
    for (uint32_t i = 0; i < desc->signal_count; i++) {
        flight_hold(*out, &desc->signals[i].event->object);
    }
    return ISG_OK;
}

/* The submission has been made. */
static void commit(isg_queue_core *core, const isg_submit_desc *desc, isg_in_flight *flight,
                   uint64_t value)
{
    flight->value = value;
    core->flight_count++;
    for (uint32_t i = 0; i < desc->recording_count; i++) {
        isg_recording_core *recording = desc->recordings[i]->core;

        pthread_mutex_lock(&recording->lock);
        recording->last_queue = core->queue;
        recording->last_value = value;
        recording->unreleased++;
        pthread_mutex_unlock(&recording->lock);
    }
    for (uint32_t i = 0; i < desc->signal_count; i++) {
        atomic_store_explicit(&desc->signals[i].event->submitted, desc->signals[i].value,
                              memory_order_release);
    }
    atomic_store_explicit(&core->queue->event->submitted, value, memory_order_release);
}

/* The queue's lock is held, and the submit lock if anything may be shared with other queues. */
static isg_status submit_locked(isg_queue *queue, const isg_submit_desc *desc, uint64_t *out_value)
{
    isg_queue_core *core = queue->core;
    isg_device *device = queue->object.device;
    isg_in_flight *flight = NULL;
    isg_submission submission = {
        .recordings = desc->recordings,
        .recording_count = desc->recording_count,
        .signals = desc->signals,
        .signal_count = desc->signal_count,
        .value = isg_event_submitted(queue->event) + 1,
    };
    isg_status status = check_waits(desc);

    if (status == ISG_OK) {
        status = check_signals(desc);
    }
    if (status == ISG_OK) {
        status = gather(core, desc, &flight, &submission.wait_count);
    }
    if (status != ISG_OK) {
        return status;
    }
    submission.waits = core->waits;
    status = isg_device_result(device, device->ops->queue_submit(queue, &submission));
    if (status != ISG_OK) {
        flight_undo(flight);
        return status;
    }
    commit(core, desc, flight, submission.value);
    *out_value = submission.value;
    return ISG_OK;
}

/* Waits until there is room for one more submission. Returns with the queue's lock held, always. */
static isg_status lock_with_room(isg_queue *queue)
{
    isg_queue_core *core = queue->core;
    isg_status status = ISG_OK;

    pthread_mutex_lock(&core->lock);
    while (status == ISG_OK && core->flight_count >= ISG_MAX_IN_FLIGHT) {
        uint64_t oldest = core->flights[core->flight_first].value;

        pthread_mutex_unlock(&core->lock);
        status = isg_queue_wait_value(queue, oldest, ISG_WAIT_FOREVER);
        if (status == ISG_OK) {
            status = isg_queue_make_room(queue);
        }
        pthread_mutex_lock(&core->lock);
    }
    return status;
}

isg_status isg_queue_submit_now(isg_queue *queue, const isg_submit_desc *desc, uint64_t *out_value)
{
    isg_device_core *device_core = queue->object.device->core;
    const bool shared = desc->wait_count != 0 || desc->signal_count != 0 ||
                        (desc->recording_count != 0 && !desc->recordings[0]->core->internal);
    isg_status status = lock_with_room(queue);

    if (status == ISG_OK) {
        if (shared) {
            pthread_mutex_lock(&device_core->submit_lock);
        }
        status = submit_locked(queue, desc, out_value);
        if (shared) {
            pthread_mutex_unlock(&device_core->submit_lock);
        }
    }
    pthread_mutex_unlock(&queue->core->lock);
    return status;
}

isg_status isg_queue_submit(isg_queue *queue, const isg_submit_desc *desc, uint64_t *out_value)
{
    isg_status status = isg_handle_check(queue, ISG_OBJECT_QUEUE, "isg_queue_submit: queue");
    uint64_t value = 0;

    if (out_value != NULL) {
        *out_value = 0;
    }
    if (status == ISG_OK && desc == NULL) {
        status = isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                          "isg_queue_submit: desc is NULL; pass what to submit");
    }
    if (status == ISG_OK) {
        status = isg_device_check(queue->object.device);
    }
    if (status == ISG_OK) {
        status = check_recordings(queue, desc);
    }
    if (status == ISG_OK) {
        status = check_pairs(queue, desc->waits, desc->wait_count, "wait");
    }
    if (status == ISG_OK) {
        status = check_pairs(queue, desc->signals, desc->signal_count, "signal");
    }
    if (status == ISG_OK) {
        status = isg_queue_submit_now(queue, desc, &value);
    }
    if (status == ISG_OK && out_value != NULL) {
        *out_value = value;
    }
    return status;
}
