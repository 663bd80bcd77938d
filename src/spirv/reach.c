/* Finds what an entry point's call graph reaches: functions, and the ids they use. */
#include "spirv/module.h"

uint32_t isg_spirv_function_index(const isg_spirv_module *module, uint32_t id)
{
    /* Functions lie in the order of their words, so their offset finds them. */
    const uint32_t *inst = isg_spirv_def_as(module, id, SpvOpFunction);
    uint32_t low = 0;
    uint32_t high = module->function_count;

    if (inst == NULL) {
        return 0;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (module->functions[middle].offset < module->ids[id].offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool names_only_debug(const isg_spirv_module *module, const uint32_t *inst)
{
    return isg_spirv_op(inst) == SpvOpExtInst && isg_spirv_import_is_debug(module, inst[3]);
}

static void mark_operands(const isg_spirv_module *module, const uint32_t *inst, uint8_t *marks)
{
    isg_spirv_operands it = isg_spirv_operands_of(module, inst);
    while (isg_spirv_operand_next(&it)) {
        uint32_t id = inst[it.at];
        if ((it.kind == ISG_SPIRV_OPERAND_ID || it.kind == ISG_SPIRV_OPERAND_TYPE) &&
            id < module->id_count) {
            marks[id] = 1;
        }
    }
}

/* Marks what one body uses and appends the functions it calls that were not seen yet. */
static uint32_t scan_body(const isg_spirv_module *module, const isg_spirv_function *function,
                          uint8_t *marks, uint32_t *stack, uint32_t depth)
{
    for (uint32_t i = function->offset; i < function->end;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (names_only_debug(module, inst)) {
            continue;
        }
        if (isg_spirv_op(inst) == SpvOpFunctionCall && inst[3] < module->id_count &&
            marks[inst[3]] == 0 && isg_spirv_def_as(module, inst[3], SpvOpFunction) != NULL) {
            stack[depth++] = inst[3];
        }
        mark_operands(module, inst, marks);
    }
    return depth;
}

/* Globals only use what was made before them: one walk backwards closes the set. */
static isg_status close_globals(const isg_spirv_module *module, uint8_t *marks)
{
    uint32_t begin = module->sections[ISG_SPIRV_GLOBALS];
    uint32_t end = module->sections[ISG_SPIRV_GLOBALS + 1];
    uint32_t count = 0;
    const isg_host_allocator *allocator = isg_spirv_allocator(module);

    for (uint32_t i = begin; i < end; i += isg_spirv_length(module->words + i)) {
        count++;
    }
    uint32_t *offsets = isg_alloc(allocator, sizeof *offsets * (count + 1));
    if (offsets == NULL) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no memory to walk %u globals of a SPIR-V module",
                        (unsigned)count);
    }
    uint32_t at = 0;
    for (uint32_t i = begin; i < end; i += isg_spirv_length(module->words + i)) {
        offsets[at++] = i;
    }
    while (at-- > 0) {
        const uint32_t *inst = module->words + offsets[at];
        uint32_t result = isg_spirv_result_at(inst);
        if (result != 0 && marks[inst[result]] != 0 && !names_only_debug(module, inst)) {
            mark_operands(module, inst, marks);
        }
    }
    isg_free(allocator, offsets, sizeof *offsets * (count + 1));
    return ISG_OK;
}

isg_status isg_spirv_reach(const isg_spirv_module *module, uint32_t function, uint8_t *marks)
{
    const isg_host_allocator *allocator = isg_spirv_allocator(module);
    size_t size = sizeof(uint32_t) * (module->function_count + 1);
    uint32_t *stack = isg_alloc(allocator, size);
    uint32_t depth = 0;

    if (stack == NULL) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no memory to walk %u functions",
                        (unsigned)module->function_count);
    }
    if (function < module->id_count && isg_spirv_def_as(module, function, SpvOpFunction) != NULL) {
        marks[function] = 1;
        stack[depth++] = function;
    }
    while (depth > 0) {
        depth = scan_body(module,
                          &module->functions[isg_spirv_function_index(module, stack[depth - 1])],
                          marks, stack, depth - 1);
    }
    isg_free(allocator, stack, size);
    return close_globals(module, marks);
}
