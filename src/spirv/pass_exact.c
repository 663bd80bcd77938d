/* Pass: the same bits on every device. Drives the exact_*.c files over the module. */
#include "spirv/exact.h"

#include <string.h>

/* ---- what a module must not say, and what it must -------------------------------------------------- */

static bool is_stripped(const uint32_t *inst)
{
    uint32_t op = isg_spirv_op(inst);
    uint32_t at = op == SpvOpMemberDecorate ? 3 : 2;

    if ((op != SpvOpDecorate && op != SpvOpMemberDecorate) || isg_spirv_length(inst) <= at) {
        return false;
    }
    return inst[at] == SpvDecorationRelaxedPrecision || inst[at] == SpvDecorationFPFastMathMode ||
           inst[at] == SpvDecorationNoContraction;
}

static void put_annotations(isg_spirv_exact *exact)
{
    const isg_spirv_module *module = exact->module;

    for (uint32_t i = module->sections[ISG_SPIRV_ANNOTATIONS];
         i < module->sections[ISG_SPIRV_ANNOTATIONS + 1];
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (!is_stripped(inst)) {
            isg_spirv_edit_copy_inst(&exact->editor, ISG_SPIRV_ANNOTATIONS, inst);
        }
    }
}

static bool has_mode(const isg_spirv_module *module, SpvExecutionMode mode, uint32_t width)
{
    for (uint32_t i = module->sections[ISG_SPIRV_EXECUTION_MODES];
         i < module->sections[ISG_SPIRV_EXECUTION_MODES + 1];
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) == SpvOpExecutionMode && isg_spirv_length(inst) > 3 &&
            inst[2] == (uint32_t)mode && inst[3] == width) {
            return true;
        }
    }
    return false;
}

static void demand(isg_spirv_exact *exact, uint32_t function, SpvExecutionMode mode,
                   SpvCapability capability)
{
    isg_spirv_editor *editor = &exact->editor;

    if (has_mode(exact->module, mode, 32)) {
        return;
    }
    isg_spirv_edit_capability(editor, capability);
    if (editor->version < 0x00010400u) {
        isg_spirv_edit_extension(editor, "SPV_KHR_float_controls");
    }
    ISG_SPIRV_PUT(editor, ISG_SPIRV_EXECUTION_MODES, SpvOpExecutionMode, function, (uint32_t)mode,
                  32);
}

/* The module computes with 32-bit floats; modes about others would be noise. */
static bool has_float(const isg_spirv_module *module)
{
    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS];
         i < module->sections[ISG_SPIRV_GLOBALS + 1]; i += isg_spirv_length(module->words + i)) {
        if (isg_spirv_op(module->words + i) == SpvOpTypeFloat && module->words[i + 2] == 32) {
            return true;
        }
    }
    return false;
}

