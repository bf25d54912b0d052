// Selecting with a dragged frame, as drawing programs do it: rotated elements that the frame touches, or those that it
// holds whole. Exact at corners: an element is not taken because the box around it is touched.
//
// Each mode is worked out a second time in double precision by other means, and a difference is an error.
#include "arguments.h"
#include "canvas.h"

#include <abut/abut.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    WIDTH = 980,
    HEIGHT = 580,
    COLUMNS = 28,
    ROWS = 18,
    SPECIAL = 8, // at the corners of the frame
    ELEMENTS = COLUMNS * ROWS + SPECIAL
};

typedef struct page
{
    abut_shape shape[ELEMENTS + 1]; // the last one is the frame
    abut_pose pose[ELEMENTS + 1];
    bool touched[ELEMENTS], inside[ELEMENTS];
} page;

static const abut_vec3 drag_from = { 199, 412, 0 }, drag_to = { 764, 139, 0 };

// A linear congruence is chance enough to lay out a page. From 0 to 1.
static float chance(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f;
}

static abut_aabb frame_between(abut_vec3 from, abut_vec3 to)
{
    const abut_vec3 low = { from.x < to.x ? from.x : to.x, from.y < to.y ? from.y : to.y, 0.0f };
    const abut_vec3 high = { from.x < to.x ? to.x : from.x, from.y < to.y ? to.y : from.y, 0.0f };
    return (abut_aabb){ low, high };
}

// At each corner of the frame two squares: an upright one whose corner is that of the frame, which touches, and one on
// its tip beside it, of which only the box around it does.
static void place_special(page *p, const abut_aabb *frame, int i)
{
    const int corner = i / 2, element = COLUMNS * ROWS + i;
    const float away_x = corner & 1 ? 1.0f : -1.0f, away_y = corner & 2 ? 1.0f : -1.0f;
    const float x = corner & 1 ? frame->max.x : frame->min.x, y = corner & 2 ? frame->max.y : frame->min.y;
    const bool upright = i % 2 == 0;
    const float apart = upright ? 8.0f : 6.0f;
    p->shape[element] = abut_shape_obb(8.0f, 8.0f, 0.0f);
    p->pose[element] = abut_pose_2d(x + away_x * apart, y + away_y * apart, upright ? 0.0f : 0.78539816f);
}

static void lay_out(page *p)
{
    const abut_aabb frame = frame_between(drag_from, drag_to);
    const abut_vec3 half = abut_aabb_half_extents(&frame), centre = abut_aabb_centre(&frame);
    uint32_t state = 7;
    for (int i = 0; i < COLUMNS * ROWS; ++i)
    {
        const float x = (float)(i % COLUMNS) * 35.0f + 17.0f, y = (float)(i / COLUMNS) * 32.0f + 17.0f;
        const float half_x = 4.0f + 9.0f * chance(&state), half_y = 3.0f + 6.0f * chance(&state);
        p->shape[i] = abut_shape_obb(half_x, half_y, 0.0f);
        p->pose[i] = abut_pose_2d(x, y, 6.2831853f * chance(&state));
    }
    for (int i = 0; i < SPECIAL; ++i)
    {
        place_special(p, &frame, i);
    }
    p->shape[ELEMENTS] = abut_shape_aabb(half.x, half.y, 0.0f);
    p->pose[ELEMENTS] = abut_pose_2d(centre.x, centre.y, 0.0f);
}

