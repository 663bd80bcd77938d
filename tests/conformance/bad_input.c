/* Owns the suite `bad_input`: wrong arguments of every kind end in a status and a message, touch
 * nothing, and leave the device usable. */
#include "conform.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- NULL ---- */

START_TEST(null_where_none_is_allowed)
{
    isg_device *device = conform_device();
    isg_buffer *buffer = conform_buffer(64, ISG_MEMORY_UPLOAD), *made = NULL;
    isg_kernel *kernel = NULL;
    isg_kernel_info *info = NULL;
    isg_memory_info memory;
    isg_backend_info backend;
    uint32_t count = 0;
    void *mapped = NULL;
    const isg_buffer_desc desc = {.size = 4};

    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_instance_create(NULL, NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_instance_devices(NULL, NULL, 0, &count),
                    "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_instance_devices(conform_instance(), NULL, 0, NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_instance_devices(conform_instance(), NULL, 3, &count), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_instance_backend(NULL, 0, &backend), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_instance_backend(conform_instance(), 0, NULL),
                    "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_device_open(conform_instance(), conform_selector(), NULL, NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_device_memory(NULL, &memory), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_device_memory(device, NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_device_status(NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_buffer_create(NULL, &desc, &made), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_buffer_create(device, NULL, &made), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_buffer_create(device, &desc, NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_buffer_upload(NULL, 0, &count, 4), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_buffer_upload(buffer, 0, NULL, 4), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_buffer_download(NULL, 0, &count, 4), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_buffer_download(buffer, 0, NULL, 4), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_buffer_map(NULL, &mapped), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_buffer_map(buffer, NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_kernel_create(device, NULL, &kernel), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_kernel_create(device, &(isg_kernel_desc){.size = 20}, &kernel), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_kernel_info_create(NULL, 20, NULL, &info),
                    "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_kernel_prepare(NULL, NULL, 0), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_kernel_wait(NULL, 0), "NULL");
    ck_assert(!made && !kernel && !info && !mapped);
    isg_buffer_release(buffer);
    conform_check_usable(device);
}
END_TEST

START_TEST(null_among_queues_and_events)
{
    isg_device *device = conform_device();
    isg_queue *queue = conform_queue();
    isg_buffer *buffer = conform_buffer(64, ISG_MEMORY_UPLOAD);
    isg_recording *recording = NULL;
    isg_event *event = NULL;
    isg_queue *second = NULL;
    uint64_t value = 0;

    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_event_create(NULL, &event), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_event_create(device, NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_event_value(NULL, &value), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_event_wait(NULL, 0, 0), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_recording_create(NULL, NULL, &recording),
                    "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_recording_create(device, NULL, NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_recording_end(NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_record_fill(NULL, buffer, 0, 4, 0), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_queue_create(NULL, NULL, &second), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_queue_create(device, NULL, NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_queue_submit(queue, NULL, NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_queue_submit(NULL, &(isg_submit_desc){0}, NULL),
                    "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_submit(queue, &(isg_submit_desc){.recording_count = 1}, NULL),
                    "NULL");
    CONFORM_REFUSED(
        ISG_ERROR_INVALID_ARGUMENT,
        isg_queue_submit(
            queue,
            &(isg_submit_desc){.recordings = (isg_recording *const[]){NULL}, .recording_count = 1},
            NULL),
        "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_submit(queue, &(isg_submit_desc){.wait_count = 1}, NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_submit(queue, &(isg_submit_desc){.signal_count = 1}, NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_queue_dispatch(queue, NULL, 1, NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_dispatch(queue, &(isg_dispatch){.grid = {1}}, 1, NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_queue_copy(queue, buffer, 0, NULL, 0, 4, NULL),
                    "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_queue_copy(queue, NULL, 0, buffer, 0, 4, NULL),
                    "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_queue_fill(queue, NULL, 0, 4, 0, NULL), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_queue_wait(NULL, 0, 0), "NULL");
    ck_assert(!event && !recording && !second);
    isg_buffer_release(buffer);
    conform_check_usable(device);
}
END_TEST

START_TEST(null_where_it_is_allowed)
{
    isg_device_release(NULL);
    isg_instance_release(NULL);
    isg_buffer_release(NULL);
    isg_image_release(NULL);
    isg_sampler_release(NULL);
    isg_kernel_release(NULL);
    isg_kernel_info_release(NULL);
    isg_event_release(NULL);
    isg_recording_release(NULL);
    isg_queue_release(NULL);
    ck_assert_ptr_null(isg_device_get_info(NULL));
    ck_assert_ptr_null(isg_device_queue(NULL));
    ck_assert_ptr_null(isg_kernel_get_info(NULL));
    ck_assert_ptr_null(isg_queue_event(NULL));
    ck_assert_uint_eq(isg_buffer_size(NULL), 0);
    ck_assert_uint_eq(isg_image_size(NULL), 0);
}
END_TEST

START_TEST(incomplete_allocators_are_refused)
{
    conform_allocations counts = {0};
    isg_host_allocator whole = conform_counting_allocator(&counts), half = whole;
    isg_instance *instance = NULL;

    half.release = NULL;
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_instance_create(&(isg_instance_desc){.allocator = half}, &instance),
                    "allocator");
    half = whole;
    half.allocate = NULL;
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_instance_create(&(isg_instance_desc){.allocator = half}, &instance),
                    "allocator");
    ck_assert_ptr_null(instance);
}
END_TEST

