/* Reads the words of a module into an index: sections, ids, names, decorations, functions. */
#include "spirv/module.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- messages ---------------------------------------------------------------------------------- */

static isg_status fail_at(isg_status status, const isg_spirv_module *module, uint32_t offset,
                          const char *format, va_list arguments)
{
    char what[512];
    char buffer[24];
    const char *name = "the header";

    vsnprintf(what, sizeof what, format, arguments);
    if (offset >= ISG_SPIRV_HEADER_WORDS && offset < module->word_count) {
        name = isg_spirv_opcode_name(isg_spirv_op(module->words + offset), buffer);
    }
    return isg_fail(status, "SPIR-V word %u, %s: %s", (unsigned)offset, name, what);
}

isg_status isg_spirv_invalid(const isg_spirv_module *module, uint32_t offset, const char *format,
                             ...)
{
    va_list arguments;
    va_start(arguments, format);
    isg_status status = fail_at(ISG_ERROR_INVALID_SPIRV, module, offset, format, arguments);
    va_end(arguments);
    return status;
}

isg_status isg_spirv_unsupported(const isg_spirv_module *module, uint32_t offset,
                                 const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    isg_status status = fail_at(ISG_ERROR_UNSUPPORTED, module, offset, format, arguments);
    va_end(arguments);
    return status;
}

/* ---- header and shape --------------------------------------------------------------------------- */

static isg_status check_header(const isg_spirv_module *module)
{
    const uint32_t *words = module->words;

    if (module->word_count < ISG_SPIRV_HEADER_WORDS) {
        return isg_fail(ISG_ERROR_INVALID_SPIRV,
                        "SPIR-V of %u words is shorter than its header of %u; is it a SPIR-V file?",
                        (unsigned)module->word_count, ISG_SPIRV_HEADER_WORDS);
    }
    if (words[0] == 0x03022307u) {
        return isg_spirv_invalid(module, 0,
                                 "the module is big-endian; store it as little-endian "
                                 "words");
    }
    if (words[0] != SpvMagicNumber) {
        return isg_spirv_invalid(module, 0,
                                 "it starts with 0x%08x, not SPIR-V's 0x%08x; is it a "
                                 "SPIR-V file?",
                                 (unsigned)words[0], (unsigned)SpvMagicNumber);
    }
    if (words[1] < 0x00010000u || words[1] > 0x00010600u || (words[1] & 0xff0000ffu) != 0) {
        return isg_spirv_invalid(module, 1,
                                 "version 0x%08x is outside 1.0 to 1.6; compile for "
                                 "Vulkan 1.3 or earlier",
                                 (unsigned)words[1]);
    }
    if (words[3] == 0 || words[3] > ISG_SPIRV_MAX_BOUND) {
        return isg_spirv_invalid(module, 3, "the id bound %u is outside 1 to %u; compact the ids",
                                 (unsigned)words[3], ISG_SPIRV_MAX_BOUND);
    }
    if (words[4] != 0) {
        return isg_spirv_invalid(module, 4, "schema %u is reserved; it must be 0",
                                 (unsigned)words[4]);
    }
    return ISG_OK;
}

/* The section an instruction outside functions belongs to; COUNT: none alone. */
static isg_spirv_section section_of(uint32_t op)
{
    switch (op) {
    case SpvOpCapability:
        return ISG_SPIRV_CAPABILITIES;
    case SpvOpExtension:
        return ISG_SPIRV_EXTENSIONS;
    case SpvOpExtInstImport:
        return ISG_SPIRV_IMPORTS;
    case SpvOpMemoryModel:
        return ISG_SPIRV_MEMORY_MODEL;
    case SpvOpEntryPoint:
        return ISG_SPIRV_ENTRY_POINTS;
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return ISG_SPIRV_EXECUTION_MODES;
    case SpvOpString:
    case SpvOpSource:
    case SpvOpSourceExtension:
    case SpvOpSourceContinued:
        return ISG_SPIRV_SOURCES;
    case SpvOpName:
    case SpvOpMemberName:
        return ISG_SPIRV_NAMES;
    case SpvOpModuleProcessed:
        return ISG_SPIRV_PROCESSES;
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
    case SpvOpDecorationGroup:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
    case SpvOpDecorateId:
    case SpvOpDecorateString:
    case SpvOpMemberDecorateString:
        return ISG_SPIRV_ANNOTATIONS;
    case SpvOpFunction:
        return ISG_SPIRV_FUNCTIONS;
    case SpvOpUndef:
    case SpvOpVariable:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpExtInst:
    case 4433: /* OpExtInstWithForwardRefsKHR */
        return ISG_SPIRV_GLOBALS;
    default:
        return (op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer) ||
                       (op >= SpvOpConstantTrue && op <= SpvOpSpecConstantOp)
                   ? ISG_SPIRV_GLOBALS
                   : ISG_SPIRV_SECTION_COUNT;
    }
}

