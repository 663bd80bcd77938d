/* Owns the suite `concurrency`: many threads through one device and through several. Threads report
 * what they find; only the case's own thread judges. */
#include "conform.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIGHT_SIZE = 32 };

typedef struct worker {
    pthread_t thread;
    isg_device *device;
    isg_queue *queue;           /* NULL: the device's own */
    isg_kernel *light, *affine; /* borrowed */
    uint32_t seed, dispatches;
    bool mixed; /* phased and plain kernels, many grids */
    char problem[512];
} worker;

#define WORKER_TRY(worker, call)                                                                   \
    ((call) == ISG_OK ||                                                                           \
     (snprintf((worker)->problem, sizeof(worker)->problem, "%s: %s", #call, isg_last_error()),     \
      false))

/* The light twin by host bytes, all of it checked. */
static bool run_light(worker *self, uint32_t groups, uint32_t seed)
{
    enum { MOST = 700 * LIGHT_SIZE };
    uint32_t n = groups * LIGHT_SIZE, last = 0;
    uint32_t *a = calloc(3 * MOST, sizeof *a), *scratch = a + MOST, *out = a + 2 * MOST;
    uint32_t counts[4] = {0};
    bool good = a != NULL;

    for (uint32_t i = 0; good && i < n; i++) {
        a[i] = conform_mix32(i ^ seed);
        scratch[i] = conform_mix32(i + seed) >> 3;
    }
    last = good ? scratch[n - 1] + 256 : 0;
    good =
        good &&
        WORKER_TRY(
            self,
            isg_queue_dispatch_bytes(
                self->queue, &(isg_dispatch){.kernel = self->light, .grid = {groups}},
                (isg_host_binding[]){
                    {.binding = 0, .data = a, .size = n * 4},
                    {.binding = 1, .data = scratch, .size = n * 4, .direction = ISG_INOUT},
                    {.binding = 2, .data = out, .size = n * 4, .direction = ISG_OUT},
                    {.binding = 3, .data = counts, .size = sizeof counts, .direction = ISG_INOUT}},
                4, NULL));
    for (uint32_t i = 0; good && i < n; i++) {
        uint32_t times = i / LIGHT_SIZE == groups - 1 ? 256 : 1 + i / LIGHT_SIZE % 512 / 8;
        uint32_t want = (conform_mix32(i + seed) >> 3) + times;
        if (out[i] != a[i] + last || scratch[i] != want) {
            snprintf(self->problem, sizeof self->problem,
                     "seed %u, %u workgroups: element %u is %u with scratch %u, expected %u with "
                     "%u",
                     seed, groups, i, out[i], scratch[i], a[i] + last, want);
            good = false;
        }
    }
    if (good && (counts[0] != groups || counts[1] != groups || counts[2] != groups)) {
        snprintf(self->problem, sizeof self->problem,
                 "seed %u: of %u workgroups %u ran phase 0, %u phase 1, %u after the sync", seed,
                 groups, counts[0], counts[1], counts[2]);
        good = false;
    }
    free(a);
    return good;
}

static bool run_affine(worker *self, uint32_t count, uint32_t seed)
{
    enum { MOST = 4096 };
    uint32_t x[MOST], y[MOST];
    const uint32_t push[2] = {seed | 1, count};

    for (uint32_t i = 0; i < count; i++) {
        x[i] = conform_mix32(i + seed);
        y[i] = conform_mix32(i ^ ~seed);
    }
    if (!WORKER_TRY(self,
                    isg_queue_dispatch_bytes(
                        self->queue,
                        &(isg_dispatch){.kernel = self->affine,
                                        .grid = {(count + 63) / 64},
                                        .push = push,
                                        .push_size = sizeof push},
                        (isg_host_binding[]){
                            {.binding = 0, .data = x, .size = count * 4},
                            {.binding = 1, .data = y, .size = count * 4, .direction = ISG_INOUT}},
                        2, NULL))) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t want = push[0] * x[i] + conform_mix32(i ^ ~seed) + i;
        if (y[i] != want) {
            snprintf(self->problem, sizeof self->problem,
                     "seed %u: element %u of %u is %u, expected %u", seed, i, count, y[i], want);
            return false;
        }
    }
    return true;
}

static void *work(void *argument)
{
    worker *self = argument;

    for (uint32_t k = 0; k < self->dispatches; k++) {
        uint32_t seed = self->seed * 1000 + k, random = conform_mix32(seed);
        bool good = self->mixed && random % 3 == 0 ? run_affine(self, random % 4000 + 1, seed)
                    : self->mixed                  ? run_light(self, random % 700 + 1, seed)
                                                   : run_light(self, 512, seed);
        if (!good) {
            return NULL;
        }
    }
    return NULL;
}

static void run_workers(worker *workers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!workers[i].queue) {
            workers[i].queue = isg_device_queue(workers[i].device);
        }
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            snprintf(workers[i].problem, sizeof workers[i].problem, "no thread");
            count = i;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    for (uint32_t i = 0; i < count; i++) {
        CONFORM_TRUE(!workers[i].problem[0], "thread %u: %s", i, workers[i].problem);
    }
}

static void through_one_device(bool mixed)
{
    enum { THREADS = 8, DISPATCHES = 16 };
    worker workers[THREADS];
    isg_kernel *light = conform_kernel("reference_light"), *affine = conform_kernel("affine");

    memset(workers, 0, sizeof workers);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.device = conform_device(),
                              .light = light,
                              .affine = affine,
                              .seed = i + 1,
                              .dispatches = DISPATCHES,
                              .mixed = mixed};
    }
    run_workers(workers, THREADS);
    conform_report_plan(ISG_PLAN_SPLIT);
    isg_kernel_release(light);
    isg_kernel_release(affine);
}

