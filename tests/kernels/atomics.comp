// atomics: what does not depend on the order of integer atomics, in a buffer and in shared memory.
// Args:  binding 0 x (read), 1 r (read-write): [0] sum, [1] min, [2] max, [3] xor, [4] or, [5] and,
//        [6] the sum by compare-and-swap, [7] sum of tickets, [8] to [23] histogram of x & 15.
// Group: 128 x 1 x 1; 128 elements for each workgroup.
#version 450

layout(local_size_x = 128) in;
layout(set = 0, binding = 0, std430) readonly buffer x_block { uint x[]; };
layout(set = 0, binding = 1, std430) buffer r_block { uint r[]; };
shared uint bins[16];

void main() {
    uint value = x[gl_GlobalInvocationID.x];
    if (gl_LocalInvocationIndex < 16) {
        bins[gl_LocalInvocationIndex] = 0;
    }
    barrier();
    atomicAdd(bins[value & 15], 1);
    atomicAdd(r[0], value);
    atomicMin(r[1], value);
    atomicMax(r[2], value);
    atomicXor(r[3], value);
    atomicOr(r[4], value & 0x00ff00ff);
    atomicAnd(r[5], value | 0xff00ff00);
    atomicAdd(r[7], 1);
    uint seen = 0;
    for (uint k = 0; k < 30000; k++) {
        uint before = atomicCompSwap(r[6], seen, seen + (value & 0xff));
        if (before == seen) {
            break;
        }
        seen = before;
    }
    barrier();
    if (gl_LocalInvocationIndex < 16) {
        atomicAdd(r[8 + gl_LocalInvocationIndex], bins[gl_LocalInvocationIndex]);
    }
}
