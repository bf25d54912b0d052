// Restores a world from an image: checks everything, reserves all room, then replaces the state, which cannot fail.
// Proxies that stay in their set keep their index, so the broad phase's order survives.
#include "base/array.h"
#include "base/platform.h"
#include "shape/shape_table.h"
#include "state/state.h"
#include "world/journal.h"

#include <string.h>

static const char *const call = "abut_world_restore";

// The set in which a collider of the image has its proxy; AB_SET_COUNT: none.
static ab_set set_wanted(const ab_image *image, const ab_image_scratch *scratch, uint32_t slot)
{
    if (slot >= AB_SAVED_COUNT(image, COLLIDERS) || (scratch->collider[slot] & AB_SLOT_MASK) != AB_SLOT_LIVE)
    {
        return AB_SET_COUNT;
    }
    const ab_saved_collider *collider = &AB_SAVED(image, COLLIDERS, ab_saved_collider)[slot];
    const uint32_t body = AB_SAVED(image, BODIES, ab_saved_body)[collider->collider_key >> 8].state;
    const uint32_t state = AB_SAVED(image, COLLIDER_STATES, uint32_t)[slot];
    const bool collides = ((body & AB_STATE_DISABLED) | (state & AB_STATE_NOTHING)) == 0;
    return state & AB_SAVED_STATIC ? AB_STATIC_SET : collides ? AB_ACTIVE : AB_SET_COUNT;
}

ab_static_proxy ab_static_proxy_of(const ab_saved_static *saved)
{
    ab_static_proxy saved_static;
    memset(&saved_static, 0, sizeof saved_static); // compared as bytes
    memcpy(&saved_static.record, saved->record, sizeof saved->record);
    memcpy(&saved_static.aabb.min, saved->min, sizeof saved->min);
    memcpy(&saved_static.aabb.max, saved->max, sizeof saved->max);
    memcpy(&saved_static.offset, saved->offset, sizeof saved->offset);
    saved_static.reach = saved->reach;
    return saved_static;
}

// Whether two descriptions differ in what the broad phase keeps of a static proxy: its kind, motion, flags and filter.
static bool is_described_alike(const abut_world *world, const ab_image *image, uint32_t slot)
{
    const ab_saved_collider *saved = &AB_SAVED(image, COLLIDERS, ab_saved_collider)[slot];
    const uint32_t key = saved->collider_key;
    const uint32_t state = AB_SAVED(image, COLLIDER_STATES, uint32_t)[slot] & ~(AB_SAVED_LIVE | AB_SAVED_STATIC);
    const ab_saved_body *body = &AB_SAVED(image, BODIES, ab_saved_body)[key >> 8];
    return world->state.colliders.collider_key[slot] == key && world->state.colliders.state[slot] == state &&
           world->state.bodies.state[key >> 8] == (body->state & ~(uint32_t)AB_SAVED_LIVE) &&
           (uint32_t)world->state.colliders.shape[slot].kind == saved->shape.kind &&
           ab_bytes_equal(&world->state.colliders.filter[slot], &saved->filter, sizeof saved->filter);
}

// Whether a collider's proxy stays where it is: in the same set, and in the static one unchanged, because the broad
// phase looks only at what was added there.
static bool stays(const abut_world *world, const ab_image *image, uint32_t slot, ab_set wanted,
                  const ab_saved_static *saved)
{
    const uint32_t proxy =
        slot < arrlenu(world->cache.proxies.proxy_of) ? world->cache.proxies.proxy_of[slot] : ABUT_NONE;
    if (proxy == ABUT_NONE || ab_proxies_set_of(&world->cache.proxies, proxy) != wanted)
    {
        return false;
    }
    if (wanted == AB_STATIC_SET && saved)
    {
        const ab_static_proxy saved_static = ab_static_proxy_of(saved);
        ab_static_proxy present;
        ab_proxies_get_static(&world->cache.proxies, proxy, &present);
        return is_described_alike(world, image, slot) && ab_bytes_equal(&saved_static, &present, sizeof saved_static);
    }
    return true;
}