/* ---- handles ---- */

START_TEST(released_and_foreign_handles_are_refused)
{
    isg_buffer *buffer = conform_buffer(64, ISG_MEMORY_DEVICE);
    isg_kernel *kernel = conform_kernel("count_groups");
    isg_event *event = NULL;
    isg_recording *recording = NULL;
    uint64_t not_a_handle[64] = {0};
    isg_dispatch dispatch = {.kernel = kernel,
                             .grid = {1},
                             .bindings = &(isg_binding){.buffer = buffer},
                             .binding_count = 1};

    CONFORM_OK(isg_event_create(conform_device(), &event));
    CONFORM_OK(isg_recording_create(conform_device(), NULL, &recording));
    isg_buffer_release(buffer);
    isg_event_release(event);
    isg_recording_release(recording);
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_buffer_upload(buffer, 0, "x", 1), "released");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), "released");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_event_wait(event, 0, 0), "released");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_recording_end(recording), "released");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_buffer_upload((isg_buffer *)not_a_handle, 0, "x", 1), "buffer");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_buffer_upload((isg_buffer *)kernel, 0, "x", 1), /* another kind */
                    "buffer");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_kernel_wait((isg_kernel *)conform_queue(), 0),
                    "kernel");
    isg_kernel_release(kernel);
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_kernel_prepare(kernel, NULL, 0), "released");
    conform_check_usable(conform_device());
}
END_TEST

START_TEST(objects_of_another_device_are_refused)
{
    isg_device *other = NULL;
    isg_buffer *theirs = NULL, *ours = conform_buffer(64, ISG_MEMORY_DEVICE);
    isg_kernel *their_kernel = NULL, *our_kernel = conform_kernel("count_groups");
    isg_event *their_event = NULL;
    isg_recording *their_recording = NULL, *our_recording = NULL;
    isg_dispatch dispatch = {.grid = {1}, .binding_count = 1};

    CONFORM_OK(isg_device_open(conform_instance(), conform_selector(), NULL, &other));
    CONFORM_OK(isg_buffer_create(other, &(isg_buffer_desc){.size = 64}, &theirs));
    their_kernel = conform_kernel_on(other, "count_groups");
    CONFORM_OK(isg_event_create(other, &their_event));
    CONFORM_OK(isg_recording_create(other, NULL, &their_recording));
    CONFORM_OK(isg_recording_end(their_recording));
    CONFORM_OK(isg_recording_create(conform_device(), NULL, &our_recording));

    dispatch.kernel = our_kernel;
    dispatch.bindings = &(isg_binding){.buffer = theirs};
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), "device");
    dispatch.kernel = their_kernel;
    dispatch.bindings = &(isg_binding){.buffer = ours};
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), "device");
    dispatch.kernel = our_kernel;
    dispatch.indirect = theirs;
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), "device");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_copy(conform_queue(), ours, 0, theirs, 0, 4, NULL), "device");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_fill(conform_queue(), theirs, 0, 4, 0, NULL), "device");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_record_fill(our_recording, theirs, 0, 4, 0),
                    "device");
    CONFORM_REFUSED(
        ISG_ERROR_INVALID_ARGUMENT,
        isg_queue_submit(conform_queue(),
                         &(isg_submit_desc){.recordings = (isg_recording *const[]){their_recording},
                                            .recording_count = 1},
                         NULL),
        "device");
    CONFORM_REFUSED(
        ISG_ERROR_INVALID_ARGUMENT,
        isg_queue_submit(conform_queue(),
                         &(isg_submit_desc){.signals = &(isg_event_value_pair){their_event, 1},
                                            .signal_count = 1},
                         NULL),
        "device");
    isg_buffer_release(theirs);
    isg_buffer_release(ours);
    isg_kernel_release(their_kernel);
    isg_kernel_release(our_kernel);
    isg_event_release(their_event);
    isg_recording_release(their_recording);
    isg_recording_release(our_recording);
    isg_device_release(other);
    conform_check_usable(conform_device());
}
END_TEST

/* ---- bindings ---- */

