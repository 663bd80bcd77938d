/* Owns the suite `limits`: what is at a limit of the device runs, what is above it is refused with
 * the limit in the message. */
#include "conform.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

START_TEST(limits_are_sane)
{
    const isg_device_limits *limits = &conform_info()->limits;

    ck_assert_uint_eq(limits->max_push_size, 128);
    ck_assert_uint_ge(limits->max_workgroup_invocations, 128);
    ck_assert_uint_ge(limits->max_shared_size, 16384);
    ck_assert_uint_ge(limits->max_binding_size, UINT64_C(1) << 27);
    ck_assert_uint_ge(limits->max_buffer_size, limits->max_binding_size);
    ck_assert_uint_ge(limits->max_uniform_binding_size, 16384);
    ck_assert_uint_ge(limits->max_bindings, 8);
    ck_assert_uint_ge(limits->subgroup_size, 1);
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_ge(limits->max_workgroup_count[i], 65535);
        ck_assert_uint_ge(limits->max_workgroup_size[i], 64);
    }
    CONFORM_TRUE(limits->storage_offset_alignment >= 1 && limits->storage_offset_alignment <= 256 &&
                     !(limits->storage_offset_alignment & (limits->storage_offset_alignment - 1)),
                 "a storage offset alignment of %u", limits->storage_offset_alignment);
    CONFORM_TRUE(limits->uniform_offset_alignment >= 1 && limits->uniform_offset_alignment <= 256 &&
                     !(limits->uniform_offset_alignment & (limits->uniform_offset_alignment - 1)),
                 "a uniform offset alignment of %u", limits->uniform_offset_alignment);
    if (limits->features & ISG_FEATURE_IMAGES) {
        ck_assert_uint_ge(limits->max_image_size_2d, 4096);
        ck_assert_uint_ge(limits->max_image_size_3d, 256);
    }
}
END_TEST

/* ---- push constants ---- */

static void run_push(uint32_t words)
{
    uint32_t push[32], got[32];
    size_t size = 0;
    uint32_t *spirv = conform_spirv_with_constant("push_words", 33, words, &size);
    isg_kernel *kernel = NULL;
    isg_buffer *buffer = conform_buffer(sizeof got, ISG_MEMORY_DEVICE);
    isg_dispatch dispatch = {.grid = {words},
                             .bindings = &(isg_binding){.buffer = buffer},
                             .binding_count = 1,
                             .push = push,
                             .push_size = words * 4};

    conform_random_words(push, 32, words);
    CONFORM_OK(conform_try_kernel(spirv, size, &kernel));
    ck_assert_uint_eq(isg_kernel_get_info(kernel)->push_size, words * 4);
    dispatch.kernel = kernel;
    conform_run(&dispatch);
    CONFORM_OK(isg_buffer_download(buffer, 0, got, (uint64_t)words * 4));
    conform_check_words(got, push, words, "push constants");
    conform_digest(got, push, (size_t)words * 4);

    static const uint32_t wrong[] = {0, 4, 124, 128, 132, 256, 257, 4096};
    for (size_t i = 0; i < CONFORM_COUNT(wrong); i++) {
        char need[16], given[16];
        uint32_t many[1024] = {0};
        if (wrong[i] == words * 4) {
            continue;
        }
        snprintf(need, sizeof need, "%u", words * 4);
        snprintf(given, sizeof given, "%u", wrong[i]);
        dispatch.push = many;
        dispatch.push_size = wrong[i];
        CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                        isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), need, given);
    }
    dispatch.push = NULL;
    dispatch.push_size = words * 4;
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), "push");
    isg_kernel_release(kernel);
    isg_buffer_release(buffer);
    conform_free(spirv);
}

START_TEST(report_52_push_constants_up_to_128_bytes)
{
    run_push(1);
    run_push(31);
    run_push(32);
}
END_TEST

