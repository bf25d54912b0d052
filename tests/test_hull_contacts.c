// Convex hulls against each other and against every other kind in space, judged by a referee that tries everything.
#include "hull_meetings.h"
#include "referee.h"

#include <stdio.h>

#define BAND  1e-6 // of the scale: of deciding
#define EXACT 1e-5 // of the scale: of lengths

// What both have in common seen along the normal, of the faces that lie flat against it, and what of it the points
// span.
static double span_of(const polytope *a, const polytope *b, dvec3 normal, double limit, dvec3 *out, int *count)
{
    const polytope *side[2] = { a, b };
    int face[2] = { -1, -1 };
    *count = 0;
    for (int s = 0; s < 2; ++s)
    {
        double most = 1.0 - 1e-9;
        int level = 0;
        for (uint32_t f = 0; f < side[s]->faces; ++f)
        {
            const double cosine = dvec3_dot(side[s]->normal[f], normal) * (s ? -1.0 : 1.0);
            face[s] = cosine > most ? (int)f : face[s];
            most = fmax(most, cosine);
            level += cosine > 1.0 - 1e-6;
        }
        face[s] = level == 1 ? face[s] : -1; // of faces nearly in one plane, any may be named
    }
    if (face[0] < 0 || face[1] < 0)
    {
        return 0.0;
    }
    static dvec3 piece[2][POLYTOPE_CORNERS];
    int n = (int)b->count[face[1]], at = 0;
    for (int i = 0; i < n; ++i)
    {
        piece[0][i] = b->vertex[b->corner[b->first[face[1]] + (uint32_t)i]];
    }
    for (uint32_t e = 0; e < a->count[face[0]]; ++e)
    {
        const uint32_t *corner = a->corner + a->first[face[0]];
        const dvec3 p = a->vertex[corner[e]], q = a->vertex[corner[(e + 1) % a->count[face[0]]]];
        const dvec3 inward = dvec3_cross(a->normal[face[0]], dvec3_sub(q, p));
        int kept = 0;
        for (int i = 0; i < n; ++i)
        {
            const dvec3 from = piece[at][i], to = piece[at][(i + 1) % n];
            const double here = dvec3_dot(inward, dvec3_sub(from, p)), there = dvec3_dot(inward, dvec3_sub(to, p));
            if (here >= 0.0)
            {
                piece[1 - at][kept++] = from;
            }
            if ((here >= 0.0) != (there >= 0.0))
            {
                piece[1 - at][kept++] = dvec3_along(from, here / (here - there), dvec3_sub(to, from));
            }
        }
        n = kept;
        at = 1 - at;
    }
    const dvec3 on_a = a->vertex[a->corner[a->first[face[0]]]];
    for (int i = 0; i < n; ++i)
    {
        if (dvec3_dot(dvec3_sub(piece[at][i], on_a), normal) <= limit)
        {
            out[(*count)++] = piece[at][i];
        }
    }
    return *count > 2 && *count <= 40 && n <= 60 ? referee_best_four(out, *count, -1, normal) : 0.0;
}

typedef struct tally
{
    uint32_t touching, undecided, flat;
    double least_cover, cover;
} tally;

// A manifold of two shapes, and what it is judged by.
typedef struct judged
{
    const meeting *m;
    polytope a, b;
    abut_manifold found;
    double scale, band, exact; // metres; of deciding, of lengths
    double separation;         // the right one
    uint32_t seed;
} judged;

// Whether there is one, whichever shape comes first. False where that is too close to call.
static bool judge_touching(judged *j)
{
    const meeting *m = j->m;
    const double margin = (double)m->margin;
    abut_manifold turned;
    bool overlapping;
    assert_int_equal(abut_collide(&m->a, &m->pose_a, &m->b, &m->pose_b, m->margin, &j->found), ABUT_OK);
    assert_int_equal(abut_collide(&m->b, &m->pose_b, &m->a, &m->pose_a, m->margin, &turned), ABUT_OK);
    assert_int_equal(abut_overlap(&m->a, &m->pose_a, &m->b, &m->pose_b, &overlapping), ABUT_OK);
    const bool near = fabs(j->separation - margin) <= j->band + BAND * margin;
    if (!near && (j->found.point_count > 0) != (j->separation < margin))
    {
        fail_msg("%u: %u points, separation %.9g, margin %g, scale %g", j->seed, j->found.point_count, j->separation,
                 margin, j->scale);
    }
    if (fabs(j->separation) > j->band && overlapping != (j->separation < 0.0))
    {
        fail_msg("%u: overlapping %d at %.9g", j->seed, overlapping, j->separation);
    }
    assert_true(near || (turned.point_count > 0) == (j->found.point_count > 0));
    return !near;
}

