/* What the files of the exactness pass share. docs/exactness.md has the rules they make true. */
#ifndef ISOGRID_SPIRV_EXACT_H
#define ISOGRID_SPIRV_EXACT_H

#include "spirv/module.h"

/* What is known of an id's 32-bit floats. */
enum {
    ISG_SPIRV_HAS_FLOAT = 1, /* a type that holds some, or a value of one */
    ISG_SPIRV_SMALL = 2,     /* may hold denormals; of a variable: its memory may */
    ISG_SPIRV_WANTED = 4,    /* an operation needs it without denormals */
};

typedef struct isg_spirv_exact {
    const isg_spirv_module *module;
    isg_spirv_editor editor;
    bool explicit_flush; /* operands that may be denormal must be flushed by code */
    bool flush_results;  /* and results: the device's arithmetic keeps denormals */
    bool keep_denormals; /* the kernel asked for them: no flushing at all */
    uint8_t *facts;      /* owned, id_count */
    uint32_t *roots;     /* owned, id_count: the variable or parameter a pointer comes from */
    uint32_t *flushed;   /* owned, id_count: the id of the flushed value; 0: none yet */
    uint32_t *pending;   /* owned, id_count: values to flush where the block's code starts */
    uint32_t pending_count;
    bool bitwise;  /* the instruction at hand passes denormals on */
    uint32_t glsl; /* GLSL.std.450; 0: not imported */
} isg_spirv_exact;

/* Fills facts and roots (exact_flow.c). */
void isg_spirv_exact_flow(isg_spirv_exact *exact);

/* The operation reads or makes floats as numbers, not as bits. */
bool isg_spirv_exact_is_arithmetic(const isg_spirv_exact *exact, const uint32_t *inst);
/* It would pass a denormal on even on devices that flush. */
bool isg_spirv_exact_is_bitwise(const isg_spirv_exact *exact, const uint32_t *inst);

/* ---- values (exact_value.c) --------------------------------------------------------------------- */

/* Components of a scalar or vector type: 1 to 4; 0: neither. */
uint32_t isg_spirv_exact_count(const isg_spirv_exact *exact, uint32_t type);
uint32_t isg_spirv_exact_scalar(const isg_spirv_exact *exact, uint32_t type);
/* Width of a float scalar or vector type; 0: none. */
uint32_t isg_spirv_exact_float_width(const isg_spirv_exact *exact, uint32_t type);
/* `scalar` in the shape of `type`: itself, or a vector of as many components. */
uint32_t isg_spirv_exact_shape(isg_spirv_exact *exact, uint32_t scalar, uint32_t type);
/* A float constant of the type, in every component. */
uint32_t isg_spirv_exact_constant(isg_spirv_exact *exact, uint32_t type, double value);
/* The value `id` of an operand as arithmetic sees it: flushed where that needs code. */
uint32_t isg_spirv_exact_operand(isg_spirv_exact *exact, uint32_t id);
/* `value` with denormals as zeros of their sign. */
uint32_t isg_spirv_exact_flush(isg_spirv_exact *exact, uint32_t type, uint32_t value,
                               uint32_t result);
/* One exact operation: not contracted, its result flushed where that needs code. */
uint32_t isg_spirv_exact_two(isg_spirv_exact *exact, SpvOp op, uint32_t type, uint32_t result,
                             uint32_t a, uint32_t b);
uint32_t isg_spirv_exact_extract(isg_spirv_exact *exact, uint32_t type, uint32_t value,
                                 uint32_t index);
uint32_t isg_spirv_exact_splat(isg_spirv_exact *exact, uint32_t type, uint32_t scalar);
/* One instruction of GLSL.std.450. */
uint32_t isg_spirv_exact_call(isg_spirv_exact *exact, uint32_t function, uint32_t type,
                              uint32_t result, uint32_t operand);
/* a[0] * b[0] + a[1] * b[1] + ..., from the left; `vector` is their type, `type` its component's. */
uint32_t isg_spirv_exact_dot(isg_spirv_exact *exact, uint32_t type, uint32_t result, uint32_t a,
                             uint32_t b, uint32_t vector);
/* condition ? a : b, the condition a scalar or of as many components. */
uint32_t isg_spirv_exact_select(isg_spirv_exact *exact, uint32_t type, uint32_t result,
                                uint32_t condition, uint32_t a, uint32_t b);

/* ---- rewriting: true when `inst` was replaced ---------------------------------------------------- */

bool isg_spirv_exact_float(isg_spirv_exact *exact, const uint32_t *inst);    /* exact_float.c */
bool isg_spirv_exact_extended(isg_spirv_exact *exact, const uint32_t *inst); /* exact_extended.c */
bool isg_spirv_exact_integer(isg_spirv_exact *exact, const uint32_t *inst);  /* exact_integer.c */

#endif
