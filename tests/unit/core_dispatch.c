/* What the front door refuses, with which code, and that nothing is queued then. */
#include "core/dispatch.h"
#include "core/instance.h"
#include "unit/doubles/core_fixture.h"

#include <stdlib.h>
#include <string.h>

/* kernels/bindings.comp: x (set 0 binding 7), factor (uniform, 1 0), many[3] (1 3), deep (2 1),
 * y (written, 2 5), 20 bytes of push constants. */
enum { X, FACTOR, MANY_0, MANY_1, MANY_2, DEEP, Y, ENTRY_COUNT };

static isg_kernel *kernel;
static isg_buffer *buffer;
static isg_binding entries[ENTRY_COUNT];
static unsigned char push[20];
static isg_dispatch good;

static void open_all(void)
{
    static const uint32_t places[ENTRY_COUNT][3] = {{0, 7, 0}, {1, 0, 0}, {1, 3, 0}, {1, 3, 1},
                                                    {1, 3, 2}, {2, 1, 0}, {2, 5, 0}};

    fixture_open();
    kernel = fixture_kernel("bindings");
    buffer = fixture_buffer(4096, "data");
    for (uint32_t i = 0; i < ENTRY_COUNT; i++) {
        entries[i] = (isg_binding){
            .set = places[i][0],
            .binding = places[i][1],
            .array_index = places[i][2],
            .buffer = buffer,
            .offset = i == Y        ? 2048
                      : i == FACTOR ? 256
                                    : 64,
            .size = i == Y ? 0 : 512,
        };
    }
    good = (isg_dispatch){
        .kernel = kernel,
        .grid = {1},
        .bindings = entries,
        .binding_count = ENTRY_COUNT,
        .push = push,
        .push_size = sizeof push,
    };
}

static void close_all(void)
{
    isg_buffer_release(buffer);
    isg_kernel_release(kernel);
    fixture_close();
}

/* The same code from every door, and nothing queued. */
static void refused_everywhere(const isg_dispatch *dispatch, isg_status status)
{
    isg_recording *recording = NULL;
    isg_dispatch pair[2] = {good, *dispatch};
    isg_plan plan;
    uint64_t value = 9;

    REFUSED(isg_plan_dispatch(dispatch, &plan), status);
    ck_assert_int_eq(plan.kind, ISG_PLAN_REFUSED);
    REFUSED(isg_queue_dispatch(fixture.queue, pair, 2, &value), status);
    ck_assert_uint_eq(value, 0);
    REFUSED(isg_queue_dispatch_bytes(fixture.queue, dispatch, NULL, 0, NULL), status);
    ASK(isg_recording_create(fixture.device, NULL, &recording));
    REFUSED(isg_record_dispatch(recording, dispatch), status);
    ASK(isg_record_dispatch(recording, &good));
    ASK(isg_recording_end(recording));
    isg_recording_release(recording);
    ck_assert_uint_eq(fake.submissions, 0);
}

/* With entry `at` replaced. */
static void entry_refused(uint32_t at, isg_binding entry, isg_status status, const char *says)
{
    isg_binding changed[ENTRY_COUNT];
    isg_dispatch dispatch = good;

    memcpy(changed, entries, sizeof changed);
    changed[at] = entry;
    dispatch.bindings = changed;
    refused_everywhere(&dispatch, status);
    fixture_says(says);
}

START_TEST(a_good_dispatch_reaches_the_backend_in_order)
{
    const fake_command *command = &fake.commands[0];
    isg_binding shuffled[ENTRY_COUNT];
    isg_dispatch dispatch = good;

    for (uint32_t i = 0; i < ENTRY_COUNT; i++) {
        shuffled[i] = entries[(i * 3 + 2) % ENTRY_COUNT];
    }
    dispatch.bindings = shuffled;
    ASK(isg_queue_dispatch(fixture.queue, &dispatch, 1, NULL));
    ck_assert_uint_eq(fake.command_count, 1);
    ck_assert_uint_eq(command->binding_count, ENTRY_COUNT);
    ck_assert_uint_eq(command->push_size, 20);
    for (uint32_t i = 0; i < ENTRY_COUNT; i++) {
        ck_assert_uint_eq(command->bindings[i].set, entries[i].set);
        ck_assert_uint_eq(command->bindings[i].binding, entries[i].binding);
        ck_assert_uint_eq(command->bindings[i].array_index, entries[i].array_index);
        ck_assert_uint_eq(command->bindings[i].offset, entries[i].offset);
    }
    ck_assert_uint_eq(command->bindings[Y].size, 2048);
    ck_assert_int_eq(command->bindings[FACTOR].kind, ISG_BINDING_UNIFORM_BUFFER);
}
END_TEST

