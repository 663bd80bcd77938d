/* `isogrid compile`, and how every command gets a kernel from a file. */
#include "cli.h"

#ifdef ISG_HAVE_GLSL
#include "isogrid/glsl.h"
#endif

#include <spirv-tools/libspirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_INCLUDE = 'I', OPTION_DEFINE = 'D' };

static char *output_path, *target_name;
static int debug_info;

static const struct poptOption options[] = {
    ISG_CLI_HELP_OPTION,
    {"output", 'o', POPT_ARG_STRING, &output_path, 0, "Where the SPIR-V goes (required)", "FILE"},
    {"include", 'I', POPT_ARG_STRING, NULL, OPTION_INCLUDE,
     "Search this folder for #include; may be repeated", "DIR"},
    {"define", 'D', POPT_ARG_STRING, NULL, OPTION_DEFINE, "Define a macro; may be repeated",
     "NAME[=VALUE]"},
    {"target", 0, POPT_ARG_STRING, &target_name, 0, "vulkan1.1, vulkan1.2 (default) or vulkan1.3",
     "TARGET"},
    {"debug", 'g', POPT_ARG_NONE, &debug_info, 0, "Keep source text, names and lines in the module",
     NULL},
    POPT_TABLEEND,
};

static const isg_cli_usage usage = {
    .command = "compile",
    .arguments = "KERNEL.comp -o KERNEL.spv [options]",
    .about =
        "Compiles a GLSL compute shader to SPIR-V and validates it. #include <isogrid/...> finds\n"
        "the device library. Nothing is optimised: optimisers change float results, and drivers\n"
        "optimise anyway.\n",
    .examples = "  isogrid compile saxpy.comp -o saxpy.spv\n"
                "  isogrid compile solver.comp -o solver.spv -I shaders -D TILE=16\n",
    .options = options,
};

static const char *const target_names[] = {"vulkan1.2", "vulkan1.1", "vulkan1.3"};

bool isg_cli_is_spirv(const void *data, size_t size)
{
    uint32_t word = 0;

    if (size < sizeof word) {
        return false;
    }
    memcpy(&word, data, sizeof word);
    return word == UINT32_C(0x07230203) || word == UINT32_C(0x03022307);
}

#ifdef ISG_HAVE_GLSL

static void print_line(void *user, const char *line)
{
    (void)user;
    fprintf(stderr, "%s\n", line);
}

static spv_target_env validator_target(int target)
{
    return target == ISG_GLSL_VULKAN_1_1   ? SPV_ENV_VULKAN_1_1
           : target == ISG_GLSL_VULKAN_1_3 ? SPV_ENV_VULKAN_1_3
                                           : SPV_ENV_VULKAN_1_2;
}

/* What the compiler wrote must be valid; when it is not, the compiler has a bug. */
static bool validate(const char *path, const void *spirv, size_t size, int target)
{
    spv_context context = spvContextCreate(validator_target(target));
    spv_const_binary_t binary = {spirv, size / 4};
    spv_diagnostic diagnostic = NULL;
    const spv_result_t result = spvValidate(context, &binary, &diagnostic);

    if (result != SPV_SUCCESS) {
        isg_cli_error("'%s' compiled to SPIR-V that is not valid, word %zu: %s", path,
                      diagnostic != NULL ? diagnostic->position.index : 0,
                      diagnostic != NULL ? diagnostic->error : "no reason given");
    }
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    return result == SPV_SUCCESS;
}

/* Splits "NAME=VALUE" strings; *names must be freed. False when memory ran out. */
static bool split_macros(const isg_cli_kernel_source *source, isg_glsl_macro **out, char ***names)
{
    isg_glsl_macro *macros = calloc(source->macro_count + 1, sizeof *macros);
    char **copies = calloc(source->macro_count + 1, sizeof *copies);
    bool good = macros != NULL && copies != NULL;

    for (uint32_t i = 0; good && i < source->macro_count; i++) {
        char *equals = NULL;

        copies[i] = strdup(source->macros[i]);
        if (copies[i] == NULL) {
            good = false;
            break;
        }
        equals = strchr(copies[i], '=');
        macros[i].name = copies[i];
        if (equals != NULL) {
            *equals = '\0';
            macros[i].value = equals + 1;
        }
    }
    *out = macros;
    *names = copies;
    return good;
}

