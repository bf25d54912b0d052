// The manifolds of a shape with a world: those of abut_collide for each collider of a plain kind, and those of a detect
// in which the shape is a body of the lowest slot; in order, in one call or many, with room for all of them or less.
#include "own_world.h"
#include "random_compound.h"
#include "random_field.h"
#include "ray_crowd.h"

enum
{
    ASKED = 150,
    THINGS = 60,
    MOST = 4000
};

static const float margins[] = { 0.0f, 0.02f, 0.4f };

static abut_shape random_asker(random_source *random, const crowd *c)
{
    const double size = random_scale(random, 0.1, 4.0);
    if (c->is_2d)
    {
        return random_shape_2d(random, &stock, random_kind_2d(random), size);
    }
    const float r = (float)size, x = (float)(size * random_unit(random)), y = (float)(size * random_unit(random));
    const uint32_t kind = random_below(random, 4);
    return kind == 0   ? abut_shape_sphere(r)
           : kind == 1 ? abut_shape_aabb(r, x, y)
           : kind == 2 ? abut_shape_obb(r, x, y)
                       : abut_shape_capsule(r, x);
}

static bool same_manifold(const abut_manifold *a, const abut_manifold *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void expect_crowd(const crowd *c, uint64_t seed)
{
    random_source random = random_start(seed);
    static abut_collision found[BODIES + 1];
    uint32_t all = 0;
    for (uint32_t i = 0; i < ASKED; ++i)
    {
        const bool large = i % 50 == 0; // touches more than are collided at a time
        const abut_placed_shape asker = { large ? abut_shape_sphere(200.0f) : random_asker(&random, c),
                                          crowd_pose(&random, c) };
        const float margin = margins[i % COUNT(margins)];
        uint32_t told, at = 0;
        assert_int_equal(abut_world_collide_shape(c->world, &asker, margin, NULL, found, BODIES, &told), ABUT_OK);
        for (uint32_t k = 0; k < c->count; ++k) // bodies were made in the order of their slots
        {
            abut_manifold m;
            const abut_status status =
                c->is_2d ? abut_collide_2d(&asker.shape, &asker.pose, &c->shape[k], &c->pose[k], margin, &m)
                         : abut_collide(&asker.shape, &asker.pose, &c->shape[k], &c->pose[k], margin, &m);
            assert_int_equal(status, ABUT_OK);
            if (m.point_count > 0)
            {
                if (at >= told || found[at].body.slot != c->body[k].slot || !same_manifold(&found[at].manifold, &m))
                {
                    fail_msg("question %u: %u of %u is not of body %u", i, at, told, c->body[k].slot);
                }
                assert_true(abut_collider_valid(c->world, found[at].collider));
                assert_int_equal(found[at].child, 0);
                ++at;
            }
        }
        assert_int_equal(at, told);
        all += told;
        // less room
        const uint32_t room = told / 2;
        static abut_collision few[BODIES + 1];
        memset(&few[room], 0xa5, sizeof *few);
        assert_int_equal(abut_world_collide_shape(c->world, &asker, margin, NULL, few, room, &told), ABUT_OK);
        assert_int_equal(at, told);
        assert_memory_equal(few, found, room * sizeof *few);
        assert_int_equal(few[room].child, 0xa5a5a5a5);
    }
    assert_in_range(all, 3 * BODIES + ASKED, 200 * ASKED);
}

static void manifolds_are_those_of_each_pair_by_itself(void **state)
{
    (void)state;
    static crowd c;
    uint64_t seed = 1;
    EVERY_BROAD(broad)
    {
        for (uint32_t dimension = 2; dimension <= 3; ++dimension)
        {
            crowd_open(&c, ++seed, &(abut_world_def){ .broad = broad, .dimension = dimension }, BODIES);
            detect(c.world);
            detect(c.world);
            expect_crowd(&c, seed);
            abut_world_destroy(c.world);
        }
    }
}

// A world with a body that asks, of slot 0, and things of all kinds.
typedef struct things
{
    abut_world *world;
    abut_body asker;
    abut_geometry *hull, *mesh, *field, *compound;
} things;

static abut_shape random_thing(const things *t, random_source *random, bool asks)
{
    const float x = (float)random_between(random, 0.2, 0.7), y = (float)random_between(random, 0.2, 0.7);
    switch (random_below(random, asks ? 8 : 11))
    {
    case 0:
        return abut_shape_sphere(x);
    case 1:
        return abut_shape_capsule(0.5f * x, y);
    case 2:
        return abut_shape_aabb(x, y, 0.3f);
    case 3:
    case 4:
        return abut_shape_obb(x, y, 0.3f);
    case 5:
        return abut_shape_hull(t->hull);
    case 6:
        return own_shape(OWN_CRATE, x, y, x);
    case 7:
        return own_shape(OWN_PILL, x, y, 0.0f);
    case 8:
        return abut_shape_mesh(t->mesh);
    case 9:
        return abut_shape_mesh(t->field);
    default:
        return abut_shape_compound(t->compound);
    }
}

static abut_pose random_place(random_source *random, double side)
{
    return (abut_pose){ .position = random_narrow(random_in_box(random, side)),
                        .rotation = random_narrow_rotation(random_rotation(random)) };
}

static void open_things(things *t, random_source *random, const abut_world_def *def)
{
    field f;
    mesh_maker m = { 0 };
    abut_placed_shape parts[COMPOUND_MOST];
    *t = (things){ .world = open_own_world(def), .hull = random_lump(random, 0.6) };
    mesh_field(&m, random, 12, 12, 2.0, 2.0, 0.2, NULL, NULL);
    t->mesh = mesh_made(&m);
    f = random_field(random);
    f.def.step_x = f.def.step_z = 0.3f;
    t->field = field_made(&f);
    t->compound = compound_of(parts, random_parts(random, 0.8, true, t->hull, parts));
    const abut_body_def own = { .collider.shape = abut_shape_sphere(1.0f) };
    assert_int_equal(abut_body_create(t->world, &own, &t->asker), ABUT_OK);
    assert_int_equal(t->asker.slot, 0);
    for (uint32_t i = 0; i < THINGS; ++i)
    {
        abut_body body;
        abut_collider collider;
        const abut_body_def thing = { .pose = random_place(random, 2.5),
                                      .motion = ABUT_STATIC,
                                      .collider.shape = random_thing(t, random, false) };
        assert_int_equal(abut_body_create(t->world, &thing, &body), ABUT_OK);
        while (random_chance(random, 0.3))
        {
            const abut_collider_def more = { .shape = random_thing(t, random, false),
                                             .local = random_place(random, 0.3) };
            assert_int_equal(abut_collider_attach(t->world, body, &more, &collider), ABUT_OK);
        }
    }
}

static void close_things(things *t)
{
    abut_world_destroy(t->world);
    abut_geometry_release(t->hull);
    abut_geometry_release(t->mesh);
    abut_geometry_release(t->field);
    abut_geometry_release(t->compound);
}

// Far away first, so that nothing is left of the detect before.
static void detect_asker(things *t, const abut_placed_shape *asker)
{
    const abut_pose away = { .position = { 500, 0, 0 }, .rotation = { 0, 0, 0, 1 } };
    assert_int_equal(abut_body_set_pose(t->world, t->asker, &away), ABUT_OK);
    assert_int_equal(abut_collider_set_shape(t->world, first_collider(t->world, t->asker), &asker->shape), ABUT_OK);
    detect(t->world);
    assert_int_equal(abut_body_set_pose(t->world, t->asker, &asker->pose), ABUT_OK);
    detect(t->world);
}

// Returns how many have a child.
static uint32_t compare_with_contacts(const things *t, const abut_collision *found, uint32_t count)
{
    const abut_contacts all = abut_world_contacts(t->world, ABUT_AWAKE);
    uint32_t at = 0, children = 0;
    for (uint32_t i = 0; i < all.count; ++i)
    {
        const abut_contact *contact = abut_contact_at(&all, i);
        if (contact->a.slot != t->asker.slot)
        {
            continue;
        }
        assert_true(at < count);
        const abut_collision *c = &found[at++];
        assert_int_equal(c->body.slot, contact->b.slot);
        assert_int_equal(c->collider.slot, abut_colliders_of(&all, contact).b.slot);
        assert_int_equal(c->child, contact->child);
        assert_int_equal(c->manifold.point_count, contact->point_count);
        assert_memory_equal(&c->manifold.normal, &contact->normal, sizeof contact->normal);
        assert_memory_equal(&c->manifold.separation, &contact->separation, sizeof contact->separation);
        assert_memory_equal(c->manifold.points, contact->points, contact->point_count * sizeof *contact->points);
        children += c->child > 0;
    }
    assert_int_equal(at, count);
    return children;
}

// Answers whose normal depends on where the pair is.
static void answer_by_place(void *context, const abut_pair_batch *pairs, abut_manifold *out)
{
    (void)context;
    for (uint32_t i = 0; i < pairs->count; ++i)
    {
        const abut_vec3 way = abut_vec3_sub(pairs->poses_b[i].position, pairs->poses_a[i].position);
        const float length = abut_vec3_length(way);
        if (length > 0.0f && length - 1.0f <= pairs->margins[i])
        {
            out[i] = (abut_manifold){ .normal = abut_vec3_scale(way, 1.0f / length),
                                      .separation = length - 1.0f,
                                      .point_count = 1,
                                      .points = { { way, length - 1.0f, 7 } } };
        }
    }
}

// One after another: those of the first collider of each body.
static uint32_t keep_first_colliders(abut_collision *found, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_collision *last = kept > 0 ? &found[kept - 1] : NULL;
        if (!last || last->body.slot != found[i].body.slot || last->collider.slot == found[i].collider.slot)
        {
            found[kept++] = found[i];
        }
    }
    return kept;
}

