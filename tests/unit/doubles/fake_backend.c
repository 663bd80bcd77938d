/* The fake backend of fake_backend.h. */
#include "unit/doubles/fake_backend.h"

#include "core/instance.h"
#include "core/support.h"

#include <check.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

fake_state fake;

/* Guards `fake` and everything below it while several threads use the backend. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool lost;

typedef struct fake_buffer {
    isg_buffer base;
    unsigned char *bytes;
} fake_buffer;

typedef struct fake_variant {
    isg_variant base;
    uint32_t phase;
} fake_variant;

typedef struct fake_event {
    isg_event base;
    uint64_t value;
} fake_event;

/* A recorded command with its own copy of what it pointed at. */
typedef struct fake_recorded {
    struct fake_recorded *next;
    isg_command command;
    isg_command_binding bindings[8];
    unsigned char push[128];
    unsigned char *data;
} fake_recorded;

typedef struct fake_recording {
    isg_recording base;
    fake_recorded *first;
    fake_recorded **end;
    bool ended;
    uint32_t runs;
} fake_recording;

typedef struct fake_pending {
    struct fake_pending *next;
    isg_queue *queue;
    uint64_t value;
    fake_recording *recordings[16];
    uint32_t recording_count;
    isg_event_value_pair waits[16];
    uint32_t wait_count;
    isg_event_value_pair signals[16];
    uint32_t signal_count;
} fake_pending;

static fake_pending *pending_first;

/* ---- failing on demand ----------------------------------------------------------------------- */

static isg_status enter(fake_slot slot)
{
    isg_status status = ISG_OK;

    pthread_mutex_lock(&lock);
    fake.slot_calls_after_lost += lost ? 1 : 0;
    if (fake.fail_slot == slot && slot != FAKE_NO_SLOT) {
        if (fake.fail_after > 0) {
            fake.fail_after--;
        } else {
            status = fake.fail_status;
            fake.fail_slot = fake.fail_for_good ? slot : FAKE_NO_SLOT;
            lost = status == ISG_ERROR_DEVICE_LOST;
        }
    }
    pthread_mutex_unlock(&lock);
    return status == ISG_OK || status == ISG_TIMEOUT
               ? status
               : isg_fail(status, "the fake backend was told to fail with %s",
                          isg_status_name(status));
}

static void count_object(int change)
{
    pthread_mutex_lock(&lock);
    fake.live_objects += (uint32_t)change;
    pthread_mutex_unlock(&lock);
}

static const isg_host_allocator *allocator_of(const isg_device *device)
{
    return isg_instance_allocator(device->instance);
}

static void *make_object(fake_slot slot, const isg_device *device, size_t size, isg_status *status)
{
    void *object = NULL;

    *status = enter(slot);
    if (*status != ISG_OK) {
        return NULL;
    }
    object = isg_alloc(allocator_of(device), size);
    if (object == NULL) {
        *status = isg_fail_host_memory("a fake object");
        return NULL;
    }
    count_object(1);
    return object;
}

/* ---- backend and devices --------------------------------------------------------------------- */

static isg_status backend_create(isg_instance *instance, isg_backend **out)
{
    isg_status status = enter(FAKE_BACKEND_CREATE);

    if (status != ISG_OK) {
        return status;
    }
    *out = isg_alloc(isg_instance_allocator(instance), sizeof **out);
    if (*out == NULL) {
        return isg_fail_host_memory("a fake backend");
    }
    **out = (isg_backend){fake_ops(), instance};
    fake.live_backends++;
    return ISG_OK;
}

static void backend_destroy(isg_backend *backend)
{
    isg_free(isg_instance_allocator(backend->instance), backend, sizeof *backend);
    fake.live_backends--;
}

static isg_status enumerate(isg_backend *backend, isg_device_info *infos, uint32_t *driver_indices,
                            uint32_t capacity, uint32_t *out_count)
{
    isg_status status = enter(FAKE_ENUMERATE);

    (void)backend;
    for (uint32_t i = 0; status == ISG_OK && i < capacity && i < fake.device_count; i++) {
        infos[i] = fake.infos[i];
        driver_indices[i] = i;
    }
    *out_count = fake.device_count;
    return status;
}

