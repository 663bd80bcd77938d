/* Owns the device's pool of buffers for the library's own use. */
#include "core/pool.h"

#include "core/buffer.h"
#include "core/device.h"
#include "core/object.h"
#include "core/support.h"

/* Idle buffers are kept up to this much in all; above it they are freed. */
static const uint64_t pool_idle_limit = UINT64_C(128) << 20;
static const uint64_t pool_rounding_limit = UINT64_C(16) << 20;
static const uint64_t pool_smallest = 4096;

void isg_pool_init(isg_pool *pool)
{
    *pool = (isg_pool){0};
    pthread_mutex_init(&pool->lock, NULL);
}

void isg_pool_destroy(isg_pool *pool, const isg_host_allocator *allocator)
{
    for (uint32_t i = 0; i < pool->count; i++) {
        isg_object_drop(&pool->idle[i]->object);
    }
    isg_free(allocator, pool->idle, pool->capacity * sizeof(isg_buffer *));
    pthread_mutex_destroy(&pool->lock);
}

/* Powers of two up to 16 MiB, so that few sizes serve many; exact above. */
static uint64_t rounded_size(uint64_t size, uint64_t limit)
{
    uint64_t rounded = pool_smallest;

    if (size > pool_rounding_limit) {
        return size;
    }
    while (rounded < size) {
        rounded *= 2;
    }
    return rounded <= limit ? rounded : size;
}

isg_status isg_pool_take(isg_device *device, isg_memory memory, uint64_t size, isg_buffer **out)
{
    isg_pool *pool = &device->core->pool;
    uint64_t wanted = rounded_size(size, device->info.limits.max_buffer_size);

    *out = NULL;
    pthread_mutex_lock(&pool->lock);
    for (uint32_t i = pool->count; i-- > 0;) {
        isg_buffer *buffer = pool->idle[i];

        if (buffer->desc.memory == memory && buffer->desc.size == wanted) {
            *out = buffer;
            pool->idle_size -= wanted;
            pool->idle[i] = pool->idle[--pool->count];
            break;
        }
    }
    pthread_mutex_unlock(&pool->lock);
    if (*out != NULL) {
        return ISG_OK;
    }
    return isg_buffer_make(
        device,
        &(isg_buffer_desc){.size = wanted,
                           .memory = memory,
                           .label = memory == ISG_MEMORY_DEVICE ? "host bytes" : "isogrid staging"},
        out);
}

void isg_pool_give(isg_device *device, isg_buffer *buffer)
{
    isg_pool *pool = &device->core->pool;
    bool kept = false;

    if (buffer == NULL) {
        return;
    }
    pthread_mutex_lock(&pool->lock);
    /* Freeing is no failure: where there is no room to remember the buffer, it goes. */
    if (buffer->desc.size <= pool_idle_limit - pool->idle_size &&
        isg_reserve(isg_device_allocator(device), (void **)&pool->idle, &pool->capacity,
                    pool->count + 1, sizeof(isg_buffer *)) == ISG_OK) {
        pool->idle[pool->count++] = buffer;
        pool->idle_size += buffer->desc.size;
        kept = true;
    }
    pthread_mutex_unlock(&pool->lock);
    if (!kept) {
        isg_object_drop(&buffer->object);
    }
}
