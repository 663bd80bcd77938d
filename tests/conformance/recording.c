/* Owns the suite `recording`: commands submitted again and again, their times, their steady state. */
#include "conform.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

static isg_recording *recording_start(void)
{
    isg_recording *recording = NULL;

    CONFORM_OK(isg_recording_create(conform_device(), NULL, &recording));
    return recording;
}

static void submit(isg_queue *queue, isg_recording *recording)
{
    CONFORM_OK(isg_queue_submit(
        queue,
        &(isg_submit_desc){.recordings = (isg_recording *const[]){recording}, .recording_count = 1},
        NULL));
}

static isg_dispatch accumulate(isg_kernel *kernel, const isg_binding bindings[2], uint32_t groups,
                               const uint32_t *seed)
{
    return (isg_dispatch){.kernel = kernel,
                          .grid = {groups},
                          .bindings = bindings,
                          .binding_count = 2,
                          .push = seed,
                          .push_size = 4};
}

/* A phased kernel, a plain one, a copy and a fill, submitted 1000 times with inputs that change. */
START_TEST(report_39_resubmit_a_thousand_times)
{
    enum { GROUPS = 4, N = GROUPS * 64, TIMES = 1000, ROUNDS = 2 };
    static uint32_t a[N], b[N], c[N], x[N], got[N];
    isg_kernel *rounds = conform_kernel("rounds"), *plain = conform_kernel("accumulate");
    isg_buffer *buffers[5];
    isg_binding phased_bindings[4], plain_bindings[2];
    isg_recording *recording = recording_start();
    const uint32_t seed = 99;
    isg_dispatch dispatch;

    conform_random_words(a, N, 1);
    buffers[0] = conform_buffer_of(a, sizeof a);
    for (int i = 1; i < 5; i++) {
        buffers[i] = conform_buffer(sizeof a, ISG_MEMORY_DEVICE);
    }
    for (uint32_t i = 0; i < 4; i++) {
        phased_bindings[i] = (isg_binding){.binding = i, .buffer = buffers[i]};
    }
    plain_bindings[0] = (isg_binding){.binding = 0, .buffer = buffers[4]};
    plain_bindings[1] = (isg_binding){.binding = 1, .buffer = buffers[0]};
    CONFORM_OK(isg_record_fill(recording, buffers[3], 0, sizeof a, 0));
    dispatch = accumulate(plain, plain_bindings, GROUPS, &seed);
    CONFORM_OK(isg_record_dispatch(recording, &dispatch));
    CONFORM_OK(isg_record_dispatch(recording, &(isg_dispatch){.kernel = rounds,
                                                              .grid = {GROUPS},
                                                              .rounds = ROUNDS,
                                                              .bindings = phased_bindings,
                                                              .binding_count = 4}));
    CONFORM_OK(isg_record_copy(recording, buffers[0], 0, buffers[1], 128, 64));
    CONFORM_OK(isg_recording_end(recording));
    for (uint32_t t = 0; t < TIMES; t++) {
        conform_random_words(x, N, t);
        CONFORM_OK(isg_buffer_upload(buffers[4], 0, x, sizeof x));
        submit(conform_queue(), recording);
        for (uint32_t i = 0; i < N; i++) {
            a[i] = conform_mix32(a[i] + seed) + x[i];
        }
        for (uint32_t round = 0; round < ROUNDS; round++) {
            for (uint32_t i = 0; i < N; i++) {
                b[i] = conform_mix32(a[N - 1 - i] + round);
            }
            for (uint32_t i = 0; i < N; i++) {
                c[i] = b[i] ^ b[(i + 97) % N];
            }
            for (uint32_t i = 0; i < N; i++) {
                a[i] += c[(i + N / 2) % N] + ROUNDS;
            }
        }
        memcpy(a, b + 32, 64);
        if (t % 100 == 99) {
            CONFORM_OK(isg_buffer_download(buffers[0], 0, got, sizeof got));
            conform_check_words(got, a, N, "a recording submitted again");
            conform_progress();
        }
    }
    conform_report_plan(ISG_PLAN_SPLIT);
    conform_digest(got, a, sizeof got);
    isg_recording_release(recording);
    for (int i = 0; i < 5; i++) {
        isg_buffer_release(buffers[i]);
    }
    isg_kernel_release(rounds);
    isg_kernel_release(plain);
}
END_TEST

