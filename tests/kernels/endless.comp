// endless: loops until someone else changes stop[0], which nobody does; the second workgroup too.
// Args:  binding 0 stop (read-write): [0] is 0, [1] counts iterations.
// Group: 1 x 1 x 1; two workgroups.
#version 450

layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) volatile buffer stop_block { uint stop[2]; };

void main() {
    while (atomicAdd(stop[0], 0) == 0) {
        atomicAdd(stop[1], 1);
    }
}
