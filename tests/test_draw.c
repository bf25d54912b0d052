// Debug drawing: what is drawn lies where the world says it is, every line is counted, and the world is left alone.
#include "small_world.h"

#include "observed.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct drawn
{
    abut_line *lines;
    uint64_t count;
} drawn;

static drawn draw(abut_world *world, const abut_draw_def *def)
{
    const uint64_t before = observed(world);
    uint64_t count = 0, again = 0;
    assert_int_equal(abut_world_draw(world, def, NULL, 0, &count), ABUT_OK);
    abut_line *lines = malloc((count + 1) * sizeof *lines);
    assert_int_equal(abut_world_draw(world, def, lines, count, &again), ABUT_OK);
    assert_true(again == count);
    assert_true(observed(world) == before);
    return (drawn){ lines, count };
}

static drawn draw_what(abut_world *world, uint32_t what)
{
    return draw(world, &(abut_draw_def){ .what = what });
}

static abut_quat any_rotation(random_source *random)
{
    const abut_vec3 axis = { (float)random_between(random, -1, 1), (float)random_between(random, -1, 1), 0.3f };
    return abut_quat_from_axis_angle(axis, (float)random_between(random, -3, 3));
}

static abut_vec3 any_place(random_source *random, double reach)
{
    return abut_vec3_make((float)random_between(random, -reach, reach), (float)random_between(random, -reach, reach),
                          (float)random_between(random, -reach, reach));
}

static abut_shape any_shape(random_source *random)
{
    const abut_vec3 h = abut_vec3_add(any_place(random, 0.4), abut_vec3_make(0.5f, 0.5f, 0.5f));
    switch (random_below(random, 3))
    {
    case 0:
        return abut_shape_sphere(h.x);
    case 1:
        return abut_shape_aabb(h.x, h.y, h.z);
    default:
        return abut_shape_obb(h.x, h.y, h.z);
    }
}

// Bodies at random, every third static, most with a second collider placed away from the body's origin.
static abut_world *crowd(uint32_t seed, uint32_t count, double reach, abut_broad_kind broad)
{
    random_source random = random_start(seed);
    abut_world *world = open_world(&(abut_world_def){ .broad = broad, .margin = 0.01f });
    for (uint32_t i = 0; i < count; ++i)
    {
        abut_body body;
        abut_collider collider;
        const abut_body_def def = { .pose = { any_place(&random, reach), 0, any_rotation(&random) },
                                    .motion = i % 3 == 2 ? ABUT_STATIC : ABUT_DYNAMIC,
                                    .collider.shape = any_shape(&random) };
        const abut_collider_def more = { .shape = any_shape(&random),
                                         .local = { any_place(&random, 1), 0, any_rotation(&random) } };
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        if (i % 4 != 0)
        {
            assert_int_equal(abut_collider_attach(world, body, &more, &collider), ABUT_OK);
        }
    }
    detect(world);
    detect(world);
    return world;
}

// How far a point is from the surface of a shape, from outside or inside, as its own geometry says.
static bool on_surface(const abut_shape *shape, const abut_pose *pose, abut_vec3 point)
{
    abut_shape larger = *shape, smaller = *shape;
    float *const sizes[2] = { &larger.box.half_extents.x, &smaller.box.half_extents.x };
    for (int k = 0; k < (shape->kind == ABUT_SPHERE ? 1 : shape->kind == ABUT_CAPSULE ? 2 : 3); ++k)
    {
        sizes[0][k] += 2e-5f;
        sizes[1][k] -= 2e-5f;
    }
    bool in_larger = false, in_smaller = true;
    assert_int_equal(abut_shape_contains(&larger, pose, point, &in_larger), ABUT_OK);
    assert_int_equal(abut_shape_contains(&smaller, pose, point, &in_smaller), ABUT_OK);
    return in_larger && !in_smaller;
}

static abut_body body_in(abut_world *world, uint32_t slot)
{
    return (abut_body){ slot, abut_world_bodies(world).generations[slot] };
}