// ab_array_reserve as a function, for a growable array at `place`.
static bool reserve_array(void *place, ab_memory *memory, size_t element, size_t count)
{
    void *array;
    memcpy(&array, place, sizeof array);
    if (arrcap(array) >= count)
    {
        return true;
    }
    if (!ab_array_grow(memory, array, element, count))
    {
        return false;
    }
    memcpy(place, &memory->grown, sizeof memory->grown);
    return true;
}

#define RESERVE(array, count)     reserve_array(&(array), memory, sizeof *(array), (count))
#define RESERVE_BODY_(column)     RESERVE(world->state.bodies.column, bodies) &&
#define RESERVE_COLLIDER_(column) RESERVE(world->state.colliders.column, colliders) &&

static bool reserve_slots(abut_world *world, size_t bodies, size_t colliders, bool placed)
{
    ab_memory *memory = &world->memory;
    return AB_BODY_COLUMNS(RESERVE_BODY_) RESERVE(world->state.bodies.free, bodies) &&
           RESERVE(world->state.bodies.retired, bodies) &&
           AB_COLLIDER_COLUMNS(RESERVE_COLLIDER_) RESERVE(world->state.colliders.free, colliders) &&
           RESERVE(world->state.colliders.retired, colliders) &&
           ((!placed && !world->state.colliders.local) ||
            (RESERVE(world->state.colliders.local, colliders > 0 ? colliders : 1)));
}

static bool reserve_proxies(abut_world *world, const ab_image *image, const ab_image_scratch *scratch)
{
    const uint32_t colliders = AB_SAVED_COUNT(image, COLLIDERS);
    const ab_saved_static *saved_static = AB_SAVED(image, STATIC, ab_saved_static);
    uint32_t more[AB_SET_COUNT + 1] = { 0 }, next = 0;
    bool reaches = false;
    for (uint32_t slot = 0; slot < colliders; ++slot)
    {
        const ab_set wanted = set_wanted(image, scratch, slot);
        const bool kept = stays(world, image, slot, wanted, saved_static ? &saved_static[next] : NULL);
        scratch->collider[slot] |= kept ? AB_SLOT_STAYS : 0;
        more[wanted] += !kept;
        next += wanted != AB_SET_COUNT && ab_saved_is_static(image, scratch, slot);
    }
    for (uint32_t i = 0; i < AB_SAVED_COUNT(image, STATIC); ++i)
    {
        reaches = reaches || saved_static[i].reach != 0.0f;
    }
    ab_proxies *proxies = &world->cache.proxies;
    ab_memory *memory = &world->memory;
    return ab_proxies_reserve(proxies, memory, AB_ACTIVE, more[AB_ACTIVE],
                              (uint32_t)arrcap(world->state.colliders.shape)) &&
           ab_proxies_reserve(proxies, memory, AB_STATIC_SET, more[AB_STATIC_SET],
                              (uint32_t)arrcap(world->state.colliders.shape)) &&
           (!reaches || ab_proxies_need_reach(proxies, memory)) &&
           (AB_SAVED_COUNT(image, LOCALS) == 0 || ab_proxies_need_offset(proxies, memory)) &&
           RESERVE(world->state.woken, AB_SAVED_COUNT(image, WOKEN) + (size_t)scratch->static_count) &&
           RESERVE(world->state.dirty, AB_SAVED_COUNT(image, DIRTY)) &&
           RESERVE(world->state.was_dirty, AB_SAVED_COUNT(image, WAS_DIRTY));
}

