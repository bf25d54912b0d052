// Small cases in which worlds were wrong once, as sessions of random calls found them.
#include "small_world.h"

#include <abut/state.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What is freed is overwritten.
static void *allocate(void *context, size_t size, size_t alignment)
{
    (void)context;
    const size_t least = alignment < 64 ? 64 : alignment;
    return aligned_alloc(least, (size + least - 1) / least * least);
}

static void release(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    (void)alignment;
    if (block)
    {
        memset(block, 0, size);
    }
    free(block);
}

static void detect_so_often(abut_world *world, uint32_t times)
{
    for (uint32_t i = 0; i < times; ++i)
    {
        assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    }
}

// A contact that is kept and ends in the detect in which new ones take all the room that there is for contacts.
static void a_kept_contact_ends_while_the_contacts_move(void **state)
{
    (void)state;
    abut_world *world =
        open_world(&(abut_world_def){ .allocator = { allocate, release, NULL }, .recycle_distance = 0.05f });
    (void)add(world, abut_shape_aabb(5, 1, 5), 0, 0, 0, ABUT_STATIC);
    const abut_body ball = add(world, abut_shape_sphere(0.5f), 0, 1.499f, 0, ABUT_DYNAMIC);
    const abut_body two = add(world, abut_shape_sphere(0.5f), 3, 1.499f, 0, ABUT_DYNAMIC);
    const abut_collider_def second = { .shape = abut_shape_sphere(0.5f), .local.position.x = 0.3f };
    abut_collider collider;
    assert_int_equal(abut_collider_attach(world, two, &second, &collider), ABUT_OK);
    for (uint32_t i = 0; i < 400; ++i)
    {
        (void)add(world, abut_shape_sphere(0.5f), 20 + 2 * (float)(i % 20), 0, 2 * (float)(i / 20), ABUT_DYNAMIC);
    }
    detect_so_often(world, 4);
    abut_world_bodies(world).poses[ball.slot].position.y += 0.01f; // above the floor, by less than it recycles
    (void)add(world, abut_shape_aabb(25, 1, 25), 40, 0, 20, ABUT_STATIC);
    detect_so_often(world, 1);
    const abut_events ended = abut_world_events(world, ABUT_END);
    assert_int_equal(ended.count, 1);
    assert_int_equal(ended.data[0].flags, ABUT_EVENT_LAST);
    abut_world_destroy(world);
}

static void a_detect_that_fails_leaves_the_state_hash(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    (void)add(world, abut_shape_aabb(1, 1, 1), 0, 0, 0, ABUT_STATIC);
    const abut_body ball = add(world, abut_shape_sphere(1), 10, 0, 0, ABUT_DYNAMIC);
    for (uint32_t i = 0; i < 3; ++i)
    {
        detect_so_often(world, 1);
        abut_pose *pose = &abut_world_bodies(world).poses[ball.slot];
        const uint64_t before = abut_world_state_hash(world);
        pose->position.x = NAN;
        assert_int_equal(abut_world_detect(world, 0.0f), ABUT_INVALID_ARGUMENT);
        pose->position.x = 10;
        assert_true(abut_world_state_hash(world) == before);
    }
    abut_world_destroy(world);
}

// A rod over a box, turned until it stands in it; rotations of every length that is allowed.
static void long_rotations_turn_bodies_in_worlds_that_recycle(void **state)
{
    (void)state;
    static const float lengths[] = { 1e-6f, 1.0f, 1e8f, 1e10f, 1e18f };
    for (uint32_t i = 0; i < 2 * COUNT(lengths); ++i)
    {
        const float length = lengths[i / 2], half = 0.70710678f * length;
        abut_world *world = open_world(
            &(abut_world_def){ .recycle_distance = 0.02f, .separations = i % 2 ? ABUT_AT_ANCHORS : ABUT_FOLLOWED });
        const abut_body rod = add(world, abut_shape_obb(2, 0.1f, 0.1f), 0, 0, 0, ABUT_DYNAMIC);
        (void)add(world, abut_shape_aabb(0.5f, 0.2f, 0.5f), 0, 1, 0, ABUT_STATIC);
        abut_quat *rotation = &abut_world_bodies(world).poses[rod.slot].rotation;
        *rotation = (abut_quat){ 0, 0, 0, length };
        detect_so_often(world, 3);
        assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 0);
        *rotation = (abut_quat){ 0, 0, half, half };
        detect_so_often(world, 1);
        assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 1);
        abut_world_destroy(world);
    }
}

static void note_separation(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    (void)vetoed;
    *(float *)context = pairs[count - 1].separation;
}

