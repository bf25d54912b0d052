// Hands out blocks of cache lines to tasks: claims lines from a shared counter, and blocks by a bit mask.
#include "narrow/store/manifold_blocks.h"

#include "base/platform.h"

#include <string.h>

#define MOST_WORSTS  8u // worst cases per block: at most an eighth of it stays unused at its end;
#define LEAST_WORSTS 4u // here at most a fourth; shorter blocks do not pay

// The blocks that the plan reserves room for.
static size_t count_planned(const ab_manifold_blocks *blocks)
{
    return blocks->most < AB_MANIFOLD_BLOCKS ? blocks->most : AB_MANIFOLD_BLOCKS;
}

// Blocks without room were never used.
void ab_manifold_blocks_open(ab_manifold_blocks *blocks)
{
    blocks->length = 0;
    atomic_store_explicit(&blocks->lines, 0, memory_order_relaxed);
    memset(blocks->block, 0, count_planned(blocks) * sizeof *blocks->block);
}

size_t ab_manifold_blocks_plan(ab_manifold_blocks *blocks, size_t expected, size_t worst)
{
    const size_t count = count_planned(blocks);
    const size_t share = count > 0 ? expected / (2 * count) : 0;
    if (share < LEAST_WORSTS * worst)
    {
        return expected;
    }
    blocks->length = share < MOST_WORSTS * worst ? share : MOST_WORSTS * worst;
    return expected + (expected / (blocks->length - worst) + 1) * worst + count * blocks->length;
}

ab_manifold_block *ab_manifold_blocks_take(ab_manifold_blocks *blocks)
{
    uint64_t taken = atomic_load_explicit(&blocks->taken, memory_order_relaxed);
    while (taken != UINT64_MAX)
    {
        const uint32_t i = ab_lowest_bit(~taken);
        if (atomic_compare_exchange_weak_explicit(&blocks->taken, &taken, taken | (uint64_t)1 << i,
                                                  memory_order_acquire, memory_order_relaxed))
        {
            blocks->block[i].was_taken = true;
            return &blocks->block[i];
        }
    }
    return NULL;
}

void ab_manifold_blocks_give(ab_manifold_blocks *blocks, const ab_manifold_block *block)
{
    if (block)
    {
        atomic_fetch_and_explicit(&blocks->taken, ~((uint64_t)1 << (block - blocks->block)), memory_order_release);
    }
}

bool ab_manifold_blocks_extend(ab_manifold_blocks *blocks, ab_manifold_block *block, size_t lines, size_t room)
{
    if (block->end - block->next >= lines)
    {
        return true;
    }
    if (blocks->length == 0 || (size_t)(block - blocks->block) >= count_planned(blocks))
    {
        return false;
    }
    size_t first = atomic_load_explicit(&blocks->lines, memory_order_relaxed);
    do
    {
        if (first + blocks->length > room)
        {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&blocks->lines, &first, first + blocks->length,
                                                    memory_order_relaxed, memory_order_relaxed));
    block->next = block->end == first ? block->next : first;
    block->end = first + blocks->length;
    return true;
}

void ab_manifold_blocks_close(ab_manifold_blocks *blocks)
{
    for (uint32_t i = blocks->most; i < AB_MANIFOLD_BLOCKS; ++i)
    {
        blocks->most = blocks->block[i].was_taken ? i + 1 : blocks->most;
    }
}
