/* Buffers of the library's own, used again: staging, and arguments of host-bytes dispatches. */
#ifndef ISOGRID_CORE_POOL_H
#define ISOGRID_CORE_POOL_H

#include "core/backend.h"

#include <pthread.h>

typedef struct isg_pool {
    pthread_mutex_t lock; /* guards all below */
    isg_buffer **idle;    /* owned */
    uint32_t count;
    uint32_t capacity;
    uint64_t idle_size; /* bytes */
} isg_pool;

void isg_pool_init(isg_pool *pool);
/* The device's buffers are not in use any more. */
void isg_pool_destroy(isg_pool *pool, const isg_host_allocator *allocator);

/* A buffer of at least `size` bytes that nothing in flight uses. End it with isg_pool_give(), or
 * with isg_object_drop() if it may still be in use. */
isg_status isg_pool_take(isg_device *device, isg_memory memory, uint64_t size, isg_buffer **out);
/* Accepts NULL. */
void isg_pool_give(isg_device *device, isg_buffer *buffer);

#endif
