// Small cases in which images or restores were wrong once.
#include "whole_image.h"

#include "state/image.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// What is lent is not zero.
static void *allocate(void *context, size_t size, size_t alignment)
{
    (void)context;
    const size_t least = alignment < 64 ? 64 : alignment;
    void *block = aligned_alloc(least, (size + least - 1) / least * least);
    if (block)
    {
        memset(block, 0x41, size);
    }
    return block;
}

static void release(void *context, void *block, size_t size, size_t alignment)
{
    (void)context, (void)size, (void)alignment;
    free(block);
}

// A bit of the first element of a section.
static void damage(void *image, ab_section_id id)
{
    unsigned char *bytes = image;
    ab_image_entry entry;
    memcpy(&entry, bytes + sizeof(ab_image_header) + (size_t)id * sizeof entry, sizeof entry);
    assert_true(entry.count > 0);
    bytes[entry.offset + 9] ^= 1;
}

static void restore(abut_world *world, const void *image, size_t size)
{
    assert_int_equal(abut_world_restore(world, NULL, image, size), ABUT_OK);
}

// A ball with a collider away from its body's origin.
static abut_body add_raised_ball(abut_world *world)
{
    const abut_body body = ball(world, 0.0f);
    abut_pose pose = abut_pose_identity();
    pose.position.y = 0.1f;
    assert_int_equal(abut_collider_set_local(world, first_collider(world, body), &pose), ABUT_OK);
    return body;
}

// An image with a collider away from its body's origin is refused in a world without one.
static void a_refused_image_leaves_the_local_poses(void **state)
{
    (void)state;
    const abut_world_def def = { .allocator = { allocate, release, NULL } };
    abut_world *world = open_world(&def), *other = open_world(&def);
    const abut_body body = ball(world, 0.0f);
    add_raised_ball(other);
    ball(world, 0.9f);
    ball(other, 0.9f);
    detect(world);
    detect(other);
    size_t size;
    void *image = image_of(other, NULL, &size);
    damage(image, AB_SECTION_CONTACTS);
    assert_int_equal(abut_world_restore(world, NULL, image, size), ABUT_INVALID_ARGUMENT);
    abut_collider_def got;
    assert_int_equal(abut_collider_get(world, first_collider(world, body), &got, NULL), ABUT_OK);
    const abut_pose identity = abut_pose_identity();
    assert_memory_equal(&got.local, &identity, sizeof identity);
    expect(world, 1, 0, 0);
    expect_sound(world);
    free(image);
    abut_world_destroy(world);
    abut_world_destroy(other);
}

// A world of many colliders without local poses takes an image of one that has one.
static void a_smaller_image_brings_local_poses(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL), *other = open_world(NULL);
    for (int i = 0; i < 300; ++i)
    {
        ball(world, 2.0f * (float)i);
    }
    const abut_body local = add_raised_ball(other);
    detect(world);
    detect(other);
    size_t size;
    void *image = image_of(other, NULL, &size);
    restore(world, image, size);
    abut_collider_def got;
    assert_int_equal(abut_collider_get(world, first_collider(world, local), &got, NULL), ABUT_OK);
    assert_true(got.local.position.y == 0.1f);
    expect_sound(world);
    free(image);
    abut_world_destroy(world);
    abut_world_destroy(other);
}

// The image of a world restored into another of the same definition.
static abut_world *twin_of(abut_world *world, const abut_world_def *def)
{
    size_t size;
    void *image = image_of(world, NULL, &size);
    abut_world *twin = open_world(def);
    restore(twin, image, size);
    free(image);
    return twin;
}

static void expect_same_image(abut_world *a, abut_world *b)
{
    size_t one, other;
    void *of_a = image_of(a, NULL, &one), *of_b = image_of(b, NULL, &other);
    assert_int_equal(one, other);
    assert_memory_equal(of_a, of_b, one);
    free(of_a);
    free(of_b);
}

// A gap of the first contact.
static float first_gap(abut_world *world)
{
    float gaps[ABUT_CONTACT_POINTS];
    const abut_shifts shifts = abut_world_shifts(world);
    abut_contact_gaps(&shifts, contact_at(world, ABUT_AWAKE, 0), gaps);
    return gaps[0];
}

static abut_world_def at_anchors(void)
{
    return (abut_world_def){ .recycle_distance = 0.2f, .separations = ABUT_AT_ANCHORS };
}

