// A set of contacts in canonical order, with their points and the impulses a solver keeps at them.
#ifndef AB_RESULTS_H
#define AB_RESULTS_H

#include "narrow/narrow.h"

#include <abut/contacts.h>

// Where the manifold of a contact was computed, and what of the contact is needed to look it up.
typedef struct ab_has_anchors
{
    uint32_t anchor; // its slot; ABUT_NONE: not remembered; AB_WANTED
    uint32_t collider_a, collider_b;
} ab_has_anchors;

#define AB_WANTED (ABUT_NONE - 1u) // a reference that is to be made, in results that are not published yet

// All growable, with room for AB_MAX_POINTS points past the last; impulses run parallel to points, keys to contacts;
// first_points repeats what the contacts say, in a sixteenth of their space.
typedef struct ab_results
{
    abut_contact *contacts;
    uint64_t *keys;
    uint32_t *first_points; // by contact, and one more: the number of points
    uint64_t *features;     // by contact: a word of its points' features
    abut_point *points;
    abut_impulse *impulses;
    ab_has_anchors *anchored; // by contact; empty where nothing is remembered
    abut_event *events[2];    // by abut_event_kind
    uint64_t speculative;
} ab_results;

// Sets the lengths, making room. False when out of memory; then lengths may have changed.
bool ab_results_resize(ab_results *results, ab_memory *memory, size_t contacts, size_t points);
bool ab_results_have_room(const ab_results *results, size_t contacts, size_t points);
bool ab_results_reserve(ab_results *results, ab_memory *memory, size_t contacts, size_t points);
void ab_results_close(ab_results *results);

// Asserts the order of the contacts and the packing of their points.
void ab_results_check(const ab_results *results);

#endif
