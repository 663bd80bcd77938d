/* Chooses how a dispatch will be run. */
#include "core/plan.h"

#include "core/support.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *isg_plan_name(isg_plan_kind kind)
{
    switch (kind) {
    case ISG_PLAN_AUTO:
        return "auto";
    case ISG_PLAN_SINGLE:
        return "single";
    case ISG_PLAN_COOPERATIVE:
        return "cooperative";
    case ISG_PLAN_VIRTUALIZED:
        return "virtualized";
    case ISG_PLAN_SPLIT:
        return "split";
    case ISG_PLAN_REFUSED:
        return "refused";
    }
    return "unknown";
}

uint32_t isg_plan_looped_workgroups(const isg_device_limits *limits, uint64_t total)
{
    uint64_t most = limits->max_workgroup_count[0];

    most = most < ISG_MAX_LOOPED_WORKGROUPS ? most : ISG_MAX_LOOPED_WORKGROUPS;
    return (uint32_t)(total < most ? total : most);
}

uint32_t isg_plan_header_stride(const isg_device_limits *limits)
{
    const uint32_t size = ISG_STATE_HEADER_WORDS * 4u;

    return limits->storage_offset_alignment > size ? limits->storage_offset_alignment : size;
}

uint32_t isg_plan_header_batch(const isg_device_limits *limits)
{
    /* One place is left for the counts of an indirect dispatch. */
    return ISG_STATE_SIZE / isg_plan_header_stride(limits) - 1;
}

/* How often the grid of an indirect dispatch is written into headers, by a dispatch of our own. */
static uint32_t count_checks(const isg_plan_request *request)
{
    const uint32_t batch = isg_plan_header_batch(&request->device->limits);

    return request->kernel->uses_round ? (request->rounds - 1) / batch + 1 : 1;
}

__attribute__((format(printf, 2, 3))) static void refuse(isg_plan *out, const char *format, ...)
{
    va_list arguments;

    *out = (isg_plan){.kind = ISG_PLAN_REFUSED};
    va_start(arguments, format);
    vsnprintf(out->reason, sizeof out->reason, format, arguments);
    va_end(arguments);
}

static void set_reason(isg_plan *out, const char *reason)
{
    isg_text_join(out->reason, sizeof out->reason, "", reason, "");
}

static bool fits_native(const isg_device_limits *limits, const uint32_t grid[3])
{
    return grid[0] <= limits->max_workgroup_count[0] && grid[1] <= limits->max_workgroup_count[1] &&
           grid[2] <= limits->max_workgroup_count[2];
}

static void plan_single(const isg_plan_request *request, isg_plan *out)
{
    if (request->demand != ISG_PLAN_AUTO && request->demand != ISG_PLAN_SINGLE) {
        refuse(out,
               "plan %s was demanded, but a plain kernel has no grid sync: it runs as plan "
               "single",
               isg_plan_name(request->demand));
        return;
    }
    *out = (isg_plan){.kind = ISG_PLAN_SINGLE};
    if (request->indirect) {
        /* A kernel of ours checks the counts first. */
        out->dispatch_count = 2;
        set_reason(out, "plain kernel; its grid is read and checked on the device");
        return;
    }
    if (request->grid[0] == 0) {
        set_reason(out, "the grid is empty: nothing to do");
        return;
    }
    out->dispatch_count = 1;
    memcpy(out->physical_grid, request->grid, sizeof out->physical_grid);
    set_reason(out, "plain kernel");
}

