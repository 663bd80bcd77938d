/* Rewrites integer instructions that are undefined for some operands: shifts, division, and
 * conversions from floats. docs/exactness.md has the table. */
#include "spirv/exact.h"

static uint32_t int_width(const isg_spirv_exact *exact, uint32_t type)
{
    const uint32_t *inst = isg_spirv_edit_type(&exact->editor, isg_spirv_exact_scalar(exact, type));
    return inst != NULL && isg_spirv_op(inst) == SpvOpTypeInt ? inst[2] : 0;
}

static uint32_t bools_like(isg_spirv_exact *exact, uint32_t type)
{
    return isg_spirv_exact_shape(exact, isg_spirv_edit_bool(&exact->editor), type);
}

typedef bool (*constant_test)(uint64_t value, uint32_t width);

/* Every component of `id` is a plain constant that passes the test. */
static bool all_constant(const isg_spirv_exact *exact, uint32_t id, uint32_t width,
                         constant_test test)
{
    const uint32_t *inst = isg_spirv_def(exact->module, id);
    uint64_t value = 0;

    if (inst == NULL) {
        return false;
    }
    if (isg_spirv_op(inst) == SpvOpConstantComposite) {
        for (uint32_t i = 3; i < isg_spirv_length(inst); i++) {
            const uint32_t *part = isg_spirv_def(exact->module, inst[i]);
            if (part == NULL || isg_spirv_op(part) != SpvOpConstant ||
                !isg_spirv_constant_value(exact->module, inst[i], &value) || !test(value, width)) {
                return false;
            }
        }
        return true;
    }
    return isg_spirv_op(inst) == SpvOpConstant &&
           isg_spirv_constant_value(exact->module, id, &value) && test(value, width);
}

static bool below_width(uint64_t value, uint32_t width)
{
    return value < width;
}

static bool safe_unsigned_divisor(uint64_t value, uint32_t width)
{
    (void)width;
    return value != 0;
}

static bool safe_signed_divisor(uint64_t value, uint32_t width)
{
    uint64_t mask = width >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
    return (value & mask) != 0 && (value & mask) != mask;
}

/* ---- shifts ------------------------------------------------------------------------------------ */

static bool shift(isg_spirv_exact *exact, const uint32_t *inst)
{
    isg_spirv_editor *editor = &exact->editor;
    SpvOp op = (SpvOp)isg_spirv_op(inst);
    uint32_t width = int_width(exact, inst[1]);
    uint32_t count_type = isg_spirv_type_of(exact->module, inst[4]);

    if (width == 0 || int_width(exact, count_type) == 0 ||
        isg_spirv_exact_count(exact, count_type) != isg_spirv_exact_count(exact, inst[1]) ||
        all_constant(exact, inst[4], width, below_width)) {
        return false;
    }
    uint32_t last = isg_spirv_edit_splat(editor, count_type, width - 1);
    uint32_t inside =
        ISG_SPIRV_EMIT(editor, SpvOpULessThanEqual, bools_like(exact, inst[1]), 0, inst[4], last);
    uint32_t count = isg_spirv_exact_select(exact, count_type, 0, inside, inst[4], last);
    if (op == SpvOpShiftRightArithmetic) {
        ISG_SPIRV_EMIT(editor, op, inst[1], inst[2], inst[3], count);
        return true;
    }
    uint32_t shifted = ISG_SPIRV_EMIT(editor, op, inst[1], 0, inst[3], count);
    isg_spirv_exact_select(exact, inst[1], inst[2], inside, shifted,
                           isg_spirv_edit_splat(editor, inst[1], 0));
    return true;
}

/* ---- division ---------------------------------------------------------------------------------- */

typedef struct division {
    uint32_t type, bools;
    uint32_t x, y;
    uint32_t zero, unit, ones;
    uint32_t by_zero;  /* y == 0 */
    uint32_t by_minus; /* y == -1; 0 in unsigned ones */
    uint32_t divisor;  /* y, or 1 where the quotient is undefined */
} division;

static uint32_t same_type(isg_spirv_exact *exact, uint32_t type, uint32_t id)
{
    return isg_spirv_type_of(exact->module, id) == type
               ? id
               : ISG_SPIRV_EMIT(&exact->editor, SpvOpBitcast, type, 0, id);
}

