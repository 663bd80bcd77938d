/* Appending to a recording: dispatches, copies and fills. */
#include "core/recording.h"

#include "core/device.h"
#include "core/handle.h"
#include "core/object.h"
#include "core/support.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- one call -------------------------------------------------------------------------------- */

uint32_t isg_record_begin_call(isg_recording_core *core)
{
    core->appended = 0;
    return core->held_count;
}

isg_status isg_record_finish_call(isg_recording_core *core, uint32_t held_before, isg_status status)
{
    if (status == ISG_OK) {
        return ISG_OK;
    }
    if (core->appended != 0) {
        /* Commands cannot be taken back, and those that got in use what is held. */
        core->broken = status;
        return status;
    }
    while (core->held_count > held_before) {
        isg_object_drop(core->held[--core->held_count]);
    }
    return status;
}

isg_status isg_record_hold(isg_recording_core *core, isg_object *object)
{
    isg_status status =
        isg_reserve(isg_device_allocator(core->recording->object.device), (void **)&core->held,
                    &core->held_capacity, core->held_count + 1, sizeof(isg_object *));

    if (status == ISG_OK) {
        isg_object_hold(object);
        core->held[core->held_count++] = object;
    }
    return status;
}

isg_status isg_record_command(isg_recording_core *core, const isg_command *command)
{
    isg_device *device = core->recording->object.device;
    isg_status status = isg_device_result(device, device->ops->record(core->recording, command));

    if (status == ISG_OK) {
        core->appended++;
    }
    return status;
}

/* ---- dispatches ------------------------------------------------------------------------------ */

static isg_status hold_arguments(isg_recording_core *core, const isg_checked_dispatch *dispatch)
{
    isg_status status = isg_record_hold(core, &dispatch->kernel->object);

    for (uint32_t i = 0; i < dispatch->binding_count && status == ISG_OK; i++) {
        const isg_command_binding *binding = &dispatch->bindings[i];

        if (binding->buffer != NULL) {
            status = isg_record_hold(core, &binding->buffer->object);
        }
        if (status == ISG_OK && binding->image != NULL) {
            status = isg_record_hold(core, &binding->image->object);
        }
        if (status == ISG_OK && binding->sampler != NULL) {
            status = isg_record_hold(core, &binding->sampler->object);
        }
    }
    if (status == ISG_OK && dispatch->indirect != NULL) {
        status = isg_record_hold(core, &dispatch->indirect->object);
    }
    return status;
}

static isg_status append_dispatch(isg_recording_core *core, const isg_checked_dispatch *dispatch)
{
    isg_status status = hold_arguments(core, dispatch);

    if (status == ISG_OK) {
        status = isg_split_record(core, dispatch);
    }
    return status;
}

isg_status isg_record_add_dispatch(isg_recording *recording, const isg_dispatch *dispatch,
                                   uint32_t own_binding_count, isg_plan *out_plan)
{
    isg_recording_core *core = recording->core;
    isg_checked_dispatch checked;
    uint32_t held_before = isg_record_begin_call(core);
    isg_status status = isg_dispatch_check(dispatch, own_binding_count, recording->object.device,
                                           &core->scratch, &checked);

    if (status == ISG_OK && checked.plan.kind == ISG_PLAN_REFUSED) {
        status = isg_plan_fail(&checked.plan, checked.label);
    }
    if (status == ISG_OK) {
        status = append_dispatch(core, &checked);
    }
    status = isg_record_finish_call(core, held_before, status);
    if (status == ISG_OK) {
        if (core->dispatch_count == 0) {
            isg_text_join(core->first_dispatch, sizeof core->first_dispatch, "", checked.label, "");
        }
        core->dispatch_count++;
        if (out_plan != NULL) {
            *out_plan = checked.plan;
        }
    }
    return status;
}

/* ---- copies and fills ------------------------------------------------------------------------ */

static isg_status check_buffer(const isg_device *device, isg_buffer *buffer, const char *argument)
{
    isg_status status = isg_handle_check(buffer, ISG_OBJECT_BUFFER, argument);

    if (status == ISG_OK && buffer->object.device != device) {
        status = isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                          "%s: buffer '%s' belongs to device '%s', not to '%s'; use objects of one "
                          "device",
                          argument, buffer->desc.label, buffer->object.device->core->label,
                          device->core->label);
    }
    return status;
}

static isg_status check_range(const isg_buffer *buffer, uint64_t offset, uint64_t size,
                              const char *argument)
{
    if (!isg_range_inside(offset, size, buffer->desc.size)) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: %" PRIu64 " bytes at %" PRIu64 " run past buffer '%s' of %" PRIu64
                        " bytes; shrink the range",
                        argument, size, offset, buffer->desc.label, buffer->desc.size);
    }
    return ISG_OK;
}

