// A set of contacts in canonical order, with their points and the impulses a solver keeps at them.
#ifndef AB_RESULTS_H
#define AB_RESULTS_H

#include "narrow/narrow.h"

#include <abut/world.h>

// Where the manifold of a contact was computed, and what of the contact is needed to look it up.
typedef struct ab_remembered
{
    uint32_t reference; // its slot; ABUT_NONE: not remembered; AB_WANTED
    uint32_t collider_a, collider_b;
} ab_remembered;

#define AB_WANTED (ABUT_NONE - 1u) // a reference that is to be made, in results that are not published yet

// The features of a contact's points in one word, 16 bits each, for seeing at a glance that they are those of another contact;
// AB_FEATURES_LONG where some feature needs more. Equal words that are not that mean equal features and counts: where there is no point,
// the bits are ones, as in no feature.
#define AB_FEATURES_LONG UINT64_MAX

// There are four features to read whatever the count, 1 to 4; decided without a branch, for counts cannot be foretold.
static inline uint64_t ab_features_of(const abut_point points[AB_MAX_POINTS], uint32_t count)
{
    const uint32_t f0 = points[0].feature, f1 = points[1].feature, f2 = points[2].feature, f3 = points[3].feature;
    const uint32_t m1 = 0u - (uint32_t)(count > 1), m2 = 0u - (uint32_t)(count > 2), m3 = 0u - (uint32_t)(count > 3);
    const uint32_t all = f0 | (f0 + 1) | ((f1 | (f1 + 1)) & m1) | ((f2 | (f2 + 1)) & m2) | ((f3 | (f3 + 1)) & m3);
    const uint32_t low = f0 | (f1 | ~m1) << 16, high = f2 | ~m2 | (f3 | ~m3) << 16;
    return all > 0xffffu ? AB_FEATURES_LONG : (uint64_t)high << 32 | low;
}

// All growable, with room for AB_MAX_POINTS points past the last; impulses run parallel to points, keys to contacts; first_points
// repeats what the contacts say, in a sixteenth of their space.
typedef struct ab_results
{
    abut_contact *contacts;
    uint64_t *keys;
    uint32_t *first_points; // by contact, and one more: the number of points
    uint64_t *features;     // by contact
    abut_point *points;
    abut_impulse *impulses;
    ab_remembered *remembered; // by contact; empty where nothing is remembered
    abut_event *events[2];     // by abut_event_kind
    uint64_t speculative;
} ab_results;

// Sets the lengths, making room. False when memory is refused; then lengths may have changed.
bool ab_results_resize(ab_results *results, ab_memory *memory, size_t contacts, size_t points);
bool ab_results_reserve(ab_results *results, ab_memory *memory, size_t contacts, size_t points);
void ab_results_close(ab_results *results);

// Asserts the order of the contacts and the packing of their points.
void ab_results_check(const ab_results *results);

#endif
