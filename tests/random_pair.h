// Pairs of shapes, made to lie where kernels go wrong: every way two boxes can face each other, from deep inside to
// just apart, at every size, proportion and distance from the origin.
//
// A pair is laid out in double in the frame of shape a: b's rotation, the direction along which they touch, and a gap.
// Then the whole is put somewhere in the world and rounded to float; the referee judges what was rounded.
#ifndef RANDOM_PAIR_H
#define RANDOM_PAIR_H

#include "random.h"
#include "referee.h"

enum
{
    RANDOM_KINDS = 4
};

// Kinds that are all there is to a shape, and meet in space.
static inline abut_shape_kind random_kind(uint32_t index)
{
    static const abut_shape_kind kind[RANDOM_KINDS] = { ABUT_SPHERE, ABUT_AABB, ABUT_OBB, ABUT_CAPSULE };
    return kind[index];
}

typedef enum random_layout
{
    RANDOM_ANY,            // any rotation, touching along any direction
    RANDOM_FACES,          // rotations that are quarter turns: faces and edges exactly parallel in double
    RANDOM_SPUN,           // one face parallel to another, turned by any angle about its normal
    RANDOM_TILTED,         // nearly parallel: tilted by 1e-9 to 1e-1
    RANDOM_EDGES_PARALLEL, // two parallel edges nearest to each other
    RANDOM_EDGES_NEARLY,   // two edges at 1e-7 to 1e-1
    RANDOM_EDGES_CROSSED,  // two edges nearest to each other at 0.01 rad
    RANDOM_EDGES_ANY,      // two edges nearest to each other at any angle
    RANDOM_VERTEX_ON_FACE,
    RANDOM_VERTEX_ON_VERTEX,
    RANDOM_INSIDE, // centres near each other
    RANDOM_LAYOUT_COUNT
} random_layout;

typedef struct random_pair
{
    abut_shape a, b;
    abut_pose pose_a, pose_b;
    float margin;
    random_layout layout;
} random_pair;

static inline const char *random_layout_name(random_layout layout)
{
    static const char *const name[RANDOM_LAYOUT_COUNT] = {
        "any",           "faces",     "spun",           "tilted",           "edges parallel", "edges nearly parallel",
        "edges crossed", "edges any", "vertex on face", "vertex on vertex", "inside"
    };
    return name[layout];
}

// Half extents of a cube, a brick, a needle, a plate, or something flat. About `size`.
static inline dvec3 random_half_extents(random_source *random, double size)
{
    double h[3];
    uint32_t proportions = random_below(random, 8);
    for (int i = 0; i < 3; ++i)
    {
        h[i] = proportions == 0 ? size : size * random_between(random, 0.2, 1.0);
    }
    int odd = (int)random_below(random, 3);
    if (proportions == 1 || proportions == 2)
    {
        h[odd] *= random_scale(random, 1e-4, 0.1); // plate
    }
    if (proportions == 2)
    {
        h[(odd + 1) % 3] *= random_scale(random, 1e-4, 0.1); // needle
    }
    if (proportions == 3 && random_chance(random, 0.5))
    {
        h[odd] = 0.0;
        h[(odd + 1) % 3] *= random_chance(random, 0.3) ? 0.0 : 1.0;
        h[(odd + 2) % 3] *= random_chance(random, 0.1) ? 0.0 : 1.0;
    }
    return dvec3_make(h[0], h[1], h[2]);
}

static inline abut_shape random_shape(random_source *random, abut_shape_kind kind, double size)
{
    if (kind == ABUT_SPHERE)
    {
        return (abut_shape){ .kind = kind, .sphere.radius = (float)(random_chance(random, 0.05) ? 0.0 : size) };
    }
    if (kind == ABUT_CAPSULE)
    {
        const double radius = random_chance(random, 0.05) ? 0.0 : random_chance(random, 0.2) ? 0.02 : 0.4;
        const double height = random_chance(random, 0.05) ? 0.0 : random_between(random, 0.1, 1.0);
        return abut_shape_capsule((float)(radius * size * random_between(random, 0.5, 1.0)), (float)(height * size));
    }
    return (abut_shape){ .kind = kind, .box.half_extents = random_narrow(random_half_extents(random, size)) };
}

