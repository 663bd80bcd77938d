// accumulate: y[i] = mix32(y[i] + seed) + x[i]; depends on what came before in both buffers.
// Args:  binding 0 x (read), 1 y (read-write), push constants {uint seed}.
// Group: 64 x 1 x 1; one workgroup for each 64 elements.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "mix32.glsl"

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer x_block { uint x[]; };
layout(set = 0, binding = 1, std430) buffer y_block { uint y[]; };
layout(push_constant, std430) uniform push_block { uint seed; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    y[i] = mix32(y[i] + seed) + x[i];
}
