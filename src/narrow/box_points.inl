// Four of the candidates of a face contact: the deepest, and three that span as much area with it as any three do, nearly.
//
// Every pass over the twelve slots is a search for the largest of a score whose four lowest bits name the slot, so that
// one maximum finds both; the place is then looked up by the bits. What these bits cost, a millionth of a score, decides
// between equals only.

typedef struct choicew
{
    f32w u, v;
    u32w slot;
    maskw found;
} choicew;

// The candidates from the first point on: places relative to it, zero where there is no candidate.
typedef struct fieldw
{
    f32w u[12], v[12];
    f32w score[12];
    f32w slop; // places nearer to each other are one
} fieldw;

AB_INLINE f32w with_slot(f32w score, uint32_t slot)
{
    return floatu(mergeu(bitsw(score), splatu(~15u), splatu(slot)));
}

// The place that has the score; exactly one has.
AB_INLINE choicew look_up(const fieldw *field, f32w best)
{
    choicew choice = { splatw(0.0f), splatw(0.0f), andu(bitsw(best), splatu(15u)), first_lanes(LANES) };
    for (int k = 0; k < 12; ++k)
    {
        maskw here = equ(bitsw(best), bitsw(field->score[k]));
        choice.u = takew(choice.u, here, field->u[k]);
        choice.v = takew(choice.v, here, field->v[k]);
    }
    return choice;
}

AB_INLINE choicew pick_choice(maskw m, choicew a, choicew b)
{
    choicew choice = { pickw(m, a.u, b.u), pickw(m, a.v, b.v), picku(m, a.slot, b.slot), first_lanes(LANES) };
    return choice;
}

// The deepest candidate that is within the limit; among equals, and within 2^-14 of the distance, the one farthest in a
// fixed direction of the face, so that rounding does not choose. Without candidates, the incident face's deepest corner.
AB_INLINE choicew deepest_point(const facesw *f, const candidatesw *c, f32w limit, fieldw *field, u32w *count)
{
    const f32w bias_u = splatw(6.1035156e-5f * 0.8f), bias_v = splatw(6.1035156e-5f * 0.6f);
    const f32w none = splatw(1e-30f); // above what the bits of a slot come to, below any score
    f32w reach_u = addw(f->half_u, field->slop), reach_v = addw(f->half_v, field->slop);
    f32w top = addw(addw(limit, field->slop), addw(mulw(bias_u, reach_u), mulw(bias_v, reach_v)));
    f32w best = splatw(0.0f);
    *count = splatu(0);
    for (uint32_t k = 0; k < 12; ++k)
    {
        maskw near = andm(c->valid[k], lew(c->at[k].z, limit));
        field->u[k] = c->at[k].x;
        field->v[k] = c->at[k].y;
        f32w bias = addw(mulw(c->at[k].x, bias_u), mulw(c->at[k].y, bias_v));
        field->score[k] = with_slot(keepw(near, addw(subw(top, c->at[k].z), bias)), k);
        best = maxw(best, field->score[k]);
        *count = countu(*count, near);
    }
    choicew deepest = look_up(field, best);
    for (int k = 0; k < 12; ++k)
    {
        maskw near = gtw(field->score[k], none);
        field->u[k] = keepw(near, subw(field->u[k], deepest.u));
        field->v[k] = keepw(near, subw(field->v[k], deepest.v));
    }

    const v3w e = f->along[0], g = f->along[1];
    v3w corner = v3w_sub(v3w_sub(f->centre, v3w_signed(e, e.z)), v3w_signed(g, g.z));
    u32w slot = oru(shru(bitsw(e.z), 31), shlu(shru(bitsw(g.z), 31), 1));
    choicew lowest = { corner.x, corner.y, addu(slot, splatu(12)), first_lanes(LANES) };
    return pick_choice(gtw(best, none), deepest, lowest);
}

AB_INLINE choicew farthest_point(fieldw *field)
{
    f32w best = splatw(0.0f), least = mulw(splatw(4.0f), mulw(field->slop, field->slop));
    for (uint32_t k = 0; k < 12; ++k)
    {
        f32w square = addw(mulw(field->u[k], field->u[k]), mulw(field->v[k], field->v[k]));
        field->score[k] = with_slot(square, k);
        best = maxw(best, field->score[k]);
    }
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
        f32w area = subw(mulw(end.u, field->v[k]), mulw(end.v, field->u[k]));
        field->score[k] = with_slot(area, k);
        most = k ? maxw(most, field->score[k]) : field->score[k];
        fewest = k ? minw(fewest, field->score[k]) : field->score[k];
    }
    *left = look_up(field, most);
    left->found = andm(end.found, gtw(most, least));
    *right = look_up(field, fewest);
    right->found = andm(end.found, ltw(fewest, negw(least)));
}

