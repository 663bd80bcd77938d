/* JSON of what several commands print. */
#include "cli_json.h"

#include "isogrid/isogrid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *isg_cli_json_number(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

json_t *isg_cli_json_text(const char *text)
{
    json_t *json = json_string(text);
    char *copy = NULL;

    if (json != NULL) {
        return json;
    }
    copy = strdup(text);
    for (char *c = copy; c != NULL && *c != '\0'; c++) {
        if ((unsigned char)*c >= 0x80) {
            *c = '?';
        }
    }
    json = json_string(copy != NULL ? copy : "?");
    free(copy);
    return json;
}

json_t *isg_cli_json_features(uint32_t features)
{
    json_t *list = json_array();

    for (unsigned bit = 0; bit < 32; bit++) {
        const char *name = isg_feature_name(UINT32_C(1) << bit);

        if ((features >> bit & 1u) && name != NULL) {
            json_array_append_new(list, json_string(name));
        }
    }
    return list;
}

void isg_cli_json_print(json_t *whole)
{
    json_dumpf(whole, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(whole);
}
