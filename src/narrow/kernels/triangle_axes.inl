// One box against triangles, one a lane: the 13 axes of "OBBTree" (see triangle_sat.c) in floats, with bounds of what
// rounding may have changed. An axis is left out where another one parts the two by more, for sure.

#define AXES 13

#define FACE_SLOP    0x1p-19f // of the size
#define EDGE_SLOP    0x1p-16f // of its square, over the edge as seen along the box's axis
#define NORMAL_SLOP  0x1p-15f // of its square and the longest edge, over twice the triangle's area
#define BESIDE_FLAT  0.04f    // more than what still lies flat: see is_flat in triangle_corner.c
#define BESIDE_LEAST 2e-6f    // of an edge's square
#define LEAST        1e-30f   // square of an axis whose length can be told
#define ASIDE        0x1p-7f  // tangent: more than from where on a direction is not the face's, see triangle_fit.c
#define STOUT        0x1p-6f  // of the longest edge's square: twice the area of a triangle that is no sliver
#define BETWEEN_SLOP 0x1p-16f // of the size and the longest edge

// All lanes in the box's frame.
typedef struct triangle_lanes
{
    f32w corner[3][3], edge[3][3]; // edge j from corner j
    f32w half[3];
    f32w size; // more than any number in the box's frame
    f32w longest;
    f32w normal[3], inverse; // of its length, which is twice the triangle's area
    f32w slop;               // of heights over the triangle's plane
} triangle_lanes;

// The least and the most that the two are apart along an axis.
typedef struct axis_bounds
{
    f32w least, most;
} axis_bounds;

AB_INLINE f32w sum3(f32w a, f32w b, f32w c)
{
    return addw(addw(a, b), c);
}

AB_INLINE f32w dot_of(const f32w a[3], const f32w b[3])
{
    return sum3(mulw(a[0], b[0]), mulw(a[1], b[1]), mulw(a[2], b[2]));
}

AB_INLINE f32w sum_abs(const f32w a[3])
{
    return sum3(absw(a[0]), absw(a[1]), absw(a[2]));
}

AB_INLINE void load_triangles(const ab_axes_box *box, const ab_axes_row *row, uint32_t first, triangle_lanes *t)
{
    t->size = splatw(0.0f);
    t->longest = splatw(0.0f);
    for (int j = 0; j < 3; ++j)
    {
        f32w from[3];
        for (int k = 0; k < 3; ++k)
        {
            from[k] = subw(subw(loadw(row->corner[j][k] + first), splatw(box->centre[k])), splatw(box->rest[k]));
        }
        for (int k = 0; k < 3; ++k)
        {
            const float *axis = box->axis + 3 * k;
            t->corner[j][k] =
                sum3(mulw(splatw(axis[0]), from[0]), mulw(splatw(axis[1]), from[1]), mulw(splatw(axis[2]), from[2]));
        }
        t->size = maxw(sum_abs(t->corner[j]), t->size);
    }
    for (int j = 0; j < 3; ++j)
    {
        t->half[j] = splatw(box->half[j]);
        for (int k = 0; k < 3; ++k)
        {
            t->edge[j][k] = subw(t->corner[(j + 1) % 3][k], t->corner[j][k]);
        }
        t->longest = maxw(sum_abs(t->edge[j]), t->longest);
    }
    t->size = addw(t->size, splatw(box->half[0] + box->half[1] + box->half[2] + box->limit + LEAST));
}

// The inverse of an axis's length; where that cannot be told, infinity.
AB_INLINE f32w inverse_length(f32w square)
{
    const maskw some = gtw(square, splatw(LEAST));
    return pickw(some, divw(splatw(1.0f), sqrtw(maxw(square, splatw(LEAST)))), splatw(HUGE_VALF));
}

