/* Owns the suite `dispatch`: what a dispatch does with its grid, bindings and arithmetic. */
#include "conform.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- grids ---- */

static void check_ids(isg_kernel *kernel, const uint32_t grid[3])
{
    uint32_t z = grid[2], groups = grid[0] * grid[1] * grid[2], tail[2] = {0};
    size_t words = (size_t)groups * 24 * 12;
    uint32_t *got = conform_alloc(2 * words, 4), *want = got + words, *row = want;
    isg_buffer *rows = conform_buffer_of(got, words * 4);
    isg_buffer *counts = conform_buffer_of(tail, sizeof tail);

    for (uint32_t w = 0; w < groups; w++) {
        for (uint32_t l = 0; l < 24; l++, row += 12) {
            uint32_t x = w % grid[0], y = w / grid[0] % grid[1], deep = w / grid[0] / grid[1];
            uint32_t lx = l % 3, ly = l / 3 % 4, lz = l / 12;
            memcpy(row,
                   (uint32_t[]){x, y, deep, lx, ly, lz, x * 3 + lx, y * 4 + ly, deep * 2 + lz, l,
                                grid[0], grid[1]},
                   12 * sizeof *row);
        }
    }
    conform_run(&(isg_dispatch){.kernel = kernel,
                                .grid = {grid[0], grid[1], grid[2]},
                                .bindings = (isg_binding[]){{.binding = 0, .buffer = rows},
                                                            {.binding = 1, .buffer = counts}},
                                .binding_count = 2,
                                .push = &z,
                                .push_size = 4});
    CONFORM_OK(isg_buffer_download(rows, 0, got, words * 4));
    CONFORM_OK(isg_buffer_download(counts, 0, tail, sizeof tail));
    conform_check_words(got, want, words, "what invocations know of their place");
    conform_check_words(tail, (uint32_t[]){groups * 24, 0}, 2, "invocations, and wrong z");
    conform_digest(got, want, words * 4);
    isg_buffer_release(rows);
    isg_buffer_release(counts);
    conform_free(got);
}

START_TEST(ids_in_three_dimensions)
{
    static const uint32_t grids[][3] = {{1, 1, 1}, {5, 1, 1},  {1, 6, 1}, {1, 1, 7},
                                        {2, 3, 4}, {33, 2, 1}, {1, 17, 3}};
    isg_kernel *kernel = conform_kernel("ids");

    for (size_t i = 0; i < CONFORM_COUNT(grids); i++) {
        check_ids(kernel, grids[i]);
    }
    isg_kernel_release(kernel);
}
END_TEST

/* Runs count_groups and downloads its sums. */
static void count_groups(const isg_dispatch *like, uint32_t sums[4])
{
    isg_kernel *kernel = conform_kernel("count_groups");
    isg_dispatch dispatch = *like;
    isg_buffer *buffer = NULL;
    isg_binding binding = {0};

    memset(sums, 0, 4 * sizeof *sums);
    buffer = conform_buffer_of(sums, 4 * sizeof *sums);
    binding.buffer = buffer;
    dispatch.kernel = kernel;
    dispatch.bindings = &binding;
    dispatch.binding_count = 1;
    conform_run(&dispatch);
    CONFORM_OK(isg_buffer_download(buffer, 0, sums, 4 * sizeof *sums));
    isg_buffer_release(buffer);
    isg_kernel_release(kernel);
}

static uint32_t sum_below(uint32_t n)
{
    return (uint32_t)((uint64_t)n * (n - 1) / 2);
}

START_TEST(report_51_zero_work)
{
    static const struct {
        uint32_t grid[3], groups;
    } rows[] = {{{0, 1, 1}, 0}, {{0, 0, 0}, 0},  {{0, 7, 9}, 0},
                {{1, 0, 0}, 1}, {{4, 0, 3}, 12}, {{4, 3, 0}, 12}};
    uint32_t sums[4];

    for (size_t i = 0; i < CONFORM_COUNT(rows); i++) {
        const uint32_t *g = rows[i].grid;
        count_groups(&(isg_dispatch){.grid = {g[0], g[1], g[2]}}, sums);
        CONFORM_TRUE(sums[0] == rows[i].groups, "grid %u x %u x %u ran %u workgroups, expected %u",
                     g[0], g[1], g[2], sums[0], rows[i].groups);
    }
    CONFORM_OK(isg_queue_dispatch(conform_queue(), NULL, 0, NULL)); /* no dispatch at all */
}
END_TEST

