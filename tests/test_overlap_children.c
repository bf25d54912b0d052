// Which triangles of a mesh overlap, against every one of them in double precision; and which parts of a compound,
// against distances, contacts and supports of each by itself.
#include "mesh_makers.h"
#include "own_world.h"
#include "plain_geometry.h"
#include "random_compound.h"
#include "random_field.h"

#include <stdio.h>
#include <string.h>

enum
{
    SCENES = 120,
    ASKED = 24, // in each
    MOST = 1000 // children
};

static const abut_query_filter children = { .flags = ABUT_QUERY_CHILDREN };

static abut_pose some_pose(random_source *random, double far)
{
    abut_pose pose = abut_pose_identity();
    pose.position = random_narrow(random_in_box(random, far));
    if (random_chance(random, 0.8))
    {
        pose.rotation = random_narrow_rotation(random_rotation(random));
    }
    return pose;
}

static dvec3 widened(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

static dvec3 placed(const abut_pose *pose, abut_vec3 local)
{
    const abut_quat r = pose->rotation;
    const dquat turn = { (double)r.w, (double)r.x, (double)r.y, (double)r.z };
    return dvec3_add(widened(pose->position), dquat_rotate(turn, widened(local)));
}

// What asks, and the same for the referee, about its position.
typedef struct asker
{
    abut_placed_shape shape;
    abut_geometry *hull;
    plain_solid solid;
} asker;

static asker some_asker(random_source *random, double size, double far)
{
    asker a = { .shape.pose = some_pose(random, far) };
    const bool flat = random_chance(random, 0.1);
    const double x = random_scale(random, 0.02, 1.0) * size, y = flat ? 0.0 : random_scale(random, 0.02, 1.0) * size,
                 z = random_scale(random, 0.02, 1.0) * size;
    plain_solid solid;
    switch (random_below(random, 4))
    {
    case 0:
        a.shape.shape = abut_shape_sphere((float)x);
        solid = plain_ball((double)(float)x);
        break;
    case 1:
        a.shape.shape = abut_shape_capsule((float)x, (float)y);
        solid = plain_capsule((double)(float)x, (double)(float)y);
        break;
    case 2:
        a.shape.shape = abut_shape_obb((float)x, (float)y, (float)z);
        solid = plain_box((double)(float)x, (double)(float)y, (double)(float)z);
        break;
    default:
    {
        abut_vec3 points[8];
        dvec3 wide[8];
        for (int i = 0; i < 8; ++i)
        {
            points[i] = random_narrow(dvec3_scale(random_direction(random), x));
            wide[i] = widened(points[i]);
        }
        assert_int_equal(abut_geometry_create_hull(points, 8, 0, NULL, &a.hull), ABUT_OK);
        a.shape.shape = abut_shape_hull(a.hull);
        solid = plain_hull(wide, 8);
    }
    }
    const abut_quat r = a.shape.pose.rotation;
    plain_place(&solid, (dquat){ (double)r.w, (double)r.x, (double)r.y, (double)r.z }, widened(a.shape.pose.position),
                &a.solid);
    return a;
}

// A surface or compound on its own in a world.
typedef struct scene
{
    abut_geometry *geometry, *hull; // a part of a compound may be the hull
    abut_shape shape;
    abut_world *world;
    abut_body body;
    abut_collider collider;
    abut_pose pose;
    double size;
} scene;

static double wave(void *context, double x, double z)
{
    const double *size = context;
    return 0.2 * *size * (sin(7.0 * x / *size) + cos(9.0 * z / *size));
}

static abut_geometry *some_mesh(random_source *random, double *size)
{
    mesh_maker m = { 0 };
    if (random_chance(random, 0.5))
    {
        mesh_soup(&m, random, 1 + random_below(random, 150), *size);
    }
    else
    {
        mesh_field(&m, random, 1 + random_below(random, 16), 1 + random_below(random, 16), *size, *size, 0.3, wave,
                   size);
    }
    abut_geometry *whole = mesh_made(&m), *scaled;
    if (random_chance(random, 0.3))
    {
        assert_int_equal(abut_geometry_create_scaled(whole, abut_vec3_make(-1.5f, 0.75f, 1.25f), NULL, &scaled),
                         ABUT_OK);
        abut_geometry_release(whole);
        return scaled;
    }
    return whole;
}

static void close_scene(scene *s)
{
    abut_world_destroy(s->world);
    abut_geometry_release(s->geometry);
    abut_geometry_release(s->hull);
}

static void put(scene *s, random_source *random, abut_shape shape)
{
    abut_body_def def = { .pose = some_pose(random, 0.3 * s->size), .motion = ABUT_STATIC, .collider.shape = shape };
    def.collider.local = random_chance(random, 0.3) ? some_pose(random, 0.1 * s->size) : abut_pose_identity();
    s->shape = shape;
    s->pose = abut_pose_compose(&def.pose, &def.collider.local);
    s->world = open_own_world(&(abut_world_def){ .broad = (abut_broad_kind)random_below(random, ABUT_BROAD_COUNT) });
    assert_int_equal(abut_body_create(s->world, &def, &s->body), ABUT_OK);
    s->collider = first_collider(s->world, s->body);
    assert_int_equal(abut_world_update(s->world), ABUT_OK);
}

static void open_surface(scene *s, random_source *random)
{
    *s = (scene){ .size = random_scale(random, 1e-2, 1e3) };
    if (random_chance(random, 0.3))
    {
        field f = random_field(random);
        s->geometry = field_made(&f);
        s->size = (double)(f.def.step_x * (float)f.def.columns);
    }
    else
    {
        s->geometry = some_mesh(random, &s->size);
    }
    put(s, random, abut_shape_mesh(s->geometry));
}

static void open_compound(scene *s, random_source *random)
{
    abut_placed_shape parts[COMPOUND_MOST];
    *s = (scene){ .size = random_scale(random, 1e-2, 1e3) };
    s->hull = random_lump(random, 0.3 * s->size);
    s->geometry = compound_of(parts, random_parts(random, s->size, true, s->hull, parts));
    put(s, random, abut_shape_compound(s->geometry));
}

// What the world finds, without a world and with one, in batches and not, is the same; and is in order.
static uint32_t found_by(const scene *s, const abut_placed_shape *by, uint32_t out[MOST])
{
    static abut_found found[MOST], many[MOST];
    abut_range range;
    uint32_t count, in_world;
    uint64_t total;
    assert_int_equal(abut_overlap_shape_all(by, &s->shape, &s->pose, out, MOST, &count), ABUT_OK);
    assert_int_equal(abut_world_overlap_shape(s->world, by, &children, found, MOST, &in_world), ABUT_OK);
    assert_int_equal(abut_world_overlap_shape_many(s->world, by, 1, &children, &range, many, MOST, &total), ABUT_OK);
    assert_true(in_world == count && total == count && range.count == count && range.first == 0);
    bool any, whole;
    assert_int_equal(abut_world_overlap_shape_any(s->world, by, &children, &any), ABUT_OK);
    assert_int_equal(any, count > 0);
    assert_int_equal(abut_world_overlap_shape(s->world, by, NULL, NULL, 0, &in_world), ABUT_OK);
    assert_int_equal(abut_world_overlap_shape_any(s->world, by, NULL, &whole), ABUT_OK);
    assert_int_equal(whole, in_world > 0);
    for (uint32_t i = 0; i < count; ++i)
    {
        assert_true(i == 0 || out[i - 1] < out[i]);
        assert_int_equal(found[i].child, out[i]);
        assert_int_equal(found[i].collider.slot, s->collider.slot);
        assert_int_equal(found[i].body.generation, s->body.generation);
        assert_memory_equal(&found[i], &many[i], sizeof *found);
    }
    // The first ones where there is not room for all.
    const uint32_t room = count / 2;
    uint32_t few[MOST];
    memset(few, 0x5a, sizeof few);
    assert_int_equal(abut_overlap_shape_all(by, &s->shape, &s->pose, room ? few : NULL, room, &in_world), ABUT_OK);
    assert_int_equal(in_world, count);
    assert_memory_equal(few, out, room * sizeof *few);
    assert_int_equal(few[room], 0x5a5a5a5a);
    return count;
}

typedef struct counts
{
    uint64_t in, out, close, behind;
} counts;

// Listed or not, as the referee says, who is `apart` metres away or so deep.
static void judge(counts *seen, bool listed, double apart, double band)
{
    assert_true(listed ? apart <= band : apart >= -band);
    seen->in += listed;
    seen->out += !listed;
    seen->close += fabs(apart) <= band;
}

// A kind of the world's own that is a box, of which the library knows nothing but supports.
static void expect_same_of_own_kind(const scene *s, const abut_placed_shape *box, const uint32_t *wanted,
                                    uint32_t count)
{
    const abut_vec3 half = box->shape.box.half_extents;
    if (box->shape.kind != ABUT_OBB)
    {
        return;
    }
    const abut_placed_shape own = { own_shape(OWN_CRATE, half.x, half.y, half.z), box->pose };
    static abut_found found[MOST];
    uint32_t all;
    assert_int_equal(abut_world_overlap_shape(s->world, &own, &children, found, MOST, &all), ABUT_OK);
    assert_int_equal(all, count);
    for (uint32_t i = 0; i < all; ++i)
    {
        assert_int_equal(found[i].child, wanted[i]);
    }
}

static plain_triangle triangle_of(const scene *s, abut_vec3 corner[3])
{
    plain_triangle t = { .corner = { placed(&s->pose, corner[0]), placed(&s->pose, corner[1]),
                                     placed(&s->pose, corner[2]) } };
    const dvec3 n = dvec3_cross(dvec3_sub(t.corner[1], t.corner[0]), dvec3_sub(t.corner[2], t.corner[0]));
    t.normal = dvec3_scale(n, 1.0 / dvec3_length(n));
    return t;
}

static void every_triangle_is_judged(void **state)
{
    (void)state;
    counts seen = { 0 };
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        scene s;
        open_surface(&s, &random);
        const uint32_t all = abut_geometry_mesh_triangles(s.geometry);
        for (int i = 0; i < ASKED; ++i)
        {
            asker a = some_asker(&random, s.size, 0.6 * s.size);
            const double band = 1e-6 * (s.size + a.solid.radius + dvec3_length(widened(a.shape.pose.position)));
            uint32_t found[MOST], at = 0, whole;
            const uint32_t count = found_by(&s, &a.shape, found);
            for (uint32_t k = 0; k < all; ++k)
            {
                abut_vec3 corner[3];
                const bool listed = at < count && found[at] == k;
                at += listed;
                if (!abut_geometry_mesh_triangle(s.geometry, k, corner))
                {
                    assert_false(listed);
                    continue;
                }
                const plain_triangle t = triangle_of(&s, corner);
                judge(&seen, listed, plain_distance(&a.solid, &t), band);
            }
            assert_int_equal(at, count);
            expect_same_of_own_kind(&s, &a.shape, found, count);
            abut_found one;
            assert_int_equal(abut_world_overlap_shape(s.world, &a.shape, NULL, &one, 1, &whole), ABUT_OK);
            assert_true(whole == 0 || one.child == 0);
            seen.behind += whole == 0 && count > 0; // the surface as a whole has a front
            abut_geometry_release(a.hull);
        }
        close_scene(&s);
    }
    printf("%llu triangles overlap, %llu do not, %llu within the band; %llu askers are behind all they meet\n",
           (unsigned long long)seen.in, (unsigned long long)seen.out, (unsigned long long)seen.close,
           (unsigned long long)seen.behind);
    assert_true(seen.in > 0 && seen.out > 0);
    assert_true(!random_seeds_all() || (seen.behind > 50 && 1000 * seen.close < seen.in));
}

