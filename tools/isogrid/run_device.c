/* `isogrid run` on the device: upload, launch, compare, print. */
#include "cli_run.h"
#include "stats.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct session {
    isg_run *run; /* borrowed, as its strings and data */
    isg_instance *instance;
    isg_device *device;
    isg_kernel *kernel;
    isg_buffer **buffers;   /* owned; one for each of run->data */
    isg_binding *bindings;  /* owned; likewise */
    XXH128_hash_t *digests; /* owned; likewise, of the first launch */
    void **results;         /* owned; likewise: bytes after the last launch, or NULL */
    isg_recording *recording;
    bool timed;
    double *gpu_us, *host_us; /* owned; one for each launch */
} session;

static void log_message(void *user, isg_log_level level, const char *message)
{
    (void)user;
    if (level == ISG_LOG_PRINTF) {
        printf("printf   %s%s", message,
               message[0] != '\0' && message[strlen(message) - 1] == '\n' ? "" : "\n");
    } else if (level == ISG_LOG_ERROR) {
        fprintf(stderr, "driver: %s\n", message);
    }
}

static bool check(isg_status status, const char *what)
{
    if (status != ISG_OK) {
        isg_cli_failed(status, what);
    }
    return status == ISG_OK;
}

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static bool writes(const session *s, uint32_t index)
{
    const isg_run_data *data = &s->run->data[index];

    for (uint32_t i = 0; i < s->run->info->binding_count; i++) {
        const isg_binding_info *info = &s->run->info->bindings[i];

        if (info->set == data->set && info->binding == data->binding) {
            return (info->access & ISG_ACCESS_WRITE) != 0;
        }
    }
    return false;
}

static bool wants_result(const session *s, uint32_t index)
{
    const isg_run_data *data = &s->run->data[index];

    for (uint32_t i = 0; i < s->run->print_count; i++) {
        if (s->run->prints[i].set == data->set && s->run->prints[i].binding == data->binding) {
            return true;
        }
    }
    return writes(s, index) || data->write_path != NULL;
}

static bool open_device(session *s)
{
    const isg_run *run = s->run;
    const isg_instance_desc desc = {.log = log_message, .shader_printf = run->info->uses_printf};
    const isg_device_desc device = {.hang_timeout_ns = run->timeout_s * UINT64_C(1000000000)};
    const isg_kernel_desc kernel = {
        .spirv = run->spirv,
        .size = run->spirv_size,
        .entry = run->entry,
        .flags = run->flags,
        .label = run->path,
    };
    const isg_device_info *info = NULL;

    if (!check(isg_instance_create(&desc, &s->instance), "creating an instance") ||
        !check(isg_device_open(s->instance, run->device, &device, &s->device),
               "opening the device")) {
        return false;
    }
    info = isg_device_get_info(s->device);
    printf("device   %s, %s%s%s\n", info->selector, info->name,
           info->driver_info[0] != '\0' ? ", " : "", info->driver_info);
    if (!check(isg_kernel_create(s->device, &kernel, &s->kernel), run->path)) {
        return false;
    }
    printf("kernel   %s, entry %s, workgroup %u x %u x %u", run->path, run->info->entry,
           run->info->workgroup_size[0], run->info->workgroup_size[1],
           run->info->workgroup_size[2]);
    if (run->info->sync_class == ISG_SYNC_PHASED) {
        printf(", %u phases", run->info->phase_count);
    }
    putchar('\n');
    return true;
}

