// A plain shader with most kinds of resource.
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0, std140) uniform parameters { mat4 transform; vec3 offsets[3]; float last; };
layout(set = 0, binding = 1, std430) writeonly buffer result_block { vec4 result[]; };
layout(set = 0, binding = 2, std430) buffer counter_block { uint counter; };
layout(set = 0, binding = 3, rgba8) uniform readonly image2D picture;
layout(set = 1, binding = 0) uniform sampler2D combined[4];
layout(set = 1, binding = 1) uniform texture2D separate;
layout(set = 1, binding = 2) uniform sampler sampling;
layout(set = 2, binding = 5, r32ui) uniform writeonly uimage3D volume;
layout(set = 2, binding = 6, std430) buffer unused_block { int unused[]; };
layout(constant_id = 10) const bool flag = true;
layout(constant_id = 11) const float gain = 0.5;
layout(constant_id = 12) const int limit = -4;
shared vec3 tile[16 * 3];

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 value = transform * imageLoad(picture, at);
    tile[gl_LocalInvocationIndex % 48] = value.xyz;
    barrier();
    value += textureLod(combined[2], vec2(0.5), 0.0);
    value += textureLod(sampler2D(separate, sampling), vec2(0.25), 0.0);
    if (flag && at.x > limit)
        value.xyz *= gain * dot(tile[0], offsets[1]);
    imageStore(volume, ivec3(at, 0), uvec4(1u));
    result[at.x] = value / last;
    atomicAdd(counter, 1u);
}
