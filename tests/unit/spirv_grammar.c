/* The table of instructions against the grammar that the SPIR-V headers bring. */
#include "spirv/module.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ISG_GRAMMAR
#define ISG_GRAMMAR "/usr/include/spirv/unified1/spirv.core.grammar.json"
#endif

/* Operand kinds and the characters that may stand for them in the table. */
static const struct {
    const char *kind;
    const char *characters;
} kinds[] = {
    {"IdResultType", "T"},
    {"IdResult", "R"},
    {"IdRef", "i"},
    {"IdScope", "i"},
    {"IdMemorySemantics", "i"},
    {"LiteralInteger", "n"},
    {"LiteralFloat", "n"},
    {"LiteralString", "s"},
    {"LiteralContextDependentNumber", "v"},
    {"LiteralExtInstInteger", "x"},
    {"LiteralSpecConstantOpInteger", "o"},
    {"PairLiteralIntegerIdRef", "p"},
    {"PairIdRefIdRef", "P"},
    {"PairIdRefLiteralInteger", "q"},
    {"Decoration", "De"},
    {"ExecutionMode", "Me"},
    {"MemoryAccess", "A"},
    {"ImageOperands", "I"},
    {"LoopControl", "L"},
};

static const char *characters_of(const char *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].kind, kind) == 0) {
            return kinds[i].characters;
        }
    }
    return "e"; /* the other enumerants have no parameters */
}

static json_t *find(json_t *instructions, uint32_t opcode)
{
    size_t i;
    json_t *instruction;

    json_array_foreach(instructions, i, instruction)
    {
        if (json_integer_value(json_object_get(instruction, "opcode")) == opcode) {
            return instruction;
        }
    }
    return NULL;
}

static void compare(const isg_spirv_opcode *entry, json_t *instruction)
{
    const char *format = entry->format;
    size_t i;
    json_t *operand;

    ck_assert_str_eq(entry->name, json_string_value(json_object_get(instruction, "opname")));
    json_array_foreach(json_object_get(instruction, "operands"), i, operand)
    {
        const char *allowed = characters_of(json_string_value(json_object_get(operand, "kind")));
        const char *quantifier = json_string_value(json_object_get(operand, "quantifier"));
        ck_assert_msg(*format != '\0' && strchr(allowed, *format) != NULL,
                      "%s: operand %zu is '%s' here, one of '%s' in the grammar", entry->name, i,
                      format, allowed);
        format++;
        bool marked = *format == '?' || *format == '*';
        ck_assert_msg(quantifier == NULL ? !marked : *format == *quantifier,
                      "%s: operand %zu may be missing or repeat in one of the two", entry->name, i);
        format += marked ? 1 : 0;
    }
    /* Ids behind an enumerant are part of it in the grammar. */
    bool rest = strcmp(format, "i*") == 0 &&
                (entry->opcode == SpvOpExecutionModeId || entry->opcode == SpvOpDecorateId);
    ck_assert_msg(*format == '\0' || rest, "%s: operands '%s' are not in the grammar", entry->name,
                  format);
}

START_TEST(table_is_the_grammars)
{
    json_error_t error;
    json_t *root = json_load_file(ISG_GRAMMAR, 0, &error);
    uint32_t compared = 0;
    const isg_spirv_opcode *previous = NULL;

    ck_assert_msg(root != NULL, "%s: %s", ISG_GRAMMAR, error.text);
    for (uint32_t i = 0; isg_spirv_opcode_at(i) != NULL; i++) {
        const isg_spirv_opcode *entry = isg_spirv_opcode_at(i);
        json_t *instruction = find(json_object_get(root, "instructions"), entry->opcode);
        ck_assert_msg(previous == NULL || previous->opcode < entry->opcode, "%s is out of order",
                      entry->name);
        ck_assert_ptr_eq(isg_spirv_opcode_find(entry->opcode), entry);
        previous = entry;
        if (instruction != NULL) { /* newer than the headers otherwise */
            compare(entry, instruction);
            compared++;
        }
    }
    json_decref(root);
    printf("%u instructions compared\n", (unsigned)compared);
    ck_assert_uint_ge(compared, 270);
    ck_assert_ptr_null(isg_spirv_opcode_find(0xffff));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spirv_grammar");
    TCase *table = tcase_create("table");

    if (fopen(ISG_GRAMMAR, "r") == NULL) {
        printf("no grammar at %s: skipped\n", ISG_GRAMMAR);
        return 77;
    }
    tcase_add_test(table, table_is_the_grammars);
    suite_add_tcase(suite, table);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
