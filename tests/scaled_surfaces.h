// Random surfaces and scales, with neighbouring surfaces and materials: what is scaled, and the same made by hand from
// the products.
#ifndef SCALED_SURFACES_H
#define SCALED_SURFACES_H

#include "mesh_makers.h"

#define SURFACE_SIDE 9u    // columns and rows of a field, at most
#define SURFACE_MOST 1024u // triangles

typedef struct surface
{
    bool is_grid, two_sided, has_materials;
    mesh_maker mesh;
    uint32_t neighbours; // of the mesh's triangles, the last
    float heights[SURFACE_SIDE * SURFACE_SIDE];
    uint8_t cells[SURFACE_SIDE * SURFACE_SIDE];
    uint16_t materials[SURFACE_MOST];
    abut_heightfield_def field;
} surface;

static inline double surface_bumps(void *context, double x, double z)
{
    (void)x, (void)z;
    random_source *random = context;
    return random_chance(random, 0.3) ? 0.0 : random_between(random, -0.3, 0.3);
}

// Triangles that may cross each other.
static inline void surface_soup(mesh_maker *m, random_source *random)
{
    for (uint32_t i = 0; i < 20; ++i)
    {
        const dvec3 at = random_in_box(random, 1.0);
        mesh_vertex(m, at.x, at.y, at.z);
    }
    for (uint32_t i = 0; i < 40; ++i)
    {
        const uint32_t a = random_below(random, 20), b = (a + 1 + random_below(random, 10)) % 20;
        mesh_triangle(m, a, b, (b + 1 + random_below(random, 8)) % 20);
    }
}

// The cross product of two edges of three vertices is not zero, by far.
static inline bool surface_has_area(const mesh_maker *m, uint32_t a, uint32_t b, uint32_t c)
{
    const abut_vec3 p = m->vertices[a], q = m->vertices[b], r = m->vertices[c];
    const dvec3 u = dvec3_make((double)q.x - p.x, (double)q.y - p.y, (double)q.z - p.z),
                v = dvec3_make((double)r.x - p.x, (double)r.y - p.y, (double)r.z - p.z);
    const dvec3 n = dvec3_make(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x);
    return dvec3_length(n) > 0x1p-40;
}

// Triangles between an edge and a vertex that is one unit in the last place beside it: scales bring some onto a line.
static inline void surface_slivers(mesh_maker *m, random_source *random)
{
    const uint32_t count = m->triangle_count;
    for (uint32_t i = 0; i < count; i += 3)
    {
        const uint32_t a = m->indices[3 * (size_t)i], b = m->indices[3 * (size_t)i + 1];
        const abut_vec3 p = m->vertices[a], q = m->vertices[b];
        const float x = 0.5f * (p.x + q.x), y = 0.5f * (p.y + q.y), z = 0.5f * (p.z + q.z),
                    beside = random_chance(random, 0.5) ? nextafterf(y, 2.0f) : y;
        const uint32_t middle = mesh_vertex(m, (double)x, (double)beside, (double)z);
        if (surface_has_area(m, b, a, middle))
        {
            mesh_triangle(m, b, a, middle);
        }
    }
}

static inline void surface_grid(surface *s, random_source *random)
{
    const double bare = random_chance(random, 0.5) ? 0.0 : 0.3;
    s->field = (abut_heightfield_def){ .columns = 2 + random_below(random, SURFACE_SIDE - 1),
                                       .rows = 2 + random_below(random, SURFACE_SIDE - 1),
                                       .step_x = (float)random_scale(random, 0.1, 1.0),
                                       .step_z = (float)random_scale(random, 0.1, 1.0) };
    for (uint32_t i = 0; i < SURFACE_SIDE * SURFACE_SIDE; ++i)
    {
        s->heights[i] = (float)surface_bumps(random, 0, 0);
        s->cells[i] = i > 0 && random_chance(random, bare) ? (uint8_t)(1 + random_below(random, 2)) : 0;
    }
}

// Some of the triangles are of neighbours from now on: the last ones, or any.
static inline void surface_give_away(surface *s, random_source *random)
{
    const uint32_t count = s->mesh.triangle_count;
    const bool any = random_chance(random, 0.5);
    for (uint32_t i = count; any && i-- > 1;)
    {
        uint32_t *one = s->mesh.indices + 3 * (size_t)i,
                 *other = s->mesh.indices + 3 * (size_t)random_below(random, i + 1), kept[3];
        memcpy(kept, one, sizeof kept);
        memmove(one, other, sizeof kept);
        memcpy(other, kept, sizeof kept);
    }
    s->neighbours = random_below(random, count / 2 + 1);
}

static inline void surface_paint(surface *s, random_source *random)
{
    s->has_materials = true;
    for (uint32_t i = 0; i < SURFACE_MOST; ++i)
    {
        s->materials[i] = (uint16_t)random_below(random, 65536);
    }
}

