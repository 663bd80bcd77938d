// push_words: words[i] = pushed[i]. The tests change the 33 to get blocks of other sizes.
// Args:  binding 0 words (write), push constants {uint pushed[33]}.
// Group: 1 x 1 x 1; one workgroup for each word.
#version 450

layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) writeonly buffer words_block {
    uint words[];
};
layout(push_constant, std430) uniform push_block {
    uint pushed[33];
};

void main() {
    uint i = gl_GlobalInvocationID.x;
    words[i] = pushed[i];
}