static void the_lines_of_a_shape_lie_on_its_surface(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 40; ++seed)
    {
        abut_world *world = crowd(seed, 12, 6, ABUT_BROAD_AUTO);
        const drawn d = draw_what(world, ABUT_DRAW_SHAPES);
        uint64_t at = 0;
        for (uint32_t slot = 0; slot < abut_world_bodies(world).count; ++slot)
        {
            abut_collider colliders[2];
            uint32_t count;
            assert_int_equal(abut_body_colliders(world, body_in(world, slot), colliders, 2, &count), ABUT_OK);
            for (uint32_t i = 0; i < count; ++i)
            {
                abut_collider_def def;
                assert_int_equal(abut_collider_get(world, colliders[i], &def, NULL), ABUT_OK);
                const abut_pose pose = abut_pose_compose(&abut_world_bodies(world).poses[slot], &def.local);
                const uint64_t lines = def.shape.kind == ABUT_SPHERE ? 96 : def.shape.kind == ABUT_CAPSULE ? 132 : 12;
                for (const uint64_t end = at + lines; at < end; ++at)
                {
                    assert_true(at < d.count);
                    assert_int_equal(d.lines[at].index, slot);
                    assert_int_equal(d.lines[at].kind, ABUT_DRAW_SHAPES);
                    if (!on_surface(&def.shape, &pose, d.lines[at].from) ||
                        !on_surface(&def.shape, &pose, d.lines[at].to))
                    {
                        fail_msg("seed %u: a line of body %u is off its %s", seed, slot,
                                 abut_shape_kind_name(def.shape.kind));
                    }
                }
            }
        }
        assert_true(at == d.count);
        free(d.lines);
        abut_world_destroy(world);
    }
}

// The box of the twelve lines that begin at `at`.
static abut_aabb box_of(const abut_line *at)
{
    return (abut_aabb){ at[0].from, at[11].to };
}

static bool within(const abut_aabb *inner, const abut_aabb *outer)
{
    return abut_aabb_contains(outer, inner->min) && abut_aabb_contains(outer, inner->max);
}

static void bounds_are_those_of_the_colliders(void **state)
{
    (void)state;
    abut_world *world = crowd(7, 30, 6, ABUT_BROAD_AUTO);
    const drawn d = draw_what(world, ABUT_DRAW_BOUNDS);
    uint64_t at = 0;
    for (uint32_t slot = 0; slot < abut_world_bodies(world).count; ++slot)
    {
        abut_collider colliders[2];
        uint32_t count;
        assert_int_equal(abut_body_colliders(world, body_in(world, slot), colliders, 2, &count), ABUT_OK);
        for (uint32_t i = 0; i < count; ++i, at += 12)
        {
            abut_aabb box;
            assert_int_equal(abut_collider_bounds(world, colliders[i], &box), ABUT_OK);
            const abut_aabb seen = box_of(&d.lines[at]);
            assert_memory_equal(&seen, &box, sizeof box);
        }
    }
    assert_true(at == d.count);
    free(d.lines);
    abut_world_destroy(world);
}

static bool some_box_contains(const drawn *tree, uint32_t level, const abut_aabb *box)
{
    for (uint64_t at = 0; at < tree->count; at += 12)
    {
        const abut_aabb outer = box_of(&tree->lines[at]);
        if (tree->lines[at].index == level && within(box, &outer))
        {
            return true;
        }
    }
    return false;
}

static void the_tree_is_drawn_from_its_root_and_covers_every_collider(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 10; ++seed)
    {
        abut_world *world = crowd(seed, 150, 12, ABUT_BROAD_BVH);
        const drawn tree = draw_what(world, ABUT_DRAW_TREE), bounds = draw_what(world, ABUT_DRAW_BOUNDS);
        abut_statistics statistics;
        abut_world_statistics(world, &statistics);
        assert_true(tree.count > 12 && tree.count % 12 == 0);
        assert_int_equal(tree.lines[0].index + 1, statistics.tree_depth);
        for (uint64_t at = 0; at < bounds.count; at += 12)
        {
            const abut_aabb box = box_of(&bounds.lines[at]);
            assert_true(some_box_contains(&tree, 0, &box));
        }
        for (uint64_t at = 0; at < tree.count; at += 12)
        {
            const abut_aabb box = box_of(&tree.lines[at]);
            const uint32_t level = tree.lines[at].index;
            assert_true(box.min.x <= box.max.x && tree.lines[at].kind == ABUT_DRAW_TREE);
            assert_true(level + 2 > statistics.tree_depth || some_box_contains(&tree, level + 1, &box));
        }
        free(tree.lines);
        free(bounds.lines);
        abut_world_destroy(world);
    }
}

static void a_broad_phase_without_a_tree_draws_none(void **state)
{
    (void)state;
    abut_world *world = crowd(3, 20, 4, ABUT_BROAD_BRUTE);
    const drawn tree = draw_what(world, ABUT_DRAW_TREE);
    assert_true(tree.count == 0);
    free(tree.lines);
    abut_world_destroy(world);
}

