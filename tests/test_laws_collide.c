// abut_collide and abut_overlap judged by the referee on every kind of pair, and laws of depth, margin and range.
#include "random_judged.h"

static void every_manifold_is_right(failures *f, uint64_t seed, random_source *random, random_pair m)
{
    (void)random;
    abut_manifold out = collide(&m);
    char why[REFEREE_WHY];
    if (!referee_check_manifold(&m.a, &m.pose_a, &m.b, &m.pose_b, m.margin, &out, why))
    {
        blame(f, seed, &m, "%s", why);
    }
}

static void overlap_is_a_manifold_without_margin(failures *f, uint64_t seed, random_source *random, random_pair m)
{
    (void)random;
    m.margin = 0.0f;
    bool overlapping = overlap(&m);
    if (overlapping != (collide(&m).point_count > 0))
    {
        blame(f, seed, &m, "overlap says %d, the manifold otherwise", overlapping);
    }
}

static void swapping_mirrors_the_manifold(failures *f, uint64_t seed, random_source *random, random_pair m)
{
    (void)random;
    random_pair swapped = m;
    swapped.a = m.b, swapped.b = m.a;
    swapped.pose_a = m.pose_b, swapped.pose_b = m.pose_a;
    abut_manifold one = collide(&m), other = collide(&swapped);
    compare(f, seed, "swapping", &m, &one, &swapped, &other);
    if (m.a.kind == ABUT_SPHERE && m.b.kind == ABUT_SPHERE && one.point_count && one.normal.y != 1.0f)
    {
        abut_vec3 sum = abut_vec3_add(one.normal, other.normal);
        if (fabsf(sum.x) + fabsf(sum.y) + fabsf(sum.z) > 1e-6f)
        {
            blame(f, seed, &m, "swapping does not turn the normal round");
        }
    }
}

static random_pair moved_apart(const random_pair *m, const abut_manifold *hit, double by)
{
    random_pair moved = *m;
    const abut_vec3 *p = &m->pose_b.position, *n = &hit->normal;
    moved.margin = 0.0f;
    moved.pose_b.position =
        abut_vec3_make((float)((double)p->x + by * (double)n->x), (float)((double)p->y + by * (double)n->y),
                       (float)((double)p->z + by * (double)n->z));
    return moved;
}

static void moving_by_the_depth_just_parts(failures *f, uint64_t seed, random_source *random, random_pair m)
{
    (void)random;
    centre_on_origin(&m);
    abut_manifold hit = collide(&m);
    if (hit.point_count && hit.separation < 0.0f)
    {
        double depth = -(double)hit.separation;
        double blur = REFEREE_EXACT * scale_of(&m), yield = freedom_of(&m) + near_face_yield_of(&m) + blur;
        random_pair parted = moved_apart(&m, &hit, depth + blur);
        random_pair within = moved_apart(&m, &hit, depth - yield);
        if (overlap(&parted))
        {
            blame(f, seed, &m, "they overlap after moving by the depth %.9g", depth);
        }
        if (depth > yield && !overlap(&within))
        {
            blame(f, seed, &m, "they part before moving by the depth %.9g", depth);
        }
    }
}

// A margin widens the shapes: what is found with less is found with more, with the same separation.
static void a_wider_margin_loses_nothing(failures *f, uint64_t seed, random_source *random, random_pair m)
{
    abut_manifold narrow = collide(&m);
    random_pair wide = m;
    wide.margin = (float)(2.0 * (double)m.margin + random_between(random, 0.0, 0.3) * scale_of(&m));
    abut_manifold broad = collide(&wide);
    if (narrow.point_count && (!broad.point_count || memcmp(&broad.separation, &narrow.separation, sizeof(float)) != 0))
    {
        blame(f, seed, &m, "a wider margin: %.9g becomes %.9g", (double)narrow.separation, (double)broad.separation);
    }
    if (!agrees(verdict_of(&wide, (double)wide.margin), broad.point_count > 0))
    {
        blame(f, seed, &wide, "wrong decision at margin %.9g", (double)wide.margin);
    }
}

static void rotations_of_any_length_are_normalised(failures *f, uint64_t seed, random_source *random, random_pair m)
{
    float by = (float)random_scale(random, 1e-30, 1e30);
    random_pair other = m;
    abut_quat q = m.pose_b.rotation;
    other.pose_b.rotation = (abut_quat){ q.x * by, q.y * by, q.z * by, q.w * by };
    abut_manifold two = collide(&other);
    char why[REFEREE_WHY];
    if (!referee_check_manifold(&other.a, &other.pose_a, &other.b, &other.pose_b, other.margin, &two, why))
    {
        blame(f, seed, &m, "b's rotation times %g: %s", (double)by, why);
    }
}

// Whatever is accepted is answered with numbers.
static void the_ends_of_the_range_give_finite_answers(failures *f, uint64_t seed, random_source *random, random_pair m)
{
    static const float sizes[] = {
        0.0f, 1e-45f, 1e-38f, 1e-30f, 1e-20f, 1e-15f, 1e-6f, 1.0f, 1e6f, ABUT_MAX_MAGNITUDE
    };
    const uint32_t count = sizeof sizes / sizeof *sizes;
    float *numbers[] = { &m.a.box.half_extents.x, &m.a.box.half_extents.y, &m.a.box.half_extents.z,
                         &m.b.box.half_extents.x, &m.b.box.half_extents.y, &m.b.box.half_extents.z,
                         &m.pose_a.position.x,    &m.pose_a.position.y,    &m.pose_a.position.z,
                         &m.pose_b.position.x,    &m.pose_b.position.y,    &m.pose_b.position.z };
    for (uint32_t k = 0; k < 12; ++k)
    {
        float size = sizes[random_below(random, count)];
        *numbers[k] = k >= 6 && random_chance(random, 0.5) ? -size : size;
    }
    m.margin = sizes[random_below(random, count)];
    abut_manifold out = collide(&m);
    bool finite = isfinite(out.separation);
    for (uint32_t k = 0; k < out.point_count && k < 4; ++k)
    {
        const abut_point *p = &out.points[k];
        finite = finite && isfinite(p->offset.x) && isfinite(p->offset.y) && isfinite(p->offset.z) &&
                 isfinite(p->separation);
    }
    double length = dvec3_length(dvec3_make((double)out.normal.x, (double)out.normal.y, (double)out.normal.z));
    bool unit = out.point_count ? fabs(length - 1.0) <= 1e-6 : length == 0.0;
    if (!finite || !unit || out.point_count > 4)
    {
        blame(f, seed, &m, "%u points, separation %g, normal of length %g", out.point_count, (double)out.separation,
              length);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RANDOM_LAW(every_manifold_is_right, 240000),
        RANDOM_LAW(overlap_is_a_manifold_without_margin, 100000),
        RANDOM_LAW(swapping_mirrors_the_manifold, 20000),
        RANDOM_LAW(moving_by_the_depth_just_parts, 40000),
        RANDOM_LAW(a_wider_margin_loses_nothing, 20000),
        RANDOM_LAW(rotations_of_any_length_are_normalised, 10000),
        RANDOM_LAW(the_ends_of_the_range_give_finite_answers, 40000),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
