/* Builds a new module: one buffer a section, types and constants found before they are made. */
#include "spirv/module.h"

#include <string.h>

void isg_spirv_edit_begin(isg_spirv_editor *editor, const isg_spirv_module *module)
{
    *editor = (isg_spirv_editor){
        .module = module,
        .allocator = isg_spirv_allocator(module),
        .version = module->version,
        .bound = module->bound,
    };
}

static bool reserve(isg_spirv_editor *editor, isg_spirv_buffer *buffer, size_t more)
{
    if (editor->failed) {
        return false;
    }
    if (more <= buffer->capacity - buffer->count) {
        return true;
    }
    size_t capacity = buffer->capacity < 256 ? 256 : buffer->capacity;
    while (capacity - buffer->count < more) {
        capacity += capacity / 2;
    }
    uint32_t *words = isg_grow(editor->allocator, buffer->words, buffer->capacity * sizeof *words,
                               capacity * sizeof *words);
    if (words == NULL) {
        editor->failed = true;
        return false;
    }
    buffer->words = words;
    buffer->capacity = capacity;
    return true;
}

static void append(isg_spirv_editor *editor, isg_spirv_section section, const uint32_t *words,
                   size_t count)
{
    isg_spirv_buffer *buffer = &editor->sections[section];

    if (count > 0 && reserve(editor, buffer, count)) {
        memcpy(buffer->words + buffer->count, words, count * sizeof *words);
        buffer->count += count;
    }
}

void isg_spirv_edit_copy(isg_spirv_editor *editor, isg_spirv_section section)
{
    const isg_spirv_module *module = editor->module;
    append(editor, section, module->words + module->sections[section],
           module->sections[section + 1] - module->sections[section]);
}

void isg_spirv_edit_words(isg_spirv_editor *editor, isg_spirv_section section,
                          const uint32_t *words, size_t count)
{
    append(editor, section, words, count);
}

void isg_spirv_edit_copy_inst(isg_spirv_editor *editor, isg_spirv_section section,
                              const uint32_t *inst)
{
    append(editor, section, inst, isg_spirv_length(inst));
}

void isg_spirv_edit_put(isg_spirv_editor *editor, isg_spirv_section section, SpvOp op,
                        const uint32_t *operands, size_t count)
{
    if (count + 1 > 0xffff) {
        editor->failed = true;
        return;
    }
    uint32_t head = (uint32_t)(count + 1) << 16 | (uint32_t)op;
    append(editor, section, &head, 1);
    append(editor, section, operands, count);
}

void isg_spirv_edit_put_string(isg_spirv_editor *editor, isg_spirv_section section, SpvOp op,
                               const uint32_t *operands, size_t count, const char *string,
                               const uint32_t *after, size_t after_count)
{
    size_t length = strlen(string);
    size_t words = length / 4 + 1;
    isg_spirv_buffer *buffer = &editor->sections[section];
    size_t total = 1 + count + words + after_count;

    if (total > 0xffff || !reserve(editor, buffer, total)) {
        editor->failed = true;
        return;
    }
    uint32_t *at = buffer->words + buffer->count;
    at[0] = (uint32_t)total << 16 | (uint32_t)op;
    if (count > 0) {
        memcpy(at + 1, operands, count * sizeof *operands);
    }
    at[count + words] = 0;
    memcpy(at + 1 + count, string, length);
    if (after_count > 0) {
        memcpy(at + 1 + count + words, after, after_count * sizeof *after);
    }
    buffer->count += total;
}

void isg_spirv_edit_word(isg_spirv_editor *editor, isg_spirv_section section, size_t start,
                         uint32_t word)
{
    append(editor, section, &word, 1);
    if (!editor->failed) {
        uint32_t *inst = editor->sections[section].words + start;
        if (isg_spirv_length(inst) == 0xffff) {
            editor->failed = true;
            return;
        }
        inst[0] += 1u << 16;
    }
}

uint32_t isg_spirv_edit_id(isg_spirv_editor *editor)
{
    if (editor->bound >= ISG_SPIRV_MAX_BOUND) {
        editor->failed = true;
    }
    return editor->bound++;
}

/* ---- globals that exist once -------------------------------------------------------------------- */

static bool is_shareable(uint32_t op)
{
    switch (op) {
    case SpvOpTypeVoid:
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
    case SpvOpTypePointer:
    case SpvOpTypeFunction:
    case SpvOpConstant:
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpConstantNull:
    case SpvOpConstantComposite:
        return true;
    default:
        return false;
    }
}

