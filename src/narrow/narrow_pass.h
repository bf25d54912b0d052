// The buckets of the pair stream → manifolds. Buckets are cut into slices, which go through the kernel of their cell; a task is one
// slice, or all of them. A kernel writes lines where they stay: behind all others where one task runs at a time, else into a block of
// lines that is nobody else's meanwhile, so that the last lines of a block may be unused. Where there is no room for that, it writes
// to the task's own stack, and what it found goes to stretches claimed for it. Where a patch lies therefore tells nothing; what
// follows sorts them.
//
// How many lines there is room for does not depend on who ran what: room is made for what blocks may waste at worst.
#ifndef AB_NARROW_PASS_H
#define AB_NARROW_PASS_H

#include "base/tasks.h"
#include "narrow/patches.h"
#include "pairs/pair_stream.h"

#include <abut/world.h>

#include <stdatomic.h>

// What happens in a cell.
static inline const ab_meeting *ab_meeting_of(const ab_pair_table *table, uint32_t cell)
{
    uint32_t lower, higher;
    ab_cell_kinds(cell, &lower, &higher);
    return &table->cell[lower][higher];
}

#define AB_PATCH_BLOCKS 64u // so many tasks write in place at a time, one bit of a word each

// Lines that are the property of one task at a time; a cache line of its own.
typedef struct ab_patch_block
{
    _Alignas(AB_CACHE_LINE) size_t next, end;
    bool taken; // by some task of this detect
} ab_patch_block;

// Pairs that one kernel call is given, and what became of them; a cache line of its own.
typedef struct ab_slice
{
    _Alignas(AB_CACHE_LINE) const ab_meeting *meeting;
    uint64_t elapsed_ns;
    size_t first_line, first_patch; // claimed, unless one task runs at a time
    uint32_t first, count;          // pairs of the stream
    uint32_t cell;
    uint32_t patches, lines, points;
    uint32_t refused_leaf; // of a pair whose function gave no manifold, or ABUT_NONE
    bool claimed, placed;
} ab_slice;

// How much was found among so many pairs.
typedef struct ab_narrow_yield
{
    size_t pairs, lines, patches;
} ab_narrow_yield;

typedef struct ab_narrow_pass
{
    ab_memory *memory;
    const ab_pair_table *table;
    const ab_pair_stream *stream;
    ab_patches *out;
    ab_batch batch; // what all slices have in common
    ab_grain grain;
    bool alone;            // one thread runs every task
    uint32_t most_blocks;  // so many tasks ran at a time, or may: set to no less by the caller
    size_t block_lines;    // that a block grows by; 0: there is too little to do for blocks
    ab_cut cut;            // of the slices
    ab_slice *slices;      // growable
    size_t pairs;          // of all slices
    uint32_t refused_leaf; // when a pair function's answer made the pass ABUT_INVALID_ARGUMENT
    ab_narrow_yield known; // of the last detect; without pairs: of none
    _Alignas(AB_CACHE_LINE) _Atomic size_t claimed_lines;
    _Atomic size_t claimed_patches;
    _Atomic uint64_t blocks_taken; // by a bit each
    ab_patch_block blocks[AB_PATCH_BLOCKS];
} ab_narrow_pass;

extern const ab_phase ab_narrow_phases[];

// What came of a cell, for the statistics.
abut_meeting_statistics ab_narrow_cell(const ab_narrow_pass *pass, uint32_t cell);

void ab_narrow_pass_close(ab_narrow_pass *pass);

#endif
