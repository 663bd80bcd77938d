// int_math: 24 results of 32-bit integer arithmetic for each pair of inputs; all are defined.
// Args:  binding 0 x (read), 1 y (read), 2 r (write, 24 words an element).
// Group: 64 x 1 x 1; 64 elements for each workgroup.
#version 450

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer x_block { uint x[]; };
layout(set = 0, binding = 1, std430) readonly buffer y_block { uint y[]; };
layout(set = 0, binding = 2, std430) writeonly buffer r_block { uint r[]; };

void main() {
    uint i = gl_GlobalInvocationID.x, at = i * 24;
    uint a = x[i], b = y[i], s = b & 31;
    int c = int(a), d = int(b);
    uint high, low, carry, borrow;
    umulExtended(a, b, high, low);
    r[at] = a + b;
    r[at + 1] = a - b;
    r[at + 2] = a * b;
    r[at + 3] = high;
    r[at + 4] = low;
    r[at + 5] = b == 0 ? 0 : a / b;
    r[at + 6] = b == 0 ? 0 : a % b;
    r[at + 7] = d == 0 || d == -1 ? 0 : uint(c / d);
    r[at + 8] = a << s;
    r[at + 9] = a >> s;
    r[at + 10] = uint(c >> int(s));
    r[at + 11] = (a & b) ^ (a | ~b);
    r[at + 12] = uint(min(c, d));
    r[at + 13] = max(a, b);
    r[at + 14] = uint(clamp(c, -1000, 1000));
    r[at + 15] = uint(bitCount(a));
    r[at + 16] = bitfieldReverse(a);
    r[at + 17] = uint(findMSB(a));
    r[at + 18] = uint(findLSB(a));
    r[at + 19] = bitfieldExtract(a, 5, 11);
    r[at + 20] = uint(bitfieldExtract(c, 3, 9));
    r[at + 21] = bitfieldInsert(a, b, 7, 13);
    r[at + 22] = uaddCarry(a, b, carry) + carry * 5;
    r[at + 23] = usubBorrow(a, b, borrow) + borrow * 3;
}
