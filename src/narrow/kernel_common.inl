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

AB_INLINE void gather_side(const ab_batch *batch, const uint32_t *leaves, sidew *out)
{
    f32w column[16];
    gather_rows16(batch->records->position, leaves, column);
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
AB_INLINE void gather_meeting(const ab_batch *batch, const uint32_t *a, const uint32_t *b, meetingw *out)
{
    gather_side(batch, a, &out->a);
    gather_side(batch, b, &out->b);
    out->apart = v3w_sub(out->b.position, out->a.position);
    out->between = v3w_add(out->apart, v3w_sub(out->b.offset, out->a.offset));
}

// Asks for the records of a coming group of pairs.
AB_INLINE void prefetch_records(const ab_batch *batch, const uint32_t *a, const uint32_t *b)
{
    for (uint32_t k = 0; k < LANES; ++k)
    {
        prefetch(batch->records + a[k]);
        prefetch(batch->records + b[k]);
    }
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
    v3w apart;  // as in meetingw
} headw;

typedef struct pointw
{
    v3w offset; // from the position of body a
    f32w separation;
    u32w feature;
    maskw valid; // the first point always is
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
    head.apart = m->apart;
    return head;
}

// Head and one point of LANES manifolds, a row each. The row of a point has three words to spare.
typedef struct single_rows
{
    float head[LANES][8];
    float point[LANES][8];
} single_rows;

AB_INLINE void head_columns(const headw *head, u32w point_count, f32w out[8])
{
    v3w normal = v3w_negate_where(head->swap, head->normal);
    out[0] = normal.x;
    out[1] = normal.y;
    out[2] = normal.z;
    out[3] = head->separation;
    out[4] = floatu(picku(head->swap, head->leaf_b, head->leaf_a));
    out[5] = floatu(picku(head->swap, head->leaf_a, head->leaf_b));
    out[6] = splatw(0.0f);
    out[7] = floatu(point_count);
}

// From the position of the canonical body a.
AB_INLINE v3w canonical_offset(const headw *head, v3w offset)
{
    return v3w_sub(offset, v3w_keep(head->swap, head->apart));
}

// Appends the lanes whose bit is set in `kept`, one point each.
AB_INLINE void emit_single(ab_manifolds *out, maskw kept, const headw *head, const pointw *point)
{
    single_rows rows;
    f32w columns[8];
    head_columns(head, splatu(1), columns);
    scatter_rows8(rows.head[0], columns);

    v3w offset = canonical_offset(head, point->offset);
    columns[0] = offset.x;
    columns[1] = offset.y;
    columns[2] = offset.z;
    columns[3] = point->separation;
    columns[4] = floatu(point->feature);
    columns[5] = columns[6] = columns[7] = splatw(0.0f);
    scatter_rows8(rows.point[0], columns);

    uint32_t bits = bitsm(kept), count = out->count, points = out->point_count;
    for (uint32_t k = 0; k < LANES; ++k)
    {
        memcpy(out->data + count, rows.head[k], sizeof *out->data);
        out->data[count].first_point = points;
        memcpy(out->points + points, rows.point[k], sizeof *out->points);
        count += bits >> k & 1u;
        points += bits >> k & 1u;
    }
    out->count = count;
    out->point_count = points;
}

// Up to four points of LANES manifolds: offsets and separations of a manifold in one row of sixteen.
typedef struct quad_rows
{
    float head[LANES][8];
    float point[LANES][16];
    uint32_t feature[4][LANES];
} quad_rows;

// Appends the lanes whose bit is set in `kept`, with those of their four points that are valid.
AB_INLINE void emit_quad(ab_manifolds *out, maskw kept, const headw *head, const pointw point[4])
{
    quad_rows rows;
    uint32_t valid[4];
    f32w columns[16];
    u32w point_count = splatu(0);
    for (int c = 0; c < 4; ++c)
    {
        v3w offset = canonical_offset(head, point[c].offset);
        columns[4 * c] = offset.x;
        columns[4 * c + 1] = offset.y;
        columns[4 * c + 2] = offset.z;
        columns[4 * c + 3] = point[c].separation;
        storeu(rows.feature[c], point[c].feature);
        point_count = addu(point_count, picku(point[c].valid, splatu(1), splatu(0)));
        valid[c] = bitsm(point[c].valid);
    }
    scatter_rows16(rows.point[0], columns);
    head_columns(head, point_count, columns);
    scatter_rows8(rows.head[0], columns);

    uint32_t bits = bitsm(kept), count = out->count, points = out->point_count;
    for (uint32_t k = 0; k < LANES; ++k)
    {
        uint32_t next = points;
        memcpy(out->data + count, rows.head[k], sizeof *out->data);
        out->data[count].first_point = points;
        for (uint32_t c = 0; c < 4; ++c)
        {
            memcpy(out->points + next, rows.point[k] + 4 * c, 16);
            out->points[next].feature = rows.feature[c][k];
            next += valid[c] >> k & 1u;
        }
        count += bits >> k & 1u;
        points = bits >> k & 1u ? next : points;
    }
    out->count = count;
    out->point_count = points;
}
