/* Turns a checked dispatch into commands: one for a plain kernel, one a phase and round for a
 * phased one. A pipeline barrier between two commands is the grid sync. */
#include "core/recording.h"

#include "core/buffer.h"
#include "core/device.h"
#include "core/kernel.h"
#include "core/object.h"
#include "core/support.h"

#include <string.h>

#define HEADER_SIZE (ISG_STATE_HEADER_WORDS * 4u)

/* A dispatch on its way. */
typedef struct split_run {
    isg_recording_core *core;
    const isg_checked_dispatch *dispatch;
    isg_variant *variants[ISG_MAX_PHASES];
    uint32_t phase_count;   /* 1 for a plain kernel */
    bool needs_header;      /* some variant reads isogrid's buffer */
    bool header_a_round;    /* and the round in it */
    bool repeated;          /* the command before was a dispatch of this run */
    uint32_t stride;        /* bytes from header to header */
    uint32_t batch;         /* headers written at a time */
    uint64_t args_offset;   /* indirect: where the checked counts go */
    uint64_t header_offset; /* the first header */
    bool fresh;             /* the state bytes are unused so far */
    isg_buffer *fault_buffer;
    uint32_t fault_word;
    bool guarded; /* a bounded or checked kernel: one header, whose error words last all rounds */
    isg_buffer *guard_buffer;
    uint32_t guard_word;
} split_run;

isg_status isg_state_take(isg_recording_core *core, uint64_t size, uint64_t *out_offset,
                          bool *out_fresh)
{
    isg_status status = ISG_OK;

    if (core->state == NULL) {
        status = isg_buffer_make(
            core->recording->object.device,
            &(isg_buffer_desc){.size = ISG_STATE_SIZE, .label = "isogrid state"}, &core->state);
    }
    if (status != ISG_OK) {
        return status;
    }
    if (size > ISG_STATE_SIZE - core->state_used) {
        core->state_used = 0;
        core->state_wrapped = true;
    }
    *out_offset = core->state_used;
    *out_fresh = !core->state_wrapped;
    core->state_used += size;
    return ISG_OK;
}

static isg_status get_variants(split_run *run)
{
    const isg_checked_dispatch *dispatch = run->dispatch;
    isg_status status = ISG_OK;

    for (uint32_t phase = 0; phase < run->phase_count && status == ISG_OK; phase++) {
        status = isg_variant_get(dispatch->kernel, dispatch->form, phase, dispatch->values,
                                 &run->variants[phase]);
        run->needs_header |= status == ISG_OK && run->variants[phase]->uses_state;
    }
    return status;
}

static isg_status take_state(split_run *run)
{
    const bool indirect = run->dispatch->indirect != NULL;
    const uint32_t most = isg_plan_header_batch(&run->core->recording->object.device->info.limits);
    uint64_t offset = 0;
    isg_status status = ISG_OK;

    run->header_a_round = run->needs_header && run->dispatch->kernel->info->uses_round;
    run->batch = run->header_a_round ? run->dispatch->rounds : run->needs_header ? 1 : 0;
    run->batch = run->batch < most ? run->batch : most;
    run->batch = run->guarded && run->batch > 1 ? 1 : run->batch;
    if (!indirect && run->batch == 0) {
        return ISG_OK;
    }
    status = isg_state_take(run->core, (uint64_t)run->stride * (run->batch + (indirect ? 1 : 0)),
                            &offset, &run->fresh);
    run->args_offset = offset;
    run->header_offset = indirect ? offset + run->stride : offset;
    return status;
}

static void fill_header(const split_run *run, uint32_t round, uint32_t *words)
{
    words[ISG_STATE_ROUND] = round;
    words[ISG_STATE_PHASE_COUNT] = run->phase_count;
    words[ISG_STATE_ROUND_COUNT] = run->dispatch->rounds;
    memcpy(&words[ISG_STATE_GRID_X], run->dispatch->grid, sizeof run->dispatch->grid);
    if (run->guarded) {
        /* Below what the driver allows in silence, and so that the guard's own code fits in. */
        uint64_t limit = run->core->recording->object.device->info.limits.loop_limit;

        words[ISG_STATE_LOOP_LIMIT] = limit > 1024 ? (uint32_t)(limit - 512) : 0;
    }
}

static isg_status check_indirect(split_run *run, uint32_t header_count, bool again)
{
    run->repeated = false;
    return isg_indirect_record(run->core, &(isg_indirect_check){
                                              .dispatch = run->dispatch,
                                              .state = run->core->state,
                                              .args_offset = run->args_offset,
                                              .header_offset = run->header_offset,
                                              .header_stride = run->stride,
                                              .header_count = header_count,
                                              .again = again,
                                              .fault_buffer = run->fault_buffer,
                                              .fault_word = run->fault_word,
                                          });
}

