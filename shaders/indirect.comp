// indirect: checks the workgroup counts of an indirect dispatch and writes what the driver may see.
// Args:  binding 0 source (read), binding 1 state (read-write), binding 2 faults (read-write); push
//        constants as below, offsets and strides in 32-bit words.
// Group: 64 x 1 x 1; one workgroup.
#version 450

layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) readonly buffer source_block {
    uint source[];
};
layout(set = 0, binding = 1, std430) buffer state_block {
    uint state[];
};
layout(set = 0, binding = 2, std430) buffer faults_block {
    uint faults[];
};
layout(push_constant, std430) uniform push_block {
    uint source_at;     // three counts
    uint args_at;       // in state: the counts to dispatch, and at + 4 the counts asked for
    uint header_at;     // in state: headers whose grid is to be written, at + 4
    uint header_stride;
    uint header_count;
    uint again;         // take the counts from args_at + 4
    uint fault_at;      // in faults: failures ever, whether the last run failed, three counts
    uint looped_limit;  // 0: a plain kernel. Else workgroups to dispatch at most
    uint limit_x;       // of a plain kernel
    uint limit_y;
    uint limit_z;
};

// min(x * y * z, UINT_MAX); `over` tells whether the product passes 64 bits.
uint volume(uvec3 counts, out bool over) {
    uint high = 0;
    uint low = 0;
    uint carry_low = 0;
    uint product_low = 0;
    uint top = 0;
    uint middle = 0;
    umulExtended(counts.x, counts.y, high, low);
    umulExtended(low, counts.z, carry_low, product_low);
    umulExtended(high, counts.z, top, middle);
    uint carry = 0;
    uint upper = uaddCarry(middle, carry_low, carry);
    over = top != 0 || carry != 0;
    return upper != 0 || over ? 0xffffffffu : product_low;
}

void main() {
    uvec3 counts;
    if (again != 0) {
        counts = uvec3(state[args_at + 4], state[args_at + 5], state[args_at + 6]);
    } else {
        counts = uvec3(source[source_at], source[source_at + 1], source[source_at + 2]);
    }
    bool over = false;
    uvec3 physical = counts;
    bool empty = counts.x == 0 || counts.y == 0 || counts.z == 0;
    if (looped_limit != 0) {
        physical = uvec3(min(volume(counts, over), looped_limit), 1, 1);
    } else {
        over = counts.x > limit_x || counts.y > limit_y || counts.z > limit_z;
    }
    over = over && !empty;
    for (uint i = gl_LocalInvocationIndex; i < header_count; i += 64) {
        uint at = header_at + i * header_stride + 4;
        state[at] = counts.x;
        state[at + 1] = counts.y;
        state[at + 2] = counts.z;
    }
    if (gl_LocalInvocationIndex != 0 || again != 0) {
        return;
    }
    if (over || empty) {
        physical = uvec3(0);
    }
    state[args_at] = physical.x;
    state[args_at + 1] = physical.y;
    state[args_at + 2] = physical.z;
    state[args_at + 4] = counts.x;
    state[args_at + 5] = counts.y;
    state[args_at + 6] = counts.z;
    faults[fault_at + 1] = over ? 1 : 0;
    if (over) {
        faults[fault_at] = faults[fault_at] + 1;
        faults[fault_at + 2] = counts.x;
        faults[fault_at + 3] = counts.y;
        faults[fault_at + 4] = counts.z;
    }
}
