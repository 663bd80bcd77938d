/* An opened device. Making one and using one are apart: everything but vk_open.c works as well on
 * a VkDevice that the application made. */
#ifndef ISG_VK_DEVICE_H
#define ISG_VK_DEVICE_H

#include "vulkan/vk_cache.h"
#include "vulkan/vk_graveyard.h"
#include "vulkan/vk_instance.h"
#include "vulkan/vk_memory.h"

#define ISG_VK_MAX_HARDWARE_QUEUES 4

/* What is enabled on the device, as far as code asks. */
typedef struct isg_vk_caps {
    bool push_descriptors; /* with max_push_descriptors of the physical device */
    bool device_address;
    bool memory_budget;
    uint64_t max_timeline_step; /* how far a timeline may be ahead of its value */
} isg_vk_caps;

/* A VkQueue. Several isg_queues share one. */
typedef struct isg_vk_hardware_queue {
    VkQueue handle;
    uint32_t family, index;
    pthread_mutex_t mutex; /* guards `handle` where the application gave no lock callbacks */
} isg_vk_hardware_queue;

/* How the host learns that work has run (vk_wait.c, vk_marker.c). */
typedef struct isg_vk_wait {
    uint64_t spin_ns; /* poll so long before blocking; 0: block at once */
    bool markers;     /* submissions end with markers, the timeline is signalled now and then */
} isg_vk_wait;

/* Brings images into their one layout, in a submission of its own before the first that uses
 * them (vk_image.c). */
typedef struct isg_vk_setup_slot {
    VkCommandPool pool;
    VkCommandBuffer commands;
    uint64_t value; /* of the setup timeline: reached when the slot is free again */
} isg_vk_setup_slot;

typedef struct isg_vk_setup {
    pthread_mutex_t mutex; /* guards the members below; taken before a hardware queue's lock */
    VkSemaphore timeline;
    uint64_t submitted;
    isg_vk_setup_slot *slots; /* owned */
    uint32_t slot_count, slot_capacity;
    _Atomic uint64_t reached; /* a value known to have been reached; not guarded */
} isg_vk_setup;

struct isg_vk_device {
    isg_device base;
    isg_vk_driver *driver;               /* borrowed */
    const isg_vk_physical *physical;     /* borrowed from the driver */
    const isg_host_allocator *allocator; /* borrowed from the instance */
    VkDevice handle;
    bool owns_handle;
    struct VolkDeviceTable vk;
    isg_vk_caps caps;
    isg_vk_hardware_queue queues[ISG_VK_MAX_HARDWARE_QUEUES];
    uint32_t queue_count;
    atomic_uint next_queue; /* the hardware queue of the next isg_queue, modulo queue_count */
    isg_vk_memory memory;
    isg_vk_cache cache;
    isg_vk_wait wait;
    isg_vk_setup setup;
    isg_vk_graveyard graveyard;
    /* Markers are for a device's only queue: vk_marker.c. */
    atomic_uint queue_count_live;
    isg_queue *own_queue; /* borrowed: the first one made, which outlives all others */
    atomic_uint live;     /* objects of the core's that are not destroyed yet */
    atomic_bool lost;     /* the driver said VK_ERROR_DEVICE_LOST */
    VkDescriptorSetLayout empty_layout;
    VkDescriptorSetLayout state_layout; /* of ISG_STATE_SET: one dynamic storage buffer */
    /* Every byte value four times over, for the ends of fills that are not whole words. */
    VkBuffer pattern;
    isg_vk_allocation pattern_memory;
};

_Static_assert(offsetof(struct isg_vk_device, base) == 0, "core casts between them");

/* Notes VK_ERROR_DEVICE_LOST; passes `result` on. */
VkResult isg_vk_device_note(isg_vk_device *device, VkResult result);
/* Sets a debug name where a debugger or layer listens. */
void isg_vk_name(isg_vk_device *device, VkObjectType type, uint64_t handle, const char *label);
#define ISG_VK_HANDLE(object) ((uint64_t)(uintptr_t)(object))

/* Brackets every touch of a VkQueue. */
void isg_vk_hardware_queue_lock(isg_vk_device *device, isg_vk_hardware_queue *queue);
void isg_vk_hardware_queue_unlock(isg_vk_device *device, isg_vk_hardware_queue *queue);

/* Everything after handle, owns_handle, queues, caps and table are set, whoever made the VkDevice. */
isg_status isg_vk_device_start(isg_vk_device *device);
/* Undoes it, also half; leaves the VkDevice alone. Nothing is in flight. */
void isg_vk_device_stop(isg_vk_device *device);

isg_status isg_vk_device_create(isg_backend *base, uint32_t driver_index,
                                const isg_device_desc *desc, isg_device **out);
void isg_vk_device_destroy(isg_device *base, bool abandon);
isg_status isg_vk_device_memory(isg_device *base, isg_memory_info *out);

#endif
