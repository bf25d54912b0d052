// Convex hulls against each other and against every other kind in space, judged by a referee that tries everything.
#include "hull_clouds.h"
#include "referee.h"
#include "referee_polytope.h"
#include "small_world.h"

#include <stdio.h>

#define BAND  1e-6 // of the scale: of deciding
#define EXACT 1e-5 // of the scale: of lengths

typedef struct meeting
{
    abut_shape a, b;
    abut_pose pose_a, pose_b;
    float margin;
    bool faces; // laid face on face
} meeting;

static abut_geometry *some_hull(random_source *random, double size)
{
    static const hull_cloud kinds[] = { HULL_BALL,     HULL_SPHERE, HULL_BOX,   HULL_GRID,
                                        HULL_CYLINDER, HULL_CONE,   HULL_PLATE, HULL_NEEDLE };
    static abut_vec3 points[HULL_CLOUD_MOST];
    for (;;)
    {
        abut_geometry *hull;
        const uint32_t count = hull_cloud_of(random, kinds[random_below(random, COUNT(kinds))], 1e-4, points);
        double reach = 0.0;
        for (uint32_t i = 0; i < count; ++i)
        {
            reach = fmax(reach, dvec3_length(polytope_wide(points[i])));
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            points[i] = random_narrow(dvec3_scale(polytope_wide(points[i]), size / reach));
        }
        if (abut_geometry_create_hull(points, count, 4 + random_below(random, 20), NULL, &hull) == ABUT_OK)
        {
            return hull;
        }
    }
}

static abut_shape some_shape(random_source *random, uint32_t kind, double size)
{
    const float x = (float)(size * random_between(random, 0.1, 1.0)),
                y = (float)(size * random_between(random, 0.1, 1.0));
    return kind == 0   ? abut_shape_sphere(x)
           : kind == 1 ? abut_shape_capsule(0.5f * x, y)
           : kind == 2 ? abut_shape_aabb(x, y, (float)size)
           : kind == 3 ? abut_shape_obb(x, (float)size, y)
                       : abut_shape_hull(some_hull(random, size));
}

static void give(const abut_shape *shape)
{
    if (shape->kind == ABUT_HULL)
    {
        abut_geometry_release(shape->hull);
    }
}

