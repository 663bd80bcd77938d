/* `isogrid bench`: opens the device and its peer, runs interleaved measurements, prints tables. */
#include "bench.h"

#include "cli.h"
#include "cli_json.h"
#include "stats.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_ITERATIONS = 1 };

static char *device_text, *json_path;
static int list_names;

static const struct poptOption options[] = {
    ISG_CLI_HELP_OPTION,
    {"device", 0, POPT_ARG_STRING, &device_text, 0, "Where to run: 'vulkan:0', 'mesa 25', ...",
     "SEL"},
    {"json", 0, POPT_ARG_STRING, &json_path, 0, "Also write the figures as JSON", "FILE"},
    {"iterations", 0, POPT_ARG_STRING, NULL, OPTION_ITERATIONS, "Measurements of each series", "N"},
    {"list", 0, POPT_ARG_NONE, &list_names, 0, "Print the benchmarks' names", NULL},
    POPT_TABLEEND,
};

static const isg_cli_usage usage = {
    .command = "bench",
    .arguments = "NAME [options]",
    .about =
        "Compares isogrid with Vulkan written by hand, on one device, in one run, measurement by\n"
        "measurement in turn. `ratio` is isogrid's median over the fastest peer's: above 1 is slower.\n"
        "\n"
        "  submit   an empty dispatch, from submit to result\n"
        "  rounds   100 rounds of one near-empty phase in the split plan\n"
        "  copy     upload, download and device copies\n"
        "  compile  a kernel made ready, anew and from the disk cache\n",
    .examples = "  isogrid bench submit --device 'vulkan:mesa 25'\n"
                "  isogrid bench rounds --json rounds.json\n",
    .options = options,
};

static const struct {
    const char *name;
    bool (*run)(isg_bench *bench);
} benchmarks[] = {
    {"submit", isg_bench_submit},
    {"rounds", isg_bench_rounds},
    {"copy", isg_bench_copy},
    {"compile", isg_bench_compile},
};

enum { BENCHMARK_COUNT = sizeof benchmarks / sizeof *benchmarks };

double isg_bench_now_us(void)
{
    return (double)isg_peer_now_ns() / 1e3;
}

bool isg_bench_check(isg_status status, const char *what)
{
    if (status != ISG_OK) {
        isg_cli_failed(status, what);
    }
    return status == ISG_OK;
}

bool isg_bench_peer_failed(void)
{
    isg_cli_error("%s", isg_peer_error());
    return false;
}

void isg_bench_add(isg_bench_table *table, isg_bench_who who, isg_bench_once once, void *user,
                   const char *format, ...)
{
    isg_bench_series *series = &table->series[table->count];
    va_list arguments;

    if (table->count == ISG_BENCH_MAX_SERIES) {
        abort(); /* our own table is too small */
    }
    *series = (isg_bench_series){.who = who, .once = once, .user = user};
    va_start(arguments, format);
    vsnprintf(series->label, sizeof series->label, format, arguments);
    va_end(arguments);
    table->count++;
}

static bool take_turns(isg_bench_table *table, uint32_t first, uint32_t count)
{
    for (uint32_t s = 0; s < table->count; s++) {
        isg_bench_series *series = &table->series[s];

        for (uint32_t i = 0; i < count; i++) {
            if (!series->once(series->user, &series->values[first + i])) {
                return false;
            }
        }
    }
    return true;
}

static const char *who_name(isg_bench_who who)
{
    return who == ISG_BENCH_ISOGRID ? "isogrid" : who == ISG_BENCH_PEER ? "peer" : "floor";
}

/* Prints the series and returns its JSON. */
static json_t *show_series(const isg_bench_table *table, isg_bench_series *series, uint32_t count)
{
    const isg_stats stats = isg_stats_of(series->values, count);
    const double speed = stats.median > 0 ? (double)table->bytes / stats.median / 1e3 : 0;
    json_t *json = json_pack("{s:s, s:s, s:f, s:f, s:f, s:f}", "who", who_name(series->who), "name",
                             series->label, "median_us", stats.median, "p10_us", stats.p10,
                             "p90_us", stats.p90, "min_us", stats.min);

    series->median = stats.median;
    printf("%10.2f %10.2f %10.2f", stats.median, stats.p10, stats.p90);
    if (table->bytes != 0) {
        printf(" %9.2f", speed);
        json_object_set_new(json, "gb_per_s", json_real(speed));
    }
    printf("  %-8s %s\n", who_name(series->who), series->label);
    return json;
}

static json_t *show_ratios(const isg_bench_table *table)
{
    const isg_bench_series *best = NULL;
    json_t *ratios = json_array();

    for (uint32_t s = 0; s < table->count; s++) {
        const isg_bench_series *series = &table->series[s];

        if (series->who == ISG_BENCH_PEER && (best == NULL || series->median < best->median)) {
            best = series;
        }
    }
    for (uint32_t s = 0; best != NULL && best->median > 0 && s < table->count; s++) {
        const isg_bench_series *series = &table->series[s];
        const double ratio = series->median / best->median;

        if (series->who == ISG_BENCH_ISOGRID) {
            printf("ratio %.3f  %s / %s\n", ratio, series->label, best->label);
            json_array_append_new(ratios, json_pack("{s:s, s:s, s:f}", "of", series->label, "to",
                                                    best->label, "ratio", ratio));
        }
    }
    return ratios;
}

