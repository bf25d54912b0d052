// Blocks of cache lines that concurrent tasks write manifolds to in place. A task takes a block exclusively, appends to
// it, and gives it back. A block without room for a task's worst case is abandoned and continues elsewhere, so its last
// lines may stay unused.
#ifndef AB_MANIFOLD_BLOCKS_H
#define AB_MANIFOLD_BLOCKS_H

#include "base/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AB_MANIFOLD_BLOCKS 64u // as many tasks write in place at a time, one bit of a word each

// On a cache line of its own.
typedef struct ab_manifold_block
{
    _Alignas(AB_CACHE_LINE) size_t next, end; // of the lines
    bool was_taken;                           // by some task, since the blocks were opened
} ab_manifold_block;

// Begins as zeros. `most` persists over rounds: the most tasks that had a block at a time; a caller that expects more
// may set it.
typedef struct ab_manifold_blocks
{
    uint32_t most;
    size_t length;                                // lines by which a block grows; 0: too little work for blocks
    _Alignas(AB_CACHE_LINE) _Atomic size_t lines; // claimed so far, from the first on, in blocks or not
    _Atomic uint64_t taken;                       // a bit each
    ab_manifold_block block[AB_MANIFOLD_BLOCKS];
} ab_manifold_blocks;

// Begins a round: no line is claimed, and all blocks are empty.
void ab_manifold_blocks_open(ab_manifold_blocks *blocks);

// Sets the length of blocks for an expected number of lines, from tasks that write at most `worst` each. Returns the
// number of lines to reserve, whichever task runs what: each task may leave one block unfinished.
size_t ab_manifold_blocks_plan(ab_manifold_blocks *blocks, size_t expected, size_t worst);

// The lowest free block, or NULL. Few are in use, so a thread mostly gets the one that it had.
ab_manifold_block *ab_manifold_blocks_take(ab_manifold_blocks *blocks);
void ab_manifold_blocks_give(ab_manifold_blocks *blocks, const ab_manifold_block *block); // NULL does nothing

// Ensures that a block has so many lines left, none past the first `room` of all. False when it cannot.
bool ab_manifold_blocks_extend(ab_manifold_blocks *blocks, ab_manifold_block *block, size_t lines, size_t room);

// Ends a round: raises `most` to the number of tasks that had a block at a time.
void ab_manifold_blocks_close(ab_manifold_blocks *blocks);

#endif
