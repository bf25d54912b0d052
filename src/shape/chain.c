// The row of chains, and rays against them.
#include "shape/chain.h"

#include "math/frame.h"

#include <math.h>
#include <string.h>

abut_shape abut_shape_chain(const abut_geometry *chain)
{
    abut_shape shape = { .kind = ABUT_CHAIN };
    shape.chain = chain;
    return shape;
}

static const char *chain_objection(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    return ab_size_objection(ab_chain_of_geometry(shape->chain) != NULL);
}

static abut_vec3 chain_size(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    return ab_chain_of_valid(shape)->half;
}

static void chain_core(const abut_kind_def *def, const abut_shape *shape, const float size[3], ab_core *out)
{
    (void)def, (void)shape;
    *out = (ab_core){ { (double)size[0], (double)size[1], 0.0 }, 0.0 };
}

// Of its convex hull.
static void chain_support(const abut_kind_def *def, const abut_shape *shape, const double direction[3], double out[3])
{
    (void)def;
    const ab_chain *chain = ab_chain_of_valid(shape);
    double most = -HUGE_VAL;
    out[0] = out[1] = out[2] = 0.0;
    for (uint32_t i = 0; i < chain->point_count; ++i)
    {
        const double x = (double)chain->points[i].x, y = (double)chain->points[i].y;
        const double along = direction[0] * x + direction[1] * y;
        out[0] = along > most ? x : out[0];
        out[1] = along > most ? y : out[1];
        most = along > most ? along : most;
    }
}

static void chain_points(const abut_shape *shape, ab_points *out)
{
    ab_box_points_get(&ab_chain_of_valid(shape)->box, out);
}

static float chain_bounding_radius(const abut_shape *shape)
{
    return ab_chain_of_valid(shape)->bounding_radius;
}

static const abut_geometry *chain_geometry(const abut_shape *shape)
{
    return shape->chain;
}

void ab_chain_normal(const ab_chain_segment *segment, double out[2])
{
    const double x = segment->at[1][0] - segment->at[0][0], y = segment->at[1][1] - segment->at[0][1];
    const double length = sqrt(x * x + y * y);
    out[0] = y / length;
    out[1] = -x / length;
}

// A search within the groups whose boxes meet a box.
typedef struct search
{
    const ab_chain *chain;
    const ab_mesh_box *box;
    ab_mesh_see *see;
    void *context;
} search;

static bool see_group(void *context, uint32_t group)
{
    const search *s = context;
    const uint32_t first = AB_CHAIN_GROUP * group, end = first + AB_CHAIN_GROUP;
    const abut_vec2 *const points = s->chain->points;
    bool more = true;
    for (uint32_t i = first; i < end && i < s->chain->count && more; ++i)
    {
        const abut_vec2 p = points[i], q = points[i + 1 < s->chain->point_count ? i + 1 : 0];
        const ab_mesh_box *box = s->box;
        const bool apart = (p.x > box->max[0] && q.x > box->max[0]) || (p.x < box->min[0] && q.x < box->min[0]) ||
                           (p.y > box->max[1] && q.y > box->max[1]) || (p.y < box->min[1] && q.y < box->min[1]);
        more = apart || s->see(s->context, i);
    }
    return more;
}

bool ab_chain_overlap(const ab_chain *chain, const ab_mesh_box *box, ab_mesh_see *see, void *context)
{
    search s = { chain, box, see, context };
    return ab_part_tree_overlap(&chain->tree, box, see_group, &s);
}

bool ab_chain_overlap_from(const ab_chain *chain, const double point[3], const ab_mesh_box *box, ab_mesh_see *see,
                           void *context)
{
    search s = { chain, box, see, context };
    return ab_part_tree_overlap_from(&chain->tree, point, box, see_group, &s);
}

// The point of a segment nearest to another.
static void nearest_of(const ab_chain_segment *segment, const double point[3], double out[3])
{
    const double *p = segment->at[0], *q = segment->at[1];
    const double x = q[0] - p[0], y = q[1] - p[1], to_x = point[0] - p[0], to_y = point[1] - p[1];
    const double share = (to_x * x + to_y * y) / (x * x + y * y);
    out[0] = share <= 0.0 ? p[0] : share >= 1.0 ? q[0] : p[0] + share * x;
    out[1] = share <= 0.0 ? p[1] : share >= 1.0 ? q[1] : p[1] + share * y;
    out[2] = 0.0;
}

typedef struct nearest
{
    const ab_chain *chain;
    ab_part_nearest found;
} nearest;

static bool see_nearest(void *context, uint32_t which)
{
    nearest *n = context;
    ab_chain_segment segment;
    double here[3];
    ab_chain_segment_of(n->chain, which, &segment);
    nearest_of(&segment, n->found.point, here);
    ab_part_nearest_take(&n->found, which, here);
    return true;
}

static void chain_closest(const abut_shape *shape, const double point[3], double out[3])
{
    const double flat[3] = { point[0], point[1], 0.0 };
    nearest n = { ab_chain_of_valid(shape), ab_part_nearest_to(flat) };
    (void)ab_chain_overlap_from(n.chain, flat, &n.found.box, see_nearest, &n);
    memcpy(out, n.found.on, sizeof n.found.on);
}

// A line has no inside; what lies on it is in it.
static bool chain_contains(const abut_shape *shape, const double point[3])
{
    double on[3];
    chain_closest(shape, point, on);
    return on[0] == point[0] && on[1] == point[1] && point[2] == 0.0;
}

// A ray, its box up to what is hit, and who sees.
typedef struct passing
{
    const ab_chain *chain;
    const double *from, *way;
    bool backs;
    ab_mesh_box box;
    ab_chain_see_entry *see;
    void *context;
} passing;

