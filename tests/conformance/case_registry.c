/* Owns the list of suites, in the order they run. */
#include "conform.h"

#include <stdio.h>
#include <stdlib.h>

#define SUITE(noun) .name = #noun, .list = conform_##noun##_list

const conform_suite conform_suites[] = {
    {SUITE(reference),
     .summary = "grid sync: the reference kernel and its light twin, every route and grid"},
    {SUITE(buffer), .summary = "memory: create, upload, download, map, copy, fill"},
    {SUITE(kernel), .summary = "kernels: reflection, specialisation, preparing"},
    {SUITE(dispatch), .summary = "one dispatch or many: bindings, grids, indirect counts"},
    {SUITE(exactness), .summary = "the same bits on every device, integers and floats"},
    {SUITE(queue), .summary = "order, dependencies, events, waits"},
    {SUITE(concurrency), .summary = "many threads through one device and through several"},
    {SUITE(recording), .summary = "recordings submitted again, GPU times, steady state"},
    {SUITE(image), .summary = "images and samplers"},
    {SUITE(plan), .summary = "how a dispatch will be run, and demands on it"},
    {SUITE(bad_input), .summary = "wrong arguments: a status and a message, never a crash"},
    {SUITE(limits), .summary = "limits of the device are kept and named"},
    {SUITE(selector), .summary = "opening devices by name, index and UUID; missing drivers"},
    {SUITE(lifetime), .summary = "releases in any order, leaks, leaving with work in flight"},
    {SUITE(never_hang), .summary = "kernels that never end do not take the host along"},
    {SUITE(guards), .summary = "bounded and checked kernels"},
    {SUITE(validation), .summary = "no message from the Khronos validation layer",
     .wants_validation = true},
    {SUITE(self_test), .summary = "the runner itself", .hidden = true},
    {0},
};

void conform_add_case(conform_list *list, const char *name, const TTest *test, int index,
                      unsigned flags, unsigned seconds)
{
    conform_case *item = NULL;

    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        conform_case *cases = realloc(list->cases, capacity * sizeof *cases);
        if (!cases) {
            fputs("isogrid conform: out of host memory\n", stderr);
            exit(1);
        }
        list->cases = cases;
        list->capacity = capacity;
    }
    item = &list->cases[list->count++];
    *item = (conform_case){
        .test = test, .index = index, .flags = flags, .seconds = seconds, .suite = list->suite};
    snprintf(item->name, sizeof item->name, "%s.%s", list->suite->name, name);
}

void conform_list_all(conform_list *list)
{
    *list = (conform_list){0};
    for (const conform_suite *suite = conform_suites; suite->name; suite++) {
        list->suite = suite;
        conform_add_case(list, "device_is_the_one_asked_for", NULL, 0, 0, 0);
        suite->list(list);
    }
}
