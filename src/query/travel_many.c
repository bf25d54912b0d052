// Candidates come in lists of (proxy, travel). Of each list a travel tests the one that may be hit first, and then
// those that may still be hit sooner: mostly none. Where a test is dear, the next is again the one that may be hit
// first. Spheres and boxes are tested eight at a time, each of another travel.
#include "query/travel_many.h"

#include "base/platform.h"

#include <math.h>

#define NONE AB_DESCEND_MANY // not a travel

typedef struct meeting
{
    ab_travels *travels;
    float bounds[AB_DESCEND_ROOM + AB_DESCEND_PADDING];
    uint16_t first[AB_DESCEND_ROOM + 1], rest[AB_DESCEND_ROOM]; // candidates, as indices; first[0] is none
#ifndef AB_SMALL
    uint32_t count; // of what waits for more
    uint32_t proxy[AB_DESCEND_ROOM + AB_WIDEST];
    uint8_t travel[AB_DESCEND_ROOM + AB_WIDEST];
#endif
} meeting;

static uint32_t pick(uint32_t mask, uint32_t a, uint32_t b)
{
    return (a & mask) | (b & ~mask);
}

// Bounds are not negative, and compare as their bits do.
static uint32_t bits_of(const meeting *m, uint32_t i)
{
    uint32_t bits;
    memcpy(&bits, &m->bounds[i], sizeof bits);
    return bits;
}

#ifdef AB_SMALL
typedef uint32_t bound_rank;
#define RANK(m, proxies, i) ((void)(proxies), bits_of(m, i))
#else
typedef uint64_t bound_rank;
#define RANK(m, proxies, i) rank_of(m, proxies, i)

// Of equal bounds the lower collider goes first, if the order matters.
AB_INLINE uint64_t rank_of(const meeting *m, const uint32_t *proxies, uint32_t i)
{
    const ab_record *records = m->travels->travel[0].asked->world->cache.proxies.record;
    return m->travels->test_many ? (uint64_t)bits_of(m, i) << 32 | records[proxies[i]].collider_key : bits_of(m, i);
}
#endif

// Finds the candidate of each travel that may be hit first, and the others that may still be hit: without a branch,
// since these cannot be predicted. Returns how many come first.
static uint32_t part_first(meeting *m, const uint32_t *proxies, const uint8_t *of, uint32_t count, uint32_t *rest)
{
    const ab_cast_line *lines = m->travels->line;
    uint32_t firsts = 0, others = 0, last = NONE, best = 0;
    bound_rank least = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t travel = of[i];
        const bound_rank rank = RANK(m, proxies, i);
        const uint32_t kept = m->bounds[i] <= lines[travel].far, next = kept & (travel != last);
        const uint32_t takes = 0u - (next | (kept & (rank < least)));
        m->rest[others] = (uint16_t)pick(takes, best, i);
        others += kept & ~next;
        firsts += next;
        last = pick(0u - kept, travel, last);
        best = pick(takes, i, best);
        least = takes ? rank : least;
        m->first[firsts] = (uint16_t)best;
    }
    *rest = others;
    return firsts;
}

AB_INLINE void try_one(ab_travel *t, uint32_t proxy, float bound)
{
    ab_travel_expect(t, proxy);
    (void)ab_travel_try(t, proxy, bound);
}

static void try(const meeting *m, const uint32_t *proxies, const uint8_t *of, const uint16_t *candidates,
                uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k)
    {
        const uint32_t i = candidates[k];
        try_one(&m->travels->travel[of[i]], proxies[i], m->bounds[i]);
    }
}

#ifdef AB_SMALL
#define TEST try
#else
#define TEST test

static void take(const meeting *m, const uint32_t *proxies, const uint32_t *travels, uint32_t count,
                 const ab_ray_hits *hits)
{
    for (uint32_t k = 0; k < count; ++k)
    {
        ab_travel *t = &m->travels->travel[travels[k]];
        abut_hit *hit = hits->fraction[k] <= 1.0f ? ab_travel_note(t, proxies[k], hits->fraction[k], 0.0f) : NULL;
        if (hit)
        {
            const ab_ray_point at = ab_ray_hits_read(hits, k);
            ab_travel_set_point(&at, hit);
        }
    }
}

