/* Owns what the user sees: one line a case, progress, totals, the JSON file. */
#include "cli.h"
#include "conform_tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define GREEN "\033[32m"
#define RED "\033[1;31m"
#define YELLOW "\033[33m"
#define FAINT "\033[2m"
#define PLAIN "\033[0m"

static const char *paint(const conform_report *report, const char *code)
{
    return report->colour ? code : "";
}

static int widest(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

void conform_report_begin(conform_report *report, const conform_list *cases,
                          const conform_devices *devices)
{
    size_t selected = 0;
    unsigned suites = 0;

    *report = (conform_report){.cases = cases,
                               .json_cases = json_array(),
                               .digests = json_object(),
                               .colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR"),
                               .terminal = isatty(STDERR_FILENO)};
    for (size_t i = 0; i < cases->count; i++) {
        suites += i == 0 || cases->cases[i].suite != cases->cases[i - 1].suite;
        report->name_width = widest(report->name_width, cases->cases[i].name);
    }
    for (size_t i = 0; i < devices->count; i++) {
        if (devices->targets[i].selected) {
            selected++;
            report->brief_width = widest(report->brief_width, devices->targets[i].brief);
        }
    }
    report->case_total = selected * cases->count;
    printf("isogrid %d.%d.%d conformance: %zu case%s of %u suite%s on %zu device%s\n",
           ISG_VERSION_MAJOR, ISG_VERSION_MINOR, ISG_VERSION_PATCH, cases->count,
           cases->count == 1 ? "" : "s", suites, suites == 1 ? "" : "s", selected,
           selected == 1 ? "" : "s");
    for (size_t i = 0; i < devices->count; i++) {
        const conform_target *target = &devices->targets[i];
        if (target->selected) {
            printf("  %-9s %s  %s%s%s%s\n", target->selector, target->name, paint(report, FAINT),
                   target->driver_info[0] ? target->driver_info : target->driver_name,
                   paint(report, PLAIN), target->unusable[0] ? "  (cannot be used)" : "");
        }
    }
    if (selected == 0 && devices->reasons) {
        fputs(devices->reasons, stderr);
    }
    puts("");
    fflush(stdout);
}

static void clear_progress(const conform_report *report)
{
    if (report->terminal) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}

void conform_report_progress(conform_report *report, const conform_target *target, const char *name,
                             double seconds)
{
    struct winsize window = {0};
    char text[256];
    int width = 79;

    if (!report->terminal || conform_now() - report->shown < 0.2) {
        return;
    }
    report->shown = conform_now();
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 20) {
        width = window.ws_col - 1;
    }
    snprintf(text, sizeof text, "[%zu/%zu] %s  %s  %.0f s", report->case_done + 1,
             report->case_total, target->brief, name, seconds);
    fprintf(stderr, "\r\033[K%.*s", width, text);
    fflush(stderr);
}

/* The first device that gave a digest for a case sets it for the others. */
static void compare_digest(conform_report *report, const conform_target *target, const char *name,
                           conform_result *result)
{
    json_t *first = json_object_get(report->digests, name);
    const char *digest = json_string_value(json_object_get(first, "digest"));

    if (!result->digest[0] || result->verdict != CONFORM_PASS) {
        return;
    }
    if (!digest) {
        json_object_set_new(
            report->digests, name,
            json_pack("{s:s, s:s}", "digest", result->digest, "brief", target->brief));
        return;
    }
    report->compared++;
    if (strcmp(digest, result->digest) != 0) {
        result->verdict = CONFORM_FAIL;
        snprintf(result->reason, sizeof result->reason, "digest %s, but %s gave %s", result->digest,
                 json_string_value(json_object_get(first, "brief")), digest);
    }
}

static void add_json(conform_report *report, const conform_target *target, const char *name,
                     const conform_result *result)
{
    static const char *const words[] = {"pass", "fail", "skip"};
    const char *dot = strchr(name, '.');
    json_t *entry = json_pack(
        "{s:s, s:s%, s:s, s:O, s:s, s:s, s:s, s:s, s:s, s:f, s:s}", "name", name, "suite", name,
        (size_t)(dot - name), "case", dot + 1, "device", target->json, "driver", target->brief,
        "driverInfo", target->driver_info, "status", words[result->verdict], "plan", result->plan,
        "digest", result->digest, "seconds", result->seconds, "reason", result->reason);

    if (result->expected[0]) {
        json_object_set_new(entry, "expectedDigest", json_string(result->expected));
    }
    if (result->has_syncs) {
        json_object_set_new(entry, "syncs", json_integer((json_int_t)result->syncs));
    }
    json_array_append_new(report->json_cases, entry);
}