static isg_status device_create(isg_backend *backend, uint32_t driver_index,
                                const isg_device_desc *desc, isg_device **out)
{
    isg_status status = enter(FAKE_DEVICE_CREATE);

    (void)desc;
    if (status != ISG_OK) {
        return status;
    }
    *out = isg_alloc(isg_instance_allocator(backend->instance), sizeof **out);
    if (*out == NULL) {
        return isg_fail_host_memory("a fake device");
    }
    (*out)->info = fake.infos[driver_index];
    pthread_mutex_lock(&lock);
    fake.live_devices++;
    pthread_mutex_unlock(&lock);
    return ISG_OK;
}

static void device_destroy(isg_device *device, bool abandon)
{
    fake.abandoned = abandon;
    while (lost && pending_first != NULL) {
        fake_pending *pending = pending_first;

        pending_first = pending->next;
        free(pending);
    }
    pthread_mutex_lock(&lock);
    fake.live_devices--;
    pthread_mutex_unlock(&lock);
    isg_free(allocator_of(device), device, sizeof *device);
}

/* ---- objects --------------------------------------------------------------------------------- */

static isg_status buffer_create(isg_device *device, const isg_buffer_desc *desc, isg_buffer **out)
{
    isg_status status = ISG_OK;
    fake_buffer *buffer = make_object(FAKE_BUFFER_CREATE, device, sizeof *buffer, &status);

    if (buffer == NULL) {
        return status;
    }
    buffer->bytes = malloc((size_t)desc->size);
    ck_assert_ptr_nonnull(buffer->bytes);
    memset(buffer->bytes, 0xCD, (size_t)desc->size);
    if (desc->memory != ISG_MEMORY_DEVICE || !fake.hidden_memory) {
        buffer->base.mapped = buffer->bytes;
    }
    *out = &buffer->base;
    return ISG_OK;
}

static isg_status kernel_create(isg_device *device, const isg_kernel_info *info, const char *label,
                                isg_kernel **out)
{
    isg_status status = ISG_OK;

    (void)info;
    (void)label;
    *out = make_object(FAKE_KERNEL_CREATE, device, sizeof **out, &status);
    return status;
}

static isg_status variant_create(isg_kernel *kernel, const isg_variant_desc *desc,
                                 isg_variant **out)
{
    isg_status status = ISG_OK;
    fake_variant *variant =
        make_object(FAKE_VARIANT_CREATE, kernel->object.device, sizeof *variant, &status);

    if (variant == NULL) {
        return status;
    }
    variant->phase = UINT32_MAX;
    for (uint32_t i = 0; i < desc->constant_count; i++) {
        if (desc->constants[i].id == ISG_SPEC_ID_PHASE) {
            variant->phase = (uint32_t)desc->constants[i].value;
        }
    }
    pthread_mutex_lock(&lock);
    fake.variants_created++;
    pthread_mutex_unlock(&lock);
    *out = &variant->base;
    return ISG_OK;
}

static isg_status event_create(isg_device *device, isg_event **out)
{
    isg_status status = ISG_OK;
    fake_event *event = make_object(FAKE_EVENT_CREATE, device, sizeof *event, &status);

    *out = event != NULL ? &event->base : NULL;
    return status;
}

static isg_status event_value(isg_event *event, uint64_t *out)
{
    isg_status status = enter(FAKE_NO_SLOT);

    pthread_mutex_lock(&lock);
    *out = ((fake_event *)event)->value;
    pthread_mutex_unlock(&lock);
    return status;
}

static isg_status event_wait(isg_event *event, uint64_t value, uint64_t timeout_ns)
{
    const struct timespec pause = {.tv_nsec = 200000};
    const uint64_t end = isg_now_ns() + timeout_ns;
    isg_status status = enter(FAKE_EVENT_WAIT);

    while (status == ISG_OK) {
        bool reached = false;

        pthread_mutex_lock(&lock);
        reached = ((fake_event *)event)->value >= value;
        pthread_mutex_unlock(&lock);
        if (reached) {
            return ISG_OK;
        }
        if (isg_now_ns() >= end) {
            return ISG_TIMEOUT;
        }
        nanosleep(&pause, NULL);
    }
    return status;
}