// Two boxes side by side of which the first is too fast to stay anchored, and others at rest, without which nothing
// would be recycled.
static abut_world *open_slide(const abut_world_def *def, abut_body pair[2])
{
    abut_world *world = open_world(def);
    for (uint32_t i = 0; i < 12; ++i)
    {
        const float x = i == 1 ? 101.9f : 100.0f + 10.0f * (float)i;
        const abut_body body = add(world, abut_shape_obb(1, 1, 1), x, 0, 0, ABUT_DYNAMIC);
        pair[i > 0] = i < 2 ? body : pair[i > 0];
    }
    detect(world);
    detect(world);
    const abut_bodies bodies = abut_world_bodies(world);
    bodies.poses[0].position.y += 0.15f;
    bodies.velocities[0].linear.y = 20.0f;
    bodies.poses[1].rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), 0.01f);
    assert_int_equal(abut_world_detect(world, 0.01f), ABUT_OK);
    return world;
}

// Contacts refer to the anchors of bodies that the next detect anchors anew, or that are gone.
static void gaps_are_those_that_were_saved(void **state)
{
    (void)state;
    const abut_world_def def = at_anchors();
    abut_body pair[2];
    abut_world *world = open_slide(&def, pair), *twin = twin_of(world, &def);
    assert_true(first_gap(world) != contact_at(world, ABUT_AWAKE, 0)->points[0].separation);
    assert_true(first_gap(twin) == first_gap(world));
    assert_int_equal(abut_body_destroy(world, pair[0]), ABUT_OK);
    abut_world *after = twin_of(world, &def);
    assert_true(first_gap(after) == first_gap(world));
    abut_world_destroy(world);
    abut_world_destroy(twin);
    abut_world_destroy(after);
}

// A body takes the slot of one that was gone when the image was saved.
static void the_anchor_of_a_slot_that_is_taken_again_does_not_count(void **state)
{
    (void)state;
    const abut_world_def def = at_anchors();
    abut_body pair[2];
    abut_world *world = open_slide(&def, pair);
    assert_int_equal(abut_body_destroy(world, pair[0]), ABUT_OK);
    detect(world);
    abut_world *twin = twin_of(world, &def);
    expect_same_image(world, twin);
    assert_int_equal(ball(world, 50.0f).slot, pair[0].slot);
    ball(twin, 50.0f);
    expect_same_image(world, twin);
    detect(world);
    detect(twin);
    expect_same_image(world, twin);
    abut_world_destroy(world);
    abut_world_destroy(twin);
}

static uint32_t found_near(abut_world *world, float x)
{
    const abut_aabb box = { { x - 1, -1, -1 }, { x + 1, 1, 1 } };
    abut_found found[4];
    uint32_t count = 0;
    assert_int_equal(abut_world_overlap_aabb(world, &box, NULL, found, COUNT(found), &count), ABUT_OK);
    return count;
}

// An audit puts the boxes of colliders where their anchors are, also of a body that has just fallen asleep.
static void an_audit_leaves_the_boxes_of_a_restored_world(void **state)
{
    (void)state;
    const abut_world_def def = { .recycle_distance = 0.01f };
    abut_world *world = open_world(&def);
    ball(world, 0.0f);
    const abut_body sleeper = ball(world, 10.0f);
    detect(world);
    detect(world);
    assert_int_equal(abut_body_set_awake(world, sleeper, false), ABUT_OK);
    abut_world *twin = twin_of(world, &def);
    assert_int_equal(abut_world_update(twin), ABUT_OK);
    assert_int_equal(found_near(twin, 10.0f), 1);
    expect_sound(twin);
    assert_int_equal(abut_world_update(twin), ABUT_OK);
    assert_int_equal(found_near(twin, 10.0f), 1);
    abut_world_destroy(world);
    abut_world_destroy(twin);
}

// An audit in a world whose first horizon is that of an image.
static void an_audit_looks_as_far_ahead_as_the_image(void **state)
{
    (void)state;
    const abut_world_def def = { .margin = 0.0f };
    abut_world *world = open_world(&def);
    ball(world, 0.0f);
    const abut_body fast = ball(world, 1.5f);
    abut_world_bodies(world).velocities[fast.slot].linear.x = -6.0f;
    assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
    assert_int_equal(touching(world), 1);
    abut_world *twin = twin_of(world, &def);
    expect_sound(twin);
    expect_same_image(world, twin);
    abut_world_destroy(world);
    abut_world_destroy(twin);
}

// A world takes its own image.
static void expect_image_of_its_own(abut_world *world, const abut_world_def *def)
{
    size_t size;
    void *image = image_of(world, NULL, &size);
    restore(world, image, size);
    abut_world_destroy(twin_of(world, def));
    free(image);
}

// Bodies in a corner of the world, one of them turned, of which the colliders are as far away again.
static void add_far(abut_world *world, abut_shape shape, abut_motion motion, float side)
{
    const float at = side * ABUT_MAX_MAGNITUDE;
    const abut_vec3 corner = abut_vec3_make(at, at, at);
    abut_body body;
    abut_body_def def = { .pose = { .position = corner }, .motion = motion, .collider.shape = shape };
    def.velocity.linear = abut_vec3_scale(corner, -1.0f);
    def.collider.local.position = corner;
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    def.pose.rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), 0.7854f);
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
}

