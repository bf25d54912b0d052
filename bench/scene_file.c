// A scene from a file. Moving bodies come first, each group in the file's order.
#include "scene_records.h"
#include "scene_row.h"
#include "storage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GUESSED_PAIRS_A_BODY 2.0f // as in a heap at rest

// Where a body of the file is in the scene.
typedef struct file_place
{
    uint32_t id;
    uint32_t line;
    uint32_t index;
} file_place;

typedef struct posing
{
    uint32_t index;
    abut_pose pose;
} posing;

// first[f] to first[f + 1]: what is posed in frame f.
typedef struct file_recording
{
    posing *posings;
    uint32_t *first;
} file_recording;

// A file being made a scene.
typedef struct file_making
{
    const char *path;
    scene_records records;
    file_place *places; // by rising id
    bench_scene *scene;
    bench_complaint *complaint;
} file_making;

static bool reject(const file_making *making, uint32_t line, const char *what, uint32_t id)
{
    return complain(making->complaint, EXIT_ASKED, "%s:%u: body %u %s", making->path, line, id, what);
}

static int by_id(const void *left, const void *right)
{
    const file_place *a = left, *b = right;
    if (a->id != b->id)
    {
        return a->id < b->id ? -1 : 1;
    }
    return (a->line > b->line) - (a->line < b->line);
}

static const file_place *find(const file_making *making, uint32_t id)
{
    file_place key = { .id = id };
    uint32_t low = 0, high = making->scene->count;
    while (low < high)
    {
        uint32_t middle = low + (high - low) / 2;
        if (making->places[middle].id < key.id)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    return low < making->scene->count && making->places[low].id == id ? &making->places[low] : NULL;
}

static bool declare(file_making *making)
{
    const body_record *bodies = making->records.bodies;
    uint32_t count = (uint32_t)arrlenu(bodies), moving = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        moving += bodies[i].moving;
    }
    bench_scene *scene = making->scene;
    scene_take_bodies(scene, moving, count);
    scene->bodies = count;
    making->places = scene_take(scene, count, sizeof *making->places);
    for (uint32_t i = 0, mover = 0, rest = moving; i < count; ++i)
    {
        uint32_t index = bodies[i].moving ? mover++ : rest++;
        abut_body_def *def = &scene->defs[index];
        def->motion = bodies[i].moving ? ABUT_DYNAMIC : ABUT_STATIC;
        def->collider.shape = bodies[i].shape;
        def->user_data = bodies[i].id;
        making->places[i] = (file_place){ bodies[i].id, bodies[i].line, index };
    }
    qsort(making->places, count, sizeof *making->places, by_id);
    for (uint32_t i = 1; i < count; ++i)
    {
        if (making->places[i].id == making->places[i - 1].id)
        {
            return reject(making, making->places[i].line, "was declared before", making->places[i].id);
        }
    }
    return true;
}

