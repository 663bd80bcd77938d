/* Pass: specialisation constants become plain ones, with the values that were chosen. */
#include "spirv/module.h"

typedef struct freeze {
    const isg_spirv_module *module;
    isg_spirv_editor editor;
    const isg_spirv_frozen *values;
    uint32_t value_count;
    /* By index into module->constants: what each scalar is now. */
    uint64_t *now;  /* owned, constant_count */
    uint8_t *known; /* owned, constant_count */
} freeze;

static bool is_spec(uint32_t op)
{
    return op == SpvOpSpecConstant || op == SpvOpSpecConstantTrue || op == SpvOpSpecConstantFalse;
}

/* Width of a scalar type, 1 for booleans; 0: none. */
static uint32_t width_of(const isg_spirv_module *module, uint32_t type, bool *is_signed)
{
    const uint32_t *inst = isg_spirv_def(module, type);
    uint32_t op = inst != NULL ? isg_spirv_op(inst) : 0;

    *is_signed = op == SpvOpTypeInt && inst[3] != 0;
    return op == SpvOpTypeBool ? 1 : op == SpvOpTypeInt || op == SpvOpTypeFloat ? inst[2] : 0;
}

static uint64_t extend(uint64_t value, uint32_t width, bool is_signed)
{
    if (width == 0 || width >= 64) {
        return value;
    }
    value &= (UINT64_C(1) << width) - 1;
    return is_signed && (value >> (width - 1) & 1u) != 0 ? value | ~UINT64_C(0) << width : value;
}

/* The value of a specialisation constant: the one given for its SpecId, or its default. */
static bool chosen(const freeze *pass, const uint32_t *inst, uint64_t *out)
{
    uint32_t id =
        isg_spirv_decoration_value(pass->module, inst[2], SpvDecorationSpecId, UINT32_MAX);

    for (uint32_t i = 0; i < pass->value_count && id != UINT32_MAX; i++) {
        if (pass->values[i].id == id) {
            *out = pass->values[i].value;
            bool is_signed = false;
            uint32_t width = width_of(pass->module, inst[1], &is_signed);
            *out = width == 1 ? *out != 0 : extend(*out, width, is_signed);
            return true;
        }
    }
    return isg_spirv_constant_value(pass->module, inst[2], out);
}

static bool operand_now(const freeze *pass, uint32_t id, uint64_t *out)
{
    const uint32_t *inst = isg_spirv_def(pass->module, id);

    if (inst == NULL || !isg_spirv_is_scalar_constant(isg_spirv_op(inst))) {
        return false;
    }
    *out = pass->now[pass->module->ids[id].slot];
    return pass->known[pass->module->ids[id].slot] != 0;
}

/* An operation on scalars; false: on others, or undefined. */
static bool operate(const freeze *pass, const uint32_t *inst, uint64_t *out)
{
    uint32_t count = isg_spirv_length(inst) - 4;
    uint64_t operands[3];
    bool is_signed = false;
    uint32_t width = width_of(pass->module, isg_spirv_type_of(pass->module, inst[4]), &is_signed);
    const uint32_t *type = isg_spirv_def(pass->module, isg_spirv_type_of(pass->module, inst[4]));

    if (count > 3 || width == 0 || type == NULL || isg_spirv_op(type) == SpvOpTypeFloat) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!operand_now(pass, inst[4 + i], &operands[i])) {
            return false;
        }
    }
    if (!isg_spirv_fold((SpvOp)inst[3], width, is_signed, operands, count, out)) {
        return false;
    }
    width = width_of(pass->module, inst[1], &is_signed);
    *out = extend(*out, width, is_signed);
    return width != 0;
}

static void put_scalar(freeze *pass, const uint32_t *inst, uint64_t value)
{
    isg_spirv_editor *editor = &pass->editor;
    bool is_signed = false;
    uint32_t width = width_of(pass->module, inst[1], &is_signed);
    uint32_t words[4] = {inst[1], inst[2], (uint32_t)value, (uint32_t)(value >> 32)};

    if (width == 1) {
        isg_spirv_edit_put(editor, ISG_SPIRV_GLOBALS,
                           value != 0 ? SpvOpConstantTrue : SpvOpConstantFalse, words, 2);
    } else {
        isg_spirv_edit_put(editor, ISG_SPIRV_GLOBALS, SpvOpConstant, words, width > 32 ? 4 : 3);
    }
}

