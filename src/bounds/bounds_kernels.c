// The bounds pass for one instruction set: gathers body poses a vector at a time, computes axes and AABBs, and scatters
// them into records and blocks.
#include "base/kernels.h"
#include "bounds/bounds.h"
#include "bounds/box8.h"
#include "bounds/transpose4.h"
#include "math/rotation.h"
#include "shape/shape_table.h"

#include <float.h>

#include <math.h>

// metres: keeps -0 out of AABBs, so that all ways of computing a block's AABB give the same bits
#define LEAST_GROWTH 1.0e-30f
#define SWEPT_SIZE   1.02e-5f // of the size, and so many metres: no less than ab_sweep_tolerance
#define SWEPT_LEAST  1.0e-9f
#define MOST_REACH   1.0e9f // metres; spans the world from any position in it
#define AHEAD        32u    // proxies prefetched ahead

// Small builds grow AABBs by all that bodies may travel, in every direction.
#ifdef AB_SMALL
#define FOLLOWS_WAYS false
#else
#define FOLLOWS_WAYS true
#endif

typedef struct wide_quat
{
    f32w x, y, z, w;
} wide_quat;

// The state of a vector of proxies.
typedef struct proxy_group
{
    u32w proxy_flags;
    v3w position, half, offset;
    f32w collider_key; // bits of an integer, copied only
    wide_quat rotation;
    f32w axis[9];
    f32w reach;
    f32w nearness; // within which nothing may be missed, margin and reach aside
    maskw valid;
} proxy_group;

// How the bodies of a vector of proxies move within the horizon.
typedef struct body_ways
{
    v3w way;
    f32w turn; // what rotation moves a point besides
} body_ways;

static const abut_pose identity_pose = { .rotation = { .w = 1.0f } };

AB_INLINE maskw has_flag(u32w proxy_flags, uint32_t flag)
{
    return gtu(andu(proxy_flags, splatu(flag)), splatu(0));
}

AB_INLINE maskw in_range(v3w v)
{
    const f32w most = splatw(ABUT_MAX_MAGNITUDE);
    return andm(andm(lew(absw(v.x), most), lew(absw(v.y), most)), lew(absw(v.z), most));
}

AB_INLINE maskw is_rotation(wide_quat q)
{
    const f32w square = addw(addw(addw(mulw(q.x, q.x), mulw(q.y, q.y)), mulw(q.z, q.z)), mulw(q.w, q.w));
    return andm(gew(square, splatw(AB_LEAST_SQUARE)), lew(square, splatw(FLT_MAX)));
}

// Whether a point's z, and a rotation's x and y, are zero.
AB_INLINE maskw is_flat(v3w point, f32w turn_x, f32w turn_y)
{
    const f32w zero = splatw(0.0f);
    return andm(eqw(point.z, zero), andm(eqw(turn_x, zero), eqw(turn_y, zero)));
}

AB_INLINE void axes_of(wide_quat q, f32w axis[9])
{
    const f32w one = splatw(1.0f), two = splatw(2.0f);
    AB_ROTATION_AXES(f32w, addw, subw, mulw, divw, one, two, q.x, q.y, q.z, q.w, axis);
}

AB_INLINE v3w apply_axes(const f32w axis[9], v3w v)
{
    const v3w x = v3w_make(axis[0], axis[1], axis[2]), y = v3w_make(axis[3], axis[4], axis[5]);
    return v3w_add(v3w_add(v3w_scale(x, v.x), v3w_scale(y, v.y)), v3w_scale(v3w_make(axis[6], axis[7], axis[8]), v.z));
}

// a after b, as abut_quat_mul computes it.
AB_INLINE wide_quat compose(wide_quat a, wide_quat b)
{
    return (wide_quat){
        subw(addw(addw(mulw(a.w, b.x), mulw(a.x, b.w)), mulw(a.y, b.z)), mulw(a.z, b.y)),
        addw(addw(subw(mulw(a.w, b.y), mulw(a.x, b.z)), mulw(a.y, b.w)), mulw(a.z, b.x)),
        addw(subw(addw(mulw(a.w, b.z), mulw(a.x, b.y)), mulw(a.y, b.x)), mulw(a.z, b.w)),
        subw(subw(subw(mulw(a.w, b.w), mulw(a.x, b.x)), mulw(a.y, b.y)), mulw(a.z, b.z)),
    };
}

