// On which side of a plane a point lies, exactly.
#ifndef AB_ORIENT_H
#define AB_ORIENT_H

#include <abut/math.h>

// The sign of (d - a) . ((b - a) x (c - a)): 1 when d is on the side from which a, b, c turn counter-clockwise, -1 on
// the other, 0 in their plane. Exact for all finite floats.
int ab_orient(abut_vec3 a, abut_vec3 b, abut_vec3 c, abut_vec3 d);

#endif
