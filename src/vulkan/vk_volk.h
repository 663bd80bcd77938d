/* Device entry points, loaded into one table a device by volk's generated loader. */
#ifndef ISG_VK_VOLK_H
#define ISG_VK_VOLK_H

/* volk.h brings vulkan.h without prototypes. Of volk only `struct VolkDeviceTable` is used: its
 * global vkXxx pointers are declared there but do not exist in isogrid, so using one by accident
 * fails to link. */
#include <volk.h>

/* Fills every entry of `table` that `device` knows, through `get_proc_addr` (the instance's
 * vkGetDeviceProcAddr); the others become NULL. */
void isg_vk_load_device_table(struct VolkDeviceTable *table, VkDevice device,
                              PFN_vkGetDeviceProcAddr get_proc_addr);

#endif
