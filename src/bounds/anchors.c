// How far one body has moved: the scalar form of anchor_kernels.c.
#include "bounds/anchors.h"

#include <math.h>

// The rotation from `from` to `to`, which need not be unit quaternions.
static void find_turn(abut_quat from, abut_quat to, float turn[3])
{
    const float cosine = from.x * to.x + from.y * to.y + from.z * to.z + from.w * to.w;
    const float lengths = sqrtf(from.x * from.x + from.y * from.y + from.z * from.z + from.w * from.w) *
                          sqrtf(to.x * to.x + to.y * to.y + to.z * to.z + to.w * to.w);
    const float twice = (cosine < 0.0f ? -2.0f : 2.0f) / lengths; // of half the angle: q and -q are one rotation
    turn[0] = twice * (from.w * to.x - to.w * from.x - (to.y * from.z - to.z * from.y));
    turn[1] = twice * (from.w * to.y - to.w * from.y - (to.z * from.x - to.x * from.z));
    turn[2] = twice * (from.w * to.z - to.w * from.z - (to.x * from.y - to.y * from.x));
}

ab_shift ab_shift_between(const abut_pose *anchor, const abut_pose *pose)
{
    ab_shift shift = { .way = { pose->position.x - anchor->position.x, pose->position.y - anchor->position.y,
                                pose->position.z - anchor->position.z } };
    find_turn(anchor->rotation, pose->rotation, shift.turn);
    return shift;
}
