/* Host memory that runs out at each allocation in turn: no crash, no leak, and right once there is
 * memory again. */
#include "core/handle.h"
#include "unit/doubles/core_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one walk makes; all may be NULL. */
typedef struct walk_state {
    isg_instance *instance;
    isg_device *device;
    isg_queue *second;
    isg_kernel *rounds;
    isg_kernel *plain;
    isg_buffer *buffers[4];
    isg_event *event;
    isg_recording *recording;
} walk_state;

static isg_status make_kernel(walk_state *walk, const char *stem, isg_kernel **out)
{
    isg_kernel_desc desc;

    fixture_kernel_desc(stem, &desc);
    return isg_kernel_create(walk->device, &desc, out);
}

static isg_status open_everything(walk_state *walk)
{
    isg_host_allocator callbacks = counting_callbacks(&fixture.allocator);
    isg_status status = ISG_OK;

    walk->instance = fake_instance(&callbacks);
    if (walk->instance == NULL) {
        return ISG_ERROR_OUT_OF_MEMORY;
    }
    status = isg_device_open(walk->instance, "fake:0", NULL, &walk->device);
    if (status == ISG_OK) {
        status = isg_queue_create(walk->device, "second", &walk->second);
    }
    for (uint32_t i = 0; i < 4 && status == ISG_OK; i++) {
        status =
            isg_buffer_create(walk->device, &(isg_buffer_desc){.size = 4096}, &walk->buffers[i]);
    }
    if (status == ISG_OK) {
        status = isg_event_create(walk->device, &walk->event);
    }
    if (status == ISG_OK) {
        status = make_kernel(walk, "rounds", &walk->rounds);
    }
    return status == ISG_OK ? make_kernel(walk, "nothing", &walk->plain) : status;
}

static isg_status dispatch_everything(walk_state *walk)
{
    isg_queue *queue = isg_device_queue(walk->device);
    isg_binding bindings[4];
    isg_dispatch dispatches[3] = {
        {.kernel = walk->rounds, .grid = {1}, .bindings = bindings, .binding_count = 4},
        {.kernel = walk->plain, .indirect = walk->buffers[0]},
        {.kernel = walk->plain, .grid = {3}},
    };
    isg_status status = ISG_OK;

    for (uint32_t i = 0; i < 4; i++) {
        bindings[i] = (isg_binding){.binding = i, .buffer = walk->buffers[i]};
    }
    status = isg_queue_fill(queue, walk->buffers[0], 0, 4096, 0, NULL);
    if (status == ISG_OK) {
        status = isg_plan_dispatch(&dispatches[0], &(isg_plan){0});
    }
    for (uint32_t i = 0; i < 3 && status == ISG_OK; i++) {
        status = isg_queue_dispatch(i == 1 ? walk->second : queue, dispatches, 3, NULL);
    }
    if (status == ISG_OK) {
        status = isg_queue_wait(queue, 0, ISG_WAIT_FOREVER);
    }
    if (status == ISG_OK) {
        status = isg_recording_create(walk->device, &(isg_recording_desc){.timed = true},
                                      &walk->recording);
    }
    for (uint32_t i = 0; i < 3 && status == ISG_OK; i++) {
        status = isg_record_dispatch(walk->recording, &dispatches[i]);
    }
    return status == ISG_OK ? isg_recording_end(walk->recording) : status;
}

static isg_status submit_everything(walk_state *walk)
{
    isg_event_value_pair signal = {walk->event, 1};
    isg_submit_desc submit = {.recordings = &walk->recording,
                              .recording_count = 1,
                              .signals = &signal,
                              .signal_count = 1};
    uint32_t words[16] = {0};
    isg_host_binding host = {.data = words, .size = sizeof words, .direction = ISG_INOUT};
    isg_binding bindings[3];
    isg_dispatch dispatch = {
        .kernel = walk->rounds, .grid = {1}, .bindings = bindings, .binding_count = 3};
    isg_status status = isg_queue_submit(walk->second, &submit, NULL);

    if (status == ISG_OK) {
        submit = (isg_submit_desc){.recordings = &walk->recording,
                                   .recording_count = 1,
                                   .waits = &signal,
                                   .wait_count = 1};
        status = isg_queue_submit(isg_device_queue(walk->device), &submit, NULL);
    }
    for (uint32_t i = 0; i < 3; i++) {
        bindings[i] = (isg_binding){.binding = i, .buffer = walk->buffers[i]};
    }
    host.binding = 3;
    if (status == ISG_OK) {
        status = isg_queue_dispatch_bytes(walk->second, &dispatch, &host, 1, NULL);
    }
    if (status == ISG_OK) {
        status = isg_buffer_upload(walk->buffers[1], 0, words, sizeof words);
    }
    if (status == ISG_OK) {
        status = isg_buffer_download(walk->buffers[1], 0, words, sizeof words);
    }
    if (status == ISG_OK) {
        status = isg_kernel_prepare(walk->rounds, NULL, 0);
    }
    return status == ISG_OK ? isg_kernel_wait(walk->rounds, ISG_WAIT_FOREVER) : status;
}

