/* Checks the shape of functions: blocks, branches, merges, phis, and calls without cycles. */
#include "spirv/check.h"

bool isg_spirv_is_terminator(uint32_t op)
{
    return (op >= SpvOpBranch && op <= SpvOpUnreachable) || op == SpvOpTerminateInvocation;
}

static bool is_line(uint32_t op)
{
    return op == SpvOpLine || op == SpvOpNoLine || op == SpvOpNop || op == SpvOpExtInst;
}

/* A label of the same function, and not its first block where control goes there. */
static isg_status check_label(const isg_spirv_checker *checker, uint32_t offset, uint32_t id,
                              uint32_t function, uint32_t first)
{
    const isg_spirv_module *module = checker->module;

    if (isg_spirv_def_as(module, id, SpvOpLabel) == NULL || checker->owners[id] != function) {
        return isg_spirv_invalid(module, offset,
                                 "it names id %u, which is no block of this "
                                 "function",
                                 (unsigned)id);
    }
    if (id == first) {
        return isg_spirv_invalid(module, offset, "it names the function's first block %u",
                                 (unsigned)id);
    }
    return ISG_OK;
}

/* Calls `visit` for every label a terminator branches to. */
typedef isg_status (*label_visitor)(isg_spirv_checker *checker, uint32_t offset, uint32_t label,
                                    uint32_t *context);

static isg_status for_targets(isg_spirv_checker *checker, uint32_t offset, label_visitor visit,
                              uint32_t *context)
{
    const uint32_t *inst = checker->module->words + offset;
    isg_spirv_operands it = isg_spirv_operands_of(checker->module, inst);
    uint32_t op = isg_spirv_op(inst);
    uint32_t first = op == SpvOpBranch ? 1 : 2;

    if (op != SpvOpBranch && op != SpvOpBranchConditional && op != SpvOpSwitch) {
        return ISG_OK;
    }
    while (isg_spirv_operand_next(&it)) {
        if (it.kind == ISG_SPIRV_OPERAND_ID && it.at >= first) {
            isg_status status = visit(checker, offset, inst[it.at], context);
            if (status != ISG_OK) {
                return status;
            }
        }
    }
    return ISG_OK;
}

/* context: function index + 1, first label. Counts the edge. */
static isg_status visit_check(isg_spirv_checker *checker, uint32_t offset, uint32_t label,
                              uint32_t *context)
{
    isg_status status = check_label(checker, offset, label, context[0], context[1]);
    if (status == ISG_OK) {
        checker->edges[label]++;
    }
    return status;
}

/* context: depth of the stack. */
static isg_status visit_reach(isg_spirv_checker *checker, uint32_t offset, uint32_t label,
                              uint32_t *context)
{
    (void)offset;
    if (checker->reached[label] == 0) {
        checker->reached[label] = 1;
        checker->stack[context[0]++] = label;
    }
    return ISG_OK;
}

/* The terminator of the block whose label stands at `offset`. */
static uint32_t terminator_of(const isg_spirv_module *module, uint32_t offset)
{
    while (!isg_spirv_is_terminator(isg_spirv_op(module->words + offset))) {
        offset += isg_spirv_length(module->words + offset);
    }
    return offset;
}

static void reach_blocks(isg_spirv_checker *checker, uint32_t first)
{
    const isg_spirv_module *module = checker->module;
    uint32_t depth = 1;

    checker->reached[first] = 1;
    checker->stack[0] = first;
    while (depth > 0) {
        uint32_t label = checker->stack[--depth];
        for_targets(checker, terminator_of(module, module->ids[label].offset), visit_reach, &depth);
    }
}

/* ---- the order of instructions in a function ------------------------------------------------------- */

typedef struct shape {
    uint32_t function; /* index + 1 */
    uint32_t first;    /* label of the first block; 0: none yet */
    uint32_t label;    /* of the block at hand; 0: between blocks */
    bool body;         /* past the block's phis */
    bool code;         /* past the first block's variables */
    uint32_t merge;    /* word of a merge instruction that waits for its branch; 0: none */
} shape;

static isg_status check_parameter(const isg_spirv_module *module, uint32_t offset,
                                  const uint32_t *type, uint32_t number)
{
    const uint32_t *inst = module->words + offset;
    if (number + 3 >= isg_spirv_length(type) || type[3 + number] != inst[1]) {
        return isg_spirv_invalid(module, offset,
                                 "parameter %u is not what the function's type "
                                 "says",
                                 (unsigned)number);
    }
    return ISG_OK;
}

