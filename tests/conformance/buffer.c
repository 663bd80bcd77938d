/* Owns the suite `buffer`: memory that is created, written, read, copied and filled. */
#include "conform.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const isg_memory kinds[] = {ISG_MEMORY_DEVICE, ISG_MEMORY_UPLOAD, ISG_MEMORY_DOWNLOAD};
static const char *const kind_names[] = {"device", "upload", "download"};

/* Offset and size pairs around words, cache lines and pages. */
static const uint32_t ranges[][2] = {{0, 1},    {1, 1},    {3, 2},     {5, 7},    {4, 4},
                                     {63, 66},  {64, 64},  {255, 513}, {256, 3},  {1021, 1},
                                     {0, 4095}, {1, 4098}, {4095, 4},  {4098, 1}, {2047, 2049},
                                     {0, 4099}, {2, 4095}, {4096, 3}};

START_TEST(round_trip_odd_ranges)
{
    enum { SIZE = 4099 };
    unsigned char model[SIZE], got[SIZE], part[SIZE];

    for (size_t k = 0; k < CONFORM_COUNT(kinds); k++) {
        isg_buffer *buffer = conform_buffer(SIZE, kinds[k]);
        ck_assert_uint_eq(isg_buffer_size(buffer), SIZE);
        conform_random_bytes(model, SIZE, 1);
        CONFORM_OK(isg_buffer_upload(buffer, 0, model, SIZE));
        for (size_t i = 0; i < CONFORM_COUNT(ranges); i++) {
            uint32_t offset = ranges[i][0], size = ranges[i][1];
            conform_random_bytes(part, size, (uint32_t)i + 10);
            memcpy(model + offset, part, size);
            CONFORM_OK(isg_buffer_upload(buffer, offset, part, size));
            memset(got, 0, sizeof got);
            CONFORM_OK(isg_buffer_download(buffer, offset, got, size));
            conform_check_bytes(got, part, size, kind_names[k]);
            conform_check_filled(got + size, 0, SIZE - size, "host bytes after the download");
            CONFORM_OK(isg_buffer_download(buffer, 0, got, SIZE));
            conform_check_bytes(got, model, SIZE, kind_names[k]);
        }
        conform_digest(got, model, SIZE);
        isg_buffer_release(buffer);
    }
}
END_TEST

START_TEST(fill_odd_ranges)
{
    enum { SIZE = 4099 };
    unsigned char model[SIZE], got[SIZE];

    for (size_t k = 0; k < CONFORM_COUNT(kinds); k++) {
        isg_buffer *buffer = conform_buffer(SIZE, kinds[k]);
        memset(model, 0x11, SIZE);
        CONFORM_OK(isg_queue_fill(conform_queue(), buffer, 0, SIZE, 0x11, NULL));
        for (size_t i = 0; i < CONFORM_COUNT(ranges); i++) {
            uint32_t offset = ranges[i][0], size = ranges[i][1];
            uint8_t value = (uint8_t)(0x20 + i);
            memset(model + offset, value, size);
            CONFORM_OK(isg_queue_fill(conform_queue(), buffer, offset, size, value, NULL));
            CONFORM_OK(isg_buffer_download(buffer, 0, got, SIZE));
            conform_check_bytes(got, model, SIZE, kind_names[k]);
        }
        conform_digest(got, model, SIZE);
        isg_buffer_release(buffer);
    }
}
END_TEST

START_TEST(copy_odd_ranges)
{
    enum { SIZE = 4099, SHIFT = 1531 };
    unsigned char from[SIZE], model[SIZE + SHIFT], got[SIZE + SHIFT];

    conform_random_bytes(from, SIZE, 5);
    for (size_t k = 0; k < CONFORM_COUNT(kinds); k++) {
        for (size_t l = 0; l < CONFORM_COUNT(kinds); l++) {
            isg_buffer *source = conform_buffer(SIZE, kinds[k]);
            isg_buffer *target = conform_buffer(SIZE + SHIFT, kinds[l]);
            memset(model, 0x77, sizeof model);
            CONFORM_OK(isg_buffer_upload(source, 0, from, SIZE));
            CONFORM_OK(isg_buffer_upload(target, 0, model, sizeof model));
            for (size_t i = 0; i < CONFORM_COUNT(ranges); i++) {
                uint32_t offset = ranges[i][0], size = ranges[i][1];
                uint32_t to = (uint32_t)(i * 89 % SHIFT);
                memcpy(model + to, from + offset, size);
                CONFORM_OK(isg_queue_copy(conform_queue(), target, to, source, offset, size, NULL));
            }
            CONFORM_OK(isg_buffer_download(target, 0, got, sizeof got));
            conform_check_bytes(got, model, sizeof got, "copied");
            CONFORM_OK(isg_buffer_download(source, 0, got, SIZE));
            conform_check_bytes(got, from, SIZE, "the source of the copies");
            isg_buffer_release(source);
            isg_buffer_release(target);
        }
    }
    conform_digest(model, NULL, sizeof model);
}
END_TEST

