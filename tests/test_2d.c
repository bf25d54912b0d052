// 2D pairs judged by the referee, and the same bits on every instruction set.
#include "kernel_pairs.h"
#include "stock_2d.h"

#include "narrow/narrow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static abut_manifold collide(const pair_2d *p, float margin)
{
    abut_manifold m;
    memset(&m, 0xa5, sizeof m);
    assert_int_equal(abut_collide_2d(&p->a, &p->pose_a, &p->b, &p->pose_b, margin, &m), ABUT_OK);
    return m;
}

static void describe(uint64_t seed, const pair_2d *p, const char *why)
{
    print_error("seed %llu, layout %d, %s at %.9g %.9g turned %.9g, %s at %.9g %.9g turned %.9g: %s\n",
                (unsigned long long)seed, (int)p->layout, abut_shape_kind_name(p->a.kind), (double)p->pose_a.position.x,
                (double)p->pose_a.position.y, (double)abut_pose_angle(&p->pose_a), abut_shape_kind_name(p->b.kind),
                (double)p->pose_b.position.x, (double)p->pose_b.position.y, (double)abut_pose_angle(&p->pose_b), why);
}

// Judges `count` pairs of two kinds (either of them first). Returns how many touch.
static uint32_t judge(uint32_t count, uint64_t salt, abut_shape_kind kind_a, abut_shape_kind kind_b)
{
    uint32_t faults = 0, touching = 0;
    const random_seeds seeds = random_seeds_of(count);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed + salt * 1000000u);
        const bool turned = random_chance(&random, 0.5);
        const pair_2d p = random_pair_2d(&random, &stock, turned ? kind_b : kind_a, turned ? kind_a : kind_b);
        const solid_2d a = solid_2d_of(&p.a, &p.pose_a, NULL), b = solid_2d_of(&p.b, &p.pose_b, NULL);
        const dvec2 origin = { (double)p.pose_a.position.x, (double)p.pose_a.position.y };
        const abut_manifold m = collide(&p, p.margin);
        char why[PLANE_WHY];
        bool overlapping;
        if (!check_2d(&a, &b, origin, (double)p.margin, &m, why) && ++faults <= 10)
        {
            describe(seed, &p, why);
        }
        assert_int_equal(abut_overlap_2d(&p.a, &p.pose_a, &p.b, &p.pose_b, &overlapping), ABUT_OK);
        if (overlapping != (collide(&p, 0.0f).point_count > 0) && ++faults <= 10)
        {
            describe(seed, &p, "overlap and manifold disagree");
        }
        touching += m.point_count > 0;
    }
    assert_int_equal(faults, 0);
    return touching;
}

static void rectangles_collide_as_the_referee_says(void **state)
{
    (void)state;
    const uint32_t touching = judge(100000, 1, ABUT_OBB, ABUT_OBB) + judge(20000, 2, ABUT_AABB, ABUT_OBB) +
                              judge(10000, 3, ABUT_AABB, ABUT_AABB);
    assert_true(!random_seeds_all() || (touching > 50000 && touching < 115000));
}

static void rectangles_and_polygons_collide_as_the_referee_says(void **state)
{
    (void)state;
    const uint32_t touching = judge(50000, 4, ABUT_OBB, ABUT_POLYGON) + judge(10000, 5, ABUT_AABB, ABUT_POLYGON);
    assert_true(!random_seeds_all() || (touching > 25000 && touching < 55000));
}

static void polygons_collide_as_the_referee_says(void **state)
{
    (void)state;
    assert_true(judge(50000, 6, ABUT_POLYGON, ABUT_POLYGON) > 20000 || !random_seeds_all());
}

static void capsules_collide_with_everything_as_the_referee_says(void **state)
{
    (void)state;
    const uint32_t touching = judge(20000, 11, ABUT_SPHERE, ABUT_CAPSULE) + judge(20000, 12, ABUT_AABB, ABUT_CAPSULE) +
                              judge(40000, 13, ABUT_OBB, ABUT_CAPSULE) + judge(40000, 14, ABUT_POLYGON, ABUT_CAPSULE) +
                              judge(40000, 15, ABUT_CAPSULE, ABUT_CAPSULE);
    assert_true(touching > 50000 || !random_seeds_all());
}

