#include "canvas_stb.h"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb_easy_font.h>
#include <stb_image_write.h>

#include <stdlib.h>
#include <string.h>

typedef struct vertex
{
    float x, y, z;
    unsigned char colour[4];
} vertex;

#define QUADS_A_LETTER 32 // more than any letter has

canvas_glyph_part *canvas_glyph_parts(const char *text, int *count)
{
    const size_t room = (strlen(text) + 1) * QUADS_A_LETTER;
    vertex *corners = malloc(4 * room * sizeof *corners);
    canvas_glyph_part *parts = malloc(room * sizeof *parts);
    char *copy = malloc(strlen(text) + 1);
    *count = 0;
    if (corners && parts && copy)
    {
        strcpy(copy, text); // stb asks for a text it could write to
        *count = stb_easy_font_print(0.0f, 0.0f, copy, NULL, corners, (int)(4 * room * sizeof *corners));
        for (int i = 0; i < *count; ++i)
        {
            const vertex *from = &corners[4 * i], *to = &corners[4 * i + 2];
            parts[i] = (canvas_glyph_part){ from->x, from->y, to->x, to->y };
        }
    }
    else
    {
        free(parts);
        parts = NULL;
    }
    free(corners);
    free(copy);
    return parts;
}

int canvas_glyphs_width(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    const int width = copy ? stb_easy_font_width(strcpy(copy, text)) : 0;
    free(copy);
    return width;
}

bool canvas_png(const char *path, int width, int height, const unsigned char *rgb)
{
    stbi_write_png_compression_level = 32; // how many places it looks at for the longest repetition
    return stbi_write_png(path, width, height, 3, rgb, 3 * width) != 0;
}
