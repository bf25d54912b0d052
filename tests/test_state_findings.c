// Small cases in which images or restores were wrong once.
#include "whole_image.h"

#include "state/image.h"

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

// An image with a collider away from its body's origin is refused in a world without one.
static void a_refused_image_leaves_the_local_poses(void **state)
{
    (void)state;
    const abut_world_def def = { .allocator = { allocate, release, NULL } };
    abut_world *world = open_world(&def), *other = open_world(&def);
    const abut_body body = ball(world, 0.0f), local = ball(other, 0.0f);
    ball(world, 0.9f);
    ball(other, 0.9f);
    abut_pose pose = abut_pose_identity();
    pose.position.y = 0.1f;
    assert_int_equal(abut_collider_set_local(other, first_collider(other, local), &pose), ABUT_OK);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refused_image_leaves_the_local_poses),
        cmocka_unit_test(gaps_are_those_that_were_saved),
        cmocka_unit_test(the_anchor_of_a_slot_that_is_taken_again_does_not_count),
        cmocka_unit_test(an_audit_leaves_the_boxes_of_a_restored_world),
        cmocka_unit_test(an_audit_looks_as_far_ahead_as_the_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
