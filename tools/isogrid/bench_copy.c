/* Benchmark copy: uploads, downloads and device copies against staging written by hand. */
#include "bench.h"

#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WAYS = 3,        /* of waiting, for the peer that copies all at once */
    MAX_CHUNKS = 32, /* of the peer that overlaps the host's copy with the device's */
    CHUNK = 4 << 20,
};

typedef enum direction { UPLOAD, DOWNLOAD, DEVICE } direction;

static const char *const direction_names[] = {"upload", "download", "device copy"};

typedef struct job job;

typedef struct attempt {
    job *job;
    isg_peer_run *run;
} attempt;

struct job {
    direction direction;
    uint64_t size;
    unsigned char *host, *other; /* owned: what is copied on the host's side */
    /* isogrid */
    isg_queue *queue; /* borrowed */
    isg_buffer *source, *destination;
    /* by hand */
    isg_peer *peer; /* borrowed */
    isg_peer_buffer device, staging;
    isg_peer_buffer visible; /* device memory that the host can see, where there is such */
    attempt attempts[WAYS];
    VkCommandPool pool;
    VkCommandBuffer chunks[MAX_CHUNKS];
    uint32_t chunk_count;
    uint64_t chunk_size;
    VkSemaphore timeline;
    uint64_t value;
};

/* ---- isogrid --------------------------------------------------------------------------------- */

static bool own_once(void *user, double *out_us)
{
    job *work = user;
    const double start = isg_bench_now_us();
    uint64_t value = 0;
    isg_status status = ISG_OK;

    switch (work->direction) {
    case UPLOAD:
        status = isg_buffer_upload(work->destination, 0, work->host, work->size);
        break;
    case DOWNLOAD:
        status = isg_buffer_download(work->source, 0, work->host, work->size);
        break;
    case DEVICE:
        status =
            isg_queue_copy(work->queue, work->destination, 0, work->source, 0, work->size, &value);
        status = status == ISG_OK ? isg_queue_wait(work->queue, value, ISG_WAIT_FOREVER) : status;
        break;
    }
    *out_us = isg_bench_now_us() - start;
    return isg_bench_check(status, direction_names[work->direction]);
}

/* ---- by hand: everything at once ------------------------------------------------------------- */

static void order(isg_peer *peer, VkCommandBuffer commands)
{
    isg_peer_cmd_barrier(peer, commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
}

static void copy_part(const job *work, VkCommandBuffer commands, uint64_t offset, uint64_t size)
{
    isg_peer *peer = work->peer;
    const VkBufferCopy region = {offset, offset, size};
    const bool out = work->direction == DOWNLOAD;

    order(peer, commands);
    peer->vk.CmdCopyBuffer(commands, out ? work->device.handle : work->staging.handle,
                           out ? work->staging.handle : work->device.handle, 1, &region);
    if (out) {
        isg_peer_cmd_barrier(peer, commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                             VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                             VK_ACCESS_HOST_READ_BIT);
    }
}

static void copy_body(isg_peer *peer, VkCommandBuffer commands, void *user)
{
    const job *work = user;

    (void)peer;
    copy_part(work, commands, 0, work->size);
}

static bool staged_once(void *user, double *out_us)
{
    const attempt *one = user;
    job *work = one->job;
    const double start = isg_bench_now_us();
    uint64_t submit_ns = 0, total_ns = 0;
    bool good = true;

    if (work->direction == UPLOAD) {
        memcpy(work->staging.mapped, work->host, work->size);
    }
    good = isg_peer_run_once(one->run, &submit_ns, &total_ns);
    if (work->direction == DOWNLOAD) {
        memcpy(work->host, work->staging.mapped, work->size);
    }
    *out_us = isg_bench_now_us() - start;
    return good || isg_bench_peer_failed();
}

/* Without the device: it reads and writes such memory itself. */
static bool visible_once(void *user, double *out_us)
{
    job *work = user;
    const double start = isg_bench_now_us();

    if (work->direction == UPLOAD) {
        memcpy(work->visible.mapped, work->host, work->size);
    } else {
        memcpy(work->host, work->visible.mapped, work->size);
    }
    *out_us = isg_bench_now_us() - start;
    return true;
}

static bool host_once(void *user, double *out_us)
{
    job *work = user;
    const double start = isg_bench_now_us();

    memcpy(work->other, work->host, work->size);
    *out_us = isg_bench_now_us() - start;
    return true;
}

/* ---- by hand: in chunks, host and device at once ----------------------------------------------- */

static bool submit_chunk(job *work, uint32_t index)
{
    isg_peer *peer = work->peer;
    const uint64_t value = work->value + index + 1;
    const VkTimelineSemaphoreSubmitInfo values = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &value,
    };
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &values,
        .commandBufferCount = 1,
        .pCommandBuffers = &work->chunks[index],
        .signalSemaphoreCount = 1,
        .pSignalSemaphores = &work->timeline,
    };

    return isg_peer_check(peer->vk.QueueSubmit(peer->queue, 1, &info, VK_NULL_HANDLE),
                          "vkQueueSubmit");
}

