/* Owns the command `isogrid conform`: its options and its exit code. */
#include "cli.h"
#include "conform_tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char about_text[] =
    "Runs the conformance suite on every device found, each suite in a process of its own, and\n"
    "prints one line a case: driver, case, plan, grid syncs counted, digest of the output, time and\n"
    "verdict. A hang or a crash of a driver is one failed case. Digests are compared between\n"
    "devices, and with what the host computes.\n"
    "\n"
    "ISOGRID_REQUIRE=\"vulkan:mesa 25,vulkan:swiftshader\" lists devices that must be there and run\n"
    "at least one case each; '+resident' after one asks for resident grid sync too.\n"
    "\n"
    "Exit code: 0 all passed, 1 a failure or refusal, 2 usage, 77 nothing ran.\n";

static const char example_text[] =
    "  isogrid conform --suite reference\n"
    "  isogrid conform --device 'mesa 25' --case 'queue.*' --json results.json\n";

static bool parse(int argc, const char **argv, conform_options *options, poptContext *context,
                  int *out_code)
{
    const struct poptOption internal[] = {
        {"internal-list", 0, POPT_ARG_NONE, &options->internal_list, 0, NULL, NULL},
        {"internal-run", 0, POPT_ARG_NONE, &options->internal_run, 0, NULL, NULL},
        {"internal-scenario", 0, POPT_ARG_STRING, &options->internal_scenario, 0, NULL, NULL},
        {"internal-driver", 0, POPT_ARG_STRING, &options->driver, 0, NULL, NULL},
        {"internal-from", 0, POPT_ARG_INT, &options->from, 0, NULL, NULL},
        {"internal-to", 0, POPT_ARG_INT, &options->to, 0, NULL, NULL},
        {"internal-fd", 0, POPT_ARG_INT, &options->fd, 0, NULL, NULL},
        POPT_TABLEEND,
    };
    const struct poptOption table[] = {
        ISG_CLI_HELP_OPTION,
        {"device", 0, POPT_ARG_ARGV, &options->devices, 0,
         "Only this device; may be repeated ('mesa 25', 'vulkan:0')", "SEL"},
        {"suite", 0, POPT_ARG_ARGV, &options->suites, 0, "Only this suite; may be repeated",
         "NAME"},
        {"case", 0, POPT_ARG_STRING, &options->case_glob, 0,
         "Only cases whose name matches ('buffer.*')", "GLOB"},
        {"json", 0, POPT_ARG_STRING, &options->json_path, 0, "Also write the results as JSON",
         "FILE"},
        {"list-suites", 0, POPT_ARG_NONE, &options->list_suites, 0, "Print the suites' names",
         NULL},
        {"list", 0, POPT_ARG_NONE, &options->list, 0, "Print the cases' names", NULL},
        {"timeout", 0, POPT_ARG_INT, &options->timeout_s, 0,
         "Kill a case after this long (60; some have more)", "SECONDS"},
        {"full", 0, POPT_ARG_NONE, &options->full, 0, "Also the cases that take minutes", NULL},
        /* Between the supervisor and its children; help ends before it. */
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)internal, 0, NULL, NULL},
        POPT_TABLEEND,
    };
    const isg_cli_usage usage = {"conform", "[options]", about_text, example_text, table};
    int option = 0;

    *context = isg_cli_open(&usage, argc, argv);
    do {
        option = isg_cli_next(*context, &usage);
    } while (option >= 0);
    *out_code = isg_cli_exit_of(option);
    return option == ISG_CLI_OPTION_END;
}

static void free_strings(const char **strings)
{
    for (size_t i = 0; strings && strings[i]; i++) {
        free((char *)(uintptr_t)strings[i]);
    }
    free(strings);
}

/* popt allocates what it reads. */
static void free_options(conform_options *options)
{
    free_strings(options->devices);
    free_strings(options->suites);
    free((char *)(uintptr_t)options->case_glob);
    free((char *)(uintptr_t)options->json_path);
    free((char *)(uintptr_t)options->internal_scenario);
    free((char *)(uintptr_t)options->driver);
}

static int run_scenario(const char *name, const char *argument)
{
    for (const conform_scenario *scenario = conform_scenarios; scenario->name; scenario++) {
        if (strcmp(scenario->name, name) == 0) {
            return scenario->run(argument ? argument : "");
        }
    }
    isg_cli_error("there is no scenario '%s'", name);
    return EXIT_USAGE;
}

static int print_lists(const conform_options *options, const conform_list *cases)
{
    if (options->list_suites) {
        for (const conform_suite *suite = conform_suites; suite->name; suite++) {
            if (!suite->hidden) {
                puts(suite->name);
            }
        }
        return EXIT_PASS;
    }
    for (size_t i = 0; i < cases->count; i++) {
        if (i == 0 || cases->cases[i].suite != cases->cases[i - 1].suite) {
            printf("%s%s: %s\n", i ? "\n" : "", cases->cases[i].suite->name,
                   cases->cases[i].suite->summary);
        }
        printf("  %s\n", cases->cases[i].name);
    }
    return EXIT_PASS;
}

