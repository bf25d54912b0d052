// ODE with abut in front of it: the same worlds run twice, once with ODE's own collision and once with abut's. Both
// must come to rest alike; then the times of finding contacts are compared.
#include "arguments.h"
#include "build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct work
{
    const char *name;
    void (*build)(site *s, int bodies);
    int bodies, steps;             // in full
    int short_bodies, short_steps; // in the short version
} work;

static const work works[] = {
    { "stacks", build_stacks, 300, 600, 60, 240 },
    { "wall", build_wall, 200, 600, 80, 240 },
    { "pile", build_pile, 2000, 900, 240, 480 },
};

// Means over the last quarter of the steps.
typedef struct outcome
{
    double height, energy, speed; // metres; joules a body, over the floor; metres a second
    double depth;                 // metres: mean of all points
    double collision_us;          // a step, over all steps
    double pairs, points;         // a step
    bool sound;
} outcome;

static double now_us(void)
{
    return 1.0e6 * (double)clock() / CLOCKS_PER_SEC; // processor time
}

static void look(const site *s, outcome *o, double weight)
{
    double height = 0.0, energy = 0.0, speed = 0.0;
    for (int i = 0; i < s->count; ++i)
    {
        const dReal *p = dBodyGetPosition(s->bodies[i]), *v = dBodyGetLinearVel(s->bodies[i]),
                    *w = dBodyGetAngularVel(s->bodies[i]);
        dMass mass;
        dVector3 spin;
        dBodyGetMass(s->bodies[i], &mass);
        dBodyVectorFromWorld(s->bodies[i], w[0], w[1], w[2], spin);
        const double square = dCalcVectorDot3(v, v);
        const double turning =
            mass.I[0] * spin[0] * spin[0] + mass.I[5] * spin[1] * spin[1] + mass.I[10] * spin[2] * spin[2];
        height += p[1];
        speed += sqrt(square);
        energy += mass.mass * (9.81 * p[1] + 0.5 * square) + 0.5 * turning;
    }
    o->height += weight * height / s->count;
    o->energy += weight * energy / s->count;
    o->speed += weight * speed / s->count;
}

// ODE's solver has not converged when it stops, so that a pile slides together more or less by the order of its joints.
// The finders' own orders differ; this one, of chance, favours neither.
static void shuffle(pair_types *found, uint32_t *seed)
{
    for (size_t i = found->count; i > 1; --i)
    {
        *seed = *seed * 1664525u + 1013904223u;
        const size_t k = (size_t)(((uint64_t)*seed * i) >> 32);
        const touch_point last = found->data[i - 1];
        found->data[i - 1] = found->data[k];
        found->data[k] = last;
    }
}

static void join(dWorldID world, dJointGroupID group, const pair_types *found)
{
    for (size_t i = 0; i < found->count; ++i)
    {
        const dContact contact = { .surface = { .mode = dContactApprox1, .mu = 0.6 }, .geom = found->data[i].geom };
        dJointAttach(dJointCreateContact(world, group, &contact), found->data[i].a, found->data[i].b);
    }
}

static void run_steps(site *s, int steps, outcome *o)
{
    const dJointGroupID group = dJointGroupCreate(0);
    const int last = steps / 4;
    uint32_t seed = 1;
    for (int step = 0; step < steps && !s->finder->found.failed; ++step)
    {
        const double began = now_us();
        s->finder->find(s->finder);
        o->collision_us += (now_us() - began) / steps;
        o->pairs += (double)s->finder->found.pairs / steps;
        o->points += (double)s->finder->found.count / steps;
        shuffle(&s->finder->found, &seed);
        join(s->world, group, &s->finder->found);
        dWorldQuickStep(s->world, 1.0 / 60.0);
        dJointGroupEmpty(group);
        if (step >= steps - last)
        {
            look(s, o, 1.0 / last);
            for (size_t i = 0; i < s->finder->found.count; ++i)
            {
                o->depth += s->finder->found.data[i].geom.depth / (double)(s->finder->found.count * (size_t)last);
            }
        }
    }
    dJointGroupDestroy(group);
}

