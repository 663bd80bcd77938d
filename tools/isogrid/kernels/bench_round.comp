#version 450
#extension GL_GOOGLE_include_directive : require
// bench_round: adds 1 to every element, once a round.
// Args:  binding 0 data (read-write), 64 elements a workgroup.
// Group: 64 x 1 x 1; any grid in x.
#define ISG_PHASES 1
#include <isogrid/phased.glsl>

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer data_block { uint data[]; };

void main() {
    switch (isg_phase()) {
    case 0:
        data[gl_GlobalInvocationID.x] += 1u;
        break;
    }
}
