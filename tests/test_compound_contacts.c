// Contacts of compounds: those of the same parts as colliders of their own.
#include "compound_twins.h"
#include "every_isa.h"
#include "mesh_makers.h"

#include <stdio.h>

static abut_shape shape_of(abut_world *world, abut_collider collider)
{
    abut_collider_def def;
    assert_int_equal(abut_collider_get(world, collider, &def, NULL), ABUT_OK);
    return def.shape;
}

static abut_contact_colliders colliders_in(abut_world *world, const abut_contact *contact)
{
    const abut_contacts all = abut_world_contacts(world, ABUT_AWAKE);
    return abut_colliders_of(&all, contact);
}

// The children of a contact of the first world are the ordinals of one of the second.
static bool same_children(const twins *t, const abut_contact *c, const abut_contact *d)
{
    const abut_contact_colliders own = colliders_in(t->world[0], c), parts = colliders_in(t->world[1], d);
    const abut_shape a = shape_of(t->world[0], own.a), b = shape_of(t->world[0], own.b);
    uint32_t child_a, child_b;
    abut_shape_children(&a, &b, c->child, &child_a, &child_b);
    return c->a.slot == d->a.slot && c->b.slot == d->b.slot && child_a == ordinal_of(t->world[1], d->a, parts.a) &&
           child_b == ordinal_of(t->world[1], d->b, parts.b);
}

static uint32_t compare_contacts(const twins *t, uint64_t seed)
{
    const abut_contacts whole = abut_world_contacts(t->world[0], ABUT_AWAKE),
                        divided = abut_world_contacts(t->world[1], ABUT_AWAKE);
    if (whole.count != divided.count)
    {
        fail_msg("seed %llu: %u contacts, of the parts %u", (unsigned long long)seed, whole.count, divided.count);
    }
    for (uint32_t i = 0; i < whole.count; ++i)
    {
        const abut_contact *c = abut_contact_at(&whole, i), *d = abut_contact_at(&divided, i);
        bool same = same_children(t, c, d) && memcmp(&c->normal, &d->normal, sizeof c->normal) == 0 &&
                    c->separation == d->separation && c->point_count == d->point_count;
        for (uint32_t k = 0; same && k < c->point_count; ++k)
        {
            same = memcmp(&c->points[k], &d->points[k], sizeof c->points[k]) == 0;
        }
        if (!same)
        {
            fail_msg("seed %llu: contact %u is another", (unsigned long long)seed, i);
        }
    }
    return whole.count;
}

// Where no rotation is composed, there is nothing to round in another way.
static void contacts_are_those_of_the_parts(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(150);
    uint64_t contacts = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        twins t;
        open_twins(&t, seed, &(abut_world_def){ .margin = seed % 2 ? 0.05f : 0.0f });
        fill_twins(&t, false);
        detect(t.world[0]);
        detect(t.world[1]);
        contacts += compare_contacts(&t, seed);
        close_twins(&t);
    }
    printf("%llu contacts\n", (unsigned long long)contacts);
    assert_true(!random_seeds_all() || contacts > 1000);
}

// Turned bodies and parts: contacts are the same but for rounding, and so for those that hardly touch.
static void turned_parts_have_the_same_contacts(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(150);
    uint64_t contacts = 0, lost = 0, other = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        twins t;
        open_twins(&t, seed, &(abut_world_def){ .margin = seed % 2 ? 0.05f : 0.0f });
        fill_twins(&t, true);
        detect(t.world[0]);
        detect(t.world[1]);
        const abut_contacts whole = abut_world_contacts(t.world[0], ABUT_AWAKE),
                            divided = abut_world_contacts(t.world[1], ABUT_AWAKE);
        uint32_t i = 0;
        for (uint32_t k = 0; k < divided.count; ++k)
        {
            const abut_contact *d = abut_contact_at(&divided, k);
            const bool found = i < whole.count && same_children(&t, abut_contact_at(&whole, i), d);
            const abut_contact *c = found ? abut_contact_at(&whole, i) : NULL;
            i += found;
            lost += !found;
            other +=
                found && !(fabsf(c->separation - d->separation) <= 1e-5f && near_vec3(c->normal, d->normal, 1e-3f));
        }
        assert_true(i == whole.count);
        contacts += whole.count;
        close_twins(&t);
    }
    printf("%llu contacts, %llu of the parts alone, %llu others\n", (unsigned long long)contacts,
           (unsigned long long)lost, (unsigned long long)other);
    assert_true(!random_seeds_all() || contacts > 1000);
    assert_true(lost * 1000 <= contacts && other * 100 <= contacts);
}

