// Replays a recording frame by frame, and compares what each detect found.
#include "record/replay.h"

#include "base/array.h"
#include "state/image.h"
#include "world/journal.h"

#include <string.h>

// What a call between AB_ENTRY_BEGINS and AB_ENTRY_ENDS was.
typedef struct call
{
    uint32_t running; // ab_running
    float seconds;
    ab_entry_ends ends;
} call;

bool ab_replay_differ(abut_replay *r, const char *part, const char *field, uint64_t recorded, uint64_t replayed)
{
    r->difference.frame = r->frames + 1;
    r->difference.part = part;
    r->difference.field = field;
    r->difference.recorded = recorded;
    r->difference.replayed = replayed;
    r->fault = NULL;
    r->outcome = ABUT_REPLAY_DIFFERS;
    r->over = true;
    return false;
}

static bool compare_images(abut_replay *r)
{
    ab_image recorded, replayed;
    (void)ab_image_open(&recorded, r->image, arrlenu(r->image)); // it was made by abut_image_apply
    (void)ab_image_open(&replayed, r->own, arrlenu(r->own));     // and this one by abut_world_save
    abut_replay_difference found = { .body = ABUT_NONE, .other = ABUT_NONE };
    if (!ab_images_differ(&recorded, &replayed, false, &found))
    {
        return true;
    }
    r->difference = found;
    return ab_replay_differ(r, found.part, found.field, found.recorded, found.replayed);
}

bool ab_replay_compare(abut_replay *r)
{
    size_t size = 0;
    const abut_registry registry = abut_replay_registry(r);
    if (!ab_replay_next_image(r))
    {
        return false;
    }
    abut_status status = abut_world_save(r->world, 0, &registry, NULL, 0, &size);
    if (status == ABUT_OK && !ab_array_resize(r->own, &r->memory, size))
    {
        return ab_replay_no_memory(r);
    }
    status = status == ABUT_OK ? abut_world_save(r->world, 0, &registry, r->own, size, &size) : status;
    return status == ABUT_OK ? compare_images(r) : ab_replay_fail(r);
}

// The entry behind the present one is a dump. What is wrong with it is told when it is carried out.
static bool dump_follows(abut_replay *r)
{
    r->is_ahead = ab_replay_read(r);
    return r->is_ahead && r->header.kind == AB_ENTRY_DUMP;
}

// Compares a detect with what is recorded of it: with its dump, which names what differs, or its hashes.
static bool compare_frame(abut_replay *r, const call *c)
{
    const bool hashed = c->ends.hashed != 0;
    const uint64_t state = hashed ? abut_world_state_hash(r->world) : c->ends.state;
    const uint64_t results = hashed ? abut_world_results_hash(r->world) : c->ends.results;
    if (r->has_asked ? r->answered != c->ends.asked : c->ends.asked != 0)
    {
        return ab_replay_differ(r, "veto", "pairs asked about", c->ends.asked, r->answered);
    }
    const bool has_dump = dump_follows(r);
    r->is_ahead = r->is_ahead && !has_dump;
    if (has_dump && !ab_replay_compare(r))
    {
        return false;
    }
    if (state == c->ends.state && results == c->ends.results)
    {
        return true;
    }
    const bool in_state = state != c->ends.state;
    // A broken end of the recording, found by looking for a dump, comes after this difference.
    return ab_replay_differ(r, "hash", in_state ? "state" : "results", in_state ? c->ends.state : c->ends.results,
                            in_state ? state : results);
}

static abut_status run(abut_replay *r, const call *c)
{
    switch (c->running)
    {
    case AB_RUNNING_MOVE:
        return abut_world_move(r->world, c->seconds);
    case AB_RUNNING_DETECT:
        return abut_world_detect(r->world, c->seconds);
    default:
        return abut_world_step(r->world, c->seconds);
    }
}

// Reads what a call came to, with the answers of the veto.
static bool read_ends(abut_replay *r, call *c)
{
    if (arrlenu(r->entry) < sizeof c->ends)
    {
        return ab_replay_break(r, "an entry of the recording has a wrong length");
    }
    memcpy(&c->ends, r->entry, sizeof c->ends);
    if (c->ends.asked != arrlenu(r->entry) - sizeof c->ends)
    {
        return ab_replay_break(r, "an entry of the recording has a wrong length");
    }
    r->answers = r->entry + sizeof c->ends;
    r->asked = c->ends.asked;
    return true;
}

