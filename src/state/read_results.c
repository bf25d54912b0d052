// Reads the contacts and events of an image into results that nobody sees yet, checks them on the way, and sums their
// sections while they are in the cache. The world takes them only if all is well.
#include "base/array.h"
#include "base/platform.h"
#include "narrow/store/packed_manifold.h"
#include "pairs/pair_index.h"
#include "state/state.h"

#include <string.h>

#define MOST_WORDS 9u                                                                  // of an element
#define PACKED     (0x1ffu | (ABUT_CONTACT_SPECULATIVE | ABUT_CONTACT_RECYCLED) << 16) // bits that mean something

#define CHUNK 4096u // contacts that are read, then summed
#define AHEAD 32u   // contacts

// What is known of contacts read so far. Contacts, points and impulses have adjacent sections.
typedef struct reading
{
    const ab_saved_contact *contacts;
    const abut_point *points;
    const unsigned char *marks; // by collider slot
    const uint32_t *keys;       // likewise
    uint32_t colliders, point_count;
    uint32_t most;     // as a word: the largest number that counts as finite
    uint32_t used;     // points
    uint32_t anchored; // contacts with an anchor
    uint32_t speculative;
    uint32_t children; // or-ed together
    uint64_t key;      // of the last contact
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

// Whether floats among the words of elements have magnitudes of at most `most`, as words: then they are finite. The mask has
// 0x7fffffff where four elements have floats, and 0 where anything may be. A loop of which compilers make vectors.
AB_INLINE bool are_finite(const void *elements, uint32_t count, const uint32_t *mask, uint32_t words, uint32_t most)
{
    uint32_t over[4 * MOST_WORDS] = { 0 }, any = 0, word;
    const unsigned char *at = elements;
    for (; count >= 4; count -= 4, at += 4 * words * sizeof word)
    {
        for (uint32_t k = 0; k < 4 * words; ++k)
        {
            memcpy(&word, at + k * sizeof word, sizeof word);
            over[k] |= most - (word & mask[k]);
        }
    }
    for (uint32_t k = 0; k < count * words; ++k)
    {
        memcpy(&word, at + k * sizeof word, sizeof word);
        any |= most - (word & mask[k]);
    }
    for (uint32_t k = 0; k < 4 * words; ++k)
    {
        any |= over[k];
    }
    return any >> 31 == 0;
}

#define FLOATS     0x7fffffffu, 0x7fffffffu, 0x7fffffffu, 0x7fffffffu
#define OF_POINT   FLOATS, 0
#define OF_CONTACT 0, 0, FLOATS, 0, 0, 0

static bool points_are_finite(const abut_point *points, uint32_t count, uint32_t most)
{
    static const uint32_t mask[] = { OF_POINT, OF_POINT, OF_POINT, OF_POINT };
    return are_finite(points, count, mask, sizeof *points / sizeof *mask, most);
}

static bool contacts_are_finite(const ab_saved_contact *contacts, uint32_t count, uint32_t most)
{
    static const uint32_t mask[] = { OF_CONTACT, OF_CONTACT, OF_CONTACT, OF_CONTACT };
    return are_finite(contacts, count, mask, sizeof *contacts / sizeof *mask, most);
}

_Static_assert(offsetof(abut_point, separation) == 12 && sizeof(abut_point) == 20, "as OF_POINT");
_Static_assert(offsetof(ab_saved_contact, normal) == 8 && offsetof(ab_saved_contact, separation) == 20 &&
                   sizeof(ab_saved_contact) == 4 * MOST_WORDS,
               "as OF_CONTACT");
_Static_assert(offsetof(abut_contact, separation) == offsetof(abut_contact, normal) + 3 * sizeof(float),
               "the normal and the separation are copied as one");

// Whether contacts [first, end) name colliders that there are, and points, and say nothing unknown. Counts them.
static bool take_names(reading *given, uint32_t first, uint32_t end)
{
    reading r = *given; // a copy: the compiler need not assume that stores change it
    uint32_t unknown = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        const ab_saved_contact *c = &r.contacts[i];
        const uint32_t own = c->packed & 0xffu;
        AB_PREFETCH_AT(r.contacts, i + (size_t)AHEAD);
        if (!is_named(&r, c->collider_a) || !is_named(&r, c->collider_b) || own - 1u >= AB_MAX_POINTS)
        {
            return false;
        }
        unknown |= (c->packed & ~(uint32_t)PACKED) | c->child >> (32 - AB_CHILD_SHIFT);
        r.used += own;
        r.anchored += c->packed >> 8 & 1u;
        r.speculative += c->packed >> 16 & ABUT_CONTACT_SPECULATIVE;
        r.children |= c->child;
    }
    *given = r;
    return unknown == 0 && r.used <= r.point_count;
}

