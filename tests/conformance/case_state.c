/* Owns what a running case shares with its runner: the device, the verdict, plan, digest. */
#include "conform.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void (*conform_on_progress)(void);

static struct {
    isg_instance *instance;
    isg_device *device;
    char selector[96];
    char asked_driver[256]; /* driver_info of the device the runner chose */
    bool full;

    bool skipped;
    char reason[4096];
    unsigned plans; /* bits of isg_plan_kind */
    uint64_t syncs;
    bool has_syncs;
    bool has_digest, has_expected;
    XXH3_state_t *digest, *expected;

    atomic_uint message_count;
    char first_message[2048];
} state;

/* ---- the device ---- */

static void on_log(void *user, isg_log_level level, const char *message)
{
    (void)user;
    if ((level != ISG_LOG_WARNING && level != ISG_LOG_ERROR) || strstr(message, "Loader Message")) {
        return;
    }
    if (atomic_fetch_add(&state.message_count, 1) == 0) {
        snprintf(state.first_message, sizeof state.first_message, "%s", message);
    }
}

isg_status conform_open(const char *selector, const char *driver, bool full)
{
    isg_instance_desc desc = {.log = on_log};
    isg_status status = ISG_OK;

    snprintf(state.selector, sizeof state.selector, "%s", selector);
    snprintf(state.asked_driver, sizeof state.asked_driver, "%s", driver);
    state.full = full;
    if (!state.digest) {
        state.digest = XXH3_createState();
        state.expected = XXH3_createState();
    }
    if (!state.digest || !state.expected) {
        return isg_set_last_error(ISG_ERROR_OUT_OF_MEMORY, "no memory for a digest");
    }
    status = isg_instance_create(&desc, &state.instance);
    if (status == ISG_OK) {
        status = isg_device_open(state.instance, selector, NULL, &state.device);
    }
    return status;
}

void conform_close(void)
{
    isg_device_release(state.device);
    isg_instance_release(state.instance);
    state.device = NULL;
    state.instance = NULL;
    XXH3_freeState(state.digest);
    XXH3_freeState(state.expected);
    state.digest = NULL;
    state.expected = NULL;
}

isg_instance *conform_instance(void)
{
    return state.instance;
}

isg_device *conform_device(void)
{
    return state.device;
}

isg_queue *conform_queue(void)
{
    return isg_device_queue(state.device);
}

const isg_device_info *conform_info(void)
{
    return isg_device_get_info(state.device);
}

const char *conform_selector(void)
{
    return state.selector;
}

bool conform_full(void)
{
    return state.full;
}

bool conform_driver_is(const char *text)
{
    const isg_device_info *info = conform_info();
    char all[800];

    snprintf(all, sizeof all, "%s %s %s", info->name, info->driver_name, info->driver_info);
    return strcasestr(all, text) != NULL;
}

/* ---- the verdict ---- */

void conform_skip(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(state.reason, sizeof state.reason, format, arguments);
    va_end(arguments);
    state.skipped = true;
    ck_abort_msg("skipped");
    abort();
}

static _Noreturn void fail_with(const char *file, int line, const char *format, va_list arguments)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    int used = 0;

    if (file) {
        used =
            snprintf(state.reason, sizeof state.reason, "%s:%d: ", slash ? slash + 1 : file, line);
    }
    vsnprintf(state.reason + used, sizeof state.reason - (size_t)used, format, arguments);
    ck_abort_msg("failed");
    abort();
}

void conform_fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fail_with(NULL, 0, format, arguments);
}

void conform_fail_at(const char *file, int line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fail_with(file, line, format, arguments);
}

void conform_progress(void)
{
    if (conform_on_progress) {
        conform_on_progress();
    }
}

/* ---- what the case's line shows ---- */

void conform_report_plan(isg_plan_kind kind)
{
    state.plans |= 1u << (unsigned)kind;
}

void conform_report_syncs(uint64_t count)
{
    state.syncs += count;
    state.has_syncs = true;
}

void conform_digest(const void *output, const void *expected, size_t size)
{
    XXH3_128bits_update(state.digest, output, size);
    if (!state.has_digest) {
        state.has_expected = expected != NULL;
    }
    state.has_digest = true;
    if (!expected) {
        state.has_expected = false;
    }
    if (state.has_expected) {
        XXH3_128bits_update(state.expected, expected, size);
    }
}

static void canonical(float *copy, const float *values, size_t count)
{
    const uint32_t quiet = 0x7fc00000u;

    memcpy(copy, values, count * sizeof *copy);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = 0;
        memcpy(&bits, &copy[i], sizeof bits);
        if ((bits & 0x7fffffffu) > 0x7f800000u) {
            memcpy(&copy[i], &quiet, sizeof quiet);
        }
    }
}

