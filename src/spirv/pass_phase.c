/* Pass: loads of the phase from isogrid's buffer become a specialisation constant. */
#include "spirv/module.h"

/* What an id is to this pass. */
enum {
    STATE_POINTER = 1, /* points into isogrid's buffer */
    PHASE_POINTER = 2, /* at its first word */
    DEAD = 4,          /* nothing uses it any more: left out */
    REPLACED = 8,      /* a load of the phase */
    SYNC_CLASS = 16,   /* the reserved constant of the sync class */
};

typedef struct phase_pass {
    const isg_spirv_module *module;
    uint8_t *flags;   /* owned, id_count */
    uint32_t *uses;   /* owned, id_count */
    uint32_t *chains; /* owned, id_count: words of access chains into the buffer, in order */
    uint32_t chain_count;
    bool any_phase;
} phase_pass;

static bool is_word(const isg_spirv_module *module, uint32_t type)
{
    const uint32_t *inst = isg_spirv_def_as(module, type, SpvOpTypeInt);
    return inst != NULL && inst[2] == 32;
}

/* Marks pointers into the buffer; an access chain comes after what it starts from. */
static void mark_pointer(phase_pass *pass, const uint32_t *inst)
{
    const isg_spirv_module *module = pass->module;
    uint32_t op = isg_spirv_op(inst);

    if (op == SpvOpVariable && isg_spirv_is_state(module, inst[2])) {
        pass->flags[inst[2]] |= STATE_POINTER;
    } else if ((op == SpvOpAccessChain || op == SpvOpInBoundsAccessChain) &&
               (pass->flags[inst[3]] & STATE_POINTER) != 0) {
        const uint32_t *type = isg_spirv_def_as(module, inst[1], SpvOpTypePointer);
        isg_spirv_place place = isg_spirv_pointer_place(module, inst[2]);
        pass->flags[inst[2]] |= STATE_POINTER;
        pass->chains[pass->chain_count++] = isg_spirv_offset(module, inst);
        if (type != NULL && is_word(module, type[3]) && place.offset == ISG_STATE_PHASE * 4) {
            pass->flags[inst[2]] |= PHASE_POINTER;
        }
    } else if (op == SpvOpSpecConstant &&
               isg_spirv_decoration_value(module, inst[2], SpvDecorationSpecId, 0) ==
                   ISG_SPEC_ID_SYNC_CLASS) {
        pass->flags[inst[2]] |= SYNC_CLASS;
    }
}

static bool is_note(uint32_t op)
{
    return op == SpvOpName || op == SpvOpMemberName || op == SpvOpDecorate ||
           op == SpvOpDecorateId || op == SpvOpDecorateString || op == SpvOpEntryPoint;
}

static isg_status count_uses(phase_pass *pass, const uint32_t *inst)
{
    const isg_spirv_module *module = pass->module;
    uint32_t op = isg_spirv_op(inst);
    isg_spirv_operands it = isg_spirv_operands_of(module, inst);

    if (is_note(op)) {
        return ISG_OK;
    }
    if (op == SpvOpLoad && (pass->flags[inst[3]] & PHASE_POINTER) != 0) {
        pass->flags[inst[2]] |= REPLACED;
        pass->any_phase = true;
        return ISG_OK;
    }
    while (isg_spirv_operand_next(&it)) {
        uint32_t id = inst[it.at];
        if (it.kind != ISG_SPIRV_OPERAND_ID || id >= module->id_count) {
            continue;
        }
        pass->uses[id]++;
        if ((pass->flags[id] & PHASE_POINTER) != 0 && op != SpvOpExtInst) {
            return isg_spirv_unsupported(module, isg_spirv_offset(module, inst),
                                         "it uses the phase of isogrid's buffer other than by "
                                         "loading it; use isg_phase()");
        }
    }
    return ISG_OK;
}

static isg_status analyse(phase_pass *pass)
{
    const isg_spirv_module *module = pass->module;

    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS]; i < module->word_count;
         i += isg_spirv_length(module->words + i)) {
        mark_pointer(pass, module->words + i);
    }
    for (uint32_t i = ISG_SPIRV_HEADER_WORDS; i < module->word_count;
         i += isg_spirv_length(module->words + i)) {
        isg_status status = count_uses(pass, module->words + i);
        if (status != ISG_OK) {
            return status;
        }
    }
    while (pass->chain_count > 0) {
        const uint32_t *inst = module->words + pass->chains[--pass->chain_count];
        if (pass->uses[inst[2]] == 0) {
            pass->flags[inst[2]] |= DEAD;
            pass->uses[inst[3]]--;
        }
    }
    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS];
         i < module->sections[ISG_SPIRV_GLOBALS + 1]; i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) == SpvOpVariable && pass->uses[inst[2]] == 0 &&
            (pass->flags[inst[2]] & STATE_POINTER) != 0) {
            pass->flags[inst[2]] |= DEAD;
        }
    }
    return ISG_OK;
}