static bool reserve_events(abut_world *world, const ab_image *image)
{
    ab_contact_store *store = &world->state.store;
    ab_memory *memory = &world->memory;
    abut_event **sensor_events = world->state.sensors.events[world->state.sensors.overlaps.published];
    return RESERVE(store->events[ABUT_BEGIN], AB_SAVED_COUNT(image, BEGUN)) &&
           RESERVE(store->events[ABUT_END], AB_SAVED_COUNT(image, ENDED)) &&
           RESERVE(sensor_events[0], AB_SAVED_COUNT(image, SENSOR_BEGUN)) &&
           RESERVE(sensor_events[1], AB_SAVED_COUNT(image, SENSOR_ENDED)) &&
           RESERVE(world->state.impacts[store->published], AB_SAVED_COUNT(image, IMPACTS)) &&
           ab_array_reserve(world->state.sensor_impacts[store->published], memory,
                            AB_SAVED_COUNT(image, SENSOR_IMPACTS));
}

static bool reserve_results(abut_world *world, const ab_image *image)
{
    ab_contact_store *store = &world->state.store;
    ab_memory *memory = &world->memory;
    const uint32_t contacts = AB_SAVED_COUNT(image, CONTACTS), bodies = AB_SAVED_COUNT(image, BODIES);
    const uint32_t asleep = AB_SAVED_COUNT(image, ASLEEP_CONTACTS), live = store->asleep.lists.live;
    return RESERVE(world->state.anchors, AB_SAVED_COUNT(image, ANCHORS)) &&
           (!world->state.at_anchors || RESERVE(world->cache.anchoring.told, AB_SAVED_COUNT(image, ANCHORS))) &&
           ab_contact_list_reserve(ab_contact_store_next(store), memory, contacts) &&
           ab_contact_pool_reserve(&store->spare, memory, AB_SAVED_COUNT(image, CONTACT_SLOTS)) &&
           ab_contact_list_reserve(&store->asleep.sorted, memory, asleep) &&
           RESERVE(store->spare.retired, AB_SAVED_COUNT(image, SLOTS_RETIRED)) &&
           ab_asleep_contacts_reserve(&store->asleep, memory, asleep > live ? asleep - live : 0, bodies) &&
           ab_pair_cache_reserve_all(&store->vetoes, memory, AB_SAVED_COUNT(image, VETOES),
                                     AB_SAVED_COUNT(image, ASLEEP_VETOES), bodies) &&
           ab_pair_cache_reserve_all(&world->state.sensors.overlaps, memory, AB_SAVED_COUNT(image, OVERLAPS),
                                     AB_SAVED_COUNT(image, ASLEEP_OVERLAPS), bodies) &&
           ab_exclusions_reserve_all(&world->state.rules.exclusions, memory, AB_SAVED_COUNT(image, EXCLUSIONS),
                                     bodies) &&
           reserve_events(world, image);
}

static bool reserve(abut_world *world, const ab_image *image, const ab_image_scratch *scratch, bool kept)
{
    return (kept || (reserve_slots(world, AB_SAVED_COUNT(image, BODIES), AB_SAVED_COUNT(image, COLLIDERS),
                                   AB_SAVED_COUNT(image, LOCALS) > 0) &&
                     reserve_proxies(world, image, scratch))) &&
           reserve_results(world, image);
}

// From here on nothing can fail.

static void take_list(uint32_t *list, ab_section section)
{
    ab_array_set_length(list, (size_t)section.count);
    if (section.count > 0)
    {
        memcpy(list, section.data, (size_t)section.count * sizeof *list);
    }
}

static bool has_geometry(uint32_t kind)
{
    return ab_shape_row_for((abut_shape_kind)kind)->geometry != NULL;
}

// Shapes of the image are retained before those of the world are released: both may point to one geometry.
static void exchange_geometry(abut_world *world, const ab_image *image, const ab_image_scratch *scratch,
                              const abut_registry *registry)
{
    const ab_saved_collider *saved = AB_SAVED(image, COLLIDERS, ab_saved_collider);
    for (uint32_t slot = 0; slot < AB_SAVED_COUNT(image, COLLIDERS); ++slot)
    {
        if ((scratch->collider[slot] & AB_SLOT_MASK) == AB_SLOT_LIVE && has_geometry(saved[slot].shape.kind))
        {
            const abut_shape shape = ab_shape_unpack(&saved[slot].shape, registry);
            ab_shape_retain(&shape);
        }
    }
    for (uint32_t slot = 0; slot < arrlenu(world->state.colliders.generation); ++slot)
    {
        if (world->state.colliders.generation[slot] != 0 &&
            has_geometry((uint32_t)world->state.colliders.shape[slot].kind))
        {
            ab_shape_release(&world->state.colliders.shape[slot]);
        }
    }
}

