/* Owns the suite `lifetime`: releases in any order, counts that return to zero, leaving in the middle
 * of things. */
#include "conform.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one of everything ---- */

enum { PIECES = 7 };

typedef struct family {
    isg_instance *instance;
    isg_device *device;
    isg_buffer *buffer;
    isg_kernel *kernel;
    isg_queue *queue;
    isg_event *event;
    isg_recording *recording;
} family;

/* Stops at the first call that fails; release what there is in either case. */
static isg_status family_create(family *self, const isg_instance_desc *desc, const char *selector)
{
    isg_kernel_desc kernel = {0};
    isg_binding binding = {0};
    isg_status status = ISG_OK;

    memset(self, 0, sizeof *self);
    kernel.spirv = conform_spirv("reference_light", &kernel.size);
    status = isg_instance_create(desc, &self->instance);
    if (status == ISG_OK) {
        status = isg_device_open(self->instance, selector, NULL, &self->device);
    }
    if (status == ISG_OK) {
        status = isg_buffer_create(self->device, &(isg_buffer_desc){.size = 4096}, &self->buffer);
    }
    if (status == ISG_OK) {
        status = isg_buffer_upload(self->buffer, 0, (uint32_t[4]){0}, 16);
    }
    if (status == ISG_OK) {
        kernel.spirv = conform_spirv("count_groups", &kernel.size);
        status = isg_kernel_create(self->device, &kernel, &self->kernel);
    }
    if (status == ISG_OK) {
        status = isg_queue_create(self->device, "family", &self->queue);
    }
    if (status == ISG_OK) {
        status = isg_event_create(self->device, &self->event);
    }
    if (status == ISG_OK) {
        status = isg_recording_create(self->device, NULL, &self->recording);
    }
    if (status == ISG_OK) {
        binding.buffer = self->buffer;
        status = isg_record_dispatch(self->recording, &(isg_dispatch){.kernel = self->kernel,
                                                                      .grid = {5},
                                                                      .bindings = &binding,
                                                                      .binding_count = 1});
    }
    if (status == ISG_OK) {
        status = isg_recording_end(self->recording);
    }
    return status;
}

static isg_status family_submit(const family *self)
{
    isg_status status =
        isg_queue_submit(self->queue,
                         &(isg_submit_desc){.recordings = (isg_recording *const[]){self->recording},
                                            .recording_count = 1,
                                            .signals = &(isg_event_value_pair){self->event, 1},
                                            .signal_count = 1},
                         NULL);

    return status == ISG_OK ? isg_event_wait(self->event, 1, ISG_WAIT_FOREVER) : status;
}

static void release_piece(family *self, unsigned piece)
{
    switch (piece) {
    case 0:
        isg_instance_release(self->instance);
        break;
    case 1:
        isg_device_release(self->device);
        break;
    case 2:
        isg_buffer_release(self->buffer);
        break;
    case 3:
        isg_kernel_release(self->kernel);
        break;
    case 4:
        isg_queue_release(self->queue);
        break;
    case 5:
        isg_event_release(self->event);
        break;
    default:
        isg_recording_release(self->recording);
    }
}

