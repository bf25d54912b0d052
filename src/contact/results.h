// A set of contacts in canonical order, with their points and the solver's impulses.
#ifndef AB_RESULTS_H
#define AB_RESULTS_H

#include "narrow/narrow.h"

#include <abut/contacts.h>

// The anchor of a contact's manifold, and the colliders needed to test it.
typedef struct ab_contact_anchor
{
    uint32_t anchor; // its slot; ABUT_NONE: the manifold is not cached; AB_WANTED
    uint32_t collider_a, collider_b;
} ab_contact_anchor;

#define AB_WANTED (ABUT_NONE - 1u) // in unpublished results: an anchor still to be computed

// All growable, with AB_MAX_POINTS of padding behind the last point. Impulses are parallel to points, keys to contacts.
// first_points repeats the contacts' member in a sixteenth of the space.
typedef struct ab_results
{
    abut_contact *contacts;
    uint64_t *keys;
    uint32_t *first_points; // by contact, and one more: the number of points
    uint64_t *features;     // by contact: its points' features packed into a word
    abut_point *points;
    abut_impulse *impulses;
    ab_contact_anchor *anchored; // by contact; empty if manifolds are not recycled
    abut_event *events[2];       // by abut_event_kind
    uint64_t speculative;
} ab_results;

// Sets the lengths. False when out of memory; lengths may have changed then.
bool ab_results_resize(ab_results *results, ab_memory *memory, size_t contacts, size_t points);
bool ab_results_have_room(const ab_results *results, size_t contacts, size_t points);
bool ab_results_reserve(ab_results *results, ab_memory *memory, size_t contacts, size_t points);
void ab_results_close(ab_results *results);

// Gives back room that has not been needed for long; keeps that for so many contacts with all their points.
void ab_results_trim(ab_results *results, ab_memory *memory, size_t contacts);

// Asserts that contacts are sorted and their points packed.
void ab_results_check(const ab_results *results);

#endif
