/* Who holds what, in which order things end, what costs memory, and what sticks to a device. */
#include "core/device.h"
#include "core/handle.h"
#include "core/queue.h"
#include "unit/doubles/core_fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- releases -------------------------------------------------------------------------------- */

START_TEST(the_last_release_may_come_in_any_order)
{
    isg_buffer *buffer = fixture_buffer(64, "b");
    isg_kernel *kernel = fixture_kernel("nothing");
    isg_queue *queue = NULL;
    isg_event *event = NULL;
    isg_recording *recording = NULL;

    ASK(isg_queue_create(fixture.device, "second", &queue));
    ASK(isg_event_create(fixture.device, &event));
    ASK(isg_recording_create(fixture.device, NULL, &recording));
    isg_instance_release(fixture.instance);
    isg_device_release(fixture.device);
    /* The device lives on in its children, but its handle is dead. */
    ck_assert_uint_eq(fake.live_devices, 1);
    REFUSED(isg_device_status(fixture.device), ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(isg_device_get_info(fixture.device));
    ck_assert_uint_eq(isg_handle_is_live(fixture.queue, ISG_OBJECT_QUEUE), false);
    ASK(isg_queue_dispatch(queue, &(isg_dispatch){.kernel = kernel, .grid = {1}}, 1, NULL));
    ASK(isg_buffer_upload(buffer, 0, "abc", 3));
    isg_kernel_release(kernel);
    isg_event_release(event);
    isg_buffer_release(buffer);
    isg_queue_release(queue);
    ck_assert_uint_eq(fake.live_devices, 1);
    isg_recording_release(recording);
    ck_assert_uint_eq(fake.live_devices, 0);
    fixture.device = NULL;
    fixture.instance = NULL;
}
END_TEST

START_TEST(releases_too_many_are_ignored)
{
    isg_buffer *buffer = fixture_buffer(64, "b");

    isg_buffer_retain(buffer);
    isg_buffer_release(buffer);
    isg_buffer_release(buffer);
    isg_buffer_release(buffer);
    isg_buffer_retain(buffer);
    isg_buffer_release(NULL);
    ck_assert_uint_eq(isg_buffer_size(buffer), 0);
    REFUSED(isg_buffer_upload(buffer, 0, "x", 1), ISG_ERROR_INVALID_ARGUMENT);
    /* What is borrowed is not the caller's to release. */
    isg_queue_release(fixture.queue);
    isg_event_release(isg_queue_event(fixture.queue));
    ASK(isg_queue_wait(fixture.queue, 0, 0));
}
END_TEST

START_TEST(a_retained_queue_keeps_its_device)
{
    isg_queue *queue = fixture.queue;
    isg_event *event = isg_queue_event(queue);
    uint64_t value = 0;

    isg_queue_retain(queue);
    isg_event_retain(event);
    isg_device_release(fixture.device);
    isg_instance_release(fixture.instance);
    ASK(isg_queue_submit(queue, &(isg_submit_desc){0}, &value));
    ck_assert_uint_eq(value, 1);
    isg_queue_release(queue);
    REFUSED(isg_queue_wait(queue, 0, 0), ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(fake.live_devices, 1);
    ASK(isg_event_wait(event, 1, ISG_WAIT_FOREVER));
    ASK(isg_event_value(event, &value));
    isg_event_release(event);
    ck_assert_uint_eq(fake.live_devices, 0);
    fixture.device = NULL;
    fixture.instance = NULL;
}
END_TEST

START_TEST(a_queue_with_work_in_flight_goes_when_that_is_done)
{
    isg_queue *queue = NULL;
    isg_buffer *buffer = fixture_buffer(64, "b");
    uint32_t before = fake.live_objects;

    fake.manual = true;
    ASK(isg_queue_create(fixture.device, NULL, &queue));
    ASK(isg_queue_fill(queue, buffer, 0, 64, 1, NULL));
    isg_queue_release(queue);
    ck_assert_uint_gt(fake.live_objects, before);
    ck_assert_uint_eq(fake_run(9), 1);
    /* Any later create or release sweeps. */
    isg_buffer_release(fixture_buffer(1, "any"));
    ck_assert_uint_eq(fake.live_objects, before);
    isg_buffer_release(buffer);
}
END_TEST

static void *run_later(void *argument)
{
    const struct timespec pause = {.tv_nsec = 30000000};

    (void)argument;
    nanosleep(&pause, NULL);
    fake_run(100);
    return NULL;
}

START_TEST(the_last_release_waits_for_work_in_flight)
{
    isg_buffer *a = fixture_buffer(64, "a");
    isg_buffer *b = fixture_buffer(64, "b");
    pthread_t thread;

    fake.manual = true;
    ASK(isg_queue_copy(fixture.queue, a, 0, b, 0, 64, NULL));
    ASK(isg_queue_copy(fixture.queue, b, 0, a, 0, 64, NULL));
    isg_buffer_release(a);
    isg_buffer_release(b);
    ck_assert_int_eq(pthread_create(&thread, NULL, run_later, NULL), 0);
    isg_device_release(fixture.device);
    ck_assert_uint_eq(fake.live_devices, 0);
    ck_assert(!fake.abandoned);
    fixture.device = NULL;
    pthread_join(thread, NULL);
}
END_TEST

START_TEST(submissions_hold_what_they_use)
{
    isg_kernel *kernel = fixture_kernel("nothing");
    isg_buffer *a = fixture_buffer(64, "a");
    isg_buffer *b = fixture_buffer(64, "b");
    isg_recording *recording = NULL;
    isg_event *event = NULL;
    isg_event_value_pair signal = {NULL, 5};
    isg_submit_desc submit = {.recording_count = 1, .signal_count = 1};

    fake.manual = true;
    ASK(isg_event_create(fixture.device, &event));
    ASK(isg_recording_create(fixture.device, NULL, &recording));
    ASK(isg_record_copy(recording, a, 0, b, 0, 64));
    ASK(isg_record_dispatch(recording, &(isg_dispatch){.kernel = kernel, .grid = {1}}));
    isg_buffer_release(a);
    isg_buffer_release(b);
    isg_kernel_release(kernel);
    ASK(isg_recording_end(recording));
    signal.event = event;
    submit.recordings = &recording;
    submit.signals = &signal;
    ASK(isg_queue_submit(fixture.queue, &submit, NULL));
    isg_recording_release(recording);
    isg_event_release(event);
    /* The fake backend checks that nothing pending is destroyed. */
    ck_assert_uint_eq(fake_run(9), 1);
    ASK(isg_queue_wait(fixture.queue, 0, ISG_WAIT_FOREVER));
    ck_assert_uint_eq(fake.live_objects, 2);
}
END_TEST

/* ---- submitting ------------------------------------------------------------------------------ */

START_TEST(a_recording_in_flight_elsewhere_is_waited_for_on_the_device)
{
    isg_queue *other = NULL;
    isg_recording *recording = NULL;
    isg_buffer *buffer = fixture_buffer(64, "b");
    isg_submit_desc submit = {.recording_count = 1};

    fake.manual = true;
    ASK(isg_queue_create(fixture.device, NULL, &other));
    ASK(isg_recording_create(fixture.device, NULL, &recording));
    ASK(isg_record_fill(recording, buffer, 0, 64, 7));
    ASK(isg_recording_end(recording));
    submit.recordings = &recording;
    ASK(isg_queue_fill(fixture.queue, buffer, 0, 1, 1, NULL));
    ASK(isg_queue_submit(fixture.queue, &submit, NULL));
    ASK(isg_queue_submit(other, &submit, NULL));
    ASK(isg_queue_submit(fixture.queue, &submit, NULL));
    ck_assert_uint_eq(fake_run(100), 4);
    ck_assert_ptr_eq(fake.commands[1].queue, fixture.queue);
    ck_assert_ptr_eq(fake.commands[2].queue, other);
    ck_assert_ptr_eq(fake.commands[3].queue, fixture.queue);
    ASK(isg_queue_wait(other, 0, ISG_WAIT_FOREVER));
    isg_queue_release(other);
    ASK(isg_recording_status(recording));
    isg_recording_release(recording);
    isg_buffer_release(buffer);
}
END_TEST

START_TEST(events_only_grow_and_only_what_is_submitted_can_be_waited_for)
{
    isg_event *event = NULL;
    isg_event_value_pair pair = {NULL, 5};
    isg_event_value_pair twice[2];
    isg_submit_desc signal = {.signals = &pair, .signal_count = 1};
    isg_submit_desc wait = {.waits = &pair, .wait_count = 1};
    uint64_t value = 77;

    ASK(isg_event_create(fixture.device, &event));
    pair.event = event;
    REFUSED(isg_event_wait(event, 5, 0), ISG_ERROR_INVALID_STATE);
    REFUSED(isg_queue_submit(fixture.queue, &wait, &value), ISG_ERROR_INVALID_STATE);
    ck_assert_uint_eq(value, 0);
    ASK(isg_queue_submit(fixture.queue, &signal, &value));
    ck_assert_uint_eq(value, 1);
    ASK(isg_event_wait(event, 5, 0));
    REFUSED(isg_event_wait(event, 6, ISG_WAIT_FOREVER), ISG_ERROR_INVALID_STATE);
    ASK(isg_queue_submit(fixture.queue, &wait, NULL));
    REFUSED(isg_queue_submit(fixture.queue, &signal, NULL), ISG_ERROR_INVALID_ARGUMENT);
    pair.value = 4;
    REFUSED(isg_queue_submit(fixture.queue, &signal, NULL), ISG_ERROR_INVALID_ARGUMENT);
    pair = (isg_event_value_pair){isg_queue_event(fixture.queue), 100};
    REFUSED(isg_queue_submit(fixture.queue, &signal, NULL), ISG_ERROR_INVALID_ARGUMENT);
    twice[0] = (isg_event_value_pair){event, 8};
    twice[1] = (isg_event_value_pair){event, 9};
    REFUSED(isg_queue_submit(fixture.queue, &(isg_submit_desc){.signals = twice, .signal_count = 2},
                             NULL),
            ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_queue_wait(fixture.queue, 9, 0), ISG_ERROR_INVALID_STATE);
    REFUSED(isg_queue_submit(fixture.queue, NULL, NULL), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_queue_submit(fixture.queue, &(isg_submit_desc){.wait_count = 1}, NULL),
            ISG_ERROR_INVALID_ARGUMENT);
    /* A failed submission changed nothing. */
    ASK(isg_event_value(event, &value));
    ck_assert_uint_eq(value, 5);
    isg_event_release(event);
    REFUSED(isg_event_value(event, &value), ISG_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(recordings_pass_through_their_states)
{
    isg_recording *recording = NULL;
    isg_buffer *buffer = fixture_buffer(16, "b");
    isg_submit_desc submit = {.recording_count = 1};

    ASK(isg_recording_create(fixture.device, NULL, &recording));
    submit.recordings = &recording;
    REFUSED(isg_queue_submit(fixture.queue, &submit, NULL), ISG_ERROR_INVALID_STATE);
    ASK(isg_recording_end(recording));
    REFUSED(isg_recording_end(recording), ISG_ERROR_INVALID_STATE);
    REFUSED(isg_record_fill(recording, buffer, 0, 1, 0), ISG_ERROR_INVALID_STATE);
    REFUSED(isg_record_copy(recording, buffer, 0, buffer, 8, 1), ISG_ERROR_INVALID_STATE);
    REFUSED(isg_record_dispatch(recording, &(isg_dispatch){0}), ISG_ERROR_INVALID_STATE);
    ASK(isg_queue_submit(fixture.queue, &submit, NULL));
    isg_recording_release(recording);
    REFUSED(isg_queue_submit(fixture.queue, &submit, NULL), ISG_ERROR_INVALID_ARGUMENT);
    isg_buffer_release(buffer);
}
END_TEST

START_TEST(a_queue_never_has_more_than_its_share_in_flight)
{
    isg_buffer *buffer = fixture_buffer(16, "b");
    pthread_t thread;

    fake.manual = true;
    for (uint32_t i = 0; i < ISG_MAX_IN_FLIGHT; i++) {
        ASK(isg_queue_fill(fixture.queue, buffer, 0, 1, (uint8_t)i, NULL));
    }
    ck_assert_uint_eq(fake.submissions, ISG_MAX_IN_FLIGHT);
    ck_assert_int_eq(pthread_create(&thread, NULL, run_later, NULL), 0);
    ASK(isg_queue_fill(fixture.queue, buffer, 0, 1, 9, NULL));
    pthread_join(thread, NULL);
    fake.manual = false;
    ASK(isg_queue_fill(fixture.queue, buffer, 1, 1, 9, NULL));
    isg_buffer_release(buffer);
}
END_TEST

/* ---- the steady state ------------------------------------------------------------------------ */

static long long allocator_calls(void)
{
    return atomic_load(&fixture.allocator.calls);
}

START_TEST(the_steady_state_allocates_nothing)
{
    isg_kernel *kernel = fixture_kernel("rounds");
    isg_kernel *plain = fixture_kernel("nothing");
    isg_buffer *buffer = fixture_buffer(4096, "data");
    isg_buffer *other[3] = {fixture_buffer(4096, "1"), fixture_buffer(4096, "2"),
                            fixture_buffer(4096, "3")};
    isg_binding bindings[4] = {{.buffer = buffer},
                               {.binding = 1, .buffer = other[0]},
                               {.binding = 2, .buffer = other[1]},
                               {.binding = 3, .buffer = other[2]}};
    isg_dispatch dispatches[3] = {
        {.kernel = kernel, .grid = {1}, .bindings = bindings, .binding_count = 4, .rounds = 5},
        {.kernel = plain, .grid = {9}},
        {.kernel = plain, .indirect = buffer},
    };
    unsigned char bytes[100] = {1};
    long long before = 0;

    ASK(isg_queue_fill(fixture.queue, buffer, 0, 4096, 0, NULL));
    for (uint32_t i = 0; i < 600; i++) {
        uint64_t value = 0;

        if (i == 20) {
            before = allocator_calls();
        }
        ASK(isg_queue_dispatch(fixture.queue, dispatches, 3, &value));
        ASK(isg_queue_copy(fixture.queue, other[0], 0, other[1], 0, 64, NULL));
        ASK(isg_queue_fill(fixture.queue, other[2], 0, 64, 1, NULL));
        ASK(isg_queue_wait(fixture.queue, i % 3 == 0 ? value : 0, ISG_WAIT_FOREVER));
        ASK(isg_buffer_upload(other[1], 3, bytes, sizeof bytes));
        ASK(isg_buffer_download(other[1], 3, bytes, sizeof bytes));
    }
    ck_assert_int_eq(allocator_calls() - before, 0);
    for (uint32_t i = 0; i < 3; i++) {
        isg_buffer_release(other[i]);
    }
    isg_buffer_release(buffer);
    isg_kernel_release(kernel);
    isg_kernel_release(plain);
}
END_TEST

START_TEST(memory_the_host_cannot_see_is_staged_without_allocating)
{
    isg_buffer *buffer = NULL;
    unsigned char *bytes = malloc(50u << 20);
    long long before = 0;

    ck_assert_ptr_nonnull(bytes);
    fake.hidden_memory = true;
    buffer = fixture_buffer(50u << 20, "large");
    REFUSED(isg_buffer_map(buffer, (void **)&(void *){NULL}), ISG_ERROR_UNSUPPORTED);
    for (uint32_t pass = 0; pass < 3; pass++) {
        before = pass == 1 ? allocator_calls() : before;
        for (size_t i = 0; i < 50u << 20; i++) {
            bytes[i] = (unsigned char)(i * 31 + (i >> 12) + pass);
        }
        ASK(isg_buffer_upload(buffer, 5, bytes, (50u << 20) - 5));
        memset(bytes, 0, 50u << 20);
        ASK(isg_buffer_download(buffer, 5, bytes, (50u << 20) - 5));
        for (size_t i = 0; i < (50u << 20) - 5; i++) {
            if (bytes[i] != (unsigned char)(i * 31 + (i >> 12) + pass)) {
                ck_abort_msg("byte %zu of pass %u is wrong", i, pass);
            }
        }
    }
    ck_assert_int_eq(allocator_calls() - before, 0);
    free(bytes);
    isg_buffer_release(buffer);
}
END_TEST

/* ---- what sticks ----------------------------------------------------------------------------- */

START_TEST(a_lost_device_says_so_at_once_and_its_driver_is_left_alone)
{
    isg_kernel *kernel = fixture_kernel("nothing");
    isg_buffer *buffer = fixture_buffer(64, "b");
    isg_recording *recording = NULL;
    isg_event *event = NULL;
    isg_queue *queue = NULL;
    void *none = NULL;
    uint64_t value = 0;
    uint32_t calls = 0;

    ASK(isg_recording_create(fixture.device, NULL, &recording));
    ASK(isg_event_create(fixture.device, &event));
    fake.manual = true;
    ASK(isg_queue_dispatch(fixture.queue,
                           &(isg_dispatch){.kernel = kernel, .grid = {1}, .label = "culprit"}, 1,
                           NULL));
    fake.fail_slot = FAKE_EVENT_WAIT;
    fake.fail_status = ISG_ERROR_DEVICE_LOST;
    REFUSED(isg_queue_wait(fixture.queue, 0, ISG_WAIT_FOREVER), ISG_ERROR_DEVICE_LOST);
    fixture_says("'culprit'");
    calls = fake.slot_calls_after_lost;
    REFUSED(isg_device_status(fixture.device), ISG_ERROR_DEVICE_LOST);
    fixture_says("What happened first: the fake backend was told to fail");
    fixture_says("'culprit'");
    REFUSED(isg_queue_wait(fixture.queue, 0, ISG_WAIT_FOREVER), ISG_ERROR_DEVICE_LOST);
    REFUSED(isg_event_value(event, &value), ISG_ERROR_DEVICE_LOST);
    REFUSED(isg_event_wait(event, 0, 0), ISG_ERROR_DEVICE_LOST);
    REFUSED(isg_event_create(fixture.device, &(isg_event *){NULL}), ISG_ERROR_DEVICE_LOST);
    REFUSED(isg_queue_create(fixture.device, NULL, &queue), ISG_ERROR_DEVICE_LOST);
    REFUSED(isg_buffer_upload(buffer, 0, "x", 1), ISG_ERROR_DEVICE_LOST);
    REFUSED(isg_buffer_download(buffer, 0, &value, 1), ISG_ERROR_DEVICE_LOST);
    REFUSED(isg_queue_fill(fixture.queue, buffer, 0, 1, 1, NULL), ISG_ERROR_DEVICE_LOST);
    REFUSED(isg_queue_copy(fixture.queue, buffer, 0, buffer, 8, 1, NULL), ISG_ERROR_DEVICE_LOST);
    REFUSED(isg_queue_submit(fixture.queue, &(isg_submit_desc){0}, NULL), ISG_ERROR_DEVICE_LOST);
    REFUSED(isg_record_fill(recording, buffer, 0, 1, 1), ISG_ERROR_DEVICE_LOST);
    REFUSED(isg_recording_end(recording), ISG_ERROR_DEVICE_LOST);
    REFUSED(isg_recording_create(fixture.device, NULL, &(isg_recording *){NULL}),
            ISG_ERROR_DEVICE_LOST);
    REFUSED(isg_kernel_prepare(kernel, NULL, 0), ISG_ERROR_DEVICE_LOST);
    REFUSED(isg_device_memory(fixture.device, &(isg_memory_info){0}), ISG_ERROR_DEVICE_LOST);
    REFUSED(
        isg_queue_dispatch(fixture.queue, &(isg_dispatch){.kernel = kernel, .grid = {1}}, 1, NULL),
        ISG_ERROR_DEVICE_LOST);
    REFUSED(isg_queue_dispatch_bytes(fixture.queue, &(isg_dispatch){.kernel = kernel, .grid = {1}},
                                     NULL, 0, NULL),
            ISG_ERROR_DEVICE_LOST);
    /* What needs no driver still works, and so does the argument check. */
    ASK(isg_buffer_map(buffer, &none));
    REFUSED(isg_queue_fill(NULL, buffer, 0, 1, 1, NULL), ISG_ERROR_INVALID_ARGUMENT);
    isg_recording_release(recording);
    isg_event_release(event);
    isg_buffer_release(buffer);
    isg_kernel_release(kernel);
    ck_assert_uint_eq(fake.slot_calls_after_lost, calls);
    isg_device_release(fixture.device);
    ck_assert_uint_eq(fake.slot_calls_after_lost, calls);
    fixture.device = NULL;
}
END_TEST

START_TEST(a_device_lost_in_any_slot_is_lost)
{
    static const fake_slot slots[] = {FAKE_BUFFER_CREATE, FAKE_KERNEL_CREATE, FAKE_VARIANT_CREATE,
                                      FAKE_QUEUE_SUBMIT,  FAKE_RECORD,        FAKE_RECORDING_BEGIN,
                                      FAKE_RECORDING_END, FAKE_EVENT_CREATE,  FAKE_QUEUE_CREATE};

    fixture_close();
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        isg_kernel *kernel = NULL;
        isg_buffer *buffer = NULL;
        isg_event *event = NULL;
        isg_queue *queue = NULL;

        fixture_open();
        fake.fail_slot = slots[i];
        fake.fail_status = ISG_ERROR_DEVICE_LOST;
        isg_kernel_desc desc;
        fixture_kernel_desc("nothing", &desc);
        isg_kernel_create(fixture.device, &desc, &kernel);
        isg_buffer_create(fixture.device, &(isg_buffer_desc){.size = 4}, &buffer);
        isg_queue_dispatch(fixture.queue, &(isg_dispatch){.kernel = kernel, .grid = {1}}, 1, NULL);
        isg_event_create(fixture.device, &event);
        isg_queue_create(fixture.device, NULL, &queue);
        REFUSED(isg_device_status(fixture.device), ISG_ERROR_DEVICE_LOST);
        ck_assert_uint_eq(fake.slot_calls_after_lost, 0);
        isg_kernel_release(kernel);
        isg_buffer_release(buffer);
        isg_event_release(event);
        isg_queue_release(queue);
        fixture_close();
    }
    fixture_open();
}
END_TEST

START_TEST(a_wait_without_progress_ends_in_a_stuck_device)
{
    isg_buffer *buffer = NULL;
    uint64_t start = 0;

    fixture_close();
    fake_reset();
    memset(&fixture, 0, sizeof fixture);
    fixture_open_with(&(isg_device_desc){.hang_timeout_ns = 40000000});
    buffer = fixture_buffer(64, "b");
    fake.manual = true;
    ASK(isg_queue_fill(fixture.queue, buffer, 0, 4, 1, NULL));
    ck_assert_int_eq(isg_queue_wait(fixture.queue, 0, 1000000), ISG_TIMEOUT);
    ck_assert_int_eq(isg_queue_wait(fixture.queue, 0, 0), ISG_TIMEOUT);
    ASK(isg_device_status(fixture.device));
    /* A wait with a timeout of its own leaves the device be, however long. */
    ck_assert_int_eq(isg_queue_wait(fixture.queue, 0, 90000000), ISG_TIMEOUT);
    ASK(isg_device_status(fixture.device));
    REFUSED(isg_queue_wait(fixture.queue, 0, ISG_WAIT_FOREVER), ISG_ERROR_DEVICE_STUCK);
    fixture_says("40 ms");
    REFUSED(isg_device_status(fixture.device), ISG_ERROR_DEVICE_STUCK);
    REFUSED(isg_queue_fill(fixture.queue, buffer, 0, 4, 1, NULL), ISG_ERROR_DEVICE_STUCK);
    REFUSED(isg_buffer_download(buffer, 0, &start, 1), ISG_ERROR_DEVICE_STUCK);
    isg_buffer_release(buffer);
    isg_device_release(fixture.device);
    ck_assert(fake.abandoned);
    ck_assert_uint_eq(fake.live_devices, 0);
    isg_instance_release(fixture.instance);
    /* What the device may still write to was not freed, nor its driver unloaded. */
    ck_assert_uint_gt(fake.live_objects, 0);
    ck_assert_uint_eq(fake.live_backends, 1);
    ck_assert_uint_eq(isg_handle_count(), 0);
    fixture_open();
}
END_TEST

static void *run_slowly(void *argument)
{
    const struct timespec pause = {.tv_nsec = 30000000};

    (void)argument;
    for (uint32_t i = 0; i < 5; i++) {
        nanosleep(&pause, NULL);
        fake_run(1);
    }
    return NULL;
}

START_TEST(a_slow_device_is_not_a_stuck_one)
{
    isg_buffer *buffer = NULL;
    pthread_t thread;

    fixture_close();
    fake_reset();
    memset(&fixture, 0, sizeof fixture);
    fixture_open_with(&(isg_device_desc){.hang_timeout_ns = 80000000});
    buffer = fixture_buffer(64, "b");
    fake.manual = true;
    for (uint32_t i = 0; i < 5; i++) {
        ASK(isg_queue_fill(fixture.queue, buffer, 0, 4, 1, NULL));
    }
    ck_assert_int_eq(pthread_create(&thread, NULL, run_slowly, NULL), 0);
    ASK(isg_queue_wait(fixture.queue, 0, ISG_WAIT_FOREVER));
    pthread_join(thread, NULL);
    isg_buffer_release(buffer);
}
END_TEST

/* ---- preparing ------------------------------------------------------------------------------- */

START_TEST(prepared_kernels_are_compiled_once)
{
    isg_kernel *kernel = fixture_kernel("reference");
    isg_buffer *buffers[4];
    isg_binding bindings[4];

    for (uint32_t i = 0; i < 4; i++) {
        buffers[i] = fixture_buffer(4096, "data");
        bindings[i] = (isg_binding){.binding = i, .buffer = buffers[i]};
    }
    ASK(isg_kernel_prepare(kernel, NULL, 0));
    ASK(isg_kernel_prepare(kernel, NULL, 0));
    ASK(isg_kernel_wait(kernel, ISG_WAIT_FOREVER));
    ASK(isg_kernel_wait(kernel, 0));
    ck_assert_uint_eq(fake.variants_created, 4);
    ASK(isg_queue_dispatch(
        fixture.queue,
        &(isg_dispatch){.kernel = kernel, .grid = {1}, .bindings = bindings, .binding_count = 4}, 1,
        NULL));
    ck_assert_uint_eq(fake.variants_created, 4);
    ASK(isg_kernel_prepare(kernel, NULL, 0));
    isg_kernel_release(kernel);
    for (uint32_t i = 0; i < 4; i++) {
        isg_buffer_release(buffers[i]);
    }
}
END_TEST

START_TEST(a_failed_compile_is_told_and_other_failures_are_tried_again)
{
    isg_kernel *kernel = fixture_kernel("nothing");
    isg_dispatch dispatch = {.kernel = kernel, .grid = {1}};

    fake.fail_slot = FAKE_VARIANT_CREATE;
    fake.fail_status = ISG_ERROR_OUT_OF_MEMORY;
    ASK(isg_kernel_prepare(kernel, NULL, 0));
    REFUSED(isg_kernel_wait(kernel, ISG_WAIT_FOREVER), ISG_ERROR_OUT_OF_MEMORY);
    ASK(isg_queue_dispatch(fixture.queue, &dispatch, 1, NULL));
    isg_kernel_release(kernel);
    kernel = fixture_kernel("nothing");
    dispatch.kernel = kernel;
    fake.fail_slot = FAKE_VARIANT_CREATE;
    fake.fail_status = ISG_ERROR_COMPILE_FAILED;
    REFUSED(isg_queue_dispatch(fixture.queue, &dispatch, 1, NULL), ISG_ERROR_COMPILE_FAILED);
    fixture_says("told to fail");
    REFUSED(isg_queue_dispatch(fixture.queue, &dispatch, 1, NULL), ISG_ERROR_COMPILE_FAILED);
    fixture_says("told to fail");
    ASK(isg_device_status(fixture.device));
    isg_kernel_release(kernel);
}
END_TEST

typedef struct crowd {
    isg_kernel *kernel;
    isg_queue *queue;
    atomic_uint failed;
} crowd;

static void *dispatch_many(void *argument)
{
    crowd *shared = argument;
    isg_queue *own = NULL;

    if (isg_queue_create(fixture.device, NULL, &own) != ISG_OK) {
        atomic_fetch_add(&shared->failed, 1);
    }
    for (uint32_t i = 0; i < 200; i++) {
        isg_dispatch dispatch = {.kernel = shared->kernel, .grid = {1 + i % 3}};
        uint64_t value = 0;
        isg_queue *queue = i % 2 != 0 ? own : shared->queue;
        bool good = isg_kernel_prepare(shared->kernel, NULL, 0) == ISG_OK &&
                    isg_queue_dispatch(queue, &dispatch, 1, &value) == ISG_OK &&
                    isg_queue_wait(queue, value, ISG_WAIT_FOREVER) == ISG_OK;

        if (!good) {
            atomic_fetch_add(&shared->failed, 1);
        }
    }
    isg_queue_release(own);
    return NULL;
}

START_TEST(threads_share_a_device_a_kernel_and_a_queue)
{
    crowd shared = {.kernel = fixture_kernel("nothing"), .queue = fixture.queue};
    pthread_t threads[8];

    for (uint32_t i = 0; i < 8; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, dispatch_many, &shared), 0);
    }
    for (uint32_t i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
    }
    ck_assert_uint_eq(atomic_load(&shared.failed), 0);
    ck_assert_uint_eq(fake.variants_created, 1);
    ck_assert_uint_eq(fake.submissions, 1600);
    isg_kernel_release(shared.kernel);
}
END_TEST

static isg_recording *round_recording;
static atomic_uint round_failures;

/* Sends one recording round queues that are let go of while it is in flight on them. */
static void *send_round(void *argument)
{
    (void)argument;
    for (uint32_t i = 0; i < 60; i++) {
        isg_queue *queue = NULL;
        isg_status asked = ISG_OK;
        bool good =
            isg_queue_create(fixture.device, NULL, &queue) == ISG_OK &&
            isg_queue_submit(
                queue, &(isg_submit_desc){.recordings = &round_recording, .recording_count = 1},
                NULL) == ISG_OK;

        isg_queue_release(queue);
        asked = isg_recording_status(round_recording);
        if (!good || (asked != ISG_OK && asked != ISG_ERROR_INVALID_STATE)) {
            atomic_fetch_add(&round_failures, 1);
        }
        if (i % 16 == 0) {
            fake_run(1);
        }
    }
    return NULL;
}

START_TEST(queues_come_and_go_under_a_recording_in_flight)
{
    isg_buffer *buffer = fixture_buffer(16, "b");
    uint32_t before = 0;
    pthread_t threads[8];

    ASK(isg_recording_create(fixture.device, NULL, &round_recording));
    ASK(isg_record_fill(round_recording, buffer, 0, 16, 3));
    ASK(isg_recording_end(round_recording));
    before = fake.live_objects;
    fake.manual = true;
    for (uint32_t i = 0; i < 8; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, send_round, NULL), 0);
    }
    for (uint32_t i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
    }
    ck_assert_uint_eq(atomic_load(&round_failures), 0);
    ck_assert_uint_eq(fake.submissions, 480);
    while (fake_run(1000) != 0) {
    }
    /* Each sweep lets go of what those swept before it waited for. */
    for (uint32_t i = 0; i < 481 && fake.live_objects > before; i++) {
        isg_buffer_release(fixture_buffer(1, "any"));
    }
    ck_assert_uint_eq(fake.live_objects, before);
    isg_recording_release(round_recording);
    isg_buffer_release(buffer);
}
END_TEST

