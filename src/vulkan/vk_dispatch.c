/* Owns the recording of one dispatch: arguments, pipeline, barrier, the dispatch itself. */
#include "vulkan/vk_fail.h"
#include "vulkan/vk_objects.h"

#include <assert.h>

static isg_status fill_descriptor(const isg_command_binding *binding, isg_vk_descriptor *out)
{
    isg_vk_buffer *buffer = (isg_vk_buffer *)binding->buffer;
    isg_vk_image *image = (isg_vk_image *)binding->image;
    isg_vk_sampler *sampler = (isg_vk_sampler *)binding->sampler;
    switch (binding->kind) {
    case ISG_BINDING_STORAGE_BUFFER:
    case ISG_BINDING_UNIFORM_BUFFER:
        out->buffer = (VkDescriptorBufferInfo){buffer->handle, binding->offset, binding->size};
        return ISG_OK;
    case ISG_BINDING_STORAGE_IMAGE:
    case ISG_BINDING_SAMPLED_IMAGE:
        out->image = (VkDescriptorImageInfo){VK_NULL_HANDLE, image->view, VK_IMAGE_LAYOUT_GENERAL};
        return ISG_OK;
    case ISG_BINDING_SAMPLER:
        out->image =
            (VkDescriptorImageInfo){sampler->handle, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_UNDEFINED};
        return ISG_OK;
    case ISG_BINDING_COMBINED_IMAGE_SAMPLER:
        break;
    }
    if (sampler->base.desc.filter == ISG_FILTER_LINEAR && !image->filters_linear) {
        return isg_fail(ISG_ERROR_UNSUPPORTED,
                        "image '%s' at set %u, binding %u cannot be filtered: this device has no "
                        "linear filter for its format (%d); use a sampler with ISG_FILTER_NEAREST",
                        image->base.desc.label, binding->set, binding->binding,
                        (int)image->base.desc.format);
    }
    VkSampler handle =
        image->integer && sampler->integer_handle ? sampler->integer_handle : sampler->handle;
    out->image = (VkDescriptorImageInfo){handle, image->view, VK_IMAGE_LAYOUT_GENERAL};
    return ISG_OK;
}

/* The descriptors of all bindings, in recording->descriptors. */
static isg_status fill_descriptors(isg_vk_device *device, isg_vk_recording *recording,
                                   const isg_command_dispatch *dispatch)
{
    isg_vk_descriptor *descriptors =
        isg_vk_reserve(device->allocator, recording->descriptors, &recording->descriptor_capacity,
                       dispatch->binding_count, sizeof *descriptors);
    if (!descriptors) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no host memory for recording '%s'; free some",
                        recording->base.label);
    }
    recording->descriptors = descriptors;
    for (uint32_t i = 0; i < dispatch->binding_count; i++) {
        const isg_command_binding *binding = &dispatch->bindings[i];
        isg_status status = fill_descriptor(binding, &recording->descriptors[i]);
        if (status == ISG_OK && binding->image) {
            status = isg_vk_setup_note(device, recording, (isg_vk_image *)binding->image);
        }
        if (status != ISG_OK) {
            return status;
        }
        if (binding->buffer && binding->buffer->mapped) {
            recording->barrier.host_visible = true;
        }
    }
    return ISG_OK;
}

/* The kernel's writes with this dispatch's descriptors, in recording->writes. */
static isg_status fill_writes(isg_vk_device *device, isg_vk_recording *recording,
                              const isg_vk_kernel *kernel)
{
    VkWriteDescriptorSet *writes =
        isg_vk_reserve(device->allocator, recording->writes, &recording->write_capacity,
                       kernel->write_count, sizeof *writes);
    isg_vk_descriptor *descriptor = recording->descriptors;
    if (!writes) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no host memory for recording '%s'; free some",
                        recording->base.label);
    }
    recording->writes = writes;
    for (uint32_t i = 0; i < kernel->write_count; i++) {
        writes[i] = kernel->writes[i];
        writes[i].pBufferInfo = &descriptor->buffer;
        writes[i].pImageInfo = &descriptor->image;
        descriptor += writes[i].descriptorCount;
    }
    return ISG_OK;
}

/* Allocates and writes the sets that are not pushed. Nothing is encoded yet. */
static isg_status write_sets(isg_vk_device *device, isg_vk_recording *recording,
                             const isg_vk_kernel *kernel, VkDescriptorSet sets[ISG_VK_USER_SETS])
{
    isg_status status = fill_writes(device, recording, kernel);
    for (uint32_t i = 0; status == ISG_OK && i < kernel->set_count; i++) {
        const isg_vk_set *set = &kernel->sets[i];
        VkWriteDescriptorSet *writes = &recording->writes[set->first_write];
        if (set->count == 0 || set->push) {
            continue;
        }
        status = isg_vk_descriptor_allocate(device, recording, set->layout, set->kinds, &sets[i]);
        if (status == ISG_OK) {
            for (uint32_t k = 0; k < set->write_count; k++) {
                writes[k].dstSet = sets[i];
            }
            device->vk.vkUpdateDescriptorSets(device->handle, set->write_count, writes, 0, NULL);
        }
    }
    return status;
}

