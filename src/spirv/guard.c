/* The errors that bounded and checked kernels report, and isogrid's buffer in which they do. */
#include "spirv/module.h"

uint32_t isg_spirv_edit_header(isg_spirv_editor *editor)
{
    uint32_t word = isg_spirv_edit_int(editor, 32, false);
    uint32_t length = isg_spirv_edit_u32(editor, ISG_STATE_HEADER_WORDS);
    uint32_t array = isg_spirv_edit_id(editor);
    uint32_t block = isg_spirv_edit_id(editor);
    uint32_t id = isg_spirv_edit_id(editor);

    ISG_SPIRV_PUT(editor, ISG_SPIRV_GLOBALS, SpvOpTypeArray, array, word, length);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_ANNOTATIONS, SpvOpDecorate, array, SpvDecorationArrayStride, 4);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_GLOBALS, SpvOpTypeStruct, block, array);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_ANNOTATIONS, SpvOpMemberDecorate, block, 0, SpvDecorationOffset,
                  0);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_ANNOTATIONS, SpvOpDecorate, block, SpvDecorationBlock);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_GLOBALS, SpvOpVariable,
                  isg_spirv_edit_pointer(editor, SpvStorageClassStorageBuffer, block), id,
                  SpvStorageClassStorageBuffer);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_ANNOTATIONS, SpvOpDecorate, id, SpvDecorationDescriptorSet,
                  ISG_STATE_SET);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_ANNOTATIONS, SpvOpDecorate, id, SpvDecorationBinding,
                  ISG_STATE_BINDING);
    isg_spirv_edit_put_string(editor, ISG_SPIRV_NAMES, SpvOpName, &id, 1, "isg_header", NULL, 0);
    if (editor->version < 0x00010300u) {
        isg_spirv_edit_extension(editor, "SPV_KHR_storage_buffer_storage_class");
    }
    return id;
}

uint32_t isg_spirv_point_header(isg_spirv_editor *editor, uint32_t header, uint32_t index)
{
    uint32_t word = isg_spirv_edit_int(editor, 32, false);
    uint32_t pointer = isg_spirv_edit_pointer(editor, SpvStorageClassStorageBuffer, word);
    uint32_t zero = isg_spirv_edit_u32(editor, 0);

    return ISG_SPIRV_EMIT(editor, SpvOpAccessChain, pointer, 0, header, zero, index);
}

uint32_t isg_spirv_load_header(isg_spirv_editor *editor, uint32_t header, uint32_t index)
{
    uint32_t pointer = isg_spirv_point_header(editor, header, isg_spirv_edit_u32(editor, index));

    return ISG_SPIRV_EMIT(editor, SpvOpLoad, isg_spirv_edit_int(editor, 32, false), 0, pointer);
}

static uint32_t put_private(isg_spirv_guard *guard, uint32_t type, const char *name)
{
    isg_spirv_editor *editor = guard->editor;
    uint32_t pointer = isg_spirv_edit_pointer(editor, SpvStorageClassPrivate, type);
    uint32_t id = isg_spirv_edit_id(editor);

    ISG_SPIRV_PUT(editor, ISG_SPIRV_GLOBALS, SpvOpVariable, pointer, id, SpvStorageClassPrivate);
    isg_spirv_edit_put_string(editor, ISG_SPIRV_NAMES, SpvOpName, &id, 1, name, NULL, 0);
    return id;
}

void isg_spirv_guard_begin(isg_spirv_guard *guard, isg_spirv_editor *editor, const uint32_t *entry,
                           bool with_budget)
{
    *guard = (isg_spirv_guard){.editor = editor, .entry = entry};
    for (uint32_t i = 0; i < ISG_SPIRV_FUNCTIONS; i++) {
        if (i != ISG_SPIRV_ENTRY_POINTS && i != ISG_SPIRV_EXECUTION_MODES) {
            isg_spirv_edit_copy(editor, (isg_spirv_section)i);
        }
    }
    guard->word = isg_spirv_edit_int(editor, 32, false);
    guard->boolean = isg_spirv_edit_bool(editor);
    guard->quad = isg_spirv_edit_vector(editor, guard->word, 4);
    guard->header = isg_spirv_edit_header(editor);
    guard->error = put_private(guard, guard->quad, "isg_error");
    if (with_budget) {
        guard->budget = put_private(guard, guard->word, "isg_budget");
    }
}

void isg_spirv_guard_note(isg_spirv_guard *guard, uint32_t condition, uint32_t kind, uint32_t set,
                          uint32_t binding, uint32_t index)
{
    isg_spirv_editor *editor = guard->editor;
    uint32_t bools = isg_spirv_edit_vector(editor, guard->boolean, 4);
    uint32_t old = ISG_SPIRV_EMIT(editor, SpvOpLoad, guard->quad, 0, guard->error);
    uint32_t old_kind = ISG_SPIRV_EMIT(editor, SpvOpCompositeExtract, guard->word, 0, old, 0);
    uint32_t none = ISG_SPIRV_EMIT(editor, SpvOpIEqual, guard->boolean, 0, old_kind,
                                   isg_spirv_edit_u32(editor, ISG_STATE_ERROR_NONE));
    uint32_t first = ISG_SPIRV_EMIT(editor, SpvOpLogicalAnd, guard->boolean, 0, condition, none);
    uint32_t news = ISG_SPIRV_EMIT(
        editor, SpvOpCompositeConstruct, guard->quad, 0, isg_spirv_edit_u32(editor, kind),
        isg_spirv_edit_u32(editor, set), isg_spirv_edit_u32(editor, binding), index);
    uint32_t firsts =
        ISG_SPIRV_EMIT(editor, SpvOpCompositeConstruct, bools, 0, first, first, first, first);
    uint32_t value = ISG_SPIRV_EMIT(editor, SpvOpSelect, guard->quad, 0, firsts, news, old);

    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpStore, guard->error, value);
}

