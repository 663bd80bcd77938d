/* Checks the bindings of a dispatch against what the kernel declares. */
#include "core/dispatch.h"

#include "core/device.h"
#include "core/handle.h"
#include "core/kernel.h"
#include "core/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "dispatch 'x': set 0 binding 1 'y'", to begin a message with. */
typedef struct place {
    char text[224];
} place;

static place place_of(const char *what, const isg_binding_info *info, uint32_t element)
{
    place out;
    char index[16] = "";

    if (info->array_count > 1) {
        snprintf(index, sizeof index, "[%u]", element);
    }
    snprintf(out.text, sizeof out.text, "%.128s: set %u binding %u%s%s%.48s%s", what, info->set,
             info->binding, index, info->name[0] != '\0' ? " '" : "", info->name,
             info->name[0] != '\0' ? "'" : "");
    return out;
}

static const char *kind_name(isg_binding_kind kind)
{
    static const char *const names[] = {
        [ISG_BINDING_STORAGE_BUFFER] = "a storage buffer",
        [ISG_BINDING_UNIFORM_BUFFER] = "a uniform buffer",
        [ISG_BINDING_STORAGE_IMAGE] = "a storage image",
        [ISG_BINDING_SAMPLED_IMAGE] = "a sampled image",
        [ISG_BINDING_SAMPLER] = "a sampler",
        [ISG_BINDING_COMBINED_IMAGE_SAMPLER] = "an image with a sampler",
    };

    return names[kind];
}

static bool is_buffer(isg_binding_kind kind)
{
    return kind == ISG_BINDING_STORAGE_BUFFER || kind == ISG_BINDING_UNIFORM_BUFFER;
}

static bool needs_image(isg_binding_kind kind)
{
    return kind == ISG_BINDING_STORAGE_IMAGE || kind == ISG_BINDING_SAMPLED_IMAGE ||
           kind == ISG_BINDING_COMBINED_IMAGE_SAMPLER;
}

static bool needs_sampler(isg_binding_kind kind)
{
    return kind == ISG_BINDING_SAMPLER || kind == ISG_BINDING_COMBINED_IMAGE_SAMPLER;
}

/* Exactly the handles its kind needs, live and of the kernel's device. */
static isg_status check_objects(const isg_binding *given, bool own, const isg_binding_info *info,
                                const isg_device *device, const place *where)
{
    const struct {
        const void *handle;
        isg_object_kind kind;
        bool wanted;
        const char *name;
    } parts[] = {
        {given->buffer, ISG_OBJECT_BUFFER, is_buffer(info->kind), "buffer"},
        {given->image, ISG_OBJECT_IMAGE, needs_image(info->kind), "image"},
        {given->sampler, ISG_OBJECT_SAMPLER, needs_sampler(info->kind), "sampler"},
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char argument[280];
        isg_status status = ISG_OK;

        if (parts[i].wanted != (parts[i].handle != NULL)) {
            return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                            "%s is %s, but its entry has %s; set exactly what the kind needs",
                            where->text, kind_name(info->kind),
                            parts[i].wanted ? "none" : parts[i].name);
        }
        if (!parts[i].wanted || own) {
            continue;
        }
        snprintf(argument, sizeof argument, "%s: %s", where->text, parts[i].name);
        status = isg_handle_check(parts[i].handle, parts[i].kind, argument);
        if (status != ISG_OK) {
            return status;
        }
        if (((const isg_object *)parts[i].handle)->device != device) {
            return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                            "%s: its %s belongs to device '%s', the kernel to '%s'; use objects of "
                            "one device",
                            where->text, parts[i].name,
                            ((const isg_object *)parts[i].handle)->device->core->label,
                            device->core->label);
        }
    }
    return ISG_OK;
}

static isg_status check_range(const isg_binding *given, const isg_binding_info *info,
                              const isg_device *device, const place *where, uint64_t *out_size)
{
    const isg_device_limits *limits = &device->info.limits;
    const bool uniform = info->kind == ISG_BINDING_UNIFORM_BUFFER;
    const uint64_t whole = given->buffer->desc.size;
    const uint32_t alignment =
        uniform ? limits->uniform_offset_alignment : limits->storage_offset_alignment;
    const uint64_t limit = uniform ? limits->max_uniform_binding_size : limits->max_binding_size;
    uint64_t size = given->size;

    if (given->offset >= whole || !isg_range_inside(given->offset, size, whole)) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: %" PRIu64 " bytes at %" PRIu64 " run past buffer '%s' of %" PRIu64
                        " bytes; bind a range inside the buffer",
                        where->text, size, given->offset, given->buffer->desc.label, whole);
    }
    if (alignment != 0 && given->offset % alignment != 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: offset %" PRIu64 " is no multiple of %u, the %s_offset_alignment of "
                        "device '%s'; align it",
                        where->text, given->offset, alignment, uniform ? "uniform" : "storage",
                        device->core->label);
    }
    size = size != 0 ? size : whole - given->offset;
    if (size < info->block_size) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: a range of %" PRIu64 " bytes of buffer '%s' is smaller than the "
                        "block's %" PRIu64 " bytes; bind at least those",
                        where->text, size, given->buffer->desc.label, info->block_size);
    }
    if (size > limit) {
        return isg_fail(ISG_ERROR_LIMIT_EXCEEDED,
                        "%s: a range of %" PRIu64 " bytes of buffer '%s' is above %" PRIu64
                        ", the %s of device '%s'; bind smaller ranges, one dispatch for each",
                        where->text, size, given->buffer->desc.label, limit,
                        uniform ? "max_uniform_binding_size" : "max_binding_size",
                        device->core->label);
    }
    *out_size = size;
    return ISG_OK;
}

