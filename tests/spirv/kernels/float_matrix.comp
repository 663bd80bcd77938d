// Matrix products and vector functions, results as bits.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer input_block { uint words[]; };
layout(set = 0, binding = 1, std430) writeonly buffer output_block { uint results[]; };
layout(push_constant) uniform push_block { uint count; };

const uint RESULTS = 64u;

uint bits(float v) { return isnan(v) ? 0x7fc00000u : floatBitsToUint(v); }
float value(uint i) { return uintBitsToFloat(words[i % count]); }

void put(inout uint at, vec4 v)
{
    for (uint k = 0u; k < 4u; k++)
        results[at++] = bits(v[k]);
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    mat4 m, n;
    for (uint c = 0u; c < 4u; c++) {
        for (uint r = 0u; r < 4u; r++) {
            m[c][r] = value(i + c * 5u + r * 3u);
            n[c][r] = value(i + c * 11u + r * 2u + 1u);
        }
    }
    vec4 v = vec4(value(i), value(i + 1u), value(i + 2u), value(i + 3u));
    vec4 w = vec4(value(i + 9u), value(i + 8u), value(i + 7u), value(i + 6u));
    uint at = i * RESULTS;
    put(at, m * v);
    put(at, v * m);
    mat4 product = m * n;
    put(at, product[0]);
    put(at, product[3]);
    mat4 outer = outerProduct(v, w);
    put(at, outer[2]);
    mat4 scaled = m * value(i + 4u);
    put(at, scaled[1]);
    put(at, (transpose(m) * v) + w);
    mat3x2 wide = mat3x2(v.x, v.y, v.z, w.x, w.y, w.z);
    vec2 small = wide * v.xyz;
    vec3 large = v.xy * wide;
    put(at, vec4(small, large.xy));
    put(at, mix(v, w, vec4(0.25, 0.5, 0.75, 1.0)));
    put(at, min(v, w) + max(v, w.yzwx));
    put(at, clamp(v, vec4(-1.0), vec4(2.0)));
    put(at, vec4(dot(v, w), dot(v.xyz, w.xyz), dot(v.xy, w.xy), 0.0));
    put(at, fract(v) + step(v, w));
    put(at, m[int(i & 3u)] - n[int(i & 1u)]);
    put(at, matrixCompMult(m, n)[2]);
    put(at, -v * w);
}
