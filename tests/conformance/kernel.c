/* Owns the suite `kernel`: reflection, specialisation, features, layouts, preparing. */
#include "conform.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- reflection ---- */

typedef struct want_binding {
    uint32_t set, binding, kind, access, array_count;
    uint64_t block_size, array_stride;
} want_binding;

static void check_bindings(const isg_kernel_info *info, const want_binding *want, uint32_t count)
{
    ck_assert_uint_eq(info->binding_count, count);
    for (uint32_t i = 0; i < count; i++) {
        const isg_binding_info *got = &info->bindings[i];
        CONFORM_TRUE(got->set == want[i].set && got->binding == want[i].binding &&
                         got->kind == want[i].kind && got->access == want[i].access &&
                         got->array_count == want[i].array_count &&
                         got->block_size == want[i].block_size &&
                         got->array_stride == want[i].array_stride,
                     "binding %u is set %u binding %u kind %d access %d x %u, %" PRIu64
                     " bytes and stride %" PRIu64,
                     i, got->set, got->binding, (int)got->kind, (int)got->access, got->array_count,
                     got->block_size, got->array_stride);
        CONFORM_TRUE(got->name, "binding %u has a NULL name", i);
    }
}

static void check_reflect(const isg_kernel_info *info)
{
    static const want_binding want[] = {
        {0, 0, ISG_BINDING_STORAGE_BUFFER, ISG_ACCESS_READ, 1, 16, 8},
        {0, 1, ISG_BINDING_STORAGE_BUFFER, ISG_ACCESS_WRITE, 1, 0, 4},
        {0, 4, ISG_BINDING_STORAGE_BUFFER, ISG_ACCESS_READ_WRITE, 1, 16, 0},
        {1, 2, ISG_BINDING_UNIFORM_BUFFER, ISG_ACCESS_READ, 1, 20, 0},
        {1, 3, ISG_BINDING_STORAGE_BUFFER, ISG_ACCESS_READ_WRITE, 3, 0, 4},
    };

    ck_assert_str_eq(info->entry, "main");
    ck_assert_uint_eq(info->workgroup_size[0], 8);
    ck_assert_uint_eq(info->workgroup_size[1], 4);
    ck_assert_uint_eq(info->workgroup_size[2], 1);
    ck_assert_uint_eq(info->workgroup_size_ids[0], UINT32_MAX);
    ck_assert_uint_eq(info->push_size, 24);
    ck_assert_uint_eq(info->shared_size, 320);
    ck_assert_uint_eq(info->constant_count, 0);
    ck_assert_uint_eq(info->sync_class, ISG_SYNC_PLAIN);
    ck_assert_uint_eq(info->phase_count, 0);
    ck_assert(!info->uses_subgroups && !info->uses_atomics && !info->uses_float_atomics);
    ck_assert(info->portable_bits && info->portable_reason_count == 0);
    check_bindings(info, want, CONFORM_COUNT(want));
}

