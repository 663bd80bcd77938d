/* The Vulkan backend through the public API, on every Vulkan device there is: buffers, copies,
 * fills, dispatches, images, recordings, queues and events. Run with the validation layer, its
 * messages fail the test. */
#include <isogrid/isogrid.h>

#include "core/test_hooks.h"
#include "isg_kernel_variants_o0.h"

#include <check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES_MAX 16
#define ASK(call) ck_assert_msg((call) == ISG_OK, "%s: %s", #call, isg_last_error())

static isg_device_info infos[DEVICES_MAX];
static uint32_t device_count;
static atomic_uint message_count;
static atomic_llong host_bytes, host_allocations;
static isg_instance *instance;
static isg_device *device;

/* ---- fixture ---------------------------------------------------------------------------------- */

static void log_message(void *user, isg_log_level level, const char *message)
{
    (void)user;
    if (level == ISG_LOG_WARNING || level == ISG_LOG_ERROR) {
        atomic_fetch_add(&message_count, 1);
        fprintf(stderr, "validation: %s\n", message);
    }
}

static void *counted_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    void *pointer = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (pointer) {
        atomic_fetch_add(&host_bytes, (long long)size);
        atomic_fetch_add(&host_allocations, 1);
    }
    return pointer;
}

static void counted_release(void *user, void *pointer, size_t size)
{
    (void)user;
    atomic_fetch_sub(&host_bytes, (long long)size);
    free(pointer);
}

static isg_instance_desc instance_desc(void)
{
    return (isg_instance_desc){
        .allocator = {NULL, counted_allocate, counted_release},
        .log = log_message,
        .cache_directory = "",
    };
}

static void open_device(int index)
{
    isg_instance_desc desc = instance_desc();
    atomic_store(&message_count, 0);
    atomic_store(&host_bytes, 0);
    ASK(isg_instance_create(&desc, &instance));
    ASK(isg_device_open(instance, infos[index].selector, NULL, &device));
    ck_assert_str_eq(isg_device_get_info(device)->driver_info, infos[index].driver_info);
}

/* All that was made is gone, and the validation layer has nothing to say. */
static void close_device(void)
{
    isg_device_release(device);
    isg_instance_release(instance);
    ck_assert_int_eq(atomic_load(&host_bytes), 0);
    ck_assert_uint_eq(atomic_load(&message_count), 0);
}

static isg_buffer *make_buffer(uint64_t size, isg_memory memory)
{
    isg_buffer *buffer = NULL;
    ASK(isg_buffer_create(device, &(isg_buffer_desc){.size = size, .memory = memory}, &buffer));
    return buffer;
}

static isg_kernel *make_kernel(const uint32_t *words, size_t size)
{
    isg_kernel *kernel = NULL;
    ASK(isg_kernel_create(device, &(isg_kernel_desc){.spirv = words, .size = size}, &kernel));
    return kernel;
}
#define MAKE_KERNEL(name) make_kernel(isg_kernel_##name##_o0, isg_kernel_##name##_o0_size)

/* ---- devices ---------------------------------------------------------------------------------- */

START_TEST(device_is_described)
{
    const isg_device_info *info = &infos[_i];
    static const uint8_t no_uuid[16];
    ck_assert_str_eq(info->backend, "vulkan");
    ck_assert_str_eq(info->unusable, "");
    ck_assert(info->name[0] && info->driver_name[0]); /* driver_info: SwiftShader has none */
    ck_assert_int_ne(memcmp(info->uuid, no_uuid, sizeof no_uuid), 0);
    ck_assert_uint_gt(info->memory_size, 0);
    ck_assert_uint_eq(info->limits.max_push_size, 128);
    ck_assert_uint_ge(info->limits.max_workgroup_count[0], 65535);
    ck_assert_uint_ge(info->limits.max_binding_size, 1u << 27);
    ck_assert_uint_ge(info->limits.max_buffer_size, info->limits.max_binding_size);
    ck_assert_uint_ge(info->limits.max_bindings, 4);
    ck_assert_uint_gt(info->limits.subgroup_size, 0);
    ck_assert_int_eq(info->grid_sync, ISG_GRID_SYNC_SPLIT);
    ck_assert_str_ne(info->grid_sync_reason, "");
    if (strstr(info->driver_info, "Mesa 22.3.6")) {
        ck_assert_uint_eq(info->limits.loop_limit, 65535);
    }
    if (strstr(info->driver_info, "Mesa 25")) {
        ck_assert_uint_eq(info->limits.loop_limit, 0);
    }
}
END_TEST

