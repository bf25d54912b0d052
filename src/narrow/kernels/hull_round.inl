// Balls and capsules against convex hulls: all faces, and where these do not decide all edges, in lanes. A capsule that
// is nearest to a corner, or with an end to an edge, takes the generic convex path.

// The face that the segment is highest above, and its height above that.
static float highest_face(const ab_round_pair *pair, uint32_t *face)
{
    const ab_polytope *p = pair->hull;
    const v3w from = v3w_all(pair->end[0]), to = v3w_all(pair->end[1]);
    f32w best = splatw(-FAR_AWAY);
    u32w faces = splatu(0);
    for (uint32_t i = 0; i < p->face_count; i += LANES)
    {
        const v3w n = column_at(p->normal, i);
        const f32w height = subw(minw(v3w_dot(n, from), v3w_dot(n, to)), loadw(p->offset + i));
        const maskw better = gtw(height, best);
        best = pickw(better, height, best);
        faces = picku(better, addu(lane_indices(), splatu(i)), faces);
    }
    float heights[LANES];
    uint32_t numbers[LANES];
    const uint32_t lane = best_lane(best, faces);
    storew(heights, best);
    storeu(numbers, faces);
    *face = numbers[lane];
    return heights[lane];
}

#define LEFT_OUT_BY 2e-4f // of the segment's length: twice the sine of PARALLEL

// The edge whose axis with the segment separates them most: of those whose arc the great circle of the segment crosses.
static void best_crossing(const ab_round_pair *pair, ab_round_axes *out)
{
    const ab_polytope *p = pair->hull;
    const v3w from = v3w_all(pair->end[0]), along = v3w_sub(v3w_all(pair->end[1]), from);
    const f32w length = sqrtw(v3w_dot(along, along)), some = pickw(gtw(length, splatw(0.0f)), length, splatw(1.0f));
    const v3w u = v3w_make(divw(along.x, some), divw(along.y, some), divw(along.z, some));
    f32w best = splatw(-FAR_AWAY);
    u32w edges = splatu(0);
    uint32_t parallel = 0;
    for (uint32_t i = 0; i < p->edge_count; i += LANES)
    {
        uint32_t row[LANES];
        f32w column[16];
        for (uint32_t k = 0; k < LANES; ++k)
        {
            row[k] = i + k < p->edge_count ? i + k : i;
        }
        gather_rows16((const float *)(const void *)p->edges, row, column);
        const v3w left = v3w_make(column[6], column[7], column[8]), right = v3w_make(column[9], column[10], column[11]);
        const f32w of_left = v3w_dot(left, u), of_right = v3w_dot(right, u);
        const v3w n = v3w_cross(v3w_make(column[3], column[4], column[5]), u);
        const f32w square = v3w_dot(n, n), low = minw(of_left, of_right), high = maxw(of_left, of_right);
        const maskw crossing = andm(lew(low, splatw(CROSSING)), gew(high, splatw(-CROSSING)));
        const maskw valid = andm(andm(crossing, gtw(square, splatw(PARALLEL))), first_lanes(p->edge_count - i));
        parallel |= bitsm(andm(crossing, lew(square, splatw(PARALLEL))));
        const v3w to = v3w_sub(from, v3w_make(column[0], column[1], column[2]));
        const f32w gap = divw(v3w_dot(n, to), pickw(valid, sqrtw(square), splatw(1.0f)));
        const f32w separation = negw_where(ltw(v3w_dot(n, v3w_add(left, right)), splatw(0.0f)), gap);
        const maskw better = andm(valid, gtw(separation, best));
        best = pickw(better, separation, best);
        edges = picku(better, loadu(row), edges);
    }
    float gaps[LANES];
    uint32_t numbers[LANES];
    const uint32_t lane = best_lane(best, edges);
    storew(gaps, best);
    storeu(numbers, edges);
    out->edge = numbers[lane];
    out->along_edge = gaps[lane];
    out->left_out = parallel ? LEFT_OUT_BY * any_of_lanes(length) : 0.0f;
}