// At most eight candidates of one sort.
static void decide(const meeting *m, ab_exact_sort sort, const uint32_t *proxies, const uint8_t *of,
                   const uint16_t *candidates, uint32_t count)
{
    uint32_t proxy[AB_BLOCK], travel[AB_BLOCK];
    ab_ray_hits hits;
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): every candidate that is counted is written
        const uint32_t i = candidates[k < count ? k : 0];
        proxy[k] = proxies[i];
        travel[k] = of[i];
    }
    m->travels->decide(m->travels->context, sort, proxy, travel, &hits);
    take(m, proxy, travel, count, &hits);
}

AB_APART static void test_many(const meeting *m, const uint32_t *proxies, const uint8_t *of, const uint16_t *candidates,
                               uint32_t count)
{
    uint16_t list[AB_EXACT_SORTS + 1][AB_DESCEND_ROOM];
    uint32_t counts[AB_EXACT_SORTS + 1] = { 0 };
    const ab_questions *asked = m->travels->travel[0].asked;
    const uint32_t *flags = asked->world->cache.proxies.proxy_flags, doubtful = asked->accepted.doubtful;
    const ab_cast_line *lines = m->travels->line;
    for (uint32_t k = 0; k < count; ++k)
    {
        const uint32_t i = candidates[k], own = flags[proxies[i]];
        const ab_exact_sort sort = ab_exact_sort_of(own);
        const bool wanted =
            AB_LIKELY((own & doubtful) == 0) ||
            ab_query_filter_wants(asked->world, &asked->accepted, m->travels->travel[of[i]].question, proxies[i]);
        list[sort][counts[sort]] = (uint16_t)i;
        counts[sort] += wanted & (m->bounds[i] <= lines[of[i]].far);
    }
    for (ab_exact_sort sort = 0; sort <= AB_EXACT_NONE; ++sort)
    {
        uint32_t from = 0;
        for (; sort != AB_EXACT_NONE && from + AB_EXACT_FEW <= counts[sort]; from += AB_BLOCK)
        {
            const uint32_t left = counts[sort] - from;
            decide(m, sort, proxies, of, list[sort] + from, left < AB_BLOCK ? left : AB_BLOCK);
        }
        if (from < counts[sort])
        {
            try(m, proxies, of, list[sort] + from, counts[sort] - from);
        }
    }
}

// Tests candidates that may still be hit first.
static void test(const meeting *m, const uint32_t *proxies, const uint8_t *of, const uint16_t *candidates,
                 uint32_t count)
{
    if (m->travels->test_many)
    {
        const ab_candidates all = { proxies, of, m->bounds };
        m->travels->test_many(m->travels, &all, candidates, count);
        return;
    }
    if (count < AB_EXACT_FEW || !m->travels->decide)
    {
        try(m, proxies, of, candidates, count);
        return;
    }
    test_many(m, proxies, of, candidates, count);
}
#endif

#ifndef AB_SMALL

// The candidates in `rest` that may still be hit and that the filter wants. Returns how many.
static uint32_t keep_possible(meeting *m, const uint32_t *proxies, const uint8_t *of, uint32_t count)
{
    const ab_questions *asked = m->travels->travel[0].asked;
    const ab_cast_line *lines = m->travels->line;
    uint32_t possible = 0, kept = 0;
    for (uint32_t k = 0; k < count; ++k)
    {
        const uint32_t i = m->rest[k];
        m->rest[possible] = (uint16_t)i;
        possible += m->bounds[i] <= lines[of[i]].far;
    }
    for (uint32_t k = 0; k < possible; ++k)
    {
        const uint32_t i = m->rest[k];
        m->rest[kept] = (uint16_t)i;
        kept += ab_query_wants(asked->world, &asked->accepted, m->travels->travel[of[i]].question, proxies[i]);
    }
    return kept;
}

