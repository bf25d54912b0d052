// Sensors: finds the touching pairs of a sensor and another collider, and lists a sensor's overlaps for callers.
#include "base/array.h"
#include "pairs/pair_runs.h"
#include "world/world.h"

#include <string.h>

static ab_sort_entry entry_of(const ab_proxies *proxies, uint32_t proxy_a, uint32_t proxy_b)
{
    const bool a_senses = (proxies->proxy_flags[proxy_a] & AB_PROXY_SENSOR) != 0;
    const uint32_t sensor = a_senses ? proxy_a : proxy_b, overlap = a_senses ? proxy_b : proxy_a;
    return (ab_sort_entry){ ab_sensor_key(proxies->collider_key[sensor], proxies->collider_key[overlap]),
                            (uint64_t)overlap << 32 | sensor };
}

uint32_t ab_sense_batch(const abut_world *world, ab_touching_kernel *kernel, const ab_batch *pairs, ab_sort_entry *out,
                        uint32_t *invalid)
{
    uint32_t touching[AB_CHUNK + AB_WIDEST];
    ab_batch batch = *pairs;
    batch.reach = NULL;
    batch.invalid = invalid;
    *invalid = ABUT_NONE;
    const uint32_t count = kernel(&batch, touching);
    for (uint32_t i = 0; i < count; ++i)
    {
        out[i] = entry_of(&world->cache.proxies, batch.a[touching[i]], batch.b[touching[i]]);
    }
    return count;
}

// Tests pairs [first, end) of the stream, all of one type; stops at an invalid manifold.
static uint32_t sense_pairs(const abut_world *world, ab_touching_kernel *kernel, uint32_t first, uint32_t end,
                            ab_sort_entry *out, uint32_t *invalid)
{
    uint32_t found = 0;
    for (uint32_t at = first; at < end && *invalid == ABUT_NONE; at += AB_CHUNK)
    {
        const uint32_t here = end - at < AB_CHUNK ? end - at : AB_CHUNK;
        const ab_batch batch = ab_world_batch(world, world->work.stream.a + at, world->work.stream.b + at, here);
        found += ab_sense_batch(world, kernel, &batch, out + found, invalid);
    }
    return found;
}

// A task has room for all its pairs.
static void sense_range(void *pass, uint32_t task)
{
    const abut_world *world = pass;
    const ab_sense_pass *s = &world->work.sense;
    ab_sort_entry *out = s->entries + ab_partition_first(&s->partition, task);
    ab_pair_run run[AB_PAIR_TYPES];
    const uint32_t runs = ab_pair_runs_of(&world->work.stream, AB_PAIR_TYPES, &s->partition, task, run);
    uint32_t found = 0, invalid = ABUT_NONE;
    for (uint32_t i = 0; i < runs; ++i)
    {
        const ab_pair_type *pair_type = ab_pair_type_of(world->table, run[i].type);
        found += sense_pairs(world, pair_type->touching, run[i].first, run[i].end, out + found, &invalid);
    }
    s->found[task] = (ab_sensed){ found, invalid };
}

static abut_status prepare_sensing(void *pass, uint32_t *tasks)
{
    abut_world *world = pass;
    ab_sense_pass *s = &world->work.sense;
    const size_t most = ab_pair_runs_length(&world->work.stream, AB_PAIR_TYPES);
    *s = (ab_sense_pass){ .partition = ab_partition_into(&world->work.granularity, most, 1) };
    world->work.sensed = NULL;
    world->work.sensed_count = 0;
    if (most == 0)
    {
        return ABUT_OK;
    }
    s->entries = ab_arena_take(&world->work.arena, most * sizeof *s->entries);
    s->found = ab_arena_take(&world->work.arena, s->partition.tasks * sizeof *s->found);
    *tasks = s->partition.tasks;
    return s->entries && s->found ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

// Joins the tasks' overlaps and sorts them.
static abut_status gather_sensed(void *pass, uint32_t *tasks)
{
    abut_world *world = pass;
    const ab_sense_pass *s = &world->work.sense;
    (void)tasks;
    size_t found = 0;
    for (uint32_t i = 0; i < s->partition.tasks; ++i)
    {
        if (s->found[i].invalid != ABUT_NONE)
        {
            world->work.narrow.invalid_proxy = s->found[i].invalid;
            return ABUT_INVALID_ARGUMENT;
        }
        memmove(s->entries + found, s->entries + ab_partition_first(&s->partition, i),
                s->found[i].count * sizeof *s->entries);
        found += s->found[i].count;
    }
    if (found == 0)
    {
        return ABUT_OK;
    }
    ab_sort_entry *scratch = ab_arena_take(&world->work.arena, found * sizeof *scratch);
    if (!scratch)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    world->work.sensed = ab_radix_sort(s->entries, scratch, found);
    world->work.sensed_count = (uint32_t)found;
    return ABUT_OK;
}

const ab_phase ab_sense_phases[] = { { prepare_sensing, sense_range }, { gather_sensed, NULL }, { NULL, NULL } };

// The key at an index if it is the sensor's, else AB_NO_KEY.
static uint64_t key_at(const ab_cached_pairs *list, uint32_t i, uint32_t order)
{
    return i < arrlenu(list->keys) && list->keys[i] >> 32 == order ? list->keys[i] : AB_NO_KEY;
}

// Merges both sorted lists.
static uint32_t list_overlaps(ab_pair_cache *overlaps, uint32_t order, abut_sensor_overlap *out, uint32_t capacity)
{
    const ab_cached_pairs *found = ab_pair_cache_found(overlaps), *asleep = ab_pair_cache_asleep(overlaps);
    const uint64_t least = (uint64_t)order << 32;
    uint32_t at_found = ab_key_position(found->keys, (uint32_t)arrlenu(found->keys), 0, least),
             at_asleep = ab_key_position(asleep->keys, (uint32_t)arrlenu(asleep->keys), 0, least), count = 0;
    for (;;)
    {
        const uint64_t found_key = key_at(found, at_found, order), asleep_key = key_at(asleep, at_asleep, order);
        if (found_key == AB_NO_KEY && asleep_key == AB_NO_KEY)
        {
            return count;
        }
        const bool from_found = found_key < asleep_key;
        const ab_cached_pair *pair = from_found ? &found->pairs[at_found] : &asleep->pairs[at_asleep];
        if (count < capacity)
        {
            out[count] = (abut_sensor_overlap){ pair->b, pair->collider_b };
        }
        at_found += from_found;
        at_asleep += !from_found;
        ++count;
    }
}

abut_status abut_collider_overlaps(abut_world *world, abut_collider sensor, abut_sensor_overlap *out, uint32_t capacity,
                                   uint32_t *count)
{
    static const char *const call = "abut_collider_overlaps";
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!count || (capacity > 0 && !out))
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    if (!ab_collider_live(world, sensor))
    {
        return ab_fail(world, ABUT_STALE_HANDLE, call, 0, "the handle names no live collider of this world");
    }
    const bool senses = (world->state.colliders.state[sensor.slot] & AB_STATE_SENSOR) != 0;
    *count = senses ? list_overlaps(&world->state.sensors.overlaps, world->state.colliders.collider_key[sensor.slot],
                                    out, capacity)
                    : 0;
    return ABUT_OK;
}