/* Two queues submit one recording at once: its runs must not overlap, in whatever order. */
START_TEST(one_recording_on_two_queues)
{
    enum { GROUPS = 64, N = GROUPS * 64, TIMES = 100 };
    static uint32_t x[N], y[N], got[N];
    isg_kernel *kernel = conform_kernel("accumulate");
    isg_queue *queues[2] = {NULL, NULL};
    isg_buffer *from = NULL, *to = NULL;
    isg_recording *recording = recording_start();
    const uint32_t seed = 5;
    isg_dispatch dispatch;

    conform_random_words(x, N, 1);
    conform_random_words(y, N, 2);
    from = conform_buffer_of(x, sizeof x);
    to = conform_buffer_of(y, sizeof y);
    dispatch = accumulate(
        kernel, (isg_binding[]){{.binding = 0, .buffer = from}, {.binding = 1, .buffer = to}},
        GROUPS, &seed);
    CONFORM_OK(isg_record_dispatch(recording, &dispatch));
    CONFORM_OK(isg_recording_end(recording));
    for (int q = 0; q < 2; q++) {
        CONFORM_OK(isg_queue_create(conform_device(), NULL, &queues[q]));
    }
    for (int t = 0; t < TIMES; t++) {
        submit(queues[t % 2], recording);
        for (uint32_t i = 0; i < N; i++) {
            y[i] = conform_mix32(y[i] + seed) + x[i];
        }
    }
    for (int q = 0; q < 2; q++) {
        CONFORM_OK(isg_queue_wait(queues[q], 0, ISG_WAIT_FOREVER));
        isg_queue_release(queues[q]);
    }
    CONFORM_OK(isg_buffer_download(to, 0, got, sizeof got));
    conform_check_words(got, y, N, "100 runs from two queues");
    conform_digest(got, y, sizeof got);
    isg_recording_release(recording);
    isg_buffer_release(from);
    isg_buffer_release(to);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(everything_released_straight_after_submit)
{
    enum { GROUPS = 256, N = GROUPS * 64 };
    static uint32_t x[N], y[N], got[N];
    isg_buffer *result = NULL;
    const uint32_t seed = 31;

    conform_random_words(x, N, 3);
    conform_random_words(y, N, 4);
    for (uint32_t i = 0; i < N; i++) {
        got[i] = conform_mix32(y[i] + seed) + x[i];
    }
    result = conform_buffer(sizeof y, ISG_MEMORY_DEVICE);
    for (int round = 0; round < 20; round++) {
        isg_kernel *kernel = conform_kernel("accumulate");
        isg_buffer *from = conform_buffer_of(x, sizeof x), *to = conform_buffer_of(y, sizeof y);
        isg_recording *recording = recording_start();
        isg_queue *queue = NULL;
        isg_dispatch dispatch = accumulate(
            kernel, (isg_binding[]){{.binding = 0, .buffer = from}, {.binding = 1, .buffer = to}},
            GROUPS, &seed);
        static uint32_t read[N];
        uint64_t value = 0;

        CONFORM_OK(isg_record_dispatch(recording, &dispatch));
        CONFORM_OK(isg_record_copy(recording, result, 0, to, 0, sizeof y));
        CONFORM_OK(isg_recording_end(recording));
        isg_kernel_release(kernel); /* the recording holds them */
        isg_buffer_release(from);
        isg_buffer_release(to);
        CONFORM_OK(isg_queue_create(conform_device(), "short-lived", &queue));
        CONFORM_OK(isg_queue_fill(conform_queue(), result, 0, sizeof y, 0, &value));
        CONFORM_OK(isg_queue_submit(
            queue,
            &(isg_submit_desc){.recordings = (isg_recording *const[]){recording},
                               .recording_count = 1,
                               .waits =
                                   &(isg_event_value_pair){isg_queue_event(conform_queue()), value},
                               .wait_count = 1},
            &value));
        isg_recording_release(recording); /* the submission holds it */
        CONFORM_OK(isg_queue_wait(queue, value, ISG_WAIT_FOREVER));
        isg_queue_release(queue);
        CONFORM_OK(isg_buffer_download(result, 0, read, sizeof read));
        conform_check_words(read, got, N, "after everything was released");
    }
    isg_buffer_release(result);
}
END_TEST

START_TEST(states_of_a_recording)
{
    isg_buffer *buffer = conform_buffer(64, ISG_MEMORY_DEVICE);
    isg_kernel *kernel = conform_kernel("count_groups");
    isg_recording *recording = recording_start();
    isg_dispatch dispatch = {.kernel = kernel,
                             .grid = {1},
                             .bindings = &(isg_binding){.buffer = buffer},
                             .binding_count = 1};
    uint64_t times[2];
    uint32_t count = 0, got[16];

    CONFORM_REFUSED(
        ISG_ERROR_INVALID_STATE,
        isg_queue_submit(conform_queue(),
                         &(isg_submit_desc){.recordings = (isg_recording *const[]){recording},
                                            .recording_count = 1},
                         NULL),
        "end");
    CONFORM_OK(isg_record_fill(recording, buffer, 0, 64, 0));
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_record_fill(recording, buffer, 60, 8, 0), "64");
    dispatch.binding_count = 0;
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_record_dispatch(recording, &dispatch),
                    "binding"); /* appends nothing */
    dispatch.binding_count = 1;
    CONFORM_OK(isg_record_dispatch(recording, &dispatch));
    CONFORM_REFUSED(ISG_ERROR_INVALID_STATE, isg_recording_status(recording), "finished");
    CONFORM_OK(isg_recording_end(recording));
    CONFORM_REFUSED(ISG_ERROR_INVALID_STATE, isg_recording_end(recording), "ended");
    CONFORM_REFUSED(ISG_ERROR_INVALID_STATE, isg_record_dispatch(recording, &dispatch), "ended");
    CONFORM_REFUSED(ISG_ERROR_INVALID_STATE, isg_record_fill(recording, buffer, 0, 4, 1), "ended");
    CONFORM_REFUSED(ISG_ERROR_INVALID_STATE, isg_record_copy(recording, buffer, 0, buffer, 8, 4),
                    "ended");
    CONFORM_REFUSED(ISG_ERROR_INVALID_STATE, isg_recording_status(recording), "finished");
    CONFORM_REFUSED(ISG_ERROR_INVALID_STATE, isg_recording_times(recording, times, 2, &count),
                    "timed");
    submit(conform_queue(), recording);
    CONFORM_OK(isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER));
    CONFORM_OK(isg_recording_status(recording));
    CONFORM_OK(isg_buffer_download(buffer, 0, got, sizeof got));
    ck_assert_uint_eq(got[0], 1);
    isg_recording_release(recording);
    isg_buffer_release(buffer);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(empty_recordings_and_lists)
{
    isg_recording *recording = recording_start();
    isg_buffer *buffer = conform_buffer(16, ISG_MEMORY_DEVICE);
    isg_recording *fills[3];
    unsigned char got[16];

    CONFORM_OK(isg_recording_end(recording));
    submit(conform_queue(), recording);
    for (int i = 0; i < 3; i++) {
        fills[i] = recording_start();
        CONFORM_OK(isg_record_fill(fills[i], buffer, 0, 16 - 4 * (uint64_t)i, (uint8_t)(i + 1)));
        CONFORM_OK(isg_recording_end(fills[i]));
    }
    CONFORM_OK(isg_queue_submit(
        conform_queue(),
        &(isg_submit_desc){.recordings =
                               (isg_recording *const[]){fills[0], recording, fills[1], fills[2]},
                           .recording_count = 4},
        NULL));
    CONFORM_OK(isg_buffer_download(buffer, 0, got, 16));
    conform_check_filled(got, 3, 8, "filled by the third");
    conform_check_filled(got + 8, 2, 4, "filled by the second");
    conform_check_filled(got + 12, 1, 4, "filled by the first");
    for (int i = 0; i < 3; i++) {
        isg_recording_release(fills[i]);
    }
    isg_recording_release(recording);
    isg_buffer_release(buffer);
}
END_TEST