/* Selectors of --device and of ISOGRID_REQUIRE; NULL-ended, borrowed. */
static const char **all_selectors(const conform_options *options,
                                  const conform_requirement *entries, int entry_count)
{
    size_t count = 0;
    const char **all = NULL;

    while (options->devices && options->devices[count]) {
        count++;
    }
    all = calloc(count + (size_t)entry_count + 1, sizeof *all);
    for (size_t i = 0; all && i < count; i++) {
        all[i] = options->devices[i];
    }
    for (int i = 0; all && i < entry_count; i++) {
        all[count + (size_t)i] = entries[i].selector;
    }
    return all;
}

/* Marks the devices to run on. Returns an exit code that is due whatever the cases say. */
static int choose_targets(const conform_options *options, conform_devices *devices)
{
    int code = EXIT_PASS;

    if (!options->devices) {
        for (size_t i = 0; i < devices->count; i++) {
            devices->targets[i].selected = true;
        }
        return EXIT_PASS;
    }
    for (size_t i = 0; options->devices[i]; i++) {
        const conform_answer *answer = &devices->answers[i];
        conform_target *target = conform_devices_exact(devices, answer->exact);
        if (target) {
            target->selected = true;
            continue;
        }
        isg_cli_error("--device '%s': %s", answer->selector, answer->message);
        if (answer->status == ISG_ERROR_INVALID_ARGUMENT) {
            return EXIT_USAGE;
        }
        if (answer->status != ISG_ERROR_UNAVAILABLE) {
            code = EXIT_FAIL;
        }
    }
    return code;
}

static int judge(const conform_report *report, const conform_devices *devices,
                 const conform_options *options, const conform_requirement *entries,
                 int entry_count)
{
    int code = report->failed ? EXIT_FAIL : EXIT_PASS;

    for (int i = 0; i < entry_count; i++) {
        char why[512];
        conform_unmet(&entries[i], devices, options->devices != NULL, why, sizeof why);
        if (why[0]) {
            isg_cli_error("ISOGRID_REQUIRE '%s%s' is not met: %s", entries[i].selector,
                          entries[i].resident ? "+resident" : "", why);
            code = EXIT_FAIL;
        }
    }
    if (code == EXIT_PASS && report->passed + report->failed == 0) {
        return EXIT_NOTHING;
    }
    return code;
}

static int supervise(const conform_options *options, const conform_list *cases)
{
    conform_requirement *entries = NULL;
    int entry_count = conform_requirements(getenv("ISOGRID_REQUIRE"), &entries);
    const char **selectors = NULL;
    conform_devices devices = {0};
    conform_report report = {0};
    int code = EXIT_FAIL, due = EXIT_PASS;

    if (entry_count < 0) {
        return EXIT_USAGE;
    }
    selectors = all_selectors(options, entries, entry_count);
    if (!selectors || !conform_devices_find(selectors, &devices)) {
        goto done;
    }
    due = choose_targets(options, &devices);
    if (due == EXIT_USAGE) {
        code = EXIT_USAGE;
        goto done;
    }
    conform_report_begin(&report, cases, &devices);
    for (size_t i = 0; i < devices.count; i++) {
        if (devices.targets[i].selected) {
            conform_run_target(options, cases, &devices.targets[i], &report);
        }
    }
    conform_report_end(&report, &devices);
    code = judge(&report, &devices, options, entries, entry_count);
    code = code != EXIT_FAIL && due != EXIT_PASS ? due : code;
    if (options->json_path && !conform_report_write(&report, &devices, options->json_path, code)) {
        code = EXIT_FAIL;
    }

done:
    conform_report_free(&report);
    conform_devices_free(&devices);
    free(selectors);
    free(entries);
    return code;
}

int isg_cli_conform(int argc, const char **argv)
{
    conform_options options = {.timeout_s = 60, .fd = -1};
    poptContext context = NULL;
    conform_list cases = {0};
    int code = EXIT_USAGE;

    if (!parse(argc, argv, &options, &context, &code)) {
        goto done;
    }
    code = EXIT_USAGE;
    if (options.internal_scenario) {
        code = run_scenario(options.internal_scenario, poptGetArg(context));
        goto done;
    }
    if (options.internal_list) {
        code = conform_devices_child(&options, poptGetArgs(context));
        goto done;
    }
    if (options.internal_run) {
        code = conform_run_child(&options, poptGetArg(context));
        goto done;
    }
    if (poptPeekArg(context)) {
        isg_cli_error("unexpected argument '%s'; see 'isogrid conform --help'",
                      poptPeekArg(context));
        goto done;
    }
    if (options.timeout_s < 1) {
        isg_cli_error("--timeout %d: give at least 1 second", options.timeout_s);
        goto done;
    }
    if (!conform_select(&options, &cases)) {
        goto done;
    }
    code = options.list || options.list_suites ? print_lists(&options, &cases)
                                               : supervise(&options, &cases);

done:
    free(cases.cases);
    poptFreeContext(context);
    free_options(&options);
    return code;
}
