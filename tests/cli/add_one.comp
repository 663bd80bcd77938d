#version 450
// add_one: adds 1 to every element.
// Args:  binding 0 data (read-write).
// Group: 64 x 1 x 1; ceil(elements / 64) workgroups.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer data_block { uint data[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < data.length()) {
        data[i] += 1u;
    }
}
