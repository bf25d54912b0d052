// Rays through a world.
#include "query/bound_kernels.h"
#include "query/gather.h"
#include "query/ray_shape.h"
#include "query/travel_many.h"

#include <math.h>

#define LEAST 1e-30 // metres: shorter rays are points to the bounds

#define FLAGS                                                                                                          \
    (ABUT_QUERY_SENSORS | ABUT_QUERY_HOLLOW | ABUT_QUERY_SKIP_INSIDE | ABUT_QUERY_ONE_PER_BODY |                       \
     ABUT_QUERY_BACK_FACES | ABUT_QUERY_CHILDREN)

void ab_ray_row_make(ab_ray_row *out, const float origin[3], const double way[3], double length)
{
    const double inverse = length < LEAST ? 0.0 : 1.0 / length;
    out->inverse = (float)inverse;
    for (int k = 0; k < 3; ++k)
    {
        out->origin[k] = origin[k];
        out->unit[k] = (float)(way[k] * inverse);
#ifndef AB_SMALL
        out->way[k] = (float)way[k];
#endif
    }
}

static const abut_ray *ray_of(const ab_travel_call *call, uint32_t i)
{
    return &((const abut_ray *)call->given)[i];
}

static const char *fault(void *context, uint32_t i)
{
    const ab_travel_call *q = context;
    return ab_ray_fault(ray_of(q, i), q->asked.world->state.is_2d);
}

// One question.
typedef struct ray_query
{
    const ab_questions *asked;
    abut_vec3 origin;
    ab_ray_target target; // of the present proxy
} ray_query;

#ifdef AB_SMALL
#define SHAPE_OF ab_query_shape
#else
#define SHAPE_OF ab_query_shape_in
#endif

// Aims at a proxy. Its shape may lie in *room.
static void aim(ray_query *q, uint32_t proxy, abut_shape *room)
{
    const abut_world *world = q->asked->world;
    ab_ray_target *t = &q->target;
    t->record = &world->cache.proxies.record[proxy];
    t->shape = SHAPE_OF(world, proxy, room);
    ab_query_place(world, proxy, q->origin, t->from);
    for (int k = 0; k < 3; ++k)
    {
        t->from[k] = -t->from[k];
    }
}

static void set_hit(const ray_query *q, const ab_ray_found *found, abut_hit *out)
{
    double offset[3];
    ab_ray_offset(&q->target, found, offset);
    out->fraction = ab_positive_zero(found->fraction);
    out->offset = ab_query_vec3(offset);
    out->normal = ab_query_vec3(found->normal);
    out->depth = 0.0f;
    out->flags = found->flags;
    out->child = found->child;
}

static bool test(void *context, uint32_t proxy, abut_hit *out)
{
    ray_query *q = context;
    abut_shape room;
    ab_ray_found found;
    aim(q, proxy, &room);
    if (!ab_ray_test(&q->target, q->asked->accepted.flags, &found))
    {
        return false;
    }
    set_hit(q, &found, out);
    return true;
}

static const ab_travel_tests tests = { test, NULL };

#ifdef AB_MESHES
// What a proxy's hits go to.
typedef struct listing
{
    const ray_query *query;
    ab_travel *travel;
    uint32_t proxy;
} listing;

static void list_hit(void *context, const ab_ray_found *found)
{
    const listing *l = context;
    abut_hit hit;
    set_hit(l->query, found, &hit);
    ab_travel_list(l->travel, l->proxy, &hit);
}

static void list_each(void *context, uint32_t proxy, ab_travel *travel)
{
    ray_query *q = context;
    abut_shape room;
    aim(q, proxy, &room);
    ab_ray_test_each(&q->target, q->asked->accepted.flags, list_hit, &(listing){ q, travel, proxy });
}

static const ab_travel_tests by_children = { test, list_each };
#define TESTS(flags) ((flags)&ABUT_QUERY_CHILDREN ? &by_children : &tests)
#else
#define TESTS(flags) (&tests)
#endif

// Sets question i up.
static void lay(ray_query *q, ab_travel *travel, ab_cast_line *line, const ab_questions *asked, const abut_ray *ray,
                uint32_t i)
{
    const abut_vec3 o = ray->origin, t = ray->translation;
    const float origin[3] = { o.x, o.y, o.z }, way[3] = { t.x, t.y, t.z };
    q->asked = asked;
    q->origin = o;
    q->target.kinds = &asked->world->state.kind_set;
    q->target.kernels = asked->world->kernels;
    travel->asked = asked;
    travel->question = i;
    travel->line = line;
    travel->tests = TESTS(asked->accepted.flags);
    travel->context = q;
    travel->overlaps = false;
    travel->first = asked->index->ray_segment;
    travel->any = false;
    travel->all = NULL;
    ab_cast_line_make(line, origin, way);
    for (int k = 0; k < 3; ++k)
    {
        q->target.way[k] = (double)way[k];
    }
    travel->length = sqrt(ab_dot(q->target.way, q->target.way));
}

