/* Owns the descriptor sets of a recording: pools that only grow and are reset as a whole. */
#include "vulkan/vk_fail.h"
#include "vulkan/vk_objects.h"

#define POOL_SETS_FIRST 16u
#define POOL_SETS_LAST 1024u
/* A second set for the same buffer is cheaper than a long search. */
#define STATE_SETS_SEARCHED 8u

static isg_status out_of_host_memory(const isg_vk_recording *recording)
{
    return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no host memory for recording '%s'; free some",
                    recording->base.label);
}

/* A pool for `sets` sets of ordinary size that holds at least one set with `kinds`. */
static VkResult pool_create(isg_vk_device *device, uint32_t sets,
                            const uint32_t kinds[ISG_VK_DESCRIPTOR_KINDS], VkDescriptorPool *out)
{
    static const uint32_t per_set[ISG_VK_DESCRIPTOR_KINDS] = {
        [ISG_BINDING_STORAGE_BUFFER] = 4, [ISG_BINDING_UNIFORM_BUFFER] = 1,
        [ISG_BINDING_STORAGE_IMAGE] = 1,  [ISG_BINDING_SAMPLED_IMAGE] = 1,
        [ISG_BINDING_SAMPLER] = 1,        [ISG_BINDING_COMBINED_IMAGE_SAMPLER] = 1,
        [ISG_VK_KIND_STATE] = 1,
    };
    VkDescriptorPoolSize sizes[ISG_VK_DESCRIPTOR_KINDS];
    for (uint32_t i = 0; i < ISG_VK_DESCRIPTOR_KINDS; i++) {
        uint32_t usual = sets * per_set[i];
        sizes[i].type = isg_vk_descriptor_type(i);
        sizes[i].descriptorCount = usual > kinds[i] ? usual : kinds[i];
    }
    VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = sets,
        .poolSizeCount = ISG_VK_DESCRIPTOR_KINDS,
        .pPoolSizes = sizes,
    };
    return device->vk.vkCreateDescriptorPool(device->handle, &info, NULL, out);
}

static isg_status add_pool(isg_vk_device *device, isg_vk_recording *recording,
                           const uint32_t kinds[ISG_VK_DESCRIPTOR_KINDS])
{
    isg_vk_descriptor_arena *arena = &recording->arena;
    uint32_t sets = POOL_SETS_FIRST << (arena->pool_count < 6 ? arena->pool_count : 6);
    sets = sets < POOL_SETS_LAST ? sets : POOL_SETS_LAST;
    VkDescriptorPool *pools = isg_vk_reserve(device->allocator, arena->pools, &arena->pool_capacity,
                                             arena->pool_count + 1, sizeof *pools);
    if (!pools) {
        return out_of_host_memory(recording);
    }
    arena->pools = pools;
    VkResult result = pool_create(device, sets, kinds, &arena->pools[arena->pool_count]);
    if (result != VK_SUCCESS) {
        return isg_vk_fail(result, "vkCreateDescriptorPool", "recording", recording->base.label);
    }
    arena->pool_count++;
    return ISG_OK;
}

isg_status isg_vk_descriptor_allocate(isg_vk_device *device, isg_vk_recording *recording,
                                      VkDescriptorSetLayout layout,
                                      const uint32_t kinds[ISG_VK_DESCRIPTOR_KINDS],
                                      VkDescriptorSet *out)
{
    isg_vk_descriptor_arena *arena = &recording->arena;
    VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorSetCount = 1,
        .pSetLayouts = &layout,
    };
    for (;;) {
        bool fresh_pool = arena->current == arena->pool_count;
        if (fresh_pool) {
            isg_status status = add_pool(device, recording, kinds);
            if (status != ISG_OK) {
                return status;
            }
        }
        info.descriptorPool = arena->pools[arena->current];
        VkResult result = device->vk.vkAllocateDescriptorSets(device->handle, &info, out);
        if (result == VK_SUCCESS) {
            arena->used = true;
            return ISG_OK;
        }
        bool full = result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL;
        if (!full || fresh_pool) {
            return isg_vk_fail(result, "vkAllocateDescriptorSets", "recording",
                               recording->base.label);
        }
        arena->current++;
    }
}

void isg_vk_descriptors_reset(isg_vk_device *device, isg_vk_recording *recording)
{
    isg_vk_descriptor_arena *arena = &recording->arena;
    for (uint32_t i = 0; arena->used && i < arena->pool_count && i <= arena->current; i++) {
        (void)device->vk.vkResetDescriptorPool(device->handle, arena->pools[i], 0);
    }
    arena->current = 0;
    arena->used = false;
    recording->state_set_count = 0;
}

void isg_vk_descriptors_destroy(isg_vk_device *device, isg_vk_recording *recording)
{
    isg_vk_descriptor_arena *arena = &recording->arena;
    for (uint32_t i = 0; i < arena->pool_count; i++) {
        device->vk.vkDestroyDescriptorPool(device->handle, arena->pools[i], NULL);
    }
    isg_free(device->allocator, arena->pools, arena->pool_capacity * sizeof *arena->pools);
    isg_free(device->allocator, recording->state_sets,
             recording->state_set_capacity * sizeof *recording->state_sets);
}

isg_status isg_vk_state_set_get(isg_vk_device *device, isg_vk_recording *recording, VkBuffer buffer,
                                uint64_t size, VkDescriptorSet *out)
{
    static const uint32_t kinds[ISG_VK_DESCRIPTOR_KINDS] = {[ISG_VK_KIND_STATE] = 1};
    uint32_t count = recording->state_set_count;
    for (uint32_t back = 1; back <= count && back <= STATE_SETS_SEARCHED; back++) {
        const isg_vk_state_set *known = &recording->state_sets[count - back];
        if (known->buffer == buffer && known->size == size) {
            *out = known->set;
            return ISG_OK;
        }
    }
    isg_vk_state_set *known_sets =
        isg_vk_reserve(device->allocator, recording->state_sets, &recording->state_set_capacity,
                       count + 1, sizeof *known_sets);
    if (!known_sets) {
        return out_of_host_memory(recording);
    }
    recording->state_sets = known_sets;
    isg_status status =
        isg_vk_descriptor_allocate(device, recording, device->state_layout, kinds, out);
    if (status != ISG_OK) {
        return status;
    }
    VkDescriptorBufferInfo info = {buffer, 0, size};
    VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = *out,
        .dstBinding = ISG_STATE_BINDING,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
        .pBufferInfo = &info,
    };
    device->vk.vkUpdateDescriptorSets(device->handle, 1, &write, 0, NULL);
    recording->state_sets[recording->state_set_count++] = (isg_vk_state_set){buffer, size, *out};
    return ISG_OK;
}
