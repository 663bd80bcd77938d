/* The last error of each thread, host memory, and the helpers of support.h. */
#include "core/support.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* In the thread's own storage, so that failing for want of memory needs none. */
static _Thread_local char last_error[2048];

const char *isg_status_name(isg_status status)
{
    switch (status) {
    case ISG_OK:
        return "ISG_OK";
    case ISG_TIMEOUT:
        return "ISG_TIMEOUT";
    case ISG_ERROR_INVALID_ARGUMENT:
        return "ISG_ERROR_INVALID_ARGUMENT";
    case ISG_ERROR_OUT_OF_MEMORY:
        return "ISG_ERROR_OUT_OF_MEMORY";
    case ISG_ERROR_UNAVAILABLE:
        return "ISG_ERROR_UNAVAILABLE";
    case ISG_ERROR_AMBIGUOUS:
        return "ISG_ERROR_AMBIGUOUS";
    case ISG_ERROR_UNSUPPORTED:
        return "ISG_ERROR_UNSUPPORTED";
    case ISG_ERROR_LIMIT_EXCEEDED:
        return "ISG_ERROR_LIMIT_EXCEEDED";
    case ISG_ERROR_INVALID_SPIRV:
        return "ISG_ERROR_INVALID_SPIRV";
    case ISG_ERROR_INVALID_STATE:
        return "ISG_ERROR_INVALID_STATE";
    case ISG_ERROR_COMPILE_FAILED:
        return "ISG_ERROR_COMPILE_FAILED";
    case ISG_ERROR_IO:
        return "ISG_ERROR_IO";
    case ISG_ERROR_GRID_TOO_LARGE:
        return "ISG_ERROR_GRID_TOO_LARGE";
    case ISG_ERROR_BARRIER_EXPIRED:
        return "ISG_ERROR_BARRIER_EXPIRED";
    case ISG_ERROR_DEVICE_LOST:
        return "ISG_ERROR_DEVICE_LOST";
    case ISG_ERROR_DEVICE_STUCK:
        return "ISG_ERROR_DEVICE_STUCK";
    case ISG_ERROR_DRIVER:
        return "ISG_ERROR_DRIVER";
    case ISG_ERROR_LOOP_LIMIT:
        return "ISG_ERROR_LOOP_LIMIT";
    case ISG_ERROR_OUT_OF_BOUNDS:
        return "ISG_ERROR_OUT_OF_BOUNDS";
    }
    return "unknown isg_status";
}

const char *isg_last_error(void)
{
    return last_error;
}

isg_status isg_set_last_error(isg_status status, const char *message)
{
    return isg_fail(status, "%s", message != NULL ? message : isg_status_name(status));
}

isg_status isg_fail(isg_status status, const char *format, ...)
{
    /* Formatted aside: the arguments may point into last_error itself. */
    char text[sizeof last_error];
    va_list arguments;

    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) < 0) {
        text[0] = '\0';
    }
    va_end(arguments);
    memcpy(last_error, text, strlen(text) + 1);
    return status;
}

isg_status isg_fail_host_memory(const char *what)
{
    return isg_fail(ISG_ERROR_OUT_OF_MEMORY,
                    "host memory ran out while making %s; free some and try again", what);
}

void *isg_alloc(const isg_host_allocator *allocator, size_t size)
{
    void *pointer = NULL;

    if (allocator == NULL || allocator->allocate == NULL) {
        return calloc(1, size != 0 ? size : 1);
    }
    pointer = allocator->allocate(allocator->user, size != 0 ? size : 1, alignof(max_align_t));
    if (pointer != NULL) {
        memset(pointer, 0, size != 0 ? size : 1);
    }
    return pointer;
}

void isg_free(const isg_host_allocator *allocator, void *pointer, size_t size)
{
    if (pointer == NULL) {
        return;
    }
    if (allocator == NULL || allocator->release == NULL) {
        free(pointer);
        return;
    }
    allocator->release(allocator->user, pointer, size != 0 ? size : 1);
}

void *isg_grow(const isg_host_allocator *allocator, void *pointer, size_t old_size, size_t new_size)
{
    void *grown = isg_alloc(allocator, new_size);

    if (grown == NULL) {
        return NULL;
    }
    if (pointer != NULL) {
        memcpy(grown, pointer, old_size < new_size ? old_size : new_size);
        isg_free(allocator, pointer, old_size);
    }
    return grown;
}

void isg_text_join(char *out, size_t size, const char *before, const char *text, const char *after)
{
    const char *const parts[3] = {before, text, after};
    size_t used = 0;

    for (int i = 0; i < 3; i++) {
        size_t length = strlen(parts[i]);

        length = length < size - 1 - used ? length : size - 1 - used;
        memcpy(out + used, parts[i], length);
        used += length;
    }
    out[used] = '\0';
}

char *isg_string_copy(const isg_host_allocator *allocator, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = isg_alloc(allocator, size);

    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

void isg_string_free(const isg_host_allocator *allocator, const char *text)
{
    if (text != NULL) {
        /* The cast drops a const that only guards readers: the string is our own. */
        isg_free(allocator, (char *)(uintptr_t)text, strlen(text) + 1);
    }
}

isg_status isg_reserve(const isg_host_allocator *allocator, void **items, uint32_t *capacity,
                       uint32_t needed, size_t item_size)
{
    uint64_t wanted = *capacity != 0 ? *capacity : 4;
    void *grown = NULL;

    if (needed <= *capacity) {
        return ISG_OK;
    }
    while (wanted < needed) {
        wanted *= 2;
    }
    if (wanted > UINT32_MAX || wanted > SIZE_MAX / item_size) {
        return isg_fail_host_memory("a list");
    }
    grown = isg_grow(allocator, *items, *capacity * item_size, (size_t)wanted * item_size);
    if (grown == NULL) {
        return isg_fail_host_memory("a list");
    }
    *items = grown;
    *capacity = (uint32_t)wanted;
    return ISG_OK;
}

bool isg_range_inside(uint64_t offset, uint64_t size, uint64_t limit)
{
    return offset <= limit && size <= limit - offset;
}

bool isg_ranges_overlap(uint64_t a_offset, uint64_t a_size, uint64_t b_offset, uint64_t b_size)
{
    if (a_size == 0 || b_size == 0) {
        return false;
    }
    if (a_offset <= b_offset) {
        return b_offset - a_offset < a_size;
    }
    return a_offset - b_offset < b_size;
}

uint64_t isg_saturating_volume(const uint32_t extent[3])
{
    uint64_t area = (uint64_t)extent[0] * extent[1];

    if (extent[2] != 0 && area > UINT64_MAX / extent[2]) {
        return UINT64_MAX;
    }
    return area * extent[2];
}

uint64_t isg_align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

uint64_t isg_now_ns(void)
{
    struct timespec now = {0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
