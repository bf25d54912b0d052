// The points of contacts with a triangle, and of hulls and capsules with solids: every corner of the face that looks
// down, and both ends of a capsule, that are over it and within the margin, however the shape leans. Heights are computed
// in double precision.
#include "mesh_makers.h"

enum
{
    CASES = 4000
};

#define MARGIN 0.25
#define NEAR   2e-5 // metres: floats, and a hull's normals

typedef enum shape_kind
{
    CAPSULE,
    BOX,
    HULL,
    KINDS
} shape_kind;

// Half extents of a box, or of a capsule its radius and half its length along y.
typedef struct body_size
{
    double x, y, z;
} body_size;

static abut_geometry *two_triangles(void)
{
    mesh_maker m = { 0 };
    const uint32_t a = mesh_vertex(&m, -50, 0, -50), b = mesh_vertex(&m, -50, 0, 50), c = mesh_vertex(&m, 50, 0, 50),
                   d = mesh_vertex(&m, 50, 0, -50);
    mesh_quad(&m, a, b, c, d, false);
    return mesh_made(&m);
}

// What should be a point: where it is from the shape's middle, turned.
static uint32_t corners_of(shape_kind kind, body_size size, dquat turn, dvec3 out[4])
{
    if (kind == CAPSULE)
    {
        for (int i = 0; i < 2; ++i)
        {
            out[i] = dquat_rotate(turn, dvec3_make(0, i == 0 ? size.y : -size.y, 0));
            out[i].y -= size.x;
        }
        return 2;
    }
    for (int i = 0; i < 4; ++i)
    {
        out[i] = dquat_rotate(turn, dvec3_make(i & 1 ? size.x : -size.x, -size.y, i & 2 ? size.z : -size.z));
    }
    return 4;
}

static abut_shape shape_of(shape_kind kind, body_size size, abut_geometry **hull)
{
    const float x = (float)size.x, y = (float)size.y, z = (float)size.z;
    *hull = NULL;
    if (kind == CAPSULE)
    {
        return abut_shape_capsule(x, y);
    }
    if (kind == BOX)
    {
        return abut_shape_obb(x, y, z);
    }
    abut_vec3 corner[8];
    for (int i = 0; i < 8; ++i)
    {
        corner[i] = abut_vec3_make(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    }
    assert_int_equal(abut_geometry_create_hull(corner, 8, 0, NULL, hull), ABUT_OK);
    return abut_shape_hull(*hull);
}

// Between `height` and `less` below that.
static bool has_separation(const abut_contact *contact, double height, double less)
{
    bool found = false;
    for (uint32_t i = 0; i < contact->point_count; ++i)
    {
        const double here = (double)contact->points[i].separation;
        found = found || (here >= height - less - NEAR && here <= height + NEAR);
    }
    return found;
}

static void judge(abut_world *world, shape_kind kind, random_source *random)
{
    body_size size = { random_between(random, 0.1, 0.4), random_between(random, 0.1, 0.4),
                       random_between(random, 0.1, 0.4) };
    size = (body_size){ (double)(float)size.x, (double)(float)size.y, (double)(float)size.z };
    // by up to 30 degrees, of a capsule after it was laid down
    const double by = random_between(random, 0.0, 2.0 * 3.14159265358979), lean = random_between(random, 0.0, 0.5);
    const dquat first =
        kind == CAPSULE ? dquat_turn(dvec3_make(0, 0, 1), 0.5 * 3.14159265358979) : dquat_turn(dvec3_make(0, 1, 0), by);
    const dvec3 axis = kind == CAPSULE ? dvec3_make(0, 0, 1) : dvec3_make(cos(by), 0, sin(by));
    const abut_quat turn = abut_quat_normalise(random_narrow_rotation(dquat_mul(dquat_turn(axis, lean), first)));
    const dquat turned = { (double)turn.w, (double)turn.x, (double)turn.y, (double)turn.z };
    dvec3 corner[4];
    abut_geometry *hull;
    const abut_shape shape = shape_of(kind, size, &hull);
    const uint32_t corners = corners_of(kind, size, turned, corner);
    double low = HUGE_VAL;
    for (uint32_t i = 0; i < corners; ++i)
    {
        low = fmin(low, corner[i].y);
    }
    // well over one of the triangles
    const float height = (float)(random_between(random, -0.08, 0.2) - low);
    const abut_body_def def = { .pose = { .position = { -10, height, 10 }, .rotation = turn },
                                .collider.shape = shape };
    abut_body body;
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    detect(world);
    expect_sound(world);
    assert_int_equal(touching(world), 1);
    const abut_contact *contact = contact_at(world, ABUT_AWAKE, 0);
    assert_true(fabsf(contact->normal.y) > 0.9999f);
    for (uint32_t i = 0; i < corners; ++i)
    {
        const double over = (double)height + corner[i].y;
        // straight below the middle of its higher end a capsule's side is a little lower than its cap
        const double lower = kind == CAPSULE ? size.x * (1.0 / cos(lean) - 1.0) : 0.0;
        assert_true(over > MARGIN - NEAR || has_separation(contact, over, lower));
    }
    assert_true(has_separation(contact, (double)contact->separation, 0.0));
    for (uint32_t i = 1; i < contact->point_count; ++i)
    {
        for (uint32_t k = 0; k < i; ++k)
        {
            assert_int_not_equal(contact->points[i].feature, contact->points[k].feature);
        }
    }
    assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
    abut_geometry_release(hull);
}

static void the_higher_corners_are_points_too(void **state)
{
    (void)state;
    abut_geometry *floor = two_triangles();
    abut_world *world = open_world(&(abut_world_def){ .margin = (float)MARGIN });
    add(world, abut_shape_mesh(floor), 0, 0, 0, ABUT_STATIC);
    const random_seeds seeds = random_seeds_of(CASES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        judge(world, (shape_kind)(seed % KINDS), &random);
    }
    abut_world_destroy(world);
    abut_geometry_release(floor);
}

// A pencil with points at both ends, nearly level: its higher tip is no part of the face that lies lowest, and is a point
// all the same.
static void far_tips_are_points(void **state)
{
    (void)state;
    abut_geometry *floor = two_triangles(), *pencil = NULL;
    abut_vec3 corner[18] = { { -0.5f, 0, 0 }, { 0.5f, 0, 0 } };
    for (int i = 0; i < 16; ++i)
    {
        const double angle = 0.25 * 3.14159265358979 * i;
        corner[2 + i] = abut_vec3_make(i < 8 ? -0.3f : 0.3f, (float)(0.06 * cos(angle)), (float)(0.06 * sin(angle)));
    }
    assert_int_equal(abut_geometry_create_hull(corner, COUNT(corner), 0, NULL, &pencil), ABUT_OK);
    abut_world *world = open_world(&(abut_world_def){ .margin = (float)MARGIN });
    add(world, abut_shape_mesh(floor), 0, 0, 0, ABUT_STATIC);
    const abut_body body = add(world, abut_shape_hull(pencil), -10, 1, 10, ABUT_DYNAMIC);
    const random_seeds seeds = random_seeds_of(CASES / 4);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const dquat lean = dquat_turn(dvec3_make(0, 0, 1), random_between(&random, 0.02, 0.2));
        const dquat turn = dquat_mul(dquat_turn(dvec3_make(0, 1, 0), random_between(&random, 0.0, 6.28)), lean);
        double low = HUGE_VAL;
        for (size_t i = 0; i < COUNT(corner); ++i)
        {
            const abut_vec3 v = corner[i];
            low = fmin(low, dquat_rotate(turn, dvec3_make((double)v.x, (double)v.y, (double)v.z)).y);
        }
        const double height = random_between(&random, 0.0, 0.01) - low;
        const double tip = height + dquat_rotate(turn, dvec3_make(0.5, 0, 0)).y;
        const abut_pose pose = { .position = { -10, (float)height, 10 }, .rotation = random_narrow_rotation(turn) };
        assert_int_equal(abut_body_set_pose(world, body, &pose), ABUT_OK);
        detect(world);
        const abut_contact *contact = contact_at(world, ABUT_AWAKE, 0);
        assert_true(has_separation(contact, height + low, 0.0));
        assert_true(tip > MARGIN - NEAR || has_separation(contact, tip, 0.0));
    }
    abut_world_destroy(world);
    abut_geometry_release(floor);
    abut_geometry_release(pencil);
}

