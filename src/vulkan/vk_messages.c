/* Owns what the loader and the layers say: sorting it, counting it, passing it on. */
#include "vulkan/vk_instance.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void isg_vk_messages_open(isg_vk_messages *messages, isg_instance *instance)
{
    const char *where = getenv("ISOGRID_VULKAN_MESSAGES");
    messages->instance = instance;
    pthread_mutex_init(&messages->mutex, NULL);
    if (where && strcmp(where, "count") == 0) {
        messages->report_count = true;
    } else if (where && *where) {
        messages->file = fopen(where, "ae");
    }
}

void isg_vk_messages_close(isg_vk_messages *messages)
{
    if (messages->file) {
        fclose(messages->file);
    }
    if (messages->report_count) {
        fprintf(stderr, "isogrid: %" PRIu64 " Vulkan messages\n", messages->count);
    }
    pthread_mutex_destroy(&messages->mutex);
}

void isg_vk_messages_mute(isg_vk_messages *messages)
{
    pthread_mutex_lock(&messages->mutex);
    messages->instance = NULL;
    pthread_mutex_unlock(&messages->mutex);
}

bool isg_vk_messages_wanted(const isg_vk_messages *messages)
{
    static const char *const switches[] = {"VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE"};
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        const char *value = getenv(switches[i]);
        if (value && *value) {
            return true;
        }
    }
    return messages->file || messages->report_count ||
           isg_instance_wants_printf(messages->instance);
}

/* The layer blames us for a look-up that is not ours: with a second device in the process, somebody
 * below asks vkGetDeviceProcAddr for this name (NVIDIA 580; no code of isogrid or volk has it). */
static bool is_not_ours(const char *text)
{
    return strstr(text, "vkGetPhysicalDeviceVideoEncodeQualityLevelPropertiesKHR") != NULL;
}

static bool is_printf(const char *id)
{
    return strstr(id, "DEBUG-PRINTF") != NULL;
}

static void append(char *text, size_t capacity, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, capacity - used, "%s%s", used ? "; " : "", more);
}

static void deliver(isg_vk_messages *messages, isg_log_level level, const char *id,
                    const char *text)
{
    pthread_mutex_lock(&messages->mutex);
    if (level == ISG_LOG_WARNING || level == ISG_LOG_ERROR) {
        messages->count++;
        if (messages->file) {
            fprintf(messages->file, "%s: %s: %s\n", level == ISG_LOG_ERROR ? "error" : "warning",
                    id, text);
            fflush(messages->file);
        }
    }
    if (messages->instance) {
        isg_instance_log(messages->instance, level, text);
    }
    pthread_mutex_unlock(&messages->mutex);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL receive(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                              VkDebugUtilsMessageTypeFlagsEXT types,
                                              const VkDebugUtilsMessengerCallbackDataEXT *data,
                                              void *user)
{
    isg_vk_messages *messages = user;
    const char *id = data->pMessageIdName ? data->pMessageIdName : "";
    const char *text = data->pMessage ? data->pMessage : "";
    bool error = (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT) != 0;
    bool warning = (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT) != 0;
    (void)types;

    if (strcmp(id, "Loader Message") == 0) {
        if (error) {
            pthread_mutex_lock(&messages->mutex);
            append(messages->loader_error, sizeof messages->loader_error, text);
            pthread_mutex_unlock(&messages->mutex);
        }
    } else if (is_printf(id)) {
        /* The layer puts its own words before the kernel's. */
        const char *prefix = strstr(text, "DebugPrintf:\n");
        deliver(messages, ISG_LOG_PRINTF, id, prefix ? prefix + strlen("DebugPrintf:\n") : text);
    } else if ((error || warning) && !is_not_ours(text)) {
        deliver(messages, error ? ISG_LOG_ERROR : ISG_LOG_WARNING, id, text);
    }
    return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT isg_vk_messages_info(isg_vk_messages *messages)
{
    VkDebugUtilsMessengerCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = receive,
        .pUserData = messages,
    };
    if (isg_instance_wants_printf(messages->instance)) {
        info.messageSeverity |= VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
    }
    return info;
}
