// Candidate pairs → two buckets for each cell of the pair table, one of contacts and one of pairs with a sensor:
// filtered, each pair oriented as its kernel wants it.
//
// Within a bucket pairs keep the order of the candidates, so that what lies together in space is read together.
#ifndef AB_PAIR_STREAM_H
#define AB_PAIR_STREAM_H

#include "base/isa.h"
#include "bounds/proxies.h"
#include "broad/broad.h"
#include "pairs/exclusions.h"
#include "pairs/reused_pairs.h"

#define AB_KINDS         ((uint32_t)ABUT_SHAPE_KIND_COUNT)
#define AB_TYPE_KEYS     (AB_KINDS * 4u) // kind << 2 | motion
#define AB_TYPE_KEY_BITS 5u
#define AB_TYPE_KEY_ROOM (1u << AB_TYPE_KEY_BITS)
#define AB_PAIR_TYPES    (AB_KINDS * (AB_KINDS - 1) / 2) // unordered pairs of kinds, from 1
#define AB_BINS          (2 * AB_PAIR_TYPES) // by cell: pairs for contacts; from AB_PAIR_TYPES on, pairs with a sensor
#define AB_BIN_FILTERED  AB_BINS             // the bucket of pairs that do not meet
#define AB_BIN_REUSED    (AB_BINS + 1)       // and of those that need no look
#define AB_BINS_ALL      (AB_BINS + 2)       // all that may become of a candidate

// The cell where two kinds (from 1, the lower first) meet.
static inline uint32_t ab_pair_type_index(uint32_t lower, uint32_t higher)
{
    return higher * (higher - 1) / 2 + lower - 1;
}

// The other way about: which kinds meet in a cell.
static inline void ab_pair_type_kinds(uint32_t type, uint32_t *lower, uint32_t *higher)
{
    for (*higher = 1; type >= *higher; ++*higher)
    {
        type -= *higher;
    }
    *lower = type + 1;
}

// Which bucket two classes of collider fall into, rebuilt when the motion matrix changes; and which bodies exclude each
// other.
typedef struct ab_pair_rules
{
    uint32_t bin[AB_TYPE_KEYS][AB_TYPE_KEY_ROOM];
    bool meets[ABUT_MOTION_COUNT][ABUT_MOTION_COUNT];
    ab_exclusions exclusions;
} ab_pair_rules;

// What is known of a candidate: its bucket, and whether its kernel wants it the other way round: lower kind first; of
// one kind, lower canonical order first.
#define AB_KEY_BIN  0xffffu
#define AB_KEY_SWAP 0x10000u
#define AB_KEY_ASK  0x20000u // classes do not tell all: ab_pair_key_exact does

#define AB_PROXY_TO_ASK  (AB_PROXY_FILTERED | AB_PROXY_SENSOR | AB_PROXY_EXCLUDED)
#define AB_TYPE_KEY_KIND (AB_PROXY_TYPE_KEY & ~3u)

typedef struct ab_pair_stream
{
    uint32_t *a, *b; // growable: leaves, all buckets one after the other
    uint32_t *code;  // growable: by candidate, AB_CODE_…
    uint32_t first[AB_BINS];
    uint32_t count[AB_BINS];
    uint64_t filtered;
} ab_pair_stream;

// Candidates that one task works on, and where its pairs of each bucket go; cache lines of its own.
typedef struct ab_pair_part
{
    _Alignas(AB_CACHE_LINE) size_t first_range, ranges;
    uint32_t next[AB_BINS_ALL]; // first counts, then where the next pair of that bucket goes
    uint32_t end[AB_BINS];      // where those of this part end
} ab_pair_part;

// A pair of colliders of one body is filtered.
static inline uint32_t ab_pair_type_key(const ab_pair_rules *rules, const ab_proxies *proxies, ab_pair pair)
{
    const uint32_t flags_a = proxies->proxy_flags[pair.a], flags_b = proxies->proxy_flags[pair.b];
    const uint32_t key_a = proxies->collider_key[pair.a], key_b = proxies->collider_key[pair.b];
    const uint32_t kind_a = flags_a & AB_TYPE_KEY_KIND, kind_b = flags_b & AB_TYPE_KEY_KIND;
    const uint32_t bin = rules->bin[flags_a & AB_PROXY_TYPE_KEY][flags_b & AB_PROXY_TYPE_KEY];
    const uint32_t ask = (flags_a | flags_b) & AB_PROXY_TO_ASK ? AB_KEY_ASK : 0;
    const bool swap = kind_a == kind_b ? key_a > key_b : kind_a > kind_b;
    return key_a >> 8 == key_b >> 8 ? AB_BIN_FILTERED : bin | ask | (swap ? AB_KEY_SWAP : 0);
}

// Writes the codes of pairs of leaves, as far as classes tell them.
typedef void ab_pair_encode(const ab_pair_rules *rules, const ab_proxies *proxies, const ab_pair *pairs, size_t count,
                            uint32_t *codes);

// Moves pairs [first, first + count) of a stream to their buckets. No entry past the part's own is written, but up to
// AB_WIDEST past the end of a bucket.
typedef void ab_pair_scatter(ab_pair_stream *stream, const ab_pair *pairs, size_t first, size_t count,
                             ab_pair_part *part);

typedef struct ab_pair_kernels
{
    ab_pair_encode *encode;
    ab_pair_scatter *scatter;
} ab_pair_kernels;

// NULL for an instruction set that is not compiled in.
const ab_pair_kernels *ab_pair_kernels_for(abut_isa isa);

void ab_pair_rules_open(ab_pair_rules *rules); // of zeros
void ab_pair_rules_close(ab_pair_rules *rules);
void ab_pair_rules_set(ab_pair_rules *rules, abut_motion a, abut_motion b, bool meets);

// Whether two filters, both with defaults filled in, let their colliders meet.
bool ab_filters_meet(const abut_filter *a, const abut_filter *b);

// The code of one pair, whatever it takes; never AB_KEY_ASK.
uint32_t ab_pair_key_exact(const ab_pair_rules *rules, const ab_proxies *proxies, const abut_filter *filters,
                           ab_pair pair);

// Sorting the pairs of a broad phase into buckets, in the order of their spans. A bucket is followed by AB_WIDEST
// entries that name live leaves. ABUT_LIMIT for more than 2^32 pairs.
typedef struct ab_pair_pass
{
    ab_memory *memory;
    ab_pair_stream *stream;
    const ab_pair_rules *rules;
    const ab_broad *broad;
    const abut_filter *filters; // by collider slot
    ab_reused_pairs reused;
    ab_reused_kernel *settle; // NULL: no pair is settled
    const ab_pair_kernels *kernels;
    ab_granularity granularity;
    ab_pair_part *parts; // growable
} ab_pair_pass;

extern const ab_phase ab_pair_phases[];

void ab_pair_pass_close(ab_pair_pass *pass);

#endif
