// A surface of triangles as geometry: a mesh with its tree, or a heightfield.
#ifndef AB_SHAPE_MESH_H
#define AB_SHAPE_MESH_H

#include "base/platform.h"
#include "cook/mesh.h"
#include "shape/grid.h"
#include "shape/mesh_triangles.h"
#include "shape/shape_table.h"
#include "shape/shared.h"

#include <math.h>

// One block with its arrays. Its own triangles have numbers below triangle_count. Those of neighbouring surfaces, which
// are there only for what they make of its edges, have the numbers after; in a heightfield they are among all, as holes
// are.
typedef struct ab_mesh
{
    abut_geometry head;
    ab_grid grid; // of a heightfield; without columns: a mesh, which has what follows
    const abut_vec3 *vertices;
    ab_mesh_triangles triangles;
    const ab_mesh_leaf *leaves;
    const ab_mesh_node *nodes;
    const ab_mesh_block *blocks;               // of eight triangles each
    uint16_t *materials;                       // by the caller's number of a triangle, or by cell; NULL: all are zero
    const struct ab_mesh_ray_kernels *kernels; // of this processor, which do not change results
    uint32_t first[AB_MESH_LEVELS], levels;
    uint32_t vertex_count, triangle_count, given_count; // given: by the caller; of both
    uint32_t joined_count;                              // of a mesh: triangles, and those of neighbours
    uint32_t joined_vertices;                           // likewise
    abut_vec3 half;                                     // of the box about the origin that contains it
    float bounding_radius;                              // about the origin, rounded outward
    bool two_sided;
    // Of a scaled mesh, see mesh_scaled.c; zeros of all others.
    bool is_scaled;       // the arrays are the original's
    bool is_mirrored;     // corners are in the order 0, 2, 1
    abut_vec3 scale;      // of the original's vertices
    const uint8_t *edges; // by triangle: their kinds as in ab_mesh_triangle, where they differ; NULL: the original's
    const struct ab_mesh *original; // retained; not NULL, either, where the arrays are its own for want of area
} ab_mesh;

// NULL for anything but a mesh or heightfield.
const ab_mesh *ab_mesh_of_geometry(const abut_geometry *geometry);

// The mesh of a valid shape; NULL for every other kind.
static inline const ab_mesh *ab_mesh_of(const abut_shape *shape)
{
    return shape->kind == ABUT_MESH ? (const ab_mesh *)(const void *)shape->mesh : NULL;
}

// Of a shape that is a mesh.
static inline const ab_mesh *ab_mesh_of_valid(const abut_shape *shape)
{
    return (const ab_mesh *)(const void *)shape->mesh;
}

// A box in the mesh's own frame.
typedef struct ab_mesh_box
{
    float min[3], max[3];
} ab_mesh_box;

// Of everything.
static inline ab_mesh_box ab_mesh_box_all(void)
{
    const float most = HUGE_VALF;
    return (ab_mesh_box){ { -most, -most, -most }, { most, most, most } };
}

// The box around two points of a box, and so much more on every side, rounded outward.
ab_mesh_box ab_mesh_box_of(const double min[3], const double max[3], double more);

// Sees a triangle; false: it wants no more.
typedef bool ab_mesh_see(void *context, uint32_t triangle);

// Shows the triangles whose own boxes meet a box, in their order. The box is read anew at every step: who sees may
// shrink it. False when `see` did not want more.
bool ab_mesh_overlap(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_see *see, void *context);

// Shows the triangles of neighbouring surfaces likewise. Looks at all of a mesh's.
bool ab_mesh_overlap_neighbours(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_see *see, void *context);

// The same without a look at the triangles of a mesh: some may be shown whose own boxes are beside the box by a
// fourteenth of their block's.
bool ab_mesh_may_overlap(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_see *see, void *context);

#define AB_MESH_LEAVES 16u

// Leaves of a mesh's tree whose boxes meet a box.
typedef struct ab_mesh_leaves
{
    uint32_t count, leaf[AB_MESH_LEAVES];
} ab_mesh_leaves;

#define AB_MESH_BLOCKS 32u

// Blocks of a mesh whose boxes meet a box, and the box in steps of each one's: at bits 8 k how many there are from the
// block's least corner to the box's end along axis k, and four bits above from the other corner to where it begins.
typedef struct ab_mesh_blocks
{
    uint32_t count, block[AB_MESH_BLOCKS], steps[AB_MESH_BLOCKS];
} ab_mesh_blocks;