typedef struct counts {
    uint32_t max_id, notes, constants, types, members, functions;
} counts;

/* Words of a group decoration: no compiler makes them any more, and each target searches it. */
#define MAX_GROUP 66u

/* Ids that a name or decoration is about. */
static uint32_t note_targets(const uint32_t *inst)
{
    uint32_t op = isg_spirv_op(inst);
    uint32_t length = isg_spirv_length(inst);

    if (op == SpvOpGroupDecorate) {
        return length > 2 && length <= MAX_GROUP ? length - 2 : 0;
    }
    if (op == SpvOpGroupMemberDecorate) {
        return length > 2 && length <= MAX_GROUP ? (length - 2) / 2 : 0;
    }
    return length > 1 && (op == SpvOpName || op == SpvOpMemberName ||
                          (section_of(op) == ISG_SPIRV_ANNOTATIONS && op != SpvOpDecorationGroup))
               ? 1
               : 0;
}

bool isg_spirv_is_scalar_constant(uint32_t op)
{
    return op == SpvOpConstant || op == SpvOpConstantTrue || op == SpvOpConstantFalse ||
           op == SpvOpConstantNull || op == SpvOpSpecConstant || op == SpvOpSpecConstantTrue ||
           op == SpvOpSpecConstantFalse || op == SpvOpSpecConstantOp;
}

static bool is_type(uint32_t op)
{
    return op >= SpvOpTypeVoid && op < SpvOpTypeForwardPointer;
}

/* Places one instruction in the module's order; `*function` is the OpFunction it is in, or 0. */
static isg_status place(isg_spirv_module *module, uint32_t offset, isg_spirv_section *section,
                        uint32_t *function)
{
    uint32_t op = isg_spirv_op(module->words + offset);

    /* Most of a module: what stands in functions and nowhere else. */
    if (*function != 0 && op > SpvOpVariable && op < SpvOpDecorate) {
        return ISG_OK;
    }
    isg_spirv_section here = section_of(op);
    if (op == SpvOpNop) {
        return ISG_OK;
    }
    if (*function != 0) {
        if (op == SpvOpFunctionEnd) {
            *function = 0;
        } else if (here < ISG_SPIRV_GLOBALS || op == SpvOpFunction ||
                   (here == ISG_SPIRV_GLOBALS && op != SpvOpUndef && op != SpvOpVariable &&
                    op != SpvOpLine && op != SpvOpNoLine && op != SpvOpExtInst && op != 4433)) {
            return isg_spirv_invalid(module, offset,
                                     "it may not stand inside a function (which "
                                     "starts at word %u)",
                                     (unsigned)*function);
        }
        return ISG_OK;
    }
    if (here == ISG_SPIRV_SECTION_COUNT) {
        return isg_spirv_invalid(module, offset, "it may stand only inside a function");
    }
    if (*section == ISG_SPIRV_FUNCTIONS && here == ISG_SPIRV_GLOBALS &&
        (op == SpvOpLine || op == SpvOpNoLine || op == SpvOpExtInst || op == 4433)) {
        return ISG_OK;
    }
    if (here < *section) {
        return isg_spirv_invalid(module, offset,
                                 "it stands after the module's section %u, its "
                                 "place is section %u",
                                 (unsigned)*section, (unsigned)here);
    }
    while (*section < here) {
        *section = (isg_spirv_section)(*section + 1);
        module->sections[*section] = offset;
    }
    if (op == SpvOpFunction) {
        *function = offset;
    }
    return ISG_OK;
}

/* Walks the words once: every instruction known and whole, sections in order; counts what the
 * index must hold. */
