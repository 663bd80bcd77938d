/* Owns recordings: creating, ending, and how their submissions ended. */
#include "core/recording.h"

#include "core/device.h"
#include "core/handle.h"
#include "core/object.h"
#include "core/queue.h"
#include "core/support.h"

#include <stdio.h>
#include <string.h>

static void core_destroy(const isg_host_allocator *allocator, isg_recording_core *core)
{
    isg_recording_drop_held(core);
    isg_object_drop(core->state != NULL ? &core->state->object : NULL);
    for (uint32_t i = 0; i < core->fault_buffer_count; i++) {
        isg_object_drop(&core->fault_buffers[i]->object);
    }
    isg_free(allocator, core->fault_buffers,
             core->fault_buffer_capacity * sizeof *core->fault_buffers);
    isg_free(allocator, core->faults, core->fault_capacity * sizeof *core->faults);
    isg_free(allocator, core->held, core->held_capacity * sizeof *core->held);
    isg_free(allocator, core->header_words, core->header_capacity * sizeof *core->header_words);
    isg_free(allocator, core->times, core->time_capacity * sizeof *core->times);
    isg_dispatch_scratch_free(&core->scratch);
    isg_string_free(allocator, core->label);
    pthread_mutex_destroy(&core->lock);
    isg_free(allocator, core, sizeof *core);
}

isg_status isg_recording_make(isg_device *device, const isg_recording_desc *desc, bool internal,
                              isg_recording **out)
{
    const isg_host_allocator *allocator = isg_device_allocator(device);
    isg_recording_core *core = NULL;
    isg_status status = ISG_OK;

    *out = NULL;
    if (desc->timed && device->ops->recording_times == NULL) {
        return isg_fail(ISG_ERROR_UNSUPPORTED,
                        "device '%s' has no timestamps; leave isg_recording_desc.timed off",
                        device->core->label);
    }
    core = isg_alloc(allocator, sizeof *core);
    if (core == NULL) {
        return isg_fail_host_memory("a recording");
    }
    pthread_mutex_init(&core->lock, NULL);
    core->scratch.allocator = allocator;
    core->internal = internal;
    core->label = isg_string_copy(allocator, desc->label != NULL ? desc->label : "recording");
    status = core->label != NULL
                 ? isg_device_result(
                       device, device->ops->recording_create(device, desc->timed, core->label, out))
                 : isg_fail_host_memory("a recording");
    if (status != ISG_OK) {
        *out = NULL;
        core_destroy(allocator, core);
        return status;
    }
    isg_object_init(&(*out)->object, ISG_OBJECT_RECORDING, device);
    (*out)->timed = desc->timed;
    (*out)->once = internal;
    (*out)->label = core->label;
    (*out)->core = core;
    core->recording = *out;
    return ISG_OK;
}

void isg_recording_destroy(isg_recording *recording)
{
    isg_device *device = recording->object.device;
    isg_recording_core *core = recording->core;

    device->ops->object_destroy(&recording->object);
    core_destroy(isg_device_allocator(device), core);
}

void isg_recording_drop_held(isg_recording_core *core)
{
    while (core->held_count > 0) {
        isg_object_drop(core->held[--core->held_count]);
    }
}

bool isg_recording_in_flight(isg_recording_core *core)
{
    bool in_flight = false;

    pthread_mutex_lock(&core->lock);
    in_flight = core->last_queue != NULL;
    pthread_mutex_unlock(&core->lock);
    return in_flight;
}

bool isg_recording_is_held(isg_recording_core *core)
{
    bool held = false;

    pthread_mutex_lock(&core->lock);
    held = core->unreleased != 0;
    pthread_mutex_unlock(&core->lock);
    return held;
}

isg_status isg_recording_restart(isg_recording *recording)
{
    isg_recording_core *core = recording->core;
    isg_device *device = recording->object.device;

    isg_recording_drop_held(core);
    core->ended = false;
    core->broken = ISG_OK;
    core->appended = 0;
    core->dispatch_count = 0;
    core->first_dispatch[0] = '\0';
    core->state_used = 0;
    core->state_wrapped = false;
    core->fault_count = 0;
    core->finished = false;
    core->has_times = false;
    return isg_device_result(device, device->ops->recording_begin(recording));
}

isg_status isg_recording_close(isg_recording *recording)
{
    isg_recording_core *core = recording->core;
    isg_device *device = recording->object.device;
    isg_status status = ISG_OK;

    if (core->broken != ISG_OK) {
        return isg_fail(core->broken,
                        "recording '%s' cannot end: an earlier call failed halfway with %s; record "
                        "anew",
                        core->label, isg_status_name(core->broken));
    }
    if (recording->timed) {
        status = isg_reserve(isg_device_allocator(device), (void **)&core->times,
                             &core->time_capacity, core->dispatch_count, sizeof *core->times);
    }
    if (status == ISG_OK) {
        status = isg_device_result(device, device->ops->recording_end(recording));
    }
    core->ended = status == ISG_OK;
    return status;
}

