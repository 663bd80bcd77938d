// struct_echo_wide: field report 59: {u32, f32[3], f32, u64, u32, vec2, u16} echoed field by field.
// Args:  binding 0 source (read), 1 target (write): an array of two such structs.
// Group: 2 x 1 x 1; one workgroup.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require

layout(local_size_x = 2) in;
struct fields {
    uint a;
    float b[3];
    float c;
    uint64_t d;
    uint e;
    vec2 f;
    uint16_t g;
};
layout(set = 0, binding = 0, std430) readonly buffer source_block {
    fields source[2];
};
layout(set = 0, binding = 1, std430) writeonly buffer target_block {
    fields target[2];
};

void main() {
    uint i = gl_LocalInvocationIndex;
    target[i].a = source[i].a;
    target[i].b[0] = source[i].b[0];
    target[i].b[1] = source[i].b[1];
    target[i].b[2] = source[i].b[2];
    target[i].c = source[i].c;
    target[i].d = source[i].d + 1ul;
    target[i].e = source[i].e;
    target[i].f = source[i].f;
    target[i].g = source[i].g;
}
