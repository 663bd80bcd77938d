/* Owns the list of suites, in the order they run. */
#include "conform.h"

#include <stdio.h>
#include <stdlib.h>

const conform_suite conform_suites[] = {
    {"reference", "grid sync: the reference kernel and its light twin, every route and grid",
     conform_reference_list, false},
    {"buffer", "memory: create, upload, download, map, copy, fill", conform_buffer_list, false},
    {"kernel", "kernels: reflection, specialisation, preparing", conform_kernel_list, false},
    {"dispatch", "one dispatch or many: bindings, grids, indirect counts", conform_dispatch_list,
     false},
    {"exactness", "the same bits on every device, integers and floats", conform_exactness_list,
     false},
    {"queue", "order, dependencies, events, waits", conform_queue_list, false},
    {"concurrency", "many threads through one device and through several",
     conform_concurrency_list, false},
    {"recording", "recordings submitted again, GPU times, steady state", conform_recording_list,
     false},
    {"image", "images and samplers", conform_image_list, false},
    {"plan", "how a dispatch will be run, and demands on it", conform_plan_list, false},
    {"bad_input", "wrong arguments: a status and a message, never a crash", conform_bad_input_list,
     false},
    {"limits", "limits of the device are kept and named", conform_limits_list, false},
    {"selector", "opening devices by name, index and UUID; missing drivers",
     conform_selector_list, false},
    {"lifetime", "releases in any order, leaks, leaving with work in flight",
     conform_lifetime_list, false},
    {"validation", "no message from the Khronos validation layer", conform_validation_list, true},
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
    *item = (conform_case){.test = test,
                           .index = index,
                           .flags = flags,
                           .seconds = seconds,
                           .suite = list->suite};
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
