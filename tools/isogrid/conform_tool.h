/* What the files of `isogrid conform` share: the supervisor, its children, the report. */
#ifndef ISOGRID_TOOLS_CONFORM_TOOL_H
#define ISOGRID_TOOLS_CONFORM_TOOL_H

#include "conform.h"

#include <jansson.h>
#include <sys/types.h>

enum conform_exit { EXIT_PASS = 0, EXIT_FAIL = 1, EXIT_USAGE = 2, EXIT_NOTHING = 77 };

typedef struct conform_options {
    const char **devices; /* selectors, NULL-ended; NULL: every device */
    const char **suites;  /* names; NULL: all */
    const char *case_glob;
    const char *json_path;
    int timeout_s; /* of a case that has none of its own */
    int full;
    int list, list_suites;
    /* between the supervisor and its children */
    int internal_list, internal_run;
    const char *internal_scenario;
    const char *driver;
    int from, to, fd;
} conform_options;

/* ---- cases (conform_select.c) ---- */

/* The cases that the options choose, in order. False, with a message, when a name matches nothing.
 * Free `list->cases`. */
bool conform_select(const conform_options *options, conform_list *list);
/* The row that applies to the case on the device, or NULL. */
const conform_exclusion *conform_excluded(const char *case_name, const char *driver_text);

/* ---- a child process (conform_process.c) ---- */

typedef struct conform_process {
    pid_t pid;
    int events; /* lines of JSON */
    int output; /* its standard output and error */
    char *line; /* owned: what came of the next line */
    size_t line_size, line_used;
    char tail[4096]; /* the end of its output */
    size_t tail_used;
} conform_process;

typedef enum conform_read {
    CONFORM_READ_LINE,
    CONFORM_READ_END,
    CONFORM_READ_TIMEOUT
} conform_read;

double conform_now(void); /* seconds of a steady clock */
/* Starts `isogrid conform` again with these arguments, plus the descriptor for its events.
 * `environment`: "NAME=value" entries to set, ended by NULL; NULL: none. */
bool conform_process_start(conform_process *process, const char *const *arguments,
                           const char *const *environment);
/* The next event, NUL-ended in process->line. `tick` (may be NULL) is called while waiting. */
conform_read conform_process_read(conform_process *process, double deadline,
                                  void (*tick)(void *user), void *user);
/* Waits for its end, at most `seconds`, then kills it. Writes how it ended ("" when well). */
void conform_process_end(conform_process *process, double seconds, char *how, size_t how_size);

/* ---- devices (conform_devices.c) ---- */

typedef struct conform_target {
    char selector[32]; /* "vulkan:0" */
    char exact[64];    /* "vulkan:uuid:..." */
    char name[256], driver_name[256], driver_info[256], unusable[256];
    char brief[64]; /* "Mesa 25.0.7" */
    bool resident;  /* the device can sync resident workgroups */
    bool selected;
    json_t *json; /* owned */
    unsigned passed, failed, skipped;
    bool resident_ran;
} conform_target;

typedef struct conform_answer {
    char selector[256];
    char exact[64]; /* "" when nothing was opened */
    isg_status status;
    char message[2048];
} conform_answer;

typedef struct conform_devices {
    conform_target *targets; /* owned */
    size_t count;
    conform_answer *answers; /* owned; one for each selector asked about */
    size_t answer_count;
    char *reasons; /* owned: why backends are not there, one a line */
} conform_devices;

/* Asks a child which devices there are and what each of `selectors` opens. False with a message
 * when the child could not say. */
bool conform_devices_find(const char *const *selectors, conform_devices *out);
void conform_devices_free(conform_devices *devices);
conform_target *conform_devices_exact(const conform_devices *devices, const char *exact);
/* The child's side. */
int conform_devices_child(const conform_options *options, const char **selectors);

/* ---- ISOGRID_REQUIRE (conform_require.c) ---- */

typedef struct conform_requirement {
    char selector[256];
    bool resident;
} conform_requirement;

/* Reads the list; *out is owned by the caller. -1 with a message when it cannot be read. */
int conform_requirements(const char *text, conform_requirement **out);
/* Why the entry is not met, or "". `selection`: --device was given. */
void conform_unmet(const conform_requirement *entry, const conform_devices *devices, bool selection,
                   char *why, size_t size);

/* ---- running (conform_run.c) ---- */

int conform_run_child(const conform_options *options, const char *selector);

struct conform_report;
/* Runs the chosen cases on one device, each suite in a child of its own. */
void conform_run_target(const conform_options *options, const conform_list *cases,
                        conform_target *target, struct conform_report *report);

/* ---- the validation layer (conform_layer.c) ---- */

/* The environment that turns it on, or NULL with the reason. */
const char *const *conform_layer_environment(const char **reason);

/* ---- the report (conform_report.c) ---- */

typedef struct conform_report {
    bool colour, terminal;
    const conform_list *cases;
    size_t case_total, case_done;
    double shown; /* when progress was shown last */
    int brief_width, name_width;
    json_t *json_cases; /* owned */
    json_t *digests;    /* owned: case -> {digest, brief} of the first device */
    unsigned passed, failed, skipped, compared;
} conform_report;

void conform_report_begin(conform_report *report, const conform_list *cases,
                          const conform_devices *devices);
/* Shows what runs now, on a terminal. */
void conform_report_progress(conform_report *report, const conform_target *target, const char *name,
                             double seconds);
/* One line. May turn a pass into a failure when the digest is not that of the first device. */
void conform_report_case(conform_report *report, conform_target *target, const char *name,
                         conform_result *result);
/* The totals. */
void conform_report_end(conform_report *report, const conform_devices *devices);
bool conform_report_write(const conform_report *report, const conform_devices *devices,
                          const char *path, int exit_code);
void conform_report_free(conform_report *report);

#endif
