/* Pass: every index into a buffer, an array or a vector is tested; a bad one is reported, leads to
 * element 0, and what is stored through it changes nothing. */
#include "spirv/module.h"

#define NO_BINDING UINT32_MAX

typedef struct checked {
    const isg_spirv_module *module;
    isg_spirv_editor editor;
    isg_spirv_guard guard;
    uint32_t *bad; /* owned, id_count: of a pointer, the id of "an index on its way was bad" */
} checked;

/* ---- one index --------------------------------------------------------------------------------------- */

/* Where a pointer's memory is bound. */
static void binding_of(const isg_spirv_module *module, uint32_t pointer, uint32_t *set,
                       uint32_t *binding)
{
    isg_spirv_place place = isg_spirv_pointer_place(module, pointer);

    *set =
        isg_spirv_decoration_value(module, place.variable, SpvDecorationDescriptorSet, NO_BINDING);
    *binding = isg_spirv_decoration_value(module, place.variable, SpvDecorationBinding, NO_BINDING);
}

/* A constant index below a constant length needs no test. */
static bool is_inside(const isg_spirv_module *module, uint32_t index, uint32_t length)
{
    uint64_t value = 0;
    uint64_t limit = 0;
    const uint32_t *a = isg_spirv_def_as(module, index, SpvOpConstant);
    const uint32_t *b = isg_spirv_def_as(module, length, SpvOpConstant);

    return a != NULL && b != NULL && isg_spirv_constant_value(module, index, &value) &&
           isg_spirv_constant_value(module, length, &limit) && value < limit;
}

/* The id of `value`, an integer of any type, as one of the unsigned `type` of at least its width. */
static uint32_t widen(checked *pass, uint32_t value, uint32_t value_type, uint32_t type,
                      uint32_t width)
{
    const uint32_t *from = isg_spirv_edit_type(&pass->editor, value_type);

    if (value_type == type) {
        return value;
    }
    if (from != NULL && from[2] == width) {
        return ISG_SPIRV_EMIT(&pass->editor, SpvOpBitcast, type, 0, value);
    }
    /* Negative indices become large ones: extended by sign, then read as unsigned. */
    bool is_signed = from != NULL && from[3] != 0;
    if (!is_signed) {
        return ISG_SPIRV_EMIT(&pass->editor, SpvOpUConvert, type, 0, value);
    }
    uint32_t wide = isg_spirv_edit_int(&pass->editor, width, true);
    return ISG_SPIRV_EMIT(&pass->editor, SpvOpBitcast, type, 0,
                          ISG_SPIRV_EMIT(&pass->editor, SpvOpSConvert, wide, 0, value));
}

/* Tests `index` against `length` (an id of type `length_type`): the index to use, and in *bad the
 * test's outcome joined with what was there. */
static uint32_t test(checked *pass, uint32_t index, uint32_t length, uint32_t length_type,
                     uint32_t pointer, uint32_t *bad)
{
    isg_spirv_editor *editor = &pass->editor;
    isg_spirv_guard *guard = &pass->guard;
    uint32_t index_type = isg_spirv_type_of(pass->module, index);
    const uint32_t *inst = isg_spirv_def_as(pass->module, index_type, SpvOpTypeInt);
    uint32_t set = NO_BINDING;
    uint32_t binding = NO_BINDING;

    if (inst == NULL) {
        return index;
    }
    uint32_t width = inst[2] > 32 ? 64 : 32;
    uint32_t type = isg_spirv_edit_int(editor, width, false);
    uint32_t number = widen(pass, index, index_type, type, width);
    uint32_t limit = widen(pass, length, length_type, type, width);
    uint32_t outside =
        ISG_SPIRV_EMIT(editor, SpvOpUGreaterThanEqual, guard->boolean, 0, number, limit);
    uint32_t shown =
        width == 32 ? number : ISG_SPIRV_EMIT(editor, SpvOpUConvert, guard->word, 0, number);

    binding_of(pass->module, pointer, &set, &binding);
    isg_spirv_guard_note(guard, outside, ISG_STATE_ERROR_BAD_INDEX, set, binding, shown);
    *bad = *bad == 0 ? outside
                     : ISG_SPIRV_EMIT(editor, SpvOpLogicalOr, guard->boolean, 0, *bad, outside);
    return ISG_SPIRV_EMIT(editor, SpvOpSelect, index_type, 0, outside,
                          isg_spirv_edit_splat(editor, index_type, 0), index);
}

/* ---- access chains ------------------------------------------------------------------------------------- */

/* The length of the runtime array at the end of the block that `count` indices of the chain lead to,
 * all but the last, which selects the member. */
