// Draws a scene as a PNG: solids lit by a sun and a sky, and over them what abut knows of it: contacts, bounds, the
// tree.
#include "groups.h"
#include "light.h"
#include "options.h"
#include "overlay.h"
#include "scenes.h"

#include <abut/abut.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TAU 6.2831853f

// A frame of a scene, in a world.
typedef struct shown
{
    bench_scene *scene;
    abut_body_def *bodies; // as they are in this frame
    abut_world *world;
    abut_line *lines;
    uint64_t line_count;
    abut_vec3 focus; // the middle of what moves
    float radius;    // of a ball around it
    float size;      // a typical body's radius
} shown;

static bool open_scene(const picture_options *o, shown *s, bench_complaint *complaint)
{
    const uint32_t kind = o->file ? 0 : scene_find(o->scene);
    if (kind == ABUT_NONE)
    {
        return complain(complaint, EXIT_ASKED, "there is no scene '%s'", o->scene);
    }
    const uint32_t most = scene_describe(kind).most_bodies;
    s->scene = o->file ? scene_open_file(o->file, complaint) : scene_open(kind, o->bodies < most ? o->bodies : most, 0);
    s->bodies = s->scene ? calloc(s->scene->count, sizeof *s->bodies) : NULL;
    if (!s->bodies)
    {
        return complaint->status ? false : complain(complaint, EXIT_BROKEN, "out of memory");
    }
    for (uint32_t i = 0; i < s->scene->count; ++i)
    {
        s->bodies[i] = s->scene->defs[i];
    }
    for (uint32_t frame = 0; frame < o->frames; ++frame)
    {
        scene_advance(s->scene);
        for (uint32_t i = 0; i < s->scene->renewed_count; ++i)
        {
            s->bodies[s->scene->renewed[i]] = s->scene->renewed_defs[i];
        }
    }
    for (uint32_t i = 0; i < s->scene->count; ++i)
    {
        s->bodies[i].pose = s->scene->poses[i];
    }
    return true;
}

// The middle and reach of what moves, or of everything when nothing does.
static void find_focus(shown *s)
{
    const uint32_t count = s->scene->moving > 0 ? s->scene->moving : s->scene->count;
    abut_vec3 low = s->bodies[0].pose.position, high = low;
    double sizes = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_vec3 p = s->bodies[i].pose.position;
        low = abut_vec3_make(fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z));
        high = abut_vec3_make(fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z));
        sizes += abut_shape_bounding_radius(&s->bodies[i].collider.shape);
    }
    s->size = (float)(sizes / count);
    s->focus = abut_vec3_scale(abut_vec3_add(low, high), 0.5f);
    s->radius = 0.5f * abut_vec3_length(abut_vec3_sub(high, low)) + s->size;
}

// Two detects after the first move static bodies to the static set, as in a running program.
static abut_status fill_world(const picture_options *o, shown *s)
{
    abut_status status = abut_world_create(&(abut_world_def){ .dimension = s->scene->dimension }, &s->world);
    abut_body *handles = calloc(s->scene->count, sizeof *handles);
    status = status == ABUT_OK && !handles ? ABUT_OUT_OF_MEMORY : status;
    status = status == ABUT_OK ? abut_body_create_many(s->world, s->bodies, s->scene->count, handles) : status;
    free(handles);
    for (int i = 0; i < 3 && status == ABUT_OK; ++i)
    {
        status = abut_world_detect(s->world, 0.0f);
    }
    const abut_draw_def def = { .what = o->draw, .normal_length = 0.6f * s->size, .depth_scale = 2.0f };
    if (status != ABUT_OK || o->draw == 0)
    {
        return status;
    }
    status = abut_world_draw(s->world, &def, NULL, 0, &s->line_count);
    s->lines = status == ABUT_OK ? malloc((s->line_count + 1) * sizeof *s->lines) : NULL;
    status = status == ABUT_OK && !s->lines ? ABUT_OUT_OF_MEMORY : status;
    return status == ABUT_OK ? abut_world_draw(s->world, &def, s->lines, s->line_count, &s->line_count) : status;
}

