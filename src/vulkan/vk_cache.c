/* Owns the pipeline cache and its file in the cache directory.
 *
 * The file is named after device and driver, written beside itself and renamed, and carries a
 * digest: a reader sees a whole file of its own driver or none. */
#include "vulkan/vk_cache.h"

#include "vulkan/vk_device.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define CACHE_MAGIC UINT64_C(0x31304b5647534900) /* "\0ISGVK01" */
#define CACHE_SIZE_MAX (UINT64_C(64) << 20)

typedef struct cache_header {
    uint64_t magic;
    uint64_t driver; /* digest of everything that makes cached pipelines valid */
    uint64_t size;   /* of the data that follows */
    uint64_t digest; /* of that data */
} cache_header;

static uint64_t driver_digest(const isg_vk_physical *physical)
{
    struct {
        uint32_t vendor, device, version, api;
        uint8_t device_uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE], cache_uuid[VK_UUID_SIZE];
        char info[VK_MAX_DRIVER_INFO_SIZE];
    } key;
    memset(&key, 0, sizeof key);
    key.vendor = physical->properties.vendorID;
    key.device = physical->properties.deviceID;
    key.version = physical->properties.driverVersion;
    key.api = physical->properties.apiVersion;
    memcpy(key.device_uuid, physical->v11.deviceUUID, VK_UUID_SIZE);
    memcpy(key.driver_uuid, physical->v11.driverUUID, VK_UUID_SIZE);
    memcpy(key.cache_uuid, physical->properties.pipelineCacheUUID, VK_UUID_SIZE);
    snprintf(key.info, sizeof key.info, "%s", physical->v12.driverInfo);
    return XXH3_64bits(&key, sizeof key);
}

/* False: no disk cache is wanted, or its path is too long. */
static bool cache_path(const isg_vk_device *device, char *path, size_t capacity)
{
    const char *directory = isg_instance_cache_directory(device->driver->base.instance);
    if (!*directory) {
        return false;
    }
    int length = snprintf(path, capacity, "%s/vulkan-%016" PRIx64 ".pipelines", directory,
                          driver_digest(device->physical));
    return length > 0 && (size_t)length < capacity;
}

/* Makes the folders above the file; an existing one is fine. */
static void make_folders(const char *path)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(folder, 0777);
        *slash = '/';
    }
}

/* The file's data, owned by the caller (isg_free with *out_size); NULL: none that is good. */
static void *read_file(isg_vk_device *device, const char *path, size_t *out_size)
{
    cache_header header;
    void *data = NULL;
    FILE *file = fopen(path, "rbe");
    if (!file) {
        return NULL;
    }
    bool good = fread(&header, sizeof header, 1, file) == 1 && header.magic == CACHE_MAGIC &&
                header.driver == driver_digest(device->physical) && header.size > 0 &&
                header.size <= CACHE_SIZE_MAX;
    if (good) {
        data = isg_alloc(device->allocator, (size_t)header.size);
        good = data && fread(data, 1, (size_t)header.size, file) == header.size &&
               fgetc(file) == EOF && XXH3_64bits(data, (size_t)header.size) == header.digest;
    }
    fclose(file);
    if (!good) {
        isg_free(device->allocator, data, data ? (size_t)header.size : 0);
        return NULL;
    }
    device->cache.loaded_digest = header.digest;
    *out_size = (size_t)header.size;
    return data;
}

static bool write_file(const char *path, const cache_header *header, const void *data)
{
    char temporary[4096];
    int length = snprintf(temporary, sizeof temporary, "%s.%ld.%p", path, (long)getpid(), data);
    if (length < 0 || (size_t)length >= sizeof temporary) {
        return false;
    }
    FILE *file = fopen(temporary, "wbxe");
    if (!file && errno == ENOENT) {
        make_folders(path);
        file = fopen(temporary, "wbxe");
    }
    if (!file) {
        return false;
    }
    bool good = fwrite(header, sizeof *header, 1, file) == 1 &&
                fwrite(data, 1, (size_t)header->size, file) == header->size;
    good = fclose(file) == 0 && good;
    if (!good || rename(temporary, path) != 0) {
        (void)remove(temporary);
        return false;
    }
    return true;
}

static void save(isg_vk_device *device, const char *path)
{
    size_t size = 0;
    VkPipelineCache cache = device->cache.handle;
    if (device->vk.vkGetPipelineCacheData(device->handle, cache, &size, NULL) != VK_SUCCESS ||
        size == 0 || size > CACHE_SIZE_MAX) {
        return;
    }
    size_t capacity = size;
    void *data = isg_alloc(device->allocator, capacity);
    if (!data) {
        return;
    }
    if (device->vk.vkGetPipelineCacheData(device->handle, cache, &size, data) == VK_SUCCESS) {
        cache_header header = {
            .magic = CACHE_MAGIC,
            .driver = driver_digest(device->physical),
            .size = size,
            .digest = XXH3_64bits(data, size),
        };
        if (header.digest != device->cache.loaded_digest) {
            (void)write_file(path, &header, data);
        }
    }
    isg_free(device->allocator, data, capacity);
}

void isg_vk_cache_open(isg_vk_device *device)
{
    char path[4096];
    size_t size = 0;
    void *data = NULL;
    if (cache_path(device, path, sizeof path)) {
        data = read_file(device, path, &size);
    }
    VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
        .initialDataSize = size,
        .pInitialData = data,
    };
    VkResult result =
        device->vk.vkCreatePipelineCache(device->handle, &info, NULL, &device->cache.handle);
    if (result != VK_SUCCESS) {
        device->cache.handle = VK_NULL_HANDLE;
    }
    isg_free(device->allocator, data, size);
}

void isg_vk_cache_close(isg_vk_device *device)
{
    char path[4096];
    if (!device->cache.handle) {
        return;
    }
    if (cache_path(device, path, sizeof path)) {
        save(device, path);
    }
    device->vk.vkDestroyPipelineCache(device->handle, device->cache.handle, NULL);
    device->cache.handle = VK_NULL_HANDLE;
}
