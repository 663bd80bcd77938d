/* A backend in host memory, for tests of the core: copies, fills and updates are done, dispatches
 * are noted, and any slot can be made to fail. One process, one state. */
#ifndef ISOGRID_TESTS_FAKE_BACKEND_H
#define ISOGRID_TESTS_FAKE_BACKEND_H

#include "core/backend.h"
#include "spirv/spirv.h"

#include <pthread.h>

typedef enum fake_slot {
    FAKE_NO_SLOT,
    FAKE_BACKEND_CREATE,
    FAKE_ENUMERATE,
    FAKE_DEVICE_CREATE,
    FAKE_BUFFER_CREATE,
    FAKE_KERNEL_CREATE,
    FAKE_VARIANT_CREATE,
    FAKE_EVENT_CREATE,
    FAKE_EVENT_WAIT,
    FAKE_QUEUE_CREATE,
    FAKE_QUEUE_SUBMIT,
    FAKE_RECORDING_CREATE,
    FAKE_RECORDING_BEGIN,
    FAKE_RECORD,
    FAKE_RECORDING_END,
} fake_slot;

/* A command as the device ran it. */
typedef struct fake_command {
    isg_command_kind kind;
    bool unordered;
    const void *queue; /* that ran it */
    /* Dispatches. */
    char kernel[48]; /* label */
    uint32_t phase;  /* UINT32_MAX: the variant has none */
    uint32_t grid[3];
    bool indirect;
    bool same_arguments;
    bool has_state;
    uint64_t state_offset;
    uint32_t header[ISG_STATE_HEADER_WORDS]; /* as it was when the dispatch ran */
    uint32_t push_size;
    uint32_t binding_count;
    isg_command_binding bindings[8];
    /* Copies, fills, updates. */
    uint64_t offset;
    uint64_t size;
    uint32_t time_slot;
} fake_command;

#define FAKE_MAX_COMMANDS 8192u

typedef struct fake_state {
    /* Set by tests before use. */
    isg_device_info infos[8];
    uint32_t device_count;
    bool hidden_memory; /* DEVICE buffers are not mapped */
    bool manual;        /* submissions run by fake_run() alone */
    bool no_timestamps; /* only before the instance is created */
    bool late_release;  /* finished work may be let go of only when that is asked for */
    uint32_t wait_ns_per_call;

    /* The next call of `fail_slot`, after `fail_after` that pass, returns `fail_status`; so do
     * all later ones if `fail_for_good`. */
    fake_slot fail_slot;
    uint32_t fail_after;
    isg_status fail_status;
    bool fail_for_good;

    /* What happened. */
    fake_command commands[FAKE_MAX_COMMANDS];
    uint32_t command_count;
    uint32_t variants_created;
    uint32_t submissions;
    uint32_t live_objects; /* buffers, kernels, variants, events, queues, recordings */
    uint32_t live_devices;
    uint32_t live_backends;
    bool abandoned;
    uint32_t slot_calls_after_lost; /* of slots that a lost device must not see */
} fake_state;

extern fake_state fake;

/* Fresh state with one discrete GPU that can do everything. */
void fake_reset(void);
const isg_backend_ops *fake_ops(void);
/* Runs up to `count` submissions that are pending, in the order of their submission, skipping those
 * that wait for events not yet reached. Returns how many ran. */
uint32_t fake_run(uint32_t count);
/* An info that can do everything. */
isg_device_info fake_info(const char *name, const char *driver_info, isg_device_type type,
                          uint8_t uuid_byte);

/* An instance over the fake backend; NULL allocator: malloc. */
isg_instance *fake_instance(const isg_host_allocator *allocator);

/* An allocator that counts and may fail. */
typedef struct counting_allocator {
    atomic_llong live_bytes;
    atomic_llong live_count;
    atomic_llong calls;
    atomic_llong fail_at;   /* the call with this number fails, counted from 1; 0: none */
    atomic_bool fail_later; /* and all after it */
} counting_allocator;

isg_host_allocator counting_callbacks(counting_allocator *allocator);

#endif