static void judge_normal(const judged *j)
{
    const abut_manifold *c = &j->found;
    const double along = polytope_gap(&j->a, &j->b, polytope_wide(c->normal)), separation = (double)c->separation;
    const double yield = j->exact + (j->separation < j->band ? polytope_preference(&j->a, &j->b) : 0.0);
    if (fabs(dvec3_length(polytope_wide(c->normal)) - 1.0) > 1e-6 || separation > j->separation + j->exact ||
        separation < j->separation - yield || along < j->separation - yield)
    {
        fail_msg("%u: separation %.9g, along the normal %.9g, right %.9g; scale %g", j->seed, separation, along,
                 j->separation, j->scale);
    }
}

#define LEFT_OUT 1e-4 // of the half extents of both shapes: points of flat parts that miss the deepest by more are none

static double extents_of(const abut_shape *shape)
{
    const abut_pose nowhere = { .rotation = abut_quat_identity() };
    abut_aabb box;
    assert_int_equal(abut_shape_bounds(shape, &nowhere, &box), ABUT_OK);
    return fmax(-(double)box.min.x, (double)box.max.x) + fmax(-(double)box.min.y, (double)box.max.y) +
           fmax(-(double)box.min.z, (double)box.max.z);
}

// Points are on both shapes, each has a feature of its own, and the deepest is as deep as the manifold.
static void judge_points(const judged *j, dvec3 point[4])
{
    const abut_manifold *c = &j->found;
    double deepest = HUGE_VAL;
    for (uint32_t i = 0; i < c->point_count; ++i)
    {
        const double gap = (double)c->points[i].separation;
        point[i] = dvec3_add(polytope_wide(j->m->pose_a.position), polytope_wide(c->points[i].offset));
        const double off_a = polytope_to_point(&j->a, point[i]) - j->a.radius,
                     off_b = polytope_to_point(&j->b, point[i]) - j->b.radius;
        const double most = 0.5 * fabs(gap) + 1e-3 * j->scale;
        if (off_a > most || off_b > most || gap > (double)j->m->margin + j->band ||
            gap < (double)c->separation - j->exact)
        {
            fail_msg("%u: point %u of %u: %g off a, %g off b, separation %g; scale %g", j->seed, i, c->point_count,
                     off_a, off_b, gap, j->scale);
        }
        deepest = fmin(deepest, gap);
        for (uint32_t k = 0; k < i; ++k)
        {
            if (c->points[k].feature == c->points[i].feature)
            {
                fail_msg("%u: points %u and %u of %u have feature %u", j->seed, k, i, c->point_count,
                         c->points[i].feature);
            }
        }
    }
    if (deepest > (double)c->separation + LEFT_OUT * (extents_of(&j->m->a) + extents_of(&j->m->b)) + j->exact)
    {
        fail_msg("%u: the deepest of %u points is %g, the separation %g; scale %g", j->seed, c->point_count, deepest,
                 (double)c->separation, j->scale);
    }
}

// Of flat faces against each other, the points span at least half of what the common corners do.
static void judge_cover(const judged *j, dvec3 point[4], tally *t)
{
    dvec3 common[POLYTOPE_CORNERS];
    int count;
    const double margin = (double)j->m->margin, reach = fmin(j->a.reach, j->b.reach);
    const double best = margin - j->separation > 1e-3 * j->scale
                            ? span_of(&j->a, &j->b, polytope_wide(j->found.normal), margin, common, &count)
                            : 0.0;
    if (best > 1e-3 * reach * reach)
    {
        const double cover =
            referee_best_four(point, (int)j->found.point_count, -1, polytope_wide(j->found.normal)) / best;
        ++t->flat;
        if (cover < 0.5 || cover > 1.001)
        {
            fail_msg("%u: %u points span %g of what the %d common corners do", j->seed, j->found.point_count, cover,
                     count);
        }
        t->cover += cover;
        t->least_cover = fmin(t->least_cover, cover);
    }
}

static void judge(const meeting *m, uint64_t seed, tally *t)
{
    dvec3 point[4];
    judged j = {
        .m = m, .a = polytope_of(&m->a, &m->pose_a), .b = polytope_of(&m->b, &m->pose_b), .seed = (uint32_t)seed
    };
    j.scale = j.a.reach + j.b.reach;
    j.band = BAND * j.scale;
    j.exact = EXACT * j.scale;
    j.separation = polytope_separation(&j.a, &j.b);
    t->undecided += !judge_touching(&j);
    if (j.found.point_count > 0)
    {
        ++t->touching;
        judge_normal(&j);
        judge_points(&j, point);
        judge_cover(&j, point, t);
    }
}

