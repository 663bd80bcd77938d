/* Stands for a missing Vulkan SDK. */
#error a public header of isogrid includes the Vulkan headers
