/* Reads selectors and finds the device they mean. */
#include "core/selector.h"

#include "core/listing.h"
#include "core/support.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A piece of the selector. */
typedef struct text {
    const char *start;
    size_t length;
} text;

/* What is asked of a device; unset parts are not asked. */
typedef struct wish {
    const char *backend; /* NULL: any */
    bool has_index;
    uint64_t index;
    bool has_uuid;
    uint8_t uuid[16];
    text contained; /* length 0: nothing */
} wish;

/* Text that grows up to its end and is then cut. */
typedef struct notes {
    char text[1536];
    size_t length;
} notes;

static void notes_add(notes *out, const char *part)
{
    size_t room = sizeof out->text - 1 - out->length;
    size_t length = strlen(part);

    length = length < room ? length : room;
    memcpy(out->text + out->length, part, length);
    out->length += length;
    out->text[out->length] = '\0';
}

static void notes_add_device(notes *out, const isg_device_info *info)
{
    notes_add(out, out->length != 0 ? "; " : "");
    notes_add(out, info->selector);
    notes_add(out, " = ");
    notes_add(out, info->name);
    notes_add(out, " ");
    notes_add(out, info->driver_info);
}

static text trimmed(const char *start, size_t length)
{
    while (length > 0 && isspace((unsigned char)start[0])) {
        start++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)start[length - 1])) {
        length--;
    }
    return (text){start, length};
}

static char lower(char c)
{
    return (char)tolower((unsigned char)c);
}

static bool text_equals(text piece, const char *word)
{
    size_t i = 0;

    while (i < piece.length && word[i] != '\0' && lower(piece.start[i]) == lower(word[i])) {
        i++;
    }
    return i == piece.length && word[i] == '\0';
}

static bool text_starts(text piece, const char *word)
{
    return piece.length >= strlen(word) && text_equals((text){piece.start, strlen(word)}, word);
}

/* Whether "name driver_info" contains the piece. */
static bool device_contains(const isg_device_info *info, text piece)
{
    char whole[sizeof info->name + sizeof info->driver_info + 1];
    size_t length = 0;

    snprintf(whole, sizeof whole, "%s %s", info->name, info->driver_info);
    length = strlen(whole);
    for (size_t at = 0; piece.length <= length && at <= length - piece.length; at++) {
        size_t i = 0;

        while (i < piece.length && lower(whole[at + i]) == lower(piece.start[i])) {
            i++;
        }
        if (i == piece.length) {
            return true;
        }
    }
    return false;
}

/* Numbers, and lists of them, are no names: "9", "-1", "0,0". */
static bool looks_like_number(text piece)
{
    for (size_t i = 0; i < piece.length; i++) {
        char c = piece.start[i];

        if (!isdigit((unsigned char)c) && c != '-' && c != '+' && c != ',' && c != ' ') {
            return false;
        }
    }
    return true;
}

static bool parse_index(text piece, uint64_t *out)
{
    uint64_t value = 0;

    for (size_t i = 0; i < piece.length; i++) {
        if (!isdigit((unsigned char)piece.start[i])) {
            return false;
        }
        /* Anything above 32 bits is past every list alike. */
        value = value > UINT32_MAX ? value : value * 10 + (uint64_t)(piece.start[i] - '0');
    }
    *out = value;
    return piece.length > 0;
}

static isg_status parse_uuid(text piece, const char *selector, uint8_t uuid[16])
{
    uint32_t digits = 0;

    memset(uuid, 0, 16);
    for (size_t i = 0; i < piece.length; i++) {
        char c = lower(piece.start[i]);
        int value = 0;

        if (c == '-') {
            continue;
        }
        if (!isxdigit((unsigned char)c) || digits == 32) {
            digits = 0;
            break;
        }
        value = isdigit((unsigned char)c) ? c - '0' : c - 'a' + 10;
        uuid[digits / 2] = (uint8_t)(uuid[digits / 2] << 4 | value);
        digits++;
    }
    if (digits != 32) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "selector '%s' has no UUID after 'uuid:'; write 32 hex digits, dashes "
                        "where you like",
                        selector);
    }
    return ISG_OK;
}

static const char *find_backend(const isg_selector_list *list, text name)
{
    for (uint32_t i = 0; i < list->backend_count; i++) {
        if (text_equals(name, list->backends[i].name)) {
            return list->backends[i].name;
        }
    }
    return NULL;
}

static isg_status fail_unknown_backend(const isg_selector_list *list, const char *selector)
{
    notes known = {0};

    for (uint32_t i = 0; i < list->backend_count; i++) {
        notes_add(&known, i > 0 ? ", " : "");
        notes_add(&known, list->backends[i].name);
    }
    return isg_fail(ISG_ERROR_UNAVAILABLE,
                    "selector '%s' names a backend that this build of isogrid does not have; "
                    "it has: %s",
                    selector, known.text);
}

/* What stands before a colon and is spelt like a backend. */
static bool looks_like_backend(text piece)
{
    for (size_t i = 0; i < piece.length; i++) {
        if (!isalpha((unsigned char)piece.start[i])) {
            return false;
        }
    }
    return piece.length > 0;
}

/* What follows "vulkan:", or a whole selector without a backend. */
static isg_status parse_rest(text rest, const char *selector, wish *out)
{
    if (text_starts(rest, "uuid:")) {
        out->has_uuid = true;
        return parse_uuid(trimmed(rest.start + 5, rest.length - 5), selector, out->uuid);
    }
    if (out->backend != NULL && parse_index(rest, &out->index)) {
        out->has_index = true;
        return ISG_OK;
    }
    if (looks_like_number(rest)) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "selector '%s' %s; write \"%s:0\" for an index, or part of a device's "
                        "name",
                        selector,
                        rest.length == 0       ? "has nothing after its colon"
                        : out->backend != NULL ? "has no index and no name after its colon"
                                               : "is a number without a backend",
                        out->backend != NULL ? out->backend : "vulkan");
    }
    out->contained = rest;
    return ISG_OK;
}

