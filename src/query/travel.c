// The closest hit of a line is searched in segments, each twice as long as the one before: once a hit is within the
// segment, none in a later one can be closer. So near hits cost little, and no node needs a guess at the nearest child.
#include "query/travel.h"

#include "base/assert.h"

#include <math.h>

#define DOUBLED   2.0f
#define LEAST     0x1p-18f          // of where a segment begins: less may be lost in its sum with that
#define ROUNDING  0x1p-22f          // of coordinates
#define SHALLOWER (1.0f - 0x1p-20f) // than this much of a depth: rounded differences

// As ab_hit_rank; records are at hand.
static uint64_t rank_of(const ab_travel *t, uint32_t proxy, const abut_hit *hit)
{
    return ab_hit_rank_of(hit->fraction, hit->depth, t->asked->world->cache.proxies.record[proxy].collider_key);
}

// A hit that another of its body may come before.
typedef struct rival
{
    const ab_travel *travel;
    uint64_t rank;
} rival;

static bool is_hit_before(void *context, uint32_t proxy)
{
    const rival *r = context;
    abut_hit other;
    return r->travel->tests->test(r->travel->context, proxy, &other) && rank_of(r->travel, proxy, &other) < r->rank;
}

// Whether the filter wants all colliders of a body, or of those that are hit this one is the first, by its first hit.
static bool is_wanted_of_body(ab_travel *t, uint32_t proxy, uint64_t rank)
{
    const ab_query_filter *filter = &t->asked->accepted;
    rival r = { t, rank };
    return !(filter->flags & ABUT_QUERY_ONE_PER_BODY) ||
           ab_query_is_first(t->asked->world, filter, t->question, proxy, is_hit_before, &r);
}

static void list_hit(ab_travel *t, uint32_t proxy, uint64_t rank, abut_hit *hit)
{
    ab_travel_name(t->asked->world, proxy, hit);
    ab_result_list_add(t->all, rank, hit);
}

void ab_travel_list(ab_travel *t, uint32_t proxy, abut_hit *hit)
{
    list_hit(t, proxy, rank_of(t, proxy, hit), hit);
}

void ab_travel_take(ab_travel *t, uint32_t proxy, abut_hit *hit)
{
    const ab_questions *asked = t->asked;
    const uint64_t rank = rank_of(t, proxy, hit);
    if (t->all)
    {
        if (is_wanted_of_body(t, proxy, rank))
        {
            list_hit(t, proxy, rank, hit);
        }
        return;
    }
    if (!t->hit || rank < t->rank)
    {
        ab_query_prefetch_name(asked->world, proxy);
        t->best = *hit;
        t->proxy = proxy;
        t->rank = rank;
        t->line->far = hit->fraction < t->line->far ? hit->fraction : t->line->far;
    }
    t->hit = true;
}

#ifdef AB_SMALL // everything is tested that the line may enter no later
#define IS_LATE(t, proxy, entered) false
#else
#define IS_LATE(t, proxy, entered) is_late(t, proxy, entered)

// Whether a proxy's shape has an inside: a ball, a capsule, or a box that is not flat.
static bool is_solid(const abut_world *world, uint32_t proxy, uint32_t kind)
{
    const ab_record *record = &world->cache.proxies.record[proxy];
    const bool wide = record->half_x > 0.0f && record->half_y > 0.0f;
    return record->half_x > 0.0f &&
           (kind == ABUT_SPHERE || kind == ABUT_CAPSULE || (wide && (world->state.is_2d || record->half_z > 0.0f)));
}

// Where one of two convex shapes has an inside, neither is deeper in the other than their boxes are along some axis;
// that of the travel, as it starts, is between where it enters slabs and leaves them. What is flat may be deeper: its
// way out is along itself.
static bool is_shallower(const ab_travel *t, uint32_t proxy)
{
    const abut_world *world = t->asked->world;
    const ab_aabb8 *block = &world->cache.proxies.block[proxy / AB_BLOCK];
    const uint32_t kind = (world->cache.proxies.proxy_flags[proxy] & AB_PROXY_TYPE_KEY) >> 2;
    const uint32_t lane = proxy % AB_BLOCK, axes = world->state.is_2d ? 2 : 3;
    const float low[3] = { block->min_x[lane], block->min_y[lane], block->min_z[lane] },
                high[3] = { block->max_x[lane], block->max_y[lane], block->max_z[lane] };
    const float deep = t->best.depth * SHALLOWER;
    bool shallower = false;
    for (uint32_t k = 0; k < axes; ++k)
    {
        const float enter = t->line->enter_from[k], leave = t->line->leave_from[k];
        const float first = enter < leave ? enter : leave, last = enter < leave ? leave : enter;
        const float slack = (fabsf(first) + fabsf(last)) * ROUNDING;
        shallower |= last - low[k] + slack < deep || high[k] - first + slack < deep;
    }
    const bool plain = kind == ABUT_SPHERE || kind == ABUT_CAPSULE || kind == ABUT_AABB || kind == ABUT_OBB;
    return shallower && plain && (t->solid || is_solid(world, proxy, kind));
}

