// Who sees whom: 200 characters walk through a level of 500 boxes, and in every frame each pair of them is asked for a
// line of sight, 19,900 rays in one call. Characters are in a category of their own, so that rays pass through them and
// only walls hide.
#include "arguments.h"

#include <abut/abut.h>

#include <stdio.h>
#include <time.h>

#define STEP (1.0f / 60) // seconds
#define SIDE 60.0f       // metres: half the level
#define EYES 1.6f        // metres above the ground

enum
{
    CHARACTERS = 200,
    BOXES = 500,
    PAIRS = CHARACTERS * (CHARACTERS - 1) / 2,
    FRAMES = 60,
    WALL = 1, // categories
    CHARACTER = 2
};

typedef struct level
{
    abut_world *world;
    abut_body character[CHARACTERS];
    abut_ray ray[PAIRS];
    bool hidden[PAIRS];
    unsigned chance;
    double seconds; // spent asking
} level;

static float random_between(level *l, float low, float high)
{
    l->chance = l->chance * 1664525u + 1013904223u;
    return low + (high - low) * (float)(l->chance >> 8) / 16777216.0f;
}

static abut_vec3 somewhere(level *l, float height)
{
    const float x = random_between(l, -SIDE, SIDE), z = random_between(l, -SIDE, SIDE);
    return abut_vec3_make(x, height, z);
}

static abut_status put_box(level *l)
{
    const float x = random_between(l, 0.2f, 2), y = random_between(l, 0.5f, 3), z = random_between(l, 0.2f, 2);
    abut_body made;
    abut_body_def box = { 0 };
    box.pose.position = somewhere(l, y);
    box.pose.rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 1, 0), random_between(l, 0, 3));
    box.motion = ABUT_STATIC;
    box.collider.shape = abut_shape_obb(x, y, z);
    box.collider.filter.category = WALL;
    return abut_body_create(l->world, &box, &made);
}

static abut_status put_character(level *l, int i)
{
    abut_body_def character = { 0 };
    character.pose.position = somewhere(l, 0.9f);
    character.velocity.linear = abut_vec3_make(random_between(l, -2, 2), 0, random_between(l, -2, 2));
    character.motion = ABUT_KINEMATIC;
    character.collider.shape = abut_shape_capsule(0.3f, 0.6f);
    character.collider.filter.category = CHARACTER;
    return abut_body_create(l->world, &character, &l->character[i]);
}

static abut_status build(level *l)
{
    abut_status status = abut_world_create(NULL, &l->world);
    for (int i = 0; status == ABUT_OK && i < BOXES; ++i)
    {
        status = put_box(l);
    }
    for (int i = 0; status == ABUT_OK && i < CHARACTERS; ++i)
    {
        status = put_character(l, i);
    }
    return status;
}

// From the eyes of each character to those of each one after it.
static void aim(level *l)
{
    const abut_bodies bodies = abut_world_bodies(l->world);
    abut_ray *ray = l->ray;
    for (int i = 0; i < CHARACTERS; ++i)
    {
        abut_vec3 from = bodies.poses[l->character[i].slot].position;
        from.y = EYES;
        for (int k = i + 1; k < CHARACTERS; ++k)
        {
            abut_vec3 to = bodies.poses[l->character[k].slot].position;
            to.y = EYES;
            ray->origin = from;
            ray->translation = abut_vec3_sub(to, from);
            ++ray;
        }
    }
}

static abut_status look(level *l)
{
    const abut_query_filter walls = { .mask = WALL };
    const clock_t before = clock();
    const abut_status status = abut_world_ray_any_many(l->world, l->ray, PAIRS, &walls, l->hidden);
    l->seconds += (double)(clock() - before) / CLOCKS_PER_SEC;
    return status;
}

// The same pairs from the other end, one by one: what A sees of B, B sees of A.
static abut_status look_back(const level *l, uint32_t *differing)
{
    const abut_query_filter walls = { .mask = WALL };
    abut_status status = ABUT_OK;
    *differing = 0;
    for (uint32_t i = 0; status == ABUT_OK && i < PAIRS; ++i)
    {
        bool hidden = false;
        const abut_vec3 way = l->ray[i].translation;
        const abut_ray back = { abut_vec3_add(l->ray[i].origin, way), abut_vec3_negate(way) };
        status = abut_world_ray_any(l->world, &back, &walls, &hidden);
        *differing += hidden != l->hidden[i];
    }
    return status;
}

static abut_status walk(level *l, uint32_t *in_sight)
{
    abut_status status = ABUT_OK;
    for (int frame = 0; status == ABUT_OK && frame < FRAMES; ++frame)
    {
        status = abut_world_move(l->world, STEP);
        status = status == ABUT_OK ? abut_world_update(l->world) : status; // queries see where all are now
        if (status == ABUT_OK)
        {
            aim(l);
            status = look(l);
        }
    }
    *in_sight = 0;
    for (int i = 0; i < PAIRS; ++i)
    {
        *in_sight += !l->hidden[i];
    }
    return status;
}

static const char help[] =
    "line_of_sight\n"
    "Walks 200 characters through a level of 500 boxes and asks in every frame which of them see each other.\n";

int main(int argc, char **argv)
{
    static level l = { .chance = 1 };
    uint32_t in_sight = 0, differing = 0;
    const int answer = arguments_answer("line_of_sight", help, 0, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    abut_status status = build(&l);
    status = status == ABUT_OK ? walk(&l, &in_sight) : status;
    status = status == ABUT_OK ? look_back(&l, &differing) : status;
    abut_world_destroy(l.world);
    if (status != ABUT_OK)
    {
        fprintf(stderr, "line_of_sight: %s\n", abut_status_text(status));
        return 1;
    }
    printf("%u of %d pairs see each other; %.2f ms a frame for all of them\n", in_sight, PAIRS,
           1000 * l.seconds / FRAMES);
    printf("looking back, %u differ\n", differing);
    return in_sight > 0 && differing <= PAIRS / 1000 ? 0 : 1; // a ray along an edge may be rounded past it
}
