// Writes contacts, points and impulses from sorted manifolds or reused ones. Copies four points whatever their count
// and prefetches ahead: branches on counts mispredict, and manifolds lie in the order the narrow phase found them.
#include "contact/contact_write.h"

#include "base/platform.h"
#include "math/words.h"

#include <string.h>

// How many contacts ahead each prefetch runs. Manifolds lie in the order found, not in sorted order.
#define AHEAD           (AB_ORDER_AHEAD - 1)
#define COLLIDERS_AHEAD 16u // a manifold must be in cache before the colliders that it names can be prefetched
#define NAMES_AHEAD     8u
#define WRITTEN_AHEAD   16u

// Copies impulses between points of equal features. Selects without branches over all AB_MAX_POINTS, because counts and
// matches are unpredictable. Padding follows the last point; what is written there is overwritten or never read.
static AB_APART void match_impulses(abut_impulse *impulses, const abut_point *points, const abut_impulse *before,
                                    const abut_point *points_before, uint32_t count_before)
{
    static const abut_impulse none = { 0 };
    for (uint32_t i = 0; i < AB_MAX_POINTS; ++i)
    {
        const abut_impulse *same = &none;
        for (uint32_t j = 0; j < AB_MAX_POINTS; ++j)
        {
            const bool matches = (j < count_before) & (points_before[j].feature == points[i].feature);
            same = matches ? &before[j] : same;
        }
        impulses[i] = *same;
    }
}

// The impulses and points of an old contact.
typedef struct old_points
{
    const abut_impulse *impulses;
    const abut_point *points;
    uint32_t count;
} old_points;

static old_points points_before(const ab_contact_writing *w, uint32_t origin)
{
    if (origin & AB_FROM_ASLEEP)
    {
        const size_t slot = origin & ~AB_FROM_ASLEEP, first = AB_MAX_POINTS * slot;
        return (old_points){ &w->asleep->impulses[first], &w->asleep->points[first],
                             w->asleep->contacts[slot].point_count };
    }
    const ab_results *before = &w->before;
    const uint32_t first = before->first_points[origin];
    return (old_points){ &before->impulses[first], &before->points[first], before->first_points[origin + 1] - first };
}

// The same by feature words. Where there is no point, any impulse will do.
static void match_by_words(abut_impulse *impulses, uint64_t features, const abut_impulse *before,
                           uint64_t features_before)
{
    // by the mask of matching features: the byte offset of the first match in `choices`, or of the zeros behind it
    static const uint8_t first[16] = { 64, 0, 16, 0, 32, 0, 16, 0, 48, 0, 16, 0, 32, 0, 16, 0 };
    abut_impulse choices[AB_MAX_POINTS + 1] = { 0 }; // the last is all zeros
    memcpy(choices, before, AB_MAX_POINTS * sizeof *before);
    const uint32_t equal = ab_words_equal(features, features_before);
    for (uint32_t i = 0; i < AB_MAX_POINTS; ++i)
    {
        memcpy(&impulses[i], (const char *)choices + first[equal >> 4 * i & 15u], sizeof *impulses);
    }
}

// Copies four impulses whatever the count, without a branch: padding follows the last point. Reads the old points only
// if features do not fit a word, which is rare.
AB_INLINE void carry_impulses(abut_impulse *impulses, const abut_point *points, uint64_t features,
                              const ab_contact_writing *w, uint32_t origin)
{
    const ab_results *before = &w->before;
    if (origin == ABUT_NONE)
    {
        memset(impulses, 0, AB_MAX_POINTS * sizeof *impulses);
        return;
    }
    if (origin & AB_FROM_ASLEEP || features == AB_FEATURES_LONG || before->features[origin] == AB_FEATURES_LONG)
    {
        const old_points old = points_before(w, origin);
        match_impulses(impulses, points, old.impulses, old.points, old.count);
        return;
    }
    const abut_impulse *old = &before->impulses[before->first_points[origin]];
    if (AB_LIKELY(features == before->features[origin]))
    {
        memcpy(impulses, old, AB_MAX_POINTS * sizeof *impulses);
        return;
    }
    match_by_words(impulses, features, old, before->features[origin]);
}

