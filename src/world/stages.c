// The stages of a detect in order, and what the world passes to each. The passes themselves, each divided into phases,
// are in other files and take arrays.
#include "base/array.h"
#include "base/assert.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

bool ab_collider_goes_static(const abut_world *world, uint32_t slot)
{
    const ab_colliders *colliders = &world->state.colliders;
    return colliders->generation[slot] != 0 && world->cache.proxies.proxy_of[slot] != ABUT_NONE &&
           (colliders->state[slot] & AB_STATE_DIRTY) == 0 &&
           ab_is_immobile(world->state.bodies.state[colliders->collider_key[slot] >> 8]);
}

// Moves immobile colliders that were active for one detect without further change to the static set.
static bool make_static(abut_world *world)
{
    const ab_colliders *colliders = &world->state.colliders;
    const uint32_t count = (uint32_t)arrlenu(world->state.was_dirty);
    if (count == 0)
    {
        return true;
    }
    const size_t immobile = world->cache.proxies.region[AB_STATIC_SET].live + (size_t)count;
    if (!ab_proxies_reserve(&world->cache.proxies, &world->memory, AB_STATIC_SET, count,
                            (uint32_t)arrlenu(colliders->shape)) ||
        !ab_array_reserve(world->state.woken, &world->memory, arrlenu(world->state.woken) + immobile))
    {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t slot = world->state.was_dirty[i], proxy = world->cache.proxies.proxy_of[slot];
        AB_ASSERT(!ab_collider_goes_static(world, slot) || ab_proxies_set_of(&world->cache.proxies, proxy) == AB_ACTIVE,
                  slot);
        if (ab_collider_goes_static(world, slot))
        {
            ab_proxies_make_static(&world->cache.proxies, proxy);
        }
    }
    ab_array_set_length(world->state.was_dirty, 0);
    return true;
}

ab_bounds_in ab_world_bounds_in(const abut_world *world)
{
    return (ab_bounds_in){
        .poses = world->state.bodies.pose,
        .velocities = world->state.bodies.velocity,
        .locals = world->state.colliders.local,
        .shapes = world->state.colliders.shape,
        .growth = 0.5f * (world->state.margin + world->state.recycle_distance),
        .horizon = world->state.horizon,
        .speculative_distance = world->state.speculative_distance,
        .is_2d = world->state.is_2d,
    };
}

// The same at the anchors, if there are any.
static ab_bounds_in anchored_bounds_in(const abut_world *world, const abut_pose *anchors)
{
    ab_bounds_in in = ab_world_bounds_in(world);
    if (ab_world_recycles(world))
    {
        in.poses = anchors;
        in.known = ab_anchors_known(world);
    }
    return in;
}

void ab_world_prepare_broad(abut_world *world)
{
    world->cache.broad.in = ab_world_bounds_in(world);
    world->cache.broad.filters =
        (ab_proxy_filters){ world->state.colliders.filter, world->state.rules.collides, ab_world_drops_pairs(world) };
}

// The world may have had its horizon from an image.
static bool reserve_reaches(abut_world *world)
{
    return !(world->state.horizon > 0.0f) || ab_proxies_need_reach(&world->cache.proxies, &world->memory);
}

abut_status ab_world_refresh_bounds(abut_world *world)
{
    const ab_bounds_in in = anchored_bounds_in(world, world->state.anchors);
    if (!reserve_reaches(world))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    const abut_status status = ab_broad_refresh(&world->cache.broad, &in);
    world->cache.broad.unindexed = true; // what stands above the boxes did not follow
    if (status != ABUT_OK)
    {
        ab_world_index_lost(world);
    }
    return status;
}

static abut_status prepare_bounds(void *pass, uint32_t *tasks)
{
    abut_world *world = pass;
    (void)tasks;
    if (!make_static(world) || !reserve_reaches(world))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_world_prepare_broad(world);
    world->cache.broad.in = anchored_bounds_in(world, world->cache.anchoring.next);
    return ABUT_OK;
}

