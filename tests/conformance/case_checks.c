/* Owns the checks that all suites share. */
#include "conform.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char stale_error[] = "stale: no call has failed since";

void conform_check_ok(isg_status status, const char *call, const char *file, int line)
{
    if (status != ISG_OK) {
        conform_fail_at(file, line, "%s returned %s: %s", call, isg_status_name(status),
                        isg_last_error());
    }
}

void conform_check_status(isg_status expected, isg_status status, const char *call,
                          const char *file, int line)
{
    if (status != expected) {
        conform_fail_at(file, line, "%s returned %s instead of %s%s%s", call,
                        isg_status_name(status), isg_status_name(expected), status < 0 ? ": " : "",
                        status < 0 ? isg_last_error() : "");
    }
}

void conform_stale_error(void)
{
    isg_set_last_error(ISG_ERROR_INVALID_STATE, stale_error);
}

void conform_check_refused(isg_status expected, isg_status status, const char *call,
                           const char *file, int line, const char *const *texts)
{
    const char *message = isg_last_error();

    conform_check_status(expected, status, call, file, line);
    if (strcmp(message, stale_error) == 0 || message[0] == '\0') {
        conform_fail_at(file, line, "%s returned %s without a message", call,
                        isg_status_name(status));
    }
    /* Shorter ones cannot say what failed, with which values, the limit, and what to do. */
    if (strlen(message) < 24) {
        conform_fail_at(file, line, "%s returned %s with a message that says too little: '%s'",
                        call, isg_status_name(status), message);
    }
    for (; *texts; texts++) {
        if (!strcasestr(message, *texts)) {
            conform_fail_at(file, line, "%s returned %s, but its message does not say '%s': '%s'",
                            call, isg_status_name(status), *texts, message);
        }
    }
}

void conform_check_words(const uint32_t *got, const uint32_t *expected, size_t count,
                         const char *what)
{
    size_t first = count, wrong = 0;

    for (size_t i = 0; i < count; i++) {
        if (got[i] != expected[i]) {
            first = wrong++ ? first : i;
        }
    }
    if (wrong) {
        conform_fail("%s: element %zu is %" PRIu32 " (%08" PRIx32 "), expected %" PRIu32
                     " (%08" PRIx32 "); %zu of %zu elements differ",
                     what, first, got[first], got[first], expected[first], expected[first], wrong,
                     count);
    }
}

void conform_check_bytes(const void *got, const void *expected, size_t size, const char *what)
{
    const unsigned char *a = got, *b = expected;
    size_t first = size, wrong = 0;

    for (size_t i = 0; i < size; i++) {
        if (a[i] != b[i]) {
            first = wrong++ ? first : i;
        }
    }
    if (wrong) {
        conform_fail("%s: byte %zu is %02x, expected %02x; %zu of %zu bytes differ", what, first,
                     a[first], b[first], wrong, size);
    }
}

void conform_check_filled(const void *got, uint8_t value, size_t size, const char *what)
{
    const unsigned char *bytes = got;

    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != value) {
            conform_fail("%s: byte %zu of %zu is %02x, expected %02x", what, i, size, bytes[i],
                         value);
        }
    }
}

void conform_check_usable(isg_device *device)
{
    enum { COUNT = 256 };
    const uint32_t seed = 0x51f15eedu;
    uint32_t words[COUNT], expected[COUNT];
    isg_kernel *kernel = conform_kernel_on(device, "mix");
    isg_buffer *buffer = NULL;

    memset(words, 0, sizeof words);
    buffer = conform_buffer_on(device, words, sizeof words);
    conform_run_on(isg_device_queue(device),
                   &(isg_dispatch){.kernel = kernel,
                                   .grid = {COUNT / 64},
                                   .bindings = &(isg_binding){.buffer = buffer},
                                   .binding_count = 1,
                                   .push = &seed,
                                   .push_size = sizeof seed});
    CONFORM_OK(isg_buffer_download(buffer, 0, words, sizeof words));
    for (uint32_t i = 0; i < COUNT; i++) {
        expected[i] = conform_mix32(i ^ seed);
    }
    conform_check_words(words, expected, COUNT, "a plain dispatch afterwards");
    isg_buffer_release(buffer);
    isg_kernel_release(kernel);
}
