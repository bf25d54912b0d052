// What names a contact of hulls: nothing over the face that does is deeper than the deepest point, points are midway
// between the surfaces, and an axis that did in the last detect is kept only while it is nearly the best.
#include "hull_meetings.h"

// How far along a line from a plane on a polytope begins. Infinite where the line misses it.
static double height_of(const polytope *p, dvec3 at, dvec3 along)
{
    double first = -HUGE_VAL, last = HUGE_VAL;
    for (uint32_t f = 0; f < p->faces; ++f)
    {
        const double off = dvec3_dot(p->normal[f], dvec3_sub(p->vertex[p->corner[p->first[f]]], at)),
                     steep = dvec3_dot(p->normal[f], along);
        first = steep < 0.0 ? fmax(first, off / steep) : first;
        last = steep > 0.0 ? fmin(last, off / steep) : last;
        last = steep == 0.0 && off < 0.0 ? -HUGE_VAL : last;
    }
    return first <= last ? first : HUGE_VAL;
}

// Of a face of one, which names a contact: the other's lowest point over it is at the contact's deepest point.
static void judge_lowest(const meeting *m, const abut_manifold *c, bool in_b, uint64_t seed, random_source *random,
                         uint32_t *asked)
{
    const polytope a = polytope_of(&m->a, &m->pose_a), b = polytope_of(&m->b, &m->pose_b), *p = in_b ? &b : &a;
    const dvec3 n = dvec3_scale(polytope_wide(c->normal), in_b ? -1.0 : 1.0);
    const double scale = a.reach + b.reach;
    const abut_point *deepest = &c->points[0];
    for (uint32_t i = 1; i < c->point_count; ++i)
    {
        deepest = c->points[i].separation < deepest->separation ? &c->points[i] : deepest;
    }
    for (uint32_t f = 0; f < p->faces; ++f)
    {
        const uint32_t *corner = p->corner + p->first[f];
        if (dvec3_length(dvec3_sub(p->normal[f], n)) > 1e-6)
        {
            continue;
        }
        const double level = dvec3_dot(n, p->vertex[corner[0]]);
        dvec3 at = dvec3_add(polytope_wide(m->pose_a.position), polytope_wide(deepest->offset));
        at = dvec3_add(at, dvec3_scale(n, level - dvec3_dot(n, at)));
        const double here = height_of(in_b ? &a : &b, at, n);
        for (uint32_t i = 0; i < 8 * p->count[f]; ++i)
        {
            const double part = i < p->count[f] ? 0.0 : random_between(random, 0.0, 1.0);
            const dvec3 from = p->vertex[corner[i % p->count[f]]], to = p->vertex[corner[(i + 1) % p->count[f]]];
            const double there = height_of(in_b ? &a : &b, dvec3_add(from, dvec3_scale(dvec3_sub(to, from), part)), n);
            if (here < HUGE_VAL && there < here - 1e-3 * scale)
            {
                fail_msg("seed %#llx: the deepest point is at %g, another at %g; scale %g\n", (unsigned long long)seed,
                         here, there, scale);
            }
        }
        ++*asked;
    }
}

static void nothing_over_the_named_face_is_deeper_than_the_deepest_point(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(20000);
    uint32_t asked = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const abut_shape a = abut_shape_hull(many_sided(&random, false, 8 + random_below(&random, 32))),
                         b = abut_shape_hull(many_sided(&random, false, 8 + random_below(&random, 32)));
        const meeting m = meeting_of(&random, a, b);
        abut_manifold found;
        assert_int_equal(abut_collide(&a, &m.pose_a, &b, &m.pose_b, m.margin, &found), ABUT_OK);
        for (uint32_t in_b = 0; in_b < 2 && found.point_count > 0 && found.separation < 0.0f; ++in_b)
        {
            judge_lowest(&m, &found, in_b != 0, seed, &random, &asked);
        }
        abut_geometry_release(a.hull);
        abut_geometry_release(b.hull);
    }
    print_message("%u judged\n", asked);
    assert_true(!random_seeds_all() || asked > 1000);
}

