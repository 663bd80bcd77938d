/* `isogrid run`: its options, and the checks that need no device. */
#include "cli_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option {
    OPTION_GRID = 1,
    OPTION_BIND,
    OPTION_PUSH,
    OPTION_PUSH_U32,
    OPTION_PUSH_I32,
    OPTION_PUSH_F32,
    OPTION_CONST,
    OPTION_PRINT,
    OPTION_ROUNDS,
    OPTION_PLAN,
    OPTION_REPEAT,
    OPTION_TIMEOUT,
    OPTION_INCLUDE,
    OPTION_DEFINE,
};

static char *device_text, *entry_text;
static int fast_math, bounded, checked;

static const struct poptOption options[] = {
    ISG_CLI_HELP_OPTION,
    {"device", 0, POPT_ARG_STRING, &device_text, 0,
     "Where to run: 'vulkan:0', 'mesa 25', 'uuid:...'", "SEL"},
    {"grid", 0, POPT_ARG_STRING, NULL, OPTION_GRID, "Workgroups (required)", "X[,Y,Z]"},
    {"bind", 0, POPT_ARG_STRING, NULL, OPTION_BIND, "Data of one binding; may be repeated",
     "SET.BINDING=SPEC"},
    {"push", 0, POPT_ARG_STRING, NULL, OPTION_PUSH, "Append bytes to the push constants", "HEX"},
    {"push-u32", 0, POPT_ARG_STRING, NULL, OPTION_PUSH_U32, "Append values", "A,B,..."},
    {"push-i32", 0, POPT_ARG_STRING, NULL, OPTION_PUSH_I32, "Append values", "A,B,..."},
    {"push-f32", 0, POPT_ARG_STRING, NULL, OPTION_PUSH_F32, "Append values", "A,B,..."},
    {"const", 0, POPT_ARG_STRING, NULL, OPTION_CONST, "A specialisation constant; may be repeated",
     "ID=VALUE"},
    {"rounds", 0, POPT_ARG_STRING, NULL, OPTION_ROUNDS, "Times the list of phases is run", "N"},
    {"plan", 0, POPT_ARG_STRING, NULL, OPTION_PLAN,
     "auto, single, cooperative, virtualized or split", "PLAN"},
    {"repeat", 0, POPT_ARG_STRING, NULL, OPTION_REPEAT,
     "Launches, each from the same data; digests must agree", "N"},
    {"print", 0, POPT_ARG_STRING, NULL, OPTION_PRINT, "Print values of a binding afterwards",
     "SET.BINDING[:TYPE[:COUNT]]"},
    {"timeout", 0, POPT_ARG_STRING, NULL, OPTION_TIMEOUT, "Give up after this long (60)",
     "SECONDS"},
    {"entry", 0, POPT_ARG_STRING, &entry_text, 0, "The compute entry point, if there are several",
     "NAME"},
    {"fast-math", 0, POPT_ARG_NONE, &fast_math, 0, "Leave float arithmetic to the driver", NULL},
    {"bounded", 0, POPT_ARG_NONE, &bounded, 0, "Bound every loop", NULL},
    {"checked", 0, POPT_ARG_NONE, &checked, 0, "Test every buffer and array index", NULL},
    {"include", 'I', POPT_ARG_STRING, NULL, OPTION_INCLUDE, "As for isogrid compile", "DIR"},
    {"define", 'D', POPT_ARG_STRING, NULL, OPTION_DEFINE, "As for isogrid compile", "NAME[=VALUE]"},
    POPT_TABLEEND,
};

