// Entry checks of queries, their filter, and shapes as they see them.
#include "query/query.h"

#include "base/array.h"
#include "base/platform.h"
#include "math/rotation.h"
#include "query/wanted.h"

#include <math.h>

#define ALL_MOTIONS ((1u << ABUT_MOTION_COUNT) - 1u)

#ifdef AB_SMALL // reads that of each
#define HAS_OWN_FILTER(proxy_flags) true
#else
#define HAS_OWN_FILTER(proxy_flags) (((proxy_flags)&AB_PROXY_FILTERED) != 0)
#endif

static const ab_query_filter everything = { .category = UINT32_MAX,
                                            .mask = UINT32_MAX,
                                            .motions = ALL_MOTIONS,
                                            .whole = true,
                                            .doubtful = AB_PROXY_DEAD | AB_PROXY_SENSOR | AB_PROXY_FILTERED };

const char *ab_query_filter_accept(ab_query_filter *out, const abut_query_filter *filter, uint32_t flags)
{
    *out = everything;
    if (!filter)
    {
        return NULL;
    }
    out->category = filter->category ? filter->category : out->category;
    out->mask = filter->mask ? filter->mask : out->mask;
    out->motions = filter->motions ? filter->motions : out->motions;
    out->flags = filter->flags;
    out->ignore = filter->ignore;
    out->ignore_count = filter->ignore_count;
    out->ignore_each = filter->ignore_each;
    out->mask_each = filter->mask_each;
    out->mask = out->mask_each ? UINT32_MAX : out->mask;
    out->whole = (out->mask & 1u) != 0 && !out->mask_each && out->motions == ALL_MOTIONS && out->ignore_count == 0;
    out->doubtful = out->whole && !out->ignore_each ? out->doubtful : UINT32_MAX;
    if (filter->flags & ~flags)
    {
        return "a flag of the filter means nothing to this query";
    }
    if (filter->motions & ~ALL_MOTIONS)
    {
        return "a motion of the filter means nothing";
    }
    return filter->ignore_count > 0 && !filter->ignore ? "a pointer is NULL" : NULL;
}

static bool is_in(const abut_world *world, const abut_body *list, uint32_t count, uint32_t body)
{
    const uint32_t generation = world->state.bodies.generation[body];
    for (uint32_t i = 0; i < count; ++i)
    {
        if (list[i].slot == body && list[i].generation == generation)
        {
            return true;
        }
    }
    return false;
}

// The categories that a question finds.
static uint32_t mask_of(const ab_query_filter *filter, uint32_t question)
{
    const uint32_t own = filter->mask_each && question != AB_ANY_QUESTION ? filter->mask_each[question] : filter->mask;
    return own != 0 ? own : UINT32_MAX;
}

bool ab_query_filter_wants(const abut_world *world, const ab_query_filter *filter, uint32_t question, uint32_t proxy)
{
    const ab_proxies *proxies = &world->cache.proxies;
    const uint32_t flags = proxies->proxy_flags[proxy], body = proxies->collider_key[proxy] >> 8;
    if ((flags & AB_PROXY_DEAD) || ((flags & AB_PROXY_SENSOR) && !(filter->flags & ABUT_QUERY_SENSORS)))
    {
        return false;
    }
    if (filter->ignore_each && question != AB_ANY_QUESTION && is_in(world, filter->ignore_each + question, 1, body))
    {
        return false;
    }
    if (filter->whole && !(flags & AB_PROXY_FILTERED))
    {
        return true;
    }
    static const abut_filter by_default = { .category = 1, .mask = UINT32_MAX };
    const abut_filter *own =
        HAS_OWN_FILTER(flags) ? &world->state.colliders.filter[proxies->collider[proxy]] : &by_default;
    return (filter->motions >> (flags & AB_STATE_MOTION) & 1u) != 0 && (own->mask & filter->category) != 0 &&
           (own->category & mask_of(filter, question)) != 0 &&
           !is_in(world, filter->ignore, filter->ignore_count, body);
}

