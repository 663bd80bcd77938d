// y[i] = a * x[i] + y[i]: the least float arithmetic there is.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer x_block { float x[]; };
layout(set = 0, binding = 1, std430) buffer y_block { float y[]; };
layout(push_constant) uniform push_block { float a; uint count; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < count)
        y[i] = a * x[i] + y[i];
}
