/* Owns what a kernel's descriptors look like to Vulkan: set layouts, pipeline layouts, writes.
 *
 * Writes, not update templates: SwiftShader leaks each template. */
#include "vulkan/vk_fail.h"
#include "vulkan/vk_objects.h"

#include <assert.h>

_Static_assert(sizeof(VkDescriptorBufferInfo) == sizeof(isg_vk_descriptor) &&
                   sizeof(VkDescriptorImageInfo) == sizeof(isg_vk_descriptor),
               "arrays of the union are arrays of either");

VkDescriptorType isg_vk_descriptor_type(uint32_t kind)
{
    static const VkDescriptorType types[ISG_VK_DESCRIPTOR_KINDS] = {
        [ISG_BINDING_STORAGE_BUFFER] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        [ISG_BINDING_UNIFORM_BUFFER] = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
        [ISG_BINDING_STORAGE_IMAGE] = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
        [ISG_BINDING_SAMPLED_IMAGE] = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
        [ISG_BINDING_SAMPLER] = VK_DESCRIPTOR_TYPE_SAMPLER,
        [ISG_BINDING_COMBINED_IMAGE_SAMPLER] = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
        [ISG_VK_KIND_STATE] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
    };
    return types[kind];
}

/* ---- limits that depend on the kind, which the core does not know ----------------------------- */

typedef struct kind_limit {
    const char *noun;
    uint32_t used, limit;
} kind_limit;

static isg_status check_limits(const isg_vk_device *device, const isg_kernel_info *info,
                               const char *label)
{
    const VkPhysicalDeviceLimits *limits = &device->physical->properties.limits;
    uint32_t used[ISG_VK_DESCRIPTOR_KINDS] = {0};
    for (uint32_t i = 0; i < info->binding_count; i++) {
        used[info->bindings[i].kind] += info->bindings[i].array_count;
    }
    uint32_t combined = used[ISG_BINDING_COMBINED_IMAGE_SAMPLER];
    const kind_limit rows[] = {
        {"storage buffers", used[ISG_BINDING_STORAGE_BUFFER],
         limits->maxPerStageDescriptorStorageBuffers - 1},
        {"uniform buffers", used[ISG_BINDING_UNIFORM_BUFFER],
         limits->maxPerStageDescriptorUniformBuffers},
        {"storage images", used[ISG_BINDING_STORAGE_IMAGE],
         limits->maxPerStageDescriptorStorageImages},
        {"sampled images", used[ISG_BINDING_SAMPLED_IMAGE] + combined,
         limits->maxPerStageDescriptorSampledImages},
        {"samplers", used[ISG_BINDING_SAMPLER] + combined, limits->maxPerStageDescriptorSamplers},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].used > rows[i].limit) {
            return isg_fail(ISG_ERROR_LIMIT_EXCEEDED,
                            "kernel '%s' binds %u %s, the limit of '%s' is %u; bind fewer", label,
                            rows[i].used, rows[i].noun, device->base.info.name, rows[i].limit);
        }
    }
    uint32_t newest = device->physical->api >= VK_API_VERSION_1_3 ? 0x00010600 : 0x00010500;
    if (info->spirv_version > newest) {
        return isg_fail(ISG_ERROR_UNSUPPORTED,
                        "kernel '%s' is SPIR-V 1.%u, device '%s' takes up to 1.%u; compile for an "
                        "older target, e.g. --target-env=vulkan1.2",
                        label, info->spirv_version >> 8 & 0xff, device->base.info.name,
                        newest >> 8 & 0xff);
    }
    return ISG_OK;
}

/* ---- sets ------------------------------------------------------------------------------------- */

static void lay_out_sets(isg_vk_device *device, const isg_kernel_info *info, isg_vk_kernel *kernel)
{
    for (uint32_t i = 0; i < info->binding_count; i++) {
        const isg_binding_info *binding = &info->bindings[i];
        assert(binding->set < ISG_VK_USER_SETS);
        isg_vk_set *set = &kernel->sets[binding->set];
        if (set->count == 0) {
            set->first = kernel->descriptor_count;
            set->first_write = i;
        }
        set->write_count++;
        set->count += binding->array_count;
        set->kinds[binding->kind] += binding->array_count;
        kernel->descriptor_count += binding->array_count;
        kernel->set_count = binding->set + 1;
    }
    /* One set of a pipeline layout may be pushed. */
    for (uint32_t i = 0; device->caps.push_descriptors && i < kernel->set_count; i++) {
        isg_vk_set *set = &kernel->sets[i];
        if (set->count > 0 && set->count <= device->physical->max_push_descriptors) {
            set->push = true;
            break;
        }
    }
}

