/* Owns queues: creating them, and taking note of what has finished. */
#include "core/queue.h"

#include "core/device.h"
#include "core/handle.h"
#include "core/object.h"
#include "core/support.h"

#include <stdio.h>
#include <string.h>

static void core_free(const isg_host_allocator *allocator, isg_queue_core *core)
{
    for (uint32_t i = 0; i < core->flight_capacity; i++) {
        isg_free(allocator, core->flights[i].held,
                 core->flights[i].capacity * sizeof(isg_object *));
    }
    isg_free(allocator, core->flights, core->flight_capacity * sizeof *core->flights);
    isg_free(allocator, core->waits, core->wait_capacity * sizeof *core->waits);
    isg_string_free(allocator, core->label);
    pthread_mutex_destroy(&core->lock);
    isg_free(allocator, core, sizeof *core);
}

static isg_queue_core *core_create(const isg_host_allocator *allocator, const char *label)
{
    isg_queue_core *core = isg_alloc(allocator, sizeof *core);

    if (core == NULL) {
        return NULL;
    }
    pthread_mutex_init(&core->lock, NULL);
    core->label = isg_string_copy(allocator, label);
    if (core->label == NULL) {
        core_free(allocator, core);
        return NULL;
    }
    return core;
}

static void destroy_objects(isg_queue *queue)
{
    isg_device *device = queue->object.device;

    device->ops->object_destroy(&queue->event->object);
    device->ops->object_destroy(&queue->object);
}

static isg_status publish_borrowed(const isg_queue *queue, bool own)
{
    isg_status status = isg_handle_add_borrowed(&queue->event->object);

    if (status == ISG_OK && own) {
        status = isg_handle_add_borrowed(&queue->object);
        if (status != ISG_OK) {
            isg_handle_remove(&queue->event->object);
        }
    }
    return status;
}

isg_status isg_queue_make(isg_device *device, const char *label, bool own, isg_queue **out)
{
    const isg_host_allocator *allocator = isg_device_allocator(device);
    isg_queue_core *core = core_create(allocator, label);
    isg_queue *queue = NULL;
    isg_status status = ISG_OK;

    *out = NULL;
    if (core == NULL) {
        return isg_fail_host_memory("a queue");
    }
    status = isg_device_result(device, device->ops->queue_create(device, core->label, &queue));
    if (status != ISG_OK) {
        core_free(allocator, core);
        return status;
    }
    isg_object_init(&queue->object, ISG_OBJECT_QUEUE, device);
    isg_object_init(&queue->event->object, ISG_OBJECT_EVENT, device);
    queue->event->queue = queue;
    queue->core = core;
    core->queue = queue;
    status = publish_borrowed(queue, own);
    if (status != ISG_OK) {
        destroy_objects(queue);
        core_free(allocator, core);
        return status;
    }
    pthread_mutex_lock(&device->core->lock);
    core->next = device->core->queues;
    device->core->queues = core;
    pthread_mutex_unlock(&device->core->lock);
    *out = queue;
    return ISG_OK;
}

void isg_queue_destroy(isg_queue *queue)
{
    isg_queue_core *core = queue->core;
    isg_device *device = queue->object.device;

    isg_handle_remove(&queue->event->object);
    isg_handle_remove(&queue->object);
    for (uint32_t timed = 0; timed < 2; timed++) {
        while (core->idle[timed] != NULL) {
            isg_recording_core *recording = core->idle[timed];

            core->idle[timed] = recording->next;
            isg_object_drop(&recording->recording->object);
        }
    }
    destroy_objects(queue);
    core_free(isg_device_allocator(device), core);
}

/* ---- what has finished ----------------------------------------------------------------------- */

static void add_fault(isg_queue_core *core, uint64_t value, isg_status status, const char *message)
{
    isg_pending_fault *fault = &core->faults[core->fault_count];

    if (core->fault_count == ISG_MAX_PENDING_FAULTS) {
        core->faults_dropped++;
        return;
    }
    core->fault_count++;
    fault->value = value;
    fault->status = status;
    memcpy(fault->message, message, strlen(message) + 1);
}

static void finish_recording(isg_queue_core *core, isg_recording_core *recording, uint64_t value,
                             bool lost)
{
    char message[ISG_FAULT_MESSAGE_SIZE];
    isg_status status = isg_recording_finished(recording, core->queue, value, lost, message);

    if (status != ISG_OK && !lost) {
        add_fault(core, value, status, message);
    }
}