// The two modes. Touching: all pairs of the frame and an element in one call. Holding whole: all four corners.
static abut_status choose(page *p)
{
    const abut_aabb frame = frame_between(drag_from, drag_to);
    uint32_t with[ELEMENTS], element[ELEMENTS];
    for (uint32_t i = 0; i < ELEMENTS; ++i)
    {
        with[i] = ELEMENTS;
        element[i] = i;
    }
    const abut_pair_list pairs = { .shapes = p->shape,
                                   .poses = p->pose,
                                   .shape_count = ELEMENTS + 1,
                                   .pair_count = ELEMENTS,
                                   .a = with,
                                   .b = element };
    abut_status status = abut_overlap_2d_many(&pairs, p->touched);
    for (uint32_t i = 0; i < ELEMENTS && status == ABUT_OK; ++i)
    {
        abut_vec3 corner[4];
        status = abut_shape_rectangle_corners(&p->shape[i], &p->pose[i], corner);
        p->inside[i] = true;
        for (int k = 0; k < 4 && status == ABUT_OK; ++k)
        {
            p->inside[i] = p->inside[i] && abut_aabb_contains(&frame, corner[k]);
        }
    }
    return status;
}

// Another way to the same answer --------------------------------------------------------------------------------------

typedef struct spot
{
    double x, y;
} spot;

static void corners_of(const page *p, int i, spot corner[4])
{
    const double z = (double)p->pose[i].rotation.z, w = (double)p->pose[i].rotation.w, square = w * w + z * z;
    const double c = (w * w - z * z) / square, s = 2.0 * w * z / square;
    const double hx = (double)p->shape[i].box.half_extents.x, hy = (double)p->shape[i].box.half_extents.y;
    const double x[4] = { -hx, hx, hx, -hx }, y[4] = { -hy, -hy, hy, hy };
    for (int k = 0; k < 4; ++k)
    {
        corner[k].x = (double)p->pose[i].position.x + c * x[k] - s * y[k];
        corner[k].y = (double)p->pose[i].position.y + s * x[k] + c * y[k];
    }
}

// What of a polygon is on one side of a line along an axis (I. Sutherland, G. Hodgman, 1974). Gives the number of
// corners left.
static int cut(const spot *in, int count, spot *out, bool along_y, double limit, double sign)
{
    int left = 0;
    for (int k = 0; k < count; ++k)
    {
        const spot a = in[k], b = in[(k + 1) % count];
        const double from = sign * ((along_y ? a.y : a.x) - limit), to = sign * ((along_y ? b.y : b.x) - limit);
        if (from <= 0.0)
        {
            out[left++] = a;
        }
        if ((from < 0.0 && to > 0.0) || (from > 0.0 && to < 0.0))
        {
            const double t = from / (from - to);
            out[left++] = (spot){ a.x + t * (b.x - a.x), a.y + t * (b.y - a.y) };
        }
    }
    return left;
}

static bool reaches_into(const spot corner[4], const abut_aabb *frame)
{
    spot one[16], other[16];
    int count = cut(corner, 4, one, false, (double)frame->max.x, 1.0);
    count = cut(one, count, other, false, (double)frame->min.x, -1.0);
    count = cut(other, count, one, true, (double)frame->max.y, 1.0);
    return cut(one, count, other, true, (double)frame->min.y, -1.0) > 0;
}

static int count_differences(const page *p)
{
    const abut_aabb frame = frame_between(drag_from, drag_to);
    int differences = 0;
    for (int i = 0; i < ELEMENTS; ++i)
    {
        spot corner[4];
        corners_of(p, i, corner);
        bool inside = true;
        for (int k = 0; k < 4; ++k)
        {
            inside = inside && corner[k].x >= (double)frame.min.x && corner[k].x <= (double)frame.max.x &&
                     corner[k].y >= (double)frame.min.y && corner[k].y <= (double)frame.max.y;
        }
        differences += p->touched[i] != reaches_into(corner, &frame) || p->inside[i] != inside;
    }
    return differences;
}

// Telling -------------------------------------------------------------------------------------------------------------

static void print_elements(const page *p)
{
    for (int i = 0; i < ELEMENTS; ++i)
    {
        const abut_vec3 at = p->pose[i].position, half = p->shape[i].box.half_extents;
        printf("%d %.9g %.9g %.9g %.9g %.9g %.9g %d %d\n", i, (double)at.x, (double)at.y, (double)half.x,
               (double)half.y, (double)p->pose[i].rotation.z, (double)p->pose[i].rotation.w, p->touched[i],
               p->inside[i]);
    }
}