static void put_label(isg_spirv_editor *editor, uint32_t label)
{
    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpLabel, label);
}

/* The first error of the dispatch is kept; losers write what nobody reads. */
static void put_report(isg_spirv_guard *guard, uint32_t error, uint32_t kind)
{
    isg_spirv_editor *editor = guard->editor;
    bool vulkan = isg_spirv_has_capability(editor->module, SpvCapabilityVulkanMemoryModel);
    uint32_t scope = isg_spirv_edit_u32(editor, vulkan ? SpvScopeQueueFamily : SpvScopeDevice);
    uint32_t relaxed = isg_spirv_edit_u32(editor, 0);
    uint32_t pointer =
        isg_spirv_point_header(editor, guard->header, isg_spirv_edit_u32(editor, ISG_STATE_ERROR));
    uint32_t old = ISG_SPIRV_EMIT(editor, SpvOpAtomicCompareExchange, guard->word, 0, pointer,
                                  scope, relaxed, relaxed, kind, relaxed);
    uint32_t won = ISG_SPIRV_EMIT(editor, SpvOpIEqual, guard->boolean, 0, old,
                                  isg_spirv_edit_u32(editor, ISG_STATE_ERROR_NONE));

    for (uint32_t i = 1; i < 4; i++) {
        uint32_t place = ISG_SPIRV_EMIT(editor, SpvOpSelect, guard->word, 0, won,
                                        isg_spirv_edit_u32(editor, ISG_STATE_ERROR + i),
                                        isg_spirv_edit_u32(editor, ISG_STATE_HEADER_WORDS - 1));
        uint32_t value = ISG_SPIRV_EMIT(editor, SpvOpCompositeExtract, guard->word, 0, error, i);
        ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpStore,
                      isg_spirv_point_header(editor, guard->header, place), value);
    }
}

static void put_budget(isg_spirv_guard *guard)
{
    isg_spirv_editor *editor = guard->editor;
    uint32_t limit = isg_spirv_load_header(editor, guard->header, ISG_STATE_LOOP_LIMIT);
    uint32_t unset = ISG_SPIRV_EMIT(editor, SpvOpIEqual, guard->boolean, 0, limit,
                                    isg_spirv_edit_u32(editor, 0));
    uint32_t value =
        ISG_SPIRV_EMIT(editor, SpvOpSelect, guard->word, 0, unset,
                       isg_spirv_edit_u32(editor, ISG_STATE_LOOP_LIMIT_DEFAULT), limit);

    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpStore, guard->budget, value);
}

void isg_spirv_guard_end(isg_spirv_guard *guard)
{
    isg_spirv_editor *editor = guard->editor;
    uint32_t nothing = isg_spirv_edit_void(editor);
    uint32_t type = isg_spirv_edit_global(editor, SpvOpTypeFunction, 0, &nothing, 1);
    uint32_t function = isg_spirv_edit_id(editor);
    uint32_t report = isg_spirv_edit_id(editor);
    uint32_t end = isg_spirv_edit_id(editor);
    uint32_t listed[3] = {guard->header, guard->error, guard->budget};
    bool lists_all = editor->version >= 0x00010400u;

    isg_spirv_put_entry(editor, guard->entry, function, NULL, 0, listed,
                        !lists_all           ? 0
                        : guard->budget != 0 ? 3
                                             : 2);
    isg_spirv_put_modes(editor, guard->entry[2], function);
    isg_spirv_edit_put_string(editor, ISG_SPIRV_NAMES, SpvOpName, &function, 1, "isg_guarded", NULL,
                              0);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpFunction, nothing, function,
                  SpvFunctionControlMaskNone, type);
    put_label(editor, isg_spirv_edit_id(editor));
    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpStore, guard->error,
                  isg_spirv_edit_splat(editor, guard->quad, 0));
    if (guard->budget != 0) {
        put_budget(guard);
    }
    ISG_SPIRV_EMIT(editor, SpvOpFunctionCall, nothing, 0, guard->entry[2]);
    uint32_t error = ISG_SPIRV_EMIT(editor, SpvOpLoad, guard->quad, 0, guard->error);
    uint32_t kind = ISG_SPIRV_EMIT(editor, SpvOpCompositeExtract, guard->word, 0, error, 0);
    uint32_t failed = ISG_SPIRV_EMIT(editor, SpvOpINotEqual, guard->boolean, 0, kind,
                                     isg_spirv_edit_u32(editor, ISG_STATE_ERROR_NONE));
    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpSelectionMerge, end,
                  SpvSelectionControlMaskNone);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpBranchConditional, failed, report, end);
    put_label(editor, report);
    put_report(guard, error, kind);
    ISG_SPIRV_PUT(editor, ISG_SPIRV_FUNCTIONS, SpvOpBranch, end);
    put_label(editor, end);
    isg_spirv_edit_put(editor, ISG_SPIRV_FUNCTIONS, SpvOpReturn, NULL, 0);
    isg_spirv_edit_put(editor, ISG_SPIRV_FUNCTIONS, SpvOpFunctionEnd, NULL, 0);
}
