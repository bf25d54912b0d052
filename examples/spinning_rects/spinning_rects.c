// Two rectangles that turn on the spot, blue while they are apart and red while they collide: the picture that articles
// on rotated rectangles begin with. A world of two dimensions says when they begin and cease to touch; nothing here
// compares corners.
//
// Pixels, y down, in a picture of 980 x 580. After 360 frames everything is where it was.
#include "arguments.h"
#include "canvas.h"

#include <abut/abut.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    WIDTH = 980,
    HEIGHT = 580,
    CYCLE = 360,
    COLUMNS = 7,
    ROWS = 3
};

typedef struct rectangle
{
    float x, y;          // centre
    float width, height; // before it is turned
    int start, speed;    // degrees, and degrees a frame
    abut_body body;
} rectangle;

typedef struct show
{
    abut_world *world;
    rectangle rectangles[2];
    bool touching[CYCLE];
} show;

static abut_pose pose_in(const rectangle *r, int frame)
{
    const int degrees = (r->start + r->speed * frame) % 360;
    return abut_pose_2d(r->x, r->y, (float)degrees * 0.017453293f);
}

static abut_shape shape_of(const rectangle *r)
{
    return abut_shape_obb(0.5f * r->width, 0.5f * r->height, 0.0f);
}

static abut_status open_show(show *s)
{
    *s = (show){ .rectangles = { { 100, 150, 30, 140, 30, 2, { 0, 0 } }, { 100, 70, 40, 110, 40, 1, { 0, 0 } } } };
    abut_status status = abut_world_create(&(abut_world_def){ .dimension = 2 }, &s->world);
    for (int i = 0; i < 2 && status == ABUT_OK; ++i)
    {
        rectangle *r = &s->rectangles[i];
        const abut_body_def def = { .pose = pose_in(r, 0), .collider.shape = shape_of(r) };
        status = abut_body_create(s->world, &def, &r->body);
    }
    return status;
}

// Turns both, frame after frame, and notes what begins and what ends.
static abut_status play(show *s)
{
    bool together = false;
    for (int frame = 0; frame < CYCLE; ++frame)
    {
        for (int i = 0; i < 2; ++i)
        {
            const abut_pose pose = pose_in(&s->rectangles[i], frame);
            const abut_status status = abut_body_set_pose(s->world, s->rectangles[i].body, &pose);
            if (status != ABUT_OK)
            {
                return status;
            }
        }
        const abut_status status = abut_world_detect(s->world, 0.0f);
        if (status != ABUT_OK)
        {
            return status;
        }
        together = abut_world_events(s->world, ABUT_BEGIN).count > 0 ||
                   (together && abut_world_events(s->world, ABUT_END).count == 0);
        s->touching[frame] = together;
    }
    return ABUT_OK;
}

static void print_frames(const show *s)
{
    int count = 0;
    for (int frame = 0; frame < CYCLE; ++frame)
    {
        const bool begins = s->touching[frame] && (frame == 0 || !s->touching[frame - 1]);
        const bool ends = s->touching[frame] && (frame + 1 == CYCLE || !s->touching[frame + 1]);
        count += s->touching[frame];
        if (begins)
        {
            printf("frames %d", frame);
        }
        if (ends)
        {
            printf(" to %d\n", frame);
        }
    }
    printf("%d of %d frames in contact\n", count, CYCLE);
}

// A frame with its origin at (left, top), so many times as large.
static void draw_frame(canvas *picture, const show *s, int frame, float left, float top, float scale)
{
    const canvas_colour colour = canvas_hex(s->touching[frame] ? 0xd02020 : 0x2040d0, 0.75f);
    for (int i = 0; i < 2; ++i)
    {
        const abut_shape shape = shape_of(&s->rectangles[i]);
        const abut_pose pose = pose_in(&s->rectangles[i], frame);
        abut_vec3 corner[4];
        canvas_point outline[4];
        if (abut_shape_rectangle_corners(&shape, &pose, corner) != ABUT_OK)
        {
            return;
        }
        for (int k = 0; k < 4; ++k)
        {
            outline[k] = (canvas_point){ left + scale * corner[k].x, top + scale * corner[k].y };
        }
        canvas_polygon(picture, outline, 4, colour);
        canvas_outline(picture, outline, 4, 1.5f, canvas_hex(0x101020, 0.8f));
    }
}

// Tiles of 140 x 190 pixels show the 200 x 250 about the rectangles.
static void draw_strip(canvas *picture, const show *s)
{
    for (int tile = 0; tile < COLUMNS * ROWS; ++tile)
    {
        const int frame = tile * CYCLE / (COLUMNS * ROWS);
        const float left = (float)(tile % COLUMNS) * 140.0f, top = (float)(tile / COLUMNS) * 193.0f;
        char label[32];
        draw_frame(picture, s, frame, left, top + 12.0f, 0.7f);
        (void)snprintf(label, sizeof label, "%d", frame);
        canvas_text(picture, (canvas_point){ left + 6.0f, top + 6.0f }, 1.0f, canvas_hex(0x404040, 1.0f), label);
    }
}

static bool draw(const show *s, int frame, const char *path)
{
    canvas *picture = canvas_create(WIDTH, HEIGHT, canvas_hex(0xf6f4ee, 1.0f));
    if (!picture)
    {
        return false;
    }
    if (frame < 0)
    {
        draw_strip(picture, s);
    }
    else
    {
        draw_frame(picture, s, frame, 0.0f, 0.0f, 1.0f);
    }
    const bool written = canvas_write_png(picture, path);
    canvas_destroy(picture);
    return written;
}

static const char help[] = "spinning_rects [strip FILE.png | frame N FILE.png]\n"
                           "Turns two rectangles on the spot for 360 frames, and says when they collide.\n"
                           "\n"
                           "  (nothing)         prints the frames in which they touch\n"
                           "  strip FILE.png    draws frames from the whole cycle side by side\n"
                           "  frame N FILE.png  draws one frame\n"
                           "  --help            prints this\n";

int main(int argc, char **argv)
{
    const int answer = arguments_answer("spinning_rects", help, 3, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    const bool strip = argc == 3 && strcmp(argv[1], "strip") == 0;
    const bool single = argc == 4 && strcmp(argv[1], "frame") == 0;
    if (argc > 1 && !strip && !single)
    {
        return argument_rejected("spinning_rects", argv[1],
                                 "it takes strip and a picture, or frame, a number and a picture");
    }
    char *end = NULL;
    const long frame = single ? strtol(argv[2], &end, 10) : -1;
    if (single && (end == argv[2] || *end || frame < 0 || frame >= CYCLE))
    {
        return argument_rejected("spinning_rects", argv[2], "frames are numbers from 0 to 359");
    }
    show s;
    abut_status status = open_show(&s);
    status = status == ABUT_OK ? play(&s) : status;
    if (status != ABUT_OK)
    {
        fprintf(stderr, "spinning_rects: %s\n", abut_status_text(status));
    }
    else if (argc == 1)
    {
        print_frames(&s);
    }
    bool drawn = true;
    if (status == ABUT_OK && argc > 1)
    {
        drawn = draw(&s, (int)frame, argv[argc - 1]);
    }
    if (!drawn)
    {
        fprintf(stderr, "spinning_rects: the picture cannot be written to %s\n", argv[argc - 1]);
    }
    abut_world_destroy(s.world);
    return status == ABUT_OK && drawn ? 0 : 1;
}
