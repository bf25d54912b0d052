// Creates and destroys a world, sets its rules, and guards every call on it.
#include "world/world.h"

#include "base/array.h"
#include "base/platform.h"
#include "shape/shape_table.h"
#include "world/journal.h"

#include <stdatomic.h>
#include <string.h>

#define DEFAULT_CAPACITY 256u

#define TAGS    255u        // one for each non-zero byte
#define SCATTER 0x9e3779b1u // odd, near 2^32 over the golden ratio: its multiples are far apart

// Handles of different worlds differ in a byte, the tag, given out in turn. Worlds with the same tag start counting
// generations far from each other.
static void name_world(abut_world *world)
{
    static atomic_uint worlds;
    const uint32_t number = atomic_fetch_add_explicit(&worlds, 1, memory_order_relaxed);
    world->state.tag = number % TAGS + 1;
    world->state.first_generation = number / TAGS * SCATTER;
}

uint32_t ab_generation_of(const abut_world *world, uint32_t uses)
{
    return (uses + (world->state.first_generation >> AB_GENERATION_SHIFT)) << AB_GENERATION_SHIFT | world->state.tag;
}

abut_status ab_world_enter(const abut_world *world)
{
    return !world                                                    ? ABUT_INVALID_ARGUMENT
           : world->work.busy || world->work.detection.caller_driven ? ABUT_BUSY
                                                                     : ABUT_OK;
}

void ab_world_set_granularity(abut_world *world, ab_granularity granularity)
{
    world->work.granularity = granularity;
    world->cache.broad.granularity = granularity;
}

void ab_world_float_enter(abut_world *world)
{
    world->work.callers_floats = ab_platform_float_enter();
    world->work.own_floats = true;
}

void ab_world_float_leave(abut_world *world)
{
    world->work.own_floats = false;
    ab_platform_float_leave(world->work.callers_floats);
}

abut_status ab_fail(const abut_world *world, abut_status status, const char *call, uint32_t index, const char *sentence)
{
    if (!world->on_error)
    {
        return status;
    }
    abut_world *open = (abut_world *)world; // every world is in writable memory
    const bool own_floats = world->work.own_floats;
    if (own_floats)
    {
        ab_world_float_leave(open);
    }
    open->work.busy = true;
    world->on_error(world->on_error_context, status, call, index, sentence);
    open->work.busy = false;
    if (own_floats)
    {
        ab_world_float_enter(open);
    }
    return status;
}

// NULL, or what is wrong with a definition.
static const char *def_fault(const abut_world_def *def)
{
    if (!ab_size_valid(def->margin) || !ab_size_valid(def->recycle_distance) ||
        !ab_size_valid(def->speculative_distance))
    {
        return "the margin or a distance is negative or past the limit";
    }
    if ((unsigned)def->separations >= ABUT_SEPARATIONS_COUNT || (unsigned)def->broad >= ABUT_BROAD_COUNT ||
        (unsigned)def->isa >= ABUT_ISA_COUNT)
    {
        return "separations, broad or isa is unknown";
    }
    if (def->separations != ABUT_FOLLOWED && !(def->recycle_distance > 0.0f))
    {
        return "anchors need a recycle_distance";
    }
    if (def->dimension != 0 && def->dimension != 2 && def->dimension != 3)
    {
        return "the dimension is not 2 or 3";
    }
    return def->body_capacity <= ABUT_MAX_BODIES && def->threads <= ABUT_MAX_THREADS ? NULL
                                                                                     : "too many bodies or threads";
}

static abut_status open_world(abut_world *world, const abut_world_def *def)
{
    world->state.margin = def->margin;
    world->state.recycle_distance = def->recycle_distance;
    world->state.speculative_distance = def->speculative_distance;
    world->state.at_anchors = def->separations == ABUT_AT_ANCHORS;
    world->state.store.pool.follows = world->state.store.spare.follows = ab_world_follows(world);
    name_world(world);
    world->isa = def->isa == ABUT_ISA_AUTO ? abut_isa_best() : def->isa;
    world->state.is_2d = def->dimension == 2;
    world->kernels = ab_kernels_for(world->isa);
    world->table = world->state.is_2d ? world->kernels->table_2d : world->kernels->table;
    world->work.arena.memory = &world->memory;
    world->veto = def->veto;
    world->veto_context = def->veto_context;
    ab_pair_rules_open(&world->state.rules);
    world->cache.broad.memory = &world->memory;
    world->cache.broad.proxies = &world->cache.proxies;
    const abut_status status = ab_broad_open(&world->cache.broad, def->broad, world->isa);
    if (status != ABUT_OK)
    {
        return status;
    }
    ab_world_set_granularity(world, AB_GRANULARITY_DEFAULT);
    if (def->threads > 1)
    {
        world->pool = ab_pool_open(&world->memory, def->threads);
        if (!world->pool)
        {
            return ABUT_OUT_OF_MEMORY;
        }
    }
    return abut_world_reserve(world, def->body_capacity ? def->body_capacity : DEFAULT_CAPACITY, 0);
}