static void every_point_has_a_cross_and_a_normal_as_long_as_asked(void **state)
{
    (void)state;
    abut_world *world = crowd(11, 60, 4, ABUT_BROAD_AUTO);
    const abut_draw_def def = {
        .what = ABUT_DRAW_POINTS | ABUT_DRAW_NORMALS, .cross = 0.25f, .normal_length = 0.5f, .depth_scale = 3
    };
    const drawn d = draw(world, &def);
    const abut_contacts contacts = abut_world_contacts(world, ABUT_AWAKE);
    assert_true(contacts.count > 20);
    uint64_t points = 0;
    for (uint32_t i = 0; i < contacts.count; ++i)
    {
        points += abut_contact_at(&contacts, i)->point_count;
    }
    assert_true(d.count == 4 * points);
    uint64_t cross = 0, normal = 3 * points;
    for (uint32_t i = 0; i < contacts.count; ++i)
    {
        const abut_contact *contact = abut_contact_at(&contacts, i);
        for (uint32_t k = 0; k < contact->point_count; ++k, cross += 3, ++normal)
        {
            const abut_point *point = &contact->points[k];
            const abut_vec3 at = abut_contact_position(world, contact, point);
            const float depth = point->separation < 0 ? -point->separation : 0;
            const abut_vec3 along = abut_vec3_sub(d.lines[normal].to, d.lines[normal].from);
            assert_int_equal(d.lines[cross].index, i);
            assert_int_equal(d.lines[normal].index, i);
            assert_memory_equal(&d.lines[normal].from, &at, sizeof at);
            assert_true(fabsf(abut_vec3_dot(along, contact->normal) - 0.5f - 3 * depth) < 1e-5f);
            for (int arm = 0; arm < 3; ++arm)
            {
                const abut_line *line = &d.lines[cross + (uint64_t)arm];
                assert_true(fabsf(abut_vec3_length(abut_vec3_sub(line->to, line->from)) - 0.5f) < 1e-5f);
                assert_true(abut_vec3_length(abut_vec3_sub(line->to, at)) < 0.2501f);
            }
        }
    }
    free(d.lines);
    abut_world_destroy(world);
}

static void sleeping_contacts_are_drawn_after_awake_ones(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    ball(world, 0);
    ball(world, 0.9f);
    const abut_body a = ball(world, 10), b = ball(world, 10.9f);
    detect(world);
    assert_int_equal(abut_body_set_awake(world, a, false), ABUT_OK);
    assert_int_equal(abut_body_set_awake(world, b, false), ABUT_OK);
    detect(world);
    detect(world);
    assert_int_equal(touching(world), 1);
    assert_int_equal(asleep(world), 1);
    const drawn d = draw_what(world, ABUT_DRAW_NORMALS);
    assert_true(d.count == 2 && d.lines[0].from.x < 1 && d.lines[1].from.x > 9);
    assert_true(d.lines[0].index == 0 && d.lines[1].index == 1);
    free(d.lines);
    abut_world_destroy(world);
}

static void what_does_not_fit_is_counted_and_the_first_lines_are_kept(void **state)
{
    (void)state;
    abut_world *world = crowd(5, 40, 4, ABUT_BROAD_BVH);
    const drawn whole = draw_what(world, ABUT_DRAW_ALL);
    abut_line *part = malloc((whole.count + 1) * sizeof *part);
    random_source random = random_start(99);
    for (uint32_t i = 0; i < 200; ++i)
    {
        const uint64_t capacity = random_below(&random, (uint32_t)whole.count + 1);
        uint64_t count = 0;
        memset(part, 0xa5, (whole.count + 1) * sizeof *part);
        const abut_line mark = part[capacity];
        assert_int_equal(abut_world_draw(world, &(abut_draw_def){ .what = ABUT_DRAW_ALL }, part, capacity, &count),
                         ABUT_OK);
        assert_true(count == whole.count);
        assert_memory_equal(part, whole.lines, capacity * sizeof *part);
        assert_memory_equal(&part[capacity], &mark, sizeof mark);
    }
    free(part);
    free(whole.lines);
    abut_world_destroy(world);
}

static void zero_asks_for_shapes_points_and_normals(void **state)
{
    (void)state;
    abut_world *world = crowd(5, 40, 4, ABUT_BROAD_BVH);
    const drawn plain = draw(world, NULL);
    const abut_draw_def def = { .what = ABUT_DRAW_SHAPES | ABUT_DRAW_POINTS | ABUT_DRAW_NORMALS,
                                .cross = 0.05f,
                                .normal_length = 0.2f,
                                .depth_scale = 1 };
    const drawn spelled = draw(world, &def);
    assert_true(plain.count == spelled.count);
    assert_memory_equal(plain.lines, spelled.lines, plain.count * sizeof *plain.lines);
    free(plain.lines);
    free(spelled.lines);
    abut_world_destroy(world);
}

