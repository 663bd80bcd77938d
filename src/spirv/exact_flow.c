/* Finds which values may hold denormals: those that came from outside, moved but not computed. */
#include "spirv/exact.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <string.h>

/* Walks over the code before what is not settled counts as possibly denormal. */
#define MAX_ROUNDS 12

bool isg_spirv_exact_is_arithmetic(const isg_spirv_exact *exact, const uint32_t *inst)
{
    uint32_t op = isg_spirv_op(inst);

    switch (op) {
    case SpvOpFNegate:
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpFDiv:
    case SpvOpFRem:
    case SpvOpFMod:
    case SpvOpVectorTimesScalar:
    case SpvOpMatrixTimesScalar:
    case SpvOpVectorTimesMatrix:
    case SpvOpMatrixTimesVector:
    case SpvOpMatrixTimesMatrix:
    case SpvOpOuterProduct:
    case SpvOpDot:
    case SpvOpFConvert:
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpQuantizeToF16:
        return true;
    case SpvOpExtInst:
        return exact->glsl != 0 && inst[3] == exact->glsl &&
               (inst[4] < GLSLstd450PackSnorm4x8 || inst[4] > GLSLstd450UnpackDouble2x32);
    default:
        return op >= SpvOpFOrdEqual && op <= SpvOpFUnordGreaterThanEqual;
    }
}

bool isg_spirv_exact_is_bitwise(const isg_spirv_exact *exact, const uint32_t *inst)
{
    if (isg_spirv_op(inst) == SpvOpFNegate) {
        return true;
    }
    if (isg_spirv_op(inst) != SpvOpExtInst || exact->glsl == 0 || inst[3] != exact->glsl) {
        return false;
    }
    switch (inst[4]) {
    case GLSLstd450FAbs:
    case GLSLstd450FSign:
    case GLSLstd450FMin:
    case GLSLstd450FMax:
    case GLSLstd450FClamp:
    case GLSLstd450NMin:
    case GLSLstd450NMax:
    case GLSLstd450NClamp:
    case GLSLstd450FaceForward:
    case GLSLstd450Modf:
    case GLSLstd450ModfStruct:
    case GLSLstd450Length: /* of a scalar: its magnitude */
        return true;
    default:
        return false;
    }
}

/* Types that hold 32-bit floats. Members come before what they are in. */
static void mark_types(isg_spirv_exact *exact)
{
    const isg_spirv_module *module = exact->module;

    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS];
         i < module->sections[ISG_SPIRV_GLOBALS + 1]; i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        uint8_t has = 0;
        switch (isg_spirv_op(inst)) {
        case SpvOpTypeFloat:
            has = inst[2] == 32 ? ISG_SPIRV_HAS_FLOAT : 0;
            break;
        case SpvOpTypeVector:
        case SpvOpTypeMatrix:
        case SpvOpTypeArray:
        case SpvOpTypeRuntimeArray:
            has = exact->facts[inst[2]] & ISG_SPIRV_HAS_FLOAT;
            break;
        case SpvOpTypeStruct:
            for (uint32_t k = 2; k < isg_spirv_length(inst); k++) {
                has |= exact->facts[inst[k]] & ISG_SPIRV_HAS_FLOAT;
            }
            break;
        default:
            continue;
        }
        exact->facts[inst[1]] = has;
    }
}

static bool is_denormal_word(uint32_t word)
{
    return (word & 0x7f800000u) == 0 && (word & 0x007fffffu) != 0;
}

