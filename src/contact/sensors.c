// Merges the sensor overlaps found by this detect with those before, and writes their begin and end events.
#include "contact/sensors.h"

#include "base/array.h"

static ab_cached_pair describe(const ab_contact_names *names, const ab_sort_entry *found)
{
    const uint32_t *const colliders = names->proxies->collider;
    const ab_contact_name *a = &names->name[colliders[(uint32_t)found->payload]];
    const ab_contact_name *b = &names->name[colliders[found->payload >> 32]];
    return (ab_cached_pair){ .a = a->body, .b = b->body, .collider_a = a->collider, .collider_b = b->collider };
}

// A pair before that was not found: it stands, is asleep, or has ended.
static void pass_over(ab_sensing *s, const ab_sensors *sensors, ab_cached_pairs *now, const ab_contact_names *names,
                      uint32_t old)
{
    if (ab_pair_cache_stands(&s->update, &sensors->overlaps, names, old))
    {
        now->keys[s->count] = s->update.before.keys[old];
        now->pairs[s->count++] = *ab_pair_cache_before(&sensors->overlaps, &s->update, old);
        return;
    }
    s->ended[s->ended_count] = old;
    s->ended_count += !ab_pair_cache_lose(&s->update, &sensors->overlaps, names, old);
}

// One pass over both sorted lists.
static void merge(ab_sensing *s, ab_sensors *sensors, const ab_sort_entry *found, uint32_t count,
                  const ab_contact_names *names)
{
    const ab_merged_pairs *before = &s->update.before;
    ab_cached_pairs *now = ab_pair_cache_next(&sensors->overlaps);
    uint32_t old = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        for (; old < before->count && before->keys[old] < found[i].key; ++old)
        {
            pass_over(s, sensors, now, names, old);
        }
        const bool stays = old < before->count && before->keys[old] == found[i].key;
        now->keys[s->count] = found[i].key;
        now->pairs[s->count] =
            stays ? *ab_pair_cache_before(&sensors->overlaps, &s->update, old) : describe(names, &found[i]);
        s->begun[s->begun_count] = s->count++;
        s->begun_count += !stays;
        old += stays;
    }
    for (; old < before->count; ++old)
    {
        pass_over(s, sensors, now, names, old);
    }
    ab_array_set_length(now->keys, s->count);
    ab_array_set_length(now->pairs, s->count);
}

static abut_event event_of(const ab_cached_pair *pair, const ab_contact_names *names)
{
    return (abut_event){
        .a = pair->a,
        .b = pair->b,
        .collider_a = pair->collider_a,
        .collider_b = pair->collider_b,
        .user_data_a = names->user_data[pair->a.slot],
        .user_data_b = names->user_data[pair->b.slot],
        .collider_data_a = names->collider_user_data[pair->collider_a.slot],
        .collider_data_b = names->collider_user_data[pair->collider_b.slot],
    };
}

static bool write_events(const ab_sensing *s, ab_sensors *sensors, ab_memory *memory, const ab_contact_names *names)
{
    abut_event **events = sensors->events[1 - sensors->overlaps.published];
    if (!ab_array_resize(events[0], memory, s->begun_count) || !ab_array_resize(events[1], memory, s->ended_count))
    {
        return false;
    }
    for (uint32_t i = 0; i < s->begun_count; ++i)
    {
        events[0][i] = event_of(&ab_pair_cache_next(&sensors->overlaps)->pairs[s->begun[i]], names);
    }
    for (uint32_t i = 0; i < s->ended_count; ++i)
    {
        events[1][i] = event_of(ab_pair_cache_before(&sensors->overlaps, &s->update, s->ended[i]), names);
    }
    return true;
}

bool ab_sensors_prepare(ab_sensing *sensing, ab_sensors *sensors, ab_memory *memory, ab_arena *arena,
                        const ab_sort_entry *found, uint32_t count, const ab_contact_names *names)
{
    *sensing = (ab_sensing){ 0 };
    if (!ab_pair_cache_begin(&sensing->update, arena, &sensors->overlaps, names))
    {
        return false;
    }
    sensing->begun = ab_arena_take(arena, (count + 1u) * sizeof *sensing->begun);
    sensing->ended = ab_arena_take(arena, (sensing->update.before.count + 1u) * sizeof *sensing->ended);
    if (!sensing->begun || !sensing->ended ||
        !ab_cached_pairs_resize(ab_pair_cache_next(&sensors->overlaps), memory,
                                count + (names->known ? (size_t)sensing->update.before.count : 0)))
    {
        return false;
    }
    merge(sensing, sensors, found, count, names);
    return write_events(sensing, sensors, memory, names) &&
           ab_pair_cache_end(&sensing->update, &sensors->overlaps, memory, names->body_slots);
}

void ab_sensors_publish(const ab_sensing *sensing, ab_sensors *sensors)
{
    ab_pair_cache_publish(&sensing->update, &sensors->overlaps);
}

const abut_event *ab_sensors_events(const ab_sensors *sensors, uint32_t kind)
{
    return sensors->events[sensors->overlaps.published][kind];
}

void ab_sensors_trim(ab_sensors *sensors, ab_memory *memory)
{
    abut_event **events = sensors->events[1 - sensors->overlaps.published];
    ab_pair_cache_trim(&sensors->overlaps, memory);
    ab_array_trim(events[0], memory, 0);
    ab_array_trim(events[1], memory, 0);
}

void ab_sensors_close(ab_sensors *sensors)
{
    ab_pair_cache_close(&sensors->overlaps);
    for (uint32_t i = 0; i < 4; ++i)
    {
        arrfree(sensors->events[i / 2][i % 2]);
    }
}