// A roof that falls by a hundredth to both sides, and a capsule that lies across its ridge.
static void a_capsule_touches_a_polygon_on_its_sides_where_they_bend(void **state)
{
    (void)state;
    const abut_vec2 corner[] = {
        { -1.0f, -0.01f }, { 1.0f, -0.01f }, { 0.0f, 0.0f }, { 1.0f, -1.0f }, { -1.0f, -1.0f }
    };
    const float radius = 0.1f;
    abut_geometry *roof;
    assert_int_equal(abut_geometry_create_polygon(corner, 5, NULL, &roof), ABUT_OK);
    const abut_shape polygon = abut_shape_polygon(roof), capsule = abut_shape_capsule(radius, 0.5f);
    const abut_pose identity = abut_pose_identity();
    for (int i = -20; i <= 20; ++i)
    {
        const abut_pose pose = abut_pose_2d(0.05f * (float)i, radius - 0.001f, 1.57079633f);
        abut_manifold m;
        assert_int_equal(abut_collide_2d(&polygon, &identity, &capsule, &pose, 0.02f, &m), ABUT_OK);
        assert_true(m.point_count == 2);
        for (uint32_t k = 0; k < 2; ++k)
        {
            const abut_point *p = &m.points[k];
            const float on_polygon = p->offset.y - 0.5f * p->separation * m.normal.y;
            assert_true(m.normal.y > 0.99f && fabsf(on_polygon + 0.01f * fabsf(p->offset.x)) < 2e-4f);
        }
        assert_true(fabsf(fminf(m.points[0].separation, m.points[1].separation) - m.separation) < 2e-4f);
    }
    abut_geometry_release(roof);
}

// A line, a capsule without a radius, passes the corner of a rectangle within rounding: its normal is across the line. It
// was that of the rectangle's side, along which the two overlap by a hundredth.
static void what_grazes_a_corner_has_a_normal_across_it(void **state)
{
    (void)state;
    const pair_2d p = {
        .a = abut_shape_capsule(0.0f, 2.27148867f),
        .b = abut_shape_obb(0.159683511f, 0.115324289f, 1.0f),
        .pose_a = { .rotation = { .z = 0.474723607f, .w = 0.88013494f } },
        .pose_b = { .position = { -0.542963266f, 0.495649964f, 0.0f },
                    .rotation = { .z = -0.957465708f, .w = -0.288547099f } },
        .margin = 0.167922f,
    };
    const solid_2d a = solid_2d_of(&p.a, &p.pose_a, NULL), b = solid_2d_of(&p.b, &p.pose_b, NULL);
    const dvec2 origin = { 0.0, 0.0 };
    const abut_manifold m = collide(&p, p.margin);
    char why[PLANE_WHY];
    if (!check_2d(&a, &b, origin, (double)p.margin, &m, why))
    {
        fail_msg("%s", why);
    }
}

static void circles_collide_with_everything_as_the_referee_says(void **state)
{
    (void)state;
    const uint32_t touching = judge(10000, 7, ABUT_SPHERE, ABUT_SPHERE) + judge(20000, 8, ABUT_SPHERE, ABUT_AABB) +
                              judge(20000, 9, ABUT_SPHERE, ABUT_OBB) + judge(30000, 10, ABUT_SPHERE, ABUT_POLYGON);
    assert_true(touching > 30000 || !random_seeds_all());
}

static void fill(pairs *p, random_source *random, abut_shape_kind kind_a, abut_shape_kind kind_b)
{
    const bool ground = kind_b == ABUT_HALF_SPACE;
    for (uint32_t i = 0; i < ROOM; ++i)
    {
        const pair_2d m = random_pair_2d(random, &stock, kind_a, ground ? ABUT_OBB : kind_b);
        const uint32_t turned = kind_a == kind_b ? 0 : random_below(random, 2);
        const abut_placed_shape a = { m.a, m.pose_a }, b = { ground ? abut_shape_half_space() : m.b, m.pose_b };
        pairs_put(p, i, &a, 100 + turned, &b, 101 - turned, random);
        p->offset[2 * i].z = p->offset[2 * i + 1].z = 0.0f;
    }
}

