/* Owns what callers are told of a device: limits, features, float behaviour, what its driver is
 * known for. */
#include "vulkan/vk_instance.h"

#include <stdlib.h>
#include <string.h>

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- what drivers are known for, measured; nothing of it can be asked ------------------------ */

static uint32_t mesa_major(const char *driver_info)
{
    const char *mesa = strstr(driver_info, "Mesa ");
    return mesa ? (uint32_t)strtoul(mesa + 5, NULL, 10) : 0;
}

static isg_denormals known_denormals(VkDriverId driver)
{
    switch ((int)driver) {
    case VK_DRIVER_ID_GOOGLE_SWIFTSHADER:
        return ISG_DENORMALS_FLUSHED;
    case VK_DRIVER_ID_MESA_LLVMPIPE:
        return ISG_DENORMALS_KEPT;
    case VK_DRIVER_ID_NVIDIA_PROPRIETARY:
        /* Mostly flushed, but not always: 580 gives 0x00800000 * 0.5 as 0x00400000, and folds x + 0
         * to x. */
    default:
        return ISG_DENORMALS_UNKNOWN;
    }
}

static uint64_t known_loop_limit(const VkPhysicalDeviceVulkan12Properties *properties)
{
    /* lavapipe 22.3.6 ends loops after 65 535 iterations in all, 25.0.7 does not; between the two
     * nobody has looked. */
    bool lavapipe = properties->driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
    return lavapipe && mesa_major(properties->driverInfo) < 25 ? 65535 : 0;
}

/* ---- features ------------------------------------------------------------------------------- */

static uint32_t width_features(const isg_vk_features *has)
{
    uint32_t bits = 0;
    bits |= has->v12.shaderFloat16 ? ISG_FEATURE_FLOAT16 : 0u;
    bits |= has->core.features.shaderFloat64 ? ISG_FEATURE_FLOAT64 : 0u;
    bits |= has->v12.shaderInt8 ? ISG_FEATURE_INT8 : 0u;
    bits |= has->core.features.shaderInt16 ? ISG_FEATURE_INT16 : 0u;
    bits |= has->core.features.shaderInt64 ? ISG_FEATURE_INT64 : 0u;
    bits |= has->v12.storageBuffer8BitAccess ? ISG_FEATURE_STORAGE_8BIT : 0u;
    bits |= has->v11.storageBuffer16BitAccess ? ISG_FEATURE_STORAGE_16BIT : 0u;
    bits |= has->v12.uniformAndStorageBuffer8BitAccess ? ISG_FEATURE_UNIFORM_8BIT : 0u;
    bits |= has->v11.uniformAndStorageBuffer16BitAccess ? ISG_FEATURE_UNIFORM_16BIT : 0u;
    bits |= has->v12.storagePushConstant8 ? ISG_FEATURE_PUSH_8BIT : 0u;
    bits |= has->v11.storagePushConstant16 ? ISG_FEATURE_PUSH_16BIT : 0u;
    return bits;
}

static uint32_t order_features(const isg_vk_features *has)
{
    uint32_t bits = 0;
    bits |= has->v12.shaderBufferInt64Atomics ? ISG_FEATURE_BUFFER_ATOMIC_INT64 : 0u;
    bits |= has->v12.shaderSharedInt64Atomics ? ISG_FEATURE_SHARED_ATOMIC_INT64 : 0u;
    bits |=
        has->atomic_float.shaderBufferFloat32AtomicAdd ? ISG_FEATURE_BUFFER_ATOMIC_FLOAT_ADD : 0u;
    bits |=
        has->atomic_float.shaderSharedFloat32AtomicAdd ? ISG_FEATURE_SHARED_ATOMIC_FLOAT_ADD : 0u;
    bits |= has->v12.vulkanMemoryModel ? ISG_FEATURE_MEMORY_MODEL : 0u;
    bits |= has->v12.vulkanMemoryModelDeviceScope ? ISG_FEATURE_MEMORY_MODEL_DEVICE : 0u;
    bits |= has->v12.vulkanMemoryModelAvailabilityVisibilityChains ? ISG_FEATURE_MEMORY_MODEL_CHAINS
                                                                   : 0u;
    bits |= has->shader_clock.shaderDeviceClock ? ISG_FEATURE_SHADER_CLOCK : 0u;
    bits |= has->v12.bufferDeviceAddress ? ISG_FEATURE_BUFFER_DEVICE_ADDRESS : 0u;
    return bits;
}