// Gathers position and rotation as two transposes of four columns.
AB_INLINE void gather_poses(const abut_pose *const poses[], v3w *position, wide_quat *rotation)
{
    const float *rows[LANES];
    f32w columns[4];
    for (uint32_t k = 0; k < LANES; ++k)
    {
        rows[k] = &poses[k]->position.x;
    }
    gather_transpose4(rows, columns);
    *position = v3w_make(columns[0], columns[1], columns[2]);
    for (uint32_t k = 0; k < LANES; ++k)
    {
        rows[k] = &poses[k]->rotation.x;
    }
    gather_transpose4(rows, columns);
    *rotation = (wide_quat){ columns[0], columns[1], columns[2], columns[3] };
}

AB_INLINE void read_poses(const ab_bounds_in *in, const ab_proxies *proxies, uint32_t proxy, proxy_group *group)
{
    const abut_pose *poses[LANES];
    for (uint32_t k = 0; k < LANES; ++k)
    {
        poses[k] = &in->poses[proxies->collider_key[proxy + k] >> 8];
    }
    gather_poses(poses, &group->position, &group->rotation);
}

// Half extents, and the collider key, which is written back with the last of them.
AB_INLINE void read_record(const ab_record *record, proxy_group *group)
{
    const float *rows[LANES];
    f32w columns[4];
    for (uint32_t k = 0; k < LANES; ++k)
    {
        rows[k] = record[k].position;
    }
    gather_transpose4(rows, columns);
    group->half.x = columns[3];
    for (uint32_t k = 0; k < LANES; ++k)
    {
        rows[k] = &record[k].axis[8];
    }
    gather_transpose4(rows, columns);
    group->half.y = columns[1];
    group->half.z = columns[2];
    group->collider_key = columns[3];
}

AB_INLINE void write_record(const proxy_group *group, ab_record *record)
{
    const uint32_t stride = sizeof *record / sizeof(float);
    const f32w *axis = group->axis;
    const f32w first[4] = { group->position.x, group->position.y, group->position.z, group->half.x };
    const f32w last[4] = { axis[8], group->half.y, group->half.z, group->collider_key };
    scatter_transpose4(record->position, stride, first);
    scatter_transpose4(record->axis, stride, axis);
    scatter_transpose4(record->axis + 4, stride, axis + 4);
    scatter_transpose4(record->axis + 8, stride, last);
}

// Computes the offset of placed proxies, and composes their rotation with the local one.
static void apply_locals(const ab_bounds_in *in, const ab_proxies *proxies, uint32_t proxy, proxy_group *group)
{
    const maskw placed = has_flag(group->proxy_flags, AB_PROXY_PLACED);
    const abut_pose *locals[LANES];
    f32w body_axis[9];
    v3w position;
    wide_quat local;
    for (uint32_t k = 0; k < LANES; ++k)
    {
        const bool here = (proxies->proxy_flags[proxy + k] & AB_PROXY_PLACED) != 0;
        locals[k] = here ? &in->locals[proxies->collider[proxy + k]] : &identity_pose;
    }
    gather_poses(locals, &position, &local);
    axes_of(group->rotation, body_axis);
    const v3w offset = apply_axes(body_axis, position);
    group->offset = v3w_pick(placed, offset, v3w_splat(0.0f, 0.0f, 0.0f));
    const wide_quat both = compose(group->rotation, local);
    group->rotation.x = pickw(placed, both.x, group->rotation.x);
    group->rotation.y = pickw(placed, both.y, group->rotation.y);
    group->rotation.z = pickw(placed, both.z, group->rotation.z);
    group->rotation.w = pickw(placed, both.w, group->rotation.w);
}

AB_INLINE void turn(proxy_group *group)
{
    const maskw turns = has_flag(group->proxy_flags, AB_PROXY_TURNS);
    axes_of(group->rotation, group->axis);
    for (uint32_t k = 0; k < 9; ++k)
    {
        const bool diagonal = k % 4 == 0;
        group->axis[k] = diagonal ? pickw(turns, group->axis[k], splatw(1.0f)) : keepw(turns, group->axis[k]);
    }
}

