// A line is walked in short pieces, each of which is before or behind what the picture shows there; runs of pieces
// alike are drawn as one, those behind faintly.
#include "overlay.h"

#include "groups.h"

#include <math.h>

enum
{
    PIECES = 96
};

typedef struct pencil
{
    canvas_colour before, behind;
    float width; // pixels of the finished picture
} pencil;

static float distance_behind(const overlay *o, abut_vec3 point)
{
    const float depth = view_depth(&o->scene->camera, point);
    const canvas_point at = view_project(&o->scene->camera, point);
    const surface_pixel *pixel = surface_at(o->scene, (int)floorf(at.x), (int)floorf(at.y));
    return pixel ? depth - pixel->depth : -INFINITY;
}

static abut_vec3 along(const abut_line *line, int piece)
{
    return abut_vec3_add(line->from, abut_vec3_scale(abut_vec3_sub(line->to, line->from), (float)piece / PIECES));
}

static void draw_run(const overlay *o, const abut_line *line, int first, int end, const pencil *p, bool hidden)
{
    const view *camera = &o->scene->camera;
    canvas_line(o->picture, view_project(camera, along(line, first)), view_project(camera, along(line, end)),
                p->width * o->pixel, hidden ? p->behind : p->before);
}

static void draw_line(const overlay *o, const abut_line *line, const pencil *p)
{
    if (view_depth(&o->scene->camera, line->from) < 0.05f || view_depth(&o->scene->camera, line->to) < 0.05f)
    {
        return;
    }
    int first = 0;
    bool hidden = false;
    for (int piece = 0; piece <= PIECES; ++piece)
    {
        const bool here = piece < PIECES &&
                          distance_behind(o, abut_vec3_scale(abut_vec3_add(along(line, piece), along(line, piece + 1)),
                                                             0.5f)) > 0.02f;
        if (piece == PIECES || (piece > 0 && here != hidden))
        {
            draw_run(o, line, first, piece, p, hidden);
            first = piece;
        }
        hidden = here;
    }
}

// In the colour of its group, the wider the more stands under it; what stands over groups is dark.
static pencil tree_pencil(const groups *g, const abut_line *edges)
{
    const uint32_t level = edges->index;
    const abut_aabb box = groups_box(edges);
    const canvas_colour colour = level > g->level ? canvas_hex(0x37474f, 1.0f) : groups_colour(g, &box);
    const float width = level == g->level ? 2.0f : level < g->level ? 0.8f : 1.2f;
    return (pencil){ { 0.8f * colour.red, 0.8f * colour.green, 0.8f * colour.blue, 0.95f },
                     { colour.red, colour.green, colour.blue, 0.3f },
                     width };
}

static void draw_tree(const overlay *o, const abut_line *lines, uint64_t count)
{
    const groups g = groups_of(lines, count);
    pencil p = { 0 };
    for (uint64_t i = 0, edge = 0; i < count; ++i)
    {
        if (lines[i].kind == ABUT_DRAW_TREE)
        {
            p = edge++ % 12 == 0 ? tree_pencil(&g, &lines[i]) : p;
            if (o->levels >> lines[i].index & 1u)
            {
                draw_line(o, &lines[i], &p);
            }
        }
    }
}

static void draw_point(const overlay *o, abut_vec3 point)
{
    const float behind = distance_behind(o, point);
    if (behind > o->see_into)
    {
        return;
    }
    const float alpha = behind <= 0.0f ? 1.0f : 1.0f - 0.75f * behind / o->see_into;
    const canvas_point at = view_project(&o->scene->camera, point);
    canvas_disc(o->picture, at, 2.9f * o->pixel, canvas_hex(0xffffff, 0.9f * alpha));
    canvas_disc(o->picture, at, 2.1f * o->pixel, canvas_hex(0xd7263d, alpha));
}

static void draw_normal(const overlay *o, const abut_line *line)
{
    const float behind = distance_behind(o, line->from);
    if (behind <= o->see_into)
    {
        const float alpha = behind <= 0.0f ? 1.0f : 1.0f - 0.75f * behind / o->see_into;
        const canvas_point from = view_project(&o->scene->camera, line->from),
                           to = view_project(&o->scene->camera, line->to);
        canvas_line(o->picture, from, to, 2.6f * o->pixel, canvas_hex(0xffffff, 0.6f * alpha));
        canvas_line(o->picture, from, to, 1.4f * o->pixel, canvas_hex(0xd7263d, alpha));
    }
}

// Crosses come three lines each; the middle of any of them is the point.
static void draw_points(const overlay *o, const abut_line *lines, uint64_t count)
{
    for (uint64_t i = 0; i < count; ++i)
    {
        if (lines[i].kind == ABUT_DRAW_NORMALS)
        {
            draw_normal(o, &lines[i]);
        }
    }
    for (uint64_t i = 0; i < count; ++i)
    {
        if (lines[i].kind == ABUT_DRAW_POINTS)
        {
            draw_point(o, abut_vec3_scale(abut_vec3_add(lines[i].from, lines[i].to), 0.5f));
            i += 2;
        }
    }
}

void overlay_lines(const overlay *o, const abut_line *lines, uint64_t count)
{
    const pencil bounds = { canvas_hex(0xb5651d, 0.85f), canvas_hex(0xb5651d, 0.2f), 0.9f };
    const pencil shapes = { canvas_hex(0x263238, 0.7f), canvas_hex(0x263238, 0.12f), 0.8f };
    for (uint64_t i = 0; i < count; ++i)
    {
        if (lines[i].kind == ABUT_DRAW_BOUNDS || lines[i].kind == ABUT_DRAW_SHAPES)
        {
            draw_line(o, &lines[i], lines[i].kind == ABUT_DRAW_BOUNDS ? &bounds : &shapes);
        }
    }
    draw_tree(o, lines, count);
    draw_points(o, lines, count);
}
