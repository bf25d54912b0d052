// Names the first difference of two images. What each word of an element is called stands in a table by section.
#include "record/replay.h"

#include <string.h>

// The name of a word, behind what sort of word it is.
typedef const char *word_name;

#define FLOAT '~'
#define OWN   '#' // what worlds need not have in common though the calls were the same

#define POSE                                                                                                           \
    "~position.x", "~position.y", "~position.z", "unused", "~rotation.x", "~rotation.y", "~rotation.z", "~rotation.w"

static const word_name settings[] = {
    "detects",
    "detects",
    "~margin",
    "~recycle distance",
    "~speculative distance",
    "~horizon",
    "dimension",
    "#tag of handles",
    "#first generation",
    "edits of rules",
    "edits of colliders",
    "which types collide",
    "number of custom kinds",
    "generations of contact slots given back",
    "what stands, and which separations",
    "unused",
};
static const word_name body[] = { "uses of the slot", "type and flags" };
static const word_name pose[] = { POSE };
static const word_name velocity[] = { "~velocity.linear.x",  "~velocity.linear.y",  "~velocity.linear.z",
                                      "~velocity.angular.x", "~velocity.angular.y", "~velocity.angular.z" };
static const word_name user_data[] = { "#user data", "#user data" };
static const word_name collider[] = {
    "kind of shape",
    "shape",
    "shape",
    "shape",
    "shape",
    "shape",
    "shape",
    "shape",
    "shape",
    "shape",
    "shape",
    "shape",
    "shape",
    "shape",
    "shape",
    "shape",
    "filter.category",
    "filter.mask",
    "filter.group",
    "uses of the slot",
    "body and ordinal",
    "edits",
};
static const word_name state[] = { "flags" };
static const word_name fixed[] = { "collider", "~record", "~record",   "~record",   "~record",  "~record", "~record",
                                   "~record",  "~record", "~record",   "~record",   "~record",  "~record", "~record",
                                   "~record",  "~record", "~min.x",    "~min.y",    "~min.z",   "~max.x",  "~max.y",
                                   "~max.z",   "~reach",  "~offset.x", "~offset.y", "~offset.z" };
static const word_name contact[] = { "collider a",  "collider b", "~normal.x", "~normal.y",       "~normal.z",
                                     "~separation", "slot",       "child",     "flags and points" };
static const word_name point[] = { "~offset.x", "~offset.y", "~offset.z", "~separation", "feature" };
static const word_name impulse[] = { "~normal", "~tangent[0]", "~tangent[1]", "~torsion" };
static const word_name pair[] = { "collider a", "collider b", "filter a", "filter a",
                                  "filter a",   "filter b",   "filter b", "filter b" };
static const word_name event[] = { "body a",
                                   "#body a",
                                   "body b",
                                   "#body b",
                                   "collider a",
                                   "#collider a",
                                   "collider b",
                                   "#collider b",
                                   "#user data a",
                                   "#user data a",
                                   "#user data b",
                                   "#user data b",
                                   "#collider data a",
                                   "#collider data a",
                                   "#collider data b",
                                   "#collider data b",
                                   "contact",
                                   "contact",
                                   "flags",
                                   "unused" };
static const word_name impact[] = { "body",      "#body",     "other body", "#other body", "collider",
                                    "#collider", "collider",  "#collider",  "hit",         "~time",
                                    "~normal.x", "~normal.y", "~normal.z",  "~offset.x",   "~offset.y",
                                    "~offset.z", "~distance", "flags",      "child",       "unused" };
static const word_name exclusion[] = { "body a", "body b", "times" };

// How the bodies of an element are found.
typedef enum owner
{
    NO_BODY,
    BY_SLOT,     // the element's index is the body's slot
    BY_COLLIDER, // its index is the collider's slot
    FIRST_WORD,  // its first word is a collider's slot
    TWO_WORDS,   // its first two are
    BY_POINT,    // points of contacts, whose section is one or two before
    TWO_BODIES,  // its first two words are bodies' slots
    TWO_HANDLES  // words 0 and 2 are
} owner;

typedef struct section_row
{
    const char *part;
    const word_name *words; // NULL: slots
    uint32_t count;
    owner owner;
} section_row;

#define WORDS(names) names, sizeof names / sizeof *names

