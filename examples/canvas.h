// A picture in memory: anti-aliased lines, discs, convex polygons and small text, blended one over the other, written
// as PNG.
//
// Coordinates are pixels, x to the right and y down; (0, 0) is the corner of the first pixel, whose middle is (0.5,
// 0.5). A pixel is covered as far as its middle lies inside the shape's edge, over the width of one pixel. What lies
// outside the picture is cut away. Only + - * / and square roots: the same calls give the same bytes on every machine.
#ifndef ABUT_EXAMPLES_CANVAS_H
#define ABUT_EXAMPLES_CANVAS_H

#include <stdbool.h>

// Each from 0 to 1, as a screen shows them; alpha 1 covers what is below.
typedef struct canvas_colour
{
    float red, green, blue, alpha;
} canvas_colour;

typedef struct canvas_point
{
    float x, y;
} canvas_point;

typedef struct canvas
{
    int width, height;
    float *rgb; // three a pixel, row after row from the top; the caller reads and writes them directly
} canvas;

// The colour written as 0xrrggbb.
canvas_colour canvas_hex(unsigned rrggbb, float alpha);

// A picture filled with one colour; NULL when memory runs out or a side is not from 1 to 32768.
canvas *canvas_create(int width, int height, canvas_colour background);
void canvas_destroy(canvas *picture); // NULL is allowed

// Blends a colour over one pixel, as far as `coverage` (0 to 1) says. Nothing outside the picture.
void canvas_blend(canvas *picture, int x, int y, canvas_colour colour, float coverage);

// With round ends. A width below one pixel fades instead of breaking up.
void canvas_line(canvas *picture, canvas_point from, canvas_point to, float width, canvas_colour colour);

void canvas_disc(canvas *picture, canvas_point centre, float radius, canvas_colour colour);
void canvas_ring(canvas *picture, canvas_point centre, float radius, float width,
                 canvas_colour colour); // about the radius

// Filled; corners of a convex polygon in either order, three at least.
void canvas_polygon(canvas *picture, const canvas_point *corners, int count, canvas_colour colour);

// The closed line through the corners, each pixel once, so that it can be translucent.
void canvas_outline(canvas *picture, const canvas_point *corners, int count, float width, canvas_colour colour);

// ASCII, its top left corner at `at`; a capital letter is about 7 * size pixels high, a line 12 * size. '\n' begins
// another.
void canvas_text(canvas *picture, canvas_point at, float size, canvas_colour colour, const char *text);
float canvas_text_width(float size, const char *text); // in pixels, of the widest line

// A picture smaller by a whole factor, each pixel the mean of factor x factor; NULL when memory runs out.
canvas *canvas_shrink(const canvas *picture, int factor);

// False when the file cannot be written.
bool canvas_write_png(const canvas *picture, const char *path);

#endif
