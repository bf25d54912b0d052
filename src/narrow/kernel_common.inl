// What the kernels share: pairs of records as columns of lanes, the gap at which a pair still counts as touching, and the
// one way out: manifolds in canonical orientation, appended in the order of the batch.
//
// Kernels work in coordinates relative to the position of body a, so that nothing is lost to the distance from the origin.

// One side of LANES pairs.
typedef struct sidew
{
    v3w position; // of its body, in the world
    v3w offset;   // of the shape from that, world axes
    v3w axis[3];
    f32w half[3]; // a sphere's are its radius
    u32w order;
} sidew;

typedef struct meetingw
{
    sidew a, b;
    v3w apart;   // from the position of body a to that of body b
    v3w between; // from the centre of a to the centre of b
} meetingw;

AB_INLINE void gather_offsets(const abut_vec3 *offsets, const uint32_t *leaves, v3w *out)
{
    float x[LANES], y[LANES], z[LANES];
    for (uint32_t k = 0; k < LANES; ++k)
    {
        x[k] = offsets[leaves[k]].x;
        y[k] = offsets[leaves[k]].y;
        z[k] = offsets[leaves[k]].z;
    }
    *out = v3w_make(loadw(x), loadw(y), loadw(z));
}

// How much of its record a kernel reads; the rest of a side is zero.
typedef enum amount
{
    PLACE, // position and the first half extent: all there is to a ball
    SIZE,  // half extents and order as well
    TURN   // axes as well
} amount;

AB_INLINE void gather_side(const ab_batch *batch, const uint32_t *leaves, amount read, sidew *out)
{
    const float *rows = (const float *)(const void *)batch->records;
    const f32w zero = splatw(0.0f);
    f32w column[16] = {
        zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero
    };
    if (read == TURN)
    {
        gather_rows16(rows, leaves, column);
    }
    else
    {
        gather_columns4(rows, 0, leaves, column);
        if (read == SIZE)
        {
            gather_columns4(rows, 12, leaves, column + 12);
        }
    }
    out->position = v3w_make(column[0], column[1], column[2]);
    out->axis[0] = v3w_make(column[4], column[5], column[6]);
    out->axis[1] = v3w_make(column[7], column[8], column[9]);
    out->axis[2] = v3w_make(column[10], column[11], column[12]);
    out->half[0] = column[3];
    out->half[1] = column[13];
    out->half[2] = column[14];
    out->order = bitsw(column[15]);
    out->offset = v3w_splat(0.0f, 0.0f, 0.0f);
    if (batch->offsets)
    {
        gather_offsets(batch->offsets, leaves, &out->offset);
    }
}

// Positions are subtracted before offsets are added: far from the origin the difference is exact where the sum is not.
AB_INLINE void gather_meeting(const ab_batch *batch, const uint32_t *a, amount read_a, const uint32_t *b, amount read_b,
                              meetingw *out)
{
    gather_side(batch, a, read_a, &out->a);
    gather_side(batch, b, read_b, &out->b);
    out->apart = v3w_sub(out->b.position, out->a.position);
    out->between = v3w_add(out->apart, v3w_sub(out->b.offset, out->a.offset));
}

// Asks for the records of the group after the next, when there is one.
AB_INLINE void prefetch_records(const ab_batch *batch, uint32_t i)
{
    const uint32_t ahead = i + 2 * LANES;
    if (ahead < batch->count)
    {
        for (uint32_t k = 0; k < LANES; ++k)
        {
            prefetch(batch->records + batch->a[ahead + k]);
            prefetch(batch->records + batch->b[ahead + k]);
        }
    }
}

// Most worlds have neither offsets nor reach. A kernel that does little for a pair is written out for those as well: what is NULL
// here is known to be when it is compiled.
AB_INLINE bool is_plain(const ab_batch *batch)
{
    return !batch->offsets && !batch->reach;
}

