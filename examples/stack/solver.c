#include "solver.h"

#include "constraint.h"

#include <stdlib.h>
#include <string.h>

// Of a contact's spring. Softer ones let a tower of fifteen boxes buckle under its own weight, slowly, as a soft column
// does; near a quarter of the rate of substeps a large pyramid trembles and creeps.
#define STIFFNESS_HERTZ 60.0f
#define DAMPING_RATIO   2.0f

struct solver
{
    abut_world *world;
    abut_vec3 gravity;
    float friction;
    uint32_t substeps;
    solver_mass *masses; // by slot
    mover *movers;       // by slot
    uint32_t mass_room;
    constraint *constraints; // of the awake contacts, in their order
    uint32_t constraint_room, constraint_count;
};

solver *solver_create(abut_world *world, abut_vec3 gravity, float friction, uint32_t substeps)
{
    solver *s = malloc(sizeof *s);
    if (s)
    {
        *s = (solver){ .world = world, .gravity = gravity, .friction = friction, .substeps = substeps };
    }
    return s;
}

void solver_destroy(solver *s)
{
    if (s)
    {
        free(s->masses);
        free(s->movers);
        free(s->constraints);
        free(s);
    }
}

solver_mass solver_box_mass(abut_vec3 h, float density)
{
    const float mass = 8.0f * h.x * h.y * h.z * density;
    const abut_vec3 square = { h.x * h.x, h.y * h.y, h.z * h.z };
    return (solver_mass){ 1.0f / mass,
                          { 3.0f / (mass * (square.y + square.z)), 3.0f / (mass * (square.x + square.z)),
                            3.0f / (mass * (square.x + square.y)) } };
}

solver_mass solver_ball_mass(float radius, float density)
{
    const float mass = 4.1887902f * radius * radius * radius * density;
    const float inverse = 2.5f / (mass * radius * radius);
    return (solver_mass){ 1.0f / mass, { inverse, inverse, inverse } };
}

// Room for `count` elements in all; false, and nothing changed, when memory runs out.
static bool make_room(void **array, uint32_t *room, uint32_t count, size_t element)
{
    if (count <= *room)
    {
        return true;
    }
    const uint32_t larger = count > 2 * *room ? count : 2 * *room;
    void *block = realloc(*array, larger * element);
    if (!block)
    {
        return false;
    }
    memset((char *)block + *room * element, 0, (larger - *room) * element);
    *array = block;
    *room = larger;
    return true;
}

static bool reserve_masses(solver *s, uint32_t slots)
{
    uint32_t room = s->mass_room; // both arrays have the same
    if (slots <= room)
    {
        return true;
    }
    void *masses = s->masses, *movers = s->movers;
    const bool made = make_room(&masses, &room, slots, sizeof *s->masses);
    s->masses = masses;
    room = s->mass_room;
    if (!made || !make_room(&movers, &room, slots, sizeof *s->movers))
    {
        return false;
    }
    s->movers = movers;
    s->mass_room = room;
    return true;
}

abut_status solver_set_mass(solver *s, abut_body body, solver_mass mass)
{
    if (!abut_body_valid(s->world, body))
    {
        return ABUT_STALE_HANDLE;
    }
    if (!reserve_masses(s, body.slot + 1))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    s->masses[body.slot] = mass;
    return ABUT_OK;
}

// The world's inverse inertia: R D R^T, with D along the body's own axes.
static void turn_inertia(mover *m)
{
    const abut_mat3 r = abut_mat3_from_quat(m->pose->rotation);
    const abut_vec3 d = m->inverse_inertia_local;
    const abut_vec3 x = abut_vec3_scale(r.x, d.x), y = abut_vec3_scale(r.y, d.y), z = abut_vec3_scale(r.z, d.z);
    const abut_mat3 scaled = { x, y, z };
    m->inverse_inertia.x = abut_mat3_mul_vec3(&scaled, abut_vec3_make(r.x.x, r.y.x, r.z.x));
    m->inverse_inertia.y = abut_mat3_mul_vec3(&scaled, abut_vec3_make(r.x.y, r.y.y, r.z.y));
    m->inverse_inertia.z = abut_mat3_mul_vec3(&scaled, abut_vec3_make(r.x.z, r.y.z, r.z.z));
}

static void prepare_movers(solver *s, const abut_bodies *bodies)
{
    for (uint32_t slot = 0; slot < bodies->count; ++slot)
    {
        mover *m = &s->movers[slot];
        const solver_mass none = { 0 }, mass = bodies->generations[slot] ? s->masses[slot] : none;
        *m = (mover){ .pose = &bodies->poses[slot],
                      .velocity = &bodies->velocities[slot],
                      .inverse_mass = mass.inverse,
                      .inverse_inertia_local = mass.inverse_inertia };
        if (mass.inverse > 0.0f)
        {
            turn_inertia(m);
        }
    }
}

static bool prepare_constraints(solver *s, const abut_contacts *contacts)
{
    void *constraints = s->constraints;
    const bool room = make_room(&constraints, &s->constraint_room, contacts->count, sizeof *s->constraints);
    const abut_shifts shifts = abut_world_shifts(s->world); // all zeros where contacts have the separations of now
    s->constraints = constraints;
    s->constraint_count = room ? contacts->count : 0;
    for (uint32_t i = 0; i < s->constraint_count; ++i)
    {
        const abut_contact *contact = abut_contact_at(contacts, i);
        const abut_impulse *impulses = abut_impulses_of(contacts, contact);
        constraint *c = &s->constraints[i];
        *c = (constraint){ .body = { contact->a.slot, contact->b.slot },
                           .normal = contact->normal,
                           .count = contact->point_count };
        float gaps[ABUT_CONTACT_POINTS];
        abut_contact_gaps(&shifts, contact, gaps);
        constraint_tangents(c);
        for (uint32_t k = 0; k < c->count; ++k)
        {
            constraint_point_make(&c->points[k], c, &s->movers[c->body[0]], &s->movers[c->body[1]],
                                  contact->points[k].offset, gaps[k], &impulses[k]);
        }
    }
    return room;
}

