// Reads the contacts of an image into a pool that nobody sees yet, checks them on the way, and sums their sections
// while they are in the cache. The world takes them only if all is well.
#include "base/platform.h"
#include "narrow/store/packed_manifold.h"
#include "pairs/pair_index.h"
#include "state/state.h"

#include <string.h>

#define MOST_WORDS 9u // of an element
// bits that mean something
#define PACKED (0xffu | (ABUT_CONTACT_SPECULATIVE | ABUT_CONTACT_RECYCLED | ABUT_CONTACT_NEW) << 16)

// In is_listed.
#define AWAKE  1
#define ASLEEP 2

#define CHUNK 4096u // contacts that are read, then summed
#define AHEAD 32u   // contacts

// What is known of contacts read so far. Contacts, points and impulses have adjacent sections.
typedef struct reading
{
    const ab_saved_contact *contacts;
    const abut_point *points;
    const abut_impulse *impulses;
    const uint32_t *generations; // by contact slot
    const unsigned char *marks;  // by collider slot
    const uint32_t *keys;        // likewise
    const ab_contact_name *names;
    unsigned char *is_listed; // by contact slot: some contact read so far has it
    ab_contact_pool *pool;    // where they go
    unsigned char mark;       // AWAKE or ASLEEP
    uint32_t colliders, slots, point_count;
    uint32_t used; // points
    uint32_t speculative;
    uint32_t children; // or-ed together
    uint64_t key;      // of the last contact
    uint64_t keys_all; // of all contacts, or-ed together
} reading;

static reading open_reading(const ab_image *image, const ab_image_scratch *scratch, ab_section_id first)
{
    return (reading){ .contacts = image->section[first].data,
                      .points = image->section[first + 1].data,
                      .impulses = image->section[first + 2].data,
                      .generations = AB_SAVED(image, CONTACT_SLOTS, uint32_t),
                      .marks = scratch->collider,
                      .keys = scratch->keys,
                      .names = scratch->names,
                      .is_listed = scratch->is_listed,
                      .colliders = AB_SAVED_COUNT(image, COLLIDERS),
                      .slots = AB_SAVED_COUNT(image, CONTACT_SLOTS),
                      .point_count = (uint32_t)image->section[first + 1].count };
}

// A point or more for each contact, as many impulses, and no more than slots have.
static bool counts_fit(const ab_image *image, ab_section_id first)
{
    const uint64_t points = image->section[first + 1].count, contacts = image->section[first].count;
    return image->section[first + 2].count == points && contacts <= points && points <= AB_MAX_POINTS * contacts &&
           contacts <= image->section[AB_SECTION_CONTACT_SLOTS].count && points < UINT32_MAX - AB_MAX_POINTS;
}

AB_INLINE bool is_named(const reading *r, uint32_t collider)
{
    return collider < r->colliders && ab_mark_is_named(r->marks[collider]);
}

// The largest finite float as a word. Pair functions may give any finite numbers.
#define MOST_FINITE 0x7f7fffffu