bool ab_travel_may_be_deepest(const ab_travel *t, uint32_t proxy)
{
    return t->overlaps && (t->best.depth == 0.0f || !t->plain || !is_shallower(t, proxy));
}

// Whether the best hit so far is before any that a proxy may have.
static bool is_late(const ab_travel *t, uint32_t proxy, float entered)
{
    const abut_world *world = t->asked->world;
    return t->hit && entered >= t->best.fraction && !(entered == 0.0f && ab_travel_may_be_deepest(t, proxy)) &&
           (t->best.depth > 0.0f || world->cache.proxies.record[proxy].collider_key >= (uint32_t)t->rank);
}

#endif

static void take_each(ab_travel *t, uint32_t proxy)
{
    abut_hit first;
    if (!(t->asked->accepted.flags & ABUT_QUERY_ONE_PER_BODY) ||
        (t->tests->test(t->context, proxy, &first) && is_wanted_of_body(t, proxy, rank_of(t, proxy, &first))))
    {
        t->tests->each(t->context, proxy, t);
    }
}

bool ab_travel_try(ab_travel *t, uint32_t proxy, float entered)
{
    abut_hit hit;
    if (!(entered <= t->line->far) || IS_LATE(t, proxy, entered) ||
        !ab_query_wants(t->asked->world, &t->asked->accepted, t->question, proxy))
    {
        return true;
    }
    if (AB_HAS_CHILDREN && t->all && t->tests->each)
    {
        take_each(t, proxy);
        return true;
    }
    if (!t->tests->test(t->context, proxy, &hit))
    {
        return true;
    }
    AB_ASSERT(entered <= hit.fraction, proxy);
    ab_travel_take(t, proxy, &hit);
    if (t->any)
    {
        t->line->far = AB_TRAVEL_OVER;
    }
    return !t->any;
}

#ifndef AB_SMALL
abut_hit *ab_travel_note(ab_travel *t, uint32_t proxy, float fraction, float depth)
{
    const uint32_t collider_key = t->asked->world->cache.proxies.record[proxy].collider_key;
    const uint64_t rank = ab_hit_rank_of(fraction, depth, collider_key);
    if (t->hit && rank >= t->rank)
    {
        return NULL;
    }
    t->hit = true;
    t->proxy = proxy;
    t->rank = rank;
    t->best.fraction = fraction;
    t->line->far = t->any ? AB_TRAVEL_OVER : fraction < t->line->far ? fraction : t->line->far;
    return &t->best;
}
#endif

bool ab_travel_see(void *context, const uint32_t *proxies, const float *entered, uint32_t count)
{
    ab_travel *t = context;
    const abut_world *world = t->asked->world;
    for (uint32_t i = 0; count > 1 && i < count; ++i)
    {
        AB_PREFETCH_AT(world->cache.proxies.record, proxies[i]);
        ab_query_prefetch(world, proxies[i]);
    }
    bool more = true;
    for (uint32_t i = 0; more && i < count; ++i)
    {
        more = ab_travel_try(t, proxies[i], entered[i]);
    }
    return more;
}

static float first_segment(const ab_travel *t)
{
    const double first = (double)t->first;
    return first > 0.0 && first < t->length ? (float)(first / t->length) : 1.0f;
}

void ab_travel_begin(ab_travel *t)
{
    t->hit = false;
    t->proxy = 0;
    t->end = t->all ? 1.0f : first_segment(t);
    t->line->far = t->end;
    t->leave = INFINITY;
}

#ifdef AB_SMALL
#define next_begin(t) ((t)->end)
#else
// Where the line enters the AABBs around all that is wanted, or is behind their ends. Notes where it leaves them.
static float pass_around(ab_travel *t)
{
    float enter = INFINITY;
    t->leave = -1.0f;
    for (int set = 0; set < AB_SET_COUNT; ++set)
    {
        const ab_tree *tree = &t->asked->index->tree[set];
        float in = 0.0f, out = AB_EMPTY_BOX;
        if (tree->around)
        {
            ab_cast_line_pass(t->line, tree->around, &in, &out);
        }
        if (tree->levels > 0 && in <= out)
        {
            enter = in < enter ? in : enter;
            t->leave = out > t->leave ? out : t->leave;
        }
    }
    return enter;
}

// Where the next segment begins, without a hit so far. Found once: a ray into the sky leaves the world, and one from
// afar enters it, within few segments.
static float next_begin(ab_travel *t)
{
    const float enter = t->leave < INFINITY ? 0.0f : pass_around(t), begin = enter > t->end ? enter : t->end;
    return begin <= t->leave ? begin : INFINITY;
}
#endif

bool ab_travel_go_on(ab_travel *t)
{
    if (t->end >= 1.0f || (t->hit && (t->any || t->best.fraction <= t->end)))
    {
        return false;
    }
    const float begin = t->hit ? t->end : next_begin(t), longer = DOUBLED * (t->end - t->line->near);
    if (begin > 1.0f)
    {
        return false;
    }
    const float least = begin * LEAST, next = begin + (longer > least ? longer : least);
    t->line->near = begin;
    t->end = next < 1.0f ? next : 1.0f;
    t->line->far = t->hit && t->best.fraction < t->end ? t->best.fraction : t->end;
    return true;
}