static isg_status do_everything(walk_state *walk)
{
    isg_status status = open_everything(walk);

    if (status == ISG_OK) {
        status = dispatch_everything(walk);
    }
    return status == ISG_OK ? submit_everything(walk) : status;
}

static void release_everything(const walk_state *walk)
{
    isg_device_release(walk->device);
    isg_recording_release(walk->recording);
    isg_event_release(walk->event);
    for (uint32_t i = 0; i < 4; i++) {
        isg_buffer_release(walk->buffers[i]);
    }
    isg_kernel_release(walk->rounds);
    isg_kernel_release(walk->plain);
    isg_queue_release(walk->second);
    isg_instance_release(walk->instance);
    ck_assert_int_eq(atomic_load(&fixture.allocator.live_count), 0);
    ck_assert_int_eq(atomic_load(&fixture.allocator.live_bytes), 0);
    ck_assert_uint_eq(fake.live_objects, 0);
    ck_assert_uint_eq(fake.live_devices, 0);
    ck_assert_uint_eq(fake.live_backends, 0);
    ck_assert_uint_eq(isg_handle_count(), 0);
}

static long long run_failing_at(long long fail_at, bool and_later, bool hidden, isg_status *status)
{
    walk_state walk = {0};

    fake_reset();
    memset(&fixture, 0, sizeof fixture);
    fake.hidden_memory = hidden;
    atomic_store(&fixture.allocator.fail_at, fail_at);
    atomic_store(&fixture.allocator.fail_later, and_later);
    *status = do_everything(&walk);
    release_everything(&walk);
    return atomic_load(&fixture.allocator.calls);
}

static void fail_each(bool and_later, bool hidden)
{
    isg_status status = ISG_OK;
    long long total = run_failing_at(0, false, hidden, &status);
    long long unnoticed = 0;

    ck_assert_msg(status == ISG_OK, "%s", isg_last_error());
    ck_assert_int_gt(total, 100);
    for (long long at = 1; at <= total; at++) {
        run_failing_at(at, and_later, hidden, &status);
        unnoticed += status == ISG_OK ? 1 : 0;
        ck_assert_msg(status == ISG_OK || status == ISG_ERROR_OUT_OF_MEMORY,
                      "allocation %lld of %lld failing gave %s: %s", at, total,
                      isg_status_name(status), isg_last_error());
    }
    printf("%lld allocations failed in turn, %lld without consequence\n", total, unnoticed);
    /* A buffer that finds no room in the pool is freed instead. */
    ck_assert_int_le(unnoticed, 1);
}

START_TEST(each_allocation_may_fail)
{
    fail_each(false, false);
}
END_TEST

START_TEST(memory_may_run_out_for_good)
{
    fail_each(true, false);
}
END_TEST

START_TEST(each_allocation_may_fail_with_staging)
{
    fail_each(false, true);
}
END_TEST

/* Every slot that makes something fails once, at each of its calls. */
START_TEST(each_slot_may_fail)
{
    for (int slot = FAKE_BACKEND_CREATE; slot <= FAKE_RECORDING_END; slot++) {
        for (uint32_t after = 0; after < 300; after++) {
            walk_state walk = {0};
            isg_status status = ISG_OK;
            bool reached = false;

            fake_reset();
            memset(&fixture, 0, sizeof fixture);
            fake.fail_slot = (fake_slot)slot;
            fake.fail_after = after;
            fake.fail_status = ISG_ERROR_OUT_OF_MEMORY;
            status = do_everything(&walk);
            reached = fake.fail_slot == FAKE_NO_SLOT;
            fake.fail_slot = FAKE_NO_SLOT;
            release_everything(&walk);
            ck_assert_msg(status == (reached ? ISG_ERROR_OUT_OF_MEMORY : ISG_OK),
                          "slot %d, call %u: %s", slot, after, isg_status_name(status));
            if (!reached) {
                break;
            }
        }
    }
}
END_TEST

static void add(Suite *suite, const char *name, const TTest *test)
{
    TCase *tcase = tcase_create(name);

    tcase_set_timeout(tcase, 240);
    tcase_add_test(tcase, test);
    suite_add_tcase(suite, tcase);
}

int main(void)
{
    Suite *suite = suite_create("core_memory");
    SRunner *runner = srunner_create(suite);
    int failed = 0;

    add(suite, "each", each_allocation_may_fail);
    add(suite, "for_good", memory_may_run_out_for_good);
    add(suite, "staging", each_allocation_may_fail_with_staging);
    add(suite, "slots", each_slot_may_fail);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
