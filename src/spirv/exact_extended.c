/* Rewrites GLSL.std.450 functions whose result drivers may choose into operations in a fixed order. */
#include "spirv/exact.h"

#include <spirv/unified1/GLSL.std.450.h>

/* Shorthand for one instruction at hand: x, y, z are its operands, flushed where that needs code. */
typedef struct function {
    isg_spirv_exact *exact;
    uint32_t type, result, scalar, count;
    uint32_t bools; /* booleans in the shape of the result */
    uint32_t x, y, z;
    uint32_t operand_type; /* of x */
} function;

static uint32_t two(const function *f, SpvOp op, uint32_t result, uint32_t a, uint32_t b)
{
    return isg_spirv_exact_two(f->exact, op, f->type, result, a, b);
}

static uint32_t number(const function *f, double value)
{
    return isg_spirv_exact_constant(f->exact, f->type, value);
}

static uint32_t compare(const function *f, SpvOp op, uint32_t a, uint32_t b)
{
    return ISG_SPIRV_EMIT(&f->exact->editor, op, f->bools, 0, a, b);
}

static uint32_t choose(const function *f, uint32_t result, uint32_t condition, uint32_t a,
                       uint32_t b)
{
    return isg_spirv_exact_select(f->exact, f->type, result, condition, a, b);
}

/* b < a ? b : a; where one is NaN: a. */
static uint32_t minimum(const function *f, uint32_t result, uint32_t a, uint32_t b)
{
    return choose(f, result, compare(f, SpvOpFOrdLessThan, b, a), b, a);
}

/* a < b ? b : a; where one is NaN: a. */
static uint32_t maximum(const function *f, uint32_t result, uint32_t a, uint32_t b)
{
    return choose(f, result, compare(f, SpvOpFOrdLessThan, a, b), b, a);
}

/* minimum or maximum that takes the other one where `a` is NaN. */
static uint32_t known(const function *f, bool is_minimum, uint32_t result, uint32_t a, uint32_t b)
{
    uint32_t is_nan = compare(f, SpvOpFUnordNotEqual, a, a);
    uint32_t other = is_minimum ? minimum(f, 0, a, b) : maximum(f, 0, a, b);
    return choose(f, result, is_nan, b, other);
}

/* `scalar` in every component of the result's type. */
static uint32_t spread(const function *f, uint32_t scalar)
{
    return isg_spirv_exact_splat(f->exact, f->type, scalar);
}

static uint32_t scalar_two(const function *f, SpvOp op, uint32_t result, uint32_t a, uint32_t b)
{
    return isg_spirv_exact_two(f->exact, op, f->scalar, result, a, b);
}

static uint32_t scalar_number(const function *f, double value)
{
    return isg_spirv_exact_constant(f->exact, f->scalar, value);
}

static uint32_t dot(const function *f, uint32_t a, uint32_t b)
{
    return isg_spirv_exact_dot(f->exact, f->scalar, 0, a, b, f->operand_type);
}

/* sqrt(v . v), or a scalar's magnitude. */
static uint32_t length(const function *f, uint32_t result, uint32_t v)
{
    bool vector = isg_spirv_exact_count(f->exact, f->operand_type) > 1;
    return isg_spirv_exact_call(f->exact, vector ? GLSLstd450Sqrt : GLSLstd450FAbs, f->scalar,
                                result, vector ? dot(f, v, v) : v);
}

/* 1 with the sign of x; a zero is itself, NaN is 0. By bits: compilers know sign() when they see it
 * written with comparisons, and differ about its zeros. */