// Between detects the tree and the contacts are of bodies that may be gone.
static void a_world_that_was_edited_can_be_drawn(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 20; ++seed)
    {
        abut_world *world = crowd(seed, 120, 6, ABUT_BROAD_BVH);
        random_source random = random_start(seed);
        for (uint32_t slot = 0; slot < 120; ++slot)
        {
            const abut_body body = body_in(world, slot);
            if (random_below(&random, 3) == 0)
            {
                assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
            }
            else if (random_below(&random, 4) == 0)
            {
                assert_int_equal(abut_body_set_enabled(world, body, false), ABUT_OK);
            }
        }
        free(draw_what(world, ABUT_DRAW_ALL).lines);
        for (uint32_t i = 0; i < 900; ++i)
        {
            const abut_vec3 at = any_place(&random, 20);
            add(world, any_shape(&random), at.x, at.y, at.z, i % 2 ? ABUT_STATIC : ABUT_DYNAMIC);
        }
        free(draw_what(world, ABUT_DRAW_ALL).lines);
        abut_world_bodies(world).poses[1019 - seed].position.x = NAN; // the last are new, and enabled
        assert_int_equal(abut_body_mark_moved(world, body_in(world, 1019 - seed)), ABUT_OK);
        assert_int_equal(abut_world_detect(world, 0), ABUT_INVALID_ARGUMENT);
        const drawn tree = draw_what(world, ABUT_DRAW_TREE | ABUT_DRAW_POINTS);
        for (uint64_t i = 0; i < tree.count; ++i)
        {
            assert_true(tree.lines[i].kind == ABUT_DRAW_POINTS || tree.lines[i].index < ABUT_TREE_LEVELS);
        }
        free(tree.lines);
        abut_world_destroy(world);
    }
}

typedef struct told
{
    uint32_t times, index;
    abut_status status;
    abut_world *world;
} told;

static void note(void *context, abut_status status, const char *call, uint32_t index, const char *sentence)
{
    told *t = context;
    assert_string_equal(call, "abut_world_draw");
    assert_non_null(sentence);
    t->times += 1;
    t->index = index;
    t->status = status;
    uint64_t count = 5;
    assert_int_equal(abut_world_draw(t->world, NULL, NULL, 0, &count), ABUT_BUSY);
    assert_true(count == 5);
}

static void invalid_input_fails(void **state)
{
    (void)state;
    told t = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .on_error = note, .on_error_context = &t });
    t.world = world;
    ball(world, 0);
    const abut_body second = ball(world, 0.5f);
    detect(world);
    abut_line line = { .index = 77 };
    uint64_t count = 77;
    const abut_draw_def wrong[] = { { .what = ABUT_DRAW_ALL + 1 },
                                    { .cross = -1 },
                                    { .cross = NAN },
                                    { .normal_length = INFINITY },
                                    { .depth_scale = 1.1e8f } };
    for (uint32_t i = 0; i < COUNT(wrong); ++i)
    {
        assert_int_equal(abut_world_draw(world, &wrong[i], &line, 1, &count), ABUT_INVALID_ARGUMENT);
        assert_true(t.times == i + 1 && t.status == ABUT_INVALID_ARGUMENT);
    }
    assert_int_equal(abut_world_draw(world, NULL, NULL, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_draw(world, NULL, &line, 1, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_draw(NULL, NULL, &line, 1, &count), ABUT_INVALID_ARGUMENT);
    abut_world_bodies(world).poses[second.slot].position.y = NAN;
    assert_int_equal(abut_world_draw(world, NULL, &line, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(t.index, second.slot);
    assert_true(line.index == 77 && count == 77);
    const abut_draw_def tree = { .what = ABUT_DRAW_TREE }; // looks at no pose
    assert_int_equal(abut_world_draw(world, &tree, &line, 1, &count), ABUT_OK);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lines_of_a_shape_lie_on_its_surface),
        cmocka_unit_test(bounds_are_those_of_the_colliders),
        cmocka_unit_test(the_tree_is_drawn_from_its_root_and_covers_every_collider),
        cmocka_unit_test(a_broad_phase_without_a_tree_draws_none),
        cmocka_unit_test(every_point_has_a_cross_and_a_normal_as_long_as_asked),
        cmocka_unit_test(sleeping_contacts_are_drawn_after_awake_ones),
        cmocka_unit_test(what_does_not_fit_is_counted_and_the_first_lines_are_kept),
        cmocka_unit_test(zero_asks_for_shapes_points_and_normals),
        cmocka_unit_test(a_world_that_was_edited_can_be_drawn),
        cmocka_unit_test(invalid_input_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
