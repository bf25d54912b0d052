// Restores into a world that has most of the image's colliders as they are, others edited otherwise in the same detect:
// what stays is only what is the image's. Judged by a fresh world, of which nothing can stay.
#include "whole_image.h"

#include <stdlib.h>
#include <string.h>

enum
{
    FLOOR = 12, // static boxes side by side
    BALLS = 12  // a ball on each
};

typedef struct scene
{
    abut_world *world;
    abut_body floor[FLOOR], ball[BALLS];
} scene;

static void open_scene(scene *s)
{
    s->world = open_world(NULL);
    for (int i = 0; i < FLOOR; ++i)
    {
        s->floor[i] = add(s->world, abut_shape_aabb(0.5f, 0.5f, 0.5f), (float)i, -0.9f, 0.0f, ABUT_STATIC);
    }
    for (int i = 0; i < BALLS; ++i)
    {
        s->ball[i] = add(s->world, abut_shape_sphere(0.5f), (float)i, 0.0f, 0.0f, ABUT_DYNAMIC);
    }
    detect(s->world);
    detect(s->world);
}

static void ok(abut_status status)
{
    assert_int_equal(status, ABUT_OK);
}

// Edits, of which `by` says how far.
typedef void edit(scene *s, float by);

static void move_local(scene *s, float by)
{
    abut_pose pose = abut_pose_identity();
    pose.position.y = by;
    ok(abut_collider_set_local(s->world, first_collider(s->world, s->ball[3]), &pose));
}

static void move_local_of_floor(scene *s, float by)
{
    abut_pose pose = abut_pose_identity();
    pose.position.y = -by;
    ok(abut_collider_set_local(s->world, first_collider(s->world, s->floor[3]), &pose));
}

static void refilter(scene *s, float by)
{
    const abut_filter filter = { .category = 1, .mask = by > 0.15f ? ~1u : ~2u };
    ok(abut_collider_set_filter(s->world, first_collider(s->world, s->ball[4]), &filter));
}

static void make_sensor(scene *s, float by)
{
    ok(abut_collider_set_flags(s->world, first_collider(s->world, s->ball[by > 0.15f ? 5 : 6]), ABUT_COLLIDER_SENSOR));
}

static void sink_floor(scene *s, float by)
{
    abut_pose pose = abut_pose_identity();
    pose.position = abut_vec3_make(7.0f, -0.9f - by, 0.0f);
    ok(abut_body_set_pose(s->world, s->floor[7], &pose));
}

static void reshape(scene *s, float by)
{
    const abut_shape shape = abut_shape_aabb(0.5f, 0.5f - by, 0.5f);
    ok(abut_collider_set_shape(s->world, first_collider(s->world, s->floor[8]), &shape));
}

static void exclude(scene *s, float by)
{
    const int i = by > 0.15f ? 9 : 10;
    ok(abut_body_exclude(s->world, s->floor[i], s->ball[i], true));
}

static void exclude_and_not(scene *s, float by)
{
    (void)by;
    ok(abut_body_exclude(s->world, s->floor[9], s->ball[9], true));
    ok(abut_body_exclude(s->world, s->floor[9], s->ball[9], false));
}

static void create(scene *s, float by)
{
    add(s->world, abut_shape_sphere(by), 2.5f, 0.0f, 0.0f, ABUT_DYNAMIC);
    if (by > 0.15f)
    {
        add(s->world, abut_shape_sphere(by), 3.5f, 0.0f, 0.0f, ABUT_STATIC);
    }
}

static void destroy(scene *s, float by)
{
    ok(abut_body_destroy(s->world, by > 0.15f ? s->floor[11] : s->ball[11]));
}

static void disable(scene *s, float by)
{
    ok(abut_body_set_enabled(s->world, by > 0.15f ? s->ball[0] : s->floor[0], false));
}

static void put_to_sleep(scene *s, float by)
{
    ok(abut_body_set_awake(s->world, s->ball[by > 0.15f ? 1 : 2], false));
}

static void change_motion(scene *s, float by)
{
    ok(abut_body_set_motion(s->world, s->ball[1], by > 0.15f ? ABUT_KINEMATIC : ABUT_STATIC));
}

