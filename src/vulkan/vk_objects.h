/* The backend's objects and the slots that work on them. */
#ifndef ISG_VK_OBJECTS_H
#define ISG_VK_OBJECTS_H

#include "vulkan/vk_barrier.h"
#include "vulkan/vk_device.h"

/* ---- buffers --------------------------------------------------------------------------------- */

typedef struct isg_vk_buffer {
    isg_buffer base;
    VkBuffer handle;
    isg_vk_allocation memory;
} isg_vk_buffer;

typedef struct isg_vk_buffer_request {
    uint64_t size;
    isg_memory memory;
    const char *label;
} isg_vk_buffer_request;

/* A VkBuffer with memory; on error both outs are empty or half made and may be destroyed. */
isg_status isg_vk_buffer_make(isg_vk_device *device, const isg_vk_buffer_request *request,
                              VkBuffer *out, isg_vk_allocation *out_memory);
isg_status isg_vk_buffer_create(isg_device *base, const isg_buffer_desc *desc, isg_buffer **out);
void isg_vk_buffer_destroy(isg_vk_device *device, isg_vk_buffer *buffer);

/* ---- images and samplers --------------------------------------------------------------------- */

/* Images are in VK_IMAGE_LAYOUT_GENERAL from their first use to their end. */
typedef struct isg_vk_image {
    isg_image base;
    VkImage handle;
    VkImageView view;
    isg_vk_allocation memory;
    bool filters_linear; /* its format can be filtered */
    bool integer;
    /* Value of the setup timeline that means GENERAL; 0: no submission has used it yet. Written
     * under the setup mutex, once that value has been submitted. */
    _Atomic uint64_t ready;
    uint64_t preparing; /* value of the batch being put together; under the setup mutex */
} isg_vk_image;

typedef struct isg_vk_sampler {
    isg_sampler base;
    VkSampler handle;
    VkSampler integer_handle; /* for integer images when a border can be seen; else NULL */
} isg_vk_sampler;

isg_status isg_vk_image_create(isg_device *base, const isg_image_desc *desc, uint32_t dimensions,
                               uint32_t texel_size, isg_image **out);
void isg_vk_image_destroy(isg_vk_device *device, isg_vk_image *image);
isg_status isg_vk_sampler_create(isg_device *base, const isg_sampler_desc *desc, isg_sampler **out);
void isg_vk_sampler_destroy(isg_vk_device *device, isg_vk_sampler *sampler);

/* ---- kernels --------------------------------------------------------------------------------- */

#define ISG_VK_USER_SETS 3
#define ISG_VK_DESCRIPTOR_KINDS 7 /* isg_binding_kind, then the state's dynamic buffer */
#define ISG_VK_KIND_STATE 6

/* What one descriptor is written from. */
typedef union isg_vk_descriptor {
    VkDescriptorBufferInfo buffer;
    VkDescriptorImageInfo image;
} isg_vk_descriptor;

/* One of the user's descriptor sets. */
typedef struct isg_vk_set {
    VkDescriptorSetLayout layout;            /* owned; NULL: the device's empty one */
    uint32_t first, count;                   /* its part of a dispatch's bindings */
    uint32_t first_write, write_count;       /* and of the kernel's writes */
    uint32_t kinds[ISG_VK_DESCRIPTOR_KINDS]; /* descriptors of each kind */
    bool push;                               /* pushed, not allocated */
} isg_vk_set;

typedef struct isg_vk_kernel {
    isg_kernel base;
    isg_vk_set sets[ISG_VK_USER_SETS];
    uint32_t set_count; /* up to the last one that has bindings */
    uint32_t descriptor_count;
    VkWriteDescriptorSet *writes; /* owned; one a binding, without set and descriptors */
    uint32_t write_count;
    VkPipelineLayout layout;       /* the user's sets */
    VkPipelineLayout state_layout; /* and ISG_STATE_SET; compatible below it */
} isg_vk_kernel;

/* A pipeline. */
typedef struct isg_vk_variant {
    isg_variant base;
    VkPipeline handle;
} isg_vk_variant;

VkDescriptorType isg_vk_descriptor_type(uint32_t kind);
isg_status isg_vk_kernel_create(isg_device *base, const isg_kernel_info *info, const char *label,
                                isg_kernel **out);
void isg_vk_kernel_destroy(isg_vk_device *device, isg_vk_kernel *kernel);
isg_status isg_vk_variant_create(isg_kernel *base, const isg_variant_desc *desc, isg_variant **out);
void isg_vk_variant_destroy(isg_vk_device *device, isg_vk_variant *variant);

/* ---- events and queues ----------------------------------------------------------------------- */

/* A timeline semaphore. */
typedef struct isg_vk_event {
    isg_event base;
    VkSemaphore handle;
} isg_vk_event;

