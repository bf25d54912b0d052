// Compounds as geometry: what is refused, parts read back, answers about one shape, and out of memory.
#include "mesh_makers.h"
#include "random_compound.h"
#include "scarce_memory.h"

#include <abut/query.h>

static abut_placed_shape placed(abut_shape shape, float x, float y, float z)
{
    return (abut_placed_shape){ shape, { .position = { x, y, z } } };
}

static abut_status status_of(const abut_placed_shape *parts, uint32_t count)
{
    abut_geometry *out;
    const abut_status status = abut_geometry_create_compound(parts, count, NULL, &out);
    assert_true((status == ABUT_OK) == (out != NULL));
    abut_geometry_release(out);
    return status;
}

// A compound whose second part is that shape.
static abut_status status_with(abut_shape shape)
{
    const abut_placed_shape parts[2] = { placed(abut_shape_sphere(1), 0, 0, 0), placed(shape, 1, 0, 0) };
    return status_of(parts, 2);
}

static abut_geometry *tetrahedron(const abut_allocator *allocator)
{
    const abut_vec3 points[4] = { { 0, 1, 0 }, { -1, -1, -1 }, { 1, -1, -1 }, { 0, -1, 1 } };
    abut_geometry *hull;
    assert_int_equal(abut_geometry_create_hull(points, 4, 0, allocator, &hull), ABUT_OK);
    return hull;
}

static abut_geometry *square(void)
{
    mesh_maker m = { 0 };
    for (int i = 0; i < 4; ++i)
    {
        mesh_vertex(&m, i & 1 ? 5.0 : -5.0, 0.0, i & 2 ? 5.0 : -5.0);
    }
    mesh_triangle(&m, 0, 2, 1);
    mesh_triangle(&m, 1, 2, 3);
    return mesh_made(&m);
}

static void what_is_no_part_is_refused(void **state)
{
    (void)state;
    const abut_placed_shape one = placed(abut_shape_sphere(1), 0, 0, 0);
    const abut_vec2 corners[3] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };
    abut_geometry *hull = tetrahedron(NULL), *mesh = square(), *compound = compound_of(&one, 1), *polygon;
    assert_int_equal(abut_geometry_create_polygon(corners, 3, NULL, &polygon), ABUT_OK);
    const uint32_t number = 7;
    const abut_shape bad[] = {
        abut_shape_aabb(1, 1, 1),
        abut_shape_polygon(polygon),
        abut_shape_mesh(mesh),
        abut_shape_compound(compound),
        abut_shape_custom(256, &number, 4),
        { 0 },
        abut_shape_sphere(-1),
        abut_shape_sphere(NAN),
        abut_shape_obb(1, -1, 1),
        abut_shape_obb(1, 1, INFINITY),
        abut_shape_capsule(-1, 1),
        abut_shape_capsule(1, NAN),
        abut_shape_hull(NULL),
        abut_shape_hull(mesh),
        abut_shape_hull(compound),
        { .kind = ABUT_SHAPE_KIND_COUNT },
        { .kind = (abut_shape_kind)300 },
    };
    for (size_t i = 0; i < COUNT(bad); ++i)
    {
        assert_int_equal(status_with(bad[i]), ABUT_INVALID_ARGUMENT);
    }
    const abut_shape good[] = { abut_shape_sphere(0), abut_shape_capsule(0, 0), abut_shape_obb(0, 1, 0),
                                abut_shape_hull(hull) };
    for (size_t i = 0; i < COUNT(good); ++i)
    {
        assert_int_equal(status_with(good[i]), ABUT_OK);
    }
    assert_false(abut_shape_valid(&(abut_shape){ .kind = ABUT_COMPOUND }));
    assert_int_equal(abut_shape_compound(NULL).kind, ABUT_COMPOUND);
    const abut_shape of_a_mesh = abut_shape_compound(mesh), of_a_compound = abut_shape_mesh(compound);
    assert_false(abut_shape_valid(&of_a_mesh));
    assert_false(abut_shape_valid(&of_a_compound));
    abut_geometry_release(hull);
    abut_geometry_release(mesh);
    abut_geometry_release(compound);
    abut_geometry_release(polygon);
}