// All numbers are as large as they may be.
static void worlds_at_the_limits_take_their_own_images(void **state)
{
    (void)state;
    const float most = ABUT_MAX_MAGNITUDE;
    const abut_shape shapes[] = { abut_shape_sphere(1.0f), abut_shape_sphere(most), abut_shape_capsule(most, most),
                                  abut_shape_obb(most, most, most) };
    for (uint32_t i = 0; i < 4 * COUNT(shapes); ++i)
    {
        const abut_motion motion = i & 1u ? ABUT_STATIC : ABUT_DYNAMIC;
        const abut_world_def def = { .margin = i & 2u ? most : 0.0f, .recycle_distance = i & 2u ? most : 0.0f };
        abut_world *world = open_world(&def);
        add_far(world, shapes[i / 4], motion, 1.0f);
        add_far(world, shapes[i / 4], ABUT_DYNAMIC, -1.0f);
        assert_int_equal(abut_world_detect(world, motion == ABUT_DYNAMIC ? 10.0f : 0.0f), ABUT_OK);
        expect_image_of_its_own(world, &def);
        detect(world); // those that are static join their set
        expect_image_of_its_own(world, &def);
        abut_world_destroy(world);
    }
}

static abut_aabb cube(void *context, const void *data)
{
    (void)context, (void)data;
    return (abut_aabb){ { -1, -1, -1 }, { 1, 1, 1 } };
}

static void corner(void *context, const void *data, const double direction[3], double out[3])
{
    (void)context, (void)data;
    for (uint32_t k = 0; k < 3; ++k)
    {
        out[k] = direction[k] >= 0.0 ? 1.0 : -1.0;
    }
}

static void answer_extremely(void *context, const abut_pair_batch *pairs, abut_manifold *out)
{
    (void)context;
    for (uint32_t i = 0; i < pairs->count; ++i)
    {
        out[i].normal.x = 1.0f;
        out[i].separation = -FLT_MAX;
        out[i].point_count = 1;
        out[i].points[0] = (abut_point){ .offset = { 1.0e30f, 0.0f, 0.0f }, .separation = -1.0e35f };
    }
}

// A pair function may give any finite numbers.
static void manifolds_of_any_size_are_taken_back(void **state)
{
    (void)state;
    const abut_kind_def kind = { .bounds = cube, .support = corner };
    abut_world *world = open_world(NULL);
    uint32_t id;
    assert_int_equal(abut_world_register_kind(world, &kind, &id), ABUT_OK);
    assert_int_equal(abut_world_set_pair_function(world, id, id, answer_extremely, NULL), ABUT_OK);
    add(world, abut_shape_custom(id, NULL, 0), 0, 0, 0, ABUT_DYNAMIC);
    add(world, abut_shape_custom(id, NULL, 0), 1, 0, 0, ABUT_DYNAMIC);
    expect(world, 1, 1, 0);
    size_t size;
    void *image = image_of(world, NULL, &size);
    restore(world, image, size);
    assert_true(contact_at(world, ABUT_AWAKE, 0)->separation == -FLT_MAX);
    free(image);
    abut_world_destroy(world);
}

// Bodies that were created since the last detect have no shifts, whatever tried to detect since.
static void shifts_are_of_the_slots_that_the_last_detect_knew(void **state)
{
    (void)state;
    const abut_world_def def = at_anchors();
    abut_world *world = open_world(&def);
    const abut_body first = ball(world, 0.0f);
    expect_sound(world);
    abut_world *twin = twin_of(world, &def);
    assert_int_equal(abut_world_shifts(world).count, 0);
    assert_null(abut_world_shifts(world).data);
    assert_int_equal(abut_world_shifts(twin).count, 0);
    assert_null(abut_world_shifts(twin).data);
    abut_world_destroy(twin);
    detect(world);
    for (uint32_t i = 1; i < 40; ++i)
    {
        ball(world, 0.9f * (float)i);
    }
    assert_int_equal(abut_world_shifts(world).count, 1);
    twin = twin_of(world, &def);
    assert_int_equal(abut_world_shifts(twin).count, 1);
    abut_audit audit; // makes room for the anchors of all bodies
    assert_int_equal(abut_world_audit(world, &audit), ABUT_OK);
    assert_int_equal(abut_world_shifts(world).count, 1);
    abut_world_bodies(world).poses[first.slot].position.x = INFINITY;
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_shifts(world).count, 1);
    abut_world_bodies(world).poses[first.slot].position.x = 0.0f;
    expect_same_image(world, twin);
    detect(world);
    detect(twin);
    assert_int_equal(abut_world_shifts(twin).count, 40);
    expect_same_image(world, twin);
    abut_world_destroy(world);
    abut_world_destroy(twin);
}

