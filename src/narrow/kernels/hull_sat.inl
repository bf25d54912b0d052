// Two polytopes by the separating axis theorem, one pair at a time, with vertices, faces or edges in lanes: D.
// Gregorius, "The Separating Axis Test between Convex Polyhedra" (GDC 2013). The axes are the normals of faces, and of
// those pairs of edges whose arcs cross on the Gauss map: only they make faces of the difference of the two.
//
// Where one vertex is below all planes by as much as the best face's separation, no axis at all is better: see
// face_query. Otherwise most edges are dropped before they are paired: see hull_edges.inl.

#include "narrow/kernels/hull_vertices.inl"

#include "narrow/kernels/hull_faces.inl"

#include "narrow/kernels/hull_edges.inl"

#define CROSSING        2.3841858e-7f // cosine: by how much arcs may miss each other
#define PARALLEL        1e-8f         // squared sine: edges with less have no axis
#define CERTAIN         9.5367432e-7f // of both reaches: more than a separation is rounded by
#define INWARD          6.0f          // depths: how far from a vertex a point is tried
#define HULL_HYSTERESIS 0.5f          // of the preference: how far a cached axis may fall behind

static ab_hull_axis edge_axis_of(const best_edgew *best, const uint32_t *of_a, const uint32_t *of_b)
{
    float x[LANES], y[LANES], z[LANES], separation[LANES];
    uint32_t code[LANES];
    ab_hull_axis axis = { .class = AB_HULL_EDGES };
    const uint32_t lane = best_lane(best->separation, best->code);
    storew(separation, best->separation);
    storew(x, best->normal.x);
    storew(y, best->normal.y);
    storew(z, best->normal.z);
    storeu(code, best->code);
    axis.separation = separation[lane];
    axis.normal[0] = x[lane];
    axis.normal[1] = y[lane];
    axis.normal[2] = z[lane];
    axis.index[0] = of_a[code[lane] >> 16];
    axis.index[1] = of_b[code[lane] & 0xffffu];
    return axis;
}

// Everything that the test of a pair works on.
typedef struct hull_test
{
    const ab_polytope *a, *b;
    moved_vertices a_in_b, b_in_a;
    uint32_t witness_a, witness_b; // the vertex that reaches farthest towards the other's middle
    face_query faces_a, faces_b;
    uint32_t edges_a[EDGES], edges_b[EDGES];
    uint32_t count_a, count_b;
    moved_edges moved_b;
    const float *half; // of a's or b's box, whose edges are laid out into `room` where they are read; NULL: none is one
    ab_box_room *room;
    uint32_t opposite; // the face that looks most against face `opposite_of` of a, or of b; ABUT_NONE: not known
    uint32_t opposite_of;
    bool opposite_of_b;
    float tolerance; // what another class of axes must be better by
    float rounding;  // more than a separation, or a bound of one, is rounded by
} hull_test;

