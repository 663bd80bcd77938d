/* Owns isogrid's private copy of volk.
 *
 * volk.c defines some nine hundred global pointers and functions. An application may hold a volk of
 * its own, so none of them may be seen outside: src/CMakeLists.txt makes every symbol of this
 * object but the one below local (objcopy --keep-global-symbol), which also keeps the static
 * library's names to isg_.
 */
#include "vk_volk.h"

#include <volk.c>

typedef struct load_context {
    VkDevice device;
    PFN_vkGetDeviceProcAddr get_proc_addr;
} load_context;

static PFN_vkVoidFunction load_entry(void *context, const char *name)
{
    const load_context *from = context;
    return from->get_proc_addr(from->device, name);
}

void isg_vk_load_device_table(struct VolkDeviceTable *table, VkDevice device,
                              PFN_vkGetDeviceProcAddr get_proc_addr)
{
    load_context context = {device, get_proc_addr};
    volkGenLoadDeviceTable(table, &context, load_entry);
}
