/* How host bytes reach buffers. */
#ifndef ISOGRID_CORE_TRANSFER_H
#define ISOGRID_CORE_TRANSFER_H

#include "core/backend.h"

/* Whether the host reads the buffer's memory at full speed; else downloads go through staging. */
bool isg_buffer_reads_fast(const isg_buffer *buffer);

#endif
