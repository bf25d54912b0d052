// Wide box tests: eight boxes against one, staged and branch-free. One table for each instruction set.
#ifndef AB_BOX_KERNELS_H
#define AB_BOX_KERNELS_H

#include "base/isa.h"
#include "broad/broad.h"

typedef struct ab_box_kernels
{
    // Appends (leaf, x) to `out` for every leaf x of blocks [first, end) whose box overlaps that of `leaf`. Writes up to
    // 8 entries past the last: `out` has room for 8 * (end - first) + 8. Returns how many. When `leaf` lies in block
    // `first`, only later leaves of that block are reported.
    uint32_t (*sweep)(const ab_leaves *leaves, uint32_t leaf, uint32_t first, uint32_t end, ab_pair *out);
} ab_box_kernels;

// NULL for an instruction set that is not compiled in.
const ab_box_kernels *ab_box_kernels_for(abut_isa isa);

#endif