// On a surface, each part by itself.
static void a_mesh_touches_every_part(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(60);
    uint64_t contacts = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        twins t;
        mesh_maker m = { 0 };
        open_twins(&t, seed, NULL);
        mesh_field(&m, &t.random, 12, 12, 3.0, 3.0, 0.2, NULL, NULL);
        for (uint32_t i = 0; i < m.vertex_count; ++i)
        {
            m.vertices[i].y = (float)random_between(&t.random, 0.0, 0.4);
        }
        t.held[t.held_count++] = mesh_made(&m);
        const abut_shape ground = abut_shape_mesh(t.held[0]);
        // In front of the bodies and behind them in the order of contacts.
        for (int k = 0; k < 2 && seed % 2; ++k)
        {
            add(t.world[k], ground, 0, 0, 0, ABUT_STATIC);
        }
        for (uint32_t i = 0; i < 6; ++i)
        {
            abut_body bodies[2];
            abut_body_def def = some_body(&t, 2.0, false);
            def.motion = ABUT_DYNAMIC;
            def.pose.position.y *= 0.2f;
            add_compound(&t, &def, 0.7, false, bodies);
        }
        for (int k = 0; k < 2 && seed % 2 == 0; ++k)
        {
            add(t.world[k], ground, 0, 0, 0, ABUT_STATIC);
        }
        detect(t.world[0]);
        detect(t.world[1]);
        const abut_contacts whole = abut_world_contacts(t.world[0], ABUT_AWAKE),
                            divided = abut_world_contacts(t.world[1], ABUT_AWAKE);
        assert_int_equal(whole.count, divided.count);
        // In the world of colliders, those of one part follow each other, and so they do of a compound that is a.
        float sums[2] = { 0.0f, 0.0f };
        for (uint32_t i = 0; i < whole.count; ++i)
        {
            const abut_contact *c = abut_contact_at(&whole, i), *d = abut_contact_at(&divided, i);
            const abut_contact_colliders own = abut_colliders_of(&whole, c), parts = abut_colliders_of(&divided, d);
            const abut_shape a = shape_of(t.world[0], own.a), b = shape_of(t.world[0], own.b);
            uint32_t child_a, child_b;
            abut_shape_children(&a, &b, c->child, &child_a, &child_b);
            if (a.kind == ABUT_COMPOUND && b.kind == ABUT_MESH)
            {
                assert_int_equal(child_a, ordinal_of(t.world[1], d->a, parts.a));
                assert_int_equal(child_b, d->child);
                assert_true(d->separation == c->separation);
            }
            abut_vec3 corner[3];
            const uint32_t triangle = a.kind == ABUT_MESH ? child_a : child_b;
            assert_true((a.kind != ABUT_MESH && b.kind != ABUT_MESH) ||
                        abut_geometry_mesh_triangle(t.held[0], triangle, corner));
            sums[0] += c->separation;
            sums[1] += d->separation;
        }
        assert_true(fabsf(sums[0] - sums[1]) <= 1e-4f * fabsf(sums[0]));
        contacts += whole.count;
        close_twins(&t);
    }
    printf("%llu contacts\n", (unsigned long long)contacts);
    assert_true(!random_seeds_all() || contacts > 1000);
}