void isg_spirv_put_entry(isg_spirv_editor *editor, const uint32_t *entry, uint32_t function,
                         const uint8_t *drop, uint8_t drop_mask, const uint32_t *more,
                         uint32_t more_count)
{
    uint32_t words = 0;
    const char *name = isg_spirv_string(entry, 3, &words);
    isg_spirv_buffer *buffer = &editor->sections[ISG_SPIRV_ENTRY_POINTS];
    size_t start = buffer->count;

    isg_spirv_edit_put_string(editor, ISG_SPIRV_ENTRY_POINTS, SpvOpEntryPoint,
                              (const uint32_t[]){entry[1], function}, 2, name, NULL, 0);
    for (uint32_t i = 3 + words; i < isg_spirv_length(entry); i++) {
        if (drop == NULL || (drop[entry[i]] & drop_mask) == 0) {
            isg_spirv_edit_word(editor, ISG_SPIRV_ENTRY_POINTS, start, entry[i]);
        }
    }
    for (uint32_t i = 0; i < more_count; i++) {
        isg_spirv_edit_word(editor, ISG_SPIRV_ENTRY_POINTS, start, more[i]);
    }
}

void isg_spirv_put_modes(isg_spirv_editor *editor, uint32_t entry, uint32_t function)
{
    const isg_spirv_module *module = editor->module;
    uint32_t end = module->sections[ISG_SPIRV_EXECUTION_MODES + 1];

    for (uint32_t i = module->sections[ISG_SPIRV_EXECUTION_MODES]; i < end;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) != SpvOpNop && inst[1] == entry) {
            isg_spirv_buffer *buffer = &editor->sections[ISG_SPIRV_EXECUTION_MODES];
            size_t at = buffer->count;
            isg_spirv_edit_copy_inst(editor, ISG_SPIRV_EXECUTION_MODES, inst);
            if (!editor->failed) {
                buffer->words[at + 1] = function;
            }
        }
    }
}

/* Names and decorations, but those of what is left out. */
static void put_notes(isg_spirv_editor *editor, const phase_pass *pass, isg_spirv_section section)
{
    const isg_spirv_module *module = pass->module;

    for (uint32_t i = module->sections[section]; i < module->sections[section + 1];
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        uint32_t op = isg_spirv_op(inst);
        uint8_t flags = is_note(op) ? pass->flags[inst[1]] : 0;
        bool drops_spec =
            (flags & SYNC_CLASS) != 0 && op == SpvOpDecorate && inst[2] == SpvDecorationSpecId;
        if ((flags & DEAD) == 0 && !drops_spec) {
            isg_spirv_edit_copy_inst(editor, section, inst);
        }
    }
}

static void put_globals(isg_spirv_editor *editor, const phase_pass *pass)
{
    const isg_spirv_module *module = pass->module;

    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS];
         i < module->sections[ISG_SPIRV_GLOBALS + 1]; i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) == SpvOpVariable && (pass->flags[inst[2]] & DEAD) != 0) {
            continue;
        }
        if (isg_spirv_op(inst) == SpvOpSpecConstant && (pass->flags[inst[2]] & SYNC_CLASS) != 0) {
            isg_spirv_edit_put(editor, ISG_SPIRV_GLOBALS, SpvOpConstant, inst + 1,
                               isg_spirv_length(inst) - 1);
            continue;
        }
        isg_spirv_edit_copy_inst(editor, ISG_SPIRV_GLOBALS, inst);
    }
}

static void put_functions(isg_spirv_editor *editor, const phase_pass *pass, uint32_t phase)
{
    const isg_spirv_module *module = pass->module;
    uint32_t unsigned_type = pass->any_phase ? isg_spirv_edit_int(editor, 32, false) : 0;

    for (uint32_t i = module->sections[ISG_SPIRV_FUNCTIONS]; i < module->word_count;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        uint32_t at = isg_spirv_result_at(inst);
        uint8_t flags = at != 0 ? pass->flags[inst[at]] : 0;
        if ((flags & DEAD) != 0) {
            continue;
        }
        if ((flags & REPLACED) != 0) {
            ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS,
                          inst[1] == unsigned_type ? SpvOpCopyObject : SpvOpBitcast, inst[1],
                          inst[2], phase);
            continue;
        }
        isg_spirv_edit_copy_inst(editor, ISG_SPIRV_FUNCTIONS, inst);
    }
}

