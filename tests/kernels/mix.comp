// mix: words[i] = mix32(i ^ seed). The smallest dispatch that shows that a device works.
// Args:  binding 0 words (write), push constants {uint seed}.
// Group: 64 x 1 x 1; one workgroup for each 64 words.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "mix32.glsl"

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) writeonly buffer words_block {
    uint words[];
};
layout(push_constant, std430) uniform push_block {
    uint seed;
};

void main() {
    uint i = gl_GlobalInvocationID.x;
    words[i] = mix32(i ^ seed);
}
