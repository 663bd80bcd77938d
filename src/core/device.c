/* Owns devices: opening, closing when the last user goes, and the error that sticks. */
#include "core/device.h"

#include "core/handle.h"
#include "core/instance.h"
#include "core/object.h"
#include "core/queue.h"
#include "core/selector.h"
#include "core/support.h"
#include "core/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the error that sticks ------------------------------------------------------------------- */

isg_status isg_device_check(isg_device *device)
{
    isg_device_core *core = device->core;
    isg_status sticky = (isg_status)atomic_load_explicit(&core->sticky, memory_order_acquire);

    if (sticky == ISG_OK) {
        return ISG_OK;
    }
    /* The message is written before `sticky` and never again. */
    return isg_fail(
        sticky, "device '%s' is %s; release it and open it again. What happened first: %s",
        core->label, sticky == ISG_ERROR_DEVICE_STUCK ? "stuck" : "lost", core->sticky_message);
}

isg_status isg_device_result(isg_device *device, isg_status status)
{
    isg_device_core *core = device->core;

    if (status != ISG_ERROR_DEVICE_LOST && status != ISG_ERROR_DEVICE_STUCK) {
        return status;
    }
    pthread_mutex_lock(&core->sticky_lock);
    if (atomic_load_explicit(&core->sticky, memory_order_relaxed) == ISG_OK) {
        snprintf(core->sticky_message, sizeof core->sticky_message, "%s", isg_last_error());
        atomic_store_explicit(&core->sticky, (int)status, memory_order_release);
    }
    pthread_mutex_unlock(&core->sticky_lock);
    return status;
}

isg_status isg_device_status(isg_device *device)
{
    isg_status status = isg_handle_check(device, ISG_OBJECT_DEVICE, "isg_device_status: device");

    return status == ISG_OK ? isg_device_check(device) : status;
}

/* ---- opening --------------------------------------------------------------------------------- */

static isg_status check_desc(const isg_device_desc *desc)
{
    if ((desc->queue_lock.lock == NULL) != (desc->queue_lock.unlock == NULL)) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_device_open: desc->queue_lock has only its %s callback; give both or "
                        "neither",
                        desc->queue_lock.lock != NULL ? "lock" : "unlock");
    }
    return ISG_OK;
}

static isg_status choose_device(isg_instance *instance, const char *selector, uint32_t *out_index)
{
    isg_backend_info backends[8] = {{0}};
    isg_selector_list list = {.backends = backends};
    isg_status status = isg_instance_list(instance);

    if (status != ISG_OK) {
        return status;
    }
    list.infos = instance->infos;
    list.count = instance->device_count;
    for (uint32_t i = 0; i < instance->backend_count && i < 8; i++) {
        const char *reason = instance->backends[i].reason;

        backends[list.backend_count++] = (isg_backend_info){
            .name = instance->backends[i].ops->name,
            .available = reason == NULL,
            .reason = reason != NULL ? reason : "",
        };
    }
    status = isg_selector_match(&list, selector, getenv("ISOGRID_DEVICE"), out_index);
    if (status != ISG_OK) {
        return status;
    }
    if (list.infos[*out_index].unusable != NULL && list.infos[*out_index].unusable[0] != '\0') {
        return isg_fail(ISG_ERROR_UNSUPPORTED, "isogrid cannot use device %s, '%s' (%s): %s",
                        list.infos[*out_index].selector, list.infos[*out_index].name,
                        list.infos[*out_index].driver_info, list.infos[*out_index].unusable);
    }
    return ISG_OK;
}

static void core_free(const isg_host_allocator *allocator, isg_device_core *core)
{
    if (core == NULL) {
        return;
    }
    isg_pool_destroy(&core->pool, allocator);
    pthread_mutex_destroy(&core->sticky_lock);
    pthread_mutex_destroy(&core->submit_lock);
    pthread_mutex_destroy(&core->lock);
    isg_string_free(allocator, core->label);
    isg_free(allocator, core, sizeof *core);
}

static isg_device_core *core_create(const isg_host_allocator *allocator, const char *label)
{
    isg_device_core *core = isg_alloc(allocator, sizeof *core);
    const char *grid_sync = getenv("ISOGRID_GRID_SYNC");

    if (core == NULL) {
        return NULL;
    }
    isg_pool_init(&core->pool);
    pthread_mutex_init(&core->sticky_lock, NULL);
    pthread_mutex_init(&core->submit_lock, NULL);
    pthread_mutex_init(&core->lock, NULL);
    snprintf(core->grid_sync, sizeof core->grid_sync, "%s", grid_sync != NULL ? grid_sync : "");
    core->label = isg_string_copy(allocator, label);
    if (core->label == NULL) {
        core_free(allocator, core);
        return NULL;
    }
    return core;
}