// Whether contact `i` follows the one whose key is *before, which becomes its own.
AB_INLINE bool follows(const reading *r, uint32_t i, uint64_t *before)
{
    const ab_saved_contact *c = &r->contacts[i];
    const uint64_t key_a = r->keys[c->collider_a], key_b = r->keys[c->collider_b], last = *before;
    const uint64_t body_a = key_a >> 8, body_b = key_b >> 8;
    const uint64_t key = body_a << 40 | body_b << 16 | (key_a & 0xffu) << 8 | (key_b & 0xffu); // ab_pair_key
    *before = key;
    return (body_a < body_b) & (key > last || (AB_HAS_CHILDREN && key == last && i > 0 && c->child > c[-1].child));
}

AB_INLINE void describe(abut_contact *out, const ab_contact_name *names, const ab_saved_contact *saved, uint32_t own,
                        uint32_t first_point)
{
    const ab_contact_name *a = &names[saved->collider_a], *b = &names[saved->collider_b];
    out->a = a->body;
    out->b = b->body;
    out->collider_a = a->collider;
    out->collider_b = b->collider;
    memcpy(&out->normal, saved->normal, sizeof saved->normal + sizeof saved->separation);
    out->first_point = first_point;
    out->previous = saved->previous == AB_SAVED_NEW ? ABUT_NONE : saved->previous + own;
    out->child = saved->child;
    out->point_count = (uint16_t)(saved->packed & 0xffu);
    out->flags = (uint16_t)(saved->packed >> 16);
}

abut_contact ab_saved_contact_of(const ab_image_scratch *scratch, const ab_saved_contact *saved, uint32_t own)
{
    abut_contact out;
    describe(&out, scratch->names, saved, own, 0);
    return out;
}

bool ab_asleep_contacts_fit(const ab_image *image, const ab_image_scratch *scratch)
{
    const uint32_t count = AB_SAVED_COUNT(image, ASLEEP_CONTACTS);
    reading r = open_reading(image, scratch, AB_SECTION_ASLEEP_CONTACTS);
    uint64_t key = 0;
    bool fit = counts_fit(image, AB_SECTION_ASLEEP_CONTACTS) && take_names(&r, 0, count);
    for (uint32_t i = 0; fit && i < count; ++i)
    {
        fit = follows(&r, i, &key);
    }
    return fit && r.used == r.point_count && r.anchored == 0 && points_are_finite(r.points, r.used, r.most) &&
           contacts_are_finite(r.contacts, count, r.most);
}

// Reads contacts [first, end), whose names were taken and whose points begin at `at`. False if they are out of order.
static bool read_contacts(reading *given, const ab_contact_name *names, const ab_results *out, uint32_t first,
                          uint32_t end, uint32_t at)
{
    const reading r = *given; // a copy: the compiler need not assume that stores change it
    abut_contact *const contacts = out->contacts;
    uint64_t *const keys = out->keys;
    uint32_t *const first_points = out->first_points;
    uint64_t key = r.key;
    bool in_order = true;
    for (uint32_t i = first; i < end; ++i)
    {
        AB_PREFETCH_TO_AT(contacts, i + (size_t)AHEAD);
        in_order &= follows(&r, i, &key);
        describe(&contacts[i], names, &r.contacts[i], i, at);
        keys[i] = key;
        first_points[i] = at;
        at += r.contacts[i].packed & 0xffu;
    }
    given->key = key;
    return in_order;
}

// Copies the points of contacts [first, end) of which there are four more to read, whatever each one's count, and writes
// their features. Without branches, because counts are unpredictable. Returns where it stopped.
static uint32_t read_fours(const reading *r, const ab_results *out, uint32_t first, uint32_t end)
{
    // by count: all ones where there is no point
    static const uint64_t missing[] = { UINT64_MAX, 0xffffffffffff0000u, 0xffffffff00000000u, 0xffff000000000000u, 0 };
    const abut_point *const points = r->points;
    abut_point *const to = out->points;
    uint64_t *const features = out->features;
    const uint32_t *const first_points = out->first_points;
    for (uint32_t i = first; i < end; ++i)
    {
        const uint32_t at = first_points[i], own = r->contacts[i].packed & 0xffu;
        if (r->point_count - at < AB_MAX_POINTS)
        {
            return i;
        }
        const abut_point *from = &points[at];
        const uint64_t a = from[0].feature, b = from[1].feature, c = from[2].feature, d = from[3].feature;
        AB_PREFETCH_AT(points, at + (size_t)AHEAD * AB_MAX_POINTS);
        AB_PREFETCH_TO_AT(to, at + (size_t)AHEAD * AB_MAX_POINTS);
        memcpy(&to[at], from, AB_MAX_POINTS * sizeof *to);
        features[i] = a | b << 16 | c << 32 | d << 48 | missing[own];
        if (!AB_LIKELY((a | b | c | d) < 0x8000u))
        {
            features[i] = ab_features_of(from, own);
        }
    }
    return end;
}

