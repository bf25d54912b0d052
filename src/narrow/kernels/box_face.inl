// The manifold of two boxes that touch with a face: clips the incident face, the face of the other box most opposed to
// the reference face, against the reference face, and keeps up to four of at most eight points.
//
// Works in the reference face's own frame: u and v along it from the box's centre, w the height above it. Two edges
// whose common normal leans little from that of a face make such a contact, too, on the face beside the edge: then the
// heights are along the common normal, and what is above a point of the face is so along it. The candidates have twelve
// fixed slots: 0-7 the ends of the four incident edges after clipping (Y.-D. Liang, B. Barsky, 1984), 8-11 the corners
// of the reference face under the incident one. Slots 12-15 name a corner of the incident face, used when there is no
// candidate. Features have the axis of the incident face, too: the slots of another face are elsewhere.

// The reference face and the incident one, in the reference frame.
typedef struct facesw
{
    v3w normal, u, v; // the frame in the world; the normal points to the other box
    f32w half_n, half_u, half_v;
    v3w centre;            // of the incident face
    v3w along[2];          // from there to the middles of two of its sides
    v3w plane;             // its normal
    f32w slope_u, slope_v; // of its plane, downward
    f32w slop;             // smaller distances in the plane are rounding
    maskw second, third;   // the incident face's is the second or, whether it is that or not, the third axis of its box
} facesw;

// Chooses the incident face among those of q: largest |cosine| with the normal, the lowest of equal axes.
AB_INLINE void choose_incident(const sidew *q, v3w apart, facesw *f)
{
    v3w turned[3]; // the axes of q in the frame (u, v, normal)
    for (int k = 0; k < 3; ++k)
    {
        turned[k] = v3w_make(v3w_dot(f->u, q->axis[k]), v3w_dot(f->v, q->axis[k]), v3w_dot(f->normal, q->axis[k]));
    }
    f32w c0 = absw(turned[0].z), c1 = absw(turned[1].z), c2 = absw(turned[2].z);
    maskw k1 = gtw(c1, c0);
    maskw k2 = gtw(c2, maxw(c1, c0));
    f->second = k1;
    f->third = k2;
    f->plane = v3w_pick_axis(k1, k2, turned, 0);
    v3w across_1 = v3w_pick_axis(k1, k2, turned, 1), across_2 = v3w_pick_axis(k1, k2, turned, 2);
    f->along[0] = v3w_scale(across_1, pick_axis(k1, k2, q->half[1], q->half[2], q->half[0]));
    f->along[1] = v3w_scale(across_2, pick_axis(k1, k2, q->half[2], q->half[0], q->half[1]));

    f32w half = pick_axis(k1, k2, q->half[0], q->half[1], q->half[2]);
    v3w box = v3w_make(v3w_dot(f->u, apart), v3w_dot(f->v, apart), v3w_dot(f->normal, apart));
    f->centre = v3w_add(box, v3w_scale(f->plane, signedw(half, negw(f->plane.z))));
    f->centre.z = subw(f->centre.z, f->half_n);
    f32w inverse = divw(splatw(1.0f), f->plane.z);
    f->slope_u = mulw(f->plane.x, inverse);
    f->slope_v = mulw(f->plane.y, inverse);
}

// p is the box of the reference face, `axis` its number; `apart` runs from p's centre to q's. The face looks in the
// direction `to`.
AB_INLINE void lay_out_faces(const sidew *p, const sidew *q, v3w apart, v3w to, u32w axis, facesw *f)
{
    maskw a1 = equ(axis, splatu(1)), a2 = equ(axis, splatu(2));
    f->normal = v3w_pick_axis(a1, a2, p->axis, 0);
    f->u = v3w_pick_axis(a1, a2, p->axis, 1);
    f->v = v3w_pick_axis(a1, a2, p->axis, 2);
    f->half_n = pick_axis(a1, a2, p->half[0], p->half[1], p->half[2]);
    f->half_u = pick_axis(a1, a2, p->half[1], p->half[2], p->half[0]);
    f->half_v = pick_axis(a1, a2, p->half[2], p->half[0], p->half[1]);
    f->normal = v3w_signed(f->normal, v3w_dot(f->normal, to));
    choose_incident(q, apart, f);

    f32w incident =
        addw(addw(absw(f->along[0].x), absw(f->along[0].y)), addw(absw(f->along[1].x), absw(f->along[1].y)));
    // beside a face some 4,000 times larger, a fraction of the smaller face: it keeps its four corners
    f32w across = addw(f->half_u, f->half_v);
    f->slop = minw(mulw(splatw(0x1p-18f), addw(across, incident)), mulw(splatw(0x1p-6f), minw(across, incident)));
}

#include "narrow/kernels/box_points.inl"

