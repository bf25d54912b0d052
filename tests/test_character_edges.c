// Round characters at edges that are about as high as they can climb: they go over, or are stopped, and have ground
// below them all the way.
#include "character_scene.h"
#include "mesh_makers.h"

enum
{
    CASES = 1200,
    TICKS = 240
};

#define PI 3.14159265

// What is in the way, on a floor at 0.
typedef enum obstacle
{
    A_STEP,       // its edge lies across x, from x = 1 on
    A_STEP_TO_2D, // likewise in a plane
    A_MESH,       // likewise, of triangles
    A_BOX,        // turned about y, in the way of corners and edges
    A_BAR,        // round, across x
    A_DOME,
    A_STAIRCASE,
    ON_A_SLOPE, // a step on a slope
    OBSTACLES
} obstacle;

typedef struct walk
{
    obstacle kind;
    double radius, half, skin, slope, height; // of the edge, relative to the floor
    abut_character character;
    abut_world *world;
} walk;

static void put_box(const walk *w, double half_x, double half_y, abut_pose at)
{
    abut_body body;
    const abut_body_def def = { .pose = at,
                                .motion = ABUT_STATIC,
                                .collider.shape =
                                    abut_shape_obb((float)half_x, (float)half_y, w->kind == A_BOX ? 2 : 40) };
    assert_int_equal(abut_body_create(w->world, &def, &body), ABUT_OK);
}

static abut_pose pose_at(double x, double y, double z)
{
    abut_pose at = abut_pose_identity();
    at.position = abut_vec3_make((float)x, (float)y, (float)z);
    return at;
}

// A floor and a step, of strips of triangles.
static void put_mesh(random_source *random, const walk *w)
{
    mesh_maker m = { .vertex_count = 0 };
    uint32_t before[2] = { mesh_vertex(&m, -40, 0, -40), mesh_vertex(&m, -40, 0, 40) };
    double x = -1;
    while (x < 40)
    {
        x += x < 1 && w->height > 0 ? (x + 0.5 < 1 ? 0.5 : 1 - x) : random_between(random, 0.05, 1);
        for (int top = fabs(x - 1) < 1e-9 ? 0 : 1; top < 2; ++top)
        {
            const double y = x > 1 - 1e-9 && top ? w->height : 0;
            const uint32_t next[2] = { mesh_vertex(&m, x, y, -40), mesh_vertex(&m, x, y, 40) };
            mesh_quad(&m, before[0], before[1], next[1], next[0], random_chance(random, 0.5));
            before[0] = next[0];
            before[1] = next[1];
        }
        x = fabs(x - 1) < 1e-9 ? 1 + 1e-6 : x;
    }
    abut_geometry *geometry;
    const abut_mesh_def def = mesh_def_of(&m);
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &geometry), ABUT_OK);
    put(w->world, abut_shape_mesh(geometry), 0, 0, 0);
    abut_geometry_release(geometry);
    mesh_maker_close(&m);
}

// The height that is the limit for a surface that is round by so much, where the character would touch it.
static double limit_of(const walk *w, double round)
{
    return (w->radius + round) * (1 - cos(w->slope));
}

static void put_obstacle(random_source *random, walk *w)
{
    const double over = random_between(random, -0.5, 1.5) * w->skin, round = random_between(random, 0.02, 0.5);
    abut_pose at = pose_at(41, 0, 0);
    w->height = fmax(limit_of(w, 0) + over, 1e-3);
    switch (w->kind)
    {
    case A_MESH:
        put_mesh(random, w);
        return;
    case A_BOX:
        at = pose_at(random_between(random, 2.5, 4), w->height / 2, random_between(random, -2, 2));
        at.rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 1, 0), (float)random_between(random, 0, PI));
        put_box(w, 2, w->height / 2, at);
        return;
    case A_BAR:
    case A_DOME:
    {
        const abut_shape bar = abut_shape_capsule((float)round, 30), dome = abut_shape_sphere((float)round);
        abut_body_def def = { .pose = pose_at(1.5, limit_of(w, round) + over - round, 0), .motion = ABUT_STATIC };
        abut_body body;
        def.collider.shape = w->kind == A_BAR ? bar : dome;
        def.pose.rotation = abut_quat_from_axis_angle(abut_vec3_make(1, 0, 0), (float)(PI / 2));
        assert_int_equal(abut_body_create(w->world, &def, &body), ABUT_OK);
        return;
    }
    case ON_A_SLOPE:
        w->height = random_chance(random, 0.5) ? over + w->skin : w->height;
        break;
    default:
        break;
    }
    for (int i = 0; i < (w->kind == A_STAIRCASE ? 6 : 1); ++i)
    {
        at.position.y = (float)(w->height * (i + 1) / 2);
        put_box(w, 40, w->height * (i + 1) / 2, at);
        at.position.x += (float)random_between(random, 0.02, 0.6);
    }
}

