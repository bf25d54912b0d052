// Creates compounds as geometry: accepts the parts, measures them, and divides them into a tree.
#include "shape/compound.h"

#include "math/frame.h"
#include "math/outward.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

#define DIGEST_FLOATS 14u // of a part: kind, size, pose, and what follows from its geometry

const ab_compound *ab_compound_of_geometry(const abut_geometry *geometry)
{
    return geometry && geometry->kind == AB_COMPOUND_GEOMETRY ? (const ab_compound *)(const void *)geometry : NULL;
}

// A compound in the making, and the middles of its parts' boxes.
typedef struct making
{
    ab_compound *compound;
    ab_compound_part *parts;
    ab_part_node *nodes; // leaves first by the parts' numbers; then the tree
    ab_part_node *leaves;
    double farthest; // from the origin, squared
} making;

// Widens a part's box by a point of its core, rounded by so much.
static void include(making *m, ab_mesh_box *box, const double point[3], double rounding)
{
    const ab_mesh_box own = ab_mesh_box_of(point, point, rounding);
    const double distance = sqrt(ab_dot(point, point)) + rounding;
    for (int k = 0; k < 3; ++k)
    {
        box->min[k] = own.min[k] < box->min[k] ? own.min[k] : box->min[k];
        box->max[k] = own.max[k] > box->max[k] ? own.max[k] : box->max[k];
    }
    m->farthest = distance > m->farthest ? distance : m->farthest;
}

// The box of a part: around the corners of a core that is a box, or a hull's vertices.
static ab_mesh_box measure(making *m, const ab_compound_part *part)
{
    const ab_shape_row *row = ab_shape_row_for(part->shape.kind);
    const ab_frame frame = ab_frame_of(&part->pose, row->turns);
    const float size[3] = { part->size.x, part->size.y, part->size.z };
    const abut_vec3 *vertices = NULL;
    ab_mesh_box box = { { HUGE_VALF, HUGE_VALF, HUGE_VALF }, { -HUGE_VALF, -HUGE_VALF, -HUGE_VALF } };
    ab_core core;
    row->core(NULL, &part->shape, size, &core);
    const uint32_t count = row->geometry ? abut_geometry_hull_vertices(row->geometry(&part->shape), &vertices) : 8;
    for (uint32_t i = 0; i < count; ++i)
    {
        double local[3], point[3];
        for (int k = 0; k < 3; ++k)
        {
            local[k] = i >> k & 1u ? core.half[k] : -core.half[k];
        }
        if (vertices)
        {
            local[0] = (double)vertices[i].x;
            local[1] = (double)vertices[i].y;
            local[2] = (double)vertices[i].z;
        }
        ab_frame_world(&frame, local, point);
        include(m, &box, point, core.rounding);
    }
    return box;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

// What follows from a part's geometry, in two floats.
static void digest_geometry(const ab_compound_part *part, float out[2])
{
    const ab_shape_row *row = ab_shape_row_for(part->shape.kind);
    const abut_geometry *geometry = row->geometry ? row->geometry(&part->shape) : NULL;
    uint32_t digest = 0x811c9dc5u;
    for (uint32_t i = 0; geometry && i < geometry->coordinate_count; ++i)
    {
        const float coordinate = geometry->coordinates[i] + 0.0f; // no negative zero
        uint32_t bits;
        memcpy(&bits, &coordinate, sizeof bits);
        digest = (digest ^ bits) * 0x01000193u; // G. Fowler, L. Noll, K. Vo, FNV-1a (1991), by words
        digest ^= digest >> 15;
    }
    out[0] = (float)(digest >> 16);
    out[1] = (float)(digest & 0xffffu);
}

// What a hash is of.
static void digest(const ab_compound_part *part, float *out)
{
    const abut_pose *p = &part->pose;
    const float floats[DIGEST_FLOATS] = {
        (float)part->shape.kind, part->size.x,  part->size.y,  part->size.z,  p->position.x, p->position.y,
        p->position.z,           p->rotation.x, p->rotation.y, p->rotation.z, p->rotation.w,
    };
    memcpy(out, floats, sizeof floats);
    digest_geometry(part, out + DIGEST_FLOATS - 2);
}

static bool is_part(const abut_placed_shape *given)
{
    abut_pose pose = given->pose;
    const ab_shape_row *row = ab_shape_row_for(given->shape.kind);
    ab_rotation_default(&pose.rotation);
    return row && row->part && !row->objection(NULL, &given->shape) && ab_pose_accept(&pose);
}

static void take_part(const abut_placed_shape *given, ab_compound_part *out)
{
    const ab_shape_row *row = ab_shape_row_for(given->shape.kind);
    *out = (ab_compound_part){ .shape = given->shape, .pose = given->pose };
    ab_rotation_default(&out->pose.rotation);
    (void)ab_pose_accept(&out->pose); // normalises
    out->size = row->size(NULL, &given->shape);
    const abut_quat rotation = row->turns ? out->pose.rotation : abut_quat_identity();
    ab_rotation_axes(rotation, out->axis);
}

static void release_parts(const abut_geometry *own)
{
    const ab_compound *compound = ab_compound_of_geometry(own);
    for (uint32_t i = 0; i < compound->count; ++i)
    {
        ab_shape_release(&compound->parts[i].shape);
    }
}

static bool fill(making *m, const abut_placed_shape *parts, uint32_t count, float *coordinates)
{
    ab_compound *compound = m->compound;
    for (uint32_t i = 0; i < count; ++i)
    {
        take_part(&parts[i], &m->parts[i]);
        const ab_mesh_box box = measure(m, &m->parts[i]);
        m->leaves[i].part = i;
        memcpy(m->leaves[i].min, box.min, sizeof box.min);
        memcpy(m->leaves[i].max, box.max, sizeof box.max);
        compound->half = abut_vec3_make(larger(larger(-box.min[0], box.max[0]), compound->half.x),
                                        larger(larger(-box.min[1], box.max[1]), compound->half.y),
                                        larger(larger(-box.min[2], box.max[2]), compound->half.z));
        digest(&m->parts[i], coordinates + (size_t)DIGEST_FLOATS * i);
    }
    compound->bounding_radius = ab_float_up(m->farthest * (1.0 + 0x1p-50));
    const float most = ABUT_MAX_MAGNITUDE;
    return compound->half.x <= most && compound->half.y <= most && compound->half.z <= most &&
           compound->bounding_radius <= most;
}

// The leaves are in the same block as the compound, behind the tree.
static abut_status create(const abut_placed_shape *parts, uint32_t count, ab_memory *memory, abut_geometry **out)
{
    making m = { 0 };
    const size_t nodes = AB_PART_NODES(count);
    const size_t bytes = sizeof *m.compound + count * sizeof *m.parts + (nodes + count) * sizeof *m.nodes +
                         (size_t)DIGEST_FLOATS * count * sizeof(float);
    m.compound = (ab_compound *)(void *)ab_geometry_make(AB_COMPOUND_GEOMETRY, bytes, memory);
    if (!m.compound)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    m.parts = (ab_compound_part *)(void *)(m.compound + 1);
    m.nodes = (ab_part_node *)(void *)(m.parts + count);
    m.leaves = m.nodes + nodes;
    float *const coordinates = (float *)(void *)(m.leaves + count);
    m.compound->parts = m.parts;
    m.compound->tree = (ab_part_tree){ m.nodes, (uint32_t)nodes };
    m.compound->count = count;
    m.compound->head.coordinates = coordinates;
    m.compound->head.coordinate_count = DIGEST_FLOATS * count;
    if (!fill(&m, parts, count, coordinates))
    {
        abut_geometry_release(&m.compound->head);
        return ABUT_INVALID_ARGUMENT;
    }
    ab_part_tree_build(m.nodes, m.leaves, count);
    ab_box_points_make(m.nodes[0].min, m.nodes[0].max, &m.compound->box);
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_shape_retain(&m.parts[i].shape);
    }
    m.compound->head.close = release_parts;
    *out = &m.compound->head;
    return ABUT_OK;
}

