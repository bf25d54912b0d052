// Writes contacts and impulses in place, in canonical order: in that order slots lie near each other, and each thread
// has lines of its own. Copies four points whatever their count, because branches on counts mispredict.
//
// Manifolds lie where pairs were found, and slots in no strict order, so writing takes the time of the memory. Both
// cache lines of a contact are prefetched twice: into the second level of cache from afar, because the first waits for
// few lines at a time, and then into the first. Where there are no prefetches, as in WebAssembly, the lines of some
// contacts are read together before these are written.
#include "contact/contact_write.h"

#include "base/platform.h"
#include "math/words.h"

#include <string.h>

#define ENTRIES_AHEAD 64u   // contacts: how far ahead entries of manifolds are prefetched,
#define FAR_AHEAD     32u   // manifolds into the first level of cache, and slots into the second,
#define SLOTS_AHEAD   16u   // slots into the first
#define MOST_NEAR     4096u // contacts: so few are in the second level of cache as it is
#define READ_AHEAD    8u    // contacts: so many are read together where nothing prefetches

// The features of a contact's points as one word, as ab_features_of has them.
AB_INLINE uint64_t features_of(const abut_contact *contact)
{
    const abut_point *const p = contact->points;
    const uint64_t a = p[0].feature, b = p[1].feature, c = p[2].feature, d = p[3].feature;
    const bool small = (a | b | c | d) <= 0xffffu;
    return AB_LIKELY(small) ? a | b << 16 | c << 32 | d << 48 : ab_features_of(p, contact->point_count);
}

// Small builds match impulses at once, and by points.
#ifdef AB_SMALL
#define MATCHES_AT_ONCE true
#else
#define MATCHES_AT_ONCE false
#endif

// Of each point of a contact, where in the contact's impulses before, in bytes, its own is; past those: zeros.
typedef struct origins
{
    uint8_t byte[AB_MAX_POINTS];
} origins;

#define NO_ORIGIN (AB_MAX_POINTS * sizeof(abut_impulse))

_Static_assert(sizeof(abut_impulse) == 16, "the table below has these bytes");

// A contact that goes on with other features: what its points were and are to be.
typedef struct change
{
    abut_impulse *impulses;
    const ab_packed_manifold *packed;
    const abut_point *before;
    uint64_t features_before; // their word
    uint32_t count, count_before;
} change;

// By features, of words that are not long.
AB_INLINE origins origins_of_words(uint64_t features, uint64_t before, uint32_t count)
{
    // by the mask of matching features: the byte of the first
    static const uint8_t first[16] = { NO_ORIGIN, 0, 16, 0, 32, 0, 16, 0, 48, 0, 16, 0, 32, 0, 16, 0 };
    const uint32_t equal = ab_words_equal(features, before);
    origins o;
    for (uint32_t i = 0; i < AB_MAX_POINTS; ++i)
    {
        o.byte[i] = i < count ? first[equal >> 4 * i & 15u] : NO_ORIGIN;
    }
    return o;
}

// By pairs of features.
static AB_APART origins origins_of_points(const change *c)
{
    origins o;
    for (uint32_t i = 0; i < AB_MAX_POINTS; ++i)
    {
        o.byte[i] = NO_ORIGIN;
        for (uint32_t j = i < c->count ? c->count_before : 0; j-- > 0;)
        {
            const bool same = c->before[j].feature == ab_packed_manifold_point(c->packed, i).feature;
            o.byte[i] = same ? (uint8_t)(j * sizeof(abut_impulse)) : o.byte[i];
        }
    }
    return o;
}

#define IN_PLACE 0.015625f // of the squared extent of a contact: an eighth of its length

static float apart(const float *a, abut_vec3 b)
{
    const abut_vec3 by = abut_vec3_sub(abut_vec3_make(a[0], a[1], a[2]), b);
    return abut_vec3_dot(by, by);
}

// Points of new features take what is left of the impulses, each that of the nearest point that is near for the size of
// the contact. Corners and cut edges of faces that lie flush are in one place: which of them is chosen changes with
// rounding.
static AB_APART void add_near(origins *o, const change *c)
{
    uint32_t left = (1u << c->count_before) - 1;
    float limit = 0.0f;
    for (uint32_t i = 0; i < c->count; ++i)
    {
        const float extent = apart(ab_packed_manifold_geometry(c->packed, i)->offset, c->before[0].offset);
        left &= ~(1u << o->byte[i] / sizeof(abut_impulse));
        limit = extent * IN_PLACE > limit ? extent * IN_PLACE : limit;
    }
    for (uint32_t i = 0; i < c->count; ++i)
    {
        const bool wants = o->byte[i] == NO_ORIGIN;
        float nearest = limit;
        for (uint32_t j = 0; wants && left >> j != 0; ++j)
        {
            const float far = apart(ab_packed_manifold_geometry(c->packed, i)->offset, c->before[j].offset);
            if ((left >> j & 1u) != 0 && far < nearest)
            {
                nearest = far;
                o->byte[i] = (uint8_t)(j * sizeof(abut_impulse));
            }
        }
        left &= ~(1u << o->byte[i] / sizeof(abut_impulse));
    }
}

