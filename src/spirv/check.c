/* Refuses modules whose ids, types or blocks would mislead reflection, a pass or a driver. */
#include "spirv/check.h"

/* ---- ids ------------------------------------------------------------------------------------------ */

/* Operands that may name what comes later in the function, or a function. */
static bool may_be_later(const isg_spirv_module *module, const uint32_t *inst, uint32_t at)
{
    switch (isg_spirv_op(inst)) {
    case SpvOpPhi:
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
        return true; /* what is no label is checked as a value where it stands */
    case SpvOpFunctionCall:
        return at == 3;
    case SpvOpExtInst:
        return isg_spirv_import_is_debug(module, inst[3]);
    default:
        return false;
    }
}

static isg_status check_use(const isg_spirv_checker *checker, uint32_t offset, uint32_t at,
                            uint32_t function, bool reachable)
{
    const isg_spirv_module *module = checker->module;
    const uint32_t *inst = module->words + offset;
    uint32_t id = inst[at];
    uint32_t made = module->ids[id].offset;

    if (checker->owners[id] != 0 && checker->owners[id] != function) {
        return isg_spirv_invalid(module, offset, "it uses id %u, which another function makes",
                                 (unsigned)id);
    }
    bool global = offset < module->sections[ISG_SPIRV_FUNCTIONS];
    if (global && made >= offset && checker->forward[id] == 0) {
        return isg_spirv_invalid(module, offset, "it uses id %u before word %u makes it",
                                 (unsigned)id, (unsigned)made);
    }
    if (!global && reachable && made >= offset && !may_be_later(module, inst, at)) {
        return isg_spirv_invalid(module, offset, "it uses id %u before word %u makes it",
                                 (unsigned)id, (unsigned)made);
    }
    return ISG_OK;
}

/* Every id an instruction uses is made somewhere it may be used; its type is a type. */
static isg_status check_operands(const isg_spirv_checker *checker, uint32_t offset,
                                 uint32_t function, bool reachable)
{
    const isg_spirv_module *module = checker->module;
    const uint32_t *inst = module->words + offset;
    uint32_t op = isg_spirv_op(inst);
    isg_spirv_operands it = isg_spirv_operands_of(module, inst);
    bool debug = op == SpvOpExtInst && isg_spirv_import_is_debug(module, inst[3]);
    bool early = offset < module->sections[ISG_SPIRV_GLOBALS]; /* names come before things */

    while (isg_spirv_operand_next(&it)) {
        uint32_t id = inst[it.at];
        if (it.kind == ISG_SPIRV_OPERAND_TYPE && isg_spirv_type_info(module, id) == NULL) {
            return isg_spirv_invalid(module, offset, "its result type %u is no type", (unsigned)id);
        }
        if (it.kind == ISG_SPIRV_OPERAND_ID && isg_spirv_def(module, id) == NULL) {
            if (debug) {
                continue;
            }
            return isg_spirv_invalid(module, offset, "it uses id %u, which nothing makes",
                                     (unsigned)id);
        }
        if (early || debug || op == SpvOpTypeForwardPointer || op == 4433 ||
            (it.kind != ISG_SPIRV_OPERAND_ID && it.kind != ISG_SPIRV_OPERAND_TYPE)) {
            continue;
        }
        isg_status status = check_use(checker, offset, it.at, function, reachable);
        if (status != ISG_OK) {
            return status;
        }
    }
    if (it.bad) {
        return isg_spirv_invalid(module, offset, "its %u words do not fit its operands",
                                 (unsigned)isg_spirv_length(inst));
    }
    return ISG_OK;
}

/* ---- the module's head --------------------------------------------------------------------------- */

static isg_status check_model(const isg_spirv_module *module)
{
    uint32_t offset = module->sections[ISG_SPIRV_MEMORY_MODEL];
    uint32_t end = module->sections[ISG_SPIRV_MEMORY_MODEL + 1];

    if (offset == end) {
        return isg_spirv_invalid(module, 0, "the module has no OpMemoryModel");
    }
    const uint32_t *inst = module->words + offset;
    if (offset + 3 != end) {
        return isg_spirv_invalid(module, offset + 3, "the module has a second OpMemoryModel");
    }
    if ((inst[1] != SpvAddressingModelLogical &&
         inst[1] != SpvAddressingModelPhysicalStorageBuffer64) ||
        (inst[2] != SpvMemoryModelGLSL450 && inst[2] != SpvMemoryModelVulkan)) {
        return isg_spirv_invalid(module, offset,
                                 "addressing model %u with memory model %u is not "
                                 "Vulkan's; compile for Vulkan",
                                 (unsigned)inst[1], (unsigned)inst[2]);
    }
    return ISG_OK;
}

static isg_status check_entry(const isg_spirv_module *module, uint32_t offset)
{
    const uint32_t *inst = module->words + offset;
    uint32_t words = 0;
    const uint32_t *function = isg_spirv_def_as(module, inst[2], SpvOpFunction);

    isg_spirv_string(inst, 3, &words);
    if (function == NULL) {
        return isg_spirv_invalid(module, offset, "its id %u is no function", (unsigned)inst[2]);
    }
    const uint32_t *type = isg_spirv_def_as(module, function[4], SpvOpTypeFunction);
    if (type == NULL || isg_spirv_length(type) != 3 ||
        isg_spirv_def_as(module, type[2], SpvOpTypeVoid) == NULL) {
        return isg_spirv_invalid(module, offset,
                                 "its function takes parameters or returns a "
                                 "value");
    }
    for (uint32_t i = 3 + words; i < isg_spirv_length(inst); i++) {
        if (isg_spirv_def_as(module, inst[i], SpvOpVariable) == NULL) {
            return isg_spirv_invalid(module, offset,
                                     "its interface names id %u, which is no "
                                     "variable",
                                     (unsigned)inst[i]);
        }
    }
    return ISG_OK;
}

