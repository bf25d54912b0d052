// A world of bodies of many kinds, in space or in the plane, at any scale, that a referee in double precision knows, too; and copies of it with
// other broad phases, instruction sets and threads.
#ifndef JUDGED_WORLD_H
#define JUDGED_WORLD_H

#include "every_isa.h"
#include "plain_solids.h"
#include "small_world.h"

#include <abut/query.h>

enum
{
    JUDGED_BODIES = 120,
    JUDGED_PIECES = 8,  // of a body: parts or triangles
    JUDGED_CORNERS = 8, // of a hull,
    JUDGED_POLYGON = 7, // of a polygon
    JUDGED_COPIES = 4,  // the first is judged, the others have to agree with it
    JUDGED_KINDS = 8,   // but for the half-space, of which there is one in some worlds
    JUDGED_HALF_SPACE = JUDGED_KINDS
};

typedef struct judged_body
{
    plain_solid piece[JUDGED_PIECES];
    plain_sphere around[JUDGED_PIECES];
    uint32_t pieces;
    abut_shape shape;
    abut_pose pose;
} judged_body;

typedef struct judged_world
{
    judged_body body[JUDGED_BODIES];
    abut_world *copy[JUDGED_COPIES];
    double scale, side;
    float margin;
    bool is_2d;
} judged_world;

static inline dvec3 judged_widen(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

static inline dquat judged_rotation(abut_quat q)
{
    const double w = (double)q.w, x = (double)q.x, y = (double)q.y, z = (double)q.z,
                 length = sqrt(w * w + x * x + y * y + z * z);
    return (dquat){ w / length, x / length, y / length, z / length };
}

static inline void judged_add(judged_body *b, const plain_solid *piece)
{
    plain_place(piece, judged_rotation(b->pose.rotation), judged_widen(b->pose.position), &b->piece[b->pieces]);
    b->around[b->pieces] = plain_around(&b->piece[b->pieces]);
    ++b->pieces;
}

static inline float judged_size(random_source *random, double scale)
{
    return (float)(scale * random_scale(random, 0.1, 1.0));
}

static inline abut_shape judged_polygon(random_source *random, double x, double y, plain_solid *out)
{
    double corner[JUDGED_POLYGON][2];
    abut_vec2 narrow[JUDGED_POLYGON];
    abut_geometry *polygon;
    for (uint32_t i = 0; i < JUDGED_POLYGON; ++i)
    {
        const double turn = 6.283185307179586 * (i + random_between(random, 0.1, 0.9)) / JUDGED_POLYGON;
        narrow[i] = (abut_vec2){ (float)(x * cos(turn)), (float)(y * sin(turn)) };
        corner[i][0] = (double)narrow[i].x;
        corner[i][1] = (double)narrow[i].y;
    }
    assert_int_equal(abut_geometry_create_polygon(narrow, JUDGED_POLYGON, NULL, &polygon), ABUT_OK);
    *out = plain_prism(corner, JUDGED_POLYGON, x);
    return abut_shape_polygon(polygon);
}

// A box without an inside: a plate or a rod. In the plane z is of no account.
static inline abut_shape judged_flat_box(const judged_world *w, random_source *random, float x, float y, float z,
                                         plain_solid *out)
{
    const bool rod = random_chance(random, 0.4);
    const uint32_t axis = w->is_2d ? (rod ? 2 : random_below(random, 2)) : random_below(random, 3);
    float half[3] = { x, y, z };
    dvec3 corner[4];
    for (uint32_t k = 0; k < 3; ++k)
    {
        half[k] = (k == axis) == rod ? half[k] : 0.0f;
    }
    const double a[3] = { (double)half[0], (double)half[1], (double)half[2] };
    for (int i = 0; i < 4; ++i)
    {
        const double u = i == 1 || i == 2 ? 1.0 : -1.0, v = i < 2 ? -1.0 : 1.0;
        corner[i] = axis == 0   ? dvec3_make(0, u * a[1], v * a[2])
                    : axis == 1 ? dvec3_make(u * a[0], 0, v * a[2])
                                : dvec3_make(u * a[0], v * a[1], 0);
    }
    const dvec3 end = dvec3_make(a[0], a[1], a[2]);
    *out = rod ? plain_segment(dvec3_scale(end, -1.0), end) : plain_plate(corner);
    return abut_shape_obb(half[0], half[1], half[2]);
}

// A convex shape and its solid, in its own frame. A hull or polygon is the caller's to release. In the plane solids
// reach above and below it.
static inline abut_shape judged_convex(const judged_world *w, random_source *random, double scale, uint32_t kind,
                                       plain_solid *out)
{
    float x = judged_size(random, scale), y = judged_size(random, scale), z = judged_size(random, scale);
    const bool flat = random_chance(random, 0.1);
    abut_vec3 corner[JUDGED_CORNERS];
    dvec3 wide[JUDGED_CORNERS];
    abut_geometry *hull;
    switch (kind)
    {
    case 0:
        *out = plain_ball((double)x);
        return abut_shape_sphere(x);
    case 1:
        y = flat && x < z ? 0.0f : y;
        x = flat && y > 0.0f ? 0.0f : x;
        *out = plain_capsule((double)x, (double)y);
        return abut_shape_capsule(x, y);
    case 2:
        if (flat)
        {
            return judged_flat_box(w, random, x, y, z, out);
        }
        *out = plain_box((double)x, (double)y, (double)z);
        return abut_shape_obb(x, y, z);
    default:
        if (w->is_2d)
        {
            return judged_polygon(random, (double)x, (double)y, out);
        }
        for (uint32_t i = 0; i < JUDGED_CORNERS; ++i)
        {
            const dvec3 d = random_direction(random);
            corner[i] = abut_vec3_make((float)d.x * x, (float)d.y * y, (float)d.z * z);
            wide[i] = judged_widen(corner[i]);
        }
        assert_int_equal(abut_geometry_create_hull(corner, JUDGED_CORNERS, 0, NULL, &hull), ABUT_OK);
        *out = plain_hull(wide, JUDGED_CORNERS);
        return abut_shape_hull(hull);
    }
}

// What a convex shape has been made with; NULL: nothing.
static inline const abut_geometry *judged_geometry(const abut_shape *shape)
{
    return shape->kind == ABUT_HULL ? shape->hull : shape->kind == ABUT_POLYGON ? shape->polygon : NULL;
}

static inline dvec3 judged_in_box(const judged_world *w, random_source *random, double half)
{
    dvec3 out = random_in_box(random, half);
    out.z = w->is_2d ? 0.0 : out.z;
    return out;
}

static inline abut_pose judged_pose(const judged_world *w, random_source *random, double side)
{
    const dquat turn = random_rotation(random);
    abut_pose pose = { .position = random_narrow(judged_in_box(w, random, side)) };
    pose.rotation = random_narrow_rotation(turn);
    pose.rotation = w->is_2d ? abut_pose_2d(0, 0, 3.0f * pose.rotation.w).rotation : abut_quat_normalise(pose.rotation);
    return pose;
}

static inline abut_geometry *judged_compound(const judged_world *w, random_source *random, judged_body *b, double scale)
{
    abut_placed_shape part[3];
    abut_geometry *out;
    for (uint32_t i = 0; i < COUNT(part); ++i)
    {
        plain_solid own, placed;
        part[i].shape = judged_convex(w, random, 0.6 * scale, random_below(random, 4), &own);
        part[i].pose = judged_pose(w, random, 0.6 * scale);
        plain_place(&own, judged_rotation(part[i].pose.rotation), judged_widen(part[i].pose.position), &placed);
        judged_add(b, &placed);
    }
    assert_int_equal(abut_geometry_create_compound(part, COUNT(part), NULL, &out), ABUT_OK);
    for (uint32_t i = 0; i < COUNT(part); ++i)
    {
        abut_geometry_release(judged_geometry(&part[i].shape));
    }
    return out;
}

// Triangles anywhere, that collide from both sides.
static inline abut_geometry *judged_mesh(random_source *random, double scale)
{
    abut_vec3 corner[3 * JUDGED_PIECES];
    uint32_t index[3 * JUDGED_PIECES];
    abut_geometry *out;
    for (uint32_t i = 0; i < COUNT(corner); ++i)
    {
        corner[i] = random_narrow(random_in_box(random, scale));
        index[i] = i;
    }
    const abut_mesh_def def = { .vertices = corner,
                                .indices = index,
                                .vertex_count = COUNT(corner),
                                .triangle_count = JUDGED_PIECES,
                                .two_sided = true };
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &out), ABUT_OK);
    return out;
}