static inline surface random_surface(random_source *random, bool may_be_grid)
{
    surface s = { .two_sided = random_chance(random, 0.3) };
    switch (random_below(random, may_be_grid ? 5 : 4))
    {
    case 0:
        mesh_field(&s.mesh, random, 1 + random_below(random, 9), 1 + random_below(random, 9), 1.0, 1.0, 0.3,
                   surface_bumps, random);
        break;
    case 1:
        mesh_cylinder(&s.mesh, random, 5 + random_below(random, 20), 3, 0.7, 1.0, random_chance(random, 0.5));
        break;
    case 2:
        surface_soup(&s.mesh, random);
        break;
    case 3:
        mesh_field(&s.mesh, random, 4, 4, 1.0, 1.0, 0.3, surface_bumps, random);
        surface_slivers(&s.mesh, random);
        break;
    default:
        s.is_grid = true;
        surface_grid(&s, random);
    }
    assert_true(s.mesh.triangle_count <= SURFACE_MOST);
    if (!s.is_grid && random_chance(random, 0.5))
    {
        surface_give_away(&s, random);
    }
    if (random_chance(random, 0.5))
    {
        surface_paint(&s, random);
    }
    return s;
}

static inline void surface_close(surface *s)
{
    mesh_maker_close(&s->mesh);
}

static inline float random_factor(random_source *random, double most, bool may_mirror)
{
    const double size = random_scale(random, 1.0 / most, most);
    return (float)(may_mirror ? random_sign(random) * size : size);
}

// Some are the same along all axes, and some are powers of two.
static inline abut_vec3 random_scale_of(random_source *random, const surface *s)
{
    const double most = random_chance(random, 0.5) ? 3.0 : 1e3;
    const bool may_mirror = !s->is_grid && random_chance(random, 0.5);
    const float x = random_factor(random, most, may_mirror), y = random_factor(random, most, may_mirror),
                z = random_factor(random, most, may_mirror);
    switch (random_below(random, 6))
    {
    case 0:
        return abut_vec3_make(x, x, x);
    case 1:
        return abut_vec3_make(0.5f, may_mirror ? -4.0f : 4.0f, 1.0f);
    default:
        return abut_vec3_make(x, y, z);
    }
}

static inline abut_geometry *surface_made(const surface *s)
{
    abut_geometry *out;
    if (s->is_grid)
    {
        abut_heightfield_def def = s->field;
        def.heights = s->heights;
        def.cells = s->cells;
        def.materials = s->has_materials ? s->materials : NULL;
        def.two_sided = s->two_sided;
        assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &out), ABUT_OK);
        return out;
    }
    abut_mesh_def def = mesh_def_of(&s->mesh);
    def.two_sided = s->two_sided;
    def.neighbour_count = s->neighbours;
    def.materials = s->has_materials ? s->materials : NULL;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &out), ABUT_OK);
    return out;
}

// The surface of the products: of a mirrored one, triangles go the other way round.
static inline surface surface_scaled(const surface *s, abut_vec3 scale)
{
    surface out = *s;
    if (s->is_grid)
    {
        out.field.step_x *= scale.x;
        out.field.step_z *= scale.z;
        for (uint32_t i = 0; i < SURFACE_SIDE * SURFACE_SIDE; ++i)
        {
            out.heights[i] *= scale.y;
        }
        return out;
    }
    const bool turned = (scale.x < 0) != ((scale.y < 0) != (scale.z < 0));
    out.mesh = (mesh_maker){ 0 };
    for (uint32_t i = 0; i < s->mesh.vertex_count; ++i)
    {
        const abut_vec3 v = s->mesh.vertices[i];
        const float x = v.x * scale.x, y = v.y * scale.y, z = v.z * scale.z;
        mesh_vertex(&out.mesh, (double)x, (double)y, (double)z);
    }
    for (uint32_t i = 0; i < s->mesh.triangle_count; ++i)
    {
        const uint32_t *v = s->mesh.indices + 3 * (size_t)i;
        mesh_triangle(&out.mesh, v[0], v[turned ? 2 : 1], v[turned ? 1 : 2]);
    }
    return out;
}

static inline abut_geometry *scaled_made(const abut_geometry *original, abut_vec3 scale)
{
    abut_geometry *out;
    assert_int_equal(abut_geometry_create_scaled(original, scale, NULL, &out), ABUT_OK);
    return out;
}

// A scaled geometry whose original's handle is released, and the same made by hand.
static inline void surface_pair(const surface *s, abut_vec3 scale, abut_geometry *out[2])
{
    abut_geometry *original = surface_made(s);
    surface by_hand = surface_scaled(s, scale);
    out[0] = scaled_made(original, scale);
    out[1] = surface_made(&by_hand);
    abut_geometry_release(original);
    if (!s->is_grid)
    {
        surface_close(&by_hand);
    }
}

#endif
