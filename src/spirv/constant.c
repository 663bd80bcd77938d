/* Evaluates scalar constants and the operations that specialisation constants allow. */
#include "spirv/module.h"

static uint64_t truncate_to(uint64_t value, uint32_t width, bool is_signed)
{
    if (width >= 64) {
        return value;
    }
    uint64_t mask = (UINT64_C(1) << width) - 1;
    value &= mask;
    if (is_signed && (value >> (width - 1) & 1u) != 0) {
        value |= ~mask;
    }
    return value;
}

/* Width and signedness of a scalar type; bool: 1 bit, unsigned. False: no such type. */
static bool scalar_of(const isg_spirv_module *module, uint32_t type, uint32_t *width,
                      bool *is_signed)
{
    const uint32_t *inst = isg_spirv_def(module, type);

    *is_signed = false;
    if (inst == NULL) {
        return false;
    }
    switch (isg_spirv_op(inst)) {
    case SpvOpTypeBool:
        *width = 1;
        return true;
    case SpvOpTypeInt:
        *is_signed = inst[3] != 0;
        *width = inst[2];
        return *width == 8 || *width == 16 || *width == 32 || *width == 64;
    case SpvOpTypeFloat:
        *width = inst[2];
        return *width == 16 || *width == 32 || *width == 64;
    default:
        return false;
    }
}

static bool divide(SpvOp op, uint64_t a, uint64_t b, uint64_t *out)
{
    int64_t x = (int64_t)a;
    int64_t y = (int64_t)b;

    if (b == 0 || (y == -1 && (op == SpvOpSDiv || op == SpvOpSRem || op == SpvOpSMod))) {
        /* -x, wrapping; nothing remains. Division by zero is left to the pass that defines it. */
        *out = op == SpvOpSDiv ? 0 - a : 0;
        return b != 0;
    }
    switch (op) {
    case SpvOpUDiv:
        *out = a / b;
        return true;
    case SpvOpUMod:
        *out = a % b;
        return true;
    case SpvOpSDiv:
        *out = (uint64_t)(x / y);
        return true;
    case SpvOpSRem:
        *out = (uint64_t)(x % y);
        return true;
    default: {
        int64_t r = x % y;
        *out = (uint64_t)(r != 0 && (r < 0) != (y < 0) ? r + y : r);
        return true;
    }
    }
}

static bool compare(SpvOp op, uint64_t a, uint64_t b)
{
    int64_t x = (int64_t)a;
    int64_t y = (int64_t)b;

    switch (op) {
    case SpvOpIEqual:
    case SpvOpLogicalEqual:
        return a == b;
    case SpvOpINotEqual:
    case SpvOpLogicalNotEqual:
        return a != b;
    case SpvOpUGreaterThan:
        return a > b;
    case SpvOpUGreaterThanEqual:
        return a >= b;
    case SpvOpULessThan:
        return a < b;
    case SpvOpULessThanEqual:
        return a <= b;
    case SpvOpSGreaterThan:
        return x > y;
    case SpvOpSGreaterThanEqual:
        return x >= y;
    case SpvOpSLessThan:
        return x < y;
    default:
        return x <= y;
    }
}

static bool shift(SpvOp op, uint32_t width, uint64_t a, uint64_t b, uint64_t *out)
{
    if (b >= width) {
        return false;
    }
    if (op == SpvOpShiftLeftLogical) {
        *out = a << b;
    } else if (op == SpvOpShiftRightLogical) {
        *out = truncate_to(a, width, false) >> b;
    } else {
        uint64_t value = truncate_to(a, width, true);
        *out = value >> b;
        if (b > 0 && (value >> 63) != 0) {
            *out |= ~UINT64_C(0) << (64 - b);
        }
    }
    return true;
}

static bool fold_two(SpvOp op, uint32_t width, uint64_t a, uint64_t b, uint64_t *out)
{
    switch (op) {
    case SpvOpIAdd:
        *out = a + b;
        return true;
    case SpvOpISub:
        *out = a - b;
        return true;
    case SpvOpIMul:
        *out = a * b;
        return true;
    case SpvOpUDiv:
    case SpvOpUMod:
    case SpvOpSDiv:
    case SpvOpSRem:
    case SpvOpSMod:
        return divide(op, a, b, out);
    case SpvOpBitwiseAnd:
    case SpvOpLogicalAnd:
        *out = a & b;
        return true;
    case SpvOpBitwiseOr:
    case SpvOpLogicalOr:
        *out = a | b;
        return true;
    case SpvOpBitwiseXor:
        *out = a ^ b;
        return true;
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        return shift(op, width, a, b, out);
    case SpvOpIEqual:
    case SpvOpINotEqual:
    case SpvOpLogicalEqual:
    case SpvOpLogicalNotEqual:
    case SpvOpUGreaterThan:
    case SpvOpUGreaterThanEqual:
    case SpvOpULessThan:
    case SpvOpULessThanEqual:
    case SpvOpSGreaterThan:
    case SpvOpSGreaterThanEqual:
    case SpvOpSLessThan:
    case SpvOpSLessThanEqual:
        *out = compare(op, a, b) ? 1 : 0;
        return true;
    default:
        return false;
    }
}

