/* What each pass does to the instructions of test kernels, before and after, in every variant. */
#include "spirv/spirv_test.h"

#include <spirv/unified1/GLSL.std.450.h>

typedef isg_status (*pass_function)(const isg_spirv_module *module, isg_spirv_module **out);

static isg_status exact_flushing(const isg_spirv_module *module, isg_spirv_module **out)
{
    return isg_spirv_pass_exact(module, NULL, &test_flushing.floats, out);
}

static isg_status exact_keeping(const isg_spirv_module *module, isg_spirv_module **out)
{
    return isg_spirv_pass_exact(module, NULL, &test_keeping.floats, out);
}

static isg_status phase(const isg_spirv_module *module, isg_spirv_module **out)
{
    bool has_phase = false;
    isg_status status = isg_spirv_pass_phase(module, NULL, &has_phase, out);
    ck_assert(has_phase);
    return status;
}

static isg_status loop(const isg_spirv_module *module, isg_spirv_module **out)
{
    return isg_spirv_pass_loop(module, NULL, out);
}

static isg_status bounded(const isg_spirv_module *module, isg_spirv_module **out)
{
    return isg_spirv_pass_bounded(module, NULL, out);
}

static isg_status checked(const isg_spirv_module *module, isg_spirv_module **out)
{
    return isg_spirv_pass_checked(module, NULL, out);
}

/* Runs one pass; its result is valid, and what it was made from is left as it was. */
static isg_spirv_module *run(const isg_spirv_module *module, pass_function pass)
{
    isg_spirv_module *out = NULL;
    size_t count = module->word_count;
    uint32_t *before = malloc(count * 4);

    memcpy(before, module->words, count * 4);
    ck_assert_msg(pass(module, &out) == ISG_OK, "%s", isg_last_error());
    test_assert_valid(out, "after the pass");
    ck_assert_mem_eq(before, module->words, count * 4);
    free(before);
    return out;
}

/* ---- exactness ----------------------------------------------------------------------------------- */

static bool is_float_arithmetic(uint32_t op)
{
    switch (op) {
    case SpvOpFNegate:
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpFDiv:
    case SpvOpFRem:
    case SpvOpFMod:
    case SpvOpVectorTimesScalar:
        return true;
    default:
        return false;
    }
}

/* Float operations that may be contracted; *all counts them all. */
static uint32_t contractible(const isg_spirv_module *module, uint32_t *all)
{
    uint32_t count = 0;

    *all = 0;
    for (uint32_t i = module->sections[ISG_SPIRV_FUNCTIONS]; i < module->word_count;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (is_float_arithmetic(isg_spirv_op(inst)) && isg_spirv_op(inst) != SpvOpFNegate) {
            ++*all;
            count +=
                isg_spirv_decoration(module, inst[2], SpvDecorationNoContraction, NULL) == NULL;
        }
    }
    return count;
}

START_TEST(float_operations_are_not_contracted)
{
    static const char *const names[] = {"float_core", "float_matrix", "float_more"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        isg_spirv_module *before = test_parse(names[i], (size_t)_i);
        isg_spirv_module *after = run(before, exact_flushing);
        uint32_t all = 0;
        ck_assert_uint_gt(contractible(before, &all), 0);
        ck_assert_uint_eq(contractible(after, &all), 0);
        ck_assert_uint_gt(all, 10);
        isg_spirv_free(before);
        isg_spirv_free(after);
    }
}
END_TEST

START_TEST(functions_become_operations)
{
    static const uint32_t gone[] = {
        GLSLstd450Fma,         GLSLstd450FMix,    GLSLstd450FMin,       GLSLstd450FMax,
        GLSLstd450FClamp,      GLSLstd450FSign,   GLSLstd450Fract,      GLSLstd450Round,
        GLSLstd450Step,        GLSLstd450Radians, GLSLstd450Degrees,    GLSLstd450Cross,
        GLSLstd450Reflect,     GLSLstd450Length,  GLSLstd450Distance,   GLSLstd450Normalize,
        GLSLstd450Refract,     GLSLstd450Modf,    GLSLstd450ModfStruct, GLSLstd450SmoothStep,
        GLSLstd450FaceForward,
    };
    static const uint32_t core[] = {SpvOpDot,
                                    SpvOpMatrixTimesVector,
                                    SpvOpVectorTimesMatrix,
                                    SpvOpMatrixTimesMatrix,
                                    SpvOpMatrixTimesScalar,
                                    SpvOpOuterProduct,
                                    SpvOpIsNan,
                                    SpvOpIsInf};
    static const char *const names[] = {"float_core", "float_matrix", "float_more"};
    uint32_t before_count = 0;

    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        isg_spirv_module *before = test_parse(names[n], (size_t)_i);
        isg_spirv_module *after = run(before, exact_keeping);
        for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
            before_count += test_count_extended(before, gone[i]);
            ck_assert_uint_eq(test_count_extended(after, gone[i]), 0);
        }
        for (size_t i = 0; i < sizeof core / sizeof core[0]; i++) {
            before_count += test_count(before, (SpvOp)core[i]);
            ck_assert_uint_eq(test_count(after, (SpvOp)core[i]), 0);
        }
        isg_spirv_free(before);
        isg_spirv_free(after);
    }
    ck_assert_uint_gt(before_count, 30);
}
END_TEST

