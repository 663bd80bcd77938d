/* Answers questions about a module from its index: decorations, names, entry points, imports. */
#include "spirv/module.h"

#include <string.h>

/* Parameters of a matching decoration; `member` is UINT32_MAX for the id itself. */
static const uint32_t *match(const uint32_t *inst, SpvDecoration decoration, uint32_t member,
                             uint32_t *out_count)
{
    uint32_t op = isg_spirv_op(inst);
    bool of_member = op == SpvOpMemberDecorate || op == SpvOpMemberDecorateString;
    uint32_t at = of_member ? 3 : 2;

    if (of_member != (member != UINT32_MAX) || (of_member && inst[2] != member)) {
        return NULL;
    }
    if (!of_member && op != SpvOpDecorate && op != SpvOpDecorateId && op != SpvOpDecorateString) {
        return NULL;
    }
    if (isg_spirv_length(inst) <= at || inst[at] != (uint32_t)decoration) {
        return NULL;
    }
    if (out_count != NULL) {
        *out_count = isg_spirv_length(inst) - at - 1;
    }
    return inst + at + 1;
}

/* A decoration through the groups that `inst` applies to `id`. */
static const uint32_t *match_group(const isg_spirv_module *module, const uint32_t *inst,
                                   uint32_t id, uint32_t member, SpvDecoration decoration,
                                   uint32_t *out_count)
{
    bool applies = isg_spirv_op(inst) == SpvOpGroupDecorate && member == UINT32_MAX;

    if (isg_spirv_op(inst) == SpvOpGroupMemberDecorate && member != UINT32_MAX) {
        for (uint32_t i = 2; i + 1 < isg_spirv_length(inst); i += 2) {
            applies = applies || (inst[i] == id && inst[i + 1] == member);
        }
    }
    if (!applies || inst[1] >= module->id_count) {
        return NULL;
    }
    for (uint32_t i = module->ids[inst[1]].note; i != 0; i = module->notes[i].next) {
        const uint32_t *found =
            match(module->words + module->notes[i].offset, decoration, UINT32_MAX, out_count);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

static const uint32_t *find_decoration(const isg_spirv_module *module, uint32_t id, uint32_t member,
                                       SpvDecoration decoration, uint32_t *out_count)
{
    if (id >= module->id_count) {
        return NULL;
    }
    for (uint32_t i = module->ids[id].note; i != 0; i = module->notes[i].next) {
        const uint32_t *inst = module->words + module->notes[i].offset;
        const uint32_t *found = match(inst, decoration, member, out_count);
        if (found == NULL) {
            found = match_group(module, inst, id, member, decoration, out_count);
        }
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

const uint32_t *isg_spirv_decoration(const isg_spirv_module *module, uint32_t id,
                                     SpvDecoration decoration, uint32_t *out_count)
{
    return find_decoration(module, id, UINT32_MAX, decoration, out_count);
}

const uint32_t *isg_spirv_member_decoration(const isg_spirv_module *module, uint32_t id,
                                            uint32_t member, SpvDecoration decoration,
                                            uint32_t *out_count)
{
    return find_decoration(module, id, member, decoration, out_count);
}

uint32_t isg_spirv_decoration_value(const isg_spirv_module *module, uint32_t id,
                                    SpvDecoration decoration, uint32_t otherwise)
{
    uint32_t count = 0;
    const uint32_t *found = isg_spirv_decoration(module, id, decoration, &count);
    return found != NULL && count > 0 ? found[0] : otherwise;
}

const char *isg_spirv_name(const isg_spirv_module *module, uint32_t id)
{
    if (id >= module->id_count) {
        return "";
    }
    for (uint32_t i = module->ids[id].note; i != 0; i = module->notes[i].next) {
        const uint32_t *inst = module->words + module->notes[i].offset;
        if (isg_spirv_op(inst) == SpvOpName) {
            return isg_spirv_string(inst, 2, NULL);
        }
    }
    return "";
}

bool isg_spirv_has_capability(const isg_spirv_module *module, SpvCapability capability)
{
    uint32_t end = module->sections[ISG_SPIRV_CAPABILITIES + 1];

    for (uint32_t i = module->sections[ISG_SPIRV_CAPABILITIES]; i < end;
         i += isg_spirv_length(module->words + i)) {
        if (isg_spirv_op(module->words + i) == SpvOpCapability &&
            module->words[i + 1] == (uint32_t)capability) {
            return true;
        }
    }
    return false;
}

isg_status isg_spirv_entry(const isg_spirv_module *module, const char *name, const uint32_t **out)
{
    uint32_t end = module->sections[ISG_SPIRV_ENTRY_POINTS + 1];
    uint32_t matches = 0;
    uint32_t others = 0;

    *out = NULL;
    for (uint32_t i = module->sections[ISG_SPIRV_ENTRY_POINTS]; i < end;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) != SpvOpEntryPoint || inst[1] != SpvExecutionModelGLCompute) {
            others++;
            continue;
        }
        if (name == NULL || strcmp(isg_spirv_string(inst, 3, NULL), name) == 0) {
            *out = inst;
            matches++;
        }
    }
    if (matches == 1) {
        return ISG_OK;
    }
    *out = NULL;
    if (matches > 1) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "the SPIR-V module has %u compute entry points%s%s; name one of them",
                        (unsigned)matches, name != NULL ? " called " : "",
                        name != NULL ? name : "");
    }
    if (name == NULL) {
        return isg_fail(ISG_ERROR_INVALID_SPIRV,
                        "the SPIR-V module has no compute entry point (%u of other kinds); compile "
                        "it as a compute shader",
                        (unsigned)others);
    }
    return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                    "the SPIR-V module has no compute entry point '%s'; the usual name is 'main'",
                    name);
}

uint32_t isg_spirv_import(const isg_spirv_module *module, const char *name)
{
    uint32_t end = module->sections[ISG_SPIRV_IMPORTS + 1];

    for (uint32_t i = module->sections[ISG_SPIRV_IMPORTS]; i < end;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) == SpvOpExtInstImport &&
            strcmp(isg_spirv_string(inst, 2, NULL), name) == 0) {
            return inst[1];
        }
    }
    return 0;
}

bool isg_spirv_import_is_debug(const isg_spirv_module *module, uint32_t id)
{
    const uint32_t *inst = isg_spirv_def_as(module, id, SpvOpExtInstImport);
    if (inst == NULL) {
        return false;
    }
    const char *name = isg_spirv_string(inst, 2, NULL);
    return strncmp(name, "NonSemantic.", 12) == 0 || strncmp(name, "OpenCL.DebugInfo.", 17) == 0;
}
