// Whether triangles touch a box or a ball: as triangle_axes.inl says, with what is decided by less looked at first.

#define BACKWARD 0x1p-8f // sine: more than from where on a direction is not the face's, see triangle_fit.c

AB_INLINE u32w mark(maskw where, uint32_t bits)
{
    return picku(where, splatu(bits), splatu(0));
}

// The axes that lead to the triangle's back for sure: the surface has no such normal there.
AB_INLINE u32w backward_axes(const triangle_lanes *t)
{
    const f32w flat = addw(splatw(BACKWARD), divw(t->slop, t->size));
    u32w out = splatu(AB_AXES_NORMAL);
    for (int k = 0; k < 3; ++k)
    {
        const f32w p = t->corner[0][k], q = t->corner[1][k], r = t->corner[2][k];
        const f32w middle = addw(minw(minw(p, q), r), maxw(maxw(p, q), r)), slope = mulw(t->normal[k], t->inverse);
        const maskw back = gtw(mulw(signedw(splatw(1.0f), middle), slope), flat);
        const maskw sure = gtw(absw(middle), mulw(t->size, splatw(2.0f * FACE_SLOP)));
        out = oru(out, mark(andm(back, sure), 1u << k));
    }
    for (int j = 0; j < 3; ++j)
    {
        for (int k = 0; k < 3; ++k)
        {
            const int u = (k + 1) % 3, v = (k + 2) % 3;
            const f32w *edge = t->edge[j], *from = t->corner[j], *third = t->corner[(j + 2) % 3];
            const f32w across = addw(mulw(edge[u], edge[u]), mulw(edge[v], edge[v])), inverse = inverse_length(across);
            const f32w p = subw(mulw(from[v], edge[u]), mulw(from[u], edge[v])),
                       q = subw(mulw(third[v], edge[u]), mulw(third[u], edge[v])), middle = addw(p, q);
            const f32w slope =
                mulw(mulw(subw(mulw(edge[u], t->normal[v]), mulw(edge[v], t->normal[u])), inverse), t->inverse);
            const maskw back = gtw(mulw(signedw(splatw(1.0f), middle), slope), flat);
            const maskw sure = gtw(absw(middle), mulw(mulw(t->size, t->size), splatw(2.0f * EDGE_SLOP)));
            out = oru(out, mark(andm(back, sure), AB_AXES_EDGE(j, k)));
        }
    }
    return out;
}

// Whether a corner of the triangle is in the box for sure.
AB_INLINE maskw has_corner(const triangle_lanes *t)
{
    const f32w slop = mulw(t->size, splatw(FACE_SLOP));
    maskw any = notm(first_lanes(LANES));
    for (int j = 0; j < 3; ++j)
    {
        maskw in = first_lanes(LANES);
        for (int k = 0; k < 3; ++k)
        {
            in = andm(in, ltw(absw(t->corner[j][k]), subw(t->half[k], slop)));
        }
        any = orm(any, in);
    }
    return any;
}

// What is known of a row before all axes are looked at.
typedef struct touch_lanes
{
    triangle_lanes t;
    f32w height, least; // of the centre over the plane; how far the two are apart at least
    maskw front, behind, beyond;
} touch_lanes;

AB_INLINE void look_at_planes(touch_lanes *s, const ab_axes_box *box, const ab_axes_row *row, uint32_t first)
{
    axis_bounds behind;
    load_triangles(box, row, first, &s->t);
    lay_normal(&s->t);
    s->height = height_of(&s->t);
    s->front = gtw(box->two_sided ? absw(s->height) : s->height, s->t.slop);
    s->behind = box->two_sided ? notm(first_lanes(LANES)) : ltw(s->height, negw(s->t.slop));
    s->least = along_normal(&s->t, &behind).least;
    s->beyond = orm(gtw(s->least, splatw(box->limit)), gtw(behind.least, splatw(box->behind)));
}

