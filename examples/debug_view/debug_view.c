// A debug view: every line that abut_world_draw gives, in colours that tell sleep, sensors, motion kinds and impacts
// apart. A world in space beside one in 2D.
#include "arguments.h"
#include "canvas.h"

#include <abut/abut.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    WIDTH = 1200,
    HEIGHT = 560
};

// A cylinder along z as a kind of one's own, known by its support function alone.
typedef struct cylinder
{
    float radius, half_height;
} cylinder;

static abut_aabb cylinder_bounds(void *context, const void *data)
{
    (void)context;
    cylinder c;
    memcpy(&c, data, sizeof c);
    return (abut_aabb){ { -c.radius, -c.radius, -c.half_height }, { c.radius, c.radius, c.half_height } };
}

static void cylinder_support(void *context, const void *data, const double direction[3], double out[3])
{
    (void)context;
    cylinder c;
    memcpy(&c, data, sizeof c);
    const double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
    out[0] = length > 0.0 ? (double)c.radius * direction[0] / length : 0.0;
    out[1] = length > 0.0 ? (double)c.radius * direction[1] / length : 0.0;
    out[2] = direction[2] >= 0.0 ? (double)c.half_height : -(double)c.half_height;
}

static abut_status fill_space(abut_world *world)
{
    const abut_kind_def kind = { .name = "cylinder", .bounds = cylinder_bounds, .support = cylinder_support };
    const cylinder size = { 0.6f, 0.8f };
    uint32_t id;
    abut_status status = abut_world_register_kind(world, &kind, &id);
    if (status != ABUT_OK)
    {
        return status;
    }
    const abut_collider_def trigger = { .shape = abut_shape_sphere(1.5f), .flags = ABUT_COLLIDER_SENSOR };
    const abut_body_def defs[] = {
        { .pose.position = { 0, -0.25f, 0 }, .motion = ABUT_STATIC, .collider.shape = abut_shape_aabb(6, 0.25f, 4) },
        { .pose.position = { 5.9f, 2, 0 }, .motion = ABUT_STATIC, .collider.shape = abut_shape_aabb(0.05f, 2, 4) },
        { .pose.position = { -4.5f, 0.49f, -2 }, .collider.shape = abut_shape_obb(0.5f, 0.5f, 0.5f) },
        { .pose.position = { -4.4f, 1.48f, -2 }, .collider.shape = abut_shape_obb(0.5f, 0.5f, 0.5f) },
        { .pose = { { -2.5f, 0.49f, -2 }, 0, { 0, 0.38f, 0, 0.92f } },
          .flags = ABUT_BODY_ASLEEP,
          .collider.shape = abut_shape_obb(0.5f, 0.5f, 0.5f) },
        { .pose = { { -2.5f, 1.48f, -2 }, 0, { 0, 0.2f, 0, 0.98f } },
          .flags = ABUT_BODY_ASLEEP,
          .collider.shape = abut_shape_obb(0.5f, 0.5f, 0.5f) },
        { .pose.position = { -3, 0, 2 }, .motion = ABUT_STATIC, .collider = trigger },
        { .pose.position = { -2.5f, 0.49f, 2 }, .collider.shape = abut_shape_sphere(0.5f) },
        { .pose = { { 1, 0.79f, 2 }, 0, { 0.7071068f, 0, 0, 0.7071068f } },
          .collider.shape = abut_shape_custom(id, &size, sizeof size) },
        { .pose = { { 0.5f, 1.5f, -2 }, 0, { 0, 0, 0.6f, 0.8f } },
          .motion = ABUT_KINEMATIC,
          .collider.shape = abut_shape_capsule(0.4f, 0.8f) },
        { .pose.position = { 3.5f, 0.5f, -2.5f },
          .flags = ABUT_BODY_DISABLED,
          .collider.shape = abut_shape_sphere(0.5f) },
        { .pose.position = { 2.4f, 2.5f, 1 },
          .velocity.linear = { 240, 20, -60 },
          .flags = ABUT_BODY_CCD,
          .collider.shape = abut_shape_sphere(0.15f) },
    };
    abut_body bodies[sizeof defs / sizeof *defs];
    return abut_body_create_many(world, defs, sizeof defs / sizeof *defs, bodies);
}

