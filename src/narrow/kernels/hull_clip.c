// Clips the faces of two overlapping polytopes. In double, once for all instruction sets.
#include "narrow/kernels/hull_clip.h"

#include "math/frame.h"

#include <math.h>
#include <string.h>

enum
{
    CLIPPED = 2 * AB_HULL_CORNERS + 2,
    NONE = 15,
    OF_REFERENCE = 0x100
};

#define LEFT_OUT 1e-4   // of the scale: where a clipped face misses the deepest vertex by more, others are tried
#define LEVEL    0.9999 // cosine: faces of one plane

void ab_hull_vertex(const ab_hull_side *s, uint32_t vertex, double out[3])
{
    const float *const *column = s->polytope->vertex;
    const double v[3] = { (double)column[0][vertex], (double)column[1][vertex], (double)column[2][vertex] };
    for (int i = 0; i < 3; ++i)
    {
        out[i] = s->at[i] + ab_dot(s->turn + 3 * i, v);
    }
}

// A point of the clipped face, in the plane of the reference face, and its height above it.
typedef struct clipped_point
{
    double u, v, height;
    uint32_t
        leaving; // the edge that leaves it: of the incident face, or OF_REFERENCE and an edge of the reference face
    uint32_t feature; // without the axis
} clipped_point;

static uint32_t corners_of(const ab_polytope *p, uint32_t face)
{
    return p->faces[face].count < AB_HULL_CORNERS ? p->faces[face].count : AB_HULL_CORNERS;
}

static uint32_t corner_of(const ab_polytope *p, uint32_t face, uint32_t i)
{
    const ab_hull_face *f = &p->faces[face];
    return p
        ->corners[f->first + (f->count <= AB_HULL_CORNERS ? i : (uint32_t)((uint64_t)i * f->count / AB_HULL_CORNERS))];
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

// A plane, and the corners of a piece: the face that it is or is near to, or another nearly in it. The first direction
// in the plane is along the piece's first edge, so that it rotates with the shape.
static void lay_reference(const ab_hull_side *s, const ab_contact_plane *plane, uint32_t piece, ab_hull_reference *out)
{
    double first[3], at[3];
    memcpy(out->normal, plane->normal, sizeof out->normal);
    out->offset = plane->offset;
    out->count = corners_of(s->polytope, piece);
    ab_hull_vertex(s, corner_of(s->polytope, piece, 0), first);
    ab_hull_vertex(s, corner_of(s->polytope, piece, 1), at);
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
        ab_hull_vertex(s, corner_of(s->polytope, piece, i), at);
        out->corner[i][0] = ab_dot(at, out->u);
        out->corner[i][1] = ab_dot(at, out->v);
        for (int k = 0; k < 2; ++k)
        {
            const double here = out->corner[i][k];
            out->low[k] = i == 0 || here < out->low[k] ? here : out->low[k];
            out->high[k] = i == 0 || here > out->high[k] ? here : out->high[k];
        }
    }
}

