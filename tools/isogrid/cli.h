/* What the commands of isogrid share: exit codes, the way options are read, messages, files.
 *
 * A command is a function with a row in main.c. It reads its options by isg_cli_open() and
 * isg_cli_next(), says what is wrong by isg_cli_error() in one line, and returns an exit code.
 */
#ifndef ISOGRID_TOOLS_CLI_H
#define ISOGRID_TOOLS_CLI_H

#include "isogrid/isogrid.h"

#include <popt.h>

enum isg_cli_exit {
    ISG_CLI_OK = 0,
    ISG_CLI_FAILURE = 1, /* a failure, or a refusal */
    ISG_CLI_USAGE = 2,   /* the command line is wrong, or names a file that cannot be read */
};

int isg_cli_devices(int argc, const char **argv);
int isg_cli_compile(int argc, const char **argv);
int isg_cli_inspect(int argc, const char **argv);
int isg_cli_run(int argc, const char **argv);
int isg_cli_conform(int argc, const char **argv);
int isg_cli_bench(int argc, const char **argv);

/* ---- options --------------------------------------------------------------------------------- */

typedef struct isg_cli_usage {
    const char *command;   /* "run" */
    const char *arguments; /* "KERNEL --grid X[,Y,Z] [options]" */
    const char *about;     /* paragraphs, ended by a newline */
    const char *examples;  /* whole lines, each ended by a newline */
    const struct poptOption *options;
} isg_cli_usage;

/* Every options table begins with this row. */
#define ISG_CLI_HELP_OPTION                                                                        \
    {                                                                                              \
        "help", 'h', POPT_ARG_NONE, NULL, ISG_CLI_OPTION_HELP, "Show this help", NULL              \
    }

enum isg_cli_option {
    ISG_CLI_OPTION_END = -1,  /* no option is left */
    ISG_CLI_OPTION_DONE = -2, /* --help was answered: return ISG_CLI_OK */
    ISG_CLI_OPTION_BAD = -3,  /* a wrong option was reported: return ISG_CLI_USAGE */
    ISG_CLI_OPTION_HELP = 9999,
};

/* Starts reading; argv[0] is the command's name. Never NULL. */
poptContext isg_cli_open(const isg_cli_usage *usage, int argc, const char **argv);
/* The next option's `val`, or one of enum isg_cli_option. */
int isg_cli_next(poptContext context, const isg_cli_usage *usage);
/* The exit code for one of isg_cli_next()'s two endings. */
int isg_cli_exit_of(int option);
/* The next argument that is no option; NULL after the last. It lives as long as the context. */
const char *isg_cli_argument(poptContext context);

/* ---- messages -------------------------------------------------------------------------------- */

/* "isogrid COMMAND: message" to standard error, in one line. */
void isg_cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Reports isg_last_error() after `what` failed; the exit code for it. */
int isg_cli_failed(isg_status status, const char *what);
/* Names the command for isg_cli_error(); main() does it. */
void isg_cli_set_command(const char *name);

/* ---- text ------------------------------------------------------------------------------------ */

/* A whole number: decimal, or hexadecimal after 0x. False if it is none, or above `limit`. */
bool isg_cli_parse_number(const char *text, uint64_t limit, uint64_t *out);
/* A number of bytes, perhaps ended by K, M or G (powers of 1024). */
bool isg_cli_parse_size(const char *text, uint64_t *out);
/* "4.0 GiB" into `text`. */
void isg_cli_format_size(uint64_t size, char *text, size_t capacity);
/* "a, b, c" of feature bits into `text`; "none" for 0. */
void isg_cli_format_features(uint32_t features, char *text, size_t capacity);

/* ---- files ----------------------------------------------------------------------------------- */

/* Reads a whole file, with a zero byte after its end. On failure reports it; false. */
bool isg_cli_read_file(const char *path, void **out, size_t *out_size);
/* Writes a whole file. On failure reports it; false. */
bool isg_cli_write_file(const char *path, const void *data, size_t size);

/* A kernel from a file: SPIR-V as it is, GLSL compiled. */
typedef struct isg_cli_kernel_source {
    const char *path;
    const char *const *include_directories;
    uint32_t include_directory_count;
    const char *const *macros; /* "name" or "name=value" */
    uint32_t macro_count;
    int target; /* of isg_glsl_target */
    bool debug_info;
} isg_cli_kernel_source;

/* On success *out must be freed. On failure everything has been reported; an exit code. */
int isg_cli_load_kernel(const isg_cli_kernel_source *source, void **out, size_t *out_size);
/* Whether the bytes begin as SPIR-V does. */
bool isg_cli_is_spirv(const void *data, size_t size);

/* A growing list of strings, for options that may be given again. */
typedef struct isg_cli_list {
    char **items; /* owned */
    uint32_t count;
} isg_cli_list;

/* Takes `item`, allocated by malloc; ends the program when memory ran out. */
void isg_cli_list_add(isg_cli_list *list, char *item);
void isg_cli_list_free(isg_cli_list *list);

#endif
