/* The contract between isogrid's core and its backends: the one file that a backend author reads.
 *
 * Who does what. The core checks every argument against reflection and limits, chooses the plan,
 * turns it into plain commands, counts references and keeps what a submission uses alive until it
 * has run. A backend makes objects and encodes commands; it asserts what the core promises and
 * does not validate again. Descriptors it gets are normalised copies: defaults filled, labels
 * never NULL, sizes resolved.
 *
 * Objects. Each backend object embeds the core's struct as its first member (assert the offset
 * statically). The backend allocates it with isg_alloc() on the instance's allocator, the core
 * fills `object` through isg_object_init() right after a create slot returns. `object_destroy`
 * must accept half-built objects.
 *
 * Errors. A slot returns isg_fail(...) with a message of four parts. DEVICE_LOST makes the core
 * mark the device; after that no slot is called but *_destroy.
 *
 * Threads. Slots of different objects run concurrently. Calls on one recording, and submits to one
 * queue, are serialised by the core. `variant_create` runs on any thread.
 *
 * Lock order: queue lock, then device locks, then the registry of handles. The backend's own locks
 * (memory, descriptor pools, hardware queue) are innermost and call nothing of the core but
 * isg_alloc(), isg_free() and isg_fail().
 */
#ifndef ISOGRID_CORE_BACKEND_H
#define ISOGRID_CORE_BACKEND_H

#include "isogrid/isogrid.h"

#include <stdatomic.h>

/* ---- services of the core (core/support.c) ------------------------------------------------- */

