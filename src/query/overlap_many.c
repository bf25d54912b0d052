// What many boxes, shapes or points overlap, together. Bounds decide, by more than rounding, about all but what is just
// at the surface of a shape; and each result goes where those before it leave it.
#include "query/overlap_query.h"

#ifndef AB_SMALL

#include "query/bound_kernels.h"
#include "query/gather.h"

#include <math.h>

#define SQUARE_UP (1.0f + 0x1p-20f) // more than a square is rounded by

// Questions answered together.
typedef struct together
{
    const ab_overlap_questions *questions;
    ab_query_lists *lists;
    uint32_t first, count;
    ab_overlap_asker asker[AB_TOGETHER];
    ab_index_box box[AB_TOGETHER];
    ab_gathered gathered;
    bool overlapping[AB_GATHERED];
    uint32_t kept[AB_TOGETHER];            // how many of each question's candidates overlap: its first ones
    uint32_t key[AB_GATHERED + AB_WIDEST]; // of each candidate's collider
} together;

// Bounds decide about what is in or out of a ball. Writes which candidates are left to tests, and returns how many.
// Apart, so that its arrays are not on the stack below the tests.
AB_APART static uint32_t decide_by_balls(together *t, uint16_t *undecided)
{
    const ab_gathered *g = &t->gathered;
    const abut_world *world = g->asked->world;
    _Alignas(AB_CACHE_LINE) ab_near_row row[AB_TOGETHER];
    float inner[AB_TOGETHER], outer[AB_TOGETHER], least[AB_GATHERED + AB_WIDEST], most[AB_GATHERED + AB_WIDEST];
    uint32_t left = 0;
    for (uint32_t i = 0; i < t->count; ++i)
    {
        const ab_overlap_shape *shape = &t->asker[i].shape;
        const abut_vec3 at = shape->pose.position;
        row[i] = (ab_near_row){ .point = { at.x, at.y, at.z } };
        inner[i] = shape->inner > 0.0f ? shape->inner : -1.0f; // without a ball the centre may be outside
        outer[i] = shape->outer;
    }
    world->kernels->queries->near_many(&world->cache.proxies, row, g->proxy, g->query, g->count, least, most);
    for (uint32_t i = 0; i < g->count; ++i)
    {
        const bool in = most[i] <= inner[g->query[i]], out = !(least[i] <= outer[g->query[i]]);
        t->overlapping[i] = in;
        undecided[left] = (uint16_t)i;
        left += !(in | out); // no branch: it cannot be predicted
    }
    return left;
}

// The exact test of some candidates of one question.
static void test_some(together *t, const uint16_t *candidates, uint32_t count)
{
    const ab_overlap_asker *a = &t->asker[t->gathered.query[candidates[0]]];
    uint32_t proxies[AB_OVERLAP_BATCH];
    bool overlapping[AB_OVERLAP_BATCH];
    for (uint32_t i = 0; i < count; ++i)
    {
        proxies[i] = t->gathered.proxy[candidates[i]];
    }
    a->test(a->context, proxies, count, overlapping);
    for (uint32_t i = 0; i < count; ++i)
    {
        t->overlapping[candidates[i]] = overlapping[i];
    }
}

static void test_all(together *t)
{
    const ab_gathered *g = &t->gathered;
    uint16_t undecided[AB_GATHERED];
    uint32_t left = g->count;
    for (uint32_t i = 0; i < left; ++i)
    {
        undecided[i] = (uint16_t)i;
    }
    left = t->asker[0].test == ab_overlap_test_shape ? decide_by_balls(t, undecided) : left;
    for (uint32_t i = 0, end = 0; i < left; i = end)
    {
        for (++end; end < left && end - i < AB_OVERLAP_BATCH && g->query[undecided[end]] == g->query[undecided[i]];)
        {
            ++end;
        }
        test_some(t, undecided + i, end - i);
    }
}

void ab_overlap_publish_many(const ab_overlap_query *query, ab_query_lists *lists, const uint32_t *proxies,
                             uint32_t count)
{
    ab_overlap_query q = *query;
    ab_result_list list;
    ab_query_lists_next(lists, q.world, ab_found_rank, q.question, &list);
    q.list = &list;
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_overlap_take(&q, proxies[i]);
    }
    ab_query_lists_took(lists, q.question, &list);
}

void ab_overlap_publish_few(const ab_overlap_questions *q, ab_query_lists *lists, uint32_t i, const uint32_t *proxies,
                            const uint32_t *keys, uint32_t count)
{
    const ab_contact_name *names = q->asked.world->cache.proxies.name;
    const uint64_t left = lists->total < lists->capacity ? lists->capacity - lists->total : 0;
    abut_found *out = left > 0 ? (abut_found *)lists->results + lists->total : NULL;
    uint32_t below[AB_FEW_RESULTS + AB_WIDEST];
    q->asked.world->kernels->queries->rank(keys, count, below);
    for (uint32_t k = 0; k < count; ++k)
    {
        if (below[k] < left)
        {
            const ab_contact_name *name = &names[proxies[k]];
            out[below[k]] = (abut_found){ .body = name->body, .collider = name->collider };
        }
    }
    lists->ranges[i] = (abut_range){ lists->total, count };
    lists->total += count;
}

