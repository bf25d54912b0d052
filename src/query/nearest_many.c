// The nearest colliders of many points or shapes together: a ball about each that has not found enough yet, bounds for
// all that they meet, and of each question the candidates that may be nearest first. The first spheres and boxes of all
// points are measured eight at a time.
#include "query/near_query.h"

#ifndef AB_SMALL

#include "query/gather.h"

#define FIRSTS (AB_TOGETHER * AB_NEAR_FIRSTS) // of all questions
#define ALONE  UINT16_MAX                     // is measured by itself

// First candidates of one sort, which are measured together, and what comes of them.
typedef struct waiting
{
    uint32_t count;
    uint32_t proxy[FIRSTS + AB_BLOCK], query[FIRSTS + AB_BLOCK];
    ab_near_points points[FIRSTS / AB_BLOCK];
} waiting;

// Questions answered together.
typedef struct together
{
    const ab_near_questions *questions;
    ab_query_lists *lists;
    uint32_t first, count;
    bool one_each; // result, at the place of its question
    float ball[AB_TOGETHER], farthest[AB_TOGETHER];
    ab_near_query query[AB_TOGETHER];
    ab_index_box box[AB_TOGETHER];
    _Alignas(AB_CACHE_LINE) ab_near_row row[AB_TOGETHER];
    ab_gathered gathered;
    float least[AB_GATHERED + AB_WIDEST];
    uint8_t order[AB_GATHERED]; // of each 64 of a question's
    waiting waits[AB_EXACT_SORTS];
    uint16_t place[FIRSTS]; // of each question's first ones: FIRSTS times its sort, and where it waited; or ALONE
} together;

static void bound_all(together *t)
{
    const ab_gathered *g = &t->gathered;
    const abut_world *world = g->asked->world;
    float most[AB_GATHERED + AB_WIDEST];
    if (t->count == 1 && t->row->radius == 0.0f)
    {
        world->kernels->queries->near(&world->cache.proxies, t->row->point, g->proxy, g->count, t->least, most);
    }
    else
    {
        world->kernels->queries->near_many(&world->cache.proxies, t->row, g->proxy, g->query, g->count, t->least, most);
    }
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
    const uint32_t asked_for = t->count == 1 ? 0 : q->most; // of one query all was
    for (uint32_t from = g->first[i], end = g->first[i + 1], part; from < end; from += part)
    {
        part = part_of(from, end);
        order_part(q, t->least + from, part, t->order + from);
        for (uint32_t k = 0; k < part && k < asked_for; ++k)
        {
            ab_query_prefetch(g->asked->world, g->proxy[from + t->order[from + k]]);
        }
    }
}

// Measures those of one sort.
static void measure_waiting(const ab_near_questions *q, ab_exact_sort sort, const ab_near_row *rows, waiting *w)
{
    for (uint32_t k = 0; w->count > 0 && k < AB_BLOCK; ++k)
    {
        w->proxy[w->count + k] = w->proxy[0];
        w->query[w->count + k] = w->query[0];
    }
    for (uint32_t i = 0; i < w->count; i += AB_BLOCK)
    {
        q->asked.world->kernels->exact->near[sort](&q->asked.world->cache.proxies, rows, w->proxy + i, w->query + i,
                                                   &w->points[i / AB_BLOCK]);
    }
}

// How many of a question's candidates come first: of points alone.
static uint32_t firsts_of(const together *t, uint32_t i)
{
    const uint32_t count = t->gathered.first[i + 1] - t->gathered.first[i], most = t->query[i].most;
    const uint32_t some = most < AB_NEAR_FIRSTS ? most : AB_NEAR_FIRSTS, firsts = count < some ? count : some;
    return t->questions->points ? firsts : 0;
}

// Measures the first candidates of all questions. Without a branch on what they are.
static void measure_firsts(together *t, const uint8_t *active, uint32_t count)
{
    const uint32_t *flags = t->questions->asked.world->cache.proxies.proxy_flags;
    t->waits[AB_EXACT_SPHERES].count = t->waits[AB_EXACT_BOXES].count = 0;
    for (uint32_t k = 0; k < count; ++k)
    {
        const uint32_t i = active[k], from = t->gathered.first[i], end = firsts_of(t, i);
        const float reach = t->query[i].reach;
        uint16_t *places = t->place + i * AB_NEAR_FIRSTS;
        for (uint32_t first = 0; first < end; ++first)
        {
            const uint32_t candidate = from + t->order[from + first], proxy = t->gathered.proxy[candidate];
            const ab_exact_sort sort = ab_exact_sort_of(flags[proxy]);
            const bool waits = (sort != AB_EXACT_NONE) & (t->least[candidate] <= reach);
            const uint32_t own = sort == AB_EXACT_BOXES ? AB_EXACT_BOXES : AB_EXACT_SPHERES;
            waiting *w = &t->waits[own];
            w->proxy[w->count] = proxy;
            w->query[w->count] = i;
            places[first] = waits ? (uint16_t)(own * FIRSTS + w->count) : ALONE;
            w->count += waits;
        }
    }
    for (ab_exact_sort sort = 0; sort < AB_EXACT_SORTS; ++sort)
    {
        measure_waiting(t->questions, sort, t->row, &t->waits[sort]);
    }
}