AB_INLINE ab_batch plain_batch(const ab_batch *batch)
{
    ab_batch plain = *batch;
    plain.offsets = NULL;
    plain.reach = NULL;
    return plain;
}

// A pair touches when separation <= limit. The sum of the reaches is the same whichever side comes first.
AB_INLINE f32w limit_of(const ab_batch *batch, const uint32_t *a, const uint32_t *b)
{
    f32w limit = splatw(batch->margin);
    if (batch->reach)
    {
        float reach[LANES];
        for (uint32_t k = 0; k < LANES; ++k)
        {
            reach[k] = batch->reach[a[k]] + batch->reach[b[k]];
        }
        limit = addw(limit, loadw(reach));
    }
    return limit;
}

// The one place where touching is decided: which of the group at i are pairs of the batch, and near enough.
AB_INLINE maskw touching_at(const ab_batch *batch, uint32_t i, f32w separation)
{
    return andm(first_lanes(batch->count - i), lew(separation, limit_of(batch, batch->a + i, batch->b + i)));
}

// Appends the places in the batch of those that touch; writes LANES numbers.
AB_INLINE uint32_t append_touching(const ab_batch *batch, uint32_t i, f32w separation, uint32_t *to)
{
    return appendu(to, addu(lane_indices(), splatu(i)), touching_at(batch, i, separation));
}

// Picks one of three by an axis number: m1 true for 1, m2 for 2, neither for 0.
AB_INLINE f32w pick_axis(maskw m1, maskw m2, f32w x0, f32w x1, f32w x2)
{
    return pickw(m2, x2, pickw(m1, x1, x0));
}

AB_INLINE v3w v3w_pick_axis(maskw m1, maskw m2, const v3w v[3], int turn)
{
    return v3w_pick(m2, v[(2 + turn) % 3], v3w_pick(m1, v[(1 + turn) % 3], v[turn]));
}

// A manifold a lane, before it is turned into canonical orientation.
typedef struct headw
{
    v3w normal; // from a to b
    f32w separation;
    u32w leaf_a, leaf_b;
    maskw swap; // b has the lower order
    v3w base;   // from the position of the canonical body a to the shape of a
} headw;

typedef struct pointw
{
    v3w offset; // from the position of the canonical body a
    f32w separation;
    u32w feature; // of the canonical orientation
    maskw valid;  // the first point always is
} pointw;

// All but the normal and the separation.
AB_INLINE headw head_of(const meetingw *m, const uint32_t *a, const uint32_t *b)
{
    headw head;
    head.normal = v3w_splat(0.0f, 0.0f, 0.0f);
    head.separation = splatw(0.0f);
    head.leaf_a = loadu(a);
    head.leaf_b = loadu(b);
    head.swap = gtu(m->a.order, m->b.order);
    head.base = v3w_sub(m->a.offset, v3w_keep(head.swap, m->apart));
    return head;
}

// Appends the manifolds of the lanes that are kept, and returns the place of the first point of each.
AB_INLINE u32w append_heads(ab_manifolds *out, maskw kept, const headw *head, u32w point_count)
{
    const v3w normal = v3w_negate_where(head->swap, head->normal);
    const u32w first_point = addu(splatu(out->point_count), sum_before(picku(kept, point_count, splatu(0))));
    const f32w column[8] = { normal.x,
                             normal.y,
                             normal.z,
                             head->separation,
                             floatu(picku(head->swap, head->leaf_b, head->leaf_a)),
                             floatu(picku(head->swap, head->leaf_a, head->leaf_b)),
                             floatu(first_point),
                             floatu(point_count) };
    out->count += append_rows8((float *)(void *)(out->data + out->count), kept, column);
    return first_point;
}

