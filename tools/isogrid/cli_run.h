/* What the two files of `isogrid run` share. */
#ifndef ISOGRID_TOOLS_CLI_RUN_H
#define ISOGRID_TOOLS_CLI_RUN_H

#include "cli.h"
#include "run_data.h"

typedef struct isg_run {
    const char *path, *device, *entry; /* borrowed; device and entry may be NULL */
    void *spirv;                       /* owned */
    size_t spirv_size;
    isg_kernel_info *info; /* owned */
    uint32_t flags;        /* isg_kernel_flag bits */
    bool has_grid;
    uint32_t grid[3], rounds, repeat;
    uint64_t timeout_s;
    isg_plan_kind plan;
    isg_run_data *data; /* owned */
    uint32_t data_count;
    isg_run_print *prints; /* owned */
    uint32_t print_count;
    isg_run_bytes push;
    isg_cli_list constant_texts;
    isg_constant *constants; /* owned */
    uint32_t constant_count;
} isg_run;

/* Opens the device, runs, prints, writes files. An exit code; failures have been reported. */
int isg_run_on_device(isg_run *run);

#endif
