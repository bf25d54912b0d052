// The world: what later results follow from (state), what is made from that (cache), and a detect under way (work).
//
// A collider has a proxy in the broad phase exactly when its body is enabled and it may collide with anything. A static
// or sleeping body is immobile: its colliders' proxies are active for one detect after each change, then go to the
// static set.
#ifndef AB_WORLD_H
#define AB_WORLD_H

#include "base/kernels.h"
#include "base/memory.h"
#include "world/world_cache.h"
#include "world/world_state.h"
#include "world/world_work.h"

#include <abut/contacts.h>
#include <abut/statistics.h>
#include <abut/world.h>

struct abut_world
{
    ab_state state;
    ab_cache cache;
    ab_work work;

    ab_memory memory;
    abut_isa isa;
    const ab_kernels *kernels;
    const ab_pair_table *table;
    ab_pool *pool; // NULL: one thread
    abut_on_error *on_error;
    void *on_error_context;
    abut_veto *veto;
    void *veto_context;
    struct ab_journal *journal; // of a recording; NULL: none
    abut_statistics statistics; // but for what abut_world_statistics reads elsewhere
};

// ABUT_OK, or why the world cannot be called now (NULL, inside a callback, or between abut_world_detect_begin and
// abut_world_detect_end).
abut_status ab_world_enter(const abut_world *world);

// Between the two, arithmetic uses our own floating-point environment, and ab_fail restores the caller's for the
// callback. They do not nest: ab_world_enter comes first.
void ab_world_float_enter(abut_world *world);
void ab_world_float_leave(abut_world *world);

// Calls the caller's `on_error` in the caller's floating-point environment, and returns `status`.
abut_status ab_fail(const abut_world *world, abut_status status, const char *call, uint32_t index,
                    const char *sentence);

// A custom kind's validation of a shape, called with the world busy. NULL for a valid shape.
const char *ab_world_shape_objection(abut_world *world, const abut_shape *shape);

// Marks every immobile collider dirty, after a rule about pairs changed. Cannot fail: ab_places_reserve came before.
void ab_world_look_again(abut_world *world);

// Whether the handle names a live body or collider of this world.
bool ab_body_live(const abut_world *world, abut_body body);
bool ab_collider_live(const abut_world *world, abut_collider collider);

// Validates a collider's definition and fills in defaults. Returns NULL, or the sentence that says what is wrong.
const char *ab_collider_accept(abut_world *world, abut_collider_def *def);

// What is wrong with a pose or a velocity in this world; NULL: nothing. Normalises the pose's rotation.
const char *ab_world_pose_fault(const abut_world *world, abut_pose *pose);
const char *ab_world_velocity_fault(const abut_world *world, const abut_velocity *velocity);

// Converts a definition's flags to a collider's state, and back.
uint32_t ab_collider_state_of(uint32_t flags);
uint32_t ab_collider_flags_of(uint32_t state);

// Whether an accepted definition needs a local pose.
bool ab_collider_is_placed(const abut_collider_def *def);

// Reserves `more` collider slots; with `placed`, also local poses.
bool ab_colliders_reserve(abut_world *world, uint32_t more, bool placed);

// Reserves local poses for so many slots, and makes those of slots that have none. Most worlds have no collider away
// from its body's origin; the first such collider makes this array.
bool ab_locals_reserve(abut_world *world, size_t slots);

// Reserves room for `colliders` calls of ab_collider_place, and what the next detect needs of it.
bool ab_places_reserve(abut_world *world, uint32_t colliders);
bool ab_places_reserve_next(abut_world *world, uint32_t colliders);

// Creates a collider from an accepted definition, linked into its body but without a proxy. Cannot fail. Returns its
// slot.
uint32_t ab_collider_add(abut_world *world, uint32_t body_slot, uint32_t ordinal, const abut_collider_def *def);

// The lowest ordinal of a body unused since the last detect; ABUT_MAX_COLLIDERS_PER_BODY: none.
uint32_t ab_collider_free_ordinal(const abut_world *world, uint32_t body_slot);

// The collider as the broad phase needs it.
ab_proxy_def ab_collider_describe(const abut_world *world, uint32_t slot);
ab_proxy_def ab_world_describe(abut_world *world, uint32_t slot); // the same within a change: the world is busy

// The AABB of a live collider at its body's present pose, as a detect would compute it. False when the pose is invalid.
bool ab_collider_bounds(const abut_world *world, uint32_t slot, abut_aabb *out);

// Destroys a collider. Its slot and ordinal are retired until the next detect.
void ab_collider_end(abut_world *world, uint32_t slot);

// Makes the collider's proxy match its state: none, or an active one that counts as changed. Cannot fail.
void ab_collider_place(abut_world *world, uint32_t slot);

// The same for all colliders of a body.
void ab_body_place(abut_world *world, uint32_t body_slot);

// The live colliders of a body.
uint32_t ab_body_collider_count(const abut_world *world, uint32_t body_slot);

// A slot's next generation, from its use count.
uint32_t ab_generation_of(const abut_world *world, uint32_t uses);

// The poses before a move, to restore when the rest of the step fails.
typedef struct ab_undo
{
    uint32_t *slots;
    abut_pose *poses;
    struct ab_move_part *part; // each has a range of the two
    uint32_t parts;
} ab_undo;

