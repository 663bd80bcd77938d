/* Owns running cases in child processes: one for each suite, replaced when it hangs or crashes. */
#include "conform_tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the child's side ---- */

static int event_fd;

static void emit(json_t *event)
{
    char *text = json_dumps(event, JSON_COMPACT);

    if (text) {
        dprintf(event_fd, "%s\n", text);
    }
    free(text);
    json_decref(event);
}

static void emit_progress(void)
{
    emit(json_pack("{s:s}", "event", "progress"));
}

static void emit_end(size_t index, const conform_result *result)
{
    json_t *event =
        json_pack("{s:s, s:i, s:i, s:s, s:s, s:s, s:f, s:s%}", "event", "end", "index", (int)index,
                  "verdict", (int)result->verdict, "plan", result->plan, "digest", result->digest,
                  "expected", result->expected, "seconds", result->seconds, "reason",
                  result->reason, strnlen(result->reason, sizeof result->reason));
    if (!event) { /* a reason that is not UTF-8 */
        event = json_pack("{s:s, s:i, s:i, s:s}", "event", "end", "index", (int)index, "verdict",
                          (int)result->verdict, "reason", "its reason is not UTF-8 text");
    }
    if (result->has_syncs) {
        json_object_set_new(event, "syncs", json_integer((json_int_t)result->syncs));
    }
    emit(event);
}

static void run_one(const conform_case *item, size_t index)
{
    const isg_device_info *info = conform_info();
    const conform_exclusion *row = NULL;
    conform_result result = {.verdict = CONFORM_SKIP};
    char driver[800];

    snprintf(driver, sizeof driver, "%s %s %s", info->name, info->driver_name, info->driver_info);
    row = conform_excluded(item->name, driver);
    if (row && row->kind == CONFORM_UNSUPPORTED) {
        snprintf(result.reason, sizeof result.reason, "%s", row->reason);
        emit_end(index, &result);
        return;
    }
    conform_run_case(item, &result);
    if (row && result.verdict == CONFORM_PASS) {
        result.verdict = CONFORM_FAIL;
        snprintf(result.reason, sizeof result.reason,
                 "it passes, but the exclusion list expects it to fail: %s", row->reason);
    } else if (row && result.verdict == CONFORM_FAIL) {
        char reason[sizeof result.reason];
        snprintf(reason, sizeof reason, "fails as expected (%s): %.3500s", row->reason,
                 result.reason);
        memcpy(result.reason, reason, sizeof reason);
        result.verdict = CONFORM_SKIP;
    }
    emit_end(index, &result);
}

/* Opens the device anew when a case left it lost or stuck, so that the next one gets a fair start. */
static bool restore_device(const conform_options *options, const char *selector)
{
    if (isg_device_status(conform_device()) == ISG_OK) {
        return true;
    }
    conform_close();
    return conform_open(selector, options->driver, options->full) == ISG_OK;
}

int conform_run_child(const conform_options *options, const char *selector)
{
    conform_list cases = {0};
    bool open = false;

    event_fd = options->fd;
    conform_on_progress = emit_progress;
    if (!selector || !options->driver || !conform_select(options, &cases)) {
        return EXIT_USAGE;
    }
    open = conform_open(selector, options->driver, options->full) == ISG_OK;
    if (open) {
        emit(json_pack("{s:s}", "event", "open"));
    }
    for (int i = options->from; open && i < options->to && (size_t)i < cases.count; i++) {
        emit(json_pack("{s:s, s:i}", "event", "start", "index", i));
        run_one(&cases.cases[i], (size_t)i);
        open = restore_device(options, selector);
    }
    emit(open ? json_pack("{s:s}", "event", "done")
              : json_pack("{s:s, s:s}", "event", "refused", "message", isg_last_error()));
    conform_close();
    free(cases.cases);
    return EXIT_PASS;
}

/* ---- the supervisor's side ---- */