static void compare_many(const things *t, const abut_placed_shape *askers, float margin, abut_body ignored)
{
    static abut_collision many[MOST], one[MOST];
    abut_range ranges[4];
    const abut_body each[4] = { t->asker, { 0 }, ignored, t->asker };
    const abut_query_filter filter = { .ignore_each = each };
    uint64_t total, all;
    uint32_t count;
    assert_int_equal(abut_world_collide_shape_many(t->world, askers, 4, margin, &filter, ranges, many, MOST, &total),
                     ABUT_OK);
    all = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        const abut_query_filter alone = { .ignore = &each[i], .ignore_count = 1 };
        assert_int_equal(abut_world_collide_shape(t->world, &askers[i], margin, &alone, one, MOST, &count), ABUT_OK);
        assert_true(ranges[i].first == all && ranges[i].count == count);
        assert_memory_equal(many + all, one, count * sizeof *one);
        all += count;
    }
    assert_int_equal(total, all);
    static abut_collision some[MOST];
    assert_int_equal(abut_world_collide_shape_many(t->world, askers, 4, margin, &filter, ranges, some, all / 2, &total),
                     ABUT_OK);
    assert_int_equal(total, all);
    assert_memory_equal(some, many, all / 2 * sizeof *some);
}

static void manifolds_are_those_of_a_detect(void **state)
{
    (void)state;
    uint32_t all = 0, children = 0, of_several = 0;
    for (uint64_t seed = 1; seed <= 9; ++seed)
    {
        static const abut_broad_kind kinds[] = { ABUT_BROAD_BVH, ABUT_BROAD_BRUTE, ABUT_BROAD_GRID };
        random_source random = random_start(seed);
        const float margin = margins[seed % COUNT(margins)];
        const abut_world_def def = { .margin = margin,
                                     .broad = kinds[seed / 3 % 3],
                                     .isa = seed % 2 ? ABUT_ISA_AUTO : ABUT_ISA_SCALAR };
        abut_placed_shape asker[4];
        things t;
        open_things(&t, &random, &def);
        if (seed % 2)
        {
            const uint32_t crate = ABUT_FIRST_KIND + OWN_CRATE;
            assert_int_equal(abut_world_set_pair_function(t.world, ABUT_OBB, crate, answer_by_place, NULL), ABUT_OK);
            assert_int_equal(abut_world_set_pair_function(t.world, crate, crate, answer_by_place, NULL), ABUT_OK);
        }
        for (uint32_t i = 0; i < 60; ++i)
        {
            static abut_collision found[MOST], once[MOST];
            abut_query_filter others = { .ignore = &t.asker, .ignore_count = 1 };
            uint32_t count, count_once;
            asker[i % 4] = (abut_placed_shape){ random_thing(&t, &random, true), random_place(&random, 2.5) };
            detect_asker(&t, &asker[i % 4]);
            assert_int_equal(abut_world_collide_shape(t.world, &asker[i % 4], margin, &others, found, MOST, &count),
                             ABUT_OK);
            assert_true(count < MOST);
            all += count;
            children += compare_with_contacts(&t, found, count);
            others.flags = ABUT_QUERY_ONE_PER_BODY;
            assert_int_equal(abut_world_collide_shape(t.world, &asker[i % 4], margin, &others, once, MOST, &count_once),
                             ABUT_OK);
            const uint32_t kept = keep_first_colliders(found, count);
            of_several += kept < count;
            assert_int_equal(count_once, kept);
            assert_memory_equal(once, found, kept * sizeof *once);
            if (i % 4 == 3)
            {
                compare_many(&t, asker, margin, count > 0 ? found[0].body : t.asker);
            }
        }
        close_things(&t);
    }
    assert_in_range(all, 2000, 40000);
    assert_in_range(children, 1000, all);
    assert_in_range(of_several, 100, 540);
}

