/* Pass: every loop takes from one budget of iterations, so that an endless one ends in an error. */
#include "spirv/module.h"

typedef struct bounded {
    const isg_spirv_module *module;
    isg_spirv_editor editor;
    isg_spirv_guard guard;
    /* The edge from a loop's head into its body goes through new blocks: by the body's label, the
     * head it came from and the block it comes from now. */
    uint32_t *heads;      /* owned, id_count */
    uint32_t *joins;      /* owned, id_count */
    uint32_t label;       /* of the block at hand */
    uint32_t merge, next; /* of the loop whose head that is; 0: no loop's */
    uint32_t return_type; /* of the function at hand */
} bounded;

static void put(bounded *pass, SpvOp op, uint32_t operand)
{
    ISG_SPIRV_PUT(&pass->editor, ISG_SPIRV_FUNCTIONS, op, operand);
}

/* Takes one iteration; the id of "there was none left". */
static uint32_t spend(bounded *pass)
{
    isg_spirv_editor *editor = &pass->editor;
    isg_spirv_guard *guard = &pass->guard;
    uint32_t left = ISG_SPIRV_EMIT(editor, SpvOpLoad, guard->word, 0, guard->budget);
    uint32_t zero = isg_spirv_edit_u32(editor, 0);
    uint32_t spent = ISG_SPIRV_EMIT(editor, SpvOpIEqual, guard->boolean, 0, left, zero);
    uint32_t less =
        ISG_SPIRV_EMIT(editor, SpvOpISub, guard->word, 0, left, isg_spirv_edit_u32(editor, 1));
    uint32_t value = ISG_SPIRV_EMIT(editor, SpvOpSelect, guard->word, 0, spent, zero, less);

    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpStore, guard->budget, value);
    isg_spirv_guard_note(guard, spent, ISG_STATE_ERROR_LOOP, UINT32_MAX, UINT32_MAX, zero);
    return spent;
}

/* The blocks between a loop's head and `target`: over the budget the function returns. */
static void put_check(bounded *pass, uint32_t label, uint32_t target)
{
    isg_spirv_editor *editor = &pass->editor;
    uint32_t leave = isg_spirv_edit_id(editor);
    uint32_t join = isg_spirv_edit_id(editor);
    uint32_t nothing = isg_spirv_edit_void(editor);

    put(pass, SpvOpLabel, label);
    uint32_t spent = spend(pass);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpSelectionMerge, join,
                  SpvSelectionControlMaskNone);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpBranchConditional, spent, leave, join);
    put(pass, SpvOpLabel, leave);
    if (pass->return_type == nothing) {
        isg_spirv_edit_put(editor, ISG_SPIRV_FUNCTIONS, SpvOpReturn, NULL, 0);
    } else {
        uint32_t any = isg_spirv_edit_id(editor);
        ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpUndef, pass->return_type, any);
        put(pass, SpvOpReturnValue, any);
    }
    put(pass, SpvOpLabel, join);
    put(pass, SpvOpBranch, target);
    pass->heads[target] = pass->label;
    pass->joins[target] = join;
}

static isg_status put_single_block(bounded *pass, const uint32_t *merge, const uint32_t *branch)
{
    isg_spirv_editor *editor = &pass->editor;
    uint32_t spent = spend(pass);
    uint32_t stays = ISG_SPIRV_EMIT(editor, SpvOpLogicalNot, pass->guard.boolean, 0, spent);

    if (isg_spirv_op(branch) == SpvOpBranch) { /* endless: now it has an end */
        isg_spirv_edit_copy_inst(editor, ISG_SPIRV_FUNCTIONS, merge);
        ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpBranchConditional, stays, pass->label,
                      pass->merge);
        return ISG_OK;
    }
    if (branch[2] == pass->label) {
        uint32_t goes_on =
            ISG_SPIRV_EMIT(editor, SpvOpLogicalAnd, pass->guard.boolean, 0, branch[1], stays);
        isg_spirv_edit_copy_inst(editor, ISG_SPIRV_FUNCTIONS, merge);
        ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpBranchConditional, goes_on, branch[2],
                      branch[3]);
    } else {
        uint32_t ends =
            ISG_SPIRV_EMIT(editor, SpvOpLogicalOr, pass->guard.boolean, 0, branch[1], spent);
        isg_spirv_edit_copy_inst(editor, ISG_SPIRV_FUNCTIONS, merge);
        ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpBranchConditional, ends, branch[2],
                      branch[3]);
    }
    return ISG_OK;
}

