// Surfaces in tiles, each of which knows what is beside it: together they have the contacts and hits of the whole.
#include "hull_clouds.h"
#include "tiled_surfaces.h"

#include <abut/query.h>

#include <stdio.h>

enum
{
    SHAPES = 60
};

static abut_shape some_shape(random_source *random, double size, const abut_geometry *hull)
{
    const float x = (float)(size * random_between(random, 0.2, 1.0)),
                y = (float)(size * random_between(random, 0.2, 1.0)),
                z = (float)(size * random_between(random, 0.2, 1.0));
    switch (random_below(random, 5))
    {
    case 0:
        return abut_shape_sphere(x);
    case 1:
        return abut_shape_capsule(0.5f * x, 0.5f * y);
    case 2:
        return abut_shape_obb(0.55f * x, 0.55f * y, 0.55f * z);
    case 3:
        return abut_shape_aabb(0.55f * x, 0.55f * y, 0.55f * z);
    default:
        return abut_shape_hull(hull);
    }
}

// Within `size` of its origin.
static abut_geometry *some_hull(random_source *random, double size)
{
    abut_vec3 points[12];
    abut_geometry *out;
    for (size_t i = 0; i < COUNT(points); ++i)
    {
        points[i] = random_narrow(dvec3_scale(random_direction(random), size));
    }
    assert_int_equal(abut_geometry_create_hull(points, COUNT(points), 0, NULL, &out), ABUT_OK);
    return out;
}

// A world with the whole surface, and one with its tiles; before these, the same shapes near the borders of the tiles.
typedef struct twins
{
    abut_world *world[2];
    const tiling *tiling;
    bool at_end[SHAPES]; // whether a shape may reach where the whole surface ends
} twins;

static abut_pose some_pose(random_source *random, const tiling *t, double size)
{
    abut_pose pose = { .rotation = random_narrow_rotation(random_rotation(random)) };
    const double along = t->half * random_between(random, -0.9, 0.9),
                 beside = t->cell * random_between(random, -1.5, 1.5);
    const bool turned = random_chance(random, 0.5);
    pose.position.x = (float)(turned ? along : beside);
    pose.position.z = (float)(turned ? beside : along);
    pose.position.y = (float)(size * random_between(random, -0.5, 1.0));
    if (random_chance(random, 0.3)) // level
    {
        pose.rotation = (abut_quat){ 0.0f, 0.0f, 0.0f, 1.0f };
    }
    return pose;
}

// Puts the shape over the surface, sunk in by a part of its size.
static void let_down(random_source *random, const tiling *t, double size, abut_pose *pose)
{
    const abut_shape surface = abut_shape_mesh(t->whole);
    const abut_pose identity = abut_pose_identity();
    abut_vec3 on = pose->position;
    on.y = 0.0f;
    assert_int_equal(abut_shape_closest_point(&surface, &identity, on, &on), ABUT_OK);
    pose->position.y = on.y + (float)(size * random_between(random, -0.3, 1.0));
}

static void add_surfaces(twins *w)
{
    const tiling *t = w->tiling;
    add(w->world[0], abut_shape_mesh(t->whole), 0, 0, 0, ABUT_STATIC);
    for (uint32_t i = 0; i < t->tiles; ++i)
    {
        add(w->world[1], abut_shape_mesh(t->tile[i]), t->at[i].x, t->at[i].y, t->at[i].z, ABUT_STATIC);
    }
}

static twins open_twins(random_source *random, const tiling *t, double size)
{
    const abut_world_def def = { .margin = random_chance(random, 0.3) ? (float)(0.05 * t->cell) : 0.0f };
    twins w = { .world = { open_world(&def), open_world(&def) }, .tiling = t };
    abut_geometry *hull = some_hull(random, size);
    for (uint32_t i = 0; i < SHAPES; ++i)
    {
        abut_body_def body = { .pose = some_pose(random, t, size),
                               .collider.shape = some_shape(random, size, hull),
                               .collider.filter = { .category = 1, .mask = 1, .group = -1 } };
        abut_body made;
        let_down(random, t, size, &body.pose);
        w.at_end[i] = fmax(fabs((double)body.pose.position.x), fabs((double)body.pose.position.z)) > t->half - size;
        assert_int_equal(abut_body_create(w.world[0], &body, &made), ABUT_OK);
        assert_int_equal(abut_body_create(w.world[1], &body, &made), ABUT_OK);
    }
    abut_geometry_release(hull);
    add_surfaces(&w);
    return w;
}