static const section_row rows[AB_SECTION_COUNT] = {
    [AB_SECTION_SETTINGS] = { "world", WORDS(settings), NO_BODY },
    [AB_SECTION_BODIES] = { "body", WORDS(body), BY_SLOT },
    [AB_SECTION_POSES] = { "body", WORDS(pose), BY_SLOT },
    [AB_SECTION_VELOCITIES] = { "body", WORDS(velocity), BY_SLOT },
    [AB_SECTION_BODY_DATA] = { "body", WORDS(user_data), BY_SLOT },
    [AB_SECTION_ANCHORS] = { "anchor", WORDS(pose), BY_SLOT },
    [AB_SECTION_BODIES_FREE] = { "free bodies", NULL, 1, NO_BODY },
    [AB_SECTION_BODIES_RETIRED] = { "ended bodies", NULL, 1, NO_BODY },
    [AB_SECTION_COLLIDERS] = { "collider", WORDS(collider), BY_COLLIDER },
    [AB_SECTION_COLLIDER_STATES] = { "collider", WORDS(state), BY_COLLIDER },
    [AB_SECTION_COLLIDER_DATA] = { "collider", WORDS(user_data), BY_COLLIDER },
    [AB_SECTION_COLLIDERS_FREE] = { "free colliders", NULL, 1, NO_BODY },
    [AB_SECTION_COLLIDERS_RETIRED] = { "ended colliders", NULL, 1, NO_BODY },
    [AB_SECTION_LOCALS] = { "local pose", WORDS(pose), BY_COLLIDER },
    [AB_SECTION_STATIC] = { "static collider", WORDS(fixed), FIRST_WORD },
    [AB_SECTION_WOKEN] = { "woken bodies", NULL, 1, NO_BODY },
    [AB_SECTION_DIRTY] = { "edited colliders", NULL, 1, FIRST_WORD },
    [AB_SECTION_WAS_DIRTY] = { "edited colliders", NULL, 1, FIRST_WORD },
    [AB_SECTION_EXCLUSIONS] = { "exclusion", WORDS(exclusion), TWO_BODIES },
    [AB_SECTION_CONTACT_SLOTS] = { "contact slots", NULL, 1, NO_BODY },
    [AB_SECTION_SLOTS_RETIRED] = { "ended contacts", NULL, 1, NO_BODY },
    [AB_SECTION_CONTACTS] = { "contact", WORDS(contact), TWO_WORDS },
    [AB_SECTION_POINTS] = { "contact point", WORDS(point), BY_POINT },
    [AB_SECTION_IMPULSES] = { "impulse", WORDS(impulse), BY_POINT },
    [AB_SECTION_ANCHORED] = { "contact at its anchors", NULL, 1, NO_BODY },
    [AB_SECTION_ASLEEP_CONTACTS] = { "asleep contact", WORDS(contact), TWO_WORDS },
    [AB_SECTION_ASLEEP_POINTS] = { "asleep contact point", WORDS(point), BY_POINT },
    [AB_SECTION_ASLEEP_IMPULSES] = { "asleep impulse", WORDS(impulse), BY_POINT },
    [AB_SECTION_VETOES] = { "vetoed pair", WORDS(pair), TWO_WORDS },
    [AB_SECTION_ASLEEP_VETOES] = { "asleep vetoed pair", WORDS(pair), TWO_WORDS },
    [AB_SECTION_OVERLAPS] = { "sensor overlap", WORDS(pair), TWO_WORDS },
    [AB_SECTION_ASLEEP_OVERLAPS] = { "asleep sensor overlap", WORDS(pair), TWO_WORDS },
    [AB_SECTION_BEGUN] = { "begin event", WORDS(event), TWO_HANDLES },
    [AB_SECTION_ENDED] = { "end event", WORDS(event), TWO_HANDLES },
    [AB_SECTION_SENSOR_BEGUN] = { "sensor begin event", WORDS(event), TWO_HANDLES },
    [AB_SECTION_SENSOR_ENDED] = { "sensor end event", WORDS(event), TWO_HANDLES },
    [AB_SECTION_IMPACTS] = { "impact", WORDS(impact), TWO_HANDLES },
    [AB_SECTION_SENSOR_IMPACTS] = { "sensor impact", WORDS(impact), TWO_HANDLES },
};

static uint32_t word_at(const ab_image *image, uint32_t id, uint64_t element, uint32_t word)
{
    uint32_t out;
    const unsigned char *data = image->section[id].data;
    memcpy(&out, data + element * ab_section_element((ab_section_id)id) + word * sizeof out, sizeof out);
    return out;
}

static uint32_t body_of(const ab_image *image, uint64_t collider_slot)
{
    const ab_section *colliders = &image->section[AB_SECTION_COLLIDERS];
    const uint32_t key = offsetof(ab_saved_collider, collider_key) / sizeof(uint32_t);
    return collider_slot < colliders->count ? word_at(image, AB_SECTION_COLLIDERS, collider_slot, key) >> 8 : ABUT_NONE;
}