static void bind_sets(isg_vk_device *device, isg_vk_recording *recording,
                      const isg_vk_kernel *kernel, VkPipelineLayout layout,
                      const VkDescriptorSet sets[ISG_VK_USER_SETS])
{
    for (uint32_t i = 0; i < kernel->set_count; i++) {
        const isg_vk_set *set = &kernel->sets[i];
        if (set->push) {
            device->vk.vkCmdPushDescriptorSetKHR(
                recording->commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, i, set->write_count,
                &recording->writes[set->first_write]);
        } else if (set->count > 0) {
            device->vk.vkCmdBindDescriptorSets(recording->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                               layout, i, 1, &sets[i], 0, NULL);
        }
    }
}

static void bind_state(isg_vk_device *device, isg_vk_recording *recording,
                       const isg_vk_kernel *kernel, VkDescriptorSet set, uint64_t offset)
{
    if (recording->bound_state != set || recording->bound_state_offset != offset) {
        uint32_t dynamic_offset = (uint32_t)offset;
        assert(offset <= UINT32_MAX);
        device->vk.vkCmdBindDescriptorSets(recording->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                           kernel->state_layout, ISG_STATE_SET, 1, &set, 1,
                                           &dynamic_offset);
        recording->bound_state = set;
        recording->bound_state_offset = offset;
    }
}

static void launch(isg_vk_device *device, isg_vk_recording *recording, const isg_command *command)
{
    const isg_command_dispatch *dispatch = &command->as.dispatch;
    isg_vk_variant *variant = (isg_vk_variant *)dispatch->variant;
    uint32_t uses = ISG_VK_USE_DISPATCH | (dispatch->indirect ? ISG_VK_USE_INDIRECT : 0u);
    isg_vk_barrier_before(&recording->barrier, &device->vk, recording->commands, uses,
                          command->unordered);
    if (recording->bound_variant != variant) {
        device->vk.vkCmdBindPipeline(recording->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                     variant->handle);
        recording->bound_variant = variant;
    }
    if (dispatch->indirect) {
        const isg_vk_buffer *grid = (const isg_vk_buffer *)dispatch->indirect;
        device->vk.vkCmdDispatchIndirect(recording->commands, grid->handle,
                                         dispatch->indirect_offset);
    } else {
        device->vk.vkCmdDispatch(recording->commands, dispatch->grid[0], dispatch->grid[1],
                                 dispatch->grid[2]);
    }
}

isg_status isg_vk_dispatch_record(isg_vk_device *device, isg_vk_recording *recording,
                                  const isg_command *command)
{
    const isg_command_dispatch *dispatch = &command->as.dispatch;
    isg_vk_kernel *kernel = (isg_vk_kernel *)dispatch->variant->kernel;
    bool uses_state = dispatch->variant->uses_state;
    bool rebind = !dispatch->same_arguments || recording->bound_kernel != kernel;
    VkPipelineLayout layout = uses_state ? kernel->state_layout : kernel->layout;
    VkDescriptorSet sets[ISG_VK_USER_SETS] = {0};
    VkDescriptorSet state = VK_NULL_HANDLE;
    isg_status status = ISG_OK;

    if (rebind) {
        status = fill_descriptors(device, recording, dispatch);
        if (status == ISG_OK) {
            status = write_sets(device, recording, kernel, sets);
        }
    }
    if (status == ISG_OK && uses_state) {
        const isg_vk_buffer *buffer = (const isg_vk_buffer *)dispatch->state;
        status =
            isg_vk_state_set_get(device, recording, buffer->handle, dispatch->state_size, &state);
        recording->barrier.host_visible |= buffer->base.mapped != NULL;
    }
    if (status != ISG_OK) {
        return status;
    }
    if (recording->bound_kernel != kernel) {
        /* Another kernel's layouts may have disturbed every set. */
        recording->bound_state = VK_NULL_HANDLE;
        recording->bound_kernel = kernel;
    }
    if (rebind) {
        bind_sets(device, recording, kernel, layout, sets);
        if (dispatch->push_size > 0) {
            device->vk.vkCmdPushConstants(recording->commands, layout, VK_SHADER_STAGE_COMPUTE_BIT,
                                          0, dispatch->push_size, dispatch->push);
        }
    }
    if (uses_state) {
        bind_state(device, recording, kernel, state, dispatch->state_offset);
    }
    launch(device, recording, command);
    return ISG_OK;
}
