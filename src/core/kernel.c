/* Owns kernels: creating them from SPIR-V, and what a device must offer them. */
#include "core/kernel.h"

#include "core/device.h"
#include "core/dispatch.h"
#include "core/handle.h"
#include "core/object.h"
#include "core/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- what the device must offer -------------------------------------------------------------- */

static isg_status check_features(const isg_device *device, const isg_kernel_info *info,
                                 const char *label)
{
    uint32_t missing = info->features & ~device->info.limits.features;
    char names[512] = "";
    size_t length = 0;

    if (missing == 0) {
        return ISG_OK;
    }
    for (uint32_t bit = 0; bit < 32 && length < sizeof names; bit++) {
        const char *name = isg_feature_name(missing & UINT32_C(1) << bit);

        if (name != NULL) {
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                       length != 0 ? ", " : "", name);
        }
    }
    return isg_fail(ISG_ERROR_UNSUPPORTED,
                    "kernel '%s' needs %s, which device '%s' lacks; write the kernel without, or "
                    "open a device that has it",
                    label, names, device->core->label);
}

static isg_status check_limits(const isg_device *device, const isg_kernel_info *info,
                               uint32_t descriptor_count, const char *label)
{
    const isg_device_limits *limits = &device->info.limits;
    const char *device_label = device->core->label;

    if (info->shared_size > limits->max_shared_size) {
        return isg_fail(ISG_ERROR_LIMIT_EXCEEDED,
                        "kernel '%s' uses %" PRIu64 " bytes of shared memory; max_shared_size of "
                        "device '%s' is %u; use less",
                        label, info->shared_size, device_label, limits->max_shared_size);
    }
    if (info->push_size > limits->max_push_size || info->push_size > ISG_MAX_PUSH_SIZE) {
        return isg_fail(ISG_ERROR_LIMIT_EXCEEDED,
                        "kernel '%s' declares %u bytes of push constants; max_push_size of device "
                        "'%s' is %u; put the rest into a buffer",
                        label, info->push_size, device_label, limits->max_push_size);
    }
    if (descriptor_count > limits->max_bindings) {
        return isg_fail(ISG_ERROR_LIMIT_EXCEEDED,
                        "kernel '%s' has %u bindings, array elements counted; max_bindings of "
                        "device '%s' is %u; bind fewer",
                        label, descriptor_count, device_label, limits->max_bindings);
    }
    for (uint32_t i = 0; i < info->binding_count; i++) {
        /* Drivers allocate up to the highest number, whatever is between. */
        if (info->bindings[i].binding > ISG_MAX_BINDING_NUMBER) {
            return isg_fail(ISG_ERROR_LIMIT_EXCEEDED,
                            "kernel '%s' has binding %u in set %u; binding numbers end at %u; use "
                            "smaller ones",
                            label, info->bindings[i].binding, info->bindings[i].set,
                            ISG_MAX_BINDING_NUMBER);
        }
    }
    return ISG_OK;
}

static isg_status check_defaults(const isg_device *device, const isg_kernel_info *info,
                                 const char *label)
{
    const isg_host_allocator *allocator = isg_device_allocator(device);
    size_t size = info->constant_count * sizeof(uint64_t);
    uint64_t *values = isg_alloc(allocator, size);
    uint32_t workgroup[3] = {0};
    char what[128];
    isg_status status = ISG_OK;

    if (values == NULL) {
        return isg_fail_host_memory("a kernel");
    }
    snprintf(what, sizeof what, "kernel '%.96s'", label);
    status = isg_constants_resolve(info, NULL, 0, what, values);
    if (status == ISG_OK) {
        status = isg_workgroup_size_resolve(device, info, values, what, workgroup);
    }
    isg_free(allocator, values, size);
    return status;
}

static uint32_t count_descriptors(const isg_kernel_info *info)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < info->binding_count; i++) {
        count += info->bindings[i].array_count;
    }
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* ---- creating -------------------------------------------------------------------------------- */

static void core_destroy(const isg_host_allocator *allocator, isg_kernel_core *core)
{
    for (uint32_t form = 0; form < ISG_SPIRV_FORM_COUNT; form++) {
        isg_spirv_free(core->lowered[form].module);
    }
    isg_spirv_free(core->module);
    isg_kernel_info_release(core->info);
    isg_string_free(allocator, core->label);
    pthread_mutex_destroy(&core->lower_lock);
    pthread_mutex_destroy(&core->lock);
    pthread_cond_destroy(&core->changed);
    isg_free(allocator, core, sizeof *core);
}

