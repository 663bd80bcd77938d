/* Owns the suite `queue`: order, dependencies, events, waits, and many threads at once. */
#include "conform.h"

#include <inttypes.h>
#include <string.h>

/* ---- one queue ---- */

/* A chain in which each step reads and overwrites what the two before it wrote. */
START_TEST(chain_of_a_thousand_submissions)
{
    enum { COUNT = 256, STEPS = 1000, BUFFERS = 3 };
    static uint32_t model[BUFFERS][COUNT];
    uint32_t got[COUNT];
    isg_kernel *kernel = conform_kernel("accumulate");
    isg_buffer *buffers[BUFFERS];

    for (uint32_t b = 0; b < BUFFERS; b++) {
        conform_random_words(model[b], COUNT, b);
        buffers[b] = conform_buffer_of(model[b], sizeof model[b]);
    }
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t x = step % BUFFERS, y = (step + 1 + step % 2) % BUFFERS;
        if (step % 5 == 4) { /* copies and fills between dispatches */
            memcpy(model[y], model[x] + 16, 64 * 4);
            CONFORM_OK(isg_queue_copy(conform_queue(), buffers[y], 0, buffers[x], 64, 256, NULL));
            memset(&model[x][100], (int)(step & 0xff), 40);
            CONFORM_OK(isg_queue_fill(conform_queue(), buffers[x], 400, 40, (uint8_t)step, NULL));
            continue;
        }
        for (uint32_t i = 0; i < COUNT; i++) {
            model[y][i] = conform_mix32(model[y][i] + step) + model[x][i];
        }
        CONFORM_OK(isg_queue_dispatch(
            conform_queue(),
            &(isg_dispatch){.kernel = kernel,
                            .grid = {COUNT / 64},
                            .bindings = (isg_binding[]){{.binding = 0, .buffer = buffers[x]},
                                                        {.binding = 1, .buffer = buffers[y]}},
                            .binding_count = 2,
                            .push = &step,
                            .push_size = 4},
            1, NULL));
    }
    for (uint32_t b = 0; b < BUFFERS; b++) {
        CONFORM_OK(isg_buffer_download(buffers[b], 0, got, sizeof got));
        conform_check_words(got, model[b], COUNT, "after 1000 steps");
        conform_digest(got, model[b], sizeof got);
        isg_buffer_release(buffers[b]);
    }
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(values_grow_and_are_reached_in_order)
{
    isg_event *event = isg_queue_event(conform_queue());
    isg_buffer *buffer = conform_buffer(4096, ISG_MEMORY_DEVICE);
    uint64_t values[64], now = 0;

    for (int i = 0; i < 64; i++) {
        CONFORM_OK(isg_queue_fill(conform_queue(), buffer, 0, 4096, (uint8_t)i, &values[i]));
        CONFORM_TRUE(i == 0 || values[i] > values[i - 1],
                     "submission %d got value %" PRIu64 " after %" PRIu64, i, values[i],
                     values[i - 1]);
    }
    for (int i = 0; i < 64; i += 21) {
        CONFORM_OK(isg_queue_wait(conform_queue(), values[i], ISG_WAIT_FOREVER));
        CONFORM_OK(isg_event_value(event, &now));
        ck_assert_uint_ge(now, values[i]);
    }
    CONFORM_OK(isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER));
    CONFORM_OK(isg_event_value(event, &now));
    ck_assert_uint_eq(now, values[63]);
    CONFORM_OK(isg_event_wait(event, values[63], 0));
    CONFORM_OK(isg_queue_wait(conform_queue(), values[5], 0)); /* long reached */
    isg_buffer_release(buffer);
}
END_TEST

START_TEST(values_never_submitted_are_refused)
{
    isg_queue *queue = NULL;
    isg_event *event = NULL;
    uint64_t value = 0;

    CONFORM_OK(isg_queue_create(conform_device(), "second", &queue));
    CONFORM_OK(isg_event_create(conform_device(), &event));
    CONFORM_OK(isg_queue_wait(queue, 0, 0)); /* nothing was submitted: nothing to wait for */
    CONFORM_REFUSED(ISG_ERROR_INVALID_STATE, isg_queue_wait(queue, 1, 0), "1");
    CONFORM_REFUSED(ISG_ERROR_INVALID_STATE, isg_event_wait(event, 7, CONFORM_SECOND), "7");
    CONFORM_OK(isg_event_wait(event, 0, 0));
    CONFORM_REFUSED(ISG_ERROR_INVALID_STATE,
                    isg_queue_submit(queue,
                                     &(isg_submit_desc){.waits = &(isg_event_value_pair){event, 1},
                                                        .wait_count = 1},
                                     NULL),
                    "1");
    CONFORM_OK(isg_queue_submit(
        queue, &(isg_submit_desc){.signals = &(isg_event_value_pair){event, 5}, .signal_count = 1},
        &value));
    CONFORM_OK(isg_event_wait(event, 5, ISG_WAIT_FOREVER));
    CONFORM_REFUSED(ISG_ERROR_INVALID_STATE, isg_event_wait(event, 6, 0), "6", "5");
    CONFORM_REFUSED(ISG_ERROR_INVALID_STATE, isg_queue_wait(queue, value + 1, 0), "value");
    CONFORM_REFUSED(ISG_ERROR_INVALID_STATE,
                    isg_queue_submit(queue,
                                     &(isg_submit_desc){.waits = &(isg_event_value_pair){event, 6},
                                                        .wait_count = 1},
                                     NULL),
                    "6");
    isg_event_release(event);
    isg_queue_release(queue);
}
END_TEST

