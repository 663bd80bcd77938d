/* What a conformance suite sees: how it lists its cases, the device under test, what a case reports,
 * and the checks that all suites share.
 *
 * A suite is a file named after its noun; its cases are Check tests (START_TEST), each a TCase of
 * its own. `isogrid conform` runs them in a child process for each device, without forking again.
 * Only public headers are used. Checks run on the case's own thread: other threads hand their
 * findings back.
 */
#ifndef ISOGRID_TESTS_CONFORM_H
#define ISOGRID_TESTS_CONFORM_H

#include "isogrid/isogrid.h"

#include <check.h>

/* ---- suites and cases (registry.c) ----------------------------------------------------------- */

enum conform_case_flag {
    CONFORM_FULL = 1 << 0,        /* only with --full */
    CONFORM_ANY_MESSAGE = 1 << 1, /* the case provokes messages of the validation layer */
};

typedef struct conform_list conform_list;

/* Adds one case to the suite being listed. `index` is the test's _i. `seconds` 0: the default. */
void conform_add_case(conform_list *list, const char *name, const TTest *test, int index,
                      unsigned flags, unsigned seconds);
#define CONFORM_ADD(list, test) conform_add_case((list), #test, (test), 0, 0, 0)
#define CONFORM_ADD_SLOW(list, test, seconds)                                                      \
    conform_add_case((list), #test, (test), 0, 0, (seconds))
#define CONFORM_ADD_FULL(list, test, seconds)                                                      \
    conform_add_case((list), #test, (test), 0, CONFORM_FULL, (seconds))

typedef struct conform_suite {
    const char *name;
    const char *summary;
    void (*list)(conform_list *list);
    bool wants_validation; /* run with the validation layer on */
    bool hidden;           /* run only when named */
} conform_suite;

extern const conform_suite conform_suites[]; /* ended by a NULL name */

void conform_reference_list(conform_list *list);
void conform_buffer_list(conform_list *list);
void conform_kernel_list(conform_list *list);
void conform_kernel_feature_cases(conform_list *list); /* in kernel */
void conform_dispatch_list(conform_list *list);
void conform_exactness_list(conform_list *list);
void conform_queue_list(conform_list *list);
void conform_concurrency_list(conform_list *list);
void conform_recording_list(conform_list *list);
void conform_image_list(conform_list *list);
void conform_plan_list(conform_list *list);
void conform_bad_input_list(conform_list *list);
void conform_bad_module_cases(conform_list *list);      /* in bad_input */
void conform_exactness_float_cases(conform_list *list); /* in exactness */
void conform_limits_list(conform_list *list);
void conform_selector_list(conform_list *list);
void conform_lifetime_list(conform_list *list);
void conform_never_hang_list(conform_list *list);
void conform_guards_list(conform_list *list);
void conform_validation_list(conform_list *list);
void conform_self_test_list(conform_list *list);

/* A program of a few lines that a case runs in a process of its own, under a changed environment:
 * `isogrid conform --internal-scenario NAME`. Returns the process's exit code. */
typedef struct conform_scenario {
    const char *name;
    int (*run)(const char *argument);
} conform_scenario;

extern const conform_scenario conform_scenarios[]; /* ended by a NULL name */

int conform_scenario_plan(const char *argument);
int conform_scenario_open(const char *argument);
int conform_scenario_stuck(const char *argument);
int conform_scenario_leave(const char *argument);

/* Cases that are left out, or known to fail, on a driver whose "name driver_name driver_info"
 * contains `driver`. */
typedef struct conform_exclusion {
    const char *driver;    /* NULL ends the table */
    const char *case_name; /* "suite.case"; a glob */
    enum { CONFORM_UNSUPPORTED, CONFORM_XFAIL } kind;
    const char *reason;
} conform_exclusion;

extern const conform_exclusion conform_exclusions[];

/* ---- the running case (state.c) ---------------------------------------------------------------- */

/* Opened once for each process; every case shares it. */
isg_instance *conform_instance(void);
isg_device *conform_device(void);
isg_queue *conform_queue(void);
const isg_device_info *conform_info(void);
/* A selector that opens the same device again, "vulkan:uuid:..."; what the user asked for. */
const char *conform_selector(void);
bool conform_full(void);
/* Whether the device's "name driver_name driver_info" contains `text`, whatever the case. */
bool conform_driver_is(const char *text);

/* Ends the case without a verdict. */
_Noreturn void conform_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Ends the case as a failure. */
_Noreturn void conform_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void conform_fail_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Restarts the case's kill timer; for cases that are long on purpose. */
void conform_progress(void);

/* What the case's line shows. */
void conform_report_plan(isg_plan_kind kind);
void conform_report_syncs(uint64_t count);
/* Adds output bytes to the case's digest, which must be the same on every device; `expected` is
 * what the host computed (NULL where it cannot). The digest does not depend on how it was cut. */
void conform_digest(const void *output, const void *expected, size_t size);
/* The same for 32-bit floats; NaNs count as one value. */
void conform_digest_floats(const float *output, const float *expected, size_t count);

/* Warnings and errors the driver and its layers sent since the case began. */
unsigned conform_message_count(void);
const char *conform_first_message(void);

/* ---- checks (checks.c) --------------------------------------------------------------------------- */

/* The call must succeed. */
#define CONFORM_OK(call) conform_check_ok((call), #call, __FILE__, __LINE__)
/* The call must return `status`, and its message must hold each of the texts that follow. */
#define CONFORM_REFUSED(status, call, ...)                                                         \
    conform_check_refused((status), (conform_stale_error(), (call)), #call, __FILE__, __LINE__,    \
                          (const char *const[]){__VA_ARGS__, NULL})
/* The call must return `status`, an outcome without a message. */
#define CONFORM_STATUS(status, call)                                                               \
    conform_check_status((status), (call), #call, __FILE__, __LINE__)
#define CONFORM_TRUE(condition, ...)                                                               \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            conform_fail_at(__FILE__, __LINE__, __VA_ARGS__);                                      \
        }                                                                                          \
    } while (0)

void conform_check_ok(isg_status status, const char *call, const char *file, int line);
void conform_check_status(isg_status expected, isg_status status, const char *call,
                          const char *file, int line);
void conform_stale_error(void);
void conform_check_refused(isg_status expected, isg_status status, const char *call,
                           const char *file, int line, const char *const *texts);
/* `count` words must be equal; the failure names the first that differs. */
void conform_check_words(const uint32_t *got, const uint32_t *expected, size_t count,
                         const char *what);
void conform_check_bytes(const void *got, const void *expected, size_t size, const char *what);
/* All `size` bytes must be `value`. */
void conform_check_filled(const void *got, uint8_t value, size_t size, const char *what);
/* The device must still take work: one small dispatch, exact. */
void conform_check_usable(isg_device *device);

/* ---- objects (objects.c): the call must succeed or the case fails ---------------------------------- */

/* A kernel of tests/kernels by its file's stem. */
isg_kernel *conform_kernel(const char *stem);
isg_kernel *conform_kernel_on(isg_device *device, const char *stem);
/* Its SPIR-V. */
const uint32_t *conform_spirv(const char *stem, size_t *out_size);
isg_buffer *conform_buffer(uint64_t size, isg_memory memory);
/* Device memory with these bytes. */
isg_buffer *conform_buffer_of(const void *data, uint64_t size);
isg_buffer *conform_buffer_on(isg_device *device, const void *data, uint64_t size);
/* Host memory, zeroed; conform_free() it. */
void *conform_alloc(size_t count, size_t size);
void conform_free(void *pointer);
/* Reports the dispatch's plan, runs it on the device's own queue and waits. */
void conform_run(const isg_dispatch *dispatch);
void conform_run_on(isg_queue *queue, const isg_dispatch *dispatch);

#define CONFORM_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CONFORM_SECOND UINT64_C(1000000000)

/* ---- data (objects.c) ------------------------------------------------------------------------------ */

/* A 32-bit mix of `value`, the same as mix32() of tests/kernels/mix32.glsl. */
uint32_t conform_mix32(uint32_t value);
void conform_random_words(uint32_t *words, size_t count, uint32_t seed);
void conform_random_bytes(void *bytes, size_t size, uint32_t seed);

/* ---- modules changed word by word (modules.c) ------------------------------------------------------- */

/* A copy of a kernel's words with one OpConstant of value `from` changed to `to`; fails the case
 * unless exactly one has that value. conform_free() it. */
uint32_t *conform_spirv_with_constant(const char *stem, uint32_t from, uint32_t to,
                                      size_t *out_size);
/* A copy with the LocalSize execution mode changed. */
uint32_t *conform_spirv_with_local_size(const char *stem, uint32_t x, uint32_t y, uint32_t z,
                                        size_t *out_size);
/* isg_kernel_create() on the device under test. */
isg_status conform_try_kernel(const void *spirv, size_t size, isg_kernel **out);

/* ---- other processes (processes.c) ------------------------------------------------------------------- */

typedef struct conform_outcome {
    int exit_code; /* -1: ended by a signal or by the timer */
    int signal;
    bool timed_out;
    char output[8192]; /* standard output and error, cut */
} conform_outcome;

/* Runs a scenario in a process of its own. `environment`: "NAME=value" entries, or "NAME" to unset
 * one; ended by NULL. */
void conform_spawn(const char *scenario, const char *argument, const char *const *environment,
                   unsigned seconds, conform_outcome *out);
/* How many file descriptors and threads this process has, and its resident bytes. */
unsigned conform_fd_count(void);
unsigned conform_thread_count(void);
uint64_t conform_resident_size(void);
/* Whether a sanitizer keeps freed memory, so that the resident size says nothing. */
bool conform_keeps_freed_memory(void);

/* ---- counting allocator (processes.c) --------------------------------------------------------------- */

typedef struct conform_allocations {
    _Atomic uint64_t calls; /* allocations so far */
    _Atomic int64_t live;   /* not released yet */
    _Atomic int64_t bytes;
    _Atomic int64_t fail_after;   /* fails every allocation once so many were made; -1: never */
    _Atomic uint64_t wrong_sizes; /* releases whose size is not what was asked for */
} conform_allocations;

isg_host_allocator conform_counting_allocator(conform_allocations *counts);

/* ---- for the runner (state.c) ------------------------------------------------------------------------- */

typedef struct conform_case {
    char name[80];     /* "suite.case" */
    const TTest *test; /* NULL: the runner's own check that the device is the one asked for */
    int index;
    unsigned flags;
    unsigned seconds;
    const conform_suite *suite;
} conform_case;

struct conform_list {
    const conform_suite *suite;
    conform_case *cases; /* owned */
    size_t count, capacity;
};

/* All cases of all suites, in order. Free `cases`. */
void conform_list_all(conform_list *list);

typedef enum conform_verdict { CONFORM_PASS, CONFORM_FAIL, CONFORM_SKIP } conform_verdict;

typedef struct conform_result {
    conform_verdict verdict;
    char reason[4096];
    char plan[64]; /* "split", "single+split", "" */
    uint64_t syncs;
    bool has_syncs;
    char digest[33];   /* "" where there is none */
    char expected[33]; /* what the host computed; "" where it cannot */
    double seconds;
} conform_result;

/* Opens the device that all cases of this process share. */
isg_status conform_open(const char *selector, const char *driver, bool full);
void conform_close(void);
void conform_run_case(const conform_case *item, conform_result *out);
/* Called by conform_progress(). */
extern void (*conform_on_progress)(void);

#endif
