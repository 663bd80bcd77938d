/* Owns the cases of `exactness` on 32-bit floats: the host computes every bit by the same rules
 * (denormals are zeros of their sign, one rounding an operation, sums from the left). */
#include "conform.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static uint32_t bits_of(float value)
{
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- exact arithmetic on the host ---- */

static float flush(float value)
{
    uint32_t bits = bits_of(value);
    return (bits & 0x7f800000u) == 0 ? float_of(bits & 0x80000000u) : value;
}

static float add(float a, float b)
{
    return flush(flush(a) + flush(b));
}

static float sub(float a, float b)
{
    return flush(flush(a) - flush(b));
}

/* A product is flushed when it would be denormal if exponents had no end: one that only rounds up to
 * the smallest normal number stays. */
static float mul(float a, float b)
{
    double product = (double)flush(a) * (double)flush(b); /* exact */
    float scaled = (float)(product * 0x1p64);

    if (fabs(product) < 0x1p-100 && fabsf(scaled) < 0x1p-62f) {
        return copysignf(0, scaled);
    }
    return (float)product;
}

static float least(float a, float b)
{
    return flush(b) < flush(a) ? flush(b) : flush(a);
}

static float most(float a, float b)
{
    return flush(a) < flush(b) ? flush(b) : flush(a);
}

static float blend(float a, float b, float t)
{
    return add(mul(a, sub(1, t)), mul(b, t));
}

static uint32_t to_int(float value)
{
    return isnan(value)        ? 0
           : value >= 0x1p31f  ? 0x7fffffffu
           : value <= -0x1p31f ? 0x80000000u
                               : (uint32_t)(int32_t)value;
}

static uint32_t to_uint(float value)
{
    return isnan(value) || value <= -1 ? 0 : value >= 0x1p32f ? 0xffffffffu : (uint32_t)value;
}

static float sign_of(float value)
{
    return isnan(value) ? 0 : flush(value) == 0 ? flush(value) : copysignf(1, value);
}

static uint32_t compare(float a, float b)
{
    float x = flush(a), y = flush(b);

    return (x < y ? 1u : 0) | (x <= y ? 2u : 0) | (x > y ? 4u : 0) | (x >= y ? 8u : 0) |
           (x == y ? 16u : 0) | (x != y ? 32u : 0) | (isnan(a) ? 64u : 0) | (isinf(a) ? 128u : 0);
}

/* What float_math.comp computes. */
enum { ROW = 32 };
static const char *const row_names[ROW] = {"a + b",
                                           "a - b",
                                           "a * b",
                                           "fma(a, b, c)",
                                           "a * b + c",
                                           "(a + b) * (a - b)",
                                           "-a",
                                           "abs(a)",
                                           "min(a, b)",
                                           "max(a, b)",
                                           "clamp(a, b, c)",
                                           "mix(a, b, c)",
                                           "floor(a)",
                                           "ceil(a)",
                                           "trunc(a)",
                                           "roundEven(a)",
                                           "fract(a)",
                                           "sign(a)",
                                           "step(a, b)",
                                           "comparisons",
                                           "int(a)",
                                           "uint(a)",
                                           "float(int(bits))",
                                           "float(bits)",
                                           "a * 0.5",
                                           "a + a",
                                           "a * 1.0",
                                           "a + 0.0",
                                           "a * 3.0 + a * 5.0",
                                           "a * b - b * a",
                                           "a",
                                           "a * b * c"};

/* Rows that are words rather than floats: a NaN there would be no NaN. */
static bool is_word(size_t row)
{
    return row == 19 || row == 20 || row == 21 || row == 30;
}

static void host_float_math(float a, float b, float c, uint32_t r[ROW])
{
    float f = flush(a);

    r[0] = bits_of(add(a, b));
    r[1] = bits_of(sub(a, b));
    r[2] = bits_of(mul(a, b));
    r[3] = bits_of(add(mul(a, b), c));
    r[4] = r[3];
    r[5] = bits_of(mul(add(a, b), sub(a, b)));
    r[6] = bits_of(-f);
    r[7] = bits_of(fabsf(f));
    r[8] = bits_of(least(a, b));
    r[9] = bits_of(most(a, b));
    r[10] = bits_of(least(most(a, b), c));
    r[11] = bits_of(blend(a, b, c));
    r[12] = bits_of(floorf(f));
    r[13] = bits_of(ceilf(f));
    r[14] = bits_of(truncf(f));
    r[15] = bits_of(rintf(f));
    r[16] = bits_of(sub(a, floorf(f)));
    r[17] = bits_of(sign_of(a));
    r[18] = bits_of(flush(b) < f ? 0.0f : 1.0f);
    r[19] = compare(a, b);
    r[20] = to_int(a);
    r[21] = to_uint(a);
    r[22] = bits_of((float)(int32_t)bits_of(a));
    r[23] = bits_of((float)bits_of(a));
    r[24] = bits_of(mul(a, 0.5f));
    r[25] = bits_of(add(a, a));
    r[26] = bits_of(f);
    r[27] = bits_of(add(a, 0));
    r[28] = bits_of(add(mul(a, 3), mul(a, 5)));
    r[29] = bits_of(sub(mul(a, b), mul(b, a)));
    r[30] = bits_of(a);
    r[31] = bits_of(mul(mul(a, b), c));
}

static bool is_nan_bits(uint32_t bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

static void canonical_row(uint32_t *words)
{
    for (size_t i = 0; i < ROW; i++) {
        words[i] = !is_word(i) && is_nan_bits(words[i]) ? 0x7fc00000u : words[i];
    }
}

/* ---- inputs ---- */

static const uint32_t edges[] = {
    0x00000000u, 0x80000000u, 0x3f800000u, 0xbf800000u, 0x7f800000u, 0xff800000u, 0x7fc00000u,
    0xffc00000u, 0x7f800001u, 0x00000001u, 0x80000001u, 0x007fffffu, 0x807fffffu, 0x00800000u,
    0x80800000u, 0x00800001u, 0x7f7fffffu, 0xff7fffffu, 0x3f7fffffu, 0x3f800001u, 0x3f000000u,
    0x3effffffu, 0x40000000u, 0x4b000000u, 0x4b000001u, 0x4effffffu, 0x4f000000u, 0xcf000000u,
    0xcf000001u, 0x4f7fffffu, 0x4f800000u, 0xbf7fffffu, 0x1fffffffu, 0x20000000u, 0x5f7fffffu,
    0x40490fdbu, 0x3fc00000u, 0xc0200000u, 0x00012345u, 0x33333333u,
};
enum { EDGES = CONFORM_COUNT(edges) };

/* Pairs of all edges; random bits; numbers of like size; products around the smallest normal one. */
static void fill_triples(uint32_t *triples, uint32_t count)
{
    conform_random_words(triples, (size_t)count * 3, 61);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *t = triples + (size_t)i * 3;
        if (i < EDGES * EDGES) {
            t[0] = edges[i % EDGES];
            t[1] = edges[i / EDGES];
            t[2] = edges[(i * 7 + i / EDGES) % EDGES];
        } else if (i % 4 == 1) { /* like size: 2^-4 to 2^3 */
            for (int k = 0; k < 3; k++) {
                t[k] = (t[k] & 0x83ffffffu) | 0x3c000000u;
            }
        } else if (i % 4 == 2) { /* exponents that add up to the smallest normal number's */
            uint32_t exponent = 20 + (t[2] >> 8) % 100, other = 1 + 127 - exponent - t[2] % 2;
            t[0] = (t[0] & 0x807fffffu) | exponent << 23;
            t[1] = (t[1] & 0x807fffffu) | other << 23;
        } else if (i % 4 == 3) { /* cancellation */
            t[1] = t[0] ^ 0x80000000u ^ (t[1] & 7);
            t[2] = t[0];
        }
    }
}

START_TEST(report_31_33_float_arithmetic)
{
    enum { COUNT = 64 * 512 };
    uint32_t *triples = conform_alloc(COUNT * (3 + 2 * ROW), 4);
    uint32_t *got = triples + COUNT * 3, *want = got + COUNT * ROW;
    isg_kernel *kernel = conform_kernel("float_math");
    isg_buffer *in = NULL, *out = conform_buffer(COUNT * ROW * 4, ISG_MEMORY_DEVICE);

    CONFORM_TRUE(isg_kernel_get_info(kernel)->portable_bits, "float_math is not portable: %s",
                 isg_kernel_get_info(kernel)->portable_reasons[0]);
    fill_triples(triples, COUNT);
    in = conform_buffer_of(triples, COUNT * 3 * 4);
    conform_run(&(isg_dispatch){
        .kernel = kernel,
        .grid = {COUNT / 64},
        .bindings = (isg_binding[]){{.binding = 0, .buffer = in}, {.binding = 1, .buffer = out}},
        .binding_count = 2});
    CONFORM_OK(isg_buffer_download(out, 0, got, COUNT * ROW * 4));
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t *t = triples + (size_t)i * 3;
        uint32_t *g = got + (size_t)i * ROW, *w = want + (size_t)i * ROW;
        host_float_math(float_of(t[0]), float_of(t[1]), float_of(t[2]), w);
        canonical_row(w);
        canonical_row(g);
        for (size_t k = 0; k < ROW; k++) {
            CONFORM_TRUE(g[k] == w[k],
                         "%s with a = %08" PRIx32 " (%g), b = %08" PRIx32 " (%g), c = %08" PRIx32
                         " (%g) is %08" PRIx32 " (%g), expected %08" PRIx32 " (%g)",
                         row_names[k], t[0], (double)float_of(t[0]), t[1], (double)float_of(t[1]),
                         t[2], (double)float_of(t[2]), g[k], (double)float_of(g[k]), w[k],
                         (double)float_of(w[k]));
        }
    }
    conform_digest(got, want, COUNT * ROW * 4);
    isg_buffer_release(in);
    isg_buffer_release(out);
    isg_kernel_release(kernel);
    conform_free(triples);
}
END_TEST

