// The narrow phase: computes the manifolds of pairs of proxies. An entry of the pair table is a batch kernel for two
// kinds of shape; it reads records and appends the manifolds of touching pairs, in canonical orientation.
#ifndef AB_NARROW_H
#define AB_NARROW_H

#include "base/isa.h"
#include "base/memory.h"
#include "bounds/proxies.h"
#include "narrow/store/packed_manifold.h"
#include "shape/kinds.h"

#include <abut/collide.h>

// Pairs per batch: few enough that its output fits the stack and the near caches, many enough that its internal lists
// mostly fill whole groups of lanes.
#define AB_CHUNK 512u

// A caller's pair function for two kinds of shape, by number: a built-in kind's enumerator, or an id.
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

#define AB_NO_AXIS 0xffffffu // above any feature's axis

// The cached separating axes of the last detect, for kernels with hysteresis. Callable from any thread.
typedef struct ab_cached_axes
{
    // Writes bits 8 and up of the first feature of the contact of proxies a[i] and b[i] in the last detect, in the
    // orientation of the lower collider key, or AB_NO_AXIS if there was none. NULL: there is no cache.
    void (*find)(const void *store, const ab_record *records, const uint32_t *a, const uint32_t *b, uint32_t count,
                 uint32_t *axes);
    const void *store;
} ab_cached_axes;

// Pairs of one type: a[i] is of the lower kind; of equal kinds, a[i] has the lower collider key. Entries from `count`
// up to the next multiple of AB_WIDEST must exist and name a live proxy; their results are dropped.
typedef struct ab_batch
{
    const ab_record *records;           // by proxy
    const abut_vec3 *offsets;           // by proxy; NULL: all zero
    const float *reach;                 // by proxy; NULL: all zero
    const uint32_t *colliders;          // by proxy: index of its shape in `shapes`
    const abut_shape *shapes;           // by collider slot: for data that does not fit a record
    const ab_kind_set *kinds;           // the caller's custom kinds; NULL: none, and no shape is custom
    const ab_pair_functions *functions; // likewise
    const uint32_t *a, *b;              // proxies
    const uint32_t *parts; // of pairs with a mesh or chain: its triangle or segment; compounds: ab_children_join
    uint32_t count;        // at most AB_CHUNK
    ab_cached_axes cached; // zeros: none
    // Output of ab_convex_touching: a proxy whose pair function returned an invalid manifold, or ABUT_NONE. May be
    // NULL.
    uint32_t *invalid;
    bool is_2d;   // the pairs are in 2D
    float margin; // metres; a pair touches when separation <= margin + reach of a + reach of b
} ab_batch;

// Output of kernels: packed manifolds and a sort entry for each. Kernels do not grow it: before a batch there is room
// for AB_MANIFOLD_LINES(count) more lines and AB_MANIFOLD_ENTRIES(count) more entries.
typedef struct ab_manifolds
{
    ab_packed_manifold *lines;
    ab_manifold_entry *entries; // they name lines of `lines`
    uint32_t line_count, count, point_count;
    bool invalid; // a pair function returned an invalid manifold: the batch's output is unusable
    uint32_t invalid_proxy;
} ab_manifolds;

// Kernels may write up to a vector of manifolds of one point past the last manifold.
#define AB_MANIFOLD_LINES(count)   (AB_PACKED_LINES * (count) + 2 * AB_WIDEST)
#define AB_MANIFOLD_ENTRIES(count) ((count) + AB_WIDEST)

// Room for a kernel's worst-case output for a batch.
typedef struct ab_manifold_room
{
    _Alignas(AB_CACHE_LINE) ab_packed_manifold lines[AB_MANIFOLD_LINES(AB_CHUNK)];
    ab_manifold_entry entries[AB_MANIFOLD_ENTRIES(AB_CHUNK)];
} ab_manifold_room;

static inline ab_manifolds ab_manifolds_in(ab_manifold_room *room)
{
    return (ab_manifolds){ .lines = room->lines, .entries = room->entries };
}

// Appends the manifold of two proxies of a batch, a having the lower collider key; of a mesh, that of one child. It has
// at least one point.
static inline void ab_manifolds_append_child(ab_manifolds *out, const ab_batch *batch, uint32_t proxy_a,
                                             uint32_t proxy_b, uint32_t child, const abut_manifold *m)
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
        .child_points = child << AB_CHILD_SHIFT | m->point_count,
    };
    out->line_count += ab_packed_manifold_set_points(packed, m->points, m->point_count);
    out->point_count += m->point_count;
}

// Puts another manifold, of one point, in the place of one that was appended; the normal is oriented as that's was.
static inline void ab_manifolds_replace(ab_manifolds *out, uint32_t i, const abut_manifold *m)
{
    ab_manifold_entry *entry = &out->entries[i];
    ab_packed_manifold *packed = &out->lines[entry->line];
    const uint32_t mask = (1u << AB_CHILD_SHIFT) - 1;
    out->point_count += m->point_count - (entry->child_points & mask);
    entry->child_points = (entry->child_points & ~mask) | m->point_count;
    packed->normal[0] = m->normal.x;
    packed->normal[1] = m->normal.y;
    packed->normal[2] = m->normal.z;
    packed->separation = m->separation;
    (void)ab_packed_manifold_set_points(packed, m->points, m->point_count);
}

static inline void ab_manifolds_append(ab_manifolds *out, const ab_batch *batch, uint32_t proxy_a, uint32_t proxy_b,
                                       const abut_manifold *m)
{
    ab_manifolds_append_child(out, batch, proxy_a, proxy_b, 0, m);
}

typedef void ab_narrow_kernel(const ab_batch *batch, ab_manifolds *out);

// The same decision without the manifolds: writes the batch indices of the touching pairs, ascending, and returns their
// number. `out` has room for count + AB_WIDEST.
typedef uint32_t ab_touching_kernel(const ab_batch *batch, uint32_t *out);

// The kernels of every pair type without kernels of its own: compiled once, the same for all instruction sets.
ab_narrow_kernel ab_convex_kernel;
ab_touching_kernel ab_convex_touching;

typedef struct ab_pair_type
{
    const char *name; // such as "sphere-obb"; NULL: this pair is not supported
    ab_narrow_kernel *kernel;
    ab_touching_kernel *touching;
    uint32_t max_points;
    bool caches_axes; // the kernel reads cached axes
    bool
        has_parts; // one is a mesh, compound or chain: the kernel wants a pair for each part, `touching` each pair once
} ab_pair_type;

// Only entries [lower kind][higher kind] are filled.
typedef struct ab_pair_table
{
    ab_pair_type type[AB_KIND_COUNT][AB_KIND_COUNT];
} ab_pair_table;

#endif
