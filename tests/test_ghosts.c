// Shapes that slide over surfaces of triangles touch nothing that the surface as a whole does not have: no edge within
// a plane, in a valley, or with a normal that is not between those of its faces. And nothing that they overlap is
// missing. The judge is plain geometry in double, over all triangles.
#include "ghost_scene.h"

#include <stdio.h>

enum
{
    SCENES = 250, // of each surface, each with a slider of each shape
    SHOWN = 5,    // failures in full
    KEPT = 64     // contacts of a part that are looked at together
};

// Bands, as shares of the size or sines of angles.
//
// What leans by up to a sixty-fourth is cut as if it were flat; and a triangle is left out that the lowest corner is
// over by less than an eighth of its depth. What is then found of its neighbour is a little less deep: it is counted.
#define BAND_PLANE  1e-6 // the normal of a plane, which is rounded to float, turned and turned back
#define BAND_NORMAL 2e-5 // other normals: they follow from points that are known to some 1e-6 of the size
#define BAND_LENGTH 1e-5
#define BAND_FLAT   1e-3 // of least separations of what has edges and faces, see below
#define SHALLOW     0.05 // of a shape's extent: depths up to that are measured exactly

static const char *const names[SURFACE_KINDS] = {
    [SURFACE_GRID] = "no_ghosts_on_a_grid",
    [SURFACE_SUBDIVIDED] = "no_ghosts_on_a_plane_in_triangles_of_all_sizes",
    [SURFACE_RIDGE] = "no_ghosts_on_a_ridge",
    [SURFACE_OUTSIDE] = "no_ghosts_on_a_cylinder",
    [SURFACE_INSIDE] = "no_ghosts_in_a_pipe",
    [SURFACE_ROUGH] = "no_ghosts_on_rough_ground",
    [FIELD_FLAT] = "no_ghosts_on_a_flat_heightfield",
    [FIELD_SLOPED] = "no_ghosts_on_a_sloped_heightfield",
    [FIELD_RIDGE] = "no_ghosts_on_the_ridge_of_a_heightfield",
    [FIELD_OUTSIDE] = "no_ghosts_on_the_cylinder_of_a_heightfield",
    [FIELD_ROUGH] = "no_ghosts_on_a_rough_heightfield",
};

typedef struct counts
{
    uint64_t slides, frames, contacts, asleep, recycled, searched, measured, near, deep, less;
    uint64_t facets, ghosts, wrong, lost;
} counts;

// What is judged: a part of a slider where it is, in the surface's frame.
typedef struct judged
{
    const scene *scene;
    counts *seen;
    const slider *slider;
    uint32_t which, part;
    frame frame;
    plain_solid solid;
    double length, depth; // bands: of lengths, and of depths
    uint32_t contacts;
    double deepest;     // of the contacts
    dvec3 normal[KEPT]; // of the first ones
    double separation[KEPT];
} judged;

static void complain(const judged *j, uint64_t *count, const char *what, uint32_t child, double is, double wanted)
{
    const scene *s = j->scene;
    if (++*count <= SHOWN)
    {
        printf("%s, seed %llu, shape %u, frame %u, triangle %u: %s: %.9g, not %.9g (size %g)\n", names[s->on.kind],
               (unsigned long long)s->seed, j->which, s->frame, child, what, is, wanted, j->slider->size);
    }
}

static judged judged_of(const scene *s, uint32_t which, uint32_t part, counts *seen)
{
    const slider *one = &s->sliders[which];
    judged j = { .scene = s, .seen = seen, .slider = one, .which = which, .part = part, .deepest = HUGE_VAL };
    j.frame = surface_frame(s);
    const abut_pose pose = abut_world_bodies(s->world).poses[one->body.slot];
    const dquat back = dquat_conjugate(j.frame.turn);
    plain_place(&one->solid[part], dquat_mul(back, turn_of(pose.rotation)),
                dquat_rotate(back, dvec3_sub(wide(pose.position), j.frame.at)), &j.solid);
    // Positions are rounded, and recycled manifolds are those of other poses.
    j.length = BAND_LENGTH * one->size + 2.0 * s->on.round + 2.1 * s->recycle +
               2.0 * (double)FLT_EPSILON * dvec3_length(j.frame.at);
    j.depth = j.length + (which > 0 ? BAND_FLAT * one->size : 0.0);
    return j;
}

