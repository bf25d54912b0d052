// Characters walk, fall and jump at random in closed rooms full of things: they never overlap anything, never leave the
// room, go no farther than they want to, and stand on what can be stood on. The same bits on every instruction set and
// in a batch.
#include "every_isa.h"
#include "mesh_makers.h"
#include "random_compound.h"

enum
{
    THINGS = 14,
    TICKS = 150,
    ROOMS = 400,
    CROWD = 150, // more than a task has
    CROWDS = 20
};

#define HALF   3.0f // metres, of the room
#define THICK  1.0f
#define SKIN   0.01f
#define TURNED 0.5 // how many rooms are

typedef struct room
{
    abut_world *world;
    abut_pose pose; // y of its frame is up
    abut_geometry *ground, *lump, *compound;
} room;

static abut_vec3 to_room(const room *r, abut_vec3 at)
{
    return abut_pose_apply_inverse(&r->pose, at);
}

static void put(const room *r, abut_shape shape, abut_pose at)
{
    abut_body body;
    const abut_body_def def = { .pose = abut_pose_compose(&r->pose, &at),
                                .motion = ABUT_STATIC,
                                .collider.shape = shape };
    assert_int_equal(abut_body_create(r->world, &def, &body), ABUT_OK);
}

static void put_walls(const room *r)
{
    const float out = HALF + THICK;
    for (int side = 0; side < 6; ++side)
    {
        const float sign = side % 2 ? 1.0f : -1.0f;
        abut_pose at = abut_pose_identity();
        at.position = abut_vec3_make(side / 2 == 0 ? sign * out : 0, side / 2 == 1 ? sign * out : 0,
                                     side / 2 == 2 ? sign * out : 0);
        put(r,
            abut_shape_obb(side / 2 == 0 ? THICK : out + THICK, side / 2 == 1 ? THICK : out + THICK,
                           side / 2 == 2 ? THICK : out + THICK),
            at);
    }
}

static double hills(void *context, double x, double z)
{
    const double *phase = context;
    return -2.4 + 0.3 * sin(1.7 * x + phase[0]) + 0.3 * sin(2.1 * z + phase[1]);
}

static abut_geometry *make_ground(random_source *random)
{
    mesh_maker m = { 0 };
    double phase[2] = { random_between(random, 0, 6), random_between(random, 0, 6) };
    const uint32_t count = 4 + random_below(random, 20);
    mesh_field(&m, random, count, count, HALF + 0.5, HALF + 0.5, 0.2, hills, phase);
    return mesh_made(&m);
}

static abut_geometry *make_compound(random_source *random, const abut_geometry *lump)
{
    abut_placed_shape parts[12];
    const uint32_t count = random_parts(random, 0.6, true, lump, parts);
    return compound_of(parts, count);
}

static abut_pose random_place(random_source *random, float half)
{
    abut_pose at = abut_pose_identity();
    at.position = abut_vec3_make((float)random_between(random, -half, half), (float)random_between(random, -half, half),
                                 (float)random_between(random, -half, half));
    if (random_chance(random, 0.6))
    {
        at.rotation = random_narrow_rotation(random_rotation(random));
    }
    return at;
}

static abut_shape random_thing(random_source *random, const room *r)
{
    const float size = (float)random_scale(random, 0.05, 1.0);
    switch (random_below(random, 6))
    {
    case 0:
        return abut_shape_sphere(size);
    case 1:
        return abut_shape_capsule(0.3f * size, size);
    case 2:
        return abut_shape_hull(r->lump);
    case 3:
        return abut_shape_compound(r->compound);
    default:
        return abut_shape_obb(size, size * (float)random_scale(random, 0.1, 1.0),
                              size * (float)random_scale(random, 0.1, 1.0));
    }
}

static room open_room(random_source *random, abut_isa isa, uint32_t threads)
{
    const abut_world_def def = { .isa = isa, .threads = threads };
    room r = { .world = open_world(&def), .pose = abut_pose_identity() };
    if (random_chance(random, TURNED))
    {
        r.pose = random_place(random, 100);
    }
    r.ground = make_ground(random);
    r.lump = random_lump(random, 0.7);
    r.compound = make_compound(random, r.lump);
    put_walls(&r);
    if (random_chance(random, 0.7))
    {
        put(&r, abut_shape_mesh(r.ground), abut_pose_identity());
    }
    for (int i = 0; i < THINGS; ++i)
    {
        put(&r, random_thing(random, &r), random_place(random, HALF));
    }
    assert_int_equal(abut_world_update(r.world), ABUT_OK);
    return r;
}

