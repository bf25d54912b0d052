// Whether anything overlaps a shape: what does ends the search, whichever it is. Bounds decide about what is in or out
// of balls about the shape that asks, tests about the rest.
#include "query/bound_kernels.h"
#include "query/overlap_query.h"

#include <string.h>

#define FLAGS (ABUT_QUERY_SENSORS | ABUT_QUERY_ONE_PER_BODY | ABUT_QUERY_CHILDREN)

// A call, and where its answers go.
typedef struct any_call
{
    ab_overlap_questions questions;
    bool *out;
} any_call;

// One question.
typedef struct any_query
{
    ab_overlap_query query;
    const ab_overlap_shape *shape;
} any_query;

#ifdef AB_SMALL
#define OVERLAPS_BY_BALLS(a, proxies, count) false
#else
#define OVERLAPS_BY_BALLS(a, proxies, count) overlaps_by_balls(a, proxies, count)

// Whether one of some proxies lies in the ball within the shape. Otherwise those go to the front that reach into the
// ball about it. Behind the last proxy are AB_WIDEST more that are valid. Apart, so that its arrays are not on the
// stack below the tests.
AB_APART static bool overlaps_by_balls(const any_query *a, uint32_t *proxies, uint32_t *count)
{
    static const uint8_t first[AB_OVERLAP_BATCH + AB_WIDEST] = { 0 };
    const abut_world *world = a->query.world;
    const abut_vec3 at = a->shape->pose.position;
    const float inner = a->shape->inner > 0.0f ? a->shape->inner : -1.0f; // without a ball the centre may be outside
    _Alignas(AB_CACHE_LINE) const ab_near_row row = { .point = { at.x, at.y, at.z } };
    float least[AB_OVERLAP_BATCH + AB_WIDEST], most[AB_OVERLAP_BATCH + AB_WIDEST];
    uint32_t left = 0;
    bool in = false;
    world->kernels->queries->near_many(&world->cache.proxies, &row, proxies, first, *count, least, most);
    for (uint32_t i = 0; i < *count; ++i)
    {
        in |= most[i] <= inner;
        proxies[left] = proxies[i];
        left += least[i] <= a->shape->outer;
    }
    *count = left;
    return in;
}
#endif

static bool overlap_some(const any_query *a, uint32_t *proxies, uint32_t count)
{
    bool overlapping[AB_OVERLAP_BATCH], some = OVERLAPS_BY_BALLS(a, proxies, &count);
    if (some || count == 0)
    {
        return some;
    }
    a->query.test(a->query.context, proxies, count, overlapping);
    for (uint32_t i = 0; i < count; ++i)
    {
        some |= overlapping[i];
    }
    return some;
}

// False once something overlaps.
static bool see(void *context, const uint32_t *proxies, const float *values, uint32_t count)
{
    const any_query *a = context;
    const ab_overlap_query *q = &a->query;
    (void)values;
    for (uint32_t i = 0; i < count;)
    {
        uint32_t wanted[AB_OVERLAP_BATCH + AB_WIDEST], kept = 0;
        for (; i < count && kept < AB_OVERLAP_BATCH; ++i)
        {
            const bool wants = ab_query_wants(q->world, q->filter, q->question, proxies[i]);
            if (wants && ab_overlap_is_by_children(q, proxies[i]))
            {
                if (!q->children(q->context, proxies[i], ab_overlap_is_enough, NULL))
                {
                    return false;
                }
                continue;
            }
            wanted[kept] = proxies[i];
            kept += wants;
        }
        for (uint32_t k = 0; k < AB_WIDEST; ++k)
        {
            wanted[kept + k] = proxies[0];
        }
        if (overlap_some(a, wanted, kept))
        {
            return false;
        }
    }
    return true;
}

static const char *fault(void *context, uint32_t i)
{
    const any_call *c = context;
    const abut_placed_shape *asker = &c->questions.shapes[i];
    abut_pose pose = asker->pose;
    return ab_query_shape_fault(c->questions.asked.world, &asker->shape, &pose);
}

static void answer(void *context, ab_query_lists *lists, uint32_t i)
{
    any_call *c = context;
    const ab_questions *asked = &c->questions.asked;
    ab_overlap_asker asker;
    ab_index_box box;
    (void)lists;
    ab_overlap_lay(&asker, &box, &c->questions, i);
    any_query a = { { .world = asked->world,
                      .filter = &asked->accepted,
                      .question = i,
                      .test = asker.test,
                      .children = asker.children,
                      .context = asker.context,
                      .box = &box },
                    &asker.shape };
    c->out[i] = !ab_query_descend(asked->index, asked->index->kernels->overlap, &box, see, &a);
}

static abut_status ask(const abut_world *world, const char *call, const abut_placed_shape *shapes, uint32_t count,
                       const abut_query_filter *filter, bool *out)
{
    const abut_status entered = ab_query_enter(world, count == 0 || (shapes && out), call);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    any_call c = { .out = out };
    c.questions.shapes = shapes;
    c.questions.asked = (ab_questions){ .world = world, .call = call, .count = count, .filter = filter };
    c.questions.asked.flags = FLAGS;
    c.questions.asked.context = &c;
    c.questions.asked.fault = fault;
    c.questions.asked.answer = answer;
    c.questions.asked.placed = true;
    return ab_query_ask(&c.questions.asked);
}

abut_status abut_world_overlap_shape_any(const abut_world *world, const abut_placed_shape *shape,
                                         const abut_query_filter *filter, bool *out)
{
    return ask(world, "abut_world_overlap_shape_any", shape, 1, filter, out);
}

abut_status abut_world_overlap_shape_any_many(const abut_world *world, const abut_placed_shape *shapes, uint32_t count,
                                              const abut_query_filter *filter, bool *out)
{
    return ask(world, "abut_world_overlap_shape_any_many", shapes, count, filter, out);
}
