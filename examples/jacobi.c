/* jacobi: a phased kernel, compiled when the program runs, with rounds over its list of phases.
 *
 *     example_jacobi KERNEL.comp [DEVICE]
 */
#include <isogrid/glsl.h>
#include <isogrid/isogrid.h>

#include <stdio.h>
#include <string.h>

enum { SIDE = 64, ROUNDS = 100 };

static float plate[2][SIDE * SIDE], solved[SIDE * SIDE];

/* The edge at y == 0 is hot. */
static void fill(float *values)
{
    for (int i = 0; i < SIDE * SIDE; i++) {
        values[i] = i < SIDE ? 1.0f : 0.5f;
    }
}

static void host_step(const float *from, float *to)
{
    memcpy(to, from, sizeof plate[0]);
    for (int y = 1; y < SIDE - 1; y++) {
        for (int x = 1; x < SIDE - 1; x++) {
            const int i = y * SIDE + x;

            to[i] = 0.25f * (from[i - 1] + from[i + 1] + from[i - SIDE] + from[i + SIDE]);
        }
    }
}

static isg_status compile(isg_device *device, const char *path, isg_kernel **out)
{
    const isg_glsl_macro side = {"SIDE", "64"};
    const isg_glsl_desc desc = {.path = path, .macros = &side, .macro_count = 1};
    isg_glsl_result *code = NULL;
    isg_status status = isg_glsl_compile(&desc, &code);

    if (status == ISG_OK) {
        status = isg_kernel_create(
            device, &(isg_kernel_desc){.spirv = code->spirv, .size = code->size, .label = "jacobi"},
            out);
    }
    isg_glsl_result_release(code);
    return status;
}

static isg_status solve(isg_device *device, const char *path, isg_dispatch_result *result)
{
    static float scratch[SIDE * SIDE];
    const isg_host_binding data[] = {
        {.binding = 0, .data = solved, .size = sizeof solved, .direction = ISG_INOUT},
        {.binding = 1, .data = scratch, .size = sizeof scratch, .direction = ISG_OUT},
    };
    isg_dispatch dispatch = {.grid = {SIDE / 16, SIDE / 16}, .rounds = ROUNDS};
    isg_kernel *kernel = NULL;
    isg_status status = compile(device, path, &kernel);

    if (status == ISG_OK) {
        dispatch.kernel = kernel;
        status = isg_queue_dispatch_bytes(isg_device_queue(device), &dispatch, data, 2, result);
    }
    isg_kernel_release(kernel);
    return status;
}

int main(int argc, char **argv)
{
    isg_device *device = NULL;
    isg_dispatch_result result;
    bool same = false;

    if (argc < 2) {
        fprintf(stderr, "usage: example_jacobi KERNEL.comp [DEVICE]\n");
        return 2;
    }
    fill(plate[0]);
    fill(solved);
    if (isg_device_open(NULL, argc > 2 ? argv[2] : NULL, NULL, &device) ||
        solve(device, argv[1], &result)) {
        fprintf(stderr, "%s\n", isg_last_error());
        isg_device_release(device);
        return 1;
    }
    for (int step = 0; step < 2 * ROUNDS; step++) {
        host_step(plate[step % 2], plate[(step + 1) % 2]);
    }
    same = memcmp(plate[0], solved, sizeof solved) == 0;
    printf("jacobi on %s: plan %s, %u grid syncs, %.3f ms on the device, %s the host's bits\n",
           isg_device_get_info(device)->name, isg_plan_name(result.plan.kind),
           result.plan.sync_count, (double)result.gpu_time_ns / 1e6, same ? "exactly" : "NOT");
    isg_device_release(device);
    return !same;
}