static void the_veto_sees_the_separation_of_now(void **state)
{
    (void)state;
    float seen = 1.0f;
    abut_world *world =
        open_world(&(abut_world_def){ .recycle_distance = 0.05f, .veto = note_separation, .veto_context = &seen });
    const abut_body ball = add(world, abut_shape_sphere(1), 0, 0, 0, ABUT_DYNAMIC);
    detect_so_often(world, 3);
    abut_world_bodies(world).poses[ball.slot].position.x = 0.02f; // less than half of the distance: its anchor stays
    detect_so_often(world, 1);
    (void)add(world, abut_shape_sphere(1), 2.01f, 0, 0, ABUT_DYNAMIC);
    detect_so_often(world, 1);
    const abut_contacts contacts = abut_world_contacts(world, ABUT_AWAKE);
    assert_int_equal(contacts.count, 1);
    assert_true(seen == abut_contact_at(&contacts, 0)->separation && seen < 0.0f);
    abut_world_destroy(world);
}

// Half-spaces that hold everything hold the empty places of the index, too.
static void a_region_of_everything_has_every_collider_once(void **state)
{
    (void)state;
    const abut_plane far = { { 1, 0, 0 }, 3e38f }, faint = { { 1e-30f, 0, 0 }, 1 };
    const abut_region regions[] = { { NULL, 0 }, { &far, 1 }, { &faint, 1 } };
    static abut_found found[4000];
    for (uint32_t bodies = 1; bodies <= 3000; bodies += bodies < 20 ? 1 : bodies / 3)
    {
        for (uint32_t still = 0; still <= bodies; still += bodies / 2 + 1)
        {
            abut_world *world = open_world(NULL);
            for (uint32_t i = 0; i < bodies; ++i)
            {
                (void)add(world, abut_shape_sphere(0.1f), (float)i, 0, 0, i < still ? ABUT_STATIC : ABUT_DYNAMIC);
            }
            detect_so_often(world, 3);
            for (uint32_t k = 0; k < COUNT(regions); ++k)
            {
                uint32_t count;
                assert_int_equal(abut_world_overlap_region(world, &regions[k], NULL, found, COUNT(found), &count),
                                 ABUT_OK);
                assert_int_equal(count, bodies);
                for (uint32_t i = 0; i < count; ++i)
                {
                    assert_int_equal(found[i].body.slot, i);
                }
            }
            abut_world_destroy(world);
        }
    }
}

enum
{
    COLUMNS = 12
};

// A valley of flat cells between two walls of one cell, the first triangle first, and the same backwards.
static abut_geometry *make_valley(bool backwards)
{
    abut_vec3 vertices[2 * COLUMNS];
    uint32_t indices[6 * (COLUMNS - 1)], count = 0;
    for (uint32_t i = 0; i < 2 * COLUMNS; ++i)
    {
        const uint32_t x = i % COLUMNS;
        vertices[i] = abut_vec3_make((float)x - 0.5f * (COLUMNS - 1), x == 0 || x == COLUMNS - 1 ? 1.0f : 0.0f,
                                     i < COLUMNS ? -1.0f : 1.0f);
    }
    for (uint32_t k = 0; k < COLUMNS - 1; ++k)
    {
        const uint32_t a = backwards ? COLUMNS - 2 - k : k, b = a + 1, c = a + COLUMNS, d = c + 1;
        const uint32_t cell[6] = { a, c, b, d, b, c };
        memcpy(indices + count, cell, sizeof cell);
        count += 6;
    }
    const abut_mesh_def def = {
        .vertices = vertices, .indices = indices, .vertex_count = 2 * COLUMNS, .triangle_count = count / 3
    };
    abut_geometry *mesh = NULL;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &mesh), ABUT_OK);
    return mesh;
}

// A rod that reaches into both walls overlaps triangles of either.
static void of_triangles_that_overlap_the_lowest_is_nearest(void **state)
{
    (void)state;
    for (uint32_t backwards = 0; backwards < 2; ++backwards)
    {
        abut_world *world = open_world(NULL);
        abut_geometry *mesh = make_valley(backwards != 0);
        (void)add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
        abut_geometry_release(mesh);
        assert_int_equal(abut_world_update(world), ABUT_OK);
        const abut_placed_shape rod = { abut_shape_obb(5.2f, 0.1f, 0.1f), { { 0, 0.5f, 0.1f }, 0, { 0, 0, 0, 1 } } };
        abut_near near;
        uint32_t count;
        assert_int_equal(abut_world_nearest_shape(world, &rod, 10, NULL, &near, 1, &count), ABUT_OK);
        assert_true(count == 1 && near.distance == 0.0f);
        assert_in_range(near.child, 0, 1); // of the first cell, whichever end that is
        abut_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kept_contact_ends_while_the_contacts_move),
        cmocka_unit_test(a_detect_that_fails_leaves_the_state_hash),
        cmocka_unit_test(long_rotations_turn_bodies_in_worlds_that_recycle),
        cmocka_unit_test(the_veto_sees_the_separation_of_now),
        cmocka_unit_test(a_region_of_everything_has_every_collider_once),
        cmocka_unit_test(of_triangles_that_overlap_the_lowest_is_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
