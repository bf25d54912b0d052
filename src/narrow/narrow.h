// The narrow phase: pairs of leaves → manifolds. A cell of the pair table is a batch kernel for two kinds meeting; it
// reads records and appends the manifolds of those pairs that touch, in canonical orientation.
#ifndef AB_NARROW_H
#define AB_NARROW_H

#include "base/isa.h"
#include "base/memory.h"
#include "bounds/proxies.h"
#include "narrow/packed_manifold.h"
#include "shape/kinds.h"

#include <abut/collide.h>

// Pairs handed to a kernel at a time: so few that what it writes fits a stack and stays near, so many that what it
// lists on the way fills most of the groups it is read in.
#define AB_CHUNK 512u

// A caller's own function for the pairs of two kinds of shape, told by number: a built-in kind's enumerator, or an id.
typedef struct ab_pair_function
{
    uint64_t key; // lower number << 32 | higher
    bool turned;  // its a is the higher number
    abut_pair_function *call;
    void *context;
} ab_pair_function;

// Sorted by key.
typedef struct ab_pair_functions
{
    const ab_pair_function *data;
    uint32_t count;
} ab_pair_functions;

#define AB_NO_AXIS 0xffffffu // more than any feature names

// What names the contacts of the last detect, for kernels that stay with an axis where another is nearly as good. Asked
// from any thread.
typedef struct ab_cached_axes
{
    // Writes bits 8 and up of the features of the contact of leaves a[i] and b[i], as they were, the lower order being
    // its a, or AB_NO_AXIS where there was none. NULL: nothing is known.
    void (*find)(const void *store, const ab_record *records, const uint32_t *a, const uint32_t *b, uint32_t count,
                 uint32_t *axes);
    const void *store;
} ab_cached_axes;

// Pairs of one cell: a[i] is of the cell's lower kind; of equal kinds, a[i] has the lower order. Entries from `count`
// up to the next multiple of AB_WIDEST must exist and name some live leaf; their results are dropped.
typedef struct ab_batch
{
    const ab_record *records;           // by leaf
    const abut_vec3 *offsets;           // by leaf; NULL: all zero
    const float *reach;                 // by leaf; NULL: all zero
    const uint32_t *colliders;          // by leaf: where in `shapes` its shape is
    const abut_shape *shapes;           // by collider slot: for what does not fit a record
    const ab_kind_set *kinds;           // of the caller's own; NULL: none, and no shape is custom
    const ab_pair_functions *functions; // likewise
    const uint32_t *a, *b;              // leaves
    uint32_t count;                     // at most AB_CHUNK
    ab_cached_axes cached;              // zeros: none
    // Where ab_convex_touching says which leaf's pair function gave no manifold, or ABUT_NONE. NULL: nobody asks.
    uint32_t *invalid;
    float margin; // metres; a pair is kept when separation <= margin + reach of a + reach of b
} ab_batch;

// What kernels append to, patches and a brief of each; they never grow it: before a batch there is room for
// AB_MANIFOLD_LINES(count) lines and AB_MANIFOLD_ENTRIES(count) briefs more than there are.
typedef struct ab_manifolds
{
    ab_packed_manifold *lines;
    ab_manifold_entry *entries; // lines are counted in `lines`
    uint32_t line_count, count, point_count;
    bool invalid; // a pair function gave what is no manifold: nothing of this batch may be used
    uint32_t invalid_proxy;
} ab_manifolds;

// Behind what is kept kernels may write as far as they have lanes.
#define AB_MANIFOLD_LINES(count)   (2 * (count) + AB_WIDEST)
#define AB_MANIFOLD_ENTRIES(count) ((count) + AB_WIDEST)

// Room for what a kernel writes about a batch at worst.
typedef struct ab_manifold_room
{
    _Alignas(AB_CACHE_LINE) ab_packed_manifold lines[AB_MANIFOLD_LINES(AB_CHUNK)];
    ab_manifold_entry entries[AB_MANIFOLD_ENTRIES(AB_CHUNK)];
} ab_manifold_room;

static inline ab_manifolds ab_manifolds_in(ab_manifold_room *room)
{
    return (ab_manifolds){ .lines = room->lines, .entries = room->entries };
}

// Appends one of two leaves of a batch, a being the one of the lower order; it has a point.
static inline void ab_manifolds_append(ab_manifolds *out, const ab_batch *batch, uint32_t proxy_a, uint32_t proxy_b,
                                       const abut_manifold *m)
{
    ab_packed_manifold *packed = &out->lines[out->line_count];
    packed->normal[0] = m->normal.x;
    packed->normal[1] = m->normal.y;
    packed->normal[2] = m->normal.z;
    packed->separation = m->separation;
    packed->proxy_a = proxy_a;
    packed->proxy_b = proxy_b;
    out->entries[out->count++] = (ab_manifold_entry){
        .key_a = batch->records[proxy_a].collider_key,
        .key_b = batch->records[proxy_b].collider_key,
        .line = out->line_count,
        .point_count = m->point_count,
    };
    out->line_count += ab_packed_manifold_set_points(packed, m->points, m->point_count);
    out->point_count += m->point_count;
}

typedef void ab_narrow_kernel(const ab_batch *batch, ab_manifolds *out);

// The same decision without the manifolds: writes the places in the batch of the pairs that are kept, in order, and
// returns how many. `out` has room for count + AB_WIDEST.
typedef uint32_t ab_touching_kernel(const ab_batch *batch, uint32_t *out);

// The kernels of every cell with a custom shape: one source, compiled once, the same for all instruction sets.
ab_narrow_kernel ab_convex_kernel;
ab_touching_kernel ab_convex_touching;

typedef struct ab_pair_type
{
    const char *name; // such as "sphere-obb"; NULL: this pair is not supported
    ab_narrow_kernel *kernel;
    ab_touching_kernel *touching;
    uint32_t max_points;
    bool remembers; // the kernel asks for former axes
} ab_pair_type;

// Only cells [lower kind][higher kind] are filled.
typedef struct ab_pair_table
{
    ab_pair_type type[ABUT_SHAPE_KIND_COUNT][ABUT_SHAPE_KIND_COUNT];
} ab_pair_table;

// Meetings in space, and those in the plane, where z is zero and rotations are about z. NULL for an instruction set
// that is not compiled in.
const ab_pair_table *ab_pair_table_for(abut_isa isa);
const ab_pair_table *ab_pair_table_2d_for(abut_isa isa);

#endif
