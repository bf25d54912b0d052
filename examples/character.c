// A character controller: a capsule that slides along walls, climbs steps and slopes, and stays on the ground. Seven
// lanes say what it can do; the program fails if one of them ends elsewhere.
#include "arguments.h"

#include <abut/abut.h>

#include <stdio.h>

#define RADIUS  0.3f  // metres, like all below
#define HALF    0.6f  // of the capsule's segment
#define STEP    0.3f  // it climbs steps of this height
#define SNAP    0.1f  // so far down it stays on the ground
#define SLOPE   45.0f // degrees, of the steepest slope that it stands on
#define SKIN    0.01f
#define TICK    (1.0f / 60) // seconds
#define SPEED   3.0f        // metres a second
#define GRAVITY 9.81f
#define DEGREE  0.0174533f
#define LANE    6.0f // width
#define FOREVER 300  // ticks

// A game's own part: what a character keeps from tick to tick, and gravity.
typedef struct walker
{
    abut_character character;
    float falling; // speed, metres a second
} walker;

static abut_status tick(const abut_world *world, walker *w, float pace)
{
    abut_character *c = &w->character;
    abut_character_move moved;
    w->falling = c->stands ? 0 : w->falling + GRAVITY * TICK;
    c->translation = abut_vec3_make(pace, -w->falling * TICK, 0);
    const abut_status status = abut_world_move_character(world, c, NULL, &moved);
    if (status == ABUT_OK)
    {
        c->pose.position = moved.position;
        c->stands = moved.footing == ABUT_FOOTING_GROUND;
        w->falling = -moved.translation.y / TICK;
    }
    return status;
}

// A box that stands in the way of a lane, turned about z by degrees, or about y.
typedef struct obstacle
{
    abut_vec3 half, at;
    float about_z, about_y;
} obstacle;

// What a lane has, and where the character ends in it, walking along x.
typedef struct lane
{
    const char *name;
    obstacle obstacles[5];
    abut_vec3 end;
} lane;

static const lane lanes[] = {
    { "flush tiles", { { { 0, 0, 0 }, { 0, 0, 0 }, 0, 0 } }, { 12, 0, 0 } },
    { "stairs",
      { { { 4, 0.125f, 2 }, { 6, 0.125f, 0 }, 0, 0 },
        { { 4, 0.125f, 2 }, { 6.5f, 0.375f, 0 }, 0, 0 },
        { { 4, 0.125f, 2 }, { 7, 0.625f, 0 }, 0, 0 },
        { { 4, 0.125f, 2 }, { 7.5f, 0.875f, 0 }, 0, 0 },
        { { 4, 0.125f, 2 }, { 8, 1.125f, 0 }, 0, 0 } },
      { 12, 1.25f, 0 } },
    { "a step too high", { { { 4, 0.25f, 2 }, { 6, 0.25f, 0 }, 0, 0 } }, { 2 - RADIUS, 0, 0 } },
    { "a slope of 30 degrees", { { { 8, 1, 2 }, { 9.428f, 3.134f, 0 }, 30, 0 } }, { 12, 5.82f, 0 } },
    { "a slope of 60 degrees", { { { 8, 1, 2 }, { 6.866f, 6.428f, 0 }, 60, 0 } }, { 1.827f, 0, 0 } },
    { "a wall aslant", { { { 4, 1, 0.1f }, { 4, 1, 0 }, 0, 20 } }, { 12, 0, -1.76f } },
    { "a low ceiling", { { { 4, 1, 2 }, { 7, 2.5f, 0 }, 0, 0 } }, { 3 - RADIUS, 0, 0 } },
};

enum
{
    LANES = sizeof lanes / sizeof *lanes
};

static float distance(abut_vec3 a, abut_vec3 b)
{
    return abut_vec3_length(abut_vec3_sub(a, b));
}

static abut_status put_box(abut_world *world, const obstacle *o, float z)
{
    abut_body made;
    abut_body_def box = { 0 };
    const abut_vec3 axis = o->about_y != 0 ? abut_vec3_make(0, 1, 0) : abut_vec3_make(0, 0, 1);
    box.pose.position = abut_vec3_make(o->at.x, o->at.y, o->at.z + z);
    box.pose.rotation = abut_quat_from_axis_angle(axis, (o->about_y + o->about_z) * DEGREE);
    box.motion = ABUT_STATIC;
    box.collider.shape = abut_shape_obb(o->half.x, o->half.y, o->half.z);
    return abut_body_create(world, &box, &made);
}

// Floors are of boxes of a metre, side by side.
static abut_status build(abut_world *world)
{
    abut_status status = ABUT_OK;
    for (int i = 0; status == ABUT_OK && i < LANES; ++i)
    {
        for (int k = 0; status == ABUT_OK && k < 16 * 5; ++k)
        {
            const obstacle tile = { { 0.5f, 0.5f, 0.5f }, { (float)(k % 16) - 1, -0.5f, (float)(k / 16) - 2 }, 0, 0 };
            status = put_box(world, &tile, (float)i * LANE);
        }
        for (int k = 0; status == ABUT_OK && k < 5 && lanes[i].obstacles[k].half.x > 0; ++k)
        {
            status = put_box(world, &lanes[i].obstacles[k], (float)i * LANE);
        }
    }
    return status == ABUT_OK ? abut_world_update(world) : status;
}

static abut_status walk(const abut_world *world, int i, bool *right)
{
    const float z = (float)i * LANE, feet = RADIUS + HALF + SKIN;
    walker w = { .character = { .shape = abut_shape_capsule(RADIUS, HALF),
                                .max_slope = SLOPE * DEGREE,
                                .step_height = STEP,
                                .snap_distance = SNAP,
                                .skin = SKIN } };
    abut_vec3 *at = &w.character.pose.position;
    abut_status status = ABUT_OK;
    w.character.pose = abut_pose_identity();
    *at = abut_vec3_make(0, feet + 0.5f, z);
    for (int k = 0; status == ABUT_OK && k < FOREVER + 60; ++k)
    {
        const float left = 12 - at->x, pace = SPEED * TICK;
        status = tick(world, &w, k < 60 ? 0 : left < pace ? left : pace);
    }
    const abut_vec3 ends = { at->x, at->y - feet, at->z - z };
    printf("%-22s ends %5.2f m along, %5.2f up, %5.2f aside\n", lanes[i].name, (double)ends.x, (double)ends.y,
           (double)ends.z);
    *right = *right && w.character.stands && distance(ends, lanes[i].end) < 0.05f;
    return status;
}

static const char help[] = "character\n"
                           "Walks a capsule along seven lanes: tiles, stairs, slopes, walls.\n";

int main(int argc, char **argv)
{
    abut_world *world = NULL;
    bool right = true;
    const int answer = arguments_answer("character", help, 0, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    abut_status status = abut_world_create(NULL, &world);
    status = status == ABUT_OK ? build(world) : status;
    for (int i = 0; status == ABUT_OK && i < LANES; ++i)
    {
        status = walk(world, i, &right);
    }
    abut_world_destroy(world);
    if (status != ABUT_OK || !right)
    {
        fprintf(stderr, "character: %s\n", status != ABUT_OK ? abut_status_text(status) : "it ends elsewhere");
        return 1;
    }
    return 0;
}