START_TEST(an_execution_error_is_the_recordings_status)
{
    uint32_t limit = conform_info()->limits.max_workgroup_count[0];
    uint32_t grid[3] = {limit + 1, 1, 1}, good[3] = {2, 1, 1}, got[4];
    isg_kernel *kernel = conform_kernel("count_groups");
    isg_buffer *sums = conform_buffer(16, ISG_MEMORY_DEVICE), *indirect = NULL;
    isg_recording *recording = recording_start();

    if (limit == UINT32_MAX) {
        conform_skip("the device has no limit below 2^32");
    }
    indirect = conform_buffer_of(grid, sizeof grid);
    CONFORM_OK(
        isg_record_dispatch(recording, &(isg_dispatch){.kernel = kernel,
                                                       .indirect = indirect,
                                                       .bindings = &(isg_binding){.buffer = sums},
                                                       .binding_count = 1}));
    CONFORM_OK(isg_recording_end(recording));
    submit(conform_queue(), recording);
    CONFORM_REFUSED(ISG_ERROR_LIMIT_EXCEEDED, isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER),
                    "workgroup");
    CONFORM_REFUSED(ISG_ERROR_LIMIT_EXCEEDED, isg_recording_status(recording), "workgroup");
    CONFORM_OK(isg_buffer_upload(indirect, 0, good, sizeof good)); /* the same recording, well */
    CONFORM_OK(isg_queue_fill(conform_queue(), sums, 0, 16, 0, NULL));
    submit(conform_queue(), recording);
    CONFORM_OK(isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER));
    CONFORM_OK(isg_recording_status(recording));
    CONFORM_OK(isg_buffer_download(sums, 0, got, sizeof got));
    ck_assert_uint_eq(got[0], 2);
    isg_recording_release(recording);
    isg_buffer_release(sums);
    isg_buffer_release(indirect);
    isg_kernel_release(kernel);
}
END_TEST

