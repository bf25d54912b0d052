// Reads the contacts of an image into results that nobody sees yet, checks them on the way, and sums their sections
// while they are in the cache. The world takes them only if all is well.
#include "base/array.h"
#include "base/platform.h"
#include "narrow/store/packed_manifold.h"
#include "pairs/pair_index.h"
#include "state/state.h"

#include <string.h>

#define CHUNK 256u // contacts that are read, then summed

// What is known of contacts read so far. Contacts, points and impulses have adjacent sections.
typedef struct reading
{
    const ab_saved_contact *contacts;
    const abut_point *points;
    const unsigned char *marks; // by collider slot
    const uint32_t *keys;       // likewise
    uint32_t colliders, point_count;
    uint32_t most;       // as a word: the largest number that counts as finite
    uint32_t used;       // points
    uint32_t anchored;   // contacts with an anchor
    uint32_t speculative;
    uint32_t children;   // or-ed together
    uint64_t key;        // of the last contact
} reading;

static reading open_reading(const ab_image *image, const ab_image_scratch *scratch, ab_section_id first)
{
    const float most = 4.0f * ABUT_MAX_MAGNITUDE;
    reading r = { .contacts = image->section[first].data,
                  .points = image->section[first + 1].data,
                  .marks = scratch->collider,
                  .keys = scratch->keys,
                  .colliders = AB_SAVED_COUNT(image, COLLIDERS),
                  .point_count = (uint32_t)image->section[first + 1].count };
    memcpy(&r.most, &most, sizeof most);
    return r;
}

// A point or more for each contact, as many impulses, and no more than indices can tell.
static bool counts_fit(const ab_image *image, ab_section_id first)
{
    const uint64_t points = image->section[first + 1].count;
    return image->section[first + 2].count == points && image->section[first].count <= points &&
           points < UINT32_MAX - AB_MAX_POINTS;
}

AB_INLINE bool is_named(const reading *r, uint32_t collider)
{
    return collider < r->colliders && ab_mark_is_named(r->marks[collider]);
}

AB_INLINE bool are_finite(const void *floats, uint32_t most)
{
    uint32_t word[4];
    bool finite = true;
    memcpy(word, floats, sizeof word);
    for (uint32_t k = 0; k < 4; ++k)
    {
        finite &= (word[k] & 0x7fffffffu) <= most;
    }
    return finite;
}

// Checks the next contact, which is number `i`.
AB_INLINE bool take_next(reading *r, uint32_t i)
{
    const ab_saved_contact *c = &r->contacts[i];
    const uint32_t own = c->packed & 0xffu, flags = c->packed >> 16;
    if (!is_named(r, c->collider_a) || !is_named(r, c->collider_b) || own - 1u >= AB_MAX_POINTS ||
        own > r->point_count - r->used)
    {
        return false;
    }
    const uint32_t key_a = r->keys[c->collider_a], key_b = r->keys[c->collider_b];
    const uint64_t key = ab_pair_key(key_a, key_b);
    const bool follows = i == 0 || key > r->key || (AB_HAS_CHILDREN && key == r->key && c->child > c[-1].child);
    bool fits = follows & (key_a >> 8 < key_b >> 8) & (c->child < 1u << (32 - AB_CHILD_SHIFT)) &
                ((c->packed & 0xfe00u) == 0) & are_finite(c->normal, r->most) &
                ((flags & ~(uint32_t)(ABUT_CONTACT_SPECULATIVE | ABUT_CONTACT_RECYCLED)) == 0);
    for (uint32_t k = 0; k < own; ++k)
    {
        fits &= are_finite(&r->points[r->used + k], r->most);
    }
    r->key = key;
    r->used += own;
    r->anchored += c->packed >> 8 & 1u;
    r->speculative += flags & ABUT_CONTACT_SPECULATIVE;
    r->children |= c->child;
    return fits;
}

_Static_assert(offsetof(ab_saved_contact, separation) == offsetof(ab_saved_contact, normal) + 3 * sizeof(float) &&
                   offsetof(abut_point, separation) == offsetof(abut_point, offset) + 3 * sizeof(float),
               "four floats follow each other");

bool ab_asleep_contacts_fit(const ab_image *image, const ab_image_scratch *scratch)
{
    reading r = open_reading(image, scratch, AB_SECTION_ASLEEP_CONTACTS);
    bool fit = counts_fit(image, AB_SECTION_ASLEEP_CONTACTS);
    for (uint32_t i = 0; fit && i < AB_SAVED_COUNT(image, ASLEEP_CONTACTS); ++i)
    {
        fit = take_next(&r, i);
    }
    return fit && r.used == r.point_count && r.anchored == 0;
}

