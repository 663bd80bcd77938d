/* Owns instances: their options, and the loading of backends. */
#include "core/instance.h"

#include "core/handle.h"
#include "core/object.h"
#include "core/support.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const isg_host_allocator *isg_instance_allocator(const isg_instance *instance)
{
    return &instance->allocator;
}

const char *isg_instance_cache_directory(const isg_instance *instance)
{
    return instance->cache_directory;
}

bool isg_instance_wants_printf(const isg_instance *instance)
{
    return instance->shader_printf;
}

void isg_instance_log(const isg_instance *instance, isg_log_level level, const char *message)
{
    if (instance->log != NULL) {
        instance->log(instance->log_user, level, message);
    }
}

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

static char *join(const isg_host_allocator *allocator, const char *directory, const char *rest)
{
    size_t length = strlen(directory);
    size_t size = length + strlen(rest) + 1;
    char *path = isg_alloc(allocator, size);

    if (path != NULL) {
        memcpy(path, directory, length);
        memcpy(path + length, rest, size - length);
    }
    return path;
}

/* NULL when memory ran out; "" when nothing is to be kept on disk. */
static char *choose_cache_directory(const isg_host_allocator *allocator, const char *wanted)
{
    const char *directory = wanted != NULL ? wanted : environment("ISOGRID_CACHE");

    if (directory != NULL) {
        return join(allocator, directory, "");
    }
    directory = environment("XDG_CACHE_HOME");
    if (directory != NULL) {
        return join(allocator, directory, "/isogrid");
    }
    directory = environment("HOME");
    return directory != NULL ? join(allocator, directory, "/.cache/isogrid")
                             : join(allocator, "", "");
}

/* What the registering of a backend checks once, so that nobody else has to. */
static void assert_required_slots(const isg_backend_ops *ops)
{
    (void)ops;
    assert(ops->name != NULL && ops->backend_create != NULL && ops->backend_destroy != NULL);
    assert(ops->enumerate != NULL && ops->device_create != NULL && ops->device_destroy != NULL);
    assert(ops->buffer_create != NULL && ops->kernel_create != NULL);
    assert((ops->image_create == NULL) == (ops->sampler_create == NULL));
    assert(ops->variant_create != NULL && ops->event_create != NULL && ops->event_value != NULL);
    assert(ops->event_wait != NULL && ops->queue_create != NULL && ops->queue_submit != NULL);
    assert(ops->recording_create != NULL && ops->recording_begin != NULL && ops->record != NULL);
    assert(ops->recording_end != NULL && ops->object_destroy != NULL);
}

/* A driver that is not there is an ordinary outcome and becomes the backend's reason. */
static isg_status backend_load(isg_instance *instance, isg_loaded_backend *loaded)
{
    isg_status status = ISG_OK;

    assert_required_slots(loaded->ops);
    status = loaded->ops->backend_create(instance, &loaded->backend);
    if (status == ISG_OK) {
        assert(loaded->backend->ops == loaded->ops && loaded->backend->instance == instance);
        return ISG_OK;
    }
    loaded->backend = NULL;
    if (status == ISG_ERROR_OUT_OF_MEMORY) {
        return status;
    }
    loaded->reason = isg_string_copy(&instance->allocator, isg_last_error());
    return loaded->reason != NULL ? ISG_OK : isg_fail_host_memory("an instance");
}

static isg_status check_allocator(const isg_host_allocator *allocator)
{
    if ((allocator->allocate == NULL) != (allocator->release == NULL)) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "the host allocator has only its %s callback; give both or neither",
                        allocator->allocate != NULL ? "allocate" : "release");
    }
    return ISG_OK;
}