// The rectangle, on a picture of one pixel a metre at depth 1, that holds what moves.
static void find_frame(const shown *s, const view *camera, canvas_point *low, canvas_point *high)
{
    *low = (canvas_point){ INFINITY, INFINITY };
    *high = (canvas_point){ -INFINITY, -INFINITY };
    for (uint32_t i = 0; i < (s->scene->moving > 0 ? s->scene->moving : s->scene->count); ++i)
    {
        const canvas_point at = view_project(camera, s->bodies[i].pose.position);
        const float reach =
            abut_shape_bounding_radius(&s->bodies[i].collider.shape) / view_depth(camera, s->bodies[i].pose.position);
        *low = (canvas_point){ fminf(low->x, at.x - reach), fminf(low->y, at.y - reach) };
        *high = (canvas_point){ fmaxf(high->x, at.x + reach), fmaxf(high->y, at.y + reach) };
    }
}

static view camera_for(const picture_options *o, const shown *s)
{
    float sine_a, cosine_a, sine_e, cosine_e;
    abut_sincos(o->azimuth * (TAU / 360.0f), &sine_a, &cosine_a);
    abut_sincos(o->elevation * (TAU / 360.0f), &sine_e, &cosine_e);
    const abut_vec3 from = { cosine_e * sine_a, sine_e, cosine_e * cosine_a };
    view camera = view_along(abut_vec3_add(s->focus, abut_vec3_scale(from, 3.6f * s->radius)), abut_vec3_negate(from));
    canvas_point low, high;
    find_frame(s, &camera, &low, &high);
    const float width = (float)(o->width * o->samples), height = (float)(o->height * o->samples);
    camera.focal = 0.9f * o->zoom * fminf(width / (high.x - low.x), height / (high.y - low.y));
    camera.centre_x = 0.5f * width - 0.5f * camera.focal * (low.x + high.x);
    camera.centre_y = 0.5f * height - 0.5f * camera.focal * (low.y + high.y);
    return camera;
}

// Whether a static solid would hide moving bodies, as the walls of a bin do: it reaches higher than the middle of the
// scene. Ground that is a mesh is under them, whatever the height of its hills.
static bool in_the_way(const abut_body_def *body, abut_vec3 focus)
{
    abut_aabb box;
    return body->collider.shape.kind != ABUT_MESH &&
           (abut_shape_bounds(&body->collider.shape, &body->pose, &box) != ABUT_OK || box.max.y > focus.y);
}

static canvas_colour paler(canvas_colour c, float share)
{
    return (canvas_colour){ c.red + share * (1.0f - c.red), c.green + share * (1.0f - c.green),
                            c.blue + share * (1.0f - c.blue), c.alpha };
}

// By the group of the tree, when that is drawn: paler, so that the lines stand out.
static canvas_colour group_paint(const shown *s, const abut_body_def *body)
{
    const groups g = groups_of(s->lines, s->line_count);
    abut_aabb box;
    const bool bounded = abut_shape_bounds(&body->collider.shape, &body->pose, &box) == ABUT_OK;
    return paler(bounded ? groups_colour(&g, &box) : canvas_hex(0x9a9a9a, 1.0f), 0.25f);
}

static canvas_colour paint_of(const shown *s, uint32_t index)
{
    static const unsigned colours[6] = { 0xe9a23b, 0x3f88a5, 0xd96c47, 0x76a86b, 0xe5c76b, 0x8f7fb0 };
    const abut_body_def *body = &s->bodies[index];
    if (index >= s->scene->moving)
    {
        return canvas_hex(0xefece6, 0.5f);
    }
    if (s->line_count > 0 && s->lines[0].kind == ABUT_DRAW_TREE)
    {
        return group_paint(s, body);
    }
    const uint32_t mixed = (index * 2654435761u) >> 13;
    const unsigned colour = colours[(body->collider.shape.kind == ABUT_SPHERE ? 1 : 0) + 2 * (mixed % 3)];
    const float shade = 0.94f + 0.12f * (float)(mixed >> 4 & 15u) / 15.0f;
    const canvas_colour c = canvas_hex(colour, 1.0f);
    return (canvas_colour){ fminf(1.0f, c.red * shade), fminf(1.0f, c.green * shade), fminf(1.0f, c.blue * shade),
                            1.0f };
}

static void add_solids(surface *into, const shown *s)
{
    for (uint32_t i = 0; i < s->scene->count; ++i)
    {
        if (i < s->scene->moving || !in_the_way(&s->bodies[i], s->focus))
        {
            (void)surface_add(into, &s->bodies[i].collider.shape, &s->bodies[i].pose,
                              i); // the scenes have no other kinds
        }
    }
}

