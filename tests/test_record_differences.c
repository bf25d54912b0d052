// What differs between two images is named: every word of them has a name.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "recordings.h"

#include "record/replay.h"

// One element of a section, zeros but for one word, beside one of zeros: the name that the difference gets.
static abut_replay_difference name_of(uint32_t id, uint32_t word, bool other_way)
{
    static uint64_t zeros[64], ones[64];
    static ab_saved_collider colliders[2];
    ab_image recorded = { 0 }, replayed = { 0 };
    abut_replay_difference d = { .body = ABUT_NONE, .other = ABUT_NONE };
    const uint32_t value = 0x3f800000u;
    memset(ones, 0, sizeof ones);
    memcpy((unsigned char *)ones + 4 * word, &value, sizeof value);
    colliders[0].collider_key = 7u << 8;
    recorded.section[AB_SECTION_COLLIDERS] = replayed.section[AB_SECTION_COLLIDERS] = (ab_section){ colliders, 2, 0 };
    recorded.section[id] = (ab_section){ other_way ? ones : zeros, 1, 0 };
    replayed.section[id] = (ab_section){ other_way ? zeros : ones, 1, 0 };
    assert_true(ab_images_differ(&recorded, &replayed, false, &d));
    assert_true(other_way ? d.recorded == value && d.replayed == 0 : d.recorded == 0 && d.replayed == value);
    assert_true(*d.part != '\0' && *d.field != '\0' && *d.field != '~');
    return d;
}

static void every_word_of_an_image_has_a_name(void **state)
{
    (void)state;
    for (uint32_t id = 0; id < AB_SECTION_COUNT; ++id)
    {
        for (uint32_t word = 0; word < ab_section_element((ab_section_id)id) / 4; ++word)
        {
            const abut_replay_difference d = name_of(id, word, false), back = name_of(id, word, true);
            assert_string_equal(d.field, back.field);
            assert_true(d.is_float == back.is_float);
        }
    }
    abut_replay_difference d = name_of(AB_SECTION_POSES, 4, false);
    assert_string_equal(d.field, "rotation.x");
    assert_int_equal(d.body, 0);
    d = name_of(AB_SECTION_COLLIDERS, 17, false);
    assert_string_equal(d.field, "filter.mask");
    d = name_of(AB_SECTION_CONTACTS, 4, false);
    assert_string_equal(d.part, "contact");
    assert_string_equal(d.field, "normal.z");
    assert_true(d.is_float);
    assert_int_equal(d.body, 7);
    d = name_of(AB_SECTION_ENDED, 16, false);
    assert_string_equal(d.field, "contact");
    d = name_of(AB_SECTION_ENDED, 18, false);
    assert_string_equal(d.field, "flags");
    assert_false(d.is_float);
    d = name_of(AB_SECTION_IMPACTS, 9, false);
    assert_string_equal(d.field, "time");
    d = name_of(AB_SECTION_EXCLUSIONS, 2, false);
    assert_string_equal(d.field, "times");
    d = name_of(AB_SECTION_CONTACTS, 0, true); // a collider that there is not
    assert_int_equal(d.body, ABUT_NONE);
}

static void numbers_of_elements_are_compared(void **state)
{
    (void)state;
    static const ab_saved_collider colliders[3] = { { .collider_key = 1u << 8 }, { .collider_key = 2u << 8 } };
    static const ab_saved_contact contacts[2] = { { .collider_b = 1, .packed = 2 }, { .collider_b = 1, .packed = 1 } };
    static const abut_point points[3] = { { .feature = 1 }, { .feature = 2 }, { .feature = 3 } };
    for (uint32_t turn = 0; turn < 2; ++turn)
    {
        ab_image both[2] = { 0 };
        abut_replay_difference d = { .body = ABUT_NONE, .other = ABUT_NONE };
        for (uint32_t i = 0; i < 2; ++i)
        {
            both[i].section[AB_SECTION_COLLIDERS] = (ab_section){ colliders, 3, 0 };
            both[i].section[AB_SECTION_CONTACTS] = (ab_section){ contacts, 2, 0 };
            both[i].section[AB_SECTION_POINTS] = (ab_section){ points, 3, 0 };
        }
        assert_false(ab_images_differ(&both[0], &both[1], false, &d));
        both[turn].section[AB_SECTION_POINTS].count = 2;
        assert_true(ab_images_differ(&both[0], &both[1], false, &d));
        assert_string_equal(d.part, "contact point");
        assert_string_equal(d.field, "count");
        assert_int_equal(d.recorded, turn == 0 ? 2 : 3);
        assert_int_equal(d.replayed, turn == 0 ? 3 : 2);
        assert_int_equal(d.body, 1);
        assert_int_equal(d.other, 2);
    }
}

