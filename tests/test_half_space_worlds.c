// Half-spaces in worlds: contacts, sweeps and images are those of the calls without a world.
#include "every_isa.h"
#include "ground_scene.h"
#include "whole_image.h"

#include <math.h>

enum
{
    SEEDS = 60,
    FRAMES = 8
};

// The contact of a pair that a child has; NULL: none.
static const abut_contact *contact_of(const abut_contacts *all, uint32_t slot, uint32_t other, uint32_t child)
{
    for (uint32_t i = 0; i < all->count; ++i)
    {
        const abut_contact *c = abut_contact_at(all, i);
        if (c->a.slot == slot && c->b.slot == other && c->child == child)
        {
            return c;
        }
    }
    return NULL;
}

static void judge_contact(uint64_t seed, const ground_scene *s, uint32_t plane, uint32_t i, uint32_t child,
                          const abut_shape *shape, const abut_pose *pose)
{
    const bool is_2d = s->is_2d;
    const abut_contacts all = abut_world_contacts(s->world, ABUT_AWAKE);
    const abut_shape ground = abut_shape_half_space();
    const abut_pose at = plane_pose(s, plane);
    abut_manifold right;
    assert_int_equal((is_2d ? abut_collide_2d : abut_collide)(&ground, &at, shape, pose, 0.02f, &right), ABUT_OK);
    const abut_contact *found = contact_of(&all, s->plane[plane].slot, s->body[i].slot, child);
    if (right.point_count > 0 && fabsf(right.separation - 0.02f) > 1e-5f)
    {
        DEMAND_AT(seed, found, "a contact is missing: %g", (double)right.separation);
    }
    if (found)
    {
        DEMAND_AT(seed, right.point_count > 0 || fabsf(found->separation - 0.02f) <= 1e-5f, "a contact too many");
        DEMAND_AT(seed, right.point_count == 0 || fabsf(found->separation - right.separation) <= 1e-5f, "%g is not %g",
                  (double)found->separation, (double)right.separation);
        DEMAND_AT(seed, right.point_count == 0 || found->point_count == right.point_count, "%u points, not %u",
                  found->point_count, right.point_count);
    }
}

static uint32_t judge_contacts(uint64_t seed, const ground_scene *s)
{
    for (uint32_t i = 0; i < GROUND_BODIES; ++i)
    {
        const abut_pose *pose = &abut_world_bodies(s->world).poses[s->body[i].slot];
        const bool compound = s->shape[i].kind == ABUT_COMPOUND;
        for (uint32_t k = 0; k < (compound ? s->part_count : 1); ++k)
        {
            const abut_pose part = compound ? abut_pose_compose(pose, &s->parts[k].pose) : *pose;
            for (uint32_t plane = 0; plane < 2; ++plane)
            {
                judge_contact(seed, s, plane, i, k, compound ? &s->parts[k].shape : &s->shape[i], &part);
            }
        }
    }
    return abut_world_contacts(s->world, ABUT_AWAKE).count;
}

static void contacts_are_those_without_a_world(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SEEDS);
    uint32_t contacts = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        ground_scene s;
        open_scene(&s, seed, (abut_world_def){ .dimension = seed % 3 == 0 ? 2 : 3 });
        for (uint32_t frame = 0; frame < FRAMES; ++frame)
        {
            abut_audit audit;
            assert_int_equal(abut_world_step(s.world, 0.1f), ABUT_OK);
            assert_int_equal(abut_world_audit(s.world, &audit), ABUT_OK);
            DEMAND_AT(seed, !audit.what, "frame %u: %s: %u and %u", frame, audit.what, audit.a.slot, audit.b.slot);
            contacts += judge_contacts(seed, &s);
        }
        close_scene(&s);
    }
    assert_true(contacts > 100 * (seeds.end - seeds.first));
}

