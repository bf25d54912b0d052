// Side by side, each through the same camera: from one side and above, or straight down on two dimensions.
#include "views.h"

#include <abut/fit.h>

#include <math.h>
#include <stdio.h>

// A camera without perspective.
typedef struct sight
{
    abut_vec3 centre, right, up, towards; // the last from the cloud to the eye
    float scale;                          // pixels a metre
    float x, y;                           // pixels: where the centre is
} sight;

static sight sight_of(const canvas *picture, const points *p, int index, int count)
{
    abut_placed_shape ball;
    sight s = { .right = { 0.8f, 0.0f, -0.6f }, .up = { -0.24f, 0.92f, -0.32f }, .towards = { 0.55f, 0.4f, 0.73f } };
    if (p->dimension == 2)
    {
        s = (sight){ .right = { 1, 0, 0 }, .up = { 0, 1, 0 }, .towards = { 0, 0, 1 } };
    }
    const float panel = (float)picture->width / (float)count;
    s.x = panel * ((float)index + 0.5f);
    s.y = (float)picture->height * 0.54f;
    s.scale = 1.0f;
    if (abut_fit_sphere_fast(p->xyz, p->count, 0, &ball) == ABUT_OK)
    {
        const float room = panel < (float)picture->height ? panel : (float)picture->height;
        s.centre = ball.pose.position;
        s.scale = ball.shape.sphere.radius > 0.0f ? 0.36f * room / ball.shape.sphere.radius : 1.0f;
    }
    return s;
}

static canvas_point seen(const sight *s, abut_vec3 at)
{
    const abut_vec3 from = abut_vec3_sub(at, s->centre);
    return (canvas_point){ s->x + s->scale * abut_vec3_dot(from, s->right),
                           s->y - s->scale * abut_vec3_dot(from, s->up) };
}

// The edges that meet in the corner farthest from the eye are drawn faintly, as are all behind the points.
static void draw_edges(canvas *picture, const sight *s, const abut_vec3 corner[8], bool behind)
{
    unsigned far = 0;
    for (unsigned i = 1; i < 8; ++i)
    {
        far = abut_vec3_dot(corner[i], s->towards) < abut_vec3_dot(corner[far], s->towards) ? i : far;
    }
    for (unsigned i = 0; i < 8; ++i)
    {
        for (unsigned bit = 1; bit < 8; bit <<= 1)
        {
            const unsigned other = i ^ bit;
            const bool hidden = i == far || other == far;
            if (i < other && hidden == behind)
            {
                canvas_line(picture, seen(s, corner[i]), seen(s, corner[other]), hidden ? 1.0f : 2.0f,
                            canvas_hex(0xb03a2e, hidden ? 0.45f : 1.0f));
            }
        }
    }
}

static void draw_points(canvas *picture, const sight *s, const points *p)
{
    for (uint32_t i = 0; i < p->count; ++i)
    {
        const abut_vec3 at = { p->xyz[3 * i], p->xyz[3 * i + 1], p->xyz[3 * i + 2] };
        canvas_disc(picture, seen(s, at), 2.5f, canvas_hex(0x1f4e79, 0.8f));
    }
}

void views_draw(canvas *picture, const points *p, const fitted *f, int index, int count)
{
    const sight s = sight_of(picture, p, index, count);
    const float size = 1.6f, middle = s.x;
    abut_vec3 corner[8];
    char label[96];
    if (abut_shape_corners(&f->box.shape, &f->box.pose, corner) != ABUT_OK)
    {
        return;
    }
    if (p->dimension == 2)
    {
        const canvas_point side[4] = { seen(&s, corner[0]), seen(&s, corner[1]), seen(&s, corner[3]),
                                       seen(&s, corner[2]) };
        draw_points(picture, &s, p);
        canvas_outline(picture, side, 4, 2.0f, canvas_hex(0xb03a2e, 1.0f));
    }
    else
    {
        draw_edges(picture, &s, corner, true);
        draw_points(picture, &s, p);
        draw_edges(picture, &s, corner, false);
    }
    canvas_text(picture, (canvas_point){ middle - 0.5f * canvas_text_width(size, f->name), 16.0f }, size,
                canvas_hex(0x202020, 1.0f), f->name);
    (void)snprintf(label, sizeof label, "%s %.4g", p->dimension == 2 ? "area" : "volume", f->size);
    canvas_text(picture, (canvas_point){ middle - 0.5f * canvas_text_width(size, label), 38.0f }, size,
                canvas_hex(0x202020, 1.0f), label);
}
