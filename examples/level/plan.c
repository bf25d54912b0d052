#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MOST_SIDE = 1024, // heights along a side of the ground
    MOST_LINE = 16 * MOST_SIDE
};

static const char *const words[PART_KINDS] = { "ground", "block", "ramp", "stairs", "pillar", NULL };

// How many numbers follow a word.
static const int numbers[PART_KINDS] = { 3, 6, 7, 8, 6, 0 };

bool plan_set_ground(plan *p, uint32_t columns, uint32_t rows, float step)
{
    float *heights = p->heights ? NULL : calloc((size_t)columns * rows, sizeof *heights);
    if (!heights)
    {
        return false;
    }
    p->heights = heights;
    p->columns = columns;
    p->rows = rows;
    p->step = step;
    return true;
}

bool plan_add(plan *p, plan_part part)
{
    if (p->count == p->room)
    {
        const uint32_t room = p->room > 0 ? 2 * p->room : 64;
        plan_part *parts = realloc(p->parts, room * sizeof *parts);
        if (!parts)
        {
            return false;
        }
        p->parts = parts;
        p->room = room;
    }
    p->parts[p->count++] = part;
    return true;
}

void plan_release(plan *p)
{
    free(p->heights);
    free(p->parts);
    *p = (plan){ 0 };
}

// Exactly `count` finite numbers and nothing else.
static bool take_numbers(const char *text, double *out, int count)
{
    for (int i = 0; i < count; ++i)
    {
        char *end;
        out[i] = strtod(text, &end);
        if (end == text || !(fabs(out[i]) < 1e6))
        {
            return false;
        }
        text = end;
    }
    return text[strspn(text, " \t\r\n")] == '\0';
}

static bool is_whole(double x, double least, double most)
{
    return x >= least && x <= most && floor(x) == x;
}

static bool take_ground(plan *p, const double *n)
{
    return is_whole(n[0], 2, MOST_SIDE) && is_whole(n[1], 2, MOST_SIDE) && n[2] > 0.001 &&
           plan_set_ground(p, (uint32_t)n[0], (uint32_t)n[1], (float)n[2]);
}

static bool take_part(plan *p, part_kind kind, const double *n)
{
    const bool pillar = kind == PART_PILLAR;
    plan_part part = { .kind = kind,
                       .middle = { (float)n[0], (float)n[1], (float)n[2] },
                       .half = { (float)n[3], (float)n[4], pillar ? (float)n[3] : (float)n[5] } };
    bool sound = n[3] > 0.001 && n[4] > 0.001 && n[5] > 0.001;
    if (pillar)
    {
        sound = sound && is_whole(n[5], 3, 64);
        part.count = sound ? (uint32_t)n[5] : 0;
    }
    if (kind == PART_RAMP || kind == PART_STAIRS)
    {
        sound = sound && is_whole(n[6], 0, 3);
        part.turns = sound ? (uint32_t)n[6] : 0;
    }
    if (kind == PART_STAIRS)
    {
        sound = sound && is_whole(n[7], 1, 1000);
        part.count = sound ? (uint32_t)n[7] : 0;
    }
    return sound && plan_add(p, part);
}

static bool take_heights(plan *p, uint32_t row, const char *text)
{
    double *n = p->heights && row < p->rows ? calloc(p->columns, sizeof *n) : NULL;
    const bool sound = n && take_numbers(text, n, (int)p->columns);
    for (uint32_t i = 0; sound && i < p->columns; ++i)
    {
        p->heights[(size_t)row * p->columns + i] = (float)n[i];
    }
    free(n);
    return sound;
}

// The word that the text begins with, or PART_KINDS.
static int kind_of(const char *text, size_t length)
{
    int kind = 0;
    while (kind < PART_KINDS &&
           !(words[kind] && strlen(words[kind]) == length && strncmp(text, words[kind], length) == 0))
    {
        ++kind;
    }
    return kind;
}

static bool take_line(plan *p, const char *line, uint32_t *rows)
{
    const char *text = line + strspn(line, " \t\r\n");
    const size_t length = strcspn(text, " \t\r\n");
    if (length == 0 || *text == '#')
    {
        return true;
    }
    if (length == 7 && strncmp(text, "heights", 7) == 0)
    {
        return take_heights(p, (*rows)++, text + length);
    }
    const int kind = kind_of(text, length);
    double n[8];
    if (kind == PART_KINDS || !take_numbers(text + length, n, numbers[kind]))
    {
        return false;
    }
    return kind == PART_GROUND ? take_ground(p, n) : take_part(p, (part_kind)kind, n);
}

bool plan_read(plan *p, const char *path)
{
    static char line[MOST_LINE];
    FILE *file = fopen(path, "r");
    uint32_t number = 0, rows = 0;
    bool sound = file != NULL;
    while (sound && fgets(line, sizeof line, file))
    {
        ++number;
        sound = strlen(line) + 1 < sizeof line && take_line(p, line, &rows);
    }
    sound = sound && !ferror(file) && (p->heights || p->count > 0) && rows == p->rows;
    if (!sound)
    {
        fprintf(stderr,
                file ? "level: %s:%u: this is no line of a level, or the last of too few\n" : "level: cannot read %s\n",
                path, number);
    }
    if (file)
    {
        fclose(file);
    }
    return sound;
}

static void write_part(const plan_part *part, FILE *file)
{
    fprintf(file, "%s %.9g %.9g %.9g %.9g %.9g", words[part->kind], (double)part->middle[0], (double)part->middle[1],
            (double)part->middle[2], (double)part->half[0], (double)part->half[1]);
    if (part->kind != PART_PILLAR)
    {
        fprintf(file, " %.9g", (double)part->half[2]);
    }
    if (part->kind == PART_RAMP || part->kind == PART_STAIRS)
    {
        fprintf(file, " %u", part->turns);
    }
    if (part->count > 0)
    {
        fprintf(file, " %u", part->count);
    }
    fputc('\n', file);
}

bool plan_write(const plan *p, FILE *file)
{
    if (p->heights)
    {
        fprintf(file, "ground %u %u %g\n", p->columns, p->rows, (double)p->step);
    }
    for (uint32_t i = 0; i < p->columns * p->rows; ++i)
    {
        fprintf(file, "%s %.9g%s", i % p->columns == 0 ? "heights" : "", (double)p->heights[i],
                (i + 1) % p->columns == 0 ? "\n" : "");
    }
    for (uint32_t i = 0; i < p->count; ++i)
    {
        write_part(&p->parts[i], file);
    }
    return !ferror(file);
}
