/* The commands that dispatches become, as the fake device runs them. */
#include "core/plan.h"
#include "unit/doubles/core_fixture.h"

#include <stdlib.h>
#include <string.h>

/* "reference" wants a, scratch, result, counts; "rounds" a, b, c, seen: four buffers each. */
static isg_buffer *buffers[4];
static isg_binding bindings[4];

static void open_all(void)
{
    fixture_open();
    for (uint32_t i = 0; i < 4; i++) {
        buffers[i] = fixture_buffer(4096, "data");
        bindings[i] = (isg_binding){.binding = i, .buffer = buffers[i]};
    }
}

static void close_all(void)
{
    for (uint32_t i = 0; i < 4; i++) {
        isg_buffer_release(buffers[i]);
    }
    fixture_close();
}

static isg_dispatch four_buffers(isg_kernel *kernel, uint32_t x)
{
    return (isg_dispatch){.kernel = kernel, .grid = {x}, .bindings = bindings, .binding_count = 4};
}

static void run(const isg_dispatch *dispatch)
{
    fake.command_count = 0;
    ASK(isg_queue_dispatch(fixture.queue, dispatch, 1, NULL));
    ck_assert_uint_le(fake.command_count, FAKE_MAX_COMMANDS);
}

static uint32_t count_kind(isg_command_kind kind)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < fake.command_count; i++) {
        count += fake.commands[i].kind == kind ? 1 : 0;
    }
    return count;
}

/* The number `index` of the dispatches that ran, the checking kernel's included. */
static const fake_command *dispatch_at(uint32_t index)
{
    for (uint32_t i = 0; i < fake.command_count; i++) {
        if (fake.commands[i].kind == ISG_COMMAND_DISPATCH && index-- == 0) {
            return &fake.commands[i];
        }
    }
    ck_abort_msg("there is no such dispatch");
    return NULL;
}