START_TEST(grid_at_and_above_each_limit)
{
    const uint32_t *limits = conform_info()->limits.max_workgroup_count;
    isg_kernel *kernel = conform_kernel("count_groups");
    isg_buffer *buffer = conform_buffer(16, ISG_MEMORY_DEVICE);
    uint32_t sums[4], want[4];
    char number[32];

    CONFORM_OK(isg_queue_fill(conform_queue(), buffer, 0, 16, 0, NULL));
    for (int side = 0; side < 3; side++) {
        isg_dispatch dispatch = {.grid = {1, 1, 1}};
        uint32_t most = limits[side] < 65535 ? limits[side] : 65535;
        CONFORM_TRUE(limits[side] >= 65535, "max_workgroup_count[%d] is only %u", side,
                     limits[side]);
        dispatch.grid[side] = most;
        count_groups(&dispatch, sums);
        memset(want, 0, sizeof want);
        want[0] = most;
        want[1 + side] = sum_below(most);
        conform_check_words(sums, want, 4, "workgroups at the limit");

        if (limits[side] == UINT32_MAX) {
            continue;
        }
        snprintf(number, sizeof number, "%u", limits[side]);
        dispatch.grid[side] = limits[side] + 1;
        dispatch.kernel = kernel;
        dispatch.bindings = &(isg_binding){.buffer = buffer};
        dispatch.binding_count = 1;
        CONFORM_REFUSED(ISG_ERROR_LIMIT_EXCEEDED,
                        isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), number);
        dispatch.grid[side] = UINT32_MAX;
        CONFORM_REFUSED(ISG_ERROR_LIMIT_EXCEEDED,
                        isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), number,
                        "4294967295");
    }
    CONFORM_OK(isg_buffer_download(buffer, 0, sums, sizeof sums));
    conform_check_filled(sums, 0, sizeof sums, "the buffer of refused dispatches");
    isg_buffer_release(buffer);
    isg_kernel_release(kernel);
}
END_TEST

/* ---- indirect grids ---- */

START_TEST(indirect_grid_and_offset)
{
    static const uint32_t rows[][3] = {{3, 4, 5}, {1, 1, 1}, {100, 1, 2}, {1, 65535, 1}};
    uint32_t words[64], sums[4];
    isg_buffer *indirect = NULL;

    memset(words, 0xff, sizeof words);
    for (size_t i = 0; i < CONFORM_COUNT(rows); i++) {
        memcpy(words + 1 + i * 5, rows[i], sizeof rows[i]);
    }
    indirect = conform_buffer_of(words, sizeof words);
    for (size_t i = 0; i < CONFORM_COUNT(rows); i++) {
        const uint32_t *g = rows[i];
        uint32_t groups = g[0] * g[1] * g[2];
        /* `grid` is replaced, whatever it says */
        count_groups(&(isg_dispatch){.grid = {9, 9, 9},
                                     .indirect = indirect,
                                     .indirect_offset = (1 + i * 5) * 4},
                     sums);
        conform_check_words(sums,
                            (uint32_t[]){groups, sum_below(g[0]) * g[1] * g[2],
                                         sum_below(g[1]) * g[0] * g[2],
                                         sum_below(g[2]) * g[0] * g[1]},
                            4, "workgroups of an indirect grid");
    }
    isg_buffer_release(indirect);
}
END_TEST

