// Contacts with meshes: slides over surfaces whose normals are known, closed surfaces against the hull of the same
// faces, sweeps and queries likewise, and the same bits everywhere.
#include "every_isa.h"
#include "hull_clouds.h"
#include "mesh_makers.h"

#include <stdio.h>

static abut_shape some_shape(random_source *random, uint32_t kind, double size)
{
    const float x = (float)(size * random_between(random, 0.2, 1.0)),
                y = (float)(size * random_between(random, 0.2, 1.0)),
                z = (float)(size * random_between(random, 0.2, 1.0));
    return kind == 0   ? abut_shape_sphere(x)
           : kind == 1 ? abut_shape_capsule(0.5f * x, y)
           : kind == 2 ? abut_shape_obb(x, y, z)
                       : abut_shape_aabb(x, y, z);
}

// Turned about the vertical alone if `upright`.
static abut_pose some_pose(random_source *random, bool upright)
{
    abut_pose pose = abut_pose_identity();
    const dquat q = random_rotation(random);
    const double length = sqrt(q.w * q.w + q.y * q.y);
    pose.rotation = upright && length > 0.01 ? (abut_quat){ 0.0f, (float)(q.y / length), 0.0f, (float)(q.w / length) }
                                             : random_narrow_rotation(q);
    return pose;
}

static abut_contacts contacts_with(abut_world *world, const abut_body_def *def, abut_body *body)
{
    assert_int_equal(abut_body_create(world, def, body), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    return abut_world_contacts(world, ABUT_AWAKE);
}

static double support_below(const abut_shape *shape, const abut_pose *pose)
{
    abut_vec3 low;
    assert_int_equal(abut_shape_support(shape, pose, abut_vec3_make(0, -1, 0), &low), ABUT_OK);
    return (double)low.y;
}

// The least separation of all contacts.
static float deepest(abut_contacts contacts)
{
    float least = 0.0f;
    for (uint32_t i = 0; i < contacts.count; ++i)
    {
        const float separation = abut_contact_at(&contacts, i)->separation;
        least = separation < least ? separation : least;
    }
    return least;
}

// One plane in triangles of every size: each normal is the plane's, and nothing is lost.
static void a_plane_is_flat_however_it_is_divided(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(40);
    uint64_t contacts = 0, cases = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        mesh_maker m = { 0 };
        const double cell = random_scale(&random, 0.03, 10.0), fitting = 6.0 / cell + 2.0;
        const uint32_t count = fitting > 60.0 ? 60 : (uint32_t)fitting;
        const double half = 0.5 * cell * count, size = half > 4.0 ? 1.0 : half / 4.0;
        mesh_field(&m, &random, count, count, half, half, seed % 3 == 0 ? 0.0 : 0.2, NULL, NULL);
        abut_geometry *mesh = mesh_made(&m);
        abut_world *world = open_world(NULL);
        add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
        for (uint32_t i = 0; i < 100; ++i)
        {
            const uint32_t kind = random_below(&random, 4);
            abut_body body;
            abut_body_def def = { .pose = some_pose(&random, random_chance(&random, 0.5)),
                                  .collider.shape = some_shape(&random, kind, size) };
            const double wanted = size * random_scale(&random, 1e-6, 0.05);
            def.pose.rotation = kind == 3 ? abut_pose_identity().rotation : def.pose.rotation;
            def.pose.position.x = (float)random_between(&random, -0.5 * half, 0.5 * half);
            def.pose.position.z = (float)random_between(&random, -0.5 * half, 0.5 * half);
            def.pose.position.y = (float)(-support_below(&def.collider.shape, &def.pose) - wanted);
            const double depth = -support_below(&def.collider.shape, &def.pose);
            if (depth < 2e-7 * size)
            {
                continue;
            }
            const abut_contacts found = contacts_with(world, &def, &body);
            for (uint32_t k = 0; k < found.count; ++k)
            {
                const abut_vec3 n = abut_contact_at(&found, k)->normal;
                if (n.y != 1.0f || n.x != 0.0f || n.z != 0.0f)
                {
                    fail_msg("seed %llu: shape %u has a normal of %g %g %g", (unsigned long long)seed, i, (double)n.x,
                             (double)n.y, (double)n.z);
                }
            }
            if (found.count == 0 || fabs((double)deepest(found) + depth) > 1e-5 * size)
            {
                fail_msg("seed %llu: shape %u is %g deep in %u contacts, not %g", (unsigned long long)seed, i,
                         -(double)deepest(found), found.count, depth);
            }
            contacts += found.count;
            ++cases;
            assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
        }
        abut_world_destroy(world);
        abut_geometry_release(mesh);
    }
    printf("%llu shapes on a plane, %llu contacts\n", (unsigned long long)cases, (unsigned long long)contacts);
}

