// Contacts of one pair as patches of four points: of boxes on meshes, and of any points against brute force in double.
#include "mesh_makers.h"
#include "referee_math.h"

#define COSINE 0.999f

enum
{
    CONTACTS = 12,
    SETS = 20000,
    BOXES = 400
};

static double flat(void *context, double x, double z)
{
    (void)context, (void)x, (void)z;
    return 0.0;
}

// A valley of two slopes of 45 degrees.
static double valley(void *context, double x, double z)
{
    (void)context, (void)z;
    return fabs(x);
}

static const abut_point *point_of(const abut_contacts *contacts, const abut_patch *patch, uint32_t i)
{
    assert_true(i < patch->point_count && patch->points[i].slot < contacts->slots);
    const abut_contact *contact = &contacts->data[patch->points[i].slot];
    assert_true(patch->points[i].point < contact->point_count);
    return &contact->points[patch->points[i].point];
}

static dvec3 offset_of(const abut_contacts *contacts, const abut_patch *patch, uint32_t i)
{
    const abut_vec3 at = point_of(contacts, patch, i)->offset;
    return (dvec3){ (double)at.x, (double)at.y, (double)at.z };
}

// Twice the area of the triangle, seen along the normal.
static double area(dvec3 n, dvec3 p, dvec3 q, dvec3 r)
{
    return dvec3_dot(n, dvec3_cross(dvec3_sub(q, p), dvec3_sub(r, p)));
}

// Twice that of the convex outline of so many points: the most that two opposite triangles cover, or one.
static double area_of(dvec3 n, const dvec3 *p, uint32_t count)
{
    double most = 0.0;
    for (uint32_t a = 0; a < count; ++a)
    {
        for (uint32_t b = 0; b < count; ++b)
        {
            double left = 0.0, right = 0.0;
            for (uint32_t c = 0; c < count; ++c)
            {
                left = fmax(left, area(n, p[a], p[b], p[c]));
                right = fmax(right, -area(n, p[a], p[b], p[c]));
            }
            most = fmax(most, left + right);
        }
    }
    return most;
}

// A box that lies on a field of many triangles has its four corners, or what is beside them, wherever the triangles
// are.
static void a_box_on_a_plane_of_triangles_has_its_four_corners(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(BOXES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        mesh_maker m = { 0 };
        mesh_field(&m, &random, 12, 12, 3.0, 3.0, 0.3, flat, NULL);
        abut_geometry *mesh = mesh_made(&m);
        abut_world *world = open_world(NULL);
        const float x = (float)random_between(&random, 0.4, 1.5), z = (float)random_between(&random, 0.4, 1.5);
        const abut_body_def def = {
            .pose = { .position = { 0.3f, 0.499f, -0.2f },
                      .rotation =
                          abut_quat_from_axis_angle(abut_vec3_make(0, 1, 0), (float)random_between(&random, 0, 3)) },
            .collider.shape = abut_shape_obb(x, 0.5f, z),
        };
        abut_body box;
        assert_int_equal(abut_body_create(world, &def, &box), ABUT_OK);
        (void)add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
        abut_geometry_release(mesh);
        assert_int_equal(abut_world_detect(world, 0), ABUT_OK);
        const abut_contacts contacts = abut_world_contacts(world, ABUT_AWAKE);
        assert_true(contacts.count > 4);
        assert_int_equal(abut_contact_pair_end(&contacts, 0), contacts.count);
        abut_patch *patches = calloc(contacts.count, sizeof *patches);
        assert_non_null(patches);
        assert_int_equal(abut_contact_patches(&contacts, 0, COSINE, patches), 1);
        assert_int_equal(patches[0].point_count, 4);
        dvec3 corner[4];
        for (uint32_t i = 0; i < 4; ++i)
        {
            corner[i] = offset_of(&contacts, &patches[0], i);
        }
        const double whole = 8.0 * (double)x * (double)z;
        const double found = area_of((dvec3){ 0, 1, 0 }, corner, 4);
        if (found < 0.85 * whole || found > 1.001 * whole) // a triangle leaves a corner out if it has more
        {
            fail_msg("seed %llu: area %g of %g", (unsigned long long)seed, found, whole);
        }
        free(patches);
        abut_world_destroy(world);
    }
}

static void a_box_in_a_valley_has_a_patch_on_either_slope(void **state)
{
    (void)state;
    random_source random = random_start(1);
    mesh_maker m = { 0 };
    mesh_field(&m, &random, 40, 8, 4.0, 4.0, 0.0, valley, NULL);
    abut_geometry *mesh = mesh_made(&m);
    abut_world *world = open_world(NULL);
    const abut_quat turned = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), 0.785398163f);
    const abut_body_def def = { .pose = { .position = { 0, 1.40f, 0 }, .rotation = turned },
                                .collider.shape = abut_shape_obb(1, 1, 1) };
    abut_body box;
    assert_int_equal(abut_body_create(world, &def, &box), ABUT_OK);
    (void)add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
    (void)add(world, abut_shape_sphere(0.5f), 0, 2.8f, 0, ABUT_DYNAMIC); // another pair behind it
    abut_geometry_release(mesh);
    assert_int_equal(abut_world_detect(world, 0), ABUT_OK);
    const abut_contacts contacts = abut_world_contacts(world, ABUT_AWAKE);
    const uint32_t end = abut_contact_pair_end(&contacts, 0);
    assert_int_equal(end + 1, contacts.count);
    abut_patch *patches = calloc(contacts.count, sizeof *patches);
    assert_non_null(patches);
    uint32_t slopes = 0;
    for (uint32_t i = 0, count = abut_contact_patches(&contacts, 0, COSINE, patches); i < count; ++i)
    {
        assert_true(patches[i].point_count >= 1);
        slopes += patches[i].point_count == 4 && fabsf(fabsf(patches[i].normal.x) - 0.70710678f) < 1e-3f;
    }
    assert_int_equal(slopes, 2);
    assert_int_equal(abut_contact_patches(&contacts, end, COSINE, patches), 1); // of the ball
    assert_int_equal(patches[0].point_count, 1);
    free(patches);
    abut_world_destroy(world);
}

