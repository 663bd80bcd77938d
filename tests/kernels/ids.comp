// ids: each invocation leaves what it knows of its place.
// Args:  binding 0 rows (write): 12 words an invocation: workgroup id, local id, global id, and
//        local index, x, y of the grid. 1 tail (read-write): [0] counts invocations, [1] those whose
//        grid's z is not that of the push constant {uint z}.
// Group: 3 x 4 x 2; any grid.
#version 450

layout(local_size_x = 3, local_size_y = 4, local_size_z = 2) in;
layout(set = 0, binding = 0, std430) writeonly buffer rows_block {
    uint rows[];
};
layout(set = 0, binding = 1, std430) buffer tail_block {
    uint tail[2];
};
layout(push_constant, std430) uniform push_block {
    uint z;
};

void main() {
    uvec3 n = gl_NumWorkGroups;
    uint w = gl_WorkGroupID.x + n.x * (gl_WorkGroupID.y + n.y * gl_WorkGroupID.z);
    uint at = (w * 24 + gl_LocalInvocationIndex) * 12;
    rows[at] = gl_WorkGroupID.x;
    rows[at + 1] = gl_WorkGroupID.y;
    rows[at + 2] = gl_WorkGroupID.z;
    rows[at + 3] = gl_LocalInvocationID.x;
    rows[at + 4] = gl_LocalInvocationID.y;
    rows[at + 5] = gl_LocalInvocationID.z;
    rows[at + 6] = gl_GlobalInvocationID.x;
    rows[at + 7] = gl_GlobalInvocationID.y;
    rows[at + 8] = gl_GlobalInvocationID.z;
    rows[at + 9] = gl_LocalInvocationIndex;
    rows[at + 10] = n.x;
    rows[at + 11] = n.y;
    atomicAdd(tail[0], 1);
    if (n.z != z) {
        atomicAdd(tail[1], 1);
    }
}
