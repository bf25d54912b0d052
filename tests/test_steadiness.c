// How steady the features of contacts are where real bodies have come to rest: a scene recorded from another engine, once everything
// lies. A solver that is warm started relies on it.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "scenes.h"
#include "stack/steadiness.h"

#include <stdlib.h>

static void points_keep_their_features_in_a_settled_pile(void **state)
{
    (void)state;
    bench_complaint complaint = { 0 };
    bench_scene *scene = scene_open_file(ABUT_SCENES_DIR "/pour_500.csv", &complaint);
    assert_non_null(scene);
    abut_world *world = NULL;
    abut_body *bodies = calloc(scene->count, sizeof *bodies);
    assert_int_equal(abut_world_create(NULL, &world), ABUT_OK);
    assert_int_equal(abut_body_create_many(world, scene->defs, scene->count, bodies), ABUT_OK);
    steadiness steady = { 0 };
    for (uint32_t frame = 1; frame < scene->frames; ++frame)
    {
        scene_advance(scene);
        for (uint32_t i = 0; i < scene->moving; ++i)
        {
            assert_int_equal(abut_body_set_pose(world, bodies[i], &scene->poses[i]), ABUT_OK);
        }
        assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
        assert_true(steadiness_look(&steady, world, frame > scene->frames - 10));
    }
    steadiness_print(&steady, "pour_500, the last frames");
    assert_true(steady.points > 1000);
    assert_true(steady.kept > steady.points / 2);
    steadiness_close(&steady);
    abut_world_destroy(world);
    free(bodies);
    scene_close(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_keep_their_features_in_a_settled_pile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
