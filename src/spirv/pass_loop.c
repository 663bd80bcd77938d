/* Pass: the entry function is called once for each logical workgroup, in a loop over the grid in
 * isogrid's buffer. docs/decisions/0002-phases-by-pass.md says why it is a pass. */
#include "spirv/module.h"

/* The builtins that become logical. */
enum { WORKGROUP_ID, NUM_WORKGROUPS, GLOBAL_ID, LOGICAL_COUNT };

/* What an id is to this pass: bit `k` of LOGICAL_MASK, a variable of builtin k. */
enum {
    LOGICAL_MASK = 7,
    DERIVED = 8, /* an access chain into such a variable */
};

static const uint32_t builtins[LOGICAL_COUNT] = {SpvBuiltInWorkgroupId, SpvBuiltInNumWorkgroups,
                                                 SpvBuiltInGlobalInvocationId};

typedef struct loop_pass {
    const isg_spirv_module *module;
    const uint32_t *entry;
    uint8_t *flags; /* owned, id_count */
    uint8_t *marks; /* owned, id_count: reached by the entry */
    bool has_shared;
    uint32_t local_id; /* the entry's LocalInvocationId; 0: none yet */
    isg_spirv_editor editor;
    uint32_t word, boolean, vector, input; /* types: uint, bool, uvec3, pointer to it */
    uint32_t physical_id, physical_count;  /* new input variables */
    uint32_t header;                       /* isogrid's buffer, as a block of words */
    uint32_t function;                     /* the new entry function */
} loop_pass;

/* ---- analysis ------------------------------------------------------------------------------------ */

static isg_status find_variable(loop_pass *pass, const uint32_t *inst)
{
    const isg_spirv_module *module = pass->module;
    uint32_t offset = isg_spirv_offset(module, inst);

    if (inst[3] == SpvStorageClassWorkgroup && pass->marks[inst[2]] != 0) {
        pass->has_shared = true;
        if (isg_spirv_length(inst) > 4) {
            return isg_spirv_unsupported(module, offset,
                                         "'%s' is shared memory with an "
                                         "initialiser, in a phased kernel above "
                                         "the device's grid limit; set it in the "
                                         "code",
                                         isg_spirv_name(module, inst[2]));
        }
    }
    if (inst[3] != SpvStorageClassInput) {
        return ISG_OK;
    }
    uint32_t builtin =
        isg_spirv_decoration_value(module, inst[2], SpvDecorationBuiltIn, UINT32_MAX);
    for (uint32_t k = 0; k < LOGICAL_COUNT; k++) {
        if (builtin == builtins[k]) {
            const uint32_t *pointer = isg_spirv_def_as(module, inst[1], SpvOpTypePointer);
            const uint32_t *vector =
                pointer != NULL ? isg_spirv_def_as(module, pointer[3], SpvOpTypeVector) : NULL;
            const uint32_t *word =
                vector != NULL ? isg_spirv_def_as(module, vector[2], SpvOpTypeInt) : NULL;
            if (word == NULL || word[2] != 32 || vector[3] != 3) {
                return isg_spirv_invalid(module, offset,
                                         "the builtin '%s' is no vector of three "
                                         "32-bit integers",
                                         isg_spirv_name(module, inst[2]));
            }
            pass->flags[inst[2]] = (uint8_t)(1u << k);
        }
    }
    return ISG_OK;
}

