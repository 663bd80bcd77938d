/* Owns the suite `exactness`: arithmetic whose every bit is known, the same on every device. */
#include "conform.h"

#include <inttypes.h>
#include <string.h>

/* ---- integers ---- */

static uint32_t reverse_bits(uint32_t v)
{
    uint32_t out = 0;

    for (int i = 0; i < 32; i++) {
        out |= (v >> i & 1) << (31 - i);
    }
    return out;
}

static uint32_t highest_bit(uint32_t v)
{
    uint32_t at = UINT32_MAX;

    for (uint32_t i = 0; i < 32; i++) {
        at = v >> i & 1 ? i : at;
    }
    return at;
}

static int32_t clamp_int(int32_t v, int32_t low, int32_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* Sign-extends the low `bits` of `v`. */
static uint32_t extend(uint32_t v, int bits)
{
    uint32_t sign = 1u << (bits - 1);
    return ((v & ((sign << 1) - 1)) ^ sign) - sign;
}

/* What int_math.comp computes. */
static void host_int_math(uint32_t a, uint32_t b, uint32_t *r)
{
    uint32_t s = b & 31;
    int32_t c = (int32_t)a, d = (int32_t)b;
    uint64_t product = (uint64_t)a * b;

    r[0] = a + b;
    r[1] = a - b;
    r[2] = a * b;
    r[3] = (uint32_t)(product >> 32);
    r[4] = (uint32_t)product;
    r[5] = b == 0 ? 0 : a / b;
    r[6] = b == 0 ? 0 : a % b;
    r[7] = d == 0 || d == -1 ? 0 : (uint32_t)(c / d);
    r[8] = a << s;
    r[9] = a >> s;
    r[10] = c < 0 ? ~(~a >> s) : a >> s;
    r[11] = (a & b) ^ (a | ~b);
    r[12] = (uint32_t)(c < d ? c : d);
    r[13] = a > b ? a : b;
    r[14] = (uint32_t)clamp_int(c, -1000, 1000);
    r[15] = (uint32_t)__builtin_popcount(a);
    r[16] = reverse_bits(a);
    r[17] = highest_bit(a);
    r[18] = a ? highest_bit(a & (~a + 1)) : UINT32_MAX;
    r[19] = a >> 5 & 0x7ff;
    r[20] = extend(a >> 3, 9);
    r[21] = (a & ~(0x1fffu << 7)) | (b & 0x1fff) << 7;
    r[22] = a + b + (a + b < a ? 5u : 0u);
    r[23] = a - b + (a < b ? 3u : 0u);
}

START_TEST(integer_arithmetic)
{
    enum { COUNT = 64 * 64, ROW = 24 };
    static const uint32_t edges[] = {
        0,           1,       2,        3,    0x7fffffffu, 0x80000000u, 0x80000001u, 0xffffffffu,
        0xfffffffeu, 0xffffu, 0x10000u, 1000, 0xfffffc18u, 31,          32,          33};
    enum { EDGES = CONFORM_COUNT(edges) };
    static uint32_t x[COUNT], y[COUNT], got[COUNT * ROW], want[COUNT * ROW];
    isg_kernel *kernel = conform_kernel("int_math");
    isg_buffer *buffers[3];
    isg_binding bindings[3];

    conform_random_words(x, COUNT, 41);
    conform_random_words(y, COUNT, 42);
    for (uint32_t i = 0; i < EDGES * EDGES; i++) {
        x[i] = edges[i % EDGES];
        y[i] = edges[i / EDGES];
    }
    for (uint32_t i = 1024; i < 2048; i++) { /* small divisors, and equal values */
        y[i] = y[i] % 100;
        x[i + 1024] = y[i + 1024] + (i & 1);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        host_int_math(x[i], y[i], want + (size_t)i * ROW);
    }
    buffers[0] = conform_buffer_of(x, sizeof x);
    buffers[1] = conform_buffer_of(y, sizeof y);
    buffers[2] = conform_buffer(sizeof got, ISG_MEMORY_DEVICE);
    for (uint32_t i = 0; i < 3; i++) {
        bindings[i] = (isg_binding){.binding = i, .buffer = buffers[i]};
    }
    conform_run(&(isg_dispatch){
        .kernel = kernel, .grid = {COUNT / 64}, .bindings = bindings, .binding_count = 3});
    CONFORM_OK(isg_buffer_download(buffers[2], 0, got, sizeof got));
    for (size_t i = 0; i < COUNT * ROW; i++) {
        CONFORM_TRUE(got[i] == want[i],
                     "operation %zu on %08" PRIx32 " and %08" PRIx32 " is %08" PRIx32
                     ", expected %08" PRIx32,
                     i % ROW, x[i / ROW], y[i / ROW], got[i], want[i]);
    }
    conform_digest(got, want, sizeof got);
    for (int i = 0; i < 3; i++) {
        isg_buffer_release(buffers[i]);
    }
    isg_kernel_release(kernel);
}
END_TEST

/* ---- within a workgroup ---- */

/* Runs a kernel of two bindings, source and target words. */
static void run_two(const char *stem, uint32_t groups, const uint32_t *in, size_t in_count,
                    uint32_t *out, size_t out_count)
{
    isg_kernel *kernel = conform_kernel(stem);
    isg_buffer *from = conform_buffer_of(in, in_count * 4);
    isg_buffer *to = conform_buffer_of(out, out_count * 4);

    conform_run(&(isg_dispatch){
        .kernel = kernel,
        .grid = {groups},
        .bindings = (isg_binding[]){{.binding = 0, .buffer = from}, {.binding = 1, .buffer = to}},
        .binding_count = 2});
    CONFORM_OK(isg_buffer_download(to, 0, out, out_count * 4));
    isg_buffer_release(from);
    isg_buffer_release(to);
    isg_kernel_release(kernel);
}

START_TEST(shared_memory_and_barriers)
{
    enum { GROUPS = 300, COUNT = GROUPS * 256 };
    uint32_t *data = conform_alloc(3 * COUNT, 4), *got = data + COUNT, *want = got + COUNT;

    conform_random_words(data, COUNT, 43);
    for (uint32_t g = 0; g < GROUPS; g++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 256; i++) {
            sum += data[g * 256 + i];
        }
        for (uint32_t i = 0; i < 256; i++) {
            want[g * 256 + i] = data[g * 256 + 255 - i] + sum;
        }
    }
    run_two("shared_reverse", GROUPS, data, COUNT, got, COUNT);
    conform_check_words(got, want, COUNT, "reversed through shared memory");
    conform_digest(got, want, COUNT * 4);
    conform_free(data);
}
END_TEST

