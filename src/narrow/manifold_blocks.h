// Where tasks that run side by side write lines of patches in place: each takes a block of lines, which is nobody
// else's meanwhile, writes behind what is there, and gives it back. A block that has no room for a task's worst case is
// left as it is and goes on elsewhere, so its last lines may stay unused.
#ifndef AB_MANIFOLD_BLOCKS_H
#define AB_MANIFOLD_BLOCKS_H

#include "base/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AB_MANIFOLD_BLOCKS 64u // so many tasks write in place at a time, one bit of a word each

// A cache line of its own.
typedef struct ab_manifold_block
{
    _Alignas(AB_CACHE_LINE) size_t next, end; // of the lines
    bool was_taken;                           // by some task, since the blocks were opened
} ab_manifold_block;

// Begins as zeros. `most` outlives a round: so many tasks had a block at a time, or may have; a caller who knows of
// more sets it.
typedef struct ab_manifold_blocks
{
    uint32_t most;
    size_t length;                                // lines a block grows by; 0: there is too little to do for blocks
    _Alignas(AB_CACHE_LINE) _Atomic size_t lines; // claimed so far, from the first on, in blocks or not
    _Atomic uint64_t taken;                       // by a bit each
    ab_manifold_block block[AB_MANIFOLD_BLOCKS];
} ab_manifold_blocks;

// Begins a round: no line is claimed, and no block has any.
void ab_manifold_blocks_open(ab_manifold_blocks *blocks);

// How long blocks are to be where so many lines are expected of tasks that write `worst` each at most. Gives how many
// lines there must be room for, whoever runs what: each task may leave one block behind.
size_t ab_manifold_blocks_plan(ab_manifold_blocks *blocks, size_t expected, size_t worst);

// The lowest block that no task has, or NULL. So few are in use that a thread mostly finds the one it had.
ab_manifold_block *ab_manifold_blocks_take(ab_manifold_blocks *blocks);
void ab_manifold_blocks_give(ab_manifold_blocks *blocks, const ab_manifold_block *block); // NULL does nothing

// Sees to it that a block has so many lines left, none past the first `room` of all. False when it has not.
bool ab_manifold_blocks_extend(ab_manifold_blocks *blocks, ab_manifold_block *block, size_t lines, size_t room);

// Ends a round: raises `most` to how many tasks had a block at a time.
void ab_manifold_blocks_close(ab_manifold_blocks *blocks);

#endif