/* How the host sees that a submission has run, without a semaphore (vk_marker.c). */
#define ISG_VK_MARKERS 64u
/* Submissions that may go by before one signals the timeline. */
#define ISG_VK_UNSIGNALLED_MAX 32u

typedef struct isg_vk_markers {
    bool enabled;                             /* fixed at creation */
    pthread_mutex_t mutex;                    /* guards all below; before a hardware queue's lock */
    VkCommandPool pool;                       /* owned */
    VkCommandBuffer commands[ISG_VK_MARKERS]; /* each sets its event */
    VkEvent events[ISG_VK_MARKERS];           /* owned */
    bool used[ISG_VK_MARKERS];                /* the event has been set by its commands */
    VkEvent polled[ISG_VK_MARKERS];           /* borrowed: the event to look at for each value */
    uint64_t values[ISG_VK_MARKERS];          /* the value each stands for; 0: none */
    uint64_t reached;                         /* highest value seen */
    uint64_t submitted;                       /* highest value submitted */
    uint64_t signalled; /* highest value whose timeline signal has been submitted */
    uint64_t released;  /* the timeline's value as last seen */
} isg_vk_markers;

/* What marks one submission. */
typedef struct isg_vk_marker {
    VkEvent event;            /* NULL: none; the timeline must be signalled */
    VkCommandBuffer commands; /* that set it, last in the submission; NULL: a recording does */
} isg_vk_marker;

typedef struct isg_vk_queue {
    isg_queue base;
    isg_vk_hardware_queue *hardware; /* borrowed from the device */
    isg_vk_markers markers;
    bool counted; /* among the device's live queues */
    bool ordered; /* its first submission has waited for the device's own queue */
    /* Room for one submission; kept. */
    VkSemaphore *semaphores;
    uint32_t semaphore_capacity;
    uint64_t *values;
    uint32_t value_capacity;
    VkPipelineStageFlags *stages;
    uint32_t stage_capacity;
    VkCommandBuffer *commands;
    uint32_t command_capacity;
} isg_vk_queue;

isg_status isg_vk_timeline_create(isg_vk_device *device, VkSemaphore *out);
isg_status isg_vk_event_create(isg_device *base, isg_event **out);
void isg_vk_event_destroy(isg_vk_device *device, isg_vk_event *event);
isg_status isg_vk_event_value(isg_event *base, uint64_t *out);
isg_status isg_vk_event_wait(isg_event *base, uint64_t value, uint64_t timeout_ns);
isg_status isg_vk_queue_create(isg_device *base, const char *label, isg_queue **out);
void isg_vk_queue_destroy(isg_vk_device *device, isg_vk_queue *queue);
isg_status isg_vk_queue_submit(isg_queue *base, const isg_submission *submission);

isg_status isg_vk_queue_released(isg_queue *base, uint64_t wanted, uint64_t timeout_ns,
                                 uint64_t *out);
/* Makes sure that the queue's timeline will be signalled to `value`, which has been submitted. */
isg_status isg_vk_queue_signal(isg_vk_queue *queue, uint64_t value);

/* vk_marker.c */
isg_status isg_vk_markers_open(isg_vk_device *device, isg_vk_queue *queue);
void isg_vk_markers_close(isg_vk_device *device, isg_vk_queue *queue);
/* The highest value any marker shows. Takes the mutex. */
isg_status isg_vk_markers_reached(isg_vk_device *device, isg_vk_queue *queue, uint64_t *out);
/* Under the mutex: what will mark the submission. */
isg_status isg_vk_markers_take(isg_vk_device *device, isg_vk_queue *queue,
                               const isg_submission *submission, isg_vk_marker *out);
/* Under the mutex: the submission has been made. */
void isg_vk_markers_note(isg_vk_queue *queue, const isg_submission *submission,
                         const isg_vk_marker *marker, bool signalled);

/* A timeline to look at. */
typedef struct isg_vk_timeline {
    VkSemaphore handle;
    uint64_t highest;    /* the highest value submitted to it, as far as known */
    isg_vk_queue *queue; /* whose markers may show it first; NULL: none */
} isg_vk_timeline;

/* The timeline's value; a lost device is an error even where the driver gives a value. */
isg_status isg_vk_timeline_value(isg_vk_device *device, isg_vk_timeline timeline, uint64_t *out);
void isg_vk_wait_choose(isg_vk_device *device);
isg_status isg_vk_timeline_wait(isg_vk_device *device, isg_vk_timeline timeline, uint64_t value,
                                uint64_t timeout_ns);

/* ---- recordings ------------------------------------------------------------------------------ */

/* Descriptor sets of one recording, given back all at once. */
typedef struct isg_vk_descriptor_arena {
    VkDescriptorPool *pools; /* owned */
    uint32_t pool_count, pool_capacity;
    uint32_t current; /* pools before it are used up */
    bool used;        /* sets were allocated since the last reset */
} isg_vk_descriptor_arena;

