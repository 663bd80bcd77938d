// image_rgba8: swaps red and blue of each texel, inverts green; words hold what was read, times 255.
// Args:  binding 0 source (read), 1 target (write), 2 words (write, 4 a texel).
// Group: 8 x 4 x 1; covers the images, of one size.
#version 450

layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0, rgba8) readonly uniform image2D source;
layout(set = 0, binding = 1, rgba8) writeonly uniform image2D target;
layout(set = 0, binding = 2, std430) writeonly buffer words_block { uint words[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(source);
    if (at.x < size.x && at.y < size.y) {
        vec4 texel = imageLoad(source, at);
        int to = (at.y * size.x + at.x) * 4;
        for (int c = 0; c < 4; c++) {
            words[to + c] = uint(texel[c] * 255.0 + 0.5);
        }
        imageStore(target, at, vec4(texel.b, 1.0 - texel.g, texel.r, texel.a));
    }
}
