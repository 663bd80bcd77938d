/* Owns the suite `validation`: the cases of the other suites once more, with the Khronos validation
 * layer on, and the proof that the layer would have said something. */
#include "conform.h"

#include "../../src/core/test_hooks.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* Two dispatches, the second of which reads what the first wrote. */
static void run_dependent_pair(void)
{
    static const uint32_t zeros[64];
    const uint32_t push[2] = {3, 64};
    isg_kernel *kernel = conform_kernel("affine");
    isg_buffer *a = conform_buffer_of(zeros, sizeof zeros);
    isg_buffer *b = conform_buffer_of(zeros, sizeof zeros);
    isg_recording *recording = NULL;

    CONFORM_OK(isg_recording_create(conform_device(), NULL, &recording));
    for (int i = 0; i < 2; i++) {
        CONFORM_OK(isg_record_dispatch(
            recording,
            &(isg_dispatch){.kernel = kernel,
                            .grid = {1},
                            .bindings = (isg_binding[]){{.binding = 0, .buffer = i ? b : a},
                                                        {.binding = 1, .buffer = i ? a : b}},
                            .binding_count = 2,
                            .push = push,
                            .push_size = sizeof push}));
    }
    CONFORM_OK(isg_recording_end(recording));
    CONFORM_OK(isg_queue_submit(
        conform_queue(),
        &(isg_submit_desc){.recordings = (isg_recording *const[]){recording}, .recording_count = 1},
        NULL));
    CONFORM_OK(isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER));
    isg_recording_release(recording);
    isg_buffer_release(a);
    isg_buffer_release(b);
    isg_kernel_release(kernel);
}

START_TEST(red_arm_a_missing_barrier_is_reported)
{
    unsigned before = 0;

    run_dependent_pair();
    CONFORM_TRUE(conform_message_count() == 0, "a message although nothing is wrong: %s",
                 conform_first_message());
    before = conform_message_count();
    atomic_store(&isg_test_hooks_active.omit_barriers, 1000);
    run_dependent_pair();
    CONFORM_TRUE(atomic_exchange(&isg_test_hooks_active.omit_barriers, 0) < 1000,
                 "the backend asked for no barrier at all");
    CONFORM_TRUE(conform_message_count() > before,
                 "no message although the barrier between two dispatches was left out");
    CONFORM_TRUE(strcasestr(conform_first_message(), "hazard"),
                 "the message is about something "
                 "else: %s",
                 conform_first_message());
}
END_TEST

/* What is left out here, and why. */
static const struct omitted {
    const char *glob, *reason;
} omitted[] = {
    {"selector.*", "processes of their own"},
    {"lifetime.report_6*", "processes, resident memory and allocators, not commands"},
    {"recording.report_66*", "resident memory: the layer keeps its own"},
    {"recording.report_39*", "1000 times the same"},
    {"recording.nothing_is_allocated*", "the same commands as elsewhere"},
    {"plan.environment*", "processes of their own"},
    {"never_hang.*", "timing"},
    {"queue.chain_of_a_thousand*", "the layer takes minutes"},
    {"queue.waits_end_in_time", "timing"},
    {"recording.gpu_times*", "timing"},
    {"exactness.report_11*", "long loops"},
    {"bad_input.every_prefix*", "no command"},
    {"bad_input.words_flipped*", "no command"},
    {"buffer.churn*", "the layer takes minutes"},
    {"*.device_is_the_one_asked_for", "this suite has its own"},
};

static bool is_omitted(const conform_case *item)
{
    for (size_t i = 0; i < CONFORM_COUNT(omitted); i++) {
        if (fnmatch(omitted[i].glob, item->name, 0) == 0) {
            return true;
        }
    }
    return item->seconds > 0 || item->flags & CONFORM_FULL;
}

void conform_validation_list(conform_list *list)
{
    conform_add_case(list, "red_arm_a_missing_barrier_is_reported",
                     red_arm_a_missing_barrier_is_reported, 0, CONFORM_ANY_MESSAGE, 0);
    for (const conform_suite *suite = conform_suites; suite->name; suite++) {
        conform_list others = {.suite = suite};
        if (suite->wants_validation || suite->hidden) {
            continue;
        }
        suite->list(&others);
        for (size_t i = 0; i < others.count; i++) {
            const conform_case *item = &others.cases[i];
            if (!is_omitted(item)) {
                conform_add_case(list, item->name, item->test, item->index, item->flags, 120);
            }
        }
        free(others.cases);
    }
}
