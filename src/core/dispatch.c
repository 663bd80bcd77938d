/* Turns what a caller asks into a checked dispatch. */
#include "core/dispatch.h"

#include "core/device.h"
#include "core/handle.h"
#include "core/kernel.h"
#include "core/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void isg_dispatch_scratch_free(isg_dispatch_scratch *scratch)
{
    isg_free(scratch->allocator, scratch->bindings,
             scratch->binding_capacity * sizeof *scratch->bindings);
    isg_free(scratch->allocator, scratch->values,
             scratch->value_capacity * sizeof *scratch->values);
    isg_free(scratch->allocator, scratch->ranges,
             scratch->range_capacity * sizeof *scratch->ranges);
    *scratch = (isg_dispatch_scratch){.allocator = scratch->allocator};
}

static isg_status check_push(const isg_dispatch *dispatch, const char *what,
                             isg_checked_dispatch *out)
{
    const uint32_t size = dispatch->kernel->info->push_size;

    if (dispatch->push_size != size) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: push_size is %u, but the kernel declares %u bytes of push constants; "
                        "pass exactly those",
                        what, dispatch->push_size, size);
    }
    if (dispatch->push == NULL && size != 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: push is NULL, but the kernel declares %u bytes of push constants",
                        what, size);
    }
    if (size != 0) {
        memcpy(out->push, dispatch->push, size);
    }
    out->push_size = (uint32_t)isg_align_up(size, 4);
    return ISG_OK;
}

static isg_status check_constants(const isg_dispatch *dispatch, const char *what,
                                  isg_dispatch_scratch *scratch, isg_checked_dispatch *out)
{
    const isg_kernel *kernel = dispatch->kernel;
    uint32_t workgroup[3] = {0};
    isg_status status =
        isg_reserve(scratch->allocator, (void **)&scratch->values, &scratch->value_capacity,
                    kernel->info->constant_count, sizeof *scratch->values);

    if (status == ISG_OK) {
        status = isg_constants_resolve(kernel->info, dispatch->constants, dispatch->constant_count,
                                       what, scratch->values);
    }
    if (status == ISG_OK) {
        status = isg_workgroup_size_resolve(kernel->object.device, kernel->info, scratch->values,
                                            what, workgroup);
    }
    out->values = scratch->values;
    return status;
}

static isg_status check_indirect(const isg_dispatch *dispatch, const char *what)
{
    const isg_device *device = dispatch->kernel->object.device;
    char argument[160];
    isg_status status = ISG_OK;

    snprintf(argument, sizeof argument, "%.140s: indirect", what);
    status = isg_handle_check(dispatch->indirect, ISG_OBJECT_BUFFER, argument);
    if (status != ISG_OK) {
        return status;
    }
    if (dispatch->indirect->object.device != device) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: the indirect buffer belongs to device '%s', the kernel to '%s'; use "
                        "objects of one device",
                        what, dispatch->indirect->object.device->core->label, device->core->label);
    }
    if (dispatch->indirect_offset % 4 != 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: indirect_offset %" PRIu64 " is no multiple of 4; align it", what,
                        dispatch->indirect_offset);
    }
    if (!isg_range_inside(dispatch->indirect_offset, 12, dispatch->indirect->desc.size)) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: three counts at %" PRIu64 " run past the indirect buffer '%s' of "
                        "%" PRIu64 " bytes; they need 12 bytes",
                        what, dispatch->indirect_offset, dispatch->indirect->desc.label,
                        dispatch->indirect->desc.size);
    }
    return ISG_OK;
}

static isg_status check_grid(const isg_dispatch *dispatch, const char *what,
                             isg_checked_dispatch *out)
{
    const isg_device *device = dispatch->kernel->object.device;
    const bool plain = dispatch->kernel->info->sync_class == ISG_SYNC_PLAIN;

    out->nothing = dispatch->grid[0] == 0;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t limit = device->info.limits.max_workgroup_count[i];

        out->grid[i] = dispatch->grid[i];
        if (i > 0 && out->grid[i] == 0) {
            out->grid[i] = 1;
        }
        if (plain && out->grid[i] > limit) {
            return isg_fail(ISG_ERROR_LIMIT_EXCEEDED,
                            "%s: a plain kernel over %u x %u x %u workgroups; "
                            "max_workgroup_count[%u] of device '%s' is %u; dispatch parts, or "
                            "write the kernel as phased",
                            what, dispatch->grid[0], dispatch->grid[1], dispatch->grid[2], i,
                            device->core->label, limit);
        }
    }
    if (isg_saturating_volume(out->grid) == UINT64_MAX) {
        return isg_fail(ISG_ERROR_LIMIT_EXCEEDED,
                        "%s: %u x %u x %u workgroups are more than 2^64; dispatch parts", what,
                        out->grid[0], out->grid[1], out->grid[2]);
    }
    return ISG_OK;
}

