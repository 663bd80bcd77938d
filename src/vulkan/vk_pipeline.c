/* Owns variants: compute pipelines. */
#include "vulkan/vk_fail.h"
#include "vulkan/vk_objects.h"

#include <assert.h>
#include <string.h>

/* The specialisation data of a variant, as Vulkan wants it. */
typedef struct specialization {
    VkSpecializationInfo info;
    VkSpecializationMapEntry *entries;
    uint64_t *data;
    uint32_t count;
} specialization;

static bool specialization_init(const isg_host_allocator *allocator, const isg_variant_desc *desc,
                                specialization *out)
{
    uint32_t count = desc->constant_count;
    *out = (specialization){.count = count};
    if (count == 0) {
        return true;
    }
    out->entries = isg_alloc(allocator, count * sizeof *out->entries);
    out->data = isg_alloc(allocator, count * sizeof *out->data);
    if (!out->entries || !out->data) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        out->data[i] = desc->constants[i].value;
        out->entries[i] = (VkSpecializationMapEntry){
            .constantID = desc->constants[i].id,
            .offset = i * (uint32_t)sizeof(uint64_t),
            .size = desc->constants[i].size,
        };
    }
    out->info = (VkSpecializationInfo){
        .mapEntryCount = count,
        .pMapEntries = out->entries,
        .dataSize = count * sizeof *out->data,
        .pData = out->data,
    };
    return true;
}

static void specialization_free(const isg_host_allocator *allocator, specialization *it)
{
    isg_free(allocator, it->entries, it->count * sizeof *it->entries);
    isg_free(allocator, it->data, it->count * sizeof *it->data);
}

static isg_status pipeline_failed(VkResult result, const isg_kernel *kernel)
{
    isg_status status = isg_vk_fail(result, "vkCreateComputePipelines", "kernel", kernel->label);
    if (status == ISG_ERROR_OUT_OF_MEMORY || status == ISG_ERROR_DEVICE_LOST) {
        return status;
    }
    return isg_fail(ISG_ERROR_COMPILE_FAILED,
                    "the driver did not compile kernel '%s': vkCreateComputePipelines returned "
                    "%s; validate the module with spirv-val, or run with "
                    "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation",
                    kernel->label, isg_vk_result_name(result));
}

static isg_status compile(isg_vk_device *device, isg_vk_kernel *kernel,
                          const isg_variant_desc *desc, isg_vk_variant *variant)
{
    VkShaderModule module = VK_NULL_HANDLE;
    VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = desc->word_count * sizeof(uint32_t),
        .pCode = desc->words,
    };
    specialization constants;
    if (!specialization_init(device->allocator, desc, &constants)) {
        specialization_free(device->allocator, &constants);
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY,
                        "no host memory for the constants of kernel '%s'; free some",
                        kernel->base.label);
    }
    VkResult result = device->vk.vkCreateShaderModule(device->handle, &module_info, NULL, &module);
    if (result == VK_SUCCESS) {
        VkComputePipelineCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .stage =
                {
                    .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                    .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                    .module = module,
                    .pName = desc->entry,
                    .pSpecializationInfo = constants.count > 0 ? &constants.info : NULL,
                },
            .layout = desc->uses_state ? kernel->state_layout : kernel->layout,
        };
        result = device->vk.vkCreateComputePipelines(device->handle, device->cache.handle, 1, &info,
                                                     NULL, &variant->handle);
        device->vk.vkDestroyShaderModule(device->handle, module, NULL);
    }
    specialization_free(device->allocator, &constants);
    if (result != VK_SUCCESS) {
        variant->handle = VK_NULL_HANDLE;
        return pipeline_failed(result, &kernel->base);
    }
    isg_vk_name(device, VK_OBJECT_TYPE_PIPELINE, ISG_VK_HANDLE(variant->handle),
                kernel->base.label);
    return ISG_OK;
}

isg_status isg_vk_variant_create(isg_kernel *base, const isg_variant_desc *desc, isg_variant **out)
{
    isg_vk_device *device = (isg_vk_device *)base->object.device;
    isg_vk_variant *variant = isg_alloc(device->allocator, sizeof *variant);
    if (!variant) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY,
                        "no host memory for a pipeline of kernel '%s'; free some", base->label);
    }
    isg_status status = compile(device, (isg_vk_kernel *)base, desc, variant);
    if (status != ISG_OK) {
        isg_vk_variant_destroy(device, variant);
        return status;
    }
    variant->base.kernel = base;
    variant->base.uses_state = desc->uses_state;
    atomic_fetch_add(&device->live, 1);
    *out = &variant->base;
    return ISG_OK;
}

void isg_vk_variant_destroy(isg_vk_device *device, isg_vk_variant *variant)
{
    device->vk.vkDestroyPipeline(device->handle, variant->handle, NULL);
    isg_free(device->allocator, variant, sizeof *variant);
}
