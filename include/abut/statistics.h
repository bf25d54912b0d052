// What the last detect did and cost, and an audit of its results.
#ifndef ABUT_STATISTICS_H
#define ABUT_STATISTICS_H

#include <abut/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// The stages of a step, in order.
typedef enum abut_stage
{
    ABUT_STAGE_MOVE = 0, // poses along velocities
    ABUT_STAGE_BOUNDS,   // boxes around colliders
    ABUT_STAGE_BROAD,    // overlapping boxes
    ABUT_STAGE_PAIRS,    // filters and bins by pair type
    ABUT_STAGE_NARROW,   // manifolds
    ABUT_STAGE_CONTACT,  // order, impulses, events
    ABUT_STAGE_COUNT     // number of stages
} abut_stage;

// Returns a lower-case name such as "bounds" in static storage, "unknown" outside the enumeration.
ABUT_API const char *abut_stage_name(abut_stage stage);

#define ABUT_PAIR_TYPE_MAX 64u // rows of abut_statistics.pair_types

// The work on one pair type: two kinds of shape.
typedef struct abut_pair_type_statistics
{
    const char *name;    // such as "sphere-obb", in static storage; NULL ends the list
    uint64_t pairs;      // handed to the kernel
    uint64_t touching;   // found to touch
    uint64_t elapsed_ns; // spent in the kernel
} abut_pair_type_statistics;

// Counters of a world. Times are elapsed nanoseconds. A restore brings back those of bodies, colliders, detects,
// impacts, contacts (asleep, awake, speculative), points, events, overlaps and vetoes; the others, recycled among them,
// stay those of the detect that the world ran last.
typedef struct abut_statistics
{
    uint32_t bodies;                        // live
    uint32_t colliders;                     // live
    uint64_t detects;                       // since the world was created
    abut_broad_kind broad;                  // broad phase of the last detect
    abut_isa isa;                           // instruction set of the last detect
    uint64_t elapsed_ns[ABUT_STAGE_COUNT];  // of the last move and the last detect
    uint64_t box_tests;                     // tests of eight boxes against one in the last detect
    uint64_t level_tests[ABUT_TREE_LEVELS]; // box_tests by tree level, the proxies' own first; zeros without a tree
    uint32_t tree_depth;                    // levels over the active proxies, counting their own
    uint64_t sorts;                         // of a whole tree, since the world was created
    uint64_t candidates;                    // pairs with overlapping boxes, without those that the broad phase drops
    uint64_t filtered;                      // candidates that a filter excludes; the broad phase drops them where many
    uint64_t impacts;                       // of CCD bodies
    uint64_t recycled;                      // contacts whose manifold was not computed again
    uint64_t asleep;                        // contacts that the last detect did not recompute
    uint64_t contacts;                      // awake contacts
    uint64_t speculative;                   // contacts that are listed beyond the margin
    uint64_t points;                        // of the awake contacts
    uint64_t begun;                         // begin events
    uint64_t ended;                         // end events
    uint64_t overlaps;                      // pairs of a sensor and a collider in it, sleeping ones included
    uint64_t vetoed;                        // pairs that are vetoed, sleeping ones included
    uint64_t bytes;                         // held from the allocator now; falls back after a spike, see docs/memory.md
    uint64_t peak_bytes;                    // held at most
    uint64_t allocations;                   // requests to the allocator since the world was created
    abut_pair_type_statistics pair_types[ABUT_PAIR_TYPE_MAX]; // by pair type, the first with a NULL name ends them
} abut_statistics;

// Gets the counters; all zeros for a NULL world.
ABUT_API void abut_world_statistics(const abut_world *world, abut_statistics *out);

// Audit ---------------------------------------------------------------------------------------------------------------

// The first difference an audit finds.
typedef struct abut_audit
{
    const char *what;         // a sentence in static storage; NULL: none found
    abut_body a;              // the pair concerned
    abut_body b;              // the other body
    abut_collider collider_a; // of body a
    abut_collider collider_b; // of body b
    uint64_t pairs;           // compared
} abut_audit;

// Compares contacts and sensor overlaps of the last detect with an all-pairs narrow phase, bit for bit; recycled
// manifolds with those of their anchors; vetoed pairs must be found. Call it before any edit or move. Time and memory
// grow with the square of the colliders. A difference is a defect of this library.
ABUT_CHECKED ABUT_API abut_status abut_world_audit(abut_world *world, abut_audit *out);

#ifdef __cplusplus
}
#endif

#endif
