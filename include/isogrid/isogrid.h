/* isogrid: one compute kernel, one dispatch call, the same bits on every GPU.
 *
 * This header is the whole core API: instances, devices, buffers, images, kernels, dispatches,
 * recordings, queues and events. It needs the standard headers only.
 *
 * Words: a *kernel* is a SPIR-V compute entry point. A *dispatch* runs it over a *grid* of
 * *workgroups*, each of many *invocations*. A *phase* is the part of a kernel between two grid
 * syncs. The *plan* says how a dispatch will be run. A *recording* holds commands that can be
 * submitted again. A *queue* runs what is submitted to it in order, with a full memory dependency
 * between any two commands: that is the whole hazard rule. An *event* is a timeline, a 64-bit
 * value that only grows; every queue advances one.
 *
 * Options travel in *_desc structs in which zero means default: fill them with designated
 * initialisers. Until 1.0 the SONAME changes when a public struct grows.
 *
 * Errors: a call that fails returns a negative isg_status, sets its out pointers to NULL, leaves
 * everything else as it was, and describes itself in isg_last_error(). Errors found before
 * anything is queued touch nothing. An execution error leaves the writable buffers of that
 * dispatch undefined and the device usable, unless it is a lost or stuck device.
 */
#ifndef ISOGRID_ISOGRID_H
#define ISOGRID_ISOGRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#ifdef ISG_BUILD_SHARED
#define ISG_API __declspec(dllexport)
#else
#define ISG_API
#endif
#elif defined(__GNUC__)
#define ISG_API __attribute__((visibility("default")))
#else
#define ISG_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ISG_VERSION_MAJOR 0
#define ISG_VERSION_MINOR 1
#define ISG_VERSION_PATCH 0

/* ---- status ---------------------------------------------------------------------------- */

/* The same codes for the same mistake on every backend. Values never change. */
typedef enum isg_status {
    ISG_OK = 0,
    ISG_TIMEOUT = 1, /* not an error: the wait ended first; wait again */

    ISG_ERROR_INVALID_ARGUMENT = -1, /* an argument is wrong whatever the device */
    ISG_ERROR_OUT_OF_MEMORY = -2,    /* host or device memory ran out */
    ISG_ERROR_UNAVAILABLE = -3,      /* no loader, no driver, or no device that matches */
    ISG_ERROR_AMBIGUOUS = -4,        /* a selector matches several devices */
    ISG_ERROR_UNSUPPORTED = -5,      /* the device lacks a feature, named in the message */
    ISG_ERROR_LIMIT_EXCEEDED = -6,   /* above a limit of the device, named with its value */
    ISG_ERROR_INVALID_SPIRV = -7,    /* the module is malformed; word offset in the message */
    ISG_ERROR_INVALID_STATE = -8,    /* right call, wrong time */
    ISG_ERROR_COMPILE_FAILED = -9,   /* GLSL, or the driver's own compiler, said no */
    ISG_ERROR_IO = -10,              /* a file could not be read or written */
    ISG_ERROR_GRID_TOO_LARGE = -11,  /* a grid that must be resident at once is not; limit given */
    ISG_ERROR_BARRIER_EXPIRED = -12, /* a grid sync ended by its budget */
    ISG_ERROR_DEVICE_LOST = -13,     /* sticky: release the device and open it again */
    ISG_ERROR_DEVICE_STUCK = -14,    /* sticky: a kernel never ended; close abandons it */
    ISG_ERROR_DRIVER = -15,          /* the driver failed in a way that has no better name */
    ISG_ERROR_LOOP_LIMIT = -16,      /* a bounded kernel's loops ran into their limit */
    ISG_ERROR_OUT_OF_BOUNDS = -17,   /* a checked kernel used an index outside its array */
} isg_status;

/* The name of a status, "ISG_ERROR_LIMIT_EXCEEDED"; never NULL.
 *
 * Ownership: the string is static.
 * Threads:   thread-safe.
 * Errors:    none; an unknown value gives "unknown isg_status".
 * Since:     0.1 */
ISG_API const char *isg_status_name(isg_status status);

/* What the last failing call on this thread said: what failed, with which values, the limit, and
 * what to do. Empty until a call fails; successful calls leave it alone.
 *
 * Ownership: the string belongs to the thread and changes with its next failing call.
 * Threads:   thread-safe; each thread has its own.
 * Errors:    none.
 * Since:     0.1 */
ISG_API const char *isg_last_error(void);

/* Sets this thread's last error; for components and language bindings built on isogrid.
 *
 * Ownership: `message` is copied (cut after 2047 bytes); NULL gives the status's name.
 * Threads:   thread-safe.
 * Errors:    none; returns `status` so that it can end a function.
 * Since:     0.1 */
ISG_API isg_status isg_set_last_error(isg_status status, const char *message);

/* ---- handles ----------------------------------------------------------------------------- */

/* Every handle is counted: create gives one reference, retain adds one, release takes one and
 * accepts NULL. What a submission uses is held until it has run, so release straight after submit
 * is right. Children hold their parents: the last release may come in any order. */

typedef struct isg_instance isg_instance;   /* Threads: thread-safe */
typedef struct isg_device isg_device;       /* Threads: thread-safe */
typedef struct isg_buffer isg_buffer;       /* Threads: thread-safe */
typedef struct isg_image isg_image;         /* Threads: thread-safe */
typedef struct isg_sampler isg_sampler;     /* Threads: immutable */
typedef struct isg_kernel isg_kernel;       /* Threads: thread-safe */
typedef struct isg_queue isg_queue;         /* Threads: thread-safe */
typedef struct isg_event isg_event;         /* Threads: thread-safe */
typedef struct isg_recording isg_recording; /* Threads: externally synchronised until ended, then
                                               thread-safe */

/* ---- instance ---------------------------------------------------------------------------- */

/* Host memory callbacks. Give all of them or none (malloc and free). Each must be thread-safe. */
typedef struct isg_host_allocator {
    void *user; /* borrowed; passed to each call */
    /* `size` bytes aligned to `alignment`, a power of two; NULL when memory ran out. */
    void *(*allocate)(void *user, size_t size, size_t alignment);
    /* `size` is what was asked for; `pointer` is never NULL. */
    void (*release)(void *user, void *pointer, size_t size);
} isg_host_allocator;

