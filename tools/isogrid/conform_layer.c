/* Owns finding the Khronos validation layer and the environment that turns it on. */
#include "conform_tool.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Older layers do not see a missing barrier between two dispatches on one buffer. */
enum { NEEDED_MINOR = 3, NEEDED_PATCH = 280 };

static char reason_text[512];

/* Whether a manifest is that of the layer; its version. */
static bool read_manifest(const char *path, int *out_minor, int *out_patch)
{
    json_t *root = json_load_file(path, 0, NULL);
    json_t *layer = json_object_get(root, "layer");
    const char *name = json_string_value(json_object_get(layer, "name"));
    const char *version = json_string_value(json_object_get(layer, "api_version"));
    bool found = name && strcmp(name, "VK_LAYER_KHRONOS_validation") == 0 && version &&
                 sscanf(version, "1.%d.%d", out_minor, out_patch) == 2;

    json_decref(root);
    return found;
}

static bool find_in(const char *folder, int *out_minor, int *out_patch)
{
    DIR *entries = opendir(folder);
    bool found = false;

    for (struct dirent *entry; entries && !found && (entry = readdir(entries));) {
        char path[4096];
        size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            found = read_manifest(path, out_minor, out_patch);
        }
    }
    if (entries) {
        closedir(entries);
    }
    return found;
}

/* The layer that the loader would take: VK_LAYER_PATH replaces the usual folders. */
static bool find_layer(int *out_minor, int *out_patch)
{
    static const char usual[] = "/etc/vulkan/explicit_layer.d:/usr/local/share/vulkan/"
                                "explicit_layer.d:/usr/share/vulkan/explicit_layer.d";
    const char *given = getenv("VK_LAYER_PATH");
    char folders[4096], *rest = folders;
    bool found = false;

    snprintf(folders, sizeof folders, "%s", given && given[0] ? given : usual);
    while (rest && !found) {
        char *folder = strsep(&rest, ":");
        found = find_in(folder, out_minor, out_patch);
    }
    return found;
}

const char *const *conform_layer_environment(const char **reason)
{
    static const char *const environment[] = {
        "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation",
        "VK_LAYER_VALIDATE_SYNC=1",
        "VK_LAYER_SYNCVAL_SHADER_ACCESSES_HEURISTIC=1",
        NULL,
    };
    int minor = 0, patch = 0;

    if (!find_layer(&minor, &patch)) {
        *reason = "the Khronos validation layer was not found; install vulkan-validationlayers, or "
                  "let tools/env fetch it, or set VK_LAYER_PATH";
        return NULL;
    }
    if (minor < NEEDED_MINOR || (minor == NEEDED_MINOR && patch < NEEDED_PATCH)) {
        snprintf(reason_text, sizeof reason_text,
                 "the Khronos validation layer found is 1.%d.%d; below 1.%d.%d it does not see a "
                 "missing barrier: tools/env fetches a newer one",
                 minor, patch, NEEDED_MINOR, NEEDED_PATCH);
        *reason = reason_text;
        return NULL;
    }
    return environment;
}
