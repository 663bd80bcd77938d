/* The isogrid command: picks the subcommand. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

typedef struct command {
    const char *name, *summary;
    int (*run)(int argc, const char **argv);
} command;

static const command commands[] = {
    {"devices", "list what is found, and what is missing", isg_cli_devices},
    {"compile", "compile a GLSL compute shader to SPIR-V", isg_cli_compile},
    {"inspect", "show what isogrid reads from a SPIR-V module", isg_cli_inspect},
    {"run", "run a kernel of your own on files or generated data", isg_cli_run},
    {"conform", "run the conformance suite on every device", isg_cli_conform},
    {"bench", "compare isogrid with hand-written code", isg_cli_bench},
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_usage(FILE *file)
{
    fprintf(file,
            "usage: isogrid COMMAND [options]\n\n"
            "One compute kernel, one dispatch call, the same bits on every GPU.\n\nCommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(file, "  %-9s %s\n", commands[i].name, commands[i].summary);
    }
    fprintf(file,
            "\n`isogrid COMMAND --help` has options and examples. `isogrid --version` says which "
            "isogrid.\nISOGRID_DEVICE names the device to take where none is asked for.\n"
            "Exit codes: 0 good, 1 a failure or a refusal, 2 a wrong command line.\n");
}

static const command *find(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int help(int argc, const char **argv)
{
    const command *about = argc > 2 ? find(argv[2]) : NULL;
    const char *arguments[] = {argc > 2 ? argv[2] : NULL, "--help", NULL};

    if (argc <= 2) {
        print_usage(stdout);
        return ISG_CLI_OK;
    }
    if (about == NULL) {
        isg_cli_error("no command '%s'; `isogrid --help` lists them", argv[2]);
        return ISG_CLI_USAGE;
    }
    isg_cli_set_command(about->name);
    return about->run(2, arguments);
}

static int dispatch(int argc, const char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    const command *chosen = NULL;

    if (name == NULL) {
        print_usage(stderr);
        return ISG_CLI_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        return help(argc, argv);
    }
    if (strcmp(name, "--version") == 0) {
        printf("isogrid %d.%d.%d\n", ISG_VERSION_MAJOR, ISG_VERSION_MINOR, ISG_VERSION_PATCH);
        return ISG_CLI_OK;
    }
    chosen = find(name);
    if (chosen == NULL) {
        isg_cli_error("no command '%s'; `isogrid --help` lists them", name);
        return ISG_CLI_USAGE;
    }
    isg_cli_set_command(name);
    return chosen->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    const int code = dispatch(argc, (const char **)(void *)argv);

    if (fflush(stdout) != 0 || ferror(stdout)) {
        isg_cli_error("standard output cannot be written");
        return code == ISG_CLI_OK ? ISG_CLI_FAILURE : code;
    }
    return code;
}