static uint32_t hash_words(uint32_t op, uint32_t type, const uint32_t *operands, size_t count)
{
    uint32_t hash = 2166136261u ^ op;

    hash = (hash * 16777619u) ^ type;
    for (size_t i = 0; i < count; i++) {
        hash = (hash * 16777619u) ^ operands[i];
        hash ^= hash >> 15;
    }
    return hash * 2654435769u;
}

/* The words of a global but its result: `*type` is 0 for a type. */
static const uint32_t *key_of(const uint32_t *inst, uint32_t *type, size_t *count)
{
    uint32_t at = isg_spirv_result_at(inst);

    *type = at == 2 ? inst[1] : 0;
    *count = isg_spirv_length(inst) - at - 1;
    return inst + at + 1;
}

static bool grow_known(isg_spirv_editor *editor)
{
    uint32_t old_capacity = editor->known_capacity;
    uint32_t capacity = old_capacity == 0 ? 256 : old_capacity * 2;
    uint32_t *old = editor->known;
    uint32_t *known = isg_alloc(editor->allocator, sizeof *known * capacity);

    if (known == NULL) {
        editor->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < old_capacity; i++) {
        if (old[i] != 0) {
            uint32_t type;
            size_t count;
            const uint32_t *inst = editor->sections[ISG_SPIRV_GLOBALS].words + old[i] - 1;
            const uint32_t *operands = key_of(inst, &type, &count);
            uint32_t at = hash_words(isg_spirv_op(inst), type, operands, count) & (capacity - 1);
            while (known[at] != 0) {
                at = (at + 1) & (capacity - 1);
            }
            known[at] = old[i];
        }
    }
    isg_free(editor->allocator, old, sizeof *old * old_capacity);
    editor->known = known;
    editor->known_capacity = capacity;
    return true;
}

/* The slot of an equal global, or the empty one for it. */
static uint32_t *slot_of(isg_spirv_editor *editor, uint32_t op, uint32_t type,
                         const uint32_t *operands, size_t count)
{
    uint32_t mask = editor->known_capacity - 1;
    uint32_t at = hash_words(op, type, operands, count) & mask;

    for (; editor->known[at] != 0; at = (at + 1) & mask) {
        uint32_t other_type;
        size_t other_count;
        const uint32_t *inst = editor->sections[ISG_SPIRV_GLOBALS].words + editor->known[at] - 1;
        const uint32_t *other = key_of(inst, &other_type, &other_count);
        if (isg_spirv_op(inst) == op && other_type == type && other_count == count &&
            (count == 0 || memcmp(other, operands, count * sizeof *operands) == 0)) {
            break;
        }
    }
    return &editor->known[at];
}

/* Takes the globals that were appended since the last time into the hash. */
static bool catch_up(isg_spirv_editor *editor)
{
    isg_spirv_buffer *globals = &editor->sections[ISG_SPIRV_GLOBALS];

    if (editor->known_capacity == 0 && !grow_known(editor)) {
        return false;
    }
    while (editor->known_words < globals->count) {
        const uint32_t *inst = globals->words + editor->known_words;
        if (is_shareable(isg_spirv_op(inst))) {
            uint32_t type;
            size_t count;
            if (editor->known_count * 2 >= editor->known_capacity && !grow_known(editor)) {
                return false;
            }
            const uint32_t *operands = key_of(inst, &type, &count);
            uint32_t *slot = slot_of(editor, isg_spirv_op(inst), type, operands, count);
            if (*slot == 0) {
                *slot = (uint32_t)editor->known_words + 1;
                editor->known_count++;
            }
        }
        editor->known_words += isg_spirv_length(inst);
    }
    return true;
}

/* Remembers where the new global `id` stands. */
static void remember(isg_spirv_editor *editor, uint32_t id, size_t at)
{
    uint32_t index = id - editor->module->bound;

    if (index >= editor->made_capacity) {
        uint32_t capacity = index + index / 2 + 64;
        uint32_t *made = isg_grow(editor->allocator, editor->made,
                                  sizeof *made * editor->made_capacity, sizeof *made * capacity);
        if (made == NULL) {
            editor->failed = true;
            return;
        }
        editor->made = made;
        editor->made_capacity = capacity;
    }
    editor->made[index] = (uint32_t)at + 1;
}

