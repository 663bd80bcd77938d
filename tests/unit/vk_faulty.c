/* Drivers that fail: each call that can fail is made to fail in turn, and devices get lost. Whatever
 * happens, there is an error with a message, nothing is left behind, and the next attempt works. */
#include <isogrid/isogrid.h>

#include "isg_kernel_variants_o0.h"
#include "loader/faulty.h"

#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEVICES_MAX 16
#define SIDE 16
#define COUNT 64

static isg_device_info infos[DEVICES_MAX];
static uint32_t device_count;
static faulty_control *control;
static atomic_llong host_bytes;

/* ---- everything once -------------------------------------------------------------------------- */

static void *counted_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    atomic_fetch_add(&host_bytes, (long long)size);
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counted_release(void *user, void *pointer, size_t size)
{
    (void)user;
    atomic_fetch_sub(&host_bytes, (long long)size);
    free(pointer);
}

typedef struct world {
    isg_instance *instance;
    isg_device *device;
    isg_queue *queue; /* besides the device's own */
    isg_event *event;
    isg_buffer *buffers[3];
    isg_image *images[2];
    isg_sampler *sampler;
    isg_kernel *affine, *image_mix;
    isg_recording *recording;
    uint32_t words[COUNT];
} world;

static isg_status open_device(world *it, int index)
{
    isg_instance_desc desc = {
        .allocator = {NULL, counted_allocate, counted_release},
        .cache_directory = "",
    };
    isg_status status = isg_instance_create(&desc, &it->instance);
    if (status == ISG_OK) {
        status = isg_device_open(it->instance, infos[index].selector, NULL, &it->device);
    }
    return status;
}

static isg_status make_objects(world *it)
{
    isg_image_desc image = {.format = ISG_FORMAT_R32_UINT, .width = SIDE, .height = SIDE};
    isg_status status = isg_event_create(it->device, &it->event);
    for (int i = 0; status == ISG_OK && i < 3; i++) {
        isg_buffer_desc buffer = {.size = sizeof it->words, .memory = (isg_memory)i};
        status = isg_buffer_create(it->device, &buffer, &it->buffers[i]);
    }
    for (int i = 0; status == ISG_OK && i < 2; i++) {
        status = isg_image_create(it->device, &image, &it->images[i]);
    }
    if (status == ISG_OK) {
        status = isg_sampler_create(it->device, NULL, &it->sampler);
    }
    if (status == ISG_OK) {
        isg_kernel_desc desc = {.spirv = isg_kernel_affine_o0, .size = isg_kernel_affine_o0_size};
        status = isg_kernel_create(it->device, &desc, &it->affine);
    }
    if (status == ISG_OK) {
        isg_kernel_desc desc = {.spirv = isg_kernel_image_mix_o0,
                                .size = isg_kernel_image_mix_o0_size};
        status = isg_kernel_create(it->device, &desc, &it->image_mix);
    }
    return status;
}

static isg_status upload(world *it)
{
    static const uint32_t texels[SIDE * SIDE] = {1, 2, 3};
    for (uint32_t i = 0; i < COUNT; i++) {
        it->words[i] = i;
    }
    isg_status status = isg_buffer_upload(it->buffers[0], 0, it->words, sizeof it->words);
    if (status == ISG_OK) {
        status = isg_buffer_upload(it->buffers[1], 0, it->words, sizeof it->words);
    }
    if (status == ISG_OK) {
        status = isg_queue_fill(isg_device_queue(it->device), it->buffers[2], 1, 61, 0, NULL);
    }
    if (status == ISG_OK) {
        status = isg_image_upload(it->images[0], texels, sizeof texels);
    }
    return status;
}

static isg_status record(world *it)
{
    uint32_t push[2] = {2, COUNT};
    isg_binding bindings[] = {
        {.binding = 0, .buffer = it->buffers[1]},
        {.binding = 1, .buffer = it->buffers[0]},
    };
    isg_dispatch dispatch = {
        .kernel = it->affine,
        .grid = {1},
        .bindings = bindings,
        .binding_count = 2,
        .push = push,
        .push_size = sizeof push,
    };
    isg_status status =
        isg_recording_create(it->device, &(isg_recording_desc){.timed = true}, &it->recording);
    if (status == ISG_OK) {
        status = isg_record_dispatch(it->recording, &dispatch);
    }
    return status == ISG_OK ? isg_recording_end(it->recording) : status;
}