static void sign(const function *f)
{
    isg_spirv_editor *editor = &f->exact->editor;

    if (isg_spirv_exact_float_width(f->exact, f->type) != 32) {
        uint32_t zero = number(f, 0.0);
        uint32_t below =
            choose(f, 0, compare(f, SpvOpFOrdLessThan, f->x, zero), number(f, -1.0), zero);
        choose(f, f->result, compare(f, SpvOpFOrdLessThan, zero, f->x), number(f, 1.0), below);
        return;
    }
    uint32_t words =
        isg_spirv_exact_shape(f->exact, isg_spirv_edit_int(editor, 32, false), f->type);
    uint32_t bits = ISG_SPIRV_EMIT(editor, SpvOpBitcast, words, 0, f->x);
    uint32_t magnitude = ISG_SPIRV_EMIT(editor, SpvOpBitwiseAnd, words, 0, bits,
                                        isg_spirv_edit_splat(editor, words, 0x7fffffffu));
    uint32_t signs = ISG_SPIRV_EMIT(editor, SpvOpBitwiseAnd, words, 0, bits,
                                    isg_spirv_edit_splat(editor, words, 0x80000000u));
    uint32_t one = ISG_SPIRV_EMIT(editor, SpvOpBitwiseOr, words, 0, signs,
                                  isg_spirv_edit_splat(editor, words, 0x3f800000u));
    uint32_t nan = ISG_SPIRV_EMIT(editor, SpvOpUGreaterThan, f->bools, 0, magnitude,
                                  isg_spirv_edit_splat(editor, words, 0x7f800000u));
    uint32_t zero = ISG_SPIRV_EMIT(editor, SpvOpIEqual, f->bools, 0, magnitude,
                                   isg_spirv_edit_splat(editor, words, 0));
    uint32_t value = isg_spirv_exact_select(f->exact, words, 0, zero, signs, one);
    value = isg_spirv_exact_select(f->exact, words, 0, nan, isg_spirv_edit_splat(editor, words, 0),
                                   value);
    ISG_SPIRV_EMIT(editor, SpvOpBitcast, f->type, f->result, value);
}

/* The whole part is trunc(x); the fraction x less it, and a zero for an infinity. */
static uint32_t fraction(const function *f, uint32_t result, uint32_t whole)
{
    uint32_t rest = two(f, SpvOpFSub, 0, f->x, whole);
    uint32_t same = compare(f, SpvOpFOrdEqual, f->x, whole);
    return choose(f, result, same, number(f, 0.0), rest);
}

static bool modf_pointer(const function *f, const uint32_t *inst)
{
    uint32_t whole = isg_spirv_exact_call(f->exact, GLSLstd450Trunc, f->type, 0, f->x);
    ISG_SPIRV_PUT(&f->exact->editor, ISG_SPIRV_FUNCTIONS, SpvOpStore, inst[6], whole);
    fraction(f, f->result, whole);
    return true;
}

static bool modf_struct(const function *f, const uint32_t *inst)
{
    function parts = *f;

    parts.type = f->operand_type;
    parts.bools =
        isg_spirv_exact_shape(f->exact, isg_spirv_edit_bool(&f->exact->editor), parts.type);
    uint32_t whole = isg_spirv_exact_call(f->exact, GLSLstd450Trunc, parts.type, 0, f->x);
    uint32_t rest = fraction(&parts, 0, whole);
    ISG_SPIRV_EMIT(&f->exact->editor, SpvOpCompositeConstruct, inst[1], inst[2], rest, whole);
    return true;
}

/* t * t * (3 - 2 t), t = clamp((x - e0) / (e1 - e0), 0, 1). */
static void smooth_step(const function *f)
{
    uint32_t ratio =
        two(f, SpvOpFDiv, 0, two(f, SpvOpFSub, 0, f->z, f->x), two(f, SpvOpFSub, 0, f->y, f->x));
    uint32_t t = minimum(f, 0, maximum(f, 0, ratio, number(f, 0.0)), number(f, 1.0));
    uint32_t rest = two(f, SpvOpFSub, 0, number(f, 3.0), two(f, SpvOpFMul, 0, number(f, 2.0), t));
    two(f, SpvOpFMul, f->result, two(f, SpvOpFMul, 0, t, t), rest);
}

/* (a1 b2 - b1 a2, a2 b0 - b2 a0, a0 b1 - b0 a1). */
static bool cross(const function *f)
{
    uint32_t a[3], b[3], words[3];

    if (f->count != 3) {
        return false;
    }
    for (uint32_t i = 0; i < 3; i++) {
        a[i] = isg_spirv_exact_extract(f->exact, f->scalar, f->x, i);
        b[i] = isg_spirv_exact_extract(f->exact, f->scalar, f->y, i);
    }
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t j = (i + 1) % 3;
        uint32_t k = (i + 2) % 3;
        words[i] = scalar_two(f, SpvOpFSub, 0, scalar_two(f, SpvOpFMul, 0, a[j], b[k]),
                              scalar_two(f, SpvOpFMul, 0, b[j], a[k]));
    }
    isg_spirv_emit(&f->exact->editor, SpvOpCompositeConstruct, f->type, f->result, words, 3);
    return true;
}

