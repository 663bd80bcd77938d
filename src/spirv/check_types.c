/* Checks types, constants and variables, and that instructions get operands of the types they need. */
#include "spirv/check.h"

static bool is(const isg_spirv_module *module, uint32_t id, SpvOp op)
{
    return isg_spirv_def_as(module, id, op) != NULL;
}

static bool is_scalar(const isg_spirv_module *module, uint32_t id)
{
    return is(module, id, SpvOpTypeBool) || is(module, id, SpvOpTypeInt) ||
           is(module, id, SpvOpTypeFloat);
}

static bool is_type(const isg_spirv_module *module, uint32_t id)
{
    return isg_spirv_type_info(module, id) != NULL;
}

/* What values and memory may be made of. */
static bool is_data(const isg_spirv_module *module, uint32_t id)
{
    return is_type(module, id) && !is(module, id, SpvOpTypeVoid) &&
           !is(module, id, SpvOpTypeFunction);
}

static bool is_constant(uint32_t op)
{
    return op >= SpvOpConstantTrue && op <= SpvOpSpecConstantOp;
}

/* ---- globals ------------------------------------------------------------------------------------------ */

static const char *type_fault(const isg_spirv_checker *checker, const uint32_t *inst)
{
    const isg_spirv_module *module = checker->module;
    uint64_t length = 0;

    switch (isg_spirv_op(inst)) {
    case SpvOpTypeInt:
        return (inst[2] == 8 || inst[2] == 16 || inst[2] == 32 || inst[2] == 64) && inst[3] < 2
                   ? NULL
                   : "integers have 8, 16, 32 or 64 bits and signedness 0 or 1";
    case SpvOpTypeFloat:
        return inst[2] == 16 || inst[2] == 32 || inst[2] == 64 ? NULL
                                                               : "floats have 16, 32 or 64 bits";
    case SpvOpTypeVector:
        return is_scalar(module, inst[2]) && inst[3] >= 2 && inst[3] <= 4
                   ? NULL
                   : "vectors have 2 to 4 scalars";
    case SpvOpTypeMatrix: {
        const uint32_t *column = isg_spirv_def_as(module, inst[2], SpvOpTypeVector);
        return column != NULL && is(module, column[2], SpvOpTypeFloat) && inst[3] >= 2 &&
                       inst[3] <= 4
                   ? NULL
                   : "matrices have 2 to 4 columns that are vectors of floats";
    }
    case SpvOpTypeArray: {
        const uint32_t *count = isg_spirv_def(module, inst[3]);
        bool integer =
            count != NULL && is_constant(isg_spirv_op(count)) && is(module, count[1], SpvOpTypeInt);
        bool known = integer && isg_spirv_constant_value(module, inst[3], &length);
        return is_data(module, inst[2]) && integer && (!known || length > 0)
                   ? NULL
                   : "arrays have elements, and a constant number of them above 0";
    }
    case SpvOpTypeRuntimeArray:
        return is_data(module, inst[2]) ? NULL : "arrays have elements";
    case SpvOpTypeStruct:
        for (uint32_t i = 2; i < isg_spirv_length(inst); i++) {
            bool later = checker->forward[inst[i]] != 0 && is(module, inst[i], SpvOpTypePointer);
            if (!later && !is_data(module, inst[i])) {
                return "a member has no type that data can have";
            }
        }
        return NULL;
    case SpvOpTypePointer:
        return is_type(module, inst[3]) ? NULL : "pointers point at a type";
    case SpvOpTypeForwardPointer:
        return is(module, inst[1], SpvOpTypePointer) ? NULL : "it announces no pointer type";
    case SpvOpTypeFunction:
        for (uint32_t i = 2; i < isg_spirv_length(inst); i++) {
            if (!is_type(module, inst[i]) || (i > 2 && is(module, inst[i], SpvOpTypeVoid))) {
                return "a parameter or result has no type";
            }
        }
        return NULL;
    case SpvOpTypeImage:
        return is_type(module, inst[2]) && inst[3] <= SpvDimSubpassData && inst[7] <= 2
                   ? NULL
                   : "its sampled type, dimensions or use are none of Vulkan's";
    case SpvOpTypeSampledImage:
        return is(module, inst[2], SpvOpTypeImage) ? NULL : "it is made of no image type";
    default:
        return NULL;
    }
}

/* Constituents of a composite type; 0: none. */
static uint64_t part_count(const isg_spirv_module *module, const uint32_t *type)
{
    uint64_t length = 0;

    switch (isg_spirv_op(type)) {
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
        return type[3];
    case SpvOpTypeArray:
        return isg_spirv_constant_value(module, type[3], &length) ? length : 0;
    case SpvOpTypeStruct:
        return isg_spirv_length(type) - 2;
    default:
        return 0;
    }
}

static uint32_t part_type(const uint32_t *type, uint32_t index)
{
    return isg_spirv_op(type) == SpvOpTypeStruct ? type[2 + index] : type[2];
}

