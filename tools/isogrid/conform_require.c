/* Owns ISOGRID_REQUIRE: the devices that must be there, so that "all passed" cannot mean "nothing
 * ran". */
#include "cli.h"
#include "conform_tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int conform_requirements(const char *text, conform_requirement **out)
{
    static const char resident[] = "+resident";
    conform_requirement *entries = NULL;
    int count = 0;

    *out = NULL;
    while (text && *text) {
        size_t length = strcspn(text, ",");
        const char *start = text + strspn(text, " ");
        const char *end = text + length;
        conform_requirement *entry = NULL;

        text += length + (text[length] == ',');
        while (end > start && end[-1] == ' ') {
            end--;
        }
        if (end <= start) {
            continue;
        }
        entry = realloc(entries, (size_t)(count + 1) * sizeof *entries);
        if (!entry) {
            free(entries);
            isg_cli_error("out of host memory");
            return -1;
        }
        entries = entry;
        entry = &entries[count++];
        *entry = (conform_requirement){0};
        if ((size_t)(end - start) > strlen(resident) &&
            strncmp(end - strlen(resident), resident, strlen(resident)) == 0) {
            entry->resident = true;
            end -= strlen(resident);
        }
        snprintf(entry->selector, sizeof entry->selector, "%.*s", (int)(end - start), start);
        if (strchr(entry->selector, '+')) {
            isg_cli_error("ISOGRID_REQUIRE entry '%s': the only demand that "
                          "may follow '+' is 'resident'",
                          entry->selector);
            free(entries);
            return -1;
        }
    }
    *out = entries;
    return count;
}

void conform_unmet(const conform_requirement *entry, const conform_devices *devices, bool selection,
                   char *why, size_t size)
{
    const conform_answer *answer = NULL;
    const conform_target *target = NULL;

    why[0] = '\0';
    for (size_t i = 0; i < devices->answer_count && !answer; i++) {
        if (strcmp(devices->answers[i].selector, entry->selector) == 0) {
            answer = &devices->answers[i];
        }
    }
    target = answer ? conform_devices_exact(devices, answer->exact) : NULL;
    if (!target) {
        snprintf(why, size, "%s", answer ? answer->message : "nobody asked for it");
    } else if (entry->resident && !target->resident) {
        snprintf(why, size, "%s cannot sync resident workgroups: %s", target->selector,
                 json_string_value(json_object_get(target->json, "gridSyncReason")));
    } else if (!target->selected && selection) {
        return; /* it is there; this run was for another device */
    } else if (target->passed + target->failed == 0) {
        snprintf(why, size, "no case ran on %s (%s), %u were skipped", target->selector,
                 target->brief, target->skipped);
    } else if (entry->resident && !target->resident_ran && !selection) {
        snprintf(why, size, "no case ran with resident workgroups on %s (%s)", target->selector,
                 target->brief);
    }
}
