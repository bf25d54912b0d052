// The contact points of two polytopes that overlap, or nearly touch: the incident face clipped to the sides of the
// reference face, reduced to four, or the point between two edges. In double, a unit of each instruction set as
// hull_clip.c is.
//
// Features: bits 8 to 15 the axis; all others as hull_clip.h has them.
#include "narrow/kernels/hull_points.h"

#include "math/frame.h"
#include "narrow/kernels/hull_clip.h"

#include <math.h>
#include <string.h>

#define LEFT_OUT    1e-4    // of the scale: points of a face that miss the nearest one by more are not the contact's
#define SAME_FACE   0x1p-13 // sine: a direction so near to the normal of a face is that
#define SAME_HEIGHT 0x1p-19 // of the scale: what is as near as it is high above a face is nearest to that
#define NEAR_FACE   0x1p-9  // sine: an axis of edges so near to the normal of a face makes a flat contact,
#define LEVEL       0x1p-30 // of the scale: vertices that are as low
#define LEANING     0.087   // and so near, five degrees as of boxes, one on which the face leans
#define MISSED      1e-5 // of the scale: where the points of faces miss the deepest by more, two edges have one point

// One polytope in the frame of the other.
static ab_hull_side side_of(const ab_hull_pair *pair, bool of_b)
{
    ab_hull_side s = { .polytope = of_b ? pair->b : pair->a };
    const float *turn = pair->relation.turn, *at = of_b ? pair->relation.apart : pair->relation.behind;
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            s.turn[3 * i + k] = (double)turn[of_b ? 3 * i + k : 3 * k + i];
        }
        s.at[i] = (double)at[i];
    }
    return s;
}

// The frame of one of the shapes, as offsets from the position of body a in the world.
typedef struct world_frame
{
    const float *axis;
    double base[3];
} world_frame;

static world_frame world_frame_of(const ab_hull_pair *pair, bool of_b)
{
    world_frame out = { .axis = of_b ? pair->record_b->axis : pair->record_a->axis };
    for (int k = 0; k < 3; ++k)
    {
        out.base[k] = (double)pair->base[k];
        for (int i = 0; of_b && i < 3; ++i)
        {
            out.base[k] += (double)pair->record_a->axis[3 * i + k] * (double)pair->relation.apart[i];
        }
    }
    return out;
}

static abut_vec3 world_offset(const world_frame *f, const double at[3])
{
    double out[3];
    for (int k = 0; k < 3; ++k)
    {
        out[k] =
            f->base[k] + ((double)f->axis[k] * at[0] + (double)f->axis[3 + k] * at[1] + (double)f->axis[6 + k] * at[2]);
    }
    return abut_vec3_make((float)out[0], (float)out[1], (float)out[2]);
}

static abut_vec3 world_normal(const float axis[9], const double n[3], double sign)
{
    double out[3];
    for (int k = 0; k < 3; ++k)
    {
        out[k] = sign * ((double)axis[k] * n[0] + (double)axis[3 + k] * n[1] + (double)axis[6 + k] * n[2]);
    }
    const double length = sqrt(ab_dot(out, out));
    return abut_vec3_make((float)(out[0] / length), (float)(out[1] / length), (float)(out[2] / length));
}

// A point above the reference face.
static void above_face(const ab_hull_reference *r, double u, double v, double above, double out[3])
{
    const double height = above + ab_hull_lean(r, u, v);
    for (int k = 0; k < 3; ++k)
    {
        out[k] = u * r->u[k] + v * r->v[k] + (r->offset + height) * r->normal[k];
    }
}

