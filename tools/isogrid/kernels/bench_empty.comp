#version 450
// bench_empty: nothing.
// Args:  none.
// Group: 1 x 1 x 1; any grid.
layout(local_size_x = 1) in;

void main() {}
