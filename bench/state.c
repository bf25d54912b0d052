// What it costs to save and restore a world: frame after frame of a scene goes into a ring of images as a rollback
// keeps it, and an earlier one comes back, beside plain copies of the same bytes in the same places.
#include "state.h"

#include "clock.h"
#include "plan.h"
#include "row_files.h"
#include "series.h"
#include "storage.h"

#include <abut/abut.h>

#include <string.h>

#define RING 12u // images kept
#define BACK 8u  // frames that a restore goes back
#define LINE 64u

// Times of a measured frame, in nanoseconds.
enum
{
    SAVE,
    SAVE_COPY, // of the image's bytes
    RESTORE,
    RESTORE_COPY,
    TIMES
};

// Times in nanoseconds a body, and as multiples of a copy; bytes a body.
typedef struct state_row
{
    char scene[64];
    uint32_t bodies, contacts;
    double save_ns, save_copies, restore_ns, restore_copies;
    double bounds_copies; // what the bounds pass of a detect costs
    double bytes, lean, difference;
    uint64_t allocations; // while measured
} state_row;

typedef struct ring
{
    unsigned char *memory, *images, *copies, *one; // the last is what is copied to
    size_t room;                                   // for an image
    size_t size[RING];
} ring;

typedef struct course
{
    abut_world *world;
    bench_scene *scene;
    abut_registry registry; // of the ground
    ring ring;
    double *times[TIMES];
    uint64_t bytes, lean, difference, bounds_ns, allocations;
    uint32_t contacts;
    bench_complaint *complaint;
} course;

static bool accepted(const course *it, abut_status status, const char *call)
{
    return status == ABUT_OK || complain(it->complaint, EXIT_BROKEN, "%s failed: %s", call, abut_status_text(status));
}

static bool open_ring(course *it)
{
    size_t size;
    if (!accepted(it, abut_world_save(it->world, 0, &it->registry, NULL, 0, &size), "abut_world_save"))
    {
        return false;
    }
    ring *r = &it->ring;
    r->room = (size + size / 2) / LINE * LINE + LINE;
    r->memory = storage_take((2 * RING + 1) * r->room + LINE, 1);
    r->images = r->memory + (LINE - (uintptr_t)r->memory % LINE) % LINE;
    r->copies = r->images + RING * r->room;
    r->one = r->copies + RING * r->room;
    memset(r->images, 1, (2 * RING + 1) * r->room); // pages exist
    return true;
}

static bool save(course *it, uint32_t frame, double times[TIMES])
{
    ring *r = &it->ring;
    unsigned char *image = r->images + (frame % RING) * r->room, *copy = r->copies + (frame % RING) * r->room;
    size_t *size = &r->size[frame % RING];
    const uint64_t start = clock_elapsed_ns();
    const abut_status status = abut_world_save(it->world, 0, &it->registry, image, r->room, size);
    const uint64_t saved = clock_elapsed_ns();
    if (!accepted(it, status, "abut_world_save"))
    {
        return false;
    }
    memcpy(copy, image, *size);
    times[SAVE] = (double)(saved - start);
    times[SAVE_COPY] = (double)(clock_elapsed_ns() - saved);
    return true;
}

// Goes back, and forward again by the newest image, so that the scene goes on.
static bool restore(course *it, uint32_t frame, double times[TIMES])
{
    ring *r = &it->ring;
    const uint32_t earlier = (frame - BACK) % RING;
    const uint64_t start = clock_elapsed_ns();
    memcpy(r->one, r->copies + earlier * r->room, r->size[earlier]);
    const uint64_t copied = clock_elapsed_ns();
    const abut_status status =
        abut_world_restore(it->world, &it->registry, r->images + earlier * r->room, r->size[earlier]);
    times[RESTORE] = (double)(clock_elapsed_ns() - copied);
    times[RESTORE_COPY] = (double)(copied - start);
    return accepted(it, status, "abut_world_restore") &&
           accepted(it,
                    abut_world_restore(it->world, &it->registry, r->images + (frame % RING) * r->room,
                                       r->size[frame % RING]),
                    "abut_world_restore");
}