START_TEST(report_22_signals_must_grow)
{
    static const uint64_t bad[] = {5, 4, 0};
    isg_event *event = NULL;
    uint64_t value = 0;

    CONFORM_OK(isg_event_create(conform_device(), &event));
    CONFORM_OK(isg_event_value(event, &value));
    ck_assert_uint_eq(value, 0);
    CONFORM_OK(isg_queue_submit(
        conform_queue(),
        &(isg_submit_desc){.signals = &(isg_event_value_pair){event, 5}, .signal_count = 1}, NULL));
    for (size_t i = 0; i < CONFORM_COUNT(bad); i++) {
        CONFORM_REFUSED(
            ISG_ERROR_INVALID_ARGUMENT,
            isg_queue_submit(conform_queue(),
                             &(isg_submit_desc){.signals = &(isg_event_value_pair){event, bad[i]},
                                                .signal_count = 1},
                             NULL),
            "5");
    }
    CONFORM_REFUSED(
        ISG_ERROR_INVALID_ARGUMENT,
        isg_queue_submit(
            conform_queue(),
            &(isg_submit_desc){.signals = (isg_event_value_pair[]){{event, 8}, {event, 8}},
                               .signal_count = 2},
            NULL),
        "event");
    CONFORM_OK(isg_event_wait(event, 5, ISG_WAIT_FOREVER));
    CONFORM_OK(isg_event_value(event, &value));
    ck_assert_uint_eq(value, 5);
    CONFORM_OK(isg_queue_submit(
        conform_queue(),
        &(isg_submit_desc){.signals = &(isg_event_value_pair){event, UINT64_C(1) << 40},
                           .signal_count = 1},
        NULL));
    CONFORM_OK(isg_event_wait(event, 1000000, ISG_WAIT_FOREVER));
    CONFORM_OK(isg_event_value(event, &value));
    ck_assert_uint_eq(value, UINT64_C(1) << 40);
    isg_event_release(event);
}
END_TEST

START_TEST(a_queues_own_event_cannot_be_signalled)
{
    isg_queue *queue = NULL;

    CONFORM_OK(isg_queue_create(conform_device(), NULL, &queue));
    for (int own = 0; own < 2; own++) {
        isg_event *event = isg_queue_event(own ? queue : conform_queue());
        CONFORM_REFUSED(
            ISG_ERROR_INVALID_ARGUMENT,
            isg_queue_submit(queue,
                             &(isg_submit_desc){.signals = &(isg_event_value_pair){event, 1000000},
                                                .signal_count = 1},
                             NULL),
            "event");
    }
    isg_queue_release(queue);
}
END_TEST