static const isg_cli_usage usage = {
    .command = "run",
    .arguments = "KERNEL --grid X[,Y,Z] [options]",
    .about =
        "Runs a kernel, SPIR-V or GLSL, on files or generated data, and prints how it was run, the\n"
        "GPU's time, and an XXH3 digest of each binding it may have written.\n"
        "\n"
        "SPEC  zeros:SIZE                bytes; K, M and G are powers of 1024\n"
        "      iota:TYPE:COUNT           0, 1, 2, ...\n"
        "      random:TYPE:COUNT[:SEED]  xorshift64; floats in [-1, 1), the same everywhere\n"
        "      values:TYPE:A,B,...       these\n"
        "      file:PATH                 a file's bytes\n"
        "      inout:PATH                the same, and the result is written back to it\n"
        "      out:PATH:SIZE             zeros, and the result is written to the file\n"
        "TYPE  u8 i8 u16 i16 u32 i32 u64 i64 f32 f64\n",
    .examples = "  isogrid run saxpy.comp --grid 4 --push-f32 2 --push-u32 1000 \\\n"
                "      --bind 0.0=iota:f32:1000 --bind 0.1=random:f32:1000 --print 0.1:f32:4\n"
                "  isogrid run solver.spv --device 'mesa 25' --grid 64 --rounds 100 \\\n"
                "      --bind 0.0=file:start.bin --bind 0.1=out:result.bin:64K --repeat 8\n",
    .options = options,
};

static bool parse_grid(const char *text, uint32_t grid[3])
{
    char *copy = strdup(text), *rest = copy, *item = NULL;
    int count = 0;
    bool good = copy != NULL;

    while (good && (item = strsep(&rest, ",")) != NULL) {
        uint64_t value = 0;

        good = count < 3 && isg_cli_parse_number(item, UINT32_MAX, &value);
        if (good) {
            grid[count++] = (uint32_t)value;
        }
    }
    free(copy);
    if (!good) {
        isg_cli_error("'%s' is no grid: X, X,Y or X,Y,Z workgroups", text);
    }
    return good;
}

static bool parse_plan(const char *text, isg_plan_kind *out)
{
    if (strcmp(text, "auto") == 0) {
        *out = ISG_PLAN_AUTO;
        return true;
    }
    for (isg_plan_kind kind = ISG_PLAN_SINGLE; kind <= ISG_PLAN_SPLIT; kind++) {
        if (strcmp(text, isg_plan_name(kind)) == 0) {
            *out = kind;
            return true;
        }
    }
    isg_cli_error("no plan '%s'; there are auto, single, cooperative, virtualized and split", text);
    return false;
}

static bool parse_whole(const char *text, const char *what, uint64_t low, uint64_t high,
                        uint64_t *out)
{
    if (isg_cli_parse_number(text, high, out) && *out >= low) {
        return true;
    }
    isg_cli_error("'%s' is no number of %s: %" PRIu64 " to %" PRIu64, text, what, low, high);
    return false;
}

static bool add_bind(isg_run *run, const char *text)
{
    isg_run_data *grown = realloc(run->data, (run->data_count + 1) * sizeof *grown);
    isg_run_data *new = NULL;

    if (grown == NULL) {
        isg_cli_error("out of memory");
        return false;
    }
    run->data = grown;
    new = &grown[run->data_count];
    if (!isg_run_data_parse(text, new)) {
        return false;
    }
    run->data_count++;
    for (uint32_t i = 0; i + 1 < run->data_count; i++) {
        if (grown[i].set == new->set && grown[i].binding == new->binding) {
            isg_cli_error("binding %u.%u is given twice", new->set, new->binding);
            return false;
        }
    }
    return true;
}

static bool add_print(isg_run *run, const char *text)
{
    isg_run_print *grown = realloc(run->prints, (run->print_count + 1) * sizeof *grown);

    if (grown == NULL) {
        isg_cli_error("out of memory");
        return false;
    }
    run->prints = grown;
    return isg_run_print_parse(text, &grown[run->print_count++]);
}

/* One option's value; `text` is the caller's. */
static bool take(isg_run *run, int option, const char *text)
{
    uint64_t number = 0;

    switch (option) {
    case OPTION_GRID:
        run->has_grid = true;
        return parse_grid(text, run->grid);
    case OPTION_BIND:
        return add_bind(run, text);
    case OPTION_PUSH:
        return isg_run_bytes_append(&run->push, NULL, text);
    case OPTION_PUSH_U32:
        return isg_run_bytes_append(&run->push, "u32", text);
    case OPTION_PUSH_I32:
        return isg_run_bytes_append(&run->push, "i32", text);
    case OPTION_PUSH_F32:
        return isg_run_bytes_append(&run->push, "f32", text);
    case OPTION_PRINT:
        return add_print(run, text);
    case OPTION_PLAN:
        return parse_plan(text, &run->plan);
    case OPTION_ROUNDS:
        if (!parse_whole(text, "rounds", 1, UINT32_MAX, &number)) {
            return false;
        }
        run->rounds = (uint32_t)number;
        return true;
    case OPTION_REPEAT:
        if (!parse_whole(text, "launches", 1, 1000000, &number)) {
            return false;
        }
        run->repeat = (uint32_t)number;
        return true;
    default:
        return parse_whole(text, "seconds", 1, 1000000, &run->timeout_s);
    }
}

