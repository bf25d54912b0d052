// The narrow phase as a batch: every instruction set gives the bits of the scalar one, in batches of any count. What
// the manifolds ought to be is for the referee to say, in test_laws_collide.c.
#include "kernel_pairs.h"
#include "math/rotation.h"
#include "random_pair.h"

static void fill(pairs *p, random_source *random, abut_shape_kind kind_a, abut_shape_kind kind_b)
{
    for (uint32_t i = 0; i < ROOM; ++i)
    {
        random_pair m = random_pair_of(random, kind_a, kind_b, (random_layout)(i % RANDOM_LAYOUT_COUNT));
        uint32_t turned = kind_a == kind_b ? 0 : random_below(random, 2);
        assert_true(ab_pose_accept(&m.pose_a) && ab_pose_accept(&m.pose_b));
        const abut_placed_shape a = { m.a, m.pose_a }, b = { m.b, m.pose_b };
        pairs_put(p, i, &a, 0xfffffff0u + turned, &b, 0xfffffff1u - turned, random);
    }
}

static void every_instruction_set_gives_the_scalar_bits(void **state)
{
    (void)state;
    static pairs p;
    static results ours, theirs;
    pairs_open(&p);
    const ab_pair_table *scalar = ab_kernels_for(ABUT_ISA_SCALAR)->table;
    for (int type = 0; type < (int)(RANDOM_KINDS * RANDOM_KINDS); ++type)
    {
        abut_shape_kind low = random_kind((uint32_t)type / RANDOM_KINDS);
        abut_shape_kind high = random_kind((uint32_t)type % RANDOM_KINDS);
        const ab_pair_type *expected = &scalar->type[low][high];
        uint32_t touching = 0;
        for (uint32_t round = 0; expected->kernel && round < 96; ++round)
        {
            random_source random = random_start(round + 1);
            uint32_t count = round < 40 ? round : 1 + random_below(&random, BATCH);
            fill(&p, &random, low, high);
            ab_batch batch = batch_of(&p, count, round, false);
            run(expected, &batch, &theirs);
            touching += theirs.out.count;
            for (abut_isa isa = ABUT_ISA_SSE2; isa < ABUT_ISA_COUNT; ++isa)
            {
                if (abut_isa_available(isa))
                {
                    run(&ab_kernels_for(isa)->table->type[low][high], &batch, &ours);
                    same_bits(&ours, &theirs, abut_isa_name(isa), expected->name, count);
                }
            }
        }
        assert_true(!expected->kernel || touching > 1000);
    }
    pairs_close(&p);
}

static void touching_kernels_agree_with_the_manifolds(void **state)
{
    (void)state;
    static pairs p;
    static results theirs;
    pairs_open(&p);
    for (int type = 0; type < (int)(RANDOM_KINDS * RANDOM_KINDS); ++type)
    {
        abut_shape_kind low = random_kind((uint32_t)type / RANDOM_KINDS);
        abut_shape_kind high = random_kind((uint32_t)type % RANDOM_KINDS);
        for (uint32_t round = 0; ab_kernels_for(ABUT_ISA_SCALAR)->table->type[low][high].kernel && round < 16; ++round)
        {
            random_source random = random_start(round + 1);
            fill(&p, &random, low, high);
            ab_batch batch = batch_of(&p, AB_CHUNK - 16 + round, round, false);
            for (abut_isa isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)
            {
                if (!abut_isa_available(isa))
                {
                    continue;
                }
                const ab_pair_type *entry = &ab_kernels_for(isa)->table->type[low][high];
                run(entry, &batch, &theirs);
                same_touching(entry, &batch, &theirs);
            }
        }
    }
    pairs_close(&p);
}

