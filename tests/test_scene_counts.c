// Every scene through a world: what touches is what the referee says, in each frame, and events account for all of it.
#include "referee.h"
#include "referee_2d.h"
#include "referee_polytope.h"
#include "scenes.h"

// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A scene, the world that plays it, and the same bodies as the referee sees them.
typedef struct played
{
    bench_scene *scene;
    abut_world *world;
    abut_body *bodies;           // by index in the scene
    uint32_t *index_of;          // by slot
    referee_collider *colliders; // by index
    referee_pairs expected;
    uint64_t alive; // begun and not ended
} played;

static void learn_slots(played *stage)
{
    for (uint32_t i = 0; i < stage->scene->count; ++i)
    {
        stage->index_of[stage->bodies[i].slot] = i;
    }
}

static played open_stage(bench_scene *scene, abut_broad_kind broad)
{
    assert_non_null(scene);
    played stage = { .scene = scene };
    const uint32_t slots = scene->count + 2 * scene->renewed_room;
    stage.bodies = calloc(scene->count, sizeof *stage.bodies);
    stage.index_of = calloc(slots, sizeof *stage.index_of);
    stage.colliders = calloc(scene->count, sizeof *stage.colliders);
    assert_int_equal(
        abut_world_create(&(abut_world_def){ .broad = broad, .dimension = scene->dimension }, &stage.world), ABUT_OK);
    assert_int_equal(abut_body_create_many(stage.world, scene->defs, scene->count, stage.bodies), ABUT_OK);
    learn_slots(&stage);
    for (uint32_t i = 0; i < scene->count; ++i)
    {
        const abut_body_def *def = &scene->defs[i];
        stage.colliders[i] = (referee_collider){ .shape = def->collider.shape, .motion = def->motion, .body = i };
    }
    return stage;
}

static void close_stage(played *stage)
{
    abut_world_destroy(stage->world);
    scene_close(stage->scene);
    free(stage->bodies);
    free(stage->index_of);
    free(stage->colliders);
    free(stage->expected.data);
}

// Bodies end and begin one by one, poses are set through handles: not the way the benchmark takes.
static void play(played *stage)
{
    const bench_scene *scene = stage->scene;
    for (uint32_t k = 0; k < scene->renewed_count; ++k)
    {
        abut_body *body = &stage->bodies[scene->renewed[k]];
        assert_int_equal(abut_body_destroy(stage->world, *body), ABUT_OK);
        assert_int_equal(abut_body_create(stage->world, &scene->renewed_defs[k], body), ABUT_OK);
    }
    learn_slots(stage);
    if (scene->moving > 0)
    {
        assert_int_equal(abut_body_set_pose_many(stage->world, stage->bodies, scene->moving, scene->poses), ABUT_OK);
    }
    assert_int_equal(abut_world_detect(stage->world, 0.0f), ABUT_OK);
}

static void ask_the_referee(played *stage)
{
    for (uint32_t i = 0; i < stage->scene->count; ++i)
    {
        stage->colliders[i].pose = stage->scene->poses[i];
    }
    const referee_rules rules = referee_default_rules();
    referee_touching(&rules, stage->colliders, stage->scene->count, &stage->expected);
}

static int by_indices(const void *left, const void *right)
{
    const referee_pair *a = left, *b = right;
    if (a->a != b->a)
    {
        return a->a < b->a ? -1 : 1;
    }
    return (a->b > b->b) - (a->b < b->b);
}

// The world's contacts as pairs of indices, sorted. The caller frees.
static referee_pair *found_pairs(const played *stage, abut_contacts contacts)
{
    referee_pair *found = calloc(contacts.count + 1, sizeof *found);
    for (uint32_t i = 0; i < contacts.count; ++i)
    {
        const abut_contact *contact = abut_contact_at(&contacts, i);
        const uint32_t a = stage->index_of[contact->a.slot], b = stage->index_of[contact->b.slot];
        found[i] = (referee_pair){ .a = a < b ? a : b, .b = a < b ? b : a };
    }
    qsort(found, contacts.count, sizeof *found, by_indices);
    return found;
}

// Where the referee is undecided either answer is right.
static void compare(const played *stage)
{
    const abut_contacts contacts = abut_world_contacts(stage->world, ABUT_AWAKE);
    referee_pair *found = found_pairs(stage, contacts);
    size_t at = 0;
    for (size_t i = 0; i < stage->expected.count; ++i)
    {
        const referee_pair *expected = &stage->expected.data[i];
        const bool here = at < contacts.count && by_indices(&found[at], expected) == 0;
        if (!here && !expected->undecided)
        {
            fail_msg("%s, frame %u: %u and %u touch, and were not found", stage->scene->name, stage->scene->frame,
                     expected->a, expected->b);
        }
        at += here;
    }
    if (at < contacts.count)
    {
        fail_msg("%s, frame %u: %u and %u were found, and do not touch", stage->scene->name, stage->scene->frame,
                 found[at].a, found[at].b);
    }
    free(found);
}

