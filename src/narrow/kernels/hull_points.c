// The contact points of two overlapping polytopes: the incident face clipped to the sides of the reference face, reduced
// to four, or the point between two edges. In double, once for all instruction sets.
//
// Features: bits 8 to 15 the axis; bits 0 to 3 and 16 to 19 the corner or edge of the incident face, bits 4 to 7 and 20
// to 23 that of the reference face (15: none). Of faces with up to 15 corners, bits 16 and up are zero.
#include "narrow/kernels/hull_points.h"

#include "math/frame.h"
#include "narrow/convex/convex_outline.h"

#include <math.h>
#include <string.h>

enum
{
    CORNERS = 64, // most of a face; of more, every so many-th
    CLIPPED = 2 * CORNERS + 2,
    NONE = 15,
    OF_REFERENCE = 0x100
};

#define LEFT_OUT  1e-4   // of the scale: where a clipped face misses the deepest vertex by more, others are tried
#define NEAR_FACE 0x1p-9 // sine: an axis of edges so near to the normal of a face makes a flat contact
#define LEVEL     0.9999 // cosine: faces of one plane

uint32_t ab_hull_axis_code(const ab_hull_axis *axis)
{
    const uint32_t low = axis->class == AB_HULL_EDGES ? ab_hull_edge_code(axis->index[0], axis->index[1])
                                                      : axis->index[0] % AB_HULL_CODES;
    return (uint32_t)axis->class << 6 | low;
}

// A polytope in the frame of the reference polytope.
typedef struct side
{
    const ab_polytope *polytope;
    double turn[9]; // turn[3 * i + k]: of its axis k along axis i of the frame
    double at[3];
} side;

static void vertex_of(const side *s, uint32_t vertex, double out[3])
{
    const float *const *column = s->polytope->vertex;
    const double v[3] = { (double)column[0][vertex], (double)column[1][vertex], (double)column[2][vertex] };
    for (int i = 0; i < 3; ++i)
    {
        out[i] = s->at[i] + ab_dot(s->turn + 3 * i, v);
    }
}

static void normal_of(const side *s, uint32_t face, double out[3])
{
    const float *const *column = s->polytope->normal;
    const double n[3] = { (double)column[0][face], (double)column[1][face], (double)column[2][face] };
    for (int i = 0; i < 3; ++i)
    {
        out[i] = ab_dot(s->turn + 3 * i, n);
    }
}

// The reference polytope has the identity.
static side side_of(const ab_hull_pair *pair, bool of_b, bool in_b)
{
    side s = { .polytope = of_b ? pair->b : pair->a };
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            s.turn[3 * i + k] =
                of_b == in_b ? (i == k ? 1.0 : 0.0) : (double)pair->relation.turn[in_b ? 3 * k + i : 3 * i + k];
        }
        s.at[i] = of_b == in_b ? 0.0 : (double)(in_b ? pair->relation.behind : pair->relation.apart)[i];
    }
    return s;
}

// A point of the clipped face, in the plane of the reference face, and its height above it.
typedef struct clipped_point
{
    double u, v, height;
    uint32_t
        leaving; // the edge that leaves it: of the incident face, or OF_REFERENCE and an edge of the reference face
    uint32_t feature; // without the axis
} clipped_point;

typedef struct reference
{
    double normal[3], u[3], v[3], offset;
    double corner[CORNERS][2];
    uint32_t count;
} reference;

static uint32_t corners_of(const ab_polytope *p, uint32_t face)
{
    return p->faces[face].count < CORNERS ? p->faces[face].count : CORNERS;
}

static uint32_t corner_of(const ab_polytope *p, uint32_t face, uint32_t i)
{
    const ab_hull_face *f = &p->faces[face];
    return p->corners[f->first + (f->count <= CORNERS ? i : (uint32_t)((uint64_t)i * f->count / CORNERS))];
}

static uint32_t part_bits(uint32_t part)
{
    const uint32_t past_none = part < NONE ? part : part + 1;
    return (past_none & 15u) | past_none >> 4 << 16;
}

static uint32_t feature_of(uint32_t reference_bits, uint32_t incident_bits)
{
    return reference_bits << 4 | incident_bits;
}

