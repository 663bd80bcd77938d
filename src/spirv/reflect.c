/* Reflects one compute entry point: gathers the findings and packs them into one allocation. */
#include "spirv/reflect.h"

#include <stdlib.h>
#include <string.h>

/* What the application gets: the info first, then all it points to, in one block. */
typedef struct packed_info {
    isg_host_allocator allocator;
    size_t size;
    isg_kernel_info info;
} packed_info;

/* ---- specialisation constants, workgroup size, sync class ------------------------------------ */

static bool is_spec_constant(uint32_t op)
{
    return op == SpvOpSpecConstant || op == SpvOpSpecConstantTrue || op == SpvOpSpecConstantFalse;
}

static isg_status add_constant(isg_spirv_reflection *reflection, const uint32_t *inst,
                               uint32_t spec_id)
{
    const isg_spirv_module *module = reflection->module;
    const uint32_t *type = isg_spirv_def(module, inst[1]);
    isg_constant_info constant = {.id = spec_id, .name = isg_spirv_name(module, inst[2])};

    if (isg_spirv_op(inst) != SpvOpSpecConstant) {
        constant.type = ISG_CONSTANT_BOOL;
        constant.size = 4;
    } else if (type != NULL && isg_spirv_op(type) == SpvOpTypeFloat) {
        constant.type = ISG_CONSTANT_FLOAT;
        constant.size = type[2] / 8;
    } else if (type != NULL && isg_spirv_op(type) == SpvOpTypeInt) {
        constant.type = type[3] != 0 ? ISG_CONSTANT_INT : ISG_CONSTANT_UINT;
        constant.size = type[2] / 8;
    }
    isg_spirv_constant_value(module, inst[2], &constant.default_value);
    if (constant.size < 8) {
        constant.default_value &= (UINT64_C(1) << constant.size * 8) - 1;
    }
    for (uint32_t i = 0; i < reflection->info.constant_count; i++) {
        const isg_constant_info *other = &reflection->constants[i];
        if (other->id == spec_id) {
            if (other->type == constant.type && other->size == constant.size) {
                return ISG_OK;
            }
            return isg_spirv_invalid(module, isg_spirv_offset(module, inst),
                                     "SpecId %u belongs to a constant of another type already",
                                     (unsigned)spec_id);
        }
    }
    if (reflection->info.constant_count >= ISG_SPIRV_MAX_LISTED) {
        return isg_spirv_unsupported(module, isg_spirv_offset(module, inst),
                                     "it has more than %u specialisation constants; use fewer",
                                     ISG_SPIRV_MAX_LISTED);
    }
    reflection->constants[reflection->info.constant_count++] = constant;
    return ISG_OK;
}

static isg_status set_class(isg_spirv_reflection *reflection, const uint32_t *inst)
{
    const isg_spirv_module *module = reflection->module;
    isg_kernel_info *info = &reflection->info;
    uint64_t value = 0;

    if (reflection->marks[inst[2]] == 0) {
        return ISG_OK; /* the device library is included and none of it is used */
    }
    isg_spirv_constant_value(module, inst[2], &value);
    uint64_t phases = value & 0xff;
    uint64_t class_value = value >> 8;
    bool phased = class_value == ISG_SYNC_PHASED && phases >= 1 && phases <= 32;
    bool cooperative = class_value == ISG_SYNC_COOPERATIVE && phases == 0;
    if (!phased && !cooperative) {
        return isg_spirv_invalid(module, isg_spirv_offset(module, inst),
                                 "the reserved constant %u has the value %llu; its class is 1 "
                                 "(phased, with 1 to 32 phases in the low byte) or 2 (cooperative)",
                                 ISG_SPEC_ID_SYNC_CLASS, (unsigned long long)value);
    }
    info->sync_class = phased ? ISG_SYNC_PHASED : ISG_SYNC_COOPERATIVE;
    info->phase_count = (uint32_t)phases;
    return ISG_OK;
}