/* ---- buffers ---------------------------------------------------------------------------------- */

START_TEST(bytes_come_back_from_every_kind_of_memory)
{
    open_device(_i);
    for (int memory = ISG_MEMORY_DEVICE; memory <= ISG_MEMORY_DOWNLOAD; memory++) {
        unsigned char in[1001], out[1001];
        isg_buffer *buffer = make_buffer(sizeof in, (isg_memory)memory);
        for (size_t i = 0; i < sizeof in; i++) {
            in[i] = (unsigned char)(i * 7 + (size_t)memory);
        }
        ASK(isg_buffer_upload(buffer, 0, in, sizeof in));
        ASK(isg_buffer_upload(buffer, 13, in + 500, 17));
        ASK(isg_buffer_download(buffer, 0, out, sizeof out));
        memmove(in + 13, in + 500, 17);
        ck_assert_mem_eq(in, out, sizeof in);
        if (memory != ISG_MEMORY_DEVICE) {
            void *mapped = NULL;
            ASK(isg_buffer_map(buffer, &mapped));
            ck_assert_mem_eq(mapped, in, sizeof in);
        }
        isg_buffer_release(buffer);
    }
    close_device();
}
END_TEST

START_TEST(fills_touch_exactly_their_bytes)
{
    enum { SIZE = 64 };
    unsigned char expected[SIZE], got[SIZE];
    open_device(_i);
    isg_buffer *buffer = make_buffer(SIZE, ISG_MEMORY_DOWNLOAD);
    for (unsigned offset = 0; offset < 9; offset++) {
        for (unsigned size = 1; size < 14; size++) {
            unsigned char value = (unsigned char)(1 + 17 * offset + size);
            memset(expected, 0xee, SIZE);
            memset(expected + offset, value, size);
            ASK(isg_queue_fill(isg_device_queue(device), buffer, 0, SIZE, 0xee, NULL));
            ASK(isg_queue_fill(isg_device_queue(device), buffer, offset, size, value, NULL));
            ASK(isg_buffer_download(buffer, 0, got, SIZE));
            ck_assert_msg(memcmp(expected, got, SIZE) == 0, "fill of %u bytes at %u", size, offset);
        }
    }
    isg_buffer_release(buffer);
    close_device();
}
END_TEST

START_TEST(copies_take_any_offset)
{
    enum { SIZE = 40 };
    unsigned char source[SIZE], expected[SIZE], got[SIZE];
    open_device(_i);
    isg_buffer *from = make_buffer(SIZE, ISG_MEMORY_DEVICE);
    isg_buffer *to = make_buffer(SIZE, ISG_MEMORY_DEVICE);
    for (int i = 0; i < SIZE; i++) {
        source[i] = (unsigned char)(100 + i);
    }
    ASK(isg_buffer_upload(from, 0, source, SIZE));
    for (unsigned offset = 0; offset < 6; offset++) {
        for (unsigned size = 1; size < 12; size++) {
            memset(expected, 3, SIZE);
            memcpy(expected + offset, source + 2 * offset + 1, size);
            ASK(isg_queue_fill(isg_device_queue(device), to, 0, SIZE, 3, NULL));
            ASK(isg_queue_copy(isg_device_queue(device), to, offset, from, 2 * offset + 1, size,
                               NULL));
            ASK(isg_buffer_download(to, 0, got, SIZE));
            ck_assert_mem_eq(expected, got, SIZE);
        }
    }
    isg_buffer_release(from);
    isg_buffer_release(to);
    close_device();
}
END_TEST