// What contact points stand on: the plane of a face, or that of an edge axis near to one's.
typedef struct contact_plane
{
    double normal[3], offset;
} contact_plane;

// A plane, and the corners of a piece: the face that it is or is near to, or another nearly in it. The first direction
// in the plane is along the piece's first edge, so that it rotates with the shape.
static void lay_reference(const side *s, const contact_plane *plane, uint32_t piece, reference *out)
{
    double first[3], at[3];
    memcpy(out->normal, plane->normal, sizeof out->normal);
    out->offset = plane->offset;
    out->count = corners_of(s->polytope, piece);
    vertex_of(s, corner_of(s->polytope, piece, 0), first);
    vertex_of(s, corner_of(s->polytope, piece, 1), at);
    double along[3] = { at[0] - first[0], at[1] - first[1], at[2] - first[2] };
    const double up = ab_dot(along, out->normal);
    for (int k = 0; k < 3; ++k)
    {
        along[k] -= up * out->normal[k];
    }
    const double length = sqrt(ab_dot(along, along));
    for (int k = 0; k < 3; ++k)
    {
        out->u[k] = length > 0.0 ? along[k] / length : 0.0;
    }
    out->v[0] = out->normal[1] * out->u[2] - out->normal[2] * out->u[1];
    out->v[1] = out->normal[2] * out->u[0] - out->normal[0] * out->u[2];
    out->v[2] = out->normal[0] * out->u[1] - out->normal[1] * out->u[0];
    for (uint32_t i = 0; i < out->count; ++i)
    {
        vertex_of(s, corner_of(s->polytope, piece, i), at);
        out->corner[i][0] = ab_dot(at, out->u);
        out->corner[i][1] = ab_dot(at, out->v);
    }
}

// The cosines of all faces' normals with a direction in the frame. Returns the face that looks most against it.
static uint32_t face_cosines(const side *s, const double normal[3], double out[AB_POLYTOPE_FACES])
{
    const ab_polytope *p = s->polytope;
    double direction[3], least = HUGE_VAL;
    uint32_t best = 0;
    for (int k = 0; k < 3; ++k)
    {
        direction[k] = s->turn[k] * normal[0] + s->turn[3 + k] * normal[1] + s->turn[6 + k] * normal[2];
    }
    for (uint32_t f = 0; f < p->face_count; ++f)
    {
        out[f] = direction[0] * (double)p->normal[0][f] + direction[1] * (double)p->normal[1][f] +
                 direction[2] * (double)p->normal[2][f];
        best = out[f] < least ? f : best;
        least = out[f] < least ? out[f] : least;
    }
    return best;
}

// The sides of a point with regard to one side of the reference face: how far within it is, times the side's length.
// False where all points are within.
static bool measure_side(const clipped_point *from, uint32_t count, const reference *r, uint32_t edge, double *within)
{
    const double *a = r->corner[edge], *b = r->corner[edge + 1 < r->count ? edge + 1 : 0];
    const double along_u = b[0] - a[0], along_v = b[1] - a[1];
    bool all = true;
    for (uint32_t i = 0; i < count; ++i)
    {
        within[i] = along_u * (from[i].v - a[1]) - along_v * (from[i].u - a[0]);
        all = all && within[i] >= 0.0;
    }
    return !all;
}

// I. Sutherland, G. Hodgman, "Reentrant polygon clipping" (1974), by one side of the reference face.
static uint32_t clip_once(const clipped_point *from, const double *within, uint32_t count, const reference *r,
                          uint32_t edge, clipped_point *to)
{
    const clipped_point *p = &from[count - 1];
    double at_p = within[count - 1];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const clipped_point *q = &from[i];
        const double at_q = within[i];
        if ((at_p >= 0.0) != (at_q >= 0.0) && kept < CLIPPED)
        {
            const double t = at_p / (at_p - at_q);
            const bool of_incident = p->leaving < OF_REFERENCE, leaves = at_p >= 0.0;
            // two sides of the reference share the corner that the later begins at; the last and the first, the first's
            const bool closes = edge + 1 == r->count && p->leaving == OF_REFERENCE;
            to[kept++] =
                (clipped_point){ p->u + t * (q->u - p->u), p->v + t * (q->v - p->v),
                                 p->height + t * (q->height - p->height), leaves ? OF_REFERENCE | edge : p->leaving,
                                 feature_of(part_bits(closes ? 0 : edge), of_incident ? part_bits(p->leaving) : NONE) };
        }
        if (at_q >= 0.0 && kept < CLIPPED)
        {
            to[kept++] = *q;
        }
        p = q;
        at_p = at_q;
    }
    return kept;
}

