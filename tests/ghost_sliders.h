// Shapes that slide over a surface: each on a path of its own, at a depth of its own.
#ifndef GHOST_SLIDERS_H
#define GHOST_SLIDERS_H

#include "ghost_surfaces.h"
#include "own_kinds.h"

enum
{
    SLIDER_SHAPES = 5, // ball, capsule, box, hull, a kind of the caller's own
    SLIDER_PARTS = 2   // colliders
};

typedef enum slider_turn
{
    TURN_ANY,     // and spins
    TURN_UPRIGHT, // its y is the way out of the surface
    TURN_ALIGNED, // its axes are those of the surface
    TURN_NONE     // they are the world's
} slider_turn;

typedef struct slider
{
    plain_solid solid[SLIDER_PARTS]; // in the body's frame
    abut_shape shape[SLIDER_PARTS];
    abut_pose local[SLIDER_PARTS];
    abut_geometry *hull;
    uint32_t parts;
    double size; // metres
    double u, v, u_step, v_step;
    slider_turn turns;
    dquat turn;
    dvec3 spin; // axis
    double spin_step;
    double deepest, deep; // of what the shape reaches along the way out: the most, and that of all frames or 0
    double gap;           // metres, the most
    double side;          // -1: on the back
    abut_body body;
    abut_collider collider[SLIDER_PARTS];
    uint32_t asleep; // frames
    dvec3 at;        // in the surface's frame
} slider;

static inline dquat turn_of(abut_quat q)
{
    const dquat d = { (double)q.w, (double)q.x, (double)q.y, (double)q.z };
    const double length = sqrt(d.w * d.w + d.x * d.x + d.y * d.y + d.z * d.z);
    return (dquat){ d.w / length, d.x / length, d.y / length, d.z / length };
}

static inline dvec3 wide(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

static inline bool slider_make_hull(slider *s, random_source *random, const float size[3])
{
    abut_vec3 point[PLAIN_POINTS];
    dvec3 exact[PLAIN_POINTS];
    const uint32_t count = 5 + random_below(random, PLAIN_POINTS - 4);
    for (uint32_t i = 0; i < count; ++i)
    {
        const dvec3 d = random_direction(random);
        point[i] = abut_vec3_make((float)((double)size[0] * d.x), (float)((double)size[1] * d.y),
                                  (float)((double)size[2] * d.z));
        exact[i] = wide(point[i]);
    }
    if (abut_geometry_create_hull(point, count, 0, NULL, &s->hull) != ABUT_OK)
    {
        return false;
    }
    s->shape[0] = abut_shape_hull(s->hull);
    s->solid[0] = plain_hull(exact, (int)count);
    return true;
}

static inline void slider_make_own(slider *s, random_source *random, const float size[3])
{
    const double x = (double)size[0], y = (double)size[1], z = (double)size[2];
    switch (random_below(random, 3))
    {
    case 0:
        s->shape[0] = own_shape(OWN_CRATE, size[0], size[1], size[2]);
        s->solid[0] = plain_box(x, y, z);
        break;
    case 1:
        s->shape[0] = own_shape(OWN_ROUND, size[0], 0.0f, 0.0f);
        s->solid[0] = plain_ball(x);
        break;
    default:
        s->shape[0] = own_shape(OWN_PILL, 0.5f * size[0], 0.5f * size[1], 0.0f);
        s->solid[0] = plain_capsule(0.5 * x, 0.5 * y);
        break;
    }
}

static inline void slider_make_shape(slider *s, random_source *random, uint32_t kind)
{
    float size[3];
    for (int k = 0; k < 3; ++k)
    {
        size[k] = (float)(s->size * random_between(random, 0.15, 1.0));
    }
    const double x = (double)size[0], y = (double)size[1], z = (double)size[2];
    s->parts = 1;
    switch (kind)
    {
    case 0:
        s->shape[0] = abut_shape_sphere(size[0]);
        s->solid[0] = plain_ball(x);
        break;
    case 1:
        s->shape[0] = abut_shape_capsule(0.5f * size[0], 0.5f * size[1]);
        s->solid[0] = plain_capsule(0.5 * x, 0.5 * y);
        break;
    case 2:
        s->shape[0] = s->turns == TURN_NONE ? abut_shape_aabb(size[0], size[1], size[2])
                                            : abut_shape_obb(size[0], size[1], size[2]);
        s->solid[0] = plain_box(x, y, z);
        break;
    case 4:
        slider_make_own(s, random, size);
        break;
    default:
        while (!slider_make_hull(s, random, size))
        {
        }
        break;
    }
    s->local[0] = s->local[1] = abut_pose_identity();
    if (s->turns != TURN_NONE && random_chance(random, 0.25))
    {
        const dvec3 aside = random_in_box(random, 0.5 * s->size);
        s->parts = 2;
        s->shape[1] = s->shape[0];
        s->local[1].position = random_narrow(aside);
        s->local[1].rotation = random_narrow_rotation(random_rotation(random));
        plain_place(&s->solid[0], turn_of(s->local[1].rotation), wide(s->local[1].position), &s->solid[1]);
    }
}

static inline void slider_make(slider *s, random_source *random, uint32_t kind, const surface *on)
{
    const double most = on->kind == SURFACE_SUBDIVIDED ? 1.0 : fmin(1.0, 5.0 * on->cell);
    *s = (slider){ .size = on->scale * random_scale(random, on->kind == SURFACE_SUBDIVIDED ? 0.2 : 0.05 * most, most) };
    const uint32_t turns = random_below(random, kind == 2 ? 5 : 4);
    s->turns = turns < 2 ? TURN_ANY : turns == 2 ? TURN_UPRIGHT : turns == 3 ? TURN_ALIGNED : TURN_NONE;
    slider_make_shape(s, random, kind);
    const double along = random_between(random, 0.0, 6.283185307179586);
    const double step = s->size / on->scale * random_scale(random, 2e-4, 0.5) / (0.55 * SURFACE_HALF);
    const bool straight = random_chance(random, 0.3);
    s->u = random_between(random, -0.9, 0.9);
    s->v = random_between(random, -0.9, 0.9);
    s->u_step = straight ? step : step * cos(along);
    s->v_step = straight ? 0.0 : step * sin(along);
    s->turn = s->turns == TURN_ANY       ? random_rotation(random)
              : s->turns == TURN_UPRIGHT ? dquat_turn(dvec3_make(0, 1, 0), along)
                                         : random_cube_rotation(random_below(random, 24));
    s->spin = s->turns == TURN_ANY ? random_direction(random) : dvec3_make(0, 1, 0);
    s->spin_step = s->turns == TURN_ALIGNED || random_chance(random, 0.4) ? 0.0 : random_scale(random, 1e-3, 0.3);
    s->deepest = random_scale(random, 1e-5, 1.0 / 3.0);
    s->deep = random_chance(random, 0.5) ? s->deepest : 0.0;
    s->deep = !on->two_sided && random_chance(random, 0.05) ? random_between(random, 0.5, 1.2) : s->deep; // sunk
    s->side = on->two_sided && random_chance(random, 0.5) ? -1.0 : 1.0;
}

static inline void bounce(double *at, double *step)
{
    *at += *step;
    if (fabs(*at) > 1.0)
    {
        *step = -*step;
        *at += 2.0 * *step;
    }
}

static inline plain_span slider_span(const slider *s, dvec3 direction)
{
    plain_span span = plain_span_of(&s->solid[0], direction);
    for (uint32_t i = 1; i < s->parts; ++i)
    {
        const plain_span other = plain_span_of(&s->solid[i], direction);
        span = (plain_span){ fmin(span.low, other.low), fmax(span.high, other.high) };
    }
    return span;
}

// How far a shape that is turned so is from the inside of a pipe along a direction of its plane.
static inline double way_to_wall(const slider *s, const surface *on, dquat turn, dvec3 away)
{
    const dquat back = dquat_conjugate(turn);
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < on->made.triangle_count; ++i)
    {
        const plain_triangle *t = &on->triangles[i];
        const dvec3 in = dvec3_scale(t->normal, s->side);
        const double along = -dvec3_dot(in, away);
        if (along > 0.5 && t->corner[0].z < -0.9 * SURFACE_HALF * on->scale) // those of one ring
        {
            const double low = slider_span(s, dquat_rotate(back, in)).low;
            least = fmin(least, (low - dvec3_dot(in, t->corner[0])) / along);
        }
    }
    return least;
}

