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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refused_image_leaves_the_local_poses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
