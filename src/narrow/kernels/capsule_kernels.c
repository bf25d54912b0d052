// The narrow-phase kernels of capsules, of one instruction set, in space and in the plane.
#include "narrow/kernels/capsule_kernels.h"

#include "base/kernels.h"
#include "math/lanes.h"

#include <float.h>

#include "narrow/kernels/kernel_common.inl"

#include "narrow/kernels/line_points.inl"

#include "narrow/kernels/capsule_capsule.inl"

#include "narrow/kernels/capsule_box.inl"
