// Two phases with shared memory, all logical builtins and an early return.
#version 450
#extension GL_GOOGLE_include_directive : require
#define ISG_PHASES 2
#include <isogrid/phased.glsl>

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer data_block { uint data[]; };
layout(set = 0, binding = 1, std430) readonly buffer source_block { uint source[]; };
layout(push_constant) uniform push_block { uint count; float scale; };

shared uint partial[64];
uint tally = 7u;

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    tally += gl_WorkGroupID.y + gl_NumWorkGroups.z;
    partial[gl_LocalInvocationIndex] = source[i];
    barrier();
    switch (isg_phase()) {
    case 0:
        data[i] = partial[63u - gl_LocalInvocationIndex] + tally;
        break;
    case 1:
        data[i] += gl_WorkGroupID.x * 3u;
        break;
    }
}
