/* isg_queue_dispatch_bytes(): one dispatch on host memory, in one submission. */
#include "core/device.h"
#include "core/handle.h"
#include "core/object.h"
#include "core/queue.h"
#include "core/support.h"
#include "core/transfer.h"

#include <string.h>

/* A host binding on the device. */
typedef struct bytes_slot {
    isg_buffer *buffer; /* what the kernel sees */
    isg_buffer *up;     /* staging, where `buffer` is not mapped */
    isg_buffer *down;   /* staging, where the host cannot read `buffer` fast */
} bytes_slot;

/* The call on its way. */
typedef struct bytes_job {
    isg_queue *queue;
    const isg_host_binding *given;
    uint32_t count;
    bytes_slot *slots;     /* owned */
    isg_binding *bindings; /* owned; the caller's, then ours */
    uint32_t binding_count;
    isg_recording *recording;
} bytes_job;

static isg_status check_given(const isg_host_binding *given, uint32_t count)
{
    if (given == NULL && count != 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_queue_dispatch_bytes: bindings is NULL but binding_count is %u; give "
                        "both or neither",
                        count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (given[i].data == NULL || given[i].size == 0) {
            return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                            "isg_queue_dispatch_bytes: host binding %u (set %u binding %u) has %s; "
                            "it needs at least 1 byte",
                            i, given[i].set, given[i].binding,
                            given[i].data == NULL ? "no data" : "size 0");
        }
        if (given[i].direction != ISG_IN && given[i].direction != ISG_OUT &&
            given[i].direction != ISG_INOUT) {
            return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                            "isg_queue_dispatch_bytes: host binding %u has direction %d; use "
                            "ISG_IN, ISG_OUT or ISG_INOUT",
                            i, (int)given[i].direction);
        }
    }
    return ISG_OK;
}

static bool goes_in(const isg_host_binding *given)
{
    return given->direction != ISG_OUT;
}

static bool comes_out(const isg_host_binding *given)
{
    return given->direction != ISG_IN;
}

static isg_status take_buffers(bytes_job *job)
{
    isg_device *device = job->queue->object.device;
    isg_status status = ISG_OK;

    for (uint32_t i = 0; i < job->count && status == ISG_OK; i++) {
        const isg_host_binding *given = &job->given[i];
        bytes_slot *slot = &job->slots[i];

        status = isg_pool_take(device, ISG_MEMORY_DEVICE, given->size, &slot->buffer);
        if (status == ISG_OK && goes_in(given) && slot->buffer->mapped == NULL) {
            status = isg_pool_take(device, ISG_MEMORY_UPLOAD, given->size, &slot->up);
        }
        if (status == ISG_OK && comes_out(given) && !isg_buffer_reads_fast(slot->buffer)) {
            status = isg_pool_take(device, ISG_MEMORY_DOWNLOAD, given->size, &slot->down);
        }
    }
    return status;
}

static void fill_bindings(bytes_job *job, const isg_dispatch *dispatch)
{
    if (dispatch->binding_count != 0) {
        memcpy(job->bindings, dispatch->bindings, dispatch->binding_count * sizeof *job->bindings);
    }
    for (uint32_t i = 0; i < job->count; i++) {
        job->bindings[dispatch->binding_count + i] = (isg_binding){
            .set = job->given[i].set,
            .binding = job->given[i].binding,
            .buffer = job->slots[i].buffer,
            .size = job->given[i].size,
        };
    }
}

static isg_status record_in(bytes_job *job)
{
    isg_status status = ISG_OK;

    for (uint32_t i = 0; i < job->count && status == ISG_OK; i++) {
        const isg_host_binding *given = &job->given[i];
        const bytes_slot *slot = &job->slots[i];

        if (!goes_in(given)) {
            status = isg_record_add_fill(job->recording, slot->buffer, 0, given->size, 0);
        } else if (slot->up != NULL) {
            memcpy(slot->up->mapped, given->data, given->size);
            status = isg_record_add_copy(job->recording, slot->buffer, 0, slot->up, 0, given->size);
        } else {
            memcpy(slot->buffer->mapped, given->data, given->size);
        }
    }
    return status;
}

static isg_status record_out(bytes_job *job)
{
    isg_status status = ISG_OK;

    for (uint32_t i = 0; i < job->count && status == ISG_OK; i++) {
        if (job->slots[i].down != NULL) {
            status = isg_record_add_copy(job->recording, job->slots[i].down, 0,
                                         job->slots[i].buffer, 0, job->given[i].size);
        }
    }
    return status;
}

static void copy_out(const bytes_job *job)
{
    for (uint32_t i = 0; i < job->count; i++) {
        const bytes_slot *slot = &job->slots[i];

        if (comes_out(&job->given[i])) {
            memcpy(job->given[i].data,
                   slot->down != NULL ? slot->down->mapped : slot->buffer->mapped,
                   job->given[i].size);
        }
    }
}

