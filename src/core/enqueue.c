/* isg_queue_dispatch(), _copy(), _fill(): recordings of the queue's own, used again and again. */
#include "core/queue.h"

#include "core/device.h"
#include "core/handle.h"
#include "core/object.h"
#include "core/support.h"

/* ---- internal recordings --------------------------------------------------------------------- */

static isg_recording *pop_idle(isg_queue *queue, bool timed)
{
    isg_queue_core *core = queue->core;
    isg_recording_core *recording = NULL;

    pthread_mutex_lock(&core->lock);
    recording = core->idle[timed];
    if (recording != NULL) {
        core->idle[timed] = recording->next;
    }
    pthread_mutex_unlock(&core->lock);
    return recording != NULL ? recording->recording : NULL;
}

/* Finished work that the driver holds on to is waited for before more recordings are made. */
static isg_status reclaim(isg_queue *queue)
{
    isg_status status = isg_queue_poll(queue);
    bool many = false;

    pthread_mutex_lock(&queue->core->lock);
    many = queue->core->finished_count > ISG_MAX_UNRELEASED;
    pthread_mutex_unlock(&queue->core->lock);
    return status == ISG_OK && many ? isg_queue_make_room(queue) : status;
}

isg_status isg_queue_take_recording(isg_queue *queue, bool timed, bool keep, isg_recording **out)
{
    isg_recording *recording = pop_idle(queue, timed);
    isg_status status = ISG_OK;

    *out = NULL;
    if (recording == NULL) {
        status = reclaim(queue);
        recording = status == ISG_OK ? pop_idle(queue, timed) : NULL;
    }
    if (status == ISG_OK && recording == NULL) {
        status = isg_recording_make(
            queue->object.device,
            &(isg_recording_desc){.timed = timed, .label = queue->core->label}, true, &recording);
    }
    if (status != ISG_OK) {
        return status;
    }
    recording->core->kept = keep;
    status = isg_recording_restart(recording);
    if (status != ISG_OK) {
        isg_queue_give_recording(queue, recording);
        return status;
    }
    *out = recording;
    return ISG_OK;
}

static void push_idle(isg_queue_core *core, isg_recording *recording)
{
    isg_recording_drop_held(recording->core);
    recording->core->next = core->idle[recording->timed];
    core->idle[recording->timed] = recording->core;
}

void isg_queue_give_recording(isg_queue *queue, isg_recording *recording)
{
    pthread_mutex_lock(&queue->core->lock);
    push_idle(queue->core, recording);
    pthread_mutex_unlock(&queue->core->lock);
}

void isg_queue_end_keeping(isg_queue *queue, isg_recording *recording)
{
    pthread_mutex_lock(&queue->core->lock);
    recording->core->kept = false;
    if (!isg_recording_is_held(recording->core)) {
        push_idle(queue->core, recording);
    }
    pthread_mutex_unlock(&queue->core->lock);
}

isg_status isg_queue_submit_recording(isg_queue *queue, isg_recording *recording,
                                      isg_status recorded, uint64_t *out_value)
{
    isg_recording *const list[1] = {recording};
    isg_status status = recorded;

    if (status == ISG_OK) {
        status = isg_recording_close(recording);
    }
    if (status == ISG_OK) {
        status = isg_queue_submit_now(
            queue, &(isg_submit_desc){.recordings = list, .recording_count = 1}, out_value);
    }
    if (status != ISG_OK && !recording->core->kept) {
        isg_queue_give_recording(queue, recording);
    }
    return status;
}

/* ---- the public functions -------------------------------------------------------------------- */

static isg_status check_queue(isg_queue *queue, const char *argument, uint64_t *out_value)
{
    isg_status status = isg_handle_check(queue, ISG_OBJECT_QUEUE, argument);

    if (out_value != NULL) {
        *out_value = 0;
    }
    return status == ISG_OK ? isg_device_check(queue->object.device) : status;
}

static isg_status submit(isg_queue *queue, isg_recording *recording, isg_status recorded,
                         uint64_t *out_value)
{
    uint64_t value = 0;
    isg_status status = isg_queue_submit_recording(queue, recording, recorded, &value);

    if (status == ISG_OK && out_value != NULL) {
        *out_value = value;
    }
    return status;
}

isg_status isg_queue_dispatch(isg_queue *queue, const isg_dispatch *dispatches, uint32_t count,
                              uint64_t *out_value)
{
    isg_status status = check_queue(queue, "isg_queue_dispatch: queue", out_value);
    isg_recording *recording = NULL;

    if (status == ISG_OK && dispatches == NULL && count != 0) {
        status = isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                          "isg_queue_dispatch: dispatches is NULL but count is %u; give both or "
                          "neither",
                          count);
    }
    if (status == ISG_OK) {
        status = isg_queue_take_recording(queue, false, false, &recording);
    }
    if (status != ISG_OK) {
        return status;
    }
    for (uint32_t i = 0; i < count && status == ISG_OK; i++) {
        status = isg_record_add_dispatch(recording, &dispatches[i], 0, NULL);
    }
    return submit(queue, recording, status, out_value);
}

isg_status isg_queue_copy(isg_queue *queue, isg_buffer *destination, uint64_t destination_offset,
                          isg_buffer *source, uint64_t source_offset, uint64_t size,
                          uint64_t *out_value)
{
    isg_status status = check_queue(queue, "isg_queue_copy: queue", out_value);
    isg_recording *recording = NULL;

    if (status == ISG_OK) {
        status = isg_record_check_copy(queue->object.device, destination, destination_offset,
                                       source, source_offset, size);
    }
    if (status == ISG_OK) {
        status = isg_queue_take_recording(queue, false, false, &recording);
    }
    if (status != ISG_OK) {
        return status;
    }
    status = isg_record_add_copy(recording, destination, destination_offset, source, source_offset,
                                 size);
    return submit(queue, recording, status, out_value);
}

isg_status isg_queue_fill(isg_queue *queue, isg_buffer *buffer, uint64_t offset, uint64_t size,
                          uint8_t value, uint64_t *out_value)
{
    isg_status status = check_queue(queue, "isg_queue_fill: queue", out_value);
    isg_recording *recording = NULL;

    if (status == ISG_OK) {
        status = isg_record_check_fill(queue->object.device, buffer, offset, size);
    }
    if (status == ISG_OK) {
        status = isg_queue_take_recording(queue, false, false, &recording);
    }
    if (status != ISG_OK) {
        return status;
    }
    status = isg_record_add_fill(recording, buffer, offset, size, value);
    return submit(queue, recording, status, out_value);
}
