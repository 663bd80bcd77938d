/* Owns images. */
#include "vulkan/vk_fail.h"
#include "vulkan/vk_objects.h"

typedef struct format_row {
    VkFormat format;
    bool integer;
} format_row;

static const format_row formats[] = {
    [ISG_FORMAT_R8_UNORM] = {VK_FORMAT_R8_UNORM, false},
    [ISG_FORMAT_RGBA8_UNORM] = {VK_FORMAT_R8G8B8A8_UNORM, false},
    [ISG_FORMAT_R32_UINT] = {VK_FORMAT_R32_UINT, true},
    [ISG_FORMAT_R32_SINT] = {VK_FORMAT_R32_SINT, true},
    [ISG_FORMAT_R32_FLOAT] = {VK_FORMAT_R32_SFLOAT, false},
    [ISG_FORMAT_RG32_FLOAT] = {VK_FORMAT_R32G32_SFLOAT, false},
    [ISG_FORMAT_RGBA16_FLOAT] = {VK_FORMAT_R16G16B16A16_SFLOAT, false},
    [ISG_FORMAT_RGBA32_FLOAT] = {VK_FORMAT_R32G32B32A32_SFLOAT, false},
    [ISG_FORMAT_RGBA32_UINT] = {VK_FORMAT_R32G32B32A32_UINT, true},
};

static isg_status check_format(isg_vk_device *device, const isg_image_desc *desc,
                               isg_vk_image *image)
{
    VkFormatProperties properties;
    VkFormatFeatureFlags needed =
        VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
    if (desc->usage & ISG_IMAGE_USAGE_STORAGE) {
        needed |= VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT;
    }
    if (desc->usage & ISG_IMAGE_USAGE_SAMPLED) {
        needed |= VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
    }
    device->driver->vk.GetPhysicalDeviceFormatProperties(device->physical->handle,
                                                         formats[desc->format].format, &properties);
    VkFormatFeatureFlags has = properties.optimalTilingFeatures;
    if ((has & needed) != needed) {
        return isg_fail(ISG_ERROR_UNSUPPORTED,
                        "image '%s': device '%s' has no images of format %d with usage 0x%x; use "
                        "another format, or only the usage you need",
                        desc->label, device->base.info.name, (int)desc->format, desc->usage);
    }
    image->filters_linear = (has & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) != 0;
    image->integer = formats[desc->format].integer;
    return ISG_OK;
}

static VkImageUsageFlags usage_flags(uint32_t usage)
{
    VkImageUsageFlags flags = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    if (usage & ISG_IMAGE_USAGE_STORAGE) {
        flags |= VK_IMAGE_USAGE_STORAGE_BIT;
    }
    if (usage & ISG_IMAGE_USAGE_SAMPLED) {
        flags |= VK_IMAGE_USAGE_SAMPLED_BIT;
    }
    return flags;
}

static isg_status create_image(isg_vk_device *device, const isg_image_desc *desc,
                               uint32_t dimensions, isg_vk_image *image)
{
    static const VkImageType types[] = {VK_IMAGE_TYPE_1D, VK_IMAGE_TYPE_2D, VK_IMAGE_TYPE_3D};
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = types[dimensions - 1],
        .format = formats[desc->format].format,
        .extent = {desc->width, desc->height, desc->depth},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = usage_flags(desc->usage),
        .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    };
    VkResult result = device->vk.vkCreateImage(device->handle, &info, NULL, &image->handle);
    if (result != VK_SUCCESS) {
        image->handle = VK_NULL_HANDLE;
        return isg_vk_fail(result, "vkCreateImage", "image", desc->label);
    }
    isg_vk_memory_request memory = {
        .memory = ISG_MEMORY_DEVICE,
        .content = ISG_VK_CONTENT_IMAGE,
        .noun = "image",
        .label = desc->label,
    };
    device->vk.vkGetImageMemoryRequirements(device->handle, image->handle, &memory.requirements);
    isg_status status = isg_vk_memory_allocate(device, &memory, &image->memory);
    if (status != ISG_OK) {
        return status;
    }
    result = device->vk.vkBindImageMemory(device->handle, image->handle, image->memory.memory,
                                          image->memory.offset);
    if (result != VK_SUCCESS) {
        return isg_vk_fail(result, "vkBindImageMemory", "image", desc->label);
    }
    isg_vk_name(device, VK_OBJECT_TYPE_IMAGE, ISG_VK_HANDLE(image->handle), desc->label);
    return ISG_OK;
}

static isg_status create_view(isg_vk_device *device, const isg_image_desc *desc,
                              uint32_t dimensions, isg_vk_image *image)
{
    static const VkImageViewType types[] = {VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_VIEW_TYPE_2D,
                                            VK_IMAGE_VIEW_TYPE_3D};
    VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = image->handle,
        .viewType = types[dimensions - 1],
        .format = formats[desc->format].format,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    VkResult result = device->vk.vkCreateImageView(device->handle, &info, NULL, &image->view);
    if (result != VK_SUCCESS) {
        image->view = VK_NULL_HANDLE;
        return isg_vk_fail(result, "vkCreateImageView", "image", desc->label);
    }
    return ISG_OK;
}

isg_status isg_vk_image_create(isg_device *base, const isg_image_desc *desc, uint32_t dimensions,
                               uint32_t texel_size, isg_image **out)
{
    isg_vk_device *device = (isg_vk_device *)base;
    isg_vk_image *image = isg_alloc(device->allocator, sizeof *image);
    (void)texel_size;
    if (!image) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no host memory for image '%s'; free some",
                        desc->label);
    }
    isg_status status = check_format(device, desc, image);
    if (status == ISG_OK) {
        status = create_image(device, desc, dimensions, image);
    }
    if (status == ISG_OK) {
        status = create_view(device, desc, dimensions, image);
    }
    if (status != ISG_OK) {
        isg_vk_image_destroy(device, image);
        return status;
    }
    atomic_fetch_add(&device->live, 1);
    *out = &image->base;
    return ISG_OK;
}

void isg_vk_image_destroy(isg_vk_device *device, isg_vk_image *image)
{
    device->vk.vkDestroyImageView(device->handle, image->view, NULL);
    device->vk.vkDestroyImage(device->handle, image->handle, NULL);
    isg_vk_memory_free(device, &image->memory);
    isg_free(device->allocator, image, sizeof *image);
}
