// reflect: one of each thing that reflection reports.
// Args:  set 0 binding 0 input_words (read), 1 output_words (write), 4 both (read-write);
//        set 1 binding 2 parameters (uniform), 3 many[3] (read-write); set 2 binding 0 unused;
//        push constants 24 bytes.
// Group: 8 x 4 x 1; shared 320 bytes.
#version 450

layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0, std430) readonly buffer input_block {
    uint input_head[4];
    uvec2 input_pairs[];
} input_words;
layout(set = 0, binding = 1, std430) writeonly buffer output_block {
    uint values[];
} output_words;
layout(set = 0, binding = 4, std430) buffer both_block {
    uvec4 fixed_part;
} both;
layout(set = 1, binding = 2, std140) uniform parameter_block {
    uvec4 first;
    uint second;
} parameters;
layout(set = 1, binding = 3, std430) buffer many_block {
    uint values[];
} many[3];
layout(push_constant, std430) uniform push_block {
    uvec4 p;
    uvec2 q;
};
shared uint scratch[80];

void main() {
    uint i = gl_LocalInvocationIndex;
    scratch[i] = input_words.input_head[i & 3] + input_words.input_pairs[i].y;
    barrier();
    output_words.values[i] = scratch[31 - i] + p.x + q.y;
    both.fixed_part.x += parameters.first.y + parameters.second;
    many[2].values[i] = many[1].values[i] + 1;
}
