/* Reflection of test kernels, in every variant in which they were compiled. */
#include "spirv/spirv_test.h"

/* Variants 1 and 2 come from the optimiser, which drops names and what is not used. */
static bool is_optimised(int variant)
{
    return variant == 1 || variant == 2;
}

static isg_kernel_info *reflect(const char *name, size_t variant)
{
    isg_spirv_module *module = test_parse(name, variant);
    isg_kernel_info *info = NULL;

    ck_assert_msg(isg_spirv_reflect(module, NULL, &info) == ISG_OK, "%s: %s", name,
                  isg_last_error());
    isg_spirv_free(module); /* reflection stands alone */
    return info;
}

static void assert_binding(const isg_kernel_info *info, uint32_t index, uint32_t set,
                           uint32_t binding, isg_binding_kind kind, isg_access access,
                           uint32_t count, uint64_t size, uint64_t stride, const char *name)
{
    ck_assert_uint_lt(index, info->binding_count);
    const isg_binding_info *found = &info->bindings[index];
    ck_assert_uint_eq(found->set, set);
    ck_assert_uint_eq(found->binding, binding);
    ck_assert_int_eq(found->kind, kind);
    ck_assert_int_eq(found->access, access);
    ck_assert_uint_eq(found->array_count, count);
    ck_assert_uint_eq(found->block_size, size);
    ck_assert_uint_eq(found->array_stride, stride);
    ck_assert_str_eq(found->name, name != NULL ? name : found->name);
}

START_TEST(resources_of_every_kind)
{
    isg_kernel_info *info = reflect("plain_mixed", (size_t)_i);
    bool named = !is_optimised(_i);

    ck_assert_str_eq(info->entry, "main");
    ck_assert_uint_eq(info->workgroup_size[0], 16);
    ck_assert_uint_eq(info->workgroup_size[1], 16);
    ck_assert_uint_eq(info->workgroup_size[2], 1);
    ck_assert_uint_eq(info->workgroup_size_ids[0], UINT32_MAX);
    ck_assert_uint_eq(info->binding_count, is_optimised(_i) ? 8 : 9);
    assert_binding(info, 0, 0, 0, ISG_BINDING_UNIFORM_BUFFER, ISG_ACCESS_READ, 1, 116, 0,
                   named ? "parameters" : NULL);
    assert_binding(info, 1, 0, 1, ISG_BINDING_STORAGE_BUFFER, ISG_ACCESS_WRITE, 1, 0, 16,
                   named ? "result_block" : NULL);
    assert_binding(info, 2, 0, 2, ISG_BINDING_STORAGE_BUFFER, ISG_ACCESS_READ_WRITE, 1, 4, 0,
                   named ? "counter_block" : NULL);
    assert_binding(info, 3, 0, 3, ISG_BINDING_STORAGE_IMAGE, ISG_ACCESS_READ, 1, 0, 0,
                   named ? "picture" : NULL);
    assert_binding(info, 4, 1, 0, ISG_BINDING_COMBINED_IMAGE_SAMPLER, ISG_ACCESS_READ, 4, 0, 0,
                   named ? "combined" : NULL);
    assert_binding(info, 5, 1, 1, ISG_BINDING_SAMPLED_IMAGE, ISG_ACCESS_READ, 1, 0, 0,
                   named ? "separate" : NULL);
    assert_binding(info, 6, 1, 2, ISG_BINDING_SAMPLER, ISG_ACCESS_READ, 1, 0, 0,
                   named ? "sampling" : NULL);
    assert_binding(info, 7, 2, 5, ISG_BINDING_STORAGE_IMAGE, ISG_ACCESS_WRITE, 1, 0, 0,
                   named ? "volume" : NULL);
    if (named) {
        assert_binding(info, 8, 2, 6, ISG_BINDING_STORAGE_BUFFER, ISG_ACCESS_NONE, 1, 0, 4,
                       "unused_block");
    }
    ck_assert_uint_eq(info->shared_size, 768); /* vec3 takes 16 bytes of an array */
    ck_assert_uint_eq(info->features, ISG_FEATURE_IMAGES);
    ck_assert_int_eq(info->sync_class, ISG_SYNC_PLAIN);
    ck_assert(info->uses_atomics);
    ck_assert(!info->portable_bits);
    ck_assert_uint_eq(info->portable_reason_count, 2); /* division, sampling */
    isg_kernel_info_release(info);
}
END_TEST

