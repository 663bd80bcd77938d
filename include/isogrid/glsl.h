/* isogrid's optional glsl component: GLSL to SPIR-V at run time.
 *
 * It is a library of its own (isogrid::glsl, libisogrid_glsl), because the compiler inside is far
 * larger than isogrid itself. Kernels may #include <isogrid/phased.glsl> and the rest of the device
 * library with no file installed: its text is part of the component.
 *
 * Code is compiled at optimisation level zero. That is on purpose: SPIR-V optimisers contract and
 * reorder float arithmetic, and the drivers optimise anyway.
 *
 * debugPrintfEXT (#extension GL_EXT_debug_printf : require) compiles; what it prints comes to
 * isg_instance_desc.log as ISG_LOG_PRINTF where isg_instance_desc.shader_printf is set.
 */
#ifndef ISOGRID_GLSL_H
#define ISOGRID_GLSL_H

#include "isogrid/isogrid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the SPIR-V is made for. */
typedef enum isg_glsl_target {
    ISG_GLSL_VULKAN_1_2 = 0, /* SPIR-V 1.5 */
    ISG_GLSL_VULKAN_1_1 = 1, /* SPIR-V 1.3 */
    ISG_GLSL_VULKAN_1_3 = 2, /* SPIR-V 1.6 */
} isg_glsl_target;

/* As if the source began with "#define name value". */
typedef struct isg_glsl_macro {
    const char *name;  /* an identifier, without parameters */
    const char *value; /* NULL: empty */
} isg_glsl_macro;

typedef struct isg_glsl_desc {
    const char *source; /* the text; NULL: read from the file `path` */
    size_t source_size; /* bytes; 0: up to the first zero byte */
    const char *path;   /* what messages call it, and where #include "..." starts to look; NULL:
                           "kernel.comp", and #include "..." looks in include_directories alone */
    /* Searched in order, after the including file's own folder. Names that begin with "isogrid/"
     * are the device library's and always come from the component. */
    const char *const *include_directories;
    uint32_t include_directory_count;
    const isg_glsl_macro *macros;
    uint32_t macro_count;
    isg_glsl_target target;
    bool debug_info; /* keep source text, names and lines in the module */
    /* Gets each warning and each error as "file:line: error: what"; NULL: only isg_last_error().
     * Called during isg_glsl_compile(), on its thread. */
    void (*log)(void *user, const char *line);
    void *log_user; /* borrowed */
} isg_glsl_desc;

typedef struct isg_glsl_result {
    const void *spirv; /* for isg_kernel_desc; aligned to 4 bytes */
    size_t size;       /* bytes */
    const char *log;   /* the warnings, one a line; "" when there are none */
} isg_glsl_result;

/* Compiles one compute shader.
 *
 * Ownership: caller owns *out and all it points to; end it with isg_glsl_result_release(). Nothing
 *            of `desc` is kept.
 * Threads:   thread-safe; calls run side by side. Threads: immutable, of the result.
 * Errors:    INVALID_ARGUMENT  NULL; neither source nor path; an unknown target; a macro whose name
 *                              is no identifier
 *            IO                `path` cannot be read
 *            COMPILE_FAILED    isg_last_error() has every error with file and line, as far as it
 *                              fits; `log` gets them all
 *            OUT_OF_MEMORY
 *            On error *out is NULL.
 * Since:     0.1 */
ISG_API isg_status isg_glsl_compile(const isg_glsl_desc *desc, isg_glsl_result **out);

/* Ownership: taken. Threads: thread-safe. Errors: none; NULL is fine. Since: 0.1 */
ISG_API void isg_glsl_result_release(isg_glsl_result *result);

/* The text of one file of the device library, "isogrid/phased.glsl", ended by a zero byte.
 *
 * Ownership: static. `out_size` (bytes without the end; may be NULL) is filled.
 * Threads:   thread-safe.
 * Errors:    NULL when there is no such file; isg_last_error() lists what there is
 * Since:     0.1 */
ISG_API const char *isg_glsl_library_file(const char *name, size_t *out_size);

#ifdef __cplusplus
}
#endif

#endif
