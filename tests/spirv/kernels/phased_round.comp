// Three phases that read the round, with a workgroup size by specialisation constants.
#version 450
#extension GL_GOOGLE_include_directive : require
#define ISG_PHASES 3
#include <isogrid/phased.glsl>

layout(local_size_x_id = 1, local_size_y_id = 2) in;
layout(constant_id = 3) const uint factor = 5u;
layout(set = 1, binding = 2, std430) buffer data_block { uvec4 head; uint data[]; };

uint place() { return gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * 100u; }

void main()
{
    uvec3 id = gl_GlobalInvocationID;
    for (uint k = 0u; k < 4u; k++) {
        if (isg_phase() == 2u)
            data[place()] += id.z * factor;
        else
            data[place()] += isg_round() * (isg_phase() + 1u);
    }
    if (isg_round() + 1u == isg_round_count())
        head.x = gl_NumWorkGroups.x;
}