// Clips a face to the reference; returns the points, which are in one of the two arrays.
static const clipped_point *clip(const side *incident, uint32_t face, const reference *r,
                                 clipped_point piece[2][CLIPPED], uint32_t *count)
{
    uint32_t now = 0;
    double within[CLIPPED];
    *count = corners_of(incident->polytope, face);
    for (uint32_t i = 0; i < *count; ++i)
    {
        double at[3];
        vertex_of(incident, corner_of(incident->polytope, face, i), at);
        piece[0][i] = (clipped_point){ ab_dot(at, r->u), ab_dot(at, r->v), ab_dot(at, r->normal) - r->offset, i,
                                       feature_of(NONE, part_bits(i)) };
    }
    for (uint32_t edge = 0; edge<r->count && * count> 0; ++edge)
    {
        if (measure_side(piece[now], *count, r, edge, within))
        {
            *count = clip_once(piece[now], within, *count, r, edge, piece[1 - now]);
            now = 1 - now;
        }
    }
    return piece[now];
}

// The clipped points within the limit, each feature once.
static void keep_points(const clipped_point *from, uint32_t count, double separation, double limit, ab_flat_points *out)
{
    out->count = 0;
    out->deepest = HUGE_VAL;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double gap = from[i].height > separation ? from[i].height : separation;
        bool keep = gap <= limit && out->count < AB_FLAT_POINTS;
        for (uint32_t k = 0; keep && k < out->count; ++k)
        {
            keep = out->point[k].slot != from[i].feature;
        }
        if (keep)
        {
            out->point[out->count++] =
                (ab_flat_point){ from[i].u, from[i].v, 0.5 * from[i].height, gap, from[i].feature };
            out->deepest = gap < out->deepest ? gap : out->deepest;
        }
    }
}

// From the frame of one of the shapes to an offset from the position of body a, in the world.
static abut_vec3 world_offset(const ab_hull_pair *pair, bool in_b, const double at[3])
{
    const float *axis = in_b ? pair->record_b->axis : pair->record_a->axis;
    double out[3];
    for (int k = 0; k < 3; ++k)
    {
        double base = (double)pair->base[k];
        if (in_b)
        {
            for (int i = 0; i < 3; ++i)
            {
                base += (double)pair->record_a->axis[3 * i + k] * (double)pair->relation.apart[i];
            }
        }
        out[k] = base + ((double)axis[k] * at[0] + (double)axis[3 + k] * at[1] + (double)axis[6 + k] * at[2]);
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

static void in_plane(const reference *r, double u, double v, double height, double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = u * r->u[k] + v * r->v[k] + (r->offset + height) * r->normal[k];
    }
}

// The manifold of the generic convex path, where no face touches another: for faces in pieces nearly in one plane. If it
// finds the two apart, which rounding can make of an overlap, the point between the nearest two, and `code`.
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
    out->points[0] = (abut_point){ abut_vec3_make(middle[0], middle[1], middle[2]), axis->separation,
                                   code | feature_of(NONE, NONE) };
}

// What clips a face: the sides, the named face of the reference and its separation.
typedef struct clipping
{
    side reference, incident;
    contact_plane plane; // in the frame of the reference
    uint32_t face;
    double separation, limit;
} clipping;

// The points of one piece of the reference face and one face of the other.
static void clip_pieces(const clipping *c, uint32_t piece, uint32_t incident, reference *r, ab_flat_points *out)
{
    clipped_point clipped[2][CLIPPED];
    uint32_t count;
    lay_reference(&c->reference, &c->plane, piece, r);
    const clipped_point *found = clip(&c->incident, incident, r, clipped, &count);
    keep_points(found, count, c->separation, c->limit, out);
}