static inline abut_geometry *judged_field(random_source *random, double scale)
{
    float heights[9];
    abut_geometry *out;
    for (uint32_t i = 0; i < COUNT(heights); ++i)
    {
        heights[i] = (float)random_between(random, -0.5 * scale, 0.5 * scale);
    }
    const abut_heightfield_def def = { .heights = heights,
                                       .columns = 3,
                                       .rows = 3,
                                       .step_x = judged_size(random, scale),
                                       .step_z = judged_size(random, scale),
                                       .two_sided = true };
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &out), ABUT_OK);
    return out;
}

static inline void judged_add_triangles(judged_body *b, const abut_geometry *mesh)
{
    for (uint32_t i = 0; i < abut_geometry_mesh_triangles(mesh); ++i)
    {
        abut_vec3 corner[3];
        assert_true(abut_geometry_mesh_triangle(mesh, i, corner));
        const dvec3 wide[3] = { judged_widen(corner[0]), judged_widen(corner[1]), judged_widen(corner[2]) };
        const plain_solid flat = plain_flat(wide);
        judged_add(b, &flat);
    }
}

// A chain that collides from both sides.
static inline abut_geometry *judged_chain(random_source *random, judged_body *b, double scale)
{
    abut_vec2 point[JUDGED_PIECES];
    abut_geometry *out;
    for (uint32_t i = 0; i < COUNT(point); ++i)
    {
        point[i] =
            (abut_vec2){ (float)random_between(random, -scale, scale), (float)random_between(random, -scale, scale) };
    }
    const abut_chain_def def = { .points = point, .point_count = COUNT(point), .two_sided = true };
    assert_int_equal(abut_geometry_create_chain(&def, NULL, &out), ABUT_OK);
    for (uint32_t i = 0; i + 1 < COUNT(point); ++i)
    {
        const plain_solid fence =
            plain_fence((double)point[i].x, (double)point[i].y, (double)point[i + 1].x, (double)point[i + 1].y, scale);
        judged_add(b, &fence);
    }
    return out;
}

