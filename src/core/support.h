/* Small helpers that every file of the core uses: strings, growing arrays, ranges and the clock. */
#ifndef ISOGRID_CORE_SUPPORT_H
#define ISOGRID_CORE_SUPPORT_H

#include "core/backend.h"

/* A copy of `text`; NULL when memory ran out. End it with isg_string_free(). */
/* Writes before, text and after into `out`, cut to its size: snprintf() without its price, for what
 * every dispatch does. */
void isg_text_join(char *out, size_t size, const char *before, const char *text, const char *after);
char *isg_string_copy(const isg_host_allocator *allocator, const char *text);
void isg_string_free(const isg_host_allocator *allocator, const char *text);

/* Makes room for `needed` items of `item_size` bytes behind *items, at least doubling. New items
 * are zero. OUT_OF_MEMORY leaves the array as it was. */
isg_status isg_reserve(const isg_host_allocator *allocator, void **items, uint32_t *capacity,
                       uint32_t needed, size_t item_size);

/* Sets the last error for host memory that ran out while `what` was made. */
isg_status isg_fail_host_memory(const char *what);

/* Whether [offset, offset + size) lies in [0, limit). Nothing wraps. */
bool isg_range_inside(uint64_t offset, uint64_t size, uint64_t limit);
/* Whether two ranges, each inside some limit, share a byte. */
bool isg_ranges_overlap(uint64_t a_offset, uint64_t a_size, uint64_t b_offset, uint64_t b_size);

/* x * y * z, or UINT64_MAX where that is more. */
uint64_t isg_saturating_volume(const uint32_t extent[3]);

/* `value` rounded up to a multiple of `alignment`, a power of two. */
uint64_t isg_align_up(uint64_t value, uint64_t alignment);

/* Monotonic nanoseconds. */
uint64_t isg_now_ns(void);

#endif
