// rounds: three phases, run as many rounds as the host asks for. Phase 0: b[i] = mix(a[n-1-i], round).
// Phase 1: c[i] = b[i] ^ b[(i + 97) mod n]. Phase 2: a[i] = a[i] + c[(i + n / 2) mod n] + round_count.
// seen[3 * round + phase] counts the workgroups that ran that phase.
// Args:  binding 0 a (read-write), 1 b (read-write), 2 c (read-write), 3 seen (read-write).
// Group: 64 x 1 x 1; n = 64 for each workgroup.
#version 450
#extension GL_GOOGLE_include_directive : require
#define ISG_PHASES 3
#include <isogrid/phased.glsl>
#include "mix32.glsl"

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer a_block {
    uint a[];
};
layout(set = 0, binding = 1, std430) buffer b_block {
    uint b[];
};
layout(set = 0, binding = 2, std430) buffer c_block {
    uint c[];
};
layout(set = 0, binding = 3, std430) buffer seen_block {
    uint seen[];
};

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint n = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    if (gl_LocalInvocationIndex == 0) {
        atomicAdd(seen[3 * isg_round() + isg_phase()], 1);
    }
    switch (isg_phase()) {
    case 0:
        b[i] = mix32(a[n - 1 - i] + isg_round());
        break;
    case 1:
        c[i] = b[i] ^ b[(i + 97) % n];
        break;
    case 2:
        a[i] = a[i] + c[(i + n / 2) % n] + isg_round_count();
        break;
    }
}