// Sets `out` only on success, else *sentence. Does not call on_error, because there is no world yet. Must not depend on the caller's
// floating-point environment.
static abut_status create(const abut_world_def *def, abut_world **out, const char **sentence)
{
    ab_memory memory;
    *sentence = def_fault(def);
    if (!*sentence && !ab_memory_open(&memory, &def->allocator))
    {
        *sentence = "a pointer is NULL";
    }
    if (*sentence)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (!abut_isa_available(def->isa))
    {
        *sentence = abut_status_text(ABUT_UNSUPPORTED);
        return ABUT_UNSUPPORTED;
    }
    *sentence = abut_status_text(ABUT_OUT_OF_MEMORY);
    abut_world *world = ab_memory_take(&memory, sizeof *world);
    if (!world)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    memset(world, 0, sizeof *world);
    world->memory = memory;
    const abut_status status = open_world(world, def);
    if (status != ABUT_OK)
    {
        abut_world_destroy(world);
        return status;
    }
    world->on_error = def->on_error;
    world->on_error_context = def->on_error_context;
    *out = world;
    return ABUT_OK;
}

abut_status abut_world_create(const abut_world_def *def, abut_world **out)
{
    static const abut_world_def defaults = { 0 };
    def = def ? def : &defaults;
    if (out)
    {
        *out = NULL;
    }
    const uint64_t floats = ab_platform_float_enter();
    const char *sentence = "a pointer is NULL";
    const abut_status status = out ? create(def, out, &sentence) : ABUT_INVALID_ARGUMENT;
    ab_platform_float_leave(floats);
    if (status != ABUT_OK && def->on_error)
    {
        def->on_error(def->on_error_context, status, "abut_world_create", 0, sentence);
    }
    return status;
}

#define FREE_BODY_(column)     arrfree(state->bodies.column);
#define FREE_COLLIDER_(column) arrfree(state->colliders.column);
#define FREE_LIST_(list)       arrfree(state->list);

static void close_state(ab_state *state)
{
    for (size_t slot = 0; slot < arrlenu(state->colliders.generation); ++slot)
    {
        if (state->colliders.generation[slot] != 0)
        {
            ab_shape_release(&state->colliders.shape[slot]);
        }
    }
    AB_BODY_COLUMNS(FREE_BODY_)
    AB_COLLIDER_COLUMNS(FREE_COLLIDER_)
    AB_STATE_LISTS(FREE_LIST_)
    ab_contact_store_close(&state->store);
    ab_sensors_close(&state->sensors);
    ab_pair_rules_close(&state->rules);
}

static void close_cache(ab_cache *cache)
{
    ab_broad_close(&cache->broad);
    ab_proxies_release(&cache->proxies);
    ab_cached_axis_index_close(&cache->cached);
    ab_anchoring_close(&cache->anchoring);
    arrfree(cache->packed.words);
    arrfree(cache->packed.geometries);
    arrfree(cache->packed.sorted);
    arrfree(cache->packed_static.words);
}

static void close_work(ab_work *work)
{
    ab_pair_pass_close(&work->sorting);
    ab_narrow_pass_close(&work->narrow);
    ab_packed_manifolds_close(&work->manifolds);
    arrfree(work->detection.progress);
    ab_arena_close(&work->arena);
}

void abut_world_destroy(abut_world *world)
{
    if (!world || world->work.busy || ab_detect_is_running(world))
    {
        return;
    }
    AB_TELL(world, .kind = AB_CHANGE_CLOSED);
    ab_pool_close(world->pool, &world->memory);
    close_work(&world->work);
    close_cache(&world->cache);
    close_state(&world->state);
    ab_memory memory = world->memory;
    ab_memory_give(&memory, world, sizeof *world);
}

abut_status abut_world_set_broad(abut_world *world, abut_broad_kind kind)
{
    static const char *const call = "abut_world_set_broad";
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if ((unsigned)kind >= ABUT_BROAD_COUNT)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "there is no such broad phase");
    }
    const abut_status status = ab_broad_change(&world->cache.broad, kind);
    return status == ABUT_OK ? ABUT_OK : ab_fail(world, status, call, 0, abut_status_text(status));
}

abut_broad_kind abut_world_broad(const abut_world *world)
{
    abut_broad_kind kind = ABUT_BROAD_AUTO;
    while (world && kind < ABUT_BROAD_COUNT - 1 && ab_broad_row_for(kind) != world->cache.broad.row)
    {
        ++kind;
    }
    return kind;
}

void ab_world_look_again(abut_world *world)
{
    for (uint32_t slot = 0; slot < arrlenu(world->state.bodies.generation); ++slot)
    {
        if (world->state.bodies.generation[slot] && ab_is_immobile(world->state.bodies.state[slot]))
        {
            ab_body_place(world, slot);
        }
    }
}

abut_status abut_world_set_collides(abut_world *world, abut_motion a, abut_motion b, bool collides)
{
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if ((unsigned)a >= ABUT_MOTION_COUNT || (unsigned)b >= ABUT_MOTION_COUNT)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, "abut_world_set_collides", 0, "there is no such motion kind");
    }
    // A detect skips pairs of immobile bodies: now all of them need a look once.
    const bool changed = world->state.rules.motions_collide[a][b] != collides;
    if (changed && !ab_places_reserve(world, world->state.colliders.live))
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, "abut_world_set_collides", 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    ab_pair_rules_set(&world->state.rules, a, b, collides);
    world->state.rules_edited = ab_next_detect(world);
    ab_world_unanchor(world, 1u << a | 1u << b);
    if (changed)
    {
        ab_world_look_again(world);
    }
    AB_WORLD_CHECK(world);
    AB_TELL(world, .kind = AB_CHANGE_COLLIDES, .a = (uint32_t)a, .b = (uint32_t)b, .bits = collides);
    return ABUT_OK;
}

bool abut_world_collides(const abut_world *world, abut_motion a, abut_motion b)
{
    return world && (unsigned)a < ABUT_MOTION_COUNT && (unsigned)b < ABUT_MOTION_COUNT &&
           world->state.rules.motions_collide[a][b];
}
