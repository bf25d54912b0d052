// Surfaces in tiles, each of which knows what is beside it: together they have the contacts and hits of the whole.
#include "hull_clouds.h"
#include "mesh_makers.h"

#include <abut/query.h>

#include <stdio.h>

enum
{
    SHAPES = 60,
    TILES = 4,
    ACROSS = 24 // cells of a field, at most
};

// A surface as a whole and in tiles.
typedef struct tiling
{
    abut_geometry *whole, *tile[TILES];
    abut_vec3 at[TILES];       // where the tiles are; the whole is at the origin
    uint32_t *child_of[TILES]; // by a tile's triangle: the whole's
    uint32_t tiles;
    double half, cell; // of the square that it is over, and of a cell's or triangle's side
    double off;        // of contacts: by the rounding of the tiles' frames; meshes have the whole's
    bool is_rounded;   // corners of tiles, too, are not quite where the whole's are
} tiling;

static void give_tiling(tiling *t)
{
    abut_geometry_release(t->whole);
    for (uint32_t i = 0; i < t->tiles; ++i)
    {
        abut_geometry_release(t->tile[i]);
        free(t->child_of[i]);
    }
}

typedef enum relief
{
    FLAT,
    SMOOTH,
    BUMPY
} relief;

static double height_at(random_source *random, relief kind, double cell, double x, double z)
{
    return kind == FLAT     ? 0.0
           : kind == SMOOTH ? 2.0 * cell * sin(0.4 * x / cell) * cos(0.3 * z / cell)
                            : cell * random_between(random, -0.5, 0.5);
}

// A range of the whole field's cells.
typedef struct range
{
    uint32_t first[2], end[2]; // columns, rows
} range;

static bool is_within(const range *r, uint32_t column, uint32_t row)
{
    return column >= r->first[0] && column < r->end[0] && row >= r->first[1] && row < r->end[1];
}

static range widened(const range *r, uint32_t rings, const abut_heightfield_def *whole)
{
    const uint32_t most[2] = { whole->columns - 1, whole->rows - 1 };
    range out;
    for (int k = 0; k < 2; ++k)
    {
        out.first[k] = r->first[k] > rings ? r->first[k] - rings : 0;
        out.end[k] = r->end[k] + rings < most[k] ? r->end[k] + rings : most[k];
    }
    return out;
}

static double middle_of(uint32_t first, uint32_t count, uint32_t all, double step)
{
    return step * (first + 0.5 * (count - 1.0) - 0.5 * (all - 1.0));
}

// The tile with these cells of the whole field, and so many rings of what is around them.
static void add_field_tile(tiling *t, const abut_heightfield_def *whole, const range *own, uint32_t rings)
{
    const range all = widened(own, rings, whole);
    const uint32_t across = all.end[0] - all.first[0], down = all.end[1] - all.first[1];
    float heights[(ACROSS + 1) * (ACROSS + 1)];
    uint8_t cells[ACROSS * ACROSS];
    uint32_t *child_of = malloc(2 * (size_t)across * down * sizeof *child_of);
    assert_non_null(child_of);
    for (uint32_t row = 0; row <= down; ++row)
    {
        memcpy(heights + row * (across + 1), whole->heights + (all.first[1] + row) * whole->columns + all.first[0],
               (across + 1) * sizeof *heights);
    }
    for (uint32_t i = 0; i < across * down; ++i)
    {
        const uint32_t column = all.first[0] + i % across, row = all.first[1] + i / across;
        const uint32_t cell = row * (whole->columns - 1) + column;
        const bool here = is_within(own, column, row);
        cells[i] =
            (uint8_t)(whole->cells[cell] == ABUT_CELL_SURFACE && !here ? ABUT_CELL_NEIGHBOUR : whole->cells[cell]);
        child_of[2 * i] = 2 * cell;
        child_of[2 * i + 1] = 2 * cell + 1;
    }
    abut_heightfield_def def = *whole;
    def.heights = heights;
    def.cells = cells;
    def.columns = across + 1;
    def.rows = down + 1;
    const uint32_t tile = t->tiles++;
    t->child_of[tile] = child_of;
    t->at[tile].x = (float)middle_of(all.first[0], def.columns, whole->columns, (double)def.step_x);
    t->at[tile].z = (float)middle_of(all.first[1], def.rows, whole->rows, (double)def.step_z);
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &t->tile[tile]), ABUT_OK);
}