// Recorded rotations are rounded to a few digits; what is further from unit length than that is normalised.
static abut_pose sound_pose(abut_pose pose)
{
    abut_quat q = pose.rotation;
    double squared = (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w;
    if (fabs(squared - 1.0) > 1e-5)
    {
        pose.rotation = abut_quat_normalise(q);
    }
    return pose;
}

static bool same_pose(const abut_pose *a, const abut_pose *b)
{
    return a->position.x == b->position.x && a->position.y == b->position.y && a->position.z == b->position.z &&
           a->rotation.x == b->rotation.x && a->rotation.y == b->rotation.y && a->rotation.z == b->rotation.z &&
           a->rotation.w == b->rotation.w;
}

// In the first frame the definition takes the pose; later a body that does not move may only repeat it.
static bool pose_body(const file_making *making, const pose_record *record, const file_place *place, bool first_frame,
                      bool *posed)
{
    abut_body_def *def = &making->scene->defs[place->index];
    abut_pose pose = sound_pose(record->pose);
    if (!posed[place->index])
    {
        if (!first_frame)
        {
            return reject(making, record->line, "has no pose in the first frame", record->id);
        }
        posed[place->index] = true;
        def->pose = pose;
    }
    else if (def->motion == ABUT_STATIC && !same_pose(&def->pose, &pose))
    {
        return reject(making, record->line, "is declared as not moving, and moves", record->id);
    }
    else if (first_frame)
    {
        return reject(making, record->line, "is posed twice in the first frame", record->id);
    }
    return true;
}

static bool play(file_making *making, bool *posed)
{
    const pose_record *poses = making->records.poses;
    uint32_t count = (uint32_t)arrlenu(poses);
    bench_scene *scene = making->scene;
    file_recording *recording = scene_take(scene, 1, sizeof *recording);
    recording->posings = scene_take(scene, count, sizeof *recording->posings);
    recording->first = scene_take(scene, scene->frames + 1, sizeof *recording->first);
    scene->state = recording;
    for (uint32_t i = 0, frame = 0; i < count; ++i)
    {
        const file_place *place = find(making, poses[i].id);
        if (!place || place->line > poses[i].line)
        {
            return reject(making, poses[i].line, "is posed before it is declared", poses[i].id);
        }
        if (!pose_body(making, &poses[i], place, poses[i].frame == poses[0].frame, posed))
        {
            return false;
        }
        while (frame < poses[i].frame - poses[0].frame)
        {
            recording->first[++frame] = i;
        }
        recording->posings[i] = (posing){ place->index, sound_pose(poses[i].pose) };
    }
    recording->first[scene->frames] = count;
    return true;
}

// Frames may be missing in between, but a gap is no licence to run for ever.
#define MAX_FRAMES 1000000u

static bool count_frames(file_making *making)
{
    const pose_record *poses = making->records.poses;
    for (uint32_t i = 1; i < arrlenu(poses); ++i)
    {
        if (poses[i].frame < poses[i - 1].frame)
        {
            return complain(making->complaint, EXIT_ASKED, "%s:%u: frame %u comes after frame %u", making->path,
                            poses[i].line, poses[i].frame, poses[i - 1].frame);
        }
        if (poses[i].frame - poses[0].frame >= MAX_FRAMES)
        {
            return complain(making->complaint, EXIT_ASKED, "%s:%u: frame %u is more than %u frames after the first",
                            making->path, poses[i].line, poses[i].frame, MAX_FRAMES - 1);
        }
    }
    making->scene->frames = arrlast(poses).frame - poses[0].frame + 1;
    return true;
}

static bool make(file_making *making)
{
    if (!scene_records_read(&making->records, making->path, making->complaint))
    {
        return false;
    }
    size_t bodies = arrlenu(making->records.bodies);
    if (bodies == 0 || bodies > ABUT_MAX_BODIES || arrlenu(making->records.poses) == 0)
    {
        return complain(making->complaint, EXIT_ASKED, "%s:%u: the file ends with %zu bodies and %zu poses",
                        making->path, making->records.lines, bodies, arrlenu(making->records.poses));
    }
    if (!declare(making) || !count_frames(making))
    {
        return false;
    }
    bool *posed = storage_take(bodies, sizeof *posed);
    bool sound = play(making, posed);
    for (uint32_t i = 0; sound && i < bodies; ++i)
    {
        if (!posed[making->places[i].index])
        {
            sound = reject(making, making->places[i].line, "has no pose in the first frame", making->places[i].id);
        }
    }
    storage_give(posed);
    return sound;
}

static void advance(bench_scene *scene)
{
    const file_recording *recording = scene->state;
    if (scene->frame >= scene->frames)
    {
        return;
    }
    for (uint32_t i = recording->first[scene->frame]; i < recording->first[scene->frame + 1]; ++i)
    {
        scene->poses[recording->posings[i].index] = recording->posings[i].pose;
    }
}

static const scene_row file_row = { .advance = advance };

// Without folder and ending.
static bench_scene *empty_scene_named_after(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    char *name = storage_take(length + 1, 1);
    memcpy(name, base, length);
    bench_scene *scene = scene_empty(&file_row, name);
    storage_give(name);
    scene->pairs_a_body = GUESSED_PAIRS_A_BODY;
    return scene;
}

bench_scene *scene_open_file(const char *path, bench_complaint *complaint)
{
    file_making making = { .path = path, .scene = empty_scene_named_after(path), .complaint = complaint };
    bool sound = make(&making);
    scene_records_release(&making.records);
    if (!sound)
    {
        scene_close(making.scene);
        return NULL;
    }
    for (uint32_t i = 0; i < making.scene->count; ++i)
    {
        making.scene->poses[i] = making.scene->defs[i].pose;
    }
    return making.scene;
}
