// Contacts whose manifolds stand, because neither body was anchored anew (see bounds/anchors.h). They keep their place
// in the list; their separations follow the bodies, and so do the begins and ends of their pairs. The others of the
// last detect are merged with the new manifolds as in worlds without anchors. All contacts of two bodies are of one
// sort.
#ifndef AB_KEPT_CONTACTS_H
#define AB_KEPT_CONTACTS_H

#include "base/arena.h"
#include "base/tasks.h"
#include "contact/contact_list.h"
#include "contact/contact_pool.h"
#include "contact/names.h"

// Where separations are those at the anchors, nothing of them follows: they are told from the others, and once they
// have stood in a detect they are not touched at all.

// What the pass finds; in the arena. Contacts are named by their index in the last detect's list, ascending.
typedef struct ab_kept
{
    const ab_contact_list *last;
    uint32_t *others;        // that are not kept
    uint32_t *begun, *ended; // kept contacts of which the pair begins or ends: of each pair one
    uint32_t count, other_count, begun_count, ended_count;
    const ab_contact_pool *pool; // has the contacts with their flags now; it may move them meanwhile
    uint8_t *flags_before;       // by index, of those that are kept, at the last detect; or NULL
    const uint8_t *known;        // by body slot, or NULL: AB_ANCHOR_…
    ab_contacts_written written; // of those that are kept
} ab_kept;

// The contacts of one task; on a cache line of its own.
typedef struct ab_kept_part
{
    _Alignas(AB_CACHE_LINE) uint32_t first; // its lists begin at the same index
    ab_follow_counts counts;
} ab_kept_part;

// The caller sets the members before the gap.
typedef struct ab_kept_pass
{
    const ab_contact_pool *pool;
    const ab_contact_list *last;
    const uint8_t *known; // by body slot: AB_ANCHOR_…; NULL: nothing is kept
    const ab_shift *shifts;
    const ab_shift *shifts_before; // as the last detect found them; NULL: unknown
    const ab_follow_kernels *kernels;
    float margin;
    bool at_anchors;             // separations are those at the anchors
    ab_contacts_written written; // by the last detect
    ab_arena *arena;
    ab_granularity granularity;

    ab_partition partition;
    ab_kept_part *parts;
    uint32_t *changed; // kept contacts that touch and did not, or the other way about
    float *before;     // separations of the kept contacts, where those shifts are unknown; a part each
    ab_kept out;
} ab_kept_pass;

// Choose the contacts of the last detect that stand: neither body is anchored anew, and one of them may move. Write
// their separations and flags in place; ab_kept_undo undoes that if the detect fails.
extern const ab_phase ab_kept_phases[];

// Whether any contact of two bodies whose contacts are kept touches, or touched at the last detect. `bodies`: as in a
// key.
bool ab_kept_touch(const ab_kept *kept, bool before, uint64_t bodies);

// Gives the contacts in these slots that are kept the flags of such. For where separations are those at the anchors.
void ab_kept_flag(const uint8_t *known, abut_contact *contacts, const uint32_t *slots, uint32_t count);

// Undoes what the pass has written to contacts. Call when a detect fails after it.
void ab_kept_undo(const ab_kept_pass *pass);

// Writes the contacts of the last detect's list [first, end) to a new one, without `others`, and with those of `fresh`
// that belong between them, before the first of all if `first` is 0, and behind the last of all. `fresh` and the kept
// contacts have no pair in common.
void ab_kept_compose(const ab_kept *kept, const ab_contact_list *fresh, uint32_t fresh_count, uint32_t first,
                     uint32_t end, const ab_contact_list *to);

#endif
