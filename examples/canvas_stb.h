// What the canvas takes from stb: letters and the PNG format. The one file that includes stb's headers is canvas_stb.c.
#ifndef ABUT_EXAMPLES_CANVAS_STB_H
#define ABUT_EXAMPLES_CANVAS_STB_H

#include <stdbool.h>

// A rectangle of which letters are made, from the text's top left corner, y down.
typedef struct canvas_glyph_part
{
    float x0, y0, x1, y1;
} canvas_glyph_part;

// The caller frees it; NULL when memory runs out.
canvas_glyph_part *canvas_glyph_parts(const char *text, int *count);
int canvas_glyphs_width(const char *text);

// Three bytes a pixel, row after row. False when the file cannot be written.
bool canvas_png(const char *path, int width, int height, const unsigned char *rgb);

#endif