// Tries one of a question's first candidates.
static void try_first(together *t, ab_near_query *q, uint32_t proxy, uint32_t place)
{
    if (place == ALONE)
    {
        ab_near_try(q, proxy);
        return;
    }
    const uint32_t at = place % FIRSTS;
    ab_near_try_point(q, proxy, &t->waits[place / FIRSTS].points[at / AB_BLOCK], at % AB_BLOCK);
}

// Whether what comes in the order after a candidate of several results' is farther than its reach, too: only the lowest
// bits of their distances are in any order.
static bool ends_order(const ab_near_query *q, float least)
{
    uint32_t key, reach;
    memcpy(&key, &least, sizeof key);
    memcpy(&reach, &q->reach, sizeof reach);
    return q->most > 1 && (key & ~(AB_GATHER_SORTED - 1u)) > reach;
}

// The list of a question, before a ball and once there are no more.
AB_INLINE void open_list(together *t, uint32_t i, ab_result_list *list)
{
    if (t->one_each)
    {
        ab_near_open_one(&t->query[i], list, t->lists, t->first + i);
    }
    else
    {
        ab_near_open_list(&t->query[i], list, t->questions, t->lists, t->first + i);
    }
}

AB_INLINE void close_list(together *t, uint32_t i, ab_result_list *list)
{
    if (t->one_each)
    {
        ab_near_close_one(t->lists, t->first + i, list);
    }
    else
    {
        ab_near_close_list(t->questions, t->lists, t->first + i, list);
    }
}

// Tries the candidates of a question. False if there may be more, farther away.
static bool try_gathered(together *t, uint32_t i)
{
    const ab_gathered *g = &t->gathered;
    ab_near_query *q = &t->query[i];
    ab_result_list list;
    open_list(t, i, &list);
    const uint32_t begin = g->first[i], firsts = firsts_of(t, i);
    for (uint32_t first = 0; first < firsts; ++first)
    {
        const uint32_t candidate = begin + t->order[begin + first];
        if (t->least[candidate] <= q->reach)
        {
            try_first(t, q, g->proxy[candidate], t->place[i * AB_NEAR_FIRSTS + first]);
        }
    }
    for (uint32_t from = begin, end = g->first[i + 1], part; from < end; from += part)
    {
        part = part_of(from, end);
        for (uint32_t k = from + (from == begin ? firsts : 0); k < from + part; ++k)
        {
            const uint32_t candidate = from + t->order[k];
            if (t->least[candidate] <= q->reach)
            {
                ab_near_try(q, g->proxy[candidate]);
            }
            else if (ends_order(q, t->least[candidate]))
            {
                break;
            }
        }
    }
    const bool over = list.count >= q->most || !ab_near_next_ball(q, &t->ball[i], &t->farthest[i]);
    if (over)
    {
        close_list(t, i, &list);
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
        ab_near_open_ball(&t->query[active[k]], t->ball[active[k]]);
    }
    const ab_index_kernels *kernels = asked->index->kernels;
    const ab_gather_queries queries = { kernels->near,
                                        kernels->near_many,
                                        t->box,
                                        sizeof *t->box,
                                        t->count,
                                        t->first,
                                        t->query[0].most == 1 || t->count == 1 ? AB_GATHER_SHAPES : AB_GATHER_RECORDS };
    if (!ab_gather(&t->gathered, asked, &queries, active, *count))
    {
        return false;
    }
    bound_all(t);
    for (uint32_t k = 0; k < *count; ++k)
    {
        order_gathered(t, active[k]);
    }
    measure_firsts(t, active, *count);
    for (uint32_t k = 0; k < *count; ++k)
    {
        const uint8_t i = active[k];
        const bool over = try_gathered(t, i);
        active[left] = i;
        left += !over;
    }
    *count = left;
    return true;
}

static void close_empty(together *t, uint32_t i)
{
    ab_result_list list;
    open_list(t, i, &list);
    close_list(t, i, &list);
    t->query[i].list = NULL;
}

static bool answer_together(void *context, ab_query_lists *lists, uint32_t first, uint32_t count)
{
    const ab_near_questions *q = context;
    ab_convex shape[AB_TOGETHER];
    uint8_t active[AB_TOGETHER];
    uint32_t active_count = 0;
    together t;
    t.questions = q;
    t.lists = lists;
    t.first = first;
    t.count = count;
    t.one_each = q->most == 1 && lists->each == 1;
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_near_lay(&t.query[i], &t.box[i], &shape[i], q, first + i);
        const abut_vec3 at = t.query[i].position;
        t.row[i].point[0] = at.x, t.row[i].point[1] = at.y, t.row[i].point[2] = at.z;
        t.row[i].radius = t.query[i].radius;
        t.farthest[i] = ab_near_farthest(q);
        if (ab_near_first_ball(&t.query[i], t.farthest[i], &t.ball[i]))
        {
            active[active_count++] = (uint8_t)i;
        }
        else
        {
            close_empty(&t, i);
        }
    }
    bool room = true;
    while (room && active_count > 0)
    {
        room = search(&t, active, &active_count);
    }
    return room;
}

void ab_near_answer_many(void *context, ab_query_lists *lists, uint32_t first, uint32_t count)
{
    const ab_near_questions *q = context;
    if (q->asked.placed)
    {
        ab_gather_answers(&q->asked, lists, first, count, answer_together);
        return;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_gather_answers(&q->asked, lists, first + i, 1, answer_together); // where one ends the next begins
    }
}

#endif