// Writes members in place: assembling the contact on the stack and copying it stalls on store forwarding.
AB_INLINE void describe(abut_contact *contact, uint32_t collider_a, uint32_t collider_b, uint32_t points,
                        const ab_contact_names *names)
{
    const ab_contact_name *name_a = &names->name[collider_a], *name_b = &names->name[collider_b];
    contact->a = name_a->body;
    contact->b = name_b->body;
    contact->collider_a = name_a->collider;
    contact->collider_b = name_b->collider;
    contact->child = 0;
    contact->point_count = (uint16_t)points;
}

// Prefetches for later contacts, each step once its input has arrived: the manifold (its second cache line only if it
// has far points), the second collider (the first comes in order), and the second collider's name. Always inline: the
// compiler drops calls to a function that only prefetches, because it has no effect.
AB_INLINE void look_ahead(const ab_packed_manifold *manifolds, const ab_contact_order *order,
                          const ab_contact_names *names, uint32_t i)
{
    const uint32_t *const colliders = names->proxies->collider;
    const uint32_t far = i + AHEAD, middle = order->line[i + COLLIDERS_AHEAD], near = order->line[i + NAMES_AHEAD];
    const char *lines = (const char *)manifolds + (size_t)AB_CACHE_LINE * order->line[far];
    AB_PREFETCH(lines);
    AB_PREFETCH(lines + (order->points[far] > AB_NEAR_POINTS) * AB_CACHE_LINE);
    AB_PREFETCH(&colliders[manifolds[middle].proxy_b]);
    AB_PREFETCH(&names->name[colliders[manifolds[near].proxy_b]]);
}

// The same where later contacts may be reused: prefetches the packed or the refreshed manifold.
AB_INLINE void look_ahead_of_either(const ab_contact_writing *w, const ab_refreshed *made, uint32_t i)
{
    const uint32_t far = w->order.line[i + AHEAD];
    const bool kept = (far & AB_KEPT_LINE) != 0;
    const bool more = kept | (w->order.points[i + AHEAD] > AB_NEAR_POINTS);
    const char *const first = kept ? (const char *)made : (const char *)w->lines;
    const size_t lines = (size_t)(far & ~AB_KEPT_LINE) * (kept ? sizeof *made : sizeof *w->lines);
    AB_PREFETCH_AT(first, lines);
    AB_PREFETCH_AT(first, lines + more * AB_CACHE_LINE);
}

// Prefetches old impulses for a later contact, assuming four points for each contact in between.
AB_INLINE void look_ahead_of_impulses(const ab_results *before, uint32_t first)
{
    AB_PREFETCH_AT(before->impulses, first + (size_t)WRITTEN_AHEAD * AB_MAX_POINTS);
}

// Prefetches where later contacts will be written: the stores miss the cache otherwise.
AB_INLINE void make_way(const ab_results *now, uint32_t contact, uint32_t point)
{
    const size_t points = point + (size_t)WRITTEN_AHEAD * AB_MAX_POINTS;
    AB_PREFETCH_TO_AT(now->contacts, contact + (size_t)WRITTEN_AHEAD);
    AB_PREFETCH_TO_AT(now->points, points);
    AB_PREFETCH_TO_AT(now->points, points + AB_MAX_POINTS - 1);
    AB_PREFETCH_TO_AT(now->impulses, points);
}

static AB_APART void set_long_features(abut_point *points, const ab_packed_manifold *packed, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        points[i].feature = packed[1].long_features[i];
    }
}