static void print_counts(const page *p)
{
    int touched = 0, inside = 0;
    for (int i = 0; i < ELEMENTS; ++i)
    {
        touched += p->touched[i];
        inside += p->inside[i];
    }
    printf("%d elements, the frame touches %d and holds %d\n", ELEMENTS, touched, inside);
}

static void draw_dashes(canvas *picture, canvas_point from, canvas_point to)
{
    const float length = fabsf(to.x - from.x) + fabsf(to.y - from.y);
    const float x = (to.x - from.x) / length, y = (to.y - from.y) / length;
    for (float at = 0.0f; at < length; at += 10.0f)
    {
        const float end = at + 6.0f < length ? at + 6.0f : length;
        canvas_line(picture, (canvas_point){ from.x + x * at, from.y + y * at },
                    (canvas_point){ from.x + x * end, from.y + y * end }, 1.5f, canvas_hex(0xc02020, 1.0f));
    }
}

static bool draw(const page *p, const char *path)
{
    const abut_aabb frame = frame_between(drag_from, drag_to);
    canvas *picture = canvas_create(WIDTH, HEIGHT, canvas_hex(0xf6f4ee, 1.0f));
    for (int i = 0; picture && i < ELEMENTS; ++i)
    {
        spot corner[4];
        canvas_point outline[4];
        corners_of(p, i, corner);
        for (int k = 0; k < 4; ++k)
        {
            outline[k] = (canvas_point){ (float)corner[k].x, (float)corner[k].y };
        }
        canvas_polygon(picture, outline, 4,
                       canvas_hex(p->inside[i]    ? 0x2e8b57
                                  : p->touched[i] ? 0x3a6fd8
                                                  : 0xc8c4b8,
                                  p->touched[i] ? 0.9f : 0.6f));
        canvas_outline(picture, outline, 4, 1.0f, canvas_hex(0x202020, 0.7f));
    }
    const canvas_point edge[4] = { { frame.min.x, frame.min.y },
                                   { frame.max.x, frame.min.y },
                                   { frame.max.x, frame.max.y },
                                   { frame.min.x, frame.max.y } };
    for (int k = 0; picture && k < 4; ++k)
    {
        draw_dashes(picture, edge[k], edge[(k + 1) % 4]);
    }
    const bool written = picture && canvas_write_png(picture, path);
    canvas_destroy(picture);
    return written;
}

static const char help[] = "marquee [list | draw FILE.png]\n"
                           "Selects rotated elements with a dragged frame, by touch or whole.\n"
                           "\n"
                           "  (nothing)      prints how many elements are selected in each mode\n"
                           "  list           prints every element and what was found\n"
                           "  draw FILE.png  draws all of it\n"
                           "  --help         prints this\n";

int main(int argc, char **argv)
{
    const int answer = arguments_answer("marquee", help, 2, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    const bool list = argc == 2 && strcmp(argv[1], "list") == 0;
    const bool drawing = argc == 3 && strcmp(argv[1], "draw") == 0;
    if (argc > 1 && !list && !drawing)
    {
        return argument_rejected("marquee", argv[1], "it takes list, or draw and the name of a picture");
    }
    static page p;
    lay_out(&p);
    const abut_status status = choose(&p);
    if (status != ABUT_OK)
    {
        fprintf(stderr, "marquee: %s\n", abut_status_text(status));
        return 1;
    }
    const int differences = count_differences(&p);
    if (differences)
    {
        fprintf(stderr, "marquee: %d elements were found otherwise the second time\n", differences);
        return 1;
    }
    if (drawing && !draw(&p, argv[2]))
    {
        fprintf(stderr, "marquee: the picture cannot be written to %s\n", argv[2]);
        return 1;
    }
    if (!drawing)
    {
        (list ? print_elements : print_counts)(&p);
    }
    return 0;
}
