// A character controller: a capsule that walks by casts alone, slides along walls, climbs steps and slopes, and stays
// on the ground. Seven lanes say what it can do; the program fails if one of them ends elsewhere.
#include "arguments.h"

#include <abut/abut.h>

#include <math.h>
#include <stdio.h>

#define RADIUS  0.3f // metres, like all below
#define HALF    0.6f // of the capsule's segment
#define STEP    0.3f // it climbs steps of this height
#define SNAP    0.1f // so far down it stays on the ground
#define SLOPE   0.7f // cosine of the steepest slope that it stands on
#define SKIN    1e-3f
#define TICK    (1.0f / 60) // seconds
#define SPEED   3.0f        // metres a second
#define GRAVITY 9.81f
#define DEGREE  0.0174533f
#define LANE    6.0f // width
#define FOREVER 300  // ticks
#define CASTS   4    // slides in a move

typedef struct character
{
    abut_world *world;
    abut_vec3 at;  // the capsule's middle
    float falling; // speed, metres a second
    bool stands;
} character;

static float horizontally(abut_vec3 v)
{
    return sqrtf(v.x * v.x + v.z * v.z);
}

static abut_status cast(const character *c, abut_vec3 from, abut_vec3 way, abut_hit *hit)
{
    abut_cast capsule = { abut_shape_capsule(RADIUS, HALF), abut_pose_identity(), way, { 0, 0, 0 } };
    capsule.pose.position = from;
    return abut_world_cast_closest(c->world, &capsule, NULL, hit);
}

static bool hits(const abut_hit *hit)
{
    return hit->body.generation != 0;
}

// What is too steep to stand on is a wall: it does not push up.
static abut_vec3 wall_of(abut_vec3 normal)
{
    const float length = horizontally(normal);
    return normal.y >= SLOPE || length < 1e-3f ? normal : abut_vec3_make(normal.x / length, 0, normal.z / length);
}

// Moves `at` along a way as far as it is free, and on along what it hits.
static abut_status slide(const character *c, abut_vec3 *at, abut_vec3 way)
{
    abut_status status = ABUT_OK;
    abut_vec3 first = { 0, 0, 0 };
    for (int i = 0; status == ABUT_OK && i < CASTS && abut_vec3_length(way) > 1e-5f; ++i)
    {
        abut_hit hit;
        status = cast(c, *at, way, &hit);
        if (status != ABUT_OK || !hits(&hit))
        {
            *at = abut_vec3_add(*at, way);
            break;
        }
        if (hit.flags & ABUT_HIT_INSIDE) // out of what has moved into it
        {
            *at = abut_vec3_add(*at, abut_vec3_scale(hit.normal, hit.depth + SKIN));
            continue;
        }
        *at = abut_vec3_add(*at, abut_vec3_scale(way, hit.fraction));
        const abut_vec3 wall = wall_of(hit.normal);
        way = abut_vec3_scale(way, 1 - hit.fraction);
        way = abut_vec3_sub(way, abut_vec3_scale(wall, abut_vec3_dot(way, wall)));
        if (abut_vec3_dot(way, first) < 0) // a corner
        {
            break;
        }
        first = i == 0 ? wall : first;
    }
    return status;
}

// Whether it can stand on what it has come down on: on a slope, or at the edge of a step whose top is one and not too
// high.
static abut_status can_stand(const character *c, abut_vec3 from, const abut_hit *hit, bool *stands)
{
    abut_ray ray = { abut_vec3_add(from, hit->offset), { 0, -STEP, 0 } };
    const abut_vec3 inward = abut_vec3_scale(hit->normal, -0.02f);
    abut_hit under;
    *stands = hit->normal.y >= SLOPE;
    if (*stands)
    {
        return ABUT_OK;
    }
    ray.origin = abut_vec3_add(ray.origin, abut_vec3_make(inward.x, 0.5f * STEP, inward.z));
    const abut_status status = abut_world_ray_closest(c->world, &ray, NULL, &under);
    const float top = ray.origin.y - STEP * under.fraction, feet = c->at.y - RADIUS - HALF;
    *stands = status == ABUT_OK && hits(&under) && under.normal.y >= SLOPE && top <= feet + STEP + SKIN;
    return status;
}