START_TEST(reflection_of_bindings)
{
    isg_kernel *kernel = conform_kernel("reflect");
    isg_kernel_info *info = NULL;
    size_t size = 0;
    const uint32_t *words = conform_spirv("reflect", &size);

    check_reflect(isg_kernel_get_info(kernel));
    CONFORM_OK(isg_kernel_info_create(words, size, NULL, &info)); /* without a device: the same */
    check_reflect(info);
    isg_kernel_info_release(info);
    CONFORM_OK(isg_kernel_info_create(words, size, "main", &info));
    check_reflect(info);
    isg_kernel_info_release(info);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(reflection_reads_any_alignment)
{
    size_t size = 0;
    const uint32_t *words = conform_spirv("reflect", &size);
    unsigned char *bytes = conform_alloc(1, size + 1);
    isg_kernel_info *info = NULL;
    isg_kernel *kernel = NULL;

    memcpy(bytes + 1, words, size);
    CONFORM_OK(isg_kernel_info_create(bytes + 1, size, NULL, &info));
    check_reflect(info);
    isg_kernel_info_release(info);
    CONFORM_OK(conform_try_kernel(bytes + 1, size, &kernel));
    memset(bytes, 0xff, size + 1); /* it was copied */
    check_reflect(isg_kernel_get_info(kernel));
    isg_kernel_release(kernel);
    conform_free(bytes);
}
END_TEST

START_TEST(reflection_of_constants)
{
    static const isg_constant_info want[] = {
        {.id = 3, .type = ISG_CONSTANT_BOOL, .size = 4, .default_value = 1},
        {.id = 5, .type = ISG_CONSTANT_INT, .size = 4, .default_value = 0xfffffff9u},
        {.id = 6, .type = ISG_CONSTANT_UINT, .size = 4, .default_value = 11},
        {.id = 9, .type = ISG_CONSTANT_FLOAT, .size = 4, .default_value = 0x3f000000u},
        {.id = 20, .type = ISG_CONSTANT_UINT, .size = 4, .default_value = 4},
        {.id = 21, .type = ISG_CONSTANT_UINT, .size = 4, .default_value = 2},
        {.id = 22, .type = ISG_CONSTANT_UINT, .size = 4, .default_value = 1},
    };
    isg_kernel *kernel = conform_kernel("constants");
    const isg_kernel_info *info = isg_kernel_get_info(kernel);

    ck_assert_uint_eq(info->constant_count, CONFORM_COUNT(want));
    for (size_t i = 0; i < CONFORM_COUNT(want); i++) {
        const isg_constant_info *got = &info->constants[i];
        CONFORM_TRUE(got->id == want[i].id && got->type == want[i].type &&
                         got->size == want[i].size && got->default_value == want[i].default_value,
                     "constant %zu is id %u type %d size %u default %" PRIx64, i, got->id,
                     (int)got->type, got->size, got->default_value);
    }
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(info->workgroup_size_ids[i], 20 + i);
    }
    ck_assert_uint_eq(info->workgroup_size[0], 4);
    ck_assert_uint_eq(info->workgroup_size[1], 2);
    ck_assert_uint_eq(info->workgroup_size[2], 1);
    ck_assert(info->uses_atomics);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(reflection_of_phases)
{
    static const struct {
        const char *stem;
        uint32_t phases;
        bool round;
    } want[] = {{"reference", 2, false}, {"rounds", 3, true}, {"phases_32", 32, false}};

    for (size_t i = 0; i < CONFORM_COUNT(want); i++) {
        isg_kernel *kernel = conform_kernel(want[i].stem);
        const isg_kernel_info *info = isg_kernel_get_info(kernel);
        ck_assert_uint_eq(info->sync_class, ISG_SYNC_PHASED);
        ck_assert_uint_eq(info->phase_count, want[i].phases);
        ck_assert(info->uses_round == want[i].round);
        ck_assert_uint_eq(info->constant_count, 0); /* the reserved ones are not the user's */
        for (uint32_t b = 0; b < info->binding_count; b++) {
            ck_assert_uint_le(info->bindings[b].set, 2);
        }
        isg_kernel_release(kernel);
    }
}
END_TEST

/* Reflection needs no device that has the feature. */
static isg_kernel_info *reflect(const char *stem)
{
    size_t size = 0;
    const uint32_t *words = conform_spirv(stem, &size);
    isg_kernel_info *info = NULL;

    CONFORM_OK(isg_kernel_info_create(words, size, NULL, &info));
    return info;
}

START_TEST(reflection_of_features)
{
    static const struct {
        const char *stem;
        uint32_t features;
    } want[] = {
        {"mix", 0},
        {"needs_int64", ISG_FEATURE_INT64},
        {"needs_float64", ISG_FEATURE_FLOAT64},
        {"needs_int16", ISG_FEATURE_INT16 | ISG_FEATURE_STORAGE_16BIT},
        {"needs_int8", ISG_FEATURE_INT8 | ISG_FEATURE_STORAGE_8BIT},
        {"needs_float16", ISG_FEATURE_FLOAT16 | ISG_FEATURE_STORAGE_16BIT},
        {"subgroup_sum", ISG_FEATURE_SUBGROUP_BASIC | ISG_FEATURE_SUBGROUP_ARITHMETIC},
    };

    for (size_t i = 0; i < CONFORM_COUNT(want); i++) {
        isg_kernel_info *info = reflect(want[i].stem);
        CONFORM_TRUE(info->features == want[i].features,
                     "'%s' needs features %08" PRIx32 ", expected %08" PRIx32, want[i].stem,
                     info->features, want[i].features);
        isg_kernel_info_release(info);
    }
}
END_TEST

START_TEST(reflection_says_why_bits_are_not_portable)
{
    isg_kernel_info *info = reflect("square_root");

    ck_assert(info->portable_bits == (info->portable_reason_count == 0));
    for (uint32_t i = 0; i < info->portable_reason_count; i++) {
        CONFORM_TRUE(strlen(info->portable_reasons[i]) > 15, "a reason says only '%s'",
                     info->portable_reasons[i]);
    }
    isg_kernel_info_release(info);
    info = reflect("subgroup_sum");
    ck_assert(info->uses_subgroups);
    ck_assert(!info->portable_bits);
    ck_assert_uint_ge(info->portable_reason_count, 1);
    isg_kernel_info_release(info);
    info = reflect("reference");
    ck_assert(info->uses_atomics);
    isg_kernel_info_release(info);
}
END_TEST

START_TEST(entry_point_is_chosen_by_name)
{
    size_t size = 0;
    const uint32_t *words = conform_spirv("mix", &size);
    isg_kernel_info *info = NULL;
    isg_kernel *kernel = NULL;

    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_kernel_info_create(words, size, "other", &info),
                    "other", "main");
    ck_assert_ptr_null(info);
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_kernel_create(
                        conform_device(),
                        &(isg_kernel_desc){.spirv = words, .size = size, .entry = "Main"}, &kernel),
                    "Main");
    ck_assert_ptr_null(kernel);
}
END_TEST

