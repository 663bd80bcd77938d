/* Owns the making of objects and data for cases. */
#include "conform.h"

#include "isogrid_test_kernels.h"

#include <stdlib.h>
#include <string.h>

const uint32_t *conform_spirv(const char *stem, size_t *out_size)
{
    for (const isogrid_test_kernels_entry *entry = isogrid_test_kernels; entry->name; entry++) {
        if (strcmp(entry->name, stem) == 0) {
            *out_size = entry->size;
            return entry->words;
        }
    }
    conform_fail("there is no test kernel '%s'", stem);
}

isg_kernel *conform_kernel_on(isg_device *device, const char *stem)
{
    isg_kernel_desc desc = {.label = stem};
    isg_kernel *kernel = NULL;
    isg_status status = ISG_OK;

    desc.spirv = conform_spirv(stem, &desc.size);
    status = isg_kernel_create(device, &desc, &kernel);
    if (status != ISG_OK) {
        conform_fail("isg_kernel_create of '%s' returned %s: %s", stem, isg_status_name(status),
                     isg_last_error());
    }
    return kernel;
}

isg_kernel *conform_kernel(const char *stem)
{
    return conform_kernel_on(conform_device(), stem);
}

isg_buffer *conform_buffer(uint64_t size, isg_memory memory)
{
    isg_buffer *buffer = NULL;

    CONFORM_OK(isg_buffer_create(conform_device(),
                                 &(isg_buffer_desc){.size = size, .memory = memory}, &buffer));
    return buffer;
}

isg_buffer *conform_buffer_on(isg_device *device, const void *data, uint64_t size)
{
    isg_buffer *buffer = NULL;

    CONFORM_OK(isg_buffer_create(device, &(isg_buffer_desc){.size = size}, &buffer));
    CONFORM_OK(isg_buffer_upload(buffer, 0, data, size));
    return buffer;
}

isg_buffer *conform_buffer_of(const void *data, uint64_t size)
{
    return conform_buffer_on(conform_device(), data, size);
}

void *conform_alloc(size_t count, size_t size)
{
    void *pointer = calloc(count, size);

    if (!pointer) {
        conform_fail("no host memory for %zu x %zu bytes", count, size);
    }
    return pointer;
}

void conform_free(void *pointer)
{
    free(pointer);
}

void conform_run_on(isg_queue *queue, const isg_dispatch *dispatch)
{
    isg_plan plan;

    CONFORM_OK(isg_plan_dispatch(dispatch, &plan));
    conform_report_plan(plan.kind);
    if (plan.kind == ISG_PLAN_REFUSED) {
        conform_fail("the dispatch was refused: %s", plan.reason);
    }
    CONFORM_OK(isg_queue_dispatch(queue, dispatch, 1, NULL));
    CONFORM_OK(isg_queue_wait(queue, 0, ISG_WAIT_FOREVER));
}

void conform_run(const isg_dispatch *dispatch)
{
    conform_run_on(conform_queue(), dispatch);
}

uint32_t conform_mix32(uint32_t value)
{
    value ^= value >> 16;
    value *= 0x7feb352du;
    value ^= value >> 15;
    value *= 0x846ca68bu;
    value ^= value >> 16;
    return value;
}

void conform_random_words(uint32_t *words, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++) {
        words[i] = conform_mix32(seed + (uint32_t)i * 0x9e3779b9u);
    }
}

void conform_random_bytes(void *bytes, size_t size, uint32_t seed)
{
    unsigned char *out = bytes;

    for (size_t i = 0; i < size; i++) {
        out[i] = (unsigned char)(conform_mix32(seed + (uint32_t)i * 0x9e3779b9u) >> 11);
    }
}