static isg_status read_constants(isg_spirv_reflection *reflection)
{
    const isg_spirv_module *module = reflection->module;
    uint32_t end = module->sections[ISG_SPIRV_GLOBALS + 1];
    isg_status status = ISG_OK;

    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS]; status == ISG_OK && i < end;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (!is_spec_constant(isg_spirv_op(inst))) {
            continue;
        }
        uint32_t spec_id =
            isg_spirv_decoration_value(module, inst[2], SpvDecorationSpecId, UINT32_MAX);
        if (spec_id == UINT32_MAX) {
            continue;
        }
        if (spec_id == ISG_SPEC_ID_SYNC_CLASS) {
            status = set_class(reflection, inst);
        } else if (spec_id < ISG_SPEC_ID_RESERVED || spec_id > ISG_SPEC_ID_RESERVED + 7) {
            status = add_constant(reflection, inst, spec_id);
        }
    }
    return status;
}

isg_status isg_spirv_workgroup_size(const isg_spirv_module *module, uint32_t entry,
                                    uint32_t out_literals[3], uint32_t out_ids[3])
{
    uint32_t modes_end = module->sections[ISG_SPIRV_EXECUTION_MODES + 1];
    uint32_t globals_end = module->sections[ISG_SPIRV_GLOBALS + 1];
    bool found = false;

    memset(out_ids, 0, sizeof *out_ids * 3);
    for (uint32_t i = module->sections[ISG_SPIRV_EXECUTION_MODES]; i < modes_end;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_length(inst) != 6 || inst[1] != entry) {
            continue;
        }
        if (isg_spirv_op(inst) == SpvOpExecutionMode && inst[2] == SpvExecutionModeLocalSize) {
            memcpy(out_literals, inst + 3, sizeof *out_literals * 3);
            found = true;
        } else if (isg_spirv_op(inst) == SpvOpExecutionModeId &&
                   inst[2] == SpvExecutionModeLocalSizeId) {
            memcpy(out_ids, inst + 3, sizeof *out_ids * 3);
            found = true;
        }
    }
    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS]; i < globals_end;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        uint32_t op = isg_spirv_op(inst);
        if ((op == SpvOpSpecConstantComposite || op == SpvOpConstantComposite) &&
            isg_spirv_length(inst) == 6 &&
            isg_spirv_decoration_value(module, inst[2], SpvDecorationBuiltIn, UINT32_MAX) ==
                SpvBuiltInWorkgroupSize) {
            memcpy(out_ids, inst + 3, sizeof *out_ids * 3);
            found = true;
        }
    }
    if (!found) {
        return isg_fail(ISG_ERROR_INVALID_SPIRV,
                        "the compute entry point has no workgroup size; declare one, in GLSL "
                        "layout(local_size_x = 64) in;");
    }
    return ISG_OK;
}

static isg_status read_workgroup_size(isg_spirv_reflection *reflection)
{
    const isg_spirv_module *module = reflection->module;
    uint32_t ids[3];
    isg_kernel_info *info = &reflection->info;
    isg_status status =
        isg_spirv_workgroup_size(module, reflection->entry[2], info->workgroup_size, ids);

    for (uint32_t i = 0; status == ISG_OK && i < 3; i++) {
        info->workgroup_size_ids[i] = UINT32_MAX;
        uint64_t value = info->workgroup_size[i];
        if (ids[i] != 0) {
            const uint32_t *inst = isg_spirv_def(module, ids[i]);
            if (!isg_spirv_constant_value(module, ids[i], &value)) {
                return isg_spirv_invalid(module, module->ids[ids[i]].offset,
                                         "the workgroup size is no constant that can be computed");
            }
            if (inst != NULL && is_spec_constant(isg_spirv_op(inst))) {
                info->workgroup_size_ids[i] =
                    isg_spirv_decoration_value(module, ids[i], SpvDecorationSpecId, UINT32_MAX);
            }
        }
        if (value == 0 || value > UINT32_MAX) {
            return isg_fail(ISG_ERROR_INVALID_SPIRV,
                            "the workgroup size is %llu in dimension %u; it must be at least 1",
                            (unsigned long long)value, (unsigned)i);
        }
        info->workgroup_size[i] = (uint32_t)value;
    }
    return status;
}

