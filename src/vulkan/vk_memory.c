/* Owns device memory: which type for which use, blocks, and their division among small objects. */
#include "vulkan/vk_memory.h"

#include "vulkan/vk_device.h"
#include "vulkan/vk_fail.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define BLOCK_SIZE_FIRST (UINT64_C(1) << 20)
#define BLOCK_SIZE_LAST (UINT64_C(64) << 20)
/* No two objects share a cache line, whatever the driver would allow. */
#define ALIGNMENT_LEAST UINT64_C(256)

typedef struct free_range {
    uint64_t offset, size;
} free_range;

struct isg_vk_block {
    isg_vk_block *previous, *next;
    VkDeviceMemory memory;
    uint64_t size;
    void *mapped;
    uint32_t type;
    isg_vk_content content;
    bool dedicated;     /* one object alone; never looked at for others */
    uint32_t live;      /* ranges given out */
    free_range *ranges; /* by offset; never two that touch */
    uint32_t range_count, range_capacity;
};

/* ---- memory types ---------------------------------------------------------------------------- */

static bool host_shares_memory(const isg_vk_physical *physical)
{
    VkPhysicalDeviceType type = physical->properties.deviceType;
    return type == VK_PHYSICAL_DEVICE_TYPE_CPU || type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}

/* How well a type serves a use: 0 not at all, else the higher the better. */
static int rate_type(const isg_vk_physical *physical, VkMemoryPropertyFlags flags,
                     isg_memory memory)
{
    const VkMemoryPropertyFlags coherent =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryPropertyFlags never = VK_MEMORY_PROPERTY_PROTECTED_BIT |
                                        VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
                                        VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD;
    bool local = (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
    bool cached = (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0;
    bool visible = (flags & coherent) == coherent;
    if (flags & never) {
        return 0;
    }
    switch (memory) {
    case ISG_MEMORY_DEVICE:
        /* Mapped memory of a discrete GPU is reached through a window; kernels want the rest. */
        return local ? 1 + (visible == host_shares_memory(physical)) : 0;
    case ISG_MEMORY_UPLOAD:
        return visible ? 1 + !cached + (local == host_shares_memory(physical)) : 0;
    case ISG_MEMORY_DOWNLOAD:
        return visible ? 1 + 2 * cached + (local == host_shares_memory(physical)) : 0;
    }
    return 0;
}

/* The best type not in `tried`; VK_MAX_MEMORY_TYPES: none. */
static uint32_t choose_type(const isg_vk_physical *physical, uint32_t allowed, uint32_t tried,
                            isg_memory memory)
{
    uint32_t best = VK_MAX_MEMORY_TYPES;
    int best_rating = 0;
    for (uint32_t i = 0; i < physical->memory.memoryTypeCount; i++) {
        int rating = rate_type(physical, physical->memory.memoryTypes[i].propertyFlags, memory);
        if ((allowed & ~tried & (1u << i)) && rating > best_rating) {
            best = i;
            best_rating = rating;
        }
    }
    return best;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void block_destroy(isg_vk_device *device, isg_vk_block *block)
{
    isg_vk_pool *pool = &device->memory.pools[block->type][block->content];
    if (block->previous) {
        block->previous->next = block->next;
    } else if (pool->first == block) {
        pool->first = block->next;
    }
    if (block->next) {
        block->next->previous = block->previous;
    }
    device->memory.held -= block->size;
    device->vk.vkFreeMemory(device->handle, block->memory, NULL);
    isg_free(device->allocator, block->ranges, block->range_capacity * sizeof *block->ranges);
    isg_free(device->allocator, block, sizeof *block);
}

static VkResult block_allocate(isg_vk_device *device, isg_vk_block *block)
{
    VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = device->caps.device_address ? &flags : NULL,
        .allocationSize = block->size,
        .memoryTypeIndex = block->type,
    };
    VkResult result = device->vk.vkAllocateMemory(device->handle, &info, NULL, &block->memory);
    if (result != VK_SUCCESS) {
        block->memory = VK_NULL_HANDLE;
    }
    return result;
}

static bool block_should_map(const isg_vk_device *device, uint32_t type, isg_memory memory)
{
    VkMemoryPropertyFlags flags = device->physical->memory.memoryTypes[type].propertyFlags;
    bool coherent = (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) &&
                    (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    return coherent && (memory != ISG_MEMORY_DEVICE || host_shares_memory(device->physical));
}

/* Puts a new block first in its pool. NULL with *result set. */
static isg_vk_block *block_create(isg_vk_device *device, uint32_t type, isg_vk_content content,
                                  uint64_t size, bool map, VkResult *result)
{
    isg_vk_pool *pool = &device->memory.pools[type][content];
    isg_vk_block *block = isg_alloc(device->allocator, sizeof *block);
    *result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (!block) {
        return NULL;
    }
    block->type = type;
    block->content = content;
    block->size = size;
    block->ranges = isg_alloc(device->allocator, 4 * sizeof *block->ranges);
    if (!block->ranges) {
        isg_free(device->allocator, block, sizeof *block);
        return NULL;
    }
    block->range_capacity = 4;
    block->range_count = 1;
    block->ranges[0] = (free_range){0, size};

    *result = block_allocate(device, block);
    if (*result == VK_SUCCESS && map) {
        *result = device->vk.vkMapMemory(device->handle, block->memory, 0, VK_WHOLE_SIZE, 0,
                                         &block->mapped);
    }
    device->memory.held += size;
    block->next = pool->first;
    if (block->next) {
        block->next->previous = block;
    }
    pool->first = block;
    if (*result != VK_SUCCESS) {
        block_destroy(device, block);
        return NULL;
    }
    return block;
}

/* Room for the ranges that freeing everything in any order can leave behind, so that freeing never
 * allocates. */
static bool block_reserve(isg_vk_device *device, isg_vk_block *block)
{
    uint32_t needed = block->live + 3;
    if (needed <= block->range_capacity) {
        return true;
    }
    uint32_t capacity = needed * 2;
    free_range *ranges =
        isg_grow(device->allocator, block->ranges, block->range_capacity * sizeof *ranges,
                 capacity * sizeof *ranges);
    if (!ranges) {
        return false;
    }
    block->ranges = ranges;
    block->range_capacity = capacity;
    return true;
}

static void range_remove(isg_vk_block *block, uint32_t at)
{
    block->range_count--;
    memmove(&block->ranges[at], &block->ranges[at + 1],
            (block->range_count - at) * sizeof *block->ranges);
}

static void range_insert(isg_vk_block *block, uint32_t at, free_range range)
{
    assert(block->range_count < block->range_capacity);
    memmove(&block->ranges[at + 1], &block->ranges[at],
            (block->range_count - at) * sizeof *block->ranges);
    block->ranges[at] = range;
    block->range_count++;
}

/* First fit. The bytes that alignment skips stay free. */
static bool block_take(isg_vk_device *device, isg_vk_block *block, uint64_t size,
                       uint64_t alignment, uint64_t *out_offset)
{
    for (uint32_t i = 0; i < block->range_count; i++) {
        free_range range = block->ranges[i];
        uint64_t skip = (alignment - range.offset % alignment) % alignment;
        if (skip > range.size || size > range.size - skip) {
            continue;
        }
        if (!block_reserve(device, block)) {
            return false;
        }
        free_range rest = {range.offset + skip + size, range.size - skip - size};
        if (skip > 0) {
            block->ranges[i].size = skip;
            if (rest.size > 0) {
                range_insert(block, i + 1, rest);
            }
        } else if (rest.size > 0) {
            block->ranges[i] = rest;
        } else {
            range_remove(block, i);
        }
        block->live++;
        *out_offset = range.offset + skip;
        return true;
    }
    return false;
}

static void block_give(isg_vk_block *block, uint64_t offset, uint64_t size)
{
    uint32_t low = 0, high = block->range_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (block->ranges[middle].offset < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool joins_next = low < block->range_count && block->ranges[low].offset == offset + size;
    bool joins_previous =
        low > 0 && block->ranges[low - 1].offset + block->ranges[low - 1].size == offset;
    if (joins_previous && joins_next) {
        block->ranges[low - 1].size += size + block->ranges[low].size;
        range_remove(block, low);
    } else if (joins_previous) {
        block->ranges[low - 1].size += size;
    } else if (joins_next) {
        block->ranges[low].offset = offset;
        block->ranges[low].size += size;
    } else {
        range_insert(block, low, (free_range){offset, size});
    }
    block->live--;
}

/* ---- allocating ------------------------------------------------------------------------------ */

static void fill_out(isg_vk_block *block, uint64_t offset, uint64_t size, isg_vk_allocation *out)
{
    out->memory = block->memory;
    out->offset = offset;
    out->size = size;
    out->mapped = block->mapped ? (char *)block->mapped + offset : NULL;
    out->block = block;
}

static VkResult allocate_dedicated(isg_vk_device *device, const isg_vk_memory_request *request,
                                   uint32_t type, isg_vk_allocation *out)
{
    VkResult result;
    bool map = block_should_map(device, type, request->memory);
    isg_vk_block *block =
        block_create(device, type, request->content, request->requirements.size, map, &result);
    if (block) {
        block->dedicated = true;
        block->live = 1;
        block->range_count = 0;
        fill_out(block, 0, block->size, out);
    }
    return result;
}

static VkResult allocate_shared(isg_vk_device *device, const isg_vk_memory_request *request,
                                uint32_t type, isg_vk_allocation *out)
{
    isg_vk_pool *pool = &device->memory.pools[type][request->content];
    uint64_t alignment = request->requirements.alignment;
    uint64_t size = (request->requirements.size + ALIGNMENT_LEAST - 1) & ~(ALIGNMENT_LEAST - 1);
    uint64_t offset = 0;
    bool map = block_should_map(device, type, request->memory);
    alignment = alignment > ALIGNMENT_LEAST ? alignment : ALIGNMENT_LEAST;

    for (isg_vk_block *block = pool->first; block; block = block->next) {
        bool fits = !block->dedicated && (block->mapped != NULL) == map;
        if (fits && block_take(device, block, size, alignment, &offset)) {
            fill_out(block, offset, size, out);
            return VK_SUCCESS;
        }
    }
    VkResult result;
    if (pool->next_block_size == 0) {
        pool->next_block_size = BLOCK_SIZE_FIRST;
    }
    while (size > pool->next_block_size / 4 && pool->next_block_size < BLOCK_SIZE_LAST) {
        pool->next_block_size *= 2;
    }
    isg_vk_block *block =
        block_create(device, type, request->content, pool->next_block_size, map, &result);
    if (!block) {
        return result;
    }
    if (pool->next_block_size < BLOCK_SIZE_LAST) {
        pool->next_block_size *= 2;
    }
    if (!block_take(device, block, size, alignment, &offset)) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    fill_out(block, offset, size, out);
    return VK_SUCCESS;
}

static isg_status allocation_failed(isg_vk_device *device, const isg_vk_memory_request *request,
                                    VkResult result, uint32_t type)
{
    uint64_t heap_size = 0;
    if (type < VK_MAX_MEMORY_TYPES) {
        uint32_t heap = device->physical->memory.memoryTypes[type].heapIndex;
        heap_size = device->physical->memory.memoryHeaps[heap].size;
    }
    if (result == VK_ERROR_DEVICE_LOST) {
        return isg_vk_fail(result, "vkAllocateMemory", request->noun, request->label);
    }
    return isg_fail(ISG_ERROR_OUT_OF_MEMORY,
                    "no device memory for %s '%s' (%" PRIu64 " bytes): vkAllocateMemory returned "
                    "%s with %" PRIu64 " bytes held by isogrid and a heap of %" PRIu64
                    "; release buffers and images, or make them smaller",
                    request->noun, request->label, (uint64_t)request->requirements.size,
                    isg_vk_result_name(result), device->memory.held, heap_size);
}

isg_status isg_vk_memory_allocate(isg_vk_device *device, const isg_vk_memory_request *request,
                                  isg_vk_allocation *out)
{
    uint32_t tried = 0;
    uint32_t type = VK_MAX_MEMORY_TYPES, last = VK_MAX_MEMORY_TYPES;
    VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    *out = (isg_vk_allocation){0};

    pthread_mutex_lock(&device->memory.mutex);
    while (result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST) {
        type = choose_type(device->physical, request->requirements.memoryTypeBits, tried,
                           request->memory);
        if (type == VK_MAX_MEMORY_TYPES) {
            break;
        }
        last = type;
        tried |= 1u << type;
        if (request->requirements.size <= BLOCK_SIZE_LAST / 4) {
            result = allocate_shared(device, request, type, out);
        }
        if (result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST) {
            result = allocate_dedicated(device, request, type, out);
        }
    }
    isg_status status =
        result == VK_SUCCESS ? ISG_OK : allocation_failed(device, request, result, last);
    pthread_mutex_unlock(&device->memory.mutex);
    return status;
}

/* One empty block a pool stays, so that a buffer made and released in a loop costs no driver
 * call. */
static bool block_is_spare(isg_vk_device *device, const isg_vk_block *block)
{
    const isg_vk_pool *pool = &device->memory.pools[block->type][block->content];
    for (const isg_vk_block *other = pool->first; other; other = other->next) {
        if (other != block && !other->dedicated && other->live == 0) {
            return true;
        }
    }
    return false;
}

void isg_vk_memory_free(isg_vk_device *device, isg_vk_allocation *allocation)
{
    isg_vk_block *block = allocation->block;
    if (!block) {
        return;
    }
    pthread_mutex_lock(&device->memory.mutex);
    if (block->dedicated) {
        block_destroy(device, block);
    } else {
        block_give(block, allocation->offset, allocation->size);
        if (block->live == 0 && block_is_spare(device, block)) {
            block_destroy(device, block);
        }
    }
    pthread_mutex_unlock(&device->memory.mutex);
    *allocation = (isg_vk_allocation){0};
}

void isg_vk_memory_init(isg_vk_memory *memory)
{
    pthread_mutex_init(&memory->mutex, NULL);
}

void isg_vk_memory_finish(isg_vk_device *device)
{
    for (uint32_t type = 0; type < VK_MAX_MEMORY_TYPES; type++) {
        for (int content = 0; content < ISG_VK_CONTENT_COUNT; content++) {
            isg_vk_pool *pool = &device->memory.pools[type][content];
            while (pool->first) {
                assert(pool->first->live == 0);
                block_destroy(device, pool->first);
            }
        }
    }
    assert(device->memory.held == 0);
    pthread_mutex_destroy(&device->memory.mutex);
}
