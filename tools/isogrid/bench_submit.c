/* Benchmark submit: one empty dispatch, from submit to result. */
#include "bench.h"

#include "isogrid_bench_kernels.h"

typedef struct own {
    isg_queue *queue; /* borrowed */
    isg_kernel *kernel;
    isg_recording *recording;
} own;

static bool dispatch_once(void *user, double *out_us)
{
    own *mine = user;
    const isg_dispatch dispatch = {.kernel = mine->kernel, .grid = {1}};
    uint64_t value = 0;
    const double start = isg_bench_now_us();
    isg_status status = isg_queue_dispatch(mine->queue, &dispatch, 1, &value);

    if (status == ISG_OK) {
        status = isg_queue_wait(mine->queue, value, ISG_WAIT_FOREVER);
    }
    *out_us = isg_bench_now_us() - start;
    return isg_bench_check(status, "dispatching");
}

static bool submit_once(void *user, double *out_us)
{
    own *mine = user;
    const isg_submit_desc desc = {.recordings = &mine->recording, .recording_count = 1};
    uint64_t value = 0;
    const double start = isg_bench_now_us();
    isg_status status = isg_queue_submit(mine->queue, &desc, &value);

    if (status == ISG_OK) {
        status = isg_queue_wait(mine->queue, value, ISG_WAIT_FOREVER);
    }
    *out_us = isg_bench_now_us() - start;
    return isg_bench_check(status, "submitting");
}

static bool peer_once(void *user, double *out_us)
{
    uint64_t submit_ns = 0, total_ns = 0;

    if (!isg_peer_run_once(user, &submit_ns, &total_ns)) {
        return isg_bench_peer_failed();
    }
    *out_us = (double)total_ns / 1e3;
    return true;
}

static bool create_own(isg_bench *bench, own *mine)
{
    const isg_kernel_desc kernel = {.spirv = isg_kernel_bench_empty,
                                    .size = isg_kernel_bench_empty_size};
    isg_dispatch dispatch = {.grid = {1}};

    mine->queue = isg_device_queue(bench->device);
    if (!isg_bench_check(isg_kernel_create(bench->device, &kernel, &mine->kernel),
                         "creating the kernel") ||
        !isg_bench_check(isg_recording_create(bench->device, NULL, &mine->recording),
                         "starting a recording")) {
        return false;
    }
    dispatch.kernel = mine->kernel;
    return isg_bench_check(isg_record_dispatch(mine->recording, &dispatch), "recording") &&
           isg_bench_check(isg_recording_end(mine->recording), "ending the recording");
}

/* Adds one way of the peer where the device has it. The kernel's own word is only a floor: a kernel
 * that writes one is not empty, and users' kernels don't. */
static void add_peer(isg_bench *bench, isg_bench_table *table, const isg_peer_way *way)
{
    isg_peer_run *run =
        table->count < ISG_BENCH_MAX_SERIES ? isg_peer_run_create(&bench->peer, way) : NULL;
    char text[160];

    if (run != NULL) {
        isg_peer_way_describe(way, text, sizeof text);
        isg_bench_add(table, way->wait == ISG_PEER_WAIT_STORE ? ISG_BENCH_FLOOR : ISG_BENCH_PEER,
                      peer_once, run, "%s", text);
    }
}

/* Every way to signal and wait, with commands recorded beforehand or each time anew. */
static void add_peers(isg_bench *bench, isg_bench_table *table, bool fresh)
{
    isg_peer_way way = {.fresh = fresh};

    for (int submit2 = 0; submit2 < 2; submit2++) {
        way.submit2 = submit2 != 0;
        for (way.signal = ISG_PEER_SIGNAL_NONE; way.signal <= ISG_PEER_SIGNAL_TIMELINE;
             way.signal++) {
            for (way.wait = ISG_PEER_WAIT_IDLE; way.wait <= ISG_PEER_WAIT_MARKER; way.wait++) {
                add_peer(bench, table, &way);
            }
        }
    }
}

/* Runs a table whose first series is isogrid's and whose others are peers. */
static bool run_table(isg_bench *bench, isg_bench_table *table)
{
    bool good = isg_bench_run(bench, table, 200, 1000, 50);

    for (uint32_t i = 1; i < table->count; i++) {
        isg_peer_run_destroy(table->series[i].user);
    }
    return good;
}

bool isg_bench_submit(isg_bench *bench)
{
    static isg_bench_table recorded, fresh;
    own mine = {0};
    bool good = create_own(bench, &mine);

    recorded = (isg_bench_table){.title = "an empty dispatch recorded beforehand, from submit to "
                                          "result"};
    isg_bench_add(&recorded, ISG_BENCH_ISOGRID, submit_once, &mine,
                  "isg_queue_submit of a recording + isg_queue_wait");
    add_peers(bench, &recorded, false);
    good = good && run_table(bench, &recorded);
    fresh = (isg_bench_table){.title = "an empty dispatch recorded each time, from call to result"};
    isg_bench_add(&fresh, ISG_BENCH_ISOGRID, dispatch_once, &mine,
                  "isg_queue_dispatch + isg_queue_wait");
    add_peers(bench, &fresh, true);
    good = good && run_table(bench, &fresh);
    isg_recording_release(mine.recording);
    isg_kernel_release(mine.kernel);
    return good;
}
