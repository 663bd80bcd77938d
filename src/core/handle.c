/* The registry of live handles: a hash set in shards, each under a lock of its own.
 *
 * Plain malloc, for it belongs to no instance. A shard without handles owns no memory, so nothing
 * is left when the library is unloaded. */
#include "core/handle.h"

#include "core/support.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct handle_entry {
    const void *handle; /* NULL: free */
    isg_object_kind kind;
    uint32_t owned; /* references callers own */
    bool borrowed;  /* lives as long as its parent besides */
} handle_entry;

typedef struct handle_shard {
    pthread_mutex_t lock; /* guards all below */
    handle_entry *entries;
    size_t capacity; /* a power of two; at most half is used */
    size_t count;
} handle_shard;

#define SHARD_1                                                                                    \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }
#define SHARD_4 SHARD_1, SHARD_1, SHARD_1, SHARD_1
#define SHARD_16 SHARD_4, SHARD_4, SHARD_4, SHARD_4

static handle_shard shards[] = {SHARD_16, SHARD_16};

static uint64_t handle_hash(const void *handle)
{
    uint64_t bits = (uint64_t)(uintptr_t)handle;

    return (bits >> 4) * UINT64_C(0x9E3779B97F4A7C15);
}

static handle_shard *shard_of(const void *handle)
{
    return &shards[handle_hash(handle) >> 59];
}

static size_t home_of(const handle_shard *shard, const void *handle)
{
    return (size_t)(handle_hash(handle) >> 24) & (shard->capacity - 1);
}

/* The entry of `handle`, or the free one where it belongs. There is always a free one. */
static handle_entry *shard_probe(const handle_shard *shard, const void *handle)
{
    size_t at = home_of(shard, handle);

    while (shard->entries[at].handle != NULL && shard->entries[at].handle != handle) {
        at = (at + 1) & (shard->capacity - 1);
    }
    return &shard->entries[at];
}

static handle_entry *shard_find(const handle_shard *shard, const void *handle, isg_object_kind kind)
{
    handle_entry *entry = NULL;

    if (handle == NULL || shard->count == 0) {
        return NULL;
    }
    entry = shard_probe(shard, handle);
    return entry->handle == handle && entry->kind == kind ? entry : NULL;
}

static bool shard_grow(handle_shard *shard)
{
    handle_shard grown = {.capacity = shard->capacity != 0 ? shard->capacity * 2 : 8};

    grown.entries = calloc(grown.capacity, sizeof *grown.entries);
    if (grown.entries == NULL) {
        return false;
    }
    for (size_t i = 0; i < shard->capacity; i++) {
        if (shard->entries[i].handle != NULL) {
            *shard_probe(&grown, shard->entries[i].handle) = shard->entries[i];
        }
    }
    free(shard->entries);
    shard->entries = grown.entries;
    shard->capacity = grown.capacity;
    return true;
}

/* Frees the entry and closes the gap, so that probing never meets a tombstone. */
static void shard_erase(handle_shard *shard, handle_entry *entry)
{
    size_t mask = shard->capacity - 1;
    size_t gap = (size_t)(entry - shard->entries);
    size_t at = gap;

    for (;;) {
        size_t home = 0;

        at = (at + 1) & mask;
        if (shard->entries[at].handle == NULL) {
            break;
        }
        home = home_of(shard, shard->entries[at].handle);
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            shard->entries[gap] = shard->entries[at];
            gap = at;
        }
    }
    shard->entries[gap] = (handle_entry){0};
    shard->count--;
    if (shard->count == 0) {
        free(shard->entries);
        shard->entries = NULL;
        shard->capacity = 0;
    }
}

static isg_status handle_add(const isg_object *object, bool borrowed)
{
    handle_shard *shard = shard_of(object);
    isg_status status = ISG_OK;

    pthread_mutex_lock(&shard->lock);
    if ((shard->count + 1) * 2 > shard->capacity && !shard_grow(shard)) {
        status = isg_fail_host_memory("a handle");
    } else {
        *shard_probe(shard, object) = (handle_entry){
            .handle = object,
            .kind = object->kind,
            .owned = borrowed ? 0 : 1,
            .borrowed = borrowed,
        };
        shard->count++;
    }
    pthread_mutex_unlock(&shard->lock);
    return status;
}

isg_status isg_handle_add(const isg_object *object)
{
    return handle_add(object, false);
}