static void hulls_meet_everything_as_the_referee_says(void **state)
{
    (void)state;
    tally t = { .least_cover = HUGE_VAL };
    const random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const meeting m = some_meeting(&random);
        judge(&m, seed, &t);
        give(&m.a);
        give(&m.b);
    }
    print_message("%u touching, %u undecided, %u flat: cover %.3f, at least %.3f\n", t.touching, t.undecided, t.flat,
                  t.cover / t.flat, t.least_cover);
    assert_true(!random_seeds_all() || (t.touching > 1000 && t.flat > 500));
}

// The deepest vertex is over another face that is nearly in the plane of the one that is named, and over which its
// point was off by the angle between the two.
static void points_over_faces_nearly_in_a_plane_are_on_them(void **state)
{
    (void)state;
    static const uint64_t seeds[] = { 0x10000003f51, 0x1900000044e5 };
    tally t = { .least_cover = HUGE_VAL };
    for (size_t i = 0; i < COUNT(seeds); ++i)
    {
        random_source random = random_start(seeds[i]);
        const meeting m = some_meeting(&random);
        judge(&m, seeds[i], &t);
        give(&m.a);
        give(&m.b);
    }
}

// With more corners than slots, more faces than are told apart, or more than the separating axis test takes.
static void hulls_of_many_faces_meet_boxes_as_the_referee_says(void **state)
{
    (void)state;
    tally t = { .least_cover = HUGE_VAL };
    const random_seeds seeds = random_seeds_of(3000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const bool prism = random_chance(&random, 0.6);
        const uint32_t corners = prism ? 2 * (10 + random_below(&random, 70)) : 60 + random_below(&random, 100);
        abut_shape a = abut_shape_hull(many_sided(&random, prism, corners));
        abut_shape b = some_shape(&random, random_below(&random, 5), random_scale(&random, 0.1, 10.0));
        const meeting m = meeting_of(&random, a, b);
        judge(&m, seed, &t);
        give(&m.a);
        give(&m.b);
    }
    assert_true(!random_seeds_all() || (t.touching > 400 && t.flat > 20));
}

// The rotation that takes x and y to two unit directions at right angles.
static dquat rotation_to(dvec3 x, dvec3 y)
{
    const dvec3 z = dvec3_cross(x, y);
    const double trace[4] = { 1 + x.x + y.y + z.z, 1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z, 1 - x.x - y.y + z.z };
    const dquat by[4] = { { trace[0], y.z - z.y, z.x - x.z, x.y - y.x },
                          { y.z - z.y, trace[1], x.y + y.x, z.x + x.z },
                          { z.x - x.z, x.y + y.x, trace[2], y.z + z.y },
                          { x.y - y.x, z.x + x.z, y.z + z.y, trace[3] } };
    uint32_t most = 0;
    for (uint32_t i = 1; i < 4; ++i)
    {
        most = trace[i] > trace[most] ? i : most;
    }
    const double length = 2.0 * sqrt(trace[most]);
    return (dquat){ by[most].w / length, by[most].x / length, by[most].y / length, by[most].z / length };
}

// Lays the edge of a blade, which lies along its x axis and looks along -y, across an edge of a somewhere along it.
static meeting across_an_edge(random_source *random, abut_shape a, abut_shape blade, double half)
{
    const abut_pose nowhere = { .rotation = abut_quat_identity() };
    const polytope p = polytope_of(&a, &nowhere);
    const uint32_t edge = random_below(random, p.edges);
    const dvec3 from = p.vertex[p.edge[edge][0]], along = polytope_along(&p, edge);
    const dvec3 middle = dvec3_along(from, random_between(random, 0.3, 0.7), along);
    const dvec3 out = dvec3_scale(middle, 1.0 / dvec3_length(middle)), side = dvec3_cross(out, along);
    const dvec3 across = dvec3_along(side, random_between(random, -0.3, 0.3), along);
    const dvec3 flat = dvec3_along(across, -dvec3_dot(across, out), out);
    const dvec3 x = dvec3_scale(flat, 1.0 / dvec3_length(flat));
    const dvec3 inside = dvec3_along(middle, -random_scale(random, 1e-4, 0.02), out);
    return (meeting){ .a = a,
                      .b = blade,
                      .pose_a = nowhere,
                      .pose_b = { .rotation = random_narrow_rotation(rotation_to(x, out)),
                                  .position = random_narrow(
                                      dvec3_along(inside, random_between(random, -0.8, 0.8) * half, x)) } };
}