// Pairs edge `i` of a's list with all of b's. `asked` has the code of the cached axis, or AB_NO_AXIS; the best pair
// with that code goes to `cached`.
AB_INLINE void pair_edges(const hull_test *t, uint32_t i, uint32_t asked, best_edgew *best, best_edgew *cached)
{
    const ab_polytope_edge *edge = &t->a->edges[t->edges_a[i]];
    const v3w u = v3w_all(edge->direction), left = v3w_all(edge->left), right = v3w_all(edge->right);
    const v3w point = v3w_all(edge->point);
    const f32w zero = splatw(0.0f), miss = splatw(CROSSING);
    for (uint32_t j = 0; j < t->count_b; j += LANES)
    {
        const v3w w = load_vector(&t->moved_b, 3, j);
        // the arc of b is that of the opposite normals
        const f32w from_left = v3w_dot(left, w), from_right = negw(v3w_dot(right, w));
        const f32w to_left = v3w_dot(load_vector(&t->moved_b, 6, j), u);
        const f32w to_right = negw(v3w_dot(load_vector(&t->moved_b, 9, j), u));
        const f32w low = minw(minw(from_left, from_right), minw(to_left, to_right));
        const f32w high = maxw(maxw(from_left, from_right), maxw(to_left, to_right));
        const maskw crossing = orm(gtw(low, negw(miss)), ltw(high, miss));
        if (!anym(crossing))
        {
            continue;
        }
        const v3w n = v3w_cross(u, w);
        const f32w square = v3w_dot(n, n), length = sqrtw(square);
        const maskw valid = andm(crossing, gtw(square, splatw(PARALLEL)));
        const maskw inward = ltw(addw(from_left, from_right), zero);
        const f32w inverse = divw(splatw(1.0f), pickw(valid, length, splatw(1.0f)));
        const v3w unit = v3w_scale(v3w_negate_where(inward, n), inverse);
        const f32w separation = v3w_dot(unit, v3w_sub(load_vector(&t->moved_b, 0, j), point));
        const u32w code = addu(splatu(i << 16 | j), lane_indices());
        keep_better(best, andm(valid, gtu(splatu(t->count_b), addu(splatu(j), lane_indices()))), separation, code,
                    unit);
        if (asked != AB_NO_AXIS)
        {
            const u32w code_b = andu(loadu(t->edges_b + j), splatu(7));
            const maskw same = equ(
                oru(code_b, splatu((uint32_t)AB_HULL_EDGES << 6 | ab_hull_edge_code(t->edges_a[i], 0))), splatu(asked));
            keep_better(cached, andm(andm(valid, same), gtu(splatu(t->count_b), addu(splatu(j), lane_indices()))),
                        separation, code, unit);
        }
    }
}

static AB_APART void pair_all_edges(const hull_test *t, uint32_t asked, ab_hull_axis *best, ab_hull_axis *cached)
{
    best_edgew bests = no_edge(), cacheds = no_edge();
    for (uint32_t i = 0; i < t->count_a; ++i)
    {
        pair_edges(t, i, asked, &bests, &cacheds);
    }
    *best = edge_axis_of(&bests, t->edges_a, t->edges_b);
    if (asked != AB_NO_AXIS)
    {
        *cached = edge_axis_of(&cacheds, t->edges_a, t->edges_b);
    }
}

// Lowers the separation of an edge axis to that of all vertices, which arcs that hardly cross overstate by rounding.
static void confirm(const hull_test *t, ab_hull_axis *axis)
{
    const v3w along = v3w_all(axis->normal);
    f32w behind = splatw(-FAR_AWAY), before = splatw(-FAR_AWAY);
    for (uint32_t i = 0; i < t->a->vertex_count; i += LANES)
    {
        behind = maxw(v3w_dot(along, column_at(t->a->vertex, i)), behind);
    }
    for (uint32_t i = 0; i < t->b->vertex_count; i += LANES)
    {
        const v3w at = v3w_make(loadw(t->b_in_a.at[0] + i), loadw(t->b_in_a.at[1] + i), loadw(t->b_in_a.at[2] + i));
        before = maxw(negw(v3w_dot(along, at)), before);
    }
    // without signs of zero, of which there may be both
    const float separation = (0.0f - most_of_lanes(before)) - (0.0f + most_of_lanes(behind));
    axis->separation = separation < axis->separation ? separation : axis->separation;
}

// The separation along the line between the middles of both, and the vertices that it follows from.
static float test_middles(const ab_hull_pair *pair, hull_test *t)
{
    const ab_hull_relation *relation = &pair->relation;
    float along[3];
    for (int i = 0; i < 3; ++i)
    {
        along[i] = (dot3(relation->turn + 3 * i, t->b->middle) + relation->apart[i]) - t->a->middle[i];
    }
    const float *turn = relation->turn;
    const v3w back = v3w_splat(-along[0], -along[1], -along[2]);
    const v3w forth_in_b = v3w_splat((turn[0] * along[0] + turn[3] * along[1]) + turn[6] * along[2],
                                     (turn[1] * along[0] + turn[4] * along[1]) + turn[7] * along[2],
                                     (turn[2] * along[0] + turn[5] * along[1]) + turn[8] * along[2]);
    const float length = sqrtf(dot3(along, along)), between = dot3(along, relation->apart);
    const float behind = lowest_along(t->a->vertex, t->a->vertex_count, back, &t->witness_a);
    const float before = lowest_along(t->b->vertex, t->b->vertex_count, forth_in_b, &t->witness_b) + between;
    return length > 0.0f ? (before + behind) / length : -FAR_AWAY;
}