/* A dispatch that takes a while: 0 polls, and a wait that is too short ends as TIMEOUT. */
START_TEST(waits_end_in_time)
{
    enum { COUNT = 64 * 4096 };
    isg_kernel *kernel = conform_kernel("busy");
    isg_buffer *buffer = conform_buffer(COUNT * 4, ISG_MEMORY_DEVICE);
    uint32_t iterations = 100;
    bool seen = false;

    CONFORM_OK(isg_queue_fill(conform_queue(), buffer, 0, COUNT * 4, 1, NULL));
    CONFORM_OK(isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER));
    for (; !seen && iterations < 60000; iterations *= 3) {
        uint64_t value = 0;
        isg_status poll = ISG_OK, brief = ISG_OK;
        CONFORM_OK(isg_queue_dispatch(conform_queue(),
                                      &(isg_dispatch){.kernel = kernel,
                                                      .grid = {COUNT / 64},
                                                      .bindings = &(isg_binding){.buffer = buffer},
                                                      .binding_count = 1,
                                                      .push = &iterations,
                                                      .push_size = 4},
                                      1, &value));
        poll = isg_queue_wait(conform_queue(), value, 0);
        brief = isg_event_wait(isg_queue_event(conform_queue()), value, 1000);
        CONFORM_TRUE(poll == ISG_OK || poll == ISG_TIMEOUT, "a poll returned %s",
                     isg_status_name(poll));
        CONFORM_TRUE(brief == ISG_OK || brief == ISG_TIMEOUT, "a wait of 1 us returned %s",
                     isg_status_name(brief));
        CONFORM_TRUE(poll == ISG_TIMEOUT || brief == ISG_OK, "reached, and then not");
        seen = poll == ISG_TIMEOUT && brief == ISG_TIMEOUT;
        CONFORM_OK(isg_queue_wait(conform_queue(), value, ISG_WAIT_FOREVER));
        CONFORM_OK(isg_queue_wait(conform_queue(), value, 0));
    }
    CONFORM_TRUE(seen, "no wait ever ended as TIMEOUT, up to %u iterations", iterations);
    isg_buffer_release(buffer);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(empty_submissions_only_signal)
{
    isg_event *event = NULL;
    uint64_t first = 0, second = 0;

    CONFORM_OK(isg_event_create(conform_device(), &event));
    CONFORM_OK(isg_queue_submit(conform_queue(), &(isg_submit_desc){0}, &first));
    CONFORM_OK(isg_queue_submit(
        conform_queue(),
        &(isg_submit_desc){.signals = &(isg_event_value_pair){event, 3}, .signal_count = 1},
        &second));
    ck_assert_uint_gt(second, first);
    CONFORM_OK(isg_queue_submit(
        conform_queue(),
        &(isg_submit_desc){.waits = &(isg_event_value_pair){event, 3}, .wait_count = 1}, NULL));
    CONFORM_OK(isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER));
    CONFORM_OK(isg_event_wait(event, 3, 0));
    isg_event_release(event);
}
END_TEST

START_TEST(many_submissions_in_flight)
{
    enum { COUNT = 64 * 16, TIMES = 300 };
    static uint32_t x[COUNT], y[COUNT], got[COUNT];
    isg_kernel *kernel = conform_kernel("accumulate");
    isg_buffer *from = NULL, *to = NULL;
    uint64_t values[TIMES];

    conform_random_words(x, COUNT, 1);
    conform_random_words(y, COUNT, 2);
    from = conform_buffer_of(x, sizeof x);
    to = conform_buffer_of(y, sizeof y);
    for (uint32_t t = 0; t < TIMES; t++) {
        CONFORM_OK(isg_queue_dispatch(
            conform_queue(),
            &(isg_dispatch){.kernel = kernel,
                            .grid = {COUNT / 64},
                            .bindings = (isg_binding[]){{.binding = 0, .buffer = from},
                                                        {.binding = 1, .buffer = to}},
                            .binding_count = 2,
                            .push = &t,
                            .push_size = 4},
            1, &values[t]));
        for (uint32_t i = 0; i < COUNT; i++) {
            y[i] = conform_mix32(y[i] + t) + x[i];
        }
    }
    CONFORM_OK(isg_queue_wait(conform_queue(), values[TIMES / 2], ISG_WAIT_FOREVER));
    CONFORM_OK(isg_queue_wait(conform_queue(), values[TIMES - 1], ISG_WAIT_FOREVER));
    CONFORM_OK(isg_buffer_download(to, 0, got, sizeof got));
    conform_check_words(got, y, COUNT, "after 300 submissions without a wait");
    conform_digest(got, y, sizeof got);
    isg_buffer_release(from);
    isg_buffer_release(to);
    isg_kernel_release(kernel);
}
END_TEST

/* ---- several queues ---- */

