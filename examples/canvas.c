// Everything drawn is a signed distance in pixels (negative inside), turned into coverage and blended.
#include "canvas.h"

#include "canvas_stb.h"

#include <math.h>
#include <stdlib.h>

#define SIDE_MAX 32768

typedef struct range
{
    int x0, y0, x1, y1; // pixels [x0, x1) x [y0, y1)
} range;

static float least(float a, float b)
{
    return a < b ? a : b;
}

static float most(float a, float b)
{
    return a > b ? a : b;
}

// Also takes NaN to `low`.
static float clamp(float value, float low, float high)
{
    return value > low ? least(value, high) : low;
}

canvas_colour canvas_hex(unsigned rrggbb, float alpha)
{
    return (canvas_colour){ (float)(rrggbb >> 16 & 255u) / 255.0f, (float)(rrggbb >> 8 & 255u) / 255.0f,
                            (float)(rrggbb & 255u) / 255.0f, alpha };
}

canvas *canvas_create(int width, int height, canvas_colour background)
{
    if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX)
    {
        return NULL;
    }
    canvas *picture = malloc(sizeof *picture);
    const size_t pixels = (size_t)width * (size_t)height;
    float *rgb = malloc(pixels * 3 * sizeof *rgb);
    if (!picture || !rgb)
    {
        free(picture);
        free(rgb);
        return NULL;
    }
    for (size_t i = 0; i < pixels; ++i)
    {
        rgb[3 * i] = background.red;
        rgb[3 * i + 1] = background.green;
        rgb[3 * i + 2] = background.blue;
    }
    *picture = (canvas){ width, height, rgb };
    return picture;
}

void canvas_destroy(canvas *picture)
{
    if (picture)
    {
        free(picture->rgb);
        free(picture);
    }
}

void canvas_blend(canvas *picture, int x, int y, canvas_colour colour, float coverage)
{
    if (x < 0 || y < 0 || x >= picture->width || y >= picture->height)
    {
        return;
    }
    float *pixel = picture->rgb + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
    const float share = clamp(coverage * colour.alpha, 0.0f, 1.0f);
    pixel[0] += (colour.red - pixel[0]) * share;
    pixel[1] += (colour.green - pixel[1]) * share;
    pixel[2] += (colour.blue - pixel[2]) * share;
}

// The pixels of the picture that reach into the box of these points, grown by `margin`.
static range pixels_around(const canvas *picture, const canvas_point *points, int count, float margin)
{
    canvas_point low = points[0], high = points[0];
    for (int i = 1; i < count; ++i)
    {
        low = (canvas_point){ least(low.x, points[i].x), least(low.y, points[i].y) };
        high = (canvas_point){ most(high.x, points[i].x), most(high.y, points[i].y) };
    }
    const float width = (float)picture->width, height = (float)picture->height;
    return (range){ (int)clamp(low.x - margin, 0.0f, width), (int)clamp(low.y - margin, 0.0f, height),
                    (int)clamp(high.x + margin + 1.0f, 0.0f, width), (int)clamp(high.y + margin + 1.0f, 0.0f, height) };
}

static canvas_point middle_of(int x, int y)
{
    return (canvas_point){ (float)x + 0.5f, (float)y + 0.5f };
}

static float length(float x, float y)
{
    return sqrtf(x * x + y * y);
}

// From p to the segment; in double, so that ends far outside the picture do no harm.
static float segment_distance(canvas_point p, canvas_point from, canvas_point to)
{
    const double dx = (double)to.x - from.x, dy = (double)to.y - from.y, square = dx * dx + dy * dy;
    const double along = square > 0.0 ? (((double)p.x - from.x) * dx + ((double)p.y - from.y) * dy) / square : 0.0;
    const double t = along > 0.0 ? (along < 1.0 ? along : 1.0) : 0.0;
    const double x = p.x - (from.x + t * dx), y = p.y - (from.y + t * dy);
    return (float)sqrt(x * x + y * y);
}

