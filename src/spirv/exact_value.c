/* Makes the values of which the exactness pass builds: constants, flushes, single operations. */
#include "spirv/exact.h"

#include <string.h>

uint32_t isg_spirv_exact_count(const isg_spirv_exact *exact, uint32_t type)
{
    const uint32_t *inst = isg_spirv_edit_type(&exact->editor, type);

    if (inst == NULL) {
        return 0;
    }
    if (isg_spirv_op(inst) == SpvOpTypeVector) {
        return inst[3] <= 4 ? inst[3] : 0;
    }
    return isg_spirv_op(inst) == SpvOpTypeFloat || isg_spirv_op(inst) == SpvOpTypeInt ||
                   isg_spirv_op(inst) == SpvOpTypeBool
               ? 1
               : 0;
}

uint32_t isg_spirv_exact_scalar(const isg_spirv_exact *exact, uint32_t type)
{
    const uint32_t *inst = isg_spirv_edit_type(&exact->editor, type);
    return inst != NULL && isg_spirv_op(inst) == SpvOpTypeVector ? inst[2] : type;
}

uint32_t isg_spirv_exact_float_width(const isg_spirv_exact *exact, uint32_t type)
{
    const uint32_t *inst = isg_spirv_edit_type(&exact->editor, isg_spirv_exact_scalar(exact, type));
    return inst != NULL && isg_spirv_op(inst) == SpvOpTypeFloat &&
                   isg_spirv_exact_count(exact, type) != 0
               ? inst[2]
               : 0;
}

uint32_t isg_spirv_exact_shape(isg_spirv_exact *exact, uint32_t scalar, uint32_t type)
{
    uint32_t count = isg_spirv_exact_count(exact, type);
    return count > 1 ? isg_spirv_edit_vector(&exact->editor, scalar, count) : scalar;
}

/* The bits of a double as a 16-bit float, rounded toward zero; above its range an infinity. */
static uint64_t half_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    uint64_t sign = bits >> 48 & 0x8000u;
    int64_t exponent = (int64_t)(bits >> 52 & 0x7ff) - 1023;
    if ((bits << 1) == 0) {
        return sign;
    }
    if (exponent > 15) {
        return sign | 0x7c00u;
    }
    return sign | (uint64_t)(exponent + 15) << 10 | (bits >> 42 & 0x3ffu);
}

uint32_t isg_spirv_exact_constant(isg_spirv_exact *exact, uint32_t type, double value)
{
    uint64_t bits = 0;
    uint32_t width = isg_spirv_exact_float_width(exact, type);

    if (width == 64) {
        memcpy(&bits, &value, sizeof bits);
    } else if (width == 32) {
        float narrow = (float)value;
        uint32_t word;
        memcpy(&word, &narrow, sizeof word);
        bits = word;
    } else {
        bits = half_bits(value);
    }
    return isg_spirv_edit_splat(&exact->editor, type, bits);
}

uint32_t isg_spirv_exact_extract(isg_spirv_exact *exact, uint32_t type, uint32_t value,
                                 uint32_t index)
{
    return ISG_SPIRV_EMIT(&exact->editor, SpvOpCompositeExtract, type, 0, value, index);
}

uint32_t isg_spirv_exact_splat(isg_spirv_exact *exact, uint32_t type, uint32_t scalar)
{
    uint32_t words[4] = {scalar, scalar, scalar, scalar};
    uint32_t count = isg_spirv_exact_count(exact, type);

    if (count <= 1) {
        return scalar;
    }
    return isg_spirv_emit(&exact->editor, SpvOpCompositeConstruct, type, 0, words, count);
}

uint32_t isg_spirv_exact_call(isg_spirv_exact *exact, uint32_t function, uint32_t type,
                              uint32_t result, uint32_t operand)
{
    return ISG_SPIRV_EMIT(&exact->editor, SpvOpExtInst, type, result, exact->glsl, function,
                          operand);
}

uint32_t isg_spirv_exact_select(isg_spirv_exact *exact, uint32_t type, uint32_t result,
                                uint32_t condition, uint32_t a, uint32_t b)
{
    return ISG_SPIRV_EMIT(&exact->editor, SpvOpSelect, type, result, condition, a, b);
}

/* ---- flushing ---------------------------------------------------------------------------------- */

uint32_t isg_spirv_exact_flush(isg_spirv_exact *exact, uint32_t type, uint32_t value,
                               uint32_t result)
{
    isg_spirv_editor *editor = &exact->editor;
    uint32_t word = isg_spirv_edit_int(editor, 32, false);
    uint32_t words = isg_spirv_exact_shape(exact, word, type);
    uint32_t bools = isg_spirv_exact_shape(exact, isg_spirv_edit_bool(editor), type);
    uint32_t bits = ISG_SPIRV_EMIT(editor, SpvOpBitcast, words, 0, value);
    uint32_t exponent = ISG_SPIRV_EMIT(editor, SpvOpBitwiseAnd, words, 0, bits,
                                       isg_spirv_edit_splat(editor, words, 0x7f800000u));
    uint32_t small = ISG_SPIRV_EMIT(editor, SpvOpIEqual, bools, 0, exponent,
                                    isg_spirv_edit_splat(editor, words, 0));
    uint32_t sign = ISG_SPIRV_EMIT(editor, SpvOpBitwiseAnd, words, 0, bits,
                                   isg_spirv_edit_splat(editor, words, 0x80000000u));
    uint32_t kept = isg_spirv_exact_select(exact, words, 0, small, sign, bits);

    return ISG_SPIRV_EMIT(editor, SpvOpBitcast, type, result, kept);
}