// Carries out the call that the present entry begins. *is_frame: a detect that was the same.
static bool run_call(abut_replay *r, bool *is_frame)
{
    call c = { 0 };
    if (arrlenu(r->entry) != sizeof c.running + sizeof c.seconds)
    {
        return ab_replay_break(r, "an entry of the recording has a wrong length");
    }
    memcpy(&c.running, r->entry, sizeof c.running);
    memcpy(&c.seconds, r->entry + sizeof c.running, sizeof c.seconds);
    if (c.running >= AB_RUNNING_COUNT)
    {
        return ab_replay_break(r, "the recording has a call of an unknown kind");
    }
    r->has_asked = false;
    r->answered = r->asked = 0;
    if (!ab_replay_read(r))
    {
        (void)!run(r, &c); // perhaps the recorded program ended in it, and so will this one
        return false;
    }
    if (r->header.kind != AB_ENTRY_ENDS)
    {
        r->is_ahead = true; // the recording ended while the call was under way
        return true;
    }
    if (!read_ends(r, &c))
    {
        return false;
    }
    if (c.ends.status != ABUT_OK)
    {
        return true; // it changed nothing
    }
    const abut_status status = run(r, &c);
    if (status != ABUT_OK)
    {
        return ab_replay_fail(r);
    }
    *is_frame = c.running != AB_RUNNING_MOVE && compare_frame(r, &c);
    r->frames += *is_frame;
    return c.running == AB_RUNNING_MOVE || *is_frame;
}

static bool complete(abut_replay *r)
{
    if (arrlenu(r->entry) != 0)
    {
        return ab_replay_break(r, "an entry of the recording has a wrong length");
    }
    r->outcome = ABUT_REPLAY_COMPLETE;
    r->over = true;
    return false;
}

abut_replay_outcome abut_replay_next(abut_replay *replay)
{
    abut_replay *r = replay;
    bool is_frame = false;
    if (!r)
    {
        return ABUT_REPLAY_BROKEN;
    }
    if (!r->world && !r->over)
    {
        (void)ab_replay_open(r);
    }
    while (!is_frame && !r->over)
    {
        if (!ab_replay_read(r))
        {
            break;
        }
        switch (r->header.kind)
        {
        case AB_ENTRY_BEGINS:
            (void)run_call(r, &is_frame);
            break;
        case AB_ENTRY_LAST:
            (void)complete(r);
            break;
        default:
            (void)ab_replay_change(r);
        }
    }
    return is_frame ? ABUT_REPLAY_FRAME : r->outcome;
}

abut_status abut_replay_create(const abut_replay_def *def, abut_replay **out)
{
    ab_memory memory;
    if (out)
    {
        *out = NULL;
    }
    if (!def || !def->read || !out || (def->kind_count > 0 && !def->kinds) ||
        (def->function_count > 0 && !def->functions) || !ab_memory_open(&memory, &def->allocator))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (!ab_image_is_native())
    {
        return ABUT_UNSUPPORTED;
    }
    abut_replay *r = ab_memory_take(&memory, sizeof *r);
    if (!r)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    *r = (abut_replay){ .def = *def, .memory = memory, .difference = { .body = ABUT_NONE, .other = ABUT_NONE } };
    *out = r;
    return ABUT_OK;
}

void abut_replay_destroy(abut_replay *replay)
{
    abut_replay *r = replay;
    if (!r)
    {
        return;
    }
    abut_world_destroy(r->world);
    for (size_t i = 0; i < arrlenu(r->geometries); ++i)
    {
        abut_geometry_release(r->geometries[i]);
    }
    arrfree(r->geometries);
    arrfree(r->entry);
    arrfree(r->defs);
    arrfree(r->handles);
    arrfree(r->image);
    arrfree(r->next);
    arrfree(r->own);
    ab_memory memory = r->memory;
    ab_memory_give(&memory, r, sizeof *r);
}

uint64_t abut_replay_frames(const abut_replay *replay)
{
    return replay ? replay->frames : 0;
}

abut_world *abut_replay_world(const abut_replay *replay)
{
    return replay ? replay->world : NULL;
}

const char *abut_replay_fault(const abut_replay *replay)
{
    return replay ? replay->fault : NULL;
}

bool abut_replay_first_difference(const abut_replay *replay, abut_replay_difference *out)
{
    const bool found = replay && replay->over && replay->outcome == ABUT_REPLAY_DIFFERS;
    if (found && out)
    {
        *out = replay->difference;
    }
    return found;
}
