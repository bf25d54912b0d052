// What overlaps a box, a shape, a point or half-spaces: the index names the proxies whose AABBs do, and a test for each
// of the four decides.
#include "base/platform.h"
#include "math/rotation.h"
#include "query/overlap_query.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FLAGS (ABUT_QUERY_SENSORS | ABUT_QUERY_ONE_PER_BODY | ABUT_QUERY_CHILDREN)

#ifdef AB_MESHES
#define CHILDREN_OF(what, filter) ((filter)->flags & ABUT_QUERY_CHILDREN ? ab_overlap_children_of_##what : NULL)
#else
#define CHILDREN_OF(what, filter) NULL
#endif

bool ab_overlap_is_by_children(const ab_overlap_query *q, uint32_t proxy)
{
    abut_shape room;
    return AB_HAS_CHILDREN && q->children && ab_shape_row_for(ab_query_shape(q->world, proxy, &room)->kind)->parts;
}

static bool overlaps(const ab_overlap_query *q, uint32_t proxy)
{
    bool overlapping = true;
    if (ab_overlap_is_by_children(q, proxy))
    {
        return !q->children(q->context, proxy, ab_overlap_is_enough, NULL);
    }
    if (q->test)
    {
        q->test(q->context, &proxy, 1, &overlapping);
        return overlapping;
    }
    const ab_aabb8 *b = &q->world->cache.proxies.block[proxy / AB_BLOCK];
    const uint32_t k = proxy % AB_BLOCK;
    return b->min_x[k] <= q->box->max[0] && b->max_x[k] >= q->box->min[0] && b->min_y[k] <= q->box->max[1] &&
           b->max_y[k] >= q->box->min[1] && b->min_z[k] <= q->box->max[2] && b->max_z[k] >= q->box->min[2];
}

// A collider that another of its body may come before.
typedef struct rival
{
    const ab_overlap_query *q;
    uint32_t key;
} rival;

static bool is_found_before(void *context, uint32_t proxy)
{
    const rival *r = context;
    return r->q->world->cache.proxies.collider_key[proxy] < r->key && overlaps(r->q, proxy);
}

typedef struct taking
{
    const ab_overlap_query *q;
    uint32_t proxy;
} taking;

static bool take_child(void *context, uint32_t child)
{
    const taking *t = context;
    const ab_overlap_query *q = t->q;
    const ab_proxies *proxies = &q->world->cache.proxies;
    const ab_contact_name *name = ab_query_name(q->world, t->proxy);
    const abut_found found = { .body = name->body, .collider = name->collider, .child = child };
    ab_result_list_add(q->list, ab_child_rank_of(proxies->collider_key[t->proxy], child), &found);
    return true;
}

void ab_overlap_take(const ab_overlap_query *q, uint32_t proxy)
{
    const ab_proxies *proxies = &q->world->cache.proxies;
    rival r = { q, proxies->collider_key[proxy] };
    if ((q->filter->flags & ABUT_QUERY_ONE_PER_BODY) &&
        !ab_query_is_first(q->world, q->filter, q->question, proxy, is_found_before, &r))
    {
        return;
    }
    taking t = { q, proxy };
    if (ab_overlap_is_by_children(q, proxy))
    {
        (void)q->children(q->context, proxy, take_child, &t);
        return;
    }
    (void)take_child(&t, 0);
}

static void test_batch(const ab_overlap_query *q, const uint32_t *proxies, uint32_t count)
{
    bool overlapping[AB_OVERLAP_BATCH];
    memset(overlapping, true, sizeof overlapping);
    if (q->test)
    {
        q->test(q->context, proxies, count, overlapping);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (overlapping[i])
        {
            ab_overlap_take(q, proxies[i]);
        }
    }
}

static bool see(void *context, const uint32_t *proxies, const float *values, uint32_t count)
{
    const ab_overlap_query *q = context;
    uint32_t wanted[AB_OVERLAP_BATCH], kept = 0;
    (void)values;
    for (uint32_t i = 0; i < count; ++i)
    {
        const bool wants = ab_query_wants(q->world, q->filter, q->question, proxies[i]);
        if (wants && ab_overlap_is_by_children(q, proxies[i])) // whatever the whole is
        {
            ab_overlap_take(q, proxies[i]);
            continue;
        }
        wanted[kept] = proxies[i];
        kept += wants;
        ab_query_prefetch_name(q->world, proxies[i]);
        if (q->test)
        {
            AB_PREFETCH_AT(q->world->cache.proxies.record, proxies[i]);
            ab_query_prefetch_shape(q->world, proxies[i]);
        }
        if (kept == AB_OVERLAP_BATCH)
        {
            test_batch(q, wanted, kept);
            kept = 0;
        }
    }
    if (kept > 0)
    {
        test_batch(q, wanted, kept);
    }
    return true;
}