/* Loads and access chains can be moved to another storage class; nothing else can. */
static isg_status check_use(loop_pass *pass, const uint32_t *inst)
{
    const isg_spirv_module *module = pass->module;
    uint32_t op = isg_spirv_op(inst);
    isg_spirv_operands it = isg_spirv_operands_of(module, inst);

    while (isg_spirv_operand_next(&it)) {
        uint32_t id = inst[it.at];
        if (it.kind != ISG_SPIRV_OPERAND_ID || id >= module->id_count || pass->flags[id] == 0) {
            continue;
        }
        bool chain = (op == SpvOpAccessChain || op == SpvOpInBoundsAccessChain) && it.at == 3;
        bool copy = op == SpvOpCopyMemory && it.at == 2;
        if (chain) {
            pass->flags[inst[2]] |= DERIVED;
        } else if (op != SpvOpLoad && op != SpvOpExtInst && !copy) {
            return isg_spirv_unsupported(module, isg_spirv_offset(module, inst),
                                         "it uses the builtin '%s' other than by loading it, in a "
                                         "phased kernel above the device's grid limit; copy it "
                                         "into a variable first",
                                         isg_spirv_name(module, id));
        }
    }
    return ISG_OK;
}

static void find_local_id(loop_pass *pass)
{
    const isg_spirv_module *module = pass->module;
    uint32_t words = 0;

    isg_spirv_string(pass->entry, 3, &words);
    for (uint32_t i = 3 + words; i < isg_spirv_length(pass->entry); i++) {
        const uint32_t *inst = isg_spirv_def_as(module, pass->entry[i], SpvOpVariable);
        if (inst != NULL && inst[3] == SpvStorageClassInput &&
            isg_spirv_decoration_value(module, inst[2], SpvDecorationBuiltIn, UINT32_MAX) ==
                SpvBuiltInLocalInvocationId) {
            pass->local_id = inst[2];
        }
    }
}

static isg_status analyse(loop_pass *pass)
{
    const isg_spirv_module *module = pass->module;
    isg_status status = isg_spirv_reach(module, pass->entry[2], pass->marks);

    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS];
         status == ISG_OK && i < module->sections[ISG_SPIRV_GLOBALS + 1];
         i += isg_spirv_length(module->words + i)) {
        if (isg_spirv_op(module->words + i) == SpvOpVariable) {
            status = find_variable(pass, module->words + i);
        }
    }
    for (uint32_t i = module->sections[ISG_SPIRV_FUNCTIONS];
         status == ISG_OK && i < module->word_count; i += isg_spirv_length(module->words + i)) {
        status = check_use(pass, module->words + i);
    }
    find_local_id(pass);
    return status;
}

/* ---- globals --------------------------------------------------------------------------------------- */

static uint32_t put_input(loop_pass *pass, uint32_t builtin, const char *name)
{
    isg_spirv_editor *editor = &pass->editor;
    uint32_t id = isg_spirv_edit_id(editor);

    ISG_SPIRV_PUT(editor, ISG_SPIRV_GLOBALS, SpvOpVariable, pass->input, id, SpvStorageClassInput);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_ANNOTATIONS, SpvOpDecorate, id, SpvDecorationBuiltIn, builtin);
    isg_spirv_edit_put_string(editor, ISG_SPIRV_NAMES, SpvOpName, &id, 1, name, NULL, 0);
    return id;
}

static void put_annotations(loop_pass *pass)
{
    const isg_spirv_module *module = pass->module;

    for (uint32_t i = module->sections[ISG_SPIRV_ANNOTATIONS];
         i < module->sections[ISG_SPIRV_ANNOTATIONS + 1];
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) != SpvOpDecorate || (pass->flags[inst[1]] & LOGICAL_MASK) == 0) {
            isg_spirv_edit_copy_inst(&pass->editor, ISG_SPIRV_ANNOTATIONS, inst);
        }
    }
}

static uint32_t private_pointer(loop_pass *pass, uint32_t pointer)
{
    const uint32_t *type = isg_spirv_def_as(pass->module, pointer, SpvOpTypePointer);
    return isg_spirv_edit_pointer(&pass->editor, SpvStorageClassPrivate,
                                  type != NULL ? type[3] : 0);
}