// The geometry is the caller's to release, or NULL.
static inline const abut_geometry *judged_make(const judged_world *w, random_source *random, judged_body *b,
                                               double scale, uint32_t kind)
{
    plain_solid own;
    const abut_geometry *made = NULL;
    if (w->is_2d && kind > 4 && kind < JUDGED_KINDS)
    {
        made = judged_chain(random, b, scale);
        b->shape = abut_shape_chain(made);
        return made;
    }
    switch (kind)
    {
    case JUDGED_HALF_SPACE:
        own = plain_half_space(dvec3_make(0, 0, 0), dvec3_make(0, w->scale, 0));
        b->shape = abut_shape_half_space();
        judged_add(b, &own);
        break;
    case 4:
        b->pose.rotation = abut_quat_identity();
        b->shape = judged_convex(w, random, scale, 2, &own);
        b->shape.kind = ABUT_AABB;
        judged_add(b, &own);
        break;
    case 5:
        made = judged_compound(w, random, b, scale);
        b->shape = abut_shape_compound(made);
        break;
    case 6:
    case 7:
        made = kind == 6 ? judged_mesh(random, scale) : judged_field(random, scale);
        b->shape = abut_shape_mesh(made);
        judged_add_triangles(b, made);
        break;
    default:
        b->shape = judged_convex(w, random, scale, kind, &own);
        judged_add(b, &own);
        made = judged_geometry(&b->shape);
    }
    return made;
}

static inline abut_motion judged_motion(const judged_world *w, uint32_t body)
{
    return w->body[body].shape.kind == ABUT_HALF_SPACE ? ABUT_STATIC : (abut_motion)(body % 3);
}

static inline void judged_open(judged_world *w, random_source *random, bool is_2d)
{
    const uint32_t dimension = is_2d ? 2 : 3;
    const abut_isa few =
        random_chance(random, 0.5) && abut_isa_available(ABUT_ISA_SSE2) ? ABUT_ISA_SSE2 : ABUT_ISA_SCALAR;
    abut_world_def defs[JUDGED_COPIES] = { { .broad = ABUT_BROAD_BVH, .dimension = dimension },
                                           { .broad = ABUT_BROAD_GRID, .isa = few, .dimension = dimension },
                                           { .broad = ABUT_BROAD_AUTO, .threads = 2, .dimension = dimension },
                                           { .broad = ABUT_BROAD_BRUTE, .dimension = dimension } };
    w->is_2d = is_2d;
    w->scale = random_scale(random, 1e-3, 1e5);
    w->side = w->scale * (is_2d ? sqrt(JUDGED_BODIES) : cbrt(JUDGED_BODIES)) * random_scale(random, 0.3, 1.5);
    w->margin = random_chance(random, 0.5) ? (float)(0.2 * w->scale) : 0.0f;
    for (uint32_t k = 0; k < JUDGED_COPIES; ++k)
    {
        defs[k].margin = w->margin;
        w->copy[k] = open_world(&defs[k]);
    }
    for (uint32_t i = 0; i < JUDGED_BODIES; ++i)
    {
        judged_body *b = &w->body[i];
        const double size = w->scale * (random_chance(random, 0.03) ? 5.0 : 1.0);
        *b = (judged_body){ .pose = judged_pose(w, random, w->side) };
        const bool half_space = i == 0 && random_chance(random, 0.5);
        const abut_geometry *made =
            judged_make(w, random, b, size, half_space ? JUDGED_HALF_SPACE : random_below(random, JUDGED_KINDS));
        for (uint32_t k = 0; k < JUDGED_COPIES; ++k)
        {
            const abut_body_def def = { .pose = b->pose, .motion = judged_motion(w, i), .collider.shape = b->shape };
            abut_body body;
            assert_int_equal(abut_body_create(w->copy[k], &def, &body), ABUT_OK);
            assert_int_equal(body.slot, i);
        }
        abut_geometry_release(made);
    }
    for (uint32_t k = 0; k < JUDGED_COPIES; ++k)
    {
        assert_int_equal(abut_world_update(w->copy[k]), ABUT_OK);
    }
}

static inline void judged_close(judged_world *w)
{
    for (uint32_t k = 0; k < JUDGED_COPIES; ++k)
    {
        abut_world_destroy(w->copy[k]);
    }
}

#endif
