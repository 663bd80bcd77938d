// busy: keeps the device occupied for a while, below any driver's loop limit.
// Args:  binding 0 words (read-write), push constants {uint iterations}.
// Group: 64 x 1 x 1; one workgroup for each 64 words.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "mix32.glsl"

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer words_block { uint words[]; };
layout(push_constant, std430) uniform push_block { uint iterations; };

void main() {
    uint value = words[gl_GlobalInvocationID.x];
    for (uint k = 0; k < iterations; k++) {
        value = mix32(value + k);
    }
    words[gl_GlobalInvocationID.x] = value;
}
