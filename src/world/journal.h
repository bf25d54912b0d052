// What a recording is told of a world: every call that changed it, after the call, and moves and detects before and
// after. A world that is not recorded pays for a test of a pointer in each such call.
//
// Poses, velocities, user data and impulses are not told: callers write them in place, and a recording compares them.
#ifndef AB_JOURNAL_H
#define AB_JOURNAL_H

#include "world/world.h"

typedef enum ab_change_kind
{
    AB_CHANGE_CREATED,       // bodies, body_defs
    AB_CHANGE_DESTROYED,     // bodies
    AB_CHANGE_STATES,        // bodies: the bits of `mask` in their states became `bits`
    AB_CHANGE_MARKED,        // bodies: those that are immobile were marked as moved
    AB_CHANGE_EXCLUDED,      // two bodies; bits: 1, or 0 for an exclusion that was removed
    AB_CHANGE_ATTACHED,      // the body, collider, collider_def
    AB_CHANGE_COLLIDER,      // collider, collider_def
    AB_CHANGE_DETACHED,      // collider
    AB_CHANGE_COLLIDES,      // a, b: body types; bits: 1 or 0
    AB_CHANGE_KIND,          // a custom kind was registered
    AB_CHANGE_PAIR_FUNCTION, // a, b: kinds; bits: 1, or 0 for none
    AB_CHANGE_RESTORED,      // the whole world
    AB_CHANGE_BEGINS,        // bits: ab_running; seconds
    AB_CHANGE_ASKED,         // the veto has answered about `count` pairs
    AB_CHANGE_ENDS,          // bits, as it began; status
    AB_CHANGE_CLOSED         // the world is about to be destroyed
} ab_change_kind;

// What runs between AB_CHANGE_BEGINS and AB_CHANGE_ENDS.
typedef enum ab_running
{
    AB_RUNNING_MOVE,
    AB_RUNNING_DETECT,
    AB_RUNNING_STEP,
    AB_RUNNING_COUNT
} ab_running;

// The members that its kind names; the rest is zero.
typedef struct ab_change
{
    ab_change_kind kind;
    uint32_t count; // bodies, or pairs
    const abut_body *bodies;
    const abut_body_def *body_defs; // as the caller gave them
    const abut_collider_def *collider_def;
    abut_collider collider;
    uint32_t a, b, mask, bits;
    float seconds;
    abut_status status;
    const bool *vetoed;
} ab_change;

typedef struct ab_journal
{
    void (*tell)(struct ab_journal *journal, abut_world *world, const ab_change *change);
} ab_journal;

// Builds without recordings have no journal.
#ifdef AB_RECORDINGS
static inline void ab_journal_tell(abut_world *world, const ab_change *change)
{
    if (world->journal)
    {
        world->journal->tell(world->journal, world, change);
    }
}
#define AB_TELL(world, ...) ab_journal_tell((world), &(const ab_change){ __VA_ARGS__ })
#else
#define AB_TELL(world, ...) ((void)0)
#endif

#endif
