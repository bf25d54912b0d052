// The nearest colliders of many points or shapes together: a ball about each that has not found enough yet, bounds for
// all that they meet, and of each question the candidates that may be nearest first. The first spheres and boxes of all
// points are measured eight at a time.
#include "query/near_query.h"

#ifndef AB_SMALL

#include "query/gather.h"

#define FIRSTS (AB_TOGETHER * AB_NEAR_FIRSTS) // of all questions
#define ALONE  UINT16_MAX                     // is measured by itself

#define ROOM (FIRSTS + AB_BLOCK) // for those of one sort

// First candidates that are measured together, those of a sort from ROOM times the sort on, and what comes of them.
typedef struct waiting
{
    uint32_t proxy[AB_EXACT_SORTS * ROOM], query[AB_EXACT_SORTS * ROOM];
    ab_near_points points[AB_EXACT_SORTS * ROOM / AB_BLOCK];
} waiting;

_Static_assert(ROOM % AB_BLOCK == 0 && AB_EXACT_SORTS * ROOM <= ALONE, "points are by place, which is less than ALONE");

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
    uint8_t order[AB_GATHERED];   // of each 64 of a question's
    uint32_t others[AB_TOGETHER]; // of one result: what is not tried first is no nearer, as bits; or zero
    waiting waits;
    uint16_t place[FIRSTS]; // of each question's first ones: where it waited, or ALONE
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

// The order in which some candidates are tried, the first first. Of one result only that one is; then returns the bits
// of a distance that none of the others is nearer than, else zero.
static uint32_t order_part(const ab_near_query *q, const float *least, uint32_t count, uint8_t *order)
{
    if (q->most > 1)
    {
        ab_gather_order(q->asked, least, count, order);
        return 0;
    }
    uint32_t lowest = UINT32_MAX, second = UINT32_MAX; // of keys whose lowest bits are the index, which takes no branch
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t key;
        memcpy(&key, &least[i], sizeof key);
        key = (key & ~(AB_GATHER_SORTED - 1u)) | i;
        const uint32_t higher = key < lowest ? lowest : key;
        lowest = key < lowest ? key : lowest;
        second = higher < second ? higher : second;
        order[i] = (uint8_t)i;
    }
    const uint32_t first = lowest % AB_GATHER_SORTED;
    order[first] = 0;
    order[0] = (uint8_t)first;
    return second & ~(AB_GATHER_SORTED - 1u);
}

// Puts the candidates of a question in order, and asks the cache for what is read of the first.
static void order_gathered(together *t, uint32_t i)
{
    const ab_gathered *g = &t->gathered;
    const ab_near_query *q = &t->query[i];
    const uint32_t asked_for = t->count == 1 ? 0 : q->most; // of one query all was
    for (uint32_t begin = g->first[i], end = g->first[i + 1], from = begin, part; from < end; from += part)
    {
        part = part_of(from, end);
        const uint32_t others = order_part(q, t->least + from, part, t->order + from);
        t->others[i] = from == begin && from + part == end ? others : 0;
        for (uint32_t k = 0; k < part && k < asked_for; ++k)
        {
            ab_query_prefetch(g->asked->world, g->proxy[from + t->order[from + k]]);
        }
    }
}

