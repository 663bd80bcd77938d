/* Malformed modules are refused with the word and the instruction, and nothing worse happens. */
#include "spirv/spirv_test.h"

/* A small module that is right, to be broken: one word at a time. */
typedef struct draft {
    uint32_t words[512];
    uint32_t count;
} draft;

static void put(draft *module, SpvOp op, const uint32_t *operands, uint32_t count)
{
    module->words[module->count++] = (count + 1) << 16 | (uint32_t)op;
    for (uint32_t i = 0; i < count; i++) {
        module->words[module->count++] = operands[i];
    }
}
#define PUT(module, op, ...)                                                                       \
    put((module), (op), (const uint32_t[]){__VA_ARGS__},                                           \
        sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

enum { MAIN = 1, VOID, FUNCTION, WORD, ONE, LABEL, SUM, LAST };

static void begin(draft *module)
{
    *module = (draft){.words = {SpvMagicNumber, 0x00010300u, 0, LAST + 8, 0}, .count = 5};
    PUT(module, SpvOpCapability, SpvCapabilityShader);
    PUT(module, SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelGLSL450);
    PUT(module, SpvOpEntryPoint, SpvExecutionModelGLCompute, MAIN, 0x6e69616du, 0);
    PUT(module, SpvOpExecutionMode, MAIN, SpvExecutionModeLocalSize, 1, 1, 1);
    PUT(module, SpvOpTypeVoid, VOID);
    PUT(module, SpvOpTypeFunction, FUNCTION, VOID);
    PUT(module, SpvOpTypeInt, WORD, 32, 0);
    PUT(module, SpvOpConstant, WORD, ONE, 1);
}

static void begin_main(draft *module)
{
    PUT(module, SpvOpFunction, VOID, MAIN, 0, FUNCTION);
    PUT(module, SpvOpLabel, LABEL);
}

static void end_main(draft *module)
{
    put(module, SpvOpReturn, NULL, 0);
    put(module, SpvOpFunctionEnd, NULL, 0);
}

static isg_status read_draft(const draft *module)
{
    isg_spirv_module *read = NULL;
    isg_status status = isg_spirv_parse(NULL, module->words, module->count * 4u, &read);

    ck_assert((status == ISG_OK) == (read != NULL));
    isg_spirv_free(read);
    return status;
}

/* Refused, and the message has the instruction's name and a part of the rule. */
static void refused(const draft *module, const char *instruction, const char *rule)
{
    ck_assert_int_eq(read_draft(module), ISG_ERROR_INVALID_SPIRV);
    ck_assert_msg(strstr(isg_last_error(), "word ") != NULL &&
                      strstr(isg_last_error(), instruction) != NULL &&
                      strstr(isg_last_error(), rule) != NULL,
                  "'%s' lacks '%s' or '%s'", isg_last_error(), instruction, rule);
}

START_TEST(the_draft_itself_is_accepted)
{
    draft module;
    begin(&module);
    begin_main(&module);
    PUT(&module, SpvOpIAdd, WORD, SUM, ONE, ONE);
    end_main(&module);
    ck_assert_msg(read_draft(&module) == ISG_OK, "%s", isg_last_error());
    char *message = test_validate(module.words, module.count);
    ck_assert_msg(message == NULL, "%s", message);
}
END_TEST

START_TEST(headers)
{
    draft module;
    static const struct {
        uint32_t word, value;
        const char *rule;
    } faults[] = {
        {0, 0x03022307u, "big-endian"},
        {0, 7, "not SPIR-V's"},
        {1, 0x00020000u, "outside 1.0"},
        {1, 0x00010700u, "outside 1.0"},
        {3, 0, "bound 0"},
        {3, 4194305u, "outside 1 to 4194304"},
        {3, UINT32_MAX, "outside 1 to"},
        {4, 1, "schema 1"},
    };

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        begin(&module);
        begin_main(&module);
        end_main(&module);
        module.words[faults[i].word] = faults[i].value;
        refused(&module, "the header", faults[i].rule);
    }
    ck_assert_int_eq(isg_spirv_parse(NULL, module.words, 7, &(isg_spirv_module *){NULL}),
                     ISG_ERROR_INVALID_SPIRV);
    ck_assert_int_eq(isg_spirv_parse(NULL, module.words, 0, &(isg_spirv_module *){NULL}),
                     ISG_ERROR_INVALID_SPIRV);
}
END_TEST

START_TEST(instructions)
{
    draft module;

    begin(&module);
    module.words[module.count - 4] = 0; /* OpConstant of no words */
    refused(&module, "", "length of 0 words");
    begin(&module);
    module.words[module.count - 4] = 9u << 16 | SpvOpConstant;
    refused(&module, "OpConstant", "passes the module's end");
    begin(&module);
    PUT(&module, SpvOpConstant, WORD, ONE, 2);
    refused(&module, "OpConstant", "is made at word");
    begin(&module);
    PUT(&module, SpvOpConstant, WORD, LAST + 8, 2);
    refused(&module, "OpConstant", "outside 1 to the bound");
    begin(&module);
    PUT(&module, SpvOpConstant, WORD, LAST, 2, 3);
    refused(&module, "OpConstant", "do not fit");
    begin(&module);
    PUT(&module, SpvOpName, MAIN, 0x6e69616du);
    refused(&module, "OpName", "its place is section");
    begin(&module);
    PUT(&module, SpvOpIAdd, WORD, SUM, ONE, ONE);
    refused(&module, "OpIAdd", "only inside a function");
    begin(&module);
    PUT(&module, SpvOpTypeVector, LAST, WORD, 5);
    begin_main(&module);
    end_main(&module);
    refused(&module, "OpTypeVector", "2 to 4");
    begin(&module);
    PUT(&module, (SpvOp)60000, 1);
    ck_assert_int_eq(read_draft(&module), ISG_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "opcode 60000"));
}
END_TEST

