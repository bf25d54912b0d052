// Candidate pairs → two buckets for each cell of the pair table, one of contacts and one of pairs with a sensor: filtered, each
// pair oriented as its kernel wants it.
//
// Within a bucket pairs keep the order of the candidates, so that what lies together in space is read together.
#ifndef AB_PAIR_STREAM_H
#define AB_PAIR_STREAM_H

#include "base/isa.h"
#include "bounds/leaves.h"
#include "broad/broad.h"
#include "pairs/exclusions.h"
#include "pairs/pair_places.h"

#define AB_KINDS   ((uint32_t)ABUT_SHAPE_KIND_COUNT)
#define AB_CLASSES (AB_KINDS * 4u)                 // kind << 2 | motion
#define AB_CELLS   (AB_KINDS * (AB_KINDS - 1) / 2) // unordered pairs of kinds, from 1
#define AB_BUCKETS (2 * AB_CELLS)                  // by cell: pairs for contacts; from AB_CELLS on, pairs with a sensor
#define AB_REFUSED AB_BUCKETS                      // the bucket of pairs that do not meet
#define AB_SETTLED (AB_BUCKETS + 1)                // and of those of which the answer is known
#define AB_FATES   (AB_BUCKETS + 2)                // all that may become of a candidate

// The cell where two kinds (from 1, the lower first) meet.
static inline uint32_t ab_cell_of(uint32_t lower, uint32_t higher)
{
    return higher * (higher - 1) / 2 + lower - 1;
}

// Which bucket two classes of collider fall into, rebuilt when the motion matrix changes; and which bodies exclude each other.
typedef struct ab_pair_rules
{
    uint8_t bucket[AB_CLASSES][AB_CLASSES];
    bool meets[ABUT_MOTION_COUNT][ABUT_MOTION_COUNT];
    ab_exclusions exclusions;
} ab_pair_rules;

// What is known of a candidate: its bucket, and whether its kernel wants it the other way round.
#define AB_CODE_BUCKET 0xffffu
#define AB_CODE_SWAP   0x10000u

typedef struct ab_pair_stream
{
    uint32_t *a, *b; // growable: leaves, all buckets one after the other
    uint32_t *code;  // growable: by candidate, AB_CODE_…
    uint32_t first[AB_BUCKETS];
    uint32_t count[AB_BUCKETS];
    uint64_t refused;
} ab_pair_stream;

// Pairs of which the answer is known before any kernel has looked: candidates that need no look.
typedef struct ab_settled_pairs
{
    ab_pair_places places;
    const uint8_t *settled; // by place: whether the pair is one of them; NULL: none is
} ab_settled_pairs;

// Candidates that one task works on, and where its pairs of each bucket go; cache lines of its own.
typedef struct ab_pair_part
{
    _Alignas(AB_CACHE_LINE) size_t first_span, spans;
    uint32_t next[AB_FATES];  // first counts, then where the next pair of that bucket goes
    uint32_t end[AB_BUCKETS]; // where those of this part end
} ab_pair_part;

// Moves pairs [first, first + count) of a stream to their buckets. No entry past the part's own is written, but up to AB_WIDEST
// past the end of a bucket.
typedef void ab_pair_scatter(ab_pair_stream *stream, const ab_pair *pairs, size_t first, size_t count,
                             ab_pair_part *part);

// NULL for an instruction set that is not compiled in.
ab_pair_scatter *ab_pair_scatter_for(abut_isa isa);

void ab_pair_rules_open(ab_pair_rules *rules); // of zeros
void ab_pair_rules_close(ab_pair_rules *rules);
void ab_pair_rules_set(ab_pair_rules *rules, abut_motion a, abut_motion b, bool meets);

// Whether two filters, both with defaults filled in, let their colliders meet.
bool ab_filters_meet(const abut_filter *a, const abut_filter *b);

// The code of one pair.
uint32_t ab_pair_code(const ab_pair_rules *rules, const ab_leaves *leaves, const abut_filter *filters, ab_pair pair);

// Sorting the pairs of a broad phase into buckets, in the order of their spans. A bucket is followed by AB_WIDEST entries that
// name live leaves. ABUT_LIMIT for more than 2^32 pairs.
typedef struct ab_pair_pass
{
    ab_memory *memory;
    ab_pair_stream *stream;
    const ab_pair_rules *rules;
    const ab_broad *broad;
    const abut_filter *filters; // by collider slot
    ab_settled_pairs settled;
    ab_pair_scatter *scatter;
    ab_grain grain;
    ab_pair_part *parts; // growable
} ab_pair_pass;

extern const ab_phase ab_pair_phases[];

void ab_pair_pass_close(ab_pair_pass *pass);

#endif
