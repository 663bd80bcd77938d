/* Owns SPIR-V modules that differ from a test kernel in a word or two. */
#include "conform.h"

#include <string.h>

/* The few SPIR-V numbers needed here. */
enum { OP_CONSTANT = 43, OP_EXECUTION_MODE = 16, MODE_LOCAL_SIZE = 17, HEADER_WORDS = 5 };

static uint32_t *copy_words(const char *stem, size_t *out_size)
{
    const uint32_t *words = conform_spirv(stem, out_size);
    uint32_t *copy = conform_alloc(1, *out_size);

    memcpy(copy, words, *out_size);
    return copy;
}

uint32_t *conform_spirv_with_constant(const char *stem, uint32_t from, uint32_t to,
                                      size_t *out_size)
{
    uint32_t *words = copy_words(stem, out_size);
    size_t count = *out_size / 4, found = 0;

    for (size_t at = HEADER_WORDS; at < count && words[at] >> 16; at += words[at] >> 16) {
        if ((words[at] & 0xffff) == OP_CONSTANT && words[at] >> 16 == 4 && words[at + 3] == from) {
            words[at + 3] = to;
            found++;
        }
    }
    if (found != 1) {
        conform_fail("test kernel '%s' has %zu constants of value %u, not 1", stem, found, from);
    }
    return words;
}

uint32_t *conform_spirv_with_local_size(const char *stem, uint32_t x, uint32_t y, uint32_t z,
                                        size_t *out_size)
{
    uint32_t *words = copy_words(stem, out_size);
    size_t count = *out_size / 4;

    for (size_t at = HEADER_WORDS; at < count && words[at] >> 16; at += words[at] >> 16) {
        if ((words[at] & 0xffff) == OP_EXECUTION_MODE && words[at + 2] == MODE_LOCAL_SIZE) {
            words[at + 3] = x;
            words[at + 4] = y;
            words[at + 5] = z;
            return words;
        }
    }
    conform_fail("test kernel '%s' has no LocalSize", stem);
}

isg_status conform_try_kernel(const void *spirv, size_t size, isg_kernel **out)
{
    return isg_kernel_create(conform_device(), &(isg_kernel_desc){.spirv = spirv, .size = size},
                             out);
}