// A contact that is named as in the last detect has an axis that hardly any other is better than.
static void hulls_that_moved_keep_an_axis_only_while_it_is_nearly_the_best(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(4000);
    uint32_t touching = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const abut_shape a = abut_shape_hull(some_hull(&random, 1.0)), b = abut_shape_hull(some_hull(&random, 1.0));
        meeting m = meeting_of(&random, a, b);
        abut_world *world = open_world(&(abut_world_def){ .dimension = 3 });
        const abut_body_def first = { .pose = m.pose_a, .motion = ABUT_DYNAMIC, .collider.shape = a },
                            second = { .pose = m.pose_b, .motion = ABUT_DYNAMIC, .collider.shape = b };
        abut_body body_a, body_b;
        assert_int_equal(abut_body_create(world, &first, &body_a), ABUT_OK);
        assert_int_equal(abut_body_create(world, &second, &body_b), ABUT_OK);
        detect(world);
        for (uint32_t move = 0; move < 4; ++move)
        {
            const double far = random_scale(&random, 1e-4, 0.1);
            const abut_quat turn =
                abut_quat_from_axis_angle(random_narrow(random_direction(&random)), (float)(2.0 * far));
            abut_manifold alone;
            m.pose_b.position =
                abut_vec3_add(m.pose_b.position, random_narrow(dvec3_scale(random_direction(&random), far)));
            m.pose_b.rotation = abut_quat_normalise(abut_quat_mul(turn, m.pose_b.rotation));
            assert_int_equal(abut_body_set_pose(world, body_b, &m.pose_b), ABUT_OK);
            detect(world);
            assert_int_equal(abut_collide(&a, &m.pose_a, &b, &m.pose_b, 0.0f, &alone), ABUT_OK);
            if (alone.point_count > 0 && (double)alone.separation < -0.01)
            {
                ++touching;
                const abut_contact *contact = contact_at(world, ABUT_AWAKE, 0);
                if (fabs((double)contact->separation - (double)alone.separation) > 0.002)
                {
                    fail_msg("seed %#llx: separation %.9g, alone %.9g", (unsigned long long)seed,
                             (double)contact->separation, (double)alone.separation);
                }
            }
        }
        abut_world_destroy(world);
        abut_geometry_release(a.hull);
        abut_geometry_release(b.hull);
    }
    print_message("%u touching\n", touching);
    assert_true(!random_seeds_all() || touching > 1000);
}

// A block whose sides bulge a little: in each are faces nearly in one plane.
static abut_geometry *bulged_block(random_source *random)
{
    const double half[3] = { random_between(random, 0.3, 1.0), random_between(random, 0.3, 1.0), 1.0 };
    const double bulge = random_scale(random, 1e-3, 1e-2);
    abut_geometry *hull = NULL;
    abut_vec3 point[8 + 6 * 4];
    for (uint32_t i = 0; i < COUNT(point); ++i)
    {
        double at[3];
        for (uint32_t k = 0; k < 3; ++k)
        {
            at[k] = half[k] * (i < 8 ? (i >> k & 1 ? 1.0 : -1.0) : random_between(random, -0.8, 0.8));
        }
        if (i >= 8)
        {
            at[i % 3] = (i % 2 ? 1.0 : -1.0) * (half[i % 3] + bulge * random_between(random, 0.2, 1.0));
        }
        point[i] = random_narrow(dvec3_make(at[0], at[1], at[2]));
    }
    assert_int_equal(abut_geometry_create_hull(point, COUNT(point), 0, NULL, &hull), ABUT_OK);
    return hull;
}

// How far a point is above the surface of a polytope, or, less than 0, below it.
static double above_surface(const polytope *p, dvec3 at)
{
    double most = -HUGE_VAL;
    for (uint32_t f = 0; f < p->faces; ++f)
    {
        most = fmax(most, dvec3_dot(p->normal[f], dvec3_sub(at, p->vertex[p->corner[p->first[f]]])));
    }
    return most;
}

