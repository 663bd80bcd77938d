/* Owns the switches of test_hooks.h. */
#include "core/test_hooks.h"

isg_test_hooks isg_test_hooks_active;
