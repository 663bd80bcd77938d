/* Pass: calls become the bodies of the functions they call, from the leaves of the call graph up. */
#include "spirv/module.h"

/* Words after which no further round is begun, and that no function may pass: bodies multiply. */
#define MAX_WORDS (4u << 20)
#define MAX_FUNCTION_WORDS (16u << 20)

typedef struct inliner {
    const isg_spirv_module *module;
    isg_spirv_editor editor;
    uint8_t *leaf;   /* owned, function_count: it can be put in the place of a call */
    uint8_t *stays;  /* owned, function_count: an entry point's, or called where it must be */
    uint32_t *fresh; /* owned, id_count: an id's name in the body at hand; 0: itself */
    uint32_t *last; /* owned, id_count: the block that now ends what began as this one; 0: itself */
    uint32_t *owner; /* owned, id_count: of ids made in a function, its index + 1 */
    isg_spirv_buffer variables, code; /* of the function at hand */
    uint32_t block;                   /* label of the block that is being written */
    bool changed;
} inliner;

/* ---- what can be inlined ---------------------------------------------------------------------------- */

static uint32_t first_label(const isg_spirv_module *module, const isg_spirv_function *function)
{
    for (uint32_t i = function->offset; i < function->end;
         i += isg_spirv_length(module->words + i)) {
        if (isg_spirv_op(module->words + i) == SpvOpLabel) {
            return module->words[i + 1];
        }
    }
    return 0;
}

/* No calls in it, and its only return ends its last block: the rest of the caller follows there. */
static bool is_leaf(const isg_spirv_module *module, const isg_spirv_function *function)
{
    bool returned = false;

    for (uint32_t i = function->offset; i < function->end;
         i += isg_spirv_length(module->words + i)) {
        uint32_t op = isg_spirv_op(module->words + i);
        if (op == SpvOpFunctionCall || (returned && op != SpvOpFunctionEnd)) {
            return false;
        }
        returned = op == SpvOpReturn || op == SpvOpReturnValue;
    }
    return first_label(module, function) != 0;
}

static bool has_one_block(const isg_spirv_module *module, const isg_spirv_function *function)
{
    uint32_t labels = 0;
    for (uint32_t i = function->offset; i < function->end;
         i += isg_spirv_length(module->words + i)) {
        labels += isg_spirv_op(module->words + i) == SpvOpLabel;
    }
    return labels == 1;
}

/* The head of a loop cannot be split: branches go back to its label. */
static bool splits_a_loop(const isg_spirv_module *module, uint32_t call)
{
    for (uint32_t i = call; isg_spirv_op(module->words + i) != SpvOpFunctionEnd;
         i += isg_spirv_length(module->words + i)) {
        uint32_t op = isg_spirv_op(module->words + i);
        if (op == SpvOpLoopMerge) {
            return true;
        }
        if (op == SpvOpLabel) {
            return false;
        }
    }
    return false;
}