static division prepare(isg_spirv_exact *exact, const uint32_t *inst, bool is_signed)
{
    isg_spirv_editor *editor = &exact->editor;
    division d = {.type = inst[1], .bools = bools_like(exact, inst[1])};

    d.x = same_type(exact, d.type, inst[3]);
    d.y = same_type(exact, d.type, inst[4]);
    d.zero = isg_spirv_edit_splat(editor, d.type, 0);
    d.unit = isg_spirv_edit_splat(editor, d.type, 1);
    d.ones = isg_spirv_edit_splat(editor, d.type, UINT64_MAX);
    d.by_zero = ISG_SPIRV_EMIT(editor, SpvOpIEqual, d.bools, 0, d.y, d.zero);
    uint32_t undefined = d.by_zero;
    if (is_signed) {
        d.by_minus = ISG_SPIRV_EMIT(editor, SpvOpIEqual, d.bools, 0, d.y, d.ones);
        undefined = ISG_SPIRV_EMIT(editor, SpvOpLogicalOr, d.bools, 0, d.by_zero, d.by_minus);
    }
    d.divisor = isg_spirv_exact_select(exact, d.type, 0, undefined, d.unit, d.y);
    return d;
}

/* x / 0 = all ones, INT_MIN / -1 = INT_MIN. */
static uint32_t quotient(isg_spirv_exact *exact, const division *d, bool is_signed, uint32_t result)
{
    isg_spirv_editor *editor = &exact->editor;
    uint32_t value =
        ISG_SPIRV_EMIT(editor, is_signed ? SpvOpSDiv : SpvOpUDiv, d->type, 0, d->x, d->divisor);
    if (is_signed) {
        uint32_t negative = ISG_SPIRV_EMIT(editor, SpvOpISub, d->type, 0, d->zero, d->x);
        value = isg_spirv_exact_select(exact, d->type, 0, d->by_minus, negative, value);
    }
    return isg_spirv_exact_select(exact, d->type, result, d->by_zero, d->ones, value);
}

/* x mod 0 = x. Vulkan leaves OpSRem and OpSMod undefined for negative operands: the remainder comes
 * from the quotient, which is defined for all. */
static void remainder_of(isg_spirv_exact *exact, const division *d, SpvOp op, uint32_t result)
{
    isg_spirv_editor *editor = &exact->editor;
    uint32_t value;

    if (op == SpvOpUMod) {
        value = ISG_SPIRV_EMIT(editor, SpvOpUMod, d->type, 0, d->x, d->divisor);
        isg_spirv_exact_select(exact, d->type, result, d->by_zero, d->x, value);
        return;
    }
    uint32_t times = ISG_SPIRV_EMIT(editor, SpvOpSDiv, d->type, 0, d->x, d->divisor);
    uint32_t whole = ISG_SPIRV_EMIT(editor, SpvOpIMul, d->type, 0, times, d->divisor);
    value = ISG_SPIRV_EMIT(editor, SpvOpISub, d->type, 0, d->x, whole);
    if (op == SpvOpSMod) { /* the sign of the divisor */
        uint32_t differs = ISG_SPIRV_EMIT(
            editor, SpvOpSLessThan, d->bools, 0,
            ISG_SPIRV_EMIT(editor, SpvOpBitwiseXor, d->type, 0, value, d->divisor), d->zero);
        uint32_t some = ISG_SPIRV_EMIT(editor, SpvOpINotEqual, d->bools, 0, value, d->zero);
        uint32_t moves = ISG_SPIRV_EMIT(editor, SpvOpLogicalAnd, d->bools, 0, differs, some);
        uint32_t moved = ISG_SPIRV_EMIT(editor, SpvOpIAdd, d->type, 0, value, d->divisor);
        value = isg_spirv_exact_select(exact, d->type, 0, moves, moved, value);
    }
    isg_spirv_exact_select(exact, d->type, result, d->by_zero, d->x, value);
}

static bool divide(isg_spirv_exact *exact, const uint32_t *inst)
{
    SpvOp op = (SpvOp)isg_spirv_op(inst);
    bool is_signed = op == SpvOpSDiv || op == SpvOpSRem || op == SpvOpSMod;
    uint32_t width = int_width(exact, inst[1]);
    bool safe = all_constant(exact, inst[4], width,
                             is_signed ? safe_signed_divisor : safe_unsigned_divisor);

    if (width == 0 || (safe && op != SpvOpSRem && op != SpvOpSMod)) {
        return false;
    }
    division d = prepare(exact, inst, is_signed);
    if (op == SpvOpUDiv || op == SpvOpSDiv) {
        quotient(exact, &d, is_signed, inst[2]);
    } else {
        remainder_of(exact, &d, op, inst[2]);
    }
    return true;
}

/* ---- conversions from floats ---------------------------------------------------------------------- */

/* 2 to the power of `exponent`; exponents are small. */
static double power_of_two(uint32_t exponent)
{
    double value = 1.0;
    for (uint32_t i = 0; i < exponent; i++) {
        value *= 2.0;
    }
    return value;
}