static void every_world_has_the_same_bits(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SEEDS / 6);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        uint64_t hash[FRAMES] = { 0 };
        bool first = true;
        for (int broad = ABUT_BROAD_AUTO + 1; broad < ABUT_BROAD_COUNT; ++broad)
        {
            EVERY_ISA(isa)
            {
                ground_scene s;
                open_scene(&s, seed,
                           (abut_world_def){ .dimension = seed % 3 == 0 ? 2 : 3,
                                             .broad = (abut_broad_kind)broad,
                                             .isa = isa,
                                             .threads = isa % 2 ? 2u : 0u,
                                             .recycle_distance = seed % 2 ? 0.01f : 0.0f });
                for (uint32_t frame = 0; frame < FRAMES; ++frame)
                {
                    assert_int_equal(abut_world_step(s.world, 0.02f), ABUT_OK);
                    const uint64_t now = abut_world_hash(s.world);
                    DEMAND_AT(seed, first || now == hash[frame], "frame %u has other bits", frame);
                    hash[frame] = now;
                }
                first = false;
                close_scene(&s);
            }
        }
    }
}

static void a_sensor_senses_any_part_of_a_compound_in_the_ground(void **state)
{
    (void)state;
    const abut_placed_shape parts[2] = { { abut_shape_sphere(0.5f),
                                           { .position = { 0, 3, 0 }, .rotation = { .w = 1 } } },
                                         { abut_shape_sphere(0.5f), { .rotation = { .w = 1 } } } };
    abut_geometry *compound = compound_of(parts, 2);
    abut_world *world = open_world(NULL);
    const abut_body_def ground = { .motion = ABUT_STATIC,
                                   .collider = { .shape = abut_shape_half_space(), .flags = ABUT_COLLIDER_SENSOR } };
    abut_body body;
    assert_int_equal(abut_body_create(world, &ground, &body), ABUT_OK);
    add(world, abut_shape_compound(compound), 1e5f, 0.25f, 0, ABUT_DYNAMIC);
    detect(world);
    assert_int_equal(abut_world_events(world, ABUT_SENSOR_BEGIN).count, 1);
    abut_world_destroy(world);
    abut_geometry_release(compound);
}

// What a body falls through in one step, or into, is under the ground.
static void what_falls_fast_stops_and_what_is_deep_is_pushed_up(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body ground = add(world, abut_shape_half_space(), 0, 0, 0, ABUT_STATIC);
    const abut_body_def bullet = { .pose.position = { 3, 50, -2 },
                                   .velocity.linear = { 0, -6000, 0 },
                                   .flags = ABUT_BODY_CCD,
                                   .collider.shape = abut_shape_sphere(0.25f) };
    abut_body fast;
    assert_int_equal(abut_body_create(world, &bullet, &fast), ABUT_OK);
    const abut_body deep = add(world, abut_shape_obb(1, 1, 1), 1e5f, -3000, 2e5f, ABUT_DYNAMIC);
    assert_int_equal(abut_world_detect(world, 1.0f / 60), ABUT_OK);
    const abut_contacts contacts = abut_world_contacts(world, ABUT_AWAKE);
    assert_int_equal(contacts.count, 2); // the bullet's looks ahead
    const abut_contact *c = contact_of(&contacts, ground.slot, deep.slot, 0);
    assert_non_null(c);
    assert_int_equal(c->a.slot, ground.slot);
    assert_int_equal(c->b.slot, deep.slot);
    assert_true(c->separation == -3001.0f && c->normal.y == 1.0f && c->point_count == 4);
    const abut_impacts impacts = abut_world_impacts(world);
    assert_int_equal(impacts.count, 1);
    assert_true(fabsf(impacts.data[0].impact.time - 49.75f / 6000.0f) <= 1e-6f);
    const abut_placed_shape parts[2] = { { abut_shape_sphere(1), { .position = { 0, 1, 0 }, .rotation = { .w = 1 } } },
                                         { abut_shape_obb(1, 1, 1), { .rotation = { .w = 1 } } } };
    abut_geometry *compound = compound_of(parts, 2);
    add(world, abut_shape_compound(compound), -2e4f, -500, 7, ABUT_DYNAMIC);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 3);
    abut_world_destroy(world);
    abut_geometry_release(compound);
}