static void close_room(room *r)
{
    abut_world_destroy(r->world);
    abut_geometry_release(r->ground);
    abut_geometry_release(r->lump);
    abut_geometry_release(r->compound);
}

static abut_shape random_body_shape(random_source *random, const room *r)
{
    const float size = (float)random_between(random, 0.1, 0.4);
    switch (random_below(random, 6))
    {
    case 0:
        return abut_shape_sphere(size);
    case 1:
        return abut_shape_obb(size, 1.5f * size, size);
    case 2:
        return abut_shape_hull(r->lump);
    default:
        return abut_shape_capsule(size, 1.2f * size);
    }
}

static bool overlaps(const room *r, const abut_character *c)
{
    const abut_placed_shape shape = { c->shape, c->pose };
    uint32_t count;
    assert_int_equal(abut_world_overlap_shape(r->world, &shape, NULL, NULL, 0, &count), ABUT_OK);
    return count > 0;
}

// False where there is no room for it.
static bool place(random_source *random, const room *r, abut_character *c)
{
    *c = (abut_character){ .shape = random_body_shape(random, r),
                           .max_slope = (float)random_between(random, 0.3, 1.2),
                           .step_height = random_chance(random, 0.7) ? (float)random_between(random, 0, 0.5) : 0,
                           .snap_distance = (float)random_between(random, 0, 0.3),
                           .skin = SKIN };
    for (int i = 0; i < 50; ++i)
    {
        abut_pose at = abut_pose_identity();
        at.position = random_place(random, HALF - 0.5f).position;
        at.position.y = fabsf(at.position.y);
        c->pose = abut_pose_compose(&r->pose, &at);
        c->up = abut_quat_rotate(r->pose.rotation, abut_vec3_make(0, 1, 0));
        abut_hit hit;
        const abut_ray ray = { c->pose.position, abut_vec3_scale(c->up, -2 * HALF) };
        assert_int_equal(abut_world_ray_closest(r->world, &ray, NULL, &hit), ABUT_OK);
        if (!overlaps(r, c) && abut_vec3_dot(hit.normal, c->up) > 0)
        {
            return true;
        }
    }
    return false;
}

static float across(const abut_character *c, abut_vec3 v)
{
    return abut_vec3_length(abut_vec3_sub(v, abut_vec3_scale(c->up, abut_vec3_dot(v, c->up))));
}

typedef struct way
{
    abut_vec3 direction; // across
    float falling;
} way;

static void choose_way(random_source *random, const room *r, int tick, way *w)
{
    const float pace = random_chance(random, 0.1) ? 0.5f : 0.05f;
    if (tick % 20 == 0)
    {
        const double angle = random_between(random, 0, 6.283);
        w->direction =
            abut_quat_rotate(r->pose.rotation, abut_vec3_make(pace * (float)cos(angle), 0, pace * (float)sin(angle)));
        w->falling = random_chance(random, 0.2) ? -0.1f : w->falling;
    }
    w->falling += 0.005f;
}

static void check_end(const room *r, const abut_character *c, const abut_character_move *m)
{
    const float wanted = across(c, c->translation), went = across(c, abut_vec3_sub(m->position, c->pose.position));
    abut_character there = *c;
    there.pose.position = m->position;
    const abut_vec3 at = to_room(r, m->position);
    assert_false(m->stuck);
    assert_false(overlaps(r, &there));
    assert_true(fabsf(at.x) < HALF && fabsf(at.y) < HALF && fabsf(at.z) < HALF);
    assert_true(abut_vec3_length(m->translation) <= abut_vec3_length(c->translation) * 1.0001f + 1e-6f);
    if (m->touch_count == 0 || m->touches[0].depth == 0.0f)
    {
        // what falls may slide as far as it falls
        const float fell = fabsf(abut_vec3_dot(c->translation, c->up));
        const float stride = c->step_height > 0 ? 3 * SKIN : 0; // over the edge of a step
        assert_true(went <= wanted + fell + stride + 2e-5f);
    }
    if (c->stands && m->touch_count == 0)
    {
        assert_true(went >= 0.999f * wanted);
    }
    if (m->footing == ABUT_FOOTING_GROUND)
    {
        assert_true(abut_vec3_dot(m->ground.normal, c->up) >= cosf(c->max_slope) - 1.1e-4f);
    }
}

