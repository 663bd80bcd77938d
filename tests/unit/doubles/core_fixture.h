/* What the tests of the core over the fake backend share: a device, kernels and buffers. */
#ifndef ISOGRID_TESTS_CORE_FIXTURE_H
#define ISOGRID_TESTS_CORE_FIXTURE_H

#include "unit/doubles/fake_backend.h"

#include <check.h>

#define ASK(call) ck_assert_msg((call) == ISG_OK, "%s: %s", #call, isg_last_error())
#define REFUSED(call, status)                                                                      \
    do {                                                                                           \
        isg_status got_status = (call);                                                            \
        ck_assert_msg(got_status == (status), "%s gave %s (%s)", #call,                            \
                      isg_status_name(got_status), isg_last_error());                              \
    } while (0)

/* Fails unless the last error contains `text`. */
void fixture_says(const char *text);

typedef struct core_fixture {
    isg_instance *instance;
    isg_device *device;
    isg_queue *queue; /* the device's own */
    counting_allocator allocator;
} core_fixture;

extern core_fixture fixture;

/* fake_reset(), then a device with counted host memory. */
void fixture_open(void);
void fixture_open_with(const isg_device_desc *desc);
/* Releases it and checks that nothing is left: objects, devices, host memory, handles. */
void fixture_close(void);

isg_buffer *fixture_buffer(uint64_t size, const char *label);
/* One of the embedded kernels by its file's stem, "rounds". */
isg_kernel *fixture_kernel(const char *stem);
/* The words of one. */
void fixture_kernel_desc(const char *stem, isg_kernel_desc *out);

#endif