static void poses_and_numbers_are_checked(void **state)
{
    (void)state;
    static abut_placed_shape many[ABUT_MAX_COMPOUND_PARTS + 1];
    const abut_placed_shape good = placed(abut_shape_obb(1, 1, 1), 0, 0, 0);
    abut_geometry *out = (abut_geometry *)(void *)many;
    const float wrong[] = { NAN, INFINITY, 2.0f * ABUT_MAX_MAGNITUDE };
    for (size_t i = 0; i < COUNT(wrong); ++i)
    {
        abut_placed_shape bad = good;
        bad.pose.position.y = wrong[i];
        assert_int_equal(status_of(&bad, 1), ABUT_INVALID_ARGUMENT);
        bad = good;
        bad.pose.rotation.x = wrong[i];
        assert_int_equal(status_of(&bad, 1), wrong[i] > 1.0f && isfinite(wrong[i]) ? ABUT_OK : ABUT_INVALID_ARGUMENT);
    }
    const abut_placed_shape edge = placed(abut_shape_sphere(1000), ABUT_MAX_MAGNITUDE, 0, 0),
                            corner = placed(abut_shape_obb(9e7f, 9e7f, 9e7f), 0, 0, 0);
    assert_int_equal(status_of(&edge, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(status_of(&corner, 1), ABUT_INVALID_ARGUMENT);
    for (uint32_t i = 0; i < COUNT(many); ++i)
    {
        many[i] = good;
    }
    assert_int_equal(status_of(many, 0), ABUT_INVALID_ARGUMENT);
    assert_int_equal(status_of(many, ABUT_MAX_COMPOUND_PARTS), ABUT_OK); // all in one place
    assert_int_equal(status_of(many, ABUT_MAX_COMPOUND_PARTS + 1), ABUT_LIMIT);
    assert_int_equal(status_of(NULL, 1), ABUT_INVALID_ARGUMENT);
    const abut_allocator half = { .allocate = lend };
    assert_int_equal(abut_geometry_create_compound(&good, 1, &half, &out), ABUT_INVALID_ARGUMENT);
    assert_null(out);
    assert_int_equal(abut_geometry_create_compound(&good, 1, NULL, NULL), ABUT_INVALID_ARGUMENT);
}

static void parts_are_read_back(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(100);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        abut_geometry *hull = random_lump(&random, 1.0);
        abut_placed_shape parts[COMPOUND_MOST], out;
        const uint32_t count = random_parts(&random, 2.0, seed % 2, hull, parts);
        parts[0].pose.rotation = (abut_quat){ 0 }; // identity
        abut_geometry *compound = compound_of(parts, count);
        for (uint32_t i = 0; i < count; ++i)
        {
            assert_true(abut_geometry_compound_part(compound, i, NULL));
            assert_true(abut_geometry_compound_part(compound, i, &out));
            assert_memory_equal(&out.shape, &parts[i].shape, sizeof out.shape);
            assert_memory_equal(&out.pose.position, &parts[i].pose.position, sizeof out.pose.position);
            const abut_quat p = i > 0 ? parts[i].pose.rotation : abut_quat_identity(), q = out.pose.rotation;
            assert_true(fabsf(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w - 1.0f) <= 1e-6f);
        }
        assert_false(abut_geometry_compound_part(compound, count, &out));
        assert_int_equal(abut_geometry_mesh_triangles(compound), 0);
        assert_int_equal(abut_geometry_hull_faces(compound), 0);
        assert_int_equal(abut_geometry_compound_parts(hull), 0);
        assert_false(abut_geometry_compound_part(hull, 0, &out));
        abut_geometry_release(hull);
        abut_geometry_release(compound);
    }
    assert_int_equal(abut_geometry_compound_parts(NULL), 0);
    assert_false(abut_geometry_compound_part(NULL, 0, NULL));
}

static void hulls_live_as_long_as_the_compound(void **state)
{
    (void)state;
    source memory = { .first_failed = NEVER };
    const abut_allocator allocator = { .allocate = lend, .release = take_back, .context = &memory };
    abut_geometry *hull = tetrahedron(&allocator);
    const abut_placed_shape parts[2] = { placed(abut_shape_hull(hull), 3, 0, 0),
                                         placed(abut_shape_hull(hull), -3, 0, 0) };
    abut_geometry *compound = compound_of(parts, 2);
    abut_geometry_release(hull);
    assert_true(memory.blocks > 0);
    abut_world *world = open_world(NULL);
    add(world, abut_shape_compound(compound), 0, 0, 0, ABUT_STATIC);
    abut_geometry_release(compound); // the world has its own reference
    add(world, abut_shape_sphere(1), 3, 1.5f, 0, ABUT_DYNAMIC);
    expect(world, 1, 1, 0);
    assert_true(memory.blocks > 0);
    abut_world_destroy(world);
    assert_int_equal(memory.blocks, 0);
}

static void out_of_memory_is_reported(void **state)
{
    (void)state;
    source of_hull = { .first_failed = NEVER };
    const abut_allocator plenty = { .allocate = lend, .release = take_back, .context = &of_hull };
    abut_geometry *hull = tetrahedron(&plenty), *out = NULL;
    const abut_placed_shape parts[2] = { placed(abut_shape_hull(hull), 0, 0, 0),
                                         placed(abut_shape_sphere(1), 1, 0, 0) };
    for (uint64_t granted = 0; !out; ++granted)
    {
        source memory = { .first_failed = granted };
        const abut_allocator allocator = { .allocate = lend, .release = take_back, .context = &memory };
        const abut_status status = abut_geometry_create_compound(parts, 2, &allocator, &out);
        assert_int_equal(status, memory.failed ? ABUT_OUT_OF_MEMORY : ABUT_OK);
        assert_true((out != NULL) == (status == ABUT_OK));
        abut_geometry_release(out);
        assert_int_equal(memory.blocks, 0);
        assert_true(granted < 9);
    }
    abut_geometry_release(hull);
    assert_int_equal(of_hull.blocks, 0);
}

// A compound at a pose, and its parts each at theirs, composed in double and rounded.
typedef struct placed_compound
{
    abut_geometry *hull, *compound;
    abut_shape shape;
    abut_pose pose;
    uint32_t count;
    abut_placed_shape parts[COMPOUND_MOST];
} placed_compound;

static placed_compound random_placed(random_source *random)
{
    placed_compound p = { .hull = random_lump(random, 1.0) };
    p.count = random_parts(random, 2.0, true, p.hull, p.parts);
    p.compound = compound_of(p.parts, p.count);
    p.shape = abut_shape_compound(p.compound);
    p.pose.position = random_narrow(random_in_box(random, 3.0));
    p.pose.rotation = random_narrow_rotation(random_rotation(random));
    const abut_mat3 axes = abut_mat3_from_quat(p.pose.rotation);
    for (uint32_t i = 0; i < p.count; ++i)
    {
        abut_pose *own = &p.parts[i].pose;
        own->position = abut_vec3_add(p.pose.position, abut_mat3_mul_vec3(&axes, own->position));
        own->rotation = abut_quat_normalise(abut_quat_mul(p.pose.rotation, own->rotation));
    }
    return p;
}

static void close_placed(placed_compound *p)
{
    abut_geometry_release(p->hull);
    abut_geometry_release(p->compound);
}

static float distance(abut_vec3 a, abut_vec3 b)
{
    return abut_vec3_length(abut_vec3_sub(a, b));
}

// The least distance to a part; zero within one.
static float nearest_part(const placed_compound *p, abut_vec3 point)
{
    float least = HUGE_VALF;
    for (uint32_t i = 0; i < p->count; ++i)
    {
        abut_vec3 on;
        assert_int_equal(abut_shape_closest_point(&p->parts[i].shape, &p->parts[i].pose, point, &on), ABUT_OK);
        least = fminf(least, distance(on, point));
    }
    return least;
}

static void points_are_as_near_as_to_the_nearest_part(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(200);
    uint32_t inside = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        placed_compound p = random_placed(&random);
        for (uint32_t i = 0; i < 40; ++i)
        {
            const abut_vec3 away = random_narrow(random_in_box(&random, i % 2 ? 6.0 : 2.0)),
                            point = abut_vec3_add(p.pose.position, away);
            const float least = nearest_part(&p, point);
            bool contained = false;
            abut_vec3 on;
            assert_int_equal(abut_shape_contains(&p.shape, &p.pose, point, &contained), ABUT_OK);
            assert_int_equal(abut_shape_closest_point(&p.shape, &p.pose, point, &on), ABUT_OK);
            assert_true(fabsf(distance(on, point) - least) <= 1e-5f);
            assert_true(least > 1e-5f ? !contained : contained || least > 0.0f);
            assert_true(!contained || memcmp(&on, &point, sizeof on) == 0);
            assert_true(nearest_part(&p, on) <= 1e-5f);
            inside += contained;
        }
        close_placed(&p);
    }
    assert_true(!random_seeds_all() || inside > 100);
}

