// Decides which bodies are anchored anew, and how far the others have moved, a vector of them at a time. Sums in the
// order of ab_shift_between: both give the same bits.
#include "bounds/anchors.h"

#include "base/kernels.h"
#include "bounds/transpose4.h"

#include <math.h>
#include <string.h>

#define MOST_TURN 0.1f // of the chord at distance 1: separations follow to first order only

// Bodies first to first + LANES; those past the end repeat the first one.
typedef struct group
{
    uint32_t first, count, slot[LANES];
    u32w state;
    f32w radius;
    maskw lives, immobile;
} group;

AB_INLINE maskw has(u32w states, uint32_t bit)
{
    return gtu(andu(states, splatu(bit)), splatu(0));
}

AB_INLINE void open_group(const ab_anchor_in *in, uint32_t first, uint32_t end, group *g)
{
    uint32_t state[LANES], generation[LANES];
    float radius[LANES];
    g->first = first;
    g->count = end - first < LANES ? end - first : LANES;
    for (uint32_t k = 0; k < LANES; ++k)
    {
        g->slot[k] = first + (k < g->count ? k : 0);
        state[k] = in->states[g->slot[k]];
        generation[k] = in->generations[g->slot[k]];
        radius[k] = in->radius[g->slot[k]];
    }
    g->state = loadu(state);
    g->radius = loadw(radius);
    g->lives = gtu(loadu(generation), splatu(0));
    g->immobile =
        orm(equ(andu(g->state, splatu(in->motion_mask)), splatu(in->static_motion)), has(g->state, in->asleep));
}

// Columns of four floats of the bodies' rows, which are `stride` floats apart.
AB_INLINE void columns(const group *g, const float *rows, size_t stride, f32w out[4])
{
    const float *at[LANES];
    for (uint32_t k = 0; k < LANES; ++k)
    {
        at[k] = rows + stride * g->slot[k];
    }
    gather_transpose4(at, out);
}

AB_INLINE f32w length(v3w v)
{
    return sqrtw(v3w_dot(v, v));
}

AB_INLINE f32w square(const f32w q[4])
{
    return addw(addw(addw(mulw(q[0], q[0]), mulw(q[1], q[1])), mulw(q[2], q[2])), mulw(q[3], q[3]));
}

// The rotation from `from` to `to`, which need not be unit quaternions.
AB_INLINE v3w turn_between(const f32w from[4], const f32w to[4])
{
    const f32w cosine =
        addw(addw(addw(mulw(from[0], to[0]), mulw(from[1], to[1])), mulw(from[2], to[2])), mulw(from[3], to[3]));
    const f32w way = pickw(ltw(cosine, splatw(0.0f)), splatw(-2.0f), splatw(2.0f)); // q and -q are one rotation
    // Of half the angle; the product of the squares may be past a float.
    const f32w twice = divw(way, mulw(sqrtw(square(from)), sqrtw(square(to))));
    const v3w a = v3w_make(from[0], from[1], from[2]), b = v3w_make(to[0], to[1], to[2]);
    const v3w both = v3w_sub(v3w_scale(b, from[3]), v3w_scale(a, to[3]));
    return v3w_scale(v3w_sub(both, v3w_cross(b, a)), twice);
}

// How the bodies have moved.
AB_INLINE void find_shifts(const ab_anchor_in *in, const group *g, v3w *way, v3w *turn)
{
    const size_t stride = sizeof(abut_pose) / sizeof(float),
                 to_rotation = offsetof(abut_pose, rotation) / sizeof(float);
    const float *const poses = &in->poses->position.x, *const anchors = &in->anchors->position.x;
    f32w from[4], to[4], position[4], anchor[4];
    columns(g, poses, stride, position);
    columns(g, anchors, stride, anchor);
    columns(g, anchors + to_rotation, stride, from);
    columns(g, poses + to_rotation, stride, to);
    *way = v3w_sub(v3w_make(position[0], position[1], position[2]), v3w_make(anchor[0], anchor[1], anchor[2]));
    *turn = turn_between(from, to);
}

// How far a point of the body can travel within the horizon.
AB_INLINE f32w find_reach(const ab_anchor_in *in, const group *g)
{
    f32w linear[4], angular[4]; // the latter begins with the end of the linear velocity
    if (!(in->horizon > 0.0f))
    {
        return splatw(0.0f);
    }
    const float *const velocities = &in->velocities->linear.x;
    columns(g, velocities, sizeof(abut_velocity) / sizeof(float), linear);
    columns(g, velocities + 2, sizeof(abut_velocity) / sizeof(float), angular);
    const f32w of_linear = length(v3w_make(linear[0], linear[1], linear[2]));
    const f32w of_angular = mulw(length(v3w_make(angular[1], angular[2], angular[3])), g->radius);
    return mulw(addw(of_linear, of_angular), splatw(in->horizon));
}

