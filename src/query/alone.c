// A ray, a cast or a shape against one shape, without a world.
#include "base/platform.h"
#include "math/rotation.h"
#include "narrow/compound/compound_queries.h"
#include "narrow/mesh/mesh_queries.h"
#include "narrow/placed.h"
#include "query/cast_shape.h"
#include "query/query.h"
#include "query/ray_shape.h"

#define LEAVES 0x80000000u // more than a child

_Static_assert(LEAVES > ABUT_MAX_MESH_TRIANGLES && LEAVES > ABUT_MAX_COMPOUND_PARTS, "a child is less");

static const abut_ray_hit missed = { .fraction = 1.0f };

static void lay_target(ab_ray_target *out, ab_record *record, const abut_ray *ray, const abut_shape *shape,
                       const abut_pose *pose)
{
    const abut_vec3 o = ray->origin, way = ray->translation;
    ab_placed_record(record, NULL, shape, pose, 0);
    *out = (ab_ray_target){
        .from = { (double)o.x - (double)record->position[0], (double)o.y - (double)record->position[1],
                  (double)o.z - (double)record->position[2] },
        .way = { (double)way.x, (double)way.y, (double)way.z },
        .record = record,
        .shape = shape,
    };
}

static abut_ray_hit hit_of(const ab_ray_target *target, const ab_ray_found *found)
{
    double offset[3];
    ab_ray_offset(target, found, offset);
    return (abut_ray_hit){
        .hit = true,
        .fraction = ab_positive_zero(found->fraction),
        .offset = ab_query_vec3(offset),
        .normal = ab_query_vec3(found->normal),
        .flags = found->flags,
        .child = found->child,
    };
}

static abut_ray_hit cast_ray(const abut_ray *ray, const abut_shape *shape, const abut_pose *pose, uint32_t flags)
{
    ab_record record;
    ab_ray_target target;
    ab_ray_found found;
    lay_target(&target, &record, ray, shape, pose);
    return ab_ray_test(&target, flags, &found) ? hit_of(&target, &found) : missed;
}

static bool may_ask(const abut_ray *ray, const abut_shape *shape, const abut_pose *pose, uint32_t flags, bool is_2d)
{
    const uint32_t all = ABUT_QUERY_HOLLOW | ABUT_QUERY_SKIP_INSIDE | ABUT_QUERY_BACK_FACES;
    return ray && (flags & ~all) == 0 && !ab_ray_fault(ray, is_2d) && ab_placed_is_sound(NULL, shape, pose, is_2d);
}

// Validation must not depend on the caller's floating-point environment either.
static abut_status ask_ray(const abut_ray *ray, const abut_shape *shape, const abut_pose *pose, uint32_t flags,
                           bool is_2d, abut_ray_hit *out)
{
    const uint64_t floats = ab_platform_float_enter();
    const bool valid = out && may_ask(ray, shape, pose, flags, is_2d);
    if (valid)
    {
        *out = cast_ray(ray, shape, pose, flags);
    }
    ab_platform_float_leave(floats);
    return valid ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}

abut_status abut_ray_shape(const abut_ray *ray, const abut_shape *shape, const abut_pose *pose, uint32_t flags,
                           abut_ray_hit *out)
{
    return ask_ray(ray, shape, pose, flags, false, out);
}

abut_status abut_ray_shape_2d(const abut_ray *ray, const abut_shape *shape, const abut_pose *pose, uint32_t flags,
                              abut_ray_hit *out)
{
    return ask_ray(ray, shape, pose, flags, true, out);
}

static uint64_t rank_of(const abut_world *none, const void *result)
{
    const abut_ray_hit *hit = result;
    (void)none;
    return ab_result_rank_of(hit->fraction, hit->child | (hit->flags & ABUT_HIT_BACK ? LEAVES : 0u));
}

// All hits of a ray.
typedef struct all_hits
{
    const ab_ray_target *target;
    ab_result_list *list;
} all_hits;

static void add_hit(void *context, const ab_ray_found *found)
{
    const all_hits *all = context;
    const abut_ray_hit hit = hit_of(all->target, found);
    ab_result_list_add(all->list, rank_of(NULL, &hit), &hit);
}

static uint32_t cast_ray_all(const abut_ray *ray, const abut_shape *shape, const abut_pose *pose, uint32_t flags,
                             abut_ray_hit *out, uint32_t capacity)
{
    abut_range range = { 0 };
    ab_query_lists lists = { &range, out, sizeof *out, capacity, 0, 0 };
    ab_result_list list;
    ab_record record;
    ab_ray_target target;
    lay_target(&target, &record, ray, shape, pose);
    ab_query_lists_next(&lists, NULL, rank_of, 0, &list);
    ab_ray_test_each(&target, flags, add_hit, &(all_hits){ &target, &list });
    ab_query_lists_took(&lists, 0, &list);
    return range.count;
}

abut_status abut_ray_shape_all(const abut_ray *ray, const abut_shape *shape, const abut_pose *pose, uint32_t flags,
                               abut_ray_hit *out, uint32_t capacity, uint32_t *count)
{
    const uint64_t floats = ab_platform_float_enter();
    const bool valid = count && (out || capacity == 0) && may_ask(ray, shape, pose, flags, false);
    if (valid)
    {
        *count = cast_ray_all(ray, shape, pose, flags, out, capacity);
    }
    ab_platform_float_leave(floats);
    return valid ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}

