/* Reads the function bodies an entry reaches: who touches which memory, and what is not portable. */
#include "spirv/reflect.h"

#include <spirv/unified1/GLSL.std.450.h>

const char *isg_spirv_reason_text(isg_spirv_reason reason)
{
    static const char *const texts[ISG_SPIRV_REASON_COUNT] = {
        [ISG_SPIRV_REASON_SUBGROUPS] =
            "it uses subgroup operations or builtins, and subgroup sizes differ between devices",
        [ISG_SPIRV_REASON_ATOMIC_ORDER] =
            "it uses what an atomic operation found in memory, which depends on timing",
        [ISG_SPIRV_REASON_FLOAT_ATOMICS] =
            "it adds floats atomically, and the order of additions changes the sum",
        [ISG_SPIRV_REASON_DIVISION] = "it divides floats, which drivers round differently",
        [ISG_SPIRV_REASON_SQUARE_ROOT] = "it takes square roots, which drivers round differently",
        [ISG_SPIRV_REASON_TRANSCENDENTAL] =
            "it uses transcendental functions, which drivers compute differently",
        [ISG_SPIRV_REASON_HALF] =
            "it computes with 16-bit floats, whose small values drivers treat differently",
        [ISG_SPIRV_REASON_DOUBLE] =
            "it computes with 64-bit floats, whose small values drivers treat differently",
        [ISG_SPIRV_REASON_CLOCK] = "it reads a clock",
        [ISG_SPIRV_REASON_SAMPLING] = "it samples images, and filters differ between devices",
        [ISG_SPIRV_REASON_ADDRESS] = "it turns buffer addresses into numbers",
        [ISG_SPIRV_REASON_ROUNDING] = "it packs or rounds floats by a rule that drivers choose",
    };
    return reason < ISG_SPIRV_REASON_COUNT ? texts[reason] : "";
}

uint32_t isg_spirv_reflect_root(isg_spirv_reflection *reflection, uint32_t id)
{
    uint32_t *parents = reflection->parents;

    while (parents[id] != 0) {
        if (parents[parents[id]] != 0) {
            parents[id] = parents[parents[id]];
        }
        id = parents[id];
    }
    return id;
}

static void unify(isg_spirv_reflection *reflection, uint32_t a, uint32_t b)
{
    uint32_t count = reflection->module->id_count;

    if (a >= count || b >= count) {
        return;
    }
    a = isg_spirv_reflect_root(reflection, a);
    b = isg_spirv_reflect_root(reflection, b);
    if (a != b) {
        reflection->parents[a] = b;
        reflection->accesses[b] |= reflection->accesses[a];
    }
}

static void touch(isg_spirv_reflection *reflection, uint32_t id, isg_access access)
{
    if (id < reflection->module->id_count) {
        id = isg_spirv_reflect_root(reflection, id);
        reflection->accesses[id] = (uint8_t)(reflection->accesses[id] | (uint8_t)access);
    }
}

/* Pointers, images and samplers: what is passed around and still means the variable. */
static bool means_memory(const isg_spirv_module *module, uint32_t type)
{
    const uint32_t *inst = isg_spirv_def(module, type);
    if (inst == NULL) {
        return false;
    }
    switch (isg_spirv_op(inst)) {
    case SpvOpTypePointer:
    case SpvOpTypeImage:
    case SpvOpTypeSampler:
    case SpvOpTypeSampledImage:
        return true;
    case SpvOpTypeArray: /* of descriptors, loaded whole */
    case SpvOpTypeRuntimeArray: {
        const uint32_t *element = isg_spirv_def(module, inst[2]);
        return element != NULL && (isg_spirv_op(element) == SpvOpTypeImage ||
                                   isg_spirv_op(element) == SpvOpTypeSampler ||
                                   isg_spirv_op(element) == SpvOpTypeSampledImage);
    }
    default:
        return false;
    }
}

