// One phase; the phase is read, nothing else of isogrid's buffer.
#version 450
#extension GL_GOOGLE_include_directive : require
#define ISG_PHASES 1
#include <isogrid/phased.glsl>
layout(local_size_x = 8, local_size_y = 4, local_size_z = 2) in;
layout(set = 0, binding = 0, std430) buffer data_block { uint data[]; };
void main()
{
    if (isg_phase() == 0u)
        atomicAdd(data[gl_LocalInvocationIndex], 1u);
}
