// shared_words: fills shared memory and sums it. The tests change the 4099 words to other sizes.
// Args:  binding 0 sum (write), push constants {uint seed}.
// Group: 32 x 1 x 1; one workgroup.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "mix32.glsl"

layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std430) writeonly buffer sum_block { uint sum[32]; };
layout(push_constant, std430) uniform push_block { uint seed; uint count; };
shared uint words[4099];

void main() {
    uint l = gl_LocalInvocationIndex, total = 0;
    for (uint i = l; i < count; i += 32) {
        words[i] = mix32(i ^ seed);
    }
    barrier();
    for (uint i = (l + 7) % 32; i < count; i += 32) {
        total += words[i];
    }
    sum[l] = total;
}