static inline bool lacks_origins(const origins *o, uint32_t count)
{
    bool lacks = false;
    for (uint32_t i = 0; i < AB_MAX_POINTS; ++i)
    {
        lacks = lacks || (i < count && o->byte[i] == NO_ORIGIN);
    }
    return lacks;
}

static inline bool are_zeros(const abut_impulse impulses[AB_MAX_POINTS])
{
    uint64_t bits[AB_MAX_POINTS * sizeof *impulses / sizeof(uint64_t)], any = 0;
    memcpy(bits, impulses, sizeof bits);
    for (uint32_t i = 0; i < sizeof bits / sizeof *bits; ++i)
    {
        any |= bits[i];
    }
    return any == 0;
}

// Moves impulses. Where there is no point, there are zeros then.
static void move_impulses(const change *c)
{
    const uint64_t features = ab_packed_manifold_features(c->packed);
    const bool by_words = !MATCHES_AT_ONCE && features != AB_FEATURES_LONG && c->features_before != AB_FEATURES_LONG;
    abut_impulse choices[AB_MAX_POINTS + 1] = { 0 }; // the last is all zeros
    if (are_zeros(c->impulses))
    {
        return;
    }
    origins o = by_words ? origins_of_words(features, c->features_before, c->count) : origins_of_points(c);
    if (lacks_origins(&o, c->count))
    {
        add_near(&o, c);
    }
    memcpy(choices, c->impulses, AB_MAX_POINTS * sizeof *choices);
    for (uint32_t i = 0; i < AB_MAX_POINTS; ++i)
    {
        memcpy(&c->impulses[i], (const char *)choices + o.byte[i], sizeof *choices);
    }
}

// Where the second cache line of a contact begins, in bytes.
static inline size_t second_line(uint32_t slot)
{
    return slot * sizeof(abut_contact) + AB_CACHE_LINE;
}

// Prefetches a contact's slot and manifold from afar. These are always inline: the compiler drops calls to a function
// that only prefetches, because it has no effect.
AB_INLINE void look_far(const ab_contact_writing *w, uint32_t i, bool impulses)
{
    const uint32_t slot = w->slots[i];
    AB_PREFETCH_AT(w->lines, w->entries[w->found[i]].line);
    AB_PREFETCH_FAR_TO_AT(w->pool.contacts, slot);
    AB_PREFETCH_FAR_TO_AT((const char *)w->pool.contacts, second_line(slot));
    if (impulses)
    {
        AB_PREFETCH_FAR_TO_AT(w->pool.impulses, (size_t)slot * AB_MAX_POINTS);
    }
}

// Prefetches what a new contact's names are read from, and where they and its impulses go.
AB_INLINE void look_ahead_for_names(const ab_contact_writing *w, uint32_t i, uint32_t slot)
{
    const uint32_t *const colliders = w->names.proxies->collider;
    const ab_packed_manifold *packed = &w->lines[w->entries[w->found[i]].line];
    AB_PREFETCH_AT(w->names.name, colliders[packed->proxy_a]);
    AB_PREFETCH_AT(w->names.name, colliders[packed->proxy_b]);
    AB_PREFETCH_TO_AT(w->pool.colliders, slot);
    AB_PREFETCH_TO_AT(w->pool.impulses, (size_t)slot * AB_MAX_POINTS);
}

AB_INLINE void look_ahead(const ab_contact_writing *w, uint32_t i, bool impulses)
{
    const uint32_t slot = w->slots[i];
    const size_t line = w->entries[w->found[i]].line;
    AB_PREFETCH_AT(w->lines, line + 2);
    AB_PREFETCH_TO_AT(w->pool.contacts, slot);
    AB_PREFETCH_TO_AT((const char *)w->pool.contacts, second_line(slot));
    if (w->previous[i] == ABUT_NONE)
    {
        look_ahead_for_names(w, i, slot);
    }
    else if (impulses)
    {
        AB_PREFETCH_TO_AT(w->pool.impulses, (size_t)slot * AB_MAX_POINTS);
    }
}