/* ---- specialisation ---- */

static void run_constants(isg_kernel *kernel, const isg_constant *constants, uint32_t count,
                          const uint32_t want[8])
{
    uint32_t words[8] = {0};
    isg_buffer *buffer = conform_buffer_of(words, sizeof words);

    conform_run(&(isg_dispatch){.kernel = kernel,
                                .grid = {1},
                                .bindings = &(isg_binding){.buffer = buffer},
                                .binding_count = 1,
                                .constants = constants,
                                .constant_count = count});
    CONFORM_OK(isg_buffer_download(buffer, 0, words, sizeof words));
    conform_check_words(words, want, 8, "what the constants gave");
    conform_digest(words, want, sizeof words);
    isg_buffer_release(buffer);
}

START_TEST(constants_reach_the_kernel)
{
    isg_kernel *kernel = conform_kernel("constants");

    for (int again = 0; again < 2; again++) {
        run_constants(kernel, NULL, 0, (uint32_t[]){1, 0xfffffff9u, 11, 0x3f000000u, 4, 2, 1, 8});
        run_constants(kernel,
                      (isg_constant[]){{.id = 3, .value = 0},
                                       {.id = 5, .value = (uint64_t)(int64_t)-1000},
                                       {.id = 6, .value = 0xffffffffu},
                                       {.id = 9, .value = 0xc1200000u}},
                      4, (uint32_t[]){0, (uint32_t)-1000, 0xffffffffu, 0xc1200000u, 4, 2, 1, 8});
        run_constants(kernel, (isg_constant[]){{.id = 5, .value = 0x80000000u}}, 1,
                      (uint32_t[]){1, 0x80000000u, 11, 0x3f000000u, 4, 2, 1, 8});
    }
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(workgroup_size_by_constants)
{
    static const uint32_t sizes[][3] = {{1, 1, 1}, {32, 1, 1}, {1, 64, 1},  {1, 1, 64},
                                        {5, 3, 7}, {8, 8, 2},  {128, 1, 1}, {4, 2, 1}};
    isg_kernel *kernel = conform_kernel("constants");

    for (size_t i = 0; i < CONFORM_COUNT(sizes); i++) {
        const uint32_t *s = sizes[i];
        run_constants(
            kernel,
            (isg_constant[]){
                {.id = 22, .value = s[2]}, {.id = 20, .value = s[0]}, {.id = 21, .value = s[1]}},
            3, (uint32_t[]){1, 0xfffffff9u, 11, 0x3f000000u, s[0], s[1], s[2], s[0] * s[1] * s[2]});
    }
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(wrong_constants_are_refused)
{
    isg_kernel *kernel = conform_kernel("constants");
    uint32_t most = conform_info()->limits.max_workgroup_size[0];

    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_kernel_prepare(kernel, &(isg_constant){.id = 4, .value = 1}, 1), "4");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_kernel_prepare(kernel, &(isg_constant){.id = 2040, .value = 1}, 1), "2040");
    CONFORM_REFUSED(
        ISG_ERROR_INVALID_ARGUMENT,
        isg_kernel_prepare(
            kernel,
            (isg_constant[]){{.id = 6, .value = 1}, {.id = 3, .value = 1}, {.id = 6, .value = 1}},
            3),
        "6");
    CONFORM_REFUSED(
        ISG_ERROR_INVALID_ARGUMENT,
        isg_kernel_prepare(kernel, &(isg_constant){.id = 6, .value = UINT64_C(1) << 32}, 1), "6");
    CONFORM_REFUSED(
        ISG_ERROR_INVALID_ARGUMENT,
        isg_kernel_prepare(kernel, &(isg_constant){.id = 5, .value = UINT64_C(3) << 40}, 1), "5");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_kernel_prepare(kernel, &(isg_constant){.id = 3, .value = 2}, 1), "3");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_kernel_prepare(kernel, NULL, 1), "constant");
    CONFORM_REFUSED(ISG_ERROR_LIMIT_EXCEEDED,
                    isg_kernel_prepare(kernel, &(isg_constant){.id = 20, .value = most + 1}, 1),
                    "workgroup");
    CONFORM_REFUSED(ISG_ERROR_LIMIT_EXCEEDED,
                    isg_kernel_prepare(kernel, &(isg_constant){.id = 20, .value = 0xffffffffu}, 1),
                    "workgroup", "4294967295");
    run_constants(kernel, NULL, 0, (uint32_t[]){1, 0xfffffff9u, 11, 0x3f000000u, 4, 2, 1, 8});
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(prepare_and_wait)
{
    isg_kernel *kernel = conform_kernel("constants");

    CONFORM_OK(isg_kernel_wait(kernel, 0)); /* nothing was prepared */
    CONFORM_OK(isg_kernel_prepare(kernel, NULL, 0));
    CONFORM_OK(isg_kernel_prepare(kernel, NULL, 0));
    for (uint32_t i = 1; i <= 24; i++) {
        CONFORM_OK(isg_kernel_prepare(kernel, &(isg_constant){.id = 6, .value = i}, 1));
    }
    /* A dispatch that comes before the end waits for it. */
    run_constants(kernel, &(isg_constant){.id = 6, .value = 24}, 1,
                  (uint32_t[]){1, 0xfffffff9u, 24, 0x3f000000u, 4, 2, 1, 8});
    CONFORM_OK(isg_kernel_wait(kernel, 60 * CONFORM_SECOND));
    CONFORM_OK(isg_kernel_wait(kernel, 0));
    run_constants(kernel, &(isg_constant){.id = 6, .value = 17}, 1,
                  (uint32_t[]){1, 0xfffffff9u, 17, 0x3f000000u, 4, 2, 1, 8});
    CONFORM_OK(isg_kernel_prepare(kernel, &(isg_constant){.id = 6, .value = 99}, 1));
    isg_kernel_release(kernel); /* while it compiles */
}
END_TEST

void conform_kernel_list(conform_list *list)
{
    CONFORM_ADD(list, reflection_of_bindings);
    CONFORM_ADD(list, reflection_reads_any_alignment);
    CONFORM_ADD(list, reflection_of_constants);
    CONFORM_ADD(list, reflection_of_phases);
    CONFORM_ADD(list, reflection_of_features);
    CONFORM_ADD(list, reflection_says_why_bits_are_not_portable);
    CONFORM_ADD(list, entry_point_is_chosen_by_name);
    CONFORM_ADD(list, constants_reach_the_kernel);
    CONFORM_ADD(list, workgroup_size_by_constants);
    CONFORM_ADD(list, wrong_constants_are_refused);
    CONFORM_ADD(list, prepare_and_wait);
    conform_kernel_feature_cases(list);
}
