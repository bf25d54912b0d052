// Where the deepest vertex is not over the face that a contact names: other faces of the incident polytope, and other
// faces nearly in the named one's plane, the pieces, are tried for points that miss it by less. For hull_clip.c.

#define LEVEL  0.9999 // cosine: faces of one plane
#define NEARER 1e-5   // of the scale: by so much less, for those of faces with a common edge miss as much

// A box in the plane.
typedef struct flat_box
{
    double low[2], high[2];
} flat_box;

static const flat_box nothing = { { HUGE_VAL, HUGE_VAL }, { -HUGE_VAL, -HUGE_VAL } };

static void include(flat_box *box, double u, double v)
{
    box->low[0] = u < box->low[0] ? u : box->low[0];
    box->low[1] = v < box->low[1] ? v : box->low[1];
    box->high[0] = u > box->high[0] ? u : box->high[0];
    box->high[1] = v > box->high[1] ? v : box->high[1];
}

static bool are_apart(const flat_box *a, const flat_box *b)
{
    return a->low[0] > b->high[0] || a->high[0] < b->low[0] || a->low[1] > b->high[1] || a->high[1] < b->low[1];
}

// Faces of the incident polytope, their boxes over the plane, and how low their lowest corners are: no point of the
// clipped face is lower.
typedef struct low_faces
{
    double at[AB_POLYTOPE_EDGES][3]; // all vertices, of which there are fewer than edges, by Euler
    uint32_t face[AB_POLYTOPE_FACES], count;
    double lowest[AB_POLYTOPE_FACES];
    flat_box box[AB_POLYTOPE_FACES];
} low_faces;

static double lowest_corner(const ab_polytope *p, uint32_t face, const low_faces *faces)
{
    const uint16_t *corner = p->corners + p->faces[face].first;
    double lowest = HUGE_VAL;
    for (uint32_t i = 0; i < p->faces[face].count; ++i)
    {
        const double here = faces->at[corner[i]][2];
        lowest = here < lowest ? here : lowest;
    }
    return lowest;
}

static flat_box box_of_face(const ab_polytope *p, uint32_t face, const low_faces *faces)
{
    const uint16_t *corner = p->corners + p->faces[face].first;
    flat_box box = nothing;
    for (uint32_t i = 0; i < p->faces[face].count; ++i)
    {
        include(&box, faces->at[corner[i]][0], faces->at[corner[i]][1]);
    }
    return box;
}

// The faces that look against the plane, with a corner below `bar`.
static void find_low_faces(const ab_clipping *c, const projection *to, double bar, low_faces *out)
{
    const ab_polytope *p = c->incident.polytope;
    double cosines[AB_POLYTOPE_FACES];
    const double against[3] = { to->column[0][2], to->column[1][2], to->column[2][2] };
    face_cosines(p, against, cosines);
    for (uint32_t v = 0; v < p->vertex_count; ++v)
    {
        project(p, v, to, out->at[v]);
    }
    out->count = 0;
    for (uint32_t f = 0; f < p->face_count; ++f)
    {
        const double lowest = cosines[f] < 0.0 ? lowest_corner(p, f, out) : HUGE_VAL;
        if (lowest < bar)
        {
            out->face[out->count] = f;
            out->lowest[out->count] = lowest;
            out->box[out->count++] = box_of_face(p, f, out);
        }
    }
}

// Lays out the corners of a face that were projected with all others.
static uint32_t lay_low_face(const ab_polytope *p, uint32_t face, const low_faces *faces, clipped_point *out)
{
    const uint32_t count = corners_of(p, face);
    for (uint32_t i = 0; i < count; ++i)
    {
        out[i] = corner_point(faces->at[corner_of(p, face, i)], i);
    }
    return count;
}

