/* saxpy: a plain kernel on buffers that stay on the device, run three times by one recording.
 *
 *     example_saxpy [DEVICE]
 */
#include <isogrid/isogrid.h>

#include "saxpy_kernel.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 100000, TIMES = 3 };

typedef struct objects {
    isg_kernel *kernel;
    isg_buffer *x, *y;
    isg_recording *recording;
} objects;

static const struct {
    float a;
    uint32_t count;
} push = {2.5f, COUNT};

static float x[COUNT], y[COUNT], result[COUNT];

static isg_status make(isg_device *device, objects *all)
{
    const isg_kernel_desc kernel = {.spirv = isg_kernel_saxpy, .size = isg_kernel_saxpy_size};
    const isg_buffer_desc buffer = {.size = sizeof x};
    isg_status status = isg_kernel_create(device, &kernel, &all->kernel);

    status = status ? status : isg_buffer_create(device, &buffer, &all->x);
    status = status ? status : isg_buffer_create(device, &buffer, &all->y);
    status = status ? status : isg_buffer_upload(all->x, 0, x, sizeof x);
    status = status ? status : isg_buffer_upload(all->y, 0, y, sizeof y);
    return status ? status : isg_recording_create(device, NULL, &all->recording);
}

static isg_status run(isg_device *device, objects *all)
{
    const isg_binding bindings[] = {
        {.binding = 0, .buffer = all->x},
        {.binding = 1, .buffer = all->y},
    };
    const isg_dispatch dispatch = {
        .kernel = all->kernel,
        .grid = {(COUNT + 255) / 256},
        .bindings = bindings,
        .binding_count = 2,
        .push = &push,
        .push_size = sizeof push,
    };
    const isg_submit_desc submit = {.recordings = &all->recording, .recording_count = 1};
    isg_status status = isg_record_dispatch(all->recording, &dispatch);

    status = status ? status : isg_recording_end(all->recording);
    for (int i = 0; i < TIMES; i++) {
        status = status ? status : isg_queue_submit(isg_device_queue(device), &submit, NULL);
    }
    /* Ordered after what was submitted; reports its errors too. */
    return status ? status : isg_buffer_download(all->y, 0, result, sizeof result);
}

int main(int argc, char **argv)
{
    isg_device *device = NULL;
    objects all = {0};
    bool good = false;
    uint32_t wrong = 0;

    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)(i % 1000) * 0.1f;
        y[i] = (float)i * 0.01f;
    }
    good = isg_device_open(NULL, argc > 1 ? argv[1] : NULL, NULL, &device) == ISG_OK &&
           make(device, &all) == ISG_OK && run(device, &all) == ISG_OK;
    if (!good) {
        fprintf(stderr, "%s\n", isg_last_error());
    }
    /* The same bits as the host's, which multiplies, rounds, adds and rounds. */
    for (int i = 0; i < COUNT; i++) {
        float expected = y[i];

        for (int t = 0; t < TIMES; t++) {
            const float product = push.a * x[i];

            expected = product + expected;
        }
        wrong += memcmp(&expected, &result[i], sizeof expected) != 0;
    }
    if (good) {
        printf("saxpy on %s: %u of %d values differ from the host's\n",
               isg_device_get_info(device)->name, wrong, COUNT);
    }
    isg_recording_release(all.recording);
    isg_buffer_release(all.x);
    isg_buffer_release(all.y);
    isg_kernel_release(all.kernel);
    isg_device_release(device);
    return good && wrong == 0 ? 0 : 1;
}
