// Integer operations where they are undefined for some operands.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer input_block { uint words[]; };
layout(set = 0, binding = 1, std430) writeonly buffer output_block { uint results[]; };
layout(push_constant) uniform push_block { uint count; };

const uint RESULTS = 24u;

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    uint a = words[i];
    uint b = words[(i * 7u + 3u) % count];
    uint s = b >> 27 | (a & 0x60u);
    int x = int(a);
    int y = int(b);
    int d = (a & 3u) == 0u ? 0 : (a & 3u) == 1u ? -1 : y;
    if ((a & 12u) == 0u)
        x = int(0x80000000u);
    uint at = i * RESULTS;
    results[at++] = a << s;
    results[at++] = a >> s;
    results[at++] = uint(x >> s);
    results[at++] = a << 5;
    results[at++] = uint(x >> 31);
    results[at++] = a / uint(d);
    results[at++] = a % uint(d);
    results[at++] = uint(x / d);
    results[at++] = uint(x % d);
    results[at++] = a / 7u;
    results[at++] = a % 7u;
    results[at++] = uint(x / 3);
    results[at++] = uint(x % 3);
    results[at++] = uint(x / -1);
    results[at++] = uint(x % -1);
    uvec4 v = uvec4(a, b, s, i) << uvec4(s, i, a & 63u, 40u);
    results[at++] = v.x;
    results[at++] = v.y;
    results[at++] = v.z;
    results[at++] = v.w;
    ivec2 q = ivec2(x, y) / ivec2(d, y & 1);
    results[at++] = uint(q.x);
    results[at++] = uint(q.y);
    results[at++] = uint(bitCount(a) + findMSB(b) + findLSB(a));
    results[at++] = a * b + (a ^ b);
    results[at++] = uint(abs(x) + sign(y) + min(x, y));
}
