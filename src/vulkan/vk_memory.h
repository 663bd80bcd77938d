/* Device memory: blocks, and ranges of blocks for small objects. */
#ifndef ISG_VK_MEMORY_H
#define ISG_VK_MEMORY_H

#include "core/backend.h"
#include "vulkan/vk_volk.h"

#include <pthread.h>

typedef struct isg_vk_device isg_vk_device;
typedef struct isg_vk_block isg_vk_block;

/* A range of device memory. */
typedef struct isg_vk_allocation {
    VkDeviceMemory memory;
    uint64_t offset, size;
    void *mapped;        /* host address of the range; NULL: not host-visible */
    isg_vk_block *block; /* owner of the range; never NULL when memory is set */
} isg_vk_allocation;

/* Buffers and images live in blocks of their own: bufferImageGranularity never matters. */
typedef enum isg_vk_content { ISG_VK_CONTENT_BUFFER, ISG_VK_CONTENT_IMAGE } isg_vk_content;
#define ISG_VK_CONTENT_COUNT 2

/* Blocks of one memory type and content. */
typedef struct isg_vk_pool {
    isg_vk_block *first;
    uint64_t next_block_size;
} isg_vk_pool;

typedef struct isg_vk_memory {
    pthread_mutex_t mutex; /* guards the pools and their blocks */
    isg_vk_pool pools[VK_MAX_MEMORY_TYPES][ISG_VK_CONTENT_COUNT];
    uint64_t held; /* bytes of all blocks */
} isg_vk_memory;

typedef struct isg_vk_memory_request {
    VkMemoryRequirements requirements;
    isg_memory memory;
    isg_vk_content content;
    const char *noun, *label; /* for messages */
} isg_vk_memory_request;

void isg_vk_memory_init(isg_vk_memory *memory);
/* Frees the blocks; all ranges have been returned. */
void isg_vk_memory_finish(isg_vk_device *device);

/* OUT_OF_MEMORY with the sizes. */
isg_status isg_vk_memory_allocate(isg_vk_device *device, const isg_vk_memory_request *request,
                                  isg_vk_allocation *out);
/* Accepts an allocation that was never made. */
void isg_vk_memory_free(isg_vk_device *device, isg_vk_allocation *allocation);

#endif