static void put_global(freeze *pass, const uint32_t *inst)
{
    const isg_spirv_module *module = pass->module;
    uint32_t op = isg_spirv_op(inst);
    uint32_t slot = isg_spirv_is_scalar_constant(op) ? module->ids[inst[2]].slot : 0;
    uint64_t value = 0;
    bool known = false;

    if (is_spec(op)) {
        known = chosen(pass, inst, &value);
    } else if (op == SpvOpSpecConstantOp) {
        known = operate(pass, inst, &value);
    } else if (slot != 0) {
        known = isg_spirv_constant_value(module, inst[2], &value);
    }
    pass->now[slot] = value;
    pass->known[slot] = known;
    if (known && (is_spec(op) || op == SpvOpSpecConstantOp)) {
        put_scalar(pass, inst, value);
    } else if (op == SpvOpSpecConstantComposite) {
        isg_spirv_edit_put(&pass->editor, ISG_SPIRV_GLOBALS, SpvOpConstantComposite, inst + 1,
                           isg_spirv_length(inst) - 1);
    } else {
        isg_spirv_edit_copy_inst(&pass->editor, ISG_SPIRV_GLOBALS, inst);
    }
}

/* LocalSizeId becomes LocalSize where its constants are known. */
static void put_mode(freeze *pass, const uint32_t *inst)
{
    uint32_t words[5] = {inst[1], SpvExecutionModeLocalSize, 0, 0, 0};
    bool known = isg_spirv_op(inst) == SpvOpExecutionModeId && isg_spirv_length(inst) == 6 &&
                 inst[2] == SpvExecutionModeLocalSizeId;

    for (uint32_t i = 0; known && i < 3; i++) {
        uint64_t value = 0;
        known = operand_now(pass, inst[3 + i], &value);
        words[2 + i] = (uint32_t)value;
    }
    if (known) {
        isg_spirv_edit_put(&pass->editor, ISG_SPIRV_EXECUTION_MODES, SpvOpExecutionMode, words, 5);
    } else {
        isg_spirv_edit_copy_inst(&pass->editor, ISG_SPIRV_EXECUTION_MODES, inst);
    }
}

static void put_sections(freeze *pass)
{
    const isg_spirv_module *module = pass->module;

    for (uint32_t s = 0; s < ISG_SPIRV_SECTION_COUNT; s++) {
        if (s != ISG_SPIRV_ANNOTATIONS && s != ISG_SPIRV_GLOBALS &&
            s != ISG_SPIRV_EXECUTION_MODES) {
            isg_spirv_edit_copy(&pass->editor, (isg_spirv_section)s);
        }
    }
    for (uint32_t i = module->sections[ISG_SPIRV_ANNOTATIONS];
         i < module->sections[ISG_SPIRV_ANNOTATIONS + 1];
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) != SpvOpDecorate || inst[2] != SpvDecorationSpecId) {
            isg_spirv_edit_copy_inst(&pass->editor, ISG_SPIRV_ANNOTATIONS, inst);
        }
    }
    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS];
         i < module->sections[ISG_SPIRV_GLOBALS + 1]; i += isg_spirv_length(module->words + i)) {
        put_global(pass, module->words + i);
    }
    for (uint32_t i = module->sections[ISG_SPIRV_EXECUTION_MODES];
         i < module->sections[ISG_SPIRV_EXECUTION_MODES + 1];
         i += isg_spirv_length(module->words + i)) {
        put_mode(pass, module->words + i);
    }
}

isg_status isg_spirv_pass_freeze(const isg_spirv_module *module, const isg_spirv_frozen *values,
                                 uint32_t value_count, isg_spirv_module **out)
{
    const isg_host_allocator *allocator = isg_spirv_allocator(module);
    size_t size = sizeof(uint64_t) * module->constant_capacity;
    freeze pass = {.module = module, .values = values, .value_count = value_count};
    isg_status status;

    *out = NULL;
    pass.now = isg_alloc(allocator, size);
    pass.known = isg_alloc(allocator, module->constant_capacity);
    if (pass.now == NULL || pass.known == NULL) {
        status = isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no memory to rewrite a module of %u ids",
                          (unsigned)module->id_count);
    } else {
        isg_spirv_edit_begin(&pass.editor, module);
        put_sections(&pass);
        status = isg_spirv_edit_finish(&pass.editor, out);
    }
    isg_free(allocator, pass.now, size);
    isg_free(allocator, pass.known, module->constant_capacity);
    return status;
}
