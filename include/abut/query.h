// Queries: what a ray or a moving shape hits, what overlaps a shape or region, what is nearest. See docs/queries.md.
//
// Queries see a world as the last detect, step or update left it, but never what has ended since. They change nothing
// in it: between two changes any number of threads may ask. They take up to 128 KB of stack and no memory, and call
// on_error on the thread that asks.
#ifndef ABUT_QUERY_H
#define ABUT_QUERY_H

#include <abut/collide.h>
#include <abut/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// Brings queries up to date with poses and edits, without a detect; contacts and events stay. Costs what the bounds
// stage of a detect costs. Fails with ABUT_INVALID_ARGUMENT for an invalid pose written in place of a body that queries
// may find.
ABUT_CHECKED ABUT_API abut_status abut_world_update(abut_world *world);

// Brings queries up to date with the poses and edits of `count` bodies alone, for a cost by their colliders and the
// levels of the tree; other bodies are found as before. Fails with ABUT_STALE_HANDLE, and does nothing; or with
// ABUT_INVALID_ARGUMENT for an invalid pose written in place: that body is out of sight, the others are seen.
ABUT_CHECKED ABUT_API abut_status abut_world_update_bodies(abut_world *world, const abut_body *bodies, uint32_t count);

// The segment from `origin` to origin + translation, ends included. Zero translation: a point.
typedef struct abut_ray
{
    abut_vec3 origin;      // where it begins
    abut_vec3 translation; // metres, from there to its end; fractions are of this
} abut_ray;

// Flags of a query.
enum
{
    ABUT_QUERY_SENSORS = 1u << 0,      // finds sensors, too
    ABUT_QUERY_HOLLOW = 1u << 1,       // rays: shapes are surfaces: a ray from inside one hits where it leaves
    ABUT_QUERY_SKIP_INSIDE = 1u << 2,  // does not find shapes that contain the origin, or overlap at the start
    ABUT_QUERY_ONE_PER_BODY = 1u << 3, // finds the first collider of each body only
    ABUT_QUERY_BOUNDS = 1u << 4,       // tests AABBs (abut_collider_bounds) instead of shapes, which is faster
    ABUT_QUERY_SKIP_LEAVING = 1u << 5, // casts: does not find what they overlap at the start and do not go deeper into
    ABUT_QUERY_BACK_FACES = 1u << 6,   // rays: hit one-sided meshes and chains from behind, too (ABUT_HIT_BACK)
    ABUT_QUERY_CHILDREN = 1u << 7      // overlaps, rays for all hits: each triangle, part or segment of a shape
};

// What a query finds. All zero: everything but sensors.
typedef struct abut_query_filter
{
    uint32_t category;            // of the query: it finds colliders whose mask has a bit of it; zero: all bits
    uint32_t mask;                // categories it finds; zero: all
    uint32_t motions;             // body types it finds, as bits 1 << abut_motion; zero: all
    uint32_t flags;               // ABUT_QUERY_…
    const abut_body *ignore;      // bodies it does not find; stale handles are allowed
    uint32_t ignore_count;        // of them
    const abut_body *ignore_each; // question i of a call does not find the body ignore_each[i] either; NULL: none
    const uint32_t *mask_each;    // question i of a call finds the categories mask_each[i] instead of `mask`; zero: all
} abut_query_filter;

// Flags of a hit.
enum
{
    ABUT_HIT_INSIDE = 1u << 0, // the origin is in the shape or on its surface, or a cast overlaps: fraction zero
    ABUT_HIT_BACK = 1u << 1,   // the ray leaves the shape here, or goes through a surface from behind
    ABUT_HIT_BOUND = 1u << 2   // no hit: a cast that turns hits nothing before the fraction; later is unknown
};

// What a ray or a cast hits. What a cast overlaps at the start comes first, the deepest first; then all by fraction,
// equal ones by (body slot, ordinal of the collider); of one collider those without ABUT_HIT_BACK first, then by child.
typedef struct abut_hit
{
    abut_body body;         // the body that is hit
    abut_collider collider; // its collider; all zero: nothing was hit, and the fraction is 1
    float fraction;         // of the way, 0 to 1
    abut_vec3 offset;       // of the point that is hit from the ray's origin, or the cast's position at the start
    abut_vec3 normal;       // unit, of the surface there, outward; inside: zero, of a cast the way out
    float depth;            // metres of overlap of a cast at the start
    uint32_t child;         // which triangle of a mesh, part of a compound or segment of a chain; else 0
    uint32_t flags;         // ABUT_HIT_…
} abut_hit;

