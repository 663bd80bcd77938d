/* Owns the suite `reference`: grid sync as CONTRACT A asks for it, by every route and grid. */
#include "conform.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 512, GROUP_SIZE = 256, N = GROUPS * GROUP_SIZE, LAUNCHES = 8 };
enum { COUNT_PHASE_0, COUNT_PHASE_1, COUNT_SYNCED, COUNT_BAD_IDS, COUNTS };

/* ---- what the host knows ---- */

static uint32_t input_a(uint32_t launch, uint32_t i)
{
    return conform_mix32(i + launch * 0x01000193u);
}

static uint32_t preset(uint32_t launch, uint32_t i)
{
    return conform_mix32(~i ^ (launch * 0x85ebca6bu)) & 0x3fffffffu;
}

static uint32_t increments(uint32_t workgroup)
{
    return workgroup == GROUPS - 1 ? 256 : 1 + workgroup / 8;
}

typedef struct host_data {
    uint32_t a[N], scratch[N], out[N];
    uint32_t want_scratch[N], want_out[N];
    uint32_t counts[COUNTS];
} host_data;

/* Inputs and expected outputs of one launch. */
static void prepare(host_data *data, uint32_t launch)
{
    for (uint32_t i = 0; i < N; i++) {
        data->a[i] = input_a(launch, i);
        data->scratch[i] = preset(launch, i);
        data->want_scratch[i] = data->scratch[i] + increments(i / GROUP_SIZE);
        data->out[i] = 0xdeadbeefu;
    }
    for (uint32_t i = 0; i < N; i++) {
        data->want_out[i] = data->a[i] + data->want_scratch[N - 1];
    }
    memset(data->counts, 0, sizeof data->counts);
}

/* ---- verdicts, in words ---- */

/* What a wrong element of the output says about the barrier. */
static _Noreturn void fail_element(const char *where, uint32_t i, uint32_t group_size, uint32_t got,
                                   uint32_t want)
{
    int32_t difference = (int32_t)(got - want);

    if (difference < 0) {
        conform_fail("%s: element %" PRIu32 " of workgroup %" PRIu32 " is %" PRIu32
                     ", expected %" PRIu32 ": below, so the barrier released early; the last "
                     "workgroup still had %" PRId32 " iterations to go",
                     where, i, i / group_size, got, want, -difference);
    }
    conform_fail("%s: element %" PRIu32 " of workgroup %" PRIu32 " is %" PRIu32
                 ", expected %" PRIu32 ": above by %" PRId32 ", so phase 0, the read-back or a "
                 "logical workgroup ran twice",
                 where, i, i / group_size, got, want, difference);
}

static void check_counts(const char *where, const uint32_t counts[COUNTS], uint32_t groups)
{
    if (counts[COUNT_PHASE_0] != groups || counts[COUNT_PHASE_1] != groups) {
        conform_fail("%s: phase 0 was run by %" PRIu32 " workgroups and phase 1 by %" PRIu32
                     ", expected %" PRIu32 " each",
                     where, counts[COUNT_PHASE_0], counts[COUNT_PHASE_1], groups);
    }
    if (counts[COUNT_SYNCED] != groups) {
        conform_fail("%s: only %" PRIu32 " of %" PRIu32 " workgroups found phase 0 ended when they "
                     "began phase 1",
                     where, counts[COUNT_SYNCED], groups);
    }
    if (counts[COUNT_BAD_IDS] != 0) {
        conform_fail("%s: %" PRIu32 " invocations saw gl_GlobalInvocationID or gl_WorkGroupID "
                     "outside of the grid",
                     where, counts[COUNT_BAD_IDS]);
    }
    conform_report_syncs(1);
}

static void check_launch(const host_data *data, const char *route, int launch)
{
    char where[80];

    snprintf(where, sizeof where, "%s, launch %d of %d", route, launch + 1, LAUNCHES);
    for (uint32_t i = 0; i < N; i++) {
        if (data->scratch[i] != data->want_scratch[i]) {
            conform_fail("%s: scratch element %" PRIu32 " of workgroup %" PRIu32 " is %" PRIu32
                         ", expected %" PRIu32 ": %s",
                         where, i, i / GROUP_SIZE, data->scratch[i], data->want_scratch[i],
                         (int32_t)(data->scratch[i] - data->want_scratch[i]) > 0
                             ? "a workgroup ran phase 0 twice"
                             : "increments were lost");
        }
        if (data->out[i] != data->want_out[i]) {
            fail_element(where, i, GROUP_SIZE, data->out[i], data->want_out[i]);
        }
    }
    check_counts(where, data->counts, GROUPS);
    conform_digest(data->out, data->want_out, sizeof data->out);
}

