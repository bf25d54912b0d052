// Travels along many lines at once, for all hits of each. Candidates are gathered query after query, and bounded; those
// that may be hit are decided in windows, spheres and boxes eight at a time, and go to the lists in order.
#include "query/travel_many.h"

#ifndef AB_SMALL

#include "base/assert.h"
#include "query/gather.h"

#define WINDOW AB_GATHER_SORTED // candidates
#define ALONE  UINT8_MAX        // is tested by itself
#define AHEAD  24u              // results: the cache is asked for the place of those that follow

// Candidates `first` to `end`.
typedef struct window
{
    uint32_t first, end;
    uint8_t lane[WINDOW]; // by candidate, counted through all hits; or ALONE
    float key[WINDOW];    // by candidate: the fraction of its hit, of one that is tested by itself its bound
    ab_ray_hits hits[WINDOW / AB_BLOCK + AB_EXACT_SORTS];
} window;

_Static_assert((WINDOW / AB_BLOCK + AB_EXACT_SORTS) * AB_BLOCK <= ALONE, "a byte holds a lane");

// Drops the candidates that their travels do not hit. The others stay in order. Where those of each travel begin is
// found without a branch: how many it has cannot be predicted.
static void keep_hits(ab_gathered *g, float *bounds, uint32_t queries)
{
    uint32_t kept = 0;
    memset(g->first, 0, (queries + 1) * sizeof *g->first);
    for (uint32_t i = 0; i < g->count; ++i)
    {
        const uint8_t query = g->query[i];
        bounds[kept] = bounds[i];
        g->query[kept] = query;
        g->proxy[kept] = g->proxy[i];
        kept += bounds[i] <= 1.0f;
        g->first[query + 1] = kept;
    }
    for (uint32_t i = 0; i < queries; ++i) // those without candidates
    {
        g->first[i + 1] = g->first[i + 1] > g->first[i] ? g->first[i + 1] : g->first[i];
    }
    g->count = kept;
}

// Candidates of one sort in a window, with the travels that they are of.
typedef struct sorted
{
    uint32_t count;
    uint32_t proxy[WINDOW + AB_BLOCK], travel[WINDOW + AB_BLOCK];
    uint8_t candidate[WINDOW]; // in the window
} sorted;

// Decides those of one sort, as many as are worth it. Returns the first block of hits that is left.
static uint32_t decide_sort(const ab_travels *travels, ab_exact_sort sort, sorted *all, uint32_t block, window *w)
{
    const abut_world *world = travels->travel[0].asked->world;
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        all->proxy[all->count + k] = all->proxy[0];
        all->travel[all->count + k] = all->travel[0];
    }
    for (uint32_t from = 0; from + AB_EXACT_FEW <= all->count; from += AB_BLOCK, ++block)
    {
        const uint32_t left = all->count - from, count = left < AB_BLOCK ? left : AB_BLOCK;
        const uint8_t *which = all->candidate + from;
        ab_ray_hits *hits = &w->hits[block];
        travels->decide(travels->context, sort, all->proxy + from, all->travel + from, hits);
        for (uint32_t k = 0; k < count; ++k)
        {
            w->lane[which[k]] = (uint8_t)(block * AB_BLOCK + k);
            w->key[which[k]] = hits->fraction[k];
            ab_query_prefetch_name(world, all->proxy[from + k]);
        }
    }
    return block;
}

// Where a window ends that begins with candidate `first` of a travel: behind the last travel that it holds all of, or
// full.
static uint32_t window_end(const ab_gathered *g, uint32_t travels, uint32_t travel, uint32_t first)
{
    uint32_t end = g->first[travel + 1];
    while (travel < travels && g->first[travel + 1] - first <= WINDOW)
    {
        end = g->first[++travel];
    }
    return end - first < WINDOW ? end : first + WINDOW;
}