static uint32_t count_modes(const isg_spirv_module *module, SpvExecutionMode mode)
{
    uint32_t count = 0;
    for (uint32_t i = module->sections[ISG_SPIRV_EXECUTION_MODES];
         i < module->sections[ISG_SPIRV_EXECUTION_MODES + 1];
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        count += inst[2] == (uint32_t)mode && isg_spirv_length(inst) == 4 && inst[3] == 32;
    }
    return count;
}

START_TEST(flushing_is_code_only_where_it_must_be)
{
    isg_spirv_module *before = test_parse("float_saxpy", (size_t)_i);
    isg_spirv_module *flushing = run(before, exact_flushing);
    isg_spirv_module *keeping = run(before, exact_keeping);
    isg_spirv_module *controlled = NULL;
    isg_float_behaviour floats = {.denormals32 = ISG_DENORMALS_KEPT,
                                  .denormals32_flush_control = true};

    ck_assert_int_eq(isg_spirv_pass_exact(before, NULL, &floats, &controlled), ISG_OK);
    test_assert_valid(controlled, "with flush control");
    ck_assert_uint_eq(count_modes(before, SpvExecutionModeDenormFlushToZero), 0);
    ck_assert_uint_eq(count_modes(controlled, SpvExecutionModeDenormFlushToZero), 1);
    ck_assert_uint_eq(count_modes(keeping, SpvExecutionModeRoundingModeRTE), 1);
    ck_assert_uint_eq(count_modes(keeping, SpvExecutionModeSignedZeroInfNanPreserve), 1);
    ck_assert_uint_eq(count_modes(flushing, SpvExecutionModeRoundingModeRTE), 0);
    ck_assert_uint_lt(test_count(flushing, SpvOpBitcast), test_count(keeping, SpvOpBitcast));
    ck_assert_uint_eq(test_count(controlled, SpvOpBitcast), test_count(before, SpvOpBitcast));
    ck_assert_uint_gt(test_count(keeping, SpvOpBitcast), test_count(before, SpvOpBitcast));
    isg_spirv_free(before);
    isg_spirv_free(flushing);
    isg_spirv_free(keeping);
    isg_spirv_free(controlled);
}
END_TEST

/* Divisions and shifts by what is no constant, and not guarded by a select. */
START_TEST(integers_are_defined)
{
    isg_spirv_module *before = test_parse("integer_edges", (size_t)_i);
    isg_spirv_module *after = run(before, exact_flushing);

    ck_assert_uint_gt(test_count(before, SpvOpSMod) + test_count(before, SpvOpSRem), 0);
    ck_assert_uint_eq(test_count(after, SpvOpSMod) + test_count(after, SpvOpSRem), 0);
    for (uint32_t i = after->sections[ISG_SPIRV_FUNCTIONS]; i < after->word_count;
         i += isg_spirv_length(after->words + i)) {
        const uint32_t *inst = after->words + i;
        uint32_t op = isg_spirv_op(inst);
        bool risky = op == SpvOpUDiv || op == SpvOpSDiv || op == SpvOpUMod ||
                     (op >= SpvOpShiftRightLogical && op <= SpvOpShiftLeftLogical);
        const uint32_t *divisor = risky ? isg_spirv_def(after, inst[4]) : NULL;
        ck_assert_msg(divisor == NULL || isg_spirv_op(divisor) == SpvOpSelect ||
                          isg_spirv_op(divisor) == SpvOpConstant ||
                          isg_spirv_op(divisor) == SpvOpConstantComposite,
                      "word %u: a divisor or shift is used as it came", (unsigned)i);
    }
    isg_spirv_free(before);
    isg_spirv_free(after);
}
END_TEST