static void boxes_of_the_world_have_their_triangles(void **state)
{
    (void)state;
    static abut_found found[MOST];
    counts seen = { 0 };
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(3000 + seed);
        scene s;
        open_surface(&s, &random);
        for (int i = 0; i < ASKED; ++i)
        {
            const abut_vec3 at = random_narrow(random_in_box(&random, 0.6 * s.size));
            const dvec3 wide = dvec3_make(random_unit(&random), random_unit(&random), random_unit(&random));
            const abut_vec3 half = random_narrow(dvec3_scale(wide, 0.5 * s.size));
            const abut_aabb box = { abut_vec3_sub(at, half), abut_vec3_add(at, half) };
            plain_solid solid = plain_box((double)half.x, (double)half.y, (double)half.z);
            plain_place(&solid, (dquat){ 1, 0, 0, 0 }, widened(at), &solid);
            uint32_t count, k = 0;
            assert_int_equal(abut_world_overlap_aabb(s.world, &box, &children, found, MOST, &count), ABUT_OK);
            for (uint32_t triangle = 0; triangle < abut_geometry_mesh_triangles(s.geometry); ++triangle)
            {
                abut_vec3 corner[3];
                const bool listed = k < count && found[k].child == triangle;
                k += listed;
                if (abut_geometry_mesh_triangle(s.geometry, triangle, corner))
                {
                    const plain_triangle t = triangle_of(&s, corner);
                    judge(&seen, listed, plain_distance(&solid, &t), 2e-6 * s.size);
                }
            }
            assert_int_equal(k, count);
        }
        close_scene(&s);
    }
    assert_true(seen.in > 0 && seen.out > 0);
}

