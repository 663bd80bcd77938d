/* The thread of a device that compiles kernels ahead of their first dispatch. */
#ifndef ISOGRID_CORE_WORKER_H
#define ISOGRID_CORE_WORKER_H

#include "core/kernel.h"

typedef struct isg_worker isg_worker;

/* Starts the thread. */
isg_status isg_worker_create(const isg_host_allocator *allocator, isg_worker **out);
/* Takes back what has not begun, waits for the compile that has, ends the thread. Accepts NULL. */
void isg_worker_destroy(isg_worker *worker, const isg_host_allocator *allocator);
/* Hands over an entry that is QUEUED. Holds the kernel until it is done. */
isg_status isg_worker_add(isg_worker *worker, isg_kernel *kernel, isg_variant_entry *entry);

#endif
