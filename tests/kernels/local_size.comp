// local_size: each invocation of one workgroup marks its place. The tests change the size.
// Args:  binding 0 words (write): words[local index] = local id packed in 10 bits each.
// Group: 5 x 7 x 11; one workgroup.
#version 450

layout(local_size_x = 5, local_size_y = 7, local_size_z = 11) in;
layout(set = 0, binding = 0, std430) writeonly buffer words_block { uint words[]; };

void main() {
    words[gl_LocalInvocationIndex] =
        gl_LocalInvocationID.x | gl_LocalInvocationID.y << 10 | gl_LocalInvocationID.z << 20;
}