static bool is_inlined(const inliner *pass, uint32_t offset)
{
    const isg_spirv_module *module = pass->module;
    uint32_t index = isg_spirv_function_index(module, module->words[offset + 3]);

    return pass->leaf[index] != 0 &&
           (has_one_block(module, &module->functions[index]) || !splits_a_loop(module, offset));
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static void append_words(inliner *pass, isg_spirv_buffer *buffer, const uint32_t *words,
                         size_t count)
{
    if (!pass->editor.failed && buffer->capacity - buffer->count < count) {
        size_t capacity = buffer->capacity * 2 + count + 256;
        if (capacity > MAX_FUNCTION_WORDS) {
            pass->editor.failed = true;
            return;
        }
        uint32_t *grown = isg_grow(pass->editor.allocator, buffer->words,
                                   buffer->capacity * sizeof *grown, capacity * sizeof *grown);
        pass->editor.failed = grown == NULL;
        if (grown != NULL) {
            buffer->words = grown;
            buffer->capacity = capacity;
        }
    }
    for (size_t i = 0; i < count && !pass->editor.failed; i++) {
        buffer->words[buffer->count++] = words[i];
    }
}

static uint32_t name_of(const inliner *pass, uint32_t id)
{
    return pass->fresh[id] != 0 ? pass->fresh[id] : id;
}

static void put_renamed(inliner *pass, isg_spirv_buffer *buffer, const uint32_t *inst)
{
    size_t at = buffer->count;
    isg_spirv_operands it = isg_spirv_operands_of(pass->module, inst);

    append_words(pass, buffer, inst, isg_spirv_length(inst));
    while (!pass->editor.failed && isg_spirv_operand_next(&it)) {
        if (it.kind == ISG_SPIRV_OPERAND_ID || it.kind == ISG_SPIRV_OPERAND_RESULT) {
            buffer->words[at + it.at] = name_of(pass, inst[it.at]);
        }
    }
}

/* A phi: its parents may have been split. */
static void put_phi(inliner *pass, const uint32_t *inst)
{
    size_t at = pass->code.count;

    put_renamed(pass, &pass->code, inst);
    for (uint32_t i = 4; i < isg_spirv_length(inst) && !pass->editor.failed; i += 2) {
        if (pass->fresh[inst[i]] == 0 && pass->last[inst[i]] != 0) {
            pass->code.words[at + i] = pass->last[inst[i]];
        }
    }
}

/* A variable stands in the first block; its initialiser is stored where the body begins. */
static void put_variable(inliner *pass, const uint32_t *inst, bool copied)
{
    uint32_t words[4] = {4u << 16 | SpvOpVariable, inst[1], name_of(pass, inst[2]), inst[3]};

    if (!copied) {
        append_words(pass, &pass->variables, inst, isg_spirv_length(inst));
        return;
    }
    append_words(pass, &pass->variables, words, 4);
    if (isg_spirv_length(inst) > 4) {
        const uint32_t store[3] = {3u << 16 | SpvOpStore, words[2], inst[4]};
        append_words(pass, &pass->code, store, 3);
    }
}

static void copy_decorations(inliner *pass, uint32_t id)
{
    const isg_spirv_module *module = pass->module;

    for (uint32_t i = module->ids[id].note; i != 0; i = module->notes[i].next) {
        const uint32_t *inst = module->words + module->notes[i].offset;
        isg_spirv_buffer *buffer = &pass->editor.sections[ISG_SPIRV_ANNOTATIONS];
        size_t at = buffer->count;
        if (isg_spirv_op(inst) == SpvOpDecorate) {
            isg_spirv_edit_copy_inst(&pass->editor, ISG_SPIRV_ANNOTATIONS, inst);
            if (!pass->editor.failed) {
                buffer->words[at + 1] = pass->fresh[id];
            }
        }
    }
}

/* ---- one call ------------------------------------------------------------------------------------------- */

/* New names for what the body makes; parameters are the arguments, the first block is the caller's. */
static void name_body(inliner *pass, const isg_spirv_function *function, const uint32_t *call,
                      const uint32_t *arguments, uint32_t end_label)
{
    const isg_spirv_module *module = pass->module;
    uint32_t parameter = 0;
    uint32_t first = 0;
    uint32_t label = 0;

    for (uint32_t i = function->offset; i < function->end;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        uint32_t at = isg_spirv_result_at(inst);
        if (isg_spirv_op(inst) == SpvOpFunction || at == 0) {
            continue;
        }
        if (isg_spirv_op(inst) == SpvOpFunctionParameter) {
            pass->fresh[inst[2]] =
                parameter + 4 < isg_spirv_length(call) ? arguments[parameter] : inst[2];
            parameter++;
            continue;
        }
        pass->fresh[inst[at]] = isg_spirv_edit_id(&pass->editor);
        copy_decorations(pass, inst[at]);
        if (isg_spirv_op(inst) == SpvOpLabel) {
            label = inst[1];
            first = first == 0 ? label : first;
        }
    }
    if (label != first) {
        pass->fresh[label] = end_label;
    }
    pass->fresh[first] = pass->block;
}

static void put_body(inliner *pass, const isg_spirv_function *function, const uint32_t *call)
{
    const isg_spirv_module *module = pass->module;
    uint32_t first = first_label(module, function);

    for (uint32_t i = function->offset; i < function->end;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        uint32_t op = isg_spirv_op(inst);
        if (op == SpvOpFunction || op == SpvOpFunctionParameter || op == SpvOpFunctionEnd ||
            op == SpvOpReturn || (op == SpvOpLabel && inst[1] == first) ||
            (op == SpvOpExtInst && isg_spirv_import_is_debug(module, inst[3]))) {
            continue;
        }
        if (op == SpvOpReturnValue) {
            const uint32_t copy[4] = {4u << 16 | SpvOpCopyObject, call[1], call[2],
                                      name_of(pass, inst[1])};
            append_words(pass, &pass->code, copy, 4);
        } else if (op == SpvOpVariable) {
            put_variable(pass, inst, true);
        } else {
            pass->block = op == SpvOpLabel ? name_of(pass, inst[1]) : pass->block;
            put_renamed(pass, &pass->code, inst);
        }
    }
}

static void forget(inliner *pass, const isg_spirv_function *function)
{
    const isg_spirv_module *module = pass->module;

    for (uint32_t i = function->offset; i < function->end;
         i += isg_spirv_length(module->words + i)) {
        uint32_t at = isg_spirv_result_at(module->words + i);
        if (at != 0) {
            pass->fresh[module->words[i + at]] = 0;
        }
    }
}

static void put_call(inliner *pass, const uint32_t *call, uint32_t end_label)
{
    const isg_spirv_module *module = pass->module;
    const isg_spirv_function *function =
        &module->functions[isg_spirv_function_index(module, call[3])];

    name_body(pass, function, call, call + 4, end_label);
    put_body(pass, function, call);
    forget(pass, function);
    pass->changed = true;
}

/* ---- functions -------------------------------------------------------------------------------------------- */

/* For each call that will split its block, the label that ends it, before any phi is written. Labels
 * are kept under the call's own result id, which is never renamed in its caller. */
static void plan_splits(inliner *pass, const isg_spirv_function *function, uint32_t *ends)
{
    const isg_spirv_module *module = pass->module;
    uint32_t label = 0;

    for (uint32_t i = function->offset; i < function->end;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) == SpvOpLabel) {
            label = inst[1];
        } else if (isg_spirv_op(inst) == SpvOpFunctionCall && is_inlined(pass, i)) {
            uint32_t index = isg_spirv_function_index(module, inst[3]);
            if (!has_one_block(module, &module->functions[index])) {
                ends[inst[2]] = isg_spirv_edit_id(&pass->editor);
                pass->last[label] = ends[inst[2]];
            }
        }
    }
}

