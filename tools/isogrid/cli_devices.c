/* `isogrid devices`: what is found, what is missing and how to get it. */
#include "cli.h"
#include "cli_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int as_json;

static const struct poptOption options[] = {
    ISG_CLI_HELP_OPTION,
    {"json", 0, POPT_ARG_NONE, &as_json, 0, "Print JSON", NULL},
    POPT_TABLEEND,
};

static const isg_cli_usage usage = {
    .command = "devices",
    .arguments = "[--json]",
    .about =
        "Lists every device in the order that indices and `auto` use, with what kernels may use\n"
        "there, and says for each backend that is not available what to install.\n",
    .examples = "  isogrid devices\n"
                "  isogrid devices --json | jq -r '.devices[].selector'\n",
    .options = options,
};

typedef struct device {
    const isg_device_info *info;
    isg_memory_info memory; /* zero: not known */
    char problem[512];      /* why it could not be opened; "" when it was */
} device;

static const char *type_name(isg_device_type type)
{
    switch (type) {
    case ISG_DEVICE_TYPE_DISCRETE_GPU:
        return "discrete GPU";
    case ISG_DEVICE_TYPE_INTEGRATED_GPU:
        return "integrated GPU";
    case ISG_DEVICE_TYPE_VIRTUAL_GPU:
        return "virtual GPU";
    case ISG_DEVICE_TYPE_CPU:
        return "CPU";
    case ISG_DEVICE_TYPE_OTHER:
        break;
    }
    return "other";
}

static const char *grid_sync_name(isg_grid_sync sync)
{
    switch (sync) {
    case ISG_GRID_SYNC_RESIDENT:
        return "resident";
    case ISG_GRID_SYNC_SPLIT:
        return "split";
    case ISG_GRID_SYNC_NONE:
        break;
    }
    return "none";
}

static const char *denormals_name(isg_denormals denormals)
{
    return denormals == ISG_DENORMALS_FLUSHED ? "flushed"
           : denormals == ISG_DENORMALS_KEPT  ? "kept"
                                              : "unknown";
}