static abut_status judge(const abut_placed_shape *parts, uint32_t count)
{
    if (count > ABUT_MAX_COMPOUND_PARTS)
    {
        return ABUT_LIMIT;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!is_part(&parts[i]))
        {
            return ABUT_INVALID_ARGUMENT;
        }
    }
    return count > 0 ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}

// The bits must not depend on the caller's floating-point environment.
abut_status abut_geometry_create_compound(const abut_placed_shape *parts, uint32_t count,
                                          const abut_allocator *allocator, abut_geometry **out)
{
    ab_memory memory;
    if (!out)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    *out = NULL;
    if (!parts || !ab_memory_open(&memory, allocator))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const uint64_t before = ab_platform_float_enter();
    abut_status status = judge(parts, count);
    status = status == ABUT_OK ? create(parts, count, &memory, out) : status;
    ab_platform_float_leave(before);
    return status;
}

uint32_t abut_geometry_compound_parts(const abut_geometry *geometry)
{
    const ab_compound *compound = ab_compound_of_geometry(geometry);
    return compound ? compound->count : 0;
}

bool abut_geometry_compound_part(const abut_geometry *geometry, uint32_t part, abut_placed_shape *out)
{
    const ab_compound *compound = ab_compound_of_geometry(geometry);
    const bool found = compound && part < compound->count;
    if (found && out)
    {
        *out = (abut_placed_shape){ compound->parts[part].shape, compound->parts[part].pose };
    }
    return found;
}

void abut_shape_children(const abut_shape *a, const abut_shape *b, uint32_t child, uint32_t *child_a, uint32_t *child_b)
{
    const uint32_t of_b = b && ab_shape_valid(b) ? ab_child_count(b) : 1;
    const bool has_a = a && ab_shape_valid(a) && ab_child_count(a) > 1;
    if (child_a)
    {
        *child_a = has_a ? child / of_b : 0;
    }
    if (child_b)
    {
        *child_b = child % of_b;
    }
}
