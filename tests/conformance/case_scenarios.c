/* Owns the lists of scenarios and of exclusions. */
#include "conform.h"

const conform_scenario conform_scenarios[] = {
    {"plan", conform_scenario_plan},
    {"open", conform_scenario_open},
    {"leave", conform_scenario_leave},
    {0},
};

const conform_exclusion conform_exclusions[] = {
    {0},
};
