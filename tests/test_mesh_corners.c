// Shapes that are wider than the triangles below them: each corner that is over one of these is a point, apart or deep,
// so that a solver does not turn them through the ground; thin ones are as deep as they are; one triangle has one
// contact.
#include "mesh_makers.h"

enum
{
    CASES = 3000,
    FIELDS = 6,
    RODS = 1500,
    CROSSINGS = 800,
    ROUGH = 8000,
    BESIDE_RIMS = 300
};

#define MARGIN 0.25
#define NEAR   2e-5 // metres: floats, and a hull's normals
#define BESIDE 1e-4 // metres along the ground

static abut_vec3 place_of(random_source *random, double height)
{
    const float x = (float)random_between(random, -1, 1), z = (float)random_between(random, -1, 1);
    return abut_vec3_make(x, (float)height, z);
}

typedef enum shape_kind
{
    CAPSULE,
    BOX,
    HULL,
    KINDS
} shape_kind;

// A shape of these half extents, of a capsule the radius and half the length along x, or that of a hull.
static abut_shape shape_of(shape_kind kind, const float half[3], abut_geometry **hull, abut_quat *turn)
{
    abut_vec3 corner[8];
    *hull = NULL;
    *turn = abut_quat_identity();
    if (kind == CAPSULE)
    {
        *turn = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), 1.57079633f);
        return abut_shape_capsule(half[1], half[0]);
    }
    if (kind == BOX)
    {
        return abut_shape_obb(half[0], half[1], half[2]);
    }
    for (int i = 0; i < 8; ++i)
    {
        corner[i] = abut_vec3_make(i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]);
    }
    assert_int_equal(abut_geometry_create_hull(corner, 8, 0, NULL, hull), ABUT_OK);
    return abut_shape_hull(*hull);
}

// What of the shape should be points, from its middle: ends of a capsule, corners of the face that looks down.
static uint32_t corners_of(shape_kind kind, const float half[3], dquat turn, dvec3 out[4])
{
    const double x = (double)half[0], y = (double)half[1], z = (double)half[2];
    const uint32_t count = kind == CAPSULE ? 2 : 4;
    for (uint32_t i = 0; i < count; ++i)
    {
        const dvec3 local =
            kind == CAPSULE ? dvec3_make(i ? x : -x, 0, 0) : dvec3_make(i & 1 ? x : -x, -y, i & 2 ? z : -z);
        out[i] = dquat_rotate(turn, local);
        out[i].y -= kind == CAPSULE ? y : 0;
    }
    return count;
}

static dquat narrowed(abut_quat q)
{
    return (dquat){ (double)q.w, (double)q.x, (double)q.y, (double)q.z };
}

// Contacts in order, each of a triangle of its own.
static void expect_children_once(abut_world *world)
{
    for (uint32_t i = 1; i < touching(world); ++i)
    {
        const abut_contact *last = contact_at(world, ABUT_AWAKE, i - 1), *contact = contact_at(world, ABUT_AWAKE, i);
        assert_true(last->b.slot != contact->b.slot || last->child < contact->child);
    }
}

static bool is_over(const abut_geometry *field, uint32_t triangle, dvec3 at)
{
    abut_vec3 corner[3];
    bool over = abut_geometry_mesh_triangle(field, triangle, corner);
    for (int k = 0; k < 3 && over; ++k)
    {
        const abut_vec3 *p = &corner[k], *q = &corner[(k + 1) % 3];
        over = ((double)q->z - (double)p->z) * (at.x - (double)p->x) -
                   ((double)q->x - (double)p->x) * (at.z - (double)p->z) >=
               -BESIDE;
    }
    return over;
}

// Whether a point stands for a corner; a triangle with as many points as there can be may leave one out.
static bool has_point(abut_world *world, const abut_geometry *field, dvec3 at)
{
    bool found = false;
    for (uint32_t i = 0; i < touching(world); ++i)
    {
        const abut_contact *contact = contact_at(world, ABUT_AWAKE, i);
        found = found || (contact->point_count == ABUT_CONTACT_POINTS && is_over(field, contact->child, at));
        for (uint32_t k = 0; k < contact->point_count; ++k)
        {
            const abut_vec3 place = abut_contact_position(world, contact, &contact->points[k]);
            found = found || (fabs((double)place.x - at.x) + fabs((double)place.z - at.z) <= BESIDE &&
                              fabs((double)contact->points[k].separation - at.y) <= NEAR);
        }
    }
    return found;
}

