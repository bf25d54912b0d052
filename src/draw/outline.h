// Outlines of shapes known only by their support function.
#ifndef AB_OUTLINE_H
#define AB_OUTLINE_H

#include "draw/pen.h"
#include "shape/kinds.h"

// Draws, about each axis of the frame, a closed line through AB_CIRCLE_SEGMENTS points of the surface, or two where the
// surface between them is flat or straight: the rims of a cylinder, the faces of a box.
void ab_pen_outlines(ab_pen *pen, const ab_pen_frame *frame, const ab_kind_set *kinds, const abut_shape *shape);

#endif
