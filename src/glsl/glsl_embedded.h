/* The device library's text, embedded by the build. */
#ifndef ISG_GLSL_EMBEDDED_H
#define ISG_GLSL_EMBEDDED_H

#include <stddef.h>

typedef struct isg_embedded_file {
    const char *name;          /* relative to shaders/: "isogrid/phased.glsl" */
    const unsigned char *text; /* ended by a zero byte */
    size_t size;               /* bytes without it */
} isg_embedded_file;

/* Ended by an entry whose name is NULL. */
extern const isg_embedded_file isg_glsl_device_library[];

#endif
