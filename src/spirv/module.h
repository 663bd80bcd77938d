/* What the files of src/spirv share: the module's index, operands, constants, layouts, editing. */
#ifndef ISOGRID_SPIRV_MODULE_H
#define ISOGRID_SPIRV_MODULE_H

#include "core/backend.h"
#include "spirv/spirv.h"

#include <spirv/unified1/spirv.h>

#define ISG_SPIRV_MAX_BOUND 4194304u
#define ISG_SPIRV_HEADER_WORDS 5u

/* ---- instructions (grammar.c, operands.c) --------------------------------------------------- */

typedef struct isg_spirv_opcode {
    uint16_t opcode;
    const char *name;
    const char *format; /* grammar.c says how to read it */
} isg_spirv_opcode;

/* NULL for an opcode no compute module has. */
const isg_spirv_opcode *isg_spirv_opcode_find(uint32_t opcode);
/* The table's entry number `index`; NULL past the end. */
const isg_spirv_opcode *isg_spirv_opcode_at(uint32_t index);
/* "OpLoad", or "opcode 4711" in `buffer`. */
const char *isg_spirv_opcode_name(uint32_t opcode, char buffer[24]);

static inline uint32_t isg_spirv_op(const uint32_t *inst)
{
    return inst[0] & 0xffffu;
}

static inline uint32_t isg_spirv_length(const uint32_t *inst)
{
    return inst[0] >> 16;
}

typedef enum isg_spirv_operand_kind {
    ISG_SPIRV_OPERAND_TYPE,
    ISG_SPIRV_OPERAND_RESULT,
    ISG_SPIRV_OPERAND_ID,
    ISG_SPIRV_OPERAND_LITERAL, /* `length` words */
} isg_spirv_operand_kind;

/* Walks the operands of one instruction:
 *     isg_spirv_operands it = isg_spirv_operands_of(module, inst);
 *     while (isg_spirv_operand_next(&it)) ... it.kind, it.at, it.length
 *     if (it.bad) ... */
typedef struct isg_spirv_operands {
    const isg_spirv_module *module;
    const uint32_t *inst;
    const char *format;
    isg_spirv_operand_kind kind;
    uint32_t at;     /* word of the instruction */
    uint32_t length; /* words of this operand */
    bool bad;        /* the words do not fit the format */
    uint32_t next;
    uint32_t pending_count; /* parameters of a mask, last first */
    bool paired;            /* in the middle of a pair */
    char pending[33];
} isg_spirv_operands;

isg_spirv_operands isg_spirv_operands_of(const isg_spirv_module *module, const uint32_t *inst);
bool isg_spirv_operand_next(isg_spirv_operands *it);
/* The format of `opcode` sets result type and result at words 1 and 2, or result alone at 1. */
bool isg_spirv_has_type(const isg_spirv_opcode *opcode);
bool isg_spirv_has_result(const isg_spirv_opcode *opcode);
/* Word of the result id in `inst`, 0: it has none. */
uint32_t isg_spirv_result_at(const uint32_t *inst);
/* A literal string that starts at word `at`; "" when it is not ended inside the instruction.
 * *out_words (may be NULL) is the words it takes. */
const char *isg_spirv_string(const uint32_t *inst, uint32_t at, uint32_t *out_words);

/* ---- the index (parse.c) --------------------------------------------------------------------- */

typedef enum isg_spirv_section {
    ISG_SPIRV_CAPABILITIES,
    ISG_SPIRV_EXTENSIONS,
    ISG_SPIRV_IMPORTS,
    ISG_SPIRV_MEMORY_MODEL,
    ISG_SPIRV_ENTRY_POINTS,
    ISG_SPIRV_EXECUTION_MODES,
    ISG_SPIRV_SOURCES,
    ISG_SPIRV_NAMES,
    ISG_SPIRV_PROCESSES,
    ISG_SPIRV_ANNOTATIONS,
    ISG_SPIRV_GLOBALS,
    ISG_SPIRV_FUNCTIONS,
    ISG_SPIRV_SECTION_COUNT,
} isg_spirv_section;

typedef struct isg_spirv_id {
    uint32_t offset; /* word of the instruction that makes it; 0: none does */
    uint32_t type;   /* its type; 0: it has none */
    uint32_t note;   /* first name or decoration, index into notes; 0: none */
    uint32_t slot;   /* index into constants or types, by the instruction; 0: neither */
} isg_spirv_id;

typedef struct isg_spirv_note {
    uint32_t offset; /* word of OpName, OpDecorate... */
    uint32_t next;   /* 0: last */
} isg_spirv_note;

