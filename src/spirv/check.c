/* Refuses modules whose ids, types or blocks would mislead reflection, a pass or a driver. */
#include "spirv/module.h"

/* Every id an instruction uses is made somewhere; its type is a type. */
static isg_status check_operands(const isg_spirv_module *module, uint32_t offset)
{
    const uint32_t *inst = module->words + offset;
    isg_spirv_operands it = isg_spirv_operands_of(module, inst);

    if (isg_spirv_op(inst) == SpvOpExtInst && isg_spirv_import_is_debug(module, inst[3])) {
        return ISG_OK;
    }
    while (isg_spirv_operand_next(&it)) {
        uint32_t id = inst[it.at];
        if (it.kind == ISG_SPIRV_OPERAND_TYPE && isg_spirv_type_info(module, id) == NULL) {
            return isg_spirv_invalid(module, offset, "its result type %u is no type", (unsigned)id);
        }
        if (it.kind == ISG_SPIRV_OPERAND_ID && isg_spirv_def(module, id) == NULL) {
            return isg_spirv_invalid(module, offset, "it uses id %u, which nothing makes",
                                     (unsigned)id);
        }
    }
    if (it.bad) {
        return isg_spirv_invalid(module, offset, "its %u words do not fit its operands",
                                 (unsigned)isg_spirv_length(inst));
    }
    return ISG_OK;
}

isg_status isg_spirv_check(const isg_spirv_module *module)
{
    isg_status status = ISG_OK;

    for (uint32_t i = ISG_SPIRV_HEADER_WORDS; status == ISG_OK && i < module->word_count;
         i += isg_spirv_length(module->words + i)) {
        status = check_operands(module, i);
    }
    return status;
}
