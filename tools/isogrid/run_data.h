/* The data that `isogrid run` binds: read from files, generated, written and printed. */
#ifndef ISOGRID_TOOLS_RUN_DATA_H
#define ISOGRID_TOOLS_RUN_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One --bind. */
typedef struct isg_run_data {
    uint32_t set, binding;
    void *bytes;      /* owned: what the buffer starts with */
    uint64_t size;    /* at least 1 */
    char *write_path; /* owned: where the result goes; NULL: nowhere */
} isg_run_data;

/* One --print. */
typedef struct isg_run_print {
    uint32_t set, binding;
    uint32_t type; /* of isg_run_type_size() */
    uint64_t count;
} isg_run_print;

/* Reads "SET.BINDING=SPEC". On failure reports it; false. */
bool isg_run_data_parse(const char *text, isg_run_data *out);
void isg_run_data_free(isg_run_data *data);

/* Reads "SET.BINDING[:TYPE[:COUNT]]". On failure reports it; false. */
bool isg_run_print_parse(const char *text, isg_run_print *out);
/* Prints `size` bytes as that --print asks. */
void isg_run_print_values(const isg_run_print *print, const void *bytes, uint64_t size);

/* A growing row of bytes: push constants. */
typedef struct isg_run_bytes {
    uint8_t *bytes; /* owned */
    size_t size;
} isg_run_bytes;

/* Appends "1,2.5,-3" as values of `type` ("f32"), or with NULL as hexadecimal digits. On failure
 * reports it; false. */
bool isg_run_bytes_append(isg_run_bytes *bytes, const char *type, const char *text);

#endif