static abut_status prepare_moved(void *given, uint32_t *tasks)
{
    abut_world *world = given;
    (void)tasks;
    world->work.moved = (ab_moved_pairs){
        .broad = &world->cache.broad,
        .known = ab_anchors_known(world),
        .index = world->kernels->index,
        .arena = &world->work.arena,
        .only_active = atomic_load_explicit(&world->cache.anchoring.edited, memory_order_relaxed) == 0,
    };
    return ABUT_OK;
}

// Whether manifolds may stand.
static bool some_stand(const abut_world *world)
{
    return ab_world_recycles(world) && !world->cache.anchoring.none_stands;
}

static abut_status prepare_kept(void *given, uint32_t *tasks)
{
    abut_world *world = given;
    ab_contact_store *store = &world->state.store;
    (void)tasks;
    if (ab_arena_is_at(&world->work.arena, world->work.after_narrow)) // neither sensors nor impacts were found
    {
        ab_arena_rewind(&world->work.arena, world->work.before_pairs); // nothing reads pairs any more
    }
    world->work.keeping = (ab_kept_pass){
        .pool = &store->pool,
        .last = ab_contact_store_now(store),
        .known = some_stand(world) ? world->cache.anchoring.known : NULL,
        .shifts = world->cache.anchoring.shifts,
        .shifts_before = world->cache.anchoring.before_known ? world->cache.anchoring.shifts_before : NULL,
        .at_anchors = world->state.at_anchors,
        .written = { store->points, store->speculative },
        .kernels = world->kernels->follow,
        .margin = world->state.margin,
        .arena = &world->work.arena,
        .granularity = world->work.granularity,
    };
    return ABUT_OK;
}

static abut_status prepare_pairs(void *given, uint32_t *tasks)
{
    abut_world *world = given;
    ab_pair_pass *pass = &world->work.sorting;
    (void)tasks;
    world->work.before_pairs = ab_arena_marked(&world->work.arena);
    pass->memory = &world->memory;
    pass->arena = &world->work.arena;
    pass->stream = &world->work.stream;
    pass->rules = &world->state.rules;
    pass->broad = &world->cache.broad;
    pass->filters = world->state.colliders.filter;
    pass->known = ab_anchors_known(world);
    pass->kernels = world->kernels->pairs;
    pass->granularity = world->work.granularity;
    return ABUT_OK;
}

ab_batch ab_world_batch(const abut_world *world, const uint32_t *a, const uint32_t *b, uint32_t count)
{
    return (ab_batch){
        .records = world->cache.proxies.record,
        .offsets = world->cache.proxies.offset,
        .reach = world->state.horizon > 0.0f ? world->cache.proxies.reach : NULL,
        .colliders = world->cache.proxies.collider,
        .shapes = world->state.colliders.shape,
        .kinds = &world->state.kind_set,
        .functions = &world->state.function_set,
        .a = a,
        .b = b,
        .count = count,
        .is_2d = world->state.is_2d,
        .margin = world->state.margin,
    };
}

// Whether any pair is of a type whose kernel caches axes.
static bool some_cache_axes(const abut_world *world)
{
    bool some = false;
    for (uint32_t type = 0; type < AB_PAIR_TYPES; ++type)
    {
        some |= world->work.stream.count[type] > 0 && ab_pair_type_of(world->table, type)->caches_axes;
    }
    return some;
}

ab_cached_axes ab_world_cached_axes(abut_world *world, bool needed)
{
    ab_cached_axis_index *index = &world->cache.cached;
    index->store = &world->state.store;
    index->memory = &world->memory;
    index->granularity = world->work.granularity;
    index->body_slots = needed ? (uint32_t)arrlenu(world->state.bodies.generation) : 0;
    return needed ? ab_cached_axes_of(index) : (ab_cached_axes){ 0 };
}

