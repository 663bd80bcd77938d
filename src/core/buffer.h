/* Buffers of callers and of the library itself. */
#ifndef ISOGRID_CORE_BUFFER_H
#define ISOGRID_CORE_BUFFER_H

#include "core/backend.h"

/* Creates a buffer that is no live handle yet; the caller owns its one reference. */
isg_status isg_buffer_make(isg_device *device, const isg_buffer_desc *desc, isg_buffer **out);
void isg_buffer_destroy(isg_buffer *buffer);

#endif