static void close_twins(twins *w)
{
    abut_world_destroy(w->world[0]);
    abut_world_destroy(w->world[1]);
}

// A contact, its child as the whole has it.
static abut_contact as_whole(const tiling *t, const abut_contact *c)
{
    abut_contact out = *c;
    out.child = t->child_of[c->b.slot - SHAPES][c->child];
    return out;
}

static int by_child(const void *p, const void *q)
{
    const abut_contact *a = p, *b = q;
    return a->a.slot != b->a.slot ? (a->a.slot < b->a.slot ? -1 : 1) : a->child < b->child ? -1 : a->child > b->child;
}

static uint32_t list_contacts(abut_world *world, const tiling *t, abut_contact **out)
{
    const abut_contacts all = abut_world_contacts(world, ABUT_AWAKE);
    *out = calloc(all.count + 1, sizeof **out);
    assert_non_null(*out);
    for (uint32_t i = 0; i < all.count; ++i)
    {
        const abut_contact *c = abut_contact_at(&all, i);
        (*out)[i] = t ? as_whole(t, c) : *c;
    }
    qsort(*out, all.count, sizeof **out, by_child);
    return all.count;
}

static bool near_vectors(abut_vec3 p, abut_vec3 q, double most)
{
    return fabs((double)p.x - (double)q.x) <= most && fabs((double)p.y - (double)q.y) <= most &&
           fabs((double)p.z - (double)q.z) <= most;
}

static bool alike(const abut_contact *p, const abut_contact *q, double off)
{
    return near_vectors(p->normal, q->normal, off) && fabs((double)p->separation - (double)q->separation) <= off;
}

#define ROUNDED 0x1p-22 // of the surface's half: by so much corners, and where tiles are, may be off together

// Whether contacts with a surface and with its tiles, whose corners are rounded, are alike. The normal of what is apart
// from an edge or a corner turns by the rounding of that over the distance.
static bool alike_rounded(const tiling *t, const abut_contact *p, const abut_contact *q)
{
    const double apart = (double)p->separation, turn = t->is_rounded && apart > 0.0 ? ROUNDED * t->half / apart : 0.0;
    return near_vectors(p->normal, q->normal, t->off + turn) && fabs(apart - (double)q->separation) <= t->off;
}

static bool has_point(const abut_contact *c, const abut_point *point, double off)
{
    bool found = false;
    for (uint32_t i = 0; i < c->point_count; ++i)
    {
        found = found || ((off > 0.0 || c->points[i].feature == point->feature) &&
                          near_vectors(c->points[i].offset, point->offset, 10.0 * off));
    }
    return found;
}

// Whether each point of a contact is one of another's.
static bool has_points(const abut_contact *c, const abut_contact *of, double off)
{
    bool has = true;
    for (uint32_t i = 0; has && i < of->point_count; ++i)
    {
        has = has_point(c, &of->points[i], off);
    }
    return has;
}

// The features of triangles' corners depend on rounding, and so do the point that comes first and whether one that is
// at a corner counts twice.
static bool same_contact(const abut_contact *p, const abut_contact *q, double off)
{
    return by_child(p, q) == 0 && alike(p, q, off) && has_points(q, p, off) && has_points(p, q, off);
}

// Of a triangle that the whole leaves to a neighbour, but for corners that are over it: its tile is in doubt.
static bool is_fuller(const abut_contact *whole, const abut_contact *tile)
{
    return by_child(whole, tile) == 0 && alike(whole, tile, 1e-3) && whole->point_count < tile->point_count &&
           tile->separation <= whole->separation;
}

// Some contacts of one shape.
typedef struct some
{
    const abut_contact *first;
    uint32_t count;
} some;

