/* Owns the cases of `bad_input` about SPIR-V: cut, flipped, empty or of another kind. A module is
 * refused with a message or taken; nothing ever crashes, hangs or leaks. */
#include "conform.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const stems[] = {"reference", "constants", "reflect", "control", "int_math"};

static bool is_refusal(isg_status status)
{
    return status == ISG_ERROR_INVALID_SPIRV || status == ISG_ERROR_INVALID_ARGUMENT ||
           status == ISG_ERROR_UNSUPPORTED || status == ISG_ERROR_LIMIT_EXCEEDED;
}

/* Reads a module and makes a kernel of it; both must agree that it is bad, or take it. */
static isg_status try_module(const void *bytes, size_t size, const char *what)
{
    isg_kernel_info *info = NULL;
    isg_kernel *kernel = NULL;
    isg_status read = ISG_OK, made = ISG_OK;

    conform_stale_error();
    read = isg_kernel_info_create(bytes, size, NULL, &info);
    CONFORM_TRUE(read == ISG_OK ? info != NULL : info == NULL && is_refusal(read),
                 "%s: isg_kernel_info_create returned %s: %s", what, isg_status_name(read),
                 isg_last_error());
    CONFORM_TRUE(read == ISG_OK || strlen(isg_last_error()) > 20, "%s: no message", what);
    made = conform_try_kernel(bytes, size, &kernel);
    CONFORM_TRUE(made == ISG_OK ? kernel != NULL : kernel == NULL && is_refusal(made),
                 "%s: isg_kernel_create returned %s: %s", what, isg_status_name(made),
                 isg_last_error());
    CONFORM_TRUE(read == ISG_OK || made != ISG_OK,
                 "%s: isg_kernel_info_create refused it, isg_kernel_create took it", what);
    isg_kernel_info_release(info);
    isg_kernel_release(kernel);
    return made;
}

START_TEST(every_prefix_of_a_module)
{
    for (size_t k = 0; k < CONFORM_COUNT(stems); k++) {
        size_t size = 0;
        const uint32_t *words = conform_spirv(stems[k], &size);
        unsigned char *copy = conform_alloc(1, size);
        char what[64];
        memcpy(copy, words, size);
        for (size_t cut = 0; cut < size; cut += cut < 256 ? 1 : 4) {
            snprintf(what, sizeof what, "'%s' cut to %zu bytes", stems[k], cut);
            CONFORM_TRUE(try_module(copy, cut, what) != ISG_OK, "%s was taken", what);
        }
        conform_progress();
        conform_free(copy);
    }
    conform_check_usable(conform_device());
}
END_TEST

START_TEST(words_flipped_at_random)
{
    uint32_t taken = 0, refused = 0;

    for (size_t k = 0; k < CONFORM_COUNT(stems); k++) {
        size_t size = 0;
        const uint32_t *words = conform_spirv(stems[k], &size);
        uint32_t *copy = conform_alloc(1, size), count = (uint32_t)(size / 4);
        for (uint32_t t = 0; t < 600; t++) {
            char what[96];
            uint32_t random = conform_mix32(t * 31 + (uint32_t)k), at = random % count;
            uint32_t value = conform_mix32(random);
            memcpy(copy, words, size);
            switch (t % 4) {
            case 0:
                copy[at] = value;
                break;
            case 1:
                copy[at] ^= 1u << (value & 31);
                break;
            case 2:
                copy[at] = copy[value % count];
                break;
            default:
                copy[at] = t & 4 ? 0 : UINT32_MAX;
            }
            snprintf(what, sizeof what, "'%s' with word %u changed to %08" PRIx32 " (try %u)",
                     stems[k], at, copy[at], t);
            if (try_module(copy, size, what) == ISG_OK) {
                taken++;
            } else {
                refused++;
            }
        }
        conform_progress();
        conform_free(copy);
    }
    CONFORM_TRUE(refused > taken / 20, "of %u changed modules only %u were refused",
                 taken + refused, refused);
    conform_check_usable(conform_device());
}
END_TEST

START_TEST(bytes_that_are_no_module)
{
    static const char glsl[] = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n";
    uint32_t words[256], swapped[256];
    size_t size = 0;
    const uint32_t *good = conform_spirv("mix", &size);
    isg_kernel *kernel = NULL;

    CONFORM_REFUSED(ISG_ERROR_INVALID_SPIRV, conform_try_kernel(good, 0, &kernel), "0 words");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, conform_try_kernel(good, size - 1, &kernel), "4");
    ck_assert_int_ne(try_module(glsl, sizeof glsl / 4 * 4, "GLSL text"), ISG_OK);
    memset(words, 0, sizeof words);
    ck_assert_int_ne(try_module(words, sizeof words, "zeros"), ISG_OK);
    memset(words, 0xff, sizeof words);
    ck_assert_int_ne(try_module(words, sizeof words, "ones"), ISG_OK);
    for (uint32_t t = 0; t < 200; t++) {
        conform_random_words(words, 256, t);
        memcpy(words, good, 20); /* a header that is right */
        ck_assert_int_ne(try_module(words, sizeof words, "a header, then noise"), ISG_OK);
    }
    for (size_t i = 0; i < 256; i++) {
        swapped[i] = __builtin_bswap32(good[i]);
    }
    ck_assert_int_ne(try_module(swapped, sizeof swapped, "big-endian words"), ISG_OK);
    conform_check_usable(conform_device());
}
END_TEST

START_TEST(headers_that_lie)
{
    size_t size = 0;
    const uint32_t *words = conform_spirv("mix", &size);
    uint32_t *copy = conform_alloc(1, size);
    static const struct {
        uint32_t word, value;
        const char *what;
    } rows[] = {{0, 0x07230204, "a wrong magic number"},
                {1, 0, "version 0"},
                {1, 0x00020000, "version 2.0"},
                {1, 0x00010900, "version 1.9"},
                {3, 0, "an id bound of 0"},
                {3, 1, "an id bound of 1"},
                {3, 0xffffffffu, "an id bound of 2^32 - 1"},
                {4, 1, "a schema of 1"}};

    for (size_t i = 0; i < CONFORM_COUNT(rows); i++) {
        memcpy(copy, words, size);
        copy[rows[i].word] = rows[i].value;
        CONFORM_TRUE(try_module(copy, size, rows[i].what) != ISG_OK, "%s was taken", rows[i].what);
    }
    conform_free(copy);
}
END_TEST

void conform_bad_module_cases(conform_list *list)
{
    CONFORM_ADD_SLOW(list, every_prefix_of_a_module, 120);
    CONFORM_ADD_SLOW(list, words_flipped_at_random, 120);
    CONFORM_ADD(list, bytes_that_are_no_module);
    CONFORM_ADD(list, headers_that_lie);
}
