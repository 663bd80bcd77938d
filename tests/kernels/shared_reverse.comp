// shared_reverse: out[group][i] = in[group][255 - i] + the group's sum, through shared memory.
// Args:  binding 0 in (read), 1 out (write).
// Group: 256 x 1 x 1; 256 elements for each workgroup.
#version 450

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer in_block { uint source[]; };
layout(set = 0, binding = 1, std430) writeonly buffer out_block { uint target[]; };
shared uint values[256];
shared uint sums[256];

void main() {
    uint i = gl_LocalInvocationIndex, at = gl_WorkGroupID.x * 256;
    values[i] = source[at + i];
    sums[i] = values[i];
    for (uint step = 128; step > 0; step >>= 1) {
        barrier();
        if (i < step) {
            sums[i] += sums[i + step];
        }
    }
    barrier();
    target[at + i] = values[255 - i] + sums[0];
}
