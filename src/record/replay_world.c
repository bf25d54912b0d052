// Makes the world that a replay is carried out on, of what a recording begins with: settings, custom kinds and pair
// functions that the caller gives, geometries, and an image.
#include "record/replay.h"

#include "base/array.h"
#include "state/geometry_bytes.h"

#include <string.h>

abut_registry abut_replay_registry(const abut_replay *replay)
{
    return replay ? (abut_registry){ (const abut_geometry *const *)replay->geometries,
                                     (uint32_t)arrlenu(replay->geometries) }
                  : (abut_registry){ 0 };
}

// Answers as the recorded veto did; about more pairs than that was asked, with no.
static void answer(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    abut_replay *r = context;
    (void)pairs;
    r->has_asked = true;
    r->answered = count;
    for (uint32_t i = 0; i < count && i < r->asked; ++i)
    {
        vetoed[i] = r->answers[i] != 0;
    }
}

static void note_error(void *context, abut_status status, const char *call, uint32_t index, const char *sentence)
{
    abut_replay *r = context;
    (void)status, (void)call, (void)index;
    r->error = sentence;
}

bool ab_replay_set_function(abut_replay *r, const uint32_t kinds[2])
{
    for (uint32_t i = 0; i < r->def.function_count; ++i)
    {
        const abut_replay_function *f = &r->def.functions[i];
        if ((f->kind_a == kinds[0] && f->kind_b == kinds[1]) || (f->kind_a == kinds[1] && f->kind_b == kinds[0]))
        {
            return abut_world_set_pair_function(r->world, f->kind_a, f->kind_b, f->function, f->context) == ABUT_OK ||
                   ab_replay_break(r, "a pair function was refused");
        }
    }
    return ab_replay_break(r, "the recorded world has a pair function that the replay was not given");
}

bool ab_replay_register_kind(abut_replay *r)
{
    uint32_t id;
    if (r->kinds >= r->def.kind_count)
    {
        return ab_replay_break(r, "the recorded world has a custom kind that the replay was not given");
    }
    return abut_world_register_kind(r->world, &r->def.kinds[r->kinds++], &id) == ABUT_OK ||
           ab_replay_break(r, "a custom kind was refused");
}

static bool make_world(abut_replay *r)
{
    ab_entry_world entry;
    const size_t size = arrlenu(r->entry);
    if (r->header.kind != AB_ENTRY_WORLD || size < sizeof entry)
    {
        return ab_replay_break(r, "the recording does not begin with a world");
    }
    memcpy(&entry, r->entry, sizeof entry);
    if ((size - sizeof entry) / (2 * sizeof(uint32_t)) != entry.functions ||
        (size - sizeof entry) % (2 * sizeof(uint32_t)) != 0 ||
        (entry.flags & ~(AB_WORLD_HAS_VETO | AB_WORLD_AT_ANCHORS)) != 0 || entry.reserved != 0)
    {
        return ab_replay_break(r, "the recording does not begin with a world");
    }
    const abut_world_def def = {
        .allocator = r->def.allocator,
        .margin = entry.margin,
        .recycle_distance = entry.recycle_distance,
        .speculative_distance = entry.speculative_distance,
        .broad = r->def.broad,
        .isa = r->def.isa,
        .on_error = note_error,
        .on_error_context = r,
        .separations = entry.flags & AB_WORLD_AT_ANCHORS ? ABUT_AT_ANCHORS : ABUT_FOLLOWED,
        .veto = entry.flags & AB_WORLD_HAS_VETO ? answer : NULL,
        .veto_context = r,
        .dimension = entry.dimension,
        .threads = r->def.threads,
    };
    if (abut_world_create(&def, &r->world) != ABUT_OK)
    {
        return ab_replay_break(r, "the recorded world cannot be made here");
    }
    for (uint32_t i = 0; i < entry.kinds; ++i)
    {
        if (!ab_replay_register_kind(r))
        {
            return false;
        }
    }
    for (uint32_t i = 0; i < entry.functions; ++i)
    {
        uint32_t kinds[2];
        memcpy(kinds, r->entry + sizeof entry + i * sizeof kinds, sizeof kinds);
        if (!ab_replay_set_function(r, kinds))
        {
            return false;
        }
    }
    return true;
}

