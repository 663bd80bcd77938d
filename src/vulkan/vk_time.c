/* Owns GPU times: query pools of a recording and what their ticks mean. */
#include "vulkan/vk_fail.h"
#include "vulkan/vk_objects.h"

#include <assert.h>

#define QUERIES_PER_POOL (2 * ISG_VK_SLOTS_PER_POOL)

static isg_status add_pool(isg_vk_device *device, isg_vk_recording *recording)
{
    VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = QUERIES_PER_POOL,
    };
    VkQueryPool *pools =
        isg_vk_reserve(device->allocator, recording->time_pools, &recording->time_pool_capacity,
                       recording->time_pool_count + 1, sizeof *pools);
    if (!pools) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no host memory for recording '%s'; free some",
                        recording->base.label);
    }
    recording->time_pools = pools;
    VkResult result = device->vk.vkCreateQueryPool(
        device->handle, &info, NULL, &recording->time_pools[recording->time_pool_count]);
    if (result != VK_SUCCESS) {
        return isg_vk_fail(result, "vkCreateQueryPool", "recording", recording->base.label);
    }
    recording->time_pool_count++;
    return ISG_OK;
}

isg_status isg_vk_time_record(isg_vk_device *device, isg_vk_recording *recording, uint32_t slot,
                              bool end)
{
    uint32_t pool = slot / ISG_VK_SLOTS_PER_POOL;
    while (pool >= recording->time_pool_count) {
        isg_status status = add_pool(device, recording);
        if (status != ISG_OK) {
            return status;
        }
    }
    while (pool >= recording->time_pools_reset) {
        device->vk.vkCmdResetQueryPool(recording->commands,
                                       recording->time_pools[recording->time_pools_reset++], 0,
                                       QUERIES_PER_POOL);
    }
    /* Both ends are taken when everything before them is done. */
    device->vk.vkCmdWriteTimestamp(recording->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                   recording->time_pools[pool],
                                   2 * (slot % ISG_VK_SLOTS_PER_POOL) + end);
    return ISG_OK;
}

typedef struct timestamp {
    uint64_t ticks, available;
} timestamp;

isg_status isg_vk_recording_times(isg_recording *base, uint64_t *times_ns, uint32_t count)
{
    isg_vk_recording *recording = (isg_vk_recording *)base;
    isg_vk_device *device = (isg_vk_device *)base->object.device;
    uint32_t bits = device->physical->timestamp_bits;
    uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    double period = (double)device->physical->properties.limits.timestampPeriod;
    timestamp stamps[QUERIES_PER_POOL];

    for (uint32_t first = 0; first < count; first += ISG_VK_SLOTS_PER_POOL) {
        uint32_t here =
            count - first < ISG_VK_SLOTS_PER_POOL ? count - first : ISG_VK_SLOTS_PER_POOL;
        uint32_t pool = first / ISG_VK_SLOTS_PER_POOL;
        assert(pool < recording->time_pools_reset);
        VkResult result = device->vk.vkGetQueryPoolResults(
            device->handle, recording->time_pools[pool], 0, 2 * here, sizeof stamps, stamps,
            sizeof stamps[0], VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
        if (isg_vk_device_note(device, result) < 0) {
            return isg_vk_fail(result, "vkGetQueryPoolResults", "recording", base->label);
        }
        for (uint32_t i = 0; i < here; i++) {
            const timestamp *begin = &stamps[2 * i], *end = &stamps[2 * i + 1];
            uint64_t ticks = (end->ticks - begin->ticks) & mask;
            times_ns[first + i] =
                begin->available && end->available ? (uint64_t)((double)ticks * period) : 0;
        }
    }
    return ISG_OK;
}

void isg_vk_time_destroy(isg_vk_device *device, isg_vk_recording *recording)
{
    for (uint32_t i = 0; i < recording->time_pool_count; i++) {
        device->vk.vkDestroyQueryPool(device->handle, recording->time_pools[i], NULL);
    }
    isg_free(device->allocator, recording->time_pools,
             recording->time_pool_capacity * sizeof *recording->time_pools);
}
