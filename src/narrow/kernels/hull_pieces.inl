// Where the deepest vertex is not over the face that a contact names: other faces of the incident polytope, and other
// faces nearly in the named one's plane, the pieces, are tried for points that miss it by less. For hull_clip.c.

#define LEVEL     0.9999 // cosine: faces of one plane
#define BOX_FACES 6u
#define STEPS     8u     // of a walk: few take more than two
#define STEEP     0.0625 // cosine: planes that are steeper say little of what is above them
#define NEARER    1e-5   // of the scale: by so much less, for those of faces with a common edge miss as much

// Of points, of which there are some; of equals, the first.
static ab_flat_point *lowest_point(ab_flat_points *points)
{
    uint32_t lowest = 0;
    for (uint32_t i = 1; i < points->count; ++i)
    {
        lowest = points->point[i].separation < points->point[lowest].separation ? i : lowest;
    }
    return &points->point[lowest];
}

// What the deepest of other points must be below.
static double bar_of(const ab_clipping *c, const ab_flat_points *points)
{
    return points->deepest - NEARER * c->scale;
}

static void take_points(const ab_flat_points *points, ab_flat_points *out)
{
    memcpy(out->point, points->point, points->count * sizeof *points->point);
    out->count = points->count;
    out->deepest = points->deepest;
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

// The normal of a face of the incident polytope, where heights are measured from the reference.
static void normal_over(const ab_polytope *p, uint32_t face, const ab_hull_reference *r, const projection *to,
                        double out[3])
{
    for (int i = 0; i < 3; ++i)
    {
        out[i] = to->column[0][i] * (double)p->normal[0][face] + to->column[1][i] * (double)p->normal[1][face] +
                 to->column[2][i] * (double)p->normal[2][face];
    }
    out[2] += r->lean[1] * out[0] + r->lean[2] * out[1];
    out[0] += r->lean[1] * out[2];
    out[1] += r->lean[2] * out[2];
}

// Whether the plane with a normal, through a point, is above `bar` over all of a reference.
static bool is_plane_above(const ab_hull_reference *r, const double n[3], const ab_flat_point *at, double bar)
{
    bool above = true;
    for (uint32_t i = 0; i < r->count; ++i)
    {
        const double down = n[0] * (r->corner[i][0] - at->u) + n[1] * (r->corner[i][1] - at->v);
        above = above && 2.0 * at->height - down / n[2] >= bar;
    }
    return above;
}

// Whether nothing of two planes through a point on one side of a reference is lower, within that side: some plane
// between the two is level along the side, and rises from there.
static bool is_level_between(const ab_hull_reference *r, uint32_t side, const double n[3], const double other[3])
{
    const double *a = r->corner[side], *b = r->corner[side + 1 < r->count ? side + 1 : 0];
    const double u = b[0] - a[0], v = b[1] - a[1];
    const double share = -(n[0] * u + n[1] * v) / (other[0] * u + other[1] * v);
    const double inward = (n[1] + share * other[1]) * u - (n[0] + share * other[0]) * v;
    return share >= 0.0 && inward >= 0.0 && n[2] + share * other[2] < -STEEP * (1.0 + share);
}

// The face on the other side of an edge, which begins at that corner of a face.
static uint32_t face_across(const ab_polytope *p, uint32_t face, uint32_t i)
{
    const uint16_t *corner = p->corners + p->faces[face].first;
    const uint32_t from = corner[i], to = corner[i + 1 < p->faces[face].count ? i + 1 : 0];
    for (uint32_t e = 0; e < p->edge_count; ++e)
    {
        const ab_polytope_edge *edge = &p->edges[e];
        if (edge->vertex[0] + edge->vertex[1] == from + to && (edge->vertex[0] == from || edge->vertex[0] == to))
        {
            return edge->face[edge->face[0] == face];
        }
    }
    return face;
}

// The point of a piece that is nearest to another in the plane.
static void nearest_on(const ab_hull_reference *piece, const double at[2], double out[2])
{
    double least = HUGE_VAL;
    bool within = true;
    for (uint32_t i = 0; i < piece->count; ++i)
    {
        const double *a = piece->corner[i], *b = piece->corner[i + 1 < piece->count ? i + 1 : 0];
        const double u = b[0] - a[0], v = b[1] - a[1], to_u = at[0] - a[0], to_v = at[1] - a[1];
        const double part = (to_u * u + to_v * v) / (u * u + v * v), t = part > 0.0 ? (part < 1.0 ? part : 1.0) : 0.0;
        const double off_u = to_u - t * u, off_v = to_v - t * v, far = off_u * off_u + off_v * off_v;
        within = within && u * to_v - v * to_u >= 0.0;
        if (far < least)
        {
            least = far;
            out[0] = at[0] - off_u;
            out[1] = at[1] - off_v;
        }
    }
    if (within)
    {
        memcpy(out, at, 2 * sizeof *out);
    }
}

// The first of the vertices that are lowest over a reference.
static uint32_t lowest_over(const ab_polytope *p, const projection *to)
{
    double height[AB_POLYTOPE_EDGES];
    uint32_t lowest = 0;
    for (uint32_t i = 0; i < p->vertex_count; ++i)
    {
        height[i] = to->column[0][2] * (double)p->vertex[0][i] + to->column[1][2] * (double)p->vertex[1][i] +
                    to->column[2][2] * (double)p->vertex[2][i] + to->at[2];
    }
    for (uint32_t i = 1; i < p->vertex_count; ++i)
    {
        lowest = height[i] < height[lowest] ? i : lowest;
    }
    return lowest;
}

// How the planes of all faces rise against the normal of a reference, as normal_over has it, and their heights over a
// point.
static void lay_heights(const ab_polytope *p, const ab_hull_reference *r, const projection *to, double u, double v,
                        double rise[AB_POLYTOPE_FACES], double height[AB_POLYTOPE_FACES])
{
    const double lean_u = r->lean[1], lean_v = r->lean[2];
    for (uint32_t f = 0; f < p->face_count; ++f)
    {
        const double x = (double)p->normal[0][f], y = (double)p->normal[1][f], z = (double)p->normal[2][f];
        const double n_u = to->column[0][0] * x + to->column[1][0] * y + to->column[2][0] * z;
        const double n_v = to->column[0][1] * x + to->column[1][1] * y + to->column[2][1] * z;
        const double up = to->column[0][2] * x + to->column[1][2] * y + to->column[2][2] * z;
        const double steep = up + (lean_u * n_u + lean_v * n_v);
        rise[f] = steep;
        height[f] = ((double)p->offset[f] - (n_u + lean_u * steep) * u - (n_v + lean_v * steep) * v) / steep;
    }
}

// The face of the incident polytope over the point of a piece that is nearest to the lowest vertex, if any is.
static uint32_t face_over(const ab_polytope *p, const ab_hull_reference *piece, const projection *to)
{
    double rise[AB_POLYTOPE_FACES], height[AB_POLYTOPE_FACES], low[3], at[3], most = -HUGE_VAL;
    uint32_t found = 0;
    project(p, lowest_over(p, to), to, low);
    nearest_on(piece, low, at);
    lay_heights(p, piece, to, at[0] - to->at[0], at[1] - to->at[1], rise, height);
    for (uint32_t f = 0; f < p->face_count; ++f)
    {
        const bool higher = rise[f] < 0.0 && height[f] > most;
        found = higher ? f : found;
        most = higher ? height[f] : most;
    }
    return found;
}

static void clip_next(const ab_clipping *c, ab_hull_reference *piece, const projection *to, uint32_t next,
                      ab_flat_points *out)
{
    clipped_point face[2][ROOM];
    clip_face(c, piece, face, lay_face(c->incident.polytope, next, to, face[0]), HUGE_VAL, out);
    piece->opposite = next;
}

// Goes down from the face that points were found of, over edges, for what is lower over a piece. The incident polytope
// is nowhere below the planes of its faces: true if two of them leave nothing lower.
static bool walk_down(const ab_clipping *c, ab_hull_reference *piece, const projection *to, ab_flat_points *out)
{
    const ab_polytope *p = c->incident.polytope;
    for (uint32_t step = 0; step < STEPS && out->count > 0; ++step)
    {
        const ab_flat_point *at = lowest_point(out);
        const uint32_t face = piece->opposite, side = at->slot >> 16, edge = at->slot & NONE;
        const double bar = bar_of(c, out);
        double n[3], other[3];
        normal_over(p, face, piece, to, n);
        if (bar <= c->separation || (n[2] < -STEEP && is_plane_above(piece, n, at, bar)))
        {
            return true;
        }
        if (side == NONE || edge == NONE || p->faces[face].count > AB_HULL_CORNERS)
        {
            return false;
        }
        const uint32_t next = face_across(p, face, edge);
        normal_over(p, next, piece, to, other);
        if (is_level_between(piece, side, n, other))
        {
            return true;
        }
        clip_next(c, piece, to, next, out);
    }
    return false;
}

// Leaves those within the limit.
static void leave_near(ab_flat_points *points, double limit)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < points->count; ++i)
    {
        points->point[count] = points->point[i];
        count += points->point[i].separation <= limit;
    }
    points->count = count;
}