/* The device without its queue. Holds the instance on success. */
static isg_status create_device(isg_instance *instance, uint32_t index, const isg_device_desc *desc,
                                isg_device **out)
{
    const isg_host_allocator *allocator = isg_instance_allocator(instance);
    const isg_listed_device *listed = &instance->listing[index];
    const isg_device_info *info = &instance->infos[index];
    isg_device_desc normalised = *desc;
    isg_device_core *core =
        core_create(allocator, desc->label != NULL ? desc->label : info->selector);
    isg_status status = ISG_OK;

    if (core == NULL) {
        return isg_fail_host_memory("a device");
    }
    normalised.label = core->label;
    if (normalised.hang_timeout_ns == 0) {
        normalised.hang_timeout_ns = ISG_DEFAULT_HANG_TIMEOUT_NS;
    }
    status = listed->backend->ops->device_create(listed->backend, listed->driver_index, &normalised,
                                                 out);
    if (status != ISG_OK) {
        *out = NULL;
        core_free(allocator, core);
        return status;
    }
    isg_object_init(&(*out)->object, ISG_OBJECT_DEVICE, NULL);
    (*out)->ops = listed->backend->ops;
    (*out)->backend = listed->backend;
    (*out)->instance = instance;
    (*out)->desc = normalised;
    (*out)->core = core;
    (*out)->info.backend = info->backend;
    (*out)->info.index = info->index;
    memcpy((*out)->info.selector, info->selector, sizeof info->selector);
    core->device = *out;
    isg_object_hold(&instance->object);
    return ISG_OK;
}

static void close_device(isg_device *device);

static isg_status open_device(isg_instance *instance, const char *selector,
                              const isg_device_desc *desc, isg_device **out)
{
    static pthread_once_t watching = PTHREAD_ONCE_INIT;
    uint32_t index = 0;
    isg_status status = choose_device(instance, selector, &index);

    if (status == ISG_OK) {
        status = create_device(instance, index, desc, out);
    }
    if (status != ISG_OK) {
        return status;
    }
    status = isg_queue_make(*out, "queue", true, &(*out)->core->queue);
    if (status == ISG_OK) {
        status = isg_object_publish(&(*out)->object);
    }
    if (status != ISG_OK) {
        close_device(*out);
        *out = NULL;
        return status;
    }
    /* Once more: opening a device loads more of its driver. */
    pthread_once(&watching, isg_object_watch_exit);
    return ISG_OK;
}

isg_status isg_device_open(isg_instance *instance, const char *selector,
                           const isg_device_desc *desc, isg_device **out)
{
    static const isg_device_desc defaults = {0};
    isg_instance *own = NULL;
    isg_status status = ISG_OK;

    if (out == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_device_open: out is NULL; pass where to put the device");
    }
    *out = NULL;
    desc = desc != NULL ? desc : &defaults;
    status = check_desc(desc);
    if (status == ISG_OK && instance != NULL) {
        status = isg_handle_check(instance, ISG_OBJECT_INSTANCE, "isg_device_open: instance");
    } else if (status == ISG_OK) {
        uint32_t count = 0;
        const isg_backend_ops *const *backends = isg_backends(&count);

        status = isg_instance_make(backends, count, NULL, &own);
        instance = own;
    }
    if (status == ISG_OK) {
        status = open_device(instance, selector, desc, out);
    }
    if (own != NULL) {
        isg_object_drop(&own->object);
    }
    return status;
}

/* ---- closing --------------------------------------------------------------------------------- */

/* What a stuck device still uses may never be freed. It is kept reachable, so that a leak checker
 * knows it is on purpose. */
typedef struct abandoned {
    struct abandoned *next;
    isg_queue_core *queues;
    isg_instance *instance;
} abandoned;

static void abandon(isg_queue_core *queues, isg_instance *instance)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static abandoned *list;
    abandoned *entry = malloc(sizeof *entry);

    if (entry != NULL) {
        pthread_mutex_lock(&lock);
        *entry = (abandoned){list, queues, instance};
        list = entry;
        pthread_mutex_unlock(&lock);
    }
}