/* OpFunction and its parameters; *offset ends at the first label, or at OpFunctionEnd. */
static isg_status check_signature(const isg_spirv_module *module, uint32_t *offset)
{
    const uint32_t *inst = module->words + *offset;
    const uint32_t *type = isg_spirv_def_as(module, inst[4], SpvOpTypeFunction);
    uint32_t count = 0;

    if (type == NULL || type[2] != inst[1]) {
        return isg_spirv_invalid(module, *offset,
                                 "its type %u is no function type that returns "
                                 "its result type",
                                 (unsigned)inst[4]);
    }
    uint32_t start = *offset;
    *offset += isg_spirv_length(inst);
    for (;; *offset += isg_spirv_length(inst)) {
        inst = module->words + *offset;
        uint32_t op = isg_spirv_op(inst);
        if (op == SpvOpFunctionParameter) {
            isg_status status = check_parameter(module, *offset, type, count++);
            if (status != ISG_OK) {
                return status;
            }
        } else if (!is_line(op)) {
            break;
        }
    }
    if (count + 3 != isg_spirv_length(type)) {
        return isg_spirv_invalid(module, start, "it has %u parameters, its type %u",
                                 (unsigned)count, (unsigned)isg_spirv_length(type) - 3);
    }
    return ISG_OK;
}

static isg_status check_merge(const isg_spirv_checker *checker, uint32_t offset, shape *at)
{
    const uint32_t *inst = checker->module->words + offset;
    isg_status status = check_label(checker, offset, inst[1], at->function, at->first);

    if (status == ISG_OK && isg_spirv_op(inst) == SpvOpLoopMerge) {
        status = check_label(checker, offset, inst[2], at->function, at->first);
        if (status == ISG_OK && inst[1] == inst[2]) {
            return isg_spirv_invalid(checker->module, offset,
                                     "the loop's merge block is its "
                                     "continue target too");
        }
    }
    at->merge = offset;
    return status;
}

static isg_status check_place(isg_spirv_checker *checker, uint32_t offset, shape *at)
{
    const isg_spirv_module *module = checker->module;
    const uint32_t *inst = module->words + offset;
    uint32_t op = isg_spirv_op(inst);

    if (op == SpvOpLabel) {
        if (at->label != 0) {
            return isg_spirv_invalid(module, offset, "block %u has no branch or return before it",
                                     (unsigned)at->label);
        }
        at->label = inst[1];
        at->first = at->first == 0 ? inst[1] : at->first;
        at->body = false;
        at->code = at->first != inst[1];
        return ISG_OK;
    }
    if (is_line(op) && op != SpvOpExtInst) {
        return ISG_OK;
    }
    if (at->label == 0) {
        return op == SpvOpExtInst ? ISG_OK
                                  : isg_spirv_invalid(module, offset, "it stands outside a block");
    }
    if (op == SpvOpPhi && (at->body || at->label == at->first)) {
        return isg_spirv_invalid(module, offset,
                                 "it does not stand at the start of a block that "
                                 "others branch to");
    }
    if (op == SpvOpVariable && at->code) {
        return isg_spirv_invalid(module, offset,
                                 "it does not stand at the start of the function's "
                                 "first block");
    }
    at->body = at->body || (op != SpvOpPhi && op != SpvOpExtInst);
    at->code = at->code || (op != SpvOpVariable && op != SpvOpExtInst && op != SpvOpUndef);
    if (at->merge != 0 && op != SpvOpBranch && op != SpvOpBranchConditional && op != SpvOpSwitch) {
        return isg_spirv_invalid(module, at->merge, "no branch follows it");
    }
    if (op == SpvOpLoopMerge || op == SpvOpSelectionMerge) {
        return check_merge(checker, offset, at);
    }
    if (isg_spirv_is_terminator(op)) {
        uint32_t context[2] = {at->function, at->first};
        at->label = 0;
        at->merge = 0;
        return for_targets(checker, offset, visit_check, context);
    }
    if (op == SpvOpFunctionParameter) {
        return isg_spirv_invalid(module, offset, "it does not stand at the function's start");
    }
    return ISG_OK;
}

/* ---- phis ---------------------------------------------------------------------------------------------- */

/* context: the block that branches. */
static isg_status visit_parent(isg_spirv_checker *checker, uint32_t offset, uint32_t label,
                               uint32_t *context)
{
    (void)offset;
    checker->parents[checker->starts[label]++] = context[0];
    return ISG_OK;
}

/* Lists each block's parents, so that phis are checked in linear time. */
static void list_parents(isg_spirv_checker *checker, const isg_spirv_function *function)
{
    const isg_spirv_module *module = checker->module;
    uint32_t total = 0;
    uint32_t label = 0;

    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = function->offset; i < function->end;
             i += isg_spirv_length(module->words + i)) {
            const uint32_t *inst = module->words + i;
            if (isg_spirv_op(inst) == SpvOpLabel) {
                label = inst[1];
                if (pass == 0) {
                    checker->starts[label] = total;
                    total += checker->edges[label];
                }
            } else if (pass == 1 && isg_spirv_is_terminator(isg_spirv_op(inst))) {
                for_targets(checker, i, visit_parent, &label);
            }
        }
    }
}