// The manifold of the generic convex path, where no face touches another: for faces in pieces nearly in one plane. If
// it finds the two apart, which rounding can make of an overlap, the point between the nearest two, and `code`.
static void generic_manifold(const ab_hull_pair *pair, const ab_hull_axis *axis, uint32_t code, abut_manifold *out)
{
    ab_convex_pair convex;
    ab_convex_contact contact;
    ab_convex_pair_of(&convex, pair->batch, pair->proxies.a, pair->proxies.b);
    ab_convex_collide(&convex, convex.scale, &contact);
    out->normal = abut_vec3_make((float)contact.normal[0], (float)contact.normal[1], (float)contact.normal[2]);
    out->separation = (float)contact.separation;
    if (out->separation <= pair->limit)
    {
        out->point_count = ab_convex_points(&convex, &contact, (double)pair->limit, out->points);
        return;
    }
    const float middle[3] = { (float)(0.5 * (contact.on_a[0] + contact.on_b[0])),
                              (float)(0.5 * (contact.on_a[1] + contact.on_b[1])),
                              (float)(0.5 * (contact.on_a[2] + contact.on_b[2])) };
    out->separation = axis->separation;
    out->point_count = 1;
    out->points[0] =
        (abut_point){ abut_vec3_make(middle[0], middle[1], middle[2]), axis->separation, code | AB_HULL_NO_PART };
}

// Writes all but the separation of a manifold on a plane. Its points are reduced.
static void write_flat(const ab_hull_pair *pair, const ab_clipping *c, const ab_hull_reference *r,
                       ab_flat_points *points, bool in_b, uint32_t code, abut_manifold *out)
{
    const world_frame frame = world_frame_of(pair, in_b);
    ab_flat_points_reduce(points);
    AB_ISA_NAME(ab_hull_name_points)(c, r, points);
    out->normal = world_normal(frame.axis, r->normal, in_b ? -1.0 : 1.0);
    out->point_count = points->count;
    for (uint32_t i = 0; i < points->count; ++i)
    {
        double at[3];
        above_face(r, points->point[i].u, points->point[i].v, points->point[i].height, at);
        out->points[i] =
            (abut_point){ world_offset(&frame, at), (float)points->point[i].separation, points->point[i].slot | code };
    }
}

// Not inlined, like all that clips, for the room on the stack that it needs.
static AB_APART void flat_manifold(const ab_hull_pair *pair, const ab_hull_axis *axis, const ab_clipping *c, bool in_b,
                                   abut_manifold *out)
{
    const uint32_t code = ab_hull_axis_code(axis) << 8;
    ab_hull_reference r;
    ab_flat_points points;
    AB_ISA_NAME(ab_hull_clip)(c, &r, &points);
    if (points.count == 0)
    {
        generic_manifold(pair, axis, code, out);
        return;
    }
    write_flat(pair, c, &r, &points, in_b, code, out);
    out->separation = (float)c->separation;
}

static ab_clipping clipping_of(const ab_hull_pair *pair, const ab_hull_axis *axis, bool in_b, uint32_t face)
{
    return (ab_clipping){ .reference = in_b ? pair->b : pair->a,
                          .incident = side_of(pair, !in_b),
                          .face = face,
                          .separation = (double)axis->separation,
                          .limit = (double)pair->limit,
                          .scale = (double)pair->a->reach + (double)pair->b->reach };
}

// The plane of a face.
static void lay_face(ab_clipping *c)
{
    for (int k = 0; k < 3; ++k)
    {
        c->plane.normal[k] = (double)c->reference->normal[k][c->face];
    }
    c->plane.offset = (double)c->reference->offset[c->face];
}

static void face_manifold(const ab_hull_pair *pair, const ab_hull_axis *axis, abut_manifold *out)
{
    const bool in_b = axis->class == AB_HULL_FACE_OF_B;
    ab_clipping c = clipping_of(pair, axis, in_b, axis->index[0]);
    lay_face(&c);
    c.opposite = axis->opposite;
    flat_manifold(pair, axis, &c, in_b, out);
}

