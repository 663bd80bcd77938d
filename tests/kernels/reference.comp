// reference: CONTRACT A. Phase 0 adds 1 to scratch[i] `1 + w / 8` times in workgroup w, 256 times in
// the last, each by a volatile load and store. Phase 1: result[i] = a[i] + scratch[n - 1].
// `counts` shows that the sync was one: [0] and [1] count the workgroups that ran each phase, [2]
// those that, in phase 1, found phase 0 ended by all.
// Args:  binding 0 a (read), 1 scratch (read-write), 2 result (write), 3 counts (read-write).
// Group: 256 x 1 x 1; n = 256 for each workgroup.
#version 450
#extension GL_GOOGLE_include_directive : require
#define ISG_PHASES 2
#include <isogrid/phased.glsl>

layout(local_size_x = 256) in;
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
    uint i = gl_GlobalInvocationID.x;
    uint w = gl_WorkGroupID.x;
    uint last = gl_NumWorkGroups.x - 1;
    switch (isg_phase()) {
    case 0: {
        uint times = w == last ? 256 : 1 + w / 8;
        for (uint k = 0; k < times; k++) {
            scratch[i] = scratch[i] + 1;
        }
        if (gl_LocalInvocationIndex == 0) {
            atomicAdd(counts[0], 1);
        }
        break;
    }
    case 1:
        result[i] = a[i] + scratch[gl_NumWorkGroups.x * gl_WorkGroupSize.x - 1];
        if (gl_LocalInvocationIndex == 0) {
            atomicAdd(counts[1], 1);
            if (atomicAdd(counts[0], 0) == gl_NumWorkGroups.x) {
                atomicAdd(counts[2], 1);
            }
        }
        break;
    }
}
