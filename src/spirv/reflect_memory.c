/* Reads a module's variables: bindings, push constants and workgroup memory. */
#include "spirv/reflect.h"

/* Descriptor arrays nest no deeper in Vulkan's rules than this. */
#define MAX_ARRAYS 8

/* The variable's name, or its block's: GLSL lets a block have no other. */
static const char *name_of(const isg_spirv_module *module, uint32_t variable, uint32_t type)
{
    const char *name = isg_spirv_name(module, variable);
    return name[0] != '\0' ? name : isg_spirv_name(module, type);
}

typedef struct resource {
    uint32_t type;  /* without arrays */
    uint64_t count; /* descriptors */
} resource;

static isg_status strip_arrays(const isg_spirv_module *module, uint32_t variable, uint32_t type,
                               resource *out)
{
    uint32_t offset = module->ids[variable].offset;

    *out = (resource){.type = type, .count = 1};
    for (uint32_t i = 0; i <= MAX_ARRAYS; i++) {
        const uint32_t *inst = isg_spirv_def(module, out->type);
        uint64_t length = 0;
        if (inst == NULL) {
            break;
        }
        if (isg_spirv_op(inst) == SpvOpTypeRuntimeArray) {
            return isg_spirv_unsupported(module, offset,
                                         "'%s' is an array of descriptors without a "
                                         "size; give it one",
                                         isg_spirv_name(module, variable));
        }
        if (isg_spirv_op(inst) != SpvOpTypeArray) {
            return ISG_OK;
        }
        if (!isg_spirv_constant_value(module, inst[3], &length) || length == 0 || length > 65536 ||
            out->count * length > 65536) {
            return isg_spirv_unsupported(module, offset,
                                         "'%s' is an array of descriptors whose "
                                         "size is not 1 to 65536",
                                         isg_spirv_name(module, variable));
        }
        out->count *= length;
        out->type = inst[2];
    }
    return isg_spirv_invalid(module, offset, "the type of '%s' nests too many arrays",
                             isg_spirv_name(module, variable));
}

static isg_status kind_of(const isg_spirv_module *module, uint32_t variable, uint32_t storage,
                          uint32_t type, isg_binding_kind *out)
{
    const uint32_t *inst = isg_spirv_def(module, type);
    uint32_t offset = module->ids[variable].offset;
    uint32_t op = inst != NULL ? isg_spirv_op(inst) : 0;
    const uint32_t *image = op == SpvOpTypeSampledImage
                                ? isg_spirv_def_as(module, inst[2], SpvOpTypeImage)
                            : op == SpvOpTypeImage ? inst
                                                   : NULL;

    if (image != NULL && (image[3] == SpvDimBuffer || image[3] == SpvDimSubpassData ||
                          image[3] == SpvDimCube || image[6] != 0)) {
        return isg_spirv_unsupported(module, offset,
                                     "'%s' is a texel buffer, cube, subpass or "
                                     "multisampled image; use 1D to 3D images",
                                     isg_spirv_name(module, variable));
    }
    if (op == SpvOpTypeStruct) {
        bool buffer_block =
            isg_spirv_decoration(module, type, SpvDecorationBufferBlock, NULL) != NULL;
        *out = storage == SpvStorageClassStorageBuffer || buffer_block ? ISG_BINDING_STORAGE_BUFFER
                                                                       : ISG_BINDING_UNIFORM_BUFFER;
        return ISG_OK;
    }
    if (op == SpvOpTypeSampledImage && image != NULL) {
        *out = ISG_BINDING_COMBINED_IMAGE_SAMPLER;
        return ISG_OK;
    }
    if (op == SpvOpTypeImage) {
        *out = image[7] == 2 ? ISG_BINDING_STORAGE_IMAGE : ISG_BINDING_SAMPLED_IMAGE;
        return ISG_OK;
    }
    if (op == SpvOpTypeSampler) {
        *out = ISG_BINDING_SAMPLER;
        return ISG_OK;
    }
    return isg_spirv_unsupported(module, offset, "'%s' is no buffer, image or sampler",
                                 isg_spirv_name(module, variable));
}