static some of_shape(const abut_contact *c, uint32_t count, uint32_t shape)
{
    uint32_t first = 0, end;
    while (first < count && c[first].a.slot < shape)
    {
        ++first;
    }
    for (end = first; end < count && c[end].a.slot == shape; ++end)
    {
    }
    return (some){ c + first, end - first };
}

static void say(const char *whose, const some *contacts)
{
    for (uint32_t i = 0; i < contacts->count; ++i)
    {
        const abut_contact *c = &contacts->first[i];
        print_message("%s: shape %u, triangle %u, normal %g %g %g, %g, %u points\n", whose, c->a.slot, c->child,
                      (double)c->normal.x, (double)c->normal.y, (double)c->normal.z, (double)c->separation,
                      c->point_count);
    }
}

// Whether the contacts are of triangles of two tiles over which the shape's lowest point is alike but for rounding: then
// neither tile leaves the contact to the other. Each has the normal of its own triangle.
static bool are_as_low(const tiling *t, const abut_contact *whole, const abut_contact *tile)
{
    return whole->child != tile->child && whole->point_count == 1 && tile->point_count == 1 &&
           fabs((double)whole->separation - (double)tile->separation) <= ROUNDED * 4.0 * t->half;
}

// Whether the tiles have the whole's contacts. Where a shape is equally deep below two tiles, each may have a contact:
// the others are copies.
static bool are_same(const tiling *t, some whole, some tiles, uint32_t *copies)
{
    const double off = t->off;
    uint32_t at = 0;
    for (uint32_t i = 0; i < tiles.count; ++i)
    {
        if (at < whole.count && same_contact(&whole.first[at], &tiles.first[i], off))
        {
            ++at;
            continue;
        }
        if (at < whole.count && is_fuller(&whole.first[at], &tiles.first[i]))
        {
            ++at;
            ++*copies;
            continue;
        }
        bool copy = false;
        for (uint32_t k = 0; k < whole.count; ++k)
        {
            copy = copy || alike(&whole.first[k], &tiles.first[i], 1e-3) ||
                   are_as_low(t, &whole.first[k], &tiles.first[i]);
        }
        if (!copy)
        {
            return false;
        }
        ++*copies;
    }
    return at == whole.count;
}

// Whether each contact is like one of the others.
static bool are_covered(const tiling *t, some these, some others)
{
    for (uint32_t i = 0; i < these.count; ++i)
    {
        bool found = false;
        for (uint32_t k = 0; k < others.count; ++k)
        {
            found = found || alike_rounded(t, &these.first[i], &others.first[k]);
        }
        if (!found)
        {
            return false;
        }
    }
    return true;
}

typedef struct tally
{
    uint32_t contacts, across, copies;
} tally;

// Counts the contacts, those of shapes that have some with several tiles, and copies.
static void expect_same_contacts(const twins *w, uint64_t seed, tally *out)
{
    abut_contact *list[2];
    uint32_t count[2];
    for (int i = 0; i < 2; ++i)
    {
        detect(w->world[i]);
        count[i] = list_contacts(w->world[i], i ? w->tiling : NULL, &list[i]);
    }
    for (uint32_t shape = 0; shape < SHAPES; ++shape)
    {
        const some whole = of_shape(list[0], count[0], shape), tiles = of_shape(list[1], count[1], shape);
        const tiling *t = w->tiling;
        const bool same = t->is_rounded ? are_covered(t, whole, tiles) && are_covered(t, tiles, whole)
                                        : are_same(t, whole, tiles, &out->copies);
        // Where the whole ends, a tile cannot tell that from where its ring does.
        const bool has_more =
            w->at_end[shape] && whole.count > 0 && whole.count < tiles.count && are_covered(t, whole, tiles);
        out->copies += !same && has_more ? tiles.count - whole.count : 0;
        if (!same && !has_more)
        {
            say("whole", &whole);
            say("tiles", &tiles);
            fail_msg("seed %llu: shape %u", (unsigned long long)seed, shape);
        }
        bool several = false;
        for (uint32_t i = 0; i < tiles.count; ++i)
        {
            several = several || tiles.first[i].b.slot != tiles.first[0].b.slot;
        }
        out->across += several ? tiles.count : 0;
    }
    out->contacts += count[0];
    free(list[0]);
    free(list[1]);
}

