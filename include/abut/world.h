// A world: bodies with colliders, stepped every frame, that says which of them touch. What it found is in <abut/contacts.h>, what that
// took in <abut/statistics.h>.
//
// A call that can fail returns a status; on any other than ABUT_OK the world gives what it would have given without the
// call. A world is used from one thread at a time; several worlds live side by side.
#ifndef ABUT_WORLD_H
#define ABUT_WORLD_H

#include <abut/collide.h>

#ifdef __cplusplus
extern "C" {
#endif

// Owns every body put into it. Destroying the world ends them all.
typedef struct abut_world abut_world;

// Names one body: its slot, and which of those that had the slot one after the other (elsewhere: generation). All zeros names nothing.
// A stale handle is noticed, never followed. So is one of another world, unless that is one of every 255 created in this process and
// the lives of the two slots, out of 16.7 million, happen to be the same.
typedef struct abut_body
{
    uint32_t slot, life;
} abut_body;

// Names one collider: a shape attached to a body. All zeros names nothing.
typedef struct abut_collider
{
    uint32_t slot, life;
} abut_collider;

typedef enum abut_motion
{
    ABUT_DYNAMIC = 0, // moved by velocity; meets everything
    ABUT_KINEMATIC,   // moved by velocity; by default meets dynamic bodies only
    ABUT_STATIC,      // stays where it is put; by default meets dynamic bodies only
    ABUT_MOTION_COUNT
} abut_motion;

typedef enum abut_broad_kind
{
    ABUT_BROAD_AUTO = 0, // whichever of the others has less to do, found out while running
    ABUT_BROAD_BRUTE,    // every pair, in blocks: the referee, and best for a few bodies
    ABUT_BROAD_BVH,      // a packed tree of boxes
    ABUT_BROAD_GRID,     // boxes sorted into rows of cells, level by level of their sizes
    ABUT_BROAD_COUNT
} abut_broad_kind;

#define ABUT_TREE_LEVELS 12u // of the tree, at most, counting that of the leaves' own boxes

// Lower-case name such as "brute"; static storage; "unknown" outside the enumeration.
ABUT_API const char *abut_broad_name(abut_broad_kind kind);

// Called at the end of a call that was refused, before it returns; not for ABUT_BUSY, and not where there is no world. `call` is the
// function's name, `sentence` what was wrong, in static storage. `index` says of what: of a bulk call the element; of move, step,
// detect and draw the slot of the body whose pose, velocity or manifold it was; 0 otherwise. Calls into the same world that give a
// status give ABUT_BUSY; others are not to be made. It must return (no longjmp, no exception), and runs in the floating-point
// environment of the call.
typedef void abut_refused(void *context, abut_status status, const char *call, uint32_t index, const char *sentence);

// A pair that is about to become a contact, as a veto is shown it. Body a has the lower slot.
typedef struct abut_pairing
{
    abut_body a, b;
    abut_collider collider_a, collider_b;
    uint64_t user_data_a, user_data_b;         // the bodies' own
    uint64_t collider_data_a, collider_data_b; // the colliders' own
    abut_vec3 normal;                          // unit, from a to b
    float separation;                          // metres; negative: depth; past the margin: speculative
} abut_pairing;

// Decides which pairs shall not touch. Called at most once in a detect, on the thread that called in, with all pairs of colliders
// that are contacts now and were not at the last detect, awake or at rest (speculative ones too, since a solver would act on
// them), in the order of contacts. `refused` holds `count` times false; true is to be written for those that are refused: they
// are no contacts and make no events. That holds until a detect no longer finds the pair, or finds it with another filter
// on either collider; then it is asked about again. A pair that was let through is a contact, and not asked about as long as it is. What else changes (shapes, poses, motion kinds, sleep) does not matter as long as
// the pair is found; pairs of which each side rests count as found. Pairs with a sensor are not asked about. Calls into the same
// world that give a status give ABUT_BUSY, others are not to be made; arrays that abut_world_bodies gave before may be read. A detect that is refused forgets the answers it
// was given.
typedef void abut_veto(void *context, const abut_pairing *pairs, uint32_t count, bool *refused);

// Every field is valid when zero; zero asks for what follows the colon.
typedef struct abut_world_def
{
    abut_allocator allocator; // zero: malloc and free
    uint32_t body_capacity;   // bodies to make room for at once; zero: 256
    float margin;             // metres of gap still counted as touching (contact distance); zero: overlap only
    float recycle_distance; // metres a pair may move and keep its manifold, see below; zero: none, all is computed anew
    abut_broad_kind broad;  // zero: chosen by counted cost
    abut_isa isa;           // zero: the widest this processor has; another that is not available is ABUT_UNSUPPORTED
    abut_refused *refused;  // zero: nobody is told
    void *refused_context;
    abut_veto *veto; // zero: nothing is asked, all that meets touches
    void *veto_context;
    uint32_t dimension; // zero or 3: space; 2: the plane, see below
    uint32_t threads;   // of a step, the calling one among them; zero or one: that alone; at most ABUT_MAX_THREADS
} abut_world_def;

#define ABUT_MAX_THREADS 256u // those that a world starts have a megabyte of stack each, or more

// Recycling. With a recycle distance, a pair that touched and still does keeps its manifold while no point of either shape has moved
// farther than that in the frame of the other since the manifold was computed (not since the last detect: slow creep is
// noticed): same points, turned and carried along with body a, each with a separation that follows from how the two bodies have
// moved, marked ABUT_CONTACT_RECYCLED. Separations are off by at most twice the distance (of boxes that are apart, besides, by what
// their other axes may say), and a pair goes on touching that far past the margin at most; one that would no longer touch by them is
// computed anew, and so is one of whose points a separation would change by more than the distance, as where something small turns
// deep in another. What is edited is computed anew, too, and so is what has a sphere, which takes no longer, or a shape of a caller's
// own kind, of which nothing is known, or is of a fast body. A thousandth to a hundredth of the bodies' size serves piles that are almost at rest.

// The plane. A world of two dimensions is the same in the plane of x and y: spheres are circles, boxes are rectangles (half z is ignored), and
// polygons, which a world of three refuses, are shapes as well. Poses, also local ones, have z zero and turn about z
// alone, as abut_pose_plane makes them; velocities are linear in x and y, angular about z. Anything else is
// ABUT_INVALID_ARGUMENT, from whatever sets it or, where it was written in place, from whatever reads it. Contacts have at
// most two points; see abut_collide_plane for their separations.

// Creates an empty world. `def` may be NULL. On failure *out is NULL.
ABUT_CHECKED ABUT_API abut_status abut_world_create(const abut_world_def *def, abut_world **out);

// NULL is allowed. From inside one of the world's own callbacks it does nothing.
ABUT_API void abut_world_destroy(abut_world *world);

// Makes room for so many bodies of one collider each, with no local pose, and for so many contacts with all their points: creating and
// reporting them then asks for no memory, the first time at least: what is made anew when most has come to rest may. Events, and what
// a detect works with, grow when there is more than ever before, and stay.
// Never makes less room.
ABUT_CHECKED ABUT_API abut_status abut_world_reserve(abut_world *world, uint32_t bodies, uint32_t contacts);

// Changes the broad phase, at any time. Contacts, events and hash are the same whichever runs; statistics and order of work
// are not. ABUT_INVALID_ARGUMENT for a kind that does not exist; ABUT_OUT_OF_MEMORY leaves the old one in its place.
ABUT_CHECKED ABUT_API abut_status abut_world_set_broad(abut_world *world, abut_broad_kind kind);

// What was asked for, which may be ABUT_BROAD_AUTO; statistics tell what ran. ABUT_BROAD_AUTO for a NULL world.
ABUT_API abut_broad_kind abut_world_broad(const abut_world *world);

// Which motion kinds meet each other. Symmetric. Default: dynamic meets all, nothing else meets.
ABUT_CHECKED ABUT_API abut_status abut_world_set_meets(abut_world *world, abut_motion a, abut_motion b, bool meets);
ABUT_API bool abut_world_meets(const abut_world *world, abut_motion a, abut_motion b);

// Colliders ------------------------------------------------------------------------------------------------------------

// Two colliders may meet when each one's category is in the other's mask; a group they share (not zero) decides alone:
// positive meets, negative does not. Every field is valid when zero.
typedef struct abut_filter
{
    uint32_t category; // zero: 1
    uint32_t mask; // zero: all, also where it comes of a computation; for nothing at all: ABUT_COLLIDER_MEETS_NOTHING
    int32_t group; // zero: none
} abut_filter;

enum
{
    ABUT_COLLIDER_MEETS_NOTHING = 1u << 0, // whatever its mask and group
    // Notices what is in it and touches nothing: it has no contacts, but begin and end events of its own (ABUT_SENSOR_BEGIN) and
    // a list of what is in it (abut_collider_overlaps). Filters, groups and exclusions decide what it notices, and motion kinds do
    // not, but that nothing static notices anything static. Sensors do not notice each other, nor the colliders of their own body.
    // What touches it, by the world's margin and never by a horizon, is in it. Pairs at rest stay as they are, like contacts.
    ABUT_COLLIDER_SENSOR = 1u << 1
};

typedef struct abut_collider_def
{
    abut_shape shape;   // kind none: no collider. What a polygon points to is kept until the collider ends
    abut_pose local;    // of the shape within the body; zero rotation: identity
    abut_filter filter; // zero: category 1, mask all
    uint32_t flags;     // ABUT_COLLIDER_…
    uint64_t user_data; // kept for the caller: a pointer or an index
} abut_collider_def;

// Adds a collider to a body. A detached collider's place in its body (one of 256) is free again after the next detect.
ABUT_CHECKED ABUT_API abut_status abut_collider_attach(abut_world *world, abut_body body, const abut_collider_def *def,
                                                       abut_collider *out);
ABUT_CHECKED ABUT_API abut_status abut_collider_detach(abut_world *world, abut_collider collider);

// Changes everything about a collider but its body. Its contacts stay the same contacts where it goes on touching.
ABUT_CHECKED ABUT_API abut_status abut_collider_set(abut_world *world, abut_collider collider,
                                                    const abut_collider_def *def);
ABUT_CHECKED ABUT_API abut_status abut_collider_set_shape(abut_world *world, abut_collider collider,
                                                          const abut_shape *shape);
ABUT_CHECKED ABUT_API abut_status abut_collider_set_local(abut_world *world, abut_collider collider,
                                                          const abut_pose *local);
ABUT_CHECKED ABUT_API abut_status abut_collider_set_filter(abut_world *world, abut_collider collider,
                                                           const abut_filter *filter);
ABUT_CHECKED ABUT_API abut_status abut_collider_set_flags(abut_world *world, abut_collider collider, uint32_t flags);
ABUT_CHECKED ABUT_API abut_status abut_collider_set_user_data(abut_world *world, abut_collider collider,
                                                              uint64_t user_data);

// What was attached (its geometry not retained once more), defaults filled in, and the body it is attached to. Either result may be NULL.
ABUT_CHECKED ABUT_API abut_status abut_collider_get(const abut_world *world, abut_collider collider,
                                                    abut_collider_def *def, abut_body *body);
ABUT_API bool abut_collider_valid(const abut_world *world, abut_collider collider);

// The box around the collider at its body's present pose, as a detect would hand it to the broad phase: it contains the
// shape, grown for half the margin and rounded outward; in a world of two dimensions it says nothing about z. A polygon's is
// that of the rectangle about its origin that contains it: put the origin near its middle. ABUT_INVALID_ARGUMENT when the
// pose was written in place and is not valid.
ABUT_CHECKED ABUT_API abut_status abut_collider_bounds(const abut_world *world, abut_collider collider, abut_aabb *out);

// What the last detect found in a sensor, resting pairs among it.
typedef struct abut_visitor
{
    abut_body body;
    abut_collider collider;
} abut_visitor;

// Writes at most `capacity` visitors in the order of (body slot, place in the body), and the true number to *count. For a collider
// that is no sensor, none.
ABUT_CHECKED ABUT_API abut_status abut_collider_overlaps(abut_world *world, abut_collider sensor, abut_visitor *out,
                                                         uint32_t capacity, uint32_t *count);

// All colliders as arrays by slot, so that what a collider stands for (a material, a part) is had without a call for each. User data
// may be written in place. The pointers stand until a call that creates a collider, or would have if it had not been refused, or until
// the world is reserved or destroyed.
typedef struct abut_colliders
{
    uint32_t count; // slots, live or not
    uint64_t *user_data;
    const uint32_t *lives; // the life of the collider in each slot; zero: none
} abut_colliders;

ABUT_API abut_colliders abut_world_colliders(abut_world *world);

// Kinds of the caller's own --------------------------------------------------------------------------------------------

// Adds a kind of shape for as long as the world lives. Its id is the number of kinds registered before plus ABUT_FIRST_KIND: the
// same in every world that registers the same kinds in the same order. ABUT_LIMIT past ABUT_MAX_KINDS; ABUT_UNSUPPORTED in a
// world of two dimensions.
ABUT_CHECKED ABUT_API abut_status abut_world_register_kind(abut_world *world, const abut_kind_def *def, uint32_t *id);

// What was registered; ABUT_INVALID_ARGUMENT for a number that is no kind's id.
ABUT_CHECKED ABUT_API abut_status abut_world_kind(const abut_world *world, uint32_t id, abut_kind_def *out);

// From now on `function` makes the manifolds of shapes of these two kinds, each told by an id or a built-in kind's
// enumerator; at least one must be an id. It gets the shapes of kind_a as its a (of one kind: those of the lower body slot), where
// their bounds, widened by margin and horizon, overlap: shapes that are farther apart do not touch, whatever it would say.
// NULL: the library does again. Which of two kinds is called a may be changed by setting them the other way round.
ABUT_CHECKED ABUT_API abut_status abut_world_set_pair_function(abut_world *world, uint32_t kind_a, uint32_t kind_b,
                                                               abut_pair_function *function, void *context);

// Bodies ---------------------------------------------------------------------------------------------------------------

enum
{
    ABUT_BODY_DISABLED = 1u << 0, // keeps its place and handle, touches nothing, does not move by velocity
    ABUT_BODY_ASLEEP = 1u << 1,   // see abut_body_set_awake
    ABUT_BODY_FAST = 1u << 2      // swept by a detect with a horizon (elsewhere: CCD, bullet), see abut_body_set_fast
};

// Every field is valid when zero.
typedef struct abut_body_def
{
    abut_pose pose; // zero rotation: identity; another is kept when of unit length, else normalised
    abut_velocity velocity;
    abut_motion motion; // zero: dynamic
    uint32_t flags;     // ABUT_BODY_…
    uint64_t user_data;
    abut_collider_def collider; // its first collider; shape kind none: none yet
} abut_body_def;

// Creates one body, or `count` bodies: all, or none. Slots are the lowest never used, in order, unless bodies have ended: then theirs,
// the last to end first.
ABUT_CHECKED ABUT_API abut_status abut_body_create(abut_world *world, const abut_body_def *def, abut_body *out);
ABUT_CHECKED ABUT_API abut_status abut_body_create_many(abut_world *world, const abut_body_def *defs, uint32_t count,
                                                        abut_body *out);

// Ends bodies and their colliders: all named, or (with a stale or doubled handle among them) none. What they touched gets
// its end event from the next detect; until then their slots are not used again.
ABUT_CHECKED ABUT_API abut_status abut_body_destroy(abut_world *world, abut_body body);
ABUT_CHECKED ABUT_API abut_status abut_body_destroy_many(abut_world *world, const abut_body *bodies, uint32_t count);

ABUT_API bool abut_body_valid(const abut_world *world, abut_body body);

// Poses. Setting one teleports. A zero rotation means identity in definitions only: here it is ABUT_INVALID_ARGUMENT. `…_many` set
// or get all or none.
ABUT_CHECKED ABUT_API abut_status abut_body_set_pose(abut_world *world, abut_body body, const abut_pose *pose);
ABUT_CHECKED ABUT_API abut_status abut_body_pose(const abut_world *world, abut_body body, abut_pose *out);
ABUT_CHECKED ABUT_API abut_status abut_body_set_pose_many(abut_world *world, const abut_body *bodies,
                                                          const abut_pose *poses, uint32_t count);
ABUT_CHECKED ABUT_API abut_status abut_body_pose_many(const abut_world *world, const abut_body *bodies, uint32_t count,
                                                      abut_pose *out);

ABUT_CHECKED ABUT_API abut_status abut_body_set_velocity(abut_world *world, abut_body body,
                                                         const abut_velocity *velocity);
ABUT_CHECKED ABUT_API abut_status abut_body_velocity(const abut_world *world, abut_body body, abut_velocity *out);
ABUT_CHECKED ABUT_API abut_status abut_body_set_velocity_many(abut_world *world, const abut_body *bodies,
                                                              const abut_velocity *velocities, uint32_t count);
ABUT_CHECKED ABUT_API abut_status abut_body_velocity_many(const abut_world *world, const abut_body *bodies,
                                                          uint32_t count, abut_velocity *out);

ABUT_CHECKED ABUT_API abut_status abut_body_set_motion(abut_world *world, abut_body body, abut_motion motion);
ABUT_CHECKED ABUT_API abut_status abut_body_motion(const abut_world *world, abut_body body, abut_motion *out);
ABUT_CHECKED ABUT_API abut_status abut_body_set_enabled(abut_world *world, abut_body body, bool enabled);
ABUT_CHECKED ABUT_API abut_status abut_body_enabled(const abut_world *world, abut_body body, bool *out);
// A body asleep stays where it is put, like a static one, and costs a step nothing: two bodies of which each is asleep or static
// keep the contacts they have (ABUT_RESTING) and are not looked at again until one of them changes or wakes: until the detect after
// that they are among those at rest. What is awake meets it as before. Nothing but the caller wakes a body; begin events tell when there is reason to. `…_many`: all or none.
ABUT_CHECKED ABUT_API abut_status abut_body_set_awake(abut_world *world, abut_body body, bool awake);
ABUT_CHECKED ABUT_API abut_status abut_body_set_awake_many(abut_world *world, const abut_body *bodies, uint32_t count,
                                                           bool awake);
ABUT_CHECKED ABUT_API abut_status abut_body_awake(const abut_world *world, abut_body body, bool *out);

// A fast body is swept: a detect with a horizon says when it first meets something, see abut_world_impacts; abut_world_step, which
// has none, takes no notice. Static bodies and those asleep are not swept: they go nowhere.
ABUT_CHECKED ABUT_API abut_status abut_body_set_fast(abut_world *world, abut_body body, bool fast);
ABUT_CHECKED ABUT_API abut_status abut_body_fast(const abut_world *world, abut_body body, bool *out);

ABUT_CHECKED ABUT_API abut_status abut_body_set_user_data(abut_world *world, abut_body body, uint64_t user_data);
ABUT_CHECKED ABUT_API abut_status abut_body_user_data(const abut_world *world, abut_body body, uint64_t *out);

// Sets the velocity with which the next move by `dt` seconds (positive) brings the body to `pose`: exactly, but for the rounding of
// a float; turning the shorter way, about a constant axis. What meets it on its way is for the horizon of a detect to find;
// abut_body_set_pose teleports instead. The velocity stays afterwards: it is to be set again before each move.
// ABUT_INVALID_ARGUMENT for a body that does not move (static, asleep or disabled), and when a speed would be past the limit.
ABUT_CHECKED ABUT_API abut_status abut_body_move_to(abut_world *world, abut_body body, const abut_pose *pose, float dt);

// Two bodies that exclude each other do not meet, nor do their sensors notice the other, whatever their filters say: what a joint
// between them is likely to want. Exclusions are counted, as there may be several joints: the bodies meet again when each `true`
// was followed by a `false`. Those of a body end with it. ABUT_INVALID_ARGUMENT for a body and itself, and for a `false` too
// many. Counts as a change of both bodies when it changes whether they meet.
ABUT_CHECKED ABUT_API abut_status abut_body_exclude(abut_world *world, abut_body a, abut_body b, bool excluded);

// How often two bodies exclude each other now.
ABUT_CHECKED ABUT_API abut_status abut_body_excluded(const abut_world *world, abut_body a, abut_body b,
                                                     uint32_t *count);

// The body's colliders in the order of their places. Writes at most `capacity`, and the true number to *count.
ABUT_CHECKED ABUT_API abut_status abut_body_colliders(const abut_world *world, abut_body body, abut_collider *out,
                                                      uint32_t capacity, uint32_t *count);

// All bodies as arrays by slot, to be read and (poses, velocities, user data) written in place: the fast way in and out.
// Slots with life zero hold no body. What was written is checked by the next move or detect that reads it (a detect reads
// velocities for a horizon only, and only bodies that may touch something), which answers ABUT_INVALID_ARGUMENT for NaN,
// infinity, a zero rotation or a magnitude past its limit; a rotation need not be of unit length here: anything from 1e-6 to
// 1e18 will do. A body that is static or asleep is seen there only after abut_body_touch, which is to follow before the next detect:
// until then its pose is checked by nobody, and what sweeps fast bodies may see it already. The pointers stand until a call
// that creates a body, or would have if it had not been refused, or until the world is reserved or destroyed.
typedef struct abut_bodies
{
    uint32_t count; // slots, live or not
    abut_pose *poses;
    abut_velocity *velocities;
    uint64_t *user_data;
    const uint32_t *lives; // the life of the body in each slot; zero: none
} abut_bodies;

// None for a NULL world.
ABUT_API abut_bodies abut_world_bodies(abut_world *world);

// Says that the pose of a body that is static or asleep was written in place. Nothing else needs it.
ABUT_CHECKED ABUT_API abut_status abut_body_touch(abut_world *world, abut_body body);

// The step -------------------------------------------------------------------------------------------------------------

// Moves every enabled dynamic and kinematic body that is awake along its velocity for `dt` seconds (any finite number): positions
// linearly, rotations about the constant axis, exactly. ABUT_INVALID_ARGUMENT, and nothing moved, when a pose or velocity
// is not valid or a body would leave the range of ABUT_MAX_MAGNITUDE.
ABUT_CHECKED ABUT_API abut_status abut_world_move(abut_world *world, float dt);

// Finds all contacts at the present poses. `horizon` (seconds, not negative): contacts that present velocities may bring
// about within it are reported as well, marked speculative and without events. Replaces the results of the last detect.
// ABUT_LIMIT when it would find 2^30 contacts (2^31, if none has more than two points), or 2^32 points or pairs of boxes that overlap.
ABUT_CHECKED ABUT_API abut_status abut_world_detect(abut_world *world, float horizon);

// Moves, then detects with horizon zero. When either is refused nothing has moved.
ABUT_CHECKED ABUT_API abut_status abut_world_step(abut_world *world, float dt);

// A detect in pieces, for programs with a job system of their own. It goes through phases one after the other; each has a
// number of tasks, which may run on any threads, in any order, at the same time or not, each once:
//
//     abut_detect_begin(world, horizon);
//     for (uint32_t tasks; (tasks = abut_detect_next(world)) > 0;)
//         run abut_detect_task(world, i) for every i below `tasks`, wherever you like, and wait until all have returned;
//     status = abut_detect_end(world);
//
// (abut_detect_next gives ABUT_NONE, which is no number of tasks, to a program that did not wait.)
//
// What comes of it is what abut_world_detect gives, to the bit; that is made of the same phases. A small world has one task a
// phase. A task never waits for another, and needs up to 128 kilobytes of stack. What is called from a task is called on its
// thread: 48 of these kilobytes are for callers' functions. The allocator is called by begin, next and end alone, and to give
// back memory by reading what rests.
//
// From begin to end every other call on the world that gives a status gives ABUT_BUSY, abut_world_bodies and abut_world_colliders give
// none, and the results of the last detect can be read; what lies in the arrays of bodies must not be written. abut_world_destroy ends the
// detect as well, or does nothing while a task is being run.

// ABUT_BUSY when a detect is under way.
ABUT_CHECKED ABUT_API abut_status abut_detect_begin(abut_world *world, float horizon);

// How many tasks the next phase has; zero: no more, or no detect is under way. Tasks of the last phase that nobody ran are run
// here. ABUT_NONE, and nothing has happened: tasks that were begun have not returned yet.
ABUT_API uint32_t abut_detect_next(abut_world *world);

// Runs a task of the phase. ABUT_INVALID_ARGUMENT, and nothing has happened: there is no such task, or it was begun before.
// `refused` is not told.
ABUT_CHECKED ABUT_API abut_status abut_detect_task(abut_world *world, uint32_t task);

// Runs on this thread whatever is left to be run, and publishes the results. On any other status than ABUT_OK the last ones
// stand, as after abut_world_detect; the detect is over all the same, but for ABUT_BUSY: tasks have not returned yet.
// ABUT_INVALID_ARGUMENT, too, when no detect is under way.
ABUT_CHECKED ABUT_API abut_status abut_detect_end(abut_world *world);

#ifdef __cplusplus
}
#endif

#endif