static const char *box_fault(const abut_aabb *box)
{
    const bool sound = box->min.x <= box->max.x && box->min.y <= box->max.y && box->min.z <= box->max.z;
    return sound && ab_vec3_in_range(box->min) && ab_vec3_in_range(box->max)
               ? NULL
               : "the box is not finite, past the limit, or its min is above its max";
}

static const char *plane_fault(const abut_plane *plane, bool is_2d)
{
    const abut_vec3 n = plane->normal;
    const bool pointed = n.x != 0.0f || n.y != 0.0f || n.z != 0.0f;
    if (!ab_vec3_in_range(n) || !pointed || !(fabsf(plane->offset) <= FLT_MAX))
    {
        return "a plane is not finite, its normal past the limit or zero";
    }
    return is_2d && n.z != 0.0f ? "the world is 2D, and a normal leaves the xy plane" : NULL;
}

static const char *region_fault(const abut_region *region, bool is_2d)
{
    const char *sentence = region->plane_count > 0 && !region->planes ? "a pointer is NULL" : NULL;
    for (uint32_t k = 0; k < region->plane_count && !sentence; ++k)
    {
        sentence = plane_fault(&region->planes[k], is_2d);
    }
    return sentence;
}

static const char *fault(void *context, uint32_t i)
{
    const ab_overlap_questions *q = context;
    const abut_world *world = q->asked.world;
    if (q->boxes)
    {
        return box_fault(&q->boxes[i]);
    }
    if (q->shapes)
    {
        abut_pose pose = q->shapes[i].pose;
        return ab_query_shape_fault(world, &q->shapes[i].shape, &pose);
    }
    if (q->points)
    {
        return ab_query_point_fault(world, q->points[i]);
    }
    return region_fault(&q->regions[i], world->state.is_2d);
}

#ifdef AB_SMALL // spheres are as all others
#define IS_BALL(shape) false
#else
#define IS_BALL(shape) ((shape)->kind == ABUT_SPHERE)
#endif

static void lay_shape(ab_overlap_asker *out, ab_index_box *box, const ab_overlap_questions *q, const abut_shape *shape,
                      abut_pose pose)
{
    const abut_world *world = q->asked.world;
    if (!IS_BALL(shape)) // no rotation changes a ball
    {
        (void)ab_pose_accept(&pose); // normalises
    }
    out->shape.world = world;
    out->shape.shape = shape;
    out->shape.pose = pose;
    if (IS_BALL(shape))
    {
        ab_query_ball(shape->sphere.radius, pose.position, box, &out->shape.inner, &out->shape.outer);
    }
    else
    {
        ab_convex convex;
        ab_query_asker(world, shape, &pose, &convex);
        ab_query_box(&convex, pose.position, box);
        ab_query_balls(&convex, box, pose.position, &out->shape.inner, &out->shape.outer);
    }
    out->test = ab_overlap_test_shape;
    out->children = CHILDREN_OF(shape, &q->asked.accepted);
    out->context = &out->shape;
}

static void lay_box(ab_overlap_asker *out, ab_index_box *bounds, const ab_overlap_questions *q, const abut_aabb *box)
{
    const bool is_2d = q->asked.world->state.is_2d;
    if (q->asked.accepted.flags & ABUT_QUERY_BOUNDS)
    {
        *bounds = (ab_index_box){ { box->min.x, box->min.y, is_2d ? -AB_EMPTY_BOX : box->min.z },
                                  { box->max.x, box->max.y, is_2d ? AB_EMPTY_BOX : box->max.z },
                                  0.0f };
        out->test = NULL;
        out->children = NULL;
        out->context = NULL;
        return;
    }
    abut_pose pose = abut_pose_identity();
    out->box = (abut_shape){ .kind = ABUT_AABB };
    pose.position = ab_aabb_centre(box);
    out->box.box.half_extents = ab_aabb_half_extents(box);
    pose.position.z = is_2d ? 0.0f : pose.position.z;
    lay_shape(out, bounds, q, &out->box, pose);
}