typedef struct wrong_bindings {
    const char *what;
    isg_binding bindings[3];
    uint32_t count;
    isg_status status;
    const char *text;
} wrong_bindings;

/* affine reads binding 0 and writes binding 1, each at least 4 bytes an element. */
static void check_wrong_bindings(const wrong_bindings *rows, size_t count)
{
    const uint32_t push[2] = {1, 0};
    isg_kernel *kernel = conform_kernel("affine");

    for (size_t i = 0; i < count; i++) {
        isg_status status = ISG_OK;
        conform_stale_error();
        status = isg_queue_dispatch(conform_queue(),
                                    &(isg_dispatch){.kernel = kernel,
                                                    .grid = {1},
                                                    .bindings = rows[i].bindings,
                                                    .binding_count = rows[i].count,
                                                    .push = push,
                                                    .push_size = sizeof push},
                                    1, NULL);
        CONFORM_TRUE(status == rows[i].status, "%s: %s instead of %s: %s", rows[i].what,
                     isg_status_name(status), isg_status_name(rows[i].status), isg_last_error());
        CONFORM_TRUE(strcasestr(isg_last_error(), rows[i].text),
                     "%s: the message does not say '%s': %s", rows[i].what, rows[i].text,
                     isg_last_error());
    }
    isg_kernel_release(kernel);
}

START_TEST(wrong_bindings_are_refused)
{
    isg_buffer *a = conform_buffer(1000, ISG_MEMORY_DEVICE);
    isg_buffer *b = conform_buffer(1000, ISG_MEMORY_DEVICE);
    const isg_status bad = ISG_ERROR_INVALID_ARGUMENT;
    const wrong_bindings rows[] = {
        {"none", {{0}}, 0, bad, "binding 0"},
        {"one missing", {{.binding = 0, .buffer = a}}, 1, bad, "binding 1"},
        {"twice the same",
         {{.binding = 0, .buffer = a}, {.binding = 0, .buffer = b}},
         2,
         bad,
         "binding"},
        {"one too many",
         {{.binding = 0, .buffer = a}, {.binding = 1, .buffer = b}, {.binding = 2, .buffer = a}},
         3,
         bad,
         "binding 2"},
        {"unknown set",
         {{.binding = 0, .buffer = a}, {.set = 1, .binding = 1, .buffer = b}},
         2,
         bad,
         "set 1"},
        {"set of isogrid",
         {{.binding = 0, .buffer = a}, {.binding = 1, .buffer = b}, {.set = 3, .buffer = a}},
         3,
         bad,
         "set 3"},
        {"array element of no array",
         {{.binding = 0, .buffer = a}, {.binding = 1, .array_index = 1, .buffer = b}},
         2,
         bad,
         "binding 1[1]"},
        {"no buffer", {{.binding = 0}, {.binding = 1, .buffer = b}}, 2, bad, "binding 0"},
        {"offset at the end",
         {{.binding = 0, .buffer = a, .offset = 1024}, {.binding = 1, .buffer = b}},
         2,
         bad,
         "1000"},
        {"size past the end",
         {{.binding = 0, .buffer = a, .size = 1004}, {.binding = 1, .buffer = b}},
         2,
         bad,
         "1004"},
        {"range that wraps",
         {{.binding = 0, .buffer = a, .offset = 256, .size = UINT64_MAX - 100},
          {.binding = 1, .buffer = b}},
         2,
         bad,
         "1000"},
        {"offset that wraps",
         {{.binding = 0, .buffer = a, .offset = UINT64_MAX - 255}, {.binding = 1, .buffer = b}},
         2,
         bad,
         "1000"},
        {"written and read",
         {{.binding = 0, .buffer = a}, {.binding = 1, .buffer = a}},
         2,
         bad,
         "overlap"},
        {"written and read in part",
         {{.binding = 0, .buffer = a, .size = 516}, {.binding = 1, .buffer = a, .offset = 512}},
         2,
         bad,
         "overlap"},
    };

    check_wrong_bindings(rows, CONFORM_COUNT(rows));
    isg_buffer_release(a);
    isg_buffer_release(b);
    conform_check_usable(conform_device());
}
END_TEST

START_TEST(report_44_misaligned_offsets)
{
    uint32_t alignment = conform_info()->limits.storage_offset_alignment;
    isg_buffer *a = conform_buffer(1000, ISG_MEMORY_DEVICE);
    isg_buffer *b = conform_buffer(1000, ISG_MEMORY_DEVICE);
    const isg_status bad = ISG_ERROR_INVALID_ARGUMENT;
    const wrong_bindings misaligned[] = {
        {"misaligned offset",
         {{.binding = 0, .buffer = a}, {.binding = 1, .buffer = b, .offset = alignment / 2}},
         2,
         bad,
         "align"},
        {"offset of 1",
         {{.binding = 0, .buffer = a, .offset = 1}, {.binding = 1, .buffer = b}},
         2,
         bad,
         "align"},
    };

    if (alignment > 1) {
        check_wrong_bindings(misaligned, CONFORM_COUNT(misaligned));
    }
    isg_buffer_release(a);
    isg_buffer_release(b);
    conform_check_usable(conform_device());
}
END_TEST

