// What lies nearly flat on another has all its points, also where the axis is that of two edges, a few hundredths of a
// radian off a face: crossed planks, a plank over the edge of a box, a capsule across a block, a tilted disc.
#include "small_world.h"

#include <math.h>

#define LONG  1.2f // half extents of a plank
#define THICK 0.06f
#define WIDE  0.12f
#define SUNK  0.01f

typedef enum made_of
{
    BOXES,
    HULLS,
    A_BOX_AND_A_HULL,
    WAYS
} made_of;

typedef struct plank
{
    abut_shape shape;
    abut_geometry *hull; // NULL: a box
} plank;

static plank plank_of(bool hull)
{
    plank p = { .shape = abut_shape_obb(LONG, THICK, WIDE) };
    abut_vec3 corner[8];
    for (int k = 0; k < 8; ++k)
    {
        corner[k] = abut_vec3_make(k & 1 ? LONG : -LONG, k & 2 ? THICK : -THICK, k & 4 ? WIDE : -WIDE);
    }
    if (hull)
    {
        assert_int_equal(abut_geometry_create_hull(corner, 8, 0, NULL, &p.hull), ABUT_OK);
        p.shape = abut_shape_hull(p.hull);
    }
    return p;
}

static abut_quat about(float x, float y, float z, float radians)
{
    return abut_quat_from_axis_angle(abut_vec3_make(x, y, z), radians);
}

// One along x, rolled about that, and one along z over it, rolled about z: four points at the corners of the patch.
static void crossed_planks_have_four_points(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; ++way)
    {
        plank lower = plank_of(way == HULLS), upper = plank_of(way != BOXES);
        for (int step = 1; step <= 7; ++step)
        {
            const float roll = 0.01f * (float)step;
            abut_pose a = abut_pose_identity(), b = a;
            a.rotation = about(1, 0, 0, roll);
            b.rotation = abut_quat_mul(about(0, 0, 1, roll), about(0, 1, 0, 1.5707963f));
            b.position.y = 2 * THICK - SUNK;
            abut_manifold m;
            assert_int_equal(abut_collide(&lower.shape, &a, &upper.shape, &b, 0.05f, &m), ABUT_OK);
            assert_int_equal(m.point_count, 4);
            assert_float_equal(m.normal.y, 1, 1e-4);
            uint32_t corners = 0;
            for (uint32_t i = 0; i < 4; ++i)
            {
                const abut_vec3 at = m.points[i].offset;
                // the upper face of one, and the lower of the other, at that place
                const double low = (double)THICK / cos((double)roll) - (double)at.z * tan((double)roll);
                const double high =
                    (double)b.position.y - (double)THICK / cos((double)roll) + (double)at.x * tan((double)roll);
                assert_float_equal(m.points[i].separation, (float)(high - low), 2e-5);
                assert_float_equal(at.y, (float)(0.5 * (low + high)), 2e-5);
                assert_float_equal(fabsf(at.x), WIDE, 0.01);
                assert_float_equal(fabsf(at.z), WIDE, 0.01);
                corners |= 1u << ((at.x > 0) + 2 * (at.z > 0));
            }
            assert_int_equal(corners, 15);
        }
        abut_geometry_release(lower.hull);
        abut_geometry_release(upper.hull);
    }
}

// Across the upper edge of a box, along z, with the lower face sunk into it.
static void a_plank_over_an_edge_has_both_ends_of_it(void **state)
{
    (void)state;
    const float lean = 0.158f;
    const abut_shape box = abut_shape_obb(0.6f, 0.5f, 0.6f);
    for (int way = 0; way < 2; ++way)
    {
        plank p = plank_of(way == HULLS);
        for (int step = 1; step <= 10; ++step)
        {
            const float roll = 0.003f * (float)step;
            abut_pose a = abut_pose_identity(), b = a;
            b.rotation = abut_quat_mul(about(0, 0, 1, lean), about(1, 0, 0, roll));
            const abut_vec3 up = { -sinf(lean), cosf(lean), 0 };
            b.position = abut_vec3_add(abut_vec3_make(-0.6f, 0.5f, 0), abut_vec3_scale(up, THICK - SUNK));
            abut_manifold m;
            assert_int_equal(abut_collide(&box, &a, &p.shape, &b, 0.05f, &m), ABUT_OK);
            float lowest = 0, highest = -1;
            for (uint32_t i = 0; i < m.point_count; ++i)
            {
                if (fabsf(m.points[i].offset.x + 0.6f) < 0.01f)
                {
                    lowest = fminf(lowest, m.points[i].separation);
                    highest = fmaxf(highest, m.points[i].separation);
                }
            }
            assert_float_equal(lowest, -SUNK - WIDE * roll, 1e-4);
            assert_float_equal(highest, -SUNK + WIDE * roll, 1e-4);
        }
        abut_geometry_release(p.hull);
    }
}

