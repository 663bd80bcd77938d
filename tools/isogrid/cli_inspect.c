/* `isogrid inspect`: what isogrid reads from a SPIR-V module. */
#include "cli.h"
#include "cli_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int as_json;
static char *entry_name;

static const struct poptOption options[] = {
    ISG_CLI_HELP_OPTION,
    {"entry", 0, POPT_ARG_STRING, &entry_name, 0, "The compute entry point, if there are several",
     "NAME"},
    {"json", 0, POPT_ARG_NONE, &as_json, 0, "Print JSON", NULL},
    POPT_TABLEEND,
};

static const isg_cli_usage usage = {
    .command = "inspect",
    .arguments = "KERNEL.spv [--entry NAME] [--json]",
    .about =
        "Reads a module as isogrid does before any dispatch, without a device, and prints what it\n"
        "found: bindings, push constants, constants, sync class, the features it needs, and\n"
        "whether it gives the same bits everywhere. Exits 1 when the module is refused.\n",
    .examples = "  isogrid inspect kernel.spv\n"
                "  isogrid inspect kernel.spv --json | jq .bindings\n",
    .options = options,
};

static const char *const kind_names[] = {
    [ISG_BINDING_STORAGE_BUFFER] = "storage buffer",
    [ISG_BINDING_UNIFORM_BUFFER] = "uniform buffer",
    [ISG_BINDING_STORAGE_IMAGE] = "storage image",
    [ISG_BINDING_SAMPLED_IMAGE] = "sampled image",
    [ISG_BINDING_SAMPLER] = "sampler",
    [ISG_BINDING_COMBINED_IMAGE_SAMPLER] = "image and sampler",
};
static const char *const access_names[] = {
    [ISG_ACCESS_NONE] = "unused",
    [ISG_ACCESS_READ] = "read",
    [ISG_ACCESS_WRITE] = "write",
    [ISG_ACCESS_READ_WRITE] = "read-write",
};
static const char *const constant_names[] = {
    [ISG_CONSTANT_BOOL] = "bool",
    [ISG_CONSTANT_INT] = "int",
    [ISG_CONSTANT_UINT] = "uint",
    [ISG_CONSTANT_FLOAT] = "float",
};
static const char *const class_names[] = {
    [ISG_SYNC_PLAIN] = "plain",
    [ISG_SYNC_PHASED] = "phased",
    [ISG_SYNC_COOPERATIVE] = "cooperative",
};

static void format_value(const isg_constant_info *constant, char *text, size_t size)
{
    const uint64_t bits = constant->default_value;
    uint32_t low = (uint32_t)bits;
    float single = 0;
    double wide = 0;

    switch (constant->type) {
    case ISG_CONSTANT_BOOL:
        snprintf(text, size, "%s", bits != 0 ? "true" : "false");
        return;
    case ISG_CONSTANT_INT:
        snprintf(text, size, "%" PRId64,
                 constant->size == 8   ? (int64_t)bits
                 : constant->size == 4 ? (int64_t)(int32_t)low
                 : constant->size == 2 ? (int64_t)(int16_t)low
                                       : (int64_t)(int8_t)low);
        return;
    case ISG_CONSTANT_UINT:
        snprintf(text, size, "%" PRIu64, bits);
        return;
    case ISG_CONSTANT_FLOAT:
        break;
    }
    if (constant->size == 8) {
        memcpy(&wide, &bits, sizeof wide);
        snprintf(text, size, "%.17g", wide);
    } else if (constant->size == 4) {
        memcpy(&single, &low, sizeof single);
        snprintf(text, size, "%.9g", (double)single);
    } else {
        snprintf(text, size, "0x%04" PRIx32, low); /* half floats, as they are */
    }
}

static void print_bindings(const isg_kernel_info *info)
{
    printf("bindings        %u\n", info->binding_count);
    for (uint32_t i = 0; i < info->binding_count; i++) {
        const isg_binding_info *binding = &info->bindings[i];

        printf("  %u.%-3u %-18s %-10s", binding->set, binding->binding, kind_names[binding->kind],
               access_names[binding->access]);
        if (binding->kind == ISG_BINDING_STORAGE_BUFFER ||
            binding->kind == ISG_BINDING_UNIFORM_BUFFER) {
            printf(" %" PRIu64 " bytes", binding->block_size);
            if (binding->array_stride != 0) {
                printf(" + %" PRIu64 " an element", binding->array_stride);
            }
        }
        if (binding->array_count != 1) {
            printf(" x %u", binding->array_count);
        }
        printf("%s%s\n", binding->name[0] != '\0' ? "  " : "", binding->name);
    }
}

static void print_constants(const isg_kernel_info *info)
{
    printf("constants       %u\n", info->constant_count);
    for (uint32_t i = 0; i < info->constant_count; i++) {
        const isg_constant_info *constant = &info->constants[i];
        char value[64];

        format_value(constant, value, sizeof value);
        printf("  %-5u %s%u = %s%s%s\n", constant->id, constant_names[constant->type],
               constant->size * 8, value, constant->name[0] != '\0' ? "  " : "", constant->name);
    }
}

