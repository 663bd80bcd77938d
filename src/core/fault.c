/* Errors that dispatches find on the device: where they are written and how the host reads them. */
#include "core/recording.h"

#include "core/buffer.h"
#include "core/device.h"
#include "core/object.h"
#include "core/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SITES_A_BUFFER 128u

static isg_status add_buffer(isg_recording_core *core)
{
    isg_device *device = core->recording->object.device;
    const uint64_t size = SITES_A_BUFFER * ISG_FAULT_WORDS * 4u;
    isg_buffer *buffer = NULL;
    isg_status status = isg_reserve(isg_device_allocator(device), (void **)&core->fault_buffers,
                                    &core->fault_buffer_capacity, core->fault_buffer_count + 1,
                                    sizeof *core->fault_buffers);

    if (status == ISG_OK) {
        status = isg_buffer_make(device,
                                 &(isg_buffer_desc){.size = size,
                                                    .memory = ISG_MEMORY_DOWNLOAD,
                                                    .label = "isogrid faults"},
                                 &buffer);
    }
    if (status != ISG_OK) {
        return status;
    }
    memset(buffer->mapped, 0, size);
    core->fault_buffers[core->fault_buffer_count++] = buffer;
    return ISG_OK;
}

/* What the device has written; it may be writing the next run's right now, so each word is read
 * once. */
static const volatile uint32_t *site_words(const isg_recording_core *core, uint32_t site)
{
    const volatile uint32_t *words = core->fault_buffers[site / SITES_A_BUFFER]->mapped;

    return words + (size_t)(site % SITES_A_BUFFER) * ISG_FAULT_WORDS;
}

isg_status isg_fault_site_add(isg_recording_core *core, const isg_checked_dispatch *dispatch,
                              isg_buffer **out_buffer, uint32_t *out_word)
{
    const isg_device *device = core->recording->object.device;
    const uint32_t index = core->fault_count;
    isg_fault_site *site = NULL;
    isg_status status = isg_reserve(isg_device_allocator(device), (void **)&core->faults,
                                    &core->fault_capacity, index + 1, sizeof *core->faults);

    if (status == ISG_OK && index / SITES_A_BUFFER == core->fault_buffer_count) {
        status = add_buffer(core);
    }
    if (status != ISG_OK) {
        return status;
    }
    site = &core->faults[index];
    *site = (isg_fault_site){.looped = dispatch->form == ISG_SPIRV_FORM_LOOPED};
    snprintf(site->label, sizeof site->label, "%s", dispatch->label);
    memcpy(site->limit, device->info.limits.max_workgroup_count, sizeof site->limit);
    site->seen = site_words(core, index)[ISG_FAULT_COUNT];
    core->fault_count++;
    *out_buffer = core->fault_buffers[index / SITES_A_BUFFER];
    *out_word = index % SITES_A_BUFFER * ISG_FAULT_WORDS;
    return ISG_OK;
}

isg_status isg_fault_guard_add(isg_recording_core *core, const isg_checked_dispatch *dispatch,
                               isg_buffer **out_buffer, uint32_t *out_word)
{
    isg_status status = isg_fault_site_add(core, dispatch, out_buffer, out_word);

    if (status == ISG_OK) {
        core->faults[core->fault_count - 1].guard = true;
    }
    return status;
}

/* What the guards of a bounded or checked kernel say, in the order of ISG_STATE_ERROR. */
static isg_status read_guard(isg_recording_core *core, const isg_fault_site *site,
                             const volatile uint32_t *words)
{
    const uint32_t error = words[0], set = words[1], binding = words[2], index = words[3];

    if (error == ISG_STATE_ERROR_NONE) {
        return ISG_OK;
    }
    if (error == ISG_STATE_ERROR_LOOP) {
        snprintf(core->message, sizeof core->message,
                 "dispatch '%s': an invocation's loops ran into the limit of a bounded kernel; its "
                 "results are undefined; mend the loop or leave ISG_KERNEL_BOUNDED out",
                 site->label);
        return ISG_ERROR_LOOP_LIMIT;
    }
    if (set == UINT32_MAX) {
        snprintf(core->message, sizeof core->message,
                 "dispatch '%s': index %u is outside a shared or private array; the access was "
                 "skipped; mend the index",
                 site->label, index);
    } else {
        snprintf(
            core->message, sizeof core->message,
            "dispatch '%s': index %u is outside the buffer or array at set %u, binding %u; the "
            "access was skipped; mend the index or bind a larger buffer",
            site->label, index, set, binding);
    }
    return ISG_ERROR_OUT_OF_BOUNDS;
}

static void describe(isg_recording_core *core, const isg_fault_site *site,
                     const volatile uint32_t *words)
{
    const uint32_t counts[3] = {words[ISG_FAULT_VALUES], words[ISG_FAULT_VALUES + 1],
                                words[ISG_FAULT_VALUES + 2]};

    if (site->looped) {
        snprintf(core->message, sizeof core->message,
                 "dispatch '%s' found %u x %u x %u workgroups in its indirect buffer, more than "
                 "2^64 in all, and did nothing; write smaller counts",
                 site->label, counts[0], counts[1], counts[2]);
        return;
    }
    snprintf(core->message, sizeof core->message,
             "dispatch '%s' found %u x %u x %u workgroups in its indirect buffer and did nothing; "
             "max_workgroup_count of device '%s' is %u x %u x %u for a plain kernel; write smaller "
             "counts",
             site->label, counts[0], counts[1], counts[2],
             core->recording->object.device->core->label, site->limit[0], site->limit[1],
             site->limit[2]);
}

isg_status isg_faults_read(isg_recording_core *core)
{
    isg_status status = ISG_OK;

    for (uint32_t i = 0; i < core->fault_count; i++) {
        const volatile uint32_t *words = site_words(core, i);
        const uint32_t count = words[ISG_FAULT_COUNT];

        if (core->faults[i].guard) {
            status = status == ISG_OK ? read_guard(core, &core->faults[i], words) : status;
            continue;
        }
        if (count == core->faults[i].seen) {
            continue;
        }
        core->faults[i].seen = count;
        if (status == ISG_OK) {
            describe(core, &core->faults[i], words);
            status = ISG_ERROR_LIMIT_EXCEEDED;
        }
    }
    return status;
}
