/* What a VkResult means to callers of isogrid. */
#ifndef ISG_VK_FAIL_H
#define ISG_VK_FAIL_H

#include "core/backend.h"
#include "vulkan/vk_volk.h"

/* "VK_ERROR_DEVICE_LOST"; static. */
const char *isg_vk_result_name(VkResult result);

/* Sets the last error: `call` failed for `noun` 'label', with what to do. Never returns OK. */
isg_status isg_vk_fail(VkResult result, const char *call, const char *noun, const char *label);

#endif
