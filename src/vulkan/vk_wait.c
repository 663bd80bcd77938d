/* Owns how the host learns that a timeline has reached a value: polling first, then blocking.
 *
 * The two regimes were measured (docs/results): on a GPU a blocking wait wakes up about 50 us late,
 * so short work is polled for, by markers; a CPU driver needs the cores that polling would take.
 * ISOGRID_VULKAN_WAIT=poll or block overrides the choice. */
#include "vulkan/vk_fail.h"
#include "vulkan/vk_objects.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SPIN_NS_GPU UINT64_C(1000000)
/* Drivers turn timeouts into absolute times, some with signed arithmetic. */
#define BLOCK_NS_MAX UINT64_C(3600000000000)
#define POLLS_PER_CLOCK 8

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void isg_vk_wait_choose(isg_vk_device *device)
{
    /* The threads of a CPU driver need the cores that polling would take. */
    bool poll = device->physical->properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU;
    const char *wanted = getenv("ISOGRID_VULKAN_WAIT");
    if (wanted && wanted[0] != '\0') {
        poll = strcmp(wanted, "poll") == 0;
    }
    device->wait.spin_ns = poll ? SPIN_NS_GPU : 0;
    device->wait.markers = poll;
}

static isg_status semaphore_value(isg_vk_device *device, isg_vk_timeline timeline, uint64_t *out)
{
    VkResult result = device->vk.vkGetSemaphoreCounterValue(device->handle, timeline.handle, out);
    if (result == VK_SUCCESS && *out == UINT64_MAX && timeline.highest != UINT64_MAX) {
        /* What drivers leave behind in the timelines of a lost device. */
        result = VK_ERROR_DEVICE_LOST;
    }
    if (isg_vk_device_note(device, result) != VK_SUCCESS) {
        return isg_vk_fail(result, "vkGetSemaphoreCounterValue", "device", device->base.info.name);
    }
    return ISG_OK;
}

isg_status isg_vk_timeline_value(isg_vk_device *device, isg_vk_timeline timeline, uint64_t *out)
{
    return timeline.queue ? isg_vk_markers_reached(device, timeline.queue, out)
                          : semaphore_value(device, timeline, out);
}

static isg_status block(isg_vk_device *device, isg_vk_timeline timeline, uint64_t value,
                        uint64_t timeout_ns)
{
    VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &timeline.handle,
        .pValues = &value,
    };
    isg_status status = timeline.queue ? isg_vk_queue_signal(timeline.queue, value) : ISG_OK;
    if (status != ISG_OK) {
        return status;
    }
    while (timeout_ns > 0) {
        uint64_t step = timeout_ns < BLOCK_NS_MAX ? timeout_ns : BLOCK_NS_MAX;
        VkResult result = device->vk.vkWaitSemaphores(device->handle, &info, step);
        if (result == VK_SUCCESS) {
            uint64_t reached;
            return semaphore_value(device, timeline, &reached);
        }
        if (isg_vk_device_note(device, result) != VK_TIMEOUT) {
            return isg_vk_fail(result, "vkWaitSemaphores", "device", device->base.info.name);
        }
        timeout_ns -= timeout_ns == ISG_WAIT_FOREVER ? 0 : step;
    }
    return ISG_TIMEOUT;
}

isg_status isg_vk_timeline_wait(isg_vk_device *device, isg_vk_timeline timeline, uint64_t value,
                                uint64_t timeout_ns)
{
    uint64_t reached = 0;
    isg_status status = isg_vk_timeline_value(device, timeline, &reached);
    if (status != ISG_OK || reached >= value || timeout_ns == 0) {
        return status != ISG_OK || reached >= value ? status : ISG_TIMEOUT;
    }
    uint64_t spin_ns = device->wait.spin_ns < timeout_ns ? device->wait.spin_ns : timeout_ns;
    if (spin_ns > 0) {
        uint64_t start = now_ns();
        do {
            for (int i = 0; i < POLLS_PER_CLOCK; i++) {
                relax();
                status = isg_vk_timeline_value(device, timeline, &reached);
                if (status != ISG_OK || reached >= value) {
                    return status;
                }
            }
        } while (now_ns() - start < spin_ns);
    }
    return block(device, timeline, value,
                 timeout_ns == ISG_WAIT_FOREVER ? timeout_ns : timeout_ns - spin_ns);
}