static void answer(void *context, ab_query_lists *lists, uint32_t i)
{
    ab_travel_call *call = context;
    ray_query q;
    ab_travel travel;
    ab_cast_line line;
    lay(&q, &travel, &line, &call->asked, ray_of(call, i), i);
    ab_travel_answer(&travel, &call->results, lists, i);
}

// What many rays need.
typedef struct ray_bounding
{
    const abut_world *world;
    const ab_ray_row *rows;
} ray_bounding;

static void bound(const void *context, const uint32_t *proxies, const uint8_t *rays, uint32_t count, float *bounds)
{
    const ray_bounding *b = context;
    const ab_query_kernels *kernels = b->world->kernels->queries;
#ifndef AB_SMALL
    if (!rays)
    {
        kernels->ray(&b->world->cache.proxies, b->rows, proxies, count, bounds);
        return;
    }
#endif
    kernels->ray_many(&b->world->cache.proxies, b->rows, proxies, rays, count, bounds);
}

#ifndef AB_SMALL
static void decide(const void *context, ab_exact_sort sort, const uint32_t *proxies, const uint32_t *rays,
                   ab_ray_hits *out)
{
    const ray_bounding *b = context;
    b->world->kernels->exact->ray[sort](&b->world->cache.proxies, b->rows, proxies, rays, out);
}

// For filters with these flags a start inside is something else.
#define DECIDE(flags) ((flags) & (ABUT_QUERY_HOLLOW | ABUT_QUERY_SKIP_INSIDE) ? NULL : decide)
#endif

// Many questions, set up.
typedef struct ray_batch
{
    ray_query query[AB_DESCEND_MANY];
    ab_travel travel[AB_DESCEND_MANY];
    ab_cast_line line[AB_DESCEND_MANY];
    _Alignas(AB_CACHE_LINE) ab_ray_row row[AB_DESCEND_MANY];
    ray_bounding bounding;
    ab_travels travels;
} ray_batch;

static void lay_many(ray_batch *out, const ab_travel_call *call, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_ray *ray = ray_of(call, first + i);
        const float origin[3] = { ray->origin.x, ray->origin.y, ray->origin.z };
        lay(&out->query[i], &out->travel[i], &out->line[i], &call->asked, ray, first + i);
        ab_ray_row_make(&out->row[i], origin, out->query[i].target.way, out->travel[i].length);
    }
    out->bounding = (ray_bounding){ call->asked.world, out->row };
    out->travels = (ab_travels){
        .count = count, .travel = out->travel, .line = out->line, .bound = bound, .context = &out->bounding
    };
#ifndef AB_SMALL
    out->travels.descend = call->asked.index->kernels->ray_many;
    out->travels.decide = DECIDE(call->asked.accepted.flags);
#endif
}

static void answer_many(void *context, ab_query_lists *lists, uint32_t first, uint32_t count)
{
    (void)lists;
    ab_travel_call *call = context;
    ray_batch r;
    lay_many(&r, call, first, count);
    ab_travel_answer_many(&r.travels, &call->results, first);
}

#ifdef AB_SMALL
#define ALL_AT_ONCE NULL
#else
#define ALL_AT_ONCE answer_all_many

static bool answer_together(void *context, ab_query_lists *lists, uint32_t first, uint32_t count)
{
    ab_travel_call *call = context;
    ray_batch r;
    lay_many(&r, call, first, count);
    return (count == 1 && ab_travel_answer_all_alone(&r.travels, lists, first)) ||
           ab_travel_answer_all_many(&r.travels, lists, first);
}

static void answer_all_many(void *context, ab_query_lists *lists, uint32_t first, uint32_t count)
{
    ab_travel_call *call = context;
    ab_gather_answers(&call->asked, lists, first, count, answer_together);
}

#endif

void ab_ray_closest(const ab_questions *asked, uint32_t flags, const abut_ray *ray, abut_hit *out)
{
    ab_travel_call call = { .asked = *asked, .given = ray, .results = { .closest = out } };
    call.asked.accepted.flags = flags;
    answer(&call, NULL, 0);
}