// The lowest point of a face within one side of a reference. Infinite where all of it is past the side.
static double lowest_within(const clipped_point *face, const double *within, uint32_t count)
{
    const clipped_point *p = &face[count - 1];
    double at_p = within[count - 1], lowest = HUGE_VAL;
    for (uint32_t i = 0; i < count; p = &face[i], at_p = within[i], ++i)
    {
        if ((at_p >= 0.0) != (within[i] >= 0.0))
        {
            const double here = p->height + at_p / (at_p - within[i]) * (face[i].height - p->height);
            lowest = here < lowest ? here : lowest;
        }
        lowest = within[i] >= 0.0 && face[i].height < lowest ? face[i].height : lowest;
    }
    return lowest;
}

// Whether some side alone leaves nothing of a face that is below `bar`.
static bool is_above(const clipped_point *face, uint32_t count, const ab_hull_reference *r, double bar)
{
    double within[CLIPPED];
    for (uint32_t edge = 0; edge < r->count; ++edge)
    {
        if (measure_side(face, count, r, edge, within) && lowest_within(face, within, count) >= bar)
        {
            return true;
        }
    }
    return false;
}

// What the deepest of other points must be below.
static double bar_of(const ab_clipping *c, const ab_flat_points *points)
{
    return points->deepest - NEARER * c->scale;
}

// Tries a piece of the reference face's plane against the faces that may be low, for points that miss the deepest
// vertex by less. `found`: the reference that points were found of.
static void clip_piece(const ab_clipping *c, const ab_hull_reference *piece, const low_faces *low,
                       ab_hull_reference *found, ab_flat_points *out)
{
    ab_flat_points points;
    flat_box box = nothing;
    for (uint32_t i = 0; i < piece->count; ++i)
    {
        include(&box, piece->corner[i][0], piece->corner[i][1]);
    }
    double bar = bar_of(c, out);
    for (uint32_t i = 0; bar > c->separation && i < low->count; ++i)
    {
        clipped_point face[2][ROOM];
        if (low->lowest[i] >= bar || are_apart(&low->box[i], &box))
        {
            continue;
        }
        const uint32_t count = lay_low_face(c->incident.polytope, low->face[i], low, face[0]);
        if (is_above(face[0], count, piece, bar))
        {
            continue;
        }
        clip_face(c, piece, face, count, &points);
        if (points.deepest < bar)
        {
            memcpy(out->point, points.point, points.count * sizeof *points.point);
            out->count = points.count;
            out->deepest = points.deepest;
            bar = bar_of(c, out);
            found->face = piece->face;
            found->opposite = low->face[i];
        }
    }
}

// Points of a piece were found by their heights over the named face: measures them from the piece's own plane, which
// leans away from that.
static void lean_over(const ab_clipping *c, ab_hull_reference *r, ab_flat_points *points)
{
    const double named[3] = { r->lean[0], r->lean[1], r->lean[2] };
    uint32_t count = 0;
    lay_lean(c->reference, r->face, r);
    points->deepest = HUGE_VAL;
    for (uint32_t i = 0; i < points->count; ++i)
    {
        ab_flat_point point = points->point[i];
        point.height -=
            0.5 * ((r->lean[0] - named[0]) + (r->lean[1] - named[1]) * point.u + (r->lean[2] - named[2]) * point.v);
        point.separation = 2.0 * point.height > c->separation ? 2.0 * point.height : c->separation;
        if (point.separation <= c->limit)
        {
            points->deepest = point.separation < points->deepest ? point.separation : points->deepest;
            points->point[count++] = point;
        }
    }
    points->count = count;
}

static void clip_all_pieces(const ab_clipping *c, ab_hull_reference *r, const projection *to, ab_flat_points *out)
{
    double of_pieces[AB_POLYTOPE_FACES];
    ab_hull_reference piece = *r;
    low_faces low;
    find_low_faces(c, to, bar_of(c, out), &low);
    face_cosines(c->reference, c->plane.normal, of_pieces);
    for (uint32_t f = 0; f < c->reference->face_count; ++f)
    {
        if (of_pieces[f] > LEVEL && bar_of(c, out) > c->separation)
        {
            lay_piece(c->reference, f, &piece);
            clip_piece(c, &piece, &low, r, out);
        }
    }
    if (r->face != c->face)
    {
        lean_over(c, r, out);
    }
}
