// image_mix: target = source read by imageLoad + the texel left of it read by a sampler; also
// counted into sums[].
// Args:  set 0 binding 0 source (storage image, r32ui), 1 target (storage image, r32ui);
//        set 1 binding 0 source again (sampled image), 1 a nearest, clamping sampler,
//        2 source again (combined); set 2 binding 0 sums (read-write), one word a row.
// Group: 8 x 8 x 1; whole images, sides multiples of 8.
#version 450

layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, r32ui) readonly uniform uimage2D source;
layout(set = 0, binding = 1, r32ui) writeonly uniform uimage2D target;
layout(set = 1, binding = 0) uniform utexture2D source_texture;
layout(set = 1, binding = 1) uniform sampler nearest;
layout(set = 1, binding = 2) uniform usampler2D source_combined;
layout(set = 2, binding = 0, std430) buffer sums_block {
    uint sums[];
};

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec2 size = vec2(imageSize(source));
    uint here = imageLoad(source, at).x;
    uint left = textureLod(usampler2D(source_texture, nearest), (vec2(at) - vec2(0.5, -0.5)) / size,
                           0.0).x;
    uint same = texelFetch(source_combined, at, 0).x;
    imageStore(target, at, uvec4(here + left + same, 0, 0, 0));
    atomicAdd(sums[at.y], here);
}
