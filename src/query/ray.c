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

typedef struct ray_query
{
    const abut_world *world;
    const ab_query_filter *filter;
    const ab_query_index *index;
    const abut_ray *ray;
    bool any, hit;        // any: only `hit` is needed
    abut_hit best;        // of the closest
    ab_hit_list *all;     // NULL: only the closest
    ab_ray_target target; // of the present proxy
} ray_query;

static abut_vec3 scaled(const double way[3], double by)
{
    // Adding zero makes zeros positive.
    return abut_vec3_make((float)(way[0] * by) + 0.0f, (float)(way[1] * by) + 0.0f, (float)(way[2] * by) + 0.0f);
}

// Tests the ray against a proxy's shape.
static bool test_proxy(ray_query *q, uint32_t proxy, ab_ray_found *found)
{
    const ab_proxies *proxies = &q->world->proxies;
    const ab_record *record = &proxies->record[proxy];
    const abut_vec3 o = q->ray->origin;
    const double origin[3] = { (double)o.x, (double)o.y, (double)o.z };
    ab_ray_target *t = &q->target;
    t->record = record;
    t->shape = &q->world->colliders.shape[proxies->collider[proxy]];
    for (int k = 0; k < 3; ++k)
    {
        t->from[k] = origin[k] - (double)record->position[k];
    }
    if (proxies->offset)
    {
        const abut_vec3 offset = proxies->offset[proxy];
        t->from[0] -= (double)offset.x;
        t->from[1] -= (double)offset.y;
        t->from[2] -= (double)offset.z;
    }
    return ab_ray_test(t, q->filter->flags, found);
}

static abut_hit hit_of(const ray_query *q, uint32_t proxy, const ab_ray_found *found)
{
    const ab_contact_name *name = &q->world->colliders.name[q->world->proxies.collider[proxy]];
    return (abut_hit){
        .body = name->body,
        .collider = name->collider,
        .fraction = (float)found->fraction,
        .offset = scaled(q->target.way, found->fraction),
        .normal = scaled(found->normal, 1.0),
        .flags = found->flags,
    };
}

// Whether another collider of the same body is hit before this one.
static bool body_is_hit_before(ray_query *q, const abut_hit *hit)
{
    const ab_colliders *colliders = &q->world->colliders;
    for (uint32_t at = q->world->bodies.first[hit->body.slot]; at != ABUT_NONE; at = colliders->next[at])
    {
        const uint32_t proxy = colliders->generation[at] != 0 ? q->world->proxies.proxy_of[at] : ABUT_NONE;
        ab_ray_found found;
        if (at != hit->collider.slot && proxy != ABUT_NONE && ab_query_wants(q->world, q->filter, proxy) &&
            ab_proxies_has_box(&q->world->proxies, proxy) && test_proxy(q, proxy, &found))
        {
            const abut_hit other = hit_of(q, proxy, &found);
            if (ab_hit_before(q->world, &other, hit))
            {
                return true;
            }
        }
    }
    return false;
}

static void take(ray_query *q, const abut_hit *hit, ab_cast_line *line)
{
    if (q->all)
    {
        if (!(q->filter->flags & ABUT_QUERY_ONE_PER_BODY) || !body_is_hit_before(q, hit))
        {
            ab_hit_list_add(q->all, hit);
        }
        return;
    }
    if (!q->hit || ab_hit_before(q->world, hit, &q->best))
    {
        q->best = *hit;
        line->far = hit->fraction < line->far ? hit->fraction : line->far;
    }
    q->hit = true;
}

static bool see(void *context, const uint32_t *proxies, const float *entered, uint32_t count, ab_cast_line *line)
{
    ray_query *q = context;
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_ray_found found;
        if (entered[i] <= line->far && ab_query_wants(q->world, q->filter, proxies[i]) &&
            test_proxy(q, proxies[i], &found))
        {
            const abut_hit hit = hit_of(q, proxies[i], &found);
            AB_ASSERT(entered[i] <= hit.fraction, proxies[i]);
            take(q, &hit, line);
            if (q->any)
            {
                return false;
            }
        }
    }
    return true;
}

