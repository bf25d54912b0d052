// The colliders nearest to a point or shape, within balls that grow (near_balls.c).
//
// Descending to the nearest child first would depend on how the upper boxes of the tree overlap. Of what a ball meets,
// a vector of bounds at a time says what comes first: the rest is mostly farther than what was measured by then.
#include "base/platform.h"
#include "math/rotation.h"
#include "narrow/compound/compound_queries.h"
#include "narrow/mesh/mesh_queries.h"
#include "query/near_query.h"

#include <math.h>

#define FLAGS (ABUT_QUERY_SENSORS | ABUT_QUERY_ONE_PER_BODY | ABUT_QUERY_SKIP_INSIDE)

// The nearest point of the proxy's shape by its row, in the shape's own frame.
static bool measure_by_row(const ab_near_query *q, uint32_t proxy, const ab_shape_row *row, const abut_shape *shape,
                           double on[3])
{
    const abut_world *world = q->asked->world;
    ab_frame frame;
    double point[3], nearest[3], zero[3] = { 0.0, 0.0, 0.0 };
    ab_query_place(world, proxy, q->position, frame.position);
    if (AB_NEAR_SHORT_CUTS && !row->turns) // its axes are the world's
    {
        ab_sub(zero, frame.position, point);
        const bool apart = !row->contains(shape, point);
        if (apart)
        {
            row->closest(shape, point, nearest);
            ab_along(nearest, 1.0, frame.position, on);
        }
        return apart;
    }
    for (int k = 0; k < 9; ++k)
    {
        frame.axis[k] = (double)world->cache.proxies.record[proxy].axis[k];
    }
    ab_frame_local(&frame, zero, point);
    if (row->contains(shape, point))
    {
        return false;
    }
    row->closest(shape, point, nearest);
    ab_frame_world(&frame, nearest, on);
    return true;
}

// The nearest points of two shapes. False when they overlap.
static bool measure_apart(const ab_near_query *q, ab_convex_pair *pair, ab_convex_contact *out, uint32_t *child)
{
#ifdef AB_MESHES
    return ab_parts_distance(pair, (double)q->limit, out, child);
#else
    (void)q, (void)child;
    return ab_convex_apart(pair, out);
#endif
}

// The nearest points of the asking shape, or point, and the proxy's. False when they overlap.
static bool measure(const ab_near_query *q, uint32_t proxy, double on_query[3], double on_collider[3], uint32_t *child)
{
    static const abut_shape point = { .kind = ABUT_SPHERE };
    const abut_world *world = q->asked->world;
    abut_shape room;
    const abut_shape *shape = ab_query_shape(world, proxy, &room);
    const ab_shape_row *row = ab_shape_row_for(shape->kind);
    on_query[0] = on_query[1] = on_query[2] = 0.0;
    if (!q->shape && row->contains && row->closest && !(AB_HAS_CHILDREN && row->parts))
    {
        return measure_by_row(q, proxy, row, shape, on_collider);
    }
    ab_convex_pair pair;
    ab_convex_contact contact;
    if (q->shape)
    {
        pair.a = *q->shape;
    }
    else
    {
        const abut_pose identity = abut_pose_identity();
        ab_query_asker(world, &point, &identity, &pair.a);
    }
    ab_query_convex(world, proxy, q->position, &room, &pair.b);
    if (!measure_apart(q, &pair, &contact, child))
    {
        return false;
    }
    for (int k = 0; k < 3; ++k)
    {
        on_query[k] = contact.on_a[k];
        on_collider[k] = contact.on_b[k];
    }
    return true;
}

// All but the names of the result.
static bool find(const ab_near_query *q, uint32_t proxy, abut_near *out)
{
    double on_query[3], on_collider[3], between[3];
    *out = (abut_near){ 0 };
    if (!measure(q, proxy, on_query, on_collider, &out->child))
    {
        return (q->asked->accepted.flags & ABUT_QUERY_SKIP_INSIDE) == 0;
    }
    ab_sub(on_collider, on_query, between);
    out->distance = (float)sqrt(ab_dot(between, between));
    out->on_query = ab_query_vec3(on_query);
    out->on_collider = ab_query_vec3(on_collider);
    return out->distance <= q->reach;
}

