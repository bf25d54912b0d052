// Closed meshes against the hulls of the same faces: contacts, casts and nearest points.
#include "hull_clouds.h"
#include "mesh_visitors.h"
#include "referee_polytope.h"

#include <stdio.h>

// A closed surface, and the hull of which it is the faces.
typedef struct solid
{
    abut_geometry *hull, *mesh;
    abut_shape shape;
    double size;
} solid;

static bool solid_of(const abut_vec3 *points, uint32_t count, uint32_t most, solid *out)
{
    mesh_maker m = { 0 };
    const abut_vec3 *vertices;
    if (abut_geometry_create_hull(points, count, most, NULL, &out->hull) != ABUT_OK)
    {
        return false;
    }
    out->size = 0.0;
    for (uint32_t i = 0; i < abut_geometry_hull_vertices(out->hull, &vertices); ++i)
    {
        const abut_vec3 v = vertices[i];
        mesh_vertex(&m, (double)v.x, (double)v.y, (double)v.z);
        out->size = fmax(out->size, dvec3_length(dvec3_make((double)v.x, (double)v.y, (double)v.z)));
    }
    for (uint32_t face = 0; face < abut_geometry_hull_faces(out->hull); ++face)
    {
        const uint32_t *corner;
        const uint32_t corners = abut_geometry_hull_face(out->hull, face, &corner);
        for (uint32_t i = 1; i + 1 < corners; ++i)
        {
            mesh_triangle(&m, corner[0], corner[i], corner[i + 1]);
        }
    }
    if (out->size < 1e-3 || out->size > 1e3)
    {
        mesh_maker_close(&m);
        abut_geometry_release(out->hull);
        return false;
    }
    out->mesh = mesh_made(&m);
    out->shape = abut_shape_hull(out->hull);
    return true;
}

static bool make_solid(random_source *random, solid *out)
{
    static const hull_cloud kinds[] = { HULL_BALL, HULL_SPHERE, HULL_BOX, HULL_CYLINDER, HULL_CONE };
    static abut_vec3 points[HULL_CLOUD_MOST];
    const uint32_t count = hull_cloud_of(random, kinds[random_below(random, COUNT(kinds))], 1e-4, points);
    return solid_of(points, count, 4 + random_below(random, 30), out);
}

// A plate with an uneven rim, a thousandth of its size thick.
static bool make_plate(random_source *random, solid *out)
{
    abut_vec3 points[16];
    const uint32_t sides = 3 + random_below(random, 6);
    const double thick = 1e-3 * random_scale(random, 0.3, 3.0);
    const dquat turn = random_rotation(random);
    for (uint32_t i = 0; i < sides; ++i)
    {
        const double at = 6.283185307179586 * (i + random_between(random, -0.3, 0.3)) / sides,
                     far = random_between(random, 0.6, 1.0);
        for (uint32_t k = 0; k < 2; ++k)
        {
            const dvec3 corner = dvec3_make(far * cos(at), k ? thick : -thick, far * sin(at));
            points[2 * i + k] = random_narrow(dquat_rotate(turn, corner));
        }
    }
    return solid_of(points, 2 * sides, 0, out);
}

static void give_solid(const solid *s)
{
    abut_geometry_release(s->mesh);
    abut_geometry_release(s->hull);
}

// Where the shape, coming from far along a direction, just touches the hull.
static double first_touch(const solid *s, const abut_body_def *def, dvec3 along)
{
    const abut_pose identity = abut_pose_identity();
    double low = 0.0, high = 10.0 * s->size;
    for (uint32_t i = 0; i < 60; ++i)
    {
        const double middle = 0.5 * (low + high);
        abut_pose pose = def->pose;
        bool overlap;
        pose.position = random_narrow(dvec3_scale(along, middle));
        assert_int_equal(abut_overlap(&s->shape, &identity, &def->collider.shape, &pose, &overlap), ABUT_OK);
        *(overlap ? &low : &high) = middle;
    }
    return low;
}

typedef struct solid_tally
{
    uint64_t cases, lost, longer;
    double worst;
} solid_tally;

#define LEANING 0.95 // cosine of the angle up to which what a ridge's other face has below it is its contact, too

// The least separation, as the way out has it: that of a corner that is over the face beside, too, is along this face's
// normal, and so longer by up to the cosine between them.
static double deepest_along(abut_contacts contacts, abut_vec3 way)
{
    double least = 0.0;
    for (uint32_t i = 0; i < contacts.count; ++i)
    {
        const abut_contact *c = abut_contact_at(&contacts, i);
        const double cosine = fabs((double)abut_vec3_dot(c->normal, way));
        least = fmin(least, (double)c->separation * (cosine > LEANING ? cosine : 1.0));
    }
    return least;
}