// How high the vertices of the incident polytope are above the plane.
static void vertex_heights(const clipping *c, double out[AB_POLYTOPE_EDGES])
{
    const side *s = &c->incident;
    const float *const *column = s->polytope->vertex;
    const double *n = c->plane.normal;
    const double x = n[0] * s->turn[0] + n[1] * s->turn[3] + n[2] * s->turn[6],
                 y = n[0] * s->turn[1] + n[1] * s->turn[4] + n[2] * s->turn[7],
                 z = n[0] * s->turn[2] + n[1] * s->turn[5] + n[2] * s->turn[8],
                 from = ab_dot(n, s->at) - c->plane.offset;
    for (uint32_t i = 0; i < s->polytope->vertex_count; ++i)
    {
        out[i] = from + (x * (double)column[0][i] + y * (double)column[1][i] + z * (double)column[2][i]);
    }
}

static double lowest_corner(const ab_polytope *p, uint32_t face, const double heights[AB_POLYTOPE_EDGES])
{
    const uint32_t *corner = p->corners + p->faces[face].first;
    double least = heights[corner[0]];
    for (uint32_t i = 1; i < p->faces[face].count; ++i)
    {
        least = heights[corner[i]] < least ? heights[corner[i]] : least;
    }
    return least;
}

// Tries every piece of the reference face's plane against every face that looks against it, for the points that miss
// the deepest vertex by least: a face may be in pieces nearly in one plane, of which others touch. No point of a clipped
// face is lower than its lowest corner.
static void clip_all_pieces(const clipping *c, const double cosines[AB_POLYTOPE_FACES], reference *r,
                            ab_flat_points *out)
{
    reference tried;
    ab_flat_points points;
    double heights[AB_POLYTOPE_EDGES], of_pieces[AB_POLYTOPE_FACES];
    const ab_polytope *other = c->incident.polytope;
    vertex_heights(c, heights);
    (void)face_cosines(&c->reference, c->plane.normal, of_pieces);
    for (uint32_t f = 0; f < c->reference.polytope->face_count; ++f)
    {
        for (uint32_t g = 0; of_pieces[f] > LEVEL && out->deepest > c->separation && g < other->face_count; ++g)
        {
            if (cosines[g] < 0.0 && lowest_corner(other, g, heights) < out->deepest)
            {
                clip_pieces(c, f, g, &tried, &points);
                if (points.deepest < out->deepest)
                {
                    *r = tried;
                    *out = points;
                }
            }
        }
    }
}

// Gives the separation to the lowest point, if it is above `most`: the deepest vertex is hardly outside the face, which
// is named for an axis that is hardly better.
static void deepen(ab_flat_points *points, double most, double separation)
{
    uint32_t lowest = 0;
    for (uint32_t i = 1; i < points->count; ++i)
    {
        lowest = points->point[i].separation < points->point[lowest].separation ? i : lowest;
    }
    if (points->count > 0 && points->deepest > most)
    {
        points->point[lowest].separation = separation;
    }
}

static void flat_manifold(const ab_hull_pair *pair, const ab_hull_axis *axis, const clipping *c, bool in_b,
                          abut_manifold *out)
{
    const uint32_t code = ab_hull_axis_code(axis) << 8;
    const double scale = (double)pair->a->reach + (double)pair->b->reach;
    reference r;
    ab_flat_points points;
    double cosines[AB_POLYTOPE_FACES];
    clip_pieces(c, c->face, face_cosines(&c->incident, c->plane.normal, cosines), &r, &points);
    if (points.deepest > c->separation + LEFT_OUT * scale)
    {
        clip_all_pieces(c, cosines, &r, &points);
        deepen(&points, c->separation + LEFT_OUT * scale, c->separation);
    }
    if (points.count == 0)
    {
        generic_manifold(pair, axis, code, out);
        return;
    }
    ab_flat_points_reduce(&points);
    out->normal = world_normal(in_b ? pair->record_b->axis : pair->record_a->axis, r.normal, in_b ? -1.0 : 1.0);
    out->separation = (float)c->separation;
    out->point_count = points.count;
    for (uint32_t i = 0; i < points.count; ++i)
    {
        double at[3];
        in_plane(&r, points.point[i].u, points.point[i].v, points.point[i].height, at);
        out->points[i] = (abut_point){ world_offset(pair, in_b, at), (float)points.point[i].separation,
                                       points.point[i].slot | code };
    }
}