START_TEST(atomics_whose_order_does_not_matter)
{
    enum { COUNT = 128 * 8, RESULTS = 24 };
    uint32_t x[COUNT], got[RESULTS] = {0, UINT32_MAX, 0, 0, 0, UINT32_MAX};
    uint32_t want[RESULTS] = {0, UINT32_MAX, 0, 0, 0, UINT32_MAX};

    conform_random_words(x, COUNT, 44);
    for (uint32_t i = 0; i < COUNT; i++) {
        want[0] += x[i];
        want[1] = x[i] < want[1] ? x[i] : want[1];
        want[2] = x[i] > want[2] ? x[i] : want[2];
        want[3] ^= x[i];
        want[4] |= x[i] & 0x00ff00ffu;
        want[5] &= x[i] | 0xff00ff00u;
        want[6] += x[i] & 0xff;
        want[7]++;
        want[8 + (x[i] & 15)]++;
    }
    run_two("atomics", COUNT / 128, x, COUNT, got, RESULTS);
    conform_check_words(got, want, RESULTS, "atomics");
    conform_digest(got, want, sizeof got);
}
END_TEST

static uint32_t host_collatz(uint32_t n)
{
    uint32_t steps = 0;

    while (n > 1) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        if (++steps == 100) {
            return 1000 + n;
        }
    }
    return steps;
}