typedef enum isg_log_level {
    ISG_LOG_DEBUG = 0,
    ISG_LOG_INFO = 1,
    ISG_LOG_WARNING = 2,
    ISG_LOG_ERROR = 3,
    ISG_LOG_PRINTF = 4, /* a line printed by a kernel (debugPrintfEXT) */
} isg_log_level;

typedef struct isg_instance_desc {
    isg_host_allocator allocator; /* zero: malloc and free */
    /* Gets driver and validation messages; NULL: silence. Called from any thread, also while locks
     * of isogrid are held: it must not call isogrid. */
    void (*log)(void *user, isg_log_level level, const char *message);
    void *log_user;              /* borrowed */
    const char *cache_directory; /* NULL: $ISOGRID_CACHE, else $XDG_CACHE_HOME/isogrid, else
                                     ~/.cache/isogrid. "": nothing is kept on disk. */
    bool shader_printf;          /* deliver debugPrintfEXT to `log`; needs the validation layer */
} isg_instance_desc;

/* Loads the backends' drivers as far as they are there. A missing driver is no error:
 * isg_instance_backend() has its reason.
 *
 * Ownership: caller owns *out; end it with isg_instance_release(). `desc` may be NULL.
 * Threads:   thread-safe.
 * Errors:    INVALID_ARGUMENT  an incomplete allocator
 *            OUT_OF_MEMORY     host memory ran out
 * Since:     0.1 */
ISG_API isg_status isg_instance_create(const isg_instance_desc *desc, isg_instance **out);

/* Adds a reference. Ownership: caller owns it. Threads: thread-safe. Errors: none. Since: 0.1 */
ISG_API void isg_instance_retain(isg_instance *instance);
/* Drops a reference. Ownership: taken. Threads: thread-safe. Errors: none; NULL is fine.
 * Since: 0.1 */
ISG_API void isg_instance_release(isg_instance *instance);

typedef struct isg_backend_info {
    const char *name;   /* "vulkan": what selectors call it; static */
    bool available;     /* its driver loaded and it has at least one device */
    const char *reason; /* why not, and what to install; "" when available; lives with instance */
} isg_backend_info;

/* Describes backend `index`, counted from 0 in order of preference.
 *
 * Ownership: strings as the struct says.
 * Threads:   thread-safe.
 * Errors:    INVALID_ARGUMENT  `index` is past the last backend (that is how to count them)
 * Since:     0.1 */
ISG_API isg_status isg_instance_backend(isg_instance *instance, uint32_t index,
                                        isg_backend_info *out);

/* ---- devices ----------------------------------------------------------------------------- */

typedef enum isg_device_type {
    ISG_DEVICE_TYPE_OTHER = 0,
    ISG_DEVICE_TYPE_DISCRETE_GPU = 1,
    ISG_DEVICE_TYPE_INTEGRATED_GPU = 2,
    ISG_DEVICE_TYPE_VIRTUAL_GPU = 3,
    ISG_DEVICE_TYPE_CPU = 4,
} isg_device_type;

/* What kernels may use; bits of isg_device_limits.features and isg_kernel_info.features. */
typedef enum isg_feature {
    ISG_FEATURE_FLOAT16 = 1 << 0,
    ISG_FEATURE_FLOAT64 = 1 << 1,
    ISG_FEATURE_INT8 = 1 << 2,
    ISG_FEATURE_INT16 = 1 << 3,
    ISG_FEATURE_INT64 = 1 << 4,
    ISG_FEATURE_STORAGE_8BIT = 1 << 5,  /* 8-bit values in storage buffers */
    ISG_FEATURE_STORAGE_16BIT = 1 << 6, /* 16-bit values in storage buffers */
    ISG_FEATURE_UNIFORM_8BIT = 1 << 7,  /* and in uniform buffers */
    ISG_FEATURE_UNIFORM_16BIT = 1 << 8,
    ISG_FEATURE_PUSH_8BIT = 1 << 9, /* and in push constants */
    ISG_FEATURE_PUSH_16BIT = 1 << 10,
    ISG_FEATURE_BUFFER_ATOMIC_INT64 = 1 << 11,
    ISG_FEATURE_SHARED_ATOMIC_INT64 = 1 << 12,
    ISG_FEATURE_BUFFER_ATOMIC_FLOAT_ADD = 1 << 13,
    ISG_FEATURE_SHARED_ATOMIC_FLOAT_ADD = 1 << 14,
    ISG_FEATURE_MEMORY_MODEL = 1 << 15,        /* the Vulkan memory model */
    ISG_FEATURE_MEMORY_MODEL_DEVICE = 1 << 16, /* with device scope */
    ISG_FEATURE_MEMORY_MODEL_CHAINS = 1 << 17, /* with availability-visibility chains */
    ISG_FEATURE_SUBGROUP_BASIC = 1 << 18,
    ISG_FEATURE_SUBGROUP_VOTE = 1 << 19,
    ISG_FEATURE_SUBGROUP_ARITHMETIC = 1 << 20,
    ISG_FEATURE_SUBGROUP_BALLOT = 1 << 21,
    ISG_FEATURE_SUBGROUP_SHUFFLE = 1 << 22,
    ISG_FEATURE_SUBGROUP_SHUFFLE_RELATIVE = 1 << 23,
    ISG_FEATURE_SUBGROUP_CLUSTERED = 1 << 24,
    ISG_FEATURE_SUBGROUP_QUAD = 1 << 25,
    ISG_FEATURE_SHADER_CLOCK = 1 << 26, /* device scope */
    ISG_FEATURE_BUFFER_DEVICE_ADDRESS = 1 << 27,
    ISG_FEATURE_IMAGES = 1 << 28,               /* storage and sampled images */
    ISG_FEATURE_NON_UNIFORM_INDEXING = 1 << 29, /* arrays of descriptors, dynamic index */
    ISG_FEATURE_IMAGE_WITHOUT_FORMAT = 1 << 30, /* storage images read or written formatless */
} isg_feature;

/* The name of one feature bit as messages spell it, "float64"; NULL for a bit that is none.
 * Ownership: static. Threads: thread-safe. Errors: none. Since: 0.1 */
ISG_API const char *isg_feature_name(uint32_t feature);

