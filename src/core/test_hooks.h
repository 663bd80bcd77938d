/* Defects that tests switch on to see the conformance suite go red. Never installed; all zero in
 * every program that is not such a test.
 */
#ifndef ISOGRID_CORE_TEST_HOOKS_H
#define ISOGRID_CORE_TEST_HOOKS_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct isg_test_hooks {
    atomic_uint omit_barriers; /* so many barriers between commands are left out from now on */
} isg_test_hooks;

extern isg_test_hooks isg_test_hooks_active;

/* Whether the barrier the caller is about to emit must be left out. A backend asks once for each
 * barrier between two commands. */
static inline bool isg_test_omit_barrier(void)
{
    unsigned left =
        atomic_load_explicit(&isg_test_hooks_active.omit_barriers, memory_order_relaxed);
    while (left > 0) {
        if (atomic_compare_exchange_weak_explicit(&isg_test_hooks_active.omit_barriers, &left,
                                                  left - 1, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

#endif
