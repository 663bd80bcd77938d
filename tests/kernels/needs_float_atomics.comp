// needs_float_atomics: sum[0] += x[i] by float atomics; whole numbers, so that the order is no matter.
// Args:  binding 0 x (read), 1 sum (read-write).
// Group: 32 x 1 x 1; 32 elements for each workgroup.
#version 450
#extension GL_EXT_shader_atomic_float : require

layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std430) readonly buffer x_block { float x[]; };
layout(set = 0, binding = 1, std430) buffer sum_block { float sum[1]; };

void main() {
    atomicAdd(sum[0], x[gl_GlobalInvocationID.x]);
}
