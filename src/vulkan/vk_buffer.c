/* Owns buffers. */
#include "vulkan/vk_fail.h"
#include "vulkan/vk_objects.h"

isg_status isg_vk_buffer_make(isg_vk_device *device, const isg_vk_buffer_request *request,
                              VkBuffer *out, isg_vk_allocation *out_memory)
{
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = request->size,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    };
    if (device->caps.device_address) {
        info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    }
    VkResult result = device->vk.vkCreateBuffer(device->handle, &info, NULL, out);
    if (result != VK_SUCCESS) {
        *out = VK_NULL_HANDLE;
        return isg_vk_fail(result, "vkCreateBuffer", "buffer", request->label);
    }
    isg_vk_memory_request memory = {
        .memory = request->memory,
        .content = ISG_VK_CONTENT_BUFFER,
        .noun = "buffer",
        .label = request->label,
    };
    device->vk.vkGetBufferMemoryRequirements(device->handle, *out, &memory.requirements);
    isg_status status = isg_vk_memory_allocate(device, &memory, out_memory);
    if (status != ISG_OK) {
        return status;
    }
    result =
        device->vk.vkBindBufferMemory(device->handle, *out, out_memory->memory, out_memory->offset);
    if (result != VK_SUCCESS) {
        return isg_vk_fail(result, "vkBindBufferMemory", "buffer", request->label);
    }
    isg_vk_name(device, VK_OBJECT_TYPE_BUFFER, ISG_VK_HANDLE(*out), request->label);
    return ISG_OK;
}

isg_status isg_vk_buffer_create(isg_device *base, const isg_buffer_desc *desc, isg_buffer **out)
{
    isg_vk_device *device = (isg_vk_device *)base;
    isg_vk_buffer *buffer = isg_alloc(device->allocator, sizeof *buffer);
    if (!buffer) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no host memory for buffer '%s'; free some",
                        desc->label);
    }
    isg_vk_buffer_request request = {desc->size, desc->memory, desc->label};
    isg_status status = isg_vk_buffer_make(device, &request, &buffer->handle, &buffer->memory);
    if (status != ISG_OK) {
        isg_vk_buffer_destroy(device, buffer);
        return status;
    }
    buffer->base.mapped = buffer->memory.mapped;
    atomic_fetch_add(&device->live, 1);
    *out = &buffer->base;
    return ISG_OK;
}

void isg_vk_buffer_destroy(isg_vk_device *device, isg_vk_buffer *buffer)
{
    device->vk.vkDestroyBuffer(device->handle, buffer->handle, NULL);
    isg_vk_memory_free(device, &buffer->memory);
    isg_free(device->allocator, buffer, sizeof *buffer);
}
