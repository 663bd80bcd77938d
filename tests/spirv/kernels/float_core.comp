// Core float arithmetic over raw bits: every operation of the exactness pass, results as bits.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer input_block { uint words[]; };
layout(set = 0, binding = 1, std430) writeonly buffer output_block { uint results[]; };
layout(push_constant) uniform push_block { uint count; };

const uint RESULTS = 48u;

uint bits(float v) { return isnan(v) ? 0x7fc00000u : floatBitsToUint(v); }

float local_sum(float a, float b)
{
    float sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum = sum * a + b;
    return sum;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    float a = uintBitsToFloat(words[i]);
    float b = uintBitsToFloat(words[(i * 7u + 3u) % count]);
    float c = uintBitsToFloat(words[(i * 13u + 5u) % count]);
    uint at = i * RESULTS;
    results[at++] = bits(a + b);
    results[at++] = bits(a - b);
    results[at++] = bits(a * b);
    results[at++] = bits(a * b + c);
    results[at++] = bits(fma(a, b, c));
    results[at++] = bits(-a);
    results[at++] = bits(-(a * b));
    results[at++] = bits(abs(a));
    results[at++] = bits(sign(a));
    results[at++] = bits(floor(a));
    results[at++] = bits(ceil(a));
    results[at++] = bits(trunc(a));
    results[at++] = bits(round(a));
    results[at++] = bits(roundEven(a));
    results[at++] = bits(fract(a));
    results[at++] = bits(min(a, b));
    results[at++] = bits(max(a, b));
    results[at++] = bits(clamp(a, b, c));
    results[at++] = bits(mix(a, b, c));
    results[at++] = bits(step(a, b));
    results[at++] = bits(radians(a));
    results[at++] = bits(degrees(a));
    results[at++] = bits(dot(vec2(a, b), vec2(b, c)));
    results[at++] = bits(dot(vec3(a, b, c), vec3(c, a, b)));
    results[at++] = bits(dot(vec4(a, b, c, a), vec4(b, c, a, b)));
    vec3 crossed = cross(vec3(a, b, c), vec3(b, c, a));
    results[at++] = bits(crossed.x);
    results[at++] = bits(crossed.y);
    vec2 reflected = reflect(vec2(a, b), vec2(c, a));
    results[at++] = bits(reflected.y);
    vec2 faced = faceforward(vec2(a, b), vec2(c, a), vec2(b, b));
    results[at++] = bits(faced.x);
    results[at++] = bits(length(a));
    results[at++] = bits(distance(a, b));
    results[at++] = (a < b ? 1u : 0u) | (a <= b ? 2u : 0u) | (a > b ? 4u : 0u) |
                    (a >= b ? 8u : 0u) | (a == b ? 16u : 0u) | (a != b ? 32u : 0u) |
                    (isnan(a) ? 64u : 0u) | (isinf(a) ? 128u : 0u);
    results[at++] = uint(a);
    results[at++] = uint(int(a));
    results[at++] = bits(local_sum(a, b));
    float whole;
    results[at++] = bits(modf(a, whole));
    results[at++] = bits(whole);
    results[at++] = bits(a * 3.0 + a * 5.0);
    results[at++] = bits(a * 1e-40);
    results[at++] = bits(i > 5u ? a : b);
    vec4 scaled = vec4(a, b, c, a) * b;
    results[at++] = bits(scaled.z);
    results[at++] = bits((a + b) - b);
    results[at++] = bits(a * 0.0);
    results[at++] = bits(a - a);
    results[at++] = bits(a + 0.0);
    results[at++] = bits(a * 1.0);
    results[at++] = bits(float(int(words[i])));
    results[at++] = bits(float(words[i]));
}
