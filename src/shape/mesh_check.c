// What may be wrong with a triangle mesh. It is cooked, so that borders are those that it has in a world; what is said
// of them follows from which triangles their two vertices have in common.
#include "shape/mesh.h"

#include "base/array.h"
#include "base/platform.h"
#include "base/radix.h"
#include "cook/mesh_cook.h"
#include "math/frame.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

#define ON_EDGE 0x1p-18 // of the largest coordinate: what is so near to an edge is on it

enum
{
    EDGE_SHIFT = 8, // of a fault's key: above the kind
    TRIANGLE_SHIFT = 32
};

// An edge here is 3 times its triangle in the mesh's order plus its number there. Numbers from `own` on are those of
// neighbours' triangles.
typedef struct checking
{
    const abut_mesh_def *def;
    ab_memory *memory;
    uint32_t own; // triangles as given that are not neighbours'
    const ab_mesh *mesh;
    ab_sort_entry *borders, *scratch; // by their vertices, the lower one in the upper half, and then the edge
    uint64_t *corners, *more;         // see find_duplicates
    uint8_t *alone;                   // by edge of the mesh's own triangles: no other triangle has it
    uint32_t *border_at;              // by vertex: a triangle, as given, with such an edge that ends there; ABUT_NONE
    ab_sort_entry *faults;            // the triangle, the edge and the kind; then the other
    bool room;                        // false: out of memory
} checking;

static void add_fault(checking *c, abut_mesh_fault_kind kind, uint32_t triangle, uint32_t edge, uint32_t other)
{
    const size_t count = arrlenu(c->faults);
    c->room = c->room && ab_array_reserve(c->faults, c->memory, count + 1);
    if (c->room)
    {
        ab_array_set_length(c->faults, count + 1);
        c->faults[count] =
            (ab_sort_entry){ (uint64_t)triangle << TRIANGLE_SHIFT | edge << EDGE_SHIFT | (uint32_t)kind, other };
    }
}

// What keeps the mesh from being made.
static void find_invalid(checking *c)
{
    const abut_mesh_def *def = c->def;
    for (uint32_t i = 0; i < 3 * def->triangle_count && c->room; ++i)
    {
        if (def->indices[i] >= def->vertex_count)
        {
            add_fault(c, ABUT_FAULT_INDEX, i / 3, i % 3, ABUT_NONE);
        }
    }
    for (uint32_t i = 0; i < def->vertex_count && c->room; ++i)
    {
        if (!ab_vec3_in_range(def->vertices[i]))
        {
            add_fault(c, ABUT_FAULT_POSITION, ABUT_NONE, 0, i);
        }
    }
}

static void find_degenerate(checking *c)
{
    const abut_vec3 *vertices = c->def->vertices;
    for (uint32_t i = 0; i < c->own && c->room; ++i)
    {
        const uint32_t *corner = c->def->indices + 3 * (size_t)i;
        if (!ab_mesh_has_area(&vertices[corner[0]], &vertices[corner[1]], &vertices[corner[2]]))
        {
            add_fault(c, ABUT_FAULT_DEGENERATE, i, 0, ABUT_NONE);
        }
    }
}

// The number of the triangle of an edge, as given.
static uint32_t number_of(const checking *c, uint32_t edge)
{
    const uint32_t triangle = edge / 3;
    return triangle < c->mesh->triangle_count ? ab_mesh_child(c->mesh, triangle) : c->own + triangle;
}

static uint32_t vertex_of(const checking *c, uint32_t edge, uint32_t further)
{
    return ab_mesh_own_vertex(c->mesh, edge / 3, (int)((edge + further) % 3));
}

static void add_edge(checking *c, abut_mesh_fault_kind kind, uint32_t edge, uint32_t other)
{
    const uint32_t number = number_of(c, edge);
    if (number < c->own)
    {
        add_fault(c, kind, number, edge % 3, other < c->own ? other : ABUT_NONE);
    }
}

// The edges that have no neighbour.
static void list_borders(checking *c)
{
    const uint32_t edges = 3 * c->mesh->joined_count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < edges; ++i)
    {
        count += ab_mesh_own_neighbour(c->mesh, i / 3, (int)(i % 3)) == AB_NO_TRIANGLE;
    }
    if (count == 0)
    {
        return;
    }
    c->room = ab_array_resize(c->borders, c->memory, count) && ab_array_resize(c->scratch, c->memory, count);
    for (uint32_t i = 0, at = 0; i < edges && c->room && at < count; ++i)
    {
        if (ab_mesh_own_neighbour(c->mesh, i / 3, (int)(i % 3)) == AB_NO_TRIANGLE)
        {
            const uint64_t from = vertex_of(c, i, 0), to = vertex_of(c, i, 1);
            c->borders[at++] = (ab_sort_entry){ from < to ? from << 32 | to : to << 32 | from, i };
        }
    }
    if (c->room && ab_radix_sort(c->borders, c->scratch, count) != c->borders)
    {
        ab_sort_entry *const sorted = c->scratch;
        c->scratch = c->borders;
        c->borders = sorted;
    }
}