/* 0 means unsupported. Sizes are bytes. */
typedef struct isg_device_limits {
    uint32_t features;                  /* isg_feature bits */
    uint32_t max_workgroup_count[3];    /* of one plain dispatch; phased kernels are not bound */
    uint32_t max_workgroup_size[3];     /* invocations a side */
    uint32_t max_workgroup_invocations; /* and in all */
    uint32_t max_shared_size;           /* of one workgroup */
    uint32_t max_push_size;             /* 128 on every device, by contract */
    uint64_t max_buffer_size;           /* of one buffer */
    uint64_t max_binding_size;          /* of one storage-buffer binding's range */
    uint64_t max_uniform_binding_size;  /* of one uniform-buffer binding's range */
    uint32_t storage_offset_alignment;  /* of a storage binding's offset */
    uint32_t uniform_offset_alignment;
    uint32_t max_bindings;      /* in all, of one kernel */
    uint32_t max_image_size_2d; /* texels a side */
    uint32_t max_image_size_3d;
    uint32_t subgroup_size;
    uint64_t loop_limit; /* iterations after which the driver silently ends a loop; 0: it never
                            does. One budget for all loops of an invocation. */
} isg_device_limits;

typedef enum isg_denormals {
    ISG_DENORMALS_UNKNOWN = 0,
    ISG_DENORMALS_FLUSHED = 1,
    ISG_DENORMALS_KEPT = 2,
} isg_denormals;

/* How 32-bit floats behave when nothing is asked for, and what may be asked for. */
typedef struct isg_float_behaviour {
    isg_denormals denormals32;       /* as known for this driver */
    bool denormals32_flush_control;  /* flushing can be demanded */
    bool denormals32_keep_control;   /* keeping can be demanded */
    bool rounding32_nearest_control; /* round-to-nearest-even can be demanded */
    bool signed_zero_inf_nan32;      /* preservation can be demanded */
} isg_float_behaviour;

typedef enum isg_grid_sync {
    ISG_GRID_SYNC_NONE = 0,     /* plain kernels only */
    ISG_GRID_SYNC_SPLIT = 1,    /* phased kernels, one dispatch a phase */
    ISG_GRID_SYNC_RESIDENT = 2, /* also in-kernel waits between workgroups */
} isg_grid_sync;

typedef struct isg_device_info {
    char selector[32];   /* "vulkan:0": opens this device again in this process environment */
    const char *backend; /* "vulkan"; static */
    uint32_t index;      /* within the backend, as in `selector` */
    isg_device_type type;
    char name[256];        /* "llvmpipe (LLVM 15.0.6, 256 bits)" */
    char driver_name[256]; /* "llvmpipe" */
    char driver_info[256]; /* "Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)" */
    uint32_t driver_id;    /* VkDriverId on Vulkan */
    uint32_t driver_version;
    uint32_t api_version; /* VK_MAKE_API_VERSION packing */
    uint32_t vendor_id;
    uint32_t device_id;
    uint8_t uuid[16];     /* equal for one GPU seen through two backends */
    uint64_t memory_size; /* device-local bytes in all */
    isg_device_limits limits;
    isg_float_behaviour floats;
    isg_grid_sync grid_sync;
    const char *grid_sync_reason; /* why not more; "" at ISG_GRID_SYNC_RESIDENT; static */
    const char *unusable;         /* why isogrid cannot open it ("" when it can), naming the missing
                               feature; static */
} isg_device_info;

/* Lists all devices of all backends in the one order that indices and `auto` use: by backend,
 * then type (discrete, integrated, virtual, other, CPU), then name, driver and UUID. A device that
 * two drivers' manifests name twice is listed once.
 *
 * Ownership: fills at most `capacity` entries of `infos` (NULL with 0 asks for the count alone);
 *            *out_count is the number there are.
 * Threads:   thread-safe.
 * Errors:    INVALID_ARGUMENT  a NULL that is not allowed
 * Since:     0.1 */
ISG_API isg_status isg_instance_devices(isg_instance *instance, isg_device_info *infos,
                                        uint32_t capacity, uint32_t *out_count);

/* Called around every touch of a VkQueue or stream that the application shares with isogrid. */
typedef struct isg_queue_lock {
    void *user; /* borrowed */
    void (*lock)(void *user, uint32_t queue_family, uint32_t queue_index);
    void (*unlock)(void *user, uint32_t queue_family, uint32_t queue_index);
} isg_queue_lock;

typedef struct isg_device_desc {
    isg_queue_lock queue_lock; /* zero: isogrid's own lock */
    /* Nanoseconds that one submission may run before isogrid holds the device stuck; 0: 60 s. Bounds
     * every wait that has no timeout of its own, releases included. */
    uint64_t hang_timeout_ns;
    const char *label; /* copied; NULL: the selector */
} isg_device_desc;

/* Opens one device.
 *
 * `selector`, matched without regard to case:
 *   NULL, "" or "auto"  environment variable ISOGRID_DEVICE if set (itself a selector); else the
 *                       first usable device in order of preference: discrete GPU, integrated,
 *                       virtual, other, CPU; within a type CUDA before Vulkan, then the list's
 *                       order. A CPU driver is taken only when nothing else is there.
 *   "vulkan"            the same, among one backend's devices
 *   "vulkan:0"          by index within the backend (isg_instance_devices' order)
 *   "vulkan:mesa 25"    the one device whose "name driver_info" contains the text
 *   "mesa 25"           the same, in any backend
 *   "uuid:HEX"          by 32 hex digits, dashes ignored; "vulkan:uuid:HEX" in one backend
 *
 * Ownership: caller owns *out; it holds `instance`. `instance` may be NULL: the device then
 *            holds a private one with default options. `desc` may be NULL.
 * Threads:   thread-safe.
 * Errors:    INVALID_ARGUMENT  a selector that cannot be read
 *            UNAVAILABLE       nothing matches; the message lists what there is, and for a missing
 *                              driver what to install
 *            AMBIGUOUS         several match; the message lists them
 *            UNSUPPORTED       the device lacks what isogrid needs, by name
 *            OUT_OF_MEMORY, DRIVER
 * Since:     0.1 */
ISG_API isg_status isg_device_open(isg_instance *instance, const char *selector,
                                   const isg_device_desc *desc, isg_device **out);

/* Adds a reference. Ownership: caller owns it. Threads: thread-safe. Errors: none. Since: 0.1 */
ISG_API void isg_device_retain(isg_device *device);
/* Drops a reference; the last one waits for the device's work (a stuck device is abandoned).
 * Ownership: taken. Threads: thread-safe. Errors: none; NULL is fine. Since: 0.1 */
ISG_API void isg_device_release(isg_device *device);

/* What the device is and can do.
 * Ownership: lives with the device. Threads: thread-safe. Errors: NULL for NULL. Since: 0.1 */