START_TEST(bindings_must_be_complete_known_and_given_once)
{
    isg_dispatch dispatch = good;
    isg_binding more[ENTRY_COUNT + 1];

    dispatch.binding_count = ENTRY_COUNT - 1;
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
    fixture_says("set 2 binding 5");
    fixture_says("has no entry");
    dispatch.binding_count = 0;
    dispatch.bindings = NULL;
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
    dispatch.binding_count = 3;
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
    fixture_says("NULL");
    memcpy(more, entries, sizeof entries);
    more[ENTRY_COUNT] = entries[MANY_1];
    dispatch.bindings = more;
    dispatch.binding_count = ENTRY_COUNT + 1;
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
    fixture_says("set 1 binding 3[1]");
    fixture_says("twice");
    more[ENTRY_COUNT].array_index = 3;
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
    fixture_says("which the kernel does not have");
    more[ENTRY_COUNT] = (isg_binding){.set = 3, .buffer = buffer};
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
    more[ENTRY_COUNT] = (isg_binding){.set = UINT32_MAX, .binding = UINT32_MAX, .buffer = buffer};
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(bindings_need_the_right_live_objects)
{
    isg_binding entry = entries[X];
    isg_buffer *gone = fixture_buffer(512, "gone");
    int foreign = 0;

    isg_buffer_release(gone);
    entry.buffer = NULL;
    entry_refused(X, entry, ISG_ERROR_INVALID_ARGUMENT, "has none");
    entry.buffer = gone;
    entry_refused(X, entry, ISG_ERROR_INVALID_ARGUMENT, "not a live isg_buffer");
    entry.buffer = (isg_buffer *)(void *)&foreign;
    entry_refused(X, entry, ISG_ERROR_INVALID_ARGUMENT, "not a live isg_buffer");
    entry.buffer = (isg_buffer *)(void *)kernel;
    entry_refused(X, entry, ISG_ERROR_INVALID_ARGUMENT, "not a live isg_buffer");
    entry = entries[X];
    entry.sampler = (isg_sampler *)(void *)&foreign;
    entry_refused(X, entry, ISG_ERROR_INVALID_ARGUMENT, "sampler");
    entry = entries[X];
    entry.image = (isg_image *)(void *)&foreign;
    entry_refused(X, entry, ISG_ERROR_INVALID_ARGUMENT, "image");
}
END_TEST

START_TEST(ranges_must_lie_inside_and_be_large_enough)
{
    static const struct {
        uint64_t offset, size;
    } outside[] = {{4096, 0}, {4096, 1},        {UINT64_MAX, 2},          {64, 4033},
                   {0, 4097}, {64, UINT64_MAX}, {UINT64_MAX, UINT64_MAX}, {UINT64_MAX - 63, 64}};

    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        isg_binding entry = entries[X];

        entry.offset = outside[i].offset;
        entry.size = outside[i].size;
        entry_refused(X, entry, ISG_ERROR_INVALID_ARGUMENT, "past buffer 'data' of 4096 bytes");
    }
    isg_binding entry = entries[FACTOR];
    entry.size = 15;
    entry_refused(FACTOR, entry, ISG_ERROR_INVALID_ARGUMENT, "16 bytes");
    entry = entries[X];
    entry.offset = 68;
    entry_refused(X, entry, ISG_ERROR_INVALID_ARGUMENT, "storage_offset_alignment");
    entry = entries[FACTOR];
    entry.offset = 64;
    entry_refused(FACTOR, entry, ISG_ERROR_INVALID_ARGUMENT, "uniform_offset_alignment");
    fixture.device->info.limits.max_binding_size = 500;
    REFUSED(isg_queue_dispatch(fixture.queue, &good, 1, NULL), ISG_ERROR_LIMIT_EXCEEDED);
    fixture_says("500, the max_binding_size");
    fixture.device->info.limits.max_binding_size = 4096;
    fixture.device->info.limits.max_uniform_binding_size = 256;
    REFUSED(isg_queue_dispatch(fixture.queue, &good, 1, NULL), ISG_ERROR_LIMIT_EXCEEDED);
    fixture_says("256, the max_uniform_binding_size");
    ck_assert_uint_eq(fake.submissions, 0);
}
END_TEST