void conform_digest_floats(const float *output, const float *expected, size_t count)
{
    float out[256], host[256];

    for (size_t at = 0; at < count; at += CONFORM_COUNT(out)) {
        size_t part = count - at < CONFORM_COUNT(out) ? count - at : CONFORM_COUNT(out);
        canonical(out, output + at, part);
        if (expected) {
            canonical(host, expected + at, part);
        }
        conform_digest(out, expected ? host : NULL, part * sizeof *out);
    }
}

unsigned conform_message_count(void)
{
    return atomic_load(&state.message_count);
}

const char *conform_first_message(void)
{
    return state.message_count ? state.first_message : "";
}

/* ---- running ---- */

static void format_digest(XXH3_state_t *hash, char out[33])
{
    XXH128_hash_t value = XXH3_128bits_digest(hash);
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)value.high64,
             (unsigned long long)value.low64);
}

static void format_plans(char *out, size_t size)
{
    out[0] = '\0';
    for (unsigned kind = ISG_PLAN_SINGLE; kind <= ISG_PLAN_REFUSED; kind++) {
        if (state.plans & 1u << kind) {
            size_t used = strlen(out);
            snprintf(out + used, size - used, "%s%s", used ? "+" : "",
                     isg_plan_name((isg_plan_kind)kind));
        }
    }
}

START_TEST(device_is_the_one_asked_for)
{
    const isg_device_info *info = conform_info();

    CONFORM_TRUE(strcmp(info->driver_info, state.asked_driver) == 0,
                 "selector '%s' was chosen for driver '%s' and opened '%s' (%s)", state.selector,
                 state.asked_driver, info->driver_info, info->name);
    CONFORM_OK(isg_device_status(conform_device()));
}
END_TEST

static void begin(void)
{
    state.skipped = false;
    state.reason[0] = '\0';
    state.plans = 0;
    state.syncs = 0;
    state.has_syncs = false;
    state.has_digest = false;
    state.has_expected = false;
    XXH3_128bits_reset(state.digest);
    XXH3_128bits_reset(state.expected);
    atomic_store(&state.message_count, 0);
}

static bool validating(void)
{
    const char *layers = getenv("VK_INSTANCE_LAYERS");
    return layers && strstr(layers, "validation");
}

/* What goes wrong although no check failed. */
static void judge_passed(const conform_case *item, conform_result *out)
{
    isg_status status = isg_device_status(state.device);

    if (status != ISG_OK) {
        out->verdict = CONFORM_FAIL;
        snprintf(out->reason, sizeof out->reason, "the device ended as %s",
                 isg_status_name(status));
    } else if (out->expected[0] && strcmp(out->digest, out->expected) != 0) {
        out->verdict = CONFORM_FAIL;
        snprintf(out->reason, sizeof out->reason, "digest %s, the host computed %s", out->digest,
                 out->expected);
    } else if (validating() && !(item->flags & CONFORM_ANY_MESSAGE) && conform_message_count()) {
        out->verdict = CONFORM_FAIL;
        snprintf(out->reason, sizeof out->reason, "%u messages of the validation layer, first: %s",
                 conform_message_count(), conform_first_message());
    }
}

static void take_failure(SRunner *runner, conform_result *out)
{
    TestResult **failures = srunner_failures(runner);

    out->verdict = state.skipped ? CONFORM_SKIP : CONFORM_FAIL;
    if (state.reason[0]) {
        snprintf(out->reason, sizeof out->reason, "%s", state.reason);
    } else if (failures && failures[0]) {
        const char *file = tr_lfile(failures[0]);
        const char *slash = strrchr(file, '/');
        snprintf(out->reason, sizeof out->reason, "%s:%d: %s", slash ? slash + 1 : file,
                 tr_lno(failures[0]), tr_msg(failures[0]));
    }
    free(failures);
}

void conform_run_case(const conform_case *item, conform_result *out)
{
    Suite *suite = suite_create(item->suite->name);
    TCase *tcase = tcase_create(item->name);
    SRunner *runner = NULL;
    struct timespec start, end;

    begin();
    *out = (conform_result){.verdict = CONFORM_PASS};
    tcase_add_loop_test(tcase, item->test ? item->test : device_is_the_one_asked_for, item->index,
                        item->index + 1);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);

    clock_gettime(CLOCK_MONOTONIC, &start);
    srunner_run(runner, NULL, NULL, CK_SILENT);
    clock_gettime(CLOCK_MONOTONIC, &end);
    out->seconds =
        (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;

    format_plans(out->plan, sizeof out->plan);
    out->syncs = state.syncs;
    out->has_syncs = state.has_syncs;
    if (state.has_digest) {
        format_digest(state.digest, out->digest);
    }
    if (state.has_expected) {
        format_digest(state.expected, out->expected);
    }
    if (srunner_ntests_failed(runner) > 0) {
        take_failure(runner, out);
    } else if (srunner_ntests_run(runner) != 1) {
        out->verdict = CONFORM_FAIL;
        snprintf(out->reason, sizeof out->reason, "%d tests ran instead of 1",
                 srunner_ntests_run(runner));
    } else {
        judge_passed(item, out);
    }
    srunner_free(runner);
}
