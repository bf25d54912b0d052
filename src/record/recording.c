// Records a world: an image, then an entry for every change that the world tells of, and for a detect what was written
// in place before it and the hashes of what it found.
#include "record/recording.h"

#include "base/array.h"
#include "state/image.h"
#include "state/state.h"

#include <string.h>

// A definition without a shape is zeros.
static ab_entry_collider collider_entry(const abut_recording *r, const abut_collider_def *def)
{
    ab_entry_collider out;
    memset(&out, 0, sizeof out);
    if (def->shape.kind == ABUT_SHAPE_NONE)
    {
        return out;
    }
    const ab_shape_row *row = ab_shape_row_for(def->shape.kind);
    out.shape = ab_shape_pack(&def->shape, NULL);
    if (row->geometry)
    {
        out.shape.word[0] = ab_geometry_set_index(&r->known, row->geometry(&def->shape));
    }
    out.local = def->local;
    out.local.unused = 0.0f;
    out.filter = def->filter;
    out.flags = def->flags;
    out.user_data = def->user_data;
    return out;
}

static void put_whole(abut_recording *r, ab_entry_kind kind, const void *bytes, size_t size)
{
    ab_entry_begin(r, kind);
    ab_entry_put(r, bytes, size);
    ab_entry_end(r);
}

static void put_created(abut_recording *r, const ab_change *change)
{
    for (uint32_t i = 0; i < change->count; ++i)
    {
        ab_recording_learn(r, &change->body_defs[i].collider.shape);
    }
    ab_entry_begin(r, AB_ENTRY_CREATED);
    for (uint32_t i = 0; i < change->count; ++i)
    {
        const abut_body_def *def = &change->body_defs[i];
        const uint32_t slot = change->bodies[i].slot, collider = r->world->state.bodies.first[slot];
        ab_entry_body entry = {
            .body = change->bodies[i],
            .pose = def->pose,
            .velocity = def->velocity,
            .motion = (uint32_t)def->motion,
            .flags = def->flags,
            .user_data = def->user_data,
            .collider = collider_entry(r, &def->collider),
        };
        entry.pose.unused = 0.0f;
        ab_entry_put(r, &entry, sizeof entry);
        for (ab_column column = 0; column <= AB_COLUMN_BODY_DATA; ++column)
        {
            ab_recording_follow_one(r, column, slot);
        }
        if (collider != ABUT_NONE)
        {
            ab_recording_follow_one(r, AB_COLUMN_COLLIDER_DATA, collider);
        }
    }
    ab_entry_end(r);
}

static void put_destroyed(abut_recording *r, const ab_change *change)
{
    put_whole(r, AB_ENTRY_DESTROYED, change->bodies, change->count * sizeof *change->bodies);
}

static void put_states(abut_recording *r, const ab_change *change)
{
    const uint32_t words[] = { change->mask, change->bits };
    ab_entry_begin(r, AB_ENTRY_STATES);
    ab_entry_put(r, words, sizeof words);
    ab_entry_put(r, change->bodies, change->count * sizeof *change->bodies);
    ab_entry_end(r);
}

static void put_marked(abut_recording *r, const ab_change *change)
{
    bool begun = false;
    for (uint32_t i = 0; i < change->count; ++i)
    {
        if (!ab_is_immobile(r->world->state.bodies.state[change->bodies[i].slot]))
        {
            continue;
        }
        if (!begun)
        {
            ab_entry_begin(r, AB_ENTRY_MARKED);
            begun = true;
        }
        ab_entry_put(r, &change->bodies[i], sizeof change->bodies[i]);
    }
    if (begun)
    {
        ab_entry_end(r);
    }
}

static void put_excluded(abut_recording *r, const ab_change *change)
{
    const uint32_t words[] = { change->bits, 0 };
    ab_entry_begin(r, AB_ENTRY_EXCLUDED);
    ab_entry_put(r, change->bodies, 2 * sizeof *change->bodies);
    ab_entry_put(r, words, sizeof words);
    ab_entry_end(r);
}

static void put_collider(abut_recording *r, const ab_change *change)
{
    const bool attached = change->kind == AB_CHANGE_ATTACHED;
    ab_recording_learn(r, &change->collider_def->shape);
    const ab_entry_attached entry = { attached ? change->bodies[0] : (abut_body){ 0, 0 }, change->collider,
                                      collider_entry(r, change->collider_def) };
    put_whole(r, attached ? AB_ENTRY_ATTACHED : AB_ENTRY_COLLIDER, &entry, sizeof entry);
    ab_recording_follow_one(r, AB_COLUMN_COLLIDER_DATA, change->collider.slot);
}