// Finds of the candidates in `rest` the first of each travel by the rank that its hit has at least, and leaves the
// others there that may still come before the best hit. Returns how many come first.
static uint32_t part_least(meeting *m, const uint32_t *proxies, const uint8_t *of, uint32_t *rest)
{
    const ab_travel *travels = m->travels->travel;
    uint32_t firsts = 0, others = 0, last = NONE, best = 0;
    uint64_t least = 0;
    for (uint32_t k = 0; k < *rest; ++k)
    {
        const uint32_t i = m->rest[k], travel = of[i];
        const ab_travel *t = &travels[travel];
        const uint64_t rank = rank_of(m, proxies, i), of_hit = AB_AFTER_OVERLAPS | rank;
        const uint32_t overlaps = m->bounds[i] == 0.0f && t->hit && ab_travel_may_be_deepest(t, proxies[i]);
        const uint32_t kept = (m->bounds[i] <= t->line->far) & ((t->hit == false) | overlaps | (of_hit < t->rank));
        const uint32_t next = kept & (travel != last), takes = 0u - (next | (kept & (rank < least)));
        m->rest[others] = (uint16_t)pick(takes, best, i);
        others += kept & ~next;
        firsts += next;
        last = pick(0u - kept, travel, last);
        best = pick(takes, i, best);
        least = takes ? rank : least;
        m->first[firsts] = (uint16_t)best;
    }
    *rest = others;
    return firsts;
}

// Tests `rest`, of each travel one candidate after the other.
static void test_in_order(meeting *m, const uint32_t *proxies, const uint8_t *of, uint32_t rest)
{
    for (rest = keep_possible(m, proxies, of, rest); rest > 0;)
    {
        const uint32_t firsts = part_least(m, proxies, of, &rest);
        TEST(m, proxies, of, m->first + 1, firsts);
    }
}

#endif

// Candidates have AB_WIDEST more behind them.
static void judge(meeting *m, const uint32_t *proxies, const uint8_t *of, uint32_t count)
{
    m->travels->bound(m->travels->context, proxies, of, count, m->bounds);
    uint32_t rest;
    const uint32_t firsts = part_first(m, proxies, of, count, &rest);
    TEST(m, proxies, of, m->first + 1, firsts);
#ifndef AB_SMALL
    if (m->travels->test_many)
    {
        test_in_order(m, proxies, of, rest);
        return;
    }
#endif
    TEST(m, proxies, of, m->rest, rest);
}

#ifdef AB_SMALL
#define open(m)          (void)(m)
#define judge_waiting(m) (void)(m)

static bool meet(void *context, const uint32_t *proxies, const uint8_t *of, uint32_t count)
{
    meeting *m = context;
    const abut_world *world = m->travels->travel[0].asked->world;
    for (uint32_t i = 0; i < count; ++i)
    {
        AB_PREFETCH_AT(world->cache.proxies.record, proxies[i]);
        AB_PREFETCH_AT(world->cache.proxies.collider, proxies[i]);
        ab_query_prefetch_shape(world, proxies[i]);
    }
    judge(m, proxies, of, count);
    return true;
}
#else
static void open(meeting *m)
{
    m->count = 0;
}

static void judge_waiting(meeting *m)
{
    if (m->count > 0)
    {
        for (uint32_t i = 0; i < AB_WIDEST; ++i)
        {
            m->proxy[m->count + i] = m->proxy[0];
        }
        memset(m->travel + m->count, m->travel[0], AB_WIDEST);
        judge(m, m->proxy, m->travel, m->count);
        m->count = 0;
    }
}

// Candidates wait for more: full vectors are fewer.
static bool meet(void *context, const uint32_t *proxies, const uint8_t *of, uint32_t count)
{
    meeting *m = context;
    if (m->count + count > AB_DESCEND_ROOM)
    {
        judge_waiting(m);
    }
    const abut_world *world = m->travels->travel[0].asked->world;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t at = m->count + i;
        AB_PREFETCH_AT(world->cache.proxies.record, proxies[i]);
        ab_query_prefetch_shape(world, proxies[i]);
        m->proxy[at] = proxies[i];
        m->travel[at] = of[i];
    }
    m->count += count;
    return true;
}

// Of one travel each candidate is tested that may be hit first of those that are left. Behind them are AB_WIDEST more.
static void judge_one(meeting *m, const uint32_t *proxies, uint32_t count)
{
    ab_travel *t = m->travels->travel;
    const ab_record *records = t->asked->world->cache.proxies.record;
    float *bounds = m->bounds;
    m->travels->bound(m->travels->context, proxies, NULL, count, bounds);
    uint64_t ranks[AB_DESCEND_ROOM];
    uint32_t ranked = 0;
    do // there is one at least
    {
        const uint32_t key = records[proxies[ranked]].collider_key; // of equal bounds the lower
        ranks[ranked] = (uint64_t)bits_of(m, ranked) << 32 | key;
    } while (++ranked < count);
    for (;;)
    {
        uint64_t least = ranks[0];
        uint32_t best = 0;
        for (uint32_t i = 1; i < count; ++i) // without a branch: it cannot be predicted
        {
            const uint32_t takes = 0u - (ranks[i] < least);
            best = pick(takes, i, best);
            least = ranks[best];
        }
        const float bound = bounds[best];
        if (!(bound <= t->line->far))
        {
            return;
        }
        bounds[best] = INFINITY;
        ranks[best] = UINT64_MAX;
        (void)ab_travel_try(t, proxies[best], bound);
    }
}

