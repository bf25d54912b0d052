// Rays through a world. The index finds the proxies whose AABBs a ray enters; the shapes decide.
//
// A ray for its closest hit is divided into segments, each twice as long as the one before: once a hit is within the
// segment, none in a later one can be closer. So near hits cost little, and no node needs a guess at the nearest child.
#include "base/array.h"
#include "base/assert.h"
#include "base/platform.h"
#include "math/rotation.h"
#include "query/query.h"
#include "query/ray_shape.h"

#include <math.h>

#define FIRST_SEGMENT 0.6f // of the width of a node over 64 proxies
#define DOUBLED       2.0f
#define FLAGS         (ABUT_QUERY_SENSORS | ABUT_QUERY_HOLLOW | ABUT_QUERY_SKIP_INSIDE | ABUT_QUERY_ONE_PER_BODY)

typedef struct ray_query
{
    const abut_world *world;
    const ab_query_filter *filter;
    const ab_query_index *index;
    const abut_ray *ray;
    bool any, hit;       // any: only `hit` is needed
    abut_hit best;       // of the closest
    ab_result_list *all; // NULL: only the closest
    ab_cast_line line;
    ab_ray_target target; // of the present proxy
} ray_query;

// Tests the ray against a proxy's shape.
static bool test_proxy(ray_query *q, uint32_t proxy, ab_ray_found *found)
{
    const ab_proxies *proxies = &q->world->proxies;
    ab_ray_target *t = &q->target;
    t->record = &proxies->record[proxy];
    t->shape = &q->world->colliders.shape[proxies->collider[proxy]];
    ab_query_place(q->world, proxy, q->ray->origin, t->from);
    for (int k = 0; k < 3; ++k)
    {
        t->from[k] = -t->from[k];
    }
    return ab_ray_test(t, q->filter->flags, found);
}

static abut_hit hit_of(const ray_query *q, uint32_t proxy, const ab_ray_found *found)
{
    const ab_contact_name *name = &q->world->colliders.name[q->world->proxies.collider[proxy]];
    double offset[3];
    ab_ray_offset(&q->target, found, offset);
    return (abut_hit){
        .body = name->body,
        .collider = name->collider,
        .fraction = (float)found->fraction,
        .offset = ab_query_vec3(offset),
        .normal = ab_query_vec3(found->normal),
        .flags = found->flags,
    };
}

// A hit that another of its body may come before.
typedef struct rival
{
    ray_query *q;
    const abut_hit *hit;
} rival;

static bool is_hit_before(void *context, uint32_t proxy)
{
    const rival *r = context;
    ab_ray_found found;
    if (!test_proxy(r->q, proxy, &found))
    {
        return false;
    }
    const abut_hit other = hit_of(r->q, proxy, &found);
    return ab_hit_before(r->q->world, &other, r->hit);
}

static void take(ray_query *q, uint32_t proxy, const abut_hit *hit)
{
    if (q->all)
    {
        rival r = { q, hit };
        if (!(q->filter->flags & ABUT_QUERY_ONE_PER_BODY) ||
            ab_query_is_first(q->world, q->filter, proxy, is_hit_before, &r))
        {
            ab_result_list_add(q->all, hit);
        }
        return;
    }
    if (!q->hit || ab_hit_before(q->world, hit, &q->best))
    {
        q->best = *hit;
        q->line.far = hit->fraction < q->line.far ? hit->fraction : q->line.far;
    }
    q->hit = true;
}

static bool see(void *context, const uint32_t *proxies, const float *entered, uint32_t count)
{
    ray_query *q = context;
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_ray_found found;
        if (entered[i] <= q->line.far && ab_query_wants(q->world, q->filter, proxies[i]) &&
            test_proxy(q, proxies[i], &found))
        {
            const abut_hit hit = hit_of(q, proxies[i], &found);
            AB_ASSERT(entered[i] <= hit.fraction, proxies[i]);
            take(q, proxies[i], &hit);
            if (q->any)
            {
                return false;
            }
        }
    }
    return true;
}

static float first_segment(const ray_query *q)
{
    const double *way = q->target.way;
    const double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    const double first = (double)(FIRST_SEGMENT * q->index->node_width);
    return first > 0.0 && first < length ? (float)(first / length) : 1.0f;
}

static void run(ray_query *q)
{
    const abut_vec3 o = q->ray->origin, t = q->ray->translation;
    const float origin[3] = { o.x, o.y, o.z }, way[3] = { t.x, t.y, t.z }, half[3] = { 0.0f, 0.0f, 0.0f };
    ab_cast_line *line = &q->line;
    ab_cast_line_make(line, origin, way, half);
    q->hit = false;
    q->target.kinds = &q->world->kind_set;
    for (int k = 0; k < 3; ++k)
    {
        q->target.way[k] = (double)way[k];
    }
    float end = q->all ? 1.0f : first_segment(q);
    for (;;)
    {
        line->far = q->hit && q->best.fraction < end ? q->best.fraction : end;
        const bool stopped = !ab_query_descend(q->index, q->index->kernels->cast, line, see, q);
        if (stopped || end >= 1.0f || (q->hit && q->best.fraction <= end))
        {
            return;
        }
        const float next = end + DOUBLED * (end - line->near);
        line->near = end;
        end = next < 1.0f ? next : 1.0f;
    }
}