static uint32_t runtime_length(checked *pass, const uint32_t *inst, const uint32_t *indices,
                               uint32_t count, uint32_t block)
{
    const isg_spirv_module *module = pass->module;
    isg_spirv_editor *editor = &pass->editor;
    const uint32_t *type = isg_spirv_def_as(module, block, SpvOpTypeStruct);
    uint32_t base = inst[3];

    if (count == 0) { /* the chain starts at the array: its base leads to the block */
        const uint32_t *outer = isg_spirv_def(module, base);
        if (outer == NULL ||
            (isg_spirv_op(outer) != SpvOpAccessChain &&
             isg_spirv_op(outer) != SpvOpInBoundsAccessChain) ||
            isg_spirv_length(outer) != 5) {
            return 0;
        }
        base = outer[3];
        const uint32_t *pointer =
            isg_spirv_def_as(module, isg_spirv_type_of(module, base), SpvOpTypePointer);
        type = pointer != NULL ? isg_spirv_def_as(module, pointer[3], SpvOpTypeStruct) : NULL;
    } else if (count > 1) {
        const uint32_t *pointer =
            isg_spirv_def_as(module, isg_spirv_type_of(module, base), SpvOpTypePointer);
        uint32_t words[16];
        if (pointer == NULL || count > 12) {
            return 0;
        }
        words[0] = base;
        for (uint32_t i = 0; i + 1 < count; i++) {
            words[i + 1] = indices[i];
        }
        base = isg_spirv_emit(editor, SpvOpAccessChain,
                              isg_spirv_edit_pointer(editor, (SpvStorageClass)pointer[2], block), 0,
                              words, count);
    }
    if (type == NULL || isg_spirv_length(type) < 3) {
        return 0;
    }
    return ISG_SPIRV_EMIT(editor, SpvOpArrayLength, pass->guard.word, 0, base,
                          isg_spirv_length(type) - 3);
}

static isg_status put_chain(checked *pass, const uint32_t *inst)
{
    const isg_spirv_module *module = pass->module;
    isg_spirv_editor *editor = &pass->editor;
    const uint32_t *pointer =
        isg_spirv_def_as(module, isg_spirv_type_of(module, inst[3]), SpvOpTypePointer);
    uint32_t words[64];
    uint32_t count = isg_spirv_length(inst) - 4;
    uint32_t type = pointer != NULL ? pointer[3] : 0;
    uint32_t block = 0;
    uint32_t bad = pass->bad[inst[3]];

    if (count > 60 || pointer == NULL || pointer[2] == SpvStorageClassPhysicalStorageBuffer) {
        isg_spirv_edit_copy_inst(editor, ISG_SPIRV_FUNCTIONS, inst);
        return ISG_OK;
    }
    words[0] = inst[3];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *at = isg_spirv_def(module, type);
        uint32_t index = inst[4 + i];
        uint64_t member = 0;
        uint32_t op = at != NULL ? isg_spirv_op(at) : 0;
        if (op == SpvOpTypeStruct) {
            isg_spirv_constant_value(module, index, &member);
            if (member >= isg_spirv_length(at) - 2) {
                return isg_spirv_invalid(module, isg_spirv_offset(module, inst),
                                         "it selects member %llu of a struct that has %u",
                                         (unsigned long long)member,
                                         (unsigned)isg_spirv_length(at) - 2);
            }
            block = type;
            type = at[2 + member];
        } else if (op == SpvOpTypeArray) {
            if (!is_inside(module, index, at[3])) {
                index = test(pass, index, at[3], isg_spirv_type_of(module, at[3]), inst[3], &bad);
            }
            type = at[2];
        } else if (op == SpvOpTypeRuntimeArray) {
            uint32_t length = runtime_length(pass, inst, words + 1, i, block);
            if (length == 0) {
                return isg_spirv_unsupported(module, isg_spirv_offset(module, inst),
                                             "its array's length cannot be found, which "
                                             "ISG_KERNEL_CHECKED needs; leave that flag out");
            }
            index = test(pass, index, length, pass->guard.word, inst[3], &bad);
            type = at[2];
        } else if (op == SpvOpTypeVector || op == SpvOpTypeMatrix) {
            uint32_t length = isg_spirv_edit_u32(editor, at[3]);
            uint64_t value = UINT64_MAX;
            bool known = isg_spirv_def_as(module, index, SpvOpConstant) != NULL &&
                         isg_spirv_constant_value(module, index, &value) && value < at[3];
            if (!known) {
                index = test(pass, index, length, pass->guard.word, inst[3], &bad);
            }
            type = at[2];
        }
        words[1 + i] = index;
    }
    isg_spirv_emit(editor, (SpvOp)isg_spirv_op(inst), inst[1], inst[2], words, count + 1);
    pass->bad[inst[2]] = bad;
    return ISG_OK;
}

