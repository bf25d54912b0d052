// A bump allocator over a list of blocks, which it joins into one when it is emptied, and replaces by a smaller one
// when it has long been too large.
#include "base/arena.h"

#include "base/array.h"

#define HEAD  AB_CACHE_LINE
#define LEAST (64u * 1024u)

static ab_arena_block *open_block(ab_arena *arena, size_t size)
{
    ab_arena_block *block = ab_memory_take(arena->memory, size);
    if (block)
    {
        *block = (ab_arena_block){ .before = arena->block, .size = size, .used = HEAD };
        arena->block = block;
    }
    return block;
}

void *ab_arena_take(ab_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 4)
    {
        return NULL;
    }
    const size_t whole = (size + AB_CACHE_LINE - 1) / AB_CACHE_LINE * AB_CACHE_LINE;
    ab_arena_block *block = arena->block;
    if (!block || block->size - block->used < whole)
    {
        const size_t doubled = block ? 2 * block->size : LEAST;
        const size_t need = whole + HEAD;
        block = open_block(arena, need > doubled || arena->memory->sparing ? need : doubled);
        if (!block)
        {
            return NULL;
        }
    }
    void *taken = (char *)block + block->used;
    block->used += whole;
    return taken;
}

ab_arena_mark ab_arena_marked(const ab_arena *arena)
{
    return (ab_arena_mark){ arena->block, arena->block ? arena->block->used : 0 };
}

bool ab_arena_is_at(const ab_arena *arena, ab_arena_mark mark)
{
    return arena->block == mark.block && (!mark.block || mark.block->used == mark.used);
}

void ab_arena_rewind(ab_arena *arena, ab_arena_mark mark)
{
    ab_arena_block *block = arena->block;
    if (block)
    {
        block->most = block->used > block->most ? block->used : block->most;
        block->used = block == mark.block ? mark.used : HEAD;
    }
}

// Frees every block but the newest; returns the size of all.
static size_t keep_newest(ab_arena *arena)
{
    size_t size = arena->block->size;
    ab_arena_block *block = arena->block->before;
    while (block)
    {
        ab_arena_block *before = block->before;
        size += block->size;
        ab_memory_give(arena->memory, block, block->size);
        block = before;
    }
    arena->block->before = NULL;
    arena->block->used = HEAD;
    arena->block->most = 0;
    return size;
}

// Returns the bytes in use, at most.
static size_t note_use(ab_arena *arena)
{
    size_t used = 0;
    for (const ab_arena_block *block = arena->block; block; block = block->before)
    {
        used += block->used > block->most ? block->used : block->most;
    }
    arena->most = used > arena->most ? used : arena->most;
    ++arena->emptied;
    return used;
}

// The size that the only block should have, which is `size` but now and then.
static size_t fitting_size(ab_arena *arena, size_t size)
{
    if (arena->emptied < AB_ARENA_PERIOD)
    {
        return size;
    }
    const size_t needed = arena->most + arena->most / 16 + LEAST;
    arena->most = 0;
    arena->emptied = 0;
    return size / 2 > needed && size - needed >= AB_TRIM_LEAST ? needed : size;
}

static bool replace(ab_arena *arena, size_t size)
{
    const bool opened = open_block(arena, size) != NULL;
    if (opened)
    {
        keep_newest(arena);
    }
    return opened;
}

void ab_arena_empty(ab_arena *arena)
{
    if (!arena->block || arena->memory->sparing)
    {
        ab_arena_close(arena);
        return;
    }
    const bool joined = !arena->block->before;
    const size_t used = note_use(arena), all = keep_newest(arena), needed = used + used / 16 + LEAST;
    const size_t whole = joined || all < needed ? all : needed; // blocks double, so that much of all may be unused
    const size_t fitting = fitting_size(arena, whole);
    if ((!joined || fitting < whole) && !replace(arena, fitting))
    {
        ++arena->memory->forgone;
    }
}

void ab_arena_close(ab_arena *arena)
{
    if (arena->block)
    {
        keep_newest(arena);
        ab_memory_give(arena->memory, arena->block, arena->block->size);
        arena->block = NULL;
    }
}
