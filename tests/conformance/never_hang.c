/* Owns the suite `never_hang`: kernels that never end do not take the host along. */
#include "conform.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void print_status(const char *what, isg_status status, double start)
{
    printf("%s: %s in %.1f s%s%s\n", what, isg_status_name(status), seconds_now() - start,
           status < 0 ? ": " : "", status < 0 ? isg_last_error() : "");
    fflush(stdout);
}

/* Opens `argument`, dispatches an endless kernel, and prints what each call says. */
int conform_scenario_stuck(const char *argument)
{
    isg_device *device = NULL;
    isg_kernel *kernel = NULL;
    isg_kernel_desc desc = {.label = "endless"};
    isg_buffer *buffer = NULL;
    isg_binding binding = {0};
    isg_dispatch dispatch = {.grid = {2}, .bindings = &binding, .binding_count = 1};
    const uint32_t zeros[2] = {0};
    double start = seconds_now();
    isg_status status =
        isg_device_open(NULL, argument, &(isg_device_desc){.hang_timeout_ns = 1500000000}, &device);

    desc.spirv = conform_spirv("endless", &desc.size);
    status = status == ISG_OK ? isg_kernel_create(device, &desc, &kernel) : status;
    status = status == ISG_OK ? isg_buffer_create(device, &(isg_buffer_desc){.size = 8}, &buffer)
                              : status;
    status = status == ISG_OK ? isg_buffer_upload(buffer, 0, zeros, 8) : status;
    status = status == ISG_OK ? isg_kernel_prepare(kernel, NULL, 0) : status;
    status = status == ISG_OK ? isg_kernel_wait(kernel, ISG_WAIT_FOREVER) : status;
    binding.buffer = buffer;
    dispatch.kernel = kernel;
    status = status == ISG_OK ? isg_queue_dispatch(isg_device_queue(device), &dispatch, 1, NULL)
                              : status;
    print_status("dispatch", status, start);
    if (status != ISG_OK) {
        return 3;
    }
    start = seconds_now();
    print_status("wait 200 ms", isg_queue_wait(isg_device_queue(device), 0, 200000000), start);
    start = seconds_now();
    print_status("wait", isg_queue_wait(isg_device_queue(device), 0, ISG_WAIT_FOREVER), start);
    start = seconds_now();
    print_status("status", isg_device_status(device), start);
    print_status("again", isg_queue_dispatch(isg_device_queue(device), &dispatch, 1, NULL), start);
    print_status("upload", isg_buffer_upload(buffer, 0, zeros, 8), start);
    print_status("wait again", isg_queue_wait(isg_device_queue(device), 0, ISG_WAIT_FOREVER),
                 start);
    isg_buffer_release(buffer);
    isg_kernel_release(kernel);
    isg_device_release(device);
    print_status("released", ISG_OK, start);
    return 0;
}

static void check_line(const conform_outcome *outcome, const char *line)
{
    CONFORM_TRUE(strstr(outcome->output, line), "no '%s' in: %s", line, outcome->output);
}

START_TEST(an_endless_kernel_makes_the_device_stuck)
{
    conform_outcome outcome;

    if (conform_info()->type != ISG_DEVICE_TYPE_CPU && !conform_full()) {
        conform_skip("an endless kernel may occupy a GPU for good: run with --full");
    }
    conform_spawn("stuck", conform_selector(),
                  (const char *const[]){"ASAN_OPTIONS=detect_leaks=0", NULL}, 40, &outcome);
    CONFORM_TRUE(!outcome.timed_out, "it hangs after: %s", outcome.output);
    check_line(&outcome, "dispatch: ISG_OK");
    if (conform_info()->limits.loop_limit > 0) { /* the driver itself ends the loop */
        check_line(&outcome, "wait: ISG_OK");
        check_line(&outcome, "status: ISG_OK");
    } else {
        check_line(&outcome, "wait 200 ms: ISG_TIMEOUT in 0.");
        check_line(&outcome, "wait: ISG_ERROR_DEVICE_STUCK");
        check_line(&outcome, "status: ISG_ERROR_DEVICE_STUCK in 0.0 s");
        check_line(&outcome, "again: ISG_ERROR_DEVICE_STUCK in 0.0 s");
        check_line(&outcome, "upload: ISG_ERROR_DEVICE_STUCK in 0.0 s");
        check_line(&outcome, "wait again: ISG_ERROR_DEVICE_STUCK in 0.0 s");
        check_line(&outcome, "'endless'"); /* what was running */
    }
    check_line(&outcome, "released: ISG_OK");
    CONFORM_TRUE(outcome.exit_code == 0, "exit code %d, signal %d: %s", outcome.exit_code,
                 outcome.signal, outcome.output);
}
END_TEST

void conform_never_hang_list(conform_list *list)
{
    CONFORM_ADD(list, an_endless_kernel_makes_the_device_stuck);
}