static void put_detached(abut_recording *r, const ab_change *change)
{
    put_whole(r, AB_ENTRY_DETACHED, &change->collider, sizeof change->collider);
}

static void put_rule(abut_recording *r, const ab_change *change)
{
    const uint32_t words[] = { change->a, change->b, change->bits, 0 };
    put_whole(r, change->kind == AB_CHANGE_COLLIDES ? AB_ENTRY_COLLIDES : AB_ENTRY_PAIR_FUNCTION, words, sizeof words);
}

static void put_kind(abut_recording *r, const ab_change *change)
{
    (void)change;
    put_whole(r, AB_ENTRY_KIND, NULL, 0);
}

static void follow_all(abut_recording *r)
{
    for (ab_column column = 0; column < AB_COLUMN_COUNT; ++column)
    {
        ab_recording_follow(r, column);
    }
}

static void put_restored(abut_recording *r, const ab_change *change)
{
    (void)change;
    ab_recording_learn_all(r);
    ab_recording_image(r, AB_ENTRY_RESTORED);
    follow_all(r);
}

// Everything that led to a detect is written before it begins, so that it can be replayed if the program ends in it.
static void put_begins(abut_recording *r, const ab_change *change)
{
    const uint32_t running = change->bits;
    ab_recording_compare(r);
    ab_entry_begin(r, AB_ENTRY_BEGINS);
    ab_entry_put(r, &running, sizeof running);
    ab_entry_put(r, &change->seconds, sizeof change->seconds);
    ab_entry_end(r);
    ab_recording_flush(r);
    ab_array_set_length(r->vetoed, 0);
}

static void keep_answers(abut_recording *r, const ab_change *change)
{
    if (!ab_array_resize(r->vetoed, &r->memory, change->count))
    {
        ab_recording_stop(r, ABUT_OUT_OF_MEMORY, "there was no memory for the recording");
        return;
    }
    for (uint32_t i = 0; i < change->count; ++i)
    {
        r->vetoed[i] = change->vetoed[i];
    }
}

static void put_ends(abut_recording *r, const ab_change *change)
{
    const bool found = change->status == ABUT_OK && change->bits != AB_RUNNING_MOVE;
    r->frames += found;
    const bool hashed = found && r->frames % r->hash_interval == 0;
    const ab_entry_ends entry = {
        .status = (uint32_t)change->status,
        .asked = (uint32_t)arrlenu(r->vetoed),
        .hashed = hashed,
        .state = hashed ? abut_world_state_hash(r->world) : 0,
        .results = hashed ? abut_world_results_hash(r->world) : 0,
    };
    ab_entry_begin(r, AB_ENTRY_ENDS);
    ab_entry_put(r, &entry, sizeof entry);
    ab_entry_put(r, r->vetoed, entry.asked);
    ab_entry_end(r);
    if (change->status == ABUT_OK && change->bits != AB_RUNNING_DETECT)
    {
        ab_recording_follow(r, AB_COLUMN_POSITION);
        ab_recording_follow(r, AB_COLUMN_ROTATION);
    }
    if (found)
    {
        ab_recording_follow(r, AB_COLUMN_IMPULSE);
    }
    if (found && r->dump_interval > 0 && r->frames % r->dump_interval == 0)
    {
        ab_recording_image(r, AB_ENTRY_DUMP);
    }
    ab_recording_flush(r);
}

static void close(abut_recording *r, const ab_change *change)
{
    (void)change;
    ab_recording_flush(r);
    ab_recording_stop(r, ABUT_INVALID_ARGUMENT, "the world was destroyed before its recording");
    r->world = NULL;
}

static void tell(ab_journal *journal, abut_world *world, const ab_change *change)
{
    static void (*const put[])(abut_recording *, const ab_change *) = {
        [AB_CHANGE_CREATED] = put_created,   [AB_CHANGE_DESTROYED] = put_destroyed, [AB_CHANGE_STATES] = put_states,
        [AB_CHANGE_MARKED] = put_marked,     [AB_CHANGE_EXCLUDED] = put_excluded,   [AB_CHANGE_ATTACHED] = put_collider,
        [AB_CHANGE_COLLIDER] = put_collider, [AB_CHANGE_DETACHED] = put_detached,   [AB_CHANGE_COLLIDES] = put_rule,
        [AB_CHANGE_KIND] = put_kind,         [AB_CHANGE_PAIR_FUNCTION] = put_rule,  [AB_CHANGE_RESTORED] = put_restored,
        [AB_CHANGE_BEGINS] = put_begins,     [AB_CHANGE_ASKED] = keep_answers,      [AB_CHANGE_ENDS] = put_ends,
        [AB_CHANGE_CLOSED] = close,
    };
    (void)world;
    put[change->kind]((abut_recording *)(void *)journal, change);
}

