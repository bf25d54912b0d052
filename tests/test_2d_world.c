// 2D worlds: touching agrees with the referee, the same on every instruction set and broad phase, and nothing leaves
// the xy plane by itself.
#include "small_world.h"
#include "stock_2d.h"

#include <abut/state.h>

#include <string.h>

enum
{
    BODIES = 120,
    STEPS = 12
};

static const abut_world_def flat = { .dimension = 2 };

typedef struct crowd
{
    abut_world *world;
    abut_body body[BODIES];
    abut_body_def def[BODIES];
} crowd;

static abut_pose random_pose(random_source *random, double side)
{
    return abut_pose_2d((float)random_between(random, -side, side), (float)random_between(random, -side, side),
                        (float)random_between(random, -3.2, 3.2));
}

static abut_velocity random_velocity(random_source *random)
{
    return (abut_velocity){
        { (float)random_between(random, -2, 2), (float)random_between(random, -2, 2), 0.0f },
        { 0.0f, 0.0f, (float)random_between(random, -3, 3) },
    };
}

static void populate(crowd *c, uint64_t seed, const abut_world_def *def)
{
    random_source random = random_start(seed);
    c->world = open_world(def);
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        c->def[i] = (abut_body_def){
            .pose = random_pose(&random, 8.0),
            .velocity = random_velocity(&random),
            .motion = random_chance(&random, 0.2) ? ABUT_STATIC : ABUT_DYNAMIC,
            .collider.shape = random_shape_2d(&random, &stock, random_kind_2d(&random), 1.0),
            .user_data = i,
        };
        if (random_chance(&random, 0.3))
        {
            c->def[i].collider.local = random_pose(&random, 1.0);
        }
    }
    assert_int_equal(abut_body_create_many(c->world, c->def, BODIES, c->body), ABUT_OK);
}

static void judge_contacts(const crowd *c, double margin, uint32_t *touching)
{
    static solid_2d solid[BODIES];
    const abut_contacts contacts = abut_world_contacts(c->world, ABUT_AWAKE);
    uint32_t at = 0;
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        abut_pose pose;
        assert_int_equal(abut_body_pose(c->world, c->body[i], &pose), ABUT_OK);
        const bool placed = c->def[i].collider.local.rotation.w != 0.0f || c->def[i].collider.local.rotation.z != 0.0f;
        solid[i] = solid_2d_of(&c->def[i].collider.shape, &pose, placed ? &c->def[i].collider.local : NULL);
    }
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        for (uint32_t j = i + 1; j < BODIES; ++j)
        {
            const bool may = c->def[i].motion == ABUT_DYNAMIC || c->def[j].motion == ABUT_DYNAMIC;
            const abut_contact *contact = at < contacts.count ? abut_contact_at(&contacts, at) : NULL;
            const bool found = contact && contact->a.slot == c->body[i].slot && contact->b.slot == c->body[j].slot;
            abut_manifold m = { 0 };
            if (found)
            {
                m.normal = contact->normal;
                m.separation = contact->separation;
                m.point_count = contact->point_count;
                memcpy(m.points, contact->points, m.point_count * sizeof *m.points);
                ++at;
            }
            abut_pose pose;
            assert_int_equal(abut_body_pose(c->world, c->body[i], &pose), ABUT_OK);
            const dvec2 origin = { (double)pose.position.x, (double)pose.position.y };
            char why[PLANE_WHY];
            if (may ? !check_contact_2d(&solid[i], &solid[j], origin, margin, &m, why) : found)
            {
                fail_msg("bodies %u and %u: %s", i, j, may ? why : "may not collide");
            }
        }
    }
    assert_int_equal(at, contacts.count);
    *touching += contacts.count;
}

static void contacts_are_what_the_referee_says(void **state)
{
    (void)state;
    uint32_t touching = 0, begun = 0, ended = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        const abut_world_def def = { .dimension = 2, .margin = seed % 2 ? 0.0f : 0.05f };
        static crowd c;
        populate(&c, seed, &def);
        uint32_t alive = 0;
        for (uint32_t step = 0; step < STEPS; ++step)
        {
            assert_int_equal(abut_world_step(c.world, 0.05f), ABUT_OK);
            judge_contacts(&c, (double)def.margin, &touching);
            const uint32_t came = abut_world_events(c.world, ABUT_BEGIN).count;
            const uint32_t went = abut_world_events(c.world, ABUT_END).count;
            alive += came - went;
            assert_int_equal(alive, abut_world_contacts(c.world, ABUT_AWAKE).count +
                                        abut_world_contacts(c.world, ABUT_ASLEEP).count);
            begun += came;
            ended += went;
        }
        abut_world_destroy(c.world);
    }
    assert_true(touching > 5000 && begun > 1000 && ended > 500);
}