static isg_status check_head(const isg_spirv_checker *checker)
{
    const isg_spirv_module *module = checker->module;
    isg_status status = check_model(module);

    for (uint32_t i = module->sections[ISG_SPIRV_ENTRY_POINTS];
         status == ISG_OK && i < module->sections[ISG_SPIRV_ENTRY_POINTS + 1];
         i += isg_spirv_length(module->words + i)) {
        if (isg_spirv_op(module->words + i) == SpvOpEntryPoint) {
            status = check_entry(module, i);
        }
    }
    for (uint32_t i = ISG_SPIRV_HEADER_WORDS;
         status == ISG_OK && i < module->sections[ISG_SPIRV_FUNCTIONS];
         i += isg_spirv_length(module->words + i)) {
        status = check_operands(checker, i, 0, true);
        if (status == ISG_OK && i >= module->sections[ISG_SPIRV_GLOBALS]) {
            status = isg_spirv_check_global(checker, i);
        }
    }
    return status;
}

/* ---- functions -------------------------------------------------------------------------------------- */

static void find_owners(isg_spirv_checker *checker)
{
    const isg_spirv_module *module = checker->module;

    for (uint32_t f = 0; f < module->function_count; f++) {
        const isg_spirv_function *function = &module->functions[f];
        for (uint32_t i = function->offset; i < function->end;
             i += isg_spirv_length(module->words + i)) {
            const uint32_t *inst = module->words + i;
            uint32_t at = isg_spirv_result_at(inst);
            if (at != 0 && isg_spirv_op(inst) != SpvOpFunction) {
                checker->owners[inst[at]] = f + 1;
            }
        }
    }
    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS];
         i < module->sections[ISG_SPIRV_GLOBALS + 1]; i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) == SpvOpTypeForwardPointer && inst[1] < module->id_count) {
            checker->forward[inst[1]] = 1;
        }
    }
}

/* What the blocks' check follows, and so must be whole before it. */
static bool makes_shape(uint32_t op)
{
    return isg_spirv_is_terminator(op) || op == SpvOpFunction || op == SpvOpFunctionParameter ||
           op == SpvOpLabel || op == SpvOpPhi || op == SpvOpLoopMerge || op == SpvOpSelectionMerge;
}

static isg_status check_function(isg_spirv_checker *checker, uint32_t index)
{
    const isg_spirv_module *module = checker->module;
    const isg_spirv_function *function = &module->functions[index];
    bool reachable = true;
    isg_status status = ISG_OK;

    /* Ids first: the blocks' check follows them. */
    for (uint32_t pass = 0; pass < 2 && status == ISG_OK; pass++) {
        if (pass == 1) {
            status = isg_spirv_check_blocks(checker, function);
        }
        for (uint32_t i = function->offset; status == ISG_OK && i < function->end;
             i += isg_spirv_length(module->words + i)) {
            const uint32_t *inst = module->words + i;
            if (isg_spirv_op(inst) == SpvOpLabel) {
                reachable = pass == 1 && checker->reached[inst[1]] != 0;
            }
            if (pass == 1 || makes_shape(isg_spirv_op(inst))) {
                status = check_operands(checker, i, index + 1, reachable);
            }
            if (pass == 1 && status == ISG_OK) {
                status = isg_spirv_check_typed(checker, i);
            }
        }
    }
    return status;
}

static isg_status check_all(isg_spirv_checker *checker)
{
    isg_status status;

    find_owners(checker);
    status = check_head(checker);
    for (uint32_t f = 0; status == ISG_OK && f < checker->module->function_count; f++) {
        status = check_function(checker, f);
    }
    return status == ISG_OK ? isg_spirv_check_calls(checker) : status;
}

isg_status isg_spirv_check(const isg_spirv_module *module)
{
    const isg_host_allocator *allocator = isg_spirv_allocator(module);
    size_t words = sizeof(uint32_t) * module->id_count;
    isg_spirv_checker checker = {.module = module};
    isg_status status;

    checker.owners = isg_alloc(allocator, words);
    checker.edges = isg_alloc(allocator, words);
    checker.starts = isg_alloc(allocator, words);
    checker.stamps = isg_alloc(allocator, words);
    checker.stack = isg_alloc(allocator, words);
    checker.parents = isg_alloc(allocator, sizeof(uint32_t) * module->word_count);
    checker.reached = isg_alloc(allocator, module->id_count);
    checker.forward = isg_alloc(allocator, module->id_count);
    if (checker.owners == NULL || checker.edges == NULL || checker.starts == NULL ||
        checker.stamps == NULL || checker.stack == NULL || checker.parents == NULL ||
        checker.reached == NULL || checker.forward == NULL) {
        status = isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no memory to check a module of %u ids",
                          (unsigned)module->id_count);
    } else {
        status = check_all(&checker);
    }
    isg_free(allocator, checker.owners, words);
    isg_free(allocator, checker.edges, words);
    isg_free(allocator, checker.starts, words);
    isg_free(allocator, checker.stamps, words);
    isg_free(allocator, checker.stack, words);
    isg_free(allocator, checker.parents, sizeof(uint32_t) * module->word_count);
    isg_free(allocator, checker.reached, module->id_count);
    isg_free(allocator, checker.forward, module->id_count);
    return status;
}