abut_status ab_query_enter(const abut_world *world, bool pointers, const char *call)
{
    const abut_status entered = ab_world_enter(world);
    return entered != ABUT_OK || pointers ? entered
                                          : ab_query_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
}

abut_status ab_query_fail(const abut_world *world, abut_status status, const char *call, uint32_t index,
                          const char *sentence)
{
    if (world->on_error)
    {
        world->on_error(world->on_error_context, status, call, index, sentence);
    }
    return status;
}

// Small builds do without marks.
#ifdef AB_SMALL
#define AB_ANSWER ab_query_answer_all
#else
#define AB_ANSWER answer_marked
static AB_APART void answer_marked(ab_questions *q)
{
    ab_wanted wanted;
    ab_wanted_mark(q, &wanted);
    ab_query_answer_all(q);
}
#endif

// A tree may lie in *room.
static ab_query_index index_of(const abut_world *world, ab_tree room[AB_SET_COUNT])
{
    return (ab_query_index){ .tree = ab_broad_trees(&world->cache.broad, room),
                             .kernels = world->kernels->index,
                             .node_width = world->cache.node_width,
                             .ray_segment = world->cache.ray_segment };
}

static abut_status ask(ab_questions *q, uint32_t *fault, const char **sentence)
{
    for (*fault = 0; *fault < q->count; ++*fault)
    {
        *sentence = q->fault(q->context, *fault);
        if (*sentence)
        {
            return ABUT_INVALID_ARGUMENT;
        }
    }
    ab_tree room[AB_SET_COUNT];
    ab_query_index index = index_of(q->world, room);
    q->index = &index;
    if (q->unmarked || q->count <= 1) // marks cost more than one question
    {
        ab_query_answer_all(q);
    }
    else
    {
        AB_ANSWER(q);
    }
    return ABUT_OK;
}

// Validation must not depend on the caller's floating-point environment either.
abut_status ab_query_ask(ab_questions *questions)
{
    const char *sentence = ab_query_filter_accept(&questions->accepted, questions->filter, questions->flags);
    uint32_t fault = 0;
    if (sentence)
    {
        return ab_query_fail(questions->world, ABUT_INVALID_ARGUMENT, questions->call, 0, sentence);
    }
    const uint64_t floats = ab_platform_float_enter();
    const abut_status status = ask(questions, &fault, &sentence);
    ab_platform_float_leave(floats);
    return status == ABUT_OK ? ABUT_OK : ab_query_fail(questions->world, status, questions->call, fault, sentence);
}

#ifndef AB_SMALL
abut_status ab_query_open(ab_lone_call *call, bool pointers)
{
    ab_questions *asked = &call->asked;
    const abut_status entered = ab_query_enter(asked->world, pointers, asked->call);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    const char *sentence = ab_query_filter_accept(&asked->accepted, asked->filter, asked->flags);
    if (sentence)
    {
        return ab_query_fail(asked->world, ABUT_INVALID_ARGUMENT, asked->call, 0, sentence);
    }
    call->floats = ab_platform_float_enter();
    call->index = index_of(asked->world, call->room);
    asked->index = &call->index;
    return ABUT_OK;
}

abut_status ab_query_close(const ab_lone_call *call, const char *sentence)
{
    ab_platform_float_leave(call->floats);
    return sentence ? ab_query_fail(call->asked.world, ABUT_INVALID_ARGUMENT, call->asked.call, 0, sentence) : ABUT_OK;
}
#endif

bool ab_query_descend(const ab_query_index *index, ab_index_kernel *kernel, const void *query, ab_index_see *see,
                      void *context)
{
    return ab_index_descend(&index->tree[AB_STATIC_SET], kernel, query, see, context) &&
           ab_index_descend(&index->tree[AB_ACTIVE], kernel, query, see, context);
}

const abut_shape *ab_query_shape(const abut_world *world, uint32_t proxy, abut_shape *room)
{
    return ab_query_shape_in(world, proxy, room);
}

