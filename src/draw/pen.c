// Draws lines, and crosses and boxes made of them.
#include "draw/pen.h"

void ab_pen_line(ab_pen *pen, abut_vec3 from, abut_vec3 to)
{
    if (pen->count < pen->capacity)
    {
        pen->out[pen->count] = (abut_line){ from, to, pen->kind, pen->index, pen->flags };
    }
    ++pen->count;
}

void ab_pen_cross(ab_pen *pen, abut_vec3 at, float half)
{
    const abut_mat3 arms = { { half, 0.0f, 0.0f }, { 0.0f, half, 0.0f }, { 0.0f, 0.0f, half } };
    ab_pen_line(pen, abut_vec3_sub(at, arms.x), abut_vec3_add(at, arms.x));
    ab_pen_line(pen, abut_vec3_sub(at, arms.y), abut_vec3_add(at, arms.y));
    ab_pen_line(pen, abut_vec3_sub(at, arms.z), abut_vec3_add(at, arms.z));
}

// Corner i is on the positive side of axis k if bit k of i is set; an edge joins corners that differ in one bit.
static void edges(ab_pen *pen, const abut_vec3 corner[8])
{
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        for (uint32_t i = 0; i < 8; ++i)
        {
            if ((i >> axis & 1u) == 0)
            {
                ab_pen_line(pen, corner[i], corner[i | 1u << axis]);
            }
        }
    }
}

void ab_pen_box(ab_pen *pen, const ab_pen_frame *frame, abut_vec3 half)
{
    abut_vec3 corner[8];
    for (uint32_t i = 0; i < 8; ++i)
    {
        const abut_vec3 local = { i & 1u ? half.x : -half.x, i & 2u ? half.y : -half.y, i & 4u ? half.z : -half.z };
        corner[i] = abut_vec3_add(frame->origin, abut_mat3_mul_vec3(&frame->axes, local));
    }
    edges(pen, corner);
}

void ab_pen_rectangle(ab_pen *pen, const ab_pen_frame *frame, float half_x, float half_y)
{
    abut_vec3 corner[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        const abut_vec3 local = { i == 1 || i == 2 ? half_x : -half_x, i >= 2 ? half_y : -half_y, 0.0f };
        corner[i] = abut_vec3_add(frame->origin, abut_mat3_mul_vec3(&frame->axes, local));
    }
    for (uint32_t i = 0; i < 4; ++i)
    {
        ab_pen_line(pen, corner[i], corner[(i + 1) % 4]);
    }
}

void ab_pen_aabb(ab_pen *pen, const abut_aabb *box)
{
    abut_vec3 corner[8];
    for (uint32_t i = 0; i < 8; ++i)
    {
        corner[i].x = i & 1u ? box->max.x : box->min.x;
        corner[i].y = i & 2u ? box->max.y : box->min.y;
        corner[i].z = i & 4u ? box->max.z : box->min.z;
    }
    edges(pen, corner);
}
