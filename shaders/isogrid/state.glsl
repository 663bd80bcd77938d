// isogrid's own buffer, at set 3, binding 0: the dispatch header. src/spirv/spirv.h has the same.
// Included by the other files of the device library; kernels use their functions.
#ifndef ISG_STATE_GLSL
#define ISG_STATE_GLSL

layout(set = 3, binding = 0, std430) buffer isg_state_block {
    uint phase;       // the phase to run
    uint round;       // how often the list of phases has been run before
    uint phase_count; // phases of the kernel
    uint round_count; // rounds of the dispatch
    uint grid[3];     // logical grid, in workgroups
    uint flags;
    uint reserved[8];
} isg_state;

#endif
