// Clips the faces of two overlapping polytopes. In double, a unit of each instruction set that the compiler makes use
// of by itself.
#include "narrow/kernels/hull_clip.h"

#include "base/platform.h"
#include "math/frame.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum
{
    CLIPPED = 2 * AB_HULL_CORNERS + 2,
    ROOM = CLIPPED + 1, // clip_once writes one past the last
    NONE = 0xffff,      // no part
    NAMES = 256,        // that one byte has
    FEW = 8,            // points whose order one word has,
    FEW_SIDES = 32,     // and the sides whose crossings all have room beside them
    OF_REFERENCE = 0x10000
};

#define HASH     2654435769u // the golden ratio's, of 32 bits
#define LEFT_OUT 1e-4        // of the scale: where a clipped face misses the deepest vertex by more, others are tried

// A point of the clipped face, in the plane of the reference face, and its height above it.
typedef struct clipped_point
{
    double u, v, height;
    uint32_t
        leaving;    // the edge that leaves it: of the incident face, or OF_REFERENCE and an edge of the reference face
    uint32_t parts; // see parts_of
} clipped_point;

static uint32_t corners_of(const ab_polytope *p, uint32_t face)
{
    return p->faces[face].count < AB_HULL_CORNERS ? p->faces[face].count : AB_HULL_CORNERS;
}

static uint32_t corner_of(const ab_polytope *p, uint32_t face, uint32_t i)
{
    const ab_polytope_face f = p->faces[face];
    return p->corners[f.first + (f.count <= AB_HULL_CORNERS ? i : i * f.count / AB_HULL_CORNERS)];
}

// What meets in a point: a side of the reference face, or the corner that it begins at; and of the incident face.
static uint32_t parts_of(uint32_t of_reference, uint32_t of_incident)
{
    return of_reference << 16 | of_incident;
}

// Lays the corners of a piece out along a plane's axes: of the face that it is or is near to, or of another nearly in
// it.
static void lay_piece(const ab_polytope *p, uint32_t piece, ab_hull_reference *out)
{
    out->face = piece;
    out->count = corners_of(p, piece);
    for (uint32_t i = 0; i < out->count; ++i)
    {
        double at[3];
        ab_hull_vertex(p, corner_of(p, piece, i), at);
        out->corner[i][0] = ab_dot(at, out->u);
        out->corner[i][1] = ab_dot(at, out->v);
    }
}

// The face's own plane over that of the contact, which it leans away from.
static void lay_lean(const ab_polytope *p, uint32_t face, ab_hull_reference *out)
{
    const double n[3] = { (double)p->normal[0][face], (double)p->normal[1][face], (double)p->normal[2][face] };
    const double steep = ab_dot(n, out->normal);
    out->lean[0] = ((double)p->offset[face] - out->offset * steep) / steep;
    out->lean[1] = -ab_dot(n, out->u) / steep;
    out->lean[2] = -ab_dot(n, out->v) / steep;
}

// The first direction in the plane is along the face's first edge, so that it rotates with the shape.
static void lay_reference(const ab_polytope *p, const ab_contact_plane *plane, uint32_t face, ab_hull_reference *out)
{
    double first[3], along[3];
    memcpy(out->normal, plane->normal, sizeof out->normal);
    out->offset = plane->offset;
    ab_hull_vertex(p, corner_of(p, face, 0), first);
    ab_hull_vertex(p, corner_of(p, face, 1), along);
    for (int k = 0; k < 3; ++k)
    {
        along[k] -= first[k];
    }
    const double up = ab_dot(along, out->normal);
    for (int k = 0; k < 3; ++k)
    {
        along[k] -= up * out->normal[k];
    }
    const double length = sqrt(ab_dot(along, along)), inverse = length > 0.0 ? 1.0 / length : 0.0;
    for (int k = 0; k < 3; ++k)
    {
        out->u[k] = along[k] * inverse;
    }
    out->v[0] = out->normal[1] * out->u[2] - out->normal[2] * out->u[1];
    out->v[1] = out->normal[2] * out->u[0] - out->normal[0] * out->u[2];
    out->v[2] = out->normal[0] * out->u[1] - out->normal[1] * out->u[0];
    memset(out->lean, 0, sizeof out->lean);
    if (plane->leans)
    {
        lay_lean(p, face, out);
    }
    lay_piece(p, face, out);
}

