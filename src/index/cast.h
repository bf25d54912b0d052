// Casts against the index: finds the proxies whose AABBs are hit by a point, or an axis-aligned box, that travels along
// a line.
//
// No AABB is missed, and its entry is never reported too late: the slabs (T. Kay and J. Kajiya, "Ray Tracing Complex
// Scenes", 1986) are widened by more than the rounding error. Each is computed by operations that are monotone,
// rounding included, so that a node is entered no later than its content: the reported proxies and their entries do not
// depend on the nodes above them.
#ifndef AB_CAST_H
#define AB_CAST_H

#include "base/isa.h"
#include "index/tree.h"

#define AB_CAST_CHUNK   64u // nodes expanded together
#define AB_CAST_ROOM    (AB_CAST_CHUNK * AB_BLOCK)
#define AB_CAST_PADDING AB_BLOCK // entries behind a list's last, which kernels write

// The line as box tests read it. A slab is entered at (side - enter_from) / d and left at (side - leave_from) / d.
typedef struct ab_cast_line
{
    float enter_from[3], near;
    float leave_from[3], far; // boxes outside of [near, far] are not reported
    float inverse[3];
    uint32_t enter_row[3]; // of a block's six rows, the one where each slab is entered
} ab_cast_line;

// The line from `origin` along `translation`, both finite and in range; `half` are the half extents of the travelling
// box. Sets near to 0 and far to 1.
void ab_cast_line_make(ab_cast_line *out, const float origin[3], const float translation[3], const float half[3]);

// One level: writes the entered children of the nodes, and for proxies where; `entered` is NULL above them. Both have
// room for 8 * count and the padding. Returns their number.
typedef uint32_t ab_cast_kernel(const ab_aabb8 *blocks, const ab_cast_line *line, const uint32_t *nodes, uint32_t count,
                                uint32_t *children, float *entered);

// NULL for an instruction set that is not compiled in.
ab_cast_kernel *ab_cast_kernel_for(abut_isa isa);

// Receives proxies, at most AB_CAST_ROOM at a time, and where their AABBs are entered. It may shorten the line's far
// end. False ends the cast.
typedef bool ab_cast_see(void *context, const uint32_t *proxies, const float *entered, uint32_t count,
                         ab_cast_line *line);

// Reports every proxy of the tree whose AABB is entered between near and far and left after near, unordered; also some
// near misses. False if the callback ended the cast.
bool ab_cast_tree(const ab_tree *tree, ab_cast_kernel *kernel, ab_cast_line *line, ab_cast_see *see, void *context);

#endif