static isg_status parse(const isg_selector_list *list, text whole, const char *selector, wish *out)
{
    const char *colon = memchr(whole.start, ':', whole.length);
    text before = whole;

    *out = (wish){0};
    if (text_equals(whole, "auto")) {
        return ISG_OK;
    }
    if (colon == NULL) {
        out->backend = find_backend(list, whole);
        return out->backend != NULL ? ISG_OK : parse_rest(whole, selector, out);
    }
    before = trimmed(whole.start, (size_t)(colon - whole.start));
    if (text_equals(before, "uuid") || !looks_like_backend(before)) {
        return parse_rest(whole, selector, out);
    }
    out->backend = find_backend(list, before);
    if (out->backend == NULL) {
        return fail_unknown_backend(list, selector);
    }
    return parse_rest(trimmed(colon + 1, whole.length - (size_t)(colon + 1 - whole.start)),
                      selector, out);
}

static bool wish_is_open(const wish *wanted)
{
    return !wanted->has_index && !wanted->has_uuid && wanted->contained.length == 0;
}

static bool wish_meets(const wish *wanted, const isg_device_info *info)
{
    if (wanted->backend != NULL && strcmp(wanted->backend, info->backend) != 0) {
        return false;
    }
    if (wanted->has_index && wanted->index != info->index) {
        return false;
    }
    if (wanted->has_uuid && memcmp(wanted->uuid, info->uuid, sizeof info->uuid) != 0) {
        return false;
    }
    return wanted->contained.length == 0 || device_contains(info, wanted->contained);
}

static isg_status fail_nothing(const isg_selector_list *list, const wish *wanted,
                               const char *selector)
{
    notes there = {0};

    for (uint32_t i = 0; i < list->count; i++) {
        notes_add_device(&there, &list->infos[i]);
        if (list->infos[i].unusable != NULL && list->infos[i].unusable[0] != '\0') {
            notes_add(&there, " (unusable: ");
            notes_add(&there, list->infos[i].unusable);
            notes_add(&there, ")");
        }
    }
    for (uint32_t i = 0; i < list->backend_count; i++) {
        const isg_backend_info *backend = &list->backends[i];

        if (!backend->available &&
            (wanted->backend == NULL || strcmp(wanted->backend, backend->name) == 0)) {
            notes_add(&there, there.length != 0 ? "; " : "");
            notes_add(&there, backend->name);
            notes_add(&there, " is not available: ");
            notes_add(&there, backend->reason);
        }
    }
    return isg_fail(ISG_ERROR_UNAVAILABLE, "no %sdevice matches '%s'; there is: %s",
                    wish_is_open(wanted) ? "usable " : "", selector,
                    there.length != 0 ? there.text : "nothing");
}

static bool usable(const isg_device_info *info)
{
    return info->unusable == NULL || info->unusable[0] == '\0';
}

/* The first usable device of the best type. */
static isg_status choose_preferred(const isg_selector_list *list, const wish *wanted,
                                   const char *selector, uint32_t *out_index)
{
    bool found = false;

    for (uint32_t i = 0; i < list->count; i++) {
        const isg_device_info *info = &list->infos[i];

        if (wish_meets(wanted, info) && usable(info) &&
            (!found || isg_device_type_rank(info->type) <
                           isg_device_type_rank(list->infos[*out_index].type))) {
            *out_index = i;
            found = true;
        }
    }
    return found ? ISG_OK : fail_nothing(list, wanted, selector);
}

/* The only device that meets the wish; one that cannot be used counts if no other meets it. */
static isg_status choose_only(const isg_selector_list *list, const wish *wanted,
                              const char *selector, uint32_t *out_index)
{
    notes candidates = {0};
    uint32_t usable_count = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        const isg_device_info *info = &list->infos[i];

        if (!wish_meets(wanted, info)) {
            continue;
        }
        notes_add_device(&candidates, info);
        if (usable(info) ? usable_count == 0 : count == 0) {
            *out_index = i;
        }
        usable_count += usable(info) ? 1 : 0;
        count++;
    }
    if (count == 0) {
        return fail_nothing(list, wanted, selector);
    }
    if (usable_count > 1 || (usable_count == 0 && count > 1)) {
        return isg_fail(ISG_ERROR_AMBIGUOUS,
                        "selector '%s' matches %u devices; narrow it to one of: %s", selector,
                        count, candidates.text);
    }
    return ISG_OK;
}

isg_status isg_selector_match(const isg_selector_list *list, const char *selector,
                              const char *environment, uint32_t *out_index)
{
    text whole = selector != NULL ? trimmed(selector, strlen(selector)) : (text){"", 0};
    const char *source = "";
    char asked[256]; /* for messages */
    isg_status status = ISG_OK;
    wish wanted = {0};

    *out_index = 0;
    if ((whole.length == 0 || text_equals(whole, "auto")) && environment != NULL) {
        whole = trimmed(environment, strlen(environment));
        source = "ISOGRID_DEVICE=";
    }
    if (whole.length == 0) {
        whole = (text){"auto", 4};
    }
    snprintf(asked, sizeof asked, "%s%.*s", source, (int)(whole.length < 200 ? whole.length : 200),
             whole.start);
    status = parse(list, whole, asked, &wanted);
    if (status != ISG_OK) {
        return status;
    }
    return wish_is_open(&wanted) ? choose_preferred(list, &wanted, asked, out_index)
                                 : choose_only(list, &wanted, asked, out_index);
}