static int compile(const isg_cli_kernel_source *source, const char *text, size_t size, void **out,
                   size_t *out_size)
{
    isg_glsl_macro *macros = NULL;
    char **names = NULL;
    isg_glsl_result *result = NULL;
    int code = ISG_CLI_FAILURE;

    if (!split_macros(source, &macros, &names)) {
        isg_cli_error("out of memory");
    } else {
        const isg_glsl_desc desc = {
            .source = text,
            .source_size = size,
            .path = source->path,
            .include_directories = source->include_directories,
            .include_directory_count = source->include_directory_count,
            .macros = macros,
            .macro_count = source->macro_count,
            .target = (isg_glsl_target)source->target,
            .debug_info = source->debug_info,
            .log = print_line,
        };
        const isg_status status = isg_glsl_compile(&desc, &result);

        if (status == ISG_ERROR_COMPILE_FAILED) {
            isg_cli_error("'%s' does not compile", source->path); /* its lines are printed */
        } else if (status != ISG_OK) {
            code = isg_cli_failed(status, source->path);
        } else if (validate(source->path, result->spirv, result->size, source->target)) {
            *out = malloc(result->size);
            if (*out != NULL) {
                memcpy(*out, result->spirv, result->size);
                *out_size = result->size;
                code = ISG_CLI_OK;
            } else {
                isg_cli_error("out of memory");
            }
        }
    }
    isg_glsl_result_release(result);
    for (uint32_t i = 0; names != NULL && i < source->macro_count; i++) {
        free(names[i]);
    }
    free(names);
    free(macros);
    return code;
}

#else

static int compile(const isg_cli_kernel_source *source, const char *text, size_t size, void **out,
                   size_t *out_size)
{
    (void)text, (void)size, (void)out, (void)out_size;
    isg_cli_error(
        "'%s' is GLSL and this isogrid was built without its glsl component; install the "
        "packages 'libshaderc-dev glslang-dev glslang-tools spirv-tools' and build again, "
        "or give SPIR-V",
        source->path);
    return ISG_CLI_FAILURE;
}

#endif

int isg_cli_load_kernel(const isg_cli_kernel_source *source, void **out, size_t *out_size)
{
    void *data = NULL;
    size_t size = 0;
    int code = ISG_CLI_OK;

    *out = NULL;
    *out_size = 0;
    if (!isg_cli_read_file(source->path, &data, &size)) {
        return ISG_CLI_USAGE;
    }
    if (isg_cli_is_spirv(data, size)) {
        *out = data;
        *out_size = size;
        return ISG_CLI_OK;
    }
    if (size == 0 || memchr(data, '\0', size) != NULL) {
        isg_cli_error("'%s' (%zu bytes) is neither SPIR-V nor text", source->path, size);
        code = ISG_CLI_FAILURE;
    } else {
        code = compile(source, data, size, out, out_size);
    }
    free(data);
    return code;
}

static int read_target(const char *name)
{
    for (int i = 0; i < 3; i++) {
        if (name == NULL || strcmp(name, target_names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static int compile_file(const char *path, const isg_cli_list *folders, const isg_cli_list *macros)
{
    const isg_cli_kernel_source source = {
        .path = path,
        .include_directories = (const char *const *)folders->items,
        .include_directory_count = folders->count,
        .macros = (const char *const *)macros->items,
        .macro_count = macros->count,
        .target = read_target(target_name),
        .debug_info = debug_info != 0,
    };
    void *text = NULL, *spirv = NULL;
    size_t size = 0;
    int code = ISG_CLI_OK;

    if (source.target < 0) {
        isg_cli_error("no target '%s'; there are vulkan1.1, vulkan1.2 and vulkan1.3", target_name);
        return ISG_CLI_USAGE;
    }
    if (output_path == NULL) {
        isg_cli_error("where to? name a file with -o");
        return ISG_CLI_USAGE;
    }
    if (!isg_cli_read_file(path, &text, &size)) {
        return ISG_CLI_USAGE;
    }
    if (isg_cli_is_spirv(text, size)) {
        isg_cli_error("'%s' is SPIR-V already", path);
        code = ISG_CLI_USAGE;
    } else {
        code = isg_cli_load_kernel(&source, &spirv, &size);
    }
    if (code == ISG_CLI_OK && !isg_cli_write_file(output_path, spirv, size)) {
        code = ISG_CLI_FAILURE;
    }
    free(spirv);
    free(text);
    return code;
}

int isg_cli_compile(int argc, const char **argv)
{
    poptContext context = isg_cli_open(&usage, argc, argv);
    isg_cli_list folders = {0}, macros = {0};
    const char *path = NULL, *extra = NULL;
    int option = 0, code = ISG_CLI_OK;

    while ((option = isg_cli_next(context, &usage)) > 0) {
        isg_cli_list_add(option == OPTION_INCLUDE ? &folders : &macros, poptGetOptArg(context));
    }
    path = isg_cli_argument(context);
    extra = path != NULL ? isg_cli_argument(context) : NULL;
    if (option != ISG_CLI_OPTION_END) {
        code = isg_cli_exit_of(option);
    } else if (path == NULL || extra != NULL) {
        isg_cli_error("one kernel at a time, as in `isogrid compile kernel.comp -o kernel.spv`");
        code = ISG_CLI_USAGE;
    } else {
        code = compile_file(path, &folders, &macros);
    }
    isg_cli_list_free(&folders);
    isg_cli_list_free(&macros);
    free(output_path);
    free(target_name);
    poptFreeContext(context);
    return code;
}
