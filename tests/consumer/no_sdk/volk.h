/* Stands for a missing volk. */
#error a public header of isogrid includes volk