/* Bytes of a buffer block: the fixed part, and the stride of the array at its end. */
static isg_status block_of(const isg_spirv_module *module, uint32_t variable, uint32_t type,
                           isg_binding_info *binding)
{
    const isg_spirv_type *info = isg_spirv_type_info(module, type);

    if (info == NULL || !info->explicit.known) {
        return isg_spirv_invalid(module, module->ids[variable].offset,
                                 "the block of '%s' lacks offsets or strides, or is too large",
                                 isg_spirv_name(module, variable));
    }
    binding->block_size = info->explicit.size;
    binding->array_stride = info->explicit.array_stride;
    return ISG_OK;
}

/* Adds `binding`, or joins it with the one of the same number that another variable names. */
static isg_status add_binding(isg_spirv_reflection *reflection, uint32_t variable,
                              const isg_binding_info *binding)
{
    isg_kernel_info *info = &reflection->info;

    for (uint32_t i = 0; i < info->binding_count; i++) {
        isg_binding_info *other = &reflection->bindings[i];
        if (other->set != binding->set || other->binding != binding->binding) {
            continue;
        }
        if (other->kind != binding->kind || other->array_count != binding->array_count) {
            return isg_spirv_unsupported(
                reflection->module, reflection->module->ids[variable].offset,
                "set %u binding %u is declared twice with different "
                "kinds ('%s' and '%s')",
                (unsigned)binding->set, (unsigned)binding->binding, other->name, binding->name);
        }
        other->access = (isg_access)(other->access | binding->access);
        other->block_size =
            binding->block_size > other->block_size ? binding->block_size : other->block_size;
        if (binding->array_stride != 0 &&
            (other->array_stride == 0 || binding->array_stride < other->array_stride)) {
            other->array_stride = binding->array_stride;
        }
        return ISG_OK;
    }
    if (info->binding_count >= ISG_SPIRV_MAX_LISTED) {
        return isg_spirv_unsupported(reflection->module, reflection->module->ids[variable].offset,
                                     "it has more than %u bindings; use fewer, or arrays",
                                     ISG_SPIRV_MAX_LISTED);
    }
    reflection->bindings[info->binding_count++] = *binding;
    return ISG_OK;
}

static isg_status descriptor(isg_spirv_reflection *reflection, uint32_t variable, uint32_t storage,
                             uint32_t pointee)
{
    const isg_spirv_module *module = reflection->module;
    uint32_t offset = module->ids[variable].offset;
    isg_binding_info binding = {
        .set = isg_spirv_decoration_value(module, variable, SpvDecorationDescriptorSet, UINT32_MAX),
        .binding = isg_spirv_decoration_value(module, variable, SpvDecorationBinding, UINT32_MAX),
        .name = isg_spirv_name(module, variable),
    };
    bool reached = reflection->marks[variable] != 0;

    if (!reached && !reflection->only_entry) {
        return ISG_OK; /* another entry point's */
    }
    if (binding.set == UINT32_MAX || binding.binding == UINT32_MAX) {
        return isg_spirv_invalid(module, offset, "'%s' has no descriptor set or binding",
                                 binding.name);
    }
    if (isg_spirv_is_state(module, variable) &&
        (!reached || reflection->info.sync_class != ISG_SYNC_PLAIN)) {
        return ISG_OK;
    }
    if (binding.set >= ISG_STATE_SET) {
        return isg_spirv_unsupported(module, offset,
                                     "'%s' is at set %u binding %u; sets 0 to %u "
                                     "are the kernel's, set %u is isogrid's",
                                     binding.name, (unsigned)binding.set, (unsigned)binding.binding,
                                     ISG_STATE_SET - 1u, ISG_STATE_SET);
    }
    resource found;
    isg_status status = strip_arrays(module, variable, pointee, &found);
    if (status == ISG_OK) {
        binding.array_count = (uint32_t)found.count;
        binding.name = name_of(module, variable, found.type);
        status = kind_of(module, variable, storage, found.type, &binding.kind);
    }
    if (status == ISG_OK && (binding.kind == ISG_BINDING_STORAGE_BUFFER ||
                             binding.kind == ISG_BINDING_UNIFORM_BUFFER)) {
        status = block_of(module, variable, found.type, &binding);
    } else if (status == ISG_OK) {
        reflection->info.features |= ISG_FEATURE_IMAGES;
    }
    binding.access = (isg_access)reflection->accesses[isg_spirv_reflect_root(reflection, variable)];
    if (status == ISG_OK) {
        status = add_binding(reflection, variable, &binding);
    }
    return status;
}