/* x - y (2 (y . x)). */
static void reflect(const function *f)
{
    uint32_t twice = scalar_two(f, SpvOpFMul, 0, scalar_number(f, 2.0), dot(f, f->y, f->x));
    two(f, SpvOpFSub, f->result, f->x, two(f, SpvOpFMul, 0, f->y, spread(f, twice)));
}

/* k = 1 - eta eta (1 - d d), d = y . x; k < 0 ? 0 : eta x - (eta d + sqrt(k)) y. */
static void refract(const function *f)
{
    uint32_t d = dot(f, f->y, f->x);
    uint32_t unit = scalar_number(f, 1.0);
    uint32_t rest = scalar_two(f, SpvOpFSub, 0, unit, scalar_two(f, SpvOpFMul, 0, d, d));
    uint32_t eta2 = scalar_two(f, SpvOpFMul, 0, f->z, f->z);
    uint32_t k = scalar_two(f, SpvOpFSub, 0, unit, scalar_two(f, SpvOpFMul, 0, eta2, rest));
    uint32_t root = isg_spirv_exact_call(f->exact, GLSLstd450Sqrt, f->scalar, 0, k);
    uint32_t factor = scalar_two(f, SpvOpFAdd, 0, scalar_two(f, SpvOpFMul, 0, f->z, d), root);
    uint32_t bent = two(f, SpvOpFSub, 0, two(f, SpvOpFMul, 0, spread(f, f->z), f->x),
                        two(f, SpvOpFMul, 0, spread(f, factor), f->y));
    uint32_t total =
        ISG_SPIRV_EMIT(&f->exact->editor, SpvOpFOrdLessThan, isg_spirv_edit_bool(&f->exact->editor),
                       0, k, scalar_number(f, 0.0));
    uint32_t words[4] = {total, total, total, total};
    if (f->count > 1) {
        total = isg_spirv_emit(&f->exact->editor, SpvOpCompositeConstruct, f->bools, 0, words,
                               f->count);
    }
    choose(f, f->result, total, number(f, 0.0), bent);
}

/* z . y < 0 ? x : -x. */
static void face_forward(const function *f)
{
    isg_spirv_editor *editor = &f->exact->editor;
    uint32_t faces = ISG_SPIRV_EMIT(editor, SpvOpFOrdLessThan, isg_spirv_edit_bool(editor), 0,
                                    dot(f, f->z, f->y), scalar_number(f, 0.0));
    uint32_t words[4] = {faces, faces, faces, faces};
    if (f->count > 1) {
        faces = isg_spirv_emit(editor, SpvOpCompositeConstruct, f->bools, 0, words, f->count);
    }
    choose(f, f->result, faces, f->x, ISG_SPIRV_EMIT(editor, SpvOpFNegate, f->type, 0, f->x));
}

/* Functions that are one to three operations. */
static bool simple(const function *f, uint32_t name)
{
    switch (name) {
    case GLSLstd450Fma:
        two(f, SpvOpFAdd, f->result, two(f, SpvOpFMul, 0, f->x, f->y), f->z);
        return true;
    case GLSLstd450FMix: /* x (1 - a) + y a */
        two(f, SpvOpFAdd, f->result,
            two(f, SpvOpFMul, 0, f->x, two(f, SpvOpFSub, 0, number(f, 1.0), f->z)),
            two(f, SpvOpFMul, 0, f->y, f->z));
        return true;
    case GLSLstd450Fract:
        two(f, SpvOpFSub, f->result, f->x,
            isg_spirv_exact_call(f->exact, GLSLstd450Floor, f->type, 0, f->x));
        return true;
    case GLSLstd450Round:
        isg_spirv_exact_call(f->exact, GLSLstd450RoundEven, f->type, f->result, f->x);
        return true;
    case GLSLstd450Radians:
        two(f, SpvOpFMul, f->result, f->x, number(f, 0.017453292519943295));
        return true;
    case GLSLstd450Degrees:
        two(f, SpvOpFMul, f->result, f->x, number(f, 57.29577951308232));
        return true;
    case GLSLstd450FMin:
        minimum(f, f->result, f->x, f->y);
        return true;
    case GLSLstd450FMax:
        maximum(f, f->result, f->x, f->y);
        return true;
    case GLSLstd450FClamp:
        minimum(f, f->result, maximum(f, 0, f->x, f->y), f->z);
        return true;
    case GLSLstd450NMin:
        known(f, true, f->result, f->x, f->y);
        return true;
    case GLSLstd450NMax:
        known(f, false, f->result, f->x, f->y);
        return true;
    case GLSLstd450NClamp:
        known(f, true, f->result, known(f, false, 0, f->x, f->y), f->z);
        return true;
    case GLSLstd450Step:
        choose(f, f->result, compare(f, SpvOpFOrdLessThan, f->y, f->x), number(f, 0.0),
               number(f, 1.0));
        return true;
    case GLSLstd450FSign:
        sign(f);
        return true;
    case GLSLstd450SmoothStep:
        smooth_step(f);
        return true;
    default:
        return false;
    }
}

