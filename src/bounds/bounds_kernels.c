// The bounds pass for one instruction set: body poses are gathered a vector at a time, turned into axes and boxes, and
// scattered into records and blocks.
//
// Why a box is large enough. The narrow phase sees the shape through the record written here, so a box made of the same axes
// and half extents misses its shape by rounding only, and three roundings matter:
//   - The narrow phase's own: each of its axes sums about ten products no larger than the two sizes, which is wrong by less
//     than 10 x 2^-24 of them, and the separation of two boxes may be as little as 1 / sqrt 3 of their distance. 2^-18 of the
//     size (half extents and offset) on each side is more than three times that.
//   - Adding the offset and the half size to the position, half a unit in the last place each, and growing the result by
//     3 x 2^-24 of its magnitude, half a unit again: 3 x 2^-24 is at least 1.5 units.
//   - Summing the half size itself: a few 2^-24 of it, part of the 2^-18.
#include "bounds/bounds.h"
#include "bounds/eights.h"
#include "math/rotation.h"

#include <abut/world.h>

#include <float.h>

#define SIZE_SLACK   0x1p-18f
#define ULP_SLACK    0x1.8p-23f
#define LEAST_SQUARE 1.0e-12f // of a quaternion's length
#define MOST_REACH   1.0e9f   // metres; spans the world from any place in it
#define AHEAD        16u      // leaves that the cache is asked for in advance

typedef struct wide_quat
{
    f32w x, y, z, w;
} wide_quat;

// What a vector of leaves is, as it passes through.
typedef struct leaf_group
{
    u32w traits;
    v3w position, half, offset;
    wide_quat rotation;
    f32w axis[9];
    f32w reach;
    maskw valid;
} leaf_group;

static const abut_pose identity_pose = { .rotation = { .w = 1.0f } };

AB_INLINE maskw has_trait(u32w traits, uint32_t trait)
{
    return gtu(andu(traits, splatu(trait)), splatu(0));
}

AB_INLINE maskw in_range(v3w v)
{
    const f32w most = splatw(ABUT_MAX_MAGNITUDE);
    return andm(andm(lew(absw(v.x), most), lew(absw(v.y), most)), lew(absw(v.z), most));
}