START_TEST(two_queues_take_turns_by_events)
{
    enum { COUNT = 1024, TURNS = 200 };
    static uint32_t x[COUNT], y[COUNT], got[COUNT];
    isg_kernel *kernel = conform_kernel("accumulate");
    isg_queue *queues[2] = {NULL, NULL};
    isg_event *event = NULL;
    isg_recording *recordings[2];
    isg_buffer *buffers[2];
    const uint32_t seeds[2] = {17, 23};

    conform_random_words(x, COUNT, 1);
    conform_random_words(y, COUNT, 2);
    buffers[0] = conform_buffer_of(x, sizeof x);
    buffers[1] = conform_buffer_of(y, sizeof y);
    CONFORM_OK(isg_event_create(conform_device(), &event));
    for (int q = 0; q < 2; q++) {
        CONFORM_OK(isg_queue_create(conform_device(), q ? "second" : "first", &queues[q]));
        CONFORM_OK(isg_recording_create(conform_device(), NULL, &recordings[q]));
        CONFORM_OK(isg_record_dispatch(
            recordings[q],
            &(isg_dispatch){.kernel = kernel,
                            .grid = {COUNT / 64},
                            .bindings = (isg_binding[]){{.binding = 0, .buffer = buffers[q]},
                                                        {.binding = 1, .buffer = buffers[1 - q]}},
                            .binding_count = 2,
                            .push = &seeds[q],
                            .push_size = 4}));
        CONFORM_OK(isg_recording_end(recordings[q]));
    }
    for (uint64_t turn = 0; turn < TURNS; turn++) {
        uint32_t *from = turn % 2 ? y : x, *to = turn % 2 ? x : y;
        CONFORM_OK(isg_queue_submit(
            queues[turn % 2],
            &(isg_submit_desc){.recordings = (isg_recording *const[]){recordings[turn % 2]},
                               .recording_count = 1,
                               .waits = &(isg_event_value_pair){event, turn},
                               .wait_count = turn ? 1 : 0,
                               .signals = &(isg_event_value_pair){event, turn + 1},
                               .signal_count = 1},
            NULL));
        for (uint32_t i = 0; i < COUNT; i++) {
            to[i] = conform_mix32(to[i] + seeds[turn % 2]) + from[i];
        }
    }
    CONFORM_OK(isg_event_wait(event, TURNS, ISG_WAIT_FOREVER));
    CONFORM_OK(isg_buffer_download(buffers[0], 0, got, sizeof got));
    conform_check_words(got, x, COUNT, "after 200 turns");
    CONFORM_OK(isg_buffer_download(buffers[1], 0, got, sizeof got));
    conform_check_words(got, y, COUNT, "after 200 turns, the other");
    conform_digest(got, y, sizeof got);
    for (int q = 0; q < 2; q++) {
        isg_recording_release(recordings[q]);
        isg_queue_release(queues[q]);
        isg_buffer_release(buffers[q]);
    }
    isg_event_release(event);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(a_queue_waits_for_another_queues_own_event)
{
    enum { SIZE = 1 << 20 };
    isg_queue *queue = NULL;
    isg_buffer *one = conform_buffer(SIZE, ISG_MEMORY_DEVICE);
    isg_buffer *two = conform_buffer(SIZE, ISG_MEMORY_DEVICE);
    isg_recording *copy = NULL;
    unsigned char *got = conform_alloc(1, SIZE);

    CONFORM_OK(isg_queue_create(conform_device(), "copies", &queue));
    CONFORM_OK(isg_recording_create(conform_device(), NULL, &copy));
    CONFORM_OK(isg_record_copy(copy, two, 0, one, 0, SIZE));
    CONFORM_OK(isg_recording_end(copy));
    for (int round = 1; round < 30; round++) {
        uint64_t filled = 0, copied = 0;
        CONFORM_OK(isg_queue_fill(conform_queue(), one, 0, SIZE, (uint8_t)round, &filled));
        CONFORM_OK(isg_queue_submit(
            queue,
            &(isg_submit_desc){
                .recordings = (isg_recording *const[]){copy},
                .recording_count = 1,
                .waits = &(isg_event_value_pair){isg_queue_event(conform_queue()), filled},
                .wait_count = 1},
            &copied));
        CONFORM_OK(
            isg_queue_submit(/* and back, before the next fill */
                             conform_queue(),
                             &(isg_submit_desc){
                                 .waits = &(isg_event_value_pair){isg_queue_event(queue), copied},
                                 .wait_count = 1},
                             NULL));
        CONFORM_OK(isg_buffer_download(two, 0, got, SIZE));
        conform_check_filled(got, (uint8_t)round, SIZE, "copied by the second queue");
    }
    isg_recording_release(copy);
    isg_queue_release(queue);
    isg_buffer_release(one);
    isg_buffer_release(two);
    conform_free(got);
}
END_TEST

void conform_queue_list(conform_list *list)
{
    CONFORM_ADD(list, chain_of_a_thousand_submissions);
    CONFORM_ADD(list, values_grow_and_are_reached_in_order);
    CONFORM_ADD(list, values_never_submitted_are_refused);
    CONFORM_ADD(list, report_22_signals_must_grow);
    CONFORM_ADD(list, a_queues_own_event_cannot_be_signalled);
    CONFORM_ADD(list, waits_end_in_time);
    CONFORM_ADD(list, empty_submissions_only_signal);
    CONFORM_ADD(list, many_submissions_in_flight);
    CONFORM_ADD(list, two_queues_take_turns_by_events);
    CONFORM_ADD(list, a_queue_waits_for_another_queues_own_event);
}
