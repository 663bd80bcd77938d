/* Owns the suite `plan`: how a dispatch says it will be run, and demands that cannot be met. */
#include "conform.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A dispatch with one buffer on each binding of the kernel; plans look at no data. */
typedef struct subject {
    isg_kernel *kernel;
    isg_buffer *buffer[4];
    isg_binding bindings[4];
    isg_dispatch dispatch;
} subject;

static void subject_create(subject *self, const char *stem)
{
    const isg_kernel_info *info = NULL;

    memset(self, 0, sizeof *self);
    self->kernel = conform_kernel(stem);
    info = isg_kernel_get_info(self->kernel);
    CONFORM_TRUE(info->binding_count <= 4, "'%s' has more bindings than expected", stem);
    for (uint32_t i = 0; i < info->binding_count; i++) {
        self->buffer[i] = conform_buffer(4096, ISG_MEMORY_DEVICE);
        self->bindings[i] = (isg_binding){.set = info->bindings[i].set,
                                          .binding = info->bindings[i].binding,
                                          .buffer = self->buffer[i]};
    }
    self->dispatch = (isg_dispatch){.kernel = self->kernel,
                                    .grid = {1, 1, 1},
                                    .bindings = self->bindings,
                                    .binding_count = info->binding_count};
}

static void subject_release(subject *self)
{
    for (int i = 0; i < 4; i++) {
        isg_buffer_release(self->buffer[i]);
    }
    isg_kernel_release(self->kernel);
}

static isg_plan plan_of(const isg_dispatch *dispatch)
{
    isg_plan plan;

    memset(&plan, 0x5a, sizeof plan);
    CONFORM_OK(isg_plan_dispatch(dispatch, &plan));
    CONFORM_TRUE(memchr(plan.reason, 0, sizeof plan.reason) && strlen(plan.reason) > 5,
                 "plan %s gives no reason", isg_plan_name(plan.kind));
    return plan;
}

START_TEST(plain_kernels_run_as_single)
{
    subject plain;
    isg_plan plan;

    subject_create(&plain, "count_groups");
    memcpy(plain.dispatch.grid, (uint32_t[]){7, 3, 2}, sizeof plain.dispatch.grid);
    plan = plan_of(&plain.dispatch);
    conform_report_plan(plan.kind);
    ck_assert_int_eq(plan.kind, ISG_PLAN_SINGLE);
    ck_assert_uint_eq(plan.dispatch_count, 1);
    ck_assert_uint_eq(plan.physical_grid[0], 7);
    ck_assert_uint_eq(plan.physical_grid[1], 3);
    ck_assert_uint_eq(plan.physical_grid[2], 2);
    ck_assert_uint_eq(plan.sync_count, 0);
    ck_assert_uint_eq(plan.max_workgroups, 0);
    subject_release(&plain);
}
END_TEST

START_TEST(phased_kernels_split_or_stay_resident)
{
    static const struct {
        const char *stem;
        uint32_t rounds, syncs;
    } rows[] = {
        {"reference_light", 0, 1}, {"rounds", 1, 2}, {"rounds", 10, 29}, {"phases_32", 1, 31}};

    for (size_t i = 0; i < CONFORM_COUNT(rows); i++) {
        subject phased;
        isg_plan plan;
        subject_create(&phased, rows[i].stem);
        phased.dispatch.grid[0] = 16;
        phased.dispatch.rounds = rows[i].rounds;
        plan = plan_of(&phased.dispatch);
        conform_report_plan(plan.kind);
        CONFORM_TRUE(plan.kind == ISG_PLAN_SPLIT || plan.kind == ISG_PLAN_VIRTUALIZED,
                     "a phased kernel is planned as %s: %s", isg_plan_name(plan.kind), plan.reason);
        ck_assert_uint_eq(plan.sync_count, rows[i].syncs);
        if (plan.kind == ISG_PLAN_SPLIT) {
            ck_assert_uint_eq(plan.dispatch_count, rows[i].syncs + 1);
            ck_assert_uint_eq(plan.physical_grid[0], 16);
        }
        subject_release(&phased);
    }
}
END_TEST