static void remove_proxies(abut_world *world, const ab_image *image, const ab_image_scratch *scratch)
{
    for (uint32_t slot = 0; slot < arrlenu(world->state.colliders.generation); ++slot)
    {
        const uint32_t proxy = world->cache.proxies.proxy_of[slot];
        const bool kept = slot < AB_SAVED_COUNT(image, COLLIDERS) && (scratch->collider[slot] & AB_SLOT_STAYS) != 0;
        if (proxy != ABUT_NONE && !kept)
        {
            ab_proxies_remove(&world->cache.proxies, proxy);
        }
    }
}

static void take_settings(abut_world *world, const ab_image *image)
{
    const ab_saved_settings *s = AB_SAVED(image, SETTINGS, ab_saved_settings);
    world->state.tag = s->tag;
    world->state.first_generation = s->first_generation;
    world->state.rules_edited = s->rules_edited;
    world->state.colliders_edited = s->colliders_edited;
    world->state.horizon = s->horizon;
    world->state.unanchored = (s->anchoring & AB_SAVED_UNANCHORED) != 0;
    for (uint32_t bit = 0; bit < ABUT_MOTION_COUNT * ABUT_MOTION_COUNT; ++bit)
    {
        const abut_motion a = (abut_motion)(bit / ABUT_MOTION_COUNT), b = (abut_motion)(bit % ABUT_MOTION_COUNT);
        const bool collides = (s->collides >> bit & 1u) != 0;
        if (world->state.rules.motions_collide[a][b] != collides)
        {
            ab_pair_rules_set(&world->state.rules, a, b, collides);
        }
    }
}

#define BODY_LENGTH_(column) ab_array_set_length(bodies->column, count);

static void take_bodies(abut_world *world, const ab_image *image)
{
    ab_bodies *bodies = &world->state.bodies;
    const ab_saved_body *saved = AB_SAVED(image, BODIES, ab_saved_body);
    const uint32_t count = AB_SAVED_COUNT(image, BODIES);
    AB_BODY_COLUMNS(BODY_LENGTH_)
    bodies->live = 0;
    for (uint32_t slot = 0; slot < count; ++slot)
    {
        const bool live = (saved[slot].state & AB_SAVED_LIVE) != 0;
        bodies->uses[slot] = saved[slot].uses;
        bodies->state[slot] = saved[slot].state & ~(uint32_t)AB_SAVED_LIVE;
        bodies->generation[slot] = live ? ab_generation_of(world, saved[slot].uses) : 0;
        bodies->first[slot] = ABUT_NONE;
        bodies->live += live;
    }
    take_list(bodies->free, image->section[AB_SECTION_BODIES_FREE]);
    take_list(bodies->retired, image->section[AB_SECTION_BODIES_RETIRED]);
}

#define COLLIDER_LENGTH_(column) ab_array_set_length(colliders->column, count);

