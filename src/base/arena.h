// Scratch memory for one step: a bump allocator, emptied at once. If a step needed more than one block, the next
// emptying replaces them by one of their total size, so that a scene of constant size stops allocating. A block of more
// than twice what was taken between AB_ARENA_PERIOD emptyings is replaced by a smaller one.
#ifndef AB_ARENA_H
#define AB_ARENA_H

#include "base/memory.h"

#define AB_ARENA_PERIOD 128u

typedef struct ab_arena_block
{
    struct ab_arena_block *before;
    size_t size, used; // bytes, with this header
} ab_arena_block;

typedef struct ab_arena
{
    ab_memory *memory;
    ab_arena_block *block;
    size_t most;      // bytes in use at an emptying, of those since the block was judged
    uint32_t emptied; // how often since
} ab_arena;

// 64-aligned, uninitialised, valid until the arena is emptied; NULL when out of memory.
void *ab_arena_take(ab_arena *arena, size_t size);

// Frees everything taken. Joins all blocks into one, or keeps the newest when out of memory.
void ab_arena_empty(ab_arena *arena);

void ab_arena_close(ab_arena *arena);

#endif
