#include "make.h"

#include <abut/math.h>

#include <math.h>

enum
{
    CELLS = 40, // along a side of the ground
    COARSE = 5  // cells between random heights
};

#define HALF   20.0f // metres: half the ground's side
#define THICK  0.25f // half the thickness of walls
#define BURIED 1.5f  // metres that parts reach below zero, past the deepest hollow

typedef struct maker
{
    plan *plan;
    uint32_t chance;
    bool sound;
} maker;

static float random_between(maker *m, float low, float high)
{
    m->chance = m->chance * 1664525u + 1013904223u;
    return low + (high - low) * (float)(m->chance >> 8) / 16777216.0f;
}

// To a centimetre, so that the file is pleasant to read.
static float centimetres(float x)
{
    return floorf(100.0f * x + 0.5f) / 100.0f;
}

static float eased(float t)
{
    return t * t * (3.0f - 2.0f * t);
}

static void lay_ground(maker *m)
{
    enum
    {
        KNOTS = CELLS / COARSE + 1
    };
    float knots[KNOTS][KNOTS];
    for (int i = 0; i < KNOTS * KNOTS; ++i)
    {
        knots[i / KNOTS][i % KNOTS] = random_between(m, -0.8f, 0.8f);
    }
    m->sound = plan_set_ground(m->plan, CELLS + 1, CELLS + 1, 2.0f * HALF / CELLS);
    for (int i = 0; m->sound && i < (CELLS + 1) * (CELLS + 1); ++i)
    {
        const int column = i % (CELLS + 1), row = i / (CELLS + 1);
        const int x = column < CELLS ? column / COARSE : KNOTS - 2, z = row < CELLS ? row / COARSE : KNOTS - 2;
        const float u = eased((float)(column - x * COARSE) / COARSE), v = eased((float)(row - z * COARSE) / COARSE);
        const float low = knots[z][x] + u * (knots[z][x + 1] - knots[z][x]),
                    high = knots[z + 1][x] + u * (knots[z + 1][x + 1] - knots[z + 1][x]);
        m->plan->heights[i] = centimetres(low + v * (high - low) + random_between(m, -0.08f, 0.08f));
    }
}

// Between two corners; what stands in the ground begins below it.
static void add(maker *m, part_kind kind, const float low[3], const float high[3], uint32_t turns, uint32_t count)
{
    plan_part part = { .kind = kind, .turns = turns, .count = count };
    for (int axis = 0; axis < 3; ++axis)
    {
        part.middle[axis] = 0.5f * (low[axis] + high[axis]);
        part.half[axis] = 0.5f * (high[axis] - low[axis]);
    }
    if (turns % 2 == 1) // the box is the one before it is turned
    {
        const float x = part.half[0];
        part.half[0] = part.half[2];
        part.half[2] = x;
    }
    m->sound = m->sound && plan_add(m->plan, part);
}

static void add_block(maker *m, float x0, float z0, float x1, float z1, float low, float high)
{
    add(m, PART_BLOCK, (const float[3]){ x0, low, z0 }, (const float[3]){ x1, high, z1 }, 0, 0);
}

static void add_pillar(maker *m, float x, float z, float low, float high, float radius, uint32_t sides)
{
    add(m, PART_PILLAR, (const float[3]){ x - radius, low, z - radius },
        (const float[3]){ x + radius, high, z + radius }, 0, sides);
}

static void wall_around(maker *m)
{
    const float out = HALF, in = HALF - 2.0f * THICK, high = 1.8f;
    add_block(m, -out, -out, out, -in, -BURIED, high);
    add_block(m, -out, in, out, out, -BURIED, high);
    add_block(m, -out, -in, -in, in, -BURIED, high);
    add_block(m, in, -in, out, in, -BURIED, high);
}

// A floor a little above the ground and four walls of random heights, with a door in the two across x.
static void room(maker *m, float x, float z, float half_x, float half_z)
{
    const float door = 0.9f, t = 2.0f * THICK;
    add_block(m, x - half_x, z - half_z, x + half_x, z + half_z, -BURIED, 0.9f);
    for (int side = -1; side <= 1; side += 2)
    {
        const float high = centimetres(random_between(m, 1.8f, 3.2f)), s = (float)side;
        const float in = z + s * (half_z - t), out = z + s * half_z;
        add_block(m, x - half_x, in < out ? in : out, x - door, in < out ? out : in, 0.9f, high);
        add_block(m, x + door, in < out ? in : out, x + half_x, in < out ? out : in, 0.9f, high);
        const float left = x + s * (half_x - t), right = x + s * half_x;
        add_block(m, left < right ? left : right, z - half_z + t, left < right ? right : left, z + half_z - t, 0.9f,
                  centimetres(random_between(m, 1.2f, 2.4f)));
    }
}

// Stairs up on one side, a ramp on another, pillars in two rows on top.
static void terrace(maker *m, float x, float z)
{
    const float half = 5.0f, top = 2.4f;
    add_block(m, x - half, z - half, x + half, z + half, -BURIED, top);
    add(m, PART_STAIRS, (const float[3]){ x - 2.0f, -BURIED, z + half },
        (const float[3]){ x + 2.0f, top, z + half + 5.5f }, 1, 13);
    add(m, PART_RAMP, (const float[3]){ x - half - 7.0f, -BURIED, z - 2.0f },
        (const float[3]){ x - half, top, z + 2.0f }, 0, 0);
    for (int i = 0; i < 8; ++i)
    {
        const float along = -3.9f + 2.6f * (float)(i % 4), across = i < 4 ? -2.8f : 2.8f;
        const float high = top + centimetres(random_between(m, 0.7f, 3.6f));
        add_pillar(m, x + across, z + along, top, high, 0.45f, 10);
    }
}

bool make_plan(plan *out, uint32_t seed)
{
    maker m = { .plan = out, .chance = seed };
    lay_ground(&m);
    wall_around(&m);
    room(&m, -10.0f, 10.0f, 5.5f, 4.5f);
    room(&m, -13.0f, -12.0f, 4.0f, 4.5f);
    terrace(&m, 8.0f, -6.0f);
    for (int i = 0; i < 6; ++i)
    {
        const float x = centimetres(random_between(&m, 6.0f, 17.0f)), z = centimetres(random_between(&m, 8.0f, 17.0f));
        const float high = centimetres(random_between(&m, 0.8f, 3.0f));
        add_pillar(&m, x, z, -BURIED, high, centimetres(random_between(&m, 0.4f, 0.9f)), 8);
    }
    return m.sound;
}