isg_status isg_record_check_copy(const isg_device *device, isg_buffer *destination,
                                 uint64_t destination_offset, isg_buffer *source,
                                 uint64_t source_offset, uint64_t size)
{
    isg_status status = check_buffer(device, destination, "copy: destination");

    if (status == ISG_OK) {
        status = check_buffer(device, source, "copy: source");
    }
    if (status == ISG_OK) {
        status = check_range(destination, destination_offset, size, "copy: destination");
    }
    if (status == ISG_OK) {
        status = check_range(source, source_offset, size, "copy: source");
    }
    if (status == ISG_OK && destination == source &&
        isg_ranges_overlap(destination_offset, size, source_offset, size)) {
        status = isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                          "copy: %" PRIu64 " bytes from %" PRIu64 " to %" PRIu64
                          " of buffer '%s' overlap; copy by way of another buffer",
                          size, source_offset, destination_offset, source->desc.label);
    }
    return status;
}

isg_status isg_record_check_fill(const isg_device *device, isg_buffer *buffer, uint64_t offset,
                                 uint64_t size)
{
    isg_status status = check_buffer(device, buffer, "fill: buffer");

    return status == ISG_OK ? check_range(buffer, offset, size, "fill: buffer") : status;
}

static isg_status append_copy(isg_recording *recording, const isg_command *command)
{
    isg_recording_core *core = recording->core;
    uint32_t held_before = isg_record_begin_call(core);
    isg_status status = isg_record_hold(core, &command->as.copy.destination->object);

    if (status == ISG_OK) {
        status = isg_record_hold(core, &command->as.copy.source->object);
    }
    if (status == ISG_OK) {
        status = isg_record_command(core, command);
    }
    return isg_record_finish_call(core, held_before, status);
}

isg_status isg_record_add_copy(isg_recording *recording, isg_buffer *destination,
                               uint64_t destination_offset, isg_buffer *source,
                               uint64_t source_offset, uint64_t size)
{
    if (size == 0) {
        return ISG_OK;
    }
    return append_copy(recording, &(isg_command){
                                      .kind = ISG_COMMAND_COPY,
                                      .as.copy = {.destination = destination,
                                                  .source = source,
                                                  .destination_offset = destination_offset,
                                                  .source_offset = source_offset,
                                                  .size = size},
                                  });
}

isg_status isg_record_add_fill(isg_recording *recording, isg_buffer *buffer, uint64_t offset,
                               uint64_t size, uint8_t value)
{
    isg_recording_core *core = recording->core;
    uint32_t held_before = isg_record_begin_call(core);
    isg_status status = ISG_OK;

    if (size == 0) {
        return ISG_OK;
    }
    status = isg_record_hold(core, &buffer->object);
    if (status == ISG_OK) {
        status = isg_record_command(core, &(isg_command){.kind = ISG_COMMAND_FILL,
                                                         .as.fill = {buffer, offset, size, value}});
    }
    return isg_record_finish_call(core, held_before, status);
}

/* ---- the public functions -------------------------------------------------------------------- */

static isg_status check_recording(isg_recording *recording, const char *argument)
{
    isg_status status = isg_handle_check(recording, ISG_OBJECT_RECORDING, argument);

    if (status == ISG_OK && recording->core->ended) {
        return isg_fail(ISG_ERROR_INVALID_STATE,
                        "%s: recording '%s' has ended; append before isg_recording_end()", argument,
                        recording->label);
    }
    if (status == ISG_OK && recording->core->broken != ISG_OK) {
        return isg_fail(recording->core->broken,
                        "%s: an earlier call on recording '%s' failed halfway with %s; record anew",
                        argument, recording->label, isg_status_name(recording->core->broken));
    }
    return status == ISG_OK ? isg_device_check(recording->object.device) : status;
}

isg_status isg_record_dispatch(isg_recording *recording, const isg_dispatch *dispatch)
{
    isg_status status = check_recording(recording, "isg_record_dispatch: recording");

    return status == ISG_OK ? isg_record_add_dispatch(recording, dispatch, 0, NULL) : status;
}

isg_status isg_record_copy(isg_recording *recording, isg_buffer *destination,
                           uint64_t destination_offset, isg_buffer *source, uint64_t source_offset,
                           uint64_t size)
{
    isg_status status = check_recording(recording, "isg_record_copy: recording");

    if (status == ISG_OK) {
        status = isg_record_check_copy(recording->object.device, destination, destination_offset,
                                       source, source_offset, size);
    }
    if (status == ISG_OK) {
        status = isg_record_add_copy(recording, destination, destination_offset, source,
                                     source_offset, size);
    }
    return status;
}

isg_status isg_record_fill(isg_recording *recording, isg_buffer *buffer, uint64_t offset,
                           uint64_t size, uint8_t value)
{
    isg_status status = check_recording(recording, "isg_record_fill: recording");

    if (status == ISG_OK) {
        status = isg_record_check_fill(recording->object.device, buffer, offset, size);
    }
    return status == ISG_OK ? isg_record_add_fill(recording, buffer, offset, size, value) : status;
}
