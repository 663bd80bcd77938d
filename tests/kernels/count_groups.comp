// count_groups: counts workgroups, and the sum of their x, y and z.
// Args:  binding 0 sums (read-write): [0] workgroups, [1] to [3] sums of x, y, z.
// Group: 1 x 1 x 1; any grid.
#version 450

layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer sums_block {
    uint sums[4];
};

void main() {
    atomicAdd(sums[0], 1);
    atomicAdd(sums[1], gl_WorkGroupID.x);
    atomicAdd(sums[2], gl_WorkGroupID.y);
    atomicAdd(sums[3], gl_WorkGroupID.z);
}