static void release_recording(isg_queue_core *core, isg_recording_core *recording)
{
    uint32_t unreleased = 0;

    pthread_mutex_lock(&recording->lock);
    unreleased = --recording->unreleased;
    pthread_mutex_unlock(&recording->lock);
    if (!recording->internal) {
        isg_object_drop(&recording->recording->object);
    } else if (!recording->kept && unreleased == 0) {
        isg_recording_drop_held(recording);
        recording->next = core->idle[recording->recording->timed];
        core->idle[recording->recording->timed] = recording;
    }
}

static isg_in_flight *flight_at(isg_queue_core *core, uint32_t index)
{
    return &core->flights[(core->flight_first + index) & (core->flight_capacity - 1)];
}

/* Reads how the submissions up to `value` ended. */
static void finish_up_to(isg_queue_core *core, uint64_t value, bool lost)
{
    while (core->finished_count < core->flight_count &&
           flight_at(core, core->finished_count)->value <= value) {
        const isg_in_flight *flight = flight_at(core, core->finished_count);

        for (uint32_t i = 0; i < flight->count; i++) {
            if (flight->held[i]->kind == ISG_OBJECT_RECORDING) {
                finish_recording(core, ((isg_recording *)flight->held[i])->core, flight->value,
                                 lost);
            }
        }
        core->finished_count++;
        atomic_store_explicit(&core->retired, flight->value, memory_order_release);
    }
}

/* Lets go of what the finished submissions up to `value` hold. */
static void release_up_to(isg_queue_core *core, uint64_t value)
{
    while (core->finished_count > 0 && flight_at(core, 0)->value <= value) {
        isg_in_flight *flight = flight_at(core, 0);

        for (uint32_t i = 0; i < flight->count; i++) {
            isg_object *object = flight->held[i];

            if (object->kind == ISG_OBJECT_RECORDING) {
                release_recording(core, ((isg_recording *)object)->core);
            } else {
                isg_object_drop(object);
            }
        }
        flight->count = 0;
        core->flight_first = (core->flight_first + 1) & (core->flight_capacity - 1);
        core->flight_count--;
        core->finished_count--;
    }
}

void isg_queue_retire(isg_queue_core *core, uint64_t value, bool lost)
{
    const isg_backend_ops *ops = core->queue->object.device->ops;

    finish_up_to(core, value, lost);
    if (ops->queue_released == NULL || lost) {
        release_up_to(core, value);
    }
}

isg_status isg_queue_release_held(isg_queue_core *core, uint64_t wanted)
{
    isg_device *device = core->queue->object.device;
    uint64_t value = 0;
    isg_status status = ISG_OK;

    if (device->ops->queue_released != NULL && core->finished_count != 0) {
        status = isg_device_result(
            device,
            device->ops->queue_released(core->queue, wanted, device->desc.hang_timeout_ns, &value));
        if (status == ISG_OK) {
            release_up_to(core, value);
        }
    }
    return status;
}

isg_status isg_queue_poll(isg_queue *queue)
{
    isg_queue_core *core = queue->core;
    isg_device *device = queue->object.device;
    isg_status status = isg_device_check(device);
    uint64_t value = 0;

    if (status != ISG_OK) {
        return status;
    }
    pthread_mutex_lock(&core->lock);
    if (core->flight_count != 0) {
        status = isg_device_result(device, device->ops->event_value(queue->event, &value));
        if (status == ISG_OK) {
            isg_queue_retire(core, value, false);
            status = isg_queue_release_held(core, 0);
        }
    }
    pthread_mutex_unlock(&core->lock);
    return status;
}

isg_status isg_queue_make_room(isg_queue *queue)
{
    isg_queue_core *core = queue->core;
    isg_status status = ISG_OK;

    pthread_mutex_lock(&core->lock);
    if (core->finished_count != 0) {
        status = isg_queue_release_held(core, flight_at(core, 0)->value);
    }
    pthread_mutex_unlock(&core->lock);
    return status;
}

bool isg_queue_reclaim(isg_queue *queue)
{
    isg_queue_core *core = queue->core;
    uint32_t before = 0, after = 0;

    pthread_mutex_lock(&core->lock);
    before = core->flight_count;
    pthread_mutex_unlock(&core->lock);
    if (isg_queue_poll(queue) != ISG_OK) {
        return false;
    }
    pthread_mutex_lock(&core->lock);
    if (core->finished_count != 0) {
        (void)isg_queue_release_held(core, flight_at(core, core->finished_count - 1)->value);
    }
    after = core->flight_count;
    pthread_mutex_unlock(&core->lock);
    return after < before;
}

