// Bullets that fly many metres a step, in a room with thin walls. A detect with the step for its horizon finds what
// each will hit and when; moved until then and no further, bullets bounce off the walls and stick to a board that turns
// and slides, and none gets through. Stepped without looking ahead they are outside at once.
#include "arguments.h"

#include <abut/abut.h>

#include <math.h>
#include <stdio.h>

#define STEP (1.0f / 60) // seconds
#define ROOM 5.0f        // half its width, metres
#define THIN 0.001f      // half the thickness of walls and board, metres

enum
{
    WALLS = 6,
    BULLETS = 100,
    BODIES = WALLS + 1 + BULLETS,
    STEPS = 60
};

// A body's user data: what happens to a bullet that hits it.
enum
{
    BOUNCES,
    STICKS
};

typedef struct range
{
    abut_world *world;
    uint32_t bounced, stuck;
} range;

static float random_between(uint32_t *state, float low, float high)
{
    *state = *state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(*state >> 8) / 16777216.0f;
}

static abut_body_def wall(int side)
{
    float place[3] = { 0, 0, 0 }, half[3] = { ROOM, ROOM, ROOM };
    place[side / 2] = side % 2 ? ROOM : -ROOM;
    half[side / 2] = THIN;
    return (abut_body_def){ .pose.position = { place[0], place[1], place[2] },
                            .motion = ABUT_STATIC,
                            .user_data = BOUNCES,
                            .collider.shape = abut_shape_aabb(half[0], half[1], half[2]) };
}

// Balls, and slugs that tumble. They share a negative group, so that they do not collide with each other.
static abut_body_def bullet(bool slug, uint32_t *random)
{
    abut_body_def def = { .velocity.angular.y = slug ? 200.0f : 0.0f,
                          .flags = ABUT_BODY_CCD,
                          .collider.shape = slug ? abut_shape_obb(0.02f, 0.005f, 0.005f) : abut_shape_sphere(0.01f),
                          .collider.filter.group = -1 };
    def.velocity.linear.x = random_between(random, -600, 600);
    def.velocity.linear.y = random_between(random, -600, 600);
    def.velocity.linear.z = random_between(random, -600, 600);
    return def;
}

static abut_status build(abut_world *world)
{
    abut_body_def defs[BODIES] = { { .pose.position.x = 3,
                                     .velocity = { .linear.z = 2, .angular.y = 1 },
                                     .motion = ABUT_KINEMATIC,
                                     .user_data = STICKS,
                                     .collider.shape = abut_shape_obb(THIN, 1, 1) } };
    abut_body bodies[BODIES];
    uint32_t random = 1;
    for (int i = 0; i < WALLS; ++i)
    {
        defs[1 + i] = wall(i);
    }
    for (int i = 0; i < BULLETS; ++i)
    {
        defs[1 + WALLS + i] = bullet(i % 2 == 1, &random);
    }
    return abut_body_create_many(world, defs, BODIES, bodies);
}

// The whole step for every body; bullets that hit something, only until then.
static abut_status advance(abut_world *world)
{
    const abut_impacts impacts = abut_world_impacts(world);
    const abut_bodies all = abut_world_bodies(world);
    abut_pose met[BULLETS];
    for (uint32_t i = 0; i < impacts.count; ++i)
    {
        const uint32_t slot = impacts.data[i].body.slot;
        met[i] = all.poses[slot];
        if (!abut_pose_move(&met[i], &all.velocities[slot], impacts.data[i].impact.time))
        {
            return ABUT_INVALID_ARGUMENT;
        }
    }
    const abut_status status = abut_world_move(world, STEP);
    for (uint32_t i = 0; status == ABUT_OK && i < impacts.count; ++i)
    {
        all.poses[impacts.data[i].body.slot] = met[i];
    }
    return status;
}

// The normal points into what was hit. A tumbling slug may hit with its end while its middle is on the way out: then
// only the turning has to be undone.
static void bounce(range *r, const abut_body_impact *hit)
{
    abut_velocity *v = &abut_world_bodies(r->world).velocities[hit->body.slot];
    const float inward = abut_vec3_dot(v->linear, hit->impact.normal);
    if (inward > 0.0f)
    {
        v->linear = abut_vec3_sub(v->linear, abut_vec3_scale(hit->impact.normal, 2 * inward));
    }
    v->angular = abut_vec3_negate(v->angular);
    ++r->bounced;
}

