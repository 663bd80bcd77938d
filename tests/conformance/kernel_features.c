/* Owns the cases of `kernel` about features a device may lack, and about the layout of arguments. */
#include "conform.h"

#include <inttypes.h>
#include <string.h>

/* ---- features ---- */

typedef void (*host_function)(const void *a, const void *b, void *r, uint32_t i);

static void host_int64(const void *a, const void *b, void *r, uint32_t i)
{
    uint64_t x = ((const uint64_t *)a)[i], y = ((const uint64_t *)b)[i];
    ((uint64_t *)r)[i] = x * y + (x >> 7);
}

static void host_float64(const void *a, const void *b, void *r, uint32_t i)
{
    double product = ((const double *)a)[i] * ((const double *)b)[i];
    ((double *)r)[i] = product + ((const double *)a)[i];
}

static void host_int16(const void *a, const void *b, void *r, uint32_t i)
{
    ((uint16_t *)r)[i] = (uint16_t)(((const uint16_t *)a)[i] * 3u - ((const uint16_t *)b)[i]);
}

static void host_int8(const void *a, const void *b, void *r, uint32_t i)
{
    ((uint8_t *)r)[i] = (uint8_t)(((const uint8_t *)a)[i] * 3u - ((const uint8_t *)b)[i]);
}

static const struct feature_kernel {
    const char *stem;
    uint32_t features;
    uint32_t element;
    host_function host;
} feature_kernels[] = {
    {"needs_int64", ISG_FEATURE_INT64, 8, host_int64},
    {"needs_float64", ISG_FEATURE_FLOAT64, 8, host_float64},
    {"needs_int16", ISG_FEATURE_INT16 | ISG_FEATURE_STORAGE_16BIT, 2, host_int16},
    {"needs_int8", ISG_FEATURE_INT8 | ISG_FEATURE_STORAGE_8BIT, 1, host_int8},
};

static void refuse_feature_kernel(const struct feature_kernel *row, uint32_t missing)
{
    size_t size = 0;
    const uint32_t *words = conform_spirv(row->stem, &size);
    isg_kernel *kernel = NULL;

    for (uint32_t bit = 1; bit; bit <<= 1) {
        if (missing & bit) {
            CONFORM_REFUSED(ISG_ERROR_UNSUPPORTED, conform_try_kernel(words, size, &kernel),
                            isg_feature_name(bit));
            ck_assert_ptr_null(kernel);
        }
    }
}

static void run_feature_kernel(const struct feature_kernel *row)
{
    enum { COUNT = 1024 };
    size_t size = (size_t)row->element * COUNT;
    unsigned char *data = conform_alloc(4, size);
    unsigned char *a = data, *b = data + size, *r = data + 2 * size, *want = data + 3 * size;
    isg_kernel *kernel = conform_kernel(row->stem);
    isg_buffer *buffers[3];
    isg_binding bindings[3];

    conform_random_bytes(a, size, 21);
    conform_random_bytes(b, size, 22);
    for (uint32_t i = 0; row->host == host_float64 && i < COUNT; i++) {
        double x = (double)conform_mix32(i) / 3.0 - 5e8, y = 1e3 / (double)(i + 1);
        memcpy(a + i * sizeof x, &x, sizeof x);
        memcpy(b + i * sizeof y, &y, sizeof y);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        row->host(a, b, want, i);
    }
    for (uint32_t i = 0; i < 3; i++) {
        buffers[i] = conform_buffer_of(data + i * size, size);
        bindings[i] = (isg_binding){.binding = i, .buffer = buffers[i]};
    }
    conform_run(&(isg_dispatch){
        .kernel = kernel, .grid = {COUNT / 32}, .bindings = bindings, .binding_count = 3});
    CONFORM_OK(isg_buffer_download(buffers[2], 0, r, size));
    conform_check_bytes(r, want, size, row->stem);
    for (uint32_t i = 0; i < 3; i++) {
        isg_buffer_release(buffers[i]);
    }
    isg_kernel_release(kernel);
    conform_free(data);
}

START_TEST(missing_features_are_refused_by_name)
{
    for (size_t i = 0; i < CONFORM_COUNT(feature_kernels); i++) {
        uint32_t missing = feature_kernels[i].features & ~conform_info()->limits.features;
        if (missing) {
            refuse_feature_kernel(&feature_kernels[i], missing);
        } else {
            run_feature_kernel(&feature_kernels[i]);
        }
    }
    conform_check_usable(conform_device());
}
END_TEST

