#include "constraint.h"

#include <math.h>

#define PUSH_MAX 3.0f // metres a second: how fast deep bodies are pushed apart

static abut_vec3 anchor_velocity(const mover *m, abut_vec3 anchor)
{
    return abut_vec3_add(m->velocity->linear, abut_vec3_cross(m->velocity->angular, anchor));
}

static float effective_mass(const mover *a, const mover *b, const constraint_point *p, abut_vec3 axis)
{
    const abut_vec3 arm_a = abut_vec3_cross(p->anchor[0], axis), arm_b = abut_vec3_cross(p->anchor[1], axis);
    const float turning = abut_vec3_dot(arm_a, abut_mat3_mul_vec3(&a->inverse_inertia, arm_a)) +
                          abut_vec3_dot(arm_b, abut_mat3_mul_vec3(&b->inverse_inertia, arm_b));
    const float inverse = a->inverse_mass + b->inverse_mass + turning;
    return inverse > 0.0f ? 1.0f / inverse : 0.0f;
}

void constraint_point_make(constraint_point *out, const constraint *c, const mover *a, const mover *b, abut_vec3 offset,
                           float separation, const abut_impulse *impulse)
{
    const abut_vec3 apart = abut_vec3_sub(b->pose->position, a->pose->position);
    out->anchor[0] = offset;
    out->anchor[1] = abut_vec3_sub(offset, apart);
    out->local[0] = abut_quat_rotate(abut_quat_conjugate(a->pose->rotation), out->anchor[0]);
    out->local[1] = abut_quat_rotate(abut_quat_conjugate(b->pose->rotation), out->anchor[1]);
    out->separation = separation;
    out->normal = impulse->normal;
    out->normal_mass = effective_mass(a, b, out, c->normal);
    for (int k = 0; k < 2; ++k)
    {
        out->tangent[k] = impulse->tangent[k];
        out->tangent_mass[k] = effective_mass(a, b, out, c->tangent[k]);
    }
}

void constraint_tangents(constraint *c)
{
    const abut_vec3 n = c->normal;
    const bool upright = n.y * n.y > 0.5f;
    const abut_vec3 across = upright ? abut_vec3_make(n.y, -n.x, 0.0f) : abut_vec3_make(n.z, 0.0f, -n.x);
    c->tangent[0] = abut_vec3_scale(across, 1.0f / abut_vec3_length(across));
    c->tangent[1] = abut_vec3_cross(c->tangent[0], n);
}

static void apply(mover *a, mover *b, const constraint_point *p, abut_vec3 impulse)
{
    abut_velocity *va = a->velocity, *vb = b->velocity;
    va->linear = abut_vec3_sub(va->linear, abut_vec3_scale(impulse, a->inverse_mass));
    vb->linear = abut_vec3_add(vb->linear, abut_vec3_scale(impulse, b->inverse_mass));
    const abut_vec3 turn_a = abut_vec3_cross(p->anchor[0], impulse), turn_b = abut_vec3_cross(p->anchor[1], impulse);
    va->angular = abut_vec3_sub(va->angular, abut_mat3_mul_vec3(&a->inverse_inertia, turn_a));
    vb->angular = abut_vec3_add(vb->angular, abut_mat3_mul_vec3(&b->inverse_inertia, turn_b));
}

static abut_vec3 tangential(const constraint *c, float first, float second)
{
    return abut_vec3_add(abut_vec3_scale(c->tangent[0], first), abut_vec3_scale(c->tangent[1], second));
}

void constraint_warm_start(const constraint *c, mover *a, mover *b)
{
    for (uint32_t i = 0; i < c->count; ++i)
    {
        const constraint_point *p = &c->points[i];
        const abut_vec3 friction = tangential(c, p->tangent[0], p->tangent[1]);
        apply(a, b, p, abut_vec3_add(abut_vec3_scale(c->normal, p->normal), friction));
    }
}

// The separation now, with the bodies where they have moved to since contacts were found.
static float separation_now(const constraint *c, const constraint_point *p, const mover *a, const mover *b)
{
    const abut_vec3 on_a = abut_vec3_add(a->pose->position, abut_quat_rotate(a->pose->rotation, p->local[0]));
    const abut_vec3 on_b = abut_vec3_add(b->pose->position, abut_quat_rotate(b->pose->rotation, p->local[1]));
    return p->separation + abut_vec3_dot(abut_vec3_sub(on_b, on_a), c->normal);
}

static void solve_normal(const constraint *c, constraint_point *p, mover *a, mover *b, const softness *s, bool soft)
{
    const float separation = separation_now(c, p, a, b);
    float bias = 0.0f, mass_scale = 1.0f, impulse_scale = 0.0f;
    if (separation > 0.0f)
    {
        bias = separation / s->substep; // no faster than that it is closed
    }
    else if (soft)
    {
        const float push = s->rate * separation;
        bias = push > -PUSH_MAX ? push : -PUSH_MAX;
        mass_scale = s->mass_scale;
        impulse_scale = s->impulse_scale;
    }
    const abut_vec3 closing = abut_vec3_sub(anchor_velocity(b, p->anchor[1]), anchor_velocity(a, p->anchor[0]));
    const float speed = abut_vec3_dot(closing, c->normal);
    const float wanted = p->normal - p->normal_mass * mass_scale * (speed + bias) - impulse_scale * p->normal;
    const float total = wanted > 0.0f ? wanted : 0.0f;
    apply(a, b, p, abut_vec3_scale(c->normal, total - p->normal));
    p->normal = total;
}

// Both directions at once, held inside the cone.
static void solve_friction(const constraint *c, constraint_point *p, mover *a, mover *b, float friction)
{
    const abut_vec3 slip = abut_vec3_sub(anchor_velocity(b, p->anchor[1]), anchor_velocity(a, p->anchor[0]));
    float wanted[2];
    for (int k = 0; k < 2; ++k)
    {
        wanted[k] = p->tangent[k] - p->tangent_mass[k] * abut_vec3_dot(slip, c->tangent[k]);
    }
    const float most = friction * p->normal, length = sqrtf(wanted[0] * wanted[0] + wanted[1] * wanted[1]);
    const float scale = length > most ? most / length : 1.0f;
    apply(a, b, p, tangential(c, scale * wanted[0] - p->tangent[0], scale * wanted[1] - p->tangent[1]));
    p->tangent[0] = scale * wanted[0];
    p->tangent[1] = scale * wanted[1];
}

void constraint_solve(constraint *c, mover *a, mover *b, const softness *s, bool soft)
{
    for (uint32_t i = 0; i < c->count; ++i)
    {
        solve_friction(c, &c->points[i], a, b, s->friction);
    }
    for (uint32_t i = 0; i < c->count; ++i)
    {
        solve_normal(c, &c->points[i], a, b, s, soft);
    }
}