static isg_status dispatch_images(world *it)
{
    isg_binding bindings[] = {
        {.set = 0, .binding = 0, .image = it->images[0]},
        {.set = 0, .binding = 1, .image = it->images[1]},
        {.set = 1, .binding = 0, .image = it->images[0]},
        {.set = 1, .binding = 1, .sampler = it->sampler},
        {.set = 1, .binding = 2, .image = it->images[0], .sampler = it->sampler},
        {.set = 2, .binding = 0, .buffer = it->buffers[2]},
    };
    isg_dispatch dispatch = {
        .kernel = it->image_mix,
        .grid = {SIDE / 8, SIDE / 8},
        .bindings = bindings,
        .binding_count = 6,
    };
    return isg_queue_dispatch(isg_device_queue(it->device), &dispatch, 1, NULL);
}

static isg_status submit(world *it)
{
    isg_event_value_pair signal = {it->event, 1};
    isg_submit_desc first = {
        .recordings = &it->recording,
        .recording_count = 1,
        .signals = &signal,
        .signal_count = 1,
    };
    isg_submit_desc second = {
        .recordings = &it->recording,
        .recording_count = 1,
        .waits = &signal,
        .wait_count = 1,
    };
    isg_status status = isg_queue_submit(isg_device_queue(it->device), &first, NULL);
    if (status == ISG_OK) {
        status = isg_queue_create(it->device, "second", &it->queue);
    }
    if (status == ISG_OK) {
        status = isg_queue_submit(it->queue, &second, NULL);
    }
    if (status == ISG_OK) {
        status = isg_queue_wait(it->queue, 0, ISG_WAIT_FOREVER);
    }
    return status == ISG_OK ? isg_event_wait(it->event, 1, ISG_WAIT_FOREVER) : status;
}

static isg_status work(world *it)
{
    uint64_t time = 0;
    uint32_t count = 0;
    isg_status status = upload(it);
    if (status == ISG_OK) {
        status = record(it);
    }
    if (status == ISG_OK) {
        status = dispatch_images(it);
    }
    if (status == ISG_OK) {
        status = submit(it);
    }
    if (status == ISG_OK) {
        status = isg_recording_times(it->recording, &time, 1, &count);
    }
    if (status == ISG_OK) {
        status = isg_buffer_download(it->buffers[0], 0, it->words, sizeof it->words);
    }
    return status;
}

static void close_world(world *it)
{
    isg_recording_release(it->recording);
    isg_kernel_release(it->affine);
    isg_kernel_release(it->image_mix);
    isg_sampler_release(it->sampler);
    for (int i = 0; i < 2; i++) {
        isg_image_release(it->images[i]);
    }
    for (int i = 0; i < 3; i++) {
        isg_buffer_release(it->buffers[i]);
    }
    isg_event_release(it->event);
    isg_queue_release(it->queue);
    isg_device_release(it->device);
    isg_instance_release(it->instance);
}

/* Runs everything once with the control as it is set; how it ended. */
static isg_status run(int index)
{
    world it = {0};
    atomic_store(&control->calls, 0);
    atomic_store(&control->lost, false);
    control->failed = NULL;
    isg_status status = open_device(&it, index);
    if (status == ISG_OK) {
        status = make_objects(&it);
    }
    if (status == ISG_OK) {
        status = work(&it);
    }
    if (status == ISG_OK) {
        for (uint32_t i = 0; i < COUNT; i++) {
            ck_assert_uint_eq(it.words[i], i + 2 * (2 * i + i));
        }
    }
    close_world(&it);
    return status;
}

static void expect_nothing_left(long at)
{
    ck_assert_msg(atomic_load(&control->live) == 0, "call %ld (%s): %ld objects left", at,
                  control->failed, atomic_load(&control->live));
    ck_assert_msg(atomic_load(&host_bytes) == 0, "call %ld (%s): %lld host bytes left", at,
                  control->failed, atomic_load(&host_bytes));
}

static long healthy_run(int index)
{
    atomic_store(&control->fail_at, 0);
    ck_assert_msg(run(index) == ISG_OK, "%s", isg_last_error());
    expect_nothing_left(0);
    long calls = atomic_load(&control->calls);
    return calls;
}

static void fail_each_call(int index)
{
    control->result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    long calls = healthy_run(index), noticed = 0;
    ck_assert_int_gt(calls, 50);
    for (long at = 1; at <= calls; at++) {
        atomic_store(&control->fail_at, at);
        control->result = at % 2 == 0 ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_OUT_OF_DEVICE_MEMORY;
        isg_status status = run(index);
        if (status != ISG_OK) {
            noticed++;
            ck_assert_msg(status == ISG_ERROR_OUT_OF_MEMORY || status == ISG_ERROR_UNAVAILABLE,
                          "call %ld (%s): %s: %s", at, control->failed, isg_status_name(status),
                          isg_last_error());
            ck_assert_int_gt((int)strlen(isg_last_error()), 20);
        }
        expect_nothing_left(at);
    }
    /* Only what merely saves time may fail unnoticed. */
    ck_assert_int_ge(noticed, calls * 8 / 10);
    healthy_run(index);
}