// The window that begins with candidate `first`, of that travel.
static void open_window(const ab_travels *travels, const ab_gathered *g, const float *bounds, uint32_t travel,
                        uint32_t first, window *w)
{
    const uint32_t *flags = g->asked->world->cache.proxies.proxy_flags;
    const uint32_t count = window_end(g, travels->count, travel, first) - first;
    sorted sorts[AB_EXACT_SORTS + 1];
    uint32_t block = 0;
    w->first = first;
    w->end = first + count;
    memset(w->lane, ALONE, count);
    memcpy(w->key, bounds + first, count * sizeof *bounds);
    if (!travels->decide)
    {
        return;
    }
    for (ab_exact_sort sort = 0; sort <= AB_EXACT_NONE; ++sort)
    {
        sorts[sort].count = 0;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t proxy = g->proxy[first + i];
        sorted *own = &sorts[ab_exact_sort_of(flags[proxy])];
        const uint32_t at = own->count++;
        own->proxy[at] = proxy;
        own->travel[at] = g->query[first + i];
        own->candidate[at] = (uint8_t)i;
    }
    const sorted *others = &sorts[AB_EXACT_NONE];
    for (uint32_t i = 0; i < others->count; ++i)
    {
        ab_query_prefetch(g->asked->world, others->proxy[i]);
    }
    for (ab_exact_sort sort = 0; sort < AB_EXACT_SORTS; ++sort)
    {
        if (sorts[sort].count >= AB_EXACT_FEW)
        {
            block = decide_sort(travels, sort, &sorts[sort], block, w);
        }
    }
}

AB_APART void ab_travel_take_apart(ab_travel *t, uint32_t proxy, const ab_ray_point *at)
{
    abut_hit hit;
    hit.fraction = at->fraction;
    ab_travel_set_point(at, &hit);
    ab_travel_take(t, proxy, &hit);
}

// Candidates of one travel, all in the window, the first first: those that are hit go to its list.
static void see_in_order(ab_travel *t, const ab_gathered *g, const float *bounds, const window *w, uint32_t from,
                         uint32_t end)
{
    float keys[WINDOW + AB_WIDEST];
    uint8_t candidate[WINDOW], order[WINDOW];
    uint32_t count = 0;
    for (uint32_t i = from; i < end; ++i)
    {
        const float key = w->key[i - w->first];
        AB_ASSERT(bounds[i] <= key, g->proxy[i]);
        keys[count] = key;
        candidate[count] = (uint8_t)(i - w->first);
        count += key <= 1.0f;
    }
    if (count == 0)
    {
        return;
    }
    memset(keys + count, 0, AB_WIDEST * sizeof *keys);
    ab_gather_order(t->asked, keys, count, order);
    for (uint32_t k = 0; k < count; ++k)
    {
        const uint32_t at = candidate[order[k]], lane = w->lane[at], i = w->first + at;
        if (lane == ALONE)
        {
            (void)ab_travel_try(t, g->proxy[i], bounds[i]);
        }
        else
        {
            const ab_ray_point point = ab_ray_hits_read(&w->hits[lane / AB_BLOCK], lane % AB_BLOCK);
            ab_travel_take_point(t, g->proxy[i], &point);
        }
    }
}

#define RANKS 4u // are compared together

// How many of some ranks are less than one. Behind them are RANKS more that no rank is above. Apart, where gcc does not
// know how much room they have: for each travel it would load them all.
AB_APART static uint32_t count_before(const uint64_t *ranks, uint32_t count, uint64_t own)
{
    uint32_t sum = 0;
    for (const uint64_t *rank = ranks, *end = ranks + count; rank < end; rank += RANKS)
    {
        const uint32_t first_two = (uint32_t)(rank[0] < own) + (uint32_t)(rank[1] < own);
        sum += first_two + (uint32_t)(rank[2] < own) + (uint32_t)(rank[3] < own);
    }
    return sum;
}

