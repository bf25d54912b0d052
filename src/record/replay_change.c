// Carries out the changes of a recording by the calls of the public interface, with the arguments of the recording. A
// call that fails, or gives another handle, ends the replay.
#include "record/replay.h"

#include "base/array.h"
#include "state/state.h"

#include <string.h>

static bool wrong_length(abut_replay *r)
{
    (void)ab_replay_break(r, "an entry of the recording has a wrong length");
    return false;
}

// A call that did not fail when it was recorded; the fault is the world's sentence.
static bool done(abut_replay *r, abut_status status)
{
    return status == ABUT_OK || ab_replay_fail(r);
}

static bool same_handle(abut_replay *r, const char *part, abut_body recorded, abut_body replayed)
{
    return (recorded.slot == replayed.slot && recorded.generation == replayed.generation) ||
           ab_replay_differ(r, part, "handle", (uint64_t)recorded.generation << 32 | recorded.slot,
                            (uint64_t)replayed.generation << 32 | replayed.slot);
}

// The elements of an entry behind its first bytes, if they fill it.
static bool count_elements(abut_replay *r, size_t head, size_t element, uint32_t *count)
{
    const uint64_t size = arrlenu(r->entry);
    if (size < head || (size - head) % element != 0 || (size - head) / element > UINT32_MAX)
    {
        return wrong_length(r);
    }
    *count = (uint32_t)((size - head) / element);
    return true;
}

// Copies a fixed entry.
static bool take(abut_replay *r, void *out, size_t size)
{
    if (arrlenu(r->entry) != size)
    {
        return wrong_length(r);
    }
    memcpy(out, r->entry, size);
    return true;
}

static bool take_handles(abut_replay *r, size_t head, uint32_t *count)
{
    if (!count_elements(r, head, sizeof *r->handles, count))
    {
        return false;
    }
    if (!ab_array_reserve(r->handles, &r->memory, *count + (size_t)1))
    {
        return ab_replay_no_memory(r);
    }
    ab_array_set_length(r->handles, *count);
    memcpy(r->handles, r->entry + head, *count * sizeof *r->handles);
    return true;
}

static bool definition_of(abut_replay *r, const ab_entry_collider *entry, abut_collider_def *out)
{
    const abut_registry registry = abut_replay_registry(r);
    *out = (abut_collider_def){
        .shape = ab_shape_unpack(&entry->shape, &registry),
        .local = entry->local,
        .filter = entry->filter,
        .flags = entry->flags,
        .user_data = entry->user_data,
    };
    return (out->shape.kind == ABUT_SHAPE_NONE) == (entry->shape.kind == ABUT_SHAPE_NONE) ||
           ab_replay_break(r, "the recording has a shape of an unknown kind");
}

static bool create(abut_replay *r)
{
    uint32_t count = 0;
    ab_entry_body entry;
    if (!count_elements(r, 0, sizeof entry, &count))
    {
        return false;
    }
    if (!ab_array_resize(r->defs, &r->memory, count) || !ab_array_resize(r->handles, &r->memory, count))
    {
        return ab_replay_no_memory(r);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        memcpy(&entry, r->entry + i * sizeof entry, sizeof entry);
        r->defs[i] = (abut_body_def){
            .pose = entry.pose,
            .velocity = entry.velocity,
            .motion = (abut_motion)entry.motion,
            .flags = entry.flags,
            .user_data = entry.user_data,
        };
        if (!definition_of(r, &entry.collider, &r->defs[i].collider))
        {
            return false;
        }
    }
    if (!done(r, abut_body_create_many(r->world, r->defs, count, r->handles)))
    {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        memcpy(&entry.body, r->entry + i * sizeof entry, sizeof entry.body);
        if (!same_handle(r, "body", entry.body, r->handles[i]))
        {
            return false;
        }
    }
    return true;
}

static bool destroy(abut_replay *r)
{
    uint32_t count = 0;
    return take_handles(r, 0, &count) && done(r, abut_body_destroy_many(r->world, r->handles, count));
}

static abut_status set_state(abut_world *world, abut_body body, uint32_t mask, uint32_t bits)
{
    switch (mask)
    {
    case AB_STATE_MOTION:
        return abut_body_set_motion(world, body, (abut_motion)bits);
    case AB_STATE_DISABLED:
        return abut_body_set_enabled(world, body, bits == 0);
    case AB_STATE_ASLEEP:
        return abut_body_set_awake(world, body, bits == 0);
    case AB_STATE_CCD:
        return abut_body_set_ccd(world, body, bits != 0);
    case AB_STATE_CCD_ALL:
        return abut_body_set_ccd_all(world, body, bits != 0);
    default:
        return ABUT_INVALID_ARGUMENT;
    }
}

