// Draws the outline of any shape from its support function. A ring connects the support points of directions all around
// an axis. The directions lean slightly to one side of the ring's plane, and a second ring's to the other. Where both
// rings agree up to the lean, the surface is curved there and one ring is drawn; elsewhere both are.
#include "draw/outline.h"

#include "math/frame.h"
#include "math/rotation.h"
#include "narrow/convex/convex.h"
#include "shape/shape_table.h"

#include <math.h>

#define LEAN 1e-6 // radians
// radians: offsets a ring's first direction from the axis, along which all of a cylinder's cap is equally far
#define TURN 1e-2
#define SAME 1e-3 // of the size: more than the lean moves a point of a curved surface

// The shape at the origin, aligned with the frame's axes.
static void convex_alone(ab_convex *out, const ab_kind_set *kinds, const abut_shape *shape)
{
    const ab_frame frame = { .axis = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
    ab_convex_at(out, kinds, shape, &frame, false);
}

static abut_vec3 farthest(const ab_convex *convex, const double direction[3])
{
    double point[3];
    const double scale = convex->core.rounding / sqrt(ab_dot(direction, direction));
    ab_convex_support(convex, direction, point);
    ab_along(point, scale, direction, point);
    return abut_vec3_make((float)point[0], (float)point[1], (float)point[2]);
}

static void find_ring(const ab_convex *convex, uint32_t axis, double lean, abut_vec3 ring[AB_CIRCLE_SEGMENTS])
{
    for (uint32_t i = 0; i < AB_CIRCLE_SEGMENTS; ++i)
    {
        double direction[3], sine, cosine;
        (void)ab_sincos(TURN + 6.283185307179586 * (double)i / AB_CIRCLE_SEGMENTS, &sine,
                        &cosine); // cannot fail: finite, far below 1e15
        direction[axis] = lean;
        direction[(axis + 1) % 3] = cosine;
        direction[(axis + 2) % 3] = sine;
        ring[i] = farthest(convex, direction);
    }
}

static bool rings_differ(const abut_vec3 *a, const abut_vec3 *b, double size)
{
    for (uint32_t i = 0; i < AB_CIRCLE_SEGMENTS; ++i)
    {
        const abut_vec3 d = abut_vec3_sub(a[i], b[i]);
        if ((double)abut_vec3_dot(d, d) > SAME * SAME * size * size)
        {
            return true;
        }
    }
    return false;
}

static void draw_ring(ab_pen *pen, const ab_pen_frame *frame, const abut_vec3 ring[AB_CIRCLE_SEGMENTS])
{
    abut_vec3 last = ring[AB_CIRCLE_SEGMENTS - 1];
    last = abut_vec3_add(frame->origin, abut_mat3_mul_vec3(&frame->axes, last));
    for (uint32_t i = 0; i < AB_CIRCLE_SEGMENTS; ++i)
    {
        const abut_vec3 next = abut_vec3_add(frame->origin, abut_mat3_mul_vec3(&frame->axes, ring[i]));
        ab_pen_line(pen, last, next);
        last = next;
    }
}

void ab_pen_outlines(ab_pen *pen, const ab_pen_frame *frame, const ab_kind_set *kinds, const abut_shape *shape)
{
    ab_convex convex;
    convex_alone(&convex, kinds, shape);
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        abut_vec3 ring[2][AB_CIRCLE_SEGMENTS];
        find_ring(&convex, axis, LEAN, ring[0]);
        find_ring(&convex, axis, -LEAN, ring[1]);
        draw_ring(pen, frame, ring[0]);
        if (rings_differ(ring[0], ring[1], convex.size))
        {
            draw_ring(pen, frame, ring[1]);
        }
    }
}
