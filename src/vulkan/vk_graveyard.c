/* Destroys timeline semaphores late.
 *
 * Mesa's submit thread (vk_queue_submit_thread_func, seen with lavapipe 25.0.7) signals the end of a
 * submission first and lets go of the timelines that the submission waited for afterwards. A
 * semaphore destroyed in between, as Vulkan allows, is locked after it was freed. The thread is done
 * with it microseconds later; so the last few hundred are kept until others take their places, and
 * the rest until the device is idle. */
#include "vulkan/vk_graveyard.h"

#include "vulkan/vk_device.h"

void isg_vk_graveyard_open(isg_vk_device *device)
{
    pthread_mutex_init(&device->graveyard.mutex, NULL);
}

void isg_vk_graveyard_close(isg_vk_device *device)
{
    for (unsigned i = 0; i < ISG_VK_GRAVES; i++) {
        device->vk.vkDestroySemaphore(device->handle, device->graveyard.graves[i], NULL);
    }
    pthread_mutex_destroy(&device->graveyard.mutex);
}

void isg_vk_graveyard_bury(isg_vk_device *device, VkSemaphore semaphore)
{
    isg_vk_graveyard *graveyard = &device->graveyard;
    VkSemaphore oldest;
    if (!semaphore) {
        return;
    }
    pthread_mutex_lock(&graveyard->mutex);
    oldest = graveyard->graves[graveyard->next];
    graveyard->graves[graveyard->next] = semaphore;
    graveyard->next = (graveyard->next + 1) % ISG_VK_GRAVES;
    pthread_mutex_unlock(&graveyard->mutex);
    device->vk.vkDestroySemaphore(device->handle, oldest, NULL);
}
