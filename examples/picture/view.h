// A camera: projects points of the world to a picture, and back.
#ifndef ABUT_PICTURE_VIEW_H
#define ABUT_PICTURE_VIEW_H

#include "canvas.h"

#include <abut/math.h>

typedef struct view
{
    abut_vec3 eye, right, up, forward; // unit vectors at right angles
    float focal;                       // pixels a metre at depth 1; of a parallel view, at any depth
    float centre_x, centre_y;          // the pixel that `forward` points at
    bool parallel;                     // no perspective: for shadows
} view;

// Looks along `direction` (not straight up or down).
view view_along(abut_vec3 eye, abut_vec3 direction);

float view_depth(const view *camera, abut_vec3 point); // metres along `forward`
canvas_point view_project(const view *camera, abut_vec3 point);
abut_vec3 view_unproject(const view *camera, canvas_point pixel, float depth);

#endif
