// Contacts whose manifolds stand, because neither body was anchored anew (see bounds/anchors.h), and the separations of
// all contacts at the present poses.
//
// A manifold is that of two anchors. Body a has since moved by way_a + turn_a x r at r from its position, b likewise; so
// the separation of a point changes by the difference of the two along the normal, to first order in the rotations. The
// contact's own separation changes as that of its deepest point.
#ifndef AB_KEPT_CONTACTS_H
#define AB_KEPT_CONTACTS_H

#include "base/arena.h"
#include "base/tasks.h"
#include "contact/contact_list.h"
#include "contact/contact_pool.h"
#include "contact/names.h"

// The separations of a contact at the present poses.
typedef struct ab_separations
{
    float gap[AB_MAX_POINTS]; // of its points
    float separation;
} ab_separations;

// The contacts of the last detect that are kept; in the arena.
typedef struct ab_kept
{
    uint32_t *contacts; // their indices in the last detect's list, ascending
    uint32_t count;
    ab_separations *separations; // by index in the last detect's list; of those that are kept
    uint8_t *touching;           // likewise: within the margin
} ab_kept;

// The contacts of one task; on a cache line of its own.
typedef struct ab_kept_part
{
    _Alignas(AB_CACHE_LINE) uint32_t first; // its list begins at the same index
    uint32_t count;
} ab_kept_part;

// The caller sets the members before the gap.
typedef struct ab_kept_pass
{
    const ab_contact_pool *pool;
    const ab_contact_list *last;
    const uint8_t *known; // by body slot: AB_ANCHOR_…; NULL: nothing is kept
    const ab_shift *shifts;
    float margin;
    ab_arena *arena;
    ab_granularity granularity;

    ab_partition partition;
    ab_kept_part *parts;
    ab_kept out;
} ab_kept_pass;

// Choose the contacts of the last detect that stand: neither body is anchored anew, and one of them may move. Compute
// their separations.
extern const ab_phase ab_kept_phases[];

// The separations of a new manifold with so many points; `at` becomes what is kept of it.
void ab_separations_of(const ab_packed_manifold *packed, uint32_t count, const ab_contact_names *names,
                       ab_anchored *at, ab_separations *out);

// Writes the separations of kept contacts [first, end) to their slots, and their flags. Returns their points, and how many
// are speculative.
ab_contacts_written ab_kept_write(const ab_kept *kept, const ab_contact_list *last, const ab_contact_pool *pool,
                                  uint32_t first, uint32_t end);

#endif
