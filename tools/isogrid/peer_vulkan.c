/* The hand-written peer's device, buffers and pipelines. */
#include "peer_vulkan.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static char peer_error_text[512];

const char *isg_peer_error(void)
{
    return peer_error_text;
}

bool isg_peer_fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(peer_error_text, sizeof peer_error_text, format, arguments);
    va_end(arguments);
    return false;
}

bool isg_peer_check(VkResult result, const char *what)
{
    return result == VK_SUCCESS || isg_peer_fail("peer: %s failed with VkResult %d", what, result);
}

uint64_t isg_peer_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

typedef struct entry {
    const char *name;
    size_t offset; /* into isg_peer_functions */
} entry;

#define ENTRY(function) {"vk" #function, offsetof(isg_peer_functions, function)},
static const entry instance_entries[] = {ISG_PEER_INSTANCE_FUNCTIONS(ENTRY)};
static const entry device_entries[] = {ISG_PEER_DEVICE_FUNCTIONS(ENTRY)};

static bool store(isg_peer *peer, const entry *one, PFN_vkVoidFunction function)
{
    memcpy((char *)&peer->vk + one->offset, &function, sizeof function);
    return function != NULL || isg_peer_fail("peer: the driver or loader has no %s", one->name);
}

static bool load_instance(isg_peer *peer)
{
    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "isogrid peer",
        .apiVersion = VK_API_VERSION_1_3,
    };
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &application,
    };
    PFN_vkGetInstanceProcAddr get = NULL;
    PFN_vkCreateInstance create = NULL;

    peer->library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (peer->library == NULL) {
        return isg_peer_fail("peer: %s; install libvulkan1", dlerror());
    }
    *(void **)&get = dlsym(peer->library, "vkGetInstanceProcAddr");
    if (get == NULL) {
        return isg_peer_fail("peer: libvulkan.so.1 has no vkGetInstanceProcAddr");
    }
    create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
    if (create == NULL ||
        !isg_peer_check(create(&info, NULL, &peer->instance), "vkCreateInstance")) {
        return false;
    }
    for (size_t i = 0; i < sizeof instance_entries / sizeof *instance_entries; i++) {
        if (!store(peer, &instance_entries[i], get(peer->instance, instance_entries[i].name))) {
            return false;
        }
    }
    return true;
}

static bool matches(isg_peer *peer, VkPhysicalDevice physical, const uint8_t *uuid,
                    const char *text)
{
    VkPhysicalDeviceVulkan12Properties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
    VkPhysicalDeviceVulkan11Properties identity = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, .pNext = &driver};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &identity};
    char whole[sizeof peer->name + sizeof peer->driver_info + 1];

    peer->vk.GetPhysicalDeviceProperties2(physical, &all);
    snprintf(peer->name, sizeof peer->name, "%s", all.properties.deviceName);
    snprintf(peer->driver_info, sizeof peer->driver_info, "%s", driver.driverInfo);
    memcpy(peer->uuid, identity.deviceUUID, sizeof peer->uuid);
    peer->timestamp_period = (double)all.properties.limits.timestampPeriod;
    if (uuid != NULL) {
        return memcmp(uuid, peer->uuid, VK_UUID_SIZE) == 0;
    }
    snprintf(whole, sizeof whole, "%s %s", peer->name, peer->driver_info);
    return text == NULL || strstr(whole, text) != NULL;
}

static bool pick_physical(isg_peer *peer, const uint8_t *uuid, const char *text)
{
    VkPhysicalDevice devices[16];
    uint32_t count = 16;
    VkResult result = peer->vk.EnumeratePhysicalDevices(peer->instance, &count, devices);

    if (result != VK_INCOMPLETE && !isg_peer_check(result, "vkEnumeratePhysicalDevices")) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (matches(peer, devices[i], uuid, text)) {
            peer->physical = devices[i];
            return true;
        }
    }
    return isg_peer_fail("peer: none of %u Vulkan devices matches", count);
}

static bool pick_family(isg_peer *peer, uint32_t rank)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 0, found = 0;

    /* SwiftShader answers with the capacity unless it has been asked for the count. */
    peer->vk.GetPhysicalDeviceQueueFamilyProperties(peer->physical, &count, NULL);
    count = count < 16 ? count : 16;
    peer->vk.GetPhysicalDeviceQueueFamilyProperties(peer->physical, &count, families);
    /* Those without graphics first: they are the faster ones. */
    for (VkQueueFlags graphics = 0; graphics <= VK_QUEUE_GRAPHICS_BIT;
         graphics += VK_QUEUE_GRAPHICS_BIT) {
        for (uint32_t i = 0; i < count; i++) {
            VkQueueFlags flags = families[i].queueFlags;

            if ((flags & VK_QUEUE_COMPUTE_BIT) && (flags & VK_QUEUE_GRAPHICS_BIT) == graphics &&
                found++ == rank) {
                peer->family = i;
                peer->family_flags = flags;
                peer->timestamp_bits = families[i].timestampValidBits;
                return true;
            }
        }
    }
    return isg_peer_fail("peer: '%s' has %u queue families that compute, not %u", peer->name, found,
                         rank + 1);
}

