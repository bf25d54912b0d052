// Batches with lists of results: those of each question by itself, in the same order and with the same bits, whatever
// the filter, the kinds of shape, the room for results and the number of questions; where few are found and where more
// are than are answered together.
#include "batch_questions.h"

static bool found_some_more; // than there was room for

// There are no more than these, whatever the share.
static uint32_t some_of(uint32_t count, uint32_t least)
{
    const uint32_t wanted = random_share_of(count, least);
    return wanted < count ? wanted : count;
}

static uint64_t compare_rooms(const scene *s, const calls *c, const abut_query_filter *f, uint64_t all)
{
    const uint32_t asked = some_of(ASKED, 70), counts[] = { 0, 1, 2, 5, 64, 65, asked };
    uint64_t sum = 0;
    for (uint32_t k = COUNT(counts) - some_of(COUNT(counts), 2); k < COUNT(counts); ++k)
    {
        sum = compare(s, c, f, counts[k], all);
    }
    assert_true(sum < ROOM);
    (void)compare(s, c, f, asked, sum);
    (void)compare(s, c, f, asked, sum - sum / 3);
    (void)compare(s, c, f, asked, sum / 5);
    (void)compare(s, c, f, asked, 1);
    (void)compare(s, c, f, asked, 0);
    found_some_more = found_some_more || sum > 0;
    return sum;
}

static uint64_t compare_filters(const scene *s, const calls *c, uint64_t all)
{
    const abut_query_filter filters[] = { { .flags = 0 },
                                          { .mask = 1, .flags = ABUT_QUERY_SENSORS },
                                          { .mask = 2, .motions = 1u << ABUT_STATIC },
                                          { .ignore = s->body, .ignore_count = 40 },
                                          { .flags = ABUT_QUERY_ONE_PER_BODY },
                                          { .flags = ABUT_QUERY_BOUNDS },
                                          { .flags = ABUT_QUERY_CHILDREN | ABUT_QUERY_SENSORS },
                                          { .flags = ABUT_QUERY_CHILDREN | ABUT_QUERY_ONE_PER_BODY },
                                          { .flags = ABUT_QUERY_HOLLOW },
                                          { .flags = ABUT_QUERY_SKIP_INSIDE } };
    uint64_t sum = 0;
    for (uint32_t k = 0; k < COUNT(filters); ++k)
    {
        if ((filters[k].flags & ~c->flags) == 0)
        {
            sum += compare_rooms(s, c, &filters[k], all);
        }
    }
    return sum;
}

static void compare_all(scene *s)
{
    static const uint32_t counts[] = { 1, 3, 8, 70 };
    for (uint32_t k = 0; k < COUNT(lists); ++k)
    {
        assert_true(compare_filters(s, &lists[k], ROOM - 1) > 0 || !random_seeds_all());
    }
    for (uint32_t k = 0; k < 2 * COUNT(counts); ++k)
    {
        most = counts[k / 2];
        within = k % 2 ? INFINITY : 1.0f;
        for (uint32_t n = 0; n < COUNT(nearest); ++n)
        {
            assert_true(compare_rooms(s, &nearest[n], NULL, (uint64_t)most * ASKED) > 0);
        }
    }
    most = 3;
    for (uint32_t n = 0; n < COUNT(nearest); ++n)
    {
        assert_true(compare_filters(s, &nearest[n], (uint64_t)most * ASKED) > random_share_of(ASKED, 70));
    }
}

static void batches_are_their_questions_one_by_one(void **state)
{
    (void)state;
    uint64_t seed = 1;
    static const abut_broad_kind kinds[] = { ABUT_BROAD_BVH, ABUT_BROAD_GRID, ABUT_BROAD_BRUTE };
    for (abut_isa isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)
    {
        if (abut_isa_available(isa))
        {
            scene *s = open_scene(seed, &(abut_world_def){ .broad = kinds[seed % COUNT(kinds)], .isa = isa }, BODIES,
                                  8.0, 1.0);
            compare_all(s);
            close_scene(s);
            ++seed;
        }
    }
    assert_true(found_some_more);
}

// Each question finds hundreds, so that the candidates of a few fill the room for those of many.
static void crowded_batches_are_their_questions_one_by_one(void **state)
{
    (void)state;
    scene *s = open_scene(9, &(abut_world_def){ .broad = ABUT_BROAD_BVH }, CROWD, 1.0, 3.0);
    abut_body ignored[ASKED];
    const abut_query_filter one = { .flags = ABUT_QUERY_ONE_PER_BODY }, each = { .ignore_each = ignored };
    const uint32_t few = some_of(FEW, 6);
    uint64_t sum = 0;
    for (uint32_t k = 0; k < COUNT(lists); ++k)
    {
        sum += compare(s, &lists[k], NULL, few, ROOM - 1);
        (void)compare(s, &lists[k], &one, few, 3000);
        ignore_first(s, &lists[k], few, ignored);
        (void)compare(s, &lists[k], &each, few, ROOM - 1);
    }
    assert_true(sum > (uint64_t)2000 * few);
    most = 200;
    within = INFINITY;
    for (uint32_t n = 0; n < COUNT(nearest); ++n)
    {
        (void)compare(s, &nearest[n], NULL, few, (uint64_t)most * few);
        ignore_first(s, &nearest[n], few, ignored);
        (void)compare(s, &nearest[n], &each, few, (uint64_t)most * few);
    }
    most = ONE; // all: more than are answered together
    for (uint32_t n = 0; n < COUNT(nearest); ++n)
    {
        assert_true(compare(s, &nearest[n], &each, few, ROOM - 1) > (uint64_t)2100 * few);
    }
    close_scene(s);
}