// Takes points over a piece if they are within the limit and lower.
static void take_lower(const ab_clipping *c, const ab_hull_reference *piece, ab_flat_points *points,
                       ab_hull_reference *r, ab_flat_points *out)
{
    if (points->deepest < bar_of(c, out) && points->deepest <= c->limit)
    {
        leave_near(points, c->limit);
        take_points(points, out);
        r->face = piece->face;
        r->opposite = piece->opposite;
    }
}

// Takes what a walk finds over a piece. True if it is proved that nothing else there is lower.
static bool walk_piece(const ab_clipping *c, ab_hull_reference *piece, const projection *to, ab_hull_reference *r,
                       ab_flat_points *out)
{
    const ab_polytope *p = c->incident.polytope;
    ab_flat_points points;
    double n[3];
    normal_over(p, r->opposite, r, to, n);
    if (out->count > 0 && n[2] < -STEEP && is_plane_above(piece, n, lowest_point(out), bar_of(c, out)))
    {
        return true;
    }
    if (out->count > 0 && piece->face == r->face)
    {
        take_points(out, &points);
        piece->opposite = r->opposite;
    }
    else
    {
        clip_next(c, piece, to, r->opposite, &points);
    }
    if (points.count == 0)
    {
        clip_next(c, piece, to, face_over(p, piece, to), &points);
    }
    const bool proved = walk_down(c, piece, to, &points);
    take_lower(c, piece, &points, r, out);
    return proved;
}

