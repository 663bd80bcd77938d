// jacobi: two Jacobi steps a round on a square plate whose edge stays as it is.
// Args:  binding 0 a, binding 1 b (read-write): SIDE x SIDE values, row by row.
// Group: 16 x 16 x 1; SIDE / 16 workgroups in x and in y.
#version 450
#extension GL_GOOGLE_include_directive : require
#define ISG_PHASES 2
#include <isogrid/phased.glsl>

layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0, std430) buffer a_block { float a[]; };
layout(set = 0, binding = 1, std430) buffer b_block { float b[]; };

void main() {
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y, i = y * SIDE + x;
    bool edge = x == 0 || y == 0 || x == SIDE - 1 || y == SIDE - 1;

    switch (isg_phase()) {
    case 0:
        b[i] = edge ? a[i] : 0.25 * (a[i - 1] + a[i + 1] + a[i - SIDE] + a[i + SIDE]);
        break;
    case 1: // every workgroup's b is there
        a[i] = edge ? b[i] : 0.25 * (b[i - 1] + b[i + 1] + b[i - SIDE] + b[i + SIDE]);
        break;
    }
}
