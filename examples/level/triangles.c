#include "triangles.h"

#include <stdlib.h>

#define TAU 6.2831853f

// Room for one more; false, with what was there kept, when memory runs out.
static bool make_room(void **array, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
    {
        return true;
    }
    const uint32_t more = *room > 0 ? 2 * *room : 1024;
    void *larger = realloc(*array, more * size);
    if (larger)
    {
        *array = larger;
        *room = more;
    }
    return larger != NULL;
}

void triangles_add_vertex(triangles *t, abut_vec3 vertex)
{
    void *vertices = t->vertices;
    t->short_of_memory =
        t->short_of_memory || !make_room(&vertices, t->vertex_count, &t->vertex_room, sizeof *t->vertices);
    t->vertices = vertices;
    if (!t->short_of_memory)
    {
        t->vertices[t->vertex_count++] = vertex;
    }
}

void triangles_add(triangles *t, uint32_t a, uint32_t b, uint32_t c, part_kind kind)
{
    void *indices = t->indices, *kinds = t->kinds;
    uint32_t room = t->room; // both arrays have the same
    t->short_of_memory = t->short_of_memory || !make_room(&indices, t->count, &room, 3 * sizeof *t->indices);
    t->indices = indices;
    room = t->room;
    t->short_of_memory = t->short_of_memory || !make_room(&kinds, t->count, &room, sizeof *t->kinds);
    t->kinds = kinds;
    if (!t->short_of_memory)
    {
        t->room = room;
        t->indices[3 * t->count] = a;
        t->indices[3 * t->count + 1] = b;
        t->indices[3 * t->count + 2] = c;
        t->kinds[t->count++] = (uint8_t)kind;
    }
}

void triangles_release(triangles *t)
{
    free(t->vertices);
    free(t->indices);
    free(t->kinds);
    *t = (triangles){ 0 };
}

// A point of a part, from its middle, in the world.
static abut_vec3 placed(const plan_part *part, abut_vec3 at)
{
    for (uint32_t i = 0; i < part->turns; ++i)
    {
        at = abut_vec3_make(at.z, at.y, -at.x);
    }
    return abut_vec3_make(part->middle[0] + at.x, part->middle[1] + at.y, part->middle[2] + at.z);
}

// A convex polygon, its corners counter-clockwise seen from outside.
static void add_polygon(triangles *t, const plan_part *part, const abut_vec3 *corners, uint32_t count)
{
    const uint32_t first = t->vertex_count;
    for (uint32_t i = 0; i < count; ++i)
    {
        triangles_add_vertex(t, placed(part, corners[i]));
    }
    for (uint32_t i = 2; i < count; ++i)
    {
        triangles_add(t, first, first + i - 1, first + i, part->kind);
    }
}

static void add_ground(triangles *t, const plan *p)
{
    const uint32_t first = t->vertex_count;
    const float left = 0.5f * (float)(p->columns - 1) * p->step, back = 0.5f * (float)(p->rows - 1) * p->step;
    for (uint32_t i = 0; i < p->columns * p->rows; ++i)
    {
        triangles_add_vertex(t, abut_vec3_make((float)(i % p->columns) * p->step - left, p->heights[i],
                                               (float)(i / p->columns) * p->step - back));
    }
    for (uint32_t i = 0; i < (p->columns - 1) * (p->rows - 1); ++i)
    {
        const uint32_t corner = first + i / (p->columns - 1) * p->columns + i % (p->columns - 1),
                       below = corner + p->columns;
        triangles_add(t, corner, below, corner + 1, PART_GROUND);
        triangles_add(t, below + 1, corner + 1, below, PART_GROUND);
    }
}

// Sides of a part whose section through x and y is the same for all z: the profile is counter-clockwise seen from +z.
static void add_sides(triangles *t, const plan_part *part, const float (*profile)[2], uint32_t count)
{
    const float z = part->half[2];
    for (uint32_t i = 0; i < count; ++i)
    {
        const float *a = profile[i], *b = profile[(i + 1) % count];
        const abut_vec3 quad[4] = { { a[0], a[1], z }, { a[0], a[1], -z }, { b[0], b[1], -z }, { b[0], b[1], z } };
        add_polygon(t, part, quad, 4);
    }
}

