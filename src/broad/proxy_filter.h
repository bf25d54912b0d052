// The collision filter of the broad phase: which proxies collide by filter, sensor flag, motion kind and body. Exact
// for two proxies, but for exclusions; conservative for nodes, which unite the categories, masks and motions of all
// proxies below them and know a negative group or a body that is that of all of them.
#ifndef AB_PROXY_FILTER_H
#define AB_PROXY_FILTER_H

#include "bounds/proxies.h"

#include <abut/world.h>

#define AB_MOTION_SENSOR 4u   // added to a sensor's motion kind
#define AB_MOTION_SETS   256u // sets of such motions, a bit each

// Without `collides` no pair can be dropped.
typedef struct ab_proxy_filters
{
    const abut_filter *filters; // by collider slot, defaults filled in
    const uint8_t *collides;    // by set of motions: the set that any of them collides with
    bool drops;                 // trees unite filters, and pairs that do not collide are dropped
} ab_proxy_filters;

// All zeros: no proxy.
typedef struct ab_filter_union
{
    uint32_t category, mask, motions;
    int32_t group; // negative: that of all; else zero
    uint32_t body; // the slot of all; ABUT_NONE: of several
} ab_filter_union;

static inline bool ab_same_filter(const abut_filter *a, const abut_filter *b)
{
    return a->category == b->category && a->mask == b->mask && a->group == b->group;
}

// Whether two filters, both with defaults filled in, let their colliders collide.
static inline bool ab_filters_collide(const abut_filter *a, const abut_filter *b)
{
    if (a->group != 0 && a->group == b->group)
    {
        return a->group > 0;
    }
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

// The set of the one motion in these flags.
static inline uint32_t ab_motion_set(uint32_t proxy_flags)
{
    return 1u << ((proxy_flags & 3u) | (proxy_flags & AB_PROXY_SENSOR ? AB_MOTION_SENSOR : 0u));
}

// A positive group overrides categories and masks, so it counts as all of them.
static inline ab_filter_union ab_filter_of_proxy(const ab_proxy_filters *with, const ab_proxies *proxies,
                                                 uint32_t proxy)
{
    const uint32_t proxy_flags = proxies->proxy_flags[proxy];
    ab_filter_union u = { 1u, UINT32_MAX, ab_motion_set(proxy_flags), 0, proxies->collider_key[proxy] >> 8 };
    if (proxy_flags & AB_PROXY_DEAD)
    {
        return (ab_filter_union){ 0 };
    }
    if (proxy_flags & AB_PROXY_FILTERED)
    {
        const abut_filter *own = &with->filters[proxies->collider[proxy]];
        u.category = own->group > 0 ? UINT32_MAX : own->category;
        u.mask = own->group > 0 ? UINT32_MAX : own->mask;
        u.group = own->group < 0 ? own->group : 0;
    }
    return u;
}

static inline void ab_filter_unite(ab_filter_union *all, const ab_filter_union *more)
{
    const bool first = all->motions == 0, same = more->motions == 0;
    all->group = first ? more->group : same || all->group == more->group ? all->group : 0;
    all->body = first ? more->body : same || all->body == more->body ? all->body : ABUT_NONE;
    all->category |= more->category;
    all->mask |= more->mask;
    all->motions |= more->motions;
}

// False: no proxy of one collides with a proxy of the other.
static inline bool ab_unions_collide(const ab_proxy_filters *with, const ab_filter_union *a, const ab_filter_union *b)
{
    return ((a->category & b->mask) != 0) & ((b->category & a->mask) != 0) &
           ((with->collides[a->motions] & b->motions) != 0) & ((a->group == 0) | (a->group != b->group)) &
           ((a->body == ABUT_NONE) | (a->body != b->body));
}

// Exact, but for exclusions.
static inline bool ab_proxies_collide(const ab_proxy_filters *with, const ab_proxies *proxies, uint32_t a, uint32_t b)
{
    const uint32_t flags_a = proxies->proxy_flags[a], flags_b = proxies->proxy_flags[b];
    const bool motions_collide = (with->collides[ab_motion_set(flags_a)] & ab_motion_set(flags_b)) != 0;
    if (!motions_collide || proxies->collider_key[a] >> 8 == proxies->collider_key[b] >> 8)
    {
        return false;
    }
    static const abut_filter by_default = { .category = 1, .mask = UINT32_MAX };
    const abut_filter *own_a = flags_a & AB_PROXY_FILTERED ? &with->filters[proxies->collider[a]] : &by_default;
    const abut_filter *own_b = flags_b & AB_PROXY_FILTERED ? &with->filters[proxies->collider[b]] : &by_default;
    return ab_filters_collide(own_a, own_b);
}

#endif
