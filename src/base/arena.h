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
    size_t most;       // in use before it was rewound, or 0
} ab_arena_block;

// How much is in use.
typedef struct ab_arena_mark
{
    const ab_arena_block *block;
    size_t used;
} ab_arena_mark;

typedef struct ab_arena
{
    ab_memory *memory;
    ab_arena_block *block;
    size_t most;      // bytes in use at an emptying, of those since the block was judged
    uint32_t emptied; // how often since
} ab_arena;

// 64-aligned, uninitialised, valid until the arena is emptied; NULL when out of memory.
void *ab_arena_take(ab_arena *arena, size_t size);

// What is in use now; and freeing what was taken since. Blocks between the mark's and the newest stay until the arena
// is emptied, but then there is one for all.
ab_arena_mark ab_arena_marked(const ab_arena *arena);
void ab_arena_rewind(ab_arena *arena, ab_arena_mark mark);

// Whether nothing was taken since.
bool ab_arena_is_at(const ab_arena *arena, ab_arena_mark mark);

// Frees everything taken. Joins all blocks into one, or keeps the newest when out of memory.
void ab_arena_empty(ab_arena *arena);

void ab_arena_close(ab_arena *arena);

#endif
