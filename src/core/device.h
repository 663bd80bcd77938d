/* The core's part of a device. */
#ifndef ISOGRID_CORE_DEVICE_H
#define ISOGRID_CORE_DEVICE_H

#include "core/backend.h"
#include "core/pool.h"

#include <pthread.h>

#define ISG_DEFAULT_HANG_TIMEOUT_NS UINT64_C(60000000000)

typedef struct isg_worker isg_worker;

struct isg_device_core {
    isg_device *device;
    char *label;        /* owned */
    isg_queue *queue;   /* owned: the device's own queue */
    char grid_sync[16]; /* environment variable ISOGRID_GRID_SYNC when the device was opened */
    atomic_uint users;  /* live handles of the device and its objects, borrowed ones aside */
    _Atomic uint64_t allocated; /* bytes of buffers and images */

    atomic_int sticky;           /* isg_status: ISG_OK, DEVICE_LOST or DEVICE_STUCK */
    pthread_mutex_t sticky_lock; /* guards sticky_message and the change of sticky */
    char sticky_message[1024];

    pthread_mutex_t submit_lock; /* held while a submission that involves user recordings or events
                                    is made, so that what several queues share changes as one */

    atomic_bool sweep_wanted; /* there may be queues that nobody holds */
    pthread_mutex_t lock;     /* guards all below */
    isg_queue_core *queues;   /* all queues, linked by their `next` */
    isg_kernel *indirect;     /* owned; made when first needed */
    isg_worker *worker;       /* owned; made when first needed */

    isg_pool pool;
};

static inline const isg_host_allocator *isg_device_allocator(const isg_device *device)
{
    return isg_instance_allocator(device->instance);
}

/* One more live handle of the device. */
void isg_device_add_user(isg_device *device);
/* One fewer; the last one closes the device. */
void isg_device_remove_user(isg_device *device);
/* Destroys queues that nobody holds and whose work is done. */
void isg_device_sweep(isg_device *device);

/* ISG_OK, or the sticky error with its first message. */
isg_status isg_device_check(isg_device *device);
/* Passes on what a slot returned; DEVICE_LOST and DEVICE_STUCK stick to the device. */
isg_status isg_device_result(isg_device *device, isg_status status);

#endif
