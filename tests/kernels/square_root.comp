// square_root: r[i] = sqrt(a[i]); not the same bits everywhere until exact math is there.
// Args:  binding 0 a (read), 1 r (write).
// Group: 32 x 1 x 1; 32 elements for each workgroup.
#version 450

layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std430) readonly buffer a_block { float a[]; };
layout(set = 0, binding = 1, std430) writeonly buffer r_block { float r[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    r[i] = sqrt(a[i]);
}
