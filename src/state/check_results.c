// Checks the results in an image: contacts, the caches of pairs, events and impacts.
#include "state/state.h"

#include "contact/sensors.h"
#include "pairs/pair_index.h"

#include <math.h>

ab_contact_name ab_saved_name(const ab_image *image, uint32_t collider)
{
    const ab_saved_settings *s = AB_SAVED(image, SETTINGS, ab_saved_settings);
    const ab_saved_collider *of = &AB_SAVED(image, COLLIDERS, ab_saved_collider)[collider];
    const uint32_t body = of->collider_key >> 8, first = s->first_generation >> AB_GENERATION_SHIFT;
    const uint32_t body_uses = AB_SAVED(image, BODIES, ab_saved_body)[body].uses;
    return (ab_contact_name){
        { body, (body_uses + first) << AB_GENERATION_SHIFT | s->tag },
        { collider, (of->uses + first) << AB_GENERATION_SHIFT | s->tag },
    };
}

static bool is_named(const ab_image *image, const ab_image_scratch *scratch, uint32_t collider)
{
    if (collider >= AB_SAVED_COUNT(image, COLLIDERS))
    {
        return false;
    }
    const unsigned mark = scratch->collider[collider] & AB_SLOT_MASK;
    return mark == AB_SLOT_LIVE || mark == AB_SLOT_RETIRED;
}

static bool is_finite(float value)
{
    return fabsf(value) <= 4.0f * ABUT_MAX_MAGNITUDE;
}

static bool points_fit(const abut_point *points, uint32_t count)
{
    bool fit = true;
    for (uint32_t i = 0; i < count; ++i)
    {
        fit = fit && is_finite(points[i].offset.x) && is_finite(points[i].offset.y) && is_finite(points[i].offset.z) &&
              is_finite(points[i].separation);
    }
    return fit;
}

// Contacts, points and impulses have adjacent sections. `anchors` is how many contacts may have one.
static bool contacts_fit(const ab_image *image, const ab_image_scratch *scratch, ab_section_id first, uint64_t anchors)
{
    const ab_saved_contact *contacts = image->section[first].data;
    const abut_point *points = image->section[first + 1].data;
    const uint64_t count = image->section[first].count, point_count = image->section[first + 1].count;
    uint64_t before = 0, used = 0, anchored = 0;
    if (image->section[first + 2].count != point_count || count > UINT32_MAX - 1u || point_count > UINT32_MAX - 1u)
    {
        return false;
    }
    for (uint64_t i = 0; i < count; ++i)
    {
        const ab_saved_contact *c = &contacts[i];
        const uint32_t own = c->packed & 0xffu, flags = c->packed >> 16;
        if (!is_named(image, scratch, c->collider_a) || !is_named(image, scratch, c->collider_b) || own < 1 ||
            own > AB_MAX_POINTS || used + own > point_count || (c->packed & 0xfe00u) != 0 ||
            (flags & ~(uint32_t)(ABUT_CONTACT_SPECULATIVE | ABUT_CONTACT_RECYCLED)) != 0 ||
            !points_fit(&points[used], own) || !is_finite(c->separation) || !is_finite(c->normal[0]) ||
            !is_finite(c->normal[1]) || !is_finite(c->normal[2]))
        {
            return false;
        }
        const uint32_t key_a = ab_saved_key(image, c->collider_a), key_b = ab_saved_key(image, c->collider_b);
        const uint64_t key = ab_pair_key(key_a, key_b);
        const bool follows = i == 0 || key > before || (AB_HAS_CHILDREN && key == before && c->child > c[-1].child);
        if (key_a >> 8 >= key_b >> 8 || !follows || c->child >= 1u << (32 - AB_CHILD_SHIFT))
        {
            return false;
        }
        before = key;
        used += own;
        anchored += c->packed >> 8 & 1u;
    }
    return used == point_count && anchored == anchors;
}

static uint64_t key_of_contact(const ab_image *image, const ab_saved_contact *contact)
{
    return ab_pair_key(ab_saved_key(image, contact->collider_a), ab_saved_key(image, contact->collider_b));
}

// No contact is in both sets.
static bool sets_are_disjoint(const ab_image *image)
{
    const ab_saved_contact *awake = AB_SAVED(image, CONTACTS, ab_saved_contact);
    const ab_saved_contact *asleep = AB_SAVED(image, ASLEEP_CONTACTS, ab_saved_contact);
    uint32_t i = 0, k = 0;
    while (i < AB_SAVED_COUNT(image, CONTACTS) && k < AB_SAVED_COUNT(image, ASLEEP_CONTACTS))
    {
        const uint64_t key = key_of_contact(image, &awake[i]), other = key_of_contact(image, &asleep[k]);
        if (key == other)
        {
            return false;
        }
        i += key < other;
        k += other < key;
    }
    return true;
}