ISG_API const isg_device_info *isg_device_get_info(const isg_device *device);

/* The queue every device has. More: isg_queue_create().
 * Ownership: borrowed from the device. Threads: thread-safe. Errors: NULL for NULL. Since: 0.1 */
ISG_API isg_queue *isg_device_queue(isg_device *device);

/* ISG_OK, or the sticky error: DEVICE_LOST or DEVICE_STUCK.
 * Ownership: none. Threads: thread-safe. Errors: as said; INVALID_ARGUMENT for NULL. Since: 0.1 */
ISG_API isg_status isg_device_status(isg_device *device);

typedef struct isg_memory_info {
    uint64_t size;   /* device-local bytes in all */
    uint64_t budget; /* bytes this process may expect to use in all, now; 0: the driver won't say */
    uint64_t usage;  /* bytes this process uses now, as the driver counts; 0: it won't say */
    uint64_t allocated; /* bytes isogrid holds on this device for buffers and images */
} isg_memory_info;

/* How much device memory there is now.
 * Ownership: fills *out. Threads: thread-safe. Errors: INVALID_ARGUMENT for NULL. Since: 0.1 */
ISG_API isg_status isg_device_memory(isg_device *device, isg_memory_info *out);

/* ---- buffers ----------------------------------------------------------------------------- */

typedef enum isg_memory {
    ISG_MEMORY_DEVICE = 0,   /* fastest for kernels; mapped only where that costs nothing */
    ISG_MEMORY_UPLOAD = 1,   /* host-visible, made for host writes and kernel reads */
    ISG_MEMORY_DOWNLOAD = 2, /* host-visible and cached, made for host reads */
} isg_memory;

typedef struct isg_buffer_desc {
    uint64_t size; /* bytes; at least 1 */
    isg_memory memory;
    const char *label; /* copied; for messages and debuggers; NULL: "buffer" */
} isg_buffer_desc;

/* Creates a buffer on `device`, usable as storage, uniform and indirect buffer and for copies.
 * Contents start undefined. Small buffers share memory blocks.
 *
 * Ownership: caller owns *out; end it with isg_buffer_release(). It holds `device`.
 * Threads:   thread-safe.
 * Errors:    INVALID_ARGUMENT  size is 0
 *            LIMIT_EXCEEDED    size is above limits.max_buffer_size
 *            OUT_OF_MEMORY     host or device memory ran out
 * Since:     0.1 */
ISG_API isg_status isg_buffer_create(isg_device *device, const isg_buffer_desc *desc,
                                     isg_buffer **out);
/* Adds a reference. Ownership: caller owns it. Threads: thread-safe. Errors: none. Since: 0.1 */
ISG_API void isg_buffer_retain(isg_buffer *buffer);
/* Drops a reference. Ownership: taken. Threads: thread-safe. Errors: none; NULL is fine.
 * Since: 0.1 */
ISG_API void isg_buffer_release(isg_buffer *buffer);
/* Size in bytes as asked for; 0 for NULL. Ownership: none. Threads: thread-safe. Since: 0.1 */
ISG_API uint64_t isg_buffer_size(const isg_buffer *buffer);

/* Writes `size` bytes at `offset`, after all earlier work of the device's own queue, and returns
 * once every later submission to any queue sees them. A size of 0 does nothing.
 *
 * Ownership: `data` is read before return.
 * Threads:   thread-safe.
 * Errors:    INVALID_ARGUMENT  NULL, or the range runs past the buffer
 *            OUT_OF_MEMORY, DEVICE_LOST, DEVICE_STUCK
 * Since:     0.1 */
ISG_API isg_status isg_buffer_upload(isg_buffer *buffer, uint64_t offset, const void *data,
                                     uint64_t size);

/* Reads `size` bytes at `offset`, after all earlier work of the device's own queue; returns when
 * the bytes are there. Reports execution errors of that earlier work like isg_queue_wait().
 *
 * Ownership: `data` is written before return.
 * Threads:   thread-safe.
 * Errors:    as isg_buffer_upload(), and those of isg_queue_wait()
 * Since:     0.1 */
ISG_API isg_status isg_buffer_download(isg_buffer *buffer, uint64_t offset, void *data,
                                       uint64_t size);

/* Gives the host address of the buffer's first byte. The host must not touch bytes that a
 * submission in flight uses: wait first. Mapping again gives the same address.
 *
 * Ownership: valid until the buffer's last release; there is no unmap.
 * Threads:   thread-safe.
 * Errors:    UNSUPPORTED  the memory is not host-visible: use UPLOAD or DOWNLOAD memory
 * Since:     0.1 */
ISG_API isg_status isg_buffer_map(isg_buffer *buffer, void **out);

/* ---- images and samplers ------------------------------------------------------------------- */

typedef enum isg_format {
    ISG_FORMAT_UNDEFINED = 0,
    ISG_FORMAT_R8_UNORM = 1,
    ISG_FORMAT_RGBA8_UNORM = 2,
    ISG_FORMAT_R32_UINT = 3,
    ISG_FORMAT_R32_SINT = 4,
    ISG_FORMAT_R32_FLOAT = 5,
    ISG_FORMAT_RG32_FLOAT = 6,
    ISG_FORMAT_RGBA16_FLOAT = 7,
    ISG_FORMAT_RGBA32_FLOAT = 8,
    ISG_FORMAT_RGBA32_UINT = 9,
} isg_format;

typedef enum isg_image_usage {
    ISG_IMAGE_USAGE_STORAGE = 1 << 0, /* image2D: imageLoad, imageStore */
    ISG_IMAGE_USAGE_SAMPLED = 1 << 1, /* texture2D, sampler2D */
} isg_image_usage;

typedef struct isg_image_desc {
    isg_format format;
    uint32_t width, height, depth; /* texels; height 0: 1D; depth 0: 1D or 2D */
    uint32_t usage;                /* isg_image_usage bits; 0: both */
    const char *label;             /* copied; NULL: "image" */
} isg_image_desc;

/* Creates an image. Contents start undefined.
 *
 * Ownership: caller owns *out. It holds `device`.
 * Threads:   thread-safe.
 * Errors:    INVALID_ARGUMENT  unknown format, width 0, depth without height
 *            LIMIT_EXCEEDED    a side above the limit
 *            UNSUPPORTED       the device has no images, or not this format and usage
 *            OUT_OF_MEMORY
 * Since:     0.1 */
