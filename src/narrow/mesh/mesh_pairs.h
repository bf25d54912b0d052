// Pairs with a shape of parts: one pair for each triangle, part or segment whose box the other shape's meets, before the
// kernels run.
#ifndef AB_MESH_PAIRS_H
#define AB_MESH_PAIRS_H

#include "base/tasks.h"
#include "narrow/narrow.h"
#include "pairs/pair_stream.h"
#include "shape/mesh.h"

// Triangles of a pair that are kept when they are counted; where there are more, they are looked up again.
#define AB_MESH_FOUND 32u

typedef struct ab_mesh_pairs
{
    ab_memory *memory;
    const ab_pair_stream *stream;
    const ab_pair_table *table;
    ab_batch batch; // common to all pairs
    ab_granularity granularity;
    ab_partition partition;  // of the pairs before
    uint32_t *first;         // growable: by pair before, its first pair; one more behind the last
    uint32_t *found;         // growable: by pair before, the first AB_MESH_FOUND triangles or children
    uint32_t *a, *b, *parts; // growable: proxies, b that of the parts; `parts` as in a batch
    uint32_t before;         // pairs before, of all types
} ab_mesh_pairs;

extern const ab_phase ab_mesh_pair_phases[];

// Shows the triangles or parts, as in `parts` of a batch, of a batch with one pair that has some, until
// `see` wants no more.
void ab_mesh_pair_parts(const ab_batch *batch, ab_mesh_see *see, void *context);

// The pairs of a type, after the phases. *first is their first in the arrays.
uint32_t ab_mesh_pairs_of(const ab_mesh_pairs *pairs, uint32_t type, uint32_t *first);

void ab_mesh_pairs_close(ab_mesh_pairs *pairs);
void ab_mesh_pairs_trim(ab_mesh_pairs *pairs); // gives back room not needed for long

#endif
