// A sphere, box or capsule (a) and a half-space (b): the corners, or the ends, that are lowest over its plane. Of a box
// they are those of the face that looks most at the plane.

// How high a shape's centre is over the plane.
AB_INLINE f32w height_over_plane(const pairw *m)
{
    return negw(v3w_dot(m->b.axis[1], m->between));
}

AB_INLINE headw head_over_plane(const ab_batch *batch, uint32_t i, const pairw *m, f32w separation)
{
    headw head = head_of(m, batch->a + i, batch->b + i);
    const v3w up = m->b.axis[1];
    head.normal = v3w_make(negw(up.x), negw(up.y), negw(up.z));
    head.separation = separation;
    return head;
}

// A point of the surface, from the shape's centre, at a height over the plane: the contact is half way to it.
AB_INLINE pointw point_over_plane(const headw *head, v3w at, f32w height, u32w corner, maskw valid)
{
    pointw point;
    point.offset = v3w_add(head->base, v3w_along(at, head->normal, mulw(splatw(0.5f), height)));
    point.separation = height;
    point.feature = corner;
    point.valid = valid;
    return point;
}

AB_INLINE f32w gather_sphere_over_plane(const ab_batch *batch, uint32_t i, pairw *m)
{
    gather_pair(batch, batch->a + i, SIZE, batch->b + i, TURN, m);
    return subw(height_over_plane(m), m->a.half[0]);
}

static void sphere_half_space(const ab_batch *batch, ab_manifolds *out)
{
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        prefetch_records(batch, i);
        pairw m;
        const f32w separation = gather_sphere_over_plane(batch, i, &m);
        const maskw touching = touching_at(batch, i, separation);
        if (anym(touching))
        {
            const headw head = head_over_plane(batch, i, &m, separation);
            const pointw point = ball_point(&head, m.a.half[0]);
            emit_one(out, touching, &head, &point);
        }
    }
}

static uint32_t sphere_half_space_touching(const ab_batch *batch, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        pairw m;
        count += append_touching(batch, i, gather_sphere_over_plane(batch, i, &m), out + count);
    }
    return count;
}

// A segment and a plane.
typedef struct segment_over_planew
{
    f32w height, radius, rise; // of the middle; of the end along the second axis over that
    f32w separation;
} segment_over_planew;

AB_INLINE segment_over_planew gather_capsule_over_plane(const ab_batch *batch, uint32_t i, pairw *m)
{
    segment_over_planew s;
    gather_pair(batch, batch->a + i, TURN, batch->b + i, TURN, m);
    s.radius = m->a.half[0];
    s.height = height_over_plane(m);
    s.rise = mulw(v3w_dot(m->b.axis[1], m->a.axis[1]), m->a.half[1]);
    s.separation = subw(subw(s.height, absw(s.rise)), s.radius);
    return s;
}

static void capsule_half_space(const ab_batch *batch, ab_manifolds *out)
{
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        prefetch_records(batch, i);
        pairw m;
        const segment_over_planew s = gather_capsule_over_plane(batch, i, &m);
        const maskw touching = touching_at(batch, i, s.separation);
        if (!anym(touching))
        {
            continue;
        }
        const headw head = head_over_plane(batch, i, &m, s.separation);
        const f32w limit = limit_of(batch, batch->a + i, batch->b + i), zero = splatw(0.0f);
        const maskw down = gtw(s.rise, zero); // the end along the second axis is the higher one
        const v3w along = v3w_scale(m.a.axis[1], m.a.half[1]), low = v3w_negate_where(down, along),
                  high = v3w_sub(v3w_splat(0.0f, 0.0f, 0.0f), low);
        const f32w above = subw(addw(s.height, absw(s.rise)), s.radius);
        const u32w first = picku(down, splatu(0), splatu(1));
        pointw point[2] = {
            point_over_plane(&head, v3w_along(low, head.normal, s.radius), s.separation, first, first_lanes(LANES)),
            point_over_plane(&head, v3w_along(high, head.normal, s.radius), above, picku(down, splatu(1), splatu(0)),
                             andm(gtw(m.a.half[1], zero), lew(above, limit))),
        };
        emit(out, touching, &head, point, 2);
    }
}

static uint32_t capsule_half_space_touching(const ab_batch *batch, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        pairw m;
        count += append_touching(batch, i, gather_capsule_over_plane(batch, i, &m).separation, out + count);
    }
    return count;
}

// A box and a plane.
typedef struct box_over_planew
{
    f32w height;   // of the centre
    f32w slope[3]; // of each axis
    f32w reach[3]; // of each half extent, along the normal; not negative
    f32w separation;
} box_over_planew;

