// Custom kinds of shape in the plane: circles, rectangles and capsules known only by their support functions, judged by
// the 2D referee, and a world of them beside the same world of built-in shapes.
#include "own_world.h"
#include "stock_2d.h"

#include <stdio.h>

static abut_shape twin_2d(const abut_shape *shape, bool rounded)
{
    return shape->kind == ABUT_POLYGON ? *shape : own_twin(shape, rounded);
}

static bool is_custom_pair(const abut_pair_list *list)
{
    return list->shapes[0].kind == ABUT_CUSTOM || list->shapes[1].kind == ABUT_CUSTOM;
}

// By distance, also of two rectangles: -1 apart, 1 touching, 0 too near to say.
static int decide(double separation, double margin, double size)
{
    return fabs(separation - margin) <= PLANE_BAND * size ? 0 : separation < margin ? 1 : -1;
}

static void custom_shapes_collide_in_the_plane_as_the_referee_says(void **state)
{
    (void)state;
    uint32_t faults = 0, touching = 0;
    const random_seeds seeds = random_seeds_of(60000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed + 77000000u);
        const abut_shape_kind kind_a = random_kind_2d(&random), kind_b = random_kind_2d(&random);
        const pair_2d p = random_pair_2d(&random, &stock, kind_a, kind_b);
        const uint32_t custom = 1 + random_below(&random, 3);
        const abut_shape shapes[] = { custom & 1 ? twin_2d(&p.a, true) : p.a, custom & 2 ? twin_2d(&p.b, true) : p.b };
        abut_pose poses[] = { p.pose_a, p.pose_b };
        for (int k = 0; k < 2; ++k)
        { // a twin of an aligned rectangle turns
            const abut_shape *built_in = k == 0 ? &p.a : &p.b;
            poses[k].rotation = built_in->kind == ABUT_AABB ? abut_quat_identity() : poses[k].rotation;
        }
        const uint32_t first = 0, second = 1;
        const abut_pair_list list = { shapes, poses, 2, 1, &first, &second, own_kind, OWN_KINDS };
        const solid_2d a = solid_2d_of(&p.a, &poses[0], NULL), b = solid_2d_of(&p.b, &poses[1], NULL);
        const dvec2 origin = { (double)poses[0].position.x, (double)poses[0].position.y };
        abut_manifold m;
        bool overlapping;
        char why[PLANE_WHY];
        if (!is_custom_pair(&list))
        {
            continue;
        }
        assert_int_equal(abut_collide_2d_many(&list, p.margin, &m), ABUT_OK);
        assert_int_equal(abut_overlap_2d_many(&list, &overlapping), ABUT_OK);
        const contact_2d contact = collide_2d(&a, &b);
        const double along = separation_along_2d(&a, &b, (dvec2){ (double)m.normal.x, (double)m.normal.y });
        const double way = contact.depth > 0.0 ? -contact.depth : contact.distance;
        const int touch = decide(way, (double)p.margin, contact.size), overlap = decide(way, 0.0, contact.size);
        why[0] = '\0';
        if ((touch > 0) != (m.point_count > 0) && touch != 0)
        {
            snprintf(why, sizeof why, "%u points, depth %g, distance %g, margin %g, size %g", m.point_count,
                     contact.depth, contact.distance, (double)p.margin, contact.size);
        }
        else if ((overlap > 0) != overlapping && overlap != 0)
        {
            snprintf(why, sizeof why, "overlap");
        }
        else if (m.point_count > 0 && !(fabs((double)m.separation - way) <= PLANE_EXACT * contact.size &&
                                        fabs(along - way) <= 2.0 * PLANE_EXACT * contact.size))
        {
            snprintf(why, sizeof why, "separation %g, along the normal %g, should be %g of %g", (double)m.separation,
                     along, way, contact.size);
        }
        for (uint32_t k = 0; !why[0] && k < m.point_count; ++k)
        {
            const abut_vec3 at = m.points[k].offset;
            const dvec2 point = { origin.x + (double)at.x, origin.y + (double)at.y };
            const double off_a = point_distance_2d(&a, point), off_b = point_distance_2d(&b, point);
            const double most = fmax(fabs(way), 0.0) + (double)p.margin + 5e-3 * contact.size;
            if (at.z != 0.0f || off_a > most || off_b > most)
            {
                snprintf(why, sizeof why, "point %u is %g and %g away", k, off_a, off_b);
            }
        }
        if (why[0] && ++faults <= 10)
        {
            print_error("seed %llu, layout %d, %s and %s, custom %u: %s\n", (unsigned long long)seed, (int)p.layout,
                        abut_shape_kind_name(p.a.kind), abut_shape_kind_name(p.b.kind), custom, why);
        }
        touching += m.point_count > 0;
    }
    assert_int_equal(faults, 0);
    assert_true(touching > 20000 || !random_seeds_all());
}