// The inside of a pipe has the normals of its facets and no other.
static void a_pipe_has_the_normals_of_its_facets(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(20);
    uint64_t contacts = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        mesh_maker m = { 0 };
        const uint32_t facets = 8 + random_below(&random, 100);
        const double turn = 6.283185307179586 / facets;
        mesh_cylinder(&m, &random, facets, 4 + random_below(&random, 40), 2.0, 5.0, true);
        abut_geometry *mesh = mesh_made(&m);
        abut_world *world = open_world(NULL);
        add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
        for (uint32_t i = 0; i < 100; ++i)
        {
            abut_body body;
            abut_vec3 out;
            abut_body_def def = { .pose = some_pose(&random, false),
                                  .collider.shape = some_shape(&random, random_below(&random, 3), 0.4) };
            const double angle = random_between(&random, 0.0, 6.283185307179586), x = cos(angle), y = sin(angle);
            assert_int_equal(
                abut_shape_support(&def.collider.shape, &def.pose, abut_vec3_make((float)x, (float)y, 0), &out),
                ABUT_OK);
            const double reach = x * (double)out.x + y * (double)out.y;
            const double away = 2.0 - reach + random_scale(&random, 1e-5, 5e-3);
            def.pose.position =
                abut_vec3_make((float)(away * x), (float)(away * y), (float)random_between(&random, -3.0, 3.0));
            const abut_contacts found = contacts_with(world, &def, &body);
            for (uint32_t k = 0; k < found.count; ++k)
            {
                const abut_vec3 n = abut_contact_at(&found, k)->normal;
                const double at = atan2(-(double)n.y, -(double)n.x) / turn - 0.5;
                if (fabs((double)n.z) > 1e-6 || fabs(at - floor(at + 0.5)) * turn > 1e-5)
                {
                    fail_msg("seed %llu: shape %u has a normal of %g %g %g", (unsigned long long)seed, i, (double)n.x,
                             (double)n.y, (double)n.z);
                }
            }
            contacts += found.count;
            assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
        }
        abut_world_destroy(world);
        abut_geometry_release(mesh);
    }
    printf("%llu contacts in pipes\n", (unsigned long long)contacts);
    assert_true(contacts > 0);
}

// A closed surface, and the hull of which it is the faces.
typedef struct solid
{
    abut_geometry *hull, *mesh;
    abut_shape shape;
    double size;
} solid;