/* Constants whose denormals are written down, and variables that start as such. */
static void mark_globals(isg_spirv_exact *exact)
{
    const isg_spirv_module *module = exact->module;

    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS];
         i < module->sections[ISG_SPIRV_GLOBALS + 1]; i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        uint32_t op = isg_spirv_op(inst);
        uint8_t small = 0;
        if (isg_spirv_result_at(inst) != 2) {
            continue;
        }
        if (op == SpvOpVariable) {
            exact->roots[inst[2]] = inst[2];
            bool inside = inst[3] == SpvStorageClassPrivate || inst[3] == SpvStorageClassWorkgroup;
            small = inside ? 0 : ISG_SPIRV_SMALL;
            if (inside && isg_spirv_length(inst) > 4) {
                small |= exact->facts[inst[4]] & ISG_SPIRV_SMALL;
            }
            exact->facts[inst[2]] |= small;
            continue;
        }
        if ((exact->facts[inst[1]] & ISG_SPIRV_HAS_FLOAT) == 0) {
            continue;
        }
        if (op == SpvOpConstant) {
            small = is_denormal_word(inst[3]) ? ISG_SPIRV_SMALL : 0;
        } else if (op == SpvOpConstantComposite) {
            for (uint32_t k = 3; k < isg_spirv_length(inst); k++) {
                small |= exact->facts[inst[k]] & ISG_SPIRV_SMALL;
            }
        } else if (op != SpvOpConstantNull && op != SpvOpUndef) {
            small = ISG_SPIRV_SMALL; /* set at specialisation */
        }
        exact->facts[inst[2]] = ISG_SPIRV_HAS_FLOAT | small;
    }
}

static bool add_small(isg_spirv_exact *exact, uint32_t id, uint8_t small)
{
    if ((small & ISG_SPIRV_SMALL) == 0 || (exact->facts[id] & ISG_SPIRV_SMALL) != 0) {
        return false;
    }
    exact->facts[id] |= ISG_SPIRV_SMALL;
    return true;
}

static uint8_t small_of(const isg_spirv_exact *exact, uint32_t id)
{
    return exact->facts[id] & ISG_SPIRV_SMALL;
}

/* The memory a pointer leads to; pointers from elsewhere lead outside. */
static uint8_t small_in(const isg_spirv_exact *exact, uint32_t pointer)
{
    uint32_t root = exact->roots[pointer];
    return root != 0 ? small_of(exact, root) : ISG_SPIRV_SMALL;
}

static bool store_into(isg_spirv_exact *exact, uint32_t pointer, uint8_t small)
{
    uint32_t root = exact->roots[pointer];
    return root != 0 && add_small(exact, root, small);
}

/* Arguments become parameters; memory behind pointers is one. */
static bool flow_call(isg_spirv_exact *exact, const uint32_t *inst)
{
    const isg_spirv_module *module = exact->module;
    const uint32_t *at = isg_spirv_def_as(module, inst[3], SpvOpFunction);
    bool changed = add_small(exact, inst[2], small_of(exact, inst[3]));

    if (at == NULL) {
        return changed;
    }
    at += isg_spirv_length(at);
    for (uint32_t i = 4; i < isg_spirv_length(inst); i++) {
        while (isg_spirv_op(at) == SpvOpLine || isg_spirv_op(at) == SpvOpNoLine) {
            at += isg_spirv_length(at);
        }
        if (isg_spirv_op(at) != SpvOpFunctionParameter) {
            break;
        }
        if (isg_spirv_def_as(module, at[1], SpvOpTypePointer) != NULL) {
            changed |= add_small(exact, at[2], small_in(exact, inst[i]));
            changed |= store_into(exact, inst[i], small_of(exact, at[2]));
        } else {
            changed |= add_small(exact, at[2], small_of(exact, inst[i]));
        }
        at += isg_spirv_length(at);
    }
    return changed;
}

/* What a result moves along from its operands. */
static uint8_t moved(const isg_spirv_exact *exact, const uint32_t *inst)
{
    uint8_t small = 0;

    switch (isg_spirv_op(inst)) {
    case SpvOpPhi:
        for (uint32_t k = 3; k < isg_spirv_length(inst); k += 2) {
            small |= small_of(exact, inst[k]);
        }
        return small;
    case SpvOpSelect:
        return small_of(exact, inst[4]) | small_of(exact, inst[5]);
    case SpvOpCompositeConstruct:
        for (uint32_t k = 3; k < isg_spirv_length(inst); k++) {
            small |= small_of(exact, inst[k]);
        }
        return small;
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
    case SpvOpVectorInsertDynamic:
        return small_of(exact, inst[3]) | small_of(exact, inst[4]);
    case SpvOpCompositeExtract:
    case SpvOpVectorExtractDynamic:
    case SpvOpCopyObject:
    case SpvOpCopyLogical:
    case SpvOpTranspose:
        return small_of(exact, inst[3]);
    case SpvOpLoad:
        return small_in(exact, inst[3]);
    case SpvOpFunctionParameter:
    case SpvOpFunctionCall:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
    case SpvOpUndef:
        return 0;
    default:
        return isg_spirv_exact_is_arithmetic(exact, inst) ? 0 : ISG_SPIRV_SMALL;
    }
}