static abut_status fill_2d(abut_world *world)
{
    const abut_vec2 corners[] = { { 0.9f, 0 }, { 0.3f, 0.8f }, { -0.7f, 0.5f }, { -0.7f, -0.5f }, { 0.3f, -0.8f } };
    abut_geometry *pentagon = NULL;
    abut_status status = abut_geometry_create_polygon(corners, 5, NULL, &pentagon);
    const abut_collider_def trigger = { .shape = abut_shape_sphere(1.4f), .flags = ABUT_COLLIDER_SENSOR };
    const abut_body_def defs[] = {
        { .pose = abut_pose_2d(0, -2.25f, 0), .motion = ABUT_STATIC, .collider.shape = abut_shape_aabb(4, 0.25f, 0) },
        { .pose = abut_pose_2d(-2.5f, -1.51f, 0), .collider.shape = abut_shape_obb(0.7f, 0.5f, 0) },
        { .pose = abut_pose_2d(-2.4f, -0.26f, 0.5f), .collider.shape = abut_shape_polygon(pentagon) },
        { .pose = abut_pose_2d(1.0f, -1.3f, 0), .collider.shape = abut_shape_sphere(0.71f) },
        { .pose = abut_pose_2d(2.3f, -1.2f, 0), .flags = ABUT_BODY_ASLEEP, .collider.shape = abut_shape_sphere(0.8f) },
        { .pose = abut_pose_2d(-0.2f, 1.4f, 1.1f),
          .motion = ABUT_KINEMATIC,
          .collider.shape = abut_shape_capsule(0.4f, 0.7f) },
        { .pose = abut_pose_2d(2.3f, 1.2f, 0), .motion = ABUT_STATIC, .collider = trigger },
    };
    abut_body bodies[sizeof defs / sizeof *defs];
    status = status == ABUT_OK ? abut_body_create_many(world, defs, sizeof defs / sizeof *defs, bodies) : status;
    abut_geometry_release(pentagon); // its collider keeps it
    return status;
}

typedef struct colour_row
{
    const char *name;
    uint32_t kind, flag; // flag 0: lines of the kind that no row above has
    unsigned rgb;
    float width;
} colour_row;

// The first row that fits a line is its own.
static const colour_row colours[] = {
    { "impact", ABUT_DRAW_IMPACTS, 0, 0xd7263d, 2.4f },
    { "speculative", ABUT_DRAW_POINTS, ABUT_LINE_SPECULATIVE, 0xe8a33d, 1.4f },
    { "", ABUT_DRAW_NORMALS, ABUT_LINE_SPECULATIVE, 0xe8a33d, 1.4f },
    { "contact", ABUT_DRAW_POINTS, 0, 0xc2410c, 1.6f },
    { "", ABUT_DRAW_NORMALS, 0, 0xc2410c, 1.6f },
    { "sensor", ABUT_DRAW_SHAPES, ABUT_LINE_SENSOR, 0x0f9d58, 1.3f },
    { "disabled", ABUT_DRAW_SHAPES, ABUT_LINE_DISABLED, 0xd8d4c8, 1.3f },
    { "asleep", ABUT_DRAW_SHAPES, ABUT_LINE_ASLEEP, 0x8fa3b8, 1.6f },
    { "static", ABUT_DRAW_SHAPES, ABUT_LINE_STATIC, 0x6d6459, 1.3f },
    { "kinematic", ABUT_DRAW_SHAPES, ABUT_LINE_KINEMATIC, 0x7b3fb5, 1.6f },
    { "awake", ABUT_DRAW_SHAPES, 0, 0x1d4ed8, 1.6f },
};

enum
{
    COLOURS = sizeof colours / sizeof *colours
};

static int colour_of(const abut_line *line)
{
    int row = 0;
    while (colours[row].kind != line->kind || (colours[row].flag && !(line->flags & colours[row].flag)))
    {
        ++row;
    }
    return row;
}

// A camera without perspective.
typedef struct sight
{
    abut_vec3 right, up;
    float scale;     // pixels a metre
    canvas_point at; // pixels: where the origin is
} sight;

static canvas_point seen(const sight *s, abut_vec3 point)
{
    return (canvas_point){ s->at.x + s->scale * abut_vec3_dot(point, s->right),
                           s->at.y - s->scale * abut_vec3_dot(point, s->up) };
}

static void draw_lines(canvas *picture, const sight *s, const abut_line *lines, uint64_t count)
{
    for (int row = COLOURS - 1; row >= 0; --row) // what stands out is drawn last
    {
        for (uint64_t i = 0; i < count; ++i)
        {
            if (colour_of(&lines[i]) == row)
            {
                canvas_line(picture, seen(s, lines[i].from), seen(s, lines[i].to), colours[row].width,
                            canvas_hex(colours[row].rgb, 1.0f));
            }
        }
    }
}