static VkResult create_set_layout(isg_vk_device *device, const isg_kernel_info *info,
                                  uint32_t index, VkDescriptorSetLayoutBinding *bindings,
                                  isg_vk_set *set)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < info->binding_count; i++) {
        const isg_binding_info *binding = &info->bindings[i];
        if (binding->set == index) {
            bindings[count++] = (VkDescriptorSetLayoutBinding){
                .binding = binding->binding,
                .descriptorType = isg_vk_descriptor_type(binding->kind),
                .descriptorCount = binding->array_count,
                .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
            };
        }
    }
    VkDescriptorSetLayoutCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .flags = set->push ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0,
        .bindingCount = count,
        .pBindings = bindings,
    };
    return device->vk.vkCreateDescriptorSetLayout(device->handle, &create, NULL, &set->layout);
}

static VkResult create_pipeline_layout(isg_vk_device *device, uint32_t push_size,
                                       isg_vk_kernel *kernel, bool with_state,
                                       VkPipelineLayout *out)
{
    VkDescriptorSetLayout layouts[ISG_STATE_SET + 1];
    for (uint32_t i = 0; i < ISG_VK_USER_SETS; i++) {
        layouts[i] = kernel->sets[i].layout ? kernel->sets[i].layout : device->empty_layout;
    }
    layouts[ISG_STATE_SET] = device->state_layout;
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_size};
    VkPipelineLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = with_state ? ISG_STATE_SET + 1 : kernel->set_count,
        .pSetLayouts = layouts,
        .pushConstantRangeCount = push_size > 0,
        .pPushConstantRanges = &range,
    };
    return device->vk.vkCreatePipelineLayout(device->handle, &info, NULL, out);
}

static isg_status create_layouts(isg_vk_device *device, const isg_kernel_info *info,
                                 const char *label, isg_vk_kernel *kernel)
{
    size_t size = (info->binding_count + 1) * sizeof(VkDescriptorSetLayoutBinding);
    VkDescriptorSetLayoutBinding *bindings = isg_alloc(device->allocator, size);
    const char *call = "vkCreateDescriptorSetLayout";
    VkResult result = bindings ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;

    for (uint32_t i = 0; i < kernel->set_count && result == VK_SUCCESS; i++) {
        if (kernel->sets[i].count > 0) {
            result = create_set_layout(device, info, i, bindings, &kernel->sets[i]);
        }
    }
    if (result == VK_SUCCESS) {
        call = "vkCreatePipelineLayout";
        result = create_pipeline_layout(device, info->push_size, kernel, false, &kernel->layout);
    }
    if (result == VK_SUCCESS) {
        result =
            create_pipeline_layout(device, info->push_size, kernel, true, &kernel->state_layout);
    }
    isg_free(device->allocator, bindings, size);
    return result == VK_SUCCESS ? ISG_OK : isg_vk_fail(result, call, "kernel", label);
}

/* What never changes of the writes of a dispatch. */
static void fill_writes(const isg_kernel_info *info, isg_vk_kernel *kernel)
{
    for (uint32_t i = 0; i < info->binding_count; i++) {
        const isg_binding_info *binding = &info->bindings[i];
        kernel->writes[i] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstBinding = binding->binding,
            .descriptorCount = binding->array_count,
            .descriptorType = isg_vk_descriptor_type(binding->kind),
        };
    }
}

isg_status isg_vk_kernel_create(isg_device *base, const isg_kernel_info *info, const char *label,
                                isg_kernel **out)
{
    isg_vk_device *device = (isg_vk_device *)base;
    isg_status status = check_limits(device, info, label);
    if (status != ISG_OK) {
        return status;
    }
    isg_vk_kernel *kernel = isg_alloc(device->allocator, sizeof *kernel);
    if (!kernel) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no host memory for kernel '%s'; free some",
                        label);
    }
    kernel->write_count = info->binding_count;
    kernel->writes =
        isg_alloc(device->allocator, (info->binding_count + 1) * sizeof *kernel->writes);
    if (kernel->writes) {
        fill_writes(info, kernel);
        lay_out_sets(device, info, kernel);
        status = create_layouts(device, info, label, kernel);
    } else {
        status =
            isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no host memory for kernel '%s'; free some", label);
    }
    if (status != ISG_OK) {
        isg_vk_kernel_destroy(device, kernel);
        return status;
    }
    atomic_fetch_add(&device->live, 1);
    *out = &kernel->base;
    return ISG_OK;
}

void isg_vk_kernel_destroy(isg_vk_device *device, isg_vk_kernel *kernel)
{
    device->vk.vkDestroyPipelineLayout(device->handle, kernel->state_layout, NULL);
    device->vk.vkDestroyPipelineLayout(device->handle, kernel->layout, NULL);
    for (uint32_t i = 0; i < ISG_VK_USER_SETS; i++) {
        device->vk.vkDestroyDescriptorSetLayout(device->handle, kernel->sets[i].layout, NULL);
    }
    isg_free(device->allocator, kernel->writes,
             kernel->writes ? (kernel->write_count + 1) * sizeof *kernel->writes : 0);
    isg_free(device->allocator, kernel, sizeof *kernel);
}