static void many_pairs_give_what_each_gives_by_itself(void **state)
{
    (void)state;
    enum
    {
        SHAPES = 301,
        PAIRS = 5003
    };
    static abut_shape shape[SHAPES];
    static abut_pose pose[SHAPES];
    static uint32_t a[PAIRS], b[PAIRS];
    static abut_manifold manifold[PAIRS];
    static bool overlapping[PAIRS];
    static abut_closest closest[PAIRS];
    static float distance[PAIRS];
    random_source random = random_start(7);
    for (uint32_t i = 0; i < SHAPES; ++i)
    {
        shape[i] = random_shape(&random, random_kind(i % RANDOM_KINDS), 1.0);
        pose[i].position = random_narrow(random_in_box(&random, 2.0));
        pose[i].rotation = random_narrow_rotation(random_rotation(&random));
    }
    for (uint32_t k = 0; k < PAIRS; ++k)
    {
        a[k] = random_below(&random, SHAPES);
        b[k] = random_below(&random, SHAPES);
    }
    abut_pair_list list = { shape, pose, SHAPES, PAIRS, a, b, NULL, 0 };
    assert_int_equal(abut_collide_many(&list, 0.1f, manifold), ABUT_OK);
    assert_int_equal(abut_overlap_many(&list, overlapping), ABUT_OK);
    assert_int_equal(abut_closest_points_many(&list, closest), ABUT_OK);
    assert_int_equal(abut_distance_many(&list, distance), ABUT_OK);
    uint32_t touching = 0;
    for (uint32_t k = 0; k < PAIRS; ++k)
    {
        abut_manifold single_threaded;
        abut_closest near;
        bool answer;
        assert_int_equal(abut_closest_points(&shape[a[k]], &pose[a[k]], &shape[b[k]], &pose[b[k]], &near), ABUT_OK);
        assert_memory_equal(&near, &closest[k], sizeof near);
        assert_memory_equal(&near.distance, &distance[k], sizeof near.distance);
        assert_int_equal(abut_collide(&shape[a[k]], &pose[a[k]], &shape[b[k]], &pose[b[k]], 0.1f, &single_threaded),
                         ABUT_OK);
        assert_memory_equal(&single_threaded, &manifold[k], sizeof single_threaded);
        assert_int_equal(abut_overlap(&shape[a[k]], &pose[a[k]], &shape[b[k]], &pose[b[k]], &answer), ABUT_OK);
        assert_int_equal(answer, overlapping[k]);
        touching += answer;
    }
    assert_true(touching > 100 && touching < PAIRS - 100);
}

static void many_pairs_fail_as_a_whole(void **state)
{
    (void)state;
    abut_shape shape[2] = { { .kind = ABUT_SPHERE, .sphere.radius = 1.0f }, { .kind = ABUT_OBB } };
    abut_pose pose[2] = { { .rotation.w = 1.0f }, { .rotation.w = 1.0f } };
    uint32_t a[2] = { 0, 1 }, b[2] = { 1, 2 };
    bool overlapping[2] = { false, true };
    abut_manifold manifold = { .point_count = 77 };
    abut_closest closest = { .distance = 77.0f };
    float distance = 77.0f;
    abut_pair_list list = { shape, pose, 2, 2, a, b, NULL, 0 };
    assert_int_equal(abut_overlap_many(&list, overlapping), ABUT_INVALID_ARGUMENT);
    assert_false(overlapping[0]);
    assert_int_equal(abut_closest_points_many(&list, &closest), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_distance_many(&list, &distance), ABUT_INVALID_ARGUMENT);
    list.pair_count = 1;
    assert_int_equal(abut_closest_points_many(&list, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_distance_many(&list, NULL), ABUT_INVALID_ARGUMENT);
    assert_true(closest.distance == 77.0f && distance == 77.0f);
    assert_int_equal(abut_overlap_many(&list, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_collide_many(&list, -1.0f, &manifold), ABUT_INVALID_ARGUMENT);
    pose[1].rotation.w = 0.0f;
    assert_int_equal(abut_collide_many(&list, 0.0f, &manifold), ABUT_INVALID_ARGUMENT);
    assert_int_equal(manifold.point_count, 77);
    list = (abut_pair_list){ 0 };
    assert_int_equal(abut_overlap_many(&list, NULL), ABUT_OK);
    assert_int_equal(abut_distance_many(&list, NULL), ABUT_OK);
    assert_int_equal(abut_overlap_many(NULL, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_closest_points_many(NULL, &closest), ABUT_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touching_kernels_agree_with_the_manifolds),
        cmocka_unit_test(many_pairs_give_what_each_gives_by_itself),
        cmocka_unit_test(many_pairs_fail_as_a_whole),
        cmocka_unit_test(every_instruction_set_gives_the_scalar_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
