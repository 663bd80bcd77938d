/* Owns samplers. */
#include "core/device.h"
#include "core/handle.h"
#include "core/object.h"
#include "core/support.h"

static isg_status check_desc(const isg_sampler_desc *desc)
{
    if (desc->filter != ISG_FILTER_NEAREST && desc->filter != ISG_FILTER_LINEAR) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "a sampler asks for filter %d; use ISG_FILTER_NEAREST or _LINEAR",
                        (int)desc->filter);
    }
    for (uint32_t i = 0; i < 3; i++) {
        isg_address_mode mode = desc->address[i];

        if (mode != ISG_ADDRESS_CLAMP_TO_EDGE && mode != ISG_ADDRESS_REPEAT &&
            mode != ISG_ADDRESS_MIRRORED_REPEAT && mode != ISG_ADDRESS_CLAMP_TO_ZERO) {
            return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                            "a sampler asks for address mode %d in dimension %u; use one of "
                            "isg_address_mode",
                            (int)mode, i);
        }
        if (desc->unnormalized &&
            (mode == ISG_ADDRESS_REPEAT || mode == ISG_ADDRESS_MIRRORED_REPEAT)) {
            return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                            "a sampler with unnormalized coordinates repeats in dimension %u; "
                            "those can only be clamped",
                            i);
        }
    }
    return ISG_OK;
}

static isg_status make_sampler(isg_device *device, const isg_sampler_desc *desc, isg_sampler **out)
{
    isg_status status = check_desc(desc);

    if (status != ISG_OK) {
        return status;
    }
    if ((device->info.limits.features & ISG_FEATURE_IMAGES) == 0) {
        return isg_fail(ISG_ERROR_UNSUPPORTED,
                        "a sampler needs images, which device '%s' lacks; use a buffer",
                        device->core->label);
    }
    status = isg_device_result(device, device->ops->sampler_create(device, desc, out));
    if (status != ISG_OK) {
        *out = NULL;
        return status;
    }
    isg_object_init(&(*out)->object, ISG_OBJECT_SAMPLER, device);
    (*out)->desc = *desc;
    return ISG_OK;
}

isg_status isg_sampler_create(isg_device *device, const isg_sampler_desc *desc, isg_sampler **out)
{
    static const isg_sampler_desc defaults = {0};
    isg_status status = ISG_OK;

    if (out == NULL) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "isg_sampler_create: out is NULL; pass where to put the sampler");
    }
    *out = NULL;
    status = isg_handle_check(device, ISG_OBJECT_DEVICE, "isg_sampler_create: device");
    if (status == ISG_OK) {
        status = isg_device_check(device);
    }
    if (status == ISG_OK) {
        status = make_sampler(device, desc != NULL ? desc : &defaults, out);
    }
    if (status != ISG_OK) {
        return status;
    }
    status = isg_object_publish_or_drop(&(*out)->object);
    *out = status == ISG_OK ? *out : NULL;
    return status;
}
