// The kernels of convex hulls with balls, capsules, boxes and each other, of one instruction set: a unit of their own.
#ifndef AB_HULL_KERNELS_H
#define AB_HULL_KERNELS_H

#include "narrow/narrow.h"

ab_narrow_kernel AB_ISA_NAME(ab_sphere_hull), AB_ISA_NAME(ab_capsule_hull), AB_ISA_NAME(ab_box_hull),
    AB_ISA_NAME(ab_hull_hull);
ab_touching_kernel AB_ISA_NAME(ab_sphere_hull_touching), AB_ISA_NAME(ab_capsule_hull_touching),
    AB_ISA_NAME(ab_box_hull_touching), AB_ISA_NAME(ab_hull_hull_touching);

#endif