/* Sets this thread's last error and returns `status`. */
isg_status isg_fail(isg_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Zeroed host memory from the allocator, at least pointer-aligned; NULL when memory ran out. */
void *isg_alloc(const isg_host_allocator *allocator, size_t size);
/* A grown copy of `pointer` (may be NULL with old_size 0), new bytes zeroed; the old one is freed
 * on success and untouched on failure. */
void *isg_grow(const isg_host_allocator *allocator, void *pointer, size_t old_size,
               size_t new_size);
/* Accepts NULL. `size` as allocated. */
void isg_free(const isg_host_allocator *allocator, void *pointer, size_t size);

/* ---- objects ------------------------------------------------------------------------------- */

typedef enum isg_object_kind {
    ISG_OBJECT_INSTANCE = 1,
    ISG_OBJECT_DEVICE,
    ISG_OBJECT_BUFFER,
    ISG_OBJECT_IMAGE,
    ISG_OBJECT_SAMPLER,
    ISG_OBJECT_KERNEL,
    ISG_OBJECT_VARIANT, /* internal: never in the registry of handles */
    ISG_OBJECT_QUEUE,
    ISG_OBJECT_EVENT,
    ISG_OBJECT_RECORDING,
} isg_object_kind;

/* First member of every object. Owned by the core; backends leave it alone. */
typedef struct isg_object {
    atomic_uint references;
    isg_object_kind kind;
    isg_device *device; /* borrowed by the struct, counted by the core; NULL for instance/device */
} isg_object;

typedef struct isg_backend_ops isg_backend_ops;

/* One backend of one instance, after its driver was loaded. Embedded by the backend. */
typedef struct isg_backend {
    const isg_backend_ops *ops;
    isg_instance *instance; /* borrowed: the instance owns the backend */
} isg_backend;

/* What a backend may read of an instance. */
const isg_host_allocator *isg_instance_allocator(const isg_instance *instance);
const char *isg_instance_cache_directory(const isg_instance *instance); /* "": no disk cache */
bool isg_instance_wants_printf(const isg_instance *instance);
/* No-op when the application gave no log callback. */
void isg_instance_log(const isg_instance *instance, isg_log_level level, const char *message);

typedef struct isg_device_core isg_device_core; /* private to src/core */

struct isg_device {
    isg_object object;
    const isg_backend_ops *ops;
    isg_backend *backend;   /* borrowed: the instance, held by the device, owns it */
    isg_instance *instance; /* counted by the core */
    isg_device_info info;   /* filled by the backend's device_create, complete */
    isg_device_desc desc;   /* normalised; label owned by the core; lock callbacks never half set:
                                 both NULL (use your own lock) or both set */
    isg_device_core *core;  /* private to src/core */
};

struct isg_buffer {
    isg_object object;
    isg_buffer_desc desc; /* label owned by the core */
    void *mapped;         /* set by buffer_create: host address of byte 0, or NULL. UPLOAD and
                             DOWNLOAD memory is always mapped and coherent; DEVICE memory where it
                             costs kernels nothing */
};

struct isg_image {
    isg_object object;
    isg_image_desc desc; /* height, depth at least 1; usage never 0; label owned by the core */
    uint32_t dimensions; /* 1, 2 or 3 */
    uint32_t texel_size; /* bytes */
};

struct isg_sampler {
    isg_object object;
    isg_sampler_desc desc;
};

typedef struct isg_kernel_core isg_kernel_core; /* private to src/core */

struct isg_kernel {
    isg_object object;
    const isg_kernel_info *info; /* set by the core before kernel_create returns to callers and
                                    passed to kernel_create */
    const char *label;           /* owned by the core */
    isg_kernel_core *core;       /* private to src/core */
};

struct isg_event {
    isg_object object;
    isg_queue *queue;           /* the queue whose own event this is, borrowed; else NULL */
    _Atomic uint64_t submitted; /* highest value whose signal has been submitted (core) */
};

typedef struct isg_queue_core isg_queue_core; /* private to src/core */

struct isg_queue {
    isg_object object;
    isg_event *event;     /* made by queue_create, owned by the queue, destroyed by the core */
    isg_queue_core *core; /* private to src/core */
};

typedef struct isg_recording_core isg_recording_core; /* private to src/core */

struct isg_recording {
    isg_object object;
    bool timed;
    bool once;                /* submitted at most once between two recording_begin() */
    const char *label;        /* owned by the core */
    isg_recording_core *core; /* private to src/core */
};

/* ---- kernels as the driver sees them --------------------------------------------------------- */

/* Set and binding of isogrid's own buffer, in kernels that use it. */
#define ISG_STATE_SET 3
#define ISG_STATE_BINDING 0

/* A resolved specialisation constant: `size` bytes of `value`, little-endian. */
typedef struct isg_variant_constant {
    uint32_t id;
    uint32_t size; /* 1, 2, 4 or 8 */
    uint64_t value;
} isg_variant_constant;

/* One compiled form of a kernel: module words after the passes, all constants resolved. */
typedef struct isg_variant_desc {
    const uint32_t *words;
    size_t word_count;
    const char *entry;
    const isg_variant_constant *constants; /* by id; exactly those the module declares */
    uint32_t constant_count;
    bool uses_state;            /* the module has the buffer at ISG_STATE_SET */
    uint32_t workgroup_size[3]; /* resolved */
} isg_variant_desc;

/* Embedded by the backend's pipeline object. */
typedef struct isg_variant {
    isg_object object;
    isg_kernel *kernel; /* borrowed: the kernel owns its variants */
    bool uses_state;
} isg_variant;

/* ---- commands -------------------------------------------------------------------------------- */

/* Every command is ordered after the one before it with a full memory dependency; the backend
 * emits the narrowest barrier that the two kinds need. Consecutive commands that only touch
 * isogrid's own state may say `unordered` to leave that barrier out. */
typedef enum isg_command_kind {
    ISG_COMMAND_DISPATCH,
    ISG_COMMAND_COPY,
    ISG_COMMAND_FILL,
    ISG_COMMAND_UPDATE,
    ISG_COMMAND_IMAGE_UPLOAD,
    ISG_COMMAND_IMAGE_DOWNLOAD,
    ISG_COMMAND_TIME_BEGIN, /* GPU clock before what follows, after what came before */
    ISG_COMMAND_TIME_END,
} isg_command_kind;

/* One descriptor: which, and what is in it. Only what the binding's kind needs is set. */
typedef struct isg_command_binding {
    uint32_t set, binding, array_index;
    isg_binding_kind kind;
    isg_buffer *buffer;
    uint64_t offset, size; /* resolved */
    isg_image *image;
    isg_sampler *sampler;
} isg_command_binding;

typedef struct isg_command_dispatch {
    isg_variant *variant;
    uint32_t grid[3];     /* all at least 1 */
    isg_buffer *indirect; /* when set, grid is three uint32_t there, trusted */
    uint64_t indirect_offset;
    const isg_command_binding *bindings; /* by set, binding, array index; complete */
    uint32_t binding_count;
    const void *push;
    uint32_t push_size; /* info->push_size, a multiple of 4 */
    isg_buffer *state;  /* variant->uses_state: isogrid's buffer for this dispatch */
    uint64_t state_offset;
    uint64_t state_size;
    bool same_arguments; /* bindings and push equal those of the previous dispatch command of this
                            recording, which was of the same kernel */
} isg_command_dispatch;

typedef struct isg_command {
    isg_command_kind kind;
    bool unordered; /* no barrier before this command is needed */
    union {
        isg_command_dispatch dispatch;
        struct {
            isg_buffer *destination, *source;
            uint64_t destination_offset, source_offset, size; /* size at least 1 */
        } copy;
        struct {
            isg_buffer *buffer;
            uint64_t offset, size; /* size at least 1; any alignment */
            uint8_t value;
        } fill;
        struct {
            isg_buffer *buffer;
            uint64_t offset; /* multiple of 4 */
            const void *data;
            uint32_t size; /* multiple of 4, at most 65536; data is copied into the recording */
        } update;
        struct {
            isg_image *image;
            isg_buffer *buffer; /* whole image, rows tightly packed, at offset */
            uint64_t offset;    /* multiple of 16 */
        } image;
        uint32_t time_slot; /* counted from 0; BEGIN and END of one dispatch share it */
    } as;
} isg_command;

/* ---- the slots ------------------------------------------------------------------------------- */

typedef struct isg_submission {
    isg_recording *const *recordings;
    uint32_t recording_count;
    const isg_event_value_pair *waits; /* all submitted before: cannot deadlock */
    uint32_t wait_count;
    const isg_event_value_pair *signals; /* user events */
    uint32_t signal_count;
    uint64_t value; /* to signal on queue->event */
} isg_submission;

struct isg_backend_ops {
    const char *name; /* "vulkan": also what selectors call it */

    /* Loads the driver. UNAVAILABLE with a message that names the files tried, quotes dlerror()
     * and says what to install is an ordinary outcome. Sets (*out)->ops and ->instance. */
    isg_status (*backend_create)(isg_instance *instance, isg_backend **out);
    void (*backend_destroy)(isg_backend *backend);

    /* Fills at most `capacity` infos in the driver's order, everything but `selector` and `index`
     * (the core sorts, removes duplicates, numbers). `driver_indices[i]` is what device_create
     * takes. *out_count is the number there are. */
    isg_status (*enumerate)(isg_backend *backend, isg_device_info *infos, uint32_t *driver_indices,
                            uint32_t capacity, uint32_t *out_count);

    /* `desc` is kept by the core in (*out)->desc before any other slot runs. */
    isg_status (*device_create)(isg_backend *backend, uint32_t driver_index,
                                const isg_device_desc *desc, isg_device **out);
    /* All its objects are gone. `abandon`: a kernel never ended or the device is lost; free what
     * can be freed without waiting, leak the rest on purpose. */
    void (*device_destroy)(isg_device *device, bool abandon);
    /* Fills size, budget, usage; the core fills `allocated`. Optional: NULL means size only. */
    isg_status (*device_memory)(isg_device *device, isg_memory_info *out);

    isg_status (*buffer_create)(isg_device *device, const isg_buffer_desc *desc, isg_buffer **out);
    /* Optional, both or neither; NULL: limits.features must lack ISG_FEATURE_IMAGES. */
    isg_status (*image_create)(isg_device *device, const isg_image_desc *desc, uint32_t dimensions,
                               uint32_t texel_size, isg_image **out);
    isg_status (*sampler_create)(isg_device *device, const isg_sampler_desc *desc,
                                 isg_sampler **out);

    /* Layouts, from reflection. `uses_state` of a variant may differ per variant. */
    isg_status (*kernel_create)(isg_device *device, const isg_kernel_info *info, const char *label,
                                isg_kernel **out);
    /* Compiles; may take long; any thread. COMPILE_FAILED with the driver's words. */
    isg_status (*variant_create)(isg_kernel *kernel, const isg_variant_desc *desc,
                                 isg_variant **out);

    isg_status (*event_create)(isg_device *device, isg_event **out);
    isg_status (*event_value)(isg_event *event, uint64_t *out);
    /* TIMEOUT when it ended first; `value` has been submitted. */
    isg_status (*event_wait)(isg_event *event, uint64_t value, uint64_t timeout_ns);

    /* Makes queue->event too. */
    isg_status (*queue_create)(isg_device *device, const char *label, isg_queue **out);
    isg_status (*queue_submit)(isg_queue *queue, const isg_submission *submission);
    /* Optional; NULL: what event_value() shows may be used again and destroyed at once. A driver
     * may show the host early that work has run, before its rules allow that: this slot then gives
     * the value up to which they do. It blocks until that is at least `wanted`, which has been
     * submitted (0: it does not block), at most `timeout_ns`; TIMEOUT when that ended first. */
    isg_status (*queue_released)(isg_queue *queue, uint64_t wanted, uint64_t timeout_ns,
                                 uint64_t *out);

    isg_status (*recording_create)(isg_device *device, bool timed, const char *label,
                                   isg_recording **out);
    /* Starts over, empty, keeping memory. The recording is not in flight. Called before the first
     * command too. */
    isg_status (*recording_begin)(isg_recording *recording);
    isg_status (*record)(isg_recording *recording, const isg_command *command);
    isg_status (*recording_end)(isg_recording *recording);
    /* Nanoseconds of each time slot of the last submission, which has finished. Optional; NULL:
     * the device has no timestamps and recordings cannot be timed. */
    isg_status (*recording_times)(isg_recording *recording, uint64_t *times_ns, uint32_t count);

    /* Any object of the kinds above, by object->kind; not in use by the device any more. */
    void (*object_destroy)(isg_object *object);
};

/* The backends in order of preference (core/backends.c). */
extern const isg_backend_ops isg_vk_backend;

#endif