// Whether the ground above a corner that is below it, or next to it, is in the shape: what is lowest of a side that
// leans outward is beside the shape's cut with the ground.
static bool is_within(shape_kind kind, const float half[3], dquat turn, dvec3 from_middle)
{
    const dvec3 at = dquat_rotate(dquat_conjugate(turn), from_middle);
    return kind == CAPSULE || (fabs(at.x) < (double)half[0] - BESIDE && fabs(at.y) < (double)half[1] &&
                               fabs(at.z) < (double)half[2] - BESIDE);
}

static void judge_corners(abut_world *world, const abut_geometry *field, shape_kind kind, random_source *random)
{
    const float x = (float)random_between(random, 0.3, 0.6), y = (float)random_between(random, 0.1, 0.2),
                z = (float)random_between(random, 0.2, 0.6), half[3] = { x, y, z };
    const double by = random_between(random, 0.0, 6.28), lean = random_between(random, 0.02, 0.4);
    const dvec3 axis = kind == CAPSULE ? dvec3_make(0, 0, 1) : dvec3_make(cos(by), 0, sin(by));
    const abut_quat turn =
        random_narrow_rotation(dquat_mul(dquat_turn(dvec3_make(0, 1, 0), by), dquat_turn(axis, lean)));
    abut_quat laid;
    abut_geometry *hull;
    abut_body_def def = { .collider.shape = shape_of(kind, half, &hull, &laid) };
    dvec3 corner[4];
    const uint32_t corners = corners_of(kind, half, narrowed(turn), corner);
    double low = 0.0;
    for (uint32_t i = 0; i < corners; ++i)
    {
        low = fmin(low, corner[i].y);
    }
    const double height = fmax(random_between(random, -0.15, 0.2) - low, 0.03); // the middle stays above the ground
    def.pose.position = place_of(random, height);
    def.pose.rotation = abut_quat_mul(turn, laid);
    abut_body body;
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    detect(world);
    expect_sound(world);
    expect_children_once(world);
    for (uint32_t i = 0; i < touching(world); ++i)
    {
        assert_true(fabsf(contact_at(world, ABUT_AWAKE, i)->normal.y) > 0.9999f);
    }
    for (uint32_t i = 0; i < corners; ++i)
    {
        const dvec3 at = { (double)def.pose.position.x + corner[i].x, (double)def.pose.position.y + corner[i].y,
                           (double)def.pose.position.z + corner[i].z };
        const dvec3 above = dvec3_make(corner[i].x, -(double)def.pose.position.y, corner[i].z);
        const bool counts = at.y > -BESIDE || is_within(kind, half, narrowed(turn), above);
        assert_true(at.y > MARGIN - NEAR || !counts || has_point(world, field, at));
    }
    assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
    abut_geometry_release(hull);
}

// Ground in triangles of about this width.
static abut_geometry *field_of(random_source *random, double width, mesh_height *height, bool two_sided)
{
    mesh_maker m = { 0 };
    const uint32_t count = (uint32_t)(4.0 / width) + 1;
    abut_geometry *geometry;
    mesh_field(&m, random, count, count, 2.0, 2.0, 0.3, height, random);
    abut_mesh_def def = mesh_def_of(&m);
    def.two_sided = two_sided;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &geometry), ABUT_OK);
    mesh_maker_close(&m);
    return geometry;
}

static void every_corner_over_the_ground_is_a_point(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(CASES);
    for (int f = 0; f < FIELDS; ++f)
    {
        random_source layout = random_start((uint64_t)f);
        abut_geometry *field = field_of(&layout, 0.1 * (double)(f + 1), NULL, f % 2 != 0);
        abut_world *world = open_world(&(abut_world_def){ .margin = (float)MARGIN });
        add(world, abut_shape_mesh(field), 0, 0, 0, ABUT_STATIC);
        for (uint64_t seed = seeds.first + (uint64_t)f; seed < seeds.end; seed += FIELDS)
        {
            random_source random = random_start(seed);
            judge_corners(world, field, (shape_kind)(seed / FIELDS % KINDS), &random);
        }
        abut_world_destroy(world);
        abut_geometry_release(field);
    }
}