// The body ends, its shape becomes one more collider of what it hit. That has moved on since: its pose at the impact is
// wanted.
static abut_status stick(range *r, const abut_body_impact *hit)
{
    const abut_bodies all = abut_world_bodies(r->world);
    const uint32_t other = hit->other.slot;
    const abut_pose at = all.poses[hit->body.slot];
    abut_pose board = all.poses[other];
    if (!abut_pose_move(&board, &all.velocities[other], hit->impact.time - STEP))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const abut_quat back = abut_quat_conjugate(board.rotation);
    abut_collider_def def;
    abut_collider made;
    abut_status status = abut_collider_get(r->world, hit->collider, &def, NULL);
    def.local = (abut_pose){ .position = abut_quat_rotate(back, abut_vec3_sub(at.position, board.position)),
                             .rotation = abut_quat_mul(back, at.rotation) };
    def.filter.group = 0;
    status = status == ABUT_OK ? abut_collider_attach(r->world, hit->other, &def, &made) : status;
    status = status == ABUT_OK ? abut_body_destroy(r->world, hit->body) : status;
    ++r->stuck;
    return status;
}

// Impacts are results of the detect: they stand while bodies are edited.
static abut_status respond(range *r)
{
    const abut_impacts impacts = abut_world_impacts(r->world);
    abut_status status = ABUT_OK;
    for (uint32_t i = 0; status == ABUT_OK && i < impacts.count; ++i)
    {
        const abut_body_impact *hit = &impacts.data[i];
        uint64_t what = BOUNCES;
        status = abut_body_user_data(r->world, hit->other, &what);
        if (status == ABUT_OK && what == STICKS)
        {
            status = stick(r, hit);
        }
        else if (status == ABUT_OK)
        {
            bounce(r, hit);
        }
    }
    return status;
}

static abut_status look_ahead(range *r)
{
    abut_status status = abut_world_detect(r->world, STEP);
    status = status == ABUT_OK ? advance(r->world) : status;
    return status == ABUT_OK ? respond(r) : status;
}

static abut_status step_plainly(range *r)
{
    return abut_world_step(r->world, STEP);
}

static uint32_t outside(abut_world *world)
{
    const abut_bodies all = abut_world_bodies(world);
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < all.count; ++slot)
    {
        const abut_vec3 p = all.poses[slot].position;
        count += all.generations[slot] != 0 && (fabsf(p.x) > ROOM || fabsf(p.y) > ROOM || fabsf(p.z) > ROOM);
    }
    return count;
}

static abut_status run(range *r, abut_status (*step)(range *r), uint32_t *lost)
{
    abut_status status = abut_world_create(NULL, &r->world);
    status = status == ABUT_OK ? build(r->world) : status;
    for (int i = 0; status == ABUT_OK && i < STEPS; ++i)
    {
        status = step(r);
    }
    *lost = outside(r->world);
    abut_world_destroy(r->world);
    return status;
}

static const char help[] =
    "bullets\n"
    "Fires 100 bullets at thin walls, first plainly and then looking ahead, and prints how many got through.\n";

int main(int argc, char **argv)
{
    const int answer = arguments_answer("bullets", help, 0, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    range plain = { 0 }, ahead = { 0 };
    uint32_t lost_plainly = 0, lost = 0;
    abut_status status = run(&plain, step_plainly, &lost_plainly);
    status = status == ABUT_OK ? run(&ahead, look_ahead, &lost) : status;
    if (status != ABUT_OK)
    {
        fprintf(stderr, "bullets: %s\n", abut_status_text(status));
        return 1;
    }
    printf("stepped plainly, %u of %d bullets are out of the room\n", lost_plainly, BULLETS);
    printf("looking ahead, %u are: they bounced %u times, and %u stick to the board\n", lost, ahead.bounced,
           ahead.stuck);
    return lost_plainly > 0 && lost == 0 && ahead.bounced > 0 && ahead.stuck > 0 ? 0 : 1;
}