static const char *composite_fault(const isg_spirv_module *module, const uint32_t *inst)
{
    const uint32_t *type = isg_spirv_def(module, inst[1]);
    uint32_t count = isg_spirv_length(inst) - 3;

    if (type == NULL || part_count(module, type) != count) {
        return "its parts are not as many as its type has";
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *part = isg_spirv_def(module, inst[3 + i]);
        bool fits =
            part != NULL && (is_constant(isg_spirv_op(part)) || isg_spirv_op(part) == SpvOpUndef);
        if (!fits || part[1] != part_type(type, i)) {
            return "a part is no constant of the type it must have";
        }
    }
    return NULL;
}

static const char *constant_fault(const isg_spirv_module *module, const uint32_t *inst)
{
    switch (isg_spirv_op(inst)) {
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
        return is(module, inst[1], SpvOpTypeBool) ? NULL : "its type is not boolean";
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        return composite_fault(module, inst);
    case SpvOpConstantNull:
        return is_data(module, inst[1]) ? NULL : "its type has no null";
    case SpvOpSpecConstantOp:
        if (isg_spirv_length(inst) < 5) {
            return "it has no operands";
        }
        for (uint32_t i = 4; i < isg_spirv_length(inst) && inst[3] != SpvOpCompositeExtract &&
                             inst[3] != SpvOpCompositeInsert && inst[3] != SpvOpVectorShuffle;
             i++) {
            const uint32_t *operand = isg_spirv_def(module, inst[i]);
            uint32_t op = operand != NULL ? isg_spirv_op(operand) : 0;
            if (!is_constant(op) && op != SpvOpUndef && op != SpvOpVariable) {
                return "an operand is no constant";
            }
        }
        return NULL;
    default:
        return NULL;
    }
}

static const char *variable_fault(const isg_spirv_module *module, const uint32_t *inst, bool global)
{
    const uint32_t *type = isg_spirv_def_as(module, inst[1], SpvOpTypePointer);

    if (type == NULL || type[2] != inst[3]) {
        return "its type is no pointer of its storage class";
    }
    if (!is_data(module, type[3])) {
        return "its memory has no type that data can have";
    }
    if ((inst[3] == SpvStorageClassFunction) == global) {
        return global ? "it is a function's, outside functions" : "it is no function's, inside one";
    }
    return NULL;
}

isg_status isg_spirv_check_global(const isg_spirv_checker *checker, uint32_t offset)
{
    const isg_spirv_module *module = checker->module;
    const uint32_t *inst = module->words + offset;
    uint32_t op = isg_spirv_op(inst);
    const char *fault = is_constant(op)       ? constant_fault(module, inst)
                        : op == SpvOpVariable ? variable_fault(module, inst, true)
                                              : type_fault(checker, inst);

    return fault == NULL ? ISG_OK : isg_spirv_invalid(module, offset, "%s", fault);
}

/* ---- instructions of functions ---------------------------------------------------------------------- */

static const uint32_t *pointer_type(const isg_spirv_module *module, uint32_t pointer)
{
    return isg_spirv_def_as(module, isg_spirv_type_of(module, pointer), SpvOpTypePointer);
}

static const char *chain_fault(const isg_spirv_module *module, const uint32_t *inst, uint32_t first)
{
    const uint32_t *base = pointer_type(module, inst[3]);
    const uint32_t *result = isg_spirv_def_as(module, inst[1], SpvOpTypePointer);

    if (base == NULL || result == NULL || base[2] != result[2]) {
        return "its base or result is no pointer of one storage class";
    }
    uint32_t type = base[3];
    for (uint32_t i = first; i < isg_spirv_length(inst); i++) {
        const uint32_t *at = isg_spirv_def(module, type);
        uint32_t op = at != NULL ? isg_spirv_op(at) : 0;
        uint64_t index = 0;
        if (!is(module, isg_spirv_type_of(module, inst[i]), SpvOpTypeInt)) {
            return "an index is no integer";
        }
        if (op == SpvOpTypeStruct) {
            if (!is(module, inst[i], SpvOpConstant) ||
                !isg_spirv_constant_value(module, inst[i], &index) ||
                index >= isg_spirv_length(at) - 2) {
                return "a struct is indexed by no constant below its number of members";
            }
            type = at[2 + index];
        } else if (op == SpvOpTypeArray || op == SpvOpTypeRuntimeArray || op == SpvOpTypeVector ||
                   op == SpvOpTypeMatrix) {
            type = at[2];
        } else {
            return "it indexes what has no parts";
        }
    }
    return type == result[3] ? NULL : "it leads to another type than its result points at";
}

static const char *call_fault(const isg_spirv_module *module, const uint32_t *inst)
{
    const uint32_t *function = isg_spirv_def_as(module, inst[3], SpvOpFunction);
    const uint32_t *type =
        function != NULL ? isg_spirv_def_as(module, function[4], SpvOpTypeFunction) : NULL;

    if (type == NULL || type[2] != inst[1]) {
        return "it calls no function, or one with another result";
    }
    if (isg_spirv_length(type) - 3 != isg_spirv_length(inst) - 4) {
        return "its arguments are not as many as the function's parameters";
    }
    for (uint32_t i = 4; i < isg_spirv_length(inst); i++) {
        if (isg_spirv_type_of(module, inst[i]) != type[i - 1]) {
            return "an argument has another type than the parameter";
        }
    }
    return NULL;
}

