/* Resolves #include in kernels. */
#include "glsl_include.h"

#include "glsl_embedded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY_PREFIX "isogrid/"
#define MAX_DEPTH 64

/* One answer to shaderc; `owned` and `name` are freed with it, `content` may be static. */
typedef struct include_answer {
    shaderc_include_result result; /* first: shaderc hands this pointer back */
    char *name;
    char *owned;
} include_answer;

bool isg_glsl_read_file(const char *path, char **out_text, size_t *out_size)
{
    size_t capacity = 16384, size = 0;
    char *text = NULL;
    FILE *file = fopen(path, "rb");

    if (file == NULL)
        return false;
    for (;;) {
        char *larger = realloc(text, capacity);
        if (larger == NULL)
            goto fail;
        text = larger;
        size += fread(text + size, 1, capacity - 1 - size, file);
        if (size < capacity - 1)
            break;
        capacity *= 2;
    }
    if (ferror(file))
        goto fail;
    fclose(file);
    text[size] = '\0';
    *out_text = text;
    *out_size = size;
    return true;

fail:;
    int reason = errno;
    free(text);
    fclose(file);
    errno = reason;
    return false;
}

const char *isg_glsl_library_file(const char *name, size_t *out_size)
{
    char message[1024];
    int used;

    for (const isg_embedded_file *file = isg_glsl_device_library; name && file->name; file++) {
        if (strcmp(file->name, name) == 0) {
            if (out_size)
                *out_size = file->size;
            return (const char *)file->text;
        }
    }
    used = snprintf(message, sizeof message,
                    "the device library has no file '%.200s'; it has:", name ? name : "(null)");
    for (const isg_embedded_file *file = isg_glsl_device_library; file->name; file++) {
        if (used < 0 || (size_t)used >= sizeof message)
            break;
        used += snprintf(message + used, sizeof message - (size_t)used, " %s", file->name);
    }
    (void)isg_set_last_error(ISG_ERROR_INVALID_ARGUMENT, message);
    return NULL;
}

/* Joins the folder of `from` (all of it when `whole`) and `name`; NULL when memory ran out. */
static char *join_path(const char *from, bool whole, const char *name)
{
    const char *slash = strrchr(from, '/');
    size_t folder = whole ? strlen(from) : slash ? (size_t)(slash - from) : 0;
    size_t size = folder + 1 + strlen(name) + 1;
    char *path = malloc(size);

    if (path == NULL)
        return NULL;
    if (folder > 0 || (slash != NULL && !whole))
        (void)snprintf(path, size, "%.*s/%s", (int)folder, from, name);
    else
        (void)snprintf(path, size, "%s", name);
    return path;
}

/* Answers from the device library; takes `name`, which it frees when there is no such file. */
static bool answer_from_library(include_answer *answer, char *name)
{
    for (const isg_embedded_file *file = isg_glsl_device_library; file->name; file++) {
        if (strcmp(file->name, name) == 0) {
            answer->name = name;
            answer->result.content = (const char *)file->text;
            answer->result.content_length = file->size;
            return true;
        }
    }
    free(name);
    return false;
}

/* Answers from the file `path`, which it takes. */
static bool answer_from_file(include_answer *answer, char *path)
{
    if (path && isg_glsl_read_file(path, &answer->owned, &answer->result.content_length)) {
        answer->result.content = answer->owned;
        answer->name = path;
        return true;
    }
    free(path);
    return false;
}

static bool resolve(include_answer *answer, const isg_glsl_desc *desc, const char *requested,
                    int type, const char *requesting)
{
    if (strncmp(requested, LIBRARY_PREFIX, strlen(LIBRARY_PREFIX)) == 0) {
        char *name = strdup(requested);
        return name && answer_from_library(answer, name);
    }
    if (requested[0] == '/')
        return answer_from_file(answer, strdup(requested));
    if (type == shaderc_include_type_relative) {
        if (strncmp(requesting, LIBRARY_PREFIX, strlen(LIBRARY_PREFIX)) == 0) {
            char *name = join_path(requesting, false, requested);
            return name && answer_from_library(answer, name);
        }
        /* A source without a path has no folder; what it includes by path has one again. */
        if ((desc->path || strchr(requesting, '/')) &&
            answer_from_file(answer, join_path(requesting, false, requested)))
            return true;
    }
    for (uint32_t i = 0; i < desc->include_directory_count; i++) {
        if (answer_from_file(answer, join_path(desc->include_directories[i], true, requested)))
            return true;
    }
    return false;
}

static void explain(include_answer *answer, const isg_glsl_desc *desc, const char *requested,
                    size_t depth)
{
    char text[512];

    if (depth > MAX_DEPTH)
        (void)snprintf(text, sizeof text,
                       "'%.200s' is included more than %d deep; does a file include itself?",
                       requested, MAX_DEPTH);
    else if (strncmp(requested, LIBRARY_PREFIX, strlen(LIBRARY_PREFIX)) == 0)
        (void)snprintf(text, sizeof text, "the device library has no file '%.200s'", requested);
    else
        (void)snprintf(text, sizeof text,
                       "'%.200s' found neither beside the including file nor in the %u include "
                       "directories; add its folder to include_directories",
                       requested, desc->include_directory_count);
    answer->owned = strdup(text);
    answer->result.content = answer->owned ? answer->owned : "out of memory";
    answer->result.content_length = strlen(answer->result.content);
}

shaderc_include_result *isg_glsl_include_resolve(void *user, const char *requested, int type,
                                                 const char *requesting, size_t depth)
{
    static shaderc_include_result out_of_memory = {
        .source_name = "", .content = "out of memory", .content_length = 13};
    const isg_glsl_desc *desc = user;
    include_answer *answer = calloc(1, sizeof *answer);

    if (answer == NULL)
        return &out_of_memory;
    if (depth > MAX_DEPTH || !resolve(answer, desc, requested, type, requesting))
        explain(answer, desc, requested, depth);
    answer->result.source_name = answer->name ? answer->name : "";
    answer->result.source_name_length = strlen(answer->result.source_name);
    answer->result.user_data = answer;
    return &answer->result;
}

void isg_glsl_include_release(void *user, shaderc_include_result *result)
{
    include_answer *answer = result->user_data;

    (void)user;
    if (answer == NULL)
        return;
    free(answer->name);
    free(answer->owned);
    free(answer);
}