typedef struct run {
    const conform_options *options;
    const conform_list *cases;
    conform_target *target;
    conform_report *report;
    conform_process process;
    size_t next, end; /* cases of the suite that have not ended */
    size_t first;     /* where the running child began */
    bool running;     /* case `next` has started */
    bool done;        /* the child said so */
    double started, deadline;
    char refused[2048];
} run;

static void tick(void *user)
{
    run *current = user;

    if (current->running) {
        conform_report_progress(current->report, current->target,
                                current->cases->cases[current->next].name,
                                conform_now() - current->started);
    }
}

static double limit_of(const run *current, size_t index)
{
    unsigned own = current->cases->cases[index].seconds;
    unsigned general = (unsigned)current->options->timeout_s;

    /* A case's own limit grows with --timeout as the default of 60 s does. */
    return own ? (double)own * (general > 60 ? (double)general / 60.0 : 1.0) : (double)general;
}

static void report_case(run *current, size_t index, conform_result *result)
{
    conform_report_case(current->report, current->target, current->cases->cases[index].name,
                        result);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void take_result(run *current, const json_t *event)
{
    conform_result result = {0};
    json_t *syncs = json_object_get(event, "syncs");

    result.verdict = (conform_verdict)json_integer_value(json_object_get(event, "verdict"));
    result.seconds = json_number_value(json_object_get(event, "seconds"));
    result.has_syncs = syncs != NULL;
    result.syncs = (uint64_t)json_integer_value(syncs);
    snprintf(result.reason, sizeof result.reason, "%s", text_of(event, "reason"));
    snprintf(result.plan, sizeof result.plan, "%s", text_of(event, "plan"));
    snprintf(result.digest, sizeof result.digest, "%s", text_of(event, "digest"));
    snprintf(result.expected, sizeof result.expected, "%s", text_of(event, "expected"));
    report_case(current, current->next, &result);
    current->running = false;
    current->next++;
}

static void take_event(run *current, const json_t *event)
{
    const char *kind = text_of(event, "event");
    json_t *index = json_object_get(event, "index");

    if (strcmp(kind, "start") == 0) {
        current->next = (size_t)json_integer_value(index);
        current->running = current->next < current->end;
        current->started = conform_now();
        current->deadline = current->started + limit_of(current, current->next);
    } else if (strcmp(kind, "progress") == 0 && current->running) {
        current->deadline = conform_now() + limit_of(current, current->next);
    } else if (strcmp(kind, "end") == 0 && current->running) {
        take_result(current, event);
        current->deadline = conform_now() + current->options->timeout_s;
    } else if (strcmp(kind, "refused") == 0) {
        snprintf(current->refused, sizeof current->refused, "%s", text_of(event, "message"));
    } else if (strcmp(kind, "done") == 0) {
        current->done = true;
    }
}

/* The last line that the child printed, for the reason of a crash. */
static void append_tail(const run *current, char *reason, size_t size)
{
    const char *tail = current->process.tail;
    size_t length = strlen(tail), start = 0, used = strlen(reason);

    while (length > 0 && (tail[length - 1] == '\n' || tail[length - 1] == ' ')) {
        length--;
    }
    start = length > 600 ? length - 600 : 0;
    if (length > 0) {
        snprintf(reason + used, size - used, "; it printed: %.*s", (int)(length - start),
                 tail + start);
    }
}

/* Turns the way a child ended into results. */
static void take_end(run *current, bool timed_out, const char *how)
{
    conform_result result = {.verdict = CONFORM_FAIL};

    if (current->running) {
        result.seconds = conform_now() - current->started;
        if (timed_out) {
            snprintf(result.reason, sizeof result.reason,
                     "no end within %.0f s; the process was %s", limit_of(current, current->next),
                     how);
        } else {
            snprintf(result.reason, sizeof result.reason, "the process %s",
                     how[0] ? how : "ended before the case did");
        }
        append_tail(current, result.reason, sizeof result.reason);
        report_case(current, current->next++, &result);
        current->running = false;
        return;
    }
    if (current->next == current->first && !current->done) {
        snprintf(result.reason, sizeof result.reason, "the device did not open: %s",
                 current->refused[0] ? current->refused
                 : timed_out         ? "no answer in time"
                                     : how);
        append_tail(current, result.reason, sizeof result.reason);
        report_case(current, current->next++, &result);
        while (current->next < current->end) {
            conform_result skipped = {.verdict = CONFORM_SKIP,
                                      .reason = "the device did not open before it"};
            report_case(current, current->next++, &skipped);
        }
        return;
    }
    if (how[0] || !current->done) { /* between cases, at close or at exit */
        char name[96];
        snprintf(name, sizeof name, "%s.process_ends_well",
                 current->cases->cases[current->end - 1].suite->name);
        snprintf(result.reason, sizeof result.reason, "outside of any case the process %s%s%s%s",
                 timed_out ? "did not end and was " : "", how, current->refused[0] ? ": " : "",
                 current->refused);
        append_tail(current, result.reason, sizeof result.reason);
        conform_report_case(current->report, current->target, name, &result);
    }
}

/* One child, from `next` on, until it is through or has to be replaced. */
static bool run_process(run *current, const char *const *environment)
{
    const conform_options *options = current->options;
    const char *arguments[48] = {"--internal-run"};
    char from[48], to[48], driver[300], how[256];
    size_t count = 1;
    bool timed_out = false;

    snprintf(from, sizeof from, "--internal-from=%zu", current->next);
    snprintf(to, sizeof to, "--internal-to=%zu", current->end);
    snprintf(driver, sizeof driver, "--internal-driver=%s", current->target->driver_info);
    arguments[count++] = from;
    arguments[count++] = to;
    arguments[count++] = driver;
    if (options->full) {
        arguments[count++] = "--full";
    }
    if (options->case_glob) {
        arguments[count++] = "--case";
        arguments[count++] = options->case_glob;
    }
    for (size_t i = 0; options->suites && options->suites[i] && count < 44; i++) {
        arguments[count++] = "--suite";
        arguments[count++] = options->suites[i];
    }
    arguments[count++] = "--";
    arguments[count++] = current->target->exact;

    current->first = current->next;
    current->done = false;
    current->running = false;
    current->refused[0] = '\0';
    current->deadline = conform_now() + options->timeout_s;
    if (!conform_process_start(&current->process, arguments, environment)) {
        return false;
    }
    while (!current->done && !current->refused[0]) {
        json_t *event = NULL;
        conform_read got =
            conform_process_read(&current->process, current->deadline, tick, current);
        if (got != CONFORM_READ_LINE) {
            timed_out = got == CONFORM_READ_TIMEOUT;
            break;
        }
        event = json_loads(current->process.line, 0, NULL);
        if (event) {
            take_event(current, event);
        }
        json_decref(event);
    }
    conform_process_end(&current->process, timed_out ? 0 : options->timeout_s, how, sizeof how);
    timed_out = timed_out || strcmp(how, "killed") == 0;
    take_end(current, timed_out, how);
    return true;
}

static void skip_suite(run *current, const char *reason)
{
    for (; current->next < current->end; current->next++) {
        conform_result result = {.verdict = CONFORM_SKIP};
        snprintf(result.reason, sizeof result.reason, "%s", reason);
        report_case(current, current->next, &result);
    }
}

static void run_suite(run *current)
{
    const char *const *environment = NULL;
    const char *reason = NULL;

    if (current->target->unusable[0]) {
        skip_suite(current, current->target->unusable);
        return;
    }
    if (current->cases->cases[current->next].suite->wants_validation) {
        environment = conform_layer_environment(&reason);
        if (!environment) {
            skip_suite(current, reason);
            return;
        }
    }
    while (current->next < current->end && run_process(current, environment)) {
    }
}

void conform_run_target(const conform_options *options, const conform_list *cases,
                        conform_target *target, struct conform_report *report)
{
    run current = {.options = options, .cases = cases, .target = target, .report = report};

    while (current.end < cases->count) {
        current.next = current.end;
        while (current.end < cases->count &&
               cases->cases[current.end].suite == cases->cases[current.next].suite) {
            current.end++;
        }
        run_suite(&current);
    }
}