static view sun_for(const shown *s, const view *camera, int size)
{
    const abut_vec3 level = { camera->forward.x, 0.0f, camera->forward.z };
    const abut_vec3 down = abut_vec3_add(abut_vec3_scale(camera->right, 0.55f), abut_vec3_scale(level, 0.35f));
    const abut_vec3 direction = abut_vec3_add(down, abut_vec3_make(0.0f, -1.0f, 0.0f));
    view sun = view_along(s->focus, direction);
    sun.eye = abut_vec3_sub(s->focus, abut_vec3_scale(sun.forward, 4.0f * s->radius));
    sun.parallel = true;
    sun.centre_x = sun.centre_y = 0.5f * (float)size;
    sun.focal = (float)size / (3.2f * s->radius);
    return sun;
}

static void draw_solids(const picture_options *o, const shown *s, const surface *scene, const surface *shadow,
                        const canvas_colour *paints, canvas *picture)
{
    const light l = { .to_sun = abut_vec3_negate(shadow->camera.forward),
                      .shadow = shadow,
                      .reach = 1.1f * s->size,
                      .paints = paints,
                      .focus = s->focus,
                      .fade_begin = 1.0f * s->radius,
                      .fade_end = 2.1f * s->radius };
    light_surface(scene, &l, picture);
    const overlay lines = { scene, picture, (float)o->samples, 0.7f * s->size, o->levels };
    overlay_lines(&lines, s->lines, s->line_count);
}

// Sixty-four steps of each colour: an eye sees no difference, and the file is smaller by a quarter.
static void coarsen(canvas *picture)
{
    for (size_t i = 0; i < 3 * (size_t)picture->width * (size_t)picture->height; ++i)
    {
        picture->rgb[i] = floorf(fminf(picture->rgb[i], 1.0f) * 63.0f + 0.5f) / 63.0f;
    }
}

static bool write(const picture_options *o, const canvas *picture)
{
    canvas *finished = canvas_shrink(picture, (int)o->samples);
    if (finished)
    {
        coarsen(finished);
    }
    const bool written = finished && canvas_write_png(finished, o->out);
    canvas_destroy(finished);
    return written;
}

static bool draw_picture(const picture_options *o, const shown *s)
{
    enum
    {
        SHADOW = 3072
    };
    const int width = (int)(o->width * o->samples), height = (int)(o->height * o->samples);
    const view camera = camera_for(o, s), sun = sun_for(s, &camera, SHADOW);
    surface scene, shadow;
    canvas *picture = canvas_create(width, height, canvas_hex(0xfbfaf7, 1.0f));
    canvas_colour *paints = malloc(s->scene->count * sizeof *paints);
    const bool scene_open = surface_open(&scene, &camera, width, height);
    const bool shadow_open = surface_open(&shadow, &sun, SHADOW, SHADOW);
    bool written = picture && paints && scene_open && shadow_open;
    if (written)
    {
        for (uint32_t i = 0; i < s->scene->count; ++i)
        {
            paints[i] = paint_of(s, i);
        }
        add_solids(&scene, s);
        add_solids(&shadow, s);
        draw_solids(o, s, &scene, &shadow, paints, picture);
        written = write(o, picture);
    }
    surface_close(&scene);
    surface_close(&shadow);
    free(paints);
    canvas_destroy(picture);
    return written;
}

static bool run(const picture_options *o, shown *s, bench_complaint *complaint)
{
    if (!open_scene(o, s, complaint))
    {
        return false;
    }
    find_focus(s);
    const abut_status status = fill_world(o, s);
    if (status != ABUT_OK)
    {
        return complain(complaint, EXIT_BROKEN, "abut: %s", abut_status_text(status));
    }
    return draw_picture(o, s) || complain(complaint, EXIT_BROKEN, "cannot write %s", o->out);
}

int main(int argc, char **argv)
{
    picture_options options;
    bench_complaint complaint = { 0 };
    shown s = { 0 };
    if (picture_options_read(argc, argv, &options, &complaint) && options.help)
    {
        picture_options_help();
        return 0;
    }
    if (complaint.status == 0)
    {
        (void)run(&options, &s, &complaint); // what is wrong is in the complaint
    }
    abut_world_destroy(s.world);
    scene_close(s.scene);
    free(s.bodies);
    free(s.lines);
    if (complaint.status != 0)
    {
        fprintf(stderr, "picture: %s\n", complaint.sentence);
    }
    return complaint.status;
}