static void go_around(uint64_t seed)
{
    random_source random = random_start(seed);
    room r = open_room(&random, ABUT_ISA_AUTO, 1);
    abut_character c;
    way w = { { 0, 0, 0 }, 0 };
    const bool placed = place(&random, &r, &c);
    for (int tick = 0; placed && tick < TICKS; ++tick)
    {
        abut_character_move m;
        choose_way(&random, &r, tick, &w);
        c.translation = abut_vec3_sub(w.direction, abut_vec3_scale(c.up, w.falling));
        assert_int_equal(abut_world_move_character(r.world, &c, NULL, &m), ABUT_OK);
        check_end(&r, &c, &m);
        c.pose.position = m.position;
        c.stands = m.footing == ABUT_FOOTING_GROUND;
        w.falling = c.stands ? 0 : -abut_vec3_dot(m.translation, c.up);
    }
    close_room(&r);
}

static void characters_stay_out_of_things(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(ROOMS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        go_around(seed);
    }
}

// The moves of a crowd that starts anywhere, in overlap or not.
static void move_crowd(uint64_t seed, abut_isa isa, uint32_t threads, bool batch, abut_character_move *moves)
{
    random_source random = random_start(seed);
    room r = open_room(&random, isa, threads);
    abut_character crowd[CROWD];
    for (uint32_t i = 0; i < CROWD; ++i)
    {
        way w = { { 0, 0, 0 }, 0 };
        (void)place(&random, &r, &crowd[i]);
        choose_way(&random, &r, 0, &w);
        crowd[i].pose.position = abut_pose_apply(&r.pose, random_place(&random, HALF).position);
        crowd[i].translation = abut_vec3_sub(w.direction, abut_vec3_scale(crowd[i].up, w.falling));
        crowd[i].stands = random_chance(&random, 0.5);
    }
    memset(moves, 0, CROWD * sizeof *moves);
    for (uint32_t i = 0; i < CROWD && !batch; ++i)
    {
        assert_int_equal(abut_world_move_character(r.world, &crowd[i], NULL, &moves[i]), ABUT_OK);
    }
    if (batch)
    {
        assert_int_equal(abut_world_move_character_many(r.world, crowd, CROWD, NULL, moves), ABUT_OK);
    }
    close_room(&r);
}

// But for generations, which no two worlds share.
static bool same_touch(const abut_touch *a, const abut_touch *b)
{
    abut_touch of_a = *a, of_b = *b;
    of_a.body.generation = of_b.body.generation = of_a.collider.generation = of_b.collider.generation = 0;
    return memcmp(&of_a, &of_b, sizeof of_a) == 0;
}

static bool same_move(const abut_character_move *a, const abut_character_move *b)
{
    bool same = a->footing == b->footing && a->stuck == b->stuck && a->touch_count == b->touch_count &&
                memcmp(&a->position, &b->position, sizeof a->position) == 0 &&
                memcmp(&a->translation, &b->translation, sizeof a->translation) == 0 &&
                same_touch(&a->ground, &b->ground);
    for (uint32_t i = 0; same && i < a->touch_count; ++i)
    {
        same = same_touch(&a->touches[i], &b->touches[i]);
    }
    return same;
}

static void moves_are_the_same_everywhere(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(CROWDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        static abut_character_move first[CROWD], other[CROWD];
        move_crowd(seed, ABUT_ISA_SCALAR, 1, false, first);
        EVERY_ISA(isa)
        {
            move_crowd(seed, isa, isa % 2 ? 3 : 1, true, other);
            for (uint32_t i = 0; i < CROWD; ++i)
            {
                assert_true(same_move(&first[i], &other[i]));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(characters_stay_out_of_things),
                                        cmocka_unit_test(moves_are_the_same_everywhere) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