AB_INLINE axis_bounds along_face(const triangle_lanes *t, int k)
{
    const f32w p = t->corner[0][k], q = t->corner[1][k], r = t->corner[2][k];
    const f32w low = minw(minw(p, q), r), high = maxw(maxw(p, q), r);
    const f32w apart = subw(maxw(low, negw(high)), t->half[k]), slop = mulw(t->size, splatw(FACE_SLOP));
    return (axis_bounds){ subw(apart, slop), addw(apart, slop) };
}

AB_INLINE void lay_normal(triangle_lanes *t)
{
    const f32w *e = t->edge[0], *f = t->edge[1];
    for (int k = 0; k < 3; ++k)
    {
        const int u = (k + 1) % 3, v = (k + 2) % 3;
        t->normal[k] = subw(mulw(e[u], f[v]), mulw(e[v], f[u]));
    }
    t->inverse = inverse_length(dot_of(t->normal, t->normal));
    t->slop = mulw(mulw(mulw(mulw(t->size, t->size), t->longest), splatw(NORMAL_SLOP)), t->inverse);
}

// In front of the box and behind it as well: what is behind is apart by the other.
AB_INLINE axis_bounds along_normal(const triangle_lanes *t, axis_bounds *behind)
{
    const f32w size[3] = { absw(t->normal[0]), absw(t->normal[1]), absw(t->normal[2]) };
    const f32w at = dot_of(t->corner[0], t->normal), radius = dot_of(t->half, size);
    const f32w apart = mulw(subw(absw(at), radius), t->inverse), above = mulw(subw(at, radius), t->inverse);
    *behind = (axis_bounds){ subw(above, t->slop), addw(above, t->slop) };
    return (axis_bounds){ subw(apart, t->slop), addw(apart, t->slop) };
}

// The direction out past edge j, seen from above: its length is the edge's times twice the triangle's area.
AB_INLINE void outward_of(const triangle_lanes *t, int j, f32w out[3])
{
    const f32w *edge = t->edge[j], *n = t->normal;
    for (int k = 0; k < 3; ++k)
    {
        const int u = (k + 1) % 3, v = (k + 2) % 3;
        out[k] = subw(mulw(edge[u], n[v]), mulw(edge[v], n[u]));
    }
}

// Where what may lie flat of the box, or its lowest corner, seen from the front, is all past one edge of the triangle
// for sure.
AB_INLINE maskw is_beside(const triangle_lanes *t)
{
    const f32w steep = addw(splatw(BESIDE_FLAT), divw(t->slop, t->size)), zero = splatw(0.0f);
    f32w lowest[3], loose[3];
    maskw out = notm(first_lanes(LANES));
    for (int k = 0; k < 3; ++k)
    {
        const maskw sure = gtw(mulw(absw(t->normal[k]), t->inverse), steep);
        lowest[k] = pickw(sure, negw(signedw(t->half[k], t->normal[k])), zero);
        loose[k] = pickw(sure, zero, t->half[k]);
    }
    const f32w least = splatw(BESIDE_LEAST), slop = mulw(t->slop, t->longest);
    for (int j = 0; j < 3; ++j)
    {
        const f32w enough = addw(mulw(dot_of(t->edge[j], t->edge[j]), least), slop);
        f32w outward[3], past = zero;
        outward_of(t, j, outward);
        for (int k = 0; k < 3; ++k)
        {
            const f32w to = subw(lowest[k], t->corner[j][k]);
            past = addw(past, subw(mulw(outward[k], to), mulw(absw(outward[k]), loose[k])));
        }
        out = orm(out, gtw(mulw(past, t->inverse), enough));
    }
    return out;
}

// A number for each of the box's corners.
typedef struct corner_sums
{
    f32w of[8];
} corner_sums;

// What a direction has of each of the box's corners: corner i is on the positive side of axis k where bit k is set.
AB_INLINE corner_sums along_corners(const triangle_lanes *t, const f32w along[3])
{
    const f32w x = mulw(along[0], t->half[0]), y = mulw(along[1], t->half[1]), z = mulw(along[2], t->half[2]);
    const f32w sum = addw(x, y), difference = subw(x, y);
    return (corner_sums){ { negw(addw(sum, z)), subw(difference, z), negw(addw(difference, z)), subw(sum, z),
                            subw(z, sum), addw(difference, z), subw(z, difference), addw(sum, z) } };
}