/* Globals, the builtins' variables as private ones under their ids. */
static void put_globals(loop_pass *pass)
{
    const isg_spirv_module *module = pass->module;
    isg_spirv_editor *editor = &pass->editor;

    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS];
             i < module->sections[ISG_SPIRV_GLOBALS + 1];
             i += isg_spirv_length(module->words + i)) {
            const uint32_t *inst = module->words + i;
            bool logical =
                isg_spirv_op(inst) == SpvOpVariable && (pass->flags[inst[2]] & LOGICAL_MASK) != 0;
            if (round == 0 && !logical) {
                isg_spirv_edit_copy_inst(editor, ISG_SPIRV_GLOBALS, inst);
            } else if (round == 1 && logical) {
                uint32_t type = private_pointer(pass, inst[1]);
                ISG_SPIRV_PUT(editor, ISG_SPIRV_GLOBALS, SpvOpVariable, type, inst[2],
                              SpvStorageClassPrivate);
            }
        }
    }
    pass->word = isg_spirv_edit_int(editor, 32, false);
    pass->boolean = isg_spirv_edit_bool(editor);
    pass->vector = isg_spirv_edit_vector(editor, pass->word, 3);
    pass->input = isg_spirv_edit_pointer(editor, SpvStorageClassInput, pass->vector);
    pass->physical_id = put_input(pass, SpvBuiltInWorkgroupId, "isg_physical_workgroup");
    pass->physical_count = put_input(pass, SpvBuiltInNumWorkgroups, "isg_physical_count");
    pass->header = isg_spirv_edit_header(editor);
}

static void put_user_functions(loop_pass *pass)
{
    const isg_spirv_module *module = pass->module;
    isg_spirv_buffer *buffer = &pass->editor.sections[ISG_SPIRV_FUNCTIONS];

    for (uint32_t i = module->sections[ISG_SPIRV_FUNCTIONS]; i < module->word_count;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        uint32_t op = isg_spirv_op(inst);
        size_t at = buffer->count;
        isg_spirv_edit_copy_inst(&pass->editor, ISG_SPIRV_FUNCTIONS, inst);
        if ((op == SpvOpAccessChain || op == SpvOpInBoundsAccessChain) &&
            (pass->flags[inst[2]] & DERIVED) != 0 && !pass->editor.failed) {
            buffer->words[at + 1] = private_pointer(pass, inst[1]);
        }
    }
}

/* ---- the loop --------------------------------------------------------------------------------------- */

static uint32_t two(loop_pass *pass, SpvOp op, uint32_t type, uint32_t a, uint32_t b)
{
    uint32_t id = isg_spirv_edit_id(&pass->editor);
    ISG_SPIRV_PUT(&pass->editor, ISG_SPIRV_FUNCTIONS, op, type, id, a, b);
    return id;
}

static uint32_t one(loop_pass *pass, SpvOp op, uint32_t type, uint32_t a)
{
    uint32_t id = isg_spirv_edit_id(&pass->editor);
    ISG_SPIRV_PUT(&pass->editor, ISG_SPIRV_FUNCTIONS, op, type, id, a);
    return id;
}

static uint32_t pick(loop_pass *pass, uint32_t condition, uint32_t a, uint32_t b)
{
    uint32_t id = isg_spirv_edit_id(&pass->editor);
    ISG_SPIRV_PUT(&pass->editor, ISG_SPIRV_FUNCTIONS, SpvOpSelect, pass->word, id, condition, a, b);
    return id;
}

static void label(loop_pass *pass, uint32_t id)
{
    ISG_SPIRV_PUT(&pass->editor, ISG_SPIRV_FUNCTIONS, SpvOpLabel, id);
}

/* x of an input vector. */
static uint32_t input_x(loop_pass *pass, uint32_t variable)
{
    return two(pass, SpvOpCompositeExtract, pass->word,
               one(pass, SpvOpLoad, pass->vector, variable), 0);
}

/* The place of number `linear` in a grid of the given width and height, z unbounded. */
static void decompose(loop_pass *pass, uint32_t linear, const uint32_t grid[3], uint32_t out[3])
{
    uint32_t rows = two(pass, SpvOpUDiv, pass->word, linear, grid[0]);
    out[0] =
        two(pass, SpvOpISub, pass->word, linear, two(pass, SpvOpIMul, pass->word, rows, grid[0]));
    out[2] = two(pass, SpvOpUDiv, pass->word, rows, grid[1]);
    out[1] =
        two(pass, SpvOpISub, pass->word, rows, two(pass, SpvOpIMul, pass->word, out[2], grid[1]));
}

