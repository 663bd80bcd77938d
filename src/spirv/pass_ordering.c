/* Pass: memory accesses that stay ordered across a wait inside the kernel (DESIGN.md section 5). */
#include "spirv/module.h"

/* What a pointer is to this pass. */
enum { COHERENT = 1, VOLATILE = 2 };

/* Rounds in which pointers' properties go from arguments to parameters: call graphs are shallow. */
#define MAX_ROUNDS 8

typedef struct ordering {
    const isg_spirv_module *module;
    isg_spirv_editor editor;
    uint8_t *flags; /* owned, id_count */
    bool device_scope;
} ordering;

/* ---- coherent and volatile pointers ---------------------------------------------------------------- */

static uint8_t decorated(const isg_spirv_module *module, uint32_t id)
{
    uint8_t flags = 0;
    if (isg_spirv_decoration(module, id, SpvDecorationCoherent, NULL) != NULL) {
        flags |= COHERENT;
    }
    if (isg_spirv_decoration(module, id, SpvDecorationVolatile, NULL) != NULL) {
        flags |= VOLATILE;
    }
    return flags;
}

/* What the members on the way of an access chain say. */
static uint8_t chain_flags(const isg_spirv_module *module, const uint32_t *inst)
{
    const uint32_t *pointer =
        isg_spirv_def_as(module, isg_spirv_type_of(module, inst[3]), SpvOpTypePointer);
    uint32_t type = pointer != NULL ? pointer[3] : 0;
    uint8_t flags = 0;

    for (uint32_t i = 4; i < isg_spirv_length(inst); i++) {
        const uint32_t *at = isg_spirv_def(module, type);
        uint64_t index = 0;
        if (at == NULL) {
            return flags;
        }
        if (isg_spirv_op(at) == SpvOpTypeStruct) {
            isg_spirv_constant_value(module, inst[i], &index);
            const isg_spirv_member *member =
                index > UINT32_MAX ? NULL : isg_spirv_member_info(module, type, (uint32_t)index);
            if (member == NULL) {
                return flags;
            }
            flags = (uint8_t)(flags | (member->coherent ? COHERENT : 0) |
                              (member->is_volatile ? VOLATILE : 0));
            type = at[2 + index];
        } else {
            type = at[2]; /* arrays, vectors, matrices */
        }
    }
    return flags;
}

static bool add_flags(ordering *pass, uint32_t id, uint8_t flags)
{
    bool changed = (flags & ~pass->flags[id]) != 0;
    pass->flags[id] |= flags;
    return changed;
}

static bool flow_call(ordering *pass, const uint32_t *inst)
{
    const uint32_t *at = isg_spirv_def_as(pass->module, inst[3], SpvOpFunction);
    bool changed = false;

    if (at == NULL) {
        return false;
    }
    at += isg_spirv_length(at);
    for (uint32_t i = 4; i < isg_spirv_length(inst); at += isg_spirv_length(at)) {
        if (isg_spirv_op(at) == SpvOpFunctionParameter) {
            changed |= add_flags(pass, at[2], pass->flags[inst[i++]]);
        } else if (isg_spirv_op(at) != SpvOpLine && isg_spirv_op(at) != SpvOpNoLine) {
            break;
        }
    }
    return changed;
}

static void find_flags(ordering *pass)
{
    const isg_spirv_module *module = pass->module;
    bool changed = true;

    for (uint32_t round = 0; changed && round < MAX_ROUNDS; round++) {
        changed = false;
        for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS]; i < module->word_count;
             i += isg_spirv_length(module->words + i)) {
            const uint32_t *inst = module->words + i;
            switch (isg_spirv_op(inst)) {
            case SpvOpVariable:
            case SpvOpFunctionParameter:
                add_flags(pass, inst[2], decorated(module, inst[2]));
                break;
            case SpvOpAccessChain:
            case SpvOpInBoundsAccessChain:
                add_flags(pass, inst[2],
                          (uint8_t)(pass->flags[inst[3]] | chain_flags(module, inst)));
                break;
            case SpvOpPtrAccessChain:
            case SpvOpInBoundsPtrAccessChain:
            case SpvOpCopyObject:
            case SpvOpImageTexelPointer:
            case SpvOpLoad:
                add_flags(pass, inst[2], pass->flags[inst[3]]);
                break;
            case SpvOpFunctionCall:
                changed |= flow_call(pass, inst);
                break;
            default:
                break;
            }
        }
    }
}

/* ---- scopes and semantics ---------------------------------------------------------------------------- */