// Measures `count` of one sort.
static void measure_waiting(together *t, ab_exact_sort sort, uint32_t count)
{
    const abut_world *world = t->questions->asked.world;
    uint32_t *proxy = t->waits.proxy + sort * ROOM, *query = t->waits.query + sort * ROOM;
    for (uint32_t k = 0; count > 0 && k < AB_BLOCK; ++k)
    {
        proxy[count + k] = proxy[0];
        query[count + k] = query[0];
    }
    for (uint32_t i = 0; i < count; i += AB_BLOCK)
    {
        world->kernels->exact->near[sort](&world->cache.proxies, t->row, proxy + i, query + i,
                                          &t->waits.points[(sort * ROOM + i) / AB_BLOCK]);
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
    uint32_t spheres = AB_EXACT_SPHERES * ROOM, boxes = AB_EXACT_BOXES * ROOM;
    for (uint32_t k = 0; k < count; ++k)
    {
        const uint32_t i = active[k], from = t->gathered.first[i], end = firsts_of(t, i);
        const float reach = t->query[i].reach, *least = t->least + from;
        const uint32_t *proxies = t->gathered.proxy + from;
        const uint8_t *order = t->order + from;
        uint16_t *places = t->place + i * AB_NEAR_FIRSTS;
        for (uint32_t first = 0; first < end; ++first)
        {
            const uint32_t proxy = proxies[order[first]];
            const ab_exact_sort sort = ab_exact_sort_of(flags[proxy]);
            const uint32_t within = least[order[first]] <= reach, box = sort == AB_EXACT_BOXES,
                           sphere = sort == AB_EXACT_SPHERES, place = box ? boxes : spheres;
            t->waits.proxy[place] = proxy;
            t->waits.query[place] = i;
            places[first] = within & (box | sphere) ? (uint16_t)place : ALONE;
            boxes += within & box;
            spheres += within & sphere;
        }
    }
    measure_waiting(t, AB_EXACT_SPHERES, spheres - AB_EXACT_SPHERES * ROOM);
    measure_waiting(t, AB_EXACT_BOXES, boxes - AB_EXACT_BOXES * ROOM);
}

// Lists what was measured together of the first candidates of a question, to the first that is something else: one that
// is measured by itself, or no result. Returns how many.
static uint32_t list_firsts(const together *t, ab_near_query *q, const uint16_t *places, const uint32_t *proxies,
                            const uint8_t *order, uint32_t firsts)
{
    const ab_contact_name *names = q->asked->world->cache.proxies.name;
    const uint32_t flags = q->asked->accepted.flags, skipped = (flags & ABUT_QUERY_SKIP_INSIDE) != 0;
    const float reach = q->reach;
    ab_result_list *list = q->list;
    abut_near *out = list->results;
    const uint32_t fit = list->capacity < firsts ? (uint32_t)list->capacity : firsts,
                   most = flags & ABUT_QUERY_ONE_PER_BODY ? 0 : fit;
    uint64_t before = 0;
    uint32_t count = 0, sorted = 1;
    for (; count < most && places[count] != ALONE; ++count)
    {
        const uint32_t place = places[count], lane = place % AB_BLOCK;
        const ab_near_points *points = &t->waits.points[place / AB_BLOCK];
        const ab_contact_name *name = &names[proxies[order[count]]];
        const float distance = points->distance[lane];
        const uint64_t rank = ab_result_rank_of(distance, points->collider_key[lane]);
        if (!(distance <= reach) || (points->inside[lane] & skipped) != 0)
        {
            break;
        }
        out[count] =
            (abut_near){ .body = name->body,
                         .collider = name->collider,
                         .distance = distance,
                         .on_collider = abut_vec3_make(points->on[0][lane], points->on[1][lane], points->on[2][lane]) };
        sorted &= before <= rank;
        before = rank;
        list->ranks[count] = rank;
    }
    list->count = count;
    list->is_sorted = sorted != 0;
    if (count > 0 && count == list->capacity)
    {
        ab_result_list_wrote(list);
        ab_near_narrow(q);
    }
    return count;
}

// Tries one of a question's first candidates.
static void try_first(together *t, ab_near_query *q, uint32_t proxy, uint32_t place)
{
    if (place == ALONE)
    {
        ab_near_try(q, proxy);
        return;
    }
    ab_near_try_point(q, proxy, &t->waits.points[place / AB_BLOCK], place % AB_BLOCK);
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

// Whether only a question's first candidate is within its reach.
static bool ends_with_first(const together *t, uint32_t i)
{
    uint32_t reach;
    memcpy(&reach, &t->query[i].reach, sizeof reach);
    return t->others[i] > reach;
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
    const uint16_t *places = t->place + i * AB_NEAR_FIRSTS;
    for (uint32_t first = list_firsts(t, q, places, g->proxy + begin, t->order + begin, firsts); first < firsts;
         ++first)
    {
        const uint32_t candidate = begin + t->order[begin + first];
        if (t->least[candidate] <= q->reach)
        {
            try_first(t, q, g->proxy[candidate], places[first]);
        }
    }
    const uint32_t end = firsts > 0 && ends_with_first(t, i) ? begin : g->first[i + 1];
    for (uint32_t from = begin, part; from < end; from += part)
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
        for (uint32_t k = 0; k < lists->each && k < AB_NEAR_FIRSTS; ++k) // where results go is known long before
        {
            AB_PREFETCH_FAR_TO_AT((const abut_near *)lists->results, (uint64_t)(first + i) * lists->each + k);
        }
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