static void find_contact_of_point(const ab_image *image, uint32_t contacts, uint64_t at, abut_replay_difference *out)
{
    const uint32_t packed = offsetof(ab_saved_contact, packed) / sizeof(uint32_t);
    uint64_t end = 0;
    for (uint64_t i = 0; i < image->section[contacts].count; ++i)
    {
        end += word_at(image, contacts, i, packed) & 0xffu;
        if (at < end)
        {
            out->body = body_of(image, word_at(image, contacts, i, 0));
            out->other = body_of(image, word_at(image, contacts, i, 1));
            return;
        }
    }
}

static void find_bodies(const ab_image *image, uint32_t id, uint64_t at, abut_replay_difference *out)
{
    switch (rows[id].owner)
    {
    case NO_BODY:
        break;
    case BY_SLOT:
        out->body = (uint32_t)at;
        break;
    case BY_COLLIDER:
        out->body = body_of(image, at);
        break;
    case FIRST_WORD:
        out->body = body_of(image, word_at(image, id, at, 0));
        break;
    case TWO_WORDS:
        out->body = body_of(image, word_at(image, id, at, 0));
        out->other = body_of(image, word_at(image, id, at, 1));
        break;
    case BY_POINT:
        find_contact_of_point(
            image, id >= AB_SECTION_ASLEEP_CONTACTS ? AB_SECTION_ASLEEP_CONTACTS : AB_SECTION_CONTACTS, at, out);
        break;
    case TWO_BODIES:
        out->body = word_at(image, id, at, 0);
        out->other = word_at(image, id, at, 1);
        break;
    case TWO_HANDLES:
        out->body = word_at(image, id, at, 0);
        out->other = word_at(image, id, at, 2);
        break;
    }
}

static const char *name_of_word(uint32_t id, uint32_t word)
{
    return rows[id].words ? rows[id].words[word] : "value";
}

// The first word of the sections' common elements that differs; false: none does. `apart`: the images are of two
// worlds.
static bool find_word(const ab_section *a, const ab_section *b, uint32_t id, bool apart, uint64_t *element,
                      uint32_t *word)
{
    const uint64_t count = a->count < b->count ? a->count : b->count, size = ab_section_element((ab_section_id)id);
    const unsigned char *one = a->data, *other = b->data;
    for (uint64_t i = 0; i < count; ++i)
    {
        for (uint64_t at = 0; at < size; at += sizeof *word)
        {
            const uint32_t here = (uint32_t)(at / sizeof *word);
            if (memcmp(one + i * size + at, other + i * size + at, sizeof *word) != 0 &&
                !(apart && *name_of_word(id, here) == OWN))
            {
                *element = i;
                *word = here;
                return true;
            }
        }
    }
    return false;
}

static bool compare_section(const ab_image *recorded, const ab_image *replayed, uint32_t id, bool apart,
                            abut_replay_difference *out)
{
    const section_row *row = &rows[id];
    const ab_section *a = &recorded->section[id], *b = &replayed->section[id];
    uint64_t element;
    uint32_t word;
    out->part = row->part;
    if (find_word(a, b, id, apart, &element, &word))
    {
        const char *name = name_of_word(id, word);
        out->is_float = *name == FLOAT;
        out->field = name + (*name == FLOAT || *name == OWN);
        out->recorded = word_at(recorded, id, element, word);
        out->replayed = word_at(replayed, id, element, word);
        find_bodies(recorded, id, element, out);
        return true;
    }
    if (a->count == b->count)
    {
        return false;
    }
    const bool fewer = a->count < b->count;
    out->field = "count";
    out->recorded = a->count;
    out->replayed = b->count;
    find_bodies(fewer ? replayed : recorded, id, fewer ? a->count : b->count, out);
    return true;
}

bool ab_images_differ(const ab_image *recorded, const ab_image *replayed, bool apart, abut_replay_difference *out)
{
    for (int pass = 0; pass < 2; ++pass) // lists of slots last: where they differ, so does what the slots are of
    {
        for (uint32_t id = 0; id < AB_SECTION_COUNT; ++id)
        {
            const bool is_first = id == AB_SECTION_SETTINGS || rows[id].owner != NO_BODY;
            if (is_first == (pass == 0) && compare_section(recorded, replayed, id, apart, out))
            {
                return true;
            }
        }
    }
    return false;
}

abut_status abut_image_compare(const void *a, size_t a_size, const void *b, size_t b_size, bool *differ,
                               abut_image_mismatch *out)
{
    ab_image one, other;
    abut_replay_difference found = { .body = ABUT_NONE, .other = ABUT_NONE };
    if (!a || !b || !differ || !out || ab_image_open(&one, a, a_size) || ab_image_open(&other, b, b_size))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    *differ = ab_images_differ(&one, &other, true, &found);
    if (*differ)
    {
        *out = (abut_image_mismatch){ found.body,     found.other,    found.part,    found.field,
                                      found.recorded, found.replayed, found.is_float };
    }
    return ABUT_OK;
}