static void every_part_is_judged(void **state)
{
    (void)state;
    counts seen = { 0 };
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(1000 + seed);
        scene s;
        open_compound(&s, &random);
        for (int i = 0; i < ASKED; ++i)
        {
            asker a = some_asker(&random, s.size, 0.6 * s.size);
            const double band = 2e-6 * (s.size + a.solid.radius + dvec3_length(widened(a.shape.pose.position)));
            uint32_t found[MOST], at = 0;
            const uint32_t count = found_by(&s, &a.shape, found);
            for (uint32_t k = 0; k < abut_geometry_compound_parts(s.geometry); ++k)
            {
                abut_placed_shape part;
                abut_manifold m;
                float apart;
                const bool listed = at < count && found[at] == k;
                at += listed;
                assert_true(abut_geometry_compound_part(s.geometry, k, &part));
                part.pose = abut_pose_compose(&s.pose, &part.pose);
                assert_int_equal(abut_distance(&a.shape.shape, &a.shape.pose, &part.shape, &part.pose, &apart),
                                 ABUT_OK);
                assert_int_equal(abut_collide(&a.shape.shape, &a.shape.pose, &part.shape, &part.pose, 0.0f, &m),
                                 ABUT_OK);
                judge(&seen, listed, m.point_count > 0 ? (double)m.separation : (double)apart, band);
            }
            assert_int_equal(at, count);
            abut_geometry_release(a.hull);
        }
        close_scene(&s);
    }
    assert_true(seen.in > 0 && seen.out > 0);
}