// The best edge axis above `bar`.
static void best_edges(const ab_hull_pair *pair, hull_test *t, float bar, uint32_t asked, ab_hull_axis *best,
                       ab_hull_axis *cached)
{
    *best = *cached = (ab_hull_axis){ .class = AB_HULL_NO_AXIS, .separation = -FAR_AWAY };
    if (t->faces_a.ceiling <= bar || t->faces_b.ceiling <= bar)
    {
        return;
    }
    if (t->half)
    {
        ab_polytope_lay_box_edges(t->half, t->room);
    }
    t->count_a = list_edges(t->a, &t->b_in_a, t->b->vertex_count, &t->faces_a, bar, t->edges_a);
    t->count_b = 0;
    if (t->count_a > 0)
    {
        t->count_b = list_edges(t->b, &t->a_in_b, t->a->vertex_count, &t->faces_b, bar, t->edges_b);
    }
    if (t->count_b == 0)
    {
        return;
    }
    const turnw turn = turn_of(&pair->relation, false);
    move_edges(t->b, t->edges_b, t->count_b, &turn, pair->relation.apart, &t->moved_b);
    pair_all_edges(t, asked, best, cached);
    if (best->separation > bar)
    {
        confirm(t, best);
    }
    if (cached->separation > bar)
    {
        confirm(t, cached);
    }
}

// The best of the faces with a code.
static ab_hull_axis cached_face(const hull_test *t, uint32_t asked)
{
    const bool of_a = asked >> 6 == AB_HULL_FACE_OF_A;
    const ab_polytope *p = of_a ? t->a : t->b;
    ab_hull_axis out = { .class = of_a ? AB_HULL_FACE_OF_A : AB_HULL_FACE_OF_B, .separation = -FAR_AWAY };
    for (uint32_t f = asked % AB_HULL_CODES; f < p->face_count; f += AB_HULL_CODES)
    {
        const float here = of_a ? separation_of_face(p, f, &t->b_in_a, t->b->vertex_count)
                                : separation_of_face(p, f, &t->a_in_b, t->a->vertex_count);
        out.index[0] = here > out.separation ? f : out.index[0];
        out.separation = here > out.separation ? here : out.separation;
    }
    return out;
}

// Whether the cached axis stays, as for boxes: see box_cached.inl.
static bool cached_stays(const hull_test *t, const ab_hull_axis *cached, float edge)
{
    const float a = t->faces_a.best, b = t->faces_b.best, raise = HULL_HYSTERESIS * t->tolerance;
    const float here = cached->separation, raised = here + raise;
    if (cached->class == AB_HULL_EDGES)
    {
        return raised >= edge && raised > (a > b ? a : b) + t->tolerance;
    }
    const bool by_face = edge <= here + t->tolerance;
    if (cached->class == AB_HULL_FACE_OF_A)
    {
        return by_face && raised >= a && b <= here + t->tolerance;
    }
    return by_face && raised >= b && (here > edge ? here : edge) + raise > a + t->tolerance;
}

// The face of the other polytope that looks most against a face of a, or of b.
static uint32_t opposite_face(const ab_hull_pair *pair, bool in_b, uint32_t index)
{
    const ab_polytope *p = in_b ? pair->b : pair->a, *other = in_b ? pair->a : pair->b;
    const turnw turn = turn_of(&pair->relation, !in_b);
    const v3w against = turned(&turn, normal_at(p, index));
    uint32_t face;
    (void)lowest_along(other->normal, other->face_count, against, &face);
    return face;
}