static void call(isg_spirv_reflection *reflection, const uint32_t *inst)
{
    const isg_spirv_module *module = reflection->module;
    const uint32_t *function = isg_spirv_def_as(module, inst[3], SpvOpFunction);
    uint32_t argument = 4;

    if (function == NULL) {
        return;
    }
    if (means_memory(module, inst[1])) {
        unify(reflection, inst[2], inst[3]);
    }
    const uint32_t *end = module->words + module->word_count;
    for (const uint32_t *at = function + isg_spirv_length(function);
         at < end && argument < isg_spirv_length(inst); at += isg_spirv_length(at)) {
        if (isg_spirv_op(at) == SpvOpFunctionParameter) {
            if (means_memory(module, at[1])) {
                unify(reflection, at[2], inst[argument]);
            }
            argument++;
        } else if (isg_spirv_op(at) != SpvOpLine && isg_spirv_op(at) != SpvOpNoLine) {
            break;
        }
    }
}

/* Features that depend on the memory an atomic touches. */
static void atomic_features(isg_spirv_reflection *reflection, const uint32_t *inst,
                            uint32_t pointer)
{
    const isg_spirv_module *module = reflection->module;
    const uint32_t *type =
        isg_spirv_def_as(module, isg_spirv_type_of(module, pointer), SpvOpTypePointer);
    const uint32_t *value = type != NULL ? isg_spirv_def(module, type[3]) : NULL;
    bool shared = type != NULL && type[2] == SpvStorageClassWorkgroup;

    if (value != NULL && isg_spirv_op(value) == SpvOpTypeInt && value[2] == 64) {
        reflection->info.features |= shared ? (uint32_t)ISG_FEATURE_SHARED_ATOMIC_INT64
                                            : (uint32_t)ISG_FEATURE_BUFFER_ATOMIC_INT64;
    }
    if (isg_spirv_op(inst) == SpvOpAtomicFAddEXT) {
        reflection->info.features |= shared ? (uint32_t)ISG_FEATURE_SHARED_ATOMIC_FLOAT_ADD
                                            : (uint32_t)ISG_FEATURE_BUFFER_ATOMIC_FLOAT_ADD;
    }
}

static bool is_atomic(uint32_t op)
{
    return (op >= SpvOpAtomicLoad && op <= SpvOpAtomicXor) || op == SpvOpAtomicFAddEXT ||
           op == SpvOpAtomicFMinEXT || op == SpvOpAtomicFMaxEXT;
}

static void atomic(isg_spirv_reflection *reflection, const uint32_t *inst)
{
    uint32_t op = isg_spirv_op(inst);
    uint32_t pointer = inst[op == SpvOpAtomicStore ? 1 : 3];

    reflection->info.uses_atomics = true;
    touch(reflection, pointer,
          op == SpvOpAtomicStore  ? ISG_ACCESS_WRITE
          : op == SpvOpAtomicLoad ? ISG_ACCESS_READ
                                  : ISG_ACCESS_READ_WRITE);
    atomic_features(reflection, inst, pointer);
    if (op == SpvOpAtomicFAddEXT) {
        reflection->info.uses_float_atomics = true;
        reflection->reasons |= 1u << ISG_SPIRV_REASON_FLOAT_ATOMICS;
    }
    bool replaces =
        op == SpvOpAtomicExchange || op == SpvOpAtomicCompareExchange || op == SpvOpAtomicStore;
    bool used = op != SpvOpAtomicStore && reflection->uses[inst[2]] > 0;
    if (replaces || used) {
        reflection->reasons |= 1u << ISG_SPIRV_REASON_ATOMIC_ORDER;
    }
}

static bool is_subgroup(uint32_t op)
{
    return (op >= SpvOpGroupNonUniformElect && op <= SpvOpGroupNonUniformQuadSwap) ||
           (op >= SpvOpSubgroupBallotKHR && op <= SpvOpSubgroupReadInvocationKHR);
}

