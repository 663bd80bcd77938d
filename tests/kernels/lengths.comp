// lengths: how many elements the kernel sees in each binding; writes the last element of b.
// Args:  binding 0 a (read, 4-byte elements), 1 b (read-write, 8-byte elements after 16 bytes),
//        2 out (write).
// Group: 1 x 1 x 1; one workgroup.
#version 450

layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) readonly buffer a_block {
    uint a[];
};
layout(set = 0, binding = 1, std430) buffer b_block {
    uvec4 head;
    uvec2 b[];
};
layout(set = 0, binding = 2, std430) writeonly buffer out_block {
    uint lengths[4];
};

void main() {
    lengths[0] = a.length();
    lengths[1] = b.length();
    lengths[2] = a[a.length() - 1];
    lengths[3] = head.x;
    b[b.length() - 1] = uvec2(0x1234, 0x5678);
}