/* ---- routes ---- */

static void route_host_bytes(host_data *data)
{
    isg_kernel *kernel = conform_kernel("reference");

    for (int launch = 0; launch < LAUNCHES; launch++) {
        isg_dispatch_result result;
        prepare(data, (uint32_t)launch);
        CONFORM_OK(isg_queue_dispatch_bytes(
            conform_queue(), &(isg_dispatch){.kernel = kernel, .grid = {GROUPS}},
            (isg_host_binding[]){
                {.binding = 0, .data = data->a, .size = sizeof data->a, .direction = ISG_IN},
                {.binding = 1,
                 .data = data->scratch,
                 .size = sizeof data->scratch,
                 .direction = ISG_INOUT},
                {.binding = 2, .data = data->out, .size = sizeof data->out, .direction = ISG_OUT},
                {.binding = 3,
                 .data = data->counts,
                 .size = sizeof data->counts,
                 .direction = ISG_INOUT}},
            4, &result));
        conform_report_plan(result.plan.kind);
        check_launch(data, "host bytes", launch);
    }
    isg_kernel_release(kernel);
}

typedef struct device_data {
    isg_buffer *a, *scratch, *out, *counts;
    isg_binding bindings[4];
} device_data;

static void device_data_create(device_data *device, uint64_t size)
{
    device->a = conform_buffer(size, ISG_MEMORY_DEVICE);
    device->scratch = conform_buffer(size, ISG_MEMORY_DEVICE);
    device->out = conform_buffer(size, ISG_MEMORY_DEVICE);
    device->counts = conform_buffer(COUNTS * sizeof(uint32_t), ISG_MEMORY_DEVICE);
    device->bindings[0] = (isg_binding){.binding = 0, .buffer = device->a};
    device->bindings[1] = (isg_binding){.binding = 1, .buffer = device->scratch};
    device->bindings[2] = (isg_binding){.binding = 2, .buffer = device->out};
    device->bindings[3] = (isg_binding){.binding = 3, .buffer = device->counts};
}

static void device_data_release(device_data *device)
{
    isg_buffer_release(device->a);
    isg_buffer_release(device->scratch);
    isg_buffer_release(device->out);
    isg_buffer_release(device->counts);
}

static void upload(const device_data *device, const host_data *data)
{
    CONFORM_OK(isg_buffer_upload(device->a, 0, data->a, sizeof data->a));
    CONFORM_OK(isg_buffer_upload(device->scratch, 0, data->scratch, sizeof data->scratch));
    CONFORM_OK(isg_buffer_upload(device->out, 0, data->out, sizeof data->out));
    CONFORM_OK(isg_buffer_upload(device->counts, 0, data->counts, sizeof data->counts));
}

static void download(const device_data *device, host_data *data)
{
    CONFORM_OK(isg_buffer_download(device->scratch, 0, data->scratch, sizeof data->scratch));
    CONFORM_OK(isg_buffer_download(device->out, 0, data->out, sizeof data->out));
    CONFORM_OK(isg_buffer_download(device->counts, 0, data->counts, sizeof data->counts));
}

static void route_device_buffers(host_data *data)
{
    isg_kernel *kernel = conform_kernel("reference");
    device_data device;

    device_data_create(&device, sizeof data->a);
    for (int launch = 0; launch < LAUNCHES; launch++) {
        prepare(data, (uint32_t)launch);
        upload(&device, data);
        conform_run(&(isg_dispatch){
            .kernel = kernel, .grid = {GROUPS}, .bindings = device.bindings, .binding_count = 4});
        download(&device, data);
        check_launch(data, "device buffers", launch);
    }
    device_data_release(&device);
    isg_kernel_release(kernel);
}

static void route_recording(host_data *data)
{
    isg_kernel *kernel = conform_kernel("reference");
    isg_recording *recording = NULL;
    device_data device;

    device_data_create(&device, sizeof data->a);
    CONFORM_OK(isg_recording_create(conform_device(), NULL, &recording));
    CONFORM_OK(isg_record_dispatch(recording, &(isg_dispatch){.kernel = kernel,
                                                              .grid = {GROUPS},
                                                              .bindings = device.bindings,
                                                              .binding_count = 4}));
    CONFORM_OK(isg_recording_end(recording));
    for (int launch = 0; launch < LAUNCHES; launch++) {
        prepare(data, (uint32_t)launch);
        upload(&device, data);
        CONFORM_OK(
            isg_queue_submit(conform_queue(),
                             &(isg_submit_desc){.recordings = (isg_recording *const[]){recording},
                                                .recording_count = 1},
                             NULL));
        CONFORM_OK(isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER));
        CONFORM_OK(isg_recording_status(recording));
        download(&device, data);
        check_launch(data, "recording submitted again", launch);
    }
    isg_recording_release(recording);
    device_data_release(&device);
    isg_kernel_release(kernel);
}

