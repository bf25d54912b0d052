// Common parts of queries of a world: entry, filter, and the caller's arrays of hits.
//
// A query only reads the world, so any number of threads may query at once.
#ifndef AB_QUERY_H
#define AB_QUERY_H

#include "index/cast.h"
#include "world/world.h"

#include <abut/query.h>

// A filter with its defaults filled in.
typedef struct ab_query_filter
{
    uint32_t category, mask, motions, flags;
    const abut_body *ignore;
    uint32_t ignore_count;
    bool whole; // finds every collider that is no sensor and has no filter of its own
} ab_query_filter;

// NULL when the filter is valid, else the sentence that says what is not. `filter` may be NULL.
const char *ab_query_filter_accept(ab_query_filter *out, const abut_query_filter *filter);

// Whether a query may find a proxy.
bool ab_query_wants(const abut_world *world, const ab_query_filter *filter, uint32_t proxy);

// Calls the caller's `on_error`, in the caller's floating-point environment, which must be restored before. Unlike
// ab_fail it does not touch the world.
abut_status ab_query_fail(const abut_world *world, abut_status status, const char *call, uint32_t index,
                          const char *sentence);

// The trees over both sets, and their cast kernel.
typedef struct ab_query_index
{
    ab_tree tree[AB_SET_COUNT];
    ab_cast_kernel *cast;
    float node_width; // mean, of nodes over 64 proxies
} ab_query_index;

ab_query_index ab_query_index_of(const abut_world *world);

// The order of hits: by fraction, then collider.
bool ab_hit_before(const abut_world *world, const abut_hit *a, const abut_hit *b);

// The first `capacity` of all hits added, as a heap whose first is the last of them in order; and the number of hits
// added.
typedef struct ab_hit_list
{
    const abut_world *world;
    abut_hit *hits;
    uint64_t capacity;
    uint32_t count;
} ab_hit_list;

void ab_hit_list_add(ab_hit_list *list, const abut_hit *hit);
void ab_hit_list_sort(ab_hit_list *list);

#endif
