/* An application that has a shaderc of its own beside isogrid's glsl component (the shared library):
 * both compile at the same time, each makes and ends its compilers as it likes, and neither sees the
 * other's glslang. */
#include <isogrid/glsl.h>

#include <pthread.h>
#include <shaderc/shaderc.h>
#include <stdio.h>
#include <string.h>

#define THREADS 4
#define ROUNDS 12

static const char source[] = "#version 450\n"
                             "layout(local_size_x = 8) in;\n"
                             "layout(std430, binding = 0) buffer B { float b[]; };\n"
                             "void main() { b[gl_GlobalInvocationID.x] = sin(b[0]) + 1.0; }\n";

/* shaderc's compilers may not be made or ended side by side; that lock is the application's. */
static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_spirv(const void *bytes, size_t size)
{
    static const uint32_t magic = 0x07230203;

    return size > 20 && memcmp(bytes, &magic, 4) == 0;
}

static void *compile_own(void *argument)
{
    int *good = argument;

    for (int i = 0; i < ROUNDS; i++) {
        shaderc_compilation_result_t result;
        shaderc_compiler_t compiler;

        pthread_mutex_lock(&own_lock);
        compiler = shaderc_compiler_initialize();
        pthread_mutex_unlock(&own_lock);
        result = shaderc_compile_into_spv(compiler, source, strlen(source),
                                          shaderc_glsl_compute_shader, "own.comp", "main", NULL);
        *good += is_spirv(shaderc_result_get_bytes(result), shaderc_result_get_length(result));
        shaderc_result_release(result);
        pthread_mutex_lock(&own_lock);
        shaderc_compiler_release(compiler);
        pthread_mutex_unlock(&own_lock);
    }
    return NULL;
}

static void *compile_isogrid(void *argument)
{
    int *good = argument;

    for (int i = 0; i < ROUNDS; i++) {
        isg_glsl_result *result = NULL;

        if (isg_glsl_compile(&(isg_glsl_desc){.source = source}, &result) == ISG_OK)
            *good += is_spirv(result->spirv, result->size);
        isg_glsl_result_release(result);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2 * THREADS];
    int good[2 * THREADS] = {0};
    int failed = 0;

    for (int i = 0; i < 2 * THREADS; i++) {
        if (pthread_create(&threads[i], NULL, i % 2 ? compile_own : compile_isogrid, &good[i]) != 0)
            return 1;
    }
    for (int i = 0; i < 2 * THREADS; i++) {
        if (pthread_join(threads[i], NULL) != 0)
            return 1;
        printf("%s thread: %d of %d compiled\n", i % 2 ? "own" : "isogrid", good[i], ROUNDS);
        failed |= good[i] != ROUNDS;
    }
    return failed;
}