static void put_function(inliner *pass, const isg_spirv_function *function, uint32_t *ends)
{
    const isg_spirv_module *module = pass->module;
    uint32_t i = function->offset;

    plan_splits(pass, function, ends);
    pass->variables.count = 0;
    pass->code.count = 0;
    /* To the first label: as it is. */
    for (; isg_spirv_op(module->words + i) != SpvOpLabel;
         i += isg_spirv_length(module->words + i)) {
        isg_spirv_edit_copy_inst(&pass->editor, ISG_SPIRV_FUNCTIONS, module->words + i);
    }
    isg_spirv_edit_copy_inst(&pass->editor, ISG_SPIRV_FUNCTIONS, module->words + i);
    pass->block = module->words[i + 1];
    for (i += 2; i < function->end; i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        uint32_t op = isg_spirv_op(inst);
        if (op == SpvOpVariable) {
            put_variable(pass, inst, false);
        } else if (op == SpvOpPhi) {
            put_phi(pass, inst);
        } else if (op == SpvOpFunctionCall && is_inlined(pass, i)) {
            put_call(pass, inst, ends[inst[2]]);
        } else {
            pass->block = op == SpvOpLabel ? inst[1] : pass->block;
            append_words(pass, &pass->code, inst, isg_spirv_length(inst));
        }
    }
    isg_spirv_edit_words(&pass->editor, ISG_SPIRV_FUNCTIONS, pass->variables.words,
                         pass->variables.count);
    isg_spirv_edit_words(&pass->editor, ISG_SPIRV_FUNCTIONS, pass->code.words, pass->code.count);
}

/* What stays: entry points, and functions some call of which is left as it is. */
static void survey(inliner *pass)
{
    const isg_spirv_module *module = pass->module;

    for (uint32_t f = 0; f < module->function_count; f++) {
        pass->leaf[f] = is_leaf(module, &module->functions[f]);
    }
    for (uint32_t i = module->sections[ISG_SPIRV_ENTRY_POINTS];
         i < module->sections[ISG_SPIRV_ENTRY_POINTS + 1];
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) == SpvOpEntryPoint) {
            pass->stays[isg_spirv_function_index(module, inst[2])] = 1;
        }
    }
    for (uint32_t f = 0; f < module->function_count; f++) {
        const isg_spirv_function *function = &module->functions[f];
        for (uint32_t i = function->offset; i < function->end;
             i += isg_spirv_length(module->words + i)) {
            const uint32_t *inst = module->words + i;
            uint32_t at = isg_spirv_result_at(inst);
            if (at != 0) {
                pass->owner[inst[at]] = f + 1;
            }
            if (isg_spirv_op(inst) == SpvOpFunctionCall && !is_inlined(pass, i)) {
                pass->stays[isg_spirv_function_index(module, inst[3])] = 1;
            }
        }
    }
}

