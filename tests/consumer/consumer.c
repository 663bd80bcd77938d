/* The smallest application: lists backends and devices. Valid C11 and C++17. */
#include <isogrid/isogrid.h>

#ifdef CONSUMER_GLSL
#include <isogrid/glsl.h>
#endif

#include <stdio.h>
#include <string.h>

static int list(isg_instance *instance)
{
    isg_backend_info backend;
    uint32_t backends = 0, devices = 0;

    while (isg_instance_backend(instance, backends, &backend) == ISG_OK) {
        printf("%s: %s\n", backend.name, backend.available ? "available" : backend.reason);
        backends++;
    }
    if (isg_instance_devices(instance, NULL, 0, &devices) != ISG_OK) {
        fprintf(stderr, "%s\n", isg_last_error());
        return 1;
    }
    printf("%u backends, %u devices\n", backends, devices);
    return backends == 0;
}

#ifdef CONSUMER_GLSL
static int compile(void)
{
    isg_glsl_desc desc;
    isg_glsl_result *result = NULL;

    memset(&desc, 0, sizeof desc);
    desc.source = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n";
    if (isg_glsl_compile(&desc, &result) != ISG_OK) {
        fprintf(stderr, "%s\n", isg_last_error());
        return 1;
    }
    printf("%zu bytes of SPIR-V\n", result->size);
    isg_glsl_result_release(result);
    return 0;
}
#endif

int main(void)
{
    isg_instance *instance = NULL;
    int failed;

    if (strcmp(isg_status_name(ISG_OK), "ISG_OK") != 0)
        return 1;
    if (isg_instance_create(NULL, &instance) != ISG_OK) {
        fprintf(stderr, "%s\n", isg_last_error());
        return 1;
    }
    failed = list(instance);
    isg_instance_release(instance);
#ifdef CONSUMER_GLSL
    failed |= compile();
#endif
    return failed;
}