ISG_API isg_status isg_image_create(isg_device *device, const isg_image_desc *desc,
                                    isg_image **out);
/* Adds a reference. Ownership: caller owns it. Threads: thread-safe. Errors: none. Since: 0.1 */
ISG_API void isg_image_retain(isg_image *image);
/* Drops a reference. Ownership: taken. Threads: thread-safe. Errors: none; NULL is fine.
 * Since: 0.1 */
ISG_API void isg_image_release(isg_image *image);
/* Bytes of the whole image, rows tightly packed; 0 for NULL.
 * Ownership: none. Threads: thread-safe. Errors: none. Since: 0.1 */
ISG_API uint64_t isg_image_size(const isg_image *image);
/* Writes the whole image, rows tightly packed; ordered like isg_buffer_upload().
 * Ownership: `data` is read before return. Threads: thread-safe.
 * Errors: INVALID_ARGUMENT  NULL, or size is not isg_image_size(); else as isg_buffer_upload().
 * Since: 0.1 */
ISG_API isg_status isg_image_upload(isg_image *image, const void *data, uint64_t size);
/* Reads the whole image, rows tightly packed; ordered like isg_buffer_download().
 * Ownership: `data` is written before return. Threads: thread-safe.
 * Errors: INVALID_ARGUMENT  NULL, or size is not isg_image_size(); else as isg_buffer_download().
 * Since: 0.1 */
ISG_API isg_status isg_image_download(isg_image *image, void *data, uint64_t size);

typedef enum isg_filter { ISG_FILTER_NEAREST = 0, ISG_FILTER_LINEAR = 1 } isg_filter;
typedef enum isg_address_mode {
    ISG_ADDRESS_CLAMP_TO_EDGE = 0,
    ISG_ADDRESS_REPEAT = 1,
    ISG_ADDRESS_MIRRORED_REPEAT = 2,
    ISG_ADDRESS_CLAMP_TO_ZERO = 3, /* transparent black outside */
} isg_address_mode;

typedef struct isg_sampler_desc {
    isg_filter filter; /* linear filtering is not portable to the last bit */
    isg_address_mode address[3];
    bool unnormalized; /* coordinates in texels; only with clamping */
} isg_sampler_desc;

/* Creates a sampler. `desc` may be NULL: nearest, clamped.
 * Ownership: caller owns *out. It holds `device`. Threads: thread-safe.
 * Errors: INVALID_ARGUMENT  an unknown value, or repeating unnormalized coordinates;
 *         UNSUPPORTED; OUT_OF_MEMORY. Since: 0.1 */
ISG_API isg_status isg_sampler_create(isg_device *device, const isg_sampler_desc *desc,
                                      isg_sampler **out);
/* Adds a reference. Ownership: caller owns it. Threads: thread-safe. Errors: none. Since: 0.1 */
ISG_API void isg_sampler_retain(isg_sampler *sampler);
/* Drops a reference. Ownership: taken. Threads: thread-safe. Errors: none; NULL is fine.
 * Since: 0.1 */
ISG_API void isg_sampler_release(isg_sampler *sampler);

/* ---- what a kernel is: reflection ------------------------------------------------------------ */

typedef enum isg_binding_kind {
    ISG_BINDING_STORAGE_BUFFER = 0,
    ISG_BINDING_UNIFORM_BUFFER = 1,
    ISG_BINDING_STORAGE_IMAGE = 2,
    ISG_BINDING_SAMPLED_IMAGE = 3, /* texture2D */
    ISG_BINDING_SAMPLER = 4,
    ISG_BINDING_COMBINED_IMAGE_SAMPLER = 5, /* sampler2D */
} isg_binding_kind;

typedef enum isg_access {
    ISG_ACCESS_NONE = 0, /* declared, never used */
    ISG_ACCESS_READ = 1,
    ISG_ACCESS_WRITE = 2,
    ISG_ACCESS_READ_WRITE = 3,
} isg_access;

typedef struct isg_binding_info {
    uint32_t set, binding;
    isg_binding_kind kind;
    isg_access access;
    uint32_t array_count;  /* descriptors; 1 for no array */
    uint64_t block_size;   /* buffers: bytes of the fixed part; the binding must hold them */
    uint64_t array_stride; /* buffers that end in a runtime array: bytes an element; else 0 */
    const char *name;      /* "" when stripped */
} isg_binding_info;

typedef enum isg_constant_type {
    ISG_CONSTANT_BOOL = 0,
    ISG_CONSTANT_INT = 1,
    ISG_CONSTANT_UINT = 2,
    ISG_CONSTANT_FLOAT = 3,
} isg_constant_type;

typedef struct isg_constant_info {
    uint32_t id; /* SpecId */
    isg_constant_type type;
    uint32_t size;          /* bytes: 1, 2, 4 or 8 (bool: 4) */
    uint64_t default_value; /* its bits, in the low bytes */
    const char *name;       /* "" when stripped */
} isg_constant_info;

typedef enum isg_sync_class {
    ISG_SYNC_PLAIN = 0,       /* no grid sync */
    ISG_SYNC_PHASED = 1,      /* a list of phases; nothing private or shared survives a boundary */
    ISG_SYNC_COOPERATIVE = 2, /* syncs the grid with live private or shared state */
} isg_sync_class;

typedef struct isg_kernel_info {
    const char *entry;      /* entry point's name */
    uint32_t spirv_version; /* 0x00010300 for 1.3 */
    uint32_t workgroup_size[3];
    uint32_t workgroup_size_ids[3];   /* SpecId that sets it, or UINT32_MAX */
    const isg_binding_info *bindings; /* by set, then binding; isogrid's own is not among them */
    uint32_t binding_count;
    uint32_t push_size;                 /* bytes of push constants the kernel declares */
    const isg_constant_info *constants; /* by id; isogrid's reserved ones are not among them */
    uint32_t constant_count;
    uint64_t shared_size; /* bytes of workgroup memory */
    uint32_t features;    /* isg_feature bits a device must have */
    isg_sync_class sync_class;
    uint32_t phase_count; /* phased: 1 to 32; else 0 */
    bool uses_round;      /* phased: reads the round number */
    bool uses_subgroups;
    bool uses_atomics;
    bool uses_float_atomics;
    bool uses_printf;
    /* Same inputs and grid give the same bits on every device. */
    bool portable_bits;
    const char *const *portable_reasons; /* why not, one sentence each */
    uint32_t portable_reason_count;
} isg_kernel_info;

