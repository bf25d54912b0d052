#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DENSITY 1000.0f

static void keep(stage *s, abut_status status)
{
    s->status = s->status == ABUT_OK ? status : s->status;
}

// Adds a body; a floor is one without mass.
static abut_body put(stage *s, const abut_body_def *def, solver_mass mass)
{
    abut_body body = { 0 };
    keep(s, abut_body_create(s->world, def, &body));
    keep(s, s->status == ABUT_OK ? solver_set_mass(s->solver, body, mass) : s->status);
    if (s->status == ABUT_OK && mass.inverse > 0.0f)
    {
        if (s->count == s->room)
        {
            const uint32_t room = s->room ? 2 * s->room : 64;
            abut_body *bodies = realloc(s->bodies, room * sizeof *bodies);
            s->bodies = bodies ? bodies : s->bodies;
            abut_pose *placed = realloc(s->placed, room * sizeof *placed);
            s->placed = placed ? placed : s->placed;
            if (!bodies || !placed)
            {
                keep(s, ABUT_OUT_OF_MEMORY);
                return body;
            }
            s->room = room;
        }
        s->placed[s->count] = def->pose;
        s->bodies[s->count++] = body;
    }
    return body;
}

static void put_floor(stage *s)
{
    const abut_body_def floor = { .pose.position.y = -1.0f,
                                  .motion = ABUT_STATIC,
                                  .collider.shape = abut_shape_aabb(100.0f, 1.0f, 100.0f) };
    put(s, &floor, (solver_mass){ 0 });
}

static abut_body put_box(stage *s, abut_vec3 half, abut_vec3 position)
{
    const abut_body_def def = { .pose.position = position, .collider.shape = abut_shape_obb(half.x, half.y, half.z) };
    return put(s, &def, solver_box_mass(half, DENSITY));
}

static abut_pose pose_of(const stage *s, uint32_t index)
{
    abut_pose pose = abut_pose_identity();
    return abut_body_pose(s->world, s->bodies[index], &pose) == ABUT_OK ? pose : abut_pose_identity();
}

// The largest distance by which a body is away from where it was put, and how far the last one, the top, is.
static bool judge_stack(const stage *s, float seconds)
{
    float most = 0.0f, sag = 0.0f;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        const abut_vec3 d = abut_vec3_sub(pose_of(s, i).position, s->placed[i].position);
        const float aside = sqrtf(d.x * d.x + d.z * d.z);
        most = aside > most ? aside : most;
        sag = -d.y > sag ? -d.y : sag;
    }
    const abut_vec3 top = abut_vec3_sub(pose_of(s, s->count - 1).position, s->placed[s->count - 1].position);
    const float drift = sqrtf(top.x * top.x + top.z * top.z);
    printf("  after %g s: top moved aside by %.4f%% of a box, any by at most %.4f%%; sunk by at most %.4f%%\n", seconds,
           100.0 * drift, 100.0 * most, 100.0 * sag);
    return drift < 0.02f && most < 0.02f && sag < 0.1f;
}

static void build_tower(stage *s)
{
    put_floor(s);
    for (int row = 0; row < 15; ++row)
    {
        put_box(s, abut_vec3_make(0.5f, 0.5f, 0.5f), abut_vec3_make(0.0f, 0.5f + (float)row, 0.0f));
    }
}

// Twenty rows, the lowest of twenty boxes, a twentieth of a box between neighbours.
static void build_pyramid(stage *s)
{
    put_floor(s);
    for (int row = 0; row < 20; ++row)
    {
        for (int i = 0; i < 20 - row; ++i)
        {
            const float x = 1.05f * ((float)i - 0.5f * (float)(19 - row));
            put_box(s, abut_vec3_make(0.5f, 0.5f, 0.5f), abut_vec3_make(x, 0.5f + (float)row, 0.0f));
        }
    }
}

// Numbers from 0 to 1 (Knuth's linear congruence), so that a pile is the same everywhere.
static float next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 16777216.0f;
}

