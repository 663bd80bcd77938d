/* Rewrites core float instructions: each becomes single operations in a fixed order. */
#include "spirv/exact.h"

static uint32_t bits_type(isg_spirv_exact *exact, uint32_t type)
{
    return isg_spirv_exact_shape(exact, isg_spirv_edit_int(&exact->editor, 32, false), type);
}

/* ---- matrices --------------------------------------------------------------------------------------- */

typedef struct matrix {
    uint32_t value;
    uint32_t column_type, scalar;
    uint32_t columns, rows;
    bool small; /* its columns must be flushed before use */
} matrix;

static bool read_matrix(const isg_spirv_exact *exact, uint32_t value, uint32_t type, matrix *out)
{
    const isg_spirv_module *module = exact->module;
    const uint32_t *inst = isg_spirv_def_as(module, type, SpvOpTypeMatrix);
    const uint32_t *column =
        inst != NULL ? isg_spirv_def_as(module, inst[2], SpvOpTypeVector) : NULL;

    if (column == NULL || inst[3] < 2 || inst[3] > 4 || column[3] < 2 || column[3] > 4) {
        return false;
    }
    *out = (matrix){value, inst[2], column[2], inst[3], column[3], false};
    out->small = value != 0 && exact->explicit_flush && !exact->keep_denormals &&
                 isg_spirv_exact_float_width(exact, column[2]) == 32 &&
                 (exact->facts[value] & ISG_SPIRV_SMALL) != 0;
    return true;
}

static uint32_t column_of(isg_spirv_exact *exact, const matrix *m, uint32_t index)
{
    uint32_t column = isg_spirv_exact_extract(exact, m->column_type, m->value, index);
    return m->small ? isg_spirv_exact_flush(exact, m->column_type, column, 0) : column;
}

/* column 0 * v[0] + column 1 * v[1] + ..., from the left. */
static uint32_t times_vector(isg_spirv_exact *exact, const matrix *m, const uint32_t columns[4],
                             uint32_t vector, uint32_t result)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < m->columns; i++) {
        uint32_t factor = isg_spirv_exact_splat(
            exact, m->column_type, isg_spirv_exact_extract(exact, m->scalar, vector, i));
        uint32_t product =
            isg_spirv_exact_two(exact, SpvOpFMul, m->column_type, 0, columns[i], factor);
        sum = i == 0 ? product
                     : isg_spirv_exact_two(exact, SpvOpFAdd, m->column_type,
                                           i + 1 == m->columns ? result : 0, sum, product);
    }
    return sum;
}

static void read_columns(isg_spirv_exact *exact, const matrix *m, uint32_t out[4])
{
    for (uint32_t i = 0; i < m->columns; i++) {
        out[i] = column_of(exact, m, i);
    }
}

static bool vector_times_matrix(isg_spirv_exact *exact, const uint32_t *inst)
{
    isg_spirv_editor *editor = &exact->editor;
    uint32_t vector = isg_spirv_exact_operand(exact, inst[3]);
    uint32_t words[4];
    matrix m;

    if (!read_matrix(exact, inst[4], isg_spirv_type_of(exact->module, inst[4]), &m) ||
        isg_spirv_exact_count(exact, inst[1]) != m.columns) {
        return false;
    }
    for (uint32_t i = 0; i < m.columns; i++) {
        words[i] =
            isg_spirv_exact_dot(exact, m.scalar, 0, vector, column_of(exact, &m, i), m.column_type);
    }
    isg_spirv_emit(editor, SpvOpCompositeConstruct, inst[1], inst[2], words, m.columns);
    return true;
}

static bool matrix_times(isg_spirv_exact *exact, const uint32_t *inst)
{
    isg_spirv_editor *editor = &exact->editor;
    const isg_spirv_module *module = exact->module;
    uint32_t op = isg_spirv_op(inst);
    uint32_t columns[4];
    uint32_t words[4];
    matrix m;
    matrix other;

    if (!read_matrix(exact, inst[3], isg_spirv_type_of(module, inst[3]), &m)) {
        return false;
    }
    if (op == SpvOpMatrixTimesVector) {
        if (isg_spirv_exact_count(exact, isg_spirv_type_of(module, inst[4])) != m.columns) {
            return false;
        }
        read_columns(exact, &m, columns);
        times_vector(exact, &m, columns, isg_spirv_exact_operand(exact, inst[4]), inst[2]);
        return true;
    }
    if (op == SpvOpMatrixTimesScalar) {
        uint32_t factor =
            isg_spirv_exact_splat(exact, m.column_type, isg_spirv_exact_operand(exact, inst[4]));
        for (uint32_t i = 0; i < m.columns; i++) {
            words[i] = isg_spirv_exact_two(exact, SpvOpFMul, m.column_type, 0,
                                           column_of(exact, &m, i), factor);
        }
        isg_spirv_emit(editor, SpvOpCompositeConstruct, inst[1], inst[2], words, m.columns);
        return true;
    }
    if (!read_matrix(exact, inst[4], isg_spirv_type_of(module, inst[4]), &other) ||
        other.rows != m.columns) {
        return false;
    }
    read_columns(exact, &m, columns);
    for (uint32_t i = 0; i < other.columns; i++) {
        words[i] = times_vector(exact, &m, columns, column_of(exact, &other, i), 0);
    }
    isg_spirv_emit(editor, SpvOpCompositeConstruct, inst[1], inst[2], words, other.columns);
    return true;
}