// A point is midway between two on the surfaces, over whichever of several faces nearly in one plane it lies.
static void points_of_bulged_blocks_are_midway_between_their_surfaces(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(8000);
    uint32_t judged = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const abut_shape a = abut_shape_hull(bulged_block(&random)), b = abut_shape_hull(bulged_block(&random));
        const meeting m = meeting_of(&random, a, b);
        const polytope of_a = polytope_of(&a, &m.pose_a), of_b = polytope_of(&b, &m.pose_b);
        const double scale = of_a.reach + of_b.reach;
        abut_manifold found;
        assert_int_equal(abut_collide(&a, &m.pose_a, &b, &m.pose_b, m.margin, &found), ABUT_OK);
        for (uint32_t i = 0; i < found.point_count; ++i)
        {
            const double gap = (double)found.points[i].separation;
            const dvec3 n = polytope_wide(found.normal),
                        at = dvec3_add(polytope_wide(m.pose_a.position), polytope_wide(found.points[i].offset));
            // none is given as deeper than the manifold, whose axis may be of edges beside it
            if (found.points[i].separation > found.separation && gap < 0.0)
            {
                const double off_a = above_surface(&of_a, dvec3_along(at, -0.5 * gap, n)),
                             off_b = above_surface(&of_b, dvec3_along(at, 0.5 * gap, n));
                if (fabs(off_a) > 1e-3 * scale || fabs(off_b) > 1e-3 * scale)
                {
                    fail_msg("seed %#llx: point %u of %u is midway between %g above a and %g above b, scale %g",
                             (unsigned long long)seed, i, found.point_count, off_a, off_b, scale);
                }
                ++judged;
            }
        }
        abut_geometry_release(a.hull);
        abut_geometry_release(b.hull);
    }
    print_message("%u judged\n", judged);
    assert_true(!random_seeds_all() || judged > 2000);
}

// Two that are apart: an edge is nearest, and corners over a face are within the margin as well.
static void corners_within_the_margin_are_points_beside_those_of_an_edge(void **state)
{
    (void)state;
    const abut_vec3 points_a[] = { { -0.5f, 0.0f, -0.5f }, { -0.5f, 0.5f, -0.5f }, { 0.5f, -0.5f, -0.5f },
                                   { 1.0f, -0.5f, -1.0f }, { -0.5f, 0.0f, 0.5f },  { 1.0f, 0.5f, -0.5f } },
                    points_b[] = { { -0.5f, 0.5f, 0.5f },
                                   { -0.5f, 0.0f, -0.5f },
                                   { -0.5f, 1.0f, -0.5f },
                                   { 0.5f, 0.0f, 0.5f },
                                   { 1.0f, -0.5f, -0.5f } };
    abut_geometry *a, *b;
    abut_manifold found;
    assert_int_equal(abut_geometry_create_hull(points_a, COUNT(points_a), 0, NULL, &a), ABUT_OK);
    assert_int_equal(abut_geometry_create_hull(points_b, COUNT(points_b), 0, NULL, &b), ABUT_OK);
    const abut_shape shape_a = abut_shape_hull(a), shape_b = abut_shape_hull(b);
    const abut_pose at_a = abut_pose_identity(),
                    at_b = { .position = { -0.208f, -0.218f, -1.185f }, .rotation = { 0, sinf(1.0f), 0, cosf(1.0f) } };
    assert_int_equal(abut_collide(&shape_a, &at_a, &shape_b, &at_b, 0.08f, &found), ABUT_OK);
    assert_int_equal(found.point_count, 4);
    uint32_t nearest = 0;
    for (uint32_t i = 0; i < found.point_count; ++i)
    {
        assert_true(found.points[i].separation >= found.separation && found.points[i].separation <= 0.08f);
        nearest += found.points[i].separation < found.separation + 1e-4f;
    }
    assert_int_equal(nearest, 2);
    abut_geometry_release(a);
    abut_geometry_release(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_over_the_named_face_is_deeper_than_the_deepest_point),
        cmocka_unit_test(points_of_bulged_blocks_are_midway_between_their_surfaces),
        cmocka_unit_test(corners_within_the_margin_are_points_beside_those_of_an_edge),
        cmocka_unit_test(hulls_that_moved_keep_an_axis_only_while_it_is_nearly_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
