// Scratch memory for one step: a bump allocator, emptied at once. If a step needed more than one block, the next
// emptying replaces them by one of their total size, so that a scene of constant size stops allocating.
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
    uint64_t forgone; // failed requests to join several blocks into one; no caller sees them
} ab_arena;

// 64-aligned, uninitialised, valid until the arena is emptied; NULL when out of memory.
void *ab_arena_take(ab_arena *arena, size_t size);

// Frees everything taken. Joins all blocks into one, or keeps the largest when out of memory.
void ab_arena_empty(ab_arena *arena);

void ab_arena_close(ab_arena *arena);

#endif