static void every_way_gives_the_same_hash(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; ++seed)
    {
        uint64_t expected[STEPS] = { 0 };
        for (int broad = ABUT_BROAD_BRUTE; broad < ABUT_BROAD_COUNT; ++broad)
        {
            for (int isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)
            {
                if (!abut_isa_available((abut_isa)isa))
                {
                    continue;
                }
                const abut_world_def def = {
                    .dimension = 2, .margin = 0.02f, .broad = (abut_broad_kind)broad, .isa = (abut_isa)isa
                };
                static crowd c;
                populate(&c, seed, &def);
                for (uint32_t step = 0; step < STEPS; ++step)
                {
                    assert_int_equal(abut_world_move(c.world, 0.05f), ABUT_OK);
                    assert_int_equal(abut_world_detect(c.world, step % 2 ? 0.1f : 0.0f), ABUT_OK);
                    const uint64_t hash = abut_world_hash(c.world);
                    assert_true(expected[step] == 0 || expected[step] == hash);
                    expected[step] = hash;
                    abut_audit audit;
                    assert_int_equal(abut_world_audit(c.world, &audit), ABUT_OK);
                    if (audit.what)
                    {
                        fail_msg("seed %llu, step %u, %s, %s: %s", (unsigned long long)seed, step,
                                 abut_broad_name(def.broad), abut_isa_name(def.isa), audit.what);
                    }
                }
                abut_world_destroy(c.world);
            }
        }
    }
}

static void poses_stay_2d_as_bodies_turn(void **state)
{
    (void)state;
    static crowd c;
    populate(&c, 3, &flat);
    for (uint32_t step = 0; step < 500; ++step)
    {
        assert_int_equal(abut_world_move(c.world, 0.37f), ABUT_OK);
    }
    abut_pose pose;
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        assert_int_equal(abut_body_pose(c.world, c.body[i], &pose), ABUT_OK);
        assert_true(pose.position.z == 0.0f && pose.rotation.x == 0.0f && pose.rotation.y == 0.0f);
    }
    abut_world_destroy(c.world);
}

static void a_detect_says_of_a_pair_what_the_call_without_a_world_says(void **state)
{
    (void)state;
    uint32_t touching_pairs = 0;
    for (uint64_t seed = 1; seed <= 2000; ++seed)
    {
        random_source random = random_start(seed);
        const abut_shape_kind kind_a = random_kind_2d(&random), kind_b = random_kind_2d(&random);
        const pair_2d p = random_pair_2d(&random, &stock, kind_a, kind_b);
        const abut_world_def def = { .dimension = 2, .margin = p.margin };
        abut_world *world = open_world(&def);
        const abut_body_def defs[2] = { { .pose = p.pose_a, .collider.shape = p.a },
                                        { .pose = p.pose_b, .collider.shape = p.b } };
        abut_body body[2];
        abut_manifold m;
        assert_int_equal(abut_body_create_many(world, defs, 2, body), ABUT_OK);
        assert_int_equal(abut_collide_2d(&p.a, &p.pose_a, &p.b, &p.pose_b, p.margin, &m), ABUT_OK);
        detect(world);
        assert_int_equal(touching(world), m.point_count > 0);
        if (touching(world))
        {
            const abut_contact *contact = contact_at(world, ABUT_AWAKE, 0);
            assert_int_equal(contact->point_count, m.point_count);
            assert_memory_equal(contact->points, m.points, m.point_count * sizeof *m.points);
            assert_true(contact->separation == m.separation);
            ++touching_pairs;
        }
        abut_world_destroy(world);
    }
    assert_true(touching_pairs > 500);
}

static void half_extents_along_z_mean_nothing(void **state)
{
    (void)state;
    abut_world *world = open_world(&flat);
    add(world, abut_shape_obb(1, 1, 0), 0, 0, 0, ABUT_DYNAMIC);
    add(world, abut_shape_obb(1, 1, 1000), 1.5f, 0, 0, ABUT_DYNAMIC);
    add(world, abut_shape_aabb(1, 1, 1e-3f), 3.0f, 0, 0, ABUT_DYNAMIC);
    expect(world, 2, 2, 0);
    assert_true(contact_at(world, ABUT_AWAKE, 0)->separation == -0.5f);
    assert_true(contact_at(world, ABUT_AWAKE, 0)->point_count == 2);
    abut_world_destroy(world);
}