START_TEST(ranges_too_small_for_the_block_are_refused)
{
    isg_kernel *kernel = conform_kernel("count_groups"); /* 16 bytes */
    isg_buffer *small = conform_buffer(12, ISG_MEMORY_DEVICE);
    isg_buffer *large = conform_buffer(4096, ISG_MEMORY_DEVICE);
    isg_dispatch dispatch = {.kernel = kernel, .grid = {1}, .binding_count = 1};

    dispatch.bindings = &(isg_binding){.buffer = small};
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), "12", "16");
    dispatch.bindings = &(isg_binding){.buffer = large, .size = 12};
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), "12", "16");
    dispatch.bindings = &(isg_binding){.buffer = large, .size = 16};
    CONFORM_OK(isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL));
    CONFORM_OK(isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER));
    isg_buffer_release(small);
    isg_buffer_release(large);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(indirect_offsets_are_checked)
{
    isg_kernel *kernel = conform_kernel("count_groups");
    isg_buffer *sums = conform_buffer(16, ISG_MEMORY_DEVICE);
    isg_buffer *grid = conform_buffer(20, ISG_MEMORY_DEVICE);
    static const uint64_t offsets[] = {1, 2, 3, 9, 12, 16, 20, 24, UINT64_MAX, UINT64_MAX - 3};
    isg_dispatch dispatch = {.kernel = kernel,
                             .indirect = grid,
                             .bindings = &(isg_binding){.buffer = sums},
                             .binding_count = 1};

    for (size_t i = 0; i < CONFORM_COUNT(offsets); i++) {
        char number[32];
        snprintf(number, sizeof number, "%" PRIu64, offsets[i]);
        dispatch.indirect_offset = offsets[i];
        CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                        isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), "indirect",
                        number);
    }
    isg_buffer_release(sums);
    isg_buffer_release(grid);
    isg_kernel_release(kernel);
    conform_check_usable(conform_device());
}
END_TEST

START_TEST(wrong_host_bindings_are_refused)
{
    uint32_t x[64] = {0}, y[64];
    const uint32_t push[2] = {1, 64};
    isg_kernel *kernel = conform_kernel("affine");
    const isg_dispatch dispatch = {
        .kernel = kernel, .grid = {1}, .push = push, .push_size = sizeof push};
    isg_host_binding good[2] = {
        {.binding = 0, .data = x, .size = sizeof x},
        {.binding = 1, .data = y, .size = sizeof y, .direction = ISG_INOUT}};
    isg_host_binding bad[2];

    memset(y, 0x44, sizeof y);
    for (int what = 0; what < 6; what++) {
        uint32_t count = 2;
        memcpy(bad, good, sizeof bad);
        switch (what) {
        case 0:
            bad[0].data = NULL;
            break;
        case 1:
            bad[1].size = 0;
            break;
        case 2:
            bad[1].direction = (isg_direction)5;
            break;
        case 3:
            bad[1].binding = 0;
            break;
        case 4:
            bad[1].set = 2;
            break;
        default:
            count = 1;
        }
        CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                        isg_queue_dispatch_bytes(conform_queue(), &dispatch, bad, count, NULL),
                        "binding");
        conform_check_filled(y, 0x44, sizeof y, "host bytes of a refused dispatch");
    }
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_dispatch_bytes(conform_queue(), &dispatch, NULL, 2, NULL), "NULL");
    CONFORM_OK(isg_queue_dispatch_bytes(conform_queue(), &dispatch, good, 2, NULL));
    isg_kernel_release(kernel);
}
END_TEST

void conform_bad_input_list(conform_list *list)
{
    CONFORM_ADD(list, null_where_none_is_allowed);
    CONFORM_ADD(list, null_among_queues_and_events);
    CONFORM_ADD(list, null_where_it_is_allowed);
    CONFORM_ADD(list, incomplete_allocators_are_refused);
    CONFORM_ADD(list, released_and_foreign_handles_are_refused);
    CONFORM_ADD(list, objects_of_another_device_are_refused);
    CONFORM_ADD(list, wrong_bindings_are_refused);
    CONFORM_ADD(list, report_44_misaligned_offsets);
    CONFORM_ADD(list, ranges_too_small_for_the_block_are_refused);
    CONFORM_ADD(list, indirect_offsets_are_checked);
    CONFORM_ADD(list, wrong_host_bindings_are_refused);
    conform_bad_module_cases(list);
}
