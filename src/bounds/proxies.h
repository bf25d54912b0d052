// The proxies: colliders in broad-phase order, eight to a block, with their AABBs in the block and 64-byte records in a
// parallel array. Candidate pairs name proxies; kernels read records by proxy. One array has two regions: the active
// set, which every detect searches, and the static set (immobile and unchanged since the last detect), which is only
// tested against the active set.
//
// Invariant: proxy_of[collider[proxy]] == proxy for every live proxy; a dead proxy has collider ABUT_NONE, an empty
// AABB and a record that names body slot 0; a block's AABB encloses its lanes; proxies past a region's tail are all
// dead.
#ifndef AB_PROXIES_H
#define AB_PROXIES_H

#include "base/memory.h"
#include "base/platform.h"
#include "shape/record.h"

#include <abut/world.h>

#define AB_BLOCK        8u
#define AB_ROOM_GRANULE 8u      // blocks: room is a multiple of it, so that block AABBs can be read eight at a time
#define AB_EMPTY_BOX    1.0e30f // an empty AABB is [+1e30, -1e30] and overlaps nothing in range

// Eight AABBs; 192 bytes.
typedef struct ab_aabb8
{
    float min_x[AB_BLOCK], min_y[AB_BLOCK], min_z[AB_BLOCK];
    float max_x[AB_BLOCK], max_y[AB_BLOCK], max_z[AB_BLOCK];
} ab_aabb8;

AB_INLINE void ab_aabb8_prefetch(const ab_aabb8 *block)
{
    AB_PREFETCH(block->min_x);
    AB_PREFETCH(block->min_z);
    AB_PREFETCH(block->max_y);
}

// The handles of a collider and its body.
typedef struct ab_contact_name
{
    abut_body body;
    abut_collider collider;
} ab_contact_name;

// One AABB; 32 bytes, for broadcasting.
typedef struct ab_aabb
{
    float min[3];
    uint32_t spare_a;
    float max[3];
    uint32_t spare_b;
} ab_aabb;

enum
{
    AB_PROXY_TYPE_KEY = 0xffu,   // shape kind << 2 | motion: row of the pair stream's table
    AB_PROXY_TURNS = 1u << 8,    // its axes follow the body's rotation
    AB_PROXY_FILTERED = 1u << 9, // its filter is not the default one
    AB_PROXY_PLACED = 1u << 10,  // it has a local pose other than identity
    AB_PROXY_DEAD = 1u << 11,
    AB_PROXY_IMMOBILE = 1u << 12, // static or asleep: its velocity is ignored
    AB_PROXY_SENSOR = 1u << 13,   // reports overlaps, makes no contacts
    AB_PROXY_EXCLUDED = 1u << 14, // its body excludes others
    AB_PROXY_CCD = 1u << 15,      // its body is swept
    AB_PROXY_SEGMENT = 1u << 16,  // a rounded segment: its record holds the radius and half the segment
    AB_PROXY_POINTS = 1u << 17,   // its shape's row gives points: its AABB is theirs, not that of its half extents
    AB_PROXY_SIZED = 1u << 18     // its record holds all of its shape
};

typedef enum ab_set
{
    AB_ACTIVE,
    AB_STATIC_SET,
    AB_SET_COUNT
} ab_set;

typedef struct ab_region
{
    uint32_t first;    // block
    uint32_t blocks;   // in use, from first
    uint32_t room;     // blocks before the next region; a multiple of AB_ROOM_GRANULE
    uint32_t live;     // proxies that are not dead
    uint32_t tail;     // proxies in use, dead ones included: the next one goes here (within the region)
    uint32_t ordered;  // proxies that the broad phase has sorted; those from here to tail are newer
    uint32_t revision; // counts every insertion and removal
} ab_region;

typedef struct ab_proxies
{
    ab_aabb8 *block;        // by block
    ab_aabb *aabb;          // by block: encloses its eight
    ab_record *record;      // by proxy
    uint32_t *collider;     // by proxy: collider slot, or ABUT_NONE
    uint32_t *proxy_flags;  // by proxy
    uint32_t *collider_key; // by proxy: a copy from its record, in a sixteenth of the space
#ifndef AB_SMALL
    ab_contact_name *name; // by proxy: a copy of its collider's, beside those of its neighbours
#endif
    float *reach;       // by proxy: metres it may travel within the horizon; only when some horizon was not zero
    abut_vec3 *offset;  // by proxy: from the body's position, world axes; only when some collider is placed
    uint32_t *proxy_of; // by collider slot
    uint32_t reserved;  // how many proxies room was reserved for, the present ones included
    ab_region region[AB_SET_COUNT];
} ab_proxies;