// Moves what overlaps to the front. Returns how many do.
static uint32_t keep_overlapping(together *t, uint32_t query)
{
    ab_gathered *g = &t->gathered;
    uint32_t *const proxies = g->proxy + g->first[query], count = g->first[query + 1] - g->first[query], kept = 0;
    const bool *overlapping = t->overlapping + g->first[query];
    for (uint32_t i = 0; t->asker[query].test && i < count; ++i)
    {
        proxies[kept] = proxies[i];
        kept += overlapping[i];
    }
    return t->asker[query].test ? kept : count;
}

// For all questions before any is published: keys come from far apart, and a vector of them has to wait for its parts
// to be stored. Once shapes were tested, their records are at hand.
static void find_keys(together *t, bool tested)
{
    const ab_gathered *g = &t->gathered;
    const ab_proxies *proxies = &g->asked->world->cache.proxies;
    for (uint32_t i = 0; i < g->count; ++i)
    {
        const uint32_t proxy = g->proxy[i];
        t->key[i] = tested ? proxies->record[proxy].collider_key : proxies->collider_key[proxy];
    }
    memset(t->key + g->count, 0, AB_WIDEST * sizeof *t->key);
}

static void publish(const together *t, uint32_t query)
{
    const uint32_t *proxies = t->gathered.proxy + t->gathered.first[query], count = t->kept[query];
    const bool one_per_body = (t->questions->asked.accepted.flags & ABUT_QUERY_ONE_PER_BODY) != 0;
    if (count > AB_FEW_RESULTS || one_per_body)
    {
        const ab_overlap_query alone =
            ab_overlap_query_of(t->questions, &t->asker[query], &t->box[query], t->first + query);
        ab_overlap_publish_many(&alone, t->lists, proxies, count);
        return;
    }
    ab_overlap_publish_few(t->questions, t->lists, t->first + query, proxies, t->key + t->gathered.first[query], count);
}

// Whether all that ask are spheres. Then they look for boxes within a reach of their centres, as far as their own boxes
// reach along some axis: what is in the corners of those is left out.
static bool look_in_balls(together *t)
{
    const abut_placed_shape *shapes = t->questions->shapes;
    for (uint32_t i = 0; i < t->count; ++i)
    {
        if (!shapes || shapes[t->first + i].shape.kind != ABUT_SPHERE)
        {
            return false;
        }
    }
    for (uint32_t i = 0; i < t->count; ++i)
    {
        ab_index_box *box = &t->box[i];
        const abut_vec3 at = t->asker[i].shape.pose.position;
        const float centre[3] = { at.x, at.y, at.z };
        double reach = 0.0;
        for (int k = 0; k < 3; ++k)
        {
            const double up = (double)box->max[k] - (double)centre[k], down = (double)centre[k] - (double)box->min[k];
            const double most = up > down ? up : down;
            reach = most > reach ? most : reach;
            box->min[k] = box->max[k] = centre[k];
        }
        box->square = (float)(reach * reach) * SQUARE_UP;
    }
    return true;
}

AB_INLINE void prefetch_names(const ab_gathered *g)
{
    const abut_world *world = g->asked->world;
    for (uint32_t i = 0; i < g->count; ++i)
    {
        ab_query_prefetch_name(world, g->proxy[i]);
    }
}

static bool answer_together(void *context, ab_query_lists *lists, uint32_t first, uint32_t count)
{
    const ab_overlap_questions *q = context;
    uint8_t all[AB_TOGETHER] = { 0 };
    together t;
    t.questions = q;
    t.lists = lists;
    t.first = first;
    t.count = count;
    for (uint32_t i = 0; i < count; ++i)
    {
        all[i] = (uint8_t)i;
        ab_overlap_lay(&t.asker[i], &t.box[i], q, first + i);
    }
    const bool tested = count > 0 && t.asker[0].test;
    const ab_index_kernels *kernels = q->asked.index->kernels;
    const bool balls = count > 1 && look_in_balls(&t); // for one it is not worth it
    const ab_gather_queries queries = { balls ? kernels->near : kernels->overlap,
                                        balls ? kernels->near_many : kernels->overlap_many,
                                        t.box,
                                        sizeof *t.box,
                                        count,
                                        first,
                                        tested ? AB_GATHER_RECORDS : AB_GATHER_NAMES };
    if (!ab_gather(&t.gathered, &q->asked, &queries, all, count))
    {
        return false;
    }
    prefetch_names(&t.gathered);
    if (tested)
    {
        test_all(&t);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        t.kept[i] = keep_overlapping(&t, i);
    }
    find_keys(&t, tested);
    for (uint32_t i = 0; i < count; ++i)
    {
        publish(&t, i);
    }
    return true;
}

void ab_overlap_answer_many(void *context, ab_query_lists *lists, uint32_t first, uint32_t count)
{
    const ab_overlap_questions *q = context;
    ab_gather_answers(&q->asked, lists, first, count, answer_together);
}

#endif