static void format_uuid(const uint8_t uuid[16], char text[37])
{
    char *end = text;

    for (int i = 0; i < 16; i++) {
        end += sprintf(end, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
    }
}

static void format_version(uint32_t version, char *text, size_t size)
{
    snprintf(text, size, "%u.%u.%u", version >> 22 & 0x7fu, version >> 12 & 0x3ffu,
             version & 0xfffu);
}

static void look_inside(isg_instance *instance, device *one)
{
    isg_device *opened = NULL;
    isg_status status = ISG_OK;

    if (one->info->unusable[0] != '\0') {
        snprintf(one->problem, sizeof one->problem, "%s", one->info->unusable);
        return;
    }
    status = isg_device_open(instance, one->info->selector, NULL, &opened);
    if (status == ISG_OK) {
        status = isg_device_memory(opened, &one->memory);
    }
    if (status != ISG_OK) {
        snprintf(one->problem, sizeof one->problem, "%s", isg_last_error());
    }
    isg_device_release(opened);
}

/* Breaks `text` at blanks so that lines stay below 100 columns. */
static void print_words(const char *first, const char *text)
{
    const size_t indent = strlen(first), room = 99 - indent;

    printf("%s", first);
    while (strlen(text) > room) {
        size_t length = room;

        while (length > 1 && text[length] != ' ') {
            length--;
        }
        printf("%.*s\n%*s", (int)length, text, (int)indent, "");
        text += length + (text[length] == ' ');
    }
    printf("%s\n", text);
}

static void print_device(const device *one)
{
    const isg_device_info *info = one->info;
    const isg_device_limits *limits = &info->limits;
    char text[4][32], uuid[37], version[32], features[1024];

    format_uuid(info->uuid, uuid);
    format_version(info->api_version, version, sizeof version);
    isg_cli_format_size(info->memory_size, text[0], sizeof text[0]);
    printf("%s  %s\n", info->selector, info->name);
    printf("    driver      %s%s%s\n", info->driver_name, info->driver_info[0] != '\0' ? ", " : "",
           info->driver_info);
    printf("    type        %s, API %s, vendor 0x%04x, device 0x%04x\n", type_name(info->type),
           version, info->vendor_id, info->device_id);
    printf("    uuid        %s\n", uuid);
    if (one->problem[0] != '\0') {
        printf("    unusable    %s\n", one->problem);
    }
    if (one->memory.budget != 0) {
        isg_cli_format_size(one->memory.budget, text[1], sizeof text[1]);
        printf("    memory      %s, budget now %s\n", text[0], text[1]);
    } else {
        printf("    memory      %s, budget not told\n", text[0]);
    }
    printf("    workgroup   %u invocations (%u x %u x %u), ", limits->max_workgroup_invocations,
           limits->max_workgroup_size[0], limits->max_workgroup_size[1],
           limits->max_workgroup_size[2]);
    isg_cli_format_size(limits->max_shared_size, text[1], sizeof text[1]);
    printf("shared memory %s, subgroup %u\n", text[1], limits->subgroup_size);
    printf("    grid        %u x %u x %u workgroups of a plain kernel\n",
           limits->max_workgroup_count[0], limits->max_workgroup_count[1],
           limits->max_workgroup_count[2]);
    isg_cli_format_size(limits->max_buffer_size, text[1], sizeof text[1]);
    isg_cli_format_size(limits->max_binding_size, text[2], sizeof text[2]);
    isg_cli_format_size(limits->max_uniform_binding_size, text[3], sizeof text[3]);
    printf("    buffers     %s, bound range %s, uniform %s, offsets a multiple of %u\n", text[1],
           text[2], text[3], limits->storage_offset_alignment);
    if (limits->loop_limit != 0) {
        printf("    loops       end silently after %llu iterations\n",
               (unsigned long long)limits->loop_limit);
    }
    isg_cli_format_features(limits->features, features, sizeof features);
    print_words("    features    ", features);
    printf("    floats      f32 denormals %s%s%s%s%s\n", denormals_name(info->floats.denormals32),
           info->floats.denormals32_flush_control ? ", flushing on demand" : "",
           info->floats.denormals32_keep_control ? ", keeping on demand" : "",
           info->floats.rounding32_nearest_control ? ", nearest-even on demand" : "",
           info->floats.signed_zero_inf_nan32 ? ", signed zero, inf and nan on demand" : "");
    printf("    grid sync   %s%s%s\n", grid_sync_name(info->grid_sync),
           info->grid_sync_reason[0] != '\0' ? ": " : "", info->grid_sync_reason);
}

static json_t *three_json(const uint32_t values[3])
{
    return json_pack("[I,I,I]", (json_int_t)values[0], (json_int_t)values[1],
                     (json_int_t)values[2]);
}

static json_t *limits_json(const isg_device_limits *limits)
{
    json_t *object = json_object();
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"max_workgroup_invocations", limits->max_workgroup_invocations},
        {"max_shared_size", limits->max_shared_size},
        {"max_push_size", limits->max_push_size},
        {"max_buffer_size", limits->max_buffer_size},
        {"max_binding_size", limits->max_binding_size},
        {"max_uniform_binding_size", limits->max_uniform_binding_size},
        {"storage_offset_alignment", limits->storage_offset_alignment},
        {"uniform_offset_alignment", limits->uniform_offset_alignment},
        {"max_bindings", limits->max_bindings},
        {"max_image_size_2d", limits->max_image_size_2d},
        {"max_image_size_3d", limits->max_image_size_3d},
        {"subgroup_size", limits->subgroup_size},
        {"loop_limit", limits->loop_limit},
    };

    json_object_set_new(object, "max_workgroup_count", three_json(limits->max_workgroup_count));
    json_object_set_new(object, "max_workgroup_size", three_json(limits->max_workgroup_size));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        json_object_set_new(object, numbers[i].name, isg_cli_json_number(numbers[i].value));
    }
    return object;
}

static json_t *device_json(const device *one)
{
    const isg_device_info *info = one->info;
    char uuid[37], version[32];
    json_t *object = NULL;

    format_uuid(info->uuid, uuid);
    format_version(info->api_version, version, sizeof version);
    object = json_pack(
        "{s:s, s:s, s:I, s:s, s:o, s:o, s:o, s:I, s:I, s:s, s:I, s:I, s:s, s:b, s:o}", "selector",
        info->selector, "backend", info->backend, "index", (json_int_t)info->index, "type",
        type_name(info->type), "name", isg_cli_json_text(info->name), "driver_name",
        isg_cli_json_text(info->driver_name), "driver_info", isg_cli_json_text(info->driver_info),
        "driver_id", (json_int_t)info->driver_id, "driver_version",
        (json_int_t)info->driver_version, "api_version", version, "vendor_id",
        (json_int_t)info->vendor_id, "device_id", (json_int_t)info->device_id, "uuid", uuid,
        "usable", one->problem[0] == '\0', "unusable", isg_cli_json_text(one->problem));
    json_object_set_new(object, "memory_size", isg_cli_json_number(info->memory_size));
    json_object_set_new(object, "memory_budget",
                        one->memory.budget != 0 ? isg_cli_json_number(one->memory.budget)
                                                : json_null());
    json_object_set_new(object, "limits", limits_json(&info->limits));
    json_object_set_new(object, "features", isg_cli_json_features(info->limits.features));
    json_object_set_new(
        object, "floats",
        json_pack("{s:s, s:b, s:b, s:b, s:b}", "denormals32",
                  denormals_name(info->floats.denormals32), "denormals32_flush_control",
                  info->floats.denormals32_flush_control, "denormals32_keep_control",
                  info->floats.denormals32_keep_control, "rounding32_nearest_control",
                  info->floats.rounding32_nearest_control, "signed_zero_inf_nan32",
                  info->floats.signed_zero_inf_nan32));
    json_object_set_new(object, "grid_sync",
                        json_pack("{s:s, s:s}", "kind", grid_sync_name(info->grid_sync), "reason",
                                  info->grid_sync_reason));
    return object;
}