START_TEST(copy_within_one_buffer)
{
    unsigned char model[1024], got[1024];
    isg_buffer *buffer = NULL;

    conform_random_bytes(model, sizeof model, 9);
    buffer = conform_buffer_of(model, sizeof model);
    memcpy(model + 512, model, 512); /* ranges that touch */
    CONFORM_OK(isg_queue_copy(conform_queue(), buffer, 512, buffer, 0, 512, NULL));
    memcpy(model + 3, model + 700, 100);
    CONFORM_OK(isg_queue_copy(conform_queue(), buffer, 3, buffer, 700, 100, NULL));
    CONFORM_OK(isg_buffer_download(buffer, 0, got, sizeof got));
    conform_check_bytes(got, model, sizeof got, "copied within one buffer");

    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_copy(conform_queue(), buffer, 511, buffer, 0, 512, NULL), "512",
                    "overlap");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_copy(conform_queue(), buffer, 0, buffer, 0, 4, NULL), "overlap");
    CONFORM_OK(isg_buffer_download(buffer, 0, got, sizeof got));
    conform_check_bytes(got, model, sizeof got, "after a refused copy");
    isg_buffer_release(buffer);
}
END_TEST

START_TEST(ranges_that_wrap_are_refused)
{
    static const uint64_t bad[][2] = {{UINT64_MAX, 2},
                                      {UINT64_MAX, 1},
                                      {1, UINT64_MAX},
                                      {65, 0},
                                      {64, 1},
                                      {0, 65},
                                      {63, 2},
                                      {UINT64_MAX - 3, 8},
                                      {UINT64_C(1) << 63, UINT64_C(1) << 63}};
    unsigned char bytes[64], got[64];
    isg_buffer *buffer = NULL, *other = conform_buffer(64, ISG_MEMORY_DEVICE);

    conform_random_bytes(bytes, sizeof bytes, 2);
    buffer = conform_buffer_of(bytes, sizeof bytes);
    for (size_t i = 0; i < CONFORM_COUNT(bad); i++) {
        uint64_t offset = bad[i][0], size = bad[i][1];
        CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_buffer_upload(buffer, offset, got, size),
                        "64");
        CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_buffer_download(buffer, offset, got, size),
                        "64");
        CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                        isg_queue_fill(conform_queue(), buffer, offset, size, 0, NULL), "64");
        CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                        isg_queue_copy(conform_queue(), buffer, offset, other, 0, size, NULL),
                        "64");
        CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                        isg_queue_copy(conform_queue(), other, 0, buffer, offset, size, NULL),
                        "64");
    }
    CONFORM_OK(isg_buffer_download(buffer, 0, got, sizeof got));
    conform_check_bytes(got, bytes, sizeof got, "after refused ranges");
    isg_buffer_release(buffer);
    isg_buffer_release(other);
}
END_TEST

START_TEST(report_51_zero_sizes)
{
    unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, got[8];
    isg_buffer *buffer = (isg_buffer *)bytes;

    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_buffer_create(conform_device(), &(isg_buffer_desc){.size = 0}, &buffer),
                    "0 bytes", "1");
    ck_assert_ptr_null(buffer);
    buffer = conform_buffer_of(bytes, sizeof bytes);
    for (uint64_t offset = 0; offset <= 8; offset += 4) {
        CONFORM_OK(isg_buffer_upload(buffer, offset, bytes, 0));
        CONFORM_OK(isg_buffer_download(buffer, offset, got, 0));
        CONFORM_OK(isg_queue_fill(conform_queue(), buffer, offset, 0, 9, NULL));
        CONFORM_OK(isg_queue_copy(conform_queue(), buffer, offset, buffer, 0, 0, NULL));
    }
    CONFORM_OK(isg_buffer_upload(buffer, 0, NULL, 0));
    CONFORM_OK(isg_buffer_download(buffer, 0, got, sizeof got));
    conform_check_bytes(got, bytes, sizeof got, "after commands of size 0");
    isg_buffer_release(buffer);
}
END_TEST

