/* Owns the compiled variants of a kernel: found, or compiled once however many threads ask. */
#include "core/kernel.h"

#include "core/device.h"
#include "core/object.h"
#include "core/support.h"

#include <string.h>

static size_t entry_size(const isg_kernel_core *core)
{
    return sizeof(isg_variant_entry) + core->info->constant_count * sizeof(uint64_t);
}

static void forget_failure(const isg_kernel_core *core, isg_variant_entry *entry)
{
    isg_string_free(isg_device_allocator(core->kernel->object.device), entry->message);
    entry->message = NULL;
    entry->status = ISG_OK;
}

static isg_status repeat_failure(const isg_variant_entry *entry)
{
    return isg_fail(entry->status, "%s",
                    entry->message != NULL ? entry->message : isg_status_name(entry->status));
}

/* The kernel's module after the passes of `form`, made once. */
static isg_status lower(isg_kernel_core *core, isg_spirv_form form, const isg_spirv_lowered **out)
{
    const isg_device *device = core->kernel->object.device;
    isg_status status = ISG_OK;

    pthread_mutex_lock(&core->lower_lock);
    if (!core->is_lowered[form]) {
        status = isg_spirv_lower(
            core->module,
            &(isg_spirv_lower_desc){
                .entry = core->info->entry,
                .info = core->info,
                .form = form,
                .flags = core->flags,
                .target = {.floats = device->info.floats, .features = device->info.limits.features},
            },
            &core->lowered[form]);
        core->is_lowered[form] = status == ISG_OK;
    }
    pthread_mutex_unlock(&core->lower_lock);
    *out = &core->lowered[form];
    return status;
}

/* The constants as the driver gets them: the kernel's own, then the phase. */
static uint32_t fill_constants(const isg_kernel_core *core, const isg_variant_entry *entry,
                               const isg_spirv_lowered *lowered, isg_variant_constant *out)
{
    uint32_t count = core->info->constant_count;

    for (uint32_t i = 0; i < count; i++) {
        out[i] = (isg_variant_constant){
            .id = core->info->constants[i].id,
            .size = core->info->constants[i].size,
            .value = entry->values[i],
        };
    }
    if (lowered->has_phase_constant) {
        out[count++] = (isg_variant_constant){ISG_SPEC_ID_PHASE, 4, entry->phase};
    }
    return count;
}

/* Compiles without any lock: it may take long. */
static isg_status compile(isg_kernel_core *core, const isg_variant_entry *entry, isg_variant **out)
{
    isg_device *device = core->kernel->object.device;
    const isg_host_allocator *allocator = isg_device_allocator(device);
    const isg_spirv_lowered *lowered = NULL;
    size_t size = (core->info->constant_count + 1) * sizeof(isg_variant_constant);
    isg_variant_constant *constants = NULL;
    isg_variant_desc desc = {.entry = core->info->entry};
    isg_status status = isg_device_check(device);

    if (status == ISG_OK) {
        status = lower(core, entry->form, &lowered);
    }
    if (status == ISG_OK) {
        status = isg_workgroup_size_resolve(device, core->info, entry->values, core->label,
                                            desc.workgroup_size);
    }
    if (status != ISG_OK) {
        return status;
    }
    constants = isg_alloc(allocator, size);
    if (constants == NULL) {
        return isg_fail_host_memory("a compiled kernel");
    }
    desc.words = isg_spirv_words(lowered->module, &desc.word_count);
    desc.constants = constants;
    desc.constant_count = fill_constants(core, entry, lowered, constants);
    desc.uses_state = lowered->uses_state;
    status = isg_device_result(device, device->ops->variant_create(core->kernel, &desc, out));
    isg_free(allocator, constants, size);
    if (status != ISG_OK) {
        return status;
    }
    isg_object_init(&(*out)->object, ISG_OBJECT_VARIANT, device);
    (*out)->kernel = core->kernel;
    (*out)->uses_state = desc.uses_state;
    return ISG_OK;
}

/* Compiles an entry the caller has set to COMPILING; the kernel's lock is held around. */
static void compile_entry(isg_kernel_core *core, isg_variant_entry *entry)
{
    isg_variant *variant = NULL;
    isg_status status = ISG_OK;

    pthread_mutex_unlock(&core->lock);
    status = compile(core, entry, &variant);
    pthread_mutex_lock(&core->lock);
    entry->status = status;
    if (status == ISG_OK) {
        entry->variant = variant;
        entry->state = ISG_VARIANT_READY;
    } else {
        entry->message =
            isg_string_copy(isg_device_allocator(core->kernel->object.device), isg_last_error());
        entry->state = ISG_VARIANT_FAILED;
    }
    pthread_cond_broadcast(&core->changed);
}