isg_status isg_recording_finished(isg_recording_core *core, const isg_queue *queue, uint64_t value,
                                  bool lost, char message[ISG_FAULT_MESSAGE_SIZE])
{
    isg_device *device = queue->object.device;
    isg_status status = ISG_OK;
    bool last = false;

    pthread_mutex_lock(&core->lock);
    last = core->last_queue == queue && core->last_value == value;
    if (last) {
        core->last_queue = NULL;
    }
    if (lost) {
        status = ISG_ERROR_DEVICE_LOST;
        snprintf(core->message, sizeof core->message,
                 "recording '%s' was in flight when its device was lost", core->label);
    } else {
        status = isg_faults_read(core);
    }
    /* The driver's own copy of the times may already be that of the next run. */
    if (!lost && last && core->recording->timed && core->dispatch_count != 0) {
        core->has_times = device->ops->recording_times(core->recording, core->times,
                                                       core->dispatch_count) == ISG_OK;
    }
    core->finished = true;
    core->status = status;
    memcpy(message, core->message, sizeof core->message);
    pthread_mutex_unlock(&core->lock);
    return status;
}

/* ---- the public functions -------------------------------------------------------------------- */

isg_status isg_recording_create(isg_device *device, const isg_recording_desc *desc,
                                isg_recording **out)
{
    static const isg_recording_desc defaults = {0};
    isg_status status = ISG_OK;

    if (out == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_recording_create: out is NULL; pass where to put the recording");
    }
    *out = NULL;
    status = isg_handle_check(device, ISG_OBJECT_DEVICE, "isg_recording_create: device");
    if (status == ISG_OK) {
        status = isg_device_check(device);
    }
    if (status == ISG_OK) {
        status = isg_recording_make(device, desc != NULL ? desc : &defaults, false, out);
    }
    if (status != ISG_OK) {
        return status;
    }
    status = isg_recording_restart(*out);
    if (status == ISG_OK) {
        status = isg_object_publish(&(*out)->object);
    }
    if (status != ISG_OK) {
        isg_object_drop(&(*out)->object);
        *out = NULL;
    }
    return status;
}

isg_status isg_recording_end(isg_recording *recording)
{
    isg_status status =
        isg_handle_check(recording, ISG_OBJECT_RECORDING, "isg_recording_end: recording");

    if (status == ISG_OK && recording->core->ended) {
        status = isg_fail(ISG_ERROR_INVALID_STATE, "recording '%s' has ended already; submit it",
                          recording->label);
    }
    if (status == ISG_OK) {
        status = isg_device_check(recording->object.device);
    }
    return status == ISG_OK ? isg_recording_close(recording) : status;
}

/* Takes note of submissions that have finished since anybody looked. */
static isg_status refresh(isg_recording *recording)
{
    isg_recording_core *core = recording->core;
    isg_status status = ISG_OK;
    isg_queue *queue = NULL;

    pthread_mutex_lock(&core->lock);
    queue = core->last_queue;
    if (queue != NULL) {
        isg_object_hold(&queue->object);
    }
    pthread_mutex_unlock(&core->lock);
    if (queue != NULL) {
        status = isg_queue_poll(queue);
        isg_object_drop(&queue->object);
        isg_device_sweep(recording->object.device);
    }
    return status;
}

static isg_status fail_unfinished(const isg_recording *recording)
{
    return isg_fail(ISG_ERROR_INVALID_STATE,
                    "no submission of recording '%s' has finished yet; submit it and wait",
                    recording->label);
}

isg_status isg_recording_status(isg_recording *recording)
{
    isg_status status =
        isg_handle_check(recording, ISG_OBJECT_RECORDING, "isg_recording_status: recording");
    isg_recording_core *core = NULL;

    if (status == ISG_OK) {
        status = refresh(recording);
    }
    if (status != ISG_OK) {
        return status;
    }
    core = recording->core;
    pthread_mutex_lock(&core->lock);
    if (!core->finished) {
        status = fail_unfinished(recording);
    } else if (core->status != ISG_OK) {
        status = isg_fail(core->status, "%s", core->message);
    }
    pthread_mutex_unlock(&core->lock);
    return status;
}

static isg_status check_times(const isg_recording *recording)
{
    if (!recording->timed) {
        return isg_fail(ISG_ERROR_INVALID_STATE,
                        "recording '%s' is not timed; create it with isg_recording_desc.timed",
                        recording->label);
    }
    if (!recording->core->ended) {
        return isg_fail(ISG_ERROR_INVALID_STATE,
                        "recording '%s' has not ended; end it, submit it and wait",
                        recording->label);
    }
    return ISG_OK;
}

isg_status isg_recording_times(isg_recording *recording, uint64_t *times_ns, uint32_t capacity,
                               uint32_t *out_count)
{
    isg_recording_core *core = NULL;
    isg_status status = ISG_OK;

    if (out_count == NULL || (times_ns == NULL && capacity != 0)) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_recording_times: %s is NULL; give both, or times_ns NULL with "
                        "capacity 0 to ask for the count alone",
                        out_count == NULL ? "out_count" : "times_ns");
    }
    *out_count = 0;
    status = isg_handle_check(recording, ISG_OBJECT_RECORDING, "isg_recording_times: recording");
    if (status == ISG_OK) {
        status = check_times(recording);
    }
    if (status == ISG_OK) {
        status = refresh(recording);
    }
    if (status != ISG_OK) {
        return status;
    }
    core = recording->core;
    pthread_mutex_lock(&core->lock);
    if (!core->finished) {
        status = fail_unfinished(recording);
    } else {
        for (uint32_t i = 0; i < capacity && i < core->dispatch_count; i++) {
            times_ns[i] = core->has_times ? core->times[i] : 0;
        }
        *out_count = core->dispatch_count;
    }
    pthread_mutex_unlock(&core->lock);
    return status;
}
