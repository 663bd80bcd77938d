/* Stands for a Vulkan loader that is broken in one way.
 *   STUB_NO_DRIVER   a loader that finds no driver: vkCreateInstance fails
 *   STUB_NO_ENTRIES  knows no function at all
 *   neither          a library without vkGetInstanceProcAddr */
#include <string.h>

typedef void (*entry)(void);
entry vkGetInstanceProcAddr(void *instance, const char *name);
int isg_stub_is_not_empty(void);

int isg_stub_is_not_empty(void)
{
    return 1;
}

#if defined STUB_NO_DRIVER
static int create_instance(const void *info, const void *allocator, void **out)
{
    (void)info;
    (void)allocator;
    (void)out;
    return -9; /* VK_ERROR_INCOMPATIBLE_DRIVER */
}

static int enumerate_version(unsigned *out)
{
    *out = 1u << 22 | 3u << 12; /* 1.3 */
    return 0;
}

static int enumerate_nothing(const char *layer, unsigned *count, void *properties)
{
    (void)layer;
    (void)properties;
    *count = 0;
    return 0;
}

static int enumerate_no_layers(unsigned *count, void *properties)
{
    return enumerate_nothing(NULL, count, properties);
}

entry vkGetInstanceProcAddr(void *instance, const char *name)
{
    (void)instance;
    if (strcmp(name, "vkCreateInstance") == 0)
        return (entry)create_instance;
    if (strcmp(name, "vkEnumerateInstanceVersion") == 0)
        return (entry)enumerate_version;
    if (strcmp(name, "vkEnumerateInstanceExtensionProperties") == 0)
        return (entry)enumerate_nothing;
    if (strcmp(name, "vkEnumerateInstanceLayerProperties") == 0)
        return (entry)enumerate_no_layers;
    return NULL;
}
#elif defined STUB_NO_ENTRIES
entry vkGetInstanceProcAddr(void *instance, const char *name)
{
    (void)instance;
    (void)name;
    return NULL;
}
#endif