START_TEST(report_37_float_atomics)
{
    enum { COUNT = 512 };
    size_t size = 0;
    const uint32_t *words = conform_spirv("needs_float_atomics", &size);
    float x[COUNT], sum = 0, want = 0;
    isg_kernel_info *info = NULL;
    isg_kernel *kernel = NULL;
    isg_buffer *in = NULL, *out = NULL;

    CONFORM_OK(isg_kernel_info_create(words, size, NULL, &info));
    ck_assert_uint_eq(info->features, ISG_FEATURE_BUFFER_ATOMIC_FLOAT_ADD);
    CONFORM_TRUE(info->uses_float_atomics && !info->portable_bits,
                 "float atomics are called portable");
    isg_kernel_info_release(info);
    if (!(conform_info()->limits.features & ISG_FEATURE_BUFFER_ATOMIC_FLOAT_ADD)) {
        CONFORM_REFUSED(ISG_ERROR_UNSUPPORTED, conform_try_kernel(words, size, &kernel),
                        isg_feature_name(ISG_FEATURE_BUFFER_ATOMIC_FLOAT_ADD));
        return;
    }
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)(i % 37 - 11);
        want += x[i];
    }
    kernel = conform_kernel("needs_float_atomics");
    in = conform_buffer_of(x, sizeof x);
    out = conform_buffer_of(&sum, sizeof sum);
    conform_run(&(isg_dispatch){
        .kernel = kernel,
        .grid = {COUNT / 32},
        .bindings = (isg_binding[]){{.binding = 0, .buffer = in}, {.binding = 1, .buffer = out}},
        .binding_count = 2});
    CONFORM_OK(isg_buffer_download(out, 0, &sum, sizeof sum));
    CONFORM_TRUE(sum == want, "a sum of whole numbers is %g, expected %g", (double)sum,
                 (double)want);
    isg_buffer_release(in);
    isg_buffer_release(out);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(every_feature_has_a_name)
{
    for (uint32_t bit = 1; bit; bit <<= 1) {
        const char *name = isg_feature_name(bit);
        CONFORM_TRUE(name ? strlen(name) > 3 : bit > ISG_FEATURE_IMAGE_WITHOUT_FORMAT,
                     "feature bit %08" PRIx32 " is called '%s'", bit, name ? name : "(NULL)");
        CONFORM_TRUE(name || !(conform_info()->limits.features & bit),
                     "the device has feature %08" PRIx32 ", which has no name", bit);
    }
    ck_assert_ptr_null(isg_feature_name(0));
    ck_assert_ptr_null(isg_feature_name(3));
}
END_TEST

START_TEST(report_53_any_subgroup_width)
{
    uint32_t words[256], sum = 0, want = 0;
    uint32_t needed = ISG_FEATURE_SUBGROUP_BASIC | ISG_FEATURE_SUBGROUP_ARITHMETIC;
    isg_kernel *kernel = NULL;
    isg_buffer *in = NULL, *out = NULL;

    if ((conform_info()->limits.features & needed) != needed) {
        conform_skip("the device has no subgroup arithmetic");
    }
    CONFORM_TRUE(conform_info()->limits.subgroup_size >= 1, "a subgroup size of 0");
    kernel = conform_kernel("subgroup_sum");
    conform_random_words(words, 256, 31);
    for (int i = 0; i < 256; i++) {
        want += words[i];
    }
    in = conform_buffer_of(words, sizeof words);
    out = conform_buffer(4, ISG_MEMORY_DEVICE);
    conform_run(&(isg_dispatch){
        .kernel = kernel,
        .grid = {1},
        .bindings = (isg_binding[]){{.binding = 0, .buffer = in}, {.binding = 1, .buffer = out}},
        .binding_count = 2});
    CONFORM_OK(isg_buffer_download(out, 0, &sum, 4));
    ck_assert_uint_eq(sum, want);
    isg_buffer_release(in);
    isg_buffer_release(out);
    isg_kernel_release(kernel);
}
END_TEST

/* ---- layouts ---- */

/* One field of struct_echo's block: where it is in std430 and in std140, and how long. */
static const struct field {
    uint16_t std430, std140, size;
} fields[] = {{0, 0, 4},   {4, 16, 4},   {8, 32, 4},  {12, 48, 4}, {16, 64, 4},  {20, 68, 4},
              {24, 72, 8}, {32, 80, 12}, {44, 92, 4}, {48, 96, 8}, {56, 112, 8}, {64, 128, 4}};
enum { STD430_SIZE = 80, STD140_SIZE = 144, PUSH_SIZE = 68 };

