// The surface of a level, triangle by triangle: what abut, and an OBJ file, take a level as.
#ifndef ABUT_LEVEL_TRIANGLES_H
#define ABUT_LEVEL_TRIANGLES_H

#include "plan.h"

#include <abut/abut.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct triangles
{
    abut_vec3 *vertices;
    uint32_t *indices; // three for each triangle, counter-clockwise seen from outside
    uint8_t *kinds;    // of part, by triangle
    uint32_t vertex_count, vertex_room;
    uint32_t count, room; // of triangles
    bool short_of_memory; // nothing was added any more
} triangles;

void triangles_add_vertex(triangles *t, abut_vec3 vertex);
void triangles_add(triangles *t, uint32_t a, uint32_t b, uint32_t c, part_kind kind);

// Adds all of a plan. False: out of memory.
bool triangles_of_plan(triangles *t, const plan *p);

void triangles_release(triangles *t);

bool triangles_write_obj(const triangles *t, FILE *file);

// Adds what an OBJ file holds, faces with more corners as triangles. False, and a sentence on stderr, when it cannot be
// read, or by a program that was built without a reader.
#ifdef __cplusplus
extern "C"
#endif
    bool
    triangles_read_obj(triangles *t, const char *path);

#ifdef __cplusplus
}
#endif

#endif
