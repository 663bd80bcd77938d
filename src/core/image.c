/* Owns images: creating and ending them. */
#include "core/image.h"

#include "core/device.h"
#include "core/handle.h"
#include "core/object.h"
#include "core/queue.h"
#include "core/support.h"

/* Bytes of a texel; 0: no such format. */
static uint32_t format_size(isg_format format)
{
    switch (format) {
    case ISG_FORMAT_R8_UNORM:
        return 1;
    case ISG_FORMAT_RGBA8_UNORM:
    case ISG_FORMAT_R32_UINT:
    case ISG_FORMAT_R32_SINT:
    case ISG_FORMAT_R32_FLOAT:
        return 4;
    case ISG_FORMAT_RG32_FLOAT:
    case ISG_FORMAT_RGBA16_FLOAT:
        return 8;
    case ISG_FORMAT_RGBA32_FLOAT:
    case ISG_FORMAT_RGBA32_UINT:
        return 16;
    case ISG_FORMAT_UNDEFINED:
        break;
    }
    return 0;
}

static isg_status check_desc(const isg_image_desc *desc, const char *label)
{
    const uint32_t known = ISG_IMAGE_USAGE_STORAGE | ISG_IMAGE_USAGE_SAMPLED;

    if (format_size(desc->format) == 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "image '%s' asks for format %d, which is none; use one of isg_format",
                        label, (int)desc->format);
    }
    if (desc->width == 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "image '%s' would be 0 texels wide; an image has at least 1", label);
    }
    if (desc->depth != 0 && desc->height == 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "image '%s' has depth %u but height 0; give a 3D image a height of at "
                        "least 1",
                        label, desc->depth);
    }
    if ((desc->usage & ~known) != 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "image '%s' asks for usage 0x%x; use bits of isg_image_usage, or 0 for all",
                        label, desc->usage);
    }
    return ISG_OK;
}

static isg_status check_limits(const isg_device *device, const isg_image_desc *desc,
                               const char *label)
{
    const isg_device_limits *limits = &device->info.limits;
    const bool is_3d = desc->depth != 0;
    const uint32_t limit = is_3d ? limits->max_image_size_3d : limits->max_image_size_2d;
    const uint32_t sides[3] = {desc->width, desc->height, desc->depth};

    if ((limits->features & ISG_FEATURE_IMAGES) == 0) {
        return isg_fail(ISG_ERROR_UNSUPPORTED,
                        "image '%s' needs images, which device '%s' lacks; use a buffer", label,
                        device->core->label);
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (sides[i] > limit) {
            return isg_fail(ISG_ERROR_LIMIT_EXCEEDED,
                            "image '%s' would have a side of %u texels; max_image_size_%s of "
                            "device '%s' is %u; use a smaller one or several",
                            label, sides[i], is_3d ? "3d" : "2d", device->core->label, limit);
        }
    }
    return ISG_OK;
}

static isg_status make_image(isg_device *device, const isg_image_desc *desc, isg_image **out)
{
    const isg_host_allocator *allocator = isg_device_allocator(device);
    const uint32_t dimensions = desc->depth != 0 ? 3 : desc->height != 0 ? 2 : 1;
    const char *wanted = desc->label != NULL ? desc->label : "image";
    isg_image_desc normalised = *desc;
    isg_status status = check_desc(desc, wanted);
    char *label = NULL;

    if (status == ISG_OK) {
        status = check_limits(device, desc, wanted);
    }
    if (status != ISG_OK) {
        return status;
    }
    label = isg_string_copy(allocator, wanted);
    if (label == NULL) {
        return isg_fail_host_memory("an image");
    }
    normalised.label = label;
    normalised.height = desc->height != 0 ? desc->height : 1;
    normalised.depth = desc->depth != 0 ? desc->depth : 1;
    if (normalised.usage == 0) {
        normalised.usage = ISG_IMAGE_USAGE_STORAGE | ISG_IMAGE_USAGE_SAMPLED;
    }
    status = isg_device_result(device, device->ops->image_create(device, &normalised, dimensions,
                                                                 format_size(desc->format), out));
    if (status != ISG_OK) {
        *out = NULL;
        isg_string_free(allocator, label);
        return status;
    }
    isg_object_init(&(*out)->object, ISG_OBJECT_IMAGE, device);
    (*out)->desc = normalised;
    (*out)->dimensions = dimensions;
    (*out)->texel_size = format_size(desc->format);
    atomic_fetch_add_explicit(&device->core->allocated, isg_image_bytes(*out),
                              memory_order_relaxed);
    return ISG_OK;
}

uint64_t isg_image_bytes(const isg_image *image)
{
    return (uint64_t)image->desc.width * image->desc.height * image->desc.depth * image->texel_size;
}

void isg_image_destroy(isg_image *image)
{
    isg_device *device = image->object.device;
    const char *label = image->desc.label;

    atomic_fetch_sub_explicit(&device->core->allocated, isg_image_bytes(image),
                              memory_order_relaxed);
    device->ops->object_destroy(&image->object);
    isg_string_free(isg_device_allocator(device), label);
}

isg_status isg_image_create(isg_device *device, const isg_image_desc *desc, isg_image **out)
{
    isg_status status = ISG_OK;

    if (out == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_image_create: out is NULL; pass where to put the image");
    }
    *out = NULL;
    status = isg_handle_check(device, ISG_OBJECT_DEVICE, "isg_image_create: device");
    if (status == ISG_OK && desc == NULL) {
        status = isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                          "isg_image_create: desc is NULL; an image needs a format and a width");
    }
    if (status == ISG_OK) {
        status = isg_device_check(device);
    }
    if (status == ISG_OK) {
        status = make_image(device, desc, out);
    }
    if (status == ISG_ERROR_OUT_OF_MEMORY && isg_queue_reclaim(device->core->queue)) {
        status = make_image(device, desc, out);
    }
    if (status != ISG_OK) {
        return status;
    }
    status = isg_object_publish_or_drop(&(*out)->object);
    *out = status == ISG_OK ? *out : NULL;
    return status;
}

uint64_t isg_image_size(const isg_image *image)
{
    return isg_handle_is_live(image, ISG_OBJECT_IMAGE) ? isg_image_bytes(image) : 0;
}