START_TEST(three_routes)
{
    host_data *data = conform_alloc(1, sizeof *data);

    route_host_bytes(data);
    route_device_buffers(data);
    route_recording(data);
    conform_free(data);
}
END_TEST

START_TEST(indirect_grid)
{
    const uint32_t grid[3] = {GROUPS, 1, 1};
    host_data *data = conform_alloc(1, sizeof *data);
    isg_kernel *kernel = conform_kernel("reference");
    isg_buffer *indirect = NULL;
    device_data device;

    /* Above the word that is the grid lies another, so that the offset counts. */
    indirect = conform_buffer(64, ISG_MEMORY_DEVICE);
    CONFORM_OK(isg_queue_fill(conform_queue(), indirect, 0, 64, 0xff, NULL));
    CONFORM_OK(isg_buffer_upload(indirect, 20, grid, sizeof grid));
    device_data_create(&device, sizeof data->a);
    for (int launch = 0; launch < LAUNCHES; launch++) {
        prepare(data, (uint32_t)launch);
        upload(&device, data);
        conform_run(&(isg_dispatch){.kernel = kernel,
                                    .indirect = indirect,
                                    .indirect_offset = 20,
                                    .bindings = device.bindings,
                                    .binding_count = 4});
        download(&device, data);
        check_launch(data, "indirect grid", launch);
    }
    device_data_release(&device);
    isg_buffer_release(indirect);
    isg_kernel_release(kernel);
    conform_free(data);
}
END_TEST

/* ---- the light twin ---- */

enum { LIGHT_SIZE = 32, CHUNK = 1 << 18 }; /* elements that the host looks at, at a time */

typedef struct shape {
    const char *name;
    uint32_t grid[3];
} shape;

static const shape shapes[] = {
    {"light_twin_1", {1, 1, 1}},
    {"light_twin_2", {2, 1, 1}},
    {"light_twin_64", {64, 1, 1}},
    {"light_twin_512", {512, 1, 1}},
    {"light_twin_4096", {4096, 1, 1}},
    {"light_twin_65535", {65535, 1, 1}},
    {"light_twin_65536", {65536, 1, 1}},
    {"light_twin_1000000", {1000000, 1, 1}},
    {"light_twin_7x5x3", {7, 5, 3}},
    {"light_twin_100x100x100", {100, 100, 100}},
    {"light_twin_3x70000x2", {3, 70000, 2}},
    {"light_twin_2x3x65537", {2, 3, 65537}},
    {"light_twin_1x65536", {1, 65536, 1}},
    {"light_twin_70000x3", {70000, 3, 1}},
};

static uint32_t light_increments(uint32_t workgroup, uint32_t groups)
{
    return workgroup == groups - 1 ? 256 : 1 + workgroup % 512 / 8;
}

static void light_upload(const device_data *device, uint32_t n)
{
    uint32_t *words = conform_alloc(CHUNK, sizeof *words);
    const uint32_t counts[COUNTS] = {0};

    for (uint32_t at = 0; at < n; at += CHUNK) {
        uint32_t part = n - at < CHUNK ? n - at : CHUNK;
        for (uint32_t i = 0; i < part; i++) {
            words[i] = input_a(0, at + i);
        }
        CONFORM_OK(isg_buffer_upload(device->a, (uint64_t)at * 4, words, (uint64_t)part * 4));
        for (uint32_t i = 0; i < part; i++) {
            words[i] = preset(0, at + i);
        }
        CONFORM_OK(isg_buffer_upload(device->scratch, (uint64_t)at * 4, words, (uint64_t)part * 4));
    }
    CONFORM_OK(isg_queue_fill(conform_queue(), device->out, 0, (uint64_t)n * 4, 0xee, NULL));
    CONFORM_OK(isg_buffer_upload(device->counts, 0, counts, sizeof counts));
    conform_free(words);
}

