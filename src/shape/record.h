// A shape with its pose, as the kernels read it.
#ifndef AB_RECORD_H
#define AB_RECORD_H

#include "shape/kinds.h"

// A collider as kernels read it; one cache line. The position is its body's. The rotated offset of a collider away from
// its body's origin is in ab_proxies.offset, so that kernels subtract positions before they add offsets.
typedef struct ab_record
{
    float position[3];
    float half_x;
    float axis[9]; // axis[3 * i + k]: component k, in the world, of the shape's own axis i
    float half_y, half_z;
    uint32_t collider_key; // body slot << 8 | ordinal in its body: the canonical order of colliders
} ab_record;

// The record of a valid shape at a valid pose. A sphere has its radius as all three half extents; a capsule its radius,
// half its segment, and its radius again. A kind that does not rotate has the world's axes.
void ab_record_make(ab_record *out, const ab_kind_set *kinds, const abut_shape *shape, const abut_pose *pose,
                    uint32_t order);

#endif
