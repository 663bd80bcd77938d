/* The instance: options, allocator, loaded backends and the list of devices. */
#ifndef ISOGRID_CORE_INSTANCE_H
#define ISOGRID_CORE_INSTANCE_H

#include "core/backend.h"

#include <pthread.h>

/* A backend of this instance, loaded or not. */
typedef struct isg_loaded_backend {
    const isg_backend_ops *ops;
    isg_backend *backend; /* owned; NULL: it did not load */
    char *reason;         /* owned; why it is not available; NULL: it is */
} isg_loaded_backend;

/* A device as listed. */
typedef struct isg_listed_device {
    isg_backend *backend;  /* borrowed */
    uint32_t driver_index; /* what device_create takes */
} isg_listed_device;

struct isg_instance {
    isg_object object;
    isg_host_allocator allocator;
    void (*log)(void *user, isg_log_level level, const char *message);
    void *log_user;        /* borrowed */
    char *cache_directory; /* owned */
    bool shader_printf;
    isg_loaded_backend *backends; /* owned */
    uint32_t backend_count;

    pthread_mutex_t lock;       /* guards all below, until `listed` is true: then they are fixed */
    bool listed;                /* the devices have been enumerated */
    isg_device_info *infos;     /* owned; in the public order */
    isg_listed_device *listing; /* owned; one for each info */
    uint32_t device_count;
};

/* Creates an instance over the given backends, in order of preference: isg_instance_create() with
 * those of core/backends.c, tests with their own. Not a live handle yet. */
isg_status isg_instance_make(const isg_backend_ops *const *ops, uint32_t ops_count,
                             const isg_instance_desc *desc, isg_instance **out);
/* The same, as a live handle that the caller owns. */
isg_status isg_instance_create_with(const isg_backend_ops *const *ops, uint32_t ops_count,
                                    const isg_instance_desc *desc, isg_instance **out);
void isg_instance_destroy(isg_instance *instance);

/* Enumerates the devices, once (core/listing.c). */
isg_status isg_instance_list(isg_instance *instance);

/* The backends of this build, in order of preference (core/backends.c). */
const isg_backend_ops *const *isg_backends(uint32_t *out_count);

#endif