// The three or four chosen so far as a triangle or two on the line from left to right.
typedef struct sidesw
{
    choicew left, right; // where one side of the first line is empty, its end stands for it
    choicew lone;        // there, the other side
    f32w lone_u, lone_v; // there, the line from the first point to it, so that the triangle is on its right; or zero
    f32w line_u, line_v; // from left to right
    f32w line;           // what a place on that line scores
} sidesw;

AB_INLINE sidesw sides_of(const choicew chosen[AB_MAX_POINTS])
{
    const maskw no_left = notm(chosen[2].found), no_right = notm(chosen[3].found);
    sidesw sides;
    sides.left = pick_choice(no_left, chosen[1], chosen[2]);
    sides.right = pick_choice(no_right, chosen[1], chosen[3]);
    sides.lone = pick_choice(no_left, chosen[3], chosen[2]);
    sides.lone_u = keepw(orm(no_left, no_right), negw_where(no_left, sides.lone.u));
    sides.lone_v = keepw(orm(no_left, no_right), negw_where(no_left, sides.lone.v));
    sides.line_u = subw(sides.right.u, sides.left.u);
    sides.line_v = subw(sides.right.v, sides.left.v);
    sides.line = subw(mulw(sides.right.u, sides.left.v), mulw(sides.right.v, sides.left.u));
    return sides;
}

AB_INLINE f32w past_line(const sidesw *s, f32w u, f32w v)
{
    return subw(subw(mulw(s->line_u, v), mulw(s->line_v, u)), s->line);
}

AB_INLINE f32w past_lone(const sidesw *s, f32w u, f32w v)
{
    return subw(mulw(s->lone_u, v), mulw(s->lone_v, u));
}

// The point farthest outside, and what lies opposite the first point once it is added: itself, or the lone side.
AB_INLINE choicew opposite_point(fieldw *field, const sidesw *sides)
{
    f32w best = splatw(0.0f);
    for (uint32_t k = 0; k < 12; ++k)
    {
        f32w outside = maxw(past_line(sides, field->u[k], field->v[k]), past_lone(sides, field->u[k], field->v[k]));
        field->score[k] = with_slot(outside, k);
        best = maxw(best, field->score[k]);
    }
    choicew added = look_up(field, best);
    maskw beside = gtw(past_lone(sides, added.u, added.v), past_line(sides, added.u, added.v));
    choicew opposite = pick_choice(beside, sides->lone, added);
    opposite.found = gtw(best, mulw(mulw(splatw(2.0f), field->slop), addw(absw(sides->line_u), absw(sides->line_v))));
    return opposite;
}

AB_INLINE choicew replace(maskw m, choicew a, choicew b)
{
    choicew choice = pick_choice(m, a, b);
    choice.found = pickm(m, a.found, b.found);
    return choice;
}

// Where there are more candidates than were chosen: lets the one farthest outside in, and seeks the sides once more.
AB_INLINE void choose_again(fieldw *field, maskw again, choicew chosen[AB_MAX_POINTS])
{
    sidesw sides = sides_of(chosen);
    choicew opposite = opposite_point(field, &sides), left, right;
    farthest_beside(field, opposite, &left, &right);
    again = andm(again, opposite.found);
    chosen[1] = replace(again, opposite, chosen[1]);
    chosen[2] = replace(again, left, chosen[2]);
    chosen[3] = replace(again, right, chosen[3]);
}

// The deepest; the farthest from it; the farthest to either side of the line between them; better ones where there may be.
AB_INLINE void choose_points(const facesw *f, const candidatesw *c, f32w limit, choicew chosen[AB_MAX_POINTS])
{
    fieldw field;
    u32w count;
    field.slop = maxw(f->slop, splatw(1e-18f)); // above what the bits of a slot can add
    chosen[0] = deepest_point(f, c, limit, &field, &count);
    chosen[1] = farthest_point(&field);
    farthest_beside(&field, chosen[1], &chosen[2], &chosen[3]);

    const maskw both = andm(chosen[2].found, chosen[3].found), some = orm(chosen[2].found, chosen[3].found);
    const maskw again = andm(some, gtu(count, picku(both, splatu(4), splatu(3))));
    if (anym(again))
    {
        choose_again(&field, again, chosen);
    }
    for (int k = 1; k < 4; ++k)
    {
        chosen[k].u = addw(chosen[0].u, chosen[k].u);
        chosen[k].v = addw(chosen[0].v, chosen[k].v);
    }
}