START_TEST(indirect_zero_means_nothing)
{
    static const uint32_t rows[][3] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {0, 0, 0}, {7, 7, 0}};

    for (size_t i = 0; i < CONFORM_COUNT(rows); i++) {
        isg_buffer *indirect = conform_buffer_of(rows[i], sizeof rows[i]);
        uint32_t sums[4];
        count_groups(&(isg_dispatch){.indirect = indirect}, sums);
        conform_check_filled(sums, 0, sizeof sums, "sums of an indirect grid with a 0");
        isg_buffer_release(indirect);
    }
}
END_TEST

START_TEST(indirect_grid_written_by_a_kernel)
{
    /* affine: y[i] = m * x[i] + y[i] + i writes the grid that the next dispatch reads */
    const uint32_t x[3] = {6, 4, 1}, y[3] = {0, 0, 0}, push[2] = {1, 3};
    isg_kernel *write = conform_kernel("affine"), *count = conform_kernel("count_groups");
    isg_buffer *from = conform_buffer_of(x, sizeof x), *grid = conform_buffer_of(y, sizeof y);
    uint32_t sums[4] = {0};
    isg_buffer *out = conform_buffer_of(sums, sizeof sums);

    CONFORM_OK(isg_queue_dispatch(
        conform_queue(),
        (isg_dispatch[]){{.kernel = write,
                          .grid = {1},
                          .bindings = (isg_binding[]){{.binding = 0, .buffer = from},
                                                      {.binding = 1, .buffer = grid}},
                          .binding_count = 2,
                          .push = push,
                          .push_size = sizeof push},
                         {.kernel = count,
                          .indirect = grid,
                          .bindings = &(isg_binding){.buffer = out},
                          .binding_count = 1}},
        2, NULL));
    CONFORM_OK(isg_buffer_download(out, 0, sums, sizeof sums));
    ck_assert_uint_eq(sums[0], 6 * 5 * 3);
    isg_buffer_release(from);
    isg_buffer_release(grid);
    isg_buffer_release(out);
    isg_kernel_release(write);
    isg_kernel_release(count);
}
END_TEST

START_TEST(indirect_grid_above_the_limit_ends_in_an_error)
{
    const uint32_t *limits = conform_info()->limits.max_workgroup_count;
    isg_kernel *kernel = conform_kernel("count_groups");
    isg_buffer *sums = conform_buffer(16, ISG_MEMORY_DEVICE);
    uint32_t got[4];
    char number[32];

    for (int side = 0; side < 3; side++) {
        uint32_t grid[3] = {1, 1, 1};
        isg_buffer *indirect = NULL;
        isg_dispatch dispatch = {.kernel = kernel,
                                 .bindings = &(isg_binding){.buffer = sums},
                                 .binding_count = 1,
                                 .label = "too large"};
        if (limits[side] == UINT32_MAX) {
            continue;
        }
        grid[side] = limits[side] + 1;
        snprintf(number, sizeof number, "%u", grid[side]);
        indirect = conform_buffer_of(grid, sizeof grid);
        dispatch.indirect = indirect;
        CONFORM_OK(isg_queue_fill(conform_queue(), sums, 0, 16, 0, NULL));
        CONFORM_OK(isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL));
        CONFORM_REFUSED(ISG_ERROR_LIMIT_EXCEEDED,
                        isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER), number);
        CONFORM_OK(isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER)); /* reported once */
        CONFORM_OK(isg_buffer_download(sums, 0, got, sizeof got));
        conform_check_filled(got, 0, sizeof got, "sums of a grid above the limit");
        conform_check_usable(conform_device());
        isg_buffer_release(indirect);
    }
    isg_buffer_release(sums);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(indirect_grid_above_the_limit_is_reported_by_download)
{
    const uint32_t limit = conform_info()->limits.max_workgroup_count[0];
    uint32_t grid[3] = {limit + 1, 1, 1}, got[4];
    isg_kernel *kernel = conform_kernel("count_groups");
    isg_buffer *sums = conform_buffer(16, ISG_MEMORY_DEVICE);
    isg_buffer *indirect = NULL;

    if (limit == UINT32_MAX) {
        conform_skip("the device has no limit below 2^32");
    }
    indirect = conform_buffer_of(grid, sizeof grid);
    CONFORM_OK(isg_queue_dispatch(conform_queue(),
                                  &(isg_dispatch){.kernel = kernel,
                                                  .indirect = indirect,
                                                  .bindings = &(isg_binding){.buffer = sums},
                                                  .binding_count = 1},
                                  1, NULL));
    CONFORM_REFUSED(ISG_ERROR_LIMIT_EXCEEDED, isg_buffer_download(sums, 0, got, sizeof got),
                    "workgroup");
    CONFORM_OK(isg_buffer_download(sums, 0, got, sizeof got));
    isg_buffer_release(sums);
    isg_buffer_release(indirect);
    isg_kernel_release(kernel);
}
END_TEST

