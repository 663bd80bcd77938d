// control: loops, switches, early returns and nested branches that diverge between neighbours.
// Args:  binding 0 x (read), 1 r (write).
// Group: 64 x 1 x 1; 64 elements for each workgroup.
#version 450

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer x_block { uint x[]; };
layout(set = 0, binding = 1, std430) writeonly buffer r_block { uint r[]; };

uint collatz(uint n) {
    uint steps = 0;
    while (n > 1) {
        n = (n & 1) == 0 ? n / 2 : 3 * n + 1;
        steps++;
        if (steps == 100) {
            return 1000 + n;
        }
    }
    return steps;
}

uint choose(uint v) {
    uint sum = 0;
    for (uint k = 0; k < 20; k++) {
        switch ((v >> k) & 7) {
        case 0:
            continue;
        case 1:
        case 2:
            sum += k;
            break;
        case 3:
            if (sum > 50) {
                return sum * 3;
            }
            sum += 2;
            // falls through
        case 4:
            sum ^= 5;
            break;
        default:
            for (uint j = 0; j < k; j++) {
                if (j * j > sum) {
                    break;
                }
                sum += j;
            }
        }
    }
    return sum;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint v = x[i];
    if (v % 11 == 3) {
        r[i] = 0xabcd;
        return;
    }
    r[i] = collatz(v & 0xffff) * 65536 + choose(v);
}
