/* The order of devices, as plain functions over their descriptions. */
#ifndef ISOGRID_CORE_LISTING_H
#define ISOGRID_CORE_LISTING_H

#include "core/backend.h"

/* One device on its way into the list. */
typedef struct isg_listing_entry {
    isg_device_info info;
    uint32_t backend_rank; /* position of its backend in the order of preference */
    uint32_t driver_index;
} isg_listing_entry;

/* 0 is liked best: discrete GPU, integrated, virtual, other, CPU. */
uint32_t isg_device_type_rank(isg_device_type type);

/* Sorts into the public order, drops devices that two manifests name twice, numbers the rest within
 * their backends and writes their selectors. Returns how many are left. */
uint32_t isg_listing_arrange(isg_listing_entry *entries, uint32_t count);

#endif