static bool geometric(const function *f, uint32_t name)
{
    switch (name) {
    case GLSLstd450Length:
        length(f, f->result, f->x);
        return true;
    case GLSLstd450Distance:
        length(f, f->result,
               isg_spirv_exact_two(f->exact, SpvOpFSub, f->operand_type, 0, f->x, f->y));
        return true;
    case GLSLstd450Normalize:
        two(f, SpvOpFDiv, f->result, f->x, spread(f, length(f, 0, f->x)));
        return true;
    case GLSLstd450Cross:
        return cross(f);
    case GLSLstd450Reflect:
        reflect(f);
        return true;
    case GLSLstd450Refract:
        refract(f);
        return true;
    case GLSLstd450FaceForward:
        face_forward(f);
        return true;
    default:
        return false;
    }
}

/* A function that stays: its operands flushed, and its result. */
static bool kept(const function *f, const uint32_t *inst)
{
    isg_spirv_exact *exact = f->exact;
    uint32_t words[5] = {inst[3], inst[4], f->x, f->y, f->z};
    bool exact_result =
        inst[4] <= GLSLstd450SAbs || inst[4] == GLSLstd450Floor || inst[4] == GLSLstd450Ceil;
    bool flushes =
        exact->flush_results && !exact_result && isg_spirv_exact_float_width(exact, f->type) == 32;
    uint32_t count = isg_spirv_length(inst) - 3;

    if (count > 5) {
        return false;
    }
    uint32_t value = isg_spirv_emit(&exact->editor, SpvOpExtInst, f->type, flushes ? 0 : f->result,
                                    words, count);
    if (flushes) {
        isg_spirv_exact_flush(exact, f->type, value, f->result);
    }
    return true;
}

bool isg_spirv_exact_extended(isg_spirv_exact *exact, const uint32_t *inst)
{
    uint32_t length_words = isg_spirv_length(inst);
    function f = {.exact = exact, .type = inst[1], .result = inst[2]};

    if (exact->glsl == 0 || inst[3] != exact->glsl || length_words < 6 ||
        !isg_spirv_exact_is_arithmetic(exact, inst)) {
        return false;
    }
    f.operand_type = isg_spirv_type_of(exact->module, inst[5]);
    if (isg_spirv_exact_float_width(exact, f.operand_type) == 0) {
        return false; /* integers, matrices, pointers */
    }
    f.scalar = isg_spirv_exact_scalar(exact, f.operand_type);
    f.count = isg_spirv_exact_count(exact, f.type);
    f.x = isg_spirv_exact_operand(exact, inst[5]);
    f.y = length_words > 6 ? isg_spirv_exact_operand(exact, inst[6]) : 0;
    f.z = length_words > 7 ? isg_spirv_exact_operand(exact, inst[7]) : 0;
    f.bools =
        f.count > 0 ? isg_spirv_exact_shape(exact, isg_spirv_edit_bool(&exact->editor), f.type) : 0;
    if (f.count > 0 && isg_spirv_exact_float_width(exact, f.type) != 0 &&
        (simple(&f, inst[4]) || geometric(&f, inst[4]))) {
        return true;
    }
    if (inst[4] == GLSLstd450Modf && f.count > 0 && length_words == 7) {
        return modf_pointer(&f, inst);
    }
    return inst[4] == GLSLstd450ModfStruct ? modf_struct(&f, inst) : kept(&f, inst);
}