// The face of an edge that looks most along a direction in the frame of its polytope, and how far its normal is off.
static uint32_t face_of_edge(const ab_polytope *p, uint32_t edge, const double direction[3], double *off)
{
    uint32_t found = 0;
    *off = HUGE_VAL;
    for (int k = 0; k < 2; ++k)
    {
        const uint32_t face = p->edges[edge].face[k];
        double square = 0.0;
        for (int i = 0; i < 3; ++i)
        {
            const double by = (double)p->normal[i][face] - direction[i];
            square += by * by;
        }
        found = square <= *off ? face : found;
        *off = square <= *off ? square : *off;
    }
    *off = sqrt(*off);
    return found;
}

// False where the faces miss the deepest point, that of the edges.
static AB_APART bool leaning_manifold(const ab_hull_pair *pair, const ab_hull_axis *axis, const ab_clipping *c,
                                      bool in_b, abut_manifold *out)
{
    ab_hull_reference r;
    ab_flat_points points;
    AB_ISA_NAME(ab_hull_clip)(c, &r, &points);
    if (points.count == 0 || points.deepest > c->separation + MISSED * c->scale)
    {
        return false;
    }
    write_flat(pair, c, &r, &points, in_b, ab_hull_axis_code(axis) << 8, out);
    out->separation = axis->separation;
    return true;
}

// The manifold of two edges with an axis near to the normal of a face of one of them: on that face, with heights along
// the axis. False where there is none, or where the faces miss the deepest point, that of the edges.
static bool edge_on_face(const ab_hull_pair *pair, const ab_hull_axis *axis, abut_manifold *out)
{
    const double n[3] = { (double)axis->normal[0], (double)axis->normal[1], (double)axis->normal[2] };
    double back[3], at[3], off_a, off_b;
    for (int k = 0; k < 3; ++k)
    {
        const float *turn = pair->relation.turn + k;
        back[k] = -((double)turn[0] * n[0] + (double)turn[3] * n[1] + (double)turn[6] * n[2]);
    }
    const uint32_t of_a = face_of_edge(pair->a, axis->index[0], n, &off_a);
    const uint32_t of_b = face_of_edge(pair->b, axis->index[1], back, &off_b);
    const bool in_b = off_a > LEANING || (off_a > NEAR_FACE && off_b <= NEAR_FACE);
    if ((in_b ? off_b : off_a) > LEANING)
    {
        return false;
    }
    ab_clipping c = clipping_of(pair, axis, in_b, in_b ? of_b : of_a);
    memcpy(c.plane.normal, in_b ? back : n, sizeof n);
    ab_hull_vertex(c.reference, c.reference->edges[axis->index[in_b]].vertex[0], at);
    c.plane.offset = ab_dot(c.plane.normal, at);
    c.plane.leans = (in_b ? off_b : off_a) > NEAR_FACE;
    if (!c.plane.leans)
    {
        c.opposite = AB_ISA_NAME(ab_hull_opposite)(&c.incident, c.plane.normal);
        flat_manifold(pair, axis, &c, in_b, out);
        return true;
    }
    c.opposite = in_b ? of_a : of_b;
    return leaning_manifold(pair, axis, &c, in_b, out);
}

// The face of a polytope whose normal is a direction of its frame; ABUT_NONE if none is.
static uint32_t face_along(const ab_polytope *p, const double direction[3])
{
    uint32_t found = ABUT_NONE;
    double least = SAME_FACE * SAME_FACE;
    for (uint32_t f = 0; f < p->face_count; ++f)
    {
        double off = 0.0;
        for (int k = 0; k < 3; ++k)
        {
            const double by = (double)p->normal[k][f] - direction[k];
            off += by * by;
        }
        found = off < least ? f : found;
        least = off < least ? off : least;
    }
    return found;
}

// A direction of the world in a shape's frame.
static void turn_in(const ab_record *record, const float world[3], double sign, double out[3])
{
    for (int i = 0; i < 3; ++i)
    {
        const float *axis = record->axis + 3 * i;
        out[i] = sign * ((double)axis[0] * (double)world[0] + (double)axis[1] * (double)world[1] +
                         (double)axis[2] * (double)world[2]);
    }
}