START_TEST(map_gives_the_bytes_themselves)
{
    enum { COUNT = 1000 };
    uint32_t x[COUNT], y[COUNT], want[COUNT];
    const uint32_t push[2] = {3, COUNT};
    isg_kernel *kernel = conform_kernel("affine");

    for (size_t k = 0; k < CONFORM_COUNT(kinds); k++) {
        isg_buffer *from = conform_buffer(sizeof x, kinds[k]);
        isg_buffer *to = conform_buffer(sizeof y, ISG_MEMORY_DOWNLOAD);
        void *bytes = NULL, *again = NULL, *result = NULL;
        isg_status status = isg_buffer_map(from, &bytes);

        if (kinds[k] == ISG_MEMORY_DEVICE && status == ISG_ERROR_UNSUPPORTED) {
            ck_assert_ptr_null(bytes);
        } else {
            CONFORM_OK(status);
            CONFORM_OK(isg_buffer_map(from, &again));
            ck_assert_ptr_eq(bytes, again);
            CONFORM_OK(isg_buffer_map(to, &result));
            conform_random_words(x, COUNT, 4);
            conform_random_words(y, COUNT, 5);
            memcpy(bytes, x, sizeof x);
            memcpy(result, y, sizeof y);
            conform_run(&(isg_dispatch){.kernel = kernel,
                                        .grid = {(COUNT + 63) / 64},
                                        .bindings = (isg_binding[]){{.binding = 0, .buffer = from},
                                                                    {.binding = 1, .buffer = to}},
                                        .binding_count = 2,
                                        .push = push,
                                        .push_size = sizeof push});
            for (uint32_t i = 0; i < COUNT; i++) {
                want[i] = 3 * x[i] + y[i] + i;
            }
            conform_check_words(result, want, COUNT, "mapped memory after a dispatch");
        }
        isg_buffer_release(from);
        isg_buffer_release(to);
    }
    isg_kernel_release(kernel);
}
END_TEST

/* Small buffers share blocks: whatever is done to one must stay inside it. */
START_TEST(neighbours_stay_untouched)
{
    enum { COUNT = 61, MOST = 1024 };
    isg_kernel *kernel = conform_kernel("affine");
    isg_buffer *buffers[COUNT];
    unsigned char model[COUNT][MOST], got[MOST];
    uint32_t sizes[COUNT];

    for (uint32_t i = 0; i < COUNT; i++) {
        sizes[i] = i % 4 == 0 ? 4 * (i + 1) : i * i % 701 + 1;
        buffers[i] = conform_buffer(sizes[i], kinds[i % 3 == 2 ? i / 3 % 3 : 0]);
        conform_random_bytes(model[i], sizes[i], i);
        CONFORM_OK(isg_buffer_upload(buffers[i], 0, model[i], sizes[i]));
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t size = sizes[i];
        if (i % 4 == 0) {
            const uint32_t push[2] = {5, size / 4};
            uint32_t words[MOST / 4];
            isg_buffer *from = conform_buffer_of(model[i], size);
            memcpy(words, model[i], size);
            for (uint32_t k = 0; k < size / 4; k++) {
                words[k] = 5 * words[k] + words[k] + k;
            }
            conform_run(&(isg_dispatch){
                .kernel = kernel,
                .grid = {(size / 4 + 63) / 64 + 2}, /* more invocations than elements */
                .bindings = (isg_binding[]){{.binding = 0, .buffer = from},
                                            {.binding = 1, .buffer = buffers[i]}},
                .binding_count = 2,
                .push = push,
                .push_size = sizeof push});
            memcpy(model[i], words, size);
            isg_buffer_release(from);
        } else if (i % 4 == 1) {
            memset(model[i], 0x3c, size);
            CONFORM_OK(isg_queue_fill(conform_queue(), buffers[i], 0, size, 0x3c, NULL));
        } else if (i % 4 == 2) {
            conform_random_bytes(model[i], size, i + 1000);
            CONFORM_OK(isg_buffer_upload(buffers[i], 0, model[i], size));
        } else {
            uint32_t part = size < sizes[i - 1] ? size : sizes[i - 1];
            memcpy(model[i], model[i - 1], part);
            CONFORM_OK(
                isg_queue_copy(conform_queue(), buffers[i], 0, buffers[i - 1], 0, part, NULL));
        }
        for (uint32_t k = i < 2 ? 0 : i - 2; k < COUNT && k < i + 3; k++) {
            CONFORM_OK(isg_buffer_download(buffers[k], 0, got, sizes[k]));
            conform_check_bytes(got, model[k], sizes[k], k == i ? "the buffer" : "its neighbour");
        }
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        CONFORM_OK(isg_buffer_download(buffers[i], 0, got, sizes[i]));
        conform_check_bytes(got, model[i], sizes[i], "at the end");
        conform_digest(got, model[i], sizes[i]);
        isg_buffer_release(buffers[i]);
    }
    isg_kernel_release(kernel);
}
END_TEST

