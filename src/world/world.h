// The world: its lasting state, and the stages of a step.
//
// A collider has a proxy in the broad phase exactly when its body is enabled and it may collide with anything. A static
// or sleeping body is immobile: its colliders' proxies are active for one detect after each change, then go to the
// static set.
#ifndef AB_WORLD_H
#define AB_WORLD_H

#include "base/arena.h"
#include "base/kernels.h"
#include "base/memory.h"
#include "base/tasks.h"
#include "bounds/proxies.h"
#include "broad/broad.h"
#include "contact/cached_axes.h"
#include "contact/contact_update.h"
#include "contact/impacts.h"
#include "contact/recycle.h"
#include "contact/sensors.h"
#include "narrow/narrow_pass.h"
#include "pairs/pair_stream.h"

#include <abut/contacts.h>
#include <abut/statistics.h>
#include <abut/world.h>

#include <stdatomic.h>

// The generation in a handle: (how often the slot was used + the world's first generation) << 8 | the world's tag. Zero
// is the null handle.
#define AB_GENERATION_SHIFT 8u
#define AB_USE_COUNT_MAX    0xffffffu // a slot used so often is not used again

enum
{
    AB_STATE_MOTION = 3u,        // abut_motion
    AB_STATE_DISABLED = 1u << 2, // bodies
    AB_STATE_NOTHING = 1u << 3,  // colliders: collides with nothing
    AB_STATE_DIRTY = 1u << 4,    // colliders: listed in `dirty`
    AB_STATE_ASLEEP = 1u << 5,   // bodies
    AB_STATE_SENSOR = 1u << 6,   // colliders
    AB_STATE_CCD = 1u << 7       // bodies: swept
};

// By slot; all growable and of one length, except the stacks `free` and `retired`, which have room for every slot.
typedef struct ab_bodies
{
    abut_pose *pose;
    abut_velocity *velocity;
    uint64_t *user_data;
    uint32_t *generation; // zero: no body
    uint32_t *uses;       // how often the slot was used
    uint32_t *state;      // AB_STATE_…
    uint32_t *first;      // its collider of the lowest ordinal, or ABUT_NONE
    uint32_t *free;       // slots to use again
    uint32_t *retired;    // slots freed since the last detect
    uint32_t live;
} ab_bodies;

// Likewise.
typedef struct ab_colliders
{
    abut_shape *shape;
    abut_filter *filter; // defaults filled in
    uint64_t *user_data;
    uint32_t *generation; // zero: no collider
    ab_contact_name *name;
    uint32_t *uses;
    uint32_t *state;        // AB_STATE_…
    uint32_t *collider_key; // body slot << 8 | ordinal
    uint32_t *next;         // of the same body, by ordinal, or ABUT_NONE; retired colliders stay linked
    uint32_t *edited;       // the number, from 1, of the first detect after its last edit
    uint32_t *free;         // slots to use again
    uint32_t *retired;      // slots freed since the last detect
    abut_pose *local;       // NULL until a collider is placed away from its body's origin
    uint32_t live;
    uint64_t revision; // grows when one is made, edited or ended
} ab_colliders;

// The colliders as the last image has them, for the next one: bytes of one element after the other.
typedef struct ab_packed_colliders
{
    uint32_t *words;                         // growable
    const struct abut_geometry **geometries; // growable: the registry that shapes name them in
    uint64_t checksum;
    uint64_t revision; // of the colliders, plus one; 0: none are packed
    bool lacks;        // the registry lacks a geometry
} ab_packed_colliders;

// Every array by slot, for loops over all of them.
#define AB_BODY_COLUMNS(X) X(pose) X(velocity) X(user_data) X(generation) X(uses) X(state) X(first)
#define AB_COLLIDER_COLUMNS(X)                                                                                         \
    X(shape) X(filter) X(user_data) X(generation) X(name) X(uses) X(state) X(collider_key) X(next) X(edited)

// One pass of a detect: its phases and their context.
typedef struct ab_pass
{
    abut_stage stage;
    const ab_phase *phases;
    void *context;
} ab_pass;

#define AB_MOST_PASSES 20u

// The progress of a detect.
typedef struct ab_detection
{
    ab_pass passes[AB_MOST_PASSES]; // the one behind the last has no phases
    const ab_pass *pass;            // the present one
    const ab_phase *phase;          // the next one; NULL: none
    ab_task *task;                  // of the present phase
    uint32_t tasks;
    abut_status status;
    uint64_t since;         // when the present stage began
    abut_statistics before; // to restore on failure
    float horizon_before;
    bool caller_driven;              // between abut_world_detect_begin and abut_world_detect_end
    _Atomic unsigned char *progress; // growable: of each task, in a caller-driven detect
} ab_detection;