// Whether the deepest contact, the mesh's first, is a way out of the solid, if not the shortest: what cuts triangles at a
// peak, none of which has a contact, comes out across a ridge of the one that it is the least low over.
static bool is_way_out(const solid *s, const abut_body_def *def, abut_contacts contacts)
{
    const abut_pose identity = abut_pose_identity();
    const polytope a = polytope_of(&s->shape, &identity), b = polytope_of(&def->collider.shape, &def->pose);
    const abut_contact *c = abut_contact_at(&contacts, 0);
    return contacts.count == 1 &&
           fabs(polytope_gap(&a, &b, polytope_wide(c->normal)) - (double)c->separation) <= 1e-6 * s->size;
}

// The deepest contact with a closed surface is as deep as the one with its hull.
static void judge_solid(uint64_t seed, solid_tally *t)
{
    random_source random = random_start(seed);
    const abut_pose identity = abut_pose_identity();
    solid s;
    if (!make_solid(&random, &s))
    {
        return;
    }
    abut_world *world = open_world(NULL);
    add(world, abut_shape_mesh(s.mesh), 0, 0, 0, ABUT_STATIC);
    for (uint32_t i = 0; i < 60; ++i)
    {
        const double size = s.size * random_scale(&random, 0.02, 1.0);
        abut_body body;
        abut_manifold manifold;
        abut_body_def def = { .pose = some_pose(&random, false),
                              .collider.shape = some_shape(&random, random_below(&random, 3), size) };
        const dvec3 along = random_direction(&random);
        const double at = first_touch(&s, &def, along) - size * random_scale(&random, 1e-5, 0.02);
        def.pose.position = random_narrow(dvec3_scale(along, at));
        assert_int_equal(abut_collide(&s.shape, &identity, &def.collider.shape, &def.pose, 0.0f, &manifold), ABUT_OK);
        const abut_contacts found = contacts_with(world, &def, &body);
        const double depth = (double)manifold.separation;
        if (manifold.point_count > 0 && found.count == 0)
        {
            t->lost += depth < -1e-6 * s.size;
        }
        else if (manifold.point_count > 0)
        {
            const double least = deepest_along(found, manifold.normal), off = fabs(least - depth);
            t->worst = fmax(t->worst, off / s.size);
            const bool deeper = least < depth; // the hull's kernel prefers faces
            const bool is_off = off > (deeper ? 1e-5 * s.size + 0.01 * fabs(depth) : 1e-3 * s.size);
            t->longer += is_off;
            if (is_off && !(deeper && is_way_out(&s, &def, found)))
            {
                fail_msg("seed %llu: shape %u is %g deep, in the hull %g", (unsigned long long)seed, i, -least, -depth);
            }
        }
        ++t->cases;
        assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
    }
    abut_world_destroy(world);
    give_solid(&s);
}

static void closed_surfaces_answer_as_their_hulls(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(100);
    solid_tally t = { 0 };
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        judge_solid(seed, &t);
    }
    printf("%llu shapes on closed surfaces: off by %.1e of the size at most; %llu lost, %llu with a longer way out\n",
           (unsigned long long)t.cases, t.worst, (unsigned long long)t.lost, (unsigned long long)t.longer);
    assert_true(t.lost * 5000 <= t.cases && (!random_seeds_all() || t.longer * 2000 <= t.cases));
}

// A box, a capsule or a hull, held by nobody else: *hull is to be released.
static abut_shape some_rim_shape(random_source *random, double size, abut_geometry **hull)
{
    abut_vec3 points[16];
    const uint32_t kind = random_below(random, 4);
    *hull = NULL;
    if (kind < 2)
    {
        return some_shape(random, 1 + kind, size);
    }
    while (!*hull)
    {
        const uint32_t count = 4 + random_below(random, 12);
        for (uint32_t i = 0; i < count; ++i)
        {
            points[i] = random_narrow(dvec3_scale(random_direction(random), size));
        }
        if (abut_geometry_create_hull(points, count, 0, NULL, hull) != ABUT_OK)
        {
            *hull = NULL;
        }
    }
    return abut_shape_hull(*hull);
}