static bool reads_signed(SpvOp op)
{
    switch (op) {
    case SpvOpSDiv:
    case SpvOpSRem:
    case SpvOpSMod:
    case SpvOpSConvert:
    case SpvOpSGreaterThan:
    case SpvOpSGreaterThanEqual:
    case SpvOpSLessThan:
    case SpvOpSLessThanEqual:
        return true;
    default:
        return false;
    }
}

bool isg_spirv_fold(SpvOp op, uint32_t width, bool is_signed, const uint64_t *operands,
                    uint32_t count, uint64_t *out)
{
    uint64_t values[3] = {0, 0, 0};

    (void)is_signed;
    if (count == 0 || count > 3) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        /* Shift counts are unsigned, and so is the condition of a select. */
        values[i] = truncate_to(operands[i], i == 0 || count == 2 ? width : 64, reads_signed(op));
    }
    switch (op) {
    case SpvOpSNegate:
        *out = 0 - values[0];
        return true;
    case SpvOpNot:
        *out = ~values[0];
        return true;
    case SpvOpLogicalNot:
        *out = values[0] ^ 1u;
        return true;
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpCopyObject:
        *out = values[0];
        return true;
    case SpvOpSelect:
        *out = (operands[0] & 1u) != 0 ? operands[1] : operands[2];
        return count == 3;
    default:
        return count == 2 && fold_two(op, width, values[0], values[1], out);
    }
}

static bool evaluate_operation(const isg_spirv_module *module, const uint32_t *inst, uint64_t *out)
{
    uint64_t values[3];
    uint32_t count = isg_spirv_length(inst) - 4;
    uint32_t width = 0;
    bool is_signed = false;

    if (count == 0 || count > 3) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!isg_spirv_constant_value(module, inst[4 + i], &values[i])) {
            return false;
        }
    }
    /* The operands' width, not the result's: comparisons give a boolean, conversions another. */
    uint32_t typed = isg_spirv_type_of(module, inst[4]);
    const uint32_t *type = isg_spirv_def(module, typed);
    if (type == NULL || isg_spirv_op(type) == SpvOpTypeFloat ||
        !scalar_of(module, typed, &width, &is_signed)) {
        return false;
    }
    return isg_spirv_fold((SpvOp)inst[3], width, is_signed, values, count, out);
}

bool isg_spirv_evaluate(const isg_spirv_module *module, const uint32_t *inst, uint64_t *out)
{
    uint32_t width = 0;
    bool is_signed = false;
    uint32_t length = isg_spirv_length(inst);

    *out = 0;
    if (!scalar_of(module, inst[1], &width, &is_signed)) {
        return false;
    }
    switch (isg_spirv_op(inst)) {
    case SpvOpConstantTrue:
    case SpvOpSpecConstantTrue:
        *out = 1;
        return true;
    case SpvOpConstantFalse:
    case SpvOpSpecConstantFalse:
    case SpvOpConstantNull:
        return true;
    case SpvOpConstant:
    case SpvOpSpecConstant:
        *out = inst[3] | (length > 4 ? (uint64_t)inst[4] << 32 : 0);
        break;
    case SpvOpSpecConstantOp:
        if (length < 5 || !evaluate_operation(module, inst, out)) {
            return false;
        }
        break;
    default:
        return false;
    }
    *out = truncate_to(*out, width, is_signed);
    return true;
}

bool isg_spirv_constant_value(const isg_spirv_module *module, uint32_t id, uint64_t *out)
{
    *out = 0;
    const uint32_t *inst = isg_spirv_def(module, id);
    if (inst == NULL || !isg_spirv_is_scalar_constant(isg_spirv_op(inst))) {
        return false;
    }
    const isg_spirv_constant *constant = &module->constants[module->ids[id].slot];
    *out = constant->value;
    return constant->known;
}
