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

/* glslang writes the size twice: as LocalSize, and as the constants of gl_WorkGroupSize, which win. */
uint32_t *conform_spirv_with_local_size(const char *stem, uint32_t x, uint32_t y, uint32_t z,
                                        size_t *out_size)
{
    uint32_t *words = copy_words(stem, out_size);
    size_t count = *out_size / 4, found = 0;
    const uint32_t to[3] = {x, y, z};
    uint32_t from[3] = {0};

    for (size_t at = HEADER_WORDS; at < count && words[at] >> 16; at += words[at] >> 16) {
        if ((words[at] & 0xffff) == OP_EXECUTION_MODE && words[at + 2] == MODE_LOCAL_SIZE) {
            memcpy(from, &words[at + 3], sizeof from);
            memcpy(&words[at + 3], to, sizeof to);
        }
        for (int side = 0; side < 3; side++) {
            if ((words[at] & 0xffff) == OP_CONSTANT && words[at + 3] == from[side]) {
                words[at + 3] = to[side];
                found++;
                break;
            }
        }
    }
    if (found != 3 || from[0] == from[1] || from[1] == from[2] || from[0] == from[2]) {
        conform_fail("the workgroup size of test kernel '%s' is not three constants used once",
                     stem);
    }
    return words;
}

isg_status conform_try_kernel(const void *spirv, size_t size, isg_kernel **out)
{
    return isg_kernel_create(conform_device(), &(isg_kernel_desc){.spirv = spirv, .size = size},
                             out);
}