// Copies four points whatever their count; missing ones read memory that is in cache. Returns the features.
AB_INLINE uint64_t copy_points(abut_point *to, const ab_packed_manifold *packed, uint32_t count)
{
    const ab_point_geometry *const last = count > AB_NEAR_POINTS ? packed[1].far : packed[0].near;
    const uint64_t features = ab_packed_manifold_features(packed);
    memcpy(&to[0], &packed->near[0], sizeof *last);
    memcpy(&to[1], &packed->near[1], sizeof *last);
    memcpy(&to[2], &last[0], sizeof *last);
    memcpy(&to[3], &last[1], sizeof *last);
    for (uint32_t i = 0; i < AB_MAX_POINTS; ++i)
    {
        to[i].feature = (uint32_t)(features >> 16 * i) & 0xffffu;
    }
    if (!AB_LIKELY(features != AB_FEATURES_LONG))
    {
        set_long_features(to, packed, count);
    }
    return features;
}

// Copies four points, and the impulses of the contact's predecessor. Returns the features.
AB_INLINE uint64_t carry(abut_impulse *impulses, abut_point *points, const ab_packed_manifold *packed, uint32_t count,
                         const ab_contact_writing *w, uint32_t origin)
{
    const uint64_t features = copy_points(points, packed, count);
    carry_impulses(impulses, points, features, w, origin);
    return features;
}

// The same for a reused manifold: refreshed points with their old features and impulses.
AB_INLINE uint64_t carry_kept(abut_impulse *impulses, abut_point *points, const ab_refreshed *now,
                              const ab_results *before, uint32_t origin)
{
    const uint32_t first = before->first_points[origin];
    const uint64_t features = before->features[origin];
    memcpy(impulses, &before->impulses[first], AB_MAX_POINTS * sizeof *impulses);
    for (uint32_t i = 0; i < AB_MAX_POINTS; ++i)
    {
        memcpy(&points[i], &now->point[i], sizeof now->point[i]);
        points[i].feature = (uint32_t)(features >> 16 * i) & 0xffffu;
    }
    for (uint32_t i = 0; features == AB_FEATURES_LONG && i < AB_MAX_POINTS; ++i)
    {
        points[i].feature = before->points[first + i].feature;
    }
    return features;
}

// The points and impulses of contact `i`, from its reused manifold (`kept`) or its packed one.
AB_INLINE uint64_t carry_either(abut_impulse *impulses, abut_point *points, const ab_contact_writing *w, uint32_t i,
                                const ab_refreshed *kept)
{
    const uint32_t origin = w->previous[i];
    return kept ? carry_kept(impulses, points, kept, &w->before, origin)
                : carry(impulses, points, &w->lines[w->order.line[i]], w->order.points[i], w, origin);
}

// Writes them in place, four whatever their count, but nothing at index `most` or past it.
AB_INLINE void write_points(const ab_contact_writing *w, uint32_t i, uint32_t at, const ab_refreshed *kept,
                            uint32_t most)
{
    abut_impulse last_impulses[AB_MAX_POINTS];
    abut_point last_points[AB_MAX_POINTS];
    const bool fit = at + AB_MAX_POINTS <= most;
    abut_impulse *const impulses = fit ? &w->now.impulses[at] : last_impulses;
    abut_point *const points = fit ? &w->now.points[at] : last_points;
    w->now.features[i] = carry_either(impulses, points, w, i, kept);
    if (!AB_LIKELY(fit))
    {
        memcpy(&w->now.points[at], points, w->order.points[i] * sizeof *points);
        memcpy(&w->now.impulses[at], impulses, w->order.points[i] * sizeof *impulses);
    }
}

AB_INLINE void set_head(abut_contact *contact, const float normal[3], float separation, uint32_t flags)
{
    memcpy(&contact->normal, normal, sizeof contact->normal);
    contact->separation = separation;
    contact->flags = (uint16_t)flags;
}

