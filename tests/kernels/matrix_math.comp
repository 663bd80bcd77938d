// matrix_math: dot and matrix products, whose order of additions is fixed: from the left.
// Args:  binding 0 in (read, 36 floats each: two 4 x 4 matrices by columns, one vector),
//        1 r (write, 48 floats each).
// Group: 32 x 1 x 1; 32 elements for each workgroup.
#version 450

layout(local_size_x = 32) in;
struct element {
    mat4 a, b;
    vec4 v;
};
struct result {
    mat4 product;
    vec4 right, left, outer, scaled;
    vec4 mirrored;
    vec4 crossed;
    vec4 dots;
    vec4 mixed;
};
layout(set = 0, binding = 0, std430) readonly buffer in_block { element elements[]; };
layout(set = 0, binding = 1, std430) writeonly buffer r_block { result results[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    mat4 a = elements[i].a, b = elements[i].b;
    vec4 v = elements[i].v;
    results[i].product = a * b;
    results[i].right = a * v;
    results[i].left = v * a;
    results[i].outer = outerProduct(a[0], v)[2];
    results[i].scaled = (a * v.y)[1] + v * v.z;
    results[i].mirrored = reflect(a[1], v);
    results[i].crossed = vec4(cross(a[2].xyz, v.xyz), 1.0);
    results[i].dots = vec4(dot(a[0], v), dot(b[1].xyz, v.xyz), dot(a[2].xy, v.zw), dot(v, v));
    results[i].mixed = mix(a[0], b[0], v);
}
