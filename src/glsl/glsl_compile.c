/* Compiles GLSL through shaderc. */
#include "glsl_include.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERROR_TEXT_SIZE 2048 /* what isg_last_error() keeps */

typedef struct compiled {
    isg_glsl_result result; /* first: the public part */
    shaderc_compilation_result_t shaderc;
} compiled;

/* One compiler for the process. Making and ending compilers is not safe side by side (glslang's
 * global tables are built and freed by the first and the last one), compiling with one is. It ends
 * with the library: atexit runs before the static destructors of the C++ inside. */
static pthread_mutex_t compiler_lock = PTHREAD_MUTEX_INITIALIZER;
static shaderc_compiler_t compiler; /* guarded by compiler_lock */
static bool compiler_ended;         /* guarded by compiler_lock */
static unsigned compiler_users;     /* guarded by compiler_lock; compilations going on */

static void compiler_end(void)
{
    pthread_mutex_lock(&compiler_lock);
    compiler_ended = true;
    /* A thread that still compiles while the process exits keeps it. */
    if (compiler_users == 0) {
        shaderc_compiler_release(compiler);
        compiler = NULL;
    }
    pthread_mutex_unlock(&compiler_lock);
}

static shaderc_compiler_t compiler_acquire(void)
{
    shaderc_compiler_t use = NULL;

    pthread_mutex_lock(&compiler_lock);
    if (compiler == NULL && !compiler_ended) {
        compiler = shaderc_compiler_initialize();
        if (compiler != NULL)
            (void)atexit(compiler_end);
    }
    if (!compiler_ended)
        use = compiler;
    if (use != NULL)
        compiler_users++;
    pthread_mutex_unlock(&compiler_lock);
    return use;
}

static void compiler_drop(void)
{
    pthread_mutex_lock(&compiler_lock);
    compiler_users--;
    pthread_mutex_unlock(&compiler_lock);
}

static isg_status fail(isg_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static isg_status fail(isg_status status, const char *format, ...)
{
    char text[ERROR_TEXT_SIZE];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return isg_set_last_error(status, text);
}

static bool is_identifier(const char *name)
{
    if (name == NULL || name[0] == '\0' || (name[0] >= '0' && name[0] <= '9'))
        return false;
    for (const char *c = name; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
        if (!letter && !(*c >= '0' && *c <= '9'))
            return false;
    }
    return true;
}

static isg_status check_desc(const isg_glsl_desc *desc)
{
    if (desc->source == NULL && desc->path == NULL)
        return fail(ISG_ERROR_INVALID_ARGUMENT,
                    "isg_glsl_compile: neither source nor path is set; give the text or a file");
    if ((unsigned)desc->target > ISG_GLSL_VULKAN_1_3)
        return fail(ISG_ERROR_INVALID_ARGUMENT,
                    "isg_glsl_compile: target %d is none of isg_glsl_target (0 to %d)",
                    (int)desc->target, (int)ISG_GLSL_VULKAN_1_3);
    if (desc->include_directory_count > 0 && desc->include_directories == NULL)
        return fail(ISG_ERROR_INVALID_ARGUMENT,
                    "isg_glsl_compile: include_directories is NULL but its count is %u; pass the "
                    "array or a count of 0",
                    desc->include_directory_count);
    for (uint32_t i = 0; i < desc->include_directory_count; i++) {
        if (desc->include_directories[i] == NULL)
            return fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_glsl_compile: include_directories[%u] of %u is NULL; pass a folder", i,
                        desc->include_directory_count);
    }
    if (desc->macro_count > 0 && desc->macros == NULL)
        return fail(ISG_ERROR_INVALID_ARGUMENT,
                    "isg_glsl_compile: macros is NULL but its count is %u; pass the array or a "
                    "count of 0",
                    desc->macro_count);
    for (uint32_t i = 0; i < desc->macro_count; i++) {
        const char *name = desc->macros[i].name;
        if (!is_identifier(name))
            return fail(
                ISG_ERROR_INVALID_ARGUMENT,
                "isg_glsl_compile: name '%.200s' of macro %u is no identifier; use letters, "
                "digits and underscores, a digit not first",
                name ? name : "(null)", i);
    }
    return ISG_OK;
}

