// The slow, obvious answer: every collider against every other, judged by the kernels alone, compared with what the last detect
// said. What was lost, invented or changed on the way through boxes, trees, buckets and the merge shows here.
#include "world/audit.h"
#include "base/array.h"
#include "base/platform.h"

// Pairs waiting for their kernel, one set a bucket.
typedef struct waiting
{
    uint32_t a[AB_CHUNK + AB_WIDEST], b[AB_CHUNK + AB_WIDEST];
    uint32_t count;
} waiting;

typedef struct audit
{
    abut_world *world;
    waiting *bucket;         // AB_BUCKETS
    ab_patches patches;      // of all pairs that touch
    ab_sort_entry *overlaps; // growable: of all pairs with a sensor that touch
    ab_former_axes former;   // those of the contacts that are judged: an axis that was kept must be one that may be
    uint64_t pairs;
} audit;

static bool find_contacts(audit *a, const ab_meeting *meeting, const ab_batch *batch)
{
    ab_manifold_room room;
    ab_manifolds found = ab_manifolds_in(&room);
    meeting->kernel(batch, &found);
    return ab_patches_append(&a->patches, &a->world->memory, &found);
}

// What a pair function gives that is no manifold is for a detect to refuse.
static bool find_overlaps(audit *a, const ab_meeting *meeting, const ab_batch *batch)
{
    const size_t had = arrlenu(a->overlaps);
    uint32_t refused;
    if (!ab_array_reserve(a->overlaps, &a->world->memory, had + batch->count))
    {
        return false;
    }
    ab_array_set_length(a->overlaps,
                        had + ab_sense_batch(a->world, meeting->touching, batch, a->overlaps + had, &refused));
    return true;
}

static bool flush(audit *a, uint32_t bucket)
{
    waiting *w = &a->bucket[bucket];
    if (w->count == 0)
    {
        return true;
    }
    for (uint32_t i = 0; i < AB_WIDEST; ++i)
    {
        w->a[w->count + i] = w->a[0];
        w->b[w->count + i] = w->b[0];
    }
    ab_batch batch = ab_world_batch(a->world, w->a, w->b, w->count);
    batch.former = a->former;
    const ab_meeting *meeting = ab_meeting_of(a->world->table, bucket % AB_CELLS);
    a->world->busy = true; // a kernel may ask a kind of the caller's
    const bool made = bucket < AB_CELLS ? find_contacts(a, meeting, &batch) : find_overlaps(a, meeting, &batch);
    a->world->busy = false;
    w->count = 0;
    return made;
}

static bool take_pair(audit *a, uint32_t leaf_a, uint32_t leaf_b)
{
    const abut_world *world = a->world;
    const uint32_t code =
        ab_pair_code(&world->rules, &world->leaves, world->colliders.filter, (ab_pair){ leaf_a, leaf_b });
    const uint32_t bucket = code & AB_CODE_BUCKET;
    ++a->pairs;
    if (bucket == AB_REFUSED)
    {
        return true;
    }
    waiting *w = &a->bucket[bucket];
    w->a[w->count] = code & AB_CODE_SWAP ? leaf_b : leaf_a;
    w->b[w->count] = code & AB_CODE_SWAP ? leaf_a : leaf_b;
    return ++w->count < AB_CHUNK || flush(a, bucket);
}

static bool find_all(audit *a)
{
    const abut_world *world = a->world;
    const uint32_t slots = (uint32_t)arrlenu(world->colliders.life);
    for (uint32_t i = 0; i < slots; ++i)
    {
        const uint32_t leaf_i = world->colliders.life[i] ? world->leaves.leaf_of[i] : ABUT_NONE;
        for (uint32_t j = i + 1; j < slots && leaf_i != ABUT_NONE; ++j)
        {
            const uint32_t leaf_j = world->colliders.life[j] ? world->leaves.leaf_of[j] : ABUT_NONE;
            if (leaf_j != ABUT_NONE && !take_pair(a, leaf_i, leaf_j))
            {
                return false;
            }
        }
    }
    for (uint32_t bucket = 0; bucket < AB_BUCKETS; ++bucket)
    {
        if (!flush(a, bucket))
        {
            return false;
        }
    }
    return true;
}

// False when memory is refused.
static bool audit_sensors(const audit *a, abut_audit *out)
{
    const size_t count = arrlenu(a->overlaps);
    ab_sort_entry *scratch = ab_arena_take(&a->world->arena, (count + 1) * sizeof *scratch);
    if (!scratch)
    {
        return false;
    }
    const ab_sort_entry *sorted = ab_radix_sort(a->overlaps, scratch, count);
    if (!out->what)
    {
        ab_audit_overlaps(out, a->world, sorted, (uint32_t)count);
    }
    return true;
}

// A detect that was refused since the last one may have left records of other poses: they are made again, where they are, so that
// nothing is between two states when the rest is refused.
static abut_status run(audit *a, abut_audit *out)
{
    abut_world *world = a->world;
    const abut_status found = ab_world_refresh_bounds(world);
    if (found != ABUT_OK)
    {
        return found;
    }
    a->bucket = ab_arena_take(&world->arena, AB_BUCKETS * sizeof *a->bucket);
    if (!a->bucket)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    for (uint32_t bucket = 0; bucket < AB_BUCKETS; ++bucket)
    {
        a->bucket[bucket].count = 0;
    }
    a->former = ab_world_former_axes(world, true);
    if (ab_phases_run(ab_former_phases, &world->former) != ABUT_OK || !find_all(a))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_contact_store fresh = { 0 };
    ab_contact_update update = {
        .store = &fresh,
        .memory = &world->memory,
        .arena = &world->arena,
        .patches = &a->patches,
        .names = ab_world_names(world),
        .grain = world->grain,
    };
    const abut_status status = ab_phases_run(ab_contact_phases, &update);
    if (status == ABUT_OK)
    {
        ab_contact_store_publish(&update);
        *out = (abut_audit){ .pairs = a->pairs };
        ab_audit_contacts(out, world, ab_contact_store_now(&fresh));
    }
    ab_contact_store_close(&fresh);
    return status == ABUT_OK && !audit_sensors(a, out) ? ABUT_OUT_OF_MEMORY : status;
}

abut_status abut_world_audit(abut_world *world, abut_audit *out)
{
    static const char *const call = "abut_world_audit";
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!out)
    {
        return ab_refuse(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    const uint64_t mode = ab_platform_float_enter();
    ab_arena_empty(&world->arena);
    audit a = { .world = world };
    abut_audit found = { 0 };
    const abut_status status = run(&a, &found);
    if (status == ABUT_OK)
    {
        *out = found;
    }
    ab_patches_close(&a.patches);
    arrfree(a.overlaps);
    ab_platform_float_leave(mode);
    return status == ABUT_OK ? ABUT_OK : ab_refuse(world, status, call, 0, abut_status_text(status));
}