// Finds the first hit of a ray. `filter` may be NULL here and below.
ABUT_CHECKED ABUT_API abut_status abut_world_ray_closest(const abut_world *world, const abut_ray *ray,
                                                         const abut_query_filter *filter, abut_hit *out);

// Finds the first hit of each of `count` rays: out[i] belongs to rays[i].
ABUT_CHECKED ABUT_API abut_status abut_world_ray_closest_many(const abut_world *world, const abut_ray *rays,
                                                              uint32_t count, const abut_query_filter *filter,
                                                              abut_hit *out);

// Finds whether a ray hits anything (line of sight). Faster than the first hit.
ABUT_CHECKED ABUT_API abut_status abut_world_ray_any(const abut_world *world, const abut_ray *ray,
                                                     const abut_query_filter *filter, bool *out);

// Finds whether each of `count` rays hits anything: out[i] belongs to rays[i].
ABUT_CHECKED ABUT_API abut_status abut_world_ray_any_many(const abut_world *world, const abut_ray *rays, uint32_t count,
                                                          const abut_query_filter *filter, bool *out);

// Finds everything a ray hits, in order. Writes at most `capacity` hits, the first ones, and the true number to *count.
// A collider has one hit, its first; with ABUT_QUERY_CHILDREN each triangle and part has one, as of abut_ray_shape_all.
ABUT_CHECKED ABUT_API abut_status abut_world_ray_all(const abut_world *world, const abut_ray *ray,
                                                     const abut_query_filter *filter, abut_hit *out, uint32_t capacity,
                                                     uint32_t *count);

// Where the results of one question are among those of all.
typedef struct abut_range
{
    uint64_t first; // the results of all questions before
    uint32_t count; // its own, written or not
} abut_range;

// Finds everything that `count` rays hit, ray after ray. Writes at most `capacity` hits, the true ranges, and the true
// number to *total. What entries of `out` behind the results hold is unspecified.
ABUT_CHECKED ABUT_API abut_status abut_world_ray_all_many(const abut_world *world, const abut_ray *rays, uint32_t count,
                                                          const abut_query_filter *filter, abut_range *ranges,
                                                          abut_hit *out, uint64_t capacity, uint64_t *total);

// Casts ---------------------------------------------------------------------------------------------------------------

// A shape that travels along a straight line, and turns on the way.
typedef struct abut_cast
{
    abut_shape shape;      // what travels: no mesh, chain or half-space; a compound hits what its parts hit first
    abut_pose pose;        // at the start
    abut_vec3 translation; // metres
    abut_vec3 rotation;    // radians about its direction, at a constant rate; zero: none
} abut_cast;

// Finds the first hit of a cast (shape cast, sweep): where the shape, on its way closer, is first as near to a collider
// as the tolerance of abut_time_of_impact. Overlap at the start is a hit; touching and receding or sliding is none.
ABUT_CHECKED ABUT_API abut_status abut_world_cast_closest(const abut_world *world, const abut_cast *cast,
                                                          const abut_query_filter *filter, abut_hit *out);

// Finds the first hit of each of `count` casts: out[i] belongs to casts[i].
ABUT_CHECKED ABUT_API abut_status abut_world_cast_closest_many(const abut_world *world, const abut_cast *casts,
                                                               uint32_t count, const abut_query_filter *filter,
                                                               abut_hit *out);

// Finds whether a cast hits anything.
ABUT_CHECKED ABUT_API abut_status abut_world_cast_any(const abut_world *world, const abut_cast *cast,
                                                      const abut_query_filter *filter, bool *out);

// Finds whether each of `count` casts hits anything: out[i] belongs to casts[i].
ABUT_CHECKED ABUT_API abut_status abut_world_cast_any_many(const abut_world *world, const abut_cast *casts,
                                                           uint32_t count, const abut_query_filter *filter, bool *out);