// Contacts of one pair that no world made.
typedef struct made_up
{
    abut_contact data[CONTACTS];
    abut_contact_colliders colliders[CONTACTS];
    uint32_t order[CONTACTS];
    abut_contacts contacts;
} made_up;

static void make_up(made_up *m, random_source *random, dvec3 n)
{
    const uint32_t count = 1 + random_below(random, CONTACTS);
    const double size = random_scale(random, 1e-3, 1e3), spread = random_chance(random, 0.2) ? 1e-6 : 1.0;
    const dvec3 corner = random_in_box(random, size);
    *m = (made_up){
        .contacts = { .order = m->order, .count = count, .slots = CONTACTS, .data = m->data, .colliders = m->colliders }
    };
    for (uint32_t i = 0; i < CONTACTS; ++i)
    {
        abut_contact *c = &m->data[CONTACTS - 1 - i];
        m->order[i] = CONTACTS - 1 - i;
        c->id.slot = CONTACTS - 1 - i;
        c->normal = random_narrow(n);
        c->point_count = (uint16_t)(1 + random_below(random, 4));
        for (uint32_t k = 0; k < c->point_count; ++k)
        {
            dvec3 at = random_in_box(random, spread * size);
            at = dvec3_sub(at, dvec3_scale(n, dvec3_dot(n, at)));
            c->points[k].offset = random_narrow(random_chance(random, 0.2) ? corner : dvec3_add(corner, at));
            c->points[k].separation = (float)random_between(random, -1, 0.1);
            c->separation = k == 0 || c->points[k].separation < c->separation ? c->points[k].separation : c->separation;
        }
    }
}

// The first point is as deep as any, no two are one, and the four cover a third of what all points do, mostly all.
static void patches_of_any_points_cover_what_all_of_them_do(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SETS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const dvec3 n = random_direction(&random);
        made_up m;
        abut_patch patches[CONTACTS];
        make_up(&m, &random, n);
        assert_int_equal(abut_contact_pair_end(&m.contacts, 0), m.contacts.count);
        assert_int_equal(abut_contact_patches(&m.contacts, 0, COSINE, patches), 1);
        dvec3 all[4 * CONTACTS], chosen[4];
        uint32_t points = 0;
        double deepest = HUGE_VAL, size = 0.0;
        for (uint32_t i = 0; i < m.contacts.count; ++i)
        {
            const abut_contact *c = abut_contact_at(&m.contacts, i);
            for (uint32_t k = 0; k < c->point_count; ++k)
            {
                const abut_vec3 at = c->points[k].offset;
                all[points] = (dvec3){ (double)at.x, (double)at.y, (double)at.z };
                size = fmax(size, sqrt(dvec3_dot(all[points], all[points])));
                ++points;
                deepest = fmin(deepest, (double)c->points[k].separation);
            }
        }
        assert_true((double)patches[0].separation == deepest);
        const double first = (double)point_of(&m.contacts, &patches[0], 0)->separation;
        assert_true(m.contacts.count == 1 || first <= deepest + 0.0021 * size); // one contact is taken as it is
        for (uint32_t i = 0; i < patches[0].point_count; ++i)
        {
            chosen[i] = offset_of(&m.contacts, &patches[0], i);
        }
        const double whole = area_of(n, all, points), part = area_of(n, chosen, patches[0].point_count);
        if (part < whole / 3.0 - 1e-3 * size * size)
        {
            fail_msg("seed %llu: %g of %g", (unsigned long long)seed, part, whole);
        }
    }
}

// Normals in two bundles: each contact is of the patch whose first normal is near, and none without that tolerance.
static void contacts_are_told_apart_by_their_normals(void **state)
{
    (void)state;
    random_source random = random_start(7);
    for (uint32_t round = 0; round < 1000; ++round)
    {
        const dvec3 n = random_direction(&random);
        made_up m;
        abut_patch patches[CONTACTS];
        make_up(&m, &random, n);
        uint32_t other = 0;
        for (uint32_t i = 0; i < m.contacts.count; ++i)
        {
            if (i > 0 && random_chance(&random, 0.5))
            {
                m.data[m.order[i]].normal = random_narrow(dvec3_scale(n, -1.0));
                ++other;
            }
        }
        assert_int_equal(abut_contact_patches(&m.contacts, 0, COSINE, patches), other > 0 ? 2 : 1);
        for (uint32_t p = 0; p < (other > 0 ? 2u : 1u); ++p)
        {
            for (uint32_t i = 0; i < patches[p].point_count; ++i)
            {
                assert_true(abut_vec3_dot(m.data[patches[p].points[i].slot].normal, patches[p].normal) > 0.9f);
            }
        }
        assert_int_equal(abut_contact_patches(&m.contacts, 0, NAN, patches), m.contacts.count);
        assert_int_equal(abut_contact_patches(&m.contacts, 0, -2.0f, patches), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_on_a_plane_of_triangles_has_its_four_corners),
        cmocka_unit_test(a_box_in_a_valley_has_a_patch_on_either_slope),
        cmocka_unit_test(patches_of_any_points_cover_what_all_of_them_do),
        cmocka_unit_test(contacts_are_told_apart_by_their_normals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
