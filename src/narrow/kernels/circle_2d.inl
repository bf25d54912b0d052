// A circle (a) and a rectangle or a capsule (b). From outside, the normal points from the circle's centre to the
// closest point of the rectangle. From inside, the way out is through the nearest side, the lower of equal axes.

// The gap between the two, in the rectangle's axes.
AB_INLINE ball_gapw circle_rect_gap(const pairw *m)
{
    const f32w zero = splatw(0.0f), half_x = m->b.half[0], half_y = m->b.half[1];
    const f32w x = negw(flat_dot(m->b.axis[0], m->between)), y = negw(flat_dot(m->b.axis[1], m->between));
    const f32w to_x = subw(clampw(x, negw(half_x), half_x), x), to_y = subw(clampw(y, negw(half_y), half_y), y);
    const f32w square = addw(mulw(to_x, to_x), mulw(to_y, to_y)), distance = sqrtw(square);
    const f32w depth_x = subw(half_x, absw(x)), depth_y = subw(half_y, absw(y));
    const maskw on_y = ltw(depth_y, depth_x);

    // adding zero makes -0 count as the positive side
    const f32w inward_x = negw(signedw(splatw(1.0f), addw(x, zero)));
    const f32w inward_y = negw(signedw(splatw(1.0f), addw(y, zero)));
    const maskw outside = gtw(square, splatw(1e-30f));
    const f32w inverse = divw(splatw(1.0f), pickw(outside, distance, splatw(1.0f)));
    ball_gapw gap;
    gap.normal = flat(pickw(outside, mulw(to_x, inverse), pickw(on_y, zero, inward_x)),
                      pickw(outside, mulw(to_y, inverse), pickw(on_y, inward_y, zero)));
    gap.separation = subw(pickw(outside, distance, negw(minw(depth_y, depth_x))), m->a.half[0]);
    return gap;
}

typedef enum rect_form
{
    RECT_AABB,
    RECT_OBB,
    RECT_CAPSULE // a rectangle without width, rounded
} rect_form;

// Gathers the group at i. Returns its gap, in the rectangle's axes.
AB_INLINE ball_gapw gather_circle_rect(const ab_batch *batch, uint32_t i, rect_form form, pairw *m)
{
    gather_flat_pair(batch, batch->a + i, SIZE, batch->b + i, form == RECT_AABB ? SIZE : TURN, m);
    f32w radius = splatw(0.0f);
    if (form == RECT_CAPSULE)
    {
        radius = m->b.half[0];
        m->b.half[0] = splatw(0.0f);
    }
    ball_gapw gap = circle_rect_gap(m);
    gap.separation = subw(gap.separation, radius); // a rectangle's radius of zero changes no bit
    return gap;
}

AB_INLINE v3w rect_to_world(const sidew *side, f32w x, f32w y)
{
    const v3w *axis = side->axis;
    return flat(addw(mulw(axis[0].x, x), mulw(axis[1].x, y)), addw(mulw(axis[0].y, x), mulw(axis[1].y, y)));
}

AB_INLINE void circle_rect(const ab_batch *batch, rect_form form, ab_manifolds *out)
{
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        prefetch_records(batch, i);
        pairw m;
        const ball_gapw gap = gather_circle_rect(batch, i, form, &m);
        const maskw touching = touching_at(batch, i, gap.separation);
        if (!anym(touching))
        {
            continue;
        }
        headw head = head_of(&m, batch->a + i, batch->b + i);
        head.normal = rect_to_world(&m.b, gap.normal.x, gap.normal.y);
        head.separation = gap.separation;
        pointw point = ball_point(&head, m.a.half[0]);
        emit_one(out, touching, &head, &point);
    }
}

AB_INLINE uint32_t circle_rect_touching(const ab_batch *batch, rect_form form, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        prefetch_records(batch, i);
        pairw m;
        count += append_touching(batch, i, gather_circle_rect(batch, i, form, &m).separation, out + count);
    }
    return count;
}

static void circle_aabb(const ab_batch *batch, ab_manifolds *out)
{
    circle_rect(batch, RECT_AABB, out);
}

static void circle_obb(const ab_batch *batch, ab_manifolds *out)
{
    circle_rect(batch, RECT_OBB, out);
}

static uint32_t circle_aabb_touching(const ab_batch *batch, uint32_t *out)
{
    return circle_rect_touching(batch, RECT_AABB, out);
}

static uint32_t circle_obb_touching(const ab_batch *batch, uint32_t *out)
{
    return circle_rect_touching(batch, RECT_OBB, out);
}

static void circle_capsule(const ab_batch *batch, ab_manifolds *out)
{
    circle_rect(batch, RECT_CAPSULE, out);
}

static uint32_t circle_capsule_touching(const ab_batch *batch, uint32_t *out)
{
    return circle_rect_touching(batch, RECT_CAPSULE, out);
}
