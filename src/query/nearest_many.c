// The nearest colliders of many points or shapes together: a ball about each that has not found enough yet, bounds for
// all that they meet, and of each question the candidates that may be nearest first. The first spheres and boxes of all
// points are measured eight at a time.
#include "query/near_query.h"

#ifndef AB_SMALL

#include "query/gather.h"

// Questions answered together.
typedef struct together
{
    const ab_near_questions *questions;
    ab_query_lists *lists;
    uint32_t first, count;
    float ball[AB_TOGETHER], farthest[AB_TOGETHER];
    ab_near_query query[AB_TOGETHER];
    ab_index_box box[AB_TOGETHER];
    _Alignas(AB_CACHE_LINE) ab_near_row row[AB_TOGETHER];
    ab_gathered gathered;
    float least[AB_GATHERED + AB_WIDEST];
    uint8_t order[AB_GATHERED];                              // of each 64 of a question's
    ab_near_measured measured[AB_TOGETHER * AB_NEAR_FIRSTS]; // of each question's first ones
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

// Candidates that wait to be measured, and where in `measured` they are.
typedef struct waiting
{
    uint32_t count;
    uint16_t candidate[AB_TOGETHER * AB_NEAR_FIRSTS], place[AB_TOGETHER * AB_NEAR_FIRSTS];
} waiting;

// At most eight that wait, from `from` on.
static void measure_some(together *t, ab_exact_sort sort, const waiting *w, uint32_t from)
{
    const uint32_t count = w->count - from < AB_BLOCK ? w->count - from : AB_BLOCK;
    uint32_t proxy[AB_BLOCK], query[AB_BLOCK];
    ab_near_measured *out[AB_BLOCK];
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        const uint32_t i = from + (k < count ? k : 0);
        // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): every candidate that is counted is written
        query[k] = w->place[i] / AB_NEAR_FIRSTS;
        proxy[k] = t->gathered.proxy[w->candidate[i]];
        out[k] = &t->measured[w->place[i]];
    }
    ab_near_measure(&t->questions->asked, sort, t->row, proxy, query, count, out);
}

// How many of a question's candidates come first: of points alone.
static uint32_t firsts_of(const together *t, uint32_t i)
{
    const uint32_t count = t->gathered.first[i + 1] - t->gathered.first[i], most = t->query[i].most;
    const uint32_t some = most < AB_NEAR_FIRSTS ? most : AB_NEAR_FIRSTS, firsts = count < some ? count : some;
    return t->questions->points ? firsts : 0;
}

// Measures the first candidates of all questions, as many as are worth it.
static void measure_firsts(together *t, const uint8_t *active, uint32_t count)
{
    const uint32_t *flags = t->questions->asked.world->cache.proxies.proxy_flags;
    waiting waits[AB_EXACT_SORTS + 1];
    for (ab_exact_sort sort = 0; sort <= AB_EXACT_NONE; ++sort)
    {
        waits[sort].count = 0;
    }
    for (uint32_t k = 0; k < count; ++k)
    {
        const uint32_t i = active[k], from = t->gathered.first[i], end = firsts_of(t, i);
        for (uint32_t place = 0; place < end; ++place)
        {
            const uint32_t candidate = from + t->order[from + place];
            waiting *w = &waits[ab_exact_sort_of(flags[t->gathered.proxy[candidate]])];
            w->candidate[w->count] = (uint16_t)candidate;
            w->place[w->count] = (uint16_t)(i * AB_NEAR_FIRSTS + place);
            w->count += t->least[candidate] <= t->query[i].reach;
            t->measured[i * AB_NEAR_FIRSTS + place].distance = AB_NEAR_UNDECIDED;
        }
    }
    for (ab_exact_sort sort = 0; sort < AB_EXACT_SORTS; ++sort)
    {
        for (uint32_t from = 0; from + AB_EXACT_FEW <= waits[sort].count; from += AB_BLOCK)
        {
            measure_some(t, sort, &waits[sort], from);
        }
    }
}

// Tries the candidates of a question. False if there may be more, farther away.
static bool try_gathered(together *t, uint32_t i)
{
    const ab_gathered *g = &t->gathered;
    ab_near_query *q = &t->query[i];
    ab_result_list list;
    ab_near_open_list(q, &list, t->questions, t->lists, t->first + i);
    const uint32_t begin = g->first[i], firsts = firsts_of(t, i);
    for (uint32_t place = 0; place < firsts; ++place)
    {
        const uint32_t candidate = begin + t->order[begin + place];
        if (t->least[candidate] <= q->reach)
        {
            ab_near_try_measured(q, g->proxy[candidate], &t->measured[i * AB_NEAR_FIRSTS + place]);
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
        }
    }
    const bool over = !ab_near_next_ball(q, &t->ball[i], &t->farthest[i]);
    if (over)
    {
        ab_near_close_list(t->questions, t->lists, t->first + i, &list);
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
                                        t->query[0].most == 1 ? AB_GATHER_SHAPES : AB_GATHER_RECORDS };
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
    ab_near_open_list(&t->query[i], &list, t->questions, t->lists, t->first + i);
    ab_near_close_list(t->questions, t->lists, t->first + i, &list);
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
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_near_lay(&t.query[i], &t.box[i], &shape[i], q, first + i);
        const abut_vec3 at = t.query[i].position;
        t.row[i] = (ab_near_row){ .point = { at.x, at.y, at.z }, .radius = t.query[i].radius };
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