static bool create_buffers(session *s)
{
    const uint32_t count = s->run->data_count;

    s->buffers = calloc(count + 1, sizeof *s->buffers);
    s->bindings = calloc(count + 1, sizeof *s->bindings);
    s->digests = calloc(count + 1, sizeof *s->digests);
    s->results = calloc(count + 1, sizeof *s->results);
    s->gpu_us = calloc(s->run->repeat, sizeof *s->gpu_us);
    s->host_us = calloc(s->run->repeat, sizeof *s->host_us);
    if (s->buffers == NULL || s->bindings == NULL || s->digests == NULL || s->results == NULL ||
        s->gpu_us == NULL || s->host_us == NULL) {
        isg_cli_error("out of memory");
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const isg_run_data *data = &s->run->data[i];
        char label[32];
        const isg_buffer_desc desc = {.size = data->size, .label = label};

        snprintf(label, sizeof label, "%u.%u", data->set, data->binding);
        if (!check(isg_buffer_create(s->device, &desc, &s->buffers[i]), "creating a buffer")) {
            return false;
        }
        s->bindings[i] =
            (isg_binding){.set = data->set, .binding = data->binding, .buffer = s->buffers[i]};
        if (wants_result(s, i) && (s->results[i] = malloc((size_t)data->size)) == NULL) {
            isg_cli_error("no memory for the %" PRIu64 " bytes of %s", data->size, label);
            return false;
        }
    }
    return true;
}

static isg_dispatch describe(const session *s)
{
    const isg_run *run = s->run;

    return (isg_dispatch){
        .kernel = s->kernel,
        .grid = {run->grid[0], run->grid[1], run->grid[2]},
        .bindings = s->bindings,
        .binding_count = run->data_count,
        .push = run->push.bytes,
        .push_size = (uint32_t)run->push.size,
        .constants = run->constants,
        .constant_count = run->constant_count,
        .rounds = run->rounds,
        .plan = run->plan,
    };
}

static bool show_plan(const session *s)
{
    const isg_dispatch dispatch = describe(s);
    isg_plan plan;

    if (!check(isg_plan_dispatch(&dispatch, &plan), "planning the dispatch")) {
        return false;
    }
    printf("plan     %s: %s\n", isg_plan_name(plan.kind), plan.reason);
    if (plan.kind == ISG_PLAN_REFUSED) {
        isg_cli_error("the dispatch is refused: %s", plan.reason);
        return false;
    }
    printf("         %u dispatch%s of %u x %u x %u workgroups, %u grid sync%s\n",
           plan.dispatch_count, plan.dispatch_count == 1 ? "" : "es", plan.physical_grid[0],
           plan.physical_grid[1], plan.physical_grid[2], plan.sync_count,
           plan.sync_count == 1 ? "" : "s");
    return true;
}

static bool record(session *s)
{
    const isg_dispatch dispatch = describe(s);
    isg_recording_desc desc = {.timed = true};
    isg_status status = isg_recording_create(s->device, &desc, &s->recording);

    s->timed = status == ISG_OK;
    if (status == ISG_ERROR_UNSUPPORTED) {
        desc.timed = false;
        status = isg_recording_create(s->device, &desc, &s->recording);
    }
    return check(status, "starting a recording") &&
           check(isg_record_dispatch(s->recording, &dispatch), "recording the dispatch") &&
           check(isg_recording_end(s->recording), "ending the recording");
}

/* Uploads, launches and waits; fills in the launch's times. */
static bool launch(session *s, uint32_t number)
{
    isg_queue *queue = isg_device_queue(s->device);
    const isg_submit_desc submit = {.recordings = &s->recording, .recording_count = 1};
    uint64_t value = 0, time_ns = 0;
    uint32_t time_count = 0;
    isg_status status = ISG_OK;
    double start = 0;

    for (uint32_t i = 0; i < s->run->data_count; i++) {
        const isg_run_data *data = &s->run->data[i];

        if ((number == 0 || writes(s, i)) &&
            !check(isg_buffer_upload(s->buffers[i], 0, data->bytes, data->size), "uploading")) {
            return false;
        }
    }
    start = now_us();
    if (!check(isg_queue_submit(queue, &submit, &value), "submitting")) {
        return false;
    }
    status = isg_queue_wait(queue, value, s->run->timeout_s * UINT64_C(1000000000));
    s->host_us[number] = now_us() - start;
    if (status == ISG_TIMEOUT) {
        isg_cli_error("no end after %" PRIu64
                      " s; --timeout allows more, --bounded ends endless loops",
                      s->run->timeout_s);
        return false;
    }
    if (!check(status, "running the kernel")) {
        return false;
    }
    if (s->timed &&
        !check(isg_recording_times(s->recording, &time_ns, 1, &time_count), "reading the time")) {
        return false;
    }
    s->gpu_us[number] = (double)time_ns / 1e3;
    return true;
}

