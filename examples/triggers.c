// An automatic door. A sensor in the doorway notices people and nothing else; while somebody is in it, the program
// lifts a kinematic door out of the way. A ball is no person: the door stays shut, and at the begin event the program
// turns it back.
#include "arguments.h"

#include <abut/abut.h>

#include <stdio.h>

#define STEP       (1.0f / 60) // seconds
#define SHUT       1.0f        // height of the door's middle, metres
#define OPEN       3.2f
#define DOOR_SPEED 3.0f // metres a second

// A body's user data says who it is, a collider's which part: numbers here, elsewhere often pointers.
enum
{
    DOORWAY,
    DOOR,
    BALL,
    ADA,
    BODIES
};
enum
{
    LIGHT_BARRIER,
    OAK,
    RUBBER,
    COAT,
    STICK
};
static const char *const names[] = { "the doorway", "the door", "the ball", "Ada" };
static const char *const parts[] = { "light barrier", "oak", "rubber", "coat", "stick" };

// Categories.
enum
{
    BUILDING = 1u << 0,
    PERSON = 1u << 1,
    THING = 1u << 2
};

typedef struct scene
{
    abut_world *world;
    abut_body body[BODIES];
    float height, most_height; // of the door
    uint32_t noticed, inside;  // colliders that came into the sensor, and those in it now
    uint32_t bounces;          // of the ball
    uint32_t bumps;            // of Ada
} scene;

static abut_status build(scene *s)
{
    const abut_collider_def sensor = { .shape = abut_shape_aabb(2, 1, 1),
                                       .filter = { .category = BUILDING, .mask = PERSON },
                                       .flags = ABUT_COLLIDER_SENSOR,
                                       .user_data = LIGHT_BARRIER };
    const abut_collider_def leaf = { .shape = abut_shape_aabb(0.1f, 1, 1),
                                     .filter.category = BUILDING,
                                     .user_data = OAK };
    const abut_collider_def ball = { .shape = abut_shape_sphere(0.3f),
                                     .filter = { .category = THING, .mask = BUILDING }, // rolls through people
                                     .user_data = RUBBER };
    const abut_collider_def coat = { .shape = abut_shape_obb(0.2f, 0.9f, 0.3f),
                                     .filter.category = PERSON,
                                     .user_data = COAT };
    const abut_collider_def stick = { .shape = abut_shape_obb(0.02f, 0.5f, 0.02f),
                                      .local.position = { 0.6f, -0.4f, 0 },
                                      .filter.category = PERSON,
                                      .user_data = STICK };
    const abut_body_def defs[BODIES] = {
        [DOORWAY] = { .pose.position.y = 1, .motion = ABUT_STATIC, .user_data = DOORWAY, .collider = sensor },
        [DOOR] = { .pose.position.y = SHUT, .motion = ABUT_KINEMATIC, .user_data = DOOR, .collider = leaf },
        [BALL] = { .pose.position = { -4, 0.3f, 0 }, .velocity.linear.x = 3, .user_data = BALL, .collider = ball },
        [ADA] = { .pose.position = { -6, 0.9f, 0 }, .velocity.linear.x = 1.4f, .user_data = ADA, .collider = coat },
    };
    abut_collider made;
    const abut_status status = abut_body_create_many(s->world, defs, BODIES, s->body);
    return status == ABUT_OK ? abut_collider_attach(s->world, s->body[ADA], &stick, &made) : status;
}

// Call before each step: the velocity stays, and would carry the door past its target pose.
static abut_status move_door(scene *s)
{
    const float wanted = s->inside > 0 ? OPEN : SHUT, most = DOOR_SPEED * STEP, way = wanted - s->height;
    s->height = way > most ? s->height + most : way < -most ? s->height - most : wanted;
    s->most_height = s->height > s->most_height ? s->height : s->most_height;
    const abut_pose pose = { .position.y = s->height, .rotation = abut_quat_identity() };
    return abut_body_move_to(s->world, s->body[DOOR], &pose, STEP);
}

static void tell(float time, const abut_event *e, const char *what)
{
    printf("%4.2f s: %s (%s) %s %s (%s)\n", (double)time, names[e->user_data_b], parts[e->collider_data_b], what,
           names[e->user_data_a], parts[e->collider_data_a]);
}

// Collider a is the sensor. Each collider has its own events: a stick comes before the one who holds it.
static void watch_doorway(scene *s, float time)
{
    const abut_events came = abut_world_events(s->world, ABUT_SENSOR_BEGIN);
    const abut_events left = abut_world_events(s->world, ABUT_SENSOR_END);
    for (uint32_t i = 0; i < came.count; ++i)
    {
        tell(time, &came.data[i], "comes into");
    }
    for (uint32_t i = 0; i < left.count; ++i)
    {
        tell(time, &left.data[i], "leaves");
    }
    s->noticed += came.count;
    s->inside = s->inside + came.count - left.count;
}

// Of two bodies that touch a is the one with the lower slot, so either may be the ball.
static abut_status watch_touches(scene *s, float time)
{
    const abut_events began = abut_world_events(s->world, ABUT_BEGIN);
    abut_status status = ABUT_OK;
    for (uint32_t i = 0; status == ABUT_OK && i < began.count; ++i)
    {
        const abut_event *e = &began.data[i];
        tell(time, e, "touches");
        s->bumps += e->user_data_a == ADA || e->user_data_b == ADA;
        if (e->user_data_a == BALL || e->user_data_b == BALL)
        {
            ++s->bounces;
            status = abut_body_set_velocity(s->world, s->body[BALL], &(abut_velocity){ .linear.x = -3 });
        }
    }
    return status;
}

static abut_status run(scene *s)
{
    abut_status status = build(s);
    for (int frame = 1; status == ABUT_OK && frame <= 420; ++frame)
    {
        status = move_door(s);
        status = status == ABUT_OK ? abut_world_step(s->world, STEP) : status;
        if (status == ABUT_OK)
        {
            watch_doorway(s, (float)frame * STEP);
            status = watch_touches(s, (float)frame * STEP);
        }
    }
    return status;
}

static const char help[] =
    "triggers\n"
    "Runs an automatic door behind a sensor, and prints who comes, who leaves and what touches the door.\n";

int main(int argc, char **argv)
{
    const int answer = arguments_answer("triggers", help, 0, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    scene s = { .height = SHUT };
    abut_status status = abut_world_create(NULL, &s.world);
    if (status == ABUT_OK)
    {
        status = run(&s);
        abut_world_destroy(s.world);
    }
    if (status != ABUT_OK)
    {
        fprintf(stderr, "triggers: %s\n", abut_status_text(status));
        return 1;
    }
    printf("the door rose to %.1f m and is back at %.1f m; begin events of the ball: %u, of Ada: %u\n",
           (double)s.most_height, (double)s.height, s.bounces, s.bumps);
    const bool opened_and_shut = s.most_height == OPEN && s.height == SHUT && s.noticed == 2 && s.inside == 0;
    return opened_and_shut && s.bounces == 1 && s.bumps == 0 ? 0 : 1;
}