// Nine towers of six prisms with twelve sides, each turned another way and none quite above the next.
static void build_prisms(stage *s)
{
    enum
    {
        SIDES = 12
    };
    const float radius = 0.5f, half = 0.25f, mass = DENSITY * 3.0f * radius * radius * 2.0f * half;
    const float along = 0.5f * mass * radius * radius,
                across = mass * (3.0f * radius * radius + 4.0f * half * half) / 12.0f;
    uint32_t seed = 1;
    abut_vec3 corner[2 * SIDES];
    abut_geometry *prism = NULL;
    put_floor(s);
    for (int i = 0; i < 2 * SIDES; ++i)
    {
        const float angle = 6.2831853f * (float)(i / 2) / SIDES;
        corner[i] = abut_vec3_make(radius * cosf(angle), i % 2 ? half : -half, radius * sinf(angle));
    }
    keep(s, abut_geometry_create_hull(corner, 2 * SIDES, 0, NULL, &prism));
    for (int i = 0; i < 54 && s->status == ABUT_OK; ++i)
    {
        const float x = 2.0f * (float)(i / 6 % 3) + 0.04f * next(&seed),
                    z = 2.0f * (float)(i / 18) + 0.04f * next(&seed);
        const abut_quat turn = abut_quat_from_axis_angle(abut_vec3_make(0.0f, 1.0f, 0.0f), 6.2831853f * next(&seed));
        const abut_body_def def = { .pose = { { x, half * (1.0f + 2.0f * (float)(i % 6)), z }, .rotation = turn },
                                    .collider.shape = abut_shape_hull(prism) };
        put(s, &def, (solver_mass){ 1.0f / mass, { 1.0f / across, 1.0f / along, 1.0f / across } });
    }
    abut_geometry_release(prism); // the world keeps it
}

static void build_dominoes(stage *s)
{
    put_floor(s);
    for (int i = 0; i < 25; ++i)
    {
        put_box(s, abut_vec3_make(0.05f, 0.5f, 0.25f), abut_vec3_make(0.45f * (float)i, 0.5f, 0.0f));
    }
    if (s->status == ABUT_OK)
    {
        const abut_velocity knock = { .linear.x = 0.6f, .angular.z = -1.2f };
        keep(s, abut_body_set_velocity(s->world, s->bodies[0], &knock));
    }
}

static bool judge_dominoes(const stage *s, float seconds)
{
    uint32_t fallen = 0;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        fallen += abut_quat_rotate(pose_of(s, i).rotation, abut_vec3_make(0.0f, 1.0f, 0.0f)).y < 0.8f;
    }
    printf("  after %g s: %u of %u dominoes have fallen\n", seconds, fallen, s->count);
    return fallen == s->count || seconds < 10.0f;
}

// A disc of four crossed boxes on an axle with a round tip, tilted by 0.2 radians and spinning. Its colliders are
// placed about the centre of mass; the masses are those of the disc and the axle.
static void build_top(stage *s)
{
    static const float height = 0.6f; // of the centre of mass over the tip's middle
    put_floor(s);
    const abut_quat tilt = abut_quat_from_axis_angle(abut_vec3_make(0.0f, 0.0f, 1.0f), 0.2f);
    const abut_vec3 axle = abut_quat_rotate(tilt, abut_vec3_make(0.0f, 1.0f, 0.0f));
    const abut_body_def def = { .pose = { .position = { -height * (-axle.x), 0.1f + height * axle.y, 0.0f },
                                          .rotation = tilt },
                                .velocity.angular = abut_vec3_scale(axle, 40.0f),
                                .collider = { .shape = abut_shape_sphere(0.1f), .local.position.y = -height } };
    const float mass = 20.0f, about_axle = 0.5f * mass * 0.25f, across = 0.5f * about_axle + 0.1f;
    const abut_body top =
        put(s, &def, (solver_mass){ 1.0f / mass, { 1.0f / across, 1.0f / about_axle, 1.0f / across } });
    for (int i = 0; i < 4 && s->status == ABUT_OK; ++i)
    {
        const abut_quat turn = abut_quat_from_axis_angle(abut_vec3_make(0.0f, 1.0f, 0.0f), 0.7853982f * (float)i);
        const abut_collider_def blade = { .shape = abut_shape_obb(0.5f, 0.05f, 0.2f), .local.rotation = turn };
        abut_collider collider;
        keep(s, abut_collider_attach(s->world, top, &blade, &collider));
    }
}