START_TEST(small_buffers_share_memory_and_give_it_back)
{
    enum { COUNT = 600 };
    static isg_buffer *buffers[COUNT];
    isg_memory_info before, after;
    unsigned seed = 1;
    open_device(_i);
    ASK(isg_device_memory(device, &before));
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < COUNT; i++) {
            seed = seed * 1103515245u + 12345u;
            uint32_t mark = (uint32_t)i;
            buffers[i] = make_buffer(4 + (seed >> 16) % 5000, (isg_memory)(i % 3));
            ASK(isg_buffer_upload(buffers[i], 0, &mark, sizeof mark));
        }
        for (int i = 0; i < COUNT; i++) {
            /* An order that leaves holes of all sizes; 7 and COUNT share no divisor. */
            int k = i * 7 % COUNT;
            uint32_t mark = 0;
            ASK(isg_buffer_download(buffers[k], 0, &mark, sizeof mark));
            ck_assert_uint_eq(mark, (uint32_t)k);
            isg_buffer_release(buffers[k]);
        }
    }
    ASK(isg_device_memory(device, &after));
    ck_assert_uint_eq(before.allocated, after.allocated);
    ck_assert_uint_gt(after.size, 0);
    close_device();
}
END_TEST

/* ---- dispatches ------------------------------------------------------------------------------- */

enum { AFFINE_COUNT = 1000 };

/* x = i, y = 10 i; each run adds m x + i to y. */
typedef struct affine {
    isg_kernel *kernel;
    isg_buffer *x, *y;
    isg_binding bindings[2];
    uint32_t push[2];
} affine;

static void affine_open(affine *it)
{
    uint32_t words[AFFINE_COUNT];
    it->kernel = MAKE_KERNEL(affine);
    it->x = make_buffer(sizeof words, ISG_MEMORY_DEVICE);
    it->y = make_buffer(sizeof words, ISG_MEMORY_DEVICE);
    for (uint32_t i = 0; i < AFFINE_COUNT; i++) {
        words[i] = i;
    }
    ASK(isg_buffer_upload(it->x, 0, words, sizeof words));
    for (uint32_t i = 0; i < AFFINE_COUNT; i++) {
        words[i] = 10 * i;
    }
    ASK(isg_buffer_upload(it->y, 0, words, sizeof words));
    it->bindings[0] = (isg_binding){.binding = 0, .buffer = it->x};
    it->bindings[1] = (isg_binding){.binding = 1, .buffer = it->y};
    it->push[0] = 3;
    it->push[1] = AFFINE_COUNT;
}

static isg_dispatch affine_dispatch(const affine *it)
{
    return (isg_dispatch){
        .kernel = it->kernel,
        .grid = {(AFFINE_COUNT + 63) / 64},
        .bindings = it->bindings,
        .binding_count = 2,
        .push = it->push,
        .push_size = sizeof it->push,
    };
}

static void affine_expect(const affine *it, uint32_t runs)
{
    uint32_t words[AFFINE_COUNT];
    ASK(isg_buffer_download(it->y, 0, words, sizeof words));
    for (uint32_t i = 0; i < AFFINE_COUNT; i++) {
        ck_assert_uint_eq(words[i], 10 * i + runs * (3 * i + i));
    }
}

static void affine_close(affine *it)
{
    isg_kernel_release(it->kernel);
    isg_buffer_release(it->x);
    isg_buffer_release(it->y);
}

START_TEST(dispatches_run_in_order)
{
    affine it;
    isg_dispatch many[5];
    open_device(_i);
    affine_open(&it);
    for (int i = 0; i < 5; i++) {
        many[i] = affine_dispatch(&it);
    }
    ASK(isg_queue_dispatch(isg_device_queue(device), many, 1, NULL));
    ASK(isg_queue_dispatch(isg_device_queue(device), many, 5, NULL));
    affine_expect(&it, 6);
    affine_close(&it);
    close_device();
}
END_TEST