static bool flow(isg_spirv_exact *exact, const uint32_t *inst, uint32_t *function)
{
    uint32_t op = isg_spirv_op(inst);

    switch (op) {
    case SpvOpFunction:
        *function = inst[2];
        return false;
    case SpvOpReturnValue:
        return add_small(exact, *function, small_of(exact, inst[1]));
    case SpvOpVariable:
        exact->roots[inst[2]] = inst[2];
        return isg_spirv_length(inst) > 4 && add_small(exact, inst[2], small_of(exact, inst[4]));
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        exact->roots[inst[2]] = exact->roots[inst[3]];
        return false;
    case SpvOpStore:
        return store_into(exact, inst[1], small_of(exact, inst[2]));
    case SpvOpCopyMemory:
        return store_into(exact, inst[1], small_in(exact, inst[2]));
    case SpvOpAtomicStore:
    case SpvOpAtomicExchange:
    case SpvOpAtomicFAddEXT:
        return store_into(exact, inst[op == SpvOpAtomicStore ? 1 : 3], ISG_SPIRV_SMALL);
    default:
        break;
    }
    if (isg_spirv_result_at(inst) != 2) {
        return false;
    }
    if (op == SpvOpFunctionParameter &&
        isg_spirv_def_as(exact->module, inst[1], SpvOpTypePointer) != NULL) {
        exact->roots[inst[2]] = inst[2];
        return false;
    }
    if (op == SpvOpCopyObject) {
        exact->roots[inst[2]] = exact->roots[inst[3]];
    }
    exact->facts[inst[2]] |= exact->facts[inst[1]] & ISG_SPIRV_HAS_FLOAT;
    if ((exact->facts[inst[2]] & ISG_SPIRV_HAS_FLOAT) == 0) {
        return false;
    }
    bool changed = op == SpvOpFunctionCall && flow_call(exact, inst);
    return add_small(exact, inst[2], moved(exact, inst)) || changed;
}

/* Calls without a float result still pass arguments on. */
static bool flow_any(isg_spirv_exact *exact, const uint32_t *inst, uint32_t *function)
{
    bool changed = flow(exact, inst, function);
    if (isg_spirv_op(inst) == SpvOpFunctionCall) {
        changed |= flow_call(exact, inst);
    }
    return changed;
}

static void want_operands(isg_spirv_exact *exact, const uint32_t *inst)
{
    bool wants = isg_spirv_exact_is_arithmetic(exact, inst) &&
                 (exact->explicit_flush || isg_spirv_exact_is_bitwise(exact, inst));
    if (!wants) {
        return;
    }
    isg_spirv_operands it = isg_spirv_operands_of(exact->module, inst);
    while (isg_spirv_operand_next(&it)) {
        if (it.kind == ISG_SPIRV_OPERAND_ID) {
            exact->facts[inst[it.at]] |= ISG_SPIRV_WANTED;
        }
    }
}

void isg_spirv_exact_flow(isg_spirv_exact *exact)
{
    const isg_spirv_module *module = exact->module;
    uint32_t begin = module->sections[ISG_SPIRV_FUNCTIONS];
    uint32_t function = 0;
    bool changed = true;

    mark_types(exact);
    mark_globals(exact);
    for (uint32_t round = 0; changed; round++) {
        changed = false;
        for (uint32_t i = begin; i < module->word_count; i += isg_spirv_length(module->words + i)) {
            const uint32_t *inst = module->words + i;
            changed |= flow_any(exact, inst, &function);
            if (round == MAX_ROUNDS && isg_spirv_result_at(inst) == 2 &&
                !isg_spirv_exact_is_arithmetic(exact, inst)) {
                add_small(exact, inst[2], ISG_SPIRV_SMALL);
            }
        }
        if (round == MAX_ROUNDS) {
            for (uint32_t i = 0; i < module->id_count; i++) { /* private and shared memory too */
                exact->facts[i] |= exact->roots[i] == i ? ISG_SPIRV_SMALL : 0;
            }
            break;
        }
    }
    for (uint32_t i = begin; i < module->word_count; i += isg_spirv_length(module->words + i)) {
        want_operands(exact, module->words + i);
    }
}