static void it_reaches_as_far_as_its_parts(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(200);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        placed_compound p = random_placed(&random);
        abut_aabb box;
        abut_placed_shape ball;
        assert_int_equal(abut_shape_bounds(&p.shape, &p.pose, &box), ABUT_OK);
        assert_int_equal(abut_shape_bounding_sphere(&p.shape, &p.pose, &ball), ABUT_OK);
        for (uint32_t k = 0; k < 20; ++k)
        {
            const abut_vec3 way = random_narrow(random_in_box(&random, 1.0));
            abut_vec3 farthest, of_part;
            float most = -HUGE_VALF, radius;
            assert_int_equal(abut_shape_support(&p.shape, &p.pose, way, &farthest), ABUT_OK);
            for (uint32_t i = 0; i < p.count; ++i)
            {
                assert_int_equal(abut_shape_support(&p.parts[i].shape, &p.parts[i].pose, way, &of_part), ABUT_OK);
                most = fmaxf(most, abut_vec3_dot(of_part, way));
                assert_true(distance(of_part, ball.pose.position) <= ball.shape.sphere.radius + 1e-5f);
                assert_true(abut_aabb_contains(&box, of_part) || nearest_part(&p, of_part) <= 1e-5f);
                assert_true(of_part.x >= box.min.x - 1e-5f && of_part.x <= box.max.x + 1e-5f);
                assert_true(of_part.y >= box.min.y - 1e-5f && of_part.y <= box.max.y + 1e-5f);
                assert_true(of_part.z >= box.min.z - 1e-5f && of_part.z <= box.max.z + 1e-5f);
            }
            assert_true(fabsf(abut_vec3_dot(farthest, way) - most) <= 1e-5f);
            assert_int_equal(abut_shape_projection_radius(&p.shape, &p.pose, way, &radius), ABUT_OK);
            assert_true(radius * abut_vec3_length(way) >= most - abut_vec3_dot(p.pose.position, way) - 1e-5f);
        }
        close_placed(&p);
    }
}