/* Ends everything the device has. False: some of its work never ended, and its queues stay. */
static bool close_queues(isg_device *device)
{
    isg_device_core *core = device->core;
    bool stuck = false;

    for (isg_queue_core *queue = core->queues; queue != NULL; queue = queue->next) {
        stuck |= !isg_queue_finish(queue->queue);
    }
    if (stuck) {
        for (isg_queue_core *queue = core->queues; queue != NULL; queue = queue->next) {
            isg_handle_remove(&queue->queue->object);
            isg_handle_remove(&queue->queue->event->object);
        }
        abandon(core->queues, device->instance);
        return false;
    }
    while (core->queues != NULL) {
        isg_queue_core *queue = core->queues;

        core->queues = queue->next;
        isg_queue_destroy(queue->queue);
    }
    return true;
}

static void close_device(isg_device *device)
{
    isg_instance *instance = device->instance;
    const isg_host_allocator *allocator = isg_instance_allocator(instance);
    isg_device_core *core = device->core;
    bool finished = false;
    bool lost = false;

    isg_worker_destroy(core->worker, allocator);
    finished = close_queues(device);
    isg_object_drop(core->indirect != NULL ? &core->indirect->object : NULL);
    isg_pool_destroy(&core->pool, allocator);
    isg_pool_init(&core->pool);
    lost = atomic_load(&core->sticky) != ISG_OK;
    device->ops->device_destroy(device, lost || !finished);
    core_free(allocator, core);
    /* A driver that still runs a kernel must not be unloaded under it. */
    if (finished) {
        isg_object_drop(&instance->object);
    }
}

void isg_device_add_user(isg_device *device)
{
    atomic_fetch_add_explicit(&device->core->users, 1, memory_order_relaxed);
}

void isg_device_remove_user(isg_device *device)
{
    if (atomic_fetch_sub_explicit(&device->core->users, 1, memory_order_acq_rel) == 1) {
        close_device(device);
    }
}

static bool is_held(const isg_queue_core *queue)
{
    return atomic_load_explicit(&queue->queue->object.references, memory_order_acquire) != 0;
}

/* Takes the queues that nobody holds out of the list. */
static isg_queue_core *take_unheld_queues(isg_device_core *core)
{
    isg_queue_core *unheld = NULL;
    isg_queue_core **link = &core->queues;

    pthread_mutex_lock(&core->lock);
    while (*link != NULL) {
        isg_queue_core *queue = *link;

        if (is_held(queue)) {
            link = &queue->next;
        } else {
            *link = queue->next;
            queue->next = unheld;
            unheld = queue;
        }
    }
    pthread_mutex_unlock(&core->lock);
    return unheld;
}

void isg_device_sweep(isg_device *device)
{
    isg_device_core *core = device->core;
    isg_queue_core *unheld = NULL;

    if (!atomic_load_explicit(&core->sweep_wanted, memory_order_relaxed) ||
        !atomic_exchange_explicit(&core->sweep_wanted, false, memory_order_acquire)) {
        return;
    }
    unheld = take_unheld_queues(core);
    while (unheld != NULL) {
        isg_queue_core *queue = unheld;

        unheld = queue->next;
        /* Only a recording in flight leads to a queue that nobody holds, and whoever follows it
         * there holds the queue first. So in this order the answer is final. */
        if (isg_queue_is_idle(queue->queue) && !is_held(queue)) {
            isg_queue_destroy(queue->queue);
            continue;
        }
        pthread_mutex_lock(&core->lock);
        queue->next = core->queues;
        core->queues = queue;
        pthread_mutex_unlock(&core->lock);
        atomic_store_explicit(&core->sweep_wanted, true, memory_order_relaxed);
    }
}

/* ---- asking ---------------------------------------------------------------------------------- */

const isg_device_info *isg_device_get_info(const isg_device *device)
{
    return isg_handle_is_live(device, ISG_OBJECT_DEVICE) ? &device->info : NULL;
}

isg_queue *isg_device_queue(isg_device *device)
{
    return isg_handle_is_live(device, ISG_OBJECT_DEVICE) ? device->core->queue : NULL;
}

isg_status isg_device_memory(isg_device *device, isg_memory_info *out)
{
    isg_status status = ISG_OK;

    if (out == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_device_memory: out is NULL; pass where to put the figures");
    }
    *out = (isg_memory_info){0};
    status = isg_handle_check(device, ISG_OBJECT_DEVICE, "isg_device_memory: device");
    if (status == ISG_OK) {
        status = isg_device_check(device);
    }
    if (status != ISG_OK) {
        return status;
    }
    (void)isg_queue_reclaim(device->core->queue);
    out->size = device->info.memory_size;
    if (device->ops->device_memory != NULL) {
        status = isg_device_result(device, device->ops->device_memory(device, out));
    }
    if (status != ISG_OK) {
        *out = (isg_memory_info){0};
        return status;
    }
    out->allocated = atomic_load_explicit(&device->core->allocated, memory_order_relaxed);
    return ISG_OK;
}
