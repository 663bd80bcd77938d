// loops: counts iterations: one loop, nested ones, and two in a row.
// Args:  binding 0 r (write): [0] iterations of one loop, [1] of two nested ones, [2] of two in a row;
//        push constants {uint single; uint outer; uint inner; uint first; uint second}.
// Group: 1 x 1 x 1; one workgroup each for [0], [1], [2].
#version 450

layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) volatile buffer r_block { uint r[3]; };
layout(push_constant, std430) uniform push_block {
    uint single;
    uint outer;
    uint inner;
    uint first;
    uint second;
};

void main() {
    uint w = gl_WorkGroupID.x;
    if (w == 0) {
        for (uint k = 0; k < single; k++) {
            r[0] = r[0] + 1;
        }
    } else if (w == 1) {
        for (uint k = 0; k < outer; k++) {
            for (uint j = 0; j < inner; j++) {
                r[1] = r[1] + 1;
            }
        }
    } else {
        for (uint k = 0; k < first; k++) {
            r[2] = r[2] + 1;
        }
        for (uint k = 0; k < second; k++) {
            r[2] = r[2] + 1;
        }
    }
}