// The static set first: most rays end at floors and walls.
static bool cast_segment(ray_query *q, ab_cast_line *line)
{
    return ab_cast_tree(&q->index->tree[AB_STATIC_SET], q->index->cast, line, see, q) &&
           ab_cast_tree(&q->index->tree[AB_ACTIVE], q->index->cast, line, see, q);
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
    ab_cast_line line;
    ab_cast_line_make(&line, origin, way, half);
    q->hit = false;
    q->target.kinds = &q->world->kind_set;
    for (int k = 0; k < 3; ++k)
    {
        q->target.way[k] = (double)way[k];
    }
    float end = q->all ? 1.0f : first_segment(q);
    for (;;)
    {
        line.far = q->hit && q->best.fraction < end ? q->best.fraction : end;
        const bool stopped = !cast_segment(q, &line);
        if (stopped || end >= 1.0f || (q->hit && q->best.fraction <= end))
        {
            return;
        }
        const float next = end + DOUBLED * (end - line.near);
        line.near = end;
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

static uint32_t all(const abut_world *world, const ab_query_filter *filter, const ab_query_index *index,
                    const abut_ray *ray, abut_hit *out, uint64_t capacity)
{
    ab_hit_list list = { .world = world, .hits = out, .capacity = capacity };
    ray_query q = { .world = world, .filter = filter, .index = index, .ray = ray, .all = &list };
    run(&q);
    ab_hit_list_sort(&list);
    return list.count;
}

// The results of a call; one of the three.
typedef struct ray_results
{
    abut_hit *hits;
    bool *any;
    abut_range *ranges; // with hits: all hits of each ray
    uint64_t capacity, total;
} ray_results;

static void answer(const abut_world *world, const abut_ray *rays, uint32_t count, const ab_query_filter *filter,
                   ray_results *out)
{
    const ab_query_index index = ab_query_index_of(world);
    for (uint32_t i = 0; i < count; ++i)
    {
        if (out->any)
        {
            out->any[i] = any(world, filter, &index, &rays[i]);
        }
        else if (!out->ranges)
        {
            out->hits[i] = closest(world, filter, &index, &rays[i]);
        }
        else
        {
            const uint64_t left = out->total < out->capacity ? out->capacity - out->total : 0;
            out->ranges[i].first = out->total;
            out->ranges[i].count = all(world, filter, &index, &rays[i], left > 0 ? out->hits + out->total : NULL, left);
            out->total += out->ranges[i].count;
        }
    }
}

// The first invalid ray, or `count`.
static uint32_t first_fault(const abut_world *world, const abut_ray *rays, uint32_t count, const char **sentence)
{
    uint32_t i = 0;
    while (i < count && (*sentence = ab_ray_fault(&rays[i], world->is_2d)) == NULL)
    {
        ++i;
    }
    return i;
}

// The pointers are not NULL. Writes nothing unless all input is valid.
static abut_status ask(const abut_world *world, const abut_ray *rays, uint32_t count, const abut_query_filter *filter,
                       ray_results *out, const char *call)
{
    ab_query_filter accepted;
    const char *sentence = ab_query_filter_accept(&accepted, filter);
    if (sentence)
    {
        return ab_query_fail(world, ABUT_INVALID_ARGUMENT, call, 0, sentence);
    }
    const uint64_t floats = ab_platform_float_enter();
    const uint32_t fault = first_fault(world, rays, count, &sentence);
    if (fault == count)
    {
        answer(world, rays, count, &accepted, out);
    }
    ab_platform_float_leave(floats);
    return fault == count ? ABUT_OK : ab_query_fail(world, ABUT_INVALID_ARGUMENT, call, fault, sentence);
}

static abut_status enter(const abut_world *world, bool pointers, const char *call)
{
    const abut_status entered = ab_world_enter(world);
    return entered != ABUT_OK || pointers ? entered
                                          : ab_query_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
}

abut_status abut_world_ray_closest(const abut_world *world, const abut_ray *ray, const abut_query_filter *filter,
                                   abut_hit *out)
{
    static const char *const call = "abut_world_ray_closest";
    const abut_status entered = enter(world, ray && out, call);
    ray_results results = { .hits = out };
    return entered == ABUT_OK ? ask(world, ray, 1, filter, &results, call) : entered;
}

abut_status abut_world_ray_closest_many(const abut_world *world, const abut_ray *rays, uint32_t count,
                                        const abut_query_filter *filter, abut_hit *out)
{
    static const char *const call = "abut_world_ray_closest_many";
    const abut_status entered = enter(world, count == 0 || (rays && out), call);
    ray_results results = { .hits = out };
    return entered == ABUT_OK ? ask(world, rays, count, filter, &results, call) : entered;
}

abut_status abut_world_ray_any(const abut_world *world, const abut_ray *ray, const abut_query_filter *filter, bool *out)
{
    static const char *const call = "abut_world_ray_any";
    const abut_status entered = enter(world, ray && out, call);
    ray_results results = { .any = out };
    return entered == ABUT_OK ? ask(world, ray, 1, filter, &results, call) : entered;
}

abut_status abut_world_ray_any_many(const abut_world *world, const abut_ray *rays, uint32_t count,
                                    const abut_query_filter *filter, bool *out)
{
    static const char *const call = "abut_world_ray_any_many";
    const abut_status entered = enter(world, count == 0 || (rays && out), call);
    ray_results results = { .any = out };
    return entered == ABUT_OK ? ask(world, rays, count, filter, &results, call) : entered;
}

abut_status abut_world_ray_all(const abut_world *world, const abut_ray *ray, const abut_query_filter *filter,
                               abut_hit *out, uint32_t capacity, uint32_t *count)
{
    static const char *const call = "abut_world_ray_all";
    const abut_status entered = enter(world, ray && count && (capacity == 0 || out), call);
    abut_range range = { 0 };
    ray_results results = { .hits = out, .ranges = &range, .capacity = capacity };
    const abut_status status = entered == ABUT_OK ? ask(world, ray, 1, filter, &results, call) : entered;
    if (status == ABUT_OK)
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
    const abut_status entered = enter(world, pointers, call);
    ray_results results = { .hits = out, .ranges = ranges, .capacity = capacity };
    const abut_status status = entered == ABUT_OK ? ask(world, rays, count, filter, &results, call) : entered;
    if (status == ABUT_OK)
    {
        *total = results.total;
    }
    return status;
}