static bool outer_product(isg_spirv_exact *exact, const uint32_t *inst)
{
    uint32_t words[4];
    matrix m;

    if (!read_matrix(exact, 0, inst[1], &m)) {
        return false;
    }
    uint32_t a = isg_spirv_exact_operand(exact, inst[3]);
    uint32_t b = isg_spirv_exact_operand(exact, inst[4]);
    for (uint32_t i = 0; i < m.columns; i++) {
        uint32_t factor = isg_spirv_exact_splat(exact, m.column_type,
                                                isg_spirv_exact_extract(exact, m.scalar, b, i));
        words[i] = isg_spirv_exact_two(exact, SpvOpFMul, m.column_type, 0, a, factor);
    }
    isg_spirv_emit(&exact->editor, SpvOpCompositeConstruct, inst[1], inst[2], words, m.columns);
    return true;
}

/* ---- the rest ------------------------------------------------------------------------------------------ */

/* NaN and infinity are told by bits, which no driver assumes away. */
static bool classify(isg_spirv_exact *exact, const uint32_t *inst)
{
    isg_spirv_editor *editor = &exact->editor;
    uint32_t type = isg_spirv_type_of(exact->module, inst[3]);

    if (isg_spirv_exact_float_width(exact, type) != 32) {
        return false;
    }
    uint32_t words = bits_type(exact, type);
    uint32_t magnitude = ISG_SPIRV_EMIT(editor, SpvOpBitwiseAnd, words, 0,
                                        ISG_SPIRV_EMIT(editor, SpvOpBitcast, words, 0, inst[3]),
                                        isg_spirv_edit_splat(editor, words, 0x7fffffffu));
    ISG_SPIRV_EMIT(editor, isg_spirv_op(inst) == SpvOpIsNan ? SpvOpUGreaterThan : SpvOpIEqual,
                   inst[1], inst[2], magnitude, isg_spirv_edit_splat(editor, words, 0x7f800000u));
    return true;
}

static bool one_operand(isg_spirv_exact *exact, const uint32_t *inst, bool decorated)
{
    uint32_t operand = isg_spirv_exact_operand(exact, inst[3]);
    bool flushes = exact->explicit_flush && isg_spirv_exact_float_width(exact, inst[1]) == 32 &&
                   isg_spirv_op(inst) == SpvOpFConvert;
    uint32_t result = ISG_SPIRV_EMIT(&exact->editor, (SpvOp)isg_spirv_op(inst), inst[1],
                                     flushes ? 0 : inst[2], operand);

    if (decorated) {
        ISG_SPIRV_PUT(&exact->editor, ISG_SPIRV_ANNOTATIONS, SpvOpDecorate, result,
                      SpvDecorationNoContraction);
    }
    if (flushes) {
        isg_spirv_exact_flush(exact, inst[1], result, inst[2]);
    }
    return true;
}

static bool vector_times_scalar(isg_spirv_exact *exact, const uint32_t *inst)
{
    uint32_t vector = isg_spirv_exact_operand(exact, inst[3]);
    uint32_t scalar = isg_spirv_exact_operand(exact, inst[4]);

    isg_spirv_exact_two(exact, SpvOpFMul, inst[1], inst[2], vector,
                        isg_spirv_exact_splat(exact, inst[1], scalar));
    return true;
}

static bool dot(isg_spirv_exact *exact, const uint32_t *inst)
{
    uint32_t vector = isg_spirv_type_of(exact->module, inst[3]);

    if (isg_spirv_exact_count(exact, vector) < 2) {
        return false;
    }
    uint32_t a = isg_spirv_exact_operand(exact, inst[3]);
    uint32_t b = isg_spirv_exact_operand(exact, inst[4]);
    isg_spirv_exact_dot(exact, inst[1], inst[2], a, b, vector);
    return true;
}

bool isg_spirv_exact_float(isg_spirv_exact *exact, const uint32_t *inst)
{
    uint32_t op = isg_spirv_op(inst);

    switch (op) {
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpFDiv:
    case SpvOpFRem:
    case SpvOpFMod: {
        uint32_t a = isg_spirv_exact_operand(exact, inst[3]);
        uint32_t b = isg_spirv_exact_operand(exact, inst[4]);
        isg_spirv_exact_two(exact, (SpvOp)op, inst[1], inst[2], a, b);
        return true;
    }
    case SpvOpFNegate:
        return one_operand(exact, inst, true);
    case SpvOpFConvert:
    case SpvOpQuantizeToF16:
        return one_operand(exact, inst, false);
    case SpvOpVectorTimesScalar:
        return vector_times_scalar(exact, inst);
    case SpvOpDot:
        return dot(exact, inst);
    case SpvOpVectorTimesMatrix:
        return vector_times_matrix(exact, inst);
    case SpvOpMatrixTimesVector:
    case SpvOpMatrixTimesScalar:
    case SpvOpMatrixTimesMatrix:
        return matrix_times(exact, inst);
    case SpvOpOuterProduct:
        return outer_product(exact, inst);
    case SpvOpIsNan:
    case SpvOpIsInf:
        return classify(exact, inst);
    default:
        break;
    }
    if (op >= SpvOpFOrdEqual && op <= SpvOpFUnordGreaterThanEqual) {
        uint32_t a = isg_spirv_exact_operand(exact, inst[3]);
        uint32_t b = isg_spirv_exact_operand(exact, inst[4]);
        ISG_SPIRV_EMIT(&exact->editor, (SpvOp)op, inst[1], inst[2], a, b);
        return true;
    }
    return false;
}