static shaderc_compile_options_t make_options(const isg_glsl_desc *desc)
{
    static const shaderc_env_version versions[] = {
        [ISG_GLSL_VULKAN_1_2] = shaderc_env_version_vulkan_1_2,
        [ISG_GLSL_VULKAN_1_1] = shaderc_env_version_vulkan_1_1,
        [ISG_GLSL_VULKAN_1_3] = shaderc_env_version_vulkan_1_3,
    };
    shaderc_compile_options_t options = shaderc_compile_options_initialize();

    if (options == NULL)
        return NULL;
    shaderc_compile_options_set_source_language(options, shaderc_source_language_glsl);
    shaderc_compile_options_set_target_env(options, shaderc_target_env_vulkan,
                                           (uint32_t)versions[desc->target]);
    shaderc_compile_options_set_optimization_level(options, shaderc_optimization_level_zero);
    if (desc->debug_info)
        shaderc_compile_options_set_generate_debug_info(options);
    for (uint32_t i = 0; i < desc->macro_count; i++) {
        const isg_glsl_macro *macro = &desc->macros[i];
        const char *value = macro->value ? macro->value : "";
        shaderc_compile_options_add_macro_definition(options, macro->name, strlen(macro->name),
                                                     value, strlen(value));
    }
    shaderc_compile_options_set_include_callbacks(options, isg_glsl_include_resolve,
                                                  isg_glsl_include_release, (void *)desc);
    return options;
}

/* Hands `text` to the caller's log line by line. shaderc's own "2 errors generated." is no line of
 * the kernel and left out. */
static void send_log(const isg_glsl_desc *desc, const char *text)
{
    while (desc->log && *text) {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        if (line && length > 0 && strstr(line, " generated.") == NULL)
            desc->log(desc->log_user, line);
        free(line);
        text += length + (text[length] == '\n');
    }
}

static isg_status compile_failed(const char *name, shaderc_compilation_result_t result)
{
    const char *text = result ? shaderc_result_get_error_message(result) : "";
    size_t errors = result ? shaderc_result_get_num_errors(result) : 0;

    if (result == NULL || text[0] == '\0')
        return fail(ISG_ERROR_OUT_OF_MEMORY,
                    "compiling '%.200s' gave no result and no message: host memory ran out", name);
    return fail(ISG_ERROR_COMPILE_FAILED,
                "'%.200s' does not compile: %zu error%s; mend the GLSL:\n%s", name, errors,
                errors == 1 ? "" : "s", text);
}

static isg_status compile(const isg_glsl_desc *desc, const char *text, size_t size, compiled *out)
{
    const char *name = desc->path ? desc->path : "kernel.comp";
    isg_status status = ISG_OK;
    shaderc_compile_options_t options = make_options(desc);
    shaderc_compiler_t use = options ? compiler_acquire() : NULL;

    if (use == NULL) {
        status = fail(
            ISG_ERROR_OUT_OF_MEMORY,
            "no GLSL compiler for '%.200s': host memory ran out, or the process is exiting", name);
        goto done;
    }
    out->shaderc = shaderc_compile_into_spv(use, text, size, shaderc_glsl_compute_shader, name,
                                            "main", options);
    compiler_drop();
    if (out->shaderc)
        send_log(desc, shaderc_result_get_error_message(out->shaderc));
    if (out->shaderc == NULL ||
        shaderc_result_get_compilation_status(out->shaderc) != shaderc_compilation_status_success) {
        status = compile_failed(name, out->shaderc);
        goto done;
    }
    out->result.spirv = shaderc_result_get_bytes(out->shaderc);
    out->result.size = shaderc_result_get_length(out->shaderc);
    out->result.log = shaderc_result_get_error_message(out->shaderc);

done:
    shaderc_compile_options_release(options);
    return status;
}

isg_status isg_glsl_compile(const isg_glsl_desc *desc, isg_glsl_result **out)
{
    char *file_text = NULL;
    const char *text;
    size_t size = 0;
    isg_status status;
    compiled *made = NULL;

    if (out == NULL || desc == NULL) {
        if (out)
            *out = NULL;
        return fail(ISG_ERROR_INVALID_ARGUMENT, "isg_glsl_compile: %s is NULL; pass both arguments",
                    desc ? "out" : "desc");
    }
    *out = NULL;
    status = check_desc(desc);
    if (status != ISG_OK)
        return status;

    text = desc->source;
    if (text == NULL) {
        if (!isg_glsl_read_file(desc->path, &file_text, &size))
            return fail(errno == ENOMEM ? ISG_ERROR_OUT_OF_MEMORY : ISG_ERROR_IO,
                        "cannot read kernel file '%.400s': %s; check the path", desc->path,
                        strerror(errno));
        text = file_text;
    } else {
        size = desc->source_size ? desc->source_size : strlen(text);
    }

    made = calloc(1, sizeof *made);
    if (made == NULL) {
        status = fail(ISG_ERROR_OUT_OF_MEMORY, "no host memory for the result of isg_glsl_compile");
        goto done;
    }
    status = compile(desc, text, size, made);
    if (status == ISG_OK)
        *out = &made->result;
    else
        isg_glsl_result_release(&made->result);

done:
    free(file_text);
    return status;
}

void isg_glsl_result_release(isg_glsl_result *result)
{
    compiled *made = (compiled *)(void *)result;

    if (made == NULL)
        return;
    shaderc_result_release(made->shaderc);
    free(made);
}