static void put_notes(inliner *pass, isg_spirv_section section)
{
    const isg_spirv_module *module = pass->module;

    for (uint32_t i = module->sections[section]; i < module->sections[section + 1];
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        uint32_t op = isg_spirv_op(inst);
        bool one = op == SpvOpName || op == SpvOpDecorate || op == SpvOpDecorateId ||
                   op == SpvOpDecorateString;
        uint32_t owner = one ? pass->owner[inst[1]] : 0;
        if (owner == 0 || pass->stays[owner - 1] != 0) {
            isg_spirv_edit_copy_inst(&pass->editor, section, inst);
        }
    }
}

/* Whether debug information speaks of functions: then none may go. */
static bool has_debug(const isg_spirv_module *module)
{
    for (uint32_t i = module->sections[ISG_SPIRV_IMPORTS];
         i < module->sections[ISG_SPIRV_IMPORTS + 1]; i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) == SpvOpExtInstImport &&
            isg_spirv_import_is_debug(module, inst[1]) &&
            isg_spirv_import(module, "NonSemantic.DebugPrintf") != inst[1]) {
            return true;
        }
    }
    return false;
}

static isg_status rewrite(inliner *pass, uint32_t *ends, isg_spirv_module **out)
{
    const isg_spirv_module *module = pass->module;
    isg_spirv_editor *editor = &pass->editor;
    bool debug = has_debug(module);

    isg_spirv_edit_begin(editor, module);
    survey(pass);
    for (uint32_t f = 0; debug && f < module->function_count; f++) {
        pass->stays[f] = 1;
    }
    for (uint32_t s = 0; s < ISG_SPIRV_FUNCTIONS; s++) {
        if (s == ISG_SPIRV_NAMES || s == ISG_SPIRV_ANNOTATIONS) {
            put_notes(pass, (isg_spirv_section)s);
        } else {
            isg_spirv_edit_copy(editor, (isg_spirv_section)s);
        }
    }
    for (uint32_t f = 0; f < module->function_count; f++) {
        if (pass->stays[f] != 0 || pass->leaf[f] == 0) {
            put_function(pass, &module->functions[f], ends);
        } else {
            pass->changed = true;
        }
    }
    return isg_spirv_edit_finish(editor, out);
}

/* One round: calls of leaves. Functions that only called leaves are leaves in the next. */
static isg_status inline_leaves(const isg_spirv_module *module, bool *out_changed,
                                isg_spirv_module **out)
{
    const isg_host_allocator *allocator = isg_spirv_allocator(module);
    size_t words = sizeof(uint32_t) * module->id_count;
    inliner pass = {.module = module};
    isg_status status;

    *out = NULL;
    pass.leaf = isg_alloc(allocator, module->function_count + 1);
    pass.stays = isg_alloc(allocator, module->function_count + 1);
    pass.fresh = isg_alloc(allocator, words);
    pass.last = isg_alloc(allocator, words);
    pass.owner = isg_alloc(allocator, words);
    uint32_t *ends = isg_alloc(allocator, words);
    if (pass.leaf == NULL || pass.stays == NULL || pass.fresh == NULL || pass.last == NULL ||
        pass.owner == NULL || ends == NULL) {
        status = isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no memory to rewrite a module of %u ids",
                          (unsigned)module->id_count);
    } else {
        status = rewrite(&pass, ends, out);
    }
    *out_changed = pass.changed;
    isg_free(allocator, pass.variables.words, sizeof(uint32_t) * pass.variables.capacity);
    isg_free(allocator, pass.code.words, sizeof(uint32_t) * pass.code.capacity);
    isg_free(allocator, pass.leaf, module->function_count + 1);
    isg_free(allocator, pass.stays, module->function_count + 1);
    isg_free(allocator, pass.fresh, words);
    isg_free(allocator, pass.last, words);
    isg_free(allocator, pass.owner, words);
    isg_free(allocator, ends, words);
    return status;
}

isg_status isg_spirv_pass_inline(const isg_spirv_module *module, isg_spirv_module **out)
{
    isg_spirv_module *current = NULL;
    bool changed = true;
    isg_status status = isg_spirv_copy(module, &current);

    *out = NULL;
    while (status == ISG_OK && changed && current->word_count < MAX_WORDS) {
        isg_spirv_module *next = NULL;
        status = inline_leaves(current, &changed, &next);
        if (status == ISG_OK) {
            isg_spirv_free(current);
            current = next;
        }
    }
    if (status != ISG_OK) {
        isg_spirv_free(current);
        return status;
    }
    *out = current;
    return ISG_OK;
}
