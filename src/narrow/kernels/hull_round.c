// Contacts of balls and capsules with polytopes. A plane that separates by as much as some two points are apart gives
// the distance: so the face or the edge axis with the largest separation is right wherever the nearest point is inside
// that face or edge. Nearest to other edges and corners, a ball is measured by the hull's own closest point.
//
// Features: of faces as those of polytopes, the ends of the segment being the corners of the incident edge.
#include "narrow/kernels/hull_round.h"

#include "math/frame.h"
#include "narrow/kernels/hull_points.h"
#include "shape/shape_table.h"

#include <math.h>

#define NEAR     0x1p-20 // of the reach: nearer to the hull than this, a centre has the normal of a face
#define EDGE_BY  1.9e-6  // of the reach: by how much an edge axis must be better than a face
#define LEFT_OUT 1e-4    // of the reach: see hull_points.c
#define LEANING  0.9962  // cosine, five degrees: see LEANING in hull_points.c
#define ONE_NAME 0xffu   // the feature of a single point

static void corner_at(const ab_polytope *p, uint32_t vertex, double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = (double)p->vertex[k][vertex];
    }
}

static void end_of(const ab_round_pair *pair, int end, double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = (double)pair->end[end][k];
    }
}

// The height above a face, with its normal.
static double height_above(const ab_polytope *p, uint32_t face, const double at[3], double normal[3])
{
    for (int k = 0; k < 3; ++k)
    {
        normal[k] = (double)p->normal[k][face];
    }
    return ab_dot(normal, at) - (double)p->offset[face];
}

// How far two points are inside of side `i` of a face, seen along its normal; not to scale.
static void inside_by(const ab_polytope *p, uint32_t face, uint32_t i, const double normal[3], const double at[2][3],
                      double by[2])
{
    const ab_polytope_face *f = &p->faces[face];
    const uint16_t *corner = p->corners + f->first;
    double a[3], b[3];
    corner_at(p, corner[i], a);
    corner_at(p, corner[i + 1 < f->count ? i + 1 : 0], b);
    const double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    const double inward[3] = { normal[1] * z - normal[2] * y, normal[2] * x - normal[0] * z,
                               normal[0] * y - normal[1] * x };
    const double from = ab_dot(inward, a);
    by[0] = ab_dot(inward, at[0]) - from;
    by[1] = ab_dot(inward, at[1]) - from;
}

static bool is_over(const ab_polytope *p, uint32_t face, const double normal[3], const double at[3])
{
    const double both[2][3] = { { at[0], at[1], at[2] }, { at[0], at[1], at[2] } };
    for (uint32_t i = 0; i < p->faces[face].count; ++i)
    {
        double by[2];
        inside_by(p, face, i, normal, both, by);
        if (by[0] < 0.0)
        {
            return false;
        }
    }
    return true;
}

static void set_face(const ab_round_pair *pair, uint32_t face, double height, ab_round_contact *out)
{
    out->class = AB_ROUND_FACE;
    out->index = face;
    out->separation = (float)(height - (double)pair->radius);
}

void ab_round_ball(const ab_round_pair *pair, uint32_t face, ab_round_contact *out)
{
    double centre[3];
    end_of(pair, 0, centre);
    const double height = height_above(pair->hull, face, centre, out->normal);
    if (height <= 0.0 || is_over(pair->hull, face, out->normal, centre))
    {
        set_face(pair, face, height, out);
        return;
    }
    double apart[3];
    ab_shape_row_for(pair->shape->kind)->closest(pair->shape, centre, out->on_hull);
    for (int k = 0; k < 3; ++k)
    {
        out->on_core[k] = centre[k];
        apart[k] = centre[k] - out->on_hull[k];
    }
    const double distance = sqrt(ab_dot(apart, apart));
    if (distance <= NEAR * (double)pair->hull->reach)
    {
        set_face(pair, face, height, out);
        return;
    }
    out->class = AB_ROUND_POINT;
    out->separation = (float)(distance - (double)pair->radius);
    for (int k = 0; k < 3; ++k)
    {
        out->normal[k] = apart[k] / distance;
    }
}

// The end nearer to a face, its height and the face's normal.
static double lower_end(const ab_round_pair *pair, uint32_t face, double normal[3], double at[3])
{
    double other[3];
    end_of(pair, 0, at);
    end_of(pair, 1, other);
    const double height = height_above(pair->hull, face, at, normal),
                 of_other = height_above(pair->hull, face, other, normal);
    if (of_other < height)
    {
        end_of(pair, 1, at);
    }
    return of_other < height ? of_other : height;
}

void ab_round_over_face(const ab_round_pair *pair, uint32_t face, ab_round_contact *out)
{
    double at[3];
    const double height = lower_end(pair, face, out->normal, at);
    out->class = AB_ROUND_ASK;
    if (height > 0.0 && is_over(pair->hull, face, out->normal, at))
    {
        set_face(pair, face, height, out);
    }
}