// Rods that stand in the ground, by more than seven tenths of how deep their lowest point is.
static void thin_rods_are_as_deep_as_they_are(void **state)
{
    (void)state;
    random_source layout = random_start(7);
    abut_geometry *field = field_of(&layout, 0.5, NULL, false);
    abut_world *world = open_world(NULL);
    add(world, abut_shape_mesh(field), 0, 0, 0, ABUT_STATIC);
    const random_seeds seeds = random_seeds_of(RODS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const float thin = (float)random_between(&random, 0.002, 0.01), half[3] = { 0.5f, thin, thin };
        const double by = random_between(&random, 0.0, 6.28), lean = random_between(&random, 0.7, 1.5);
        const abut_quat turn = random_narrow_rotation(
            dquat_mul(dquat_turn(dvec3_make(0, 1, 0), by), dquat_turn(dvec3_make(0, 0, 1), lean)));
        const double deep = random_between(&random, 0.02, 0.15), rise = 0.5 * sin(lean) - deep;
        abut_quat laid;
        abut_geometry *hull;
        abut_body_def def = { .collider.shape = shape_of((shape_kind)(seed % KINDS), half, &hull, &laid) };
        def.pose.position = place_of(&random, rise);
        def.pose.rotation = abut_quat_mul(turn, laid);
        abut_body body;
        float told = 0.0f;
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        detect(world);
        for (uint32_t i = 0; i < touching(world); ++i)
        {
            const abut_contact *contact = contact_at(world, ABUT_AWAKE, i);
            told = contact->separation < told ? contact->separation : told;
            assert_true(fabsf(contact->normal.y) > 0.9999f);
        }
        assert_true((double)told < -0.7 * deep);
        assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
        abut_geometry_release(hull);
    }
    abut_world_destroy(world);
    abut_geometry_release(field);
}

// A capsule without a radius that goes through the ground touches it, without any margin.
static void segments_that_cross_the_ground_touch_it(void **state)
{
    (void)state;
    random_source layout = random_start(8);
    abut_geometry *field = field_of(&layout, 0.7, NULL, false);
    abut_world *world = open_world(NULL);
    add(world, abut_shape_mesh(field), 0, 0, 0, ABUT_STATIC);
    const random_seeds seeds = random_seeds_of(CROSSINGS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double lean = random_between(&random, -0.8, 0.8), half = random_between(&random, 0.2, 0.6);
        const double height = half * cos(lean) * random_between(&random, 0.1, 0.9);
        const abut_pose pose = {
            .position = place_of(&random, height),
            .rotation = random_narrow_rotation(dquat_turn(dvec3_make(0, 0, 1), lean)),
        };
        const abut_body_def def = { .pose = pose, .collider.shape = abut_shape_capsule(0, (float)half) };
        abut_body body;
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        detect(world);
        assert_true(touching(world) > 0);
        assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
    }
    abut_world_destroy(world);
    abut_geometry_release(field);
}

static double roof(void *context, double x, double z)
{
    (void)context;
    (void)z;
    return -0.1 * fabs(x);
}