bool ab_replay_add_geometry(abut_replay *r)
{
    const size_t count = arrlenu(r->geometries);
    abut_geometry *made = NULL;
    if (!ab_array_reserve(r->geometries, &r->memory, count + 1))
    {
        return ab_replay_no_memory(r);
    }
    const abut_registry known = abut_replay_registry(r);
    const abut_status status = ab_geometry_bytes_read(r->entry, arrlenu(r->entry), &known, &r->def.allocator, &made);
    if (status == ABUT_OUT_OF_MEMORY)
    {
        return ab_replay_no_memory(r);
    }
    if (status != ABUT_OK)
    {
        return ab_replay_break(r, "a geometry of the recording is not valid, or is made in another way here");
    }
    ab_array_set_length(r->geometries, count + 1);
    r->geometries[count] = made;
    return true;
}

bool ab_replay_update_heights(abut_replay *r)
{
    ab_entry_heights entry;
    const size_t size = arrlenu(r->entry);
    if (size < sizeof entry)
    {
        return ab_replay_break(r, "an entry of the recording has a wrong length");
    }
    memcpy(&entry, r->entry, sizeof entry);
    abut_geometry *field = entry.geometry < arrlenu(r->geometries) ? r->geometries[entry.geometry] : NULL;
    if (!field || field->kind != AB_HEIGHTFIELD_GEOMETRY || entry.rows == 0 || entry.materials > 1)
    {
        return ab_replay_break(r, "the recording updates what is no heightfield");
    }
    const uint32_t columns = (uint32_t)field->coordinates[0];
    const size_t cells = ((size_t)entry.rows - 1) * (columns - 1);
    const size_t heights = (size_t)entry.rows * columns * sizeof(float), kinds = ab_entry_cells(cells);
    const size_t materials = entry.materials ? ab_saved_materials(cells) : 0;
    if (entry.rows > ABUT_MAX_MESH_TRIANGLES || size != sizeof entry + heights + kinds + materials)
    {
        return ab_replay_break(r, "an entry of the recording has a wrong length");
    }
    const unsigned char *at = r->entry + sizeof entry; // aligned, as the entry is
    const abut_heightfield_region region = {
        .row = entry.row,
        .columns = columns,
        .rows = entry.rows,
        .heights = (const float *)(const void *)at,
        .cells = at + heights,
        .materials = entry.materials ? (const uint16_t *)(const void *)(at + heights + kinds) : NULL,
    };
    return abut_geometry_update_heightfield(field, &region) == ABUT_OK ||
           ab_replay_break(r, "the recording updates a heightfield with what is not valid");
}

static bool take_image(abut_replay *r)
{
    const size_t size = arrlenu(r->entry);
    const abut_registry registry = abut_replay_registry(r);
    if (!ab_array_reserve(r->image, &r->memory, size + 1))
    {
        return ab_replay_no_memory(r);
    }
    ab_array_set_length(r->image, size);
    memcpy(r->image, r->entry, size);
    return abut_world_restore(r->world, &registry, r->image, size) == ABUT_OK || ab_replay_fail(r);
}

bool ab_replay_open(abut_replay *r)
{
    ab_stream_header header;
    if (r->def.read(r->def.read_context, &header, sizeof header) != sizeof header ||
        memcmp(header.magic, ab_stream_magic, sizeof header.magic) != 0)
    {
        return ab_replay_break(r, "this is not a recording of a world");
    }
    if (header.version != AB_STREAM_VERSION || header.reserved != 0)
    {
        return ab_replay_break(r, "the recording has another version than this library reads");
    }
    if (!ab_replay_read(r) || !make_world(r))
    {
        return false;
    }
    bool more = true;
    while (more)
    {
        if (!ab_replay_read(r))
        {
            return false;
        }
        more = r->header.kind == AB_ENTRY_GEOMETRY;
        if (more && !ab_replay_add_geometry(r))
        {
            return false;
        }
    }
    return r->header.kind == AB_ENTRY_IMAGE ? take_image(r)
                                            : ab_replay_break(r, "the recording does not begin with an image");
}