START_TEST(grids_above_the_limit)
{
    const uint32_t *limits = conform_info()->limits.max_workgroup_count;
    subject plain, phased;
    isg_plan plan;
    char number[32];

    if (limits[1] == UINT32_MAX) {
        conform_skip("the device has no limit below 2^32");
    }
    snprintf(number, sizeof number, "%u", limits[1]);
    subject_create(&plain, "count_groups");
    plain.dispatch.grid[1] = limits[1] + 1;
    CONFORM_REFUSED(ISG_ERROR_LIMIT_EXCEEDED, isg_plan_dispatch(&plain.dispatch, &plan), number);

    subject_create(&phased, "reference_light");
    phased.dispatch.grid[1] = limits[1] + 1;
    plan = plan_of(&phased.dispatch);
    CONFORM_TRUE(plan.kind == ISG_PLAN_SPLIT || plan.kind == ISG_PLAN_VIRTUALIZED,
                 "above the limit a phased kernel is planned as %s: %s", isg_plan_name(plan.kind),
                 plan.reason);
    for (int side = 0; side < 3; side++) {
        CONFORM_TRUE(plan.physical_grid[side] <= limits[side],
                     "the plan has %u workgroups on side %d, the limit is %u",
                     plan.physical_grid[side], side, limits[side]);
    }
    memcpy(phased.dispatch.grid, (uint32_t[]){UINT32_MAX, UINT32_MAX, 1},
           sizeof phased.dispatch.grid);
    plan = plan_of(&phased.dispatch);
    CONFORM_TRUE(plan.kind != ISG_PLAN_REFUSED, "a grid of 2^64 - 2^33 workgroups: %s",
                 plan.reason);
    subject_release(&plain);
    subject_release(&phased);
}
END_TEST

START_TEST(indirect_grids_are_decided_on_the_device)
{
    static const char *const stems[] = {"count_groups", "reference_light"};

    for (size_t i = 0; i < CONFORM_COUNT(stems); i++) {
        subject some;
        isg_plan plan;
        isg_buffer *indirect = conform_buffer(12, ISG_MEMORY_DEVICE);
        subject_create(&some, stems[i]);
        some.dispatch.indirect = indirect;
        plan = plan_of(&some.dispatch);
        CONFORM_TRUE(plan.kind != ISG_PLAN_REFUSED, "indirect: %s", plan.reason);
        ck_assert_uint_eq(plan.physical_grid[0], 0);
        subject_release(&some);
        isg_buffer_release(indirect);
    }
}
END_TEST

/* What is demanded is either what is planned, or refused with a reason; dispatch agrees. */
START_TEST(demanded_plans_are_met_or_refused)
{
    static const char *const stems[] = {"count_groups", "reference_light"};

    for (size_t i = 0; i < CONFORM_COUNT(stems); i++) {
        subject some;
        subject_create(&some, stems[i]);
        for (int kind = ISG_PLAN_SINGLE; kind <= ISG_PLAN_SPLIT; kind++) {
            isg_plan plan;
            isg_status status = ISG_OK;
            some.dispatch.plan = (isg_plan_kind)kind;
            plan = plan_of(&some.dispatch);
            conform_stale_error();
            status = isg_queue_dispatch(conform_queue(), &some.dispatch, 1, NULL);
            if (plan.kind == ISG_PLAN_REFUSED) {
                CONFORM_TRUE(strstr(plan.reason, isg_plan_name((isg_plan_kind)kind)),
                             "the reason does not name plan %s: %s",
                             isg_plan_name((isg_plan_kind)kind), plan.reason);
                CONFORM_TRUE(status == ISG_ERROR_UNSUPPORTED || status == ISG_ERROR_GRID_TOO_LARGE,
                             "dispatch returned %s for a refused plan", isg_status_name(status));
                CONFORM_TRUE(strstr(isg_last_error(), plan.reason),
                             "dispatch says '%s', the plan says '%s'", isg_last_error(),
                             plan.reason);
            } else {
                ck_assert_int_eq(plan.kind, kind);
                CONFORM_OK(status);
            }
        }
        some.dispatch.plan = (isg_plan_kind)17;
        CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                        isg_queue_dispatch(conform_queue(), &some.dispatch, 1, NULL), "17");
        some.dispatch.plan = ISG_PLAN_REFUSED;
        CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                        isg_queue_dispatch(conform_queue(), &some.dispatch, 1, NULL), "plan");
        CONFORM_OK(isg_queue_wait(conform_queue(), 0, ISG_WAIT_FOREVER));
        subject_release(&some);
    }
}
END_TEST

START_TEST(a_plain_kernel_demanded_to_split_is_refused)
{
    subject plain;
    isg_plan plan;

    subject_create(&plain, "count_groups");
    plain.dispatch.plan = ISG_PLAN_SPLIT;
    plan = plan_of(&plain.dispatch);
    ck_assert_int_eq(plan.kind, ISG_PLAN_REFUSED);
    ck_assert_uint_eq(plan.dispatch_count, 0);
    plain.dispatch.plan = ISG_PLAN_AUTO;
    ck_assert_int_eq(plan_of(&plain.dispatch).kind, ISG_PLAN_SINGLE);
    subject_release(&plain);
}
END_TEST

