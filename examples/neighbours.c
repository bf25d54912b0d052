// Who is near: two armies of 2,500 units in the plane, each of which goes for the nearest enemy it sees, found anew in
// every frame by one call for each army. A unit's army is its category, so an army asks for what is in the other.
#include "arguments.h"

#include <abut/abut.h>

#include <stdio.h>
#include <time.h>

#define STEP  (1.0f / 30) // seconds
#define SIGHT 25.0f       // metres
#define SPEED 3.0f        // metres a second

enum
{
    ARMIES = 2,
    UNITS = 2500, // of each
    ROW = 50,
    FRAMES = 120
};

typedef struct field
{
    abut_world *world;
    abut_body unit[ARMIES][UNITS];
    abut_vec3 place[UNITS];
    abut_range range[UNITS];
    abut_near near[UNITS];
    double seconds; // spent asking
} field;

static uint32_t category_of(int army)
{
    return 1u << army;
}

// In two blocks that face each other.
static abut_status put(field *f, int army, int i)
{
    const float side = army == 0 ? -1.0f : 1.0f, rank = (float)(i / ROW), file = (float)(i % ROW);
    abut_body_def unit = { 0 };
    unit.pose.position = abut_vec3_make(side * (10 + 2 * rank), 2 * (file - ROW / 2) + 0.1f * rank, 0);
    unit.motion = ABUT_KINEMATIC;
    unit.collider.shape = abut_shape_sphere(0.4f);
    unit.collider.filter.category = category_of(army);
    return abut_body_create(f->world, &unit, &f->unit[army][i]);
}

static abut_status build(field *f)
{
    const abut_world_def flat = { .dimension = 2 };
    abut_status status = abut_world_create(&flat, &f->world);
    for (int i = 0; status == ABUT_OK && i < ARMIES * UNITS; ++i)
    {
        status = put(f, i / UNITS, i % UNITS);
    }
    return status == ABUT_OK ? abut_world_update(f->world) : status;
}

// The nearest enemy of each unit of an army: range[i] says whether unit i has one, and where among near[] it is.
static abut_status ask(field *f, int army, uint64_t *found)
{
    const abut_query_filter enemies = { .mask = category_of(1 - army) };
    const abut_bodies bodies = abut_world_bodies(f->world);
    for (int i = 0; i < UNITS; ++i)
    {
        f->place[i] = bodies.poses[f->unit[army][i].slot].position;
    }
    const clock_t before = clock();
    const abut_status status =
        abut_world_nearest_many(f->world, f->place, UNITS, SIGHT, 1, &enemies, f->range, f->near, UNITS, found);
    f->seconds += (double)(clock() - before) / CLOCKS_PER_SEC;
    return status;
}

// Each unit that has an enemy goes for it, until they touch. Returns how many do.
static uint32_t order(field *f, int army)
{
    const abut_bodies bodies = abut_world_bodies(f->world);
    uint32_t touching = 0;
    for (int i = 0; i < UNITS; ++i)
    {
        abut_vec3 *velocity = &bodies.velocities[f->unit[army][i].slot].linear;
        *velocity = abut_vec3_make(0, 0, 0);
        if (f->range[i].count == 0)
        {
            continue;
        }
        const abut_near *enemy = &f->near[f->range[i].first];
        const float distance = enemy->distance; // from the unit's centre to the enemy's edge
        touching += distance < 0.5f;
        if (distance >= 0.5f)
        {
            const abut_vec3 way = abut_vec3_sub(enemy->on_collider, enemy->on_query);
            *velocity = abut_vec3_scale(way, SPEED / distance);
        }
    }
    return touching;
}

static abut_status fight(field *f, uint64_t *engaged, uint32_t *touching)
{
    abut_status status = ABUT_OK;
    for (int frame = 0; status == ABUT_OK && frame < FRAMES; ++frame)
    {
        *engaged = 0;
        *touching = 0;
        for (int army = 0; status == ABUT_OK && army < ARMIES; ++army)
        {
            uint64_t found = 0;
            status = ask(f, army, &found);
            *engaged += found;
            *touching += status == ABUT_OK ? order(f, army) : 0;
        }
        status = status == ABUT_OK ? abut_world_move(f->world, STEP) : status;
        status = status == ABUT_OK ? abut_world_update(f->world) : status;
    }
    return status;
}

static const char help[] =
    "neighbours\n"
    "Sets two armies of 2,500 units on each other: in every frame each unit finds the nearest enemy.\n";

int main(int argc, char **argv)
{
    static field f;
    uint64_t engaged = 0;
    uint32_t touching = 0;
    const int answer = arguments_answer("neighbours", help, 0, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    abut_status status = build(&f);
    status = status == ABUT_OK ? fight(&f, &engaged, &touching) : status;
    abut_world_destroy(f.world);
    if (status != ABUT_OK)
    {
        fprintf(stderr, "neighbours: %s\n", abut_status_text(status));
        return 1;
    }
    printf("%llu of %d units see an enemy, %u have reached theirs; %.2f ms a frame to find them\n",
           (unsigned long long)engaged, ARMIES * UNITS, touching, 1000 * f.seconds / FRAMES);
    return engaged > 0 && touching > 0 ? 0 : 1;
}