/* A constant without denormals. */
static uint32_t flush_constant(isg_spirv_exact *exact, const uint32_t *inst)
{
    isg_spirv_editor *editor = &exact->editor;
    uint32_t words[4];
    uint32_t count = isg_spirv_length(inst) - 3;

    if (isg_spirv_op(inst) == SpvOpConstant) {
        return isg_spirv_edit_splat(editor, inst[1], inst[3] & 0x80000000u);
    }
    for (uint32_t i = 0; i < count; i++) {
        words[i] = isg_spirv_exact_operand(exact, inst[3 + i]);
    }
    return isg_spirv_edit_global(editor, SpvOpConstantComposite, inst[1], words, count);
}

uint32_t isg_spirv_exact_operand(isg_spirv_exact *exact, uint32_t id)
{
    const isg_spirv_module *module = exact->module;
    const uint32_t *inst = isg_spirv_def(module, id);

    if (exact->keep_denormals || !(exact->explicit_flush || exact->bitwise) || inst == NULL ||
        (exact->facts[id] & ISG_SPIRV_SMALL) == 0) {
        return id;
    }
    uint32_t type = isg_spirv_type_of(module, id);
    if (isg_spirv_exact_float_width(exact, type) != 32) {
        return id;
    }
    if (exact->flushed[id] != 0) {
        return exact->flushed[id];
    }
    uint32_t op = isg_spirv_op(inst);
    if (op == SpvOpConstant || (op == SpvOpConstantComposite && isg_spirv_length(inst) <= 7)) {
        exact->flushed[id] = flush_constant(exact, inst);
        return exact->flushed[id];
    }
    return isg_spirv_exact_flush(exact, type, id, 0);
}

/* ---- operations ----------------------------------------------------------------------------------- */

static void no_contraction(isg_spirv_exact *exact, uint32_t id)
{
    ISG_SPIRV_PUT(&exact->editor, ISG_SPIRV_ANNOTATIONS, SpvOpDecorate, id,
                  SpvDecorationNoContraction);
}

static uint32_t plain_two(isg_spirv_exact *exact, SpvOp op, uint32_t type, uint32_t result,
                          uint32_t a, uint32_t b)
{
    uint32_t id = ISG_SPIRV_EMIT(&exact->editor, op, type, result, a, b);
    no_contraction(exact, id);
    return id;
}

/* A product is flushed where it would be too small with all its bits, not where it rounds to a
 * denormal: the two differ just below the smallest normal number. */
static uint32_t flush_product(isg_spirv_exact *exact, uint32_t type, uint32_t result, uint32_t a,
                              uint32_t b)
{
    isg_spirv_editor *editor = &exact->editor;
    uint32_t word = isg_spirv_edit_int(editor, 32, false);
    uint32_t words = isg_spirv_exact_shape(exact, word, type);
    uint32_t bools = isg_spirv_exact_shape(exact, isg_spirv_edit_bool(editor), type);
    uint32_t product = plain_two(exact, SpvOpFMul, type, 0, a, b);
    uint32_t scaled =
        plain_two(exact, SpvOpFMul, type, 0, a, isg_spirv_exact_constant(exact, type, 0x1p24));
    uint32_t large = plain_two(exact, SpvOpFMul, type, 0, scaled, b);
    uint32_t magnitude = ISG_SPIRV_EMIT(editor, SpvOpBitwiseAnd, words, 0,
                                        ISG_SPIRV_EMIT(editor, SpvOpBitcast, words, 0, large),
                                        isg_spirv_edit_splat(editor, words, 0x7fffffffu));
    /* Bits of positive floats order as the floats do; 0x0c800000 is 2^-102. */
    uint32_t small = ISG_SPIRV_EMIT(editor, SpvOpULessThan, bools, 0, magnitude,
                                    isg_spirv_edit_splat(editor, words, 0x0c800000u));
    uint32_t bits = ISG_SPIRV_EMIT(editor, SpvOpBitcast, words, 0, product);
    uint32_t sign = ISG_SPIRV_EMIT(editor, SpvOpBitwiseAnd, words, 0, bits,
                                   isg_spirv_edit_splat(editor, words, 0x80000000u));
    uint32_t kept = isg_spirv_exact_select(exact, words, 0, small, sign, bits);

    return ISG_SPIRV_EMIT(editor, SpvOpBitcast, type, result, kept);
}

uint32_t isg_spirv_exact_two(isg_spirv_exact *exact, SpvOp op, uint32_t type, uint32_t result,
                             uint32_t a, uint32_t b)
{
    if (!exact->explicit_flush || isg_spirv_exact_float_width(exact, type) != 32) {
        return plain_two(exact, op, type, result, a, b);
    }
    if (op == SpvOpFMul) {
        return flush_product(exact, type, result, a, b);
    }
    return isg_spirv_exact_flush(exact, type, plain_two(exact, op, type, 0, a, b), result);
}

uint32_t isg_spirv_exact_dot(isg_spirv_exact *exact, uint32_t type, uint32_t result, uint32_t a,
                             uint32_t b, uint32_t vector)
{
    uint32_t count = isg_spirv_exact_count(exact, vector);
    uint32_t sum = 0;

    /* All products at once, then the sum from the left. */
    uint32_t products =
        isg_spirv_exact_two(exact, SpvOpFMul, vector, count == 1 ? result : 0, a, b);
    if (count == 1) {
        return products;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t product = isg_spirv_exact_extract(exact, type, products, i);
        sum = i == 0 ? product
                     : isg_spirv_exact_two(exact, SpvOpFAdd, type, i + 1 == count ? result : 0, sum,
                                           product);
    }
    return sum;
}
