/* The hand-written peer's ways to submit an empty dispatch and to wait for it. */
#include "peer_wait.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RING = 16, /* command buffers, so that one is never recorded or submitted while in flight */
    SPIN_LIMIT_S = 60,
};

struct isg_peer_run {
    isg_peer *peer; /* borrowed */
    isg_peer_way way;
    VkCommandPool pool;
    VkCommandBuffer ring[RING];
    uint32_t next;
    VkFence fence;
    VkSemaphore timeline;
    uint64_t value; /* of the timeline, last submitted */
    VkEvent event;
    VkQueryPool query;
    isg_peer_buffer word;
    isg_peer_kernel kernel;
    isg_peer_kernel after; /* stores the word */
};

const isg_peer_way isg_peer_good_ways[] = {
    {.signal = ISG_PEER_SIGNAL_NONE, .wait = ISG_PEER_WAIT_IDLE},
    {.signal = ISG_PEER_SIGNAL_FENCE, .wait = ISG_PEER_WAIT_BLOCK},
    {.signal = ISG_PEER_SIGNAL_FENCE, .wait = ISG_PEER_WAIT_SPIN},
    {.signal = ISG_PEER_SIGNAL_TIMELINE, .wait = ISG_PEER_WAIT_BLOCK},
    {.signal = ISG_PEER_SIGNAL_TIMELINE, .wait = ISG_PEER_WAIT_SPIN},
    {.signal = ISG_PEER_SIGNAL_NONE, .wait = ISG_PEER_WAIT_FILL},
    {.signal = ISG_PEER_SIGNAL_TIMELINE, .wait = ISG_PEER_WAIT_FILL},
    {.signal = ISG_PEER_SIGNAL_NONE, .wait = ISG_PEER_WAIT_EVENT},
    {.signal = ISG_PEER_SIGNAL_NONE, .wait = ISG_PEER_WAIT_MARKER},
    {.submit2 = true, .signal = ISG_PEER_SIGNAL_TIMELINE, .wait = ISG_PEER_WAIT_SPIN},
    {.submit2 = true, .signal = ISG_PEER_SIGNAL_FENCE, .wait = ISG_PEER_WAIT_SPIN},
};
const uint32_t isg_peer_good_way_count = sizeof isg_peer_good_ways / sizeof *isg_peer_good_ways;

#define OP(words, code) ((uint32_t)(words) << 16 | (uint32_t)(code))

/* void main() {} in workgroups of one invocation. */
static const uint32_t empty_kernel[] = {
    0x07230203, 0x00010300, 0,          5,          0,    /* SPIR-V 1.3, ids below 5 */
    OP(2, 17),  1,                                        /* OpCapability Shader */
    OP(3, 14),  0,          1,                            /* OpMemoryModel Logical GLSL450 */
    OP(5, 15),  5,          3,          0x6e69616d, 0,    /* OpEntryPoint GLCompute %3 "main" */
    OP(6, 16),  3,          17,         1,          1, 1, /* OpExecutionMode %3 LocalSize 1 1 1 */
    OP(2, 19),  1,                                        /* %1 = OpTypeVoid */
    OP(3, 33),  2,          1,                            /* %2 = OpTypeFunction %1 */
    OP(5, 54),  1,          3,          0,          2,    /* %3 = OpFunction %1 None %2 */
    OP(2, 248), 4,          OP(1, 253), OP(1, 56),        /* OpLabel, OpReturn, OpFunctionEnd */
};

