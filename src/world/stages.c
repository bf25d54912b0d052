// The stages of a detect, in order: passes over arrays in files of their own, each cut into phases. Here is only their order,
// and what the world hands to each.
#include "base/array.h"
#include "base/assert.h"
#include "base/platform.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

// Quiet colliders that were active for one detect without further change go to the still ones.
static bool settle(abut_world *world)
{
    const ab_colliders *colliders = &world->colliders;
    const uint32_t count = (uint32_t)arrlenu(world->seen);
    if (count == 0)
    {
        return true;
    }
    const size_t still = world->leaves.region[AB_STILL].live + (size_t)count;
    if (!ab_leaves_reserve(&world->leaves, &world->memory, AB_STILL, count, (uint32_t)arrlenu(colliders->shape)) ||
        !ab_array_reserve(world->stirred, &world->memory, arrlenu(world->stirred) + still))
    {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t slot = world->seen[i], leaf = world->leaves.leaf_of[slot];
        const bool lasts = colliders->life[slot] != 0 && leaf != ABUT_NONE &&
                           (colliders->state[slot] & AB_STATE_FRESH) == 0 &&
                           ab_is_quiet(world->bodies.state[colliders->order[slot] >> 8]);
        AB_ASSERT(!lasts || ab_leaves_set_of(&world->leaves, leaf) == AB_ACTIVE, slot);
        if (lasts)
        {
            ab_leaves_settle(&world->leaves, leaf);
        }
    }
    ab_array_set_length(world->seen, 0);
    return true;
}

static ab_bounds_in bounds_in(const abut_world *world)
{
    return (ab_bounds_in){
        .poses = world->bodies.pose,
        .velocities = world->bodies.velocity,
        .locals = world->colliders.local,
        .growth = 0.5f * world->margin,
        .horizon = world->horizon,
        .plane = world->plane,
    };
}

abut_status ab_world_refresh_bounds(abut_world *world)
{
    const ab_bounds_in in = bounds_in(world);
    return ab_broad_refresh(&world->broad, &in);
}

static abut_status prepare_bounds(void *pass, uint32_t *tasks)
{
    abut_world *world = pass;
    (void)tasks;
    const bool looks_ahead = world->horizon > 0.0f;
    if (!settle(world) || (looks_ahead && !ab_leaves_need_reach(&world->leaves, &world->memory)))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    world->broad.in = bounds_in(world);
    return ABUT_OK;
}

static abut_status prepare_recycling(void *given, uint32_t *tasks)
{
    abut_world *world = given;
    (void)tasks;
    world->recycling = (ab_recycle_pass){
        .in = { .store = &world->store,
                .leaves = &world->leaves,
                .rules = world->rules_edited == ab_next_detect(world) ? &world->rules : NULL,
                .filters = world->colliders.filter,
                .edited = world->colliders_edited == ab_next_detect(world) ? world->colliders.edited : NULL,
                .detect = ab_next_detect(world),
                .margin = world->margin,
                .tolerance = world->recycle_distance,
                .kernels = world->recycle },
        .arena = &world->arena,
        .grain = world->grain,
    };
    return ABUT_OK;
}

// Whether pairs have been found to keep their manifolds: their candidates are looked up by key then.
static bool some_settled(const abut_world *world)
{
    return world->recycling.out.count > 0;
}

static abut_status prepare_settled(void *given, uint32_t *tasks)
{
    abut_world *world = given;
    (void)tasks;
    (void)ab_world_former_axes(world, some_settled(world));
    return ABUT_OK;
}

static abut_status prepare_pairs(void *given, uint32_t *tasks)
{
    abut_world *world = given;
    ab_pair_pass *pass = &world->sorting;
    (void)tasks;
    pass->memory = &world->memory;
    pass->stream = &world->stream;
    pass->rules = &world->rules;
    pass->broad = &world->broad;
    pass->filters = world->colliders.filter;
    pass->settled = (ab_settled_pairs){ ab_former_places(&world->former), world->recycling.out.tags };
    pass->settle = some_settled(world) ? world->settle : NULL;
    pass->kernels = world->pair_kernels;
    pass->grain = world->grain;
    return ABUT_OK;
}

ab_batch ab_world_batch(const abut_world *world, const uint32_t *a, const uint32_t *b, uint32_t count)
{
    return (ab_batch){
        .records = world->leaves.record,
        .offsets = world->leaves.offset,
        .reach = world->horizon > 0.0f ? world->leaves.reach : NULL,
        .colliders = world->leaves.collider,
        .shapes = world->colliders.shape,
        .kinds = &world->kind_set,
        .functions = &world->function_set,
        .a = a,
        .b = b,
        .count = count,
        .margin = world->margin,
    };
}

// Whether some pair is of a meeting that stays with axes.
static bool some_remember(const abut_world *world)
{
    bool some = false;
    for (uint32_t cell = 0; cell < AB_CELLS; ++cell)
    {
        some |= world->stream.count[cell] > 0 && ab_meeting_of(world->table, cell)->remembers;
    }
    return some;
}

ab_former_axes ab_world_former_axes(abut_world *world, bool needed)
{
    ab_former_index *index = &world->former;
    index->store = &world->store;
    index->memory = &world->memory;
    index->grain = world->grain;
    index->body_slots = needed ? (uint32_t)arrlenu(world->bodies.life) : 0;
    index->made = false;
    return needed ? ab_former_axes_of(index) : (ab_former_axes){ 0 };
}