static void placed_vertex(const ab_hull_side *s, uint32_t vertex, double out[3])
{
    double v[3];
    ab_hull_vertex(s->polytope, vertex, v);
    for (int i = 0; i < 3; ++i)
    {
        out[i] = s->at[i] + ab_dot(s->turn + 3 * i, v);
    }
}

static double height_of(const ab_clipping *c, uint32_t vertex, double at[3])
{
    placed_vertex(&c->incident, vertex, at);
    return ab_dot(c->plane.normal, at) - c->plane.offset;
}

// How far the lowest vertex of the incident polytope is above the plane.
static double height_of_lowest(const ab_clipping *c)
{
    double lowest = HUGE_VAL, at[3];
    for (uint32_t i = 0; i < c->incident.polytope->vertex_count; ++i)
    {
        const double height = height_of(c, i, at);
        lowest = height < lowest ? height : lowest;
    }
    return lowest;
}

// Whether a point lies over the reference face, its sides included.
static bool is_over(const ab_clipping *c, const double at[3])
{
    const ab_polytope_face *face = &c->reference->faces[c->face];
    const uint16_t *corner = c->reference->corners + face->first;
    double from[3];
    bool over = true;
    ab_hull_vertex(c->reference, corner[face->count - 1], from);
    for (uint32_t i = 0; i < face->count && over; ++i)
    {
        const double *n = c->plane.normal;
        double to[3];
        ab_hull_vertex(c->reference, corner[i], to);
        const double u[3] = { to[0] - from[0], to[1] - from[1], to[2] - from[2] },
                     v[3] = { at[0] - from[0], at[1] - from[1], at[2] - from[2] };
        over = n[0] * (u[1] * v[2] - u[2] * v[1]) + n[1] * (u[2] * v[0] - u[0] * v[2]) +
                   n[2] * (u[0] * v[1] - u[1] * v[0]) >=
               0.0;
        memcpy(from, to, sizeof from);
    }
    return over;
}

// Whether a vertex that is as low as the lowest, `height` above the plane, lies over the reference face.
static bool has_lowest_over(const ab_clipping *c, double height)
{
    bool over = false;
    for (uint32_t i = 0; i < c->incident.polytope->vertex_count && !over; ++i)
    {
        double at[3];
        over = height_of(c, i, at) <= height + LEVEL * c->scale && is_over(c, at);
    }
    return over;
}

bool AB_ISA_NAME(ab_hull_apart)(const ab_hull_pair *pair, const ab_hull_axis *axis, abut_manifold *out)
{
    const bool in_b = axis->class == AB_HULL_FACE_OF_B;
    ab_clipping c = clipping_of(pair, axis, in_b, axis->index[0]);
    ab_hull_reference r;
    ab_flat_points points;
    lay_face(&c);
    c.separation = height_of_lowest(&c);
    if (!(c.separation > 0.0) || !has_lowest_over(&c, c.separation))
    {
        return false;
    }
    out->separation = (float)c.separation;
    if (out->separation > pair->limit)
    {
        return true;
    }
    c.opposite = AB_ISA_NAME(ab_hull_opposite)(&c.incident, c.plane.normal);
    AB_ISA_NAME(ab_hull_clip)(&c, &r, &points);
    if (points.count == 0 || points.deepest - c.separation > LEFT_OUT * c.scale)
    {
        return false;
    }
    write_flat(pair, &c, &r, &points, in_b, ab_hull_axis_code(axis) << 8, out);
    return true;
}