// How high the middle of what is judged is over a triangle's plane.
static double middle_over(const judged *j, const plain_triangle *t)
{
    const plain_span span = plain_span_of(&j->solid, t->normal);
    return 0.5 * (span.low + span.high) - dvec3_dot(t->normal, t->corner[0]);
}

static dvec3 plane_normal(const surface *on)
{
    return dvec3_normalise(dvec3_make(-on->slope[0], 1.0, -on->slope[1]));
}

static double off_smooth(const judged *j, uint32_t triangle, dvec3 direction, double side)
{
    const surface *on = &j->scene->on;
    double off = surface_off(on, triangle, direction, side) - BAND_NORMAL;
    if (surface_is_plane(on->kind))
    {
        off = fmax(off, dvec3_length(dvec3_sub(direction, dvec3_scale(plane_normal(on), side))) - BAND_PLANE -
                            (on->kind == FIELD_SLOPED ? 2.0 * on->round / (on->cell * on->scale) : 0.0));
    }
    if (surface_is_round(on->kind) || on->kind == FIELD_OUTSIDE)
    {
        off = fmax(off, fabs(direction.z) - BAND_PLANE);
    }
    if (on->kind == SURFACE_INSIDE && !on->two_sided)
    {
        off = fmax(off, dvec3_length(dvec3_sub(direction, on->triangles[triangle].normal)) - BAND_NORMAL);
    }
    return off;
}

// What the surface is to the shape, over all triangles.
typedef struct nearest
{
    double distance; // of the nearest triangle
    double overlap;  // with a triangle that the shape is more than half in front of
    double deepest;  // the same where it may be in front
    double behind;   // the least height of its middle over a triangle that is near
    uint32_t triangle;
} nearest;

static nearest nearest_of(const judged *j)
{
    const surface *on = &j->scene->on;
    const double more = 1.5 * j->scene->margin + 2.0 * j->length;
    nearest n = { .distance = HUGE_VAL, .overlap = HUGE_VAL, .deepest = HUGE_VAL, .behind = HUGE_VAL };
    const dvec3 axis[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    plain_span span[3];
    for (int k = 0; k < 3; ++k)
    {
        span[k] = plain_span_of(&j->solid, axis[k]);
    }
    for (uint32_t i = 0; i < on->made.triangle_count; ++i)
    {
        const plain_triangle *t = &on->triangles[i];
        bool far = false;
        for (int k = 0; k < 3 && !far; ++k)
        {
            const plain_span other = plain_triangle_span(t, axis[k]);
            far = span[k].low > other.high + more || other.low > span[k].high + more;
        }
        if (far)
        {
            continue;
        }
        const double distance = plain_distance(&j->solid, t), middle = middle_over(j, t);
        const bool front = on->two_sided ? fabs(middle) > j->length : middle > j->length;
        n.overlap = front ? fmin(n.overlap, distance) : n.overlap;
        n.deepest = on->two_sided || middle > -j->length ? fmin(n.deepest, distance) : n.deepest;
        n.behind = fmin(n.behind, on->two_sided ? fabs(middle) : middle);
        if (distance < n.distance)
        {
            n.distance = distance;
            n.triangle = i;
        }
    }
    return n;
}

static void judge_contact(judged *j, const abut_contact *c)
{
    const scene *s = j->scene;
    counts *seen = j->seen;
    const bool ground_first = c->a.slot == s->ground.slot;
    const dvec3 direction =
        dquat_rotate(dquat_conjugate(j->frame.turn), dvec3_scale(wide(c->normal), ground_first ? 1.0 : -1.0));
    const bool recycled = (c->flags & ABUT_CONTACT_RECYCLED) != 0,
               speculative = (c->flags & ABUT_CONTACT_SPECULATIVE) != 0;
    assert_true(c->child < s->on.made.triangle_count && c->point_count >= 1 && c->point_count <= 4);
    const plain_triangle *t = &s->on.triangles[c->child];
    const double middle = middle_over(j, t), separation = (double)c->separation;
    double off = off_smooth(j, c->child, direction, middle >= 0.0 || !s->on.two_sided ? 1.0 : -1.0);
    if (s->on.two_sided && fabs(middle) <= j->length)
    {
        off = fmin(off, off_smooth(j, c->child, direction, middle < 0.0 ? 1.0 : -1.0));
    }
    if (off > 0.0)
    {
        complain(j, &seen->ghosts, "a normal is off by", c->child, off, 0.0);
    }
    const double gap = plain_span_of(&j->solid, direction).low - plain_triangle_span(t, direction).high;
    // Of a cut triangle it is at least as deep as the shape is in one of them.
    if (separation < gap - j->length && separation < nearest_of(j).deepest - j->length)
    {
        complain(j, &seen->wrong, "a separation is", c->child, separation, gap);
    }
    const bool own = dvec3_length(dvec3_sub(direction, t->normal)) <= BAND_NORMAL;
    if (!s->on.two_sided && own && middle < -10.0 * j->length) // of two ways out that are as deep it may be either
    {
        complain(j, &seen->wrong, "there is a contact behind: the middle is at", c->child, middle, 0.0);
    }
    if (!speculative && separation > s->margin + j->length)
    {
        complain(j, &seen->wrong, "a separation is over the margin", c->child, separation, s->margin);
    }
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < c->point_count; ++i)
    {
        least = fmin(least, (double)c->points[i].separation);
    }
    if (fabs(least - separation) > j->depth + BAND_FLAT * s->on.cell * s->on.scale)
    {
        complain(j, &seen->wrong, "the least separation of points is", c->child, least, separation);
    }
    if (j->contacts < KEPT)
    {
        j->normal[j->contacts] = direction;
        j->separation[j->contacts] = separation;
    }
    j->deepest = fmin(j->deepest, separation);
    ++j->contacts;
    ++seen->contacts;
    seen->recycled += recycled;
}