static uint32_t host_choose(uint32_t v)
{
    uint32_t sum = 0;

    for (uint32_t k = 0; k < 20; k++) {
        uint32_t way = v >> k & 7;
        if (way == 0) {
            continue;
        }
        if (way == 1 || way == 2) {
            sum += k;
        } else if (way == 3 && sum > 50) {
            return sum * 3;
        } else if (way == 3 || way == 4) {
            sum = (sum + (way == 3 ? 2 : 0)) ^ 5;
        } else {
            for (uint32_t j = 0; j < k && j * j <= sum; j++) {
                sum += j;
            }
        }
    }
    return sum;
}

START_TEST(divergent_control_flow)
{
    enum { COUNT = 64 * 200 };
    uint32_t *x = conform_alloc(3 * COUNT, 4), *got = x + COUNT, *want = got + COUNT;

    conform_random_words(x, COUNT, 45);
    for (uint32_t i = 0; i < COUNT; i++) {
        want[i] = x[i] % 11 == 3 ? 0xabcd : host_collatz(x[i] & 0xffff) * 65536 + host_choose(x[i]);
    }
    run_two("control", COUNT / 64, x, COUNT, got, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        CONFORM_TRUE(got[i] == want[i],
                     "element %" PRIu32 " (%08" PRIx32 ") is %08" PRIx32 ", expected %08" PRIx32, i,
                     x[i], got[i], want[i]);
    }
    conform_digest(got, want, COUNT * 4);
    conform_free(x);
}
END_TEST

/* ---- long loops ---- */

static void run_loops(const uint32_t push[5], uint32_t got[3])
{
    isg_kernel *kernel = conform_kernel("loops");
    isg_buffer *buffer = NULL;

    memset(got, 0, 3 * sizeof *got);
    buffer = conform_buffer_of(got, 12);
    conform_run(&(isg_dispatch){.kernel = kernel,
                                .grid = {3},
                                .bindings = &(isg_binding){.buffer = buffer},
                                .binding_count = 1,
                                .push = push,
                                .push_size = 20});
    CONFORM_OK(isg_buffer_download(buffer, 0, got, 12));
    isg_buffer_release(buffer);
    isg_kernel_release(kernel);
}

START_TEST(report_11_loops_within_the_limit)
{
    const uint32_t push[5] = {60000, 200, 250, 20000, 25000};
    const uint32_t want[3] = {60000, 50000, 45000};
    uint64_t limit = conform_info()->limits.loop_limit;
    uint32_t got[3];

    CONFORM_TRUE(limit == 0 || limit >= 60000, "a loop limit of only %" PRIu64, limit);
    run_loops(push, got);
    conform_check_words(got, want, 3, "iterations of one, nested, and two loops");
    conform_digest(got, want, sizeof got);
}
END_TEST

/* Where the device says it has no limit, long loops are exact; where it names one, it is true. */
START_TEST(report_11_loops_beyond_the_limit)
{
    const uint32_t push[5] = {100000, 300, 300, 40000, 40000};
    const uint32_t want[3] = {100000, 90000, 80000};
    uint64_t limit = conform_info()->limits.loop_limit;
    uint32_t got[3];

    run_loops(push, got);
    if (limit == 0) {
        conform_check_words(got, want, 3, "iterations of one, nested, and two loops");
        return;
    }
    for (int i = 0; i < 3; i++) {
        CONFORM_TRUE(got[i] == want[i] || got[i] <= limit,
                     "%u of %u iterations, where the loop limit is said to be %" PRIu64, got[i],
                     want[i], limit);
    }
    CONFORM_TRUE(got[0] != want[0] || limit >= want[0],
                 "the loop limit is said to be %" PRIu64 ", but %u iterations ran", limit, got[0]);
}
END_TEST

void conform_exactness_list(conform_list *list)
{
    CONFORM_ADD(list, integer_arithmetic);
    CONFORM_ADD(list, shared_memory_and_barriers);
    CONFORM_ADD(list, atomics_whose_order_does_not_matter);
    CONFORM_ADD(list, divergent_control_flow);
    CONFORM_ADD(list, report_11_loops_within_the_limit);
    CONFORM_ADD(list, report_11_loops_beyond_the_limit);
    conform_exactness_float_cases(list);
}
