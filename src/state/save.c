// Saves a world as an image: copies the state into sections, slot by slot and contact by contact.
#include "base/array.h"
#include "shape/shape_table.h"
#include "state/state.h"

#include <string.h>

static const char *const call = "abut_world_save";

#define CHUNK 2048u // contacts that are packed, then summed

static void put_list(ab_image_writer *w, ab_section_id id, const uint32_t *list)
{
    ab_image_column(w, id, list, arrlenu(list));
}

uint32_t ab_collides_pack(const ab_pair_rules *rules)
{
    uint32_t collides = 0;
    for (uint32_t bit = 0; bit < ABUT_MOTION_COUNT * ABUT_MOTION_COUNT; ++bit)
    {
        collides |= (uint32_t)rules->motions_collide[bit / ABUT_MOTION_COUNT][bit % ABUT_MOTION_COUNT] << bit;
    }
    return collides;
}

static void put_settings(ab_image_writer *w, const abut_world *world)
{
    ab_saved_settings *out = ab_image_section(w, AB_SECTION_SETTINGS, 1);
    if (!out)
    {
        return;
    }
    *out = (ab_saved_settings){
        .detects = world->state.detects,
        .margin = world->state.margin,
        .recycle_distance = world->state.recycle_distance,
        .speculative_distance = world->state.speculative_distance,
        .horizon = world->state.horizon,
        .is_2d = world->state.is_2d,
        .tag = world->state.tag,
        .first_generation = world->state.first_generation,
        .rules_edited = world->state.rules_edited,
        .colliders_edited = world->state.colliders_edited,
        .collides = ab_collides_pack(&world->state.rules),
        .kinds = world->state.kind_set.count,
        .dropped = world->state.store.pool.dropped,
        .anchoring =
            (world->state.unanchored ? AB_SAVED_UNANCHORED : 0u) | (world->state.at_anchors ? AB_SAVED_AT_ANCHORS : 0u),
    };
}

static void put_poses(ab_image_writer *w, ab_section_id id, const abut_pose *poses, size_t count)
{
    abut_pose *out = ab_image_section(w, id, count);
    for (size_t slot = 0; out && slot < count; ++slot)
    {
        out[slot] = poses[slot];
        out[slot].unused = 0.0f;
    }
}

static void put_bodies(ab_image_writer *w, const ab_bodies *bodies)
{
    const size_t count = arrlenu(bodies->generation);
    ab_saved_body *out = ab_image_section(w, AB_SECTION_BODIES, count);
    for (size_t slot = 0; out && slot < count; ++slot)
    {
        out[slot] = ab_body_pack(bodies, slot);
    }
    put_poses(w, AB_SECTION_POSES, bodies->pose, count);
    ab_image_column(w, AB_SECTION_VELOCITIES, bodies->velocity, count);
    ab_image_column(w, AB_SECTION_BODY_DATA, bodies->user_data, count);
    put_list(w, AB_SECTION_BODIES_FREE, bodies->free);
    put_list(w, AB_SECTION_BODIES_RETIRED, bodies->retired);
}

bool ab_colliders_placed(const ab_colliders *colliders)
{
    bool placed = false;
    for (size_t slot = 0; slot < arrlenu(colliders->local) && !placed; ++slot)
    {
        const abut_collider_def def = { .shape = colliders->shape[slot], .local = colliders->local[slot] };
        placed = colliders->generation[slot] != 0 && ab_collider_is_placed(&def);
    }
    return placed;
}

abut_pose ab_local_pack(const ab_colliders *colliders, size_t slot)
{
    abut_pose out = colliders->generation[slot] != 0 ? colliders->local[slot] : abut_pose_identity();
    out.unused = 0.0f;
    return out;
}

static void put_packed(ab_image_writer *w, abut_world *world, const abut_registry *registry)
{
    const size_t count = arrlenu(world->state.colliders.generation);
    ab_saved_collider *out = ab_image_section(w, AB_SECTION_COLLIDERS, count);
    if (!out)
    {
        return;
    }
    const ab_saved_collider *packed = ab_colliders_packed(world, registry);
    if (!packed)
    {
        ab_colliders_pack(&world->state.colliders, registry, out);
        return;
    }
    memcpy(out, packed, count * sizeof *out);
    ab_image_sign(w, AB_SECTION_COLLIDERS, world->cache.packed.checksum);
}