static bool has_extension(isg_peer *peer, const char *name)
{
    static VkExtensionProperties extensions[512];
    uint32_t count = 512;

    if (peer->vk.EnumerateDeviceExtensionProperties(peer->physical, NULL, &count, extensions) < 0) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(extensions[i].extensionName, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool create_device(isg_peer *peer)
{
    VkPhysicalDeviceSynchronization2Features has_sync2 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &has_sync2};
    VkPhysicalDeviceSynchronization2Features sync2 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES};
    VkPhysicalDeviceVulkan12Features vulkan12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .pNext = &sync2,
        .timelineSemaphore = VK_TRUE,
        .hostQueryReset = VK_TRUE,
    };
    const float priority = 1.0f;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = peer->family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    const char *marker = VK_AMD_BUFFER_MARKER_EXTENSION_NAME;
    const bool has_marker = has_extension(peer, marker);
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &vulkan12,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = has_marker ? 1 : 0,
        .ppEnabledExtensionNames = &marker,
    };

    peer->vk.GetPhysicalDeviceFeatures2(peer->physical, &features);
    sync2.synchronization2 = has_sync2.synchronization2;
    if (!isg_peer_check(peer->vk.CreateDevice(peer->physical, &info, NULL, &peer->device),
                        "vkCreateDevice")) {
        return false;
    }
    for (size_t i = 0; i < sizeof device_entries / sizeof *device_entries; i++) {
        const entry *one = &device_entries[i];

        if (!store(peer, one, peer->vk.GetDeviceProcAddr(peer->device, one->name))) {
            return false;
        }
    }
    if (sync2.synchronization2) {
        peer->vk.QueueSubmit2 =
            (PFN_vkQueueSubmit2)peer->vk.GetDeviceProcAddr(peer->device, "vkQueueSubmit2");
    }
    if (has_marker) {
        peer->vk.CmdWriteBufferMarkerAMD =
            (PFN_vkCmdWriteBufferMarkerAMD)peer->vk.GetDeviceProcAddr(peer->device,
                                                                      "vkCmdWriteBufferMarkerAMD");
    }
    peer->vk.GetDeviceQueue(peer->device, peer->family, 0, &peer->queue);
    peer->vk.GetPhysicalDeviceMemoryProperties(peer->physical, &peer->memory);
    return true;
}

bool isg_peer_open(isg_peer *peer, const uint8_t *uuid, const char *text, uint32_t family_rank)
{
    memset(peer, 0, sizeof *peer);
    if (load_instance(peer) && pick_physical(peer, uuid, text) && pick_family(peer, family_rank) &&
        create_device(peer)) {
        return true;
    }
    isg_peer_close(peer);
    return false;
}

void isg_peer_close(isg_peer *peer)
{
    if (peer->device != VK_NULL_HANDLE && peer->vk.DestroyDevice != NULL) {
        peer->vk.DeviceWaitIdle(peer->device);
        peer->vk.DestroyDevice(peer->device, NULL);
    }
    if (peer->instance != VK_NULL_HANDLE && peer->vk.DestroyInstance != NULL) {
        peer->vk.DestroyInstance(peer->instance, NULL);
    }
    /* The loader stays loaded: some drivers leave threads behind that run its code. */
    memset(peer, 0, sizeof *peer);
}

static uint32_t pick_memory(const isg_peer *peer, uint32_t allowed, VkMemoryPropertyFlags wanted,
                            VkMemoryPropertyFlags avoided)
{
    for (int strict = 1; strict >= 0; strict--) {
        for (uint32_t i = 0; i < peer->memory.memoryTypeCount; i++) {
            const VkMemoryPropertyFlags flags = peer->memory.memoryTypes[i].propertyFlags;

            if ((allowed >> i & 1u) && (flags & wanted) == wanted &&
                !(strict && (flags & avoided))) {
                return i;
            }
        }
    }
    return UINT32_MAX;
}

bool isg_peer_buffer_create(isg_peer *peer, VkDeviceSize size, VkMemoryPropertyFlags wanted,
                            VkMemoryPropertyFlags avoided, isg_peer_buffer *out)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    };
    VkMemoryRequirements needs;
    VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};

    memset(out, 0, sizeof *out);
    if (!isg_peer_check(peer->vk.CreateBuffer(peer->device, &info, NULL, &out->handle),
                        "vkCreateBuffer")) {
        return false;
    }
    peer->vk.GetBufferMemoryRequirements(peer->device, out->handle, &needs);
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = pick_memory(peer, needs.memoryTypeBits, wanted, avoided);
    if (allocation.memoryTypeIndex == UINT32_MAX) {
        isg_peer_buffer_destroy(peer, out);
        return isg_peer_fail("peer: no memory type with properties 0x%x", wanted);
    }
    if (isg_peer_check(peer->vk.AllocateMemory(peer->device, &allocation, NULL, &out->memory),
                       "vkAllocateMemory") &&
        isg_peer_check(peer->vk.BindBufferMemory(peer->device, out->handle, out->memory, 0),
                       "vkBindBufferMemory") &&
        (!(wanted & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) ||
         isg_peer_check(
             peer->vk.MapMemory(peer->device, out->memory, 0, VK_WHOLE_SIZE, 0, &out->mapped),
             "vkMapMemory"))) {
        return true;
    }
    isg_peer_buffer_destroy(peer, out);
    return false;
}

