/* Which device features a module's capabilities ask for. */
#include "spirv/reflect.h"

typedef struct capability {
    uint32_t capability;
    uint32_t features; /* isg_feature bits */
    const char *name;  /* NULL: supported */
} capability;

/* Atomics' features depend on the memory they touch: reflect_code.c adds them. */
static const capability known[] = {
    {SpvCapabilityMatrix, 0, NULL},
    {SpvCapabilityShader, 0, NULL},
    {SpvCapabilityFloat16, ISG_FEATURE_FLOAT16, NULL},
    {SpvCapabilityFloat64, ISG_FEATURE_FLOAT64, NULL},
    {SpvCapabilityInt64, ISG_FEATURE_INT64, NULL},
    {SpvCapabilityInt64Atomics, 0, NULL},
    {SpvCapabilityInt16, ISG_FEATURE_INT16, NULL},
    {SpvCapabilityInt8, ISG_FEATURE_INT8, NULL},
    {SpvCapabilityImageGatherExtended, ISG_FEATURE_IMAGES, NULL},
    {SpvCapabilityUniformBufferArrayDynamicIndexing, ISG_FEATURE_NON_UNIFORM_INDEXING, NULL},
    {SpvCapabilitySampledImageArrayDynamicIndexing, ISG_FEATURE_NON_UNIFORM_INDEXING, NULL},
    {SpvCapabilityStorageBufferArrayDynamicIndexing, ISG_FEATURE_NON_UNIFORM_INDEXING, NULL},
    {SpvCapabilityStorageImageArrayDynamicIndexing, ISG_FEATURE_NON_UNIFORM_INDEXING, NULL},
    {SpvCapabilitySampled1D, ISG_FEATURE_IMAGES, NULL},
    {SpvCapabilityImage1D, ISG_FEATURE_IMAGES, NULL},
    {SpvCapabilityStorageImageExtendedFormats, ISG_FEATURE_IMAGES, NULL},
    {SpvCapabilityImageQuery, ISG_FEATURE_IMAGES, NULL},
    {SpvCapabilityStorageImageReadWithoutFormat, ISG_FEATURE_IMAGE_WITHOUT_FORMAT, NULL},
    {SpvCapabilityStorageImageWriteWithoutFormat, ISG_FEATURE_IMAGE_WITHOUT_FORMAT, NULL},
    {SpvCapabilityGroupNonUniform, ISG_FEATURE_SUBGROUP_BASIC, NULL},
    {SpvCapabilityGroupNonUniformVote, ISG_FEATURE_SUBGROUP_VOTE, NULL},
    {SpvCapabilityGroupNonUniformArithmetic, ISG_FEATURE_SUBGROUP_ARITHMETIC, NULL},
    {SpvCapabilityGroupNonUniformBallot, ISG_FEATURE_SUBGROUP_BALLOT, NULL},
    {SpvCapabilityGroupNonUniformShuffle, ISG_FEATURE_SUBGROUP_SHUFFLE, NULL},
    {SpvCapabilityGroupNonUniformShuffleRelative, ISG_FEATURE_SUBGROUP_SHUFFLE_RELATIVE, NULL},
    {SpvCapabilityGroupNonUniformClustered, ISG_FEATURE_SUBGROUP_CLUSTERED, NULL},
    {SpvCapabilityGroupNonUniformQuad, ISG_FEATURE_SUBGROUP_QUAD, NULL},
    {SpvCapabilitySubgroupBallotKHR, ISG_FEATURE_SUBGROUP_BALLOT, NULL},
    {SpvCapabilitySubgroupVoteKHR, ISG_FEATURE_SUBGROUP_VOTE, NULL},
    {SpvCapabilityStorageBuffer16BitAccess, ISG_FEATURE_STORAGE_16BIT, NULL},
    {SpvCapabilityUniformAndStorageBuffer16BitAccess, ISG_FEATURE_UNIFORM_16BIT, NULL},
    {SpvCapabilityStoragePushConstant16, ISG_FEATURE_PUSH_16BIT, NULL},
    {SpvCapabilityStorageBuffer8BitAccess, ISG_FEATURE_STORAGE_8BIT, NULL},
    {SpvCapabilityUniformAndStorageBuffer8BitAccess, ISG_FEATURE_UNIFORM_8BIT, NULL},
    {SpvCapabilityStoragePushConstant8, ISG_FEATURE_PUSH_8BIT, NULL},
    {SpvCapabilityDenormPreserve, 0, NULL},
    {SpvCapabilityDenormFlushToZero, 0, NULL},
    {SpvCapabilitySignedZeroInfNanPreserve, 0, NULL},
    {SpvCapabilityRoundingModeRTE, 0, NULL},
    {SpvCapabilityShaderClockKHR, ISG_FEATURE_SHADER_CLOCK, NULL},
    {SpvCapabilityShaderNonUniform, ISG_FEATURE_NON_UNIFORM_INDEXING, NULL},
    {SpvCapabilityUniformBufferArrayNonUniformIndexing, ISG_FEATURE_NON_UNIFORM_INDEXING, NULL},
    {SpvCapabilitySampledImageArrayNonUniformIndexing, ISG_FEATURE_NON_UNIFORM_INDEXING, NULL},
    {SpvCapabilityStorageBufferArrayNonUniformIndexing, ISG_FEATURE_NON_UNIFORM_INDEXING, NULL},
    {SpvCapabilityStorageImageArrayNonUniformIndexing, ISG_FEATURE_NON_UNIFORM_INDEXING, NULL},
    {SpvCapabilityVulkanMemoryModel, ISG_FEATURE_MEMORY_MODEL, NULL},
    {SpvCapabilityVulkanMemoryModelDeviceScope, ISG_FEATURE_MEMORY_MODEL_DEVICE, NULL},
    {SpvCapabilityPhysicalStorageBufferAddresses, ISG_FEATURE_BUFFER_DEVICE_ADDRESS, NULL},
    {SpvCapabilityAtomicFloat32AddEXT, 0, NULL},

    {SpvCapabilityAtomicFloat64AddEXT, 0, "64-bit float atomics"},
    {SpvCapabilityAtomicFloat16AddEXT, 0, "16-bit float atomics"},
    {SpvCapabilityAtomicFloat32MinMaxEXT, 0, "float atomic minimum and maximum"},
    {SpvCapabilityAtomicFloat64MinMaxEXT, 0, "float atomic minimum and maximum"},
    {SpvCapabilityAtomicFloat16MinMaxEXT, 0, "float atomic minimum and maximum"},
    {SpvCapabilityRoundingModeRTZ, 0, "rounding toward zero as an execution mode"},
    {SpvCapabilityVariablePointers, 0, "variable pointers"},
    {SpvCapabilityVariablePointersStorageBuffer, 0, "variable pointers"},
    {SpvCapabilityRuntimeDescriptorArray, 0, "descriptor arrays without a size"},
    {SpvCapabilityImageBuffer, 0, "texel buffers"},
    {SpvCapabilitySampledBuffer, 0, "texel buffers"},
    {SpvCapabilitySampledCubeArray, 0, "cube images"},
    {SpvCapabilityImageCubeArray, 0, "cube images"},
    {SpvCapabilityStorageImageMultisample, 0, "multisampled images"},
    {SpvCapabilityImageMSArray, 0, "multisampled images"},
    {SpvCapabilityGroups, 0, "OpenCL's group operations"},
    {SpvCapabilityKernel, 0, "OpenCL kernels"},
    {SpvCapabilityAddresses, 0, "OpenCL's pointers"},
    {SpvCapabilityLinkage, 0, "linkage: link the module first; it"},
    {SpvCapabilityDotProductKHR, 0, "packed integer dot products"},
    {SpvCapabilityDotProductInputAllKHR, 0, "packed integer dot products"},
    {SpvCapabilityDotProductInput4x8BitKHR, 0, "packed integer dot products"},
    {SpvCapabilityDotProductInput4x8BitPackedKHR, 0, "packed integer dot products"},
    {SpvCapabilityGroupNonUniformRotateKHR, 0, "subgroup rotation"},
    {SpvCapabilityWorkgroupMemoryExplicitLayoutKHR, 0, "workgroup memory of explicit layout"},
    {SpvCapabilitySubgroupBufferBlockIOINTEL, 0, "Intel's subgroup block reads"},
    {SpvCapabilityRayQueryKHR, 0, "ray queries"},
    {SpvCapabilityCooperativeMatrixNV, 0, "cooperative matrices"},
    {SpvCapabilityGeometry, 0, "geometry shaders"},
    {SpvCapabilityTessellation, 0, "tessellation shaders"},
    {SpvCapabilityInputAttachment, 0, "input attachments"},
    {SpvCapabilityExpectAssumeKHR, 0, "branch expectations"},
    {SpvCapabilityDeviceGroup, 0, "device groups"},
};

static const capability *find(uint32_t value)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].capability == value) {
            return &known[i];
        }
    }
    return NULL;
}

isg_status isg_spirv_reflect_features(isg_spirv_reflection *reflection)
{
    const isg_spirv_module *module = reflection->module;
    uint32_t end = module->sections[ISG_SPIRV_CAPABILITIES + 1];

    for (uint32_t i = module->sections[ISG_SPIRV_CAPABILITIES]; i < end;
         i += isg_spirv_length(module->words + i)) {
        const uint32_t *inst = module->words + i;
        if (isg_spirv_op(inst) != SpvOpCapability) {
            continue;
        }
        const capability *found = find(inst[1]);
        if (found == NULL) {
            return isg_spirv_unsupported(module, i,
                                         "isogrid does not know capability %u; write "
                                         "the kernel without it",
                                         (unsigned)inst[1]);
        }
        if (found->name != NULL) {
            return isg_spirv_unsupported(module, i,
                                         "%s (capability %u) is beyond isogrid; write "
                                         "the kernel without",
                                         found->name, (unsigned)inst[1]);
        }
        reflection->info.features |= found->features;
    }
    return ISG_OK;
}