// Both ends of such a section, or of a convex piece of it.
static void add_ends(triangles *t, const plan_part *part, const float (*profile)[2], uint32_t count)
{
    abut_vec3 front[4], rear[4];
    for (uint32_t i = 0; i < count; ++i)
    {
        const float *a = profile[i], *b = profile[count - 1 - i];
        front[i] = abut_vec3_make(a[0], a[1], part->half[2]);
        rear[i] = abut_vec3_make(b[0], b[1], -part->half[2]);
    }
    add_polygon(t, part, front, count);
    add_polygon(t, part, rear, count);
}

static void add_block(triangles *t, const plan_part *part)
{
    const float x = part->half[0], y = part->half[1];
    const float profile[4][2] = { { -x, -y }, { x, -y }, { x, y }, { -x, y } };
    add_sides(t, part, profile, 4);
    add_ends(t, part, profile, 4);
}

static void add_ramp(triangles *t, const plan_part *part)
{
    const float x = part->half[0], y = part->half[1];
    const float profile[3][2] = { { -x, -y }, { x, -y }, { x, y } };
    add_sides(t, part, profile, 3);
    add_ends(t, part, profile, 3);
}

static void add_stairs(triangles *t, const plan_part *part)
{
    const float x = part->half[0], y = part->half[1], run = 2.0f * x / (float)part->count,
                rise = 2.0f * y / (float)part->count;
    for (uint32_t i = 0; i < part->count; ++i)
    {
        const float left = -x + run * (float)i, right = i + 1 == part->count ? x : left + run;
        const float low = -y + rise * (float)i, high = i + 1 == part->count ? y : low + rise, z = part->half[2];
        const abut_vec3 riser[4] = { { left, low, -z }, { left, low, z }, { left, high, z }, { left, high, -z } };
        const abut_vec3 tread[4] = { { left, high, z }, { right, high, z }, { right, high, -z }, { left, high, -z } };
        const float column[4][2] = { { left, -y }, { right, -y }, { right, high }, { left, high } };
        add_polygon(t, part, riser, 4);
        add_polygon(t, part, tread, 4);
        add_ends(t, part, column, 4);
    }
    const abut_vec3 rear[4] = {
        { x, -y, part->half[2] }, { x, -y, -part->half[2] }, { x, y, -part->half[2] }, { x, y, part->half[2] }
    };
    const abut_vec3 under[4] = {
        { -x, -y, -part->half[2] }, { x, -y, -part->half[2] }, { x, -y, part->half[2] }, { -x, -y, part->half[2] }
    };
    add_polygon(t, part, rear, 4);
    add_polygon(t, part, under, 4);
}

static void add_pillar(triangles *t, const plan_part *part)
{
    abut_vec3 top[64] = { { 0 } }, bottom[64] = { { 0 } };
    const uint32_t n = part->count;
    for (uint32_t i = 0; i < n; ++i)
    {
        float sine, cosine;
        abut_sincos(TAU * (float)i / (float)n, &sine, &cosine);
        top[i] = abut_vec3_make(part->half[0] * cosine, part->half[1], -part->half[0] * sine);
        bottom[n - 1 - i] = abut_vec3_make(top[i].x, -top[i].y, top[i].z);
    }
    add_polygon(t, part, top, n);
    add_polygon(t, part, bottom, n);
    for (uint32_t i = 0; i < n; ++i)
    {
        const abut_vec3 a = top[i], b = top[(i + 1) % n];
        const abut_vec3 quad[4] = { { a.x, -a.y, a.z }, { b.x, -b.y, b.z }, b, a };
        add_polygon(t, part, quad, 4);
    }
}

bool triangles_of_plan(triangles *t, const plan *p)
{
    if (p->heights)
    {
        add_ground(t, p);
    }
    for (uint32_t i = 0; i < p->count; ++i)
    {
        const plan_part *part = &p->parts[i];
        switch (part->kind)
        {
        case PART_RAMP:
            add_ramp(t, part);
            break;
        case PART_STAIRS:
            add_stairs(t, part);
            break;
        case PART_PILLAR:
            add_pillar(t, part);
            break;
        default:
            add_block(t, part);
            break;
        }
    }
    return !t->short_of_memory;
}

bool triangles_write_obj(const triangles *t, FILE *file)
{
    for (uint32_t i = 0; i < t->vertex_count; ++i)
    {
        const abut_vec3 v = t->vertices[i];
        fprintf(file, "v %.9g %.9g %.9g\n", (double)v.x, (double)v.y, (double)v.z);
    }
    for (uint32_t i = 0; i < t->count; ++i)
    {
        const uint32_t *corner = t->indices + 3 * i;
        fprintf(file, "f %u %u %u\n", corner[0] + 1, corner[1] + 1, corner[2] + 1);
    }
    return !ferror(file);
}
