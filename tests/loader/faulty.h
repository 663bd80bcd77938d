/* A Vulkan loader whose driver fails when told to; everything else goes to the real one. */
#ifndef ISG_TESTS_LOADER_FAULTY_H
#define ISG_TESTS_LOADER_FAULTY_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <stdatomic.h>

typedef struct faulty_control {
    atomic_long calls;   /* of functions that can fail, so far */
    atomic_long fail_at; /* the call that fails, counted from 1; 0: none */
    VkResult result;     /* what it returns */
    atomic_bool lost;    /* the device is lost: set by a failure with VK_ERROR_DEVICE_LOST */
    atomic_long live;    /* objects created and not destroyed */
    const char *failed;  /* the function that failed; NULL: none yet */
} faulty_control;

/* Exported by the loader under this name. */
#define FAULTY_CONTROL_NAME "isg_faulty_control"
typedef faulty_control *(*faulty_control_function)(void);

#endif