// A stroke of less than a pixel covers no pixel wholly.
static float stroke_coverage(float distance, float width)
{
    const float drawn = most(width, 1.0f);
    return clamp(0.5f * drawn + 0.5f - distance, 0.0f, 1.0f) * (width / drawn);
}

// Narrows `columns` to what a stroke of this reach covers in row y, so that a long line costs its length and not its
// box.
static range columns_of_line(range columns, canvas_point from, canvas_point to, int y, float reach)
{
    const double dx = (double)to.x - from.x, dy = (double)to.y - from.y;
    if (fabs(dy) < 1.0)
    {
        return columns;
    }
    const double first = from.x + dx * ((y - (double)reach - from.y) / dy);
    const double last = from.x + dx * ((y + 1.0 + (double)reach - from.y) / dy);
    const double low = (first < last ? first : last) - (double)reach,
                 high = (first < last ? last : first) + (double)reach;
    columns.x0 = low > columns.x0 ? (low < columns.x1 ? (int)low : columns.x1) : columns.x0;
    columns.x1 = high + 1.0 < columns.x1 ? (high + 1.0 > columns.x0 ? (int)(high + 1.0) : columns.x0) : columns.x1;
    return columns;
}

void canvas_line(canvas *picture, canvas_point from, canvas_point to, float width, canvas_colour colour)
{
    const canvas_point ends[2] = { from, to };
    const float reach = 0.5f * width + 1.0f;
    const range around = pixels_around(picture, ends, 2, reach);
    for (int y = around.y0; y < around.y1; ++y)
    {
        const range columns = columns_of_line(around, from, to, y, reach);
        for (int x = columns.x0; x < columns.x1; ++x)
        {
            const float distance = segment_distance(middle_of(x, y), from, to);
            canvas_blend(picture, x, y, colour, stroke_coverage(distance, width));
        }
    }
}

void canvas_outline(canvas *picture, const canvas_point *corners, int count, float width, canvas_colour colour)
{
    const range around = pixels_around(picture, corners, count, 0.5f * width + 1.0f);
    for (int y = around.y0; y < around.y1; ++y)
    {
        for (int x = around.x0; x < around.x1; ++x)
        {
            float nearest = segment_distance(middle_of(x, y), corners[count - 1], corners[0]);
            for (int i = 1; i < count; ++i)
            {
                nearest = least(nearest, segment_distance(middle_of(x, y), corners[i - 1], corners[i]));
            }
            canvas_blend(picture, x, y, colour, stroke_coverage(nearest, width));
        }
    }
}

void canvas_disc(canvas *picture, canvas_point centre, float radius, canvas_colour colour)
{
    const range around = pixels_around(picture, &centre, 1, radius + 1.0f);
    for (int y = around.y0; y < around.y1; ++y)
    {
        for (int x = around.x0; x < around.x1; ++x)
        {
            const canvas_point p = middle_of(x, y);
            const float distance = length(p.x - centre.x, p.y - centre.y) - radius;
            canvas_blend(picture, x, y, colour, clamp(0.5f - distance, 0.0f, 1.0f));
        }
    }
}

void canvas_ring(canvas *picture, canvas_point centre, float radius, float width, canvas_colour colour)
{
    const range around = pixels_around(picture, &centre, 1, radius + 0.5f * width + 1.0f);
    for (int y = around.y0; y < around.y1; ++y)
    {
        for (int x = around.x0; x < around.x1; ++x)
        {
            const canvas_point p = middle_of(x, y);
            const float distance = fabsf(length(p.x - centre.x, p.y - centre.y) - radius);
            canvas_blend(picture, x, y, colour, stroke_coverage(distance, width));
        }
    }
}

// Twice the area, positive when the corners go clockwise as seen (y is down).
static float signed_area(const canvas_point *corners, int count)
{
    float area = 0.0f;
    for (int i = 0; i < count; ++i)
    {
        const canvas_point a = corners[i], b = corners[(i + 1) % count];
        area += (a.x - corners[0].x) * (b.y - corners[0].y) - (b.x - corners[0].x) * (a.y - corners[0].y);
    }
    return area;
}