// Crates and rounds that fall through each other: in the one world built in, in the other custom.
static abut_world *crowd_2d(bool custom, abut_broad_kind broad)
{
    abut_world *world = open_own_world(&(abut_world_def){ .dimension = 2, .broad = broad });
    random_source random = random_start(5);
    for (int i = 0; i < 200; ++i)
    {
        const abut_shape_kind kind = i % 3 == 0 ? ABUT_SPHERE : i % 3 == 1 ? ABUT_OBB : ABUT_CAPSULE;
        const abut_shape shape = random_shape_2d(&random, &stock, kind, 0.7);
        const float x = (float)random_between(&random, -6, 6), y = (float)random_between(&random, -6, 6);
        const abut_body_def def = {
            .motion = i % 5 == 0 ? ABUT_STATIC : ABUT_DYNAMIC,
            .pose = abut_pose_2d(x, y, (float)random_between(&random, -3, 3)),
            .velocity.linear = abut_vec3_make((float)random_between(&random, -2, 2), 1.0f, 0.0f),
            .velocity.angular = abut_vec3_make(0.0f, 0.0f, (float)random_between(&random, -2, 2)),
            .collider.shape = custom ? own_twin(&shape, true) : shape,
        };
        abut_body body;
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    return world;
}

// Contacts of the one that the other has not, of those deeper than rounding. Depths may differ by the preference of
// rectangles for the side of before.
static uint32_t missing(abut_world *in, abut_world *from)
{
    const abut_contacts a = abut_world_contacts(in, ABUT_AWAKE), b = abut_world_contacts(from, ABUT_AWAKE);
    uint32_t count = 0;
    for (uint32_t i = 0; i < b.count; ++i)
    {
        const abut_contact *wanted = abut_contact_at(&b, i);
        bool found = wanted->separation > -1e-5f;
        for (uint32_t k = 0; k < a.count && !found; ++k)
        {
            const abut_contact *there = abut_contact_at(&a, k);
            found = there->a.slot == wanted->a.slot && there->b.slot == wanted->b.slot &&
                    fabsf(there->separation - wanted->separation) <= 1e-3f;
        }
        count += !found;
    }
    return count;
}

static void worlds_of_custom_shapes_have_the_contacts_of_built_in_ones(void **state)
{
    (void)state;
    abut_world *built_in = crowd_2d(false, ABUT_BROAD_BVH), *custom = crowd_2d(true, ABUT_BROAD_BVH);
    abut_world *grid = crowd_2d(true, ABUT_BROAD_GRID);
    uint32_t contacts = 0;
    for (int frame = 0; frame < 40; ++frame)
    {
        assert_int_equal(abut_world_step(built_in, 0.05f), ABUT_OK);
        assert_int_equal(abut_world_step(custom, 0.05f), ABUT_OK);
        assert_int_equal(abut_world_step(grid, 0.05f), ABUT_OK);
        assert_int_equal(missing(built_in, custom), 0);
        assert_int_equal(missing(custom, built_in), 0);
        assert_true(abut_world_hash(custom) == abut_world_hash(grid));
        contacts += abut_world_contacts(custom, ABUT_AWAKE).count;
    }
    assert_true(contacts > 1000);
    for (int k = 0; k < 200; ++k)
    {
        random_source random = random_start(900 + (uint64_t)k);
        const abut_ray ray = { abut_vec3_make((float)random_between(&random, -9, 9), -9.0f, 0.0f),
                               abut_vec3_make((float)random_between(&random, -9, 9), 18.0f, 0.0f) };
        abut_hit one, other;
        assert_int_equal(abut_world_ray_closest(built_in, &ray, NULL, &one), ABUT_OK);
        assert_int_equal(abut_world_ray_closest(custom, &ray, NULL, &other), ABUT_OK);
        assert_true(fabsf(one.fraction - other.fraction) <= 1e-5f);
    }
    abut_world_destroy(built_in);
    abut_world_destroy(custom);
    abut_world_destroy(grid);
}

static void leaning_manifold(void *context, const abut_pair_batch *pairs, abut_manifold *out)
{
    for (uint32_t i = 0; i < pairs->count; ++i)
    {
        out[i] = *(const abut_manifold *)context;
    }
}

static void manifolds_of_pair_functions_lie_in_the_plane(void **state)
{
    (void)state;
    abut_world *world = open_own_world(&(abut_world_def){ .dimension = 2 });
    const uint32_t crate = ABUT_FIRST_KIND + OWN_CRATE;
    const abut_manifold flat = { { 0, 1, 0 }, -0.5f, 1, { { { 0, 0.5f, 0 }, -0.5f, 3 } } };
    abut_manifold answer = flat;
    abut_body body;
    for (int i = 0; i < 2; ++i)
    {
        const abut_body_def def = { .pose = abut_pose_2d((float)i, 0, 0),
                                    .collider.shape = own_shape(OWN_CRATE, 1, 1, 1) };
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    assert_int_equal(abut_world_set_pair_function(world, crate, crate, leaning_manifold, &answer), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 1);
    answer.normal = (abut_vec3){ 0.0f, 0.6f, 0.8f };
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_INVALID_ARGUMENT);
    answer = flat;
    answer.points[0].offset.z = 0.1f;
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_INVALID_ARGUMENT);
    answer = flat;
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    abut_world_destroy(world);
}

