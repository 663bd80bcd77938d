// nothing: a kernel without any argument.
// Args:  none.
// Group: 1 x 1 x 1; any grid.
#version 450

layout(local_size_x = 1) in;

void main() {
}