/* Reads a module without a device.
 *
 * Ownership: caller owns *out and all it points to; end it with isg_kernel_info_release().
 * Threads:   thread-safe.
 * Errors:    INVALID_SPIRV     malformed, or not for Vulkan compute; the message has the word
 *                              offset, the instruction and the rule
 *            INVALID_ARGUMENT  NULL, size not a multiple of 4, no or several entry points match
 *            UNSUPPORTED       well-formed but beyond isogrid, by name
 *            OUT_OF_MEMORY
 * Since:     0.1 */
ISG_API isg_status isg_kernel_info_create(const void *spirv, size_t size, const char *entry,
                                          isg_kernel_info **out);
/* Ownership: taken. Threads: thread-safe. Errors: none; NULL is fine. Since: 0.1 */
ISG_API void isg_kernel_info_release(isg_kernel_info *info);

/* ---- kernels ----------------------------------------------------------------------------- */

typedef enum isg_kernel_flag {
    /* Leaves float arithmetic to the driver: faster, and no longer the same bits everywhere. */
    ISG_KERNEL_FAST_MATH = 1 << 0,
    /* Bounds every loop, so that an endless one ends in LOOP_LIMIT instead of a stuck device. */
    ISG_KERNEL_BOUNDED = 1 << 1,
    /* Tests every buffer and array index; a bad access is skipped and ends in OUT_OF_BOUNDS. */
    ISG_KERNEL_CHECKED = 1 << 2,
} isg_kernel_flag;

typedef struct isg_kernel_desc {
    const void *spirv; /* copied; little-endian words; any alignment */
    size_t size;       /* bytes */
    const char *entry; /* NULL: the only compute entry point */
    uint32_t flags;    /* isg_kernel_flag bits */
    const char *label; /* copied; NULL: the entry point's name */
} isg_kernel_desc;

/* Makes a kernel of a SPIR-V module: reads it, checks it against the device, and rewrites it as
 * its class needs. The driver compiles it at the first prepare or dispatch.
 *
 * Ownership: caller owns *out. It holds `device`.
 * Threads:   thread-safe.
 * Errors:    as isg_kernel_info_create(), and
 *            UNSUPPORTED     a feature the device lacks, by name
 *            LIMIT_EXCEEDED  workgroup size, shared memory, push constants or bindings above the
 *                            device's limit (with default specialisation constants)
 * Since:     0.1 */
ISG_API isg_status isg_kernel_create(isg_device *device, const isg_kernel_desc *desc,
                                     isg_kernel **out);
/* Adds a reference. Ownership: caller owns it. Threads: thread-safe. Errors: none. Since: 0.1 */
ISG_API void isg_kernel_retain(isg_kernel *kernel);
/* Drops a reference. Ownership: taken. Threads: thread-safe. Errors: none; NULL is fine.
 * Since: 0.1 */
ISG_API void isg_kernel_release(isg_kernel *kernel);
/* The kernel's reflection.
 * Ownership: lives with the kernel. Threads: thread-safe. Errors: NULL for NULL. Since: 0.1 */
ISG_API const isg_kernel_info *isg_kernel_get_info(const isg_kernel *kernel);

/* One specialisation constant. `value` holds its bits in the low bytes, as many as the constant
 * has (isg_constant_info.size); the rest must be 0 or, for signed ones, the sign. */
typedef struct isg_constant {
    uint32_t id;
    uint64_t value;
} isg_constant;

/* Starts compiling the kernel for these constants on a thread of isogrid's and returns. A dispatch
 * that comes earlier waits for it. Preparing what is prepared does nothing.
 *
 * Ownership: `constants` are copied.
 * Threads:   thread-safe.
 * Errors:    INVALID_ARGUMENT  an unknown or repeated id, a value out of range
 *            LIMIT_EXCEEDED    the workgroup size these constants give
 *            OUT_OF_MEMORY, DEVICE_LOST
 * Since:     0.1 */
ISG_API isg_status isg_kernel_prepare(isg_kernel *kernel, const isg_constant *constants,
                                      uint32_t constant_count);

/* Waits until all that was prepared so far is compiled.
 *
 * Ownership: none.
 * Threads:   thread-safe.
 * Errors:    TIMEOUT; COMPILE_FAILED  the driver said no: its words are in the message;
 *            INVALID_ARGUMENT, OUT_OF_MEMORY, DEVICE_LOST
 * Since:     0.1 */
ISG_API isg_status isg_kernel_wait(isg_kernel *kernel, uint64_t timeout_ns);

/* ---- dispatch ---------------------------------------------------------------------------- */

/* One argument of a kernel: a buffer range, an image, a sampler, or image and sampler. */
typedef struct isg_binding {
    uint32_t set, binding;
    uint32_t array_index; /* for arrays of descriptors; each element is an entry of its own */
    isg_buffer *buffer;
    uint64_t offset; /* bytes; a multiple of the limit's alignment */
    uint64_t size;   /* bytes; 0: to the buffer's end */
    isg_image *image;
    isg_sampler *sampler;
} isg_binding;

typedef enum isg_plan_kind {
    ISG_PLAN_AUTO = 0,        /* the library chooses */
    ISG_PLAN_SINGLE = 1,      /* a plain kernel: one dispatch */
    ISG_PLAN_COOPERATIVE = 2, /* all workgroups resident at once */
    ISG_PLAN_VIRTUALIZED = 3, /* resident workgroups loop over the grid in each phase */
    ISG_PLAN_SPLIT = 4,       /* one dispatch a phase, barriers between */
    ISG_PLAN_REFUSED = 5,     /* it cannot run; the reason says why */
} isg_plan_kind;

typedef struct isg_dispatch {
    isg_kernel *kernel;
    uint32_t grid[3]; /* workgroups; 0 in y and z means 1; 0 in x means nothing to do */
    /* Three uint32_t on the device that replace `grid`, read when the dispatch runs; there 0
     * anywhere means nothing to do. Counts above the device's limit do nothing and end in
     * LIMIT_EXCEEDED when waited for. */
    isg_buffer *indirect;
    uint64_t indirect_offset; /* bytes; a multiple of 4 */
    const isg_binding *bindings;
    uint32_t binding_count;
    const void *push; /* push constants */
    uint32_t push_size;
    const isg_constant *constants;
    uint32_t constant_count;
    uint32_t rounds;    /* phased: times the list of phases is run; 0 means 1 */
    isg_plan_kind plan; /* AUTO, or a demand that is refused if it cannot be met */
    const char *label;  /* for messages; NULL: the kernel's */
} isg_dispatch;

