/* The registry of handles, also under threads, and the helpers of core/support.h. */
#include "core/handle.h"
#include "core/support.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 8
#define OBJECTS 600

static isg_object make(isg_object_kind kind)
{
    return (isg_object){.kind = kind};
}

START_TEST(only_live_handles_of_the_right_kind_pass)
{
    isg_object buffer = make(ISG_OBJECT_BUFFER);
    int foreign = 0;

    ck_assert(!isg_handle_is_live(NULL, ISG_OBJECT_BUFFER));
    ck_assert(!isg_handle_is_live(&buffer, ISG_OBJECT_BUFFER));
    ck_assert_int_eq(isg_handle_add(&buffer), ISG_OK);
    ck_assert(isg_handle_is_live(&buffer, ISG_OBJECT_BUFFER));
    ck_assert(!isg_handle_is_live(&buffer, ISG_OBJECT_IMAGE));
    ck_assert(!isg_handle_is_live(&foreign, ISG_OBJECT_BUFFER));
    ck_assert_int_eq(isg_handle_check(&buffer, ISG_OBJECT_BUFFER, "x"), ISG_OK);
    ck_assert_int_eq(isg_handle_check(&foreign, ISG_OBJECT_BUFFER, "copy: source"),
                     ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "copy: source"));
    ck_assert_ptr_nonnull(strstr(isg_last_error(), "is not a live isg_buffer"));
    ck_assert_int_eq(isg_handle_check(NULL, ISG_OBJECT_BUFFER, "x"), ISG_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(isg_handle_release(&buffer, ISG_OBJECT_BUFFER), ISG_HANDLE_LAST);
    ck_assert(!isg_handle_is_live(&buffer, ISG_OBJECT_BUFFER));
    ck_assert_int_eq(isg_handle_release(&buffer, ISG_OBJECT_BUFFER), ISG_HANDLE_NOT_LIVE);
    ck_assert_int_eq(isg_handle_retain(&buffer, ISG_OBJECT_BUFFER), ISG_HANDLE_NOT_LIVE);
    ck_assert_int_eq(isg_handle_release(NULL, ISG_OBJECT_BUFFER), ISG_HANDLE_NOT_LIVE);
    ck_assert_uint_eq(isg_handle_count(), 0);
}
END_TEST

START_TEST(each_retain_needs_its_release)
{
    isg_object kernel = make(ISG_OBJECT_KERNEL);

    ck_assert_int_eq(isg_handle_add(&kernel), ISG_OK);
    ck_assert_int_eq(isg_handle_retain(&kernel, ISG_OBJECT_KERNEL), ISG_HANDLE_KEPT);
    ck_assert_int_eq(isg_handle_release(&kernel, ISG_OBJECT_KERNEL), ISG_HANDLE_KEPT);
    ck_assert_int_eq(isg_handle_release(&kernel, ISG_OBJECT_DEVICE), ISG_HANDLE_NOT_LIVE);
    ck_assert_int_eq(isg_handle_release(&kernel, ISG_OBJECT_KERNEL), ISG_HANDLE_LAST);
}
END_TEST

START_TEST(borrowed_handles_outlive_stray_releases_and_their_parent_if_retained)
{
    isg_object queue = make(ISG_OBJECT_QUEUE);

    ck_assert_int_eq(isg_handle_add_borrowed(&queue), ISG_OK);
    ck_assert_int_eq(isg_handle_release(&queue, ISG_OBJECT_QUEUE), ISG_HANDLE_NOT_LIVE);
    ck_assert(isg_handle_is_live(&queue, ISG_OBJECT_QUEUE));
    ck_assert_int_eq(isg_handle_retain(&queue, ISG_OBJECT_QUEUE), ISG_HANDLE_FIRST);
    ck_assert_int_eq(isg_handle_retain(&queue, ISG_OBJECT_QUEUE), ISG_HANDLE_KEPT);
    ck_assert_int_eq(isg_handle_release(&queue, ISG_OBJECT_QUEUE), ISG_HANDLE_KEPT);
    ck_assert_int_eq(isg_handle_release(&queue, ISG_OBJECT_QUEUE), ISG_HANDLE_RETURNED);
    ck_assert_int_eq(isg_handle_retain(&queue, ISG_OBJECT_QUEUE), ISG_HANDLE_FIRST);
    ck_assert(!isg_handle_end_borrowing(&queue));
    ck_assert(isg_handle_is_live(&queue, ISG_OBJECT_QUEUE));
    ck_assert_int_eq(isg_handle_release(&queue, ISG_OBJECT_QUEUE), ISG_HANDLE_LAST);
    ck_assert_int_eq(isg_handle_add_borrowed(&queue), ISG_OK);
    ck_assert(isg_handle_end_borrowing(&queue));
    ck_assert(!isg_handle_is_live(&queue, ISG_OBJECT_QUEUE));
    ck_assert(!isg_handle_end_borrowing(&queue));
    isg_handle_remove(&queue);
    ck_assert_uint_eq(isg_handle_count(), 0);
}
END_TEST

