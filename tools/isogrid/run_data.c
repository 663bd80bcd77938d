/* Reads the data and the values that `isogrid run` is told to bind, and prints what came of them. */
#include "run_data.h"

#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct type {
    const char *name;
    uint32_t size;
    enum { TYPE_UNSIGNED, TYPE_SIGNED, TYPE_FLOAT } kind;
} type;

static const type types[] = {
    {"u8", 1, TYPE_UNSIGNED},  {"i8", 1, TYPE_SIGNED},    {"u16", 2, TYPE_UNSIGNED},
    {"i16", 2, TYPE_SIGNED},   {"u32", 4, TYPE_UNSIGNED}, {"i32", 4, TYPE_SIGNED},
    {"u64", 8, TYPE_UNSIGNED}, {"i64", 8, TYPE_SIGNED},   {"f32", 4, TYPE_FLOAT},
    {"f64", 8, TYPE_FLOAT},
};

enum { TYPE_COUNT = sizeof types / sizeof *types, TYPE_U32 = 4 };

static const char spec_help[] = "zeros:SIZE, iota:TYPE:COUNT, random:TYPE:COUNT[:SEED], "
                                "values:TYPE:A,B,..., file:PATH, inout:PATH or out:PATH:SIZE";

static const type *find_type(const char *name)
{
    for (int i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(types[i].name, name) == 0) {
            return &types[i];
        }
    }
    isg_cli_error("no type '%s'; there are u8 i8 u16 i16 u32 i32 u64 i64 f32 f64", name);
    return NULL;
}

/* The low bytes of `value`, as the host stores a value of that size. */
static void store_whole(uint8_t *at, const type *as, uint64_t value)
{
    const uint8_t u8 = (uint8_t)value;
    const uint16_t u16 = (uint16_t)value;
    const uint32_t u32 = (uint32_t)value;

    switch (as->size) {
    case 1:
        memcpy(at, &u8, 1);
        break;
    case 2:
        memcpy(at, &u16, 2);
        break;
    case 4:
        memcpy(at, &u32, 4);
        break;
    default:
        memcpy(at, &value, 8);
        break;
    }
}

static void store_float(uint8_t *at, const type *as, double value)
{
    const float single = (float)value;

    if (as->size == 4) {
        memcpy(at, &single, 4);
    } else {
        memcpy(at, &value, 8);
    }
}

/* One value of a comma-separated list. */
static bool store_text(uint8_t *at, const type *as, const char *text)
{
    const unsigned bits = as->size * 8;
    char *end = NULL;
    uint64_t number = 0;

    if (as->kind == TYPE_FLOAT) {
        const double value = strtod(text, &end);

        if (end == text || *end != '\0') {
            isg_cli_error("'%s' is no number", text);
            return false;
        }
        store_float(at, as, value);
        return true;
    }
    if (as->kind == TYPE_SIGNED && text[0] == '-') {
        if (!isg_cli_parse_number(text + 1, UINT64_C(1) << (bits - 1), &number)) {
            isg_cli_error("'%s' is no %s", text, as->name);
            return false;
        }
        number = 0 - number;
    } else if (!isg_cli_parse_number(text, UINT64_MAX >> (64 - bits + (as->kind == TYPE_SIGNED)),
                                     &number)) {
        isg_cli_error("'%s' is no %s", text, as->name);
        return false;
    }
    store_whole(at, as, number);
    return true;
}

static bool append_values(isg_run_bytes *bytes, const type *as, const char *text)
{
    char *copy = strdup(text), *rest = copy, *item = NULL;
    bool good = copy != NULL;

    while (good && (item = strsep(&rest, ",")) != NULL) {
        uint8_t *grown = realloc(bytes->bytes, bytes->size + as->size);

        good = grown != NULL;
        if (good) {
            bytes->bytes = grown;
            good = store_text(grown + bytes->size, as, item);
            bytes->size += as->size;
        }
    }
    free(copy);
    return good;
}