// The largest of the distances from the lines of the edges: exact inside, and near enough at corners.
static float polygon_distance(canvas_point p, const canvas_point *corners, int count, float sense)
{
    float distance = -1.0e9f;
    for (int i = 0; i < count; ++i)
    {
        const canvas_point a = corners[i], b = corners[(i + 1) % count];
        const float dx = b.x - a.x, dy = b.y - a.y, edge = length(dx, dy);
        if (edge > 0.0f)
        {
            distance = most(distance, sense * (dy * (p.x - a.x) - dx * (p.y - a.y)) / edge);
        }
    }
    return distance;
}

void canvas_polygon(canvas *picture, const canvas_point *corners, int count, canvas_colour colour)
{
    const float sense = signed_area(corners, count) < 0.0f ? -1.0f : 1.0f;
    const range around = pixels_around(picture, corners, count, 1.0f);
    for (int y = around.y0; y < around.y1; ++y)
    {
        for (int x = around.x0; x < around.x1; ++x)
        {
            const float distance = polygon_distance(middle_of(x, y), corners, count, sense);
            canvas_blend(picture, x, y, colour, clamp(0.5f - distance, 0.0f, 1.0f));
        }
    }
}

// A rectangle with sides along the axes, each pixel covered by the area it shares with it.
static void rectangle(canvas *picture, canvas_point low, canvas_point high, canvas_colour colour)
{
    const canvas_point ends[2] = { low, high };
    const range around = pixels_around(picture, ends, 2, 0.0f);
    for (int y = around.y0; y < around.y1; ++y)
    {
        const float down = least(high.y, (float)y + 1.0f) - most(low.y, (float)y);
        for (int x = around.x0; x < around.x1; ++x)
        {
            const float across = least(high.x, (float)x + 1.0f) - most(low.x, (float)x);
            canvas_blend(picture, x, y, colour, most(down, 0.0f) * most(across, 0.0f));
        }
    }
}

void canvas_text(canvas *picture, canvas_point at, float size, canvas_colour colour, const char *text)
{
    int count = 0;
    canvas_glyph_part *parts = canvas_glyph_parts(text, &count);
    for (int i = 0; parts && i < count; ++i)
    {
        const canvas_point low = { at.x + size * parts[i].x0, at.y + size * parts[i].y0 };
        const canvas_point high = { at.x + size * parts[i].x1, at.y + size * parts[i].y1 };
        rectangle(picture, low, high, colour);
    }
    free(parts);
}

float canvas_text_width(float size, const char *text)
{
    return size * (float)canvas_glyphs_width(text);
}

// Reads row by row, so that a large picture passes through the cache once.
canvas *canvas_shrink(const canvas *picture, int factor)
{
    const canvas_colour none = { 0.0f, 0.0f, 0.0f, 0.0f };
    canvas *small = factor < 1 ? NULL : canvas_create(picture->width / factor, picture->height / factor, none);
    if (!small)
    {
        return NULL;
    }
    const float share = 1.0f / ((float)factor * (float)factor);
    for (int y = 0; y < small->height * factor; ++y)
    {
        const float *from = picture->rgb + 3 * (size_t)y * (size_t)picture->width;
        float *to = small->rgb + 3 * (size_t)(y / factor) * (size_t)small->width;
        for (int x = 0; x < small->width * factor; ++x)
        {
            for (int k = 0; k < 3; ++k)
            {
                to[3 * (x / factor) + k] += from[3 * x + k] * share;
            }
        }
    }
    return small;
}

bool canvas_write_png(const canvas *picture, const char *path)
{
    const size_t count = 3 * (size_t)picture->width * (size_t)picture->height;
    unsigned char *bytes = malloc(count);
    if (!bytes)
    {
        return false;
    }
    for (size_t i = 0; i < count; ++i)
    {
        bytes[i] = (unsigned char)(clamp(picture->rgb[i], 0.0f, 1.0f) * 255.0f + 0.5f);
    }
    const bool written = canvas_png(path, picture->width, picture->height, bytes);
    free(bytes);
    return written;
}