static isg_status push_constants(isg_spirv_reflection *reflection, uint32_t variable,
                                 uint32_t pointee)
{
    const isg_spirv_module *module = reflection->module;
    const isg_spirv_type *info = isg_spirv_type_info(module, pointee);

    if (info == NULL || !info->explicit.known || info->explicit.size > UINT32_MAX - 3 ||
        info->explicit.array_stride != 0) {
        return isg_spirv_invalid(module, module->ids[variable].offset,
                                 "the push constants '%s' lack offsets or strides, or are too "
                                 "large",
                                 isg_spirv_name(module, variable));
    }
    uint32_t size = ((uint32_t)info->explicit.size + 3u) & ~3u;
    if (size > reflection->info.push_size) {
        reflection->info.push_size = size;
    }
    return ISG_OK;
}

static isg_status workgroup_memory(isg_spirv_reflection *reflection, uint32_t variable,
                                   uint32_t pointee)
{
    const isg_spirv_module *module = reflection->module;
    const isg_spirv_type *info = isg_spirv_type_info(module, pointee);
    uint64_t *total = &reflection->info.shared_size;

    if (info == NULL || !info->standard.known || info->standard.array_stride != 0) {
        return isg_spirv_invalid(module, module->ids[variable].offset,
                                 "the shared variable '%s' has no size",
                                 isg_spirv_name(module, variable));
    }
    uint64_t alignment = info->standard.alignment;
    uint64_t start = (*total + alignment - 1) / alignment * alignment;
    *total =
        info->standard.size > UINT64_MAX / 2 - start ? UINT64_MAX / 2 : start + info->standard.size;
    return ISG_OK;
}

static void builtin(isg_spirv_reflection *reflection, uint32_t variable)
{
    switch (isg_spirv_decoration_value(reflection->module, variable, SpvDecorationBuiltIn,
                                       UINT32_MAX)) {
    case SpvBuiltInSubgroupSize:
    case SpvBuiltInNumSubgroups:
    case SpvBuiltInSubgroupId:
    case SpvBuiltInSubgroupLocalInvocationId:
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        reflection->info.uses_subgroups = true;
        break;
    default:
        break;
    }
}

isg_status isg_spirv_reflect_memory(isg_spirv_reflection *reflection)
{
    const isg_spirv_module *module = reflection->module;
    uint32_t end = module->sections[ISG_SPIRV_GLOBALS + 1];
    isg_status status = ISG_OK;

    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS]; status == ISG_OK && i < end;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) != SpvOpVariable) {
            continue;
        }
        const uint32_t *type = isg_spirv_def_as(module, inst[1], SpvOpTypePointer);
        if (type == NULL) {
            return isg_spirv_invalid(module, i, "the variable's type is no pointer");
        }
        bool reached = reflection->marks[inst[2]] != 0;
        switch (inst[3]) {
        case SpvStorageClassUniformConstant:
        case SpvStorageClassUniform:
        case SpvStorageClassStorageBuffer:
            status = descriptor(reflection, inst[2], inst[3], type[3]);
            break;
        case SpvStorageClassPushConstant:
            if (reached || reflection->only_entry) {
                status = push_constants(reflection, inst[2], type[3]);
            }
            break;
        case SpvStorageClassWorkgroup:
            if (reached) {
                status = workgroup_memory(reflection, inst[2], type[3]);
            }
            break;
        case SpvStorageClassInput:
            if (reached) {
                builtin(reflection, inst[2]);
            }
            break;
        default:
            break;
        }
    }
    return status;
}
