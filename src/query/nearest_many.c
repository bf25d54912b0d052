// The nearest colliders of many points or shapes together: a ball about each that has not found enough yet, bounds for
// all that they meet, and of each question the candidates that may be nearest first.
#include "query/near_query.h"

#ifndef AB_SMALL

#include "query/bound_kernels.h"
#include "query/gather.h"

// Questions answered together.
typedef struct together
{
    ab_near_questions *questions;
    uint32_t first, count;
    float farthest;
    float ball[AB_TOGETHER];
    ab_near_query query[AB_TOGETHER];
    ab_index_box box[AB_TOGETHER];
    _Alignas(AB_CACHE_LINE) ab_near_row row[AB_TOGETHER];
    ab_gathered gathered;
    float least[AB_GATHERED + AB_WIDEST];
    uint8_t order[AB_GATHERED]; // of each 64 of a question's
} together;

static void bound_all(together *t)
{
    const ab_gathered *g = &t->gathered;
    const abut_world *world = g->asked->world;
    float most[AB_GATHERED + AB_WIDEST];
    world->kernels->queries->near_many(&world->cache.proxies, t->row, g->proxy, g->query, g->count, t->least, most);
    memset(t->least + g->count, 0, AB_WIDEST * sizeof *t->least);
}

// Of the candidates from `from` to `end`: how many are put in order together.
static uint32_t part_of(uint32_t from, uint32_t end)
{
    return end - from < AB_GATHER_SORTED ? end - from : AB_GATHER_SORTED;
}

// The order in which some candidates are tried, the first first. Of one result only that one is.
static void order_part(const ab_near_query *q, const float *least, uint32_t count, uint8_t *order)
{
    if (q->most > 1)
    {
        ab_gather_order(q->asked, least, count, order);
        return;
    }
    uint32_t lowest = UINT32_MAX; // of keys whose lowest bits are the index, which takes no branch
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t key;
        memcpy(&key, &least[i], sizeof key);
        key = (key & ~(AB_GATHER_SORTED - 1u)) | i;
        lowest = key < lowest ? key : lowest;
        order[i] = (uint8_t)i;
    }
    const uint32_t first = lowest % AB_GATHER_SORTED;
    order[first] = 0;
    order[0] = (uint8_t)first;
}

// Puts the candidates of a question in order, and asks the cache for what is read of the first.
static void order_gathered(together *t, uint32_t i)
{
    const ab_gathered *g = &t->gathered;
    const ab_near_query *q = &t->query[i];
    for (uint32_t from = g->first[i], end = g->first[i + 1], part; from < end; from += part)
    {
        part = part_of(from, end);
        order_part(q, t->least + from, part, t->order + from);
        for (uint32_t k = 0; k < part && k < q->most; ++k)
        {
            ab_query_prefetch(g->asked->world, g->proxy[from + t->order[from + k]]);
        }
    }
}

// Tries the candidates of a question. False if there may be more, farther away.
static bool try_gathered(together *t, uint32_t i)
{
    const ab_gathered *g = &t->gathered;
    ab_near_query *q = &t->query[i];
    ab_result_list list;
    ab_near_open_list(q, &list, t->questions, t->first + i);
    for (uint32_t from = g->first[i], end = g->first[i + 1], part; from < end; from += part)
    {
        part = part_of(from, end);
        for (uint32_t k = from; k < from + part; ++k)
        {
            const uint32_t candidate = from + t->order[k];
            if (t->least[candidate] <= q->reach)
            {
                ab_near_try(q, g->proxy[candidate]);
            }
        }
    }
    const bool over = list.count >= q->most || t->ball[i] >= t->farthest;
    if (over)
    {
        ab_near_close_list(t->questions, t->first + i, &list);
    }
    q->list = NULL;
    return over;
}

// One ball about each of the active ones, some of which stay so. False when there is no room.
static bool search(together *t, uint8_t *active, uint32_t *count)
{
    const ab_questions *asked = &t->questions->asked;
    uint32_t left = 0;
    for (uint32_t k = 0; k < *count; ++k)
    {
        ab_near_set_reach(&t->query[active[k]], t->ball[active[k]]);
    }
    const ab_index_kernels *kernels = asked->index->kernels;
    const ab_gather_queries queries = { kernels->near, kernels->near_many,
                                        t->box,        sizeof *t->box,
                                        t->count,      t->query[0].most == 1 ? AB_GATHER_SHAPES : AB_GATHER_RECORDS };
    if (!ab_gather(&t->gathered, asked, &queries, active, *count))
    {
        return false;
    }
    bound_all(t);
    for (uint32_t k = 0; k < *count; ++k)
    {
        order_gathered(t, active[k]);
    }
    for (uint32_t k = 0; k < *count; ++k)
    {
        const uint8_t i = active[k];
        const bool over = try_gathered(t, i);
        t->ball[i] = ab_near_next_ball(t->ball[i], t->farthest);
        active[left] = i;
        left += !over;
    }
    *count = left;
    return true;
}

static bool answer_together(void *context, uint32_t first, uint32_t count)
{
    ab_near_questions *q = context;
    ab_convex shape[AB_TOGETHER];
    uint8_t active[AB_TOGETHER];
    together t;
    t.questions = q;
    t.first = first;
    t.count = count;
    t.farthest = ab_near_farthest(q);
    for (uint32_t i = 0; i < count; ++i)
    {
        active[i] = (uint8_t)i;
        ab_near_lay(&t.query[i], &t.box[i], &shape[i], q, first + i);
        const abut_vec3 at = t.query[i].position;
        t.row[i] = (ab_near_row){ .point = { at.x, at.y, at.z }, .radius = t.query[i].radius };
        t.ball[i] = ab_near_first_ball(&t.query[i], t.farthest);
    }
    bool room = true;
    while (room && count > 0)
    {
        room = search(&t, active, &count);
    }
    return room;
}

void ab_near_answer_many(void *context, uint32_t first, uint32_t count)
{
    ab_near_questions *q = context;
    if (q->asked.placed)
    {
        ab_gather_answers(&q->asked, first, count, answer_together);
        return;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_gather_answers(&q->asked, first + i, 1, answer_together); // where one ends the next begins
    }
}

#endif