// Compounds that fall onto each other and onto a landscape, in worlds that differ in nothing that may change results.
static uint64_t hash_of_heap(abut_isa isa, abut_broad_kind broad, uint32_t threads, bool audited)
{
    random_source random = random_start(5);
    mesh_maker m = { 0 };
    mesh_field(&m, &random, 20, 20, 6.0, 6.0, 0.2, NULL, NULL);
    abut_geometry *mesh = mesh_made(&m), *hull = random_lump(&random, 0.4), *compounds[6];
    abut_world *world = open_world(&(abut_world_def){ .isa = isa, .broad = broad, .threads = threads });
    add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
    for (uint32_t i = 0; i < COUNT(compounds); ++i)
    {
        abut_placed_shape parts[COMPOUND_MOST];
        compounds[i] = compound_of(parts, random_parts(&random, 0.7, true, hull, parts));
    }
    for (uint32_t i = 0; i < 100; ++i)
    {
        abut_body body;
        abut_body_def def = { .collider.shape = i % 3 ? abut_shape_compound(compounds[i % COUNT(compounds)])
                                                      : random_part(&random, 0.4, hull) };
        def.collider.flags = i % 16 == 0 ? ABUT_COLLIDER_SENSOR : 0;
        def.pose.rotation = random_narrow_rotation(random_rotation(&random));
        def.pose.position = random_narrow(random_in_box(&random, 5.0));
        def.pose.position.y = 0.3f * fabsf(def.pose.position.y);
        def.velocity.linear = abut_vec3_make(0.3f, -0.5f, 0.1f);
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    const uint64_t hash = hash_of_results(world, 8, audited);
    assert_true(abut_world_contacts(world, ABUT_AWAKE).count > 100);
    abut_world_destroy(world);
    for (uint32_t i = 0; i < COUNT(compounds); ++i)
    {
        abut_geometry_release(compounds[i]);
    }
    abut_geometry_release(mesh);
    abut_geometry_release(hull);
    return hash;
}

static void results_are_the_same_everywhere(void **state)
{
    (void)state;
    const uint64_t hash = hash_of_heap(ABUT_ISA_SCALAR, ABUT_BROAD_BRUTE, 1, true);
    EVERY_ISA(isa)
    {
        for (abut_broad_kind broad = ABUT_BROAD_AUTO; broad < ABUT_BROAD_COUNT; ++broad)
        {
            assert_true(hash_of_heap(isa, broad, 1 + (uint32_t)broad % 3, false) == hash);
        }
    }
}

// A child has 28 bits.
static void too_many_children_are_a_limit(void **state)
{
    (void)state;
    static abut_placed_shape parts[ABUT_MAX_COMPOUND_PARTS];
    for (uint32_t i = 0; i < ABUT_MAX_COMPOUND_PARTS; ++i)
    {
        parts[i] = (abut_placed_shape){ abut_shape_sphere(0.25f), abut_pose_identity() };
        parts[i].pose.position = abut_vec3_make((float)(i % 64), 0.0f, (float)(i / 64));
    }
    abut_geometry *compound = compound_of(parts, ABUT_MAX_COMPOUND_PARTS);
    static float heights[200 * 200];
    for (uint32_t columns = 182; columns <= 184; columns += 2) // 2^28 is between the two
    {
        const abut_heightfield_def def = {
            .heights = heights, .columns = columns, .rows = 182, .step_x = 1.0f, .step_z = 1.0f
        };
        abut_geometry *ground = NULL;
        assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &ground), ABUT_OK);
        const bool fits = (uint64_t)abut_geometry_mesh_triangles(ground) * ABUT_MAX_COMPOUND_PARTS <= 1u << 28;
        assert_int_equal(fits, columns == 182);
        abut_world *world = open_world(NULL);
        add(world, abut_shape_mesh(ground), 0, 0, 0, ABUT_STATIC);
        const abut_body body = add(world, abut_shape_compound(compound), 0, 0, 0, ABUT_DYNAMIC);
        assert_int_equal(abut_world_detect(world, 0.0f), fits ? ABUT_OK : ABUT_LIMIT);
        assert_true(fits == (abut_world_contacts(world, ABUT_AWAKE).count >= ABUT_MAX_COMPOUND_PARTS));
        assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
        const abut_body_def sensor = { .collider = { .shape = abut_shape_compound(compound),
                                                     .flags = ABUT_COLLIDER_SENSOR } };
        abut_body seen;
        assert_int_equal(abut_body_create(world, &sensor, &seen), ABUT_OK); // its overlaps have no children
        assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
        assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 0);
        assert_int_equal(abut_world_events(world, ABUT_SENSOR_BEGIN).count, 1);
        abut_world_destroy(world);
        abut_geometry_release(ground);
    }
    abut_geometry_release(compound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_those_of_the_parts), cmocka_unit_test(turned_parts_have_the_same_contacts),
        cmocka_unit_test(a_mesh_touches_every_part),       cmocka_unit_test(results_are_the_same_everywhere),
        cmocka_unit_test(too_many_children_are_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
