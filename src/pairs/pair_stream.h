// Filters candidate pairs and sorts them into bins: for each pair type one for contacts and one for sensors. Orients
// each pair as its kernel needs it.
//
// Within a bin, pairs keep the order of the candidates, so neighbours in space are read together.
#ifndef AB_PAIR_STREAM_H
#define AB_PAIR_STREAM_H

#include "base/arena.h"
#include "base/isa.h"
#include "bounds/anchors.h"
#include "bounds/proxies.h"
#include "broad/broad.h"
#include "pairs/exclusions.h"

#define AB_KINDS     ((uint32_t)AB_KIND_COUNT)
#define AB_TYPE_KEYS (AB_KINDS * 4u) // kind << 2 | motion
#ifdef AB_MESHES
#define AB_TYPE_KEY_BITS 6u
#else
#define AB_TYPE_KEY_BITS 5u
#endif
#define AB_TYPE_KEY_ROOM (1u << AB_TYPE_KEY_BITS)
#define AB_PAIR_TYPES    (AB_KINDS * (AB_KINDS - 1) / 2) // unordered pairs of kinds, from 1
// by pair type: pairs for contacts; from AB_PAIR_TYPES on, pairs with a sensor
#define AB_BINS         (2 * AB_PAIR_TYPES)
#define AB_BIN_FILTERED AB_BINS       // the bin of filtered pairs
#define AB_BIN_STANDS   (AB_BINS + 1) // the bin of pairs whose last result stands: they need no kernel
#define AB_BINS_ALL     (AB_BINS + 2) // with the two above

// The pair type of two kinds (from 1, the lower first).
static inline uint32_t ab_pair_type_index(uint32_t lower, uint32_t higher)
{
    return higher * (higher - 1) / 2 + lower - 1;
}

// The two kinds of a pair type.
static inline void ab_pair_type_kinds(uint32_t type, uint32_t *lower, uint32_t *higher)
{
    for (*higher = 1; type >= *higher; ++*higher)
    {
        type -= *higher;
    }
    *lower = type + 1;
}

// The bin of each two type keys, rebuilt when the matrix of motion kinds changes; and the excluded bodies.
typedef struct ab_pair_rules
{
    uint32_t bin[AB_TYPE_KEYS][AB_TYPE_KEY_ROOM];
    bool motions_collide[ABUT_MOTION_COUNT][ABUT_MOTION_COUNT];
    uint8_t collides[AB_MOTION_SETS]; // the same by sets of motions: see broad/proxy_filter.h
    ab_exclusions exclusions;
} ab_pair_rules;

// A candidate's type key: its bin, and whether its kernel wants the pair swapped: lower kind first; of one kind, lower
// collider key first.
#define AB_KEY_BIN  0xffffu
#define AB_KEY_SWAP 0x10000u
#define AB_KEY_ASK  0x20000u // undecided: ab_pair_key_exact decides

#define AB_PROXY_TO_ASK  (AB_PROXY_FILTERED | AB_PROXY_SENSOR | AB_PROXY_EXCLUDED)
#define AB_TYPE_KEY_KIND (AB_PROXY_TYPE_KEY & ~3u)

typedef struct ab_pair_stream
{
    uint32_t *a, *b;    // in the arena: proxies, one bin after the other
    uint32_t *type_key; // in the arena: by candidate, its type key
    uint32_t first[AB_BINS];
    uint32_t count[AB_BINS];
    uint64_t filtered;
} ab_pair_stream;

// The candidates of one task, and where its pairs of each bin go; on cache lines of its own.
typedef struct ab_pair_part
{
    _Alignas(AB_CACHE_LINE) size_t first_range, ranges;
    uint32_t next[AB_BINS_ALL]; // first counts, then where the next pair of that bin goes
    uint32_t end[AB_BINS];      // end of this part in each bin
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

// Whether pairs are counted at once where all are alike; small builds count each.
#ifdef AB_SMALL
#define AB_ALIKE void
#else
#define AB_ALIKE bool
#define AB_COUNTS_ALIKE
#endif

// Writes the type keys of pairs of proxies, with AB_KEY_ASK where undecided. Returns whether all are of one bin, and
// decided, if AB_COUNTS_ALIKE is defined.
typedef AB_ALIKE ab_pair_encode(const ab_pair_rules *rules, const ab_proxies *proxies, const ab_pair *pairs,
                                size_t count, uint32_t *type_keys);

// Moves pairs [first, first + count) of a stream to their bins. Writes no entry past the part's own, except up to
// AB_WIDEST past the end of a bin.
typedef void ab_pair_scatter(ab_pair_stream *stream, const ab_pair *pairs, size_t first, size_t count,
                             ab_pair_part *part);

typedef struct ab_pair_kernels
{
    ab_pair_encode *encode;
    ab_pair_scatter *scatter;
} ab_pair_kernels;

void ab_pair_rules_open(ab_pair_rules *rules); // from zeros
void ab_pair_rules_close(ab_pair_rules *rules);
void ab_pair_rules_set(ab_pair_rules *rules, abut_motion a, abut_motion b, bool collides);

// The decided type key of one pair; never AB_KEY_ASK.
uint32_t ab_pair_key_exact(const ab_pair_rules *rules, const ab_proxies *proxies, const abut_filter *filters,
                           ab_pair pair);

// Sorts the pairs of a broad phase into bins, in the order of their ranges. A bin is followed by AB_WIDEST entries that
// name live proxies. Fails with ABUT_LIMIT for more than 2^32 pairs.
typedef struct ab_pair_pass
{
    ab_memory *memory;
    ab_arena *arena;
    ab_pair_stream *stream;
    const ab_pair_rules *rules;
    const ab_broad *broad;
    const abut_filter *filters; // by collider slot
    const uint8_t *known;       // by body slot: AB_ANCHOR_…; NULL: no pair stands
    const ab_pair_kernels *kernels;
    ab_granularity granularity;
    ab_pair_part *parts; // growable
} ab_pair_pass;

extern const ab_phase ab_pair_phases[];

void ab_pair_pass_close(ab_pair_pass *pass);
void ab_pair_pass_trim(ab_pair_pass *pass); // gives back room that candidates have not needed for long

#endif