/* buffer { uint word; }; void main() { word = 1; } */
static const uint32_t store_kernel[] = {
    0x07230203, 0x00010300, 0,  14,         0,    /* SPIR-V 1.3, ids below 14 */
    OP(2, 17),  1,                                /* OpCapability Shader */
    OP(3, 14),  0,          1,                    /* OpMemoryModel Logical GLSL450 */
    OP(5, 15),  5,          3,  0x6e69616d, 0,    /* OpEntryPoint GLCompute %3 "main" */
    OP(6, 16),  3,          17, 1,          1, 1, /* OpExecutionMode %3 LocalSize 1 1 1 */
    OP(5, 72),  6,          0,  35,         0,    /* OpMemberDecorate %6 0 Offset 0 */
    OP(3, 71),  6,          2,                    /* OpDecorate %6 Block */
    OP(4, 71),  8,          34, 0,                /* OpDecorate %8 DescriptorSet 0 */
    OP(4, 71),  8,          33, 0,                /* OpDecorate %8 Binding 0 */
    OP(2, 19),  1,                                /* %1 = OpTypeVoid */
    OP(3, 33),  2,          1,                    /* %2 = OpTypeFunction %1 */
    OP(4, 21),  5,          32, 0,                /* %5 = OpTypeInt 32 0 */
    OP(3, 30),  6,          5,                    /* %6 = OpTypeStruct %5 */
    OP(4, 32),  7,          12, 6,                /* %7 = OpTypePointer StorageBuffer %6 */
    OP(4, 59),  7,          8,  12,               /* %8 = OpVariable %7 StorageBuffer */
    OP(4, 43),  5,          9,  0,                /* %9 = OpConstant %5 0 */
    OP(4, 43),  5,          10, 1,                /* %10 = OpConstant %5 1 */
    OP(4, 32),  11,         12, 5,                /* %11 = OpTypePointer StorageBuffer %5 */
    OP(5, 54),  1,          3,  0,          2,    /* %3 = OpFunction %1 None %2 */
    OP(2, 248), 12,                               /* %12 = OpLabel */
    OP(5, 65),  11,         13, 8,          9,    /* %13 = OpAccessChain %11 %8 %9 */
    OP(3, 62),  13,         10,                   /* OpStore %13 %10 */
    OP(1, 253), OP(1, 56),                        /* OpReturn, OpFunctionEnd */
};

static bool uses_word(const isg_peer_way *way)
{
    return way->wait == ISG_PEER_WAIT_FILL || way->wait == ISG_PEER_WAIT_STORE ||
           way->wait == ISG_PEER_WAIT_STORE_AFTER || way->wait == ISG_PEER_WAIT_MARKER;
}

static void record_end_mark(isg_peer_run *run, VkCommandBuffer commands)
{
    isg_peer *peer = run->peer;

    switch (run->way.wait) {
    case ISG_PEER_WAIT_FILL:
        isg_peer_cmd_barrier(peer, commands,
                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                             VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                             VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
        peer->vk.CmdFillBuffer(commands, run->word.handle, 0, 4, 1);
        isg_peer_cmd_barrier(peer, commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                             VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                             VK_ACCESS_HOST_READ_BIT);
        break;
    case ISG_PEER_WAIT_STORE_AFTER:
        isg_peer_cmd_barrier(peer, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
        isg_peer_cmd_dispatch(peer, commands, &run->after, 1);
        isg_peer_cmd_barrier(peer, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                             VK_ACCESS_HOST_READ_BIT);
        break;
    case ISG_PEER_WAIT_EVENT:
        peer->vk.CmdSetEvent(commands, run->event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
        break;
    case ISG_PEER_WAIT_TIMESTAMP:
        peer->vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, run->query, 0);
        break;
    case ISG_PEER_WAIT_MARKER:
        peer->vk.CmdWriteBufferMarkerAMD(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                         run->word.handle, 0, 1);
        break;
    default:
        break;
    }
}

static bool record(isg_peer_run *run, VkCommandBuffer commands)
{
    const VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = run->way.fresh
                     ? (VkCommandBufferUsageFlags)VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT
                     : 0,
    };
    isg_peer *peer = run->peer;

    if (!isg_peer_check(peer->vk.BeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer")) {
        return false;
    }
    if (run->way.body != NULL) {
        run->way.body(peer, commands, run->way.body_user);
    } else {
        isg_peer_cmd_dispatch(peer, commands,
                              run->way.wait == ISG_PEER_WAIT_STORE ? &run->after : &run->kernel, 1);
    }
    record_end_mark(run, commands);
    return isg_peer_check(peer->vk.EndCommandBuffer(commands), "vkEndCommandBuffer");
}

static bool submit(isg_peer_run *run, VkCommandBuffer commands)
{
    isg_peer *peer = run->peer;
    const bool with_timeline = run->way.signal == ISG_PEER_SIGNAL_TIMELINE;
    const VkTimelineSemaphoreSubmitInfo values = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &run->value,
    };
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = with_timeline ? &values : NULL,
        .commandBufferCount = 1,
        .pCommandBuffers = &commands,
        .signalSemaphoreCount = with_timeline ? 1 : 0,
        .pSignalSemaphores = &run->timeline,
    };

    return isg_peer_check(peer->vk.QueueSubmit(peer->queue, 1, &info, run->fence), "vkQueueSubmit");
}