// Finds everything a cast hits, as abut_world_ray_all does: as if each collider were alone.
ABUT_CHECKED ABUT_API abut_status abut_world_cast_all(const abut_world *world, const abut_cast *cast,
                                                      const abut_query_filter *filter, abut_hit *out, uint32_t capacity,
                                                      uint32_t *count);

// Finds everything that `count` casts hit, cast after cast, into arrays as of abut_world_ray_all_many.
ABUT_CHECKED ABUT_API abut_status abut_world_cast_all_many(const abut_world *world, const abut_cast *casts,
                                                           uint32_t count, const abut_query_filter *filter,
                                                           abut_range *ranges, abut_hit *out, uint64_t capacity,
                                                           uint64_t *total);

// Overlaps ------------------------------------------------------------------------------------------------------------

// A collider that overlaps. With ABUT_QUERY_CHILDREN each triangle of a mesh or segment of a chain that shares a point
// with what asks, from whichever side, and each such part of a compound is a result of its own, measured in double.
// Without it a one-sided mesh or chain does not overlap what is more than half behind it.
typedef struct abut_found
{
    abut_body body;         // its body
    abut_collider collider; // the collider
    uint32_t child;         // with ABUT_QUERY_CHILDREN: which triangle, part or segment; else 0
} abut_found;

// Finds the colliders whose shapes share a point with a box. Writes at most `capacity`, the first ones in the order of
// (body slot, ordinal, child), and the true number to *count; so do the others. ABUT_QUERY_BOUNDS is allowed here only,
// and not with ABUT_QUERY_CHILDREN.
ABUT_CHECKED ABUT_API abut_status abut_world_overlap_aabb(const abut_world *world, const abut_aabb *box,
                                                          const abut_query_filter *filter, abut_found *out,
                                                          uint32_t capacity, uint32_t *count);

// Finds what overlaps each of `count` boxes, box after box, into arrays as of abut_world_ray_all_many.
ABUT_CHECKED ABUT_API abut_status abut_world_overlap_aabb_many(const abut_world *world, const abut_aabb *boxes,
                                                               uint32_t count, const abut_query_filter *filter,
                                                               abut_range *ranges, abut_found *out, uint64_t capacity,
                                                               uint64_t *total);

// Finds the colliders that overlap a shape, as abut_overlap decides; of a compound, one of its parts. The shape is no
// mesh, chain or half-space.
ABUT_CHECKED ABUT_API abut_status abut_world_overlap_shape(const abut_world *world, const abut_placed_shape *shape,
                                                           const abut_query_filter *filter, abut_found *out,
                                                           uint32_t capacity, uint32_t *count);

// Finds what overlaps each of `count` shapes, shape after shape, into arrays as of abut_world_ray_all_many.
ABUT_CHECKED ABUT_API abut_status abut_world_overlap_shape_many(const abut_world *world,
                                                                const abut_placed_shape *shapes, uint32_t count,
                                                                const abut_query_filter *filter, abut_range *ranges,
                                                                abut_found *out, uint64_t capacity, uint64_t *total);

// Finds whether anything overlaps a shape (is there room?), and ends at the first thing that does: what
// abut_world_overlap_shape would count is not zero. Faster than the count where much overlaps.
ABUT_CHECKED ABUT_API abut_status abut_world_overlap_shape_any(const abut_world *world, const abut_placed_shape *shape,
                                                               const abut_query_filter *filter, bool *out);

// Finds whether anything overlaps each of `count` shapes: out[i] belongs to shapes[i].
ABUT_CHECKED ABUT_API abut_status abut_world_overlap_shape_any_many(const abut_world *world,
                                                                    const abut_placed_shape *shapes, uint32_t count,
                                                                    const abut_query_filter *filter, bool *out);

// Finds the colliders that contain a point, as a ray without length does.
ABUT_CHECKED ABUT_API abut_status abut_world_overlap_point(const abut_world *world, const abut_vec3 *point,
                                                           const abut_query_filter *filter, abut_found *out,
                                                           uint32_t capacity, uint32_t *count);

// Finds what contains each of `count` points, point after point, into arrays as of abut_world_ray_all_many.
ABUT_CHECKED ABUT_API abut_status abut_world_overlap_point_many(const abut_world *world, const abut_vec3 *points,
                                                                uint32_t count, const abut_query_filter *filter,
                                                                abut_range *ranges, abut_found *out, uint64_t capacity,
                                                                uint64_t *total);

