/* Hand-written Vulkan that benchmarks compare isogrid with: it shares no code with the library.
 *
 * Threads: a peer and what belongs to it are externally synchronised.
 */
#ifndef ISOGRID_TOOLS_PEER_VULKAN_H
#define ISOGRID_TOOLS_PEER_VULKAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

#define ISG_PEER_INSTANCE_FUNCTIONS(X)                                                             \
    X(DestroyInstance)                                                                             \
    X(EnumeratePhysicalDevices)                                                                    \
    X(EnumerateDeviceExtensionProperties)                                                          \
    X(GetPhysicalDeviceProperties2)                                                                \
    X(GetPhysicalDeviceFeatures2)                                                                  \
    X(GetPhysicalDeviceQueueFamilyProperties)                                                      \
    X(GetPhysicalDeviceMemoryProperties)                                                           \
    X(CreateDevice)                                                                                \
    X(GetDeviceProcAddr)

#define ISG_PEER_DEVICE_FUNCTIONS(X)                                                               \
    X(DestroyDevice)                                                                               \
    X(DeviceWaitIdle)                                                                              \
    X(GetDeviceQueue)                                                                              \
    X(QueueSubmit)                                                                                 \
    X(QueueWaitIdle)                                                                               \
    X(CreateFence)                                                                                 \
    X(DestroyFence)                                                                                \
    X(ResetFences)                                                                                 \
    X(WaitForFences)                                                                               \
    X(GetFenceStatus)                                                                              \
    X(CreateSemaphore)                                                                             \
    X(DestroySemaphore)                                                                            \
    X(WaitSemaphores)                                                                              \
    X(GetSemaphoreCounterValue)                                                                    \
    X(CreateEvent)                                                                                 \
    X(DestroyEvent)                                                                                \
    X(ResetEvent)                                                                                  \
    X(GetEventStatus)                                                                              \
    X(CreateQueryPool)                                                                             \
    X(DestroyQueryPool)                                                                            \
    X(GetQueryPoolResults)                                                                         \
    X(ResetQueryPool)                                                                              \
    X(CreateCommandPool)                                                                           \
    X(DestroyCommandPool)                                                                          \
    X(AllocateCommandBuffers)                                                                      \
    X(BeginCommandBuffer)                                                                          \
    X(EndCommandBuffer)                                                                            \
    X(CmdBindPipeline)                                                                             \
    X(CmdBindDescriptorSets)                                                                       \
    X(CmdDispatch)                                                                                 \
    X(CmdPipelineBarrier)                                                                          \
    X(CmdFillBuffer)                                                                               \
    X(CmdCopyBuffer)                                                                               \
    X(CmdSetEvent)                                                                                 \
    X(CmdResetQueryPool)                                                                           \
    X(CmdWriteTimestamp)                                                                           \
    X(CreateBuffer)                                                                                \
    X(DestroyBuffer)                                                                               \
    X(GetBufferMemoryRequirements)                                                                 \
    X(AllocateMemory)                                                                              \
    X(FreeMemory)                                                                                  \
    X(BindBufferMemory)                                                                            \
    X(MapMemory)                                                                                   \
    X(CreateShaderModule)                                                                          \
    X(DestroyShaderModule)                                                                         \
    X(CreateDescriptorSetLayout)                                                                   \
    X(DestroyDescriptorSetLayout)                                                                  \
    X(CreatePipelineLayout)                                                                        \
    X(DestroyPipelineLayout)                                                                       \
    X(CreateComputePipelines)                                                                      \
    X(DestroyPipeline)                                                                             \
    X(CreateDescriptorPool)                                                                        \
    X(DestroyDescriptorPool)                                                                       \
    X(AllocateDescriptorSets)                                                                      \
    X(UpdateDescriptorSets)

typedef struct isg_peer_functions {
#define ISG_PEER_POINTER(function) PFN_vk##function function;
    ISG_PEER_INSTANCE_FUNCTIONS(ISG_PEER_POINTER)
    ISG_PEER_DEVICE_FUNCTIONS(ISG_PEER_POINTER)
#undef ISG_PEER_POINTER
    PFN_vkQueueSubmit2 QueueSubmit2;                       /* NULL: the device has it not */
    PFN_vkCmdWriteBufferMarkerAMD CmdWriteBufferMarkerAMD; /* NULL: the device has it not */
} isg_peer_functions;

typedef struct isg_peer {
    void *library; /* owned: the loader */
    isg_peer_functions vk;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t family;
    VkQueueFlags family_flags;
    VkQueue queue;
    uint32_t timestamp_bits; /* 0: the family has no timestamps */
    double timestamp_period; /* nanoseconds a tick */
    VkPhysicalDeviceMemoryProperties memory;
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    char driver_info[VK_MAX_DRIVER_INFO_SIZE];
    uint8_t uuid[VK_UUID_SIZE];
} isg_peer;

/* Opens the device with this UUID, or the first whose "name driver_info" contains `text`; both
 * NULL: the first of all. `family_rank` counts the families that can compute, from 0,
 * those without graphics first.
 * False: isg_peer_error() says why, and *peer needs no close. */
bool isg_peer_open(isg_peer *peer, const uint8_t *uuid, const char *text, uint32_t family_rank);
void isg_peer_close(isg_peer *peer);

/* What went wrong last; a static string. */
const char *isg_peer_error(void);
/* Notes an error; false, so that it can end a function. */
bool isg_peer_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* True for VK_SUCCESS; else notes that `what` failed. */
bool isg_peer_check(VkResult result, const char *what);

typedef struct isg_peer_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    void *mapped; /* NULL: not host-visible */
} isg_peer_buffer;

/* `wanted` memory properties must be there; `avoided` ones are avoided where possible. */
bool isg_peer_buffer_create(isg_peer *peer, VkDeviceSize size, VkMemoryPropertyFlags wanted,
                            VkMemoryPropertyFlags avoided, isg_peer_buffer *out);
void isg_peer_buffer_destroy(isg_peer *peer, isg_peer_buffer *buffer);

typedef struct isg_peer_kernel {
    VkShaderModule module;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorPool pool;
    VkDescriptorSet set;
} isg_peer_kernel;

/* A compute pipeline of entry "main"; with `buffer`, that is storage buffer 0 of set 0. */
bool isg_peer_kernel_create(isg_peer *peer, const uint32_t *words, size_t size,
                            const isg_peer_buffer *buffer, isg_peer_kernel *out);
void isg_peer_kernel_destroy(isg_peer *peer, isg_peer_kernel *kernel);

void isg_peer_cmd_dispatch(isg_peer *peer, VkCommandBuffer commands, const isg_peer_kernel *kernel,
                           uint32_t workgroups);
void isg_peer_cmd_barrier(isg_peer *peer, VkCommandBuffer commands, VkPipelineStageFlags from,
                          VkAccessFlags from_access, VkPipelineStageFlags to,
                          VkAccessFlags to_access);

/* A monotonic clock. */
uint64_t isg_peer_now_ns(void);

#endif