/* value + step in a dimension of `size` (value < size, step <= size): the rest, and the carry as 0
 * or 1. Nothing wraps: only step and the room that is left are compared. */
static uint32_t add_with_carry(loop_pass *pass, uint32_t value, uint32_t step, uint32_t size,
                               uint32_t *carry)
{
    uint32_t zero = isg_spirv_edit_u32(&pass->editor, 0);
    uint32_t unit = isg_spirv_edit_u32(&pass->editor, 1);
    uint32_t room = two(pass, SpvOpISub, pass->word, size, value);
    uint32_t passes = two(pass, SpvOpUGreaterThanEqual, pass->boolean, step, room);

    *carry = pick(pass, passes, unit, zero);
    return pick(pass, passes, two(pass, SpvOpISub, pass->word, step, room),
                two(pass, SpvOpIAdd, pass->word, value, step));
}

static void advance(loop_pass *pass, const uint32_t at[3], const uint32_t step[3],
                    const uint32_t grid[3], uint32_t out[3])
{
    uint32_t carry;

    out[0] = add_with_carry(pass, at[0], step[0], grid[0], &carry);
    out[1] = add_with_carry(pass, at[1], two(pass, SpvOpIAdd, pass->word, step[1], carry), grid[1],
                            &carry);
    uint32_t planes = two(pass, SpvOpIAdd, pass->word, step[2], carry);
    uint32_t room = two(pass, SpvOpISub, pass->word, grid[2], at[2]);
    out[2] = pick(pass, two(pass, SpvOpUGreaterThanEqual, pass->boolean, planes, room), grid[2],
                  two(pass, SpvOpIAdd, pass->word, at[2], planes));
}

static uint32_t make_vector(loop_pass *pass, const uint32_t components[3])
{
    uint32_t id = isg_spirv_edit_id(&pass->editor);
    ISG_SPIRV_PUT(&pass->editor, ISG_SPIRV_FUNCTIONS, SpvOpCompositeConstruct, pass->vector, id,
                  components[0], components[1], components[2]);
    return id;
}

static isg_status workgroup_size(loop_pass *pass, uint32_t *out)
{
    uint32_t literals[3];
    uint32_t ids[3];
    isg_status status = isg_spirv_workgroup_size(pass->module, pass->entry[2], literals, ids);

    for (uint32_t i = 0; status == ISG_OK && i < 3; i++) {
        if (ids[i] == 0) {
            ids[i] = isg_spirv_edit_u32(&pass->editor, literals[i]);
        } else if (isg_spirv_type_of(pass->module, ids[i]) != pass->word) {
            ids[i] = one(pass, SpvOpBitcast, pass->word, ids[i]);
        }
    }
    if (status == ISG_OK) {
        *out = make_vector(pass, ids);
    }
    return status;
}

/* The values of the logical builtins go into the user's variables. */
static isg_status store_builtins(loop_pass *pass, const uint32_t at[3], const uint32_t grid[3])
{
    const isg_spirv_module *module = pass->module;
    isg_spirv_editor *editor = &pass->editor;
    uint32_t values[LOGICAL_COUNT] = {make_vector(pass, at), make_vector(pass, grid), 0};

    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS];
         i < module->sections[ISG_SPIRV_GLOBALS + 1]; i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) != SpvOpVariable || pass->marks[inst[2]] == 0) {
            continue;
        }
        if (inst[3] == SpvStorageClassPrivate && isg_spirv_length(inst) > 4) {
            ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpStore, inst[2], inst[4]);
        }
        uint8_t flags = pass->flags[inst[2]] & LOGICAL_MASK;
        if (flags == 0) {
            continue;
        }
        uint32_t k = flags >> 1; /* 1, 2, 4: 0, 1, 2 */
        if (k == GLOBAL_ID && values[k] == 0) {
            uint32_t size = 0;
            isg_status status = workgroup_size(pass, &size);
            if (status != ISG_OK) {
                return status;
            }
            values[k] = two(pass, SpvOpIAdd, pass->vector,
                            two(pass, SpvOpIMul, pass->vector, values[WORKGROUP_ID], size),
                            one(pass, SpvOpLoad, pass->vector, pass->local_id));
        }
        const uint32_t *pointer = isg_spirv_def_as(module, inst[1], SpvOpTypePointer);
        uint32_t value = values[k];
        if (pointer != NULL && pointer[3] != pass->vector) {
            value = one(pass, SpvOpBitcast, pointer[3], value);
        }
        ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpStore, inst[2], value);
    }
    return ISG_OK;
}

