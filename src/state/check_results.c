// Checks the results in an image: contacts, the caches of pairs, events and impacts.
#include "state/state.h"

#include "contact/sensors.h"
#include "pairs/pair_index.h"

// No contact is in both sets.
static bool sets_are_disjoint(const ab_contact_list *awake, const ab_contact_list *asleep)
{
    uint32_t i = 0, k = 0;
    while (i < ab_contact_list_count(awake) && k < ab_contact_list_count(asleep))
    {
        const uint64_t key = awake->keys[i], other = asleep->keys[k];
        if (key == other)
        {
            return false;
        }
        i += key < other;
        k += other < key;
    }
    return true;
}

static uint64_t key_of_pair(const ab_image_scratch *scratch, const ab_saved_pair *pair, bool sensors)
{
    const uint32_t key_a = scratch->keys[pair->collider_a], key_b = scratch->keys[pair->collider_b];
    return sensors ? ab_sensor_key(key_a, key_b) : ab_pair_key(key_a, key_b);
}

static bool pairs_fit(const ab_image *image, const ab_image_scratch *scratch, ab_section_id id, bool sensors)
{
    const ab_saved_pair *pairs = image->section[id].data;
    uint64_t before = 0;
    for (uint64_t i = 0; i < image->section[id].count; ++i)
    {
        if (i == UINT32_MAX - 1u || !ab_saved_is_named(image, scratch, pairs[i].collider_a) ||
            !ab_saved_is_named(image, scratch, pairs[i].collider_b))
        {
            return false;
        }
        const uint64_t key = key_of_pair(scratch, &pairs[i], sensors);
        const uint32_t body_a = scratch->keys[pairs[i].collider_a] >> 8,
                       body_b = scratch->keys[pairs[i].collider_b] >> 8;
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
        const uint64_t key = key_of_pair(scratch, &found[i], sensors),
                       other = key_of_pair(scratch, &asleep[k], sensors);
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
        if (impacts[i].hit > 1 || (impacts[i].flags & ~(uint32_t)(ABUT_IMPACT_INITIAL | ABUT_IMPACT_BOUND)) != 0 ||
            impacts[i].child >> (32 - AB_CHILD_SHIFT) != 0 || impacts[i].reserved != 0)
        {
            return false;
        }
    }
    return image->section[id].count < UINT32_MAX;
}

const char *ab_image_results_fault(const ab_image *image, const ab_image_scratch *scratch, const ab_read_results *read)
{
    if (!sets_are_disjoint(read->awake, read->asleep))
    {
        return AB_CONTACTS_FAULT;
    }
    if (!caches_fit(image, scratch, AB_SECTION_VETOES, false) || !caches_fit(image, scratch, AB_SECTION_OVERLAPS, true))
    {
        return "the image's vetoes or overlaps are not valid";
    }
    const bool events = events_fit(image, AB_SECTION_SENSOR_BEGUN) && events_fit(image, AB_SECTION_SENSOR_ENDED);
    const bool impacts = impacts_fit(image, AB_SECTION_IMPACTS) && impacts_fit(image, AB_SECTION_SENSOR_IMPACTS);
    return events && impacts ? NULL : AB_EVENTS_FAULT;
}