static void account(played *stage)
{
    stage->alive += abut_world_events(stage->world, ABUT_BEGIN).count;
    stage->alive -= abut_world_events(stage->world, ABUT_END).count;
    assert_int_equal(stage->alive, abut_world_contacts(stage->world, ABUT_AWAKE).count);
}

static void referee_every(uint32_t period, uint32_t frames, bench_scene *scene, abut_broad_kind broad)
{
    played stage = open_stage(scene, broad);
    size_t seen = 0;
    for (uint32_t frame = 0; frame < frames; ++frame)
    {
        play(&stage);
        account(&stage);
        if (frame % period == 0)
        {
            ask_the_referee(&stage);
            compare(&stage);
            seen += stage.expected.count;
        }
        scene_advance(scene);
    }
    assert_true(seen > 0);
    close_stage(&stage);
}

static void each_scene_touches_as_the_referee_says(void **state)
{
    (void)state;
    static const char *const names[] = { "gas", "dense", "pile", "sparse", "sizes", "rain", "rects", "rects-3d" };
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    {
        for (int broad = 0; broad < ABUT_BROAD_COUNT; ++broad)
        {
            referee_every(3, 25, scene_open(scene_find(names[i]), 1000, 0), (abut_broad_kind)broad);
        }
    }
}

static void a_cluster_touches_as_the_referee_says(void **state)
{
    (void)state;
    for (int broad = 0; broad < ABUT_BROAD_COUNT; ++broad)
    {
        referee_every(2, 2, scene_open(scene_find("cluster"), 1000, 0), (abut_broad_kind)broad);
    }
}

// Of hulls, two of which touch where the referee of hulls finds no gap; every pair is judged whose spheres overlap.
static uint32_t judge_hulls(const played *stage, const polytope *solids)
{
    const bench_scene *scene = stage->scene;
    referee_pair *found = found_pairs(stage, abut_world_contacts(stage->world, ABUT_AWAKE));
    const uint32_t count = abut_world_contacts(stage->world, ABUT_AWAKE).count;
    uint32_t at = 0;
    for (uint32_t a = 0; a < scene->count; ++a)
    {
        for (uint32_t b = a + 1; b < scene->count; ++b)
        {
            const bool here = at < count && found[at].a == a && found[at].b == b;
            at += here;
            const abut_vec3 apart = abut_vec3_sub(scene->poses[a].position, scene->poses[b].position);
            const bool far = (double)abut_vec3_length(apart) > solids[a].reach + solids[b].reach + 0.01;
            const double gap = far ? 1.0 : polytope_separation(&solids[a], &solids[b]);
            if (here ? gap > 1e-5 : gap < -1e-5)
            {
                fail_msg("frame %u: %u and %u were %s, and are %g m apart", scene->frame, a, b,
                         here ? "found" : "not found", gap);
            }
        }
    }
    assert_int_equal(at, count);
    free(found);
    return count;
}

static void ruins_touch_as_the_referee_of_hulls_says(void **state)
{
    (void)state;
    played stage = open_stage(scene_open(scene_find("ruins"), 150, 0), ABUT_BROAD_AUTO);
    polytope *solids = calloc(stage.scene->count, sizeof *solids);
    assert_non_null(solids);
    for (uint32_t frame = 0; frame < 9; ++frame)
    {
        play(&stage);
        account(&stage);
        for (uint32_t i = 0; frame % 8 == 0 && i < stage.scene->count; ++i)
        {
            solids[i] = polytope_of(&stage.scene->defs[i].collider.shape, &stage.scene->poses[i]);
        }
        assert_true(frame % 8 > 0 || judge_hulls(&stage, solids) > 400);
        scene_advance(stage.scene);
    }
    free(solids);
    close_stage(&stage);
}

static void the_recorded_pour_touches_as_the_referee_says(void **state)
{
    (void)state;
    for (int broad = 0; broad < ABUT_BROAD_COUNT; ++broad)
    {
        bench_complaint complaint = { 0 };
        bench_scene *scene = scene_open_file(ABUT_SCENES_DIR "/pour_500.csv", &complaint);
        referee_every(1, 60, scene, (abut_broad_kind)broad);
    }
}