static uint32_t subgroup_features(const isg_vk_physical *physical)
{
    static const struct {
        VkSubgroupFeatureFlags operation;
        uint32_t bit;
    } rows[] = {
        {VK_SUBGROUP_FEATURE_BASIC_BIT, ISG_FEATURE_SUBGROUP_BASIC},
        {VK_SUBGROUP_FEATURE_VOTE_BIT, ISG_FEATURE_SUBGROUP_VOTE},
        {VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, ISG_FEATURE_SUBGROUP_ARITHMETIC},
        {VK_SUBGROUP_FEATURE_BALLOT_BIT, ISG_FEATURE_SUBGROUP_BALLOT},
        {VK_SUBGROUP_FEATURE_SHUFFLE_BIT, ISG_FEATURE_SUBGROUP_SHUFFLE},
        {VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT, ISG_FEATURE_SUBGROUP_SHUFFLE_RELATIVE},
        {VK_SUBGROUP_FEATURE_CLUSTERED_BIT, ISG_FEATURE_SUBGROUP_CLUSTERED},
        {VK_SUBGROUP_FEATURE_QUAD_BIT, ISG_FEATURE_SUBGROUP_QUAD},
    };
    uint32_t bits = 0;
    if (!(physical->v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT)) {
        return 0;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (physical->v11.subgroupSupportedOperations & rows[i].operation) {
            bits |= rows[i].bit;
        }
    }
    return bits;
}

static uint32_t image_features(const isg_vk_features *has)
{
    const VkPhysicalDeviceFeatures *core = &has->core.features;
    uint32_t bits = ISG_FEATURE_IMAGES;
    bool dynamic = core->shaderStorageBufferArrayDynamicIndexing &&
                   core->shaderUniformBufferArrayDynamicIndexing &&
                   core->shaderSampledImageArrayDynamicIndexing &&
                   core->shaderStorageImageArrayDynamicIndexing;
    bool non_uniform = has->v12.shaderStorageBufferArrayNonUniformIndexing &&
                       has->v12.shaderUniformBufferArrayNonUniformIndexing &&
                       has->v12.shaderSampledImageArrayNonUniformIndexing &&
                       has->v12.shaderStorageImageArrayNonUniformIndexing;
    bits |= dynamic && non_uniform ? ISG_FEATURE_NON_UNIFORM_INDEXING : 0u;
    bits |= core->shaderStorageImageReadWithoutFormat && core->shaderStorageImageWriteWithoutFormat
                ? ISG_FEATURE_IMAGE_WITHOUT_FORMAT
                : 0u;
    return bits;
}

/* ---- the info struct ------------------------------------------------------------------------- */

static isg_device_type device_type(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return ISG_DEVICE_TYPE_DISCRETE_GPU;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return ISG_DEVICE_TYPE_INTEGRATED_GPU;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return ISG_DEVICE_TYPE_VIRTUAL_GPU;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return ISG_DEVICE_TYPE_CPU;
    default:
        return ISG_DEVICE_TYPE_OTHER;
    }
}

static uint64_t device_local_size(const VkPhysicalDeviceMemoryProperties *memory)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < memory->memoryHeapCount; i++) {
        if (memory->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) {
            size += memory->memoryHeaps[i].size;
        }
    }
    return size;
}

