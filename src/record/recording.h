// A recording under way: the world as it was last written, and the bytes that wait to be written.
#ifndef AB_RECORDING_H
#define AB_RECORDING_H

#include "base/memory.h"
#include "record/stream.h"
#include "state/geometry_bytes.h"
#include "world/journal.h"

#include <abut/record.h>

struct abut_recording
{
    ab_journal journal; // first: the world knows it by this
    ab_memory memory;
    abut_world *world; // NULL once it ended
    abut_record_write *write;
    void *write_context;
    bool writing;                          // inside `write`
    uint32_t hash_interval, dump_interval; // frames
    uint64_t frames;
    const char *fault;
    abut_status status;                   // that goes with the fault
    unsigned char *pending;               // growable: entries that were not written yet
    size_t entry;                         // the present one's header in it
    ab_geometry_set known;                // retained: by their index in the stream
    uint32_t *versions;                   // growable: theirs, as the stream has them
    unsigned char *last[AB_COLUMN_COUNT]; // growable: the columns as the stream has them
    unsigned char *vetoed;                // growable: what the veto answered in the present detect
    unsigned char *image, *next;          // growable: the last image of the stream, and room for one
    unsigned char *difference;            // growable: room for one
};

// Stops the recording.
void ab_recording_stop(abut_recording *r, abut_status status, const char *sentence);

// Writes one entry: begin, put any number of times, end. None does anything once the recording has stopped.
void ab_entry_begin(abut_recording *r, ab_entry_kind kind);
void ab_entry_put(abut_recording *r, const void *bytes, size_t size);
unsigned char *ab_entry_room(abut_recording *r, size_t size); // where to put so many; NULL: nowhere
void ab_entry_end(abut_recording *r);

// Hands the pending bytes to the caller.
void ab_recording_flush(abut_recording *r);

// Writes the geometry of a shape unless the stream has it.
void ab_recording_learn(abut_recording *r, const abut_shape *shape);

// The same for every live collider.
void ab_recording_learn_all(abut_recording *r);

// Writes the elements that were written in place since the last call; and takes a column over as it is now, whole or
// one element of it.
void ab_recording_compare(abut_recording *r);
void ab_recording_follow(abut_recording *r, ab_column column);
void ab_recording_follow_one(abut_recording *r, ab_column column, uint32_t element);

// Writes an image of the world: the first as it is, later ones as differences.
void ab_recording_image(abut_recording *r, ab_entry_kind kind);

#endif