static outcome run(const work *w, int bodies, int steps, finder f)
{
    outcome o = { 0 };
    if (!f.state)
    {
        return o;
    }
    site s = { .world = dWorldCreate(), .finder = &f };
    dRandSetSeed(1); // ODE's solver takes its rows in random order
    dWorldSetGravity(s.world, 0, -9.81, 0);
    dWorldSetERP(s.world, 0.2);
    dWorldSetCFM(s.world, 1.0e-5);
    dWorldSetContactMaxCorrectingVel(s.world, 1.0);
    dWorldSetQuickStepNumIterations(s.world, 30);
    dWorldSetDamping(s.world, 0.005, 0.01);
    w->build(&s, bodies);
    if (!s.failed)
    {
        run_steps(&s, steps, &o);
    }
    o.sound = !s.failed && !f.found.failed;
    f.close(&f);
    dWorldDestroy(s.world);
    free(s.bodies);
    return o;
}

static bool alike(double a, double b)
{
    return fabs(a - b) <= 0.05 * fmax(fabs(a), fabs(b));
}

static bool compare(const work *w, bool in_short, keeping contacts)
{
    const int bodies = in_short ? w->short_bodies : w->bodies, steps = in_short ? w->short_steps : w->steps;
    const outcome own = run(w, bodies, steps, finder_of_ode()), ours = run(w, bodies, steps, finder_of_abut(contacts));
    const outcome *both[2] = { &own, &ours };
    printf("%s: %d bodies, %d steps\n", w->name, bodies, steps);
    for (int i = 0; i < 2; ++i)
    {
        printf("  %-4s  mean height %.4f m, energy %.4f J, speed %.4f m/s, depth %.5f m; a step: %.0f pairs, %.0f "
               "points, collision "
               "%.1f us\n",
               i ? "abut" : "ODE", both[i]->height, both[i]->energy, both[i]->speed, both[i]->depth, both[i]->pairs,
               both[i]->points, both[i]->collision_us);
    }
    printf("  ODE's collision takes %.1f times as long\n", own.collision_us / ours.collision_us);
    const bool good = own.sound && ours.sound && alike(own.height, ours.height) && alike(own.energy, ours.energy) &&
                      own.speed < 0.1 && ours.speed < 0.1;
    printf("%s", good ? "" : "  NOT ALIKE, or not at rest\n");
    return good;
}

static const char help[] =
    "ode_front_end [--short] [--recycle] [--at-anchors] [stacks|wall|pile]\n"
    "Runs worlds of ODE twice, with ODE's own collision and with abut's, and compares how they come to rest and what\n"
    "finding contacts took. Without a name it runs all three.\n"
    "\n"
    "  --short       fewer bodies and steps\n"
    "  --recycle     abut keeps manifolds of bodies that move by less than five millimetres\n"
    "  --at-anchors  the same with separations at the anchors, from which those of now are found\n"
    "  --help        prints this\n";

static bool known(const char *name)
{
    for (size_t i = 0; i < sizeof works / sizeof *works; ++i)
    {
        if (strcmp(works[i].name, name) == 0)
        {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    bool in_short = false;
    keeping contacts = KEEP_NONE;
    const char *only = NULL;
    for (int i = 1; i < argc; ++i)
    {
        if (strcmp(argv[i], "--short") == 0)
        {
            in_short = true;
        }
        else if (strcmp(argv[i], "--recycle") == 0)
        {
            contacts = KEEP_FOLLOWED;
        }
        else if (strcmp(argv[i], "--at-anchors") == 0)
        {
            contacts = KEEP_AT_ANCHORS;
        }
        else if (help_wanted(argv[i]))
        {
            printf("usage: %s", help);
            return 0;
        }
        else if (argv[i][0] == '-' || !known(argv[i]))
        {
            return argument_rejected("ode_front_end", argv[i], "there is no such option or world");
        }
        else
        {
            only = argv[i];
        }
    }
    dInitODE2(0);
    bool good = true;
    for (size_t i = 0; i < sizeof works / sizeof *works; ++i)
    {
        good = (!only || strcmp(only, works[i].name) == 0 ? compare(&works[i], in_short, contacts) : true) && good;
    }
    dCloseODE();
    return good ? 0 : 1;
}
