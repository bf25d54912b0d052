// The kernels of the narrow phase decide whether shapes overlap, as they do for abut_overlap; children are measured.
#include "query/overlap_tests.h"

#include "narrow/compound/compound_queries.h"
#include "narrow/mesh/mesh_queries.h"
#include "narrow/placed.h"
#include "query/beside.h"
#include "query/ray_shape.h"

#include <math.h>
#include <string.h>

void ab_overlap_test_shape(const void *context, const uint32_t *proxies, uint32_t count, bool *overlapping)
{
    const ab_overlap_shape *asker = context;
    ab_record record; // made here, for mostly the balls about a shape decide
    ab_beside s;
    ab_record_make(&record, &asker->world->state.kind_set, asker->shape, &asker->pose, 0);
    ab_beside_lay(&s, asker->world, &record, asker->shape, proxies, count);
    for (uint32_t i = 0; i < count; ++i)
    {
        overlapping[i] = false;
    }
    for (abut_shape_kind kind = 1; kind < AB_KIND_COUNT; ++kind)
    {
        uint32_t touching[AB_BESIDE + AB_WIDEST];
        ab_batch batch;
        if (s.count[kind] == 0)
        {
            continue;
        }
        const ab_pair_type *type = ab_beside_pair_up(&s, asker->world, kind, &batch);
        const uint32_t found = type->touching(&batch, touching);
        for (uint32_t i = 0; i < found; ++i)
        {
            overlapping[s.a[touching[i]] + s.b[touching[i]] - 1] = true;
        }
    }
}

// A ray without length at the point.
static void lay_target(ab_ray_target *out, const ab_overlap_point *asker, uint32_t proxy, abut_shape *room)
{
    const abut_world *world = asker->world;
    *out = (ab_ray_target){ .record = &world->cache.proxies.record[proxy],
                            .shape = ab_query_shape(world, proxy, room),
                            .kinds = &world->state.kind_set,
                            .kernels = world->kernels };
    ab_query_place(world, proxy, asker->point, out->from);
    for (int k = 0; k < 3; ++k)
    {
        out->from[k] = -out->from[k];
    }
}

void ab_overlap_test_point(const void *context, const uint32_t *proxies, uint32_t count, bool *overlapping)
{
    const ab_overlap_point *asker = context;
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_ray_target target;
        ab_ray_found found;
        abut_shape room;
        lay_target(&target, asker, proxies[i], &room);
        overlapping[i] = ab_ray_test(&target, 0, &found);
    }
}

static void widen(abut_vec3 v, double out[3])
{
    out[0] = (double)v.x;
    out[1] = (double)v.y;
    out[2] = (double)v.z;
}

void ab_plane_normalise(const abut_plane *plane, double normal[3], double *offset)
{
    double n[3];
    widen(plane->normal, n);
    const double length = sqrt(ab_dot(n, n));
    for (int k = 0; k < 3; ++k)
    {
        normal[k] = n[k] / length;
    }
    *offset = (double)plane->offset / length;
}

// The point of the shape that is farthest in decides. Planes are compared as they are given, so that what is exactly on
// them is not rounded off.
static bool reaches_into(const ab_convex *shape, const abut_plane *plane)
{
    double normal[3], inward[3], farthest[3];
    widen(plane->normal, normal);
    for (int k = 0; k < 3; ++k)
    {
        inward[k] = -normal[k];
    }
    ab_convex_support(shape, inward, farthest);
    return ab_dot(farthest, normal) - shape->core.rounding * sqrt(ab_dot(normal, normal)) <= (double)plane->offset;
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
        double normal[3];
        const double offset = (double)region->planes[k].offset;
        widen(region->planes[k].normal, normal);
        all = ab_dot(corner[0], normal) <= offset || ab_dot(corner[1], normal) <= offset ||
              ab_dot(corner[2], normal) <= offset;
    }
    return all;
}

#define BOX_SLACK 0x1p-40 // of what is added up

// Whether the box does: its corner that is farthest in.
static bool box_may_reach_into(const void *context, const ab_convex *box)
{
    const abut_region *region = context;
    bool all = true;
    for (uint32_t k = 0; k < region->plane_count && all; ++k)
    {
        double normal[3], in = 0.0, size = fabs((double)region->planes[k].offset);
        widen(region->planes[k].normal, normal);
        for (int i = 0; i < 3; ++i)
        {
            in += box->core.half[i] * fabs(ab_dot(box->axis + 3 * i, normal));
            size += fabs(box->centre[i] * normal[i]);
        }
        all = ab_dot(box->centre, normal) - in - BOX_SLACK * (size + in) <= (double)region->planes[k].offset;
    }
    return all;
}

// Shows the children of a placed mesh, compound or chain that reach into every half-space.
static bool find_within(const abut_region *region, const ab_convex *placed, ab_mesh_see *see, void *seer)
{
    return ab_mesh_of(placed->shape)
               ? ab_mesh_find_passing(placed, triangle_reaches_into, box_may_reach_into, region, see, seer)
               : ab_compound_find_passing(placed, reaches_into_all, region, see, seer);
}
#endif

bool ab_overlap_is_enough(void *context, uint32_t child)
{
    (void)context;
    (void)child;
    return false;
}

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
            overlapping[i] = !find_within(asker->region, &shape, ab_overlap_is_enough, NULL);
            continue;
        }
#endif
        overlapping[i] = reaches_into_all(asker->region, &shape);
    }
}

#ifdef AB_MESHES
bool ab_overlap_children_of_shape(const void *context, uint32_t proxy, ab_mesh_see *see, void *seer)
{
    const ab_overlap_shape *asker = context;
    ab_convex convex, placed;
    abut_shape room;
    ab_query_asker(asker->world, asker->shape, &asker->pose, &convex);
    ab_query_convex(asker->world, proxy, asker->pose.position, &room, &placed);
    return ab_parts_find_overlapping(&convex, &placed, see, seer);
}

typedef struct passing
{
    ab_mesh_see *see;
    void *seer;
    bool more;
} passing;

static void pass_on(void *context, const ab_ray_found *found)
{
    passing *p = context;
    p->more = p->more && p->see(p->seer, found->child);
}

bool ab_overlap_children_of_point(const void *context, uint32_t proxy, ab_mesh_see *see, void *seer)
{
    const ab_overlap_point *asker = context;
    ab_ray_target target;
    abut_shape room;
    passing p = { see, seer, true };
    lay_target(&target, asker, proxy, &room);
    ab_ray_test_each(&target, 0, pass_on, &p);
    return p.more;
}

bool ab_overlap_children_of_region(const void *context, uint32_t proxy, ab_mesh_see *see, void *seer)
{
    const ab_overlap_region *asker = context;
    ab_convex placed;
    abut_shape room;
    if (!ab_proxies_has_box(&asker->world->cache.proxies, proxy)) // the index lets it through
    {
        return true;
    }
    ab_query_convex(asker->world, proxy, abut_vec3_make(0.0f, 0.0f, 0.0f), &room, &placed);
    return find_within(asker->region, &placed, see, seer);
}
#endif