static abut_status prepare_narrow(void *given, uint32_t *tasks)
{
    abut_world *world = given;
    ab_narrow_pass *pass = &world->work.narrow;
    const uint32_t threads = ab_pool_threads(world->pool);
    (void)tasks;
    pass->memory = &world->memory;
    pass->table = world->table;
    pass->stream = &world->work.stream;
    pass->out = &world->work.manifolds;
    pass->batch = ab_world_batch(world, NULL, NULL, 0);
    pass->batch.margin += ab_world_is_anchored(world) ? world->state.recycle_distance : 0.0f;
    pass->batch.cached = ab_world_cached_axes(world, some_cache_axes(world));
    pass->granularity = world->work.granularity;
    pass->meshes.memory = &world->memory;
    pass->meshes.stream = &world->work.stream;
    pass->meshes.table = world->table;
    pass->meshes.batch = pass->batch;
    pass->meshes.granularity = world->work.granularity;
    pass->single_threaded = world->cache.broad.single_threaded;
    pass->blocks.most = pass->blocks.most > threads ? pass->blocks.most : threads;
    return ABUT_OK;
}

static abut_status count_pair_types(void *given, uint32_t *tasks)
{
    abut_world *world = given;
    abut_pair_type_statistics *type_statistics = world->statistics.pair_types;
    (void)tasks;
    world->work.after_narrow = ab_arena_marked(&world->work.arena);
    uint32_t type = 0;
    for (uint32_t higher = 1; higher < AB_KINDS; ++higher)
    {
        for (uint32_t lower = 1; lower <= higher; ++lower, ++type)
        {
            const char *name = world->table->type[lower][higher].name;
            if (name)
            {
                const bool some = world->work.stream.count[type] > 0;
                *type_statistics =
                    some ? ab_narrow_pair_type(&world->work.narrow, type) : (abut_pair_type_statistics){ .pairs = 0 };
                type_statistics++->name = name;
            }
        }
    }
    return ABUT_OK;
}

ab_contact_names ab_world_names(const abut_world *world)
{
    return (ab_contact_names){
        .proxies = &world->cache.proxies,
        .woken = world->state.woken,
        .woken_count = (uint32_t)arrlenu(world->state.woken),
        .name = world->state.colliders.name,
        .user_data = world->state.bodies.user_data,
        .collider_generations = world->state.colliders.generation,
        .filters = world->state.colliders.filter,
        .collider_states = world->state.colliders.state,
        .refiltered = world->cache.some_refiltered ? AB_STATE_REFILTERED : 0,
        .collider_user_data = world->state.colliders.user_data,
        .body_slots = (uint32_t)arrlenu(world->state.bodies.generation),
        .shifts = some_stand(world) && ab_world_follows(world) ? world->cache.anchoring.shifts : NULL,
        .known = ab_anchors_known(world),
        .anchors = ab_world_is_anchored(world) && ab_world_follows(world),
        .margin = world->state.horizon > 0.0f || ab_world_is_anchored(world) ? world->state.margin : INFINITY,
    };
}

static abut_status prepare_impacts(void *given, uint32_t *tasks)
{
    abut_world *world = given;
    (void)tasks;
    world->work.sweeping = (ab_impacts_pass){
        .in = { .stream = &world->work.stream,
                .proxies = &world->cache.proxies,
                .kinds = &world->state.kind_set,
                .shapes = world->state.colliders.shape,
                .locals = world->state.colliders.local,
                .poses = world->state.bodies.pose,
                .velocities = world->state.bodies.velocity,
                .names = world->state.colliders.name,
                .states = world->state.bodies.state,
                .goes_on = AB_STATE_CCD_ALL,
                .horizon = world->state.horizon,
                .is_2d = world->state.is_2d },
        .out = &world->state.impacts[1 - world->state.store.published],
        .memory = &world->memory,
        .arena = &world->work.arena,
        .granularity = world->work.granularity,
    };
    world->work.sensor_sweeping = world->work.sweeping;
    world->work.sensor_sweeping.first_bin = AB_PAIR_TYPES;
    world->work.sensor_sweeping.out = &world->state.sensor_impacts[1 - world->state.store.published];
    world->work.sensor_sweeping.first_hit = world->work.sweeping.out;
    return ABUT_OK;
}