START_TEST(types_in_cycles)
{
    draft module;

    begin(&module);
    PUT(&module, SpvOpTypeStruct, LAST, LAST + 1);
    PUT(&module, SpvOpTypeStruct, LAST + 1, LAST);
    begin_main(&module);
    end_main(&module);
    refused(&module, "OpTypeStruct", "before word");
    begin(&module);
    PUT(&module, SpvOpTypeStruct, LAST, LAST);
    begin_main(&module);
    end_main(&module);
    refused(&module, "OpTypeStruct", "uses id");
    begin(&module);
    PUT(&module, SpvOpTypeArray, LAST, WORD, LAST + 3);
    begin_main(&module);
    end_main(&module);
    refused(&module, "OpTypeArray", "which nothing makes");
}
END_TEST

START_TEST(blocks)
{
    draft module;

    begin(&module);
    begin_main(&module);
    refused(&module, "OpFunction", "no OpFunctionEnd");
    begin(&module);
    begin_main(&module);
    put(&module, SpvOpFunctionEnd, NULL, 0);
    refused(&module, "OpFunctionEnd", "no branch or return");
    begin(&module);
    begin_main(&module);
    PUT(&module, SpvOpBranch, ONE);
    put(&module, SpvOpFunctionEnd, NULL, 0);
    refused(&module, "OpBranch", "no block of this function");
    begin(&module);
    begin_main(&module);
    PUT(&module, SpvOpBranch, LABEL);
    put(&module, SpvOpFunctionEnd, NULL, 0);
    refused(&module, "OpBranch", "first block");
    begin(&module);
    begin_main(&module);
    PUT(&module, SpvOpPhi, WORD, SUM, ONE, LABEL);
    end_main(&module);
    refused(&module, "OpPhi", "start of a block");
    begin(&module);
    begin_main(&module);
    PUT(&module, SpvOpBranch, LAST);
    PUT(&module, SpvOpLabel, LAST);
    PUT(&module, SpvOpPhi, WORD, SUM, ONE, LABEL, ONE, LAST);
    end_main(&module);
    refused(&module, "OpPhi", "predecessors");
    begin(&module);
    begin_main(&module);
    PUT(&module, SpvOpIAdd, WORD, SUM, SUM + 4, ONE);
    PUT(&module, SpvOpIAdd, WORD, SUM + 4, ONE, ONE);
    end_main(&module);
    refused(&module, "OpIAdd", "before word");
}
END_TEST

START_TEST(operands)
{
    draft module;

    begin(&module);
    begin_main(&module);
    PUT(&module, SpvOpIAdd, WORD, SUM, ONE, LABEL);
    end_main(&module);
    refused(&module, "OpIAdd", "another type");
    begin(&module);
    begin_main(&module);
    PUT(&module, SpvOpFAdd, WORD, SUM, ONE, ONE);
    end_main(&module);
    refused(&module, "OpFAdd", "wrong kind");
    begin(&module);
    begin_main(&module);
    PUT(&module, SpvOpLoad, WORD, SUM, ONE);
    end_main(&module);
    refused(&module, "OpLoad", "no pointer");
    begin(&module);
    begin_main(&module);
    PUT(&module, SpvOpFunctionCall, VOID, SUM, MAIN);
    end_main(&module);
    refused(&module, "OpFunction", "calls itself");
    begin(&module);
    begin_main(&module);
    PUT(&module, SpvOpSwitch, ONE, LAST, 1);
    PUT(&module, SpvOpLabel, LAST);
    end_main(&module);
    refused(&module, "OpSwitch", "do not fit");
}
END_TEST

/* Structs of structs double in size with each level: sizes must not wrap, time must not explode. */
START_TEST(sizes_that_explode)
{
    draft module;

    begin(&module);
    PUT(&module, SpvOpTypeStruct, LAST, WORD, WORD);
    module.words[3] = 200;
    for (uint32_t i = 0; i < 100; i++) {
        PUT(&module, SpvOpTypeStruct, LAST + i + 1, LAST + i, LAST + i);
    }
    begin_main(&module);
    end_main(&module);
    ck_assert_msg(read_draft(&module) == ISG_OK, "%s", isg_last_error());
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spirv_refuse");
    TCase *all = tcase_create("refuse");

    tcase_add_test(all, the_draft_itself_is_accepted);
    tcase_add_test(all, headers);
    tcase_add_test(all, instructions);
    tcase_add_test(all, types_in_cycles);
    tcase_add_test(all, blocks);
    tcase_add_test(all, operands);
    tcase_add_test(all, sizes_that_explode);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
