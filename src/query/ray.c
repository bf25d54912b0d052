// Rays through a world.
#include "query/ray_shape.h"
#include "query/travel.h"

#include <math.h>

#define FLAGS (ABUT_QUERY_SENSORS | ABUT_QUERY_HOLLOW | ABUT_QUERY_SKIP_INSIDE | ABUT_QUERY_ONE_PER_BODY)

// A call.
typedef struct ray_questions
{
    ab_questions asked;
    const abut_ray *rays;
    ab_travel_results results;
} ray_questions;

static const char *fault(void *context, uint32_t i)
{
    const ray_questions *q = context;
    return ab_ray_fault(&q->rays[i], q->asked.world->is_2d);
}

// One question.
typedef struct ray_query
{
    const ab_questions *asked;
    abut_vec3 origin;
    ab_ray_target target; // of the present proxy
} ray_query;

static bool test(void *context, uint32_t proxy, abut_hit *out)
{
    ray_query *q = context;
    const abut_world *world = q->asked->world;
    ab_ray_target *t = &q->target;
    ab_ray_found found;
    double offset[3];
    t->record = &world->proxies.record[proxy];
    t->shape = &world->colliders.shape[world->proxies.collider[proxy]];
    ab_query_place(world, proxy, q->origin, t->from);
    for (int k = 0; k < 3; ++k)
    {
        t->from[k] = -t->from[k];
    }
    if (!ab_ray_test(t, q->asked->accepted.flags, &found))
    {
        return false;
    }
    ab_ray_offset(t, &found, offset);
    out->fraction = (float)found.fraction;
    out->offset = ab_query_vec3(offset);
    out->normal = ab_query_vec3(found.normal);
    out->flags = found.flags;
    return true;
}

static void answer(void *context, uint32_t i)
{
    ray_questions *questions = context;
    const abut_vec3 o = questions->rays[i].origin, t = questions->rays[i].translation;
    const float origin[3] = { o.x, o.y, o.z }, way[3] = { t.x, t.y, t.z }, half[3] = { 0.0f, 0.0f, 0.0f };
    ray_query q = { .asked = &questions->asked, .origin = o };
    ab_travel travel = { .asked = &questions->asked, .test = test, .context = &q };
    ab_cast_line_make(&travel.line, origin, way, half);
    q.target.kinds = &questions->asked.world->kind_set;
    for (int k = 0; k < 3; ++k)
    {
        q.target.way[k] = (double)way[k];
    }
    travel.length = sqrt(ab_dot(q.target.way, q.target.way));
    ab_travel_answer(&travel, &questions->results, i);
}

static ray_questions open_questions(const abut_world *world, const abut_ray *rays, uint32_t count,
                                    const abut_query_filter *filter, const char *call)
{
    return (ray_questions){
        .asked = { .world = world,
                   .call = call,
                   .count = count,
                   .filter = filter,
                   .flags = FLAGS,
                   .fault = fault,
                   .answer = answer },
        .rays = rays,
    };
}

abut_status abut_world_ray_closest(const abut_world *world, const abut_ray *ray, const abut_query_filter *filter,
                                   abut_hit *out)
{
    ray_questions q = open_questions(world, ray, 1, filter, "abut_world_ray_closest");
    q.asked.context = &q;
    q.results.closest = out;
    return ab_travel_ask(&q.asked, ray && out);
}

abut_status abut_world_ray_closest_many(const abut_world *world, const abut_ray *rays, uint32_t count,
                                        const abut_query_filter *filter, abut_hit *out)
{
    ray_questions q = open_questions(world, rays, count, filter, "abut_world_ray_closest_many");
    q.asked.context = &q;
    q.results.closest = out;
    return ab_travel_ask(&q.asked, count == 0 || (rays && out));
}

abut_status abut_world_ray_any(const abut_world *world, const abut_ray *ray, const abut_query_filter *filter, bool *out)
{
    ray_questions q = open_questions(world, ray, 1, filter, "abut_world_ray_any");
    q.asked.context = &q;
    q.results.any = out;
    return ab_travel_ask(&q.asked, ray && out);
}

abut_status abut_world_ray_any_many(const abut_world *world, const abut_ray *rays, uint32_t count,
                                    const abut_query_filter *filter, bool *out)
{
    ray_questions q = open_questions(world, rays, count, filter, "abut_world_ray_any_many");
    q.asked.context = &q;
    q.results.any = out;
    return ab_travel_ask(&q.asked, count == 0 || (rays && out));
}

abut_status abut_world_ray_all(const abut_world *world, const abut_ray *ray, const abut_query_filter *filter,
                               abut_hit *out, uint32_t capacity, uint32_t *count)
{
    ray_questions q = open_questions(world, ray, 1, filter, "abut_world_ray_all");
    q.asked.context = &q;
    q.results.lists = (ab_query_lists){ NULL, out, sizeof *out, capacity, 0 };
    return ab_travel_ask_all(&q.asked, &q.results, ray, count);
}

abut_status abut_world_ray_all_many(const abut_world *world, const abut_ray *rays, uint32_t count,
                                    const abut_query_filter *filter, abut_range *ranges, abut_hit *out,
                                    uint64_t capacity, uint64_t *total)
{
    ray_questions q = open_questions(world, rays, count, filter, "abut_world_ray_all_many");
    q.asked.context = &q;
    q.results.lists = (ab_query_lists){ ranges, out, sizeof *out, capacity, 0 };
    return ab_travel_ask_all_many(&q.asked, &q.results, rays, total);
}