static void judge_set(judged *j, abut_contact_set set)
{
    const abut_contacts all = abut_world_contacts(j->scene->world, set);
    for (uint32_t i = 0; i < all.count; ++i)
    {
        const abut_contact *c = abut_contact_at(&all, i);
        const abut_contact_colliders both = abut_colliders_of(&all, c);
        const abut_collider mine = c->a.slot == j->scene->ground.slot ? both.b : both.a,
                            wanted = j->slider->collider[j->part];
        if (memcmp(&mine, &wanted, sizeof mine) == 0)
        {
            judge_contact(j, c);
            j->seen->asleep += set == ABUT_ASLEEP;
        }
    }
}

// In a pipe, each facet that the lowest point of a shape is over and below has a contact as deep, if the shape overlaps
// it by a share of that depth: it may be below one facet's plane and have come there through another.
static void judge_facets(judged *j)
{
    const surface *on = &j->scene->on;
    const double side = on->kind == SURFACE_INSIDE ? 1.0 : -1.0;
    for (uint32_t i = 0; i < on->made.triangle_count; ++i)
    {
        const plain_triangle *t = &on->triangles[i];
        const dvec3 n = dvec3_scale(t->normal, side);
        const plain_span span = plain_span_of(&j->solid, n);
        const double low = span.low - dvec3_dot(n, t->corner[0]);
        if (low >= -j->length || low < -SHALLOW * (span.high - span.low))
        {
            continue;
        }
        int which = 0;
        plain_reach(&j->solid, dvec3_scale(n, -1.0), &which);
        bool over = true, found = false;
        for (int k = 0; k < 3; ++k)
        {
            const dvec3 along = dvec3_sub(t->corner[(k + 1) % 3], t->corner[k]);
            const double within =
                dvec3_dot(dvec3_cross(t->normal, along), dvec3_sub(j->solid.point[which], t->corner[k]));
            over = over && within > j->length * dvec3_length(along);
        }
        over = over && plain_distance(&j->solid, t) < 0.25 * low - j->length;
        for (uint32_t k = 0; k < j->contacts && k < KEPT; ++k)
        {
            found = found || (dvec3_length(dvec3_sub(j->normal[k], n)) < 1e-4 && j->separation[k] <= low + j->depth);
        }
        j->seen->facets += over;
        if (over && !found && j->contacts < KEPT)
        {
            complain(j, &j->seen->lost, "a facet has no contact as deep as", i, low, 0.0);
        }
    }
}

