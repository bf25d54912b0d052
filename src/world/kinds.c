// Custom kinds of shape and custom pair functions, and calls to them with the world marked busy.
#include "base/array.h"
#include "narrow/pair_functions.h"
#include "world/journal.h"
#include "world/world.h"

// Without custom kinds there are no callbacks to guard.
static void set_busy(abut_world *world, bool busy)
{
    if (world->state.kind_set.count)
    {
        world->work.busy = busy;
    }
}

const char *ab_world_shape_objection(abut_world *world, const abut_shape *shape)
{
    set_busy(world, true);
    const char *objection = ab_shape_objection(&world->state.kind_set, shape);
    set_busy(world, false);
    return objection;
}

ab_proxy_def ab_world_describe(abut_world *world, uint32_t slot)
{
    set_busy(world, true);
    const ab_proxy_def description = ab_collider_describe(world, slot);
    set_busy(world, false);
    return description;
}

abut_status abut_world_register_kind(abut_world *world, const abut_kind_def *def, uint32_t *id)
{
    static const char *const call = "abut_world_register_kind";
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!def || !id)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    const char *objection = ab_kind_objection(def);
    if (objection)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, objection);
    }
    const size_t count = arrlenu(world->state.kinds);
    if (count == ABUT_MAX_KINDS)
    {
        return ab_fail(world, ABUT_LIMIT, call, 0, "the world has as many kinds as it can");
    }
    if (!ab_array_resize(world->state.kinds, &world->memory, count + 1))
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, call, 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    world->state.kinds[count] = *def;
    world->state.kind_set = (ab_kind_set){ world->state.kinds, (uint32_t)count + 1 };
    *id = ABUT_FIRST_KIND + (uint32_t)count;
    AB_TELL(world, .kind = AB_CHANGE_KIND);
    return ABUT_OK;
}

abut_status abut_world_kind(const abut_world *world, uint32_t id, abut_kind_def *out)
{
    static const char *const call = "abut_world_kind";
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    const abut_kind_def *def = ab_kind_find(&world->state.kind_set, id);
    if (!def || !out)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, out ? "no kind has that id" : "a pointer is NULL");
    }
    *out = *def;
    return ABUT_OK;
}

// Whether shapes of the world may have this kind.
static bool kind_known(const abut_world *world, uint32_t kind)
{
    return ab_kind_find(&world->state.kind_set, kind) ||
           (kind > ABUT_SHAPE_NONE && kind < ABUT_SHAPE_KIND_COUNT && kind != ABUT_CUSTOM);
}

static void remove_function(abut_world *world, uint32_t at)
{
    const size_t count = arrlenu(world->state.functions);
    for (size_t i = at; i + 1 < count; ++i)
    {
        world->state.functions[i] = world->state.functions[i + 1];
    }
    ab_array_set_length(world->state.functions, count - 1);
}

// Cannot fail.
static void insert_function(abut_world *world, uint32_t at, const ab_pair_function *function)
{
    const size_t count = arrlenu(world->state.functions);
    ab_array_set_length(world->state.functions, count + 1);
    for (size_t i = count; i > at; --i)
    {
        world->state.functions[i] = world->state.functions[i - 1];
    }
    world->state.functions[at] = *function;
}

// Refreshes the view that kernels read; call whenever the array may have moved.
static void show_functions(abut_world *world)
{
    world->state.function_set =
        (ab_pair_functions){ world->state.functions, (uint32_t)arrlenu(world->state.functions) };
}

static void put_function(abut_world *world, const ab_pair_function *function)
{
    const uint32_t at = ab_pair_function_index(&world->state.function_set, function->key);
    const bool there = at < world->state.function_set.count && world->state.functions[at].key == function->key;
    if (there && function->call)
    {
        world->state.functions[at] = *function;
    }
    else if (there)
    {
        remove_function(world, at);
    }
    else if (function->call)
    {
        insert_function(world, at, function);
    }
    show_functions(world);
}

static bool has_parts(uint32_t kind)
{
    const ab_shape_row *row = kind < ABUT_FIRST_KIND ? ab_shape_row_for((abut_shape_kind)kind) : NULL;
    return row && row->parts;
}

abut_status abut_world_set_pair_function(abut_world *world, uint32_t kind_a, uint32_t kind_b,
                                         abut_pair_function *function, void *context)
{
    static const char *const call = "abut_world_set_pair_function";
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!kind_known(world, kind_a) || !kind_known(world, kind_b))
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "there is no such kind of shape");
    }
    if (kind_a < ABUT_FIRST_KIND && kind_b < ABUT_FIRST_KIND)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "neither kind is of the caller's own");
    }
    if (AB_HAS_CHILDREN && (has_parts(kind_a) || has_parts(kind_b)))
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0,
                       "meshes, compounds and chains collide part by part, without pair functions of their own");
    }
    const bool room = ab_array_reserve(world->state.functions, &world->memory, arrlenu(world->state.functions) + 1);
    show_functions(world);
    if (!room || !ab_places_reserve(world, world->state.colliders.live))
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, call, 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    const ab_pair_function put = { ab_pair_function_key(kind_a, kind_b), kind_a > kind_b, function, context };
    put_function(world, &put);
    ab_world_look_again(world); // sleeping contacts come from the old function
    ab_world_unanchor(world, ~0u);
    AB_WORLD_CHECK(world);
    AB_TELL(world, .kind = AB_CHANGE_PAIR_FUNCTION, .a = kind_a, .b = kind_b, .bits = function != NULL);
    return ABUT_OK;
}
