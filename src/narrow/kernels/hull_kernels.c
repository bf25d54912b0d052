// The narrow-phase kernels of convex hulls, of one instruction set.
#include "narrow/kernels/hull_kernels.h"

#define AB_LANES_EIGHT_AT_MOST // the best of sixteen takes longer to find than a hull's few faces save
#include "base/assert.h"
#include "base/kernels.h"
#include "math/lanes.h"
#include "narrow/kernels/hull_points.h"
#include "narrow/kernels/hull_round.h"
#include "narrow/kernels/pair_by_pair.h"
#include "shape/hull.h"

#include "narrow/kernels/kernel_common.inl"

#include "narrow/kernels/hull_hull.inl"

#include "narrow/kernels/hull_round.inl"