// Four tiles.
static tiling tiled_field_of(random_source *random, relief kind, uint32_t rings, double cell, double off)
{
    float heights[(ACROSS + 1) * (ACROSS + 1)];
    uint8_t cells[ACROSS * ACROSS];
    tiling t = { .cell = cell, .off = off };
    const uint32_t across = 12 + random_below(random, ACROSS - 11);
    const double holes = random_chance(random, 0.3) ? 0.1 : 0.0;
    t.half = 0.5 * across * t.cell;
    for (uint32_t i = 0; i < (across + 1) * (across + 1); ++i)
    {
        heights[i] = (float)height_at(random, kind, t.cell, i % (across + 1) * t.cell, i / (across + 1) * t.cell);
    }
    for (uint32_t i = 0; i < across * across; ++i)
    {
        cells[i] = random_chance(random, holes) ? ABUT_CELL_HOLE : ABUT_CELL_SURFACE;
    }
    const abut_heightfield_def whole = { .heights = heights,
                                         .cells = cells,
                                         .columns = across + 1,
                                         .rows = across + 1,
                                         .step_x = (float)t.cell,
                                         .step_z = (float)t.cell,
                                         .two_sided = random_chance(random, 0.3) };
    const uint32_t x = across / 2 - 2 + random_below(random, 5), z = across / 2 - 2 + random_below(random, 5);
    assert_int_equal(abut_geometry_create_heightfield(&whole, NULL, &t.whole), ABUT_OK);
    add_field_tile(&t, &whole, &(range){ { 0, 0 }, { x, z } }, rings);
    add_field_tile(&t, &whole, &(range){ { x, 0 }, { across, z } }, rings);
    add_field_tile(&t, &whole, &(range){ { 0, z }, { x, across } }, rings);
    add_field_tile(&t, &whole, &(range){ { x, z }, { across, across } }, rings);
    return t;
}

// Coordinates are exact: steps are powers of two.
static tiling tiled_field(random_source *random, relief kind, uint32_t rings)
{
    return tiled_field_of(random, kind, rings, random_chance(random, 0.5) ? 1.0 : 0.25, 1e-6);
}

// They are rounded in each tile.
static tiling rounded_field(random_source *random, relief kind, uint32_t rings)
{
    const double cell = (double)(float)random_scale(random, 0.2, 2.0);
    tiling t = tiled_field_of(random, kind, rings, cell, 1e-4 * cell);
    t.is_rounded = true;
    return t;
}

// Marks the vertices of the triangles that have a mark, or the triangles that have a vertex with one.
static void spread(const mesh_maker *m, uint8_t *triangles, uint8_t *vertices, bool to_triangles)
{
    for (uint32_t i = 0; i < 3 * m->triangle_count; ++i)
    {
        uint8_t *triangle = &triangles[i / 3], *vertex = &vertices[m->indices[i]];
        *(to_triangles ? triangle : vertex) |= *(to_triangles ? vertex : triangle);
    }
}

// The tile of the triangles of one owner, in the frame of the whole, and so many rings around them.
static void add_mesh_tile(tiling *t, const mesh_maker *m, const uint8_t *owner, uint8_t which, uint32_t rings,
                          bool two_sided)
{
    uint8_t *near = calloc(m->triangle_count, 1), *vertices = calloc(m->vertex_count, 1);
    uint32_t *child_of = malloc(m->triangle_count * sizeof *child_of);
    mesh_maker part = { 0 };
    assert_true(near && vertices && child_of);
    for (uint32_t i = 0; i < m->triangle_count; ++i)
    {
        near[i] = owner[i] == which;
    }
    for (uint32_t i = 0; i < 2 * rings; ++i)
    {
        spread(m, near, vertices, i % 2 != 0);
    }
    uint32_t own = 0;
    for (int neighbours = 0; neighbours < 2; ++neighbours)
    {
        for (uint32_t i = 0; i < m->triangle_count; ++i)
        {
            if (near[i] && (owner[i] != which) == neighbours)
            {
                child_of[part.triangle_count] = i;
                mesh_triangle(&part, m->indices[3 * i], m->indices[3 * i + 1], m->indices[3 * i + 2]);
            }
        }
        own = neighbours ? own : part.triangle_count;
    }
    const abut_mesh_def def = { .vertices = m->vertices,
                                .vertex_count = m->vertex_count,
                                .indices = part.indices,
                                .triangle_count = part.triangle_count,
                                .two_sided = two_sided,
                                .neighbour_count = part.triangle_count - own };
    const uint32_t tile = t->tiles++;
    t->child_of[tile] = child_of;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &t->tile[tile]), ABUT_OK);
    assert_int_equal(abut_geometry_mesh_triangles(t->tile[tile]), own);
    mesh_maker_close(&part);
    free(near);
    free(vertices);
}