START_TEST(plain_kernels_are_one_command)
{
    isg_kernel *kernel = fixture_kernel("nothing");

    run(&(isg_dispatch){.kernel = kernel, .grid = {5, 0, 3}});
    ck_assert_uint_eq(fake.command_count, 1);
    ck_assert_uint_eq(dispatch_at(0)->grid[0], 5);
    ck_assert_uint_eq(dispatch_at(0)->grid[1], 1);
    ck_assert_uint_eq(dispatch_at(0)->grid[2], 3);
    ck_assert(!dispatch_at(0)->same_arguments);
    ck_assert(!dispatch_at(0)->has_state);
    ck_assert_uint_eq(dispatch_at(0)->phase, UINT32_MAX);
    run(&(isg_dispatch){.kernel = kernel, .grid = {0, 7, 7}});
    ck_assert_uint_eq(fake.command_count, 0);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(a_native_phased_kernel_is_its_phases_and_nothing_else)
{
    isg_kernel *kernel = fixture_kernel("reference");
    isg_dispatch dispatch = four_buffers(kernel, 3);

    dispatch.rounds = 50;
    run(&dispatch);
    ck_assert_uint_eq(fake.command_count, 100);
    for (uint32_t i = 0; i < 100; i++) {
        ck_assert_int_eq(fake.commands[i].kind, ISG_COMMAND_DISPATCH);
        ck_assert_uint_eq(fake.commands[i].phase, i % 2);
        ck_assert_uint_eq(fake.commands[i].grid[0], 3);
        ck_assert(fake.commands[i].same_arguments == (i > 0));
        ck_assert(!fake.commands[i].unordered);
        ck_assert(!fake.commands[i].has_state);
    }
    ck_assert_uint_eq(fake.variants_created, 2);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(each_round_has_its_header_and_one_update_writes_them_all)
{
    isg_kernel *kernel = fixture_kernel("rounds");
    isg_dispatch dispatch = four_buffers(kernel, 2);

    dispatch.rounds = 100;
    run(&dispatch);
    ck_assert_uint_eq(count_kind(ISG_COMMAND_UPDATE), 1);
    ck_assert_uint_eq(count_kind(ISG_COMMAND_DISPATCH), 300);
    ck_assert_int_eq(fake.commands[0].kind, ISG_COMMAND_UPDATE);
    ck_assert(fake.commands[0].unordered);
    ck_assert_uint_eq(fake.commands[0].size, 6400);
    for (uint32_t i = 0; i < 300; i++) {
        const fake_command *command = dispatch_at(i);

        ck_assert_uint_eq(command->phase, i % 3);
        ck_assert(command->has_state);
        ck_assert_uint_eq(command->state_offset % 64, 0);
        ck_assert_uint_eq(command->header[ISG_STATE_ROUND], i / 3);
        ck_assert_uint_eq(command->header[ISG_STATE_ROUND_COUNT], 100);
        ck_assert_uint_eq(command->header[ISG_STATE_PHASE_COUNT], 3);
        ck_assert_uint_eq(command->header[ISG_STATE_GRID_X], 2);
        ck_assert_uint_eq(command->header[ISG_STATE_GRID_Y], 1);
        ck_assert(command->same_arguments == (i > 0));
    }
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(more_rounds_than_headers_fit_are_written_in_batches)
{
    isg_kernel *kernel = NULL;
    isg_dispatch dispatch;

    fixture.device->info.limits.storage_offset_alignment = 256;
    kernel = fixture_kernel("rounds");
    dispatch = four_buffers(kernel, 1);
    dispatch.rounds = 1000;
    run(&dispatch);
    ck_assert_uint_eq(count_kind(ISG_COMMAND_UPDATE), 4);
    ck_assert_uint_eq(count_kind(ISG_COMMAND_DISPATCH), 3000);
    for (uint32_t i = 0; i < 3000; i++) {
        const fake_command *command = &fake.commands[i + i / 765 + 1];

        ck_assert_int_eq(command->kind, ISG_COMMAND_DISPATCH);
        ck_assert_uint_eq(command->header[ISG_STATE_ROUND], i / 3);
        ck_assert_uint_eq(command->state_offset % 256, 0);
    }
    /* Only the first batch is written where nothing reads. */
    ck_assert(fake.commands[0].unordered);
    for (uint32_t i = 1; i < fake.command_count; i++) {
        ck_assert(!fake.commands[i].unordered);
    }
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(dispatches_of_one_recording_share_its_state_without_clashing)
{
    isg_kernel *kernel = fixture_kernel("rounds");
    isg_dispatch dispatch = four_buffers(kernel, 1);
    isg_recording *recording = NULL;
    uint32_t seen = 0;

    dispatch.rounds = 700;
    ASK(isg_recording_create(fixture.device, NULL, &recording));
    for (uint32_t i = 0; i < 3; i++) {
        ASK(isg_record_dispatch(recording, &dispatch));
    }
    ASK(isg_recording_end(recording));
    for (uint32_t run_count = 0; run_count < 2; run_count++) {
        fake.command_count = 0;
        ASK(isg_queue_submit(fixture.queue,
                             &(isg_submit_desc){.recordings = &recording, .recording_count = 1},
                             NULL));
        seen = 0;
        for (uint32_t i = 0; i < fake.command_count; i++) {
            if (fake.commands[i].kind == ISG_COMMAND_DISPATCH) {
                ck_assert_uint_eq(fake.commands[i].header[ISG_STATE_ROUND], seen / 3 % 700);
                seen++;
            }
        }
        ck_assert_uint_eq(seen, 6300);
        /* The second update fits no more behind the first: it goes over it, in order. */
        ck_assert(fake.commands[0].unordered);
        ck_assert_int_eq(fake.commands[2101].kind, ISG_COMMAND_UPDATE);
        ck_assert(!fake.commands[2101].unordered);
    }
    isg_recording_release(recording);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(grids_above_the_limit_loop_over_the_grid_in_the_header)
{
    isg_kernel *kernel = fixture_kernel("reference");
    isg_dispatch dispatch = four_buffers(kernel, 1000000);

    dispatch.grid[1] = 3;
    run(&dispatch);
    ck_assert_uint_eq(count_kind(ISG_COMMAND_UPDATE), 1);
    ck_assert_uint_eq(count_kind(ISG_COMMAND_DISPATCH), 2);
    for (uint32_t i = 0; i < 2; i++) {
        const fake_command *command = dispatch_at(i);

        ck_assert(command->has_state);
        ck_assert_uint_eq(command->grid[0], 65535);
        ck_assert_uint_eq(command->grid[1], 1);
        ck_assert_uint_eq(command->grid[2], 1);
        ck_assert_uint_eq(command->phase, i);
        ck_assert_uint_eq(command->header[ISG_STATE_GRID_X], 1000000);
        ck_assert_uint_eq(command->header[ISG_STATE_GRID_Y], 3);
        ck_assert_uint_eq(command->header[ISG_STATE_GRID_Z], 1);
    }
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(times_bracket_each_dispatch_even_an_empty_one)
{
    isg_kernel *kernel = fixture_kernel("reference");
    isg_dispatch dispatch = four_buffers(kernel, 1);
    isg_recording *recording = NULL;
    uint64_t times[4] = {0};
    uint32_t count = 0;

    ASK(isg_recording_create(fixture.device, &(isg_recording_desc){.timed = true}, &recording));
    ASK(isg_record_dispatch(recording, &dispatch));
    ASK(isg_record_fill(recording, buffers[0], 0, 4, 1));
    dispatch.grid[0] = 0;
    ASK(isg_record_dispatch(recording, &dispatch));
    REFUSED(isg_recording_times(recording, NULL, 0, &count), ISG_ERROR_INVALID_STATE);
    ASK(isg_recording_end(recording));
    REFUSED(isg_recording_times(recording, NULL, 0, &count), ISG_ERROR_INVALID_STATE);
    fake.command_count = 0;
    ASK(isg_queue_submit(fixture.queue,
                         &(isg_submit_desc){.recordings = &recording, .recording_count = 1}, NULL));
    ck_assert_uint_eq(fake.command_count, 7);
    ck_assert_int_eq(fake.commands[0].kind, ISG_COMMAND_TIME_BEGIN);
    ck_assert_int_eq(fake.commands[3].kind, ISG_COMMAND_TIME_END);
    ck_assert_uint_eq(fake.commands[3].time_slot, 0);
    ck_assert_int_eq(fake.commands[5].kind, ISG_COMMAND_TIME_BEGIN);
    ck_assert_uint_eq(fake.commands[6].time_slot, 1);
    ASK(isg_recording_times(recording, times, 1, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(times[0], 1000);
    ck_assert_uint_eq(times[1], 0);
    isg_recording_release(recording);
    isg_kernel_release(kernel);
}
END_TEST

/* ---- indirect -------------------------------------------------------------------------------- */

static isg_buffer *counts_buffer(uint32_t x, uint32_t y, uint32_t z, uint64_t offset)
{
    isg_buffer *buffer = fixture_buffer(4096, "counts");
    const uint32_t counts[3] = {x, y, z};

    ASK(isg_buffer_upload(buffer, offset, counts, sizeof counts));
    return buffer;
}

START_TEST(an_indirect_plain_dispatch_takes_checked_counts)
{
    isg_kernel *kernel = fixture_kernel("nothing");
    isg_buffer *counts = counts_buffer(7, 2, 9, 300);
    isg_dispatch dispatch = {.kernel = kernel, .indirect = counts, .indirect_offset = 300};

    run(&dispatch);
    ck_assert_uint_eq(fake.command_count, 2);
    ck_assert_str_eq(dispatch_at(0)->kernel, "isogrid indirect");
    ck_assert_uint_eq(dispatch_at(0)->bindings[0].offset, 256);
    ck_assert_uint_eq(dispatch_at(0)->bindings[0].size, 44 + 12);
    ck_assert(dispatch_at(1)->indirect);
    ck_assert_uint_eq(dispatch_at(1)->grid[0], 7);
    ck_assert_uint_eq(dispatch_at(1)->grid[1], 2);
    ck_assert_uint_eq(dispatch_at(1)->grid[2], 9);
    ASK(isg_queue_wait(fixture.queue, 0, 0));
    ASK(isg_buffer_upload(counts, 304, &(uint32_t){0}, 4));
    run(&dispatch);
    ck_assert_uint_eq(dispatch_at(1)->grid[0], 0);
    ck_assert_uint_eq(dispatch_at(1)->grid[2], 0);
    ASK(isg_queue_wait(fixture.queue, 0, 0));
    isg_buffer_release(counts);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(counts_above_the_limit_do_nothing_and_are_reported_once)
{
    isg_kernel *kernel = fixture_kernel("nothing");
    isg_buffer *counts = counts_buffer(1, 65536, 1, 0);
    isg_dispatch dispatch = {.kernel = kernel, .indirect = counts, .label = "too tall"};
    uint64_t first = 0;

    fake.command_count = 0;
    ASK(isg_queue_dispatch(fixture.queue, &dispatch, 1, &first));
    ck_assert_uint_eq(dispatch_at(1)->grid[1], 0);
    ASK(isg_queue_dispatch(fixture.queue, &(isg_dispatch){.kernel = kernel, .grid = {1}}, 1, NULL));
    REFUSED(isg_queue_wait(fixture.queue, 0, ISG_WAIT_FOREVER), ISG_ERROR_LIMIT_EXCEEDED);
    fixture_says("'too tall'");
    fixture_says("1 x 65536 x 1");
    fixture_says("65535 x 65535 x 65535");
    ASK(isg_queue_wait(fixture.queue, 0, ISG_WAIT_FOREVER));
    ASK(isg_device_status(fixture.device));
    /* A wait for what came before does not report it. */
    ASK(isg_queue_dispatch(fixture.queue, &dispatch, 1, NULL));
    ASK(isg_queue_wait(fixture.queue, first, ISG_WAIT_FOREVER));
    REFUSED(isg_event_wait(isg_queue_event(fixture.queue), first + 2, ISG_WAIT_FOREVER),
            ISG_ERROR_LIMIT_EXCEEDED);
    ASK(isg_queue_dispatch(fixture.queue, &dispatch, 1, NULL));
    REFUSED(isg_buffer_download(counts, 0, &(uint32_t){0}, 4), ISG_ERROR_LIMIT_EXCEEDED);
    ASK(isg_buffer_download(counts, 0, &(uint32_t){0}, 4));
    isg_buffer_release(counts);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(many_failures_are_counted)
{
    isg_kernel *kernel = fixture_kernel("nothing");
    isg_buffer *counts = counts_buffer(1, 1, UINT32_MAX, 0);
    isg_dispatch dispatch = {.kernel = kernel, .indirect = counts};

    for (uint32_t i = 0; i < 30; i++) {
        ASK(isg_queue_dispatch(fixture.queue, &dispatch, 1, NULL));
    }
    REFUSED(isg_queue_wait(fixture.queue, 0, ISG_WAIT_FOREVER), ISG_ERROR_LIMIT_EXCEEDED);
    fixture_says("and 29 more like it");
    ASK(isg_queue_wait(fixture.queue, 0, ISG_WAIT_FOREVER));
    isg_buffer_release(counts);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(a_recording_tells_how_its_last_run_ended)
{
    isg_kernel *kernel = fixture_kernel("nothing");
    isg_buffer *counts = counts_buffer(1, 1, 1, 0);
    isg_recording *recording = NULL;
    isg_submit_desc submit = {.recording_count = 1};

    ASK(isg_recording_create(fixture.device, NULL, &recording));
    for (uint32_t i = 0; i < 200; i++) {
        ASK(isg_record_dispatch(recording, &(isg_dispatch){.kernel = kernel, .indirect = counts}));
    }
    ASK(isg_recording_end(recording));
    submit.recordings = &recording;
    REFUSED(isg_recording_status(recording), ISG_ERROR_INVALID_STATE);
    ASK(isg_queue_submit(fixture.queue, &submit, NULL));
    ASK(isg_recording_status(recording));
    ASK(isg_buffer_upload(counts, 0, &(uint32_t){70000}, 4));
    ASK(isg_queue_submit(fixture.queue, &submit, NULL));
    REFUSED(isg_recording_status(recording), ISG_ERROR_LIMIT_EXCEEDED);
    REFUSED(isg_recording_status(recording), ISG_ERROR_LIMIT_EXCEEDED);
    ASK(isg_buffer_upload(counts, 0, &(uint32_t){7}, 4));
    ASK(isg_queue_submit(fixture.queue, &submit, NULL));
    ASK(isg_recording_status(recording));
    REFUSED(isg_queue_wait(fixture.queue, 0, ISG_WAIT_FOREVER), ISG_ERROR_LIMIT_EXCEEDED);
    isg_recording_release(recording);
    isg_buffer_release(counts);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(an_indirect_phased_dispatch_loops_over_what_it_reads_once)
{
    isg_kernel *kernel = fixture_kernel("rounds");
    isg_buffer *counts = counts_buffer(100000, 2, 1, 0);
    isg_dispatch dispatch = four_buffers(kernel, 0);
    uint32_t checks = 0;
    uint32_t seen = 0;

    dispatch.indirect = counts;
    dispatch.rounds = 1500;
    run(&dispatch);
    for (uint32_t i = 0; i < fake.command_count; i++) {
        const fake_command *command = &fake.commands[i];

        if (command->kind != ISG_COMMAND_DISPATCH) {
            continue;
        }
        if (strcmp(command->kernel, "isogrid indirect") == 0) {
            checks++;
            continue;
        }
        ck_assert(command->indirect);
        ck_assert_uint_eq(command->grid[0], 65535);
        ck_assert_uint_eq(command->grid[1], 1);
        ck_assert_uint_eq(command->header[ISG_STATE_ROUND], seen / 3);
        ck_assert_uint_eq(command->header[ISG_STATE_GRID_X], 100000);
        ck_assert_uint_eq(command->header[ISG_STATE_GRID_Y], 2);
        seen++;
    }
    ck_assert_uint_eq(seen, 4500);
    ck_assert_uint_eq(checks, count_kind(ISG_COMMAND_UPDATE));
    ck_assert_uint_eq(checks, 2);
    ASK(isg_buffer_upload(counts, 0, ((const uint32_t[3]){3, 2, 0}), 12));
    dispatch.rounds = 1;
    run(&dispatch);
    ck_assert_uint_eq(dispatch_at(1)->grid[0], 0);
    ASK(isg_buffer_upload(counts, 0, ((const uint32_t[3]){UINT32_MAX, UINT32_MAX, 2}), 12));
    run(&dispatch);
    ck_assert_uint_eq(dispatch_at(1)->grid[0], 0);
    REFUSED(isg_queue_wait(fixture.queue, 0, ISG_WAIT_FOREVER), ISG_ERROR_LIMIT_EXCEEDED);
    isg_buffer_release(counts);
    isg_kernel_release(kernel);
}
END_TEST

static void add(Suite *suite, const char *name, const TTest *test)
{
    TCase *tcase = tcase_create(name);

    tcase_add_checked_fixture(tcase, open_all, close_all);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, test);
    suite_add_tcase(suite, tcase);
}

int main(void)
{
    Suite *suite = suite_create("core_split");
    SRunner *runner = srunner_create(suite);
    int failed = 0;

    add(suite, "plain", plain_kernels_are_one_command);
    add(suite, "native", a_native_phased_kernel_is_its_phases_and_nothing_else);
    add(suite, "rounds", each_round_has_its_header_and_one_update_writes_them_all);
    add(suite, "batches", more_rounds_than_headers_fit_are_written_in_batches);
    add(suite, "shared_state", dispatches_of_one_recording_share_its_state_without_clashing);
    add(suite, "looped", grids_above_the_limit_loop_over_the_grid_in_the_header);
    add(suite, "times", times_bracket_each_dispatch_even_an_empty_one);
    add(suite, "indirect", an_indirect_plain_dispatch_takes_checked_counts);
    add(suite, "over_limit", counts_above_the_limit_do_nothing_and_are_reported_once);
    add(suite, "many_failures", many_failures_are_counted);
    add(suite, "status", a_recording_tells_how_its_last_run_ended);
    add(suite, "indirect_phased", an_indirect_phased_dispatch_loops_over_what_it_reads_once);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