static void put_colliders(ab_image_writer *w, abut_world *world, const abut_registry *registry)
{
    const ab_colliders *colliders = &world->state.colliders;
    const size_t count = arrlenu(colliders->generation);
    put_packed(w, world, registry);
    uint32_t *states = ab_image_section(w, AB_SECTION_COLLIDER_STATES, count);
    for (size_t slot = 0; states && slot < count; ++slot)
    {
        states[slot] = ab_collider_state_pack(world, slot);
    }
    ab_image_column(w, AB_SECTION_COLLIDER_DATA, colliders->user_data, count);
    put_list(w, AB_SECTION_COLLIDERS_FREE, colliders->free);
    put_list(w, AB_SECTION_COLLIDERS_RETIRED, colliders->retired);
    abut_pose *local = ab_image_section(w, AB_SECTION_LOCALS, ab_colliders_placed(colliders) ? count : 0);
    for (size_t slot = 0; local && slot < count; ++slot)
    {
        local[slot] = ab_local_pack(colliders, slot);
    }
}

// The colliders in the static set, and those about to join it, in the order of slots.
static void put_static(ab_image_writer *w, abut_world *world, unsigned char *joins)
{
    const uint32_t live = world->cache.proxies.region[AB_STATIC_SET].live;
    uint32_t joining = 0;
    memset(joins, 0, arrlenu(world->state.colliders.generation));
    for (size_t i = 0; i < arrlenu(world->state.was_dirty); ++i)
    {
        joins[world->state.was_dirty[i]] = ab_collider_goes_static(world, world->state.was_dirty[i]);
        joining += joins[world->state.was_dirty[i]];
    }
    ab_saved_static *out = ab_image_section(w, AB_SECTION_STATIC, live + joining);
    const ab_saved_static *packed = out && joining == 0 ? ab_static_packed(world, true) : NULL;
    if (packed)
    {
        memcpy(out, packed, live * sizeof *out);
        ab_image_sign(w, AB_SECTION_STATIC, world->cache.packed_static.checksum);
    }
    else if (out)
    {
        ab_static_pack(world, joins, out);
    }
}

ab_saved_exclusion ab_exclusion_pack(const ab_exclusions *exclusions, uint32_t slot)
{
    const uint64_t key = exclusions->lists.keys[slot];
    return (ab_saved_exclusion){ (uint32_t)(key >> 32), (uint32_t)key, exclusions->times[slot] };
}

static void put_exclusions(ab_image_writer *w, abut_world *world, uint32_t *slots)
{
    const ab_exclusions *exclusions = &world->state.rules.exclusions;
    ab_saved_exclusion *out = ab_image_section(w, AB_SECTION_EXCLUSIONS, exclusions->lists.live);
    if (!out)
    {
        return;
    }
    const uint32_t count = ab_pair_lists_sorted(&exclusions->lists, slots);
    for (uint32_t i = 0; i < count; ++i)
    {
        out[i] = ab_exclusion_pack(exclusions, slots[i]);
    }
}

// The anchors that results refer to: of all bodies that the last detect knew, also of those that the next one anchors
// anew or that were destroyed since. A slot that was free then has none.
static void put_anchors(ab_image_writer *w, const abut_world *world)
{
    const ab_bodies *bodies = &world->state.bodies;
    const uint32_t count = world->state.anchored;
    abut_pose *out = ab_image_section(w, AB_SECTION_ANCHORS, count);
    for (uint32_t slot = 0; out && slot < count; ++slot)
    {
        out[slot] = bodies->generation[slot] != 0 ? world->state.anchors[slot] : abut_pose_identity();
        out[slot].unused = 0.0f;
    }
    for (size_t i = 0; out && i < arrlenu(bodies->retired); ++i)
    {
        const uint32_t slot = bodies->retired[i];
        if (slot < count)
        {
            out[slot] = world->state.anchors[slot];
            out[slot].unused = 0.0f;
        }
    }
}

static void put_anchored(ab_image_writer *w, const ab_contact_pool *pool, const ab_contact_list *list, bool unanchored)
{
    static const ab_anchored none = { .separation = 0.0f };
    const uint32_t count = pool->follows ? ab_contact_list_count(list) : 0;
    ab_anchored *out = ab_image_section(w, AB_SECTION_ANCHORED, count);
    for (uint32_t i = 0; out && i < count; ++i)
    {
        out[i] = unanchored ? none : pool->anchored[list->slots[i]];
    }
}

// The generations of contact slots.
static void put_contact_slots(ab_image_writer *w, const ab_contact_pool *pool)
{
    const uint32_t slots = ab_contact_pool_slots(pool);
    const abut_contact *const contacts = pool->contacts;
    uint32_t *const out = ab_image_section(w, AB_SECTION_CONTACT_SLOTS, slots);
    for (uint32_t slot = 0; out && slot < slots; ++slot)
    {
        out[slot] = contacts[slot].id.generation;
    }
    ab_image_column(w, AB_SECTION_SLOTS_RETIRED, pool->retired, arrlenu(pool->retired));
}