START_TEST(what_is_written_overlaps_nothing)
{
    isg_binding entry = entries[Y];

    entry.offset = 512;
    entry.size = 128;
    entry_refused(Y, entry, ISG_ERROR_INVALID_ARGUMENT, "overlaps");
    entry_refused(Y, entry, ISG_ERROR_INVALID_ARGUMENT, "set 2 binding 5[0] is written");
    /* Wholly inside, wholly around, the same, and by one byte at either end. */
    static const uint64_t clashes[][2] = {{128, 4}, {0, 4096}, {64, 512}, {0, 65}, {704, 64}};
    for (size_t i = 0; i < sizeof clashes / sizeof clashes[0]; i++) {
        entry.offset = clashes[i][0];
        entry.size = clashes[i][1];
        entry_refused(Y, entry, ISG_ERROR_INVALID_ARGUMENT, "overlaps");
    }
    entry.offset = 768;
    entry.size = 0;
    isg_binding changed[ENTRY_COUNT];
    isg_dispatch dispatch = good;
    memcpy(changed, entries, sizeof changed);
    changed[Y] = entry;
    dispatch.bindings = changed;
    ASK(isg_plan_dispatch(&dispatch, &(isg_plan){0}));
    /* Ranges that are only read may overlap: those of `good` do. */
    ASK(isg_plan_dispatch(&good, &(isg_plan){0}));
}
END_TEST

