// Chooses four of a face contact's candidates: the deepest, and three that span nearly as much area with it as any
// three.
//
// Each pass over the twelve slots searches the largest score. The four lowest bits of a score name its slot, so one
// maximum finds both, and the slot's coordinates are looked up. These bits change a score by a millionth, which only
// decides ties.

typedef struct choicew
{
    f32w u, v;
    u32w slot;
    maskw found;
} choicew;

// The candidates. After the first point is chosen, u and v are relative to it, or zero where there is no candidate;
// areas ignore the sign. After the second, scores are areas from the line between the two.
typedef struct fieldw
{
    f32w u[12], v[12];
    f32w score[12];
    f32w slop;  // points closer than this are one
    f32w limit; // of the height
    f32w top;   // exceeds what any candidate loses by its height
    f32w best;  // score so far
} fieldw;

AB_INLINE f32w with_slot(f32w score, uint32_t slot)
{
    return floatu(mergeu(bitsw(score), splatu(~15u), splatu(slot)));
}

// Twice the signed area of the triangle of the first point and two others.
AB_INLINE f32w area_of(f32w u0, f32w v0, f32w u1, f32w v1)
{
    return subw(mulw(u0, v1), mulw(v0, u1));
}

// The point of a score.
AB_INLINE choicew look_up(const fieldw *field, f32w best)
{
    const u32w slot = andu(bitsw(best), splatu(15u));
    choicew choice = { entryw(field->u, slot), entryw(field->v, slot), slot, first_lanes(LANES) };
    return choice;
}

AB_INLINE choicew pick_choice(maskw m, choicew a, choicew b)
{
    choicew choice = { pickw(m, a.u, b.u), pickw(m, a.v, b.v), picku(m, a.slot, b.slot), first_lanes(LANES) };
    return choice;
}

#define BIAS_U (6.1035156e-5f * 0.8f)
#define BIAS_V (6.1035156e-5f * 0.6f)

AB_INLINE void begin_field(const facesw *f, f32w limit, fieldw *field)
{
    field->slop = maxw(f->slop, splatw(1e-18f)); // above what the bits of a slot can add
    field->limit = limit;
    f32w reach_u = addw(f->half_u, field->slop), reach_v = addw(f->half_v, field->slop);
    field->top = addw(addw(limit, field->slop), addw(mulw(splatw(BIAS_U), reach_u), mulw(splatw(BIAS_V), reach_v)));
    field->best = splatw(0.0f);
}

// Scores by depth; among equal depths, up to 2^-14 of the distance, the point farthest in a fixed direction of the face
// wins, so that rounding does not choose.
AB_INLINE void add_candidate(fieldw *field, uint32_t slot, v3w at, maskw valid)
{
    maskw near = andm(valid, lew(at.z, field->limit));
    field->u[slot] = at.x;
    field->v[slot] = at.y;
    f32w bias = addw(mulw(at.x, splatw(BIAS_U)), mulw(at.y, splatw(BIAS_V)));
    f32w score = with_slot(keepw(near, addw(subw(field->top, at.z), bias)), slot);
    field->score[slot] = score;
    field->best = maxw(field->best, score);
}

#define NO_SCORE 1e-30f // above the bits of a slot, below any score

// The deepest candidate within the limit. Without candidates, the incident face's deepest corner.
AB_INLINE choicew deepest_point(const facesw *f, const fieldw *field, choicew deepest)
{
    const v3w e = f->along[0], g = f->along[1];
    v3w corner = v3w_sub(v3w_sub(f->centre, v3w_signed(e, e.z)), v3w_signed(g, g.z));
    u32w slot = oru(shru(bitsw(e.z), 31), shlu(shru(bitsw(g.z), 31), 1));
    choicew lowest = { corner.x, corner.y, addu(slot, splatu(12)), first_lanes(LANES) };
    return pick_choice(gtw(field->best, splatw(NO_SCORE)), deepest, lowest);
}

// Makes a slot's point relative to the origin; slots without a candidate become the origin.
AB_INLINE void move_origin(fieldw *field, uint32_t slot, choicew origin)
{
    maskw near = ltw(splatw(NO_SCORE), field->score[slot]);
    field->u[slot] = keepw(near, subw(origin.u, field->u[slot]));
    field->v[slot] = keepw(near, subw(origin.v, field->v[slot]));
}

// The farthest from the deepest, which becomes the origin.
AB_INLINE choicew farthest_point(fieldw *field, choicew deepest)
{
    f32w best = splatw(0.0f), least = mulw(splatw(4.0f), mulw(field->slop, field->slop));
    for (uint32_t k = 0; k < 12; ++k)
    {
        move_origin(field, k, deepest);
        f32w square = addw(mulw(field->u[k], field->u[k]), mulw(field->v[k], field->v[k]));
        best = maxw(best, with_slot(square, k));
    }
    AB_READ_AGAIN(field->u);
    AB_READ_AGAIN(field->v);
    choicew choice = look_up(field, best);
    choice.found = gtw(best, least);
    return choice;
}

// The farthest from the line to `end`, on either side of it.
AB_INLINE void farthest_beside(fieldw *field, choicew end, choicew *left, choicew *right)
{
    f32w most = splatw(0.0f), fewest = splatw(0.0f);
    f32w least = mulw(mulw(splatw(2.0f), field->slop), addw(absw(end.u), absw(end.v)));
    for (uint32_t k = 0; k < 12; ++k)
    {
        f32w area = area_of(end.u, end.v, field->u[k], field->v[k]);
        field->score[k] = with_slot(area, k);
        most = k ? maxw(most, field->score[k]) : field->score[k];
        fewest = k ? minw(fewest, field->score[k]) : field->score[k];
    }
    AB_READ_AGAIN(field->score);
    *left = look_up(field, most);
    left->found = andm(end.found, gtw(most, least));
    *right = look_up(field, fewest);
    right->found = andm(end.found, ltw(fewest, negw(least)));
}

