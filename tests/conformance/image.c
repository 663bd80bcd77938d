/* Owns the suite `image`: storage and sampled images, samplers. */
#include "conform.h"

#include <inttypes.h>
#include <string.h>

static void need_images(void)
{
    if (!(conform_info()->limits.features & ISG_FEATURE_IMAGES)) {
        conform_skip("the device has no images");
    }
}

static const struct format {
    isg_format format;
    const char *name;
    uint32_t texel_size;
} formats[] = {
    {ISG_FORMAT_R8_UNORM, "r8", 1},           {ISG_FORMAT_RGBA8_UNORM, "rgba8", 4},
    {ISG_FORMAT_R32_UINT, "r32ui", 4},        {ISG_FORMAT_R32_SINT, "r32i", 4},
    {ISG_FORMAT_R32_FLOAT, "r32f", 4},        {ISG_FORMAT_RG32_FLOAT, "rg32f", 8},
    {ISG_FORMAT_RGBA16_FLOAT, "rgba16f", 8},  {ISG_FORMAT_RGBA32_FLOAT, "rgba32f", 16},
    {ISG_FORMAT_RGBA32_UINT, "rgba32ui", 16},
};

static isg_image *image_of(isg_format format, uint32_t width, uint32_t height, const void *data)
{
    isg_image *image = NULL;

    CONFORM_OK(isg_image_create(
        conform_device(), &(isg_image_desc){.format = format, .width = width, .height = height},
        &image));
    if (data) {
        CONFORM_OK(isg_image_upload(image, data, isg_image_size(image)));
    }
    return image;
}

