/* Memory dependencies between the commands of a recording. */
#ifndef ISG_VK_BARRIER_H
#define ISG_VK_BARRIER_H

#include "core/backend.h"
#include "vulkan/vk_volk.h"

/* What a command does to memory, as far as barriers care. */
typedef enum isg_vk_use {
    ISG_VK_USE_DISPATCH = 1 << 0,
    ISG_VK_USE_INDIRECT = 1 << 1, /* reads its grid from a buffer */
    ISG_VK_USE_TRANSFER = 1 << 2,
} isg_vk_use;

typedef struct isg_vk_barrier {
    uint32_t pending;  /* uses since the last barrier */
    bool host_visible; /* memory that the host may read was touched since the recording's start */
} isg_vk_barrier;

/* Before a command with `uses`: everything pending is made available and visible to it. */
void isg_vk_barrier_before(isg_vk_barrier *barrier, const struct VolkDeviceTable *vk,
                           VkCommandBuffer commands, uint32_t uses, bool unordered);
/* At a recording's end: what the host may read is made visible to it. */
void isg_vk_barrier_host(isg_vk_barrier *barrier, const struct VolkDeviceTable *vk,
                         VkCommandBuffer commands);
/* After that: everything is made available and visible to whatever comes later on the queue.
 * Submission order alone orders no memory. */
void isg_vk_barrier_end(isg_vk_barrier *barrier, const struct VolkDeviceTable *vk,
                        VkCommandBuffer commands);

#endif
