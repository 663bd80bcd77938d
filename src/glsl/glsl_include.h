/* How #include is resolved: the device library first, then files. */
#ifndef ISG_GLSL_INCLUDE_H
#define ISG_GLSL_INCLUDE_H

#include "isogrid/glsl.h"

#include <shaderc/shaderc.h>

/* Reads a whole file and ends it with a zero byte. The caller frees *out_text. On failure returns
 * false and errno says why. */
bool isg_glsl_read_file(const char *path, char **out_text, size_t *out_size);

/* The callbacks of shaderc_compile_options_set_include_callbacks(); `user` is the
 * const isg_glsl_desc. */
shaderc_include_result *isg_glsl_include_resolve(void *user, const char *requested, int type,
                                                 const char *requesting, size_t depth);
void isg_glsl_include_release(void *user, shaderc_include_result *result);

#endif