static void pack_contacts(ab_saved_contact *out, const ab_contact_pool *pool, const uint32_t *slots, uint32_t first,
                          uint32_t end)
{
    const abut_contact *const contacts = pool->contacts;
    const abut_contact_colliders *const colliders = pool->colliders;
    for (uint32_t i = first; i < end; ++i)
    {
        const uint32_t slot = slots[i];
        const abut_contact *contact = &contacts[slot];
        out[i].collider_a = colliders[slot].a.slot;
        out[i].collider_b = colliders[slot].b.slot;
        memcpy(out[i].normal, &contact->normal, sizeof contact->normal + sizeof contact->separation);
        out[i].slot = slot;
        out[i].child = contact->child;
        out[i].packed = (uint32_t)contact->flags << 16 | contact->point_count;
    }
}

static void pack_points(abut_point *out, const ab_contact_pool *pool, const uint32_t *slots, uint32_t count)
{
    const abut_contact *const contacts = pool->contacts;
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_contact *contact = &contacts[slots[i]];
        for (uint32_t k = 0; k < contact->point_count; ++k)
        {
            *out++ = contact->points[k];
        }
    }
}

static void pack_impulses(abut_impulse *out, const ab_contact_pool *pool, const uint32_t *slots, uint32_t count)
{
    const abut_impulse *const impulses = pool->impulses;
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t k = 0; k < pool->contacts[slots[i]].point_count; ++k)
        {
            *out++ = impulses[AB_MAX_POINTS * (size_t)slots[i] + k];
        }
    }
}

static uint64_t count_points(const ab_contact_pool *pool, const ab_contact_list *list)
{
    uint64_t points = 0;
    for (uint32_t i = 0; i < ab_contact_list_count(list); ++i)
    {
        points += pool->contacts[list->slots[i]].point_count;
    }
    return points;
}

// Contacts, their points and impulses have adjacent sections.
static void put_contacts(ab_image_writer *w, ab_section_id first, const ab_contact_pool *pool,
                         const ab_contact_list *list, uint64_t points)
{
    const uint32_t count = ab_contact_list_count(list);
    ab_saved_contact *out = ab_image_section(w, first, count);
    if (out)
    {
        ab_checksum_stream sum;
        ab_checksum_open(&sum, out, count * sizeof *out);
        for (uint32_t at = 0, end; at < count; at = end)
        {
            end = count - at < CHUNK ? count : at + CHUNK;
            pack_contacts(out, pool, list->slots, at, end);
            ab_checksum_advance(&sum, out + end);
        }
        ab_image_sign(w, first, ab_checksum_close(&sum));
    }
    abut_point *saved_points = ab_image_section(w, first + 1, points);
    if (saved_points)
    {
        pack_points(saved_points, pool, list->slots, count);
    }
    abut_impulse *saved_impulses = ab_image_section(w, first + 2, points);
    if (saved_impulses)
    {
        pack_impulses(saved_impulses, pool, list->slots, count);
    }
}

static void put_pairs(ab_image_writer *w, ab_section_id id, const ab_cached_pairs *list)
{
    ab_saved_pair *out = ab_image_section(w, id, arrlenu(list->pairs));
    for (size_t i = 0; out && i < arrlenu(list->pairs); ++i)
    {
        const ab_cached_pair *pair = &list->pairs[i];
        out[i] = (ab_saved_pair){ pair->collider_a.slot, pair->collider_b.slot, pair->filter_a, pair->filter_b };
    }
}

static void put_events(ab_image_writer *w, ab_section_id id, const abut_event *events, bool lean)
{
    const size_t count = lean ? 0 : arrlenu(events);
    ab_saved_event *out = ab_image_section(w, id, count);
    for (size_t i = 0; out && i < count; ++i)
    {
        const abut_event *e = &events[i];
        out[i] = (ab_saved_event){ e->a,
                                   e->b,
                                   e->collider_a,
                                   e->collider_b,
                                   e->user_data_a,
                                   e->user_data_b,
                                   e->collider_data_a,
                                   e->collider_data_b,
                                   e->contact,
                                   e->flags,
                                   0 };
    }
}

static void put_impacts(ab_image_writer *w, ab_section_id id, abut_impacts impacts, bool lean)
{
    const uint32_t count = lean ? 0 : impacts.count;
    ab_saved_impact *out = ab_image_section(w, id, count);
    for (uint32_t i = 0; out && i < count; ++i)
    {
        memcpy(&out[i], &impacts.data[i], sizeof impacts.data[i]);
        out[i].hit = impacts.data[i].impact.hit;
        out[i].reserved = 0;
    }
}