// Turns b so that one of its faces lies against one of a's.
static void lay_faces(random_source *random, meeting *m, dvec3 *along)
{
    const polytope a = polytope_of(&m->a, &m->pose_a), b = polytope_of(&m->b, &m->pose_b);
    if (a.faces == 0 || b.faces == 0 || m->b.kind == ABUT_AABB)
    {
        return;
    }
    *along = a.normal[random_below(random, a.faces)];
    const dvec3 from = b.normal[random_below(random, b.faces)], to = dvec3_scale(*along, -1.0);
    const dvec3 axis = dvec3_cross(from, to);
    const dquat own = { (double)m->pose_b.rotation.w, (double)m->pose_b.rotation.x, (double)m->pose_b.rotation.y,
                        (double)m->pose_b.rotation.z };
    const double cosine = dvec3_dot(from, to);
    dquat turn = { 1.0 + cosine, axis.x, axis.y, axis.z };
    if (cosine < -0.999)
    {
        const dvec3 beside = dvec3_beside(from);
        turn = (dquat){ 0, beside.x, beside.y, beside.z };
    }
    const double length = sqrt(turn.w * turn.w + turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    turn = (dquat){ turn.w / length, turn.x / length, turn.y / length, turn.z / length };
    m->pose_b.rotation = random_narrow_rotation(dquat_mul(turn, own));
    m->faces = true;
}

static meeting some_meeting(random_source *random)
{
    meeting m = { .faces = false };
    const double size = random_scale(random, 1e-2, 1e2), other = size * random_scale(random, 0.1, 10.0);
    m.a = some_shape(random, random_below(random, 8), size);
    m.b = some_shape(random, m.a.kind == ABUT_HULL ? random_below(random, 8) : 4, other);
    m.pose_a.rotation = random_narrow_rotation(random_rotation(random));
    m.pose_b.rotation = random_narrow_rotation(random_rotation(random));
    m.pose_a.position = random_narrow(random_in_box(random, random_chance(random, 0.8) ? size : 100.0 * size));
    m.pose_b.position = m.pose_a.position;
    dvec3 along = random_direction(random);
    if (random_chance(random, 0.5))
    {
        lay_faces(random, &m, &along);
    }
    const polytope a = polytope_of(&m.a, &m.pose_a), b = polytope_of(&m.b, &m.pose_b);
    const double scale = a.reach + b.reach;
    const double gap = random_chance(random, 0.6) ? random_sign(random) * random_scale(random, 1e-7, 0.3) * scale
                                                  : random_between(random, -0.8, 0.3) * scale;
    const dvec3 u = dvec3_beside(along), v = dvec3_cross(along, u);
    dvec3 apart = dvec3_scale(along, gap - polytope_gap(&a, &b, along));
    apart = dvec3_along(apart, random_between(random, -0.4, 0.4) * scale, u);
    apart = dvec3_along(apart, random_between(random, -0.4, 0.4) * scale, v);
    m.pose_b.position = random_narrow(dvec3_add(polytope_wide(m.pose_a.position), apart));
    m.margin = random_chance(random, 0.5) ? 0.0f : (float)(random_scale(random, 1e-5, 0.3) * scale);
    return m;
}

// What both have in common seen along the normal, of the faces that lie flat against it, and what of it the points span.
static double span_of(const polytope *a, const polytope *b, dvec3 normal, double limit, dvec3 *out, int *count)
{
    const polytope *side[2] = { a, b };
    int face[2] = { -1, -1 };
    *count = 0;
    for (int s = 0; s < 2; ++s)
    {
        double most = 1.0 - 1e-9;
        for (uint32_t f = 0; f < side[s]->faces; ++f)
        {
            const double cosine = dvec3_dot(side[s]->normal[f], normal) * (s ? -1.0 : 1.0);
            face[s] = cosine > most ? (int)f : face[s];
            most = fmax(most, cosine);
        }
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

static void judge(const meeting *m, uint64_t seed, tally *t)
{
    const abut_pose *pose_a = &m->pose_a, *pose_b = &m->pose_b;
    const polytope a = polytope_of(&m->a, pose_a), b = polytope_of(&m->b, pose_b);
    const double scale = a.reach + b.reach, band = BAND * scale, margin = (double)m->margin;
    const double separation = polytope_separation(&a, &b);
    abut_manifold c, turned;
    bool overlapping;
    assert_int_equal(abut_collide(&m->a, pose_a, &m->b, pose_b, m->margin, &c), ABUT_OK);
    assert_int_equal(abut_collide(&m->b, pose_b, &m->a, pose_a, m->margin, &turned), ABUT_OK);
    assert_int_equal(abut_overlap(&m->a, pose_a, &m->b, pose_b, &overlapping), ABUT_OK);
    const bool near = fabs(separation - margin) <= band + BAND * margin;
    t->undecided += near;
    if (!near && (c.point_count > 0) != (separation < margin))
    {
        fail_msg("%u: %u points, separation %.9g, margin %g, scale %g", (uint32_t)seed, c.point_count, separation,
                 margin, scale);
    }
    if (fabs(separation) > band && overlapping != (separation < 0.0))
    {
        fail_msg("%u: overlapping %d at %.9g", (uint32_t)seed, overlapping, separation);
    }
    assert_true(near || (turned.point_count > 0) == (c.point_count > 0));
    if (c.point_count == 0)
    {
        return;
    }
    ++t->touching;
    const dvec3 normal = polytope_wide(c.normal);
    const double along = polytope_gap(&a, &b, normal), exact = EXACT * scale;
    if (fabs(dvec3_length(normal) - 1.0) > 1e-6 || fabs((double)c.separation - separation) > exact ||
        along < separation - exact)
    {
        fail_msg("%u: separation %.9g, along the normal %.9g, right %.9g; scale %g", (uint32_t)seed,
                 (double)c.separation, along, separation, scale);
    }
    dvec3 point[4];
    double deepest = HUGE_VAL;
    for (uint32_t i = 0; i < c.point_count; ++i)
    {
        const double gap = (double)c.points[i].separation;
        point[i] = dvec3_add(polytope_wide(pose_a->position), polytope_wide(c.points[i].offset));
        const double off_a = polytope_to_point(&a, point[i]) - a.radius,
                     off_b = polytope_to_point(&b, point[i]) - b.radius;
        const double most = 0.5 * fabs(gap) + 1e-3 * scale;
        if (off_a > most || off_b > most || gap > margin + band || gap < (double)c.separation - exact)
        {
            fail_msg("%u: point %u of %u: %g off a, %g off b, separation %g; scale %g", (uint32_t)seed, i,
                     c.point_count, off_a, off_b, gap, scale);
        }
        deepest = fmin(deepest, gap);
        for (uint32_t k = 0; k < i; ++k)
        {
            if (c.points[k].feature == c.points[i].feature)
            {
                fail_msg("%u: points %u and %u of %u have feature %u", (uint32_t)seed, k, i, c.point_count,
                         c.points[i].feature);
            }
        }
    }
    if (deepest > (double)c.separation + 2e-4 * scale)
    {
        fail_msg("%u: the deepest of %u points is %g, the separation %g; scale %g", (uint32_t)seed, c.point_count,
                 deepest, (double)c.separation, scale);
    }
    dvec3 common[64];
    int count;
    const double best = margin - separation > 1e-3 * scale ? span_of(&a, &b, normal, margin, common, &count) : 0.0;
    if (best > 1e-3 * fmin(a.reach, b.reach) * fmin(a.reach, b.reach))
    {
        const double cover = referee_best_four(point, (int)c.point_count, -1, normal) / best;
        ++t->flat;
        if (cover < 0.5 || cover > 1.001)
        {
            fail_msg("%u: %u points span %g of what the %d common corners do", (uint32_t)seed, c.point_count, cover,
                     count);
        }
        t->cover += cover;
        t->least_cover = fmin(t->least_cover, cover);
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
    assert_true(!random_seeds_all() || (t.touching > 5000 && t.flat > 500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hulls_meet_everything_as_the_referee_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
