// The kernels of the narrow phase decide whether shapes overlap, as they do for abut_overlap: the asking shape is the
// first of each pair, and the proxies' records are copied beside its own.
#include "query/overlap_tests.h"

#include "narrow/compound/compound_queries.h"
#include "narrow/mesh/mesh_queries.h"
#include "narrow/placed.h"
#include "query/ray_shape.h"

#include <math.h>
#include <string.h>

void ab_overlap_shape_make(ab_overlap_shape *out, const abut_world *world, const abut_shape *shape,
                           const abut_pose *pose)
{
    out->world = world;
    out->shape = shape;
    out->centre = pose->position;
    ab_record_make(&out->record, &world->state.kind_set, shape, pose, 0);
}

// Index 0 is the asking shape, index i + 1 proxy i.
typedef struct beside
{
    _Alignas(AB_CACHE_LINE) ab_record record[AB_OVERLAP_BATCH + 1];
    abut_vec3 offset[AB_OVERLAP_BATCH + 1];
    abut_shape shape[AB_OVERLAP_BATCH + 1];
    uint32_t own[AB_OVERLAP_BATCH + 1]; // each its own index
    uint32_t a[AB_OVERLAP_BATCH + AB_WIDEST], b[AB_OVERLAP_BATCH + AB_WIDEST];
    uint32_t count[AB_KIND_COUNT]; // proxies of each kind, and which
    uint8_t of_kind[AB_KIND_COUNT][AB_OVERLAP_BATCH];
} beside;

static void lay_beside(beside *s, const ab_overlap_shape *asker, const uint32_t *proxies, uint32_t count)
{
    const ab_proxies *all = &asker->world->cache.proxies;
    s->record[0] = asker->record;
    s->shape[0] = *asker->shape;
    s->offset[0] = abut_vec3_make(0.0f, 0.0f, 0.0f);
    s->own[0] = 0;
    memset(s->count, 0, sizeof s->count);
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t proxy = proxies[i];
        s->record[i + 1] = all->record[proxy];
        s->record[i + 1].collider_key = i + 1;
        const abut_shape *shape = ab_query_shape(asker->world, proxy, &s->shape[i + 1]);
        if (shape != &s->shape[i + 1])
        {
            s->shape[i + 1] = *shape;
        }
        s->offset[i + 1] = all->offset ? all->offset[proxy] : s->offset[0];
        s->own[i + 1] = i + 1;
        const abut_shape_kind kind = s->shape[i + 1].kind;
        s->of_kind[kind][s->count[kind]++] = (uint8_t)(i + 1);
    }
}

// Pairs of the asking shape with the proxies of one kind, padded as kernels require.
static void pair_up(beside *s, abut_shape_kind kind)
{
    const uint32_t pairs = s->count[kind];
    uint32_t *const proxies = s->shape[0].kind > kind ? s->a : s->b, *const asker = proxies == s->a ? s->b : s->a;
    for (uint32_t i = 0; i < pairs + AB_WIDEST; ++i)
    {
        proxies[i] = s->of_kind[kind][i < pairs ? i : 0];
        asker[i] = 0;
    }
}

void ab_overlap_test_shape(const void *context, const uint32_t *proxies, uint32_t count, bool *overlapping)
{
    const ab_overlap_shape *asker = context;
    const abut_world *world = asker->world;
    beside s;
    lay_beside(&s, asker, proxies, count);
    for (uint32_t i = 0; i < count; ++i)
    {
        overlapping[i] = false;
    }
    for (abut_shape_kind kind = 1; kind < AB_KIND_COUNT; ++kind)
    {
        uint32_t touching[AB_OVERLAP_BATCH + AB_WIDEST];
        if (s.count[kind] == 0)
        {
            continue;
        }
        pair_up(&s, kind);
        const abut_shape_kind own = asker->shape->kind;
        const ab_pair_type *type = own < kind ? &world->table->type[own][kind] : &world->table->type[kind][own];
        const ab_batch batch = { .records = s.record,
                                 .offsets = world->cache.proxies.offset ? s.offset : NULL,
                                 .colliders = s.own,
                                 .shapes = s.shape,
                                 .kinds = &world->state.kind_set,
                                 .a = s.a,
                                 .b = s.b,
                                 .count = s.count[kind],
                                 .is_2d = world->state.is_2d };
        const uint32_t found = type->touching(&batch, touching);
        for (uint32_t i = 0; i < found; ++i)
        {
            overlapping[s.a[touching[i]] + s.b[touching[i]] - 1] = true;
        }
    }
}

