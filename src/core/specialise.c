/* Specialisation constants: checking what callers give and what workgroup size comes of it. */
#include "core/kernel.h"

#include "core/device.h"
#include "core/support.h"

#include <inttypes.h>

/* Whether the bits above the constant's own are 0 or, for a signed one, copies of its sign. */
static bool value_fits(const isg_constant_info *constant, uint64_t value)
{
    const uint32_t bits = constant->size * 8;

    if (constant->type == ISG_CONSTANT_BOOL) {
        return value <= 1;
    }
    if (bits >= 64 || value >> bits == 0) {
        return true;
    }
    return constant->type == ISG_CONSTANT_INT && value >> (bits - 1) == UINT64_MAX >> (bits - 1);
}

static uint64_t value_cut(const isg_constant_info *constant, uint64_t value)
{
    const uint32_t bits = constant->size * 8;

    return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static isg_status find_constant(const isg_kernel_info *info, uint32_t id, const char *what,
                                uint32_t *out_index)
{
    for (uint32_t i = 0; i < info->constant_count; i++) {
        if (info->constants[i].id == id) {
            *out_index = i;
            return ISG_OK;
        }
    }
    if (id >= ISG_SPEC_ID_RESERVED) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: specialisation constant %u is reserved; ids of callers end at %u",
                        what, id, ISG_SPEC_ID_RESERVED - 1);
    }
    return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                    "%s: the kernel has no specialisation constant %u; its %u constants are in "
                    "isg_kernel_get_info()",
                    what, id, info->constant_count);
}

isg_status isg_constants_resolve(const isg_kernel_info *info, const isg_constant *constants,
                                 uint32_t count, const char *what, uint64_t *values)
{
    if (constants == NULL && count != 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: constants is NULL but constant_count is %u; give both or neither",
                        what, count);
    }
    for (uint32_t i = 0; i < info->constant_count; i++) {
        values[i] = value_cut(&info->constants[i], info->constants[i].default_value);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = 0;
        isg_status status = find_constant(info, constants[i].id, what, &index);

        if (status != ISG_OK) {
            return status;
        }
        for (uint32_t earlier = 0; earlier < i; earlier++) {
            if (constants[earlier].id == constants[i].id) {
                return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                                "%s: specialisation constant %u is given twice, at %u and %u; "
                                "give it once",
                                what, constants[i].id, earlier, i);
            }
        }
        if (!value_fits(&info->constants[index], constants[i].value)) {
            return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                            "%s: value 0x%" PRIx64 " of specialisation constant %u does not fit "
                            "its %u bytes; %s",
                            what, constants[i].value, constants[i].id, info->constants[index].size,
                            info->constants[index].type == ISG_CONSTANT_BOOL
                                ? "a bool is 0 or 1"
                                : "its bits belong into the low bytes");
        }
        values[index] = value_cut(&info->constants[index], constants[i].value);
    }
    return ISG_OK;
}

isg_status isg_workgroup_size_resolve(const isg_device *device, const isg_kernel_info *info,
                                      const uint64_t *values, const char *what,
                                      uint32_t out_size[3])
{
    const isg_device_limits *limits = &device->info.limits;
    uint64_t invocations = 0;

    for (uint32_t side = 0; side < 3; side++) {
        uint64_t size = info->workgroup_size[side];

        for (uint32_t i = 0; i < info->constant_count; i++) {
            if (info->workgroup_size_ids[side] == info->constants[i].id) {
                size = values[i];
            }
        }
        if (size == 0) {
            return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                            "%s: its workgroup would have side %c of 0 invocations; it needs at "
                            "least 1",
                            what, "xyz"[side]);
        }
        if (size > limits->max_workgroup_size[side]) {
            return isg_fail(ISG_ERROR_LIMIT_EXCEEDED,
                            "%s: its workgroup would have side %c of %" PRIu64
                            " invocations; max_workgroup_size[%u] of device '%s' is %u; use a "
                            "smaller workgroup",
                            what, "xyz"[side], size, side, device -> core -> label,
                            limits -> max_workgroup_size[side]);
        }
        out_size[side] = (uint32_t)size;
    }
    invocations = isg_saturating_volume(out_size);
    if (invocations > limits->max_workgroup_invocations) {
        return isg_fail(ISG_ERROR_LIMIT_EXCEEDED,
                        "%s: its workgroup would have %u x %u x %u = %" PRIu64
                        " invocations; max_workgroup_invocations of device '%s' is %u; use a "
                        "smaller workgroup",
                        what, out_size[0], out_size[1], out_size[2], invocations,
                        device->core->label, limits->max_workgroup_invocations);
    }
    return ISG_OK;
}