static bool wait_chunk(job *work, uint32_t index)
{
    isg_peer *peer = work->peer;
    uint64_t value = 0;

    while (value < work->value + index + 1) {
        if (!isg_peer_check(peer->vk.GetSemaphoreCounterValue(peer->device, work->timeline, &value),
                            "vkGetSemaphoreCounterValue")) {
            return false;
        }
    }
    return true;
}

static uint64_t chunk_bytes(const job *work, uint32_t index)
{
    const uint64_t offset = index * work->chunk_size;

    return work->size - offset < work->chunk_size ? work->size - offset : work->chunk_size;
}

static bool chunked_once(void *user, double *out_us)
{
    job *work = user;
    const double start = isg_bench_now_us();
    bool good = true;

    for (uint32_t i = 0; good && i < work->chunk_count; i++) {
        const uint64_t offset = i * work->chunk_size;

        if (work->direction == UPLOAD) {
            memcpy((char *)work->staging.mapped + offset, work->host + offset,
                   chunk_bytes(work, i));
        }
        good = submit_chunk(work, i);
    }
    for (uint32_t i = 0; good && work->direction == DOWNLOAD && i < work->chunk_count; i++) {
        const uint64_t offset = i * work->chunk_size;

        good = wait_chunk(work, i);
        memcpy(work->host + offset, (const char *)work->staging.mapped + offset,
               chunk_bytes(work, i));
    }
    good = good && wait_chunk(work, work->chunk_count - 1);
    *out_us = isg_bench_now_us() - start;
    work->value += work->chunk_count;
    return good || isg_bench_peer_failed();
}

static bool record_chunks(job *work)
{
    isg_peer *peer = work->peer;
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = peer->family};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                             .pNext = &type};
    VkCommandBufferAllocateInfo allocation = {.sType =
                                                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY};

    work->chunk_size = work->size / MAX_CHUNKS > CHUNK ? work->size / MAX_CHUNKS : CHUNK;
    work->chunk_count = (uint32_t)((work->size + work->chunk_size - 1) / work->chunk_size);
    allocation.commandBufferCount = work->chunk_count;
    if (!isg_peer_check(peer->vk.CreateSemaphore(peer->device, &semaphore, NULL, &work->timeline),
                        "vkCreateSemaphore") ||
        !isg_peer_check(peer->vk.CreateCommandPool(peer->device, &pool, NULL, &work->pool),
                        "vkCreateCommandPool")) {
        return false;
    }
    allocation.commandPool = work->pool;
    if (!isg_peer_check(peer->vk.AllocateCommandBuffers(peer->device, &allocation, work->chunks),
                        "vkAllocateCommandBuffers")) {
        return false;
    }
    for (uint32_t i = 0; i < work->chunk_count; i++) {
        if (!isg_peer_check(peer->vk.BeginCommandBuffer(work->chunks[i], &begin),
                            "vkBeginCommandBuffer")) {
            return false;
        }
        copy_part(work, work->chunks[i], i * work->chunk_size, chunk_bytes(work, i));
        if (!isg_peer_check(peer->vk.EndCommandBuffer(work->chunks[i]), "vkEndCommandBuffer")) {
            return false;
        }
    }
    return true;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool create_own(isg_bench *bench, job *work)
{
    const isg_buffer_desc desc = {.size = work->size};

    work->queue = isg_device_queue(bench->device);
    work->host = malloc(work->size);
    work->other = malloc(work->size);
    if (work->host == NULL || work->other == NULL) {
        isg_cli_error("out of memory");
        return false;
    }
    memset(work->host, 0x5a, work->size);
    memset(work->other, 0xa5, work->size);
    return isg_bench_check(isg_buffer_create(bench->device, &desc, &work->source),
                           "creating a buffer") &&
           isg_bench_check(isg_buffer_create(bench->device, &desc, &work->destination),
                           "creating a buffer") &&
           isg_bench_check(isg_buffer_upload(work->source, 0, work->host, work->size), "uploading");
}