// Whether floats among the words of elements are finite: their magnitudes are at most MOST_FINITE, as words. The mask
// has 0x7fffffff where four elements have floats, and 0 where anything may be. A loop of which compilers make vectors.
AB_INLINE bool are_finite(const void *elements, uint32_t count, const uint32_t *mask, uint32_t words)
{
    uint32_t over[4 * MOST_WORDS] = { 0 }, any = 0, word;
    const unsigned char *at = elements;
    for (; count >= 4; count -= 4, at += 4 * words * sizeof word)
    {
        for (uint32_t k = 0; k < 4 * words; ++k)
        {
            memcpy(&word, at + k * sizeof word, sizeof word);
            over[k] |= MOST_FINITE - (word & mask[k]);
        }
    }
    for (uint32_t k = 0; k < count * words; ++k)
    {
        memcpy(&word, at + k * sizeof word, sizeof word);
        any |= MOST_FINITE - (word & mask[k]);
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

static bool points_are_finite(const abut_point *points, uint32_t count)
{
    static const uint32_t mask[] = { OF_POINT, OF_POINT, OF_POINT, OF_POINT };
    return are_finite(points, count, mask, sizeof *points / sizeof *mask);
}

static bool contacts_are_finite(const ab_saved_contact *contacts, uint32_t count)
{
    static const uint32_t mask[] = { OF_CONTACT, OF_CONTACT, OF_CONTACT, OF_CONTACT };
    return are_finite(contacts, count, mask, sizeof *contacts / sizeof *mask);
}

_Static_assert(offsetof(abut_point, separation) == 12 && sizeof(abut_point) == 20, "as OF_POINT");
_Static_assert(offsetof(ab_saved_contact, normal) == 8 && offsetof(ab_saved_contact, separation) == 20 &&
                   sizeof(ab_saved_contact) == 4 * MOST_WORDS,
               "as OF_CONTACT");
_Static_assert(offsetof(abut_contact, separation) == offsetof(abut_contact, normal) + 3 * sizeof(float),
               "the normal and the separation are copied as one");

// Whether contacts [first, end) name colliders, points and slots that there are, no slot twice, and say nothing
// unknown. Counts them.
static bool take_names(reading *given, uint32_t first, uint32_t end)
{
    reading r = *given; // a copy: the compiler need not assume that stores change it
    uint32_t unknown = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        const ab_saved_contact *c = &r.contacts[i];
        const uint32_t own = c->packed & 0xffu;
        AB_PREFETCH_AT(r.contacts, i + (size_t)AHEAD);
        if (!is_named(&r, c->collider_a) || !is_named(&r, c->collider_b) || own - 1u >= AB_MAX_POINTS ||
            c->slot >= r.slots)
        {
            return false;
        }
        unknown |= (c->packed & ~(uint32_t)PACKED) | c->child >> (32 - AB_CHILD_SHIFT) | r.is_listed[c->slot] |
                   (r.generations[c->slot] == 0);
        r.is_listed[c->slot] = r.mark;
        r.used += own;
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

AB_INLINE void describe(abut_contact *out, abut_contact_colliders *colliders, const reading *r,
                        const ab_saved_contact *saved)
{
    const ab_contact_name *a = &r->names[saved->collider_a], *b = &r->names[saved->collider_b];
    out->id = (abut_contact_id){ saved->slot, r->generations[saved->slot] };
    out->a = a->body;
    out->b = b->body;
    out->child = saved->child;
    out->point_count = (uint16_t)(saved->packed & 0xffu);
    out->flags = (uint16_t)(saved->packed >> 16);
    memcpy(&out->normal, saved->normal, sizeof saved->normal + sizeof saved->separation);
    *colliders = (abut_contact_colliders){ a->collider, b->collider };
}

// Copies four points and impulses, whatever the count, where so many are left: counts are unpredictable.
AB_INLINE void copy_four(const reading *r, abut_point *points, abut_impulse *impulses, uint32_t at, uint32_t own)
{
    if (AB_LIKELY(r->point_count - at >= AB_MAX_POINTS))
    {
        memcpy(points, &r->points[at], AB_MAX_POINTS * sizeof *points);
        memcpy(impulses, &r->impulses[at], AB_MAX_POINTS * sizeof *impulses);
        return;
    }
    memset(points, 0, AB_MAX_POINTS * sizeof *points);
    memset(impulses, 0, AB_MAX_POINTS * sizeof *impulses);
    memcpy(points, &r->points[at], own * sizeof *points);
    memcpy(impulses, &r->impulses[at], own * sizeof *impulses);
}

AB_INLINE void copy_points(const reading *r, abut_point *points, abut_impulse *impulses, uint32_t at, uint32_t own)
{
    copy_four(r, points, impulses, at, own);
    for (uint32_t k = 1; k < AB_MAX_POINTS; ++k)
    {
        points[k].feature = k < own ? points[k].feature : AB_NO_FEATURE;
    }
}

// Reads contacts [first, end), whose names were taken and whose points begin at `at`, to `out`. False if they are out
// of order.
static bool read_contacts(reading *given, const ab_contact_list *out, uint32_t first, uint32_t end, uint32_t at)
{
    const reading r = *given; // a copy: the compiler need not assume that stores change it
    const ab_contact_pool pool = *r.pool;
    const ab_contact_list list = *out;
    uint64_t key = r.key, keys_all = r.keys_all;
    bool in_order = true;
    for (uint32_t i = first; i < end; ++i)
    {
        const ab_saved_contact *saved = &r.contacts[i];
        const uint32_t slot = saved->slot, own = saved->packed & 0xffu,
                       later = i + 8 < end ? r.contacts[i + 8].slot : 0;
        AB_PREFETCH_TO_AT(pool.contacts, later);
        AB_PREFETCH_TO_AT(pool.impulses, (size_t)later * AB_MAX_POINTS);
        in_order &= follows(&r, i, &key);
        keys_all |= key;
        describe(&pool.contacts[slot], &pool.colliders[slot], &r, saved);
        copy_points(&r, pool.contacts[slot].points, &pool.impulses[AB_MAX_POINTS * (size_t)slot], at, own);
        list.keys[i] = key;
        list.slots[i] = slot;
        pool.axes[slot] = ab_axis_of(ab_features_of(pool.contacts[slot].points, own));
        at += own;
    }
    given->key = key;
    given->keys_all = keys_all;
    return in_order;
}

static bool read_chunk(reading *r, const ab_contact_list *out, uint32_t first, uint32_t end)
{
    const uint32_t at = r->used;
    return take_names(r, first, end) && read_contacts(r, out, first, end, at) &&
           points_are_finite(r->points + at, r->used - at) && contacts_are_finite(r->contacts + first, end - first);
}

bool ab_contacts_countable(const ab_image *image)
{
    const ab_saved_settings *settings = AB_SAVED(image, SETTINGS, ab_saved_settings);
    const bool follows = settings->recycle_distance > 0.0f && (settings->anchoring & AB_SAVED_AT_ANCHORS) == 0;
    const uint64_t slots = image->section[AB_SECTION_CONTACT_SLOTS].count;
    return AB_SAVED_COUNT(image, ANCHORED) == (follows ? AB_SAVED_COUNT(image, CONTACTS) : 0) && slots < INT32_MAX &&
           image->section[AB_SECTION_SLOTS_RETIRED].count <= slots && counts_fit(image, AB_SECTION_CONTACTS) &&
           counts_fit(image, AB_SECTION_ASLEEP_CONTACTS);
}

// Reads one set of contacts. Sums what it reads, chunk by chunk.
static const char *read_set(const ab_image *image, ab_section_id first_id, reading *r, ab_contact_list *out)
{
    const ab_section *contacts = &image->section[first_id], *points = contacts + 1, *impulses = contacts + 2;
    const uint32_t count = (uint32_t)contacts->count;
    ab_checksum_stream of_contacts, of_points, of_impulses;
    ab_checksum_open(&of_contacts, contacts->data, count * sizeof *r->contacts);
    ab_checksum_open(&of_points, points->data, r->point_count * sizeof *r->points);
    ab_checksum_open(&of_impulses, impulses->data, r->point_count * sizeof *r->impulses);
    bool fits = true;
    for (uint32_t first = 0; fits && first < count; first += CHUNK)
    {
        const uint32_t end = count - first < CHUNK ? count : first + CHUNK;
        fits = read_chunk(r, out, first, end);
        ab_checksum_advance(&of_contacts, r->contacts + end);
        ab_checksum_advance(&of_points, r->points + (fits ? r->used : 0));
        ab_checksum_advance(&of_impulses, r->impulses + (fits ? r->used : 0));
    }
    if (ab_checksum_close(&of_contacts) != contacts->checksum || ab_checksum_close(&of_points) != points->checksum ||
        ab_checksum_close(&of_impulses) != impulses->checksum)
    {
        return ab_section_damaged;
    }
    ab_contact_list_set_length(out, count);
    return fits && r->used == r->point_count ? NULL : AB_CONTACTS_FAULT;
}

// What the awake contacts had at their anchors. False for numbers that are not finite.
static bool read_anchored(const ab_image *image, const ab_contact_pool *pool, const ab_contact_list *list)
{
    const ab_anchored *saved = AB_SAVED(image, ANCHORED, ab_anchored);
    uint32_t any = 0;
    for (uint32_t i = 0; i < AB_SAVED_COUNT(image, ANCHORED); ++i)
    {
        uint32_t words[sizeof *saved / sizeof any];
        memcpy(words, &saved[i], sizeof words);
        for (uint32_t k = 0; k < sizeof words / sizeof *words; ++k)
        {
            any |= MOST_FINITE - (words[k] & 0x7fffffffu);
        }
        pool->anchored[list->slots[i]] = saved[i];
    }
    return any >> 31 == 0;
}

// The slots that no contact has.
static void read_unlisted(const reading *r)
{
    static const abut_impulse none[AB_MAX_POINTS] = { { 0 } };
    for (uint32_t slot = 0; slot < r->slots; ++slot)
    {
        if (!r->is_listed[slot])
        {
            r->pool->contacts[slot] = (abut_contact){ .id = { slot, r->generations[slot] } };
            r->pool->colliders[slot] = (abut_contact_colliders){ .a = { 0 } };
            r->pool->axes[slot] = 0;
            memcpy(&r->pool->impulses[AB_MAX_POINTS * (size_t)slot], none, sizeof none);
        }
        if (r->pool->follows && r->is_listed[slot] != AWAKE)
        {
            r->pool->anchored[slot] = (ab_anchored){ .separation = 0.0f };
        }
    }
}

static const char *read_all_contacts(const ab_image *image, const ab_image_scratch *scratch, ab_read_results *out)
{
    reading awake = open_reading(image, scratch, AB_SECTION_CONTACTS);
    reading asleep = open_reading(image, scratch, AB_SECTION_ASLEEP_CONTACTS);
    awake.pool = asleep.pool = out->pool;
    awake.mark = AWAKE;
    asleep.mark = ASLEEP;
    memset(scratch->is_listed, 0, awake.slots);
    const char *fault = read_set(image, AB_SECTION_CONTACTS, &awake, out->awake);
    fault = fault ? fault : read_set(image, AB_SECTION_ASLEEP_CONTACTS, &asleep, out->asleep);
    if (fault)
    {
        return fault;
    }
    if (!read_anchored(image, out->pool, out->awake))
    {
        return AB_CONTACTS_FAULT;
    }
    read_unlisted(&awake);
    out->pool->dropped = AB_SAVED(image, SETTINGS, ab_saved_settings)->dropped;
    out->points = awake.point_count;
    out->speculative = awake.speculative;
    out->children = (awake.children | asleep.children) != 0;
    out->several = ((awake.keys_all | asleep.keys_all) & 0xffffu) != 0;
    return ab_contact_pool_reset(out->pool, awake.slots, AB_SAVED(image, SLOTS_RETIRED, uint32_t),
                                 AB_SAVED_COUNT(image, SLOTS_RETIRED))
               ? NULL
               : AB_CONTACTS_FAULT;
}

// An abut_event is shorter where 64-bit numbers are aligned to four bytes (32-bit x86).
_Static_assert(sizeof(ab_saved_event) == 80 && offsetof(ab_saved_event, user_data_a) == 32 &&
                   offsetof(ab_saved_event, flags) == 72,
               "a saved event is the same everywhere");

// Sums the events of one section and checks them.
static const char *check_events(const ab_section *section)
{
    const ab_saved_event *saved = section->data;
    const uint64_t count = section->count;
    uint32_t unknown = 0;
    ab_checksum_stream sum;
    ab_checksum_open(&sum, saved, count * sizeof *saved);
    for (uint64_t i = 0, end; i < count; i = end)
    {
        end = count - i < CHUNK ? count : i + CHUNK;
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
    return unknown == 0 && count < UINT32_MAX ? NULL : AB_EVENTS_FAULT;
}

const char *ab_results_read(const ab_image *image, const ab_image_scratch *scratch, ab_read_results *out)
{
    const char *fault = read_all_contacts(image, scratch, out);
    fault = fault ? fault : check_events(&image->section[AB_SECTION_BEGUN]);
    return fault ? fault : check_events(&image->section[AB_SECTION_ENDED]);
}
