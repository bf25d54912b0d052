// Half-spaces in worlds: contacts, queries, sweeps and images are those of the calls without a world.
#include "every_isa.h"
#include "random_compound.h"
#include "random_moving.h"
#include "small_world.h"
#include "whole_image.h"

#include <math.h>

enum
{
    SEEDS = 60,
    BODIES = 40,
    FRAMES = 8,
    PARTS_MOST = COMPOUND_MOST
};

typedef struct ground_scene
{
    random_source random;
    abut_geometry *hull, *compound;
    abut_placed_shape parts[PARTS_MOST];
    uint32_t part_count;
    abut_world *world;
    abut_body plane[2], body[BODIES];
    abut_shape shape[BODIES];
    bool is_2d;
} ground_scene;

static abut_pose random_pose_of(random_source *random, double reach, bool is_2d)
{
    if (is_2d)
    {
        const double x = random_between(random, -reach, reach), y = random_between(random, -reach, reach);
        return abut_pose_2d((float)x, (float)y, (float)random_between(random, -3.0, 3.0));
    }
    return (abut_pose){ .position = random_narrow(random_in_box(random, reach)),
                        .rotation = random_narrow_rotation(random_rotation(random)) };
}

static abut_shape random_one(ground_scene *s, bool is_2d)
{
    const uint32_t sort = random_below(&s->random, is_2d ? 4 : 6);
    const double size = random_scale(&s->random, 0.2, 1.0);
    return sort == 4   ? abut_shape_hull(s->hull)
           : sort == 5 ? abut_shape_compound(s->compound)
                       : random_shape(&s->random, random_kind(sort), size);
}

// What a plane costs elsewhere: two of them, one tilted, with a body's collider off its body's origin.
static void open_scene(ground_scene *s, uint64_t seed, abut_world_def def)
{
    const bool is_2d = def.dimension == 2;
    *s = (ground_scene){ .random = random_start(seed), .is_2d = is_2d };
    s->hull = random_lump(&s->random, 0.7);
    s->part_count = random_parts(&s->random, 1.0, true, s->hull, s->parts);
    s->compound = compound_of(s->parts, s->part_count);
    def.margin = 0.02f;
    s->world = open_world(&def);
    const abut_vec3 tilt = abut_vec3_make(0.3f, 1.0f, is_2d ? 0.0f : -0.2f);
    const abut_body_def planes[2] = {
        { .motion = ABUT_STATIC, .pose = abut_pose_of_plane(tilt, -4.0f), .collider.shape = abut_shape_half_space() },
        { .motion = ABUT_KINEMATIC,
          .pose = random_pose_of(&s->random, 1.0, is_2d),
          .velocity.linear = { 0.1f, 0.2f, 0.0f },
          .collider = { .shape = abut_shape_half_space(), .local = { .position = { 0.0f, -5.0f, 0.0f } } } },
    };
    assert_int_equal(abut_body_create_many(s->world, planes, 2, s->plane), ABUT_OK);
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        s->shape[i] = random_one(s, is_2d);
        abut_body_def body = { .pose = random_pose_of(&s->random, 6.0, is_2d), .collider.shape = s->shape[i] };
        body.velocity.linear = random_narrow(random_in_box(&s->random, 3.0));
        body.velocity.linear.z = is_2d ? 0.0f : body.velocity.linear.z;
        body.flags = random_chance(&s->random, 0.2) ? ABUT_BODY_CCD : 0u;
        assert_int_equal(abut_body_create(s->world, &body, &s->body[i]), ABUT_OK);
    }
}

static void close_scene(ground_scene *s)
{
    abut_world_destroy(s->world);
    abut_geometry_release(s->compound);
    abut_geometry_release(s->hull);
}

static abut_pose plane_pose(const ground_scene *s, uint32_t which)
{
    const abut_pose *body = &abut_world_bodies(s->world).poses[s->plane[which].slot];
    const abut_pose below = { .position = { 0.0f, -5.0f, 0.0f }, .rotation = { .w = 1.0f } };
    return which == 0 ? *body : abut_pose_compose(body, &below);
}

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
    for (uint32_t i = 0; i < BODIES; ++i)
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

static bool is_plane(const ground_scene *s, abut_body body)
{
    return body.slot == s->plane[0].slot || body.slot == s->plane[1].slot;
}

static uint32_t which_of(const ground_scene *s, abut_body body)
{
    return body.slot == s->plane[1].slot;
}