static bool create_peer(isg_bench *bench, job *work)
{
    static const isg_peer_way ways[WAYS] = {
        {.signal = ISG_PEER_SIGNAL_TIMELINE, .wait = ISG_PEER_WAIT_SPIN},
        {.signal = ISG_PEER_SIGNAL_TIMELINE, .wait = ISG_PEER_WAIT_BLOCK},
        {.signal = ISG_PEER_SIGNAL_FENCE, .wait = ISG_PEER_WAIT_SPIN},
    };
    const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    const VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    const VkMemoryPropertyFlags host =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    isg_peer *peer = work->peer = &bench->peer;

    if (!isg_peer_buffer_create(peer, work->size, local, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                                &work->device)) {
        return isg_bench_peer_failed();
    }
    if (!(work->direction == DEVICE
              ? isg_peer_buffer_create(peer, work->size, local, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                                       &work->staging)
              : isg_peer_buffer_create(
                    peer, work->size, work->direction == DOWNLOAD ? host | cached : host,
                    work->direction == DOWNLOAD ? local : local | cached, &work->staging))) {
        return isg_bench_peer_failed();
    }
    if (work->direction != DEVICE &&
        !isg_peer_buffer_create(peer, work->size,
                                work->direction == DOWNLOAD ? host | local | cached : host | local,
                                0, &work->visible)) {
        work->visible.mapped = NULL; /* a device without such memory */
    }
    for (int i = 0; i < WAYS; i++) {
        isg_peer_way way = ways[i];

        way.body = copy_body;
        way.body_user = work;
        work->attempts[i] = (attempt){work, isg_peer_run_create(peer, &way)};
        if (work->attempts[i].run == NULL) {
            return isg_bench_peer_failed();
        }
    }
    return work->direction == DEVICE || record_chunks(work) || isg_bench_peer_failed();
}

static void destroy(job *work)
{
    isg_peer *peer = work->peer;

    isg_buffer_release(work->source);
    isg_buffer_release(work->destination);
    free(work->host);
    free(work->other);
    if (peer == NULL) {
        return;
    }
    for (int i = 0; i < WAYS; i++) {
        isg_peer_run_destroy(work->attempts[i].run);
    }
    peer->vk.QueueWaitIdle(peer->queue);
    peer->vk.DestroyCommandPool(peer->device, work->pool, NULL);
    peer->vk.DestroySemaphore(peer->device, work->timeline, NULL);
    isg_peer_buffer_destroy(peer, &work->device);
    isg_peer_buffer_destroy(peer, &work->staging);
    isg_peer_buffer_destroy(peer, &work->visible);
}

static bool run_table(isg_bench *bench, job *work)
{
    static const char *const waits[WAYS] = {"spin on the timeline", "vkWaitSemaphores",
                                            "spin on vkGetFenceStatus"};
    static const char *const own_names[] = {"isg_buffer_upload", "isg_buffer_download",
                                            "isg_queue_copy + isg_queue_wait"};
    static isg_bench_table table;
    char size[32];

    table = (isg_bench_table){.bytes = work->size};
    isg_cli_format_size(work->size, size, sizeof size);
    snprintf(table.title, sizeof table.title, "%s of %s", direction_names[work->direction], size);
    isg_bench_add(&table, ISG_BENCH_ISOGRID, own_once, work, "%s", own_names[work->direction]);
    for (int i = 0; i < WAYS; i++) {
        isg_bench_add(&table, ISG_BENCH_PEER, staged_once, &work->attempts[i],
                      "%svkCmdCopyBuffer, %s", work->direction == DEVICE ? "" : "memcpy and ",
                      waits[i]);
    }
    if (work->direction != DEVICE) {
        if (work->chunk_count > 1) {
            isg_bench_add(&table, ISG_BENCH_PEER, chunked_once, work,
                          "memcpy and vkCmdCopyBuffer overlapped, %u chunks", work->chunk_count);
        }
        if (work->visible.mapped != NULL) {
            isg_bench_add(&table, ISG_BENCH_PEER, visible_once, work,
                          "memcpy with host-visible device memory");
        }
        isg_bench_add(&table, ISG_BENCH_FLOOR, host_once, work, "memcpy within the host");
    }
    if (work->size >= 16 << 20) {
        return isg_bench_run(bench, &table, 3, 30, 3);
    }
    return isg_bench_run(bench, &table, 30, 500, 25);
}

bool isg_bench_copy(isg_bench *bench)
{
    static const uint64_t sizes[] = {4 << 10, 64 << 10, 1 << 20, 16 << 20, 128 << 20};

    for (direction d = UPLOAD; d <= DEVICE; d++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            job work = {.direction = d, .size = sizes[i]};
            const bool good =
                create_own(bench, &work) && create_peer(bench, &work) && run_table(bench, &work);

            destroy(&work);
            if (!good) {
                return false;
            }
        }
    }
    return true;
}