// A manifold short of points is sound in all else: on slivers a millimetre wide, and where the four kept are not the
// best.
static bool sound(const played *stage, const abut_contact *c, double *covered)
{
    abut_manifold m = { .normal = c->normal, .separation = c->separation, .point_count = c->point_count };
    memcpy(m.points, c->points, c->point_count * sizeof m.points[0]);
    const uint32_t a = stage->index_of[c->a.slot], b = stage->index_of[c->b.slot];
    const bench_scene *scene = stage->scene;
    const referee_solid solid_a = referee_solid_of(&scene->defs[a].collider.shape, &scene->poses[a], NULL);
    const referee_solid solid_b = referee_solid_of(&scene->defs[b].collider.shape, &scene->poses[b], NULL);
    const abut_vec3 origin = scene->poses[a].position;
    char why[REFEREE_WHY];
    const bool accepted = referee_check(
        &solid_a, &solid_b, dvec3_make((double)origin.x, (double)origin.y, (double)origin.z), 0.0, &m, covered, why);
    if (!accepted && *covered < 0.0)
    {
        fail_msg("frame %u: %u and %u: %s", scene->frame, a, b, why);
    }
    return accepted;
}

// Real contacts at rest, face to face and edge on edge.
static void manifolds_of_the_recorded_pour_are_sound(void **state)
{
    (void)state;
    bench_complaint complaint = { 0 };
    played stage = open_stage(scene_open_file(ABUT_SCENES_DIR "/pour_500.csv", &complaint), ABUT_BROAD_AUTO);
    uint32_t seen = 0, short_of_points = 0;
    while (stage.scene->frame < stage.scene->frames)
    {
        play(&stage);
        const abut_contacts contacts = abut_world_contacts(stage.world, ABUT_AWAKE);
        for (uint32_t i = 0; i < contacts.count; ++i)
        {
            double covered;
            short_of_points += !sound(&stage, abut_contact_at(&contacts, i), &covered);
            seen += 1;
        }
        scene_advance(stage.scene);
    }
    assert_true(seen > 30000);
    assert_true(short_of_points * 200 < seen);
    close_stage(&stage);
}

// Each 2D contact, judged by the 2D referee; and in every frame the same pairs as among flat boxes in 3D.
static void rectangles_in_2d_and_flat_boxes_touch_alike(void **state)
{
    (void)state;
    played flat = open_stage(scene_open(scene_find("rects"), 1000, 0), ABUT_BROAD_AUTO);
    played boxes = open_stage(scene_open(scene_find("rects-3d"), 1000, 0), ABUT_BROAD_AUTO);
    uint32_t seen = 0;
    for (uint32_t frame = 0; frame < 25; ++frame)
    {
        play(&flat);
        play(&boxes);
        const abut_contacts contacts = abut_world_contacts(flat.world, ABUT_AWAKE);
        const abut_contacts others = abut_world_contacts(boxes.world, ABUT_AWAKE);
        assert_int_equal(contacts.count, others.count);
        for (uint32_t i = 0; i < contacts.count; ++i)
        {
            const abut_contact *c = abut_contact_at(&contacts, i), *other = abut_contact_at(&others, i);
            const uint32_t a = flat.index_of[c->a.slot], b = flat.index_of[c->b.slot];
            const abut_pose *pose_a = &flat.scene->poses[a], *pose_b = &flat.scene->poses[b];
            const solid_2d solid_a = solid_2d_of(&flat.scene->defs[a].collider.shape, pose_a, NULL);
            const solid_2d solid_b = solid_2d_of(&flat.scene->defs[b].collider.shape, pose_b, NULL);
            const dvec2 origin = { (double)pose_a->position.x, (double)pose_a->position.y };
            abut_manifold m = { .normal = c->normal, .separation = c->separation, .point_count = c->point_count };
            memcpy(m.points, c->points, c->point_count * sizeof m.points[0]);
            char why[PLANE_WHY];
            if (!check_contact_2d(&solid_a, &solid_b, origin, 0.0, &m, why))
            {
                fail_msg("frame %u: %u and %u: %s", frame, a, b, why);
            }
            assert_true(c->a.slot == other->a.slot && c->b.slot == other->b.slot);
        }
        seen += contacts.count;
        scene_advance(flat.scene);
        scene_advance(boxes.scene);
    }
    assert_true(seen > 5000);
    close_stage(&flat);
    close_stage(&boxes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_scene_touches_as_the_referee_says),
        cmocka_unit_test(a_cluster_touches_as_the_referee_says),
        cmocka_unit_test(ruins_touch_as_the_referee_of_hulls_says),
        cmocka_unit_test(the_recorded_pour_touches_as_the_referee_says),
        cmocka_unit_test(manifolds_of_the_recorded_pour_are_sound),
        cmocka_unit_test(rectangles_in_2d_and_flat_boxes_touch_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
