/* Selectors and the order of devices, as plain functions over descriptions. */
#include "core/listing.h"
#include "core/selector.h"
#include "unit/doubles/fake_backend.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Three CPU drivers of one backend and one GPU that two backends see. */
enum { CUDA_GPU, VULKAN_GPU, SWIFTSHADER, MESA_22, MESA_25, DEVICE_COUNT };

static isg_device_info infos[DEVICE_COUNT];
static const isg_backend_info backends[] = {
    {.name = "cuda", .available = true, .reason = ""},
    {.name = "vulkan", .available = true, .reason = ""},
};

static void describe(uint32_t at, const char *backend, uint32_t index, const char *name,
                     const char *driver, isg_device_type type, uint8_t uuid)
{
    infos[at] = fake_info(name, driver, type, uuid);
    infos[at].backend = backend;
    infos[at].index = index;
    snprintf(infos[at].selector, sizeof infos[at].selector, "%s:%u", backend, index);
}

static void describe_devices(void)
{
    describe(CUDA_GPU, "cuda", 0, "NVIDIA H200", "580.1", ISG_DEVICE_TYPE_DISCRETE_GPU, 0xA1);
    describe(VULKAN_GPU, "vulkan", 0, "NVIDIA H200", "580.1", ISG_DEVICE_TYPE_DISCRETE_GPU, 0xA1);
    describe(SWIFTSHADER, "vulkan", 1, "SwiftShader Device (Subzero)", "", ISG_DEVICE_TYPE_CPU, 3);
    describe(MESA_22, "vulkan", 2, "llvmpipe (LLVM 15.0.6, 256 bits)", "Mesa 22.3.6 (LLVM 15.0.6)",
             ISG_DEVICE_TYPE_CPU, 4);
    describe(MESA_25, "vulkan", 3, "llvmpipe (LLVM 15.0.6, 256 bits)",
             "Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)", ISG_DEVICE_TYPE_CPU, 5);
}

static isg_selector_list whole_list(void)
{
    return (isg_selector_list){infos, DEVICE_COUNT, backends, 2};
}

/* The index of what `selector` finds, or a negative status. */
static int find_in(const isg_selector_list *list, const char *selector, const char *environment)
{
    uint32_t index = 0;
    isg_status status = isg_selector_match(list, selector, environment, &index);

    return status == ISG_OK ? (int)index : (int)status;
}

static int find(const char *selector)
{
    isg_selector_list list = whole_list();

    return find_in(&list, selector, NULL);
}

static void assert_says(const char *text)
{
    ck_assert_msg(strstr(isg_last_error(), text) != NULL, "'%s' is not in: %s", text,
                  isg_last_error());
}

START_TEST(auto_takes_a_gpu_before_a_cpu_driver_wherever_it_is_listed)
{
    isg_selector_list list = whole_list();

    ck_assert_int_eq(find(NULL), CUDA_GPU);
    ck_assert_int_eq(find(""), CUDA_GPU);
    ck_assert_int_eq(find("auto"), CUDA_GPU);
    ck_assert_int_eq(find("  AUTO "), CUDA_GPU);
    ck_assert_int_eq(find("vulkan"), VULKAN_GPU);
    ck_assert_int_eq(find("Vulkan"), VULKAN_GPU);
    infos[MESA_25].type = ISG_DEVICE_TYPE_INTEGRATED_GPU;
    infos[CUDA_GPU].unusable = "no timeline semaphores";
    infos[VULKAN_GPU].unusable = "no timeline semaphores";
    ck_assert_int_eq(find(NULL), MESA_25);
    infos[MESA_25].type = ISG_DEVICE_TYPE_CPU;
    ck_assert_int_eq(find(NULL), SWIFTSHADER);
    list.count = 2;
    ck_assert_int_eq(find_in(&list, NULL, NULL), ISG_ERROR_UNAVAILABLE);
    assert_says("no usable device matches 'auto'");
    assert_says("no timeline semaphores");
}
END_TEST

