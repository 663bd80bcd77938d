/* Benchmark rounds: one near-empty phase, run 100 times by isogrid's split plan and by hand. */
#include "bench.h"

#include "isogrid_bench_kernels.h"

#include <stdio.h>

enum { ROUNDS = 100, GROUP = 64 /* invocations of both kernels */ };

typedef struct own {
    isg_queue *queue; /* borrowed */
    isg_kernel *kernel;
    isg_buffer *buffer;
    isg_recording *plain, *timed;
} own;

typedef struct hand {
    isg_peer *peer; /* borrowed */
    uint32_t workgroups;
    isg_peer_buffer buffer;
    isg_peer_kernel kernel;
    VkQueryPool query; /* two timestamps */
    isg_peer_run *timed;
} hand;

/* ---- isogrid --------------------------------------------------------------------------------- */

static bool own_submit(own *mine, isg_recording *recording, double *out_us)
{
    const isg_submit_desc desc = {.recordings = &recording, .recording_count = 1};
    uint64_t value = 0;
    const double start = isg_bench_now_us();
    isg_status status = isg_queue_submit(mine->queue, &desc, &value);

    if (status == ISG_OK) {
        status = isg_queue_wait(mine->queue, value, ISG_WAIT_FOREVER);
    }
    *out_us = isg_bench_now_us() - start;
    return isg_bench_check(status, "submitting");
}

static bool own_host_once(void *user, double *out_us)
{
    own *mine = user;

    return own_submit(mine, mine->plain, out_us);
}

static bool own_gpu_once(void *user, double *out_us)
{
    own *mine = user;
    uint64_t time_ns = 0;
    uint32_t count = 0;

    if (!own_submit(mine, mine->timed, out_us) ||
        !isg_bench_check(isg_recording_times(mine->timed, &time_ns, 1, &count),
                         "reading the time")) {
        return false;
    }
    *out_us = (double)time_ns / 1e3;
    return true;
}

static bool own_record(isg_bench *bench, const isg_dispatch *dispatch, bool timed,
                       isg_recording **out)
{
    const isg_recording_desc desc = {.timed = timed};

    return isg_bench_check(isg_recording_create(bench->device, &desc, out),
                           "starting a recording") &&
           isg_bench_check(isg_record_dispatch(*out, dispatch), "recording") &&
           isg_bench_check(isg_recording_end(*out), "ending the recording");
}

static bool own_create(isg_bench *bench, uint32_t workgroups, own *mine)
{
    const isg_kernel_desc kernel = {.spirv = isg_kernel_bench_round,
                                    .size = isg_kernel_bench_round_size};
    const isg_buffer_desc buffer = {.size = (uint64_t)workgroups * GROUP * sizeof(uint32_t)};
    isg_binding binding = {0};
    isg_dispatch dispatch = {.grid = {workgroups},
                             .bindings = &binding,
                             .binding_count = 1,
                             .rounds = ROUNDS,
                             .plan = ISG_PLAN_SPLIT};

    mine->queue = isg_device_queue(bench->device);
    if (!isg_bench_check(isg_kernel_create(bench->device, &kernel, &mine->kernel),
                         "creating the kernel") ||
        !isg_bench_check(isg_buffer_create(bench->device, &buffer, &mine->buffer),
                         "creating the buffer") ||
        !isg_bench_check(isg_queue_fill(mine->queue, mine->buffer, 0, buffer.size, 0, NULL),
                         "clearing the buffer")) {
        return false;
    }
    binding.buffer = mine->buffer;
    dispatch.kernel = mine->kernel;
    return own_record(bench, &dispatch, false, &mine->plain) &&
           (bench->peer.timestamp_bits == 0 || own_record(bench, &dispatch, true, &mine->timed));
}

static void own_destroy(own *mine)
{
    isg_recording_release(mine->plain);
    isg_recording_release(mine->timed);
    isg_buffer_release(mine->buffer);
    isg_kernel_release(mine->kernel);
}

/* ---- by hand --------------------------------------------------------------------------------- */

static void hand_rounds(isg_peer *peer, VkCommandBuffer commands, const hand *theirs)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;

    isg_peer_cmd_dispatch(peer, commands, &theirs->kernel, theirs->workgroups);
    for (uint32_t i = 1; i < ROUNDS; i++) {
        isg_peer_cmd_barrier(peer, commands, stage, VK_ACCESS_SHADER_WRITE_BIT, stage,
                             VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
        peer->vk.CmdDispatch(commands, theirs->workgroups, 1, 1);
    }
}

/* One submission's writes are ordered before the next one's, as isogrid's are. */
static void hand_order(isg_peer *peer, VkCommandBuffer commands)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;

    isg_peer_cmd_barrier(peer, commands, stage, VK_ACCESS_SHADER_WRITE_BIT, stage,
                         VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

static void hand_plain_body(isg_peer *peer, VkCommandBuffer commands, void *user)
{
    hand_order(peer, commands);
    hand_rounds(peer, commands, user);
}

static void hand_timed_body(isg_peer *peer, VkCommandBuffer commands, void *user)
{
    const hand *theirs = user;

    peer->vk.CmdResetQueryPool(commands, theirs->query, 0, 2);
    hand_order(peer, commands);
    peer->vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, theirs->query, 0);
    hand_rounds(peer, commands, theirs);
    peer->vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, theirs->query, 1);
}