/* A thousand creations and releases in any order; each buffer keeps its bytes all the while. */
START_TEST(churn_keeps_contents)
{
    enum { SLOTS = 40, STEPS = 1500, MOST = 20000 };
    isg_buffer *buffers[SLOTS] = {0};
    uint32_t sizes[SLOTS] = {0}, seeds[SLOTS] = {0};
    unsigned char *bytes = conform_alloc(2, MOST), *got = bytes + MOST;

    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t random = conform_mix32(step), slot = random % SLOTS;
        if (buffers[slot]) {
            conform_random_bytes(bytes, sizes[slot], seeds[slot]);
            CONFORM_OK(isg_buffer_download(buffers[slot], 0, got, sizes[slot]));
            conform_check_bytes(got, bytes, sizes[slot], "a buffer that lived through churn");
            isg_buffer_release(buffers[slot]);
        }
        sizes[slot] = conform_mix32(random) % (step % 7 == 0 ? MOST : 300) + 1;
        seeds[slot] = step;
        buffers[slot] = conform_buffer(sizes[slot], kinds[random >> 8 & 1 ? random >> 9 & 1 : 0]);
        conform_random_bytes(bytes, sizes[slot], step);
        CONFORM_OK(isg_buffer_upload(buffers[slot], 0, bytes, sizes[slot]));
    }
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        isg_buffer_release(buffers[slot]);
    }
    conform_free(bytes);
}
END_TEST

