// int_edges: shifts by any count and divisions by any divisor, which isogrid defines.
// Args:  binding 0 pairs (read, 2 words each), 1 r (write, 8 words each).
// Group: 64 x 1 x 1; 64 pairs for each workgroup.
#version 450

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer in_block { uint pairs[]; };
layout(set = 0, binding = 1, std430) writeonly buffer r_block { uint r[]; };

void main() {
    uint i = gl_GlobalInvocationID.x, at = i * 8;
    uint a = pairs[2 * i], b = pairs[2 * i + 1];
    int c = int(a), d = int(b);
    r[at] = a << b;
    r[at + 1] = a >> b;
    r[at + 2] = uint(c >> d);
    r[at + 3] = a / b;
    r[at + 4] = a % b;
    r[at + 5] = uint(c / d);
    r[at + 6] = uint(c % d);
    r[at + 7] = a;
}
