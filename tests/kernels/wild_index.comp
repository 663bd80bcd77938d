// wild_index: writes and reads where the push constants say, inside or outside.
// words[i + shift] = i + 1 and sum[0] = table[pick] + words[read] in the first invocation; table is an
// array of the kernel's own.
// Args:  binding 0 words (read-write), 1 sum (write), push constants {uint shift, read, pick}.
// Group: 64 x 1 x 1; one workgroup.
#version 450

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer words_block { uint words[]; };
layout(set = 0, binding = 1, std430) writeonly buffer sum_block { uint sum[1]; };
layout(push_constant, std430) uniform push_block {
    uint shift;
    uint read;
    uint pick;
};

void main() {
    uint i = gl_LocalInvocationIndex;
    uint table[4] = uint[4](10, 20, 30, 40);
    words[i + shift] = i + 1;
    if (i == 0) {
        sum[0] = table[pick] + (read == 0 ? 0 : words[read]);
    }
}