/* Adds, finds and drops objects of its own, in an order that closes gaps everywhere. */
static void *churn(void *argument)
{
    isg_object *objects = calloc(OBJECTS, sizeof *objects);
    uint32_t seed = *(const uint32_t *)argument;

    ck_assert_ptr_nonnull(objects);
    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < OBJECTS; i++) {
            objects[i].kind = ISG_OBJECT_BUFFER;
            ck_assert_int_eq(isg_handle_add(&objects[i]), ISG_OK);
        }
        for (uint32_t i = 0; i < OBJECTS; i++) {
            uint32_t victim = (i * 7 + seed) % OBJECTS;

            ck_assert(isg_handle_is_live(&objects[victim], ISG_OBJECT_BUFFER));
            ck_assert_int_eq(isg_handle_release(&objects[victim], ISG_OBJECT_BUFFER),
                             ISG_HANDLE_LAST);
            ck_assert(!isg_handle_is_live(&objects[victim], ISG_OBJECT_BUFFER));
        }
    }
    free(objects);
    return NULL;
}

START_TEST(many_threads_find_exactly_their_own_handles)
{
    pthread_t threads[THREADS];
    uint32_t seeds[THREADS];

    for (uint32_t i = 0; i < THREADS; i++) {
        seeds[i] = i * 31;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, churn, &seeds[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    ck_assert_uint_eq(isg_handle_count(), 0);
}
END_TEST

static isg_object shared_object;
static atomic_uint last_count;

static void *retain_and_release(void *argument)
{
    (void)argument;
    for (uint32_t i = 0; i < 20000; i++) {
        ck_assert_int_eq(isg_handle_retain(&shared_object, ISG_OBJECT_KERNEL), ISG_HANDLE_KEPT);
        ck_assert_int_eq(isg_handle_release(&shared_object, ISG_OBJECT_KERNEL), ISG_HANDLE_KEPT);
    }
    if (isg_handle_release(&shared_object, ISG_OBJECT_KERNEL) == ISG_HANDLE_LAST) {
        atomic_fetch_add(&last_count, 1);
    }
    return NULL;
}

START_TEST(of_many_threads_one_has_the_last_reference)
{
    pthread_t threads[THREADS];

    shared_object = make(ISG_OBJECT_KERNEL);
    ck_assert_int_eq(isg_handle_add(&shared_object), ISG_OK);
    for (uint32_t i = 1; i < THREADS; i++) {
        isg_handle_retain(&shared_object, ISG_OBJECT_KERNEL);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, retain_and_release, NULL), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    ck_assert_uint_eq(atomic_load(&last_count), 1);
}
END_TEST

/* ---- support --------------------------------------------------------------------------------- */

START_TEST(ranges_never_wrap)
{
    ck_assert(isg_range_inside(0, 4, 4));
    ck_assert(isg_range_inside(4, 0, 4));
    ck_assert(!isg_range_inside(4, 1, 4));
    ck_assert(!isg_range_inside(5, 0, 4));
    ck_assert(!isg_range_inside(UINT64_MAX, 2, 4));
    ck_assert(!isg_range_inside(2, UINT64_MAX, 4));
    ck_assert(isg_range_inside(0, UINT64_MAX, UINT64_MAX));
    ck_assert(!isg_range_inside(1, UINT64_MAX, UINT64_MAX));
    ck_assert(isg_ranges_overlap(0, 4, 3, 1));
    ck_assert(!isg_ranges_overlap(0, 4, 4, 4));
    ck_assert(!isg_ranges_overlap(4, 4, 0, 4));
    ck_assert(isg_ranges_overlap(4, 4, 0, 5));
    ck_assert(isg_ranges_overlap(2, 1, 0, UINT64_MAX));
    ck_assert(!isg_ranges_overlap(2, 0, 0, 8));
    ck_assert(isg_ranges_overlap(UINT64_MAX - 1, 1, UINT64_MAX - 4, 4));
}
END_TEST

START_TEST(volumes_saturate)
{
    ck_assert_uint_eq(isg_saturating_volume((const uint32_t[3]){2, 3, 4}), 24);
    ck_assert_uint_eq(isg_saturating_volume((const uint32_t[3]){UINT32_MAX, UINT32_MAX, 1}),
                      (uint64_t)UINT32_MAX * UINT32_MAX);
    ck_assert_uint_eq(isg_saturating_volume((const uint32_t[3]){UINT32_MAX, UINT32_MAX, 2}),
                      UINT64_MAX);
    ck_assert_uint_eq(isg_saturating_volume((const uint32_t[3]){UINT32_MAX, UINT32_MAX, 0}), 0);
    ck_assert_uint_eq(isg_align_up(1, 256), 256);
    ck_assert_uint_eq(isg_align_up(256, 256), 256);
}
END_TEST

START_TEST(errors_belong_to_their_thread_and_may_quote_themselves)
{
    char long_message[5000];

    ck_assert_str_eq(isg_last_error(), "");
    ck_assert_int_eq(isg_fail(ISG_ERROR_IO, "first"), ISG_ERROR_IO);
    ck_assert_int_eq(isg_fail(ISG_ERROR_DRIVER, "again: %s", isg_last_error()), ISG_ERROR_DRIVER);
    ck_assert_str_eq(isg_last_error(), "again: first");
    memset(long_message, 'y', sizeof long_message - 1);
    long_message[sizeof long_message - 1] = '\0';
    isg_set_last_error(ISG_ERROR_IO, long_message);
    ck_assert_uint_eq(strlen(isg_last_error()), 2047);
    ck_assert_int_eq(isg_set_last_error(ISG_TIMEOUT, NULL), ISG_TIMEOUT);
    ck_assert_str_eq(isg_last_error(), "ISG_TIMEOUT");
    ck_assert_str_eq(isg_status_name((isg_status)-99), "unknown isg_status");
    ck_assert_str_eq(isg_feature_name(ISG_FEATURE_FLOAT64), "float64");
    ck_assert_ptr_null(isg_feature_name(0));
    ck_assert_ptr_null(isg_feature_name(3));
    ck_assert_ptr_null(isg_feature_name(UINT32_C(1) << 31));
}
END_TEST

START_TEST(lists_grow_zeroed_and_keep_what_they_have)
{
    uint32_t *items = NULL;
    uint32_t capacity = 0;

    ck_assert_int_eq(isg_reserve(NULL, (void **)&items, &capacity, 3, sizeof *items), ISG_OK);
    ck_assert_uint_ge(capacity, 3);
    items[0] = 5;
    items[1] = 6;
    ck_assert_int_eq(isg_reserve(NULL, (void **)&items, &capacity, 100, sizeof *items), ISG_OK);
    ck_assert_uint_eq(items[0], 5);
    ck_assert_uint_eq(items[1], 6);
    ck_assert_uint_eq(items[99], 0);
    ck_assert_int_eq(isg_reserve(NULL, (void **)&items, &capacity, UINT32_MAX, sizeof *items),
                     ISG_ERROR_OUT_OF_MEMORY);
    ck_assert_uint_eq(items[1], 6);
    isg_free(NULL, items, capacity * sizeof *items);
}
END_TEST

static void add(Suite *suite, const char *name, const TTest *test)
{
    TCase *tcase = tcase_create(name);

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, test);
    suite_add_tcase(suite, tcase);
}

int main(void)
{
    Suite *suite = suite_create("core_handle");
    SRunner *runner = srunner_create(suite);
    int failed = 0;

    add(suite, "live", only_live_handles_of_the_right_kind_pass);
    add(suite, "count", each_retain_needs_its_release);
    add(suite, "borrowed", borrowed_handles_outlive_stray_releases_and_their_parent_if_retained);
    add(suite, "threads", many_threads_find_exactly_their_own_handles);
    add(suite, "last", of_many_threads_one_has_the_last_reference);
    add(suite, "ranges", ranges_never_wrap);
    add(suite, "volumes", volumes_saturate);
    add(suite, "errors", errors_belong_to_their_thread_and_may_quote_themselves);
    add(suite, "lists", lists_grow_zeroed_and_keep_what_they_have);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