// Hulls and capsules over a floor that is a box, or a hull, apart or not.
static void those_over_solids_are_points_too(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(CASES / 4);
    for (int i = 0; i < 3; ++i)
    {
        abut_geometry *block = NULL;
        const body_size size = { 50, 1, 50 };
        const abut_shape floor = i == 0   ? abut_shape_aabb(50, 1, 50)
                                 : i == 1 ? abut_shape_obb(50, 1, 50)
                                          : shape_of(HULL, size, &block);
        abut_world *world = open_world(&(abut_world_def){ .margin = (float)MARGIN });
        add(world, floor, 0, -1, 0, ABUT_STATIC);
        for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
        {
            random_source random = random_start(seed);
            judge(world, seed % 2 ? HULL : CAPSULE, &random);
        }
        abut_world_destroy(world);
        abut_geometry_release(block);
    }
}

// A box rocks about its level: a corner keeps its name, whether it is the lowest or not.
static void corners_keep_their_names(void **state)
{
    (void)state;
    abut_geometry *floor = two_triangles();
    abut_world *world = open_world(&(abut_world_def){ .margin = (float)MARGIN });
    add(world, abut_shape_mesh(floor), 0, 0, 0, ABUT_STATIC);
    const abut_body body = add(world, abut_shape_obb(0.3f, 0.2f, 0.25f), -10, 0.2f, 10, ABUT_DYNAMIC);
    uint32_t feature[2][2];
    for (int i = 0; i < 2; ++i)
    {
        const double lean = i == 0 ? 0.1 : -0.1;
        const dquat turn = dquat_mul(dquat_turn(dvec3_make(0, 0, 1), lean), dquat_turn(dvec3_make(1, 0, 0), 0.07));
        const abut_pose pose = { .position = { -10, 0.2f, 10 }, .rotation = random_narrow_rotation(turn) };
        assert_int_equal(abut_body_set_pose(world, body, &pose), ABUT_OK);
        detect(world);
        const abut_contact *contact = contact_at(world, ABUT_AWAKE, 0);
        assert_int_equal(contact->point_count, 4);
        for (int x = 0; x < 2; ++x) // of those two at positive z
        {
            const dvec3 corner = dquat_rotate(turn, dvec3_make(x ? 0.3 : -0.3, -0.2, 0.25));
            feature[i][x] = UINT32_MAX;
            for (uint32_t k = 0; k < 4; ++k)
            {
                const double far = fabs((double)contact->points[k].offset.x + 10.0 - corner.x) +
                                   fabs((double)contact->points[k].offset.z - 10.0 - corner.z);
                feature[i][x] = far < 0.02 ? contact->points[k].feature : feature[i][x];
            }
            assert_int_not_equal(feature[i][x], UINT32_MAX);
        }
    }
    assert_memory_equal(feature[0], feature[1], sizeof feature[0]);
    abut_world_destroy(world);
    abut_geometry_release(floor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_higher_corners_are_points_too),
        cmocka_unit_test(far_tips_are_points),
        cmocka_unit_test(those_over_solids_are_points_too),
        cmocka_unit_test(corners_keep_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
