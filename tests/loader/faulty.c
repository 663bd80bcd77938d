/* Stands between isogrid and the real Vulkan loader, counts calls that can fail, makes one of them
 * fail, and counts objects. One device at a time. */
#include "faulty.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static faulty_control control;
static VkDevice lost_device;
static PFN_vkDeviceWaitIdle real_DeviceWaitIdle;

faulty_control *isg_faulty_control(void);
PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance instance, const char *name);

faulty_control *isg_faulty_control(void)
{
    return &control;
}

/* Whether this call is the one. Only some functions may say that the device is lost; nothing runs on
 * a device that is. */
static int fails(const char *name, int can_lose, VkResult *out)
{
    if (control.result == VK_ERROR_DEVICE_LOST && !can_lose) {
        return 0;
    }
    if (atomic_fetch_add(&control.calls, 1) + 1 != atomic_load(&control.fail_at)) {
        return 0;
    }
    control.failed = name;
    *out = control.result;
    if (control.result == VK_ERROR_DEVICE_LOST) {
        if (real_DeviceWaitIdle && lost_device) {
            real_DeviceWaitIdle(lost_device);
        }
        atomic_store(&control.lost, 1);
    }
    return 1;
}

#define UNPACK(...) __VA_ARGS__

/* A function that can fail. `delta`: objects it makes. */
#define FAILING(name, delta, declaration, arguments)                                               \
    static PFN_vk##name real_##name;                                                               \
    static VKAPI_ATTR VkResult VKAPI_CALL faulty_##name(UNPACK declaration)                        \
    {                                                                                              \
        VkResult result;                                                                           \
        if (!fails("vk" #name, 0, &result)) {                                                      \
            result = real_##name(UNPACK arguments);                                                \
            if (result == VK_SUCCESS) {                                                            \
                atomic_fetch_add(&control.live, delta);                                            \
            }                                                                                      \
        }                                                                                          \
        return result;                                                                             \
    }

/* One that a lost device makes fail for ever. */
#define LOSING(name, declaration, arguments)                                                       \
    static PFN_vk##name real_##name;                                                               \
    static VKAPI_ATTR VkResult VKAPI_CALL faulty_##name(UNPACK declaration)                        \
    {                                                                                              \
        VkResult result;                                                                           \
        if (atomic_load(&control.lost)) {                                                          \
            return VK_ERROR_DEVICE_LOST;                                                           \
        }                                                                                          \
        return fails("vk" #name, 1, &result) ? result : real_##name(UNPACK arguments);             \
    }

#define DESTROYING(name, type)                                                                     \
    static PFN_vk##name real_##name;                                                               \
    static VKAPI_ATTR void VKAPI_CALL faulty_##name(VkDevice device, type object,                  \
                                                    const VkAllocationCallbacks *callbacks)        \
    {                                                                                              \
        real_##name(device, object, callbacks);                                                    \
        atomic_fetch_sub(&control.live, object != VK_NULL_HANDLE);                                 \
    }

#define CREATING(name, info, type)                                                                 \
    FAILING(                                                                                       \
        name, 1,                                                                                   \
        (VkDevice device, const info *create, const VkAllocationCallbacks *callbacks, type *out),  \
        (device, create, callbacks, out))

CREATING(AllocateMemory, VkMemoryAllocateInfo, VkDeviceMemory)
CREATING(CreateBuffer, VkBufferCreateInfo, VkBuffer)
CREATING(CreateImage, VkImageCreateInfo, VkImage)
CREATING(CreateImageView, VkImageViewCreateInfo, VkImageView)
CREATING(CreateSampler, VkSamplerCreateInfo, VkSampler)
CREATING(CreateDescriptorSetLayout, VkDescriptorSetLayoutCreateInfo, VkDescriptorSetLayout)
CREATING(CreatePipelineLayout, VkPipelineLayoutCreateInfo, VkPipelineLayout)
CREATING(CreateShaderModule, VkShaderModuleCreateInfo, VkShaderModule)
CREATING(CreatePipelineCache, VkPipelineCacheCreateInfo, VkPipelineCache)
CREATING(CreateCommandPool, VkCommandPoolCreateInfo, VkCommandPool)
CREATING(CreateDescriptorPool, VkDescriptorPoolCreateInfo, VkDescriptorPool)
CREATING(CreateQueryPool, VkQueryPoolCreateInfo, VkQueryPool)
CREATING(CreateSemaphore, VkSemaphoreCreateInfo, VkSemaphore)
CREATING(CreateEvent, VkEventCreateInfo, VkEvent)
FAILING(CreateComputePipelines, 1,
        (VkDevice device, VkPipelineCache cache, uint32_t count,
         const VkComputePipelineCreateInfo *infos, const VkAllocationCallbacks *callbacks,
         VkPipeline *out),
        (device, cache, count, infos, callbacks, out))

DESTROYING(FreeMemory, VkDeviceMemory)
DESTROYING(DestroyBuffer, VkBuffer)
DESTROYING(DestroyImage, VkImage)
DESTROYING(DestroyImageView, VkImageView)
DESTROYING(DestroySampler, VkSampler)
DESTROYING(DestroyDescriptorSetLayout, VkDescriptorSetLayout)
DESTROYING(DestroyPipelineLayout, VkPipelineLayout)
DESTROYING(DestroyShaderModule, VkShaderModule)
DESTROYING(DestroyPipelineCache, VkPipelineCache)
DESTROYING(DestroyCommandPool, VkCommandPool)
DESTROYING(DestroyDescriptorPool, VkDescriptorPool)
DESTROYING(DestroyQueryPool, VkQueryPool)
DESTROYING(DestroySemaphore, VkSemaphore)
DESTROYING(DestroyEvent, VkEvent)
DESTROYING(DestroyPipeline, VkPipeline)

FAILING(MapMemory, 0,
        (VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
         VkMemoryMapFlags flags, void **out),
        (device, memory, offset, size, flags, out))
FAILING(BindBufferMemory, 0,
        (VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset),
        (device, buffer, memory, offset))
FAILING(BindImageMemory, 0,
        (VkDevice device, VkImage image, VkDeviceMemory memory, VkDeviceSize offset),
        (device, image, memory, offset))
FAILING(AllocateCommandBuffers, 0,
        (VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out),
        (device, info, out))
FAILING(AllocateDescriptorSets, 0,
        (VkDevice device, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *out),
        (device, info, out))
FAILING(BeginCommandBuffer, 0, (VkCommandBuffer commands, const VkCommandBufferBeginInfo *info),
        (commands, info))
FAILING(EndCommandBuffer, 0, (VkCommandBuffer commands), (commands))
FAILING(ResetCommandPool, 0, (VkDevice device, VkCommandPool pool, VkCommandPoolResetFlags flags),
        (device, pool, flags))
FAILING(ResetEvent, 0, (VkDevice device, VkEvent event), (device, event))

LOSING(QueueSubmit, (VkQueue queue, uint32_t count, const VkSubmitInfo *infos, VkFence fence),
       (queue, count, infos, fence))
LOSING(GetSemaphoreCounterValue, (VkDevice device, VkSemaphore semaphore, uint64_t *out),
       (device, semaphore, out))
LOSING(WaitSemaphores, (VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout),
       (device, info, timeout))
LOSING(GetEventStatus, (VkDevice device, VkEvent event), (device, event))
LOSING(GetQueryPoolResults,
       (VkDevice device, VkQueryPool pool, uint32_t first, uint32_t count, size_t size, void *data,
        VkDeviceSize stride, VkQueryResultFlags flags),
       (device, pool, first, count, size, data, stride, flags))

/* ---- instance level --------------------------------------------------------------------------- */

static PFN_vkGetDeviceProcAddr real_GetDeviceProcAddr;
static PFN_vkCreateInstance real_CreateInstance;
static PFN_vkDestroyInstance real_DestroyInstance;
static PFN_vkCreateDevice real_CreateDevice;
static PFN_vkDestroyDevice real_DestroyDevice;

static VKAPI_ATTR VkResult VKAPI_CALL faulty_CreateInstance(const VkInstanceCreateInfo *info,
                                                            const VkAllocationCallbacks *callbacks,
                                                            VkInstance *out)
{
    VkResult result;
    if (!fails("vkCreateInstance", 0, &result)) {
        result = real_CreateInstance(info, callbacks, out);
        atomic_fetch_add(&control.live, result == VK_SUCCESS);
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL faulty_DestroyInstance(VkInstance instance,
                                                         const VkAllocationCallbacks *callbacks)
{
    real_DestroyInstance(instance, callbacks);
    atomic_fetch_sub(&control.live, 1);
}

static VKAPI_ATTR VkResult VKAPI_CALL faulty_CreateDevice(VkPhysicalDevice physical,
                                                          const VkDeviceCreateInfo *info,
                                                          const VkAllocationCallbacks *callbacks,
                                                          VkDevice *out)
{
    VkResult result;
    if (!fails("vkCreateDevice", 0, &result)) {
        result = real_CreateDevice(physical, info, callbacks, out);
        lost_device = result == VK_SUCCESS ? *out : VK_NULL_HANDLE;
        atomic_fetch_add(&control.live, result == VK_SUCCESS);
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL faulty_DestroyDevice(VkDevice device,
                                                       const VkAllocationCallbacks *callbacks)
{
    lost_device = VK_NULL_HANDLE;
    real_DestroyDevice(device, callbacks);
    atomic_fetch_sub(&control.live, 1);
}

/* ---- entry points ----------------------------------------------------------------------------- */

#define DEVICE_FUNCTIONS(entry)                                                                    \
    entry(AllocateMemory) entry(CreateBuffer) entry(CreateImage) entry(CreateImageView) entry(     \
        CreateSampler) entry(CreateDescriptorSetLayout) entry(CreatePipelineLayout)                \
        entry(CreateShaderModule) entry(CreatePipelineCache) entry(CreateCommandPool) entry(       \
            CreateDescriptorPool) entry(CreateQueryPool) entry(CreateSemaphore) entry(CreateEvent) \
            entry(CreateComputePipelines) entry(FreeMemory) entry(DestroyBuffer)                   \
                entry(DestroyImage) entry(DestroyImageView) entry(DestroySampler)                  \
                    entry(DestroyDescriptorSetLayout) entry(DestroyPipelineLayout) entry(          \
                        DestroyShaderModule) entry(DestroyPipelineCache) entry(DestroyCommandPool) \
                        entry(DestroyDescriptorPool) entry(DestroyQueryPool)                       \
                            entry(DestroySemaphore) entry(DestroyEvent) entry(DestroyPipeline)     \
                                entry(MapMemory) entry(BindBufferMemory) entry(BindImageMemory)    \
                                    entry(AllocateCommandBuffers) entry(AllocateDescriptorSets)    \
                                        entry(BeginCommandBuffer) entry(EndCommandBuffer)          \
                                            entry(ResetCommandPool) entry(ResetEvent)              \
                                                entry(QueueSubmit) entry(GetSemaphoreCounterValue) \
                                                    entry(WaitSemaphores) entry(GetEventStatus)    \
                                                        entry(GetQueryPoolResults)                 \
                                                            entry(DestroyDevice)

#define REPLACE(function)                                                                          \
    if (address && strcmp(name, "vk" #function) == 0) {                                            \
        real_##function = (PFN_vk##function)address;                                               \
        return (PFN_vkVoidFunction)faulty_##function;                                              \
    }

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL faulty_GetDeviceProcAddr(VkDevice device,
                                                                         const char *name)
{
    PFN_vkVoidFunction address = real_GetDeviceProcAddr(device, name);
    DEVICE_FUNCTIONS(REPLACE)
    if (strcmp(name, "vkDeviceWaitIdle") == 0) {
        real_DeviceWaitIdle = (PFN_vkDeviceWaitIdle)address;
    }
    return address;
}

PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance instance, const char *name)
{
    static PFN_vkGetInstanceProcAddr get;
    if (!get) {
        void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
        void *symbol = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
        if (!symbol) {
            return NULL;
        }
        memcpy(&get, &symbol, sizeof symbol);
    }
    PFN_vkVoidFunction address = get(instance, name);
    REPLACE(GetDeviceProcAddr)
    REPLACE(CreateInstance)
    REPLACE(DestroyInstance)
    REPLACE(CreateDevice)
    return address;
}
