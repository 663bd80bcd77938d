/* Owns the Vulkan loader library: which files are tried, and why none would do. */
#include "vulkan/vk_instance.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const char *const default_names[] = {"libvulkan.so.1", "libvulkan.so"};

static void *open_file(const char *name, char *reasons, size_t capacity)
{
    /* NODELETE: drivers leave exit handlers and thread-local destructors behind that would run in
     * unmapped code. */
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        size_t used = strlen(reasons);
        const char *reason = dlerror();
        snprintf(reasons + used, capacity - used, "%s%s", used ? "; " : "", reason ? reason : name);
    }
    return library;
}

static isg_status find_entry(isg_vk_loader *loader)
{
    /* POSIX guarantees that one holds the other, C does not. */
    void *address = dlsym(loader->library, "vkGetInstanceProcAddr");
    memcpy(&loader->get_proc_addr, &address, sizeof address);
    if (!loader->get_proc_addr) {
        return isg_fail(ISG_ERROR_UNAVAILABLE,
                        "'%s' is no Vulkan loader: it has no vkGetInstanceProcAddr; install the "
                        "package libvulkan1 or correct ISOGRID_VULKAN_LOADER",
                        loader->file);
    }
    uint32_t version = VK_API_VERSION_1_0;
    PFN_vkEnumerateInstanceVersion enumerate_version =
        (PFN_vkEnumerateInstanceVersion)loader->get_proc_addr(NULL, "vkEnumerateInstanceVersion");
    if (enumerate_version && enumerate_version(&version) != VK_SUCCESS) {
        version = VK_API_VERSION_1_0;
    }
    if (version < VK_API_VERSION_1_2) {
        return isg_fail(ISG_ERROR_UNAVAILABLE,
                        "the Vulkan loader '%s' speaks Vulkan %u.%u, isogrid needs 1.2; install a "
                        "newer libvulkan1",
                        loader->file, VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
    }
    loader->api = version < VK_API_VERSION_1_3 ? VK_API_VERSION_1_2 : VK_API_VERSION_1_3;
    return ISG_OK;
}

isg_status isg_vk_loader_open(isg_vk_loader *loader)
{
    const char *named = getenv("ISOGRID_VULKAN_LOADER");
    const char *const *names = named && *named ? &named : default_names;
    size_t count = names == default_names ? sizeof default_names / sizeof default_names[0] : 1;
    char reasons[1024] = "";

    for (size_t i = 0; i < count && !loader->library; i++) {
        loader->library = open_file(names[i], reasons, sizeof reasons);
        snprintf(loader->file, sizeof loader->file, "%s", names[i]);
    }
    if (!loader->library) {
        return isg_fail(ISG_ERROR_UNAVAILABLE,
                        "no Vulkan loader (%s); install libvulkan1 and a driver, e.g. "
                        "mesa-vulkan-drivers%s",
                        reasons, count == 1 ? ", or unset ISOGRID_VULKAN_LOADER" : "");
    }
    isg_status status = find_entry(loader);
    if (status != ISG_OK) {
        isg_vk_loader_close(loader);
    }
    return status;
}

void isg_vk_loader_close(isg_vk_loader *loader)
{
    if (loader->library) {
        dlclose(loader->library);
    }
    loader->library = NULL;
    loader->get_proc_addr = NULL;
}