static void take_colliders(abut_world *world, const ab_image *image, const ab_image_scratch *scratch,
                           const abut_registry *registry)
{
    ab_colliders *colliders = &world->state.colliders;
    const ab_saved_collider *saved = AB_SAVED(image, COLLIDERS, ab_saved_collider);
    const abut_pose *locals = AB_SAVED(image, LOCALS, abut_pose);
    const uint32_t count = AB_SAVED_COUNT(image, COLLIDERS);
    AB_COLLIDER_COLUMNS(COLLIDER_LENGTH_)
    if (colliders->local)
    {
        ab_array_set_length(colliders->local, count);
    }
    colliders->live = 0;
    ++colliders->revision;
    const uint32_t *states = AB_SAVED(image, COLLIDER_STATES, uint32_t);
    for (uint32_t slot = 0; slot < count; ++slot)
    {
        const uint32_t mark = scratch->collider[slot] & AB_SLOT_MASK;
        const bool live = mark == AB_SLOT_LIVE;
        colliders->shape[slot] = ab_shape_unpack(&saved[slot].shape, registry);
        colliders->filter[slot] = saved[slot].filter;
        colliders->uses[slot] = saved[slot].uses;
        colliders->state[slot] = states[slot] & ~(uint32_t)(AB_SAVED_LIVE | AB_SAVED_STATIC);
        colliders->collider_key[slot] = saved[slot].collider_key;
        colliders->edited[slot] = saved[slot].edited;
        colliders->next[slot] = ABUT_NONE;
        colliders->generation[slot] = live ? ab_generation_of(world, saved[slot].uses) : 0;
        colliders->name[slot] = scratch->names[slot];
        if (colliders->local)
        {
            colliders->local[slot] = locals ? locals[slot] : abut_pose_identity();
        }
        colliders->live += live;
    }
    take_list(colliders->free, image->section[AB_SECTION_COLLIDERS_FREE]);
    take_list(colliders->retired, image->section[AB_SECTION_COLLIDERS_RETIRED]);
}

// Links the colliders of each live body in the order of their ordinals: the sorted list backwards.
static void link_colliders(abut_world *world, const ab_image_scratch *scratch)
{
    for (uint32_t i = scratch->linked_count; i-- > 0;)
    {
        const uint32_t slot = (uint32_t)scratch->linked[i].payload,
                       body = world->state.colliders.collider_key[slot] >> 8;
        world->state.colliders.next[slot] = world->state.bodies.first[body];
        world->state.bodies.first[body] = slot;
    }
}

static void take_exclusions(abut_world *world, const ab_image *image)
{
    const ab_saved_exclusion *saved = AB_SAVED(image, EXCLUSIONS, ab_saved_exclusion);
    ab_exclusions_clear(&world->state.rules.exclusions);
    for (uint32_t i = 0; i < AB_SAVED_COUNT(image, EXCLUSIONS); ++i)
    {
        ab_exclusions_put(&world->state.rules.exclusions, saved[i].body_a, saved[i].body_b, saved[i].times);
    }
}

// Describing a static proxy writes its present position: its record follows.
static void take_proxies(abut_world *world, const ab_image *image, const ab_image_scratch *scratch)
{
    const ab_saved_static *saved = AB_SAVED(image, STATIC, ab_saved_static);
    for (uint32_t slot = 0; slot < AB_SAVED_COUNT(image, COLLIDERS); ++slot)
    {
        const ab_set wanted = set_wanted(image, scratch, slot);
        if (wanted == AB_SET_COUNT)
        {
            continue;
        }
        const ab_proxy_def description = ab_collider_describe(world, slot);
        uint32_t proxy = world->cache.proxies.proxy_of[slot];
        if (proxy == ABUT_NONE)
        {
            proxy = ab_proxies_append(&world->cache.proxies, wanted, &description);
        }
        else
        {
            ab_proxies_describe(&world->cache.proxies, proxy, &description);
        }
        if (ab_saved_is_static(image, scratch, slot))
        {
            const ab_static_proxy saved_static = ab_static_proxy_of(saved++);
            ab_proxies_set_static(&world->cache.proxies, proxy, &saved_static);
        }
    }
    take_list(world->state.woken, image->section[AB_SECTION_WOKEN]);
    take_list(world->state.dirty, image->section[AB_SECTION_DIRTY]);
    take_list(world->state.was_dirty, image->section[AB_SECTION_WAS_DIRTY]);
}

static void take_column(void *column, ab_section section, size_t element)
{
    if (section.count > 0)
    {
        memcpy(column, section.data, (size_t)section.count * element);
    }
}