static isg_status survey(isg_spirv_module *module, counts *out)
{
    isg_spirv_section section = ISG_SPIRV_CAPABILITIES;
    uint32_t function = 0;
    uint32_t offset = ISG_SPIRV_HEADER_WORDS;

    module->sections[0] = offset;
    while (offset < module->word_count) {
        const uint32_t *inst = module->words + offset;
        uint32_t length = isg_spirv_length(inst);
        uint32_t op = isg_spirv_op(inst);
        const isg_spirv_opcode *opcode = isg_spirv_opcode_find(op);
        if (length == 0 || length > module->word_count - offset) {
            return isg_spirv_invalid(module, offset,
                                     "its length of %u words passes the module's "
                                     "end at word %u; the module is cut off",
                                     (unsigned)length, (unsigned)module->word_count);
        }
        if (opcode == NULL) {
            return isg_spirv_unsupported(module, offset,
                                         "isogrid does not know this instruction; "
                                         "write the kernel without it");
        }
        if (isg_spirv_has_result(opcode)) {
            uint32_t at = isg_spirv_has_type(opcode) ? 2 : 1;
            if (length <= at || inst[at] == 0 || inst[at] >= module->bound) {
                return isg_spirv_invalid(module, offset,
                                         "its result id %u is outside 1 to the "
                                         "bound %u",
                                         length <= at ? 0u : (unsigned)inst[at],
                                         (unsigned)module->bound);
            }
            out->max_id = inst[at] > out->max_id ? inst[at] : out->max_id;
        }
        if ((op == SpvOpGroupDecorate || op == SpvOpGroupMemberDecorate) && length > MAX_GROUP) {
            return isg_spirv_unsupported(module, offset,
                                         "it decorates more than %u ids at once; "
                                         "decorate them one by one",
                                         MAX_GROUP - 2);
        }
        isg_status status = place(module, offset, &section, &function);
        if (status != ISG_OK) {
            return status;
        }
        out->notes += function == 0 ? note_targets(inst) : 0;
        out->constants += isg_spirv_is_scalar_constant(op);
        out->types += is_type(op);
        out->members += op == SpvOpTypeStruct ? length - 2 : 0;
        out->functions += op == SpvOpFunction;
        offset += length;
    }
    if (function != 0) {
        return isg_spirv_invalid(module, function,
                                 "the function has no OpFunctionEnd; the module "
                                 "is cut off");
    }
    while (section < ISG_SPIRV_SECTION_COUNT) {
        section = (isg_spirv_section)(section + 1);
        module->sections[section] = module->word_count;
    }
    return ISG_OK;
}

/* ---- the index ---------------------------------------------------------------------------------- */

static isg_status allocate(isg_spirv_module *module, const counts *need)
{
    const isg_host_allocator *allocator = isg_spirv_allocator(module);

    module->id_count = need->max_id + 1;
    module->note_capacity = need->notes + 1;
    module->constant_capacity = need->constants + 1;
    module->type_capacity = need->types + 1;
    module->member_capacity = need->members + 1;
    module->function_capacity = need->functions + 1;
    module->ids = isg_alloc(allocator, sizeof *module->ids * module->id_count);
    module->notes = isg_alloc(allocator, sizeof *module->notes * module->note_capacity);
    module->constants = isg_alloc(allocator, sizeof *module->constants * module->constant_capacity);
    module->types = isg_alloc(allocator, sizeof *module->types * module->type_capacity);
    module->members = isg_alloc(allocator, sizeof *module->members * module->member_capacity);
    module->functions = isg_alloc(allocator, sizeof *module->functions * module->function_capacity);
    module->note_count = 1;
    module->constant_count = 1;
    module->type_count = 1;
    if (module->ids == NULL || module->notes == NULL || module->constants == NULL ||
        module->types == NULL || module->members == NULL || module->functions == NULL) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY,
                        "no memory to index a SPIR-V module of %u words and %u ids",
                        (unsigned)module->word_count, (unsigned)module->id_count);
    }
    return ISG_OK;
}

static void add_note(isg_spirv_module *module, uint32_t offset)
{
    const uint32_t *inst = module->words + offset;
    uint32_t op = isg_spirv_op(inst);
    uint32_t first = op == SpvOpGroupDecorate || op == SpvOpGroupMemberDecorate ? 2 : 1;
    uint32_t step = op == SpvOpGroupMemberDecorate ? 2 : 1;

    for (uint32_t i = note_targets(inst); i-- > 0;) {
        uint32_t target = inst[first + i * step];
        if (target < module->id_count) { /* else it names nothing, which the check refuses */
            isg_spirv_note *note = &module->notes[module->note_count];
            note->offset = offset;
            note->next = module->ids[target].note;
            module->ids[target].note = module->note_count++;
        }
    }
}

static void add_constant(isg_spirv_module *module, const uint32_t *inst)
{
    isg_spirv_constant *constant = &module->constants[module->constant_count];

    constant->id = inst[2];
    module->ids[inst[2]].slot = module->constant_count++;
    constant->known = isg_spirv_evaluate(module, inst, &constant->value);
}