typedef struct isg_spirv_constant {
    uint32_t id;
    bool known;     /* `value` holds it, computed from the defaults */
    uint64_t value; /* its bits; signed ones are extended to 64 */
} isg_spirv_constant;

/* Bytes of a type. A runtime array at the end counts 0. */
typedef struct isg_spirv_extent {
    uint64_t size;
    uint32_t alignment;
    uint32_t array_stride; /* of the runtime array at the end; 0: none */
    bool known;            /* false: it has no size, or one above 2^62 */
} isg_spirv_extent;

typedef struct isg_spirv_type {
    isg_spirv_extent explicit; /* by Offset, ArrayStride and MatrixStride */
    isg_spirv_extent standard; /* by std430's rules, booleans as 32 bits */
    uint32_t first_member;     /* of a struct, index into members */
} isg_spirv_type;

typedef struct isg_spirv_member {
    uint32_t offset;        /* UINT32_MAX: not decorated */
    uint32_t matrix_stride; /* 0: not decorated */
    bool row_major, non_writable, non_readable, builtin, coherent, is_volatile;
} isg_spirv_member;

typedef struct isg_spirv_function {
    uint32_t id;
    uint32_t offset; /* word of OpFunction */
    uint32_t end;    /* word past OpFunctionEnd */
} isg_spirv_function;

struct isg_spirv_module {
    isg_host_allocator allocator;
    uint32_t *words; /* owned */
    uint32_t word_count;
    uint32_t version;
    uint32_t bound;
    isg_spirv_id *ids; /* owned; id_count of them, ids above are undefined */
    uint32_t id_count;
    isg_spirv_note *notes; /* owned; entry 0 is unused */
    uint32_t note_count, note_capacity;
    isg_spirv_constant *constants; /* owned; entry 0 is unused */
    uint32_t constant_count, constant_capacity;
    isg_spirv_type *types; /* owned; entry 0 is unused */
    uint32_t type_count, type_capacity;
    isg_spirv_member *members; /* owned */
    uint32_t member_count, member_capacity;
    isg_spirv_function *functions; /* owned */
    uint32_t function_count, function_capacity;
    /* Word where each section starts; the last entry is word_count. */
    uint32_t sections[ISG_SPIRV_SECTION_COUNT + 1];
};

/* The module's allocator, NULL for malloc and free. */
static inline const isg_host_allocator *isg_spirv_allocator(const isg_spirv_module *module)
{
    return module->allocator.allocate != NULL ? &module->allocator : NULL;
}

/* The same as isg_spirv_parse() for words this component made: takes `words`, allocated with
 * isg_alloc(), also when it fails. */
isg_status isg_spirv_index(const isg_host_allocator *allocator, uint32_t *words,
                           uint32_t word_count, isg_spirv_module **out);
/* Checks what parsing left: ids, types, blocks (check.c). */
isg_status isg_spirv_check(const isg_spirv_module *module);

/* The instruction that makes `id`; NULL when none does. */
static inline const uint32_t *isg_spirv_def(const isg_spirv_module *module, uint32_t id)
{
    return id < module->id_count && module->ids[id].offset != 0
               ? module->words + module->ids[id].offset
               : NULL;
}

/* The same when it is an `op`, else NULL. */
static inline const uint32_t *isg_spirv_def_as(const isg_spirv_module *module, uint32_t id,
                                               SpvOp op)
{
    const uint32_t *inst = isg_spirv_def(module, id);
    return inst != NULL && isg_spirv_op(inst) == (uint32_t)op ? inst : NULL;
}

static inline uint32_t isg_spirv_type_of(const isg_spirv_module *module, uint32_t id)
{
    return id < module->id_count ? module->ids[id].type : 0;
}

/* Word offset of an instruction of the module. */
static inline uint32_t isg_spirv_offset(const isg_spirv_module *module, const uint32_t *inst)
{
    return (uint32_t)(inst - module->words);
}

/* INVALID_SPIRV that names the word, the instruction there, and what is wrong. */
isg_status isg_spirv_invalid(const isg_spirv_module *module, uint32_t offset, const char *format,
                             ...) __attribute__((format(printf, 3, 4)));