// Uneven triangles, in tiles with a ragged border; now and then a triangle is missing.
static tiling tiled_mesh(random_source *random, relief kind, uint32_t rings)
{
    tiling t = { .cell = random_scale(random, 0.1, 3.0) };
    const uint32_t across = 12 + random_below(random, ACROSS - 11);
    mesh_maker m = { 0 };
    t.half = 0.5 * across * t.cell;
    mesh_field(&m, random, across, across, t.half, t.half, 0.2, NULL, NULL);
    for (uint32_t i = 0; i < m.vertex_count; ++i)
    {
        abut_vec3 *v = &m.vertices[i];
        v->y = (float)height_at(random, kind, t.cell, (double)v->x, (double)v->z);
    }
    uint8_t *owner = malloc(m.triangle_count);
    assert_non_null(owner);
    const bool ragged = random_chance(random, 0.5), two_sided = random_chance(random, 0.3);
    for (uint32_t i = 0; i < m.triangle_count; ++i)
    {
        const abut_vec3 v = m.vertices[m.indices[3 * i + random_below(random, 3)]];
        const uint32_t row = i / (2 * across), column = i % (2 * across);
        owner[i] = ragged ? v.x + 0.3f * v.z > 0.0f : (column >= across) + 2 * (row >= across / 2);
    }
    const abut_mesh_def def = { .vertices = m.vertices,
                                .vertex_count = m.vertex_count,
                                .indices = m.indices,
                                .triangle_count = m.triangle_count,
                                .two_sided = two_sided };
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &t.whole), ABUT_OK);
    for (uint8_t which = 0; which < (ragged ? 2 : 4); ++which)
    {
        add_mesh_tile(&t, &m, owner, which, rings, two_sided);
    }
    free(owner);
    mesh_maker_close(&m);
    return t;
}

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
    twins w = { { open_world(&def), open_world(&def) }, t };
    abut_geometry *hull = some_hull(random, size);
    for (uint32_t i = 0; i < SHAPES; ++i)
    {
        abut_body_def body = { .pose = some_pose(random, t, size),
                               .collider.shape = some_shape(random, size, hull),
                               .collider.filter = { .category = 1, .mask = 1, .group = -1 } };
        abut_body made;
        let_down(random, t, size, &body.pose);
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

// The features of triangles' corners depend on rounding.
static bool same_contact(const abut_contact *p, const abut_contact *q, double off)
{
    bool same = by_child(p, q) == 0 && p->point_count == q->point_count && alike(p, q, off);
    for (uint32_t i = 0; same && i < p->point_count; ++i)
    {
        same = (off > 0.0 || p->points[i].feature == q->points[i].feature) &&
               near_vectors(p->points[i].offset, q->points[i].offset, 10.0 * off);
    }
    return same;
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

// Whether the tiles have the whole's contacts. Where a shape is equally deep below two tiles, each may have a contact:
// the others are copies.
static bool are_same(some whole, some tiles, double off, uint32_t *copies)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < tiles.count; ++i)
    {
        if (at < whole.count && same_contact(&whole.first[at], &tiles.first[i], off))
        {
            ++at;
            continue;
        }
        bool copy = false;
        for (uint32_t k = 0; k < whole.count; ++k)
        {
            copy = copy || alike(&whole.first[k], &tiles.first[i], 1e-3);
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
static bool are_covered(some these, some others, double off)
{
    for (uint32_t i = 0; i < these.count; ++i)
    {
        bool found = false;
        for (uint32_t k = 0; k < others.count; ++k)
        {
            found = found || alike(&these.first[i], &others.first[k], off);
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
        const double off = w->tiling->off;
        const bool same = w->tiling->is_rounded ? are_covered(whole, tiles, off) && are_covered(tiles, whole, off)
                                                : are_same(whole, tiles, off, &out->copies);
        if (!same)
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
    assert_true(!random_seeds_all() || all.across > 400);
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

static void meshes_with_neighbours_have_the_contacts_of_the_whole(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(600);
    contacts_of(seeds.first, seeds.end, tiled_mesh, 0.45, 1);
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
    assert_true(fabs((double)near[0].distance - (double)near[1].distance) <= w->tiling->off);
    for (int i = 0; i < 2; ++i)
    {
        const abut_vec3 at = asker->pose.position;
        assert_int_equal(abut_world_nearest(w->world[i], &at, 100.0f, NULL, &near[i], 1, &count[i]), ABUT_OK);
    }
    assert_true(fabs((double)near[0].distance - (double)near[1].distance) <= w->tiling->off);
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
        twins w = { { open_world(NULL), open_world(NULL) }, &t };
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
        cmocka_unit_test(fields_with_a_ring_have_the_contacts_of_the_whole),
        cmocka_unit_test(fields_that_are_rounded_have_the_contacts_of_the_whole),
        cmocka_unit_test(fields_with_wide_rings_have_the_contacts_of_the_whole),
        cmocka_unit_test(meshes_with_neighbours_have_the_contacts_of_the_whole),
        cmocka_unit_test(queries_of_tiles_are_those_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
