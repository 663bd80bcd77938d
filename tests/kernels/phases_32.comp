// phases_32: as many phases as there may be. Phase p: rows[p + 1][i] = mix32(rows[p][(5 * i + p) mod n])
// where rows are n elements long.
// Args:  binding 0 rows (read-write), 33 rows.
// Group: 64 x 1 x 1; n = 64 for each workgroup.
#version 450
#extension GL_GOOGLE_include_directive : require
#define ISG_PHASES 32
#include <isogrid/phased.glsl>
#include "mix32.glsl"

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer rows_block {
    uint rows[];
};

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint n = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    uint p = isg_phase();
    rows[(p + 1) * n + i] = mix32(rows[p * n + (5 * i + p) % n]);
}