static inline referee_solid random_solid(const abut_shape *shape, dquat rotation)
{
    if (shape->kind == ABUT_SPHERE)
    {
        return referee_ball(dvec3_make(0, 0, 0), (double)shape->sphere.radius);
    }
    if (shape->kind == ABUT_CAPSULE)
    {
        return referee_capsule(dvec3_make(0, 0, 0), rotation, (double)shape->capsule.radius,
                               (double)shape->capsule.half_height);
    }
    abut_vec3 h = shape->box.half_extents;
    return referee_box(dvec3_make(0, 0, 0), rotation, dvec3_make((double)h.x, (double)h.y, (double)h.z));
}

// Half the time tiny, either side of touching; else anywhere from deep to well apart.
static inline double random_gap(random_source *random, double scale)
{
    return random_chance(random, 0.5) ? random_sign(random) * random_scale(random, 1e-7, 0.3) * scale
                                      : random_between(random, -0.8, 0.4) * scale;
}

// Two edges along z nearest to each other along x, the second turned about x by `angle`. Both bodies show an edge to x.
static inline dquat random_edge_layout(random_source *random, double angle, dquat *frame_a)
{
    const dvec3 x = { 1, 0, 0 }, z = { 0, 0, 1 };
    *frame_a =
        dquat_mul(dquat_turn(z, random_between(random, 0.1, 1.4)), random_cube_rotation(random_below(random, 24)));
    dquat frame_b =
        dquat_mul(dquat_turn(z, random_between(random, 0.1, 1.4)), random_cube_rotation(random_below(random, 24)));
    return dquat_mul(dquat_turn(x, angle), frame_b);
}

// Rotations of both and the direction they touch along, in an arbitrary frame.
static inline dvec3 random_layout_frames(random_source *random, random_layout layout, dquat *frame_a, dquat *frame_b)
{
    const dvec3 x = { 1, 0, 0 };
    *frame_a = random_cube_rotation(random_below(random, 24));
    *frame_b = random_cube_rotation(random_below(random, 24));
    switch (layout)
    {
    case RANDOM_FACES:
        return x;
    case RANDOM_SPUN:
        *frame_b = dquat_mul(dquat_turn(x, random_between(random, -3.2, 3.2)), *frame_b);
        return x;
    case RANDOM_TILTED:
        *frame_b = dquat_mul(dquat_turn(random_direction(random), random_scale(random, 1e-9, 1e-1)), *frame_b);
        return x;
    case RANDOM_EDGES_PARALLEL:
        *frame_b = random_edge_layout(random, 0.0, frame_a);
        return x;
    case RANDOM_EDGES_NEARLY:
        *frame_b = random_edge_layout(random, random_sign(random) * random_scale(random, 1e-7, 1e-1), frame_a);
        return x;
    case RANDOM_EDGES_CROSSED:
        *frame_b = random_edge_layout(random, random_sign(random) * 0.01, frame_a);
        return x;
    case RANDOM_EDGES_ANY:
        *frame_b = random_edge_layout(random, random_between(random, -3.2, 3.2), frame_a);
        return x;
    case RANDOM_VERTEX_ON_FACE:
        *(random_chance(random, 0.5) ? frame_a : frame_b) = random_rotation(random);
        return x;
    case RANDOM_ANY:
    case RANDOM_VERTEX_ON_VERTEX:
    case RANDOM_INSIDE:
    default:
        *frame_a = random_rotation(random);
        *frame_b = random_rotation(random);
        return random_direction(random);
    }
}