static abut_status prepare_narrow(void *given, uint32_t *tasks)
{
    abut_world *world = given;
    ab_narrow_pass *pass = &world->narrow;
    const uint32_t threads = ab_pool_threads(world->pool);
    (void)tasks;
    pass->memory = &world->memory;
    pass->table = world->table;
    pass->stream = &world->stream;
    pass->out = &world->patches;
    pass->batch = ab_world_batch(world, NULL, NULL, 0);
    pass->batch.former = ab_world_former_axes(world, some_remember(world));
    world->former.made = some_settled(world); // before pairs were looked up among them
    pass->grain = world->grain;
    pass->alone = world->broad.alone;
    pass->blocks.most = pass->blocks.most > threads ? pass->blocks.most : threads;
    return ABUT_OK;
}

static abut_status count_meetings(void *given, uint32_t *tasks)
{
    abut_world *world = given;
    abut_meeting_statistics *told = world->statistics.meetings;
    (void)tasks;
    for (uint32_t cell = 0; cell < AB_CELLS; ++cell)
    {
        const char *name = ab_meeting_of(world->table, cell)->name;
        if (name)
        {
            *told = ab_narrow_cell(&world->narrow, cell);
            told++->name = name;
        }
    }
    return ABUT_OK;
}

ab_contact_names ab_world_names(const abut_world *world)
{
    return (ab_contact_names){
        .leaves = &world->leaves,
        .stirred = world->stirred,
        .stirred_count = (uint32_t)arrlenu(world->stirred),
        .name = world->colliders.name,
        .user_data = world->bodies.user_data,
        .collider_lives = world->colliders.life,
        .filters = world->colliders.filter,
        .collider_user_data = world->colliders.user_data,
        .body_slots = (uint32_t)arrlenu(world->bodies.life),
        .margin = world->horizon > 0.0f ? world->margin : INFINITY,
        .table = world->table,
    };
}

static abut_status prepare_impacts(void *given, uint32_t *tasks)
{
    abut_world *world = given;
    (void)tasks;
    world->sweeping = (ab_impacts_pass){
        .in = { .stream = &world->stream,
                .leaves = &world->leaves,
                .shapes = world->colliders.shape,
                .locals = world->colliders.local,
                .poses = world->bodies.pose,
                .velocities = world->bodies.velocity,
                .names = world->colliders.name,
                .horizon = world->horizon,
                .plane = world->plane },
        .out = &world->impacts[1 - world->store.published],
        .memory = &world->memory,
        .arena = &world->arena,
        .grain = world->grain,
    };
    return ABUT_OK;
}

static abut_status prepare_contacts(void *given, uint32_t *tasks)
{
    abut_world *world = given;
    (void)tasks;
    world->update = (ab_contact_update){
        .store = &world->store,
        .memory = &world->memory,
        .arena = &world->arena,
        .patches = &world->patches,
        .recycling = world->store.remembers ? &world->recycling : NULL,
        .names = ab_world_names(world),
        .grain = world->grain,
        .alone = world->broad.alone,
    };
    world->update.names.veto = ab_world_veto(world);
    return ab_sensors_prepare(&world->sensing, &world->sensors, &world->memory, &world->arena, world->sensed,
                              world->sensed_count, &world->update.names)
               ? ABUT_OK
               : ABUT_OUT_OF_MEMORY;
}

static const ab_phase bounds_phases[] = { { prepare_bounds, NULL }, { NULL, NULL } };
static const ab_phase before_recycling[] = { { prepare_recycling, NULL }, { NULL, NULL } };
static const ab_phase after_recycling[] = { { prepare_settled, NULL }, { NULL, NULL } };
static const ab_phase before_pairs[] = { { prepare_pairs, NULL }, { NULL, NULL } };
static const ab_phase before_narrow[] = { { prepare_narrow, NULL }, { NULL, NULL } };
static const ab_phase after_narrow[] = { { count_meetings, NULL }, { prepare_impacts, NULL }, { NULL, NULL } };
static const ab_phase before_contacts[] = { { prepare_contacts, NULL }, { NULL, NULL } };

void ab_world_list_passes(abut_world *world, ab_pass passes[AB_MOST_PASSES])
{
    const ab_pass all[] = {
        { ABUT_STAGE_BOUNDS, bounds_phases, world },
        { ABUT_STAGE_BOUNDS, ab_broad_update_phases(&world->broad), &world->broad },
        { ABUT_STAGE_BROAD, ab_broad_pairs_phases(&world->broad), &world->broad },
        { ABUT_STAGE_PAIRS, before_recycling, world },
        { ABUT_STAGE_PAIRS, ab_recycle_phases, &world->recycling },
        { ABUT_STAGE_PAIRS, after_recycling, world },
        { ABUT_STAGE_PAIRS, ab_former_phases, &world->former },
        { ABUT_STAGE_PAIRS, before_pairs, world },
        { ABUT_STAGE_PAIRS, ab_pair_phases, &world->sorting },
        { ABUT_STAGE_NARROW, before_narrow, world },
        { ABUT_STAGE_NARROW, ab_former_phases, &world->former },
        { ABUT_STAGE_NARROW, ab_narrow_phases, &world->narrow },
        { ABUT_STAGE_NARROW, after_narrow, world },
        { ABUT_STAGE_NARROW, ab_sense_phases, world },
        { ABUT_STAGE_NARROW, ab_impact_phases, &world->sweeping },
        { ABUT_STAGE_CONTACT, before_contacts, world },
        { ABUT_STAGE_CONTACT, ab_contact_phases, &world->update },
    };
    _Static_assert(sizeof all / sizeof *all < AB_MOST_PASSES, "there is room for the end");
    memcpy(passes, all, sizeof all);
    passes[sizeof all / sizeof *all] = (ab_pass){ 0 };
}
