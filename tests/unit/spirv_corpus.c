/* All test kernels, in every variant, through parsing, reflection and all passes; each result is
 * validated by SPIRV-Tools. Also how long that takes. */
#include "spirv/spirv_test.h"

#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The passes that lowering does not run. */
static void freeze_and_inline(const isg_spirv_module *module, const char *name)
{
    isg_spirv_module *inlined = NULL;
    isg_spirv_module *frozen = NULL;

    ck_assert_msg(isg_spirv_pass_inline(module, &inlined) == ISG_OK, "%s: %s", name,
                  isg_last_error());
    test_assert_valid(inlined, name);
    ck_assert_msg(isg_spirv_pass_freeze(inlined, NULL, 0, &frozen) == ISG_OK, "%s: %s", name,
                  isg_last_error());
    test_assert_valid(frozen, name);
    isg_spirv_free(inlined);
    isg_spirv_free(frozen);
}

/* Every form and combination of passes of one module; returns how many were made. */
static uint32_t lower_all(const isg_spirv_module *module, const isg_kernel_info *info,
                          const char *name)
{
    uint32_t made = 0;
    uint32_t forms = info->sync_class == ISG_SYNC_PHASED ? 3 : 1;

    for (uint32_t form = 0; form < forms; form++) {
        for (uint32_t flags = 0; flags < 16; flags++) {
            char what[160];
            isg_spirv_lowered lowered;
            isg_spirv_lower_desc desc = {
                .info = info,
                .form = (isg_spirv_form)form,
                .waits = form != ISG_SPIRV_FORM_PLAIN,
                .flags = flags & 7u,
                .target = (flags & 8u) != 0 ? test_keeping : test_flushing,
            };
            snprintf(what, sizeof what, "%s form %u flags %u%s", name, (unsigned)form,
                     (unsigned)(flags & 7u), (flags & 8u) != 0 ? " keeping denormals" : "");
            ck_assert_msg(isg_spirv_lower(module, &desc, &lowered) == ISG_OK, "%s: %s", what,
                          isg_last_error());
            test_assert_valid(lowered.module, what);
            isg_spirv_free(lowered.module);
            made++;
        }
    }
    return made;
}

START_TEST(every_valid_module_is_accepted_and_lowered)
{
    uint32_t modules = 0;
    uint32_t made = 0;
    uint32_t refused = 0;

    for (size_t v = 0; v < TEST_VARIANT_COUNT; v++) {
        for (const isg_kernel_variants_o0_entry *entry = test_variants[v].entries;
             entry->name != NULL; entry++) {
            isg_spirv_module *module = NULL;
            isg_kernel_info *info = NULL;
            char *message = test_validate(entry->words, entry->size / 4);
            ck_assert_msg(message == NULL, "%s as given: %s", entry->name, message);
            ck_assert_msg(isg_spirv_parse(NULL, entry->words, entry->size, &module) == ISG_OK,
                          "%s: %s", entry->name, isg_last_error());
            modules++;
            isg_status status = isg_spirv_reflect(module, NULL, &info);
            if (status == ISG_ERROR_UNSUPPORTED) { /* by name: that is a fine answer */
                refused++;
            } else {
                ck_assert_msg(status == ISG_OK, "%s: %s", entry->name, isg_last_error());
                made += lower_all(module, info, entry->name);
                freeze_and_inline(module, entry->name);
            }
            isg_kernel_info_release(info);
            isg_spirv_free(module);
        }
    }
    printf("%u modules accepted, %u of them beyond isogrid; %u lowered modules validated\n",
           (unsigned)modules, (unsigned)refused, (unsigned)made);
    ck_assert_uint_ge(modules, 200);
    ck_assert_uint_eq(refused, 0);
}
END_TEST

START_TEST(every_prefix_of_a_module_is_refused)
{
    const isg_kernel_variants_o0_entry *entry = &isg_kernel_variants_o0[0];
    uint32_t accepted = 0;

    for (size_t size = 0; size < entry->size; size++) {
        /* A copy of exactly that size, so that a sanitizer sees a byte too far. */
        unsigned char *copy = malloc(size > 0 ? size : 1);
        isg_spirv_module *module = NULL;
        memcpy(copy, entry->words, size);
        isg_status status = isg_spirv_parse(NULL, copy, size, &module);
        if (status == ISG_OK) { /* cut between two functions */
            accepted++;
            isg_spirv_free(module);
        } else {
            ck_assert_int_eq(status, ISG_ERROR_INVALID_SPIRV);
            ck_assert_ptr_null(module);
            ck_assert_uint_gt(strlen(isg_last_error()), 20);
        }
        free(copy);
    }
    ck_assert_uint_le(accepted, 8);
}
END_TEST

