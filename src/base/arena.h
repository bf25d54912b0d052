// Scratch for one step: blocks handed out in order, all taken back at once. When a step needed more than one block, the
// next emptying replaces them by one of their whole size, so that a settled scene asks for nothing.
#ifndef AB_ARENA_H
#define AB_ARENA_H

#include "base/memory.h"

typedef struct ab_arena_block
{
    struct ab_arena_block *before;
    size_t size, used; // bytes, with this header
} ab_arena_block;

typedef struct ab_arena
{
    ab_memory *memory;
    ab_arena_block *block;
    uint64_t forgone; // requests for one block in place of several that were refused: what nobody is told of
} ab_arena;

// 64-aligned, not initialised, valid until the arena is emptied; NULL when out of memory.
void *ab_arena_take(ab_arena *arena, size_t size);

// Takes everything back. Keeps what it can in one block; when memory for that is refused it keeps the largest.
void ab_arena_empty(ab_arena *arena);

void ab_arena_close(ab_arena *arena);

#endif
