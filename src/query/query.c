// Entry checks of queries, and their filter.
#include "query/query.h"

#include "base/array.h"

const char *ab_query_filter_accept(ab_query_filter *out, const abut_query_filter *filter)
{
    const uint32_t all_flags =
        ABUT_QUERY_SENSORS | ABUT_QUERY_HOLLOW | ABUT_QUERY_SKIP_INSIDE | ABUT_QUERY_ONE_PER_BODY;
    const uint32_t all_motions = (1u << ABUT_MOTION_COUNT) - 1u;
    const abut_query_filter given = filter ? *filter : (abut_query_filter){ 0 };
    *out = (ab_query_filter){
        .category = given.category ? given.category : 1u,
        .mask = given.mask ? given.mask : UINT32_MAX,
        .motions = given.motions ? given.motions : all_motions,
        .flags = given.flags,
        .ignore = given.ignore,
        .ignore_count = given.ignore_count,
    };
    out->whole = (out->mask & 1u) != 0 && out->motions == all_motions && out->ignore_count == 0;
    if (given.flags & ~all_flags)
    {
        return "the filter's flags hold a bit that means nothing";
    }
    if (given.motions & ~all_motions)
    {
        return "the filter's motions hold a bit that means nothing";
    }
    return given.ignore_count > 0 && !given.ignore ? "a pointer is NULL" : NULL;
}

static bool is_ignored(const abut_world *world, const ab_query_filter *filter, uint32_t body)
{
    const uint32_t generation = world->bodies.generation[body];
    for (uint32_t i = 0; i < filter->ignore_count; ++i)
    {
        if (filter->ignore[i].slot == body && filter->ignore[i].generation == generation)
        {
            return true;
        }
    }
    return false;
}

bool ab_query_wants(const abut_world *world, const ab_query_filter *filter, uint32_t proxy)
{
    const ab_proxies *proxies = &world->proxies;
    const uint32_t flags = proxies->proxy_flags[proxy];
    if ((flags & AB_PROXY_SENSOR) && !(filter->flags & ABUT_QUERY_SENSORS))
    {
        return false;
    }
    if (filter->whole && !(flags & AB_PROXY_FILTERED))
    {
        return true;
    }
    const abut_filter *own = &world->colliders.filter[proxies->collider[proxy]];
    return (filter->motions >> (flags & AB_STATE_MOTION) & 1u) != 0 && (own->mask & filter->category) != 0 &&
           (own->category & filter->mask) != 0 && !is_ignored(world, filter, proxies->collider_key[proxy] >> 8);
}

abut_status ab_query_fail(const abut_world *world, abut_status status, const char *call, uint32_t index,
                          const char *sentence)
{
    if (world->on_error)
    {
        world->on_error(world->on_error_context, status, call, index, sentence);
    }
    return status;
}

ab_query_index ab_query_index_of(const abut_world *world)
{
    return (ab_query_index){
        .tree = { ab_broad_tree(&world->broad, AB_ACTIVE), ab_broad_tree(&world->broad, AB_STATIC_SET) },
        .cast = ab_cast_kernel_for(world->isa),
        .node_width = world->node_width,
    };
}
