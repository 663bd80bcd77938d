#version 450
#extension GL_GOOGLE_include_directive : require
// many: what isogrid run can set, in one phased kernel.
// Args:  binding 0.0 x (read), 0.1 y (write), 1.2 u (uniform), push {uint a; float b; int c}.
// Group: WIDTH x 1 x 1; one for each WIDTH elements of x and y.
#define ISG_PHASES 2
#include <isogrid/phased.glsl>
#include "many_part.glsl"

layout(local_size_x_id = 7) in;
layout(constant_id = 1) const int shift = -3;
layout(constant_id = 2) const bool flag = false;
layout(constant_id = 3) const float scale = 0.5;
layout(set = 0, binding = 0, std430) readonly buffer x_block { float x[]; };
layout(set = 0, binding = 1, std430) buffer y_block { float y[]; };
layout(set = 1, binding = 2, std140) uniform u_block { vec4 u; };
layout(push_constant, std430) uniform push_block { uint a; float b; int c; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    switch (isg_phase()) {
    case 0:
        if (isg_round() == 0u) {
            y[i] = x[i] * b + float(a) + float(c) + u.w;
        } else {
            y[i] += part(scale);
        }
        break;
    case 1:
        y[i] += flag ? float(shift) : 100.0;
        break;
    }
}
