// What a detect did and what it took; and whether what it found is right.
#ifndef ABUT_STATISTICS_H
#define ABUT_STATISTICS_H

#include <abut/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum abut_stage
{
    ABUT_STAGE_MOVE = 0,
    ABUT_STAGE_BOUNDS,
    ABUT_STAGE_BROAD,
    ABUT_STAGE_PAIRS,
    ABUT_STAGE_NARROW,
    ABUT_STAGE_CONTACT,
    ABUT_STAGE_COUNT
} abut_stage;

// Lower-case name such as "bounds"; static storage; "unknown" outside the enumeration.
ABUT_API const char *abut_stage_name(abut_stage stage);

#define ABUT_PAIR_TYPE_MAX 64u // rows of abut_statistics.meetings

// One cell of the pair table: two kinds of shape meeting.
typedef struct abut_pair_type_statistics
{
    const char *name; // such as "sphere-obb", static storage; NULL ends the list
    uint64_t pairs;   // handed to the kernel
    uint64_t touching;
    uint64_t elapsed_ns;
} abut_pair_type_statistics;

typedef struct abut_statistics
{
    uint32_t bodies;
    uint32_t colliders;
    uint64_t detects;                       // since the world was created
    abut_broad_kind broad;                  // that ran the last detect
    abut_isa isa;                           // that it ran on
    uint64_t elapsed_ns[ABUT_STAGE_COUNT];  // of the last move and the last detect
    uint64_t box_tests;                     // tests of eight boxes against one in the last detect
    uint64_t level_tests[ABUT_TREE_LEVELS]; // the same by level, the leaves' own first; zeros without a tree
    uint32_t tree_depth;                    // levels over the active leaves, counting the leaves' own
    uint64_t sorts;                         // of a whole tree, since the world was created
    uint64_t candidates;                    // pairs whose boxes overlap
    uint64_t filtered;                      // of those, refused before the narrow phase
    uint64_t impacts;                       // of fast bodies
    uint64_t recycled;                      // contacts that kept the manifold of an earlier detect
    uint64_t asleep;                        // contacts that the last detect did not look for
    uint64_t contacts, speculative;         // the latter are among the former
    uint64_t points;
    uint64_t begun, ended;
    uint64_t overlaps;          // pairs of a sensor and what is in it, resting ones among them
    uint64_t vetoed;            // pairs that would be contacts but for the veto, resting ones among them
    uint64_t bytes, peak_bytes; // held from the allocator now, and at most
    uint64_t allocations;       // asked of the allocator since the world was created
    abut_pair_type_statistics pair_types[ABUT_PAIR_TYPE_MAX];
} abut_statistics;

// All zeros for a NULL world.
ABUT_API void abut_world_statistics(const abut_world *world, abut_statistics *out);

// Audit ---------------------------------------------------------------------------------------------------------------

// The first thing an audit found wrong; `what` is NULL when nothing was.
typedef struct abut_audit
{
    const char *what; // a sentence in static storage
    abut_body a, b;
    abut_collider collider_a, collider_b;
    uint64_t pairs; // that the audit looked at
} abut_audit;

// Compares the contacts of the last detect, and what is in sensors, with an all-pairs narrow phase that uses no broad
// phase and no box: the same colliders touch, with the same bits, but for pairs that the veto refused, which must
// touch, and contacts that kept their manifold, which must be as near to that as was promised. Where two axes would do
// for a contact, the one it has is right. To be called when nothing was edited since that detect. Takes time and memory
// in proportion to the square of the number of colliders. A difference is a defect of this library.
ABUT_CHECKED ABUT_API abut_status abut_world_audit(abut_world *world, abut_audit *out);

#ifdef __cplusplus
}
#endif

#endif
