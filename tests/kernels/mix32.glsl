// mix32: a 32-bit hash, the same as conform_mix32() on the host.
#ifndef MIX32_GLSL
#define MIX32_GLSL

uint mix32(uint value) {
    value ^= value >> 16;
    value *= 0x7feb352du;
    value ^= value >> 15;
    value *= 0x846ca68bu;
    value ^= value >> 16;
    return value;
}

#endif
