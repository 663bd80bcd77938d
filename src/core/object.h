/* Counting objects: what callers own, what the library holds, and when each object ends.
 *
 * An object has one reference for its live handle and one for each hold of the library (a recording
 * that names it, a submission in flight). A device is counted by its users instead: the live
 * handles that belong to it. When the last user goes, the device waits for its work, which ends
 * every hold, and closes. */
#ifndef ISOGRID_CORE_OBJECT_H
#define ISOGRID_CORE_OBJECT_H

#include "core/backend.h"

/* Fills the core's part of an object that a backend has just made: one reference. */
void isg_object_init(isg_object *object, isg_object_kind kind, isg_device *device);

/* Makes it a live handle. On failure the object is as before. */
isg_status isg_object_publish(isg_object *object);
/* The same for an object with its one reference; on failure that is dropped and the object is gone. */
isg_status isg_object_publish_or_drop(isg_object *object);

void isg_object_hold(isg_object *object);
/* Accepts NULL. The last reference destroys the object. */
void isg_object_drop(isg_object *object);

/* From here on a release that comes after the drivers' own exit handlers does nothing: the handlers
 * of a process run last first, so one of ours, registered after a driver was loaded, runs before
 * what the driver tears down. */
void isg_object_watch_exit(void);

/* What isg_*_retain() and isg_*_release() do. */
void isg_object_retain_handle(void *handle, isg_object_kind kind);
void isg_object_release_handle(void *handle, isg_object_kind kind);

#endif