/* Reads all options; one of enum isg_cli_option as it ended. */
static int read_options(poptContext context, isg_run *run, isg_cli_list *folders,
                        isg_cli_list *macros)
{
    int option = 0;
    bool good = true;

    while (good && (option = isg_cli_next(context, &usage)) > 0) {
        char *text = poptGetOptArg(context);

        if (option == OPTION_INCLUDE || option == OPTION_DEFINE) {
            isg_cli_list_add(option == OPTION_INCLUDE ? folders : macros, text);
        } else if (option == OPTION_CONST) {
            isg_cli_list_add(&run->constant_texts, text);
        } else {
            good = text != NULL && take(run, option, text);
            free(text);
        }
    }
    return good ? option : ISG_CLI_OPTION_BAD;
}

/* ---- what the kernel's reflection decides ---------------------------------------------------- */

static bool parse_constant(const isg_constant_info *info, const char *text, uint64_t *out)
{
    const unsigned bits = info->size * 8;
    char *end = NULL;
    double wide = 0;
    float single = 0;
    uint32_t single_bits = 0;

    *out = 0;
    switch (info->type) {
    case ISG_CONSTANT_BOOL:
        *out = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
        return *out != 0 || strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
    case ISG_CONSTANT_UINT:
        return isg_cli_parse_number(text, UINT64_MAX >> (64 - bits), out);
    case ISG_CONSTANT_INT:
        if (text[0] != '-') {
            return isg_cli_parse_number(text, UINT64_MAX >> (65 - bits), out);
        }
        if (!isg_cli_parse_number(text + 1, UINT64_C(1) << (bits - 1), out)) {
            return false;
        }
        *out = 0 - *out;
        return true;
    case ISG_CONSTANT_FLOAT:
        break;
    }
    if (info->size == 2) { /* half floats by their bits: C11 has no such type */
        return text[0] == '0' && isg_cli_parse_number(text, 0xffff, out);
    }
    wide = strtod(text, &end);
    if (end == text || *end != '\0') {
        return false;
    }
    if (info->size == 8) {
        memcpy(out, &wide, sizeof wide);
    } else {
        single = (float)wide;
        memcpy(&single_bits, &single, sizeof single);
        *out = single_bits;
    }
    return true;
}

static bool resolve_constant(isg_run *run, const char *text)
{
    const char *equals = strchr(text, '=');
    char id_text[16] = "";
    uint64_t id = 0;
    isg_constant *grown = realloc(run->constants, (run->constant_count + 1) * sizeof *grown);

    if (grown == NULL) {
        isg_cli_error("out of memory");
        return false;
    }
    run->constants = grown;
    if (equals != NULL && (size_t)(equals - text) < sizeof id_text) {
        memcpy(id_text, text, (size_t)(equals - text));
    }
    if (!isg_cli_parse_number(id_text, UINT32_MAX, &id)) {
        isg_cli_error("'%s' is no ID=VALUE", text);
        return false;
    }
    for (uint32_t i = 0; i < run->info->constant_count; i++) {
        const isg_constant_info *info = &run->info->constants[i];

        if (info->id == id) {
            grown[run->constant_count].id = info->id;
            if (!parse_constant(info, equals + 1, &grown[run->constant_count].value)) {
                isg_cli_error("'%s' is no value of constant %s (%u bits)", equals + 1, id_text,
                              info->size * 8);
                return false;
            }
            run->constant_count++;
            return true;
        }
    }
    isg_cli_error("the kernel has no constant %s; `isogrid inspect` lists them", id_text);
    return false;
}

static const isg_run_data *find_data(const isg_run *run, uint32_t set, uint32_t binding)
{
    for (uint32_t i = 0; i < run->data_count; i++) {
        if (run->data[i].set == set && run->data[i].binding == binding) {
            return &run->data[i];
        }
    }
    return NULL;
}