// A contact, and a query, of a half-space and a shape below it.
static void meet_far_below(abut_broad_kind broad, const abut_pose *plane, const abut_shape *shape, abut_vec3 below)
{
    abut_world *world = open_world(&(abut_world_def){ .broad = broad });
    const abut_body_def ground = { .pose = *plane, .collider = { .shape = abut_shape_half_space() } };
    const abut_body_def low = { .pose = { .position = below }, .collider = { .shape = *shape } };
    abut_body plane_body, low_body;
    uint32_t count;
    assert_int_equal(abut_body_create(world, &ground, &plane_body), ABUT_OK);
    assert_int_equal(abut_body_create(world, &low, &low_body), ABUT_OK);
    detect(world);
    assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 1);
    const abut_placed_shape asker = { *shape, { .position = below, .rotation = { .w = 1 } } };
    assert_int_equal(abut_world_overlap_shape(world, &asker, NULL, NULL, 0, &count), ABUT_OK);
    assert_int_equal(count, 2);
    abut_world_destroy(world);
}

// However it is tilted and wherever it is.
static void it_has_no_end_within_the_coordinates(void **state)
{
    (void)state;
    const float far = ABUT_MAX_MAGNITUDE;
    const abut_placed_shape part = { abut_shape_obb(1, 1, 1), { .rotation = { .w = 1 } } };
    abut_geometry *compound = compound_of(&part, 1);
    const abut_shape shapes[] = { abut_shape_sphere(1), abut_shape_cylinder(1, 1), abut_shape_compound(compound) };
    const struct
    {
        abut_pose plane;
        abut_vec3 below;
    } cases[] = {
        { { .rotation = { -0.326059461f, 0.562542975f, 0.279076636f, -0.706644773f } }, { -far, far, -far } },
        { { .position = { far, 0, 0 } }, { -far, -1, 0 } },
        { { .position = { far, far, far } }, { -far, -far, -far } },
    };
    for (uint32_t i = 0; i < 9; ++i)
    {
        for (uint32_t broad = ABUT_BROAD_AUTO; broad < ABUT_BROAD_COUNT; ++broad)
        {
            meet_far_below((abut_broad_kind)broad, &cases[i % 3].plane, &shapes[i / 3], cases[i % 3].below);
        }
    }
    abut_geometry_release(compound);
}

static void images_and_drawings_have_half_spaces(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    add(world, abut_shape_half_space(), 0, 1, 0, ABUT_STATIC);
    const abut_body ball_on_it = ball(world, 2);
    detect(world);
    assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 1);
    size_t size;
    void *image = image_of(world, NULL, &size);
    const uint64_t before = abut_world_hash(world);
    assert_int_equal(abut_body_destroy(world, ball_on_it), ABUT_OK);
    assert_int_equal(abut_world_restore(world, NULL, image, size), ABUT_OK);
    assert_true(abut_world_hash(world) == before);
    abut_world *other = open_world(NULL);
    assert_int_equal(abut_world_restore(other, NULL, image, size), ABUT_OK);
    assert_true(abut_world_hash(other) == before);
    free(image);
    abut_line lines[256];
    uint64_t count;
    assert_int_equal(abut_world_draw(world, &(abut_draw_def){ .what = ABUT_DRAW_ALL }, lines, 256, &count), ABUT_OK);
    assert_true(count > 11 && count < 256);
    abut_world_destroy(other);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_those_without_a_world),
        cmocka_unit_test(every_world_has_the_same_bits),
        cmocka_unit_test(a_sensor_senses_any_part_of_a_compound_in_the_ground),
        cmocka_unit_test(what_falls_fast_stops_and_what_is_deep_is_pushed_up),
        cmocka_unit_test(it_has_no_end_within_the_coordinates),
        cmocka_unit_test(images_and_drawings_have_half_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