static bool append_hex(isg_run_bytes *bytes, const char *text)
{
    size_t length = 0;

    text += text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 2 : 0;
    length = strlen(text);
    if (length == 0 || length % 2 != 0) {
        isg_cli_error("'%s' is no row of bytes: two hexadecimal digits each", text);
        return false;
    }
    for (size_t i = 0; i < length; i += 2) {
        const char pair[] = {text[i], text[i + 1], '\0'};
        uint8_t *grown = realloc(bytes->bytes, bytes->size + 1);

        if (grown == NULL || !isxdigit((unsigned char)pair[0]) ||
            !isxdigit((unsigned char)pair[1])) {
            bytes->bytes = grown != NULL ? grown : bytes->bytes;
            isg_cli_error("'%s' is no row of bytes: two hexadecimal digits each", text);
            return false;
        }
        bytes->bytes = grown;
        bytes->bytes[bytes->size++] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return true;
}

bool isg_run_bytes_append(isg_run_bytes *bytes, const char *type_name, const char *text)
{
    const type *as = NULL;

    if (type_name == NULL) {
        return append_hex(bytes, text);
    }
    as = find_type(type_name);
    return as != NULL && append_values(bytes, as, text);
}

/* ---- generated data -------------------------------------------------------------------------- */

static bool allocate(isg_run_data *out, uint64_t size)
{
    if (size == 0) {
        isg_cli_error("binding %u.%u would have no bytes; a buffer has at least one", out->set,
                      out->binding);
        return false;
    }
    out->size = size;
    out->bytes = size <= SIZE_MAX ? calloc(1, (size_t)size) : NULL;
    if (out->bytes == NULL) {
        isg_cli_error("binding %u.%u: no memory for %" PRIu64 " bytes", out->set, out->binding,
                      size);
        return false;
    }
    return true;
}

static bool allocate_items(isg_run_data *out, const char *type_name, const char *count_text,
                           const type **as, uint64_t *count)
{
    *as = find_type(type_name);
    if (*as == NULL) {
        return false;
    }
    if (count_text == NULL || !isg_cli_parse_size(count_text, count) ||
        *count > UINT64_MAX / (*as)->size) {
        isg_cli_error("'%s' is no count of values", count_text != NULL ? count_text : "");
        return false;
    }
    return allocate(out, *count * (*as)->size);
}

static bool make_iota(isg_run_data *out, const char *type_name, const char *count_text)
{
    const type *as = NULL;
    uint64_t count = 0;

    if (!allocate_items(out, type_name, count_text, &as, &count)) {
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint8_t *at = (uint8_t *)out->bytes + i * as->size;

        if (as->kind == TYPE_FLOAT) {
            store_float(at, as, (double)i);
        } else {
            store_whole(at, as, i);
        }
    }
    return true;
}

/* xorshift64 (13, 7, 17), started at seed * 0x9E3779B97F4A7C15 | 1. Floats are in [-1, 1) with 24
 * bits; whole numbers are the high bits of the state. */
static bool make_random(isg_run_data *out, const char *type_name, const char *count_text,
                        const char *seed_text)
{
    const type *as = NULL;
    uint64_t count = 0, seed = 1, state = 0;

    if (seed_text != NULL && !isg_cli_parse_number(seed_text, UINT64_MAX, &seed)) {
        isg_cli_error("'%s' is no seed: a whole number", seed_text);
        return false;
    }
    if (!allocate_items(out, type_name, count_text, &as, &count)) {
        return false;
    }
    state = seed * UINT64_C(0x9E3779B97F4A7C15) | 1;
    for (uint64_t i = 0; i < count; i++) {
        uint8_t *at = (uint8_t *)out->bytes + i * as->size;

        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if (as->kind == TYPE_FLOAT) {
            store_float(at, as, ((double)(state >> 40) / 16777216.0 - 0.5) * 2.0);
        } else {
            store_whole(at, as, state >> (64 - as->size * 8));
        }
    }
    return true;
}

static bool make_values(isg_run_data *out, const char *type_name, const char *list)
{
    isg_run_bytes bytes = {0};

    if (list == NULL) {
        isg_cli_error("values:TYPE: needs values, as in values:f32:1,2.5,-3");
        return false;
    }
    if (!isg_run_bytes_append(&bytes, type_name, list)) {
        free(bytes.bytes);
        return false;
    }
    out->bytes = bytes.bytes;
    out->size = bytes.size;
    return true;
}

static bool make_zeros(isg_run_data *out, const char *size_text)
{
    uint64_t size = 0;

    if (!isg_cli_parse_size(size_text, &size)) {
        isg_cli_error("'%s' is no size: bytes, perhaps ended by K, M or G", size_text);
        return false;
    }
    return allocate(out, size);
}

static bool make_from_file(isg_run_data *out, const char *path, bool written)
{
    size_t size = 0;

    if (!isg_cli_read_file(path, &out->bytes, &size)) {
        return false;
    }
    if (size == 0) {
        isg_cli_error("'%s' is empty; a buffer has at least one byte", path);
        return false;
    }
    out->size = size;
    out->write_path = written ? strdup(path) : NULL;
    return true;
}

static bool make_out(isg_run_data *out, char *rest)
{
    char *colon = strrchr(rest, ':');

    if (colon == NULL || colon == rest) {
        isg_cli_error("'out:%s' lacks a size, as in out:result.bin:4096", rest);
        return false;
    }
    *colon = '\0';
    out->write_path = strdup(rest);
    return make_zeros(out, colon + 1);
}

/* `spec` may be changed. */
static bool make(isg_run_data *out, char *spec)
{
    char *rest = spec, *kind = strsep(&rest, ":"), *first = rest, *second = NULL, *third = NULL;

    if (rest == NULL || rest[0] == '\0') {
        isg_cli_error("'%s' says no data; %s", spec, spec_help);
        return false;
    }
    if (strcmp(kind, "file") == 0 || strcmp(kind, "inout") == 0) {
        return make_from_file(out, rest, kind[0] == 'i');
    }
    if (strcmp(kind, "out") == 0) {
        return make_out(out, rest);
    }
    if (strcmp(kind, "zeros") == 0) {
        return make_zeros(out, rest);
    }
    first = strsep(&rest, ":");
    second = strsep(&rest, ":");
    third = strsep(&rest, ":");
    if (rest != NULL || (third != NULL && strcmp(kind, "random") != 0)) {
        isg_cli_error("one part too many after '%s:'; %s", kind, spec_help);
        return false;
    }
    if (strcmp(kind, "iota") == 0) {
        return make_iota(out, first, second);
    }
    if (strcmp(kind, "random") == 0) {
        return make_random(out, first, second, third);
    }
    if (strcmp(kind, "values") == 0) {
        return make_values(out, first, second);
    }
    isg_cli_error("no data '%s:'; %s", kind, spec_help);
    return false;
}

/* "SET.BINDING" or "BINDING", up to `end`. */
static bool parse_place(const char *text, size_t length, uint32_t *set, uint32_t *binding)
{
    char copy[32], *dot = NULL;
    uint64_t numbers[2] = {0, 0};

    if (length < sizeof copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
        dot = strchr(copy, '.');
        if (dot != NULL) {
            *dot = '\0';
        }
        if ((dot == NULL || isg_cli_parse_number(copy, UINT32_MAX, &numbers[0])) &&
            isg_cli_parse_number(dot != NULL ? dot + 1 : copy, UINT32_MAX, &numbers[1])) {
            *set = (uint32_t)numbers[0];
            *binding = (uint32_t)numbers[1];
            return true;
        }
    }
    isg_cli_error("'%.*s' is no place: SET.BINDING, as in 0.1", (int)length, text);
    return false;
}

bool isg_run_data_parse(const char *text, isg_run_data *out)
{
    const char *equals = strchr(text, '=');
    char *spec = NULL;
    bool good = false;

    *out = (isg_run_data){0};
    if (equals == NULL) {
        isg_cli_error("'%s' is no SET.BINDING=SPEC; SPEC is %s", text, spec_help);
        return false;
    }
    if (!parse_place(text, (size_t)(equals - text), &out->set, &out->binding)) {
        return false;
    }
    spec = strdup(equals + 1);
    good = spec != NULL && make(out, spec);
    free(spec);
    if (!good) {
        isg_run_data_free(out);
    }
    return good;
}

void isg_run_data_free(isg_run_data *data)
{
    free(data->bytes);
    free(data->write_path);
    *data = (isg_run_data){0};
}

/* ---- printing -------------------------------------------------------------------------------- */

bool isg_run_print_parse(const char *text, isg_run_print *out)
{
    char *copy = strdup(text), *rest = copy, *place = strsep(&rest, ":");
    const char *type_name = strsep(&rest, ":"), *count = strsep(&rest, ":");
    const type *as = &types[TYPE_U32];
    bool good = copy != NULL && parse_place(place, strlen(place), &out->set, &out->binding);

    out->count = 16;
    if (good && type_name != NULL) {
        as = find_type(type_name);
        good = as != NULL;
    }
    if (good && ((count != NULL && !isg_cli_parse_size(count, &out->count)) || rest != NULL)) {
        isg_cli_error("'%s' is no SET.BINDING[:TYPE[:COUNT]]", text);
        good = false;
    }
    out->type = good ? (uint32_t)(as - types) : 0;
    free(copy);
    return good;
}

static void print_value(const type *as, const uint8_t *at)
{
    uint64_t bits = 0;
    float single = 0;
    double wide = 0;

    if (as->kind == TYPE_FLOAT) {
        if (as->size == 4) {
            memcpy(&single, at, 4);
            printf("%.9g", (double)single);
        } else {
            memcpy(&wide, at, 8);
            printf("%.17g", wide);
        }
        return;
    }
    for (uint32_t i = 0; i < as->size; i++) {
        bits |= (uint64_t)at[i] << (8 * i);
    }
    if (as->kind == TYPE_SIGNED) {
        const unsigned unused = 64 - as->size * 8;

        printf("%" PRId64, (int64_t)(bits << unused) >> unused);
    } else {
        printf("%" PRIu64, bits);
    }
}

void isg_run_print_values(const isg_run_print *print, const void *bytes, uint64_t size)
{
    const type *as = &types[print->type];
    const uint64_t there = size / as->size;
    const uint64_t count = print->count < there ? print->count : there;

    printf("%u.%u %s:", print->set, print->binding, as->name);
    for (uint64_t i = 0; i < count; i++) {
        putchar(' ');
        print_value(as, (const uint8_t *)bytes + i * as->size);
    }
    printf("%s\n", count < there ? " ..." : "");
}