START_TEST(eight_threads_through_one_device)
{
    through_one_device(false);
}
END_TEST

START_TEST(eight_threads_mixed_kernels_and_grids)
{
    through_one_device(true);
}
END_TEST

START_TEST(eight_threads_on_two_queues)
{
    enum { THREADS = 8 };
    worker workers[THREADS];
    isg_kernel *light = conform_kernel("reference_light"), *affine = conform_kernel("affine");
    isg_queue *queues[2];

    CONFORM_OK(isg_queue_create(conform_device(), "first", &queues[0]));
    CONFORM_OK(isg_queue_create(conform_device(), "second", &queues[1]));
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.device = conform_device(),
                              .queue = queues[i % 2],
                              .light = light,
                              .affine = affine,
                              .seed = i + 50,
                              .dispatches = 8,
                              .mixed = true};
    }
    run_workers(workers, THREADS);
    isg_queue_release(queues[0]);
    isg_queue_release(queues[1]);
    isg_kernel_release(light);
    isg_kernel_release(affine);
}
END_TEST

START_TEST(four_threads_through_devices_opened_apart)
{
    enum { THREADS = 4, DISPATCHES = 8 };
    worker workers[THREADS];

    for (uint32_t i = 0; i < THREADS; i++) {
        isg_device *device = NULL;
        CONFORM_OK(isg_device_open(conform_instance(), conform_selector(), NULL, &device));
        workers[i] = (worker){.device = device,
                              .light = conform_kernel_on(device, "reference_light"),
                              .affine = conform_kernel_on(device, "affine"),
                              .seed = i + 9,
                              .dispatches = DISPATCHES,
                              .mixed = true};
    }
    run_workers(workers, THREADS);
    for (uint32_t i = 0; i < THREADS; i++) {
        isg_kernel_release(workers[i].light);
        isg_kernel_release(workers[i].affine);
        isg_device_release(workers[i].device);
    }
}
END_TEST

/* ---- objects made and dropped by many threads ---- */

static void *make_and_drop(void *argument)
{
    worker *self = argument;

    for (uint32_t k = 0; k < 25; k++) {
        isg_buffer *buffer = NULL;
        isg_kernel *kernel = NULL;
        isg_event *event = NULL;
        isg_queue *queue = NULL;
        size_t size = 0;
        const uint32_t *words = conform_spirv("mix", &size);
        bool good =
            WORKER_TRY(self, isg_buffer_create(self->device, &(isg_buffer_desc){.size = k * 97 + 1},
                                               &buffer)) &&
            WORKER_TRY(self, isg_buffer_upload(buffer, k, "x", 1)) &&
            WORKER_TRY(self, isg_kernel_create(self->device,
                                               &(isg_kernel_desc){.spirv = words, .size = size},
                                               &kernel)) &&
            WORKER_TRY(self, isg_kernel_prepare(kernel, NULL, 0)) &&
            WORKER_TRY(self, isg_event_create(self->device, &event)) &&
            WORKER_TRY(self, isg_queue_create(self->device, "thread", &queue)) &&
            WORKER_TRY(self, isg_queue_fill(queue, buffer, 0, k + 1, 7, NULL)) &&
            WORKER_TRY(self, k % 2 ? ISG_OK : isg_queue_wait(queue, 0, ISG_WAIT_FOREVER));
        isg_queue_release(queue);
        isg_event_release(event);
        isg_kernel_release(kernel);
        isg_buffer_release(buffer);
        if (!good) {
            break;
        }
    }
    return NULL;
}

START_TEST(objects_made_and_dropped_by_eight_threads)
{
    enum { THREADS = 8 };
    worker workers[THREADS];

    memset(workers, 0, sizeof workers);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].device = conform_device();
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, make_and_drop, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        CONFORM_TRUE(!workers[i].problem[0], "thread %u: %s", i, workers[i].problem);
    }
    conform_check_usable(conform_device());
}
END_TEST

/* Each thread has its own last error. */
static void *fail_and_look(void *argument)
{
    worker *self = argument;
    isg_buffer *buffer = NULL;

    for (uint32_t k = 0; k < 500; k++) {
        char number[32];
        uint64_t size = UINT64_MAX - self->seed * 1000 - k;
        snprintf(number, sizeof number, "%" PRIu64, size);
        if (isg_buffer_create(self->device, &(isg_buffer_desc){.size = size}, &buffer) !=
                ISG_ERROR_LIMIT_EXCEEDED ||
            !strstr(isg_last_error(), number)) {
            snprintf(self->problem, sizeof self->problem, "no '%s' in '%.300s'", number,
                     isg_last_error());
            break;
        }
    }
    return NULL;
}

START_TEST(each_thread_has_its_own_last_error)
{
    enum { THREADS = 8 };
    worker workers[THREADS];

    memset(workers, 0, sizeof workers);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].device = conform_device();
        workers[i].seed = i;
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, fail_and_look, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        CONFORM_TRUE(!workers[i].problem[0], "thread %u: %s", i, workers[i].problem);
    }
}
END_TEST

void conform_concurrency_list(conform_list *list)
{
    CONFORM_ADD_SLOW(list, eight_threads_through_one_device, 120);
    CONFORM_ADD_SLOW(list, eight_threads_mixed_kernels_and_grids, 120);
    CONFORM_ADD_SLOW(list, eight_threads_on_two_queues, 120);
    CONFORM_ADD_SLOW(list, four_threads_through_devices_opened_apart, 120);
    CONFORM_ADD(list, objects_made_and_dropped_by_eight_threads);
    CONFORM_ADD(list, each_thread_has_its_own_last_error);
}