/* ---- vectors and matrices: columns first, as in GLSL ---- */

enum { IN = 36, OUT = 48 };

static float dot(const float *a, const float *b, int count)
{
    float sum = mul(a[0], b[0]);

    for (int i = 1; i < count; i++) {
        sum = add(sum, mul(a[i], b[i]));
    }
    return sum;
}

static void matrix_vector(const float *m, const float *v, float *out)
{
    for (int row = 0; row < 4; row++) {
        out[row] = mul(m[row], v[0]);
        for (int column = 1; column < 4; column++) {
            out[row] = add(out[row], mul(m[4 * column + row], v[column]));
        }
    }
}

/* What matrix_math.comp computes. */
static void host_matrix_math(const float in[IN], float r[OUT])
{
    const float *a = in, *b = in + 16, *v = in + 32;
    float twice = mul(2, dot(v, a + 4, 4));

    for (int column = 0; column < 4; column++) {
        matrix_vector(a, b + 4 * column, r + 4 * column);
    }
    matrix_vector(a, v, r + 16);
    for (int i = 0; i < 4; i++) {
        r[20 + i] = dot(v, a + 4 * i, 4);
        r[24 + i] = mul(a[i], v[2]);
        r[28 + i] = add(mul(a[4 + i], v[1]), mul(v[i], v[2]));
        r[32 + i] = sub(a[4 + i], mul(v[i], twice));
        r[44 + i] = blend(a[i], b[i], v[i]);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r[36 + i] = sub(mul(a[8 + j], v[k]), mul(v[j], a[8 + k]));
    }
    r[39] = 1;
    r[40] = dot(a, v, 4);
    r[41] = dot(b + 4, v, 3);
    r[42] = dot(a + 8, v + 2, 2);
    r[43] = dot(v, v, 4);
}