/* Device scope needs a feature of its own; within one dispatch the queue family's is as wide. */
static uint32_t scope_of(ordering *pass, uint32_t id)
{
    uint64_t scope = 0;
    if (isg_spirv_constant_value(pass->module, id, &scope) && scope == SpvScopeDevice &&
        !pass->device_scope) {
        return isg_spirv_edit_u32(&pass->editor, SpvScopeQueueFamily);
    }
    return id;
}

static uint32_t queue_family(ordering *pass)
{
    return isg_spirv_edit_u32(&pass->editor, SpvScopeQueueFamily);
}

#define STORAGES                                                                                   \
    (SpvMemorySemanticsUniformMemoryMask | SpvMemorySemanticsWorkgroupMemoryMask |                 \
     SpvMemorySemanticsImageMemoryMask)

static uint32_t semantics_value(uint32_t semantics)
{
    if ((semantics & SpvMemorySemanticsSequentiallyConsistentMask) != 0) {
        semantics &= ~(uint32_t)SpvMemorySemanticsSequentiallyConsistentMask;
        semantics |= SpvMemorySemanticsAcquireReleaseMask;
    }
    if ((semantics & STORAGES) == 0) {
        return semantics;
    }
    if ((semantics & (SpvMemorySemanticsAcquireMask | SpvMemorySemanticsAcquireReleaseMask)) != 0) {
        semantics |= SpvMemorySemanticsMakeVisibleMask;
    }
    if ((semantics & (SpvMemorySemanticsReleaseMask | SpvMemorySemanticsAcquireReleaseMask)) != 0) {
        semantics |= SpvMemorySemanticsMakeAvailableMask;
    }
    return semantics;
}

static uint32_t semantics_of(ordering *pass, uint32_t id, uint32_t more)
{
    uint64_t value = 0;
    if (!isg_spirv_constant_value(pass->module, id, &value)) {
        return id;
    }
    return isg_spirv_edit_u32(&pass->editor, semantics_value((uint32_t)value | more));
}

static void put_barrier(ordering *pass, const uint32_t *inst)
{
    uint64_t scope = 0;
    uint64_t semantics = 0;
    uint32_t more = 0;

    isg_spirv_constant_value(pass->module, inst[1], &scope);
    isg_spirv_constant_value(pass->module, inst[3], &semantics);
    if (scope == SpvScopeWorkgroup) {
        more = SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsUniformMemoryMask |
               SpvMemorySemanticsWorkgroupMemoryMask;
        semantics &= ~(uint64_t)(SpvMemorySemanticsAcquireMask | SpvMemorySemanticsReleaseMask);
    }
    ISG_SPIRV_PUT(&pass->editor, ISG_SPIRV_FUNCTIONS, SpvOpControlBarrier, inst[1],
                  scope_of(pass, inst[2]),
                  isg_spirv_edit_u32(&pass->editor, semantics_value((uint32_t)semantics | more)));
}

/* Copies `inst` and hands out its words for changes; NULL: out of memory. */
static uint32_t *copied(ordering *pass, const uint32_t *inst)
{
    isg_spirv_buffer *buffer = &pass->editor.sections[ISG_SPIRV_FUNCTIONS];
    size_t at = buffer->count;

    isg_spirv_edit_copy_inst(&pass->editor, ISG_SPIRV_FUNCTIONS, inst);
    return pass->editor.failed ? NULL : buffer->words + at;
}

static void put_atomic(ordering *pass, const uint32_t *inst)
{
    uint32_t op = isg_spirv_op(inst);
    uint32_t pointer = op == SpvOpAtomicStore ? 1 : 3;
    uint32_t more =
        (pass->flags[inst[pointer]] & VOLATILE) != 0 ? (uint32_t)SpvMemorySemanticsVolatileMask : 0;
    uint32_t scope = scope_of(pass, inst[pointer + 1]);
    uint32_t semantics = semantics_of(pass, inst[pointer + 2], more);
    bool compares = op == SpvOpAtomicCompareExchange;
    uint32_t unequal = compares ? semantics_of(pass, inst[pointer + 3], more) : 0;
    uint32_t *words = copied(pass, inst);

    if (words != NULL) {
        words[pointer + 1] = scope;
        words[pointer + 2] = semantics;
        if (compares) {
            words[pointer + 3] = unequal;
        }
    }
}

/* ---- accesses ---------------------------------------------------------------------------------------- */

static bool is_shared_memory(const isg_spirv_module *module, uint32_t pointer)
{
    const uint32_t *type =
        isg_spirv_def_as(module, isg_spirv_type_of(module, pointer), SpvOpTypePointer);
    if (type == NULL) {
        return false;
    }
    switch (type[2]) {
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassUniform:
    case SpvStorageClassWorkgroup:
    case SpvStorageClassPhysicalStorageBuffer:
        return true;
    default:
        return false;
    }
}