static void every_instruction_set_gives_the_scalar_bits(void **state)
{
    (void)state;
    static pairs p;
    static results ours, theirs;
    pairs_open(&p);
    const ab_pair_table *scalar = ab_kernels_for(ABUT_ISA_SCALAR)->table_2d;
    for (abut_shape_kind low = ABUT_SPHERE; low < ABUT_SHAPE_KIND_COUNT; ++low)
    {
        for (abut_shape_kind high = low; high < ABUT_SHAPE_KIND_COUNT; ++high)
        {
            uint32_t touching = 0;
            // a pair of parts is not one of shapes
            const bool there = scalar->type[low][high].kernel != NULL && !scalar->type[low][high].has_parts;
            for (uint32_t round = 0; there && round < 40; ++round)
            {
                random_source random = random_start(round + 1);
                fill(&p, &random, low, high);
                const uint32_t count = round < 20 ? round : 1 + random_below(&random, BATCH);
                const ab_batch batch = batch_of(&p, count, round, true);
                run(&scalar->type[low][high], &batch, &theirs);
                same_touching(&scalar->type[low][high], &batch, &theirs);
                touching += theirs.out.count;
                for (abut_isa isa = ABUT_ISA_SSE2; isa < ABUT_ISA_COUNT; ++isa)
                {
                    if (abut_isa_available(isa))
                    {
                        const ab_pair_type *type = &ab_kernels_for(isa)->table_2d->type[low][high];
                        run(type, &batch, &ours);
                        same_bits(&ours, &theirs, abut_isa_name(isa), type->name, count);
                        same_touching(type, &batch, &ours);
                    }
                }
            }
            assert_true(!there || touching > 1000);
        }
    }
    pairs_close(&p);
}

static void swapping_mirrors_the_manifold(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20000; ++seed)
    {
        random_source random = random_start(seed);
        const abut_shape_kind kind_a = random_kind_2d(&random), kind_b = random_kind_2d(&random);
        const pair_2d p = random_pair_2d(&random, &stock, kind_a, kind_b);
        const pair_2d q = { p.b, p.a, p.pose_b, p.pose_a, p.margin, p.layout };
        const abut_manifold one = collide(&p, p.margin), other = collide(&q, p.margin);
        if ((one.point_count > 0) !=
            (other.point_count > 0)) // only two capsules are not computed alike from both sides
        {
            const float found = one.point_count ? one.separation : other.separation;
            assert_true(kind_a == ABUT_CAPSULE && kind_b == ABUT_CAPSULE && fabsf(found - p.margin) <= 1e-6f);
        }
        else if (one.point_count)
        {
            assert_true(fabsf(one.separation - other.separation) <= 4e-5f);
        }
    }
}

static void many_pairs_give_what_each_gives_by_itself(void **state)
{
    (void)state;
    enum
    {
        SHAPES = 200,
        PAIRS = 3001
    };
    static abut_shape shape[SHAPES];
    static abut_pose pose[SHAPES];
    static uint32_t a[PAIRS], b[PAIRS];
    static abut_manifold manifold[PAIRS];
    static bool overlapping[PAIRS];
    random_source random = random_start(11);
    for (uint32_t i = 0; i < SHAPES; ++i)
    {
        shape[i] = random_shape_2d(&random, &stock, random_kind_2d(&random), 1.0);
        pose[i] = abut_pose_2d((float)random_between(&random, -3, 3), (float)random_between(&random, -3, 3),
                               (float)random_between(&random, -3, 3));
    }
    for (uint32_t k = 0; k < PAIRS; ++k)
    {
        a[k] = random_below(&random, SHAPES);
        b[k] = random_below(&random, SHAPES);
    }
    const abut_pair_list list = { shape, pose, SHAPES, PAIRS, a, b, NULL, 0 };
    assert_int_equal(abut_collide_2d_many(&list, 0.1f, manifold), ABUT_OK);
    assert_int_equal(abut_overlap_2d_many(&list, overlapping), ABUT_OK);
    uint32_t touching = 0;
    for (uint32_t k = 0; k < PAIRS; ++k)
    {
        abut_manifold single_threaded;
        bool answer;
        assert_int_equal(abut_collide_2d(&shape[a[k]], &pose[a[k]], &shape[b[k]], &pose[b[k]], 0.1f, &single_threaded),
                         ABUT_OK);
        assert_memory_equal(&single_threaded, &manifold[k], sizeof single_threaded);
        assert_int_equal(abut_overlap_2d(&shape[a[k]], &pose[a[k]], &shape[b[k]], &pose[b[k]], &answer), ABUT_OK);
        assert_int_equal(answer, overlapping[k]);
        touching += answer;
    }
    assert_true(touching > 100 && touching < PAIRS - 100);
}