static void put_all(ab_image_writer *w, abut_world *world, const abut_registry *registry, bool lean, uint32_t *slots,
                    unsigned char *marks)
{
    ab_contact_store *store = &world->state.store;
    const ab_contact_list *asleep = ab_asleep_contacts_sorted(&store->asleep);
    put_settings(w, world);
    put_bodies(w, &world->state.bodies);
    put_anchors(w, world);
    put_colliders(w, world, registry);
    put_static(w, world, marks);
    put_list(w, AB_SECTION_WOKEN, world->state.woken);
    put_list(w, AB_SECTION_DIRTY, world->state.dirty);
    put_list(w, AB_SECTION_WAS_DIRTY, world->state.was_dirty);
    put_exclusions(w, world, slots);
    put_contact_slots(w, &store->pool);
    put_contacts(w, AB_SECTION_CONTACTS, &store->pool, ab_contact_store_now(store), store->points);
    put_anchored(w, &store->pool, ab_contact_store_now(store), world->state.unanchored);
    put_contacts(w, AB_SECTION_ASLEEP_CONTACTS, &store->pool, asleep, count_points(&store->pool, asleep));
    put_pairs(w, AB_SECTION_VETOES, ab_pair_cache_found(&store->vetoes));
    put_pairs(w, AB_SECTION_ASLEEP_VETOES, ab_pair_cache_asleep(&store->vetoes));
    put_pairs(w, AB_SECTION_OVERLAPS, ab_pair_cache_found(&world->state.sensors.overlaps));
    put_pairs(w, AB_SECTION_ASLEEP_OVERLAPS, ab_pair_cache_asleep(&world->state.sensors.overlaps));
    put_events(w, AB_SECTION_BEGUN, store->events[ABUT_BEGIN], lean);
    put_events(w, AB_SECTION_ENDED, store->events[ABUT_END], lean);
    put_events(w, AB_SECTION_SENSOR_BEGUN, ab_sensors_events(&world->state.sensors, 0), lean);
    put_events(w, AB_SECTION_SENSOR_ENDED, ab_sensors_events(&world->state.sensors, 1), lean);
    put_impacts(w, AB_SECTION_IMPACTS, abut_world_impacts(world), lean);
    put_impacts(w, AB_SECTION_SENSOR_IMPACTS, abut_world_sensor_impacts(world), lean);
}

// Every geometry must be in the registry.
static bool all_registered(abut_world *world, const abut_registry *registry)
{
    if (ab_colliders_packed(world, registry))
    {
        return !world->cache.packed.lacks;
    }
    for (size_t slot = 0; slot < arrlenu(world->state.colliders.generation); ++slot)
    {
        const abut_shape *shape = &world->state.colliders.shape[slot];
        if (world->state.colliders.generation[slot] != 0)
        {
            const ab_shape_row *row = ab_shape_row_for(shape->kind);
            if (row->geometry && ab_registry_index(registry, row->geometry(shape)) == ABUT_NONE)
            {
                return false;
            }
        }
    }
    return true;
}

abut_status abut_world_save(abut_world *world, uint32_t flags, const abut_registry *registry, void *image,
                            size_t capacity, size_t *size)
{
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!size || (!image && capacity > 0) || (registry && registry->geometry_count > 0 && !registry->geometries))
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    if ((uintptr_t)image % AB_IMAGE_ALIGNMENT != 0 || (flags & ~(uint32_t)ABUT_SAVE_LEAN) != 0)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0,
                       image ? "the image is not aligned to 8 bytes, or a flag means nothing" : "a flag means nothing");
    }
    if (!ab_image_is_native())
    {
        return ab_fail(world, ABUT_UNSUPPORTED, call, 0, "images are little-endian, and this machine is not");
    }
    if (!all_registered(world, registry))
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a collider's geometry is not in the registry");
    }
    ab_arena_empty(&world->work.arena);
    const size_t pairs = arrlenu(world->state.rules.exclusions.lists.keys),
                 colliders = arrlenu(world->state.colliders.generation);
    uint32_t *slots = ab_arena_take(&world->work.arena, (pairs + 1) * sizeof *slots + colliders);
    if (!slots)
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, call, 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    unsigned char *marks = (unsigned char *)(slots + pairs + 1);
    const bool lean = (flags & ABUT_SAVE_LEAN) != 0;
    ab_image_writer writer;
    ab_image_begin(&writer, NULL, 0);
    put_all(&writer, world, registry, lean, slots, marks);
    *size = (size_t)writer.size;
    if (!image || writer.size > capacity)
    {
        return !image ? ABUT_OK : ab_fail(world, ABUT_LIMIT, call, 0, "the image needs more room than there is");
    }
    ab_image_begin(&writer, image, capacity);
    put_all(&writer, world, registry, lean, slots, marks);
    ab_image_end(&writer, flags);
    return ABUT_OK;
}