const uint32_t *isg_spirv_edit_type(const isg_spirv_editor *editor, uint32_t id)
{
    if (id < editor->module->bound) {
        return isg_spirv_def(editor->module, id);
    }
    uint32_t index = id - editor->module->bound;
    if (index >= editor->made_capacity || editor->made[index] == 0) {
        return NULL;
    }
    return editor->sections[ISG_SPIRV_GLOBALS].words + editor->made[index] - 1;
}

uint32_t isg_spirv_edit_global(isg_spirv_editor *editor, SpvOp op, uint32_t type,
                               const uint32_t *operands, size_t count)
{
    uint32_t words[34];
    size_t head = type != 0 ? 2 : 1;

    if (editor->failed || count > 32 || !catch_up(editor)) {
        editor->failed = true;
        return 1;
    }
    uint32_t *slot = slot_of(editor, (uint32_t)op, type, operands, count);
    if (*slot != 0) {
        return editor->sections[ISG_SPIRV_GLOBALS].words[*slot - 1 + head];
    }
    words[0] = type;
    words[head - 1] = isg_spirv_edit_id(editor);
    remember(editor, words[head - 1], editor->sections[ISG_SPIRV_GLOBALS].count);
    if (count > 0) {
        memcpy(words + head, operands, count * sizeof *operands);
    }
    isg_spirv_edit_put(editor, ISG_SPIRV_GLOBALS, op, words, head + count);
    return words[head - 1];
}

uint32_t isg_spirv_edit_void(isg_spirv_editor *editor)
{
    return isg_spirv_edit_global(editor, SpvOpTypeVoid, 0, NULL, 0);
}

uint32_t isg_spirv_edit_bool(isg_spirv_editor *editor)
{
    return isg_spirv_edit_global(editor, SpvOpTypeBool, 0, NULL, 0);
}

uint32_t isg_spirv_edit_int(isg_spirv_editor *editor, uint32_t width, bool is_signed)
{
    return isg_spirv_edit_global(editor, SpvOpTypeInt, 0,
                                 (const uint32_t[]){width, is_signed ? 1 : 0}, 2);
}

uint32_t isg_spirv_edit_float(isg_spirv_editor *editor, uint32_t width)
{
    return isg_spirv_edit_global(editor, SpvOpTypeFloat, 0, &width, 1);
}

uint32_t isg_spirv_edit_vector(isg_spirv_editor *editor, uint32_t component, uint32_t count)
{
    return isg_spirv_edit_global(editor, SpvOpTypeVector, 0, (const uint32_t[]){component, count},
                                 2);
}

uint32_t isg_spirv_edit_pointer(isg_spirv_editor *editor, SpvStorageClass storage, uint32_t pointee)
{
    return isg_spirv_edit_global(editor, SpvOpTypePointer, 0,
                                 (const uint32_t[]){(uint32_t)storage, pointee}, 2);
}

uint32_t isg_spirv_edit_u32(isg_spirv_editor *editor, uint32_t value)
{
    return isg_spirv_edit_global(editor, SpvOpConstant, isg_spirv_edit_int(editor, 32, false),
                                 &value, 1);
}

uint32_t isg_spirv_edit_splat(isg_spirv_editor *editor, uint32_t type, uint64_t value)
{
    const uint32_t *inst = isg_spirv_edit_type(editor, type);
    uint32_t words[4];

    if (inst == NULL) {
        editor->failed = true;
        return 1;
    }
    if (isg_spirv_op(inst) == SpvOpTypeVector && inst[3] <= 4) {
        uint32_t count = inst[3];
        uint32_t component = isg_spirv_edit_splat(editor, inst[2], value);
        for (uint32_t i = 0; i < 4; i++) {
            words[i] = component;
        }
        return isg_spirv_edit_global(editor, SpvOpConstantComposite, type, words, count);
    }
    uint32_t width = inst[2];
    bool is_signed = isg_spirv_op(inst) == SpvOpTypeInt && inst[3] != 0;
    if (width < 32) {
        uint32_t unused = 32 - width;
        words[0] = (uint32_t)value << unused;
        words[0] = is_signed ? (uint32_t)((int32_t)words[0] >> unused) : words[0] >> unused;
    } else {
        words[0] = (uint32_t)value;
    }
    words[1] = (uint32_t)(value >> 32);
    return isg_spirv_edit_global(editor, SpvOpConstant, type, words, width > 32 ? 2 : 1);
}

