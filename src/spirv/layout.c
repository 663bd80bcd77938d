/* Computes the sizes of types, by their decorations and by std430's rules, when they are indexed. */
#include "spirv/module.h"

#define MAX_SIZE (UINT64_C(1) << 62)

static uint64_t align_up(uint64_t value, uint32_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

const isg_spirv_type *isg_spirv_type_info(const isg_spirv_module *module, uint32_t id)
{
    const uint32_t *inst = isg_spirv_def(module, id);
    if (inst == NULL || isg_spirv_op(inst) < SpvOpTypeVoid ||
        isg_spirv_op(inst) >= SpvOpTypeForwardPointer || module->ids[id].slot == 0) {
        return NULL;
    }
    return &module->types[module->ids[id].slot];
}

const isg_spirv_member *isg_spirv_member_info(const isg_spirv_module *module, uint32_t id,
                                              uint32_t member)
{
    const uint32_t *inst = isg_spirv_def_as(module, id, SpvOpTypeStruct);
    if (inst == NULL || member >= isg_spirv_length(inst) - 2) {
        return NULL;
    }
    return &module->members[module->types[module->ids[id].slot].first_member + member];
}

static isg_spirv_extent extent_of(const isg_spirv_module *module, uint32_t type,
                                  bool explicit_layout)
{
    const isg_spirv_type *info = isg_spirv_type_info(module, type);
    if (info == NULL) {
        return (isg_spirv_extent){.alignment = 1};
    }
    return explicit_layout ? info->explicit : info->standard;
}

static isg_spirv_extent scalar_extent(uint32_t width)
{
    bool known = width == 8 || width == 16 || width == 32 || width == 64;
    return (isg_spirv_extent){
        .size = width / 8, .alignment = known ? width / 8 : 1, .known = known};
}

static isg_spirv_extent vector_extent(isg_spirv_extent component, uint32_t count)
{
    /* Sizes are laid out before types are checked: components may be anything here. */
    if (!component.known || component.alignment > 8 || count < 2 || count > 16) {
        return (isg_spirv_extent){.alignment = 1};
    }
    return (isg_spirv_extent){.size = component.size * count,
                              .alignment = component.alignment * (count == 2 ? 2 : 4),
                              .known = true};
}

/* A matrix is an array of columns (or rows) `stride` bytes apart; 0: as std430 lays them out. */
static isg_spirv_extent matrix_extent(const isg_spirv_module *module, const uint32_t *inst,
                                      uint32_t stride, bool row_major)
{
    const uint32_t *column = isg_spirv_def_as(module, inst[2], SpvOpTypeVector);
    isg_spirv_extent unknown = {.alignment = 1};

    if (column == NULL) {
        return unknown;
    }
    uint32_t vectors = row_major ? column[3] : inst[3];
    uint32_t length = row_major ? inst[3] : column[3];
    isg_spirv_extent vector = vector_extent(extent_of(module, column[2], false), length);
    if (!vector.known || vectors < 2 || vectors > 16) {
        return unknown;
    }
    if (stride == 0) {
        stride = (uint32_t)align_up(vector.size, vector.alignment);
        vector.size = stride;
    }
    return (isg_spirv_extent){.size = (uint64_t)stride * (vectors - 1) + vector.size,
                              .alignment = vector.alignment,
                              .known = true};
}

static isg_spirv_extent array_extent(const isg_spirv_module *module, const uint32_t *inst,
                                     bool explicit_layout)
{
    isg_spirv_extent element = extent_of(module, inst[2], explicit_layout);
    isg_spirv_extent out = {.alignment = element.alignment};
    uint64_t count = 0;
    uint64_t stride = explicit_layout
                          ? isg_spirv_decoration_value(module, inst[1], SpvDecorationArrayStride, 0)
                          : align_up(element.size, element.alignment);

    if (!element.known || element.array_stride != 0 || stride > UINT32_MAX) {
        return out;
    }
    if (isg_spirv_op(inst) == SpvOpTypeRuntimeArray) {
        out.array_stride = (uint32_t)stride;
        out.known = stride != 0;
        return out;
    }
    if (!isg_spirv_constant_value(module, inst[3], &count) ||
        (stride != 0 && count > MAX_SIZE / stride)) {
        return out;
    }
    out.size = count * stride;
    out.known = true;
    return out;
}

/* MatrixStride sits on the member also when that is an array of matrices. */
static isg_spirv_extent member_extent(const isg_spirv_module *module, uint32_t type,
                                      const isg_spirv_member *member, bool explicit_layout)
{
    const uint32_t *inst = isg_spirv_def(module, type);
    uint64_t times = 1;
    uint64_t stride = 0;

    if (explicit_layout && inst != NULL && isg_spirv_op(inst) == SpvOpTypeArray) {
        stride = isg_spirv_decoration_value(module, type, SpvDecorationArrayStride, 0);
        if (!isg_spirv_constant_value(module, inst[3], &times)) {
            times = 0;
        }
        for (uint32_t i = 0; i < 64 && inst != NULL && isg_spirv_op(inst) == SpvOpTypeArray; i++) {
            inst = isg_spirv_def(module, inst[2]);
        }
    }
    if (!explicit_layout || inst == NULL || isg_spirv_op(inst) != SpvOpTypeMatrix) {
        return extent_of(module, type, explicit_layout);
    }
    isg_spirv_extent out = matrix_extent(module, inst, member->matrix_stride, member->row_major);
    if (stride != 0) {
        out.known = out.known && times <= MAX_SIZE / stride;
        out.size = out.known ? times * stride : 0;
    }
    return out;
}

static isg_spirv_extent struct_extent(const isg_spirv_module *module, const uint32_t *inst,
                                      bool explicit_layout)
{
    isg_spirv_extent out = {.alignment = 1, .known = true};

    for (uint32_t i = 0; i < isg_spirv_length(inst) - 2; i++) {
        const isg_spirv_member *member = isg_spirv_member_info(module, inst[1], i);
        isg_spirv_extent extent = member_extent(module, inst[2 + i], member, explicit_layout);
        uint64_t offset = member->offset;
        if (!explicit_layout) {
            offset = align_up(out.size, extent.alignment);
        } else if (offset == UINT32_MAX) {
            extent.known = false;
        }
        if (!extent.known || extent.size > MAX_SIZE - offset) {
            return (isg_spirv_extent){.alignment = 1};
        }
        out.array_stride = extent.array_stride != 0 ? extent.array_stride : out.array_stride;
        out.size = offset + extent.size > out.size ? offset + extent.size : out.size;
        out.alignment = extent.alignment > out.alignment ? extent.alignment : out.alignment;
    }
    if (!explicit_layout) {
        out.size = align_up(out.size, out.alignment);
        out.known = out.size <= MAX_SIZE;
    }
    return out;
}

/* Notes one decoration of a member: `words` are the decoration and its parameters. */
static void note_member(isg_spirv_member *member, const uint32_t *words, uint32_t count)
{
    if (count == 0) {
        return;
    }
    switch (words[0]) {
    case SpvDecorationOffset:
        member->offset = count > 1 ? words[1] : UINT32_MAX;
        break;
    case SpvDecorationMatrixStride:
        member->matrix_stride = count > 1 ? words[1] : 0;
        break;
    case SpvDecorationRowMajor:
        member->row_major = true;
        break;
    case SpvDecorationNonWritable:
        member->non_writable = true;
        break;
    case SpvDecorationNonReadable:
        member->non_readable = true;
        break;
    case SpvDecorationCoherent:
        member->coherent = true;
        break;
    case SpvDecorationVolatile:
        member->is_volatile = true;
        break;
    case SpvDecorationBuiltIn:
        member->builtin = true;
        break;
    default:
        break;
    }
}

/* OpGroupMemberDecorate: every decoration of the group, on the members it lists of this struct. */
static void note_group(const isg_spirv_module *module, const uint32_t *inst, uint32_t id,
                       isg_spirv_member *members, uint32_t count)
{
    uint32_t group = inst[1] < module->id_count ? module->ids[inst[1]].note : 0;

    for (uint32_t i = 2; i + 1 < isg_spirv_length(inst); i += 2) {
        if (inst[i] != id || inst[i + 1] >= count) {
            continue;
        }
        for (uint32_t k = group; k != 0; k = module->notes[k].next) {
            const uint32_t *note = module->words + module->notes[k].offset;
            if (isg_spirv_op(note) == SpvOpDecorate) {
                note_member(&members[inst[i + 1]], note + 2, isg_spirv_length(note) - 2);
            }
        }
    }
}

static void index_members(isg_spirv_module *module, const uint32_t *inst)
{
    uint32_t count = isg_spirv_length(inst) - 2;
    isg_spirv_member *members = module->members + module->member_count;
    const uint32_t *last = NULL;

    module->types[module->type_count].first_member = module->member_count;
    module->member_count += count;
    for (uint32_t i = 0; i < count; i++) {
        members[i] = (isg_spirv_member){.offset = UINT32_MAX};
    }
    for (uint32_t i = module->ids[inst[1]].note; i != 0; i = module->notes[i].next) {
        const uint32_t *note = module->words + module->notes[i].offset;
        uint32_t op = isg_spirv_op(note);
        if (op == SpvOpMemberDecorate && note[2] < count) {
            note_member(&members[note[2]], note + 3, isg_spirv_length(note) - 3);
        } else if (op == SpvOpGroupMemberDecorate && note != last) {
            note_group(module, note, inst[1], members, count);
            last = note;
        }
    }
}

static isg_spirv_extent compute(const isg_spirv_module *module, const uint32_t *inst,
                                bool explicit_layout)
{
    switch (isg_spirv_op(inst)) {
    case SpvOpTypeBool:
        return scalar_extent(32);
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        return scalar_extent(inst[2]);
    case SpvOpTypeVector:
        return vector_extent(extent_of(module, inst[2], explicit_layout), inst[3]);
    case SpvOpTypeMatrix:
        return matrix_extent(module, inst, 0, false);
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
        return array_extent(module, inst, explicit_layout);
    case SpvOpTypeStruct:
        return struct_extent(module, inst, explicit_layout);
    case SpvOpTypePointer: { /* a physical one has a size */
        isg_spirv_extent out = scalar_extent(64);
        out.known = inst[2] == SpvStorageClassPhysicalStorageBuffer;
        return out;
    }
    default:
        return (isg_spirv_extent){.alignment = 1};
    }
}

void isg_spirv_lay_out(isg_spirv_module *module, const uint32_t *inst)
{
    isg_spirv_type *type = &module->types[module->type_count];

    /* A type that holds itself meets this entry while it is made. */
    type->explicit = (isg_spirv_extent){.alignment = 1};
    type->standard = type->explicit;
    if (isg_spirv_op(inst) == SpvOpTypeStruct) {
        index_members(module, inst);
    }
    type->explicit = compute(module, inst, true);
    type->standard = compute(module, inst, false);
    module->type_count++;
}
