/* The plan of a dispatch, as a plain function. */
#include "core/plan.h"
#include "unit/doubles/fake_backend.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static isg_device_info device;
static isg_kernel_info plain;
static isg_kernel_info phased;
static isg_kernel_info cooperative;
static isg_spirv_form form;

static void set_up(void)
{
    device = fake_info("gpu", "1", ISG_DEVICE_TYPE_DISCRETE_GPU, 1);
    plain = (isg_kernel_info){.sync_class = ISG_SYNC_PLAIN};
    phased = (isg_kernel_info){.sync_class = ISG_SYNC_PHASED, .phase_count = 3};
    cooperative = (isg_kernel_info){.sync_class = ISG_SYNC_COOPERATIVE};
}

static isg_plan choose(const isg_plan_request *request)
{
    isg_plan_request whole = *request;
    isg_plan plan = {0};

    whole.device = &device;
    whole.rounds = whole.rounds != 0 ? whole.rounds : 1;
    whole.grid_sync = whole.grid_sync != NULL ? whole.grid_sync : "";
    isg_plan_choose(&whole, &plan, &form);
    ck_assert_str_ne(plan.reason, "");
    return plan;
}

START_TEST(plain_kernels_run_as_one_dispatch)
{
    isg_plan plan = choose(&(isg_plan_request){.kernel = &plain, .grid = {3, 2, 1}});

    ck_assert_int_eq(plan.kind, ISG_PLAN_SINGLE);
    ck_assert_int_eq(form, ISG_SPIRV_FORM_PLAIN);
    ck_assert_uint_eq(plan.dispatch_count, 1);
    ck_assert_uint_eq(plan.physical_grid[0], 3);
    ck_assert_uint_eq(plan.physical_grid[1], 2);
    ck_assert_uint_eq(plan.sync_count, 0);
    plan =
        choose(&(isg_plan_request){.kernel = &plain, .grid = {1, 1, 1}, .demand = ISG_PLAN_SINGLE});
    ck_assert_int_eq(plan.kind, ISG_PLAN_SINGLE);
    for (int demand = ISG_PLAN_COOPERATIVE; demand <= ISG_PLAN_SPLIT; demand++) {
        plan = choose(&(isg_plan_request){
            .kernel = &plain, .grid = {1, 1, 1}, .demand = (isg_plan_kind)demand});
        ck_assert_int_eq(plan.kind, ISG_PLAN_REFUSED);
        ck_assert_ptr_nonnull(strstr(plan.reason, isg_plan_name((isg_plan_kind)demand)));
    }
}
END_TEST

START_TEST(phased_kernels_split_into_a_dispatch_a_phase_and_round)
{
    isg_plan plan =
        choose(&(isg_plan_request){.kernel = &phased, .grid = {65535, 65535, 65535}, .rounds = 7});

    ck_assert_int_eq(plan.kind, ISG_PLAN_SPLIT);
    ck_assert_int_eq(form, ISG_SPIRV_FORM_NATIVE);
    ck_assert_uint_eq(plan.dispatch_count, 21);
    ck_assert_uint_eq(plan.sync_count, 20);
    ck_assert_uint_eq(plan.physical_grid[2], 65535);
    plan =
        choose(&(isg_plan_request){.kernel = &phased, .grid = {1, 1, 1}, .demand = ISG_PLAN_SPLIT});
    ck_assert_int_eq(plan.kind, ISG_PLAN_SPLIT);
    ck_assert_uint_eq(plan.sync_count, 2);
}
END_TEST

START_TEST(grids_above_the_limit_loop)
{
    isg_plan plan = choose(&(isg_plan_request){.kernel = &phased, .grid = {65536, 1, 1}});

    ck_assert_int_eq(plan.kind, ISG_PLAN_SPLIT);
    ck_assert_int_eq(form, ISG_SPIRV_FORM_LOOPED);
    ck_assert_uint_eq(plan.physical_grid[0], 65535);
    ck_assert_uint_eq(plan.physical_grid[1], 1);
    device.limits.max_workgroup_count[1] = 4;
    plan = choose(&(isg_plan_request){.kernel = &phased, .grid = {2, 5, 3}});
    ck_assert_int_eq(form, ISG_SPIRV_FORM_LOOPED);
    ck_assert_uint_eq(plan.physical_grid[0], 30);
    device.limits.max_workgroup_count[0] = 8;
    plan = choose(&(isg_plan_request){.kernel = &phased, .grid = {9, 1, 1}});
    ck_assert_uint_eq(plan.physical_grid[0], 8);
    plan = choose(&(isg_plan_request){.kernel = &phased, .grid = {UINT32_MAX, UINT32_MAX, 1}});
    ck_assert_uint_eq(plan.physical_grid[0], 8);
    ck_assert_uint_eq(plan.dispatch_count, 3);
}
END_TEST

START_TEST(empty_grids_do_nothing)
{
    isg_plan plan = choose(&(isg_plan_request){.kernel = &plain, .grid = {0, 1, 1}});

    ck_assert_int_eq(plan.kind, ISG_PLAN_SINGLE);
    ck_assert_uint_eq(plan.dispatch_count, 0);
    plan = choose(&(isg_plan_request){.kernel = &phased, .grid = {0, 1, 1}});
    ck_assert_int_eq(plan.kind, ISG_PLAN_SPLIT);
    ck_assert_uint_eq(plan.dispatch_count, 0);
    ck_assert_uint_eq(plan.sync_count, 0);
}
END_TEST