START_TEST(an_index_counts_within_its_backend)
{
    ck_assert_int_eq(find("vulkan:0"), VULKAN_GPU);
    ck_assert_int_eq(find("vulkan:3"), MESA_25);
    ck_assert_int_eq(find(" vulkan : 3 "), MESA_25);
    ck_assert_int_eq(find("VULKAN:1"), SWIFTSHADER);
    ck_assert_int_eq(find("cuda:0"), CUDA_GPU);
    ck_assert_int_eq(find("vulkan:03"), MESA_25);
    ck_assert_int_eq(find("vulkan:4"), ISG_ERROR_UNAVAILABLE);
    assert_says("vulkan:3 = llvmpipe");
    ck_assert_int_eq(find("cuda:1"), ISG_ERROR_UNAVAILABLE);
    ck_assert_int_eq(find("vulkan:4294967296"), ISG_ERROR_UNAVAILABLE);
    ck_assert_int_eq(find("vulkan:99999999999999999999999999999999"), ISG_ERROR_UNAVAILABLE);
}
END_TEST

START_TEST(text_names_the_one_device_that_contains_it)
{
    ck_assert_int_eq(find("vulkan:mesa 25"), MESA_25);
    ck_assert_int_eq(find("mesa 22"), MESA_22);
    ck_assert_int_eq(find("MESA 25.0.7"), MESA_25);
    ck_assert_int_eq(find("swiftshader"), SWIFTSHADER);
    ck_assert_int_eq(find("vulkan:h200"), VULKAN_GPU);
    /* Across the seam of name and driver. */
    ck_assert_int_eq(find("bits) mesa 25"), MESA_25);
    ck_assert_int_eq(find("22.3.6"), MESA_22);
    ck_assert_int_eq(find("radeon"), ISG_ERROR_UNAVAILABLE);
    assert_says("cuda:0 = NVIDIA H200");
}
END_TEST

START_TEST(several_matches_are_an_error_that_lists_them)
{
    ck_assert_int_eq(find("vulkan:llvmpipe"), ISG_ERROR_AMBIGUOUS);
    assert_says("matches 2 devices");
    assert_says("vulkan:2 = llvmpipe (LLVM 15.0.6, 256 bits) Mesa 22.3.6");
    assert_says("vulkan:3 = llvmpipe (LLVM 15.0.6, 256 bits) Mesa 25.0.7");
    ck_assert_int_eq(find("h200"), ISG_ERROR_AMBIGUOUS);
    assert_says("cuda:0");
    /* One that cannot be used is no candidate beside one that can. */
    infos[CUDA_GPU].unusable = "too old";
    ck_assert_int_eq(find("h200"), VULKAN_GPU);
    infos[VULKAN_GPU].unusable = "too old";
    ck_assert_int_eq(find("h200"), ISG_ERROR_AMBIGUOUS);
    ck_assert_int_eq(find("vulkan:h200"), VULKAN_GPU);
}
END_TEST