// The sides of a point with regard to one side of the reference face: how far within it is, times the side's length.
// False where all points are within.
static bool measure_side(const clipped_point *from, uint32_t count, const ab_hull_reference *r, uint32_t edge,
                         double *within)
{
    const double *a = r->corner[edge], *b = r->corner[edge + 1 < r->count ? edge + 1 : 0];
    const double along_u = b[0] - a[0], along_v = b[1] - a[1];
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double here = along_u * (from[i].v - a[1]) - along_v * (from[i].u - a[0]);
        within[i] = here;
        least = here < least ? here : least;
    }
    return !(least >= 0.0);
}

// Where the edge from one point to the next crosses a side of the reference face: one of the two is within.
static clipped_point crossing_of(const clipped_point *p, const clipped_point *q, double at_p, double at_q,
                                 const ab_hull_reference *r, uint32_t edge)
{
    const double t = at_p / (at_p - at_q);
    const bool of_incident = p->leaving < OF_REFERENCE, leaves = at_p >= 0.0;
    // two sides of the reference share the corner that the later begins at; the last and the first, the first's
    const bool closes = edge + 1 == r->count && p->leaving == OF_REFERENCE;
    return (clipped_point){ p->u + t * (q->u - p->u), p->v + t * (q->v - p->v), p->height + t * (q->height - p->height),
                            leaves ? OF_REFERENCE | edge : p->leaving,
                            parts_of(closes ? 0 : edge, of_incident ? p->leaving : NONE) };
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
            to[kept++] = crossing_of(p, q, at_p, at_q, r, edge);
        }
        to[kept] = *q;
        kept += at_q >= 0.0 && kept < CLIPPED;
        p = q;
        at_p = at_q;
    }
    return kept;
}

// Few points in the order in which they go round: byte i says which of an array the i-th is.
typedef struct few_points
{
    uint64_t order;
    uint32_t count, made; // of them, and of the array
} few_points;

static uint32_t which_of(uint64_t order, uint32_t i)
{
    return (uint32_t)(order >> 8 * i) & 0xffu;
}

// The first some bytes, fewer than eight.
static uint64_t first_bytes(uint64_t order, uint32_t count)
{
    return order & (((uint64_t)1 << 8 * count) - 1);
}

// How far the points are within a side of the reference face, as measure_side has it, and a bit for each that is not
// outside.
AB_INLINE uint32_t measure_few(const ab_hull_reference *r, uint32_t edge, const clipped_point *point,
                               const few_points *few, double within[FEW])
{
    const double *a = r->corner[edge], *b = r->corner[edge + 1 < r->count ? edge + 1 : 0];
    const double along_u = b[0] - a[0], along_v = b[1] - a[1], from_u = a[0], from_v = a[1];
    uint64_t order = few->order;
    uint32_t in = 0;
    for (uint32_t i = 0; i < few->count; ++i, order >>= 8)
    {
        const clipped_point *p = &point[order & 0xffu];
        within[i] = along_u * (p->v - from_v) - along_v * (p->u - from_u);
        in |= (within[i] >= 0.0 ? 1u : 0u) << i;
    }
    return in;
}