static bool make_solid(random_source *random, solid *out)
{
    static const hull_cloud kinds[] = { HULL_BALL, HULL_SPHERE, HULL_BOX, HULL_CYLINDER, HULL_CONE };
    static abut_vec3 points[HULL_CLOUD_MOST];
    mesh_maker m = { 0 };
    const abut_vec3 *vertices;
    const uint32_t count = hull_cloud_of(random, kinds[random_below(random, COUNT(kinds))], 1e-4, points);
    if (abut_geometry_create_hull(points, count, 4 + random_below(random, 30), NULL, &out->hull) != ABUT_OK)
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

// The deepest contact with a closed surface is as deep as the one with its hull.
static void closed_surfaces_answer_as_their_hulls(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(100);
    const abut_pose identity = abut_pose_identity();
    uint64_t cases = 0, lost = 0;
    double worst = 0.0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        solid s;
        if (!make_solid(&random, &s))
        {
            continue;
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
            assert_int_equal(abut_collide(&s.shape, &identity, &def.collider.shape, &def.pose, 0.0f, &manifold),
                             ABUT_OK);
            const abut_contacts found = contacts_with(world, &def, &body);
            const double depth = (double)manifold.separation;
            if (manifold.point_count > 0 && found.count == 0)
            {
                lost += depth < -1e-6 * s.size;
            }
            else if (manifold.point_count > 0)
            {
                const double off = fabs((double)deepest(found) - depth);
                worst = fmax(worst, off / s.size);
                const bool deeper = (double)deepest(found) < depth; // the hull's kernel prefers faces
                if (off > (deeper ? 1e-5 * s.size + 0.01 * fabs(depth) : 1e-3 * s.size))
                {
                    fail_msg("seed %llu: shape %u is %g deep, in the hull %g", (unsigned long long)seed, i,
                             -(double)deepest(found), -depth);
                }
            }
            ++cases;
            assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
        }
        abut_world_destroy(world);
        give_solid(&s);
    }
    printf("%llu shapes on closed surfaces: off by %.1e of the size at most; %llu lost\n", (unsigned long long)cases,
           worst, (unsigned long long)lost);
    assert_true(lost * 5000 <= cases);
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

// Bullets that a step takes through a surface without thickness, which may come to meet them.
static void nothing_fast_passes_a_mesh(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(200);
    const float horizon = 1.0f / 60.0f;
    uint64_t bullets = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        mesh_maker m = { 0 };
        const uint32_t cells = 1 + random_below(&random, 20);
        mesh_field(&m, &random, cells, cells, 50.0, 50.0, 0.2, NULL, NULL);
        abut_geometry *mesh = mesh_made(&m);
        abut_world *world = open_world(NULL);
        const double rise = random_chance(&random, 0.3) ? random_between(&random, -20.0, 20.0) : 0.0;
        abut_body wall = add(world, abut_shape_mesh(mesh), 0, 0, 0, rise == 0.0 ? ABUT_STATIC : ABUT_KINEMATIC);
        if (rise != 0.0)
        {
            const abut_velocity up = { .linear = { 0, (float)rise, 0 } };
            assert_int_equal(abut_body_set_velocity(world, wall, &up), ABUT_OK);
        }
        double due[20];
        abut_body body[COUNT(due)];
        for (uint32_t i = 0; i < COUNT(due); ++i)
        {
            abut_body_def def = { .pose = some_pose(&random, false), .flags = ABUT_BODY_CCD };
            const double speed = random_between(&random, 100.0, 400.0);
            const dvec3 aside = random_in_box(&random, 40.0);
            def.collider.shape = some_shape(&random, random_below(&random, 3), random_scale(&random, 0.01, 0.5));
            def.collider.filter = (abut_filter){ .category = 1, .mask = 1, .group = -1 };
            const double low = -support_below(&def.collider.shape, &def.pose);
            const double height = random_between(&random, 0.01, 0.9 * (speed + rise) * (double)horizon);
            def.pose.position = abut_vec3_make((float)aside.x, (float)(low + height), (float)aside.z);
            def.velocity.linear = abut_vec3_make((float)aside.y, (float)-speed, 0.0f);
            due[i] = height / (speed + rise);
            assert_int_equal(abut_body_create(world, &def, &body[i]), ABUT_OK);
        }
        assert_int_equal(abut_world_detect(world, horizon), ABUT_OK);
        const abut_impacts impacts = abut_world_impacts(world);
        assert_int_equal(impacts.count, COUNT(due));
        for (uint32_t i = 0; i < impacts.count; ++i)
        {
            const abut_body_impact *impact = &impacts.data[i];
            assert_int_equal(impact->body.slot, body[i].slot);
            assert_true(fabs((double)impact->impact.time - due[i]) <= 1e-5);
            assert_true(impact->impact.normal.y <= -0.999f);
        }
        bullets += impacts.count;
        abut_world_destroy(world);
        abut_geometry_release(mesh);
    }
    printf("%llu bullets were stopped\n", (unsigned long long)bullets);
}

// Bodies that fall onto a landscape, in worlds that differ in nothing that may change results.
static uint64_t hash_of_landscape(abut_isa isa, abut_broad_kind broad, uint32_t threads, bool audited)
{
    random_source random = random_start(5);
    mesh_maker m = { 0 };
    mesh_field(&m, &random, 40, 40, 10.0, 10.0, 0.2, NULL, NULL);
    for (uint32_t i = 0; i < m.vertex_count; ++i)
    {
        m.vertices[i].y = (float)random_between(&random, 0.0, 0.5);
    }
    abut_geometry *mesh = mesh_made(&m);
    abut_world *world = open_world(&(abut_world_def){ .isa = isa, .broad = broad, .threads = threads });
    add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < 150; ++i)
    {
        abut_body body;
        abut_body_def def = { .pose = some_pose(&random, false),
                              .collider.shape = some_shape(&random, random_below(&random, 4), 0.5) };
        def.pose.position = random_narrow(random_in_box(&random, 9.0));
        def.pose.position.y = 0.1f * fabsf(def.pose.position.y) + 0.2f;
        def.velocity.linear = abut_vec3_make(0.3f, -0.5f, 0.1f);
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    for (uint32_t frame = 0; frame < 10; ++frame)
    {
        abut_audit audit;
        assert_int_equal(abut_world_step(world, 1.0f / 60.0f), ABUT_OK);
        hash = hash * 31 + abut_world_results_hash(world);
        if (audited && frame % 4 == 0)
        {
            assert_int_equal(abut_world_audit(world, &audit), ABUT_OK);
            assert_null(audit.what);
        }
    }
    assert_true(abut_world_contacts(world, ABUT_AWAKE).count > 150);
    abut_world_destroy(world);
    abut_geometry_release(mesh);
    return hash;
}

