/* Owns samplers. */
#include "vulkan/vk_fail.h"
#include "vulkan/vk_objects.h"

static VkSamplerAddressMode address_mode(isg_address_mode mode)
{
    switch (mode) {
    case ISG_ADDRESS_REPEAT:
        return VK_SAMPLER_ADDRESS_MODE_REPEAT;
    case ISG_ADDRESS_MIRRORED_REPEAT:
        return VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
    case ISG_ADDRESS_CLAMP_TO_ZERO:
        return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
    case ISG_ADDRESS_CLAMP_TO_EDGE:
        break;
    }
    return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
}

static bool shows_border(const isg_sampler_desc *desc)
{
    return desc->address[0] == ISG_ADDRESS_CLAMP_TO_ZERO ||
           desc->address[1] == ISG_ADDRESS_CLAMP_TO_ZERO ||
           desc->address[2] == ISG_ADDRESS_CLAMP_TO_ZERO;
}

static isg_status create(isg_vk_device *device, const isg_sampler_desc *desc, VkBorderColor border,
                         VkSampler *out)
{
    VkFilter filter = desc->filter == ISG_FILTER_LINEAR ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter = filter,
        .minFilter = filter,
        .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST,
        .addressModeU = address_mode(desc->address[0]),
        .addressModeV = address_mode(desc->address[1]),
        .addressModeW = address_mode(desc->address[2]),
        .borderColor = border,
        .unnormalizedCoordinates = desc->unnormalized,
    };
    VkResult result = device->vk.vkCreateSampler(device->handle, &info, NULL, out);
    if (result != VK_SUCCESS) {
        *out = VK_NULL_HANDLE;
        return isg_vk_fail(result, "vkCreateSampler", "device", device->base.info.name);
    }
    return ISG_OK;
}

isg_status isg_vk_sampler_create(isg_device *base, const isg_sampler_desc *desc, isg_sampler **out)
{
    isg_vk_device *device = (isg_vk_device *)base;
    isg_vk_sampler *sampler = isg_alloc(device->allocator, sizeof *sampler);
    if (!sampler) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no host memory for a sampler; free some");
    }
    isg_status status =
        create(device, desc, VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK, &sampler->handle);
    if (status == ISG_OK && shows_border(desc) && desc->filter == ISG_FILTER_NEAREST) {
        status =
            create(device, desc, VK_BORDER_COLOR_INT_TRANSPARENT_BLACK, &sampler->integer_handle);
    }
    if (status != ISG_OK) {
        isg_vk_sampler_destroy(device, sampler);
        return status;
    }
    atomic_fetch_add(&device->live, 1);
    *out = &sampler->base;
    return ISG_OK;
}

void isg_vk_sampler_destroy(isg_vk_device *device, isg_vk_sampler *sampler)
{
    device->vk.vkDestroySampler(device->handle, sampler->handle, NULL);
    device->vk.vkDestroySampler(device->handle, sampler->integer_handle, NULL);
    isg_free(device->allocator, sampler, sizeof *sampler);
}