// A hull that does not hold its own origin: balls about that say nothing of what is there.
static void a_shape_beside_its_origin_overlaps_what_is_in_it(void **state)
{
    (void)state;
    static const float wedge[3][2] = { { -1, 1.4f }, { 1.4f, -1 }, { 1.4f, 1.4f } };
    abut_vec3 corner[6];
    abut_geometry *hull = NULL;
    abut_world *world = open_world(NULL);
    for (uint32_t i = 0; i < COUNT(corner); ++i)
    {
        corner[i] = abut_vec3_make(wedge[i / 2][0], wedge[i / 2][1], i & 1 ? 0.5f : -0.5f);
    }
    assert_int_equal(abut_geometry_create_hull(corner, COUNT(corner), 0, NULL, &hull), ABUT_OK);
    add(world, abut_shape_sphere(0.1f), 0, 0, 0, ABUT_DYNAMIC); // 0.28 from it
    add(world, abut_shape_sphere(0.3f), 0, 0, 0, ABUT_STATIC);
    add(world, abut_shape_sphere(0.1f), 1, 1, 0, ABUT_STATIC);
    detect(world);
    abut_placed_shape asker[3];
    abut_range range[3];
    abut_found found[12];
    uint64_t total;
    for (uint32_t i = 0; i < 3; ++i)
    {
        asker[i] = (abut_placed_shape){ abut_shape_hull(hull), abut_pose_identity() };
    }
    asker[1].pose.position.x = -1;
    asker[2].pose.position.x = 40;
    assert_int_equal(abut_world_overlap_shape_many(world, asker, 3, NULL, range, found, COUNT(found), &total), ABUT_OK);
    assert_int_equal(range[0].count, 2);
    assert_int_equal(range[1].count, 2);
    assert_int_equal(range[2].count, 0);
    abut_world_destroy(world);
    abut_geometry_release(hull);
}

// Spheres look in balls where they are asked about together: what is in the corners of their boxes is left out, and what
// they touch is not.
static void batches_of_spheres_find_what_they_touch(void **state)
{
    (void)state;
    static const float radii[] = { 0.03125f, 1, 64 };
    abut_world *world = open_world(NULL);
    abut_placed_shape asker[COUNT(radii)];
    abut_range range[COUNT(radii)];
    abut_found found[4 * COUNT(radii)];
    uint64_t total;
    for (uint32_t i = 0; i < COUNT(radii); ++i)
    {
        const float r = radii[i], x = 4096.0f * (float)i;
        asker[i] = (abut_placed_shape){ abut_shape_sphere(5 * r), abut_pose_identity() };
        asker[i].pose.position.x = x;
        add(world, abut_shape_sphere(2 * r), x + 6 * r, 2 * r, 3 * r, ABUT_DYNAMIC); // 7 r away
        add(world, abut_shape_aabb(r, r, r), x + 4 * r, 5 * r, 0, ABUT_STATIC);      // an edge of it 5 r away
        add(world, abut_shape_sphere(2 * r), x + 5 * r, 5 * r, 5 * r, ABUT_STATIC);  // in a corner
    }
    detect(world);
    assert_int_equal(
        abut_world_overlap_shape_many(world, asker, COUNT(asker), NULL, range, found, COUNT(found), &total), ABUT_OK);
    for (uint32_t i = 0; i < COUNT(radii); ++i)
    {
        assert_int_equal(range[i].count, 2);
    }
    abut_world_destroy(world);
}

// Every shape that asks becomes a sphere.
static void batches_of_spheres_are_their_questions_one_by_one(void **state)
{
    (void)state;
    scene *s = open_scene(10, NULL, BODIES, 8.0, 1.0);
    random_source random = random_start(11);
    const calls *c = &lists[3];
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        s->q.shape[i].shape = abut_shape_sphere((float)random_between(&random, 0.01, 2.0));
    }
    assert_true(compare_filters(s, c, ROOM - 1) > 0);
    close_scene(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_their_questions_one_by_one),
        cmocka_unit_test(crowded_batches_are_their_questions_one_by_one),
        cmocka_unit_test(a_shape_beside_its_origin_overlaps_what_is_in_it),
        cmocka_unit_test(batches_of_spheres_find_what_they_touch),
        cmocka_unit_test(batches_of_spheres_are_their_questions_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