/* False with a message when a launch gave other bytes than the first. */
static bool fetch(session *s, uint32_t number)
{
    for (uint32_t i = 0; i < s->run->data_count; i++) {
        const isg_run_data *data = &s->run->data[i];
        XXH128_hash_t digest;

        if (s->results[i] == NULL) {
            continue;
        }
        if (!check(isg_buffer_download(s->buffers[i], 0, s->results[i], data->size),
                   "downloading")) {
            return false;
        }
        digest = XXH3_128bits(s->results[i], (size_t)data->size);
        if (number == 0) {
            s->digests[i] = digest;
        } else if (!XXH128_isEqual(digest, s->digests[i])) {
            isg_cli_error("launch %u left other bytes in %u.%u than the first launch: the kernel's "
                          "result is not determined by its input",
                          number + 1, data->set, data->binding);
            return false;
        }
    }
    return true;
}

static void show_times(session *s)
{
    const uint32_t count = s->run->repeat;
    const isg_stats gpu = isg_stats_of(s->gpu_us, count);
    const isg_stats host = isg_stats_of(s->host_us, count);

    if (s->timed && gpu.median > 0) {
        printf("time     GPU %.2f us, submit to result %.2f us", gpu.median, host.median);
    } else {
        printf("time     GPU not known, submit to result %.2f us", host.median);
    }
    if (count > 1) {
        printf("; medians of %u launches, p10 to p90 %.2f to %.2f and %.2f to %.2f us", count,
               gpu.p10, gpu.p90, host.p10, host.p90);
    }
    putchar('\n');
}

static bool show_results(session *s)
{
    const isg_run *run = s->run;

    for (uint32_t i = 0; i < run->data_count; i++) {
        const isg_run_data *data = &run->data[i];
        XXH128_canonical_t digest;

        if (writes(s, i)) {
            XXH128_canonicalFromHash(&digest, s->digests[i]);
            printf("digest   %u.%u ", data->set, data->binding);
            for (size_t byte = 0; byte < sizeof digest.digest; byte++) {
                printf("%02x", digest.digest[byte]);
            }
            printf(", %" PRIu64 " bytes\n", data->size);
        }
        if (data->write_path != NULL) {
            if (!isg_cli_write_file(data->write_path, s->results[i], (size_t)data->size)) {
                return false;
            }
            printf("wrote    %s\n", data->write_path);
        }
    }
    for (uint32_t p = 0; p < run->print_count; p++) {
        for (uint32_t i = 0; i < run->data_count; i++) {
            if (run->data[i].set == run->prints[p].set &&
                run->data[i].binding == run->prints[p].binding) {
                isg_run_print_values(&run->prints[p], s->results[i], run->data[i].size);
            }
        }
    }
    return true;
}

static void close_session(session *s)
{
    for (uint32_t i = 0; i < s->run->data_count; i++) {
        if (s->buffers != NULL) {
            isg_buffer_release(s->buffers[i]);
        }
        if (s->results != NULL) {
            free(s->results[i]);
        }
    }
    free(s->buffers);
    free(s->results);
    free(s->bindings);
    free(s->digests);
    free(s->gpu_us);
    free(s->host_us);
    isg_recording_release(s->recording);
    isg_kernel_release(s->kernel);
    isg_device_release(s->device);
    isg_instance_release(s->instance);
}

int isg_run_on_device(isg_run *run)
{
    session s = {.run = run};
    bool good = open_device(&s) && create_buffers(&s) && show_plan(&s) && record(&s);

    for (uint32_t i = 0; good && i < run->repeat; i++) {
        good = launch(&s, i) && fetch(&s, i);
    }
    if (good) {
        show_times(&s);
        good = show_results(&s);
    }
    close_session(&s);
    return good ? ISG_CLI_OK : ISG_CLI_FAILURE;
}
