/* Owns the compiling thread of a device. */
#include "core/worker.h"

#include "core/object.h"
#include "core/support.h"

typedef struct worker_job {
    isg_kernel *kernel; /* held */
    isg_variant_entry *entry;
} worker_job;

struct isg_worker {
    const isg_host_allocator *allocator; /* borrowed from the instance */
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t wake;
    worker_job *jobs; /* owned; [first, count) are to be done */
    uint32_t first;
    uint32_t count;
    uint32_t capacity;
    bool ending;
};

static void *worker_main(void *argument)
{
    isg_worker *worker = argument;

    pthread_mutex_lock(&worker->lock);
    for (;;) {
        worker_job job = {0};

        while (worker->first == worker->count && !worker->ending) {
            pthread_cond_wait(&worker->wake, &worker->lock);
        }
        if (worker->ending) {
            break;
        }
        job = worker->jobs[worker->first++];
        if (worker->first == worker->count) {
            worker->first = 0;
            worker->count = 0;
        }
        pthread_mutex_unlock(&worker->lock);
        isg_variant_compile_queued(job.kernel, job.entry);
        isg_object_drop(&job.kernel->object);
        pthread_mutex_lock(&worker->lock);
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

static void worker_free(isg_worker *worker, const isg_host_allocator *allocator)
{
    pthread_mutex_destroy(&worker->lock);
    pthread_cond_destroy(&worker->wake);
    isg_free(allocator, worker->jobs, worker->capacity * sizeof *worker->jobs);
    isg_free(allocator, worker, sizeof *worker);
}

isg_status isg_worker_create(const isg_host_allocator *allocator, isg_worker **out)
{
    isg_worker *worker = isg_alloc(allocator, sizeof *worker);
    int failed = 0;

    *out = NULL;
    if (worker == NULL) {
        return isg_fail_host_memory("a compiling thread");
    }
    worker->allocator = allocator;
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->wake, NULL);
    failed = pthread_create(&worker->thread, NULL, worker_main, worker);
    if (failed != 0) {
        worker_free(worker, allocator);
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY,
                        "no thread for compiling could be started (pthread_create gave %d); end "
                        "other threads, or dispatch without isg_kernel_prepare()",
                        failed);
    }
    *out = worker;
    return ISG_OK;
}

void isg_worker_destroy(isg_worker *worker, const isg_host_allocator *allocator)
{
    if (worker == NULL) {
        return;
    }
    pthread_mutex_lock(&worker->lock);
    worker->ending = true;
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
    pthread_join(worker->thread, NULL);
    for (uint32_t i = worker->first; i < worker->count; i++) {
        isg_variant_cancel(worker->jobs[i].kernel, worker->jobs[i].entry);
        isg_object_drop(&worker->jobs[i].kernel->object);
    }
    worker_free(worker, allocator);
}

isg_status isg_worker_add(isg_worker *worker, isg_kernel *kernel, isg_variant_entry *entry)
{
    isg_status status = ISG_OK;

    pthread_mutex_lock(&worker->lock);
    status = isg_reserve(worker->allocator, (void **)&worker->jobs, &worker->capacity,
                         worker->count + 1, sizeof *worker->jobs);
    if (status == ISG_OK) {
        isg_object_hold(&kernel->object);
        worker->jobs[worker->count++] = (worker_job){kernel, entry};
        pthread_cond_signal(&worker->wake);
    }
    pthread_mutex_unlock(&worker->lock);
    return status;
}
