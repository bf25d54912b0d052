// A sphere (a) and a box or a capsule (b). From outside, the normal points from the sphere's centre to the closest
// point of the box. From inside, the way out is through the nearest face, the lowest of equal axes. Boxes without
// extent along some axes need no special case; a centre inside a flat box leaves along its lowest flat axis.
//
// A capsule (b) is a box without extent along x and z, its segment, with a radius: the same gap, less that radius.

typedef enum box_form
{
    BOX_AABB,
    BOX_OBB,
    BOX_CAPSULE
} box_form;

// The centre of the sphere in the box's own axes.
AB_INLINE v3w centre_in_box(const pairw *m, bool turned)
{
    v3w centre = v3w_make(negw(m->between.x), negw(m->between.y), negw(m->between.z));
    if (!turned)
    {
        return centre;
    }
    return v3w_make(v3w_dot(m->b.axis[0], centre), v3w_dot(m->b.axis[1], centre), v3w_dot(m->b.axis[2], centre));
}

AB_INLINE v3w box_to_world(const pairw *m, bool turned, v3w v)
{
    return turned ? side_to_world(&m->b, v) : v;
}

// A component, in the box's axes, of the inward normal of the face to leave through; zero counts as the positive side.
AB_INLINE f32w inward(maskw through, f32w centre)
{
    const f32w zero = splatw(0.0f);
    return negw(signedw(keepw(through, splatw(1.0f)), addw(centre, zero))); // adding zero makes -0 the positive side
}

AB_INLINE ball_gapw sphere_box_gap(const pairw *m, bool turned)
{
    const f32w *half = m->b.half;
    v3w centre = centre_in_box(m, turned);
    v3w closest = v3w_make(clampw(centre.x, negw(half[0]), half[0]), clampw(centre.y, negw(half[1]), half[1]),
                           clampw(centre.z, negw(half[2]), half[2]));
    v3w to_box = v3w_sub(closest, centre);
    f32w square = v3w_dot(to_box, to_box), distance = sqrtw(square);
    maskw outside = gtw(square, splatw(1e-30f));
    f32w inverse = divw(splatw(1.0f), pickw(outside, distance, splatw(1.0f)));

    // the face through which the centre leaves the box soonest
    f32w depth_x = subw(half[0], absw(centre.x));
    f32w depth_y = subw(half[1], absw(centre.y));
    f32w depth_z = subw(half[2], absw(centre.z));
    f32w least = minw(depth_y, depth_x), depth = minw(depth_z, least);
    maskw on_z = ltw(depth_z, least), on_y = andnotm(ltw(depth_y, depth_x), on_z), on_x = notm(orm(on_y, on_z));

    v3w way_out = v3w_make(inward(on_x, centre.x), inward(on_y, centre.y), inward(on_z, centre.z));
    ball_gapw gap;
    gap.normal = v3w_pick(outside, v3w_scale(to_box, inverse), way_out);
    gap.separation = subw(pickw(outside, distance, negw(depth)), m->a.half[0]);
    return gap;
}

// Gathers the group at i. Returns its gap, in the box's axes.
AB_INLINE ball_gapw gather_sphere_box(const ab_batch *batch, uint32_t i, box_form form, pairw *m)
{
    gather_pair(batch, batch->a + i, SIZE, batch->b + i, form == BOX_AABB ? SIZE : TURN, m);
    f32w radius = splatw(0.0f);
    if (form == BOX_CAPSULE)
    {
        radius = m->b.half[0];
        m->b.half[0] = splatw(0.0f);
        m->b.half[2] = splatw(0.0f);
    }
    ball_gapw gap = sphere_box_gap(m, form != BOX_AABB);
    gap.separation = subw(gap.separation, radius); // a box's radius of zero changes no bit
    return gap;
}

KERNEL_LOOP uint32_t sphere_box_all(const ab_batch *batch, box_form form, bool writes, ab_manifolds *out,
                                    uint32_t *touching)
{
    ab_manifolds found = manifolds_behind(out, writes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        prefetch_records(batch, i);
        pairw m;
        ball_gapw gap = gather_sphere_box(batch, i, form, &m);
        if (!writes)
        {
            count += append_touching(batch, i, gap.separation, touching + count);
            continue;
        }
        const maskw kept = touching_at(batch, i, gap.separation);
        if (!anym(kept))
        {
            continue;
        }
        headw head = head_of(&m, batch->a + i, batch->b + i);
        head.normal = box_to_world(&m, form != BOX_AABB, gap.normal);
        head.separation = gap.separation;
        pointw point = ball_point(&head, m.a.half[0]);
        emit_one(&found, kept, &head, &point);
    }
    if (writes)
    {
        *out = found;
    }
    return count;
}

AB_INLINE void sphere_box(const ab_batch *batch, box_form form, ab_manifolds *out)
{
    if (is_plain(batch))
    {
        const ab_batch plain = plain_batch(batch);
        sphere_box_all(&plain, form, true, out, NULL);
    }
    else
    {
        const ab_batch own = *batch; // as manifolds_behind
        sphere_box_all(&own, form, true, out, NULL);
    }
}

AB_INLINE uint32_t sphere_box_touching(const ab_batch *batch, box_form form, uint32_t *out)
{
    return sphere_box_all(batch, form, false, NULL, out);
}

static void sphere_aabb(const ab_batch *batch, ab_manifolds *out)
{
    sphere_box(batch, BOX_AABB, out);
}

static void sphere_obb(const ab_batch *batch, ab_manifolds *out)
{
    sphere_box(batch, BOX_OBB, out);
}

static void sphere_capsule(const ab_batch *batch, ab_manifolds *out)
{
    sphere_box(batch, BOX_CAPSULE, out);
}

static uint32_t sphere_aabb_touching(const ab_batch *batch, uint32_t *out)
{
    return sphere_box_touching(batch, BOX_AABB, out);
}

static uint32_t sphere_obb_touching(const ab_batch *batch, uint32_t *out)
{
    return sphere_box_touching(batch, BOX_OBB, out);
}

static uint32_t sphere_capsule_touching(const ab_batch *batch, uint32_t *out)
{
    return sphere_box_touching(batch, BOX_CAPSULE, out);
}