static abut_hit closest(const abut_world *world, const ab_query_filter *filter, const ab_query_index *index,
                        const abut_ray *ray)
{
    ray_query q = { .world = world, .filter = filter, .index = index, .ray = ray };
    run(&q);
    return q.hit ? q.best : (abut_hit){ .fraction = 1.0f };
}

static bool any(const abut_world *world, const ab_query_filter *filter, const ab_query_index *index,
                const abut_ray *ray)
{
    ray_query q = { .world = world, .filter = filter, .index = index, .ray = ray, .any = true };
    run(&q);
    return q.hit;
}

static void all(const abut_world *world, const ab_query_filter *filter, const ab_query_index *index,
                const abut_ray *ray, ab_result_list *list)
{
    ray_query q = { .world = world, .filter = filter, .index = index, .ray = ray, .all = list };
    run(&q);
}

// A call: its rays, and one of the results.
typedef struct ray_questions
{
    ab_questions asked;
    const abut_ray *rays;
    abut_hit *closest;
    bool *any;
    ab_query_lists lists;
} ray_questions;

static const char *fault(void *context, uint32_t i)
{
    const ray_questions *q = context;
    return ab_ray_fault(&q->rays[i], q->asked.world->is_2d);
}

static void answer(void *context, uint32_t i)
{
    ray_questions *q = context;
    const abut_world *world = q->asked.world;
    if (q->any)
    {
        q->any[i] = any(world, &q->asked.accepted, &q->asked.index, &q->rays[i]);
    }
    else if (q->closest)
    {
        q->closest[i] = closest(world, &q->asked.accepted, &q->asked.index, &q->rays[i]);
    }
    else
    {
        ab_result_list list = ab_query_lists_next(&q->lists, world, ab_hit_before);
        all(world, &q->asked.accepted, &q->asked.index, &q->rays[i], &list);
        ab_query_lists_took(&q->lists, i, &list);
    }
}

// The pointers are not NULL.
static abut_status ask(ray_questions *q, const abut_world *world, uint32_t count, const abut_query_filter *filter,
                       const char *call)
{
    q->asked = (ab_questions){ .world = world,
                               .call = call,
                               .count = count,
                               .filter = filter,
                               .flags = FLAGS,
                               .context = q,
                               .fault = fault,
                               .answer = answer };
    return ab_query_ask(&q->asked);
}

abut_status abut_world_ray_closest(const abut_world *world, const abut_ray *ray, const abut_query_filter *filter,
                                   abut_hit *out)
{
    static const char *const call = "abut_world_ray_closest";
    const abut_status entered = ab_query_enter(world, ray && out, call);
    ray_questions q = { .rays = ray, .closest = out };
    return entered == ABUT_OK ? ask(&q, world, 1, filter, call) : entered;
}

abut_status abut_world_ray_closest_many(const abut_world *world, const abut_ray *rays, uint32_t count,
                                        const abut_query_filter *filter, abut_hit *out)
{
    static const char *const call = "abut_world_ray_closest_many";
    const abut_status entered = ab_query_enter(world, count == 0 || (rays && out), call);
    ray_questions q = { .rays = rays, .closest = out };
    return entered == ABUT_OK ? ask(&q, world, count, filter, call) : entered;
}

abut_status abut_world_ray_any(const abut_world *world, const abut_ray *ray, const abut_query_filter *filter, bool *out)
{
    static const char *const call = "abut_world_ray_any";
    const abut_status entered = ab_query_enter(world, ray && out, call);
    ray_questions q = { .rays = ray, .any = out };
    return entered == ABUT_OK ? ask(&q, world, 1, filter, call) : entered;
}

abut_status abut_world_ray_any_many(const abut_world *world, const abut_ray *rays, uint32_t count,
                                    const abut_query_filter *filter, bool *out)
{
    static const char *const call = "abut_world_ray_any_many";
    const abut_status entered = ab_query_enter(world, count == 0 || (rays && out), call);
    ray_questions q = { .rays = rays, .any = out };
    return entered == ABUT_OK ? ask(&q, world, count, filter, call) : entered;
}

abut_status abut_world_ray_all(const abut_world *world, const abut_ray *ray, const abut_query_filter *filter,
                               abut_hit *out, uint32_t capacity, uint32_t *count)
{
    static const char *const call = "abut_world_ray_all";
    const abut_status entered = ab_query_enter(world, ray && count && (capacity == 0 || out), call);
    abut_range range = { 0 };
    ray_questions q = { .rays = ray, .lists = { &range, out, sizeof *out, capacity, 0 } };
    const abut_status status = entered == ABUT_OK ? ask(&q, world, 1, filter, call) : entered;
    if (count && status == ABUT_OK)
    {
        *count = range.count;
    }
    return status;
}

abut_status abut_world_ray_all_many(const abut_world *world, const abut_ray *rays, uint32_t count,
                                    const abut_query_filter *filter, abut_range *ranges, abut_hit *out,
                                    uint64_t capacity, uint64_t *total)
{
    static const char *const call = "abut_world_ray_all_many";
    const bool pointers = total && (count == 0 || (rays && ranges)) && (capacity == 0 || out);
    const abut_status entered = ab_query_enter(world, pointers, call);
    ray_questions q = { .rays = rays, .lists = { ranges, out, sizeof *out, capacity, 0 } };
    const abut_status status = entered == ABUT_OK ? ask(&q, world, count, filter, call) : entered;
    if (total && status == ABUT_OK)
    {
        *total = q.lists.total;
    }
    return status;
}