isg_status isg_handle_add_borrowed(const isg_object *object)
{
    return handle_add(object, true);
}

bool isg_handle_end_borrowing(const isg_object *object)
{
    handle_shard *shard = shard_of(object);
    handle_entry *entry = NULL;
    bool dead = false;

    pthread_mutex_lock(&shard->lock);
    entry = shard_find(shard, object, object->kind);
    if (entry != NULL && entry->borrowed) {
        entry->borrowed = false;
        dead = entry->owned == 0;
        if (dead) {
            shard_erase(shard, entry);
        }
    }
    pthread_mutex_unlock(&shard->lock);
    return dead;
}

void isg_handle_remove(const isg_object *object)
{
    handle_shard *shard = shard_of(object);
    handle_entry *entry = NULL;

    pthread_mutex_lock(&shard->lock);
    entry = shard_find(shard, object, object->kind);
    if (entry != NULL) {
        shard_erase(shard, entry);
    }
    pthread_mutex_unlock(&shard->lock);
}

isg_handle_change isg_handle_retain(const void *handle, isg_object_kind kind)
{
    handle_shard *shard = shard_of(handle);
    isg_handle_change change = ISG_HANDLE_NOT_LIVE;
    handle_entry *entry = NULL;

    pthread_mutex_lock(&shard->lock);
    entry = shard_find(shard, handle, kind);
    if (entry != NULL) {
        change = entry->owned == 0 ? ISG_HANDLE_FIRST : ISG_HANDLE_KEPT;
        entry->owned++;
    }
    pthread_mutex_unlock(&shard->lock);
    return change;
}

isg_handle_change isg_handle_release(const void *handle, isg_object_kind kind)
{
    handle_shard *shard = shard_of(handle);
    isg_handle_change change = ISG_HANDLE_NOT_LIVE;
    handle_entry *entry = NULL;

    pthread_mutex_lock(&shard->lock);
    entry = shard_find(shard, handle, kind);
    /* A borrowed handle that callers own no reference of cannot be released by them. */
    if (entry != NULL && entry->owned != 0) {
        entry->owned--;
        change = ISG_HANDLE_KEPT;
        if (entry->owned == 0) {
            change = entry->borrowed ? ISG_HANDLE_RETURNED : ISG_HANDLE_LAST;
        }
        if (change == ISG_HANDLE_LAST) {
            shard_erase(shard, entry);
        }
    }
    pthread_mutex_unlock(&shard->lock);
    return change;
}

bool isg_handle_is_live(const void *handle, isg_object_kind kind)
{
    handle_shard *shard = NULL;
    bool live = false;

    if (handle == NULL) {
        return false;
    }
    shard = shard_of(handle);
    pthread_mutex_lock(&shard->lock);
    live = shard_find(shard, handle, kind) != NULL;
    pthread_mutex_unlock(&shard->lock);
    return live;
}

static const char *kind_name(isg_object_kind kind)
{
    static const char *const names[] = {
        [ISG_OBJECT_INSTANCE] = "isg_instance", [ISG_OBJECT_DEVICE] = "isg_device",
        [ISG_OBJECT_BUFFER] = "isg_buffer",     [ISG_OBJECT_IMAGE] = "isg_image",
        [ISG_OBJECT_SAMPLER] = "isg_sampler",   [ISG_OBJECT_KERNEL] = "isg_kernel",
        [ISG_OBJECT_VARIANT] = "variant",       [ISG_OBJECT_QUEUE] = "isg_queue",
        [ISG_OBJECT_EVENT] = "isg_event",       [ISG_OBJECT_RECORDING] = "isg_recording",
    };

    return names[kind];
}

isg_status isg_handle_check(const void *handle, isg_object_kind kind, const char *argument)
{
    if (handle == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT, "%s is NULL; it must be a live %s", argument,
                        kind_name(kind));
    }
    if (!isg_handle_is_live(handle, kind)) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s, handle %p, is not a live %s: released, or never one; pass one that "
                        "its create function gave and nobody released",
                        argument, handle, kind_name(kind));
    }
    return ISG_OK;
}

size_t isg_handle_count(void)
{
    size_t count = 0;

    for (size_t i = 0; i < sizeof shards / sizeof shards[0]; i++) {
        pthread_mutex_lock(&shards[i].lock);
        count += shards[i].count;
        pthread_mutex_unlock(&shards[i].lock);
    }
    return count;
}
