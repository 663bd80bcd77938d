/* Owns the suite `guards`: kernels made with ISG_KERNEL_BOUNDED and ISG_KERNEL_CHECKED. */
#include "conform.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static isg_kernel *guarded_kernel(const char *stem, uint32_t flags)
{
    isg_kernel_desc desc = {.flags = flags, .label = stem};
    isg_kernel *kernel = NULL;

    desc.spirv = conform_spirv(stem, &desc.size);
    CONFORM_OK(isg_kernel_create(conform_device(), &desc, &kernel));
    return kernel;
}

/* ---- bounded ---- */

START_TEST(an_endless_loop_ends_in_an_error)
{
    const uint32_t zeros[2] = {0};
    isg_kernel *kernel = guarded_kernel("endless", ISG_KERNEL_BOUNDED);
    isg_buffer *buffer = conform_buffer_of(zeros, sizeof zeros);
    isg_recording *recording = NULL;
    isg_dispatch dispatch = {.kernel = kernel,
                             .grid = {2},
                             .bindings = &(isg_binding){.buffer = buffer},
                             .binding_count = 1,
                             .label = "round and round"};

    CONFORM_OK(isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL));
    CONFORM_REFUSED(ISG_ERROR_LOOP_LIMIT, isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER),
                    "round and round", "loop");
    CONFORM_OK(isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER)); /* reported once */
    conform_check_usable(conform_device());

    CONFORM_OK(isg_recording_create(conform_device(), NULL, &recording));
    CONFORM_OK(isg_record_dispatch(recording, &dispatch));
    CONFORM_OK(isg_recording_end(recording));
    CONFORM_OK(isg_queue_submit(
        conform_queue(),
        &(isg_submit_desc){.recordings = (isg_recording *const[]){recording}, .recording_count = 1},
        NULL));
    CONFORM_REFUSED(ISG_ERROR_LOOP_LIMIT, isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER),
                    "round and round");
    CONFORM_REFUSED(ISG_ERROR_LOOP_LIMIT, isg_recording_status(recording), "round and round");
    isg_recording_release(recording);
    isg_buffer_release(buffer);
    isg_kernel_release(kernel);
}
END_TEST

/* A bounded loop is exact, or says that it was not: on drivers that end loops by themselves too. */
START_TEST(report_11_long_loops_are_exact_or_reported)
{
    static const uint32_t pushes[][5] = {{60000, 200, 250, 20000, 25000},
                                         {100000, 300, 300, 40000, 40000}};
    uint64_t limit = conform_info()->limits.loop_limit;
    isg_kernel *kernel = guarded_kernel("loops", ISG_KERNEL_BOUNDED);

    for (size_t i = 0; i < CONFORM_COUNT(pushes); i++) {
        const uint32_t *p = pushes[i];
        const uint32_t want[3] = {p[0], p[1] * p[2], p[3] + p[4]};
        uint32_t got[3] = {0};
        isg_buffer *buffer = conform_buffer_of(got, sizeof got);
        isg_status status = ISG_OK;
        CONFORM_OK(isg_queue_dispatch(conform_queue(),
                                      &(isg_dispatch){.kernel = kernel,
                                                      .grid = {3},
                                                      .bindings = &(isg_binding){.buffer = buffer},
                                                      .binding_count = 1,
                                                      .push = p,
                                                      .push_size = sizeof pushes[i]},
                                      1, NULL));
        status = isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER);
        if (limit > 0 && want[0] > limit) {
            CONFORM_STATUS(ISG_ERROR_LOOP_LIMIT, status);
        } else {
            CONFORM_OK(status);
            CONFORM_OK(isg_buffer_download(buffer, 0, got, sizeof got));
            conform_check_words(got, want, 3, "iterations of bounded loops");
        }
        isg_buffer_release(buffer);
    }
    isg_kernel_release(kernel);
}
END_TEST

/* ---- the same results, with and without guards ---- */

static void run_light(uint32_t flags, uint32_t *words, uint32_t groups)
{
    isg_kernel *kernel = guarded_kernel("reference_light", flags);
    isg_buffer *buffers[4];
    isg_binding bindings[4];
    uint32_t size = groups * 32 * 4;

    for (uint32_t i = 0; i < 4; i++) {
        buffers[i] = conform_buffer(i == 3 ? 16 : size, ISG_MEMORY_DEVICE);
        CONFORM_OK(isg_queue_fill(conform_queue(), buffers[i], 0, isg_buffer_size(buffers[i]),
                                  i == 3 ? 0 : (uint8_t)(i + 3), NULL));
        bindings[i] = (isg_binding){.binding = i, .buffer = buffers[i]};
    }
    conform_run(&(isg_dispatch){
        .kernel = kernel, .grid = {groups}, .bindings = bindings, .binding_count = 4});
    CONFORM_OK(isg_buffer_download(buffers[2], 0, words, size));
    for (uint32_t i = 0; i < 4; i++) {
        isg_buffer_release(buffers[i]);
    }
    isg_kernel_release(kernel);
}

