// Recording a world and replaying it: every call that changes the world, with a hash of what each detect found.
//
// A replay makes the same calls on another machine, instruction set, broad phase or number of threads, and names the
// first frame, body and field that differs. See docs/state.md.
#ifndef ABUT_RECORD_H
#define ABUT_RECORD_H

#include <abut/state.h>

#ifdef __cplusplus
extern "C" {
#endif

// A world being recorded. The recording ends with either.
typedef struct abut_recording abut_recording;

// Takes the next `size` bytes of a recording and returns whether it did. Called from within calls into the world, which
// return ABUT_BUSY meanwhile.
typedef bool abut_record_write(void *context, const void *bytes, size_t size);

// The settings of a recording. Only `write` must be set.
typedef struct abut_recording_def
{
    abut_record_write *write; // takes the bytes
    void *write_context;      // handed to write
    uint32_t hash_interval;   // frames from one that is compared by its hash to the next; zero: 1
    uint32_t dump_interval;   // frames from one that is compared field by field to the next; zero: none
    abut_allocator allocator; // zero: malloc and free
} abut_recording_def;

// Begins to record a world, at any time between two calls; the caller destroys the recording. It starts with an image
// of the world. Fails with ABUT_LIMIT if the world is recorded already, and with ABUT_INVALID_ARGUMENT if `write`
// fails. ABUT_UNSUPPORTED where recordings are not compiled in (small builds) and on big-endian machines. Sets *out
// to NULL on failure.
ABUT_CHECKED ABUT_API abut_status abut_recording_create(abut_world *world, const abut_recording_def *def,
                                                        abut_recording **out);

// Returns NULL as long as everything was written, or the sentence that says why the recording stopped. The world goes
// on.
ABUT_API const char *abut_recording_fault(const abut_recording *recording);

// Completes a recording, frees it, and returns whether everything was written. NULL is allowed. Before the world is
// destroyed; a recording whose world ended first is not complete.
ABUT_API bool abut_recording_destroy(abut_recording *recording);

// Reads up to `size` of the next bytes of a recording and returns their number; fewer are the end.
typedef size_t abut_record_read(void *context, void *bytes, size_t size);

// The pair function of two kinds, for a replay.
typedef struct abut_replay_function
{
    uint32_t kind_a;              // as of abut_world_set_pair_function
    uint32_t kind_b;              // likewise
    abut_pair_function *function; // of shapes of kind_a and kind_b
    void *context;                // handed to function
} abut_replay_function;

// The settings of a replay. Only `read` must be set.
typedef struct abut_replay_def
{
    abut_record_read *read;                // gives the bytes
    void *read_context;                    // handed to read
    abut_broad_kind broad;                 // of the world that is made
    abut_isa isa;                          // likewise
    uint32_t threads;                      // likewise
    const abut_kind_def *kinds;            // the custom kinds in the order in which they were registered; NULL: none
    uint32_t kind_count;                   // entries of kinds
    const abut_replay_function *functions; // the pair functions that the recorded world had; NULL: none
    uint32_t function_count;               // entries of functions
    abut_allocator allocator;              // zero: malloc and free
} abut_replay_def;

// A recording being replayed.
typedef struct abut_replay abut_replay;

// What a replay has come to.
typedef enum abut_replay_outcome
{
    ABUT_REPLAY_FRAME = 0, // the next frame is the same
    ABUT_REPLAY_COMPLETE,  // the recording is over: every frame was the same
    ABUT_REPLAY_DIFFERS,   // see abut_replay_first_difference; the replay is over
    ABUT_REPLAY_BROKEN     // the recording cannot be read on: see abut_replay_fault
} abut_replay_outcome;

// The first difference between a recording and its replay.
typedef struct abut_replay_difference
{
    uint64_t frame;    // the detect, counted from 1
    uint32_t body;     // slot of the body, ABUT_NONE if it is not known
    uint32_t other;    // slot of the other body of a contact, event or pair, or ABUT_NONE
    const char *part;  // what of the world: "body", "contact", "hash", …; in static storage
    const char *field; // of that: "position.x", "normal.y", "state", …; likewise
    uint64_t recorded; // the value, as bits
    uint64_t replayed; // likewise
    bool is_float;     // the bits are those of a float
} abut_replay_difference;

// Creates a replay and reads nothing yet; the caller destroys it. The definition is copied, what it points to is not.
// ABUT_UNSUPPORTED as abut_recording_create. Sets *out to NULL on failure.
ABUT_CHECKED ABUT_API abut_status abut_replay_create(const abut_replay_def *def, abut_replay **out);

// Destroys a replay and its world. NULL is allowed.
ABUT_API void abut_replay_destroy(abut_replay *replay);

// Replays up to the end of the next frame. After any outcome but ABUT_REPLAY_FRAME it returns the same again.
// ABUT_REPLAY_BROKEN for NULL.
ABUT_API abut_replay_outcome abut_replay_next(abut_replay *replay);

// Returns the frames replayed so far that were the same.
ABUT_API uint64_t abut_replay_frames(const abut_replay *replay);

// Returns the world that is replayed, to be read and not changed; NULL before the first frame. It ends with the replay.
ABUT_API abut_world *abut_replay_world(const abut_replay *replay);

// Returns the sentence that says why a recording cannot be read on; NULL otherwise.
ABUT_API const char *abut_replay_fault(const abut_replay *replay);

// Gets the difference. Returns false if there is none.
ABUT_API bool abut_replay_first_difference(const abut_replay *replay, abut_replay_difference *out);

// Returns the geometries of the replayed world so far, which an abut_world_save of it needs. The list is valid until
// the replay goes on, and the geometries as long as the replay.
ABUT_API abut_registry abut_replay_registry(const abut_replay *replay);

// What two images differ in ------------------------------------------------------------------------------------------

// The first value in which two images differ.
typedef struct abut_image_mismatch
{
    uint32_t body;     // slot of the body, ABUT_NONE if it is not known
    uint32_t other;    // slot of the other body of a contact, event or pair, or ABUT_NONE
    const char *part;  // what of the world: "body", "contact", "sensor overlap", …; in static storage
    const char *field; // of that: "position.x", "normal.y", "count", …; likewise
    uint64_t a;        // the value in the first image, as bits
    uint64_t b;        // that in the second
    bool is_float;     // the bits are those of a float
} abut_image_mismatch;

// Finds where two worlds that should be the same have parted, as those of two players: the first value in which images
// of them differ, bodies before contacts. *differ becomes whether there is one; *out is written if so. User data and
// generations of handles are not compared, and geometries are the same if they have one index in the registries. Fails
// with ABUT_INVALID_ARGUMENT if either is no image; ABUT_UNSUPPORTED as abut_recording_create.
ABUT_CHECKED ABUT_API abut_status abut_image_compare(const void *a, size_t a_size, const void *b, size_t b_size,
                                                     bool *differ, abut_image_mismatch *out);

#ifdef __cplusplus
}
#endif

#endif
