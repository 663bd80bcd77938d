/* Benchmark compile: a kernel made ready, anew and from the disk cache. */
#include "bench.h"

#include "isogrid_bench_kernels.h"

#include "cli.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The constant of bench_compile.comp that is replaced, so that no cache of the driver's own knows
 * the module. */
enum { MARK = 0x5eed5eed };

typedef struct modules {
    uint32_t *words; /* owned: a copy of bench_compile */
    size_t size;
    size_t mark; /* index of the constant */
    uint32_t next;
    char folder[64];
    isg_bench *bench;     /* borrowed */
    isg_instance *cached; /* with a cache in `folder` */
    isg_device *device;   /* of it */
} modules;

static bool prepare(isg_device *device, const modules *all, double *out_us)
{
    const isg_kernel_desc desc = {.spirv = all->words, .size = all->size};
    isg_kernel *kernel = NULL;
    const double start = isg_bench_now_us();
    isg_status status = isg_kernel_create(device, &desc, &kernel);

    if (status == ISG_OK) {
        status = isg_kernel_prepare(kernel, NULL, 0);
    }
    if (status == ISG_OK) {
        status = isg_kernel_wait(kernel, ISG_WAIT_FOREVER);
    }
    *out_us = isg_bench_now_us() - start;
    isg_kernel_release(kernel);
    return isg_bench_check(status, "preparing the kernel");
}

static void renew(modules *all)
{
    all->words[all->mark] = all->next++;
}

static bool cold_once(void *user, double *out_us)
{
    modules *all = user;

    renew(all);
    return prepare(all->device, all, out_us);
}

/* Ends the device that compiled the module and opens it again: what is left is on the disk. */
static bool reopen(modules *all)
{
    const isg_instance_desc desc = {.cache_directory = all->folder};
    char selector[64];

    snprintf(selector, sizeof selector, "%s", all->bench->info->selector);
    isg_device_release(all->device);
    isg_instance_release(all->cached);
    all->device = NULL;
    all->cached = NULL;
    return isg_bench_check(isg_instance_create(&desc, &all->cached), "creating an instance") &&
           isg_bench_check(isg_device_open(all->cached, selector, NULL, &all->device),
                           "opening the device");
}

static bool disk_once(void *user, double *out_us)
{
    modules *all = user;
    double first_us = 0;

    renew(all);
    return prepare(all->device, all, &first_us) && reopen(all) && prepare(all->device, all, out_us);
}

static bool again_once(void *user, double *out_us)
{
    modules *all = user;
    double first_us = 0;

    renew(all);
    return prepare(all->device, all, &first_us) && prepare(all->device, all, out_us);
}

static bool peer_once(void *user, double *out_us)
{
    modules *all = user;
    isg_peer *peer = &all->bench->peer;
    isg_peer_buffer buffer;
    isg_peer_kernel kernel;
    double start = 0;
    bool good = false;

    renew(all);
    if (!isg_peer_buffer_create(peer, 1024, 0, 0, &buffer)) {
        return isg_bench_peer_failed();
    }
    start = isg_bench_now_us();
    good = isg_peer_kernel_create(peer, all->words, all->size, &buffer, &kernel);
    *out_us = isg_bench_now_us() - start;
    if (good) {
        isg_peer_kernel_destroy(peer, &kernel);
    }
    isg_peer_buffer_destroy(peer, &buffer);
    return good || isg_bench_peer_failed();
}

static bool create_modules(isg_bench *bench, modules *all)
{
    *all = (modules){.bench = bench, .size = isg_kernel_bench_compile_size};
    snprintf(all->folder, sizeof all->folder, "/tmp/isogrid-bench-XXXXXX");
    all->words = malloc(all->size);
    if (all->words == NULL || mkdtemp(all->folder) == NULL) {
        isg_cli_error("no memory, or no folder in /tmp");
        all->folder[0] = '\0';
        return false;
    }
    memcpy(all->words, isg_kernel_bench_compile, all->size);
    while (all->mark < all->size / 4 && all->words[all->mark] != MARK) {
        all->mark++;
    }
    if (all->mark == all->size / 4) {
        isg_cli_error("the benchmark's kernel lacks its constant");
        return false;
    }
    /* Another row of modules each time: the driver's own cache outlives the process. */
    all->next = (uint32_t)isg_peer_now_ns();
    return reopen(all);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

static void destroy_modules(modules *all)
{
    isg_device_release(all->device);
    isg_instance_release(all->cached);
    free(all->words);
    if (all->folder[0] != '\0') {
        nftw(all->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    }
}

bool isg_bench_compile(isg_bench *bench)
{
    static isg_bench_table table;
    modules all;
    bool good = create_modules(bench, &all);

    table = (isg_bench_table){.title = "a kernel that no cache knows, until it can be dispatched"};
    isg_bench_add(&table, ISG_BENCH_ISOGRID, cold_once, &all,
                  "isg_kernel_create, _prepare, _wait: anew");
    isg_bench_add(&table, ISG_BENCH_ISOGRID, disk_once, &all,
                  "isg_kernel_create, _prepare, _wait: from the disk cache");
    isg_bench_add(&table, ISG_BENCH_ISOGRID, again_once, &all,
                  "isg_kernel_create, _prepare, _wait: again in the process");
    isg_bench_add(&table, ISG_BENCH_PEER, peer_once, &all,
                  "vkCreateShaderModule to vkCreateComputePipelines, without a cache");
    good = good && isg_bench_run(bench, &table, 3, 30, 3);
    destroy_modules(&all);
    return good;
}