static bool step(course *it)
{
    const bench_scene *scene = it->scene;
    abut_bodies in_world = abut_world_bodies(it->world);
    memcpy(in_world.poses, scene->poses, scene->moving * sizeof *scene->poses);
    return accepted(it, abut_world_detect(it->world, 0.0f), "abut_world_detect");
}

static uint64_t allocations_of(const abut_world *world)
{
    abut_statistics statistics;
    abut_world_statistics(world, &statistics);
    return statistics.allocations;
}

static bool all_frames(course *it, uint32_t frames)
{
    uint64_t before = 0;
    for (uint32_t frame = 0; frame < BACK + frames; ++frame)
    {
        double times[TIMES] = { 0 };
        if (!step(it) || (frame == 0 && !open_ring(it)) || !save(it, frame, times) ||
            (frame >= BACK && !restore(it, frame, times)))
        {
            return false;
        }
        for (uint32_t i = 0; i < TIMES && frame >= BACK; ++i)
        {
            it->times[i][frame - BACK] = times[i];
        }
        before = frame == BACK + frames / 2 ? allocations_of(it->world) : before;
        scene_advance(it->scene);
    }
    it->allocations = allocations_of(it->world) - before;
    return true;
}

static bool weigh(course *it, uint32_t frame)
{
    const ring *r = &it->ring;
    const unsigned char *image = r->images + (frame % RING) * r->room,
                        *base = r->images + ((frame - 1) % RING) * r->room;
    size_t lean = 0, difference = 0;
    abut_statistics statistics;
    abut_world_statistics(it->world, &statistics);
    it->bytes = r->size[frame % RING];
    it->contacts = abut_world_contacts(it->world, ABUT_AWAKE).count;
    it->bounds_ns = statistics.elapsed_ns[ABUT_STAGE_BOUNDS];
    const bool sound =
        accepted(it, abut_world_save(it->world, ABUT_SAVE_LEAN, &it->registry, NULL, 0, &lean), "abut_world_save") &&
        accepted(it,
                 abut_image_difference(base, r->size[(frame - 1) % RING], image, r->size[frame % RING], NULL, 0,
                                       &difference),
                 "abut_image_difference");
    it->lean = lean;
    it->difference = difference;
    return sound;
}

// The name is copied: the scene is closed before the row is written.
static void conclude(const course *it, uint32_t frames, state_row *out)
{
    double median[TIMES];
    for (uint32_t i = 0; i < TIMES; ++i)
    {
        median[i] = series_summarise(it->times[i], frames).median;
    }
    const double bodies = it->scene->bodies;
    *out = (state_row){
        .bodies = it->scene->bodies,
        .contacts = it->contacts,
        .save_ns = median[SAVE] / bodies,
        .save_copies = median[SAVE] / median[SAVE_COPY],
        .restore_ns = median[RESTORE] / bodies,
        .restore_copies = median[RESTORE] / median[RESTORE_COPY],
        .bounds_copies = (double)it->bounds_ns / median[RESTORE_COPY],
        .allocations = it->allocations,
        .bytes = (double)it->bytes / bodies,
        .lean = (double)it->lean / bodies,
        .difference = (double)it->difference / bodies,
    };
    snprintf(out->scene, sizeof out->scene, "%s", it->scene->name);
}

