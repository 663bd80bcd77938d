// needs_float64: r[i] = a[i] * b[i] + a[i] in 64-bit floats.
// Args:  binding 0 a (read), 1 b (read), 2 r (write).
// Group: 32 x 1 x 1; 32 elements for each workgroup.
#version 450

layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std430) readonly buffer a_block { double a[]; };
layout(set = 0, binding = 1, std430) readonly buffer b_block { double b[]; };
layout(set = 0, binding = 2, std430) writeonly buffer r_block { double r[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    precise double product = a[i] * b[i];
    precise double sum = product + a[i];
    r[i] = sum;
}