static isg_status check_usage(const isg_binding *given, const isg_binding_info *info,
                              const place *where)
{
    const uint32_t usage =
        info->kind == ISG_BINDING_STORAGE_IMAGE ? ISG_IMAGE_USAGE_STORAGE : ISG_IMAGE_USAGE_SAMPLED;

    if (needs_image(info->kind) && (given->image->desc.usage & usage) == 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s is %s, but image '%s' was created without %s; create it with that "
                        "usage",
                        where->text, kind_name(info->kind), given->image->desc.label,
                        usage == ISG_IMAGE_USAGE_STORAGE ? "ISG_IMAGE_USAGE_STORAGE"
                                                         : "ISG_IMAGE_USAGE_SAMPLED");
    }
    return ISG_OK;
}

/* Where the elements of each binding begin in the normalised list, by search: kernels have few. */
static const isg_binding_info *find_info(const isg_kernel_info *info, const isg_binding *given,
                                         uint32_t *out_first)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < info->binding_count; i++) {
        if (info->bindings[i].set == given->set && info->bindings[i].binding == given->binding) {
            *out_first = first;
            return &info->bindings[i];
        }
        first += info->bindings[i].array_count;
    }
    return NULL;
}

static bool is_filled(const isg_command_binding *slot)
{
    return slot->buffer != NULL || slot->image != NULL || slot->sampler != NULL;
}

static isg_status check_one(const isg_dispatch *dispatch, uint32_t index, bool own,
                            const char *what, isg_command_binding *slots)
{
    const isg_binding *given = &dispatch->bindings[index];
    const isg_device *device = dispatch->kernel->object.device;
    uint32_t first = 0;
    const isg_binding_info *info = find_info(dispatch->kernel->info, given, &first);
    isg_command_binding *slot = NULL;
    isg_status status = ISG_OK;
    uint64_t size = 0;
    place where;

    if (info == NULL || given->array_index >= info->array_count) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: entry %u is for set %u binding %u[%u], which the kernel does not "
                        "have; isg_kernel_get_info() lists what it has",
                        what, index, given->set, given->binding, given->array_index);
    }
    where = place_of(what, info, given->array_index);
    slot = &slots[first + given->array_index];
    if (is_filled(slot)) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s is given twice, again in entry %u; give it "
                        "once",
                        where.text, index);
    }
    status = check_objects(given, own, info, device, &where);
    if (status == ISG_OK && is_buffer(info->kind)) {
        status = check_range(given, info, device, &where, &size);
    } else if (status == ISG_OK) {
        status = check_usage(given, info, &where);
    }
    if (status != ISG_OK) {
        return status;
    }
    *slot = (isg_command_binding){
        .set = given->set,
        .binding = given->binding,
        .array_index = given->array_index,
        .kind = info->kind,
        .buffer = given->buffer,
        .offset = is_buffer(info->kind) ? given->offset : 0,
        .size = size,
        .image = given->image,
        .sampler = given->sampler,
    };
    return ISG_OK;
}

static isg_status check_complete(const isg_kernel_info *info, const char *what,
                                 const isg_command_binding *slots)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < info->binding_count; i++) {
        for (uint32_t element = 0; element < info->bindings[i].array_count; element++, at++) {
            if (!is_filled(&slots[at])) {
                place where = place_of(what, &info->bindings[i], element);

                return isg_fail(ISG_ERROR_INVALID_ARGUMENT, "%s has no entry; bind %s there",
                                where.text, kind_name(info->bindings[i].kind));
            }
        }
    }
    return ISG_OK;
}

