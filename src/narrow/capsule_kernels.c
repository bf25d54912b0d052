// The narrow-phase kernels of capsules, of one instruction set, in space and in the plane.
#include "narrow/capsule_kernels.h"

#include "base/kernels.h"
#include "math/lanes.h"

#include <float.h>

#include "narrow/kernel_common.inl"

#include "narrow/line_points.inl"

#include "narrow/capsule_capsule.inl"

#include "narrow/capsule_box.inl"