/* ---- GPU times ---- */

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

START_TEST(gpu_times_of_each_dispatch)
{
    enum { N = 64 * 512, DISPATCHES = 3 };
    static const uint32_t iterations[DISPATCHES] = {2000, 1, 2000};
    isg_kernel *kernel = conform_kernel("busy");
    isg_buffer *buffer = conform_buffer(N * 4, ISG_MEMORY_DEVICE);
    isg_recording *recording = NULL;
    isg_status status =
        isg_recording_create(conform_device(), &(isg_recording_desc){.timed = true}, &recording);
    uint64_t times[DISPATCHES + 1];
    uint32_t count = 0;
    double start = 0, wall = 0;

    if (status == ISG_ERROR_UNSUPPORTED) {
        conform_skip("%s", isg_last_error());
    }
    CONFORM_OK(status);
    for (int i = 0; i < DISPATCHES; i++) {
        CONFORM_OK(isg_record_dispatch(recording,
                                       &(isg_dispatch){.kernel = kernel,
                                                       .grid = {N / 64},
                                                       .bindings = &(isg_binding){.buffer = buffer},
                                                       .binding_count = 1,
                                                       .push = &iterations[i],
                                                       .push_size = 4}));
    }
    CONFORM_OK(isg_recording_end(recording));
    CONFORM_REFUSED(ISG_ERROR_INVALID_STATE, isg_recording_times(recording, times, 1, &count),
                    "finished");
    for (int round = 0; round < 3; round++) {
        memset(times, 0xff, sizeof times);
        start = seconds_now();
        submit(conform_queue(), recording);
        CONFORM_OK(isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER));
        wall = seconds_now() - start;
        CONFORM_OK(isg_recording_times(recording, NULL, 0, &count));
        ck_assert_uint_eq(count, DISPATCHES);
        CONFORM_OK(isg_recording_times(recording, times, DISPATCHES, &count));
        ck_assert_uint_eq(times[DISPATCHES], UINT64_MAX);
        CONFORM_TRUE((double)(times[0] + times[1] + times[2]) * 1e-9 <= wall * 1.05 + 1e-4,
                     "dispatches of %" PRIu64 ", %" PRIu64 " and %" PRIu64
                     " ns within %.0f ns of wall time",
                     times[0], times[1], times[2], wall * 1e9);
        CONFORM_TRUE(times[0] > 0 && times[2] > 0, "a busy dispatch took no time");
        CONFORM_TRUE(times[1] < times[0], "1 iteration took %" PRIu64 " ns, 2000 took %" PRIu64,
                     times[1], times[0]);
    }
    isg_recording_release(recording);
    isg_buffer_release(buffer);
    isg_kernel_release(kernel);
}
END_TEST