static isg_status queue_create(isg_device *device, const char *label, isg_queue **out)
{
    isg_status status = ISG_OK;
    isg_queue *queue = make_object(FAKE_QUEUE_CREATE, device, sizeof *queue, &status);

    (void)label;
    if (queue == NULL) {
        return status;
    }
    status = event_create(device, &queue->event);
    if (status != ISG_OK) {
        isg_free(allocator_of(device), queue, sizeof *queue);
        count_object(-1);
        return status;
    }
    *out = queue;
    return ISG_OK;
}

static isg_status recording_create(isg_device *device, bool timed, const char *label,
                                   isg_recording **out)
{
    isg_status status = ISG_OK;
    fake_recording *recording =
        make_object(FAKE_RECORDING_CREATE, device, sizeof *recording, &status);

    (void)timed;
    (void)label;
    if (recording == NULL) {
        return status;
    }
    recording->end = &recording->first;
    *out = &recording->base;
    return ISG_OK;
}

static void recording_clear(fake_recording *recording)
{
    while (recording->first != NULL) {
        fake_recorded *command = recording->first;

        recording->first = command->next;
        free(command->data);
        free(command);
    }
    recording->end = &recording->first;
    recording->ended = false;
}

static size_t object_size(const isg_object *object)
{
    switch (object->kind) {
    case ISG_OBJECT_BUFFER:
        return sizeof(fake_buffer);
    case ISG_OBJECT_KERNEL:
        return sizeof(isg_kernel);
    case ISG_OBJECT_VARIANT:
        return sizeof(fake_variant);
    case ISG_OBJECT_QUEUE:
        return sizeof(isg_queue);
    case ISG_OBJECT_RECORDING:
        return sizeof(fake_recording);
    case ISG_OBJECT_EVENT:
        return sizeof(fake_event);
    default:
        ck_abort_msg("object of kind %d cannot be destroyed", (int)object->kind);
        return 0;
    }
}