void AB_ISA_NAME(ab_hull_add_higher)(const ab_hull_pair *pair, abut_manifold *m)
{
    const float n[3] = { m->normal.x, m->normal.y, m->normal.z };
    double of_a[3], of_b[3];
    turn_in(pair->record_a, n, 1.0, of_a);
    turn_in(pair->record_b, n, -1.0, of_b);
    const uint32_t face_a = face_along(pair->a, of_a), face_b = face_a == ABUT_NONE ? face_along(pair->b, of_b) : 0;
    const bool in_b = face_a == ABUT_NONE;
    if (face_b == ABUT_NONE)
    {
        return;
    }
    const ab_hull_axis axis = { .class = in_b ? AB_HULL_FACE_OF_B : AB_HULL_FACE_OF_A,
                                .index = { in_b ? face_b : face_a },
                                .separation = m->separation };
    ab_clipping c = clipping_of(pair, &axis, in_b, axis.index[0]);
    ab_hull_reference r;
    ab_flat_points points;
    abut_manifold found;
    lay_face(&c);
    if (fabs(height_of_lowest(&c) - (double)m->separation) > SAME_HEIGHT * c.scale)
    {
        return; // nearest beside the face
    }
    c.opposite = AB_ISA_NAME(ab_hull_opposite)(&c.incident, c.plane.normal);
    AB_ISA_NAME(ab_hull_clip)(&c, &r, &points);
    if (points.count >= m->point_count && points.deepest - (double)m->separation <= LEFT_OUT * c.scale)
    {
        write_flat(pair, &c, &r, &points, in_b, ab_hull_axis_code(&axis) << 8, &found);
        found.separation = m->separation;
        *m = found;
    }
}

// A parameter along a segment, clamped to it.
static double part_of(double value)
{
    return value > 0.0 ? (value < 1.0 ? value : 1.0) : 0.0;
}

static void edge_manifold(const ab_hull_pair *pair, const ab_hull_axis *axis, abut_manifold *out)
{
    const ab_hull_side of_b = side_of(pair, true);
    const uint32_t *edge_a = pair->a->edges[axis->index[0]].vertex, *edge_b = pair->b->edges[axis->index[1]].vertex;
    double p[3], u[3], q[3], v[3], r[3], middle[3];
    ab_hull_vertex(pair->a, edge_a[0], p);
    ab_hull_vertex(pair->a, edge_a[1], u);
    placed_vertex(&of_b, edge_b[0], q);
    placed_vertex(&of_b, edge_b[1], v);
    for (int k = 0; k < 3; ++k)
    {
        u[k] -= p[k];
        v[k] -= q[k];
        r[k] = p[k] - q[k];
    }
    const double uu = ab_dot(u, u), vv = ab_dot(v, v), uv = ab_dot(u, v), ur = ab_dot(u, r), vr = ab_dot(v, r);
    const double determinant = uu * vv - uv * uv;
    const double s = part_of((uv * vr - ur * vv) / determinant), t = part_of((uu * vr - uv * ur) / determinant);
    for (int k = 0; k < 3; ++k)
    {
        middle[k] = 0.5 * ((p[k] + s * u[k]) + (q[k] + t * v[k]));
    }
    const double n[3] = { (double)axis->normal[0], (double)axis->normal[1], (double)axis->normal[2] };
    const uint32_t slot = (axis->index[0] / AB_HULL_EDGE_CODES & 15u) << 4 | (axis->index[1] >> 3 & 15u);
    const world_frame frame = world_frame_of(pair, false);
    out->normal = world_normal(frame.axis, n, 1.0);
    out->separation = axis->separation;
    out->point_count = 1;
    out->points[0] =
        (abut_point){ world_offset(&frame, middle), axis->separation, ab_hull_axis_code(axis) << 8 | slot };
}

void AB_ISA_NAME(ab_hull_manifold)(const ab_hull_pair *pair, const ab_hull_axis *axis, abut_manifold *out)
{
    if (axis->class != AB_HULL_EDGES)
    {
        face_manifold(pair, axis, out);
    }
    else if (!edge_on_face(pair, axis, out))
    {
        edge_manifold(pair, axis, out);
    }
}