// Reads a word of each line that the next contacts are made of or written to. Returns the sum: what nothing is made of
// would not be read.
static AB_APART uint32_t read_ahead(const ab_contact_writing *w, uint32_t first, uint32_t end, bool impulses)
{
    uint32_t sum = 0;
    for (uint32_t i = first; i < end && i < first + READ_AHEAD; ++i)
    {
        const uint32_t slot = w->slots[i];
        const abut_contact *contact = &w->pool.contacts[slot];
        uint32_t bits = 0;
        if (impulses)
        {
            memcpy(&bits, &w->pool.impulses[(size_t)slot * AB_MAX_POINTS], sizeof bits);
        }
        sum += w->lines[w->entries[w->found[i]].line].proxy_a + contact->id.slot +
               contact->points[AB_MAX_POINTS - 1].feature + bits;
    }
    return sum;
}

#define MATCHES      8u  // impulses that are being prefetched
#define CHANGES_OVER 16u // contacts of which it is counted how many have changed

// Impulses that go with their features. Most contacts keep their features and so their impulses, which are not touched
// then. Those of the others are prefetched once that is known, and matched some contacts later. Where most contacts
// change, they are prefetched with the contacts.
typedef struct matching
{
    change change[MATCHES];
    abut_point before[MATCHES][AB_MAX_POINTS]; // copies: contacts are overwritten meanwhile
    uint32_t added, done;
    uint32_t changes;
    bool most_change;
} matching;

static void match_next(matching *m)
{
    move_impulses(&m->change[m->done++ % MATCHES]);
}

static void match_later(matching *m, const change *c)
{
    AB_PREFETCH_TO(c->impulses);
    if (m->added - m->done == MATCHES)
    {
        match_next(m);
    }
    const uint32_t i = m->added++ % MATCHES;
    m->change[i] = *c;
    m->change[i].before = m->before[i];
    memcpy(m->before[i], c->before, sizeof m->before[i]);
}

static void match_rest(matching *m)
{
    while (m->done < m->added)
    {
        match_next(m);
    }
}

static AB_APART void set_long_features(abut_point *points, const ab_packed_manifold *packed, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        points[i].feature = packed[3].long_features[i];
    }
}

// Copies four points whatever their count; missing ones read memory that is in cache, and have AB_NO_FEATURE.
AB_INLINE void copy_points(abut_point *to, const ab_packed_manifold *packed, uint32_t count, uint64_t features)
{
    const ab_point_geometry *const first = packed[1].points, *const last =
                                                                 packed[count > AB_LINE_POINTS ? 2 : 1].points;
    memcpy(&to[0], &first[0], sizeof *last);
    memcpy(&to[1], &first[1], sizeof *last);
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
}

// Names a contact that begins in a slot. Impulses are zeros.
AB_INLINE void name(const ab_contact_writing *w, uint32_t slot, const ab_packed_manifold *packed)
{
    const uint32_t *const colliders = w->names.proxies->collider;
    const ab_contact_name *const a = &w->names.name[colliders[packed->proxy_a]],
                                 *const b = &w->names.name[colliders[packed->proxy_b]];
    abut_contact *contact = &w->pool.contacts[slot];
    contact->id = ab_contact_pool_new_id(&w->pool, slot, w->slot_count);
    contact->a = a->body;
    contact->b = b->body;
    w->pool.colliders[slot] = (abut_contact_colliders){ a->collider, b->collider };
    memset(&w->pool.impulses[(size_t)slot * AB_MAX_POINTS], 0, AB_MAX_POINTS * sizeof *w->pool.impulses);
}

// Moves the impulses of a contact to the points of the manifold that it is to have.
AB_INLINE void keep_impulses(const abut_contact *contact, abut_impulse *impulses, const ab_packed_manifold *packed,
                             uint32_t count, matching *m)
{
    const uint64_t features = ab_packed_manifold_features(packed), before = features_of(contact);
    if (AB_LIKELY(features == before) && features != AB_FEATURES_LONG)
    {
        return;
    }
    const change c = { impulses, packed, contact->points, before, count, contact->point_count };
    ++m->changes;
    if (m->most_change || MATCHES_AT_ONCE)
    {
        move_impulses(&c);
    }
    else
    {
        match_later(m, &c);
    }
}

_Static_assert(offsetof(abut_contact, separation) == offsetof(abut_contact, normal) + sizeof(abut_vec3) &&
                   offsetof(ab_packed_manifold, separation) == sizeof(abut_vec3),
               "a normal and its separation are copied as one");

// Puts a manifold into a slot.
AB_INLINE void put(abut_contact *contact, const ab_packed_manifold *packed, uint32_t child_points, uint32_t flags)
{
    const uint32_t count = child_points & ((1u << AB_CHILD_SHIFT) - 1);
    contact->child = child_points >> AB_CHILD_SHIFT;
    contact->point_count = (uint16_t)count;
    contact->flags = (uint16_t)flags;
    memcpy(&contact->normal, packed->normal, sizeof contact->normal + sizeof contact->separation);
    copy_points(contact->points, packed, count, ab_packed_manifold_features(packed));
}