// Over a block that it is longer than, tilted a little or not.
static void a_capsule_across_a_block_has_two_points(void **state)
{
    (void)state;
    plank p = plank_of(true);
    const abut_shape capsule = abut_shape_capsule(0.1f, 0.8f);
    const float tilts[] = { 0, 1e-5f, 1e-4f, 1e-3f, 1e-2f, 0.03f };
    for (size_t t = 0; t < COUNT(tilts); ++t)
    {
        for (int turn = 0; turn < 12; ++turn)
        {
            const float aside = 0.1f * (float)turn;
            abut_pose a = abut_pose_identity(), b = a;
            // along z, turned about y, one end higher
            b.rotation = abut_quat_mul(about(0, 1, 0, aside), about(1, 0, 0, 1.5707963f - tilts[t]));
            b.position.y = THICK + 0.1f - SUNK;
            abut_manifold m;
            assert_int_equal(abut_collide(&p.shape, &a, &capsule, &b, 0.05f, &m), ABUT_OK);
            assert_int_equal(m.point_count, 2);
            const abut_vec3 between = abut_vec3_sub(m.points[0].offset, m.points[1].offset);
            const float reach = fminf(2 * WIDE / cosf(aside), 1.6f);
            assert_true(abut_vec3_length(between) > 0.9f * reach);
        }
    }
    abut_geometry_release(p.hull);
}

// Above a slab, within the margin: the four points span the disc.
static void a_tilted_disc_has_its_far_side(void **state)
{
    (void)state;
    const abut_shape slab = abut_shape_obb(3, 0.5f, 3);
    for (int sides = 6; sides <= 64; sides += 2)
    {
        abut_vec3 rim[128];
        abut_geometry *disc = NULL;
        for (int i = 0; i < sides; ++i)
        {
            const double angle = 6.283185307179586 * i / sides;
            rim[2 * i] = abut_vec3_make((float)cos(angle), 0.1f, (float)sin(angle));
            rim[2 * i + 1] = abut_vec3_make((float)cos(angle), -0.1f, (float)sin(angle));
        }
        assert_int_equal(abut_geometry_create_hull(rim, (uint32_t)(2 * sides), 0, NULL, &disc), ABUT_OK);
        const abut_shape shape = abut_shape_hull(disc);
        for (int step = 1; step <= 16; ++step)
        {
            const float tilt = 0.01f * (float)step;
            abut_pose a = abut_pose_identity(), b = a;
            b.rotation = abut_quat_mul(about(0.6f, 0, 0.8f, tilt), about(0, 1, 0, 0.1f * (float)step));
            b.position.y = 0.5f + 0.02f + 0.1f * cosf(tilt) + sinf(tilt);
            abut_manifold m;
            float span = 0;
            assert_int_equal(abut_collide(&slab, &a, &shape, &b, 0.5f, &m), ABUT_OK);
            for (uint32_t i = 0; i < m.point_count; ++i)
            {
                for (uint32_t k = 0; k < i; ++k)
                {
                    span = fmaxf(span, abut_vec3_length(abut_vec3_sub(m.points[i].offset, m.points[k].offset)));
                }
            }
            assert_true(span > 1.6f);
        }
        abut_geometry_release(disc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossed_planks_have_four_points),
        cmocka_unit_test(a_plank_over_an_edge_has_both_ends_of_it),
        cmocka_unit_test(a_capsule_across_a_block_has_two_points),
        cmocka_unit_test(a_tilted_disc_has_its_far_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