void isg_peer_buffer_destroy(isg_peer *peer, isg_peer_buffer *buffer)
{
    peer->vk.DestroyBuffer(peer->device, buffer->handle, NULL);
    peer->vk.FreeMemory(peer->device, buffer->memory, NULL);
    memset(buffer, 0, sizeof *buffer);
}

static bool create_pipeline(isg_peer *peer, const uint32_t *words, size_t size, bool with_set,
                            isg_peer_kernel *out)
{
    const VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
    const VkDescriptorSetLayoutBinding binding = {
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .descriptorCount = 1,
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
    };
    const VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = with_set ? 1 : 0,
        .pBindings = &binding,
    };
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &out->set_layout,
    };
    VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main"},
    };

    if (!isg_peer_check(peer->vk.CreateShaderModule(peer->device, &module, NULL, &out->module),
                        "vkCreateShaderModule") ||
        !isg_peer_check(
            peer->vk.CreateDescriptorSetLayout(peer->device, &set_layout, NULL, &out->set_layout),
            "vkCreateDescriptorSetLayout") ||
        !isg_peer_check(peer->vk.CreatePipelineLayout(peer->device, &layout, NULL, &out->layout),
                        "vkCreatePipelineLayout")) {
        return false;
    }
    pipeline.stage.module = out->module;
    pipeline.layout = out->layout;
    return isg_peer_check(peer->vk.CreateComputePipelines(peer->device, VK_NULL_HANDLE, 1,
                                                          &pipeline, NULL, &out->pipeline),
                          "vkCreateComputePipelines");
}

static bool create_set(isg_peer *peer, const isg_peer_buffer *buffer, isg_peer_kernel *out)
{
    const VkDescriptorPoolSize one = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &one};
    VkDescriptorSetAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorSetCount = 1,
        .pSetLayouts = &out->set_layout,
    };
    const VkDescriptorBufferInfo range = {buffer->handle, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .pBufferInfo = &range,
    };

    if (!isg_peer_check(peer->vk.CreateDescriptorPool(peer->device, &pool, NULL, &out->pool),
                        "vkCreateDescriptorPool")) {
        return false;
    }
    allocation.descriptorPool = out->pool;
    if (!isg_peer_check(peer->vk.AllocateDescriptorSets(peer->device, &allocation, &out->set),
                        "vkAllocateDescriptorSets")) {
        return false;
    }
    write.dstSet = out->set;
    peer->vk.UpdateDescriptorSets(peer->device, 1, &write, 0, NULL);
    return true;
}

bool isg_peer_kernel_create(isg_peer *peer, const uint32_t *words, size_t size,
                            const isg_peer_buffer *buffer, isg_peer_kernel *out)
{
    memset(out, 0, sizeof *out);
    if (create_pipeline(peer, words, size, buffer != NULL, out) &&
        (buffer == NULL || create_set(peer, buffer, out))) {
        return true;
    }
    isg_peer_kernel_destroy(peer, out);
    return false;
}

void isg_peer_kernel_destroy(isg_peer *peer, isg_peer_kernel *kernel)
{
    peer->vk.DestroyPipeline(peer->device, kernel->pipeline, NULL);
    peer->vk.DestroyPipelineLayout(peer->device, kernel->layout, NULL);
    peer->vk.DestroyDescriptorPool(peer->device, kernel->pool, NULL);
    peer->vk.DestroyDescriptorSetLayout(peer->device, kernel->set_layout, NULL);
    peer->vk.DestroyShaderModule(peer->device, kernel->module, NULL);
    memset(kernel, 0, sizeof *kernel);
}

void isg_peer_cmd_dispatch(isg_peer *peer, VkCommandBuffer commands, const isg_peer_kernel *kernel,
                           uint32_t workgroups)
{
    peer->vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    if (kernel->set != VK_NULL_HANDLE) {
        peer->vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0,
                                       1, &kernel->set, 0, NULL);
    }
    peer->vk.CmdDispatch(commands, workgroups, 1, 1);
}

void isg_peer_cmd_barrier(isg_peer *peer, VkCommandBuffer commands, VkPipelineStageFlags from,
                          VkAccessFlags from_access, VkPipelineStageFlags to,
                          VkAccessFlags to_access)
{
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = from_access,
                                     .dstAccessMask = to_access};

    peer->vk.CmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, NULL, 0, NULL);
}