// With every other body out of the way.
static void queries_are_those_without_a_world(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SEEDS);
    uint32_t hits = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        ground_scene s;
        open_scene(&s, seed, (abut_world_def){ 0 });
        assert_int_equal(abut_world_update(s.world), ABUT_OK);
        const abut_shape ground = abut_shape_half_space();
        const abut_pose at[2] = { plane_pose(&s, 0), plane_pose(&s, 1) };
        const abut_query_filter only = { .ignore = s.body, .ignore_count = BODIES };
        for (uint32_t i = 0; i < 50; ++i)
        {
            abut_placed_shape asker = { random_shape(&s.random, random_kind(random_below(&s.random, 4)), 0.6),
                                        random_pose_of(&s.random, 8.0, false) };
            const abut_vec3 way = random_narrow(random_in_box(&s.random, 12.0));
            const abut_ray ray = { asker.pose.position, way };
            const abut_cast cast = { .shape = asker.shape, .pose = asker.pose, .translation = way };
            abut_hit hit[2];
            abut_found found[4];
            abut_near near_ones[2];
            abut_collision collision[4];
            uint32_t count;
            uint64_t batched;
            abut_range range;
            abut_ray_hit right[2];
            for (uint32_t k = 0; k < 2; ++k)
            {
                assert_int_equal(abut_ray_shape(&ray, &ground, &at[k], 0, &right[k]), ABUT_OK);
            }
            assert_int_equal(abut_world_ray_all(s.world, &ray, &only, hit, 2, &count), ABUT_OK);
            DEMAND_AT(seed, count == (uint32_t)right[0].hit + right[1].hit, "%u planes hit by a ray", count);
            for (uint32_t k = 0; k < count; ++k)
            {
                const abut_ray_hit *own = &right[which_of(&s, hit[k].body)];
                DEMAND_AT(seed, is_plane(&s, hit[k].body) && fabsf(own->fraction - hit[k].fraction) <= 1e-6f,
                          "the ray hits at %g, not %g", (double)hit[k].fraction, (double)own->fraction);
            }
            hits += count;
            float first = 1.0f;
            for (uint32_t k = 0; k < 2; ++k)
            {
                assert_int_equal(abut_cast_shape(&cast, &ground, &at[k], 0, &right[k]), ABUT_OK);
                first = right[k].hit ? fminf(first, right[k].fraction) : first;
            }
            assert_int_equal(abut_world_cast_closest(s.world, &cast, &only, hit), ABUT_OK);
            assert_int_equal(abut_world_cast_closest_many(s.world, &cast, 1, &only, hit + 1), ABUT_OK);
            assert_memory_equal(hit, hit + 1, sizeof *hit);
            DEMAND_AT(seed, fabsf(hit[0].fraction - first) <= 1e-5f, "the cast hits at %g, not %g",
                      (double)hit[0].fraction, (double)first);
            uint32_t overlapped = 0, near_count = 0, touched = 0;
            float nearest = HUGE_VALF;
            bool undecided = false;
            for (uint32_t k = 0; k < 2; ++k)
            {
                bool overlaps;
                float distance;
                abut_manifold m;
                assert_int_equal(abut_overlap(&asker.shape, &asker.pose, &ground, &at[k], &overlaps), ABUT_OK);
                assert_int_equal(abut_distance(&asker.shape, &asker.pose, &ground, &at[k], &distance), ABUT_OK);
                assert_int_equal(abut_collide(&asker.shape, &asker.pose, &ground, &at[k], 0.1f, &m), ABUT_OK);
                overlapped += overlaps;
                near_count += distance <= 2.0f;
                touched += m.point_count > 0;
                nearest = fminf(nearest, distance);
                undecided = undecided || fabsf(distance - 2.0f) < 1e-4f || fabsf(distance - 0.1f) < 1e-4f ||
                            (distance > 0.0f && distance < 1e-4f) || (overlaps && m.separation > -1e-4f);
            }
            if (undecided)
            {
                continue;
            }
            assert_int_equal(abut_world_overlap_shape(s.world, &asker, &only, found, 4, &count), ABUT_OK);
            DEMAND_AT(seed, count == overlapped, "%u planes overlapped, not %u", count, overlapped);
            assert_int_equal(abut_world_overlap_shape_many(s.world, &asker, 1, &only, &range, found, 4, &batched),
                             ABUT_OK);
            DEMAND_AT(seed, batched == overlapped, "%u planes in a batch", (uint32_t)batched);
            assert_int_equal(abut_world_collide_shape(s.world, &asker, 0.1f, &only, collision, 4, &count), ABUT_OK);
            DEMAND_AT(seed, count == touched, "%u planes touched, not %u", count, touched);
            assert_int_equal(abut_world_nearest_shape(s.world, &asker, 2.0f, &only, near_ones, 2, &count), ABUT_OK);
            DEMAND_AT(seed, count == near_count, "%u planes near, not %u", count, near_count);
            DEMAND_AT(seed, count == 0 || fabsf(near_ones[0].distance - nearest) <= 1e-5f, "%g away, not %g",
                      (double)near_ones[0].distance, (double)nearest);
            assert_int_equal(abut_world_nearest(s.world, &asker.pose.position, 100.0f, &only, near_ones, 2, &count),
                             ABUT_OK);
            DEMAND_AT(seed, count == 2 && near_ones[0].distance <= near_ones[1].distance, "a plane is not found");
            const uint32_t below = (uint32_t)(near_ones[0].distance == 0.0f) + (near_ones[1].distance == 0.0f);
            assert_int_equal(abut_world_overlap_point(s.world, &asker.pose.position, &only, found, 4, &count), ABUT_OK);
            DEMAND_AT(seed, count == below, "%u planes contain a point, not %u", count, below);
            const abut_vec3 half = { 0.3f, 0.4f, 0.5f };
            const abut_aabb box = abut_aabb_from_centre(asker.pose.position, half);
            const abut_shape as_shape = abut_shape_aabb(0.3f, 0.4f, 0.5f);
            uint32_t in_box = 0;
            undecided = false;
            for (uint32_t k = 0; k < 2; ++k)
            {
                abut_manifold m;
                assert_int_equal(abut_collide(&as_shape, &asker.pose, &ground, &at[k], 1.0f, &m), ABUT_OK);
                in_box += m.point_count > 0 && m.separation < 0.0f;
                undecided = undecided || (m.point_count > 0 && fabsf(m.separation) < 1e-4f);
            }
            assert_int_equal(abut_world_overlap_aabb(s.world, &box, &only, found, 4, &count), ABUT_OK);
            DEMAND_AT(seed, undecided || count == in_box, "%u planes in a box, not %u", count, in_box);
        }
        close_scene(&s);
    }
    assert_true(hits > 20 * (seeds.end - seeds.first));
}

