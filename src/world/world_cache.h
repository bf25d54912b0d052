// What a world keeps beside its state and makes again from that when it is lost.
#ifndef AB_WORLD_CACHE_H
#define AB_WORLD_CACHE_H

#include "base/radix.h"
#include "base/tasks.h"
#include "bounds/anchors.h"
#include "bounds/proxies.h"
#include "bounds/unchanged.h"
#include "broad/broad.h"
#include "contact/cached_axes.h"

#include <stdatomic.h>

#define AB_PACKED_CHANGES 256u // of the last so many changes it is known whose they were

// The colliders as the last image has them, for the next one: bytes of one element after the other.
typedef struct ab_packed_colliders
{
    uint32_t *words;                         // growable
    const struct abut_geometry **geometries; // growable: the registry that shapes name them in
    ab_sort_entry *sorted;                   // growable: its addresses, ascending, and their indices
    uint64_t checksum;
    uint64_t revision; // of the colliders, plus one; 0: none are packed
    bool lacks;        // the registry lacks a geometry
#ifndef AB_SMALL
    uint32_t changed[AB_PACKED_CHANGES]; // slots: at a revision's place, modulo their number, which one it changed
#endif
} ab_packed_colliders;

// The static set as an image has it.
typedef struct ab_packed_static
{
    uint32_t *words; // growable: an ab_saved_static for each collider of the set, by slot
    uint64_t checksum;
    uint32_t revision; // of the set
    bool reaches, offsets;
    bool made;
} ab_packed_static;

// What a detect finds of the bodies' anchors. All growable, by body slot; unused unless manifolds are recycled.
typedef struct ab_anchoring
{
    float *radius;           // of the sphere about the body's position that holds its shapes; NaN: unknown
    abut_pose *next;         // the anchors when the detect has succeeded
    uint8_t *known;          // AB_ANCHOR_…
    ab_shift *shifts;        // empty where separations are those at the anchors,
    ab_shift *shifts_before; // likewise: of the last detect, if
    bool before_known;       // it was of this world, not of an image
    abut_shift *told;        // and these are empty elsewhere: abut_world_shifts
    uint8_t *stale;          // whether the next detect anchors the body anew, too
    ab_unchanged unchanged;  // groups of bodies of which all this stands
    _Atomic uint32_t edited, mobile, calm, standing; // ab_anchor_counts
    bool none_stands;                                // every mobile body is anchored anew
    bool unanchored; // and nothing that is computed will stand: see ab_world_is_anchored
    ab_partition partition;
} ab_anchoring;

typedef struct ab_cache
{
    // Boxes and records. An image has those of the static set, which are as the detect left them that put them there.
    ab_proxies proxies;
    ab_broad broad;    // the index over the boxes, and what finds pairs in it
    float node_width;  // median, of the index's nodes over 64 proxies
    float ray_segment; // how far a ray is looked for first
    ab_cached_axis_index cached;
    ab_anchoring anchoring;
    ab_packed_colliders packed;
    ab_packed_static packed_static;
    bool some_refiltered;     // there may be colliders that are AB_STATE_REFILTERED
    uint32_t sensors_placed;  // with filters, since the last detect
    uint64_t filters_counted; // the detect after which proxies that filters set apart were counted last, or 0
    bool drops_pairs;         // the next detect's broad phase drops pairs that do not collide
} ab_cache;

#endif