static void put_barrier(loop_pass *pass)
{
    isg_spirv_editor *editor = &pass->editor;
    uint32_t scope = isg_spirv_edit_u32(editor, SpvScopeWorkgroup);
    uint32_t semantics =
        SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask;

    if (isg_spirv_has_capability(pass->module, SpvCapabilityVulkanMemoryModel)) {
        semantics |= SpvMemorySemanticsMakeAvailableMask | SpvMemorySemanticsMakeVisibleMask;
    }
    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpControlBarrier, scope, scope,
                  isg_spirv_edit_u32(editor, semantics));
}

/* The logical grid; an empty one has no planes, and nothing is divided by zero. */
static void read_grid(loop_pass *pass, uint32_t grid[3])
{
    uint32_t zero = isg_spirv_edit_u32(&pass->editor, 0);
    uint32_t unit = isg_spirv_edit_u32(&pass->editor, 1);

    for (uint32_t i = 0; i < 3; i++) {
        grid[i] = isg_spirv_load_header(&pass->editor, pass->header, ISG_STATE_GRID_X + i);
    }
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t empty = two(pass, SpvOpIEqual, pass->boolean, grid[i], zero);
        grid[2] = pick(pass, empty, zero, grid[2]);
        grid[i] = pick(pass, empty, unit, grid[i]);
    }
}

static isg_status put_loop(loop_pass *pass)
{
    isg_spirv_editor *editor = &pass->editor;
    uint32_t nothing = isg_spirv_edit_void(editor);
    uint32_t type = isg_spirv_edit_global(editor, SpvOpTypeFunction, 0, &nothing, 1);
    uint32_t start_label = isg_spirv_edit_id(editor);
    uint32_t head_label = isg_spirv_edit_id(editor);
    uint32_t body_label = isg_spirv_edit_id(editor);
    uint32_t next_label = isg_spirv_edit_id(editor);
    uint32_t end_label = isg_spirv_edit_id(editor);
    uint32_t grid[3], start[3], step[3], at[3], next[3];

    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpFunction, nothing, pass->function,
                  SpvFunctionControlMaskNone, type);
    label(pass, start_label);
    read_grid(pass, grid);
    decompose(pass, input_x(pass, pass->physical_id), grid, start);
    decompose(pass, input_x(pass, pass->physical_count), grid, step);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpBranch, head_label);

    label(pass, head_label);
    for (uint32_t i = 0; i < 3; i++) {
        at[i] = isg_spirv_edit_id(editor);
        next[i] = 0;
    }
    /* The phis' values from the end of the loop are written in when they are known. */
    isg_spirv_buffer *buffer = &editor->sections[ISG_SPIRV_FUNCTIONS];
    size_t phis = buffer->count;
    for (uint32_t i = 0; i < 3; i++) {
        ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpPhi, pass->word, at[i], start[i],
                      start_label, 0, next_label);
    }
    uint32_t inside = two(pass, SpvOpULessThan, pass->boolean, at[2], grid[2]);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpLoopMerge, end_label, next_label,
                  SpvLoopControlMaskNone);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpBranchConditional, inside, body_label,
                  end_label);

    label(pass, body_label);
    isg_status status = store_builtins(pass, at, grid);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpFunctionCall, nothing,
                  isg_spirv_edit_id(editor), pass->entry[2]);
    if (pass->has_shared) {
        put_barrier(pass);
    }
    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpBranch, next_label);

    label(pass, next_label);
    advance(pass, at, step, grid, next);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpBranch, head_label);
    for (uint32_t i = 0; i < 3 && !editor->failed; i++) {
        buffer->words[phis + i * 7 + 5] = next[i];
    }

    label(pass, end_label);
    isg_spirv_edit_put(editor, ISG_SPIRV_FUNCTIONS, SpvOpReturn, NULL, 0);
    isg_spirv_edit_put(editor, ISG_SPIRV_FUNCTIONS, SpvOpFunctionEnd, NULL, 0);
    return status;
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