// Whose reach is part of the recycle distance.
static maskw are_near(const ab_bounds_in *in, const ab_proxies *proxies, uint32_t proxy)
{
    uint32_t near[LANES];
    for (uint32_t k = 0; k < LANES; ++k)
    {
        near[k] = in->known[proxies->record[proxy + k].collider_key >> 8] & AB_ANCHOR_NEAR;
    }
    return gtu(loadu(near), splatu(0));
}

AB_INLINE f32w way_along(f32w speed, float horizon, maskw fixed)
{
    const f32w way = minw(maxw(mulw(speed, splatw(horizon)), splatw(-MOST_REACH)), splatw(MOST_REACH));
    return pickw(fixed, splatw(0.0f), way);
}

// How far any point of the proxy can travel within the horizon, and the way of its body. Shapes that do not rotate
// still rotate their local offset.
static void look_ahead(const ab_bounds_in *in, const ab_proxies *proxies, uint32_t proxy, proxy_group *group,
                       body_ways *ways)
{
    float rows[6][LANES];
    for (uint32_t k = 0; k < LANES; ++k)
    {
        const abut_velocity *v = &in->velocities[proxies->record[proxy + k].collider_key >> 8];
        rows[0][k] = v->linear.x, rows[1][k] = v->linear.y, rows[2][k] = v->linear.z;
        rows[3][k] = v->angular.x, rows[4][k] = v->angular.y, rows[5][k] = v->angular.z;
    }
    const v3w linear = v3w_make(loadw(rows[0]), loadw(rows[1]), loadw(rows[2]));
    const v3w angular = v3w_make(loadw(rows[3]), loadw(rows[4]), loadw(rows[5]));
    const maskw immobile = has_flag(group->proxy_flags, AB_PROXY_IMMOBILE),
                fixed = in->known ? orm(immobile, are_near(in, proxies, proxy)) : immobile;
    const f32w own_radius = sqrtw(v3w_dot(group->half, group->half));
    f32w radius = keepw(has_flag(group->proxy_flags, AB_PROXY_TURNS), own_radius);
    if (proxies->offset)
    {
        radius = addw(sqrtw(v3w_dot(group->offset, group->offset)), radius);
    }
    const f32w rotation = mulw(sqrtw(v3w_dot(angular, angular)), radius);
    const f32w speed = addw(sqrtw(v3w_dot(linear, linear)), rotation);
    const f32w travel = minw(mulw(speed, splatw(in->horizon)), splatw(MOST_REACH));
    maskw sound = andm(in_range(linear), in_range(angular));
    if (in->is_2d)
    {
        sound = andm(sound, is_flat(linear, angular.x, angular.y));
    }
    group->valid = andm(group->valid, orm(immobile, sound));
    group->reach = pickw(fixed, splatw(0.0f), travel);
    if (FOLLOWS_WAYS)
    {
        ways->turn = minw(pickw(fixed, splatw(0.0f), mulw(rotation, splatw(in->horizon))), group->reach);
        ways->way = v3w_make(way_along(linear.x, in->horizon, fixed), way_along(linear.y, in->horizon, fixed),
                             way_along(linear.z, in->horizon, fixed));
    }
    const maskw swept = has_flag(group->proxy_flags, AB_PROXY_CCD);
    if (anym(swept))
    {
        const f32w size = addw(addw(group->half.x, group->half.y), group->half.z);
        const f32w tolerance = addw(mulw(size, splatw(SWEPT_SIZE)), splatw(SWEPT_LEAST));
        group->nearness = pickw(swept, tolerance, group->nearness);
    }
}

#include "bounds/bounds_boxes.inl"

AB_INLINE void write_offsets(const proxy_group *group, abut_vec3 *offset)
{
    float rows[3][LANES];
    storew(rows[0], group->offset.x);
    storew(rows[1], group->offset.y);
    storew(rows[2], group->offset.z);
    for (uint32_t k = 0; k < LANES; ++k)
    {
        offset[k] = abut_vec3_make(rows[0][k], rows[1][k], rows[2][k]);
    }
}