// What may change from frame to frame.
static void take_columns(abut_world *world, const ab_image *image)
{
    const ab_bodies *bodies = &world->state.bodies;
    const ab_section *section = image->section;
    take_column(bodies->pose, section[AB_SECTION_POSES], sizeof *bodies->pose);
    ab_array_set_length(world->state.anchors, (size_t)section[AB_SECTION_ANCHORS].count);
    take_column(world->state.anchors, section[AB_SECTION_ANCHORS], sizeof *world->state.anchors);
    ab_array_set_length(world->cache.anchoring.radius, 0); // of other shapes
    take_column(bodies->velocity, section[AB_SECTION_VELOCITIES], sizeof *bodies->velocity);
    take_column(bodies->user_data, section[AB_SECTION_BODY_DATA], sizeof *bodies->user_data);
    take_column(world->state.colliders.user_data, section[AB_SECTION_COLLIDER_DATA],
                sizeof *world->state.colliders.user_data);
}

static void take_slots(abut_world *world, const ab_image *image, const ab_image_scratch *scratch,
                       const abut_registry *registry)
{
    exchange_geometry(world, image, scratch, registry);
    remove_proxies(world, image, scratch);
    take_bodies(world, image);
    take_colliders(world, image, scratch, registry);
    take_columns(world, image);
    link_colliders(world, scratch);
    take_exclusions(world, image);
    take_proxies(world, image, scratch);
}

static void take_all(abut_world *world, const ab_image *image, const ab_image_scratch *scratch,
                     const abut_registry *registry, bool kept, const ab_read_results *read)
{
    take_settings(world, image);
    if (kept)
    {
        take_columns(world, image);
    }
    else
    {
        take_slots(world, image, scratch, registry);
    }
    world->cache.broad.unindexed = true; // the image contains no trees over the proxies
    ab_restore_results(world, image, scratch, read);
    ab_world_count_results(world);
    world->state.detects = AB_SAVED(image, SETTINGS, ab_saved_settings)->detects;
}

static bool take_scratch(ab_image_scratch *scratch, ab_arena *arena, const ab_image *image)
{
    const size_t bodies = AB_SAVED_COUNT(image, BODIES), colliders = AB_SAVED_COUNT(image, COLLIDERS);
    scratch->body = ab_arena_take(arena, bodies + colliders + 1);
    scratch->collider = scratch->body ? scratch->body + bodies : NULL;
    return scratch->body != NULL;
}

// For reading contacts.
static bool take_room(ab_image_scratch *scratch, ab_arena *arena, const ab_image *image)
{
    scratch->is_listed = ab_arena_take(arena, AB_SAVED_COUNT(image, CONTACT_SLOTS) + (size_t)1);
    return scratch->is_listed != NULL;
}

// More, to check slots that are not those of the world.
static bool take_more(ab_image_scratch *scratch, ab_arena *arena, const ab_image *image)
{
    const size_t count = (size_t)AB_SAVED_COUNT(image, COLLIDERS) + 1;
    scratch->entries = ab_arena_take(arena, count * sizeof *scratch->entries);
    scratch->scratch = ab_arena_take(arena, count * sizeof *scratch->scratch);
    scratch->own_keys = ab_arena_take(arena, count * sizeof *scratch->own_keys);
    scratch->own_names = ab_arena_take(arena, count * sizeof *scratch->own_names);
    return scratch->entries && scratch->scratch && scratch->own_keys && scratch->own_names;
}

#define BIT(name) ((uint64_t)1 << AB_SECTION_##name)

// Those that are not summed while they are read.
static bool sections_are_sound(const ab_image *image)
{
    const uint64_t later = BIT(COLLIDERS) | BIT(CONTACTS) | BIT(POINTS) | BIT(IMPULSES) | BIT(BEGUN) | BIT(ENDED) |
                           BIT(ASLEEP_CONTACTS) | BIT(ASLEEP_POINTS) | BIT(ASLEEP_IMPULSES);
    bool sound = true;
    for (uint32_t id = 0; id < AB_SECTION_COUNT; ++id)
    {
        sound = sound && ((later >> id & 1u) != 0 || ab_section_sound(image, (ab_section_id)id));
    }
    return sound;
}

