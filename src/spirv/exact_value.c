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

/* ---- zeros that are written down: drivers fold them without regard to sign, NaN and infinity ------ */

/* The words of a 32-bit float constant, one a component of `type`. */
static bool constant_words(const isg_spirv_exact *exact, uint32_t type, uint32_t id,
                           uint32_t out[4])
{
    const uint32_t *inst = isg_spirv_edit_type(&exact->editor, id);
    uint32_t count = isg_spirv_exact_count(exact, type);

    if (inst == NULL || isg_spirv_exact_float_width(exact, type) != 32) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *part = inst;
        if (isg_spirv_op(inst) == SpvOpConstantComposite) {
            part = i + 3 < isg_spirv_length(inst) ? isg_spirv_edit_type(&exact->editor, inst[3 + i])
                                                  : NULL;
        }
        if (part == NULL ||
            (isg_spirv_op(part) != SpvOpConstant && isg_spirv_op(part) != SpvOpConstantNull)) {
            return false;
        }
        out[i] = isg_spirv_op(part) == SpvOpConstantNull ? 0 : part[3];
    }
    return true;
}

static bool is_zero(uint32_t word)
{
    return (word & 0x7fffffffu) == 0;
}

static uint32_t compute(SpvOp op, uint32_t a, uint32_t b)
{
    float x, y, z;
    uint32_t word;

    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    z = op == SpvOpFAdd ? x + y : op == SpvOpFSub ? x - y : x * y;
    memcpy(&word, &z, sizeof word);
    return word;
}

/* An operation on two constants, done here; 0: too small for a product to be sure, or no such. */
static uint32_t fold(isg_spirv_exact *exact, SpvOp op, uint32_t type, uint32_t result,
                     const uint32_t a[4], const uint32_t b[4])
{
    isg_spirv_editor *editor = &exact->editor;
    uint32_t parts[4];
    uint32_t count = isg_spirv_exact_count(exact, type);
    uint32_t scalar = isg_spirv_exact_scalar(exact, type);

    if ((op != SpvOpFAdd && op != SpvOpFSub && op != SpvOpFMul) || exact->keep_denormals) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = compute(op, a[i], b[i]);
        uint32_t magnitude = word & 0x7fffffffu;
        if (magnitude > 0x7f800000u ||
            (magnitude <= 0x00800000u && op == SpvOpFMul && !is_zero(a[i]) && !is_zero(b[i]))) {
            return 0;
        }
        word = magnitude < 0x00800000u ? word & 0x80000000u : word;
        parts[i] = isg_spirv_edit_splat(editor, scalar, word);
    }
    uint32_t value =
        count == 1 ? parts[0]
                   : isg_spirv_edit_global(editor, SpvOpConstantComposite, type, parts, count);
    return result == 0 ? value : ISG_SPIRV_EMIT(editor, SpvOpCopyObject, type, result, value);
}

/* One operation for each component. */
static uint32_t by_component(isg_spirv_exact *exact, SpvOp op, uint32_t type, uint32_t result,
                             uint32_t a, uint32_t b, const uint32_t *a_words,
                             const uint32_t *b_words)
{
    uint32_t scalar = isg_spirv_exact_scalar(exact, type);
    uint32_t count = isg_spirv_exact_count(exact, type);
    uint32_t parts[4];

    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = a_words != NULL ? isg_spirv_edit_splat(&exact->editor, scalar, a_words[i])
                                     : isg_spirv_exact_extract(exact, scalar, a, i);
        uint32_t y = b_words != NULL ? isg_spirv_edit_splat(&exact->editor, scalar, b_words[i])
                                     : isg_spirv_exact_extract(exact, scalar, b, i);
        parts[i] = isg_spirv_exact_two(exact, op, scalar, 0, x, y);
    }
    return isg_spirv_emit(&exact->editor, SpvOpCompositeConstruct, type, result, parts, count);
}

/* x * 0 or x * -0: NaN for NaN and infinities, else a zero of the product's sign. */
static uint32_t times_zero(isg_spirv_exact *exact, uint32_t type, uint32_t result, uint32_t x,
                           uint32_t zero)
{
    isg_spirv_editor *editor = &exact->editor;
    uint32_t words = isg_spirv_exact_shape(exact, isg_spirv_edit_int(editor, 32, false), type);
    uint32_t bools = isg_spirv_exact_shape(exact, isg_spirv_edit_bool(editor), type);
    uint32_t bits = ISG_SPIRV_EMIT(editor, SpvOpBitcast, words, 0, x);
    uint32_t magnitude = ISG_SPIRV_EMIT(editor, SpvOpBitwiseAnd, words, 0, bits,
                                        isg_spirv_edit_splat(editor, words, 0x7fffffffu));
    uint32_t huge = ISG_SPIRV_EMIT(editor, SpvOpUGreaterThanEqual, bools, 0, magnitude,
                                   isg_spirv_edit_splat(editor, words, 0x7f800000u));
    uint32_t sign = ISG_SPIRV_EMIT(editor, SpvOpBitwiseAnd, words, 0, bits,
                                   isg_spirv_edit_splat(editor, words, 0x80000000u));
    if (zero != 0) {
        sign = ISG_SPIRV_EMIT(editor, SpvOpBitwiseXor, words, 0, sign,
                              isg_spirv_edit_splat(editor, words, 0x80000000u));
    }
    uint32_t value = isg_spirv_exact_select(exact, words, 0, huge,
                                            isg_spirv_edit_splat(editor, words, 0x7fc00000u), sign);
    return ISG_SPIRV_EMIT(editor, SpvOpBitcast, type, result, value);
}