static void read_points(const reading *r, const ab_results *out, uint32_t first, uint32_t end)
{
    for (uint32_t i = read_fours(r, out, first, end); i < end; ++i)
    {
        const uint32_t at = out->first_points[i], own = r->contacts[i].packed & 0xffu;
        memcpy(&out->points[at], &r->points[at], own * sizeof *out->points);
        out->features[i] = ab_features_of(&r->points[at], own);
    }
}

static bool read_chunk(reading *r, const ab_image_scratch *scratch, const ab_results *out, uint32_t first, uint32_t end)
{
    const uint32_t at = r->used;
    if (!take_names(r, first, end) || !read_contacts(r, scratch->names, out, first, end, at))
    {
        return false;
    }
    read_points(r, out, first, end);
    return points_are_finite(r->points + at, r->used - at, r->most) &&
           contacts_are_finite(r->contacts + first, end - first, r->most);
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

static const char *read_contacts_and_points(const ab_image *image, const ab_image_scratch *scratch, ab_results *out,
                                            bool *children)
{
    const ab_section *contacts = &image->section[AB_SECTION_CONTACTS], *points = contacts + 1, *impulses = contacts + 2;
    const uint32_t count = (uint32_t)contacts->count, point_count = (uint32_t)points->count;
    reading r = open_reading(image, scratch, AB_SECTION_CONTACTS);
    ab_checksum_stream of_contacts, of_points;
    ab_checksum_open(&of_contacts, contacts->data, count * sizeof *r.contacts);
    ab_checksum_open(&of_points, points->data, point_count * sizeof *r.points);
    bool fits = true;
    for (uint32_t first = 0; fits && first < count; first += CHUNK)
    {
        const uint32_t end = count - first < CHUNK ? count : first + CHUNK, at = r.used;
        fits = read_chunk(&r, scratch, out, first, end);
        ab_checksum_advance(&of_contacts, r.contacts + end);
        ab_checksum_advance(&of_points, r.points + at);
    }
    if (ab_checksum_close(&of_contacts) != contacts->checksum || ab_checksum_close(&of_points) != points->checksum ||
        ab_checksum_copy(out->impulses, impulses->data, point_count * sizeof *out->impulses) != impulses->checksum)
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

_Static_assert(sizeof(ab_saved_event) == sizeof(abut_event) &&
                   offsetof(ab_saved_event, flags) == offsetof(abut_event, flags) &&
                   offsetof(ab_saved_event, user_data_a) == offsetof(abut_event, user_data_a),
               "events are saved as they are");

// The events of one section. `out` has room for them.
static const char *read_events(const ab_section *section, abut_event *out)
{
    const ab_saved_event *saved = section->data;
    const uint64_t count = section->count;
    uint32_t unknown = 0;
    ab_checksum_stream sum;
    ab_checksum_open(&sum, saved, count * sizeof *saved);
    for (uint64_t i = 0, end; i < count; i = end)
    {
        end = count - i < CHUNK ? count : i + CHUNK;
        memcpy(&out[i], &saved[i], (size_t)(end - i) * sizeof *out);
        for (uint64_t k = i; k < end; ++k)
        {
            unknown |= (saved[k].flags & ~(uint32_t)(ABUT_EVENT_FIRST | ABUT_EVENT_LAST)) | saved[k].reserved;
        }
        ab_checksum_advance(&sum, &saved[end - 1] + 1);
    }
    if (ab_checksum_close(&sum) != section->checksum)
    {
        return ab_section_damaged;
    }
    ab_array_set_length(out, (size_t)count);
    return unknown == 0 && count < UINT32_MAX ? NULL : AB_EVENTS_FAULT;
}

const char *ab_results_read(const ab_image *image, const ab_image_scratch *scratch, ab_results *out, bool *children)
{
    const char *fault = read_contacts_and_points(image, scratch, out, children);
    fault = fault ? fault : read_events(&image->section[AB_SECTION_BEGUN], out->events[ABUT_BEGIN]);
    return fault ? fault : read_events(&image->section[AB_SECTION_ENDED], out->events[ABUT_END]);
}
