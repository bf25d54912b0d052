// A level as text: a ground of heights, and solid parts that stand in it. Lengths are metres, y is up.
//
//     ground COLUMNS ROWS STEP            heights over a grid, whose middle is at zero
//     heights H H H ...                   a row of them along x; ROWS such lines follow `ground`
//     block X Y Z HX HY HZ                a box, by its middle and half extents
//     ramp X Y Z HX HY HZ TURNS           a wedge in that box, which rises along x, then turned by quarters about y
//     stairs X Y Z HX HY HZ TURNS STEPS   the same in steps
//     pillar X Y Z RADIUS HY SIDES        an upright prism
//
// Lines that begin with # are comments. Numbers are read in the C locale.
#ifndef ABUT_LEVEL_PLAN_H
#define ABUT_LEVEL_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum part_kind
{
    PART_GROUND,
    PART_BLOCK,
    PART_RAMP,
    PART_STAIRS,
    PART_PILLAR,
    PART_OTHER, // of a file of triangles
    PART_KINDS
} part_kind;

typedef struct plan_part
{
    part_kind kind;
    float middle[3];
    float half[3];  // a pillar's radius is the first
    uint32_t turns; // quarters, from x towards -z
    uint32_t count; // steps, or sides
} plan_part;

typedef struct plan
{
    float *heights; // NULL: no ground
    uint32_t columns, rows;
    float step;
    plan_part *parts;
    uint32_t count, room;
} plan;

// False: out of memory, or a ground that was there before.
bool plan_set_ground(plan *p, uint32_t columns, uint32_t rows, float step);
bool plan_add(plan *p, plan_part part);
void plan_release(plan *p);

// False, and a sentence on stderr that names the line, when the file is not a level.
bool plan_read(plan *p, const char *path);
bool plan_write(const plan *p, FILE *file);

#endif
