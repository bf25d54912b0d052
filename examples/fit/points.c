// One line at a time, however long; the first line with numbers says how many dimensions there are.
#include "points.h"

#include <abut/math.h>

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool complain(points_fault *fault, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    (void)vsnprintf(fault->sentence, sizeof fault->sentence, format, rest);
    va_end(rest);
    return false;
}

static bool add(points *p, const float point[3])
{
    if (p->count == p->room)
    {
        const uint32_t room = p->room ? 2 * p->room : 64;
        float *larger = p->room > UINT32_MAX / 2 ? NULL : realloc(p->xyz, (size_t)room * 3 * sizeof *larger);
        if (!larger)
        {
            return false;
        }
        p->xyz = larger;
        p->room = room;
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        p->xyz[3 * (size_t)p->count + k] = point[k];
    }
    ++p->count;
    return true;
}

typedef struct text_line
{
    char *text;
    size_t length, room;
} text_line;

typedef enum line_outcome
{
    LINE_READ,
    LINE_NONE, // the file is at its end, or cannot be read
    LINE_NO_MEMORY
} line_outcome;

static line_outcome next_line(text_line *line, FILE *file)
{
    line->length = 0;
    for (;;)
    {
        if (line->room - line->length < 2)
        {
            const size_t room = line->room ? 2 * line->room : 256;
            char *larger = realloc(line->text, room);
            if (!larger)
            {
                return LINE_NO_MEMORY;
            }
            line->text = larger;
            line->room = room;
        }
        const int c = getc(file);
        if (c == EOF || c == '\n')
        {
            line->text[line->length] = '\0';
            return c == EOF && line->length == 0 ? LINE_NONE : LINE_READ;
        }
        line->text[line->length++] = (char)(c ? c : ' ');
    }
}

static const char *past_blanks(const char *at)
{
    while (isspace((unsigned char)*at))
    {
        ++at;
    }
    return at;
}

// How many numbers, of three at most, the text begins with: parted by blanks or a comma.
static uint32_t numbers_in(const char *at, float point[3])
{
    uint32_t found = 0;
    while (found < 3)
    {
        char *end;
        const float number = strtof(at, &end);
        if (end == at || (*end && *end != ',' && !isspace((unsigned char)*end)))
        {
            break; // no number, or a word that begins like one
        }
        point[found++] = number;
        at = past_blanks(end);
        at = *at == ',' ? past_blanks(at + 1) : at;
    }
    return found;
}

static bool take_line(points *p, const char *text, unsigned long number, points_fault *fault)
{
    float point[3] = { 0.0f, 0.0f, 0.0f };
    const char *at = past_blanks(strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text); // UTF-8's byte-order mark
    at += at[0] == 'v' && isspace((unsigned char)at[1]);
    const uint32_t found = numbers_in(at, point);
    if (found == 0)
    {
        return true;
    }
    if (found == 1)
    {
        return complain(fault, "line %lu has one number; a point has two or three", number);
    }
    p->dimension = p->dimension ? p->dimension : found;
    if (found != p->dimension)
    {
        return complain(fault, "line %lu has %u numbers, but the first point has %u", number, (unsigned)found,
                        (unsigned)p->dimension);
    }
    for (uint32_t k = 0; k < found; ++k)
    {
        if (!(point[k] >= -ABUT_MAX_MAGNITUDE && point[k] <= ABUT_MAX_MAGNITUDE))
        {
            return complain(fault, "line %lu has a coordinate that is not finite or beyond %g", number,
                            (double)ABUT_MAX_MAGNITUDE);
        }
    }
    return add(p, point) || complain(fault, "line %lu does not fit into memory any more", number);
}

bool points_read(points *p, FILE *file, points_fault *fault)
{
    text_line line = { 0 };
    bool sound = true;
    line_outcome outcome = LINE_READ;
    for (unsigned long number = 1; sound && outcome == LINE_READ; ++number)
    {
        outcome = next_line(&line, file);
        sound = outcome == LINE_READ        ? take_line(p, line.text, number, fault)
                : outcome == LINE_NO_MEMORY ? complain(fault, "line %lu does not fit into memory any more", number)
                                            : true;
    }
    free(line.text);
    if (sound && ferror(file))
    {
        return complain(fault, "it cannot be read");
    }
    return sound &&
           (p->count > 0 || complain(fault, "there is no point in it: no line begins with two or three numbers"));
}

void points_free(points *p)
{
    free(p->xyz);
    *p = (points){ 0 };
}