// Where some corner of the box is over the triangle, and no higher than the limit, or may be so.
AB_INLINE maskw has_corner_over(const triangle_lanes *t, const ab_axes_box *box)
{
    const f32w slop = mulw(mulw(t->slop, t->longest), splatw(2.0f));
    const f32w low = box->two_sided ? splatw(HUGE_VALF) : addw(splatw(box->limit), addw(t->slop, t->slop));
    const f32w ground = dot_of(t->corner[0], t->normal);
    corner_sums sums = along_corners(t, t->normal);
    f32w past[8];
    for (int i = 0; i < 8; ++i)
    {
        // a corner that is too high counts as one past an edge
        past[i] = pickw(gtw(mulw(subw(sums.of[i], ground), t->inverse), low), splatw(HUGE_VALF), splatw(-HUGE_VALF));
    }
    for (int j = 0; j < 3; ++j)
    {
        f32w outward[3];
        outward_of(t, j, outward);
        const f32w edge = dot_of(outward, t->corner[j]);
        sums = along_corners(t, outward);
        for (int i = 0; i < 8; ++i)
        {
            past[i] = maxw(mulw(subw(sums.of[i], edge), t->inverse), past[i]);
        }
    }
    const f32w least = minw(minw(minw(past[0], past[1]), minw(past[2], past[3])),
                            minw(minw(past[4], past[5]), minw(past[6], past[7])));
    return notm(gtw(least, slop));
}

// All lanes' bounds along the axes across their edges and the box's axes. Along such an axis the edge is at `at`, and
// the third corner as far away as the normal is long.
AB_INLINE void along_edges(const triangle_lanes *t, axis_bounds along[9])
{
    const f32w slop = mulw(mulw(t->size, t->size), splatw(EDGE_SLOP));
    f32w apart[3], middle[3];
    for (int k = 0; k < 3; ++k)
    {
        middle[k] = mulw(t->normal[k], splatw(0.5f));
        apart[k] = absw(middle[k]);
    }
    for (int j = 0; j < 3; ++j)
    {
        const f32w *edge = t->edge[j], *from = t->corner[j];
        f32w size[3], square[3];
        for (int k = 0; k < 3; ++k)
        {
            size[k] = absw(edge[k]);
            square[k] = mulw(edge[k], edge[k]);
        }
        for (int k = 0; k < 3; ++k)
        {
            const int u = (k + 1) % 3, v = (k + 2) % 3;
            const f32w inverse = inverse_length(addw(square[u], square[v]));
            const f32w at = subw(mulw(from[v], edge[u]), mulw(from[u], edge[v]));
            const f32w radius = addw(mulw(t->half[u], size[v]), mulw(t->half[v], size[u]));
            const f32w gap = subw(subw(absw(addw(at, middle[k])), apart[k]), radius);
            along[3 * j + k] = (axis_bounds){ mulw(subw(gap, slop), inverse), mulw(addw(gap, slop), inverse) };
        }
    }
}

// How far a point at the box's centre is past edge j.
AB_INLINE axis_bounds past(const triangle_lanes *t, int j)
{
    const f32w inverse = inverse_length(dot_of(t->edge[j], t->edge[j])),
               slop = mulw(mulw(t->slop, t->longest), inverse);
    f32w outward[3];
    outward_of(t, j, outward);
    const f32w at = negw(mulw(mulw(dot_of(outward, t->corner[j]), t->inverse), inverse));
    return (axis_bounds){ subw(at, slop), addw(at, slop) };
}