typedef struct isg_plan {
    isg_plan_kind kind;
    char reason[256];          /* why this plan, or why refused */
    uint32_t dispatch_count;   /* dispatches the driver will see; 0 if that is decided on device */
    uint32_t physical_grid[3]; /* workgroups of each of them; 0 if decided on the device */
    uint64_t max_workgroups;   /* refused for its size: the largest grid that would run, else 0 */
    uint32_t sync_count;       /* grid syncs the dispatch will go through: phases x rounds - 1 */
} isg_plan;

/* Says how a dispatch would be run, by the same function that dispatch uses, and queues nothing.
 *
 * Ownership: fills *out.
 * Threads:   thread-safe.
 * Errors:    what isg_queue_dispatch() would return for bad arguments; a dispatch that is refused
 *            only for its plan is ISG_OK with kind REFUSED
 * Since:     0.1 */
ISG_API isg_status isg_plan_dispatch(const isg_dispatch *dispatch, isg_plan *out);

/* The name of a plan, "split". Ownership: static. Threads: thread-safe. Errors: none; "unknown"
 * for a value that is none. Since: 0.1 */
ISG_API const char *isg_plan_name(isg_plan_kind kind);

/* ---- events ------------------------------------------------------------------------------- */

#define ISG_WAIT_FOREVER UINT64_MAX

/* Creates a timeline at 0, to be signalled by submissions.
 * Ownership: caller owns *out. It holds `device`. Threads: thread-safe.
 * Errors: INVALID_ARGUMENT, OUT_OF_MEMORY, DEVICE_LOST. Since: 0.1 */
ISG_API isg_status isg_event_create(isg_device *device, isg_event **out);
/* Adds a reference. Ownership: caller owns it. Threads: thread-safe. Errors: none. Since: 0.1 */
ISG_API void isg_event_retain(isg_event *event);
/* Drops a reference. Ownership: taken. Threads: thread-safe. Errors: none; NULL is fine.
 * Since: 0.1 */
ISG_API void isg_event_release(isg_event *event);

/* The value reached so far.
 * Ownership: fills *out. Threads: thread-safe. Errors: INVALID_ARGUMENT, DEVICE_LOST. Since: 0.1 */
ISG_API isg_status isg_event_value(isg_event *event, uint64_t *out);

/* Waits until the event has reached `value`, at most `timeout_ns` (0 polls). ISG_WAIT_FOREVER ends
 * with DEVICE_STUCK when isg_device_desc.hang_timeout_ns has passed without progress.
 *
 * Ownership: none.
 * Threads:   thread-safe.
 * Errors:    TIMEOUT        not reached in time
 *            INVALID_STATE  nothing submitted so far will ever reach `value`
 *            DEVICE_LOST, DEVICE_STUCK
 *            For a queue's own event, also the execution errors isg_queue_wait() reports.
 * Since:     0.1 */
ISG_API isg_status isg_event_wait(isg_event *event, uint64_t value, uint64_t timeout_ns);

typedef struct isg_event_value_pair {
    isg_event *event;
    uint64_t value;
} isg_event_value_pair;

/* ---- recordings ---------------------------------------------------------------------------- */

typedef struct isg_recording_desc {
    bool timed;        /* take the GPU time of each dispatch */
    const char *label; /* copied; NULL: "recording" */
} isg_recording_desc;

/* Starts an empty recording.
 * Ownership: caller owns *out. It holds `device`. Threads: thread-safe.
 * Errors: INVALID_ARGUMENT, OUT_OF_MEMORY, DEVICE_LOST; UNSUPPORTED  timed, and the device has no
 *         timestamps. Since: 0.1 */
ISG_API isg_status isg_recording_create(isg_device *device, const isg_recording_desc *desc,
                                        isg_recording **out);
/* Adds a reference. Ownership: caller owns it. Threads: thread-safe. Errors: none. Since: 0.1 */
ISG_API void isg_recording_retain(isg_recording *recording);
/* Drops a reference. Ownership: taken. Threads: thread-safe. Errors: none; NULL is fine.
 * Since: 0.1 */
ISG_API void isg_recording_release(isg_recording *recording);

/* Appends one dispatch. Its plan is chosen now; push constants and constants are copied; buffers,
 * images and kernel are held until the recording is released.
 *
 * Ownership: nothing of `dispatch` is kept but references.
 * Threads:   externally synchronised.
 * Errors:    INVALID_ARGUMENT  bindings missing, repeated, unknown or of the wrong kind; ranges
 *                              outside their buffers, too small or misaligned; objects of another
 *                              device; a writable binding that overlaps another one;
 *                              push_size other than the kernel's; bad constants
 *            LIMIT_EXCEEDED    plain kernel: grid above the device's limit; a binding's range
 *            GRID_TOO_LARGE, UNSUPPORTED  the plan is refused
 *            INVALID_STATE     the recording has ended
 *            COMPILE_FAILED, OUT_OF_MEMORY, DEVICE_LOST
 *            A failed call appends nothing; the recording stays good.
 * Since:     0.1 */
ISG_API isg_status isg_record_dispatch(isg_recording *recording, const isg_dispatch *dispatch);

/* Appends a copy between buffers; within one buffer the ranges must not overlap.
 * Ownership: buffers are held. Threads: externally synchronised.
 * Errors: INVALID_ARGUMENT  a range outside its buffer, overlap, another device's buffer;
 *         INVALID_STATE, OUT_OF_MEMORY. Since: 0.1 */
ISG_API isg_status isg_record_copy(isg_recording *recording, isg_buffer *destination,
                                   uint64_t destination_offset, isg_buffer *source,
                                   uint64_t source_offset, uint64_t size);

/* Appends a fill with one byte repeated. Any offset and size.
 * Ownership: the buffer is held. Threads: externally synchronised.
 * Errors: as isg_record_copy(). Since: 0.1 */
ISG_API isg_status isg_record_fill(isg_recording *recording, isg_buffer *buffer, uint64_t offset,
                                   uint64_t size, uint8_t value);

/* Closes the recording; from now on it may be submitted, any number of times.
 * Ownership: none. Threads: externally synchronised.
 * Errors: INVALID_STATE  it has ended already; OUT_OF_MEMORY. Since: 0.1 */
ISG_API isg_status isg_recording_end(isg_recording *recording);