uint32_t isg_spirv_emit(isg_spirv_editor *editor, SpvOp op, uint32_t type, uint32_t result,
                        const uint32_t *operands, size_t count)
{
    uint32_t head[2] = {type, result != 0 ? result : isg_spirv_edit_id(editor)};
    uint32_t word = (uint32_t)(count + 3) << 16 | (uint32_t)op;

    append(editor, ISG_SPIRV_FUNCTIONS, &word, 1);
    append(editor, ISG_SPIRV_FUNCTIONS, head, 2);
    append(editor, ISG_SPIRV_FUNCTIONS, operands, count);
    return head[1];
}

/* ---- capabilities and extensions ------------------------------------------------------------------ */

void isg_spirv_edit_capability(isg_spirv_editor *editor, SpvCapability capability)
{
    const isg_spirv_buffer *buffer = &editor->sections[ISG_SPIRV_CAPABILITIES];

    for (size_t i = 0; i < buffer->count; i += isg_spirv_length(buffer->words + i)) {
        if (isg_spirv_op(buffer->words + i) == SpvOpCapability &&
            buffer->words[i + 1] == (uint32_t)capability) {
            return;
        }
    }
    ISG_SPIRV_PUT(editor, ISG_SPIRV_CAPABILITIES, SpvOpCapability, (uint32_t)capability);
}

void isg_spirv_edit_extension(isg_spirv_editor *editor, const char *name)
{
    const isg_spirv_buffer *buffer = &editor->sections[ISG_SPIRV_EXTENSIONS];

    for (size_t i = 0; i < buffer->count; i += isg_spirv_length(buffer->words + i)) {
        if (isg_spirv_op(buffer->words + i) == SpvOpExtension &&
            strcmp(isg_spirv_string(buffer->words + i, 1, NULL), name) == 0) {
            return;
        }
    }
    isg_spirv_edit_put_string(editor, ISG_SPIRV_EXTENSIONS, SpvOpExtension, NULL, 0, name, NULL, 0);
}

/* ---- the end ---------------------------------------------------------------------------------------- */

void isg_spirv_edit_abandon(isg_spirv_editor *editor)
{
    for (uint32_t i = 0; i < ISG_SPIRV_SECTION_COUNT; i++) {
        isg_free(editor->allocator, editor->sections[i].words,
                 sizeof(uint32_t) * editor->sections[i].capacity);
        editor->sections[i] = (isg_spirv_buffer){0};
    }
    isg_free(editor->allocator, editor->known, sizeof *editor->known * editor->known_capacity);
    isg_free(editor->allocator, editor->made, sizeof *editor->made * editor->made_capacity);
    editor->known = NULL;
    editor->known_capacity = 0;
    editor->made = NULL;
    editor->made_capacity = 0;
}

isg_status isg_spirv_edit_finish(isg_spirv_editor *editor, isg_spirv_module **out)
{
    size_t count = ISG_SPIRV_HEADER_WORDS;
    uint32_t *words = NULL;
    const isg_host_allocator *allocator = editor->allocator;

    *out = NULL;
    for (uint32_t i = 0; i < ISG_SPIRV_SECTION_COUNT; i++) {
        count += editor->sections[i].count;
    }
    if (!editor->failed && count <= UINT32_MAX / 2) {
        words = isg_alloc(allocator, sizeof *words * count);
    }
    if (words == NULL) {
        isg_spirv_edit_abandon(editor);
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY,
                        "no memory, or no ids below %u, to rewrite a SPIR-V module of %zu words",
                        ISG_SPIRV_MAX_BOUND, count);
    }
    words[0] = SpvMagicNumber;
    words[1] = editor->version;
    words[2] = editor->module->words[2];
    words[3] = editor->bound;
    words[4] = 0;
    size_t at = ISG_SPIRV_HEADER_WORDS;
    for (uint32_t i = 0; i < ISG_SPIRV_SECTION_COUNT; i++) {
        if (editor->sections[i].count > 0) {
            memcpy(words + at, editor->sections[i].words,
                   sizeof *words * editor->sections[i].count);
        }
        at += editor->sections[i].count;
    }
    isg_spirv_edit_abandon(editor);
    return isg_spirv_index(allocator, words, (uint32_t)count, out);
}

isg_status isg_spirv_copy(const isg_spirv_module *module, isg_spirv_module **out)
{
    const isg_host_allocator *allocator = isg_spirv_allocator(module);
    uint32_t *words = isg_alloc(allocator, sizeof *words * module->word_count);

    *out = NULL;
    if (words == NULL) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no memory to copy a SPIR-V module of %u words",
                        (unsigned)module->word_count);
    }
    memcpy(words, module->words, sizeof *words * module->word_count);
    return isg_spirv_index(allocator, words, module->word_count, out);
}