// The triangles of a block that may meet a box, which is given as in ab_mesh_blocks: the highest bit of byte i for
// triangle i.
static inline uint64_t ab_mesh_block_within(const ab_mesh_block *block, uint32_t steps)
{
    const uint64_t high = 0x8080808080808080u, each = 0x0101010101010101u, lower = 0x0f0f0f0f0f0f0f0fu;
    uint64_t found = high;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const uint64_t inset = block->inset[k], here = each * (steps >> 8 * k & 0xffu);
        found &= ((here & lower) | high) - (inset & lower); // no byte borrows from the next
        found &= ((here >> 4 & lower) | high) - (inset >> 4 & lower);
    }
    return found;
}

// ab_mesh_may_overlap in three steps, for a caller with many boxes: the memory of a step is on the way since the one
// before. False for a heightfield, and where there are too many.
bool ab_mesh_find_leaves(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_leaves *out);

#define AB_MESH_TOGETHER 8u

// The same of at most AB_MESH_TOGETHER boxes, which takes less time than one after the other. False also where one of
// them meets too many; nothing in `out` is valid then.
bool ab_mesh_find_all_leaves(const ab_mesh *mesh, const ab_mesh_box *boxes, uint32_t count, ab_mesh_leaves *out);

// False where there are too many.
bool ab_mesh_find_blocks(const ab_mesh *mesh, const ab_mesh_box *box, const ab_mesh_leaves *leaves,
                         ab_mesh_blocks *out);

// Lists the triangles: as many as there is room for. Returns how many there are.
uint32_t ab_mesh_list_blocks(const ab_mesh *mesh, const ab_mesh_blocks *blocks, uint32_t *out, uint32_t room);

// Shows them one by one. False when `see` did not want more.
bool ab_mesh_see_blocks(const ab_mesh *mesh, const ab_mesh_blocks *blocks, ab_mesh_see *see, void *context);

static inline bool ab_mesh_is_grid(const ab_mesh *mesh)
{
    return mesh->grid.columns != 0;
}

// Whether a number is one of the surface's own triangles: false for holes and neighbours.
static inline bool ab_mesh_is_triangle(const ab_mesh *mesh, uint32_t triangle)
{
    return ab_mesh_is_grid(mesh) ? ab_grid_is_own(&mesh->grid, triangle / 2) : triangle < mesh->triangle_count;
}

// The caller's number of a triangle.
static inline uint32_t ab_mesh_child(const ab_mesh *mesh, uint32_t triangle)
{
    return ab_mesh_is_grid(mesh) ? triangle : ab_mesh_triangle_child(&mesh->triangles, triangle);
}

// As the arrays of a mesh have it, which must not be a heightfield.
static inline uint32_t ab_mesh_own_vertex(const ab_mesh *mesh, uint32_t triangle, int i)
{
    return ab_mesh_triangle_vertex(&mesh->triangles, triangle, i);
}

AB_INLINE void ab_mesh_own_vertices(const ab_mesh *mesh, uint32_t triangle, uint32_t out[3])
{
    ab_mesh_triangle_vertices(&mesh->triangles, triangle, out);
}

// Likewise.
static inline uint32_t ab_mesh_own_neighbour(const ab_mesh *mesh, uint32_t triangle, int k)
{
    return ab_mesh_triangle_neighbour(&mesh->triangles, triangle, k);
}

// A vertex of the original where a scaled mesh has it. As cooking does, adding zero makes a negative zero positive.
static inline abut_vec3 ab_mesh_scaled(const ab_mesh *mesh, abut_vec3 vertex)
{
    const abut_vec3 s = mesh->scale;
    return abut_vec3_make(vertex.x * s.x + 0.0f, vertex.y * s.y + 0.0f, vertex.z * s.z + 0.0f);
}

// The corners of a scaled mesh's triangle.
void ab_mesh_scaled_positions(const ab_mesh *mesh, uint32_t triangle, abut_vec3 out[3]);

// Its kind of edge k.
ab_edge_kind ab_mesh_scaled_edge(const ab_mesh *mesh, uint32_t triangle, int k);

// The kind of a mesh's edge, which must not be a heightfield.
static inline ab_edge_kind ab_mesh_listed_edge(const ab_mesh *mesh, uint32_t triangle, int k)
{
    return mesh->is_scaled ? ab_mesh_scaled_edge(mesh, triangle, k)
                           : ab_mesh_triangle_edge(&mesh->triangles, triangle, k);
}