// Where some candidate is so far outside the chosen points that another choice may span noticeably more: by more than
// 2^-8 of twice the area. An empty side counts as its end. The area from a far side is the difference of those from the
// two sides through the origin that it joins, so two areas per slot, and the one from the line to the end, suffice for
// all four sides.
AB_INLINE maskw leaves_area_outside(const fieldw *field, const choicew chosen[AB_MAX_POINTS])
{
    const choicew end = chosen[1];
    const choicew left = pick_choice(chosen[2].found, chosen[2], end),
                  right = pick_choice(chosen[3].found, chosen[3], end);
    // negative values are past the right and the far left
    f32w past_left = splatw(0.0f), past_right = past_left, past_far_left = past_left, past_far_right = past_left;
    for (uint32_t k = 0; k < 12; ++k)
    {
        const f32w from_end = field->score[k];
        const f32w from_left = area_of(left.u, left.v, field->u[k], field->v[k]);
        const f32w from_right = area_of(right.u, right.v, field->u[k], field->v[k]);
        past_left = maxw(past_left, from_left);
        past_right = minw(past_right, from_right);
        past_far_left = minw(past_far_left, subw(from_left, from_end));
        past_far_right = maxw(past_far_right, subw(from_right, from_end));
    }
    const f32w left_area = area_of(end.u, end.v, left.u, left.v), right_area = area_of(right.u, right.v, end.u, end.v);
    const f32w past_sides = maxw(past_left, negw(past_right));
    const f32w past_far = maxw(subw(negw(past_far_left), left_area), subw(past_far_right, right_area));
    return gtw(maxw(past_sides, past_far), mulw(splatw(0.00390625f), addw(left_area, right_area)));
}

// Before a loop over all candidates whose counter names registers. In small builds it is a loop: unrolled, the areas of
// all pairs are a twelfth of what there is of boxes.
#if defined(AB_SMALL) && defined(__clang__)
#define EACH_CANDIDATE _Pragma("clang loop unroll(disable)")
#else
#define EACH_CANDIDATE AB_UNROLL
#endif

// The candidate for which the farthest points on either side of the line to it span most area, and those points.
AB_INLINE void best_three(fieldw *field, choicew deepest, choicew chosen[AB_MAX_POINTS])
{
    f32w best = splatw(0.0f);
    f32w area[12][12]; // of the later from the earlier; swapped, it changes sign
    for (uint32_t k = 0; k < 12; ++k)
    {
        move_origin(field, k, deepest);
    }
    AB_READ_AGAIN(field->u);
    AB_READ_AGAIN(field->v);
    EACH_CANDIDATE
    for (uint32_t i = 0; i < 12; ++i)
    {
        const f32w u = field->u[i], v = field->v[i];
        f32w most = splatw(0.0f), fewest = most, most_to = most, fewest_to = most;
        EACH_CANDIDATE
        for (uint32_t k = 0; k < i; ++k)
        {
            most_to = maxw(most_to, area[k][i]);
            fewest_to = minw(fewest_to, area[k][i]);
        }
        EACH_CANDIDATE
        for (uint32_t k = i + 1; k < 12; ++k)
        {
            const f32w to = area_of(u, v, field->u[k], field->v[k]);
            most = maxw(most, to);
            fewest = minw(fewest, to);
            area[i][k] = to;
        }
        AB_READ_AGAIN(area[i]);
        most = maxw(most, negw(fewest_to));
        fewest = minw(fewest, negw(most_to));
        best = maxw(best, with_slot(subw(most, fewest), i));
    }
    chosen[1] = look_up(field, best);
    farthest_beside(field, chosen[1], &chosen[2], &chosen[3]);
}

// The deepest, with it the farthest, and the farthest on either side of the line between them: mostly a good choice.
// Returns the lanes where it is not (never with three candidates or fewer, as none is outside); for those, `thorough`
// finds the three that span most, at some cost.
AB_INLINE maskw choose_points(const facesw *f, fieldw *field, bool thorough, choicew chosen[AB_MAX_POINTS])
{
    AB_READ_AGAIN(field->u);
    AB_READ_AGAIN(field->v);
    AB_READ_AGAIN(field->score);
    const choicew deepest = look_up(field, field->best);
    chosen[0] = deepest_point(f, field, deepest);
    maskw poor = first_lanes(0);
    if (thorough)
    {
        best_three(field, deepest, chosen);
    }
    else
    {
        chosen[1] = farthest_point(field, deepest);
        farthest_beside(field, chosen[1], &chosen[2], &chosen[3]);
        maskw area = orm(chosen[2].found, chosen[3].found);
        poor = andm(area, leaves_area_outside(field, chosen));
    }
    for (int k = 1; k < 4; ++k)
    {
        chosen[k].u = subw(chosen[0].u, chosen[k].u);
        chosen[k].v = subw(chosen[0].v, chosen[k].v);
    }
    return poor;
}

// Moves the found points to the front, in order. Returns their number.
AB_INLINE u32w pack_choices(choicew chosen[AB_MAX_POINTS])
{
    const maskw second = chosen[1].found, third = chosen[2].found;
    const u32w count = countu(countu(countu(splatu(1), second), third), chosen[3].found);
    const choicew next = pick_choice(third, chosen[2], chosen[3]);
    chosen[2] = pick_choice(andm(second, third), chosen[2], chosen[3]);
    chosen[1] = pick_choice(second, chosen[1], next);
    return count;
}
