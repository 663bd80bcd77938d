/* Owns the hidden suite `self_test`: cases that fail, skip, crash and hang on purpose, so that
 * self_test.sh can see the runner deal with them. */
#include "conform.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

START_TEST(passes)
{
    conform_report_plan(ISG_PLAN_SINGLE);
    conform_report_plan(ISG_PLAN_SPLIT);
    conform_report_syncs(3);
    conform_report_syncs(4);
    conform_digest("abc", "abc", 3);
}
END_TEST

START_TEST(fails_a_check)
{
    isg_buffer *buffer = NULL;

    CONFORM_OK(isg_buffer_create(conform_device(), &(isg_buffer_desc){.size = 0}, &buffer));
}
END_TEST

START_TEST(fails_an_assertion)
{
    ck_assert_int_eq(1 + 1, 3);
}
END_TEST

START_TEST(skips)
{
    conform_skip("a reason of\ntwo lines");
}
END_TEST

START_TEST(crashes)
{
    static const char text[] = "\xff last\t\xc3\xa9 words\n"; /* not all of it UTF-8 */
    CONFORM_TRUE(write(STDERR_FILENO, text, strlen(text)) > 0, "no output");
    raise(SIGSEGV);
}
END_TEST

START_TEST(leaves)
{
    _exit(0);
}
END_TEST

START_TEST(hangs)
{
    for (;;) {
        sleep(1);
    }
}
END_TEST

/* Longer than its timer, which each step restarts. */
START_TEST(takes_its_time)
{
    for (int i = 0; i < 4; i++) {
        sleep(1);
        conform_progress();
    }
}
END_TEST

START_TEST(host_expects_otherwise)
{
    conform_digest("abc", "abd", 3);
}
END_TEST

/* The same on no two devices. */
START_TEST(devices_differ)
{
    conform_digest(conform_selector(), NULL, strlen(conform_selector()));
}
END_TEST

START_TEST(nan_is_nan)
{
    const uint32_t some[3] = {0x7fc00000u, 0x3f800000u, 0xffc12345u};
    const uint32_t other[3] = {0x7f800001u, 0x3f800000u, 0x7fffffffu};
    float a[3], b[3];

    memcpy(a, some, sizeof a);
    memcpy(b, other, sizeof b);
    conform_digest_floats(a, b, 3);
}
END_TEST

START_TEST(listed_as_unsupported)
{
    conform_fail("it ran");
}
END_TEST

START_TEST(listed_to_fail)
{
    conform_fail("as it should");
}
END_TEST

START_TEST(listed_to_fail_and_passes)
{
}
END_TEST

void conform_self_test_list(conform_list *list)
{
    CONFORM_ADD(list, passes);
    CONFORM_ADD(list, fails_a_check);
    CONFORM_ADD(list, fails_an_assertion);
    CONFORM_ADD(list, skips);
    CONFORM_ADD(list, crashes);
    CONFORM_ADD(list, leaves);
    CONFORM_ADD_SLOW(list, hangs, 2);
    CONFORM_ADD_SLOW(list, takes_its_time, 2);
    CONFORM_ADD(list, host_expects_otherwise);
    CONFORM_ADD(list, devices_differ);
    CONFORM_ADD(list, nan_is_nan);
    CONFORM_ADD(list, listed_as_unsupported);
    CONFORM_ADD(list, listed_to_fail);
    CONFORM_ADD(list, listed_to_fail_and_passes);
}
