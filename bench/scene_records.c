// Reads the whole file, splits it into lines and fields in place, and takes nothing on trust.
#include "scene_records.h"
#include "storage.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FIELDS 16

// A line being read.
typedef struct text_line
{
    const char *path;
    uint32_t number;
    char *field[MAX_FIELDS];
    uint32_t fields;
    bench_complaint *complaint;
} text_line;

static bool wrong(const text_line *line, const char *what, const char *field)
{
    return complain(line->complaint, EXIT_ASKED, "%s:%u: %s%s%.40s%s", line->path, line->number, what,
                    field ? " '" : "", field ? field : "", field ? "'" : "");
}

// A growable array of the file's bytes and a final zero; NULL with a complaint.
static char *whole_file(const char *path, bench_complaint *complaint)
{
    FILE *file = fopen(path, "rb");
    if (!file)
    {
        complain(complaint, EXIT_ASKED, "%s: %s", path, strerror(errno));
        return NULL;
    }
    char *text = NULL;
    size_t got;
    do
    {
        size_t piece = 1u << 16;
        char *end = arraddnptr(text, piece);
        got = fread(end, 1, piece, file);
        arrsetlen(text, arrlenu(text) - piece + got);
    } while (got > 0);
    bool failed = ferror(file) != 0;
    int reason = errno;
    fclose(file);
    if (failed)
    {
        complain(complaint, EXIT_ASKED, "%s: %s", path, strerror(reason));
        arrfree(text);
        return NULL;
    }
    arrput(text, '\0');
    return text;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static char *trimmed(char *text)
{
    while (is_space(*text))
    {
        ++text;
    }
    size_t length = strlen(text);
    while (length > 0 && is_space(text[length - 1]))
    {
        text[--length] = '\0';
    }
    return text;
}

static bool split(text_line *line, char *text)
{
    line->fields = 0;
    for (char *next = text; next;)
    {
        char *field = next;
        next = strchr(field, ',');
        if (next)
        {
            *next++ = '\0';
        }
        if (line->fields == MAX_FIELDS)
        {
            return wrong(line, "has too many fields", NULL);
        }
        line->field[line->fields++] = trimmed(field);
    }
    return true;
}

static bool read_number(const text_line *line, uint32_t index, float *out)
{
    char *field = line->field[index], *end;
    if (!*field || strspn(field, "+-.0123456789eE") != strlen(field))
    {
        return wrong(line, "not a number:", field);
    }
    *out = strtof(field, &end);
    if (*end)
    {
        return wrong(line, "not a number:", field);
    }
    if (!(fabsf(*out) <= ABUT_MAX_MAGNITUDE))
    {
        return wrong(line, "number out of range (at most 1e8):", field);
    }
    return true;
}

static bool read_count(const text_line *line, uint32_t index, uint32_t *out)
{
    char *field = line->field[index];
    size_t digits = strspn(field, "0123456789");
    if (digits == 0 || field[digits] || digits > 10)
    {
        return wrong(line, "not a whole number:", field);
    }
    uint64_t value = strtoull(field, NULL, 10);
    if (value >= UINT32_MAX)
    {
        return wrong(line, "number too large:", field);
    }
    *out = (uint32_t)value;
    return true;
}

static bool read_shape(const text_line *line, abut_shape *shape)
{
    float size[3];
    for (uint32_t i = 0; i < 3; ++i)
    {
        if (!read_number(line, 3 + i, &size[i]))
        {
            return false;
        }
        if (size[i] < 0.0f)
        {
            return wrong(line, "a size is negative:", line->field[3 + i]);
        }
    }
    const char *kind = line->field[2];
    if (strcmp(kind, "sphere") == 0)
    {
        if (size[1] != size[0] || size[2] != size[0])
        {
            return wrong(line, "a sphere's radius stands three times, and these differ", NULL);
        }
        *shape = abut_shape_sphere(size[0]);
        return true;
    }
    if (strcmp(kind, "aabb") != 0 && strcmp(kind, "obb") != 0)
    {
        return wrong(line, "a kind is one of aabb, obb, sphere, not", kind);
    }
    *shape = kind[0] == 'a' ? abut_shape_aabb(size[0], size[1], size[2]) : abut_shape_obb(size[0], size[1], size[2]);
    return true;
}

static bool read_body(const text_line *line, scene_records *records)
{
    if (line->fields != 7)
    {
        return wrong(line, "a body has 7 fields: body,id,kind,hx,hy,hz,moving", NULL);
    }
    body_record body = { .line = line->number };
    uint32_t moving;
    if (!read_count(line, 1, &body.id) || !read_shape(line, &body.shape) || !read_count(line, 6, &moving))
    {
        return false;
    }
    if (moving > 1)
    {
        return wrong(line, "moving is 0 or 1, not", line->field[6]);
    }
    body.moving = moving == 1;
    arrput(records->bodies, body);
    return true;
}

static bool read_pose(const text_line *line, scene_records *records)
{
    if (line->fields != 10)
    {
        return wrong(line, "a pose has 10 fields: pose,frame,id,x,y,z,qw,qx,qy,qz", NULL);
    }
    pose_record record = { .line = line->number };
    abut_vec3 *p = &record.pose.position;
    abut_quat *q = &record.pose.rotation;
    float *const numbers[7] = { &p->x, &p->y, &p->z, &q->w, &q->x, &q->y, &q->z };
    if (!read_count(line, 1, &record.frame) || !read_count(line, 2, &record.id))
    {
        return false;
    }
    for (uint32_t i = 0; i < 7; ++i)
    {
        if (!read_number(line, 3 + i, numbers[i]))
        {
            return false;
        }
    }
    if (q->w == 0.0f && q->x == 0.0f && q->y == 0.0f && q->z == 0.0f)
    {
        return wrong(line, "the rotation is zero", NULL);
    }
    arrput(records->poses, record);
    return true;
}

static bool read_line(text_line *line, char *text, scene_records *records)
{
    text = trimmed(text);
    if (*text == '\0' || *text == '#')
    {
        return true;
    }
    if (!split(line, text))
    {
        return false;
    }
    if (strcmp(line->field[0], "body") == 0)
    {
        return read_body(line, records);
    }
    if (strcmp(line->field[0], "pose") == 0)
    {
        return read_pose(line, records);
    }
    return wrong(line, "a line begins with body, pose or #, not", line->field[0]);
}

bool scene_records_read(scene_records *records, const char *path, bench_complaint *complaint)
{
    *records = (scene_records){ 0 };
    char *text = whole_file(path, complaint);
    if (!text)
    {
        return false;
    }
    text_line line = { .path = path, .complaint = complaint };
    char *end = text + arrlenu(text) - 1;
    bool sound = true;
    for (char *start = text; sound && start < end;)
    {
        char *stop = memchr(start, '\n', (size_t)(end - start));
        stop = stop ? stop : end;
        *stop = '\0';
        line.number += 1;
        bool has_zero = strlen(start) != (size_t)(stop - start);
        sound = has_zero ? wrong(&line, "has a zero byte: this is no text", NULL) : read_line(&line, start, records);
        start = stop + 1;
    }
    records->lines = line.number;
    arrfree(text);
    return sound;
}

void scene_records_release(scene_records *records)
{
    arrfree(records->bodies);
    arrfree(records->poses);
}