// Clips the edge middle + t along, t in [-1, 1], against the face grown by the slop: flush edges survive rounding. A
// corner of the incident face belongs to two edges; `keep_end` says which end is a candidate here even if nothing was
// clipped.
AB_INLINE void clip_edge(const facesw *f, v3w middle, v3w along, f32w inverse_u, f32w inverse_v, bool keep_end,
                         fieldw *field, uint32_t slot)
{
    const f32w one = splatw(1.0f), minus_one = splatw(-1.0f);
    f32w limit_u = addw(f->half_u, f->slop), limit_v = addw(f->half_v, f->slop);
    f32w u0 = mulw(subw(negw(limit_u), middle.x), inverse_u), u1 = mulw(subw(limit_u, middle.x), inverse_u);
    f32w v0 = mulw(subw(negw(limit_v), middle.y), inverse_v), v1 = mulw(subw(limit_v, middle.y), inverse_v);
    f32w enter = maxw(minus_one, maxw(minw(u0, u1), minw(v0, v1)));
    f32w leave = minw(one, minw(maxw(u0, u1), maxw(v0, v1)));

    maskw inside = lew(enter, leave), lasts = ltw(enter, leave);
    add_candidate(field, slot, v3w_along(middle, along, enter), keep_end ? andm(lasts, gtw(enter, minus_one)) : inside);
    add_candidate(field, slot + 1, v3w_along(middle, along, leave), keep_end ? inside : andm(lasts, ltw(leave, one)));
}

AB_INLINE void clip_edges(const facesw *f, fieldw *field)
{
    const v3w *e = f->along;
    f32w inverse_u0 = steep_inverse(e[0].x), inverse_v0 = steep_inverse(e[0].y);
    f32w inverse_u1 = steep_inverse(e[1].x), inverse_v1 = steep_inverse(e[1].y);
    // around the face: each edge keeps the corner at its end
    clip_edge(f, v3w_sub(f->centre, e[1]), e[0], inverse_u0, inverse_v0, true, field, 0);
    clip_edge(f, v3w_add(f->centre, e[0]), e[1], inverse_u1, inverse_v1, true, field, 2);
    clip_edge(f, v3w_add(f->centre, e[1]), e[0], inverse_u0, inverse_v0, false, field, 4);
    clip_edge(f, v3w_sub(f->centre, e[0]), e[1], inverse_u1, inverse_v1, false, field, 6);
}

// Adds the corners of the reference face well inside the incident one (nearer its border a clipped edge is a
// candidate), at the height of its plane.
AB_INLINE void take_corners(const facesw *f, fieldw *field)
{
    const v3w e = f->along[0], g = f->along[1];
    f32w half_slop = mulw(splatw(0.5f), f->slop);
    f32w area = absw(subw(mulw(e.x, g.y), mulw(e.y, g.x)));
    f32w room_g = subw(area, mulw(half_slop, addw(absw(g.x), absw(g.y))));
    f32w room_e = subw(area, mulw(half_slop, addw(absw(e.x), absw(e.y))));
    for (uint32_t c = 0; c < 4; ++c)
    {
        f32w u = c & 1 ? f->half_u : negw(f->half_u), v = c & 2 ? f->half_v : negw(f->half_v);
        f32w x = subw(u, f->centre.x), y = subw(v, f->centre.y);
        f32w beside_g = absw(subw(mulw(x, g.y), mulw(y, g.x)));
        f32w beside_e = absw(subw(mulw(e.x, y), mulw(e.y, x)));
        f32w w = subw(f->centre.z, addw(mulw(f->slope_u, x), mulw(f->slope_v, y)));
        add_candidate(field, 8 + c, v3w_make(u, v, w), andm(ltw(beside_g, room_g), ltw(beside_e, room_e)));
    }
}

// The height of the incident plane over a point of the reference plane.
AB_INLINE f32w height_at(const facesw *f, f32w u, f32w v)
{
    return subw(f->centre.z, addw(mulw(f->slope_u, subw(u, f->centre.x)), mulw(f->slope_v, subw(v, f->centre.y))));
}

// Stores the point halfway between the faces, along the contact's normal.
AB_INLINE void store_choice(const facesw *f, const headw *head, bool leans, const choicew *choice, uint32_t k,
                            const rowsw *rows)
{
    f32w u = clampw(choice->u, negw(f->half_u), f->half_u), v = clampw(choice->v, negw(f->half_v), f->half_v);
    f32w height = height_at(f, choice->u, choice->v), half = mulw(splatw(0.5f), height);
    f32w middle = leans ? f->half_n : mul_addw(splatw(0.5f), height, f->half_n);
    v3w from_centre = v3w_along(v3w_along(v3w_scale(f->normal, middle), f->u, u), f->v, v);
    from_centre = leans ? v3w_along(from_centre, head->normal, half) : from_centre;
    store_point(rows, k, v3w_add(head->base, from_centre), reported_height(head->separation, height));
}

// The bits of a feature that name the incident face: the number of its axis times 16, of edges that lean in bits 4 and
// 7.
AB_INLINE u32w incident_bits(const facesw *f, bool leans)
{
    return picku(f->third, splatu(leans ? 0x80u : 0x20u), picku(f->second, splatu(0x10u), splatu(0)));
}