// A compound overlaps what one of its parts overlaps, and has a manifold for each that touches; a sensor, too.
static void parts_of_compounds_ask(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SEEDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        ground_scene s;
        open_scene(&s, seed, (abut_world_def){ 0 });
        assert_int_equal(abut_world_update(s.world), ABUT_OK);
        const abut_shape ground = abut_shape_half_space();
        const abut_query_filter only = { .ignore = s.body, .ignore_count = BODIES };
        for (uint32_t i = 0; i < 20; ++i)
        {
            const abut_placed_shape asker = { abut_shape_compound(s.compound), random_pose_of(&s.random, 8.0, false) };
            abut_found found[2];
            abut_collision collision[2 * PARTS_MOST];
            uint32_t overlapped = 0, touched = 0, count;
            bool undecided = false;
            for (uint32_t plane = 0; plane < 2; ++plane)
            {
                const abut_pose at = plane_pose(&s, plane);
                uint32_t parts = 0;
                for (uint32_t k = 0; k < s.part_count; ++k)
                {
                    const abut_pose part = abut_pose_compose(&asker.pose, &s.parts[k].pose);
                    abut_manifold m;
                    assert_int_equal(abut_collide(&s.parts[k].shape, &part, &ground, &at, 1.0f, &m), ABUT_OK);
                    parts += m.point_count > 0 && m.separation <= 0.0f;
                    undecided = undecided || (m.point_count > 0 && fabsf(m.separation) < 1e-4f);
                }
                overlapped += parts > 0;
                touched += parts;
            }
            if (undecided)
            {
                continue;
            }
            assert_int_equal(abut_world_overlap_shape(s.world, &asker, &only, found, 2, &count), ABUT_OK);
            DEMAND_AT(seed, count == overlapped, "%u planes overlapped, not %u", count, overlapped);
            assert_int_equal(abut_world_collide_shape(s.world, &asker, 0.0f, &only, collision, 2 * PARTS_MOST, &count),
                             ABUT_OK);
            DEMAND_AT(seed, count == touched, "%u parts touch, not %u", count, touched);
        }
        close_scene(&s);
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

static void regions_find_ground_that_reaches_into_them(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body ground = add(world, abut_shape_half_space(), 0, 2, 0, ABUT_STATIC);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    for (uint32_t i = 0; i < 2; ++i)
    {
        const float low = i == 0 ? 2.5f : 1.5f; // from there to 5, and from 100 to 101 along x
        const abut_plane planes[4] = {
            { { 0, 1, 0 }, 5 }, { { 0, -1, 0 }, -low }, { { 1, 0, 0 }, 101 }, { { -1, 0, 0 }, -100 }
        };
        const abut_region region = { .planes = planes, .plane_count = 4 };
        abut_found found;
        uint32_t count;
        assert_int_equal(abut_world_overlap_region(world, &region, NULL, &found, 1, &count), ABUT_OK);
        assert_int_equal(count, i);
        assert_true(i == 0 || found.body.slot == ground.slot);
    }
    abut_world_destroy(world);
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
        cmocka_unit_test(queries_are_those_without_a_world),
        cmocka_unit_test(parts_of_compounds_ask),
        cmocka_unit_test(a_sensor_senses_any_part_of_a_compound_in_the_ground),
        cmocka_unit_test(what_falls_fast_stops_and_what_is_deep_is_pushed_up),
        cmocka_unit_test(regions_find_ground_that_reaches_into_them),
        cmocka_unit_test(images_and_drawings_have_half_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
