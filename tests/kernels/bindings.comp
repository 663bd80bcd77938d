// bindings: every kind of buffer binding at once, in three sets.
// y[i] = x[i] * factor[i & 3] + many[0][i] + 2 * many[1][i] + 3 * many[2][i] + offset.w + deep[i]
// Args:  set 0 binding 7 x (read); set 1 binding 0 factors (uniform), 3 many[3] (read);
//        set 2 binding 1 deep (read), 5 y (write); push constants {uvec4 offset; uint count}.
// Group: 32 x 1 x 1; ceil(count / 32) workgroups.
#version 450

layout(local_size_x = 32) in;
layout(set = 0, binding = 7, std430) readonly buffer x_block {
    uint x[];
};
layout(set = 1, binding = 0, std140) uniform factor_block {
    uvec4 factor;
};
layout(set = 1, binding = 3, std430) readonly buffer many_block {
    uint values[];
} many[3];
layout(set = 2, binding = 1, std430) readonly buffer deep_block {
    uint deep[];
};
layout(set = 2, binding = 5, std430) writeonly buffer y_block {
    uint y[];
};
layout(push_constant, std430) uniform push_block {
    uvec4 offset;
    uint count;
};

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < count) {
        y[i] = x[i] * factor[i & 3] + many[0].values[i] + 2 * many[1].values[i] +
               3 * many[2].values[i] + offset.w + deep[i];
    }
}