/* Saturates; NaN becomes 0. */
static bool convert(isg_spirv_exact *exact, const uint32_t *inst)
{
    isg_spirv_editor *editor = &exact->editor;
    bool to_signed = isg_spirv_op(inst) == SpvOpConvertFToS;
    uint32_t width = int_width(exact, inst[1]);
    uint32_t type = isg_spirv_type_of(exact->module, inst[3]);

    if (width == 0 || isg_spirv_exact_float_width(exact, type) == 0) {
        return false;
    }
    uint32_t bools = bools_like(exact, inst[1]);
    double limit = power_of_two(to_signed ? width - 1 : width);
    uint32_t value = isg_spirv_exact_operand(exact, inst[3]);
    uint32_t high = isg_spirv_exact_constant(exact, type, limit);
    uint32_t low = isg_spirv_exact_constant(exact, type, to_signed ? -limit : -1.0);
    uint64_t top = to_signed ? (UINT64_C(1) << (width - 1)) - 1 : UINT64_MAX;
    uint32_t above = ISG_SPIRV_EMIT(editor, SpvOpFOrdGreaterThanEqual, bools, 0, value, high);
    /* -1 and below have no unsigned value; -2^31 has a signed one. */
    uint32_t below = ISG_SPIRV_EMIT(editor, SpvOpFOrdLessThanEqual, bools, 0, value, low);
    uint32_t under = ISG_SPIRV_EMIT(editor, SpvOpFOrdLessThan, bools, 0, value, high);
    uint32_t over = ISG_SPIRV_EMIT(editor, SpvOpFOrdGreaterThan, bools, 0, value, low);
    uint32_t inside = ISG_SPIRV_EMIT(editor, SpvOpLogicalAnd, bools, 0, under, over);
    uint32_t safe = isg_spirv_exact_select(exact, type, 0, inside, value,
                                           isg_spirv_exact_constant(exact, type, 0.0));
    uint32_t number = ISG_SPIRV_EMIT(editor, (SpvOp)isg_spirv_op(inst), inst[1], 0, safe);
    uint32_t bottom = to_signed ? isg_spirv_edit_splat(editor, inst[1], UINT64_C(1) << (width - 1))
                                : isg_spirv_edit_splat(editor, inst[1], 0);
    number = isg_spirv_exact_select(exact, inst[1], 0, below, bottom, number);
    isg_spirv_exact_select(exact, inst[1], inst[2], above,
                           isg_spirv_edit_splat(editor, inst[1], top), number);
    return true;
}

/* A 32-bit unsigned integer as float: its halves convert exactly, and their sum rounds once. Some
 * drivers round twice above 2^31. */
static bool from_unsigned(isg_spirv_exact *exact, const uint32_t *inst)
{
    isg_spirv_editor *editor = &exact->editor;
    uint32_t type = isg_spirv_type_of(exact->module, inst[3]);

    if (int_width(exact, type) != 32 || isg_spirv_exact_float_width(exact, inst[1]) != 32) {
        return false;
    }
    uint32_t high = ISG_SPIRV_EMIT(editor, SpvOpShiftRightLogical, type, 0, inst[3],
                                   isg_spirv_edit_splat(editor, type, 16));
    uint32_t low = ISG_SPIRV_EMIT(editor, SpvOpBitwiseAnd, type, 0, inst[3],
                                  isg_spirv_edit_splat(editor, type, 0xffffu));
    high = ISG_SPIRV_EMIT(editor, SpvOpConvertUToF, inst[1], 0, high);
    low = ISG_SPIRV_EMIT(editor, SpvOpConvertUToF, inst[1], 0, low);
    /* Neither step can give a denormal. */
    high = ISG_SPIRV_EMIT(editor, SpvOpFMul, inst[1], 0, high,
                          isg_spirv_exact_constant(exact, inst[1], 65536.0));
    ISG_SPIRV_PUT(editor, ISG_SPIRV_ANNOTATIONS, SpvOpDecorate, high, SpvDecorationNoContraction);
    ISG_SPIRV_EMIT(editor, SpvOpFAdd, inst[1], inst[2], high, low);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_ANNOTATIONS, SpvOpDecorate, inst[2],
                  SpvDecorationNoContraction);
    return true;
}

bool isg_spirv_exact_integer(isg_spirv_exact *exact, const uint32_t *inst)
{
    switch (isg_spirv_op(inst)) {
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        return shift(exact, inst);
    case SpvOpUDiv:
    case SpvOpUMod:
    case SpvOpSDiv:
    case SpvOpSRem:
    case SpvOpSMod:
        return divide(exact, inst);
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
        return convert(exact, inst);
    case SpvOpConvertUToF:
        return from_unsigned(exact, inst);
    default:
        return false;
    }
}
