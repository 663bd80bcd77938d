/* The list of devices: enumerated once an instance, in the one order that indices use. */
#include "core/listing.h"

#include "core/instance.h"
#include "core/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t isg_device_type_rank(isg_device_type type)
{
    switch (type) {
    case ISG_DEVICE_TYPE_DISCRETE_GPU:
        return 0;
    case ISG_DEVICE_TYPE_INTEGRATED_GPU:
        return 1;
    case ISG_DEVICE_TYPE_VIRTUAL_GPU:
        return 2;
    case ISG_DEVICE_TYPE_OTHER:
        break;
    case ISG_DEVICE_TYPE_CPU:
        return 4;
    }
    return 3;
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_entries(const void *left, const void *right)
{
    const isg_listing_entry *a = left;
    const isg_listing_entry *b = right;
    int order = compare_numbers(a->backend_rank, b->backend_rank);

    if (order == 0) {
        order =
            compare_numbers(isg_device_type_rank(a->info.type), isg_device_type_rank(b->info.type));
    }
    if (order == 0) {
        order = strcmp(a->info.name, b->info.name);
    }
    if (order == 0) {
        order = strcmp(a->info.driver_info, b->info.driver_info);
    }
    if (order == 0) {
        order = strcmp(a->info.driver_name, b->info.driver_name);
    }
    if (order == 0) {
        order = memcmp(a->info.uuid, b->info.uuid, sizeof a->info.uuid);
    }
    return order != 0 ? order : compare_numbers(a->driver_index, b->driver_index);
}

/* Whether `b`, which sorts after `a`, is the same device by the same driver once more. */
static bool same_device(const isg_listing_entry *a, const isg_listing_entry *b)
{
    return a->backend_rank == b->backend_rank &&
           memcmp(a->info.uuid, b->info.uuid, sizeof a->info.uuid) == 0 &&
           strcmp(a->info.driver_name, b->info.driver_name) == 0 &&
           strcmp(a->info.driver_info, b->info.driver_info) == 0;
}

uint32_t isg_listing_arrange(isg_listing_entry *entries, uint32_t count)
{
    uint32_t kept = 0;
    uint32_t index = 0;

    if (count > 1) {
        qsort(entries, count, sizeof *entries, compare_entries);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (kept > 0 && same_device(&entries[kept - 1], &entries[i])) {
            continue;
        }
        index =
            kept > 0 && entries[kept - 1].backend_rank == entries[i].backend_rank ? index + 1 : 0;
        entries[kept] = entries[i];
        entries[kept].info.index = index;
        snprintf(entries[kept].info.selector, sizeof entries[kept].info.selector, "%.20s:%" PRIu32,
                 entries[kept].info.backend, index);
        kept++;
    }
    return kept;
}

/* A growing list of entries. */
typedef struct listing {
    const isg_host_allocator *allocator;
    isg_listing_entry *entries;
    uint32_t capacity;
    uint32_t count;
} listing;

/* The driver's devices, on the end of the list. Devices may come and go between the two calls. */
static isg_status append_devices(listing *list, isg_loaded_backend *loaded, uint32_t rank)
{
    isg_device_info *infos = NULL;
    uint32_t *indices = NULL;
    uint32_t capacity = 0;
    uint32_t count = 0;
    isg_status status = loaded->ops->enumerate(loaded->backend, NULL, NULL, 0, &capacity);

    if (status != ISG_OK || capacity == 0) {
        return status;
    }
    infos = isg_alloc(list->allocator, capacity * sizeof *infos);
    indices = isg_alloc(list->allocator, capacity * sizeof *indices);
    if (infos == NULL || indices == NULL) {
        status = isg_fail_host_memory("the list of devices");
        goto done;
    }
    status = loaded->ops->enumerate(loaded->backend, infos, indices, capacity, &count);
    count = count < capacity ? count : capacity;
    if (status == ISG_OK) {
        status = isg_reserve(list->allocator, (void **)&list->entries, &list->capacity,
                             list->count + count, sizeof *list->entries);
    }
    if (status != ISG_OK) {
        goto done;
    }
    for (uint32_t i = 0; i < count; i++) {
        list->entries[list->count++] = (isg_listing_entry){
            .info = infos[i],
            .backend_rank = rank,
            .driver_index = indices[i],
        };
    }

done:
    isg_free(list->allocator, infos, capacity * sizeof *infos);
    isg_free(list->allocator, indices, capacity * sizeof *indices);
    return status;
}

static isg_status list_backend(isg_instance *instance, listing *list, uint32_t rank)
{
    isg_loaded_backend *loaded = &instance->backends[rank];
    uint32_t before = list->count;
    isg_status status = ISG_OK;

    if (loaded->backend == NULL || loaded->reason != NULL) {
        return ISG_OK;
    }
    status = append_devices(list, loaded, rank);
    if (status == ISG_ERROR_OUT_OF_MEMORY) {
        return status;
    }
    if (status != ISG_OK) {
        loaded->reason = isg_string_copy(&instance->allocator, isg_last_error());
    } else if (list->count == before) {
        loaded->reason = isg_string_copy(&instance->allocator,
                                         "its loader is there, but no driver offers a device; "
                                         "install a driver for your device");
    } else {
        return ISG_OK;
    }
    return loaded->reason != NULL ? ISG_OK : isg_fail_host_memory("the list of devices");
}

/* Keeps what was found. */
static isg_status listing_keep(isg_instance *instance, const listing *list, uint32_t count)
{
    instance->infos = isg_alloc(&instance->allocator, count * sizeof *instance->infos);
    instance->listing = isg_alloc(&instance->allocator, count * sizeof *instance->listing);
    if (instance->infos == NULL || instance->listing == NULL) {
        isg_free(&instance->allocator, instance->infos, count * sizeof *instance->infos);
        isg_free(&instance->allocator, instance->listing, count * sizeof *instance->listing);
        instance->infos = NULL;
        instance->listing = NULL;
        return isg_fail_host_memory("the list of devices");
    }
    for (uint32_t i = 0; i < count; i++) {
        instance->infos[i] = list->entries[i].info;
        instance->listing[i] = (isg_listed_device){
            .backend = instance->backends[list->entries[i].backend_rank].backend,
            .driver_index = list->entries[i].driver_index,
        };
    }
    instance->device_count = count;
    instance->listed = true;
    return ISG_OK;
}

isg_status isg_instance_list(isg_instance *instance)
{
    listing list = {.allocator = &instance->allocator};
    isg_status status = ISG_OK;

    pthread_mutex_lock(&instance->lock);
    if (!instance->listed) {
        for (uint32_t i = 0; i < instance->backend_count && status == ISG_OK; i++) {
            status = list_backend(instance, &list, i);
        }
        if (status == ISG_OK) {
            status = listing_keep(instance, &list, isg_listing_arrange(list.entries, list.count));
        }
        isg_free(&instance->allocator, list.entries, list.capacity * sizeof *list.entries);
    }
    pthread_mutex_unlock(&instance->lock);
    return status;
}
