// A layer of bodies falling together onto a terrain of static AABBs. A body exists for as many frames as it takes to
// fall through the layer; then it is destroyed and created again at the top, at another position. Ages are spread
// evenly, so that one in twenty is replaced in each frame, and heights are uniform in the layer.
#include "scene_row.h"
#include "scene_shapes.h"

#define GENERATION 20u   // frames
#define FALL       0.1f  // metres a frame
#define DEPTH      2.0f  // metres: GENERATION * FALL; the layer is from y = 0 to here
#define TILE       4.0f  // metres: the most an edge of the terrain's tiles has
#define RELIEF     0.25f // metres: tops are within this of y = 0

static uint32_t tiles_along(double side)
{
    uint32_t whole = (uint32_t)(side / (double)TILE);
    return whole + ((double)whole * (double)TILE < side ? 1 : 0);
}

// With half extents e, n tiles along the edge L: seen from above a body is over 1 + 2e(n-1)/L tiles in each direction,
// and it reaches down into one of them in the share e/DEPTH of its frames, tops being at 0 on average.
static double pairs_with_terrain(const bench_crowd *crowd, double side)
{
    double across = 2.0 * (double)(tiles_along(side) - 1) / side;
    double tops = crowd_mean(crowd, 0, 1, 0);
    tops += across * (crowd_mean(crowd, 1, 1, 0) + crowd_mean(crowd, 0, 1, 1));
    tops += across * across * crowd_mean(crowd, 1, 1, 1);
    return crowd->count * tops / (double)DEPTH;
}

static double pairs_in_layer(const bench_crowd *crowd, double side)
{
    return crowd_pairs(crowd, side, (double)DEPTH, side) + pairs_with_terrain(crowd, side);
}

// Anywhere a body of that age may be.
static abut_vec3 place(uint32_t age, float side, pcg32 *random)
{
    float x = pcg32_between(random, 0.0f, side);
    float y = DEPTH - FALL * ((float)age + pcg32_unit(random));
    float z = pcg32_between(random, 0.0f, side);
    return abut_vec3_make(x, y, z);
}

static void build_terrain(abut_body_def *defs, uint32_t along, float side, pcg32 *random)
{
    float half = 0.5f * side / (float)along;
    for (uint32_t tile = 0; tile < along * along; ++tile)
    {
        abut_body_def *def = &defs[tile];
        float top = pcg32_between(random, -RELIEF, RELIEF);
        def->motion = ABUT_STATIC;
        def->pose = abut_pose_identity();
        def->pose.position =
            abut_vec3_make(half * (float)(2 * (tile % along) + 1), top - 1.0f, half * (float)(2 * (tile / along) + 1));
        def->collider.shape = abut_shape_aabb(half, 1.0f, half);
    }
}

static void build(bench_scene *scene, pcg32 *random)
{
    uint32_t n = scene->bodies;
    abut_body_def *falling = scene_take(scene, n, sizeof *falling);
    for (uint32_t i = 0; i < n; ++i)
    {
        scene_shape_draw(&falling[i], scene_kind_in_turn(i), 0.25f, 0.5f, random);
    }
    bench_crowd crowd = scene_crowd(falling, n);
    double wanted = (double)scene->pairs_a_body * n;
    scene->side = (float)crowd_solve(&crowd, pairs_in_layer, wanted);

    uint32_t along = tiles_along((double)scene->side);
    scene_take_bodies(scene, n, n + along * along);
    for (uint32_t i = 0; i < n; ++i)
    {
        scene->defs[i].collider = falling[i].collider;
        scene->defs[i].pose = falling[i].pose;
        scene->defs[i].pose.position = place(i % GENERATION, scene->side, random);
    }
    build_terrain(&scene->defs[n], along, scene->side, random);

    scene->renewed_room = (n + GENERATION - 1) / GENERATION;
    scene->renewed = scene_take(scene, scene->renewed_room, sizeof *scene->renewed);
    scene->renewed_defs = scene_take(scene, scene->renewed_room, sizeof *scene->renewed_defs);
    pcg32 *kept = scene_take(scene, 1, sizeof *kept);
    *kept = *random;
    scene->state = kept;
}

// The age of body i in frame f is (i + f) mod GENERATION.
static void advance(bench_scene *scene)
{
    for (uint32_t i = 0; i < scene->moving; ++i)
    {
        scene->poses[i].position.y -= FALL;
    }
    scene->renewed_count = 0;
    for (uint32_t i = (GENERATION - scene->frame % GENERATION) % GENERATION; i < scene->moving; i += GENERATION)
    {
        abut_body_def *def = &scene->defs[i];
        def->pose.position = place(0, scene->side, scene->state);
        scene->poses[i] = def->pose;
        scene->renewed[scene->renewed_count] = i;
        scene->renewed_defs[scene->renewed_count++] = *def;
    }
}

const scene_row scene_rain = { { "rain", "as gas, falling onto a terrain; 5% end and begin in each frame", 1.0f,
                                 10000000, 10000 },
                               6,
                               build,
                               advance };