START_TEST(report_52_push_constants_above_128_bytes)
{
    static const uint32_t words[] = {33, 64, 65, 1024, 16384};

    for (size_t i = 0; i < CONFORM_COUNT(words); i++) {
        size_t size = 0;
        uint32_t *spirv = conform_spirv_with_constant("push_words", 33, words[i], &size);
        isg_kernel *kernel = NULL;
        char need[16];
        snprintf(need, sizeof need, "%u", words[i] * 4);
        CONFORM_REFUSED(ISG_ERROR_LIMIT_EXCEEDED, conform_try_kernel(spirv, size, &kernel), need,
                        "128", "push");
        ck_assert_ptr_null(kernel);
        conform_free(spirv);
    }
}
END_TEST

START_TEST(report_52_no_push_constants)
{
    enum { COUNT = 16 };
    uint32_t got[COUNT], want[COUNT], push = 3;
    isg_kernel *kernel = conform_kernel("no_push");
    isg_buffer *buffer = conform_buffer(sizeof got, ISG_MEMORY_DEVICE);
    isg_dispatch dispatch = {.kernel = kernel,
                             .grid = {COUNT},
                             .bindings = &(isg_binding){.buffer = buffer},
                             .binding_count = 1};

    ck_assert_uint_eq(isg_kernel_get_info(kernel)->push_size, 0);
    conform_run(&dispatch);
    CONFORM_OK(isg_buffer_download(buffer, 0, got, sizeof got));
    for (uint32_t i = 0; i < COUNT; i++) {
        want[i] = i * i;
    }
    conform_check_words(got, want, COUNT, "a kernel without push constants");
    dispatch.push = &push;
    dispatch.push_size = 4;
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), "push", "4");
    isg_kernel_release(kernel);
    isg_buffer_release(buffer);
}
END_TEST

/* Two kernels with equal bindings and other push constants, in turns. */
START_TEST(report_52_layouts_are_told_apart)
{
    uint32_t got[4], push[32];
    size_t size = 0;
    uint32_t *spirv = conform_spirv_with_constant("push_words", 33, 32, &size);
    isg_kernel *wide = NULL, *none = conform_kernel("no_push"), *one = conform_kernel("mix");
    isg_buffer *buffer = conform_buffer(4096, ISG_MEMORY_DEVICE);
    isg_binding binding = {.buffer = buffer};

    conform_random_words(push, 32, 9);
    CONFORM_OK(conform_try_kernel(spirv, size, &wide));
    for (int round = 0; round < 3; round++) {
        CONFORM_OK(isg_queue_dispatch(
            conform_queue(),
            (isg_dispatch[]){
                {.kernel = wide,
                 .grid = {4},
                 .bindings = &binding,
                 .binding_count = 1,
                 .push = push,
                 .push_size = 128},
                {.kernel = none, .grid = {3}, .bindings = &binding, .binding_count = 1}},
            2, NULL));
        CONFORM_OK(isg_buffer_download(buffer, 0, got, sizeof got));
        conform_check_words(got, (uint32_t[]){0, 1, 4, push[3]}, 4, "two layouts in turns");
        conform_run(&(isg_dispatch){.kernel = one,
                                    .grid = {1},
                                    .bindings = &binding,
                                    .binding_count = 1,
                                    .push = push,
                                    .push_size = 4});
        CONFORM_OK(isg_buffer_download(buffer, 0, got, sizeof got));
        ck_assert_uint_eq(got[1], conform_mix32(1 ^ push[0]));
    }
    isg_kernel_release(wide);
    isg_kernel_release(none);
    isg_kernel_release(one);
    isg_buffer_release(buffer);
    conform_free(spirv);
}
END_TEST

/* ---- shared memory ---- */

