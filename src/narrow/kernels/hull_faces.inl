// The faces of one polytope against the vertices of another: the face that separates them most. Few faces are looked at
// with all vertices: one that has a vertex of the other below it does not separate by more than that, so a well chosen
// vertex, the witness, is enough for most.

#define FEW_FACES 32u // vertices times groups of faces: all are looked at at once

// The face that separates most, and what bounds all axes: a vertex of the other polytope that is below every plane by
// some distance is inside by as much, and no axis at all separates the two by more than that takes.
typedef struct face_query
{
    float best;
    uint32_t face;       // the lowest of those
    uint32_t witness[2]; // the other's vertices that are lowest along the faces that were asked first and second
    float ceiling;       // no axis of faces or edges has a larger separation
    bool exact;          // false: no face separates by more than `best`
} face_query;

AB_INLINE v3w vertex_at(const moved_vertices *from, uint32_t i)
{
    return v3w_splat(from->at[0][i], from->at[1][i], from->at[2][i]);
}

AB_INLINE v3w vertices_at(const moved_vertices *from, uint32_t i)
{
    return v3w_make(loadw(from->at[0] + i), loadw(from->at[1] + i), loadw(from->at[2] + i));
}

AB_INLINE v3w normal_at(const ab_polytope *p, uint32_t face)
{
    return v3w_splat(p->normal[0][face], p->normal[1][face], p->normal[2][face]);
}

// How far a point is above the planes of faces from one on.
AB_INLINE f32w heights_above(const ab_polytope *p, uint32_t face, v3w at)
{
    return subw(v3w_dot(column_at(p->normal, face), at), loadw(p->offset + face));
}

// The least of a value's lanes. Zero is positive: there may be both, in any order.
AB_INLINE float least_of_lanes(f32w value)
{
    return 0.0f - most_of_lanes(negw(value));
}

// How far along a direction the lowest of some vectors is, and which it is; of several, the first.
AB_INLINE float lowest_along(const float *const column[3], uint32_t count, v3w along, uint32_t *lowest)
{
    f32w least = splatw(FAR_AWAY);
    u32w which = splatu(0), at = lane_indices();
    for (uint32_t i = 0; i < count; i += STEP)
    {
        const f32w first = v3w_dot(along, column_at(column, i));
        const f32w second = v3w_dot(along, column_at(column, i + LANES)), here = minw(second, first);
        const u32w number = picku(ltw(second, first), addu(at, splatu(LANES)), at);
        which = picku(ltw(here, least), number, which);
        least = minw(here, least);
        at = addu(at, splatu(STEP));
    }
    const f32w most = mostw(negw(least));
    uint32_t numbers[LANES];
    storeu(numbers, which);
    *lowest = numbers[lane_of_lowest(bitsm(eqw(negw(least), most)), which)];
    return 0.0f - any_of_lanes(most);
}

AB_INLINE float separation_of_face(const ab_polytope *p, uint32_t face, const moved_vertices *other, uint32_t count)
{
    const v3w n = normal_at(p, face);
    f32w least = splatw(FAR_AWAY);
    for (uint32_t i = 0; i < count; i += STEP)
    {
        const f32w second = v3w_dot(n, vertices_at(other, i + LANES));
        least = minw(minw(v3w_dot(n, vertices_at(other, i)), second), least);
    }
    return least_of_lanes(least) - p->offset[face];
}

// Whether looking at all faces and vertices takes less than choosing among them.
AB_INLINE bool are_few(const ab_polytope *p, uint32_t vertices)
{
    return (p->face_count + LANES - 1) / LANES * vertices <= FEW_FACES;
}

// How far a point is above the face that it is highest above.
AB_INLINE float height_above(const ab_polytope *p, v3w at)
{
    f32w above = splatw(-FAR_AWAY);
    for (uint32_t i = 0; i < p->face_count; i += STEP)
    {
        above = maxw(maxw(heights_above(p, i, at), heights_above(p, i + LANES, at)), above);
    }
    return 0.0f + most_of_lanes(above);
}

// The vertex that is lowest along the best face bounds all axes.
AB_INLINE void find_ceiling(const ab_polytope *p, const moved_vertices *other, uint32_t count, face_query *q)
{
    const float *const of_other[3] = { other->at[0], other->at[1], other->at[2] };
    uint32_t lowest;
    (void)lowest_along(of_other, count, normal_at(p, q->face), &lowest);
    q->ceiling = height_above(p, vertex_at(other, lowest));
}