// The standing shape is seen through a record, as in a world, from `origin`.
static void place_standing(ab_convex *out, ab_record *record, const abut_shape *shape, const abut_pose *pose,
                           abut_vec3 origin, bool is_2d)
{
    static const uint32_t own_place = 0;
    ab_placed_record(record, NULL, shape, pose, 0);
    const ab_batch batch = { .records = record, .colliders = &own_place, .shapes = shape, .is_2d = is_2d };
    const double from[3] = { (double)origin.x, (double)origin.y, (double)origin.z };
    ab_convex_of(out, &batch, 0, 0);
    for (int k = 0; k < 3; ++k)
    {
        out->centre[k] = (double)record->position[k] - from[k];
    }
}

static uint64_t child_rank(const abut_world *none, const void *result)
{
    const uint32_t *child = result;
    (void)none;
    return *child;
}

static bool add_child(void *context, uint32_t child)
{
    ab_result_list_add(context, child, &child);
    return true;
}

#ifdef AB_MESHES
static void find_children(const abut_placed_shape *asker, const abut_shape *shape, const abut_pose *pose,
                          ab_result_list *list)
{
    abut_pose accepted = asker->pose;
    ab_convex convex, standing;
    ab_record record;
    (void)ab_pose_accept(&accepted); // normalises
    ab_frame frame = ab_frame_of(&accepted, ab_shape_row_for(asker->shape.kind)->turns);
    frame.position[0] = frame.position[1] = frame.position[2] = 0.0;
    ab_convex_at(&convex, NULL, &asker->shape, &frame, false);
    place_standing(&standing, &record, shape, pose, accepted.position, false);
    (void)ab_parts_find_overlapping(&convex, &standing, add_child, list);
}
#else
#define find_children(asker, shape, pose, list) ((void)0)
#endif

// Of valid shapes.
static void find_overlapping(const abut_placed_shape *asker, const abut_shape *shape, const abut_pose *pose,
                             ab_result_list *list)
{
    bool overlapping = false;
    if (AB_HAS_CHILDREN && (ab_shape_row_for(asker->shape.kind)->parts || ab_shape_row_for(shape->kind)->parts))
    {
        find_children(asker, shape, pose, list);
        return;
    }
    (void)!abut_overlap(&asker->shape, &asker->pose, shape, pose, &overlapping);
    if (overlapping)
    {
        (void)add_child(list, 0);
    }
}

abut_status abut_overlap_shape_all(const abut_placed_shape *asker, const abut_shape *shape, const abut_pose *pose,
                                   uint32_t *out, uint32_t capacity, uint32_t *count)
{
    const uint64_t floats = ab_platform_float_enter();
    const bool valid = asker && count && (out || capacity == 0) &&
                       ab_placed_may_ask(NULL, &asker->shape, &asker->pose, false) &&
                       ab_placed_is_sound(NULL, shape, pose, false);
    if (valid)
    {
        abut_range range = { 0 };
        ab_query_lists lists = { &range, out, sizeof *out, capacity, 0, 0 };
        ab_result_list list;
        ab_query_lists_next(&lists, NULL, child_rank, 0, &list);
        find_overlapping(asker, shape, pose, &list);
        ab_query_lists_took(&lists, 0, &list);
        *count = range.count;
    }
    ab_platform_float_leave(floats);
    return valid ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}

static abut_ray_hit cast_shape(const abut_cast *cast, const abut_shape *shape, const abut_pose *pose, uint32_t flags,
                               bool is_2d)
{
    ab_record record;
    abut_pose accepted = cast->pose;
    ab_mover mover;
    ab_mover standing;
    ab_cast_found found;
    (void)ab_pose_accept(&accepted); // normalises
    place_standing(&standing.start, &record, shape, pose, accepted.position, is_2d);
    ab_cast_mover(&mover, cast, &accepted, NULL, is_2d);
    if (!ab_cast_test(&mover, &standing, flags, 1.0f, &found))
    {
        return missed;
    }
    return (abut_ray_hit){
        .hit = true,
        .fraction = (float)found.fraction,
        .offset = ab_query_vec3(found.at),
        .normal = ab_query_vec3(found.normal),
        .depth = (float)found.depth,
        .flags = found.flags,
        .child = found.child,
    };
}

static abut_status ask_cast(const abut_cast *cast, const abut_shape *shape, const abut_pose *pose, uint32_t flags,
                            bool is_2d, abut_ray_hit *out)
{
    const uint64_t floats = ab_platform_float_enter();
    const uint32_t all = ABUT_QUERY_SKIP_INSIDE | ABUT_QUERY_SKIP_LEAVING;
    const bool valid = cast && out && (flags & ~all) == 0 && !ab_cast_fault(cast, is_2d) &&
                       ab_placed_may_ask(NULL, &cast->shape, &cast->pose, is_2d) &&
                       ab_placed_is_sound(NULL, shape, pose, is_2d);
    if (valid)
    {
        *out = cast_shape(cast, shape, pose, flags, is_2d);
    }
    ab_platform_float_leave(floats);
    return valid ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}

abut_status abut_cast_shape(const abut_cast *cast, const abut_shape *shape, const abut_pose *pose, uint32_t flags,
                            abut_ray_hit *out)
{
    return ask_cast(cast, shape, pose, flags, false, out);
}

abut_status abut_cast_shape_2d(const abut_cast *cast, const abut_shape *shape, const abut_pose *pose, uint32_t flags,
                               abut_ray_hit *out)
{
    return ask_cast(cast, shape, pose, flags, true, out);
}