/* ---- several dispatches ---- */

START_TEST(several_dispatches_run_in_order)
{
    enum { COUNT = 5000, TIMES = 32 };
    uint32_t x[COUNT], y[COUNT], want[COUNT];
    uint32_t push[TIMES][2];
    isg_kernel *kernel = conform_kernel("affine");
    isg_buffer *buffers[2];
    isg_binding bindings[2][2];
    isg_dispatch dispatches[TIMES];

    conform_random_words(x, COUNT, 1);
    conform_random_words(y, COUNT, 2);
    buffers[0] = conform_buffer_of(x, sizeof x);
    buffers[1] = conform_buffer_of(y, sizeof y);
    for (uint32_t t = 0; t < TIMES; t++) { /* back and forth between the two */
        push[t][0] = 2 * t + 3;
        push[t][1] = COUNT - t;
        bindings[t % 2][0] = (isg_binding){.binding = 0, .buffer = buffers[t % 2]};
        bindings[t % 2][1] = (isg_binding){.binding = 1, .buffer = buffers[1 - t % 2]};
        dispatches[t] = (isg_dispatch){.kernel = kernel,
                                       .grid = {(COUNT + 63) / 64},
                                       .bindings = bindings[t % 2],
                                       .binding_count = 2,
                                       .push = push[t],
                                       .push_size = 8};
        for (uint32_t i = 0; i < push[t][1]; i++) {
            uint32_t *from = t % 2 ? y : x, *to = t % 2 ? x : y;
            to[i] = push[t][0] * from[i] + to[i] + i;
        }
    }
    memcpy(want, y, sizeof y);
    CONFORM_OK(isg_queue_dispatch(conform_queue(), dispatches, TIMES, NULL));
    CONFORM_OK(isg_buffer_download(buffers[1], 0, y, sizeof y));
    conform_check_words(y, want, COUNT, "32 dispatches in one submission");
    CONFORM_OK(isg_buffer_download(buffers[0], 0, y, sizeof y));
    conform_check_words(y, x, COUNT, "the other buffer");
    conform_digest(y, x, sizeof y);
    isg_buffer_release(buffers[0]);
    isg_buffer_release(buffers[1]);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(one_bad_dispatch_keeps_all_from_running)
{
    isg_kernel *kernel = conform_kernel("count_groups");
    isg_buffer *sums = conform_buffer(16, ISG_MEMORY_DEVICE);
    const isg_binding binding = {.buffer = sums};
    isg_dispatch dispatches[3];
    uint64_t value = 0, before = 0;
    uint32_t got[4];

    CONFORM_OK(isg_queue_fill(conform_queue(), sums, 0, 16, 0, &before));
    for (int i = 0; i < 3; i++) {
        dispatches[i] = (isg_dispatch){
            .kernel = kernel, .grid = {1}, .bindings = &binding, .binding_count = i == 2 ? 0 : 1};
    }
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_dispatch(conform_queue(), dispatches, 3, &value), "binding");
    CONFORM_OK(isg_queue_dispatch(conform_queue(), dispatches, 2, &value));
    ck_assert_uint_gt(value, before);
    CONFORM_OK(isg_buffer_download(sums, 0, got, sizeof got));
    ck_assert_uint_eq(got[0], 2);
    isg_buffer_release(sums);
    isg_kernel_release(kernel);
}
END_TEST

/* ---- bindings ---- */

