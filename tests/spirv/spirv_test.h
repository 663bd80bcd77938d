/* What the SPIR-V unit tests share: kernels by name, SPIRV-Tools' validator, counting instructions. */
#ifndef ISOGRID_TESTS_SPIRV_TEST_H
#define ISOGRID_TESTS_SPIRV_TEST_H

#include "spirv/module.h"

#include "isg_kernel_variants_o.h"
#include "isg_kernel_variants_o0.h"
#include "isg_kernel_variants_os.h"
#include "isg_kernel_variants_v11.h"
#include "isg_kernel_variants_v13.h"

#include <check.h>
#include <spirv-tools/libspirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every way in which the test kernels were compiled. All tables have the same shape. */
typedef struct test_variant {
    const char *suffix;
    const isg_kernel_variants_o0_entry *entries;
} test_variant;

static const test_variant test_variants[] = {
    {"_o0", isg_kernel_variants_o0},
    {"_o", (const isg_kernel_variants_o0_entry *)(const void *)isg_kernel_variants_o},
    {"_os", (const isg_kernel_variants_o0_entry *)(const void *)isg_kernel_variants_os},
    {"_v11", (const isg_kernel_variants_o0_entry *)(const void *)isg_kernel_variants_v11},
    {"_v13", (const isg_kernel_variants_o0_entry *)(const void *)isg_kernel_variants_v13},
};
#define TEST_VARIANT_COUNT (sizeof test_variants / sizeof test_variants[0])

/* The parsed kernel `name` of a variant; the caller frees it. */
static inline isg_spirv_module *test_parse(const char *name, size_t variant)
{
    char full[128];
    isg_spirv_module *module = NULL;

    snprintf(full, sizeof full, "%s%s", name, test_variants[variant].suffix);
    for (const isg_kernel_variants_o0_entry *entry = test_variants[variant].entries;
         entry->name != NULL; entry++) {
        if (strcmp(entry->name, full) == 0) {
            ck_assert_msg(isg_spirv_parse(NULL, entry->words, entry->size, &module) == ISG_OK,
                          "%s: %s", full, isg_last_error());
            return module;
        }
    }
    ck_abort_msg("no kernel %s among the variants", full);
    return NULL;
}

/* SPIRV-Tools' verdict for the Vulkan version that goes with the module's; NULL: valid, else the
 * message, which the caller frees. */
static inline char *test_validate(const uint32_t *words, size_t count)
{
    uint32_t version = words[1];
    spv_target_env env = version <= 0x00010000u   ? SPV_ENV_VULKAN_1_0
                         : version <= 0x00010300u ? SPV_ENV_VULKAN_1_1
                         : version <= 0x00010400u ? SPV_ENV_VULKAN_1_1_SPIRV_1_4
                         : version <= 0x00010500u ? SPV_ENV_VULKAN_1_2
                                                  : SPV_ENV_VULKAN_1_3;
    spv_context context = spvContextCreate(env);
    spv_const_binary_t binary = {words, count};
    spv_diagnostic diagnostic = NULL;
    char *message = NULL;

    if (spvValidate(context, &binary, &diagnostic) != SPV_SUCCESS) {
        message = strdup(diagnostic != NULL ? diagnostic->error : "no diagnostic");
    }
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    return message;
}

static inline void test_assert_valid(const isg_spirv_module *module, const char *what)
{
    size_t count = 0;
    const uint32_t *words = isg_spirv_words(module, &count);
    char *message = test_validate(words, count);

    ck_assert_msg(message == NULL, "%s: %s", what, message);
    free(message);
}

/* Instructions of one opcode. */
static inline uint32_t test_count(const isg_spirv_module *module, SpvOp op)
{
    uint32_t count = 0;
    for (uint32_t i = ISG_SPIRV_HEADER_WORDS; i < module->word_count;
         i += isg_spirv_length(module->words + i)) {
        count += isg_spirv_op(module->words + i) == (uint32_t)op;
    }
    return count;
}

/* Uses of one function of GLSL.std.450. */
static inline uint32_t test_count_extended(const isg_spirv_module *module, uint32_t function)
{
    uint32_t set = isg_spirv_import(module, "GLSL.std.450");
    uint32_t count = 0;
    for (uint32_t i = ISG_SPIRV_HEADER_WORDS; i < module->word_count;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        count += isg_spirv_op(inst) == SpvOpExtInst && inst[3] == set && inst[4] == function;
    }
    return count;
}

/* A device that flushes (SwiftShader, NVIDIA), and one that keeps denormals (lavapipe). */
static const isg_spirv_target test_flushing = {
    .floats = {.denormals32 = ISG_DENORMALS_FLUSHED},
    .features = UINT32_MAX,
};
static const isg_spirv_target test_keeping = {
    .floats = {.denormals32 = ISG_DENORMALS_KEPT,
               .rounding32_nearest_control = true,
               .signed_zero_inf_nan32 = true},
    .features = UINT32_MAX,
};

#endif
