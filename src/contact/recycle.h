// Which contacts of the last detect keep their manifolds: those between colliders that nobody edited since, that may still meet,
// of which one at least is awake, none is fast (sweeps want to see the pair), and that the kernel finds to have moved by less than the tolerance and to touch. What is decided
// depends on nothing but the two colliders and where the manifold was computed, so it is the same with any broad phase.
#ifndef AB_CONTACT_RECYCLE_H
#define AB_CONTACT_RECYCLE_H

#include "contact/contact_store.h"
#include "pairs/pair_stream.h"

// What is asked of the world.
typedef struct ab_recycle_in
{
    const ab_contact_store *store;
    const ab_leaves *leaves;
    const ab_pair_rules
        *rules; // NULL: the same pairs may meet as in the last detect, but for those of edited colliders
    const abut_filter *filters; // by collider slot
    const uint32_t *edited;     // by collider slot: the detect that first sees its last edit
    uint32_t detect;            // the number of the detect under way
    float margin, tolerance;    // metres
    ab_recycle_kernel *kernel;
} ab_recycle_in;

// Appends the patches that are kept, in the order of their contacts. False when memory is refused.
bool ab_recycle_contacts(const ab_recycle_in *in, ab_memory *memory, ab_patches *patches);

#endif