abut_contact ab_saved_contact_of(const ab_image_scratch *scratch, const ab_saved_contact *saved, uint32_t own,
                                 uint32_t first_point)
{
    const ab_contact_name *a = &scratch->names[saved->collider_a], *b = &scratch->names[saved->collider_b];
    return (abut_contact){
        .a = a->body,
        .b = b->body,
        .collider_a = a->collider,
        .collider_b = b->collider,
        .normal = { saved->normal[0], saved->normal[1], saved->normal[2] },
        .separation = saved->separation,
        .first_point = first_point,
        .previous = saved->previous == AB_SAVED_NEW ? ABUT_NONE : saved->previous + own,
        .child = saved->child,
        .point_count = (uint16_t)(saved->packed & 0xffu),
        .flags = (uint16_t)(saved->packed >> 16),
    };
}

// Reads contacts [first, end) with their points.
static bool read_chunk(reading *r, const ab_image_scratch *scratch, ab_results *out, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; ++i)
    {
        const uint32_t at = r->used;
        if (!take_next(r, i))
        {
            return false;
        }
        const uint32_t own = r->used - at;
        for (uint32_t k = at; k < r->used; ++k)
        {
            out->points[k] = r->points[k];
        }
        out->contacts[i] = ab_saved_contact_of(scratch, &r->contacts[i], i, at);
        out->keys[i] = r->key;
        out->first_points[i] = at;
        out->features[i] = ab_features_of(&r->points[at], own);
    }
    return true;
}

static void set_lengths(ab_results *out, uint32_t contacts, uint32_t points)
{
    ab_array_set_length(out->contacts, contacts);
    ab_array_set_length(out->keys, contacts);
    ab_array_set_length(out->features, contacts);
    ab_array_set_length(out->first_points, (size_t)contacts + 1);
    ab_array_set_length(out->points, points);
    ab_array_set_length(out->impulses, points);
}

bool ab_contacts_countable(const ab_image *image)
{
    const bool recycles = AB_SAVED(image, SETTINGS, ab_saved_settings)->recycle_distance > 0.0f;
    return counts_fit(image, AB_SECTION_CONTACTS) && (recycles || AB_SAVED_COUNT(image, ANCHORS) == 0);
}

const char *ab_contacts_read(const ab_image *image, const ab_image_scratch *scratch, ab_results *out, bool *children)
{
    const ab_section *contacts = &image->section[AB_SECTION_CONTACTS], *points = contacts + 1, *impulses = contacts + 2;
    const uint32_t count = (uint32_t)contacts->count, point_count = (uint32_t)points->count;
    const abut_impulse *const impulse = impulses->data;
    reading r = open_reading(image, scratch, AB_SECTION_CONTACTS);
    ab_checksum_stream of_contacts, of_points, of_impulses;
    ab_checksum_open(&of_contacts, contacts->data, count * sizeof *r.contacts);
    ab_checksum_open(&of_points, points->data, point_count * sizeof *r.points);
    ab_checksum_open(&of_impulses, impulses->data, point_count * sizeof *impulse);
    bool fits = true;
    for (uint32_t first = 0; fits && first < count; first += CHUNK)
    {
        const uint32_t end = count - first < CHUNK ? count : first + CHUNK, at = r.used;
        fits = read_chunk(&r, scratch, out, first, end);
        memcpy(out->impulses + at, impulse + at, (r.used - at) * sizeof *impulse);
        ab_checksum_advance(&of_contacts, r.contacts + end);
        ab_checksum_advance(&of_points, r.points + r.used);
        ab_checksum_advance(&of_impulses, impulse + r.used);
    }
    if (ab_checksum_close(&of_contacts) != contacts->checksum || ab_checksum_close(&of_points) != points->checksum ||
        ab_checksum_close(&of_impulses) != impulses->checksum)
    {
        return ab_section_damaged;
    }
    if (!fits || r.used != point_count || r.anchored != AB_SAVED_COUNT(image, ANCHORS))
    {
        return AB_CONTACTS_FAULT;
    }
    set_lengths(out, count, point_count);
    memset(out->points + point_count, 0, AB_MAX_POINTS * sizeof *out->points);
    memset(out->impulses + point_count, 0, AB_MAX_POINTS * sizeof *out->impulses);
    out->first_points[count] = point_count;
    out->speculative = r.speculative;
    *children = r.children != 0;
    return NULL;
}