// A turning body whose inertia is not the same about all axes turns its own axis: one Newton step of the implicit
// equation, in the body's axes (Catto, "Numerical Methods", GDC 2015).
static void turn_freely(mover *m, float h)
{
    const abut_vec3 inverse = m->inverse_inertia_local;
    if (inverse.x == inverse.y && inverse.y == inverse.z)
    {
        return;
    }
    const abut_vec3 i = { 1.0f / inverse.x, 1.0f / inverse.y, 1.0f / inverse.z };
    const abut_vec3 w = abut_quat_rotate(abut_quat_conjugate(m->pose->rotation), m->velocity->angular);
    const abut_vec3 spin = { i.x * w.x, i.y * w.y, i.z * w.z };
    const abut_vec3 f = abut_vec3_scale(abut_vec3_cross(w, spin), h);
    const abut_mat3 j = { { i.x, h * (w.z * i.x - spin.z), h * (spin.y - w.y * i.x) },
                          { h * (spin.z - w.z * i.y), i.y, h * (w.x * i.y - spin.x) },
                          { h * (w.y * i.z - spin.y), h * (spin.x - w.x * i.z), i.z } };
    const abut_vec3 yz = abut_vec3_cross(j.y, j.z);
    const float determinant = abut_vec3_dot(j.x, yz);
    const abut_vec3 change = { abut_vec3_dot(f, yz) / determinant,
                               abut_vec3_dot(j.x, abut_vec3_cross(f, j.z)) / determinant,
                               abut_vec3_dot(j.x, abut_vec3_cross(j.y, f)) / determinant };
    m->velocity->angular = abut_quat_rotate(m->pose->rotation, abut_vec3_sub(w, change));
}

static void push(solver *s, uint32_t slots, float h)
{
    for (uint32_t slot = 0; slot < slots; ++slot)
    {
        mover *m = &s->movers[slot];
        if (m->inverse_mass > 0.0f)
        {
            m->velocity->linear = abut_vec3_add(m->velocity->linear, abut_vec3_scale(s->gravity, h));
            turn_freely(m, h);
        }
    }
}

static void move(solver *s, uint32_t slots, float h)
{
    for (uint32_t slot = 0; slot < slots; ++slot)
    {
        const mover *m = &s->movers[slot];
        if (m->inverse_mass > 0.0f)
        {
            const abut_vec3 w = abut_vec3_scale(m->velocity->angular, 0.5f * h);
            const abut_quat q = m->pose->rotation, dq = abut_quat_mul((abut_quat){ w.x, w.y, w.z, 0.0f }, q);
            m->pose->position = abut_vec3_add(m->pose->position, abut_vec3_scale(m->velocity->linear, h));
            m->pose->rotation = abut_quat_normalise((abut_quat){ q.x + dq.x, q.y + dq.y, q.z + dq.z, q.w + dq.w });
        }
    }
}

static void warm_start(solver *s)
{
    for (uint32_t i = 0; i < s->constraint_count; ++i)
    {
        const constraint *c = &s->constraints[i];
        constraint_warm_start(c, &s->movers[c->body[0]], &s->movers[c->body[1]]);
    }
}

static void solve(solver *s, const softness *soft, bool softly)
{
    for (uint32_t i = 0; i < s->constraint_count; ++i)
    {
        constraint *c = &s->constraints[i];
        constraint_solve(c, &s->movers[c->body[0]], &s->movers[c->body[1]], soft, softly);
    }
}

static softness softness_of(const solver *s, float h)
{
    const float omega = 6.2831853f * STIFFNESS_HERTZ;
    const float a = 2.0f * DAMPING_RATIO + h * omega, b = h * omega * a, c = 1.0f / (1.0f + b);
    return (softness){ omega / a, b * c, c, h, s->friction };
}

static void keep_impulses(const solver *s, const abut_contacts *contacts)
{
    for (uint32_t i = 0; i < s->constraint_count; ++i)
    {
        const constraint *c = &s->constraints[i];
        abut_impulse *impulses = abut_impulses_of(contacts, abut_contact_at(contacts, i));
        for (uint32_t k = 0; k < c->count; ++k)
        {
            impulses[k].normal = c->points[k].normal;
            impulses[k].tangent[0] = c->points[k].tangent[0];
            impulses[k].tangent[1] = c->points[k].tangent[1];
        }
    }
}

abut_status solver_step(solver *s, float dt)
{
    const abut_status status = abut_world_detect(s->world, 0.0f);
    if (status != ABUT_OK)
    {
        return status;
    }
    const abut_bodies bodies = abut_world_bodies(s->world);
    const abut_contacts contacts = abut_world_contacts(s->world, ABUT_AWAKE);
    if (!reserve_masses(s, bodies.count))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    prepare_movers(s, &bodies);
    if (!prepare_constraints(s, &contacts))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    const float h = dt / (float)s->substeps;
    const softness soft = softness_of(s, h);
    for (uint32_t substep = 0; substep < s->substeps; ++substep)
    {
        push(s, bodies.count, h);
        warm_start(s);
        solve(s, &soft, true);
        move(s, bodies.count, h);
        solve(s, &soft, false);
    }
    keep_impulses(s, &contacts);
    return ABUT_OK;
}