static void plan_split(const isg_plan_request *request, isg_plan *out, isg_spirv_form *out_form)
{
    const isg_device_limits *limits = &request->device->limits;
    const uint64_t dispatches = (uint64_t)request->kernel->phase_count * request->rounds;

    if (dispatches > ISG_MAX_SPLIT_DISPATCHES) {
        refuse(out,
               "%u rounds of %u phases would become %" PRIu64 " dispatches; plan split stops at "
               "%u: dispatch fewer rounds at a time",
               request->rounds, request->kernel->phase_count, dispatches, ISG_MAX_SPLIT_DISPATCHES);
        return;
    }
    *out = (isg_plan){.kind = ISG_PLAN_SPLIT};
    out->sync_count = (uint32_t)(dispatches - 1);
    if (request->indirect) {
        *out_form = ISG_SPIRV_FORM_LOOPED;
        out->dispatch_count = (uint32_t)dispatches + count_checks(request);
        set_reason(out, "one dispatch a phase; the grid is read on the device");
        return;
    }
    if (request->grid[0] == 0) {
        *out_form = ISG_SPIRV_FORM_NATIVE;
        out->sync_count = 0;
        set_reason(out, "the grid is empty: nothing to do");
        return;
    }
    out->dispatch_count = (uint32_t)dispatches;
    if (fits_native(limits, request->grid)) {
        *out_form = ISG_SPIRV_FORM_NATIVE;
        memcpy(out->physical_grid, request->grid, sizeof out->physical_grid);
        set_reason(out, "one dispatch a phase");
        return;
    }
    *out_form = ISG_SPIRV_FORM_LOOPED;
    out->physical_grid[0] =
        isg_plan_looped_workgroups(limits, isg_saturating_volume(request->grid));
    out->physical_grid[1] = 1;
    out->physical_grid[2] = 1;
    set_reason(out, "one dispatch a phase; its workgroups loop over a grid above the device's "
                    "max_workgroup_count");
}

/* What the environment asks of grid-sync kernels. */
static bool environment_allows(const isg_plan_request *request, isg_plan *out)
{
    const char *value = request->grid_sync;

    if (value[0] == '\0' || strcasecmp(value, "auto") == 0 || strcasecmp(value, "split") == 0) {
        return true;
    }
    if (strcasecmp(value, "resident") == 0) {
        refuse(out, "ISOGRID_GRID_SYNC=resident asks for workgroups that wait for each other "
                    "inside one dispatch, which isogrid does not do on this device yet; unset it");
    } else {
        refuse(out, "ISOGRID_GRID_SYNC=%.64s is none of auto, resident, split; correct or unset it",
               value);
    }
    return false;
}

void isg_plan_choose(const isg_plan_request *request, isg_plan *out, isg_spirv_form *out_form)
{
    *out_form = ISG_SPIRV_FORM_PLAIN;
    switch (request->kernel->sync_class) {
    case ISG_SYNC_PLAIN:
        plan_single(request, out);
        return;
    case ISG_SYNC_PHASED:
        if (request->demand != ISG_PLAN_AUTO && request->demand != ISG_PLAN_SPLIT) {
            refuse(out,
                   "plan %s was demanded, but isogrid runs phased kernels as plan split on "
                   "this device",
                   isg_plan_name(request->demand));
        } else if (request->device->grid_sync == ISG_GRID_SYNC_NONE) {
            refuse(out, "the device runs plain kernels only: %s",
                   request->device->grid_sync_reason != NULL ? request->device->grid_sync_reason
                                                             : "it has no grid sync");
        } else if (environment_allows(request, out)) {
            plan_split(request, out, out_form);
        }
        return;
    case ISG_SYNC_COOPERATIVE:
        refuse(out, "a cooperative kernel needs all its workgroups resident at once, which isogrid "
                    "does not do on this device yet; write it as a list of phases");
        return;
    }
    refuse(out, "the kernel's sync class is unknown");
}

isg_status isg_plan_fail(const isg_plan *plan, const char *label)
{
    if (plan->max_workgroups != 0) {
        return isg_fail(ISG_ERROR_GRID_TOO_LARGE,
                        "dispatch '%s' is refused: %s; the largest grid that would run has %" PRIu64
                        " workgroups",
                        label, plan->reason, plan->max_workgroups);
    }
    return isg_fail(ISG_ERROR_UNSUPPORTED, "dispatch '%s' is refused: %s", label, plan->reason);
}
