// Helpers of all kernels: pairs of records as columns of lanes, the one touching test, and output: packed manifolds in
// canonical orientation, appended in the order of the batch.
//
// Kernels work in coordinates relative to the position of body a, so that accuracy does not fall with the distance from
// the origin.

// One side of LANES pairs.
typedef struct sidew
{
    v3w position; // of its body, in the world
    v3w offset;   // of the shape from that, world axes
    v3w axis[3];
    f32w half[3]; // a sphere's are its radius
    u32w collider_key;
} sidew;

typedef struct pairw
{
    sidew a, b;
    v3w apart;   // from the position of body a to that of body b
    v3w between; // from the centre of a to the centre of b
} pairw;

AB_INLINE void gather_offsets(const abut_vec3 *offsets, const uint32_t *proxies, v3w *out)
{
    float x[LANES], y[LANES], z[LANES];
    for (uint32_t k = 0; k < LANES; ++k)
    {
        x[k] = offsets[proxies[k]].x;
        y[k] = offsets[proxies[k]].y;
        z[k] = offsets[proxies[k]].z;
    }
    *out = v3w_make(loadw(x), loadw(y), loadw(z));
}

// A vector in the axes of a side, in the world's.
AB_INLINE v3w side_to_world(const sidew *side, v3w v)
{
    return v3w_along(v3w_along(v3w_scale(side->axis[0], v.x), side->axis[1], v.y), side->axis[2], v.z);
}

// How much of its record a kernel reads; the rest of a side is zero.
typedef enum amount
{
    PLACE, // position and the first half extent: all that a ball has
    SIZE,  // also half extents and collider key
    LINE,  // also the second axis
    TURN   // also the other axes
} amount;

AB_INLINE void gather_side(const ab_batch *batch, const uint32_t *proxies, amount read, sidew *out)
{
    const float *rows = (const float *)(const void *)batch->records;
    const f32w zero = splatw(0.0f);
    f32w column[16] = {
        zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero
    };
    if (read == TURN)
    {
        gather_rows16(rows, proxies, column);
    }
    else
    {
        gather_columns4(rows, 0, proxies, column);
        if (read == LINE)
        {
            gather_columns4(rows, 6, proxies, column + 6);
        }
        if (read != PLACE)
        {
            gather_columns4(rows, 12, proxies, column + 12);
        }
    }
    out->position = v3w_make(column[0], column[1], column[2]);
    out->axis[0] = v3w_make(column[4], column[5], column[6]);
    out->axis[1] = v3w_make(column[7], column[8], column[9]);
    out->axis[2] = v3w_make(column[10], column[11], column[12]);
    out->half[0] = column[3];
    out->half[1] = column[13];
    out->half[2] = column[14];
    out->collider_key = bitsw(column[15]);
    out->offset = v3w_splat(0.0f, 0.0f, 0.0f);
    if (batch->offsets)
    {
        gather_offsets(batch->offsets, proxies, &out->offset);
    }
}

// The collider keys, for kernels that read only PLACE.
AB_INLINE u32w look_up_orders(const ab_batch *batch, const uint32_t *proxies)
{
    f32w column[4];
    gather_columns4((const float *)(const void *)batch->records, 12, proxies, column);
    return bitsw(column[3]);
}

// Subtracts positions before it adds offsets: far from the origin the difference is exact and the sum is not.
AB_INLINE void gather_pair(const ab_batch *batch, const uint32_t *a, amount read_a, const uint32_t *b, amount read_b,
                           pairw *out)
{
    gather_side(batch, a, read_a, &out->a);
    gather_side(batch, b, read_b, &out->b);
    out->apart = v3w_sub(out->b.position, out->a.position);
    out->between = v3w_add(out->apart, v3w_sub(out->b.offset, out->a.offset));
}

// Prefetches the records of the group after the next.
AB_INLINE void prefetch_records(const ab_batch *batch, uint32_t i)
{
    const size_t ahead = i + 2 * LANES;
    if (ahead < batch->count)
    {
        const uint32_t *const a = batch->a + ahead, *const b = batch->b + ahead;
        for (uint32_t k = 0; k < LANES; ++k)
        {
            prefetch(batch->records + a[k]);
            prefetch(batch->records + b[k]);
        }
    }
}