static bool all_finished(isg_queue_core *core)
{
    bool finished = false;

    pthread_mutex_lock(&core->lock);
    finished = core->finished_count == core->flight_count;
    pthread_mutex_unlock(&core->lock);
    return finished;
}

static bool is_empty(isg_queue_core *core)
{
    bool empty = false;

    pthread_mutex_lock(&core->lock);
    empty = core->flight_count == 0;
    pthread_mutex_unlock(&core->lock);
    return empty;
}

bool isg_queue_is_idle(isg_queue *queue)
{
    if (is_empty(queue->core)) {
        return true;
    }
    /* On a lost or stuck device the queue waits for the device's close. */
    if (isg_queue_poll(queue) != ISG_OK || !all_finished(queue->core)) {
        return false;
    }
    (void)isg_queue_reclaim(queue);
    return is_empty(queue->core);
}

static void describe_flight(const isg_queue_core *core, const isg_in_flight *flight, char *out,
                            size_t size)
{
    for (uint32_t i = 0; i < flight->count; i++) {
        if (flight->held[i]->kind == ISG_OBJECT_RECORDING) {
            const isg_recording_core *recording = ((isg_recording *)flight->held[i])->core;

            snprintf(out, size, "%s%.63s%srecording '%.63s' on queue '%.63s'",
                     recording->first_dispatch[0] != '\0' ? "dispatch '" : "",
                     recording->first_dispatch, recording->first_dispatch[0] != '\0' ? "' in " : "",
                     recording->label, core->label);
            return;
        }
    }
    snprintf(out, size, "a submission without recordings on queue '%.63s'", core->label);
}

bool isg_queue_describe_oldest(isg_queue *queue, char *out, size_t size)
{
    isg_queue_core *core = queue->core;
    bool found = false;

    /* The caller may hold the device's lock, which comes after a queue's: never wait for one. */
    if (pthread_mutex_trylock(&core->lock) == 0) {
        found = core->finished_count < core->flight_count;
        if (found) {
            describe_flight(core, flight_at(core, core->finished_count), out, size);
        }
        pthread_mutex_unlock(&core->lock);
    }
    return found;
}

/* What is in flight on a lost device will never touch anything again. */
static void give_up(isg_queue_core *core)
{
    pthread_mutex_lock(&core->lock);
    isg_queue_retire(core, UINT64_MAX, true);
    pthread_mutex_unlock(&core->lock);
}

/* Whether a stuck device's queue did get through its work after all. */
static bool finished_late(isg_queue *queue)
{
    uint64_t value = 0;

    if (queue->object.device->ops->event_value(queue->event, &value) == ISG_OK) {
        pthread_mutex_lock(&queue->core->lock);
        isg_queue_retire(queue->core, value, false);
        pthread_mutex_unlock(&queue->core->lock);
    }
    return is_empty(queue->core);
}

bool isg_queue_finish(isg_queue *queue)
{
    isg_device *device = queue->object.device;
    isg_status status = ISG_OK;

    if (is_empty(queue->core)) {
        return true;
    }
    status = isg_queue_wait_value(queue, isg_event_submitted(queue->event), ISG_WAIT_FOREVER);
    if (status == ISG_OK) {
        (void)isg_queue_reclaim(queue);
    }
    if (status != ISG_OK || !is_empty(queue->core)) {
        status = (isg_status)atomic_load(&device->core->sticky);
    }
    if (status == ISG_ERROR_DEVICE_LOST) {
        give_up(queue->core);
        return true;
    }
    return is_empty(queue->core) || finished_late(queue);
}

/* ---- the public functions -------------------------------------------------------------------- */

isg_status isg_queue_create(isg_device *device, const char *label, isg_queue **out)
{
    isg_status status = ISG_OK;

    if (out == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_queue_create: out is NULL; pass where to put the queue");
    }
    *out = NULL;
    status = isg_handle_check(device, ISG_OBJECT_DEVICE, "isg_queue_create: device");
    if (status == ISG_OK) {
        status = isg_device_check(device);
    }
    if (status == ISG_OK) {
        isg_device_sweep(device);
        status = isg_queue_make(device, label != NULL ? label : "queue", false, out);
    }
    if (status != ISG_OK) {
        return status;
    }
    status = isg_object_publish(&(*out)->object);
    if (status != ISG_OK) {
        isg_object_drop(&(*out)->object);
        isg_device_sweep(device);
        *out = NULL;
    }
    return status;
}

isg_event *isg_queue_event(isg_queue *queue)
{
    return isg_handle_is_live(queue, ISG_OBJECT_QUEUE) ? queue->event : NULL;
}
