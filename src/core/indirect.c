/* The checking kernel of indirect dispatches, shaders/indirect.comp: made once a device, recorded
 * before each. */
#include "core/recording.h"

#include "core/device.h"
#include "core/kernel.h"
#include "core/object.h"
#include "core/support.h"

#include "isg_kernels.h"

/* Push constants of shaders/indirect.comp. */
typedef struct indirect_push {
    uint32_t source_at;
    uint32_t args_at;
    uint32_t header_at;
    uint32_t header_stride;
    uint32_t header_count;
    uint32_t again;
    uint32_t fault_at;
    uint32_t looped_limit;
    uint32_t limit[3];
} indirect_push;

/* The device's checking kernel, made when first needed. */
static isg_status checking_kernel(isg_device *device, isg_kernel **out)
{
    isg_device_core *core = device->core;
    isg_status status = ISG_OK;

    pthread_mutex_lock(&core->lock);
    if (core->indirect == NULL) {
        status = isg_kernel_make(device,
                                 &(isg_kernel_desc){.spirv = isg_kernel_indirect,
                                                    .size = isg_kernel_indirect_size,
                                                    .label = "isogrid indirect"},
                                 &core->indirect);
    }
    *out = core->indirect;
    pthread_mutex_unlock(&core->lock);
    return status;
}

static void fill_bindings(const isg_device *device, const isg_indirect_check *check,
                          isg_command_binding bindings[3], uint32_t *out_source_at)
{
    const isg_checked_dispatch *dispatch = check->dispatch;
    const uint64_t alignment = device->info.limits.storage_offset_alignment != 0
                                   ? device->info.limits.storage_offset_alignment
                                   : 4;
    const uint64_t inside = dispatch->indirect_offset % alignment;

    bindings[0] = (isg_command_binding){
        .kind = ISG_BINDING_STORAGE_BUFFER,
        .buffer = dispatch->indirect,
        .offset = dispatch->indirect_offset - inside,
        .size = inside + 12,
    };
    bindings[1] = (isg_command_binding){
        .binding = 1,
        .kind = ISG_BINDING_STORAGE_BUFFER,
        .buffer = check->state,
        .size = check->state->desc.size,
    };
    bindings[2] = (isg_command_binding){
        .binding = 2,
        .kind = ISG_BINDING_STORAGE_BUFFER,
        .buffer = check->fault_buffer,
        .size = check->fault_buffer->desc.size,
    };
    *out_source_at = (uint32_t)(inside / 4);
}

isg_status isg_indirect_record(isg_recording_core *core, const isg_indirect_check *check)
{
    isg_device *device = core->recording->object.device;
    const isg_device_limits *limits = &device->info.limits;
    const bool looped = check->dispatch->form == ISG_SPIRV_FORM_LOOPED;
    isg_command_binding bindings[3];
    isg_kernel *kernel = NULL;
    isg_variant *variant = NULL;
    indirect_push push = {
        .args_at = (uint32_t)(check->args_offset / 4),
        .header_at = (uint32_t)(check->header_offset / 4),
        .header_stride = (uint32_t)(check->header_stride / 4),
        .header_count = check->header_count,
        .again = check->again ? 1 : 0,
        .fault_at = check->fault_word,
        .looped_limit = looped ? isg_plan_looped_workgroups(limits, UINT64_MAX) : 0,
        .limit = {limits->max_workgroup_count[0], limits->max_workgroup_count[1],
                  limits->max_workgroup_count[2]},
    };
    isg_status status = checking_kernel(device, &kernel);

    if (status == ISG_OK) {
        status = isg_variant_get(kernel, ISG_SPIRV_FORM_PLAIN, 0, NULL, &variant);
    }
    if (status != ISG_OK) {
        return status;
    }
    fill_bindings(device, check, bindings, &push.source_at);
    return isg_record_command(core, &(isg_command){
                                        .kind = ISG_COMMAND_DISPATCH,
                                        .as.dispatch = {.variant = variant,
                                                        .grid = {1, 1, 1},
                                                        .bindings = bindings,
                                                        .binding_count = 3,
                                                        .push = &push,
                                                        .push_size = sizeof push},
                                    });
}