// What is found of a group.
typedef struct verdict
{
    maskw mobile, moved, near, calm;
} verdict;

// Every comparison is false for what is not finite: such a body counts as moved, and the bounds pass reports it.
AB_INLINE verdict judge(const ab_anchor_in *in, const group *g, v3w way, v3w turn)
{
    const f32w limit = splatw(0.5f * in->distance), chord = length(turn), reach = find_reach(in, g);
    const maskw swept = has(g->state, in->swept), edited = has(g->state, in->stale);
    const f32w farthest = addw(addw(length(way), mulw(chord, g->radius)), reach);
    const maskw within = andnotm(andm(lew(farthest, limit), lew(chord, splatw(MOST_TURN))), swept);
    const maskw near = andnotm(lew(reach, limit), swept), all = equ(splatu(in->all), splatu(1));
    const maskw mobile = andnotm(g->lives, g->immobile), never = eqw(g->radius, splatw(INFINITY));
    return (verdict){ .mobile = mobile,
                      .moved = orm(edited, pickm(mobile, orm(all, notm(within)), orm(notm(g->lives), never))),
                      .near = orm(near, notm(mobile)),
                      .calm = andm(mobile, orm(within, andm(edited, near))) };
}

AB_INLINE u32w flag(maskw m, uint32_t what)
{
    return picku(m, splatu(what), splatu(0));
}

AB_INLINE u32w known_of(verdict v)
{
    const u32w calm = flag(v.calm, AB_ANCHOR_CALM), moved = flag(v.moved, AB_ANCHOR_MOVED),
               immobile = flag(notm(orm(v.mobile, v.moved)), AB_ANCHOR_IMMOBILE);
    return oru(oru(flag(v.near, AB_ANCHOR_NEAR), calm), oru(moved, immobile));
}

AB_INLINE void write_known(const ab_anchor_out *out, const group *g, verdict v, u32w all)
{
    uint32_t known[LANES], near[LANES];
    storeu(known, all);
    storeu(near, flag(v.near, 1));
    for (uint32_t k = 0; k < g->count; ++k)
    {
        out->known[g->first + k] = (uint8_t)known[k];
        out->stale[g->first + k] = (uint8_t)(1 - near[k]);
    }
}

AB_INLINE void write_anchors(const ab_anchor_in *in, const ab_anchor_out *out, const group *g, uint32_t moved)
{
    for (uint32_t k = 0; k < g->count; ++k)
    {
        const abut_pose *from = moved >> k & 1u ? in->poses : in->anchors;
        out->anchors[g->first + k] = from[g->first + k];
    }
}

AB_INLINE void write_shifts(const ab_anchor_out *out, const group *g, const verdict *v, v3w way, v3w turn)
{
    const uint32_t stride = sizeof(ab_shift) / sizeof(float);
    const maskw stands = andnotm(v->mobile, v->moved);
    const v3w w = v3w_keep(stands, way), t = v3w_keep(stands, turn);
    const f32w moved = keepw(v->moved, splatw(AB_SHIFT_MOVED)),
               immobile = keepw(notm(v->mobile), splatw(AB_SHIFT_IMMOBILE));
    const f32w ways[4] = { w.x, w.y, w.z, splatw(0.0f) }, turns[4] = { t.x, t.y, t.z, addw(moved, immobile) };
    ab_shift last[LANES];
    ab_shift *const to = g->count == LANES ? &out->shifts[g->first] : last;
    scatter_transpose4(to->way, stride, ways);
    scatter_transpose4(to->turn, stride, turns);
    if (to == last)
    {
        memcpy(&out->shifts[g->first], last, g->count * sizeof *last);
    }
}

static ab_anchor_counts find(const ab_anchor_in *given, const ab_anchor_out *to, uint32_t first, uint32_t end)
{
    const ab_anchor_in in = *given; // copies: the compiler need not assume that stores change them
    const ab_anchor_out out = *to;
    ab_anchor_counts counts = { 0 };
    for (uint32_t i = first; i < end; i += LANES)
    {
        group g;
        v3w way, turn;
        open_group(&in, i, end, &g);
        find_shifts(&in, &g, &way, &turn);
        const verdict v = judge(&in, &g, way, turn);
        const maskw inside = first_lanes(g.count), stands = andm(andnotm(v.mobile, v.moved), inside);
        write_known(&out, &g, v, known_of(v));
        write_anchors(&in, &out, &g, bitsm(v.moved));
        if (out.shifts)
        {
            write_shifts(&out, &g, &v, way, turn);
        }
        counts.edited += countm(andm(andm(v.moved, g.lives), andm(g.immobile, inside)));
        counts.mobile += countm(andm(v.mobile, inside));
        counts.calm += countm(andm(v.calm, inside));
        counts.standing += countm(stands);
    }
    return counts;
}

const ab_anchor_kernels AB_ISA_NAME(ab_anchor_kernels) = { find };
