// Finds the parts of compounds that may touch, by the compounds' trees.
#include "narrow/compound/compound_pairs.h"
#include "narrow/mesh/triangle.h"
#include "narrow/pair_functions.h"

#include <math.h>

// As the bounds pass allows for them: what kernels round, and how much less than the distance SAT may find.
#define SIZE_SLACK 0x1p-18
#define SAT_SLACK  1.7320509

void ab_compound_place(const ab_convex *placed, uint32_t which, ab_convex *out)
{
    const ab_compound_part *part = &ab_compound_of_valid(placed->shape)->parts[which];
    const float size[3] = { part->size.x, part->size.y, part->size.z };
    const abut_vec3 p = part->pose.position;
    const double at[3] = { (double)p.x, (double)p.y, (double)p.z };
    *out = (ab_convex){ .row = ab_shape_row_for(part->shape.kind), .shape = &part->shape };
    out->row->core(NULL, &part->shape, size, &out->core);
    out->size = out->core.half[0] + out->core.half[1] + out->core.half[2] + out->core.rounding;
    ab_convex_place(placed, at, out->centre);
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            const float *axis = part->axis + 3 * i;
            out->axis[3 * i + k] = placed->axis[k] * (double)axis[0] + placed->axis[3 + k] * (double)axis[1] +
                                   placed->axis[6 + k] * (double)axis[2];
        }
    }
}

bool ab_children_fit(const abut_shape *a, const abut_shape *b)
{
    return (uint64_t)ab_child_count(a) * ab_child_count(b) <= AB_MOST_CHILDREN;
}

// One pair. Coordinates are relative to the position of b's body.
typedef struct search
{
    ab_convex a, b;
    double more;   // metres: two children farther apart than that do not touch
    double limit;  // likewise, of a triangle
    uint32_t of_b; // the part of b that children of a are looked for
    ab_children_see *see;
    void *context;
} search;

static double sum_of(const double v[3])
{
    return fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
}

// `turned`: a is the compound.
static void open_search(search *s, const ab_batch *batch, uint32_t i, bool turned, ab_children_see *see, void *context)
{
    const uint32_t a = turned ? batch->b[i] : batch->a[i], b = turned ? batch->a[i] : batch->b[i];
    const float *of_a = batch->records[a].position, *of_b = batch->records[b].position;
    double sizes;
    *s = (search){ .see = see, .context = context, .limit = (double)ab_batch_limit(batch, i) };
    ab_convex_of(&s->a, batch, a, b);
    ab_convex_of(&s->b, batch, b, b);
    sizes = s->a.size + s->b.size + sum_of(s->b.centre);
    for (int k = 0; k < 3; ++k)
    {
        sizes += fabs(s->a.centre[k] - ((double)of_a[k] - (double)of_b[k])); // its offset
    }
    s->more = SAT_SLACK * s->limit + SIZE_SLACK * (sizes + s->limit);
}

// A convex shape and a part.
static bool see_part(void *context, uint32_t part)
{
    search *s = context;
    return s->see(s->context, 0, part);
}

static bool see_part_of_a(void *context, uint32_t part)
{
    search *s = context;
    return s->see(s->context, part, s->of_b);
}

// The parts or triangles of a that are near a part of b.
static bool search_a(void *context, uint32_t part)
{
    search *s = context;
    ab_convex convex;
    ab_compound_place(&s->b, part, &convex);
    s->of_b = part;
    const ab_compound *compound = ab_compound_of(s->a.shape);
    const ab_mesh_box box = ab_mesh_box_around(&s->a, &convex, compound ? s->more : s->limit);
    return compound ? ab_compound_overlap(compound, &box, see_part_of_a, s)
                    : ab_mesh_overlap(ab_mesh_of_valid(s->a.shape), &box, see_part_of_a, s);
}

// A part of a, which meets a half-space.
static bool see_turned(void *context, uint32_t part)
{
    search *s = context;
    return s->see(s->context, part, 0);
}

bool ab_compound_find(const ab_batch *batch, uint32_t i, ab_children_see *see, void *context)
{
    const bool turned = !ab_compound_of(ab_batch_shape(batch, batch->b[i]));
    search s;
    open_search(&s, batch, i, turned, see, context);
    const ab_mesh_box box = ab_mesh_box_around(&s.b, &s.a, s.more);
    return ab_compound_overlap(ab_compound_of_valid(s.b.shape), &box,
                               turned           ? see_turned
                               : s.a.row->parts ? search_a
                                                : see_part,
                               &s);
}

bool ab_compound_each(const ab_batch *batch, uint32_t i, ab_children_see *see, void *context)
{
    const abut_shape *a = ab_batch_shape(batch, batch->a[i]);
    const ab_compound *compound = ab_compound_of(a);
    const uint32_t of_b = ab_child_count(ab_batch_shape(batch, batch->b[i]));
    const ab_mesh *mesh = ab_mesh_of(a);
    const uint32_t of_a = compound ? compound->count : mesh ? mesh->triangle_count : 1;
    bool more = true;
    for (uint32_t part = 0; more && part < of_b; ++part)
    {
        for (uint32_t k = 0; more && k < of_a; ++k)
        {
            more = (mesh && !ab_mesh_is_triangle(mesh, k)) || see(context, k, part);
        }
    }
    return more;
}
