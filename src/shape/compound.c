// The row of compounds. Each function asks the parts' rows, in the parts' own frames.
#include "shape/compound.h"

#include "math/frame.h"
#include "shape/chain.h"

#include <math.h>
#include <string.h>

abut_shape abut_shape_compound(const abut_geometry *compound)
{
    abut_shape shape = { .kind = ABUT_COMPOUND };
    shape.compound = compound;
    return shape;
}

static const char *compound_objection(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    return ab_size_objection(ab_compound_of_geometry(shape->compound) != NULL);
}

static abut_vec3 compound_size(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    return ab_compound_of_valid(shape)->half;
}

static void compound_core(const abut_kind_def *def, const abut_shape *shape, const float size[3], ab_core *out)
{
    (void)def, (void)shape;
    *out = (ab_core){ { (double)size[0], (double)size[1], (double)size[2] }, 0.0 };
}

static ab_frame frame_of(const ab_compound_part *part)
{
    return ab_frame_of(&part->pose, ab_shape_row_for(part->shape.kind)->turns);
}

// Of its convex hull. Of two parts that reach as far, the first in the tree has the point.
static void compound_support(const abut_kind_def *def, const abut_shape *shape, const double direction[3],
                             double out[3])
{
    (void)def;
    const ab_compound *compound = ab_compound_of_valid(shape);
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < compound->tree.count;)
    {
        const ab_part_node *node = &compound->tree.nodes[i];
        if (!(ab_part_node_most_along(node, direction) > most))
        {
            i = node->next;
            continue;
        }
        ++i;
        if (node->part != AB_NO_PART)
        {
            const ab_compound_part *part = &compound->parts[node->part];
            const ab_frame frame = frame_of(part);
            double local[3], farthest[3], here[3];
            ab_frame_direction(&frame, direction, local);
            ab_shape_farthest(ab_shape_row_for(part->shape.kind), &part->shape, local, farthest);
            ab_frame_world(&frame, farthest, here);
            const double along = ab_dot(here, direction);
            for (int k = 0; k < 3 && along > most; ++k)
            {
                out[k] = here[k];
            }
            most = along > most ? along : most;
        }
    }
}

static void compound_points(const abut_shape *shape, ab_points *out)
{
    ab_box_points_get(&ab_compound_of_valid(shape)->box, out);
}

static float compound_bounding_radius(const abut_shape *shape)
{
    return ab_compound_of_valid(shape)->bounding_radius;
}

static const abut_geometry *compound_geometry(const abut_shape *shape)
{
    return shape->compound;
}

// A point, and the compound it may be in.
typedef struct point_in
{
    const ab_compound *compound;
    const double *point;
} point_in;

static bool is_outside(void *context, uint32_t which)
{
    const point_in *in = context;
    const ab_compound_part *part = &in->compound->parts[which];
    const ab_frame frame = frame_of(part);
    double local[3];
    ab_frame_local(&frame, in->point, local);
    return !ab_shape_row_for(part->shape.kind)->contains(&part->shape, local);
}

static bool compound_contains(const abut_shape *shape, const double point[3])
{
    point_in in = { ab_compound_of_valid(shape), point };
    const ab_mesh_box box = ab_mesh_box_of(point, point, 0.0);
    return !ab_compound_overlap(in.compound, &box, is_outside, &in);
}

typedef struct nearest
{
    const ab_compound *compound;
    ab_part_nearest found;
} nearest;

static bool see_nearest(void *context, uint32_t which)
{
    nearest *n = context;
    const ab_compound_part *part = &n->compound->parts[which];
    const ab_frame frame = frame_of(part);
    double local[3], closest[3], here[3];
    ab_frame_local(&frame, n->found.point, local);
    ab_shape_row_for(part->shape.kind)->closest(&part->shape, local, closest);
    ab_frame_world(&frame, closest, here);
    ab_part_nearest_take(&n->found, which, here);
    return true;
}

static void compound_closest(const abut_shape *shape, const double point[3], double out[3])
{
    nearest n = { ab_compound_of_valid(shape), ab_part_nearest_to(point) };
    (void)ab_compound_overlap_from(n.compound, point, &n.found.box, see_nearest, &n);
    memcpy(out, n.found.on, sizeof n.found.on);
}

bool ab_compound_overlap(const ab_compound *compound, const ab_mesh_box *box, ab_mesh_see *see, void *context)
{
    return ab_part_tree_overlap(&compound->tree, box, see, context);
}

bool ab_compound_overlap_from(const ab_compound *compound, const double point[3], const ab_mesh_box *box,
                              ab_mesh_see *see, void *context)
{
    return ab_part_tree_overlap_from(&compound->tree, point, box, see, context);
}

uint32_t ab_child_count(const abut_shape *shape)
{
    const ab_compound *compound = ab_compound_of(shape);
    const ab_mesh *mesh = ab_mesh_of(shape);
    const ab_chain *chain = ab_chain_of(shape);
    return compound ? compound->count : mesh ? mesh->given_count : chain ? chain->count : 1;
}

const ab_shape_row ab_compound_row = {
    .name = "compound",
    .turns = true,
    .solid = true,
    .parts = true,
    .objection = compound_objection,
    .size = compound_size,
    .core = compound_core,
    .support = compound_support,
    .points = compound_points,
    .bounding_radius = compound_bounding_radius,
    .geometry = compound_geometry,
    .contains = compound_contains,
    .closest = compound_closest,
};
