/* isg_kernel_prepare() and isg_kernel_wait(): compiling ahead of the first dispatch. */
#include "core/device.h"
#include "core/handle.h"
#include "core/support.h"
#include "core/worker.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

/* The device's worker, started when first needed. */
static isg_status device_worker(isg_device *device, isg_worker **out)
{
    isg_device_core *core = device->core;
    isg_status status = ISG_OK;

    pthread_mutex_lock(&core->lock);
    if (core->worker == NULL) {
        status = isg_worker_create(isg_device_allocator(device), &core->worker);
    }
    *out = core->worker;
    pthread_mutex_unlock(&core->lock);
    return status;
}

static isg_status prepare_variant(isg_kernel *kernel, isg_worker *worker, isg_spirv_form form,
                                  uint32_t phase, const uint64_t *values)
{
    isg_variant_entry *entry = NULL;
    isg_status status = isg_variant_enqueue(kernel, form, phase, values, &entry);

    if (status == ISG_OK && entry != NULL) {
        status = isg_worker_add(worker, kernel, entry);
        if (status != ISG_OK) {
            isg_variant_cancel(kernel, entry);
        }
    }
    return status;
}

/* All variants a dispatch with these constants may need; those most likely come first. */
static isg_status prepare_variants(isg_kernel *kernel, isg_worker *worker, const uint64_t *values)
{
    const isg_kernel_info *info = kernel->info;
    isg_status status = ISG_OK;

    if (info->sync_class == ISG_SYNC_PLAIN) {
        return prepare_variant(kernel, worker, ISG_SPIRV_FORM_PLAIN, 0, values);
    }
    for (uint32_t phase = 0; phase < info->phase_count && status == ISG_OK; phase++) {
        status = prepare_variant(kernel, worker, ISG_SPIRV_FORM_NATIVE, phase, values);
    }
    for (uint32_t phase = 0; phase < info->phase_count && status == ISG_OK; phase++) {
        status = prepare_variant(kernel, worker, ISG_SPIRV_FORM_LOOPED, phase, values);
    }
    return status;
}

static isg_status check_kernel(isg_kernel *kernel, const char *argument)
{
    isg_status status = isg_handle_check(kernel, ISG_OBJECT_KERNEL, argument);

    return status == ISG_OK ? isg_device_check(kernel->object.device) : status;
}

isg_status isg_kernel_prepare(isg_kernel *kernel, const isg_constant *constants,
                              uint32_t constant_count)
{
    isg_status status = check_kernel(kernel, "isg_kernel_prepare: kernel");
    const isg_host_allocator *allocator = NULL;
    isg_worker *worker = NULL;
    uint64_t *values = NULL;
    uint32_t workgroup[3] = {0};
    char what[128];
    size_t size = 0;

    if (status != ISG_OK) {
        return status;
    }
    allocator = isg_device_allocator(kernel->object.device);
    size = kernel->info->constant_count * sizeof *values;
    values = isg_alloc(allocator, size);
    if (values == NULL) {
        return isg_fail_host_memory("a list of constants");
    }
    snprintf(what, sizeof what, "kernel '%.96s'", kernel->label);
    status = isg_constants_resolve(kernel->info, constants, constant_count, what, values);
    if (status == ISG_OK) {
        status = isg_workgroup_size_resolve(kernel->object.device, kernel->info, values, what,
                                            workgroup);
    }
    if (status == ISG_OK) {
        status = device_worker(kernel->object.device, &worker);
    }
    if (status == ISG_OK) {
        status = prepare_variants(kernel, worker, values);
    }
    isg_free(allocator, values, size);
    return status;
}

/* The first prepared variant that is not compiled yet, or failed; NULL: all are compiled. */
static isg_variant_entry *find_unfinished(const isg_kernel_core *core, bool failed)
{
    isg_variant_entry *entry = core->entries;

    while (entry != NULL) {
        bool wanted =
            failed ? entry->state == ISG_VARIANT_FAILED
                   : entry->state == ISG_VARIANT_QUEUED || entry->state == ISG_VARIANT_COMPILING;

        if (entry->prepared && wanted) {
            return entry;
        }
        entry = entry->next;
    }
    return NULL;
}

static struct timespec deadline_after(uint64_t timeout_ns)
{
    const uint64_t latest = UINT64_C(1) << 61;
    uint64_t now = isg_now_ns();
    uint64_t end = timeout_ns < latest ? now + timeout_ns : now + latest;

    return (struct timespec){.tv_sec = (time_t)(end / 1000000000u),
                             .tv_nsec = (long)(end % 1000000000u)};
}

isg_status isg_kernel_wait(isg_kernel *kernel, uint64_t timeout_ns)
{
    isg_status status = check_kernel(kernel, "isg_kernel_wait: kernel");
    const struct timespec deadline = deadline_after(timeout_ns);
    const isg_variant_entry *failed = NULL;
    isg_kernel_core *core = NULL;
    int waited = 0;

    if (status != ISG_OK) {
        return status;
    }
    core = kernel->core;
    pthread_mutex_lock(&core->lock);
    while (waited == 0 && find_unfinished(core, false) != NULL) {
        waited = timeout_ns == ISG_WAIT_FOREVER
                     ? pthread_cond_wait(&core->changed, &core->lock)
                     : pthread_cond_timedwait(&core->changed, &core->lock, &deadline);
    }
    failed = find_unfinished(core, true);
    if (find_unfinished(core, false) != NULL) {
        status = ISG_TIMEOUT;
    } else if (failed != NULL) {
        status =
            isg_fail(failed->status, "%s",
                     failed->message != NULL ? failed->message : isg_status_name(failed->status));
    }
    pthread_mutex_unlock(&core->lock);
    return status;
}
