/* Walks the operands of an instruction by the table's format. */
#include "spirv/module.h"

#include <stdio.h>
#include <string.h>

const char *isg_spirv_opcode_name(uint32_t opcode, char buffer[24])
{
    const isg_spirv_opcode *entry = isg_spirv_opcode_find(opcode);
    if (entry != NULL) {
        return entry->name;
    }
    snprintf(buffer, 24, "opcode %u", (unsigned)opcode);
    return buffer;
}

bool isg_spirv_has_type(const isg_spirv_opcode *opcode)
{
    return opcode->format[0] == 'T';
}

bool isg_spirv_has_result(const isg_spirv_opcode *opcode)
{
    return opcode->format[0] == 'R' || opcode->format[0] == 'T';
}

uint32_t isg_spirv_result_at(const uint32_t *inst)
{
    const isg_spirv_opcode *opcode = isg_spirv_opcode_find(isg_spirv_op(inst));
    if (opcode == NULL || !isg_spirv_has_result(opcode)) {
        return 0;
    }
    return isg_spirv_has_type(opcode) ? 2 : 1;
}

const char *isg_spirv_string(const uint32_t *inst, uint32_t at, uint32_t *out_words)
{
    uint32_t length = isg_spirv_length(inst);

    for (uint32_t i = at; i < length; i++) {
        uint32_t word = inst[i];
        if ((word & 0xffu) == 0 || (word & 0xff00u) == 0 || (word & 0xff0000u) == 0 ||
            (word & 0xff000000u) == 0) {
            if (out_words != NULL) {
                *out_words = i + 1 - at;
            }
            return (const char *)(inst + at);
        }
    }
    if (out_words != NULL) {
        *out_words = 0;
    }
    return "";
}

isg_spirv_operands isg_spirv_operands_of(const isg_spirv_module *module, const uint32_t *inst)
{
    const isg_spirv_opcode *opcode = isg_spirv_opcode_find(isg_spirv_op(inst));
    isg_spirv_operands it; /* `pending` is left alone: clearing it would cost more than the rest */

    it.module = module;
    it.inst = inst;
    it.format = opcode != NULL ? opcode->format : "n*";
    it.kind = ISG_SPIRV_OPERAND_LITERAL;
    it.at = 0;
    it.length = 0;
    it.bad = false;
    it.next = 1;
    it.pending_count = 0;
    it.paired = false;
    return it;
}

/* Words of a literal of the type `type`: 0 when it is no number. */
static uint32_t literal_words(const isg_spirv_module *module, uint32_t type)
{
    const uint32_t *inst = isg_spirv_def(module, type);
    if (inst == NULL) {
        return 0;
    }
    if (isg_spirv_op(inst) != SpvOpTypeInt && isg_spirv_op(inst) != SpvOpTypeFloat) {
        return 0;
    }
    return inst[2] <= 32 ? 1 : inst[2] == 64 ? 2 : 0;
}

/* Parameters of the mask's bits, lowest bit first, as format characters; NULL: an unknown bit. */
static const char *mask_parameters(char kind, uint32_t bit)
{
    static const char *const memory[] = {"", "n", "", "i", "i", ""};
    static const char *const image[] = {"i", "i", "ii", "i", "i", "i", "i",  "i", "i",
                                        "i", "",  "",   "",  "",  "",  NULL, "i"};
    static const char *const loop[] = {"", "", "", "n", "n", "n", "n", "n", "n"};

    if (kind == 'A') {
        return bit < 6 ? memory[bit] : NULL;
    }
    if (kind == 'I') {
        return bit < 17 ? image[bit] : NULL;
    }
    return bit < 9 ? loop[bit] : NULL;
}