// The round shape is of the lower kind. False where the hull has no polytope.
static bool round_up(const ab_batch *batch, uint32_t i, bool ball, ab_round_pair *pair)
{
    const ab_record *round = &batch->records[batch->a[i]], *hull = &batch->records[batch->b[i]];
    const abut_vec3 none = { 0.0f, 0.0f, 0.0f };
    const abut_vec3 of_round = batch->offsets ? batch->offsets[batch->a[i]] : none,
                    of_hull = batch->offsets ? batch->offsets[batch->b[i]] : none;
    const float offset_round[3] = { of_round.x, of_round.y, of_round.z },
                offset_hull[3] = { of_hull.x, of_hull.y, of_hull.z };
    float between[3];
    pair->hull = hull_polytope(batch, batch->b[i]);
    pair->shape = ab_batch_shape(batch, batch->b[i]);
    pair->record = hull;
    pair->ball = ball;
    pair->hull_first = hull->collider_key < round->collider_key;
    pair->radius = round->half_x;
    pair->limit = ab_batch_limit(batch, i);
    for (int k = 0; k < 3; ++k)
    {
        const float apart = round->position[k] - hull->position[k];
        between[k] = apart + (offset_round[k] - offset_hull[k]);
        pair->base[k] = pair->hull_first ? offset_hull[k] : offset_hull[k] - apart;
    }
    for (int k = 0; k < 3; ++k)
    {
        const float *axis = hull->axis + 3 * k;
        const float centre = dot3(axis, between), half = ball ? 0.0f : dot3(axis, round->axis + 3) * round->half_y;
        pair->end[0][k] = centre - half;
        pair->end[1][k] = centre + half;
    }
    return pair->hull->face_count > 0;
}

// What comes of a pair: its separation, if that is within the limit, or that it is to be asked for.
typedef enum round_verdict
{
    ROUND_APART,
    ROUND_TOUCHING,
    ROUND_ASK
} round_verdict;

static round_verdict measure_round(const ab_round_pair *pair, ab_round_contact *contact)
{
    ab_round_axes best;
    best.along_face = highest_face(pair, &best.face);
    if (best.along_face > pair->radius + pair->limit)
    {
        return ROUND_APART;
    }
    if (pair->ball)
    {
        ab_round_ball(pair, best.face, contact);
    }
    else
    {
        ab_round_over_face(pair, best.face, contact);
        if (contact->class == AB_ROUND_ASK)
        {
            best_crossing(pair, &best);
            if (best.along_edge > pair->radius + pair->limit)
            {
                return ROUND_APART;
            }
            ab_round_capsule(pair, &best, contact);
        }
    }
    return contact->class == AB_ROUND_ASK       ? ROUND_ASK
           : contact->separation <= pair->limit ? ROUND_TOUCHING
                                                : ROUND_APART;
}

AB_INLINE void collide_round(const ab_batch *batch, uint32_t i, bool ball, ab_manifolds *out)
{
    ab_round_pair pair;
    ab_round_contact contact;
    const round_verdict verdict = round_up(batch, i, ball, &pair) ? measure_round(&pair, &contact) : ROUND_ASK;
    if (verdict == ROUND_ASK)
    {
        ab_convex_collide_pair(batch, i, out);
    }
    else if (verdict == ROUND_TOUCHING)
    {
        const ab_proxy_pair proxies = ab_batch_pair(batch, i);
        abut_manifold m;
        ab_round_manifold(&pair, &contact, &m);
        ab_manifolds_append(out, batch, proxies.a, proxies.b, &m);
    }
}

AB_INLINE bool round_touches(const ab_batch *batch, uint32_t i, bool ball)
{
    ab_round_pair pair;
    ab_round_contact contact;
    const round_verdict verdict = round_up(batch, i, ball, &pair) ? measure_round(&pair, &contact) : ROUND_ASK;
    return verdict == ROUND_TOUCHING || (verdict == ROUND_ASK && ab_convex_pair_touches(batch, i));
}

static void collide_ball_hull(const ab_batch *batch, uint32_t i, ab_manifolds *out)
{
    collide_round(batch, i, true, out);
}

static void collide_capsule_hull(const ab_batch *batch, uint32_t i, ab_manifolds *out)
{
    collide_round(batch, i, false, out);
}

static bool ball_touches_hull(const ab_batch *batch, uint32_t i)
{
    return round_touches(batch, i, true);
}

static bool capsule_touches_hull(const ab_batch *batch, uint32_t i)
{
    return round_touches(batch, i, false);
}

void AB_ISA_NAME(ab_sphere_hull)(const ab_batch *batch, ab_manifolds *out)
{
    ab_collide_each(batch, out, collide_ball_hull);
}

void AB_ISA_NAME(ab_capsule_hull)(const ab_batch *batch, ab_manifolds *out)
{
    ab_collide_each(batch, out, collide_capsule_hull);
}

uint32_t AB_ISA_NAME(ab_sphere_hull_touching)(const ab_batch *batch, uint32_t *out)
{
    return ab_touch_each(batch, out, ball_touches_hull);
}

uint32_t AB_ISA_NAME(ab_capsule_hull_touching)(const ab_batch *batch, uint32_t *out)
{
    return ab_touch_each(batch, out, capsule_touches_hull);
}
