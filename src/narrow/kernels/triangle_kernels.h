// The kernel of mesh pairs, of one instruction set: a unit of their own.
#ifndef AB_TRIANGLE_KERNELS_H
#define AB_TRIANGLE_KERNELS_H

#include "narrow/mesh/mesh_collide.h"

ab_narrow_kernel AB_ISA_NAME(ab_mesh_kernel);
ab_touching_kernel AB_ISA_NAME(ab_mesh_touching);

#endif