/* The entry with this key, made if there is none. The kernel's lock is held. */
static isg_status find_entry(isg_kernel_core *core, isg_spirv_form form, uint32_t phase,
                             const uint64_t *values, isg_variant_entry **out)
{
    const size_t values_size = core->info->constant_count * sizeof *values;
    isg_variant_entry *entry = core->entries;

    while (entry != NULL &&
           (entry->form != form || entry->phase != phase ||
            (values_size != 0 && memcmp(entry->values, values, values_size) != 0))) {
        entry = entry->next;
    }
    if (entry == NULL) {
        entry = isg_alloc(isg_device_allocator(core->kernel->object.device), entry_size(core));
        if (entry == NULL) {
            return isg_fail_host_memory("a compiled kernel");
        }
        entry->form = form;
        entry->phase = phase;
        if (values_size != 0) {
            memcpy(entry->values, values, values_size);
        }
        entry->next = core->entries;
        core->entries = entry;
    }
    *out = entry;
    return ISG_OK;
}

/* What the driver refuses stays refused; other failures may pass. */
static bool may_retry(const isg_variant_entry *entry)
{
    return entry->state == ISG_VARIANT_FAILED && entry->status != ISG_ERROR_COMPILE_FAILED &&
           entry->status != ISG_ERROR_UNSUPPORTED;
}

isg_status isg_variant_get(isg_kernel *kernel, isg_spirv_form form, uint32_t phase,
                           const uint64_t *values, isg_variant **out)
{
    isg_kernel_core *core = kernel->core;
    isg_variant_entry *entry = NULL;
    isg_status status = ISG_OK;

    *out = NULL;
    pthread_mutex_lock(&core->lock);
    status = find_entry(core, form, phase, values, &entry);
    if (status != ISG_OK) {
        pthread_mutex_unlock(&core->lock);
        return status;
    }
    while (entry->state == ISG_VARIANT_COMPILING) {
        pthread_cond_wait(&core->changed, &core->lock);
    }
    if (may_retry(entry)) {
        forget_failure(core, entry);
        entry->state = ISG_VARIANT_NEW;
    }
    if (entry->state == ISG_VARIANT_NEW || entry->state == ISG_VARIANT_QUEUED) {
        entry->state = ISG_VARIANT_COMPILING;
        compile_entry(core, entry);
    }
    *out = entry->variant;
    status = entry->state == ISG_VARIANT_READY ? ISG_OK : repeat_failure(entry);
    pthread_mutex_unlock(&core->lock);
    return status;
}

isg_status isg_variant_enqueue(isg_kernel *kernel, isg_spirv_form form, uint32_t phase,
                               const uint64_t *values, isg_variant_entry **out_entry)
{
    isg_kernel_core *core = kernel->core;
    isg_variant_entry *entry = NULL;
    isg_status status = ISG_OK;

    *out_entry = NULL;
    pthread_mutex_lock(&core->lock);
    status = find_entry(core, form, phase, values, &entry);
    if (status == ISG_OK) {
        entry->prepared = true;
        if (may_retry(entry)) {
            forget_failure(core, entry);
            entry->state = ISG_VARIANT_NEW;
        }
        if (entry->state == ISG_VARIANT_NEW) {
            entry->state = ISG_VARIANT_QUEUED;
            *out_entry = entry;
        }
    }
    pthread_mutex_unlock(&core->lock);
    return status;
}

void isg_variant_compile_queued(isg_kernel *kernel, isg_variant_entry *entry)
{
    isg_kernel_core *core = kernel->core;

    pthread_mutex_lock(&core->lock);
    if (entry->state == ISG_VARIANT_QUEUED) {
        entry->state = ISG_VARIANT_COMPILING;
        compile_entry(core, entry);
    }
    pthread_mutex_unlock(&core->lock);
}

void isg_variant_cancel(isg_kernel *kernel, isg_variant_entry *entry)
{
    isg_kernel_core *core = kernel->core;

    pthread_mutex_lock(&core->lock);
    if (entry->state == ISG_VARIANT_QUEUED) {
        entry->state = ISG_VARIANT_NEW;
        pthread_cond_broadcast(&core->changed);
    }
    pthread_mutex_unlock(&core->lock);
}

void isg_variants_destroy(isg_kernel_core *core)
{
    isg_device *device = core->kernel->object.device;

    while (core->entries != NULL) {
        isg_variant_entry *entry = core->entries;

        core->entries = entry->next;
        if (entry->variant != NULL) {
            device->ops->object_destroy(&entry->variant->object);
        }
        forget_failure(core, entry);
        isg_free(isg_device_allocator(device), entry, entry_size(core));
    }
}