// The next place of a path, and there the turn, in the frame of a surface that is itself turned.
static inline dquat slider_next(slider *s, random_source *random, const surface *on, dquat turned)
{
    bounce(&s->u, &s->u_step);
    bounce(&s->v, &s->v_step);
    s->turn = dquat_mul(dquat_turn(s->spin, s->spin_step), s->turn);
    dvec3 out;
    const dvec3 on_surface = surface_place(on, s->u, s->v, &out);
    dquat turn = s->turns == TURN_NONE ? dquat_conjugate(turned) : s->turn;
    out = dvec3_scale(out, s->side);
    if (s->turns == TURN_UPRIGHT)
    {
        const dvec3 up = dvec3_make(0, 1, 0), across = dvec3_cross(up, out);
        const double sine = dvec3_length(across), cosine = dvec3_dot(up, out);
        const dvec3 axis = sine > 1e-9 ? dvec3_scale(across, 1.0 / sine) : dvec3_make(0, 0, 1);
        turn = dquat_mul(dquat_turn(axis, atan2(sine, cosine)), turn);
    }
    const plain_span span = slider_span(s, dquat_rotate(dquat_conjugate(turn), out));
    const double reach = span.high - span.low, share = s->deep > 0.0 ? s->deep : random_scale(random, 1e-6, s->deepest);
    const double deep = s->gap > 0.0 && random_chance(random, 0.3) ? -random_unit(random) * s->gap : share * reach;
    if (on->kind == (s->side > 0.0 ? SURFACE_INSIDE : SURFACE_OUTSIDE))
    {
        const dvec3 away = dvec3_scale(out, -1.0);
        s->at = dvec3_along(dvec3_make(0, 0, on_surface.z), way_to_wall(s, on, turn, away) + deep, away);
        return turn;
    }
    s->at = dvec3_along(on_surface, -span.low - deep, out);
    return turn;
}

#endif