/* A load (`fixed` words T R pointer) or store (pointer, value), `mask` and parameters behind. */
static void put_access(ordering *pass, SpvOp op, const uint32_t *fixed, uint32_t fixed_count,
                       uint32_t pointer, const uint32_t *mask, uint32_t mask_count)
{
    uint32_t words[8];
    uint32_t count = 0;
    uint32_t bits = mask_count > 0 ? mask[0] : 0;
    uint32_t at = 1;
    bool coherent = (pass->flags[pointer] & COHERENT) != 0;
    uint32_t scope_bit = op == SpvOpLoad ? (uint32_t)SpvMemoryAccessMakePointerVisibleMask
                                         : (uint32_t)SpvMemoryAccessMakePointerAvailableMask;
    uint32_t scope = coherent ? queue_family(pass) : 0;
    uint32_t aligned = 0;

    if (is_shared_memory(pass->module, pointer)) {
        bits |= SpvMemoryAccessNonPrivatePointerMask;
        if ((pass->flags[pointer] & VOLATILE) != 0) {
            bits |= SpvMemoryAccessVolatileMask;
        }
        if (coherent) {
            bits |= scope_bit;
        }
    }
    if ((bits & SpvMemoryAccessAlignedMask) != 0) {
        aligned = mask[at++];
    }
    if (mask_count > at) {
        scope = mask[at];
    }
    for (uint32_t i = 0; i < fixed_count; i++) {
        words[count++] = fixed[i];
    }
    if (bits != 0) {
        words[count++] = bits;
    }
    if ((bits & SpvMemoryAccessAlignedMask) != 0) {
        words[count++] = aligned;
    }
    if ((bits & scope_bit) != 0) {
        words[count++] = scope;
    }
    isg_spirv_edit_put(&pass->editor, ISG_SPIRV_FUNCTIONS, op, words, count);
}

/* A copy becomes a load and a store: its operands' flags differ. */
static void put_copy(ordering *pass, const uint32_t *inst)
{
    const isg_spirv_module *module = pass->module;
    const uint32_t *type =
        isg_spirv_def_as(module, isg_spirv_type_of(module, inst[2]), SpvOpTypePointer);
    uint32_t length = isg_spirv_length(inst);
    uint32_t bits = length > 3
                        ? inst[3] & (SpvMemoryAccessVolatileMask | SpvMemoryAccessAlignedMask |
                                     SpvMemoryAccessNontemporalMask)
                        : 0;
    uint32_t mask[2] = {bits, (bits & SpvMemoryAccessAlignedMask) != 0 && length > 4 ? inst[4] : 0};
    uint32_t count = length <= 3 ? 0 : (bits & SpvMemoryAccessAlignedMask) != 0 ? 2 : 1;
    uint32_t value = isg_spirv_edit_id(&pass->editor);

    if (type == NULL) {
        isg_spirv_edit_copy_inst(&pass->editor, ISG_SPIRV_FUNCTIONS, inst);
        return;
    }
    put_access(pass, SpvOpLoad, (const uint32_t[]){type[3], value, inst[2]}, 3, inst[2], mask,
               count);
    put_access(pass, SpvOpStore, (const uint32_t[]){inst[1], value}, 2, inst[1], mask, count);
}

/* Storage images: operand words `fixed`, then a mask that may be missing. */
static void put_image(ordering *pass, const uint32_t *inst, uint32_t fixed)
{
    isg_spirv_buffer *buffer = &pass->editor.sections[ISG_SPIRV_FUNCTIONS];
    size_t at = buffer->count;
    uint32_t *words = copied(pass, inst);

    if (words == NULL) {
        return;
    }
    if (isg_spirv_length(inst) > fixed) {
        words[fixed] |= SpvImageOperandsNonPrivateTexelMask;
    } else {
        isg_spirv_edit_word(&pass->editor, ISG_SPIRV_FUNCTIONS, at,
                            SpvImageOperandsNonPrivateTexelMask);
    }
}

static bool is_atomic(uint32_t op)
{
    return (op >= SpvOpAtomicLoad && op <= SpvOpAtomicXor) || op == SpvOpAtomicFAddEXT ||
           op == SpvOpAtomicFMinEXT || op == SpvOpAtomicFMaxEXT;
}

