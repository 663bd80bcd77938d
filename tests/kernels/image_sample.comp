// image_sample: fetches, and samples nearest with one combined and one separate sampler.
// Args:  binding 0 combined (sampler2D), 1 texture (texture2D), 2 sampler, 3 places (read, vec2 in
//        texels), 4 values (write, 3 words a place: fetched, combined, separate).
// Group: 32 x 1 x 1; ceil(count / 32) workgroups, push constants {uint count}.
#version 450

layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform usampler2D combined;
layout(set = 0, binding = 1) uniform utexture2D image;
layout(set = 0, binding = 2) uniform sampler how;
layout(set = 0, binding = 3, std430) readonly buffer places_block { vec2 places[]; };
layout(set = 0, binding = 4, std430) writeonly buffer values_block { uint values[]; };
layout(push_constant, std430) uniform push_block { uint count; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < count) {
        ivec2 size = textureSize(combined, 0);
        vec2 at = places[i] / vec2(size);
        values[3 * i] = texelFetch(combined, clamp(ivec2(floor(places[i])), ivec2(0), size - 1), 0).x;
        values[3 * i + 1] = textureLod(combined, at, 0.0).x;
        values[3 * i + 2] = textureLod(usampler2D(image, how), at, 0.0).x;
    }
}