static void run_shared(isg_kernel *kernel, uint32_t words)
{
    const uint32_t push[2] = {words * 7, words};
    uint32_t got[32], want[32] = {0};
    isg_buffer *buffer = conform_buffer(sizeof got, ISG_MEMORY_DEVICE);

    ck_assert_uint_eq(isg_kernel_get_info(kernel)->shared_size, words * 4);
    conform_run(&(isg_dispatch){.kernel = kernel,
                                .grid = {1},
                                .bindings = &(isg_binding){.buffer = buffer},
                                .binding_count = 1,
                                .push = push,
                                .push_size = sizeof push});
    CONFORM_OK(isg_buffer_download(buffer, 0, got, sizeof got));
    for (uint32_t l = 0; l < 32; l++) {
        for (uint32_t i = (l + 7) % 32; i < words; i += 32) {
            want[l] += conform_mix32(i ^ push[0]);
        }
    }
    conform_check_words(got, want, 32, "sums over shared memory");
    isg_buffer_release(buffer);
}

START_TEST(report_54_shared_memory)
{
    uint32_t limit = conform_info()->limits.max_shared_size;
    const uint32_t sizes[] = {1024,  16384, 16388,  32768, 32772,     49152,
                              49156, 65536, 100000, limit, limit + 4, 0x40000000u};
    char need[16], most[16];

    snprintf(most, sizeof most, "%u", limit);
    for (size_t i = 0; i < CONFORM_COUNT(sizes); i++) {
        size_t size = 0;
        uint32_t *spirv = conform_spirv_with_constant("shared_words", 4099, sizes[i] / 4, &size);
        isg_kernel *kernel = NULL;
        snprintf(need, sizeof need, "%u", sizes[i] / 4 * 4);
        if (sizes[i] <= limit) {
            CONFORM_OK(conform_try_kernel(spirv, size, &kernel));
            run_shared(kernel, sizes[i] / 4);
        } else {
            CONFORM_REFUSED(ISG_ERROR_LIMIT_EXCEEDED, conform_try_kernel(spirv, size, &kernel),
                            need, most, "shared");
            ck_assert_ptr_null(kernel);
        }
        isg_kernel_release(kernel);
        conform_free(spirv);
    }
    conform_check_usable(conform_device());
}
END_TEST

/* ---- workgroup sizes ---- */

static bool size_fits(const uint32_t s[3])
{
    const isg_device_limits *limits = &conform_info()->limits;
    uint64_t all = (uint64_t)s[0] * s[1] * s[2];

    return s[0] <= limits->max_workgroup_size[0] && s[1] <= limits->max_workgroup_size[1] &&
           s[2] <= limits->max_workgroup_size[2] && all <= limits->max_workgroup_invocations;
}

static void run_size(isg_kernel *kernel, const uint32_t s[3])
{
    enum { MOST = 4096 };
    uint32_t got[MOST], want[MOST], count = s[0] * s[1] * s[2];
    isg_buffer *buffer = conform_buffer(sizeof got, ISG_MEMORY_DEVICE);

    CONFORM_TRUE(count + 64 <= MOST, "a workgroup of %u is more than this case expects", count);
    CONFORM_OK(isg_queue_fill(conform_queue(), buffer, 0, sizeof got, 0xee, NULL));
    conform_run(&(isg_dispatch){.kernel = kernel,
                                .grid = {1},
                                .bindings = &(isg_binding){.buffer = buffer},
                                .binding_count = 1});
    CONFORM_OK(isg_buffer_download(buffer, 0, got, sizeof got));
    memset(want, 0xee, sizeof want);
    for (uint32_t i = 0; i < count; i++) {
        want[i] = i % s[0] | i / s[0] % s[1] << 10 | i / s[0] / s[1] << 20;
    }
    conform_check_words(got, want, MOST, "places in the workgroup, and what lies behind");
    isg_buffer_release(buffer);
}