// Of edges of two vertices, those whose triangles' third one is the highest, so that each triangle is seen once: which
// of them are alike. They are sorted by that vertex, the way that the edge runs, and their numbers.
static void find_duplicates(checking *c, const ab_sort_entry *edges, uint32_t count)
{
    uint32_t some = 0;
    c->room = c->room && ab_array_resize(c->corners, c->memory, count) && ab_array_resize(c->more, c->memory, count);
    for (uint32_t i = 0; i < count && c->room; ++i)
    {
        const uint32_t edge = (uint32_t)edges[i].payload, high = (uint32_t)edges[i].key;
        const uint64_t across = vertex_of(c, edge, 2), backwards = vertex_of(c, edge, 0) == high;
        if (across > high)
        {
            c->corners[some++] = across << 33 | backwards << 32 | number_of(c, edge);
        }
    }
    const uint64_t *sorted = c->room && some > 1 ? ab_radix_sort_words(c->corners, c->more, some, 0, 64) : NULL;
    for (uint32_t i = 1, first = 0; sorted && i < some; ++i)
    {
        first = sorted[i] >> 32 == sorted[first] >> 32 ? first : i;
        if (first < i && (uint32_t)sorted[i] < c->own)
        {
            add_fault(c, ABUT_FAULT_DUPLICATE, (uint32_t)sorted[i], 0, (uint32_t)sorted[first]);
        }
    }
}

// Of an edge that several triangles have: two that run along it the same way, or more of any.
static void find_non_manifold(checking *c, const ab_sort_entry *edges, uint32_t count)
{
    uint32_t first = ABUT_NONE, second = ABUT_NONE;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t number = number_of(c, (uint32_t)edges[i].payload);
        second = number < first ? first : number < second ? number : second;
        first = number < first ? number : first;
    }
    for (uint32_t i = 0; i < count && c->room; ++i)
    {
        const uint32_t edge = (uint32_t)edges[i].payload;
        add_edge(c, count == 2 ? ABUT_FAULT_FLIPPED : ABUT_FAULT_NON_MANIFOLD, edge,
                 number_of(c, edge) == first ? second : first);
    }
}

static void end_at(const checking *c, uint32_t vertex, uint32_t number)
{
    uint32_t *const at = &c->border_at[vertex];
    *at = number < *at ? number : *at;
}

static void sort_out_borders(checking *c)
{
    const ab_sort_entry *edges = c->borders;
    const uint32_t count = (uint32_t)arrlenu(edges);
    for (uint32_t i = 0, end; i < count && c->room; i = end)
    {
        for (end = i + 1; end < count && edges[end].key == edges[i].key;)
        {
            ++end;
        }
        const uint32_t edge = (uint32_t)edges[i].payload;
        if (end - i > 1)
        {
            find_non_manifold(c, edges + i, end - i);
            find_duplicates(c, edges + i, end - i);
            continue;
        }
        add_edge(c, ABUT_FAULT_BORDER, edge, ABUT_NONE);
        c->alone[edge] = 1;
        end_at(c, vertex_of(c, edge, 0), number_of(c, edge));
        end_at(c, vertex_of(c, edge, 1), number_of(c, edge));
    }
}

// A vertex of a border among edges.
typedef struct looking
{
    checking *c;
    uint32_t vertex;
    double at[3], near;
} looking;

static double square_from_edge(const looking *l, const abut_vec3 *from, const abut_vec3 *to)
{
    const double along[3] = { (double)to->x - from->x, (double)to->y - from->y, (double)to->z - from->z };
    double away[3] = { l->at[0] - (double)from->x, l->at[1] - (double)from->y, l->at[2] - (double)from->z };
    const double part = ab_dot(away, along) / ab_dot(along, along), within = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    for (int k = 0; k < 3; ++k)
    {
        away[k] -= within * along[k];
    }
    return ab_dot(away, away);
}

