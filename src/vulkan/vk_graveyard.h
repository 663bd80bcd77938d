/* Timeline semaphores that nobody uses any more, kept for a while. */
#ifndef ISG_VK_GRAVEYARD_H
#define ISG_VK_GRAVEYARD_H

#include "vulkan/vk_volk.h"

#include <pthread.h>

typedef struct isg_vk_device isg_vk_device;

#define ISG_VK_GRAVES 256

typedef struct isg_vk_graveyard {
    pthread_mutex_t mutex; /* guards all below */
    VkSemaphore graves[ISG_VK_GRAVES];
    unsigned next; /* the oldest, to be destroyed for the next one */
} isg_vk_graveyard;

void isg_vk_graveyard_open(isg_vk_device *device);
/* Everything ever submitted has ended, the driver's own threads included. */
void isg_vk_graveyard_close(isg_vk_device *device);
/* Destroys the semaphore later. Accepts VK_NULL_HANDLE. */
void isg_vk_graveyard_bury(isg_vk_device *device, VkSemaphore semaphore);

#endif
