/* Owns which cases run: the options' filters and the exclusion list. */
#include "cli.h"
#include "conform_tool.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_suite(const char *name)
{
    for (const conform_suite *suite = conform_suites; suite->name; suite++) {
        if (strcmp(suite->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool wants_suite(const conform_options *options, const conform_suite *suite)
{
    if (!options->suites) {
        return !suite->hidden;
    }
    for (size_t i = 0; options->suites[i]; i++) {
        if (strcmp(options->suites[i], suite->name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_identity(const conform_case *item)
{
    return item->test == NULL;
}

static bool wants_case(const conform_options *options, const conform_case *item)
{
    if (!wants_suite(options, item->suite) || (item->flags & CONFORM_FULL && !options->full)) {
        return false;
    }
    return !options->case_glob || fnmatch(options->case_glob, item->name, 0) == 0;
}

bool conform_select(const conform_options *options, conform_list *list)
{
    size_t kept = 0;
    bool any = false;

    for (size_t i = 0; options->suites && options->suites[i]; i++) {
        if (!is_suite(options->suites[i])) {
            isg_cli_error("--suite '%s': there is no such suite; "
                          "'isogrid conform --list-suites' names them",
                          options->suites[i]);
            return false;
        }
    }
    conform_list_all(list);
    for (size_t i = 0; i < list->count; i++) {
        if (wants_case(options, &list->cases[i])) {
            any = any || options->case_glob || !is_identity(&list->cases[i]);
            list->cases[kept++] = list->cases[i];
        }
    }
    list->count = kept;
    if (!any) {
        isg_cli_error("--case '%s' matches no case; 'isogrid conform --list' "
                      "names them",
                      options->case_glob ? options->case_glob : "");
        return false;
    }
    return true;
}

const conform_exclusion *conform_excluded(const char *case_name, const char *driver_text)
{
    for (const conform_exclusion *row = conform_exclusions; row->driver; row++) {
        if (strcasestr(driver_text, row->driver) && fnmatch(row->case_name, case_name, 0) == 0) {
            return row;
        }
    }
    return NULL;
}
