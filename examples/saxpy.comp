// saxpy: y[i] = a * x[i] + y[i] for i < count.
// Args:  binding 0 x (read), binding 1 y (read-write), push constants {float a; uint count}.
// Group: 256 x 1 x 1; ceil(count / 256) workgroups. Any count >= 1.
#version 450

layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer x_block { float x[]; };
layout(set = 0, binding = 1, std430) buffer y_block { float y[]; };
layout(push_constant, std430) uniform push_block { float a; uint count; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < count) {
        y[i] = a * x[i] + y[i];
    }
}