// The same of one that may have been measured for a smaller ball: a large one costs more than all others.
static bool find_or_keep(const ab_near_query *q, uint32_t proxy, abut_near *out)
{
    if (!AB_NEAR_SHORT_CUTS || proxy != q->kept)
    {
        return find(q, proxy, out);
    }
    *out = q->far;
    return out->distance <= q->reach;
}

// A result that another of its body may come before.
typedef struct rival
{
    const ab_near_query *q;
    uint64_t rank;
} rival;

static uint64_t rank_of(const ab_near_query *q, uint32_t proxy, const abut_near *near)
{
    return ab_result_rank_of(near->distance, q->asked->world->cache.proxies.record[proxy].collider_key);
}

static bool is_near_before(void *context, uint32_t proxy)
{
    const rival *r = context;
    abut_near other;
    return find(r->q, proxy, &other) && rank_of(r->q, proxy, &other) < r->rank;
}

void ab_near_open_ball(ab_near_query *q, float ball)
{
    q->beyond = INFINITY;
    ab_near_set_reach(q, ball);
}

void ab_near_take(ab_near_query *q, uint32_t proxy, abut_near *near)
{
    const ab_questions *asked = q->asked;
    rival r = { q, rank_of(q, proxy, near) };
    if (!(asked->accepted.flags & ABUT_QUERY_ONE_PER_BODY) ||
        ab_query_is_first(asked->world, &asked->accepted, q->question, proxy, is_near_before, &r))
    {
        const ab_contact_name *name = ab_query_name(asked->world, proxy);
        abut_near *place = AB_NEAR_SHORT_CUTS ? ab_result_list_place(q->list, r.rank) : NULL;
        near->body = name->body;
        near->collider = name->collider;
        if (place) // there are not enough
        {
            *place = *near;
            return;
        }
        ab_result_list_add(q->list, r.rank, near);
        ab_near_narrow(q);
    }
}

void ab_near_try(ab_near_query *q, uint32_t proxy)
{
    abut_near near;
    if (find_or_keep(q, proxy, &near))
    {
        ab_near_take(q, proxy, &near);
    }
    else if (AB_NEAR_SHORT_CUTS && near.distance > q->reach && near.distance < q->beyond)
    {
        q->beyond = near.distance;
        q->kept = proxy;
        q->far = near;
    }
}

#ifdef AB_SMALL
#define FIRSTS(q, c) 0u
#else
#define FIRSTS ab_near_try_firsts
#endif

static void try_all(ab_near_query *q, ab_candidates *c)
{
    ab_candidates_bound(c, q->asked->world, q->position, q->radius);
    ab_candidates_sort(c, q->most);
    for (uint32_t i = 0; i < c->count && i < q->most; ++i)
    {
        ab_query_prefetch(q->asked->world, c->proxy[i]);
    }
    for (uint32_t i = FIRSTS(q, c); i < c->count; ++i)
    {
        if (c->least[i] <= q->reach)
        {
            ab_near_try(q, c->proxy[i]);
        }
    }
    c->count = 0;
}

static bool see(void *context, const uint32_t *proxies, const float *squares, uint32_t count)
{
    ab_near_query *q = context;
    const ab_questions *asked = q->asked;
    ab_candidates c;
    c.count = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        c.proxy[c.count] = proxies[i];
        c.count +=
            squares[i] <= q->box->square && ab_query_wants(asked->world, &asked->accepted, q->question, proxies[i]);
        AB_PREFETCH_AT(asked->world->cache.proxies.record, proxies[i]);
        if (c.count == AB_CANDIDATES)
        {
            try_all(q, &c);
        }
    }
    try_all(q, &c);
    return true;
}

