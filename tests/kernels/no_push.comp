// no_push: words[i] = i * i; a kernel without push constants.
// Args:  binding 0 words (write).
// Group: 1 x 1 x 1; one workgroup for each word.
#version 450

layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) writeonly buffer words_block {
    uint words[];
};

void main() {
    uint i = gl_GlobalInvocationID.x;
    words[i] = i * i;
}