/* A buffer that the caller has let go of and that only finished work still holds. */
static void leave_a_held_buffer(void)
{
    isg_buffer *buffer = fixture_buffer(64, "held");
    uint32_t before = fake.live_objects;

    ASK(isg_queue_fill(fixture.queue, buffer, 0, 64, 1, NULL));
    ASK(isg_queue_wait(fixture.queue, 0, ISG_WAIT_FOREVER));
    isg_buffer_release(buffer);
    ck_assert_uint_ge(fake.live_objects, before);
}

START_TEST(memory_held_for_finished_work_comes_back_when_it_is_needed)
{
    isg_memory_info memory = {0};
    isg_buffer *buffer = NULL;
    uint32_t held = 0;

    fake.late_release = true;
    leave_a_held_buffer();
    held = fake.live_objects;
    ASK(isg_device_memory(fixture.device, &memory));
    ck_assert_uint_eq(memory.allocated, 0);
    ck_assert_uint_eq(fake.live_objects, held - 1);

    leave_a_held_buffer();
    held = fake.live_objects;
    fake.fail_slot = FAKE_BUFFER_CREATE;
    fake.fail_after = 0;
    fake.fail_status = ISG_ERROR_OUT_OF_MEMORY;
    ASK(isg_buffer_create(fixture.device, &(isg_buffer_desc){.size = 64}, &buffer));
    ck_assert_uint_eq(fake.live_objects, held); /* one gone, one new */
    isg_buffer_release(buffer);

    fake.fail_slot = FAKE_BUFFER_CREATE;
    fake.fail_after = 0;
    fake.fail_for_good = true;
    REFUSED(isg_buffer_create(fixture.device, &(isg_buffer_desc){.size = 64}, &buffer),
            ISG_ERROR_OUT_OF_MEMORY);
    fake.fail_slot = FAKE_NO_SLOT;
    fake.fail_for_good = false;
}
END_TEST