// Lists the hits of candidates of one travel, all in the window, as a list would in the end: each goes where those
// before it leave it. False, with nothing listed, when some is not decided.
static bool list_decided(const ab_gathered *g, const window *w, uint32_t from, uint32_t end, ab_query_lists *lists,
                         uint32_t question)
{
    const abut_world *world = g->asked->world;
    const uint64_t left = lists->total < lists->capacity ? lists->capacity - lists->total : 0;
    abut_hit *out = left > 0 ? (abut_hit *)lists->results + lists->total : NULL;
    uint64_t ranks[WINDOW + RANKS];
    uint8_t candidate[WINDOW];
    uint32_t count = 0, undecided = 0;
    for (uint32_t i = from - w->first; i < end - w->first; ++i)
    {
        const float key = w->key[i];
        const uint32_t collider_key = world->cache.proxies.record[g->proxy[w->first + i]].collider_key;
        candidate[count] = (uint8_t)i;
        ranks[count] = ab_hit_rank_of(key, 0.0f, collider_key);
        count += key <= 1.0f;
        undecided |= w->lane[i] == ALONE;
    }
    if (undecided)
    {
        return false;
    }
    for (uint32_t k = 0; k < RANKS; ++k)
    {
        ranks[count + k] = UINT64_MAX;
    }
    for (uint32_t k = 0; k < count; ++k)
    {
        const uint32_t before = count_before(ranks, count, ranks[k]);
        AB_PREFETCH_TO_AT((const abut_hit *)lists->results, lists->total + k + AHEAD);
        if (before < left)
        {
            const uint32_t at = candidate[k], lane = w->lane[at];
            const ab_ray_point point = ab_ray_hits_read(&w->hits[lane / AB_BLOCK], lane % AB_BLOCK);
            out[before].fraction = point.fraction;
            ab_travel_set_point(&point, &out[before]);
            ab_travel_name(world, g->proxy[w->first + at], &out[before]);
        }
    }
    lists->ranges[question] = (abut_range){ lists->total, count };
    lists->total += count;
    return true;
}

// Apart, so that its window is not on the stack while candidates are gathered.
AB_APART static void list_hits(const ab_travels *travels, const ab_gathered *g, const float *bounds,
                               ab_query_lists *lists, uint32_t question)
{
    const bool each = travels->decide && !(g->asked->accepted.flags & ABUT_QUERY_ONE_PER_BODY);
    window w;
    w.first = w.end = 0;
    for (uint32_t i = 0; i < travels->count; ++i)
    {
        const uint32_t begin = g->first[i], end = g->first[i + 1];
        if (begin < end && begin == w.end)
        {
            open_window(travels, g, bounds, i, begin, &w);
        }
        if (each && end <= w.end && list_decided(g, &w, begin, end, lists, question + i))
        {
            continue;
        }
        ab_travel *t = &travels->travel[i];
        ab_result_list list;
        ab_query_lists_next(lists, t->asked->world, ab_hit_rank, question + i, &list);
        t->all = &list;
        ab_travel_begin(t);
        for (uint32_t from = begin, part; from < end; from = part)
        {
            if (from == w.end)
            {
                open_window(travels, g, bounds, i, from, &w);
            }
            part = end < w.end ? end : w.end;
            see_in_order(t, g, bounds, &w, from, part);
        }
        ab_query_lists_took(lists, question + i, &list);
    }
}

bool ab_travel_answer_all_many(const ab_travels *travels, ab_query_lists *lists, uint32_t first)
{
    const ab_questions *asked = travels->travel[0].asked;
    const ab_index_kernels *kernels = asked->index->kernels;
    ab_gathered g;
    float bounds[AB_GATHERED + AB_WIDEST];
    uint8_t active[AB_TOGETHER];
    for (uint32_t i = 0; i < travels->count; ++i)
    {
        active[i] = (uint8_t)i;
    }
    const ab_gather_queries queries = { kernels->cast,         travels->descend, travels->line,
                                        sizeof *travels->line, travels->count,   first,
                                        AB_GATHER_SHAPES };
    if (!ab_gather(&g, asked, &queries, active, travels->count))
    {
        return false;
    }
    travels->bound(travels->context, g.proxy, travels->count > 1 ? g.query : NULL, g.count, bounds);
    keep_hits(&g, bounds, travels->count);
    if (travels->count > 1 && !travels->decide) // of one all was asked for; of the others windows ask
    {
        ab_gathered_prefetch(&g);
    }
    list_hits(travels, &g, bounds, lists, first);
    return true;
}

#endif