static abut_geometry *hull_of(float size)
{
    const abut_vec3 corners[] = { { size, 0, 0 }, { 0, size, 0 }, { 0, 0, size }, { 0, 0, 0 } };
    abut_geometry *out;
    assert_int_equal(abut_geometry_create_hull(corners, COUNT(corners), 0, NULL, &out), ABUT_OK);
    return out;
}

// A geometry that a registry lists several times is named by its first place, wherever in memory it is.
static void the_first_place_in_a_registry_counts(void **state)
{
    (void)state;
    abut_geometry *hulls[3];
    abut_world *world = open_world(NULL);
    for (uint32_t i = 0; i < 3; ++i)
    {
        hulls[i] = hull_of(1.0f + (float)i);
        add(world, abut_shape_hull(hulls[i]), 8.0f * (float)i, 0, 0, ABUT_DYNAMIC);
    }
    const abut_geometry *const several[] = { hulls[2], hulls[0], NULL, hulls[1], hulls[0], hulls[2], hulls[1] };
    const abut_geometry *const first[] = { hulls[2], hulls[0], NULL, hulls[1] };
    const abut_registry registry = { several, COUNT(several) }, shorter = { first, COUNT(first) };
    size_t size;
    void *image = image_of(world, &registry, &size);
    assert_int_equal(abut_world_restore(world, &shorter, image, size), ABUT_OK);
    for (uint32_t i = 0; i < 3; ++i)
    {
        abut_collider_def def;
        const abut_body body = { i, abut_world_bodies(world).generations[i] };
        assert_int_equal(abut_collider_get(world, first_collider(world, body), &def, NULL), ABUT_OK);
        assert_ptr_equal(def.shape.hull, hulls[i]);
    }
    const abut_registry lacking = { first, 3 };
    assert_int_equal(abut_world_save(world, 0, &lacking, NULL, 0, &size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_save(world, 0, &shorter, NULL, 0, &size), ABUT_OK);
    free(image);
    abut_world_destroy(world);
    for (uint32_t i = 0; i < 3; ++i)
    {
        abut_geometry_release(hulls[i]);
    }
}

// Of the places of a level that streams, the empty ones take a save no more memory than a copy of the list.
static void empty_places_of_a_registry_take_a_pointer_each(void **state)
{
    (void)state;
    enum
    {
        PLACES = 100000
    };
    static const abut_geometry *places[PLACES];
    abut_world *world = open_world(NULL);
    abut_geometry *hull = hull_of(1);
    const abut_body body = add(world, abut_shape_hull(hull), 0, 0, 0, ABUT_DYNAMIC);
    places[PLACES - 1] = hull;
    const abut_registry registry = { places, PLACES };
    abut_statistics before, after;
    abut_world_statistics(world, &before);
    size_t size;
    void *image = image_of(world, &registry, &size);
    abut_world_statistics(world, &after);
    assert_true(after.bytes - before.bytes < 2 * sizeof places);
    assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
    assert_int_equal(abut_world_restore(world, &registry, image, size), ABUT_OK);
    abut_collider_def def;
    assert_int_equal(abut_collider_get(world, first_collider(world, body), &def, NULL), ABUT_OK);
    assert_ptr_equal(def.shape.hull, hull);
    places[PLACES - 1] = NULL;
    assert_int_equal(abut_world_save(world, 0, &registry, NULL, 0, &size), ABUT_INVALID_ARGUMENT);
    places[7] = hull;
    assert_int_equal(abut_world_save(world, 0, &registry, NULL, 0, &size), ABUT_OK);
    free(image);
    abut_world_destroy(world);
    abut_geometry_release(hull);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refused_image_leaves_the_local_poses),
        cmocka_unit_test(a_smaller_image_brings_local_poses),
        cmocka_unit_test(gaps_are_those_that_were_saved),
        cmocka_unit_test(the_anchor_of_a_slot_that_is_taken_again_does_not_count),
        cmocka_unit_test(an_audit_leaves_the_boxes_of_a_restored_world),
        cmocka_unit_test(an_audit_looks_as_far_ahead_as_the_image),
        cmocka_unit_test(worlds_at_the_limits_take_their_own_images),
        cmocka_unit_test(manifolds_of_any_size_are_taken_back),
        cmocka_unit_test(shifts_are_of_the_slots_that_the_last_detect_knew),
        cmocka_unit_test(the_first_place_in_a_registry_counts),
        cmocka_unit_test(empty_places_of_a_registry_take_a_pointer_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
