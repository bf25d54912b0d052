// Histories that differ in one thing alone, and in no counter: an image of the one is restored over the other.
#include "small_world.h"

#include <abut/state.h>

#include <stdlib.h>
#include <string.h>

enum
{
    BODIES = 8,
    HULLS = 2
};

// A world, what is in it, and the registry of its shapes.
typedef struct scene
{
    abut_world *world;
    abut_body body[BODIES]; // the first two are static, the third is kinematic
    abut_geometry *hull[HULLS];
    abut_registry registry;
} scene;

typedef struct image
{
    void *bytes;
    size_t size;
} image;

static abut_geometry *make_hull(float size)
{
    const abut_vec3 points[] = { { size, 0, 0 }, { -size, 0, 0 }, { 0, size, 0 }, { 0, 0, size } };
    abut_geometry *hull;
    assert_int_equal(abut_geometry_create_hull(points, COUNT(points), 0, NULL, &hull), ABUT_OK);
    return hull;
}

static void open_scene(scene *s)
{
    static const abut_motion motions[BODIES] = { ABUT_STATIC,  ABUT_STATIC,  ABUT_KINEMATIC, ABUT_DYNAMIC,
                                                 ABUT_DYNAMIC, ABUT_DYNAMIC, ABUT_DYNAMIC,   ABUT_DYNAMIC };
    s->world = open_world(NULL);
    s->hull[0] = make_hull(1.0f);
    s->hull[1] = make_hull(0.5f);
    s->registry = (abut_registry){ (const abut_geometry *const *)s->hull, HULLS };
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        const abut_shape shape = i == 7 ? abut_shape_hull(s->hull[0]) : abut_shape_obb(0.75f, 0.5f, 0.5f);
        s->body[i] = add(s->world, shape, (float)i, 0, 0, motions[i]);
    }
}

static void close_scene(scene *s)
{
    abut_world_destroy(s->world);
    abut_geometry_release(s->hull[0]);
    abut_geometry_release(s->hull[1]);
}

static image save(const scene *s)
{
    image out;
    assert_int_equal(abut_world_save(s->world, 0, &s->registry, NULL, 0, &out.size), ABUT_OK);
    out.bytes = test_malloc(out.size);
    assert_int_equal(abut_world_save(s->world, 0, &s->registry, out.bytes, out.size, &out.size), ABUT_OK);
    return out;
}

static void restore(const scene *s, const image *it)
{
    assert_int_equal(abut_world_restore(s->world, &s->registry, it->bytes, it->size), ABUT_OK);
}

// What is done in two ways.
typedef void change(scene *s, bool other);

static abut_collider collider_of(const scene *s, uint32_t which)
{
    return first_collider(s->world, s->body[which]);
}

static void nothing(scene *s, bool other)
{
    (void)s, (void)other;
}

static void exclude(scene *s, bool other)
{
    assert_int_equal(abut_body_exclude(s->world, s->body[3], s->body[other ? 4 : 5], true), ABUT_OK);
    assert_int_equal(abut_body_exclude(s->world, s->body[6], s->body[other ? 5 : 4], true), ABUT_OK);
}

static void set_matrix(scene *s, bool other)
{
    assert_int_equal(abut_world_set_collides(s->world, ABUT_DYNAMIC, other ? ABUT_STATIC : ABUT_KINEMATIC, false),
                     ABUT_OK);
}

static void set_local(scene *s, bool other)
{
    abut_pose local = abut_pose_identity();
    local.position.y = other ? 0.25f : 0.5f;
    assert_int_equal(abut_collider_set_local(s->world, collider_of(s, 4), &local), ABUT_OK);
}

static void set_any_local(scene *s, bool other)
{
    abut_pose local = abut_pose_identity();
    local.position.y = other ? 0.25f : 0.0f;
    assert_int_equal(abut_collider_set_local(s->world, collider_of(s, 4), &local), ABUT_OK);
}

static void set_filter(scene *s, bool other)
{
    const abut_filter filter = { .category = other ? 2 : 4, .mask = UINT32_MAX };
    assert_int_equal(abut_collider_set_filter(s->world, collider_of(s, 4), &filter), ABUT_OK);
}

static void set_flags(scene *s, bool other)
{
    assert_int_equal(abut_collider_set_flags(s->world, collider_of(s, 4), other ? ABUT_COLLIDER_SENSOR : 0), ABUT_OK);
}

static void set_shape(scene *s, bool other)
{
    const abut_shape shape = abut_shape_hull(s->hull[other]);
    assert_int_equal(abut_collider_set_shape(s->world, collider_of(s, 7), &shape), ABUT_OK);
}

static void move_static(scene *s, bool other)
{
    abut_pose pose = abut_pose_identity();
    pose.position.y = other ? 0.25f : 0.5f;
    assert_int_equal(abut_body_set_pose(s->world, s->body[1], &pose), ABUT_OK);
}

static void set_motion(scene *s, bool other)
{
    assert_int_equal(abut_body_set_motion(s->world, s->body[5], other ? ABUT_KINEMATIC : ABUT_DYNAMIC), ABUT_OK);
}