static void extended(isg_spirv_reflection *reflection, const uint32_t *inst, uint32_t glsl,
                     uint32_t printf_set)
{
    uint32_t *reasons = &reflection->reasons;

    if (printf_set != 0 && inst[3] == printf_set) {
        reflection->info.uses_printf = true;
        return;
    }
    if (glsl == 0 || inst[3] != glsl) {
        return;
    }
    switch (inst[4]) {
    case GLSLstd450Sin:
    case GLSLstd450Cos:
    case GLSLstd450Tan:
    case GLSLstd450Asin:
    case GLSLstd450Acos:
    case GLSLstd450Atan:
    case GLSLstd450Sinh:
    case GLSLstd450Cosh:
    case GLSLstd450Tanh:
    case GLSLstd450Asinh:
    case GLSLstd450Acosh:
    case GLSLstd450Atanh:
    case GLSLstd450Atan2:
    case GLSLstd450Pow:
    case GLSLstd450Exp:
    case GLSLstd450Log:
    case GLSLstd450Exp2:
    case GLSLstd450Log2:
        *reasons |= 1u << ISG_SPIRV_REASON_TRANSCENDENTAL;
        break;
    case GLSLstd450Sqrt:
    case GLSLstd450InverseSqrt:
    case GLSLstd450Length:
    case GLSLstd450Distance:
    case GLSLstd450Normalize:
    case GLSLstd450Refract:
        *reasons |= 1u << ISG_SPIRV_REASON_SQUARE_ROOT;
        break;
    case GLSLstd450SmoothStep:
    case GLSLstd450MatrixInverse:
    case GLSLstd450Determinant:
        *reasons |= 1u << ISG_SPIRV_REASON_DIVISION;
        break;
    case GLSLstd450PackHalf2x16:
    case GLSLstd450UnpackHalf2x16:
    case GLSLstd450PackSnorm4x8:
    case GLSLstd450PackUnorm4x8:
    case GLSLstd450PackSnorm2x16:
    case GLSLstd450PackUnorm2x16:
    case GLSLstd450UnpackSnorm4x8:
    case GLSLstd450UnpackUnorm4x8:
    case GLSLstd450UnpackSnorm2x16:
    case GLSLstd450UnpackUnorm2x16:
    case GLSLstd450Ldexp:
    case GLSLstd450Frexp:
    case GLSLstd450FrexpStruct:
        *reasons |= 1u << ISG_SPIRV_REASON_ROUNDING;
        break;
    default:
        break;
    }
    if ((inst[4] == GLSLstd450Modf || inst[4] == GLSLstd450Frexp) && isg_spirv_length(inst) > 6) {
        touch(reflection, inst[6], ISG_ACCESS_WRITE);
    }
}

static void images(isg_spirv_reflection *reflection, const uint32_t *inst)
{
    uint32_t op = isg_spirv_op(inst);

    if (op == SpvOpImageWrite) {
        touch(reflection, inst[1], ISG_ACCESS_WRITE);
    } else if (op == SpvOpSampledImage) {
        touch(reflection, inst[3], ISG_ACCESS_READ);
        touch(reflection, inst[4], ISG_ACCESS_READ);
    } else if (op == SpvOpImage || op == SpvOpImageTexelPointer) {
        unify(reflection, inst[2], inst[3]);
    } else {
        touch(reflection, inst[3], ISG_ACCESS_READ);
    }
    if (op >= SpvOpImageSampleImplicitLod && op <= SpvOpImageDrefGather && op != SpvOpImageFetch) {
        reflection->reasons |= 1u << ISG_SPIRV_REASON_SAMPLING;
    }
}

/* Float arithmetic of other widths than 32. */
static void arithmetic(isg_spirv_reflection *reflection, const uint32_t *inst)
{
    const isg_spirv_module *module = reflection->module;
    const uint32_t *type = isg_spirv_def(module, inst[1]);

    for (uint32_t i = 0; i < 2 && type != NULL; i++) {
        if (isg_spirv_op(type) == SpvOpTypeVector || isg_spirv_op(type) == SpvOpTypeMatrix) {
            type = isg_spirv_def(module, type[2]);
        }
    }
    if (type != NULL && isg_spirv_op(type) == SpvOpTypeFloat && type[2] != 32) {
        reflection->reasons |=
            1u << (type[2] == 16 ? ISG_SPIRV_REASON_HALF : ISG_SPIRV_REASON_DOUBLE);
    }
    switch (isg_spirv_op(inst)) {
    case SpvOpFDiv:
    case SpvOpFRem:
    case SpvOpFMod:
        reflection->reasons |= 1u << ISG_SPIRV_REASON_DIVISION;
        break;
    case SpvOpQuantizeToF16:
        reflection->reasons |= 1u << ISG_SPIRV_REASON_ROUNDING;
        break;
    default:
        break;
    }
}

static void state_use(isg_spirv_reflection *reflection, const uint32_t *inst)
{
    isg_spirv_place place = isg_spirv_pointer_place(reflection->module, inst[2]);
    if (place.variable != 0 && isg_spirv_is_state(reflection->module, place.variable) &&
        (place.offset == ISG_STATE_ROUND * 4 || place.offset == UINT64_MAX)) {
        reflection->info.uses_round = true;
    }
}