// The best of few faces: all with all vertices.
static void query_all_faces(const ab_polytope *p, const moved_vertices *other, uint32_t count, face_query *out)
{
    f32w best = splatw(-FAR_AWAY);
    u32w face = splatu(0);
    for (uint32_t i = 0; i < p->face_count; i += LANES)
    {
        const v3w n = column_at(p->normal, i);
        f32w least = splatw(FAR_AWAY);
        for (uint32_t v = 0; v < count; ++v)
        {
            least = minw(v3w_dot(n, vertex_at(other, v)), least);
        }
        const f32w separation = subw(addw(least, splatw(0.0f)), loadw(p->offset + i));
        const maskw better = gtw(separation, best);
        best = pickw(better, separation, best);
        face = picku(better, addu(lane_indices(), splatu(i)), face);
    }
    uint32_t faces[LANES];
    float separations[LANES];
    const uint32_t lane = best_lane(best, face);
    storeu(faces, face);
    storew(separations, best);
    out->face = faces[lane];
    out->best = separations[lane];
    out->ceiling = FAR_AWAY;
    out->exact = true;
    if (out->best <= 0.0f)
    {
        find_ceiling(p, other, count, out);
    }
}

// The face that is lowest below a vertex.
static uint32_t face_below(const ab_polytope *p, v3w vertex)
{
    f32w most = splatw(-FAR_AWAY);
    u32w face = splatu(0), at = lane_indices();
    for (uint32_t i = 0; i < p->face_count; i += STEP)
    {
        const f32w first = heights_above(p, i, vertex), second = heights_above(p, i + LANES, vertex);
        const f32w height = maxw(second, first);
        const u32w number = picku(gtw(second, first), addu(at, splatu(LANES)), at);
        face = picku(gtw(height, most), number, face);
        most = maxw(height, most);
        at = addu(at, splatu(STEP));
    }
    uint32_t faces[LANES];
    storeu(faces, face);
    return faces[best_lane(most, face)];
}

// Bounds of all faces' separations, and the face with the largest.
typedef struct face_bounds
{
    float of[AB_POLYTOPE_FACES];
    f32w most;     // in each lane
    uint32_t face; // the first with it; past the last one where that is padding, which has the bound of face 0
    float height;  // of the first vertex above the face it is highest above
} face_bounds;

// Lowers bounds to heights; those of the face that was asked, so that it is not asked again.
AB_INLINE f32w lower_bound(f32w height, u32w face, uint32_t asked, bool anew, float *bounds)
{
    const f32w lower = anew ? height : minw(height, loadw(bounds));
    const f32w bound = pickw(equ(face, splatu(asked)), splatw(-FAR_AWAY), lower);
    storew(bounds, bound);
    return bound;
}

// Lowers the bounds to the heights of a vertex above the faces; `anew`: there are none yet. `asked` is not asked again.
AB_INLINE void bound_faces(const ab_polytope *p, v3w vertex, uint32_t asked, bool anew, face_bounds *out)
{
    f32w most = splatw(-FAR_AWAY), above = most;
    u32w which = splatu(0), at = lane_indices();
    for (uint32_t i = 0; i < p->face_count; i += STEP)
    {
        const u32w next = addu(at, splatu(LANES));
        const f32w first = heights_above(p, i, vertex), second = heights_above(p, i + LANES, vertex);
        const f32w of_first = lower_bound(first, at, asked, anew, out->of + i);
        const f32w of_second = lower_bound(second, next, asked, anew, out->of + i + LANES);
        const f32w bound = maxw(of_second, of_first);
        which = picku(gtw(bound, most), picku(gtw(of_second, of_first), next, at), which);
        most = maxw(bound, most);
        above = maxw(maxw(second, first), above);
        at = addu(at, splatu(STEP));
    }
    uint32_t numbers[LANES];
    storeu(numbers, which);
    out->most = mostw(most);
    out->face = numbers[lane_of_lowest(bitsm(eqw(most, out->most)), which)];
    if (anew)
    {
        out->height = 0.0f + most_of_lanes(above);
    }
}

// How far the faces of `p` separate the vertices of the other, `count` of them in the frame of p, asked from the face
// `first` on. The lowest vertex along each face that is asked bounds all others: the one with the largest bound is
// next. Where one separates them by more than the limit, there may be a better one. Whether faces separate by `floor`
// or less is not asked.
static void query_faces(const ab_polytope *p, const moved_vertices *other, uint32_t count, uint32_t first, float floor,
                        float limit, face_query *out)
{
    face_bounds bounds;
    const float *const of_other[3] = { other->at[0], other->at[1], other->at[2] };
    uint32_t face = first, lowest;
    float best = lowest_along(of_other, count, normal_at(p, first), &lowest) - p->offset[first];
    out->witness[0] = out->witness[1] = lowest;
    bound_faces(p, vertex_at(other, lowest), first, true, &bounds);
    out->ceiling = bounds.height;
    while (best <= limit && bounds.face < p->face_count && anym(gew(bounds.most, splatw(best > floor ? best : floor))))
    {
        const uint32_t next = bounds.face;
        const float here = lowest_along(of_other, count, normal_at(p, next), &lowest) - p->offset[next];
        out->witness[1] = out->witness[1] == out->witness[0] ? lowest : out->witness[1];
        bound_faces(p, vertex_at(other, lowest), next, false, &bounds);
        face = here > best || (here == best && next < face) ? next : face;
        best = here > best ? here : best;
    }
    out->exact = best > floor;
    out->face = face;
    out->best = best > floor ? best : floor;
}