static isg_status check_phi(const isg_spirv_checker *checker, uint32_t offset, uint32_t label)
{
    const isg_spirv_module *module = checker->module;
    const uint32_t *inst = module->words + offset;
    uint32_t pairs = (isg_spirv_length(inst) - 3) / 2;

    if (pairs > checker->edges[label]) {
        return isg_spirv_invalid(module, offset, "it has %u values, its block %u predecessors",
                                 (unsigned)pairs, (unsigned)checker->edges[label]);
    }
    for (uint32_t i = 3; i + 1 < isg_spirv_length(inst); i += 2) {
        if (checker->stamps[inst[i + 1]] != label) {
            return isg_spirv_invalid(module, offset, "its parent %u does not branch to its block",
                                     (unsigned)inst[i + 1]);
        }
        if (isg_spirv_type_of(module, inst[i]) != inst[1]) {
            return isg_spirv_invalid(module, offset, "its value %u has another type",
                                     (unsigned)inst[i]);
        }
    }
    return ISG_OK;
}

static isg_status check_phis(isg_spirv_checker *checker, const isg_spirv_function *function)
{
    const isg_spirv_module *module = checker->module;
    uint32_t label = 0;
    bool stamped = false;
    isg_status status = ISG_OK;

    list_parents(checker, function);
    for (uint32_t i = function->offset; status == ISG_OK && i < function->end;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) == SpvOpLabel) {
            label = inst[1];
            stamped = false;
        } else if (isg_spirv_op(inst) == SpvOpPhi) {
            for (uint32_t k = 1; !stamped && k <= checker->edges[label]; k++) {
                checker->stamps[checker->parents[checker->starts[label] - k]] = label;
            }
            stamped = true;
            status = check_phi(checker, i, label);
        }
    }
    return status;
}

isg_status isg_spirv_check_blocks(isg_spirv_checker *checker, const isg_spirv_function *function)
{
    const isg_spirv_module *module = checker->module;
    uint32_t index = (uint32_t)(function - module->functions) + 1;
    uint32_t offset = function->offset;
    shape at = {.function = index};
    isg_status status = check_signature(module, &offset);

    if (status == ISG_OK && isg_spirv_op(module->words + offset) == SpvOpFunctionEnd) {
        return isg_spirv_invalid(module, function->offset,
                                 "the function has no body; link the "
                                 "module first");
    }
    for (; status == ISG_OK && isg_spirv_op(module->words + offset) != SpvOpFunctionEnd;
         offset += isg_spirv_length(module->words + offset)) {
        status = check_place(checker, offset, &at);
    }
    if (status == ISG_OK && at.label != 0) {
        status = isg_spirv_invalid(module, offset, "block %u has no branch or return before it",
                                   (unsigned)at.label);
    }
    if (status == ISG_OK) {
        reach_blocks(checker, at.first);
        status = check_phis(checker, function);
    }
    return status;
}

/* ---- calls ---------------------------------------------------------------------------------------------- */

/* Functions that are called, once counted for each call; those no caller is left of are taken away
 * until nothing changes. What stays calls itself. */
isg_status isg_spirv_check_calls(isg_spirv_checker *checker)
{
    const isg_spirv_module *module = checker->module;
    uint32_t depth = 0;
    uint32_t left = module->function_count;

    for (uint32_t f = 0; f < module->function_count; f++) {
        checker->edges[module->functions[f].id] = 0;
    }
    for (uint32_t i = module->sections[ISG_SPIRV_FUNCTIONS]; i < module->word_count;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) == SpvOpFunctionCall) {
            checker->edges[inst[3]]++;
        }
    }
    for (uint32_t f = 0; f < module->function_count; f++) {
        if (checker->edges[module->functions[f].id] == 0) {
            checker->stack[depth++] = f;
        }
    }
    while (depth > 0) {
        const isg_spirv_function *function = &module->functions[checker->stack[--depth]];
        left--;
        for (uint32_t i = function->offset; i < function->end;
             i += isg_spirv_length(module->words + i)) {
            const uint32_t *inst = module->words + i;
            if (isg_spirv_op(inst) == SpvOpFunctionCall && --checker->edges[inst[3]] == 0) {
                checker->stack[depth++] = isg_spirv_function_index(module, inst[3]);
            }
        }
    }
    for (uint32_t f = 0; left > 0 && f < module->function_count; f++) {
        if (checker->edges[module->functions[f].id] != 0) {
            return isg_spirv_invalid(module, module->functions[f].offset,
                                     "function %u calls itself, through others or not; Vulkan has "
                                     "no recursion",
                                     (unsigned)module->functions[f].id);
        }
    }
    return ISG_OK;
}
