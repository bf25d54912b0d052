// A small rigid-body solver behind abut: sequential impulses over the contacts of a world, in substeps.
//
// The bodies' poses and velocities live in the world; what abut knows nothing of, their masses, lives here by body
// slot. One step is: find contacts, then several times over: push velocities by gravity, apply the impulses of the step
// before (warm starting), solve with soft contacts, move, and solve again without softness, so that pushing apart adds
// no speed ("Soft Step" in Catto, "Solver2D", 2024). Friction is a cone. All arithmetic is + - * / and square roots in
// a fixed order: the same bits everywhere.
#ifndef ABUT_STACK_SOLVER_H
#define ABUT_STACK_SOLVER_H

#include <abut/abut.h>

#define SOLVER_MARGIN                                                                                                  \
    0.01f // metres: give the world's definition this margin, so that contacts are there before bodies touch

typedef struct solver_mass
{
    float inverse;             // 1 / kg; zero: nothing moves it
    abut_vec3 inverse_inertia; // about the body's own axes, which must be its principal ones
} solver_mass;

typedef struct solver solver;

// `world` stays the caller's and must outlive the solver. NULL: out of memory.
solver *solver_create(abut_world *world, abut_vec3 gravity, float friction, uint32_t substeps);
void solver_destroy(solver *s); // NULL is allowed

// Of a solid box, of half extents h, and of a ball.
solver_mass solver_box_mass(abut_vec3 h, float density);
solver_mass solver_ball_mass(float radius, float density);

// Bodies without a mass of their own are not moved. ABUT_OUT_OF_MEMORY changes nothing.
ABUT_CHECKED abut_status solver_set_mass(solver *s, abut_body body, solver_mass mass);

// Steps the world by `dt` seconds. On any other status than ABUT_OK nothing has moved.
ABUT_CHECKED abut_status solver_step(solver *s, float dt);

#endif