/* ---- ordering ---------------------------------------------------------------------------------------- */

static bool is_shared(const isg_spirv_module *module, uint32_t pointer)
{
    const uint32_t *type =
        isg_spirv_def_as(module, isg_spirv_type_of(module, pointer), SpvOpTypePointer);
    return type != NULL &&
           (type[2] == SpvStorageClassStorageBuffer || type[2] == SpvStorageClassUniform ||
            type[2] == SpvStorageClassWorkgroup);
}

START_TEST(accesses_are_ordered_across_waits)
{
    isg_spirv_module *before = test_parse("reference", (size_t)_i);
    isg_spirv_module *after = run(before, isg_spirv_pass_ordering);
    uint32_t accesses = 0;
    uint32_t is_volatile = 0;

    ck_assert(isg_spirv_has_capability(after, SpvCapabilityVulkanMemoryModel));
    for (uint32_t i = after->sections[ISG_SPIRV_FUNCTIONS]; i < after->word_count;
         i += isg_spirv_length(after->words + i)) {
        const uint32_t *inst = after->words + i;
        uint32_t op = isg_spirv_op(inst);
        uint32_t at = op == SpvOpLoad ? 4 : 3;
        ck_assert_uint_ne(op, SpvOpCopyMemory);
        if ((op != SpvOpLoad && op != SpvOpStore) ||
            !is_shared(after, inst[at - 1 - (op != SpvOpLoad)])) {
            continue;
        }
        ck_assert_uint_gt(isg_spirv_length(inst), at);
        ck_assert_uint_ne(inst[at] & SpvMemoryAccessNonPrivatePointerMask, 0);
        is_volatile += (inst[at] & SpvMemoryAccessVolatileMask) != 0;
        accesses++;
    }
    ck_assert_uint_gt(accesses, 2);
    ck_assert_uint_ge(is_volatile, 2); /* the reference kernel's load and store of scratch */
    isg_spirv_free(before);
    isg_spirv_free(after);
}
END_TEST

START_TEST(workgroup_barriers_have_their_semantics)
{
    uint32_t wanted = SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsUniformMemoryMask |
                      SpvMemorySemanticsWorkgroupMemoryMask | SpvMemorySemanticsMakeAvailableMask |
                      SpvMemorySemanticsMakeVisibleMask;
    isg_spirv_module *before = test_parse("phased_basic", (size_t)_i);
    isg_spirv_module *after = run(before, isg_spirv_pass_ordering);
    uint32_t barriers = 0;

    for (uint32_t i = after->sections[ISG_SPIRV_FUNCTIONS]; i < after->word_count;
         i += isg_spirv_length(after->words + i)) {
        const uint32_t *inst = after->words + i;
        uint64_t semantics = 0;
        if (isg_spirv_op(inst) == SpvOpControlBarrier) {
            ck_assert(isg_spirv_constant_value(after, inst[3], &semantics));
            ck_assert_uint_eq(semantics, wanted);
            barriers++;
        }
    }
    ck_assert_uint_eq(barriers, 1);
    isg_spirv_free(before);
    isg_spirv_free(after);
}
END_TEST

/* ---- phases -------------------------------------------------------------------------------------------- */

static uint32_t count_spec_id(const isg_spirv_module *module, uint32_t id)
{
    uint32_t count = 0;
    for (uint32_t i = module->sections[ISG_SPIRV_ANNOTATIONS];
         i < module->sections[ISG_SPIRV_ANNOTATIONS + 1];
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        count +=
            isg_spirv_op(inst) == SpvOpDecorate && inst[2] == SpvDecorationSpecId && inst[3] == id;
    }
    return count;
}

START_TEST(phase_becomes_a_constant)
{
    isg_spirv_module *before = test_parse("phased_basic", (size_t)_i);
    isg_spirv_module *after = run(before, phase);

    ck_assert(isg_spirv_uses_state(before));
    ck_assert_uint_eq(count_spec_id(before, ISG_SPEC_ID_SYNC_CLASS), 1);
    ck_assert(!isg_spirv_uses_state(after)); /* nothing else of it is used */
    ck_assert_uint_eq(count_spec_id(after, ISG_SPEC_ID_SYNC_CLASS), 0);
    ck_assert_uint_eq(count_spec_id(after, ISG_SPEC_ID_PHASE), 1);
    isg_spirv_free(before);
    isg_spirv_free(after);

    before = test_parse("phased_round", (size_t)_i);
    after = run(before, phase);
    ck_assert(isg_spirv_uses_state(after)); /* the round is */
    isg_spirv_free(before);
    isg_spirv_free(after);
}
END_TEST