void ab_overlap_lay(ab_overlap_asker *out, ab_index_box *box, const ab_overlap_questions *q, uint32_t i)
{
    if (q->boxes)
    {
        lay_box(out, box, q, &q->boxes[i]);
    }
    else if (q->shapes)
    {
        lay_shape(out, box, q, &q->shapes[i].shape, q->shapes[i].pose);
    }
    else
    {
        const abut_vec3 point = q->points[i];
        *box = (ab_index_box){ { point.x, point.y, point.z }, { point.x, point.y, point.z }, 0.0f };
        out->point = (ab_overlap_point){ q->asked.world, point };
        out->test = ab_overlap_test_point;
        out->children = CHILDREN_OF(point, &q->asked.accepted);
        out->context = &out->point;
    }
}

static void find(const ab_overlap_questions *q, ab_overlap_query *query, uint32_t i)
{
    ab_overlap_asker a;
    ab_index_box box;
    ab_overlap_lay(&a, &box, q, i);
    query->test = a.test;
    query->children = a.children;
    query->context = a.context;
    query->box = &box;
    (void)ab_query_descend(q->asked.index, q->asked.index->kernels->overlap, &box, see, query);
}

#define PLANES 64u // that the index tests; a shape is tested against all

static void find_in_region(const ab_overlap_questions *q, ab_overlap_query *query, const abut_region *region)
{
    const ab_overlap_region asker = { q->asked.world, region };
    ab_index_plane planes[PLANES];
    const ab_index_planes index = { planes, region->plane_count < PLANES ? region->plane_count : PLANES };
    for (uint32_t k = 0; k < index.count; ++k)
    {
        double normal[3], offset;
        ab_plane_normalise(&region->planes[k], normal, &offset);
        ab_index_plane_make(&planes[k], normal, offset);
    }
    query->test = ab_overlap_test_region;
    query->children = CHILDREN_OF(region, &q->asked.accepted);
    query->context = &asker;
    (void)ab_query_descend(q->asked.index, q->asked.index->kernels->planes, &index, see, query);
}

static void answer(void *context, ab_query_lists *lists, uint32_t i)
{
    ab_overlap_questions *q = context;
    const abut_world *world = q->asked.world;
    ab_result_list list;
    ab_query_lists_next(lists, world, ab_found_rank, i, &list);
    ab_overlap_query query = { .world = world, .filter = &q->asked.accepted, .question = i, .list = &list };
    if (q->regions)
    {
        find_in_region(q, &query, &q->regions[i]);
    }
    else
    {
        find(q, &query, i);
    }
    ab_query_lists_took(lists, i, &list);
}

#ifdef AB_SMALL
#define MANY_AT_ONCE NULL
#else
#define MANY_AT_ONCE ab_overlap_answer_many
#endif

// What a call asks about.
typedef enum asks
{
    BOXES,
    SHAPES,
    POINTS,
    REGIONS
} asks;

// A call: its name for errors, and what it asks about.
typedef struct call
{
    const char *name;
    uint32_t flags; // that a filter may have
    asks about;
} call;

static void open_questions(ab_overlap_questions *q, const call *c, const abut_world *world,
                           const abut_query_filter *filter, const void *askers, uint32_t count)
{
    const bool children = AB_HAS_CHILDREN && filter && (filter->flags & ABUT_QUERY_CHILDREN);
    *q = (ab_overlap_questions){ .asked = { .world = world, .call = c->name, .filter = filter, .flags = c->flags } };
    q->asked.flags &= children ? ~(uint32_t)ABUT_QUERY_BOUNDS : UINT32_MAX; // bounds are of colliders
    q->boxes = c->about == BOXES ? askers : NULL;
    q->shapes = c->about == SHAPES ? askers : NULL;
    q->points = c->about == POINTS ? askers : NULL;
    q->regions = c->about == REGIONS ? askers : NULL;
    q->asked.count = count;
    q->asked.context = q;
    q->asked.lists = &q->lists;
    q->asked.fault = fault;
    q->asked.answer = answer;
    if (!q->regions && !children)
    {
        q->asked.answer_many = MANY_AT_ONCE;
    }
#ifndef AB_SMALL
    if (!q->regions && !children && count == 1)
    {
        q->asked.answer_many = ab_overlap_answer_alone;
    }
#endif
}

static abut_status ask_one(const call *c, const abut_world *world, const abut_query_filter *filter, const void *asker,
                           abut_found *out, uint32_t capacity, uint32_t *count)
{
    ab_overlap_questions q;
    abut_range range = { 0 };
    const bool pointers = asker && count && (capacity == 0 || out);
    abut_status status = ab_query_enter(world, pointers, c->name);
    if (status == ABUT_OK)
    {
        open_questions(&q, c, world, filter, asker, 1);
        q.lists = (ab_query_lists){ &range, out, sizeof *out, capacity, 0, 0 };
        status = ab_query_ask(&q.asked);
    }
    if (count && status == ABUT_OK)
    {
        *count = range.count;
    }
    return status;
}