static void contacts_of(uint64_t first, uint64_t end, tiling (*make)(random_source *, relief, uint32_t), double size,
                        uint32_t rings)
{
    tally all = { 0 };
    for (uint64_t seed = first; seed < end; ++seed)
    {
        random_source random = random_start(seed);
        tiling t = make(&random, (relief)(seed % 3), rings);
        twins w = open_twins(&random, &t, size * t.cell);
        expect_same_contacts(&w, seed, &all);
        expect_sound(w.world[1]);
        close_twins(&w);
        give_tiling(&t);
    }
    printf("%u contacts, %u of shapes on several tiles, %u copies\n", all.contacts, all.across, all.copies);
    assert_true(all.copies * 40 <= all.contacts);
    assert_true(!random_seeds_all() || end - first < 100 || all.across > 400);
}

// A ball sunk in beside a hole, the nearest of its triangle on an edge: it came out across the edge in one of the two, and
// not in the other, as rounding said on which side of the edge one goes along it.
static void nothing_is_less_deep_for_how_an_edge_is_rounded(void **state)
{
    (void)state;
    contacts_of(0x21000000006e, 0x21000000006f, rounded_field, 0.45, 1);
}

// Of shapes that are narrower than a cell; one ring is then enough.
static void fields_with_a_ring_have_the_contacts_of_the_whole(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(300);
    contacts_of(seeds.first, seeds.end, tiled_field, 0.45, 1);
}

static void fields_that_are_rounded_have_the_contacts_of_the_whole(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(300);
    contacts_of(seeds.first, seeds.end, rounded_field, 0.45, 1);
}

static void fields_with_wide_rings_have_the_contacts_of_the_whole(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(300);
    contacts_of(seeds.first, seeds.end, tiled_field, 1.9, 4);
}

// Triangles are uneven, and the narrowest narrower than the shapes: these may be in a triangle that is beside none of a
// tile's own and in one of these all the same.
static void meshes_with_neighbours_have_the_contacts_of_the_whole(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(600);
    contacts_of(seeds.first, seeds.end, tiled_mesh, 0.45, 2);
}

// Of shapes that are wider than a ring that is too narrow for them. Which tile has a contact may then be in doubt, but
// not whether one has it.
static void tiles_do_not_all_leave_a_contact_to_another(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(120);
    uint32_t shapes = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        tiling t = (seed % 2 ? tiled_mesh : tiled_field)(&random, (relief)(seed % 3), 1);
        twins w = open_twins(&random, &t, 2.5 * t.cell);
        abut_contact *list[2];
        uint32_t count[2];
        for (int i = 0; i < 2; ++i)
        {
            detect(w.world[i]);
            count[i] = list_contacts(w.world[i], NULL, &list[i]);
        }
        for (uint32_t shape = 0; shape < SHAPES; ++shape)
        {
            const bool touches = of_shape(list[0], count[0], shape).count > 0;
            shapes += touches;
            if (touches && of_shape(list[1], count[1], shape).count == 0)
            {
                fail_msg("seed %llu: shape %u has no contact", (unsigned long long)seed, shape);
            }
        }
        free(list[0]);
        free(list[1]);
        close_twins(&w);
        give_tiling(&t);
    }
    assert_true(!random_seeds_all() || shapes > 1000);
}

// A hit of the whole, or of the tiles: the latter's child is as the whole has it.
static abut_hit hit_of(const twins *w, int i, const abut_ray *ray, const abut_cast *cast)
{
    abut_hit hit;
    assert_int_equal(ray ? abut_world_ray_closest(w->world[i], ray, NULL, &hit)
                         : abut_world_cast_closest(w->world[i], cast, NULL, &hit),
                     ABUT_OK);
    if (i && hit.body.generation != 0)
    {
        hit.child = w->tiling->child_of[hit.body.slot][hit.child];
    }
    return hit;
}