// Tries all faces that look against the plane.
static void search_piece(const ab_clipping *c, ab_hull_reference *piece, const projection *to, ab_hull_reference *r,
                         ab_flat_points *out)
{
    for (uint32_t f = 0; f < c->incident.polytope->face_count; ++f)
    {
        ab_flat_points points;
        double n[3];
        normal_over(c->incident.polytope, f, piece, to, n);
        if (n[2] < 0.0 && bar_of(c, out) > c->separation)
        {
            clip_next(c, piece, to, f, &points);
            take_lower(c, piece, &points, r, out);
        }
    }
}

static void clip_all_pieces(const ab_clipping *c, ab_hull_reference *r, const projection *to, ab_flat_points *out)
{
    double of_pieces[AB_POLYTOPE_FACES];
    ab_hull_reference piece;
    // edges of boxes may not be laid out, and their faces are few
    const bool walks = c->incident.polytope->face_count > BOX_FACES;
    memcpy(&piece, r, offsetof(ab_hull_reference, corner) + r->count * sizeof *r->corner);
    const bool over = walks && walk_piece(c, &piece, to, r, out);
    face_cosines(c->reference, c->plane.normal, of_pieces);
    for (uint32_t f = 0; f < c->reference->face_count; ++f)
    {
        if (of_pieces[f] > LEVEL && !(over && f == c->face) && bar_of(c, out) > c->separation)
        {
            lay_piece(c->reference, f, &piece);
            if (!walks || f == c->face || !walk_piece(c, &piece, to, r, out))
            {
                search_piece(c, &piece, to, r, out);
            }
        }
    }
    if (r->face != c->face)
    {
        lean_over(c, r, out);
    }
}