/* ---- what goes through a bad pointer -------------------------------------------------------------------- */

static bool is_scalar_or_vector(const isg_spirv_module *module, uint32_t type, uint32_t *count)
{
    const uint32_t *inst = isg_spirv_def(module, type);
    uint32_t op = inst != NULL ? isg_spirv_op(inst) : 0;

    *count = op == SpvOpTypeVector ? inst[3] : 1;
    return op == SpvOpTypeVector || op == SpvOpTypeInt || op == SpvOpTypeFloat ||
           op == SpvOpTypeBool;
}

/* Narrow values that may only be loaded, converted and stored are chosen between as wide ones:
 * *wide is such a type in the shape of `type`, or 0. */
static SpvOp wide_type(checked *pass, uint32_t type, uint32_t *wide)
{
    const isg_spirv_module *module = pass->module;
    isg_spirv_editor *editor = &pass->editor;
    const uint32_t *vector = isg_spirv_def_as(module, type, SpvOpTypeVector);
    const uint32_t *inst = isg_spirv_def(module, vector != NULL ? vector[2] : type);
    bool is_float = inst != NULL && isg_spirv_op(inst) == SpvOpTypeFloat;
    bool is_int = inst != NULL && isg_spirv_op(inst) == SpvOpTypeInt;

    *wide = 0;
    if ((!is_float && !is_int) || inst[2] >= 32 ||
        isg_spirv_has_capability(module, is_float        ? SpvCapabilityFloat16
                                         : inst[2] == 16 ? SpvCapabilityInt16
                                                         : SpvCapabilityInt8)) {
        return SpvOpNop;
    }
    *wide =
        is_float ? isg_spirv_edit_float(editor, 32) : isg_spirv_edit_int(editor, 32, inst[3] != 0);
    *wide = vector != NULL ? isg_spirv_edit_vector(editor, *wide, vector[3]) : *wide;
    return is_float ? SpvOpFConvert : inst[3] != 0 ? SpvOpSConvert : SpvOpUConvert;
}

/* Stores what was there where the index was bad. */
static void put_store(checked *pass, const uint32_t *inst)
{
    const isg_spirv_module *module = pass->module;
    isg_spirv_editor *editor = &pass->editor;
    uint32_t bad = pass->bad[inst[1]];
    uint32_t type = isg_spirv_type_of(module, inst[2]);
    uint32_t count = 1;
    bool simple = is_scalar_or_vector(module, type, &count);

    if (bad == 0 || (!simple && editor->version < 0x00010400u) || count > 4) {
        isg_spirv_edit_copy_inst(editor, ISG_SPIRV_FUNCTIONS, inst);
        return;
    }
    if (count > 1 && editor->version < 0x00010400u) {
        uint32_t words[4] = {bad, bad, bad, bad};
        bad = isg_spirv_emit(editor, SpvOpCompositeConstruct,
                             isg_spirv_edit_vector(editor, pass->guard.boolean, count), 0, words,
                             count);
    }
    uint32_t old = ISG_SPIRV_EMIT(editor, SpvOpLoad, type, 0, inst[1]);
    uint32_t wide = 0;
    SpvOp convert = wide_type(pass, type, &wide);
    uint32_t value;
    if (wide != 0) {
        old = ISG_SPIRV_EMIT(editor, convert, wide, 0, old);
        value = ISG_SPIRV_EMIT(editor, convert, wide, 0, inst[2]);
        value = ISG_SPIRV_EMIT(editor, SpvOpSelect, wide, 0, bad, old, value);
        value = ISG_SPIRV_EMIT(editor, convert, type, 0, value);
    } else {
        value = ISG_SPIRV_EMIT(editor, SpvOpSelect, type, 0, bad, old, inst[2]);
    }
    isg_spirv_buffer *buffer = &editor->sections[ISG_SPIRV_FUNCTIONS];
    size_t at = buffer->count;
    isg_spirv_edit_copy_inst(editor, ISG_SPIRV_FUNCTIONS, inst);
    if (!editor->failed) {
        buffer->words[at + 2] = value;
    }
}

/* An operand that makes the operation change nothing; false: it has none. */
static bool neutral(uint32_t op, uint32_t width, uint64_t *out)
{
    uint64_t ones = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    uint64_t top = UINT64_C(1) << (width - 1);

    switch (op) {
    case SpvOpAtomicIAdd:
    case SpvOpAtomicISub:
    case SpvOpAtomicOr:
    case SpvOpAtomicXor:
    case SpvOpAtomicUMax:
        *out = 0;
        return true;
    case SpvOpAtomicAnd:
    case SpvOpAtomicUMin:
        *out = ones;
        return true;
    case SpvOpAtomicSMin:
        *out = top - 1;
        return true;
    case SpvOpAtomicSMax:
        *out = top;
        return true;
    default:
        return false;
    }
}