static bool hand_host_once(void *user, double *out_us)
{
    uint64_t submit_ns = 0, total_ns = 0;

    if (!isg_peer_run_once(user, &submit_ns, &total_ns)) {
        return isg_bench_peer_failed();
    }
    *out_us = (double)total_ns / 1e3;
    return true;
}

static bool hand_gpu_once(void *user, double *out_us)
{
    const hand *theirs = user;
    isg_peer *peer = theirs->peer;
    const uint64_t mask =
        peer->timestamp_bits == 64 ? UINT64_MAX : (UINT64_C(1) << peer->timestamp_bits) - 1;
    uint64_t ticks[2] = {0, 0};

    if (!hand_host_once(theirs->timed, out_us)) {
        return false;
    }
    if (!isg_peer_check(peer->vk.GetQueryPoolResults(
                            peer->device, theirs->query, 0, 2, sizeof ticks, ticks, sizeof *ticks,
                            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                        "vkGetQueryPoolResults")) {
        return isg_bench_peer_failed();
    }
    *out_us = (double)((ticks[1] - ticks[0]) & mask) * peer->timestamp_period / 1e3;
    return true;
}

static bool hand_create(isg_bench *bench, uint32_t workgroups, hand *theirs)
{
    isg_peer *peer = &bench->peer;
    const VkQueryPoolCreateInfo query = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                         .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                         .queryCount = 2};
    const isg_peer_way way = {
        .signal = ISG_PEER_SIGNAL_TIMELINE,
        .wait = ISG_PEER_WAIT_SPIN,
        .body = hand_timed_body,
        .body_user = theirs,
    };

    theirs->peer = peer;
    theirs->workgroups = workgroups;
    if (!isg_peer_buffer_create(peer, (VkDeviceSize)workgroups * GROUP * sizeof(uint32_t),
                                VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0, &theirs->buffer) ||
        !isg_peer_kernel_create(peer, isg_kernel_bench_round_plain,
                                isg_kernel_bench_round_plain_size, &theirs->buffer,
                                &theirs->kernel)) {
        return isg_bench_peer_failed();
    }
    if (peer->timestamp_bits == 0) {
        return true;
    }
    if (!isg_peer_check(peer->vk.CreateQueryPool(peer->device, &query, NULL, &theirs->query),
                        "vkCreateQueryPool") ||
        (theirs->timed = isg_peer_run_create(peer, &way)) == NULL) {
        return isg_bench_peer_failed();
    }
    return true;
}

static void hand_destroy(hand *theirs)
{
    isg_peer *peer = theirs->peer;

    if (peer == NULL) {
        return;
    }
    isg_peer_run_destroy(theirs->timed);
    peer->vk.DestroyQueryPool(peer->device, theirs->query, NULL);
    isg_peer_kernel_destroy(peer, &theirs->kernel);
    isg_peer_buffer_destroy(peer, &theirs->buffer);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool run_gpu(isg_bench *bench, own *mine, hand *theirs)
{
    static isg_bench_table table;

    table = (isg_bench_table){0};
    snprintf(table.title, sizeof table.title,
             "%d rounds of %u workgroups, GPU time between timestamps", ROUNDS, theirs->workgroups);
    isg_bench_add(&table, ISG_BENCH_ISOGRID, own_gpu_once, mine, "split plan, a timed recording");
    isg_bench_add(&table, ISG_BENCH_PEER, hand_gpu_once, theirs,
                  "vkCmdDispatch and vkCmdPipelineBarrier, prerecorded");
    return isg_bench_run(bench, &table, 20, 300, 10);
}

static bool run_host(isg_bench *bench, own *mine, hand *theirs)
{
    static isg_bench_table table;
    isg_peer_run *runs[ISG_BENCH_MAX_SERIES];
    uint32_t run_count = 0;
    bool good = true;

    table = (isg_bench_table){0};
    snprintf(table.title, sizeof table.title, "%d rounds of %u workgroups, from submit to result",
             ROUNDS, theirs->workgroups);
    isg_bench_add(&table, ISG_BENCH_ISOGRID, own_host_once, mine, "split plan, a recording");
    for (uint32_t i = 0; i < isg_peer_good_way_count; i++) {
        isg_peer_way way = isg_peer_good_ways[i];
        char text[160];

        way.body = hand_plain_body;
        way.body_user = theirs;
        runs[run_count] = isg_peer_run_create(&bench->peer, &way);
        if (runs[run_count] != NULL) {
            isg_peer_way_describe(&way, text, sizeof text);
            isg_bench_add(&table, ISG_BENCH_PEER, hand_host_once, runs[run_count], "%s", text);
            run_count++;
        }
    }
    good = isg_bench_run(bench, &table, 20, 300, 10);
    for (uint32_t i = 0; i < run_count; i++) {
        isg_peer_run_destroy(runs[i]);
    }
    return good;
}

bool isg_bench_rounds(isg_bench *bench)
{
    /* Near-empty is what a device has processors for. */
    static const uint32_t small[] = {1, 8, 64}, large[] = {1, 128, 1024};
    const uint32_t *grids = bench->info->type == ISG_DEVICE_TYPE_CPU ? small : large;

    for (int i = 0; i < 3; i++) {
        own mine = {0};
        hand theirs = {0};
        bool good = own_create(bench, grids[i], &mine) && hand_create(bench, grids[i], &theirs);

        if (good && theirs.timed != NULL) {
            good = run_gpu(bench, &mine, &theirs);
        }
        good = good && run_host(bench, &mine, &theirs);
        hand_destroy(&theirs);
        own_destroy(&mine);
        if (!good) {
            return false;
        }
    }
    return true;
}