static bool look_at(void *context, uint32_t triangle)
{
    const looking *l = context;
    checking *const c = l->c;
    abut_vec3 corner[3];
    ab_mesh_positions(c->mesh, triangle, corner);
    for (uint32_t k = 0; k < 3 && c->room; ++k)
    {
        const uint32_t edge = 3 * triangle + k;
        if (c->alone[edge] && vertex_of(c, edge, 0) != l->vertex && vertex_of(c, edge, 1) != l->vertex &&
            square_from_edge(l, &corner[k], &corner[(k + 1) % 3]) <= l->near * l->near)
        {
            add_edge(c, ABUT_FAULT_T_JUNCTION, edge, c->border_at[l->vertex]);
        }
    }
    return c->room;
}

static void find_t_junctions(checking *c)
{
    const abut_vec3 half = c->mesh->half;
    const double most = (double)fmaxf(half.x, fmaxf(half.y, half.z));
    for (uint32_t i = 0; i < c->mesh->joined_vertices && c->room; ++i)
    {
        if (c->border_at[i] != ABUT_NONE)
        {
            const abut_vec3 v = ab_mesh_position(c->mesh, i);
            looking l = { c, i, { (double)v.x, (double)v.y, (double)v.z }, ON_EDGE * most };
            const ab_mesh_box box = ab_mesh_box_of(l.at, l.at, l.near);
            ab_mesh_overlap(c->mesh, &box, look_at, &l);
        }
    }
}

// Of a mesh that has some triangle.
static void find_borders(checking *c)
{
    const uint32_t edges = 3 * c->mesh->joined_count, vertices = c->mesh->joined_vertices;
    c->room =
        c->room && ab_array_resize(c->alone, c->memory, edges) && ab_array_resize(c->border_at, c->memory, vertices);
    if (c->room)
    {
        memset(c->alone, 0, edges);
        memset(c->border_at, 0xff, vertices * sizeof *c->border_at); // ABUT_NONE
        list_borders(c);
    }
    if (c->room)
    {
        sort_out_borders(c);
        find_t_junctions(c);
    }
}

static abut_status find_faults(checking *c)
{
    find_invalid(c);
    if (!c->room || arrlenu(c->faults) > 0)
    {
        return c->room ? ABUT_OK : ABUT_OUT_OF_MEMORY;
    }
    find_degenerate(c);
    abut_geometry *geometry = NULL;
    const abut_status status = ab_mesh_make(c->def, c->memory, &geometry);
    if (status == ABUT_OK)
    {
        c->mesh = ab_mesh_of_geometry(geometry);
        find_borders(c);
        abut_geometry_release(geometry);
    }
    const bool failed = status != ABUT_OK && status != ABUT_INVALID_ARGUMENT; // this: none has an area
    return failed ? status : c->room ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static abut_status write_faults(checking *c, abut_mesh_fault *out, uint32_t capacity, uint32_t *count)
{
    const size_t found = arrlenu(c->faults);
    if (found > UINT32_MAX)
    {
        return ABUT_LIMIT;
    }
    if (found > 0 && !ab_array_resize(c->scratch, c->memory, found))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    const ab_sort_entry *sorted = found > 0 ? ab_radix_sort(c->faults, c->scratch, found) : NULL;
    for (size_t i = 0; i < found && i < capacity; ++i)
    {
        const uint32_t low = (uint32_t)sorted[i].key;
        out[i] = (abut_mesh_fault){ .kind = (abut_mesh_fault_kind)(low & ((1u << EDGE_SHIFT) - 1)),
                                    .triangle = (uint32_t)(sorted[i].key >> TRIANGLE_SHIFT),
                                    .edge = low >> EDGE_SHIFT,
                                    .other = (uint32_t)sorted[i].payload };
    }
    *count = (uint32_t)found;
    return ABUT_OK;
}

abut_status abut_geometry_check_mesh(const abut_mesh_def *def, const abut_allocator *allocator, abut_mesh_fault *out,
                                     uint32_t capacity, uint32_t *count)
{
    ab_memory memory;
    if (!def || !def->vertices || !def->indices || !count || (!out && capacity > 0) || def->triangle_count == 0 ||
        def->neighbour_count > def->triangle_count || def->threads > ABUT_MAX_THREADS)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (def->triangle_count > ABUT_MAX_MESH_TRIANGLES)
    {
        return ABUT_LIMIT;
    }
    if (!ab_memory_open(&memory, allocator))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const uint64_t before = ab_platform_float_enter();
    checking c = { .def = def, .memory = &memory, .own = def->triangle_count - def->neighbour_count, .room = true };
    abut_status status = find_faults(&c);
    status = status == ABUT_OK ? write_faults(&c, out, capacity, count) : status;
    ab_platform_float_leave(before);
    arrfree(c.borders);
    arrfree(c.scratch);
    arrfree(c.corners);
    arrfree(c.more);
    arrfree(c.alone);
    arrfree(c.border_at);
    arrfree(c.faults);
    return status;
}