static abut_status prepare_contacts(void *given, uint32_t *tasks)
{
    abut_world *world = given;
    (void)tasks;
    world->work.update = (ab_contact_update){
        .store = &world->state.store,
        .memory = &world->memory,
        .arena = &world->work.arena,
        .manifolds = &world->work.manifolds,
        .kept = some_stand(world) ? &world->work.keeping.out : NULL,
        .impacts = &world->work.sweeping,
        .sensor_impacts = &world->work.sensor_sweeping,
        .names = ab_world_names(world),
        .granularity = world->work.granularity,
        .single_threaded = world->cache.broad.single_threaded,
        .children = world->work.narrow.meshes.before > 0,
        .trims = ab_world_trims(world),
        .at_anchors = world->state.at_anchors,
        .may_stand = ab_world_is_anchored(world),
    };
    world->work.update.names.veto = ab_world_veto(world);
    return ab_sensors_prepare(&world->work.sensing, &world->state.sensors, &world->memory, &world->work.arena,
                              world->work.sensed, world->work.sensed_count, &world->work.update.names)
               ? ABUT_OK
               : ABUT_OUT_OF_MEMORY;
}

static const ab_phase bounds_phases[] = { { prepare_bounds, NULL }, { NULL, NULL } };
static const ab_phase before_moved[] = { { prepare_moved, NULL }, { NULL, NULL } };
static const ab_phase before_kept[] = { { prepare_kept, NULL }, { NULL, NULL } };
static const ab_phase before_pairs[] = { { prepare_pairs, NULL }, { NULL, NULL } };
static const ab_phase before_narrow[] = { { prepare_narrow, NULL }, { NULL, NULL } };
static const ab_phase after_narrow[] = { { count_pair_types, NULL }, { prepare_impacts, NULL }, { NULL, NULL } };
static const ab_phase before_contacts[] = { { prepare_contacts, NULL }, { NULL, NULL } };

void ab_world_list_passes(abut_world *world, ab_pass passes[AB_MOST_PASSES])
{
    const ab_pass all[] = {
        { ABUT_STAGE_BOUNDS, ab_anchor_phases, world, NULL },
        { ABUT_STAGE_BOUNDS, ab_anchor_choice_phases, world, NULL },
        { ABUT_STAGE_BOUNDS, bounds_phases, world, NULL },
        { ABUT_STAGE_BOUNDS, ab_broad_update_phases(&world->cache.broad), &world->cache.broad, NULL },
        { ABUT_STAGE_BROAD, before_moved, world, NULL },
        { ABUT_STAGE_BROAD, ab_moved_pair_phases, &world->work.moved, NULL },
        { ABUT_STAGE_BROAD, ab_broad_pairs_phases(&world->cache.broad), &world->cache.broad, &world->work.moved.few },
        { ABUT_STAGE_PAIRS, before_pairs, world, NULL },
        { ABUT_STAGE_PAIRS, ab_pair_phases, &world->work.sorting, NULL },
        { ABUT_STAGE_NARROW, before_narrow, world, NULL },
        { ABUT_STAGE_NARROW, ab_cached_axis_phases, &world->cache.cached, NULL },
#ifdef AB_MESHES
        { ABUT_STAGE_NARROW, ab_mesh_pair_phases, &world->work.narrow.meshes, NULL },
#endif
        { ABUT_STAGE_NARROW, ab_narrow_phases, &world->work.narrow, NULL },
        { ABUT_STAGE_NARROW, after_narrow, world, NULL },
        { ABUT_STAGE_NARROW, ab_sense_phases, world, NULL },
        { ABUT_STAGE_NARROW, ab_impact_phases, &world->work.sweeping, NULL },
        { ABUT_STAGE_NARROW, ab_impact_phases, &world->work.sensor_sweeping, NULL },
        { ABUT_STAGE_CONTACT, before_kept, world, NULL },
        { ABUT_STAGE_CONTACT, ab_kept_phases, &world->work.keeping, NULL },
        { ABUT_STAGE_CONTACT, before_contacts, world, NULL },
        { ABUT_STAGE_CONTACT, ab_contact_phases, &world->work.update, NULL },
    };
    _Static_assert(sizeof all / sizeof *all < AB_MOST_PASSES, "there is room for the end");
    memcpy(passes, all, sizeof all);
    passes[sizeof all / sizeof *all] = (ab_pass){ 0 };
}