START_TEST(uuids_may_have_dashes_and_any_case)
{
    ck_assert_int_eq(find("uuid:04040404040404040404040404040404"), MESA_22);
    ck_assert_int_eq(find("UUID:05050505-0505-0505-0505-050505050505"), MESA_25);
    ck_assert_int_eq(find("vulkan:uuid:a1A1a1a1a1a1a1a1a1a1a1a1a1a1a1A1"), VULKAN_GPU);
    ck_assert_int_eq(find("uuid:a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"), ISG_ERROR_AMBIGUOUS);
    ck_assert_int_eq(find("uuid:ffffffffffffffffffffffffffffffff"), ISG_ERROR_UNAVAILABLE);
    ck_assert_int_eq(find("uuid:"), ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(find("uuid:0404"), ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(find("uuid:0404040404040404040404040404040404"), ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(find("uuid:0404040404040404040404040404040g"), ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(find("vulkan:uuid:04"), ISG_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(what_cannot_be_read_is_refused_never_guessed)
{
    static const char *const unreadable[] = {"9",  "-1",         "0,0",        "0 0",
                                             "+1", "vulkan:",    "vulkan:  ",  "vulkan:-1",
                                             ":",  "vulkan:0,0", "vulkan:1-2", "vulkan:0 1"};

    for (size_t i = 0; i < sizeof unreadable / sizeof unreadable[0]; i++) {
        int found = find(unreadable[i]);

        ck_assert_msg(found == ISG_ERROR_INVALID_ARGUMENT || found == ISG_ERROR_UNAVAILABLE,
                      "'%s' gave %d", unreadable[i], found);
        if (strcmp(unreadable[i], ":") != 0) {
            ck_assert_msg(found == ISG_ERROR_INVALID_ARGUMENT, "'%s' gave %d", unreadable[i],
                          found);
        }
    }
    ck_assert_int_eq(find("metal:0"), ISG_ERROR_UNAVAILABLE);
    assert_says("cuda, vulkan");
    ck_assert_int_eq(find("vulcan:mesa"), ISG_ERROR_UNAVAILABLE);
}
END_TEST

START_TEST(the_environment_is_asked_only_where_nothing_is_chosen)
{
    isg_selector_list list = whole_list();

    ck_assert_int_eq(find_in(&list, NULL, "vulkan:mesa 25"), MESA_25);
    ck_assert_int_eq(find_in(&list, "", "vulkan:1"), SWIFTSHADER);
    ck_assert_int_eq(find_in(&list, "auto", "mesa 22"), MESA_22);
    ck_assert_int_eq(find_in(&list, "vulkan", "mesa 22"), VULKAN_GPU);
    ck_assert_int_eq(find_in(&list, "vulkan:0", "mesa 22"), VULKAN_GPU);
    ck_assert_int_eq(find_in(&list, NULL, ""), CUDA_GPU);
    ck_assert_int_eq(find_in(&list, NULL, "auto"), CUDA_GPU);
    ck_assert_int_eq(find_in(&list, NULL, "-1"), ISG_ERROR_INVALID_ARGUMENT);
    assert_says("ISOGRID_DEVICE=-1");
    ck_assert_int_eq(find_in(&list, NULL, "radeon"), ISG_ERROR_UNAVAILABLE);
    assert_says("ISOGRID_DEVICE=radeon");
}
END_TEST

START_TEST(a_missing_driver_says_what_to_install)
{
    static const isg_backend_info missing[] = {
        {.name = "cuda", .available = false, .reason = "no libcuda.so.1; install the driver"},
        {.name = "vulkan", .available = false, .reason = "no libvulkan.so.1; install libvulkan1"},
    };
    isg_selector_list list = {infos, 0, missing, 2};

    ck_assert_int_eq(find_in(&list, NULL, NULL), ISG_ERROR_UNAVAILABLE);
    assert_says("install libvulkan1");
    assert_says("install the driver");
    ck_assert_int_eq(find_in(&list, "vulkan", NULL), ISG_ERROR_UNAVAILABLE);
    assert_says("install libvulkan1");
    ck_assert_ptr_null(strstr(isg_last_error(), "libcuda"));
}
END_TEST

START_TEST(long_selectors_are_cut_in_messages)
{
    char selector[5000];

    memset(selector, 'x', sizeof selector - 1);
    selector[sizeof selector - 1] = '\0';
    ck_assert_int_eq(find(selector), ISG_ERROR_UNAVAILABLE);
    memcpy(selector, "vulkan:", 7);
    ck_assert_int_eq(find(selector), ISG_ERROR_UNAVAILABLE);
    memcpy(selector, "uuid:", 5);
    ck_assert_int_eq(find(selector), ISG_ERROR_INVALID_ARGUMENT);
}
END_TEST

/* ---- the order ------------------------------------------------------------------------------- */

static isg_listing_entry entry(const isg_device_info *info, uint32_t rank, uint32_t driver_index)
{
    return (isg_listing_entry){*info, rank, driver_index};
}

START_TEST(the_order_is_the_same_whatever_the_driver_says_first)
{
    isg_listing_entry one[DEVICE_COUNT];
    isg_listing_entry other[DEVICE_COUNT];

    for (uint32_t i = 0; i < DEVICE_COUNT; i++) {
        uint32_t rank = strcmp(infos[i].backend, "cuda") == 0 ? 0 : 1;

        one[i] = entry(&infos[i], rank, i);
        other[DEVICE_COUNT - 1 - i] = entry(&infos[i], rank, i);
    }
    ck_assert_uint_eq(isg_listing_arrange(one, DEVICE_COUNT), DEVICE_COUNT);
    ck_assert_uint_eq(isg_listing_arrange(other, DEVICE_COUNT), DEVICE_COUNT);
    for (uint32_t i = 0; i < DEVICE_COUNT; i++) {
        ck_assert_str_eq(one[i].info.selector, other[i].info.selector);
        ck_assert_uint_eq(one[i].driver_index, other[i].driver_index);
    }
    ck_assert_str_eq(one[0].info.selector, "cuda:0");
    ck_assert_str_eq(one[1].info.selector, "vulkan:0");
    ck_assert_str_eq(one[1].info.name, "NVIDIA H200");
    ck_assert_str_eq(one[4].info.selector, "vulkan:3");
    ck_assert_str_eq(one[4].info.driver_info, infos[MESA_25].driver_info);
}
END_TEST

START_TEST(a_device_named_by_two_manifests_is_listed_once)
{
    isg_listing_entry entries[4] = {
        entry(&infos[MESA_25], 1, 0),
        entry(&infos[MESA_22], 1, 1),
        entry(&infos[MESA_25], 1, 2),
        entry(&infos[MESA_22], 1, 3),
    };

    ck_assert_uint_eq(isg_listing_arrange(entries, 4), 2);
    ck_assert_str_eq(entries[0].info.driver_info, infos[MESA_22].driver_info);
    ck_assert_uint_eq(entries[0].driver_index, 1);
    ck_assert_uint_eq(entries[1].driver_index, 0);
    ck_assert_str_eq(entries[1].info.selector, "vulkan:1");
}
END_TEST

START_TEST(two_equal_gpus_are_two_devices)
{
    isg_listing_entry entries[2] = {entry(&infos[VULKAN_GPU], 1, 0),
                                    entry(&infos[VULKAN_GPU], 1, 1)};

    entries[1].info.uuid[3]++;
    ck_assert_uint_eq(isg_listing_arrange(entries, 2), 2);
    ck_assert_uint_eq(isg_listing_arrange(entries, 0), 0);
}
END_TEST

static void add(Suite *suite, const char *name, const TTest *test)
{
    TCase *tcase = tcase_create(name);

    tcase_add_checked_fixture(tcase, describe_devices, NULL);
    tcase_add_test(tcase, test);
    suite_add_tcase(suite, tcase);
}

int main(void)
{
    Suite *suite = suite_create("core_selector");
    SRunner *runner = srunner_create(suite);
    int failed = 0;

    add(suite, "auto", auto_takes_a_gpu_before_a_cpu_driver_wherever_it_is_listed);
    add(suite, "index", an_index_counts_within_its_backend);
    add(suite, "text", text_names_the_one_device_that_contains_it);
    add(suite, "ambiguous", several_matches_are_an_error_that_lists_them);
    add(suite, "uuid", uuids_may_have_dashes_and_any_case);
    add(suite, "unreadable", what_cannot_be_read_is_refused_never_guessed);
    add(suite, "environment", the_environment_is_asked_only_where_nothing_is_chosen);
    add(suite, "missing", a_missing_driver_says_what_to_install);
    add(suite, "long", long_selectors_are_cut_in_messages);
    add(suite, "order", the_order_is_the_same_whatever_the_driver_says_first);
    add(suite, "duplicates", a_device_named_by_two_manifests_is_listed_once);
    add(suite, "equal_gpus", two_equal_gpus_are_two_devices);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
