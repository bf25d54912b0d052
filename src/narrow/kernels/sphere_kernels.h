// The kernel of two spheres, of one instruction set. Circles lie in a plane of space: in 2D it is the same.
#ifndef AB_SPHERE_KERNELS_H
#define AB_SPHERE_KERNELS_H

#include "narrow/narrow.h"

ab_narrow_kernel AB_ISA_NAME(ab_sphere_sphere);
ab_touching_kernel AB_ISA_NAME(ab_sphere_sphere_touching);

#endif