START_TEST(indirect_grids_are_decided_on_the_device)
{
    isg_plan plan = choose(&(isg_plan_request){.kernel = &plain, .indirect = true});

    ck_assert_int_eq(plan.kind, ISG_PLAN_SINGLE);
    ck_assert_uint_eq(plan.physical_grid[0], 0);
    plan = choose(&(isg_plan_request){.kernel = &phased, .indirect = true});
    ck_assert_int_eq(plan.kind, ISG_PLAN_SPLIT);
    ck_assert_int_eq(form, ISG_SPIRV_FORM_LOOPED);
    ck_assert_uint_eq(plan.physical_grid[0], 0);
    ck_assert_uint_eq(plan.sync_count, 2);
    ck_assert_uint_eq(plan.dispatch_count, 4);
    phased.uses_round = true;
    plan = choose(&(isg_plan_request){.kernel = &phased, .indirect = true, .rounds = 1500});
    ck_assert_uint_eq(plan.dispatch_count, 4502);
}
END_TEST

START_TEST(what_needs_residency_is_refused_for_now)
{
    isg_plan plan = choose(&(isg_plan_request){.kernel = &cooperative, .grid = {1, 1, 1}});

    ck_assert_int_eq(plan.kind, ISG_PLAN_REFUSED);
    for (int demand = ISG_PLAN_SINGLE; demand <= ISG_PLAN_VIRTUALIZED; demand++) {
        plan = choose(&(isg_plan_request){
            .kernel = &phased, .grid = {1, 1, 1}, .demand = (isg_plan_kind)demand});
        ck_assert_int_eq(plan.kind, ISG_PLAN_REFUSED);
    }
    ck_assert_int_eq(isg_plan_fail(&plan, "mine"), ISG_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "dispatch 'mine' is refused: "));
    plan.max_workgroups = 132;
    ck_assert_int_eq(isg_plan_fail(&plan, "mine"), ISG_ERROR_GRID_TOO_LARGE);
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "132"));
}
END_TEST

START_TEST(the_environment_may_ask_for_split_and_nothing_unknown)
{
    isg_plan_request request = {.kernel = &phased, .grid = {1, 1, 1}, .grid_sync = "split"};

    ck_assert_int_eq(choose(&request).kind, ISG_PLAN_SPLIT);
    request.grid_sync = "AUTO";
    ck_assert_int_eq(choose(&request).kind, ISG_PLAN_SPLIT);
    request.grid_sync = "resident";
    ck_assert_int_eq(choose(&request).kind, ISG_PLAN_REFUSED);
    request.grid_sync = "bogus";
    ck_assert_ptr_nonnull(strstr(choose(&request).reason, "bogus"));
    ck_assert_int_eq(choose(&request).kind, ISG_PLAN_REFUSED);
    request.kernel = &plain;
    ck_assert_int_eq(choose(&request).kind, ISG_PLAN_SINGLE);
}
END_TEST

START_TEST(devices_without_grid_sync_run_plain_kernels_only)
{
    device.grid_sync = ISG_GRID_SYNC_NONE;
    device.grid_sync_reason = "no third set";
    ck_assert_int_eq(choose(&(isg_plan_request){.kernel = &plain, .grid = {1, 1, 1}}).kind,
                     ISG_PLAN_SINGLE);
    isg_plan plan = choose(&(isg_plan_request){.kernel = &phased, .grid = {1, 1, 1}});
    ck_assert_int_eq(plan.kind, ISG_PLAN_REFUSED);
    ck_assert_ptr_nonnull(strstr(plan.reason, "no third set"));
}
END_TEST

START_TEST(too_many_rounds_are_refused_before_anything_is_recorded)
{
    isg_plan plan =
        choose(&(isg_plan_request){.kernel = &phased, .grid = {1, 1, 1}, .rounds = UINT32_MAX});

    ck_assert_int_eq(plan.kind, ISG_PLAN_REFUSED);
    plan = choose(&(isg_plan_request){
        .kernel = &phased, .grid = {1, 1, 1}, .rounds = ISG_MAX_SPLIT_DISPATCHES / 3});
    ck_assert_int_eq(plan.kind, ISG_PLAN_SPLIT);
}
END_TEST

START_TEST(every_plan_has_a_name)
{
    ck_assert_str_eq(isg_plan_name(ISG_PLAN_AUTO), "auto");
    ck_assert_str_eq(isg_plan_name(ISG_PLAN_VIRTUALIZED), "virtualized");
    ck_assert_str_eq(isg_plan_name(ISG_PLAN_REFUSED), "refused");
    ck_assert_str_eq(isg_plan_name((isg_plan_kind)77), "unknown");
}
END_TEST

static void add(Suite *suite, const char *name, const TTest *test)
{
    TCase *tcase = tcase_create(name);

    tcase_add_checked_fixture(tcase, set_up, NULL);
    tcase_add_test(tcase, test);
    suite_add_tcase(suite, tcase);
}

int main(void)
{
    Suite *suite = suite_create("core_plan");
    SRunner *runner = srunner_create(suite);
    int failed = 0;

    add(suite, "plain", plain_kernels_run_as_one_dispatch);
    add(suite, "phased", phased_kernels_split_into_a_dispatch_a_phase_and_round);
    add(suite, "looped", grids_above_the_limit_loop);
    add(suite, "empty", empty_grids_do_nothing);
    add(suite, "indirect", indirect_grids_are_decided_on_the_device);
    add(suite, "residency", what_needs_residency_is_refused_for_now);
    add(suite, "environment", the_environment_may_ask_for_split_and_nothing_unknown);
    add(suite, "no_grid_sync", devices_without_grid_sync_run_plain_kernels_only);
    add(suite, "rounds", too_many_rounds_are_refused_before_anything_is_recorded);
    add(suite, "names", every_plan_has_a_name);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