START_TEST(each_call_runs_out_of_memory)
{
    fail_each_call(_i);
}
END_TEST

/* ---- lost devices ----------------------------------------------------------------------------- */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* From the first report on, every call says so, at once. */
static void expect_lost_for_good(world *it)
{
    double start = now_s();
    uint64_t value = 0;
    char first[64];
    ck_assert_int_eq(isg_device_status(it->device), ISG_ERROR_DEVICE_LOST);
    snprintf(first, sizeof first, "%.60s", isg_last_error());
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "VK_ERROR_DEVICE_LOST"));
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(
            isg_queue_fill(isg_device_queue(it->device), it->buffers[2], 0, 4, 0, &value),
            ISG_ERROR_DEVICE_LOST);
    }
    ck_assert_int_eq(isg_buffer_download(it->buffers[0], 0, it->words, 4), ISG_ERROR_DEVICE_LOST);
    ck_assert_int_eq(isg_device_status(it->device), ISG_ERROR_DEVICE_LOST);
    ck_assert_int_eq(strncmp(first, isg_last_error(), strlen(first)), 0);
    ck_assert_double_lt(now_s() - start, 5.0);
}

static void lose_at_each_call(int index)
{
    control->result = VK_ERROR_DEVICE_LOST;
    long calls = healthy_run(index), lost = 0;
    /* Polling makes any number of calls: all of the first, then ever fewer. */
    for (long at = 1; at <= calls; at += 1 + at / 16) {
        world it = {0};
        atomic_store(&control->fail_at, 0);
        atomic_store(&control->calls, 0);
        atomic_store(&control->lost, false);
        control->failed = NULL;
        ck_assert_msg(open_device(&it, index) == ISG_OK, "%s", isg_last_error());
        ck_assert_msg(make_objects(&it) == ISG_OK, "%s", isg_last_error());
        atomic_store(&control->fail_at, atomic_load(&control->calls) + at);
        isg_status status = work(&it);
        bool happened = atomic_load(&control->lost);
        if (happened) {
            lost++;
            ck_assert_msg(status == ISG_ERROR_DEVICE_LOST, "call %ld (%s): %s: %s", at,
                          control->failed, isg_status_name(status), isg_last_error());
            expect_lost_for_good(&it);
        }
        close_world(&it);
        expect_nothing_left(at);
        if (!happened) {
            break;
        }
    }
    ck_assert_int_gt(lost, 10);
    healthy_run(index);
}

START_TEST(device_lost_at_each_call)
{
    lose_at_each_call(_i);
}
END_TEST

START_TEST(device_lost_at_each_call_while_polling)
{
    ck_assert_int_eq(setenv("ISOGRID_VULKAN_WAIT", "poll", 1), 0);
    lose_at_each_call(_i);
}
END_TEST

/* ---- */

static void add(Suite *suite, const char *name, const TTest *test)
{
    TCase *group = tcase_create(name);
    tcase_set_timeout(group, 250);
    tcase_add_loop_test(group, test, 0, (int)device_count);
    suite_add_tcase(suite, group);
}

static void find_devices(void)
{
    static isg_device_info all[DEVICES_MAX];
    isg_instance *lister = NULL;
    uint32_t count = 0;
    if (isg_instance_create(&(isg_instance_desc){.cache_directory = ""}, &lister) == ISG_OK &&
        isg_instance_devices(lister, all, DEVICES_MAX, &count) == ISG_OK) {
        for (uint32_t i = 0; i < count && i < DEVICES_MAX; i++) {
            if (strcmp(all[i].backend, "vulkan") == 0) {
                infos[device_count++] = all[i];
            }
        }
    }
    isg_instance_release(lister);
}

static bool open_faulty_loader(void)
{
    void *library = dlopen(ISG_TEST_FAULTY_LOADER, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, FAULTY_CONTROL_NAME) : NULL;
    faulty_control_function get;
    if (!symbol || setenv("ISOGRID_VULKAN_LOADER", ISG_TEST_FAULTY_LOADER, 1) != 0) {
        printf("%s: %s\n", ISG_TEST_FAULTY_LOADER, dlerror());
        return false;
    }
    memcpy(&get, &symbol, sizeof symbol);
    control = get();
    return true;
}

int main(void)
{
    if (!open_faulty_loader()) {
        return 1;
    }
    find_devices();
    if (device_count == 0) {
        printf("no Vulkan device: skipped\n");
        return 77;
    }
    Suite *suite = suite_create("vk_faulty");
    add(suite, "memory", each_call_runs_out_of_memory);
    add(suite, "lost", device_lost_at_each_call);
    add(suite, "lost, polling", device_lost_at_each_call_while_polling);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
