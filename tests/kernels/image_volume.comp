// image_volume: words[i] = texel of a 3D image of one uint; texel = ~texel.
// Args:  binding 0 image (read-write), 1 words (write).
// Group: 4 x 4 x 4; covers the image.
#version 450

layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;
layout(set = 0, binding = 0, r32ui) uniform uimage3D image;
layout(set = 0, binding = 1, std430) writeonly buffer words_block { uint words[]; };

void main() {
    ivec3 at = ivec3(gl_GlobalInvocationID), size = imageSize(image);
    if (all(lessThan(at, size))) {
        uint texel = imageLoad(image, at).x;
        words[(at.z * size.y + at.y) * size.x + at.x] = texel;
        imageStore(image, at, uvec4(~texel));
    }
}