// A collider's description when it becomes a proxy.
typedef struct ab_proxy_def
{
    uint32_t collider;
    uint32_t collider_key;
    uint32_t proxy_flags;
    float half[3];
    abut_vec3 position; // of its body now: the sort key of the broad phase
#ifndef AB_SMALL
    ab_contact_name name;
#endif
} ab_proxy_def;

// Reserves `colliders` slots in proxy_of and `more` proxies in the set. May renumber the proxies of the static set.
// When out of memory, returns false and changes nothing but capacity.
bool ab_proxies_reserve(ab_proxies *proxies, ab_memory *memory, ab_set set, uint32_t more, uint32_t colliders);

// Frees the active set's room when most of the proxies it was made for have gone to the static set, as a level's do;
// keeps what was reserved. Renumbers the proxies of the static set. When out of memory, changes nothing.
void ab_proxies_trim(ab_proxies *proxies, ab_memory *memory);

// Make arrays that most worlds never need; existing proxies get zeros.
bool ab_proxies_need_reach(ab_proxies *proxies, ab_memory *memory);
bool ab_proxies_need_offset(ab_proxies *proxies, ab_memory *memory);

// Appends at the set's tail. Cannot fail. The proxy has no AABB until the next bounds pass.
uint32_t ab_proxies_append(ab_proxies *proxies, ab_set set, const ab_proxy_def *proxy);

// Empties the proxy's lane.
void ab_proxies_remove(ab_proxies *proxies, uint32_t proxy);

// Whether a bounds pass has given the proxy an AABB.
static inline bool ab_proxies_has_box(const ab_proxies *proxies, uint32_t proxy)
{
    return proxies->block[proxy / AB_BLOCK].min_x[proxy % AB_BLOCK] < AB_EMPTY_BOX;
}

// Takes the proxy's AABB away until the next bounds pass.
void ab_proxies_hide(ab_proxies *proxies, uint32_t proxy);

// Moves a proxy with its AABB and record to the tail of the static set. Cannot fail.
void ab_proxies_make_static(ab_proxies *proxies, uint32_t proxy);

// What the last bounds pass computed of a proxy.
typedef struct ab_static_proxy
{
    ab_record record; // without its collider key
    abut_aabb aabb;
    float reach;      // zero if there are no reaches
    abut_vec3 offset; // zeros if there are no offsets
} ab_static_proxy;

void ab_proxies_get_static(const ab_proxies *proxies, uint32_t proxy, ab_static_proxy *out);

// Writes it to a proxy: of the active set, or of the static set if it was appended since the last update of the broad
// phase or has all of it but its description. The arrays for a reach or offset that is not zero exist.
void ab_proxies_set_static(ab_proxies *proxies, uint32_t proxy, const ab_static_proxy *given);

// Rewrites a proxy's description in place; the collider stays the same, and so does the AABB until the next bounds
// pass.
void ab_proxies_describe(ab_proxies *proxies, uint32_t proxy, const ab_proxy_def *description);

// Reorders the set's live proxies from index `first` (within the region) on, without gaps: order[i] is the old proxy
// that goes to index first + i, `count` is the number of live proxies there. In the active set, moves only what the
// bounds pass does not write, so AABBs, positions and axes are invalid until it has run; in the static set, moves
// everything. `scratch` holds ab_proxies_permute_bytes(set, count).
void ab_proxies_permute(ab_proxies *proxies, ab_set set, uint32_t first, const uint32_t *order, uint32_t count,
                        void *scratch);
size_t ab_proxies_permute_bytes(ab_set set, uint32_t count);

// What moves with an active proxy: the parts of its record that the bounds pass reads and does not write, and its
// flags.
typedef struct ab_proxy_moved
{
    float half[3];
    uint32_t collider_key;
} ab_proxy_moved;

typedef struct ab_proxy_naming
{
    uint32_t collider, proxy_flags;
} ab_proxy_naming;

// The same for the active set, in ranges that tasks may work on: take up every range, then put down every range, then
// end on one thread. Indices count from `first`; order and what is taken are those of the range.
typedef struct ab_proxies_taken
{
    ab_proxy_moved *kept;
    ab_proxy_naming *naming;
    ab_contact_name *names; // not in a small build
} ab_proxies_taken;

void ab_proxies_take_up(const ab_proxies *proxies, const uint32_t *order, uint32_t count, const ab_proxies_taken *out);
void ab_proxies_put_down(ab_proxies *proxies, uint32_t place, uint32_t count, const ab_proxies_taken *taken);
void ab_proxies_end_permute(ab_proxies *proxies, ab_set set, uint32_t first, uint32_t count);

ab_set ab_proxies_set_of(const ab_proxies *proxies, uint32_t proxy);

void ab_proxies_release(ab_proxies *proxies);

void ab_proxies_check(const ab_proxies *proxies);

#endif