// Twenty bytes as two overlapping sixteens. What is not wanted goes where the next group will begin.
AB_INLINE void store_points(abut_point *to, const pointw *point, maskw wanted, u32w index, uint32_t points_end)
{
    uint32_t at[LANES];
    index = picku(wanted, index, splatu(points_end));
    storeu(at, addu(shlu(index, 2), index));
    const v3w o = point->offset;
    const f32w front[4] = { o.x, o.y, o.z, point->separation };
    const f32w back[4] = { o.y, o.z, point->separation, floatu(point->feature) };
    scatter4((float *)(void *)to, at, front);
    scatter4((float *)(void *)to + 1, at, back);
}

// Appends the lanes that are kept, in canonical orientation, with the one point that each has: nothing is to be summed up to say
// where it lies. The point of a ball is the only one of its feature, zero.
AB_INLINE void emit_one(ab_manifolds *out, maskw kept, const headw *head, const pointw *point, bool ball)
{
    const v3w n = v3w_negate_where(head->swap, head->normal), o = point->offset;
    const f32w column[6] = { n.x,
                             n.y,
                             n.z,
                             head->separation,
                             floatu(picku(head->swap, head->leaf_b, head->leaf_a)),
                             floatu(picku(head->swap, head->leaf_a, head->leaf_b)) };
    const f32w place[5] = { o.x, o.y, o.z, point->separation, floatu(point->feature) };
    float *const points = (float *)(void *)(out->points + out->point_count);
    out->count += append_rows6((float *)(void *)(out->data + out->count), kept, column, out->point_count);
    out->point_count += ball ? append_rows4(points, kept, place) : append_rows5(points, kept, place);
}

// The same with those of several points (at most `most`) that are valid.
AB_INLINE void emit(ab_manifolds *out, maskw kept, const headw *head, const pointw *point, uint32_t most)
{
    u32w before[AB_MAX_POINTS], point_count = splatu(1);
    before[0] = splatu(0);
    for (uint32_t c = 1; c < most; ++c)
    {
        before[c] = point_count;
        point_count = countu(point_count, point[c].valid);
    }
    const u32w first_point = append_heads(out, kept, head, point_count);
    uint32_t end[LANES];
    storeu(end, addu(first_point, picku(kept, point_count, splatu(0))));
    for (uint32_t c = 0; c < most; ++c)
    {
        maskw wanted = c == 0 ? kept : andm(kept, point[c].valid);
        store_points(out->points, &point[c], wanted, addu(first_point, before[c]), end[LANES - 1]);
    }
    out->point_count = end[LANES - 1];
}

// The same when all that are kept have four points, which is then known without counting: their points are written whole.
AB_INLINE void emit_fours(ab_manifolds *out, maskw kept, const headw *head, const pointw point[4])
{
    const u32w first_point = append_heads(out, kept, head, splatu(4));
    const uint32_t points_end = out->point_count + 4 * countm(kept);
    const u32w place = picku(kept, first_point, splatu(points_end));
    uint32_t at[LANES];
    f32w column[20];
    storeu(at, addu(shlu(place, 2), place));
    for (uint32_t c = 0; c < 4; ++c)
    {
        column[5 * c] = point[c].offset.x;
        column[5 * c + 1] = point[c].offset.y;
        column[5 * c + 2] = point[c].offset.z;
        column[5 * c + 3] = point[c].separation;
        column[5 * c + 4] = floatu(point[c].feature);
    }
    AB_UNROLL
    for (uint32_t c = 0; c < 20; c += 4)
    {
        scatter4((float *)(void *)out->points + c, at, column + c);
    }
    out->point_count = points_end;
}

// What a sphere and a box have between them, in the box's axes.
typedef struct ball_gapw
{
    v3w normal; // from the sphere to the box
    f32w separation;
} ball_gapw;

// The one point of a ball's contact: midway between the surfaces, on the line from its centre along the normal.
AB_INLINE pointw ball_point(const headw *head, f32w radius)
{
    pointw point;
    f32w along = mul_addw(splatw(0.5f), head->separation, radius);
    point.offset = v3w_add(head->base, v3w_scale(head->normal, along));
    point.separation = head->separation;
    point.feature = splatu(0);
    point.valid = first_lanes(LANES);
    return point;
}
