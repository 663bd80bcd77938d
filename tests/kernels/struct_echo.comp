// struct_echo: copies arguments field by field, through three layouts.
// Args:  binding 0 source (read), 1 target (write), 2 triples (read, 12 bytes each), 3 flat (write),
//        4 uniform twin of source, push constants: the same block again.
// Group: 1 x 1 x 1; one workgroup.
#version 450

layout(local_size_x = 1) in;
struct fields {
    uint a;
    float b[3];
    float c;
    uint d;
    vec2 e;
    vec3 f;
    float g;
    mat2 h;
    uint i;
};
struct triple {
    float x, y, z;
};
layout(set = 0, binding = 0, std430) readonly buffer source_block {
    fields source;
};
layout(set = 0, binding = 1, std430) writeonly buffer target_block {
    fields target[3];
};
layout(set = 0, binding = 2, std430) readonly buffer triples_block {
    triple triples[];
};
layout(set = 0, binding = 3, std430) writeonly buffer flat_block {
    float values[];
};
layout(set = 0, binding = 4, std140) uniform uniform_block {
    fields uniform_source;
};
layout(push_constant, std430) uniform push_block {
    fields push_source;
};

void copy(uint to, fields from) {
    target[to].a = from.a;
    target[to].b[0] = from.b[0];
    target[to].b[1] = from.b[1];
    target[to].b[2] = from.b[2];
    target[to].c = from.c;
    target[to].d = from.d;
    target[to].e = from.e;
    target[to].f = from.f;
    target[to].g = from.g;
    target[to].h = from.h;
    target[to].i = from.i;
}

void main() {
    copy(0, source);
    copy(1, uniform_source);
    copy(2, push_source);
    for (uint k = 0; k < 5; k++) {
        values[3 * k] = triples[k].x;
        values[3 * k + 1] = triples[k].y;
        values[3 * k + 2] = triples[k].z;
    }
}
