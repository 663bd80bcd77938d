/* JSON of what several commands print. */
#ifndef ISOGRID_TOOLS_CLI_JSON_H
#define ISOGRID_TOOLS_CLI_JSON_H

#include <jansson.h>
#include <stdint.h>

/* Whole numbers above INT64_MAX come out as INT64_MAX: JSON readers have nothing wider. */
json_t *isg_cli_json_number(uint64_t value);
/* Text from a driver or a module: bytes that make it no UTF-8 become '?'. */
json_t *isg_cli_json_text(const char *text);
/* Names of isg_feature bits. */
json_t *isg_cli_json_features(uint32_t features);
/* Prints *whole, which it takes, to standard output. */
void isg_cli_json_print(json_t *whole);

#endif
