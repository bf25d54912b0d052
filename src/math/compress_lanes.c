// The table of compress_lanes.h, once for all units and instruction sets.
#include "math/compress_lanes.h"

#define BIT(m, k) ((uint64_t)((m) >> (k)&1))
#define BELOW2(m) (BIT(m, 0) + BIT(m, 1))
#define BELOW3(m) (BELOW2(m) + BIT(m, 2))
#define BELOW4(m) (BELOW3(m) + BIT(m, 3))
#define BELOW5(m) (BELOW4(m) + BIT(m, 4))
#define BELOW6(m) (BELOW5(m) + BIT(m, 5))
#define BELOW7(m) (BELOW6(m) + BIT(m, 6))
#define KEPT(m)                                                                                                        \
    (BIT(m, 1) << 8 * BIT(m, 0) | BIT(m, 2) * 2 << 8 * BELOW2(m) | BIT(m, 3) * 3 << 8 * BELOW3(m) |                    \
     BIT(m, 4) * 4 << 8 * BELOW4(m) | BIT(m, 5) * 5 << 8 * BELOW5(m) | BIT(m, 6) * 6 << 8 * BELOW6(m) |                \
     BIT(m, 7) * 7 << 8 * BELOW7(m))
#define KEPT4(m)  KEPT(m), KEPT((m) + 1), KEPT((m) + 2), KEPT((m) + 3)
#define KEPT16(m) KEPT4(m), KEPT4((m) + 4), KEPT4((m) + 8), KEPT4((m) + 12)
#define KEPT64(m) KEPT16(m), KEPT16((m) + 16), KEPT16((m) + 32), KEPT16((m) + 48)

const uint64_t ab_compress_lanes[256] = { KEPT64(0), KEPT64(64), KEPT64(128), KEPT64(192) };
