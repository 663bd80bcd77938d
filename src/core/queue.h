/* The core's part of a queue: what is in flight, recordings to use again, errors to report. */
#ifndef ISOGRID_CORE_QUEUE_H
#define ISOGRID_CORE_QUEUE_H

#include "core/backend.h"
#include "core/recording.h"

#include <pthread.h>

/* Submissions of one queue in flight at once; the next one waits for the oldest. */
#define ISG_MAX_IN_FLIGHT 256u
/* Finished submissions that the driver may keep from being let go of: a queue with more waits for
 * the oldest rather than to allocate. */
#define ISG_MAX_UNRELEASED 32u
/* Execution errors kept with their message until a wait reports them. */
#define ISG_MAX_PENDING_FAULTS 8u

/* A submission whose objects are held: it has not been seen to finish, or the driver's rules do
 * not allow to let go of them yet. */
typedef struct isg_in_flight {
    uint64_t value;    /* of the queue's event */
    isg_object **held; /* each is held: recordings, events */
    uint32_t count;
    uint32_t capacity;
} isg_in_flight;

typedef struct isg_pending_fault {
    uint64_t value; /* of the submission it came from */
    isg_status status;
    char message[ISG_FAULT_MESSAGE_SIZE];
} isg_pending_fault;

struct isg_queue_core {
    isg_queue *queue;
    isg_queue_core *next;     /* in the device's list; guarded by the device's lock */
    char *label;              /* owned */
    _Atomic uint64_t retired; /* submissions up to this value have finished */

    pthread_mutex_t lock;     /* guards all below */
    isg_in_flight *flights;   /* owned ring; [first, first + count) hold something */
    uint32_t flight_capacity; /* 0 or a power of two */
    uint32_t flight_first;
    uint32_t flight_count;
    uint32_t held_most;          /* objects the largest submission so far held */
    uint32_t finished_count;     /* of these, the oldest that have finished */
    isg_recording_core *idle[2]; /* owned; internal recordings by `timed` */
    isg_event_value_pair *waits; /* owned; of the submission being made */
    uint32_t wait_capacity;
    isg_pending_fault faults[ISG_MAX_PENDING_FAULTS]; /* oldest first */
    uint32_t fault_count;
    uint64_t faults_dropped; /* more there was no room for */
};

/* Creates a queue; `own`: the device's own, borrowed by callers. Else no live handle yet, the
 * caller owns its one reference. */
isg_status isg_queue_make(isg_device *device, const char *label, bool own, isg_queue **out);
/* Nothing is in flight. */
void isg_queue_destroy(isg_queue *queue);
/* Takes note of what has finished; never waits. */
isg_status isg_queue_poll(isg_queue *queue);
/* If the oldest submission has finished, lets go of what it holds, waiting for the driver if need
 * be. */
isg_status isg_queue_make_room(isg_queue *queue);
/* Lets go of all that finished submissions hold. Where the driver has to be asked first, the answer
 * comes when what is in flight now has finished, within the hang timeout. False: there was nothing. */
bool isg_queue_reclaim(isg_queue *queue);
/* Polls; whether nothing is held for a submission. */
bool isg_queue_is_idle(isg_queue *queue);
/* Waits for all work, bounded by the hang timeout. False: it never ended, and stays in flight. A
 * lost device's work counts as ended. */
bool isg_queue_finish(isg_queue *queue);

/* Says what has been in flight longest: "dispatch 'x' in recording 'y' on queue 'z'". False:
 * nothing is, or the queue is busy. */
bool isg_queue_describe_oldest(isg_queue *queue, char *out, size_t size);

/* Takes note that submissions up to `value` have finished. The queue's lock is held. */
void isg_queue_retire(isg_queue_core *core, uint64_t value, bool lost);

/* Lets go of what finished submissions hold, as far as the driver's rules allow by now, and first
 * waits until they do for the submission of value `wanted`, which has finished (0: waits for none).
 * The queue's lock is held. */
isg_status isg_queue_release_held(isg_queue_core *core, uint64_t wanted);

/* ---- submitting (core/submit.c) -------------------------------------------------------------- */

/* Submits what isg_queue_submit() has checked, or internal recordings. */
isg_status isg_queue_submit_now(isg_queue *queue, const isg_submit_desc *desc, uint64_t *out_value);

/* ---- internal recordings (core/enqueue.c) ---------------------------------------------------- */

/* An empty recording, begun. `keep`: it is given back by isg_queue_end_keeping(), else by the end
 * of its submission. */
isg_status isg_queue_take_recording(isg_queue *queue, bool timed, bool keep, isg_recording **out);
void isg_queue_give_recording(isg_queue *queue, isg_recording *recording);
/* For a kept recording: gives it back now, or when the submission it is in ends. */
void isg_queue_end_keeping(isg_queue *queue, isg_recording *recording);
/* Ends and submits it; on failure gives it back, unless it is kept. */
isg_status isg_queue_submit_recording(isg_queue *queue, isg_recording *recording,
                                      isg_status recorded, uint64_t *out_value);

/* ---- waiting (core/wait.c) ------------------------------------------------------------------- */

/* Waits in slices, so that a lost device is noticed. ISG_WAIT_FOREVER ends in DEVICE_STUCK after
 * the hang timeout without progress. */
isg_status isg_event_wait_sliced(isg_event *event, uint64_t value, uint64_t timeout_ns);
/* Waits for a value of the queue that has been submitted, and takes note. */
isg_status isg_queue_wait_value(isg_queue *queue, uint64_t value, uint64_t timeout_ns);
/* Reports, once, the execution errors of submissions up to `value`. */
isg_status isg_queue_report(isg_queue *queue, uint64_t value);

static inline uint64_t isg_event_submitted(isg_event *event)
{
    return atomic_load_explicit(&event->submitted, memory_order_acquire);
}

#endif