static bool set_states(abut_replay *r)
{
    uint32_t words[2], count = 0;
    if (!take_handles(r, sizeof words, &count))
    {
        return false;
    }
    memcpy(words, r->entry, sizeof words);
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!done(r, set_state(r->world, r->handles[i], words[0], words[1])))
        {
            return false;
        }
    }
    return true;
}

static bool mark(abut_replay *r)
{
    uint32_t count = 0;
    if (!take_handles(r, 0, &count))
    {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!done(r, abut_body_mark_moved(r->world, r->handles[i])))
        {
            return false;
        }
    }
    return true;
}

static bool exclude(abut_replay *r)
{
    struct
    {
        abut_body a, b;
        uint32_t excluded, reserved;
    } entry;
    return take(r, &entry, sizeof entry) && done(r, abut_body_exclude(r->world, entry.a, entry.b, entry.excluded != 0));
}

static bool set_collider(abut_replay *r)
{
    ab_entry_attached entry;
    abut_collider_def def;
    if (!take(r, &entry, sizeof entry) || !definition_of(r, &entry.def, &def))
    {
        return false;
    }
    if (r->header.kind == AB_ENTRY_COLLIDER)
    {
        return done(r, abut_collider_set(r->world, entry.collider, &def));
    }
    abut_collider made;
    return done(r, abut_collider_attach(r->world, entry.body, &def, &made)) &&
           same_handle(r, "collider", (abut_body){ entry.collider.slot, entry.collider.generation },
                       (abut_body){ made.slot, made.generation });
}

static bool detach(abut_replay *r)
{
    abut_collider collider;
    return take(r, &collider, sizeof collider) && done(r, abut_collider_detach(r->world, collider));
}

static bool set_rule(abut_replay *r)
{
    uint32_t words[4];
    if (!take(r, words, sizeof words))
    {
        return false;
    }
    if (r->header.kind == AB_ENTRY_COLLIDES)
    {
        return done(r, abut_world_set_collides(r->world, (abut_motion)words[0], (abut_motion)words[1], words[2] != 0));
    }
    return words[2] != 0 ? ab_replay_set_function(r, words)
                         : done(r, abut_world_set_pair_function(r->world, words[0], words[1], NULL, NULL));
}

static bool restore(abut_replay *r)
{
    const abut_registry registry = abut_replay_registry(r);
    return ab_replay_next_image(r) && done(r, abut_world_restore(r->world, &registry, r->image, arrlenu(r->image)));
}

static bool write(abut_replay *r)
{
    uint32_t words[2];
    const size_t size = arrlenu(r->entry);
    if (size < sizeof words)
    {
        return wrong_length(r);
    }
    memcpy(words, r->entry, sizeof words);
    if (words[0] >= AB_COLUMN_COUNT)
    {
        return ab_replay_break(r, "the recording writes to an unknown array");
    }
    const ab_column_view view = ab_column_of(r->world, (ab_column)words[0]);
    for (size_t at = sizeof words; at < size;)
    {
        uint32_t run[2];
        if (size - at < sizeof run)
        {
            return wrong_length(r);
        }
        memcpy(run, r->entry + at, sizeof run);
        at += sizeof run;
        if (run[0] > view.count || run[1] > view.count - run[0] || run[1] > (size - at) / view.element)
        {
            return ab_replay_break(r, "the recording writes outside of an array");
        }
        for (size_t i = run[0]; i < (size_t)run[0] + run[1]; ++i, at += view.element)
        {
            memcpy(view.data + i * view.stride, r->entry + at, view.element);
        }
    }
    return true;
}

bool ab_replay_change(abut_replay *r)
{
    static bool (*const carry_out[AB_ENTRY_COUNT])(abut_replay *) = {
        [AB_ENTRY_GEOMETRY] = ab_replay_add_geometry,
        [AB_ENTRY_RESTORED] = restore,
        [AB_ENTRY_CREATED] = create,
        [AB_ENTRY_DESTROYED] = destroy,
        [AB_ENTRY_STATES] = set_states,
        [AB_ENTRY_MARKED] = mark,
        [AB_ENTRY_EXCLUDED] = exclude,
        [AB_ENTRY_ATTACHED] = set_collider,
        [AB_ENTRY_COLLIDER] = set_collider,
        [AB_ENTRY_DETACHED] = detach,
        [AB_ENTRY_COLLIDES] = set_rule,
        [AB_ENTRY_KIND] = ab_replay_register_kind,
        [AB_ENTRY_PAIR_FUNCTION] = set_rule,
        [AB_ENTRY_HEIGHTS] = ab_replay_update_heights,
        [AB_ENTRY_WRITTEN] = write,
    };
    return carry_out[r->header.kind] ? carry_out[r->header.kind](r)
                                     : ab_replay_break(r, "the recording has an entry where it cannot be");
}
