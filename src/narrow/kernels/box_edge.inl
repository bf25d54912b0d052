// The manifold of two boxes that touch edge to edge: one point, midway between the closest points of the two edges.
// Where their common normal is near to that of a face beside one of them, the face has more: box_face.inl.
//
// Works in the axes of a, permuted so that the edges run along axis 0 of either box. Their common normal has the
// components that the separating axis test computed, so that nearly parallel edges keep their digits.
//
// Slot: four bits that name the edge among its three parallels: sides of a along its next axes, then of b.

// Entries of edges that lean on a face of a: their code, and above that the number of the face's axis once the edge is
// axis 0. Features of their points have LEANS, and ON_B if that is the second of the two.
#define FACE_AXIS 16u
#define LEANS     0x40u
#define ON_B      0x20u

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
    relationw relation;      // of the turned sides
    f32w normal_1, normal_2; // components of their common normal along axes 1 and 2; not of unit length
    f32w other_1, other_2;   // its components along those axes of b
    f32w square;             // its squared length, also the squared sine of the angle between the edges
    v3w middle_a, middle_b;
    u32w slot;
} edgesw;

AB_INLINE u32w bit_if_negative(f32w x, int bit)
{
    return shlu(shru(bitsw(x), 31), bit);
}

AB_INLINE void lay_out_edges(const pairw *m, edgesw *e)
{
    const relationw *const r = &e->relation;
    const f32w(*c)[3] = r->cosine;
    f32w x = negw(c[2][0]), y = c[1][0];
    f32w side = addw(mulw(r->apart[1], x), mulw(r->apart[2], y));
    x = signedw(x, side);
    y = signedw(y, side);
    e->normal_1 = x;
    e->normal_2 = y;
    e->square = maxw(addw(mulw(x, x), mulw(y, y)), splatw(1e-12f));

    f32w z1 = addw(mulw(c[1][1], x), mulw(c[2][1], y)), z2 = addw(mulw(c[1][2], x), mulw(c[2][2], y));
    e->other_1 = z1;
    e->other_2 = z2;
    f32w back_1 = signedw(m->b.half[1], z1), back_2 = signedw(m->b.half[2], z2);
    e->middle_a = v3w_make(splatw(0.0f), signedw(m->a.half[1], x), signedw(m->a.half[2], y));
    e->middle_b = v3w_make(subw(r->apart[0], addw(mulw(c[0][1], back_1), mulw(c[0][2], back_2))),
                           subw(r->apart[1], addw(mulw(c[1][1], back_1), mulw(c[1][2], back_2))),
                           subw(r->apart[2], addw(mulw(c[2][1], back_1), mulw(c[2][2], back_2))));
    e->slot =
        oru(oru(bit_if_negative(x, 0), bit_if_negative(y, 1)), oru(bit_if_negative(z1, 2), bit_if_negative(z2, 3)));
}

// The midpoint of the closest points of the two edges, in the axes of a from its centre.
AB_INLINE v3w between_edges(const pairw *m, const edgesw *e)
{
    const relationw *const r = &e->relation;
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

// Turns both sides of LANES pairs with the code of two edges so that these are axis 0, and lays them out. Which axes
// they were goes to *axis_a and *axis_b.
AB_INLINE void lay_out_pair(pairw *m, u32w code, u32w *axis_a, u32w *axis_b, edgesw *e)
{
    const maskw a1 = andm(gtu(code, splatu(8)), gtu(splatu(12), code)), a2 = gtu(code, splatu(11));
    *axis_a = picku(a2, splatu(2), picku(a1, splatu(1), splatu(0)));
    *axis_b = subu(code, picku(a2, splatu(12), picku(a1, splatu(9), splatu(6))));
    turn_side(&m->a, a1, a2);
    turn_side(&m->b, equ(*axis_b, splatu(1)), equ(*axis_b, splatu(2)));
    relate(m, false, &e->relation);
    lay_out_edges(m, e);
}

// From a to b, unit.
AB_INLINE v3w normal_of_edges(const pairw *m, const edgesw *e)
{
    v3w axis = v3w_along(v3w_scale(m->a.axis[1], e->normal_1), m->a.axis[2], e->normal_2);
    return v3w_scale(axis, divw(splatw(1.0f), sqrtw(v3w_dot(axis, axis))));
}

#define LEANING 0.9924f // squared cosine: edges with a normal so near to a face's lean on it; five degrees, as of hulls

// Appends the entries that lean on a face, that of the first box where both have one, to the list of those.
AB_INLINE maskw lean(const edgesw *e, const headw *head, u32w code, u32w swapped, f32w separation, maskw listed,
                     hits *leaning)
{
    const f32w least = mulw(splatw(LEANING), e->square);
    const f32w a1 = mulw(e->normal_1, e->normal_1), a2 = mulw(e->normal_2, e->normal_2);
    const f32w b1 = mulw(e->other_1, e->other_1), b2 = mulw(e->other_2, e->other_2);
    const maskw by_a = gtw(maxw(a1, a2), least), by_b = gtw(maxw(b1, b2), least);
    const maskw on_b = orm(andm(by_b, head->swap), andnotm(by_b, by_a)), which = andm(listed, orm(by_a, by_b));
    if (anym(which))
    {
        const maskw second = gtw(pickw(on_b, b2, a2), pickw(on_b, b1, a1));
        const u32w face = picku(second, splatu(2 * FACE_AXIS), splatu(FACE_AXIS));
        append_hits(leaning, which, picku(on_b, head->proxy_b, head->proxy_a),
                    picku(on_b, head->proxy_a, head->proxy_b), oru(face, picku(on_b, swapped, code)),
                    bitsw(separation));
    }
    return which;
}

// LANES entries of the list, from i, with one point each, but for those that go to `leaning`; NULL: none does.
AB_INLINE void edge_group(const ab_batch *batch, const hits *list, uint32_t i, hits *leaning, ab_manifolds *out)
{
    const u32w code = andu(loadu(list->code + i), splatu(FACE_AXIS - 1));
    u32w axis_a, axis_b;
    pairw m;
    gather_pair(batch, list->a + i, TURN, list->b + i, TURN, &m);
    prefetch_room(out, 0);
    prefetch_room(out, LANES / 2);
    edgesw e;
    lay_out_pair(&m, code, &axis_a, &axis_b, &e);

    maskw kept = first_lanes(list->count - i);
    headw head = head_of(&m, list->a + i, list->b + i);
    head.separation = floatu(loadu(list->separation + i));
    head.normal = normal_of_edges(&m, &e);
    if (leaning)
    {
        kept = andnotm(kept, lean(&e, &head, code, swapped_edges(axis_a, axis_b), head.separation, kept, leaning));
    }

    pointw point;
    v3w middle = between_edges(&m, &e);
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
    emit_one(out, kept, &head, &point);
}