/* Parse, reflect and all passes of one module, in seconds: the best of a few runs. */
static double time_of(const uint32_t *words, size_t size, uint32_t flags, uint32_t runs)
{
    double best = 1e9;

    for (uint32_t i = 0; i < runs; i++) {
        isg_spirv_module *module = NULL;
        isg_kernel_info *info = NULL;
        isg_spirv_lowered lowered;
        double start = now();
        ck_assert_msg(isg_spirv_parse(NULL, words, size, &module) == ISG_OK, "%s",
                      isg_last_error());
        ck_assert_msg(isg_spirv_reflect(module, NULL, &info) == ISG_OK, "%s", isg_last_error());
        isg_spirv_lower_desc desc = {.info = info,
                                     .form = info->sync_class == ISG_SYNC_PHASED
                                                 ? ISG_SPIRV_FORM_LOOPED
                                                 : ISG_SPIRV_FORM_PLAIN,
                                     .waits = info->sync_class == ISG_SYNC_PHASED,
                                     .flags = flags,
                                     .target = test_keeping};
        ck_assert_msg(isg_spirv_lower(module, &desc, &lowered) == ISG_OK, "%s", isg_last_error());
        double seconds = now() - start;
        best = seconds < best ? seconds : best;
        isg_spirv_free(lowered.module);
        isg_kernel_info_release(info);
        isg_spirv_free(module);
    }
    return best;
}

/* The module with its last function's first block followed by copies of one addition. */
static uint32_t *grow(const isg_spirv_module *module, size_t total, size_t *out_count)
{
    const isg_spirv_function *function = &module->functions[module->function_count - 1];
    uint32_t *words = malloc(total * 4 + 4096);
    uint32_t at = function->end;
    uint32_t id = module->bound;
    uint32_t type = 0;

    /* The terminator of the last block; float constants are made by every kernel that is used. */
    for (uint32_t i = function->offset; i < function->end;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) == SpvOpReturn || isg_spirv_op(inst) == SpvOpReturnValue) {
            at = i;
        }
    }
    uint32_t value = 0;
    for (uint32_t i = module->sections[ISG_SPIRV_GLOBALS];
         i < module->sections[ISG_SPIRV_FUNCTIONS]; i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        const uint32_t *made = isg_spirv_op(inst) == SpvOpConstant
                                   ? isg_spirv_def_as(module, inst[1], SpvOpTypeFloat)
                                   : NULL;
        if (made != NULL && made[2] == 32 && (inst[3] & 0x7fffffffu) != 0) {
            type = inst[1];
            value = inst[2];
        }
    }
    ck_assert_uint_ne(type, 0);
    memcpy(words, module->words, at * 4u);
    size_t count = at;
    uint32_t previous = value;
    while (count + 5 + (module->word_count - at) < total && id + 1 < 100000u) {
        const uint32_t add[5] = {5u << 16 | SpvOpFAdd, type, id, previous, value};
        memcpy(words + count, add, sizeof add);
        previous = id++;
        count += 5;
    }
    /* Above that many ids, instructions without results fill the rest. */
    while (count + 3 + (module->word_count - at) < total) {
        const uint32_t line[1] = {1u << 16 | SpvOpNoLine};
        memcpy(words + count, line, sizeof line);
        count += 1;
    }
    memcpy(words + count, module->words + at, (module->word_count - at) * 4u);
    count += module->word_count - at;
    words[3] = id;
    *out_count = count;
    return words;
}

START_TEST(time_is_linear_in_the_modules_size)
{
    isg_spirv_module *module = test_parse("float_more", 0);
    size_t words = module->word_count;
    double whole = time_of(module->words, words * 4, 0, 20);
    double guarded = time_of(module->words, words * 4, ISG_KERNEL_BOUNDED | ISG_KERNEL_CHECKED, 20);
    double small_rate = 0;

    printf("float_more, %zu words: %.3f ms for all that dispatch needs, %.3f ms with guards\n",
           words, whole * 1e3, guarded * 1e3);
    for (size_t size = 1u << 16; size <= 1u << 22; size <<= 2) {
        size_t count = 0;
        uint32_t *grown = grow(module, size, &count);
        double seconds = time_of(grown, count * 4, 0, 2);
        double rate = seconds * 1e9 / (double)count;
        printf("%zu words (%.1f MiB): %.1f ms, %.1f ns a word\n", count,
               (double)count * 4 / 1048576, seconds * 1e3, rate);
        small_rate = small_rate == 0 ? rate : small_rate;
        /* Caches and shared machines cost something; a quadratic pass would cost 64 times more. */
        ck_assert_double_lt(rate, small_rate * 8 + 100);
        free(grown);
    }
    isg_spirv_free(module);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spirv_corpus");
    TCase *accept = tcase_create("accept");
    TCase *prefix = tcase_create("prefix");
    TCase *speed = tcase_create("speed");

    tcase_set_timeout(accept, 280);
    tcase_set_timeout(prefix, 60);
    tcase_set_timeout(speed, 120);
    tcase_add_test(accept, every_valid_module_is_accepted_and_lowered);
    tcase_add_test(prefix, every_prefix_of_a_module_is_refused);
    tcase_add_test(speed, time_is_linear_in_the_modules_size);
    suite_add_tcase(suite, accept);
    suite_add_tcase(suite, prefix);
    suite_add_tcase(suite, speed);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