/* x + 0: x, but 0 for -0. */
static uint32_t plus_zero(isg_spirv_exact *exact, uint32_t type, uint32_t result, uint32_t x)
{
    isg_spirv_editor *editor = &exact->editor;
    uint32_t words = isg_spirv_exact_shape(exact, isg_spirv_edit_int(editor, 32, false), type);
    uint32_t bools = isg_spirv_exact_shape(exact, isg_spirv_edit_bool(editor), type);
    uint32_t bits = ISG_SPIRV_EMIT(editor, SpvOpBitcast, words, 0, x);
    uint32_t minus = ISG_SPIRV_EMIT(editor, SpvOpIEqual, bools, 0, bits,
                                    isg_spirv_edit_splat(editor, words, 0x80000000u));
    uint32_t value = isg_spirv_exact_select(exact, words, 0, minus,
                                            isg_spirv_edit_splat(editor, words, 0), bits);
    return ISG_SPIRV_EMIT(editor, SpvOpBitcast, type, result, value);
}

/* x as a result of its own: its denormals are flushed on every device. */
static uint32_t same(isg_spirv_exact *exact, uint32_t type, uint32_t result, uint32_t x)
{
    return exact->keep_denormals ? ISG_SPIRV_EMIT(&exact->editor, SpvOpCopyObject, type, result, x)
                                 : isg_spirv_exact_flush(exact, type, x, result);
}

static uint32_t scalar_with_zero(isg_spirv_exact *exact, SpvOp op, uint32_t type, uint32_t result,
                                 uint32_t a, uint32_t b, const uint32_t *left,
                                 const uint32_t *right)
{
    if (op == SpvOpFMul) {
        return right != NULL ? times_zero(exact, type, result, a, *right)
                             : times_zero(exact, type, result, b, *left);
    }
    if (right != NULL) { /* a + -0 and a - 0 are a */
        bool plus = (op == SpvOpFAdd) == (*right == 0);
        uint32_t value = same(exact, type, plus ? 0 : result, a);
        return plus ? plus_zero(exact, type, result, value) : value;
    }
    if (op == SpvOpFSub) {
        b = ISG_SPIRV_EMIT(&exact->editor, SpvOpFNegate, type, 0, b);
    }
    uint32_t value = same(exact, type, *left == 0 ? 0 : result, b);
    return *left == 0 ? plus_zero(exact, type, result, value) : value;
}

static bool any_zero(const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; words != NULL && i < count; i++) {
        if (is_zero(words[i])) {
            return true;
        }
    }
    return false;
}

/* The result where an operand has a zero that is written down; 0: none has. */
static uint32_t with_zero(isg_spirv_exact *exact, SpvOp op, uint32_t type, uint32_t result,
                          uint32_t a, uint32_t b)
{
    uint32_t a_words[4], b_words[4];
    const uint32_t *left = constant_words(exact, type, a, a_words) ? a_words : NULL;
    const uint32_t *right = constant_words(exact, type, b, b_words) ? b_words : NULL;
    uint32_t count = isg_spirv_exact_count(exact, type);

    if (left != NULL && right != NULL) {
        uint32_t value = fold(exact, op, type, result, left, right);
        if (value != 0) {
            return value;
        }
    }
    if ((op != SpvOpFMul && op != SpvOpFAdd && op != SpvOpFSub) ||
        (!any_zero(left, count) && !any_zero(right, count))) {
        return 0;
    }
    if (count > 1) {
        return by_component(exact, op, type, result, a, b, left, right);
    }
    return scalar_with_zero(exact, op, type, result, a, b, any_zero(left, 1) ? left : NULL,
                            any_zero(right, 1) ? right : NULL);
}

/* ---- one operation --------------------------------------------------------------------------------- */

uint32_t isg_spirv_exact_two(isg_spirv_exact *exact, SpvOp op, uint32_t type, uint32_t result,
                             uint32_t a, uint32_t b)
{
    uint32_t folded = with_zero(exact, op, type, result, a, b);

    if (folded != 0) {
        return folded;
    }
    if (!exact->flush_results || isg_spirv_exact_float_width(exact, type) != 32) {
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