START_TEST(matrix_products_add_from_the_left)
{
    enum { COUNT = 32 * 64 };
    float *in = conform_alloc(COUNT * (IN + 2 * OUT), 4);
    float *got = in + COUNT * IN, *want = got + COUNT * OUT;
    isg_kernel *kernel = conform_kernel("matrix_math");
    isg_buffer *from = NULL, *to = conform_buffer(COUNT * OUT * 4, ISG_MEMORY_DEVICE);

    CONFORM_TRUE(isg_kernel_get_info(kernel)->portable_bits, "matrix_math is not portable: %s",
                 isg_kernel_get_info(kernel)->portable_reasons[0]);
    for (uint32_t i = 0; i < COUNT * IN; i++) {
        uint32_t random = conform_mix32(i + 77);
        /* mostly like sizes; some of any size, denormals among them */
        in[i] = float_of(random % 16 == 0   ? conform_mix32(random)
                         : random % 16 == 1 ? random & 0x807fffffu
                                            : (random & 0x83ffffffu) | 0x3c000000u);
    }
    from = conform_buffer_of(in, COUNT * IN * 4);
    conform_run(&(isg_dispatch){
        .kernel = kernel,
        .grid = {COUNT / 32},
        .bindings = (isg_binding[]){{.binding = 0, .buffer = from}, {.binding = 1, .buffer = to}},
        .binding_count = 2});
    CONFORM_OK(isg_buffer_download(to, 0, got, COUNT * OUT * 4));
    for (uint32_t i = 0; i < COUNT; i++) {
        host_matrix_math(in + (size_t)i * IN, want + (size_t)i * OUT);
        for (uint32_t k = 0; k < OUT; k++) {
            uint32_t g = bits_of(got[i * OUT + k]), w = bits_of(want[i * OUT + k]);
            CONFORM_TRUE(g == w || (is_nan_bits(g) && is_nan_bits(w)),
                         "element %u, float %u is %08" PRIx32 " (%g), expected %08" PRIx32 " (%g)",
                         i, k, g, (double)float_of(g), w, (double)float_of(w));
        }
    }
    conform_digest_floats(got, want, COUNT * OUT);
    isg_buffer_release(from);
    isg_buffer_release(to);
    isg_kernel_release(kernel);
    conform_free(in);
}
END_TEST