/* ---- packing ----------------------------------------------------------------------------------- */

static int compare_bindings(const void *a, const void *b)
{
    const isg_binding_info *x = a;
    const isg_binding_info *y = b;
    if (x->set != y->set) {
        return x->set < y->set ? -1 : 1;
    }
    return x->binding < y->binding ? -1 : x->binding > y->binding;
}

static int compare_constants(const void *a, const void *b)
{
    const isg_constant_info *x = a;
    const isg_constant_info *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static const char *pack_string(char **at, const char *string)
{
    size_t size = strlen(string) + 1;
    char *copy = *at;

    memcpy(copy, string, size);
    *at += size;
    return copy;
}

static size_t packed_size(const isg_spirv_reflection *reflection)
{
    const isg_kernel_info *info = &reflection->info;
    size_t size = sizeof(packed_info) + sizeof *info->bindings * info->binding_count +
                  sizeof *info->constants * info->constant_count +
                  sizeof *info->portable_reasons * info->portable_reason_count +
                  strlen(info->entry) + 1;

    for (uint32_t i = 0; i < info->binding_count; i++) {
        size += strlen(reflection->bindings[i].name) + 1;
    }
    for (uint32_t i = 0; i < info->constant_count; i++) {
        size += strlen(reflection->constants[i].name) + 1;
    }
    return size;
}

static isg_status pack(isg_spirv_reflection *reflection, isg_kernel_info **out)
{
    isg_kernel_info *info = &reflection->info;
    const isg_host_allocator *allocator = isg_spirv_allocator(reflection->module);

    for (uint32_t i = 0; i < ISG_SPIRV_REASON_COUNT; i++) {
        info->portable_reason_count += reflection->reasons >> i & 1u;
    }
    info->portable_bits = info->portable_reason_count == 0;
    size_t size = packed_size(reflection);
    packed_info *packed = isg_alloc(allocator, size);
    if (packed == NULL) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no memory for a kernel's reflection of %zu bytes",
                        size);
    }
    packed->allocator = reflection->module->allocator;
    packed->size = size;
    isg_binding_info *bindings = (isg_binding_info *)(void *)(packed + 1);
    isg_constant_info *constants = (isg_constant_info *)(void *)(bindings + info->binding_count);
    const char **reasons = (const char **)(void *)(constants + info->constant_count);
    char *strings = (char *)(reasons + info->portable_reason_count);

    for (uint32_t i = 0; i < info->binding_count; i++) {
        bindings[i] = reflection->bindings[i];
        bindings[i].name = pack_string(&strings, bindings[i].name);
    }
    for (uint32_t i = 0; i < info->constant_count; i++) {
        constants[i] = reflection->constants[i];
        constants[i].name = pack_string(&strings, constants[i].name);
    }
    for (uint32_t i = 0, count = 0; i < ISG_SPIRV_REASON_COUNT; i++) {
        if ((reflection->reasons >> i & 1u) != 0) {
            reasons[count++] = isg_spirv_reason_text((isg_spirv_reason)i);
        }
    }
    if (info->binding_count > 1) {
        qsort(bindings, info->binding_count, sizeof *bindings, compare_bindings);
    }
    if (info->constant_count > 1) {
        qsort(constants, info->constant_count, sizeof *constants, compare_constants);
    }
    packed->info = *info;
    packed->info.entry = pack_string(&strings, info->entry);
    packed->info.bindings = bindings;
    packed->info.constants = constants;
    packed->info.portable_reasons = reasons;
    *out = &packed->info;
    return ISG_OK;
}

void isg_kernel_info_release(isg_kernel_info *info)
{
    if (info != NULL) {
        packed_info *packed = (packed_info *)(void *)((char *)info - offsetof(packed_info, info));
        isg_host_allocator allocator = packed->allocator;
        isg_free(allocator.allocate != NULL ? &allocator : NULL, packed, packed->size);
    }
}

/* ---- the whole --------------------------------------------------------------------------------- */

