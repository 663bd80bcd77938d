#version 450
// bench_round_plain: the same work as bench_round's phase, for the hand-written peer.
// Args:  binding 0 data (read-write), 64 elements a workgroup.
// Group: 64 x 1 x 1; any grid in x.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer data_block { uint data[]; };

void main() {
    data[gl_GlobalInvocationID.x] += 1u;
}