// Clips fewer than FEW points by one side, as clip_once does. False, and nothing done, where they go out more than
// once.
static bool clip_few_once(const ab_hull_reference *r, uint32_t edge, clipped_point *point, few_points *few)
{
    double within[FEW];
    const uint32_t count = few->count, last = count - 1, all = (1u << count) - 1, made = few->made;
    const uint32_t in = measure_few(r, edge, point, few, within);
    if (in == all || in == 0)
    {
        few->count = in == 0 ? 0 : count;
        return true;
    }
    const uint32_t before = (in << 1 | in >> last) & all, enters = in & ~before, leaves = before & ~in;
    if ((enters & (enters - 1)) != 0)
    {
        return false;
    }
    // the first within, the first outside, and those before them
    const uint32_t s = ab_lowest_bit(enters), l = ab_lowest_bit(leaves);
    const uint32_t to_s = s > 0 ? s - 1 : last, to_l = l > 0 ? l - 1 : last;
    const uint64_t order = few->order, entry = made, exit = made + 1;
    point[made] =
        crossing_of(&point[which_of(order, to_s)], &point[which_of(order, s)], within[to_s], within[s], r, edge);
    point[made + 1] =
        crossing_of(&point[which_of(order, to_l)], &point[which_of(order, l)], within[to_l], within[l], r, edge);
    if (s < l)
    {
        few->order = entry | first_bytes(order >> 8 * s, l - s) << 8 | exit << 8 * (l - s + 1);
        few->count = l - s + 2;
    }
    else
    {
        few->order = first_bytes(order, l) | exit << 8 * l | entry << 8 * (l + 1) | order >> 8 * s << 8 * (l + 2);
        few->count = count - s + l + 2;
    }
    few->made = made + 2;
    return true;
}

// Clips points that are few, and remain so, from the first side on: in their place, but for their order. Returns the
// side that it does not come to.
static uint32_t clip_few(const ab_hull_reference *r, clipped_point *point, uint32_t *count, clipped_point *out)
{
    few_points few;
    uint32_t edge = 0;
    few.order = first_bytes(0x0706050403020100u, *count);
    few.count = few.made = *count;
    while (edge < r->count && few.count > 0 && few.count < FEW && clip_few_once(r, edge, point, &few))
    {
        ++edge;
    }
    for (uint32_t i = 0; i < few.count; ++i, few.order >>= 8)
    {
        out[i] = point[few.order & 0xffu];
    }
    *count = few.count;
    return edge;
}

// What takes the vertices of the incident polytope from its own frame to the plane of a reference: along u and v, and
// the height above the reference face along the normal.
typedef struct projection
{
    double column[3][3], at[3]; // column[k][i]: how component k enters i
} projection;

static void lay_projection(const ab_hull_side *incident, const ab_hull_reference *r, bool leans, projection *out)
{
    const double *turn = incident->turn, *at = incident->at;
    double axes[3][3]; // axes[k][i]: component k of axis i
    for (int k = 0; k < 3; ++k)
    {
        axes[k][0] = r->u[k];
        axes[k][1] = r->v[k];
        axes[k][2] = r->normal[k];
    }
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            out->column[k][i] = turn[k] * axes[0][i] + turn[3 + k] * axes[1][i] + turn[6 + k] * axes[2][i];
        }
        out->at[i] = at[0] * axes[0][i] + at[1] * axes[1][i] + at[2] * axes[2][i];
    }
    out->at[2] -= r->offset;
    if (leans)
    {
        for (int k = 0; k < 3; ++k)
        {
            out->column[k][2] -= r->lean[1] * out->column[k][0] + r->lean[2] * out->column[k][1];
        }
        out->at[2] -= ab_hull_lean(r, out->at[0], out->at[1]);
    }
}

static void project(const ab_polytope *p, uint32_t vertex, const projection *to, double out[3])
{
    double at[3];
    ab_hull_vertex(p, vertex, at);
    for (int i = 0; i < 3; ++i)
    {
        out[i] = to->column[0][i] * at[0] + to->column[1][i] * at[1] + to->column[2][i] * at[2] + to->at[i];
    }
}

