// Shapes: geometry by value in a frame of its own; a collider places one in a body. All lengths are metres.
#ifndef ABUT_SHAPE_H
#define ABUT_SHAPE_H

#include <abut/math.h>

#ifdef __cplusplus
extern "C" {
#endif

// The kinds of shape.
typedef enum abut_shape_kind
{
    ABUT_SHAPE_NONE = 0,  // no shape
    ABUT_SPHERE,          // a ball about the origin; in 2D a circle
    ABUT_AABB,            // a box whose axes stay the world's; only its centre follows the body
    ABUT_OBB,             // a box that rotates with its body; in 2D a rectangle
    ABUT_POLYGON,         // a convex polygon in the body's xy plane; collides in 2D only
    ABUT_CUSTOM,          // a convex shape of a registered kind, see abut_kind_def
    ABUT_CAPSULE,         // a rounded segment along its own y axis, in 3D and in 2D
    ABUT_HULL,            // a convex hull of points; collides in 3D only
    ABUT_CYLINDER,        // a cylinder, cone or tapered cylinder along its own y axis; collides in 3D only
    ABUT_MESH,            // a surface of triangles or a heightfield; collides in 3D only, not with other meshes
    ABUT_COMPOUND,        // convex parts as one shape; collides in 3D only
    ABUT_CHAIN,           // a line of segments, such as the ground; collides in 2D only, not with other chains
    ABUT_HALF_SPACE,      // all below a plane, in 2D below a line, without end
    ABUT_SHAPE_KIND_COUNT // number of kinds
} abut_shape_kind;

// Returns a lower-case name such as "sphere" in static storage, "unknown" outside the enumeration.
ABUT_API const char *abut_shape_kind_name(abut_shape_kind kind);

// The parameters of a sphere.
typedef struct abut_sphere
{
    float radius; // not negative
} abut_sphere;

// The parameters of both kinds of box.
typedef struct abut_box
{
    abut_vec3 half_extents; // not negative; half z is ignored in 2D
} abut_box;

// The parameters of a capsule: every point within `radius` of the segment from -half_height to half_height on the y
// axis.
typedef struct abut_capsule
{
    float radius;      // not negative
    float half_height; // not negative; of the segment: the capsule is 2 (half_height + radius) high
} abut_capsule;

// The parameters of a cylinder: everything between a disc at -half_height on the y axis and one at half_height, both
// across it. A cone has a radius of zero at one end.
typedef struct abut_cylinder
{
    float bottom_radius; // not negative; at -half_height
    float top_radius;    // not negative; at half_height
    float half_height;   // not negative
} abut_cylinder;

#define ABUT_CUSTOM_BYTES 48u // of a custom shape's own parameters, at most

// The parameters of a custom shape.
typedef struct abut_custom
{
    uint32_t kind;                        // id from abut_world_register_kind
    uint32_t size;                        // bytes of `data` in use
    uint64_t data[ABUT_CUSTOM_BYTES / 8]; // by value; zeros past `size`
} abut_custom;

#define ABUT_MAX_VERTICES 16u // of a polygon

// Immutable, reference-counted geometry that shapes point to. Every collider holds a reference, as does its creator.
typedef struct abut_geometry abut_geometry;

// A shape, at most 64 bytes, copied freely. Zero sizes are valid: points, segments, flat boxes. Sizes below about 1e-9
// lose accuracy, because their squares leave the range of a float.
typedef struct abut_shape
{
    abut_shape_kind kind; // which member of the union counts
    union
    {
        abut_sphere sphere;            // ABUT_SPHERE
        abut_box box;                  // ABUT_AABB, ABUT_OBB
        const abut_geometry *polygon;  // ABUT_POLYGON; must live as long as the shape is used
        abut_custom custom;            // ABUT_CUSTOM
        abut_capsule capsule;          // ABUT_CAPSULE
        const abut_geometry *hull;     // ABUT_HULL; must live as long as the shape is used
        abut_cylinder cylinder;        // ABUT_CYLINDER
        const abut_geometry *mesh;     // ABUT_MESH; must live as long as the shape is used
        const abut_geometry *compound; // ABUT_COMPOUND; must live as long as the shape is used
        const abut_geometry *chain;    // ABUT_CHAIN; must live as long as the shape is used
    };
} abut_shape;

// A shape with its pose.
typedef struct abut_placed_shape
{
    abut_shape shape; // in its own frame
    abut_pose pose;   // from that frame to the world's, or of a part to its compound's
} abut_placed_shape;

// Returns a sphere, unchecked: the calls that take shapes check them.
ABUT_API abut_shape abut_shape_sphere(float radius);

// Returns a box that keeps the world's axes, by half extents, unchecked.
ABUT_API abut_shape abut_shape_aabb(float half_x, float half_y, float half_z);

// Returns a box that rotates with its body, by half extents, unchecked.
ABUT_API abut_shape abut_shape_obb(float half_x, float half_y, float half_z);

// Returns a capsule along its own y axis, unchecked. With half_height zero it is a sphere.
ABUT_API abut_shape abut_shape_capsule(float radius, float half_height);

// Returns a cylinder along its own y axis, unchecked. Not valid where hulls are not compiled in (small builds).
ABUT_API abut_shape abut_shape_cylinder(float radius, float half_height);

// Returns a cone along its own y axis, unchecked: its tip is at half_height, the centre of its base at -half_height.
ABUT_API abut_shape abut_shape_cone(float radius, float half_height);

// Returns a tapered cylinder (a truncated cone, a frustum) along its own y axis, unchecked.
ABUT_API abut_shape abut_shape_tapered_cylinder(float bottom_radius, float top_radius, float half_height);

// Returns a half-space (a plane with all that is below it): what is not above its own xz plane, in 2D not above its own
// x axis, without end. Its pose places and tilts it: abut_pose_of_plane. An overlap is left along the plane's normal,
// however deep it is. It collides with all convex shapes and compounds, not with meshes, chains and other half-spaces,
// and may be asked about, but not ask. In a world give it to a static body, which costs a test for each body in a
// detect. A sweep has it move, but not turn. Not valid where meshes are not compiled in (small builds).
ABUT_API abut_shape abut_shape_half_space(void);

// Returns a polygon of this geometry; NULL gives an invalid shape.
ABUT_API abut_shape abut_shape_polygon(const abut_geometry *polygon);

// Returns a hull of this geometry; NULL gives an invalid shape.
ABUT_API abut_shape abut_shape_hull(const abut_geometry *hull);

// Returns a mesh of this geometry, a mesh's or a heightfield's; NULL gives an invalid shape. Meshes are for worlds:
// they collide triangle by triangle, and the calls of collide.h and sweep.h, which answer with one contact, refuse
// them, but for distances and closest points. See docs/shapes.md.
ABUT_API abut_shape abut_shape_mesh(const abut_geometry *mesh);

// Returns a compound of this geometry; NULL gives an invalid shape. Compounds are for worlds and queries: they collide
// part by part, and the calls of collide.h and sweep.h, which answer with one contact, refuse them, but for distances
// and closest points. See docs/shapes.md.
ABUT_API abut_shape abut_shape_compound(const abut_geometry *compound);

// Returns a chain of this geometry; NULL gives an invalid shape. Chains are for worlds of two dimensions and queries:
// they collide segment by segment, and the calls of collide.h and sweep.h, which answer with one contact, refuse them,
// but for distances and closest points. See docs/2d.md.
ABUT_API abut_shape abut_shape_chain(const abut_geometry *chain);

// Returns a shape of a registered kind with a copy of `size` bytes of parameters, unchecked. `data` may be NULL for
// size 0.
ABUT_API abut_shape abut_shape_custom(uint32_t kind, const void *data, uint32_t size);

// Returns whether every size is finite, not negative and at most ABUT_MAX_MAGNITUDE. False for custom shapes, which
// only a world or an abut_pair_list can judge; calls of this header that take shapes fail for them.
ABUT_API bool abut_shape_valid(const abut_shape *shape);

// Returns the radius of the smallest ball about the shape's own origin that contains it, rounded up.
ABUT_API float abut_shape_bounding_radius(const abut_shape *shape);

// Geometry ------------------------------------------------------------------------------------------------------------

// Creates the convex polygon around `count` points in any order; the caller releases it. Points within 2^-20 of the
// polygon's size of a side are no vertices. Fails with ABUT_LIMIT past ABUT_MAX_VERTICES and with ABUT_INVALID_ARGUMENT
// for points on one line; *out is then NULL. `allocator` may be NULL. See docs/2d.md.
ABUT_CHECKED ABUT_API abut_status abut_geometry_create_polygon(const abut_vec2 *points, uint32_t count,
                                                               const abut_allocator *allocator, abut_geometry **out);

#define ABUT_MAX_HULL_POINTS 67108864u // that a hull is made of

// Creates the convex hull of `count` points in space, in any order; the caller releases it. Vertices are points, faces
// convex polygons. No point lies outside by more than 2^-18 of the largest coordinate, unless `max_vertices` (zero: any
// number; else 4 at least) leaves the nearest out: see abut_geometry_hull_deviation. Fails with
// ABUT_INVALID_ARGUMENT for points within 2^-17 of the largest coordinate of one plane, with ABUT_LIMIT past
// ABUT_MAX_HULL_POINTS, and with ABUT_UNSUPPORTED where hulls are not compiled in (small builds); *out is then NULL.
ABUT_CHECKED ABUT_API abut_status abut_geometry_create_hull(const abut_vec3 *points, uint32_t count,
                                                            uint32_t max_vertices, const abut_allocator *allocator,
                                                            abut_geometry **out);

#define ABUT_MAX_MESH_TRIANGLES 16777216u // of a mesh

// What a mesh is made of. The arrays are copied.
typedef struct abut_mesh_def
{
    const abut_vec3 *vertices; // `vertex_count` positions; alike ones are one vertex
    const uint32_t *indices;   // three vertices for each triangle, counter-clockwise seen from the front
    uint32_t vertex_count;     // entries of vertices
    uint32_t triangle_count;   // a third of the entries of indices
    bool two_sided;            // collides from both sides; otherwise what is half in front of a triangle touches it
    uint32_t neighbour_count;  // of the triangles, the last so many are of meshes beside it: never touched or hit here,
                               // but edges towards them are no borders. See docs/shapes.md
    const uint16_t *materials; // of each triangle that is no neighbour's, see abut_geometry_mesh_material; NULL: 0
    uint32_t threads;          // that cook it, with the caller's; zero: 1; at most ABUT_MAX_THREADS
} abut_mesh_def;

// Creates a mesh of triangles; the caller releases it. Triangles without area are left out. Two triangles that share
// both ends of an edge, by position, are neighbours, so that nothing bumps on the edge between them; a vertex in the
// middle of another triangle's edge (a T-junction) joins nothing. Fails with ABUT_INVALID_ARGUMENT for a position that
// is not finite or past ABUT_MAX_MAGNITUDE, for an index past the vertices, for more neighbours than triangles and
// without any triangle of its own that has an area, for too many threads, with ABUT_LIMIT past
// ABUT_MAX_MESH_TRIANGLES, and with ABUT_UNSUPPORTED where meshes are not compiled in (small builds); *out is then
// NULL. `allocator` may be NULL.
ABUT_CHECKED ABUT_API abut_status abut_geometry_create_mesh(const abut_mesh_def *def, const abut_allocator *allocator,
                                                            abut_geometry **out);

// What may be wrong with a mesh. The first two make creating it fail; the others say where its surface is not what it
// looks like: at a border it ends, and bodies may bump on that.
typedef enum abut_mesh_fault_kind
{
    ABUT_FAULT_INDEX = 0,    // the index of the corner is past the vertices
    ABUT_FAULT_POSITION,     // vertex `other` is not finite, or past ABUT_MAX_MAGNITUDE
    ABUT_FAULT_DEGENERATE,   // the triangle has no area and is left out
    ABUT_FAULT_DUPLICATE,    // the triangle has the corners of `other`, which is before it, in the same order
    ABUT_FAULT_FLIPPED,      // the edge is one of `other`, too, which faces the other way: a border of both
    ABUT_FAULT_NON_MANIFOLD, // three triangles or more have the edge, `other` the first of the rest: a border of all
    ABUT_FAULT_T_JUNCTION,   // a vertex of a border of `other` lies on the edge, a border, without being one of its
                             // ends; or two vertices were to be one
    ABUT_FAULT_BORDER        // the edge is of no other triangle: a hole, unless the surface is to end there
} abut_mesh_fault_kind;

// A fault of a mesh.
typedef struct abut_mesh_fault
{
    abut_mesh_fault_kind kind; // what is wrong
    uint32_t triangle;         // by its number as given; of a position ABUT_NONE
    uint32_t edge;             // from this corner of the triangle to the next, or the corner; zero where neither counts
    uint32_t other;            // another triangle, or a vertex; ABUT_NONE where neither counts
} abut_mesh_fault;

// Finds what may be wrong with a mesh before it is created, in the order of triangles, then of edges, then of kinds.
// Writes at most `capacity` faults, the first ones, and their true number to *count. Of a mesh that cannot be created,
// these are only why: indices, behind them positions. Triangles without area have no other fault, and those of
// neighbours have none. A vertex is on an edge within 2^-18 of the largest coordinate. A closed surface without faults
// has no border anywhere. Fails with ABUT_INVALID_ARGUMENT for no triangles and for more neighbours than triangles, and
// with ABUT_LIMIT and ABUT_UNSUPPORTED as abut_geometry_create_mesh does. `allocator`, of memory until it returns, may
// be NULL. See docs/shapes.md.
ABUT_CHECKED ABUT_API abut_status abut_geometry_check_mesh(const abut_mesh_def *def, const abut_allocator *allocator,
                                                           abut_mesh_fault *out, uint32_t capacity, uint32_t *count);

// What a cell of a heightfield is.
typedef enum abut_cell
{
    ABUT_CELL_SURFACE = 0,  // of its surface
    ABUT_CELL_HOLE = 1,     // there is no surface
    ABUT_CELL_NEIGHBOUR = 2 // of the field beside it: never touched or hit, but edges towards it are no borders
} abut_cell;

// What a heightfield is made of. The arrays are copied.
typedef struct abut_heightfield_def
{
    const float *heights; // metres along y: `rows` rows of `columns`, a row along x and the next one further along z
    const uint8_t *cells; // a row less and a column less: an abut_cell each; NULL: all are of the surface
    const uint16_t *materials; // as many: see abut_geometry_mesh_material; NULL: all are 0
    uint32_t columns;          // of heights; at least 2
    uint32_t rows;             // of heights; at least 2
    float step_x;              // metres from one column to the next
    float step_z;              // metres from one row to the next
    bool two_sided;            // as of a mesh
} abut_heightfield_def;

// Creates a heightfield: the surface over a grid whose middle is at zero, seen from above as from in front; the caller
// releases it. The cell between four heights has two triangles, 2 * (row * (columns - 1) + column) at the lower column
// and row and that plus one at the higher ones, which meet along the diagonal between the other two corners. It is used
// like a mesh, in abut_shape_mesh. Fails with ABUT_INVALID_ARGUMENT for fewer than two columns or rows, for a step that
// is not positive, for heights that are not finite, past ABUT_MAX_MAGNITUDE or, in one cell, 2^40 steps apart, for a
// byte of `cells` that is no abut_cell, and where no cell is of the surface; with ABUT_LIMIT past
// ABUT_MAX_MESH_TRIANGLES, and with ABUT_UNSUPPORTED where meshes are not compiled in (small builds); *out is then
// NULL. `allocator` may be NULL.
ABUT_CHECKED ABUT_API abut_status abut_geometry_create_heightfield(const abut_heightfield_def *def,
                                                                   const abut_allocator *allocator,
                                                                   abut_geometry **out);

// A rectangle of a heightfield, as it shall be: `rows` rows of `columns` heights, and the cells between these.
typedef struct abut_heightfield_region
{
    uint32_t column;           // of its first height
    uint32_t row;              // likewise
    uint32_t columns;          // of heights; at least 1
    uint32_t rows;             // of heights; at least 1
    const float *heights;      // row after row; NULL: as they are
    const uint8_t *cells;      // a row less and a column less: an abut_cell each; NULL: as they are
    const uint16_t *materials; // as many, of a field that was created with some; NULL: as they are
} abut_heightfield_region;

// Changes a heightfield in place. No other call may use the field meanwhile. Afterwards give each collider that has it
// its shape again (abut_collider_set_shape), before the next detect or query of its world: see docs/shapes.md. Takes
// time for the rows that the region is in. Fails with ABUT_INVALID_ARGUMENT for anything but a heightfield, for a
// region that is empty or reaches past it, and for what creating the field with these values would refuse, and with
// ABUT_UNSUPPORTED where meshes are not compiled in (small builds); the field is then as it was.
ABUT_CHECKED ABUT_API abut_status abut_geometry_update_heightfield(abut_geometry *field,
                                                                   const abut_heightfield_region *region);

// A point of a heightfield's surface, in its frame.
typedef struct abut_heightfield_point
{
    abut_vec3 position; // above or below the place, or there
    abut_vec3 normal;   // unit length, upwards
    uint32_t triangle;  // as `child` of contacts and hits
} abut_heightfield_point;

// Returns whether a heightfield has surface above or below (x, z), in its frame, and writes its point there: height,
// slope and, by the triangle, material without a ray. On an edge it is the triangle of the lowest number that is of the
// surface. False past the field's border, over a hole or a neighbour's cell, and for anything else. `out` may be NULL.
ABUT_API bool abut_geometry_heightfield_at(const abut_geometry *field, float x, float z, abut_heightfield_point *out);

// Creates a mesh that shares the arrays of another and keeps it; the caller releases it. Corners are vertices times
// `scale`, in floats, and answers are those of a mesh made of these, with the same neighbours and materials. With an
// odd number of negative factors it is mirrored; fronts stay fronts. Scaling a scaled mesh multiplies the scales. Where
// triangles lose their area, they are left out, and the arrays are its own. Of a heightfield it creates another one,
// of its own, whose heights and steps are the products. Fails with ABUT_INVALID_ARGUMENT for any other geometry, for a
// factor that is zero or not finite or, of a heightfield, negative, where a vertex comes past ABUT_MAX_MAGNITUDE (a
// neighbour's, too), where no triangle has an area and where abut_geometry_create_heightfield would; with
// ABUT_UNSUPPORTED where meshes are not compiled in (small builds); *out is then NULL. `allocator` may be NULL. See
// docs/shapes.md.
ABUT_CHECKED ABUT_API abut_status abut_geometry_create_scaled(const abut_geometry *mesh, abut_vec3 scale,
                                                              const abut_allocator *allocator, abut_geometry **out);

#define ABUT_MAX_COMPOUND_PARTS 4096u // of a compound

// Creates a compound of `count` parts, each a shape at a pose of the compound's frame; the caller releases it. The
// parts are copied, and hulls among them retained. An all-zero rotation is identity. Parts may overlap: each collides
// by itself. Fails with ABUT_INVALID_ARGUMENT without parts, for a part that is not a valid sphere, OBB, capsule,
// cylinder or hull, for a pose that is not valid, and where the whole reaches past ABUT_MAX_MAGNITUDE; with ABUT_LIMIT
// past ABUT_MAX_COMPOUND_PARTS, and with ABUT_UNSUPPORTED where meshes are not compiled in (small builds); *out is then
// NULL. `allocator` may be NULL.
ABUT_CHECKED ABUT_API abut_status abut_geometry_create_compound(const abut_placed_shape *parts, uint32_t count,
                                                                const abut_allocator *allocator, abut_geometry **out);

#define ABUT_MAX_CHAIN_POINTS 16777216u // of a chain

// What a chain is made of. The points are copied.
typedef struct abut_chain_def
{
    const abut_vec2 *points; // one after the other; the front is to the right of the way along them
    uint32_t point_count;    // entries of points; at least 2, for a loop 3
    bool loop;               // the last point is joined to the first; counter-clockwise, the front is outside
    bool two_sided;          // collides from both sides; otherwise only what is in front of a segment touches it
    const abut_vec2 *before; // where a chain ends at the first point: its last point but one; NULL: none does
    const abut_vec2 *after;  // where a chain begins at the last point: its second point; NULL: none does
} abut_chain_def;

// Creates a chain of segments in the xy plane, each from a point to the next; the caller releases it. Nothing bumps on
// the points between them, nor where a chain goes on in another one, of which each has the other's next point as
// `before` or `after`. Fails with ABUT_INVALID_ARGUMENT for too few points, for one that is not finite or past
// ABUT_MAX_MAGNITUDE, for two at one place one after the other, and for a loop that goes on; with ABUT_LIMIT past
// ABUT_MAX_CHAIN_POINTS, and with ABUT_UNSUPPORTED where meshes are not compiled in (small builds); *out is then
// NULL. `allocator` may be NULL. See docs/2d.md.
ABUT_CHECKED ABUT_API abut_status abut_geometry_create_chain(const abut_chain_def *def, const abut_allocator *allocator,
                                                             abut_geometry **out);

// Adds a reference, from any thread. NULL is allowed.
ABUT_API void abut_geometry_retain(const abut_geometry *geometry);

// Drops a reference, from any thread; the last frees the geometry on that thread. NULL is allowed.
ABUT_API void abut_geometry_release(const abut_geometry *geometry);

// Returns the number of a polygon's vertices and sets *out to them, counter-clockwise, valid as long as the geometry.
// Zero and NULL for anything else.
ABUT_API uint32_t abut_geometry_vertices(const abut_geometry *geometry, const abut_vec2 **out);

// Returns the polygon's centre of area in its own frame; zeros for anything else.
ABUT_API abut_vec2 abut_geometry_centroid(const abut_geometry *geometry);

// Returns the number of a hull's vertices and sets *out to them, in the order of the points, valid as long as the
// geometry. Zero and NULL for anything else.
ABUT_API uint32_t abut_geometry_hull_vertices(const abut_geometry *geometry, const abut_vec3 **out);

// Returns the number of a hull's faces; zero for anything else.
ABUT_API uint32_t abut_geometry_hull_faces(const abut_geometry *geometry);

// Returns the number of corners of a hull's face and sets *out to their vertices, counter-clockwise seen from outside,
// valid as long as the geometry. Zero and NULL past the last face and for anything else.
ABUT_API uint32_t abut_geometry_hull_face(const abut_geometry *geometry, uint32_t face, const uint32_t **out);

// Returns how far, in metres, the points that max_vertices left out lie outside a hull at most; zero if there are none,
// and for anything else.
ABUT_API float abut_geometry_hull_deviation(const abut_geometry *geometry);

// Returns the number of a mesh's triangles as given, those without area among them but not its neighbours'; zero for
// anything else.
ABUT_API uint32_t abut_geometry_mesh_triangles(const abut_geometry *geometry);

// Returns whether a triangle of a mesh, by its number as given (`child` of contacts, hits and overlaps), is of its
// surface: has an area, and is not a hole's or a neighbour's. Writes its corners then.
ABUT_API bool abut_geometry_mesh_triangle(const abut_geometry *geometry, uint32_t triangle, abut_vec3 out[3]);

// Returns the material of a mesh's triangle, or of the cell of a heightfield that it is in, by its number as given
// (`child` of contacts and hits): what the caller gave, for its own use. Zero without materials, past the last
// triangle, and for anything else.
ABUT_API uint16_t abut_geometry_mesh_material(const abut_geometry *geometry, uint32_t triangle);

// Returns the number of a compound's parts; zero for anything else.
ABUT_API uint32_t abut_geometry_compound_parts(const abut_geometry *geometry);

// Returns whether a compound has a part of this number, and writes it then, its rotation normalised.
ABUT_API bool abut_geometry_compound_part(const abut_geometry *geometry, uint32_t part, abut_placed_shape *out);

// Returns the number of a chain's points and sets *out to them, valid as long as the geometry. Zero and NULL for
// anything else.
ABUT_API uint32_t abut_geometry_chain_points(const abut_geometry *geometry, const abut_vec2 **out);

// Returns the number of a chain's segments: of segment i (`child` of contacts, hits and overlaps), from point i to the
// next, in a loop from the last to the first; zero for anything else.
ABUT_API uint32_t abut_geometry_chain_segments(const abut_geometry *geometry);

// Splits the `child` of a contact between two shapes, in the contact's order, into the triangle, part or segment of
// each; zero for a shape that has none. A child is that of a, times the number of b's triangles, parts or segments (one
// of a convex shape), plus that of b. Pointers may be NULL.
ABUT_API void abut_shape_children(const abut_shape *a, const abut_shape *b, uint32_t child, uint32_t *child_a,
                                  uint32_t *child_b);

// One shape at a pose -------------------------------------------------------------------------------------------------
//
// Computed in double and rounded once. Rotations: unit ones kept, others normalised, zero invalid. Failures with
// ABUT_INVALID_ARGUMENT (an invalid shape, pose or point) leave *out alone. A polygon is flat here, in its pose's xy
// plane.

// Sets *out to whether the point is in the shape, its surface included.
ABUT_CHECKED ABUT_API abut_status abut_shape_contains(const abut_shape *shape, const abut_pose *pose, abut_vec3 point,
                                                      bool *out);

// Gets the point of the shape closest to `point`; `point` itself, bit for bit, if it is inside.
ABUT_CHECKED ABUT_API abut_status abut_shape_closest_point(const abut_shape *shape, const abut_pose *pose,
                                                           abut_vec3 point, abut_vec3 *out);

// Gets the support point: the farthest along `direction` (any length but zero). Of several, the one on the positive
// side of the shape's axes; of a polygon's or hull's vertices, the first; of a cylinder's disc, its centre.
ABUT_CHECKED ABUT_API abut_status abut_shape_support(const abut_shape *shape, const abut_pose *pose,
                                                     abut_vec3 direction, abut_vec3 *out);

// Gets how far the shape extends from its position along `axis` (any length but zero). Two shapes are apart along an
// axis if their positions differ along it by more than the sum.
ABUT_CHECKED ABUT_API abut_status abut_shape_projection_radius(const abut_shape *shape, const abut_pose *pose,
                                                               abut_vec3 axis, float *out);

// Gets the shape's AABB, rounded outward by at most two units in the last place.
ABUT_CHECKED ABUT_API abut_status abut_shape_bounds(const abut_shape *shape, const abut_pose *pose, abut_aabb *out);

// Gets a sphere about the shape's position that contains it, rounded outward.
ABUT_CHECKED ABUT_API abut_status abut_shape_bounding_sphere(const abut_shape *shape, const abut_pose *pose,
                                                             abut_placed_shape *out);

// Gets the corners of a box: corner i is on the positive x, y, z side for the bits 0, 1, 2 of i. Fails with
// ABUT_INVALID_ARGUMENT for other kinds.
ABUT_CHECKED ABUT_API abut_status abut_shape_corners(const abut_shape *shape, const abut_pose *pose, abut_vec3 out[8]);

// Gets the corners of a box's cut with its own xy plane, counter-clockwise seen from +z, from (-x, -y).
ABUT_CHECKED ABUT_API abut_status abut_shape_rectangle_corners(const abut_shape *shape, const abut_pose *pose,
                                                               abut_vec3 out[4]);

// Custom kinds --------------------------------------------------------------------------------------------------------

#define ABUT_FIRST_KIND 256u   // id of the first registered kind; each further one has the next number
#define ABUT_MAX_KINDS  65536u // custom kinds of one world

// A custom kind: any convex shape with a support function. Functions get `context` and the shape's parameters (aligned
// to 8 bytes, zeros past their size). They must be pure and may run on any thread. A call into the world from one
// returns ABUT_BUSY; inside a call that only reads the world it is answered, and must not change the world. Attaching
// a shape checks a few answers; a wrong one later costs accuracy, never memory safety.
typedef struct abut_kind_def
{
    const char *name; // kept by the caller, not copied; NULL: "custom"
    void *context;    // handed to the functions

    // Returns a box in the shape's frame that contains it. Tightest for shapes centred on their origin.
    abut_aabb (*bounds)(void *context, const void *data);

    // Sets out to the point of the core farthest along `direction` (any length but zero); of several, always the same.
    void (*support)(void *context, const void *data, const double direction[3], double out[3]);

    // Returns the rounding radius: the shape is everything within it of the core, so a capsule is a segment with a
    // radius. Exact and faster than a round core. NULL: zero.
    float (*rounding)(void *context, const void *data);

    // Returns whether the parameters are valid. NULL: always.
    bool (*valid)(void *context, const void *data);
} abut_kind_def;

#ifdef __cplusplus
}
#endif

#endif