// Puts the separations of now where those at the anchors are, which are kept apart. Returns the contact's flags.
static uint32_t follow(const ab_contact_writing *w, uint32_t slot, const ab_followed *followed)
{
    abut_contact *contact = &w->pool.contacts[slot];
    const bool apart = !(followed->now.separation <= w->names.margin);
    w->pool.anchored[slot] = followed->at;
    contact->separation = followed->now.separation;
    const uint32_t flags = (contact->flags & ~(uint32_t)ABUT_CONTACT_SPECULATIVE) |
                           (followed->moved ? ABUT_CONTACT_RECYCLED : 0u) | (apart ? ABUT_CONTACT_SPECULATIVE : 0u);
    contact->flags = (uint16_t)flags;
    for (uint32_t k = 0; k < AB_MAX_POINTS; ++k)
    {
        contact->points[k].separation = followed->now.gap[k];
    }
    return flags;
}

// Of a contact whose bodies are where they were anchored. Returns its flags.
static uint32_t anchor(const ab_contact_writing *w, uint32_t slot, const ab_packed_manifold *packed,
                       uint32_t child_points, uint32_t flags)
{
    const uint32_t count = child_points & ((1u << AB_CHILD_SHIFT) - 1);
    abut_contact *contact = &w->pool.contacts[slot];
    ab_separations now;
    ab_anchor_manifold(packed, count, w->names.proxies->record, &w->pool.anchored[slot]);
    ab_follow_none(&w->pool.anchored[slot], &now);
    contact->separation = now.separation;
    for (uint32_t k = 0; k < AB_MAX_POINTS; ++k)
    {
        contact->points[k].separation = now.gap[k];
    }
    return flags;
}

// Writes manifold `i`, whose slot has been prefetched.
AB_INLINE void write_one(const ab_contact_writing *w, uint32_t i, matching *m, ab_contacts_written *written)
{
    const uint32_t slot = w->slots[i], found = w->found[i], child_points = w->entries[found].child_points;
    const ab_packed_manifold *packed = &w->lines[w->entries[found].line];
    abut_contact *contact = &w->pool.contacts[slot];
    uint32_t flags = packed->separation <= w->names.margin ? 0u : ABUT_CONTACT_SPECULATIVE;
    if (w->previous[i] == ABUT_NONE)
    {
        flags |= ABUT_CONTACT_NEW;
        name(w, slot, packed);
    }
    else
    {
        keep_impulses(contact, &w->pool.impulses[(size_t)slot * AB_MAX_POINTS], packed,
                      child_points & ((1u << AB_CHILD_SHIFT) - 1), m);
    }
    put(contact, packed, child_points, flags);
    w->pool.axes[slot] = ab_axis_of(ab_packed_manifold_features(packed));
    if (w->names.anchors)
    {
        flags = w->followed ? follow(w, slot, &w->followed[found]) : anchor(w, slot, packed, child_points, flags);
    }
    written->speculative += flags & ABUT_CONTACT_SPECULATIVE;
    written->points += child_points & ((1u << AB_CHILD_SHIFT) - 1);
}

ab_contacts_written ab_contacts_write(const ab_contact_writing *given, uint32_t first, uint32_t end)
{
    const ab_contact_writing w = *given;
    ab_contacts_written written = { 0 };
    matching m;
    m.added = m.done = m.changes = 0;
    m.most_change = false;
    volatile uint32_t lines_read = 0;
    const bool looks = AB_PREFETCHES && w.slot_count > MOST_NEAR;
    for (uint32_t i = first; i < end; ++i)
    {
        if (looks)
        {
            AB_PREFETCH_AT(w.entries, w.found[i + ENTRIES_AHEAD < end ? i + ENTRIES_AHEAD : i]);
            look_far(&w, i + FAR_AHEAD < end ? i + FAR_AHEAD : i, m.most_change);
            look_ahead(&w, i + SLOTS_AHEAD < end ? i + SLOTS_AHEAD : i, m.most_change);
        }
        else if (!AB_PREFETCHES && (i - first) % READ_AHEAD == 0)
        {
            lines_read = read_ahead(&w, i, end, MATCHES_AT_ONCE || m.most_change);
        }
        write_one(&w, i, &m, &written);
        if (!MATCHES_AT_ONCE && i % CHANGES_OVER == 0)
        {
            m.most_change = m.changes > CHANGES_OVER / 2;
            m.changes = 0;
        }
    }
    if (!MATCHES_AT_ONCE)
    {
        match_rest(&m);
    }
    (void)lines_read;
    return written;
}
