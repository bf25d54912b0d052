// Bodies that fly straight through a cube and are reflected at its walls, each on its own: gas, dense, sparse, sizes
// and, standing still, cluster. A centre is uniform in the cube at first and therefore in every frame.
#include "scene_row.h"
#include "scene_shapes.h"

#define TURN 0.02f // radians a frame, of OBBs that move

// How the members of the family differ.
typedef struct gas_recipe
{
    bool boxes_only;   // OBBs; else a third each
    bool power_law;    // size in [0.1, 50], P(size > s) ~ s^-2.5; else radius and half extents in [0.25, 0.5]
    uint32_t one_in;   // moves; the rest are static. 0: none moves, all are dynamic
    float speed;       // metres a frame
    float confined_to; // metres: the cube's side; 0: from the pairs a body
} gas_recipe;

// How one body flies, a frame.
typedef struct gas_flight
{
    abut_vec3 step; // metres
    abut_quat turn;
} gas_flight;

static void draw_bodies(bench_scene *scene, const gas_recipe *recipe, pcg32 *random)
{
    for (uint32_t i = 0; i < scene->count; ++i)
    {
        abut_shape_kind kind = recipe->boxes_only ? ABUT_OBB : scene_kind_in_turn(i);
        scene_shape_draw(&scene->defs[i], kind, 0.25f, 0.5f, random);
    }
}

// One size from each of `count` equal shares of the law, in random order: a few bodies that happen to be huge would
// otherwise decide what the scene is. A box's half extents are in [size/2, size], as they are in a gas.
static void draw_sizes(bench_scene *scene, pcg32 *random)
{
    uint32_t *share = scene_take(scene, scene->count, sizeof *share);
    for (uint32_t i = 0; i < scene->count; ++i)
    {
        uint32_t j = pcg32_below(random, i + 1);
        share[i] = share[j];
        share[j] = i;
    }
    for (uint32_t i = 0; i < scene->count; ++i)
    {
        abut_shape_kind kind = scene_kind_in_turn(i);
        double below = ((double)share[i] + (double)pcg32_unit(random)) / scene->count;
        float size = power_law((float)below, 0.1f, 50.0f);
        scene_shape_draw(&scene->defs[i], kind, kind == ABUT_SPHERE ? size : 0.5f * size, size, random);
    }
}

static void draw_flight(gas_flight *flight, abut_shape_kind kind, float speed, pcg32 *random)
{
    flight->step = abut_vec3_scale(pcg32_direction(random), speed);
    flight->turn = abut_quat_identity();
    if (kind == ABUT_OBB)
    {
        flight->turn = abut_quat_from_axis_angle(pcg32_direction(random), TURN);
    }
}

static abut_vec3 point_in_cube(float side, pcg32 *random)
{
    float x = pcg32_between(random, 0.0f, side);
    float y = pcg32_between(random, 0.0f, side);
    float z = pcg32_between(random, 0.0f, side);
    return abut_vec3_make(x, y, z);
}

static void build(bench_scene *scene, pcg32 *random, const gas_recipe *recipe)
{
    uint32_t moving = recipe->one_in ? (scene->bodies + recipe->one_in - 1) / recipe->one_in : 0;
    scene_take_bodies(scene, moving, scene->bodies);
    gas_flight *flights = scene_take(scene, moving, sizeof *flights);
    scene->state = flights;

    recipe->power_law ? draw_sizes(scene, random) : draw_bodies(scene, recipe, random);
    bench_crowd crowd = scene_crowd(scene->defs, scene->count);
    double wanted = (double)scene->pairs_a_body * scene->bodies;
    scene->side = recipe->confined_to > 0.0f ? recipe->confined_to : (float)crowd_cube(&crowd, wanted);

    for (uint32_t i = 0; i < scene->count; ++i)
    {
        abut_body_def *def = &scene->defs[i];
        def->pose.position = point_in_cube(scene->side, random);
        def->motion = i < moving || !recipe->one_in ? ABUT_DYNAMIC : ABUT_STATIC;
        if (i < moving)
        {
            draw_flight(&flights[i], def->collider.shape.kind, recipe->speed, random);
        }
    }
}

static void fly(bench_scene *scene)
{
    gas_flight *flights = scene->state;
    for (uint32_t i = 0; i < scene->moving; ++i)
    {
        abut_pose *pose = &scene->poses[i];
        abut_vec3 *step = &flights[i].step;
        abut_vec3 at = abut_vec3_add(pose->position, *step);
        pose->position =
            abut_vec3_make(scene_reflect(at.x, scene->side, &step->x), scene_reflect(at.y, scene->side, &step->y),
                           scene_reflect(at.z, scene->side, &step->z));
        if (scene->defs[i].collider.shape.kind == ABUT_OBB)
        {
            pose->rotation = abut_quat_normalise(abut_quat_mul(flights[i].turn, pose->rotation));
        }
    }
}

static void build_gas(bench_scene *scene, pcg32 *random)
{
    build(scene, random, &(gas_recipe){ .one_in = 1, .speed = 0.05f });
}

static void build_dense(bench_scene *scene, pcg32 *random)
{
    build(scene, random, &(gas_recipe){ .boxes_only = true, .one_in = 1, .speed = 0.05f });
}

static void build_sparse(bench_scene *scene, pcg32 *random)
{
    build(scene, random, &(gas_recipe){ .one_in = 20, .speed = 0.2f });
}

static void build_sizes(bench_scene *scene, pcg32 *random)
{
    build(scene, random, &(gas_recipe){ .power_law = true, .one_in = 1, .speed = 0.05f });
}

static void build_cluster(bench_scene *scene, pcg32 *random)
{
    scene->pairs_a_body = 0.5f * (float)(scene->bodies - 1);
    build(scene, random, &(gas_recipe){ .confined_to = 0.5f });
}

const scene_row scene_gas = {
    { "gas", "spheres, AABBs and OBBs flying through a cube", 1.0f, 10000000, 100000 }, 1, build_gas, fly
};
const scene_row scene_dense = {
    { "dense", "OBBs flying through a cube, crowded", 6.0f, 10000000, 10000 }, 2, build_dense, fly
};
const scene_row scene_sparse = {
    { "sparse", "as gas, 5% moving fast, the rest static", 1.0f, 10000000, 10000 }, 4, build_sparse, fly
};
const scene_row scene_sizes = {
    { "sizes", "as gas, sizes from 0.1 to 50 by a power law", 2.0f, 10000000, 10000 }, 5, build_sizes, fly
};
const scene_row scene_cluster = {
    { "cluster", "everything overlaps everything", 0.0f, 1000, 1000 }, 7, build_cluster, NULL
};
