/* The registry of live handles: which pointers callers may hand to us, and how often they own each.
 *
 * It is asked by every public call, so that NULL, released and foreign pointers give an error and
 * are never looked into. What the library itself holds (submissions, children) is counted in the
 * objects; a handle whose caller let go is dead at once, though the object may live on. */
#ifndef ISOGRID_CORE_HANDLE_H
#define ISOGRID_CORE_HANDLE_H

#include "core/backend.h"

typedef enum isg_handle_change {
    ISG_HANDLE_NOT_LIVE, /* no such handle: nothing was done */
    ISG_HANDLE_KEPT,     /* counted; the callers still own it, or own it already */
    ISG_HANDLE_FIRST,    /* retain: the first reference callers own of a borrowed handle */
    ISG_HANDLE_LAST,     /* release: the last one; the handle is dead now */
    ISG_HANDLE_RETURNED, /* release: the last one callers owned of a handle still borrowed */
} isg_handle_change;

/* Makes `object` a live handle, owned once by the caller. */
isg_status isg_handle_add(const isg_object *object);
/* Makes `object` a live handle that callers only borrow from its parent. */
isg_status isg_handle_add_borrowed(const isg_object *object);
/* The parent is let go of. True: nobody had retained the handle, it is dead now. False: it lives on
 * as one that callers own. */
bool isg_handle_end_borrowing(const isg_object *object);
/* Forgets the handle, whatever its count; fine if it is not there. */
void isg_handle_remove(const isg_object *object);

isg_handle_change isg_handle_retain(const void *handle, isg_object_kind kind);
isg_handle_change isg_handle_release(const void *handle, isg_object_kind kind);

bool isg_handle_is_live(const void *handle, isg_object_kind kind);
/* ISG_OK, or INVALID_ARGUMENT naming `argument`. */
isg_status isg_handle_check(const void *handle, isg_object_kind kind, const char *argument);

/* How many handles are live; for tests. */
size_t isg_handle_count(void);

#endif