// A plank that comes down across a ridge, a little off its middle: its ends are points, too.
static void ends_beside_a_ridge_are_points(void **state)
{
    (void)state;
    for (int kind = BOX; kind < KINDS; ++kind)
    {
        mesh_maker m = { 0 };
        random_source random = random_start(3);
        mesh_field(&m, &random, 4, 4, 2.0, 2.0, 0.0, roof, NULL);
        abut_geometry *field = mesh_made(&m), *hull;
        abut_world *world = open_world(&(abut_world_def){ .margin = (float)MARGIN });
        add(world, abut_shape_mesh(field), 0, 0, 0, ABUT_STATIC);
        abut_quat laid;
        const float half[3] = { 0.6f, 0.1f, 0.3f };
        abut_body_def def = { .collider.shape = shape_of((shape_kind)kind, half, &hull, &laid) };
        def.pose.position = abut_vec3_make(0.1f, 0.13f, 0.07f);
        def.pose.rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), 0.02f);
        abut_body body;
        float least = 0.0f, most = 0.0f;
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        detect(world);
        expect_sound(world);
        for (uint32_t i = 0; i < touching(world); ++i)
        {
            const abut_contact *contact = contact_at(world, ABUT_AWAKE, i);
            for (uint32_t k = 0; k < contact->point_count; ++k)
            {
                const float x = abut_contact_position(world, contact, &contact->points[k]).x;
                least = x < least ? x : least;
                most = x > most ? x : most;
                assert_true(contact->points[k].separation >= contact->separation);
            }
        }
        assert_true(least < -0.45f && most > 0.65f);
        abut_world_destroy(world);
        abut_geometry_release(field);
        abut_geometry_release(hull);
    }
}

static double rough(void *context, double x, double z)
{
    (void)x;
    (void)z;
    return random_between(context, -0.3, 0.3);
}

static void a_triangle_has_one_contact(void **state)
{
    (void)state;
    random_source layout = random_start(11);
    abut_geometry *field = field_of(&layout, 0.6, rough, true);
    abut_world *world = open_world(&(abut_world_def){ .margin = 0.05f });
    add(world, abut_shape_mesh(field), 0, 0, 0, ABUT_STATIC);
    const random_seeds seeds = random_seeds_of(ROUGH);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const float x = (float)random_between(&random, 0.1, 0.8), y = (float)random_between(&random, 0.1, 0.8),
                    z = (float)random_between(&random, 0.1, 0.8), half[3] = { x, y, z };
        abut_quat laid;
        abut_geometry *hull;
        abut_body_def def = { .collider.shape = shape_of((shape_kind)(seed % KINDS), half, &hull, &laid) };
        const double height = random_between(&random, -1, 1);
        def.pose.position = place_of(&random, height);
        def.pose.rotation = random_narrow_rotation(random_rotation(&random));
        def.velocity.linear = abut_vec3_make(0, (float)random_between(&random, -4, 4), 0);
        abut_body body;
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        assert_int_equal(abut_world_detect(world, 0.03f), ABUT_OK);
        expect_sound(world);
        expect_children_once(world);
        assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
        abut_geometry_release(hull);
    }
    abut_world_destroy(world);
    abut_geometry_release(field);
}

// A block of these half extents, each face in count by count cells.
static abut_geometry *block_of(const double half[3], uint32_t count)
{
    mesh_maker m = { 0 };
    for (uint32_t face = 0; face < 6; ++face)
    {
        const uint32_t k = face / 2, u = (k + 1) % 3, v = (k + 2) % 3, first = m.vertex_count;
        for (uint32_t i = 0; i < (count + 1) * (count + 1); ++i)
        {
            double at[3];
            at[k] = face & 1 ? half[k] : -half[k];
            at[u] = half[u] * (2.0 * (i % (count + 1)) / count - 1.0);
            at[v] = half[v] * (2.0 * (i / (count + 1)) / count - 1.0);
            (void)mesh_vertex(&m, at[0], at[1], at[2]);
        }
        for (uint32_t i = 0; i < count * count; ++i)
        {
            const uint32_t a = first + i / count * (count + 1) + i % count, b = a + 1, d = a + count + 1, c = d + 1;
            mesh_quad(&m, a, face & 1 ? b : d, c, face & 1 ? d : b, false);
        }
    }
    return mesh_made(&m);
}

#define TALL 1.0   // half a box
#define TOP  0.05  // of a table: half its thickness, too
#define LOW  -0.65 // where a box's bottom is: 0.7 below the top