START_TEST(guards_change_no_result)
{
    static const uint32_t all[] = {ISG_KERNEL_BOUNDED, ISG_KERNEL_CHECKED,
                                   ISG_KERNEL_BOUNDED | ISG_KERNEL_CHECKED};
    static const uint32_t grids[] = {3, 700};
    uint32_t *plain = conform_alloc(700 * 32, 4), *got = conform_alloc(700 * 32, 4);

    for (size_t g = 0; g < CONFORM_COUNT(grids); g++) {
        run_light(0, plain, grids[g]);
        for (size_t i = 0; i < CONFORM_COUNT(all); i++) {
            run_light(all[i], got, grids[g]);
            conform_check_words(got, plain, (size_t)grids[g] * 32, "a phased kernel with guards");
        }
        conform_digest(got, plain, (size_t)grids[g] * 32 * 4);
    }
    conform_free(plain);
    conform_free(got);
}
END_TEST

START_TEST(guards_and_a_grid_above_the_limit)
{
    enum { GROUPS = 65536 };
    uint32_t *plain = conform_alloc(GROUPS * 32, 4), *got = conform_alloc(GROUPS * 32, 4);

    run_light(0, plain, GROUPS);
    run_light(ISG_KERNEL_BOUNDED | ISG_KERNEL_CHECKED, got, GROUPS);
    conform_check_words(got, plain, GROUPS * 32, "a looped kernel with guards");
    conform_free(plain);
    conform_free(got);
}
END_TEST

/* ---- checked ---- */

enum { WORDS = 64, TAIL = 64 };

/* Runs wild_index on 64 of 128 words; the others are guard words. */
static isg_status run_wild(const uint32_t push[3], uint32_t words[WORDS + TAIL], uint32_t *sum)
{
    isg_kernel *kernel = guarded_kernel("wild_index", ISG_KERNEL_CHECKED);
    isg_buffer *buffer = NULL, *out = conform_buffer(4, ISG_MEMORY_DEVICE);
    isg_status status = ISG_OK;

    memset(words, 0x77, (WORDS + TAIL) * sizeof *words);
    buffer = conform_buffer_of(words, (WORDS + TAIL) * sizeof *words);
    CONFORM_OK(isg_queue_fill(conform_queue(), out, 0, 4, 0, NULL));
    CONFORM_OK(isg_queue_dispatch(
        conform_queue(),
        &(isg_dispatch){
            .kernel = kernel,
            .grid = {1},
            .bindings =
                (isg_binding[]){{.binding = 0, .buffer = buffer, .size = WORDS * sizeof *words},
                                {.binding = 1, .buffer = out}},
            .binding_count = 2,
            .push = push,
            .push_size = 12,
            .label = "wild"},
        1, NULL));
    conform_stale_error();
    status = isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER);
    if (status == ISG_OK) {
        CONFORM_OK(isg_buffer_download(out, 0, sum, 4));
    }
    CONFORM_OK(isg_buffer_download(buffer, 0, words, (WORDS + TAIL) * sizeof *words));
    isg_buffer_release(buffer);
    isg_buffer_release(out);
    isg_kernel_release(kernel);
    return status;
}

START_TEST(indices_inside_are_not_touched)
{
    uint32_t words[WORDS + TAIL], sum = 0;

    CONFORM_OK(run_wild((uint32_t[]){0, 0, 2}, words, &sum));
    ck_assert_uint_eq(sum, 30);
    for (uint32_t i = 0; i < WORDS; i++) {
        ck_assert_uint_eq(words[i], i + 1);
    }
    conform_check_filled(words + WORDS, 0x77, TAIL * 4, "words after the binding");
}
END_TEST

START_TEST(bad_indices_are_skipped_and_reported)
{
    static const struct {
        uint32_t push[3];
        const char *what;
    } rows[] = {{{32, 0, 0}, "writes past the end"},
                {{UINT32_MAX - 30, 0, 0}, "writes that wrap"},
                {{0, 64, 0}, "a read past the end"},
                {{0, UINT32_MAX, 0}, "a read far out"},
                {{0, 0, 4}, "an array of the kernel's own"}};

    for (size_t i = 0; i < CONFORM_COUNT(rows); i++) {
        uint32_t words[WORDS + TAIL], sum = 0;
        isg_status status = run_wild(rows[i].push, words, &sum);
        CONFORM_TRUE(status == ISG_ERROR_OUT_OF_BOUNDS, "%s: %s: %s", rows[i].what,
                     isg_status_name(status), isg_last_error());
        CONFORM_TRUE(strstr(isg_last_error(), "wild") && strstr(isg_last_error(), "index"),
                     "%s: the message does not name the dispatch and the index: %s", rows[i].what,
                     isg_last_error());
        CONFORM_TRUE(rows[i].push[2] || strstr(isg_last_error(), "binding 0"),
                     "%s: the message does not name the binding: %s", rows[i].what,
                     isg_last_error());
        conform_check_filled(words + WORDS, 0x77, TAIL * 4, rows[i].what);
        if (rows[i].push[0] == 32) { /* those inside were written */
            conform_check_filled(words, 0x77, 32 * 4, "words before");
            for (uint32_t k = 32; k < WORDS; k++) {
                ck_assert_uint_eq(words[k], k - 31);
            }
        }
        conform_check_usable(conform_device());
    }
}
END_TEST

void conform_guards_list(conform_list *list)
{
    CONFORM_ADD(list, an_endless_loop_ends_in_an_error);
    CONFORM_ADD(list, report_11_long_loops_are_exact_or_reported);
    CONFORM_ADD(list, guards_change_no_result);
    CONFORM_ADD(list, guards_and_a_grid_above_the_limit);
    CONFORM_ADD(list, indices_inside_are_not_touched);
    CONFORM_ADD(list, bad_indices_are_skipped_and_reported);
}
