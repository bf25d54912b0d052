// Computes manifolds from the bins of the pair stream. Divides bins into slices for the kernel of their type; a task is
// one slice, or all of them. A kernel writes to the final place: behind all others if one task runs at a time, else
// into a block of lines. If there is no room for that, it writes to the task's stack, and the result is copied to a
// range claimed for it. The order of manifolds is therefore unspecified; the contact update sorts them.
//
// A caller's pair function may return different results when called again. A slice that runs again therefore writes no
// more than it has claimed, and entries claimed but not written are removed at the end.
#ifndef AB_NARROW_PASS_H
#define AB_NARROW_PASS_H

#include "base/tasks.h"
#include "narrow/mesh/mesh_pairs.h"
#include "narrow/store/manifold_blocks.h"
#include "narrow/store/packed_manifolds.h"
#include "pairs/pair_stream.h"

#include <abut/statistics.h>

#include <stdatomic.h>

// The entry of a pair type.
static inline const ab_pair_type *ab_pair_type_of(const ab_pair_table *table, uint32_t type)
{
    uint32_t lower, higher;
    ab_pair_type_kinds(type, &lower, &higher);
    return &table->type[lower][higher];
}

// Pairs per run of a slice whose output goes to the stack first: few enough to need little of it.
#define AB_PIECE  128u
#define AB_PIECES (AB_CHUNK / AB_PIECE)

// A range of output lines and manifolds claimed exclusively, less what has been written there.
typedef struct ab_claim
{
    uint32_t first_line, first_manifold, lines, manifolds;
    uint32_t points; // found
    bool placed;
} ab_claim;

// Consecutive pairs of the stream and their results; on cache lines of its own.
typedef struct ab_slice
{
    _Alignas(AB_CACHE_LINE) const ab_pair_type *pair_type;
    uint64_t elapsed_ns;
    uint32_t first, count; // pairs of the stream, or of its mesh pairs
    uint32_t type;
    uint32_t manifolds, lines, points;
    uint32_t gaps;               // manifolds that were claimed, but not found again
    uint32_t invalid_proxy;      // of a pair with an invalid manifold, or ABUT_NONE
    ab_claim claim[AB_PIECES];   // by piece, or one for all
    bool claimed, whole, placed; // whole: one claim has all
} ab_slice;

// The yield of so many pairs.
typedef struct ab_narrow_yield
{
    size_t pairs, lines, manifolds;
} ab_narrow_yield;

typedef struct ab_narrow_pass
{
    ab_memory *memory;
    const ab_pair_table *table;
    const ab_pair_stream *stream;
    ab_packed_manifolds *out;
    ab_mesh_pairs meshes;
    ab_batch batch; // common to all slices
    ab_granularity granularity;
    bool single_threaded;      // one thread runs every task
    ab_partition partition;    // of the slices
    ab_slice *slices;          // growable
    size_t pairs;              // of all slices
    uint32_t invalid_proxy;    // set if an invalid manifold made the pass return ABUT_INVALID_ARGUMENT
    ab_narrow_yield known;     // of the last detect; zero pairs: unknown
    ab_manifold_blocks blocks; // of lines
    _Atomic size_t claimed_manifolds;
} ab_narrow_pass;

extern const ab_phase ab_narrow_phases[];

// The results of a pair type, for the statistics.
abut_pair_type_statistics ab_narrow_pair_type(const ab_narrow_pass *pass, uint32_t type);

void ab_narrow_pass_close(ab_narrow_pass *pass);
void ab_narrow_pass_trim(ab_narrow_pass *pass); // gives back room that manifolds have not needed for long

#endif
