// The lines of a scene file as records: each well formed on its own, in the file's order, with its line number. Whether
// they make a scene together is not asked here.
#ifndef ABUT_BENCH_SCENE_RECORDS_H
#define ABUT_BENCH_SCENE_RECORDS_H

#include "complaint.h"

#include <abut/shape.h>

typedef struct body_record
{
    uint32_t id;
    uint32_t line;
    abut_shape shape;
    bool moving;
} body_record;

typedef struct pose_record
{
    uint32_t frame;
    uint32_t id;
    uint32_t line;
    abut_pose pose;
} pose_record;

// Growable arrays of stb_ds.
typedef struct scene_records
{
    body_record *bodies;
    pose_record *poses;
    uint32_t lines;
} scene_records;

// False, with a complaint, at the first line that is not well formed or when the file cannot be read. Release either
// way.
bool scene_records_read(scene_records *records, const char *path, bench_complaint *complaint);
void scene_records_release(scene_records *records);

#endif
