// How steady contacts are: the share of points whose feature was there in the detect before, at the same contact.
#ifndef ABUT_STACK_STEADINESS_H
#define ABUT_STACK_STEADINESS_H

#include <abut/abut.h>

typedef struct steadiness
{
    uint64_t points, kept;
    uint64_t new_contacts; // of those not kept: points of contacts that were not there before
    uint64_t axis_changes; // and points of contacts whose separating axis is another
    abut_contact *last;    // of the detect before, by slot
    uint32_t room;         // slots
} steadiness;

// Reads the results of the last detect; counts them when `count` is set, and keeps them for the next. False: out of
// memory.
bool steadiness_look(steadiness *f, abut_world *world, bool count);
void steadiness_print(const steadiness *f, const char *name);
void steadiness_close(steadiness *f);

#endif