static void run(ab_near_query *q, float farthest)
{
    float ball;
    for (bool more = ab_near_first_ball(q, farthest, &ball); more; more = ab_near_next_ball(q, &ball, &farthest))
    {
        ab_result_list_empty(q->list);
        ab_near_open_ball(q, ball);
        (void)ab_query_descend(q->asked->index, q->asked->index->kernels->near, q->box, see, q);
    }
}

static const char *fault(void *context, uint32_t i)
{
    const ab_near_questions *q = context;
    if (!(q->max_distance >= 0.0f))
    {
        return "the distance is negative or not a number";
    }
    if (q->points)
    {
        return ab_query_point_fault(q->asked.world, q->points[i]);
    }
    abut_pose pose = q->shapes[i].pose;
    return ab_query_shape_fault(q->asked.world, &q->shapes[i].shape, &pose);
}

// Sets a question up, but for its list. `shape` is there for one that asks.
void ab_near_lay(ab_near_query *out, ab_index_box *box, ab_convex *shape, const ab_near_questions *q, uint32_t i)
{
    out->asked = &q->asked;
    out->question = i;
    out->shape = NULL;
    out->box = box;
    out->radius = 0.0f;
    out->most = q->most;
    out->kept = ABUT_NONE;
#ifdef AB_MESHES
    out->limit = ab_near_farthest(q);
#endif
    if (q->points)
    {
        const abut_vec3 p = out->position = q->points[i];
        *box = (ab_index_box){ { p.x, p.y, p.z }, { p.x, p.y, p.z }, 0.0f };
        return;
    }
    abut_pose pose = q->shapes[i].pose;
    float inner;
    (void)ab_pose_accept(&pose); // normalises
    ab_query_asker(q->asked.world, &q->shapes[i].shape, &pose, shape);
    ab_query_box(shape, pose.position, box);
    out->position = pose.position;
    ab_query_balls(shape, box, pose.position, &inner, &out->radius);
    out->shape = shape;
}

// Where the results of question i go.
void ab_near_open_list(ab_near_query *query, ab_result_list *list, const ab_near_questions *q,
                       const ab_query_lists *lists, uint32_t i)
{
    ab_query_lists_next(lists, q->asked.world, ab_near_rank, i, list);
    list->capacity = list->capacity < q->most ? list->capacity : q->most;
    query->list = list;
}

void ab_near_close_list(const ab_near_questions *q, ab_query_lists *lists, uint32_t i, ab_result_list *list)
{
    list->count = list->count < q->most ? list->count : q->most;
    ab_query_lists_took(lists, i, list);
}

static void answer(void *context, ab_query_lists *lists, uint32_t i)
{
    const ab_near_questions *q = context;
    ab_result_list list;
    ab_near_query query;
    ab_index_box box;
    ab_convex shape;
    ab_near_lay(&query, &box, &shape, q, i);
    ab_near_open_list(&query, &list, q, lists, i);
    if (q->most > 0)
    {
        run(&query, ab_near_farthest(q));
    }
    ab_near_close_list(q, lists, i, &list);
}

#ifdef AB_SMALL
#define MANY_AT_ONCE NULL
#else
#define MANY_AT_ONCE ab_near_answer_many
#endif

static void open_questions(ab_near_questions *q, uint32_t count, float max_distance, uint32_t most)
{
    q->asked.count = count;
    q->asked.flags = FLAGS;
    q->asked.context = q;
    q->asked.lists = &q->lists;
    q->asked.fault = fault;
    q->asked.answer = answer;
    q->asked.answer_many = NULL;
    q->asked.placed = false;
    q->asked.unmarked = false;
    q->max_distance = max_distance;
    q->most = most;
}

