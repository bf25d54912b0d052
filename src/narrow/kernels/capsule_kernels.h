// The kernels of capsules with boxes and with each other, of one instruction set: a unit of their own.
#ifndef AB_CAPSULE_KERNELS_H
#define AB_CAPSULE_KERNELS_H

#include "narrow/narrow.h"

ab_narrow_kernel AB_ISA_NAME(ab_box_capsule), AB_ISA_NAME(ab_capsule_capsule);
ab_touching_kernel AB_ISA_NAME(ab_box_capsule_touching), AB_ISA_NAME(ab_capsule_capsule_touching);

// In 2D.
ab_narrow_kernel AB_ISA_NAME(ab_rect_capsule), AB_ISA_NAME(ab_capsule_capsule_2d);
ab_touching_kernel AB_ISA_NAME(ab_rect_capsule_touching), AB_ISA_NAME(ab_capsule_capsule_2d_touching);

#endif