static clipping clipping_of(const ab_hull_pair *pair, const ab_hull_axis *axis, bool in_b, uint32_t face)
{
    return (clipping){ .reference = side_of(pair, in_b, in_b),
                       .incident = side_of(pair, !in_b, in_b),
                       .face = face,
                       .separation = (double)axis->separation,
                       .limit = (double)pair->limit };
}

static void face_manifold(const ab_hull_pair *pair, const ab_hull_axis *axis, abut_manifold *out)
{
    const bool in_b = axis->class == AB_HULL_FACE_OF_B;
    clipping c = clipping_of(pair, axis, in_b, axis->index[0]);
    normal_of(&c.reference, c.face, c.plane.normal);
    c.plane.offset = (double)c.reference.polytope->offset[c.face];
    flat_manifold(pair, axis, &c, in_b, out);
}

// The face of an edge whose normal is near to a direction in the frame of its own polytope; ABUT_NONE if neither is.
static uint32_t near_face(const ab_polytope *p, uint32_t edge, const double direction[3])
{
    uint32_t found = ABUT_NONE;
    double least = NEAR_FACE * NEAR_FACE;
    for (int k = 0; k < 2; ++k)
    {
        const uint32_t face = p->edges[edge].face[k];
        double off = 0.0;
        for (int i = 0; i < 3; ++i)
        {
            const double by = (double)p->normal[i][face] - direction[i];
            off += by * by;
        }
        found = off <= least ? face : found;
        least = off <= least ? off : least;
    }
    return found;
}

// The manifold of two edges with an axis near to the normal of a face of one of them: flat on the plane of the axis, as
// the face nearly is. False where there is none.
static bool edge_on_face(const ab_hull_pair *pair, const ab_hull_axis *axis, abut_manifold *out)
{
    const double n[3] = { (double)axis->normal[0], (double)axis->normal[1], (double)axis->normal[2] };
    double back[3];
    for (int k = 0; k < 3; ++k)
    {
        const float *turn = pair->relation.turn + k;
        back[k] = -((double)turn[0] * n[0] + (double)turn[3] * n[1] + (double)turn[6] * n[2]);
    }
    const uint32_t of_a = near_face(pair->a, axis->index[0], n);
    const bool in_b = of_a == ABUT_NONE;
    const uint32_t face = in_b ? near_face(pair->b, axis->index[1], back) : of_a;
    if (face == ABUT_NONE)
    {
        return false;
    }
    clipping c = clipping_of(pair, axis, in_b, face);
    double at[3];
    memcpy(c.plane.normal, in_b ? back : n, sizeof n);
    vertex_of(&c.reference, c.reference.polytope->edges[axis->index[in_b]].vertex[0], at);
    c.plane.offset = ab_dot(c.plane.normal, at);
    flat_manifold(pair, axis, &c, in_b, out);
    return true;
}

// A parameter along a segment, clamped to it.
static double part_of(double value)
{
    return value > 0.0 ? (value < 1.0 ? value : 1.0) : 0.0;
}

static void edge_manifold(const ab_hull_pair *pair, const ab_hull_axis *axis, abut_manifold *out)
{
    const side of_a = side_of(pair, false, false), of_b = side_of(pair, true, false);
    const uint32_t *edge_a = pair->a->edges[axis->index[0]].vertex, *edge_b = pair->b->edges[axis->index[1]].vertex;
    double p[3], u[3], q[3], v[3], r[3], middle[3];
    vertex_of(&of_a, edge_a[0], p);
    vertex_of(&of_a, edge_a[1], u);
    vertex_of(&of_b, edge_b[0], q);
    vertex_of(&of_b, edge_b[1], v);
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
    out->normal = world_normal(pair->record_a->axis, n, 1.0);
    out->separation = axis->separation;
    out->point_count = 1;
    out->points[0] =
        (abut_point){ world_offset(pair, false, middle), axis->separation, ab_hull_axis_code(axis) << 8 | slot };
}

void ab_hull_manifold(const ab_hull_pair *pair, const ab_hull_axis *axis, abut_manifold *out)
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