/* Says which --bind is missing or of no use, in terms of the command line. */
static bool check_bindings(const isg_run *run)
{
    for (uint32_t i = 0; i < run->info->binding_count; i++) {
        const isg_binding_info *info = &run->info->bindings[i];

        if (info->kind != ISG_BINDING_STORAGE_BUFFER && info->kind != ISG_BINDING_UNIFORM_BUFFER) {
            isg_cli_error("binding %u.%u is an image or a sampler; isogrid run binds buffers alone",
                          info->set, info->binding);
            return false;
        }
        if (info->array_count != 1) {
            isg_cli_error("binding %u.%u is an array of buffers; isogrid run binds single ones",
                          info->set, info->binding);
            return false;
        }
        if (find_data(run, info->set, info->binding) == NULL) {
            isg_cli_error("the kernel's binding %u.%u%s%s has no data; add --bind %u.%u=SPEC",
                          info->set, info->binding, info->name[0] != '\0' ? " " : "", info->name,
                          info->set, info->binding);
            return false;
        }
    }
    for (uint32_t i = 0; i < run->print_count; i++) {
        if (find_data(run, run->prints[i].set, run->prints[i].binding) == NULL) {
            isg_cli_error("--print %u.%u: there is no such --bind", run->prints[i].set,
                          run->prints[i].binding);
            return false;
        }
    }
    return true;
}

static int run_kernel(isg_run *run, const isg_cli_kernel_source *source)
{
    isg_status status = ISG_OK;
    int code = isg_cli_load_kernel(source, &run->spirv, &run->spirv_size);

    if (code != ISG_CLI_OK) {
        return code;
    }
    status = isg_kernel_info_create(run->spirv, run->spirv_size, run->entry, &run->info);
    if (status != ISG_OK) {
        return isg_cli_failed(status, run->path);
    }
    for (uint32_t i = 0; i < run->constant_texts.count; i++) {
        if (!resolve_constant(run, run->constant_texts.items[i])) {
            return ISG_CLI_USAGE;
        }
    }
    return check_bindings(run) ? isg_run_on_device(run) : ISG_CLI_USAGE;
}

static void free_run(isg_run *run)
{
    for (uint32_t i = 0; i < run->data_count; i++) {
        isg_run_data_free(&run->data[i]);
    }
    free(run->data);
    free(run->prints);
    free(run->push.bytes);
    free(run->constants);
    isg_cli_list_free(&run->constant_texts);
    isg_kernel_info_release(run->info);
    free(run->spirv);
}

int isg_cli_run(int argc, const char **argv)
{
    poptContext context = isg_cli_open(&usage, argc, argv);
    isg_run run = {.repeat = 1, .timeout_s = 60};
    isg_cli_list folders = {0}, macros = {0};
    const int option = read_options(context, &run, &folders, &macros);
    int code = ISG_CLI_USAGE;

    run.path = isg_cli_argument(context);
    run.device = device_text;
    run.entry = entry_text;
    run.flags = (fast_math ? (uint32_t)ISG_KERNEL_FAST_MATH : 0) |
                (bounded ? (uint32_t)ISG_KERNEL_BOUNDED : 0) |
                (checked ? (uint32_t)ISG_KERNEL_CHECKED : 0);
    if (option != ISG_CLI_OPTION_END) {
        code = isg_cli_exit_of(option);
    } else if (run.path == NULL || isg_cli_argument(context) != NULL) {
        isg_cli_error("one kernel at a time, as in `isogrid run kernel.comp --grid 1`");
    } else if (!run.has_grid) {
        isg_cli_error("over how many workgroups? give --grid X[,Y,Z]");
    } else {
        const isg_cli_kernel_source source = {
            .path = run.path,
            .include_directories = (const char *const *)folders.items,
            .include_directory_count = folders.count,
            .macros = (const char *const *)macros.items,
            .macro_count = macros.count,
        };

        code = run_kernel(&run, &source);
    }
    free_run(&run);
    isg_cli_list_free(&folders);
    isg_cli_list_free(&macros);
    free(device_text);
    free(entry_text);
    poptFreeContext(context);
    return code;
}