static walk random_walk(random_source *random, obstacle kind)
{
    const abut_world_def def = { .dimension = kind == A_STEP_TO_2D ? 2 : 3 };
    walk w = { .kind = kind };
    w.radius = random_between(random, 0.2, 0.6);
    w.half = random_chance(random, 0.2) ? 0 : random_between(random, 0.1, 0.8);
    w.skin = random_chance(random, 0.5) ? 0.01 : random_between(random, 0.003, 0.05);
    w.slope = random_chance(random, 0.5) ? PI / 4 : random_between(random, 0.35, 1.2);
    assert_int_equal(abut_world_create(&def, &w.world), ABUT_OK);
    if (kind != A_MESH)
    {
        put(w.world, abut_shape_obb(60, 1, 60), 0, -1, 0);
    }
    put_obstacle(random, &w);
    update(w.world);
    abut_character *c = &w.character;
    c->shape = w.half > 0 ? abut_shape_capsule((float)w.radius, (float)w.half) : abut_shape_sphere((float)w.radius);
    c->pose = pose_at(0, w.radius + w.half + w.skin, 0);
    c->max_slope = (float)w.slope;
    c->skin = (float)w.skin;
    c->step_height = random_chance(random, 0.4) ? 0 : (float)random_between(random, 0, 0.3);
    c->snap_distance = (float)random_between(random, w.height + 2 * w.skin, w.height + 0.4); // down what it climbed
    c->stands = true;
    return w;
}

// Turns the whole up: what was level is a slope, which the character can stand on.
static void tilt(random_source *random, walk *w)
{
    const float by = (float)(random_between(random, -0.9, 0.9) * w->slope);
    w->character.up = abut_quat_rotate(abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), by), abut_vec3_make(0, 1, 0));
    // a capsule would lean
    w->character.shape = abut_shape_sphere((float)w->radius);
    w->character.pose = pose_at(0, w->radius + 1.01 * w->skin, 0);
}

static void it_has_ground_all_the_way(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(CASES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        walk w = random_walk(&random, (obstacle)(seed % OBSTACLES));
        abut_character *c = &w.character;
        if (w.kind == ON_A_SLOPE)
        {
            tilt(&random, &w);
        }
        const bool straight = w.kind == A_STEP_TO_2D || w.kind == A_DOME || random_chance(&random, 0.5);
        const double pace = random_scale(&random, 0.004, 0.15),
                     aside = straight ? 0 : random_between(&random, -1.2, 1.2);
        for (int tick = 0; tick < TICKS && c->pose.position.x < 9; ++tick)
        {
            const abut_vec3 along = abut_vec3_make((float)(pace * cos(aside)), 0, (float)(pace * sin(aside)));
            const abut_vec3 way = abut_vec3_sub(along, abut_vec3_scale(c->up, (float)pace)); // downward
            const abut_character_move m = move(w.world, c, way.x, way.y, way.z);
            assert_int_equal(m.footing, ABUT_FOOTING_GROUND);
        }
        abut_world_destroy(w.world);
    }
}

// Without steps it climbs an edge that is no steeper than the steepest slope a skin before they would touch, and no
// other, but for those within the skin. Where it is stopped it is not lifted.
static void it_climbs_what_is_a_slope_to_it(void **state)
{
    (void)state;
    static const obstacle edges[] = { A_STEP, A_STEP_TO_2D, A_MESH };
    const random_seeds seeds = random_seeds_of(CASES);
    uint32_t climbed = 0, stopped = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        walk w = random_walk(&random, edges[seed % 3]);
        abut_character *c = &w.character;
        const float level = c->pose.position.y;
        const double flat = 1 - cos(w.slope), rounded = 3e-4 * w.radius;
        const bool low = w.height < (w.radius + w.skin) * flat - rounded;
        const bool high = w.height > fmax((w.radius + w.skin) * flat, 2 * w.skin) + rounded;
        const double pace = random_scale(&random, 2.5 / TICKS, 0.1);
        bool lifted = false;
        c->step_height = 0;
        for (int tick = 0; tick < TICKS; ++tick)
        {
            (void)move(w.world, c, (float)pace, 0, 0);
            lifted = lifted || c->pose.position.y > level + 1e-4f;
        }
        const bool over = c->pose.position.x > 1;
        assert_false(high && over);
        assert_true(!low || over);
        assert_true(!lifted || over);
        climbed += over ? 1u : 0u;
        stopped += over ? 0u : 1u;
        abut_world_destroy(w.world);
    }
    assert_true(!random_seeds_all() || (climbed > CASES / 8 && stopped > CASES / 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(it_has_ground_all_the_way),
                                        cmocka_unit_test(it_climbs_what_is_a_slope_to_it) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