static void run(ab_travel *t)
{
    ab_travel_begin(t);
    do
    {
        (void)ab_query_descend(t->asked->index, t->asked->index->kernels->cast, t->line, ab_travel_see, t);
    } while (ab_travel_go_on(t));
}

void ab_travel_publish(const ab_travel *travel, const ab_travel_results *results, uint32_t i)
{
    if (results->any)
    {
        results->any[i] = travel->hit;
        return;
    }
    results->closest[i] = travel->hit ? travel->best : (abut_hit){ .fraction = 1.0f };
    if (travel->hit)
    {
        ab_travel_name(travel->asked->world, travel->proxy, &results->closest[i]);
    }
}

void ab_travel_answer(ab_travel *travel, const ab_travel_results *results, ab_query_lists *lists, uint32_t i)
{
    if (results->any || results->closest)
    {
        travel->any = results->any != NULL;
        run(travel);
        ab_travel_publish(travel, results, i);
        return;
    }
    ab_result_list list;
    ab_query_lists_next(lists, travel->asked->world, ab_hit_rank, i, &list);
    if (AB_HAS_CHILDREN && travel->tests->each)
    {
        list.tie = ab_hit_tie;
    }
    travel->all = &list;
    run(travel);
    ab_query_lists_took(lists, i, &list);
}

// All of a call but what its answers need of their own. What is accepted of its filter comes later, so the call is not
// cleared.
static void open_call(ab_travel_call *out, const ab_travel_sort *sort, const abut_world *world, const char *call,
                      const void *given, uint32_t count, const abut_query_filter *filter)
{
    out->asked.world = world;
    out->asked.call = call;
    out->asked.count = count;
    out->asked.filter = filter;
    out->asked.flags = sort->flags;
    out->asked.context = out;
    out->asked.lists = NULL;
    out->asked.fault = sort->fault;
    out->asked.answer = sort->answer;
    out->asked.answer_many = NULL;
    out->asked.placed = false;
    out->asked.unmarked = false;
    out->given = given;
    out->results = (ab_travel_results){ NULL, NULL };
}

static abut_status ask(ab_travel_call *call, bool pointers)
{
    const abut_status entered = ab_query_enter(call->asked.world, pointers, call->asked.call);
    return entered == ABUT_OK ? ab_query_ask(&call->asked) : entered;
}

// For one hit a question.
static abut_status ask_one_each(ab_travel_call *call, const ab_travel_sort *sort, const void *out)
{
    call->asked.answer_many = sort->answer_many;
    call->asked.placed = sort->answer_many != NULL;
    return ask(call, call->asked.count == 0 || (call->given && out));
}

abut_status ab_travel_closest(const ab_travel_sort *sort, const abut_world *world, const char *call, const void *given,
                              uint32_t count, const abut_query_filter *filter, abut_hit *out)
{
    ab_travel_call c;
    open_call(&c, sort, world, call, given, count, filter);
    c.results.closest = out;
    return ask_one_each(&c, sort, out);
}

abut_status ab_travel_any(const ab_travel_sort *sort, const abut_world *world, const char *call, const void *given,
                          uint32_t count, const abut_query_filter *filter, bool *out)
{
    ab_travel_call c;
    open_call(&c, sort, world, call, given, count, filter);
    c.results.any = out;
    return ask_one_each(&c, sort, out);
}

// By children, one question is answered after another.
abut_status ab_travel_all_many(const ab_travel_sort *sort, const abut_world *world, const char *call, const void *given,
                               uint32_t count, const abut_query_filter *filter, abut_range *ranges, abut_hit *out,
                               uint64_t capacity, uint64_t *total)
{
    ab_query_lists lists = { ranges, out, sizeof *out, capacity, 0, 0 };
    ab_travel_call c;
    open_call(&c, sort, world, call, given, count, filter);
    const bool children = AB_HAS_CHILDREN && filter && (filter->flags & ABUT_QUERY_CHILDREN);
    c.asked.answer_many = children ? NULL : sort->answer_lists_many;
    c.asked.lists = &lists;
    const bool rooms = (count == 0 || (given && ranges)) && (capacity == 0 || out);
    const abut_status status = ask(&c, rooms && total);
    if (total && status == ABUT_OK)
    {
        *total = lists.total;
    }
    return status;
}

abut_status ab_travel_all(const ab_travel_sort *sort, const abut_world *world, const char *call, const void *given,
                          const abut_query_filter *filter, abut_hit *out, uint32_t capacity, uint32_t *count)
{
    abut_range range;
    uint64_t total;
    const abut_status status =
        ab_travel_all_many(sort, world, call, given, 1, filter, &range, out, capacity, count ? &total : NULL);
    if (count && status == ABUT_OK)
    {
        *count = range.count;
    }
    return status;
}
