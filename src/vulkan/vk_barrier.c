/* Owns the choice of barriers: the narrowest that two neighbours need. */
#include "vulkan/vk_barrier.h"

#include "core/test_hooks.h"

typedef struct scope {
    VkPipelineStageFlags stages;
    VkAccessFlags writes, all;
} scope;

#define USES_ALL (ISG_VK_USE_DISPATCH | ISG_VK_USE_INDIRECT | ISG_VK_USE_TRANSFER)

static scope scope_of(uint32_t uses)
{
    scope out = {0};
    if (uses & ISG_VK_USE_DISPATCH) {
        out.stages |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
        out.writes |= VK_ACCESS_SHADER_WRITE_BIT;
        out.all |=
            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_UNIFORM_READ_BIT;
    }
    if (uses & ISG_VK_USE_INDIRECT) {
        out.stages |= VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
        out.all |= VK_ACCESS_INDIRECT_COMMAND_READ_BIT;
    }
    if (uses & ISG_VK_USE_TRANSFER) {
        out.stages |= VK_PIPELINE_STAGE_TRANSFER_BIT;
        out.writes |= VK_ACCESS_TRANSFER_WRITE_BIT;
        out.all |= VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    }
    return out;
}

static void emit(const struct VolkDeviceTable *vk, VkCommandBuffer commands, scope before,
                 scope after)
{
    VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = before.writes,
        .dstAccessMask = after.all,
    };
    vk->vkCmdPipelineBarrier(commands, before.stages, after.stages, 0, 1, &memory, 0, NULL, 0,
                             NULL);
}

void isg_vk_barrier_before(isg_vk_barrier *barrier, const struct VolkDeviceTable *vk,
                           VkCommandBuffer commands, uint32_t uses, bool unordered)
{
    if (barrier->pending != 0 && !unordered) {
        if (!isg_test_omit_barrier()) {
            emit(vk, commands, scope_of(barrier->pending), scope_of(uses));
        }
        barrier->pending = 0;
    }
    barrier->pending |= uses;
}

void isg_vk_barrier_host(isg_vk_barrier *barrier, const struct VolkDeviceTable *vk,
                         VkCommandBuffer commands)
{
    scope host = {.stages = VK_PIPELINE_STAGE_HOST_BIT,
                  .all = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT};
    if (barrier->pending != 0 && barrier->host_visible && !isg_test_omit_barrier()) {
        emit(vk, commands, scope_of(barrier->pending), host);
    }
}

void isg_vk_barrier_end(isg_vk_barrier *barrier, const struct VolkDeviceTable *vk,
                        VkCommandBuffer commands)
{
    if (barrier->pending != 0 && !isg_test_omit_barrier()) {
        emit(vk, commands, scope_of(barrier->pending), scope_of(USES_ALL));
    }
    barrier->pending = 0;
}