static void input_that_is_not_2d_fails(void **state)
{
    (void)state;
    const abut_shape box = abut_shape_obb(1, 1, 1), polygon = abut_shape_polygon(stock.polygon[0]);
    const abut_shape none = abut_shape_polygon(NULL);
    const abut_pose flat = abut_pose_2d(0.1f, 0.2f, 0.3f);
    abut_pose high = flat, tilted = flat;
    high.position.z = 1e-6f;
    tilted.rotation.x = 1e-6f;
    bool overlapping = true;
    abut_manifold m = { .point_count = 77 };
    abut_closest closest;
    assert_int_equal(abut_overlap_2d(&box, &flat, &box, &high, &overlapping), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_overlap_2d(&box, &tilted, &box, &flat, &overlapping), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_overlap_2d(&box, &flat, &box, &flat, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_overlap_2d(&none, &flat, &box, &flat, &overlapping), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_collide_2d(&box, &flat, &box, &high, 0.0f, &m), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_collide_2d(&box, &flat, &box, &flat, -1.0f, &m), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_collide(&polygon, &flat, &box, &flat, 0.0f, &m), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_overlap(&box, &flat, &polygon, &flat, &overlapping), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_closest_points(&box, &flat, &polygon, &flat, &closest), ABUT_INVALID_ARGUMENT);
    const abut_shape shapes[2] = { box, polygon };
    const abut_pose poses[2] = { flat, flat }, odd[2] = { flat, high };
    const uint32_t zero = 0, one = 1;
    abut_pair_list list = { shapes, poses, 2, 1, &zero, &one, NULL, 0 };
    assert_int_equal(abut_collide_many(&list, 0.0f, &m), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_overlap_many(&list, &overlapping), ABUT_INVALID_ARGUMENT);
    list.poses = odd;
    assert_int_equal(abut_collide_2d_many(&list, 0.0f, &m), ABUT_INVALID_ARGUMENT);
    assert_true(overlapping && m.point_count == 77);
}

// The centre's height above a side, or beside a corner, from the smallest float to a tenth of the radius.
static void a_circle_ever_so_little_outside_has_a_normal_of_unit_length(void **state)
{
    (void)state;
    abut_geometry *square = NULL;
    const abut_vec2 corner[4] = { { -1, -1 }, { 0, -1 }, { 0, 0 }, { -1, 0 } };
    assert_int_equal(abut_geometry_create_polygon(corner, 4, NULL, &square), ABUT_OK);
    pair_2d p = { .a = abut_shape_sphere(1.0f), .b = abut_shape_polygon(square) };
    p.pose_b = abut_pose_identity();
    for (uint64_t seed = 1; seed <= 20000; ++seed)
    {
        random_source random = random_start(seed);
        const double height = random_scale(&random, 1e-45, 0.1), aside = random_scale(&random, 1e-45, 0.1);
        const double x = seed % 4 == 0 ? -0.5 : seed % 4 == 1 ? height : seed % 4 == 2 ? -aside : aside;
        p.pose_a = abut_pose_2d((float)x, (float)height, 0.0f);
        const abut_manifold m = collide(&p, 0.0f);
        const double length = sqrt((double)m.normal.x * m.normal.x + (double)m.normal.y * m.normal.y);
        const double gap = sqrt(fmax(x, 0.0) * fmax(x, 0.0) + height * height);
        const abut_vec3 *at = &m.points[0].offset;
        if (!(m.point_count == 1 && fabs(length - 1.0) < 1e-6 && fabs((double)m.separation + 1.0 - gap) < 1e-6 &&
              fabs((double)at->x) <= 1.0 && fabs((double)at->y) <= 1.0))
        {
            describe(seed, &p, "no unit normal, or not the separation");
            fail();
        }
    }
    abut_geometry_release(square);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectangles_collide_as_the_referee_says),
        cmocka_unit_test(rectangles_and_polygons_collide_as_the_referee_says),
        cmocka_unit_test(polygons_collide_as_the_referee_says),
        cmocka_unit_test(a_capsule_touches_a_polygon_on_its_sides_where_they_bend),
        cmocka_unit_test(what_grazes_a_corner_has_a_normal_across_it),
        cmocka_unit_test(circles_collide_with_everything_as_the_referee_says),
        cmocka_unit_test(capsules_collide_with_everything_as_the_referee_says),
        cmocka_unit_test(every_instruction_set_gives_the_scalar_bits),
        cmocka_unit_test(a_circle_ever_so_little_outside_has_a_normal_of_unit_length),
        cmocka_unit_test(swapping_mirrors_the_manifold),
        cmocka_unit_test(many_pairs_give_what_each_gives_by_itself),
        cmocka_unit_test(input_that_is_not_2d_fails),
    };
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