/* ---- integers where Vulkan leaves the result open ---- */

static void host_int_edges(uint32_t a, uint32_t b, uint32_t r[8])
{
    int64_t c = (int32_t)a, d = (int32_t)b;
    uint32_t last = b < 32 ? b : 31;

    r[0] = b < 32 ? a << b : 0;
    r[1] = b < 32 ? a >> b : 0;
    r[2] = c < 0 ? ~(~a >> last) : a >> last;
    r[3] = b ? a / b : UINT32_MAX;
    r[4] = b ? a % b : a;
    r[5] = d ? (uint32_t)(c / d) : UINT32_MAX;
    r[6] = a;
    if (d) {
        int64_t rest = c % d;
        r[6] = (uint32_t)(rest != 0 && (rest < 0) != (d < 0) ? rest + d : rest);
    }
    r[7] = a;
}

START_TEST(shifts_and_divisions_of_any_operand)
{
    enum { COUNT = 64 * 128 };
    static const uint32_t some[] = {0,           1,           2,           3,           7,
                                    30,          31,          32,          33,          63,
                                    64,          65,          96,          100,         255,
                                    256,         0x7fffffffu, 0x80000000u, 0x80000001u, 0xffffffffu,
                                    0xfffffffeu, 0xffffffe0u, 0xfffffff9u};
    enum { SOME = CONFORM_COUNT(some) };
    static uint32_t pairs[COUNT * 2], got[COUNT * 8], want[COUNT * 8];
    static const char *const names[] = {"a << b", "a >> b",     "int(a) >> b", "a / b",
                                        "a % b",  "int(a) / b", "int(a) % b",  "a"};
    isg_kernel *kernel = conform_kernel("int_edges");
    isg_buffer *in = NULL, *out = conform_buffer(sizeof got, ISG_MEMORY_DEVICE);

    conform_random_words(pairs, COUNT * 2, 62);
    for (uint32_t i = 0; i < COUNT; i++) {
        if (i < SOME * SOME) {
            pairs[2 * i] = some[i % SOME];
            pairs[2 * i + 1] = some[i / SOME];
        } else if (i % 2) {
            pairs[2 * i + 1] = pairs[2 * i + 1] % 80 - 20;
        }
        host_int_edges(pairs[2 * i], pairs[2 * i + 1], want + (size_t)i * 8);
    }
    in = conform_buffer_of(pairs, sizeof pairs);
    conform_run(&(isg_dispatch){
        .kernel = kernel,
        .grid = {COUNT / 64},
        .bindings = (isg_binding[]){{.binding = 0, .buffer = in}, {.binding = 1, .buffer = out}},
        .binding_count = 2});
    CONFORM_OK(isg_buffer_download(out, 0, got, sizeof got));
    for (size_t i = 0; i < COUNT * 8; i++) {
        CONFORM_TRUE(got[i] == want[i],
                     "%s with a = %08" PRIx32 ", b = %08" PRIx32 " is %08" PRIx32
                     ", expected %08" PRIx32,
                     names[i % 8], pairs[i / 8 * 2], pairs[i / 8 * 2 + 1], got[i], want[i]);
    }
    conform_digest(got, want, sizeof got);
    isg_buffer_release(in);
    isg_buffer_release(out);
    isg_kernel_release(kernel);
}
END_TEST

void conform_exactness_float_cases(conform_list *list)
{
    CONFORM_ADD(list, report_31_33_float_arithmetic);
    CONFORM_ADD(list, matrix_products_add_from_the_left);
    CONFORM_ADD(list, shifts_and_divisions_of_any_operand);
}