START_TEST(every_kind_of_buffer_binding)
{
    enum { COUNT = 777 };
    const uint64_t step = 4096; /* a multiple of any device's alignment */
    uint32_t uniform_alignment = conform_info()->limits.uniform_offset_alignment;
    const uint64_t size = COUNT * 4;
    uint32_t *data = conform_alloc((size_t)step * 8 / 4, 4), got[COUNT], want[COUNT];
    uint32_t push[8] = {1, 2, 3, 4, COUNT}, factors[4] = {3, 5, 7, 11};
    unsigned char guard[64];
    isg_kernel *kernel = conform_kernel("bindings");
    isg_buffer *all = NULL, *uniform = NULL, *out = NULL;
    const uint32_t *part[6];

    conform_random_words(data, (size_t)step * 8 / 4, 8);
    all = conform_buffer_of(data, step * 8);
    uniform = conform_buffer(uniform_alignment * 2 + 64, ISG_MEMORY_DEVICE);
    CONFORM_OK(isg_queue_fill(conform_queue(), uniform, 0, uniform_alignment * 2 + 64, 0xff, NULL));
    CONFORM_OK(isg_buffer_upload(uniform, uniform_alignment * 2, factors, sizeof factors));
    out = conform_buffer(step * 3, ISG_MEMORY_DEVICE);
    CONFORM_OK(isg_queue_fill(conform_queue(), out, 0, step * 3, 0xa5, NULL));
    for (int i = 0; i < 6; i++) {
        part[i] = data + (size_t)step * (size_t)(i + 1) / 4;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        want[i] = part[0][i] * factors[i & 3] + part[1][i] + 2 * part[2][i] + 3 * part[3][i] + 4 +
                  part[4][i];
    }
    conform_run(&(isg_dispatch){
        .kernel = kernel,
        .grid = {(COUNT + 31) / 32},
        .bindings =
            (isg_binding[]){
                {.set = 2, .binding = 5, .buffer = out, .offset = step, .size = size},
                {.set = 0, .binding = 7, .buffer = all, .offset = step, .size = size},
                {.set = 1,
                 .binding = 3,
                 .array_index = 2,
                 .buffer = all,
                 .offset = step * 4,
                 .size = size},
                {.set = 1,
                 .binding = 3,
                 .array_index = 0,
                 .buffer = all,
                 .offset = step * 2,
                 .size = size},
                {.set = 1, .binding = 0, .buffer = uniform, .offset = uniform_alignment * 2},
                {.set = 1, .binding = 3, .array_index = 1, .buffer = all, .offset = step * 3},
                {.set = 2, .binding = 1, .buffer = all, .offset = step * 5},
            },
        .binding_count = 7,
        .push = push,
        .push_size = isg_kernel_get_info(kernel)->push_size});
    CONFORM_OK(isg_buffer_download(out, step, got, size));
    conform_check_words(got, want, COUNT, "all kinds of bindings");
    conform_digest(got, want, size);
    CONFORM_OK(isg_buffer_download(out, step - 64, guard, 64));
    conform_check_filled(guard, 0xa5, 64, "the bytes before the binding");
    CONFORM_OK(isg_buffer_download(out, step + size, guard, 64));
    conform_check_filled(guard, 0xa5, 64, "the bytes after the binding");
    isg_buffer_release(all);
    isg_buffer_release(uniform);
    isg_buffer_release(out);
    isg_kernel_release(kernel);
    conform_free(data);
}
END_TEST

