// Sensors: which pairs of a sensor and something else touch, and what callers are told of it.
#include "base/array.h"
#include "world/world.h"

static ab_sort_entry entry_of(const ab_leaves *leaves, uint32_t leaf_a, uint32_t leaf_b)
{
    const bool a_senses = (leaves->traits[leaf_a] & AB_TRAIT_SENSOR) != 0;
    const uint32_t sensor = a_senses ? leaf_a : leaf_b, visitor = a_senses ? leaf_b : leaf_a;
    return (ab_sort_entry){ ab_sensor_key(leaves->order[sensor], leaves->order[visitor]),
                            (uint64_t)visitor << 32 | sensor };
}

uint32_t ab_sense_batch(const abut_world *world, ab_touching_kernel *kernel, const ab_batch *pairs, ab_sort_entry *out)
{
    uint32_t touching[AB_CHUNK + AB_WIDEST];
    ab_batch batch = *pairs;
    batch.reach = NULL;
    const uint32_t count = kernel(&batch, touching);
    for (uint32_t i = 0; i < count; ++i)
    {
        out[i] = entry_of(&world->leaves, batch.a[touching[i]], batch.b[touching[i]]);
    }
    return count;
}

static uint32_t sense_cell(const abut_world *world, uint32_t cell, ab_touching_kernel *kernel, ab_sort_entry *out)
{
    const uint32_t first = world->stream.first[AB_CELLS + cell], count = world->stream.count[AB_CELLS + cell];
    uint32_t found = 0;
    for (uint32_t done = 0; done < count; done += AB_CHUNK)
    {
        const uint32_t here = count - done < AB_CHUNK ? count - done : AB_CHUNK, at = first + done;
        const ab_batch batch = ab_world_batch(world, world->stream.a + at, world->stream.b + at, here);
        found += ab_sense_batch(world, kernel, &batch, out + found);
    }
    return found;
}

bool ab_sense(abut_world *world)
{
    size_t most = 0;
    for (uint32_t cell = 0; cell < AB_CELLS; ++cell)
    {
        most += world->stream.count[AB_CELLS + cell];
    }
    world->sensed = NULL;
    world->sensed_count = 0;
    if (most == 0)
    {
        return true;
    }
    ab_sort_entry *entries = ab_arena_take(&world->arena, most * sizeof *entries);
    ab_sort_entry *scratch = ab_arena_take(&world->arena, most * sizeof *scratch);
    if (!entries || !scratch)
    {
        return false;
    }
    uint32_t found = 0;
    for (uint32_t higher = 1; higher < AB_KINDS; ++higher)
    {
        for (uint32_t lower = 1; lower <= higher; ++lower)
        {
            ab_touching_kernel *kernel = world->table->cell[lower][higher].touching;
            found += sense_cell(world, ab_cell_of(lower, higher), kernel, entries + found);
        }
    }
    world->sensed = ab_radix_sort(entries, scratch, found);
    world->sensed_count = found;
    return true;
}

// Where the overlaps of a sensor begin.
static uint32_t first_of(const ab_kept_list *list, uint32_t order)
{
    uint32_t low = 0, high = (uint32_t)arrlenu(list->keys);
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        const bool before = list->keys[middle] >> 32 < order;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

// The key at a place when it is the sensor's, or AB_NO_KEY.
static uint64_t key_at(const ab_kept_list *list, uint32_t i, uint32_t order)
{
    return i < arrlenu(list->keys) && list->keys[i] >> 32 == order ? list->keys[i] : AB_NO_KEY;
}

// Both lists are in order, and so is what comes out.
static uint32_t list_overlaps(ab_kept_pairs *overlaps, uint32_t order, abut_visitor *out, uint32_t capacity)
{
    const ab_kept_list *found = ab_kept_found(overlaps), *resting = ab_kept_resting(overlaps);
    uint32_t at_found = first_of(found, order), at_rest = first_of(resting, order), count = 0;
    for (;;)
    {
        const uint64_t found_key = key_at(found, at_found, order), resting_key = key_at(resting, at_rest, order);
        if (found_key == AB_NO_KEY && resting_key == AB_NO_KEY)
        {
            return count;
        }
        const bool from_found = found_key < resting_key;
        const ab_kept_pair *pair = from_found ? &found->pairs[at_found] : &resting->pairs[at_rest];
        if (count < capacity)
        {
            out[count] = (abut_visitor){ pair->b, pair->collider_b };
        }
        at_found += from_found;
        at_rest += !from_found;
        ++count;
    }
}

abut_status abut_collider_overlaps(abut_world *world, abut_collider sensor, abut_visitor *out, uint32_t capacity,
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
        return ab_refuse(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    if (!ab_collider_live(world, sensor))
    {
        return ab_refuse(world, ABUT_STALE_HANDLE, call, 0, "the handle names no live collider of this world");
    }
    *count = list_overlaps(&world->sensors.overlaps, world->colliders.order[sensor.slot], out, capacity);
    return ABUT_OK;
}