// Goes down to what it can stand on, if that is no farther than `depth`.
static abut_status land(const character *c, abut_vec3 *at, float depth, bool *stands)
{
    abut_hit hit;
    const abut_vec3 down = { 0, -depth, 0 };
    abut_status status = cast(c, *at, down, &hit);
    *stands = false;
    if (status == ABUT_OK && hits(&hit))
    {
        status = can_stand(c, *at, &hit, stands);
        at->y -= *stands ? depth * hit.fraction : 0.0f;
    }
    return status;
}

// Up by a step, on, and down again.
static abut_status walk_over(const character *c, abut_vec3 *at, abut_vec3 way, bool *stands)
{
    abut_hit hit;
    const abut_vec3 up = { 0, STEP, 0 };
    abut_status status = cast(c, *at, up, &hit);
    const float rise = STEP * hit.fraction;
    at->y += rise;
    status = status == ABUT_OK ? slide(c, at, way) : status;
    return status == ABUT_OK ? land(c, at, rise + SNAP, stands) : status;
}

static abut_status fall(character *c)
{
    abut_hit hit;
    c->falling += GRAVITY * TICK;
    const abut_vec3 down = { 0, -c->falling * TICK, 0 };
    abut_status status = cast(c, c->at, down, &hit);
    if (status == ABUT_OK)
    {
        c->at.y += down.y * hit.fraction;
        status = hits(&hit) ? can_stand(c, c->at, &hit, &c->stands) : ABUT_OK;
        c->falling = hits(&hit) ? 0 : c->falling;
    }
    return status;
}

// One tick: over a step where that leads farther than along the ground.
static abut_status move(character *c, abut_vec3 way)
{
    abut_vec3 along = c->at, over = c->at;
    bool over_stands = false, along_stands = false;
    abut_status status = slide(c, &along, way);
    if (status == ABUT_OK && c->stands)
    {
        status = walk_over(c, &over, way, &over_stands);
    }
    const float farther = horizontally(abut_vec3_sub(over, c->at)) - horizontally(abut_vec3_sub(along, c->at));
    if (over_stands && farther > 1e-5f)
    {
        c->at = over;
        return status;
    }
    const bool stood = c->stands;
    c->at = along;
    if (status == ABUT_OK && stood)
    {
        status = land(c, &c->at, SNAP, &along_stands);
    }
    c->stands = along_stands;
    return status == ABUT_OK && !c->stands ? fall(c) : status;
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

static abut_status walk(abut_world *world, int i, bool *right)
{
    const float z = (float)i * LANE, feet = RADIUS + HALF;
    character c = { .world = world, .at = { 0, feet + 0.5f, z } };
    abut_status status = ABUT_OK;
    for (int tick = 0; status == ABUT_OK && tick < FOREVER + 60; ++tick)
    {
        const float left = 12 - c.at.x, pace = SPEED * TICK;
        status = move(&c, abut_vec3_make(tick < 60 ? 0 : left < pace ? left : pace, 0, 0));
    }
    const abut_vec3 ends = { c.at.x, c.at.y - feet, c.at.z - z };
    printf("%-22s ends %5.2f m along, %5.2f up, %5.2f aside\n", lanes[i].name, (double)ends.x, (double)ends.y,
           (double)ends.z);
    *right = *right && c.stands && abut_vec3_length(abut_vec3_sub(ends, lanes[i].end)) < 0.05f;
    return status;
}

static const char help[] = "character\n"
                           "Walks a capsule by casts alone along seven lanes: tiles, stairs, slopes, walls.\n";

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
