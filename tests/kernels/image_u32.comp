// image_u32: words[i] = texel; texel = texel * 3 + x + 1000 * y, in a storage image of one uint.
// Args:  binding 0 image (read-write), 1 words (write).
// Group: 8 x 4 x 1; covers the image, which the kernel measures.
#version 450

layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D image;
layout(set = 0, binding = 1, std430) writeonly buffer words_block { uint words[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(image);
    if (at.x < size.x && at.y < size.y) {
        uint texel = imageLoad(image, at).x;
        words[at.y * size.x + at.x] = texel;
        imageStore(image, at, uvec4(texel * 3 + uint(at.x) + 1000 * uint(at.y)));
    }
}