START_TEST(report_55_workgroup_sizes)
{
    const isg_device_limits *limits = &conform_info()->limits;
    const uint32_t sizes[][3] = {
        {1, 1, 1},    {3, 1, 1},    {31, 1, 1},    {33, 1, 1},        {100, 1, 1},
        {128, 1, 1},  {129, 1, 1},  {256, 1, 1},   {257, 1, 1},       {512, 1, 1},
        {1000, 1, 1}, {1024, 1, 1}, {1025, 1, 1},  {8, 8, 8},         {1, 128, 1},
        {1, 1, 64},   {1, 1, 65},   {2, 2, 32},    {16, 16, 1},       {16, 16, 5},
        {2048, 1, 1}, {1, 2048, 1}, {65536, 1, 1}, {65536, 65536, 1}, {0xffffffffu, 1, 1}};
    char most[3][16], all[16];

    for (int i = 0; i < 3; i++) {
        snprintf(most[i], sizeof most[i], "%u", limits->max_workgroup_size[i]);
    }
    snprintf(all, sizeof all, "%u", limits->max_workgroup_invocations);
    for (size_t i = 0; i < CONFORM_COUNT(sizes); i++) {
        const uint32_t *s = sizes[i];
        size_t size = 0;
        uint32_t *spirv = conform_spirv_with_local_size("local_size", s[0], s[1], s[2], &size);
        isg_kernel *kernel = NULL;
        int side = s[0] > limits->max_workgroup_size[0]   ? 0
                   : s[1] > limits->max_workgroup_size[1] ? 1
                   : s[2] > limits->max_workgroup_size[2] ? 2
                                                          : -1;
        if (size_fits(s)) {
            CONFORM_OK(conform_try_kernel(spirv, size, &kernel));
            run_size(kernel, s);
        } else {
            char need[16];
            snprintf(need, sizeof need, "%u", s[side < 0 ? 0 : side]);
            CONFORM_REFUSED(ISG_ERROR_LIMIT_EXCEEDED, conform_try_kernel(spirv, size, &kernel),
                            "workgroup", need, side < 0 ? all : most[side]);
            ck_assert_ptr_null(kernel);
        }
        isg_kernel_release(kernel);
        conform_free(spirv);
    }
    conform_check_usable(conform_device());
}
END_TEST

START_TEST(report_55_workgroup_of_size_zero)
{
    size_t size = 0;
    uint32_t *spirv = conform_spirv_with_local_size("local_size", 0, 1, 1, &size);
    isg_kernel *kernel = NULL;
    isg_status status = conform_try_kernel(spirv, size, &kernel);

    CONFORM_TRUE(status == ISG_ERROR_INVALID_SPIRV || status == ISG_ERROR_INVALID_ARGUMENT,
                 "a workgroup size of 0 gives %s", isg_status_name(status));
    ck_assert_ptr_null(kernel);
    conform_free(spirv);
}
END_TEST

/* ---- buffers and bindings ---- */

START_TEST(report_50_ranges_above_the_binding_limit)
{
    uint64_t limit = conform_info()->limits.max_binding_size;
    uint64_t most = conform_info()->limits.max_buffer_size;
    uint64_t room = UINT64_C(1) << 28; /* what this case is willing to allocate */
    isg_kernel *kernel = conform_kernel("lengths");
    isg_buffer *large = NULL, *small = conform_buffer(64, ISG_MEMORY_DEVICE), *out = NULL;
    uint32_t got[4], tail[2] = {0}, last = 0x7777;
    char number[32];
    isg_dispatch dispatch = {.kernel = kernel, .grid = {1}, .binding_count = 3};

    if (limit > room || most < limit + 4096) {
        isg_kernel_release(kernel);
        isg_buffer_release(small);
        conform_skip("ranges of %" PRIu64 " bytes are allowed, buffers of %" PRIu64, limit, most);
    }
    out = conform_buffer(16, ISG_MEMORY_DEVICE);
    large = conform_buffer(limit + 4096, ISG_MEMORY_DEVICE);
    CONFORM_OK(isg_buffer_upload(large, limit - 4, &last, 4));
    dispatch.bindings = (isg_binding[]){{.binding = 0, .buffer = large, .size = limit},
                                        {.binding = 1, .buffer = small},
                                        {.binding = 2, .buffer = out}};
    conform_run(&dispatch);
    CONFORM_OK(isg_buffer_download(out, 0, got, sizeof got));
    ck_assert_uint_eq(got[0], limit / 4);
    ck_assert_uint_eq(got[2], 0x7777); /* the last element in range */
    CONFORM_OK(isg_buffer_download(small, 56, tail, 8));
    conform_check_words(tail, (uint32_t[]){0x1234, 0x5678}, 2, "the other binding");

    snprintf(number, sizeof number, "%" PRIu64, limit);
    dispatch.bindings = (isg_binding[]){{.binding = 0, .buffer = large},
                                        {.binding = 1, .buffer = small},
                                        {.binding = 2, .buffer = out}};
    CONFORM_REFUSED(ISG_ERROR_LIMIT_EXCEEDED,
                    isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), number);
    dispatch.bindings = (isg_binding[]){{.binding = 0, .buffer = large, .size = limit + 4},
                                        {.binding = 1, .buffer = small},
                                        {.binding = 2, .buffer = out}};
    CONFORM_REFUSED(ISG_ERROR_LIMIT_EXCEEDED,
                    isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), number);
    isg_buffer_release(large);
    isg_buffer_release(small);
    isg_buffer_release(out);
    isg_kernel_release(kernel);
    conform_check_usable(conform_device());
}
END_TEST