static void put_instruction(ordering *pass, const uint32_t *inst)
{
    uint32_t op = isg_spirv_op(inst);
    uint32_t length = isg_spirv_length(inst);

    if (is_atomic(op)) {
        put_atomic(pass, inst);
        return;
    }
    switch (op) {
    case SpvOpLoad:
        put_access(pass, SpvOpLoad, inst + 1, 3, inst[3], inst + 4, length - 4);
        return;
    case SpvOpStore:
        put_access(pass, SpvOpStore, inst + 1, 2, inst[1], inst + 3, length - 3);
        return;
    case SpvOpCopyMemory:
        put_copy(pass, inst);
        return;
    case SpvOpImageRead:
        put_image(pass, inst, 5);
        return;
    case SpvOpImageWrite:
        put_image(pass, inst, 4);
        return;
    case SpvOpControlBarrier:
        put_barrier(pass, inst);
        return;
    case SpvOpMemoryBarrier: {
        uint32_t scope = scope_of(pass, inst[1]);
        uint32_t semantics = semantics_of(pass, inst[2], 0);
        ISG_SPIRV_PUT(&pass->editor, ISG_SPIRV_FUNCTIONS, SpvOpMemoryBarrier, scope, semantics);
        return;
    }
    default:
        isg_spirv_edit_copy_inst(&pass->editor, ISG_SPIRV_FUNCTIONS, inst);
    }
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

static void put_annotations(ordering *pass)
{
    const isg_spirv_module *module = pass->module;

    for (uint32_t i = module->sections[ISG_SPIRV_ANNOTATIONS];
         i < module->sections[ISG_SPIRV_ANNOTATIONS + 1];
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        uint32_t op = isg_spirv_op(inst);
        uint32_t what = op == SpvOpDecorate ? inst[2] : op == SpvOpMemberDecorate ? inst[3] : 0;
        if (what != SpvDecorationCoherent && what != SpvDecorationVolatile) {
            isg_spirv_edit_copy_inst(&pass->editor, ISG_SPIRV_ANNOTATIONS, inst);
        }
    }
}

static void put_head(ordering *pass)
{
    const isg_spirv_module *module = pass->module;
    isg_spirv_editor *editor = &pass->editor;
    const uint32_t *model = module->words + module->sections[ISG_SPIRV_MEMORY_MODEL];

    isg_spirv_edit_copy(editor, ISG_SPIRV_CAPABILITIES);
    isg_spirv_edit_copy(editor, ISG_SPIRV_EXTENSIONS);
    isg_spirv_edit_copy(editor, ISG_SPIRV_IMPORTS);
    if (editor->version < 0x00010300u) {
        editor->version = 0x00010300u; /* the memory model's own minimum */
    }
    isg_spirv_edit_capability(editor, SpvCapabilityVulkanMemoryModel);
    if (editor->version < 0x00010500u) {
        isg_spirv_edit_extension(editor, "SPV_KHR_vulkan_memory_model");
    }
    ISG_SPIRV_PUT(editor, ISG_SPIRV_MEMORY_MODEL, SpvOpMemoryModel, model[1], SpvMemoryModelVulkan);
    isg_spirv_edit_copy(editor, ISG_SPIRV_ENTRY_POINTS);
    isg_spirv_edit_copy(editor, ISG_SPIRV_EXECUTION_MODES);
    isg_spirv_edit_copy(editor, ISG_SPIRV_SOURCES);
    isg_spirv_edit_copy(editor, ISG_SPIRV_NAMES);
    isg_spirv_edit_copy(editor, ISG_SPIRV_PROCESSES);
}

isg_status isg_spirv_pass_ordering(const isg_spirv_module *module, isg_spirv_module **out)
{
    const isg_host_allocator *allocator = isg_spirv_allocator(module);
    ordering pass = {.module = module};

    *out = NULL;
    if (module->sections[ISG_SPIRV_MEMORY_MODEL] == module->sections[ISG_SPIRV_MEMORY_MODEL + 1]) {
        return isg_fail(ISG_ERROR_INVALID_SPIRV,
                        "the SPIR-V module has no OpMemoryModel; every module needs one");
    }
    pass.flags = isg_alloc(allocator, module->id_count);
    if (pass.flags == NULL) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no memory to rewrite a module of %u ids",
                        (unsigned)module->id_count);
    }
    pass.device_scope = isg_spirv_has_capability(module, SpvCapabilityVulkanMemoryModelDeviceScope);
    find_flags(&pass);
    isg_spirv_edit_begin(&pass.editor, module);
    put_head(&pass);
    put_annotations(&pass);
    isg_spirv_edit_copy(&pass.editor, ISG_SPIRV_GLOBALS);
    for (uint32_t i = module->sections[ISG_SPIRV_FUNCTIONS]; i < module->word_count;
         i += isg_spirv_length(module->words + i)) {
        put_instruction(&pass, module->words + i);
    }
    isg_free(allocator, pass.flags, module->id_count);
    return isg_spirv_edit_finish(&pass.editor, out);
}