static void print_line(const conform_report *report, const conform_target *target, const char *name,
                       const conform_result *result)
{
    static const char *const words[] = {"PASS", "FAIL", "SKIP"};
    static const char *const colours[] = {GREEN, RED, YELLOW};
    char syncs[32] = "";

    if (result->has_syncs) {
        snprintf(syncs, sizeof syncs, "%llu syncs", (unsigned long long)result->syncs);
    }
    printf("%-*s  %-*s  %-7s %11s  %s%-16.16s%s %7.2f s  %s%s%s", report->brief_width,
           target->brief, report->name_width, name, result->plan, syncs, paint(report, FAINT),
           result->digest, paint(report, PLAIN), result->seconds,
           paint(report, colours[result->verdict]), words[result->verdict], paint(report, PLAIN));
    if (result->verdict != CONFORM_PASS) {
        printf("  %s", result->reason);
    }
    puts("");
    fflush(stdout);
}

/* How many bytes of valid UTF-8 a character at `text` has; 0: it is none. */
static size_t utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t length = c[0] < 0x80 ? 1 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;

    if ((c[0] >= 0x80 && c[0] < 0xc2) || c[0] > 0xf4) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Overlong forms, surrogates, and what is above the last character. */
    return (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
                   (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f)
               ? 0
               : length;
}

/* Makes one line of printable text out of what a driver may have printed. */
static void clean_text(char *text)
{
    while (*text) {
        size_t length = utf8_length(text);
        if (length == 0) {
            *text++ = '?';
        } else if (length == 1) {
            *text = *text >= ' ' && *text != 127 ? *text : ' ';
            text++;
        } else {
            text += length;
        }
    }
}

void conform_report_case(conform_report *report, conform_target *target, const char *name,
                         conform_result *result)
{
    compare_digest(report, target, name, result);
    clean_text(result->reason); /* one line a case */
    switch (result->verdict) {
    case CONFORM_PASS:
        report->passed++;
        target->passed++;
        break;
    case CONFORM_FAIL:
        report->failed++;
        target->failed++;
        break;
    case CONFORM_SKIP:
        report->skipped++;
        target->skipped++;
        break;
    }
    if (strstr(result->plan, isg_plan_name(ISG_PLAN_COOPERATIVE)) ||
        strstr(result->plan, isg_plan_name(ISG_PLAN_VIRTUALIZED))) {
        target->resident_ran = target->resident_ran || result->verdict == CONFORM_PASS;
    }
    report->case_done++;
    report->shown = conform_now(); /* what takes no time is not announced */
    clear_progress(report);
    print_line(report, target, name, result);
    add_json(report, target, name, result);
}

void conform_report_end(conform_report *report, const conform_devices *devices)
{
    puts("");
    for (size_t i = 0; i < devices->count; i++) {
        const conform_target *target = &devices->targets[i];
        if (target->selected) {
            printf("%-*s  %-9s  %s%u passed%s, %s%u failed%s, %u skipped\n", report->brief_width,
                   target->brief, target->selector, paint(report, GREEN), target->passed,
                   paint(report, PLAIN), target->failed ? paint(report, RED) : "", target->failed,
                   paint(report, PLAIN), target->skipped);
        }
    }
    if (report->compared) {
        printf("%u digests compared with the first device's\n", report->compared);
    }
    printf("%u passed, %u failed, %u skipped\n", report->passed, report->failed, report->skipped);
    fflush(stdout);
}

bool conform_report_write(const conform_report *report, const conform_devices *devices,
                          const char *path, int exit_code)
{
    json_t *root = json_object(), *list = json_array();
    char version[32];
    bool good = false;

    for (size_t i = 0; i < devices->count; i++) {
        json_t *entry = json_deep_copy(devices->targets[i].json);
        json_object_set_new(entry, "selected", json_boolean(devices->targets[i].selected));
        json_object_set_new(entry, "passed", json_integer(devices->targets[i].passed));
        json_object_set_new(entry, "failed", json_integer(devices->targets[i].failed));
        json_object_set_new(entry, "skipped", json_integer(devices->targets[i].skipped));
        json_array_append_new(list, entry);
    }
    snprintf(version, sizeof version, "%d.%d.%d", ISG_VERSION_MAJOR, ISG_VERSION_MINOR,
             ISG_VERSION_PATCH);
    json_object_set_new(root, "isogrid", json_string(version));
    json_object_set_new(root, "devices", list);
    json_object_set(root, "cases", report->json_cases);
    json_object_set_new(root, "passed", json_integer(report->passed));
    json_object_set_new(root, "failed", json_integer(report->failed));
    json_object_set_new(root, "skipped", json_integer(report->skipped));
    json_object_set_new(root, "exit", json_integer(exit_code));
    good = json_dump_file(root, path, JSON_INDENT(1)) == 0;
    if (!good) {
        isg_cli_error("--json '%s' cannot be written", path);
    }
    json_decref(root);
    return good;
}

void conform_report_free(conform_report *report)
{
    json_decref(report->json_cases);
    json_decref(report->digests);
}