// Describes contact `i` from its packed manifold.
AB_INLINE void describe_manifold(const ab_contact_writing *w, uint32_t i, ab_contacts_written *written)
{
    const ab_packed_manifold *packed = &w->lines[w->order.line[i]];
    abut_contact *contact = &w->now.contacts[i];
    const uint32_t speculative = packed->separation <= w->names.margin ? 0 : ABUT_CONTACT_SPECULATIVE;
    const uint32_t *const colliders = w->names.proxies->collider;
    const uint32_t collider_a = colliders[packed->proxy_a], collider_b = colliders[packed->proxy_b];
    describe(contact, collider_a, collider_b, w->order.points[i], &w->names);
    set_head(contact, packed->normal, packed->separation, speculative);
    written->speculative += speculative;
    if (w->recycling)
    {
        const ab_proxies *proxies = w->names.proxies;
        const uint32_t flags_a = proxies->proxy_flags[packed->proxy_a], flags_b = proxies->proxy_flags[packed->proxy_b];
        const bool wanted = ab_recycles(w->names.table, flags_a, flags_b);
        w->now.anchored[i] = (ab_contact_anchor){ wanted ? AB_WANTED : ABUT_NONE, collider_a, collider_b };
        written->wanted += wanted;
    }
}

// Describes contact `i` from its reused manifold.
AB_INLINE void describe_kept(const ab_contact_writing *w, uint32_t i, uint32_t origin, const ab_refreshed *kept)
{
    const ab_contact_anchor *anchored = &w->before.anchored[origin];
    abut_contact *contact = &w->now.contacts[i];
    describe(contact, anchored->collider_a, anchored->collider_b, w->order.points[i], &w->names);
    set_head(contact, kept->normal, kept->separation, ABUT_CONTACT_RECYCLED);
    contact->previous = origin;
    w->now.anchored[i] = *anchored;
}

// Writes reused contacts from `i` on and stops before `end` or at the first that is not reused; returns where. *points
// is the index of the next point. Runs may be short, so `w` is not copied; restrict says that no store changes it.
static AB_APART uint32_t write_kept(const ab_contact_writing *restrict w, uint32_t i, uint32_t end, uint32_t *points,
                                    uint32_t most)
{
    const ab_refreshed *const made = w->recycling->out.made;
    uint32_t at = *points;
    for (; i < end && (w->order.line[i] & AB_KEPT_LINE) != 0; ++i)
    {
        const uint32_t origin = w->order.line[i] & ~AB_KEPT_LINE;
        make_way(&w->now, i, at);
        look_ahead_of_either(w, made, i);
        look_ahead_of_impulses(&w->before, w->before.first_points[origin]);
        describe_kept(w, i, origin, &made[origin]);
        w->now.contacts[i].first_point = w->now.first_points[i] = at;
        write_points(w, i, at, &made[origin], most);
        at += w->order.points[i];
    }
    *points = at;
    return i;
}

ab_contacts_written ab_contacts_write(const ab_contact_writing *given, uint32_t first, uint32_t end,
                                      uint32_t first_point, uint32_t most)
{
    const ab_contact_writing w = *given;
    ab_contacts_written written = { 0 };
    uint32_t points = first_point;
    for (uint32_t i = first; i < end; ++i)
    {
        if (w.order.line[i] & AB_KEPT_LINE)
        {
            i = write_kept(given, i, end, &points, most) - 1;
            continue;
        }
        if (w.recycling)
        {
            look_ahead_of_either(&w, w.recycling->out.made, i);
        }
        else
        {
            look_ahead(w.lines, &w.order, &w.names, i);
        }
        make_way(&w.now, i, points);
        describe_manifold(&w, i, &written);
        const uint32_t origin = w.previous[i];
        abut_contact *contact = &w.now.contacts[i];
        contact->first_point = w.now.first_points[i] = points;
        contact->previous = origin != ABUT_NONE && (origin & AB_FROM_ASLEEP) ? ABUT_NONE : origin;
        write_points(&w, i, points, NULL, most);
        points += w.order.points[i];
    }
    for (uint32_t i = first; AB_HAS_CHILDREN && w.order.child && i < end; ++i)
    {
        w.now.contacts[i].child = w.order.child[i];
    }
    return written;
}