isg_status isg_instance_make(const isg_backend_ops *const *ops, uint32_t ops_count,
                             const isg_instance_desc *desc, isg_instance **out)
{
    static const isg_instance_desc defaults = {0};
    static pthread_once_t watching = PTHREAD_ONCE_INIT;
    isg_instance *instance = NULL;
    isg_status status = ISG_OK;

    desc = desc != NULL ? desc : &defaults;
    *out = NULL;
    status = check_allocator(&desc->allocator);
    if (status != ISG_OK) {
        return status;
    }
    instance = isg_alloc(&desc->allocator, sizeof *instance);
    if (instance == NULL) {
        return isg_fail_host_memory("an instance");
    }
    isg_object_init(&instance->object, ISG_OBJECT_INSTANCE, NULL);
    pthread_mutex_init(&instance->lock, NULL);
    instance->allocator = desc->allocator;
    instance->log = desc->log;
    instance->log_user = desc->log_user;
    instance->shader_printf = desc->shader_printf;
    instance->cache_directory = choose_cache_directory(&instance->allocator, desc->cache_directory);
    instance->backends = isg_alloc(&instance->allocator, ops_count * sizeof *instance->backends);
    if (instance->cache_directory == NULL || instance->backends == NULL) {
        status = isg_fail_host_memory("an instance");
        goto fail;
    }
    for (; instance->backend_count < ops_count; instance->backend_count++) {
        isg_loaded_backend *loaded = &instance->backends[instance->backend_count];

        loaded->ops = ops[instance->backend_count];
        status = backend_load(instance, loaded);
        if (status != ISG_OK) {
            goto fail;
        }
    }
    pthread_once(&watching, isg_object_watch_exit);
    *out = instance;
    return ISG_OK;

fail:
    /* An array shorter than asked for is freed with the size it was made with. */
    instance->backend_count = instance->backends != NULL ? ops_count : 0;
    isg_instance_destroy(instance);
    return status;
}

isg_status isg_instance_create_with(const isg_backend_ops *const *ops, uint32_t ops_count,
                                    const isg_instance_desc *desc, isg_instance **out)
{
    isg_status status = ISG_OK;

    if (out == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_instance_create: out is NULL; pass where to put the instance");
    }
    status = isg_instance_make(ops, ops_count, desc, out);
    if (status != ISG_OK) {
        return status;
    }
    status = isg_object_publish_or_drop(&(*out)->object);
    *out = status == ISG_OK ? *out : NULL;
    return status;
}

isg_status isg_instance_create(const isg_instance_desc *desc, isg_instance **out)
{
    uint32_t count = 0;
    const isg_backend_ops *const *backends = isg_backends(&count);

    return isg_instance_create_with(backends, count, desc, out);
}

void isg_instance_destroy(isg_instance *instance)
{
    const isg_host_allocator allocator = instance->allocator;

    for (uint32_t i = 0; i < instance->backend_count; i++) {
        isg_loaded_backend *loaded = &instance->backends[i];

        if (loaded->backend != NULL) {
            loaded->ops->backend_destroy(loaded->backend);
        }
        isg_string_free(&allocator, loaded->reason);
    }
    isg_free(&allocator, instance->backends, instance->backend_count * sizeof *instance->backends);
    isg_free(&allocator, instance->infos, instance->device_count * sizeof *instance->infos);
    isg_free(&allocator, instance->listing, instance->device_count * sizeof *instance->listing);
    isg_string_free(&allocator, instance->cache_directory);
    pthread_mutex_destroy(&instance->lock);
    isg_free(&allocator, instance, sizeof *instance);
}

isg_status isg_instance_backend(isg_instance *instance, uint32_t index, isg_backend_info *out)
{
    isg_status status = ISG_OK;

    if (out == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_instance_backend: out is NULL; pass where to put the description");
    }
    *out = (isg_backend_info){.name = "", .reason = ""};
    status = isg_handle_check(instance, ISG_OBJECT_INSTANCE, "isg_instance_backend: instance");
    if (status != ISG_OK) {
        return status;
    }
    if (index >= instance->backend_count) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_instance_backend: there is no backend %u; the last one is %u", index,
                        instance->backend_count - 1);
    }
    status = isg_instance_list(instance);
    if (status != ISG_OK) {
        return status;
    }
    *out = (isg_backend_info){
        .name = instance->backends[index].ops->name,
        .available = instance->backends[index].reason == NULL,
        .reason = instance->backends[index].reason != NULL ? instance->backends[index].reason : "",
    };
    return ISG_OK;
}

isg_status isg_instance_devices(isg_instance *instance, isg_device_info *infos, uint32_t capacity,
                                uint32_t *out_count)
{
    isg_status status = ISG_OK;

    if (out_count == NULL || (infos == NULL && capacity != 0)) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_instance_devices: %s is NULL; give both, or infos NULL with capacity "
                        "0 to ask for the count alone",
                        out_count == NULL ? "out_count" : "infos");
    }
    *out_count = 0;
    status = isg_handle_check(instance, ISG_OBJECT_INSTANCE, "isg_instance_devices: instance");
    if (status == ISG_OK) {
        status = isg_instance_list(instance);
    }
    if (status != ISG_OK) {
        return status;
    }
    for (uint32_t i = 0; i < capacity && i < instance->device_count; i++) {
        infos[i] = instance->infos[i];
    }
    *out_count = instance->device_count;
    return ISG_OK;
}