static void put_world(abut_recording *r)
{
    const abut_world *world = r->world;
    const ab_entry_world entry = {
        .margin = world->state.margin,
        .recycle_distance = world->state.recycle_distance,
        .speculative_distance = world->state.speculative_distance,
        .dimension = world->state.is_2d ? 2 : 3,
        .flags = (world->veto ? AB_WORLD_HAS_VETO : 0u) | (world->state.at_anchors ? AB_WORLD_AT_ANCHORS : 0u),
        .kinds = world->state.kind_set.count,
        .functions = world->state.function_set.count,
    };
    ab_entry_begin(r, AB_ENTRY_WORLD);
    ab_entry_put(r, &entry, sizeof entry);
    for (uint32_t i = 0; i < world->state.function_set.count; ++i)
    {
        const uint64_t key = world->state.function_set.data[i].key;
        const uint32_t kinds[] = { (uint32_t)(key >> 32), (uint32_t)key };
        ab_entry_put(r, kinds, sizeof kinds);
    }
    ab_entry_end(r);
}

static void put_beginning(abut_recording *r)
{
    ab_stream_header header = { .version = AB_STREAM_VERSION };
    memcpy(header.magic, ab_stream_magic, sizeof header.magic);
    ab_entry_put(r, &header, sizeof header);
    put_world(r);
    ab_recording_learn_all(r);
    ab_recording_image(r, AB_ENTRY_IMAGE);
    follow_all(r);
    ab_recording_flush(r);
}

static void release(abut_recording *r)
{
    ab_memory memory = r->memory;
    for (size_t i = 0; i < arrlenu(r->known.geometries); ++i)
    {
        abut_geometry_release(r->known.geometries[i]);
    }
    for (ab_column column = 0; column < AB_COLUMN_COUNT; ++column)
    {
        arrfree(r->last[column]);
    }
    arrfree(r->pending);
    ab_geometry_set_close(&r->known);
    arrfree(r->versions);
    arrfree(r->vetoed);
    arrfree(r->image);
    arrfree(r->next);
    arrfree(r->difference);
    ab_memory_give(&memory, r, sizeof *r);
}

abut_status abut_recording_create(abut_world *world, const abut_recording_def *def, abut_recording **out)
{
    static const char *const call = "abut_recording_create";
    ab_memory memory;
    if (out)
    {
        *out = NULL;
    }
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!def || !def->write || !out || !ab_memory_open(&memory, &def->allocator))
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    if (!ab_image_is_native())
    {
        return ab_fail(world, ABUT_UNSUPPORTED, call, 0, "recordings are little-endian, and this machine is not");
    }
    if (world->journal)
    {
        return ab_fail(world, ABUT_LIMIT, call, 0, "the world is recorded already");
    }
    abut_recording *r = ab_memory_take(&memory, sizeof *r);
    if (!r)
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, call, 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    *r = (abut_recording){ .journal = { tell },
                           .memory = memory,
                           .world = world,
                           .write = def->write,
                           .write_context = def->write_context,
                           .hash_interval = def->hash_interval ? def->hash_interval : 1,
                           .dump_interval = def->dump_interval };
    put_beginning(r);
    if (r->fault)
    {
        const abut_status status = r->status;
        const char *sentence = r->fault;
        release(r);
        return ab_fail(world, status, call, 0, sentence);
    }
    world->journal = &r->journal;
    *out = r;
    return ABUT_OK;
}

const char *abut_recording_fault(const abut_recording *recording)
{
    return recording ? recording->fault : "there is no recording";
}

bool abut_recording_destroy(abut_recording *recording)
{
    abut_recording *r = recording;
    if (!r || r->writing)
    {
        return !r;
    }
    if (!r->fault)
    {
        ab_recording_compare(r);
        put_whole(r, AB_ENTRY_LAST, NULL, 0);
        ab_recording_flush(r);
    }
    const bool whole = !r->fault;
    if (r->world && r->world->journal == &r->journal)
    {
        r->world->journal = NULL;
    }
    release(r);
    return whole;
}