AB_INLINE maskw is_rotation(wide_quat q)
{
    const f32w square = addw(addw(addw(mulw(q.x, q.x), mulw(q.y, q.y)), mulw(q.z, q.z)), mulw(q.w, q.w));
    return andm(gew(square, splatw(LEAST_SQUARE)), lew(square, splatw(FLT_MAX)));
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

// a after b, as abut_quat_mul writes it.
AB_INLINE wide_quat compose(wide_quat a, wide_quat b)
{
    return (wide_quat){
        subw(addw(addw(mulw(a.w, b.x), mulw(a.x, b.w)), mulw(a.y, b.z)), mulw(a.z, b.y)),
        addw(addw(subw(mulw(a.w, b.y), mulw(a.x, b.z)), mulw(a.y, b.w)), mulw(a.z, b.x)),
        addw(subw(addw(mulw(a.w, b.z), mulw(a.x, b.y)), mulw(a.y, b.x)), mulw(a.z, b.w)),
        subw(subw(subw(mulw(a.w, b.w), mulw(a.x, b.x)), mulw(a.y, b.y)), mulw(a.z, b.z)),
    };
}

AB_INLINE void read_poses(const ab_bounds_in *in, const ab_leaves *leaves, uint32_t leaf, leaf_group *group)
{
    const float *rows[LANES];
    f32w columns[8];
    for (uint32_t k = 0; k < LANES; ++k)
    {
        rows[k] = &in->poses[leaves->record[leaf + k].order >> 8].position.x;
    }
    gather_rows8(rows, columns);
    group->position = v3w_make(columns[0], columns[1], columns[2]);
    group->rotation = (wide_quat){ columns[4], columns[5], columns[6], columns[7] };
}

// The offset of placed leaves, and for those the rotation with the local one in it.
static void apply_locals(const ab_bounds_in *in, const ab_leaves *leaves, uint32_t leaf, leaf_group *group)
{
    const maskw placed = has_trait(group->traits, AB_TRAIT_PLACED);
    const float *rows[LANES];
    f32w columns[8], body_axis[9];
    for (uint32_t k = 0; k < LANES; ++k)
    {
        const bool here = (leaves->traits[leaf + k] & AB_TRAIT_PLACED) != 0;
        const abut_pose *local = here ? &in->locals[leaves->collider[leaf + k]] : &identity_pose;
        rows[k] = &local->position.x;
    }
    gather_rows8(rows, columns);
    axes_of(group->rotation, body_axis);
    const v3w offset = apply_axes(body_axis, v3w_make(columns[0], columns[1], columns[2]));
    group->offset = v3w_pick(placed, offset, v3w_splat(0.0f, 0.0f, 0.0f));
    const wide_quat local = { columns[4], columns[5], columns[6], columns[7] };
    const wide_quat both = compose(group->rotation, local);
    group->rotation.x = pickw(placed, both.x, group->rotation.x);
    group->rotation.y = pickw(placed, both.y, group->rotation.y);
    group->rotation.z = pickw(placed, both.z, group->rotation.z);
    group->rotation.w = pickw(placed, both.w, group->rotation.w);
}

AB_INLINE void turn(leaf_group *group)
{
    const maskw turns = has_trait(group->traits, AB_TRAIT_TURNS);
    axes_of(group->rotation, group->axis);
    for (uint32_t k = 0; k < 9; ++k)
    {
        group->axis[k] = pickw(turns, group->axis[k], splatw(k % 4 == 0 ? 1.0f : 0.0f));
    }
}

// How far anything of the leaf can travel within the horizon. What does not turn, turns its offset only.
static void look_ahead(const ab_bounds_in *in, const ab_leaves *leaves, uint32_t leaf, leaf_group *group)
{
    float rows[6][LANES];
    for (uint32_t k = 0; k < LANES; ++k)
    {
        const abut_velocity *v = &in->velocities[leaves->record[leaf + k].order >> 8];
        rows[0][k] = v->linear.x, rows[1][k] = v->linear.y, rows[2][k] = v->linear.z;
        rows[3][k] = v->angular.x, rows[4][k] = v->angular.y, rows[5][k] = v->angular.z;
    }
    const v3w linear = v3w_make(loadw(rows[0]), loadw(rows[1]), loadw(rows[2]));
    const v3w angular = v3w_make(loadw(rows[3]), loadw(rows[4]), loadw(rows[5]));
    const maskw fixed = equ(andu(group->traits, splatu(3)), splatu(ABUT_STATIC));
    const f32w own_radius = sqrtw(v3w_dot(group->half, group->half));
    const f32w radius =
        addw(sqrtw(v3w_dot(group->offset, group->offset)), keepw(has_trait(group->traits, AB_TRAIT_TURNS), own_radius));
    const f32w speed = addw(sqrtw(v3w_dot(linear, linear)), mulw(sqrtw(v3w_dot(angular, angular)), radius));
    const f32w travel = minw(mulw(speed, splatw(in->horizon)), splatw(MOST_REACH));
    group->valid = andm(group->valid, orm(fixed, andm(in_range(linear), in_range(angular))));
    group->reach = pickw(fixed, splatw(0.0f), travel);
}

AB_INLINE void write_axis_range(float *low_out, float *high_out, f32w centre, f32w half, maskw dead)
{
    const f32w low = subw(centre, half), high = addw(centre, half);
    // Adding zero turns -0 into 0, so that the box around eight has the same bits whichever way it is found.
    const f32w outer_low = addw(subw(low, mulw(absw(low), splatw(ULP_SLACK))), splatw(0.0f));
    const f32w outer_high = addw(addw(high, mulw(absw(high), splatw(ULP_SLACK))), splatw(0.0f));
    storew(low_out, pickw(dead, splatw(AB_EMPTY_BOX), outer_low));
    storew(high_out, pickw(dead, splatw(-AB_EMPTY_BOX), outer_high));
}

AB_INLINE f32w half_along(const leaf_group *group, uint32_t k)
{
    const f32w x = mulw(absw(group->axis[k]), group->half.x), y = mulw(absw(group->axis[3 + k]), group->half.y);
    return addw(addw(x, y), mulw(absw(group->axis[6 + k]), group->half.z));
}

AB_INLINE void write_boxes(const leaf_group *group, float growth, ab_block *block, uint32_t lane)
{
    const maskw dead = has_trait(group->traits, AB_TRAIT_DEAD);
    const v3w offset = v3w_abs(group->offset);
    const f32w around = addw(splatw(growth), group->reach);
    const f32w size =
        addw(addw(addw(group->half.x, group->half.y), group->half.z), addw(addw(offset.x, offset.y), offset.z));
    const f32w grown = addw(around, mulw(addw(size, around), splatw(SIZE_SLACK)));
    const v3w centre = v3w_add(group->position, group->offset);
    write_axis_range(block->min_x + lane, block->max_x + lane, centre.x, addw(half_along(group, 0), grown), dead);
    write_axis_range(block->min_y + lane, block->max_y + lane, centre.y, addw(half_along(group, 1), grown), dead);
    write_axis_range(block->min_z + lane, block->max_z + lane, centre.z, addw(half_along(group, 2), grown), dead);
}

// Returns the lanes whose pose or velocity is not valid.
AB_INLINE uint32_t bound_group(const ab_bounds_in *in, ab_leaves *leaves, uint32_t leaf)
{
    f32w record[16];
    uint32_t index[LANES];
    leaf_group group = { .traits = loadu(leaves->traits + leaf),
                         .offset = v3w_splat(0.0f, 0.0f, 0.0f),
                         .reach = splatw(0.0f) };
    for (uint32_t k = 0; k < LANES; ++k)
    {
        index[k] = leaf + k;
    }
    gather_rows16((const float *)(const void *)leaves->record, index, record);
    group.half = v3w_make(record[3], record[13], record[14]);
    read_poses(in, leaves, leaf, &group);
    group.valid = andm(in_range(group.position), is_rotation(group.rotation));
    if (leaves->offset)
    {
        apply_locals(in, leaves, leaf, &group);
        float *offset = &leaves->offset[leaf].x;
        float rows[3][LANES];
        storew(rows[0], group.offset.x);
        storew(rows[1], group.offset.y);
        storew(rows[2], group.offset.z);
        for (uint32_t k = 0; k < 3 * LANES; ++k)
        {
            offset[k] = rows[k % 3][k / 3];
        }
    }
    turn(&group);
    if (in->horizon > 0.0f)
    {
        look_ahead(in, leaves, leaf, &group);
    }
    if (leaves->reach)
    {
        storew(leaves->reach + leaf, group.reach);
    }
    write_boxes(&group, in->growth, &leaves->block[leaf / AB_BLOCK], leaf % AB_BLOCK);
    record[0] = group.position.x, record[1] = group.position.y, record[2] = group.position.z;
    for (uint32_t k = 0; k < 9; ++k)
    {
        record[4 + k] = group.axis[k];
    }
    scatter_rows16((float *)(void *)&leaves->record[leaf], record);
    return bitsm(notm(orm(group.valid, has_trait(group.traits, AB_TRAIT_DEAD))));
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

uint32_t AB_ISA_NAME(ab_bounds_pass)(const ab_bounds_in *in, ab_leaves *leaves, uint32_t first, uint32_t end)
{
    uint32_t bad_leaf = ABUT_NONE;
    for (uint32_t block = first; block < end; ++block)
    {
        uint32_t bad = 0;
        for (uint32_t lane = 0; lane < AB_BLOCK; lane += LANES)
        {
            bad |= bound_group(in, leaves, block * AB_BLOCK + lane) << lane;
        }
        fit_extent(&leaves->block[block], &leaves->extent[block]);
        if (bad && bad_leaf == ABUT_NONE)
        {
            bad_leaf = block * AB_BLOCK + first_lane(bad);
        }
    }
    return bad_leaf;
}