// That nothing is missing, and that what is apart or on a plane has its exact separation.
static void judge_whole(judged *j)
{
    const scene *s = j->scene;
    counts *seen = j->seen;
    const bool looks = s->frame % 8 == j->which;
    if (j->contacts > 0 && !looks && !surface_is_plane(s->on.kind))
    {
        return;
    }
    if (surface_is_plane(s->on.kind))
    {
        const plain_span span = plain_span_of(&j->solid, plane_normal(&s->on));
        const double middle = 0.5 * (span.low + span.high), side = s->on.two_sided && middle < 0.0 ? -1.0 : 1.0;
        const double low = side > 0.0 ? span.low : -span.high;
        if (middle * side > j->length && low < s->margin - j->length && s->recycle == 0.0)
        {
            const bool shallow = low > -SHALLOW * (span.high - span.low);
            const double off = j->contacts > 0 ? fabs(j->deepest - low) : 0.0;
            ++seen->measured;
            seen->deep += !shallow;
            seen->less += !shallow && off > j->depth;
            seen->near += shallow && off > j->length;
            if (shallow && off > j->depth)
            {
                complain(j, &seen->wrong, "the least separation is", 0, j->deepest, low);
            }
        }
    }
    if (j->contacts > 0 && !looks)
    {
        return;
    }
    const nearest n = nearest_of(j);
    const bool in_pipe = (s->on.kind == SURFACE_INSIDE && j->slider->side > 0.0) ||
                         (s->on.kind == SURFACE_OUTSIDE && j->slider->side < 0.0);
    if (in_pipe && s->recycle == 0.0)
    {
        judge_facets(j);
    }
    ++seen->searched;
    if (j->contacts == 0 && n.overlap < -j->length)
    {
        complain(j, &seen->lost, "there is no contact with what is overlapped by", n.triangle, n.overlap, 0.0);
    }
    if (n.distance > 0.0 && n.behind > 0.0 && n.distance < s->margin - j->length)
    {
        if (j->contacts == 0)
        {
            complain(j, &seen->lost, "there is no contact at a distance of", n.triangle, n.distance, s->margin);
        }
        else if (s->recycle == 0.0 && fabs(j->deepest - n.distance) > j->depth)
        {
            complain(j, &seen->wrong, "the least separation is", n.triangle, j->deepest, n.distance);
        }
    }
}

static void slide_scene(scene *s, counts *seen)
{
    const uint32_t frames = 20 + random_below(&s->random, 41);
    for (s->frame = 0; s->frame < frames; ++s->frame)
    {
        move_ground(s);
        for (uint32_t i = 0; i < SLIDER_SHAPES; ++i)
        {
            move_slider(s, &s->sliders[i]);
        }
        assert_int_equal(abut_world_detect(s->world, s->horizon), ABUT_OK);
        for (uint32_t i = 0; i < SLIDER_SHAPES; ++i)
        {
            for (uint32_t part = 0; part < s->sliders[i].parts; ++part)
            {
                judged j = judged_of(s, i, part, seen);
                judge_set(&j, ABUT_AWAKE);
                judge_set(&j, ABUT_ASLEEP);
                judge_whole(&j);
                ++seen->frames;
            }
        }
    }
    seen->slides += SLIDER_SHAPES;
}

static unsigned long long whole(uint64_t count)
{
    return count;
}

static void slide_over(surface_kind kind)
{
    const random_seeds seeds = random_seeds_of(SCENES);
    counts seen = { 0 };
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        scene s;
        open_scene(&s, kind, seed);
        slide_scene(&s, &seen);
        close_scene(&s);
    }
    printf("%llu slides, %llu frames, %llu contacts (%llu asleep, %llu recycled)\n", whole(seen.slides),
           whole(seen.frames), whole(seen.contacts), whole(seen.asleep), whole(seen.recycled));
    printf("%llu searches, %llu facets, %llu depths (%llu off by a little; %llu deep ones, %llu of them found less)\n",
           whole(seen.searched), whole(seen.facets), whole(seen.measured), whole(seen.near), whole(seen.deep),
           whole(seen.less));
    printf("%llu ghosts, %llu wrong separations, %llu contacts lost\n", whole(seen.ghosts), whole(seen.wrong),
           whole(seen.lost));
    assert_true(seen.ghosts == 0 && seen.wrong == 0 && seen.lost == 0);
    assert_true(!random_seeds_all() || (seen.contacts > seen.frames / 3 && seen.asleep > 0 && seen.recycled > 0));
}

static void no_ghosts(void **state)
{
    slide_over(*(const surface_kind *)*state);
}

int main(void)
{
    static surface_kind kinds[SURFACE_KINDS];
    struct CMUnitTest tests[SURFACE_KINDS];
    for (uint32_t i = 0; i < SURFACE_KINDS; ++i)
    {
        kinds[i] = (surface_kind)i;
        tests[i] = (struct CMUnitTest){ .name = names[i], .test_func = no_ghosts, .initial_state = &kinds[i] };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