static isg_status index_instruction(isg_spirv_module *module, uint32_t offset)
{
    const uint32_t *inst = module->words + offset;
    uint32_t op = isg_spirv_op(inst);
    uint32_t at = isg_spirv_result_at(inst);

    if (at != 0) {
        isg_spirv_id *id = &module->ids[inst[at]];
        if (id->offset != 0) {
            return isg_spirv_invalid(module, offset, "its result id %u is made at word %u already",
                                     (unsigned)inst[at], (unsigned)id->offset);
        }
        id->offset = offset;
        id->type = at == 2 ? inst[1] : 0;
    }
    /* What stands in functions is walked by the check, when all ids are known. */
    isg_spirv_operands it = isg_spirv_operands_of(module, inst);
    while (offset < module->sections[ISG_SPIRV_FUNCTIONS] && isg_spirv_operand_next(&it)) {
    }
    if (it.bad) {
        return isg_spirv_invalid(module, offset, "its %u words do not fit its operands",
                                 (unsigned)isg_spirv_length(inst));
    }
    if (offset < module->sections[ISG_SPIRV_GLOBALS] && note_targets(inst) > 0) {
        add_note(module, offset);
    } else if (isg_spirv_is_scalar_constant(op)) {
        add_constant(module, inst);
    } else if (is_type(op)) {
        module->ids[inst[1]].slot = module->type_count;
        isg_spirv_lay_out(module, inst);
    } else if (op == SpvOpFunction) {
        module->functions[module->function_count].id = inst[2];
        module->functions[module->function_count++].offset = offset;
    } else if (op == SpvOpFunctionEnd) {
        module->functions[module->function_count - 1].end = offset + isg_spirv_length(inst);
    }
    return ISG_OK;
}

isg_status isg_spirv_index(const isg_host_allocator *allocator, uint32_t *words,
                           uint32_t word_count, isg_spirv_module **out)
{
    isg_status status;
    counts need = {0};
    isg_spirv_module *module = isg_alloc(allocator, sizeof *module);

    *out = NULL;
    if (module == NULL) {
        isg_free(allocator, words, sizeof *words * word_count);
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no memory for a SPIR-V module's index");
    }
    if (allocator != NULL) {
        module->allocator = *allocator;
    }
    module->words = words;
    module->word_count = word_count;
    status = check_header(module);
    if (status != ISG_OK) {
        goto fail;
    }
    module->version = words[1];
    module->bound = words[3];
    status = survey(module, &need);
    if (status == ISG_OK) {
        status = allocate(module, &need);
    }
    for (uint32_t offset = ISG_SPIRV_HEADER_WORDS; status == ISG_OK && offset < word_count;
         offset += isg_spirv_length(words + offset)) {
        status = index_instruction(module, offset);
    }
    if (status != ISG_OK) {
        goto fail;
    }
    *out = module;
    return ISG_OK;

fail:
    isg_spirv_free(module);
    return status;
}

isg_status isg_spirv_parse(const isg_host_allocator *allocator, const void *bytes, size_t size,
                           isg_spirv_module **out)
{
    *out = NULL;
    if (size % 4 != 0 || size / 4 > UINT32_MAX / 2) {
        return isg_fail(ISG_ERROR_INVALID_SPIRV,
                        "SPIR-V of %zu bytes is no whole number of 32-bit words below 2^31; is the "
                        "file complete?",
                        size);
    }
    /* At least the header's words, so that a short module is refused there. */
    uint32_t *words = isg_alloc(allocator, size > 0 ? size : 4);
    if (words == NULL) {
        return isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no memory for a copy of %zu bytes of SPIR-V",
                        size);
    }
    if (size > 0) {
        memcpy(words, bytes, size);
    }
    isg_status status = isg_spirv_index(allocator, words, (uint32_t)(size / 4), out);
    if (status == ISG_OK) {
        status = isg_spirv_check(*out);
        if (status != ISG_OK) {
            isg_spirv_free(*out);
            *out = NULL;
        }
    }
    return status;
}

void isg_spirv_free(isg_spirv_module *module)
{
    if (module == NULL) {
        return;
    }
    isg_host_allocator own = module->allocator;
    const isg_host_allocator *allocator = own.allocate != NULL ? &own : NULL;
    isg_free(allocator, module->words,
             module->word_count > 0 ? sizeof *module->words * module->word_count : 4);
    isg_free(allocator, module->ids, sizeof *module->ids * module->id_count);
    isg_free(allocator, module->notes, sizeof *module->notes * module->note_capacity);
    isg_free(allocator, module->constants, sizeof *module->constants * module->constant_capacity);
    isg_free(allocator, module->types, sizeof *module->types * module->type_capacity);
    isg_free(allocator, module->members, sizeof *module->members * module->member_capacity);
    isg_free(allocator, module->functions, sizeof *module->functions * module->function_capacity);
    isg_free(allocator, module, sizeof *module);
}

const uint32_t *isg_spirv_words(const isg_spirv_module *module, size_t *out_count)
{
    *out_count = module->word_count;
    return module->words;
}
