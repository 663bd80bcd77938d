// subgroup_sum: the sum of 256 words by subgroup sums and shared memory; the same at any width.
// Args:  binding 0 words (read), 1 sum (write).
// Group: 256 x 1 x 1; one workgroup.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer words_block {
    uint words[256];
};
layout(set = 0, binding = 1, std430) writeonly buffer sum_block {
    uint sum;
};
shared uint parts[255]; // not 256: glslang would give it the layout of words[]

void main() {
    uint part = subgroupAdd(words[gl_LocalInvocationIndex]);
    if (subgroupElect()) {
        parts[gl_SubgroupID] = part;
    }
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        uint total = 0;
        for (uint k = 0; k < gl_NumSubgroups; k++) {
            total += parts[k];
        }
        sum = total;
    }
}
