/* Owns which devices there are, as a child process found them: a driver that crashes while it is
 * listed must not take the supervisor along. */
#include "cli.h"
#include "conform_tool.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the child's side ---- */

static void hex_uuid(const uint8_t uuid[16], char out[33])
{
    for (int i = 0; i < 16; i++) {
        snprintf(out + 2 * i, 3, "%02x", uuid[i]);
    }
}

static void exact_selector(const isg_device_info *info, char *out, size_t size)
{
    char uuid[33];

    hex_uuid(info->uuid, uuid);
    snprintf(out, size, "%s:uuid:%s", info->backend, uuid);
}

static void emit(int fd, json_t *event)
{
    json_dumpfd(event, fd, JSON_COMPACT);
    dprintf(fd, "\n");
    json_decref(event);
}

static json_t *device_json(const isg_device_info *info)
{
    char exact[64], uuid[33], api[32];

    exact_selector(info, exact, sizeof exact);
    hex_uuid(info->uuid, uuid);
    snprintf(api, sizeof api, "%u.%u.%u", info->api_version >> 22 & 0x7f,
             info->api_version >> 12 & 0x3ff, info->api_version & 0xfff);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:b, s:s, s:s}", "selector",
                     info->selector, "exact", exact, "backend", info->backend, "name", info->name,
                     "driverName", info->driver_name, "driverInfo", info->driver_info, "uuid", uuid,
                     "apiVersion", api, "type", (int)info->type, "gridSyncResident",
                     info->grid_sync == ISG_GRID_SYNC_RESIDENT, "gridSyncReason",
                     info->grid_sync_reason ? info->grid_sync_reason : "", "unusable",
                     info->unusable ? info->unusable : "");
}

static isg_status emit_devices(isg_instance *instance, int fd)
{
    isg_device_info *infos = NULL;
    uint32_t count = 0;
    isg_status status = isg_instance_devices(instance, NULL, 0, &count);

    if (status != ISG_OK || count == 0) {
        return status;
    }
    infos = calloc(count, sizeof *infos);
    if (!infos) {
        return isg_set_last_error(ISG_ERROR_OUT_OF_MEMORY, "no memory for the list of devices");
    }
    status = isg_instance_devices(instance, infos, count, &count);
    for (uint32_t i = 0; status == ISG_OK && i < count; i++) {
        json_t *event = device_json(&infos[i]);
        json_object_set_new(event, "event", json_string("device"));
        emit(fd, event);
    }
    free(infos);
    return status;
}

static void emit_backends(isg_instance *instance, int fd)
{
    isg_backend_info info;

    for (uint32_t i = 0; isg_instance_backend(instance, i, &info) == ISG_OK; i++) {
        emit(fd, json_pack("{s:s, s:s, s:b, s:s}", "event", "backend", "name", info.name,
                           "available", info.available, "reason", info.reason));
    }
}

static void emit_answer(isg_instance *instance, const char *selector, int fd)
{
    isg_device *device = NULL;
    char exact[64] = "";
    isg_status status = isg_device_open(instance, selector, NULL, &device);

    if (status == ISG_OK) {
        exact_selector(isg_device_get_info(device), exact, sizeof exact);
    }
    emit(fd, json_pack("{s:s, s:s, s:s, s:i, s:s}", "event", "answer", "selector", selector,
                       "exact", exact, "status", (int)status, "message",
                       status == ISG_OK ? "" : isg_last_error()));
    isg_device_release(device);
}

int conform_devices_child(const conform_options *options, const char **selectors)
{
    isg_instance *instance = NULL;
    isg_status status = isg_instance_create(NULL, &instance);

    if (status == ISG_OK) {
        emit_backends(instance, options->fd);
        status = emit_devices(instance, options->fd);
    }
    for (; status == ISG_OK && selectors && *selectors; selectors++) {
        emit_answer(instance, *selectors, options->fd);
    }
    emit(options->fd, json_pack("{s:s, s:s}", "event", status == ISG_OK ? "done" : "failed",
                                "message", status == ISG_OK ? "" : isg_last_error()));
    isg_instance_release(instance);
    return EXIT_PASS;
}

/* ---- the supervisor's side ---- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* "Mesa 25.0.7" of "Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)", "NVIDIA 580.65" of "580.65". */
static void brief_name(conform_target *target)
{
    const char *info = target->driver_info;
    char name[64];

    if (isalpha((unsigned char)info[0])) {
        size_t word = strcspn(info, " ");
        size_t length = word + (info[word] ? 1 + strcspn(info + word + 1, " -(") : 0);
        snprintf(target->brief, sizeof target->brief, "%.*s", (int)length, info);
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(target->driver_name, " "),
             target->driver_name);
    snprintf(target->brief, sizeof target->brief, "%.40s%s%.*s", name, info[0] ? " " : "",
             (int)strcspn(info, " -("), info);
}