static clipped_point corner_point(const double at[3], uint32_t i)
{
    return (clipped_point){ at[0], at[1], at[2], i, parts_of(NONE, i) };
}

// Lays out the corners of a face over a reference.
static uint32_t lay_face(const ab_polytope *p, uint32_t face, const projection *to, clipped_point *out)
{
    const uint32_t count = corners_of(p, face);
    for (uint32_t i = 0; i < count; ++i)
    {
        double at[3];
        project(p, corner_of(p, face, i), to, at);
        out[i] = corner_point(at, i);
    }
    return count;
}

// Clips a face, laid out in the first array, to the reference. Returns the points, which are in one of the two.
static const clipped_point *clip(const ab_hull_reference *r, clipped_point piece[2][ROOM], uint32_t *count)
{
    uint32_t now = 0, edge = 0;
    double within[CLIPPED];
    if (*count < FEW && r->count <= FEW_SIDES)
    {
        edge = clip_few(r, piece[0], count, piece[1]);
        now = 1;
    }
    for (; edge<r->count && * count> 0; ++edge)
    {
        if (measure_side(piece[now], *count, r, edge, within))
        {
            *count = clip_once(piece[now], within, *count, r, edge, piece[1 - now]);
            now = 1 - now;
        }
    }
    return piece[now];
}

_Static_assert((int)CLIPPED <= (int)AB_FLAT_POINTS, "all clipped points have room");

static bool is_among(const ab_flat_point *points, uint32_t count, uint32_t parts)
{
    bool among = false;
    for (uint32_t i = 0; i < count && !among; ++i)
    {
        among = points[i].slot == parts;
    }
    return among;
}

// The clipped points within the limit, each once.
static void keep_points(const clipped_point *from, uint32_t count, double separation, double limit, ab_flat_points *out)
{
    uint64_t seen = 0; // a bit for each hash of parts: nearly all points are found new by it
    uint32_t kept = 0;
    double deepest = HUGE_VAL;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t parts = from[i].parts;
        const uint64_t bit = (uint64_t)1 << (parts * HASH >> 26);
        const double gap = from[i].height > separation ? from[i].height : separation;
        bool keep = gap <= limit;
        if ((seen & bit) != 0 && is_among(out->point, kept, parts))
        {
            keep = false;
        }
        out->point[kept] = (ab_flat_point){ from[i].u, from[i].v, 0.5 * from[i].height, gap, parts };
        kept += keep;
        seen |= bit;
        deepest = keep && gap < deepest ? gap : deepest;
    }
    out->count = kept;
    out->deepest = deepest;
}

// The cosines of all faces' normals with a direction in the frame of their polytope.
static void face_cosines(const ab_polytope *p, const double direction[3], double out[AB_POLYTOPE_FACES])
{
    for (uint32_t f = 0; f < p->face_count; ++f)
    {
        out[f] = direction[0] * (double)p->normal[0][f] + direction[1] * (double)p->normal[1][f] +
                 direction[2] * (double)p->normal[2][f];
    }
}

static void back_turned(const ab_hull_side *s, const double v[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = s->turn[k] * v[0] + s->turn[3 + k] * v[1] + s->turn[6 + k] * v[2];
    }
}

uint32_t AB_ISA_NAME(ab_hull_opposite)(const ab_hull_side *side, const double normal[3])
{
    double direction[3], cosines[AB_POLYTOPE_FACES], least = HUGE_VAL;
    uint32_t best = 0;
    back_turned(side, normal, direction);
    face_cosines(side->polytope, direction, cosines);
    for (uint32_t f = 0; f < side->polytope->face_count; ++f)
    {
        best = cosines[f] < least ? f : best;
        least = cosines[f] < least ? cosines[f] : least;
    }
    return best;
}