static bool measure(const plan_row *row, const bench_options *options, state_row *out, bench_complaint *complaint)
{
    course it = { .scene = plan_open_scene(row, complaint), .complaint = complaint };
    if (!it.scene)
    {
        return false;
    }
    const abut_geometry *const ground[1] = { it.scene->ground };
    it.registry = (abut_registry){ ground, it.scene->ground ? 1 : 0 };
    const abut_world_def def = { .broad = options->settings.broad,
                                 .isa = options->settings.isa,
                                 .threads = options->settings.threads,
                                 .dimension = it.scene->dimension,
                                 .recycle_distance = options->settings.recycle_distance,
                                 .separations = options->settings.separations };
    abut_body *bodies = storage_take(it.scene->count, sizeof *bodies);
    for (uint32_t i = 0; i < TIMES; ++i)
    {
        it.times[i] = storage_take(options->frames, sizeof(double));
    }
    const bool sound = accepted(&it, abut_world_create(&def, &it.world), "abut_world_create") &&
                       accepted(&it, abut_body_create_many(it.world, it.scene->defs, it.scene->count, bodies),
                                "abut_body_create_many") &&
                       all_frames(&it, options->frames) && weigh(&it, BACK + options->frames - 1);
    if (sound)
    {
        conclude(&it, options->frames, out);
    }
    for (uint32_t i = 0; i < TIMES; ++i)
    {
        storage_give(it.times[i]);
    }
    storage_give(bodies);
    storage_give(it.ring.memory);
    abut_world_destroy(it.world);
    scene_close(it.scene);
    return sound;
}

static void write_head(const row_files *files)
{
    if (files->table)
    {
        fprintf(
            files->table,
            "Elapsed time in ns a body (medians), and as multiples of copying the image's bytes to or from the same "
            "ring\n"
            "of %u images; restores go back %u frames. Bytes a body; allocations in the second half of the frames.\n\n"
            "%-12s %8s %9s %8s %7s %8s %7s %7s %8s %8s %10s %7s\n",
            RING, BACK, "scene", "bodies", "contacts", "save", "copies", "restore", "copies", "bounds", "bytes", "lean",
            "difference", "allocs");
    }
    if (files->csv)
    {
        fprintf(files->csv,
                "scene,bodies,contacts,save_ns,save_copies,restore_ns,restore_copies,bounds_copies,bytes,lean,"
                "difference,allocations\n");
    }
}

static void write_row(const row_files *files, const state_row *row)
{
    const unsigned long long allocations = (unsigned long long)row->allocations;
    if (files->table)
    {
        fprintf(files->table, "%-12s %8u %9u %8.2f %7.2f %8.2f %7.2f %7.2f %8.1f %8.1f %10.1f %7llu\n", row->scene,
                row->bodies, row->contacts, row->save_ns, row->save_copies, row->restore_ns, row->restore_copies,
                row->bounds_copies, row->bytes, row->lean, row->difference, allocations);
        fflush(files->table);
    }
    if (files->json)
    {
        fprintf(files->json,
                "{\"scene\":\"%s\",\"bodies\":%u,\"contacts\":%u,\"save_ns\":%.3f,\"save_copies\":%.3f,"
                "\"restore_ns\":%.3f,\"restore_copies\":%.3f,\"bounds_copies\":%.3f,\"bytes\":%.1f,\"lean\":%.1f,"
                "\"difference\":%.1f,\"allocations\":%llu}\n",
                row->scene, row->bodies, row->contacts, row->save_ns, row->save_copies, row->restore_ns,
                row->restore_copies, row->bounds_copies, row->bytes, row->lean, row->difference, allocations);
        fflush(files->json);
    }
    if (files->csv)
    {
        fprintf(files->csv, "%s,%u,%u,%.3f,%.3f,%.3f,%.3f,%.3f,%.1f,%.1f,%.1f,%llu\n", row->scene, row->bodies,
                row->contacts, row->save_ns, row->save_copies, row->restore_ns, row->restore_copies, row->bounds_copies,
                row->bytes, row->lean, row->difference, allocations);
        fflush(files->csv);
    }
}

bool state_run(const bench_options *options, bench_complaint *complaint)
{
    bench_plan plan = { 0 };
    row_files files;
    bool sound = plan_make(&plan, options, complaint) && row_files_open(&files, options, complaint);
    if (sound)
    {
        write_head(&files);
        for (uint32_t i = 0; sound && i < arrlenu(plan.rows); ++i)
        {
            state_row row;
            sound = measure(&plan.rows[i], options, &row, complaint);
            if (sound)
            {
                write_row(&files, &row);
            }
        }
        bench_complaint unwritten;
        if (!row_files_close(&files, &unwritten) && sound)
        {
            *complaint = unwritten;
            sound = false;
        }
    }
    plan_release(&plan);
    return sound;
}