static bool add_target(conform_devices *devices, json_t *event)
{
    conform_target *targets =
        realloc(devices->targets, (devices->count + 1) * sizeof *devices->targets);
    conform_target *target = NULL;

    if (!targets) {
        return false;
    }
    devices->targets = targets;
    target = &targets[devices->count++];
    *target = (conform_target){.json = json_incref(event)};
    snprintf(target->selector, sizeof target->selector, "%s", text_of(event, "selector"));
    snprintf(target->exact, sizeof target->exact, "%s", text_of(event, "exact"));
    snprintf(target->name, sizeof target->name, "%s", text_of(event, "name"));
    snprintf(target->driver_name, sizeof target->driver_name, "%s", text_of(event, "driverName"));
    snprintf(target->driver_info, sizeof target->driver_info, "%s", text_of(event, "driverInfo"));
    snprintf(target->unusable, sizeof target->unusable, "%s", text_of(event, "unusable"));
    target->resident = json_is_true(json_object_get(event, "gridSyncResident"));
    brief_name(target);
    json_object_del(event, "event");
    return true;
}

static bool add_answer(conform_devices *devices, const json_t *event)
{
    conform_answer *answers =
        realloc(devices->answers, (devices->answer_count + 1) * sizeof *devices->answers);
    conform_answer *answer = NULL;

    if (!answers) {
        return false;
    }
    devices->answers = answers;
    answer = &answers[devices->answer_count++];
    *answer = (conform_answer){
        .status = (isg_status)json_integer_value(json_object_get(event, "status"))};
    snprintf(answer->selector, sizeof answer->selector, "%s", text_of(event, "selector"));
    snprintf(answer->exact, sizeof answer->exact, "%s", text_of(event, "exact"));
    snprintf(answer->message, sizeof answer->message, "%s", text_of(event, "message"));
    return true;
}

static bool add_reason(conform_devices *devices, const json_t *event)
{
    char *text = NULL;

    if (json_is_true(json_object_get(event, "available"))) {
        return true;
    }
    if (asprintf(&text, "%s%s: %s\n", devices->reasons ? devices->reasons : "",
                 text_of(event, "name"), text_of(event, "reason")) < 0) {
        return false;
    }
    free(devices->reasons);
    devices->reasons = text;
    return true;
}

/* False when the child is through, well or not. */
static bool take_event(conform_devices *devices, json_t *event, bool *out_good)
{
    const char *kind = text_of(event, "event");

    if (strcmp(kind, "device") == 0) {
        *out_good = add_target(devices, event);
    } else if (strcmp(kind, "answer") == 0) {
        *out_good = add_answer(devices, event);
    } else if (strcmp(kind, "backend") == 0) {
        *out_good = add_reason(devices, event);
    } else {
        *out_good = strcmp(kind, "done") == 0;
        if (!*out_good) {
            isg_cli_error("devices cannot be listed: %s", text_of(event, "message"));
        }
        return false;
    }
    return *out_good;
}

bool conform_devices_find(const char *const *selectors, conform_devices *out)
{
    const char *arguments[64] = {"--internal-list", "--"};
    conform_process process;
    bool good = false, more = true, asked = false;
    char how[256];

    for (size_t i = 0; selectors[i]; i++) {
        if (i + 3 >= CONFORM_COUNT(arguments)) {
            isg_cli_error("more selectors than one run can take (60)");
            return false;
        }
        arguments[i + 2] = selectors[i];
    }
    if (!conform_process_start(&process, arguments, NULL)) {
        return false;
    }
    while (more &&
           conform_process_read(&process, conform_now() + 120, NULL, NULL) == CONFORM_READ_LINE) {
        json_t *event = json_loads(process.line, 0, NULL);
        more = event && take_event(out, event, &good);
        asked = !more;
        json_decref(event);
    }
    conform_process_end(&process, good ? 30 : 1, how, sizeof how);
    if (!asked) {
        isg_cli_error("a driver failed while devices were listed; the process "
                      "%s; VK_DRIVER_FILES chooses drivers one by one: %s",
                      how[0] ? how : "stopped answering", process.tail);
        return false;
    }
    return good;
}

void conform_devices_free(conform_devices *devices)
{
    for (size_t i = 0; i < devices->count; i++) {
        json_decref(devices->targets[i].json);
    }
    free(devices->targets);
    free(devices->answers);
    free(devices->reasons);
}

conform_target *conform_devices_exact(const conform_devices *devices, const char *exact)
{
    for (size_t i = 0; exact[0] && i < devices->count; i++) {
        if (strcmp(devices->targets[i].exact, exact) == 0) {
            return &devices->targets[i];
        }
    }
    return NULL;
}
