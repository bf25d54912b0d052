// Whether triangles touch a box or a ball: as triangle_axes.inl says, with what is decided by less looked at first.

#define BACKWARD 0x1p-8f  // sine: more than from where on a direction is not the face's, see triangle_fit.c
#define ALIKE    0x1p-22f // sine: less than what is level there

AB_INLINE u32w mark(maskw where, uint32_t bits)
{
    return picku(where, splatu(bits), splatu(0));
}

// What is found along axes.
typedef struct touch_axes
{
    maskw overlap, beyond;
    f32w least;      // of faces and the normal: how far the two are apart along one of these
    u32w some, back; // those that may be the way out, and those of them that lead to the triangle's back for sure
} touch_axes;

// A number's square with its sign.
AB_INLINE f32w signed_square(f32w a)
{
    return mulw(a, absw(a));
}

AB_INLINE f32w flat_of(const triangle_lanes *t)
{
    return addw(splatw(BACKWARD), divw(t->slop, t->size));
}

// The box's faces; which of them may be the way out stands in masks, too.
AB_INLINE void see_faces(const triangle_lanes *t, touch_axes *s, const axis_bounds along[4], maskw face[3])
{
    const f32w flat = flat_of(t);
    s->some = mark(notm(ltw(along[3].most, s->least)), AB_AXES_NORMAL);
    s->back = splatu(AB_AXES_NORMAL);
    s->overlap = ltw(along[3].most, splatw(0.0f));
    for (int k = 0; k < 3; ++k)
    {
        const f32w p = t->corner[0][k], q = t->corner[1][k], r = t->corner[2][k];
        const f32w middle = addw(minw(minw(p, q), r), maxw(maxw(p, q), r)), slope = mulw(t->normal[k], t->inverse);
        const maskw back = gtw(mulw(signedw(splatw(1.0f), middle), slope), flat);
        const maskw sure = gtw(absw(middle), mulw(t->size, splatw(2.0f * FACE_SLOP)));
        face[k] = notm(ltw(along[k].most, s->least));
        s->some = oru(s->some, mark(face[k], 1u << k));
        s->back = oru(s->back, mark(andm(back, sure), 1u << k));
        s->overlap = andm(s->overlap, ltw(along[k].most, splatw(0.0f)));
    }
}

// The axis across edge j and the box's axis k; squares of its length take the place of its length. One that is a
// face's is looked at with that.
AB_INLINE void see_edge(const triangle_lanes *t, touch_axes *s, const maskw face[3], f32w limit, f32w back_square,
                        int j, int k)
{
    const int u = (k + 1) % 3, v = (k + 2) % 3;
    const f32w *edge = t->edge[j], *from = t->corner[j], *third = t->corner[(j + 2) % 3];
    const f32w size_u = absw(edge[u]), size_v = absw(edge[v]), more = splatw(1.0f + FACE_SLOP);
    const f32w across = addw(mulw(edge[u], edge[u]), mulw(edge[v], edge[v]));
    const f32w p = subw(mulw(from[v], edge[u]), mulw(from[u], edge[v])),
               q = subw(mulw(third[v], edge[u]), mulw(third[u], edge[v])), middle = addw(p, q);
    const f32w radius = addw(mulw(t->half[u], size_v), mulw(t->half[v], size_u));
    const f32w apart = subw(maxw(minw(p, q), negw(maxw(p, q))), radius);
    const f32w slop = mulw(mulw(t->size, t->size), splatw(EDGE_SLOP)), most = addw(apart, slop);
    s->overlap = andm(s->overlap, ltw(most, splatw(0.0f)));
    s->beyond = orm(s->beyond, gtw(signed_square(subw(apart, slop)), mulw(mulw(mulw(limit, limit), across), more)));
    const f32w least = mulw(signed_square(s->least), across), lower = subw(least, mulw(absw(least), splatw(FACE_SLOP)));
    const f32w lean = subw(mulw(edge[u], t->normal[v]), mulw(edge[v], t->normal[u]));
    const maskw back = gtw(signed_square(mulw(signedw(splatw(1.0f), middle), lean)), mulw(back_square, across));
    const maskw sure = gtw(absw(middle), addw(slop, slop)), one = lew(size_u, mulw(size_v, splatw(ALIKE))),
                other = lew(size_v, mulw(size_u, splatw(ALIKE)));
    const maskw alike = orm(andm(one, face[u]), andm(other, face[v]));
    s->some = oru(s->some, mark(notm(ltw(signed_square(most), lower)), AB_AXES_EDGE(j, k)));
    s->back = oru(s->back, mark(orm(andm(back, sure), alike), AB_AXES_EDGE(j, k)));
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

// A ball whose centre is behind has its way out there, but for what is level with it. What is beside and above is
// farther than either.
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
    axis_bounds along[4], unused;
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
    maskw face[3];
    touch_axes a = { .beyond = s.beyond, .least = s.least };
    const f32w flat = mulw(flat_of(&s.t), splatw(1.0f + FACE_SLOP)), area = dot_of(s.t.normal, s.t.normal);
    along[3] = along_normal(&s.t, &unused);
    see_faces(&s.t, &a, along, face);
    AB_UNROLL
    for (int j = 0; j < 3; ++j)
    {
        AB_UNROLL
        for (int k = 0; k < 3; ++k)
        {
            see_edge(&s.t, &a, face, splatw(box->limit), mulw(mulw(flat, flat), area), j, k);
        }
    }
    const maskw overlap = orm(a.overlap, corner); // where an edge is nearly along an axis of the box, bounds are wide
    if (exact && anym(andm(overlap, may)))
    {
        return true;
    }
    const u32w ahead = subu(a.some, andu(a.some, a.back)), behind = oru(splatu(AB_AXES_BEHIND), shlu(ahead, 16));
    const u32w out = oru(a.some, picku(andm(overlap, s.behind), behind, splatu(0)));
    storeu(axes + first, picku(a.beyond, splatu(0), out));
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