static void draw_legend(canvas *picture)
{
    float x = 16.0f;
    for (int row = 0; row < COLOURS; ++row)
    {
        if (colours[row].name[0])
        {
            const canvas_point middle = { x + 8.0f, 26.0f };
            canvas_line(picture, (canvas_point){ x, 26.0f }, (canvas_point){ x + 18.0f, 26.0f }, 3.0f,
                        canvas_hex(colours[row].rgb, 1.0f));
            canvas_text(picture, (canvas_point){ middle.x + 16.0f, 19.0f }, 1.4f, canvas_hex(0x202020, 1.0f),
                        colours[row].name);
            x = middle.x + 40.0f + canvas_text_width(1.4f, colours[row].name);
        }
    }
}

// How many lines each row has.
static void count_lines(const abut_line *lines, uint64_t count, uint64_t in_row[COLOURS])
{
    for (uint64_t i = 0; i < count; ++i)
    {
        ++in_row[colour_of(&lines[i])];
    }
}

// Detects a world with a horizon, and gives its lines, which the caller frees.
static abut_status lines_of(const abut_world_def *def, abut_status (*fill)(abut_world *world), abut_line **lines,
                            uint64_t *count)
{
    const abut_draw_def wanted = { .what = ABUT_DRAW_SHAPES | ABUT_DRAW_POINTS | ABUT_DRAW_NORMALS | ABUT_DRAW_IMPACTS,
                                   .cross = 0.1f,
                                   .normal_length = 0.4f };
    abut_world *world = NULL;
    abut_status status = abut_world_create(def, &world);
    status = status == ABUT_OK ? fill(world) : status;
    status = status == ABUT_OK ? abut_world_detect(world, 1.0f / 60) : status;
    status = status == ABUT_OK ? abut_world_draw(world, &wanted, NULL, 0, count) : status;
    *lines = status == ABUT_OK ? malloc((*count + 1) * sizeof **lines) : NULL;
    status = status == ABUT_OK && !*lines ? ABUT_OUT_OF_MEMORY : status;
    status = status == ABUT_OK ? abut_world_draw(world, &wanted, *lines, *count, count) : status;
    abut_world_destroy(world);
    return status;
}

static bool draw(const abut_line *const lines[2], const uint64_t count[2], const char *path)
{
    const sight sights[2] = { { { 0.86f, 0, -0.51f }, { -0.17f, 0.94f, -0.29f }, 47.0f, { 385.0f, 350.0f } },
                              { { 1, 0, 0 }, { 0, 1, 0 }, 48.0f, { 985.0f, 330.0f } } };
    canvas *picture = canvas_create(WIDTH, HEIGHT, canvas_hex(0xf6f4ee, 1.0f));
    for (int i = 0; picture && i < 2; ++i)
    {
        draw_lines(picture, &sights[i], lines[i], count[i]);
    }
    if (picture)
    {
        draw_legend(picture);
    }
    const bool written = picture && canvas_write_png(picture, path);
    canvas_destroy(picture);
    return written;
}

static const char help[] = "debug_view [PICTURE.png]\n"
                           "Prints how many lines of each kind abut_world_draw gives of two small worlds, and draws "
                           "them.\n";

int main(int argc, char **argv)
{
    const int answer = arguments_answer("debug_view", help, 1, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    const abut_world_def in_2d = { .dimension = 2 };
    abut_line *lines[2] = { NULL, NULL };
    uint64_t count[2] = { 0, 0 }, in_row[COLOURS] = { 0 };
    abut_status status = lines_of(NULL, fill_space, &lines[0], &count[0]);
    status = status == ABUT_OK ? lines_of(&in_2d, fill_2d, &lines[1], &count[1]) : status;
    bool complete = status == ABUT_OK;
    for (int i = 0; i < 2 && status == ABUT_OK; ++i)
    {
        count_lines(lines[i], count[i], in_row);
    }
    for (int row = 0; row < COLOURS && status == ABUT_OK; ++row)
    {
        printf("%5u lines: %s\n", (unsigned)in_row[row],
               colours[row].name[0] ? colours[row].name : colours[row - 1].name);
        complete = complete && in_row[row] > 0;
    }
    if (status != ABUT_OK)
    {
        fprintf(stderr, "debug_view: %s\n", abut_status_text(status));
    }
    else if (argc > 1 && !draw((const abut_line *const[]){ lines[0], lines[1] }, count, argv[1]))
    {
        fprintf(stderr, "debug_view: the picture cannot be written to %s\n", argv[1]);
        complete = false;
    }
    free(lines[0]);
    free(lines[1]);
    return complete ? 0 : 1;
}
