/* Owns the lists of scenarios and of exclusions. */
#include "conform.h"

const conform_scenario conform_scenarios[] = {
    {"plan", conform_scenario_plan},
    {"open", conform_scenario_open},
    {"leave", conform_scenario_leave},
    {"stuck", conform_scenario_stuck},
    {0},
};

const conform_exclusion conform_exclusions[] = {
    {"", "self_test.listed_as_unsupported", CONFORM_UNSUPPORTED,
     "shows how a row leaves a case out"},
    {"", "self_test.listed_to_fail*", CONFORM_XFAIL, "shows how a row expects a failure"},
    {0},
};
