#include "build.h"

#include <stdlib.h>

#define DENSITY 1.0

static dBodyID add_body(site *s, const dVector3 position, const dMass *mass)
{
    if (s->count == s->room)
    {
        const int room = s->room ? 2 * s->room : 256;
        dBodyID *larger = realloc(s->bodies, (size_t)room * sizeof *larger);
        if (!larger)
        {
            s->failed = true;
            return NULL;
        }
        s->bodies = larger;
        s->room = room;
    }
    const dBodyID body = dBodyCreate(s->world);
    dBodySetPosition(body, position[0], position[1], position[2]);
    dBodySetMass(body, mass);
    s->bodies[s->count++] = body;
    return body;
}

static void add_box(site *s, const dVector3 position, const dReal sides[3])
{
    dMass mass;
    dMassSetBox(&mass, DENSITY, sides[0], sides[1], sides[2]);
    const dBodyID body = add_body(s, position, &mass);
    s->failed = s->failed || !body || !s->finder->add_box(s->finder, body, position, sides);
}

static void add_ball(site *s, const dVector3 position, dReal radius)
{
    dMass mass;
    dMassSetSphere(&mass, DENSITY, radius);
    const dBodyID body = add_body(s, position, &mass);
    s->failed = s->failed || !body || !s->finder->add_ball(s->finder, body, radius);
}

static void add_fixed(site *s, const dVector3 position, const dReal sides[3])
{
    s->failed = s->failed || !s->finder->add_box(s->finder, NULL, position, sides);
}

static void add_floor(site *s)
{
    add_fixed(s, (dVector3){ 0, -1, 0 }, (dReal[3]){ 200, 2, 200 });
}

// Of six boxes each.
void build_stacks(site *s, int bodies)
{
    add_floor(s);
    for (int i = 0; i < bodies; ++i)
    {
        const int stack = i / 6, row = i % 6;
        add_box(s, (dVector3){ 2.0 * (stack % 10), 0.5 + row, 2.0 * (stack / 10) }, (dReal[3]){ 1, 1, 1 });
    }
}

// Ten bricks high, each row half a brick further.
void build_wall(site *s, int bodies)
{
    add_floor(s);
    const int length = (bodies + 9) / 10;
    for (int i = 0; i < bodies; ++i)
    {
        const int row = i / length, place = i % length;
        add_box(s, (dVector3){ 1.02 * place + 0.51 * (row % 2), 0.25 + 0.5 * row, 0 }, (dReal[3]){ 1, 0.5, 0.5 });
    }
}

// Numbers from 0 to 1 (Knuth's linear congruence), so that a pile is the same everywhere.
static dReal next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (dReal)(*seed >> 8) / 16777216.0;
}

static void add_bin(site *s, dReal side, dReal height)
{
    add_floor(s);
    for (int i = 0; i < 4; ++i)
    {
        const dReal sense = i % 2 ? 1 : -1, off = sense * (0.5 * side + 0.5);
        const dReal x = i < 2 ? off : 0, z = i < 2 ? 0 : off;
        add_fixed(s, (dVector3){ x, 0.5 * height, z },
                  (dReal[3]){ i < 2 ? 1 : side + 2, height, i < 2 ? side + 2 : 1 });
    }
}

// Boxes and balls in loose layers, dropped into a bin.
void build_pile(site *s, int bodies)
{
    const int row = bodies < 500 ? 6 : 12;
    const dReal side = 1.1 * row;
    uint32_t seed = 1;
    add_bin(s, side, 40);
    for (int i = 0; i < bodies; ++i)
    {
        const int layer = i / (row * row), place = i % (row * row);
        const dVector3 position = { 1.1 * (place % row) - 0.5 * side + 0.55 + 0.1 * (next(&seed) - 0.5),
                                    0.6 + 1.1 * layer,
                                    1.1 * (place / row) - 0.5 * side + 0.55 + 0.1 * (next(&seed) - 0.5) };
        if (i % 2)
        {
            add_ball(s, position, 0.25 + 0.2 * next(&seed));
        }
        else
        {
            const dReal sides[3] = { 0.5 + 0.4 * next(&seed), 0.5 + 0.4 * next(&seed), 0.5 + 0.4 * next(&seed) };
            add_box(s, position, sides);
        }
    }
}