/* ---- the steady state ---- */

/* One dispatch, one phased dispatch, a copy, a fill, a recording submitted again; waited for. */
typedef struct steady {
    isg_device *device;
    isg_kernel *plain, *phased;
    isg_buffer *words, *four[4];
    isg_binding plain_binding, phased_bindings[4];
    isg_recording *recording;
} steady;

static void steady_create(steady *self, isg_device *device)
{
    static const uint32_t zeros[4096 / 4];

    *self = (steady){.device = device};
    self->plain = conform_kernel_on(device, "count_groups");
    self->phased = conform_kernel_on(device, "reference_light");
    self->words = conform_buffer_on(device, zeros, 4096);
    self->plain_binding = (isg_binding){.buffer = self->words};
    for (uint32_t i = 0; i < 4; i++) {
        self->four[i] = conform_buffer_on(device, zeros, 4096);
        self->phased_bindings[i] = (isg_binding){.binding = i, .buffer = self->four[i]};
    }
    CONFORM_OK(isg_recording_create(device, NULL, &self->recording));
    CONFORM_OK(
        isg_record_dispatch(self->recording, &(isg_dispatch){.kernel = self->phased,
                                                             .grid = {16},
                                                             .bindings = self->phased_bindings,
                                                             .binding_count = 4}));
    CONFORM_OK(isg_recording_end(self->recording));
}

static void steady_release(steady *self)
{
    isg_recording_release(self->recording);
    isg_kernel_release(self->plain);
    isg_kernel_release(self->phased);
    isg_buffer_release(self->words);
    for (int i = 0; i < 4; i++) {
        isg_buffer_release(self->four[i]);
    }
}

static void steady_run(const steady *self, uint32_t times)
{
    isg_queue *queue = isg_device_queue(self->device);

    for (uint32_t t = 0; t < times; t++) {
        CONFORM_OK(isg_queue_dispatch(queue,
                                      &(isg_dispatch){.kernel = self->plain,
                                                      .grid = {t % 7 + 1},
                                                      .bindings = &self->plain_binding,
                                                      .binding_count = 1},
                                      1, NULL));
        CONFORM_OK(isg_queue_dispatch(queue,
                                      &(isg_dispatch){.kernel = self->phased,
                                                      .grid = {t % 5 + 1},
                                                      .bindings = self->phased_bindings,
                                                      .binding_count = 4},
                                      1, NULL));
        CONFORM_OK(isg_queue_copy(queue, self->four[2], 0, self->words, 64, 64, NULL));
        CONFORM_OK(isg_queue_fill(queue, self->four[2], 64, 64, 3, NULL));
        submit(queue, self->recording);
        if (t % 4 == 3) { /* several in flight, then a wait */
            CONFORM_OK(isg_queue_wait(queue, 0, ISG_WAIT_FOREVER));
        }
    }
    CONFORM_OK(isg_queue_wait(queue, 0, ISG_WAIT_FOREVER));
}