static bool judge_top(const stage *s, float seconds)
{
    const abut_pose pose = pose_of(s, 0);
    const float upright = abut_quat_rotate(pose.rotation, abut_vec3_make(0.0f, 1.0f, 0.0f)).y;
    printf("  after %g s: the top's axle leans so that its height is %.4f of what it is upright\n", seconds, upright);
    return upright > 0.9f;
}

static void put_wall(stage *s, float x, float z, float half_x, float half_z)
{
    const abut_body_def wall = { .pose.position = { x, 10.0f, z },
                                 .motion = ABUT_STATIC,
                                 .collider.shape = abut_shape_aabb(half_x, 10.0f, half_z) };
    put(s, &wall, (solver_mass){ 0 });
}

// Boxes and balls, five by five in loose layers, dropped into a bin.
static void build_pile(stage *s)
{
    uint32_t seed = 1;
    put_floor(s);
    put_wall(s, -3.5f, 0.0f, 0.5f, 4.0f);
    put_wall(s, 3.5f, 0.0f, 0.5f, 4.0f);
    put_wall(s, 0.0f, -3.5f, 4.0f, 0.5f);
    put_wall(s, 0.0f, 3.5f, 4.0f, 0.5f);
    for (int i = 0; i < 200; ++i)
    {
        const float x = 1.1f * (float)(i % 5 - 2) + 0.1f * next(&seed),
                    z = 1.1f * (float)(i / 5 % 5 - 2) + 0.1f * next(&seed);
        const abut_vec3 position = { x, 0.6f + 1.1f * (float)(i / 25), z };
        if (i % 3 == 0)
        {
            const float radius = 0.25f + 0.2f * next(&seed);
            const abut_body_def ball = { .pose.position = position, .collider.shape = abut_shape_sphere(radius) };
            put(s, &ball, solver_ball_mass(radius, DENSITY));
        }
        else
        {
            const float half_x = 0.25f + 0.2f * next(&seed), half_y = 0.25f + 0.2f * next(&seed);
            put_box(s, abut_vec3_make(half_x, half_y, 0.25f + 0.2f * next(&seed)), position);
        }
    }
}

static bool judge_pile(const stage *s, float seconds)
{
    float fastest = 0.0f, mean = 0.0f;
    uint32_t out = 0;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        abut_velocity velocity = { 0 };
        const abut_vec3 p = pose_of(s, i).position;
        out += abut_body_velocity(s->world, s->bodies[i], &velocity) != ABUT_OK;
        out += p.y < 0.0f || p.x < -3.0f || p.x > 3.0f || p.z < -3.0f || p.z > 3.0f;
        const float speed = abut_vec3_length(velocity.linear);
        fastest = speed > fastest ? speed : fastest;
        mean += speed / (float)s->count;
    }
    printf("  after %g s: %u of %u outside the bin, mean speed %.4f m/s, the fastest %.4f m/s\n", seconds, out,
           s->count, mean, fastest);
    return out == 0 && (mean < 0.02f || seconds < 10.0f);
}

const stack_scene stack_scenes[] = {
    { "tower", 60.0f, true, build_tower, judge_stack },
    { "pyramid", 60.0f, true, build_pyramid, judge_stack },
    { "prisms", 30.0f, true, build_prisms, judge_stack },
    { "pile", 30.0f, true, build_pile, judge_pile },
    { "dominoes", 10.0f, false, build_dominoes, judge_dominoes },
    { "top", 10.0f, false, build_top, judge_top },
};
const uint32_t stack_scene_count = sizeof stack_scenes / sizeof *stack_scenes;