/* The merge instruction and the branch behind it, of a loop. */
static isg_status put_head(bounded *pass, const uint32_t *merge)
{
    const isg_spirv_module *module = pass->module;
    isg_spirv_editor *editor = &pass->editor;
    const uint32_t *branch = merge + isg_spirv_length(merge);
    uint32_t op = isg_spirv_op(branch);
    uint32_t checks[2] = {0, 0};

    pass->merge = merge[1];
    pass->next = merge[2];
    if (op != SpvOpBranch && op != SpvOpBranchConditional) {
        return isg_spirv_unsupported(module, isg_spirv_offset(module, branch),
                                     "it ends the head of a loop, which ISG_KERNEL_BOUNDED cannot "
                                     "bound; leave that flag out");
    }
    uint32_t first = op == SpvOpBranch ? 1 : 2;
    uint32_t last = op == SpvOpBranch ? 1 : 3;
    for (uint32_t i = first; i <= last; i++) {
        if (branch[i] == pass->label) {
            return put_single_block(pass, merge, branch);
        }
    }
    isg_spirv_edit_copy_inst(editor, ISG_SPIRV_FUNCTIONS, merge);
    uint32_t words[3] = {branch[1], 0, 0};
    for (uint32_t i = first; i <= last; i++) {
        bool again = i == 3 && branch[2] == branch[3];
        words[i - 1] = branch[i];
        if (branch[i] != pass->merge) {
            checks[i - first] = again ? checks[0] : isg_spirv_edit_id(editor);
            words[i - 1] = checks[i - first];
        }
    }
    isg_spirv_edit_put(editor, ISG_SPIRV_FUNCTIONS, (SpvOp)op, words, op == SpvOpBranch ? 1 : 3);
    for (uint32_t i = first; i <= last; i++) {
        if (checks[i - first] != 0 && !(i == 3 && branch[2] == branch[3])) {
            put_check(pass, checks[i - first], branch[i]);
        }
    }
    return ISG_OK;
}

/* A phi whose edge now comes through the new blocks. */
static void put_phi(bounded *pass, const uint32_t *inst)
{
    isg_spirv_buffer *buffer = &pass->editor.sections[ISG_SPIRV_FUNCTIONS];
    size_t at = buffer->count;

    isg_spirv_edit_copy_inst(&pass->editor, ISG_SPIRV_FUNCTIONS, inst);
    for (uint32_t i = 4; i < isg_spirv_length(inst) && !pass->editor.failed; i += 2) {
        if (pass->heads[pass->label] != 0 && inst[i] == pass->heads[pass->label]) {
            buffer->words[at + i] = pass->joins[pass->label];
        }
    }
}

static isg_status put_functions(bounded *pass)
{
    const isg_spirv_module *module = pass->module;
    isg_status status = ISG_OK;

    for (uint32_t i = module->sections[ISG_SPIRV_FUNCTIONS];
         status == ISG_OK && i < module->word_count; i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        uint32_t op = isg_spirv_op(inst);
        if (op == SpvOpFunction) {
            pass->return_type = inst[1];
        } else if (op == SpvOpLabel) {
            pass->label = inst[1];
        }
        if (op == SpvOpPhi) {
            put_phi(pass, inst);
        } else if (op == SpvOpLoopMerge) {
            status = put_head(pass, inst);
            i += isg_spirv_length(inst); /* the branch is written too */
        } else {
            isg_spirv_edit_copy_inst(&pass->editor, ISG_SPIRV_FUNCTIONS, inst);
        }
    }
    return status;
}

isg_status isg_spirv_pass_bounded(const isg_spirv_module *module, const char *entry,
                                  isg_spirv_module **out)
{
    const isg_host_allocator *allocator = isg_spirv_allocator(module);
    size_t words = sizeof(uint32_t) * module->id_count;
    const uint32_t *entry_point = NULL;
    bounded pass = {.module = module};
    isg_status status = isg_spirv_entry(module, entry, &entry_point);

    *out = NULL;
    if (status != ISG_OK) {
        return status;
    }
    pass.heads = isg_alloc(allocator, words);
    pass.joins = isg_alloc(allocator, words);
    if (pass.heads == NULL || pass.joins == NULL) {
        status = isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no memory to rewrite a module of %u ids",
                          (unsigned)module->id_count);
    } else {
        isg_spirv_edit_begin(&pass.editor, module);
        isg_spirv_guard_begin(&pass.guard, &pass.editor, entry_point, true);
        status = put_functions(&pass);
        if (status == ISG_OK) {
            isg_spirv_guard_end(&pass.guard);
            status = isg_spirv_edit_finish(&pass.editor, out);
        } else {
            isg_spirv_edit_abandon(&pass.editor);
        }
    }
    isg_free(allocator, pass.heads, words);
    isg_free(allocator, pass.joins, words);
    return status;
}