// Between what places a node's child lies along axis k. Products of floats round in the floats' order, so that none is
// outside.
static inline void ab_mesh_child_range(const ab_mesh *mesh, const ab_mesh_node *node, uint32_t child, int k,
                                       double out[2])
{
    float min = node->min[k][child], max = node->max[k][child];
    if (mesh->is_scaled)
    {
        const float scale = (&mesh->scale.x)[k], one = min * scale, other = max * scale;
        min = scale > 0.0f ? one : other;
        max = scale > 0.0f ? other : one;
    }
    out[0] = (double)min;
    out[1] = (double)max;
}

static inline uint32_t ab_mesh_vertex(const ab_mesh *mesh, uint32_t triangle, int i)
{
    return ab_mesh_is_grid(mesh) ? ab_grid_vertex(&mesh->grid, triangle, i)
                                 : ab_mesh_own_vertex(mesh, triangle, mesh->is_mirrored ? (3 - i) % 3 : i);
}

// The place of a vertex among a triangle's.
static inline int ab_mesh_place_of(const ab_mesh *mesh, uint32_t triangle, uint32_t vertex)
{
    return ab_mesh_vertex(mesh, triangle, 0) == vertex ? 0 : ab_mesh_vertex(mesh, triangle, 1) == vertex ? 1 : 2;
}

// Triangles at one vertex, at most: where a way around it ends, whatever the neighbours of a mesh that was read are.
static inline uint32_t ab_mesh_around(const ab_mesh *mesh)
{
    return ab_mesh_is_grid(mesh) ? mesh->given_count : mesh->joined_count;
}

static inline abut_vec3 ab_mesh_position(const ab_mesh *mesh, uint32_t vertex)
{
    return ab_mesh_is_grid(mesh) ? ab_grid_position(&mesh->grid, vertex)
           : mesh->is_scaled     ? ab_mesh_scaled(mesh, mesh->vertices[vertex])
                                 : mesh->vertices[vertex];
}

// Across edge k; AB_NO_TRIANGLE at a border.
uint32_t ab_mesh_neighbour(const ab_mesh *mesh, uint32_t triangle, int k);

// Whether it may have a neighbour across a border all the same: of neighbouring surfaces only those triangles are there
// for sure that have a corner in common with one of the surface's own.
bool ab_mesh_may_go_on(const ab_mesh *mesh, uint32_t triangle, int k);

// How it meets that neighbour.
ab_edge_kind ab_mesh_edge_kind(const ab_mesh *mesh, uint32_t triangle, int k);

// The corners of a triangle.
static inline void ab_mesh_positions(const ab_mesh *mesh, uint32_t triangle, abut_vec3 out[3])
{
    if (ab_mesh_is_grid(mesh))
    {
        ab_grid_corners(&mesh->grid, triangle, out);
        return;
    }
    if (mesh->is_scaled)
    {
        ab_mesh_scaled_positions(mesh, triangle, out);
        return;
    }
    uint32_t vertex[3];
    ab_mesh_own_vertices(mesh, triangle, vertex);
    for (int i = 0; i < 3; ++i)
    {
        out[i] = mesh->vertices[vertex[i]];
    }
}

// In double.
static inline void ab_mesh_corners(const ab_mesh *mesh, uint32_t triangle, double out[3][3])
{
    abut_vec3 corner[3];
    ab_mesh_positions(mesh, triangle, corner);
    for (int i = 0; i < 3; ++i)
    {
        out[i][0] = (double)corner[i].x;
        out[i][1] = (double)corner[i].y;
        out[i][2] = (double)corner[i].z;
    }
}

// Its unit normal, towards its front.
AB_INLINE void ab_mesh_triangle_normal(double corner[3][3], double out[3])
{
    const double *const a = corner[0], *const b = corner[1], *const c = corner[2];
    const double ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
    const double vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
    const double x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    const double scale = 1.0 / sqrt(x * x + y * y + z * z);
    out[0] = x * scale;
    out[1] = y * scale;
    out[2] = z * scale;
}

// What a triangle's or cell's material, and what kind a cell is, add to the digest of a surface: nothing if both are
// zero. Sums do not depend on the order.
static inline uint32_t ab_mesh_digest(uint32_t which, uint16_t material, abut_cell cell)
{
    const uint32_t what = (uint32_t)material << 2 | (uint32_t)cell;
    uint32_t x = (which + 1) * 0x9e3779b9u ^ what * 0x85ebca6bu; // C. Wellons, "Prospecting for Hash Functions" (2018)
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return what != 0 ? x : 0;
}

// Fills in what follows from the extents of a heightfield's rows: the half extents, the bounding radius, and the least
// and most of heights.
void ab_grid_find_extents(ab_mesh *mesh);

// Of a heightfield: whether three sides of a cell are so steep that a triangle has no area that can be told. By the
// heights at its lower row and at its higher one.
bool ab_grid_is_steep(const ab_grid *grid, float near, float near_next, float far, float far_next);