static void print_json(isg_instance *instance, const device *devices, uint32_t count)
{
    json_t *list = json_array(), *backends = json_array(), *whole = NULL;
    char version[32];
    isg_backend_info backend;

    for (uint32_t i = 0; i < count; i++) {
        json_array_append_new(list, device_json(&devices[i]));
    }
    for (uint32_t i = 0; isg_instance_backend(instance, i, &backend) == ISG_OK; i++) {
        json_array_append_new(backends, json_pack("{s:s, s:b, s:o}", "name", backend.name,
                                                  "available", backend.available, "reason",
                                                  isg_cli_json_text(backend.reason)));
    }
    snprintf(version, sizeof version, "%d.%d.%d", ISG_VERSION_MAJOR, ISG_VERSION_MINOR,
             ISG_VERSION_PATCH);
    whole = json_pack("{s:s, s:o, s:o}", "isogrid", version, "devices", list, "backends", backends);
    isg_cli_json_print(whole);
}

static void print_text(isg_instance *instance, const device *devices, uint32_t count)
{
    isg_backend_info backend;

    for (uint32_t i = 0; i < count; i++) {
        print_device(&devices[i]);
    }
    if (count == 0) {
        printf("no devices\n");
    }
    for (uint32_t i = 0; isg_instance_backend(instance, i, &backend) == ISG_OK; i++) {
        if (!backend.available) {
            printf("%s: not available: %s\n", backend.name, backend.reason);
        }
    }
}

static int list_devices(isg_instance *instance)
{
    uint32_t count = 0, capacity = 0;
    isg_device_info *infos = NULL;
    device *devices = NULL;
    bool usable = false;
    isg_status status = isg_instance_devices(instance, NULL, 0, &capacity);

    if (status != ISG_OK) {
        return isg_cli_failed(status, "listing the devices");
    }
    infos = calloc(capacity + 1, sizeof *infos);
    devices = calloc(capacity + 1, sizeof *devices);
    if (infos == NULL || devices == NULL) {
        isg_cli_error("out of memory");
        free(infos);
        free(devices);
        return ISG_CLI_FAILURE;
    }
    status = isg_instance_devices(instance, infos, capacity, &count);
    count = count < capacity ? count : capacity;
    for (uint32_t i = 0; status == ISG_OK && i < count; i++) {
        devices[i].info = &infos[i];
        look_inside(instance, &devices[i]);
        usable = usable || devices[i].problem[0] == '\0';
    }
    if (status == ISG_OK) {
        (as_json ? print_json : print_text)(instance, devices, count);
    }
    free(devices);
    free(infos);
    if (status != ISG_OK) {
        return isg_cli_failed(status, "listing the devices");
    }
    return usable ? ISG_CLI_OK : ISG_CLI_FAILURE;
}

int isg_cli_devices(int argc, const char **argv)
{
    poptContext context = isg_cli_open(&usage, argc, argv);
    const int option = isg_cli_next(context, &usage);
    const char *extra = isg_cli_argument(context);
    isg_instance *instance = NULL;
    isg_status status = ISG_OK;
    int code = ISG_CLI_OK;

    if (option != ISG_CLI_OPTION_END) {
        code = isg_cli_exit_of(option);
    } else if (extra != NULL) {
        isg_cli_error("'%s' is one argument too many; `isogrid devices --help` has the options",
                      extra);
        code = ISG_CLI_USAGE;
    } else {
        status = isg_instance_create(NULL, &instance);
        code = status == ISG_OK ? list_devices(instance)
                                : isg_cli_failed(status, "creating an instance");
        isg_instance_release(instance);
    }
    poptFreeContext(context);
    return code;
}