START_TEST(upload_and_download_keep_the_order_of_the_queue)
{
    enum { COUNT = 4096, TIMES = 50 };
    uint32_t x[COUNT], want[COUNT], got[COUNT];
    const uint32_t push[2] = {7, COUNT};
    isg_kernel *kernel = conform_kernel("affine");
    isg_buffer *from = NULL, *to = NULL;

    memset(want, 0, sizeof want);
    to = conform_buffer_of(want, sizeof want);
    from = conform_buffer(sizeof x, ISG_MEMORY_DEVICE);
    for (uint32_t t = 0; t < TIMES; t++) {
        conform_random_words(x, COUNT, t);
        CONFORM_OK(
            isg_buffer_upload(from, 0, x, sizeof x)); /* the dispatch before must not see it */
        CONFORM_OK(isg_queue_dispatch(
            conform_queue(),
            &(isg_dispatch){.kernel = kernel,
                            .grid = {COUNT / 64},
                            .bindings = (isg_binding[]){{.binding = 0, .buffer = from},
                                                        {.binding = 1, .buffer = to}},
                            .binding_count = 2,
                            .push = push,
                            .push_size = sizeof push},
            1, NULL));
        for (uint32_t i = 0; i < COUNT; i++) {
            want[i] += 7 * x[i] + i;
        }
        if (t % 8 == 7) { /* without any wait before */
            CONFORM_OK(isg_buffer_download(to, 0, got, sizeof got));
            conform_check_words(got, want, COUNT, "downloaded without a wait");
        }
    }
    CONFORM_OK(isg_buffer_download(to, 0, got, sizeof got));
    conform_check_words(got, want, COUNT, "after all");
    conform_digest(got, want, sizeof got);
    isg_buffer_release(from);
    isg_buffer_release(to);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(large_round_trip)
{
    enum { SIZE = 48 << 20 };
    unsigned char *bytes = conform_alloc(1, SIZE), *got = conform_alloc(1, SIZE);
    isg_buffer *one = conform_buffer(SIZE, ISG_MEMORY_DEVICE);
    isg_buffer *two = conform_buffer(SIZE, ISG_MEMORY_DEVICE);

    conform_random_words((uint32_t *)bytes, SIZE / 4, 77);
    CONFORM_OK(isg_buffer_upload(one, 0, bytes, SIZE));
    CONFORM_OK(isg_queue_fill(conform_queue(), two, 0, SIZE, 0x99, NULL));
    CONFORM_OK(isg_queue_copy(conform_queue(), two, 1, one, 1, SIZE - 2, NULL));
    CONFORM_OK(isg_buffer_download(two, 0, got, SIZE));
    bytes[0] = bytes[SIZE - 1] = 0x99;
    conform_check_bytes(got, bytes, SIZE, "48 MiB there and back");
    isg_buffer_release(one);
    isg_buffer_release(two);
    conform_free(bytes);
    conform_free(got);
}
END_TEST

START_TEST(sizes_above_the_limit_are_refused)
{
    uint64_t limit = conform_info()->limits.max_buffer_size;
    isg_buffer *buffer = NULL;
    char number[32];

    CONFORM_TRUE(limit >= UINT64_C(1) << 27, "max_buffer_size is only %" PRIu64, limit);
    snprintf(number, sizeof number, "%" PRIu64, limit);
    if (limit < UINT64_MAX) {
        CONFORM_REFUSED(
            ISG_ERROR_LIMIT_EXCEEDED,
            isg_buffer_create(conform_device(), &(isg_buffer_desc){.size = limit + 1}, &buffer),
            number);
        ck_assert_ptr_null(buffer);
    }
    CONFORM_REFUSED(
        ISG_ERROR_LIMIT_EXCEEDED,
        isg_buffer_create(conform_device(), &(isg_buffer_desc){.size = UINT64_MAX}, &buffer),
        number, "18446744073709551615");
    ck_assert_ptr_null(buffer);
}
END_TEST

START_TEST(memory_is_accounted_for)
{
    isg_memory_info before, during, after;
    isg_buffer *buffer = NULL;

    CONFORM_OK(isg_device_memory(conform_device(), &before));
    buffer = conform_buffer(8 << 20, ISG_MEMORY_DEVICE);
    CONFORM_OK(isg_device_memory(conform_device(), &during));
    CONFORM_TRUE(during.size > 0, "a device without memory");
    CONFORM_TRUE(during.allocated >= before.allocated + (8 << 20),
                 "8 MiB created, but the memory held went from %" PRIu64 " to %" PRIu64,
                 before.allocated, during.allocated);
    CONFORM_TRUE(during.budget == 0 || during.budget <= during.size * 2,
                 "a budget of %" PRIu64 " of %" PRIu64 " bytes", during.budget, during.size);
    isg_buffer_release(buffer);
    CONFORM_OK(isg_device_memory(conform_device(), &after));
    CONFORM_TRUE(after.allocated < during.allocated,
                 "8 MiB released, but %" PRIu64 " bytes are still held, as before",
                 after.allocated);
}
END_TEST

void conform_buffer_list(conform_list *list)
{
    CONFORM_ADD(list, round_trip_odd_ranges);
    CONFORM_ADD(list, fill_odd_ranges);
    CONFORM_ADD(list, copy_odd_ranges);
    CONFORM_ADD(list, copy_within_one_buffer);
    CONFORM_ADD(list, ranges_that_wrap_are_refused);
    CONFORM_ADD(list, report_51_zero_sizes);
    CONFORM_ADD(list, map_gives_the_bytes_themselves);
    CONFORM_ADD(list, neighbours_stay_untouched);
    CONFORM_ADD(list, churn_keeps_contents);
    CONFORM_ADD(list, upload_and_download_keep_the_order_of_the_queue);
    CONFORM_ADD(list, large_round_trip);
    CONFORM_ADD(list, sizes_above_the_limit_are_refused);
    CONFORM_ADD(list, memory_is_accounted_for);
}