// Returns the lanes whose pose or velocity is invalid.
AB_INLINE uint32_t bound_group(const ab_bounds_in *in, const ab_proxies *proxies, uint32_t proxy)
{
    proxy_group group = { .proxy_flags = loadu(proxies->proxy_flags + proxy),
                          .offset = v3w_splat(0.0f, 0.0f, 0.0f),
                          .reach = splatw(0.0f),
                          .nearness = splatw(LEAST_GROWTH) };
    read_record(&proxies->record[proxy], &group);
    read_poses(in, proxies, proxy, &group);
    group.valid = andm(in_range(group.position), is_rotation(group.rotation));
    if (in->is_2d)
    {
        group.valid = andm(group.valid, is_flat(group.position, group.rotation.x, group.rotation.y));
    }
    if (proxies->offset)
    {
        apply_locals(in, proxies, proxy, &group);
        write_offsets(&group, &proxies->offset[proxy]);
    }
    turn(&group);
    body_ways ways;
    if (in->horizon > 0.0f)
    {
        look_ahead(in, proxies, proxy, &group, &ways);
    }
    const bool follows = FOLLOWS_WAYS && in->horizon > 0.0f && in->speculative_distance > 0.0f;
    const f32w seen = minw(group.reach, splatw(in->speculative_distance > 0.0f ? in->speculative_distance : HUGE_VALF));
    if (proxies->reach)
    {
        storew(proxies->reach + proxy, seen);
    }
    group.reach = follows ? seen : group.reach;
    write_record(&group, &proxies->record[proxy]);
    write_boxes(&group, in, proxies, proxy);
    if (follows)
    {
        f32w size;
        const f32w grown = growth_of(&group, in, &size);
        // Of immobile ones too the AABB stays: it is the same whichever horizon and whoever asked for it.
        follow_ways(&ways, &proxies->block[proxy / AB_BLOCK], proxy % AB_BLOCK,
                    has_flag(group.proxy_flags, AB_PROXY_DEAD | AB_PROXY_IMMOBILE),
                    addw(splatw(in->growth), group.nearness), size, grown);
    }
    return bitsm(notm(orm(group.valid, has_flag(group.proxy_flags, AB_PROXY_DEAD))));
}

static uint32_t first_lane(uint32_t lanes)
{
    uint32_t lane = 0;
    while (!(lanes >> lane & 1u))
    {
        ++lane;
    }
    return lane;
}

// Prefetches the poses and records of a later block. Poses are in body order, which is unrelated.
AB_INLINE void look_for(const ab_bounds_in *in, const ab_proxies *proxies, uint32_t block)
{
    const uint32_t proxy = block * AB_BLOCK;
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        AB_PREFETCH(&in->poses[proxies->collider_key[proxy + k] >> 8]);
        AB_PREFETCH_TO(&proxies->record[proxy + k]);
    }
}

// Prefetches the shapes of a later block: where a proxy's box is that of its shape's points, so are most others'.
AB_INLINE void look_for_shapes(const ab_bounds_in *in, const ab_proxies *proxies, uint32_t block)
{
    const uint32_t proxy = block * AB_BLOCK;
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        AB_PREFETCH_AT(in->shapes, proxies->collider[proxy + k]);
    }
}

static uint32_t pass(const ab_bounds_in *in, ab_proxies *proxies, uint32_t first, uint32_t end)
{
    // Copies: the compiler must assume that stores alias the originals.
    const ab_bounds_in from = *in;
    const ab_proxies to = *proxies;
    uint32_t bad_proxy = ABUT_NONE;
    for (uint32_t block = first; block < end; ++block)
    {
        const uint32_t soon = block + AHEAD / AB_BLOCK;
        look_for(&from, &to, soon < end ? soon : block);
        if (AB_PREFETCHES && (to.proxy_flags[block * AB_BLOCK] & AB_PROXY_POINTS) != 0)
        {
            look_for_shapes(&from, &to, soon < end ? soon : block);
        }
        uint32_t bad = 0;
        for (uint32_t lane = 0; lane < AB_BLOCK; lane += LANES)
        {
            bad |= bound_group(&from, &to, block * AB_BLOCK + lane) << lane;
        }
        fit_aabb(&to.block[block], &to.aabb[block]);
        if (bad && bad_proxy == ABUT_NONE)
        {
            bad_proxy = block * AB_BLOCK + first_lane(bad);
        }
    }
    return bad_proxy;
}

const ab_bounds_kernels AB_ISA_NAME(ab_bounds_kernels) = { pass };
