// needs_float16: r[i] = a[i] * 2 + 1 in 16-bit floats, exact for small whole numbers.
// Args:  binding 0 a (read), 1 r (write); 16-bit floats.
// Group: 32 x 1 x 1; 32 elements for each workgroup.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require

layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std430) readonly buffer a_block { float16_t a[]; };
layout(set = 0, binding = 1, std430) writeonly buffer r_block { float16_t r[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    r[i] = a[i] * float16_t(2.0) + float16_t(1.0);
}