START_TEST(grid_is_read_from_a_buffer)
{
    affine it;
    uint32_t grid[] = {77, (AFFINE_COUNT + 63) / 64, 1, 1};
    open_device(_i);
    affine_open(&it);
    isg_buffer *counts = make_buffer(sizeof grid, ISG_MEMORY_DEVICE);
    isg_dispatch dispatch = affine_dispatch(&it);
    dispatch.indirect = counts;
    dispatch.indirect_offset = 4;
    ASK(isg_buffer_upload(counts, 0, grid, sizeof grid));
    ASK(isg_queue_dispatch(isg_device_queue(device), &dispatch, 1, NULL));
    affine_expect(&it, 1);
    isg_buffer_release(counts);
    affine_close(&it);
    close_device();
}
END_TEST

START_TEST(steady_dispatches_allocate_nothing_on_the_host)
{
    affine it;
    uint64_t value = 0;
    open_device(_i);
    affine_open(&it);
    isg_dispatch dispatch = affine_dispatch(&it);
    /* As many in flight as there may ever be (256), so that each has what it needs. */
    for (int i = 0; i < 400; i++) {
        ASK(isg_queue_dispatch(isg_device_queue(device), &dispatch, 1, &value));
    }
    ASK(isg_queue_wait(isg_device_queue(device), value, ISG_WAIT_FOREVER));
    long long allocations = atomic_load(&host_allocations);
    for (int i = 0; i < 200; i++) {
        ASK(isg_queue_dispatch(isg_device_queue(device), &dispatch, 1, &value));
        ASK(isg_queue_wait(isg_device_queue(device), value, ISG_WAIT_FOREVER));
    }
    ck_assert_int_eq(atomic_load(&host_allocations), allocations);
    affine_expect(&it, 600);
    affine_close(&it);
    close_device();
}
END_TEST

START_TEST(every_set_and_array_is_bound)
{
    enum { COUNT = 64 };
    uint32_t words[COUNT], push[5] = {0, 0, 0, 9, COUNT}, alignment;
    isg_buffer *in[5], *out;
    open_device(_i);
    alignment = isg_device_get_info(device)->limits.storage_offset_alignment;
    for (uint32_t b = 0; b < 5; b++) {
        in[b] = make_buffer(sizeof words + alignment, ISG_MEMORY_DEVICE);
        for (uint32_t i = 0; i < COUNT; i++) {
            words[i] = 100 * (b + 1) + i;
        }
        ASK(isg_buffer_upload(in[b], alignment, words, sizeof words));
    }
    uint32_t factors[4] = {2, 3, 5, 7};
    isg_buffer *factor = make_buffer(sizeof factors, ISG_MEMORY_UPLOAD);
    ASK(isg_buffer_upload(factor, 0, factors, sizeof factors));
    out = make_buffer(sizeof words, ISG_MEMORY_DOWNLOAD);
    isg_kernel *kernel = MAKE_KERNEL(bindings);
    isg_binding bindings[] = {
        {.set = 0, .binding = 7, .buffer = in[0], .offset = alignment},
        {.set = 1, .binding = 0, .buffer = factor},
        {.set = 1, .binding = 3, .array_index = 0, .buffer = in[1], .offset = alignment},
        {.set = 1, .binding = 3, .array_index = 1, .buffer = in[2], .offset = alignment},
        {.set = 1, .binding = 3, .array_index = 2, .buffer = in[3], .offset = alignment},
        {.set = 2, .binding = 1, .buffer = in[4], .offset = alignment},
        {.set = 2, .binding = 5, .buffer = out},
    };
    isg_dispatch dispatch = {
        .kernel = kernel,
        .grid = {2},
        .bindings = bindings,
        .binding_count = 7,
        .push = push,
        .push_size = sizeof push,
    };
    ASK(isg_queue_dispatch(isg_device_queue(device), &dispatch, 1, NULL));
    ASK(isg_buffer_download(out, 0, words, sizeof words));
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t expected =
            (100 + i) * factors[i & 3] + (200 + i) + 2 * (300 + i) + 3 * (400 + i) + 9 + (500 + i);
        ck_assert_uint_eq(words[i], expected);
    }
    for (int b = 0; b < 5; b++) {
        isg_buffer_release(in[b]);
    }
    isg_buffer_release(factor);
    isg_buffer_release(out);
    isg_kernel_release(kernel);
    close_device();
}
END_TEST