/* UNSUPPORTED, the same way. */
isg_status isg_spirv_unsupported(const isg_spirv_module *module, uint32_t offset,
                                 const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The parameters of a decoration of `id`; *out_count (may be NULL) is their number. NULL: it has
 * none such. */
const uint32_t *isg_spirv_decoration(const isg_spirv_module *module, uint32_t id,
                                     SpvDecoration decoration, uint32_t *out_count);
const uint32_t *isg_spirv_member_decoration(const isg_spirv_module *module, uint32_t id,
                                            uint32_t member, SpvDecoration decoration,
                                            uint32_t *out_count);
/* The first parameter of a decoration, or `otherwise`. */
uint32_t isg_spirv_decoration_value(const isg_spirv_module *module, uint32_t id,
                                    SpvDecoration decoration, uint32_t otherwise);
/* OpName's string; "" without one. */
const char *isg_spirv_name(const isg_spirv_module *module, uint32_t id);
bool isg_spirv_has_capability(const isg_spirv_module *module, SpvCapability capability);
/* The OpEntryPoint of the compute entry `name` (NULL: the only one). */
isg_status isg_spirv_entry(const isg_spirv_module *module, const char *name, const uint32_t **out);
/* The workgroup size of the entry point whose function is `entry`: literals, or the ids of constants
 * where those are not 0. INVALID_SPIRV: it has none. */
isg_status isg_spirv_workgroup_size(const isg_spirv_module *module, uint32_t entry,
                                    uint32_t out_literals[3], uint32_t out_ids[3]);
/* The id of the instruction set `name`; 0: not imported. */
uint32_t isg_spirv_import(const isg_spirv_module *module, const char *name);
bool isg_spirv_import_is_debug(const isg_spirv_module *module, uint32_t id);

/* ---- constants and layouts (constant.c, layout.c) -------------------------------------------- */

bool isg_spirv_is_scalar_constant(uint32_t op);
/* Evaluates the constant made by `inst`; operands are in module->constants already. */
bool isg_spirv_evaluate(const isg_spirv_module *module, const uint32_t *inst, uint64_t *out);
/* One operation on integers or booleans of `width` bits; false: undefined or not foldable. */
bool isg_spirv_fold(SpvOp op, uint32_t width, bool is_signed, const uint64_t *operands,
                    uint32_t count, uint64_t *out);
/* The value of a scalar constant with its specialisation defaults. */
bool isg_spirv_constant_value(const isg_spirv_module *module, uint32_t id, uint64_t *out);

/* Fills the next entry of module->types for the type made by `inst`. */
void isg_spirv_lay_out(isg_spirv_module *module, const uint32_t *inst);
/* NULL when `id` is no type. */
const isg_spirv_type *isg_spirv_type_info(const isg_spirv_module *module, uint32_t id);
/* A member of the struct type `id`; NULL: no such. */
const isg_spirv_member *isg_spirv_member_info(const isg_spirv_module *module, uint32_t id,
                                              uint32_t member);

/* ---- what a call graph reaches (reach.c) ----------------------------------------------------- */

/* Marks in `marks` (id_count bytes, zeroed) every function that `function` calls, directly or not,
 * itself, and every id their bodies use, through globals. INVALID_SPIRV for recursion. */
isg_status isg_spirv_reach(const isg_spirv_module *module, uint32_t function, uint8_t *marks);

/* Index of the function `id` in module->functions; 0 when it is no function. */
uint32_t isg_spirv_function_index(const isg_spirv_module *module, uint32_t id);

/* ---- pointers (pointer.c) ------------------------------------------------------------------- */

typedef struct isg_spirv_place {
    uint32_t variable; /* 0: not known */
    uint64_t offset;   /* byte in it; UINT64_MAX: not constant */
} isg_spirv_place;
isg_spirv_place isg_spirv_pointer_place(const isg_spirv_module *module, uint32_t pointer);
/* The variable is isogrid's own buffer. */
bool isg_spirv_is_state(const isg_spirv_module *module, uint32_t variable);

/* ---- editing (edit.c) ------------------------------------------------------------------------- */

typedef struct isg_spirv_buffer {
    uint32_t *words;
    size_t count, capacity;
} isg_spirv_buffer;

/* A module in the making: one buffer a section, joined by isg_spirv_edit_finish(). Out of memory
 * is remembered and reported there. */
typedef struct isg_spirv_editor {
    const isg_spirv_module *module;
    const isg_host_allocator *allocator;
    isg_spirv_buffer sections[ISG_SPIRV_SECTION_COUNT];
    uint32_t version;
    uint32_t bound;
    bool failed;
    uint32_t *known; /* hash of globals: word + 1 in sections[GLOBALS], 0 empty */
    uint32_t known_capacity, known_count;
    size_t known_words; /* words of sections[GLOBALS] already in the hash */
    uint32_t *made;     /* by new id - module->bound: word + 1 in sections[GLOBALS], 0 no global */
    uint32_t made_capacity;
} isg_spirv_editor;

void isg_spirv_edit_begin(isg_spirv_editor *editor, const isg_spirv_module *module);
/* Makes the new module; the editor is gone after it, whatever it returns. */
isg_status isg_spirv_edit_finish(isg_spirv_editor *editor, isg_spirv_module **out);
void isg_spirv_edit_abandon(isg_spirv_editor *editor);

/* Copies a whole section of the module, or one instruction, as it is. */
void isg_spirv_edit_copy(isg_spirv_editor *editor, isg_spirv_section section);
void isg_spirv_edit_copy_inst(isg_spirv_editor *editor, isg_spirv_section section,
                              const uint32_t *inst);
/* Appends words that are whole instructions. */
void isg_spirv_edit_words(isg_spirv_editor *editor, isg_spirv_section section,
                          const uint32_t *words, size_t count);
/* Appends an instruction. */
void isg_spirv_edit_put(isg_spirv_editor *editor, isg_spirv_section section, SpvOp op,
                        const uint32_t *operands, size_t count);
#define ISG_SPIRV_PUT(editor, section, op, ...)                                                    \
    isg_spirv_edit_put((editor), (section), (op), (const uint32_t[]){__VA_ARGS__},                 \
                       sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
/* The same with a string after the first `count` operands and `after` more behind it. */
void isg_spirv_edit_put_string(isg_spirv_editor *editor, isg_spirv_section section, SpvOp op,
                               const uint32_t *operands, size_t count, const char *string,
                               const uint32_t *after, size_t after_count);
/* Lengthens the instruction that starts at word `start` of the section, its last, by one word. */
void isg_spirv_edit_word(isg_spirv_editor *editor, isg_spirv_section section, size_t start,
                         uint32_t word);
/* A new id. */
uint32_t isg_spirv_edit_id(isg_spirv_editor *editor);

/* Appends a value to the function in the making and gives its id: `result`, or a new one for 0. */
uint32_t isg_spirv_emit(isg_spirv_editor *editor, SpvOp op, uint32_t type, uint32_t result,
                        const uint32_t *operands, size_t count);
#define ISG_SPIRV_EMIT(editor, op, type, result, ...)                                              \
    isg_spirv_emit((editor), (op), (type), (result), (const uint32_t[]){__VA_ARGS__},              \
                   sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Finds or appends a global that may exist once: a type without result type (type 0) or a
 * constant. Sections GLOBALS must have been copied. */
uint32_t isg_spirv_edit_global(isg_spirv_editor *editor, SpvOp op, uint32_t type,
                               const uint32_t *operands, size_t count);
uint32_t isg_spirv_edit_void(isg_spirv_editor *editor);
uint32_t isg_spirv_edit_bool(isg_spirv_editor *editor);
uint32_t isg_spirv_edit_int(isg_spirv_editor *editor, uint32_t width, bool is_signed);
uint32_t isg_spirv_edit_float(isg_spirv_editor *editor, uint32_t width);
uint32_t isg_spirv_edit_vector(isg_spirv_editor *editor, uint32_t component, uint32_t count);
uint32_t isg_spirv_edit_pointer(isg_spirv_editor *editor, SpvStorageClass storage,
                                uint32_t pointee);
uint32_t isg_spirv_edit_u32(isg_spirv_editor *editor, uint32_t value);
/* A variable for isogrid's buffer, a block with an array of ISG_STATE_HEADER_WORDS words. */
uint32_t isg_spirv_edit_header(isg_spirv_editor *editor);
/* A pointer to, or the value of, word `index` of it; `index` of the first is an id. */
uint32_t isg_spirv_point_header(isg_spirv_editor *editor, uint32_t header, uint32_t index);
uint32_t isg_spirv_load_header(isg_spirv_editor *editor, uint32_t header, uint32_t index);
/* `value`, truncated to the width, as a constant of the integer type `type`, or in every component
 * of the vector type `type`. */
uint32_t isg_spirv_edit_splat(isg_spirv_editor *editor, uint32_t type, uint64_t value);
/* The words of the type `id` where it stands among the globals so far: the module's own types and
 * the scalar and vector types the editor made. NULL: neither. */
const uint32_t *isg_spirv_edit_type(const isg_spirv_editor *editor, uint32_t id);
/* Adds what is not there yet. */
void isg_spirv_edit_capability(isg_spirv_editor *editor, SpvCapability capability);
void isg_spirv_edit_extension(isg_spirv_editor *editor, const char *name);

/* ---- passes (pass_*.c): module in, module out -------------------------------------------------- */

/* Each makes *out from `module` and leaves `module` as it is; on error *out is NULL. */

/* Loads of the phase become the constant ISG_SPEC_ID_PHASE, the sync class a plain constant; keeps
 * only `entry`, and isogrid's buffer only where something still uses it. */
isg_status isg_spirv_pass_phase(const isg_spirv_module *module, const char *entry,
                                bool *out_has_phase, isg_spirv_module **out);
/* Wraps the entry function in a loop over the logical grid. */
isg_status isg_spirv_pass_loop(const isg_spirv_module *module, const char *entry,
                               isg_spirv_module **out);
/* What drivers may choose is chosen: docs/exactness.md. UNSUPPORTED: a demand for denormals that the
 * device cannot meet. */
isg_status isg_spirv_pass_exact(const isg_spirv_module *module, const char *entry,
                                const isg_float_behaviour *floats, isg_spirv_module **out);
/* Bounds every loop by one budget an invocation; an invocation over it returns. */
isg_status isg_spirv_pass_bounded(const isg_spirv_module *module, const char *entry,
                                  isg_spirv_module **out);
/* Tests every index that may be outside its array: a bad one becomes 0, is reported, and what is
 * stored through it changes nothing. */
isg_status isg_spirv_pass_checked(const isg_spirv_module *module, const char *entry,
                                  isg_spirv_module **out);
typedef struct isg_spirv_frozen {
    uint32_t id;    /* SpecId */
    uint64_t value; /* its bits; a boolean is 0 or not */
} isg_spirv_frozen;

/* Specialisation constants, what is computed of them, and workgroup sizes become plain constants;
 * those without a value in `values` take their default. */
isg_status isg_spirv_pass_freeze(const isg_spirv_module *module, const isg_spirv_frozen *values,
                                 uint32_t value_count, isg_spirv_module **out);
/* Calls become the bodies of what they call, where a function returns only at its end; other calls
 * stay. Functions that nothing calls any more go. */
isg_status isg_spirv_pass_inline(const isg_spirv_module *module, isg_spirv_module **out);
/* Makes memory operations order across waits in the kernel: the Vulkan memory model, every access to
 * buffers, images and workgroup memory non-private, barriers with availability and visibility. */
isg_status isg_spirv_pass_ordering(const isg_spirv_module *module, isg_spirv_module **out);
isg_status isg_spirv_copy(const isg_spirv_module *module, isg_spirv_module **out);
/* The module declares isogrid's buffer. */
bool isg_spirv_uses_state(const isg_spirv_module *module);

/* ---- errors that kernels report (guard.c) ----------------------------------------------------------- */

/* Around the entry function: a new one that clears the invocation's error, calls it, and writes an
 * error that came up to isogrid's buffer. */
typedef struct isg_spirv_guard {
    isg_spirv_editor *editor;
    const uint32_t *entry;        /* OpEntryPoint of the module that is rewritten */
    uint32_t word, boolean, quad; /* types: uint, bool, uvec4 */
    uint32_t header;              /* isogrid's buffer */
    uint32_t error;               /* private uvec4: isg_state_error, set, binding, index */
    uint32_t budget;              /* private uint: iterations left; 0: none is kept */
} isg_spirv_guard;

/* Copies every section but entry points, modes and functions, and adds the guard's variables. */
void isg_spirv_guard_begin(isg_spirv_guard *guard, isg_spirv_editor *editor, const uint32_t *entry,
                           bool with_budget);
/* Notes an error of the invocation, its first, where the boolean `condition` holds. */
void isg_spirv_guard_note(isg_spirv_guard *guard, uint32_t condition, uint32_t kind, uint32_t set,
                          uint32_t binding, uint32_t index);
/* Appends the new entry function, behind the module's own. */
void isg_spirv_guard_end(isg_spirv_guard *guard);

/* ---- what passes share (pass_phase.c) -------------------------------------------------------------- */

/* Appends the entry point `entry` for `function`, its interface without ids whose `drop` byte has a
 * bit of `drop_mask` (`drop` may be NULL), and with `more` behind. */
void isg_spirv_put_entry(isg_spirv_editor *editor, const uint32_t *entry, uint32_t function,
                         const uint8_t *drop, uint8_t drop_mask, const uint32_t *more,
                         uint32_t more_count);
/* Appends the execution modes of `entry` as those of `function`. */
void isg_spirv_put_modes(isg_spirv_editor *editor, uint32_t entry, uint32_t function);

#endif
