// Phased kernels: a list of phases with a grid sync between any two.
//
//   #version 450
//   #extension GL_GOOGLE_include_directive : require
//   #define ISG_PHASES 2
//   #include <isogrid/phased.glsl>
//   ...
//   void main() {
//       switch (isg_phase()) {
//       case 0: ... break; // everything written here, in any workgroup,
//       case 1: ... break; // is seen here
//       }
//   }
//
// main() runs once for each workgroup and phase; nothing private or shared survives from one phase
// to the next, buffers do. gl_WorkGroupID, gl_NumWorkGroups and gl_GlobalInvocationID are those of
// the grid that was asked for, in every plan. isg_phase() is the same in all invocations.
#ifndef ISG_PHASED_GLSL
#define ISG_PHASED_GLSL

#ifndef ISG_PHASES
#error define ISG_PHASES as the number of phases, 1 to 32, before including isogrid/phased.glsl
#elif ISG_PHASES < 1 || ISG_PHASES > 32
#error ISG_PHASES must be 1 to 32
#endif

#include <isogrid/state.glsl>

// The kernel's sync class, phased (1), and its phase count, where reflection finds them. It has to
// be used to survive optimisers: isg_phase() does.
layout(constant_id = 2040) const uint isg_sync_class = 0x100u | uint(ISG_PHASES);

// The phase to run: 0 to ISG_PHASES - 1.
//
// Ownership: none.
// Threads:   any invocation, any time; uniform over the grid.
// Errors:    none.
// Cost:      none: each plan makes it a constant or a register.
// Since:     0.1
uint isg_phase() {
    return min(isg_state.phase, (isg_sync_class & 0xffu) - 1u);
}

// How often the list of phases has been run before in this dispatch: 0 to isg_round_count() - 1.
//
// Ownership: none.
// Threads:   any invocation, any time; uniform over the grid.
// Errors:    none.
// Cost:      one load.
// Since:     0.1
uint isg_round() {
    return isg_state.round;
}

// The rounds that the host asked for.
//
// Ownership: none.
// Threads:   any invocation, any time; uniform over the grid.
// Errors:    none.
// Cost:      one load.
// Since:     0.1
uint isg_round_count() {
    return isg_state.round_count;
}

#endif