START_TEST(constants_reach_the_pipeline)
{
    uint32_t words[8];
    isg_constant constants[] = {{3, 0}, {5, (uint64_t)-3}, {9, 0x40490fdb}, {20, 2}, {22, 3}};
    open_device(_i);
    isg_kernel *kernel = MAKE_KERNEL(constants);
    isg_buffer *out = make_buffer(sizeof words, ISG_MEMORY_DOWNLOAD);
    isg_binding binding = {.binding = 0, .buffer = out};
    isg_dispatch dispatch = {
        .kernel = kernel,
        .grid = {1},
        .bindings = &binding,
        .binding_count = 1,
        .constants = constants,
        .constant_count = 5,
    };
    ASK(isg_queue_fill(isg_device_queue(device), out, 0, sizeof words, 0, NULL));
    ASK(isg_queue_dispatch(isg_device_queue(device), &dispatch, 1, NULL));
    ASK(isg_buffer_download(out, 0, words, sizeof words));
    uint32_t expected[8] = {0, (uint32_t)-3, 11, 0x40490fdb, 2, 2, 3, 12};
    ck_assert_mem_eq(words, expected, sizeof words);
    isg_buffer_release(out);
    isg_kernel_release(kernel);
    close_device();
}
END_TEST

/* ---- images ----------------------------------------------------------------------------------- */

START_TEST(images_are_loaded_sampled_and_stored)
{
    enum { SIDE = 16 };
    uint32_t texels[SIDE * SIDE], got[SIDE * SIDE], sums[SIDE];
    isg_image *source = NULL, *target = NULL;
    isg_sampler *sampler = NULL;
    isg_image_desc desc = {.format = ISG_FORMAT_R32_UINT, .width = SIDE, .height = SIDE};
    open_device(_i);
    ASK(isg_image_create(device, &desc, &source));
    ASK(isg_image_create(device, &desc, &target));
    ASK(isg_sampler_create(device, NULL, &sampler));
    isg_buffer *sum = make_buffer(sizeof sums, ISG_MEMORY_DEVICE);
    isg_kernel *kernel = MAKE_KERNEL(image_mix);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        texels[i] = i * i + 1;
    }
    isg_binding bindings[] = {
        {.set = 0, .binding = 0, .image = source},
        {.set = 0, .binding = 1, .image = target},
        {.set = 1, .binding = 0, .image = source},
        {.set = 1, .binding = 1, .sampler = sampler},
        {.set = 1, .binding = 2, .image = source, .sampler = sampler},
        {.set = 2, .binding = 0, .buffer = sum},
    };
    isg_dispatch dispatch = {
        .kernel = kernel,
        .grid = {SIDE / 8, SIDE / 8},
        .bindings = bindings,
        .binding_count = 6,
    };
    ASK(isg_image_upload(source, texels, sizeof texels));
    ASK(isg_queue_fill(isg_device_queue(device), sum, 0, sizeof sums, 0, NULL));
    ASK(isg_queue_dispatch(isg_device_queue(device), &dispatch, 1, NULL));
    ASK(isg_image_download(target, got, sizeof got));
    ASK(isg_buffer_download(sum, 0, sums, sizeof sums));
    for (uint32_t y = 0; y < SIDE; y++) {
        uint32_t sum_expected = 0;
        for (uint32_t x = 0; x < SIDE; x++) {
            uint32_t here = texels[y * SIDE + x], left = texels[y * SIDE + (x > 0 ? x - 1 : 0)];
            ck_assert_uint_eq(got[y * SIDE + x], 2 * here + left);
            sum_expected += here;
        }
        ck_assert_uint_eq(sums[y], sum_expected);
    }
    isg_image_release(source);
    isg_image_release(target);
    isg_sampler_release(sampler);
    isg_buffer_release(sum);
    isg_kernel_release(kernel);
    close_device();
}
END_TEST

/* ---- recordings, queues, events --------------------------------------------------------------- */