void ab_overlap_test_point(const void *context, const uint32_t *proxies, uint32_t count, bool *overlapping)
{
    const ab_overlap_point *asker = context;
    const abut_world *world = asker->world;
    ab_ray_target target = { .kinds = &world->state.kind_set, .kernels = world->kernels };
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_ray_found found;
        abut_shape room;
        target.record = &world->cache.proxies.record[proxies[i]];
        target.shape = ab_query_shape(world, proxies[i], &room);
        ab_query_place(world, proxies[i], asker->point, target.from);
        for (int k = 0; k < 3; ++k)
        {
            target.from[k] = -target.from[k];
        }
        overlapping[i] = ab_ray_test(&target, 0, &found);
    }
}

void ab_plane_normalise(const abut_plane *plane, double normal[3], double *offset)
{
    const double n[3] = { (double)plane->normal.x, (double)plane->normal.y, (double)plane->normal.z };
    const double length = sqrt(ab_dot(n, n));
    for (int k = 0; k < 3; ++k)
    {
        normal[k] = n[k] / length;
    }
    *offset = (double)plane->offset / length;
}

// The point of the shape that is farthest in decides.
static bool reaches_into(const ab_convex *shape, const abut_plane *plane)
{
    double normal[3], offset, inward[3], farthest[3];
    ab_plane_normalise(plane, normal, &offset);
    for (int k = 0; k < 3; ++k)
    {
        inward[k] = -normal[k];
    }
    ab_convex_support(shape, inward, farthest);
    return ab_dot(farthest, normal) - shape->core.rounding <= offset;
}

static bool reaches_into_all(const void *context, const ab_convex *shape)
{
    const abut_region *region = context;
    bool all = true;
    for (uint32_t k = 0; k < region->plane_count && all; ++k)
    {
        all = reaches_into(shape, &region->planes[k]);
    }
    return all;
}

#ifdef AB_MESHES
// Whether a triangle reaches into every half-space.
static bool triangle_reaches_into(const void *context, double corner[3][3])
{
    const abut_region *region = context;
    bool all = true;
    for (uint32_t k = 0; k < region->plane_count && all; ++k)
    {
        double normal[3], offset;
        ab_plane_normalise(&region->planes[k], normal, &offset);
        all = ab_dot(corner[0], normal) <= offset || ab_dot(corner[1], normal) <= offset ||
              ab_dot(corner[2], normal) <= offset;
    }
    return all;
}
#endif

void ab_overlap_test_region(const void *context, const uint32_t *proxies, uint32_t count, bool *overlapping)
{
    const ab_overlap_region *asker = context;
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_convex shape;
        abut_shape room;
        overlapping[i] = ab_proxies_has_box(&asker->world->cache.proxies, proxies[i]);
        if (!overlapping[i]) // the index lets it through a region that holds everything
        {
            continue;
        }
        ab_query_convex(asker->world, proxies[i], abut_vec3_make(0.0f, 0.0f, 0.0f), &room, &shape);
#ifdef AB_MESHES
        if (shape.row->parts)
        {
            overlapping[i] = shape.row->surface ? ab_mesh_some(&shape, triangle_reaches_into, asker->region)
                                                : ab_compound_some(&shape, reaches_into_all, asker->region);
            continue;
        }
#endif
        overlapping[i] = reaches_into_all(asker->region, &shape);
    }
}