// What a call about many has for results.
typedef struct rooms
{
    abut_range *ranges;
    abut_found *out;
    uint64_t capacity, *total;
} rooms;

static abut_status ask_many(const call *c, const abut_world *world, const abut_query_filter *filter, const void *askers,
                            uint32_t count, const rooms *r)
{
    ab_overlap_questions q;
    const bool pointers = r->total && (count == 0 || (askers && r->ranges)) && (r->capacity == 0 || r->out);
    abut_status status = ab_query_enter(world, pointers, c->name);
    if (status == ABUT_OK)
    {
        open_questions(&q, c, world, filter, askers, count);
        q.lists = (ab_query_lists){ r->ranges, r->out, sizeof *r->out, r->capacity, 0, 0 };
        status = ab_query_ask(&q.asked);
    }
    if (r->total && status == ABUT_OK)
    {
        *r->total = q.lists.total;
    }
    return status;
}

abut_status abut_world_overlap_aabb(const abut_world *world, const abut_aabb *box, const abut_query_filter *filter,
                                    abut_found *out, uint32_t capacity, uint32_t *count)
{
    static const call c = { "abut_world_overlap_aabb", FLAGS | ABUT_QUERY_BOUNDS, BOXES };
    return ask_one(&c, world, filter, box, out, capacity, count);
}

abut_status abut_world_overlap_aabb_many(const abut_world *world, const abut_aabb *boxes, uint32_t count,
                                         const abut_query_filter *filter, abut_range *ranges, abut_found *out,
                                         uint64_t capacity, uint64_t *total)
{
    static const call c = { "abut_world_overlap_aabb_many", FLAGS | ABUT_QUERY_BOUNDS, BOXES };
    return ask_many(&c, world, filter, boxes, count, &(rooms){ ranges, out, capacity, total });
}

abut_status abut_world_overlap_shape(const abut_world *world, const abut_placed_shape *shape,
                                     const abut_query_filter *filter, abut_found *out, uint32_t capacity,
                                     uint32_t *count)
{
    static const call c = { "abut_world_overlap_shape", FLAGS, SHAPES };
    return ask_one(&c, world, filter, shape, out, capacity, count);
}

abut_status abut_world_overlap_shape_many(const abut_world *world, const abut_placed_shape *shapes, uint32_t count,
                                          const abut_query_filter *filter, abut_range *ranges, abut_found *out,
                                          uint64_t capacity, uint64_t *total)
{
    static const call c = { "abut_world_overlap_shape_many", FLAGS, SHAPES };
    return ask_many(&c, world, filter, shapes, count, &(rooms){ ranges, out, capacity, total });
}

abut_status abut_world_overlap_point(const abut_world *world, const abut_vec3 *point, const abut_query_filter *filter,
                                     abut_found *out, uint32_t capacity, uint32_t *count)
{
    static const call c = { "abut_world_overlap_point", FLAGS, POINTS };
    return ask_one(&c, world, filter, point, out, capacity, count);
}

abut_status abut_world_overlap_point_many(const abut_world *world, const abut_vec3 *points, uint32_t count,
                                          const abut_query_filter *filter, abut_range *ranges, abut_found *out,
                                          uint64_t capacity, uint64_t *total)
{
    static const call c = { "abut_world_overlap_point_many", FLAGS, POINTS };
    return ask_many(&c, world, filter, points, count, &(rooms){ ranges, out, capacity, total });
}

abut_status abut_world_overlap_region(const abut_world *world, const abut_region *region,
                                      const abut_query_filter *filter, abut_found *out, uint32_t capacity,
                                      uint32_t *count)
{
    static const call c = { "abut_world_overlap_region", FLAGS, REGIONS };
    return ask_one(&c, world, filter, region, out, capacity, count);
}

abut_status abut_world_overlap_region_many(const abut_world *world, const abut_region *regions, uint32_t count,
                                           const abut_query_filter *filter, abut_range *ranges, abut_found *out,
                                           uint64_t capacity, uint64_t *total)
{
    static const call c = { "abut_world_overlap_region_many", FLAGS, REGIONS };
    return ask_many(&c, world, filter, regions, count, &(rooms){ ranges, out, capacity, total });
}