void ab_query_convex(const abut_world *world, uint32_t proxy, abut_vec3 origin, abut_shape *room, ab_convex *out)
{
    const abut_shape *shape = ab_query_shape(world, proxy, room);
    ab_convex_of_record(out, &world->state.kind_set, shape, &world->cache.proxies.record[proxy], world->state.is_2d);
    ab_query_place(world, proxy, origin, out->centre);
}

const char *ab_query_point_fault(const abut_world *world, abut_vec3 point)
{
    if (!ab_vec3_in_range(point))
    {
        return "the point is not finite or past the limit";
    }
    return world->state.is_2d && point.z != 0.0f ? "the world is 2D, and the point is off the xy plane" : NULL;
}

#ifdef AB_SMALL
#define IS_PLAIN(shape, pose, is_2d) false
#else
#define IS_PLAIN(shape, pose, is_2d) (!(is_2d) && is_plain(shape, pose))
#define UNIT                         5.0e-7 // of the square of a rotation that needs no normalising: less than that off

// Of the bits of a number that is not negative: its first bit is set when it is above what is allowed. Of others: always.
static uint32_t above(uint32_t bits)
{
    const float most = ABUT_MAX_MAGNITUDE;
    uint32_t most_bits;
    memcpy(&most_bits, &most, sizeof most_bits);
    return (most_bits - bits) | bits;
}

// Whether none of three has bits above that, of which `mask` tells the ones that matter.
static bool are_within(float x, float y, float z, uint32_t mask)
{
    const float values[3] = { x, y, z };
    uint32_t bits[3];
    memcpy(bits, values, sizeof bits);
    return (above(bits[0] & mask) | above(bits[1] & mask) | above(bits[2] & mask)) >> 31 == 0;
}

// Most shapes that ask: a sphere or a box whose pose needs no normalising. What is not plain may be valid, too.
static bool is_plain(const abut_shape *shape, const abut_pose *pose)
{
    const abut_shape_kind kind = shape->kind;
    const bool sphere = kind == ABUT_SPHERE, box = kind == ABUT_AABB || kind == ABUT_OBB;
    const abut_vec3 at = pose->position, half = shape->box.half_extents;
    const float radius = shape->sphere.radius;
    const double x = (double)pose->rotation.x, y = (double)pose->rotation.y, z = (double)pose->rotation.z,
                 w = (double)pose->rotation.w, square = x * x + y * y + z * z + w * w;
    const bool sized =
        sphere ? are_within(radius, 0.0f, 0.0f, UINT32_MAX) : box && are_within(half.x, half.y, half.z, UINT32_MAX);
    return sized && are_within(at.x, at.y, at.z, UINT32_MAX >> 1) && square > 1.0 - UNIT && square < 1.0 + UNIT;
}
#endif

const char *ab_query_shape_fault(const abut_world *world, const abut_shape *shape, abut_pose *pose)
{
    if (IS_PLAIN(shape, pose, world->state.is_2d))
    {
        pose->unused = 0.0f;
        return NULL;
    }
    const char *objection = ab_shape_objection(&world->state.kind_set, shape);
    if (objection)
    {
        return objection;
    }
    const ab_shape_row *row = ab_shape_row_for(shape->kind);
    if (AB_HAS_CHILDREN && ab_row_only_answers(row))
    {
        return "a mesh, chain or half-space may be asked about, but not ask";
    }
    if (AB_HAS_SOLIDS && world->state.is_2d && row->solid)
    {
        return "the shape is 3D, and the world is 2D";
    }
    if (!world->state.is_2d && row->flat)
    {
        return "the shape is 2D, and the world is 3D";
    }
    return ab_world_pose_fault(world, pose);
}

void ab_query_asker(const abut_world *world, const abut_shape *shape, const abut_pose *pose, ab_convex *out)
{
    ab_frame frame = ab_frame_of(pose, ab_shape_row_for(shape->kind)->turns);
    frame.position[0] = frame.position[1] = frame.position[2] = 0.0;
    ab_convex_at(out, &world->state.kind_set, shape, &frame, world->state.is_2d);
}