static void move_nothing(scene *s, float by)
{
    (void)s, (void)by;
}

static edit *const edits[] = {
    move_local, move_local_of_floor, refilter,      make_sensor,  sink_floor,     reshape, exclude, create, destroy,
    disable,    put_to_sleep,        change_motion, move_nothing, exclude_and_not
};

// The images of a world now and after a detect.
typedef struct outcome
{
    void *now, *next;
    size_t now_size, next_size;
} outcome;

static outcome outcome_of(abut_world *world)
{
    outcome out;
    out.now = image_of(world, NULL, &out.now_size);
    detect(world);
    out.next = image_of(world, NULL, &out.next_size);
    return out;
}

static void outcome_free(outcome *o)
{
    free(o->now);
    free(o->next);
}

static void expect_alike(const outcome *a, const outcome *b)
{
    assert_int_equal(a->now_size, b->now_size);
    assert_memory_equal(a->now, b->now, a->now_size);
    assert_int_equal(a->next_size, b->next_size);
    assert_memory_equal(a->next, b->next, a->next_size);
}

// An image after one edit and some detects, restored into a world after another: without any, edits are pending; after
// one, what stands is about to join the static set; after two, it has.
static void expect_restored(edit *first, edit *second, float by, int detects)
{
    scene s;
    open_scene(&s);
    size_t start_size, image_size;
    void *start = image_of(s.world, NULL, &start_size);
    first(&s, by);
    for (int i = 0; i < detects; ++i)
    {
        detect(s.world);
    }
    void *image = image_of(s.world, NULL, &image_size);
    ok(abut_world_restore(s.world, NULL, start, start_size));
    second(&s, 0.1f);
    for (int i = 0; i < detects; ++i)
    {
        detect(s.world);
    }
    ok(abut_world_restore(s.world, NULL, image, image_size));
    abut_world *fresh = open_world(NULL);
    ok(abut_world_restore(fresh, NULL, image, image_size));
    outcome one = outcome_of(s.world), other = outcome_of(fresh);
    expect_alike(&one, &other);
    assert_int_equal(abut_world_hash(s.world), abut_world_hash(fresh));
    expect_sound(s.world);
    outcome_free(&one);
    outcome_free(&other);
    free(start);
    free(image);
    abut_world_destroy(fresh);
    abut_world_destroy(s.world);
}

static void what_stays_is_the_image_s(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(edits); ++i)
    {
        for (size_t j = 0; j < COUNT(edits); ++j)
        {
            for (int k = 0; k < 8; ++k)
            {
                expect_restored(edits[i], edits[j], k % 2 == 0 ? 0.1f : 0.2f, k / 2);
            }
        }
    }
}

// Colliders that change between saves are packed again, few or many.
static void images_have_what_changed_since_the_last(void **state)
{
    (void)state;
    for (int changes = 0; changes < 600; changes = 2 * changes + 1)
    {
        scene s;
        size_t first, size, fresh_size;
        open_scene(&s);
        free(image_of(s.world, NULL, &first));
        for (int i = 0; i < changes; ++i)
        {
            const abut_filter filter = { .category = 1, .mask = (uint32_t)~i };
            ok(abut_collider_set_filter(s.world, first_collider(s.world, s.ball[i % BALLS]), &filter));
        }
        void *image = image_of(s.world, NULL, &size);
        abut_world *fresh = open_world(NULL);
        ok(abut_world_restore(fresh, NULL, image, size));
        void *again = image_of(fresh, NULL, &fresh_size);
        assert_int_equal(size, fresh_size);
        assert_memory_equal(image, again, size);
        abut_collider_def got;
        const int last = changes > 0 ? (changes - 1) % BALLS : 0;
        ok(abut_collider_get(fresh, first_collider(fresh, s.ball[last]), &got, NULL));
        assert_int_equal(got.filter.mask, changes > 0 ? (uint32_t) ~(changes - 1) : got.filter.mask);
        free(image);
        free(again);
        abut_world_destroy(fresh);
        abut_world_destroy(s.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stays_is_the_image_s),
        cmocka_unit_test(images_have_what_changed_since_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