// Moves all bodies; unless it returns ABUT_OK, none has moved. The undo is in the arena, which is otherwise empty.
abut_status ab_move(abut_world *world, float dt, ab_undo *undo, const char *call);
void ab_move_undo(abut_world *world, const ab_undo *undo);

// Whether manifolds are recycled: bodies have anchors.
static inline bool ab_world_recycles(const abut_world *world)
{
    return world->state.recycle_distance > 0.0f;
}

// Whether separations follow the bodies.
static inline bool ab_world_follows(const abut_world *world)
{
    return ab_world_recycles(world) && !world->state.at_anchors;
}

// Whether the detect that runs, or the last one, computes contacts that may stand in the next: it does not where fewer
// than a quarter of the mobile bodies are calm.
static inline bool ab_world_is_anchored(const abut_world *world)
{
    return ab_world_recycles(world) && !world->cache.anchoring.unanchored;
}

// Find which bodies are anchored anew; then choose whether it is worth to let the others stand. Publish the anchors
// after a detect.
extern const ab_phase ab_anchor_phases[], ab_anchor_choice_phases[];

// What a detect that is anchored knows of the bodies' anchors, by body slot; NULL for every other one.
const uint8_t *ab_anchors_known(const abut_world *world);

void ab_anchors_publish(abut_world *world);

// Makes the next detect anchor a body, or all of some types, at their poses: something other than a pose was edited.
// `motions` has a bit for each abut_motion.
void ab_body_unanchor(abut_world *world, uint32_t body);
void ab_world_unanchor(abut_world *world, uint32_t motions);
void ab_anchoring_close(ab_anchoring *anchoring);

// Lists the passes of a detect in order.
void ab_world_list_passes(abut_world *world, ab_pass passes[AB_MOST_PASSES]);

// Whether tasks of a caller-driven detect are running.
bool ab_detect_is_running(const abut_world *world);

// For tests: sets how finely passes are partitioned.
void ab_world_set_granularity(abut_world *world, ab_granularity granularity);

// Recomputes the AABBs and records of the active set at the present poses, for the last detect's horizon.
abut_status ab_world_refresh_bounds(abut_world *world);

// What the bounds pass reads; and giving it to the broad phase before an update, with what else that reads.
ab_bounds_in ab_world_bounds_in(const abut_world *world);
void ab_world_prepare_broad(abut_world *world);

// After an update of the broad phase that came to its end, by itself or in a detect; and after one that may not have:
// boxes are those of the present poses, and no tree stands over them.
void ab_world_indexed(abut_world *world);
void ab_world_index_lost(abut_world *world);

// A collider was made, edited or ended.
static inline void ab_collider_changed(abut_world *world, uint32_t slot)
{
#ifndef AB_SMALL
    world->cache.packed.changed[world->state.colliders.revision % AB_PACKED_CHANGES] = slot;
#endif
    (void)slot;
    ++world->state.colliders.revision;
}

// The number of the first detect after an edit made now.
static inline uint32_t ab_next_detect(const abut_world *world)
{
    return (uint32_t)world->state.detects + 1u;
}

// The kernels' input for so many pairs of proxies, and the contacts' names.
ab_batch ab_world_batch(const abut_world *world, const uint32_t *a, const uint32_t *b, uint32_t count);
ab_contact_names ab_world_names(const abut_world *world);

// Prepares the index of cached axes, whose phases run next, and returns the lookup; empty if not needed.
ab_cached_axes ab_world_cached_axes(abut_world *world, bool needed);

// Whether the broad phase of the present detect drops pairs that do not collide; and deciding it for the next one,
// after a detect has succeeded. It follows from what the world holds and found, whichever broad phase ran.
bool ab_world_drops_pairs(const abut_world *world);
void ab_world_judge_filters(abut_world *world);

// Whether a period of trimming begins with the next detect, or the one that runs.
bool ab_world_trims(const abut_world *world);

// Gives back room that the last detects did not need. Call when a detect begins. Cannot fail.
void ab_world_trim(abut_world *world);

// Drops free slots of contacts now and then. Call after a detect has succeeded and is counted.
void ab_world_cut(abut_world *world);

// Find the sensor overlaps, into `sensed`.
extern const ab_phase ab_sense_phases[];

// Appends the touching pairs of a batch of pairs with a sensor, whatever the horizon; `out` has room for all. Returns
// their number. If a pair has an invalid manifold, *invalid becomes a proxy of it and the rest is undefined; else
// ABUT_NONE.
uint32_t ab_sense_batch(const abut_world *world, ab_touching_kernel *kernel, const ab_batch *pairs, ab_sort_entry *out,
                        uint32_t *invalid);

// The veto as a detect calls it; empty if the caller has none.
ab_veto ab_world_veto(abut_world *world);

// Whether a collider listed in `was_dirty` joins the static set when the next detect begins.
bool ab_collider_goes_static(const abut_world *world, uint32_t slot);

// Counts the published results for the statistics.
void ab_world_count_results(abut_world *world);

// Makes retired slots usable and `dirty` into `was_dirty`. Called when a detect has succeeded.
void ab_world_publish(abut_world *world);

// Asserts every invariant of the world and of what it owns. Only checked builds.
void ab_world_check(const abut_world *world);
#ifdef AB_CHECKED
#define AB_WORLD_CHECK(world) ab_world_check(world)
#else
#define AB_WORLD_CHECK(world) ((void)(world))
#endif

#endif