static const char *memory_fault(const isg_spirv_module *module, const uint32_t *inst)
{
    uint32_t op = isg_spirv_op(inst);
    const uint32_t *type = pointer_type(module, inst[op == SpvOpLoad ? 3 : 1]);

    if (type == NULL) {
        return "it goes through no pointer";
    }
    if (op == SpvOpLoad) {
        return type[3] == inst[1] ? NULL : "its result is not of the type pointed at";
    }
    if (op == SpvOpStore) {
        return type[3] == isg_spirv_type_of(module, inst[2])
                   ? NULL
                   : "the value is not of the type pointed at";
    }
    return pointer_type(module, inst[2]) != NULL ? NULL : "it goes through no pointer";
}

/* Scalars of the same kind and width, and as many. `type` of an operand; 0: it has none. */
static bool same_shape(const isg_spirv_module *module, uint32_t a, uint32_t b)
{
    const uint32_t *x = isg_spirv_def(module, a);
    const uint32_t *y = isg_spirv_def(module, b);

    if (a == b) {
        return x != NULL;
    }
    if (x == NULL || y == NULL || isg_spirv_op(x) != isg_spirv_op(y)) {
        return false;
    }
    if (isg_spirv_op(x) == SpvOpTypeVector) {
        return x[3] == y[3] && same_shape(module, x[2], y[2]);
    }
    return isg_spirv_op(x) == SpvOpTypeInt && x[2] == y[2];
}

static bool is_made_of(const isg_spirv_module *module, uint32_t type, SpvOp scalar)
{
    const uint32_t *vector = isg_spirv_def_as(module, type, SpvOpTypeVector);
    return is(module, vector != NULL ? vector[2] : type, scalar);
}

static const char *arithmetic_fault(const isg_spirv_module *module, const uint32_t *inst,
                                    SpvOp scalar)
{
    if (!is_made_of(module, inst[1], scalar)) {
        return "its result is of the wrong kind";
    }
    for (uint32_t i = 3; i < isg_spirv_length(inst); i++) {
        if (!same_shape(module, inst[1], isg_spirv_type_of(module, inst[i]))) {
            return "an operand has another type than the result";
        }
    }
    return NULL;
}

/* Every operand that is a value has a type: no function, label or type is computed with. */
static const char *value_fault(const isg_spirv_module *module, const uint32_t *inst)
{
    isg_spirv_operands it = isg_spirv_operands_of(module, inst);
    uint32_t op = isg_spirv_op(inst);

    if (isg_spirv_result_at(inst) != 2 || op == SpvOpPhi || op == SpvOpFunction ||
        op == SpvOpExtInst || op == SpvOpFunctionCall || op == 4433) {
        return NULL;
    }
    while (isg_spirv_operand_next(&it)) {
        if (it.kind == ISG_SPIRV_OPERAND_ID && isg_spirv_type_of(module, inst[it.at]) == 0) {
            return "an operand is no value";
        }
    }
    return NULL;
}

static const char *typed_fault(const isg_spirv_module *module, const uint32_t *inst)
{
    uint32_t op = isg_spirv_op(inst);

    switch (op) {
    case SpvOpVariable:
        return variable_fault(module, inst, false);
    case SpvOpLoad:
    case SpvOpStore:
    case SpvOpCopyMemory:
        return memory_fault(module, inst);
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        return chain_fault(module, inst, 4);
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        return chain_fault(module, inst, 5);
    case SpvOpFunctionCall:
        return call_fault(module, inst);
    case SpvOpFNegate:
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpFDiv:
    case SpvOpFRem:
    case SpvOpFMod:
        return arithmetic_fault(module, inst, SpvOpTypeFloat);
    case SpvOpSNegate:
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpSRem:
    case SpvOpSMod:
    case SpvOpNot:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
        return arithmetic_fault(module, inst, SpvOpTypeInt);
    case SpvOpBranchConditional:
        return is(module, isg_spirv_type_of(module, inst[1]), SpvOpTypeBool)
                   ? NULL
                   : "its condition is not boolean";
    case SpvOpSwitch:
        return is(module, isg_spirv_type_of(module, inst[1]), SpvOpTypeInt)
                   ? NULL
                   : "its selector is no integer";
    case SpvOpExtInst:
        return is(module, inst[3], SpvOpExtInstImport) ? NULL : "its set is not imported";
    default:
        return value_fault(module, inst);
    }
}

isg_status isg_spirv_check_typed(const isg_spirv_checker *checker, uint32_t offset)
{
    const char *fault = typed_fault(checker->module, checker->module->words + offset);
    return fault == NULL ? ISG_OK : isg_spirv_invalid(checker->module, offset, "%s", fault);
}
