/* The VkPipelineCache of a device and its file. */
#ifndef ISG_VK_CACHE_H
#define ISG_VK_CACHE_H

#include "core/backend.h"
#include "vulkan/vk_volk.h"

typedef struct isg_vk_device isg_vk_device;

typedef struct isg_vk_cache {
    VkPipelineCache handle; /* NULL: none; pipelines are compiled without */
    uint64_t loaded_digest; /* of the data read from the file; 0: none was read */
} isg_vk_cache;

/* Makes the cache, from the file when it is there, whole and of this very driver. Never fails: a
 * cache only saves time. */
void isg_vk_cache_open(isg_vk_device *device);
/* Writes the file when there is something new, and destroys the cache. */
void isg_vk_cache_close(isg_vk_device *device);

#endif