// The sides of a point with regard to one side of the reference face: how far within it is, times the side's length.
// False where all points are within.
static bool measure_side(const clipped_point *from, uint32_t count, const ab_hull_reference *r, uint32_t edge,
                         double *within)
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
static uint32_t clip_once(const clipped_point *from, const double *within, uint32_t count, const ab_hull_reference *r,
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

// The vertices of the incident polytope over the plane of a reference.
typedef struct projection
{
    double u[AB_POLYTOPE_EDGES], v[AB_POLYTOPE_EDGES], height[AB_POLYTOPE_EDGES]; // fewer than edges, by Euler
} projection;

static void project(const ab_hull_side *incident, uint32_t vertex, const ab_hull_reference *r, projection *out)
{
    double at[3];
    ab_hull_vertex(incident, vertex, at);
    out->u[vertex] = ab_dot(at, r->u);
    out->v[vertex] = ab_dot(at, r->v);
    out->height[vertex] = ab_dot(at, r->normal) - r->offset;
}

// Clips a face, whose vertices are projected, to the reference. Returns the points, which are in one of the two arrays.
static const clipped_point *clip(const ab_polytope *p, uint32_t face, const projection *from,
                                 const ab_hull_reference *r, clipped_point piece[2][CLIPPED], uint32_t *count)
{
    uint32_t now = 0;
    double within[CLIPPED];
    *count = corners_of(p, face);
    for (uint32_t i = 0; i < *count; ++i)
    {
        const uint32_t vertex = corner_of(p, face, i);
        piece[0][i] = (clipped_point){ from->u[vertex], from->v[vertex], from->height[vertex], i,
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

// The cosines of all faces' normals with a direction in the frame. Returns the face that looks most against it.
static uint32_t face_cosines(const ab_hull_side *s, const double normal[3], double out[AB_POLYTOPE_FACES])
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

uint32_t ab_hull_opposite(const ab_hull_side *side, const double normal[3])
{
    double cosines[AB_POLYTOPE_FACES];
    return face_cosines(side, normal, cosines);
}

// The points of one face of the other, whose vertices are projected.
static void clip_face(const ab_clipping *c, uint32_t incident, const projection *from, const ab_hull_reference *r,
                      ab_flat_points *out)
{
    clipped_point clipped[2][CLIPPED];
    uint32_t count;
    const clipped_point *found = clip(c->incident.polytope, incident, from, r, clipped, &count);
    keep_points(found, count, c->separation, c->limit, out);
}

// The lowest corner of a face over the reference: no point of the clipped face is lower. Infinite where it is beside.
static double lowest_corner(const ab_polytope *p, uint32_t face, const projection *from, const ab_hull_reference *r)
{
    double low[2] = { HUGE_VAL, HUGE_VAL }, high[2] = { -HUGE_VAL, -HUGE_VAL }, least = HUGE_VAL;
    for (uint32_t i = 0; i < p->faces[face].count; ++i)
    {
        const uint32_t vertex = p->corners[p->faces[face].first + i];
        const double at[2] = { from->u[vertex], from->v[vertex] };
        for (int k = 0; k < 2; ++k)
        {
            low[k] = at[k] < low[k] ? at[k] : low[k];
            high[k] = at[k] > high[k] ? at[k] : high[k];
        }
        least = from->height[vertex] < least ? from->height[vertex] : least;
    }
    const bool beside = low[0] > r->high[0] || high[0] < r->low[0] || low[1] > r->high[1] || high[1] < r->low[1];
    return beside ? HUGE_VAL : least;
}

// Tries a piece of the reference face's plane against every face that looks against it, for the points that miss the
// deepest vertex by least.
static void clip_piece(const ab_clipping *c, uint32_t piece, const double cosines[AB_POLYTOPE_FACES],
                       ab_hull_reference *r, ab_flat_points *out)
{
    const ab_polytope *other = c->incident.polytope;
    ab_hull_reference tried;
    projection vertices;
    ab_flat_points points;
    lay_reference(&c->reference, &c->plane, piece, &tried);
    for (uint32_t i = 0; i < other->vertex_count; ++i)
    {
        project(&c->incident, i, &tried, &vertices);
    }
    for (uint32_t g = 0; out->deepest > c->separation && g < other->face_count; ++g)
    {
        if (cosines[g] < 0.0 && lowest_corner(other, g, &vertices, &tried) < out->deepest)
        {
            clip_face(c, g, &vertices, &tried, &points);
            if (points.deepest < out->deepest)
            {
                *r = tried;
                *out = points;
            }
        }
    }
}

static void clip_all_pieces(const ab_clipping *c, ab_hull_reference *r, ab_flat_points *out)
{
    double cosines[AB_POLYTOPE_FACES], of_pieces[AB_POLYTOPE_FACES];
    (void)face_cosines(&c->incident, c->plane.normal, cosines);
    (void)face_cosines(&c->reference, c->plane.normal, of_pieces);
    for (uint32_t f = 0; f < c->reference.polytope->face_count; ++f)
    {
        if (of_pieces[f] > LEVEL && out->deepest > c->separation)
        {
            clip_piece(c, f, cosines, r, out);
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

void ab_hull_clip(const ab_clipping *c, ab_hull_reference *r, ab_flat_points *out)
{
    const ab_polytope *other = c->incident.polytope;
    const double missed = c->separation + LEFT_OUT * c->scale;
    projection corners;
    lay_reference(&c->reference, &c->plane, c->face, r);
    for (uint32_t i = 0; i < corners_of(other, c->opposite); ++i)
    {
        project(&c->incident, corner_of(other, c->opposite, i), r, &corners);
    }
    clip_face(c, c->opposite, &corners, r, out);
    if (out->deepest > missed)
    {
        clip_all_pieces(c, r, out);
        deepen(out, missed, c->separation);
    }
}
