// The kernel of mesh pairs, of one instruction set: a unit of their own.
#ifndef AB_TRIANGLE_KERNELS_H
#define AB_TRIANGLE_KERNELS_H

#include "narrow/convex/convex_outline.h"
#include "narrow/mesh/mesh_collide.h"

ab_narrow_kernel AB_ISA_NAME(ab_mesh_kernel);
ab_touching_kernel AB_ISA_NAME(ab_mesh_touching);

// With vectors of two doubles, it would take longer than one triangle after the other.
#if defined(AB_LANES_AVX2) || defined(AB_LANES_AVX512)
#define AB_TRIANGLE_ROWS
ab_triangle_row_kernel AB_ISA_NAME(ab_triangle_lay_row);
#endif

#endif