// A ball that counts the directions it is asked for, and those without any length.
typedef struct asked
{
    uint32_t all, none;
} asked;

static void counting_support(void *context, const void *data, const double direction[3], double out[3])
{
    asked *a = context;
    const bool none = direction[0] == 0.0 && direction[1] == 0.0 && direction[2] == 0.0;
    const double some[3] = { 1.0, 0.0, 0.0 };
    ++a->all;
    a->none += none;
    own_ball_support(NULL, data, none ? some : direction, out);
}

static void supports_are_asked_for_directions_in_the_plane(void **state)
{
    (void)state;
    asked a = { 0 };
    const own_size size = { 1, 1, 1 };
    const abut_kind_def def = { .context = &a, .bounds = own_bounds, .support = counting_support };
    const abut_vec2 points[3] = { { 5, 0 }, { 0, 0 }, { -5, 1 } };
    const abut_chain_def ground = { .points = points, .point_count = 3 };
    abut_world *world;
    abut_geometry *chain;
    abut_body body;
    uint32_t id;
    assert_int_equal(abut_world_create(&(abut_world_def){ .dimension = 2, .margin = 0.01f }, &world), ABUT_OK);
    assert_int_equal(abut_world_register_kind(world, &def, &id), ABUT_OK);
    assert_int_equal(abut_geometry_create_chain(&ground, NULL, &chain), ABUT_OK);
    abut_body_def floor = { .motion = ABUT_STATIC }, ball = { .pose = abut_pose_2d(1, 0.9f, 0.5f) };
    floor.collider.shape = abut_shape_chain(chain);
    ball.collider.shape = abut_shape_custom(id, &size, sizeof size);
    assert_int_equal(abut_body_create(world, &floor, &body), ABUT_OK);
    assert_int_equal(abut_body_create(world, &ball, &body), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
    assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 1);
    const abut_cast cast = { .shape = ball.collider.shape,
                             .pose = abut_pose_2d(-3, 3, 0.2f),
                             .translation = { 2, -3, 0 } };
    const abut_placed_shape placed = { ball.collider.shape, abut_pose_2d(3, 1.5f, 0) };
    abut_hit hit;
    abut_near near;
    uint32_t count;
    assert_int_equal(abut_world_cast_closest(world, &cast, NULL, &hit), ABUT_OK);
    assert_int_equal(abut_world_nearest_shape(world, &placed, 10, NULL, &near, 1, &count), ABUT_OK);
    assert_true(a.all > 50);
    assert_int_equal(a.none, 0);
    abut_world_destroy(world);
    abut_geometry_release(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(custom_shapes_collide_in_the_plane_as_the_referee_says),
        cmocka_unit_test(worlds_of_custom_shapes_have_the_contacts_of_built_in_ones),
        cmocka_unit_test(manifolds_of_pair_functions_lie_in_the_plane),
        cmocka_unit_test(supports_are_asked_for_directions_in_the_plane),
    };
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
