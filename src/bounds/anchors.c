// Decides which bodies are anchored anew, and how far the others have moved.
#include "bounds/anchors.h"

#include <math.h>

#define MOST_TURN 0.1f // of the chord at distance 1: separations follow to first order only

static float length(const float v[3])
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// The rotation from `from` to `to`, which need not be unit quaternions.
static void find_turn(abut_quat from, abut_quat to, float turn[3])
{
    const float cosine = from.x * to.x + from.y * to.y + from.z * to.z + from.w * to.w;
    const float squares = (from.x * from.x + from.y * from.y + from.z * from.z + from.w * from.w) *
                          (to.x * to.x + to.y * to.y + to.z * to.z + to.w * to.w);
    const float twice = (cosine < 0.0f ? -2.0f : 2.0f) / sqrtf(squares); // of half the angle: q and -q are one rotation
    turn[0] = twice * (from.w * to.x - to.w * from.x - (to.y * from.z - to.z * from.y));
    turn[1] = twice * (from.w * to.y - to.w * from.y - (to.z * from.x - to.x * from.z));
    turn[2] = twice * (from.w * to.z - to.w * from.z - (to.x * from.y - to.y * from.x));
}

// How far a point of the body can travel within the horizon.
static float reach_of(const abut_velocity *velocity, float radius, float horizon)
{
    const float linear[3] = { velocity->linear.x, velocity->linear.y, velocity->linear.z };
    const float angular[3] = { velocity->angular.x, velocity->angular.y, velocity->angular.z };
    return (length(linear) + length(angular) * radius) * horizon;
}

static void set_shift(const ab_anchor_out *out, uint32_t slot, ab_shift shift)
{
    if (out->shifts)
    {
        out->shifts[slot] = shift;
    }
}

static void anchor_here(const ab_anchor_in *in, const ab_anchor_out *out, uint32_t slot)
{
    static const ab_shift none = { .way = { 0.0f } };
    out->anchors[slot] = in->poses[slot];
    set_shift(out, slot, none);
}

static inline ab_shift shift_between(const abut_pose *anchor, const abut_pose *pose)
{
    ab_shift shift = { .way = { pose->position.x - anchor->position.x, pose->position.y - anchor->position.y,
                                pose->position.z - anchor->position.z } };
    find_turn(anchor->rotation, pose->rotation, shift.turn);
    return shift;
}

ab_shift ab_shift_between(const abut_pose *anchor, const abut_pose *pose)
{
    return shift_between(anchor, pose);
}

static bool is_immobile(const ab_anchor_in *in, uint32_t state)
{
    return (state & in->motion_mask) == in->static_motion || (state & in->asleep) != 0;
}

// Every comparison is false for what is not finite: such a body counts as moved, and the bounds pass reports it.
static uint32_t find_mobile(const ab_anchor_in *in, const ab_anchor_out *out, uint32_t slot)
{
    const abut_pose *pose = &in->poses[slot], *anchor = &in->anchors[slot];
    const float radius = in->radius[slot], limit = 0.5f * in->distance;
    const ab_shift shift = shift_between(anchor, pose);
    const float reach = in->horizon > 0.0f ? reach_of(&in->velocities[slot], radius, in->horizon) : 0.0f;
    const float chord = length(shift.turn);
    const bool swept = (in->states[slot] & in->swept) != 0, edited = (in->states[slot] & in->stale) != 0;
    const bool within = length(shift.way) + chord * radius + reach <= limit && chord <= MOST_TURN && !swept;
    const bool near = reach <= limit && !swept;
    const uint32_t known = (near ? AB_ANCHOR_NEAR : 0u) | (within || (edited && near) ? AB_ANCHOR_CALM : 0u);
    if (in->all || edited || !within)
    {
        anchor_here(in, out, slot);
        out->stale[slot] = !near;
        return AB_ANCHOR_MOVED | known;
    }
    out->anchors[slot] = *anchor;
    set_shift(out, slot, shift);
    out->stale[slot] = false;
    return known;
}

static uint32_t find(const ab_anchor_in *in, const ab_anchor_out *out, uint32_t slot)
{
    const uint32_t state = in->states[slot];
    const bool lives = in->generations[slot] != 0;
    if (lives && !is_immobile(in, state))
    {
        return find_mobile(in, out, slot);
    }
    out->stale[slot] = false;
    if (!lives || (state & in->stale) != 0 || isinf(in->radius[slot]))
    {
        anchor_here(in, out, slot);
        return AB_ANCHOR_MOVED | AB_ANCHOR_NEAR;
    }
    out->anchors[slot] = in->anchors[slot];
    set_shift(out, slot, (ab_shift){ .way = { 0.0f } });
    return AB_ANCHOR_IMMOBILE | AB_ANCHOR_NEAR;
}

ab_anchor_counts ab_anchors_find(const ab_anchor_in *given, const ab_anchor_out *to, uint32_t first, uint32_t end)
{
    const ab_anchor_in in = *given; // copies: the compiler need not assume that stores change them
    const ab_anchor_out out = *to;
    ab_anchor_counts counts = { 0 };
    for (uint32_t slot = first; slot < end; ++slot)
    {
        const uint32_t known = find(&in, &out, slot);
        const bool immobile = is_immobile(&in, in.states[slot]), lives = in.generations[slot] != 0;
        out.known[slot] = (uint8_t)known;
        counts.edited += (known & AB_ANCHOR_MOVED) != 0 && lives && immobile;
        counts.mobile += lives && !immobile;
        counts.calm += (known & AB_ANCHOR_CALM) != 0;
        counts.standing += (known & (AB_ANCHOR_MOVED | AB_ANCHOR_IMMOBILE)) == 0;
    }
    return counts;
}