/* The state sets of a recording: one for each buffer and size. */
typedef struct isg_vk_state_set {
    VkBuffer buffer;
    uint64_t size;
    VkDescriptorSet set;
} isg_vk_state_set;

/* Query pools of a timed recording, a fixed number of time slots each. */
#define ISG_VK_SLOTS_PER_POOL 64u

typedef struct isg_vk_recording {
    isg_recording base;
    VkCommandPool pool;
    VkCommandBuffer commands;
    isg_vk_barrier barrier;
    /* Set by its last command where the device uses markers; else NULL. */
    VkEvent event;
    /* The last submission of it, whose queue is compared, never looked into. */
    const isg_queue *run_queue;
    uint64_t run_value;

    /* What is bound, so that it is not bound again. */
    isg_vk_variant *bound_variant;
    isg_vk_kernel *bound_kernel;
    VkDescriptorSet bound_state;
    uint64_t bound_state_offset;

    isg_vk_descriptor_arena arena;
    isg_vk_descriptor *descriptors; /* owned: room for one dispatch's */
    uint32_t descriptor_capacity;
    VkWriteDescriptorSet *writes; /* owned: room for one dispatch's */
    uint32_t write_capacity;
    isg_vk_state_set *state_sets; /* owned */
    uint32_t state_set_count, state_set_capacity;

    VkQueryPool *time_pools; /* owned */
    uint32_t time_pool_count, time_pool_capacity;
    uint32_t time_pools_reset; /* pools whose reset is recorded */

    /* Images that were not in their layout yet when recorded; under the setup mutex once ended. */
    isg_vk_image **fresh_images; /* owned array of borrowed images */
    uint32_t fresh_capacity;
    atomic_uint fresh_count;
    _Atomic uint64_t setup_value; /* of the setup timeline, to be reached before a run */
} isg_vk_recording;

isg_status isg_vk_recording_create(isg_device *base, bool timed, const char *label,
                                   isg_recording **out);
void isg_vk_recording_destroy(isg_vk_device *device, isg_vk_recording *recording);
isg_status isg_vk_recording_begin(isg_recording *base);
isg_status isg_vk_record(isg_recording *base, const isg_command *command);
isg_status isg_vk_recording_end(isg_recording *base);
isg_status isg_vk_recording_times(isg_recording *base, uint64_t *times_ns, uint32_t count);
void isg_vk_object_destroy(isg_object *object);

/* vk_time.c */
isg_status isg_vk_time_record(isg_vk_device *device, isg_vk_recording *recording, uint32_t slot,
                              bool end);
void isg_vk_time_destroy(isg_vk_device *device, isg_vk_recording *recording);

/* vk_dispatch.c */
isg_status isg_vk_dispatch_record(isg_vk_device *device, isg_vk_recording *recording,
                                  const isg_command *command);

/* vk_descriptor.c */
isg_status isg_vk_descriptor_allocate(isg_vk_device *device, isg_vk_recording *recording,
                                      VkDescriptorSetLayout layout,
                                      const uint32_t kinds[ISG_VK_DESCRIPTOR_KINDS],
                                      VkDescriptorSet *out);
void isg_vk_descriptors_reset(isg_vk_device *device, isg_vk_recording *recording);
void isg_vk_descriptors_destroy(isg_vk_device *device, isg_vk_recording *recording);
/* The state set for this buffer and size, at dynamic offset 0. */
isg_status isg_vk_state_set_get(isg_vk_device *device, isg_vk_recording *recording, VkBuffer buffer,
                                uint64_t size, VkDescriptorSet *out);

/* vk_setup.c */
isg_status isg_vk_setup_open(isg_vk_device *device);
void isg_vk_setup_close(isg_vk_device *device);
/* Notes that the recording uses the image. */
isg_status isg_vk_setup_note(isg_vk_device *device, isg_vk_recording *recording,
                             isg_vk_image *image);
/* Commands that must run before the submission, under the setup mutex, which stays locked when
 * *out_commands is set: isg_vk_setup_done() unlocks it. *out_value: the setup value to wait for;
 * 0: none. */
isg_status isg_vk_setup_prepare(isg_vk_device *device, const isg_submission *submission,
                                VkCommandBuffer *out_commands, uint64_t *out_value);
void isg_vk_setup_done(isg_vk_device *device, const isg_submission *submission, bool submitted);

/* `array`, grown to at least `needed` elements of `size` bytes each, or the same when there is room.
 * NULL: no host memory, and `array` is as it was. Never NULL otherwise. */
void *isg_vk_reserve(const isg_host_allocator *allocator, void *array, uint32_t *capacity,
                     uint32_t needed, size_t size);

#endif
