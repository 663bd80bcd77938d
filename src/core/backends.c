/* The backends of this build, in order of preference. */
#include "core/instance.h"

const isg_backend_ops *const *isg_backends(uint32_t *out_count)
{
    static const isg_backend_ops *const backends[] = {&isg_vk_backend};

    *out_count = sizeof backends / sizeof backends[0];
    return backends;
}