/* Writes the headers of the rounds from `round` on, as many as fit. */
static isg_status write_headers(split_run *run, uint32_t round)
{
    isg_recording_core *core = run->core;
    const uint32_t left = run->header_a_round ? run->dispatch->rounds - round : 1;
    const uint32_t count = left < run->batch ? left : run->batch;
    /* Error words stand after the others and are only zeroed once. */
    const uint32_t last = run->guarded && round != 0 ? ISG_STATE_ERROR : ISG_STATE_HEADER_WORDS;
    const uint32_t words = (count - 1) * (run->stride / 4) + last;
    const uint32_t room = words + ISG_STATE_HEADER_WORDS - last;
    isg_status status = isg_reserve(isg_device_allocator(core->recording->object.device),
                                    (void **)&core->header_words, &core->header_capacity, room, 4);

    if (status != ISG_OK) {
        return status;
    }
    memset(core->header_words, 0, room * sizeof *core->header_words);
    for (uint32_t i = 0; i < count; i++) {
        fill_header(run, round + i, core->header_words + (size_t)i * (run->stride / 4));
    }
    status = isg_record_command(core, &(isg_command){
                                          .kind = ISG_COMMAND_UPDATE,
                                          .unordered = run->fresh && round == 0,
                                          .as.update = {.buffer = core->state,
                                                        .offset = run->header_offset,
                                                        .data = core->header_words,
                                                        .size = words * 4},
                                      });
    if (status == ISG_OK && run->dispatch->indirect != NULL) {
        status = check_indirect(run, count, round != 0);
    }
    return status;
}

static isg_status record_phase(split_run *run, uint32_t round, uint32_t phase)
{
    const isg_checked_dispatch *dispatch = run->dispatch;
    isg_variant *variant = run->variants[phase];
    isg_command command = {
        .kind = ISG_COMMAND_DISPATCH,
        .as.dispatch = {.variant = variant,
                        .bindings = dispatch->bindings,
                        .binding_count = dispatch->binding_count,
                        .push = dispatch->push,
                        .push_size = dispatch->push_size,
                        .same_arguments = run->repeated},
    };

    if (dispatch->indirect != NULL) {
        command.as.dispatch.indirect = run->core->state;
        command.as.dispatch.indirect_offset = run->args_offset;
    } else {
        memcpy(command.as.dispatch.grid, dispatch->plan.physical_grid,
               sizeof command.as.dispatch.grid);
    }
    if (variant->uses_state) {
        command.as.dispatch.state = run->core->state;
        command.as.dispatch.state_offset =
            run->header_offset +
            (run->header_a_round ? (uint64_t)(round % run->batch) * run->stride : 0);
        command.as.dispatch.state_size = HEADER_SIZE;
    }
    run->repeated = true;
    return isg_record_command(run->core, &command);
}

static isg_status record_rounds(split_run *run)
{
    isg_status status = ISG_OK;

    if (!run->needs_header && run->dispatch->indirect != NULL) {
        status = check_indirect(run, 0, false);
    }
    for (uint32_t round = 0; round < run->dispatch->rounds && status == ISG_OK; round++) {
        if (run->needs_header && (round == 0 || (run->header_a_round && round % run->batch == 0))) {
            status = write_headers(run, round);
        }
        for (uint32_t phase = 0; phase < run->phase_count && status == ISG_OK; phase++) {
            status = record_phase(run, round, phase);
        }
    }
    return status;
}

/* What the guards found goes where the host reads it. */
static isg_status record_guard(const split_run *run)
{
    return isg_record_command(
        run->core, &(isg_command){
                       .kind = ISG_COMMAND_COPY,
                       .as.copy = {.destination = run->guard_buffer,
                                   .destination_offset = (uint64_t)run->guard_word * 4,
                                   .source = run->core->state,
                                   .source_offset = run->header_offset + ISG_STATE_ERROR * 4,
                                   .size = 16},
                   });
}

static isg_status record_time(isg_recording_core *core, isg_command_kind kind)
{
    if (!core->recording->timed) {
        return ISG_OK;
    }
    return isg_record_command(core,
                              &(isg_command){.kind = kind, .as.time_slot = core->dispatch_count});
}

static isg_status record_timed(split_run *run)
{
    isg_status status = record_time(run->core, ISG_COMMAND_TIME_BEGIN);

    if (status == ISG_OK && !run->dispatch->nothing) {
        status = record_rounds(run);
    }
    if (status == ISG_OK) {
        status = record_time(run->core, ISG_COMMAND_TIME_END);
    }
    return status == ISG_OK && run->guard_buffer != NULL ? record_guard(run) : status;
}

isg_status isg_split_record(isg_recording_core *core, const isg_checked_dispatch *dispatch)
{
    const isg_kernel_info *info = dispatch->kernel->info;
    const uint32_t faults_before = core->fault_count;
    split_run run = {
        .core = core,
        .dispatch = dispatch,
        .phase_count = info->sync_class == ISG_SYNC_PHASED ? info->phase_count : 1,
        .stride = isg_plan_header_stride(&core->recording->object.device->info.limits),
        .guarded = (dispatch->kernel->core->flags & (ISG_KERNEL_BOUNDED | ISG_KERNEL_CHECKED)) != 0,
    };
    isg_status status = ISG_OK;

    if (dispatch->nothing) {
        return record_timed(&run);
    }
    status = get_variants(&run);
    if (status == ISG_OK) {
        status = take_state(&run);
    }
    if (status == ISG_OK && dispatch->indirect != NULL) {
        status = isg_fault_site_add(core, dispatch, &run.fault_buffer, &run.fault_word);
    }
    if (status == ISG_OK && run.guarded && run.needs_header) {
        status = isg_fault_guard_add(core, dispatch, &run.guard_buffer, &run.guard_word);
    }
    if (status == ISG_OK) {
        status = record_timed(&run);
    }
    if (status != ISG_OK && core->appended == 0) {
        core->fault_count = faults_before;
    }
    return status;
}