// Most worlds have neither offsets nor reach. Kernels with little work per pair have a second version for those, in
// which these members are compile-time NULL. Small builds do without it.
AB_INLINE bool is_plain(const ab_batch *batch)
{
#ifdef AB_SMALL
    (void)batch;
    return false;
#else
    return !batch->offsets && !batch->reach;
#endif
}

AB_INLINE ab_batch plain_batch(const ab_batch *batch)
{
    ab_batch plain = *batch;
    plain.offsets = NULL;
    plain.reach = NULL;
    return plain;
}

// The loop over a batch: of a kernel, which passes `out` and no `touching`, and of its test for touching, which passes
// `touching` alone; `writes`, a constant, says which. Small builds have it once for both, others once for each and for
// plain batches.
#ifdef AB_SMALL
#define KERNEL_LOOP static AB_APART
#else
#define KERNEL_LOOP AB_INLINE
#endif

// A copy, of which the compiler need not assume that stores change it.
AB_INLINE ab_manifolds manifolds_behind(const ab_manifolds *out, bool writes)
{
    return writes ? *out : (ab_manifolds){ 0 };
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

// The one touching test: which of the group at i are pairs of the batch, and near enough.
AB_INLINE maskw touching_at(const ab_batch *batch, uint32_t i, f32w separation)
{
    return andm(first_lanes(batch->count - i), lew(separation, limit_of(batch, batch->a + i, batch->b + i)));
}

// The reported separation along the contact's axis, given the largest of all axes, `most`. Past the margin (within the
// reach) it must not fall below the margin, and a positive separation must not become an overlap.
AB_INLINE f32w reported_separation(const ab_batch *batch, f32w most, f32w named)
{
    const f32w bar = keepw(gtw(named, splatw(0.0f)), splatw(batch->margin));
    return pickw(gtw(most, bar), most, named);
}

// The reported separation of a point: never an overlap if the shapes are apart.
AB_INLINE f32w reported_height(f32w separation, f32w height)
{
    return pickw(andm(gtw(separation, splatw(0.0f)), lew(height, splatw(0.0f))), separation, height);
}

// Appends the batch indices of the touching pairs; writes LANES numbers.
AB_INLINE uint32_t append_touching(const ab_batch *batch, uint32_t i, f32w separation, uint32_t *to)
{
    return appendu(to, addu(lane_indices(), splatu(i)), touching_at(batch, i, separation));
}

// 1 / x, large but finite where x is zero: a line along a side is then inside it over its whole length or not at all.
AB_INLINE f32w steep_inverse(f32w x)
{
    return divw(splatw(1.0f), signedw(maxw(absw(x), splatw(1e-20f)), x));
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

// A manifold per lane, not yet in canonical orientation.
typedef struct headw
{
    v3w normal; // from a to b
    f32w separation;
    u32w proxy_a, proxy_b, key_a, key_b;
    maskw swap; // b has the lower collider key
    v3w base;   // from the position of the canonical body a to the shape of a
} headw;

typedef struct pointw
{
    v3w offset; // from the position of the canonical body a
    f32w separation;
    u32w feature; // in canonical orientation; less than 0xffff
    maskw valid;  // the first point always is
} pointw;

AB_INLINE u32w lower_order(const headw *head)
{
    return picku(head->swap, head->key_b, head->key_a);
}

AB_INLINE u32w higher_order(const headw *head)
{
    return picku(head->swap, head->key_a, head->key_b);
}

// All but the normal and the separation.
AB_INLINE headw head_of(const pairw *m, const uint32_t *a, const uint32_t *b)
{
    headw head;
    head.normal = v3w_splat(0.0f, 0.0f, 0.0f);
    head.separation = splatw(0.0f);
    head.proxy_a = loadu(a);
    head.proxy_b = loadu(b);
    head.key_a = m->a.collider_key;
    head.key_b = m->b.collider_key;
    head.swap = gtu(m->a.collider_key, m->b.collider_key);
    head.base = v3w_sub(m->a.offset, v3w_keep(head.swap, m->apart));
    return head;
}

AB_INLINE pointw pick_point(maskw m, const pointw *a, const pointw *b)
{
    pointw point;
    point.offset = v3w_pick(m, a->offset, b->offset);
    point.separation = pickw(m, a->separation, b->separation);
    point.feature = picku(m, a->feature, b->feature);
    point.valid = first_lanes(LANES);
    return point;
}

// Moves the valid points of `most` to the front, in order. Returns their number.
AB_INLINE u32w pack_points(pointw *point, uint32_t most)
{
    u32w count = splatu(1);
    for (uint32_t c = 1; c < most; ++c)
    {
        count = countu(count, point[c].valid);
    }
    if (most == 4)
    {
        const maskw second = point[1].valid, third = point[2].valid;
        const pointw next = pick_point(third, &point[2], &point[3]);
        point[2] = pick_point(andm(second, third), &point[2], &point[3]);
        point[1] = pick_point(second, &point[1], &next);
    }
    return count;
}

// The positions of the selected lanes' manifolds, behind the present ones; other lanes write where the next group will
// begin.
typedef struct placesw
{
    u32w line, entry;
} placesw;

// Three small sums in one number: of lines, of manifolds and of points.
#define MANIFOLD_SHIFT 10
#define POINT_SHIFT    20
#define SUM_MASK       ((1u << MANIFOLD_SHIFT) - 1u)

AB_INLINE placesw take_places(ab_manifolds *out, maskw kept, u32w lines, u32w point_count)
{
    const u32w each = addu(addu(lines, splatu(1u << MANIFOLD_SHIFT)), shlu(point_count, POINT_SHIFT)),
               here = picku(kept, each, splatu(0));
    const u32w before = sum_before(here);
    uint32_t sums[LANES];
    storeu(sums, addu(before, here));
    const uint32_t sum = sums[LANES - 1];
    const u32w low = splatu(SUM_MASK);
    placesw places;
    places.line = andu(picku(kept, before, splatu(sum)), low);
    places.entry = andu(shru(picku(kept, before, splatu(sum)), MANIFOLD_SHIFT), low);
    out->line_count += sum & SUM_MASK;
    out->count += sum >> MANIFOLD_SHIFT & SUM_MASK;
    out->point_count += sum >> POINT_SHIFT;
    return places;
}

// Prefetches cache lines [first, first + LANES / 2) behind what is written: a store that misses the cache delays those
// behind it. A few at a time, because the processor limits outstanding misses.
AB_INLINE void prefetch_room(const ab_manifolds *out, uint32_t first)
{
    const size_t next = out->line_count;
    AB_IN_ORDER();
    for (uint32_t k = first; k < first + LANES / 2; ++k)
    {
        AB_PREFETCH_TO_AT(out->lines, next + 2 * (size_t)k);
    }
}

// The destination of a group's manifolds.
typedef struct rowsw
{
    float *lines, *entries;
    u32w line, entry; // of each manifold, the line counted from the first of all
    u32w point_count;
    uint32_t at[LANES]; // of the line, in floats
} rowsw;

// Reserves the manifolds of the selected lanes, with point_count points, `most` (2 or 4) at most.
AB_INLINE void take_rows(ab_manifolds *out, maskw kept, u32w point_count, uint32_t most, rowsw *rows)
{
    const u32w two = splatu(2), lines_before = splatu(out->line_count);
    rows->lines = (float *)(void *)(out->lines + out->line_count);
    rows->entries = (float *)(void *)(out->entries + out->count);
    rows->point_count = point_count;
    const placesw places = take_places(out, kept, most > 2 ? countu(two, gtu(point_count, two)) : two, point_count);
    rows->line = addu(lines_before, places.line);
    rows->entry = places.entry;
    storeu(rows->at, shlu(places.line, 3));
}

// Write points 2 and 3 first, whether they exist or not: if not, their line is the next manifold's first, which is
// written later.
AB_INLINE void store_point(const rowsw *rows, uint32_t k, v3w offset, f32w separation)
{
    const f32w column[4] = { offset.x, offset.y, offset.z, separation };
    scatter4(rows->lines + 8 + 4 * k, rows->at, column);
}

// Writes the rest of a manifold, in canonical orientation, and its sort entry.
AB_INLINE void store_heads(const rowsw *rows, const headw *head, const u32w feature[], uint32_t most)
{
    const u32w none = splatu(0xffffu);
    const maskw two = gtu(rows->point_count, splatu(1)), three = gtu(rows->point_count, splatu(2)),
                four = gtu(rows->point_count, splatu(3));
    const u32w first = oru(feature[0], shlu(picku(two, feature[1], none), 16));
    const u32w last =
        most > 2 ? oru(picku(three, feature[2], none), shlu(picku(four, feature[3], none), 16)) : splatu(0xffffffffu);

    const v3w normal = v3w_negate_where(head->swap, head->normal);
    const u32w proxy_a = picku(head->swap, head->proxy_b, head->proxy_a);
    const u32w proxy_b = picku(head->swap, head->proxy_a, head->proxy_b);
    const f32w what[4] = { normal.x, normal.y, normal.z, head->separation };
    const f32w whose[4] = { floatu(proxy_a), floatu(proxy_b), floatu(first), floatu(last) };
    scatter4(rows->lines, rows->at, what);
    scatter4(rows->lines + 4, rows->at, whose);

    const f32w key_a = floatu(lower_order(head)), key_b = floatu(higher_order(head));
    const f32w entry[4] = { key_a, key_b, floatu(rows->line), floatu(rows->point_count) };
    uint32_t at[LANES];
    storeu(at, shlu(rows->entry, 2));
    scatter4(rows->entries, at, entry);
}

// Appends the selected lanes, in canonical orientation, with the valid ones of `most` points (2 or 4).
AB_INLINE void emit(ab_manifolds *out, maskw kept, const headw *head, pointw *point, uint32_t most)
{
    rowsw rows;
    u32w feature[4];
    take_rows(out, kept, pack_points(point, most), most, &rows);
    AB_UNROLL
    for (uint32_t k = 0; k < most; ++k)
    {
        const uint32_t from_third = (k + 2) % most;
        store_point(&rows, from_third, point[from_third].offset, point[from_third].separation);
        feature[k] = point[k].feature;
    }
    store_heads(&rows, head, feature, most);
}

// The same for lanes with one point each: no points to pack or sum up, and rows are consecutive.
AB_INLINE void emit_one(ab_manifolds *out, maskw kept, const headw *head, const pointw *point)
{
    float *const lines = (float *)(void *)(out->lines + out->line_count);
    float *const entries = (float *)(void *)(out->entries + out->count);
    const packing p = packing_of(kept);
    const u32w line = addu(splatu(out->line_count), shlu(packed_places(p), 1)), last = splatu(0xffffffffu);
    const v3w n = v3w_negate_where(head->swap, head->normal), o = point->offset;
    const f32w proxy_a = packw(p, floatu(picku(head->swap, head->proxy_b, head->proxy_a)));
    const f32w proxy_b = packw(p, floatu(picku(head->swap, head->proxy_a, head->proxy_b)));
    const f32w first = floatu(oru(bitsw(packw(p, floatu(point->feature))), splatu(0xffff0000u)));
    const f32w what[4] = { packw(p, n.x), packw(p, n.y), packw(p, n.z), packw(p, head->separation) };
    const f32w whose[4] = { proxy_a, proxy_b, first, floatu(last) };
    const f32w where[4] = { packw(p, o.x), packw(p, o.y), packw(p, o.z), packw(p, point->separation) };
    const f32w key_a = packw(p, floatu(lower_order(head))), key_b = packw(p, floatu(higher_order(head)));
    const f32w entry[4] = { key_a, key_b, floatu(line), floatu(splatu(1)) };
    store_packed4(lines, 16, p, what);
    store_packed4(lines + 4, 16, p, whose);
    store_packed4(lines + 8, 16, p, where);
    store_packed4(entries, 4, p, entry);
    const uint32_t count = countm(kept);
    out->line_count += 2 * count;
    out->count += count;
    out->point_count += count;
}

// The gap between a sphere and a box, in the box's axes.
typedef struct ball_gapw
{
    v3w normal; // from the sphere to the box
    f32w separation;
} ball_gapw;

// The one contact point of a ball: midway between the surfaces, on the line from its centre along the normal.
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