/* Input variables of one builtin. */
static uint32_t count_inputs(const isg_spirv_module *module, uint32_t builtin)
{
    uint32_t count = 0;
    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS];
         i < module->sections[ISG_SPIRV_GLOBALS + 1]; i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        count += isg_spirv_op(inst) == SpvOpVariable && inst[3] == SpvStorageClassInput &&
                 isg_spirv_decoration_value(module, inst[2], SpvDecorationBuiltIn, UINT32_MAX) ==
                     builtin;
    }
    return count;
}

START_TEST(loop_makes_builtins_logical)
{
    isg_spirv_module *given = test_parse("phased_basic", (size_t)_i);
    isg_spirv_module *before = run(given, phase);
    isg_spirv_module *after = run(before, loop);
    const uint32_t *old_entry = NULL;
    const uint32_t *new_entry = NULL;

    ck_assert_uint_eq(count_inputs(before, SpvBuiltInGlobalInvocationId), 1);
    ck_assert_uint_eq(count_inputs(after, SpvBuiltInGlobalInvocationId), 0);
    ck_assert_uint_eq(count_inputs(after, SpvBuiltInWorkgroupId), 1);
    ck_assert_uint_eq(count_inputs(after, SpvBuiltInNumWorkgroups), 1);
    ck_assert_int_eq(isg_spirv_entry(before, NULL, &old_entry), ISG_OK);
    ck_assert_int_eq(isg_spirv_entry(after, "main", &new_entry), ISG_OK);
    ck_assert_uint_ne(old_entry[2], new_entry[2]);
    ck_assert_uint_eq(test_count(after, SpvOpFunction), test_count(before, SpvOpFunction) + 1);
    ck_assert_uint_eq(test_count(after, SpvOpLoopMerge), test_count(before, SpvOpLoopMerge) + 1);
    /* Shared memory: one barrier more. */
    ck_assert_uint_eq(test_count(after, SpvOpControlBarrier),
                      test_count(before, SpvOpControlBarrier) + 1);
    ck_assert(isg_spirv_uses_state(after));
    isg_spirv_free(given);
    isg_spirv_free(before);
    isg_spirv_free(after);
}
END_TEST

/* ---- guards ---------------------------------------------------------------------------------------------- */

START_TEST(every_loop_is_bounded)
{
    isg_spirv_module *before = test_parse("loops", (size_t)_i);
    isg_spirv_module *after = run(before, bounded);
    uint32_t loops = test_count(before, SpvOpLoopMerge);

    ck_assert_uint_gt(loops, 0);
    ck_assert_uint_eq(test_count(after, SpvOpLoopMerge), loops);
    /* One way out for each loop, and the report at the end. */
    ck_assert_uint_ge(test_count(after, SpvOpSelectionMerge),
                      test_count(before, SpvOpSelectionMerge) + 1);
    ck_assert_uint_eq(test_count(after, SpvOpAtomicCompareExchange),
                      test_count(before, SpvOpAtomicCompareExchange) + 1);
    ck_assert_uint_ge(test_count(after, SpvOpISub), test_count(before, SpvOpISub) + loops);
    isg_spirv_free(before);
    isg_spirv_free(after);
}
END_TEST

START_TEST(every_index_is_checked)
{
    isg_spirv_module *before = test_parse("phased_round", (size_t)_i);
    isg_spirv_module *after = run(before, checked);

    ck_assert_uint_eq(test_count(before, SpvOpArrayLength), 0);
    ck_assert_uint_gt(test_count(after, SpvOpArrayLength), 0);
    for (uint32_t i = after->sections[ISG_SPIRV_FUNCTIONS]; i < after->word_count;
         i += isg_spirv_length(after->words + i)) {
        const uint32_t *inst = after->words + i;
        if (isg_spirv_op(inst) != SpvOpAccessChain || isg_spirv_length(inst) != 6) {
            continue;
        }
        /* The last index is a constant, or chosen by a test: the tested one or 0. */
        const uint32_t *index = isg_spirv_def(after, inst[5]);
        ck_assert(isg_spirv_op(index) == SpvOpConstant || isg_spirv_op(index) == SpvOpSelect);
    }
    isg_spirv_free(before);
    isg_spirv_free(after);
}
END_TEST

