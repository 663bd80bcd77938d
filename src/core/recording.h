/* The core's part of a recording: what it holds, its state and fault memory, how its runs ended. */
#ifndef ISOGRID_CORE_RECORDING_H
#define ISOGRID_CORE_RECORDING_H

#include "core/backend.h"
#include "core/dispatch.h"

#include <pthread.h>

#define ISG_FAULT_MESSAGE_SIZE 400u

/* Where a dispatch of a recording may report an error from the device. */
typedef struct isg_fault_site {
    char label[96];
    uint32_t limit[3]; /* the device's, of workgroup counts */
    bool looped;       /* limited by the count in all instead */
    bool guard;        /* the error words of a bounded or checked kernel instead of counts */
    uint32_t seen;     /* faults counted on the device up to the last look */
} isg_fault_site;

/* Words of one site's record in a fault buffer; shaders/indirect.comp writes them. */
enum isg_fault_word {
    ISG_FAULT_COUNT = 0,  /* runs that failed, ever */
    ISG_FAULT_LAST = 1,   /* whether the last run failed */
    ISG_FAULT_VALUES = 2, /* three counts of the last failure */
    ISG_FAULT_WORDS = 8,
};

struct isg_recording_core {
    isg_recording *recording;
    isg_recording_core *next; /* in the idle list of its queue */
    char *label;              /* owned */
    bool internal;            /* made by a queue for itself */
    bool kept;                /* internal: whoever took it gives it back */

    /* While it is recorded; fixed once it has ended. */
    char first_dispatch[64]; /* label; "": none */
    bool ended;
    isg_status broken; /* a call failed halfway: nothing can be appended any more */
    uint32_t appended; /* commands the current call has appended */
    isg_object **held; /* each is held */
    uint32_t held_count;
    uint32_t held_capacity;
    uint32_t dispatch_count;
    isg_dispatch_scratch scratch;
    isg_buffer *state; /* owned; headers of phased dispatches */
    uint64_t state_used;
    bool state_wrapped;     /* bytes are used again: writes to them are ordered */
    uint32_t *header_words; /* owned; headers on their way */
    uint32_t header_capacity;
    isg_buffer **fault_buffers; /* owned; mapped */
    uint32_t fault_buffer_count;
    uint32_t fault_buffer_capacity;
    isg_fault_site *faults;
    uint32_t fault_count;
    uint32_t fault_capacity;

    pthread_mutex_t lock;  /* guards all below; innermost */
    isg_queue *last_queue; /* where its last submission is in flight; NULL: it is not */
    uint64_t last_value;
    uint32_t unreleased; /* submissions whose objects are still held */
    bool finished;       /* a submission has finished; `status` tells how */
    isg_status status;
    char message[ISG_FAULT_MESSAGE_SIZE];
    uint64_t *times; /* owned; of each dispatch, while has_times */
    uint32_t time_capacity;
    bool has_times;
};

/* Creates an empty recording that is no live handle yet; the caller owns its one reference. */
isg_status isg_recording_make(isg_device *device, const isg_recording_desc *desc, bool internal,
                              isg_recording **out);
void isg_recording_destroy(isg_recording *recording);
/* Lets go of everything and starts over. It is not in flight. */
isg_status isg_recording_restart(isg_recording *recording);
void isg_recording_drop_held(isg_recording_core *core);
bool isg_recording_in_flight(isg_recording_core *core);
/* Some submission, finished or not, still holds it. */
bool isg_recording_is_held(isg_recording_core *core);
/* Ends it, so that it can be submitted. */
isg_status isg_recording_close(isg_recording *recording);

/* A submission has finished (`lost`: will never). Returns how, with `message` for the queue's
 * waits. The queue's lock is held. */
isg_status isg_recording_finished(isg_recording_core *core, const isg_queue *queue, uint64_t value,
                                  bool lost, char message[ISG_FAULT_MESSAGE_SIZE]);

/* ---- appending (core/record.c) --------------------------------------------------------------- */

/* Begins a call that appends: from here on failures undo what the call has held. Returns what to
 * give to isg_record_finish_call(). */
uint32_t isg_record_begin_call(isg_recording_core *core);
/* Ends it: on failure lets go of what was held since, or marks the recording broken. */
isg_status isg_record_finish_call(isg_recording_core *core, uint32_t held_before,
                                  isg_status status);
isg_status isg_record_hold(isg_recording_core *core, isg_object *object);
isg_status isg_record_command(isg_recording_core *core, const isg_command *command);

/* The checks of the public functions. */
isg_status isg_record_check_copy(const isg_device *device, isg_buffer *destination,
                                 uint64_t destination_offset, isg_buffer *source,
                                 uint64_t source_offset, uint64_t size);
isg_status isg_record_check_fill(const isg_device *device, isg_buffer *buffer, uint64_t offset,
                                 uint64_t size);

/* As the public functions, on recordings that need not be live handles. Copies and fills are
 * checked already. */
isg_status isg_record_add_dispatch(isg_recording *recording, const isg_dispatch *dispatch,
                                   uint32_t own_binding_count, isg_plan *out_plan);
isg_status isg_record_add_copy(isg_recording *recording, isg_buffer *destination,
                               uint64_t destination_offset, isg_buffer *source,
                               uint64_t source_offset, uint64_t size);
isg_status isg_record_add_fill(isg_recording *recording, isg_buffer *buffer, uint64_t offset,
                               uint64_t size, uint8_t value);

/* ---- state memory, runs and faults ----------------------------------------------------------- */

/* `size` bytes of the recording's state buffer; *out_fresh: nothing recorded so far uses them. */
isg_status isg_state_take(isg_recording_core *core, uint64_t size, uint64_t *out_offset,
                          bool *out_fresh);

/* Appends the commands of a checked dispatch whose plan is single or split (core/split.c). */
isg_status isg_split_record(isg_recording_core *core, const isg_checked_dispatch *dispatch);

/* A new fault site; *out_buffer and *out_word say where its record is (core/fault.c). */
isg_status isg_fault_site_add(isg_recording_core *core, const isg_checked_dispatch *dispatch,
                              isg_buffer **out_buffer, uint32_t *out_word);
/* The same for a kernel's guards, whose error words are copied there after each run. Of several runs
 * of one recording that nobody has looked at yet, the last one's count. */
isg_status isg_fault_guard_add(isg_recording_core *core, const isg_checked_dispatch *dispatch,
                               isg_buffer **out_buffer, uint32_t *out_word);
/* Looks at all sites: ISG_OK, or the first new failure with its message in core->message. */
isg_status isg_faults_read(isg_recording_core *core);

/* What the checking kernel of an indirect dispatch is to do (core/indirect.c). */
typedef struct isg_indirect_check {
    const isg_checked_dispatch *dispatch;
    isg_buffer *state;
    uint64_t args_offset;   /* in `state`: physical counts, then the logical ones */
    uint64_t header_offset; /* in `state`: headers that get the logical grid */
    uint64_t header_stride;
    uint32_t header_count;
    bool again; /* the logical grid was read before and is in the args */
    isg_buffer *fault_buffer;
    uint32_t fault_word;
} isg_indirect_check;

isg_status isg_indirect_record(isg_recording_core *core, const isg_indirect_check *check);

#endif