// From the centre of a to that of b.
static inline dvec3 random_apart(random_source *random, random_layout layout, const referee_solid *a,
                                 const referee_solid *b, dvec3 along)
{
    double scale = a->reach + b->reach;
    if (layout == RANDOM_INSIDE)
    {
        return dvec3_scale(random_direction(random),
                           random_chance(random, 0.1) ? 0.0 : random_scale(random, 1e-8, 0.5) * scale);
    }
    double reach = referee_extent(a, along) + referee_extent(b, along) + random_gap(random, scale);
    dvec3 apart = dvec3_scale(along, reach);
    if (layout == RANDOM_VERTEX_ON_VERTEX)
    {
        apart =
            dvec3_sub(referee_corner(a, (int)random_below(random, 8)), referee_corner(b, (int)random_below(random, 8)));
        return dvec3_along(apart, random_gap(random, scale),
                           dvec3_normalise(dvec3_along(random_direction(random), 1e-3, along)));
    }
    dvec3 u = dvec3_beside(along);
    dvec3 v = dvec3_cross(along, u);
    if (layout == RANDOM_EDGES_PARALLEL || layout == RANDOM_EDGES_NEARLY || layout == RANDOM_EDGES_CROSSED ||
        layout == RANDOM_EDGES_ANY)
    {
        // The nearest edges lie at some offset across: bring one over the other, then slide along them.
        dvec3 support_a = { 0, 0, 0 }, support_b = { 0, 0, 0 };
        for (int i = 0; i < 3; ++i)
        {
            double on_a = dvec3_dot(a->axis[i], along), on_b = dvec3_dot(b->axis[i], along);
            support_a = dvec3_along(support_a, fabs(on_a) < 1e-9 ? 0.0 : copysign(a->half[i], on_a), a->axis[i]);
            support_b = dvec3_along(support_b, fabs(on_b) < 1e-9 ? 0.0 : copysign(b->half[i], -on_b), b->axis[i]);
        }
        dvec3 across = dvec3_sub(support_a, support_b);
        apart = dvec3_along(apart, 1.0, dvec3_along(across, -dvec3_dot(across, along), along));
        u = v = dvec3_make(0, 0, 1);
        u = dvec3_along(u, -dvec3_dot(u, along), along);
        v = u;
    }
    apart = dvec3_along(apart, random_between(random, -0.9, 0.9) * (referee_extent(a, u) + referee_extent(b, u)), u);
    return dvec3_along(apart, random_between(random, -0.9, 0.9) * (referee_extent(a, v) + referee_extent(b, v)), v);
}

static inline random_pair random_pair_of(random_source *random, abut_shape_kind kind_a, abut_shape_kind kind_b,
                                         random_layout layout)
{
    // AABBs keep the world's axes, so the frame of one of the two becomes the world's.
    bool aligned_a = kind_a == ABUT_AABB, aligned_b = kind_b == ABUT_AABB;
    double size = random_scale(random, 1e-2, 1e2);
    double ratio = random_chance(random, 0.2) ? random_scale(random, 1e-3, 1e3) : random_between(random, 0.3, 3.0);
    random_pair m = { .layout = aligned_a && aligned_b ? RANDOM_FACES : layout };
    m.a = random_shape(random, kind_a, size);
    m.b = random_shape(random, kind_b, size * ratio);

    dquat frame_a, frame_b;
    dvec3 along = random_layout_frames(random, m.layout, &frame_a, &frame_b);
    frame_b = aligned_a && aligned_b ? frame_a : frame_b;
    dquat world = aligned_a   ? dquat_conjugate(frame_a)
                  : aligned_b ? dquat_conjugate(frame_b)
                              : (random_chance(random, 0.3) ? random_cube_rotation(0) : random_rotation(random));
    referee_solid a = random_solid(&m.a, frame_a);
    referee_solid b = random_solid(&m.b, frame_b);
    dvec3 apart = dquat_rotate(world, random_apart(random, m.layout, &a, &b, along));

    double scale = a.reach + b.reach;
    double away =
        random_chance(random, 0.3) ? random_scale(random, 1.0, 1e6) : random_between(random, 0.0, 3.0) * scale;
    dvec3 position = dvec3_scale(random_direction(random), away);
    m.pose_a.position = random_narrow(position);
    m.pose_b.position = random_narrow(dvec3_add(position, apart));
    m.pose_a.rotation = random_narrow_rotation(aligned_a ? random_rotation(random) : dquat_mul(world, frame_a));
    m.pose_b.rotation = random_narrow_rotation(aligned_b ? random_rotation(random) : dquat_mul(world, frame_b));
    m.margin = (float)(random_chance(random, 0.5) ? 0.0 : random_scale(random, 1e-5, 0.3) * scale);
    return m;
}

// Any kinds, any layout.
static inline random_pair random_pair_any(random_source *random)
{
    abut_shape_kind kind_a = random_kind(random_below(random, RANDOM_KINDS));
    abut_shape_kind kind_b = random_kind(random_below(random, RANDOM_KINDS));
    random_layout layout = (random_layout)random_below(random, RANDOM_LAYOUT_COUNT);
    return random_pair_of(random, kind_a, kind_b, layout);
}

#endif