static void end_one(scene *s, bool other)
{
    assert_int_equal(abut_body_destroy(s->world, s->body[other ? 3 : 4]), ABUT_OK);
}

static void attach(scene *s, bool other)
{
    const abut_collider_def def = { .shape = abut_shape_sphere(0.5f) };
    abut_collider out;
    assert_int_equal(abut_collider_attach(s->world, s->body[other ? 3 : 4], &def, &out), ABUT_OK);
}

static void fall_asleep(scene *s, bool other)
{
    assert_int_equal(abut_body_set_awake(s->world, s->body[other ? 3 : 4], false), ABUT_OK);
}

static void write_user_data(scene *s, bool other)
{
    abut_world_bodies(s->world).user_data[3] = other ? 3 : 4;
    abut_world_colliders(s->world).user_data[3] = other ? 5 : 6;
}

static void detect_some(const scene *s, uint32_t times)
{
    for (uint32_t i = 0; i < times; ++i)
    {
        abut_world_bodies(s->world).poses[6].position.y += 0.125f;
        assert_int_equal(abut_world_detect(s->world, 0.0f), ABUT_OK);
    }
}

// `between` detects after the change, so that edits are news or not.
static void back_over(change *make, uint32_t between)
{
    scene s;
    open_scene(&s);
    detect_some(&s, 3);
    image base = save(&s);
    make(&s, false);
    detect_some(&s, between);
    image one = save(&s);
    detect_some(&s, 2);
    const uint64_t hash = abut_world_hash(s.world), state = abut_world_state_hash(s.world);
    for (int other = 0; other < 2; ++other)
    {
        restore(&s, &base);
        make(&s, other != 0);
        detect_some(&s, between);
        restore(&s, &one);
        image again = save(&s);
        assert_int_equal(again.size, one.size);
        assert_memory_equal(again.bytes, one.bytes, one.size);
        test_free(again.bytes);
        detect_some(&s, 2);
        assert_true(abut_world_hash(s.world) == hash && abut_world_state_hash(s.world) == state);
    }
    test_free(base.bytes);
    test_free(one.bytes);
    close_scene(&s);
}

static void histories_that_differ_in_one_thing_are_told_apart(void **state)
{
    (void)state;
    static change *const changes[] = { nothing,    exclude,   set_matrix,  set_local,      set_any_local,
                                       set_filter, set_flags, set_shape,   move_static,    set_motion,
                                       end_one,    attach,    fall_asleep, write_user_data };
    for (uint32_t i = 0; i < COUNT(changes); ++i)
    {
        for (uint32_t between = 0; between < 5; ++between)
        {
            back_over(changes[i], between);
        }
    }
}

// The same shapes, named by another index.
static void a_registry_in_another_order_is_another(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    detect_some(&s, 3);
    image one = save(&s);
    const abut_geometry *const turned[] = { s.hull[1], s.hull[0] };
    const abut_registry registry = { turned, COUNT(turned) };
    assert_int_equal(abut_world_restore(s.world, &registry, one.bytes, one.size), ABUT_OK);
    abut_collider_def def;
    assert_int_equal(abut_collider_get(s.world, collider_of(&s, 7), &def, NULL), ABUT_OK);
    assert_ptr_equal(def.shape.hull, s.hull[1]);
    restore(&s, &one);
    assert_int_equal(abut_collider_get(s.world, collider_of(&s, 7), &def, NULL), ABUT_OK);
    assert_ptr_equal(def.shape.hull, s.hull[0]);
    test_free(one.bytes);
    close_scene(&s);
}

// A detect after a restore sees the bodies where they are, and results are those of the image.
static void results_come_back(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    detect_some(&s, 3);
    const uint64_t hash = abut_world_results_hash(s.world);
    image one = save(&s);
    assert_true(abut_world_contacts(s.world, ABUT_AWAKE).count > 3);
    impulses_at(s.world, ABUT_AWAKE, 2)->normal = 7.0f;
    detect_some(&s, 3);
    restore(&s, &one);
    assert_true(abut_world_results_hash(s.world) == hash);
    assert_true(impulses_at(s.world, ABUT_AWAKE, 2)->normal == 0.0f);
    test_free(one.bytes);
    close_scene(&s);
}

// Another world with the same slots, made by the same calls, has other handles.
static void another_world_takes_over_the_handles(void **state)
{
    (void)state;
    scene s, other;
    open_scene(&s);
    open_scene(&other);
    detect_some(&s, 3);
    detect_some(&other, 3);
    image one = save(&s);
    assert_false(abut_body_valid(other.world, s.body[3]));
    restore(&other, &one);
    assert_true(abut_body_valid(other.world, s.body[3]));
    assert_false(abut_body_valid(other.world, other.body[3]));
    image again = save(&other);
    assert_memory_equal(again.bytes, one.bytes, one.size);
    test_free(again.bytes);
    test_free(one.bytes);
    close_scene(&s);
    close_scene(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histories_that_differ_in_one_thing_are_told_apart),
        cmocka_unit_test(a_registry_in_another_order_is_another),
        cmocka_unit_test(results_come_back),
        cmocka_unit_test(another_world_takes_over_the_handles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