static isg_status allocate(isg_spirv_reflection *reflection)
{
    const isg_spirv_module *module = reflection->module;
    const isg_host_allocator *allocator = isg_spirv_allocator(module);
    uint32_t variables = 1;
    uint32_t end = module->sections[ISG_SPIRV_GLOBALS + 1];

    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS]; i < end;
         i += isg_spirv_length(module->words + i)) {
        variables += isg_spirv_op(module->words + i) == SpvOpVariable;
    }
    reflection->binding_capacity = variables;
    reflection->constant_capacity = module->constant_capacity;
    reflection->marks = isg_alloc(allocator, module->id_count);
    reflection->accesses = isg_alloc(allocator, module->id_count);
    reflection->parents = isg_alloc(allocator, sizeof(uint32_t) * module->id_count);
    reflection->uses = isg_alloc(allocator, sizeof(uint32_t) * module->id_count);
    reflection->bindings = isg_alloc(allocator, sizeof(isg_binding_info) * variables);
    reflection->constants =
        isg_alloc(allocator, sizeof(isg_constant_info) * module->constant_capacity);
    if (reflection->marks == NULL || reflection->accesses == NULL || reflection->parents == NULL ||
        reflection->uses == NULL || reflection->bindings == NULL || reflection->constants == NULL) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no memory to reflect a module of %u ids",
                        (unsigned)module->id_count);
    }
    return ISG_OK;
}

static void free_all(isg_spirv_reflection *reflection)
{
    const isg_spirv_module *module = reflection->module;
    const isg_host_allocator *allocator = isg_spirv_allocator(module);

    isg_free(allocator, reflection->marks, module->id_count);
    isg_free(allocator, reflection->accesses, module->id_count);
    isg_free(allocator, reflection->parents, sizeof(uint32_t) * module->id_count);
    isg_free(allocator, reflection->uses, sizeof(uint32_t) * module->id_count);
    isg_free(allocator, reflection->bindings,
             sizeof(isg_binding_info) * reflection->binding_capacity);
    isg_free(allocator, reflection->constants,
             sizeof(isg_constant_info) * reflection->constant_capacity);
}

static bool is_only_entry(const isg_spirv_module *module)
{
    uint32_t end = module->sections[ISG_SPIRV_ENTRY_POINTS + 1];
    uint32_t count = 0;

    for (uint32_t i = module->sections[ISG_SPIRV_ENTRY_POINTS]; i < end;
         i += isg_spirv_length(module->words + i)) {
        count += isg_spirv_op(module->words + i) == SpvOpEntryPoint;
    }
    return count == 1;
}

isg_status isg_spirv_reflect(const isg_spirv_module *module, const char *entry,
                             isg_kernel_info **out)
{
    isg_spirv_reflection reflection = {.module = module};

    *out = NULL;
    isg_status status = isg_spirv_entry(module, entry, &reflection.entry);
    if (status != ISG_OK) {
        return status;
    }
    reflection.info.entry = isg_spirv_string(reflection.entry, 3, NULL);
    reflection.info.spirv_version = module->version;
    reflection.only_entry = is_only_entry(module);
    status = allocate(&reflection);
    if (status == ISG_OK) {
        status = isg_spirv_reach(module, reflection.entry[2], reflection.marks);
    }
    if (status == ISG_OK) {
        status = isg_spirv_reflect_features(&reflection);
    }
    if (status == ISG_OK) {
        status = read_constants(&reflection);
    }
    if (status == ISG_OK) {
        status = read_workgroup_size(&reflection);
    }
    if (status == ISG_OK) {
        isg_spirv_reflect_code(&reflection);
        status = isg_spirv_reflect_memory(&reflection);
    }
    if (status == ISG_OK) {
        if (reflection.info.uses_subgroups) {
            reflection.reasons |= 1u << ISG_SPIRV_REASON_SUBGROUPS;
        }
        reflection.info.uses_round =
            reflection.info.uses_round && reflection.info.sync_class == ISG_SYNC_PHASED;
        status = pack(&reflection, out);
    }
    free_all(&reflection);
    return status;
}