// Why an image cannot be restored.
typedef struct refusal
{
    abut_status status;
    const char *sentence;
} refusal;

static refusal refused(const char *sentence)
{
    return (refusal){ sentence ? ABUT_INVALID_ARGUMENT : ABUT_OK, sentence };
}

static const refusal no_memory = { ABUT_OUT_OF_MEMORY, NULL };

// Checks the slots, unless they are the world's. *kept: they are.
static refusal check_slots(abut_world *world, const abut_registry *registry, const ab_image *image,
                           ab_image_scratch *scratch, bool *kept)
{
    bool sound;
    if (!sections_are_sound(image))
    {
        return refused(ab_section_damaged);
    }
    const char *fault = ab_settings_fault(image, world);
    if (fault)
    {
        return refused(fault);
    }
    ab_arena_empty(&world->work.arena);
    if (!take_scratch(scratch, &world->work.arena, image))
    {
        return no_memory;
    }
    *kept = ab_image_keeps_slots(world, image, registry, scratch, &sound);
    if (!sound)
    {
        return refused(ab_section_damaged);
    }
    if (*kept)
    {
        return refused(NULL);
    }
    return take_more(scratch, &world->work.arena, image) ? refused(ab_image_fault(image, world, registry, scratch))
                                                         : no_memory;
}

static refusal restore(abut_world *world, const abut_registry *registry, const void *bytes, size_t size)
{
    ab_image image;
    ab_image_scratch scratch = { 0 };
    bool kept = false;
    const char *fault = ab_image_outline(&image, bytes, size);
    if (fault)
    {
        return refused(fault);
    }
    if (image.section[AB_SECTION_BODIES].count > ABUT_MAX_BODIES ||
        image.section[AB_SECTION_COLLIDERS].count > ABUT_MAX_COLLIDERS)
    {
        return refused("the image has more bodies or colliders than a world");
    }
    const refusal of_slots = check_slots(world, registry, &image, &scratch, &kept);
    if (of_slots.status != ABUT_OK)
    {
        return of_slots;
    }
    if (!ab_contacts_countable(&image))
    {
        return refused(AB_CONTACTS_FAULT);
    }
    if (!reserve(world, &image, &scratch, kept) || !take_room(&scratch, &world->work.arena, &image))
    {
        return no_memory;
    }
    ab_contact_store *store = &world->state.store;
    store->asleep.stale = true; // its list is where asleep contacts are read into
    ab_read_results read = { .pool = &store->spare,
                             .awake = ab_contact_store_next(store),
                             .asleep = &store->asleep.sorted };
    fault = ab_results_read(&image, &scratch, &read);
    fault = fault ? fault : ab_image_results_fault(&image, &scratch, &read);
    if (fault)
    {
        return refused(fault);
    }
    take_all(world, &image, &scratch, registry, kept, &read);
    AB_WORLD_CHECK(world);
    return refused(NULL);
}

abut_status abut_world_restore(abut_world *world, const abut_registry *registry, const void *image, size_t size)
{
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!image || (registry && registry->geometry_count > 0 && !registry->geometries))
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    if (!ab_image_is_native())
    {
        return ab_fail(world, ABUT_UNSUPPORTED, call, 0, "images are little-endian, and this machine is not");
    }
    ab_world_float_enter(world);
    const refusal outcome = restore(world, registry, image, size);
    ab_world_float_leave(world);
    if (outcome.status != ABUT_OK)
    {
        return ab_fail(world, outcome.status, call, 0,
                       outcome.sentence ? outcome.sentence : abut_status_text(outcome.status));
    }
    AB_TELL(world, .kind = AB_CHANGE_RESTORED);
    return ABUT_OK;
}