static void show(isg_bench *bench, isg_bench_table *table, uint32_t count)
{
    json_t *all = json_array();

    printf("\n%s (%u measurements each)\n%10s %10s %10s%s  us\n", table->title, count, "median",
           "p10", "p90", table->bytes != 0 ? "      GB/s" : "");
    for (uint32_t s = 0; s < table->count; s++) {
        json_array_append_new(all, show_series(table, &table->series[s], count));
    }
    json_array_append_new(bench->tables,
                          json_pack("{s:s, s:I, s:I, s:o, s:o}", "title", table->title, "bytes",
                                    (json_int_t)table->bytes, "measurements", (json_int_t)count,
                                    "series", all, "ratios", show_ratios(table)));
    fflush(stdout);
}

bool isg_bench_run(isg_bench *bench, isg_bench_table *table, uint32_t warm_ups, uint32_t iterations,
                   uint32_t turn)
{
    bool good = true;

    iterations = bench->iterations != 0 ? bench->iterations : iterations;
    warm_ups = warm_ups < iterations ? warm_ups : iterations;
    for (uint32_t s = 0; s < table->count; s++) {
        table->series[s].values = calloc(iterations, sizeof(double));
        good = good && table->series[s].values != NULL;
    }
    if (!good) {
        isg_cli_error("out of memory");
    }
    good = good && take_turns(table, 0, warm_ups);
    for (uint32_t i = 0; good && i < iterations; i += turn) {
        good = take_turns(table, i, turn < iterations - i ? turn : iterations - i);
    }
    if (good) {
        show(bench, table, iterations);
    }
    for (uint32_t s = 0; s < table->count; s++) {
        free(table->series[s].values);
        table->series[s].values = NULL;
    }
    return good;
}

static bool write_json(const isg_bench *bench, const char *name, const char *path)
{
    char version[32];
    json_t *whole = NULL;
    bool good = false;

    snprintf(version, sizeof version, "%d.%d.%d", ISG_VERSION_MAJOR, ISG_VERSION_MINOR,
             ISG_VERSION_PATCH);
    whole = json_pack("{s:s, s:s, s:{s:s, s:o, s:o}, s:O}", "isogrid", version, "bench", name,
                      "device", "selector", bench->info->selector, "name",
                      isg_cli_json_text(bench->info->name), "driver_info",
                      isg_cli_json_text(bench->info->driver_info), "tables", bench->tables);
    good = json_dump_file(whole, path, JSON_INDENT(2)) == 0;
    if (!good) {
        isg_cli_error("'%s' cannot be written", path);
    }
    json_decref(whole);
    return good;
}

static int run_on_device(uint32_t which, uint32_t iterations)
{
    isg_bench bench = {.iterations = iterations};
    int code = ISG_CLI_FAILURE;

    if (!isg_bench_check(isg_device_open(NULL, device_text, NULL, &bench.device),
                         "opening the device")) {
        return code;
    }
    bench.info = isg_device_get_info(bench.device);
    bench.tables = json_array();
    printf("bench %s on %s, %s%s%s\n", benchmarks[which].name, bench.info->selector,
           bench.info->name, bench.info->driver_info[0] != '\0' ? ", " : "",
           bench.info->driver_info);
    if (strcmp(bench.info->backend, "vulkan") != 0) {
        isg_cli_error("there is no hand-written peer for backend '%s' yet", bench.info->backend);
    } else if (!isg_peer_open(&bench.peer, bench.info->uuid, NULL, 0)) {
        isg_bench_peer_failed();
    } else {
        if (benchmarks[which].run(&bench) &&
            (json_path == NULL || write_json(&bench, benchmarks[which].name, json_path))) {
            code = ISG_CLI_OK;
        }
        isg_peer_close(&bench.peer);
    }
    json_decref(bench.tables);
    isg_device_release(bench.device);
    return code;
}

static int run_named(const char *name, uint32_t iterations)
{
    for (uint32_t i = 0; i < BENCHMARK_COUNT; i++) {
        if (strcmp(benchmarks[i].name, name) == 0) {
            return run_on_device(i, iterations);
        }
    }
    isg_cli_error("no benchmark '%s'; there are submit, rounds, copy and compile", name);
    return ISG_CLI_USAGE;
}

int isg_cli_bench(int argc, const char **argv)
{
    poptContext context = isg_cli_open(&usage, argc, argv);
    uint64_t iterations = 0;
    const char *name = NULL;
    int option = 0, code = ISG_CLI_OK;

    while ((option = isg_cli_next(context, &usage)) > 0) {
        char *text = poptGetOptArg(context);

        if (text == NULL || !isg_cli_parse_number(text, 1000000, &iterations) || iterations == 0) {
            isg_cli_error("'%s' is no number of measurements: 1 to 1000000", text);
            option = ISG_CLI_OPTION_BAD;
        }
        free(text);
        if (option == ISG_CLI_OPTION_BAD) {
            break;
        }
    }
    name = isg_cli_argument(context);
    if (option != ISG_CLI_OPTION_END) {
        code = isg_cli_exit_of(option);
    } else if (list_names && name == NULL) {
        for (uint32_t i = 0; i < BENCHMARK_COUNT; i++) {
            printf("%s\n", benchmarks[i].name);
        }
    } else if (name == NULL || isg_cli_argument(context) != NULL) {
        isg_cli_error("one benchmark at a time; `isogrid bench --list` has their names");
        code = ISG_CLI_USAGE;
    } else {
        code = run_named(name, (uint32_t)iterations);
    }
    free(device_text);
    free(json_path);
    poptFreeContext(context);
    return code;
}