/* Fills `ranges` with what the bindings cover. Returns how many there are; 0 if none is written. */
static uint32_t list_ranges(const isg_kernel_info *info, const isg_command_binding *slots,
                            isg_bound_range *ranges)
{
    uint32_t count = 0;
    uint32_t slot = 0;
    bool any_written = false;

    for (uint32_t i = 0; i < info->binding_count; i++) {
        const bool written = (info->bindings[i].access & ISG_ACCESS_WRITE) != 0;

        for (uint32_t element = 0; element < info->bindings[i].array_count; element++, slot++) {
            const isg_command_binding *bound = &slots[slot];

            if (bound->buffer == NULL && bound->image == NULL) {
                continue;
            }
            ranges[count++] = (isg_bound_range){
                .object = bound->buffer != NULL ? (const void *)bound->buffer : bound->image,
                .offset = bound->offset,
                .size = bound->buffer != NULL ? bound->size : 1,
                .slot = slot,
                .written = written,
            };
            any_written |= written;
        }
    }
    return any_written ? count : 0;
}

static int compare_ranges(const void *left, const void *right)
{
    const isg_bound_range *a = left;
    const isg_bound_range *b = right;

    if (a->object != b->object) {
        return (uintptr_t)a->object < (uintptr_t)b->object ? -1 : 1;
    }
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static isg_status fail_overlap(const char *what, const isg_command_binding *slots,
                               const isg_bound_range *a, const isg_bound_range *b)
{
    const isg_command_binding *written = &slots[a->written ? a->slot : b->slot];
    const isg_command_binding *other = &slots[a->written ? b->slot : a->slot];

    return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                    "%s: set %u binding %u[%u] is written and overlaps set %u binding %u[%u], "
                    "which has the same bytes of '%s'; bind disjoint ranges",
                    what, written->set, written->binding, written->array_index, other->set,
                    other->binding, other->array_index,
                    written->buffer != NULL ? written->buffer->desc.label
                                            : written->image->desc.label);
}

/* The later of two ends. */
static const isg_bound_range *reaching_further(const isg_bound_range *a, const isg_bound_range *b)
{
    return a == NULL || a->object != b->object || b->offset + b->size > a->offset + a->size ? b : a;
}

/* What the kernel writes through one binding must not be seen through another. In the order of
 * offsets, a range overlaps an earlier one if it begins before the furthest end so far. */
static isg_status check_overlap(const isg_kernel_info *info, const char *what,
                                const isg_command_binding *slots, isg_dispatch_scratch *scratch)
{
    isg_bound_range *ranges = scratch->ranges;
    const uint32_t count = list_ranges(info, slots, ranges);
    const isg_bound_range *furthest[2] = {NULL, NULL}; /* of all, of those written */

    if (count > 1) {
        qsort(ranges, count, sizeof *ranges, compare_ranges);
    }
    for (uint32_t i = 0; i < count; i++) {
        const isg_bound_range *range = &ranges[i];
        const isg_bound_range *before = furthest[range->written ? 0 : 1];

        if (before != NULL && before->object == range->object &&
            range->offset < before->offset + before->size) {
            return fail_overlap(what, slots, before, range);
        }
        furthest[0] = reaching_further(furthest[0], range);
        if (range->written) {
            furthest[1] = reaching_further(furthest[1], range);
        }
    }
    return ISG_OK;
}

isg_status isg_bindings_check(const isg_dispatch *dispatch, uint32_t own_count, const char *what,
                              isg_dispatch_scratch *scratch, uint32_t *out_count)
{
    const isg_kernel *kernel = dispatch->kernel;
    const uint32_t count = kernel->core->descriptor_count;
    isg_status status = ISG_OK;

    if (dispatch->bindings == NULL && dispatch->binding_count != 0) {
        return isg_fail(ISG_ERROR_INVALID_ARGUMENT,
                        "%s: bindings is NULL but binding_count is %u; give both or neither", what,
                        dispatch->binding_count);
    }
    status = isg_reserve(scratch->allocator, (void **)&scratch->bindings,
                         &scratch->binding_capacity, count, sizeof *scratch->bindings);
    if (status == ISG_OK) {
        status = isg_reserve(scratch->allocator, (void **)&scratch->ranges,
                             &scratch->range_capacity, count, sizeof *scratch->ranges);
    }
    if (status != ISG_OK) {
        return status;
    }
    if (count != 0) {
        memset(scratch->bindings, 0, count * sizeof *scratch->bindings);
    }
    for (uint32_t i = 0; i < dispatch->binding_count && status == ISG_OK; i++) {
        status = check_one(dispatch, i, i >= dispatch->binding_count - own_count, what,
                           scratch->bindings);
    }
    if (status == ISG_OK) {
        status = check_complete(kernel->info, what, scratch->bindings);
    }
    if (status == ISG_OK) {
        status = check_overlap(kernel->info, what, scratch->bindings, scratch);
    }
    *out_count = count;
    return status;
}
