// Candidates of casts are sorted by what the pair of shapes is. A few of a sort are tested by themselves.
#include "query/cast_many.h"

#ifndef AB_SMALL

#include "base/assert.h"
#include "base/kernels.h"
#include "query/cast_shape.h"

#include <string.h>

#define FEW      3u                  // are tested one by one
#define OVERLAPS AB_CAST_SORTS       // the list of boxes that may overlap at the start, which takes more steps
#define LISTS    (AB_CAST_SORTS + 1) // others are by sort

ab_cast_sort ab_cast_solid_make(ab_cast_solid *out, const ab_mover *mover, abut_vec3 origin)
{
    const ab_convex *start = &mover->start;
    const double *half = start->core.half;
    const int widths = (half[0] > 0.0) + (half[1] > 0.0) + (half[2] > 0.0);
    const abut_shape_kind kind = start->shape->kind;
    const bool point = kind == ABUT_SPHERE, box = (kind == ABUT_AABB || kind == ABUT_OBB) && widths > 1;
    if (start->is_2d || !ab_mover_is_straight(mover) || !(point || box))
    {
        return AB_CAST_NONE;
    }
    out->mover = mover;
    out->origin[0] = origin.x;
    out->origin[1] = origin.y;
    out->origin[2] = origin.z;
    out->point = point;
    return point ? AB_CAST_POINTS : AB_CAST_BOXES;
}

ab_cast_sort ab_cast_sort_of(const ab_proxies *proxies, uint32_t proxy, ab_cast_sort own)
{
    const uint32_t flags = proxies->proxy_flags[proxy], kind = (flags & AB_PROXY_TYPE_KEY) >> 2;
    const ab_record *record = &proxies->record[proxy];
    const bool sphere = kind == ABUT_SPHERE, box = (kind == ABUT_AABB) | (kind == ABUT_OBB);
    const int widths = (record->half_x > 0.0f) + (record->half_y > 0.0f) + (record->half_z > 0.0f);
    if (own == AB_CAST_NONE || !(flags & AB_PROXY_SIZED) || !(sphere | box))
    {
        return AB_CAST_NONE;
    }
    if (sphere | (own == AB_CAST_POINTS))
    {
        return AB_CAST_POINTS;
    }
    return widths > 1 ? AB_CAST_BOXES : AB_CAST_NONE;
}

// Pairs of one sort.
typedef struct pairs
{
    uint32_t count;
    uint32_t proxy[AB_BLOCK], travel[AB_BLOCK];
    float bound[AB_BLOCK];
} pairs;

static void take(ab_travel *t, uint32_t proxy, const ab_cast_hits *hits, uint32_t k)
{
    const bool inside = hits->answer[k] == AB_STRAIGHT_OVERLAP;
    const ab_overlaps overlaps = ab_cast_overlaps(t->asked->accepted.flags);
    if (inside && overlaps != AB_OVERLAPS_ALL)
    {
        if (overlaps == AB_OVERLAPS_APPROACHED) // as it is decided alone
        {
            (void)ab_travel_try(t, proxy, 0.0f);
        }
        return;
    }
    abut_hit *hit = ab_travel_note(t, proxy, hits->fraction[k], hits->depth[k]);
    if (hit)
    {
        hit->offset = abut_vec3_make(hits->offset[0][k], hits->offset[1][k], hits->offset[2][k]);
        hit->normal = abut_vec3_make(hits->normal[0][k], hits->normal[1][k], hits->normal[2][k]);
        hit->depth = hits->depth[k];
        hit->child = 0;
        hit->flags = inside ? ABUT_HIT_INSIDE : 0u;
    }
}

static void try(const ab_travels *travels, const pairs *p, uint32_t k)
{
    (void)ab_travel_try(&travels->travel[p->travel[k]], p->proxy[k], p->bound[k]);
}

// Empties the list.
static void decide(const ab_travels *travels, ab_cast_sort sort, pairs *p)
{
    const abut_world *world = travels->travel[0].asked->world;
    const ab_cast_solids *casts = travels->tested;
    ab_cast_hits hits;
    for (uint32_t k = p->count; k < AB_BLOCK; ++k)
    {
        p->proxy[k] = p->proxy[0];
        p->travel[k] = p->travel[0];
    }
    world->kernels->casts->hit[sort](&world->cache.proxies, casts->solid, p->proxy, p->travel, &hits);
    for (uint32_t k = 0; k < p->count; ++k)
    {
        if (hits.answer[k] == AB_STRAIGHT_UNDECIDED)
        {
            try(travels, p, k);
        }
        else if (hits.answer[k] != AB_STRAIGHT_MISS)
        {
            AB_ASSERT(p->bound[k] <= hits.fraction[k], p->proxy[k]);
            take(&travels->travel[p->travel[k]], p->proxy[k], &hits, k);
        }
    }
    p->count = 0;
}

// Decides a list once it is full.
AB_INLINE void add(const ab_travels *travels, ab_cast_sort sort, pairs *p, uint32_t proxy, uint32_t travel, float bound)
{
    p->proxy[p->count] = proxy;
    p->travel[p->count] = travel;
    p->bound[p->count] = bound;
    if (++p->count == AB_BLOCK)
    {
        decide(travels, sort, p);
    }
}

// What is left of a list.
static void finish(const ab_travels *travels, ab_cast_sort sort, pairs *p)
{
    if (p->count >= FEW)
    {
        decide(travels, sort, p);
    }
    for (uint32_t k = 0; k < p->count; ++k)
    {
        try(travels, p, k);
    }
}

void ab_cast_test_many(const ab_travels *travels, const ab_candidates *candidates, const uint16_t *which,
                       uint32_t count)
{
    const ab_questions *asked = travels->travel[0].asked;
    const ab_cast_solids *casts = travels->tested;
    pairs lists[LISTS];
    for (uint32_t list = 0; list < LISTS; ++list)
    {
        lists[list].count = 0;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t at = which[i], proxy = candidates->proxy[at], travel = candidates->travel[at];
        const ab_cast_sort sort =
            ab_cast_sort_of(&asked->world->cache.proxies, proxy, (ab_cast_sort)casts->sort[travel]);
        ab_travel_expect(&travels->travel[travel], proxy);
        if (sort == AB_CAST_NONE)
        {
            (void)ab_travel_try(&travels->travel[travel], proxy, candidates->bound[at]);
        }
        else if (ab_query_wants(asked->world, &asked->accepted, travels->travel[travel].question, proxy))
        {
            const bool overlap = sort == AB_CAST_BOXES && candidates->bound[at] == 0.0f;
            add(travels, sort, &lists[overlap ? OVERLAPS : (uint32_t)sort], proxy, travel, candidates->bound[at]);
        }
    }
    for (uint32_t k = 0; k < lists[OVERLAPS].count; ++k) // those that are left
    {
        const pairs *p = &lists[OVERLAPS];
        add(travels, AB_CAST_BOXES, &lists[AB_CAST_BOXES], p->proxy[k], p->travel[k], p->bound[k]);
    }
    for (ab_cast_sort sort = 0; sort < AB_CAST_SORTS; ++sort)
    {
        finish(travels, sort, &lists[sort]);
    }
}

#endif