// Asks the faces of a, or of b, from one on.
AB_INLINE void query_side(const ab_hull_pair *pair, hull_test *t, bool of_b, uint32_t first, float floor)
{
    const turnw turn = turn_of(&pair->relation, of_b);
    const ab_polytope *p = of_b ? t->b : t->a, *other = of_b ? t->a : t->b;
    moved_vertices *moved = of_b ? &t->a_in_b : &t->b_in_a;
    face_query *out = of_b ? &t->faces_b : &t->faces_a;
    move_vertices(other, &turn, of_b ? pair->relation.behind : pair->relation.apart, moved);
    if (first == AB_NO_AXIS && are_few(p, other->vertex_count))
    {
        query_all_faces(p, moved, other->vertex_count, out);
        return;
    }
    const uint32_t from =
        first == AB_NO_AXIS ? face_below(p, vertex_at(moved, of_b ? t->witness_a : t->witness_b)) : first;
    query_faces(p, moved, other->vertex_count, from, floor, pair->limit, out);
}

// Where the cached axis is not the best, both sides' separations must be exact.
static AB_APART void query_again(const ab_hull_pair *pair, hull_test *t)
{
    query_side(pair, t, false, t->faces_a.face, -FAR_AWAY);
    query_side(pair, t, true, t->faces_b.face, -FAR_AWAY);
}

// From the frame of a to that of b, or back.
static void move_point(const ab_hull_relation *relation, bool to_b, const float at[3], float out[3])
{
    for (int i = 0; i < 3; ++i)
    {
        const float *turn = relation->turn + (to_b ? i : 3 * i);
        const int step = to_b ? 3 : 1;
        out[i] = ((turn[0] * at[0] + turn[step] * at[1]) + turn[2 * step] * at[2]) +
                 (to_b ? relation->behind : relation->apart)[i];
    }
}

// A ball within a polytope and one within the other, about the same point: no axis separates the two by more than both
// radii take. A good point is between the face that separates most and the other's lowest vertex, a little away from it
// towards the middles.
static float bound_within(const ab_hull_pair *pair, const hull_test *t, bool of_b, const face_query *query)
{
    const ab_polytope *p = of_b ? t->b : t->a, *other = of_b ? t->a : t->b;
    const moved_vertices *moved = of_b ? &t->a_in_b : &t->b_in_a;
    const float depth = 0.0f - query->best;
    float middle[3], n[3], low[3], way[3], at[3], in_other[3];
    move_point(&pair->relation, of_b, other->middle, middle);
    for (int k = 0; k < 3; ++k)
    {
        n[k] = p->normal[k][query->face];
        low[k] = moved->at[k][query->witness[0]];
        way[k] = 0.5f * (p->middle[k] + middle[k]) - low[k];
    }
    const float up = dot3(way, n);
    for (int k = 0; k < 3; ++k)
    {
        way[k] -= up * n[k];
    }
    const float length = sqrtf(dot3(way, way)), far = INWARD * depth < length ? INWARD * depth / length : 1.0f;
    for (int k = 0; k < 3; ++k)
    {
        at[k] = low[k] + far * way[k] + 0.5f * depth * n[k];
    }
    move_point(&pair->relation, !of_b, at, in_other);
    return height_above(p, v3w_all(at)) + height_above(other, v3w_all(in_other));
}

// Whether no axis separates the two by the bound, however bound and separations are rounded. Which bound a query finds
// depends on where it begins and on the lanes; whether the two are apart must not.
static bool bound_is_negative(const hull_test *t, const face_query *query)
{
    return query->ceiling < 0.0f - t->rounding;
}

// From the face that named the contact in the last detect: its lowest vertex is often within all other planes.
static float test_cached_face(const ab_hull_pair *pair, hull_test *t, uint32_t cached)
{
    const bool of_b = cached >> 6 == AB_HULL_FACE_OF_B;
    const uint32_t count = of_b ? t->b->face_count : t->a->face_count, face = cached % AB_HULL_CODES;
    face_query *const query = of_b ? &t->faces_b : &t->faces_a, *const of_other = of_b ? &t->faces_a : &t->faces_b;
    query_side(pair, t, of_b, face < count ? face : 0, -FAR_AWAY);
    t->opposite_of = query->face;
    t->opposite_of_b = of_b;
    if (query->best > 0.0f)
    {
        return query->best;
    }
    t->opposite = opposite_face(pair, of_b, query->face);
    // what is better by no more than the tolerance does not name the contact
    const float past = query->best + t->tolerance, bar = past < 0.0f ? past : query->best;
    if (query->ceiling > bar && query->face == face)
    {
        const float bound = bound_within(pair, t, of_b, query);
        query->ceiling = bound < query->ceiling ? bound : query->ceiling;
    }
    if (!of_b && query->ceiling <= bar && bound_is_negative(t, query))
    {
        *of_other = (face_query){ .face = t->opposite, .best = query->ceiling, .ceiling = query->ceiling };
        return query->best;
    }
    // a face of a that is worse than b's by more than the tolerance gives way; b's that is no better than a's, too
    query_side(pair, t, !of_b, t->opposite, of_b ? query->best - 1.5f * t->tolerance : query->best);
    return of_other->best > query->best ? of_other->best : query->best;
}