/* Releases all pieces in the order that `seed` shuffles. */
static void family_release(family *self, uint32_t seed)
{
    unsigned order[PIECES];

    for (unsigned i = 0; i < PIECES; i++) {
        unsigned k = conform_mix32(seed * 16 + i) % (i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (unsigned i = 0; i < PIECES; i++) {
        release_piece(self, order[i]);
    }
}

START_TEST(releases_in_any_order)
{
    enum { ORDERS = 24 };
    static conform_allocations counts;
    const isg_instance_desc desc = {.allocator = conform_counting_allocator(&counts)};

    for (uint32_t seed = 0; seed < ORDERS; seed++) {
        family all;
        CONFORM_OK(family_create(&all, &desc, conform_selector()));
        CONFORM_OK(family_submit(&all));
        if (seed % 2) { /* and some more work, which nobody waits for */
            CONFORM_OK(isg_queue_submit(
                all.queue,
                &(isg_submit_desc){.recordings = (isg_recording *const[]){all.recording},
                                   .recording_count = 1},
                NULL));
        }
        family_release(&all, seed);
        CONFORM_TRUE(counts.live == 0 && counts.bytes == 0 && counts.wrong_sizes == 0,
                     "order %u: %" PRId64 " allocations of %" PRId64 " bytes are left, %" PRIu64
                     " were released with a wrong size",
                     seed, counts.live, counts.bytes, counts.wrong_sizes);
    }
}
END_TEST

START_TEST(retained_handles_outlive_a_release)
{
    isg_buffer *buffer = conform_buffer(16, ISG_MEMORY_DEVICE);
    isg_kernel *kernel = conform_kernel("count_groups");
    isg_device *device = conform_device();
    uint32_t got[4];

    for (int i = 0; i < 3; i++) {
        isg_buffer_retain(buffer);
        isg_kernel_retain(kernel);
        isg_device_retain(device);
    }
    for (int i = 0; i < 3; i++) {
        isg_buffer_release(buffer);
        isg_kernel_release(kernel);
        isg_device_release(device);
        CONFORM_OK(isg_queue_fill(conform_queue(), buffer, 0, 16, 0, NULL));
        conform_run(&(isg_dispatch){.kernel = kernel,
                                    .grid = {3},
                                    .bindings = &(isg_binding){.buffer = buffer},
                                    .binding_count = 1});
        CONFORM_OK(isg_buffer_download(buffer, 0, got, sizeof got));
        ck_assert_uint_eq(got[0], 3);
    }
    isg_buffer_release(buffer);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(report_66_a_hundred_devices)
{
    enum { WARM = 10, TIMES = 100 };
    uint64_t resident = 0, after = 0;
    unsigned descriptors = 0, threads = 0;

    for (uint32_t i = 0; i < WARM + TIMES; i++) {
        family all;
        if (i == WARM) {
            resident = conform_resident_size();
            descriptors = conform_fd_count();
            threads = conform_thread_count();
        }
        CONFORM_OK(family_create(&all, NULL, conform_selector()));
        if (i % 3) {
            CONFORM_OK(family_submit(&all));
        }
        family_release(&all, i);
        conform_progress();
    }
    after = conform_resident_size();
    ck_assert_uint_eq(conform_fd_count(), descriptors);
    ck_assert_uint_eq(conform_thread_count(), threads);
    /* Drivers keep compiled code and arenas of their own: 200 KiB a device is what they may. */
    CONFORM_TRUE(conform_keeps_freed_memory() || after < resident + TIMES * UINT64_C(200) * 1024,
                 "resident memory grew from %" PRIu64 " to %" PRIu64 " bytes over %d devices",
                 resident, after, TIMES);
    conform_check_usable(conform_device());
}
END_TEST

/* Every allocation of a whole life fails in turn: an error, nothing left, nothing broken. */
START_TEST(report_66_each_allocation_fails_in_turn)
{
    static conform_allocations counts;
    const isg_instance_desc desc = {.allocator = conform_counting_allocator(&counts)};
    uint64_t total = 0, step = 1;
    family all;

    CONFORM_OK(family_create(&all, &desc, conform_selector()));
    CONFORM_OK(family_submit(&all));
    family_release(&all, 1);
    total = counts.calls;
    CONFORM_TRUE(total > 20, "only %" PRIu64 " allocations in a whole life", total);
    step = conform_full() ? 1 : total / 80 + 1;
    for (uint64_t k = 0; k < total; k += step) {
        isg_status status = ISG_OK;
        atomic_store(&counts.calls, 0);
        atomic_store(&counts.fail_after, (int64_t)k);
        conform_stale_error();
        status = family_create(&all, &desc, conform_selector());
        status = status == ISG_OK ? family_submit(&all) : status;
        CONFORM_TRUE(status == ISG_OK || status == ISG_ERROR_OUT_OF_MEMORY ||
                         status == ISG_ERROR_UNAVAILABLE,
                     "with allocation %" PRIu64 " failing: %s: %s", k, isg_status_name(status),
                     isg_last_error());
        family_release(&all, (uint32_t)k);
        atomic_store(&counts.fail_after, -1);
        CONFORM_TRUE(counts.live == 0 && counts.wrong_sizes == 0,
                     "with allocation %" PRIu64 " of %" PRIu64 " failing, %" PRId64
                     " are left and %" PRIu64 " were released with a wrong size",
                     k, total, counts.live, counts.wrong_sizes);
        conform_progress();
    }
    conform_check_usable(conform_device());
}
END_TEST

/* ---- leaving ---- */

static family left;

static void release_left(void)
{
    family_release(&left, 5);
}

static isg_status start_long_dispatch(const family *all)
{
    const uint32_t iterations = 6000, words = 64 * 2048;
    isg_kernel_desc desc = {0};
    isg_kernel *kernel = NULL;
    isg_buffer *buffer = NULL;
    isg_status status = ISG_OK;

    desc.spirv = conform_spirv("busy", &desc.size);
    status = isg_kernel_create(all->device, &desc, &kernel);
    if (status == ISG_OK) {
        status = isg_buffer_create(all->device, &(isg_buffer_desc){.size = words * 4}, &buffer);
    }
    if (status == ISG_OK) {
        status = isg_queue_dispatch(all->queue,
                                    &(isg_dispatch){.kernel = kernel,
                                                    .grid = {words / 64},
                                                    .bindings = &(isg_binding){.buffer = buffer},
                                                    .binding_count = 1,
                                                    .push = &iterations,
                                                    .push_size = 4},
                                    1, NULL);
    }
    isg_kernel_release(kernel);
    isg_buffer_release(buffer);
    return status;
}

/* "WAY SELECTOR": uses a device and ends the process in one of several ways. */
int conform_scenario_leave(const char *argument)
{
    const char *space = strchr(argument, ' ');
    size_t length = space ? (size_t)(space - argument) : 0;
    char way[32];
    isg_status status = ISG_OK;

    snprintf(way, sizeof way, "%.*s", (int)length, argument);
    if (strcmp(way, "atexit_before") == 0) {
        atexit(release_left);
    }
    status = family_create(&left, NULL, space ? space + 1 : "");
    status = status == ISG_OK ? family_submit(&left) : status;
    if (strcmp(way, "atexit_after") == 0) {
        atexit(release_left);
    }
    if (strncmp(way, "busy", 4) == 0 && status == ISG_OK) {
        status = start_long_dispatch(&left);
    }
    printf("%s %s\n", way, isg_status_name(status));
    fflush(stdout);
    if (status != ISG_OK) {
        printf("%s\n", isg_last_error());
        return 3;
    }
    if (strcmp(way, "busy_released") == 0) {
        family_release(&left, 2);
    }
    if (strcmp(way, "busy_exit") == 0) {
        exit(0);
    }
    return 0; /* "leaked": everything stays */
}

static const char *const ways[] = {"leaked",      "atexit_before", "atexit_after",
                                   "busy_leaked", "busy_exit",     "busy_released"};

START_TEST(report_61_leaving)
{
    conform_outcome outcome;
    char argument[160];

    snprintf(argument, sizeof argument, "%s %s", ways[_i], conform_selector());
    conform_spawn("leave", argument, (const char *const[]){"ASAN_OPTIONS=detect_leaks=0", NULL}, 60,
                  &outcome);
    CONFORM_TRUE(outcome.exit_code == 0 && strstr(outcome.output, "ISG_OK"),
                 "exit code %d, signal %d%s: %s", outcome.exit_code, outcome.signal,
                 outcome.timed_out ? ", timed out" : "", outcome.output);
}
END_TEST

void conform_lifetime_list(conform_list *list)
{
    CONFORM_ADD(list, releases_in_any_order);
    CONFORM_ADD(list, retained_handles_outlive_a_release);
    CONFORM_ADD(list, report_66_a_hundred_devices);
    CONFORM_ADD(list, report_66_each_allocation_fails_in_turn);
    for (size_t i = 0; i < CONFORM_COUNT(ways); i++) {
        char name[64];
        snprintf(name, sizeof name, "report_61_leaving_%s", ways[i]);
        conform_add_case(list, name, report_61_leaving, (int)i, 0, 90);
    }
}