START_TEST(constants_by_id)
{
    isg_kernel_info *info = reflect("plain_mixed", 0);

    ck_assert_uint_eq(info->constant_count, 3);
    ck_assert_uint_eq(info->constants[0].id, 10);
    ck_assert_int_eq(info->constants[0].type, ISG_CONSTANT_BOOL);
    ck_assert_uint_eq(info->constants[0].size, 4);
    ck_assert_uint_eq(info->constants[0].default_value, 1);
    ck_assert_int_eq(info->constants[1].type, ISG_CONSTANT_FLOAT);
    ck_assert_uint_eq(info->constants[1].default_value, 0x3f000000u);
    ck_assert_int_eq(info->constants[2].type, ISG_CONSTANT_INT);
    ck_assert_uint_eq(info->constants[2].default_value, 0xfffffffcu);
    ck_assert_str_eq(info->constants[2].name, "limit");
    isg_kernel_info_release(info);
}
END_TEST

START_TEST(phased_kernels_hide_what_is_isogrids)
{
    isg_kernel_info *info = reflect("phased_round", (size_t)_i);

    ck_assert_int_eq(info->sync_class, ISG_SYNC_PHASED);
    ck_assert_uint_eq(info->phase_count, 3);
    ck_assert(info->uses_round);
    ck_assert_uint_eq(info->binding_count, 1);
    assert_binding(info, 0, 1, 2, ISG_BINDING_STORAGE_BUFFER, ISG_ACCESS_READ_WRITE, 1, 16, 4,
                   is_optimised(_i) ? NULL : "data_block");
    ck_assert_uint_eq(info->constant_count, 3);
    ck_assert_uint_eq(info->constants[2].id, 3);
    ck_assert_uint_eq(info->workgroup_size_ids[0], 1);
    ck_assert_uint_eq(info->workgroup_size_ids[1], 2);
    ck_assert_uint_eq(info->workgroup_size_ids[2], UINT32_MAX);
    ck_assert(info->portable_bits);
    ck_assert_uint_eq(info->portable_reason_count, 0);
    isg_kernel_info_release(info);

    info = reflect("phased_basic", (size_t)_i);
    ck_assert_uint_eq(info->phase_count, 2);
    ck_assert(!info->uses_round);
    ck_assert_uint_eq(info->push_size, _i == 2 ? 4 : 8); /* -Os drops an unused member */
    ck_assert_uint_eq(info->shared_size, 256);
    isg_kernel_info_release(info);
}
END_TEST

START_TEST(arguments_are_checked)
{
    isg_kernel_info *info = (isg_kernel_info *)1;
    const isg_kernel_variants_o0_entry *entry = &isg_kernel_variants_o0[0];

    ck_assert_int_eq(isg_kernel_info_create(NULL, 20, NULL, &info), ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(info);
    ck_assert_int_eq(isg_kernel_info_create(entry->words, entry->size, NULL, NULL),
                     ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(isg_kernel_info_create(entry->words, entry->size - 1, NULL, &info),
                     ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(isg_kernel_info_create(entry->words, entry->size, "other", &info),
                     ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "'other'"));
    ck_assert_int_eq(isg_kernel_info_create(entry->words, entry->size, "main", &info), ISG_OK);
    isg_kernel_info_release(info);
    isg_kernel_info_release(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spirv_reflect");
    TCase *all = tcase_create("reflect");

    tcase_add_loop_test(all, resources_of_every_kind, 0, (int)TEST_VARIANT_COUNT);
    tcase_add_test(all, constants_by_id);
    tcase_add_loop_test(all, phased_kernels_hide_what_is_isogrids, 0, (int)TEST_VARIANT_COUNT);
    tcase_add_test(all, arguments_are_checked);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
