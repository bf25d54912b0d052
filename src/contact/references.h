// Where the manifolds of the present contacts were computed, for worlds that keep manifolds from detect to detect. A reference
// stays in its slot as long as its pair touches; results name slots by contact.
//
// Invariant: a slot is named by one contact of the published results, or is free.
#ifndef AB_REFERENCES_H
#define AB_REFERENCES_H

#include "contact/merge.h"
#include "contact/results.h"
#include "narrow/recycle.h"

typedef struct ab_references
{
    ab_reference *data; // growable, by slot
    uint32_t *free;     // growable stack; room for every slot
} ab_references;

// Room for so many in all. False when memory is refused.
bool ab_references_reserve(ab_references *references, ab_memory *memory, uint32_t count);

// Gives each contact of `now` that wants a reference a slot: the one its pair had, else a free one; and frees those of `before`
// that nobody took over. In now->remembered the reference is ABUT_NONE
// for contacts that want none, anything else for those that do. Room must
// be there. The slots named by `before` are void afterwards.
void ab_references_pass_on(ab_references *references, ab_results *now, ab_results *before, const uint32_t *previous);

void ab_references_close(ab_references *references);

// Asserts the invariant.
void ab_references_check(const ab_references *references, const ab_results *published);

#endif