// Where a point lies beside the ray, positive to the left. The same for the two segments that share it, so that no ray
// goes through between them.
static double beside(const passing *p, const double point[2])
{
    return p->way[0] * (point[1] - p->from[1]) - p->way[1] * (point[0] - p->from[0]);
}

// Whether the ends lie on different sides of the ray, or on it.
static bool cross(const passing *p, const ab_chain_segment *segment, double *fraction)
{
    const double first = beside(p, segment->at[0]), second = beside(p, segment->at[1]);
    const double x = segment->at[1][0] - segment->at[0][0], y = segment->at[1][1] - segment->at[0][1];
    const double across = p->way[0] * y - p->way[1] * x;
    if ((first > 0.0 && second > 0.0) || (first < 0.0 && second < 0.0) || across == 0.0 || first == second)
    {
        return false;
    }
    *fraction = ((segment->at[0][0] - p->from[0]) * y - (segment->at[0][1] - p->from[1]) * x) / across;
    return *fraction >= 0.0 && *fraction <= 1.0;
}

static bool see_segment(void *context, uint32_t which)
{
    const passing *p = context;
    ab_chain_segment segment;
    ab_ray_entry entry = { .child = which };
    ab_chain_segment_of(p->chain, which, &segment);
    if (!cross(p, &segment, &entry.fraction))
    {
        return true;
    }
    ab_chain_normal(&segment, entry.normal);
    const bool behind = p->way[0] * entry.normal[0] + p->way[1] * entry.normal[1] > 0.0;
    const double turn = behind && p->chain->two_sided ? -1.0 : 1.0;
    entry.normal[0] *= turn;
    entry.normal[1] *= turn;
    entry.back = behind && !p->chain->two_sided;
    if (!entry.back || p->backs)
    {
        p->see(p->context, &entry);
    }
    return true;
}

// Of a ray without length: the segments that its point is on.
static bool see_at_point(void *context, uint32_t which)
{
    const passing *p = context;
    const double point[3] = { p->from[0], p->from[1], 0.0 };
    ab_chain_segment segment;
    ab_ray_entry entry = { .child = which };
    double on[3];
    ab_chain_segment_of(p->chain, which, &segment);
    (void)nearest_of(&segment, point, on);
    if (on[0] == point[0] && on[1] == point[1])
    {
        ab_chain_normal(&segment, entry.normal);
        p->see(p->context, &entry);
    }
    return true;
}

static void lay_box(passing *p, double fraction)
{
    double min[3], max[3];
    for (int k = 0; k < 3; ++k)
    {
        const double end = p->from[k] + fraction * p->way[k];
        min[k] = p->from[k] < end ? p->from[k] : end;
        max[k] = p->from[k] < end ? end : p->from[k];
    }
    min[2] = max[2] = 0.0;
    p->box = ab_mesh_box_of(min, max, 0x1p-40 * (fabs(p->from[0]) + fabs(p->from[1])));
}

static void pass(passing *p)
{
    const bool is_point = p->way[0] == 0.0 && p->way[1] == 0.0;
    lay_box(p, 1.0);
    (void)ab_chain_overlap(p->chain, &p->box, is_point ? see_at_point : see_segment, p);
}

void ab_chain_ray_each(const ab_chain *chain, const double from[3], const double way[3], bool backs,
                       ab_chain_see_entry *see, void *context)
{
    passing p = { .chain = chain, .from = from, .way = way, .backs = backs, .see = see, .context = context };
    pass(&p);
}

// The first entry so far.
typedef struct first_entry
{
    passing passing;
    bool found;
    ab_ray_entry best;
} first_entry;

static void keep_first(void *context, const ab_ray_entry *entry)
{
    first_entry *f = context;
    const ab_ray_entry *best = &f->best;
    const bool level = entry->fraction == best->fraction;
    const bool first = entry->fraction < best->fraction || (level && entry->back < best->back) ||
                       (level && entry->back == best->back && entry->child < best->child);
    if (!f->found || first)
    {
        f->best = *entry;
        f->found = true;
        lay_box(&f->passing, entry->fraction);
    }
}

bool ab_chain_ray(const ab_chain *chain, const double from[3], const double way[3], bool backs, ab_ray_entry *out)
{
    first_entry f = { .passing = { .chain = chain, .from = from, .way = way, .backs = backs, .see = keep_first } };
    f.passing.context = &f;
    pass(&f.passing);
    *out = f.best;
    return f.found;
}

static bool chain_row_ray(const abut_shape *shape, const double from[3], const double way[3], ab_ray_entry *out)
{
    return ab_chain_ray(ab_chain_of_valid(shape), from, way, false, out);
}

static void chain_wire(const abut_shape *shape, bool flat, ab_shape_line *line, void *context)
{
    (void)flat;
    const ab_chain *chain = ab_chain_of_valid(shape);
    for (uint32_t i = 0; i < chain->count; ++i)
    {
        const abut_vec2 p = chain->points[i], q = chain->points[i + 1 < chain->point_count ? i + 1 : 0];
        line(context, abut_vec3_make(p.x, p.y, 0.0f), abut_vec3_make(q.x, q.y, 0.0f));
    }
}

const ab_shape_row ab_chain_row = {
    .name = "chain",
    .turns = true,
    .flat = true,
    .parts = true,
    .surface = true,
    .objection = chain_objection,
    .size = chain_size,
    .core = chain_core,
    .support = chain_support,
    .points = chain_points,
    .bounding_radius = chain_bounding_radius,
    .geometry = chain_geometry,
    .contains = chain_contains,
    .closest = chain_closest,
    .ray = chain_row_ray,
    .wire = chain_wire,
};
