// affine: y[i] = m * x[i] + y[i] + i for i < count.
// Args:  binding 0 x (read), 1 y (read-write), push constants {uint m; uint count}.
// Group: 64 x 1 x 1; ceil(count / 64) workgroups. Any count.
#version 450

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer x_block {
    uint x[];
};
layout(set = 0, binding = 1, std430) buffer y_block {
    uint y[];
};
layout(push_constant, std430) uniform push_block {
    uint m;
    uint count;
};

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < count) {
        y[i] = m * x[i] + y[i] + i;
    }
}