static isg_status core_create(const isg_host_allocator *allocator, const isg_kernel_desc *desc,
                              isg_kernel_core **out)
{
    isg_kernel_core *core = isg_alloc(allocator, sizeof *core);
    pthread_condattr_t attributes;
    isg_status status = ISG_OK;

    if (core == NULL) {
        return isg_fail_host_memory("a kernel");
    }
    pthread_mutex_init(&core->lower_lock, NULL);
    pthread_mutex_init(&core->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&core->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    core->flags = desc->flags;
    status = isg_spirv_parse(allocator, desc->spirv, desc->size, &core->module);
    if (status == ISG_OK) {
        status = isg_spirv_reflect(core->module, desc->entry, &core->info);
    }
    if (status == ISG_OK) {
        core->descriptor_count = count_descriptors(core->info);
        core->label =
            isg_string_copy(allocator, desc->label != NULL ? desc->label : core->info->entry);
        status = core->label != NULL ? ISG_OK : isg_fail_host_memory("a kernel");
    }
    if (status != ISG_OK) {
        core_destroy(allocator, core);
        return status;
    }
    *out = core;
    return ISG_OK;
}

static isg_status check_kernel(const isg_device *device, const isg_kernel_core *core)
{
    isg_status status = check_features(device, core->info, core->label);

    if (status == ISG_OK) {
        status = check_limits(device, core->info, core->descriptor_count, core->label);
    }
    return status == ISG_OK ? check_defaults(device, core->info, core->label) : status;
}

isg_status isg_kernel_make(isg_device *device, const isg_kernel_desc *desc, isg_kernel **out)
{
    const isg_host_allocator *allocator = isg_device_allocator(device);
    isg_kernel_core *core = NULL;
    isg_status status = core_create(allocator, desc, &core);

    *out = NULL;
    if (status != ISG_OK) {
        return status;
    }
    status = check_kernel(device, core);
    if (status == ISG_OK) {
        status = isg_device_result(
            device, device->ops->kernel_create(device, core->info, core->label, out));
    }
    if (status != ISG_OK) {
        *out = NULL;
        core_destroy(allocator, core);
        return status;
    }
    isg_object_init(&(*out)->object, ISG_OBJECT_KERNEL, device);
    (*out)->info = core->info;
    (*out)->label = core->label;
    (*out)->core = core;
    core->kernel = *out;
    return ISG_OK;
}

void isg_kernel_destroy(isg_kernel *kernel)
{
    isg_device *device = kernel->object.device;
    isg_kernel_core *core = kernel->core;

    isg_variants_destroy(core);
    device->ops->object_destroy(&kernel->object);
    core_destroy(isg_device_allocator(device), core);
}

static isg_status check_desc(const isg_kernel_desc *desc)
{
    const uint32_t known = ISG_KERNEL_FAST_MATH | ISG_KERNEL_BOUNDED | ISG_KERNEL_CHECKED;

    if (desc == NULL || desc->spirv == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_kernel_create: %s is NULL; a kernel needs a SPIR-V module",
                        desc == NULL ? "desc" : "desc->spirv");
    }
    if (desc->size % 4 != 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_kernel_create: %zu bytes of SPIR-V are no multiple of 4; is the file "
                        "complete?",
                        desc->size);
    }
    if ((desc->flags & ~known) != 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_kernel_create: flags 0x%x hold unknown bits; use those of "
                        "isg_kernel_flag",
                        desc->flags);
    }
    return ISG_OK;
}

isg_status isg_kernel_create(isg_device *device, const isg_kernel_desc *desc, isg_kernel **out)
{
    isg_status status = ISG_OK;

    if (out == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_kernel_create: out is NULL; pass where to put the kernel");
    }
    *out = NULL;
    status = isg_handle_check(device, ISG_OBJECT_DEVICE, "isg_kernel_create: device");
    if (status == ISG_OK) {
        status = check_desc(desc);
    }
    if (status == ISG_OK) {
        status = isg_device_check(device);
    }
    if (status == ISG_OK) {
        status = isg_kernel_make(device, desc, out);
    }
    if (status != ISG_OK) {
        return status;
    }
    status = isg_object_publish_or_drop(&(*out)->object);
    *out = status == ISG_OK ? *out : NULL;
    return status;
}

const isg_kernel_info *isg_kernel_get_info(const isg_kernel *kernel)
{
    return isg_handle_is_live(kernel, ISG_OBJECT_KERNEL) ? kernel->info : NULL;
}
