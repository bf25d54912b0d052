// The colliders in broad-phase order: eight to a block, with the box of each in the block and its 64-byte record beside
// it. Candidate pairs name leaves; kernels read records by leaf. Two regions of one array: active (looked at in every
// detect) and still (static and unchanged since the last detect; looked at from outside only).
//
// Invariant: leaf_of[collider[leaf]] == leaf for every live leaf; a dead leaf has collider ABUT_NONE, an empty box and
// a record that names body slot 0; an extent is the box around its block's lanes; leaves past a region's tail are all
// dead.
#ifndef AB_PROXIES_H
#define AB_PROXIES_H

#include "base/memory.h"
#include "shape/record.h"

#define AB_BLOCK        8u
#define AB_ROOM_GRANULE 8u      // blocks: what room is counted in, so that extents can be read in eights
#define AB_EMPTY_BOX    1.0e30f // an empty box is [+1e30, -1e30] and overlaps nothing in range

// Eight boxes; 192 bytes.
typedef struct ab_aabb8
{
    float min_x[AB_BLOCK], min_y[AB_BLOCK], min_z[AB_BLOCK];
    float max_x[AB_BLOCK], max_y[AB_BLOCK], max_z[AB_BLOCK];
} ab_aabb8;

// One box; 32 bytes, for broadcasting.
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
    AB_PROXY_IMMOBILE = 1u << 12, // static or asleep: its velocity moves nothing
    AB_PROXY_SENSOR = 1u << 13,   // notices what is in it, touches nothing
    AB_PROXY_EXCLUDED = 1u << 14, // its body excludes some others
    AB_PROXY_CCD = 1u << 15       // its body is swept
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
    uint32_t live;     // leaves that are not dead
    uint32_t tail;     // leaves in use: the next one goes here (within the region)
    uint32_t ordered;  // leaves in use that the broad phase has put in its order; those from here to tail are newer
    uint32_t revision; // counts every insertion and removal
} ab_region;

typedef struct ab_proxies
{
    ab_aabb8 *block;        // by block
    ab_aabb *aabb;          // by block: the box around its eight
    ab_record *record;      // by leaf
    uint32_t *collider;     // by leaf: collider slot, or ABUT_NONE
    uint32_t *proxy_flags;  // by leaf
    uint32_t *collider_key; // by leaf: what its record says, in a sixteenth of the space
    float *reach;           // by leaf: metres it may travel within the horizon; only when some horizon was not zero
    abut_vec3 *offset;      // by leaf: from the body's position, world axes; only when some collider is placed
    uint32_t *proxy_of;     // by collider slot
    uint32_t promised;      // leaves for which there is to be room, those that there are among them
    ab_region region[AB_SET_COUNT];
} ab_proxies;

// What is known of a collider when it becomes a leaf.
typedef struct ab_proxy_def
{
    uint32_t collider;
    uint32_t collider_key;
    uint32_t proxy_flags;
    float half[3];
    abut_vec3 position; // of its body now: where ordering by position should put it
} ab_proxy_def;

// Makes room for `colliders` slots in leaf_of and `more` further leaves in the set. May renumber the leaves of the
// still set. False, and nothing changed but capacity, when out of memory.
bool ab_proxies_reserve(ab_proxies *proxies, ab_memory *memory, ab_set set, uint32_t more, uint32_t colliders);

// Gives back the active set's room when most of what it was taken for has settled, as the many leaves of a level do;
// not what was promised. Renumbers the leaves of the still set. When out of memory, all stays as it is.
void ab_proxies_trim(ab_proxies *proxies, ab_memory *memory);

// Arrays that most worlds never need; existing leaves get zeros.
bool ab_proxies_need_reach(ab_proxies *proxies, ab_memory *memory);
bool ab_proxies_need_offset(ab_proxies *proxies, ab_memory *memory);

// Appends at the set's tail; room must be there. The leaf has no box until the bounds pass has seen it.
uint32_t ab_proxies_append(ab_proxies *proxies, ab_set set, const ab_proxy_def *proxy);

// Empties the leaf's lane.
void ab_proxies_remove(ab_proxies *proxies, uint32_t proxy);

// Moves a leaf with its box and record to the tail of the still set; room must be there.
void ab_proxies_settle(ab_proxies *proxies, uint32_t proxy);

// Rewrites a leaf's description in place; the collider stays the same, and so does the box until the bounds pass has
// run.
void ab_proxies_describe(ab_proxies *proxies, uint32_t proxy, const ab_proxy_def *description);

// Puts the set's live leaves from place `first` (within the region) on into the given order, without gaps: order[i] is
// the old leaf that goes to place first + i, `count` is the number of live leaves there. In the active set only what
// the bounds pass does not write is moved, so boxes, positions and axes are void until it has run; in the still set
// everything is. `scratch` holds ab_proxies_permute_bytes(set, count).
void ab_proxies_permute(ab_proxies *proxies, ab_set set, uint32_t first, const uint32_t *order, uint32_t count,
                        void *scratch);
size_t ab_proxies_permute_bytes(ab_set set, uint32_t count);

// What of an active leaf goes with it: what the bounds pass reads of its record and does not write, and what it is.
typedef struct ab_proxy_moved
{
    float half[3];
    uint32_t collider_key;
} ab_proxy_moved;

typedef struct ab_proxy_naming
{
    uint32_t collider, proxy_flags;
} ab_proxy_naming;

// The same for the active set, in ranges of places that tasks may work on: all are taken up, then all put down, then it
// is ended on one thread. Places are counted from `first`; order, `kept` and `naming` are those of the range.
void ab_proxies_take_up(const ab_proxies *proxies, const uint32_t *order, uint32_t count, ab_proxy_moved *kept,
                        ab_proxy_naming *naming);
void ab_proxies_put_down(ab_proxies *proxies, uint32_t place, uint32_t count, const ab_proxy_moved *kept,
                         const ab_proxy_naming *naming);
void ab_proxies_end_permute(ab_proxies *proxies, ab_set set, uint32_t first, uint32_t count);

ab_set ab_proxies_set_of(const ab_proxies *proxies, uint32_t proxy);

void ab_proxies_release(ab_proxies *proxies);

// Asserts the invariant.
void ab_proxies_check(const ab_proxies *proxies);

#endif