START_TEST(round_trip_of_every_format_and_shape)
{
    static const uint32_t shapes[][3] = {{1, 0, 0},   {37, 0, 0}, {1, 1, 0}, {37, 19, 0},
                                         {64, 64, 0}, {5, 3, 7},  {16, 1, 2}};

    need_images();
    for (size_t f = 0; f < CONFORM_COUNT(formats); f++) {
        for (size_t s = 0; s < CONFORM_COUNT(shapes); s++) {
            const uint32_t *n = shapes[s];
            uint64_t texels = (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
            size_t size = (size_t)texels * formats[f].texel_size;
            unsigned char *data = conform_alloc(2, size), *got = data + size;
            isg_image *image = NULL;
            isg_status status =
                isg_image_create(conform_device(),
                                 &(isg_image_desc){.format = formats[f].format,
                                                   .width = n[0],
                                                   .height = n[1],
                                                   .depth = n[2],
                                                   .usage = ISG_IMAGE_USAGE_SAMPLED},
                                 &image);
            CONFORM_TRUE(status == ISG_OK, "%s image of %u x %u x %u: %s", formats[f].name, n[0],
                         n[1], n[2], isg_last_error());
            ck_assert_uint_eq(isg_image_size(image), size);
            conform_random_words((uint32_t *)data, size / 4, (uint32_t)(f * 10 + s));
            for (size_t k = 0; k < size; k++) { /* no NaN: drivers may quieten those */
                data[k] &= 0x3b;
            }
            CONFORM_OK(isg_image_upload(image, data, size));
            CONFORM_OK(isg_image_download(image, got, size));
            conform_check_bytes(got, data, size, formats[f].name);
            isg_image_release(image);
            conform_free(data);
        }
    }
}
END_TEST

START_TEST(storage_image_of_words)
{
    enum { WIDTH = 45, HEIGHT = 23, COUNT = WIDTH * HEIGHT };
    uint32_t texels[COUNT], got[COUNT], want[COUNT];
    isg_kernel *kernel = NULL;
    isg_image *image = NULL;
    isg_buffer *words = NULL;

    need_images();
    kernel = conform_kernel("image_u32");
    conform_random_words(texels, COUNT, 51);
    image = image_of(ISG_FORMAT_R32_UINT, WIDTH, HEIGHT, texels);
    words = conform_buffer(sizeof got, ISG_MEMORY_DEVICE);
    for (int round = 0; round < 3; round++) { /* each reads what the one before wrote */
        conform_run(&(isg_dispatch){.kernel = kernel,
                                    .grid = {(WIDTH + 7) / 8, (HEIGHT + 3) / 4},
                                    .bindings = (isg_binding[]){{.binding = 0, .image = image},
                                                                {.binding = 1, .buffer = words}},
                                    .binding_count = 2});
        CONFORM_OK(isg_buffer_download(words, 0, got, sizeof got));
        conform_check_words(got, texels, COUNT, "texels read");
        for (uint32_t i = 0; i < COUNT; i++) {
            want[i] = texels[i] * 3 + i % WIDTH + 1000 * (i / WIDTH);
        }
        CONFORM_OK(isg_image_download(image, got, sizeof got));
        conform_check_words(got, want, COUNT, "texels written");
        memcpy(texels, want, sizeof texels);
    }
    conform_digest(got, want, sizeof got);
    isg_buffer_release(words);
    isg_image_release(image);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(storage_image_of_normalised_bytes)
{
    enum { WIDTH = 32, HEIGHT = 32, COUNT = WIDTH * HEIGHT * 4 };
    unsigned char texels[COUNT], got[COUNT], want[COUNT];
    uint32_t words[COUNT];
    isg_kernel *kernel = NULL;
    isg_image *source = NULL, *target = NULL;
    isg_buffer *buffer = NULL;

    need_images();
    kernel = conform_kernel("image_rgba8");
    for (uint32_t i = 0; i < COUNT; i++) { /* all values of all channels */
        texels[i] = (unsigned char)(i / 4 + i % 4 * 61);
    }
    source = image_of(ISG_FORMAT_RGBA8_UNORM, WIDTH, HEIGHT, texels);
    target = image_of(ISG_FORMAT_RGBA8_UNORM, WIDTH, HEIGHT, NULL);
    buffer = conform_buffer(sizeof words, ISG_MEMORY_DEVICE);
    conform_run(&(isg_dispatch){.kernel = kernel,
                                .grid = {WIDTH / 8, HEIGHT / 4},
                                .bindings = (isg_binding[]){{.binding = 0, .image = source},
                                                            {.binding = 1, .image = target},
                                                            {.binding = 2, .buffer = buffer}},
                                .binding_count = 3});
    CONFORM_OK(isg_buffer_download(buffer, 0, words, sizeof words));
    CONFORM_OK(isg_image_download(target, got, sizeof got));
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t pixel = i / 4 * 4;
        CONFORM_TRUE(words[i] == texels[i], "channel %u of texel %u was read as %u, expected %u",
                     i % 4, i / 4, words[i], texels[i]);
        want[i] = i % 4 == 0   ? texels[pixel + 2]
                  : i % 4 == 1 ? (unsigned char)(255 - texels[pixel + 1])
                  : i % 4 == 2 ? texels[pixel]
                               : texels[pixel + 3];
    }
    conform_check_bytes(got, want, COUNT, "channels written");
    conform_digest(got, want, COUNT);
    isg_buffer_release(buffer);
    isg_image_release(source);
    isg_image_release(target);
    isg_kernel_release(kernel);
}
END_TEST

START_TEST(storage_volume)
{
    enum { X = 9, Y = 6, Z = 5, COUNT = X * Y * Z };
    uint32_t texels[COUNT], got[COUNT];
    isg_kernel *kernel = NULL;
    isg_image *image = NULL;
    isg_buffer *words = NULL;

    need_images();
    kernel = conform_kernel("image_volume");
    conform_random_words(texels, COUNT, 52);
    CONFORM_OK(isg_image_create(
        conform_device(),
        &(isg_image_desc){.format = ISG_FORMAT_R32_UINT, .width = X, .height = Y, .depth = Z},
        &image));
    CONFORM_OK(isg_image_upload(image, texels, sizeof texels));
    words = conform_buffer(sizeof got, ISG_MEMORY_DEVICE);
    conform_run(&(isg_dispatch){.kernel = kernel,
                                .grid = {3, 2, 2},
                                .bindings = (isg_binding[]){{.binding = 0, .image = image},
                                                            {.binding = 1, .buffer = words}},
                                .binding_count = 2});
    CONFORM_OK(isg_buffer_download(words, 0, got, sizeof got));
    conform_check_words(got, texels, COUNT, "texels of a volume");
    CONFORM_OK(isg_image_download(image, got, sizeof got));
    for (int i = 0; i < COUNT; i++) {
        texels[i] = ~texels[i];
    }
    conform_check_words(got, texels, COUNT, "texels of a volume, written");
    isg_buffer_release(words);
    isg_image_release(image);
    isg_kernel_release(kernel);
}
END_TEST

/* ---- sampling ---- */

/* The index that an address mode gives for a place outside; -1: transparent black. */
static int address(int at, int size, isg_address_mode mode)
{
    int period = 2 * size, folded = ((at % period) + period) % period;

    switch (mode) {
    case ISG_ADDRESS_REPEAT:
        return ((at % size) + size) % size;
    case ISG_ADDRESS_MIRRORED_REPEAT:
        return folded < size ? folded : period - 1 - folded;
    case ISG_ADDRESS_CLAMP_TO_ZERO:
        return at < 0 || at >= size ? -1 : at;
    case ISG_ADDRESS_CLAMP_TO_EDGE:
    default:
        return at < 0 ? 0 : at >= size ? size - 1 : at;
    }
}

START_TEST(nearest_sampling_at_texel_centres)
{
    /* Powers of two: the division by the size is exact, and so is the way back. */
    enum { WIDTH = 16, HEIGHT = 8, SIDE = 36, COUNT = SIDE * SIDE };
    static const isg_address_mode modes[] = {ISG_ADDRESS_CLAMP_TO_EDGE, ISG_ADDRESS_REPEAT,
                                             ISG_ADDRESS_MIRRORED_REPEAT,
                                             ISG_ADDRESS_CLAMP_TO_ZERO};
    static const uint32_t count = COUNT;
    static float places[COUNT][2];
    static uint32_t texels[WIDTH * HEIGHT], got[COUNT * 3], want[COUNT * 3];
    isg_kernel *kernel = NULL;
    isg_image *image = NULL;
    isg_buffer *in = NULL, *out = NULL;

    need_images();
    kernel = conform_kernel("image_sample");
    conform_random_words(texels, WIDTH * HEIGHT, 53);
    image = image_of(ISG_FORMAT_R32_UINT, WIDTH, HEIGHT, texels);
    for (int i = 0; i < COUNT; i++) {
        places[i][0] = (float)(i % SIDE - 10) + 0.5f;
        places[i][1] = (float)(i / SIDE - 14) + 0.25f;
    }
    in = conform_buffer_of(places, sizeof places);
    out = conform_buffer(sizeof got, ISG_MEMORY_DEVICE);
    for (size_t m = 0; m < CONFORM_COUNT(modes); m++) {
        isg_sampler *samplers[2] = {NULL, NULL};
        CONFORM_OK(isg_sampler_create(
            conform_device(), &(isg_sampler_desc){.address = {modes[m], modes[m], modes[m]}},
            &samplers[0]));
        CONFORM_OK(isg_sampler_create(conform_device(), NULL, &samplers[1]));
        conform_run(&(isg_dispatch){
            .kernel = kernel,
            .grid = {(COUNT + 31) / 32},
            .bindings = (isg_binding[]){{.binding = 0, .image = image, .sampler = samplers[0]},
                                        {.binding = 1, .image = image},
                                        {.binding = 2, .sampler = samplers[1]},
                                        {.binding = 3, .buffer = in},
                                        {.binding = 4, .buffer = out}},
            .binding_count = 5,
            .push = &count,
            .push_size = 4});
        CONFORM_OK(isg_buffer_download(out, 0, got, sizeof got));
        for (int i = 0; i < COUNT; i++) {
            int x = i % SIDE - 10, y = i / SIDE - 14;
            int sx = address(x, WIDTH, modes[m]), sy = address(y, HEIGHT, modes[m]);
            int ex = address(x, WIDTH, ISG_ADDRESS_CLAMP_TO_EDGE);
            int ey = address(y, HEIGHT, ISG_ADDRESS_CLAMP_TO_EDGE);
            want[3 * i] = want[3 * i + 2] = texels[ey * WIDTH + ex];
            want[3 * i + 1] = sx < 0 || sy < 0 ? 0 : texels[sy * WIDTH + sx];
            for (int k = 0; k < 3; k++) {
                CONFORM_TRUE(got[3 * i + k] == want[3 * i + k],
                             "address mode %d, texel (%d, %d), way %d: %08" PRIx32
                             ", expected %08" PRIx32,
                             (int)modes[m], x, y, k, got[3 * i + k], want[3 * i + k]);
            }
        }
        conform_digest(got, want, sizeof got);
        isg_sampler_release(samplers[0]);
        isg_sampler_release(samplers[1]);
    }
    isg_buffer_release(in);
    isg_buffer_release(out);
    isg_image_release(image);
    isg_kernel_release(kernel);
}
END_TEST

/* ---- refusals ---- */

START_TEST(wrong_images_are_refused)
{
    uint32_t most = conform_info()->limits.max_image_size_2d;
    isg_image *image = NULL;
    unsigned char bytes[64 * 4];
    const isg_image_desc bad[] = {
        {.format = ISG_FORMAT_UNDEFINED, .width = 4},
        {.format = (isg_format)99, .width = 4},
        {.format = ISG_FORMAT_R32_UINT, .width = 0, .height = 4},
        {.format = ISG_FORMAT_R32_UINT, .width = 4, .height = 0, .depth = 4},
        {.format = ISG_FORMAT_R32_UINT, .width = 4, .usage = 1u << 7},
    };

    need_images();
    for (size_t i = 0; i < CONFORM_COUNT(bad); i++) {
        CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                        isg_image_create(conform_device(), &bad[i], &image), "image");
        ck_assert_ptr_null(image);
    }
    CONFORM_REFUSED(
        ISG_ERROR_LIMIT_EXCEEDED,
        isg_image_create(
            conform_device(),
            &(isg_image_desc){.format = ISG_FORMAT_R8_UNORM, .width = most + 1, .height = 1},
            &image),
        "image");
    image = image_of(ISG_FORMAT_R32_UINT, 8, 8, NULL);
    ck_assert_uint_eq(isg_image_size(image), 256);
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_image_upload(image, bytes, 255), "255", "256");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_image_download(image, bytes, 0), "256");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT, isg_image_upload(image, NULL, 256), "NULL");
    isg_image_release(image);
    conform_check_usable(conform_device());
}
END_TEST