START_TEST(kernel_sees_the_length_of_its_binding)
{
    static const uint32_t sizes[][2] = {{4, 24}, {8, 32}, {400, 160}, {4000, 1016}};
    isg_kernel *kernel = conform_kernel("lengths");
    uint32_t words[1024], got[4], last[2];

    conform_random_words(words, 1024, 6);
    for (size_t i = 0; i < CONFORM_COUNT(sizes); i++) {
        uint32_t a_size = sizes[i][0], b_size = sizes[i][1];
        isg_buffer *a = conform_buffer_of(words, sizeof words);
        isg_buffer *b = conform_buffer_of(words, sizeof words);
        isg_buffer *out = conform_buffer(16, ISG_MEMORY_DEVICE);
        conform_run(
            &(isg_dispatch){.kernel = kernel,
                            .grid = {1},
                            .bindings = (isg_binding[]){{.binding = 0, .buffer = a, .size = a_size},
                                                        {.binding = 1, .buffer = b, .size = b_size},
                                                        {.binding = 2, .buffer = out}},
                            .binding_count = 3});
        CONFORM_OK(isg_buffer_download(out, 0, got, sizeof got));
        CONFORM_OK(isg_buffer_download(b, b_size - 8, last, sizeof last));
        conform_check_words(
            got, (uint32_t[]){a_size / 4, (b_size - 16) / 8, words[a_size / 4 - 1], words[0]}, 4,
            "lengths of bindings");
        conform_check_words(last, (uint32_t[]){0x1234, 0x5678}, 2, "the last element");
        isg_buffer_release(a);
        isg_buffer_release(b);
        isg_buffer_release(out);
    }
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(bytes_in_bytes_out)
{
    enum { COUNT = 300 };
    uint32_t x[COUNT], y[COUNT], want[COUNT];
    const uint32_t push[2] = {9, COUNT};
    isg_kernel *kernel = conform_kernel("affine");
    isg_buffer *device_x = NULL;
    isg_dispatch_result result;
    isg_dispatch dispatch = {
        .kernel = kernel, .grid = {(COUNT + 63) / 64}, .push = push, .push_size = 8};

    conform_random_words(x, COUNT, 1);
    conform_random_words(y, COUNT, 2);
    for (uint32_t i = 0; i < COUNT; i++) {
        want[i] = 9 * x[i] + y[i] + i;
    }
    CONFORM_OK(isg_queue_dispatch_bytes(
        conform_queue(), &dispatch,
        (isg_host_binding[]){{.binding = 0, .data = x, .size = sizeof x, .direction = ISG_IN},
                             {.binding = 1, .data = y, .size = sizeof y, .direction = ISG_INOUT}},
        2, &result));
    conform_check_words(y, want, COUNT, "in and out");
    ck_assert_int_eq(result.plan.kind, ISG_PLAN_SINGLE);
    conform_report_plan(result.plan.kind);

    device_x = conform_buffer_of(x, sizeof x); /* one buffer besides; OUT starts as zeros */
    dispatch.bindings = &(isg_binding){.binding = 0, .buffer = device_x};
    dispatch.binding_count = 1;
    memset(y, 0xff, sizeof y);
    CONFORM_OK(isg_queue_dispatch_bytes(
        conform_queue(), &dispatch,
        &(isg_host_binding){.binding = 1, .data = y, .size = sizeof y, .direction = ISG_OUT}, 1,
        NULL));
    for (uint32_t i = 0; i < COUNT; i++) {
        want[i] = 9 * x[i] + i;
    }
    conform_check_words(y, want, COUNT, "out only");
    isg_buffer_release(device_x);
    isg_kernel_release(kernel);
}
END_TEST

void conform_dispatch_list(conform_list *list)
{
    CONFORM_ADD(list, ids_in_three_dimensions);
    CONFORM_ADD(list, report_51_zero_work);
    CONFORM_ADD(list, grid_at_and_above_each_limit);
    CONFORM_ADD(list, indirect_grid_and_offset);
    CONFORM_ADD(list, indirect_zero_means_nothing);
    CONFORM_ADD(list, indirect_grid_written_by_a_kernel);
    CONFORM_ADD(list, indirect_grid_above_the_limit_ends_in_an_error);
    CONFORM_ADD(list, indirect_grid_above_the_limit_is_reported_by_download);
    CONFORM_ADD(list, several_dispatches_run_in_order);
    CONFORM_ADD(list, one_bad_dispatch_keeps_all_from_running);
    CONFORM_ADD(list, every_kind_of_buffer_binding);
    CONFORM_ADD(list, kernel_sees_the_length_of_its_binding);
    CONFORM_ADD(list, bytes_in_bytes_out);
}