/* ---- freeze and inline -------------------------------------------------------------------------------- */

static isg_status freeze_some(const isg_spirv_module *module, isg_spirv_module **out)
{
    static const isg_spirv_frozen values[] = {{1, 32}, {3, 9}};
    return isg_spirv_pass_freeze(module, values, 2, out);
}

START_TEST(constants_are_frozen)
{
    isg_spirv_module *before = test_parse("phased_round", (size_t)_i);
    isg_spirv_module *after = run(before, freeze_some);
    const uint32_t *entry = NULL;
    uint32_t literals[3], ids[3];
    uint64_t size = 0;
    bool found = false;

    ck_assert_uint_gt(test_count(before, SpvOpSpecConstant), 0);
    ck_assert_uint_eq(test_count(after, SpvOpSpecConstant), 0);
    ck_assert_uint_eq(test_count(after, SpvOpSpecConstantOp), 0);
    ck_assert_uint_eq(test_count(after, SpvOpSpecConstantComposite), 0);
    ck_assert_int_eq(isg_spirv_entry(after, NULL, &entry), ISG_OK);
    ck_assert_int_eq(isg_spirv_workgroup_size(after, entry[2], literals, ids), ISG_OK);
    /* Constants by the built-in, literals where the mode named ids (variant 4). */
    ck_assert(ids[0] == 0 || isg_spirv_constant_value(after, ids[0], &size));
    ck_assert_uint_eq(ids[0] == 0 ? literals[0] : size, 32); /* given */
    ck_assert(ids[1] == 0 || isg_spirv_constant_value(after, ids[1], &size));
    ck_assert_uint_eq(ids[1] == 0 ? literals[1] : size, 1); /* its default */
    for (uint32_t i = 1; i < after->constant_count; i++) {
        found = found || after->constants[i].value == 9;
    }
    ck_assert(found);
    isg_spirv_free(before);
    isg_spirv_free(after);
}
END_TEST

START_TEST(calls_are_inlined)
{
    static const char *const names[] = {"phased_round", "float_more", "float_core"};
    uint32_t calls = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        isg_spirv_module *before = test_parse(names[i], (size_t)_i);
        isg_spirv_module *after = run(before, isg_spirv_pass_inline);
        calls += test_count(before, SpvOpFunctionCall);
        ck_assert_uint_eq(test_count(after, SpvOpFunctionCall), 0);
        ck_assert_uint_eq(test_count(after, SpvOpFunction), 1);
        isg_spirv_free(before);
        isg_spirv_free(after);
    }
    /* The optimiser inlines too: variants 1 and 2 come without calls. */
    ck_assert(_i == 1 || _i == 2 ? calls == 0 : calls > 10);
}
END_TEST

int main(void)
{
    int count = (int)TEST_VARIANT_COUNT;
    Suite *suite = suite_create("spirv_passes");
    TCase *exact = tcase_create("exact");
    TCase *ordering = tcase_create("ordering");
    TCase *phases = tcase_create("phases");
    TCase *guards = tcase_create("guards");
    TCase *freeze = tcase_create("freeze");

    tcase_add_loop_test(exact, float_operations_are_not_contracted, 0, count);
    tcase_add_loop_test(exact, functions_become_operations, 0, count);
    tcase_add_loop_test(exact, flushing_is_code_only_where_it_must_be, 0, count);
    tcase_add_loop_test(exact, integers_are_defined, 0, count);
    tcase_add_loop_test(ordering, accesses_are_ordered_across_waits, 0, count);
    tcase_add_loop_test(ordering, workgroup_barriers_have_their_semantics, 0, count);
    tcase_add_loop_test(phases, phase_becomes_a_constant, 0, count);
    tcase_add_loop_test(phases, loop_makes_builtins_logical, 0, count);
    tcase_add_loop_test(guards, every_loop_is_bounded, 0, count);
    tcase_add_loop_test(guards, every_index_is_checked, 0, count);
    tcase_add_loop_test(freeze, constants_are_frozen, 0, count);
    tcase_add_loop_test(freeze, calls_are_inlined, 0, count);
    suite_add_tcase(suite, freeze);
    suite_add_tcase(suite, exact);
    suite_add_tcase(suite, ordering);
    suite_add_tcase(suite, phases);
    suite_add_tcase(suite, guards);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