// `flat`: a rectangle in the plane.
AB_INLINE box_over_planew gather_box_over_plane(const ab_batch *batch, uint32_t i, bool flat, pairw *m)
{
    box_over_planew b;
    gather_pair(batch, batch->a + i, TURN, batch->b + i, TURN, m);
    m->a.half[2] = flat ? splatw(0.0f) : m->a.half[2];
    b.height = b.separation = height_over_plane(m);
    for (uint32_t k = 0; k < 3; ++k)
    {
        b.slope[k] = v3w_dot(m->b.axis[1], m->a.axis[k]);
        b.reach[k] = absw(mulw(b.slope[k], m->a.half[k]));
        b.separation = subw(b.separation, b.reach[k]);
    }
    return b;
}

// The axis of the face that looks most at the plane: the first of equal ones.
typedef struct lowest_facew
{
    maskw second, third;
} lowest_facew;

AB_INLINE lowest_facew lowest_face_of(const box_over_planew *b, bool flat)
{
    const f32w x = absw(b->slope[0]), y = absw(b->slope[1]), z = absw(b->slope[2]);
    const maskw second = gtw(y, x), third = flat ? andnotm(second, second) : gtw(z, maxw(x, y));
    return (lowest_facew){ andnotm(second, third), third };
}

// One of the two axes along that face.
typedef struct edge_over_planew
{
    v3w down; // half the edge
    f32w rise, half;
    u32w bit; // of a corner
} edge_over_planew;

AB_INLINE edge_over_planew edge_along(const box_over_planew *b, const lowest_facew *face, const f32w half[3],
                                      const v3w down[3], uint32_t turn)
{
    const uint32_t x = turn % 3, y = (turn + 1) % 3, z = (turn + 2) % 3;
    edge_over_planew edge;
    edge.down = v3w_pick_axis(face->second, face->third, down, (int)turn);
    edge.rise = pick_axis(face->second, face->third, b->reach[x], b->reach[y], b->reach[z]);
    edge.half = pick_axis(face->second, face->third, half[x], half[y], half[z]);
    edge.bit = picku(face->third, splatu(1u << z), picku(face->second, splatu(1u << y), splatu(1u << x)));
    return edge;
}

// The axes after that of the face, and of a rectangle the one that is not z.
AB_INLINE void edges_of_face(const box_over_planew *b, const lowest_facew *face, const f32w half[3], const v3w down[3],
                             bool flat, edge_over_planew out[2])
{
    out[0] = edge_along(b, face, half, down, 1);
    out[1] = edge_along(b, face, half, down, 2);
    if (flat)
    {
        out[0].down = v3w_pick(face->second, out[1].down, out[0].down);
        out[0].rise = pickw(face->second, out[1].rise, out[0].rise);
        out[0].half = pickw(face->second, out[1].half, out[0].half);
        out[0].bit = picku(face->second, out[1].bit, out[0].bit);
    }
}

AB_INLINE void box_half_space_all(const ab_batch *batch, bool flat, ab_manifolds *out)
{
    const uint32_t most = flat ? 2 : 4;
    const f32w zero = splatw(0.0f);
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        prefetch_records(batch, i);
        pairw m;
        const box_over_planew b = gather_box_over_plane(batch, i, flat, &m);
        const maskw touching = touching_at(batch, i, b.separation);
        if (!anym(touching))
        {
            continue;
        }
        const headw head = head_over_plane(batch, i, &m, b.separation);
        const f32w limit = limit_of(batch, batch->a + i, batch->b + i);
        const lowest_facew face = lowest_face_of(&b, flat);
        v3w down[3]; // half extents, down the plane's normal
        u32w corner = splatu(0);
        for (uint32_t k = 0; k < 3; ++k)
        {
            const maskw rises = gtw(b.slope[k], zero);
            down[k] = v3w_negate_where(rises, v3w_scale(m.a.axis[k], m.a.half[k]));
            corner = oru(corner, picku(rises, splatu(0), splatu(1u << k)));
        }
        edge_over_planew edge[2];
        edges_of_face(&b, &face, m.a.half, down, flat, edge);
        const v3w lowest = v3w_add(down[0], v3w_add(down[1], down[2]));
        pointw point[4];
        AB_UNROLL
        for (uint32_t c = 0; c < most; ++c)
        {
            v3w at = lowest;
            f32w height = b.separation;
            u32w which = corner;
            maskw valid = first_lanes(LANES);
            for (uint32_t k = 0; k < 2; ++k)
            {
                if (c >> k & 1u)
                {
                    at = v3w_along(at, edge[k].down, splatw(-2.0f));
                    height = mul_addw(splatw(2.0f), edge[k].rise, height);
                    which = subu(oru(which, edge[k].bit), andu(which, edge[k].bit)); // the other end
                    valid = andm(valid, gtw(edge[k].half, zero));
                }
            }
            valid = c == 0 ? valid : andm(valid, lew(height, limit));
            point[c] = point_over_plane(&head, at, height, which, valid);
        }
        emit(out, touching, &head, point, most);
    }
}

AB_INLINE uint32_t box_half_space_touching_all(const ab_batch *batch, bool flat, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        pairw m;
        count += append_touching(batch, i, gather_box_over_plane(batch, i, flat, &m).separation, out + count);
    }
    return count;
}