// A tall box that is in the side of a table by a little comes out there. Its corners are far below the table's top, and
// over it.
static void what_is_beside_a_rim_is_not_thrown_up(void **state)
{
    (void)state;
    const uint32_t counts[4] = { 100, 40, 20, 10 };
    const double table[3] = { 1.0, TOP, 1.0 };
    const random_seeds seeds = random_seeds_of(BESIDE_RIMS);
    for (int i = 0; i < 4; ++i)
    {
        abut_geometry *mesh = block_of(table, counts[i]);
        abut_world *world = open_world(NULL);
        add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
        for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
        {
            random_source random = random_start(seed);
            const float x = (float)random_between(&random, 0.15, 0.4), z = (float)random_between(&random, 0.15, 0.4),
                        half[3] = { x, (float)TALL, z };
            const double yaw = random_chance(&random, 0.5) ? 0.0 : random_between(&random, 0.0, 6.28),
                         in = random_between(&random, 0.005, 0.05),
                         reach = fabs(cos(yaw)) * (double)x + fabs(sin(yaw)) * (double)z;
            abut_quat laid;
            abut_geometry *hull;
            abut_body_def def = { .collider.shape = shape_of(seed % 2 ? BOX : HULL, half, &hull, &laid) };
            def.pose.position = abut_vec3_make((float)(in - 1.0 - reach), (float)(LOW + TALL),
                                               (float)random_between(&random, -0.5, 0.5));
            def.pose.rotation = random_narrow_rotation(dquat_turn(dvec3_make(0, 1, 0), yaw));
            abut_body body;
            assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
            detect(world);
            expect_sound(world);
            assert_true(touching(world) > 0);
            for (uint32_t k = 0; k < touching(world); ++k)
            {
                assert_true((double)contact_at(world, ABUT_AWAKE, k)->separation > -10.0 * in);
            }
            assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
            abut_geometry_release(hull);
        }
        abut_world_destroy(world);
        abut_geometry_release(mesh);
    }
}

// A box that lies on one side of a gentle ridge, apart or not by rounding, and reaches over it. Its far end is below the
// plane of the other side, where that is not.
static void what_rests_beside_a_ridge_is_left_alone(void **state)
{
    (void)state;
    enum
    {
        SIDE = 8,
        HEIGHTS = 1000
    };
    mesh_maker m = { 0 };
    const double wide = 14.319423102285725, slope = 0.07050347116248977;
    for (uint32_t i = 0; i < (SIDE + 1) * (SIDE + 1); ++i)
    {
        const double x = wide * ((i % (SIDE + 1)) / (double)SIDE - 0.5),
                     z = wide * ((i / (SIDE + 1)) / (double)SIDE - 0.5);
        (void)mesh_vertex(&m, x, -fabs(x) * slope, z);
    }
    for (uint32_t i = 0; i < SIDE * SIDE; ++i)
    {
        const uint32_t a = i / SIDE * (SIDE + 1) + i % SIDE, b = a + 1, d = a + SIDE + 1, c = d + 1;
        mesh_triangle(&m, a, d, b);
        mesh_triangle(&m, b, d, c);
    }
    abut_geometry *mesh = mesh_made(&m);
    abut_world *world = open_world(&(abut_world_def){ .margin = 0.01f });
    add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
    abut_body_def def = { .pose = { .position = { -0.182477385f, 0.282811254f, 4.63604592e-05f },
                                    .rotation = { -0.0112845059f, 0.320509315f, -0.0333276279f, -0.946591616f } },
                          .collider.shape = abut_shape_obb(1.36281726f, 0.29494442f, 1.12230957f) };
    abut_body body;
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    for (int i = -HEIGHTS; i <= HEIGHTS; ++i)
    {
        abut_pose pose = def.pose;
        pose.position.y += (float)i * 2e-8f;
        assert_int_equal(abut_body_set_pose(world, body, &pose), ABUT_OK);
        detect(world);
        assert_true(touching(world) > 0);
        for (uint32_t k = 0; k < touching(world); ++k)
        {
            assert_true(contact_at(world, ABUT_AWAKE, k)->separation > -1e-4f);
        }
    }
    abut_world_destroy(world);
    abut_geometry_release(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_beside_a_rim_is_not_thrown_up),
        cmocka_unit_test(what_rests_beside_a_ridge_is_left_alone),
        cmocka_unit_test(every_corner_over_the_ground_is_a_point),
        cmocka_unit_test(thin_rods_are_as_deep_as_they_are),
        cmocka_unit_test(segments_that_cross_the_ground_touch_it),
        cmocka_unit_test(ends_beside_a_ridge_are_points),
        cmocka_unit_test(a_triangle_has_one_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