/* Records, submits, waits and takes the results. */
static isg_status run(bytes_job *job, const isg_dispatch *dispatch, isg_dispatch_result *out)
{
    uint64_t value = 0;
    isg_status status = record_in(job);

    if (status == ISG_OK) {
        status = isg_record_add_dispatch(job->recording, dispatch, job->count, &out->plan);
    }
    if (status == ISG_OK) {
        status = record_out(job);
    }
    status = isg_queue_submit_recording(job->queue, job->recording, status, &value);
    if (status == ISG_OK) {
        status = isg_queue_wait_value(job->queue, value, ISG_WAIT_FOREVER);
    }
    if (status == ISG_OK) {
        status = isg_queue_report(job->queue, value);
    }
    if (status != ISG_OK) {
        return status;
    }
    copy_out(job);
    if (job->recording->core->has_times) {
        out->gpu_time_ns = job->recording->core->times[0];
    }
    return ISG_OK;
}

/* Whatever may still be in use is let go of instead of given back. */
static void job_close(bytes_job *job, const isg_host_allocator *allocator)
{
    isg_device *device = job->queue->object.device;
    bool in_use = job->recording != NULL && isg_recording_in_flight(job->recording->core);

    for (uint32_t i = 0; job->slots != NULL && i < job->count; i++) {
        isg_buffer *const buffers[3] = {job->slots[i].buffer, job->slots[i].up, job->slots[i].down};

        for (uint32_t k = 0; k < 3; k++) {
            if (!in_use) {
                isg_pool_give(device, buffers[k]);
            } else if (buffers[k] != NULL) {
                isg_object_drop(&buffers[k]->object);
            }
        }
    }
    if (job->recording != NULL) {
        isg_queue_end_keeping(job->queue, job->recording);
    }
    isg_free(allocator, job->slots, job->count * sizeof *job->slots);
    isg_free(allocator, job->bindings, job->binding_count * sizeof *job->bindings);
}

static isg_status job_run(bytes_job *job, const isg_dispatch *dispatch, isg_dispatch_result *out)
{
    isg_device *device = job->queue->object.device;
    const isg_host_allocator *allocator = isg_device_allocator(device);
    isg_dispatch whole = *dispatch;
    isg_status status = ISG_OK;

    job->slots = isg_alloc(allocator, job->count * sizeof *job->slots);
    job->bindings = isg_alloc(allocator, job->binding_count * sizeof *job->bindings);
    if (job->slots == NULL || job->bindings == NULL) {
        return isg_fail_host_memory("a dispatch");
    }
    status = take_buffers(job);
    if (status == ISG_OK) {
        status = isg_queue_take_recording(job->queue, device->ops->recording_times != NULL, true,
                                          &job->recording);
    }
    if (status != ISG_OK) {
        return status;
    }
    fill_bindings(job, dispatch);
    whole.bindings = job->bindings;
    whole.binding_count = job->binding_count;
    return run(job, &whole, out);
}

static isg_status check_dispatch(const isg_dispatch *dispatch, uint32_t binding_count)
{
    if (dispatch == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_queue_dispatch_bytes: dispatch is NULL; pass one");
    }
    if (dispatch->bindings == NULL && dispatch->binding_count != 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_queue_dispatch_bytes: dispatch->bindings is NULL but its count is %u; "
                        "give both or neither",
                        dispatch->binding_count);
    }
    if (binding_count > UINT32_MAX - dispatch->binding_count) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_queue_dispatch_bytes: %u and %u bindings are too many", binding_count,
                        dispatch->binding_count);
    }
    return ISG_OK;
}

isg_status isg_queue_dispatch_bytes(isg_queue *queue, const isg_dispatch *dispatch,
                                    const isg_host_binding *bindings, uint32_t binding_count,
                                    isg_dispatch_result *out)
{
    isg_status status =
        isg_handle_check(queue, ISG_OBJECT_QUEUE, "isg_queue_dispatch_bytes: queue");
    isg_dispatch_result result = {.plan = {.kind = ISG_PLAN_REFUSED}};
    bytes_job job = {.queue = queue, .given = bindings, .count = binding_count};

    if (out != NULL) {
        *out = result;
    }
    if (status == ISG_OK) {
        status = check_dispatch(dispatch, binding_count);
    }
    if (status == ISG_OK) {
        status = check_given(bindings, binding_count);
    }
    if (status == ISG_OK) {
        status = isg_device_check(queue->object.device);
    }
    if (status != ISG_OK) {
        return status;
    }
    job.binding_count = dispatch->binding_count + binding_count;
    status = job_run(&job, dispatch, &result);
    job_close(&job, isg_device_allocator(queue->object.device));
    if (status == ISG_OK && out != NULL) {
        *out = result;
    }
    return status;
}