static abut_status ask_one(ab_near_questions *q, float max_distance, abut_near *out, uint32_t capacity, uint32_t *count)
{
    abut_range range = { 0 };
    const bool pointers = (q->points || q->shapes) && count && (capacity == 0 || out);
    const abut_status entered = ab_query_enter(q->asked.world, pointers, q->asked.call);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    open_questions(q, 1, max_distance, capacity);
    if (capacity > 0)
    {
        q->asked.answer_many = MANY_AT_ONCE;
    }
#ifndef AB_SMALL
    if (q->points && capacity == 1)
    {
        q->asked.answer_many = ab_near_answer_alone;
    }
#endif
    q->lists = (ab_query_lists){ &range, out, sizeof *out, capacity, 0, 0 };
    const abut_status status = ab_query_ask(&q->asked);
    if (count && status == ABUT_OK)
    {
        *count = range.count;
    }
    return status;
}

static abut_status ask_many(ab_near_questions *q, uint32_t count, float max_distance, uint32_t most,
                            const ab_query_lists *lists, uint64_t *total)
{
    const bool asks = count == 0 || ((q->points || q->shapes) && lists->ranges);
    const bool pointers = total && asks && (lists->capacity == 0 || lists->results);
    const abut_status entered = ab_query_enter(q->asked.world, pointers, q->asked.call);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    open_questions(q, count, max_distance, most);
    q->lists = *lists;
    const bool fit = most > 0 && lists->capacity / most >= count;
    q->lists.each = fit ? most : 0; // with room for every answer, in any order and on all threads
    q->asked.placed = ab_query_lists_each(&q->lists) > 0;
    if (most > 0)
    {
        q->asked.answer_many = MANY_AT_ONCE;
    }
    const abut_status status = ab_query_ask(&q->asked);
    if (total && status == ABUT_OK)
    {
        ab_query_lists_close_up(&q->lists, count);
        *total = q->lists.total;
    }
    return status;
}

// What a call's caller says; the rest is opened. What is accepted of its filter comes later, so nothing is cleared.
static void call_of(ab_near_questions *out, const abut_world *world, const abut_query_filter *filter, const char *name)
{
    out->asked.world = world;
    out->asked.call = name;
    out->asked.filter = filter;
    out->points = NULL;
    out->shapes = NULL;
}

abut_status abut_world_nearest(const abut_world *world, const abut_vec3 *point, float max_distance,
                               const abut_query_filter *filter, abut_near *out, uint32_t capacity, uint32_t *count)
{
    ab_near_questions q;
    call_of(&q, world, filter, "abut_world_nearest");
    q.points = point;
    return ask_one(&q, max_distance, out, capacity, count);
}

abut_status abut_world_nearest_many(const abut_world *world, const abut_vec3 *points, uint32_t count,
                                    float max_distance, uint32_t most, const abut_query_filter *filter,
                                    abut_range *ranges, abut_near *out, uint64_t capacity, uint64_t *total)
{
    ab_near_questions q;
    call_of(&q, world, filter, "abut_world_nearest_many");
    q.points = points;
    const ab_query_lists lists = { ranges, out, sizeof *out, capacity, 0, 0 };
    return ask_many(&q, count, max_distance, most, &lists, total);
}

abut_status abut_world_nearest_shape(const abut_world *world, const abut_placed_shape *shape, float max_distance,
                                     const abut_query_filter *filter, abut_near *out, uint32_t capacity,
                                     uint32_t *count)
{
    ab_near_questions q;
    call_of(&q, world, filter, "abut_world_nearest_shape");
    q.shapes = shape;
    return ask_one(&q, max_distance, out, capacity, count);
}

abut_status abut_world_nearest_shape_many(const abut_world *world, const abut_placed_shape *shapes, uint32_t count,
                                          float max_distance, uint32_t most, const abut_query_filter *filter,
                                          abut_range *ranges, abut_near *out, uint64_t capacity, uint64_t *total)
{
    ab_near_questions q;
    call_of(&q, world, filter, "abut_world_nearest_shape_many");
    q.shapes = shapes;
    const ab_query_lists lists = { ranges, out, sizeof *out, capacity, 0, 0 };
    return ask_many(&q, count, max_distance, most, &lists, total);
}