static bool submit2(isg_peer_run *run, VkCommandBuffer commands)
{
    isg_peer *peer = run->peer;
    const VkCommandBufferSubmitInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                              .commandBuffer = commands};
    const VkSemaphoreSubmitInfo signal = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
        .semaphore = run->timeline,
        .value = run->value,
        .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    };
    const VkSubmitInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
        .commandBufferInfoCount = 1,
        .pCommandBufferInfos = &buffer,
        .signalSemaphoreInfoCount = run->way.signal == ISG_PEER_SIGNAL_TIMELINE ? 1 : 0,
        .pSignalSemaphoreInfos = &signal,
    };

    return isg_peer_check(peer->vk.QueueSubmit2(peer->queue, 1, &info, run->fence),
                          "vkQueueSubmit2");
}

static bool block(isg_peer_run *run)
{
    isg_peer *peer = run->peer;
    const VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &run->timeline,
        .pValues = &run->value,
    };
    const uint64_t limit = SPIN_LIMIT_S * UINT64_C(1000000000);

    if (run->way.signal == ISG_PEER_SIGNAL_FENCE) {
        return isg_peer_check(peer->vk.WaitForFences(peer->device, 1, &run->fence, VK_TRUE, limit),
                              "vkWaitForFences");
    }
    return isg_peer_check(peer->vk.WaitSemaphores(peer->device, &info, limit), "vkWaitSemaphores");
}

/* 1: the fence or the timeline says it has run; 0: not yet; -1: an error. */
static int signalled(isg_peer_run *run)
{
    isg_peer *peer = run->peer;
    uint64_t value = 0;

    if (run->way.signal == ISG_PEER_SIGNAL_FENCE) {
        const VkResult result = peer->vk.GetFenceStatus(peer->device, run->fence);

        if (result == VK_NOT_READY) {
            return 0;
        }
        return isg_peer_check(result, "vkGetFenceStatus") ? 1 : -1;
    }
    if (!isg_peer_check(peer->vk.GetSemaphoreCounterValue(peer->device, run->timeline, &value),
                        "vkGetSemaphoreCounterValue")) {
        return -1;
    }
    return value >= run->value;
}

/* The same for what the command buffer does at its end. */
static int marked(isg_peer_run *run)
{
    isg_peer *peer = run->peer;
    uint64_t ticks = 0;
    VkResult result;

    switch (run->way.wait) {
    case ISG_PEER_WAIT_SPIN:
        return signalled(run);
    case ISG_PEER_WAIT_EVENT:
        result = peer->vk.GetEventStatus(peer->device, run->event);
        return result == VK_EVENT_SET ? 1 : result == VK_EVENT_RESET ? 0 : -1;
    case ISG_PEER_WAIT_TIMESTAMP:
        result = peer->vk.GetQueryPoolResults(peer->device, run->query, 0, 1, sizeof ticks, &ticks,
                                              sizeof ticks, VK_QUERY_RESULT_64_BIT);
        return result == VK_SUCCESS ? 1 : result == VK_NOT_READY ? 0 : -1;
    default:
        if (*(volatile uint32_t *)run->word.mapped == 0) {
            return 0;
        }
        atomic_thread_fence(memory_order_acquire);
        return 1;
    }
}

static bool spin(isg_peer_run *run, int (*done)(isg_peer_run *))
{
    const uint64_t start = isg_peer_now_ns();

    for (uint32_t turn = 1;; turn++) {
        const int state = done(run);

        if (state != 0) {
            return state > 0;
        }
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
        if ((turn & 0x3ff) == 0 &&
            isg_peer_now_ns() - start > SPIN_LIMIT_S * UINT64_C(1000000000)) {
            return isg_peer_fail("peer: no end seen within %d s", SPIN_LIMIT_S);
        }
    }
}

static bool get_ready(isg_peer_run *run)
{
    isg_peer *peer = run->peer;

    if (run->word.mapped != NULL) {
        *(volatile uint32_t *)run->word.mapped = 0;
    }
    if (run->event != VK_NULL_HANDLE &&
        !isg_peer_check(peer->vk.ResetEvent(peer->device, run->event), "vkResetEvent")) {
        return false;
    }
    if (run->query != VK_NULL_HANDLE) {
        peer->vk.ResetQueryPool(peer->device, run->query, 0, 1);
    }
    return run->fence == VK_NULL_HANDLE ||
           isg_peer_check(peer->vk.ResetFences(peer->device, 1, &run->fence), "vkResetFences");
}

