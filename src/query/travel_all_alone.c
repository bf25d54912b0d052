// All hits of one line: its candidates are few, lie in one list, and need no account of whose they are. Spheres and
// boxes are decided eight at a time, without bounds first: these would cost more than what they leave out.
#include "query/travel_many.h"

#ifndef AB_SMALL

#include "query/gather.h"
#include "query/one_question.h"

#define WINDOW AB_GATHER_SORTED // candidates

// The hits among some candidates.
typedef struct found
{
    uint32_t count;
    uint32_t proxy[WINDOW];
    float key[WINDOW + AB_WIDEST]; // the fraction
    uint8_t lane[WINDOW];          // counted through all hits
    ab_ray_hits hits[WINDOW / AB_BLOCK + AB_EXACT_SORTS];
} found;

_Static_assert((WINDOW / AB_BLOCK + AB_EXACT_SORTS) * AB_BLOCK <= UINT8_MAX, "a byte holds a lane");

// Candidates by sort.
typedef struct sorted
{
    uint32_t proxy[AB_EXACT_SORTS + 1][WINDOW + AB_WIDEST], count[AB_EXACT_SORTS + 1];
} sorted;

static void pad(uint32_t *proxies, uint32_t count, uint32_t by)
{
    for (uint32_t k = 0; k < by; ++k)
    {
        proxies[count + k] = proxies[0];
    }
}

// Decides candidates of one sort. Returns the first block of hits that is left.
static uint32_t decide(const ab_travels *travels, ab_exact_sort sort, sorted *all, uint32_t block, found *out)
{
    const uint32_t *proxies = all->proxy[sort], count = all->count[sort];
    pad(all->proxy[sort], count, AB_BLOCK);
    for (uint32_t from = 0; from < count; from += AB_BLOCK, ++block)
    {
        const uint32_t left = count - from, part = left < AB_BLOCK ? left : AB_BLOCK;
        ab_ray_hits *hits = &out->hits[block];
        travels->decide(travels->context, sort, proxies + from, NULL, hits);
        for (uint32_t k = 0; k < part; ++k)
        {
            const float fraction = hits->fraction[k];
            out->key[out->count] = fraction;
            out->proxy[out->count] = proxies[from + k];
            out->lane[out->count] = (uint8_t)(block * AB_BLOCK + k);
            out->count += fraction <= 1.0f;
        }
    }
    return block;
}

static void list_found(ab_travel *t, found *all)
{
    uint8_t order[WINDOW];
    memset(all->key + all->count, 0, AB_WIDEST * sizeof *all->key);
    ab_gather_order(t->asked, all->key, all->count, order);
    for (uint32_t k = 0; k < all->count; ++k)
    {
        const uint32_t lane = all->lane[order[k]];
        const ab_ray_point at = ab_ray_hits_read(&all->hits[lane / AB_BLOCK], lane % AB_BLOCK);
        ab_travel_take_point(t, all->proxy[order[k]], &at);
    }
}

// Those of no sort, each by itself.
static AB_APART void list_others(const ab_travels *travels, uint32_t *proxies, uint32_t count)
{
    float bounds[WINDOW + AB_WIDEST];
    pad(proxies, count, AB_WIDEST);
    travels->bound(travels->context, proxies, NULL, count, bounds);
    for (uint32_t i = 0; i < count; ++i)
    {
        (void)ab_travel_try(travels->travel, proxies[i], bounds[i]);
    }
}

// Lists the hits among at most a window of candidates. Returns those of no sort in `all`.
static void list_hits(const ab_travels *travels, const uint32_t *candidates, uint32_t count, sorted *all)
{
    ab_travel *t = travels->travel;
    const uint32_t *flags = t->asked->world->cache.proxies.proxy_flags;
    uint32_t block = 0;
    found f;
    f.count = 0;
    for (ab_exact_sort sort = 0; sort <= AB_EXACT_NONE; ++sort)
    {
        all->count[sort] = 0;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t proxy = candidates[i];
        const ab_exact_sort sort = travels->decide ? ab_exact_sort_of(flags[proxy]) : AB_EXACT_NONE;
        all->proxy[sort][all->count[sort]++] = proxy;
    }
    for (ab_exact_sort sort = 0; sort < AB_EXACT_SORTS && travels->decide; ++sort)
    {
        block = all->count[sort] > 0 ? decide(travels, sort, all, block, &f) : block;
    }
    if (f.count > 0)
    {
        list_found(t, &f);
    }
}

bool ab_travel_answer_all_alone(const ab_travels *travels, ab_query_lists *lists, uint32_t question)
{
    ab_travel *t = travels->travel;
    const ab_query_index *index = t->asked->index;
    ab_index_kernel *const kernel = index->kernels->cast;
    ab_one_question one;
    sorted all;
    ab_result_list list;
    one.asked = t->asked;
    one.question = question;
    one.count = 0;
    one.reads_records = true;
    if (!ab_index_descend_plain(&index->tree[AB_STATIC_SET], kernel, t->line, ab_one_question_see, &one) ||
        !ab_index_descend_plain(&index->tree[AB_ACTIVE], kernel, t->line, ab_one_question_see, &one))
    {
        return false;
    }
    ab_query_lists_next(lists, t->asked->world, ab_hit_rank, question, &list);
    t->all = &list;
    ab_travel_begin(t);
    for (uint32_t first = 0; first < one.count; first += WINDOW)
    {
        const uint32_t left = one.count - first;
        list_hits(travels, one.proxy + first, left < WINDOW ? left : WINDOW, &all);
        if (all.count[AB_EXACT_NONE] > 0)
        {
            list_others(travels, all.proxy[AB_EXACT_NONE], all.count[AB_EXACT_NONE]);
        }
    }
    ab_query_lists_took(lists, question, &list);
    return true;
}

#endif