static isg_status check_rounds(const isg_dispatch *dispatch, const char *what,
                               isg_checked_dispatch *out)
{
    out->rounds = dispatch->rounds != 0 ? dispatch->rounds : 1;
    if (out->rounds > 1 && dispatch->kernel->info->sync_class != ISG_SYNC_PHASED) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: rounds is %u, but only phased kernels have rounds; leave it 0", what,
                        dispatch->rounds);
    }
    if (dispatch->plan < ISG_PLAN_AUTO || dispatch->plan > ISG_PLAN_SPLIT) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: plan %d cannot be demanded; use ISG_PLAN_AUTO, _SINGLE, _COOPERATIVE, "
                        "_VIRTUALIZED or _SPLIT",
                        what, (int)dispatch->plan);
    }
    return ISG_OK;
}

static void choose_plan(const isg_dispatch *dispatch, isg_checked_dispatch *out)
{
    const isg_device *device = dispatch->kernel->object.device;
    isg_plan_request request = {
        .device = &device->info,
        .kernel = dispatch->kernel->info,
        .indirect = out->indirect != NULL,
        .rounds = out->rounds,
        .demand = dispatch->plan,
        .grid_sync = device->core->grid_sync,
    };

    memcpy(request.grid, out->grid, sizeof request.grid);
    isg_plan_choose(&request, &out->plan, &out->form);
}

static isg_status check_kernel(const isg_dispatch *dispatch, const isg_device *device)
{
    isg_status status = ISG_OK;

    if (dispatch == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT, "the dispatch is NULL; pass one");
    }
    status = isg_handle_check(dispatch->kernel, ISG_OBJECT_KERNEL, "dispatch: kernel");
    if (status == ISG_OK && device != NULL && dispatch->kernel->object.device != device) {
        status = isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                          "dispatch: kernel '%s' belongs to device '%s', not to '%s'; create it "
                          "there",
                          dispatch->kernel->label, dispatch->kernel->object.device->core->label,
                          device->core->label);
    }
    return status;
}

isg_status isg_dispatch_check(const isg_dispatch *dispatch, uint32_t own_count,
                              const isg_device *device, isg_dispatch_scratch *scratch,
                              isg_checked_dispatch *out)
{
    char what[128];
    isg_status status = check_kernel(dispatch, device);

    if (status != ISG_OK) {
        return status;
    }
    *out = (isg_checked_dispatch){
        .kernel = dispatch->kernel,
        .label = dispatch->label != NULL ? dispatch->label : dispatch->kernel->label,
        .indirect = dispatch->indirect,
        .indirect_offset = dispatch->indirect_offset,
    };
    isg_text_join(what, sizeof what, "dispatch '", out->label, "'");
    status = isg_bindings_check(dispatch, own_count, what, scratch, &out->binding_count);
    out->bindings = scratch->bindings;
    if (status == ISG_OK) {
        status = check_push(dispatch, what, out);
    }
    if (status == ISG_OK) {
        status = check_constants(dispatch, what, scratch, out);
    }
    if (status == ISG_OK) {
        status = check_rounds(dispatch, what, out);
    }
    if (status == ISG_OK) {
        status = dispatch->indirect != NULL ? check_indirect(dispatch, what)
                                            : check_grid(dispatch, what, out);
    }
    if (status == ISG_OK) {
        choose_plan(dispatch, out);
    }
    return status;
}

isg_status isg_plan_dispatch(const isg_dispatch *dispatch, isg_plan *out)
{
    isg_dispatch_scratch scratch = {0};
    isg_checked_dispatch checked;
    isg_status status = ISG_OK;

    if (out == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_plan_dispatch: out is NULL; pass where to put the plan");
    }
    *out = (isg_plan){.kind = ISG_PLAN_REFUSED};
    status = check_kernel(dispatch, NULL);
    if (status != ISG_OK) {
        return status;
    }
    scratch.allocator = isg_device_allocator(dispatch->kernel->object.device);
    status = isg_dispatch_check(dispatch, 0, NULL, &scratch, &checked);
    if (status == ISG_OK) {
        *out = checked.plan;
    }
    isg_dispatch_scratch_free(&scratch);
    return status;
}
