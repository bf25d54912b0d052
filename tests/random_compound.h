// Random compounds, and bodies with the same parts as colliders of their own.
#ifndef RANDOM_COMPOUND_H
#define RANDOM_COMPOUND_H

#include "random.h"
#include "small_world.h"

#include <math.h>

#define COMPOUND_MOST 12u // parts

static inline abut_geometry *random_lump(random_source *random, double size)
{
    abut_vec3 points[8];
    abut_geometry *hull = NULL;
    for (uint32_t i = 0; i < COUNT(points); ++i)
    {
        const abut_vec3 p = random_narrow(random_in_box(random, size));
        points[i] = abut_vec3_make((i & 1 ? 1 : -1) * fabsf(p.x) + p.y * 0.1f, (i & 2 ? 1 : -1) * fabsf(p.y),
                                   (i & 4 ? 1 : -1) * fabsf(p.z));
    }
    (void)!abut_geometry_create_hull(points, COUNT(points), 0, NULL, &hull);
    return hull;
}

// A part of some size; `hull` may be NULL.
static inline abut_shape random_part(random_source *random, double size, const abut_geometry *hull)
{
    const float x = (float)(size * random_between(random, 0.2, 1.0)),
                y = (float)(size * random_between(random, 0.2, 1.0)),
                z = (float)(size * random_between(random, 0.2, 1.0));
    const uint32_t kind = random_below(random, hull ? 4 : 3);
    return kind == 0   ? abut_shape_sphere(x)
           : kind == 1 ? abut_shape_capsule(0.5f * x, y)
           : kind == 2 ? abut_shape_obb(x, y, z)
                       : abut_shape_hull(hull);
}

// 1 to COMPOUND_MOST parts within a box; turned, or as they are.
static inline uint32_t random_parts(random_source *random, double size, bool turned, const abut_geometry *hull,
                                    abut_placed_shape parts[COMPOUND_MOST])
{
    const uint32_t count = 1 + random_below(random, COMPOUND_MOST);
    for (uint32_t i = 0; i < count; ++i)
    {
        parts[i] = (abut_placed_shape){ random_part(random, 0.4 * size, hull), abut_pose_identity() };
        parts[i].pose.position = random_narrow(random_in_box(random, size));
        if (turned)
        {
            parts[i].pose.rotation = random_narrow_rotation(random_rotation(random));
        }
    }
    return count;
}

static inline abut_geometry *compound_of(const abut_placed_shape *parts, uint32_t count)
{
    abut_geometry *out = NULL;
    assert_int_equal(abut_geometry_create_compound(parts, count, NULL, &out), ABUT_OK);
    assert_int_equal(abut_geometry_compound_parts(out), count);
    return out;
}

// The same body in two worlds: with a compound, and with a collider for each of its parts.
static inline void add_twins(abut_world *const world[2], const abut_body_def *def, const abut_placed_shape *parts,
                             uint32_t count, const abut_geometry *compound, abut_body out[2])
{
    abut_body_def whole = *def, divided = *def;
    whole.collider.shape = abut_shape_compound(compound);
    assert_int_equal(abut_body_create(world[0], &whole, &out[0]), ABUT_OK);
    divided.collider.shape = parts[0].shape;
    divided.collider.local = parts[0].pose;
    assert_int_equal(abut_body_create(world[1], &divided, &out[1]), ABUT_OK);
    for (uint32_t i = 1; i < count; ++i)
    {
        abut_collider_def more = def->collider;
        abut_collider collider;
        more.shape = parts[i].shape;
        more.local = parts[i].pose;
        assert_int_equal(abut_collider_attach(world[1], out[1], &more, &collider), ABUT_OK);
    }
}

#endif