static void print_text(const isg_kernel_info *info)
{
    char features[1024];

    printf("entry           %s\n", info->entry);
    printf("SPIR-V          %u.%u\n", info->spirv_version >> 16 & 0xffu,
           info->spirv_version >> 8 & 0xffu);
    printf("workgroup       %u x %u x %u", info->workgroup_size[0], info->workgroup_size[1],
           info->workgroup_size[2]);
    for (int i = 0; i < 3; i++) {
        if (info->workgroup_size_ids[i] != UINT32_MAX) {
            printf(", %c by constant %u", "xyz"[i], info -> workgroup_size_ids[i]);
        }
    }
    putchar('\n');
    printf("sync class      %s", class_names[info->sync_class]);
    if (info->sync_class == ISG_SYNC_PHASED) {
        printf(", %u phases%s", info->phase_count, info->uses_round ? ", reads the round" : "");
    }
    printf("\npush constants  %u bytes\n", info->push_size);
    printf("shared memory   %" PRIu64 " bytes\n", info->shared_size);
    isg_cli_format_features(info->features, features, sizeof features);
    printf("features        %s\n", features);
    printf("uses            subgroups %s, atomics %s, float atomics %s, printf %s\n",
           info->uses_subgroups ? "yes" : "no", info->uses_atomics ? "yes" : "no",
           info->uses_float_atomics ? "yes" : "no", info->uses_printf ? "yes" : "no");
    print_bindings(info);
    print_constants(info);
    printf("portable bits   %s\n", info->portable_bits ? "yes" : "no");
    for (uint32_t i = 0; i < info->portable_reason_count; i++) {
        printf("  %s\n", info->portable_reasons[i]);
    }
}

static json_t *bindings_json(const isg_kernel_info *info)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < info->binding_count; i++) {
        const isg_binding_info *binding = &info->bindings[i];

        json_array_append_new(
            list,
            json_pack("{s:I, s:I, s:s, s:s, s:I, s:I, s:I, s:o}", "set", (json_int_t)binding->set,
                      "binding", (json_int_t)binding->binding, "kind", kind_names[binding->kind],
                      "access", access_names[binding->access], "array_count",
                      (json_int_t)binding->array_count, "block_size",
                      (json_int_t)binding->block_size, "array_stride",
                      (json_int_t)binding->array_stride, "name", isg_cli_json_text(binding->name)));
    }
    return list;
}

static json_t *constants_json(const isg_kernel_info *info)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < info->constant_count; i++) {
        const isg_constant_info *constant = &info->constants[i];
        char value[64];

        format_value(constant, value, sizeof value);
        json_array_append_new(
            list, json_pack("{s:I, s:s, s:I, s:s, s:o}", "id", (json_int_t)constant->id, "type",
                            constant_names[constant->type], "size", (json_int_t)constant->size,
                            "default", value, "name", isg_cli_json_text(constant->name)));
    }
    return list;
}

static json_t *workgroup_ids_json(const isg_kernel_info *info)
{
    json_t *list = json_array();

    for (int i = 0; i < 3; i++) {
        const uint32_t id = info->workgroup_size_ids[i];

        json_array_append_new(list, id == UINT32_MAX ? json_null() : json_integer(id));
    }
    return list;
}

static void print_json(const isg_kernel_info *info)
{
    json_t *reasons = json_array(), *whole = NULL;
    char version[16];

    for (uint32_t i = 0; i < info->portable_reason_count; i++) {
        json_array_append_new(reasons, json_string(info->portable_reasons[i]));
    }
    snprintf(version, sizeof version, "%u.%u", info->spirv_version >> 16 & 0xffu,
             info->spirv_version >> 8 & 0xffu);
    whole = json_pack(
        "{s:o, s:s, s:[I,I,I], s:o, s:s, s:I, s:b, s:I, s:I, s:o, s:b, s:b, s:b, s:b, s:o, s:o, "
        "s:b, s:o}",
        "entry", isg_cli_json_text(info->entry), "spirv_version", version, "workgroup_size",
        (json_int_t)info->workgroup_size[0], (json_int_t)info->workgroup_size[1],
        (json_int_t)info->workgroup_size[2], "workgroup_size_ids", workgroup_ids_json(info),
        "sync_class", class_names[info->sync_class], "phase_count", (json_int_t)info->phase_count,
        "uses_round", info->uses_round, "push_size", (json_int_t)info->push_size, "shared_size",
        (json_int_t)info->shared_size, "features", isg_cli_json_features(info->features),
        "uses_subgroups", info->uses_subgroups, "uses_atomics", info->uses_atomics,
        "uses_float_atomics", info->uses_float_atomics, "uses_printf", info->uses_printf,
        "bindings", bindings_json(info), "constants", constants_json(info), "portable_bits",
        info->portable_bits, "portable_reasons", reasons);
    isg_cli_json_print(whole);
}

static int inspect(const char *path)
{
    void *data = NULL;
    size_t size = 0;
    isg_kernel_info *info = NULL;
    isg_status status = ISG_OK;

    if (!isg_cli_read_file(path, &data, &size)) {
        return ISG_CLI_USAGE;
    }
    status = isg_kernel_info_create(data, size, entry_name, &info);
    free(data);
    if (status != ISG_OK) {
        return isg_cli_failed(status, path);
    }
    (as_json ? print_json : print_text)(info);
    isg_kernel_info_release(info);
    return ISG_CLI_OK;
}

int isg_cli_inspect(int argc, const char **argv)
{
    poptContext context = isg_cli_open(&usage, argc, argv);
    const int option = isg_cli_next(context, &usage);
    const char *path = isg_cli_argument(context);
    int code = ISG_CLI_OK;

    if (option != ISG_CLI_OPTION_END) {
        code = isg_cli_exit_of(option);
    } else if (path == NULL || isg_cli_argument(context) != NULL) {
        isg_cli_error("one module at a time, as in `isogrid inspect kernel.spv`");
        code = ISG_CLI_USAGE;
    } else {
        code = inspect(path);
    }
    free(entry_name);
    poptFreeContext(context);
    return code;
}