// A half-space: the points p with dot(normal, p) <= offset.
typedef struct abut_plane
{
    abut_vec3 normal; // outward, of any length but zero
    float offset;     // finite
} abut_plane;

// What half-spaces have in common, such as a camera's frustum.
typedef struct abut_region
{
    const abut_plane *planes; // NULL if there are none: everything
    uint32_t plane_count;     // entries of planes
} abut_region;

// Finds the colliders that reach into each half-space of a region: all that overlap the region, and some beside its
// edges.
ABUT_CHECKED ABUT_API abut_status abut_world_overlap_region(const abut_world *world, const abut_region *region,
                                                            const abut_query_filter *filter, abut_found *out,
                                                            uint32_t capacity, uint32_t *count);

// Finds what reaches into each of `count` regions, region after region, into arrays as of abut_world_ray_all_many.
ABUT_CHECKED ABUT_API abut_status abut_world_overlap_region_many(const abut_world *world, const abut_region *regions,
                                                                 uint32_t count, const abut_query_filter *filter,
                                                                 abut_range *ranges, abut_found *out, uint64_t capacity,
                                                                 uint64_t *total);

// Manifolds -----------------------------------------------------------------------------------------------------------

// What a shape touches, and how.
typedef struct abut_collision
{
    abut_body body;         // its body
    abut_collider collider; // the collider
    uint32_t child;         // which triangle or part, see abut_shape_children; a is the shape that asks
    abut_manifold manifold; // as of abut_collide, a being the shape that asks
} abut_collision;

// Finds the manifolds of a shape with colliders whose separation is at most `margin` metres: those of a detect, if the
// shape were a body of the lowest slot. Writes at most `capacity`, the first ones in the order of (body slot, ordinal,
// child), and the true number to *count. Fails with ABUT_INVALID_ARGUMENT if a pair function's manifold is invalid, and
// with ABUT_LIMIT where abut_world_detect would, of a compound; what is in the arrays is of no use then.
ABUT_CHECKED ABUT_API abut_status abut_world_collide_shape(const abut_world *world, const abut_placed_shape *shape,
                                                           float margin, const abut_query_filter *filter,
                                                           abut_collision *out, uint32_t capacity, uint32_t *count);

// Finds the manifolds of each of `count` shapes, shape after shape, into arrays as of abut_world_ray_all_many.
ABUT_CHECKED ABUT_API abut_status abut_world_collide_shape_many(const abut_world *world,
                                                                const abut_placed_shape *shapes, uint32_t count,
                                                                float margin, const abut_query_filter *filter,
                                                                abut_range *ranges, abut_collision *out,
                                                                uint64_t capacity, uint64_t *total);

// Nearest -------------------------------------------------------------------------------------------------------------

// A collider near a point or shape.
typedef struct abut_near
{
    abut_body body;         // its body
    abut_collider collider; // the collider
    float distance;         // metres; zero: it contains the point, or overlaps the shape
    abut_vec3 on_query;     // the nearest point of the shape that asks, from its position; zero if the distance is zero
    abut_vec3 on_collider;  // that of the collider, from the same position; zero if the distance is zero
    uint32_t child;         // which triangle of a mesh, part of a compound or segment of a chain; else 0. Of several
                            // that are as near the lowest, as far as rounding tells
} abut_near;

// Finds the `capacity` nearest colliders within `max_distance` (may be infinite) of a point, in the order of (distance,
// body slot, ordinal), and their number.
ABUT_CHECKED ABUT_API abut_status abut_world_nearest(const abut_world *world, const abut_vec3 *point,
                                                     float max_distance, const abut_query_filter *filter,
                                                     abut_near *out, uint32_t capacity, uint32_t *count);

// Finds the `most` nearest colliders of each of `count` points, into arrays as of abut_world_ray_all_many.
ABUT_CHECKED ABUT_API abut_status abut_world_nearest_many(const abut_world *world, const abut_vec3 *points,
                                                          uint32_t count, float max_distance, uint32_t most,
                                                          const abut_query_filter *filter, abut_range *ranges,
                                                          abut_near *out, uint64_t capacity, uint64_t *total);

