// How steady the features of contacts are where real bodies have come to rest: a scene recorded from another engine,
// once everything lies. A warm-started solver relies on it.
//
// The recording has a frame each 133 milliseconds, in which most bodies still move by millimetres, so that features do
// change. Without a margin, points of bodies at a separation of zero come and go by its rounding as well; a millimetre
// of margin keeps them.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "scenes.h"
#include "stack/steadiness.h"

#include <stdio.h>
#include <stdlib.h>

// Over the last frames, with this margin.
static double share_kept(float margin)
{
    bench_complaint complaint = { 0 };
    bench_scene *scene = scene_open_file(ABUT_SCENES_DIR "/pour_500.csv", &complaint);
    assert_non_null(scene);
    abut_world *world = NULL;
    abut_body *bodies = calloc(scene->count, sizeof *bodies);
    assert_int_equal(abut_world_create(&(abut_world_def){ .margin = margin }, &world), ABUT_OK);
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
    printf("margin %g m, ", (double)margin);
    steadiness_print(&steady, "pour_500");
    assert_true(steady.points > 1000);
    const double share = (double)steady.kept / (double)steady.points;
    steadiness_close(&steady);
    abut_world_destroy(world);
    free(bodies);
    scene_close(scene);
    return share;
}

static void points_keep_their_features_in_a_pile_at_rest(void **state)
{
    (void)state;
    const double none = share_kept(0.0f), some = share_kept(0.005f);
    assert_true(none > 0.7 && some > 0.88);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_keep_their_features_in_a_pile_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