// What reaches past the rim of a plate comes out across an edge on its other side: seen from the face in front, that is
// backwards. Hardly any contact is more than eight times as deep as the way out.
static void nothing_is_deep_in_a_plate_that_it_reaches_around(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(300);
    const abut_pose identity = abut_pose_identity();
    uint32_t touching = 0, deep = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        solid s;
        if (!make_plate(&random, &s))
        {
            continue;
        }
        abut_world *world = open_world(NULL);
        add(world, abut_shape_mesh(s.mesh), 0, 0, 0, ABUT_STATIC);
        for (uint32_t i = 0; i < 60; ++i)
        {
            const double size = s.size * random_scale(&random, 0.02, 1.0);
            abut_geometry *hull;
            abut_manifold manifold;
            abut_body body;
            abut_body_def def = { .pose = some_pose(&random, false) };
            def.collider.shape = some_rim_shape(&random, size, &hull);
            const dvec3 along = random_direction(&random);
            const double at = first_touch(&s, &def, along) - size * random_scale(&random, 1e-5, 0.02);
            def.pose.position = random_narrow(dvec3_scale(along, at));
            assert_int_equal(abut_collide(&s.shape, &identity, &def.collider.shape, &def.pose, 0.0f, &manifold),
                             ABUT_OK);
            const abut_contacts found = contacts_with(world, &def, &body);
            touching += found.count > 0 && manifold.point_count > 0;
            deep +=
                manifold.point_count > 0 && (double)deepest(found) < 8.1 * (double)manifold.separation - 1e-4 * size;
            assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
            abut_geometry_release(hull);
        }
        abut_world_destroy(world);
        give_solid(&s);
    }
    printf("%u shapes touch plates, %u of them more than eight times as deep\n", touching, deep);
    assert_true(!random_seeds_all() || (touching > 6000 && deep * 5000 <= touching));
}

// One in twelve thousand boxes cuts triangles without a contact: the way out of each alone is past its other edges, while
// that of the solid is across one ridge.
static void boxes_come_out_across_ridges(void **state)
{
    (void)state;
    static const uint64_t seeds[] = { 782, 1838, 3685, 3833 };
    solid_tally t = { 0 };
    for (uint32_t i = 0; i < COUNT(seeds); ++i)
    {
        judge_solid(seeds[i], &t);
    }
    assert_true(t.cases >= 60 && t.longer <= 1);
}

// Casts, nearest points and overlaps of a closed surface are those of its hull for what is outside.
static void queries_of_closed_surfaces_are_those_of_their_hulls(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(60);
    uint64_t hits = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        solid s;
        if (!make_solid(&random, &s))
        {
            continue;
        }
        abut_world *world[2] = { open_world(NULL), open_world(NULL) };
        add(world[0], s.shape, 0, 0, 0, ABUT_STATIC);
        add(world[1], abut_shape_mesh(s.mesh), 0, 0, 0, ABUT_STATIC);
        assert_int_equal(abut_world_update(world[0]), ABUT_OK);
        assert_int_equal(abut_world_update(world[1]), ABUT_OK);
        for (uint32_t i = 0; i < 40; ++i)
        {
            const double size = s.size * random_scale(&random, 0.05, 0.5);
            const dvec3 from = dvec3_scale(random_direction(&random), 3.0 * s.size);
            const dvec3 to = random_in_box(&random, s.size);
            abut_cast cast = { .shape = some_shape(&random, random_below(&random, 3), size),
                               .pose = some_pose(&random, false),
                               .translation = random_narrow(dvec3_scale(dvec3_sub(to, from), 1.2)) };
            abut_hit hit[2];
            abut_near near[2];
            uint32_t count;
            cast.pose.position = random_narrow(from);
            const abut_placed_shape asker = { cast.shape, cast.pose };
            for (int k = 0; k < 2; ++k)
            {
                assert_int_equal(abut_world_cast_closest(world[k], &cast, NULL, &hit[k]), ABUT_OK);
                assert_int_equal(abut_world_nearest_shape(world[k], &asker, 1e6f, NULL, &near[k], 1, &count), ABUT_OK);
                assert_int_equal(count, 1);
            }
            const bool hull_hit = hit[0].body.generation != 0, mesh_hit = hit[1].body.generation != 0;
            if (hull_hit != mesh_hit || fabs((double)hit[0].fraction - (double)hit[1].fraction) > 1e-3)
            {
                fail_msg("seed %llu: cast %u ends at %g, on the hull at %g", (unsigned long long)seed, i,
                         (double)hit[1].fraction, (double)hit[0].fraction);
            }
            hits += mesh_hit;
            assert_true(fabs((double)near[0].distance - (double)near[1].distance) <= 1e-5 * s.size);
        }
        abut_world_destroy(world[0]);
        abut_world_destroy(world[1]);
        give_solid(&s);
    }
    printf("%llu casts hit\n", (unsigned long long)hits);
    assert_true(hits > 0);
}

// A hull of points in a box that may be flat, closed as a mesh.
static bool make_rock(random_source *random, double flat, solid *out)
{
    abut_vec3 points[26];
    const uint32_t count = 6 + random_below(random, 20);
    for (uint32_t i = 0; i < count; ++i)
    {
        const dvec3 at = random_in_box(random, 1.0);
        points[i] = random_narrow(dvec3_make(at.x, flat * at.y, at.z));
    }
    return solid_of(points, count, 0, out);
}