static isg_status rewrite(const phase_pass *pass, const uint32_t *entry, isg_spirv_module **out)
{
    isg_spirv_editor editor;
    uint32_t phase = 0;

    isg_spirv_edit_begin(&editor, pass->module);
    isg_spirv_edit_copy(&editor, ISG_SPIRV_CAPABILITIES);
    isg_spirv_edit_copy(&editor, ISG_SPIRV_EXTENSIONS);
    isg_spirv_edit_copy(&editor, ISG_SPIRV_IMPORTS);
    isg_spirv_edit_copy(&editor, ISG_SPIRV_MEMORY_MODEL);
    isg_spirv_put_entry(&editor, entry, entry[2], pass->flags, DEAD, NULL, 0);
    isg_spirv_put_modes(&editor, entry[2], entry[2]);
    isg_spirv_edit_copy(&editor, ISG_SPIRV_SOURCES);
    put_notes(&editor, pass, ISG_SPIRV_NAMES);
    isg_spirv_edit_copy(&editor, ISG_SPIRV_PROCESSES);
    put_notes(&editor, pass, ISG_SPIRV_ANNOTATIONS);
    put_globals(&editor, pass);
    if (pass->any_phase) {
        phase = isg_spirv_edit_id(&editor);
        ISG_SPIRV_PUT(&editor, ISG_SPIRV_GLOBALS, SpvOpSpecConstant,
                      isg_spirv_edit_int(&editor, 32, false), phase, 0);
        ISG_SPIRV_PUT(&editor, ISG_SPIRV_ANNOTATIONS, SpvOpDecorate, phase, SpvDecorationSpecId,
                      ISG_SPEC_ID_PHASE);
        isg_spirv_edit_put_string(&editor, ISG_SPIRV_NAMES, SpvOpName, &phase, 1, "isg_phase_value",
                                  NULL, 0);
    }
    put_functions(&editor, pass, phase);
    return isg_spirv_edit_finish(&editor, out);
}

bool isg_spirv_uses_state(const isg_spirv_module *module)
{
    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS];
         i < module->sections[ISG_SPIRV_GLOBALS + 1]; i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) == SpvOpVariable && isg_spirv_is_state(module, inst[2])) {
            return true;
        }
    }
    return false;
}

/* Anything of isogrid's, or entry points to choose from: else the pass has nothing to do. */
static bool has_reserved(const isg_spirv_module *module)
{
    uint32_t entries = 0;

    for (uint32_t i = module->sections[ISG_SPIRV_ENTRY_POINTS];
         i < module->sections[ISG_SPIRV_ENTRY_POINTS + 1];
         i += isg_spirv_length(module->words + i)) {
        entries++;
    }
    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS];
         i < module->sections[ISG_SPIRV_GLOBALS + 1]; i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) == SpvOpSpecConstant &&
            isg_spirv_decoration_value(module, inst[2], SpvDecorationSpecId, 0) ==
                ISG_SPEC_ID_SYNC_CLASS) {
            return true;
        }
    }
    return entries != 1 || isg_spirv_uses_state(module);
}

isg_status isg_spirv_pass_phase(const isg_spirv_module *module, const char *entry,
                                bool *out_has_phase, isg_spirv_module **out)
{
    const isg_host_allocator *allocator = isg_spirv_allocator(module);
    const uint32_t *entry_point = NULL;
    phase_pass pass = {.module = module};
    size_t words = sizeof(uint32_t) * module->id_count;
    isg_status status;

    *out = NULL;
    *out_has_phase = false;
    status = isg_spirv_entry(module, entry, &entry_point);
    if (status != ISG_OK) {
        return status;
    }
    if (!has_reserved(module)) {
        return isg_spirv_copy(module, out);
    }
    pass.flags = isg_alloc(allocator, module->id_count);
    pass.uses = isg_alloc(allocator, words);
    pass.chains = isg_alloc(allocator, words);
    if (pass.flags == NULL || pass.uses == NULL || pass.chains == NULL) {
        status = isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no memory to rewrite a module of %u ids",
                          (unsigned)module->id_count);
    }
    if (status == ISG_OK) {
        status = analyse(&pass);
    }
    if (status == ISG_OK) {
        *out_has_phase = pass.any_phase;
        status = rewrite(&pass, entry_point, out);
    }
    isg_free(allocator, pass.flags, module->id_count);
    isg_free(allocator, pass.uses, words);
    isg_free(allocator, pass.chains, words);
    return status;
}