// Slides what is above the face along a direction of the frame down to the face; its height is along that, too.
AB_INLINE v3w slid(v3w at, v3w along, f32w inverse)
{
    const f32w height = mulw(at.z, inverse);
    return v3w_make(subw(at.x, mulw(height, along.x)), subw(at.y, mulw(height, along.y)), height);
}

AB_INLINE void lean_faces(v3w normal, facesw *f)
{
    const v3w along = v3w_make(v3w_dot(f->u, normal), v3w_dot(f->v, normal), v3w_dot(f->normal, normal));
    const f32w inverse = divw(splatw(1.0f), along.z);
    f->centre = slid(f->centre, along, inverse);
    f->along[0] = slid(f->along[0], along, inverse);
    f->along[1] = slid(f->along[1], along, inverse);
    const f32w steep = steep_inverse(v3w_dot(f->plane, along));
    f->slope_u = mulw(f->plane.x, steep);
    f->slope_v = mulw(f->plane.y, steep);
}

#define MISSED                                                                                                         \
    4.0f // slops: where the deepest point of the faces misses that of the edges by more, those have one point

// The entries whose deepest point is that of the edges. Where the faces do not meet, it is a corner somewhere.
AB_INLINE maskw finds_deepest(const facesw *f, const choicew *deepest, f32w separation)
{
    const f32w height = height_at(f, deepest->u, deepest->v);
    return andm(gtu(splatu(12), deepest->slot), lew(absw(subw(height, separation)), mulw(splatw(MISSED), f->slop)));
}

// What a group makes of its entries. Faces return those that need the slower choice of four points: pass them again
// with FACES_THOROUGH. Leaning edges return those that have one point.
typedef enum facing
{
    FACES_QUICK,
    FACES_THOROUGH,
    EDGES_LEAN
} facing;

// LANES entries of the list, from i. Side a here is the box of the reference face.
BOX_BOX_BODY maskw face_group(const ab_batch *batch, const hits *list, uint32_t i, facing what, ab_manifolds *out)
{
    const bool leans = what == EDGES_LEAN;
    const u32w code = loadu(list->code + i), proxy_a = loadu(list->a + i), proxy_b = loadu(list->b + i);
    const maskw on_b = leans ? first_lanes(0) : gtu(code, splatu(2));
    const u32w axis = leans ? shru(code, 4) : subu(code, picku(on_b, splatu(3), splatu(0)));
    uint32_t reference[LANES], incident[LANES];
    storeu(reference, picku(on_b, proxy_b, proxy_a));
    storeu(incident, picku(on_b, proxy_a, proxy_b));

    pairw m;
    gather_pair(batch, reference, TURN, incident, TURN, &m);
    prefetch_room(out, 0);
    facesw f;
    v3w normal = m.between;
    u32w axis_a = axis, axis_b = axis;
    if (leans)
    {
        edgesw e;
        lay_out_pair(&m, andu(code, splatu(FACE_AXIS - 1)), &axis_a, &axis_b, &e);
        normal = normal_of_edges(&m, &e);
    }
    lay_out_faces(&m.a, &m.b, m.between, normal, axis, &f);
    if (leans)
    {
        lean_faces(normal, &f);
    }
    prefetch_room(out, LANES / 2);
    fieldw field;
    // what touches has points, though rounding may say of heights that they are a little more than the separation
    const f32w least = mul_addw(f.slop, splatw(0x1p-4f), floatu(loadu(list->separation + i)));
    begin_field(&f, maxw(limit_of(batch, reference, incident), least), &field);
    clip_edges(&f, &field);
    prefetch_room(out, LANES);
    take_corners(&f, &field);
    prefetch_room(out, 3 * LANES / 2);
    choicew chosen[AB_MAX_POINTS];
    maskw wanted = first_lanes(list->count - i);
    maskw poor = choose_points(&f, &field, what == FACES_THOROUGH, chosen);

    headw head = head_of(&m, reference, incident);
    head.normal = leans ? normal : f.normal;
    head.separation = floatu(loadu(list->separation + i));
    u32w face = shlu(addu(axis, picku(head.swap, splatu(3), splatu(0))), 8);
    if (leans)
    {
        const u32w edges = picku(head.swap, swapped_edges(axis_a, axis_b), andu(code, splatu(FACE_AXIS - 1)));
        face = oru(shlu(edges, 8), picku(head.swap, splatu(LEANS | ON_B), splatu(LEANS)));
        poor = notm(finds_deepest(&f, &chosen[0], head.separation));
    }
    face = oru(face, incident_bits(&f, leans));
    rowsw rows;
    u32w feature[4];
    take_rows(out, andnotm(wanted, poor), pack_choices(chosen), 4, &rows);
    AB_UNROLL
    for (uint32_t k = 0; k < 4; ++k)
    {
        const uint32_t from_third = (k + 2) % 4;
        store_choice(&f, &head, leans, &chosen[from_third], from_third, &rows);
        feature[k] = oru(face, chosen[k].slot);
    }
    store_heads(&rows, &head, feature, 4);
    return andm(wanted, poor);
}
