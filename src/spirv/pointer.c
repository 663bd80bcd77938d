/* Follows pointers back to the variable they come from and the byte they point at. */
#include "spirv/module.h"

/* Chains of chains are short; a longer one has no known offset. */
#define MAX_CHAINS 16

/* The byte that `indices` lead to inside `type`; UINT64_MAX: not constant. */
static uint64_t offset_in(const isg_spirv_module *module, uint32_t type, const uint32_t *indices,
                          uint32_t count)
{
    uint64_t offset = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *inst = isg_spirv_def(module, type);
        uint64_t index = 0;
        if (inst == NULL || !isg_spirv_constant_value(module, indices[i], &index) ||
            index > UINT32_MAX) {
            return UINT64_MAX;
        }
        uint32_t op = isg_spirv_op(inst);
        if (op == SpvOpTypeStruct) {
            const isg_spirv_member *member = isg_spirv_member_info(module, type, (uint32_t)index);
            if (member == NULL || member->offset == UINT32_MAX) {
                return UINT64_MAX;
            }
            offset += member->offset;
            type = inst[2 + index];
        } else if (op == SpvOpTypeArray || op == SpvOpTypeRuntimeArray) {
            offset += index * isg_spirv_decoration_value(module, type, SpvDecorationArrayStride, 0);
            type = inst[2];
        } else if (op == SpvOpTypeVector) {
            const isg_spirv_type *info = isg_spirv_type_info(module, inst[2]);
            offset += info != NULL ? index * info->standard.size : 0;
            type = inst[2];
        } else {
            return UINT64_MAX;
        }
    }
    return offset;
}

isg_spirv_place isg_spirv_pointer_place(const isg_spirv_module *module, uint32_t pointer)
{
    isg_spirv_place place = {.variable = 0, .offset = 0};

    for (uint32_t i = 0; i < MAX_CHAINS; i++) {
        const uint32_t *inst = isg_spirv_def(module, pointer);
        if (inst == NULL) {
            return place;
        }
        uint32_t op = isg_spirv_op(inst);
        if (op == SpvOpVariable) {
            place.variable = pointer;
            return place;
        }
        if (op != SpvOpAccessChain && op != SpvOpInBoundsAccessChain && op != SpvOpCopyObject) {
            return place;
        }
        if (op != SpvOpCopyObject) {
            const uint32_t *type =
                isg_spirv_def_as(module, isg_spirv_type_of(module, inst[3]), SpvOpTypePointer);
            uint64_t step = type == NULL
                                ? UINT64_MAX
                                : offset_in(module, type[3], inst + 4, isg_spirv_length(inst) - 4);
            place.offset =
                step == UINT64_MAX || place.offset == UINT64_MAX ? UINT64_MAX : place.offset + step;
        }
        pointer = inst[3];
    }
    return place;
}

bool isg_spirv_is_state(const isg_spirv_module *module, uint32_t variable)
{
    return isg_spirv_def_as(module, variable, SpvOpVariable) != NULL &&
           isg_spirv_decoration_value(module, variable, SpvDecorationDescriptorSet, 0) ==
               ISG_STATE_SET &&
           isg_spirv_decoration_value(module, variable, SpvDecorationBinding, 0) ==
               ISG_STATE_BINDING;
}