static void make_pile(abut_world **out, uint64_t user_data)
{
    abut_body body;
    assert_int_equal(abut_world_create(NULL, out), ABUT_OK);
    for (uint32_t i = 0; i < 8; ++i)
    {
        const abut_body_def def = { .pose.position = { 0, 0.75f * (float)i, 0 },
                                    .collider.shape = abut_shape_sphere(0.5f),
                                    .user_data = user_data };
        assert_int_equal(abut_body_create(*out, &def, &body), ABUT_OK);
    }
    assert_int_equal(abut_world_step(*out, 0.0f), ABUT_OK);
}

typedef struct saved
{
    uint64_t image[4096];
    size_t size;
} saved;

static void save(abut_world *world, saved *out)
{
    assert_int_equal(abut_world_save(world, 0, NULL, out->image, sizeof out->image, &out->size), ABUT_OK);
}

// What parts two worlds is named; that their handles and user data are their own parts none.
static void images_of_two_worlds_are_compared(void **state)
{
    (void)state;
    static saved one, other;
    abut_world *world[2];
    abut_image_mismatch m;
    bool differ = true;
    make_pile(&world[0], 1);
    make_pile(&world[1], 2);
    save(world[0], &one);
    save(world[1], &other);
    assert_memory_not_equal(one.image, other.image, one.size);
    assert_int_equal(abut_image_compare(one.image, one.size, other.image, other.size, &differ, &m), ABUT_OK);
    assert_false(differ);
    // a sphere that is pushed touches its neighbour no more, but that is not the first that differs
    abut_world_bodies(world[1]).poses[7].position.y += 0.5f;
    assert_int_equal(abut_world_step(world[1], 0.0f), ABUT_OK);
    assert_int_equal(abut_world_step(world[0], 0.0f), ABUT_OK);
    save(world[0], &one);
    save(world[1], &other);
    assert_int_equal(abut_image_compare(one.image, one.size, other.image, other.size, &differ, &m), ABUT_OK);
    assert_true(differ && m.is_float);
    assert_int_equal(m.body, 7);
    assert_int_equal(m.other, ABUT_NONE);
    assert_string_equal(m.part, "body");
    assert_string_equal(m.field, "position.y");
    assert_int_equal(m.a, 0x40a80000u); // 5.25
    assert_int_equal(m.b, 0x40b80000u); // 5.75
    abut_world_bodies(world[1]).poses[7].position.y -= 0.5f;
    save(world[1], &other);
    assert_int_equal(abut_image_compare(one.image, one.size, other.image, other.size, &differ, &m), ABUT_OK);
    assert_true(differ);
    assert_string_equal(m.part, "contact");
    assert_string_equal(m.field, "count");
    assert_true(m.a == 7 && m.b == 6 && m.body == 6 && m.other == 7);
    // what is no image
    assert_int_equal(abut_image_compare(NULL, 0, other.image, other.size, &differ, &m), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_image_compare(one.image, one.size, other.image, 8, &differ, &m), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_image_compare(one.image, one.size, other.image, other.size, NULL, &m), ABUT_INVALID_ARGUMENT);
    one.image[one.size / 16] ^= 1;
    assert_int_equal(abut_image_compare(one.image, one.size, other.image, other.size, &differ, &m),
                     ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world[0]);
    abut_world_destroy(world[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_of_an_image_has_a_name),
        cmocka_unit_test(numbers_of_elements_are_compared),
        cmocka_unit_test(images_of_two_worlds_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