// Clips the face laid out in the first array.
static AB_APART void clip_face(const ab_clipping *c, const ab_hull_reference *r, clipped_point piece[2][ROOM],
                               uint32_t count, double limit, ab_flat_points *out)
{
    const clipped_point *found = clip(r, piece, &count);
    keep_points(found, count, c->separation, limit, out);
}

#include "narrow/kernels/hull_pieces.inl"

// Gives the separation to the lowest point, if it is above `most`: the deepest vertex is hardly outside the face, which
// is named for an axis that is hardly better.
static void deepen(ab_flat_points *points, double most, double separation)
{
    if (points->count > 0 && points->deepest > most)
    {
        lowest_point(points)->separation = separation;
    }
}

void AB_ISA_NAME(ab_hull_clip)(const ab_clipping *c, ab_hull_reference *r, ab_flat_points *out)
{
    const double missed = c->separation + LEFT_OUT * c->scale;
    clipped_point face[2][ROOM];
    projection to;
    lay_reference(c->reference, &c->plane, c->face, r);
    lay_projection(&c->incident, r, c->plane.leans, &to);
    const uint32_t count = lay_face(c->incident.polytope, c->opposite, &to, face[0]);
    r->opposite = c->opposite;
    clip_face(c, r, face, count, c->limit, out);
    if (out->deepest > missed)
    {
        clip_all_pieces(c, r, &to, out);
        deepen(out, missed, c->separation);
    }
}

static uint32_t slot_of_name(uint32_t name)
{
    return (name & 0xffu) | name >> 8 << 16;
}

// By the faces: corners of the reference from 0 on, and from there on, round to there again, where it goes, what is of
// the incident face.
static AB_APART void name_by_faces(const ab_clipping *c, const ab_hull_reference *r, ab_flat_points *points)
{
    const ab_polytope *p = c->reference, *q = c->incident.polytope;
    const uint32_t sides = corners_of(p, r->face), steps = sides + 1, room = NAMES - sides;
    const bool goes_round = steps * corners_of(q, r->opposite) <= room;
    const uint32_t first = q->faces[r->opposite].first * steps + p->faces[r->face].first;
    for (uint32_t i = 0; i < points->count; ++i)
    {
        const uint32_t parts = points->point[i].slot, of_reference = parts >> 16, of_incident = parts & NONE;
        const uint32_t name = first + of_incident * steps + (of_reference == NONE ? sides : of_reference);
        points->point[i].slot =
            slot_of_name(of_incident == NONE ? of_reference : sides + (goes_round ? name % room : name));
    }
}

void AB_ISA_NAME(ab_hull_name_points)(const ab_clipping *c, const ab_hull_reference *r, ab_flat_points *points)
{
    const ab_polytope *p = c->reference, *q = c->incident.polytope;
    const ab_polytope_face face = p->faces[r->face], opposite = q->faces[r->opposite];
    const uint32_t sides = face.count, vertices = p->vertex_count + q->vertex_count;
    if (vertices + sides * opposite.count > NAMES)
    {
        name_by_faces(c, r, points);
        return;
    }
    const uint16_t *corner = p->corners + face.first, *low = q->corners + opposite.first;
    const uint32_t first = opposite.first * sides + face.first, room = NAMES - vertices;
    for (uint32_t i = 0; i < points->count; ++i)
    {
        const uint32_t parts = points->point[i].slot, of_reference = parts >> 16, of_incident = parts & NONE;
        const bool corner_of_reference = of_incident == NONE, corner_of_incident = of_reference == NONE;
        const uint32_t crossing = first + of_incident * sides + of_reference;
        // all are read, for which it is cannot be foreseen
        const uint32_t by_reference = corner[corner_of_incident ? 0 : of_reference];
        const uint32_t by_incident = p->vertex_count + low[corner_of_reference ? 0 : of_incident];
        const uint32_t both = vertices + crossing % room, one = corner_of_reference ? by_reference : by_incident;
        points->point[i].slot = corner_of_reference || corner_of_incident ? one : both;
    }
}