// Whether a height is finite and within ABUT_MAX_MAGNITUDE.
static inline bool ab_grid_is_height(float y)
{
    return y >= -ABUT_MAX_MAGNITUDE && y <= ABUT_MAX_MAGNITUDE;
}

// Puts the digest of the cells and materials among the numbers in front of the heights; and reads it.
void ab_grid_put_digest(ab_mesh *mesh, uint32_t digest);
uint32_t ab_grid_get_digest(const ab_mesh *mesh);

// abut_geometry_create_mesh and abut_geometry_create_heightfield in our own floating-point environment.
abut_status ab_mesh_make(const abut_mesh_def *def, ab_memory *memory, abut_geometry **out);
abut_status ab_heightfield_make(const abut_heightfield_def *def, ab_memory *memory, abut_geometry **out);

// What cooking a mesh gives, and what is beside it.
typedef struct ab_mesh_cooked
{
    const ab_mesh_parts *parts;
    uint32_t given; // triangles by the caller, those of neighbours not
    bool two_sided;
    const uint16_t *materials; // of each of them; NULL: all are zero
} ab_mesh_cooked;

// Makes the geometry of it, in our own floating-point environment.
abut_status ab_mesh_assemble(const ab_mesh_cooked *cooked, ab_memory *memory, abut_geometry **out);

// A mesh as bytes, which must be no heightfield and not scaled; see mesh_bytes.c.
size_t ab_mesh_bytes_size(const ab_mesh *mesh);
void ab_mesh_bytes_write(const ab_mesh *mesh, unsigned char *out);

// The mesh again, in our own floating-point environment. ABUT_INVALID_ARGUMENT for bytes that are none.
abut_status ab_mesh_bytes_read(const unsigned char *bytes, size_t size, ab_memory *memory, abut_geometry **out);

// Fills in what follows from the vertices of a mesh: the half extents, which are zero before, and the bounding radius.
void ab_mesh_measure(ab_mesh *mesh);

// Where a triangle of the caller's is in the order; AB_NO_TRIANGLE: it is left out, or there is none. Of a mesh that is
// no heightfield.
uint32_t ab_mesh_find_child(const ab_mesh *mesh, uint32_t child);

// ab_mesh_overlap of a heightfield.
bool ab_grid_overlap(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_see *see, void *context);

// The cells of a heightfield that a box reaches over, seen from above. Asks for the memory of their heights: most of it,
// of few cells.
ab_grid_cells ab_grid_fetch(const ab_mesh *mesh, const ab_mesh_box *box);

// Writes the triangles of such cells that the box may meet, in their order, as far as there is room. Returns how many
// there are.
uint32_t ab_grid_list(const ab_mesh *mesh, const ab_mesh_box *box, const ab_grid_cells *cells, uint32_t *out,
                      uint32_t room);

// Whether a triangle's own box meets a box.
bool ab_mesh_triangle_within(const ab_mesh *mesh, uint32_t triangle, const ab_mesh_box *box);

// Measures a triangle. Returns the distance beyond which none counts.
typedef double ab_mesh_measure_near(void *context, uint32_t triangle);

// Has those triangles of a mesh measured that may be within a distance of a box, those in near boxes first.
void ab_mesh_near_box(const ab_mesh *mesh, const ab_mesh_box *box, double limit, ab_mesh_measure_near *measure,
                      void *context);

// The triangle nearest to a point, and its point.
uint32_t ab_mesh_nearest(const ab_mesh *mesh, const double point[3], double out[3]);

// The first triangle that a ray goes through from the front, or from either side of a mesh with two, as ab_shape_row
// says. A ray along a triangle does not hit it.
bool ab_mesh_ray(const abut_shape *shape, const double from[3], const double way[3], ab_ray_entry *out);

// The same with the kernels of one instruction set, which does not change the result. `backs`: also those that it goes
// through from behind.
struct ab_kernels;
bool ab_mesh_ray_by(const struct ab_kernels *kernels, const abut_shape *shape, const double from[3],
                    const double way[3], bool backs, ab_ray_entry *out);

// Sees all of them, in no order.
typedef void ab_mesh_see_entry(void *context, const ab_ray_entry *entry);
void ab_mesh_ray_each(const struct ab_kernels *kernels, const abut_shape *shape, const double from[3],
                      const double way[3], bool backs, ab_mesh_see_entry *see, void *context);

// The point of a triangle nearest to a point.
void ab_mesh_nearest_on(double corner[3][3], const double point[3], double out[3]);

#endif
