// needs_int64: r[i] = a[i] * b[i] + (a[i] >> 7) in 64 bits.
// Args:  binding 0 a (read), 1 b (read), 2 r (write).
// Group: 32 x 1 x 1; 32 elements for each workgroup.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std430) readonly buffer a_block { uint64_t a[]; };
layout(set = 0, binding = 1, std430) readonly buffer b_block { uint64_t b[]; };
layout(set = 0, binding = 2, std430) writeonly buffer r_block { uint64_t r[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    r[i] = a[i] * b[i] + (a[i] >> 7);
}
