// Bodies that glide over hills of triangles, each on its own, sunk in a little: a mesh or a heightfield, 50 triangles a
// body. Hills are noise of two sizes between random heights.
#include "scene_row.h"
#include "scene_shapes.h"
#include "storage.h"

#define CELL  1.0f  // metres along a side
#define CELLS 25u   // a body
#define SUNK  0.05f // metres that a body's lowest point is below the ground
#define SPEED 0.03f // metres a frame

// Random heights at every so many cells.
typedef struct noise
{
    uint32_t cells, columns;
    float *heights;
} noise;

typedef struct terrain
{
    uint32_t columns; // of heights, and rows
    float *heights;
    abut_vec3 *steps; // by body, a frame
    float *low;       // by body: from its centre down to its lowest point
} terrain;

static noise noise_of(bench_scene *scene, uint32_t columns, uint32_t cells, float high, pcg32 *random)
{
    noise out = { .cells = cells, .columns = columns / cells + 2 };
    out.heights = scene_take(scene, (size_t)out.columns * out.columns, sizeof *out.heights);
    for (uint32_t i = 0; i < out.columns * out.columns; ++i)
    {
        out.heights[i] = pcg32_between(random, -high, high);
    }
    return out;
}

static float eased(float t)
{
    return t * t * (3.0f - 2.0f * t);
}

// Between four heights: from (0, 0) to (1, 1).
static float between(const float *heights, uint32_t columns, float u, float v)
{
    const float low = heights[0] + u * (heights[1] - heights[0]),
                high = heights[columns] + u * (heights[columns + 1] - heights[columns]);
    return low + v * (high - low);
}

static float noise_at(const noise *n, uint32_t column, uint32_t row)
{
    const float u = eased((float)(column % n->cells) / (float)n->cells),
                v = eased((float)(row % n->cells) / (float)n->cells);
    return between(n->heights + row / n->cells * n->columns + column / n->cells, n->columns, u, v);
}

// The ground is from 0 to `side` along x and z.
static float height_at(const terrain *t, float x, float z)
{
    const uint32_t most = t->columns - 2;
    const uint32_t column = x >= (float)most ? most : (uint32_t)x, row = z >= (float)most ? most : (uint32_t)z;
    return between(t->heights + row * t->columns + column, t->columns, x - (float)column, z - (float)row);
}

static terrain *make_hills(bench_scene *scene, pcg32 *random)
{
    terrain *t = scene_take(scene, 1, sizeof *t);
    uint32_t cells = 2;
    while ((uint64_t)cells * cells < (uint64_t)CELLS * scene->bodies)
    {
        ++cells;
    }
    t->columns = cells + 1;
    t->heights = scene_take(scene, (size_t)t->columns * t->columns, sizeof *t->heights);
    const noise hills = noise_of(scene, t->columns, 16, 3.0f, random),
                bumps = noise_of(scene, t->columns, 4, 0.3f, random);
    for (uint32_t row = 0; row < t->columns; ++row)
    {
        for (uint32_t column = 0; column < t->columns; ++column)
        {
            t->heights[row * t->columns + column] = noise_at(&hills, column, row) + noise_at(&bumps, column, row);
        }
    }
    scene->side = (float)cells * CELL;
    return t;
}

// The triangles of a heightfield, as a mesh.
static abut_status make_mesh(const abut_heightfield_def *field, abut_geometry **out)
{
    const uint32_t columns = field->columns, cells = columns - 1;
    abut_vec3 *vertices = storage_take((size_t)columns * columns, sizeof *vertices);
    uint32_t *indices = storage_take(6 * (size_t)cells * cells, sizeof *indices), *to = indices;
    const float middle = 0.5f * (float)cells;
    for (uint32_t i = 0; i < columns * columns; ++i)
    {
        vertices[i] = abut_vec3_make(((float)(i % columns) - middle) * CELL, field->heights[i],
                                     ((float)(i / columns) - middle) * CELL);
    }
    for (uint32_t cell = 0; cell < cells * cells; ++cell, to += 6)
    {
        const uint32_t corner = cell / cells * columns + cell % cells, beside = corner + 1, below = corner + columns;
        const uint32_t six[6] = { corner, below, beside, below + 1, beside, below };
        for (int i = 0; i < 6; ++i)
        {
            to[i] = six[i];
        }
    }
    const abut_mesh_def def = {
        .vertices = vertices, .indices = indices, .vertex_count = columns * columns, .triangle_count = 2 * cells * cells
    };
    const abut_status status = abut_geometry_create_mesh(&def, NULL, out);
    storage_give(vertices);
    storage_give(indices);
    return status;
}

static void lay_ground(bench_scene *scene, const terrain *t, bool as_field)
{
    const abut_heightfield_def field = {
        .heights = t->heights, .columns = t->columns, .rows = t->columns, .step_x = CELL, .step_z = CELL
    };
    const abut_status status =
        as_field ? abut_geometry_create_heightfield(&field, NULL, &scene->ground) : make_mesh(&field, &scene->ground);
    if (status != ABUT_OK)
    {
        storage_end("the ground of a scene cannot be made");
    }
    abut_body_def *def = &scene->defs[scene->bodies];
    def->motion = ABUT_STATIC;
    def->pose = abut_pose_identity();
    def->pose.position = abut_vec3_make(0.5f * scene->side, 0.0f, 0.5f * scene->side);
    def->collider.shape = abut_shape_mesh(scene->ground);
}

static abut_vec3 onto_ground(const terrain *t, uint32_t body, float x, float z)
{
    return abut_vec3_make(x, height_at(t, x, z) + t->low[body] - SUNK, z);
}

static void build(bench_scene *scene, pcg32 *random, bool as_field)
{
    terrain *t = make_hills(scene, random);
    scene_take_bodies(scene, scene->bodies, scene->bodies + 1);
    t->steps = scene_take(scene, scene->bodies, sizeof *t->steps);
    t->low = scene_take(scene, scene->bodies, sizeof *t->low);
    for (uint32_t i = 0; i < scene->bodies; ++i)
    {
        abut_body_def *def = &scene->defs[i];
        scene_shape_draw(def, scene_kind_in_turn(i), 0.25f, 0.5f, random);
        t->low[i] = crowd_half_extents(&def->collider.shape, def->pose.rotation).y;
        t->steps[i] = abut_vec3_scale(pcg32_direction(random), SPEED);
        const float x = pcg32_between(random, 0.0f, scene->side), z = pcg32_between(random, 0.0f, scene->side);
        def->pose.position = onto_ground(t, i, x, z);
    }
    lay_ground(scene, t, as_field);
    scene->state = t;
}

static void glide(bench_scene *scene)
{
    terrain *t = scene->state;
    for (uint32_t i = 0; i < scene->moving; ++i)
    {
        abut_pose *pose = &scene->poses[i];
        abut_vec3 *step = &t->steps[i];
        pose->position = onto_ground(t, i, scene_reflect(pose->position.x + step->x, scene->side, &step->x),
                                     scene_reflect(pose->position.z + step->z, scene->side, &step->z));
    }
}

static void build_mesh(bench_scene *scene, pcg32 *random)
{
    build(scene, random, false);
}

static void build_field(bench_scene *scene, pcg32 *random)
{
    build(scene, random, true);
}

const scene_row scene_terrain = {
    { "terrain", "as gas, gliding over a mesh of 50 triangles a body", 1.0f, 100000, 10000 }, 10, build_mesh, glide
};
const scene_row scene_heights = {
    { "heights", "the same over a heightfield", 1.0f, 100000, 10000 }, 10, build_field, glide
};