static double part_of(double value)
{
    return value > 0.0 ? (value < 1.0 ? value : 1.0) : 0.0;
}

// The contact of the segment with an edge. False where the nearest points of their lines are beyond an end of either.
static bool set_edge(const ab_round_pair *pair, uint32_t edge, ab_round_contact *out)
{
    const ab_polytope *p = pair->hull;
    const ab_polytope_edge *e = &p->edges[edge];
    double at[3], u[3], q[3], v[3], r[3];
    end_of(pair, 0, at);
    end_of(pair, 1, u);
    corner_at(p, e->vertex[0], q);
    corner_at(p, e->vertex[1], v);
    for (int k = 0; k < 3; ++k)
    {
        u[k] -= at[k];
        v[k] -= q[k];
        r[k] = at[k] - q[k];
    }
    const double n[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
    const double uu = ab_dot(u, u), vv = ab_dot(v, v), uv = ab_dot(u, v), ur = ab_dot(u, r), vr = ab_dot(v, r);
    const double square = ab_dot(n, n), determinant = uu * vv - uv * uv;
    const double s = (uv * vr - ur * vv) / determinant, t = (uu * vr - uv * ur) / determinant;
    const double facing[3] = { (double)e->left[0] + (double)e->right[0], (double)e->left[1] + (double)e->right[1],
                               (double)e->left[2] + (double)e->right[2] };
    const double length = ab_dot(n, facing) < 0.0 ? -sqrt(square) : sqrt(square);
    for (int k = 0; k < 3; ++k)
    {
        out->normal[k] = n[k] / length;
        out->on_core[k] = at[k] + part_of(s) * u[k];
        out->on_hull[k] = q[k] + part_of(t) * v[k];
    }
    out->class = AB_ROUND_EDGE;
    out->index = edge;
    out->separation = (float)(ab_dot(r, out->normal) - (double)pair->radius);
    return s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0;
}

void ab_round_capsule(const ab_round_pair *pair, const ab_round_axes *best, ab_round_contact *out)
{
    const float face = best->along_face, edge = best->along_edge;
    const bool overlapping = face <= 0.0f && edge <= 0.0f;
    out->class = AB_ROUND_ASK;
    if (overlapping && (edge > face ? edge : face) > -best->left_out)
    {
        return;
    }
    if (edge > face + (overlapping ? (float)(EDGE_BY * (double)pair->hull->reach) : 0.0f))
    {
        if (!set_edge(pair, best->edge, out) && !overlapping)
        {
            out->class = AB_ROUND_ASK;
        }
        return;
    }
    double at[3];
    if (overlapping)
    {
        set_face(pair, best->face, lower_end(pair, best->face, out->normal, at), out);
    }
}

// From the frame of the hull to an offset from the position of the first body, in the world.
static abut_vec3 world_offset(const ab_round_pair *pair, const double at[3])
{
    const float *axis = pair->record->axis;
    double out[3];
    for (int k = 0; k < 3; ++k)
    {
        out[k] = (double)pair->base[k] +
                 ((double)axis[k] * at[0] + (double)axis[3 + k] * at[1] + (double)axis[6 + k] * at[2]);
    }
    return abut_vec3_make((float)out[0], (float)out[1], (float)out[2]);
}

static abut_vec3 world_normal(const ab_round_pair *pair, const double n[3])
{
    const float *axis = pair->record->axis;
    double out[3];
    for (int k = 0; k < 3; ++k)
    {
        out[k] = (double)axis[k] * n[0] + (double)axis[3 + k] * n[1] + (double)axis[6 + k] * n[2];
    }
    const double length = pair->hull_first ? sqrt(ab_dot(out, out)) : -sqrt(ab_dot(out, out));
    return abut_vec3_make((float)(out[0] / length), (float)(out[1] / length), (float)(out[2] / length));
}

// The point below a point of the core, midway between the surfaces.
static abut_point point_below(const ab_round_pair *pair, const ab_round_contact *contact, const double core[3],
                              double separation, uint32_t feature)
{
    const double down = (double)pair->radius + 0.5 * separation;
    const double at[3] = { core[0] - down * contact->normal[0], core[1] - down * contact->normal[1],
                           core[2] - down * contact->normal[2] };
    return (abut_point){ world_offset(pair, at), (float)separation, feature };
}

// An end of the part of the segment that is over the face.
typedef struct cut_end
{
    double part;
    uint32_t side; // of the face that cuts it; 15: none
} cut_end;

// Clips the segment to the sides of the face, seen along the contact's normal; false when nothing is left.
static bool cut_segment(const ab_round_pair *pair, const ab_round_contact *contact, uint32_t face,
                        const double at[2][3], cut_end end[2])
{
    end[0] = (cut_end){ 0.0, 15 };
    end[1] = (cut_end){ 1.0, 15 };
    for (uint32_t i = 0; i < pair->hull->faces[face].count; ++i)
    {
        double by[2];
        inside_by(pair->hull, face, i, contact->normal, at, by);
        if (by[0] < 0.0 && by[1] < 0.0)
        {
            return false;
        }
        if ((by[0] < 0.0) != (by[1] < 0.0))
        {
            const double part = by[0] / (by[0] - by[1]);
            cut_end *moved = &end[by[0] < 0.0 ? 0 : 1];
            if (by[0] < 0.0 ? part > moved->part : part < moved->part)
            {
                *moved = (cut_end){ part, i };
            }
        }
    }
    return end[0].part < end[1].part;
}

// The ends of the segment over a face that are within the limit, by heights along the contact's normal. False where
// they miss the deepest point.
static bool ends_over_face(const ab_round_pair *pair, const ab_round_contact *contact, uint32_t face, uint32_t code,
                           abut_manifold *out)
{
    double at[2][3], normal[3], deepest = HUGE_VAL;
    cut_end end[2];
    end_of(pair, 0, at[0]);
    end_of(pair, 1, at[1]);
    out->point_count = 0;
    const bool over = cut_segment(pair, contact, face, (const double(*)[3])at, end);
    for (uint32_t i = 0; over && i < 2; ++i)
    {
        double core[3];
        for (int k = 0; k < 3; ++k)
        {
            core[k] = at[0][k] + end[i].part * (at[1][k] - at[0][k]);
        }
        const double above = height_above(pair->hull, face, core, normal);
        const double steep = contact->class == AB_ROUND_FACE ? 1.0 : ab_dot(normal, contact->normal);
        const double height = above / steep - (double)pair->radius;
        const double gap = height > (double)contact->separation ? height : (double)contact->separation;
        if (gap <= (double)pair->limit)
        {
            const uint32_t side = (end[i].side & 15u) << 4 | end[i].side >> 4 << 20;
            deepest = gap < deepest ? gap : deepest;
            out->points[out->point_count++] = point_below(pair, contact, core, gap, code | side | i);
        }
    }
    return out->point_count > 0 && deepest <= (double)contact->separation + LEFT_OUT * (double)pair->hull->reach;
}

// The lower end where the segment is not over the face.
static void capsule_on_face(const ab_round_pair *pair, const ab_round_contact *contact, abut_manifold *out)
{
    const uint32_t code = ((uint32_t)AB_HULL_FACE_OF_A << 6 | contact->index % AB_HULL_CODES) << 8;
    if (!ends_over_face(pair, contact, contact->index, code, out))
    {
        double lowest[3], normal[3];
        (void)lower_end(pair, contact->index, normal, lowest);
        out->points[0] = point_below(pair, contact, lowest, (double)contact->separation, code | ONE_NAME);
        out->point_count = 1;
    }
}

// Whether a capsule across an edge leans on a face beside it, and has its ends over that. It is then nearly flat, and
// an end that overhangs makes the axis that of the edge.
static bool edge_on_face(const ab_round_pair *pair, const ab_round_contact *contact, uint32_t code, abut_manifold *out)
{
    const ab_polytope *p = pair->hull;
    double most = LEANING;
    uint32_t found = ABUT_NONE;
    for (int k = 0; k < 2; ++k)
    {
        const uint32_t face = p->edges[contact->index].face[k];
        const double n[3] = { (double)p->normal[0][face], (double)p->normal[1][face], (double)p->normal[2][face] };
        const double cosine = ab_dot(n, contact->normal);
        found = cosine > most ? face : found;
        most = cosine > most ? cosine : most;
    }
    return found != ABUT_NONE && ends_over_face(pair, contact, found, code, out);
}

void ab_round_manifold(const ab_round_pair *pair, const ab_round_contact *contact, abut_manifold *out)
{
    out->normal = world_normal(pair, contact->normal);
    out->separation = contact->separation;
    if (contact->class == AB_ROUND_FACE && !pair->ball)
    {
        capsule_on_face(pair, contact, out);
        return;
    }
    double core[3];
    uint32_t feature = ONE_NAME;
    end_of(pair, 0, core);
    if (contact->class == AB_ROUND_EDGE)
    {
        const uint32_t code = ((uint32_t)AB_HULL_EDGES << 6 | contact->index % (AB_HULL_CODES - 1)) << 8;
        if (edge_on_face(pair, contact, code, out))
        {
            return;
        }
        feature |= code;
        for (int k = 0; k < 3; ++k)
        {
            core[k] = contact->on_core[k];
        }
    }
    out->points[0] = point_below(pair, contact, core, (double)contact->separation, feature);
    out->point_count = 1;
}
