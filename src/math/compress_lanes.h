// A table to compress eight lanes, for instruction sets without a compress instruction.
#ifndef AB_COMPRESS_LANES_H
#define AB_COMPRESS_LANES_H

#include <stdint.h>

// Byte k of entry m is the index of the k-th bit set in m: the source of lane k under mask m.
#define AB_BIT(m, k) ((uint64_t)((m) >> (k)&1))
#define AB_BELOW2(m) (AB_BIT(m, 0) + AB_BIT(m, 1))
#define AB_BELOW3(m) (AB_BELOW2(m) + AB_BIT(m, 2))
#define AB_BELOW4(m) (AB_BELOW3(m) + AB_BIT(m, 3))
#define AB_BELOW5(m) (AB_BELOW4(m) + AB_BIT(m, 4))
#define AB_BELOW6(m) (AB_BELOW5(m) + AB_BIT(m, 5))
#define AB_BELOW7(m) (AB_BELOW6(m) + AB_BIT(m, 6))
#define AB_KEPT(m)                                                                                                     \
    (AB_BIT(m, 1) << 8 * AB_BIT(m, 0) | AB_BIT(m, 2) * 2 << 8 * AB_BELOW2(m) | AB_BIT(m, 3) * 3 << 8 * AB_BELOW3(m) |  \
     AB_BIT(m, 4) * 4 << 8 * AB_BELOW4(m) | AB_BIT(m, 5) * 5 << 8 * AB_BELOW5(m) |                                     \
     AB_BIT(m, 6) * 6 << 8 * AB_BELOW6(m) | AB_BIT(m, 7) * 7 << 8 * AB_BELOW7(m))
#define AB_KEPT4(m)  AB_KEPT(m), AB_KEPT((m) + 1), AB_KEPT((m) + 2), AB_KEPT((m) + 3)
#define AB_KEPT16(m) AB_KEPT4(m), AB_KEPT4((m) + 4), AB_KEPT4((m) + 8), AB_KEPT4((m) + 12)
#define AB_KEPT64(m) AB_KEPT16(m), AB_KEPT16((m) + 16), AB_KEPT16((m) + 32), AB_KEPT16((m) + 48)

static const uint64_t ab_compress_lanes[256] = { AB_KEPT64(0), AB_KEPT64(64), AB_KEPT64(128), AB_KEPT64(192) };

#endif
