// What a camera sees at each pixel: the nearest surface, kept as depth, normal and paint, to be lit afterwards.
#ifndef ABUT_PICTURE_SURFACE_H
#define ABUT_PICTURE_SURFACE_H

#include "view.h"

#include <abut/shape.h>

typedef struct surface_pixel
{
    float depth; // metres along the view; INFINITY: nothing
    abut_vec3 normal;
    uint32_t paint; // whatever number the solid was drawn with
} surface_pixel;

typedef struct surface
{
    view camera;
    int width, height;
    surface_pixel *pixels;
} surface;

bool surface_open(surface *s, const view *camera, int width, int height); // false: out of memory
void surface_close(surface *s);

// Draws a sphere, a box, a hull or a mesh. False for another kind of shape, which is not drawn.
bool surface_add(surface *s, const abut_shape *shape, const abut_pose *pose, uint32_t paint);

static inline const surface_pixel *surface_at(const surface *s, int x, int y)
{
    return x < 0 || y < 0 || x >= s->width || y >= s->height ? NULL
                                                             : &s->pixels[(size_t)y * (size_t)s->width + (size_t)x];
}

#endif