// A ball whose centre is behind has its way out there, but for what is level with it. What is beside and above is farther
// than either.
AB_INLINE bool touch_ball(const ab_axes_box *box, const ab_axes_row *row, uint32_t first, maskw lanes, uint32_t *axes)
{
    touch_lanes s;
    look_at_planes(&s, box, row, first);
    const f32w zero = splatw(0.0f), inner = subw(splatw(box->rounding), mulw(s.t.size, splatw(FACE_SLOP)));
    const f32w square = mulw(mulw(inner, inner), splatw(1.0f - FACE_SLOP));
    const maskw reaches = andm(lanes, andm(s.front, gtw(inner, zero)));
    maskw corner = notm(lanes);
    for (int j = 0; j < 3; ++j)
    {
        corner = orm(corner, ltw(dot_of(s.t.corner[j], s.t.corner[j]), square));
    }
    if (anym(andm(reaches, corner)))
    {
        return true;
    }
    const maskw back = andm(s.behind, ltw(s.height, negw(addw(splatw(BACKWARD * box->limit), s.t.slop))));
    u32w out = oru(splatu(AB_AXES_ALL), mark(back, AB_AXES_BEHIND));
    if (anym(andnotm(lanes, orm(back, s.beyond))))
    {
        const f32w high = maxw(s.least, zero);
        maskw over = reaches;
        f32w aside = zero;
        for (int j = 0; j < 3; ++j)
        {
            const axis_bounds beside = past(&s.t, j);
            aside = maxw(beside.least, aside);
            over = andm(over, ltw(beside.most, zero));
        }
        if (anym(andm(over, ltw(addw(absw(s.height), s.t.slop), inner))))
        {
            return true;
        }
        const f32w far = mulw(addw(mulw(high, high), mulw(aside, aside)), splatw(1.0f - FACE_SLOP));
        s.beyond = orm(s.beyond, andnotm(gtw(far, splatw(box->limit * box->limit)), back));
    }
    storeu(axes + first, picku(s.beyond, splatu(0), out));
    return false;
}

AB_INLINE bool touch_box(const ab_axes_box *box, const ab_axes_row *row, uint32_t first, maskw lanes, bool exact,
                         uint32_t *axes)
{
    touch_lanes s;
    axis_bounds along[AXES], unused;
    look_at_planes(&s, box, row, first);
    for (int k = 0; k < 3; ++k)
    {
        along[k] = along_face(&s.t, k);
        s.least = maxw(along[k].least, s.least);
    }
    s.beyond = orm(s.beyond, gtw(s.least, splatw(box->limit)));
    const maskw may = andm(lanes, s.front), corner = has_corner(&s.t);
    if (exact && anym(andm(may, corner)))
    {
        return true;
    }
    if (!anym(andnotm(lanes, s.beyond)))
    {
        storeu(axes + first, splatu(0));
        return false;
    }
    along[3] = along_normal(&s.t, &unused);
    for (int j = 0; j < 3; ++j)
    {
        for (int k = 0; k < 3; ++k)
        {
            along[4 + 3 * j + k] = along_edge(&s.t, j, k);
        }
    }
    maskw overlap = lanes;
    for (int i = 0; i < AXES; ++i)
    {
        s.least = maxw(along[i].least, s.least);
        overlap = andm(overlap, ltw(along[i].most, splatw(0.0f)));
    }
    overlap = orm(overlap, corner); // where an edge is nearly along an axis of the box, bounds are wide
    if (exact && anym(andm(overlap, may)))
    {
        return true;
    }
    u32w some = splatu(0);
    for (int i = 0; i < AXES; ++i)
    {
        some = oru(some, picku(ltw(along[i].most, s.least), splatu(0), splatu(1u << i)));
    }
    const maskw behind = andm(overlap, s.behind);
    const u32w back = backward_axes(&s.t), ahead = subu(some, andu(some, back));
    some = oru(some, picku(behind, oru(splatu(AB_AXES_BEHIND), shlu(ahead, 16)), splatu(0)));
    s.beyond = orm(s.beyond, gtw(s.least, splatw(box->limit)));
    storeu(axes + first, picku(s.beyond, splatu(0), some));
    return false;
}

// Numbers that overflow compare false: then nothing is left out, and nothing is sure.
static bool triangle_touch(const ab_axes_box *box, const ab_axes_row *row, uint32_t count, bool exact,
                           uint32_t axes[AB_AXES_ROW])
{
    const bool point = box->half[0] == 0.0f && box->half[1] == 0.0f && box->half[2] == 0.0f;
    for (uint32_t first = 0; first < count; first += LANES)
    {
        const maskw lanes = first_lanes(count - first);
        if (point ? touch_ball(box, row, first, lanes, axes) : touch_box(box, row, first, lanes, exact, axes))
        {
            return true;
        }
    }
    return false;
}
