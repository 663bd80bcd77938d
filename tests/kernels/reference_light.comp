// reference_light: the light twin of `reference` for any grid, in one, two or three dimensions.
// Workgroup w of n_w, counted row by row: `1 + (w mod 512) / 8` increments, 256 in the last.
// counts[0] to [2] as in `reference`; [3] counts invocations whose gl_GlobalInvocationID or
// gl_WorkGroupID does not fit the grid.
// Args:  binding 0 a (read), 1 scratch (read-write), 2 result (write), 3 counts (read-write).
// Group: 32 x 1 x 1; 32 elements for each workgroup.
#version 450
#extension GL_GOOGLE_include_directive : require
#define ISG_PHASES 2
#include <isogrid/phased.glsl>

layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std430) readonly buffer a_block {
    uint a[];
};
layout(set = 0, binding = 1, std430) volatile buffer scratch_block {
    uint scratch[];
};
layout(set = 0, binding = 2, std430) writeonly buffer result_block {
    uint result[];
};
layout(set = 0, binding = 3, std430) buffer counts_block {
    uint counts[4];
};

void main() {
    uvec3 n = gl_NumWorkGroups;
    uint w = gl_WorkGroupID.x + n.x * (gl_WorkGroupID.y + n.y * gl_WorkGroupID.z);
    uint total = n.x * n.y * n.z;
    uint i = w * 32 + gl_LocalInvocationID.x;
    uvec3 id = gl_WorkGroupID * gl_WorkGroupSize + gl_LocalInvocationID;
    switch (isg_phase()) {
    case 0: {
        uint times = w == total - 1 ? 256 : 1 + (w % 512) / 8;
        for (uint k = 0; k < times; k++) {
            scratch[i] = scratch[i] + 1;
        }
        if (gl_GlobalInvocationID != id || any(greaterThanEqual(gl_WorkGroupID, n))) {
            atomicAdd(counts[3], 1);
        }
        if (gl_LocalInvocationIndex == 0) {
            atomicAdd(counts[0], 1);
        }
        break;
    }
    case 1:
        result[i] = a[i] + scratch[total * 32 - 1];
        if (gl_LocalInvocationIndex == 0) {
            atomicAdd(counts[1], 1);
            if (atomicAdd(counts[0], 0) == total) {
                atomicAdd(counts[2], 1);
            }
        }
        break;
    }
}