START_TEST(report_59_struct_layouts)
{
    unsigned char source[STD430_SIZE], uniform[STD140_SIZE], push[STD430_SIZE];
    unsigned char target[3 * STD430_SIZE], want[3 * STD430_SIZE];
    float triples[15], flat[15];
    isg_kernel *kernel = conform_kernel("struct_echo");
    isg_buffer *buffers[5];
    isg_binding bindings[5];

    conform_random_bytes(source, sizeof source, 1);
    conform_random_bytes(uniform, sizeof uniform, 2);
    conform_random_bytes(push, sizeof push, 3);
    memset(target, 0xcc, sizeof target);
    memset(want, 0xcc, sizeof want); /* padding must stay */
    for (size_t i = 0; i < CONFORM_COUNT(fields); i++) {
        uint32_t to = fields[i].std430, size = fields[i].size;
        for (uint32_t k = 3; k < size; k += 4) { /* ordinary floats: no NaN, no denormal */
            source[to + k] = push[to + k] = uniform[fields[i].std140 + k] = 0x40;
        }
        memcpy(want + to, source + to, size);
        memcpy(want + STD430_SIZE + to, uniform + fields[i].std140, size);
        memcpy(want + 2 * STD430_SIZE + to, push + to, size);
    }
    for (int i = 0; i < 15; i++) {
        triples[i] = (float)i + 0.25f;
    }
    buffers[0] = conform_buffer_of(source, sizeof source);
    buffers[1] = conform_buffer_of(target, sizeof target);
    buffers[2] = conform_buffer_of(triples, sizeof triples);
    buffers[3] = conform_buffer(sizeof flat, ISG_MEMORY_DEVICE);
    buffers[4] = conform_buffer_of(uniform, sizeof uniform);
    for (uint32_t i = 0; i < 5; i++) {
        bindings[i] = (isg_binding){.binding = i, .buffer = buffers[i]};
    }
    /* Without the padding at its end, or with it. */
    CONFORM_TRUE(isg_kernel_get_info(kernel)->push_size == PUSH_SIZE ||
                     isg_kernel_get_info(kernel)->push_size == STD430_SIZE,
                 "a push size of %u", isg_kernel_get_info(kernel)->push_size);
    conform_run(&(isg_dispatch){.kernel = kernel,
                                .grid = {1},
                                .bindings = bindings,
                                .binding_count = 5,
                                .push = push,
                                .push_size = isg_kernel_get_info(kernel)->push_size});
    CONFORM_OK(isg_buffer_download(buffers[1], 0, target, sizeof target));
    CONFORM_OK(isg_buffer_download(buffers[3], 0, flat, sizeof flat));
    conform_check_bytes(target, want, sizeof target, "fields echoed");
    conform_check_bytes(flat, triples, sizeof flat, "12-byte structs echoed");
    conform_digest(target, want, sizeof target);
    for (int i = 0; i < 5; i++) {
        isg_buffer_release(buffers[i]);
    }
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(report_59_wide_fields)
{
    /* {u32, f32[3], f32, u64, u32, vec2, u16}, 56 bytes in std430 */
    struct wide {
        uint32_t a;
        float b[3];
        float c;
        uint32_t pad0;
        uint64_t d;
        uint32_t e, pad1;
        float f[2];
        uint16_t g, pad2[3];
    } source[2], target[2], want[2];
    uint32_t needed = ISG_FEATURE_INT64 | ISG_FEATURE_STORAGE_16BIT;
    isg_kernel *kernel = NULL;
    isg_buffer *in = NULL, *out = NULL;

    ck_assert_uint_eq(sizeof(struct wide), 56);
    if ((conform_info()->limits.features & needed) != needed) {
        conform_skip("the device lacks int64 or storage16");
    }
    kernel = conform_kernel("struct_echo_wide");
    for (uint32_t i = 0; i < 2; i++) {
        source[i] = (struct wide){.a = 1 + i,
                                  .b = {2.5f, 3.5f, 4.5f + (float)i},
                                  .c = -1.25f,
                                  .d = UINT64_C(0x123456789abcdef0) + i,
                                  .e = 77,
                                  .f = {8.5f, -9.5f},
                                  .g = (uint16_t)(0xbeef + i)};
        want[i] = source[i];
        want[i].d++;
    }
    memset(target, 0, sizeof target);
    in = conform_buffer_of(source, sizeof source);
    out = conform_buffer_of(target, sizeof target);
    conform_run(&(isg_dispatch){
        .kernel = kernel,
        .grid = {1},
        .bindings = (isg_binding[]){{.binding = 0, .buffer = in}, {.binding = 1, .buffer = out}},
        .binding_count = 2});
    CONFORM_OK(isg_buffer_download(out, 0, target, sizeof target));
    conform_check_bytes(target, want, sizeof target, "wide fields echoed");
    isg_buffer_release(in);
    isg_buffer_release(out);
    isg_kernel_release(kernel);
}
END_TEST

void conform_kernel_feature_cases(conform_list *list)
{
    CONFORM_ADD(list, missing_features_are_refused_by_name);
    CONFORM_ADD(list, report_37_float_atomics);
    CONFORM_ADD(list, every_feature_has_a_name);
    CONFORM_ADD(list, report_53_any_subgroup_width);
    CONFORM_ADD(list, report_59_struct_layouts);
    CONFORM_ADD(list, report_59_wide_fields);
}