START_TEST(nothing_is_allocated_in_the_steady_state)
{
    static conform_allocations counts;
    isg_instance *instance = NULL;
    isg_device *device = NULL;
    steady work;
    int quiet = 0;
    uint64_t before = 0, after = 0;

    CONFORM_OK(isg_instance_create(
        &(isg_instance_desc){.allocator = conform_counting_allocator(&counts)}, &instance));
    CONFORM_OK(isg_device_open(instance, conform_selector(), NULL, &device));
    steady_create(&work, device);
    /* How many submissions are in flight at once depends on the device's pace, so the pools take
     * their time to get as large as they need to be; then nothing may be allocated any more. */
    for (int round = 0; round < 40 && quiet < 4; round++) {
        before = atomic_load(&counts.calls);
        steady_run(&work, 100);
        after = atomic_load(&counts.calls);
        quiet = after == before ? quiet + 1 : 0;
    }
    CONFORM_TRUE(before > 10, "only %" PRIu64 " allocations went through the callbacks", before);
    CONFORM_TRUE(quiet == 4,
                 "no 2000 submissions in a row without an allocation among 20000; %" PRIu64
                 " allocations in the last 500",
                 after - before);
    steady_release(&work);
    isg_device_release(device);
    isg_instance_release(instance);
    CONFORM_TRUE(counts.live == 0 && counts.bytes == 0 && counts.wrong_sizes == 0,
                 "at the end %" PRId64 " allocations of %" PRId64 " bytes are left, %" PRIu64
                 " were released with a wrong size",
                 counts.live, counts.bytes, counts.wrong_sizes);
}
END_TEST

static void check_flat(uint32_t times)
{
    steady work;
    uint64_t before = 0, after = 0;
    unsigned descriptors = 0, threads = 0;

    steady_create(&work, conform_device());
    for (int warm = 0; warm < 5; warm++) { /* pools grow to what the device's pace asks for */
        steady_run(&work, 400);
    }
    before = conform_resident_size();
    descriptors = conform_fd_count();
    threads = conform_thread_count();
    for (uint32_t done = 0; done < times; done += 400) {
        steady_run(&work, 400);
        conform_progress();
    }
    after = conform_resident_size();
    /* 1 MiB for the C library's own arenas: a leak of 32 bytes a submission would show. */
    CONFORM_TRUE(conform_keeps_freed_memory() || after < before + (1 << 20),
                 "resident memory grew from %" PRIu64 " to %" PRIu64 " bytes in %u submissions",
                 before, after, times * 5);
    ck_assert_uint_eq(conform_fd_count(), descriptors);
    ck_assert_uint_eq(conform_thread_count(), threads);
    steady_release(&work);
}

START_TEST(report_66_flat_memory_over_ten_thousand_submissions)
{
    check_flat(8000); /* 5 submissions each */
}
END_TEST

START_TEST(report_66_flat_memory_over_half_a_million_submissions)
{
    check_flat(100000);
}
END_TEST

void conform_recording_list(conform_list *list)
{
    CONFORM_ADD(list, report_39_resubmit_a_thousand_times);
    CONFORM_ADD(list, one_recording_on_two_queues);
    CONFORM_ADD(list, everything_released_straight_after_submit);
    CONFORM_ADD(list, states_of_a_recording);
    CONFORM_ADD(list, empty_recordings_and_lists);
    CONFORM_ADD(list, an_execution_error_is_the_recordings_status);
    CONFORM_ADD(list, gpu_times_of_each_dispatch);
    CONFORM_ADD(list, nothing_is_allocated_in_the_steady_state);
    CONFORM_ADD(list, report_66_flat_memory_over_ten_thousand_submissions);
    CONFORM_ADD_FULL(list, report_66_flat_memory_over_half_a_million_submissions, 600);
}