static bool expect_same_hit(const twins *w, const abut_ray *ray, const abut_cast *cast)
{
    const abut_hit one = hit_of(w, 0, ray, cast), other = hit_of(w, 1, ray, cast);
    const double off = w->tiling->off;
    assert_int_equal(one.body.generation != 0, other.body.generation != 0);
    assert_true(fabs((double)one.fraction - (double)other.fraction) <= off);
    assert_true(one.child != other.child || near_vectors(one.normal, other.normal, 10.0 * off));
    return one.body.generation != 0;
}

// The nearest point may be on an edge of two triangles, either of which is measured: then their floats may differ.
static void expect_same_distance(const twins *w, const abut_near near[2])
{
    const double one = (double)near[0].distance, other = (double)near[1].distance;
    assert_true(fabs(one - other) <= w->tiling->off + 0x1p-23 * one);
}

// What a shape overlaps, and how far it is from the rest.
static void expect_same_nearness(const twins *w, const abut_placed_shape *asker)
{
    abut_near near[2];
    abut_found found[TILES];
    uint32_t count[2];
    for (int i = 0; i < 2; ++i)
    {
        assert_int_equal(abut_world_overlap_shape(w->world[i], asker, NULL, found, TILES, &count[i]), ABUT_OK);
    }
    assert_int_equal(count[0] > 0, count[1] > 0);
    for (int i = 0; i < 2; ++i)
    {
        assert_int_equal(abut_world_nearest_shape(w->world[i], asker, 100.0f, NULL, &near[i], 1, &count[i]), ABUT_OK);
        assert_int_equal(count[i] > 0, true);
    }
    expect_same_distance(w, near);
    for (int i = 0; i < 2; ++i)
    {
        const abut_vec3 at = asker->pose.position;
        assert_int_equal(abut_world_nearest(w->world[i], &at, 100.0f, NULL, &near[i], 1, &count[i]), ABUT_OK);
    }
    expect_same_distance(w, near);
}

static void queries_of_tiles_are_those_of_the_whole(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(200);
    uint32_t hits = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        tiling t = (seed % 2 ? tiled_mesh : tiled_field)(&random, (relief)(seed % 3), 1 + random_below(&random, 3));
        twins w = { .world = { open_world(NULL), open_world(NULL) }, .tiling = &t };
        abut_geometry *hull = some_hull(&random, 0.4 * t.cell);
        add_surfaces(&w);
        assert_int_equal(abut_world_update(w.world[0]), ABUT_OK);
        assert_int_equal(abut_world_update(w.world[1]), ABUT_OK);
        for (uint32_t i = 0; i < 40; ++i)
        {
            const abut_pose from = some_pose(&random, &t, t.cell), to = some_pose(&random, &t, t.cell);
            abut_ray ray = { from.position, abut_vec3_sub(to.position, from.position) };
            ray.origin.y += (float)t.cell;
            ray.translation.y -= (float)(2.0 * t.cell);
            const abut_cast cast = { .shape = some_shape(&random, 0.4 * t.cell, hull),
                                     .pose = { .position = ray.origin, .rotation = from.rotation },
                                     .translation = ray.translation };
            hits += expect_same_hit(&w, &ray, NULL);
            hits += expect_same_hit(&w, NULL, &cast);
            expect_same_nearness(&w, &(abut_placed_shape){ cast.shape, from });
        }
        abut_geometry_release(hull);
        close_twins(&w);
        give_tiling(&t);
    }
    printf("%u hits\n", hits);
    assert_true(!random_seeds_all() || hits > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_less_deep_for_how_an_edge_is_rounded),
        cmocka_unit_test(fields_with_a_ring_have_the_contacts_of_the_whole),
        cmocka_unit_test(fields_that_are_rounded_have_the_contacts_of_the_whole),
        cmocka_unit_test(fields_with_wide_rings_have_the_contacts_of_the_whole),
        cmocka_unit_test(meshes_with_neighbours_have_the_contacts_of_the_whole),
        cmocka_unit_test(tiles_do_not_all_leave_a_contact_to_another),
        cmocka_unit_test(queries_of_tiles_are_those_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