// Hulls too large for the separating axis test: no flat part of theirs says where on two long edges the contact is.
static void edges_of_hulls_of_many_faces_touch_where_they_cross(void **state)
{
    (void)state;
    tally t = { .least_cover = HUGE_VAL };
    const random_seeds seeds = random_seeds_of(500);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        abut_geometry *hull = NULL;
        const float half = (float)random_scale(&random, 0.3, 3.0), wide = (float)random_scale(&random, 0.2, 1.0);
        const abut_vec3 corner[4] = { { -half, 0, 0 }, { half, 0, 0 }, { 0, 1, -wide }, { 0, 1, wide } };
        const abut_shape a = abut_shape_hull(many_sided(&random, false, 132 + random_below(&random, 60)));
        assert_int_equal(abut_geometry_create_hull(corner, 4, 0, NULL, &hull), ABUT_OK);
        const meeting m = across_an_edge(&random, a, abut_shape_hull(hull), (double)half);
        judge(&m, seed, &t);
        give(&m.a);
        give(&m.b);
    }
    assert_true(!random_seeds_all() || t.touching > 450);
}

static abut_shape needle(random_source *random, double half, double thinnest, double thickest)
{
    const double y = half * random_scale(random, thinnest, thickest), z = y * random_between(random, 0.3, 1.0);
    abut_geometry *hull = NULL;
    abut_vec3 corner[8];
    for (uint32_t i = 0; i < 8; ++i)
    {
        corner[i] = random_narrow(dvec3_make(i & 1 ? y : -y, i & 2 ? half : -half, i & 4 ? z : -z));
    }
    assert_int_equal(abut_geometry_create_hull(corner, 8, 0, NULL, &hull), ABUT_OK);
    return abut_shape_hull(hull);
}

static abut_shape some_rod(random_source *random, bool round, double half)
{
    return round ? abut_shape_capsule((float)(random_scale(random, 1e-6, 1e-2) * half), (float)half)
                 : needle(random, half, 1e-5, 2e-4);
}

// Lays two rods along y side by side: nearly parallel, and just touching or just apart.
static meeting side_by_side(random_source *random, abut_shape of_a, abut_shape of_b)
{
    meeting m = { .a = of_a, .b = of_b };
    const dquat turn = random_rotation(random);
    const dvec3 lean = dvec3_scale(random_direction(random), 0.5 * random_scale(random, 1e-5, 1e-3));
    m.pose_a.rotation = random_narrow_rotation(turn);
    m.pose_b.rotation = random_narrow_rotation(dquat_mul((dquat){ 1.0, lean.x, lean.y, lean.z }, turn));
    const polytope a = polytope_of(&m.a, &m.pose_a), b = polytope_of(&m.b, &m.pose_b);
    const dvec3 along = dquat_rotate(turn, dvec3_make(0, 1, 0)), beside = dvec3_cross(along, random_direction(random));
    const dvec3 across = dvec3_scale(beside, 1.0 / dvec3_length(beside));
    const double gap = random_between(random, -3e-5, 3e-5) - polytope_gap(&a, &b, across);
    const dvec3 off = dvec3_scale(along, random_between(random, -0.5, 0.5));
    m.pose_b.position = random_narrow(dvec3_along(off, gap, across));
    return m;
}

// The axes of edges that are all but parallel count as those of no pair: needles are thinner than what that may come to.
static void needles_side_by_side_are_apart_where_the_referee_says(void **state)
{
    (void)state;
    tally t = { .least_cover = HUGE_VAL };
    const random_seeds seeds = random_seeds_of(40000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const abut_shape a = some_rod(&random, random_chance(&random, 0.5), random_between(&random, 0.2, 1.0));
        const meeting m = side_by_side(&random, a, some_rod(&random, false, random_between(&random, 0.2, 1.0)));
        judge(&m, seed, &t);
        give(&m.a);
        give(&m.b);
    }
    assert_true(!random_seeds_all() || t.touching > 1000);
}

// A capsule's segment has no width at all.
static void capsules_along_edges_are_apart_where_the_referee_says(void **state)
{
    (void)state;
    tally t = { .least_cover = HUGE_VAL };
    const random_seeds seeds = random_seeds_of(40000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const abut_shape a = some_rod(&random, true, random_between(&random, 0.2, 1.0));
        const meeting m = side_by_side(&random, a, needle(&random, random_between(&random, 0.2, 1.0), 8e-4, 3e-3));
        judge(&m, seed, &t);
        give(&m.b);
    }
    assert_true(!random_seeds_all() || t.touching > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hulls_meet_everything_as_the_referee_says),
        cmocka_unit_test(points_over_faces_nearly_in_a_plane_are_on_them),
        cmocka_unit_test(hulls_of_many_faces_meet_boxes_as_the_referee_says),
        cmocka_unit_test(edges_of_hulls_of_many_faces_touch_where_they_cross),
        cmocka_unit_test(needles_side_by_side_are_apart_where_the_referee_says),
        cmocka_unit_test(capsules_along_edges_are_apart_where_the_referee_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