START_TEST(wrong_samplers_are_refused)
{
    isg_sampler *sampler = NULL;

    need_images();
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_sampler_create(conform_device(),
                                       &(isg_sampler_desc){.filter = (isg_filter)7}, &sampler),
                    "7");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_sampler_create(conform_device(),
                                       &(isg_sampler_desc){.address = {0, (isg_address_mode)9, 0}},
                                       &sampler),
                    "9");
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_sampler_create(
                        conform_device(),
                        &(isg_sampler_desc){.address = {ISG_ADDRESS_REPEAT}, .unnormalized = true},
                        &sampler),
                    "unnormalized");
    ck_assert_ptr_null(sampler);
}
END_TEST

START_TEST(wrong_kinds_of_bindings_are_refused)
{
    isg_kernel *kernel = NULL, *sample = NULL;
    isg_image *image = NULL, *sampled_only = NULL;
    isg_buffer *words = NULL;
    isg_dispatch dispatch = {.grid = {1}, .binding_count = 2};

    need_images();
    kernel = conform_kernel("image_u32");
    sample = conform_kernel("image_sample");
    image = image_of(ISG_FORMAT_R32_UINT, 8, 4, NULL);
    words = conform_buffer(4 * 32, ISG_MEMORY_DEVICE);
    CONFORM_OK(isg_image_create(conform_device(),
                                &(isg_image_desc){.format = ISG_FORMAT_R32_UINT,
                                                  .width = 8,
                                                  .height = 4,
                                                  .usage = ISG_IMAGE_USAGE_SAMPLED},
                                &sampled_only));
    dispatch.kernel = kernel;
    dispatch.bindings =
        (isg_binding[]){{.binding = 0, .buffer = words}, {.binding = 1, .buffer = words}};
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), "image");
    dispatch.bindings =
        (isg_binding[]){{.binding = 0, .image = image}, {.binding = 1, .image = image}};
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), "buffer");
    dispatch.bindings =
        (isg_binding[]){{.binding = 0, .image = sampled_only}, {.binding = 1, .buffer = words}};
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), "storage");
    dispatch.kernel = sample; /* a combined image sampler without its sampler */
    dispatch.bindings = (isg_binding[]){{.binding = 0, .image = image},
                                        {.binding = 1, .image = image},
                                        {.binding = 2, .image = image},
                                        {.binding = 3, .buffer = words},
                                        {.binding = 4, .buffer = words}};
    dispatch.binding_count = 5;
    dispatch.push = &(uint32_t){0};
    dispatch.push_size = 4;
    CONFORM_REFUSED(ISG_ERROR_INVALID_ARGUMENT,
                    isg_queue_dispatch(conform_queue(), &dispatch, 1, NULL), "sampler");
    isg_image_release(image);
    isg_image_release(sampled_only);
    isg_buffer_release(words);
    isg_kernel_release(kernel);
    isg_kernel_release(sample);
}
END_TEST

void conform_image_list(conform_list *list)
{
    CONFORM_ADD(list, round_trip_of_every_format_and_shape);
    CONFORM_ADD(list, storage_image_of_words);
    CONFORM_ADD(list, storage_image_of_normalised_bytes);
    CONFORM_ADD(list, storage_volume);
    CONFORM_ADD(list, nearest_sampling_at_texel_centres);
    CONFORM_ADD(list, wrong_images_are_refused);
    CONFORM_ADD(list, wrong_samplers_are_refused);
    CONFORM_ADD(list, wrong_kinds_of_bindings_are_refused);
}
