// A capsule as a custom shape kind: the library knows a segment's support function and a rounding, and does the rest. A
// capsule slides off a crate, and a few plain lines in place of a solver bring it to rest on the floor.
#include "arguments.h"

#include <abut/abut.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// What a shape carries: at most 48 bytes, copied.
typedef struct capsule
{
    float radius;
    float half_length; // of the segment along the shape's own y axis
} capsule;

static capsule capsule_of(const void *data)
{
    capsule c;
    memcpy(&c, data, sizeof c);
    return c;
}

static abut_aabb bounds(void *context, const void *data)
{
    (void)context;
    const capsule c = capsule_of(data);
    const float along = c.half_length + c.radius;
    return (abut_aabb){ { -c.radius, -along, -c.radius }, { c.radius, along, c.radius } };
}

// Of the segment: the rounding does the rest.
static void support(void *context, const void *data, const double direction[3], double out[3])
{
    (void)context;
    const double half = (double)capsule_of(data).half_length;
    out[0] = out[2] = 0.0;
    out[1] = direction[1] >= 0.0 ? half : -half;
}

static float rounding(void *context, const void *data)
{
    (void)context;
    return capsule_of(data).radius;
}

static bool valid(void *context, const void *data)
{
    (void)context;
    const capsule c = capsule_of(data);
    return c.radius > 0.0f && c.half_length >= 0.0f;
}

// Pushes the body out of what it overlaps, and stops what of its velocity leads further in.
static abut_status come_to_rest(abut_world *world, abut_body body)
{
    abut_pose pose;
    abut_velocity velocity;
    abut_status status = abut_body_pose(world, body, &pose);
    status = status == ABUT_OK ? abut_body_velocity(world, body, &velocity) : status;
    const abut_contacts touching = abut_world_contacts(world, ABUT_AWAKE);
    for (uint32_t i = 0; status == ABUT_OK && i < touching.count; ++i)
    {
        const abut_contact *c = abut_contact_at(&touching, i);
        const float side = c->b.slot == body.slot ? 1.0f : -1.0f;
        const abut_vec3 out = abut_vec3_scale(c->normal, side);
        const float inward = abut_vec3_dot(velocity.linear, out);
        const float depth = c->separation < -0.001f ? -c->separation - 0.001f : 0.0f;
        pose.position = abut_vec3_add(pose.position, abut_vec3_scale(out, depth));
        velocity.linear = abut_vec3_sub(velocity.linear, abut_vec3_scale(out, inward < 0.0f ? inward : 0.0f));
    }
    status = status == ABUT_OK ? abut_body_set_pose(world, body, &pose) : status;
    return status == ABUT_OK ? abut_body_set_velocity(world, body, &velocity) : status;
}

static abut_status run(abut_world *world, float *height, uint32_t *points)
{
    const abut_kind_def kind = { "capsule", NULL, bounds, support, rounding, valid };
    const capsule size = { 0.25f, 0.5f };
    uint32_t id;
    abut_status status = abut_world_register_kind(world, &kind, &id);
    if (status != ABUT_OK)
    {
        return status;
    }
    const abut_body_def defs[3] = {
        { .motion = ABUT_STATIC, .collider.shape = abut_shape_aabb(10, 1, 10) },
        { .motion = ABUT_STATIC, .pose.position = { -0.6f, 1.5f, 0 }, .collider.shape = abut_shape_obb(.5f, .5f, .5f) },
        { // lying along z, over the crate's edge
          .pose = { .position = { 0, 2.6f, 0 }, .rotation = { 0.70710678f, 0, 0, 0.70710678f } },
          .collider.shape = abut_shape_custom(id, &size, sizeof size) },
    };
    abut_body body[3];
    status = abut_body_create_many(world, defs, 3, body);
    for (int frame = 0; status == ABUT_OK && frame < 240; ++frame)
    {
        abut_velocity velocity;
        status = abut_body_velocity(world, body[2], &velocity);
        velocity.linear.y -= 9.81f / 60;
        status = status == ABUT_OK ? abut_body_set_velocity(world, body[2], &velocity) : status;
        status = status == ABUT_OK ? abut_world_step(world, 1.0f / 60) : status;
        status = status == ABUT_OK ? come_to_rest(world, body[2]) : status;
    }
    abut_pose pose = { .position = { 0, 0, 0 } };
    status = status == ABUT_OK ? abut_body_pose(world, body[2], &pose) : status;
    *height = pose.position.y;
    const abut_contacts touching = abut_world_contacts(world, ABUT_AWAKE);
    for (uint32_t i = 0; i < touching.count; ++i)
    {
        *points += abut_contact_at(&touching, i)->point_count;
    }
    return status;
}

static const char help[] =
    "capsule\n"
    "Registers a capsule as a shape kind of its own, lets one slide off a crate, and prints where it comes to lie.\n";

int main(int argc, char **argv)
{
    const int answer = arguments_answer("capsule", help, 0, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    abut_world *world;
    float height = 0.0f;
    uint32_t points = 0;
    abut_status status = abut_world_create(NULL, &world);
    if (status == ABUT_OK)
    {
        status = run(world, &height, &points);
        abut_world_destroy(world);
    }
    if (status != ABUT_OK)
    {
        fprintf(stderr, "capsule: %s\n", abut_status_text(status));
        return 1;
    }
    printf("the capsule lies at height %.3f and touches at %u points\n", (double)height, points);
    return fabsf(height - 1.25f) < 0.01f && points >= 2 ? 0 : 1;
}
