/* Choosing a device by a selector: a plain function over a list of devices. */
#ifndef ISOGRID_CORE_SELECTOR_H
#define ISOGRID_CORE_SELECTOR_H

#include "core/backend.h"

/* What the list of devices came from. */
typedef struct isg_selector_list {
    const isg_device_info *infos; /* in the public order */
    uint32_t count;
    const isg_backend_info *backends; /* in order of preference */
    uint32_t backend_count;
} isg_selector_list;

/* Finds the one device that `selector` means; isg_device_open() tells how selectors read.
 * `environment` is the value of ISOGRID_DEVICE or NULL, asked only for NULL, "" and "auto".
 * Errors are those of isg_device_open(). */
isg_status isg_selector_match(const isg_selector_list *list, const char *selector,
                              const char *environment, uint32_t *out_index);

#endif