START_TEST(push_constants_have_exactly_the_declared_size)
{
    isg_dispatch dispatch = good;

    for (uint32_t size = 0; size < 64; size += 4) {
        if (size != 20) {
            dispatch.push_size = size;
            refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
            fixture_says("20 bytes");
        }
    }
    dispatch.push_size = UINT32_MAX;
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
    dispatch.push_size = 20;
    dispatch.push = NULL;
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(grids_rounds_and_plans_are_checked)
{
    isg_dispatch dispatch = good;

    dispatch.grid[0] = 65536;
    refused_everywhere(&dispatch, ISG_ERROR_LIMIT_EXCEEDED);
    fixture_says("max_workgroup_count[0]");
    fixture_says("65535");
    dispatch.grid[0] = 1;
    dispatch.grid[2] = UINT32_MAX;
    refused_everywhere(&dispatch, ISG_ERROR_LIMIT_EXCEEDED);
    fixture_says("max_workgroup_count[2]");
    dispatch.grid[2] = 1;
    dispatch.rounds = 2;
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
    fixture_says("rounds");
    dispatch.rounds = 1;
    dispatch.plan = ISG_PLAN_REFUSED;
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
    dispatch.plan = (isg_plan_kind)-1;
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
    dispatch.plan = ISG_PLAN_AUTO;
    dispatch.kernel = NULL;
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_plan_dispatch(NULL, &(isg_plan){0}), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_plan_dispatch(&good, NULL), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_queue_dispatch(fixture.queue, NULL, 1, NULL), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_queue_dispatch(NULL, &good, 1, NULL), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_queue_dispatch_bytes(fixture.queue, NULL, NULL, 0, NULL),
            ISG_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(a_plan_that_cannot_be_met_is_told_before_and_refused)
{
    isg_dispatch dispatch = good;
    isg_plan plan;

    dispatch.plan = ISG_PLAN_SPLIT;
    ASK(isg_plan_dispatch(&dispatch, &plan));
    ck_assert_int_eq(plan.kind, ISG_PLAN_REFUSED);
    REFUSED(isg_queue_dispatch(fixture.queue, &dispatch, 1, NULL), ISG_ERROR_UNSUPPORTED);
    fixture_says("plan split was demanded");
    ck_assert_uint_eq(fake.submissions, 0);
}
END_TEST

START_TEST(indirect_counts_lie_inside_their_buffer)
{
    isg_dispatch dispatch = good;

    dispatch.indirect = buffer;
    dispatch.indirect_offset = 2;
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
    dispatch.indirect_offset = 4088;
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
    fixture_says("12 bytes");
    dispatch.indirect_offset = UINT64_MAX - 3;
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
    dispatch.indirect_offset = 4084;
    ASK(isg_plan_dispatch(&dispatch, &(isg_plan){0}));
    dispatch.indirect = (isg_buffer *)(void *)fixture.device;
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
    fixture_says("indirect");
}
END_TEST

START_TEST(objects_of_another_device_are_refused)
{
    isg_device *other = NULL;
    isg_buffer *strange = NULL;
    isg_recording *recording = NULL;
    isg_event *event = NULL;
    isg_event_value_pair pair = {NULL, 1};
    isg_dispatch dispatch = good;
    isg_binding entry = entries[X];

    ASK(isg_device_open(fixture.instance, "fake:0", &(isg_device_desc){.label = "other"}, &other));
    ASK(isg_buffer_create(other, &(isg_buffer_desc){.size = 4096}, &strange));
    ASK(isg_event_create(other, &event));
    ASK(isg_recording_create(other, NULL, &recording));
    entry.buffer = strange;
    entry_refused(X, entry, ISG_ERROR_INVALID_ARGUMENT, "'other'");
    dispatch.indirect = strange;
    refused_everywhere(&dispatch, ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_record_dispatch(recording, &good), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_record_copy(recording, strange, 0, buffer, 0, 4), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_record_fill(recording, buffer, 0, 4, 0), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_queue_copy(fixture.queue, buffer, 0, strange, 0, 4, NULL),
            ISG_ERROR_INVALID_ARGUMENT);
    ASK(isg_recording_end(recording));
    REFUSED(isg_queue_submit(fixture.queue,
                             &(isg_submit_desc){.recordings = &recording, .recording_count = 1},
                             NULL),
            ISG_ERROR_INVALID_ARGUMENT);
    pair.event = event;
    REFUSED(isg_queue_submit(fixture.queue, &(isg_submit_desc){.signals = &pair, .signal_count = 1},
                             NULL),
            ISG_ERROR_INVALID_ARGUMENT);
    pair.value = 0;
    REFUSED(
        isg_queue_submit(fixture.queue, &(isg_submit_desc){.waits = &pair, .wait_count = 1}, NULL),
        ISG_ERROR_INVALID_ARGUMENT);
    isg_event_release(event);
    isg_recording_release(recording);
    isg_buffer_release(strange);
    isg_device_release(other);
}
END_TEST

START_TEST(copies_fills_and_transfers_keep_inside)
{
    unsigned char byte = 7;

    REFUSED(isg_queue_copy(fixture.queue, buffer, 0, buffer, 2, 4, NULL),
            ISG_ERROR_INVALID_ARGUMENT);
    fixture_says("overlap");
    ASK(isg_queue_copy(fixture.queue, buffer, 0, buffer, 4, 4, NULL));
    ASK(isg_queue_copy(fixture.queue, buffer, 0, buffer, 0, 0, NULL));
    REFUSED(isg_queue_copy(fixture.queue, buffer, 4093, buffer, 0, 4, NULL),
            ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_queue_copy(fixture.queue, buffer, 0, buffer, UINT64_MAX, 4, NULL),
            ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_queue_copy(fixture.queue, NULL, 0, buffer, 0, 4, NULL), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_queue_fill(fixture.queue, buffer, 4096, 1, 0, NULL), ISG_ERROR_INVALID_ARGUMENT);
    ASK(isg_queue_fill(fixture.queue, buffer, 4096, 0, 0, NULL));
    REFUSED(isg_buffer_upload(buffer, UINT64_MAX, &byte, 2), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_buffer_upload(buffer, 0, NULL, 2), ISG_ERROR_INVALID_ARGUMENT);
    ASK(isg_buffer_upload(buffer, 4096, NULL, 0));
    REFUSED(isg_buffer_download(buffer, 1, &byte, UINT64_MAX), ISG_ERROR_INVALID_ARGUMENT);
    ASK(isg_buffer_download(buffer, 4096, NULL, 0));
    REFUSED(isg_buffer_map(buffer, NULL), ISG_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(buffers_have_limits)
{
    isg_buffer *made = (isg_buffer *)(void *)&good;
    isg_buffer_desc desc = {0};

    REFUSED(isg_buffer_create(fixture.device, &desc, &made), ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(made);
    desc.size = (UINT64_C(1) << 30) + 1;
    REFUSED(isg_buffer_create(fixture.device, &desc, &made), ISG_ERROR_LIMIT_EXCEEDED);
    fixture_says("max_buffer_size");
    desc = (isg_buffer_desc){.size = 1, .memory = (isg_memory)7};
    REFUSED(isg_buffer_create(fixture.device, &desc, &made), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_buffer_create(fixture.device, NULL, &made), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_buffer_create(fixture.device, &desc, NULL), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_buffer_create(NULL, &desc, &made), ISG_ERROR_INVALID_ARGUMENT);
    /* The fake device has no images. */
    REFUSED(isg_image_create(fixture.device,
                             &(isg_image_desc){.format = ISG_FORMAT_R8_UNORM, .width = 1},
                             &(isg_image *){NULL}),
            ISG_ERROR_UNSUPPORTED);
    REFUSED(isg_image_create(fixture.device, &(isg_image_desc){.width = 1}, &(isg_image *){NULL}),
            ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_sampler_create(fixture.device, NULL, &(isg_sampler *){NULL}),
            ISG_ERROR_UNSUPPORTED);
    REFUSED(isg_sampler_create(
                fixture.device,
                &(isg_sampler_desc){.address = {ISG_ADDRESS_REPEAT}, .unnormalized = true},
                &(isg_sampler *){NULL}),
            ISG_ERROR_INVALID_ARGUMENT);
}
END_TEST

/* ---- constants ------------------------------------------------------------------------------- */

/* kernels/constants.comp: bool 3, int 5, uint 6, float 9, workgroup size 20, 21, 22. */
static isg_status with_constants(isg_kernel *special, const isg_constant *constants, uint32_t count)
{
    isg_binding entry = {.buffer = buffer};
    isg_status prepared = isg_kernel_prepare(special, constants, count);
    isg_status dispatched = isg_queue_dispatch(fixture.queue,
                                               &(isg_dispatch){.kernel = special,
                                                               .grid = {1},
                                                               .bindings = &entry,
                                                               .binding_count = 1,
                                                               .constants = constants,
                                                               .constant_count = count},
                                               1, NULL);

    ck_assert_int_eq(prepared, dispatched);
    return dispatched;
}

static isg_status with_constant(isg_kernel *special, uint32_t id, uint64_t value)
{
    return with_constants(special, &(isg_constant){id, value}, 1);
}

START_TEST(constants_are_known_given_once_and_in_range)
{
    isg_kernel *special = fixture_kernel("constants");
    const isg_constant twice[2] = {{6, 1}, {6, 2}};

    ASK(with_constants(special, NULL, 0));
    ASK(with_constant(special, 3, 1));
    ASK(with_constant(special, 5, 0xfffffff9));
    ASK(with_constant(special, 5, (uint64_t)-7));
    ASK(with_constant(special, 6, UINT32_MAX));
    ASK(with_constant(special, 9, 0x3f800000));
    REFUSED(with_constant(special, 3, 2), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(with_constant(special, 5, UINT64_MAX << 31 & ~(UINT64_C(1) << 40)),
            ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(with_constant(special, 5, UINT64_MAX << 32), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(with_constant(special, 6, UINT64_C(1) << 32), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(with_constant(special, 6, (uint64_t)-1), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(with_constant(special, 4, 0), ISG_ERROR_INVALID_ARGUMENT);
    fixture_says("no specialisation constant 4");
    REFUSED(with_constant(special, 2040, 0), ISG_ERROR_INVALID_ARGUMENT);
    fixture_says("reserved");
    REFUSED(with_constants(special, twice, 2), ISG_ERROR_INVALID_ARGUMENT);
    fixture_says("twice");
    REFUSED(with_constants(special, NULL, 2), ISG_ERROR_INVALID_ARGUMENT);
    ASK(isg_kernel_wait(special, ISG_WAIT_FOREVER));
    /* -7 written both ways is one value, and the default. */
    ck_assert_uint_eq(fake.variants_created, 3);
    isg_kernel_release(special);
}
END_TEST

START_TEST(workgroup_sizes_from_constants_meet_the_limits)
{
    isg_kernel *special = fixture_kernel("constants");
    const isg_constant large[3] = {{20, 1024}, {21, 1}, {22, 2}};

    ASK(with_constant(special, 20, 512));
    REFUSED(with_constant(special, 20, 513), ISG_ERROR_LIMIT_EXCEEDED);
    fixture_says("max_workgroup_invocations");
    REFUSED(with_constant(special, 20, 1025), ISG_ERROR_LIMIT_EXCEEDED);
    fixture_says("max_workgroup_size[0]");
    REFUSED(with_constant(special, 22, 65), ISG_ERROR_LIMIT_EXCEEDED);
    REFUSED(with_constant(special, 21, 0), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(with_constants(special, large, 3), ISG_ERROR_LIMIT_EXCEEDED);
    REFUSED(with_constant(special, 20, UINT32_MAX), ISG_ERROR_LIMIT_EXCEEDED);
    isg_kernel_release(special);
}
END_TEST

/* ---- kernels --------------------------------------------------------------------------------- */

static isg_status make_kernel(const char *stem, const char *entry)
{
    isg_kernel_desc desc;
    isg_kernel *made = NULL;
    isg_status status = ISG_OK;

    fixture_kernel_desc(stem, &desc);
    desc.entry = entry;
    desc.label = "asked";
    status = isg_kernel_create(fixture.device, &desc, &made);
    ck_assert((status == ISG_OK) == (made != NULL));
    isg_kernel_release(made);
    return status;
}

START_TEST(kernels_are_checked_against_the_device)
{
    isg_device_limits *limits = &fixture.device->info.limits;
    const isg_device_limits before = *limits;
    isg_kernel_desc desc;
    isg_kernel *made = NULL;

    ASK(make_kernel("needs_float64", NULL));
    limits->features &= ~(uint32_t)ISG_FEATURE_FLOAT64;
    REFUSED(make_kernel("needs_float64", NULL), ISG_ERROR_UNSUPPORTED);
    fixture_says("kernel 'asked' needs float64");
    *limits = before;
    limits->max_workgroup_size[0] = 255;
    REFUSED(make_kernel("reference", NULL), ISG_ERROR_LIMIT_EXCEEDED);
    *limits = before;
    limits->max_workgroup_invocations = 255;
    REFUSED(make_kernel("reference", NULL), ISG_ERROR_LIMIT_EXCEEDED);
    *limits = before;
    limits->max_bindings = 6;
    REFUSED(make_kernel("bindings", NULL), ISG_ERROR_LIMIT_EXCEEDED);
    limits->max_bindings = 7;
    ASK(make_kernel("bindings", NULL));
    limits->max_push_size = 16;
    REFUSED(make_kernel("bindings", NULL), ISG_ERROR_LIMIT_EXCEEDED);
    *limits = before;
    limits->max_shared_size = 4;
    REFUSED(make_kernel("shared_reverse", NULL), ISG_ERROR_LIMIT_EXCEEDED);
    fixture_says("max_shared_size");
    *limits = before;
    REFUSED(make_kernel("nothing", "missing"), ISG_ERROR_INVALID_ARGUMENT);
    fixture_kernel_desc("nothing", &desc);
    desc.flags = 1u << 9;
    REFUSED(isg_kernel_create(fixture.device, &desc, &made), ISG_ERROR_INVALID_ARGUMENT);
    desc.flags = 0;
    desc.size -= 4;
    REFUSED(isg_kernel_create(fixture.device, &desc, &made), ISG_ERROR_INVALID_SPIRV);
    desc.size -= 1;
    REFUSED(isg_kernel_create(fixture.device, &desc, &made), ISG_ERROR_INVALID_ARGUMENT);
    desc.spirv = NULL;
    REFUSED(isg_kernel_create(fixture.device, &desc, &made), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_kernel_create(fixture.device, NULL, &made), ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(fake.live_objects, 4);
}
END_TEST

/* ---- host bytes ------------------------------------------------------------------------------ */

START_TEST(host_bytes_go_in_and_come_out)
{
    isg_kernel *special = fixture_kernel("constants");
    uint32_t words[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    isg_host_binding host = {.data = words, .size = sizeof words, .direction = ISG_INOUT};
    isg_dispatch dispatch = {.kernel = special, .grid = {1}};
    isg_dispatch_result result;

    for (uint32_t hidden = 0; hidden < 2; hidden++) {
        fake.hidden_memory = hidden != 0;
        fake.command_count = 0;
        ASK(isg_queue_dispatch_bytes(fixture.queue, &dispatch, &host, 1, &result));
        ck_assert_uint_eq(words[7], 8);
        ck_assert_int_eq(result.plan.kind, ISG_PLAN_SINGLE);
        ck_assert_uint_gt(result.gpu_time_ns, 0);
    }
    host.direction = ISG_OUT;
    ASK(isg_queue_dispatch_bytes(fixture.queue, &dispatch, &host, 1, NULL));
    ck_assert_uint_eq(words[0], 0);
    ck_assert_uint_eq(words[7], 0);
    words[0] = 77;
    host.size = 31;
    REFUSED(isg_queue_dispatch_bytes(fixture.queue, &dispatch, &host, 1, &result),
            ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(result.plan.kind, ISG_PLAN_REFUSED);
    host.size = 0;
    REFUSED(isg_queue_dispatch_bytes(fixture.queue, &dispatch, &host, 1, NULL),
            ISG_ERROR_INVALID_ARGUMENT);
    host.size = 32;
    host.direction = (isg_direction)3;
    REFUSED(isg_queue_dispatch_bytes(fixture.queue, &dispatch, &host, 1, NULL),
            ISG_ERROR_INVALID_ARGUMENT);
    host.direction = ISG_OUT;
    REFUSED(isg_queue_dispatch_bytes(fixture.queue, &dispatch, NULL, 1, NULL),
            ISG_ERROR_INVALID_ARGUMENT);
    host.data = NULL;
    REFUSED(isg_queue_dispatch_bytes(fixture.queue, &dispatch, &host, 1, NULL),
            ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(words[0], 77);
    isg_kernel_release(special);
}
END_TEST

/* ---- instances and devices ------------------------------------------------------------------- */

START_TEST(instances_tell_what_is_there_and_what_is_not)
{
    const isg_backend_ops *const ops[1] = {fake_ops()};
    isg_instance *instance = NULL;
    isg_device *device = NULL;
    isg_backend_info info;
    uint32_t count = 7;

    ASK(isg_instance_backend(fixture.instance, 0, &info));
    ck_assert(info.available);
    ck_assert_str_eq(info.reason, "");
    REFUSED(isg_instance_backend(fixture.instance, 1, &info), ISG_ERROR_INVALID_ARGUMENT);
    ASK(isg_instance_devices(fixture.instance, NULL, 0, &count));
    ck_assert_uint_eq(count, 1);
    REFUSED(isg_instance_devices(fixture.instance, NULL, 3, &count), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_instance_devices(NULL, NULL, 0, &count), ISG_ERROR_INVALID_ARGUMENT);
    fake.fail_slot = FAKE_BACKEND_CREATE;
    fake.fail_status = ISG_ERROR_UNAVAILABLE;
    ASK(isg_instance_create_with(ops, 1, NULL, &instance));
    ASK(isg_instance_backend(instance, 0, &info));
    ck_assert(!info.available);
    ck_assert_ptr_nonnull(strstr(info.reason, "told to fail"));
    ASK(isg_instance_devices(instance, NULL, 0, &count));
    ck_assert_uint_eq(count, 0);
    REFUSED(isg_device_open(instance, NULL, NULL, &device), ISG_ERROR_UNAVAILABLE);
    fixture_says("told to fail");
    isg_instance_release(instance);
    fake.device_count = 0;
    ASK(isg_instance_create_with(ops, 1, NULL, &instance));
    ASK(isg_instance_backend(instance, 0, &info));
    ck_assert(!info.available);
    isg_instance_release(instance);
    fake.device_count = 1;
    fake.infos[0].unusable = "it lacks timeline semaphores";
    ASK(isg_instance_create_with(ops, 1, NULL, &instance));
    REFUSED(isg_device_open(instance, "fake:0", NULL, &device), ISG_ERROR_UNSUPPORTED);
    fixture_says("timeline semaphores");
    REFUSED(isg_device_open(instance, NULL, NULL, &device), ISG_ERROR_UNAVAILABLE);
    isg_instance_release(instance);
    REFUSED(isg_device_open(instance, "fake:0", NULL, &device), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_instance_create_with(
                ops, 1,
                &(isg_instance_desc){.allocator = {.allocate = counting_callbacks(NULL).allocate}},
                &instance),
            ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_instance_create_with(ops, 1, NULL, NULL), ISG_ERROR_INVALID_ARGUMENT);
    REFUSED(isg_device_open(fixture.instance, "fake:0", NULL, NULL), ISG_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(device_memory_is_counted)
{
    isg_memory_info memory;
    isg_buffer *more = fixture_buffer(1000, "more");

    ASK(isg_device_memory(fixture.device, &memory));
    ck_assert_uint_eq(memory.allocated, 5096);
    ck_assert_uint_eq(memory.size, UINT64_C(1) << 30);
    isg_buffer_release(more);
    ASK(isg_device_memory(fixture.device, &memory));
    ck_assert_uint_eq(memory.allocated, 4096);
    REFUSED(isg_device_memory(fixture.device, NULL), ISG_ERROR_INVALID_ARGUMENT);
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
    Suite *suite = suite_create("core_dispatch");
    SRunner *runner = srunner_create(suite);
    int failed = 0;

    add(suite, "good", a_good_dispatch_reaches_the_backend_in_order);
    add(suite, "complete", bindings_must_be_complete_known_and_given_once);
    add(suite, "objects", bindings_need_the_right_live_objects);
    add(suite, "ranges", ranges_must_lie_inside_and_be_large_enough);
    add(suite, "overlap", what_is_written_overlaps_nothing);
    add(suite, "push", push_constants_have_exactly_the_declared_size);
    add(suite, "grid", grids_rounds_and_plans_are_checked);
    add(suite, "plan", a_plan_that_cannot_be_met_is_told_before_and_refused);
    add(suite, "indirect", indirect_counts_lie_inside_their_buffer);
    add(suite, "devices", objects_of_another_device_are_refused);
    add(suite, "transfers", copies_fills_and_transfers_keep_inside);
    add(suite, "buffers", buffers_have_limits);
    add(suite, "constants", constants_are_known_given_once_and_in_range);
    add(suite, "workgroups", workgroup_sizes_from_constants_meet_the_limits);
    add(suite, "kernels", kernels_are_checked_against_the_device);
    add(suite, "bytes", host_bytes_go_in_and_come_out);
    add(suite, "instances", instances_tell_what_is_there_and_what_is_not);
    add(suite, "memory", device_memory_is_counted);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