static const ab_travel_sort sort = { FLAGS, fault, answer, answer_many, ALL_AT_ONCE };

#ifdef AB_SMALL
#define ask_closest(world, name, ray, filter, out) ab_travel_closest(&sort, world, name, ray, 1, filter, out)
#define ask_any(world, name, ray, filter, out)     ab_travel_any(&sort, world, name, ray, 1, filter, out)
#else
#define ask_closest(world, name, ray, filter, out) ask_one(world, name, ray, filter, out, NULL)
#define ask_any(world, name, ray, filter, out)     ask_one(world, name, ray, filter, NULL, out)

// One question in a call of its own.
typedef struct lone_ray
{
    ray_query query;
    ab_travel travel;
    ab_cast_line line;
    ab_travels travels;
    bool has_row; // which is made for the first candidates that have rivals
    ab_ray_row row;
} lone_ray;

typedef struct lone_bounding
{
    lone_ray *ray;
} lone_bounding;

static AB_APART void bound_one(const void *context, const uint32_t *proxies, const uint8_t *none, uint32_t count,
                               float *bounds)
{
    lone_ray *r = ((const lone_bounding *)context)->ray;
    const abut_world *world = r->query.asked->world;
    (void)none;
    if (!r->has_row)
    {
        const float origin[3] = { r->query.origin.x, r->query.origin.y, r->query.origin.z };
        ab_ray_row_make(&r->row, origin, r->query.target.way, r->travel.length);
        r->has_row = true;
    }
    world->kernels->queries->ray(&world->cache.proxies, &r->row, proxies, count, bounds);
}

static void answer_one(const ab_questions *asked, const abut_ray *ray, const ab_travel_results *results)
{
    lone_ray r;
    const lone_bounding bounding = { &r };
    lay(&r.query, &r.travel, &r.line, asked, ray, 0);
    r.has_row = false;
    r.travels.travel = &r.travel;
    r.travels.bound = bound_one;
    r.travels.context = &bounding;
    ab_travel_answer_one(&r.travels, results, 0);
}

// One of the two is wanted.
static abut_status ask_one(const abut_world *world, const char *name, const abut_ray *ray,
                           const abut_query_filter *filter, abut_hit *closest, bool *any)
{
    const ab_travel_results results = { closest, any };
    ab_lone_call call;
    call.asked.world = world;
    call.asked.call = name;
    call.asked.filter = filter;
    call.asked.flags = FLAGS;
    const abut_status status = ab_query_open(&call, ray && (closest || any));
    if (status != ABUT_OK || !ray)
    {
        return status;
    }
    const char *sentence = ab_ray_fault(ray, world->state.is_2d);
    if (!sentence)
    {
        answer_one(&call.asked, ray, &results);
    }
    return ab_query_close(&call, sentence);
}
#endif

abut_status abut_world_ray_closest(const abut_world *world, const abut_ray *ray, const abut_query_filter *filter,
                                   abut_hit *out)
{
    return ask_closest(world, "abut_world_ray_closest", ray, filter, out);
}

abut_status abut_world_ray_closest_many(const abut_world *world, const abut_ray *rays, uint32_t count,
                                        const abut_query_filter *filter, abut_hit *out)
{
    return ab_travel_closest(&sort, world, "abut_world_ray_closest_many", rays, count, filter, out);
}

abut_status abut_world_ray_any(const abut_world *world, const abut_ray *ray, const abut_query_filter *filter, bool *out)
{
    return ask_any(world, "abut_world_ray_any", ray, filter, out);
}

abut_status abut_world_ray_any_many(const abut_world *world, const abut_ray *rays, uint32_t count,
                                    const abut_query_filter *filter, bool *out)
{
    return ab_travel_any(&sort, world, "abut_world_ray_any_many", rays, count, filter, out);
}

abut_status abut_world_ray_all(const abut_world *world, const abut_ray *ray, const abut_query_filter *filter,
                               abut_hit *out, uint32_t capacity, uint32_t *count)
{
    return ab_travel_all(&sort, world, "abut_world_ray_all", ray, filter, out, capacity, count);
}

abut_status abut_world_ray_all_many(const abut_world *world, const abut_ray *rays, uint32_t count,
                                    const abut_query_filter *filter, abut_range *ranges, abut_hit *out,
                                    uint64_t capacity, uint64_t *total)
{
    return ab_travel_all_many(&sort, world, "abut_world_ray_all_many", rays, count, filter, ranges, out, capacity,
                              total);
}