static void rays_hit_the_first_part(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(200);
    uint32_t hits = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        placed_compound p = random_placed(&random);
        for (uint32_t k = 0; k < 40; ++k)
        {
            const abut_vec3 from = random_narrow(random_in_box(&random, 6.0)),
                            to = random_narrow(random_in_box(&random, 3.0));
            const abut_ray ray = { from, abut_vec3_sub(abut_vec3_add(to, p.pose.position), from) };
            const uint32_t flags[3] = { 0, ABUT_QUERY_HOLLOW, ABUT_QUERY_SKIP_INSIDE };
            abut_ray_hit hit, of_part;
            float first = HUGE_VALF;
            assert_int_equal(abut_ray_shape(&ray, &p.shape, &p.pose, flags[k % 3], &hit), ABUT_OK);
            for (uint32_t i = 0; i < p.count; ++i)
            {
                assert_int_equal(abut_ray_shape(&ray, &p.parts[i].shape, &p.parts[i].pose, flags[k % 3], &of_part),
                                 ABUT_OK);
                first = of_part.hit ? fminf(first, of_part.fraction) : first;
            }
            // A ray that grazes a part may miss it by rounding.
            if (hit.hit == (first <= 1.0f))
            {
                assert_true(!hit.hit || fabsf(hit.fraction - first) <= 1e-4f);
                hits += hit.hit;
            }
            else
            {
                const float fraction = hit.hit ? hit.fraction : first;
                const abut_vec3 there = abut_vec3_add(from, abut_vec3_scale(ray.translation, fraction));
                assert_true(nearest_part(&p, there) <= 1e-5f);
            }
        }
        close_placed(&p);
    }
    assert_true(!random_seeds_all() || hits > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_part_is_refused),
        cmocka_unit_test(poses_and_numbers_are_checked),
        cmocka_unit_test(parts_are_read_back),
        cmocka_unit_test(hulls_live_as_long_as_the_compound),
        cmocka_unit_test(out_of_memory_is_reported),
        cmocka_unit_test(points_are_as_near_as_to_the_nearest_part),
        cmocka_unit_test(it_reaches_as_far_as_its_parts),
        cmocka_unit_test(rays_hit_the_first_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