static void add(Suite *suite, const char *name, const TTest *test)
{
    TCase *tcase = tcase_create(name);

    tcase_add_checked_fixture(tcase, fixture_open, fixture_close);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, test);
    suite_add_tcase(suite, tcase);
}

int main(void)
{
    Suite *suite = suite_create("core_lifetime");
    SRunner *runner = srunner_create(suite);
    int failed = 0;

    add(suite, "any_order", the_last_release_may_come_in_any_order);
    add(suite, "too_many", releases_too_many_are_ignored);
    add(suite, "borrowed", a_retained_queue_keeps_its_device);
    add(suite, "busy_queue", a_queue_with_work_in_flight_goes_when_that_is_done);
    add(suite, "last_release", the_last_release_waits_for_work_in_flight);
    add(suite, "holds", submissions_hold_what_they_use);
    add(suite, "reclaim", memory_held_for_finished_work_comes_back_when_it_is_needed);
    add(suite, "elsewhere", a_recording_in_flight_elsewhere_is_waited_for_on_the_device);
    add(suite, "events", events_only_grow_and_only_what_is_submitted_can_be_waited_for);
    add(suite, "states", recordings_pass_through_their_states);
    add(suite, "share", a_queue_never_has_more_than_its_share_in_flight);
    add(suite, "steady", the_steady_state_allocates_nothing);
    add(suite, "staging", memory_the_host_cannot_see_is_staged_without_allocating);
    add(suite, "lost", a_lost_device_says_so_at_once_and_its_driver_is_left_alone);
    add(suite, "lost_anywhere", a_device_lost_in_any_slot_is_lost);
    add(suite, "stuck", a_wait_without_progress_ends_in_a_stuck_device);
    add(suite, "slow", a_slow_device_is_not_a_stuck_one);
    add(suite, "prepare", prepared_kernels_are_compiled_once);
    add(suite, "compile_failed", a_failed_compile_is_told_and_other_failures_are_tried_again);
    add(suite, "threads", threads_share_a_device_a_kernel_and_a_queue);
    add(suite, "come_and_go", queues_come_and_go_under_a_recording_in_flight);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