#define SIZE_SLACK  AB_QUERY_SIZE_SLACK
#define PLACE_SLACK 0x1p-21 // of coordinates

// How far a core that is no box reaches along an axis of the world.
static void reach_along(const ab_convex *asker, int k, double *low, double *high)
{
    double direction[3] = { 0.0, 0.0, 0.0 }, point[3];
    if (asker->is_2d && k == 2) // supports in the plane are asked for no other direction
    {
        *high = *low = 0.0;
        return;
    }
    direction[k] = 1.0;
    ab_convex_support(asker, direction, point);
    *high = point[k];
    direction[k] = -1.0;
    ab_convex_support(asker, direction, point);
    *low = point[k];
}

void ab_query_box(const ab_convex *asker, abut_vec3 centre, ab_index_box *out)
{
    const double at[3] = { (double)centre.x, (double)centre.y, (double)centre.z };
    const double *half = asker->core.half, *axis = asker->axis;
    const double own = asker->core.rounding + SIZE_SLACK * asker->size;
    const bool box = asker->row->box_core;
    for (int k = 0; k < 3; ++k)
    {
        double high = half[0] * fabs(axis[k]) + half[1] * fabs(axis[3 + k]) + half[2] * fabs(axis[6 + k]), low = -high;
        if (!box)
        {
            reach_along(asker, k, &low, &high);
        }
        const double room = own + PLACE_SLACK * fabs(at[k]);
        out->min[k] = (float)(at[k] + low - room);
        out->max[k] = (float)(at[k] + high + room);
    }
    out->square = 0.0f;
}

#define BALL_SLACK 0x1p-16 // of a radius

void ab_query_balls(const ab_convex *asker, const ab_index_box *box, abut_vec3 centre, float *inner, float *outer)
{
    const double at[3] = { (double)centre.x, (double)centre.y, (double)centre.z }, *half = asker->core.half;
    double far[3], least = 0.0, rounding = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        const double up = (double)box->max[k] - at[k], down = at[k] - (double)box->min[k];
        far[k] = up > down ? up : down;
    }
    if (asker->row->box_core)
    {
        least = half[0] < half[1] ? half[0] : half[1];
        least = half[2] < least ? half[2] : least;
        rounding = asker->core.rounding;
        memcpy(far, half, sizeof far);
    }
    *inner = (float)((least + rounding) * (1.0 - BALL_SLACK));
    *outer = (float)((sqrt(ab_dot(far, far)) + rounding) * (1.0 + BALL_SLACK));
}

#ifndef AB_SMALL
void ab_query_ball(float radius, abut_vec3 centre, ab_index_box *box, float *inner, float *outer)
{
    const double at[3] = { (double)centre.x, (double)centre.y, (double)centre.z }, reach = (double)radius;
    for (int k = 0; k < 3; ++k)
    {
        const double room = reach + SIZE_SLACK * reach + PLACE_SLACK * fabs(at[k]);
        box->min[k] = (float)(at[k] - room);
        box->max[k] = (float)(at[k] + room);
    }
    box->square = 0.0f;
    *inner = (float)(reach * (1.0 - BALL_SLACK));
    *outer = (float)(reach * (1.0 + BALL_SLACK));
}
#endif

bool ab_query_is_first(const abut_world *world, const ab_query_filter *filter, uint32_t question, uint32_t proxy,
                       ab_query_before *before, void *context)
{
    const ab_colliders *colliders = &world->state.colliders;
    const uint32_t body = world->cache.proxies.collider_key[proxy] >> 8;
    for (uint32_t at = world->state.bodies.first[body]; at != ABUT_NONE; at = colliders->next[at])
    {
        const uint32_t other = colliders->generation[at] != 0 ? world->cache.proxies.proxy_of[at] : ABUT_NONE;
        if (other != ABUT_NONE && other != proxy && ab_query_wants(world, filter, question, other) &&
            ab_proxies_has_box(&world->cache.proxies, other) && before(context, other))
        {
            return false;
        }
    }
    return true;
}
