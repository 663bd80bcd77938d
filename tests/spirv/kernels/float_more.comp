// The functions with division, roots and transcendentals, and branches around phis.
#version 450
layout(local_size_x_id = 7) in;
layout(constant_id = 8) const float gain = 1.5;
layout(set = 0, binding = 0, std430) buffer data_block { vec4 data[]; };
layout(set = 0, binding = 1, std140) uniform settings { mat3 basis; mat2x4 narrow[2]; float eta; };

struct particle { vec3 position; float mass; mat2 spin; };
shared particle cache[8];
shared float totals[8];

particle make(vec4 v)
{
    particle p;
    p.position = v.xyz * basis;
    p.mass = v.w;
    p.spin = mat2(v.xyzw);
    return p;
}

void move(inout particle p, out float energy)
{
    p.position += normalize(p.position) * p.mass;
    energy = length(p.position) + distance(p.position, vec3(eta));
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 v = data[i];
    particle p = make(v);
    float energy;
    move(p, energy);
    cache[i & 7u] = p;
    totals[i & 7u] = energy;
    barrier();
    p = cache[(i + 1u) & 7u];
    float x = totals[(i + 2u) & 7u];
    float y = i > 3u ? x : v.x;
    for (int k = 0; k < 4; k++)
        y = y * 0.5 + (k > 1 ? v.y : x);
    vec3 r = refract(p.position, normalize(v.xyz), eta);
    r += smoothstep(vec3(0.0), vec3(1.0), v.xyz);
    r = mod(r, vec3(3.0)) + pow(abs(v.xyz), vec3(2.0)) + sin(v.xyz) + exp2(v.yzx) + log(abs(v.zxy));
    r += sqrt(abs(v.xyz)) + inversesqrt(abs(v.zyx) + 1.0) + atan(v.xyz, v.yzx);
    int e;
    float m = frexp(v.w, e);
    r.x += ldexp(m, e + 1) + determinant(basis) + inverse(p.spin)[0].x;
    r.y += (narrow[i & 1u] * p.spin)[0].z / gain;
    r.z += unpackHalf2x16(packHalf2x16(v.xy)).y + unpackUnorm4x8(packUnorm4x8(v)).z;
    data[i] = vec4(r, y);
}
