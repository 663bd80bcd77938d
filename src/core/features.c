/* The names of features as messages spell them. */
#include "isogrid/isogrid.h"

static const char *const names[] = {
    "float16",
    "float64",
    "int8",
    "int16",
    "int64",
    "storage-8bit",
    "storage-16bit",
    "uniform-8bit",
    "uniform-16bit",
    "push-8bit",
    "push-16bit",
    "buffer-atomic-int64",
    "shared-atomic-int64",
    "buffer-atomic-float-add",
    "shared-atomic-float-add",
    "memory-model",
    "memory-model-device",
    "memory-model-chains",
    "subgroup-basic",
    "subgroup-vote",
    "subgroup-arithmetic",
    "subgroup-ballot",
    "subgroup-shuffle",
    "subgroup-shuffle-relative",
    "subgroup-clustered",
    "subgroup-quad",
    "shader-clock",
    "buffer-device-address",
    "images",
    "non-uniform-indexing",
    "image-without-format",
};

const char *isg_feature_name(uint32_t feature)
{
    for (uint32_t bit = 0; bit < sizeof names / sizeof names[0]; bit++) {
        if (feature == UINT32_C(1) << bit) {
            return names[bit];
        }
    }
    return NULL;
}