static void light_check(const device_data *device, uint32_t groups)
{
    uint32_t n = groups * LIGHT_SIZE, last = preset(0, n - 1) + 256;
    uint32_t *got = conform_alloc(CHUNK, sizeof *got), *want = conform_alloc(CHUNK, sizeof *want);
    uint32_t counts[COUNTS];

    for (uint32_t at = 0; at < n; at += CHUNK) {
        uint32_t part = n - at < CHUNK ? n - at : CHUNK;
        CONFORM_OK(isg_buffer_download(device->scratch, (uint64_t)at * 4, got, (uint64_t)part * 4));
        for (uint32_t i = 0; i < part; i++) {
            uint32_t w = (at + i) / LIGHT_SIZE;
            want[i] = preset(0, at + i) + light_increments(w, groups);
            if (got[i] != want[i]) {
                conform_fail("scratch element %" PRIu32 " of workgroup %" PRIu32 " is %" PRIu32
                             ", expected %" PRIu32,
                             at + i, w, got[i], want[i]);
            }
        }
        CONFORM_OK(isg_buffer_download(device->out, (uint64_t)at * 4, got, (uint64_t)part * 4));
        for (uint32_t i = 0; i < part; i++) {
            want[i] = input_a(0, at + i) + last;
            if (got[i] != want[i]) {
                fail_element("light twin", at + i, LIGHT_SIZE, got[i], want[i]);
            }
        }
        conform_digest(got, want, (size_t)part * 4);
    }
    CONFORM_OK(isg_buffer_download(device->counts, 0, counts, sizeof counts));
    check_counts("light twin", counts, groups);
    conform_free(got);
    conform_free(want);
}

START_TEST(light_twin)
{
    const shape *grid = &shapes[_i];
    uint32_t groups = grid->grid[0] * grid->grid[1] * grid->grid[2];
    isg_kernel *kernel = conform_kernel("reference_light");
    device_data device;

    device_data_create(&device, (uint64_t)groups * LIGHT_SIZE * 4);
    light_upload(&device, groups * LIGHT_SIZE);
    conform_run(&(isg_dispatch){.kernel = kernel,
                                .grid = {grid->grid[0], grid->grid[1], grid->grid[2]},
                                .bindings = device.bindings,
                                .binding_count = 4});
    light_check(&device, groups);
    device_data_release(&device);
    isg_kernel_release(kernel);
}
END_TEST

/* Grids that the host does not know when it records: one recording, eight grids in a row. */
START_TEST(light_twin_indirect)
{
    static const uint32_t grids[][3] = {{1, 1, 1},   {2, 1, 1},  {64, 1, 1}, {5, 7, 2},
                                        {512, 1, 1}, {1, 1, 65}, {1, 33, 1}, {1000, 3, 1}};
    isg_kernel *kernel = conform_kernel("reference_light");
    isg_buffer *indirect = conform_buffer(12, ISG_MEMORY_DEVICE);
    isg_recording *recording = NULL;
    device_data device;
    isg_dispatch dispatch = {.kernel = kernel, .indirect = indirect, .binding_count = 4};
    isg_plan plan;

    device_data_create(&device, 3000 * LIGHT_SIZE * 4);
    dispatch.bindings = device.bindings;
    CONFORM_OK(isg_plan_dispatch(&dispatch, &plan));
    conform_report_plan(plan.kind);
    CONFORM_OK(isg_recording_create(conform_device(), NULL, &recording));
    CONFORM_OK(isg_record_dispatch(recording, &dispatch));
    CONFORM_OK(isg_recording_end(recording));
    for (size_t i = 0; i < CONFORM_COUNT(grids); i++) {
        uint32_t groups = grids[i][0] * grids[i][1] * grids[i][2];
        light_upload(&device, groups * LIGHT_SIZE);
        CONFORM_OK(isg_buffer_upload(indirect, 0, grids[i], sizeof grids[i]));
        CONFORM_OK(
            isg_queue_submit(conform_queue(),
                             &(isg_submit_desc){.recordings = (isg_recording *const[]){recording},
                                                .recording_count = 1},
                             NULL));
        CONFORM_OK(isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER));
        light_check(&device, groups);
    }
    isg_recording_release(recording);
    device_data_release(&device);
    isg_buffer_release(indirect);
    isg_kernel_release(kernel);
}
END_TEST

/* ---- rounds and phases ---- */

enum { ROUND_GROUPS = 24, ROUND_N = ROUND_GROUPS * 64, ROUNDS = 17 };

static void host_rounds(uint32_t *a, uint32_t rounds)
{
    static uint32_t b[ROUND_N], c[ROUND_N];

    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t i = 0; i < ROUND_N; i++) {
            b[i] = conform_mix32(a[ROUND_N - 1 - i] + round);
        }
        for (uint32_t i = 0; i < ROUND_N; i++) {
            c[i] = b[i] ^ b[(i + 97) % ROUND_N];
        }
        for (uint32_t i = 0; i < ROUND_N; i++) {
            a[i] += c[(i + ROUND_N / 2) % ROUND_N] + rounds;
        }
    }
}