static uint64_t key_of_pair(const ab_image *image, const ab_saved_pair *pair, bool sensors)
{
    const uint32_t key_a = ab_saved_key(image, pair->collider_a), key_b = ab_saved_key(image, pair->collider_b);
    return sensors ? ab_sensor_key(key_a, key_b) : ab_pair_key(key_a, key_b);
}

static bool pairs_fit(const ab_image *image, const ab_image_scratch *scratch, ab_section_id id, bool sensors)
{
    const ab_saved_pair *pairs = image->section[id].data;
    uint64_t before = 0;
    for (uint64_t i = 0; i < image->section[id].count; ++i)
    {
        if (i == UINT32_MAX - 1u || !is_named(image, scratch, pairs[i].collider_a) ||
            !is_named(image, scratch, pairs[i].collider_b))
        {
            return false;
        }
        const uint64_t key = key_of_pair(image, &pairs[i], sensors);
        const uint32_t body_a = ab_saved_key(image, pairs[i].collider_a) >> 8,
                       body_b = ab_saved_key(image, pairs[i].collider_b) >> 8;
        if (body_a == body_b || (!sensors && body_a > body_b) || (i > 0 && key <= before))
        {
            return false;
        }
        before = key;
    }
    return true;
}

// A cache is two lists, found and asleep, that share no pair.
static bool caches_fit(const ab_image *image, const ab_image_scratch *scratch, ab_section_id id, bool sensors)
{
    if (!pairs_fit(image, scratch, id, sensors) || !pairs_fit(image, scratch, id + 1, sensors))
    {
        return false;
    }
    const ab_saved_pair *found = image->section[id].data, *asleep = image->section[id + 1].data;
    uint64_t i = 0, k = 0;
    while (i < image->section[id].count && k < image->section[id + 1].count)
    {
        const uint64_t key = key_of_pair(image, &found[i], sensors), other = key_of_pair(image, &asleep[k], sensors);
        if (key == other)
        {
            return false;
        }
        i += key < other;
        k += other < key;
    }
    return true;
}

static bool events_fit(const ab_image *image, ab_section_id id)
{
    const ab_saved_event *events = image->section[id].data;
    for (uint64_t i = 0; i < image->section[id].count; ++i)
    {
        if ((events[i].flags & ~(uint32_t)(ABUT_EVENT_FIRST | ABUT_EVENT_LAST)) != 0 || events[i].reserved != 0)
        {
            return false;
        }
    }
    return image->section[id].count < UINT32_MAX;
}

static bool impacts_fit(const ab_image *image, ab_section_id id)
{
    const ab_saved_impact *impacts = image->section[id].data;
    for (uint64_t i = 0; i < image->section[id].count; ++i)
    {
        if (impacts[i].hit > 1 || (impacts[i].flags & ~(uint32_t)(ABUT_IMPACT_INITIAL | ABUT_IMPACT_BOUND)) != 0)
        {
            return false;
        }
    }
    return image->section[id].count < UINT32_MAX;
}

const char *ab_image_results_fault(const ab_image *image, const ab_image_scratch *scratch)
{
    const uint64_t anchors = image->section[AB_SECTION_ANCHORS].count;
    const bool recycles = AB_SAVED(image, SETTINGS, ab_saved_settings)->recycle_distance > 0.0f;
    if ((anchors > 0 && !recycles) || !contacts_fit(image, scratch, AB_SECTION_CONTACTS, anchors) ||
        !contacts_fit(image, scratch, AB_SECTION_ASLEEP_CONTACTS, 0) || !sets_are_disjoint(image))
    {
        return "the image's contacts are not valid";
    }
    if (!caches_fit(image, scratch, AB_SECTION_VETOES, false) || !caches_fit(image, scratch, AB_SECTION_OVERLAPS, true))
    {
        return "the image's vetoed pairs or sensor overlaps are not valid";
    }
    const bool events = events_fit(image, AB_SECTION_BEGUN) && events_fit(image, AB_SECTION_ENDED) &&
                        events_fit(image, AB_SECTION_SENSOR_BEGUN) && events_fit(image, AB_SECTION_SENSOR_ENDED);
    const bool impacts = impacts_fit(image, AB_SECTION_IMPACTS) && impacts_fit(image, AB_SECTION_SENSOR_IMPACTS);
    return events && impacts ? NULL : "the image's events or impacts are not valid";
}
