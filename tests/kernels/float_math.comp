// float_math: 32 results of 32-bit float arithmetic for each triple of inputs, as bits. All of it has
// the same bits on every device: denormals are zeros, nothing is contracted.
// Args:  binding 0 triples (read, 3 floats each), 1 r (write, 32 words each).
// Group: 64 x 1 x 1; 64 triples for each workgroup.
#version 450

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer in_block { float triples[]; };
layout(set = 0, binding = 1, std430) writeonly buffer r_block { uint r[]; };

uint bits(float x) {
    return floatBitsToUint(x);
}

void main() {
    uint i = gl_GlobalInvocationID.x, at = i * 32;
    float a = triples[3 * i], b = triples[3 * i + 1], c = triples[3 * i + 2];
    r[at] = bits(a + b);
    r[at + 1] = bits(a - b);
    r[at + 2] = bits(a * b);
    r[at + 3] = bits(fma(a, b, c));
    r[at + 4] = bits(a * b + c);
    r[at + 5] = bits((a + b) * (a - b));
    r[at + 6] = bits(-a);
    r[at + 7] = bits(abs(a));
    r[at + 8] = bits(min(a, b));
    r[at + 9] = bits(max(a, b));
    r[at + 10] = bits(clamp(a, b, c));
    r[at + 11] = bits(mix(a, b, c));
    r[at + 12] = bits(floor(a));
    r[at + 13] = bits(ceil(a));
    r[at + 14] = bits(trunc(a));
    r[at + 15] = bits(roundEven(a));
    r[at + 16] = bits(fract(a));
    r[at + 17] = bits(sign(a));
    r[at + 18] = bits(step(a, b));
    r[at + 19] = (a < b ? 1 : 0) | (a <= b ? 2 : 0) | (a > b ? 4 : 0) | (a >= b ? 8 : 0) |
                 (a == b ? 16 : 0) | (a != b ? 32 : 0) | (isnan(a) ? 64 : 0) | (isinf(a) ? 128 : 0);
    r[at + 20] = uint(int(a));
    r[at + 21] = uint(a);
    r[at + 22] = bits(float(int(bits(a))));
    r[at + 23] = bits(float(bits(a)));
    r[at + 24] = bits(a * 0.5);
    r[at + 25] = bits(a + a);
    r[at + 26] = bits(a * 1.0);
    r[at + 27] = bits(a + 0.0);
    r[at + 28] = bits(a * 3.0 + a * 5.0);
    r[at + 29] = bits(a * b - b * a);
    r[at + 30] = bits(a);
    r[at + 31] = bits(a * b * c);
}