/* The GPU time of each dispatch of a timed recording, in nanoseconds, in order, from its last
 * submission that has finished; 0 where the driver gave none.
 *
 * Ownership: fills at most `capacity` entries; *out_count is the number of dispatches.
 * Threads:   thread-safe.
 * Errors:    INVALID_STATE  not timed, not ended, or no submission has finished
 * Since:     0.1 */
ISG_API isg_status isg_recording_times(isg_recording *recording, uint64_t *times_ns,
                                       uint32_t capacity, uint32_t *out_count);

/* How the last finished submission of the recording ended: ISG_OK or an execution error.
 * Ownership: none. Threads: thread-safe.
 * Errors: INVALID_STATE  no submission has finished; else as said. Since: 0.1 */
ISG_API isg_status isg_recording_status(isg_recording *recording);

/* ---- queues -------------------------------------------------------------------------------- */

/* Creates another queue. Several may share one hardware queue; each is in order by itself, and
 * events order them among each other.
 * Ownership: caller owns *out. It holds `device`. Threads: thread-safe.
 * Errors: INVALID_ARGUMENT, OUT_OF_MEMORY, DEVICE_LOST. Since: 0.1 */
ISG_API isg_status isg_queue_create(isg_device *device, const char *label, isg_queue **out);
/* Adds a reference. Ownership: caller owns it. Threads: thread-safe. Errors: none. Since: 0.1 */
ISG_API void isg_queue_retain(isg_queue *queue);
/* Drops a reference. Work already submitted still runs. Ownership: taken. Threads: thread-safe.
 * Errors: none; NULL is fine. Since: 0.1 */
ISG_API void isg_queue_release(isg_queue *queue);
/* The queue's own timeline: the value a submission returns is reached when it has run.
 * Ownership: borrowed from the queue. Threads: thread-safe. Errors: NULL for NULL. Since: 0.1 */
ISG_API isg_event *isg_queue_event(isg_queue *queue);

typedef struct isg_submit_desc {
    isg_recording *const *recordings; /* run in this order */
    uint32_t recording_count;         /* 0 is fine: only waits and signals */
    const isg_event_value_pair *waits;
    uint32_t wait_count;
    const isg_event_value_pair *signals; /* user events; values must grow */
    uint32_t signal_count;
} isg_submit_desc;

/* Submits recordings. One that is still in flight elsewhere is waited for on the device, so its
 * two runs never overlap.
 *
 * Ownership: the submission holds what it uses until it has run. *out_value (may be NULL) is the
 *            value of isg_queue_event() that means it has.
 * Threads:   thread-safe; the order of submissions from several threads is the order of locks.
 * Errors:    INVALID_STATE     a recording that has not ended; a wait for a value whose signal has
 *                              not been submitted
 *            INVALID_ARGUMENT  NULL, objects of another device, a signal that does not grow its
 *                              event, a queue's own event among the signals
 *            OUT_OF_MEMORY, DEVICE_LOST, DEVICE_STUCK
 * Since:     0.1 */
ISG_API isg_status isg_queue_submit(isg_queue *queue, const isg_submit_desc *desc,
                                    uint64_t *out_value);

/* Submits `count` dispatches at once, in order; all or nothing. Errors as isg_record_dispatch()
 * and isg_queue_submit(); ownership and threads as isg_queue_submit(). In the steady state nothing
 * is allocated. Since: 0.1 */
ISG_API isg_status isg_queue_dispatch(isg_queue *queue, const isg_dispatch *dispatches,
                                      uint32_t count, uint64_t *out_value);

/* Submits one copy. As isg_record_copy() and isg_queue_submit(). Ownership: buffers are held until
 * it has run. Threads: thread-safe. Errors: theirs. Since: 0.1 */
ISG_API isg_status isg_queue_copy(isg_queue *queue, isg_buffer *destination,
                                  uint64_t destination_offset, isg_buffer *source,
                                  uint64_t source_offset, uint64_t size, uint64_t *out_value);

/* Submits one fill. As isg_record_fill() and isg_queue_submit(). Ownership: the buffer is held
 * until it has run. Threads: thread-safe. Errors: theirs. Since: 0.1 */
ISG_API isg_status isg_queue_fill(isg_queue *queue, isg_buffer *buffer, uint64_t offset,
                                  uint64_t size, uint8_t value, uint64_t *out_value);

/* Waits until the submission that returned `value` has run; 0 means the last one. At most
 * `timeout_ns` nanoseconds.
 *
 * Ownership: none.
 * Threads:   thread-safe.
 * Errors:    TIMEOUT        not finished in time
 *            INVALID_STATE  `value` has not been submitted
 *            LIMIT_EXCEEDED, BARRIER_EXPIRED, LOOP_LIMIT, OUT_OF_BOUNDS  an execution error of a
 *                           submission up to `value` that no wait has reported yet; the message
 *                           names the dispatch; reported once
 *            DEVICE_LOST, DEVICE_STUCK
 * Since:     0.1 */
ISG_API isg_status isg_queue_wait(isg_queue *queue, uint64_t value, uint64_t timeout_ns);

/* ---- host bytes in, host bytes out ----------------------------------------------------------- */

typedef enum isg_direction {
    ISG_IN = 0,    /* host to device before */
    ISG_OUT = 1,   /* device to host after; starts as zeros */
    ISG_INOUT = 2, /* both */
} isg_direction;

typedef struct isg_host_binding {
    uint32_t set, binding;
    void *data;    /* read for IN and INOUT, written for OUT and INOUT */
    uint64_t size; /* bytes; at least 1 */
    isg_direction direction;
} isg_host_binding;

typedef struct isg_dispatch_result {
    isg_plan plan;
    uint64_t gpu_time_ns; /* 0 where the device has no timestamps */
} isg_dispatch_result;

/* Runs one dispatch on host memory and waits: uploads, dispatches, downloads.
 * `dispatch->bindings` may hold buffers besides.
 *
 * Ownership: `data` of the bindings is used until return. `out` may be NULL.
 * Threads:   thread-safe.
 * Errors:    as isg_queue_dispatch() and isg_queue_wait(); on error no `data` has been written
 * Since:     0.1 */
ISG_API isg_status isg_queue_dispatch_bytes(isg_queue *queue, const isg_dispatch *dispatch,
                                            const isg_host_binding *bindings,
                                            uint32_t binding_count, isg_dispatch_result *out);

#ifdef __cplusplus
}
#endif

#endif