/* Exchanges and stores have no neutral operand: they change element 0 of an array that the failing
 * dispatch leaves undefined anyway. */
static void put_atomic(checked *pass, const uint32_t *inst)
{
    const isg_spirv_module *module = pass->module;
    isg_spirv_editor *editor = &pass->editor;
    uint32_t op = isg_spirv_op(inst);
    uint64_t keeps = 0;
    const uint32_t *type =
        op == SpvOpAtomicStore ? NULL : isg_spirv_def_as(module, inst[1], SpvOpTypeInt);
    uint32_t bad = type != NULL ? pass->bad[inst[3]] : 0;

    if (bad == 0 || isg_spirv_length(inst) != 7 || !neutral(op, type[2], &keeps)) {
        isg_spirv_edit_copy_inst(editor, ISG_SPIRV_FUNCTIONS, inst);
        return;
    }
    uint32_t value = ISG_SPIRV_EMIT(editor, SpvOpSelect, inst[1], 0, bad,
                                    isg_spirv_edit_splat(editor, inst[1], keeps), inst[6]);
    ISG_SPIRV_EMIT(editor, (SpvOp)op, inst[1], inst[2], inst[3], inst[4], inst[5], value);
}

/* The component index of a vector that is no memory. */
static void put_vector(checked *pass, const uint32_t *inst)
{
    const isg_spirv_module *module = pass->module;
    isg_spirv_editor *editor = &pass->editor;
    bool inserts = isg_spirv_op(inst) == SpvOpVectorInsertDynamic;
    const uint32_t *type =
        isg_spirv_def_as(module, isg_spirv_type_of(module, inst[3]), SpvOpTypeVector);
    uint32_t bad = 0;

    if (type == NULL) {
        isg_spirv_edit_copy_inst(editor, ISG_SPIRV_FUNCTIONS, inst);
        return;
    }
    uint32_t length = isg_spirv_edit_u32(editor, type[3]);
    uint32_t index = test(pass, inst[inserts ? 5 : 4], length, pass->guard.word, 0, &bad);
    if (inserts) {
        ISG_SPIRV_EMIT(editor, SpvOpVectorInsertDynamic, inst[1], inst[2], inst[3], inst[4], index);
    } else {
        ISG_SPIRV_EMIT(editor, SpvOpVectorExtractDynamic, inst[1], inst[2], inst[3], index);
    }
}

static isg_status put_instruction(checked *pass, const uint32_t *inst)
{
    uint32_t op = isg_spirv_op(inst);

    if (op >= SpvOpAtomicLoad && op <= SpvOpAtomicXor) {
        put_atomic(pass, inst);
        return ISG_OK;
    }
    switch (op) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        return put_chain(pass, inst);
    case SpvOpStore:
        put_store(pass, inst);
        return ISG_OK;
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
        put_vector(pass, inst);
        return ISG_OK;
    default:
        isg_spirv_edit_copy_inst(&pass->editor, ISG_SPIRV_FUNCTIONS, inst);
        return ISG_OK;
    }
}

isg_status isg_spirv_pass_checked(const isg_spirv_module *module, const char *entry,
                                  isg_spirv_module **out)
{
    const isg_host_allocator *allocator = isg_spirv_allocator(module);
    size_t words = sizeof(uint32_t) * module->id_count;
    const uint32_t *entry_point = NULL;
    checked pass = {.module = module};
    isg_status status = isg_spirv_entry(module, entry, &entry_point);

    *out = NULL;
    if (status != ISG_OK) {
        return status;
    }
    pass.bad = isg_alloc(allocator, words);
    if (pass.bad == NULL) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no memory to rewrite a module of %u ids",
                        (unsigned)module->id_count);
    }
    isg_spirv_edit_begin(&pass.editor, module);
    isg_spirv_guard_begin(&pass.guard, &pass.editor, entry_point, false);
    for (uint32_t i = module->sections[ISG_SPIRV_FUNCTIONS];
         status == ISG_OK && i < module->word_count; i += isg_spirv_length(module->words + i)) {
        status = put_instruction(&pass, module->words + i);
    }
    if (status == ISG_OK) {
        isg_spirv_guard_end(&pass.guard);
        status = isg_spirv_edit_finish(&pass.editor, out);
    } else {
        isg_spirv_edit_abandon(&pass.editor);
    }
    isg_free(allocator, pass.bad, words);
    return status;
}