/* Whether a pending submission uses the object: destroying it then is the core's mistake. */
static bool is_pending(const isg_object *object)
{
    bool found = false;

    if (lost) {
        return false;
    }
    pthread_mutex_lock(&lock);
    for (const fake_pending *at = pending_first; at != NULL; at = at->next) {
        found |= object == &at->queue->object || object == &at->queue->event->object;
        for (uint32_t i = 0; i < at->recording_count; i++) {
            found |= object == &at->recordings[i]->base.object;
            for (const fake_recorded *c = at->recordings[i]->first; c != NULL; c = c->next) {
                if (c->command.kind == ISG_COMMAND_DISPATCH) {
                    found |= object == &c->command.as.dispatch.variant->object;
                }
                if (c->command.kind == ISG_COMMAND_COPY) {
                    found |= object == &c->command.as.copy.destination->object ||
                             object == &c->command.as.copy.source->object;
                }
            }
        }
        for (uint32_t i = 0; i < at->wait_count; i++) {
            found |= object == &at->waits[i].event->object;
        }
        for (uint32_t i = 0; i < at->signal_count; i++) {
            found |= object == &at->signals[i].event->object;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void object_destroy(isg_object *object)
{
    const isg_host_allocator *allocator = allocator_of(object->device);

    ck_assert_msg(!is_pending(object), "object of kind %d is destroyed while in flight",
                  (int)object->kind);
    if (object->kind == ISG_OBJECT_BUFFER) {
        free(((fake_buffer *)object)->bytes);
    } else if (object->kind == ISG_OBJECT_RECORDING) {
        recording_clear((fake_recording *)object);
    }
    isg_free(allocator, object, object_size(object));
    count_object(-1);
}

/* ---- recording ------------------------------------------------------------------------------- */

static isg_status recording_begin(isg_recording *recording)
{
    isg_status status = enter(FAKE_RECORDING_BEGIN);

    if (status == ISG_OK) {
        ck_assert(!is_pending(&recording->object));
        recording_clear((fake_recording *)recording);
    }
    return status;
}

static isg_status recording_end(isg_recording *recording)
{
    isg_status status = enter(FAKE_RECORDING_END);

    ((fake_recording *)recording)->ended = status == ISG_OK;
    return status;
}

static void check_dispatch(const isg_command_dispatch *dispatch)
{
    ck_assert_ptr_nonnull(dispatch->variant);
    ck_assert_uint_le(dispatch->binding_count, 8);
    ck_assert_uint_le(dispatch->push_size, 128);
    if (dispatch->indirect == NULL) {
        ck_assert(dispatch->grid[0] != 0 && dispatch->grid[1] != 0 && dispatch->grid[2] != 0);
    }
    if (dispatch->variant->uses_state) {
        ck_assert_ptr_nonnull(dispatch->state);
        ck_assert(dispatch->state_offset + dispatch->state_size <= dispatch->state->desc.size);
    }
    for (uint32_t i = 0; i < dispatch->binding_count; i++) {
        const isg_command_binding *binding = &dispatch->bindings[i];

        ck_assert_uint_ne(binding->size, 0);
        ck_assert(binding->offset + binding->size <= binding->buffer->desc.size);
    }
}

static isg_status record(isg_recording *base, const isg_command *command)
{
    fake_recording *recording = (fake_recording *)base;
    isg_status status = enter(FAKE_RECORD);
    fake_recorded *copy = NULL;

    if (status != ISG_OK) {
        return status;
    }
    copy = calloc(1, sizeof *copy);
    ck_assert_ptr_nonnull(copy);
    copy->command = *command;
    if (command->kind == ISG_COMMAND_DISPATCH) {
        isg_command_dispatch *dispatch = &copy->command.as.dispatch;

        check_dispatch(dispatch);
        for (uint32_t i = 0; i < dispatch->binding_count; i++) {
            copy->bindings[i] = dispatch->bindings[i];
        }
        if (dispatch->push_size != 0) {
            memcpy(copy->push, dispatch->push, dispatch->push_size);
        }
        dispatch->bindings = copy->bindings;
        dispatch->push = copy->push;
    } else if (command->kind == ISG_COMMAND_UPDATE) {
        ck_assert_uint_le(command->as.update.size, 65536);
        ck_assert_uint_eq(command->as.update.size % 4, 0);
        copy->data = malloc(command->as.update.size);
        ck_assert_ptr_nonnull(copy->data);
        memcpy(copy->data, command->as.update.data, command->as.update.size);
    }
    *recording->end = copy;
    recording->end = &copy->next;
    return ISG_OK;
}

/* ---- running --------------------------------------------------------------------------------- */

static unsigned char *bytes_of(isg_buffer *buffer, uint64_t offset, uint64_t size)
{
    ck_assert(offset <= buffer->desc.size && size <= buffer->desc.size - offset);
    return ((fake_buffer *)buffer)->bytes + offset;
}

static uint64_t saturating_product(const uint32_t counts[3], bool *over)
{
    uint64_t area = (uint64_t)counts[0] * counts[1];

    *over = counts[2] != 0 && area > UINT64_MAX / counts[2];
    return *over ? UINT64_MAX : area * counts[2];
}

/* What shaders/indirect.comp does. */
static void run_indirect_check(const fake_recorded *recorded)
{
    const uint32_t *push = (const uint32_t *)(const void *)recorded->push;
    const isg_command_binding *bindings = recorded->bindings;
    uint32_t *source =
        (uint32_t *)(void *)bytes_of(bindings[0].buffer, bindings[0].offset, bindings[0].size);
    uint32_t *state =
        (uint32_t *)(void *)bytes_of(bindings[1].buffer, bindings[1].offset, bindings[1].size);
    uint32_t *faults =
        (uint32_t *)(void *)bytes_of(bindings[2].buffer, bindings[2].offset, bindings[2].size);
    uint32_t *args = state + push[1];
    uint32_t counts[3];
    uint32_t physical[3];
    bool over = false;
    bool empty = false;

    memcpy(counts, push[5] != 0 ? args + 4 : source + push[0], sizeof counts);
    memcpy(physical, counts, sizeof counts);
    empty = counts[0] == 0 || counts[1] == 0 || counts[2] == 0;
    if (push[7] != 0) {
        uint64_t total = saturating_product(counts, &over);

        physical[0] = total < push[7] ? (uint32_t)total : push[7];
        physical[1] = 1;
        physical[2] = 1;
    } else {
        over = counts[0] > push[8] || counts[1] > push[9] || counts[2] > push[10];
    }
    for (uint32_t i = 0; i < push[4]; i++) {
        memcpy(state + push[2] + (size_t)i * push[3] + 4, counts, sizeof counts);
    }
    if (push[5] != 0) {
        return;
    }
    over = over && !empty;
    if (over || empty) {
        memset(physical, 0, sizeof physical);
    }
    memcpy(args, physical, sizeof physical);
    memcpy(args + 4, counts, sizeof counts);
    faults[push[6] + 1] = over ? 1 : 0;
    if (over) {
        faults[push[6]]++;
        memcpy(faults + push[6] + 2, counts, sizeof counts);
    }
}

static void note_dispatch(const fake_recorded *recorded, fake_command *out)
{
    const isg_command_dispatch *dispatch = &recorded->command.as.dispatch;

    snprintf(out->kernel, sizeof out->kernel, "%s", dispatch->variant->kernel->label);
    out->phase = ((fake_variant *)dispatch->variant)->phase;
    memcpy(out->grid, dispatch->grid, sizeof out->grid);
    out->indirect = dispatch->indirect != NULL;
    out->same_arguments = dispatch->same_arguments;
    out->push_size = dispatch->push_size;
    out->binding_count = dispatch->binding_count;
    memcpy(out->bindings, recorded->bindings, sizeof out->bindings);
    if (dispatch->indirect != NULL) {
        memcpy(out->grid, bytes_of(dispatch->indirect, dispatch->indirect_offset, 12), 12);
    }
    out->has_state = dispatch->variant->uses_state;
    if (out->has_state) {
        out->state_offset = dispatch->state_offset;
        memcpy(out->header, bytes_of(dispatch->state, dispatch->state_offset, sizeof out->header),
               sizeof out->header);
    }
    if (strcmp(out->kernel, "isogrid indirect") == 0) {
        run_indirect_check(recorded);
    }
}

static void run_command(const fake_recorded *recorded, const isg_queue *queue)
{
    const isg_command *command = &recorded->command;
    fake_command note = {.kind = command->kind, .unordered = command->unordered, .queue = queue};

    switch (command->kind) {
    case ISG_COMMAND_DISPATCH:
        note_dispatch(recorded, &note);
        break;
    case ISG_COMMAND_COPY:
        note.size = command->as.copy.size;
        memmove(bytes_of(command->as.copy.destination, command->as.copy.destination_offset,
                         command->as.copy.size),
                bytes_of(command->as.copy.source, command->as.copy.source_offset,
                         command->as.copy.size),
                (size_t)command->as.copy.size);
        break;
    case ISG_COMMAND_FILL:
        note.size = command->as.fill.size;
        memset(bytes_of(command->as.fill.buffer, command->as.fill.offset, command->as.fill.size),
               command->as.fill.value, (size_t)command->as.fill.size);
        break;
    case ISG_COMMAND_UPDATE:
        note.offset = command->as.update.offset;
        note.size = command->as.update.size;
        memcpy(
            bytes_of(command->as.update.buffer, command->as.update.offset, command->as.update.size),
            recorded->data, command->as.update.size);
        break;
    case ISG_COMMAND_TIME_BEGIN:
    case ISG_COMMAND_TIME_END:
        note.time_slot = command->as.time_slot;
        break;
    case ISG_COMMAND_IMAGE_UPLOAD:
    case ISG_COMMAND_IMAGE_DOWNLOAD:
        ck_abort_msg("the fake backend has no images");
    }
    if (fake.command_count < FAKE_MAX_COMMANDS) {
        fake.commands[fake.command_count] = note;
    }
    fake.command_count++;
}

static bool may_run(const fake_pending *pending)
{
    for (uint32_t i = 0; i < pending->wait_count; i++) {
        if (((fake_event *)pending->waits[i].event)->value < pending->waits[i].value) {
            return false;
        }
    }
    for (const fake_pending *at = pending_first; at != pending; at = at->next) {
        if (at->queue == pending->queue) {
            return false;
        }
    }
    return true;
}

static void run_pending(const fake_pending *pending)
{
    for (uint32_t i = 0; i < pending->recording_count; i++) {
        for (const fake_recorded *at = pending->recordings[i]->first; at != NULL; at = at->next) {
            run_command(at, pending->queue);
        }
        pending->recordings[i]->runs++;
    }
    for (uint32_t i = 0; i < pending->signal_count; i++) {
        ((fake_event *)pending->signals[i].event)->value = pending->signals[i].value;
    }
    ((fake_event *)pending->queue->event)->value = pending->value;
}

/* The lock is held. */
static bool run_one(void)
{
    fake_pending **link = &pending_first;

    while (*link != NULL && !may_run(*link)) {
        link = &(*link)->next;
    }
    if (*link == NULL) {
        return false;
    }
    fake_pending *pending = *link;
    run_pending(pending);
    *link = pending->next;
    free(pending);
    return true;
}

uint32_t fake_run(uint32_t count)
{
    uint32_t ran = 0;

    pthread_mutex_lock(&lock);
    while (ran < count && run_one()) {
        ran++;
    }
    pthread_mutex_unlock(&lock);
    return ran;
}

static isg_status queue_submit(isg_queue *queue, const isg_submission *submission)
{
    isg_status status = enter(FAKE_QUEUE_SUBMIT);
    fake_pending *pending = NULL;
    fake_pending **end = &pending_first;

    if (status != ISG_OK) {
        return status;
    }
    ck_assert_uint_le(submission->recording_count, 16);
    ck_assert_uint_le(submission->wait_count, 16);
    ck_assert_uint_le(submission->signal_count, 16);
    pending = calloc(1, sizeof *pending);
    ck_assert_ptr_nonnull(pending);
    pending->queue = queue;
    pending->value = submission->value;
    pending->recording_count = submission->recording_count;
    for (uint32_t i = 0; i < submission->recording_count; i++) {
        pending->recordings[i] = (fake_recording *)submission->recordings[i];
        ck_assert(pending->recordings[i]->ended);
    }
    pending->wait_count = submission->wait_count;
    for (uint32_t i = 0; i < submission->wait_count; i++) {
        pending->waits[i] = submission->waits[i];
    }
    pending->signal_count = submission->signal_count;
    for (uint32_t i = 0; i < submission->signal_count; i++) {
        pending->signals[i] = submission->signals[i];
    }
    pthread_mutex_lock(&lock);
    fake.submissions++;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = pending;
    while (!fake.manual && run_one()) {
    }
    pthread_mutex_unlock(&lock);
    return ISG_OK;
}

/* All work is released at once, or, late, only what somebody has asked for. */
static isg_status queue_released(isg_queue *queue, uint64_t wanted, uint64_t timeout_ns,
                                 uint64_t *out)
{
    isg_status status = wanted != 0 ? event_wait(queue->event, wanted, timeout_ns) : ISG_OK;
    uint64_t value = 0;

    if (status == ISG_OK) {
        status = event_value(queue->event, &value);
    }
    *out = fake.late_release ? wanted : value;
    return status;
}

static isg_status recording_times(isg_recording *recording, uint64_t *times_ns, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        times_ns[i] = ((fake_recording *)recording)->runs * 1000u + i;
    }
    return enter(FAKE_NO_SLOT);
}

/* ---- the table ------------------------------------------------------------------------------- */

#define FAKE_OPS(times)                                                                            \
    {                                                                                              \
        .name = "fake", .backend_create = backend_create, .backend_destroy = backend_destroy,      \
        .enumerate = enumerate, .device_create = device_create, .device_destroy = device_destroy,  \
        .buffer_create = buffer_create, .kernel_create = kernel_create,                            \
        .variant_create = variant_create, .event_create = event_create,                            \
        .event_value = event_value, .event_wait = event_wait, .queue_create = queue_create,        \
        .queue_submit = queue_submit, .queue_released = queue_released,                            \
        .recording_create = recording_create, .recording_begin = recording_begin,                  \
        .record = record, .recording_end = recording_end, .recording_times = (times),              \
        .object_destroy = object_destroy,                                                          \
    }

const isg_backend_ops *fake_ops(void)
{
    static const isg_backend_ops timed = FAKE_OPS(recording_times);
    static const isg_backend_ops untimed = FAKE_OPS(NULL);

    return fake.no_timestamps ? &untimed : &timed;
}

isg_device_info fake_info(const char *name, const char *driver_info, isg_device_type type,
                          uint8_t uuid_byte)
{
    isg_device_info info = {
        .backend = "fake",
        .type = type,
        .memory_size = UINT64_C(1) << 30,
        .limits =
            {
                .features = UINT32_MAX >> 1 & ~(uint32_t)ISG_FEATURE_IMAGES,
                .max_workgroup_count = {65535, 65535, 65535},
                .max_workgroup_size = {1024, 1024, 64},
                .max_workgroup_invocations = 1024,
                .max_shared_size = 32768,
                .max_push_size = 128,
                .max_buffer_size = UINT64_C(1) << 30,
                .max_binding_size = UINT64_C(1) << 27,
                .max_uniform_binding_size = 65536,
                .storage_offset_alignment = 64,
                .uniform_offset_alignment = 256,
                .max_bindings = 64,
                .subgroup_size = 8,
            },
        .grid_sync = ISG_GRID_SYNC_SPLIT,
        .grid_sync_reason = "the fake device waits for nobody",
        .unusable = "",
    };

    snprintf(info.name, sizeof info.name, "%s", name);
    snprintf(info.driver_name, sizeof info.driver_name, "fake");
    snprintf(info.driver_info, sizeof info.driver_info, "%s", driver_info);
    memset(info.uuid, uuid_byte, sizeof info.uuid);
    return info;
}

void fake_reset(void)
{
    fake = (fake_state){0};
    lost = false;
    fake.infos[0] = fake_info("Fake GPU", "1.0", ISG_DEVICE_TYPE_DISCRETE_GPU, 1);
    fake.device_count = 1;
}

isg_instance *fake_instance(const isg_host_allocator *allocator)
{
    const isg_backend_ops *const ops[1] = {fake_ops()};
    isg_instance_desc desc = {.cache_directory = ""};
    isg_instance *instance = NULL;

    if (allocator != NULL) {
        desc.allocator = *allocator;
    }
    if (isg_instance_create_with(ops, 1, &desc, &instance) != ISG_OK) {
        return NULL;
    }
    return instance;
}

/* ---- the counting allocator ------------------------------------------------------------------ */

static void *counted_allocate(void *user, size_t size, size_t alignment)
{
    counting_allocator *allocator = user;
    long long call = atomic_fetch_add(&allocator->calls, 1) + 1;
    long long fail_at = atomic_load(&allocator->fail_at);
    void *pointer = NULL;

    ck_assert_uint_ge(alignment, alignof(void *));
    if (fail_at != 0 && (call == fail_at || (call > fail_at && allocator->fail_later))) {
        return NULL;
    }
    pointer = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    ck_assert_ptr_nonnull(pointer);
    atomic_fetch_add(&allocator->live_bytes, (long long)size);
    atomic_fetch_add(&allocator->live_count, 1);
    return pointer;
}

static void counted_release(void *user, void *pointer, size_t size)
{
    counting_allocator *allocator = user;

    ck_assert_ptr_nonnull(pointer);
    atomic_fetch_sub(&allocator->live_bytes, (long long)size);
    atomic_fetch_sub(&allocator->live_count, 1);
    free(pointer);
}

isg_host_allocator counting_callbacks(counting_allocator *allocator)
{
    return (isg_host_allocator){allocator, counted_allocate, counted_release};
}