// For one travel, whose line stays in registers. Nothing waits. A lone candidate is tested at once: it has no rival,
// and a vector of bounds for it alone would cost as much.
static bool meet_one(void *context, const uint32_t *proxies, const float *values, uint32_t count)
{
    const meeting *m = context;
    (void)values;
    if (count == 1)
    {
        try_one(m->travels->travel, proxies[0], 0.0f);
        return true;
    }
    const abut_world *world = m->travels->travel[0].asked->world;
    for (uint32_t i = 0; i < count; ++i) // a lone travel has nothing else to do until its names are there
    {
        AB_PREFETCH_AT(world->cache.proxies.record, proxies[i]);
        ab_query_prefetch_shape(world, proxies[i]);
        ab_travel_expect(m->travels->travel, proxies[i]);
    }
    judge_one(context, proxies, count);
    return true;
}
#endif

static void descend(ab_travels *travels, ab_set set, const uint8_t *active, uint32_t count, meeting *m)
{
    const ab_query_index *index = travels->travel[0].asked->index;
    const ab_tree *tree = &index->tree[set];
#ifdef AB_SMALL
    ab_index_many_kernel *const kernel = index->kernels->cast_many;
#else
    ab_index_many_kernel *const kernel = travels->descend;
#endif
    (void)ab_index_descend_many(tree, kernel, travels->line, active, count, meet, m);
}

// Sets the segments of those that go on, and drops the others. Returns how many are left.
static uint32_t go_on(ab_travels *travels, uint8_t *active, uint32_t count)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        active[left] = active[i];
        left += ab_travel_go_on(&travels->travel[active[i]]);
    }
    return left;
}

#ifndef AB_SMALL
void ab_travel_answer_one(ab_travels *travels, const ab_travel_results *results, uint32_t which)
{
    ab_travel *t = travels->travel;
    const ab_query_index *index = t->asked->index;
    ab_index_kernel *const kernel = index->kernels->cast;
    meeting m;
    m.travels = travels;
    t->any = results->any != NULL;
    ab_travel_begin(t);
    do
    {
        (void)ab_index_descend_plain(&index->tree[AB_STATIC_SET], kernel, t->line, meet_one, &m);
        (void)ab_index_descend_plain(&index->tree[AB_ACTIVE], kernel, t->line, meet_one, &m);
    } while (ab_travel_go_on(t));
    ab_travel_publish(t, results, which);
}
#endif

void ab_travel_answer_many(ab_travels *travels, const ab_travel_results *results, uint32_t first)
{
    uint8_t active[AB_DESCEND_MANY];
    uint32_t count = travels->count;
    meeting m;
#ifndef AB_SMALL
    if (count == 1)
    {
        ab_travel_answer_one(travels, results, first);
        return;
    }
#endif
    m.travels = travels;
    open(&m);
    for (uint32_t i = 0; i < count; ++i)
    {
        active[i] = (uint8_t)i;
        travels->travel[i].any = results->any != NULL;
        ab_travel_begin(&travels->travel[i]);
        if (AB_PREFETCHES && results->closest) // where hits go is known long before
        {
            AB_PREFETCH_FAR_TO_AT(results->closest, first + i);
        }
    }
    while (count > 0)
    {
        descend(travels, AB_STATIC_SET, active, count, &m);
        judge_waiting(&m); // most end at floors and walls
        descend(travels, AB_ACTIVE, active, count, &m);
        judge_waiting(&m);
        count = go_on(travels, active, count);
    }
    for (uint32_t i = 0; results->closest && i < travels->count; ++i)
    {
        ab_query_prefetch_name(travels->travel[0].asked->world, travels->travel[i].proxy); // any, without a hit
    }
    for (uint32_t i = 0; i < travels->count; ++i)
    {
        ab_travel_publish(&travels->travel[i], results, first + i);
    }
}
