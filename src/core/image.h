/* Images of callers. */
#ifndef ISOGRID_CORE_IMAGE_H
#define ISOGRID_CORE_IMAGE_H

#include "core/backend.h"

/* Bytes of a whole image, rows tightly packed. */
uint64_t isg_image_bytes(const isg_image *image);
void isg_image_destroy(isg_image *image);

#endif