// Whether edge j is nearest to that point for sure, if it is past it: neither of its corners is.
AB_INLINE maskw is_along_edge(const triangle_lanes *t, int j)
{
    const f32w along = negw(dot_of(t->edge[j], t->corner[j])),
               slop = mulw(mulw(t->size, t->longest), splatw(BETWEEN_SLOP));
    return andm(gtw(along, slop), ltw(along, subw(dot_of(t->edge[j], t->edge[j]), slop)));
}

// How high the box's centre is over the triangle's plane.
AB_INLINE f32w height_of(const triangle_lanes *t)
{
    return negw(mulw(dot_of(t->corner[0], t->normal), t->inverse));
}

// All axes or none of a point, which has no faces and no edges; or an edge that is nearest to it, with AB_AXES_BESIDE.
// What is beside and above is farther than either.
AB_INLINE void point_axes(const ab_axes_box *box, const ab_axes_row *row, uint32_t first, uint32_t axes[AB_AXES_ROW])
{
    triangle_lanes t;
    axis_bounds behind;
    load_triangles(box, row, first, &t);
    lay_normal(&t);
    const f32w zero = splatw(0.0f), high = maxw(along_normal(&t, &behind).least, zero);
    const f32w enough = mulw(addw(absw(height_of(&t)), t.slop), splatw(ASIDE));
    const maskw stout = gtw(splatw(1.0f), mulw(mulw(mulw(t.longest, t.longest), t.inverse), splatw(STOUT)));
    f32w aside = zero;
    u32w out = splatu(AB_AXES_ALL);
    for (int j = 0; j < 3; ++j)
    {
        const f32w least = past(&t, j).least;
        const maskw nearest = andm(andm(stout, gtw(least, enough)), is_along_edge(&t, j));
        aside = maxw(least, aside);
        out = picku(nearest, splatu(AB_AXES_BESIDE | AB_AXES_EDGES(j)), out);
    }
    const f32w square = mulw(addw(mulw(high, high), mulw(aside, aside)), splatw(1.0f - FACE_SLOP));
    const maskw beyond = orm(gtw(square, splatw(box->limit * box->limit)), gtw(behind.least, splatw(box->behind)));
    storeu(axes + first, picku(beyond, splatu(0), out));
}

// Numbers that overflow compare false: then nothing is left out.
static void triangle_axes(const ab_axes_box *box, const ab_axes_row *row, uint32_t count, uint32_t axes[AB_AXES_ROW])
{
    const f32w limit = splatw(box->limit);
    const bool point = box->half[0] == 0.0f && box->half[1] == 0.0f && box->half[2] == 0.0f;
    for (uint32_t first = 0; first < count; first += LANES)
    {
        triangle_lanes t;
        if (point)
        {
            point_axes(box, row, first, axes);
            continue;
        }
        axis_bounds along[AXES], behind;
        load_triangles(box, row, first, &t);
        for (int k = 0; k < 3; ++k)
        {
            along[k] = along_face(&t, k);
        }
        lay_normal(&t);
        along[3] = along_normal(&t, &behind);
        along_edges(&t, along + 4);
        f32w least = splatw(-HUGE_VALF);
        maskw beside = is_beside(&t);
        for (int i = 0; i < AXES; ++i)
        {
            least = maxw(along[i].least, least);
            beside = andm(beside, ltw(along[i].most, splatw(0.0f)));
        }
        u32w without = splatu(0); // a bit for each
        for (int i = AXES; i-- > 0;)
        {
            without = countu(shlu(without, 1), ltw(along[i].most, least));
        }
        u32w some = subu(splatu(AB_AXES_ALL), without);
        some = oru(some, picku(beside, splatu(AB_AXES_BESIDE), splatu(0)));
        some = oru(some, picku(has_corner_over(&t, box), splatu(AB_AXES_CORNERS), splatu(0)));
        const maskw beyond = orm(gtw(least, limit), gtw(behind.least, splatw(box->behind)));
        storeu(axes + first, picku(beyond, splatu(0), some));
    }
}
