/* What the commands share: options, messages, numbers, files. */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *command_name = NULL;

void isg_cli_set_command(const char *name)
{
    command_name = name;
}

void isg_cli_error(const char *format, ...)
{
    va_list arguments;

    fflush(stdout);
    fprintf(stderr, "isogrid%s%s: ", command_name != NULL ? " " : "",
            command_name != NULL ? command_name : "");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

int isg_cli_failed(isg_status status, const char *what)
{
    isg_cli_error("%s: %s (%s)", what, isg_last_error(), isg_status_name(status));
    return ISG_CLI_FAILURE;
}

static void print_help(const isg_cli_usage *usage)
{
    printf("usage: isogrid %s%s%s\n\n%s\nOptions:\n", usage->command,
           usage->arguments[0] != '\0' ? " " : "", usage->arguments, usage->about);
    for (const struct poptOption *option = usage->options; option->longName != NULL; option++) {
        char left[64];
        const char letter[] = {'-', option->shortName, ',', ' ', '\0'};

        snprintf(left, sizeof left, "%s--%s%s%s", option->shortName != '\0' ? letter : "    ",
                 option->longName, option->argDescrip != NULL ? " " : "",
                 option->argDescrip != NULL ? option->argDescrip : "");
        printf("  %-28s %s\n", left, option->descrip);
    }
    printf("\nExamples:\n%s", usage->examples);
}

poptContext isg_cli_open(const isg_cli_usage *usage, int argc, const char **argv)
{
    poptContext context = poptGetContext(usage->command, argc, argv, usage->options, 0);

    if (context == NULL) {
        isg_cli_error("out of memory");
        exit(ISG_CLI_FAILURE);
    }
    return context;
}

int isg_cli_next(poptContext context, const isg_cli_usage *usage)
{
    const int option = poptGetNextOpt(context);

    if (option == ISG_CLI_OPTION_HELP) {
        print_help(usage);
        return ISG_CLI_OPTION_DONE;
    }
    if (option < -1) {
        isg_cli_error("%s: %s; `isogrid %s --help` has the options",
                      poptBadOption(context, POPT_BADOPTION_NOALIAS), poptStrerror(option),
                      usage->command);
        return ISG_CLI_OPTION_BAD;
    }
    return option;
}

int isg_cli_exit_of(int option)
{
    return option == ISG_CLI_OPTION_DONE ? ISG_CLI_OK : ISG_CLI_USAGE;
}

const char *isg_cli_argument(poptContext context)
{
    return poptGetArg(context);
}

bool isg_cli_parse_number(const char *text, uint64_t limit, uint64_t *out)
{
    char *end = NULL;
    unsigned long long value = 0;
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

    /* strtoull takes signs and blanks, which are no numbers here. */
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    errno = 0;
    value = strtoull(text, &end, hex ? 16 : 10);
    if (errno != 0 || *end != '\0' || value > limit) {
        return false;
    }
    *out = value;
    return true;
}

bool isg_cli_parse_size(const char *text, uint64_t *out)
{
    const size_t length = strlen(text);
    char digits[32];
    unsigned shift = 0;
    uint64_t value = 0;

    if (length == 0 || length >= sizeof digits) {
        return false;
    }
    memcpy(digits, text, length + 1);
    switch (text[length - 1]) {
    case 'k':
    case 'K':
        shift = 10;
        break;
    case 'm':
    case 'M':
        shift = 20;
        break;
    case 'g':
    case 'G':
        shift = 30;
        break;
    default:
        break;
    }
    if (shift != 0) {
        digits[length - 1] = '\0';
    }
    if (!isg_cli_parse_number(digits, UINT64_MAX >> shift, &value)) {
        return false;
    }
    *out = value << shift;
    return true;
}

void isg_cli_format_size(uint64_t size, char *text, size_t capacity)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)size;
    int unit = -1;

    while (value >= 1024.0 && unit < 5) {
        value /= 1024.0;
        unit++;
    }
    if (unit < 0) {
        snprintf(text, capacity, "%u B", (unsigned)size);
    } else {
        snprintf(text, capacity, "%.1f %s", value, units[unit]);
    }
}

void isg_cli_format_features(uint32_t features, char *text, size_t capacity)
{
    size_t length = 0;

    snprintf(text, capacity, "none");
    for (unsigned bit = 0; bit < 32; bit++) {
        const char *name = isg_feature_name(UINT32_C(1) << bit);

        if ((features >> bit & 1u) && name != NULL && length < capacity) {
            length += (size_t)snprintf(text + length, capacity - length, "%s%s",
                                       length > 0 ? ", " : "", name);
        }
    }
}

bool isg_cli_read_file(const char *path, void **out, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    size_t size = 0, capacity = 1 << 16, got = 0;

    *out = NULL;
    *out_size = 0;
    if (file == NULL) {
        isg_cli_error("'%s' cannot be read: %s", path, strerror(errno));
        return false;
    }
    do {
        char *grown = data == NULL || size == capacity ? realloc(data, (capacity *= 2) + 1) : data;

        if (grown == NULL) {
            isg_cli_error("'%s' does not fit into memory", path);
            goto fail;
        }
        data = grown;
        got = fread(data + size, 1, capacity - size, file);
        size += got;
    } while (got > 0);
    if (ferror(file)) {
        isg_cli_error("'%s' cannot be read: %s", path, strerror(errno));
        goto fail;
    }
    fclose(file);
    data[size] = '\0';
    *out = data;
    *out_size = size;
    return true;

fail:
    fclose(file);
    free(data);
    return false;
}

bool isg_cli_write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool good = false;

    if (file != NULL) {
        good = fwrite(data, 1, size, file) == size;
        good = fclose(file) == 0 && good;
    }
    if (!good) {
        isg_cli_error("'%s' cannot be written: %s", path, strerror(errno));
    }
    return good;
}

void isg_cli_list_add(isg_cli_list *list, char *item)
{
    char **grown = realloc(list->items, (list->count + 1) * sizeof *list->items);

    if (grown == NULL || item == NULL) {
        isg_cli_error("out of memory");
        exit(ISG_CLI_FAILURE);
    }
    grown[list->count++] = item;
    list->items = grown;
}

void isg_cli_list_free(isg_cli_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->items[i]);
    }
    free(list->items);
    *list = (isg_cli_list){0};
}