// Lays a test out. Returns the best separation of the faces; the second polytope's are only asked where those of the
// first do not separate the two by more than the limit, or at all, and do not bound all axes. What is apart by more
// than the limit for certain may be so by another axis. `cached`: the code of the cached axis, or AB_NO_AXIS.
static float test_faces(const ab_hull_pair *pair, uint32_t cached, hull_test *t)
{
    t->a = pair->a;
    t->b = pair->b;
    t->opposite = ABUT_NONE;
    const float least = pair->a->width < pair->b->width ? pair->a->width : pair->b->width;
    const float reach = pair->a->reach + pair->b->reach;
    t->tolerance = least * 0.0009765625f + reach * 1.9073486e-6f;
    t->rounding = reach * CERTAIN;
    if (cached != AB_NO_AXIS && cached >> 6 != AB_HULL_EDGES)
    {
        return test_cached_face(pair, t, cached);
    }
    const float between = test_middles(pair, t);
    if (between > pair->limit + t->rounding)
    {
        return between;
    }
    query_side(pair, t, false, AB_NO_AXIS, -FAR_AWAY);
    if (t->faces_a.best > 0.0f)
    {
        return t->faces_a.best;
    }
    if (t->faces_a.ceiling <= t->faces_a.best && bound_is_negative(t, &t->faces_a))
    {
        t->faces_b = (face_query){ .best = t->faces_a.ceiling, .ceiling = t->faces_a.ceiling };
        return t->faces_a.best;
    }
    query_side(pair, t, true, AB_NO_AXIS, t->faces_a.best);
    return t->faces_b.best > t->faces_a.best ? t->faces_b.best : t->faces_a.best;
}

// The largest separation of all axes, and the axis that names the contact if that is not positive. `asked`: the code of
// the cached axis, or AB_NO_AXIS.
static float name_axis(const ab_hull_pair *pair, hull_test *t, uint32_t asked, ab_hull_axis *out)
{
    const float a = t->faces_a.best, b = t->faces_b.best, past_a = a + t->tolerance, face = a > b ? a : b;
    // edges below it are not named, nor do they let b's face be
    const float named = asked != AB_NO_AXIS ? face : (b > past_a ? b : a) + t->tolerance;
    const float bar = named < 0.0f ? named : 0.0f;
    ab_hull_axis edges, cached;
    const float sure = 0.0f - t->rounding; // whether the two are apart must not follow from rounded bounds
    best_edges(pair, t, bar < sure ? bar : sure, asked, &edges, &cached);
    const float edge = edges.separation > bar ? edges.separation : -FAR_AWAY; // others may be listed or not
    const bool prefer_b = (b > edge ? b : edge) > past_a;
    *out = (ab_hull_axis){ .class = prefer_b ? AB_HULL_FACE_OF_B : AB_HULL_FACE_OF_A,
                           .index = { prefer_b ? t->faces_b.face : t->faces_a.face },
                           .separation = prefer_b ? b : a };
    if (edge > face + t->tolerance)
    {
        *out = edges;
    }
    if (asked != AB_NO_AXIS)
    {
        if (asked >> 6 != AB_HULL_EDGES)
        {
            cached = cached_face(t, asked);
        }
        *out = cached_stays(t, &cached, edge) ? cached : *out;
    }
    return edge > face ? edge : face;
}