START_TEST(uniform_ranges_above_the_limit)
{
    uint64_t limit = conform_info()->limits.max_uniform_binding_size;
    uint64_t room = UINT64_C(1) << 27;
    isg_kernel *kernel = conform_kernel("bindings");
    isg_buffer *large = NULL, *words = NULL;
    uint32_t push[8] = {0};
    char number[32];
    isg_dispatch dispatch = {.kernel = kernel,
                             .grid = {1},
                             .binding_count = 7,
                             .push = push,
                             .push_size = isg_kernel_get_info(kernel)->push_size};

    if (limit > room) {
        isg_kernel_release(kernel);
        conform_skip("uniform ranges of %" PRIu64 " bytes are allowed", limit);
    }
    words = conform_buffer(4096, ISG_MEMORY_DEVICE);
    large = conform_buffer(limit + 16, ISG_MEMORY_DEVICE);
    snprintf(number, sizeof number, "%" PRIu64, limit);
    dispatch.bindings = (isg_binding[]){
        {.set = 0, .binding = 7, .buffer = words},
        {.set = 1, .binding = 0, .buffer = large, .size = limit + 16},
        {.set = 1, .binding = 3, .buffer = words},
        {.set = 1, .binding = 3, .array_index = 1, .buffer = words},
        {.set = 1, .binding = 3, .array_index = 2, .buffer = words},
        {.set = 2, .binding = 1, .buffer = words},
        {.set = 2, .binding = 5, .buffer = conform_buffer(256, ISG_MEMORY_DEVICE)},
    };
    CONFORM_REFUSED(ISG_ERROR_LIMIT_EXCEEDED,
                    isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), number);
    isg_buffer_release(dispatch.bindings[6].buffer);
    isg_buffer_release(large);
    isg_buffer_release(words);
    isg_kernel_release(kernel);
}
END_TEST

void conform_limits_list(conform_list *list)
{
    CONFORM_ADD(list, limits_are_sane);
    CONFORM_ADD(list, report_52_push_constants_up_to_128_bytes);
    CONFORM_ADD(list, report_52_push_constants_above_128_bytes);
    CONFORM_ADD(list, report_52_no_push_constants);
    CONFORM_ADD(list, report_52_layouts_are_told_apart);
    CONFORM_ADD(list, report_54_shared_memory);
    CONFORM_ADD(list, report_55_workgroup_sizes);
    CONFORM_ADD(list, report_55_workgroup_of_size_zero);
    CONFORM_ADD(list, report_50_ranges_above_the_binding_limit);
    CONFORM_ADD(list, uniform_ranges_above_the_limit);
}