// Finds the `capacity` nearest colliders within `max_distance` of a shape.
ABUT_CHECKED ABUT_API abut_status abut_world_nearest_shape(const abut_world *world, const abut_placed_shape *shape,
                                                           float max_distance, const abut_query_filter *filter,
                                                           abut_near *out, uint32_t capacity, uint32_t *count);

// Finds the `most` nearest colliders of each of `count` shapes, into arrays as of abut_world_ray_all_many.
ABUT_CHECKED ABUT_API abut_status abut_world_nearest_shape_many(const abut_world *world,
                                                                const abut_placed_shape *shapes, uint32_t count,
                                                                float max_distance, uint32_t most,
                                                                const abut_query_filter *filter, abut_range *ranges,
                                                                abut_near *out, uint64_t capacity, uint64_t *total);

// One shape, no world -------------------------------------------------------------------------------------------------

// What a ray or a cast hits of one shape.
typedef struct abut_ray_hit
{
    bool hit;         // false: all is zero, and the fraction is 1
    float fraction;   // of the way, 0 to 1
    abut_vec3 offset; // as of abut_hit, and so are all that follow
    abut_vec3 normal; // unit, outward
    float depth;      // metres
    uint32_t flags;   // ABUT_HIT_…
    uint32_t child;   // which triangle of a mesh, part of a compound or segment of a chain; else 0
} abut_ray_hit;

// Finds where a ray hits a shape, as a world does. `flags`: ABUT_QUERY_HOLLOW, ABUT_QUERY_SKIP_INSIDE,
// ABUT_QUERY_BACK_FACES. Fails with ABUT_INVALID_ARGUMENT for polygons, chains and custom shapes.
ABUT_CHECKED ABUT_API abut_status abut_ray_shape(const abut_ray *ray, const abut_shape *shape, const abut_pose *pose,
                                                 uint32_t flags, abut_ray_hit *out);

// Finds every triangle of a mesh, or part of a compound, that a ray hits, each as if it were alone; of another shape
// the one hit. Hits are in the order of fraction; of equal fractions those without ABUT_HIT_BACK come first, then the
// lower child. Writes at most `capacity`, the first ones, and the true number to *count. Flags and failures are those
// of abut_ray_shape, which compares fractions in double: of several equal ones it may report another.
ABUT_CHECKED ABUT_API abut_status abut_ray_shape_all(const abut_ray *ray, const abut_shape *shape,
                                                     const abut_pose *pose, uint32_t flags, abut_ray_hit *out,
                                                     uint32_t capacity, uint32_t *count);

// Finds where a ray in the xy plane hits a circle, capsule, rectangle, polygon or chain at a 2D pose.
ABUT_CHECKED ABUT_API abut_status abut_ray_shape_2d(const abut_ray *ray, const abut_shape *shape, const abut_pose *pose,
                                                    uint32_t flags, abut_ray_hit *out);

// Finds every triangle of a mesh, or part of a compound, that shares a point with a shape that asks, as a world does
// with ABUT_QUERY_CHILDREN; of another shape the child 0, if abut_overlap says so (if a compound asks, of a part).
// Writes at most `capacity` children, the lowest in order, and the true number to *count. Fails with
// ABUT_INVALID_ARGUMENT if the shape that asks is a mesh, and for polygons and custom shapes.
ABUT_CHECKED ABUT_API abut_status abut_overlap_shape_all(const abut_placed_shape *asker, const abut_shape *shape,
                                                         const abut_pose *pose, uint32_t *out, uint32_t capacity,
                                                         uint32_t *count);

// Finds where a cast hits a shape, as a world does. `flags`: ABUT_QUERY_SKIP_INSIDE, ABUT_QUERY_SKIP_LEAVING. Fails
// with ABUT_INVALID_ARGUMENT for polygons and custom shapes, and if a mesh is cast.
ABUT_CHECKED ABUT_API abut_status abut_cast_shape(const abut_cast *cast, const abut_shape *shape, const abut_pose *pose,
                                                  uint32_t flags, abut_ray_hit *out);

// Finds where a cast in the xy plane hits a circle, capsule, rectangle, polygon or chain at a 2D pose.
ABUT_CHECKED ABUT_API abut_status abut_cast_shape_2d(const abut_cast *cast, const abut_shape *shape,
                                                     const abut_pose *pose, uint32_t flags, abut_ray_hit *out);

#ifdef __cplusplus
}
#endif

#endif