START_TEST(rounds_of_a_plain_kernel)
{
    subject plain;
    isg_plan plan;

    subject_create(&plain, "count_groups");
    plain.dispatch.rounds = 1;
    ck_assert_int_eq(plan_of(&plain.dispatch).kind, ISG_PLAN_SINGLE);
    plain.dispatch.rounds = 2;
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_plan_dispatch(&plain.dispatch, &plan), "round");
    subject_release(&plain);
}
END_TEST

START_TEST(plans_check_arguments_as_dispatch_does)
{
    subject plain;
    isg_plan plan;

    subject_create(&plain, "count_groups");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_plan_dispatch(NULL, &plan), "NULL");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_plan_dispatch(&plain.dispatch, NULL), "NULL");
    plain.dispatch.binding_count = 0;
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_plan_dispatch(&plain.dispatch, &plan),
                    "binding");
    subject_release(&plain);
}
END_TEST

START_TEST(every_plan_has_a_name)
{
    for (int kind = ISG_PLAN_AUTO; kind <= ISG_PLAN_REFUSED; kind++) {
        ck_assert_str_ne(isg_plan_name((isg_plan_kind)kind), "unknown");
    }
    ck_assert_str_eq(isg_plan_name(ISG_PLAN_SPLIT), "split");
    ck_assert_str_eq(isg_plan_name((isg_plan_kind)99), "unknown");
}
END_TEST

/* ---- ISOGRID_GRID_SYNC ---- */

/* Prints the plan of the light twin on the device that `argument` selects. */
int conform_scenario_plan(const char *argument)
{
    isg_device *device = NULL;
    isg_kernel *kernel = NULL;
    isg_kernel_desc desc = {0};
    isg_buffer *buffers[4] = {0};
    isg_binding bindings[4];
    isg_plan plan;
    isg_status status = isg_device_open(NULL, argument, NULL, &device);

    desc.spirv = conform_spirv("reference_light", &desc.size);
    status = status == ISG_OK ? isg_kernel_create(device, &desc, &kernel) : status;
    for (uint32_t i = 0; status == ISG_OK && i < 4; i++) {
        status = isg_buffer_create(device, &(isg_buffer_desc){.size = 4096}, &buffers[i]);
        bindings[i] = (isg_binding){.binding = i, .buffer = buffers[i]};
    }
    if (status == ISG_OK) {
        status = isg_plan_dispatch(
            &(isg_dispatch){
                .kernel = kernel, .grid = {4}, .bindings = bindings, .binding_count = 4},
            &plan);
    }
    printf("%s %s: %s\n", isg_status_name(status), status == ISG_OK ? isg_plan_name(plan.kind) : "",
           status == ISG_OK ? plan.reason : isg_last_error());
    for (int i = 0; i < 4; i++) {
        isg_buffer_release(buffers[i]);
    }
    isg_kernel_release(kernel);
    isg_device_release(device);
    return 0;
}

static void check_environment(const char *setting, const char *text)
{
    conform_outcome outcome;

    conform_spawn("plan", conform_selector(), (const char *const[]){setting, NULL}, 30, &outcome);
    CONFORM_TRUE(outcome.exit_code == 0, "%s: exit code %d, signal %d: %s", setting,
                 outcome.exit_code, outcome.signal, outcome.output);
    CONFORM_TRUE(strstr(outcome.output, text), "%s gives '%s', without '%s'", setting,
                 outcome.output, text);
}

START_TEST(environment_chooses_the_plan)
{
    check_environment("ISOGRID_GRID_SYNC=split", "ISG_OK split");
    check_environment("ISOGRID_GRID_SYNC=auto", "ISG_OK");
    check_environment("ISOGRID_GRID_SYNC=", "ISG_OK");
    check_environment("ISOGRID_GRID_SYNC=sideways", "sideways");
    check_environment("ISOGRID_GRID_SYNC=resident",
                      conform_info()->grid_sync == ISG_GRID_SYNC_RESIDENT ? "ISG_OK virtualized"
                                                                          : "ISG_OK refused");
}
END_TEST

void conform_plan_list(conform_list *list)
{
    CONFORM_ADD(list, plain_kernels_run_as_single);
    CONFORM_ADD(list, phased_kernels_split_or_stay_resident);
    CONFORM_ADD(list, grids_above_the_limit);
    CONFORM_ADD(list, indirect_grids_are_decided_on_the_device);
    CONFORM_ADD(list, demanded_plans_are_met_or_refused);
    CONFORM_ADD(list, a_plain_kernel_demanded_to_split_is_refused);
    CONFORM_ADD(list, rounds_of_a_plain_kernel);
    CONFORM_ADD(list, plans_check_arguments_as_dispatch_does);
    CONFORM_ADD(list, every_plan_has_a_name);
    CONFORM_ADD(list, environment_chooses_the_plan);
}
