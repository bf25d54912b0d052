// Circles and turned rectangles that fly in a square as a gas does in a cube. Twice: in a world of two dimensions, and,
// the same bodies to the bit, as balls and flat boxes in space, where they touch just as much.
#include "scene_row.h"
#include "scene_shapes.h"

#define TURN      0.02f // radians a frame, of rectangles
#define SPEED     0.05f // metres a frame
#define THICKNESS 0.25f // metres: half extent along z, which 2D ignores

typedef struct rects_flight
{
    abut_vec3 step; // metres
    abut_quat turn;
} rects_flight;

static float any_angle(pcg32 *random)
{
    return pcg32_between(random, 0.0f, 6.2831853f);
}

static void draw_body(abut_body_def *def, bool circle, pcg32 *random)
{
    const float x = pcg32_between(random, 0.25f, 0.5f);
    if (circle)
    {
        def->pose = abut_pose_identity();
        def->collider.shape = abut_shape_sphere(x);
        return;
    }
    def->collider.shape = abut_shape_obb(x, pcg32_between(random, 0.25f, 0.5f), THICKNESS);
    def->pose = abut_pose_2d(0.0f, 0.0f, any_angle(random));
}

static void draw_flight(rects_flight *flight, bool circle, pcg32 *random)
{
    float sine, cosine;
    abut_sincos(any_angle(random), &sine, &cosine);
    flight->step = abut_vec3_make(SPEED * cosine, SPEED * sine, 0.0f);
    const float turn = pcg32_unit(random) < 0.5f ? -TURN : TURN;
    flight->turn = circle ? abut_quat_identity() : abut_pose_2d(0.0f, 0.0f, turn).rotation;
}

// A layer one thick of boxes one thick: along z every pair overlaps.
static double pairs_in_square(const bench_crowd *crowd, double side)
{
    return crowd_pairs(crowd, side, side, 1.0);
}

static float side_of_square(const bench_scene *scene)
{
    bench_crowd crowd = { 0 };
    for (uint32_t i = 0; i < scene->count; ++i)
    {
        abut_vec3 half = crowd_half_extents(&scene->defs[i].collider.shape, scene->defs[i].pose.rotation);
        half.z = 0.5f;
        crowd_add(&crowd, half);
    }
    return (float)crowd_solve(&crowd, pairs_in_square, (double)scene->pairs_a_body * scene->bodies);
}

static void build(bench_scene *scene, pcg32 *random)
{
    scene_take_bodies(scene, scene->bodies, scene->bodies);
    rects_flight *flights = scene_take(scene, scene->count, sizeof *flights);
    scene->state = flights;
    for (uint32_t i = 0; i < scene->count; ++i)
    {
        draw_body(&scene->defs[i], i % 2 == 0, random);
    }
    scene->side = side_of_square(scene);
    for (uint32_t i = 0; i < scene->count; ++i)
    {
        const float x = pcg32_between(random, 0.0f, scene->side);
        const float y = pcg32_between(random, 0.0f, scene->side);
        scene->defs[i].pose.position = abut_vec3_make(x, y, 0.0f);
        draw_flight(&flights[i], i % 2 == 0, random);
    }
}

static void build_2d(bench_scene *scene, pcg32 *random)
{
    scene->dimension = 2;
    build(scene, random);
}

static void fly(bench_scene *scene)
{
    rects_flight *flights = scene->state;
    for (uint32_t i = 0; i < scene->moving; ++i)
    {
        abut_pose *pose = &scene->poses[i];
        abut_vec3 *step = &flights[i].step;
        pose->position.x = scene_reflect(pose->position.x + step->x, scene->side, &step->x);
        pose->position.y = scene_reflect(pose->position.y + step->y, scene->side, &step->y);
        if (scene->defs[i].collider.shape.kind == ABUT_OBB)
        {
            pose->rotation = abut_quat_normalise(abut_quat_mul(flights[i].turn, pose->rotation));
        }
    }
}

const scene_row scene_rects = { { "rects", "circles and rotated rectangles flying through a square, in 2D", 1.0f,
                                  10000000, 10000 },
                                8,
                                build_2d,
                                fly };
const scene_row scene_rects_flat = {
    { "rects-3d", "the same bodies as spheres and flat OBBs in 3D", 1.0f, 10000000, 10000 }, 8, build, fly
};
