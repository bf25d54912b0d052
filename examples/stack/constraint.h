// A contact as the solver works on it.
#ifndef ABUT_STACK_CONSTRAINT_H
#define ABUT_STACK_CONSTRAINT_H

#include <abut/abut.h>

// A body during a step, by slot.
typedef struct mover
{
    abut_pose *pose;
    abut_velocity *velocity;
    float inverse_mass;
    abut_vec3 inverse_inertia_local; // about its own axes
    abut_mat3 inverse_inertia;       // about the world's
} mover;

typedef struct constraint_point
{
    abut_vec3 anchor[2]; // from each body's position, world axes, when contacts were found
    abut_vec3 local[2];  // the same in each body's own axes
    float separation;    // then
    float normal_mass, tangent_mass[2];
    float normal, tangent[2]; // impulses, newton seconds
} constraint_point;

typedef struct constraint
{
    uint32_t body[2];
    abut_vec3 normal, tangent[2];
    uint32_t count; // points
    constraint_point points[ABUT_CONTACT_POINTS];
} constraint;

// How stiff a contact is: a spring and a damper, solved implicitly over one substep (after Catto, "Soft Constraints",
// GDC 2011).
typedef struct softness
{
    float rate;                      // of pushing apart: metres a second a metre
    float mass_scale, impulse_scale; // of a rigid contact's impulse, and of what was applied already
    float substep;                   // seconds
    float friction;
} softness;

// `point` is abut's; the constraint's normal and tangents are set.
void constraint_point_make(constraint_point *out, const constraint *c, const mover *a, const mover *b, abut_vec3 offset,
                           float separation, const abut_impulse *impulse);

// Two directions at right angles to the normal. They change steadily with it but for one turn of 45 degrees from
// upright, so that friction's impulses can be carried over.
void constraint_tangents(constraint *c);

void constraint_warm_start(const constraint *c, mover *a, mover *b);

// One round over a contact's points: friction first, then normals, which matter more. Not `soft`: rigid, without
// pushing apart.
void constraint_solve(constraint *c, mover *a, mover *b, const softness *s, bool soft);

#endif
