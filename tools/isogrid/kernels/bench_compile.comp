#version 450
// bench_compile: something a compiler has to work on; the benchmark replaces one constant, so that
// no cache of the driver's own knows the module.
// Args:  binding 0 data (read-write), 256 elements a workgroup.
// Group: 256 x 1 x 1; any grid in x.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) buffer data_block { uint data[]; };

shared uint tile[256];

uint mix_bits(uint x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

void main() {
    const uint at = gl_GlobalInvocationID.x, lane = gl_LocalInvocationID.x;
    uint x = data[at] ^ 0x5eed5eedu;

    for (uint turn = 0; turn < 8; turn++) {
        tile[lane] = mix_bits(x + turn);
        barrier();
        x += tile[(lane + turn * 17u) & 255u];
        for (uint step = 1; step < 256; step <<= 1) {
            if ((lane & step) != 0) {
                x = mix_bits(x ^ tile[lane ^ step]);
            }
        }
        barrier();
    }
    data[at] = x;
}
