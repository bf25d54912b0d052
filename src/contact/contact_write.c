#include "contact/contact_write.h"

#include "base/platform.h"

#include <string.h>

// Patches asked for before they are needed: they lie in the order they were found, not in the sorted one.
#define AHEAD       32u
#define NAMES_AHEAD 8u // what a patch names can only be asked for once it is there

// What a solver kept at a point goes to the point of the same feature. Decided by selection for all points there might be:
// how many there are and which matches which cannot be foretold. There is room past the last point, and what is written there
// is overwritten or never looked at.
static void match_impulses(abut_impulse *impulses, const abut_point *points, const abut_impulse *before,
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

// Where the impulses of an old contact are, and its points.
typedef struct old_points
{
    const abut_impulse *impulses;
    const abut_point *points;
    uint32_t count;
} old_points;

static old_points points_before(const ab_contact_writing *w, uint32_t origin)
{
    if (origin & AB_FROM_RESTING)
    {
        const uint32_t slot = origin & ~AB_FROM_RESTING, first = AB_MAX_POINTS * slot;
        return (old_points){ &w->resting->impulses[first], &w->resting->points[first],
                             w->resting->contacts[slot].point_count };
    }
    const ab_results *before = &w->before;
    const uint32_t first = before->first_points[origin];
    return (old_points){ &before->impulses[first], &before->points[first], before->first_points[origin + 1] - first };
}

// The same by the words that tell the features of both; where there is no point any may be taken.
static void match_by_words(abut_impulse *impulses, uint64_t features, const abut_impulse *before,
                           uint64_t features_before)
{
    static const abut_impulse none = { 0 };
    const uint64_t ones = 0x0001000100010001u, tops = ones << 15;
    for (uint32_t i = 0; i < AB_MAX_POINTS; ++i)
    {
        const uint64_t differ = features_before ^ (features >> (16 * i) & 0xffffu) * ones;
        const uint64_t zero = (differ - ones) & ~differ & tops; // the lowest bit is right: where the same feature was
        const uint64_t place = (zero & (0 - zero)) >> 15;       // 1 << 16 times which of them, or 0
        const abut_impulse *same = &before[place * 0x0000000100020003u >> 48];
        same = zero != 0 ? same : &none;
        impulses[i] = *same;
    }
}

// Whole blocks of four are copied whatever the count: there is room past the last point, and no branch on how many. The old
// points are not looked at where words say which features they had: so it is nearly always.
static void carry_impulses(abut_impulse *impulses, const abut_point *points, uint64_t features,
                           const ab_contact_writing *w, uint32_t origin)
{
    const ab_results *before = &w->before;
    if (origin == ABUT_NONE)
    {
        memset(impulses, 0, AB_MAX_POINTS * sizeof *impulses);
        return;
    }
    if (origin & AB_FROM_RESTING || features == AB_FEATURES_LONG || before->features[origin] == AB_FEATURES_LONG)
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

// A manifold that was kept has the features and the impulses it had.
static uint64_t carry_all(abut_impulse *impulses, abut_point *points, const ab_results *before, uint32_t origin)
{
    const uint32_t first = before->first_points[origin];
    for (uint32_t i = 0; i < AB_MAX_POINTS; ++i)
    {
        points[i].feature = before->points[first + i].feature;
    }
    memcpy(impulses, &before->impulses[first], AB_MAX_POINTS * sizeof *impulses);
    return before->features[origin];
}

// Field by field into its place: put together elsewhere and copied, it would wait for its own stores.
static void describe(abut_contact *contact, const ab_patch *patch, uint32_t points, uint64_t key,
                     const ab_contact_names *names)
{
    const uint32_t slot_a = (uint32_t)(key >> 40), slot_b = (uint32_t)(key >> 16) & 0xffffffu;
    contact->a.slot = slot_a;
    contact->a.life = names->body_lives[slot_a];
    contact->b.slot = slot_b;
    contact->b.life = names->body_lives[slot_b];
    contact->collider_a.slot = patch->collider_a;
    contact->collider_a.life = names->collider_lives[patch->collider_a];
    contact->collider_b.slot = patch->collider_b;
    contact->collider_b.life = names->collider_lives[patch->collider_b];
    contact->normal.x = patch->normal[0];
    contact->normal.y = patch->normal[1];
    contact->normal.z = patch->normal[2];
    contact->separation = patch->separation;
    contact->child = 0;
    contact->point_count = (uint16_t)points;
    contact->flags = patch->separation <= names->margin ? 0 : ABUT_CONTACT_SPECULATIVE;
}

static inline uint32_t later(const ab_contact_order *order, uint32_t i, uint32_t by)
{
    const uint32_t last = order->count - 1;
    return i + by < last ? i + by : last;
}

// Asks for the patch of a later contact, its second line only where it has something on it, and for the lives of what will be named
// second: what is named first comes in order. Always inline: a call of what only prefetches is left out, as having no effect.
AB_INLINE void look_ahead(const ab_patch *patches, const ab_contact_order *order, const ab_contact_names *names,
                          uint32_t i)
{
    const uint32_t far = later(order, i, AHEAD), near = later(order, i, NAMES_AHEAD);
    const char *lines = (const char *)&patches[order->line[far]];
    AB_PREFETCH(lines);
    AB_PREFETCH(lines + (order->points[far] > AB_NEAR_POINTS ? AB_CACHE_LINE : 0));
    AB_PREFETCH(&names->body_lives[(uint32_t)(order->keys[far] >> 16) & 0xffffffu]);
    AB_PREFETCH(&names->collider_lives[patches[order->line[near]].collider_b]);
}

// Four points whatever their number: those that are not there are read from where it costs nothing.
static void copy_points(abut_point *to, const ab_patch *patch, uint32_t count)
{
    static const abut_point none[AB_MAX_POINTS - AB_NEAR_POINTS];
    const abut_point *far[2] = { none, patch[1].far };
    memcpy(to, patch[0].near, sizeof patch->near);
    memcpy(&to[AB_NEAR_POINTS], far[count > AB_NEAR_POINTS], sizeof none);
}

// Copies four points and what a contact takes over from the one it continues. Gives the features.
static uint64_t carry(abut_impulse *impulses, abut_point *points, const ab_patch *patch, uint32_t count,
                      const ab_contact_writing *w, uint32_t origin, bool kept)
{
    copy_points(points, patch, count);
    if (kept)
    {
        return carry_all(impulses, points, &w->before, origin);
    }
    const uint64_t features = ab_features_of(points, count);
    carry_impulses(impulses, points, features, w, origin);
    return features;
}

// Points and impulses of contact `i`, at `at`. `whole` says that four may be written whatever their number.
static void write_points(const ab_contact_writing *w, uint32_t i, uint32_t at, bool whole)
{
    const uint32_t line = w->order.line[i], count = w->order.points[i], origin = w->previous[i];
    const bool kept = line < w->kept_lines;
    if (AB_LIKELY(whole))
    {
        w->now.features[i] = carry(&w->now.impulses[at], &w->now.points[at], &w->lines[line], count, w, origin, kept);
        return;
    }
    abut_impulse impulses[AB_MAX_POINTS];
    abut_point points[AB_MAX_POINTS];
    w->now.features[i] = carry(impulses, points, &w->lines[line], count, w, origin, kept);
    memcpy(&w->now.points[at], points, count * sizeof *points);
    memcpy(&w->now.impulses[at], impulses, count * sizeof *impulses);
}

uint32_t ab_contacts_write(const ab_contact_writing *given, uint32_t first, uint32_t end, uint32_t first_point,
                           uint32_t most)
{
    const ab_contact_writing w = *given;
    uint32_t points = first_point, speculative = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        look_ahead(w.lines, &w.order, &w.names, i);
        const uint32_t origin = w.previous[i], count = w.order.points[i];
        abut_contact *contact = &w.now.contacts[i];
        describe(contact, &w.lines[w.order.line[i]], count, w.order.keys[i], &w.names);
        contact->first_point = w.now.first_points[i] = points;
        contact->previous = origin != ABUT_NONE && (origin & AB_FROM_RESTING) ? ABUT_NONE : origin;
        speculative += contact->flags & ABUT_CONTACT_SPECULATIVE;
        write_points(&w, i, points, points + AB_MAX_POINTS <= most);
        points += count;
    }
    return speculative;
}
