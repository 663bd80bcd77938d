// constants: shows each specialisation constant, and the workgroup size that three of them set.
// Args:  binding 0 words (write): bool, int, uint, float bits, workgroup size x, y, z, invocations.
// Group: set by constants 20, 21, 22 (4 x 2 x 1); one workgroup.
#version 450

layout(constant_id = 3) const bool flag = true;
layout(constant_id = 5) const int level = -7;
layout(constant_id = 6) const uint count = 11;
layout(constant_id = 9) const float scale = 0.5;
layout(local_size_x_id = 20, local_size_y_id = 21, local_size_z_id = 22) in;
layout(local_size_x = 4, local_size_y = 2, local_size_z = 1) in;
layout(set = 0, binding = 0, std430) buffer words_block {
    uint words[8];
};

void main() {
    if (gl_LocalInvocationIndex == 0) {
        words[0] = flag ? 1 : 0;
        words[1] = uint(level);
        words[2] = count;
        words[3] = floatBitsToUint(scale);
        words[4] = gl_WorkGroupSize.x;
        words[5] = gl_WorkGroupSize.y;
        words[6] = gl_WorkGroupSize.z;
    }
    atomicAdd(words[7], 1);
}
