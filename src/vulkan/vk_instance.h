/* The backend's side without a device: loader, instance, messages, physical devices. */
#ifndef ISG_VK_INSTANCE_H
#define ISG_VK_INSTANCE_H

#include "core/backend.h"
#include "vulkan/vk_volk.h"

#include <pthread.h>
#include <stdio.h>

/* Entry points that need an instance; all are there once isg_vk_instance_load() has returned OK,
 * except those of VK_EXT_debug_utils, which are there when driver->debug_utils is. */
#define ISG_VK_INSTANCE_ENTRIES(entry)                                                             \
    entry(DestroyInstance) entry(EnumeratePhysicalDevices)                                         \
        entry(EnumerateDeviceExtensionProperties) entry(GetPhysicalDeviceProperties)               \
            entry(GetPhysicalDeviceProperties2) entry(GetPhysicalDeviceFeatures2)                  \
                entry(GetPhysicalDeviceMemoryProperties) entry(GetPhysicalDeviceMemoryProperties2) \
                    entry(GetPhysicalDeviceQueueFamilyProperties)                                  \
                        entry(GetPhysicalDeviceFormatProperties) entry(CreateDevice)               \
                            entry(GetDeviceProcAddr)

#define ISG_VK_DEBUG_ENTRIES(entry)                                                                \
    entry(CreateDebugUtilsMessengerEXT) entry(DestroyDebugUtilsMessengerEXT)                       \
        entry(SetDebugUtilsObjectNameEXT)

typedef struct isg_vk_instance_table {
#define ISG_VK_DECLARE(name) PFN_vk##name name;
    ISG_VK_INSTANCE_ENTRIES(ISG_VK_DECLARE)
    ISG_VK_DEBUG_ENTRIES(ISG_VK_DECLARE)
#undef ISG_VK_DECLARE
} isg_vk_instance_table;

/* libvulkan, opened. */
typedef struct isg_vk_loader {
    void *library; /* owned; NULL: not open */
    PFN_vkGetInstanceProcAddr get_proc_addr;
    uint32_t api; /* what the loader speaks, at most 1.3 */
    char file[256];
} isg_vk_loader;

/* Opens the loader. UNAVAILABLE names the files tried, with dlerror(), and what to install. */
isg_status isg_vk_loader_open(isg_vk_loader *loader);
void isg_vk_loader_close(isg_vk_loader *loader);

/* Where messages of the loader and of layers go. */
typedef struct isg_vk_messages {
    pthread_mutex_t mutex;  /* guards the members below */
    isg_instance *instance; /* borrowed; NULL: muted */
    FILE *file;             /* owned; from ISOGRID_VULKAN_MESSAGES; NULL: none */
    bool report_count;      /* ISOGRID_VULKAN_MESSAGES=count */
    uint64_t count;         /* warnings and errors, the loader's own left out */
    char loader_error[512]; /* the loader's errors while the instance was created */
} isg_vk_messages;

void isg_vk_messages_open(isg_vk_messages *messages, isg_instance *instance);
void isg_vk_messages_close(isg_vk_messages *messages);
/* From now on nothing is passed to the instance, which is about to go while its driver stays. */
void isg_vk_messages_mute(isg_vk_messages *messages);
/* Whether messages are asked for, by environment or by the instance. */
bool isg_vk_messages_wanted(const isg_vk_messages *messages);
VkDebugUtilsMessengerCreateInfoEXT isg_vk_messages_info(isg_vk_messages *messages);

/* Feature structs of one device, linked as far as the device knows them. */
typedef struct isg_vk_features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;              /* API 1.3 */
    VkPhysicalDeviceMaintenance4Features maintenance4; /* API 1.2 with the extension */
    VkPhysicalDeviceShaderClockFeaturesKHR shader_clock;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
} isg_vk_features;

/* Device extensions that isogrid uses when they are there. */
typedef struct isg_vk_extensions {
    bool push_descriptor;
    bool memory_budget;
    bool maintenance4; /* as an extension; part of API 1.3 */
    bool shader_clock;
    bool atomic_float;
    bool non_semantic_info;
} isg_vk_extensions;

/* What is known of one physical device before it is opened. Immutable. */
typedef struct isg_vk_physical {
    VkPhysicalDevice handle;
    uint32_t api; /* usable: the device's, at most the instance's */
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceVulkan11Properties v11;
    VkPhysicalDeviceVulkan12Properties v12;
    VkPhysicalDeviceMemoryProperties memory;
    isg_vk_features features; /* supported; pointers inside are only good in place */
    isg_vk_extensions extensions;
    uint64_t max_buffer_size;
    uint32_t max_push_descriptors; /* 0: no push descriptors */
    uint32_t queue_family;         /* the one with compute that isogrid uses */
    uint32_t queue_count;          /* its queues; 0: no such family */
    uint32_t timestamp_bits;       /* valid bits of its timestamps; 0: none */
    const char *unusable;          /* static; "" when it can be opened */
} isg_vk_physical;

typedef struct isg_vk_driver {
    isg_backend base;
    const isg_host_allocator *allocator; /* borrowed from the instance */
    isg_vk_loader loader;
    isg_vk_messages messages;
    VkInstance instance; /* owned */
    uint32_t api;        /* of the instance */
    isg_vk_instance_table vk;
    bool debug_utils;
    VkDebugUtilsMessengerEXT messenger;
    isg_vk_physical *physicals; /* owned, in the driver's order */
    uint32_t physical_count;
    atomic_bool abandoned; /* a device was abandoned: nothing of the driver may be destroyed */
} isg_vk_driver;

_Static_assert(offsetof(isg_vk_driver, base) == 0, "core casts between them");

isg_status isg_vk_instance_create(isg_vk_driver *driver);
void isg_vk_instance_destroy(isg_vk_driver *driver);

/* Fills driver->physicals. UNAVAILABLE when there are none. */
isg_status isg_vk_physicals_query(isg_vk_driver *driver);
/* Links the structs of `features` that this device knows, for a query or for device creation. */
void isg_vk_features_link(isg_vk_features *features, const isg_vk_physical *physical);
/* The part of what is supported that isogrid enables. */
void isg_vk_features_choose(isg_vk_features *out, const isg_vk_physical *physical);
/* Fills everything but `selector` and `index`. */
void isg_vk_info_fill(const isg_vk_physical *physical, isg_device_info *out);

isg_status isg_vk_backend_create(isg_instance *instance, isg_backend **out);
void isg_vk_backend_destroy(isg_backend *base);
isg_status isg_vk_enumerate(isg_backend *base, isg_device_info *infos, uint32_t *driver_indices,
                            uint32_t capacity, uint32_t *out_count);

#endif