static void run_rounds(uint32_t rounds)
{
    static uint32_t a[ROUND_N], want[ROUND_N];
    uint32_t seen[3 * ROUNDS + 1] = {0}, want_seen[3 * ROUNDS + 1] = {0};
    uint32_t phases = 3 * (rounds ? rounds : 1);
    isg_kernel *kernel = conform_kernel("rounds");
    isg_buffer *buffers[4];
    isg_binding bindings[4];

    conform_random_words(a, ROUND_N, 7);
    memcpy(want, a, sizeof a);
    host_rounds(want, rounds ? rounds : 1);
    for (uint32_t i = 0; i < phases; i++) {
        want_seen[i] = ROUND_GROUPS;
    }
    buffers[0] = conform_buffer_of(a, sizeof a);
    buffers[1] = conform_buffer(sizeof a, ISG_MEMORY_DEVICE);
    buffers[2] = conform_buffer(sizeof a, ISG_MEMORY_DEVICE);
    buffers[3] = conform_buffer_of(seen, sizeof seen);
    for (uint32_t i = 0; i < 4; i++) {
        bindings[i] = (isg_binding){.binding = i, .buffer = buffers[i]};
    }
    conform_run(&(isg_dispatch){.kernel = kernel,
                                .grid = {ROUND_GROUPS},
                                .rounds = rounds,
                                .bindings = bindings,
                                .binding_count = 4});
    CONFORM_OK(isg_buffer_download(buffers[0], 0, a, sizeof a));
    CONFORM_OK(isg_buffer_download(buffers[3], 0, seen, sizeof seen));
    conform_check_words(seen, want_seen, 3 * ROUNDS + 1, "workgroups that ran each phase");
    conform_check_words(a, want, ROUND_N, "three phases a round");
    conform_digest(a, want, sizeof a);
    conform_report_syncs(phases - 1); /* between phases that all workgroups ran, as counted */
    for (int i = 0; i < 4; i++) {
        isg_buffer_release(buffers[i]);
    }
    isg_kernel_release(kernel);
}

START_TEST(rounds)
{
    run_rounds(0); /* means 1 */
    run_rounds(1);
    run_rounds(2);
    run_rounds(ROUNDS);
}
END_TEST

START_TEST(phases_32)
{
    enum { COUNT = 37 * 64, ROWS = 33 };
    uint32_t *rows = conform_alloc(ROWS * COUNT, sizeof *rows);
    uint32_t *want = conform_alloc(ROWS * COUNT, sizeof *want);
    isg_kernel *kernel = conform_kernel("phases_32");
    isg_buffer *buffer = NULL;

    conform_random_words(rows, COUNT, 3);
    memcpy(want, rows, COUNT * sizeof *want);
    for (uint32_t p = 0; p < ROWS - 1; p++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            want[(p + 1) * COUNT + i] = conform_mix32(want[p * COUNT + (5 * i + p) % COUNT]);
        }
    }
    buffer = conform_buffer_of(rows, ROWS * COUNT * sizeof *rows);
    conform_run(&(isg_dispatch){.kernel = kernel,
                                .grid = {COUNT / 64},
                                .bindings = &(isg_binding){.buffer = buffer},
                                .binding_count = 1});
    CONFORM_OK(isg_buffer_download(buffer, 0, rows, ROWS * COUNT * sizeof *rows));
    conform_check_words(rows, want, ROWS * COUNT, "32 phases");
    conform_digest(rows, want, ROWS * COUNT * sizeof *rows);
    isg_buffer_release(buffer);
    isg_kernel_release(kernel);
    conform_free(rows);
    conform_free(want);
}
END_TEST

void conform_reference_list(conform_list *list)
{
    CONFORM_ADD(list, three_routes);
    CONFORM_ADD(list, indirect_grid);
    for (size_t i = 0; i < CONFORM_COUNT(shapes); i++) {
        uint64_t groups = (uint64_t)shapes[i].grid[0] * shapes[i].grid[1] * shapes[i].grid[2];
        conform_add_case(list, shapes[i].name, light_twin, (int)i, 0, groups > 100000 ? 240 : 0);
    }
    CONFORM_ADD(list, light_twin_indirect);
    CONFORM_ADD(list, rounds);
    CONFORM_ADD(list, phases_32);
}