START_TEST(recording_runs_again_and_is_timed)
{
    affine it;
    isg_recording *recording = NULL;
    uint64_t times[3] = {1, 1, 1}, value = 0;
    uint32_t count = 0;
    open_device(_i);
    affine_open(&it);
    isg_dispatch dispatch = affine_dispatch(&it);
    ASK(isg_recording_create(device, &(isg_recording_desc){.timed = true}, &recording));
    ASK(isg_record_dispatch(recording, &dispatch));
    ASK(isg_record_dispatch(recording, &dispatch));
    ASK(isg_recording_end(recording));
    isg_submit_desc submit = {.recordings = &recording, .recording_count = 1};
    for (int i = 0; i < 8; i++) {
        ASK(isg_queue_submit(isg_device_queue(device), &submit, &value));
    }
    ASK(isg_queue_wait(isg_device_queue(device), value, ISG_WAIT_FOREVER));
    affine_expect(&it, 16);
    ASK(isg_recording_times(recording, times, 3, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_lt(times[0], UINT64_C(10000000000));
    ck_assert_uint_lt(times[1], UINT64_C(10000000000));
    ASK(isg_recording_status(recording));
    isg_recording_release(recording);
    affine_close(&it);
    close_device();
}
END_TEST

START_TEST(events_order_two_queues)
{
    enum { ROUNDS = 20 };
    affine it;
    isg_queue *queues[2] = {NULL, NULL};
    isg_event *event = NULL;
    isg_recording *recording = NULL;
    open_device(_i);
    affine_open(&it);
    isg_dispatch dispatch = affine_dispatch(&it);
    ASK(isg_queue_create(device, "left", &queues[0]));
    ASK(isg_queue_create(device, "right", &queues[1]));
    ASK(isg_event_create(device, &event));
    ASK(isg_recording_create(device, NULL, &recording));
    ASK(isg_record_dispatch(recording, &dispatch));
    ASK(isg_recording_end(recording));
    for (uint64_t i = 0; i < ROUNDS; i++) {
        isg_event_value_pair wait = {event, i}, signal = {event, i + 1};
        isg_submit_desc submit = {
            .recordings = &recording,
            .recording_count = 1,
            .waits = &wait,
            .wait_count = i > 0,
            .signals = &signal,
            .signal_count = 1,
        };
        ASK(isg_queue_submit(queues[i % 2], &submit, NULL));
    }
    uint64_t value = 0;
    ASK(isg_event_wait(event, ROUNDS, ISG_WAIT_FOREVER));
    ASK(isg_event_value(event, &value));
    ck_assert_uint_eq(value, ROUNDS);
    affine_expect(&it, ROUNDS);
    isg_event_release(event);
    isg_recording_release(recording);
    isg_queue_release(queues[0]);
    isg_queue_release(queues[1]);
    affine_close(&it);
    close_device();
}
END_TEST

/* ---- the application's lock ------------------------------------------------------------------- */

static atomic_int lock_depth, lock_calls;

static void count_lock(void *user, uint32_t family, uint32_t index)
{
    (void)user, (void)family, (void)index;
    ck_assert_int_eq(atomic_fetch_add(&lock_depth, 1), 0);
    atomic_fetch_add(&lock_calls, 1);
}

static void count_unlock(void *user, uint32_t family, uint32_t index)
{
    (void)user, (void)family, (void)index;
    ck_assert_int_eq(atomic_fetch_sub(&lock_depth, 1), 1);
}

START_TEST(queue_touches_are_inside_the_lock)
{
    isg_instance_desc desc = instance_desc();
    isg_device_desc with_lock = {.queue_lock = {NULL, count_lock, count_unlock}};
    affine it;
    atomic_store(&host_bytes, 0);
    atomic_store(&message_count, 0);
    ASK(isg_instance_create(&desc, &instance));
    ASK(isg_device_open(instance, infos[_i].selector, &with_lock, &device));
    affine_open(&it);
    isg_dispatch dispatch = affine_dispatch(&it);
    int before = atomic_load(&lock_calls);
    for (int i = 0; i < 3; i++) {
        ASK(isg_queue_dispatch(isg_device_queue(device), &dispatch, 1, NULL));
    }
    ck_assert_int_eq(atomic_load(&lock_calls), before + 3);
    affine_expect(&it, 3);
    affine_close(&it);
    close_device();
    ck_assert_int_eq(atomic_load(&lock_depth), 0);
}
END_TEST

/* ---- the layer listens ------------------------------------------------------------------------ */

/* Only with the validation layer: leaving one barrier out must be noticed, else silence proves
 * nothing. */
START_TEST(missing_barrier_is_reported)
{
    affine it;
    isg_dispatch many[2];
    open_device(_i);
    affine_open(&it);
    many[0] = many[1] = affine_dispatch(&it);
    ASK(isg_queue_wait(isg_device_queue(device), 0, ISG_WAIT_FOREVER));
    /* The first barrier of a recording looks back to earlier ones; the second is meant. */
    atomic_store(&isg_test_hooks_active.omit_barriers, 2);
    ASK(isg_queue_dispatch(isg_device_queue(device), many, 2, NULL));
    ASK(isg_queue_wait(isg_device_queue(device), 0, ISG_WAIT_FOREVER));
    ck_assert_uint_eq(atomic_load(&isg_test_hooks_active.omit_barriers), 0);
    ck_assert_uint_gt(atomic_load(&message_count), 0);
    atomic_store(&message_count, 0);
    affine_close(&it);
    close_device();
}
END_TEST

/* ---- */

static bool layer_listens(void)
{
    const char *layers = getenv("VK_INSTANCE_LAYERS");
    const char *sync = getenv("VK_LAYER_VALIDATE_SYNC");
    return layers && strstr(layers, "VK_LAYER_KHRONOS_validation") && sync && *sync == '1';
}

static void add(Suite *suite, const char *name, const TTest *test)
{
    TCase *group = tcase_create(name);
    tcase_set_timeout(group, 120);
    tcase_add_loop_test(group, test, 0, (int)device_count);
    suite_add_tcase(suite, group);
}

static uint32_t find_devices(void)
{
    isg_instance *lister = NULL;
    uint32_t count = 0, found = 0;
    static isg_device_info all[DEVICES_MAX];
    if (isg_instance_create(&(isg_instance_desc){.cache_directory = ""}, &lister) != ISG_OK) {
        return 0;
    }
    if (isg_instance_devices(lister, all, DEVICES_MAX, &count) == ISG_OK) {
        for (uint32_t i = 0; i < count && i < DEVICES_MAX; i++) {
            if (strcmp(all[i].backend, "vulkan") == 0) {
                printf("%s: %s, %s\n", all[i].selector, all[i].name, all[i].driver_info);
                infos[found++] = all[i];
            }
        }
    }
    isg_instance_release(lister);
    return found;
}

int main(void)
{
    device_count = find_devices();
    if (device_count == 0) {
        printf("no Vulkan device: skipped\n");
        return 77;
    }
    Suite *suite = suite_create("vk_smoke");
    add(suite, "device", device_is_described);
    add(suite, "memory", bytes_come_back_from_every_kind_of_memory);
    add(suite, "fill", fills_touch_exactly_their_bytes);
    add(suite, "copy", copies_take_any_offset);
    add(suite, "small buffers", small_buffers_share_memory_and_give_it_back);
    add(suite, "order", dispatches_run_in_order);
    add(suite, "indirect", grid_is_read_from_a_buffer);
    add(suite, "steady state", steady_dispatches_allocate_nothing_on_the_host);
    add(suite, "sets", every_set_and_array_is_bound);
    add(suite, "constants", constants_reach_the_pipeline);
    add(suite, "images", images_are_loaded_sampled_and_stored);
    add(suite, "recording", recording_runs_again_and_is_timed);
    add(suite, "events", events_order_two_queues);
    add(suite, "lock", queue_touches_are_inside_the_lock);
    if (layer_listens()) {
        add(suite, "layer", missing_barrier_is_reported);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
