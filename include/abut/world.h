// A world: bodies with colliders, stepped every frame. Results are in <abut/contacts.h>, costs in <abut/statistics.h>.
//
// Every call that can fail returns a status; on any other than ABUT_OK the world is observably unchanged. Definitions
// are valid when zeroed.
//
// One thread at a time changes a world or steps it. Between two such calls any number may ask it queries
// (<abut/query.h>). Several worlds live side by side.
#ifndef ABUT_WORLD_H
#define ABUT_WORLD_H

#include <abut/collider.h>

#ifdef __cplusplus
extern "C" {
#endif

// The body type.
typedef enum abut_motion
{
    ABUT_DYNAMIC = 0, // moved by velocity; collides with everything
    ABUT_KINEMATIC,   // moved by velocity; by default collides with dynamic bodies only
    ABUT_STATIC,      // stays where it is put; by default collides with dynamic bodies only
    ABUT_MOTION_COUNT // number of body types
} abut_motion;

// How candidate pairs are found. Contacts, events and hash are the same for all.
typedef enum abut_broad_kind
{
    ABUT_BROAD_AUTO = 0, // the cheapest of the others by counted cost
    ABUT_BROAD_BRUTE,    // every pair, in blocks: the referee, and best for a few bodies
    ABUT_BROAD_BVH,      // a packed tree of boxes
    ABUT_BROAD_GRID,     // boxes sorted into rows of cells, by level of size
    ABUT_BROAD_COUNT     // number of kinds
} abut_broad_kind;

#define ABUT_TREE_LEVELS 12u // most levels of the tree, the level of the colliders' own boxes included

// Returns a lower-case name such as "brute" in static storage, "unknown" outside the enumeration.
ABUT_API const char *abut_broad_name(abut_broad_kind kind);

// Of which poses the separations of contacts are, in worlds with a recycle distance. See docs/recycling.md.
typedef enum abut_separations
{
    ABUT_FOLLOWED = 0,     // of the bodies' present poses: they follow in every detect
    ABUT_AT_ANCHORS,       // of the anchors: abut_contact_gaps gives those of now
    ABUT_SEPARATIONS_COUNT // number of these
} abut_separations;

// Called once at the end of every failed call, before it returns; not for ABUT_BUSY or a NULL world. `call` is the
// function's name (of a history's own save or restore, that one's) and `sentence` the reason, both in static storage.
// `index` is the failing element of a bulk call, the body slot for move, step, detect, update, translate and draw, else
// 0. Calls into the same world return ABUT_BUSY, but for those from the error of a query: it only reads the world,
// perhaps beside others, so that queries are answered, and all else must not be called. It must return. It runs in the
// caller's floating-point environment.
typedef void abut_on_error(void *context, abut_status status, const char *call, uint32_t index, const char *sentence);

// A pair that is about to become a contact, to stay one, or to be hit, as the veto sees it. Body a has the lower slot.
typedef struct abut_new_pair
{
    abut_body a;              // the body with the lower slot
    abut_body b;              // the other body
    abut_collider collider_a; // of body a
    abut_collider collider_b; // of body b
    uint64_t user_data_a;     // of body a
    uint64_t user_data_b;     // of body b
    uint64_t collider_data_a; // of collider a
    uint64_t collider_data_b; // of collider b
    abut_vec3 normal;         // unit, from a to b
    float separation;         // metres; negative: depth; past the margin: speculative; of an impact see abut_veto
    float time;               // seconds until an impact beyond the speculative distance; of contacts zero
} abut_new_pair;

// The veto, a contact filter in code: sets vetoed[i] for every pair that must not touch: it is no contact, makes no
// event and has no impact. Called at most once in a detect, on the calling thread; `vetoed` is all false on entry.
//
// It is asked, in the order of contacts, about all new pairs, those that did not touch in the last detect, and those of
// which a filter has changed. The answer about a pair that touches lasts until it does not, or a filter changes; that
// about one apart is for this detect (with a recycle distance, until a body of it is anchored anew). Pairs with a
// sensor are not shown.
//
// Behind those it is asked, in the same order, about pairs that are too far apart for a contact but have an impact
// within the horizon, for this detect. Normal and time, which is not zero, are those of the impact; separation is how
// far the bodies' positions travel towards each other along that normal until then, not less than zero.
//
// Calls into the same world return ABUT_BUSY. See docs/filters.md.
typedef void abut_veto(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed);

// The settings of a world. Zero selects the default after the colon.
typedef struct abut_world_def
{
    abut_allocator allocator;     // zero: malloc and free
    uint32_t body_capacity;       // bodies to make room for at once; zero: 256
    float margin;                 // metres of gap that still count as touching (contact distance); zero: overlap only
    float recycle_distance;       // metres two bodies may move and keep their manifold: docs/recycling.md; zero: none
    abut_separations separations; // zero: followed; ABUT_AT_ANCHORS only with a recycle distance
    abut_broad_kind broad;        // zero: chosen by counted cost
    abut_isa isa;                 // zero: the widest of this processor; ABUT_UNSUPPORTED if it is not available
    abut_on_error *on_error;      // zero: none
    void *on_error_context;       // handed to on_error
    abut_veto *veto;              // zero: nothing is vetoed
    void *veto_context;           // handed to veto
    uint32_t dimension;           // 3 (or zero), or 2 for a world of the xy plane, see docs/2d.md
    float speculative_distance;   // metres of a body's travel within the horizon that contacts look ahead; zero: all
    uint32_t threads; // of detects and batches of queries, with the caller's; zero: 1; at most ABUT_MAX_THREADS
} abut_world_def;

// Creates an empty world; the caller destroys it. `def` may be NULL. Sets *out to NULL on failure.
ABUT_CHECKED ABUT_API abut_status abut_world_create(const abut_world_def *def, abut_world **out);

// Destroys a world and all it owns. NULL is allowed. Does nothing in one of the world's callbacks, or during a detect;
// in the error of a query it must not be called.
ABUT_API void abut_world_destroy(abut_world *world);

// Makes room for bodies of one collider each and for contacts, so that reaching these numbers asks for no memory. Never
// makes less room, and what is reserved stays. See docs/memory.md.
ABUT_CHECKED ABUT_API abut_status abut_world_reserve(abut_world *world, uint32_t bodies, uint32_t contacts);

// Changes the broad phase at any time. Results stay the same; statistics do not.
ABUT_CHECKED ABUT_API abut_status abut_world_set_broad(abut_world *world, abut_broad_kind kind);

// Returns the requested broad phase, ABUT_BROAD_AUTO for a NULL world. Statistics tell which one ran.
ABUT_API abut_broad_kind abut_world_broad(const abut_world *world);

// Sets whether two body types collide (layer matrix). Symmetric. Default: dynamic bodies collide with all, others do
// not.
ABUT_CHECKED ABUT_API abut_status abut_world_set_collides(abut_world *world, abut_motion a, abut_motion b,
                                                          bool collides);

// Returns whether two body types collide; false for a NULL world.
ABUT_API bool abut_world_collides(const abut_world *world, abut_motion a, abut_motion b);

// Kinds of the caller's own -------------------------------------------------------------------------------------------

// Registers a kind of shape until the world is destroyed. Its id is ABUT_FIRST_KIND plus the number registered before.
// Fails with ABUT_LIMIT past ABUT_MAX_KINDS.
ABUT_CHECKED ABUT_API abut_status abut_world_register_kind(abut_world *world, const abut_kind_def *def, uint32_t *id);

// Gets a registered kind. Fails with ABUT_INVALID_ARGUMENT for an unknown id.
ABUT_CHECKED ABUT_API abut_status abut_world_kind(const abut_world *world, uint32_t id, abut_kind_def *out);

// Sets the function that makes the manifolds of two kinds, given by id or built-in enumerator; one must be an id. It
// gets shapes of kind_a as its a (of one kind: the lower body slot). NULL restores the generic convex kernel.
ABUT_CHECKED ABUT_API abut_status abut_world_set_pair_function(abut_world *world, uint32_t kind_a, uint32_t kind_b,
                                                               abut_pair_function *function, void *context);

// Bodies --------------------------------------------------------------------------------------------------------------

// Flags of a body.
enum
{
    ABUT_BODY_DISABLED = 1u << 0, // keeps its slot and handle, touches nothing, does not move by velocity
    ABUT_BODY_ASLEEP = 1u << 1,   // see abut_body_set_awake
    ABUT_BODY_CCD = 1u << 2,      // a bullet: see abut_body_set_ccd
    ABUT_BODY_CCD_ALL = 1u << 3   // all its impacts are reported: see abut_body_set_ccd_all
};

// The settings of a body.
typedef struct abut_body_def
{
    abut_pose pose;             // zero rotation: identity; a unit rotation is kept bit for bit, others are normalised
    abut_velocity velocity;     // metres and radians per second
    abut_motion motion;         // zero: dynamic
    uint32_t flags;             // ABUT_BODY_…
    uint64_t user_data;         // kept for the caller
    abut_collider_def collider; // the first collider; shape kind none: none yet
} abut_body_def;

// Creates one body. Takes the slot of the body that ended last, else the lowest unused one.
ABUT_CHECKED ABUT_API abut_status abut_body_create(abut_world *world, const abut_body_def *def, abut_body *out);

// Creates `count` bodies: all or none.
ABUT_CHECKED ABUT_API abut_status abut_body_create_many(abut_world *world, const abut_body_def *defs, uint32_t count,
                                                        abut_body *out);

// Ends a body and its colliders. The next detect reports the ends of its contacts; until then its slot is not reused.
ABUT_CHECKED ABUT_API abut_status abut_body_destroy(abut_world *world, abut_body body);

// Ends `count` bodies: all or, if a handle is stale or doubled, none.
ABUT_CHECKED ABUT_API abut_status abut_body_destroy_many(abut_world *world, const abut_body *bodies, uint32_t count);

// Returns whether the handle names a live body of this world.
ABUT_API bool abut_body_valid(const abut_world *world, abut_body body);

// Teleports a body. Fails with ABUT_INVALID_ARGUMENT for a zero rotation.
ABUT_CHECKED ABUT_API abut_status abut_body_set_pose(abut_world *world, abut_body body, const abut_pose *pose);

// Gets a body's pose.
ABUT_CHECKED ABUT_API abut_status abut_body_pose(const abut_world *world, abut_body body, abut_pose *out);

// Teleports `count` bodies: all or none.
ABUT_CHECKED ABUT_API abut_status abut_body_set_pose_many(abut_world *world, const abut_body *bodies, uint32_t count,
                                                          const abut_pose *poses);

// Gets the poses of `count` bodies: all or none.
ABUT_CHECKED ABUT_API abut_status abut_body_pose_many(const abut_world *world, const abut_body *bodies, uint32_t count,
                                                      abut_pose *out);

// Sets a body's velocity.
ABUT_CHECKED ABUT_API abut_status abut_body_set_velocity(abut_world *world, abut_body body,
                                                         const abut_velocity *velocity);

// Gets a body's velocity.
ABUT_CHECKED ABUT_API abut_status abut_body_velocity(const abut_world *world, abut_body body, abut_velocity *out);

// Sets the velocities of `count` bodies: all or none.
ABUT_CHECKED ABUT_API abut_status abut_body_set_velocity_many(abut_world *world, const abut_body *bodies,
                                                              uint32_t count, const abut_velocity *velocities);

// Gets the velocities of `count` bodies: all or none.
ABUT_CHECKED ABUT_API abut_status abut_body_velocity_many(const abut_world *world, const abut_body *bodies,
                                                          uint32_t count, abut_velocity *out);

// Sets a body's type.
ABUT_CHECKED ABUT_API abut_status abut_body_set_motion(abut_world *world, abut_body body, abut_motion motion);

// Gets a body's type.
ABUT_CHECKED ABUT_API abut_status abut_body_motion(const abut_world *world, abut_body body, abut_motion *out);

// Enables or disables a body. A disabled body keeps its slot and handle and touches nothing.
ABUT_CHECKED ABUT_API abut_status abut_body_set_enabled(abut_world *world, abut_body body, bool enabled);

// Gets whether a body is enabled.
ABUT_CHECKED ABUT_API abut_status abut_body_enabled(const abut_world *world, abut_body body, bool *out);

// Wakes a body or puts it to sleep. A sleeping body stays where it is and costs nothing; contacts between sleeping or
// static bodies move to the set ABUT_ASLEEP. Only the caller wakes bodies. See docs/sleep.md.
ABUT_CHECKED ABUT_API abut_status abut_body_set_awake(abut_world *world, abut_body body, bool awake);

// Wakes `count` bodies or puts them to sleep: all or none.
ABUT_CHECKED ABUT_API abut_status abut_body_set_awake_many(abut_world *world, const abut_body *bodies, uint32_t count,
                                                           bool awake);

// Gets whether a body is awake.
ABUT_CHECKED ABUT_API abut_status abut_body_awake(const abut_world *world, abut_body body, bool *out);

// Turns continuous collision detection (CCD) of a body on or off: a detect with a horizon then reports its first
// impact, see abut_world_impacts. Static and sleeping bodies are not swept.
ABUT_CHECKED ABUT_API abut_status abut_body_set_ccd(abut_world *world, abut_body body, bool ccd);

// Gets whether a body has continuous collision detection.
ABUT_CHECKED ABUT_API abut_status abut_body_ccd(const abut_world *world, abut_body body, bool *out);

// Makes detects report every impact of a CCD body within the horizon, in the order of time, one for each pair of
// colliders, instead of the first only: for a body that goes through some of what it hits. No effect without CCD.
ABUT_CHECKED ABUT_API abut_status abut_body_set_ccd_all(abut_world *world, abut_body body, bool all);

// Gets whether all impacts of a body are reported.
ABUT_CHECKED ABUT_API abut_status abut_body_ccd_all(const abut_world *world, abut_body body, bool *out);

// Sets a body's user data.
ABUT_CHECKED ABUT_API abut_status abut_body_set_user_data(abut_world *world, abut_body body, uint64_t user_data);

// Gets a body's user data.
ABUT_CHECKED ABUT_API abut_status abut_body_user_data(const abut_world *world, abut_body body, uint64_t *out);

// Sets the velocity with which the next abut_world_move by `dt` seconds brings the body to `pose`, turning the shorter
// way. The velocity stays afterwards. Fails with ABUT_INVALID_ARGUMENT for a static, sleeping or disabled body, and if
// a speed would pass ABUT_MAX_MAGNITUDE.
ABUT_CHECKED ABUT_API abut_status abut_body_move_to(abut_world *world, abut_body body, const abut_pose *pose, float dt);

// Adds (true) or removes (false) an exclusion of two bodies, as for a joint between them. Exclusions are counted: the
// bodies collide again when all are removed. They end with either body. Fails with ABUT_INVALID_ARGUMENT for a body and
// itself, and for one removal too many.
ABUT_CHECKED ABUT_API abut_status abut_body_exclude(abut_world *world, abut_body a, abut_body b, bool excluded);

// Gets the number of exclusions between two bodies.
ABUT_CHECKED ABUT_API abut_status abut_body_excluded(const abut_world *world, abut_body a, abut_body b,
                                                     uint32_t *count);

// Writes the body's colliders in the order of their ordinals: at most `capacity`, and the true number to *count.
ABUT_CHECKED ABUT_API abut_status abut_body_colliders(const abut_world *world, abut_body body, abut_collider *out,
                                                      uint32_t capacity, uint32_t *count);

// What abut_bodies.states says of a body: its type in two bits, and flags. Other bits are the library's own.
enum
{
    ABUT_STATE_MOTION = 3u,        // of these bits: an abut_motion
    ABUT_STATE_DISABLED = 1u << 2, // see abut_body_set_enabled
    ABUT_STATE_ASLEEP = 1u << 5,   // see abut_body_set_awake
    ABUT_STATE_CCD = 1u << 7       // see abut_body_set_ccd
};

// All bodies as arrays by slot, to be read and written in place: the fast way in and out. The next move or detect
// checks what was written; docs/guide.md has the rules. The pointers are valid until a body is created (or fails to
// be), or the world is reserved, restored (or fails to be) or destroyed.
typedef struct abut_bodies
{
    uint32_t count;              // slots, live or not
    abut_pose *poses;            // rotations need not be of unit length: 1e-6 to 1e18
    abut_velocity *velocities;   // read by moves, and by detects with a horizon
    uint64_t *user_data;         // kept for the caller
    const uint32_t *generations; // zero: no body in this slot
    const uint32_t *states;      // ABUT_STATE_…; of a slot without a body, unspecified
} abut_bodies;

// Returns the bodies' arrays; all zeros for a NULL world.
ABUT_API abut_bodies abut_world_bodies(abut_world *world);

// Returns whether the body in a slot below `count` is dynamic, enabled and awake: what solvers move. False if there is
// none.
static inline bool abut_body_active_at(const abut_bodies *bodies, uint32_t slot)
{
    const uint32_t motion = ABUT_STATE_MOTION, disabled = ABUT_STATE_DISABLED, asleep = ABUT_STATE_ASLEEP;
    const uint32_t dynamic = ABUT_DYNAMIC;
    return bodies->generations[slot] != 0 && (bodies->states[slot] & (motion | disabled | asleep)) == dynamic;
}

// Marks a static or sleeping body whose pose was written in place as moved. Other bodies do not need it.
ABUT_CHECKED ABUT_API abut_status abut_body_mark_moved(abut_world *world, abut_body body);

// Adds a vector to the position of every body: moves the origin of a large world (origin shifting, floating origin).
// Contacts keep ids and impulses, and there are no events, if floats hold the sums exactly. Fails with
// ABUT_INVALID_ARGUMENT, nothing moved, if a body would pass ABUT_MAX_MAGNITUDE or has a position that is not finite.
ABUT_CHECKED ABUT_API abut_status abut_world_translate(abut_world *world, abut_vec3 by);

// The step ------------------------------------------------------------------------------------------------------------

// Moves every enabled, awake dynamic or kinematic body along its velocity for `dt` seconds (any finite number),
// rotations about the constant axis. Fails with ABUT_INVALID_ARGUMENT, nothing moved, for an invalid velocity, for an
// invalid pose of a body whose velocity is not zero, and if a body would leave ABUT_MAX_MAGNITUDE.
ABUT_CHECKED ABUT_API abut_status abut_world_move(abut_world *world, float dt);

// Finds all contacts at the present poses and replaces the last results. Within `horizon` seconds (not negative)
// present velocities are looked ahead: contacts found that way are speculative and make no events. Fails with
// ABUT_LIMIT past 2^30 contacts (2^31 if none has more than two points), 2^32 points or 2^32 overlapping boxes, and for
// two colliders of which one is a compound and whose numbers of parts and triangles have a product above 2^28.
ABUT_CHECKED ABUT_API abut_status abut_world_detect(abut_world *world, float horizon);

// Moves by `dt` seconds, then detects with horizon zero. If either fails nothing has moved.
ABUT_CHECKED ABUT_API abut_status abut_world_step(abut_world *world, float dt);

// Begins a detect in tasks, for programs with a job system: begin; then run every task below abut_world_detect_next, on
// any threads, until that returns zero; then end. Gives the bits of abut_world_detect. Until the end other calls return
// ABUT_BUSY. See docs/threads.md.
ABUT_CHECKED ABUT_API abut_status abut_world_detect_begin(abut_world *world, float horizon);

// Returns the number of tasks of the next phase; zero when there is none. Runs tasks of the last phase that nobody ran.
// Returns ABUT_NONE, and does nothing, while tasks are still running.
ABUT_API uint32_t abut_world_detect_next(abut_world *world);

// Runs one task of the phase; needs up to 128 KB of stack, 48 of them for callers' functions. Fails with
// ABUT_INVALID_ARGUMENT, and does nothing, for a task that does not exist or was begun before; on_error is not called.
ABUT_CHECKED ABUT_API abut_status abut_world_detect_task(abut_world *world, uint32_t task);

// Runs what is left on this thread and publishes the results. On failure the last results stand and the detect is over,
// except for ABUT_BUSY while tasks are still running. Fails with ABUT_INVALID_ARGUMENT if no detect was begun.
ABUT_CHECKED ABUT_API abut_status abut_world_detect_end(abut_world *world);

#ifdef __cplusplus
}
#endif

#endif
