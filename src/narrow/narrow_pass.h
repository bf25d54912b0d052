// The buckets of the pair stream → manifolds. Buckets are cut into slices; a task runs a few of them through the kernel of their
// cell. A kernel writes lines where they stay: behind all others where one thread runs all slices, else into a block of lines that
// is nobody else's while the task runs, so that lines between blocks may be unused. Where there is no room for that, it writes to the
// task's own stack, and what it found goes to stretches claimed for it. Where a patch lies therefore tells nothing; what follows sorts
// them.
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
} ab_patch_block;

// Pairs that one kernel call is given, and what became of them; a cache line of its own.
typedef struct ab_slice
{
    _Alignas(AB_CACHE_LINE) const ab_meeting *meeting;
    uint64_t elapsed_ns;
    size_t first_line, first_patch; // claimed, unless it was written in place
    uint32_t first, count;          // pairs of the stream
    uint32_t cell;
    uint32_t patches, points;
    uint32_t refused_leaf; // of a pair whose function gave no manifold, or ABUT_NONE
    bool claimed, placed;
} ab_slice;

typedef struct ab_narrow_pass
{
    ab_memory *memory;
    const ab_pair_table *table;
    const ab_pair_stream *stream;
    ab_patches *out;
    ab_batch batch; // what all slices have in common
    ab_grain grain;
    bool alone;                                     // one thread runs every task
    ab_cut cut;                                     // of the slices
    ab_slice *slices;                               // growable
    size_t pairs;                                   // of all slices
    size_t block_lines;                             // that a block grows by
    uint32_t refused_leaf;                          // when a pair function's answer made the pass ABUT_INVALID_ARGUMENT
    size_t known_pairs, known_lines, known_patches; // of which so many touched
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