bool isg_peer_run_once(isg_peer_run *run, uint64_t *submit_ns, uint64_t *total_ns)
{
    VkCommandBuffer commands = run->ring[run->next];
    const uint64_t start = isg_peer_now_ns();
    bool good;

    run->value++;
    good = get_ready(run) && (!run->way.fresh || record(run, commands)) &&
           (run->way.submit2 ? submit2 : submit)(run, commands);
    *submit_ns = isg_peer_now_ns() - start;
    if (!good) {
        return false;
    }
    switch (run->way.wait) {
    case ISG_PEER_WAIT_IDLE:
        good = isg_peer_check(run->peer->vk.QueueWaitIdle(run->peer->queue), "vkQueueWaitIdle");
        break;
    case ISG_PEER_WAIT_BLOCK:
        good = block(run);
        break;
    default:
        good = spin(run, marked);
        break;
    }
    *total_ns = isg_peer_now_ns() - start;

    run->next = (run->next + 1) % RING;
    if (good && run->way.signal != ISG_PEER_SIGNAL_NONE) {
        good = spin(run, signalled);
    } else if (good && run->next == 0) {
        good = isg_peer_check(run->peer->vk.QueueWaitIdle(run->peer->queue), "vkQueueWaitIdle");
    }
    return good;
}

static bool create_word(isg_peer_run *run)
{
    const VkMemoryPropertyFlags host =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

    switch (run->way.word) {
    case ISG_PEER_WORD_UNCACHED:
        return isg_peer_buffer_create(
            run->peer, 4, host,
            VK_MEMORY_PROPERTY_HOST_CACHED_BIT | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &run->word);
    case ISG_PEER_WORD_DEVICE:
        return isg_peer_buffer_create(run->peer, 4, host | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0,
                                      &run->word);
    default:
        return isg_peer_buffer_create(run->peer, 4, host | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                                      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &run->word);
    }
}

static bool create_sync(isg_peer_run *run)
{
    isg_peer *peer = run->peer;
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                             .pNext = &type};
    const VkEventCreateInfo event = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    const VkQueryPoolCreateInfo query = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                         .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                         .queryCount = 1};
    VkResult result = VK_SUCCESS;

    if (run->way.signal == ISG_PEER_SIGNAL_FENCE) {
        result = peer->vk.CreateFence(peer->device, &fence, NULL, &run->fence);
    } else if (run->way.signal == ISG_PEER_SIGNAL_TIMELINE) {
        result = peer->vk.CreateSemaphore(peer->device, &semaphore, NULL, &run->timeline);
    }
    if (result == VK_SUCCESS && run->way.wait == ISG_PEER_WAIT_EVENT) {
        result = peer->vk.CreateEvent(peer->device, &event, NULL, &run->event);
    }
    if (result == VK_SUCCESS && run->way.wait == ISG_PEER_WAIT_TIMESTAMP) {
        result = peer->vk.CreateQueryPool(peer->device, &query, NULL, &run->query);
    }
    return isg_peer_check(result, "creating a fence, semaphore, event or query pool");
}

static bool create_commands(isg_peer_run *run)
{
    isg_peer *peer = run->peer;
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = run->way.fresh
                     ? (VkCommandPoolCreateFlags)VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT
                     : 0,
        .queueFamilyIndex = peer->family,
    };
    VkCommandBufferAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = RING,
    };

    if (!isg_peer_check(peer->vk.CreateCommandPool(peer->device, &pool, NULL, &run->pool),
                        "vkCreateCommandPool")) {
        return false;
    }
    allocation.commandPool = run->pool;
    if (!isg_peer_check(peer->vk.AllocateCommandBuffers(peer->device, &allocation, run->ring),
                        "vkAllocateCommandBuffers")) {
        return false;
    }
    for (uint32_t i = 0; i < RING && !run->way.fresh; i++) {
        if (!record(run, run->ring[i])) {
            return false;
        }
    }
    return true;
}