// How far triangle k reaches at least past some plane: negative, it reaches into all.
static double past(const scene *s, uint32_t k, const abut_plane *planes, uint32_t count)
{
    double most = -HUGE_VAL;
    abut_vec3 corner[3];
    assert_true(abut_geometry_mesh_triangle(s->geometry, k, corner));
    for (uint32_t p = 0; p < count; ++p)
    {
        const dvec3 n = widened(planes[p].normal);
        double least = HUGE_VAL;
        for (int j = 0; j < 3; ++j)
        {
            least = fmin(least, dvec3_dot(n, placed(&s->pose, corner[j])) - (double)planes[p].offset);
        }
        most = fmax(most, least / dvec3_length(n));
    }
    return most;
}

static void make_planes(abut_plane *planes, uint32_t count, random_source *random, double size)
{
    for (uint32_t p = 0; p < count; ++p)
    {
        planes[p].normal = random_narrow(random_direction(random));
        planes[p].offset = (float)(random_between(random, -0.5, 1.0) * size);
    }
}

static void a_region_has_the_triangles_that_reach_into_it(void **state)
{
    (void)state;
    counts seen = { 0 };
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(2000 + seed);
        scene s;
        open_surface(&s, &random);
        for (int i = 0; i < 8; ++i)
        {
            static abut_found found[MOST];
            abut_plane planes[4];
            const abut_region region = { planes, random_below(&random, 5) };
            uint32_t count, at = 0;
            make_planes(planes, region.plane_count, &random, s.size);
            assert_int_equal(abut_world_overlap_region(s.world, &region, &children, found, MOST, &count), ABUT_OK);
            for (uint32_t k = 0; k < abut_geometry_mesh_triangles(s.geometry); ++k)
            {
                abut_vec3 corner[3];
                const bool listed = at < count && found[at].child == k;
                at += listed;
                if (abut_geometry_mesh_triangle(s.geometry, k, corner))
                {
                    judge(&seen, listed, past(&s, k, planes, region.plane_count), 1e-5 * s.size);
                }
                else
                {
                    assert_false(listed);
                }
            }
            assert_int_equal(at, count);
        }
        close_scene(&s);
    }
    assert_true(seen.in > 0 && seen.out > 0);
}

static void a_region_has_the_parts_that_reach_into_it(void **state)
{
    (void)state;
    counts seen = { 0 };
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(4000 + seed);
        scene s;
        open_compound(&s, &random);
        for (int i = 0; i < 8; ++i)
        {
            abut_found found[COMPOUND_MOST];
            abut_plane planes[4];
            const abut_region region = { planes, random_below(&random, 5) };
            uint32_t count, at = 0;
            make_planes(planes, region.plane_count, &random, s.size);
            assert_int_equal(abut_world_overlap_region(s.world, &region, &children, found, COMPOUND_MOST, &count),
                             ABUT_OK);
            for (uint32_t k = 0; k < abut_geometry_compound_parts(s.geometry); ++k)
            {
                abut_placed_shape part;
                double most = -HUGE_VAL;
                const bool listed = at < count && found[at].child == k;
                at += listed;
                assert_true(abut_geometry_compound_part(s.geometry, k, &part));
                part.pose = abut_pose_compose(&s.pose, &part.pose);
                for (uint32_t p = 0; p < region.plane_count; ++p)
                {
                    const abut_vec3 n = planes[p].normal, in = abut_vec3_negate(n);
                    abut_vec3 lowest;
                    assert_int_equal(abut_shape_support(&part.shape, &part.pose, in, &lowest), ABUT_OK);
                    most = fmax(most, dvec3_dot(widened(n), widened(lowest)) - (double)planes[p].offset);
                }
                judge(&seen, listed, most, 1e-5 * s.size);
            }
            assert_int_equal(at, count);
        }
        close_scene(&s);
    }
    assert_true(seen.in > 0 && seen.out > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_triangle_is_judged),
        cmocka_unit_test(boxes_of_the_world_have_their_triangles),
        cmocka_unit_test(every_part_is_judged),
        cmocka_unit_test(a_region_has_the_triangles_that_reach_into_it),
        cmocka_unit_test(a_region_has_the_parts_that_reach_into_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
