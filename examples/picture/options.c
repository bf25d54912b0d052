// One row an option; the help is printed from the same rows.
#include "options.h"

#include "arguments.h"

#include <abut/draw.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef bool read_value(picture_options *o, const char *value);

static bool read_count(const char *value, uint32_t least, uint32_t most, uint32_t *out)
{
    char *end;
    const unsigned long number = value[0] >= '0' && value[0] <= '9' ? strtoul(value, &end, 10) : 0;
    if (value[0] < '0' || value[0] > '9' || *end || number < least || number > most)
    {
        return false;
    }
    *out = (uint32_t)number;
    return true;
}

static bool read_number(const char *value, float least, float most, float *out)
{
    char *end;
    const float number = strtof(value, &end);
    if (end == value || *end || !(number >= least && number <= most))
    {
        return false;
    }
    *out = number;
    return true;
}

static bool read_scene(picture_options *o, const char *value)
{
    o->scene = value;
    return true;
}

static bool read_file(picture_options *o, const char *value)
{
    o->file = value;
    return true;
}

static bool read_out(picture_options *o, const char *value)
{
    o->out = value;
    return true;
}

static bool read_bodies(picture_options *o, const char *value)
{
    return read_count(value, 1, 100000, &o->bodies);
}

static bool read_frames(picture_options *o, const char *value)
{
    return read_count(value, 0, 1000000, &o->frames);
}

static bool read_size(picture_options *o, const char *value)
{
    unsigned width, height;
    char rest;
    const bool sound = sscanf(value, "%5ux%5u%c", &width, &height, &rest) == 2 && width >= 16 && height >= 16 &&
                       width <= 4096 && height <= 4096;
    o->width = sound ? width : o->width;
    o->height = sound ? height : o->height;
    return sound;
}

static bool read_samples(picture_options *o, const char *value)
{
    return read_count(value, 1, 4, &o->samples);
}

static bool read_azimuth(picture_options *o, const char *value)
{
    return read_number(value, -360.0f, 360.0f, &o->azimuth);
}

static bool read_elevation(picture_options *o, const char *value)
{
    return read_number(value, -85.0f, 85.0f, &o->elevation);
}

static bool read_zoom(picture_options *o, const char *value)
{
    return read_number(value, 0.05f, 50.0f, &o->zoom);
}

static bool read_draw(picture_options *o, const char *value)
{
    static const struct
    {
        const char *name;
        uint32_t bit;
    } kinds[] = { { "contacts", ABUT_DRAW_POINTS | ABUT_DRAW_NORMALS },
                  { "bounds", ABUT_DRAW_BOUNDS },
                  { "shapes", ABUT_DRAW_SHAPES },
                  { "tree", ABUT_DRAW_TREE } };
    for (const char *word = value;; word += strcspn(word, ",") + 1)
    {
        const size_t length = strcspn(word, ",");
        uint32_t bit = 0;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
        {
            bit |= strlen(kinds[i].name) == length && strncmp(kinds[i].name, word, length) == 0 ? kinds[i].bit : 0;
        }
        o->draw |= bit;
        if (bit == 0 || !word[length])
        {
            return bit != 0;
        }
    }
}

static bool read_levels(picture_options *o, const char *value)
{
    o->levels = 0;
    for (const char *at = value;; ++at)
    {
        char *end;
        const unsigned long level = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : ABUT_TREE_LEVELS;
        if (level >= ABUT_TREE_LEVELS)
        {
            return false;
        }
        o->levels |= 1u << level;
        at = end;
        if (*at != ',')
        {
            return *at == '\0';
        }
    }
}

static const struct
{
    const char *name, *value, *text;
    read_value *read;
} rows[] = {
    { "--scene", "NAME", "a scene of the benchmark (gas, dense, pile, sparse, sizes, rain, ...); pile", read_scene },
    { "--file", "SCENE.csv", "a scene from a file instead", read_file },
    { "--bodies", "N", "how many, of a scene by name; 500", read_bodies },
    { "--frames", "N", "to let pass first; 60", read_frames },
    { "--draw", "WHAT,..", "contacts, bounds, shapes (as wires), tree", read_draw },
    { "--levels", "K,..", "of the tree; 0 stands over eight bodies each; all", read_levels },
    { "--azimuth", "DEGREES", "where the camera stands, around the scene; 35", read_azimuth },
    { "--elevation", "DEGREES", "and above it; 28", read_elevation },
    { "--zoom", "FACTOR", "1 shows all that moves", read_zoom },
    { "--size", "WxH", "pixels; 900x560", read_size },
    { "--samples", "N", "N x N to a pixel, 1 to 4; 3", read_samples },
    { "--out", "FILE.png", "picture.png", read_out },
};

enum
{
    ROWS = sizeof rows / sizeof *rows
};

bool picture_options_read(int argc, char **argv, picture_options *out, bench_complaint *complaint)
{
    *out = (picture_options){ .scene = "pile",
                              .out = "picture.png",
                              .bodies = 500,
                              .frames = 60,
                              .width = 900,
                              .height = 560,
                              .samples = 3,
                              .azimuth = 35.0f,
                              .elevation = 28.0f,
                              .zoom = 1.0f,
                              .levels = UINT32_MAX };
    for (int i = 1; i < argc; ++i)
    {
        if (help_wanted(argv[i]))
        {
            out->help = true;
            return true;
        }
        int row = 0;
        while (row < ROWS && strcmp(rows[row].name, argv[i]) != 0)
        {
            ++row;
        }
        if (row == ROWS)
        {
            return complain(complaint, EXIT_ASKED, "there is no option '%s'; --help lists those there are", argv[i]);
        }
        if (++i == argc || !rows[row].read(out, argv[i]))
        {
            return complain(complaint, EXIT_ASKED, "%s takes %s, not '%s'", rows[row].name, rows[row].value,
                            i < argc ? argv[i] : "nothing");
        }
    }
    return true;
}

void picture_options_help(void)
{
    printf("usage: picture [OPTION VALUE]...\nDraws a scene, its contacts and the broad phase's tree as a PNG.\n\n");
    for (int row = 0; row < ROWS; ++row)
    {
        printf("  %-12s %-10s %s\n", rows[row].name, rows[row].value, rows[row].text);
    }
    printf("  %-12s %-10s %s\n", "--help", "", "this");
}