static isg_status choose_modes(isg_spirv_exact *exact, uint32_t function,
                               const isg_float_behaviour *floats)
{
    if (!has_float(exact->module)) {
        return ISG_OK;
    }
    if (has_mode(exact->module, SpvExecutionModeDenormPreserve, 32)) {
        if (!floats->denormals32_keep_control && floats->denormals32 != ISG_DENORMALS_KEPT) {
            return isg_fail(
                ISG_ERROR_UNSUPPORTED,
                "the kernel asks for 32-bit denormals to be kept and the device flushes "
                "them; run it elsewhere or drop the execution mode");
        }
        exact->keep_denormals = true;
    } else if (floats->denormals32_flush_control) {
        demand(exact, function, SpvExecutionModeDenormFlushToZero, SpvCapabilityDenormFlushToZero);
    } else {
        /* Where arithmetic flushes, compilers still fold x + 0 or x * 1 to x and let a denormal pass
         * (seen on NVIDIA 580): what enters arithmetic is flushed on every device. */
        exact->explicit_flush = true;
        exact->flush_results = floats->denormals32 != ISG_DENORMALS_FLUSHED;
    }
    if (floats->rounding32_nearest_control) {
        demand(exact, function, SpvExecutionModeRoundingModeRTE, SpvCapabilityRoundingModeRTE);
    }
    if (floats->signed_zero_inf_nan32) {
        demand(exact, function, SpvExecutionModeSignedZeroInfNanPreserve,
               SpvCapabilitySignedZeroInfNanPreserve);
    }
    return ISG_OK;
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

static void flush_value(isg_spirv_exact *exact, uint32_t id)
{
    exact->flushed[id] = isg_spirv_exact_flush(exact, isg_spirv_type_of(exact->module, id), id, 0);
}

/* A value that moved here, may be denormal, and is computed with later. */
static bool must_flush(const isg_spirv_exact *exact, uint32_t id)
{
    uint8_t need = ISG_SPIRV_SMALL | ISG_SPIRV_WANTED;
    return !exact->keep_denormals && (exact->facts[id] & need) == need &&
           isg_spirv_exact_float_width(exact, isg_spirv_type_of(exact->module, id)) == 32;
}

/* Flushes phis and parameters, which leave no room where they stand, before the first instruction
 * that is none of the block's head. */
static void flush_pending(isg_spirv_exact *exact, uint32_t op)
{
    switch (op) {
    case SpvOpPhi:
    case SpvOpFunctionParameter:
    case SpvOpLabel:
    case SpvOpVariable:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpFunction:
    case SpvOpExtInst: /* debug information may stand among variables */
    case SpvOpUndef:
        return;
    default:
        for (uint32_t i = 0; i < exact->pending_count; i++) {
            flush_value(exact, exact->pending[i]);
        }
        exact->pending_count = 0;
    }
}

static void put_instruction(isg_spirv_exact *exact, const uint32_t *inst)
{
    uint32_t op = isg_spirv_op(inst);
    uint32_t at = isg_spirv_result_at(inst);
    bool real = op == SpvOpExtInst && !isg_spirv_import_is_debug(exact->module, inst[3]);

    flush_pending(exact, real ? (uint32_t)SpvOpNop : op);
    exact->bitwise = isg_spirv_exact_is_bitwise(exact, inst);
    if (op == SpvOpExtInst) {
        if (!isg_spirv_exact_extended(exact, inst)) {
            isg_spirv_edit_copy_inst(&exact->editor, ISG_SPIRV_FUNCTIONS, inst);
        }
    } else if (!isg_spirv_exact_float(exact, inst) && !isg_spirv_exact_integer(exact, inst)) {
        isg_spirv_edit_copy_inst(&exact->editor, ISG_SPIRV_FUNCTIONS, inst);
    }
    if (at != 2 || !must_flush(exact, inst[2])) {
        return;
    }
    if (op == SpvOpPhi || op == SpvOpFunctionParameter || op == SpvOpUndef) {
        exact->pending[exact->pending_count++] = inst[2];
    } else {
        flush_value(exact, inst[2]);
    }
}

static isg_status rewrite(isg_spirv_exact *exact, const uint32_t *entry,
                          const isg_float_behaviour *floats, isg_spirv_module **out)
{
    const isg_spirv_module *module = exact->module;
    isg_spirv_editor *editor = &exact->editor;

    isg_spirv_edit_begin(editor, module);
    isg_spirv_edit_copy(editor, ISG_SPIRV_CAPABILITIES);
    isg_spirv_edit_copy(editor, ISG_SPIRV_EXTENSIONS);
    isg_spirv_edit_copy(editor, ISG_SPIRV_IMPORTS);
    isg_spirv_edit_copy(editor, ISG_SPIRV_MEMORY_MODEL);
    isg_spirv_edit_copy(editor, ISG_SPIRV_ENTRY_POINTS);
    isg_spirv_edit_copy(editor, ISG_SPIRV_EXECUTION_MODES);
    isg_spirv_edit_copy(editor, ISG_SPIRV_SOURCES);
    isg_spirv_edit_copy(editor, ISG_SPIRV_NAMES);
    isg_spirv_edit_copy(editor, ISG_SPIRV_PROCESSES);
    put_annotations(exact);
    isg_spirv_edit_copy(editor, ISG_SPIRV_GLOBALS);
    isg_status status = choose_modes(exact, entry[2], floats);
    if (status != ISG_OK) {
        isg_spirv_edit_abandon(editor);
        return status;
    }
    isg_spirv_exact_flow(exact);
    for (uint32_t i = module->sections[ISG_SPIRV_FUNCTIONS]; i < module->word_count;
         i += isg_spirv_length(module->words + i)) {
        put_instruction(exact, module->words + i);
    }
    return isg_spirv_edit_finish(editor, out);
}

isg_status isg_spirv_pass_exact(const isg_spirv_module *module, const char *entry,
                                const isg_float_behaviour *floats, isg_spirv_module **out)
{
    const isg_host_allocator *allocator = isg_spirv_allocator(module);
    const uint32_t *entry_point = NULL;
    isg_spirv_exact exact = {.module = module, .glsl = isg_spirv_import(module, "GLSL.std.450")};
    size_t words = sizeof(uint32_t) * module->id_count;
    isg_status status = isg_spirv_entry(module, entry, &entry_point);

    *out = NULL;
    if (status != ISG_OK) {
        return status;
    }
    exact.facts = isg_alloc(allocator, module->id_count);
    exact.roots = isg_alloc(allocator, words);
    exact.flushed = isg_alloc(allocator, words);
    exact.pending = isg_alloc(allocator, words);
    if (exact.facts == NULL || exact.roots == NULL || exact.flushed == NULL ||
        exact.pending == NULL) {
        status = isg_fail(ISG_ERROR_OUT_OF_MEMORY, "no memory to rewrite a module of %u ids",
                          (unsigned)module->id_count);
    }
    if (status == ISG_OK) {
        status = rewrite(&exact, entry_point, floats, out);
    }
    isg_free(allocator, exact.facts, module->id_count);
    isg_free(allocator, exact.roots, words);
    isg_free(allocator, exact.flushed, words);
    isg_free(allocator, exact.pending, words);
    return status;
}