// Shapes anywhere in a solid, as deep as can be: a triangle knows of the surface what is around it, and hardly any
// contact is more than four times as deep as the hull's.
static void hardly_anything_is_deeper_than_four_times_the_way_out(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(2000);
    const abut_pose identity = abut_pose_identity();
    uint32_t touching = 0, deep = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double flat = random_chance(&random, 0.4) ? random_between(&random, 0.01, 0.3) : 1.0;
        abut_geometry *hull;
        solid s;
        if (!make_rock(&random, flat, &s))
        {
            continue;
        }
        abut_body_def def = { .collider.shape = some_rim_shape(&random, random_between(&random, 0.05, 0.6), &hull) };
        abut_world *world = open_world(NULL);
        add(world, abut_shape_mesh(s.mesh), 0, 0, 0, ABUT_STATIC);
        for (uint32_t i = 0; i < 50; ++i)
        {
            const dvec3 at = random_in_box(&random, 1.4);
            abut_manifold manifold;
            abut_body body;
            def.pose.position = random_narrow(dvec3_make(at.x, flat * at.y, at.z));
            def.pose.rotation = random_narrow_rotation(random_rotation(&random));
            assert_int_equal(abut_collide(&s.shape, &identity, &def.collider.shape, &def.pose, 0.0f, &manifold),
                             ABUT_OK);
            const abut_contacts found = contacts_with(world, &def, &body);
            if (manifold.point_count > 0 && found.count > 0)
            {
                ++touching;
                deep += deepest(found) < 4.0f * manifold.separation - 0.005f;
            }
            assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
        }
        abut_world_destroy(world);
        abut_geometry_release(hull);
        give_solid(&s);
    }
    printf("%u shapes touch solids, %u of them more than four times as deep\n", touching, deep);
    assert_true(!random_seeds_all() || (touching > 15000 && deep * 900 <= touching));
}

// A box that is shallow in a face, though a neighbour's way out goes nearly along that face's normal: both were found.
static void what_leaves_by_a_face_is_not_as_deep_as_beside_it(void **state)
{
    (void)state;
    static const struct
    {
        abut_vec3 points[6];
        uint32_t count;
        abut_vec3 half;
        abut_pose pose;
    } cases[] = {
        { { { 0.06f, -0.0232f, 0.6718f },
            { -0.5691f, -0.0883f, -0.1113f },
            { -0.2508f, -0.0398f, -0.3076f },
            { -0.0758f, 0.0827f, -0.182f },
            { 0.4446f, -0.0888f, 0.2149f } },
          5,
          { 0.5458f, 0.1974f, 0.1552f },
          { .position = { -0.3713f, 0.0724f, -0.6443f }, .rotation = { -0.10176f, 0.79471f, -0.02139f, 0.59802f } } },
        { { { -0.2178f, -0.1426f, 0.554f },
            { 0.2113f, 0.1607f, -0.4686f },
            { -0.5091f, -0.0721f, -0.2593f },
            { -0.0203f, 0.1866f, -0.2596f },
            { -0.239f, 0.1239f, 0.8637f },
            { 0.7421f, 0.1789f, 0.5273f } },
          6,
          { 0.0524f, 0.4874f, 0.2822f },
          { .position = { -0.6018f, 0.1482f, 0.4914f }, .rotation = { 0.60428f, -0.17774f, 0.71853f, -0.29489f } } },
    };
    for (uint32_t i = 0; i < COUNT(cases); ++i)
    {
        const abut_pose identity = abut_pose_identity();
        solid s;
        abut_body body;
        abut_manifold manifold;
        abut_body_def def = { .pose = cases[i].pose };
        assert_true(solid_of(cases[i].points, cases[i].count, 0, &s));
        def.pose.rotation = abut_quat_normalise(def.pose.rotation);
        def.collider.shape = abut_shape_obb(cases[i].half.x, cases[i].half.y, cases[i].half.z);
        abut_world *world = open_world(NULL);
        add(world, abut_shape_mesh(s.mesh), 0, 0, 0, ABUT_STATIC);
        assert_int_equal(abut_collide(&s.shape, &identity, &def.collider.shape, &def.pose, 0.0f, &manifold), ABUT_OK);
        const abut_contacts found = contacts_with(world, &def, &body);
        assert_true(manifold.point_count > 0 && found.count > 0);
        assert_true(fabs((double)(deepest(found) - manifold.separation)) < 1e-3);
        abut_world_destroy(world);
        give_solid(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_leaves_by_a_face_is_not_as_deep_as_beside_it),
        cmocka_unit_test(closed_surfaces_answer_as_their_hulls),
        cmocka_unit_test(boxes_come_out_across_ridges),
        cmocka_unit_test(nothing_is_deep_in_a_plate_that_it_reaches_around),
        cmocka_unit_test(hardly_anything_is_deeper_than_four_times_the_way_out),
        cmocka_unit_test(queries_of_closed_surfaces_are_those_of_their_hulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