static bool push_mask(isg_spirv_operands *it, char kind, uint32_t mask)
{
    for (uint32_t i = 32; i-- > 0;) {
        if ((mask >> i & 1u) == 0) {
            continue;
        }
        const char *parameters = mask_parameters(kind, i);
        if (parameters == NULL) {
            return false;
        }
        for (size_t k = strlen(parameters); k-- > 0;) {
            it->pending[it->pending_count++] = parameters[k];
        }
    }
    return true;
}

static bool take(isg_spirv_operands *it, isg_spirv_operand_kind kind, uint32_t words)
{
    if (words == 0 || words > isg_spirv_length(it->inst) - it->next) {
        it->bad = true;
        return false;
    }
    it->kind = kind;
    it->at = it->next;
    it->length = words;
    it->next += words;
    return true;
}

/* A pair's first or second half. */
static bool take_pair(isg_spirv_operands *it, char kind)
{
    bool second = it->paired;
    it->paired = !second;
    if (kind == 'P' || (kind == 'q') != second) {
        return take(it, ISG_SPIRV_OPERAND_ID, 1);
    }
    if (kind == 'q') {
        return take(it, ISG_SPIRV_OPERAND_LITERAL, 1);
    }
    return take(it, ISG_SPIRV_OPERAND_LITERAL,
                literal_words(it->module, isg_spirv_type_of(it->module, it->inst[1])));
}

static bool take_specialised(isg_spirv_operands *it)
{
    if (!take(it, ISG_SPIRV_OPERAND_LITERAL, 1)) {
        return false;
    }
    const isg_spirv_opcode *nested = isg_spirv_opcode_find(it->inst[it->at]);
    if (nested == NULL || strncmp(nested->format, "TR", 2) != 0 ||
        strpbrk(nested->format, "ov") != NULL) {
        it->bad = true;
        return false;
    }
    it->format = nested->format + 2;
    return true;
}

bool isg_spirv_operand_next(isg_spirv_operands *it)
{
    uint32_t length = isg_spirv_length(it->inst);

    if (it->bad) {
        return false;
    }
    if (it->pending_count > 0) {
        char kind = it->pending[--it->pending_count];
        return take(it, kind == 'i' ? ISG_SPIRV_OPERAND_ID : ISG_SPIRV_OPERAND_LITERAL, 1);
    }
    char kind = it->format[0];
    char quantifier = kind != '\0' ? it->format[1] : '\0';
    if (it->next >= length) {
        it->bad = it->paired || (kind != '\0' && quantifier != '?' && quantifier != '*');
        return false;
    }
    if (kind == '\0') {
        it->bad = true;
        return false;
    }
    if (quantifier != '*') {
        it->format += quantifier == '?' ? 2 : 1;
    }
    if (kind == 'i' || kind == 'T' || kind == 'R') { /* most of all operands: one word, there */
        it->kind = kind == 'i'   ? ISG_SPIRV_OPERAND_ID
                   : kind == 'T' ? ISG_SPIRV_OPERAND_TYPE
                                 : ISG_SPIRV_OPERAND_RESULT;
        it->at = it->next++;
        it->length = 1;
        return true;
    }
    switch (kind) {
    case 's': {
        uint32_t words = 0;
        isg_spirv_string(it->inst, it->next, &words);
        return take(it, ISG_SPIRV_OPERAND_LITERAL, words);
    }
    case 'v':
        return take(it, ISG_SPIRV_OPERAND_LITERAL, literal_words(it->module, it->inst[1]));
    case 'o':
        return take_specialised(it);
    case 'p':
    case 'P':
    case 'q':
        return take_pair(it, kind);
    case 'D':
    case 'M':
        it->format = "n*";
        return take(it, ISG_SPIRV_OPERAND_LITERAL, 1);
    case 'A':
    case 'I':
    case 'L':
        return take(it, ISG_SPIRV_OPERAND_LITERAL, 1) &&
               (push_mask(it, kind, it->inst[it->at]) || (it->bad = true, false));
    default:
        return take(it, ISG_SPIRV_OPERAND_LITERAL, 1);
    }
}