static void results_are_the_same_everywhere(void **state)
{
    (void)state;
    const uint64_t hash = hash_of_landscape(ABUT_ISA_SCALAR, ABUT_BROAD_BRUTE, 1, true);
    EVERY_ISA(isa)
    {
        for (abut_broad_kind broad = ABUT_BROAD_AUTO; broad < ABUT_BROAD_COUNT; ++broad)
        {
            assert_true(hash_of_landscape(isa, broad, 1 + (uint32_t)broad % 3, false) == hash);
        }
    }
}

// What a mesh answers to questions that are not of its surface alone.
static void other_queries_of_a_mesh(void **state)
{
    (void)state;
    mesh_maker m = { 0 };
    random_source random = random_start(1);
    mesh_field(&m, &random, 4, 4, 2.0, 2.0, 0.0, NULL, NULL);
    abut_geometry *mesh = mesh_made(&m);
    abut_world *world = open_world(NULL);
    add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    abut_found found;
    abut_near near;
    abut_hit hit;
    uint32_t count;
    // Two half-spaces that a triangle reaches into, each by itself, and both.
    abut_plane planes[2] = { { { 1, 0, 0 }, -1.9f }, { { 0, 2, 0 }, 1.0f } };
    const abut_region region = { .planes = planes, .plane_count = 2 };
    assert_int_equal(abut_world_overlap_region(world, &region, NULL, &found, 1, &count), ABUT_OK);
    assert_int_equal(count, 1);
    planes[0].offset = -2.1f;
    assert_int_equal(abut_world_overlap_region(world, &region, NULL, &found, 1, &count), ABUT_OK);
    assert_int_equal(count, 0);
    planes[0] = (abut_plane){ { 0, 0, -1 }, -1.2f };
    planes[1] = (abut_plane){ { 0, 0, 1 }, -1.2f }; // no triangle reaches into both
    assert_int_equal(abut_world_overlap_region(world, &region, NULL, &found, 1, &count), ABUT_OK);
    assert_int_equal(count, 0);
    // Overlaps and nearest points.
    abut_placed_shape above = { abut_shape_sphere(0.5f), abut_pose_identity() };
    above.pose.position = abut_vec3_make(0.2f, 0.4f, 0.3f);
    assert_int_equal(abut_world_overlap_shape(world, &above, NULL, &found, 1, &count), ABUT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(abut_world_nearest_shape(world, &above, 1.0f, NULL, &near, 1, &count), ABUT_OK);
    assert_true(count == 1 && near.distance == 0.0f);
    const abut_vec3 point = { 0.2f, 3.0f, 0.3f };
    assert_int_equal(abut_world_nearest(world, &point, 9.0f, NULL, &near, 1, &count), ABUT_OK);
    assert_true(count == 1 && near.distance == 3.0f);
    abut_vec3 corner[3];
    assert_true(abut_geometry_mesh_triangle(mesh, near.child, corner));
    // A cast that begins in it, and one that does not look there.
    const abut_cast cast = { .shape = above.shape, .pose = above.pose, .translation = { 0, -3, 0 } };
    assert_int_equal(abut_world_cast_closest(world, &cast, NULL, &hit), ABUT_OK);
    assert_true(hit.fraction == 0.0f && (hit.flags & ABUT_HIT_INSIDE) != 0);
    const abut_query_filter skip = { .flags = ABUT_QUERY_SKIP_INSIDE };
    assert_int_equal(abut_world_cast_closest(world, &cast, &skip, &hit), ABUT_OK);
    assert_true(hit.fraction == 1.0f);
    // It does not ask itself.
    const abut_placed_shape asker = { abut_shape_mesh(mesh), abut_pose_identity() };
    assert_int_equal(abut_world_overlap_shape(world, &asker, NULL, &found, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_nearest_shape(world, &asker, 1.0f, NULL, &near, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_set_pair_function(world, ABUT_MESH, ABUT_FIRST_KIND, NULL, NULL),
                     ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
    abut_geometry_release(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_is_flat_however_it_is_divided),
        cmocka_unit_test(a_pipe_has_the_normals_of_its_facets),
        cmocka_unit_test(closed_surfaces_answer_as_their_hulls),
        cmocka_unit_test(queries_of_closed_surfaces_are_those_of_their_hulls),
        cmocka_unit_test(nothing_fast_passes_a_mesh),
        cmocka_unit_test(results_are_the_same_everywhere),
        cmocka_unit_test(other_queries_of_a_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