static void one(isg_spirv_reflection *reflection, const uint32_t *inst, uint32_t glsl,
                uint32_t printf_set)
{
    const isg_spirv_module *module = reflection->module;
    uint32_t op = isg_spirv_op(inst);

    if (is_atomic(op)) {
        atomic(reflection, inst);
        return;
    }
    if (is_subgroup(op)) {
        reflection->info.uses_subgroups = true;
    }
    if (op >= SpvOpSampledImage && op <= SpvOpImageQuerySamples) {
        images(reflection, inst);
        return;
    }
    if (op == SpvOpImageTexelPointer) {
        images(reflection, inst);
        return;
    }
    if ((op >= SpvOpConvertFToU && op <= SpvOpBitcast) || (op >= SpvOpSNegate && op <= SpvOpDot)) {
        arithmetic(reflection, inst);
    }
    switch (op) {
    case SpvOpLoad:
        if (means_memory(module, inst[1]) &&
            isg_spirv_def_as(module, inst[1], SpvOpTypePointer) == NULL) {
            unify(reflection, inst[2], inst[3]);
        } else {
            touch(reflection, inst[3], ISG_ACCESS_READ);
        }
        break;
    case SpvOpStore:
        touch(reflection, inst[1], ISG_ACCESS_WRITE);
        break;
    case SpvOpCopyMemory:
        touch(reflection, inst[1], ISG_ACCESS_WRITE);
        touch(reflection, inst[2], ISG_ACCESS_READ);
        break;
    case SpvOpArrayLength:
        touch(reflection, inst[3], ISG_ACCESS_READ);
        break;
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        state_use(reflection, inst);
        unify(reflection, inst[2], inst[3]);
        break;
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
    case SpvOpCopyObject:
    case SpvOpCompositeExtract:
        if (means_memory(module, inst[1])) {
            unify(reflection, inst[2], inst[3]);
        }
        break;
    case SpvOpSelect:
        if (means_memory(module, inst[1])) {
            unify(reflection, inst[2], inst[4]);
            unify(reflection, inst[2], inst[5]);
        }
        break;
    case SpvOpPhi:
        for (uint32_t i = 3; means_memory(module, inst[1]) && i < isg_spirv_length(inst); i += 2) {
            unify(reflection, inst[2], inst[i]);
        }
        break;
    case SpvOpFunctionCall:
        call(reflection, inst);
        break;
    case SpvOpExtInst:
        extended(reflection, inst, glsl, printf_set);
        break;
    case SpvOpReadClockKHR:
        reflection->reasons |= 1u << ISG_SPIRV_REASON_CLOCK;
        break;
    case SpvOpConvertPtrToU:
        reflection->reasons |= 1u << ISG_SPIRV_REASON_ADDRESS;
        break;
    default:
        break;
    }
}

static void count_uses(isg_spirv_reflection *reflection, const uint32_t *inst)
{
    isg_spirv_operands it = isg_spirv_operands_of(reflection->module, inst);
    while (isg_spirv_operand_next(&it)) {
        if (it.kind == ISG_SPIRV_OPERAND_ID && inst[it.at] < reflection->module->id_count) {
            reflection->uses[inst[it.at]]++;
        }
    }
}

void isg_spirv_reflect_code(isg_spirv_reflection *reflection)
{
    const isg_spirv_module *module = reflection->module;
    uint32_t glsl = isg_spirv_import(module, "GLSL.std.450");
    uint32_t printf_set = isg_spirv_import(module, "NonSemantic.DebugPrintf");

    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t f = 0; f < module->function_count; f++) {
            const isg_spirv_function *function = &module->functions[f];
            if (reflection->marks[function->id] == 0) {
                continue;
            }
            for (uint32_t i = function->offset; i < function->end;
                 i += isg_spirv_length(module->words + i)) {
                const uint32_t *inst = module->words + i;
                if (isg_spirv_op(inst) == SpvOpExtInst && inst[3] != printf_set &&
                    isg_spirv_import_is_debug(module, inst[3])) {
                    continue;
                }
                if (pass == 0) {
                    count_uses(reflection, inst);
                } else {
                    one(reflection, inst, glsl, printf_set);
                }
            }
        }
    }
}
