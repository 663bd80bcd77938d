/* What the files that check a module share. */
#ifndef ISOGRID_SPIRV_CHECK_H
#define ISOGRID_SPIRV_CHECK_H

#include "spirv/module.h"

typedef struct isg_spirv_checker {
    const isg_spirv_module *module;
    uint32_t *owners; /* owned, id_count: of ids made in a function, its index + 1 */
    uint8_t *reached; /* owned, id_count: labels of blocks that control can reach */
    uint32_t *edges; /* owned, id_count: of a label, the branches to it; of a function, the calls */
    uint32_t *starts;  /* owned, id_count: of a label, past its part of `parents` */
    uint32_t *stamps;  /* owned, id_count: of a label, the block it was last seen to branch to */
    uint32_t *stack;   /* owned, id_count */
    uint32_t *parents; /* owned, word_count: the blocks that branch to each block */
    uint8_t *forward;  /* owned, id_count: pointers declared by OpTypeForwardPointer */
} isg_spirv_checker;

/* The instruction has no successor in its block. */
bool isg_spirv_is_terminator(uint32_t op);

/* Types, constants and variables outside functions (check_types.c). */
isg_status isg_spirv_check_global(const isg_spirv_checker *checker, uint32_t offset);
/* Operand types of one instruction of a function (check_types.c). */
isg_status isg_spirv_check_typed(const isg_spirv_checker *checker, uint32_t offset);
/* Blocks, branches, phis of one function (check_blocks.c). */
isg_status isg_spirv_check_blocks(isg_spirv_checker *checker, const isg_spirv_function *function);
/* No function calls itself, through others or not (check_blocks.c). */
isg_status isg_spirv_check_calls(isg_spirv_checker *checker);

#endif