static void fill_limits(const isg_vk_physical *physical, isg_device_limits *out)
{
    const VkPhysicalDeviceLimits *limits = &physical->properties.limits;
    const isg_vk_features *has = &physical->features;
    out->features = width_features(has) | order_features(has) | subgroup_features(physical) |
                    image_features(has);
    for (int i = 0; i < 3; i++) {
        out->max_workgroup_count[i] = limits->maxComputeWorkGroupCount[i];
        out->max_workgroup_size[i] = limits->maxComputeWorkGroupSize[i];
    }
    out->max_workgroup_invocations = limits->maxComputeWorkGroupInvocations;
    out->max_shared_size = limits->maxComputeSharedMemorySize;
    out->max_push_size = min_u32(limits->maxPushConstantsSize, 128);
    out->max_buffer_size = physical->max_buffer_size;
    /* NVIDIA allows a range of 4 GiB - 1, but no buffer as large. */
    out->max_binding_size = limits->maxStorageBufferRange < out->max_buffer_size
                                ? limits->maxStorageBufferRange
                                : out->max_buffer_size;
    out->max_uniform_binding_size = limits->maxUniformBufferRange;
    out->storage_offset_alignment = (uint32_t)limits->minStorageBufferOffsetAlignment;
    out->uniform_offset_alignment = (uint32_t)limits->minUniformBufferOffsetAlignment;
    out->max_bindings =
        min_u32(limits->maxPerStageResources, limits->maxPerStageDescriptorStorageBuffers - 1);
    out->max_image_size_2d = limits->maxImageDimension2D;
    out->max_image_size_3d = limits->maxImageDimension3D;
    out->subgroup_size = physical->v11.subgroupSize;
    out->loop_limit = known_loop_limit(&physical->v12);
}

static void fill_floats(const VkPhysicalDeviceVulkan12Properties *v12, isg_float_behaviour *out)
{
    /* Where widths cannot differ, demanding something for 32 bits would bind 16 and 64 too. */
    bool denormals = v12->denormBehaviorIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
    bool rounding = v12->roundingModeIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
    out->denormals32 = known_denormals(v12->driverID);
    out->denormals32_flush_control = denormals && v12->shaderDenormFlushToZeroFloat32;
    out->denormals32_keep_control = denormals && v12->shaderDenormPreserveFloat32;
    out->rounding32_nearest_control = rounding && v12->shaderRoundingModeRTEFloat32;
    out->signed_zero_inf_nan32 = v12->shaderSignedZeroInfNanPreserveFloat32 != VK_FALSE;
}

void isg_vk_info_fill(const isg_vk_physical *physical, isg_device_info *out)
{
    const VkPhysicalDeviceProperties *properties = &physical->properties;
    *out = (isg_device_info){0};
    out->backend = isg_vk_backend.name;
    out->type = device_type(properties->deviceType);
    snprintf(out->name, sizeof out->name, "%s", properties->deviceName);
    snprintf(out->driver_name, sizeof out->driver_name, "%s", physical->v12.driverName);
    snprintf(out->driver_info, sizeof out->driver_info, "%s", physical->v12.driverInfo);
    out->driver_id = (uint32_t)physical->v12.driverID;
    out->driver_version = properties->driverVersion;
    out->api_version = properties->apiVersion;
    out->vendor_id = properties->vendorID;
    out->device_id = properties->deviceID;
    memcpy(out->uuid, physical->v11.deviceUUID, sizeof out->uuid);
    out->memory_size = device_local_size(&physical->memory);
    out->unusable = physical->unusable;
    fill_limits(physical, &out->limits);
    fill_floats(&physical->v12, &out->floats);
    out->grid_sync = ISG_GRID_SYNC_SPLIT;
    out->grid_sync_reason = "this version of isogrid has no waits between workgroups on Vulkan";
}

isg_status isg_vk_enumerate(isg_backend *base, isg_device_info *infos, uint32_t *driver_indices,
                            uint32_t capacity, uint32_t *out_count)
{
    isg_vk_driver *driver = (isg_vk_driver *)base;
    for (uint32_t i = 0; i < driver->physical_count && i < capacity; i++) {
        isg_vk_info_fill(&driver->physicals[i], &infos[i]);
        driver_indices[i] = i;
    }
    *out_count = driver->physical_count;
    return ISG_OK;
}