// The overlaps found by one task.
typedef struct ab_sensed
{
    uint32_t count;
    uint32_t invalid; // a proxy of a pair with an invalid manifold, or ABUT_NONE
} ab_sensed;

// The sensor pass; in the arena.
typedef struct ab_sense_pass
{
    ab_partition partition;
    ab_sort_entry *entries; // room for every pair
    ab_sensed *found;       // by task: how many of its pairs touch
} ab_sense_pass;

struct abut_world
{
    ab_memory memory;
    ab_bodies bodies;
    ab_colliders colliders;
    // growable: bodies of which a proxy left the static set since the last detect; room for every such proxy
    uint32_t *woken;
    uint32_t *dirty;     // growable: immobile colliders changed since the last detect; room for every collider
    uint32_t *was_dirty; // growable: those that were dirty at the last detect
    ab_proxies proxies;
    ab_broad broad;
    ab_pair_rules rules;
    uint32_t rules_edited;     // the number, from 1, of the first detect after their last edit
    uint32_t colliders_edited; // the same of all colliders
    uint32_t sensors_placed;   // with filters, since the last detect
    uint64_t filters_counted;  // the detect after which proxies that filters set apart were counted last, or 0
    bool drops_pairs;          // the next detect's broad phase drops pairs that do not collide
    ab_pair_stream stream;
    ab_pair_pass sorting;
    ab_packed_manifolds manifolds;
    ab_cached_axis_index cached;
    ab_narrow_pass narrow;
    ab_contact_store store;
    abut_body_impact *impacts[2];        // growable; by store.published, like its results
    abut_body_impact *sensor_impacts[2]; // the same
    ab_impacts_pass sweeping, sensor_sweeping;
    ab_recycle_pass recycling; // the manifolds that the present detect reuses, or the last one did
    ab_contact_update update;
    ab_sensors sensors;
    ab_sense_pass sense;
    ab_sort_entry *sensed; // overlaps found by the present detect, by key; in the arena
    uint32_t sensed_count;
    ab_sensing sensing; // of the present detect; published with the contacts
    ab_arena arena;
    const ab_pair_table *table;
    abut_kind_def *kinds;        // growable: the caller's custom kinds
    ab_pair_function *functions; // growable: sorted by key
    ab_kind_set kind_set;        // the two as passes read them
    ab_pair_functions function_set;
    const ab_kernels *kernels;
    abut_isa isa;
    abut_on_error *on_error;
    void *on_error_context;
    abut_veto *veto;
    void *veto_context;
    float margin;
    float recycle_distance;    // zero: every detect computes every manifold
    float horizon;             // of the present detect, or the last one that did not fail
    float node_width;          // mean, of the index's nodes over 64 proxies
    uint32_t tag;              // 1 to 255: identifies the world in its handles
    uint32_t first_generation; // generations count from here; its lowest byte is unused
    bool is_2d;                // a 2D world
    bool busy;                 // inside a callback
    bool own_floats;           // in our own floating-point environment, in which `on_error` is not called
    uint64_t callers_floats;   // the caller's, meanwhile
    abut_statistics statistics;
    ab_pool *pool; // NULL: one thread
    ab_granularity granularity;
    ab_detection detection;
    ab_packed_colliders packed;
    struct ab_journal *journal; // of a recording; NULL: none
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

// A custom kind's validation of a shape, and what its record holds, called with the world busy. The objection is NULL
// for a valid shape.
const char *ab_world_shape_objection(const abut_world *world, const abut_shape *shape);
abut_vec3 ab_world_shape_size(const abut_world *world, const abut_shape *shape);

// Marks every immobile collider dirty, after a rule about pairs changed. Cannot fail: ab_places_reserve came before.
void ab_world_look_again(abut_world *world);

// Whether the handle names a live body or collider of this world.
bool ab_body_live(const abut_world *world, abut_body body);
bool ab_collider_live(const abut_world *world, abut_collider collider);

// Validates a collider's definition and fills in defaults. Returns NULL, or the sentence that says what is wrong.
const char *ab_collider_accept(const abut_world *world, abut_collider_def *def);

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

// Whether a body in this state is static or asleep.
static inline bool ab_is_immobile(uint32_t state)
{
    return (state & AB_STATE_MOTION) == ABUT_STATIC || (state & AB_STATE_ASLEEP) != 0;
}

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

// The number of the first detect after an edit made now.
static inline uint32_t ab_next_detect(const abut_world *world)
{
    return (uint32_t)world->statistics.detects + 1u;
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

// Gives back room that the last detects did not need. Call when a detect begins. Cannot fail.
void ab_world_trim(abut_world *world);

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
