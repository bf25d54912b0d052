// The manifold of two boxes that touch edge to edge: one point, midway between the closest points of the two edges.
//
// Works in the axes of a, permuted so that the edges run along axis 0 of either box. Their common normal has the
// components that the separating axis test computed, so that nearly parallel edges keep their digits.
//
// Slot: four bits that name the edge among its three parallels: sides of a along its next axes, then of b.

// Rotates the axes and half extents of a side so that the one that m1 and m2 pick comes first.
AB_INLINE void turn_side(sidew *side, maskw m1, maskw m2)
{
    const v3w axis[3] = { side->axis[0], side->axis[1], side->axis[2] };
    const f32w half[3] = { side->half[0], side->half[1], side->half[2] };
    for (int k = 0; k < 3; ++k)
    {
        side->axis[k] = v3w_pick_axis(m1, m2, axis, k);
        side->half[k] = pick_axis(m1, m2, half[k], half[(k + 1) % 3], half[(k + 2) % 3]);
    }
}

// Two edges in the axes of a, from the centre of a.
typedef struct edgesw
{
    f32w normal_1, normal_2; // components of their common normal along axes 1 and 2; not of unit length
    f32w square;             // its squared length, also the squared sine of the angle between the edges
    v3w middle_a, middle_b;
    u32w slot;
} edgesw;

AB_INLINE u32w bit_if_negative(f32w x, int bit)
{
    return shlu(shru(bitsw(x), 31), bit);
}

AB_INLINE void lay_out_edges(const pairw *m, const relationw *r, edgesw *e)
{
    const f32w(*c)[3] = r->cosine;
    f32w x = negw(c[2][0]), y = c[1][0];
    f32w side = addw(mulw(r->apart[1], x), mulw(r->apart[2], y));
    x = signedw(x, side);
    y = signedw(y, side);
    e->normal_1 = x;
    e->normal_2 = y;
    e->square = maxw(addw(mulw(x, x), mulw(y, y)), splatw(1e-12f));

    f32w z1 = addw(mulw(c[1][1], x), mulw(c[2][1], y)), z2 = addw(mulw(c[1][2], x), mulw(c[2][2], y));
    f32w back_1 = signedw(m->b.half[1], z1), back_2 = signedw(m->b.half[2], z2);
    e->middle_a = v3w_make(splatw(0.0f), signedw(m->a.half[1], x), signedw(m->a.half[2], y));
    e->middle_b = v3w_make(subw(r->apart[0], addw(mulw(c[0][1], back_1), mulw(c[0][2], back_2))),
                           subw(r->apart[1], addw(mulw(c[1][1], back_1), mulw(c[1][2], back_2))),
                           subw(r->apart[2], addw(mulw(c[2][1], back_1), mulw(c[2][2], back_2))));
    e->slot =
        oru(oru(bit_if_negative(x, 0), bit_if_negative(y, 1)), oru(bit_if_negative(z1, 2), bit_if_negative(z2, 3)));
}

// The midpoint of the closest points of the two edges, in the axes of a from its centre.
AB_INLINE v3w between_edges(const pairw *m, const relationw *r, const edgesw *e)
{
    const f32w half_a = m->a.half[0], half_b = m->b.half[0];
    v3w direction = v3w_make(r->cosine[0][0], r->cosine[1][0], r->cosine[2][0]); // of b's edge; a's is (1, 0, 0)
    v3w gap = v3w_sub(e->middle_b, e->middle_a);
    f32w across = addw(mulw(direction.y, gap.y), mulw(direction.z, gap.z));
    f32w on_b = clampw(negw(divw(across, e->square)), negw(half_b), half_b);
    f32w on_a = clampw(mul_addw(direction.x, on_b, gap.x), negw(half_a), half_a);
    // again from the other side, in case an end was clamped
    on_b = clampw(subw(mulw(direction.x, subw(on_a, gap.x)), across), negw(half_b), half_b);
    on_a = clampw(mul_addw(direction.x, on_b, gap.x), negw(half_a), half_a);

    v3w point_a = v3w_make(on_a, e->middle_a.y, e->middle_a.z);
    v3w point_b = v3w_along(e->middle_b, direction, on_b);
    return v3w_scale(v3w_add(point_a, point_b), splatw(0.5f));
}

// The code of an edge pair after swapping the sides: (i, j) becomes (j, i).
AB_INLINE u32w swapped_edges(u32w i, u32w j)
{
    return addu(addu(splatu(6), i), addu(j, shlu(j, 1)));
}

// LANES entries of the list, from i.
AB_INLINE void edge_group(const ab_batch *batch, const hits *list, uint32_t i, ab_manifolds *out)
{
    const u32w code = loadu(list->code + i);
    const maskw a1 = andm(gtu(code, splatu(8)), gtu(splatu(12), code)), a2 = gtu(code, splatu(11));
    const u32w axis_a = picku(a2, splatu(2), picku(a1, splatu(1), splatu(0)));
    const u32w axis_b = subu(code, picku(a2, splatu(12), picku(a1, splatu(9), splatu(6))));
    pairw m;
    gather_pair(batch, list->a + i, TURN, list->b + i, TURN, &m);
    prefetch_room(out, 0);
    prefetch_room(out, LANES / 2);
    turn_side(&m.a, a1, a2);
    turn_side(&m.b, equ(axis_b, splatu(1)), equ(axis_b, splatu(2)));
    relationw r;
    relate(&m, false, &r);
    edgesw e;
    lay_out_edges(&m, &r, &e);

    headw head = head_of(&m, list->a + i, list->b + i);
    head.separation = floatu(loadu(list->separation + i));
    v3w axis = v3w_along(v3w_scale(m.a.axis[1], e.normal_1), m.a.axis[2], e.normal_2);
    head.normal = v3w_scale(axis, divw(splatw(1.0f), sqrtw(v3w_dot(axis, axis))));

    pointw point;
    v3w middle = between_edges(&m, &r, &e);
    v3w from_centre =
        v3w_along(v3w_along(v3w_scale(m.a.axis[0], middle.x), m.a.axis[1], middle.y), m.a.axis[2], middle.z);
    v3w gap = v3w_sub(e.middle_b, e.middle_a);
    f32w scaled = addw(mulw(gap.y, e.normal_1), mulw(gap.z, e.normal_2));
    point.offset = v3w_add(head.base, from_centre);
    point.separation = reported_height(head.separation, divw(scaled, sqrtw(e.square)));
    u32w side_a = andu(e.slot, splatu(3)), side_b = shru(e.slot, 2);
    u32w own = oru(shlu(code, 8), e.slot);
    u32w swapped = oru(shlu(swapped_edges(axis_a, axis_b), 8), oru(side_b, shlu(side_a, 2)));
    point.feature = picku(head.swap, swapped, own);
    point.valid = first_lanes(LANES);
    emit_one(out, first_lanes(list->count - i), &head, &point);
}