static isg_status rewrite(loop_pass *pass, isg_spirv_module **out)
{
    isg_spirv_editor *editor = &pass->editor;
    uint32_t more[4];
    uint32_t more_count = 0;
    bool lists_all = pass->module->version >= 0x00010400u;
    uint32_t had_local_id = pass->local_id;

    isg_spirv_edit_begin(editor, pass->module);
    isg_spirv_edit_copy(editor, ISG_SPIRV_CAPABILITIES);
    isg_spirv_edit_copy(editor, ISG_SPIRV_EXTENSIONS);
    isg_spirv_edit_copy(editor, ISG_SPIRV_IMPORTS);
    isg_spirv_edit_copy(editor, ISG_SPIRV_MEMORY_MODEL);
    isg_spirv_edit_copy(editor, ISG_SPIRV_SOURCES);
    isg_spirv_edit_copy(editor, ISG_SPIRV_NAMES);
    isg_spirv_edit_copy(editor, ISG_SPIRV_PROCESSES);
    put_annotations(pass);
    put_globals(pass);
    if (had_local_id == 0) {
        pass->local_id = put_input(pass, SpvBuiltInLocalInvocationId, "isg_local_invocation");
        more[more_count++] = pass->local_id;
    }
    more[more_count++] = pass->physical_id;
    more[more_count++] = pass->physical_count;
    if (lists_all) {
        more[more_count++] = pass->header;
    }
    pass->function = isg_spirv_edit_id(editor);
    isg_spirv_edit_put_string(editor, ISG_SPIRV_NAMES, SpvOpName, &pass->function, 1, "isg_looped",
                              NULL, 0);
    isg_spirv_put_entry(editor, pass->entry, pass->function, lists_all ? NULL : pass->flags,
                        LOGICAL_MASK, more, more_count);
    isg_spirv_put_modes(editor, pass->entry[2], pass->function);
    put_user_functions(pass);
    isg_status status = put_loop(pass);
    if (status != ISG_OK) {
        isg_spirv_edit_abandon(editor);
        return status;
    }
    return isg_spirv_edit_finish(editor, out);
}

isg_status isg_spirv_pass_loop(const isg_spirv_module *module, const char *entry,
                               isg_spirv_module **out)
{
    const isg_host_allocator *allocator = isg_spirv_allocator(module);
    loop_pass pass = {.module = module};
    isg_status status = isg_spirv_entry(module, entry, &pass.entry);

    *out = NULL;
    if (status != ISG_OK) {
        return status;
    }
    pass.flags = isg_alloc(allocator, module->id_count);
    pass.marks = isg_alloc(allocator, module->id_count);
    if (pass.flags == NULL || pass.marks == NULL) {
        status = isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no memory to rewrite a module of %u ids",
                          (unsigned)module->id_count);
    }
    if (status == ISG_OK) {
        status = analyse(&pass);
    }
    if (status == ISG_OK) {
        status = rewrite(&pass, out);
    }
    isg_free(allocator, pass.flags, module->id_count);
    isg_free(allocator, pass.marks, module->id_count);
    return status;
}