static void shapes_are_drawn_flat(void **state)
{
    (void)state;
    abut_world *world = open_world(&flat);
    const abut_vec2 *vertex;
    const uint32_t sides = abut_geometry_vertices(stock.polygon[1], &vertex);
    add(world, abut_shape_polygon(stock.polygon[1]), 3, 4, 0, ABUT_DYNAMIC);
    add(world, abut_shape_obb(1, 2, 5), -9, 0, 0, ABUT_DYNAMIC);
    add(world, abut_shape_sphere(2), 20, 30, 0, ABUT_DYNAMIC);
    abut_line lines[64];
    uint64_t count;
    const abut_draw_def def = { .what = ABUT_DRAW_SHAPES };
    assert_int_equal(abut_world_draw(world, &def, lines, COUNT(lines), &count), ABUT_OK);
    assert_int_equal(count, sides + 4 + 32);
    for (uint64_t i = 0; i < count; ++i)
    {
        const abut_line *line = &lines[i];
        const abut_vec3 far = abut_vec3_sub(line->from, abut_vec3_make(line->index == 1 ? -9.0f : 20.0f, 0, 0));
        const abut_vec3 out = abut_vec3_sub(far, abut_vec3_make(0, 30, 0));
        const bool closes = i + 1 == count || lines[i + 1].index != line->index;
        const uint64_t next = !closes ? i + 1 : line->index == 0 ? 0 : line->index == 1 ? sides : sides + 4;
        assert_true(line->from.z == 0.0f && line->to.z == 0.0f);
        assert_memory_equal(&line->to, &lines[next].from, sizeof line->to);
        assert_true(i >= sides || (line->from.x == 3.0f + vertex[i].x && line->from.y == 4.0f + vertex[i].y));
        assert_true(line->index != 1 || (fabsf(far.x) == 1.0f && fabsf(far.y) == 2.0f));
        assert_true(line->index != 2 || fabsf(abut_vec3_length(out) - 2.0f) < 1e-5f);
    }
    abut_world_destroy(world);
}

static void bounds_contain_what_they_bound(void **state)
{
    (void)state;
    abut_world *world = open_world(&flat);
    for (uint64_t seed = 1; seed <= 500; ++seed)
    {
        random_source random = random_start(seed);
        const abut_shape shape = random_shape_2d(&random, &stock, random_kind_2d(&random), 1.0);
        const abut_body_def def = { .pose = random_pose(&random, 100.0), .collider.shape = shape };
        abut_body body;
        abut_collider collider;
        uint32_t count;
        abut_aabb box;
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        assert_int_equal(abut_body_colliders(world, body, &collider, 1, &count), ABUT_OK);
        assert_int_equal(abut_collider_bounds(world, collider, &box), ABUT_OK);
        const solid_2d solid = solid_2d_of(&shape, &def.pose, NULL);
        for (int i = 0; i < solid.count; ++i)
        {
            const dvec2 p = solid.corner[i];
            assert_true((double)box.min.x <= p.x - solid.radius && p.x + solid.radius <= (double)box.max.x);
            assert_true((double)box.min.y <= p.y - solid.radius && p.y + solid.radius <= (double)box.max.y);
        }
        assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
    }
    abut_world_destroy(world);
}

// Two squares lie on each other, and one trembles: either of two sides is as good.
static void what_trembles_keeps_its_side(void **state)
{
    (void)state;
    const abut_vec2 corners[4] = { { -0.5f, -0.5f }, { 0.5f, -0.5f }, { 0.5f, 0.5f }, { -0.5f, 0.5f } };
    abut_geometry *square = NULL;
    assert_int_equal(abut_geometry_create_polygon(corners, 4, NULL, &square), ABUT_OK);
    const abut_shape shapes[2] = { abut_shape_polygon(square), abut_shape_obb(0.5f, 0.5f, 0.5f) };
    for (int pair = 0; pair < 4; ++pair)
    {
        for (int i = 0; i < 40; ++i)
        {
            abut_world *world = open_world(&(abut_world_def){ .dimension = 2 });
            abut_body body[2];
            uint32_t feature[2] = { 0 };
            const float x = -0.8f + 0.04f * (float)i;
            for (int k = 0; k < 2; ++k)
            {
                const abut_body_def def = { .pose = abut_pose_2d(k == 0 ? 0.0f : x, k == 0 ? 0.0f : 0.999f, 0.0f),
                                            .collider.shape = shapes[pair >> k & 1] };
                assert_int_equal(abut_body_create(world, &def, &body[k]), ABUT_OK);
            }
            for (int frame = 0; frame < 20; ++frame)
            {
                const abut_pose pose = abut_pose_2d(x, 0.999f, frame % 2 ? 1e-4f : -1e-4f);
                assert_int_equal(abut_body_set_pose(world, body[1], &pose), ABUT_OK);
                detect(world);
                assert_int_equal(touching(world), 1);
                const abut_contact *contact = contact_at(world, ABUT_AWAKE, 0);
                assert_int_equal(contact->point_count, 2);
                for (int k = 0; k < 2; ++k)
                {
                    assert_true(frame == 0 || contact->points[k].feature == feature[k]);
                    feature[k] = contact->points[k].feature;
                }
                expect_sound(world);
            }
            abut_world_destroy(world);
        }
    }
    abut_geometry_release(square);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_what_the_referee_says),
        cmocka_unit_test(every_way_gives_the_same_hash),
        cmocka_unit_test(poses_stay_2d_as_bodies_turn),
        cmocka_unit_test(a_detect_says_of_a_pair_what_the_call_without_a_world_says),
        cmocka_unit_test(half_extents_along_z_mean_nothing),
        cmocka_unit_test(shapes_are_drawn_flat),
        cmocka_unit_test(bounds_contain_what_they_bound),
        cmocka_unit_test(what_trembles_keeps_its_side),
    };
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
