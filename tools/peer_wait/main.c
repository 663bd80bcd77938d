/* peer_wait: times every way hand-written Vulkan has of waiting for an empty dispatch.
 *
 * Stands alone, without isogrid:
 *     cc -std=c11 -D_GNU_SOURCE -O2 -I tools/isogrid tools/peer_wait/main.c
 *        tools/isogrid/peer_vulkan.c tools/isogrid/peer_wait.c tools/isogrid/stats.c -o peer_wait
 */
#include "peer_wait.h"
#include "stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_ROWS = 256,
    BLOCK = 100, /* iterations of one way before the next one's turn */
};

typedef struct row {
    isg_peer_way way;
    isg_peer_run *run; /* NULL: not supported, or failed */
    double *submit_us, *total_us;
} row;

static row rows[MAX_ROWS];
static uint32_t row_count;

static void add(isg_peer *peer, isg_peer_way way, uint32_t iterations)
{
    isg_peer_run *run = row_count < MAX_ROWS ? isg_peer_run_create(peer, &way) : NULL;
    row *new = &rows[row_count];

    if (run == NULL) {
        return;
    }
    new->way = way;
    new->run = run;
    new->submit_us = calloc(iterations, sizeof(double));
    new->total_us = calloc(iterations, sizeof(double));
    row_count++;
}

static void add_all(isg_peer *peer, uint32_t iterations)
{
    for (int kind = 0; kind < 4; kind++) {
        isg_peer_way way = {.submit2 = kind & 1, .fresh = kind >> 1};

        for (way.signal = ISG_PEER_SIGNAL_NONE; way.signal <= ISG_PEER_SIGNAL_TIMELINE;
             way.signal++) {
            for (way.wait = ISG_PEER_WAIT_IDLE; way.wait <= ISG_PEER_WAIT_MARKER; way.wait++) {
                add(peer, way, iterations);
            }
        }
    }
    for (isg_peer_word word = ISG_PEER_WORD_UNCACHED; word <= ISG_PEER_WORD_DEVICE; word++) {
        const isg_peer_signal signal = ISG_PEER_SIGNAL_TIMELINE;

        add(peer, (isg_peer_way){.word = word, .signal = signal, .wait = ISG_PEER_WAIT_FILL},
            iterations);
        add(peer, (isg_peer_way){.word = word, .signal = signal, .wait = ISG_PEER_WAIT_STORE},
            iterations);
        add(peer, (isg_peer_way){.word = word, .signal = signal, .wait = ISG_PEER_WAIT_MARKER},
            iterations);
    }
}

static bool measure(uint32_t first, uint32_t count)
{
    for (uint32_t r = 0; r < row_count; r++) {
        for (uint32_t i = 0; i < count; i++) {
            uint64_t submit_ns = 0, total_ns = 0;

            if (!isg_peer_run_once(rows[r].run, &submit_ns, &total_ns)) {
                char text[256];

                isg_peer_way_describe(&rows[r].way, text, sizeof text);
                fprintf(stderr, "peer_wait: %s: %s\n", text, isg_peer_error());
                return false;
            }
            if (first != UINT32_MAX) {
                rows[r].submit_us[first + i] = (double)submit_ns / 1e3;
                rows[r].total_us[first + i] = (double)total_ns / 1e3;
            }
        }
    }
    return true;
}

static void print(uint32_t iterations)
{
    double best = 1e30;
    uint32_t best_row = 0;
    char text[256];

    printf("%9s  %9s %9s %9s  us\n", "submit", "total", "p10", "p90");
    for (uint32_t r = 0; r < row_count; r++) {
        const isg_stats submit = isg_stats_of(rows[r].submit_us, iterations);
        const isg_stats total = isg_stats_of(rows[r].total_us, iterations);

        isg_peer_way_describe(&rows[r].way, text, sizeof text);
        printf("%9.2f  %9.2f %9.2f %9.2f  %s\n", submit.median, total.median, total.p10, total.p90,
               text);
        if (total.median < best) {
            best = total.median;
            best_row = r;
        }
    }
    if (row_count > 0) {
        isg_peer_way_describe(&rows[best_row].way, text, sizeof text);
        printf("best: %.2f us, %s\n", best, text);
    }
}

static bool run_family(const char *text, uint32_t rank, uint32_t iterations)
{
    isg_peer peer;
    bool good;

    if (!isg_peer_open(&peer, NULL, text, rank)) {
        return false;
    }
    printf("%s, %s; queue family %u (flags 0x%x)%s%s; %u iterations, interleaved by %d\n",
           peer.name, peer.driver_info, peer.family, peer.family_flags,
           peer.vk.QueueSubmit2 != NULL ? "" : "; no vkQueueSubmit2",
           peer.vk.CmdWriteBufferMarkerAMD != NULL ? "; AMD_buffer_marker" : "", iterations, BLOCK);
    row_count = 0;
    add_all(&peer, iterations);
    good = measure(UINT32_MAX, 200);
    for (uint32_t i = 0; good && i < iterations; i += BLOCK) {
        good = measure(i, BLOCK);
    }
    if (good) {
        print(iterations);
    }
    fflush(stdout);
    for (uint32_t r = 0; r < row_count; r++) {
        isg_peer_run_destroy(rows[r].run);
        free(rows[r].submit_us);
        free(rows[r].total_us);
    }
    isg_peer_close(&peer);
    return good;
}

int main(int argc, char **argv)
{
    const char *text = argc > 1 && argv[1][0] != '\0' ? argv[1] : NULL;
    const unsigned long asked = argc > 2 ? strtoul(argv[2], NULL, 10) : 2000;
    uint32_t rank = 0;

    if (asked < BLOCK || asked > 1000000 || asked % BLOCK != 0) {
        fprintf(stderr,
                "usage: peer_wait [TEXT OF DEVICE AND DRIVER [ITERATIONS]]\n"
                "iterations: a multiple of %d, up to 1000000\n",
                BLOCK);
        return 2;
    }
    while (run_family(text, rank, (uint32_t)asked)) {
        rank++;
    }
    if (rank == 0) {
        fprintf(stderr, "peer_wait: %s\n", isg_peer_error());
        return 1;
    }
    return 0;
}