static bool supported(const isg_peer *peer, const isg_peer_way *way)
{
    if (way->submit2 && peer->vk.QueueSubmit2 == NULL) {
        return isg_peer_fail("peer: no synchronization2");
    }
    if (way->wait == ISG_PEER_WAIT_MARKER && peer->vk.CmdWriteBufferMarkerAMD == NULL) {
        return isg_peer_fail("peer: no VK_AMD_buffer_marker");
    }
    if (way->wait == ISG_PEER_WAIT_TIMESTAMP && peer->timestamp_bits == 0) {
        return isg_peer_fail("peer: no timestamps");
    }
    if ((way->wait == ISG_PEER_WAIT_BLOCK || way->wait == ISG_PEER_WAIT_SPIN) &&
        way->signal == ISG_PEER_SIGNAL_NONE) {
        return isg_peer_fail("peer: nothing is signalled that could be waited for");
    }
    return true;
}

isg_peer_run *isg_peer_run_create(isg_peer *peer, const isg_peer_way *way)
{
    isg_peer_run *run = NULL;

    if (!supported(peer, way)) {
        return NULL;
    }
    run = calloc(1, sizeof *run);
    if (run == NULL) {
        isg_peer_fail("peer: out of memory");
        return NULL;
    }
    run->peer = peer;
    run->way = *way;
    if ((!uses_word(way) || create_word(run)) && create_sync(run) &&
        isg_peer_kernel_create(peer, empty_kernel, sizeof empty_kernel, NULL, &run->kernel) &&
        (!uses_word(way) || isg_peer_kernel_create(peer, store_kernel, sizeof store_kernel,
                                                   &run->word, &run->after)) &&
        create_commands(run)) {
        return run;
    }
    isg_peer_run_destroy(run);
    return NULL;
}

void isg_peer_run_destroy(isg_peer_run *run)
{
    isg_peer *peer = NULL;

    if (run == NULL) {
        return;
    }
    peer = run->peer;
    peer->vk.QueueWaitIdle(peer->queue);
    peer->vk.DestroyCommandPool(peer->device, run->pool, NULL);
    isg_peer_kernel_destroy(peer, &run->kernel);
    isg_peer_kernel_destroy(peer, &run->after);
    isg_peer_buffer_destroy(peer, &run->word);
    peer->vk.DestroyFence(peer->device, run->fence, NULL);
    peer->vk.DestroySemaphore(peer->device, run->timeline, NULL);
    peer->vk.DestroyEvent(peer->device, run->event, NULL);
    peer->vk.DestroyQueryPool(peer->device, run->query, NULL);
    free(run);
}

void isg_peer_way_describe(const isg_peer_way *way, char *text, size_t size)
{
    static const char *const signals[] = {"none", "fence", "timeline"};
    static const char *const words[] = {"host memory", "uncached host memory", "device memory"};
    static const char *const waits[] = {
        [ISG_PEER_WAIT_IDLE] = "vkQueueWaitIdle",
        [ISG_PEER_WAIT_BLOCK] = "block",
        [ISG_PEER_WAIT_SPIN] = "spin",
        [ISG_PEER_WAIT_FILL] = "spin on vkCmdFillBuffer's word in",
        [ISG_PEER_WAIT_STORE] = "spin on the kernel's own word in",
        [ISG_PEER_WAIT_STORE_AFTER] = "spin on a second kernel's word in",
        [ISG_PEER_WAIT_EVENT] = "spin on vkGetEventStatus",
        [ISG_PEER_WAIT_TIMESTAMP] = "spin on a timestamp's availability",
        [ISG_PEER_WAIT_MARKER] = "spin on AMD_buffer_marker's word in",
    };
    const char *what = waits[way->wait];

    if (way->wait == ISG_PEER_WAIT_BLOCK) {
        what = way->signal == ISG_PEER_SIGNAL_FENCE ? "vkWaitForFences" : "vkWaitSemaphores";
    } else if (way->wait == ISG_PEER_WAIT_SPIN) {
        what = way->signal == ISG_PEER_SIGNAL_FENCE ? "spin on vkGetFenceStatus"
                                                    : "spin on vkGetSemaphoreCounterValue";
    }
    snprintf(text, size, "%s, %s, signal %s: %s%s%s", way->submit2 ? "Submit2" : "Submit",
             way->fresh ? "recorded each time" : "prerecorded", signals[way->signal], what,
             uses_word(way) ? " " : "", uses_word(way) ? words[way->word] : "");
}
