// Travels along many lines at once: for the closest hit of each or any in segments, as one travel, each of which
// descends the index together with those of the others; for all hits of each in one descent.
#ifndef AB_TRAVEL_MANY_H
#define AB_TRAVEL_MANY_H

#include "query/exact_kernels.h"
#include "query/travel.h"

// A lower bound for the fraction of each hit: see ab_ray_many_bound_kernel. `travels` is NULL where there is one.
typedef void ab_travel_bound(const void *context, const uint32_t *proxies, const uint8_t *travels, uint32_t count,
                             float *bounds);

// Decides eight pairs of proxy and travel, whose shapes are of one sort. `travels` is NULL where there is one.
typedef void ab_travel_decide(const void *context, ab_exact_sort sort, const uint32_t *proxies, const uint32_t *travels,
                              ab_ray_hits *out);

// Pairs of a proxy and the index of a travel, and the lower bounds of their hits.
typedef struct ab_candidates
{
    const uint32_t *proxy;
    const uint8_t *travel;
    const float *bound;
} ab_candidates;

typedef struct ab_travels ab_travels;

// Tests some candidates, each of another travel.
typedef void ab_travel_test_many(const ab_travels *travels, const ab_candidates *candidates, const uint16_t *which,
                                 uint32_t count);

struct ab_travels
{
    uint32_t count;         // at most AB_DESCEND_MANY
    ab_travel *travel;      // each set up as for ab_travel_answer
    ab_cast_line *line;     // theirs, side by side
    ab_travel_bound *bound; // bounds has AB_BLOCK entries of padding
    const void *context;    // of bound and decide
#ifndef AB_SMALL
    ab_index_many_kernel *descend; // of the lines
    ab_travel_decide *decide;      // NULL: each candidate is tested by itself
    // Of what costs more to test than to find which comes next; else NULL, and so is `decide`.
    ab_travel_test_many *test_many;
    const void *tested; // its context
#endif
};

#ifndef AB_SMALL
// Sets all of a hit but its fraction and its names.
AB_INLINE void ab_travel_set_point(const ab_ray_point *at, abut_hit *out)
{
    out->offset = abut_vec3_make(at->x, at->y, at->z);
    out->normal = abut_vec3_make(at->nx, at->ny, at->nz);
    out->depth = 0.0f;
    out->child = 0;
    out->flags = at->inside ? ABUT_HIT_INSIDE : 0u;
}

void ab_travel_take_apart(ab_travel *t, uint32_t proxy, const ab_ray_point *at);

// A hit of a travel that wants all, as a result. Most are written where their list has them.
AB_INLINE void ab_travel_take_point(ab_travel *t, uint32_t proxy, const ab_ray_point *at)
{
    const ab_questions *asked = t->asked;
    const uint32_t collider_key = asked->world->cache.proxies.record[proxy].collider_key;
    const uint64_t rank = ab_hit_rank_of(at->fraction, 0.0f, collider_key);
    const bool each = !(asked->accepted.flags & ABUT_QUERY_ONE_PER_BODY);
    abut_hit *hit = each ? ab_result_list_room(t->all, rank) : NULL;
    if (!hit)
    {
        ab_travel_take_apart(t, proxy, at);
        return;
    }
    hit->fraction = at->fraction;
    ab_travel_set_point(at, hit);
    ab_travel_name(asked->world, proxy, hit);
    if (t->all->count == t->all->capacity)
    {
        ab_result_list_wrote(t->all);
    }
}
#endif

// Answers questions first, first + 1, …; the results want the closest hits or any, not lists.
void ab_travel_answer_many(ab_travels *travels, const ab_travel_results *results, uint32_t first);

#ifndef AB_SMALL
// Answers question `which` with the first travel, of which `descend`, `decide` and `test_many` are not read.
void ab_travel_answer_one(ab_travels *travels, const ab_travel_results *results, uint32_t which);

// Answers at most AB_TOGETHER of them with lists of all hits. False, with nothing answered, when there are too many
// candidates.
bool ab_travel_answer_all_many(const ab_travels *travels, ab_query_lists *lists, uint32_t first);

// The same of one.
bool ab_travel_answer_all_alone(const ab_travels *travels, ab_query_lists *lists, uint32_t question);
#endif

#endif