// More triangles are near than are collided at a time; all of them touch, or few.
static void large_shapes_touch_many_triangles(void **state)
{
    (void)state;
    static abut_collision found[MOST];
    const abut_placed_shape askers[] = {
        { abut_shape_obb(3, 0.1f, 3), { .position = { 0, 0.05f, 0 }, .rotation = { 0, 0, 0, 1 } } },
        { abut_shape_obb(3, 0.1f, 3), { .position = { 0, 0.3f, 0 }, .rotation = { 0, 0, 0.1f, 1 } } },
        { abut_shape_sphere(40), { .position = { 0, 39.9f, 0 }, .rotation = { 0, 0, 0, 1 } } },
        { abut_shape_capsule(0.05f, 2), { .position = { 0.1f, 0.9f, 0.2f }, .rotation = { 0.5f, 0, 0, 1 } } },
        { abut_shape_obb(1.9f, 1, 1.9f), { .position = { 0, 0.9f, 0 }, .rotation = { 0, 0, 0, 1 } } },
        { abut_shape_obb(1.9f, 1, 1.9f), { .position = { 0, 0.9f, 0 }, .rotation = { 0.2f, 0, 0.1f, 1 } } },
    };
    random_source random = random_start(5);
    things t;
    mesh_maker m = { 0 };
    mesh_field(&m, &random, 30, 30, 2.0, 2.0, 0.2, NULL, NULL);
    abut_geometry *mesh = mesh_made(&m);
    t.world = open_world(NULL);
    t.asker = ball(t.world, 100);
    add(t.world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
    for (uint32_t i = 0; i < COUNT(askers); ++i)
    {
        const abut_query_filter others = { .ignore = &t.asker, .ignore_count = 1 };
        uint32_t count;
        detect_asker(&t, &askers[i]);
        assert_int_equal(abut_world_collide_shape(t.world, &askers[i], 0, &others, found, MOST, &count), ABUT_OK);
        compare_with_contacts(&t, found, count);
        assert_true(i > 0 || count > 1000);
        assert_true(count > 0);
    }
    abut_world_destroy(t.world);
    abut_geometry_release(mesh);
}

static void answer_badly(void *context, const abut_pair_batch *pairs, abut_manifold *out)
{
    (void)context;
    for (uint32_t i = 0; i < pairs->count; ++i)
    {
        out[i] = (abut_manifold){ .normal = { 0, 9, 0 }, .separation = -1, .point_count = 1 };
    }
}

static void bad_input_is_answered(void **state)
{
    (void)state;
    error_note last = { 0 };
    abut_world *world = open_own_world(&(abut_world_def){ .on_error = note_error, .on_error_context = &last });
    mesh_maker m = { 0 };
    random_source random = random_start(5);
    mesh_field(&m, &random, 2, 2, 2.0, 2.0, 0.2, NULL, NULL);
    abut_geometry *mesh = mesh_made(&m);
    add(world, own_shape(OWN_CRATE, 1, 1, 1), 0, 0, 0, ABUT_STATIC);
    detect(world);
    abut_placed_shape asker = { abut_shape_sphere(1), abut_pose_identity() };
    abut_collision found[4] = { { .child = 77 } };
    abut_range ranges[2];
    uint64_t total = 99;
    uint32_t count = 99, wrong = 0;
    static const float bad_margins[] = { NAN, INFINITY, -1.0f, -INFINITY, 1e30f };
    for (uint32_t i = 0; i < COUNT(bad_margins); ++i, ++wrong)
    {
        assert_int_equal(abut_world_collide_shape(world, &asker, bad_margins[i], NULL, found, 4, &count),
                         ABUT_INVALID_ARGUMENT);
    }
    static const uint32_t bad_flags[] = { ABUT_QUERY_BOUNDS,     ABUT_QUERY_HOLLOW,       ABUT_QUERY_SKIP_INSIDE,
                                          ABUT_QUERY_BACK_FACES, ABUT_QUERY_SKIP_LEAVING, ABUT_QUERY_CHILDREN };
    for (uint32_t i = 0; i < COUNT(bad_flags); ++i, ++wrong)
    {
        const abut_query_filter filter = { .flags = bad_flags[i] };
        assert_int_equal(abut_world_collide_shape(world, &asker, 0, &filter, found, 4, &count), ABUT_INVALID_ARGUMENT);
    }
    abut_placed_shape bad[2] = { asker, asker };
    bad[1].shape = abut_shape_mesh(mesh);
    assert_int_equal(abut_world_collide_shape(world, &bad[1], 0, NULL, found, 4, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_collide_shape_many(world, bad, 2, 0, NULL, ranges, found, 4, &total),
                     ABUT_INVALID_ARGUMENT);
    assert_int_equal(last.index, 1);
    bad[1] = asker;
    bad[1].pose.position.y = NAN;
    assert_int_equal(abut_world_collide_shape(world, &bad[1], 0, NULL, found, 4, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_collide_shape(world, NULL, 0, NULL, found, 4, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_collide_shape(world, &asker, 0, NULL, NULL, 4, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_collide_shape(world, &asker, 0, NULL, found, 4, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_collide_shape_many(world, &asker, 1, 0, NULL, NULL, found, 4, &total),
                     ABUT_INVALID_ARGUMENT);
    assert_int_equal(last.times, wrong + 7);
    assert_int_equal(abut_world_collide_shape(NULL, &asker, 0, NULL, found, 4, &count), ABUT_INVALID_ARGUMENT);
    assert_true(count == 99 && total == 99 && found[0].child == 77);

    assert_int_equal(abut_world_collide_shape(world, &asker, 0, NULL, NULL, 0, &count), ABUT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(abut_world_collide_shape_many(world, NULL, 0, 0, NULL, NULL, NULL, 0, &total), ABUT_OK);
    assert_int_equal(total, 0);
    const uint32_t crate = ABUT_FIRST_KIND + OWN_CRATE, before = last.times;
    assert_int_equal(abut_world_set_pair_function(world, ABUT_SPHERE, crate, answer_badly, NULL), ABUT_OK);
    assert_int_equal(abut_world_collide_shape(world, &asker, 0, NULL, found, 4, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(last.times, before + 1);
    abut_world_destroy(world);
    abut_geometry_release(mesh);
}

// Whichever thread meets its own first.
static void the_first_invalid_manifold_of_a_batch_is_reported(void **state)
{
    (void)state;
    static abut_placed_shape askers[4000];
    static abut_range ranges[COUNT(askers)];
    error_note last = { 0 };
    abut_world *world =
        open_own_world(&(abut_world_def){ .threads = 4, .on_error = note_error, .on_error_context = &last });
    const uint32_t crate = ABUT_FIRST_KIND + OWN_CRATE;
    assert_int_equal(abut_world_set_pair_function(world, ABUT_SPHERE, crate, answer_badly, NULL), ABUT_OK);
    add(world, own_shape(OWN_CRATE, 1, 1, 1), 0, 0, 0, ABUT_STATIC);
    detect(world);
    for (uint32_t first = 0; first < COUNT(askers); first += 250)
    {
        for (uint32_t i = 0; i < COUNT(askers); ++i)
        {
            askers[i] = (abut_placed_shape){ abut_shape_sphere(1), abut_pose_identity() };
            askers[i].pose.position.y = i >= first && (i - first) % 125 == 0 ? 0.0f : 50.0f;
        }
        abut_collision found[64];
        uint64_t total;
        assert_int_equal(
            abut_world_collide_shape_many(world, askers, COUNT(askers), 0, NULL, ranges, found, 64, &total),
            ABUT_INVALID_ARGUMENT);
        assert_int_equal(last.index, first);
    }
    abut_world_destroy(world);
}

static void sensors_are_found_if_asked_for(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    abut_body body;
    const abut_body_def zone = { .collider = { .shape = abut_shape_sphere(1), .flags = ABUT_COLLIDER_SENSOR } };
    assert_int_equal(abut_body_create(world, &zone, &body), ABUT_OK);
    detect(world);
    const abut_placed_shape asker = { abut_shape_sphere(1),
                                      { .position = { 0, -1.5f, 0 }, .rotation = { 0, 0, 0, 1 } } };
    const abut_query_filter sensors = { .flags = ABUT_QUERY_SENSORS };
    abut_collision found;
    uint32_t count;
    assert_int_equal(abut_world_collide_shape(world, &asker, 0, NULL, &found, 1, &count), ABUT_OK);
    assert_int_equal(count, 0);
    assert_int_equal(abut_world_collide_shape(world, &asker, 0, &sensors, &found, 1, &count), ABUT_OK);
    assert_int_equal(count, 1);
    assert_true(found.manifold.normal.y == 1.0f && found.manifold.separation == -0.5f);
    assert_true(found.manifold.points[0].offset.y == 0.75f); // midway, from the shape that asks
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(manifolds_are_those_of_each_pair_by_itself),
        cmocka_unit_test(manifolds_are_those_of_a_detect),
        cmocka_unit_test(large_shapes_touch_many_triangles),
        cmocka_unit_test(bad_input_is_answered),
        cmocka_unit_test(the_first_invalid_manifold_of_a_batch_is_reported),
        cmocka_unit_test(sensors_are_found_if_asked_for),
    };
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
